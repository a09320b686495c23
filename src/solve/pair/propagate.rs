//! The second pass of a depth: updates the predecessors of the positions that it decides.
//!
//! A predecessor of a loss wins in one turn more, unless it wins sooner; its count never reaches
//! zero, because the lost position does not lower it. The count of a predecessor of a win falls by
//! one; at zero, the predecessor loses in one turn more, or later if its longest losing capture
//! takes longer. If blocked sides pass, a position whose mover is blocked is the predecessor of the
//! one with the same sets.
//!
//! If a depth decides few positions of a row, its predecessors are updated one by one, else the row
//! as a whole. The latter needs no counts; they are computed again once a depth decides few
//! positions of the row.

use std::sync::atomic::Ordering;

use rayon::prelude::*;

use super::half::{CANNOT_LOSE, Finished, HalfShape, RowTurns, ValueSet, Working};
use super::whole_row::{WholeRow, WholeRowScratch};
use crate::board::PointSet;
use crate::board::bits::{self, Bits, Kernel, Ones, find_bytes};
use crate::rules::WithoutTurn;

/// A row is updated as a whole if a depth decides more than one position in this many words. The
/// second number holds while its counts are right, because they have to be computed again
/// afterwards. Measured with 6-6, 8-8 and 9-6; half or twice these numbers are no quicker.
const WORDS_PER_POSITION: usize = 4;
const WORDS_PER_POSITION_AT_FIRST: usize = 2;

/// Updates the predecessors, which are in `working`, of the other side's positions finished with
/// value `v`.
pub(crate) fn propagate(finished: &Finished, working: &mut Working, v: u8) {
    let Working {
        shape,
        values,
        counts,
        too_high,
        present,
    } = working;
    let columns = shape.columns.count();
    values
        .par_chunks_mut(columns)
        .zip(counts.par_chunks_mut(columns))
        .zip(too_high.par_iter_mut().zip(present))
        .zip(finished.values.par_chunks(columns).zip(&finished.latest))
        .enumerate()
        .filter(|(_, (_, (_, latest)))| latest.load(Ordering::Relaxed) == v)
        .for_each_init(
            Default::default,
            |(scratch, marks, found),
             (row, (((values, counts), (too_high, present)), (decided, _)))| {
                bits::dispatch(PropagateRow {
                    shape,
                    waiting: shape.rows.set(row),
                    decided,
                    v,
                    values,
                    counts,
                    too_high,
                    present,
                    scratch,
                    marks,
                    found,
                });
            },
        );
}

struct PropagateRow<'a> {
    shape: &'a HalfShape,
    waiting: PointSet,
    /// A finished row, whose columns are those of the working row.
    decided: &'a [u8],
    v: u8,
    values: &'a mut [u8],
    counts: &'a mut [u8],
    too_high: &'a mut bool,
    present: &'a mut ValueSet,
    scratch: &'a mut WholeRowScratch,
    /// Memory for a bit for each column.
    marks: &'a mut Vec<u64>,
    /// Memory for the places of the decided positions, see [`find_bytes`].
    found: &'a mut Vec<(usize, Ones)>,
}

impl Kernel for PropagateRow<'_> {
    type Output = ();

    #[inline(always)]
    fn run<B: Bits>(mut self, bits: B) {
        let shape = self.shape;
        let decided = self.find_decided(bits);
        let is_loss = self.v % 2 == 1;
        let words = match is_loss || *self.too_high {
            true => WORDS_PER_POSITION,
            false => WORDS_PER_POSITION_AT_FIRST,
        };
        let is_dense = decided * words > shape.blocks.words();
        let at_once = is_dense || (*self.too_high && !is_loss);
        let only_slides = !shape.flying && shape.without_turn != WithoutTurn::Passes;
        let row = (at_once && only_slides)
            .then(|| WholeRow::new(&shape.blocks, shape.rules.board(), self.waiting))
            .flatten();
        match (row, shape.without_turn) {
            (Some(row), _) if is_loss => self.win_before_losses(bits, &row),
            (Some(row), _) => self.lose_before_wins(bits, &row, is_dense),
            // A side that flies can always move, unless the board is full.
            _ if shape.flying => self.one_by_one::<B, true, false>(bits),
            (_, WithoutTurn::Passes) => self.one_by_one::<B, false, true>(bits),
            _ => self.one_by_one::<B, false, false>(bits),
        }
    }
}

/// A condition on bytes of a row: an enum rather than closures, so that its code is always inlined
/// where the processor's instructions may be used.
#[derive(Clone, Copy)]
enum Condition {
    Equals(u8),
    /// A finished position is not won.
    NotWon,
    /// A working value is a win at least as soon as this one.
    WinsAsSoon(u8),
    /// A position with this count is not lost yet, but may be.
    MayLose,
}

