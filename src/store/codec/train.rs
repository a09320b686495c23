//! Making a model: a tree that splits the contexts of a sample where that saves most bits.

use std::cmp::Reverse;
use std::ops::Range;

use super::ESCAPE;
use super::context::{Context, Row, Shape};
use super::model::{Distribution, FEATURES, MOST_BINS, Node, Parts, SLOTS};
use super::{Parameters, Scratch};

/// How much a model may take: more takes time and saves hardly any bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    /// How many values a sample should have.
    pub samples: usize,
    /// The most distributions of a model.
    pub distributions: usize,
    /// The most bytes of a model. Values that are hard to tell apart need long distributions, and
    /// then there are fewer of them.
    pub bytes: usize,
}

/// The most bytes of the models of a file, so that its head fits into its bound of 128 KiB: there are
/// the histograms, too, with at most 256 numbers of 5 bytes each.
const MOST_MODEL_BYTES: usize = 120 << 10;

impl Budget {
    /// For a table of a pair.
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

/// The features of an entry, then its key.
type Sample = [u8; FEATURES + 1];

/// Gathers contexts and keys of some blocks of a table and makes a model of them.
#[derive(Default)]
pub(crate) struct Training {
    samples: Vec<Sample>,
}

/// A split must save so many bits in the samples.
const LEAST_GAIN: u64 = 64 << FRACTION;

/// Logarithms have so many bits behind the point.
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

/// A leaf that may be split further, and the best split.
struct Open {
    gain: u64,
    feature: usize,
    bin: u8,
    node: usize,
    samples: Range<usize>,
}

/// A tree that grows.
struct Grown {
    /// Each node's split with both nodes behind it; `None` for a leaf.
    nodes: Vec<Option<(usize, u8, [usize; 2])>>,
    /// Each node's samples.
    samples: Vec<Range<usize>>,
}

impl Training {
    /// Adds a block: the columns of the row from `start` on with these values.
    pub fn add(
        &mut self,
        shape: &Shape,
        row: &Row,
        start: usize,
        values: &[u8],
        scratch: &mut Scratch,
    ) {
        let see = |context, key| {
            let Context {
                near,
                best,
                worst,
                class,
            } = context;
            self.samples.push([near, best, worst, class, key]);
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
            // A little less than the proportion, as the leaves left may be the longest ones.
            leaves = (leaves * budget.bytes / bytes.len() * 7 / 8).max(1);
        }
    }

    /// The tree with this many leaves at most, and their distributions.
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

    /// Splits the samples where that saves most bits, again and again.
    fn grow(&mut self, logs: &[u64], features: Range<usize>, leaves: usize) -> Grown {
        let all = 0..self.samples.len();
        let mut grown = Grown {
            nodes: vec![None],
            samples: vec![all.clone()],
        };
        let mut open: Vec<Open> = Vec::new();
        open.extend(self.best_split(logs, features.clone(), 0, all));
        for _ in 1..leaves {
            // Of equal gains the oldest node's.
            let best = (0..open.len()).max_by_key(|&i| (open[i].gain, Reverse(open[i].node)));
            let Some(best) = best.map(|i| open.swap_remove(i)) else {
                break;
            };
            let Open { feature, bin, .. } = best;
            let part = &mut self.samples[best.samples.clone()];
            // Which way samples within a half are ordered makes no difference to what follows.
            part.sort_unstable_by_key(|sample| sample[feature] > bin);
            let low = part.partition_point(|sample| sample[feature] <= bin);
            let middle = best.samples.start + low;
            let next = grown.nodes.len();
            grown.nodes[best.node] = Some((feature, bin, [next, next + 1]));
            for half in [best.samples.start..middle, middle..best.samples.end] {
                let node = grown.nodes.len();
                open.extend(self.best_split(logs, features.clone(), node, half.clone()));
                grown.nodes.push(None);
                grown.samples.push(half);
            }
        }
        grown
    }

    /// The split of a node's samples that saves most.
    fn best_split(
        &self,
        logs: &[u64],
        features: Range<usize>,
        node: usize,
        samples: Range<usize>,
    ) -> Option<Open> {
        // The bits of a set of samples are n log n - sum of c log c over the counts c of its keys.
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
                for (key, &count) in counts.iter().enumerate().filter(|&(_, &count)| count > 0) {
                    low_sum += logs[(low[key] + count) as usize] - logs[low[key] as usize];
                    high_sum -= logs[high[key] as usize] - logs[(high[key] - count) as usize];
                    low[key] += count;
                    high[key] -= count;
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

/// Slots in proportion to the counts, at least one each, the most frequent keys first, the escape
/// last.
fn distribution(samples: &[Sample]) -> Distribution {
    let mut keys: Vec<(u8, u64)> = (0..=255).zip(counts(samples).map(u64::from)).collect();
    keys.retain(|&(key, count)| key != ESCAPE && count > 0);
    keys.sort_by_key(|&(key, count)| (Reverse(count), key));
    keys.push((ESCAPE, 1));
    let total: u64 = keys.iter().map(|&(_, count)| count).sum();
    for (_, slots) in &mut keys {
        *slots = (*slots * u64::from(SLOTS) / total).max(1);
    }
    // What is too much or too little is the most frequent keys'.
    let sum: u64 = keys.iter().map(|&(_, slots)| slots).sum();
    let mut surplus = sum.saturating_sub(SLOTS.into());
    keys[0].1 += u64::from(SLOTS).saturating_sub(sum);
    for (_, slots) in &mut keys {
        let less = surplus.min(*slots / 2);
        *slots -= less;
        surplus -= less;
    }
    let keys = keys.into_iter();
    keys.map(|(key, slots)| (key, slots as u16)).collect()
}
