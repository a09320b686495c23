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
use std::sync::OnceLock;

/// A set of points: bit i is the point i of the plain module.
pub type Set = u32;

/// The value of a position that is neither won nor lost. The others are the turns to the end + 1:
/// even for a win, odd for a loss.
const DRAW: u8 = 0;

/// The slot of two overlapping sets.
const NO_POSITION: u8 = u8::MAX;

/// The value of a position that is lost with no turn to make.
pub const LOST_IN_0: u8 = 1;

/// A move of the mover that is possible for all sets of enemy stones that leave the point `to`
/// empty.
struct Step {
    to: Set,
    /// The number of the mover's set afterwards.
    next: usize,
    removals: usize,
}

/// All sets of a number of stones, ascending.
fn sets_of(stones: usize) -> &'static [Set] {
    // Every table asks for them, and each time this would look at all sets of points.
    static SETS: [OnceLock<Vec<Set>>; 25] = [const { OnceLock::new() }; 25];
    SETS[stones].get_or_init(|| {
        (0..1 << 24)
            .filter(|set: &Set| set.count_ones() as usize == stones)
            .collect()
    })
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
fn steps_of(rules: &PlainRules, sets: &[Set], set: Set, hand: usize) -> Vec<Step> {
    let all = set.count_ones() as usize + hand;
    let flies = rules.flying.is_some_and(|most| all <= most.into());
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

/// All placements of a side with these stones on a board without enemy stones; `sets` have one stone more.
fn placements_of(rules: &PlainRules, sets: &[Set], set: Set) -> Vec<Step> {
    let empty = (0..24).filter(|&to| !contains(set, to));
    empty
        .map(|to| {
            let next = set + (1 << to);
            let mills = mills_at(rules, next, to);
            Step {
                to: 1 << to,
                next: number_of(sets, next),
                removals: mills.min(1),
            }
        })
        .collect()
}

/// The sets that some removals can leave of a set; removals end when its side has fewer than three
/// stones, those in hand included.
fn sets_left(rules: &PlainRules, set: Set, hand: usize, removals: usize) -> Vec<Set> {
    if removals == 0 || set.count_ones() as usize + hand < 3 {
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
        .flat_map(|&p| sets_left(rules, set - (1 << p), hand, removals - 1))
        .collect();
    left.sort();
    left.dedup();
    left
}

/// The values of all positions with these numbers of stones.
#[derive(PartialEq)]
pub struct Table {
    /// The sets of the side to move, ascending.
    pub movers: &'static [Set],
    /// The sets of its enemy, ascending.
    pub others: &'static [Set],
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
        self.row_of(number_of(self.movers, mover))
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

/// The stones of the side to move and of its enemy.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Stones {
    pub mover: usize,
    pub other: usize,
    pub mover_hand: usize,
    pub other_hand: usize,
}

impl Stones {
    /// These stones of the side to move and of its enemy, with none in hand.
    pub fn on_board((mover, other): (usize, usize)) -> Stones {
        Stones {
            mover,
            other,
            mover_hand: 0,
            other_hand: 0,
        }
    }

    /// The tables with these stones: with either side to move.
    pub fn either_to_move(self) -> Vec<Stones> {
        let mut both = vec![self, self.exchanged()];
        both.dedup();
        both
    }

    /// The same stones with the enemy to move.
    pub fn exchanged(self) -> Stones {
        Stones {
            mover: self.other,
            other: self.mover,
            mover_hand: self.other_hand,
            other_hand: self.mover_hand,
        }
    }
}

/// The tables by their stones.
pub type Tables = BTreeMap<Stones, Table>;

/// A position whose value does not follow from its successors.
#[derive(Debug)]
pub struct Wrong {
    pub mover: Set,
    pub other: Set,
    pub value: u8,
    pub derived: u8,
}

/// The values of all positions of these pairs, given by the stones of their tables, each after those that its
/// captures and placements lead to, by value iteration.
pub fn iterate(rules: &PlainRules, pairs: &[Vec<Stones>]) -> Tables {
    let mut tables = Tables::new();
    for new in pairs {
        add_pair(&mut tables, new);
        // A win follows from a loss one turn shorter, wherever that is.
        let known = tables.values().flat_map(|table| &table.values);
        let known = known.filter(|&&value| value != NO_POSITION);
        let deepest = known.copied().max().unwrap_or_default().max(LOST_IN_0);
        for value in LOST_IN_0.. {
            let derived = new.iter().map(|&stones| derive(rules, &tables, stones));
            let derived: Vec<Vec<u8>> = derived.collect();
            let mut decided = false;
            for (stones, derived) in new.iter().zip(&derived) {
                let table = tables.get_mut(stones).expect("a table that was made");
                for (known, &derived) in table.values.iter_mut().zip(derived) {
                    if *known == DRAW && derived == value {
                        *known = value;
                        decided = true;
                    }
                }
            }
            if value > deepest && !decided {
                break;
            }
        }
    }
    tables
}

/// Adds the tables of a pair, in which all positions are drawn.
fn add_pair(tables: &mut Tables, pair: &[Stones]) {
    for &stones in pair {
        let table = Table::new(stones.mover, stones.other, |_, _| DRAW);
        tables.insert(stones, table);
    }
}

/// Passes the results of all positions of these pairs under a limit of quiet turns to `found`, for every
/// number of quiet turns before: the stones, this number, and a table of draws, wins in 1 and losses in 0.
/// Each pair comes after those that its captures lead to; `limit` is the limit in force with these stones.
///
/// At the limit only a side that cannot move has not drawn. With a smaller number, quiet turns lead to
/// positions with one more, captures to positions with none.
pub fn count_quiet_turns(
    rules: &PlainRules,
    pairs: &[(usize, usize)],
    limit: impl Fn((usize, usize)) -> usize,
    mut found: impl FnMut((usize, usize), usize, &Table),
) {
    let mut tables = Tables::new();
    for &(larger, smaller) in pairs {
        let new = Stones::on_board((larger, smaller)).either_to_move();
        add_pair(&mut tables, &new);
        let limit = limit((larger, smaller));
        for quiet in (0..=limit).rev() {
            let derived = new.iter().map(|&stones| derive(rules, &tables, stones));
            let derived: Vec<Vec<u8>> = derived.collect();
            for (&stones, derived) in new.iter().zip(&derived) {
                let table = tables.get_mut(&stones).expect("a table that was made");
                for (value, &derived) in table.values.iter_mut().zip(derived) {
                    *value = match derived {
                        _ if *value == NO_POSITION => NO_POSITION,
                        DRAW => DRAW,
                        LOST_IN_0 => LOST_IN_0,
                        _ if quiet == limit => DRAW,
                        _ => 2 - derived % 2,
                    };
                }
                found((stones.mover, stones.other), quiet, table);
            }
        }
    }
}

/// A wrong value among the positions with these numbers of stones, if there is one. The tables to
/// which their turns lead must be present.
pub fn find_wrong(rules: &PlainRules, tables: &Tables, stones: Stones) -> Option<Wrong> {
    let table = &tables[&stones];
    let derived = derive(rules, tables, stones);
    let mut both = table.values.iter().zip(&derived);
    let wrong = both.position(|(&value, &derived)| value != NO_POSITION && value != derived)?;
    Some(Wrong {
        mover: table.movers[wrong / table.others.len()],
        other: table.others[wrong % table.others.len()],
        value: table.values[wrong],
        derived: derived[wrong],
    })
}

/// The values, by those of their successors, of the positions with these numbers of stones, and any
/// value for two overlapping sets.
fn derive(rules: &PlainRules, tables: &Tables, stones: Stones) -> Vec<u8> {
    let table = &tables[&stones];
    let may_move = stones.mover_hand == 0 || rules.moves_while_placing;
    let moves = (stones.mover > 0 && may_move).then(|| After::new(rules, tables, stones, false));
    let placements = (stones.mover_hand > 0).then(|| {
        let placed = Stones {
            mover: stones.mover + 1,
            mover_hand: stones.mover_hand - 1,
            ..stones
        };
        (
            After::new(rules, tables, placed, true),
            sets_of(placed.mover),
        )
    });
    let row = |(number, &mover): (usize, &Set)| {
        let mut best = vec![NO_RANK; table.others.len()];
        if let Some(moves) = &moves {
            let steps = steps_of(rules, table.movers, mover, stones.mover_hand);
            moves.add(steps, table.others, &mut best);
        }
        if let Some((after, sets)) = &placements {
            after.add(placements_of(rules, sets, mover), table.others, &mut best);
        }
        if let Some(moves) = moves.as_ref().filter(|_| rules.blocked_passes) {
            let blocked = best.iter_mut().zip(moves.replies.row(number));
            let blocked = blocked.filter(|(best, _)| **best == NO_RANK);
            blocked.for_each(|(best, &reply)| *best = reply);
        }
        best.into_iter().map(before)
    };
    let rows = table.movers.par_iter().enumerate();
    rows.flat_map_iter(row).collect()
}

/// The positions after steps, all of them placements or none, that leave the side that makes them with these
/// stones.
struct After {
    replies: Replies,
    captures: [Captures; 3],
}

impl After {
    fn new(rules: &PlainRules, tables: &Tables, stones: Stones, placed: bool) -> After {
        let from_hand = placed && rules.mills_take_from_hand && stones.other_hand > 0;
        let captures = |removals| match from_hand {
            true if removals == 1 => Captures::from_hand(tables, stones),
            true => Captures::None,
            false => Captures::new(rules, tables, stones, removals),
        };
        After {
            replies: Replies::new(&tables[&stones.exchanged()]),
            captures: [1, 2, 3].map(captures),
        }
    }

    /// Adds the ranks of the positions after these steps to the best of each of the enemy's sets.
    fn add(&self, steps: Vec<Step>, others: &[Set], best: &mut [u8]) {
        for step in steps {
            if step.removals == 0 {
                for (best, &reply) in best.iter_mut().zip(self.replies.row(step.next)) {
                    *best = (*best).max(reply);
                }
            } else {
                self.captures[step.removals - 1].add(&step, others, best);
            }
        }
    }
}

/// The ranks of all replies of the enemy.
struct Replies {
    /// Row by row, a row for each set of the side that has just moved.
    ranks: Vec<u8>,
    width: usize,
}

impl Replies {
    /// The ranks of the values of a table, whose side to move is the enemy.
    fn new(table: &Table) -> Replies {
        /// Rows of a table are far apart, so a walk from row to row in a single column would have a
        /// cache miss at each step.
        const TOGETHER: usize = 64;
        let width = table.movers.len();
        let starts: Vec<usize> = (0..table.others.len()).step_by(TOGETHER).collect();
        let rows = |start| {
            let end = table.others.len().min(start + TOGETHER);
            let mut ranks = vec![NO_RANK; (end - start) * width];
            for mover in 0..width {
                for (row, &value) in table.row_of(mover)[start..end].iter().enumerate() {
                    ranks[row * width + mover] = RANKS[usize::from(value)];
                }
            }
            ranks
        };
        Replies {
            ranks: starts.into_par_iter().flat_map_iter(rows).collect(),
            width,
        }
    }

    /// The ranks after moves to this set: one for each set of the enemy, [`NO_RANK`] where it
    /// overlaps.
    fn row(&self, set: usize) -> &[u8] {
        &self.ranks[set * self.width..][..self.width]
    }
}

/// The replies of the enemy after a number of removals.
enum Captures {
    /// It has too few stones left.
    Lost,
    /// With the numbers of the sets that can be left of each of its sets.
    Replies(Replies, Vec<Vec<usize>>),
    /// These rules never remove so many.
    None,
}

impl Captures {
    /// Those of a stone in hand, which leave the stones on the board as they are.
    fn from_hand(tables: &Tables, stones: Stones) -> Captures {
        if stones.mover < 3 {
            return Captures::None;
        }
        if stones.other + stones.other_hand < 4 {
            return Captures::Lost;
        }
        let left = Stones {
            other_hand: stones.other_hand - 1,
            ..stones
        };
        let same = (0..sets_of(stones.other).len()).map(|set| vec![set]);
        Captures::Replies(Replies::new(&tables[&left.exchanged()]), same.collect())
    }

    fn new(rules: &PlainRules, tables: &Tables, stones: Stones, removals: usize) -> Captures {
        let no_mill = stones.mover < 3 || stones.other == 0;
        if no_mill || removals > 1 && !rules.removal_per_mill {
            return Captures::None;
        }
        if stones.other + stones.other_hand < removals + 3 {
            return Captures::Lost;
        }
        let left = Stones {
            other: stones.other - removals,
            ..stones
        };
        let table = &tables[&left.exchanged()];
        let left = |&other: &Set| {
            let left = sets_left(rules, other, stones.other_hand, removals).into_iter();
            left.map(|set| number_of(table.movers, set)).collect()
        };
        let others = sets_of(stones.other);
        Captures::Replies(Replies::new(table), others.par_iter().map(left).collect())
    }

    /// Adds the ranks of the positions after a step to the best of each of the enemy's sets.
    fn add(&self, step: &Step, others: &[Set], best: &mut [u8]) {
        let possible = (0..others.len()).filter(|&number| others[number] & step.to == 0);
        match self {
            Captures::Lost => {
                possible.for_each(|number| best[number] = RANKS[usize::from(LOST_IN_0)]);
            }
            Captures::Replies(replies, left) => {
                let row = replies.row(step.next);
                for number in possible {
                    let ranks = left[number].iter().map(|&left| row[left]);
                    best[number] = ranks.fold(best[number], u8::max);
                }
            }
            Captures::None => unreachable!("a step with more removals than the rules have"),
        }
    }
}

/// The rank of a drawn successor, and that of none at all.
const DRAW_RANK: u8 = 128;
const NO_RANK: u8 = 0;

/// The rank of each successor's value for the side that moves to it: highest if the enemy loses,
/// sooner above later, and lowest if the enemy wins, later above sooner.
static RANKS: [u8; 256] = {
    let mut ranks = [DRAW_RANK; 256];
    let mut turns = 0;
    while turns < 127 {
        ranks[2 * turns + 1] = 255 - turns as u8;
        ranks[2 * turns + 2] = 1 + turns as u8;
        turns += 1;
    }
    ranks[NO_POSITION as usize] = NO_RANK;
    ranks
};

/// The value of a position whose turns lead to these values.
pub fn value_before(after: impl Iterator<Item = u8>) -> u8 {
    let ranks = after.map(|value| RANKS[usize::from(value)]);
    before(ranks.max().unwrap_or(NO_RANK))
}

/// The value of a position whose best successor has this rank.
fn before(best: u8) -> u8 {
    match best {
        NO_RANK => LOST_IN_0,
        DRAW_RANK => DRAW,
        won if won < DRAW_RANK => 2 * won + 1,
        lost => 2 * (255 - lost) + 2,
    }
}
