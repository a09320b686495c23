//! Computes the values of all moving-phase positions of small pairs by value iteration, and checks
//! given values against those of their successors.
//!
//! It uses no symmetry, no retrograde steps and no counts: every placement of the stones is treated
//! separately, with all of its successors. A position is
//!
//! - won in n, if n - 1 is the least depth of its lost successors,
//! - lost in n, if all successors are won, the deepest in n - 1 (none at all: lost in 0), and
//! - drawn otherwise.
//!
//! Value iteration begins with draws, and its round n decides the positions that end in n turns,
//! until no round decides any more. Given values need only one check each.
//!
//! Only the true values satisfy this everywhere. Suppose that other values do, too. Of the
//! positions where they differ from the true ones, take the one where either value is decided with
//! the least depth n. That value follows from successors decided in less than n, where both agree,
//! so the other value is the same: a contradiction.
//!
//! A table has a slot for every pair of a mover's set and an enemy's set, also for sets that
//! overlap; the sets of k stones are numbered in ascending order of their masks.

use super::{PlainRules, Point};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A set of points: bit i is the point i of the plain module.
pub type Set = u32;

/// The value of a position that is neither won nor lost. The others are the turns to the end + 1:
/// even for a win, odd for a loss.
const DRAW: u8 = 0;

/// The slot of two overlapping sets.
const NO_POSITION: u8 = u8::MAX;

/// The value of a position that is lost with no turn to make.
const LOST_IN_0: u8 = 1;

/// The number of the enemy's sets that are processed together. Rows of a table are far apart, so a
/// walk from row to row in a single column would have a cache miss at each step.
const TOGETHER: usize = 64;

/// A move of the mover that is possible for all sets of enemy stones that leave the point `to`
/// empty.
struct Step {
    to: Set,
    /// The number of the mover's set afterwards.
    next: usize,
    removals: usize,
}

/// All sets of a number of stones, ascending.
fn sets_of(stones: usize) -> Vec<Set> {
    (0..1 << 24)
        .filter(|set: &Set| set.count_ones() as usize == stones)
        .collect()
}

/// The number of a set among the sets of its size.
fn number_of(sets: &[Set], set: Set) -> usize {
    sets.binary_search(&set).expect("a set of this size")
}

fn contains(set: Set, point: Point) -> bool {
    set & (1 << point) != 0
}

/// The mills that a point of a set is in.
fn mills_at(rules: &PlainRules, set: Set, point: Point) -> usize {
    let lines = &rules.geometry().lines;
    lines
        .iter()
        .filter(|line| line.contains(&point) && line.iter().all(|&p| contains(set, p)))
        .count()
}

/// All moves of a side with these stones on a board without enemy stones.
fn steps_of(rules: &PlainRules, sets: &[Set], set: Set) -> Vec<Step> {
    let flies = rules
        .flying
        .is_some_and(|most| set.count_ones() <= u32::from(most));
    let mut steps = Vec::new();
    for from in (0..24).filter(|&from| contains(set, from)) {
        for to in (0..24).filter(|&to| !contains(set, to)) {
            if !flies && !rules.geometry().neighbours[from].contains(&to) {
                continue;
            }
            let next = set - (1 << from) + (1 << to);
            let mills = mills_at(rules, next, to);
            let most = if rules.removal_per_mill { 3 } else { 1 };
            steps.push(Step {
                to: 1 << to,
                next: number_of(sets, next),
                removals: mills.min(most),
            });
        }
    }
    steps
}

/// The sets that some removals can leave of a set; removals end when it has fewer than three
/// stones.
fn sets_left(rules: &PlainRules, set: Set, removals: usize) -> Vec<Set> {
    if removals == 0 || set.count_ones() < 3 {
        return vec![set];
    }
    let all: Vec<Point> = (0..24).filter(|&p| contains(set, p)).collect();
    let mut removable = all.clone();
    removable.retain(|&p| mills_at(rules, set, p) == 0);
    if rules.remove_any || removable.is_empty() {
        removable = all;
    }
    let mut left: Vec<Set> = removable
        .iter()
        .flat_map(|&p| sets_left(rules, set - (1 << p), removals - 1))
        .collect();
    left.sort();
    left.dedup();
    left
}

