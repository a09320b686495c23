//! The value of a position whose ply has no file, from those that its turns lead to.

use std::collections::HashMap;

use super::{Placing, Stage};
use crate::db::{Database, DbError, RankedTurn};
use crate::position::Position;
use crate::value::Value;

/// One question, and what has been found out on the way.
pub(super) struct Search<'a> {
    placing: &'a Placing,
    database: &'a Database,
    /// The values of positions between the files.
    known: HashMap<Position, Option<Value>>,
}

impl<'a> Search<'a> {
    /// The most placements from a position to the next file.
    const MOST_TURNS: u8 = 4;

    pub fn new(placing: &'a Placing, database: &'a Database) -> Search<'a> {
        Search {
            placing,
            database,
            known: HashMap::new(),
        }
    }

    /// All turns, ranked.
    pub fn turns(&mut self, position: &Position) -> Result<Option<Vec<RankedTurn>>, DbError> {
        let mut ranked = Vec::new();
        for turn in position.turns(&self.placing.rules) {
            let after = position.after(turn);
            let Some(value) = self.value(&after)? else {
                return Ok(None);
            };
            let value = value.before();
            ranked.push(RankedTurn { turn, value, after });
        }
        ranked.sort_unstable_by(RankedTurn::order);
        Ok(Some(ranked))
    }

    /// The value, `None` if the files do not help.
    pub fn value(&mut self, position: &Position) -> Result<Option<Value>, DbError> {
        let end = 2 * self.placing.rules.stones;
        let ply = Stage::of(position, &self.placing.rules).ply;
        let next = (ply..end).find(|&ply| self.placing.has(ply)).unwrap_or(end);
        match next - ply <= Search::MOST_TURNS {
            true => self.look_ahead(position),
            false => Ok(None),
        }
    }

    fn look_ahead(&mut self, position: &Position) -> Result<Option<Value>, DbError> {
        let rules = &self.placing.rules;
        if !position.is_placing() {
            return self.database.probe(position).map(Some);
        }
        if position.is_over(rules) {
            return Ok(Some(Value::LOST));
        }
        if !position.removal_owed() && self.placing.has(Stage::of(position, rules).ply) {
            return self.placing.stored(position);
        }
        if let Some(&known) = self.known.get(position) {
            return Ok(known);
        }
        let mut best = None;
        for turn in position.turns(rules) {
            let Some(value) = self.look_ahead(&position.after(turn))? else {
                best = None;
                break;
            };
            best = best.max(Some(value.before()));
        }
        self.known.insert(*position, best);
        Ok(best)
    }
}
