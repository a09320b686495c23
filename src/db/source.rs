//! The bytes of one file, wherever they are: read when asked for, mapped, or part of the program.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io;
use std::path::Path;

use memmap2::Mmap;

/// How a file's bytes are reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Access {
    /// By reading at a place, which takes a call of the system each time, and whatever happens to
    /// the file is an error at worst.
    #[default]
    Read,
    /// By mapping into memory.
    Map,
}

/// The bytes of a file.
#[derive(Debug)]
pub(super) enum Source {
    File(File, u64),
    Mapped(Mmap),
    Embedded(&'static [u8]),
}

/// Maps a file into memory.
///
/// # Safety
///
/// Nobody may write to the file or shorten it while the map lives.
/// Replacing it by renaming another file, as [`write_pair`](super::write_pair) does, is no writing.
unsafe fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: the caller keeps this function's own contract, which is the same.
    unsafe { Mmap::map(file) }
}

impl Source {
    /// Opens a file, `None` if there is none of this name.
    pub fn open(path: &Path, access: Access) -> io::Result<Option<Source>> {
        let metadata = match fs::metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            metadata => metadata?,
        };
        if !metadata.is_file() {
            return Err(io::Error::other("it is no file"));
        }
        let file = File::open(path)?;
        Ok(Some(match access {
            Access::Read => Source::File(file, metadata.len()),
            // SAFETY: `Database::open_mapped`, which alone asks for maps, is unsafe and demands of
            // its callers what `map` does.
            Access::Map => Source::Mapped(unsafe { map(&file) }?),
        }))
    }

    /// How many bytes there are; of a file, how many there were when it was opened.
    pub fn len(&self) -> u64 {
        match self {
            Source::File(_, length) => *length,
            Source::Mapped(map) => map.len() as u64,
            Source::Embedded(bytes) => bytes.len() as u64,
        }
    }

    /// So many bytes from a place on.
    ///
    /// # Errors
    ///
    /// `UnexpectedEof` if the file ends before, or the system's reason.
    pub fn bytes(&self, start: u64, length: usize) -> io::Result<Cow<'_, [u8]>> {
        let bytes: &[u8] = match self {
            Source::File(file, all) => {
                // Hostile lengths must not make large vectors.
                if start
                    .checked_add(length as u64)
                    .is_none_or(|end| end > *all)
                {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
                let mut bytes = vec![0; length];
                read_at(file, &mut bytes, start)?;
                return Ok(Cow::Owned(bytes));
            }
            Source::Mapped(map) => map,
            Source::Embedded(bytes) => bytes,
        };
        let range = usize::try_from(start)
            .ok()
            .and_then(|start| Some(start..start.checked_add(length)?));
        let bytes = range.and_then(|range| bytes.get(range));
        bytes
            .map(Cow::Borrowed)
            .ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }
}

/// Fills the buffer from a place of the file on.
#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], start: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buffer, start)
}

/// Fills the buffer from a place of the file on.
#[cfg(windows)]
fn read_at(file: &File, mut buffer: &mut [u8], mut start: u64) -> io::Result<()> {
    while !buffer.is_empty() {
        let length = std::os::windows::fs::FileExt::seek_read(file, buffer, start)?;
        if length == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        buffer = &mut buffer[length..];
        start += length as u64;
    }
    Ok(())
}
