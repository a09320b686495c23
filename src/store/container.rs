//! The container: a file of one or more tables with rows of bytes, the same for pairs and plies.
//!
//! ```text
//! 0
//! +--------------------------------------+ \
//! | prefix                      40 bytes |  |  version, sizes, rules, kind, parameters
//! | fields of the schema                 |  |  which pair or ply, histograms
//! | of each table: rows, width, model    |  |  head, at most 128 KiB
//! | checksum of all bytes before         |  |
//! +--------------------------------------+ /
//! | pages of the directory, table after  |  1024 rows a page, at most 3088 bytes:
//! | table                                |  where the first row begins, each row's length, checksum
//! +--------------------------------------+
//! | rows, table after table              |  each with its checksum
//! +--------------------------------------+  end of the file
//! ```
//!
//! This module locates and checks the bytes. `pair` and `ply` define the meaning of the tables,
//! `codec` that of the bytes of a row. docs/FORMAT.md describes the whole format for other
//! programs.

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::codec::Parameters;
use super::error::DbError;
use super::fields::{CHECKSUM, HeadReader, ROW_CHECKSUM, checked, row_checksum};
use super::pieces::NeededRange;
use super::source::ByteSource;
use crate::rules::Rules;
use crate::value::Metric;

/// The format version that this program writes and reads.
pub(crate) const VERSION: u32 = 3;

/// The first eight bytes of every file. The first one is not text, and a conversion of line ends
/// would change the last one.
pub(crate) const MAGIC: [u8; 8] = *b"\x8eMILLDB\n";

/// The offset of the length of the head, and the end of the prefix.
const LENGTHS: usize = 12;
pub(crate) const PREFIX: usize = 40;

/// The size of the longest head in bytes: one read gets all of it.
pub(crate) const MOST_HEAD: usize = 128 << 10;

/// The number of rows in a page of the directory; the last page of a table has the remaining rows.
pub(crate) const PAGE_ROWS: usize = 1024;

/// The kind of a file, which decides the meaning of its tables; the discriminant is its byte in the
/// prefix.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FileKind {
    Pair,
    Ply,
}

impl FileKind {
    const ALL: [FileKind; 2] = [FileKind::Pair, FileKind::Ply];

    fn name(self) -> &'static str {
        match self {
            FileKind::Pair => "a pair",
            FileKind::Ply => "a ply of the placing phase",
        }
    }
}

/// The fields of a table in the head, and its part of the directory.
#[derive(Clone, Debug)]
pub(crate) struct TableHead {
    pub rows: usize,
    /// Bytes of a row's length in the directory.
    width: usize,
    /// The offset of the directory's pages in the file.
    directory: u64,
    pub model: Vec<u8>,
    pages: Vec<OnceLock<Page>>,
}

/// A page of the directory, read and checked.
#[derive(Clone, Debug)]
struct Page {
    start: u64,
    /// The end of each row, relative to `start`.
    ends: Box<[u32]>,
}

/// The size of the directory of a table in bytes, or of its pages up to a row that begins one.
pub(crate) fn directory_bytes(rows: usize, width: usize) -> usize {
    width * rows + rows.div_ceil(PAGE_ROWS) * (8 + CHECKSUM)
}

/// An opened container. Opening checks its head; reading checks pages and rows.
#[derive(Debug)]
pub(crate) struct Container {
    /// The path of the file, or the name of the source in errors.
    pub name: PathBuf,
    pub source: Box<dyn ByteSource>,
    pub rules: Rules,
    pub parameters: Parameters,
    /// The fields of the schema, and their offset in the file.
    fields: Vec<u8>,
    fields_at: usize,
    pub tables: Vec<TableHead>,
}

