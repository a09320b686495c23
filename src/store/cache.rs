//! Caches of decoded blocks and of values, bounded in bytes and shared by threads.

use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};

/// The most blocks of a set.
const WAYS: usize = 32;

/// Some decoded blocks, or the beginnings of blocks, with their keys, under a sequence lock: a
/// writer makes the version odd, changes the fields, and makes it even again; a reader that finds
/// another version after reading than before discards what it read. So readers write nothing, and
/// threads that read the same blocks do not wait for each other.
#[derive(Debug)]
struct CacheSet {
    version: AtomicU32,
    /// A bit for each block that was read since the hand passed it; readers set it once.
    used: AtomicU32,
    /// The word at which the next block begins if no block that was read is in its way.
    hand: AtomicU32,
    keys: [AtomicU64; WAYS],
    /// The length of each block in bytes, and its first word, in the upper half; 0 for none.
    spans: [AtomicU32; WAYS],
    words: Box<[AtomicU64]>,
}

/// The length of a block in bytes, and its words.
fn parts(span: u32) -> (usize, Range<usize>) {
    let (first, length) = ((span >> 16) as usize, (span & 0xffff) as usize);
    (length, first..first + length.div_ceil(WORD))
}

/// The bytes of a word.
const WORD: usize = size_of::<AtomicU64>();

/// A set-associative cache of decoded blocks: the key's hash chooses a set. A full set drops blocks
/// in the order of their words, as a hand goes round, but spares once each block that was
/// read since the hand last passed it.
#[derive(Debug)]
pub(crate) struct BlockCache {
    /// Sets are allocated at their first insertion.
    sets: Vec<OnceLock<Box<CacheSet>>>,
    /// The words of a set.
    words: usize,
}

/// The part of a block that a cache lacks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Miss {
    /// The cache has only the beginning of the block.
    Rest,
    /// The cache does not have the block, or a writer is changing its set.
    Whole,
}

impl BlockCache {
    /// The preferred size of a set, in bytes.
    const SET: usize = 8 * 640 + BlockCache::OVERHEAD;

    /// The memory of a set besides its values, in bytes.
    const OVERHEAD: usize = size_of::<CacheSet>() + size_of::<OnceLock<Box<CacheSet>>>() + 16;

    /// A cache of no more than this many bytes.
    pub fn with_bytes(bytes: usize) -> BlockCache {
        let sets = (bytes / BlockCache::SET).max(1);
        BlockCache {
            sets: (0..sets).map(|_| OnceLock::new()).collect(),
            words: (bytes / sets).saturating_sub(BlockCache::OVERHEAD) / WORD,
        }
    }

    /// Reads the values at these places of a block into `values`, if the cache has the block up to
    /// there.
    #[inline]
    pub fn read(
        &self,
        key: u64,
        places: impl Iterator<Item = usize>,
        values: &mut [u8],
    ) -> Result<(), Miss> {
        let set = self.place(key).get().ok_or(Miss::Whole)?;
        let version = set.version.load(Ordering::Acquire);
        let mut keys = set.keys.iter();
        let way = keys.position(|other| other.load(Ordering::Relaxed) == key);
        let way = way.ok_or(Miss::Whole)?;
        let (length, held) = parts(set.spans[way].load(Ordering::Relaxed));
        let mut is_whole = true;
        for (value, place) in values.iter_mut().zip(places) {
            is_whole &= place < length;
            // A writer at work may leave a span that exceeds the words.
            let word = set.words.get(held.start + place / WORD);
            let word = word.map_or(0, |word| word.load(Ordering::Relaxed));
            *value = (word >> (8 * (place % WORD))) as u8;
        }
        fence(Ordering::Acquire);
        if version % 2 == 1 || set.version.load(Ordering::Relaxed) != version {
            return Err(Miss::Whole);
        }
        let bit = 1 << way;
        if set.used.load(Ordering::Relaxed) & bit == 0 {
            set.used.fetch_or(bit, Ordering::Relaxed);
        }
        match is_whole {
            true => Ok(()),
            false => Err(Miss::Rest),
        }
    }

