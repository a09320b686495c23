//! The number of distinct positions with each value in a table. Positions that are equal under a
//! symmetry of the board count as one.

use std::fmt;

use crate::value::{Distance, Dtw, Value, Wdl};

/// The number of values that a byte can stand for.
pub(super) const VALUES: usize = 256;

/// Counts of distinct positions under the 16 symmetries, by value.
#[derive(Clone, PartialEq, Eq)]
pub struct Histogram {
    /// By the byte that stands for the value, see [`Value::from_byte`].
    pub(super) counts: [u64; VALUES],
    /// The end to which the depths count turns.
    distance: Distance,
}

impl Histogram {
    /// The histogram with these counts, one for each byte that stands for a value.
    pub fn from_counts(counts: [u64; VALUES]) -> Histogram {
        Histogram {
            counts,
            distance: Distance::ToEnd,
        }
    }

    /// The same counts, of values whose depths count turns to this end.
    pub(crate) fn with_distance(self, distance: Distance) -> Histogram {
        Histogram { distance, ..self }
    }

    /// The counts by the byte that stands for the value.
    pub fn counts(&self) -> &[u64; VALUES] {
        &self.counts
    }

    /// Adds the counts of another histogram, whose depths count turns to the same end.
    pub fn add(&mut self, other: &Histogram) {
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
        self.distance = other.distance;
    }

    /// The number of distinct positions with this value.
    pub fn count(&self, value: Value) -> u64 {
        self.distance
            .byte(value)
            .map_or(0, |byte| self.counts[usize::from(byte)])
    }

    /// The values that occur, with their counts: the draws first, then by rising depth.
    pub fn iter(&self) -> impl Iterator<Item = (Value, u64)> + '_ {
        let all = (0..=u8::MAX)
            .map(|byte| self.distance.value(byte))
            .zip(self.counts);
        all.filter(|&(_, count)| count > 0)
    }

    /// The number of distinct positions.
    pub fn positions(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The number of distinct positions that the side to move wins.
    pub fn wins(&self) -> u64 {
        self.total(Wdl::Win)
    }

    /// The number of drawn distinct positions.
    pub fn draws(&self) -> u64 {
        self.total(Wdl::Draw)
    }

    /// The number of distinct positions that the side to move loses.
    pub fn losses(&self) -> u64 {
        self.total(Wdl::Loss)
    }

    /// The greatest depth of a won position, in turns; `None` if no position is won.
    pub fn deepest_win(&self) -> Option<Dtw> {
        self.deepest(Wdl::Win)
    }

    /// The greatest depth of a lost position, in turns; `None` if no position is lost.
    pub fn deepest_loss(&self) -> Option<Dtw> {
        self.deepest(Wdl::Loss)
    }

    fn total(&self, wdl: Wdl) -> u64 {
        let with_result = self.iter().filter(|(value, _)| value.wdl() == wdl);
        with_result.map(|(_, count)| count).sum()
    }

    fn deepest(&self, wdl: Wdl) -> Option<Dtw> {
        let with_result = self.iter().filter(|(value, _)| value.wdl() == wdl);
        with_result.filter_map(|(value, _)| value.dtw()).max()
    }
}

impl Default for Histogram {
    /// A histogram without positions.
    fn default() -> Histogram {
        Histogram::from_counts([0; VALUES])
    }
}

impl fmt::Debug for Histogram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deepest_values_are_found() {
        let mut counts = [0; VALUES];
        assert_eq!(Histogram::from_counts(counts).deepest_win(), None);
        for (byte, count) in [(0, 7), (1, 2), (4, 5), (8, 1), (203, 3)] {
            counts[byte] = count;
        }
        let mut histogram = Histogram::from_counts(counts);
        assert_eq!(histogram.deepest_win(), Some(Dtw(7)));
        assert_eq!(histogram.deepest_loss(), Some(Dtw(202)));
        assert_eq!(histogram.count(Value::Win(Dtw(3))), 5);
        assert_eq!(histogram.count(Value::Win(Dtw(4))), 0);
        histogram.add(&histogram.clone());
        assert_eq!((histogram.wins(), histogram.losses()), (12, 10));
        assert_eq!(histogram.iter().next(), Some((Value::Draw, 14)));
    }
}
