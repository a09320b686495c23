//! Trains a model: a tree that splits the contexts of a sample where a split saves most bits.

use std::cmp::Reverse;
use std::iter;
use std::ops::Range;

use rayon::prelude::*;

use super::contexts::contexts;
use crate::store::codec::ESCAPE;
use crate::store::codec::context::{BlockScratch, Context, RowShape, TableShape};
use crate::store::codec::model::{FEATURES, MOST_BINS, TOTAL};
use crate::store::profile::Compression;

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
    pub fn of(compression: Compression) -> Budget {
        let (samples, distributions) = match compression {
            Compression::Quick => (2_000_000, 1024),
            Compression::Max => (6_000_000, 2048),
        };
        Budget {
            samples,
            distributions,
            bytes: MOST_MODEL_BYTES,
        }
    }
}

/// The features of a context, then the symbol coded in it.
type Coded = [u8; FEATURES + 1];

/// Features with a symbol, and how often the sample has them: most occur many times.
#[derive(Clone, Copy)]
struct Counted {
    coded: Coded,
    count: u32,
}

impl Counted {
    fn symbol(&self) -> usize {
        self.coded[FEATURES].into()
    }
}

/// Counts equal elements.
fn counted(mut sample: Vec<Coded>) -> Vec<Counted> {
    let number = |&[a, b, c, d, e]: &Coded| u64::from_be_bytes([0, 0, 0, a, b, c, d, e]);
    sample.par_sort_unstable_by_key(number);
    let count = |same: &[Coded]| Counted {
        coded: same[0],
        count: same.len() as u32,
    };
    sample.chunk_by(|a, b| a == b).map(count).collect()
}

/// Collects contexts and symbols of some blocks of a table and trains a model on them.
#[derive(Default)]
pub(crate) struct Training {
    sample: Vec<Coded>,
}

/// The least number of bits that a split must save in the sample.
const LEAST_GAIN: u64 = 64 << FRACTION;

/// The number of fraction bits of logarithms.
const FRACTION: u32 = 16;

/// n · log2 n, without floating point numbers, which are not the same on all machines.
fn n_log_n(n: u32) -> u64 {
    static SMALL: [u64; 1 << 12] = {
        let mut small = [0; 1 << 12];
        let mut n = 1;
        while n < small.len() {
            small[n] = compute_n_log_n(n as u32);
            n += 1;
        }
        small
    };
    match SMALL.get(n as usize) {
        Some(&known) => known,
        None => compute_n_log_n(n),
    }
}

/// [`n_log_n`] of a number above 0.
const fn compute_n_log_n(n: u32) -> u64 {
    let whole = n.ilog2();
    let mut log = (whole as u64) << FRACTION;
    let mut mantissa = (n as u64) << (31 - whole);
    let mut bit = FRACTION;
    while bit > 0 {
        bit -= 1;
        mantissa = (mantissa * mantissa) >> 31;
        if mantissa >> 32 != 0 {
            mantissa >>= 1;
            log |= 1 << bit;
        }
    }
    n as u64 * log
}

/// A leaf that may be split further, with its best split.
struct OpenLeaf {
    gain: u64,
    feature: usize,
    bin: u8,
    node: usize,
}

/// A growing tree.
struct Grown {
    /// Each node's split with its two children; `None` for a leaf.
    nodes: Vec<Option<(usize, u8, [usize; 2])>>,
    /// Each node's part of the sample.
    parts: Vec<Range<usize>>,
}

impl Training {
    /// Adds a row's block with these values to the sample.
    pub fn add(
        &mut self,
        shape: &TableShape,
        row: &RowShape,
        block: usize,
        values: &[u8],
        scratch: &mut BlockScratch,
    ) {
        let see = |at: Context, symbol| {
            let [near, second, third] = at.features;
            self.sample.push([near, second, third, at.class, symbol]);
        };
        contexts(shape, row, block, values, scratch, see);
    }

    /// Adds the sample of another part.
    pub fn with(mut self, other: Training) -> Training {
        self.sample.extend(other.sample);
        self
    }

    /// The model of the sample as bytes for a file.
    pub fn into_model(self, budget: Budget) -> Vec<u8> {
        let mut sample = counted(self.sample);
        let mut bins: [Vec<u8>; 3] = Default::default();
        for (feature, bins) in bins.iter_mut().enumerate() {
            let grown = grow(&mut sample, feature..feature + 1, MOST_BINS[feature]);
            let splits = grown.nodes.iter().flatten();
            *bins = splits.map(|&(_, last, _)| last).collect();
            bins.sort_unstable();
        }
        for Counted { coded, .. } in &mut sample {
            for (symbol, bins) in coded.iter_mut().zip(&bins) {
                *symbol = bins.partition_point(|&last| last < *symbol) as u8;
            }
        }
        let mut leaves = budget.distributions;
        loop {
            let bytes = model(&mut sample, &bins, leaves);
            if bytes.len() <= budget.bytes || leaves <= 1 {
                return bytes;
            }
            // A little less than the proportion, because the remaining leaves may be the longest.
            leaves = (leaves * budget.bytes / bytes.len() * 7 / 8).max(1);
        }
    }
}

