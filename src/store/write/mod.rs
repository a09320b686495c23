//! Writes a container: encodes tables as rows of bytes in parallel but in order, then writes the
//! whole file under a temporary name and renames it. `pair` and `ply` write the two kinds of file,
//! `bundle` all of them as one.
//!
//! A file gets its final name only when all its bytes are on the disk, so a file with its final
//! name is complete. The same values give the same bytes on every machine and for any number of
//! threads.

mod bundle;
mod pair;
mod ply;

pub use bundle::write_bundle;
pub use pair::write_pair;
pub(crate) use ply::{PlyWriter, count_stored};

use std::collections::BTreeSet;
use std::collections::hash_map::RandomState;
use std::fs::{self, File};
use std::hash::{BuildHasher, Hasher};
use std::io::{self, Write};
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use crate::index::histogram::Histogram;
use crate::lock::locked;
use crate::rules::Rules;
use crate::store::codec::encode::{Budget, Encoder, EncoderScratch, Training};
use crate::store::codec::{BlockScratch, Parameters, RowShape, TableShape};
use crate::store::container::{
    FileKind, MAGIC, MOST_HEAD, PAGE_ROWS, PREFIX, VERSION, directory_bytes,
};
use crate::store::error::DbError;
use crate::store::fields::{CHECKSUM, ROW_CHECKSUM, row_checksum};

/// The largest value byte that a build writes: larger bytes reveal wins and losses that are too
/// deep.
pub(crate) const LARGEST_VALUE: u8 = 252;

/// The values of a table to encode.
pub(crate) struct TableValues<'a> {
    pub shape: &'a TableShape,
    /// The values of all rows, stored or not.
    pub values: &'a [u8],
    /// The approximate number of stored values.
    pub stored: usize,
    pub budget: Budget,
}

/// An encoded table.
pub(crate) struct EncodedTable {
    model: Vec<u8>,
    lengths: Vec<u32>,
    bytes: Vec<u8>,
}

impl TableValues<'_> {
    /// Encodes the table that has this number in its file.
    pub fn encode(&self, number: usize) -> io::Result<EncodedTable> {
        let model = self.train();
        let encoder = Encoder::new(self.shape, &model);
        let encoder = encoder.ok_or_else(|| io::Error::other("the model is wrong"))?;
        let mut table = EncodedTable {
            model,
            lengths: Vec::with_capacity(self.shape.stored_rows()),
            bytes: Vec::new(),
        };
        /// The number of values that are encoded before their bytes are joined: enough for many
        /// threads.
        const BATCH: usize = 32 << 20;
        let rows_in_batch = (BATCH / self.shape.index.columns().count()).max(1);
        let rows = self.shape.stored_rows();
        for first in (0..rows).step_by(rows_in_batch) {
            let encoded: Vec<Vec<u8>> = (first..rows.min(first + rows_in_batch))
                .into_par_iter()
                .map_init(Default::default, |scratch, row| {
                    let mut bytes = self.encode_row(&encoder, row, scratch);
                    bytes.extend(row_checksum(&bytes, number, row));
                    bytes
                })
                .collect();
            for bytes in encoded {
                table.lengths.push(bytes.len() as u32);
                table.bytes.extend(bytes);
            }
        }
        Ok(table)
    }

    /// The shape of a row, and its values.
    fn row(&self, row: usize) -> (RowShape, &[u8]) {
        let index = &self.shape.index;
        let (number, columns) = (self.shape.row_at(row), index.columns().count());
        let values = &self.values[number * columns..][..columns];
        (self.shape.row(index.rows().set(number)), values)
    }

    /// Trains a model on an evenly spread sample of the blocks, and returns its bytes.
    fn train(&self) -> Vec<u8> {
        let blocks = self.shape.blocks();
        let step = (self.stored / self.budget.samples).max(1);
        let sampled = (0..self.shape.stored_rows() * blocks)
            .into_par_iter()
            .step_by(step);
        let add = |(mut training, mut scratch): (Training, BlockScratch), block| {
            let (row, block) = (block / blocks, block % blocks);
            let (row, values) = self.row(row);
            let values = &values[self.shape.columns_of(block)];
            training.add(self.shape, &row, block, values, &mut scratch);
            (training, scratch)
        };
        let parts = sampled.fold(Default::default, add).map(|(part, _)| part);
        let training = parts.reduce(Training::default, Training::with);
        training.into_model(self.budget)
    }

    /// A row's bytes: the lengths of its blocks, then the blocks.
    fn encode_row(
        &self,
        encoder: &Encoder<'_>,
        row: usize,
        scratch: &mut EncoderScratch,
    ) -> Vec<u8> {
        let (row, values) = self.row(row);
        let (mut lengths, mut bytes) = (Vec::new(), Vec::new());
        for block in 0..self.shape.blocks() {
            let before = bytes.len();
            let values = &values[self.shape.columns_of(block)];
            encoder.encode(&row, block, values, scratch, &mut bytes);
            add_varint(&mut lengths, (bytes.len() - before) as u64);
        }
        lengths.reserve_exact(bytes.len() + ROW_CHECKSUM);
        lengths.extend(bytes);
        lengths
    }
}