impl Condition {
    #[inline(always)]
    fn holds(self, byte: u8) -> bool {
        match self {
            Condition::Equals(other) => byte == other,
            Condition::NotWon => byte % 2 == 1 || byte == 0,
            Condition::WinsAsSoon(win) => byte.is_multiple_of(2) && byte.wrapping_sub(1) < win,
            Condition::MayLose => byte.wrapping_sub(1) < CANNOT_LOSE / 2,
        }
    }
}

/// Marks the bytes for which the condition holds: a bit for each, and at least two words more.
#[inline(always)]
fn mark<B: Bits>(bits: B, bytes: &[u8], condition: Condition, marks: &mut Vec<u64>) {
    marks.clear();
    let (runs, rest) = bytes.as_chunks();
    for run in runs {
        marks.push(mark_run(bits, *run, condition));
    }
    let mut run = [0; 64];
    run[..rest.len()].copy_from_slice(rest);
    let last = mark_run(bits, run, condition) & ((1 << rest.len()) - 1);
    marks.extend([last, 0, 0]);
}

#[inline(always)]
fn mark_run<B: Bits>(bits: B, mut run: [u8; 64], condition: Condition) -> u64 {
    for byte in &mut run {
        *byte = u8::from(condition.holds(*byte));
    }
    bits.equal_bytes(&run, 1)
}

impl PropagateRow<'_> {
    /// Finds the decided positions, and returns their number.
    #[inline(always)]
    fn find_decided<B: Bits>(&mut self, bits: B) -> usize {
        self.found.clear();
        let mut count = 0;
        for (start, places) in find_bytes(bits, self.decided, self.v) {
            self.found.push((start, places));
            count += places.0.count_ones() as usize;
        }
        count
    }

    /// The predecessors of losses, all at once.
    #[inline(always)]
    fn win_before_losses<B: Bits>(self, bits: B, row: &WholeRow<'_>) {
        let next = self.v + self.shape.win_after_loss;
        let columns = &mut self.scratch.columns;
        mark(bits, self.decided, Condition::Equals(self.v), columns);
        row.origins(bits, self.scratch);
        mark(bits, self.values, Condition::WinsAsSoon(next), self.marks);
        let words = self.scratch.columns.iter().zip(&*self.marks).enumerate();
        for (number, (&origins, &win_as_soon)) in words {
            for place in Ones(origins & !win_as_soon) {
                self.values[number * 64 + place] = next;
            }
        }
        self.present.insert(next);
    }

    /// The predecessors of wins, all at once: those without a saving slide lose.
    #[inline(always)]
    fn lose_before_wins<B: Bits>(self, bits: B, row: &WholeRow<'_>, is_dense: bool) {
        let (values, counts, scratch) = (self.values, self.counts, self.scratch);
        mark(bits, self.decided, Condition::NotWon, &mut scratch.columns);
        row.origins(bits, scratch);
        mark(bits, counts, Condition::MayLose, self.marks);
        let words = scratch.columns.iter().zip(&*self.marks).enumerate();
        for (number, (&saved, &may_lose)) in words {
            for place in Ones(may_lose & !saved) {
                let column = number * 64 + place;
                counts[column] = 0;
                values[column] = values[column].max(self.v + 1);
                self.present.insert(values[column]);
            }
        }
        *self.too_high = is_dense;
        if !is_dense {
            for (count, &now) in counts.iter_mut().zip(row.count(bits, scratch)) {
                let may_lose = Condition::MayLose.holds(*count);
                *count = if may_lose { now } else { *count };
            }
        }
    }

    /// Updates a row predecessor by predecessor.
    #[inline(always)]
    fn one_by_one<B: Bits, const FLYING: bool, const PASSES: bool>(self, bits: B) {
        let (shape, v, values) = (self.shape, self.v, self.values);
        let (counts, present) = (self.counts, self.present);
        let turns = RowTurns::new(bits, shape, self.waiting);
        let subsets = &shape.subsets;
        if v % 2 == 1 {
            let next = v + shape.win_after_loss;
            let mut inform = |origin: usize| {
                let old = values[origin];
                let as_soon = Condition::WinsAsSoon(next).holds(old);
                values[origin] = if as_soon { old } else { next };
            };
            for &(start, places) in &*self.found {
                for column in places.map(|place| start + place) {
                    for origin in turns.quiet_origins::<B, FLYING>(bits, subsets[column]) {
                        inform(origin);
                    }
                    if PASSES && turns.is_blocked(bits, subsets[column]) {
                        inform(column);
                    }
                }
            }
            present.insert(next);
        } else {
            let next = v + 1;
            let mut inform = |origin: usize| {
                counts[origin] -= 1;
                if counts[origin] == 0 {
                    values[origin] = values[origin].max(next);
                    present.insert(values[origin]);
                }
            };
            for &(start, places) in &*self.found {
                for column in places.map(|place| start + place) {
                    for origin in turns.quiet_origins::<B, FLYING>(bits, subsets[column]) {
                        inform(origin);
                    }
                    if PASSES && turns.is_blocked(bits, subsets[column]) {
                        inform(column);
                    }
                }
            }
        }
    }
}
