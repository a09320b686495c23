//! The second pass of a depth: updates the predecessors of the positions that it decides.
//!
//! A predecessor of a loss wins in one turn more, unless it wins sooner; its count never reaches
//! zero, because the lost position does not lower it. The count of a predecessor of a win falls by
//! one; at zero, the predecessor loses in one turn more, or later if its longest losing capture takes
//! longer. If blocked sides pass, a position whose mover is blocked is the predecessor of the one
//! with the same sets.
//!
//! If a depth decides few positions of a row, its predecessors are updated one by one, else the row as a
//! whole. The latter needs no counts; they are computed again once a depth decides few positions of the row.

use std::sync::atomic::Ordering;

use rayon::prelude::*;

use super::half::{CANNOT_LOSE, Finished, HalfShape, RowTurns, ValueSet, Working};
use super::whole_row::{WholeRow, WholeRowScratch};
use crate::board::PointSet;
use crate::board::bits::{self, Bits, Kernel, Ones, find_bytes};
use crate::rules::WithoutTurn;

/// A row is updated as a whole if a depth decides more than one position in this many words; the second
/// number holds while its counts are right, as they will have to be computed again. Measured with 6-6, 8-8
/// and 9-6; half or twice these numbers are no quicker.
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
                let row = PropagateRow {
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
                };
                row.propagate();
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

impl PropagateRow<'_> {
    fn propagate(mut self) {
        let shape = self.shape;
        let decided = bits::dispatch(FindDecided(&mut self));
        if shape.flying || shape.without_turn == WithoutTurn::Passes {
            return bits::dispatch(OneByOne(self));
        }
        let is_loss = self.v % 2 == 1;
        let words = match is_loss || *self.too_high {
            true => WORDS_PER_POSITION,
            false => WORDS_PER_POSITION_AT_FIRST,
        };
        let is_dense = decided * words > shape.blocks.words();
        let at_once = is_dense || (*self.too_high && !is_loss);
        match at_once
            .then(|| WholeRow::new(&shape.blocks, shape.rules.board(), self.waiting))
            .flatten()
        {
            Some(row) => bits::dispatch(AtOnce {
                row,
                is_dense,
                of: self,
            }),
            None => bits::dispatch(OneByOne(self)),
        }
    }
}

/// Finds the decided positions, and returns their number.
struct FindDecided<'a, 'b>(&'a mut PropagateRow<'b>);

impl Kernel for FindDecided<'_, '_> {
    type Output = usize;

    #[inline(always)]
    fn run<B: Bits>(self, bits: B) -> usize {
        let PropagateRow {
            decided, v, found, ..
        } = self.0;
        found.clear();
        let mut count = 0;
        for (start, Ones(places)) in find_bytes(bits, decided, *v) {
            found.push((start, Ones(places)));
            count += places.count_ones() as usize;
        }
        count
    }
}

/// Updates a row as a whole.
struct AtOnce<'a> {
    row: WholeRow<'a>,
    is_dense: bool,
    of: PropagateRow<'a>,
}

impl Kernel for AtOnce<'_> {
    type Output = ();

    #[inline(always)]
    fn run<B: Bits>(self, bits: B) {
        match self.of.v % 2 == 1 {
            true => self.win_before_losses(bits),
            false => self.lose_before_wins(bits),
        }
    }
}

/// Updates a row predecessor by predecessor.
struct OneByOne<'a>(PropagateRow<'a>);

impl Kernel for OneByOne<'_> {
    type Output = ();

    #[inline(always)]
    fn run<B: Bits>(self, bits: B) {
        match (self.0.shape.flying, self.0.shape.without_turn) {
            // A side that flies can always move, unless the board is full.
            (true, _) => self.propagate::<B, true, false>(bits),
            (false, WithoutTurn::Passes) => self.propagate::<B, false, true>(bits),
            (false, _) => self.propagate::<B, false, false>(bits),
        }
    }
}

/// A condition on bytes of a row. Types rather than closures, so that their code is always inlined where the
/// processor's instructions may be used.
trait Condition: Copy {
    fn holds(self, byte: u8) -> bool;
}

#[derive(Clone, Copy)]
struct Equals(u8);

