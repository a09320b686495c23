//! Making a file: values to compressed rows, in parallel and in order, then the header, then the
//! name.
//!
//! A file gets its name when all its bytes are on the disk, so what has a database's name is whole.

use std::collections::hash_map::RandomState;
use std::fs::{self, File};
use std::hash::{BuildHasher, Hasher};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::codec::{Effort, Encoder, Model, Scratch, Shape, Stored, Training};
use super::error::DbError;
use super::format::{self, Header};
use super::profile::{Contents, Level, Profile};
use crate::histogram::Histogram;
use crate::index::{Index, Pair};
use crate::rules::Rules;

/// A solved pair, ready to be written.
#[derive(Clone, Debug)]
pub struct SolvedPair<'a> {
    /// Which pair.
    pub pair: Pair,
    /// The value of each entry of the [`Index`] of the table in which the larger side moves, see
    /// [`Value::from_byte`](crate::Value::from_byte). The values of the other table follow from
    /// these.
    pub values: &'a [u8],
    /// Of all the pair's tables, in the order of [`Pair::tables`].
    pub histograms: Vec<Histogram>,
}

/// Writes the file of a pair and gives it the name `path`; the result is its size in bytes. The
/// same values give the same bytes, whatever the number of threads.
///
/// # Errors
///
/// [`DbError::Io`]. There is no file of this name then, or still the one that was there before.
///
/// # Panics
///
/// If the numbers of values or histograms are not those of the pair.
pub fn write_pair(
    path: &Path,
    rules: &Rules,
    solved: &SolvedPair<'_>,
    profile: Profile,
) -> Result<u64, DbError> {
    let material = format::stored_table(solved.pair);
    let entries = solved.values.len() as u64;
    assert_eq!(entries, material.entries(), "values missing");
    let tables = solved.pair.tables().len();
    assert_eq!(solved.histograms.len(), tables, "histograms missing");
    let mut temporary = Temporary::create(path, solved.pair).map_err(DbError::io(path))?;
    let size =
        write_contents(&mut temporary.file, rules, solved, profile).map_err(DbError::io(path))?;
    temporary.rename(path).map_err(DbError::io(path))?;
    Ok(size)
}

/// Writes the model and the rows behind the header's place, then the fields of the rows and the
/// header.
fn write_contents(
    file: &mut File,
    rules: &Rules,
    solved: &SolvedPair<'_>,
    profile: Profile,
) -> io::Result<u64> {
    let &SolvedPair { pair, values, .. } = solved;
    let material = format::stored_table(pair);
    let gaps = Stored::can_leave_out(rules, material);
    let (effort, stored) = match (profile.level, profile.contents, gaps) {
        (Level::Quick, Contents::Depths, true) => (Effort::QUICK_WITH_GAPS, Stored::EvenOrClosing),
        (Level::Quick, Contents::Depths, false) => (Effort::QUICK, Stored::All),
        (Level::Quick, Contents::Wdl, true) => (Effort::WITHOUT_DEPTHS, Stored::EvenOrClosing),
        (Level::Quick, Contents::Wdl, false) => (Effort::WITHOUT_DEPTHS, Stored::All),
        (Level::Max, _, true) => (Effort::MAX, Stored::Even),
        (Level::Max, _, false) => (Effort::MAX, Stored::All),
    };
    let table = Table {
        index: Index::new(material),
        shape: Shape::new(rules, material, stored, effort),
        contents: profile.contents,
        values,
    };
    let model = table.train();
    let mut header = Header {
        rules: rules.fingerprint(),
        pair,
        contents: profile.contents,
        stored,
        effort,
        file_length: 0,
        model_length: model.len() as u32,
        histograms: solved.histograms.clone(),
    };
    for histogram in &mut header.histograms {
        *histogram = histogram.of_contents(profile.contents);
    }
    let rows = table.index.rows().len();
    let mut end = header.row(rows) + format::ROW as u64;
    file.seek(SeekFrom::Start(end))?;
    let known = Model::from_bytes(&model).ok_or_else(|| io::Error::other("the model is wrong"))?;
    let fields = table.write_rows(file, &known, &mut end)?;
    header.file_length = end;
    file.seek(SeekFrom::Start(0))?;
    file.write_all(&header.to_bytes())?;
    file.write_all(&format::with_checksum(model))?;
    file.write_all(&fields)?;
    file.sync_all()?;
    Ok(end)
}

/// A table to be written.
struct Table<'a> {
    index: Index,
    shape: Shape,
    contents: Contents,
    values: &'a [u8],
}

