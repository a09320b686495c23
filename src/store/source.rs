//! Sources of a file's bytes: reads at an offset, a memory map, or memory.

use std::borrow::Cow;
use std::fmt;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::sync::Arc;

use memmap2::Mmap;

/// A source of bytes at offsets. Many threads may read at the same time.
pub trait ByteSource: fmt::Debug + Send + Sync {
    /// The number of bytes.
    fn size(&self) -> u64;

    /// Reads `length` bytes at the offset `start`.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::UnexpectedEof`] if the bytes end too soon, [`io::ErrorKind::WouldBlock`] if
    /// they have not arrived, or the source's own error. A question that needs bytes that have not
    /// arrived collects all ranges it can foresee and answers
    /// [`DbError::Pending`](super::DbError::Pending).
    fn read(&self, start: u64, length: usize) -> io::Result<Cow<'_, [u8]>>;

    /// The length of the file's head, bytes 12 to 15 of the file, if it is known before the head is
    /// read; a manifest may have it. Then a question asks for no more than the head, and for pages of
    /// the directory at the same time. A wrong number costs a round or some bytes, nothing else.
    fn head_bytes(&self) -> Option<u32> {
        None
    }
}

/// The way to access the bytes of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Access {
    /// One system call for each read. Damage to the open file causes an error, never a wrong value.
    #[default]
    Read,
    /// A memory map of the file.
    Map,
}

/// Opens a file; `None` if there is none of this name.
pub(crate) fn open(path: &Path, access: Access) -> io::Result<Option<Box<dyn ByteSource>>> {
    let metadata = match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        metadata => metadata?,
    };
    if !metadata.is_file() {
        return Err(io::Error::other(
            "expected a file, found a folder or device",
        ));
    }
    let file = File::open(path)?;
    Ok(Some(match access {
        Access::Read => Box::new(OpenFile {
            file,
            size: metadata.len(),
        }),
        // SAFETY: only `Database::open_mapped` requests maps. It is unsafe and has the same
        // contract as `map`.
        Access::Map => Box::new(Mapped(unsafe { map(&file) }?)),
    }))
}

/// Maps a file into memory.
///
/// # Safety
///
/// Nothing may write to the file or shorten it while the map lives. Replacing it by renaming, as
/// [`crate::store`] does, is allowed.
unsafe fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: the caller upholds this function's contract, which is the same.
    unsafe { Mmap::map(file) }
}

/// A file and its size when it was opened.
#[derive(Debug)]
struct OpenFile {
    file: File,
    size: u64,
}

impl ByteSource for OpenFile {
    fn size(&self) -> u64 {
        self.size
    }

    fn read(&self, start: u64, length: usize) -> io::Result<Cow<'_, [u8]>> {
        // Untrusted lengths must not allocate large vectors.
        let end = start.checked_add(length as u64);
        if end.is_none_or(|end| end > self.size) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let mut bytes = vec![0; length];
        read_at(&self.file, &mut bytes, start)?;
        Ok(Cow::Owned(bytes))
    }
}

#[derive(Debug)]
struct Mapped(Mmap);

impl ByteSource for Mapped {
    fn size(&self) -> u64 {
        self.0.len() as u64
    }

    fn read(&self, start: u64, length: usize) -> io::Result<Cow<'_, [u8]>> {
        slice(&self.0, start, length)
    }
}

impl<T: ByteSource + ?Sized> ByteSource for Arc<T> {
    fn size(&self) -> u64 {
        (**self).size()
    }

    fn read(&self, start: u64, length: usize) -> io::Result<Cow<'_, [u8]>> {
        (**self).read(start, length)
    }

    fn head_bytes(&self) -> Option<u32> {
        (**self).head_bytes()
    }
}

impl ByteSource for &'static [u8] {
    fn size(&self) -> u64 {
        self.len() as u64
    }

    fn read(&self, start: u64, length: usize) -> io::Result<Cow<'_, [u8]>> {
        slice(self, start, length)
    }
}

impl ByteSource for Vec<u8> {
    fn size(&self) -> u64 {
        self.len() as u64
    }

    fn read(&self, start: u64, length: usize) -> io::Result<Cow<'_, [u8]>> {
        slice(self, start, length)
    }
}

fn slice(bytes: &[u8], start: u64, length: usize) -> io::Result<Cow<'_, [u8]>> {
    let range = usize::try_from(start)
        .ok()
        .and_then(|start| Some(start..start.checked_add(length)?));
    let bytes = range.and_then(|range| bytes.get(range));
    bytes
        .map(Cow::Borrowed)
        .ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
}

/// Fills the buffer from an offset of the file on.
#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], start: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buffer, start)
}

/// Fills the buffer from an offset of the file on.
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

/// Fills the buffer from an offset of the file on. Files have a single read position on this
/// system, so one thread reads at a time.
#[cfg(not(any(unix, windows)))]
fn read_at(mut file: &File, buffer: &mut [u8], start: u64) -> io::Result<()> {
    use std::io::{Read, Seek, SeekFrom};
    use std::sync::Mutex;
    static READING: Mutex<()> = Mutex::new(());
    let _one = crate::lock::held(&READING);
    file.seek(SeekFrom::Start(start))?;
    file.read_exact(buffer)
}
