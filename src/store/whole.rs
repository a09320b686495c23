//! Whole tables, as solving, repacking and verification read them.

use std::path::Path;

use rayon::prelude::*;

use super::codec::Coverage;
use super::error::DbError;
use super::pair::PairFile;
use super::table::Table;

impl PairFile {
    /// The path, or the name of an embedded file in errors.
    pub(crate) fn name(&self) -> &Path {
        self.file.container.name()
    }

    /// The entries that the file holds.
    pub(crate) fn coverage(&self) -> &Coverage {
        &self.coverage
    }
}

impl Coverage {
    /// Whether every entry is stored.
    pub fn is_complete(&self) -> bool {
        matches!(self, Coverage::All)
    }
}

impl Table<'_> {
    /// The number of stored rows.
    pub fn stored_rows(self) -> usize {
        self.file.container.rows(self.number)
    }

    /// Decodes a row of the index, zeros where nothing is stored.
    pub fn decode_row(self, row: usize, values: &mut [u8]) -> Result<(), DbError> {
        match self.stored_row(row)? {
            Some(row) => row.decode_all(values),
            None => {
                values.fill(0);
                Ok(())
            }
        }
    }

    /// Decodes all rows of the index, zeros where nothing is stored.
    pub fn load(self, values: &mut [u8]) -> Result<(), DbError> {
        let rows = values.par_chunks_mut(self.index().columns().count());
        let rows = rows.enumerate();
        rows.try_for_each(|(row, values)| self.decode_row(row, values))
    }
}
