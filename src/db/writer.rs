//! Making a file: values to compressed blocks, in parallel and in order, then the header, then the
//! name.
//!
//! A file gets its name when all its bytes are on the disk, so what has a database's name is whole.

use std::collections::hash_map::RandomState;
use std::fs::{self, File};
use std::hash::{BuildHasher, Hasher};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::codec;
use super::error::DbError;
use super::format::{self, BLOCK_SIZE, Block, Header, TableHeader};
use crate::histogram::Histogram;
use crate::index::{Material, Pair};
use crate::rules::Rules;

/// One table, ready to be written.
#[derive(Clone, Debug)]
pub struct SolvedTable<'a> {
    /// Which table.
    pub material: Material,
    /// The value of each entry of the table's [`Index`](crate::index::Index), see
    /// [`Value::from_byte`](crate::Value::from_byte).
    pub values: &'a [u8],
    /// Of the same values.
    pub histogram: Histogram,
}

/// Writes the file of a pair and gives it the name `path`; the result is its size in bytes. The
/// same tables give the same bytes, whatever the number of threads.
///
/// # Errors
///
/// [`DbError::Io`]. There is no file of this name then, or still the one that was there before.
///
/// # Panics
///
/// If the tables are not those of the pair, in their order and of their lengths.
pub fn write_pair(
    path: &Path,
    rules: &Rules,
    pair: Pair,
    tables: &[SolvedTable<'_>],
) -> Result<u64, DbError> {
    let materials: Vec<Material> = tables.iter().map(|table| table.material).collect();
    assert_eq!(materials, pair.tables(), "tables of another pair");
    for table in tables {
        let entries = table.material.entries();
        assert_eq!(table.values.len() as u64, entries, "values missing");
    }
    let mut temporary = Temporary::create(path, pair).map_err(DbError::io(path))?;
    let size =
        write_contents(&mut temporary.file, rules, pair, tables).map_err(DbError::io(path))?;
    temporary.rename(path).map_err(DbError::io(path))?;
    Ok(size)
}

/// Writes the blocks behind the header's place, then the header.
fn write_contents(
    file: &mut File,
    rules: &Rules,
    pair: Pair,
    tables: &[SolvedTable<'_>],
) -> io::Result<u64> {
    let mut end = format::header_length(pair) as u64;
    file.seek(SeekFrom::Start(end))?;
    let mut headers = Vec::new();
    for table in tables {
        headers.push(TableHeader {
            material: table.material,
            histogram: table.histogram.clone(),
            blocks: write_blocks(file, &mut end, table.values)?,
        });
    }
    let header = Header {
        rules: rules.fingerprint(),
        pair,
        tables: headers,
    };
    file.seek(SeekFrom::Start(0))?;
    file.write_all(&header.to_bytes())?;
    file.sync_all()?;
    Ok(end)
}

/// Writes the blocks of a table at `end`, which moves behind them. While one batch is written, the
/// next is compressed.
fn write_blocks(file: &mut File, end: &mut u64, values: &[u8]) -> io::Result<Vec<Block>> {
    /// Enough to keep many threads busy, 32 MiB of values.
    const BATCH: usize = 512 * BLOCK_SIZE;
    let mut blocks = Vec::with_capacity(values.len().div_ceil(BLOCK_SIZE));
    let mut write = |batch: Vec<Vec<u8>>| -> io::Result<()> {
        for bytes in batch {
            file.write_all(&bytes)?;
            blocks.push(Block {
                offset: *end,
                length: bytes.len() as u32,
                checksum: format::checksum(&bytes),
            });
            *end += bytes.len() as u64;
        }
        // Flushed bit by bit, the disk never keeps a process that is to end waiting for long.
        file.sync_data()
    };
    let mut ready = Vec::new();
    for batch in values.chunks(BATCH) {
        let (written, compressed) = rayon::join(|| write(ready), || compress(batch));
        written?;
        ready = compressed?;
    }
    write(ready)?;
    Ok(blocks)
}

fn compress(values: &[u8]) -> io::Result<Vec<Vec<u8>>> {
    values.par_chunks(BLOCK_SIZE).map(codec::encode).collect()
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
