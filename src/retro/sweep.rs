//! The sweep by depth: positions that are decided at a depth inform their predecessors.
//!
//! At depth n, value byte v = n + 1, two passes for each side to move:
//!
//! ```text
//! scatter    working entries with value v, decided      → the same positions in the finished arrangement
//! propagate  finished entries with value v, a row each  → quiet predecessors, all in one working row of the other side
//! ```
//!
//! A predecessor of a loss wins in n + 1, unless it wins sooner; its count never reaches zero, since the lost position
//! does not lower it. A predecessor of a win has one count less, and with none left it loses in n + 1, or later if its
//! longest losing capture takes longer.

use std::sync::atomic::{AtomicU8, Ordering};

use rayon::prelude::*;

use super::half::{Half, RowTurns, SharedValueSet, ValueSet};
use crate::bits::{self, Bits, Kernel, find_bytes};
use crate::board::PointSet;
use crate::index::{Index, Subsets};
use crate::rules::Rules;
use crate::symmetry::{Symmetry, stabiliser};

/// Copies the positions decided with value `v` to the finished arrangement; returns the number of working entries.
pub(super) fn scatter(half: &mut Half, v: u8) -> u64 {
    let Half {
        index,
        rows,
        columns,
        subsets,
        values,
        counts,
        present,
        finished,
        finished_present,
    } = half;
    let length = columns.count();
    let finished = finished.as_atomics();
    values
        .par_chunks(length)
        .zip(counts.par_chunks(length))
        .zip(present.par_iter())
        .enumerate()
        .filter(|(_, (_, present))| present.contains(v))
        .map(|(row, ((values, counts), _))| {
            bits::dispatch(ScatterRow {
                index,
                waiting: rows.set(row),
                subsets,
                values,
                counts,
                v,
                finished,
                finished_present,
            })
        })
        .sum()
}

struct ScatterRow<'a> {
    index: &'a Index,
    waiting: PointSet,
    subsets: &'a [u32],
    values: &'a [u8],
    counts: &'a [u8],
    v: u8,
    finished: &'a [AtomicU8],
    finished_present: &'a [SharedValueSet],
}

impl Kernel for ScatterRow<'_> {
    type Output = u64;

    #[inline(always)]
    fn run<B: Bits>(self, bits: B) -> u64 {
        let v = self.v;
        let is_loss = v % 2 == 1;
        let scatter = Scatter::new(self.index, self.finished, self.waiting);
        let mut decided = 0;
        for (start, places) in find_bytes(bits, self.values, v) {
            for column in places.map(|place| start + place) {
                if is_loss && self.counts[column] != 0 {
                    continue;
                }
                let row = scatter.store(bits, self.subsets[column], v);
                self.finished_present[row].insert(v);
                decided += 1;
            }
        }
        decided
    }
}

/// The way from one working row to the finished arrangement.
pub(super) struct Scatter<'a> {
    index: &'a Index,
    finished: &'a [AtomicU8],
    free: PointSet,
    /// The images of the row's set.
    turned: [PointSet; Symmetry::COUNT],
}

impl<'a> Scatter<'a> {
    pub(super) fn new(
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
    pub(super) fn store<B: Bits>(&self, bits: B, subset: u32, v: u8) -> usize {
        let rows = self.index.rows();
        let mover = PointSet::from_bits(bits.pdep(subset, self.free.bits()));
        let (row, symmetry) = rows.find(mover);
        let waiting = self.turned[symmetry.number() as usize];
        let columns = self.index.columns().count();
        let finished = &self.finished[row * columns..][..columns];
        finished[self.index.column_with(bits, row, waiting)].store(v, Ordering::Relaxed);
        if rows.is_symmetric(row) {
            for symmetry in stabiliser(rows.set(row)) {
                let column = self.index.column_with(bits, row, symmetry.apply(waiting));
                finished[column].store(v, Ordering::Relaxed);
            }
        }
        row
    }
}

/// Informs the predecessors, positions of `before`, of the positions finished with value `v` in `decided`.
pub(super) fn propagate(rules: &Rules, decided: &Half, before: &mut Half, v: u8) {
    let finished = Finished {
        values: &decided.finished,
        present: &decided.finished_present,
    };
    let Half {
        index,
        rows,
        columns,
        subsets,
        values,
        counts,
        present,
        ..
    } = before;
    let working = Working {
        flying: rules.flies(index.material().mover.into()),
        rows,
        columns,
        subsets,
    };
    propagate_between(rules, &finished, &working, values, counts, present, v);
}

/// [`propagate`] within the one half of a pair with equal sides.
pub(super) fn propagate_within(rules: &Rules, half: &mut Half, v: u8) {
    let Half {
        index,
        rows,
        columns,
        subsets,
        values,
        counts,
        present,
        finished,
        finished_present,
    } = half;
    let finished = Finished {
        values: finished,
        present: finished_present,
    };
    let working = Working {
        flying: rules.flies(index.material().mover.into()),
        rows,
        columns,
        subsets,
    };
    propagate_between(rules, &finished, &working, values, counts, present, v);
}

struct Finished<'a> {
    values: &'a [u8],
    present: &'a [SharedValueSet],
}

struct Working<'a> {
    flying: bool,
    rows: &'static crate::index::Rows,
    columns: &'a Subsets,
    subsets: &'a [u32],
}

fn propagate_between(
    rules: &Rules,
    finished: &Finished<'_>,
    working: &Working<'_>,
    values: &mut [u8],
    counts: &mut [u8],
    present: &mut [ValueSet],
    v: u8,
) {
    let length = working.columns.count();
    values
        .par_chunks_mut(length)
        .zip(counts.par_chunks_mut(length))
        .zip(present.par_iter_mut())
        .zip(finished.values.par_chunks(length).zip(finished.present))
        .enumerate()
        .filter(|(_, (_, (_, present)))| present.load().contains(v))
        .for_each(|(row, (((values, counts), present), (decided, _)))| {
            bits::dispatch(PropagateRow {
                rules,
                working,
                waiting: working.rows.set(row),
                decided,
                v,
                values,
                counts,
                present,
            });
        });
}

struct PropagateRow<'a> {
    rules: &'a Rules,
    working: &'a Working<'a>,
    waiting: PointSet,
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
        if self.working.flying {
            self.propagate::<B, true>(bits);
        } else {
            self.propagate::<B, false>(bits);
        }
    }
}

impl PropagateRow<'_> {
    #[inline(always)]
    fn propagate<B: Bits, const FLYING: bool>(self, bits: B) {
        let PropagateRow {
            rules,
            working,
            waiting,
            decided,
            v,
            values,
            counts,
            present,
        } = self;
        let turns = RowTurns::new(bits, rules, working.columns, waiting);
        let subsets = working.subsets;
        let next = v + 1;
        if v % 2 == 1 {
            for (start, places) in find_bytes(bits, decided, v) {
                for column in places.map(|place| start + place) {
                    for origin in turns.quiet_origins::<B, FLYING>(bits, subsets[column]) {
                        let old = values[origin];
                        let wins_as_soon = old % 2 == 0 && old.wrapping_sub(1) < next;
                        values[origin] = if wins_as_soon { old } else { next };
                    }
                }
            }
            present.insert(next);
        } else {
            for (start, places) in find_bytes(bits, decided, v) {
                for column in places.map(|place| start + place) {
                    for origin in turns.quiet_origins::<B, FLYING>(bits, subsets[column]) {
                        counts[origin] -= 1;
                        if counts[origin] == 0 {
                            values[origin] = values[origin].max(next);
                            present.insert(values[origin]);
                        }
                    }
                }
            }
        }
    }
}
