//! Sectors with all their values, one after the other.

use std::cmp::Reverse;

use rayon::prelude::*;

use super::sector::Sector;
use super::slots::Slots;
use super::tables::Sectors;
use crate::board::PointSet;
use crate::index::stages::Stage;
use crate::memory::Bytes;
use crate::solve::Loader;
use crate::store::DbError;

/// The sectors of a list, made one after the other. See [`Sectors::walk`].
pub struct Walk<'a> {
    loader: Loader<&'a Sectors>,
    /// The remaining ones, the next one at the end.
    left: Vec<Sector>,
}

/// A sector with all its values.
pub struct SectorValues<'a> {
    pub(super) sectors: &'a Sectors,
    sector: Sector,
    pub(super) slots: Slots,
    pub(super) values: Bytes,
    /// The stage of a sector of the placing phase.
    pub(super) stage: Option<Stage>,
}

impl Sectors {
    /// These sectors with all their values, one after the other, ordered so that a table from which
    /// several are derived is made once. This takes up to 3 GB of memory for the largest.
    ///
    /// # Errors
    ///
    /// As for [`Sectors::check`], for any of them.
    pub fn walk(&self, sectors: &[Sector]) -> Result<Walk<'_>, DbError> {
        let mut wanted = sectors.to_vec();
        // Pairs after those that their captures lead to; then the placing phase, its end first, in an
        // order in which the table that captures of one stage lead to is the next one's.
        wanted.sort_by_key(|sector| {
            let [mover, waiting, hand, other_hand] = sector.numbers();
            match hand + other_hand {
                0 => (
                    0,
                    mover + waiting,
                    Reverse(mover.max(waiting)),
                    Reverse(mover),
                ),
                in_hand => (in_hand, 0, Reverse(mover), Reverse(waiting)),
            }
        });
        wanted.dedup();
        let loader = Loader::new(self, &wanted)?;
        wanted.reverse();
        Ok(Walk {
            loader,
            left: wanted,
        })
    }
}

impl<'a> Iterator for Walk<'a> {
    type Item = Result<SectorValues<'a>, DbError>;

    fn next(&mut self) -> Option<Self::Item> {
        let (sector, sectors) = (self.left.pop()?, self.loader.recipe);
        let values = self.loader.load(sector);
        Some(values.and_then(|values| {
            Ok(SectorValues {
                sectors,
                sector,
                slots: Slots::new(sector, sectors.scheme()),
                values,
                stage: sectors.stage(sector)?,
            })
        }))
    }
}

impl SectorValues<'_> {
    /// The approximate number of bytes made at once.
    const PART: usize = 4 << 20;

    /// The sector.
    pub fn sector(&self) -> Sector {
        self.sector
    }

    /// The number of rows that are about as long as a part.
    pub(super) fn rows_at_once(&self) -> usize {
        (SectorValues::PART / (self.slots.columns() * Sector::SLOT as usize)).max(1)
    }

    /// Whether there is a value for a slot; the others, which no game can reach, are 0.
    pub(super) fn has_value(&self, row: usize, waiting: impl FnOnce() -> PointSet) -> bool {
        self.stage.is_none_or(|stage| {
            let (sets, mover) = (self.sectors.stage_sets(), stage.mover());
            sets.rows(stage, mover).contains(row) && sets.contains(stage, mover.other(), waiting())
        })
    }

    /// Passes the bytes of the file to `take`, part by part.
    ///
    /// # Errors
    ///
    /// Those of `take`.
    pub fn parts<E>(&self, mut take: impl FnMut(Vec<u8>) -> Result<(), E>) -> Result<(), E> {
        let columns = self.slots.columns();
        let width = columns * Sector::SLOT as usize;
        let rows = self.rows_at_once();
        let mut part = Slots::header().to_vec();
        for (first, values) in self.values.chunks(rows * columns).enumerate() {
            let head = part.len();
            part.resize(head + values.len() * Sector::SLOT as usize, 0);
            let pairs = part[head..]
                .par_chunks_mut(width)
                .zip(values.par_chunks(columns));
            pairs.enumerate().for_each(|(row, (out, values))| {
                self.slots.write_row(first * rows + row, values, out);
            });
            take(std::mem::take(&mut part))?;
        }
        part.resize(part.len() + Sector::TAIL as usize, 0);
        take(part)
    }
}
