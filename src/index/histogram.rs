//! The number of distinct positions with each value in a table. Positions that are equal under a
//! symmetry of the board count as one.

use std::fmt;

#[cfg(feature = "build")]
use bitvec::prelude::BitSlice;
#[cfg(feature = "build")]
use rayon::prelude::*;

#[cfg(feature = "build")]
use crate::index::Index;
#[cfg(feature = "build")]
use crate::value::Metric;
use crate::value::{Dtw, Value, Wdl};

/// The number of values that a byte can stand for.
const VALUES: usize = 256;

/// Counts of distinct positions under the 16 symmetries, by value.
#[derive(Clone, PartialEq, Eq)]
pub struct Histogram {
    /// By the byte that stands for the value, see [`Value::from_byte`].
    counts: [u64; VALUES],
}

impl Histogram {
    /// Counts the entries of a table. There must be one value for each entry of the index. A
    /// position that the table holds at several entries counts once.
    ///
    /// # Panics
    ///
    /// If the number of values is not that of the index.
    #[cfg(feature = "build")]
    pub fn of_table(index: &Index, values: &[u8]) -> Histogram {
        assert_eq!(values.len(), index.len(), "values of another table");
        let columns = index.columns().count();
        let count_row = |mut histogram: Histogram, (row, values): (usize, &[u8])| {
            match index.first_columns(row) {
                None => histogram.count_all(values),
                Some(first) => histogram.count_marked(values, &first),
            }
            histogram
        };
        let rows = values.par_chunks(columns).enumerate();
        rows.fold(Histogram::default, count_row)
            .reduce(Histogram::default, |mut a, b| {
                a.add(&b);
                a
            })
    }

    /// The histogram with these counts, one for each byte that stands for a value.
    pub fn from_counts(counts: [u64; VALUES]) -> Histogram {
        Histogram { counts }
    }

    /// The counts by the byte that stands for the value.
    pub fn counts(&self) -> &[u64; VALUES] {
        &self.counts
    }

    /// The counts of the values as far as the metric keeps them.
    #[cfg(feature = "build")]
    pub(crate) fn of_metric(&self, metric: Metric) -> Histogram {
        let mut left = Histogram::default();
        for (byte, count) in (0..=u8::MAX).zip(self.counts) {
            left.counts[usize::from(metric.of_byte(byte))] += count;
        }
        left
    }

    /// Adds the counts of another histogram.
    pub fn add(&mut self, other: &Histogram) {
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
    }

    /// The number of distinct positions with this value.
    pub fn count(&self, value: Value) -> u64 {
        value
            .to_byte()
            .map_or(0, |byte| self.counts[usize::from(byte)])
    }

    /// The values that occur, with their counts: the draws first, then by rising depth.
    pub fn iter(&self) -> impl Iterator<Item = (Value, u64)> + '_ {
        let all = (0..=u8::MAX).map(Value::from_byte).zip(self.counts);
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

    /// Four counters for each value, so that additions in a run of one value do not wait for each
    /// other.
    #[cfg(feature = "build")]
    fn count_all(&mut self, values: &[u8]) {
        let mut lanes = [[0u32; VALUES]; 4];
        let mut groups = values.chunks_exact(lanes.len());
        for group in &mut groups {
            for (lane, &value) in lanes.iter_mut().zip(group) {
                lane[usize::from(value)] += 1;
            }
        }
        for &value in groups.remainder() {
            lanes[0][usize::from(value)] += 1;
        }
        for (value, count) in self.counts.iter_mut().enumerate() {
            *count += lanes.iter().map(|lane| u64::from(lane[value])).sum::<u64>();
        }
    }

    #[cfg(feature = "build")]
    fn count_marked(&mut self, values: &[u8], marked: &BitSlice) {
        for column in marked.iter_ones() {
            self.counts[usize::from(values[column])] += 1;
        }
    }
}

impl Default for Histogram {
    /// A histogram without positions.
    fn default() -> Histogram {
        Histogram {
            counts: [0; VALUES],
        }
    }
}

impl fmt::Debug for Histogram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

#[cfg(all(test, feature = "build"))]
mod tests {
    use super::*;
    use crate::board::PointSet;
    use crate::board::symmetry::Symmetry;
    use crate::index::Material;
    use std::collections::HashMap;

    /// A value for each position that is the same under all symmetries.
    fn value_of(mover: PointSet, waiting: PointSet) -> (u64, u8) {
        let images = Symmetry::all().map(|s| (s.apply(mover).bits(), s.apply(waiting).bits()));
        let (mover, waiting) = images.min().unwrap();
        let key = u64::from(mover) << 32 | u64::from(waiting);
        (key, (key % 251) as u8)
    }

    #[test]
    fn equal_positions_count_once() {
        let index = Index::new(Material {
            mover: 4,
            waiting: 3,
        });
        let mut distinct = HashMap::new();
        let values: Vec<u8> = (0..index.len())
            .map(|entry| {
                let (mover, waiting) = index.sets(entry);
                let (key, value) = value_of(mover, waiting);
                distinct.insert(key, value);
                value
            })
            .collect();
        let mut counts = [0; VALUES];
        for value in distinct.into_values() {
            counts[usize::from(value)] += 1;
        }
        let histogram = Histogram::of_table(&index, &values);
        assert_eq!(histogram, Histogram::from_counts(counts));
        // The published number of positions of this table.
        assert_eq!(histogram.positions(), 760_398);
        let sum = histogram.wins() + histogram.draws() + histogram.losses();
        assert_eq!(sum, histogram.positions());
    }

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
