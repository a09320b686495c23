//! Probing: the value of any position, its ranked turns, and the best line from it.
//!
//! ```text
//! position -> file of the pair or ply -> row, block -> codec -> value
//! ```
//!
//! - `database`: finding and opening the files
//! - `answer`: the queries, the same for every kind of position
//! - `lookup`: stored values, and values of the moving phase that follow from them
//! - `omitted`: values that follow from stored ones in several turns
//! - `look_ahead`: values of positions with stones in hand, by a search down to stored ones
//! - `foresee`: the ranges that a question needs where bytes have not arrived
//! - `bulk`: many positions at once, as arrays of bit masks
//! - `levels`: many positions of the moving phase, row by row of the files
//! - `bitbase`: win, draw or loss of chosen pairs in memory

mod answer;
mod bitbase;
mod bulk;
mod database;
mod foresee;
mod levels;
mod look_ahead;
mod lookup;
mod omitted;
// Only questions of a service are given up.
#[cfg_attr(not(feature = "service"), allow(dead_code))]
pub(crate) mod stop;
#[cfg(all(test, feature = "build", feature = "embedded"))]
mod tests;

pub(crate) use answer::Effort;
pub use answer::{Answer, BestLine, LineEnd, RankedTurn, Source};
pub use bitbase::Bitbase;
pub(crate) use bulk::each_on_a_thread;
pub use bulk::{BulkError, Masks, Values, numbers};
pub use database::Database;

use crate::index::Material;
use crate::rules::position::Position;
use crate::search::Prober;
use crate::value::Value;

/// Knows the positions of the moving phase whose values it can read. While stones are in hand, a
/// value may take a search of its own, so the calling search finds it instead; also where sides move
/// with stones in hand and the file omits the position.
impl Prober for Database {
    fn value(&self, position: &Position) -> Option<Value> {
        let rules = self.rules();
        let pair = Material::of_position(position).pair();
        if position.is_in_placing_phase(rules) || pair.is_some_and(|pair| !self.has(pair)) {
            return None;
        }
        let omits = |pair| {
            let file = self.file(pair);
            file.is_ok_and(|file| file.coverage().omits_rows() && !file.holds(position))
        };
        if position.is_placing() && pair.is_some_and(omits) {
            return None;
        }
        let value = self.probe(position).ok()?;
        Some(rules.distance().to_end(value))
    }
}
