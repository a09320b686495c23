//! Files with tables of stages and sectors, which a build writes on its way and removes at the end.
//!
//! ```text
//! checksum of all that follows           8 bytes
//! fingerprint of the rules               8 bytes
//! stones                                 1 byte
//! the numbers of the table               4 bytes, see [`UnfinishedTable::numbers`]
//! length of each part of the table       4 bytes each
//! the parts, compressed
//! ```

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use crate::index::Material;
use crate::index::stages::Stage;
use crate::memory::Bytes;
use crate::rules::Rules;
use crate::solve::compressed::Compressed;
use crate::store::{DbError, write_file};

/// A table that a build needs on its way.
pub trait UnfinishedTable: Copy {
    /// The name of its file.
    fn file_name(self) -> String;

    /// The numbers that identify it.
    fn numbers(self) -> [u8; 4];

    /// The number of its entries.
    fn entries(self) -> usize;
}

impl UnfinishedTable for Stage {
    fn file_name(self) -> String {
        let (white, black) = (self.white_lost, self.black_lost);
        format!("placing-{:02}.{white}-{black}{SUFFIX}", self.ply)
    }

    fn numbers(self) -> [u8; 4] {
        [self.ply, self.white_lost, self.black_lost, 0]
    }

    fn entries(self) -> usize {
        self.material().entries() as usize
    }
}

impl UnfinishedTable for Material {
    fn file_name(self) -> String {
        let [mover, waiting, mover_in_hand, waiting_in_hand] = self.numbers();
        format!("{mover}-{waiting}+{mover_in_hand}-{waiting_in_hand}{SUFFIX}")
    }

    fn numbers(self) -> [u8; 4] {
        Material::numbers(self)
    }

    fn entries(self) -> usize {
        Material::entries(self) as usize
    }
}

/// The end of the names of these files.
const SUFFIX: &str = ".stage";

/// Whether a table has a file; such a file is complete.
pub fn is_solved(folder: &Path, table: impl UnfinishedTable) -> bool {
    path(folder, table).exists()
}

/// The path of a table's file.
fn path(folder: &Path, table: impl UnfinishedTable) -> PathBuf {
    folder.join(table.file_name())
}

/// The head of a table's file, without the checksum.
fn head(rules: &Rules, table: impl UnfinishedTable, lengths: &[usize]) -> Vec<u8> {
    let mut head = rules.fingerprint().to_le_bytes().to_vec();
    head.push(rules.stones);
    head.extend(table.numbers());
    head.extend(
        lengths
            .iter()
            .flat_map(|&length| (length as u32).to_le_bytes()),
    );
    head
}

/// Writes the file of a table, and returns its size in bytes.
pub fn write(
    folder: &Path,
    rules: &Rules,
    table: impl UnfinishedTable,
    values: &[u8],
) -> Result<u64, DbError> {
    let path = path(folder, table);
    let compressed = Compressed::new(values).map_err(DbError::io(&path))?;
    let head = head(rules, table, compressed.lengths());
    let checksum = xxh3_64_with_seed(compressed.bytes(), xxh3_64(&head));
    write_file(&path, |file| {
        file.write_all(&checksum.to_le_bytes())?;
        file.write_all(&head)?;
        file.write_all(compressed.bytes())?;
        file.sync_all()?;
        Ok((8 + head.len() + compressed.bytes().len()) as u64)
    })
}

/// The values of a table from its file; `None` if it has none.
pub fn read(
    folder: &Path,
    rules: &Rules,
    table: impl UnfinishedTable,
) -> Result<Option<Bytes>, DbError> {
    let path = path(folder, table);
    let file = match File::open(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file.map_err(DbError::io(&path))?,
    };
    let corrupt = |_| DbError::corrupt(&path, 0, "the build's table is damaged");
    match read_table(file, rules, table).map_err(DbError::io(&path))? {
        Some(table) => table.unpack().map(Some).map_err(corrupt),
        None => Err(corrupt(io::ErrorKind::InvalidData.into())),
    }
}

/// The compressed table in a file; `None` if the bytes are not those written.
fn read_table(
    mut file: File,
    rules: &Rules,
    table: impl UnfinishedTable,
) -> io::Result<Option<Compressed>> {
    let entries = table.entries();
    let parts = Compressed::parts_of(entries);
    let empty = head(rules, table, &vec![0; parts]);
    let mut found = vec![0; 8 + empty.len()];
    let size = file.metadata()?.len();
    let Some(length) = size.checked_sub(found.len() as u64) else {
        return Ok(None);
    };
    let mut bytes = Bytes::new(length as usize)?;
    file.read_exact(&mut found)?;
    file.read_exact(&mut bytes)?;
    let (checksum, found) = found.split_at(8);
    let (fixed, lengths) = found.split_at(empty.len() - 4 * parts);
    let lengths = lengths
        .as_chunks()
        .0
        .iter()
        .map(|&length| u32::from_le_bytes(length) as usize);
    let is_right = checksum == xxh3_64_with_seed(&bytes, xxh3_64(found)).to_le_bytes()
        && empty.starts_with(fixed);
    Ok(is_right.then(|| Compressed::from_parts(bytes, lengths.collect(), entries)))
}

/// Removes the file of a table if it has one.
pub fn remove(folder: &Path, table: impl UnfinishedTable) -> Result<(), DbError> {
    let path = path(folder, table);
    match fs::remove_file(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed.map_err(DbError::io(&path)),
    }
}

/// Removes the files of all tables whose names begin with `start`.
pub fn remove_all(folder: &Path, start: &str) -> Result<(), DbError> {
    for entry in fs::read_dir(folder).map_err(DbError::io(folder))? {
        let path = entry.map_err(DbError::io(folder))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with(start) && name.ends_with(SUFFIX) {
            fs::remove_file(&path).map_err(DbError::io(&path))?;
        }
    }
    Ok(())
}
