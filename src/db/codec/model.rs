//! Which distribution of keys belongs to which context, and the bytes of that.
//!
//! The keys of a context fall into bins; a tree splits the contexts at the borders of bins until
//! each leaf has a distribution: for each key its share of 4096 slots.

use super::ESCAPE;
use super::context::{CLASSES, Context};

/// The slots of a distribution are `1 << SCALE`.
pub(super) const SCALE: u32 = 12;
pub(super) const SLOTS: u32 = 1 << SCALE;

/// How many bins near, best and worst fall into, and how many distributions there are at most.
pub(super) const MOST_BINS: [usize; 3] = [24, 12, 8];
pub(super) const MOST_DISTRIBUTIONS: usize = 2048;

/// The features of a context: near, best, worst and class.
pub(super) const FEATURES: usize = 4;

/// A key's part of the slots: first slot · 2^20 + (number of slots - 1) · 2^8 + key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Code(u32);

impl Code {
    pub const NONE: Code = Code(0);

    pub fn new(first: u32, slots: u32, key: u8) -> Code {
        Code(first << 20 | (slots - 1) << 8 | u32::from(key))
    }

    /// One of the 256 keys behind [`ESCAPE`].
    pub fn escaped(key: u8) -> Code {
        Code::new(u32::from(key) * (SLOTS / 256), SLOTS / 256, key)
    }

    #[inline(always)]
    pub fn first(self) -> u32 {
        self.0 >> 20
    }

    #[inline(always)]
    pub fn slots(self) -> u32 {
        (self.0 >> 8 & (SLOTS - 1)) + 1
    }

    #[inline(always)]
    pub fn key(self) -> u8 {
        self.0 as u8
    }
}

/// Eight codes of a distribution. Its next eight are in the group behind.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// The slots behind each code's last, four numbers of 16 bits each.
    ends: [u64; 2],
    pub codes: [Code; 8],
}

impl Group {
    /// How many codes end before the slot.
    #[inline(always)]
    pub fn passed(&self, slot: u32) -> usize {
        const ONES: u64 = 0x0001_0001_0001_0001;
        let slots = (u64::from(slot) | 0x8000) * ONES;
        let count = |ends: u64| ((slots - ends) >> 15 & ONES).wrapping_mul(ONES) >> 48;
        (count(self.ends[0]) + count(self.ends[1])) as usize
    }
}

/// A distribution: keys with their numbers of slots, the escape last.
pub(super) type Distribution = Vec<(u8, u16)>;

/// The tree in preorder.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Node {
    /// Contexts whose bin of this feature is at most this one go on behind this node, the others
    /// behind these.
    Split { feature: u8, bin: u8 },
    /// The next distribution.
    Leaf,
}

/// The distributions of all contexts, ready for coding.
#[derive(Debug)]
pub(crate) struct Model {
    #[cfg(feature = "build")]
    pub(super) distributions: Vec<Distribution>,
    /// By key: the bin times what a bin is worth in a context's number.
    numbers: Box<[[u32; 256]; 3]>,
    /// By context's number: the distribution's first group.
    first: Vec<u16>,
    pub(super) groups: Vec<Group>,
}

/// What a file keeps of a model.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Parts {
    /// The last key of each bin but the last.
    pub bins: [Vec<u8>; 3],
    pub tree: Vec<Node>,
    pub distributions: Vec<Distribution>,
}

impl Model {
    /// Reads a model from a file's bytes; `None` unless they are one from the first to the last.
    pub fn from_bytes(bytes: &[u8]) -> Option<Model> {
        Parts::from_bytes(bytes)?.into_model()
    }

    /// The first group of a context's distribution.
    #[inline(always)]
    pub(super) fn group(&self, context: Context) -> usize {
        let [near, best, worst] = &*self.numbers;
        let number = near[usize::from(context.near)]
            + best[usize::from(context.best)]
            + worst[usize::from(context.worst)];
        self.first[number as usize + usize::from(context.class)].into()
    }
}

