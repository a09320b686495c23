//! A game with its ending, and a player's turn.

use serde::Serialize;

use super::failure::{Failure, JsonFailure};
use super::value::{JsonLegal, JsonPosition};
use crate::engine::ending::Ending;
use crate::engine::game::{Game, GameError};
use crate::engine::player::Choice;
use crate::rules::position::Side;
use crate::rules::turns::Turn;
use crate::search::ScoreMeaning;
use crate::store::DbError;
use crate::value::Value;

/// A game up to the first turn of the question that is not legal.
pub struct AskedGame {
    /// The game.
    pub game: Game,
    /// The illegal turn.
    pub illegal: Option<IllegalTurn>,
}

/// The first turn of a question that is not legal.
pub struct IllegalTurn {
    /// Its number, counted from 1.
    pub number: usize,
    /// Its text.
    pub text: String,
    /// The reason.
    pub why: GameError,
}

/// A game with its turns and the legal turns after them.
#[derive(Serialize)]
pub struct GameAnswer {
    start: String,
    game: Vec<JsonLegal>,
    #[serde(flatten)]
    position: JsonPosition,
    turns: Vec<JsonLegal>,
    /// How often the position has occurred, including now.
    occurrences: usize,
    /// The number of last turns that neither placed nor removed a stone.
    quiet_turns: usize,
    ending: Option<JsonEnding>,
    illegal: Option<JsonIllegal>,
}

impl From<&AskedGame> for GameAnswer {
    fn from(AskedGame { game, illegal }: &AskedGame) -> GameAnswer {
        let rules = game.rules();
        let history = game.history().into_iter();
        GameAnswer {
            start: game.start().text(rules),
            game: history
                .map(|(turn, after)| JsonLegal::new(turn, after, rules))
                .collect(),
            position: JsonPosition::new(game.position(), rules),
            turns: JsonLegal::all(game.position(), rules),
            occurrences: game.occurrences(),
            quiet_turns: game.earlier().len(),
            ending: game.ending().map(JsonEnding::from),
            illegal: illegal.as_ref().map(JsonIllegal::from),
        }
    }
}

/// The end of a game.
#[derive(Serialize)]
struct JsonEnding {
    winner: Option<&'static str>,
    reason: &'static str,
    message: String,
}

impl From<Ending> for JsonEnding {
    fn from(ending: Ending) -> JsonEnding {
        JsonEnding {
            winner: ending.winner().map(Side::name),
            reason: ending.name(),
            message: ending.to_string(),
        }
    }
}

/// The first turn that is not legal.
#[derive(Serialize)]
struct JsonIllegal {
    number: usize,
    turn: String,
    reason: &'static str,
    message: String,
}

impl From<&IllegalTurn> for JsonIllegal {
    fn from(IllegalTurn { number, text, why }: &IllegalTurn) -> JsonIllegal {
        let reason = match why {
            GameError::Text { .. } => "text",
            GameError::Illegal { reason, .. } => reason.name,
            GameError::Over { .. } => "over",
        };
        JsonIllegal {
            number: *number,
            turn: text.clone(),
            reason,
            message: why.to_string(),
        }
    }
}

/// The choice of a player.
#[derive(Serialize)]
pub struct ChoiceAnswer {
    #[serde(flatten)]
    position: JsonPosition,
    /// `None` if the game is over.
    turn: Option<String>,
    /// The value of the turn for the side that makes it, where it is known.
    wdl: Option<&'static str>,
    dtw: Option<u16>,
    /// The search's score of the turn, in hundredths of a stone, where the value is not known.
    score: Option<i32>,
    /// The depth of the search.
    depth: Option<u32>,
    /// The turn and the line that the player expects after it.
    line: Vec<String>,
    ending: Option<JsonEnding>,
    /// The reason why a database could not be read; the turn was found without it.
    problem: Option<JsonFailure>,
}

impl ChoiceAnswer {
    /// The answer for the last position of a game; `None` if the game is over.
    pub fn new(
        game: &Game,
        choice: Option<Choice>,
        sentence: fn(&DbError) -> String,
    ) -> ChoiceAnswer {
        let variation = choice.as_ref().map(|choice| &choice.variation);
        let known = variation.and_then(|variation| variation.value);
        let searched = variation.filter(|_| known.is_none());
        let line = variation.map(|variation| variation.turns.iter().map(Turn::to_string).collect());
        ChoiceAnswer {
            position: JsonPosition::new(game.position(), game.rules()),
            turn: choice.as_ref().map(|choice| choice.turn.to_string()),
            wdl: known.map(|value| value.wdl().name()),
            dtw: known.and_then(Value::dtw).map(|dtw| dtw.0),
            score: searched.map(|variation| hundredths(variation.score.meaning())),
            depth: searched.map(|variation| variation.depth),
            line: line.unwrap_or_default(),
            ending: game.ending().map(JsonEnding::from),
            problem: choice
                .and_then(|choice| choice.failure)
                .map(|error| JsonFailure {
                    message: sentence(&error),
                    ..JsonFailure::from(&Failure::from(error))
                }),
        }
    }
}

/// A search's score in hundredths of a stone; an end that it sees counts as ten stones.
fn hundredths(meaning: ScoreMeaning) -> i32 {
    const END: i32 = 1000;
    match meaning {
        ScoreMeaning::Win(_) | ScoreMeaning::KnownWin => END,
        ScoreMeaning::Evaluation(number) => i32::from(number).clamp(1 - END, END - 1),
        ScoreMeaning::Loss(_) | ScoreMeaning::KnownLoss => -END,
    }
}
