//! The header of a ply's file: its fields, their checks and their bytes. docs/FORMAT.md is the same
//! for other programs.

use std::path::Path;

use super::codec::CODEC;
use super::reachable::{Reachable, Stage};
use crate::db::DbError;
#[cfg(feature = "build")]
use crate::db::fields::with_checksum;
use crate::db::fields::{CHECKSUM, Fields, checked};
use crate::histogram::Histogram;
use crate::rules::Rules;

pub(super) use crate::db::fields::checksum;

/// The version of the format that is written and read here.
pub(super) const VERSION: u32 = 1;

/// The first bytes of every file. The first is no text, and the last is changed by what changes
/// line ends.
const MAGIC: [u8; 8] = *b"\x8eMILLPL\n";

/// Bytes in front of the first table's fields.
pub(super) const PREFIX: usize = 28;

/// Bytes of a table's fields in front of its rows, and of a row's fields.
const TABLE: usize = 2 + 4 + 256 * 8;
const ROW: usize = 4 + 8;

/// What the header says, checked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Header {
    pub ply: u8,
    /// In the order of [`Reachable::stages_of`].
    pub tables: Vec<TableHeader>,
}

/// What the header says of one table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct TableHeader {
    pub stage: Stage,
    /// Of the distinct positions that are stored.
    pub histogram: Histogram,
    /// The rows that are stored.
    pub rows: Vec<RowBytes>,
}

/// Where one row's bytes lie in the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct RowBytes {
    pub offset: u64,
    pub length: u32,
    /// Of the bytes in the file.
    pub checksum: u64,
}

/// How many rows of a stage's table are stored.
fn row_count(reachable: &Reachable, stage: Stage) -> usize {
    reachable.rows(stage, stage.mover()).len()
}

/// How long the header of a ply's file is, which is where the first row lies.
pub(super) fn header_length(reachable: &Reachable, ply: u8) -> usize {
    let table = |stage| TABLE + ROW * row_count(reachable, stage);
    PREFIX + reachable.stages_of(ply).map(table).sum::<usize>() + CHECKSUM
}

impl Header {
    /// The header's bytes.
    #[cfg(feature = "build")]
    pub fn to_bytes(&self, rules: &Rules, reachable: &Reachable) -> Vec<u8> {
        let length = header_length(reachable, self.ply);
        let mut bytes = Vec::with_capacity(length);
        bytes.extend(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((length as u32).to_le_bytes());
        bytes.extend(rules.fingerprint().to_le_bytes());
        bytes.extend([rules.stones, self.ply, self.tables.len() as u8, CODEC]);
        for table in &self.tables {
            bytes.extend([table.stage.white_lost, table.stage.black_lost]);
            bytes.extend((table.rows.len() as u32).to_le_bytes());
            for count in table.histogram.counts() {
                bytes.extend(count.to_le_bytes());
            }
            for row in &table.rows {
                bytes.extend(row.length.to_le_bytes());
                bytes.extend(row.checksum.to_le_bytes());
            }
        }
        with_checksum(bytes)
    }

    /// How long the header is, from the first [`PREFIX`] bytes of a file with `size` bytes.
    pub fn length(prefix: &[u8], size: u64, name: &Path) -> Result<usize, DbError> {
        let mut fields = Fields {
            bytes: prefix,
            at: 0,
            name,
        };
        fields.expect("the mark of a placing database", MAGIC)?;
        let version = u32::from_le_bytes(fields.take()?);
        if version != VERSION {
            let file = name.to_path_buf();
            return Err(DbError::OtherVersion { file, version });
        }
        let at = fields.at as u64;
        let length = u32::from_le_bytes(fields.take()?);
        if u64::from(length) > size || (length as usize) < PREFIX + CHECKSUM {
            let what = format!("the header cannot have {length} bytes, as the file has {size}");
            return Err(DbError::corrupt(name, at, what));
        }
        Ok(length as usize)
    }

    /// Reads and checks a header of the right length. `name` is the file's, for errors.
    pub fn parse(
        header: &[u8],
        rules: &Rules,
        reachable: &Reachable,
        ply: u8,
        name: &Path,
    ) -> Result<Header, DbError> {
        let Some(fields) = checked(header) else {
            let what = "the header does not have the checksum that is written behind it";
            let at = header.len().saturating_sub(CHECKSUM);
            return Err(DbError::corrupt(name, at as u64, what));
        };
        let mut fields = Fields {
            bytes: fields,
            at: 16,
            name,
        };
        let fingerprint = u64::from_le_bytes(fields.take()?);
        let [stones] = fields.take()?;
        if fingerprint != rules.fingerprint() || stones != rules.stones {
            let same = |(_, other): &&(&str, Rules)| {
                other.fingerprint() == fingerprint && other.stones == stones
            };
            let found = Rules::NAMED.iter().find(same);
            return Err(DbError::OtherRules {
                file: name.to_path_buf(),
                rules: *rules,
                found: found.map(|&(name, _)| name),
            });
        }
        fields.expect("the number of turns", [ply])?;
        let stages: Vec<Stage> = reachable.stages_of(ply).collect();
        fields.expect("the number of tables", [stages.len() as u8])?;
        fields.expect("the codec", [CODEC])?;
        let mut offset = header_length(reachable, ply) as u64;
        let tables = stages
            .into_iter()
            .map(|stage| fields.table(stage, row_count(reachable, stage), &mut offset))
            .collect::<Result<Vec<_>, _>>()?;
        match fields.bytes.len() - fields.at {
            0 => Ok(Header { ply, tables }),
            surplus => {
                let what = format!("{surplus} bytes too many are in the header");
                Err(DbError::corrupt(name, fields.at as u64, what))
            }
        }
    }

    /// Where the file ends.
    pub fn end(&self, reachable: &Reachable) -> u64 {
        let last = self.tables.iter().flat_map(|table| &table.rows).last();
        last.map_or(header_length(reachable, self.ply) as u64, |row| {
            row.offset + u64::from(row.length)
        })
    }
}

impl Fields<'_> {
    /// One table's fields; `offset` moves over the table's rows.
    fn table(
        &mut self,
        stage: Stage,
        rows: usize,
        offset: &mut u64,
    ) -> Result<TableHeader, DbError> {
        let lost = [stage.white_lost, stage.black_lost];
        self.expect("the numbers of stones lost", lost)?;
        self.expect("the number of rows", (rows as u32).to_le_bytes())?;
        let at = self.at;
        let counts = self.counts()?;
        let mut positions = 0u64;
        if counts.iter().any(|&count| {
            let (sum, overflow) = positions.overflowing_add(count);
            positions = sum;
            overflow
        }) {
            let what = "the histogram counts more positions than there can be";
            return Err(self.corrupt(at, what));
        }
        let mut row = || {
            let length = u32::from_le_bytes(self.take()?);
            let checksum = u64::from_le_bytes(self.take()?);
            let row = RowBytes {
                offset: *offset,
                length,
                checksum,
            };
            *offset += u64::from(length);
            Ok(row)
        };
        Ok(TableHeader {
            stage,
            histogram: Histogram::from_counts(counts),
            rows: (0..rows).map(|_| row()).collect::<Result<_, _>>()?,
        })
    }
}
