//! The query of a request: reads and checks its fields in one place.

use anyhow::Result;
use axum::extract::Query;
use axum::extract::rejection::QueryRejection;
use millbase::engine::draws::DrawRule;
use millbase::engine::game::{Game, GameError};
use millbase::{Pair, Position, Rules, Wdl};
use serde::Deserialize;

use crate::input;
use crate::rules;
use crate::status::{Reason, Refused, Usage};

/// The most bytes of a position's text.
const LONGEST_POSITION: usize = 1024;

/// The most bytes of a game's turns: more than a thousand turns.
const LONGEST_GAME: usize = 12 << 10;

/// The fields of a question; each path uses those that it documents.
#[derive(Default, Deserialize)]
#[serde(default)]
pub struct Question {
    /// A position, or the start of a game.
    fen: Option<String>,
    /// The turns of a game.
    moves: String,
    /// The rules; without it those of the server.
    rules: Option<String>,
    /// The most turns of a line.
    pub limit: Option<usize>,
    /// The level of the player.
    pub level: Option<u8>,
    /// The seed of random choices.
    pub seed: u64,
    /// The time to search, in milliseconds.
    pub movetime: Option<u64>,
    /// The pair of a random position.
    pair: Option<String>,
    /// The value of a random position.
    wdl: Option<String>,
    /// The most stones of a pair to build.
    pub stones: Option<u8>,
    /// Whether to build the placing phase too.
    pub placing: bool,
}

/// The question of a request, or the reason why it cannot be read.
pub type Asked = Result<Query<Question>, QueryRejection>;

/// A game up to the first turn of the question that is not legal.
pub struct Played {
    pub game: Game,
    /// The illegal turn: its number, counted from 1, its text, and the reason.
    pub illegal: Option<(usize, String, GameError)>,
}

impl Question {
    /// The question with its fields, or a usage error.
    pub fn of(asked: Asked) -> Result<Question> {
        let Query(question) = asked.map_err(|error| {
            Usage(format!(
                "the question cannot be read: {}; ask like /probe?fen=start, with the position \
                 percent-encoded",
                error.body_text()
            ))
        })?;
        let longest = |text: &str, most: usize, what| match text.len() > most {
            true => Err(Refused {
                reason: Reason::new("too_long", [("most", most.to_string())]),
                message: format!("a text of more than {most} bytes is not a {what}"),
            }),
            false => Ok(()),
        };
        longest(
            question.fen.as_deref().unwrap_or_default(),
            LONGEST_POSITION,
            "position",
        )?;
        longest(&question.moves, LONGEST_GAME, "game")?;
        Ok(question)
    }

    /// The rules of the question; `own` are those of the server.
    pub fn rules(&self, own: &Rules) -> Result<Rules> {
        let Some(name) = &self.rules else {
            return Ok(*own);
        };
        let known = Rules::named(name).ok_or_else(|| {
            let names = rules::names();
            Refused {
                reason: Reason::new("rules", [("name", name.clone()), ("names", names.clone())]),
                message: format!("there are no rules '{name}'; the server knows {names}"),
            }
        });
        Ok(known?)
    }

    /// The position of the question.
    pub fn position(&self, rules: &Rules) -> Result<Position> {
        let text = self.fen.as_deref().ok_or_else(|| {
            Usage("the question has no position; ask like /probe?fen=start".to_owned())
        })?;
        Ok(input::position(text, rules)?)
    }

    /// The game of the question, up to its first turn that is not legal.
    pub fn game(&self, rules: &Rules, draws: DrawRule) -> Result<Played> {
        let mut game = Game::new(*rules, self.position(rules)?).with_draws(draws);
        for (number, text) in (1..).zip(self.moves.split_whitespace()) {
            if let Err(why) = game.play(text) {
                let illegal = Some((number, text.to_owned(), why));
                return Ok(Played { game, illegal });
            }
        }
        Ok(Played {
            game,
            illegal: None,
        })
    }

    /// The pair of the question.
    pub fn pair(&self, rules: &Rules) -> Result<Pair> {
        let text = self.pair.as_deref().unwrap_or_default();
        let pair = input::pair(text).map_err(Usage)?;
        input::check_pairs([&pair], rules)?;
        Ok(pair)
    }

    /// The value of the question.
    pub fn wdl(&self) -> Result<Wdl> {
        let text = self.wdl.as_deref().unwrap_or_default();
        [Wdl::Win, Wdl::Draw, Wdl::Loss]
            .into_iter()
            .find(|wdl| wdl.name() == text)
            .ok_or_else(|| {
                Usage("the value must be wdl=win, wdl=draw or wdl=loss".to_owned()).into()
            })
    }
}
