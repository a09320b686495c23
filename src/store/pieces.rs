//! Files whose bytes arrive in pieces.
//!
//! An asynchronous caller makes a [`Pieces`] of the file's size, probes, fetches the ranges of
//! [`DbError::Pending`](super::DbError::Pending), supplies them, and probes again:
//!
//! ```text
//! probe -> Pending(ranges) -> fetch all at the same time -> supply -> probe -> ... -> answer
//! ```
//!
//! From files that were never read, a question about the moving phase takes three rounds: heads,
//! pages of the directories, rows; two if the lengths of the heads are [known](Pieces::with_head).
//! `probe::foresee` finds the ranges of a round.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Mutex;

use super::source::{ByteSource, end_of};
use crate::lock;

/// Bytes of a file that a question needs, and that its source does not have yet.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NeededRange {
    /// The file, by its path or the name that it was given.
    pub file: PathBuf,
    /// The offset of the range in the file, in bytes.
    pub start: u64,
    /// The length of the range in bytes.
    pub length: u64,
}

/// A file of which only some bytes have arrived. Reading others fails with
/// [`WouldBlock`](io::ErrorKind::WouldBlock), which the library reports as
/// [`DbError::Pending`](super::DbError::Pending).
///
/// ```
/// use std::sync::Arc;
/// use millbase::store::Pieces;
/// use millbase::{Database, DbError, Position, Rules};
///
/// # fn fetch(start: u64, length: u64) -> Vec<u8> {
/// #     let file = include_bytes!("../../db/3-3.mill");
/// #     file[start as usize..][..length as usize].to_vec()
/// # }
/// let rules = Rules::STANDARD;
/// let size = 56540;
/// let pieces = Arc::new(Pieces::new(size));
/// let database = Database::embedded(rules).with_file("3-3.mill", Box::new(pieces.clone()));
/// let position = Position::parse("********/********/O@O*O@*@ w m s 3 0 3 0 0 0", &rules)?;
/// let mut rounds = 0;
/// let value = loop {
///     match database.probe(&position) {
///         Err(DbError::Pending(ranges)) => {
///             for range in ranges {
///                 pieces.supply(range.start, fetch(range.start, range.length));
///             }
///         }
///         answer => break answer?,
///     }
///     rounds += 1;
/// };
/// assert_eq!(value.to_string(), "loss in 26");
/// assert!(rounds <= 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Pieces {
    size: u64,
    head: Option<u32>,
    held: Mutex<Held>,
}

/// Pieces by where they begin. None lies within another, so they end in the order of their
/// beginnings.
#[derive(Default)]
struct Held {
    pieces: BTreeMap<u64, Piece>,
    bytes: usize,
    /// Counts reads and supplies: the time of `used`.
    clock: u64,
}

struct Piece {
    bytes: Vec<u8>,
    used: u64,
}

impl Piece {
    fn end(&self, start: u64) -> u64 {
        start + self.bytes.len() as u64
    }
}

impl Pieces {
    /// A file of this size, of which nothing has arrived.
    pub fn new(size: u64) -> Pieces {
        Pieces {
            size,
            head: None,
            held: Mutex::default(),
        }
    }

    /// The same file, with a known length of its head, see [`ByteSource::head_bytes`].
    #[must_use]
    pub fn with_head(self, bytes: u32) -> Pieces {
        Pieces {
            head: Some(bytes),
            ..self
        }
    }

    /// Adds bytes that begin at `start`. They may be more than requested; bytes beyond the file's
    /// size are dropped.
    pub fn supply(&self, start: u64, mut bytes: Vec<u8>) {
        let room = usize::try_from(self.size.saturating_sub(start)).unwrap_or(usize::MAX);
        bytes.truncate(room);
        if bytes.is_empty() {
            return;
        }
        let mut held = lock::locked(&self.held);
        let held = &mut *held;
        let end = start + bytes.len() as u64;
        let before = held.pieces.range(..=start).next_back();
        if before.is_some_and(|(&start, piece)| piece.end(start) >= end) {
            return;
        }
        let within = held.pieces.range(start..end);
        let within = within.filter(|&(&start, piece)| piece.end(start) <= end);
        for start in within.map(|(&start, _)| start).collect::<Vec<_>>() {
            let piece = held.pieces.remove(&start);
            held.bytes -= piece.map_or(0, |piece| piece.bytes.len());
        }
        held.clock += 1;
        held.bytes += bytes.len();
        let used = held.clock;
        held.pieces.insert(start, Piece { bytes, used });
    }

    /// The number of bytes that are here.
    pub(crate) fn held_bytes(&self) -> usize {
        lock::locked(&self.held).bytes
    }

