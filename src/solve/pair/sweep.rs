//! The sweep by depth: positions that are decided at a depth update their predecessors.
//!
//! Each depth n, with value byte v = n + 1, takes two passes for each side to move:
//!
//! ```text
//! scatter    working entries with value v, decided      → the same positions in the finished arrangement
//! propagate  finished entries with value v, a row each  → quiet predecessors, all in one working row of the other side
//! ```
//!
//! A predecessor of a loss wins in n + 1, unless it wins sooner; its count never reaches zero,
//! because the lost position does not lower it. The count of a predecessor of a win falls by one;
//! at zero, the predecessor loses in n + 1, or later if its longest losing capture takes longer. If
//! blocked sides pass, a position whose mover is blocked is the predecessor of the one with the
//! same sets.

use std::sync::atomic::{AtomicU8, Ordering};

use rayon::prelude::*;

use super::half::{Finished, Half, HalfShape, RowTurns, SharedValueSet, ValueSet, Working};
use crate::board::PointSet;
use crate::board::bits::{self, Bits, Kernel, find_bytes};
use crate::board::symmetry::{Symmetry, stabiliser};
use crate::index::Index;
use crate::rules::WithoutTurn;

/// Copies the positions decided with value `v` to the finished arrangement; returns the number of
/// working entries.
pub(crate) fn scatter(half: &mut Half, v: u8) -> u64 {
    let Half {
        working:
            Working {
                shape,
                values,
                counts,
                present,
            },
        finished,
    } = half;
    let columns = shape.columns.count();
    let entries = finished.values.as_atomics();
    values
        .par_chunks(columns)
        .zip(counts.par_chunks(columns))
        .zip(present)
        .enumerate()
        .filter(|(_, (_, present))| present.contains(v))
        .map(|(row, ((values, counts), _))| {
            bits::dispatch(ScatterRow {
                way: Scatter::new(&finished.index, entries, shape.rows.set(row)),
                subsets: &shape.subsets,
                values,
                counts,
                v,
                present: &finished.present,
            })
        })
        .sum()
}

struct ScatterRow<'a> {
    way: Scatter<'a>,
    subsets: &'a [u32],
    values: &'a [u8],
    counts: &'a [u8],
    v: u8,
    /// The values in each finished row.
    present: &'a [SharedValueSet],
}

impl Kernel for ScatterRow<'_> {
    type Output = u64;

    #[inline(always)]
    fn run<B: Bits>(self, bits: B) -> u64 {
        let v = self.v;
        let is_loss = v % 2 == 1;
        let mut decided = 0;
        for (start, places) in find_bytes(bits, self.values, v) {
            for column in places.map(|place| start + place) {
                if is_loss && self.counts[column] != 0 {
                    continue;
                }
                let row = self.way.store(bits, self.subsets[column], v);
                self.present[row].insert(v);
                decided += 1;
            }
        }
        decided
    }
}

/// The way from one working row to the finished arrangement.
pub(crate) struct Scatter<'a> {
    index: &'a Index,
    finished: &'a [AtomicU8],
    free: PointSet,
    /// The images of the row's set.
    turned: [PointSet; Symmetry::COUNT],
}

impl<'a> Scatter<'a> {
    pub(crate) fn new(
        index: &'a Index,
        finished: &'a [AtomicU8],
        waiting: PointSet,
    ) -> Scatter<'a> {
        Scatter {
            index,
            finished,
            free: !waiting,
            turned: std::array::from_fn(|number| Symmetry::numbered(number as u32).apply(waiting)),
        }
    }

    /// Stores the value of the mover's subset at all its entries; returns their row.
    #[inline(always)]
    pub(crate) fn store<B: Bits>(&self, bits: B, subset: u32, v: u8) -> usize {
        let (row, waiting) = self.store_one(bits, subset, v);
        let rows = self.index.rows();
        if rows.is_symmetric(row) {
            let start = row * self.index.columns().count();
            for symmetry in stabiliser(rows.set(row)) {
                let column = self.index.column_with(bits, row, symmetry.apply(waiting));
                self.finished[start + column].store(v, Ordering::Relaxed);
            }
        }
        row
    }

    /// Stores the value of the mover's subset at one of its entries, for [`fill_images`] to copy it to
    /// the others. Returns their row, and the waiting side's set at this one.
    #[inline(always)]
    pub(crate) fn store_one<B: Bits>(&self, bits: B, subset: u32, v: u8) -> (usize, PointSet) {
        let mover = PointSet::from_bits(bits.pdep(subset, self.free.bits()));
        let (row, symmetry) = self.index.rows().find(mover);
        let waiting = self.turned[symmetry.number() as usize];
        let column = self.index.column_with(bits, row, waiting);
        self.finished[row * self.index.columns().count() + column].store(v, Ordering::Relaxed);
        (row, waiting)
    }
}

