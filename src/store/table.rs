//! The tables of an opened file: from a set of the mover to its row, from a column to its block,
//! from a block to values.

use std::borrow::Cow;
use std::cell::RefCell;
use std::cmp::Reverse;
use std::sync::OnceLock;

use super::cache::{BlockCache, Miss};
use super::codec::{Block, BlockScratch, Coverage, Model, RowDecoder, RowShape, TableShape};
use super::container::Container;
use super::error::DbError;
use super::fields::{ROW_CHECKSUM, take_varint};
use crate::board::PointSet;
use crate::board::symmetry::Symmetry;
use crate::index::{Index, Material};

/// A file with its tables.
#[derive(Debug)]
pub(crate) struct TableFile {
    pub container: Container,
    /// The number of the file's first table in the keys of a block cache.
    cache_key: u16,
    /// Created at first use.
    tables: Vec<OnceLock<Contents>>,
}

/// The data that a table needs besides the bytes of its rows.
#[derive(Debug)]
struct Contents {
    shape: TableShape,
    model: Model,
}

/// A table of an opened file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Table<'a> {
    file: &'a TableFile,
    number: usize,
    contents: &'a Contents,
}

impl TableFile {
    /// The file in this container, which must have this number of tables.
    pub fn new(container: Container, tables: usize, cache_key: u16) -> Result<TableFile, DbError> {
        let found = container.tables.len();
        if found != tables {
            let what = format!("wrong number of tables: expected {tables}, found {found}");
            return Err(container.corrupt(what));
        }
        Ok(TableFile {
            tables: (0..tables).map(|_| OnceLock::new()).collect(),
            cache_key,
            container,
        })
    }

    /// The table with this number, which must be below the number of the container's tables.
    /// `spec` is called at the first access.
    #[inline]
    pub fn table(
        &self,
        number: usize,
        spec: impl FnOnce() -> (Material, Coverage),
    ) -> Result<Table<'_>, DbError> {
        let place = &self.tables[number];
        let contents = match place.get() {
            Some(contents) => contents,
            None => {
                let contents = self.contents(number, spec())?;
                place.get_or_init(|| contents)
            }
        };
        Ok(Table {
            file: self,
            number,
            contents,
        })
    }

    #[cold]
    fn contents(
        &self,
        number: usize,
        (material, coverage): (Material, Coverage),
    ) -> Result<Contents, DbError> {
        let container = &self.container;
        let shape = TableShape::new(&container.rules, material, coverage, container.parameters);
        let head = &container.tables[number];
        let (expected, found) = (shape.stored_rows(), head.rows);
        if found != expected {
            let what = format!(
                "wrong number of rows of table {number}: expected {expected}, found {found}"
            );
            return Err(container.corrupt(what));
        }
        let model = Model::from_bytes(&head.model).ok_or_else(|| {
            let what = format!("the fields of the model of table {number} do not agree");
            container.corrupt(what)
        })?;
        Ok(Contents { shape, model })
    }
}

impl<'a> Table<'a> {
    pub fn index(self) -> &'a Index {
        &self.shape().index
    }

    pub fn shape(self) -> &'a TableShape {
        &self.contents.shape
    }

    /// Reads and checks the row that is stored at this place.
    pub fn read(self, place: usize) -> Result<Row<'a>, DbError> {
        let (start, bytes) = self.file.container.row(self.number, place)?;
        let set = self.index().rows().set(self.shape().row_at(place));
        Ok(Row {
            table: self,
            start,
            bytes,
            shape: self.shape().row(set),
        })
    }

    /// The row of a mover's set, ready for probes; `None` if it is not stored.
    #[inline(always)]
    pub fn find(self, mover: PointSet) -> Option<ProbedRow<'a>> {
        let (row, symmetry) = self.index().rows().find(mover);
        Some(ProbedRow {
            table: self,
            row,
            place: self.shape().place_of(row)?,
            symmetry,
            read: None,
        })
    }

    /// Reads and checks a row of the index; `None` if it is not stored.
    pub fn stored_row(self, row: usize) -> Result<Option<Row<'a>>, DbError> {
        let place = self.shape().place_of(row);
        place.map(|place| self.read(place)).transpose()
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
    #[cfg(feature = "build")]
    pub fn load(self, values: &mut [u8]) -> Result<(), DbError> {
        use rayon::prelude::*;
        let rows = values.par_chunks_mut(self.index().columns().count());
        let rows = rows.enumerate();
        rows.try_for_each(|(row, values)| self.decode_row(row, values))
    }
}

