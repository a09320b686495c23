//! The value of a position from the files: read where a file holds it, and otherwise derived by one
//! turn of search.

use super::cache::Lacks;
use super::database::{Database, slot};
use super::error::DbError;
use super::profile::Contents;
use super::table::{PairFile, Row, Table};
use crate::board::PointSet;
use crate::index::Material;
use crate::position::Position;
use crate::symmetry::Symmetry;
use crate::turns::{left_after_removals, moves};
use crate::value::Value;

impl Database {
    /// The value byte of a position in which the mover has a turn or is blocked.
    pub(super) fn byte(
        &self,
        mover: PointSet,
        waiting: PointSet,
        contents: Contents,
    ) -> Result<u8, DbError> {
        let file = self.file_of(Material::of(mover, waiting))?;
        if file.holds(mover, waiting) {
            FoundRow::new(self, file, mover, contents)?.byte(waiting)
        } else {
            self.derived(mover, waiting, contents)
        }
    }

    /// The value byte of a position that no file holds.
    fn derived(
        &self,
        mover: PointSet,
        waiting: PointSet,
        contents: Contents,
    ) -> Result<u8, DbError> {
        let kind = contents as u8;
        if let Some(byte) = self.values.get(kind, mover, waiting) {
            return Ok(byte);
        }
        let value = contents.of_value(self.best_turn(mover, waiting, contents)?);
        let Some(byte) = value.to_byte() else {
            let what = "a value is too deep for these rules".to_string();
            return Err(DbError::NotStored(what));
        };
        self.values.insert(kind, mover, waiting, byte);
        Ok(byte)
    }

    /// The value of the mover's best turn; without a turn, what the game's end is worth.
    ///
    /// Quiet turns lead to one row, that of the side that waits; captures to one row for each set of
    /// stones that may be removed.
    fn best_turn(
        &self,
        mover: PointSet,
        waiting: PointSet,
        contents: Contents,
    ) -> Result<Value, DbError> {
        let rules = self.rules();
        let position = Position::moving(mover, waiting);
        if let Some(result) = position.result(rules) {
            return Ok(result);
        }
        // The sets that the mover can come to, by how many removals they earn.
        let mut sets: [Vec<PointSet>; 4] = Default::default();
        sets[0].reserve(32);
        for (set, mills) in moves(mover, waiting, rules) {
            sets[usize::from(rules.removals(mills)) % 4].push(set);
        }
        if sets.iter().all(Vec::is_empty) {
            // The mover passes.
            sets[0].push(mover);
        }
        let mut best = Value::LOST;
        let mut consider = |byte| best = best.max(Value::from_byte(byte).before());
        for (earned, sets) in (0..).zip(&sets) {
            if sets.is_empty() {
                continue;
            }
            for left in left_after_removals(waiting, earned, rules) {
                if left.len() < crate::rules::FEWEST_STONES.into() {
                    return Ok(Value::LOST.before());
                }
                self.bytes(left, sets, contents, &mut consider)?;
            }
        }
        Ok(best)
    }

    /// The value bytes of the positions with this mover and each of these waiting sets, all of the
    /// same size, in some order.
    fn bytes(
        &self,
        mover: PointSet,
        waiting: &[PointSet],
        contents: Contents,
        found: &mut impl FnMut(u8),
    ) -> Result<(), DbError> {
        let file = self.file_of(Material::of(mover, waiting[0]))?;
        let mut row = None;
        let mut columns = Vec::with_capacity(waiting.len());
        for &set in waiting {
            if file.holds(mover, set) {
                let row = match &mut row {
                    Some(row) => row,
                    None => row.insert(FoundRow::new(self, file, mover, contents)?),
                };
                columns.push(row.column(set));
            } else {
                found(self.derived(mover, set, contents)?);
            }
        }
        if let Some(row) = &mut row {
            // The last column of a block first: decoding it decodes those before.
            columns.sort_unstable_by(|a, b| b.cmp(a));
            let shape = &row.table.shape;
            for columns in columns.chunk_by(|&a, &b| shape.block_of(a) == shape.block_of(b)) {
                row.bytes_at(columns, found)?;
            }
        }
        Ok(())
    }
}

/// The row of a mover's set, read only if the cache lacks one of its blocks.
struct FoundRow<'a> {
    db: &'a Database,
    file: &'a PairFile,
    table: &'a Table,
    number: usize,
    /// Turns the mover's set into the row's.
    symmetry: Symmetry,
    contents: Contents,
    read: Option<Row<'a>>,
}

impl<'a> FoundRow<'a> {
    fn new(
        db: &'a Database,
        file: &'a PairFile,
        mover: PointSet,
        contents: Contents,
    ) -> Result<FoundRow<'a>, DbError> {
        if contents == Contents::Depths && file.contents() == Contents::Wdl {
            return Err(DbError::NoDepths { pair: file.pair() });
        }
        let table = file.table()?;
        let (number, symmetry) = table.index.rows().find(mover);
        Ok(FoundRow {
            db,
            file,
            table,
            number,
            symmetry,
            contents,
            read: None,
        })
    }

    fn column(&self, waiting: PointSet) -> usize {
        let waiting = self.symmetry.apply(waiting);
        self.table.index.column(self.number, waiting)
    }

    fn byte(&mut self, waiting: PointSet) -> Result<u8, DbError> {
        let mut found = 0;
        self.bytes_at(&[self.column(waiting)], &mut |byte| found = byte)?;
        Ok(found)
    }

    /// Tells the value bytes of columns of one block that the file holds, the last column first.
    fn bytes_at(&mut self, columns: &[usize], found: &mut impl FnMut(u8)) -> Result<(), DbError> {
        let shape = &self.table.shape;
        let block = shape.block_of(columns[0]);
        let all = shape.columns_of(block);
        let place = columns[0] - all.start;
        let numbers = [slot(self.file.pair()), self.number, block];
        let key = numbers
            .iter()
            .fold(0, |key, &number| key << 24 | number as u64);
        let contents = self.contents;
        let mut tell = |values: &[u8]| {
            let bytes = columns.iter().map(|column| values[column - all.start]);
            bytes.for_each(|byte| found(contents.of_byte(byte)));
        };
        let length = match self.db.blocks.read(key, place, &mut tell) {
            Ok(()) => return Ok(()),
            Err(Lacks::Rest) => all.len(),
            Err(Lacks::All) => place + 1,
        };
        let mut values = vec![0; length].into_boxed_slice();
        let row = match &self.read {
            Some(row) => row,
            None => self.read.insert(self.file.row(self.number)?),
        };
        row.decode(block, &mut values)?;
        tell(&values);
        self.db.blocks.insert(key, values);
        Ok(())
    }
}
