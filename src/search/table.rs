//! The transposition table: search results by position, shared by all threads without locks.
//!
//! ```text
//! slot   = check (key ^ data), data
//! data   = turn 26 | bound 2 | score 16 | depth 8 | age 8
//! bucket = four slots, one line of the processor's cache
//! ```
//!
//! The key encodes the whole position, so positions cannot collide. Two threads that write a slot
//! at the same time may leave the check of one with the data of the other: then the key does not
//! match, and the slot counts as empty.
//!
//! A lookup touches only one cache line. The intrinsic for prefetching takes a pointer and is unsafe, so
//! [`fetch`](TranspositionTable::fetch) reads instead.

use std::hint::black_box;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};

use super::score::Score;
use crate::memory::{Zeroable, Zeroed};
use crate::rules::turns::Turn;

/// The relation of a score in the table to the value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Bound {
    /// The value is the score.
    Exact = 1,
    /// The value is the score or more.
    AtLeast = 2,
    /// The value is the score or less.
    AtMost = 3,
}

/// The table's entry for a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TableEntry {
    /// The best turn or the one that caused a cutoff; [`Turn::PASS`] if there is none.
    pub turn: Turn,
    pub score: Score,
    pub bound: Bound,
    /// The search depth, in turns.
    pub depth: u8,
}

/// The lowest bits of the parts of the data, after the turn.
const BOUND: u32 = Turn::BITS;
const SCORE: u32 = BOUND + 2;
const DEPTH: u32 = SCORE + 16;
const AGE: u32 = DEPTH + 8;

impl TableEntry {
    fn pack(self, age: u8) -> u64 {
        u64::from(self.turn.number())
            | (self.bound as u64) << BOUND
            | u64::from(self.score.number() as u16) << SCORE
            | u64::from(self.depth) << DEPTH
            | u64::from(age) << AGE
    }

    /// `None` for a slot that was never written.
    fn unpack(data: u64) -> Option<TableEntry> {
        let bound = match data >> BOUND & 3 {
            1 => Bound::Exact,
            2 => Bound::AtLeast,
            3 => Bound::AtMost,
            _ => return None,
        };
        Some(TableEntry {
            turn: Turn::from_number(data as u32),
            score: Score::from_number((data >> SCORE) as u16 as i16),
            bound,
            depth: depth_of(data),
        })
    }
}

fn depth_of(data: u64) -> u8 {
    (data >> DEPTH) as u8
}

#[derive(Debug, Default)]
struct EntrySlot {
    check: AtomicU64,
    data: AtomicU64,
}

#[derive(Debug, Default)]
#[repr(align(64))]
struct Bucket([EntrySlot; 4]);

/// The largest table in huge pages, in bytes. Each is cleared at its first use, and a search uses all of
/// them at once: with a larger table the first searches would do little else.
const MOST_IN_HUGE_PAGES: usize = 256 << 20;

// SAFETY: atomics with the value 0 are empty slots, and a bucket is aligned to 64 bytes.
unsafe impl Zeroable for Bucket {}

/// The table.
#[derive(Debug)]
pub(crate) struct TranspositionTable {
    buckets: Zeroed<Bucket>,
    /// The number of this search, modulo 256; older entries are replaced first.
    age: AtomicU8,
}

/// The largest table that is cleared by writing it, in bytes: that takes some hundredths of a second.
const MOST_WRITTEN: usize = 256 << 20;

impl TranspositionTable {
    /// A table of at most `bytes` bytes, at least one bucket. If the system refuses the memory, the
    /// size is halved until it succeeds.
    pub fn with_bytes(bytes: usize) -> TranspositionTable {
        let mut count = (bytes / size_of::<Bucket>()).max(1);
        let buckets = loop {
            let buckets = match count * size_of::<Bucket>() <= MOST_IN_HUGE_PAGES {
                true => Zeroed::new(count),
                false => Zeroed::in_small_pages(count),
            };
            match buckets {
                Err(_) if count > 1 => count /= 2,
                buckets => break buckets.expect("64 bytes of memory"),
            }
        };
        TranspositionTable {
            buckets,
            age: AtomicU8::new(0),
        }
    }

    /// The size of the table.
    pub fn bytes(&self) -> usize {
        self.buckets.len() * size_of::<Bucket>()
    }

    /// Begins a new search.
    pub fn next_search(&self) {
        self.age.fetch_add(1, Relaxed);
    }