/// A row of a table, read and checked.
pub(crate) struct Row<'a> {
    table: Table<'a>,
    /// The offset of the bytes in the file, for errors.
    start: u64,
    /// With the checksum.
    bytes: Cow<'a, [u8]>,
    shape: RowShape,
}

impl Row<'_> {
    /// Whether a column is stored.
    pub fn holds(&self, column: usize) -> bool {
        self.table.shape().holds(&self.shape, column)
    }

    /// Decodes the first values of a block, as many as `values` has room for; 0 for values that are
    /// not stored.
    pub fn decode(&self, block: usize, values: &mut [u8]) -> Result<(), DbError> {
        let Some(bytes) = Blocks::of(self)?.nth(block) else {
            return Err(self.corrupt("the lengths of the blocks exceed the row"));
        };
        with_scratch(|[scratch, _]| {
            let block = Block {
                shape: self.table.shape().block(block),
                bytes,
                values,
            };
            self.decode_blocks([(block, scratch)])
        })
    }

    /// Decodes all values.
    pub fn decode_all(&self, mut values: &mut [u8]) -> Result<(), DbError> {
        let shape = self.table.shape();
        let mut rest = Blocks::of(self)?;
        let mut next = |block| {
            let length = shape.columns_of(block).len();
            let (here, after) = std::mem::take(&mut values).split_at_mut(length);
            values = after;
            let bytes = rest.next();
            let bytes =
                bytes.ok_or_else(|| self.corrupt("the lengths of the blocks exceed the row"))?;
            Ok(Block {
                shape: shape.block(block),
                bytes,
                values: here,
            })
        };
        with_scratch(|[first, second]| {
            let blocks = shape.blocks();
            for block in (1..blocks).step_by(2) {
                let blocks = [
                    (next(block - 1)?, &mut *first),
                    (next(block)?, &mut *second),
                ];
                self.decode_blocks(blocks)?;
            }
            if blocks % 2 == 1 {
                self.decode_blocks([(next(blocks - 1)?, first)])?;
            }
            Ok(())
        })?;
        match rest.bytes.is_empty() {
            true => Ok(()),
            false => Err(self.corrupt("bytes follow the last block of the row")),
        }
    }

    fn decode_blocks<const BLOCKS: usize>(
        &self,
        blocks: [(Block<'_>, &mut BlockScratch); BLOCKS],
    ) -> Result<(), DbError> {
        let Contents { shape, model } = self.table.contents;
        let row = RowDecoder {
            shape,
            model,
            row: &self.shape,
        };
        row.decode(blocks).map_err(|what| self.corrupt(what))
    }

    fn corrupt(&self, what: &str) -> DbError {
        DbError::corrupt(&self.table.file.container.name, self.start, what)
    }
}

/// Calls `decode` with memory for two blocks, which each thread keeps.
fn with_scratch<T>(decode: impl FnOnce(&mut [BlockScratch; 2]) -> T) -> T {
    thread_local!(static SCRATCH: RefCell<[BlockScratch; 2]> = RefCell::default());
    SCRATCH.with_borrow_mut(decode)
}

/// The remaining blocks of a row: their lengths and their bytes.
struct Blocks<'a> {
    lengths: &'a [u8],
    bytes: &'a [u8],
}

impl<'a> Blocks<'a> {
    /// Splits a row into the lengths of its blocks and their bytes.
    fn of(row: &'a Row<'_>) -> Result<Blocks<'a>, DbError> {
        let lengths = &row.bytes[..row.bytes.len() - ROW_CHECKSUM];
        let mut rest = lengths;
        for _ in 0..row.table.shape().blocks() {
            if take_varint(&mut rest).is_none() {
                return Err(row.corrupt("the row ends in the lengths of its blocks"));
            }
        }
        Ok(Blocks {
            lengths,
            bytes: rest,
        })
    }
}

impl<'a> Iterator for Blocks<'a> {
    type Item = &'a [u8];

