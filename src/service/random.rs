//! Random positions for the page's trainer.

use schemars::JsonSchema;
use serde::Serialize;

use super::failure::Failure;
use super::words::Fen;
use crate::index::Pair;
use crate::probe::{Database, stop};
use crate::rules::Rules;
use crate::rules::position::Position;
use crate::sample::{self, Family};
use crate::value::{Value, Wdl};

/// The most random positions to try.
const TRIES: u64 = 20_000;

/// A random position with its value.
#[derive(Serialize, JsonSchema)]
pub struct RandomAnswer {
    position: Fen,
    #[serde(flatten)]
    value: Value,
}

impl RandomAnswer {
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
    ) -> Result<RandomAnswer, Failure> {
        let rules = database.rules();
        for number in 0..TRIES {
            stop::check_own()?;
            let drawn = sample::many(rules, Family::Pair(pair), number..number + 1, seed);
            let Some(position) = drawn.into_iter().next() else {
                break;
            };
            // A mill of the waiting side could look as if a removal were missing.
            if !rules.board().mills(position.waiting()).is_empty() {
                continue;
            }
            let value = database.probe(&position)?;
            if value.wdl() == wdl && !is_short(&position, rules) {
                let position = Fen::new(&position, rules);
                return Ok(RandomAnswer { position, value });
            }
        }
        let message = format!(
            "no position of {pair} with the value {wdl} was found that lasts at least 3 turns \
             and has no mill of Black; choose another pair or value"
        );
        let fields = [("pair", pair.to_string())];
        Err(Failure::refused("none_found", fields, message))
    }
}

/// Whether the game is won in one turn, or lost in none or two, which is too easy for the trainer.
fn is_short(position: &Position, rules: &Rules) -> bool {
    let after = |position: &Position| {
        let mut after = Vec::new();
        position.for_each_turn(rules, |turn| after.push(position.after(turn)));
        after
    };
    let wins = |after: &[Position]| after.iter().any(|after| after.is_over(rules));
    let replies = after(position);
    wins(&replies) || replies.iter().all(|reply| wins(&after(reply)))
}
