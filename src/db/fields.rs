//! What the headers of all files have in common: fields one after the other, and a checksum behind
//! them.

use std::path::Path;

use xxhash_rust::xxh3::xxh3_64;

use super::error::DbError;

/// Bytes of a checksum.
pub(crate) const CHECKSUM: usize = 8;

/// The checksum of bytes in the file.
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    xxh3_64(bytes)
}

/// The bytes without the checksum that stands behind them, `None` if it is not theirs.
pub(crate) fn checked(bytes: &[u8]) -> Option<&[u8]> {
    let (bytes, sum) = bytes.split_last_chunk::<CHECKSUM>()?;
    (checksum(bytes) == u64::from_le_bytes(*sum)).then_some(bytes)
}

/// The bytes with their checksum behind them.
#[cfg(feature = "build")]
pub(crate) fn with_checksum(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.extend(checksum(&bytes).to_le_bytes());
    bytes
}

/// Takes the header's fields one after the other.
pub(crate) struct Fields<'a> {
    /// The file, or the header without its checksum.
    pub bytes: &'a [u8],
    pub at: usize,
    pub name: &'a Path,
}

impl Fields<'_> {
    /// The next field's bytes.
    pub fn take<const N: usize>(&mut self) -> Result<[u8; N], DbError> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let Some(field) = rest.first_chunk() else {
            let end = self.bytes.len() as u64;
            return Err(DbError::corrupt(self.name, end, "the header ends too soon"));
        };
        self.at += N;
        Ok(*field)
    }

    /// The next field, which can have one value only.
    pub fn expect<const N: usize>(&mut self, what: &str, expected: [u8; N]) -> Result<(), DbError> {
        let at = self.at;
        if self.take()? == expected {
            Ok(())
        } else {
            Err(self.corrupt(at, format!("{what} is not what it must be")))
        }
    }

    /// The counts of a histogram.
    pub fn counts(&mut self) -> Result<[u64; 256], DbError> {
        let mut counts = [0; 256];
        for count in &mut counts {
            *count = u64::from_le_bytes(self.take()?);
        }
        Ok(counts)
    }

    pub fn corrupt(&self, at: usize, what: impl Into<String>) -> DbError {
        DbError::corrupt(self.name, at as u64, what)
    }
}
