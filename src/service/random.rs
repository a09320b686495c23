//! Random positions for the page's trainer.

use schemars::JsonSchema;
use serde::Serialize;

use super::failure::{Failure, Refusal};
use super::words::Fen;
use crate::index::Pair;
use crate::probe::{Database, stop};
use crate::sample::{self, Family};
use crate::value::{Dtw, Value, Wdl};

/// The most random positions to try.
const TRIES: u64 = 20_000;

/// Games that end in fewer turns are too easy for the trainer.
const SHORTEST: Dtw = Dtw(3);

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
        let drawn = |number| sample::many(rules, Family::Pair(pair), number..number + 1, seed);
        for position in (0..TRIES).flat_map(drawn) {
            // A mill of the waiting side could look as if a removal were missing.
            if !rules.board().mills(position.waiting()).is_empty() {
                continue;
            }
            stop::check_own()?;
            let value = database.probe(&position)?;
            if value.wdl() == wdl && value.dtw().is_none_or(|dtw| dtw >= SHORTEST) {
                let position = Fen::new(&position, rules);
                return Ok(RandomAnswer { position, value });
            }
        }
        Err(Failure::Question {
            reason: Some(Refusal::new("none_found", [("pair", pair.to_string())])),
            message: format!(
                "no position of {pair} with the value {wdl} was found that lasts at least {SHORTEST} turns \
                 and has no mill of Black; choose another pair or value"
            ),
        })
    }
}
