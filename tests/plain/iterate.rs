//! Values of all moving-phase positions of small pairs, by plain value iteration.
//!
//! No symmetry, no un-moves, no counts: round n looks at every position that is still undecided and
//! at all of its successors, and decides those that are over in n turns. A position is
//!
//! - won in n, if some successor is lost in n - 1, and
//! - lost in n, if all successors are won in at most n - 1 (none at all: lost in 0).
//!
//! Wins are odd, losses even, and the successors' values that a round looks for are of the other
//! parity than those that it writes. So it may write in place, in any order, from many threads.
//!
//! A table has a slot for every pair of a mover's set and an enemy's set, also for sets that
//! overlap; the sets of k stones are numbered in ascending order of their masks.

use super::{PlainRules, Point};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

/// A set of points: bit i is the point i of the plain module.
pub type Set = u32;

/// The value of a position that is neither won nor lost.
pub const DRAW: u8 = 0;

/// The slot of two overlapping sets.
pub const NO_POSITION: u8 = u8::MAX;

/// The value of a position that is lost with no turn to make.
const LOST_IN_0: u8 = 1;

/// The pairs that take seconds to minutes, each after those that its captures lead to.
pub const SMALL_PAIRS: [(usize, usize); 4] = [(3, 3), (4, 3), (4, 4), (5, 3)];

/// What a mover can do with its stones, whatever the enemy's stones are, as long as they leave the
/// point `to` empty.
struct Step {
    to: Set,
    /// The number of the mover's set afterwards.
    next: usize,
    removals: usize,
}

/// The sets of one number of stones and what is known of them.
struct Sets {
    sets: Vec<Set>,
    /// By number of the mover's set.
    steps: Vec<Vec<Step>>,
    /// By number of removals and number of the enemy's set: the sets that can be left of it.
    left: [Vec<Vec<Set>>; 4],
}

impl Sets {
    fn new(rules: &PlainRules, stones: usize) -> Sets {
        let sets = sets_of(stones);
        let steps = sets
            .iter()
            .map(|&set| steps_of(rules, &sets, set))
            .collect();
        let left = [0, 1, 2, 3].map(|removals| {
            let of = |&set: &Set| sets_left(rules, set, removals);
            sets.iter().map(of).collect()
        });
        Sets { sets, steps, left }
    }
}

