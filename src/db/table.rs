//! One file, opened: its rows, their blocks and values.

use std::borrow::Cow;
use std::cell::RefCell;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::codec::{self, Effort, Model, Scratch, Shape, Stored};
use super::error::DbError;
use super::format::{self, Header};
use super::profile::{Contents, Level};
use super::source::{Access, Source};
use crate::board::PointSet;
use crate::histogram::Histogram;
use crate::index::{Index, Material, Pair};
use crate::rules::Rules;

/// The file of a pair, opened. Its header is checked; its rows are when they are read.
#[derive(Debug)]
pub struct PairFile {
    /// For errors: the path, or what stands for it.
    name: PathBuf,
    source: Source,
    rules: Rules,
    header: Header,
    /// Made when first needed.
    table: OnceLock<Table>,
}

impl PairFile {
    /// Opens the file of a pair in a folder, `None` if there is none.
    pub(super) fn open(
        folder: &Path,
        pair: Pair,
        rules: Rules,
        access: Access,
    ) -> Result<Option<PairFile>, DbError> {
        let path = folder.join(super::file_name(pair));
        let source = Source::open(&path, access).map_err(DbError::io(&path))?;
        source
            .map(|source| PairFile::new(path, source, pair, rules))
            .transpose()
    }

    /// Opens a file that is part of the program.
    pub(super) fn embedded(
        bytes: &'static [u8],
        pair: Pair,
        rules: Rules,
    ) -> Result<PairFile, DbError> {
        let name = PathBuf::from(format!("the embedded {}", super::file_name(pair)));
        PairFile::new(name, Source::Embedded(bytes), pair, rules)
    }

    fn new(name: PathBuf, source: Source, pair: Pair, rules: Rules) -> Result<PairFile, DbError> {
        let length = source.len();
        let first = source.bytes(0, length.min(format::MOST_HEADER as u64) as usize);
        let header = Header::parse(&first.map_err(DbError::io(&name))?, length, &name)?;
        if header.rules != rules.fingerprint() {
            return Err(DbError::OtherRules {
                file: name,
                rules,
                found: Rules::name_of(header.rules),
            });
        }
        if header.pair != pair {
            let what = format!("the file is the database {}, not {pair}", header.pair);
            return Err(DbError::corrupt(&name, format::PAIR_OFFSET, what));
        }
        let material = format::stored_table(pair);
        if header.stored != Stored::All && !Stored::can_leave_out(&rules, material) {
            let what = "entries are left out that do not follow from others";
            return Err(DbError::corrupt(&name, format::STORED_OFFSET, what));
        }
        Ok(PairFile {
            name,
            source,
            rules,
            header,
            table: OnceLock::new(),
        })
    }

    /// The pair whose positions the file holds.
    pub fn pair(&self) -> Pair {
        self.header.pair
    }

    /// The size of the file in bytes.
    pub fn bytes(&self) -> u64 {
        self.source.len()
    }

    /// Whether the file tells depths.
    pub fn contents(&self) -> Contents {
        self.header.contents
    }

    /// How much was done to make the file small.
    pub fn level(&self) -> Level {
        match self.header.effort {
            Effort::MAX => Level::Max,
            _ => Level::Quick,
        }
    }

    /// Where the file is; `None` for one that is part of the program.
    pub fn path(&self) -> Option<&Path> {
        match self.source {
            Source::File(..) | Source::Mapped(_) => Some(&self.name),
            Source::Embedded(_) => None,
        }
    }

    /// The path, or what stands for it in errors.
    #[cfg(feature = "build")]
    pub(crate) fn name(&self) -> &Path {
        &self.name
    }

    /// The rules that the values are for.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// How often each value occurs in one of the pair's tables.
    pub(super) fn histogram(&self, material: Material) -> &Histogram {
        let number = usize::from(Stored::is_derived(material));
        // A pair has a histogram for each of its tables.
        &self.header.histograms[number.min(self.header.histograms.len() - 1)]
    }