    /// The bytes of the next block; `None` after the last one, and if they exceed the row.
    fn next(&mut self) -> Option<&'a [u8]> {
        let length = take_varint(&mut self.lengths)?;
        let (bytes, rest) = self.bytes.split_at_checked(usize::try_from(length).ok()?)?;
        self.bytes = rest;
        Some(bytes)
    }
}

/// A column to probe, and the place for its value.
#[derive(Clone, Copy)]
pub(crate) struct ProbedColumn {
    pub column: usize,
    pub place: usize,
}

/// The row of a mover's set. Its bytes are read only if the cache lacks a requested block.
pub(crate) struct ProbedRow<'a> {
    table: Table<'a>,
    row: usize,
    place: usize,
    /// Maps the mover's set to the row's set.
    symmetry: Symmetry,
    /// Boxed because it is large; present only after a cache miss.
    read: Option<Box<Row<'a>>>,
}

impl ProbedRow<'_> {
    /// The column of a set of the waiting side.
    #[inline]
    pub fn column(&self, waiting: PointSet) -> usize {
        let waiting = self.symmetry.apply(waiting);
        self.table.index().column(self.row, waiting)
    }

    /// The value byte of a column; 0 if it is not stored.
    #[inline]
    pub fn value(&mut self, column: usize, cache: &BlockCache) -> Result<u8, DbError> {
        let (block, columns) = self.table.shape().block_with(column);
        let place = column - columns.start;
        let mut value = [0];
        match cache.read(self.key(block), [place].into_iter(), &mut value) {
            Ok(()) => Ok(value[0]),
            Err(miss) => self.decode(block, miss, place, cache, |values| values[place]),
        }
    }

    /// Passes the value bytes of these columns to `found` with their places; 0 for columns that are
    /// not stored. Sorts the columns, so that the last one of a block comes first: decoding it
    /// decodes those before it.
    pub fn values(
        &mut self,
        wanted: &mut [ProbedColumn],
        cache: &BlockCache,
        found: &mut impl FnMut(usize, u8),
    ) -> Result<(), DbError> {
        /// The most columns read from the cache at once.
        const AT_ONCE: usize = 64;
        let shape = self.table.shape();
        wanted.sort_unstable_by_key(|wanted| Reverse(wanted.column));
        let mut rest = &*wanted;
        while let Some(last) = rest.first() {
            let (block, columns) = shape.block_with(last.column);
            let here = rest.partition_point(|wanted| wanted.column >= columns.start);
            let (mut wanted, before) = rest.split_at(here);
            rest = before;
            while !wanted.is_empty() {
                let (some, more) = wanted.split_at(wanted.len().min(AT_ONCE));
                let places = some.iter().map(|wanted| wanted.column - columns.start);
                let mut values = [0; AT_ONCE];
                let values = &mut values[..some.len()];
                if let Err(miss) = cache.read(self.key(block), places, values) {
                    let last = wanted[0].column - columns.start;
                    self.decode(block, miss, last, cache, |block| {
                        for wanted in wanted {
                            found(wanted.place, block[wanted.column - columns.start]);
                        }
                    })?;
                    break;
                }
                for (wanted, &value) in some.iter().zip(&*values) {
                    found(wanted.place, value);
                }
                wanted = more;
            }
        }
        Ok(())
    }

    /// The key of a block in a cache.
    fn key(&self, block: usize) -> u64 {
        let table = u64::from(self.table.file.cache_key) + self.table.number as u64;
        (table << 24 | self.place as u64) << 24 | block as u64
    }

    /// Decodes a block that the cache lacks, for `read` and for the cache: up to the place `last`
    /// the first time, completely the second time.
    #[cold]
    fn decode<T>(
        &mut self,
        block: usize,
        miss: Miss,
        last: usize,
        cache: &BlockCache,
        read: impl FnOnce(&[u8]) -> T,
    ) -> Result<T, DbError> {
        let length = match miss {
            Miss::Rest => self.table.shape().columns_of(block).len(),
            Miss::Whole => last + 1,
        };
        let key = self.key(block);
        let row = match &self.read {
            Some(row) => row,
            None => self.read.insert(Box::new(self.table.read(self.place)?)),
        };
        thread_local!(static VALUES: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) });
        VALUES.with_borrow_mut(|values| {
            values.resize(length, 0);
            row.decode(block, values)?;
            cache.insert(key, values);
            Ok(read(values))
        })
    }
}