    /// Forgets the pieces used longest ago until at most `bytes` are left. Call this between two
    /// questions: within one, every range that was supplied may be needed again.
    pub fn trim(&self, bytes: usize) {
        let mut held = lock::locked(&self.held);
        let held = &mut *held;
        if held.bytes <= bytes {
            return;
        }
        let mut by_use: Vec<(u64, u64)> = held
            .pieces
            .iter()
            .map(|(&start, piece)| (piece.used, start))
            .collect();
        by_use.sort_unstable();
        for (_, start) in by_use {
            if held.bytes <= bytes {
                break;
            }
            let piece = held.pieces.remove(&start);
            held.bytes -= piece.map_or(0, |piece| piece.bytes.len());
        }
    }
}

impl ByteSource for Pieces {
    fn size(&self) -> u64 {
        self.size
    }

    fn head_bytes(&self) -> Option<u32> {
        self.head
    }

    fn read(&self, start: u64, length: usize) -> io::Result<Cow<'_, [u8]>> {
        let end = end_of(start, length, self.size)?;
        let mut held = lock::locked(&self.held);
        held.clock += 1;
        let used = held.clock;
        let (mut bytes, mut at) = (Vec::new(), start);
        while at < end {
            let last = held.pieces.range_mut(..=at).next_back();
            let Some((&first, piece)) = last.filter(|&(&start, ref piece)| piece.end(start) > at)
            else {
                return Err(io::ErrorKind::WouldBlock.into());
            };
            piece.used = used;
            let rest = &piece.bytes[(at - first) as usize..];
            let rest = &rest[..rest.len().min((end - at) as usize)];
            bytes.extend_from_slice(rest);
            at += rest.len() as u64;
        }
        Ok(Cow::Owned(bytes))
    }
}

impl fmt::Debug for Pieces {
    /// The sizes; the bytes would fill pages.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = f.debug_struct("Pieces");
        text.field("size", &self.size)
            .field("held_bytes", &self.held_bytes());
        text.finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The reason for a read that does not succeed.
    fn refusal(pieces: &Pieces, start: u64, length: usize) -> io::ErrorKind {
        pieces.read(start, length).unwrap_err().kind()
    }

    #[test]
    fn pieces_in_any_order_make_the_file() {
        let file: Vec<u8> = (0..100).collect();
        // A step that is prime to the size supplies every byte once.
        for step in [1, 3, 7, 31, 99] {
            for length in [1, 2, 5, 40] {
                let pieces = Pieces::new(100);
                let mut there = [false; 100];
                for number in 0..100 {
                    let start = number * step % 100;
                    let end = (start + length).min(100);
                    pieces.supply(start as u64, file[start..end].to_vec());
                    there[start..end].fill(true);
                    for (first, wanted) in [(0, 9), (start, 1), (37, 20)] {
                        let wanted = wanted.min(100 - first);
                        let range = first..first + wanted;
                        match there[range.clone()].iter().all(|&there| there) {
                            true => {
                                let found = pieces.read(first as u64, wanted).unwrap();
                                assert_eq!(*found, file[range]);
                            }
                            false => assert_eq!(
                                refusal(&pieces, first as u64, wanted),
                                io::ErrorKind::WouldBlock
                            ),
                        }
                    }
                }
                assert_eq!(pieces.read(0, 100).unwrap(), file);
                let held = lock::locked(&pieces.held);
                let bytes: usize = held.pieces.values().map(|p| p.bytes.len()).sum();
                assert_eq!(held.bytes, bytes);
            }
        }
    }

    #[test]
    fn the_size_bounds_everything() {
        let pieces = Pieces::new(10);
        pieces.supply(8, vec![1; 5]);
        pieces.supply(10, vec![2; 5]);
        pieces.supply(u64::MAX, vec![3; 5]);
        assert_eq!(pieces.held_bytes(), 2);
        assert_eq!(*pieces.read(8, 2).unwrap(), [1, 1]);
        assert_eq!(refusal(&pieces, 8, 3), io::ErrorKind::UnexpectedEof);
        assert_eq!(refusal(&pieces, u64::MAX, 2), io::ErrorKind::UnexpectedEof);
        assert_eq!(refusal(&pieces, 0, 1), io::ErrorKind::WouldBlock);
    }

    #[test]
    fn what_was_used_last_stays() {
        let pieces = Pieces::new(100);
        for start in [0, 20, 40] {
            pieces.supply(start, vec![start as u8; 10]);
        }
        pieces.read(0, 1).unwrap();
        pieces.trim(30);
        assert_eq!(pieces.held_bytes(), 30);
        pieces.trim(15);
        assert_eq!(pieces.held_bytes(), 10);
        assert_eq!(*pieces.read(0, 10).unwrap(), [0; 10]);
        pieces.trim(0);
        assert_eq!(refusal(&pieces, 0, 1), io::ErrorKind::WouldBlock);
    }
}
