//! Perfect play for Nine Men's Morris.
#![warn(missing_docs)]

pub mod bits;
pub mod board;
pub mod db;
pub mod histogram;
pub mod index;
pub mod position;
#[cfg(feature = "build")]
pub mod retro;
pub mod rules;
pub mod symmetry;
pub mod turns;
pub mod value;
#[cfg(feature = "build")]
pub mod verify;

pub use board::{Board, Point, PointSet};
pub use db::{Database, DbError};
pub use histogram::Histogram;
pub use index::{Material, Pair};
pub use position::{Phase, Position, PositionError, Side};
pub use rules::Rules;
pub use symmetry::Symmetry;
pub use turns::Turn;
pub use value::{Dtw, Value, Wdl};
