//! The fast pass over one row of the child table: the code of the best turn of each position in
//! which the row's set waits.
//!
//! Turns that close no mill are backed up for whole parts of a row at once, see `solve::slides`.
//! Turns that close a mill are backed up one by one.

use super::turns::{DRAWN, LOST, TableTurns, best_capture, larger};
use crate::board::PointSet;
use crate::board::bits::{Bits, Kernel};
use crate::board::symmetry::Symmetry;
use crate::rules::WithoutTurn;
use crate::solve::slides::{ColumnSlides, Vector};

/// The pass over one row. It calls `found` with an entry of each position of the parent table in
/// which the row's set waits, and with the code of its value.
pub(super) struct CheckedRow<'a, F> {
    pub turns: &'a TableTurns<'a>,
    /// The slides between the columns.
    pub slides: &'a ColumnSlides,
    pub row: usize,
    pub scratch: &'a mut CheckedRowScratch,
    pub found: F,
}

/// Memory that is reused from row to row.
#[derive(Default)]
pub(super) struct CheckedRowScratch {
    /// The codes after quiet moves to the sets of each part.
    quiet: Vec<Vector>,
    /// The codes after placements without a mill to the sets of each part.
    placed: Vec<Vector>,
    /// For the sets of each part: the best code so far of the position in which the set moves.
    best: Vec<Vector>,
    /// The best codes of all columns.
    codes: Vec<u8>,
}

/// The number of parent entries found at once, so that the cache misses of their reads overlap.
const AT_ONCE: usize = 128;

impl<F: FnMut(usize, u8)> Kernel for CheckedRow<'_, F> {
    /// The number of calls of `found`.
    type Output = u64;

    #[inline(always)]
    fn run<B: Bits>(mut self, bits: B) -> u64 {
        let CheckedRowScratch { quiet, best, .. } = &mut *self.scratch;
        self.slides.fill(best, LOST);
        if let Some(table) = self.turns.quiet() {
            let code = |value| self.turns.codes.of_quiet(value);
            self.slides.scatter(table.row(self.row), quiet, code);
            self.back_up_captures(bits);
            let (board, free) = (self.turns.rules.board(), !self.waiting());
            let flies = self.flies();
            let CheckedRowScratch { quiet, best, .. } = &mut *self.scratch;
            self.slides.raise(bits, board, free, flies, quiet, best);
        }
        if let Some((tables, after)) = &self.turns.placed {
            let row = (self.row, self.waiting());
            let CheckedRowScratch { placed, best, .. } = &mut *self.scratch;
            after.raise(bits, self.turns, *tables, row, placed, (self.slides, best));
        }
        self.report(bits)
    }
}

impl<F: FnMut(usize, u8)> CheckedRow<'_, F> {
    /// The set of the waiting side in the parent positions.
    fn waiting(&self) -> PointSet {
        self.turns.child.rows().set(self.row)
    }

    /// Whether the mover may fly.
    fn flies(&self) -> bool {
        let [_, stones] = self.turns.child.material().totals();
        self.turns.rules.flies(stones.into())
    }

    /// Backs up the code of the best removal to the sets from which a move closes a mill. Finds the
    /// codes of movers without a turn.
    #[inline(always)]
    fn back_up_captures<B: Bits>(&mut self, bits: B) {
        let all = self.slides;
        let TableTurns { child, codes, .. } = self.turns;
        let rules = self.turns.rules;
        let board = rules.board();
        let free = !self.waiting();
        let captures = self.turns.captures(!free);
        let without_turn = self.turns.without_turn();
        let flies = self.flies();
        let within = board.edges_within(free);
        let mut edges = [0; u64::BITS as usize];
        for (edge, ends) in edges.iter_mut().zip(board.edges()) {
            let ends: PointSet = ends.iter().copied().collect();
            *edge = bits.pext(ends.bits(), free.bits());
        }
        let CheckedRowScratch { quiet, best, .. } = &mut *self.scratch;
        let best = best.as_flattened_mut();
        for subset in child.columns().iter() {
            let set = PointSet::from_bits(bits.pdep(subset, free.bits()));
            let is_blocked = || match flies {
                true => set == free,
                false => board.cut(set) & within == 0,
            };
            let place = all.place(subset);
            match without_turn {
                WithoutTurn::Draws if is_blocked() => best[place] = DRAWN,
                WithoutTurn::Removes => {
                    best[place] = best_capture(bits, codes, &captures[0], set);
                }
                WithoutTurn::Passes if is_blocked() => best[place] = quiet.as_flattened()[place],
                _ => {}
            }
            // The stones by the number of removals that a turn to their point earned.
            let mut mills = [board.mills(set), PointSet::EMPTY, PointSet::EMPTY];
            if mills[0].is_empty() {
                continue;
            }
            if rules.removal_per_mill {
                mills = board.mills_by_count(set);
            }
            for (stones, captures) in mills.into_iter().zip(&captures) {
                let mut slides = board.cut(set) & board.cut(stones) & within;
                if stones.is_empty() || !flies && slides == 0 {
                    continue;
                }
                let code = best_capture(bits, codes, captures, set);
                let mut raise = |before| {
                    let best = &mut best[all.place(before)];
                    *best = larger(*best, code);
                };
                if flies {
                    for stone in stones {
                        for point in free - set {
                            let before = set.without(stone).with(point);
                            raise(bits.pext(before.bits(), free.bits()));
                        }
                    }
                    continue;
                }
                while slides != 0 {
                    raise(subset ^ edges[slides.trailing_zeros() as usize]);
                    slides &= slides - 1;
                }
            }
        }
    }

    /// Reports the codes of positions that games can reach, with their entries in the parent table,
    /// and returns their number. Symmetric rows of the parent hold a position several times, of
    /// which this reports one entry or more.
    #[inline(always)]
    fn report<B: Bits>(&mut self, bits: B) -> u64 {
        let TableTurns { parent, child, .. } = self.turns;
        let waiting = self.waiting();
        let free = !waiting;
        let CheckedRowScratch { best, codes, .. } = &mut *self.scratch;
        self.slides.gather(best, codes);
        let images = Symmetry::images(waiting);
        let rows = parent.rows();
        let columns = parent.columns();
        let mut subsets = child.columns().iter();
        let possible = self.turns.possible(true);
        let mut entries = [(0, 0); AT_ONCE];
        let mut count = 0;
        for codes in codes.chunks(AT_ONCE) {
            for (entry, subset) in entries.iter_mut().zip(&mut subsets) {
                let mover = PointSet::from_bits(bits.pdep(subset, free.bits()));
                let (row, symmetry) = rows.find(mover);
                let image = images[symmetry.number() as usize];
                let free = !rows.set(row);
                let column = columns.rank(bits.pext(image.bits(), free.bits()));
                *entry = (row, row * columns.count() + column);
            }
            for (&(row, entry), &code) in entries.iter().zip(codes) {
                if possible.is_none_or(|rows| rows.contains(row)) {
                    (self.found)(entry, code);
                    count += 1;
                }
            }
        }
        count
    }
}