impl Container {
    /// Opens a container of this kind for these rules: reads and checks the head.
    pub fn open(
        name: PathBuf,
        source: Box<dyn ByteSource>,
        kind: FileKind,
        rules: Rules,
    ) -> Result<Container, DbError> {
        let size = source.size();
        let most = size.min(MOST_HEAD as u64);
        let read = |length: u64| read(&*source, &name, 0, length as usize);
        let expected = source.head_bytes().map_or(most, u64::from);
        let mut bytes = read(expected.clamp(most.min(PREFIX as u64), most))?;
        let held = bytes.len() as u64;
        if let Some(length) = declared(&bytes).filter(|&length| held < length.min(most)) {
            // The source stated too small a length. `head` checks the one in the file.
            bytes = read(length.min(most))?;
        }
        let mut fields = head(&bytes, size, &name)?;
        let mut directory = (fields.at + fields.rest.len() + CHECKSUM) as u64;
        fields.size(size)?;
        let parameters = fields.parameters(kind, &rules)?;
        let tables = u16::from_le_bytes(fields.take()?);
        let length = fields.varint()?;
        let fields_at = fields.at;
        let schema_fields = fields.take_slice(length)?.to_vec();
        let tables = (0..tables)
            .map(|_| {
                let table = fields.table(&mut directory)?;
                match directory > size {
                    false => Ok(table),
                    true => Err(fields.corrupt(fields.at, "the directory exceeds the file")),
                }
            })
            .collect::<Result<Vec<_>, _>>()?;
        fields.end()?;
        Ok(Container {
            name,
            source,
            rules,
            parameters,
            fields: schema_fields,
            fields_at,
            tables,
        })
    }

    /// The fields of the schema.
    pub fn fields(&self) -> HeadReader<'_> {
        HeadReader {
            rest: &self.fields,
            at: self.fields_at,
            name: &self.name,
        }
    }

    /// An error about the schema as a whole.
    pub fn corrupt(&self, what: impl Into<String>) -> DbError {
        self.fields().corrupt(self.fields_at, what)
    }

    /// The bytes of a row of a table with their checksum, which has been checked, and their offset
    /// in the file; both numbers must be in range.
    pub fn row(&self, table: usize, row: usize) -> Result<(u64, Cow<'_, [u8]>), DbError> {
        let page = self.page(table, row / PAGE_ROWS)?;
        let place = row % PAGE_ROWS;
        let begin = place.checked_sub(1).map_or(0, |before| page.ends[before]);
        let start = page.start + u64::from(begin);
        let length = (page.ends[place] - begin) as usize;
        let bytes = read(&*self.source, &self.name, start, length)?;
        let parts = bytes.split_last_chunk();
        if parts.is_none_or(|(blocks, sum)| row_checksum(blocks, table, row) != *sum) {
            let what = format!("wrong checksum of row {row}");
            return Err(DbError::corrupt(&self.name, start, what));
        }
        Ok((start, bytes))
    }

    fn page(&self, table: usize, number: usize) -> Result<&Page, DbError> {
        let head = &self.tables[table];
        if let Some(page) = head.pages[number].get() {
            return Ok(page);
        }
        let first = number * PAGE_ROWS;
        let at = head.directory + directory_bytes(first, head.width) as u64;
        let length = directory_bytes(PAGE_ROWS.min(head.rows - first), head.width);
        let bytes = read(&*self.source, &self.name, at, length)?;
        let Some(fields) = checked(&bytes) else {
            let what = "wrong checksum of a page of the directory";
            return Err(DbError::corrupt(&self.name, at, what));
        };
        let page = page(fields, head.width, self.source.size());
        let page = page.ok_or_else(|| {
            let what = "the rows of a page of the directory do not lie within the file";
            DbError::corrupt(&self.name, at, what)
        })?;
        Ok(head.pages[number].get_or_init(|| page))
    }
}

/// Reads `length` bytes of a file from the offset `start` on.
pub(crate) fn read<'a>(
    source: &'a dyn ByteSource,
    name: &Path,
    start: u64,
    length: usize,
) -> Result<Cow<'a, [u8]>, DbError> {
    source
        .read(start, length)
        .map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => {
                let what = format!("the file ends before byte {}", start + length as u64);
                DbError::corrupt(name, start, what)
            }
            io::ErrorKind::WouldBlock => DbError::Pending(vec![NeededRange {
                file: name.to_path_buf(),
                start,
                length: length as u64,
            }]),
            _ => DbError::io(name)(error),
        })
}

/// The length of the head that the first bytes of a file state.
pub(crate) fn declared(bytes: &[u8]) -> Option<u64> {
    let field = bytes.get(LENGTHS..)?.first_chunk()?;
    Some(u32::from_le_bytes(*field).into())
}

