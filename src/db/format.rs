//! The header of a file: its fields, their checks and their bytes. docs/FORMAT.md is the same for
//! other programs.

use std::ops::Range;
use std::path::Path;

use xxhash_rust::xxh3::xxh3_64;

use super::codec::CODEC;
use super::error::DbError;
use crate::histogram::Histogram;
use crate::index::{Material, Pair};

/// The version of the format that is written and read here.
pub(super) const VERSION: u32 = 1;

/// How many values a block holds; the last of a table may hold fewer.
pub(super) const BLOCK_SIZE: usize = 1 << 16;

/// The first bytes of every file. The first is no text, and the last is changed by what changes
/// line ends.
const MAGIC: [u8; 8] = *b"\x8eMILLDB\n";

/// Bytes in front of the first table's fields, and of a checksum.
const PREFIX: usize = 32;
const CHECKSUM: usize = 8;

/// Where the prefix has the pair.
pub(super) const PAIR_OFFSET: u64 = 24;

/// Bytes of a table's fields in front of its blocks, and of a block's fields.
const TABLE: usize = 1 + 1 + 8 + 4 + 256 * 8;
const BLOCK: usize = 4 + 8;

/// What the header says, checked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Header {
    /// The fingerprint of the rules.
    pub rules: u64,
    pub pair: Pair,
    /// In the order of [`Pair::tables`].
    pub tables: Vec<TableHeader>,
}

/// What the header says of one table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct TableHeader {
    pub material: Material,
    pub histogram: Histogram,
    pub blocks: Vec<Block>,
}

/// Where one block's bytes lie in the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Block {
    pub offset: u64,
    pub length: u32,
    /// Of the bytes in the file.
    pub checksum: u64,
}

/// The checksum of bytes in the file.
pub(super) fn checksum(bytes: &[u8]) -> u64 {
    xxh3_64(bytes)
}

/// How many blocks a table has.
pub(super) fn block_count(material: Material) -> usize {
    material.entries().div_ceil(BLOCK_SIZE as u64) as usize
}

/// How long the header of a pair's file is, which is where the first block lies.
pub(super) fn header_length(pair: Pair) -> usize {
    let table = |material| TABLE + BLOCK * block_count(material);
    let tables = pair.tables();
    PREFIX + tables.into_iter().map(table).sum::<usize>() + CHECKSUM
}

impl TableHeader {
    /// The entries that are in a block.
    pub fn entries_of(&self, block: usize) -> Range<u64> {
        let start = (block * BLOCK_SIZE) as u64;
        start..self.material.entries().min(start + BLOCK_SIZE as u64)
    }
}

impl Header {
    /// The header's bytes.
    #[cfg(feature = "build")]
    pub fn to_bytes(&self) -> Vec<u8> {
        let length = header_length(self.pair);
        let mut bytes = Vec::with_capacity(length);
        bytes.extend(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((length as u32).to_le_bytes());
        bytes.extend(self.rules.to_le_bytes());
        bytes.extend([self.pair.larger(), self.pair.smaller()]);
        bytes.extend([self.tables.len() as u8, CODEC]);
        bytes.extend((BLOCK_SIZE as u32).to_le_bytes());
        for table in &self.tables {
            bytes.extend([table.material.mover, table.material.waiting]);
            bytes.extend(table.material.entries().to_le_bytes());
            bytes.extend((table.blocks.len() as u32).to_le_bytes());
            for count in table.histogram.counts() {
                bytes.extend(count.to_le_bytes());
            }
            for block in &table.blocks {
                bytes.extend(block.length.to_le_bytes());
                bytes.extend(block.checksum.to_le_bytes());
            }
        }
        bytes.extend(checksum(&bytes).to_le_bytes());
        bytes
    }

    /// Reads and checks the header of a whole file. `name` is the file's, for errors.
    pub fn parse(file: &[u8], name: &Path) -> Result<Header, DbError> {
        let mut fields = Fields {
            bytes: file,
            at: 0,
            name,
        };
        fields.expect("the mark of a database", MAGIC)?;
        let version = u32::from_le_bytes(fields.take()?);
        if version != VERSION {
            let file = name.to_path_buf();
            return Err(DbError::OtherVersion { file, version });
        }
        fields.check_sum()?;
        let header = fields.header()?;
        let end = header.tables.iter().flat_map(|table| &table.blocks).last();
        let end = end.map_or(0, |block| block.offset + u64::from(block.length));
        let length = file.len() as u64;
        if length == end {
            Ok(header)
        } else {
            let what = format!("the file has {length} bytes, but its blocks end at {end}");
            Err(DbError::corrupt(name, length.min(end), what))
        }
    }
}

/// Takes the header's fields one after the other.
struct Fields<'a> {
    /// The file, from the field behind the version on the header without its checksum.
    bytes: &'a [u8],
    at: usize,
    name: &'a Path,
}

