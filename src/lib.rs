//! Perfect play for Nine Men's Morris.
#![warn(missing_docs)]

pub mod bits;
pub mod board;
pub mod index;
pub mod position;
pub mod rules;
pub mod symmetry;
pub mod turns;
pub mod value;

pub use board::{Board, Point, PointSet};
pub use index::{Material, Pair};
pub use position::{Phase, Position, PositionError, Side};
pub use rules::Rules;
pub use symmetry::Symmetry;
pub use turns::Turn;
pub use value::{Dtw, Value, Wdl};
