//! Who knows the value of a position without searching.

use crate::rules::position::Position;
use crate::value::{Value, Wdl};

/// Values of positions that are known. What is not known is `None`.
pub trait Judge: Sync {
    /// Win, draw or loss of a position for its side to move.
    fn wdl(&self, position: &Position) -> Option<Wdl> {
        self.value(position).map(Value::wdl)
    }

    /// The value of a position for its side to move, with its depth.
    fn value(&self, position: &Position) -> Option<Value>;
}

/// Knows nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoJudge;

impl Judge for NoJudge {
    fn value(&self, _position: &Position) -> Option<Value> {
        None
    }
}
