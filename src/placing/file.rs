//! One ply's file, opened: its tables, their rows and values.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::codec;
use super::format::{self, Header, PREFIX};
use super::layout::Layout;
use super::reachable::{Reachable, Stage};
use crate::db::DbError;
use crate::histogram::Histogram;
#[cfg(feature = "build")]
use crate::retro::memory::Bytes;
use crate::rules::Rules;

/// The name of a ply's file in its folder.
pub fn file_name(ply: u8) -> String {
    format!("placing-{ply:02}.mill")
}

/// The file of a ply, opened. Its header is checked; its rows are when they are read. It is read
/// where it is asked for, so it may be replaced while it is open.
#[derive(Debug)]
pub struct PlyFile {
    path: PathBuf,
    file: File,
    bytes: u64,
    header: Header,
    /// Made when first needed, in the order of the header's tables.
    layouts: Vec<OnceLock<Layout>>,
}

impl PlyFile {
    /// Opens the file of a ply in a folder, `None` if there is none.
    pub(super) fn open(
        folder: &Path,
        ply: u8,
        rules: &Rules,
        reachable: &Reachable,
    ) -> Result<Option<PlyFile>, DbError> {
        let path = folder.join(file_name(ply));
        let file = match File::open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            opened => opened.map_err(DbError::io(&path))?,
        };
        let size = file.metadata().map_err(DbError::io(&path))?.len();
        let mut bytes = vec![0; PREFIX];
        read(&file, &mut bytes, 0, &path)?;
        let mut bytes = vec![0; Header::length(&bytes, size, &path)?];
        read(&file, &mut bytes, 0, &path)?;
        let header = Header::parse(&bytes, rules, reachable, ply, &path)?;
        let end = header.end(reachable);
        if size != end {
            let what = format!("the file has {size} bytes, but its rows end at {end}");
            return Err(DbError::corrupt(&path, size.min(end), what));
        }
        Ok(Some(PlyFile {
            path,
            file,
            bytes: size,
            layouts: header.tables.iter().map(|_| OnceLock::new()).collect(),
            header,
        }))
    }

    /// How many turns have been made.
    pub fn ply(&self) -> u8 {
        self.header.ply
    }

    /// Where the file is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The size of the file in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The stages whose positions the file holds.
    pub fn stages(&self) -> impl Iterator<Item = Stage> + '_ {
        self.header.tables.iter().map(|table| table.stage)
    }

    /// How often each value occurs among the distinct positions of a stage that are stored.
    pub fn histogram(&self, stage: Stage) -> Option<&Histogram> {
        Some(&self.header.tables[self.number(stage)?].histogram)
    }

    /// The number of a stage's table.
    pub(super) fn number(&self, stage: Stage) -> Option<usize> {
        let tables = &self.header.tables;
        tables.iter().position(|table| table.stage == stage)
    }

    /// Which positions a table stores. The number must be one of [`PlyFile::number`].
    pub(super) fn layout(&self, number: usize, reachable: &Reachable) -> &Layout {
        let stage = self.header.tables[number].stage;
        self.layouts[number].get_or_init(|| Layout::new(reachable, stage))
    }

    /// Fills all columns of one stored row.
    pub(super) fn read_row(
        &self,
        number: usize,
        layout: &Layout,
        slot: usize,
        values: &mut [u8],
    ) -> Result<(), DbError> {
        let row = self.header.tables[number].rows[slot];
        let mut bytes = vec![0; row.length as usize];
        read(&self.file, &mut bytes, row.offset, &self.path)?;
        let corrupt = |what| DbError::corrupt(&self.path, row.offset, what);
        if format::checksum(&bytes) != row.checksum {
            return Err(corrupt(
                "the row does not have the checksum in the header".to_owned(),
            ));
        }
        let packed = codec::decode(&bytes, values.len()).map_err(corrupt)?;
        match layout.unpack(layout.rows()[slot], &packed, values) {
            true => Ok(()),
            false => Err(corrupt(format!(
                "{} values are not those of the row",
                packed.len()
            ))),
        }
    }

    /// All values of one of the file's stages in the order of its index; rows and columns that are
    /// not stored hold anything.
    #[cfg(feature = "build")]
    pub(super) fn load(&self, stage: Stage, reachable: &Reachable) -> Result<Bytes, DbError> {
        use rayon::prelude::*;
        let Some(number) = self.number(stage) else {
            return Bytes::zeroed(0).map_err(DbError::io(&self.path));
        };
        let layout = self.layout(number, reachable);
        let mut values = Bytes::zeroed(layout.index.len()).map_err(DbError::io(&self.path))?;
        let rows = values.par_chunks_mut(layout.index.columns().count());
        rows.enumerate()
            .try_for_each(|(row, values)| match layout.slot(row) {
                Some(slot) => self.read_row(number, layout, slot, values),
                None => Ok(()),
            })?;
        Ok(values)
    }
}

/// Reads bytes at an offset; a file that has become too short is damaged.
fn read(file: &File, bytes: &mut [u8], offset: u64, path: &Path) -> Result<(), DbError> {
    #[cfg(unix)]
    let result = std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset);
    #[cfg(windows)]
    let result = read_exact_at(file, bytes, offset);
    result.map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => DbError::corrupt(path, offset, "the file ends too soon"),
        _ => DbError::io(path)(error),
    })
}

#[cfg(windows)]
fn read_exact_at(file: &File, mut bytes: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, bytes, offset)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            count => {
                bytes = &mut bytes[count..];
                offset += count as u64;
            }
        }
    }
    Ok(())
}
