//! Files with intermediate tables of a build, those of stages and sectors, which it removes at the end.
//!
//! ```text
//! checksum of all that follows           8 bytes
//! fingerprint of the rules               8 bytes
//! stones                                 1 byte
//! the numbers of the table               4 bytes, see [`UnfinishedFile`]
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
use crate::store::{self, DbError};
use crate::value::Metric;

/// The end of the names of these files.
const SUFFIX: &str = ".stage";

/// The end of the name of a file with values of this metric: a build with depths uses no table without them.
fn suffix(metric: Metric) -> String {
    match metric {
        Metric::Depth => SUFFIX.to_owned(),
        Metric::Wdl => format!(".wdl{SUFFIX}"),
    }
}

/// The file of an intermediate table of a build.
pub struct UnfinishedFile {
    path: PathBuf,
    /// The numbers that identify the table.
    numbers: [u8; 4],
    /// The number of its entries.
    entries: usize,
}

impl UnfinishedFile {
    /// The file of a stage in this folder.
    pub fn of_stage(folder: &Path, stage: Stage, metric: Metric) -> UnfinishedFile {
        let (ply, white, black) = (stage.ply, stage.white_lost, stage.black_lost);
        let suffix = suffix(metric);
        UnfinishedFile {
            path: folder.join(format!("placing-{ply:02}.{white}-{black}{suffix}")),
            numbers: [ply, white, black, 0],
            entries: stage.material().entries() as usize,
        }
    }

    /// The file of a sector in this folder.
    pub fn of_sector(folder: &Path, sector: Material, metric: Metric) -> UnfinishedFile {
        let [mover, waiting, hand, other_hand] = sector.numbers();
        let suffix = suffix(metric);
        UnfinishedFile {
            path: folder.join(format!("{mover}-{waiting}+{hand}-{other_hand}{suffix}")),
            numbers: sector.numbers(),
            entries: sector.entries() as usize,
        }
    }

    /// Whether the file is there; then it is complete.
    pub fn exists(&self) -> bool {
        self.path.exists()
    }

    /// The head of the file, without the checksum.
    fn head(&self, rules: &Rules, lengths: &[usize]) -> Vec<u8> {
        let mut head = rules.fingerprint().to_le_bytes().to_vec();
        head.push(rules.stones);
        head.extend(self.numbers);
        let lengths = lengths.iter().map(|&length| length as u32);
        head.extend(lengths.flat_map(u32::to_le_bytes));
        head
    }

    /// Writes the values of the table, and returns the size of the file in bytes.
    pub fn write(&self, rules: &Rules, values: &[u8]) -> Result<u64, DbError> {
        let compressed = Compressed::new(values).map_err(DbError::io(&self.path))?;
        let head = self.head(rules, &compressed.lengths);
        let checksum = xxh3_64_with_seed(compressed.bytes(), xxh3_64(&head));
        store::write_file(&self.path, |file| {
            file.write_all(&checksum.to_le_bytes())?;
            file.write_all(&head)?;
            file.write_all(compressed.bytes())
        })
    }

    /// The values of the table; `None` if the file is not there.
    pub fn read(&self, rules: &Rules) -> Result<Option<Bytes>, DbError> {
        let path = &self.path;
        let file = match File::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file.map_err(DbError::io(path))?,
        };
        let corrupt = |_| DbError::corrupt(path, 0, "the build's table is damaged");
        match self.compressed(file, rules).map_err(DbError::io(path))? {
            Some(table) => table.unpack().map(Some).map_err(corrupt),
            None => Err(corrupt(io::ErrorKind::InvalidData.into())),
        }
    }

    /// The compressed table in the opened file; `None` if the bytes are not those written.
    fn compressed(&self, mut file: File, rules: &Rules) -> io::Result<Option<Compressed>> {
        let parts = Compressed::parts_of(self.entries);
        let empty = self.head(rules, &vec![0; parts]);
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
        let lengths = lengths.as_chunks().0.iter();
        let lengths = lengths.map(|&length| u32::from_le_bytes(length) as usize);
        let is_right = checksum == xxh3_64_with_seed(&bytes, xxh3_64(found)).to_le_bytes()
            && empty.starts_with(fixed);
        Ok(is_right.then(|| Compressed::from_parts(bytes, lengths.collect(), self.entries)))
    }

    /// Removes the file if it is there.
    pub fn remove(&self) -> Result<(), DbError> {
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed.map_err(DbError::io(&self.path)),
        }
    }
}

/// Removes the files of all tables whose names begin with `start`.
pub fn remove_all(folder: &Path, start: &str) -> Result<(), DbError> {
    let is_meant = |name: &str| name.starts_with(start) && name.ends_with(SUFFIX);
    store::remove_files(folder, is_meant)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_without_depths_are_not_taken_for_those_with_depths() {
        let folder = tempfile::tempdir().expect("a folder");
        let (rules, sector) = (Rules::LASKER, Material::new(3, 0).with_hands([0, 3]));
        let file = |metric| UnfinishedFile::of_sector(folder.path(), sector, metric);
        let values = vec![1; sector.entries() as usize];
        file(Metric::Wdl).write(&rules, &values).expect("a file");
        assert!(file(Metric::Wdl).exists() && !file(Metric::Depth).exists());
        remove_all(folder.path(), "").expect("a folder");
        assert!(!file(Metric::Wdl).exists());
    }
}
