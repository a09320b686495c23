//! Positions with their values and what their turns are worth: the rows of data sets. Whole tables, plies and random
//! samples.

use std::ops::Range;

use rayon::prelude::*;

use super::{Survey, Whole, value_of, wholes};
use crate::board::PointSet;
use crate::index::{Material, Pair};
use crate::probe::Database;
use crate::rules::Rules;
use crate::rules::position::{Position, Side};
use crate::rules::turns::Turn;
use crate::sample::{self, Family};
use crate::store::{DbError, PlyFile};
use crate::value::{Metric, Value};

/// A position with its value, and what its turns are worth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Row {
    /// The position.
    pub position: Position,
    /// Its value for the side to move.
    pub value: Value,
    /// Its turns, if they were asked for.
    pub turns: Option<Worth>,
}

/// What the turns of a position are worth: targets of a policy.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Worth {
    /// The number of turns that keep the result: that win if a turn wins, else that draw if one draws, else all.
    pub good: u16,
    /// The number of turns with the best value: of the good ones those that win soonest or lose latest.
    pub best: u16,
    /// The points that stones leave in the best turns.
    pub from: PointSet,
    /// The points that stones come to in the best turns.
    pub to: PointSet,
    /// The points that lose stones in the best turns.
    pub removed: PointSet,
}

impl Worth {
    /// All turns of a position, with their values for the side that makes them.
    pub fn of(turns: impl IntoIterator<Item = (Turn, Value)>) -> Worth {
        let mut worth = Worth::default();
        let mut highest: Option<Value> = None;
        for (turn, value) in turns {
            worth.add(turn, value, highest);
            highest = highest.max(Some(value));
        }
        worth
    }

    /// Adds a turn; `highest` is the greatest value of those before.
    fn add(&mut self, turn: Turn, value: Value, highest: Option<Value>) {
        let result = Some(value.wdl());
        let before = highest.map(Value::wdl);
        if result < before {
            return;
        }
        self.good = if result == before { self.good + 1 } else { 1 };
        if Some(value) < highest {
            return;
        }
        if Some(value) > highest {
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

/// The tables that the turns of some positions lead to.
struct Next<'a> {
    rules: &'a Rules,
    tables: &'a [Whole],
    /// What all their files have.
    metric: Metric,
}

impl Next<'_> {
    /// The turns of a position without stones in hand, or of rules where sides move while placing.
    fn worth(&self, position: &Position) -> Worth {
        let stones = position.on_board();
        let mut worth = Worth::default();
        let mut highest = None;
        position.for_each_turn(self.rules, |turn| {
            let after = self.value(&position.after(turn));
            let value = self.rules.value_of_turn(stones, turn.removes(), after);
            let value = match self.metric {
                Metric::Depth => value,
                Metric::Wdl => value.without_depth(),
            };
            worth.add(turn, value, highest);
            highest = highest.max(Some(value));
        });
        worth
    }

    fn value(&self, after: &Position) -> Value {
        if after.is_beaten() {
            return Value::LOST;
        }
        let material = Material::of_position(after);
        let found = self
            .tables
            .iter()
            .find(|table| table.material() == material);
        let table = found.expect("a table for each turn");
        let byte = table.values[table.index.find(after.mover(), after.waiting())];
        self.rules.distance().value(byte)
    }
}

impl<'a> Survey<'a> {
    /// A survey for [`Survey::rows`] with their turns, which also needs the pairs that captures lead to.
    ///
    /// # Errors
    ///
    /// As for [`Survey::new`].
    pub fn with_turns(db: &'a Database, pairs: &[Pair]) -> Result<Survey<'a>, DbError> {
        let tables = pairs
            .iter()
            .flat_map(|&pair| tables_of_turns(pair, db.rules()));
        Survey::of(db, &tables.collect::<Vec<_>>(), true)
    }

    /// Passes the distinct positions of the next pair to `found`, as [`Survey::find`] does.
    ///
    /// # Errors
    ///
    /// As for [`Survey::records`].
    pub fn rows(&mut self, pair: Pair, found: impl FnMut(Vec<Row>) -> bool) -> Result<(), DbError> {
        let (db, rules) = (self.db, self.db.rules());
        let metric = db.file(pair)?.metric();
        if !self.turns {
            let tables = self.tables(pair)?;
            let row = |position: &Position, value| {
                Some(Row {
                    position: *position,
                    value,
                    turns: None,
                })
            };
            super::pass(
                &tables,
                |byte| value_of(rules, metric, byte),
                |_| true,
                row,
                found,
            );
            return Ok(());
        }
        let tables = tables_of_turns(pair, rules).into_iter();
        let tables = tables.map(|material| self.table(material));
        let tables = tables.collect::<Result<Vec<_>, _>>()?;
        let mut common = metric;
        for table in &tables {
            common = common.common(db.file_of(table.material())?.metric());
        }
        let next = Next {
            rules,
            tables: &tables,
            metric: common,
        };
        let row = |position: &Position, value| {
            Some(Row {
                position: *position,
                value,
                turns: Some(next.worth(position)),
            })
        };
        let own = &tables[..pair.tables().len()];
        super::pass(
            own,
            |byte| value_of(rules, metric, byte),
            |_| true,
            row,
            found,
        );
        Ok(())
    }
}

/// The tables of a pair, and after them those that captures and placements lead to.
fn tables_of_turns(pair: Pair, rules: &Rules) -> Vec<Material> {
    let mut tables = pair.tables();
    for table in pair.tables() {
        for exit in table.exits(rules) {
            if !tables.contains(&exit) {
                tables.push(exit);
            }
        }
    }
    tables
}

/// Passes the distinct positions of a ply that games can reach to `found`, as [`Survey::find`] does. Their turns are
/// looked up one by one, in some cases by a search.
///
/// # Errors
///
/// As for [`ply_extremes`](super::ply_extremes), and with turns those of [`Database::turns`].
pub fn ply_rows(
    db: &Database,
    file: &PlyFile,
    turns: bool,
    mut found: impl FnMut(Vec<Row>) -> bool,
) -> Result<(), DbError> {
    let sets = db.stage_sets();
    let mut failure = None;
    for table in wholes(db, file) {
        let (stage, table) = table?;
        let can_be = |position: &Position| {
            let side = |side: Side| sets.contains(stage, side, position.stones(side));
            side(Side::White) && side(Side::Black)
        };
        let value = |byte| value_of(db.rules(), file.metric(), byte);
        let row = |position: &Position, value| can_be(position).then_some((*position, value));
        let goes_on = super::pass(
            &[table],
            value,
            |_| true,
            row,
            |some| match complete(db, &some, turns) {
                Ok(rows) => found(rows),
                Err(error) => {
                    failure = Some(error);
                    false
                }
            },
        );
        if !goes_on {
            break;
        }
    }
    failure.map_or(Ok(()), Err)
}

/// Random positions of families, which take turns: those with these numbers of [`sample::mixed`].
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
) -> Result<Vec<Row>, DbError> {
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
) -> Result<Vec<Row>, DbError> {
    let row = |&(position, value): &(Position, Value)| {
        let ranked = match turns {
            true => Some(db.turns(&position)?),
            false => None,
        };
        Ok(Row {
            position,
            value,
            turns: ranked.map(|ranked| Worth::of(ranked.iter().map(|one| (one.turn, one.value)))),
        })
    };
    positions.par_iter().map(row).collect()
}