    /// Whether the value of a position is in the file, and need not be derived.
    pub(super) fn holds(&self, mover: PointSet, waiting: PointSet) -> bool {
        let material = Material::of(mover, waiting);
        !Stored::is_derived(material) && self.header.stored.holds(&self.rules, mover, waiting)
    }

    /// Which entries the file holds of the table with the larger side to move.
    #[cfg(feature = "build")]
    pub(crate) fn stored(&self) -> Stored {
        self.header.stored
    }

    /// The table in which the larger side moves.
    pub(super) fn table(&self) -> Result<&Table, DbError> {
        if let Some(table) = self.table.get() {
            return Ok(table);
        }
        let header = &self.header;
        let corrupt = |what: &str| DbError::corrupt(&self.name, header.model().start, what);
        let Range { start, end } = header.model();
        let bytes = self.read(start, (end - start) as usize)?;
        let bytes = format::checked(&bytes)
            .ok_or_else(|| corrupt("the model does not have the checksum behind it"))?;
        let material = format::stored_table(header.pair);
        let model = Model::from_bytes(bytes)
            .ok_or_else(|| corrupt("the model has fields that do not agree"))?;
        Ok(self.table.get_or_init(|| {
            let index = Index::new(material);
            let parts = index.rows().len().div_ceil(Table::PART);
            Table {
                shape: Shape::new(&self.rules, material, header.stored, header.effort),
                model,
                fields: (0..parts).map(|_| OnceLock::new()).collect(),
                index,
            }
        }))
    }

    /// Where a row begins in the file, its checksum, and where the next one begins.
    fn fields(&self, table: &Table, number: usize) -> Result<[u64; 3], DbError> {
        let part = &table.fields[number / Table::PART];
        let first = number - number % Table::PART;
        let fields = match part.get() {
            Some(fields) => fields,
            None => {
                let rows = Table::PART.min(table.index.rows().len() - first);
                let bytes = self.read(self.header.row(first), rows * format::ROW + 8)?;
                let fields = bytes.as_chunks().0.iter();
                let fields = fields.map(|&field| u64::from_le_bytes(field));
                part.get_or_init(|| fields.collect())
            }
        };
        Ok([0, 1, 2].map(|i| fields[2 * (number - first) + i]))
    }