/// The values of all positions with these numbers of stones.
#[derive(PartialEq)]
pub struct Table {
    /// The sets of the side to move, ascending.
    pub movers: Vec<Set>,
    /// The sets of its enemy, ascending.
    pub others: Vec<Set>,
    /// Row by row, a row for each set of the side to move.
    values: Vec<u8>,
}

impl Table {
    /// The table of the values that `value` returns for the positions with these stones.
    pub fn new(mover: usize, other: usize, value: impl Fn(Set, Set) -> u8 + Sync) -> Table {
        let (movers, others) = (sets_of(mover), sets_of(other));
        let row = |&mover: &Set| -> Vec<u8> {
            let slot = |&other: &Set| match mover & other {
                0 => value(mover, other),
                _ => NO_POSITION,
            };
            others.iter().map(slot).collect()
        };
        let values = movers.par_iter().flat_map_iter(row).collect();
        Table {
            movers,
            others,
            values,
        }
    }

    /// The row of a set of the side to move: a value for each set of its enemy.
    pub fn row(&self, mover: Set) -> &[u8] {
        self.row_of(number_of(&self.movers, mover))
    }

    /// All positions: the set of the side to move, the set of its enemy, the value.
    pub fn positions(&self) -> impl Iterator<Item = (Set, Set, u8)> {
        let rows = self.values.chunks(self.others.len());
        self.movers.iter().zip(rows).flat_map(move |(&mover, row)| {
            let cells = self.others.iter().zip(row);
            cells
                .filter(|&(_, &value)| value != NO_POSITION)
                .map(move |(&other, &value)| (mover, other, value))
        })
    }

    fn row_of(&self, mover: usize) -> &[u8] {
        let width = self.others.len();
        &self.values[mover * width..][..width]
    }
}

/// The tables, by stones of the side to move and stones of its enemy.
pub type Tables = BTreeMap<(usize, usize), Table>;

/// A position whose value does not follow from its successors.
#[derive(Debug)]
pub struct Wrong {
    pub mover: Set,
    pub other: Set,
    pub value: u8,
    pub derived: u8,
}

/// The values of all positions of these pairs, each after those that its captures lead to, by value
/// iteration.
pub fn iterate(rules: &PlainRules, pairs: &[(usize, usize)]) -> Tables {
    let mut tables = Tables::new();
    for &(larger, smaller) in pairs {
        let mut new = vec![(larger, smaller), (smaller, larger)];
        new.dedup();
        for &(mover, other) in &new {
            let table = Table::new(mover, other, |_, _| DRAW);
            tables.insert((mover, other), table);
        }
        // A win follows from a loss one turn shorter, wherever that is.
        let known = tables.values().flat_map(|table| &table.values);
        let known = known.filter(|&&value| value != NO_POSITION);
        let deepest = known.copied().max().unwrap_or_default().max(LOST_IN_0);
        for value in LOST_IN_0.. {
            let decided = new.iter().map(|&stones| {
                let in_this_round = |&(_, derived): &(Found, u8)| derived == value;
                let decided = derived(rules, &tables, stones, |value| value == DRAW);
                let decided: Vec<_> = decided.filter(in_this_round).collect();
                (stones, decided)
            });
            let decided: Vec<_> = decided.collect();
            for (stones, decided) in &decided {
                let table = tables.get_mut(stones).expect("a table that was made");
                for (found, _) in decided {
                    table.values[found.slot] = value;
                }
            }
            if value > deepest && decided.iter().all(|(_, decided)| decided.is_empty()) {
                break;
            }
        }
    }
    tables
}

/// A wrong value among the positions with these numbers of stones, if there is one. The tables to
/// which their turns lead must be present.
pub fn find_wrong(rules: &PlainRules, tables: &Tables, stones: (usize, usize)) -> Option<Wrong> {
    let table = &tables[&stones];
    let all = derived(rules, tables, stones, |_| true);
    let (found, derived) =
        all.find_any(|&(Found { slot, .. }, derived)| table.values[slot] != derived)?;
    Some(Wrong {
        mover: found.mover,
        other: found.other,
        value: table.values[found.slot],
        derived,
    })
}

/// A position of a table.
struct Found {
    mover: Set,
    other: Set,
    slot: usize,
}

