//! Plans a build: the pairs to solve and their order, the memory that each needs, and the sizes of
//! the files.

use super::TableCache;
use crate::index::{Material, Pair};
use crate::rules::Rules;
use crate::store::codec::can_omit;

/// Measured memory besides the arrays of values, in bytes: the program, the rows, and buffers of
/// the threads.
const FIXED: u64 = 12 << 20;

/// The pairs to solve, each after those that it needs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PairPlan {
    /// The pairs in the order in which they are solved.
    pub pairs: Vec<Pair>,
    /// Whether the last placement is solved with each pair, as
    /// [`ply::build_pairs`](crate::solve::ply::build_pairs) does.
    pub placing: bool,
}

impl PairPlan {
    /// The plan to build all `wanted` pairs and those that they need, except the pairs that are
    /// already present.
    ///
    /// ```
    /// use millbase::{Pair, solve::pair::PairPlan};
    /// let pair = |a, b| Pair::new(a, b).unwrap();
    /// let plan = PairPlan::new(&[pair(4, 4)], |present| present == pair(3, 3));
    /// assert_eq!(plan.pairs, [pair(4, 3), pair(4, 4)]);
    /// ```
    pub fn new(wanted: &[Pair], present: impl Fn(Pair) -> bool) -> PairPlan {
        let mut needed: Vec<Pair> = Vec::new();
        let mut open = wanted.to_vec();
        while let Some(pair) = open.pop() {
            if !needed.contains(&pair) {
                needed.push(pair);
                open.extend(pair.needs());
            }
        }
        let largest = needed.iter().map(|pair| pair.larger()).max().unwrap_or(0);
        let mut pairs = Pair::all(largest);
        pairs.retain(|&pair| needed.contains(&pair) && !present(pair));
        PairPlan {
            pairs,
            placing: false,
        }
    }

    /// The number of entries of all tables to solve.
    pub fn entries(&self) -> u64 {
        self.pairs.iter().copied().map(Pair::entries).sum()
    }

    /// A forecast of the sizes of all files, in bytes.
    pub fn file_bytes(&self, rules: &Rules) -> u64 {
        let each = self.pairs.iter().map(|&pair| file_bytes(rules, pair));
        each.sum()
    }

    /// The peak memory of the build, in bytes.
    pub fn memory(&self, rules: &Rules) -> u64 {
        let each = (0..self.pairs.len()).map(|number| self.memory_of(rules, number));
        each.max().unwrap_or(0)
    }

    /// The peak memory while building the pair at this place of the plan, in bytes: that of the
    /// pair alone plus the compressed tables kept for later pairs.
    pub fn memory_of(&self, rules: &Rules, number: usize) -> u64 {
        let (before, later) = self.pairs.split_at(number);
        let Some((&pair, later)) = later.split_first() else {
            return 0;
        };
        let waiting = before.iter().flat_map(|pair| pair.tables());
        let waiting = waiting.filter(|&table| {
            TableCache::pair_after(table).is_some_and(|pair| later.contains(&pair))
        });
        let kept: u64 = waiting.map(Material::entries).sum();
        let kept = kept / TableCache::RATIO;
        if !self.placing {
            return memory(rules, pair) + kept;
        }
        // The tables that captures lead to stay until the placements before the pair are solved. By then
        // only the pair's values, one of those tables and that of the placements are needed.
        let captures = |table: Material| -> u64 {
            let after = table.after_captures(rules).into_iter();
            after.map(Material::entries).sum()
        };
        let placements = |table: Material| Material {
            mover: table.waiting - 1,
            waiting: table.mover,
        };
        let again: u64 = pair.tables().into_iter().map(captures).sum();
        let last = pair.tables().into_iter();
        let last = last.map(|table| captures(table.exchanged()) + placements(table).entries());
        let last = FIXED + pair.entries() + last.max().unwrap_or(0);
        kept + last.max(memory(rules, pair) + again / TableCache::RATIO)
    }
}

/// The peak memory while building a pair, in bytes.
///
/// ```
/// use millbase::{Pair, Rules, solve::pair::plan};
/// let pair = Pair::new(9, 8).unwrap();
/// assert_eq!(plan::memory(&Rules::STANDARD, pair) >> 20, 3072); // 3083 were measured
/// ```
pub fn memory(rules: &Rules, pair: Pair) -> u64 {
    let (mut working, mut peak) = (0, 0);
    for material in pair.tables() {
        // Value and count, and the tables of the captures until they have been looked up.
        working += 2 * material.exchanged().entries();
        let captures = material.after_captures(rules).into_iter();
        peak = peak.max(working + captures.map(Material::entries).sum::<u64>());
    }
    // The finished values fill up during the sweep. Writing takes less: all but these are freed
    // before.
    FIXED + peak.max(working + pair.entries())
}

/// A forecast of the size of a pair's file with depths, in bytes: 0.043 for each stored entry and
/// each stone of the smaller side, as depths vary more the more even the sides are. If entries can
/// be omitted, about three quarters are stored.
///
/// The sum over all pairs of a set of rules is within a fifth of the measured sizes; single pairs
/// are off by more.
pub fn file_bytes(rules: &Rules, pair: Pair) -> u64 {
    let larger = pair.tables()[0];
    let stored = match can_omit(rules, larger) {
        true => larger.entries() * 3 / 4,
        false => larger.entries(),
    };
    stored * u64::from(pair.smaller()) * 43 / 1000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_sizes_are_foreseen() {
        let sizes = include_str!("../../../tests/data/file_sizes.csv");
        for name in ["standard", "twelve"] {
            let rules = Rules::named(name).unwrap();
            let (mut pairs, mut measured) = (Vec::new(), 0);
            for line in sizes.lines().filter(|line| line.starts_with(name)) {
                let [_, pair, bytes] = line.split(',').collect::<Vec<_>>()[..] else {
                    panic!("{line}");
                };
                pairs.push(pair.parse().unwrap());
                measured += bytes.parse::<u64>().unwrap();
            }
            assert!(pairs.len() >= 25);
            let ratio = PairPlan {
                pairs,
                placing: false,
            }
            .file_bytes(&rules) as f64
                / measured as f64;
            assert!((0.8..=1.2).contains(&ratio), "{name}: {ratio}");
        }
    }
}
