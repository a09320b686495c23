//! Tablebase probers: values of positions that are known without searching.

use crate::rules::position::Position;
use crate::value::{Value, Wdl};

/// Known values of positions; `None` where a value is not known.
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