impl Condition for Equals {
    #[inline(always)]
    fn holds(self, byte: u8) -> bool {
        byte == self.0
    }
}

/// A finished position is not won.
#[derive(Clone, Copy)]
struct IsNotWon;

impl Condition for IsNotWon {
    #[inline(always)]
    fn holds(self, byte: u8) -> bool {
        byte % 2 == 1 || byte == 0
    }
}

/// A working value is a win that is as soon as this one, or sooner.
#[derive(Clone, Copy)]
struct WinsAsSoon(u8);

impl Condition for WinsAsSoon {
    #[inline(always)]
    fn holds(self, byte: u8) -> bool {
        byte.is_multiple_of(2) && byte.wrapping_sub(1) < self.0
    }
}

/// A position with this count is not lost yet, but may be.
#[derive(Clone, Copy)]
struct MayLose;

impl Condition for MayLose {
    #[inline(always)]
    fn holds(self, byte: u8) -> bool {
        byte.wrapping_sub(1) < CANNOT_LOSE / 2
    }
}

/// Marks the bytes for which the condition holds: a bit for each, and at least two words more.
#[inline(always)]
fn mark<B: Bits>(bits: B, bytes: &[u8], condition: impl Condition, marks: &mut Vec<u64>) {
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
fn mark_run<B: Bits>(bits: B, mut run: [u8; 64], condition: impl Condition) -> u64 {
    for byte in &mut run {
        *byte = u8::from(condition.holds(*byte));
    }
    bits.equal_bytes(&run, 1)
}

impl AtOnce<'_> {
    /// The predecessors of losses, all at once.
    #[inline(always)]
    fn win_before_losses<B: Bits>(self, bits: B) {
        let AtOnce { row, of, .. } = self;
        let PropagateRow {
            decided,
            v,
            values,
            present,
            scratch,
            marks,
            shape,
            ..
        } = of;
        let next = v + shape.win_after_loss;
        mark(bits, decided, Equals(v), &mut scratch.columns);
        row.origins(bits, scratch);
        mark(bits, values, WinsAsSoon(next), marks);
        let words = scratch.columns.iter().zip(&*marks).enumerate();
        for (number, (&origins, &win_as_soon)) in words {
            for place in Ones(origins & !win_as_soon) {
                values[number * 64 + place] = next;
            }
        }
        present.insert(next);
    }

    /// The predecessors of wins, all at once: those lose that no slide saves.
    #[inline(always)]
    fn lose_before_wins<B: Bits>(self, bits: B) {
        let AtOnce { row, is_dense, of } = self;
        let PropagateRow {
            decided,
            v,
            values,
            counts,
            too_high,
            present,
            scratch,
            marks,
            ..
        } = of;
        let next = v + 1;
        mark(bits, decided, IsNotWon, &mut scratch.columns);
        row.origins(bits, scratch);
        mark(bits, counts, MayLose, marks);
        let words = scratch.columns.iter().zip(&*marks).enumerate();
        for (number, (&saved, &may_lose)) in words {
            for place in Ones(may_lose & !saved) {
                let column = number * 64 + place;
                counts[column] = 0;
                values[column] = values[column].max(next);
                present.insert(values[column]);
            }
        }
        *too_high = is_dense;
        if !is_dense {
            for (count, &now) in counts.iter_mut().zip(row.count(bits, scratch)) {
                *count = if MayLose.holds(*count) { now } else { *count };
            }
        }
    }
}

impl OneByOne<'_> {
    #[inline(always)]
    fn propagate<B: Bits, const FLYING: bool, const PASSES: bool>(self, bits: B) {
        let PropagateRow {
            shape,
            waiting,
            found,
            v,
            values,
            counts,
            present,
            ..
        } = self.0;
        let turns = RowTurns::new(bits, shape, waiting);
        let subsets = &shape.subsets;
        if v % 2 == 1 {
            let next = v + shape.win_after_loss;
            let mut inform = |origin: usize| {
                let old = values[origin];
                values[origin] = if WinsAsSoon(next).holds(old) {
                    old
                } else {
                    next
                };
            };
            for &(start, places) in &*found {
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
            for &(start, places) in &*found {
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