    /// Removes all entries. A table that is not very large is written, so that the next search, which may have only
    /// some milliseconds, need not wait for the system to hand out its memory.
    pub fn clear(&mut self) {
        let bytes = self.bytes();
        if bytes <= MOST_WRITTEN {
            for slot in self.buckets.iter_mut().flat_map(|bucket| &mut bucket.0) {
                *slot.check.get_mut() = 0;
                *slot.data.get_mut() = 0;
            }
            return;
        }
        // Free the old memory before asking for the new one.
        *self = TranspositionTable::with_bytes(0);
        *self = TranspositionTable::with_bytes(bytes);
    }

    fn bucket(&self, key: u64) -> &[EntrySlot; 4] {
        // The upper half of a product with an odd constant depends on all bits of the key.
        let mixed = (key ^ key >> 29).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mixed = (mixed ^ mixed >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
        let place = (u128::from(mixed) * self.buckets.len() as u128) >> 64;
        &self.buckets[place as usize].0
    }

    /// Reads the buckets of these keys into the processor's cache, so that their cache misses overlap
    /// instead of following each other as in calls of [`get`](TranspositionTable::get).
    pub fn fetch(&self, keys: &[u64]) {
        let first = |&key: &u64| self.bucket(key)[0].data.load(Relaxed);
        black_box(keys.iter().map(first).fold(0, |all, data| all ^ data));
    }

    /// The entry of the position with this key.
    pub fn get(&self, key: u64) -> Option<TableEntry> {
        let found = self.bucket(key).iter().find_map(|slot| {
            let data = slot.data.load(Relaxed);
            (slot.check.load(Relaxed) ^ data == key).then_some(data)
        });
        found.and_then(TableEntry::unpack)
    }

    /// Stores an entry. It replaces the position's old entry, an empty slot, or the least useful
    /// entry: the shallowest, where each search since it was written counts like eight turns of
    /// depth.
    pub fn put(&self, key: u64, entry: TableEntry) {
        let age = self.age.load(Relaxed);
        let worth = |data: u64| {
            let since = age.wrapping_sub((data >> AGE) as u8);
            i32::from(depth_of(data)) - 8 * i32::from(since)
        };
        let bucket = self.bucket(key);
        let mut chosen = &bucket[0];
        let mut least = i32::MAX;
        for slot in bucket {
            let data = slot.data.load(Relaxed);
            if data == 0 || slot.check.load(Relaxed) ^ data == key {
                chosen = slot;
                break;
            }
            if worth(data) < least {
                least = worth(data);
                chosen = slot;
            }
        }
        let data = entry.pack(age);
        chosen.check.store(key ^ data, Relaxed);
        chosen.data.store(data, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(depth: u8) -> TableEntry {
        TableEntry {
            turn: Turn::from_number(0x1234),
            score: Score::evaluation(-31),
            bound: Bound::AtMost,
            depth,
        }
    }

    #[test]
    fn entries_come_back() {
        let table = TranspositionTable::with_bytes(1 << 12);
        for score in [Score::MOST, Score::LEAST, Score::DRAW, Score::loss_in(7)] {
            for bound in [Bound::Exact, Bound::AtLeast, Bound::AtMost] {
                let entry = TableEntry {
                    score,
                    bound,
                    ..entry(18)
                };
                table.put(77, entry);
                assert_eq!(table.get(77), Some(entry));
            }
        }
        assert_eq!(table.get(78), None);
    }

    #[test]
    fn deep_entries_stay_and_old_ones_go() {
        let table = TranspositionTable::with_bytes(64);
        for key in 1..=4 {
            table.put(key, entry(10 * key as u8));
        }
        table.put(5, entry(1));
        assert_eq!(table.get(1), None, "the shallowest makes room");
        table.put(6, entry(1));
        assert_eq!(table.get(5), None);
        for _ in 0..5 {
            table.next_search();
        }
        table.put(7, entry(1));
        table.put(8, entry(1));
        assert_eq!([4, 7, 8].map(|key| table.get(key).is_some()), [true; 3]);
    }

    #[test]
    fn threads_never_see_the_entry_of_another_position() {
        let table = TranspositionTable::with_bytes(256);
        std::thread::scope(|scope| {
            for thread in 0..2u64 {
                let table = &table;
                scope.spawn(move || {
                    for round in 0..20_000u64 {
                        let key = 1 + (round * 7 + thread) % 40;
                        table.put(key, entry(key as u8));
                        if let Some(found) = table.get(key) {
                            assert_eq!(found, entry(key as u8));
                        }
                    }
                });
            }
        });
    }
}