/// Writes a container to `path`, and returns its size in bytes.
pub(crate) fn write(
    path: &Path,
    kind: FileKind,
    rules: &Rules,
    parameters: Parameters,
    schema: &[u8],
    tables: &[EncodedTable],
) -> Result<u64, DbError> {
    let mut fields = Vec::new();
    add_varint(&mut fields, schema.len() as u64);
    fields.extend(schema);
    for table in tables {
        add_varint(&mut fields, table.lengths.len() as u64);
        fields.push(table.width() as u8);
        add_varint(&mut fields, table.model.len() as u64);
        fields.extend(&table.model);
    }
    let head = PREFIX + fields.len() + CHECKSUM;
    if head > MOST_HEAD {
        let error = io::Error::other("the head of the file is too long");
        return Err(DbError::io(path)(error));
    }
    // From the last part to the first: the start of the rows depends on the directory's length.
    let mut directory = Vec::new();
    let sizes = tables.iter();
    let sizes = sizes.map(|table| directory_bytes(table.lengths.len(), table.width()));
    let mut end = (head + sizes.sum::<usize>()) as u64;
    for table in tables {
        let width = table.width();
        for page in table.lengths.chunks(PAGE_ROWS) {
            let mut bytes = end.to_le_bytes().to_vec();
            for length in page {
                bytes.extend(&length.to_le_bytes()[..width]);
                end += u64::from(*length);
            }
            add_checksum(&mut bytes);
            directory.extend(bytes);
        }
    }
    let mut bytes = Vec::with_capacity(head);
    bytes.extend(MAGIC);
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend((head as u32).to_le_bytes());
    bytes.extend(end.to_le_bytes());
    bytes.extend(rules.fingerprint().to_le_bytes());
    bytes.extend([kind as u8, parameters.profile.metric as u8]);
    bytes.extend(parameters.columns.to_le_bytes());
    bytes.extend(parameters.contexts());
    bytes.extend((tables.len() as u16).to_le_bytes());
    bytes.extend(fields);
    add_checksum(&mut bytes);
    write_file(path, |file| {
        file.write_all(&bytes)?;
        file.write_all(&directory)?;
        for table in tables {
            // Flushed part by part, so that a process that is asked to end need not wait long for
            // the disk.
            for part in table.bytes.chunks(16 << 20) {
                file.write_all(part)?;
                file.sync_data()?;
            }
        }
        Ok(())
    })
}

/// Writes a file with `contents`, and returns its size in bytes. After an error, an existing file of
/// this name stays as it was.
pub(crate) fn write_file(
    path: &Path,
    contents: impl FnOnce(&mut File) -> io::Result<()>,
) -> Result<u64, DbError> {
    let write = || {
        let mut temporary = Temporary::create(path)?;
        contents(&mut temporary.file)?;
        temporary.file.sync_all()?;
        let size = temporary.file.metadata()?.len();
        temporary.rename(path)?;
        Ok(size)
    };
    write().map_err(DbError::io(path))
}

