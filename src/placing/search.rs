//! The value of a position whose ply has no file, from those that its turns lead to: alpha-beta
//! over the few placements to the next file.
//!
//! A value counts turns from its own position. A window of the mover becomes the opponent's by
//! [`behind`], the inverse of [`Value::before`].

use std::cmp::Reverse;
use std::collections::HashMap;

use super::{Placing, Stage};
use crate::board::{POINTS, PointSet};
use crate::db::{Database, DbError, RankedTurn};
use crate::position::Position;
use crate::turns::Turn;
use crate::value::{Dtw, Value};

/// One question, and what has been found out on the way.
pub(super) struct Search<'a> {
    placing: &'a Placing,
    database: &'a Database,
    /// Bounds of the values of positions between the files, by [`key`].
    known: HashMap<u64, Bounds>,
}

/// What a value is at least and at most.
type Bounds = (Value, Value);

/// No value is worse, and none is better.
const ANYTHING: Bounds = (Value::LOST, Value::Win(Dtw(0)));

/// The value whose [`Value::before`] is this one; for a game that is over, and for a win that
/// nothing can lead to, the best and the worst.
fn behind(value: Value) -> Value {
    match value {
        Value::Win(Dtw(depth)) => Value::Loss(Dtw(depth.saturating_sub(1))),
        Value::Draw => Value::Draw,
        Value::Loss(Dtw(depth)) => Value::Win(Dtw(depth.saturating_sub(1))),
    }
}

/// A number for each position with stones in hand of one game.
fn key(position: &Position, ply: u8) -> u64 {
    let [white, black] = [position.white, position.black].map(|set| u64::from(set.bits()));
    let stage = u64::from(ply) << 2 | u64::from(position.removals_owed());
    (stage << POINTS | white) << POINTS | black
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
        RankedTurn::sort(&mut ranked);
        Ok(Some(ranked))
    }

    /// The value, `None` if the files do not help.
    pub fn value(&mut self, position: &Position) -> Result<Option<Value>, DbError> {
        let end = 2 * self.placing.rules.stones;
        let ply = Stage::of(position, &self.placing.rules).ply;
        let next = (ply..end).find(|&ply| self.placing.has(ply)).unwrap_or(end);
        match next.saturating_sub(ply) <= Search::MOST_TURNS {
            true => self.look_ahead(position, ANYTHING),
            false => Ok(None),
        }
    }

    /// The value, if it lies within the window; otherwise a bound of it, beyond the same end of the
    /// window.
    fn look_ahead(
        &mut self,
        position: &Position,
        (mut alpha, mut beta): Bounds,
    ) -> Result<Option<Value>, DbError> {
        let rules = &self.placing.rules;
        if !position.is_placing() {
            return self.database.probe(position).map(Some);
        }
        if let Some(result) = position.result(rules) {
            return Ok(Some(result));
        }
        let ply = Stage::of(position, rules).ply;
        if !position.removal_owed() && self.placing.has(ply) {
            return self.placing.stored(position);
        }
        let key = key(position, ply);
        let mut bounds = *self.known.get(&key).unwrap_or(&ANYTHING);
        alpha = alpha.max(bounds.0);
        beta = beta.min(bounds.1);
        if alpha >= beta {
            return Ok(Some(if bounds.0 >= beta { bounds.0 } else { bounds.1 }));
        }
        let mut best = None;
        let worst = alpha;
        for turn in self.likely_first(position) {
            let window = (behind(beta), behind(alpha));
            let Some(value) = self.look_ahead(&position.after(turn), window)? else {
                return Ok(None);
            };
            best = best.max(Some(value.before()));
            if best >= Some(beta) {
                break;
            }
            alpha = alpha.max(best.unwrap_or(alpha));
        }
        let Some(best) = best else { return Ok(None) };
        if best < beta {
            bounds.1 = bounds.1.min(best);
        }
        if best > worst {
            bounds.0 = bounds.0.max(best);
        }
        self.known.insert(key, bounds);
        Ok(Some(best))
    }

    /// The turns, those first that are likely to be good: captures, then placements that keep the
    /// opponent from closing a mill, then those that prepare one.
    fn likely_first(&self, position: &Position) -> Vec<Turn> {
        let board = self.placing.rules.board();
        let (mover, waiting) = (position.mover(), position.waiting());
        let mut turns = Vec::with_capacity(32);
        position.for_each_turn(&self.placing.rules, |turn| turns.push(turn));
        turns.sort_by_cached_key(|turn| {
            let Some(to) = turn.to else {
                return Reverse((true, false, 0));
            };
            let blocks = board.mills(waiting.with(to)).contains(to);
            let prepares = board.lines().iter().filter(|&&line| {
                let stones = line & mover;
                let free = (line & waiting) == PointSet::EMPTY;
                line.contains(to) && free && stones.len() == 1
            });
            Reverse((!turn.removed.is_empty(), blocks, prepares.count()))
        });
        turns
    }
}
