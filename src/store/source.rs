//! Sources of a file's bytes: reads at an offset, or memory.

use std::borrow::Cow;
use std::fmt;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::sync::Arc;

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
    /// arrived fails with [`DbError::Pending`](super::DbError::Pending), which lists all ranges
    /// that the question is known to need.
    fn read(&self, start: u64, length: usize) -> io::Result<Cow<'_, [u8]>>;

    /// The length of the file's head, which is in bytes 12 to 15 of the file, if it is known before
    /// the head is read, for example from a manifest. Then a question needs no bytes after the
    /// head, and requests pages of the directory at the same time. A wrong number costs a round or
    /// some bytes, nothing else.
    fn head_bytes(&self) -> Option<u32> {
        None
    }
}

/// Opens a file.
pub(crate) fn open(path: &Path) -> io::Result<Box<dyn ByteSource>> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other(
            "expected a file, found a folder or device",
        ));
    }
    Ok(Box::new(OpenFile::new(File::open(path)?)?))
}

/// The end of a range, which must lie within a source of this size.
pub(super) fn end_of(start: u64, length: usize, size: u64) -> io::Result<u64> {
    let end = start.checked_add(length as u64);
    let end = end.filter(|&end| end <= size);
    end.ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
}

/// A part of other bytes, such as a database within the assets of an app.
#[derive(Debug)]
pub struct ByteRange<T> {
    pub(super) source: T,
    pub(super) start: u64,
    pub(super) size: u64,
    pub(super) head: Option<u32>,
}

impl<T> ByteRange<T> {
    /// The `size` bytes of `source` that begin at the offset `start`. If the source has fewer,
    /// reading them is an error.
    pub fn new(source: T, start: u64, size: u64) -> ByteRange<T> {
        ByteRange {
            source,
            start,
            size,
            head: None,
        }
    }
}

impl<T: ByteSource> ByteSource for ByteRange<T> {
    fn size(&self) -> u64 {
        self.size
    }

    fn read(&self, start: u64, length: usize) -> io::Result<Cow<'_, [u8]>> {
        end_of(start, length, self.size)?;
        // No source has bytes from the largest number on.
        self.source.read(self.start.saturating_add(start), length)
    }

    fn head_bytes(&self) -> Option<u32> {
        self.head
    }
}

/// A file and its size when it was opened. Each read is a system call, so a file that is changed or
/// shortened while it is open gives an error, where a memory map would end the program.
#[derive(Debug)]
pub struct OpenFile {
    file: File,
    size: u64,
}

impl OpenFile {
    /// The bytes of an open file; its position does not matter.
    ///
    /// # Errors
    ///
    /// The system's error if it does not report the size.
    pub fn new(file: File) -> io::Result<OpenFile> {
        let size = file.metadata()?.len();
        Ok(OpenFile { file, size })
    }
}

impl ByteSource for OpenFile {
    fn size(&self) -> u64 {
        self.size
    }

    fn read(&self, start: u64, length: usize) -> io::Result<Cow<'_, [u8]>> {
        // Untrusted lengths must not allocate large vectors.
        end_of(start, length, self.size)?;
        let mut bytes = vec![0; length];
        read_at(&self.file, &mut bytes, start)?;
        Ok(Cow::Owned(bytes))
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

/// Bytes that are all in memory.
macro_rules! in_memory {
    ($($bytes:ty),*) => {$(
        impl ByteSource for $bytes {
            fn size(&self) -> u64 {
                self.len() as u64
            }

            fn read(&self, start: u64, length: usize) -> io::Result<Cow<'_, [u8]>> {
                let end = end_of(start, length, self.size())?;
                Ok(Cow::Borrowed(&self[start as usize..end as usize]))
            }
        }
    )*};
}

in_memory!(&'static [u8], Vec<u8>);

/// Fills the buffer with the bytes of the file from an offset on.
#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], start: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buffer, start)
}

/// Fills the buffer with the bytes of the file from an offset on.
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

/// Fills the buffer with the bytes of the file from an offset on. Files have a single position on
/// this system, so one thread reads at a time.
#[cfg(not(any(unix, windows)))]
fn read_at(mut file: &File, buffer: &mut [u8], start: u64) -> io::Result<()> {
    use std::io::{Read, Seek, SeekFrom};
    use std::sync::Mutex;
    static READING: Mutex<()> = Mutex::new(());
    let _one = crate::lock::locked(&READING);
    file.seek(SeekFrom::Start(start))?;
    file.read_exact(buffer)
}