/// Adds the checksum of all bytes.
fn add_checksum(bytes: &mut Vec<u8>) {
    bytes.extend(xxh3_64(bytes).to_le_bytes());
}

/// Appends a number of up to 63 bits with seven in each byte, the lowest first.
fn add_varint(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Appends a histogram: the number of counts up to the last that is not zero, then these counts.
fn add_histogram(bytes: &mut Vec<u8>, histogram: &Histogram) {
    let counts = histogram.counts();
    let length = 256 - counts.iter().rev().take_while(|&&count| count == 0).count();
    add_varint(bytes, length as u64);
    for &count in &counts[..length] {
        add_varint(bytes, count);
    }
}

impl EncodedTable {
    /// The bytes of a row's length in the directory.
    fn width(&self) -> usize {
        match self.lengths.iter().all(|&length| length < 1 << 16) {
            true => 2,
            false => 3,
        }
    }
}

/// The suffix of temporary files.
const TEMPORARY: &str = ".tmp";

/// The paths of this process's temporary files.
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// A file that is removed unless it gets its final name.
pub struct Temporary {
    /// The file, which is empty at first.
    pub file: File,
    path: PathBuf,
}

impl Temporary {
    /// Creates a file with a random name in the folder of `path`. The names differ, so two
    /// processes that build the same file do not write into each other's.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn create(path: &Path) -> io::Result<Temporary> {
        let folder = match path.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => Path::new("."),
        };
        let random = RandomState::new().build_hasher().finish();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let path = folder.join(format!(".{name}.{random:016x}{TEMPORARY}"));
        let mut unfinished = locked(&UNFINISHED);
        let file = File::create_new(&path)?;
        unfinished.insert(path.clone());
        Ok(Temporary { file, path })
    }

    /// Removes the temporary files of this process, which must end then: its other threads wait if
    /// they begin or end such a file.
    pub fn remove_all() {
        let unfinished = locked(&UNFINISHED);
        for path in unfinished.iter() {
            let _ = fs::remove_file(path);
        }
        mem::forget(unfinished);
    }

    /// Gives the flushed file its final name.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn rename(self, path: &Path) -> io::Result<()> {
        fs::rename(&self.path, path)?;
        // Not all systems can open or flush folders. If a crash loses the name, the file is built
        // again.
        if let Some(folder) = self.path.parent() {
            let _ = File::open(folder).and_then(|folder| folder.sync_all());
        }
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // After renaming there is nothing to remove; before it, an error is already being reported.
        let _ = fs::remove_file(&self.path);
        locked(&UNFINISHED).remove(&self.path);
    }
}

/// The texts that the names of databases' temporary files contain.
pub(crate) const DATABASES: [&str; 2] = [".mill.", ".stage."];

/// Removes the temporary files whose names contain one of these texts from a folder, to which nothing
/// else may be writing.
///
/// # Errors
///
/// [`DbError::Io`].
pub fn remove_temporaries(folder: &Path, names: &[&str]) -> Result<(), DbError> {
    remove_files(folder, |name| {
        let is_meant = names.iter().any(|part| name.contains(part));
        name.starts_with('.') && is_meant && name.ends_with(TEMPORARY)
    })
}

/// Removes the files of a folder whose names are accepted.
pub(crate) fn remove_files(folder: &Path, is_meant: impl Fn(&str) -> bool) -> Result<(), DbError> {
    for entry in fs::read_dir(folder).map_err(DbError::io(folder))? {
        let path = entry.map_err(DbError::io(folder))?.path();
        if is_meant(&path.file_name().unwrap_or_default().to_string_lossy()) {
            fs::remove_file(&path).map_err(DbError::io(&path))?;
        }
    }
    Ok(())
}
