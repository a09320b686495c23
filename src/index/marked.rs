//! A set of numbers below some end: the rows or sets of points that are possible.

use crate::board::bits::Ones;

/// Which of the numbers `0..end` are marked.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Marked {
    /// 64 numbers a word.
    words: Vec<u64>,
}

impl Marked {
    /// Nothing.
    pub(crate) const NOTHING: Marked = Marked { words: Vec::new() };

    /// Nothing, with room for the numbers below `end`.
    pub(crate) fn new(end: usize) -> Marked {
        Marked {
            words: vec![0; end.div_ceil(64)],
        }
    }

    /// Marks a number, which must be below the end.
    pub(crate) fn mark(&mut self, number: usize) {
        self.words[number / 64] |= 1 << (number % 64);
    }

    /// Whether a number is marked.
    #[inline(always)]
    pub fn has(&self, number: usize) -> bool {
        let word = self.words.get(number / 64).copied().unwrap_or(0);
        word >> (number % 64) & 1 == 1
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// How many are.
    pub fn len(&self) -> usize {
        let ones = self.words.iter().map(|word| word.count_ones() as usize);
        ones.sum()
    }

    /// The numbers that are marked, ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        let words = self.words.iter().enumerate();
        words.flat_map(|(place, &word)| Ones(word).map(move |bit| 64 * place + bit))
    }

    /// Marks what is marked in another set, too.
    pub(crate) fn add(&mut self, other: &Marked) {
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
    fn what_is_marked_is_found() {
        let mut marked = Marked::NOTHING;
        assert!(marked.is_empty() && !marked.has(3));
        let mut more = Marked::new(130);
        for number in [0, 63, 64, 129] {
            more.mark(number);
        }
        marked.add(&more);
        assert_eq!(marked, more);
        assert_eq!(marked.len(), 4);
        assert_eq!(marked.iter().collect::<Vec<_>>(), [0, 63, 64, 129]);
        assert!(
            (0..200)
                .filter(|&number| marked.has(number))
                .eq(marked.iter())
        );
    }
}
