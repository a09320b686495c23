//! The model: assigns a distribution of symbols to each context, and has a form as bytes.
//!
//! The symbols of a context fall into bins; a tree splits the contexts at the borders of bins until
//! each leaf has a distribution: for each symbol its frequency, 4096 in all.

use super::ESCAPE;
use super::context::{CLASSES, Context};

/// The frequencies of a distribution sum to `1 << SCALE`.
pub(crate) const SCALE: u32 = 12;
pub(crate) const TOTAL: u32 = 1 << SCALE;

/// The frequency of each of the 256 symbols that may follow [`ESCAPE`].
pub(crate) const ESCAPED_FREQUENCY: u32 = TOTAL / 256;

/// The most bins of the features of a context but the class, and the most distributions.
pub(crate) const MOST_BINS: [usize; 3] = [24, 12, 8];
pub(crate) const MOST_DISTRIBUTIONS: usize = 2048;

/// The features of a context, with the class.
pub(crate) const FEATURES: usize = 4;

/// Eight symbols of a distribution, with everything that decoding needs side by side.
#[derive(Clone, Debug)]
#[repr(align(32))]
pub(crate) struct SymbolGroup {
    /// The cumulative frequencies before each symbol and after the last: nine numbers of 16 bits.
    cumulative: [u8; 18],
    symbols: [u8; 8],
    /// The group with the distribution's next symbols.
    pub next: u16,
}

impl SymbolGroup {
    /// The symbol whose range contains this remainder of the state, with its cumulative frequency
    /// and its frequency; `None` if the symbol is not among these eight.
    #[inline(always)]
    pub fn find(&self, slot: u32) -> Option<(u8, u32, u32)> {
        const ONES: u64 = 0x0001_0001_0001_0001;
        let frequency = (u64::from(slot) | 0x8000) * ONES;
        let passed = |ends: &[u8]| {
            let ends = u64::from_le_bytes(ends.try_into().unwrap_or_default());
            (frequency - ends) >> 15 & ONES
        };
        let passed = passed(&self.cumulative[2..10]) + passed(&self.cumulative[10..18]);
        let passed = (passed.wrapping_mul(ONES) >> 48) as usize;
        let symbol = *self.symbols.get(passed)?;
        let cumulative = self.cumulative[2 * passed..].first_chunk()?;
        let cumulative = u32::from_le_bytes(*cumulative);
        let (start, end) = (cumulative & 0xffff, cumulative >> 16);
        Some((symbol, start, end - start))
    }
}

/// A distribution: symbols with their frequencies, the escape last.
pub(crate) type Distribution = Vec<(u8, u16)>;

/// The distributions of all contexts, ready for coding.
#[derive(Debug)]
pub(crate) struct Model {
    /// For each feature and its value: the bin times the weight of a bin in a context's number.
    numbers: Box<[[u32; 256]; 3]>,
    /// The weight of a class in a context's number.
    near_bins: u32,
    /// The distribution for each context number. Contexts that differ only in *near* are neighbours.
    by_context: Vec<u16>,
    /// The first groups of all distributions, then the other groups.
    pub(crate) groups: Vec<SymbolGroup>,
}

impl Model {
    /// Parses a model; `None` unless the bytes are exactly a valid model.
    pub fn from_bytes(bytes: &[u8]) -> Option<Model> {
        Some(Model::with_distributions(bytes)?.0)
    }

    /// [`Model::from_bytes`], with the distributions for an encoder.
    pub fn with_distributions(mut bytes: &[u8]) -> Option<(Model, Vec<Distribution>)> {
        let bytes = &mut bytes;
        // The last symbol of each bin but the last.
        let mut bins = [&[][..]; 3];
        for (bins, most) in bins.iter_mut().zip(MOST_BINS) {
            let length = usize::from(*bytes.split_off_first()?);
            *bins = bytes.split_off(..length)?;
            if length >= most || !bins.is_sorted() {
                return None;
            }
        }
        let sizes = [
            bins[0].len() + 1,
            bins[1].len() + 1,
            bins[2].len() + 1,
            CLASSES,
        ];
        let (by_context, distributions) = tree(bytes, sizes)?;
        let steps = [1, sizes[2] * CLASSES * sizes[0], CLASSES * sizes[0]];
        let number = |feature: usize, symbol: u8| {
            bins[feature].partition_point(|&last| last < symbol) * steps[feature]
        };
        let numbers = [0, 1, 2]
            .map(|feature| std::array::from_fn(|symbol| number(feature, symbol as u8) as u32));
        let model = Model {
            by_context,
            groups: groups(&distributions)?,
            numbers: Box::new(numbers),
            near_bins: sizes[0] as u32,
        };
        bytes.is_empty().then_some((model, distributions))
    }