/// Copies values between the entries of each position, of which at least one has its value and the
/// others have it, too, or 0.
pub(crate) fn fill_images(index: &Index, values: &mut [u8]) {
    let rows = values.par_chunks_mut(index.columns().count()).enumerate();
    let symmetric = rows.filter(|&(row, _)| index.rows().is_symmetric(row));
    symmetric.for_each(|(row, values)| bits::dispatch(FillImages { index, row, values }));
}

struct FillImages<'a> {
    index: &'a Index,
    /// A row with a stabiliser, and its values.
    row: usize,
    values: &'a mut [u8],
}

impl Kernel for FillImages<'_> {
    type Output = ();

    #[inline(always)]
    fn run<B: Bits>(self, bits: B) {
        let FillImages { index, row, values } = self;
        let mover = index.rows().set(row);
        let others: Vec<Symmetry> = stabiliser(mover).skip(1).collect();
        for (column, subset) in index.columns().iter().enumerate() {
            let waiting = PointSet::from_bits(bits.pdep(subset, (!mover).bits()));
            for symmetry in &others {
                let image = index.column_with(bits, row, symmetry.apply(waiting));
                values[column] = values[column].max(values[image]);
            }
        }
    }
}

/// Updates the predecessors, which are in `working`, of the other side's positions finished with
/// value `v`.
pub(crate) fn propagate(finished: &Finished, working: &mut Working, v: u8) {
    let Working {
        shape,
        values,
        counts,
        present,
    } = working;
    let columns = shape.columns.count();
    values
        .par_chunks_mut(columns)
        .zip(counts.par_chunks_mut(columns))
        .zip(present)
        .zip(finished.values.par_chunks(columns).zip(&finished.present))
        .enumerate()
        .filter(|(_, (_, (_, present)))| present.contains(v))
        .for_each(|(row, (((values, counts), present), (decided, _)))| {
            bits::dispatch(PropagateRow {
                shape,
                waiting: shape.rows.set(row),
                decided,
                v,
                values,
                counts,
                present,
            });
        });
}

struct PropagateRow<'a> {
    shape: &'a HalfShape,
    waiting: PointSet,
    /// A finished row, whose columns are those of the working row.
    decided: &'a [u8],
    v: u8,
    values: &'a mut [u8],
    counts: &'a mut [u8],
    present: &'a mut ValueSet,
}

impl Kernel for PropagateRow<'_> {
    type Output = ();

    #[inline(always)]
    fn run<B: Bits>(self, bits: B) {
        match (self.shape.flying, self.shape.without_turn) {
            // A side that flies can always move, unless the board is full.
            (true, _) => self.propagate::<B, true, false>(bits),
            (false, WithoutTurn::Passes) => self.propagate::<B, false, true>(bits),
            (false, _) => self.propagate::<B, false, false>(bits),
        }
    }
}

impl PropagateRow<'_> {
    #[inline(always)]
    fn propagate<B: Bits, const FLYING: bool, const PASSES: bool>(self, bits: B) {
        let PropagateRow {
            shape,
            waiting,
            decided,
            v,
            values,
            counts,
            present,
        } = self;
        let turns = RowTurns::new(bits, shape, waiting);
        let subsets = &shape.subsets;
        let next = v + 1;
        if v % 2 == 1 {
            let mut inform = |origin: usize| {
                let old = values[origin];
                let wins_as_soon = old % 2 == 0 && old.wrapping_sub(1) < next;
                values[origin] = if wins_as_soon { old } else { next };
            };
            for (start, places) in find_bytes(bits, decided, v) {
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
            let mut inform = |origin: usize| {
                counts[origin] -= 1;
                if counts[origin] == 0 {
                    values[origin] = values[origin].max(next);
                    present.insert(values[origin]);
                }
            };
            for (start, places) in find_bytes(bits, decided, v) {
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
