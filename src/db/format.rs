//! The header of a file: its fields, their checks and their bytes. docs/FORMAT.md is the same for
//! other programs.

use std::path::Path;

use super::codec::{Effort, Stored};
use super::error::DbError;
use super::fields::{CHECKSUM, Fields};
use super::profile::Contents;
use crate::histogram::Histogram;
use crate::index::{Material, Pair};

#[cfg(feature = "build")]
pub(super) use super::fields::with_checksum;
pub(super) use super::fields::{checked, checksum};

/// The version of the format that is written and read here.
pub(super) const VERSION: u32 = 2;

/// The first bytes of every file. The first is no text, and the last is changed by what changes
/// line ends.
const MAGIC: [u8; 8] = *b"\x8eMILLDB\n";

/// Bytes of the fields in front of the histograms, and of a histogram.
const PREFIX: usize = 44;
const HISTOGRAM: usize = 256 * 8;

/// Where the prefix has the pair, and which entries are stored.
pub(super) const PAIR_OFFSET: u64 = 16;
pub(super) const STORED_OFFSET: u64 = 19;

/// The length of the longest header.
pub(super) const MOST_HEADER: usize = PREFIX + 2 * HISTOGRAM + CHECKSUM;

/// Bytes of a row's fields: where the row begins, and its checksum.
pub(super) const ROW: usize = 8 + CHECKSUM;

/// What the header says, checked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Header {
    /// The fingerprint of the rules.
    pub rules: u64,
    pub pair: Pair,
    pub contents: Contents,
    pub stored: Stored,
    pub effort: Effort,
    /// The length of the whole file in bytes.
    pub file_length: u64,
    /// The length of the model in bytes.
    pub model_length: u32,
    /// In the order of [`Pair::tables`].
    pub histograms: Vec<Histogram>,
}

/// The table of which a file has the values: the larger side moves.
pub(super) fn stored_table(pair: Pair) -> Material {
    Material {
        mover: pair.larger(),
        waiting: pair.smaller(),
    }
}

/// How long the header of a pair's file is, which is where the model lies.
fn header_length(pair: Pair) -> usize {
    PREFIX + pair.tables().len() * HISTOGRAM + CHECKSUM
}

impl Header {
    /// Where the model lies, and where its checksum ends.
    pub fn model(&self) -> std::ops::Range<u64> {
        let start = header_length(self.pair) as u64;
        start..start + u64::from(self.model_length) + CHECKSUM as u64
    }

    /// Where the fields of a row lie.
    pub fn row(&self, row: usize) -> u64 {
        self.model().end + (row * ROW) as u64
    }

    /// The header's bytes.
    #[cfg(feature = "build")]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(MOST_HEADER);
        bytes.extend(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((header_length(self.pair) as u32).to_le_bytes());
        bytes.extend([self.pair.larger(), self.pair.smaller()]);
        bytes.extend([self.contents.number(), stored_number(self.stored)]);
        bytes.extend(self.effort.columns.to_le_bytes());
        bytes.extend([self.effort.near, self.effort.slides]);
        bytes.extend(self.rules.to_le_bytes());
        bytes.extend(self.file_length.to_le_bytes());
        bytes.extend(self.model_length.to_le_bytes());
        for histogram in &self.histograms {
            bytes.extend(
                histogram
                    .counts()
                    .iter()
                    .flat_map(|count| count.to_le_bytes()),
            );
        }
        with_checksum(bytes)
    }

    /// Reads and checks the header of a file with this length from its first bytes, as many as
    /// [`MOST_HEADER`] or all. `name` is the file's, for errors.
    pub fn parse(bytes: &[u8], file_length: u64, name: &Path) -> Result<Header, DbError> {
        let mut fields = Fields { bytes, at: 0, name };
        fields.expect("the mark of a database", MAGIC)?;
        let version = u32::from_le_bytes(fields.take()?);
        if version != VERSION {
            let file = name.to_path_buf();
            return Err(DbError::OtherVersion { file, version });
        }
        fields.check_sum()?;
        let header = fields.header()?;
        if file_length == header.file_length {
            Ok(header)
        } else {
            let expected = header.file_length;
            let what = format!("the file has {file_length} bytes instead of {expected}");
            Err(DbError::corrupt(name, file_length.min(expected), what))
        }
    }
}

/// The numbers of the kinds of tables.
const STORED: [Stored; 3] = [Stored::All, Stored::EvenOrClosing, Stored::Even];

#[cfg(feature = "build")]
fn stored_number(stored: Stored) -> u8 {
    let number = STORED.iter().position(|&other| other == stored);
    number.unwrap_or_default() as u8
}

impl Fields<'_> {
    /// The next field, one byte that is the number of a thing.
    fn numbered<T: Copy>(&mut self, what: &str, things: &[T]) -> Result<T, DbError> {
        let at = self.at;
        let [number] = self.take()?;
        let thing = things.get(usize::from(number));
        thing
            .copied()
            .ok_or_else(|| self.corrupt(at, format!("{number} is no {what}")))
    }

    /// Takes the header's length, checks the header's checksum, and leaves the header without it.
    fn check_sum(&mut self) -> Result<(), DbError> {
        let length = u32::from_le_bytes(self.take()?) as usize;
        let Some(header) = self.bytes.get(..length) else {
            let what = format!("the header has {length} bytes, which are not there");
            return Err(self.corrupt(self.bytes.len(), what));
        };
        let Some(fields) = checked(header) else {
            let what = "the header does not have the checksum that is written behind it";
            return Err(self.corrupt(length.saturating_sub(CHECKSUM), what));
        };
        self.bytes = fields;
        Ok(())
    }

    /// The fields behind the header's length.
    fn header(&mut self) -> Result<Header, DbError> {
        let at = self.at;
        let [larger, smaller] = self.take()?;
        let Some(pair) = Pair::new(larger, smaller).filter(|_| larger >= smaller) else {
            return Err(self.corrupt(at, format!("{larger}-{smaller} is no pair")));
        };
        let contents = self.numbered("kind of contents", &Contents::ALL)?;
        let stored = self.numbered("kind of table", &STORED)?;
        let at = self.at;
        let columns = u16::from_le_bytes(self.take()?);
        let [near, slides] = self.take()?;
        let effort = Effort {
            columns,
            near,
            slides,
        };
        if !effort.is_known() {
            return Err(self.corrupt(at, "the blocks are made in a way that is not known"));
        }
        let rules = u64::from_le_bytes(self.take()?);
        let file_length = u64::from_le_bytes(self.take()?);
        let model_length = u32::from_le_bytes(self.take()?);
        let tables = pair.tables().into_iter();
        let histograms = tables
            .map(|material| self.histogram(material))
            .collect::<Result<Vec<_>, _>>()?;
        let surplus = self.bytes.len() - self.at;
        if surplus > 0 {
            let what = format!("{surplus} bytes too many are in the header");
            return Err(self.corrupt(self.at, what));
        }
        Ok(Header {
            rules,
            pair,
            contents,
            stored,
            effort,
            file_length,
            model_length,
            histograms,
        })
    }

    fn histogram(&mut self, material: Material) -> Result<Histogram, DbError> {
        let at = self.at;
        let counts = self.counts()?;
        let positions = counts
            .iter()
            .try_fold(0u64, |sum, &count| sum.checked_add(count));
        match positions {
            Some(positions) if positions <= material.entries() => {
                Ok(Histogram::from_counts(counts))
            }
            _ => {
                let what = "the histogram counts more positions than the table has entries";
                Err(self.corrupt(at, what))
            }
        }
    }
}
