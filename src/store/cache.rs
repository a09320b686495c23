//! Caches of decoded blocks and of values, bounded in bytes and shared by threads.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock};

use crate::lock::held;

/// Decoded blocks, or the beginnings of blocks, with their keys; those used recently and often come
/// first.
#[derive(Debug, Default)]
struct CacheSet {
    blocks: Vec<(u64, Box<[u8]>)>,
    bytes: usize,
}

/// A set-associative cache of decoded blocks: the key's hash chooses a set, and a full set drops
/// its last block. Each set has its own lock.
#[derive(Debug)]
pub(crate) struct BlockCache {
    sets: Vec<Mutex<CacheSet>>,
    /// The most bytes of a set.
    bytes: usize,
}

/// The part of a block that a cache lacks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Miss {
    /// The cache has only the beginning of the block.
    Rest,
    /// The cache does not have the block.
    Whole,
}

impl BlockCache {
    /// The preferred size of a set, in bytes.
    const SET: usize = 8 * 640;

    /// The memory of a block besides its values, in bytes.
    const OVERHEAD: usize = size_of::<(u64, Box<[u8]>)>() + 16;

    /// A cache of no more than this many bytes.
    pub fn with_bytes(bytes: usize) -> BlockCache {
        let sets = (bytes / BlockCache::SET).max(1);
        BlockCache {
            sets: (0..sets).map(|_| Mutex::default()).collect(),
            bytes: bytes / sets,
        }
    }

    /// The result of `read` for a block, if the cache has the block up to this place.
    pub fn read<T>(
        &self,
        key: u64,
        place: usize,
        read: impl FnOnce(&[u8]) -> T,
    ) -> Result<T, Miss> {
        let mut set = held(self.set(key));
        let blocks = &mut set.blocks;
        let found = blocks.iter().position(|(other, _)| *other == key);
        let found = found.ok_or(Miss::Whole)?;
        // Each use moves a block one step to the front.
        let found = match found.checked_sub(1) {
            Some(before) => {
                blocks.swap(before, found);
                before
            }
            None => found,
        };
        let block = &blocks[found].1;
        match place < block.len() {
            true => Ok(read(block)),
            false => Err(Miss::Rest),
        }
    }

    /// Keeps a block.
    pub fn insert(&self, key: u64, block: Box<[u8]>) {
        let size = |block: &[u8]| block.len() + BlockCache::OVERHEAD;
        let mut set = held(self.set(key));
        let set = &mut *set;
        // Another thread may have decoded the same block, or more of it was needed.
        if let Some(other) = set.blocks.iter().position(|(other, _)| *other == key) {
            set.bytes -= size(&set.blocks.remove(other).1);
        }
        set.bytes += size(&block);
        set.blocks.insert(0, (key, block));
        while set.bytes > self.bytes
            && let Some((_, block)) = set.blocks.pop()
        {
            set.bytes -= size(&block);
        }
    }

    fn set(&self, key: u64) -> &Mutex<CacheSet> {
        &self.sets[((hash(key) * self.sets.len() as u64) >> 32) as usize]
    }
}

/// Multiplication by 2^64 / golden ratio spreads neighbouring keys. The upper bits depend on all bits
/// of the key.
fn hash(key: u64) -> u64 {
    key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32
}

/// Eight values with their keys, one line of the processor's cache: those in use come first.
#[derive(Debug, Default)]
#[repr(align(64))]
struct CacheLine([AtomicU64; 8]);

/// A lock-free set-associative cache of values: each word holds the key of a position (56 bits, not
/// zero) and its value (8 bits). The key's hash chooses a line; in a full line, it also chooses the
/// word that a new value replaces.
#[derive(Debug)]
pub(crate) struct ValueCache {
    /// Parts are allocated at their first insertion.
    parts: Vec<OnceLock<Box<[CacheLine]>>>,
}

impl ValueCache {
    /// The lines of a part.
    const PART: usize = 1 << 6;