/// The values, by those of their successors, of the positions with these numbers of stones whose
/// own value is `wanted`.
fn derived<'a>(
    rules: &'a PlainRules,
    tables: &'a Tables,
    stones: (usize, usize),
    wanted: impl Fn(u8) -> bool + Sync + Send + Copy + 'a,
) -> impl ParallelIterator<Item = (Found, u8)> {
    let table = &tables[&stones];
    let replies = &tables[&(stones.1, stones.0)];
    let steps_of = |&mover: &Set| steps_of(rules, &table.movers, mover);
    let steps: Vec<Vec<Step>> = table.movers.par_iter().map(steps_of).collect();
    let steps = Arc::new(steps);
    let width = table.others.len();
    let starts: Vec<usize> = (0..width).step_by(TOGETHER).collect();
    starts.into_par_iter().flat_map_iter(move |start| {
        let others = start..width.min(start + TOGETHER);
        let successors = |number: usize| {
            let other = table.others[number];
            Successors::new(rules, tables, stones.0, other, replies.row_of(number))
        };
        let successors: Vec<Successors> = others.map(successors).collect();
        let steps = steps.clone();
        (0..table.movers.len()).flat_map(move |number| {
            let mover = table.movers[number];
            let first = number * width + start;
            let slots = (first..).zip(&successors);
            let wanted = slots.filter(|&(slot, successors)| {
                mover & successors.other == 0 && wanted(table.values[slot])
            });
            let positions = wanted.map(|(slot, successors)| {
                let other = successors.other;
                let derived = successors.derived(number, &steps[number]);
                (Found { mover, other, slot }, derived)
            });
            positions.collect::<Vec<_>>()
        })
    })
}

/// The values of the successors of all positions with one set of the enemy.
struct Successors<'a> {
    other: Set,
    /// The enemy's replies, by number of the mover's set.
    quiet: &'a [u8],
    /// The same after removals, for each set that can be left of the enemy; none where it has lost.
    captures: [Vec<Option<&'a [u8]>>; 4],
    blocked_passes: bool,
}

impl<'a> Successors<'a> {
    fn new(
        rules: &PlainRules,
        tables: &'a Tables,
        mover_stones: usize,
        other: Set,
        quiet: &'a [u8],
    ) -> Successors<'a> {
        let row = |left: Set| match left.count_ones() as usize {
            ..3 => None,
            stones => Some(tables[&(stones, mover_stones)].row(left)),
        };
        let most = if rules.removal_per_mill { 3 } else { 1 };
        let captures = [0, 1, 2, 3].map(|removals| match removals {
            removals if (1..=most).contains(&removals) => {
                let left = sets_left(rules, other, removals).into_iter();
                left.map(row).collect()
            }
            _ => vec![],
        });
        Successors {
            other,
            quiet,
            captures,
            blocked_passes: rules.blocked_passes,
        }
    }

    /// The value of the position with this set of the mover.
    fn derived(&self, mover: usize, steps: &[Step]) -> u8 {
        let mut blocked = true;
        let mut best = NO_RANK;
        for step in steps.iter().filter(|step| step.to & self.other == 0) {
            blocked = false;
            if step.removals == 0 {
                best = best.max(rank(self.quiet[step.next]));
            } else {
                for capture in &self.captures[step.removals] {
                    best = best.max(rank(capture.map_or(LOST_IN_0, |row| row[step.next])));
                }
            }
        }
        if blocked && self.blocked_passes {
            best = rank(self.quiet[mover]);
        }
        before(best)
    }
}

/// The rank of a drawn successor, and that of none at all.
const DRAW_RANK: u16 = 256;
const NO_RANK: u16 = 0;

/// The rank of a successor for the side that moves to it: highest if the enemy loses, sooner above
/// later, and lowest if the enemy wins, later above sooner.
fn rank(successor: u8) -> u16 {
    match successor {
        DRAW => DRAW_RANK,
        won if won % 2 == 0 => won.into(),
        lost => 2 * DRAW_RANK - u16::from(lost),
    }
}

/// The value of a position whose best successor has this rank.
fn before(best: u16) -> u8 {
    match best {
        DRAW_RANK => DRAW,
        NO_RANK => LOST_IN_0,
        won if won < DRAW_RANK => won as u8 + 1,
        lost => (2 * DRAW_RANK - lost) as u8 + 1,
    }
}
