//! The tables of single stages in files, which a build writes on its way and removes at the end.
//!
//! ```text
//! checksum of all that follows           8 bytes
//! fingerprint of the rules               8 bytes
//! stones, ply, white lost, black lost    1 byte each
//! length of each part of the table       4 bytes each
//! the parts, compressed
//! ```

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use crate::index::stages::Stage;
use crate::memory::Bytes;
use crate::rules::Rules;
use crate::solve::compressed::Compressed;
use crate::store::{DbError, write_file};

/// Whether a stage has a file, which then is complete.
pub fn is_solved(folder: &Path, stage: Stage) -> bool {
    path(folder, stage).exists()
}

/// The path of a stage's file.
fn path(folder: &Path, stage: Stage) -> PathBuf {
    let (white, black) = (stage.white_lost, stage.black_lost);
    folder.join(format!("placing-{:02}.{white}-{black}.stage", stage.ply))
}

/// The head of a stage's file, without the checksum.
fn head(rules: &Rules, stage: Stage, lengths: &[usize]) -> Vec<u8> {
    let mut head = rules.fingerprint().to_le_bytes().to_vec();
    head.extend([rules.stones, stage.ply, stage.white_lost, stage.black_lost]);
    head.extend(
        lengths
            .iter()
            .flat_map(|&length| (length as u32).to_le_bytes()),
    );
    head
}

/// Writes the file of a stage, and returns its size in bytes.
pub fn write(folder: &Path, rules: &Rules, stage: Stage, values: &[u8]) -> Result<u64, DbError> {
    let path = path(folder, stage);
    let table = Compressed::new(values).map_err(DbError::io(&path))?;
    let head = head(rules, stage, table.lengths());
    let checksum = xxh3_64_with_seed(table.bytes(), xxh3_64(&head));
    write_file(&path, |file| {
        file.write_all(&checksum.to_le_bytes())?;
        file.write_all(&head)?;
        file.write_all(table.bytes())?;
        file.sync_all()?;
        Ok((8 + head.len() + table.bytes().len()) as u64)
    })
}

/// The values of a stage from its file; `None` if it has none.
pub fn read(folder: &Path, rules: &Rules, stage: Stage) -> Result<Option<Bytes>, DbError> {
    let path = path(folder, stage);
    let file = match File::open(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file.map_err(DbError::io(&path))?,
    };
    let corrupt = |_| DbError::corrupt(&path, 0, "the build's table of a stage is damaged");
    let entries = stage.material().entries() as usize;
    match read_table(file, rules, stage, entries).map_err(DbError::io(&path))? {
        Some(table) => table.unpack().map(Some).map_err(corrupt),
        None => Err(corrupt(io::ErrorKind::InvalidData.into())),
    }
}

/// The compressed table of a stage; `None` if the bytes are not those written.
fn read_table(
    mut file: File,
    rules: &Rules,
    stage: Stage,
    entries: usize,
) -> io::Result<Option<Compressed>> {
    let parts = Compressed::parts_of(entries);
    let empty = head(rules, stage, &vec![0; parts]);
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

/// Removes the files of the stages of a ply, or of all plies.
pub fn remove(folder: &Path, ply: Option<u8>) -> Result<(), DbError> {
    let start = ply.map_or("placing-".to_owned(), |ply| format!("placing-{ply:02}."));
    for entry in fs::read_dir(folder).map_err(DbError::io(folder))? {
        let path = entry.map_err(DbError::io(folder))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with(&start) && name.ends_with(".stage") {
            fs::remove_file(&path).map_err(DbError::io(&path))?;
        }
    }
    Ok(())
}
