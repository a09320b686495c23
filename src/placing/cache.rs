//! The rows unpacked last, bounded in bytes, for many threads at once.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Rows with their keys, the one used last in front.
#[derive(Debug, Default)]
struct Set {
    rows: Vec<(u64, Box<[u8]>)>,
    bytes: usize,
}

/// A set-associative cache: the key chooses a set, and a full set forgets the row not used for
/// longest. Every set has its own lock.
#[derive(Debug)]
pub(super) struct Cache {
    sets: Vec<Mutex<Set>>,
    /// How many bytes a set may hold.
    most: usize,
}

impl Cache {
    /// What a set has room for: some tens of rows.
    const SET: usize = 1 << 20;

    /// A cache of no more than this many bytes.
    pub fn with_bytes(bytes: usize) -> Cache {
        let sets = (bytes / Cache::SET).max(1);
        Cache {
            sets: (0..sets).map(|_| Mutex::default()).collect(),
            most: bytes / sets,
        }
    }

    /// The byte at a column of a row, if the row is here.
    pub fn byte(&self, key: u64, column: usize) -> Option<u8> {
        let rows = &mut self.set(key).rows;
        let found = rows.iter().position(|(other, _)| *other == key)?;
        rows[..=found].rotate_right(1);
        rows[0].1.get(column).copied()
    }

    /// Keeps a row.
    pub fn insert(&self, key: u64, row: Box<[u8]>) {
        let set = &mut *self.set(key);
        // Another thread may have unpacked the same row.
        if let Some(other) = set.rows.iter().position(|(other, _)| *other == key) {
            set.bytes -= set.rows.remove(other).1.len();
        }
        set.bytes += row.len();
        set.rows.insert(0, (key, row));
        while set.bytes > self.most
            && let Some((_, row)) = set.rows.pop()
        {
            set.bytes -= row.len();
        }
    }

    /// Multiplication by 2^64 / golden ratio spreads neighbouring keys over the sets.
    fn set(&self, key: u64) -> MutexGuard<'_, Set> {
        let hash = key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        let set = &self.sets[(hash % self.sets.len() as u64) as usize];
        set.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_holds_and_what_is_used_stays() {
        for bytes in [0, 1000, 5 << 20] {
            let cache = Cache::with_bytes(bytes);
            for key in 0..2000 {
                cache.insert(0, vec![0; 7].into());
                cache.insert(key, vec![key as u8; 10_000].into());
                cache.insert(key, vec![key as u8; 10_000].into());
                let sets = cache.sets.iter();
                let held = sets.map(|set| {
                    let set = set.lock().unwrap();
                    let sum: usize = set.rows.iter().map(|(_, row)| row.len()).sum();
                    assert_eq!(set.bytes, sum);
                    sum
                });
                assert!(held.sum::<usize>() <= bytes);
                let fits = bytes >= 10_000;
                assert_eq!(cache.byte(key, 2), fits.then_some(key as u8));
                assert_eq!(cache.byte(key, 10_000), None);
            }
            assert!(bytes < 10_000 || cache.byte(0, 0) == Some(0));
        }
    }
}
