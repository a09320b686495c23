//! Probing: the value of any position, its ranked turns, and the best line from it.
//!
//! ```text
//! position -> schema of the pair or ply -> row, block -> codec -> value
//! ```
//!
//! - `database`: the files at hand
//! - `ask`: the questions, the same for every kind of position
//! - `lookup`: values that the files hold, and those of the moving phase that follow from them
//! - `look_ahead`: values of positions with stones in hand, by a search to those that files hold
//! - `bitbase`: win, draw or loss of chosen pairs in memory

mod ask;
mod bitbase;
mod database;
mod look_ahead;
mod lookup;
#[cfg(all(test, feature = "build"))]
mod tests;

pub use ask::{Answer, Line, LineEnd, RankedTurn, Source};
pub use bitbase::{Bitbase, BitbaseRow};
pub use database::Database;

use crate::rules::position::Position;
use crate::search::Prober;
use crate::value::Value;

/// Knows the moving phase as far as its files hold it; what it cannot read it does not know. While
/// stones are in hand a value may take a search of its own, so the search that asks does that.
impl Prober for Database {
    fn value(&self, position: &Position) -> Option<Value> {
        match position.is_placing() {
            true => None,
            false => self.probe(position).ok(),
        }
    }
}
