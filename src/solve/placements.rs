//! The best placements of all sets of the mover in one row, from the values of the positions after
//! them.
//!
//! After a placement the side that waited is to move. So if the rows are the waiting side's sets,
//! the placements of a row that close no mill lead to one row of the next table, and the captures
//! lead to one row for each stone that can be removed. The captures are followed from the mover's
//! sets after a placement back to those before it:
//!
//! ```text
//! for each set M' of the mover after a placement that has a mill
//!     capture = the best value after M' over all removals
//!     for each stone x of M' in a mill:  ordered(M' - x) = max(ordered(M' - x), capture)
//! ```

use super::pair::{Captures, ORDERED};
use super::slides::{ColumnSlides, Vector};
use crate::board::bits::Bits;
use crate::board::{POINTS, PointSet};
use crate::index::{Material, Subsets};
use crate::rules::Rules;

/// The placements of one table.
pub(crate) struct Placements<'a> {
    rules: Rules,
    /// The mover's sets before a placement, among the free points.
    before: Subsets,
    before_parts: ColumnSlides,
    /// Those after it, in the order of their numbers.
    after: Vec<u32>,
    after_parts: ColumnSlides,
    /// The values after placements that close no mill; `None` to leave these out.
    quiet: Option<&'a [u8]>,
    /// The tables after placements that close one; `None` to leave these out.
    captures: Option<Captures<'a>>,
    /// The number of stones that these take from the board: 0 if they take one from the hand.
    removals: u8,
}

/// Memory that is reused from row to row.
#[derive(Default)]
pub(crate) struct PlacementScratch {
    /// The ordered values after quiet placements, by part.
    after: Vec<Vector>,
    /// Those of the best quiet placements, by part and by column.
    raised: Vec<Vector>,
    row: Vec<u8>,
}

impl<'a> Placements<'a> {
    /// The placements of a table with this material; each takes at most one stone.
    pub fn new(
        rules: &Rules,
        material: Material,
        quiet: Option<&'a [u8]>,
        captures: Option<Captures<'a>>,
    ) -> Placements<'a> {
        let free = POINTS - u32::from(material.waiting);
        let stones = u32::from(material.mover);
        let [before, after] = [stones, stones + 1].map(|stones| Subsets::new(free, stones));
        Placements {
            rules: *rules,
            before_parts: ColumnSlides::new(&before),
            before,
            after_parts: ColumnSlides::new(&after),
            after: after.iter().collect(),
            quiet,
            captures,
            removals: u8::from(!rules.takes_from_hand(material.waiting_in_hand)),
        }
    }

    /// Raises the ordered value of each of the mover's sets to that of its best placement. `number`
    /// and `waiting` are the number and the set of the row. Values of sets that no game reaches mean nothing, but from
    /// sets that games reach, no placement leads to them.
    #[inline(always)]
    pub fn raise<B: Bits>(
        &self,
        bits: B,
        (number, waiting): (usize, PointSet),
        scratch: &mut PlacementScratch,
        best: &mut [u8],
    ) {
        let board = self.rules.board();
        let free = !waiting;
        let captures = self.captures.as_ref();
        let captures = captures.map(|all| (all, all.removals(&self.rules, waiting, self.removals)));
        if let Some((captures, removals)) = &captures {
            for &subset in &self.after {
                let mover = PointSet::from_bits(bits.pdep(subset, free.bits()));
                // The last stone came to one of these.
                let mut mills = bits.pext(board.mills(mover).bits(), free.bits());
                if mills == 0 {
                    continue;
                }
                let ordered = captures.best_ordered(bits, removals, mover);
                while mills != 0 {
                    let stone = mills & mills.wrapping_neg();
                    mills ^= stone;
                    let before = &mut best[self.before.rank(subset ^ stone)];
                    *before = ordered.max(*before);
                }
            }
        }
        let Some(quiet) = self.quiet else {
            return;
        };
        let width = self.after.len();
        let quiet = &quiet[number * width..][..width];
        let PlacementScratch { row, after, raised } = scratch;
        self.after_parts
            .scatter(quiet, after, |value| ORDERED[usize::from(value)]);
        self.before_parts.fill(raised, 0);
        let parts = (&self.after_parts, &after[..]);
        self.before_parts
            .raise_by_placements(bits, board, free, parts, raised);
        self.before_parts.gather(raised, row);
        for (best, &raised) in best.iter_mut().zip(&*row) {
            *best = raised.max(*best);
        }
    }
}
