//! Which positions of a stage are stored, and in which order.
//!
//! A table has the matrix of its [`Index`]: rows are the mover's sets, columns those of the side
//! that waits. Stored are the rows that are [`Reachable`], and in each of them the columns that
//! are. Unpacked, a row has all its columns again.

use super::marked::Marked;
use super::reachable::{Reachable, Stage};
use crate::bits::{self, Bits, Kernel};
use crate::board::{POINTS, PointSet};
use crate::index::{Index, Material, Rows, Subsets};
use crate::symmetry::Symmetry;

/// What an unpacked row has where nothing is stored. No value is deep enough for it.
pub(super) const NOT_STORED: u8 = u8::MAX;

/// The largest value byte that may be stored.
pub(super) const LARGEST_VALUE: u8 = 252;

/// The index of a stage's positions.
pub(super) fn index(stage: Stage) -> Index {
    let mover = stage.mover();
    Index::new(Material {
        mover: stage.stones(mover),
        waiting: stage.stones(mover.other()),
    })
}

/// The stored part of a stage's table.
#[derive(Debug)]
pub(super) struct Layout {
    pub index: Index,
    /// The rows that are stored, ascending.
    rows: Vec<usize>,
    others: Possible,
}

/// Which sets of a side are possible, by their rank among all sets of their size.
#[derive(Debug)]
pub(super) struct Possible {
    ranks: Subsets,
    sets: Marked,
}

impl Possible {
    pub fn new(stones: u8, rows: &Marked) -> Possible {
        let ranks = Subsets::new(POINTS, stones.into());
        let mut sets = Marked::new(ranks.count());
        for set in rows.iter().map(|row| Rows::of(stones).set(row)) {
            for symmetry in Symmetry::all() {
                sets.mark(ranks.rank(symmetry.apply(set).bits()));
            }
        }
        Possible { ranks, sets }
    }

    #[inline(always)]
    pub fn contains(&self, set: PointSet) -> bool {
        self.sets.has(self.ranks.rank(set.bits()))
    }
}

impl Layout {
    pub fn new(reachable: &Reachable, stage: Stage) -> Layout {
        let (mover, waiting) = (stage.mover(), stage.mover().other());
        Layout {
            index: index(stage),
            rows: reachable.rows(stage, mover).iter().collect(),
            others: Possible::new(stage.stones(waiting), reachable.rows(stage, waiting)),
        }
    }

    /// The rows that are stored.
    pub fn rows(&self) -> &[usize] {
        &self.rows
    }

    /// The number of a row among those that are stored.
    pub fn slot(&self, row: usize) -> Option<usize> {
        self.rows.binary_search(&row).ok()
    }

    /// The columns of a row that are stored.
    #[cfg(feature = "build")]
    pub fn columns(&self, row: usize) -> impl Iterator<Item = usize> + '_ {
        let free = !self.index.rows().set(row);
        let subsets = self.index.columns().iter().enumerate();
        let stored = subsets.filter(move |&(_, subset)| {
            let waiting = bits::pdep(subset, free.bits());
            self.others.contains(PointSet::from_bits(waiting))
        });
        stored.map(|(column, _)| column)
    }

    /// Adds the stored values of a row to `packed`.
    #[cfg(feature = "build")]
    pub fn pack(&self, row: usize, values: &[u8], packed: &mut Vec<u8>) {
        bits::dispatch(Pack {
            layout: self,
            row,
            values,
            packed,
        });
    }

    /// Fills a row from its stored values; `false` if they are not as many as they must be, or
    /// too large.
    pub fn unpack(&self, row: usize, packed: &[u8], values: &mut [u8]) -> bool {
        bits::dispatch(Unpack {
            layout: self,
            row,
            packed,
            values,
        })
    }
}

#[cfg(feature = "build")]
struct Pack<'a> {
    layout: &'a Layout,
    row: usize,
    values: &'a [u8],
    packed: &'a mut Vec<u8>,
}

#[cfg(feature = "build")]
impl Kernel for Pack<'_> {
    type Output = ();

    #[inline(always)]
    fn run<B: Bits>(self, bits: B) {
        let free = !self.layout.index.rows().set(self.row);
        for (subset, &value) in self.layout.index.columns().iter().zip(self.values) {
            let waiting = PointSet::from_bits(bits.pdep(subset, free.bits()));
            if self.layout.others.contains(waiting) {
                self.packed.push(value);
            }
        }
    }
}

struct Unpack<'a> {
    layout: &'a Layout,
    row: usize,
    packed: &'a [u8],
    values: &'a mut [u8],
}

impl Kernel for Unpack<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<B: Bits>(self, bits: B) -> bool {
        let free = !self.layout.index.rows().set(self.row);
        let mut packed = self.packed.iter();
        let mut complete = true;
        for (subset, value) in self.layout.index.columns().iter().zip(self.values) {
            let waiting = PointSet::from_bits(bits.pdep(subset, free.bits()));
            *value = NOT_STORED;
            if self.layout.others.contains(waiting) {
                match packed.next() {
                    Some(&stored) if stored <= LARGEST_VALUE => *value = stored,
                    _ => complete = false,
                }
            }
        }
        complete && packed.next().is_none()
    }
}