impl Fields<'_> {
    /// The next field's bytes.
    fn take<const N: usize>(&mut self) -> Result<[u8; N], DbError> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let Some(field) = rest.first_chunk() else {
            let end = self.bytes.len() as u64;
            return Err(DbError::corrupt(self.name, end, "the header ends too soon"));
        };
        self.at += N;
        Ok(*field)
    }

    /// The next field, which can have one value only.
    fn expect<const N: usize>(&mut self, what: &str, expected: [u8; N]) -> Result<(), DbError> {
        let at = self.at as u64;
        if self.take()? == expected {
            Ok(())
        } else {
            let what = format!("{what} is not what it must be");
            Err(DbError::corrupt(self.name, at, what))
        }
    }

    /// Takes the header's length, checks the header's checksum, and leaves the header without it.
    fn check_sum(&mut self) -> Result<(), DbError> {
        let length = u32::from_le_bytes(self.take()?) as usize;
        let Some((header, sum)) = self
            .bytes
            .get(..length)
            .and_then(|header| header.split_last_chunk::<CHECKSUM>())
        else {
            let end = self.bytes.len() as u64;
            let what = format!("the header has {length} bytes, but the file {end}");
            return Err(DbError::corrupt(self.name, end, what));
        };
        if checksum(header) != u64::from_le_bytes(*sum) {
            let what = "the header does not have the checksum that is written behind it";
            return Err(DbError::corrupt(self.name, header.len() as u64, what));
        }
        self.bytes = header;
        Ok(())
    }

    /// The fields behind the header's length.
    fn header(&mut self) -> Result<Header, DbError> {
        let rules = u64::from_le_bytes(self.take()?);
        let at = self.at as u64;
        let [larger, smaller] = self.take()?;
        let Some(pair) = Pair::new(larger, smaller).filter(|_| larger >= smaller) else {
            let what = format!("{larger}-{smaller} is no pair");
            return Err(DbError::corrupt(self.name, at, what));
        };
        let materials = pair.tables();
        self.expect("the number of tables", [materials.len() as u8])?;
        self.expect("the codec", [CODEC])?;
        self.expect("the size of a block", (BLOCK_SIZE as u32).to_le_bytes())?;
        let mut offset = header_length(pair) as u64;
        let tables = materials
            .into_iter()
            .map(|material| self.table(material, &mut offset))
            .collect::<Result<Vec<_>, _>>()?;
        let surplus = self.bytes.len() - self.at;
        if surplus > 0 {
            let what = format!("{surplus} bytes too many are in the header");
            return Err(DbError::corrupt(self.name, self.at as u64, what));
        }
        Ok(Header {
            rules,
            pair,
            tables,
        })
    }

    /// One table's fields; `offset` moves over the table's blocks.
    fn table(&mut self, material: Material, offset: &mut u64) -> Result<TableHeader, DbError> {
        let Material { mover, waiting } = material;
        let blocks = block_count(material);
        self.expect("the table's number of stones", [mover, waiting])?;
        self.expect("the number of entries", material.entries().to_le_bytes())?;
        self.expect("the number of blocks", (blocks as u32).to_le_bytes())?;
        let histogram = self.histogram(material)?;
        let mut block = || {
            let length = u32::from_le_bytes(self.take()?);
            let checksum = u64::from_le_bytes(self.take()?);
            let block = Block {
                offset: *offset,
                length,
                checksum,
            };
            *offset += u64::from(length);
            Ok(block)
        };
        Ok(TableHeader {
            material,
            histogram,
            blocks: (0..blocks).map(|_| block()).collect::<Result<_, _>>()?,
        })
    }

    fn histogram(&mut self, material: Material) -> Result<Histogram, DbError> {
        let at = self.at as u64;
        let mut counts = [0; 256];
        for count in &mut counts {
            *count = u64::from_le_bytes(self.take()?);
        }
        let positions = counts
            .iter()
            .try_fold(0u64, |sum, &count| sum.checked_add(count));
        match positions {
            Some(positions) if positions <= material.entries() => {
                Ok(Histogram::from_counts(counts))
            }
            _ => {
                let what = "the histogram counts more positions than the table has entries";
                Err(DbError::corrupt(self.name, at, what))
            }
        }
    }
}
