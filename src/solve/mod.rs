//! Solves the pairs by retrograde analysis, and the plies of the placing phase in one pass each.
//!
//! A build goes from a [`BuildRequest`] to a [`BuildPlan`], which says what a folder lacks and what it takes
//! to make that. [`BuildPlan::run`] makes it (and [`build`] does both), reports [`BuildEvent`]s, from which [`BuildProgress`]
//! forecasts the time left, and returns a [`BuildReport`].
//!
//! * `plan`, `folder`, `job`, `events`, `progress`: the build.
//! * [`pair`] solves one pair in memory, [`ply`] one stage of the placing phase.
//! * `tables` loads whole tables from files, `derive` computes those that files omit.
//! * [`repack()`] writes the values of a file again at another level or with another profile.

mod compressed;
pub(crate) mod derive;
mod error;
mod events;
mod folder;
mod job;
#[doc(hidden)]
pub mod pair;
mod plan;
#[doc(hidden)]
pub mod ply;
mod progress;
mod repack;
mod slides;
mod tables;

pub use error::SolveError;
pub use events::{BuildEvent, BuildReport, PairReport, PlyReport, TableTimes};
pub use folder::BuildFolder;
pub use job::build;
pub(crate) use plan::with_needed;
pub use plan::{BuildPlan, BuildRequest, PlannedPair, PlannedPly};
#[doc(hidden)]
pub use plan::{built_pairs, cores, kept_plies, pairs_up_to};
pub use progress::BuildProgress;
pub use repack::repack;
pub(crate) use tables::{Reused, fold, load_pair, needs, read_or_derive, refused};
#[doc(hidden)]
pub use tables::{TableCache, load, whole_bitbase};
