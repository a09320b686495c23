//! The blocks decoded last, bounded in bytes, for many threads at once.

use std::sync::{Mutex, PoisonError};

use super::format::BLOCK_SIZE;

/// Blocks with their keys, the one used last in front.
type Set = Vec<(u64, Box<[u8]>)>;

/// A set-associative cache: the key's hash chooses a set, and a full set forgets the block not used
/// for longest. Every set has its own lock.
#[derive(Debug)]
pub(super) struct Cache {
    sets: Vec<Mutex<Set>>,
    /// How many blocks a set may hold.
    ways: usize,
}

impl Cache {
    const WAYS: usize = 8;

    /// A cache of no more than this many bytes of blocks.
    pub fn with_bytes(bytes: usize) -> Cache {
        let blocks = bytes / BLOCK_SIZE;
        let sets = (blocks / Cache::WAYS).max(1);
        Cache {
            sets: (0..sets).map(|_| Mutex::default()).collect(),
            ways: blocks.min(Cache::WAYS),
        }
    }

    /// The byte at a place of a block, if the block is here.
    pub fn byte(&self, key: u64, place: usize) -> Option<u8> {
        let mut set = self.set(key).lock().unwrap_or_else(PoisonError::into_inner);
        let found = set.iter().position(|(other, _)| *other == key)?;
        set[..=found].rotate_right(1);
        set[0].1.get(place).copied()
    }

    /// Keeps a block.
    pub fn insert(&self, key: u64, block: Box<[u8]>) {
        let mut set = self.set(key).lock().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have decoded the same block.
        set.retain(|(other, _)| *other != key);
        set.truncate(self.ways.saturating_sub(1));
        if self.ways > 0 {
            set.insert(0, (key, block));
        }
    }

    /// Multiplication by 2^64 / golden ratio spreads neighbouring keys over the sets.
    fn set(&self, key: u64) -> &Mutex<Set> {
        let hash = key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        &self.sets[((hash * self.sets.len() as u64) >> 32) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(cache: &Cache) -> usize {
        cache.sets.iter().map(|set| set.lock().unwrap().len()).sum()
    }

    #[test]
    fn the_bound_holds_and_what_is_used_stays() {
        for blocks in [0, 1, 5, 8, 64, 100] {
            let cache = Cache::with_bytes(blocks * BLOCK_SIZE + 1);
            for key in 0..1000 {
                cache.insert(key, vec![key as u8; 3].into());
                cache.insert(key, vec![key as u8; 3].into());
                assert!(held(&cache) <= blocks);
                assert_eq!(cache.byte(key, 2), (blocks > 0).then_some(key as u8));
                assert_eq!(cache.byte(key, 3), None);
                if blocks > 1 {
                    assert_eq!(cache.byte(0, 0), Some(0));
                }
            }
            // A cache that is large enough for its keys spreads them well enough to be used.
            assert!(2 * held(&cache) >= blocks);
        }
    }
}