    /// The number of a context's distribution, and of its first group.
    #[inline(always)]
    pub(crate) fn distribution(&self, context: Context) -> usize {
        let part = |feature: usize| self.numbers[feature][usize::from(context.features[feature])];
        // Add *near*, which is known last, at the end.
        let number = part(1) + part(2) + u32::from(context.class) * self.near_bins + part(0);
        self.by_context[number as usize].into()
    }
}

/// Takes the tree and gives each context the distribution of its leaf. `sizes` are the numbers of
/// bins of the features.
///
/// The nodes are in preorder. A feature and a bin: contexts whose bin of this feature is at most
/// this one continue at the next node, the others after its descendants. [`FEATURES`]: a leaf, with
/// its distribution.
fn tree(bytes: &mut &[u8], sizes: [usize; FEATURES]) -> Option<(Vec<u16>, Vec<Distribution>)> {
    let mut by_context = vec![0; sizes.iter().product()];
    let mut distributions = Vec::new();
    // A stack of the boxes of contexts that still need a node.
    let mut open = vec![sizes.map(|size| 0..size)];
    while let Some(cell) = open.pop() {
        let feature = usize::from(*bytes.split_off_first()?);
        if let Some(range) = cell.get(feature) {
            let middle = usize::from(*bytes.split_off_first()?) + 1;
            if middle <= range.start || middle >= range.end {
                return None;
            }
            let (mut low, mut high) = (cell.clone(), cell);
            low[feature].end = middle;
            high[feature].start = middle;
            open.extend([high, low]);
            continue;
        }
        if distributions.len() >= MOST_DISTRIBUTIONS {
            return None;
        }
        let [near, second, third, class] = cell;
        let numbers =
            second.flat_map(|second| third.clone().map(move |third| second * sizes[2] + third));
        let numbers =
            numbers.flat_map(|number| class.clone().map(move |class| number * CLASSES + class));
        for number in numbers {
            by_context[number * sizes[0]..][near.clone()].fill(distributions.len() as u16);
        }
        distributions.push(distribution(bytes)?);
    }
    Some((by_context, distributions))
}

/// Takes a distribution from the front.
fn distribution(bytes: &mut &[u8]) -> Option<Distribution> {
    let symbols = bytes.as_chunks().0;
    let last = symbols
        .iter()
        .position(|&[symbol, _, _]| symbol == ESCAPE)?;
    let symbols = bytes.split_off(..3 * (last + 1))?.as_chunks().0.iter();
    let symbols = symbols.map(|&[symbol, low, high]| (symbol, u16::from_le_bytes([low, high])));
    Some(symbols.collect())
}

/// The groups of all distributions; `None` unless the frequencies of each sum to [`TOTAL`].
fn groups(distributions: &[Distribution]) -> Option<Vec<SymbolGroup>> {
    let (mut groups, mut others) = (Vec::new(), Vec::new());
    for distribution in distributions {
        let mut end = 0u16;
        for (number, eight) in distribution.chunks(8).enumerate() {
            let mut group = SymbolGroup {
                cumulative: [0; 18],
                symbols: [0; 8],
                next: 0,
            };
            let mut cumulative = group.cumulative.as_chunks_mut().0.iter_mut();
            *cumulative.next()? = end.to_le_bytes();
            for (i, bound) in cumulative.enumerate() {
                if let Some(&(symbol, frequency)) = eight.get(i) {
                    if frequency == 0 || u32::from(frequency) > TOTAL - u32::from(end) {
                        return None;
                    }
                    group.symbols[i] = symbol;
                    end += frequency;
                }
                *bound = end.to_le_bytes();
            }
            let after = distributions.len() + others.len();
            group.next = u16::try_from(after + usize::from(number > 0)).ok()?;
            let all = if number == 0 {
                &mut groups
            } else {
                &mut others
            };
            all.push(group);
        }
        if u32::from(end) != TOTAL {
            return None;
        }
    }
    groups.extend(others);
    Some(groups)
}
