//! The rows of data sets: positions with their values and the worth of their turns, from whole
//! tables, plies and random samples.

use std::mem;
use std::ops::Range;

use rayon::prelude::*;

use super::{Survey, Whole, value_of, wholes};
use crate::board::PointSet;
use crate::index::{Material, Pair};
use crate::probe::Database;
use crate::rules::Rules;
use crate::rules::position::Position;
use crate::rules::turns::Turn;
use crate::sample::{self, Family};
use crate::store::{DbError, PlyFile};
use crate::value::{Metric, Value};

/// A position with its value and the worth of its turns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DataRow {
    /// The position.
    pub position: Position,
    /// Its value for the side to move.
    pub value: Value,
    /// The worth of its turns, if it was asked for.
    pub turns: Option<Worth>,
}

/// The worth of a position's turns: targets of a policy.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Worth {
    /// The number of turns that keep the result: that win if a turn wins, else that draw if one draws, else all.
    pub good: u16,
    /// The number of turns with the best value: of the good ones those that win soonest or lose latest.
    pub best: u16,
    /// The points that stones leave in the best turns.
    pub from: PointSet,
    /// The points that stones reach in the best turns.
    pub to: PointSet,
    /// The points that lose stones in the best turns.
    pub removed: PointSet,
}

impl Worth {
    /// All turns of a position, with their values for the side that makes them.
    pub fn of(turns: impl IntoIterator<Item = (Turn, Value)>) -> Worth {
        let mut worth = Worth::default();
        let mut highest = None;
        for (turn, value) in turns {
            worth.add(turn, value, &mut highest);
        }
        worth
    }

    /// Adds a turn; `highest` is the greatest value of the turns so far, and then includes this
    /// turn.
    fn add(&mut self, turn: Turn, value: Value, highest: &mut Option<Value>) {
        let result = Some(value.wdl());
        let before = highest.map(Value::wdl);
        if result < before {
            return;
        }
        self.good = if result == before { self.good + 1 } else { 1 };
        if Some(value) < *highest {
            return;
        }
        if Some(value) > *highest {
            *highest = Some(value);
            *self = Worth {
                good: self.good,
                ..Worth::default()
            };
        }
        self.best += 1;
        self.from |= turn.from().into_iter().collect();
        self.to |= turn.to().into_iter().collect();
        self.removed |= turn.removed();
    }
}

/// The wanted positions of whole tables: those that satisfy both conditions.
#[derive(Clone, Copy)]
pub struct RowFilter<'a> {
    /// The condition on the value for the side to move.
    pub value: &'a (dyn Fn(Value) -> bool + Sync),
    /// The condition on the stones, asked of positions with such a value.
    pub stones: &'a (dyn Fn(&Position) -> bool + Sync),
}

impl RowFilter<'_> {
    /// All positions.
    pub const ALL: RowFilter<'static> = RowFilter {
        value: &|_| true,
        stones: &|_| true,
    };
}

/// The worth of the turns of a position of a pair.
/// They lead to `tables`, whose files all have the metric.
fn worth(rules: &Rules, tables: &[Whole], metric: Metric, position: &Position) -> Worth {
    let value = |after: &Position| {
        if after.is_beaten() {
            return Value::LOST;
        }
        let material = Material::of_position(after);
        let mut tables = tables.iter();
        let found = tables.find(|table| table.material() == material);
        let table = found.expect("a table for each turn");
        let byte = table.values[table.index.find(after.mover(), after.waiting())];
        rules.distance().value(byte)
    };
    let stones = position.on_board();
    let (mut worth, mut highest) = (Worth::default(), None);
    position.for_each_turn(rules, |turn| {
        let after = value(&position.after(turn));
        let value = rules.value_of_turn(stones, turn.removes(), after);
        worth.add(turn, metric.shown(value), &mut highest);
    });
    worth
}

impl Survey<'_> {
    /// Passes the wanted positions of the next pair to `found`. Returns whether the pass came to its end.
    fn rows(
        &mut self,
        pair: Pair,
        wanted: RowFilter,
        turns: bool,
        mut found: impl FnMut(Vec<DataRow>) -> bool,
    ) -> Result<bool, DbError> {
        let (db, rules) = (self.db, self.db.rules());
        let metric = db.file(pair)?.metric();
        let tables = self.tables(tables_of_rows(pair, rules, turns))?;
        let mut common = metric;
        for table in &tables {
            common = common.common(db.file_of(table.material())?.metric());
        }
        let value = |byte| value_of(rules, metric, byte);
        let row = |position: &Position, byte| {
            (wanted.stones)(position).then(|| DataRow {
                position: *position,
                value: value(byte),
                turns: turns.then(|| worth(rules, &tables, common, position)),
            })
        };
        let is_wanted = |byte| (wanted.value)(value(byte));
        let mut own = tables.iter().take(pair.tables(rules).len());
        Ok(own.all(|table| table.pass(is_wanted, row, &mut found)))
    }
}