    /// A cache of no more than this many bytes.
    pub fn with_bytes(bytes: usize) -> ValueCache {
        let parts = bytes / (ValueCache::PART * size_of::<CacheLine>());
        ValueCache {
            parts: (0..parts).map(|_| OnceLock::new()).collect(),
        }
    }

    /// The value byte of the position with this key, if it is cached.
    pub fn get(&self, key: u64) -> Option<u8> {
        let (part, line) = self.place(key)?;
        let words = part.get()?[line].0.iter();
        let mut words = words.map(|word| word.load(Ordering::Relaxed));
        let word = words.find(|&word| word >> 8 == key || word == 0)?;
        (word != 0).then_some(word as u8)
    }

    /// Keeps the value of the position with this key.
    pub fn insert(&self, key: u64, byte: u8) {
        let Some((part, line)) = self.place(key) else {
            return;
        };
        let new = || {
            (0..ValueCache::PART)
                .map(|_| CacheLine::default())
                .collect()
        };
        let words = &part.get_or_init(new)[line].0;
        let fits = |word: &&AtomicU64| {
            let word = word.load(Ordering::Relaxed);
            word == 0 || word >> 8 == key
        };
        let word = words.iter().find(fits);
        let word = word.unwrap_or(&words[hash(key) as usize % words.len()]);
        word.store(key << 8 | u64::from(byte), Ordering::Relaxed);
    }

    fn place(&self, key: u64) -> Option<(&OnceLock<Box<[CacheLine]>>, usize)> {
        let lines = (self.parts.len() * ValueCache::PART) as u64;
        let line = ((hash(key) * lines) >> 32) as usize;
        let part = self.parts.get(line / ValueCache::PART)?;
        Some((part, line % ValueCache::PART))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(cache: &BlockCache) -> usize {
        let held = |set: &CacheSet| {
            let blocks = set.blocks.iter();
            let sizes = blocks.map(|(_, block)| block.len() + BlockCache::OVERHEAD);
            let bytes: usize = sizes.sum();
            assert_eq!(set.bytes, bytes);
            bytes
        };
        let sets = cache.sets.iter();
        sets.map(|set| held(&set.lock().unwrap())).sum()
    }

    #[test]
    fn the_bound_holds_and_what_is_used_stays() {
        for bytes in [0, 100, 1000, 5000, 70_000] {
            let cache = BlockCache::with_bytes(bytes);
            for key in 0..1000 {
                let length = 3 + key as usize % 100;
                cache.insert(key, vec![key as u8; length - 2].into());
                cache.insert(key, vec![key as u8; length].into());
                assert!(held(&cache) <= bytes);
                if bytes >= 1000 {
                    assert_eq!(cache.read(key, 2, |block| block[2]), Ok(key as u8));
                    assert_eq!(cache.read(key, length, |_| ()), Err(Miss::Rest));
                    assert_eq!(cache.read(0, 0, |block| block[0]), Ok(0));
                }
                assert_eq!(cache.read(key + 1, 0, |_| ()), Err(Miss::Whole));
            }
            // A cache that is large enough for its keys uses at least half of its memory.
            assert!(2 * held(&cache) >= bytes || bytes < 1000);
        }
    }

    #[test]
    fn values_are_those_of_the_position_or_none() {
        let values = ValueCache::with_bytes(1 << 17);
        let key = |i: u64| i << 36 | i;
        for i in 1..100_000 {
            values.insert(key(i), i as u8);
            assert_eq!(values.get(key(i)), Some(i as u8));
            assert_eq!(values.get(key(i) ^ 1 << 55), None);
            assert_eq!(values.get(i), None);
        }
        let found = (1..100_000).filter(|&i| {
            let value = values.get(key(i));
            assert!(value.is_none_or(|value| value == i as u8));
            value.is_some()
        });
        assert!((15_000..=16_384).contains(&found.count()));
        let none = ValueCache::with_bytes(0);
        none.insert(key(1), 3);
        assert_eq!(none.get(key(1)), None);
    }
}