/// The fields of the head after its length, from the first bytes of a file of this size.
fn head<'a>(bytes: &'a [u8], size: u64, name: &'a Path) -> Result<HeadReader<'a>, DbError> {
    let mut fields = HeadReader {
        rest: bytes,
        at: 0,
        name,
    };
    let magic = fields.take()?;
    if magic != MAGIC {
        let what = format!("wrong magic: expected {MAGIC:02x?}, found {magic:02x?}");
        return Err(fields.corrupt(0, what));
    }
    fields.version(VERSION)?;
    let length = u32::from_le_bytes(fields.take()?) as usize;
    let Some(head) = bytes.get(..length).filter(|_| length >= PREFIX + CHECKSUM) else {
        let most = size.min(MOST_HEAD as u64);
        let what =
            format!("wrong length of the head: expected at most {most} bytes, found {length}");
        return Err(fields.corrupt(LENGTHS, what));
    };
    let Some(head) = checked(head) else {
        return Err(fields.corrupt(length - CHECKSUM, "wrong checksum of the head"));
    };
    fields.rest = &head[fields.at..];
    Ok(fields)
}

/// The page with these fields; `None` unless all its rows lie within a file of this size.
fn page(fields: &[u8], width: usize, size: u64) -> Option<Page> {
    let (start, lengths) = fields.split_first_chunk()?;
    let start = u64::from_le_bytes(*start);
    let mut end = 0u32;
    let ends = lengths.chunks_exact(width).map(|length| {
        let mut bytes = [0; 4];
        bytes[..width].copy_from_slice(length);
        // 1024 lengths of three bytes may sum to more than 32 bits hold; such a page is an error.
        let length = u32::from_le_bytes(bytes);
        end = end.checked_add(length)?;
        (length as usize >= ROW_CHECKSUM).then_some(end)
    });
    let ends = ends.collect::<Option<_>>()?;
    (start.checked_add(end.into())? <= size).then_some(Page { start, ends })
}

impl HeadReader<'_> {
    /// The fields of the prefix from the rules on.
    fn parameters(&mut self, expected: FileKind, rules: &Rules) -> Result<Parameters, DbError> {
        let fingerprint = u64::from_le_bytes(self.take()?);
        if fingerprint != rules.fingerprint() {
            return Err(DbError::OtherRules {
                file: self.name.to_path_buf(),
                rules: *rules,
                found: Rules::name_of(fingerprint),
            });
        }
        let at = self.at;
        let kind = self.one_of("kind of file", &FileKind::ALL)?;
        if kind != expected {
            let (expected, found) = (expected.name(), kind.name());
            let what = format!("wrong kind of file: expected {expected}, found {found}");
            return Err(self.corrupt(at, what));
        }
        let metric = self.one_of("metric", &Metric::ALL)?;
        let at = self.at;
        let columns = u16::from_le_bytes(self.take()?);
        let [near, slides] = self.take()?;
        Parameters::of_fields(metric, columns, [near, slides]).ok_or_else(|| {
            let what = format!("unknown encoding: {columns} columns, {near} near, {slides} slides");
            self.corrupt(at, what)
        })
    }

    /// The fields of a table; `directory` moves past its pages.
    fn table(&mut self, directory: &mut u64) -> Result<TableHead, DbError> {
        /// The most rows of a table: the sets of 12 points up to symmetry.
        const MOST_ROWS: u64 = 170_854;
        let at = self.at;
        let rows = self.varint()?;
        let [width] = self.take()?;
        if rows > MOST_ROWS || !matches!(width, 2 | 3) {
            let what = format!("unknown form of a table: {rows} rows, lengths of {width} bytes");
            return Err(self.corrupt(at, what));
        }
        let (rows, width) = (rows as usize, usize::from(width));
        let length = self.varint()?;
        let model = self.take_slice(length)?.to_vec();
        let begin = *directory;
        *directory += directory_bytes(rows, width) as u64;
        Ok(TableHead {
            rows,
            width,
            directory: begin,
            model,
            pages: vec![OnceLock::new(); rows.div_ceil(PAGE_ROWS)],
        })
    }
}
