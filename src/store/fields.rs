//! The fields of a file: numbers and checksums.

use std::path::Path;

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::error::DbError;
use crate::index::histogram::Histogram;
use crate::rules::counted;

/// Bytes of the checksum of a head or of a directory page, and of that of a row.
pub(crate) const CHECKSUM: usize = 8;
pub(crate) const ROW_CHECKSUM: usize = 4;

/// The bytes without the checksum at their end; `None` if it is wrong.
pub(crate) fn checked(bytes: &[u8]) -> Option<&[u8]> {
    let (bytes, sum) = bytes.split_last_chunk::<CHECKSUM>()?;
    (xxh3_64(bytes) == u64::from_le_bytes(*sum)).then_some(bytes)
}

/// The checksum of a row: the low half of XXH3, seeded with the row's place in the file, so that
/// the bytes of another row do not pass.
pub(crate) fn row_checksum(bytes: &[u8], table: usize, row: usize) -> [u8; ROW_CHECKSUM] {
    let seed = (table as u64) << 32 | row as u64;
    (xxh3_64_with_seed(bytes, seed) as u32).to_le_bytes()
}

/// Takes a number from the front: seven bits in each byte, the low ones first; the highest bit of a
/// byte is set if another byte follows. `None` if the bytes end too soon or the number has more
/// than 63 bits.
#[inline(always)]
pub(crate) fn take_varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..63).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

/// Takes the fields of a head one after the other.
pub(crate) struct HeadReader<'a> {
    /// The remaining fields, without the checksum.
    pub rest: &'a [u8],
    /// Their offset in the file.
    pub at: usize,
    /// The file, for errors.
    pub name: &'a Path,
}

impl<'a> HeadReader<'a> {
    /// Takes the version of a format, which must be the expected one.
    pub fn version(&mut self, expected: u32) -> Result<(), DbError> {
        let version = u32::from_le_bytes(self.take()?);
        match version == expected {
            true => Ok(()),
            false => Err(DbError::OtherVersion {
                file: self.name.to_path_buf(),
                version,
                expected,
            }),
        }
    }

    /// The bytes of the next field, which has a fixed length.
    pub fn take<const N: usize>(&mut self) -> Result<[u8; N], DbError> {
        let mut field = [0; N];
        field.copy_from_slice(self.take_slice(N as u64)?);
        Ok(field)
    }

    /// The next `length` bytes.
    pub fn take_slice(&mut self, length: u64) -> Result<&'a [u8], DbError> {
        let end = usize::try_from(length).ok();
        let Some(field) = end.and_then(|end| self.rest.split_off(..end)) else {
            let found = self.rest.len();
            let what =
                format!("the head ends too soon: expected {length} more bytes, found {found}");
            return Err(self.corrupt(self.at, what));
        };
        self.at += field.len();
        Ok(field)
    }

    /// The next number of variable length.
    pub fn varint(&mut self) -> Result<u64, DbError> {
        let before = self.rest.len();
        let number = take_varint(&mut self.rest);
        let number =
            number.ok_or_else(|| self.corrupt(self.at, "expected a number, found none"))?;
        self.at += before - self.rest.len();
        Ok(number)
    }

    /// Takes the length of the file, which must be this one.
    pub fn size(&mut self, size: u64) -> Result<(), DbError> {
        let expected = u64::from_le_bytes(self.take()?);
        match size == expected {
            true => Ok(()),
            false => {
                let what = format!("wrong size: expected {expected} bytes, found {size}");
                Err(DbError::corrupt(self.name, size.min(expected), what))
            }
        }
    }

    /// Takes a byte that is an index into `things`, which `what` names for errors.
    pub fn one_of<T: Copy>(&mut self, what: &str, things: &[T]) -> Result<T, DbError> {
        let at = self.at;
        let [number] = self.take()?;
        let thing = things.get(usize::from(number)).copied();
        thing.ok_or_else(|| {
            let most = things.len() - 1;
            self.corrupt(
                at,
                format!("unknown {what}: expected 0 to {most}, found {number}"),
            )
        })
    }

    /// Takes the next field, which must have this value.
    pub fn expect<const N: usize>(&mut self, what: &str, expected: [u8; N]) -> Result<(), DbError> {
        let at = self.at;
        let found = self.take()?;
        if found == expected {
            return Ok(());
        }
        let what = format!("wrong {what}: expected {expected:?}, found {found:?}");
        Err(self.corrupt(at, what))
    }

    /// A histogram that counts no more than `entries` positions.
    pub fn histogram(&mut self, entries: u64) -> Result<Histogram, DbError> {
        let at = self.at;
        let length = self.varint()?;
        let mut counts = [0; 256];
        let mut positions = 0u64;
        let Some(filled) = counts.get_mut(..length.min(257) as usize) else {
            let what = format!("expected at most 256 counts, found {length}");
            return Err(self.corrupt(at, what));
        };
        for count in filled {
            *count = self.varint()?;
            positions = positions.saturating_add(*count);
        }
        if positions > entries {
            let what =
                format!("expected at most {entries} positions in the histogram, found {positions}");
            return Err(self.corrupt(at, what));
        }
        Ok(Histogram::from_counts(counts))
    }

    /// Checks that no field is left.
    pub fn end(&self) -> Result<(), DbError> {
        if self.rest.is_empty() {
            return Ok(());
        }
        let surplus = counted(self.rest.len(), "byte");
        let what = format!("the head has {surplus} after the last field");
        Err(self.corrupt(self.at, what))
    }

    /// An error about the field at this offset.
    pub fn corrupt(&self, at: usize, what: impl Into<String>) -> DbError {
        DbError::corrupt(self.name, at as u64, what)
    }
}
