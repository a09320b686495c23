//! Compressed tables in memory, in files of a build, or in files of a check: compressed quickly rather
//! than well.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::Path;

use rayon::prelude::*;

use crate::memory::Bytes;

/// A table as a sequence of compressed parts.
#[derive(Debug)]
pub(super) struct Compressed {
    /// Longer than the parts together; pages that are not written take no memory.
    bytes: Bytes,
    /// The lengths of the parts.
    pub(super) lengths: Vec<usize>,
    /// The number of values.
    values: usize,
}

impl Compressed {
    /// The number of values in a part.
    const PART: usize = 1 << 18;

    /// The number of parts that are compressed at the same time.
    const AT_ONCE: usize = 64;

    /// The number of parts of a table with this many values.
    pub(super) fn parts_of(values: usize) -> usize {
        values.div_ceil(Compressed::PART)
    }

    /// Compresses a table.
    pub(super) fn new(values: &[u8]) -> io::Result<Compressed> {
        let parts = Compressed::parts_of(values.len());
        let mut bytes = Bytes::new(parts * zstd::zstd_safe::compress_bound(Compressed::PART))?;
        let (mut lengths, mut end) = (Vec::with_capacity(parts), 0);
        for values in values.chunks(Compressed::AT_ONCE * Compressed::PART) {
            let parts = values.par_chunks(Compressed::PART);
            let parts = parts.map(|part| zstd::bulk::compress(part, 1));
            for part in parts.collect::<io::Result<Vec<_>>>()? {
                bytes[end..end + part.len()].copy_from_slice(&part);
                end += part.len();
                lengths.push(part.len());
            }
        }
        Ok(Compressed::from_parts(bytes, lengths, values.len()))
    }

    /// The values of the table.
    pub(super) fn unpack(&self) -> io::Result<Bytes> {
        let mut values = Bytes::new(self.values)?;
        let mut rest = &self.bytes[..];
        let part = |&length: &usize| rest.split_off(..length).unwrap_or_default();
        let parts: Vec<&[u8]> = self.lengths.iter().map(part).collect();
        let places = values.par_chunks_mut(Compressed::PART).zip(parts);
        places.try_for_each(|(place, part)| {
            zstd::bulk::decompress_to_buffer(part, place).map(drop)
        })?;
        Ok(values)
    }

    /// The compressed parts, one after the other.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.lengths.iter().sum()]
    }

    /// A table of this many values from its compressed parts, one after the other in `bytes`.
    pub(super) fn from_parts(bytes: Bytes, lengths: Vec<usize>, values: usize) -> Compressed {
        Compressed {
            bytes,
            lengths,
            values,
        }
    }
}

/// A compressed table in a file without a name, which the system removes when the process ends.
#[derive(Debug)]
pub(super) struct CompressedFile {
    file: File,
    lengths: Vec<usize>,
    /// The number of values.
    values: usize,
}

impl CompressedFile {
    /// Compresses a table to a file in this folder.
    pub fn write(folder: &Path, values: &[u8]) -> io::Result<CompressedFile> {
        let mut file = tempfile::tempfile_in(folder)?;
        let table = Compressed::new(values)?;
        file.write_all(table.bytes())?;
        Ok(CompressedFile {
            file,
            lengths: table.lengths,
            values: table.values,
        })
    }

    /// The values of the table.
    pub fn read(&self) -> io::Result<Bytes> {
        let mut bytes = Bytes::new(self.lengths.iter().sum())?;
        let mut file = &self.file;
        file.rewind()?;
        file.read_exact(&mut bytes)?;
        Compressed::from_parts(bytes, self.lengths.clone(), self.values).unpack()
    }
}