    /// Keeps a block, unless another thread writes to its set at this moment.
    pub fn insert(&self, key: u64, block: &[u8]) {
        let words = block.len().div_ceil(WORD);
        if words > self.words || block.len() > usize::from(u16::MAX) {
            return;
        }
        let set = self
            .place(key)
            .get_or_init(|| Box::new(CacheSet::new(self.words)));
        let version = set.version.load(Ordering::Relaxed);
        let (even, odd) = (version & !1, version | 1);
        let begun = set
            .version
            .compare_exchange(even, odd, Ordering::Acquire, Ordering::Relaxed);
        if begun.is_err() {
            return;
        }
        fence(Ordering::Release);
        set.insert(key, block);
        set.version.store(even.wrapping_add(2), Ordering::Release);
    }

    fn place(&self, key: u64) -> &OnceLock<Box<CacheSet>> {
        &self.sets[((hash(key) * self.sets.len() as u64) >> 32) as usize]
    }
}

impl CacheSet {
    fn new(words: usize) -> CacheSet {
        CacheSet {
            version: AtomicU32::new(0),
            used: AtomicU32::new(0),
            hand: AtomicU32::new(0),
            keys: std::array::from_fn(|_| AtomicU64::new(0)),
            spans: std::array::from_fn(|_| AtomicU32::new(0)),
            words: (0..words).map(|_| AtomicU64::new(0)).collect(),
        }
    }

    /// The place of each of its blocks, and its words.
    fn held(&self) -> impl Iterator<Item = (usize, Range<usize>)> {
        let spans = self.spans.iter().map(|span| span.load(Ordering::Relaxed));
        let blocks = spans.map(parts).enumerate();
        blocks.filter_map(|(way, (length, words))| (length > 0).then_some((way, words)))
    }

    /// Writes a block and drops those in its way. Only the thread that made the version odd may
    /// call this.
    fn insert(&self, key: u64, block: &[u8]) {
        let mut used = self.used.load(Ordering::Relaxed);
        let count = block.len().div_ceil(WORD);
        let mut first = self.hand.load(Ordering::Relaxed) as usize;
        loop {
            if first + count > self.words.len() {
                first = 0;
            }
            let in_the_way = |(way, words): &(usize, Range<usize>)| {
                used >> way & 1 == 1 && words.start < first + count && first < words.end
            };
            let Some((way, words)) = self.held().find(in_the_way) else {
                break;
            };
            used &= !(1 << way);
            first = words.end;
        }
        let end = first + count;
        let mut free = None;
        for (way, span) in self.spans.iter().enumerate() {
            let (length, words) = parts(span.load(Ordering::Relaxed));
            let is_old = self.keys[way].load(Ordering::Relaxed) == key;
            if length == 0 || is_old || words.start < end && first < words.end {
                span.store(0, Ordering::Relaxed);
                self.keys[way].store(0, Ordering::Relaxed);
                free = free.or(Some(way));
            }
        }
        // If all places have small blocks, the next one that the hand would reach makes room.
        let order = |(way, words): &(usize, Range<usize>)| {
            (used >> way & 1, words.start < end, words.start)
        };
        let next = || self.held().min_by_key(order);
        let Some(way) = free.or_else(|| Some(next()?.0)) else {
            return;
        };
        let words = block.chunks(WORD).map(|chunk| {
            let mut bytes = [0; WORD];
            bytes[..chunk.len()].copy_from_slice(chunk);
            u64::from_le_bytes(bytes)
        });
        for (place, word) in self.words[first..end].iter().zip(words) {
            place.store(word, Ordering::Relaxed);
        }
        self.keys[way].store(key, Ordering::Relaxed);
        let span = (first << 16 | block.len()) as u32;
        self.spans[way].store(span, Ordering::Relaxed);
        self.used.store(used & !(1 << way), Ordering::Relaxed);
        self.hand.store(end as u32, Ordering::Relaxed);
    }
}

