//! Solves the pairs by retrograde analysis, and the plies of the placing phase in one pass each.
//!
//! A build goes from a [`BuildRequest`] to a [`BuildPlan`], which says what a folder lacks and how
//! much memory, disk and time that needs. [`BuildPlan::run`] carries the plan out ([`build`] does
//! both), reports [`BuildEvent`]s, from which [`BuildProgress`] forecasts the time left, and
//! returns a [`BuildReport`].
//!
//! * `plan`, `folder`, `job`, `events`, `progress`: the build.
//! * `pair` solves one pair in memory, `ply` one stage of the placing phase.
//! * `slides` and `placements` find the best quiet turns and the best placements of a row.
//! * `tables` loads whole tables from files, `derive` computes those that files omit.
//! * `unfinished` keeps in files the tables that a build needs on its way.
//! * `repack` writes the values of a file again with another profile.

mod compressed;
pub(crate) mod derive;
mod error;
mod events;
mod folder;
mod job;
pub(crate) mod pair;
pub(crate) mod placements;
pub(crate) mod plan;
pub(crate) mod ply;
mod progress;
pub(crate) mod repack;
pub(crate) mod slides;
pub(crate) mod tables;
mod unfinished;

pub use error::SolveError;
pub use events::{BuildEvent, BuildReport, PairReport, PlyReport, TableTimes};
pub use folder::BuildFolder;
pub use job::build;
pub use plan::{BuildPlan, BuildRequest, PlannedPair, PlannedPly, kept_plies, pairs_up_to};
pub use progress::BuildProgress;
pub(crate) use tables::{Kept, Loader, Recipe, TableCache, fold, load, load_pair, whole_bitbase};