impl Table<'_> {
    /// A model of some of the blocks, evenly spread, as bytes.
    fn train(&self) -> Vec<u8> {
        let columns = self.index.columns().count();
        let blocks = self.index.rows().len() * self.shape.blocks();
        let enough = Training::enough(self.shape.effort());
        let step = (self.values.len() / enough).max(1);
        let mut training = Training::default();
        let mut scratch = Scratch::default();
        let mut folded = Vec::new();
        for block in (0..blocks).step_by(step) {
            let (row, block) = (block / self.shape.blocks(), block % self.shape.blocks());
            let range = self.shape.columns_of(block);
            let start = range.start;
            let values = &self.values[row * columns..][range];
            folded.clear();
            folded.extend(values.iter().map(|&byte| self.contents.of_byte(byte)));
            let row = self.shape.row(self.index.rows().set(row));
            training.add(&self.shape, &row, start, &folded, &mut scratch);
        }
        training.into_model(self.shape.effort())
    }

    /// Writes the rows at `end`, which moves behind them; the result are the fields of all rows.
    /// While one batch is written, the next is compressed.
    fn write_rows(&self, file: &mut File, model: &Model, end: &mut u64) -> io::Result<Vec<u8>> {
        /// Values in a batch, enough to keep many threads busy.
        const BATCH: usize = 32 << 20;
        let encoder = Encoder::new(&self.shape, model);
        let columns = self.index.columns().count();
        let mut fields = Vec::with_capacity((self.index.rows().len() + 1) * format::ROW);
        let mut write = |batch: Vec<Vec<u8>>| -> io::Result<()> {
            for bytes in batch {
                file.write_all(&bytes)?;
                fields.extend(end.to_le_bytes());
                fields.extend(format::checksum(&bytes).to_le_bytes());
                *end += bytes.len() as u64;
            }
            // Flushed bit by bit, the disk never keeps a process that is to end waiting for long.
            file.sync_data()
        };
        let rows_in_batch = (BATCH / columns).max(1);
        let mut ready = Vec::new();
        for (number, batch) in self.values.chunks(rows_in_batch * columns).enumerate() {
            let first = number * rows_in_batch;
            let compress = || {
                let rows = batch.par_chunks(columns).enumerate();
                rows.map_init(Default::default, |(scratch, folded), (row, values)| {
                    self.encode(&encoder, first + row, values, scratch, folded)
                })
                .collect()
            };
            let (written, compressed) = rayon::join(|| write(ready), compress);
            written?;
            ready = compressed;
        }
        write(ready)?;
        fields.extend(end.to_le_bytes());
        fields.extend([0; 8]);
        Ok(fields)
    }

    /// A row's bytes: the lengths of its blocks, then the blocks.
    fn encode(
        &self,
        encoder: &Encoder<'_>,
        row: usize,
        values: &[u8],
        scratch: &mut Scratch,
        folded: &mut Vec<u8>,
    ) -> Vec<u8> {
        folded.clear();
        folded.extend(values.iter().map(|&byte| self.contents.of_byte(byte)));
        let blocks = self.shape.blocks();
        let row = self.shape.row(self.index.rows().set(row));
        let mut bytes = vec![0; 2 * blocks];
        for block in 0..blocks {
            let columns = self.shape.columns_of(block);
            let before = bytes.len();
            let values = &folded[columns.clone()];
            encoder.encode(&row, columns.start, values, scratch, &mut bytes);
            let length = (bytes.len() - before) as u16;
            bytes[2 * block..][..2].copy_from_slice(&length.to_le_bytes());
        }
        bytes
    }
}

/// How the names of temporary files end.
const TEMPORARY: &str = ".tmp";

/// A file that is removed unless it gets its final name.
struct Temporary {
    file: File,
    path: PathBuf,
    folder: PathBuf,
}

impl Temporary {
    /// A new file beside `path`. Nobody else chooses the same random name, so that two who write
    /// the same pair do not write into one file.
    fn create(path: &Path, pair: Pair) -> io::Result<Temporary> {
        let folder = match path.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => Path::new("."),
        };
        let random = RandomState::new().build_hasher().finish();
        let name = super::file_name(pair);
        let path = folder.join(format!(".{name}.{random:016x}{TEMPORARY}"));
        Ok(Temporary {
            file: File::create_new(&path)?,
            path,
            folder: folder.to_path_buf(),
        })
    }

    /// Gives the file, which is on the disk, its final name.
    fn rename(self, path: &Path) -> io::Result<()> {
        fs::rename(&self.path, path)?;
        // Not all systems open or flush folders. Where the name gets lost in a crash, the pair is
        // built again.
        let _ = File::open(&self.folder).and_then(|folder| folder.sync_all());
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // After renaming there is nothing to remove; otherwise an error is being reported already.
        let _ = fs::remove_file(&self.path);
    }
}

/// Removes the temporary files of all pairs from a folder to which nobody else writes.
pub(crate) fn remove_temporaries(folder: &Path) -> Result<(), DbError> {
    let entries = fs::read_dir(folder).map_err(DbError::io(folder))?;
    for entry in entries {
        let path = entry.map_err(DbError::io(folder))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with('.') && name.contains(".mill.") && name.ends_with(TEMPORARY) {
            fs::remove_file(&path).map_err(DbError::io(&path))?;
        }
    }
    Ok(())
}
