//! The values of many positions without stones in hand, each block of a file decoded once.
//!
//! A level is a list of positions, sorted by rows of files. All quiet turns of a position lead to one row,
//! so one visit of a row finds the values of the positions that it stores, and the best quiet turns of those
//! that follow from it. Their captures lead to rows of smaller pairs: the positions after them are the next
//! level. Levels are read from the first to the last, and their values return from the last to the first.

use std::sync::Mutex;

use super::bulk::each_on_a_thread;
use super::database::Database;
use super::stop;
use crate::board::PointSet;
use crate::index::{Material, Rows};
use crate::lock::locked;
use crate::rules::FEWEST_STONES;
use crate::rules::position::Position;
use crate::rules::turns::left_after_removals;
use crate::store::cache::BlockCache;
use crate::store::table::ProbedColumn;
use crate::store::{self, DbError};
use crate::value::{Metric, Value};

/// From this many positions on, a level leaves the cache of blocks alone: each of its blocks is decoded once in
/// any case, and they would drive out those of other questions.
const MANY: usize = 1 << 14;

/// A position without stones in hand whose value is wanted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    /// `None` until it is found, or if a file that it needs cannot be read or holds no depths.
    pub value: Option<Value>,
    /// A number for the pair and its row, the same for all positions of the row. Odd if the row has the
    /// value of the position, even if it has those after its quiet turns.
    key: u32,
    /// Its place in the caller's list; in later levels that of the position before the capture.
    pub place: u32,
    /// Its sets, turned so that the row's set is the mover's if the row has its value, and
    /// otherwise the other side's.
    sets: [PointSet; 2],
}

impl Wanted {
    /// The position with these sets of the side to move and of the other. Each must have a stone.
    pub fn new(database: &Database, [mover, waiting]: [PointSet; 2], place: usize) -> Wanted {
        let material = Material::of(mover, waiting);
        let file = database.file_of(material);
        let is_held = file.is_ok_and(|file| file.holds(&Position::moving(mover, waiting)));
        let set = if is_held { mover } else { waiting };
        let (row, symmetry) = Rows::of(set.len() as u8).find(set);
        let pair = material.pair().map_or(0, store::slot);
        Wanted {
            value: None,
            key: (pair << 20 | row << 1 | usize::from(is_held)) as u32,
            place: place as u32,
            sets: [mover, waiting].map(|set| symmetry.apply(set)),
        }
    }

    fn row(&self) -> u32 {
        self.key >> 1
    }

    fn is_held(&self) -> bool {
        self.key % 2 == 1
    }
}

impl Database {
    /// Finds the values of positions, which it sorts by their rows, on some threads. Fails only if nobody waits for
    /// the values any more.
    pub(super) fn find_level(&self, level: &mut [Wanted], threads: usize) -> Result<(), DbError> {
        let mut next = self.read_level(level, threads)?;
        if next.is_empty() {
            return Ok(());
        }
        self.find_level(&mut next, threads)?;
        for reply in next {
            let Wanted { value, sets, .. } = &mut level[reply.place as usize];
            let stones = sets.map(|set| set.len() as u8);
            let captured =
                (reply.value).map(|value| self.rules().value_of_turn(stones, true, value));
            *value = value.zip(captured).map(|(best, value)| best.max(value));
        }
        Ok(())
    }

    /// Reads the rows of a level; threads take them in turn. Fills in the values that are stored or
    /// follow from quiet turns, and returns the positions after captures.
    fn read_level(&self, level: &mut [Wanted], threads: usize) -> Result<Vec<Wanted>, DbError> {
        level.sort_unstable_by_key(|wanted| wanted.key);
        let none = BlockCache::with_bytes(0);
        let cache = match level.len() < MANY {
            true => &self.blocks,
            false => &none,
        };
        let mut end = 0;
        let rows = level.chunk_by_mut(|one, other| one.row() == other.row());
        let rows = Mutex::new(rows.map(|row| {
            end += row.len();
            (end - row.len(), row)
        }));
        let next = each_on_a_thread(vec![(); threads], |()| {
            let (mut next, mut columns) = (Vec::new(), Vec::new());
            loop {
                let Some((first, row)) = locked(&rows).next() else {
                    return Ok(next);
                };
                stop::check_own()?;
                let before = next.len();
                let read = self.read_row(first, row, cache, &mut next, &mut columns);
                if read.is_err() {
                    next.truncate(before);
                    row.iter_mut().for_each(|wanted| wanted.value = None);
                }
            }
        });
        Ok(next.into_iter().collect::<Result<Vec<_>, _>>()?.concat())
    }

    /// Reads a row, whose first position is at the place `first` of its level.
    fn read_row(
        &self,
        first: usize,
        row: &mut [Wanted],
        cache: &BlockCache,
        next: &mut Vec<Wanted>,
        columns: &mut Vec<ProbedColumn>,
    ) -> Result<(), DbError> {
        let rules = self.rules();
        let [mover, waiting] = row[0].sets;
        let stones = row[0].sets.map(|set| set.len() as u8);
        let file = self.file_of(Material::of(mover, waiting))?;
        file.check_metric(Metric::Depth)?;
        if file.coverage().omits_rows() {
            let positions = row.iter().map(|wanted| wanted.sets);
            let positions: Vec<Position> = positions.map(|[a, b]| Position::moving(a, b)).collect();
            return self.each(&positions, Metric::Depth, |place, value| {
                row[place].value = Some(value)
            });
        }
        let set = if row[0].is_held() { mover } else { waiting };
        let mut stored = file.row(set)?;
        columns.clear();
        for (place, wanted) in row.iter_mut().enumerate() {
            let [mover, waiting] = wanted.sets;
            let mut want = |other| {
                let column = stored.column(other);
                columns.push(ProbedColumn { column, place });
            };
            if wanted.is_held() {
                want(waiting);
                continue;
            }
            let position = Position::moving(mover, waiting);
            let result = position.result(rules);
            let best = wanted.value.insert(result.unwrap_or(Value::LOST));
            if result.is_some() {
                continue;
            }
            position.for_each_step(rules, |step, removals| {
                let reached = position.after(step).waiting();
                if removals == 0 {
                    return want(reached);
                }
                for left in left_after_removals(waiting, removals, rules) {
                    match left.len() < FEWEST_STONES.into() {
                        true => *best = (*best).max(rules.value_of_turn(stones, true, Value::LOST)),
                        false => next.push(Wanted::new(self, [left, reached], first + place)),
                    }
                }
            });
        }
        stored.values(columns, cache, &mut |place, byte| {
            let wanted = &mut row[place];
            let value = self.value_of_byte(byte);
            let value = match wanted.is_held() {
                true => value,
                false => rules.value_of_turn(stones, false, value),
            };
            wanted.value = wanted.value.max(Some(value));
        })
    }
}
