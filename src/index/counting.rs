//! Counts the values of a table that is in memory.

use rayon::prelude::*;

use super::histogram::{Histogram, VALUES};
use super::{BitSet, Index};
use crate::value::Metric;

impl Histogram {
    /// Counts the values of a table's entries. A position that the table holds at several entries counts once.
    ///
    /// # Panics
    ///
    /// If the number of values is not the length of the index.
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

    /// The counts of the values as far as the metric keeps them.
    pub(crate) fn of_metric(&self, metric: Metric) -> Histogram {
        let mut kept = Histogram::default();
        for (byte, count) in (0..=u8::MAX).zip(self.counts) {
            kept.counts[usize::from(metric.of_byte(byte))] += count;
        }
        kept
    }

    /// Each value has four counters, so that additions in a run of one value do not wait for each other.
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

    fn count_marked(&mut self, values: &[u8], marked: &BitSet) {
        for column in marked.iter() {
            self.counts[usize::from(values[column])] += 1;
        }
    }
}

#[cfg(test)]
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
}
