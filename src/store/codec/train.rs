//! Trains a model: a tree that splits the contexts of a sample where a split saves most bits.

use std::cmp::Reverse;
use std::ops::Range;

use super::ESCAPE;
use super::context::{Context, RowShape, Shape};
use super::model::{Distribution, FEATURES, MOST_BINS, Node, Parts, TOTAL};
use super::{Parameters, Scratch};

/// The limits of a model. Higher limits take time and save hardly any bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    /// The number of values in a sample, approximately.
    pub samples: usize,
    /// The most distributions of a model.
    pub distributions: usize,
    /// The most bytes of a model. Values that are hard to predict need long distributions, of which
    /// fewer fit.
    pub bytes: usize,
}

/// The most bytes of the models of a file, so that its head stays within 128 KiB: it also holds the
/// histograms, with at most 256 numbers of 5 bytes each.
const MOST_MODEL_BYTES: usize = 120 << 10;

impl Budget {
    /// The limits for a table of a pair.
    pub fn of(parameters: Parameters) -> Budget {
        let (samples, distributions) = match parameters.are_small() {
            false => (2_000_000, 1024),
            true => (6_000_000, 2048),
        };
        Budget {
            samples,
            distributions,
            bytes: MOST_MODEL_BYTES,
        }
    }
}

/// The features of an entry, then its symbol.
type Sample = [u8; FEATURES + 1];

/// Collects contexts and symbols of some blocks of a table and trains a model on them.
#[derive(Default)]
pub(crate) struct Training {
    samples: Vec<Sample>,
}

/// The least number of bits that a split must save in the samples.
const LEAST_GAIN: u64 = 64 << FRACTION;

/// The number of fraction bits of logarithms.
const FRACTION: u32 = 16;

/// n · log2 n for n from 0 on, without floating point numbers, which are not the same on all
/// machines.
fn n_log_n(most: usize) -> Vec<u64> {
    let log2 = |n: u64| {
        let whole = n.ilog2();
        let mut log = u64::from(whole) << FRACTION;
        let mut mantissa = n << (31 - whole);
        for bit in (0..FRACTION).rev() {
            mantissa = (mantissa * mantissa) >> 31;
            if mantissa >> 32 != 0 {
                mantissa >>= 1;
                log |= 1 << bit;
            }
        }
        log
    };
    (0..=most as u64)
        .map(|n| if n == 0 { 0 } else { n * log2(n) })
        .collect()
}

/// A leaf that may be split further, with its best split.
struct Open {
    gain: u64,
    feature: usize,
    bin: u8,
    node: usize,
    samples: Range<usize>,
}

/// A growing tree.
struct Grown {
    /// Each node's split with its two children; `None` for a leaf.
    nodes: Vec<Option<(usize, u8, [usize; 2])>>,
    /// Each node's samples.
    samples: Vec<Range<usize>>,
}

impl Training {
    /// Adds a block to the sample: the columns of the row from `start` on, with these values.
    pub fn add(
        &mut self,
        shape: &Shape,
        row: &RowShape,
        start: usize,
        values: &[u8],
        scratch: &mut Scratch,
    ) {
        let see = |context, symbol| {
            let Context {
                near,
                best,
                worst,
                class,
            } = context;
            self.samples.push([near, best, worst, class, symbol]);
        };
        shape.contexts(row, start, values, scratch, see);
    }

    /// The model of the samples as bytes for a file.
    pub fn into_model(mut self, budget: Budget) -> Vec<u8> {
        let logs = n_log_n(self.samples.len());
        let mut bins: [Vec<u8>; 3] = Default::default();
        for (feature, bins) in bins.iter_mut().enumerate() {
            let grown = self.grow(&logs, feature..feature + 1, MOST_BINS[feature]);
            let splits = grown.nodes.iter().flatten();
            *bins = splits.map(|&(_, last, _)| last).collect();
            bins.sort_unstable();
        }
        for sample in &mut self.samples {
            for (feature, bins) in bins.iter().enumerate() {
                sample[feature] = bins.partition_point(|&last| last < sample[feature]) as u8;
            }
        }
        let mut leaves = budget.distributions;
        loop {
            let bytes = self.parts(&logs, &bins, leaves).to_bytes();
            if bytes.len() <= budget.bytes || leaves <= 1 {
                return bytes;
            }
            // A little less than the proportion, because the remaining leaves may be the longest.
            leaves = (leaves * budget.bytes / bytes.len() * 7 / 8).max(1);
        }
    }

    /// The tree with at most this number of leaves, and their distributions.
    fn parts(&mut self, logs: &[u64], bins: &[Vec<u8>; 3], leaves: usize) -> Parts {
        let grown = self.grow(logs, 0..FEATURES, leaves);
        let mut parts = Parts {
            bins: bins.clone(),
            ..Parts::default()
        };
        let mut open = vec![0];
        while let Some(node) = open.pop() {
            match grown.nodes[node] {
                Some((feature, bin, [low, high])) => {
                    let feature = feature as u8;
                    parts.tree.push(Node::Split { feature, bin });
                    open.extend([high, low]);
                }
                None => {
                    let samples = &self.samples[grown.samples[node].clone()];
                    parts.tree.push(Node::Leaf);
                    parts.distributions.push(distribution(samples));
                }
            }
        }
        parts
    }

