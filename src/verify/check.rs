//! The check of one table of value bytes, or its derivation. A fast pass derives the values of all
//! entries. Where one differs from the table, a slow derivation, turn by turn, decides.
//!
//! The fast pass has separate code to find turns and for a mover without a turn. With the solver it
//! shares the board and its mills, the index, and the rules about removable stones and flying; with
//! the solver of tables with stones in hand, the shuffles along placements; with the derivation of
//! omitted values, those along slides, too. The slow derivation
//! uses the rules, `Position::for_each_turn` and `Position::result`; it can only clear an entry that
//! the pass suspects.
//!
//! ```text
//! parent   M to move, O waits     the table to check or to derive: rows of M, columns of O
//! child    O to move, M' waits    after quiet turns: rows of O, columns of M'
//! capture  O - x to move, M'      after turns that close a mill: rows of O - x, columns of M';
//!                                 one table for each number of stones x that a turn removes
//! placed                          the same two kinds of tables after placements, with M + y in place of M'
//! ```
//!
//! A stage of the placing phase has only the last of these, and only its rows of sets that games
//! can reach count.
//!
//! The pass takes the child's rows one by one, see `row`. A row has a fixed set O and holds the
//! values of all positions that quiet turns lead to while O waits. The pass backs up each value to
//! the positions from which a turn leads there, and passes on the best values with their entries in
//! the parent table. A mover that cannot move and passes has the value of the child's entry with
//! its own sets.

use std::io;
use std::sync::atomic::{AtomicU8, Ordering};

use rayon::prelude::*;

use super::report::{Mismatch, Suspects};
use super::row::{CheckedRow, CheckedRowScratch};
use super::turns::{Codes, TableTurns};
use crate::board::bits;
use crate::memory::Bytes;
use crate::solve::pair::fill_images;
use crate::solve::slides::ColumnSlides;

impl TableTurns<'_> {
    /// Calls `found` with at least one entry of each position that games can reach, and with the
    /// code of the value that its turns give, until `enough` returns true. Calls `advance` with the
    /// number of these entries for each finished row of the child table.
    pub fn for_each(
        &self,
        advance: &(dyn Fn(u64) + Sync),
        enough: impl Fn() -> bool + Sync,
        found: impl Fn(usize, u8) + Sync,
    ) {
        let columns = self.child.columns();
        let slides = ColumnSlides::new(columns);
        let possible = self.possible(false);
        let rows = (0..self.child.rows().len()).into_par_iter();
        let rows = rows.filter(|&row| possible.is_none_or(|rows| rows.contains(row)));
        rows.for_each_init(CheckedRowScratch::default, |scratch, row| {
            if enough() {
                return;
            }
            advance(bits::dispatch(CheckedRow {
                turns: self,
                slides: &slides,
                row,
                scratch,
                found: &found,
            }));
        });
    }

    /// Compares a table with the values that its turns give, and returns the mismatches. Calls
    /// `advance` as [`for_each`](Self::for_each) does.
    pub fn compare(&self, values: &[u8], advance: &(dyn Fn(u64) + Sync)) -> Vec<Mismatch> {
        let suspects = Suspects::new(self, values);
        let rows = 0..self.parent.rows().len();
        rows.into_par_iter()
            .for_each(|row| suspects.see_copies(row));
        let enough = || suspects.enough();
        self.for_each(advance, enough, |entry, code| suspects.see(entry, code));
        suspects.into_mismatches()
    }

    /// All values of the table, with wins in 253 turns in place of those in 255, which have no
    /// byte; 0 for entries that no game reaches. Calls `advance` as [`for_each`](Self::for_each)
    /// does.
    pub fn table(&self, advance: &(dyn Fn(u64) + Sync)) -> io::Result<Bytes> {
        let mut values = Bytes::new(self.parent.len())?;
        let entries: &[AtomicU8] = values.as_atomics();
        let store =
            |entry: usize, code| entries[entry].store(Codes::value(code), Ordering::Relaxed);
        self.for_each(advance, || false, store);
        fill_images(&self.parent, &mut values);
        Ok(values)
    }
}