/// The bytes of the model whose tree has at most this number of leaves.
fn model(sample: &mut [Counted], bins: &[Vec<u8>; 3], leaves: usize) -> Vec<u8> {
    let grown = grow(sample, 0..FEATURES, leaves);
    let mut bytes = Vec::new();
    for bins in bins {
        bytes.push(bins.len() as u8);
        bytes.extend(bins);
    }
    let mut open = vec![0];
    while let Some(node) = open.pop() {
        match grown.nodes[node] {
            Some((feature, bin, [low, high])) => {
                bytes.extend([feature as u8, bin]);
                open.extend([high, low]);
            }
            None => {
                bytes.push(FEATURES as u8);
                for (symbol, frequency) in distribution(&sample[grown.parts[node].clone()]) {
                    bytes.push(symbol);
                    bytes.extend((frequency as u16).to_le_bytes());
                }
            }
        }
    }
    bytes
}

/// Repeatedly splits the sample where a split saves most bits.
fn grow(sample: &mut [Counted], features: Range<usize>, leaves: usize) -> Grown {
    let mut grown = Grown {
        nodes: vec![None],
        parts: iter::once(0..sample.len()).collect(),
    };
    let mut open: Vec<OpenLeaf> = Vec::new();
    open.extend(best_split(sample, features.clone(), 0));
    for _ in 1..leaves {
        // Among equal gains, take the oldest node's.
        let best = (0..open.len()).max_by_key(|&i| (open[i].gain, Reverse(open[i].node)));
        let Some(best) = best.map(|i| open.swap_remove(i)) else {
            break;
        };
        let OpenLeaf { feature, bin, .. } = best;
        let Range { start, end } = grown.parts[best.node];
        let part = &mut sample[start..end];
        // The order within a half does not matter.
        part.sort_unstable_by_key(|counted| counted.coded[feature] > bin);
        let middle = start + part.partition_point(|counted| counted.coded[feature] <= bin);
        let next = grown.nodes.len();
        grown.nodes[best.node] = Some((feature, bin, [next, next + 1]));
        for (node, half) in (next..).zip([start..middle, middle..end]) {
            open.extend(best_split(&sample[half.clone()], features.clone(), node));
            grown.nodes.push(None);
            grown.parts.push(half);
        }
    }
    grown
}

/// The split of a node's part of the sample that saves most bits.
fn best_split(part: &[Counted], features: Range<usize>, node: usize) -> Option<OpenLeaf> {
    // The bits of some entries are n log n - sum of c log c over the counts c of their symbols.
    let whole = counts(part);
    let all: u32 = whole.iter().sum();
    let sum: u64 = whole.iter().map(|&count| n_log_n(count)).sum();
    let cost = |total: u32, sum: u64| n_log_n(total) - sum;
    let mut best = OpenLeaf {
        gain: 0,
        feature: 0,
        bin: 0,
        node,
    };
    for feature in features {
        let bins = part.iter().map(|counted| counted.coded[feature]).max();
        let mut by_bin = vec![[0u32; 256]; usize::from(bins.unwrap_or(0)) + 1];
        for counted in part {
            by_bin[usize::from(counted.coded[feature])][counted.symbol()] += counted.count;
        }
        let (mut low, mut high) = ([0; 256], whole);
        let (mut low_sum, mut high_sum) = (0, sum);
        let mut total = 0;
        for (bin, counts) in (0u8..=255).zip(&by_bin) {
            let before = total;
            for (symbol, &count) in counts.iter().enumerate().filter(|&(_, &count)| count > 0) {
                low_sum += n_log_n(low[symbol] + count) - n_log_n(low[symbol]);
                high_sum -= n_log_n(high[symbol]) - n_log_n(high[symbol] - count);
                low[symbol] += count;
                high[symbol] -= count;
                total += count;
            }
            if total == before || total == all {
                continue;
            }
            let parts = cost(total, low_sum) + cost(all - total, high_sum);
            let gain = cost(all, sum).saturating_sub(parts);
            if gain > best.gain {
                best = OpenLeaf {
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

/// The count of each symbol in a part of the sample.
fn counts(part: &[Counted]) -> [u32; 256] {
    let mut counts = [0; 256];
    for counted in part {
        counts[counted.symbol()] += counted.count;
    }
    counts
}

/// Frequencies in proportion to the counts, at least 1 each, the most frequent symbols first, the
/// escape last.
fn distribution(part: &[Counted]) -> Vec<(u8, u64)> {
    let mut symbols: Vec<(u8, u64)> = (0..=255).zip(counts(part).map(u64::from)).collect();
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
    symbols
}