impl Parts {
    /// Makes the tables for coding; `None` unless the parts agree.
    fn into_model(self) -> Option<Model> {
        let Parts {
            bins,
            tree,
            distributions,
        } = self;
        let sizes = [
            bins[0].len() + 1,
            bins[1].len() + 1,
            bins[2].len() + 1,
            CLASSES,
        ];
        let mut all = bins.iter().zip(MOST_BINS);
        if !all.all(|(bins, most)| bins.len() < most && bins.is_sorted()) {
            return None;
        }
        let (mut groups, mut first_groups) = (Vec::new(), Vec::new());
        for distribution in &distributions {
            first_groups.push(u16::try_from(groups.len()).ok()?);
            add_groups(distribution, &mut groups)?;
        }
        let steps = [sizes[1] * sizes[2] * CLASSES, sizes[2] * CLASSES, CLASSES];
        let number = |feature: usize, key: u8| {
            bins[feature].partition_point(|&last| last < key) * steps[feature]
        };
        let numbers =
            [0, 1, 2].map(|feature| std::array::from_fn(|key| number(feature, key as u8) as u32));
        Some(Model {
            first: spread(&tree, sizes, &first_groups)?,
            #[cfg(feature = "build")]
            distributions,
            numbers: Box::new(numbers),
            groups,
        })
    }

    /// The parts as bytes for a file.
    #[cfg(feature = "build")]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for bins in &self.bins {
            bytes.push(bins.len() as u8);
            bytes.extend(bins);
        }
        let mut distributions = self.distributions.iter();
        for node in &self.tree {
            match *node {
                Node::Split { feature, bin } => bytes.extend([feature, bin]),
                Node::Leaf => {
                    bytes.push(FEATURES as u8);
                    for &(key, slots) in distributions.next().into_iter().flatten() {
                        bytes.push(key);
                        bytes.extend(slots.to_le_bytes());
                    }
                }
            }
        }
        bytes
    }

    fn from_bytes(mut bytes: &[u8]) -> Option<Parts> {
        let bytes = &mut bytes;
        let mut parts = Parts::default();
        for bins in &mut parts.bins {
            let length = usize::from(*bytes.split_off_first()?);
            *bins = bytes.split_off(..length)?.to_vec();
        }
        let mut open = 1;
        while open > 0 {
            let feature = *bytes.split_off_first()?;
            if usize::from(feature) < FEATURES {
                let bin = *bytes.split_off_first()?;
                parts.tree.push(Node::Split { feature, bin });
                open += 1;
                continue;
            }
            let mut distribution = Vec::new();
            loop {
                let key = *bytes.split_off_first()?;
                let slots = bytes.split_off(..2)?;
                distribution.push((key, u16::from_le_bytes([slots[0], slots[1]])));
                if key == ESCAPE {
                    break;
                }
            }
            parts.tree.push(Node::Leaf);
            parts.distributions.push(distribution);
            open -= 1;
            if parts.distributions.len() > MOST_DISTRIBUTIONS {
                return None;
            }
        }
        bytes.is_empty().then_some(parts)
    }
}

/// Adds the groups of a distribution; `None` unless its keys share out all slots.
fn add_groups(distribution: &[(u8, u16)], groups: &mut Vec<Group>) -> Option<()> {
    let mut end = 0;
    for eight in distribution.chunks(8) {
        let mut group = Group {
            ends: [0; 2],
            codes: [Code::NONE; 8],
        };
        for i in 0..8 {
            if let Some(&(key, slots)) = eight.get(i) {
                let slots = u32::from(slots);
                if slots == 0 || end + slots > SLOTS {
                    return None;
                }
                group.codes[i] = Code::new(end, slots, key);
                end += slots;
            }
            group.ends[i / 4] |= u64::from(end) << (16 * (i % 4));
        }
        groups.push(group);
    }
    (end == SLOTS).then_some(())
}

/// Gives each context the first group of its leaf. `sizes` are the numbers of bins of the features.
fn spread(tree: &[Node], sizes: [usize; FEATURES], first_groups: &[u16]) -> Option<Vec<u16>> {
    let mut first = vec![0; sizes.iter().product()];
    // The boxes of contexts still open, the last the next.
    let mut open = vec![sizes.map(|size| 0..size)];
    let mut leaves = first_groups.iter();
    for &node in tree {
        let cell = open.pop()?;
        match node {
            Node::Leaf => {
                let group = *leaves.next()?;
                let [near, best, worst, class] = cell;
                for number in
                    near.flat_map(|near| best.clone().map(move |best| near * sizes[1] + best))
                {
                    for number in worst.clone().map(|worst| number * sizes[2] + worst) {
                        first[number * CLASSES..][class.clone()].fill(group);
                    }
                }
            }
            Node::Split { feature, bin } => {
                let feature = usize::from(feature);
                let range = cell.get(feature)?.clone();
                let middle = usize::from(bin) + 1;
                if middle <= range.start || middle >= range.end {
                    return None;
                }
                let (mut low, mut high) = (cell.clone(), cell);
                low[feature].end = middle;
                high[feature].start = middle;
                open.extend([high, low]);
            }
        }
    }
    (open.is_empty() && leaves.next().is_none()).then_some(first)
}
