//! The explorer's ranking of turns, and random positions for the trainer.

use std::collections::HashMap;

use serde::Serialize;

use super::failure::{Failure, Refusal};
use super::value::{JsonPosition, JsonTurn};
use crate::index::Pair;
use crate::probe::Database;
use crate::rules::Rules;
use crate::rules::position::Position;
use crate::sample::{self, Family, canonical};
use crate::value::{Dtw, Value, Wdl};

/// The longest search for the values of replies, in positions. Replies that need a longer one are
/// not counted.
const REPLY_NODES: u64 = 500;

/// The most random positions to try.
const TRIES: u64 = 20_000;

/// Games that end in fewer turns are too easy for the trainer.
const SHORTEST: Dtw = Dtw(3);

/// A position with its ranked turns.
#[derive(Serialize)]
pub struct Ranking {
    #[serde(flatten)]
    position: JsonPosition,
    #[serde(flatten)]
    value: Value,
    source: &'static str,
    turns: Vec<JsonRanked>,
}

/// A turn with the number of the opponent's replies.
#[derive(Serialize)]
struct JsonRanked {
    #[serde(flatten)]
    turn: JsonTurn,
    /// The number of replies; `None` if their values are not known after a short search, or if bytes
    /// of files would have to be fetched for them.
    replies: Option<usize>,
    /// The number of replies that keep the opponent's result.
    holding: Option<usize>,
    /// Turns with the same number lead to positions that are equal up to symmetry.
    class: usize,
}

impl Ranking {
    /// All turns of a position: value, replies that hold, and symmetry class.
    ///
    /// # Errors
    ///
    /// Those of [`Database::answer`].
    pub fn find(database: &Database, position: &Position) -> Result<Ranking, Failure> {
        let rules = database.rules();
        let answer = database.answer(position)?;
        let mut classes: HashMap<Position, usize> = HashMap::new();
        let turns = answer.turns.iter().map(|ranked| {
            let next = classes.len();
            let class = *classes.entry(canonical(&ranked.after)).or_insert(next);
            let replies = replies(database, &ranked.after);
            JsonRanked {
                turn: JsonTurn::new(ranked, rules),
                replies: replies.map(|(all, _)| all),
                holding: replies.map(|(_, holding)| holding),
                class,
            }
        });
        Ok(Ranking {
            position: JsonPosition::new(position, rules),
            turns: turns.collect(),
            value: answer.value,
            source: answer.source.name(),
        })
    }
}

/// The number of replies, and the number of those that keep the result.
fn replies(database: &Database, position: &Position) -> Option<(usize, usize)> {
    let answer = database.answer_within(position, Some(REPLY_NODES)).ok()?;
    let best = answer.value.wdl();
    let holding = answer.turns.iter().filter(|turn| turn.value.wdl() == best);
    Some((answer.turns.len(), holding.count()))
}

/// A random position with its value.
#[derive(Serialize)]
pub struct RandomPosition {
    position: String,
    #[serde(flatten)]
    value: Value,
}

impl RandomPosition {
    /// A random position of a pair, White to move, that has this value, lasts at least three turns and
    /// has no mill of Black; the same for the same seed.
    ///
    /// # Errors
    ///
    /// Those of [`Database::probe`], or [`Failure::Question`] if no such position is found.
    pub fn find(
        database: &Database,
        pair: Pair,
        wdl: Wdl,
        seed: u64,
    ) -> Result<RandomPosition, Failure> {
        let rules = database.rules();
        let drawn = |number| sample::many(rules, Family::Pair(pair), number..number + 1, seed);
        for position in (0..TRIES).flat_map(drawn) {
            if position.is_over(rules) || has_mill(&position, rules) {
                continue;
            }
            let value = database.probe(&position)?;
            if value.wdl() == wdl && !is_too_easy(value) {
                return Ok(RandomPosition {
                    position: position.text(rules),
                    value,
                });
            }
        }
        let wdl = wdl.name();
        Err(Failure::Question {
            reason: Some(Refusal::new("none_found", [("pair", pair.to_string())])),
            message: format!(
                "no position of {pair} with the value {wdl} was found that lasts at least {SHORTEST} turns \
                 and has no mill of Black; choose another pair or value"
            ),
        })
    }
}

fn is_too_easy(value: Value) -> bool {
    value.dtw().is_some_and(|dtw| dtw < SHORTEST)
}

/// Whether the waiting side has a mill. Such a position could look as if a removal were missing.
fn has_mill(position: &Position, rules: &Rules) -> bool {
    !rules.board().mills(position.waiting()).is_empty()
}
