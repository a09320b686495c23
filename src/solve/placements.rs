//! The best placements of all sets of the mover in one row, from the values of the positions after them.
//!
//! After a placement the side that waited is to move. So if the rows are the waiting side's sets, the placements
//! of a row that close no mill lead to one row of the next table, and the captures lead to one row for each stone
//! that can be removed. The loop goes from the mover's sets after a placement back to those before it:
//!
//! ```text
//! for each set M' of the mover after a placement
//!     quiet   = the value after M'
//!     capture = the best value after M' over all removals, where M' has a mill
//!     for each stone x of M':  ordered(M' - x) = max(ordered(M' - x), x in a mill of M' ? capture : quiet)
//! ```

use super::pair::{Captures, ORDERED};
use crate::board::bits::Bits;
use crate::board::{POINTS, PointSet};
use crate::index::{Material, Subsets};
use crate::rules::Rules;

/// The placements of one table.
pub(crate) struct Placements<'a> {
    rules: Rules,
    /// The mover's sets before a placement, among the free points.
    before: Subsets,
    /// Those after it, in the order of their numbers.
    after: Vec<u32>,
    /// The values after placements that close no mill; `None` to leave these out.
    quiet: Option<&'a [u8]>,
    /// The tables after placements that close one; `None` to leave these out.
    captures: Option<Captures<'a>>,
}

/// Which positions after a placement count: some that no game reaches have no values.
#[derive(Clone, Copy)]
pub(crate) struct Reached {
    /// Whether the set can be reached without a mill.
    pub quiet: bool,
    /// Whether it can be reached with one.
    pub capture: bool,
}

impl Reached {
    /// The set can be reached in both ways.
    pub const ALL: Reached = Reached {
        quiet: true,
        capture: true,
    };
}

impl<'a> Placements<'a> {
    /// The placements of a table with this material; at most one stone can be removed after each.
    pub fn new(
        rules: &Rules,
        material: Material,
        quiet: Option<&'a [u8]>,
        captures: Option<Captures<'a>>,
    ) -> Placements<'a> {
        let free = POINTS - u32::from(material.waiting);
        let stones = u32::from(material.mover);
        Placements {
            rules: *rules,
            before: Subsets::new(free, stones),
            after: Subsets::new(free, stones + 1).iter().collect(),
            quiet,
            captures,
        }
    }

    /// Raises the ordered value of each of the mover's sets to that of its best placement. `row` and `waiting` are the
    /// number and the set of the row, `reached` says which sets after a placement count.
    #[inline(always)]
    pub fn raise<B: Bits>(
        &self,
        bits: B,
        row: usize,
        waiting: PointSet,
        reached: impl Fn(PointSet) -> Reached,
        best: &mut [u8],
    ) {
        let board = self.rules.board();
        let free = !waiting;
        let captures = self.captures.as_ref();
        let captures = captures.map(|all| (all, all.removals(&self.rules, waiting, 1)));
        let width = self.after.len();
        let quiet = self.quiet.map(|values| &values[row * width..][..width]);
        for (column, &subset) in self.after.iter().enumerate() {
            let mover = PointSet::from_bits(bits.pdep(subset, free.bits()));
            let reached = reached(mover);
            let mills = bits.pext(board.mills(mover).bits(), free.bits());
            if let Some(quiet) = quiet
                && reached.quiet
            {
                let ordered = ORDERED[usize::from(quiet[column])];
                self.raise_without(best, subset, subset & !mills, ordered);
            }
            if mills != 0
                && reached.capture
                && let Some((captures, removals)) = &captures
            {
                let ordered = captures.best_ordered(bits, removals, mover);
                self.raise_without(best, subset, mills, ordered);
            }
        }
    }

    /// Raises the ordered values of the sets that lack one of these stones.
    #[inline(always)]
    fn raise_without(&self, best: &mut [u8], subset: u32, mut stones: u32, ordered: u8) {
        while stones != 0 {
            let stone = stones & stones.wrapping_neg();
            stones ^= stone;
            let before = &mut best[self.before.rank(subset ^ stone)];
            *before = ordered.max(*before);
        }
    }
}