/// Multiplication by 2^64 / golden ratio spreads neighbouring keys. The upper bits depend on all
/// bits of the key.
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
        debug_assert!(key != 0 && key >> 56 == 0, "a key of 56 bits");
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

    /// The bytes that a cache takes.
    fn held(cache: &BlockCache) -> usize {
        let sets = cache.sets.iter().filter_map(OnceLock::get);
        let words = sets.map(|set| {
            let mut blocks: Vec<Range<usize>> = set.held().map(|(_, words)| words).collect();
            blocks.sort_by_key(|words| words.start);
            let mut ends = blocks.iter().map(|words| words.end);
            assert!(ends.all(|end| end <= set.words.len()) && blocks.len() <= WAYS);
            assert!(blocks.is_sorted_by(|one, next| one.end <= next.start));
            set.words.len()
        });
        words.map(|words| WORD * words + BlockCache::OVERHEAD).sum()
    }

    fn read(cache: &BlockCache, key: u64, place: usize) -> Result<u8, Miss> {
        let mut values = [0];
        cache.read(key, [place].into_iter(), &mut values)?;
        Ok(values[0])
    }

    #[test]
    fn the_bound_holds_and_what_is_used_stays() {
        for bytes in [0, 100, 1000, 5000, 70_000] {
            let cache = BlockCache::with_bytes(bytes);
            for key in 1..1000 {
                let length = 3 + key as usize % 100;
                cache.insert(key, &vec![key as u8; length - 2]);
                cache.insert(key, &vec![key as u8; length]);
                assert!(held(&cache) <= bytes);
                // A block that is read once goes before one that is read again and again.
                if bytes >= 1000 && key % 4 == 0 {
                    assert_eq!(read(&cache, key, 2), Ok(key as u8));
                    assert_eq!(read(&cache, key, length), Err(Miss::Rest));
                }
                if bytes >= 1000 {
                    assert_eq!(read(&cache, 1, 0), Ok(1));
                }
                assert_eq!(read(&cache, key + 1, 0), Err(Miss::Whole));
            }
            // A cache that is large enough for its keys uses at least half of its memory.
            assert!(2 * held(&cache) >= bytes || bytes < 1000);
        }
    }

    /// Each key has bytes of its own, so a value of another block or of a half-written one is
    /// noticed.
    #[test]
    fn threads_read_what_was_written_or_nothing() {
        let cache = BlockCache::with_bytes(8000);
        let byte = |key: u64, place: usize| (key as usize * 31 + place) as u8;
        std::thread::scope(|scope| {
            for thread in 0..2u64 {
                let cache = &cache;
                scope.spawn(move || {
                    for round in 0..40_000u64 {
                        let key = 1 + (round * 7 + thread) % 40;
                        let length = 100 + 10 * key as usize;
                        let block: Vec<u8> = (0..length).map(|place| byte(key, place)).collect();
                        let places = [0, length / 2, length - 1];
                        let mut values = [0; 3];
                        match cache.read(key, places.into_iter(), &mut values) {
                            Ok(()) => assert_eq!(values, places.map(|place| byte(key, place))),
                            Err(_) => cache.insert(key, &block),
                        }
                    }
                });
            }
        });
    }

    /// A hit writes to the set once at most, not each time.
    #[test]
    fn hits_do_not_change_the_set() {
        let cache = BlockCache::with_bytes(8000);
        cache.insert(7, &[1, 2, 3]);
        let set = cache.place(7).get().unwrap();
        for _ in 0..3 {
            assert_eq!(read(&cache, 7, 1), Ok(2));
            assert_eq!(set.used.load(Ordering::Relaxed), 1);
            assert_eq!(set.version.load(Ordering::Relaxed), 2);
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
