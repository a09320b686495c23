//! Tablebase probers: sources of values that need no search.

use crate::rules::position::Position;
use crate::value::{Value, Wdl};

/// A source of known values; its methods return `None` for unknown values.
pub trait Prober: Sync {
    /// Win, draw or loss of a position for its side to move.
    fn wdl(&self, position: &Position) -> Option<Wdl> {
        self.value(position).map(Value::wdl)
    }

    /// The value of a position for its side to move, with its depth.
    fn value(&self, position: &Position) -> Option<Value>;
}

/// No tablebases.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoProber;

impl Prober for NoProber {
    fn value(&self, _position: &Position) -> Option<Value> {
        None
    }
}
