//! The best placements while one set waits, by looking forwards from each of the mover's sets.

use super::turns::{CaptureRows, CheckedTable, Codes, LOST, best_capture, larger};
use crate::board::bits::Bits;
use crate::board::{Board, POINTS, PointSet};
use crate::index::{Material, Subsets};
use crate::rules::Rules;

/// The tables that placements lead to.
#[derive(Clone, Copy)]
pub(super) struct PlacedTables<'a> {
    /// After placements without a mill; `None` if no game reaches it.
    pub quiet: Option<CheckedTable<'a>>,
    /// After captures; `None` if they end the game, or if no game reaches it.
    pub capture: Option<CheckedTable<'a>>,
}

/// The mover's sets after a placement, among the points that the other side leaves.
pub(super) fn sets_after(material: Material) -> Subsets {
    let free = POINTS - u32::from(material.waiting);
    Subsets::new(free, u32::from(material.mover) + 1)
}

/// Memory that is reused for each row.
#[derive(Default)]
pub(super) struct PlacementCodes {
    /// The codes after quiet placements, by the column of the mover's set after them.
    quiet: Vec<u8>,
    /// Those of the best captures; [`NOT_YET`] until it is computed.
    captures: Vec<u16>,
}

/// Stands for a code that is not computed yet.
const NOT_YET: u16 = u16::MAX;

/// The placements while one set waits.
pub(super) struct PlacementRow<'a> {
    board: &'static Board,
    codes: &'a Codes,
    free: PointSet,
    removals: CaptureRows<'a>,
    after: &'a Subsets,
    scratch: &'a mut PlacementCodes,
}

impl<'a> PlacementRow<'a> {
    /// The placements while the set of this row waits; `after` are the [`sets_after`] them.
    #[inline(always)]
    pub fn new(
        rules: &Rules,
        codes: &'a Codes,
        tables: PlacedTables<'a>,
        (row, waiting): (usize, PointSet),
        after: &'a Subsets,
        scratch: &'a mut PlacementCodes,
    ) -> PlacementRow<'a> {
        let PlacementCodes { quiet, captures } = &mut *scratch;
        quiet.clear();
        if let Some(table) = tables.quiet {
            let values = table.row(row).iter();
            quiet.extend(values.map(|&value| codes.of_quiet(value)));
        }
        quiet.resize(after.count(), LOST);
        captures.clear();
        captures.resize(after.count(), NOT_YET);
        PlacementRow {
            board: rules.board(),
            codes,
            free: !waiting,
            removals: CaptureRows::new(tables.capture, waiting, 1, rules),
            after,
            scratch,
        }
    }

    /// The code of the mover's best placement; `subset` is its set compressed to the free points.
    #[inline(always)]
    pub fn best<B: Bits>(&mut self, bits: B, subset: u32, mover: PointSet) -> u8 {
        let free = self.free.bits();
        let PlacementCodes { quiet, captures } = &mut *self.scratch;
        let all = bits.pext(free, free);
        let closing = bits.pext(self.board.completions(mover).bits(), free) & !subset;
        let mut best = LOST;
        let mut places = all & !subset & !closing;
        while places != 0 {
            let place = places & places.wrapping_neg();
            places ^= place;
            best = larger(best, quiet[self.after.rank(subset | place)]);
        }
        let mut places = closing;
        while places != 0 {
            let place = places & places.wrapping_neg();
            places ^= place;
            let code = &mut captures[self.after.rank(subset | place)];
            if *code == NOT_YET {
                let set = PointSet::from_bits(bits.pdep(subset | place, free));
                *code = best_capture(bits, self.codes, &self.removals, set).into();
            }
            best = larger(best, *code as u8);
        }
        best
    }
}
