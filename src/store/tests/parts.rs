//! Splits a container into parts and reassembles it with correct checksums, following
//! docs/FORMAT.md, to make files with wrong contents. It shares no code with the store; the fuzz
//! target uses it, too.

use std::ops::Range;
use std::sync::Arc;

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// The places of the fields of the prefix in docs/FORMAT.md, and the number of rows of a page.
pub const VERSION: Range<usize> = 8..12;
pub const HEAD_LENGTH: Range<usize> = 12..16;
pub const FILE_LENGTH: Range<usize> = 16..24;
pub const RULES: Range<usize> = 24..32;
pub const KIND: usize = 32;
pub const METRIC: usize = 33;
pub const COLUMNS: Range<usize> = 34..36;
pub const NEAR: usize = 36;
pub const SLIDES: usize = 37;
pub const TABLES: Range<usize> = 38..40;
const PREFIX: usize = 40;
const PAGE_ROWS: usize = 1024;

/// The content of a container.
#[derive(Clone)]
pub struct FileParts {
    /// The prefix; the lengths in it are filled in when the parts are put together.
    pub prefix: [u8; PREFIX],
    pub schema: Vec<u8>,
    pub tables: Vec<TableParts>,
}

/// The content of a table.
#[derive(Clone)]
pub struct TableParts {
    pub width: u8,
    /// The numbers of rows and of the model's bytes that the head states, if not those of the
    /// parts.
    pub stated_rows: Option<u64>,
    pub stated_model: Option<u64>,
    pub model: Vec<u8>,
    /// The bytes of each row without their checksum. Copies of the parts share the rows that they
    /// do not change.
    pub rows: Vec<Arc<Vec<u8>>>,
}

/// The places of the parts in a file.
#[derive(Clone, Default)]
pub struct Layout {
    /// With its checksum, like all others.
    pub head: Range<usize>,
    pub schema: Range<usize>,
    /// For each table the offset of the field with its number of rows.
    pub tables: Vec<usize>,
    pub models: Vec<Range<usize>>,
    /// The pages of all tables.
    pub pages: Vec<Range<usize>>,
    /// By table and row.
    pub rows: Vec<Vec<Range<usize>>>,
}

fn add_varint(bytes: &mut Vec<u8>, mut number: u64) {
    while number > 127 {
        bytes.push((number & 127) as u8 + 128);
        number /= 128;
    }
    bytes.push(number as u8);
}

fn take_varint(bytes: &[u8], at: &mut usize) -> usize {
    let mut number = 0;
    for place in 0.. {
        let byte = usize::from(bytes[*at]);
        *at += 1;
        number |= (byte % 128) << (7 * place);
        if byte < 128 {
            break;
        }
    }
    number
}

fn number(bytes: &[u8]) -> usize {
    let digits = bytes.iter().rev();
    digits.fold(0, |number, &byte| number << 8 | usize::from(byte))
}

fn row_checksum(bytes: &[u8], table: usize, row: usize) -> [u8; 4] {
    let seed = (table as u64) << 32 | row as u64;
    (xxh3_64_with_seed(bytes, seed) as u32).to_le_bytes()
}

/// Corrects the checksums of eight bytes at the end of these parts of a file.
pub fn repair(bytes: &mut [u8], parts: impl IntoIterator<Item = Range<usize>>) {
    for part in parts {
        let (fields, sum) = bytes[part].split_last_chunk_mut().expect("a checksum");
        *sum = xxh3_64(fields).to_le_bytes();
    }
}

/// Corrects the checksums of the head and of all pages.
pub fn repair_all(bytes: &mut [u8], layout: &Layout) {
    repair(bytes, [layout.head.clone()]);
    repair(bytes, layout.pages.iter().cloned());
}

impl FileParts {
    /// Splits an undamaged file into parts.
    pub fn of(bytes: &[u8]) -> FileParts {
        let mut at = PREFIX;
        let at = &mut at;
        let take = |at: &mut usize, length: usize| {
            *at += length;
            bytes[*at - length..*at].to_vec()
        };
        let length = take_varint(bytes, at);
        let schema = take(at, length);
        let mut directory = number(&bytes[HEAD_LENGTH]);
        let tables = (0..number(&bytes[TABLES])).map(|_| {
            let rows = take_varint(bytes, at);
            let width = take(at, 1)[0];
            let length = take_varint(bytes, at);
            let model = take(at, length);
            let mut table = TableParts {
                width,
                model,
                stated_rows: None,
                stated_model: None,
                rows: Vec::new(),
            };
            while table.rows.len() < rows {
                let mut start = number(&bytes[directory..][..8]);
                directory += 8;
                for _ in 0..PAGE_ROWS.min(rows - table.rows.len()) {
                    let length = number(&bytes[directory..][..width.into()]);
                    directory += usize::from(width);
                    let row = bytes[start..start + length - 4].to_vec();
                    table.rows.push(Arc::new(row));
                    start += length;
                }
                directory += 8;
            }
            table
        });
        FileParts {
            tables: tables.collect(),
            schema,
            prefix: *bytes.first_chunk().expect("a prefix"),
        }
    }

    /// The file with correct lengths and checksums, and the places of its parts.
    pub fn put_together(&self) -> (Vec<u8>, Layout) {
        let mut layout = Layout::default();
        let mut bytes = self.prefix.to_vec();
        bytes[TABLES].copy_from_slice(&(self.tables.len() as u16).to_le_bytes());
        add_varint(&mut bytes, self.schema.len() as u64);
        layout.schema = bytes.len()..bytes.len() + self.schema.len();
        bytes.extend(&self.schema);
        for table in &self.tables {
            layout.tables.push(bytes.len());
            let rows = table.stated_rows.unwrap_or(table.rows.len() as u64);
            add_varint(&mut bytes, rows);
            bytes.push(table.width);
            let model = table.stated_model.unwrap_or(table.model.len() as u64);
            add_varint(&mut bytes, model);
            let begin = bytes.len();
            bytes.extend(&table.model);
            layout.models.push(begin..bytes.len());
        }
        layout.head = 0..bytes.len() + 8;
        bytes.resize(layout.head.end, 0);
        let pages = |table: &TableParts| {
            let pages = table.rows.chunks(PAGE_ROWS);
            pages
                .map(|page| 8 + page.len() * usize::from(table.width) + 8)
                .sum::<usize>()
        };
        let mut end = bytes.len() + self.tables.iter().map(pages).sum::<usize>();
        let mut rows = Vec::new();
        for (number, table) in self.tables.iter().enumerate() {
            layout.rows.push(Vec::new());
            for page in table.rows.chunks(PAGE_ROWS) {
                let begin = bytes.len();
                bytes.extend((end as u64).to_le_bytes());
                for row in page {
                    let length = row.len() + 4;
                    bytes.extend(&length.to_le_bytes()[..table.width.into()]);
                    let place = layout.rows[number].len();
                    layout.rows[number].push(end..end + length);
                    rows.extend_from_slice(row);
                    rows.extend(row_checksum(row, number, place));
                    end += length;
                }
                bytes.extend([0; 8]);
                layout.pages.push(begin..bytes.len());
            }
        }
        bytes.extend(rows);
        let length = bytes.len() as u64;
        bytes[HEAD_LENGTH].copy_from_slice(&(layout.head.end as u32).to_le_bytes());
        bytes[FILE_LENGTH].copy_from_slice(&length.to_le_bytes());
        repair_all(&mut bytes, &layout);
        (bytes, layout)
    }
}
