//! The best placements while one set waits.

use super::turns::{CaptureRows, CheckedTable, TableTurns, best_capture, larger};
use crate::board::bits::Bits;
use crate::board::{POINTS, PointSet};
use crate::index::{Material, Subsets};
use crate::solve::slides::{ColumnSlides, Vector};

/// The tables after placements without a mill and after captures; `None` if no game reaches it, and
/// if captures end the game.
pub(super) type PlacedTables<'a> = [Option<CheckedTable<'a>>; 2];

/// The mover's sets after a placement, among the points that the other side leaves.
pub(super) struct SetsAfter {
    sets: Subsets,
    parts: ColumnSlides,
}

impl SetsAfter {
    pub fn new(material: Material) -> SetsAfter {
        let free = POINTS - u32::from(material.waiting);
        let sets = Subsets::new(free, u32::from(material.mover) + 1);
        SetsAfter {
            parts: ColumnSlides::new(&sets),
            sets,
        }
    }

    /// Raises the code of each of the mover's sets in `best` to that of its best placement, while
    /// the set of this row waits. `after` is memory that is reused from row to row.
    #[inline(always)]
    pub fn raise<B: Bits>(
        &self,
        bits: B,
        turns: &TableTurns<'_>,
        [quiet, capture]: PlacedTables<'_>,
        (row, waiting): (usize, PointSet),
        after: &mut Vec<Vector>,
        (before, best): (&ColumnSlides, &mut [Vector]),
    ) {
        let TableTurns { rules, codes, .. } = turns;
        let (board, free) = (rules.board(), !waiting);
        if let Some(table) = quiet {
            let values = table.row(row);
            self.parts
                .scatter(values, after, |value| codes.of_quiet(value));
            before.raise_by_placements(bits, board, free, (&self.parts, after), best);
        }
        let from_hand = rules.takes_from_hand(turns.parent.material().waiting_in_hand);
        let removals = CaptureRows::new(capture, waiting, u8::from(!from_hand), rules);
        let best = best.as_flattened_mut();
        for subset in self.sets.iter() {
            let set = PointSet::from_bits(bits.pdep(subset, free.bits()));
            // The last stone came to one of these.
            let mut closing = bits.pext(board.mills(set).bits(), free.bits());
            if closing == 0 {
                continue;
            }
            let code = best_capture(bits, codes, &removals, set);
            while closing != 0 {
                let best = &mut best[before.place(subset & !(closing & closing.wrapping_neg()))];
                *best = larger(*best, code);
                closing &= closing - 1;
            }
        }
    }
}
