//! Solves the pairs by retrograde analysis, and the plies of the placing phase in one pass each.

mod compressed;
pub(crate) mod derive;
mod error;
pub mod pair;
pub mod ply;
mod slides;
mod tables;

pub use error::SolveError;
pub(crate) use tables::{Loader, Reused, fold, load_pair, needs, read_or_derive, refused};
pub use tables::{TableCache, load, whole_bitbase};