    /// Repeatedly splits the samples where a split saves most bits.
    fn grow(&mut self, logs: &[u64], features: Range<usize>, leaves: usize) -> Grown {
        let all = 0..self.samples.len();
        let mut grown = Grown {
            nodes: vec![None],
            samples: vec![all.clone()],
        };
        let mut open: Vec<Open> = Vec::new();
        open.extend(self.best_split(logs, features.clone(), 0, all));
        for _ in 1..leaves {
            // Among equal gains, take the oldest node's.
            let best = (0..open.len()).max_by_key(|&i| (open[i].gain, Reverse(open[i].node)));
            let Some(best) = best.map(|i| open.swap_remove(i)) else {
                break;
            };
            let Open { feature, bin, .. } = best;
            let part = &mut self.samples[best.samples.clone()];
            // The order of samples within a half does not matter.
            part.sort_unstable_by_key(|sample| sample[feature] > bin);
            let low = part.partition_point(|sample| sample[feature] <= bin);
            let middle = best.samples.start + low;
            let next = grown.nodes.len();
            grown.nodes[best.node] = Some((feature, bin, [next, next + 1]));
            let (low, high) = (best.samples.start..middle, middle..best.samples.end);
            let split = |node, samples| self.best_split(logs, features.clone(), node, samples);
            let (of_low, of_high) = rayon::join(
                || split(next, low.clone()),
                || split(next + 1, high.clone()),
            );
            open.extend(of_low);
            open.extend(of_high);
            grown.nodes.extend([None, None]);
            grown.samples.extend([low, high]);
        }
        grown
    }

    /// The split of a node's samples that saves most bits.
    fn best_split(
        &self,
        logs: &[u64],
        features: Range<usize>,
        node: usize,
        samples: Range<usize>,
    ) -> Option<Open> {
        // The bits of a set of samples are n log n - sum of c log c over the counts c of its symbols.
        let part = &self.samples[samples.clone()];
        let whole = counts(part);
        let cost = |total: usize, sum: u64| logs[total] - sum;
        let logs_of = |counts: &[u32; 256]| {
            let logs = counts.iter().map(|&count| logs[count as usize]);
            logs.sum::<u64>()
        };
        let all = cost(part.len(), logs_of(&whole));
        let mut best = Open {
            gain: 0,
            feature: 0,
            bin: 0,
            node,
            samples,
        };
        for feature in features {
            let mut by_bin = vec![[0u32; 256]; 256];
            for sample in part {
                by_bin[usize::from(sample[feature])][usize::from(sample[FEATURES])] += 1;
            }
            let (mut low, mut high) = ([0; 256], whole);
            let (mut low_sum, mut high_sum) = (0, logs_of(&whole));
            let mut total = 0;
            for (bin, counts) in (0u8..=255).zip(&by_bin) {
                let before = total;
                for (symbol, &count) in counts.iter().enumerate().filter(|&(_, &count)| count > 0) {
                    low_sum += logs[(low[symbol] + count) as usize] - logs[low[symbol] as usize];
                    high_sum -= logs[high[symbol] as usize] - logs[(high[symbol] - count) as usize];
                    low[symbol] += count;
                    high[symbol] -= count;
                    total += count as usize;
                }
                if total == before || total == part.len() {
                    continue;
                }
                let parts = cost(total, low_sum) + cost(part.len() - total, high_sum);
                let gain = all.saturating_sub(parts);
                if gain > best.gain {
                    best = Open {
                        gain,
                        feature,
                        bin,
                        ..best
                    };
                }
            }
        }
        (best.gain >= LEAST_GAIN).then_some(best)
    }
}

fn counts(samples: &[Sample]) -> [u32; 256] {
    let mut counts = [0; 256];
    for sample in samples {
        counts[usize::from(sample[FEATURES])] += 1;
    }
    counts
}

/// Frequencies in proportion to the counts, at least 1 each, the most frequent symbols first, the escape
/// last.
fn distribution(samples: &[Sample]) -> Distribution {
    let mut symbols: Vec<(u8, u64)> = (0..=255).zip(counts(samples).map(u64::from)).collect();
    symbols.retain(|&(symbol, count)| symbol != ESCAPE && count > 0);
    symbols.sort_by_key(|&(symbol, count)| (Reverse(count), symbol));
    symbols.push((ESCAPE, 1));
    let total: u64 = symbols.iter().map(|&(_, count)| count).sum();
    for (_, frequency) in &mut symbols {
        *frequency = (*frequency * u64::from(TOTAL) / total).max(1);
    }
    // The most frequent symbols absorb the rounding error of the sum.
    let sum: u64 = symbols.iter().map(|&(_, frequency)| frequency).sum();
    let mut surplus = sum.saturating_sub(TOTAL.into());
    symbols[0].1 += u64::from(TOTAL).saturating_sub(sum);
    for (_, frequency) in &mut symbols {
        let less = surplus.min(*frequency / 2);
        *frequency -= less;
        surplus -= less;
    }
    let symbols = symbols.into_iter();
    symbols
        .map(|(symbol, frequency)| (symbol, frequency as u16))
        .collect()
}
