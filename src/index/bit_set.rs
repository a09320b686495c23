//! A set of numbers below some end, such as the possible rows or sets of points. It is written here
//! because the reader of files, which needs it, depends on as few crates as possible.

use crate::board::bits::Ones;

/// A set of the numbers `0..end`.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct BitSet {
    /// 64 numbers in each word.
    words: Vec<u64>,
}

impl BitSet {
    /// The empty set.
    pub(crate) const EMPTY: BitSet = BitSet { words: Vec::new() };

    /// The empty set with room for the numbers below `end`.
    pub(crate) fn new(end: usize) -> BitSet {
        BitSet {
            words: vec![0; end.div_ceil(64)],
        }
    }

    /// Adds a number, which must be below the end.
    pub(crate) fn insert(&mut self, number: usize) {
        self.words[number / 64] |= 1 << (number % 64);
    }

    /// Whether a number is in the set.
    #[inline(always)]
    pub fn contains(&self, number: usize) -> bool {
        let word = self.words.get(number / 64).copied().unwrap_or(0);
        word >> (number % 64) & 1 == 1
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// The number of members.
    pub fn len(&self) -> usize {
        let ones = self.words.iter().map(|word| word.count_ones() as usize);
        ones.sum()
    }

    /// The numbers of the set, ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        let words = self.words.iter().enumerate();
        words.flat_map(|(place, &word)| Ones(word).map(move |bit| 64 * place + bit))
    }

    /// Adds the numbers of another set.
    pub(crate) fn union_with(&mut self, other: &BitSet) {
        let longest = self.words.len().max(other.words.len());
        self.words.resize(longest, 0);
        for (word, more) in self.words.iter_mut().zip(&other.words) {
            *word |= more;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_inserted_is_found() {
        let mut set = BitSet::EMPTY;
        assert!(set.is_empty() && !set.contains(3));
        let mut more = BitSet::new(130);
        for number in [0, 63, 64, 129] {
            more.insert(number);
        }
        set.union_with(&more);
        assert_eq!(set, more);
        assert_eq!(set.len(), 4);
        assert_eq!(set.iter().collect::<Vec<_>>(), [0, 63, 64, 129]);
        assert!(
            (0..200)
                .filter(|&number| set.contains(number))
                .eq(set.iter())
        );
    }
}