/// The tables of a pair, and after them, for its turns, those that captures and placements lead to.
fn tables_of_rows(pair: Pair, rules: &Rules, turns: bool) -> Vec<Material> {
    let mut tables = pair.tables(rules);
    for table in pair.tables(rules).into_iter().filter(|_| turns) {
        for exit in table.exits(rules) {
            if !tables.contains(&exit) {
                tables.push(exit);
            }
        }
    }
    tables
}

/// Passes the wanted rows of whole tables to `found`, family by family: the distinct positions of
/// pairs, and those of plies that games can reach. `found` gets them in their order, and stops the
/// pass by returning `false`. The turns of plies are looked up one by one, in some cases by a
/// search.
///
/// # Errors
///
/// [`DbError::Missing`] or [`DbError::MissingPlies`] if a family, or with turns a pair that its captures lead to, has no file
/// and is needed; [`DbError::Corrupt`] if a file is damaged, [`DbError::Io`] if there is too little memory; with turns those of
/// [`Database::turns`].
pub fn table_rows(
    db: &Database,
    families: &[Family],
    wanted: RowFilter,
    turns: bool,
    mut found: impl FnMut(Vec<DataRow>) -> bool,
) -> Result<(), DbError> {
    let tables = families.iter().flat_map(|family| match *family {
        Family::Pair(pair) => tables_of_rows(pair, db.rules(), turns),
        Family::Placed(_) => Vec::new(),
    });
    let mut survey = Survey::of(db, &tables.collect::<Vec<_>>())?;
    for family in families {
        let goes_on = match *family {
            Family::Pair(pair) => survey.rows(pair, wanted, turns, &mut found)?,
            Family::Placed(ply) => {
                let file = db.ply(ply)?.ok_or_else(|| DbError::MissingPlies {
                    ply: Some(ply),
                    location: db.location(),
                })?;
                ply_rows(db, file, wanted, turns, &mut found)?
            }
        };
        if !goes_on {
            break;
        }
    }
    Ok(())
}

/// Gathers rows into parts of one size.
pub struct Batches<F> {
    size: usize,
    rows: Vec<DataRow>,
    pass: F,
}

impl<F: FnMut(Vec<DataRow>) -> bool> Batches<F> {
    /// Passes parts of `size` rows, at least one, to `pass`, which returns whether it takes more.
    pub fn new(size: usize, pass: F) -> Batches<F> {
        Batches {
            size,
            rows: Vec::with_capacity(size),
            pass,
        }
    }

    /// Adds rows; `false` if no more are taken.
    pub fn add(&mut self, rows: Vec<DataRow>) -> bool {
        for row in rows {
            self.rows.push(row);
            if self.rows.len() == self.size {
                let full = mem::replace(&mut self.rows, Vec::with_capacity(self.size));
                if !(self.pass)(full) {
                    return false;
                }
            }
        }
        true
    }

    /// Passes on the rest, if there is one.
    pub fn end(mut self) {
        if !self.rows.is_empty() {
            (self.pass)(self.rows);
        }
    }
}

/// Passes the wanted positions of a ply that games can reach to `found`. Returns whether the pass came to its end.
fn ply_rows(
    db: &Database,
    file: &PlyFile,
    wanted: RowFilter,
    turns: bool,
    mut found: impl FnMut(Vec<DataRow>) -> bool,
) -> Result<bool, DbError> {
    let sets = db.stage_sets();
    let mut failure = None;
    for table in wholes(db, file) {
        let (stage, table) = table?;
        let can_be = |at: &Position| sets.allows(stage, at.mover(), at.waiting());
        let value = |byte| value_of(db.rules(), file.metric(), byte);
        let row = |position: &Position, byte| {
            ((wanted.stones)(position) && can_be(position)).then(|| (*position, value(byte)))
        };
        let is_wanted = |byte| (wanted.value)(value(byte));
        let goes_on = table.pass(is_wanted, row, |some| match complete(db, &some, turns) {
            Ok(rows) => found(rows),
            Err(error) => {
                failure = Some(error);
                false
            }
        });
        if !goes_on {
            return failure.map_or(Ok(false), Err);
        }
    }
    Ok(true)
}

/// Random positions from the families in turn: those of [`sample::mixed`] with these numbers.
///
/// # Errors
///
/// Those of [`Database::probe`].
pub fn sampled_rows(
    db: &Database,
    families: &[Family],
    numbers: Range<u64>,
    seed: u64,
    turns: bool,
) -> Result<Vec<DataRow>, DbError> {
    let positions = sample::mixed(db.rules(), families, numbers, seed);
    let valued = positions
        .par_iter()
        .map(|position| Ok((*position, db.probe(position)?)));
    complete(db, &valued.collect::<Result<Vec<_>, DbError>>()?, turns)
}

/// Rows of positions with these values.
fn complete(
    db: &Database,
    positions: &[(Position, Value)],
    turns: bool,
) -> Result<Vec<DataRow>, DbError> {
    let row = |&(position, value): &(Position, Value)| {
        let ranked = turns.then(|| db.turns(&position)).transpose()?;
        Ok(DataRow {
            position,
            value,
            turns: ranked.map(|ranked| Worth::of(ranked.iter().map(|one| (one.turn, one.value)))),
        })
    };
    positions.par_iter().map(row).collect()
}
