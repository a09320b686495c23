//! Counts the values of a table that is in memory.

use rayon::prelude::*;

use super::histogram::{Histogram, VALUES};
use super::{BitSet, Index};
use crate::value::Metric;

impl Histogram {
    /// Counts the values of a table's entries. A position that the table holds at several entries
    /// counts once.
    ///
    /// # Panics
    ///
    /// If the number of values is not the length of the index.
    pub fn of_table(index: &Index, values: &[u8]) -> Histogram {
        Histogram::of_columns(index, values, |row| index.first_columns(row))
    }

    /// Counts the values of the columns that `columns` chooses in each row; `None` chooses all.
    pub(crate) fn of_columns(
        index: &Index,
        values: &[u8],
        columns: impl Fn(usize) -> Option<BitSet> + Sync,
    ) -> Histogram {
        assert_eq!(values.len(), index.len(), "values of another table");
        let count_row = |mut histogram: Histogram, (row, values): (usize, &[u8])| {
            match columns(row) {
                None => histogram.count_all(values),
                Some(chosen) => {
                    for column in chosen.iter() {
                        histogram.counts[usize::from(values[column])] += 1;
                    }
                }
            }
            histogram
        };
        let rows = values.par_chunks(index.columns().count()).enumerate();
        rows.fold(Histogram::default, count_row)
            .reduce(Histogram::default, |mut a, b| {
                a.add(&b);
                a
            })
    }

    /// The counts of the parts of the values that the metric keeps.
    pub(crate) fn of_metric(&self, metric: Metric) -> Histogram {
        let mut kept = Histogram::default();
        for (byte, count) in (0..=u8::MAX).zip(self.counts) {
            kept.counts[usize::from(metric.of_byte(byte))] += count;
        }
        kept
    }

    /// Counts all values. Each value has four counters, so that additions in a run of one value do
    /// not wait for each other.
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
}