/// All sets of a number of stones, ascending.
pub fn sets_of(stones: usize) -> Vec<Set> {
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

/// All that a side with these stones can do on a board without enemy stones.
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

/// What can be left of a set after some removals, which end where it has fewer than three stones.
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

/// The finished values of all positions with these numbers of stones.
pub struct Table {
    /// The sets of the side to move, ascending.
    pub movers: Vec<Set>,
    /// The sets of its enemy, ascending.
    pub others: Vec<Set>,
    /// Row by row, a row for each set of the side to move. A value is [`DRAW`], else the turns to
    /// the end + 1: even for a win, odd for a loss. [`NO_POSITION`] where the sets overlap.
    pub values: Vec<u8>,
}

impl Table {
    /// The row of a set of the side to move: a value for each set of its enemy.
    pub fn row(&self, mover: Set) -> &[u8] {
        let start = number_of(&self.movers, mover) * self.others.len();
        &self.values[start..start + self.others.len()]
    }

    /// The value of a position.
    pub fn value(&self, mover: Set, other: Set) -> u8 {
        self.row(mover)[number_of(&self.others, other)]
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

    /// The depth of the deepest win or loss.
    fn deepest(&self) -> u8 {
        let values = self.values.iter().filter(|&&value| value != NO_POSITION);
        values.max().map_or(0, |&value| value.saturating_sub(1))
    }
}

/// The tables, by stones of the side to move and stones of its enemy.
pub type Tables = BTreeMap<(usize, usize), Table>;

/// The value of a position as the plain module writes it, if its table is there.
pub fn value(tables: &Tables, position: &super::PlainPosition) -> Option<u8> {
    if position.white_hand + position.black_hand + position.owed > 0 {
        return None;
    }
    let set_of = |side| -> Set {
        let on = (0..24).filter(|&p| position.board[p] == Some(side));
        on.map(|p| 1 << p).sum()
    };
    let (mover, other) = (set_of(position.side), set_of(position.side.enemy()));
    let key = (mover.count_ones() as usize, other.count_ones() as usize);
    Some(tables.get(&key)?.value(mover, other))
}

/// Solves pairs, each of which must come after those that its captures lead to.
pub fn solve(rules: &PlainRules, pairs: &[(usize, usize)]) -> Tables {
    let mut tables = Tables::new();
    for &(larger, smaller) in pairs {
        for table in solve_pair(rules, &tables, larger, smaller) {
            let stones = |sets: &[Set]| sets[0].count_ones() as usize;
            tables.insert((stones(&table.movers), stones(&table.others)), table);
        }
    }
    tables
}

/// Solves one pair; the tables of smaller pairs are finished.
fn solve_pair(rules: &PlainRules, tables: &Tables, larger: usize, smaller: usize) -> Vec<Table> {
    let sides = [Sets::new(rules, larger), Sets::new(rules, smaller)];
    let deepest_capture = tables
        .iter()
        .filter(|((mover, other), _)| mover + other < larger + smaller)
        .map(|(_, table)| table.deepest())
        .max()
        .unwrap_or(0);

    // For equal numbers the one table answers for both sides.
    let unequal = larger != smaller;
    let first = Unfinished::new(&sides[0], &sides[1]);
    let second = unequal.then(|| Unfinished::new(&sides[1], &sides[0]));
    for depth in 0.. {
        assert!(depth + 1 < NO_POSITION, "a depth does not fit in a byte");
        let mut decided = first.round(second.as_ref().unwrap_or(&first), rules, tables, depth);
        if let Some(second) = &second {
            decided += second.round(&first, rules, tables, depth);
        }
        // What is decided at a depth has a successor whose depth is one less.
        if decided == 0 && depth > deepest_capture {
            break;
        }
    }
    let second = second.map(Unfinished::finish);
    [first.finish()].into_iter().chain(second).collect()
}

/// A table that is being solved.
struct Unfinished<'a> {
    movers: &'a Sets,
    others: &'a Sets,
    values: Vec<AtomicU8>,
}

impl<'a> Unfinished<'a> {
    fn new(movers: &'a Sets, others: &'a Sets) -> Unfinished<'a> {
        let mut values = Vec::with_capacity(movers.sets.len() * others.sets.len());
        for mover in &movers.sets {
            for other in &others.sets {
                let overlap = mover & other != 0;
                values.push(AtomicU8::new(if overlap { NO_POSITION } else { DRAW }));
            }
        }
        Unfinished {
            movers,
            others,
            values,
        }
    }

    fn row(&self, mover: usize) -> &[AtomicU8] {
        let width = self.others.sets.len();
        &self.values[mover * width..(mover + 1) * width]
    }

    fn finish(self) -> Table {
        Table {
            movers: self.movers.sets.clone(),
            others: self.others.sets.clone(),
            values: self.values.into_iter().map(AtomicU8::into_inner).collect(),
        }
    }

    /// Decides the positions of this depth and says how many there were. The quiet successors are
    /// in `replies`, this pair's table with the other side to move.
    fn round(&self, replies: &Unfinished, rules: &PlainRules, tables: &Tables, depth: u8) -> usize {
        let decided = AtomicUsize::new(0);
        (0..self.others.sets.len())
            .into_par_iter()
            .for_each(|other| {
                let successors = Successors::new(self, replies, rules, tables, other);
                if depth > 0 && !successors.have(depth) {
                    return;
                }
                for mover in 0..self.movers.sets.len() {
                    let value = &self.row(mover)[other];
                    if value.load(Ordering::Relaxed) != DRAW {
                        continue;
                    }
                    if is_decided(&successors, mover, depth) {
                        value.store(depth + 1, Ordering::Relaxed);
                        decided.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        decided.into_inner()
    }
}

/// Whether an undecided position is over in this many turns. A depth d is the value d + 1, so the
/// depth before `depth` has the value `depth`.
fn is_decided(successors: &Successors, mover: usize, depth: u8) -> bool {
    if depth % 2 == 1 {
        successors.any(mover, |value| value == depth)
    } else {
        let is_won_in_time = |value| value != DRAW && value % 2 == 0 && value <= depth;
        !successors.any(mover, |value| !is_won_in_time(value))
    }
}

/// The values of the successors of all positions with one set of the enemy.
struct Successors<'a> {
    rules: &'a PlainRules,
    steps: &'a [Vec<Step>],
    other: Set,
    /// The enemy's replies, by number of the mover's set.
    quiet: &'a [AtomicU8],
    /// The same after removals, for each set that can be left of the enemy; none where it has lost.
    captures: [Vec<Option<&'a [u8]>>; 4],
}

impl<'a> Successors<'a> {
    fn new(
        parents: &'a Unfinished,
        replies: &'a Unfinished,
        rules: &'a PlainRules,
        tables: &'a Tables,
        other: usize,
    ) -> Successors<'a> {
        let mover_stones = parents.movers.sets[0].count_ones() as usize;
        let row = |&left: &Set| match left.count_ones() as usize {
            ..3 => None,
            stones => Some(tables[&(stones, mover_stones)].row(left)),
        };
        let most = if rules.removal_per_mill { 3 } else { 1 };
        Successors {
            rules,
            steps: &parents.movers.steps,
            other: parents.others.sets[other],
            quiet: replies.row(other),
            captures: [0, 1, 2, 3].map(|removals| match removals {
                0 => vec![],
                _ if removals > most => vec![],
                _ => parents.others.left[removals][other]
                    .iter()
                    .map(row)
                    .collect(),
            }),
        }
    }

    /// Whether this value is found among these successors at all. Where the depth before a round's is
    /// not, the round decides none of these positions.
    fn have(&self, value: u8) -> bool {
        let quiet = || {
            self.quiet
                .iter()
                .any(|v| v.load(Ordering::Relaxed) == value)
        };
        let captures = || {
            let mut rows = self.captures.iter().flatten();
            rows.any(|row| row.map_or(value == LOST_IN_0, |row| row.contains(&value)))
        };
        quiet() || captures()
    }

    /// Whether any successor of the position of this mover's set has such a value.
    fn any(&self, mover: usize, is_such: impl Fn(u8) -> bool) -> bool {
        let mut blocked = true;
        for step in &self.steps[mover] {
            if step.to & self.other != 0 {
                continue;
            }
            blocked = false;
            if step.removals == 0 {
                if is_such(self.quiet[step.next].load(Ordering::Relaxed)) {
                    return true;
                }
            } else {
                for capture in &self.captures[step.removals] {
                    if is_such(capture.map_or(LOST_IN_0, |row| row[step.next])) {
                        return true;
                    }
                }
            }
        }
        if blocked && self.rules.blocked_passes {
            return is_such(self.quiet[mover].load(Ordering::Relaxed));
        }
        false
    }
}
