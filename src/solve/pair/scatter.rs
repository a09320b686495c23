//! The first pass of a depth: copies the positions that it decides to the finished arrangement.

use std::sync::atomic::{AtomicU8, Ordering};

use rayon::prelude::*;

use super::half::{Half, Working};
use crate::board::PointSet;
use crate::board::bits::{self, Bits, Kernel, find_bytes};
use crate::board::symmetry::{Symmetry, stabiliser};
use crate::index::{Index, RowPlace};

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
                ..
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
                latest: &finished.latest,
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
    /// The value that each finished row got last.
    latest: &'a [AtomicU8],
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
                // Most rows have it already. A byte that nobody writes stays in the caches of all
                // threads.
                if self.latest[row].load(Ordering::Relaxed) != v {
                    self.latest[row].store(v, Ordering::Relaxed);
                }
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
            turned: Symmetry::images(waiting),
        }
    }

    /// Stores the value of the mover's subset at all its entries; returns their row.
    #[inline(always)]
    pub(crate) fn store<B: Bits>(&self, bits: B, subset: u32, v: u8) -> usize {
        let rows = self.index.rows();
        let (place, waiting) = self.store_one(bits, subset, v);
        let row = place.row();
        if place.is_symmetric() {
            let start = row * self.index.columns().count();
            for symmetry in stabiliser(rows.set(row)) {
                let column = self.index.column_with(bits, row, symmetry.apply(waiting));
                self.finished[start + column].store(v, Ordering::Relaxed);
            }
        }
        row
    }

    /// Stores the value of the mover's subset at one of its entries, for [`fill_images`] to copy it
    /// to the others. Returns the place of the mover's set, and the waiting side's set at the
    /// entry.
    #[inline(always)]
    pub(crate) fn store_one<B: Bits>(&self, bits: B, subset: u32, v: u8) -> (RowPlace, PointSet) {
        let mover = PointSet::from_bits(bits.pdep(subset, self.free.bits()));
        let place = self.index.rows().place(mover);
        let waiting = self.turned[place.symmetry().number() as usize];
        let column = self.index.column_with(bits, place.row(), waiting);
        let entry = place.row() * self.index.columns().count() + column;
        self.finished[entry].store(v, Ordering::Relaxed);
        (place, waiting)
    }
}

/// Copies the value of each position to all its entries. At least one entry has it; the others have
/// it or 0.
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