    /// A row, its bytes checked.
    pub(super) fn row(&self, number: usize) -> Result<Row<'_>, DbError> {
        let table = self.table()?;
        let [start, checksum, end] = self.fields(table, number)?;
        let length = end.checked_sub(start);
        let Some(length) = length.filter(|_| end <= self.source.len()) else {
            let what = "the row does not lie within the file";
            return Err(DbError::corrupt(&self.name, self.header.row(number), what));
        };
        let bytes = self.read(start, length as usize)?;
        if format::checksum(&bytes) != checksum {
            let what = "the row does not have the checksum that is given for it";
            return Err(DbError::corrupt(&self.name, start, what));
        }
        Ok(Row {
            file: self,
            table,
            start,
            bytes,
            shape: table.shape.row(table.index.rows().set(number)),
        })
    }

    fn read(&self, start: u64, length: usize) -> Result<Cow<'_, [u8]>, DbError> {
        self.source
            .bytes(start, length)
            .map_err(|error| match error.kind() {
                io::ErrorKind::UnexpectedEof => {
                    DbError::corrupt(&self.name, start, "the file ends too soon")
                }
                _ => DbError::io(&self.name)(error),
            })
    }

    /// The index of the table in which the larger side moves.
    pub(super) fn index(&self) -> Result<&Index, DbError> {
        Ok(&self.table()?.index)
    }

    /// Calls `take` for each row with its own bytes of `places`, `stride` for each row, the row's
    /// values, and which of these the file holds.
    pub(super) fn each_row(
        &self,
        places: &mut [u8],
        stride: usize,
        take: impl Fn(&mut [u8], &[u8], &[bool]) + Sync,
    ) -> Result<(), DbError> {
        let Table { index, shape, .. } = self.table()?;
        let columns = index.columns().count();
        let one = |(values, held): &mut (Vec<u8>, Vec<bool>), (number, place)| {
            let row = self.row(number)?;
            values.resize(columns, 0);
            for block in 0..shape.blocks() {
                row.decode(block, &mut values[shape.columns_of(block)])?;
            }
            held.clear();
            held.extend((0..columns).map(|column| shape.holds(&row.shape, column)));
            take(place, values, held);
            Ok(())
        };
        #[cfg(feature = "build")]
        {
            use rayon::prelude::*;
            let rows = places.par_chunks_mut(stride).enumerate();
            rows.map_init(Default::default, one).collect()
        }
        #[cfg(not(feature = "build"))]
        {
            let mut scratch = Default::default();
            let mut rows = places.chunks_mut(stride).enumerate();
            rows.try_for_each(|row| one(&mut scratch, row))
        }
    }

    /// Fills `values` with those of all rows of the table in which the larger side moves, zeros where
    /// they are not stored.
    #[cfg(feature = "build")]
    pub(crate) fn load(&self, values: &mut [u8]) -> Result<(), DbError> {
        use rayon::prelude::*;
        let columns = self.table()?.index.columns().count();
        let rows = values.par_chunks_mut(columns).enumerate();
        rows.try_for_each(|(number, values)| {
            let row = self.row(number)?;
            (0..row.table.shape.blocks()).try_for_each(|block| {
                let columns = row.table.shape.columns_of(block);
                row.decode(block, &mut values[columns])
            })
        })
    }
}

/// What reading the rows of a file needs.
#[derive(Debug)]
pub(super) struct Table {
    pub index: Index,
    pub shape: Shape,
    model: Model,
    /// By part: in turn where a row begins in the file, and its checksum; at last where the next part
    /// does. Read when one of the rows is needed first.
    fields: Vec<OnceLock<Box<[u64]>>>,
}

impl Table {
    /// The fields of so many rows are read together.
    const PART: usize = 256;
}

/// A row of a file.
pub(super) struct Row<'a> {
    file: &'a PairFile,
    pub table: &'a Table,
    /// Where the row begins in the file, for errors.
    start: u64,
    bytes: Cow<'a, [u8]>,
    shape: codec::Row,
}

impl Row<'_> {
    /// Decodes the first values of a block, as many as there is room for; zeros where they are not
    /// stored.
    pub fn decode(&self, block: usize, values: &mut [u8]) -> Result<(), DbError> {
        thread_local!(static SCRATCH: RefCell<Scratch> = RefCell::default());
        let corrupt = |what: &str| DbError::corrupt(&self.file.name, self.start, what);
        let Table { shape, model, .. } = self.table;
        let bytes = block_bytes(&self.bytes, shape.blocks(), block)
            .ok_or_else(|| corrupt("the row's blocks do not fill it"))?;
        let columns = shape.columns_of(block);
        SCRATCH
            .with_borrow_mut(|scratch| {
                codec::decode(shape, model, &self.shape, columns, bytes, values, scratch)
            })
            .map_err(corrupt)
    }
}

/// The bytes of one of a row's blocks. The row begins with the lengths of all.
fn block_bytes(row: &[u8], blocks: usize, block: usize) -> Option<&[u8]> {
    let (lengths, rest) = row.split_at_checked(2 * blocks)?;
    let mut lengths = lengths
        .as_chunks()
        .0
        .iter()
        .map(|&length| u16::from_le_bytes(length));
    let start: usize = lengths.by_ref().take(block).map(usize::from).sum();
    let length = usize::from(lengths.next()?);
    rest.get(start..)?.get(..length)
}
