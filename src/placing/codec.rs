//! How the stored values of one row become bytes and values again: the one place that knows the
//! compression. Rows are independent of each other, and equal values become equal bytes on every
//! machine and thread.

use std::cell::RefCell;

use zstd::bulk::Decompressor;

/// The codec's number in the header of a file: plain value bytes, one zstd frame a row.
pub(super) const CODEC: u8 = 1;

/// The compression level. Levels from 5 on need a new compressor for each row: with zstd 1.5 the
/// row match finder's output depends on what its context compressed before.
#[cfg(feature = "build")]
const LEVEL: i32 = 3;

/// The values as bytes for the file.
#[cfg(feature = "build")]
pub(super) fn encode(values: &[u8]) -> std::io::Result<Vec<u8>> {
    use zstd::bulk::Compressor;
    thread_local!(static COMPRESSOR: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) });
    COMPRESSOR.with_borrow_mut(|kept| {
        let compressor = match kept {
            Some(compressor) => compressor,
            None => kept.insert(Compressor::new(LEVEL)?),
        };
        compressor.compress(values)
    })
}

/// The values from the file's bytes, no more than `most`.
pub(super) fn decode(bytes: &[u8], most: usize) -> Result<Vec<u8>, String> {
    thread_local!(static DECOMPRESSOR: RefCell<Decompressor<'static>> = RefCell::default());
    DECOMPRESSOR
        .with_borrow_mut(|decompressor| decompressor.decompress(bytes, most))
        .map_err(|error| format!("the row cannot be decompressed ({error})"))
}
