//! The paths about a game and its players: `/game` and `/play`.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::Result;
use axum::extract::State;
use axum::response::Response;
use millbase::engine::ending::Ending;
use millbase::engine::game::{Game, GameError};
use millbase::engine::player::{Choice, Level};
use millbase::search::{Limits, Meaning};
use millbase::{Rules, Side, Turn, Value};
use serde::Serialize;

use super::api_error::ApiError;
use super::question::{Asked, Played, Question};
use super::reply::{self, JsonLegal};
use super::work::{Effort, Work};
use crate::status::{JsonFailure, Usage};

/// The default time to search if the databases do not know the position, in milliseconds.
const USUAL_TIME: u64 = 1000;

/// The longest time to search, in milliseconds.
const LONGEST_TIME: u64 = 5000;

/// A game with its turns and the legal turns after them.
#[derive(Serialize)]
struct JsonGame {
    start: String,
    game: Vec<JsonLegal>,
    position: String,
    side_to_move: &'static str,
    phase: &'static str,
    turns: Vec<JsonLegal>,
    /// How often the position has occurred, including now.
    occurrences: usize,
    /// The number of last turns that neither placed nor removed a stone.
    quiet_turns: usize,
    ending: Option<JsonEnding>,
    illegal: Option<JsonIllegal>,
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

/// The first turn of the question that is not legal.
#[derive(Serialize)]
struct JsonIllegal {
    number: usize,
    turn: String,
    reason: &'static str,
    message: String,
}

impl JsonIllegal {
    fn new((number, turn, why): (usize, String, GameError)) -> JsonIllegal {
        let reason = match why {
            GameError::Text { .. } => "text",
            GameError::Illegal { reason, .. } => reason.name(),
            GameError::Over { .. } => "over",
        };
        JsonIllegal {
            number,
            turn,
            reason,
            message: why.to_string(),
        }
    }
}

/// The game of a question, its ending, and the legal turns after it.
pub async fn game(State(work): State<Work>, asked: Asked) -> Result<Response, ApiError> {
    let question = Question::of(asked).map_err(ApiError::Failed)?;
    let rules = question.rules(work.rules()).map_err(ApiError::Failed)?;
    let played = question.game(&rules, work.draws());
    let Played { game, illegal } = played.map_err(ApiError::Failed)?;
    let history = game.history().into_iter();
    let position = game.position();
    let answer = JsonGame {
        start: game.start().text(&rules),
        game: history
            .map(|(turn, after)| JsonLegal::new(turn, after, &rules))
            .collect(),
        position: position.text(&rules),
        side_to_move: position.side_to_move().name(),
        phase: position.phase(&rules).name(),
        turns: reply::legal(position, &rules),
        occurrences: game.occurrences(),
        quiet_turns: game.earlier().len(),
        ending: game.ending().map(JsonEnding::from),
        illegal: illegal.map(JsonIllegal::new),
    };
    Ok(reply::json(axum::http::StatusCode::OK, &answer))
}

/// The choice of the player.
#[derive(Serialize)]
struct JsonChoice {
    position: String,
    side_to_move: &'static str,
    phase: &'static str,
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

/// Answers with the turn of the same player that `uci` and `play` use.
pub async fn play(State(work): State<Work>, asked: Asked) -> Result<Response, ApiError> {
    let question = Question::of(asked).map_err(ApiError::Failed)?;
    let rules = question.rules(work.rules()).map_err(ApiError::Failed)?;
    let game = whole_game(&question, &rules, &work).map_err(ApiError::Failed)?;
    let level = Level::new(question.level.unwrap_or(u8::MAX));
    let time = question.movetime.unwrap_or(USUAL_TIME).min(LONGEST_TIME);
    let limits = Limits {
        time: Some(Duration::from_millis(time)),
        ..Limits::default()
    };
    let seed = question.seed;
    let answer = work.ask(rules, Effort::Search, move |known| {
        let ending = game.ending();
        let choice = match ending {
            Some(_) => None,
            None => {
                let player = known.player(level, seed);
                player.choose(&game, &limits, &AtomicBool::new(false), &mut |_| ())
            }
        };
        Ok(JsonChoice::new(&game, choice, ending))
    });
    Ok(reply::json(axum::http::StatusCode::OK, &answer.await?))
}

fn whole_game(question: &Question, rules: &Rules, work: &Work) -> Result<Game> {
    let Played { game, illegal } = question.game(rules, work.draws())?;
    match illegal {
        None => Ok(game),
        Some((number, _, why)) => Err(Usage(format!("turn {number} of the game: {why}")).into()),
    }
}

impl JsonChoice {
    fn new(game: &Game, choice: Option<Choice>, ending: Option<Ending>) -> JsonChoice {
        let position = game.position();
        let thought = choice.as_ref().map(|choice| &choice.thought);
        let known = thought.and_then(|thought| thought.known);
        let searched = thought.filter(|_| known.is_none());
        let line = thought.map(|thought| thought.report.line.iter().map(Turn::to_string).collect());
        JsonChoice {
            position: position.text(game.rules()),
            side_to_move: position.side_to_move().name(),
            phase: position.phase(game.rules()).name(),
            turn: choice.as_ref().map(|choice| choice.turn.to_string()),
            wdl: known.map(|value| value.wdl().name()),
            dtw: known.and_then(Value::dtw).map(|dtw| dtw.0),
            score: searched.map(|thought| hundredths(thought.report.score.meaning())),
            depth: searched.map(|thought| thought.report.depth),
            line: line.unwrap_or_default(),
            ending: ending.map(JsonEnding::from),
            problem: choice
                .and_then(|choice| choice.failure)
                .map(|failure| JsonFailure::from(&failure.into())),
        }
    }
}

/// A search's score in hundredths of a stone; an end that it sees counts as ten stones.
fn hundredths(meaning: Meaning) -> i32 {
    const END: i32 = 1000;
    match meaning {
        Meaning::Win(_) | Meaning::KnownWin => END,
        Meaning::Evaluation(number) => i32::from(number).clamp(1 - END, END - 1),
        Meaning::Loss(_) | Meaning::KnownLoss => -END,
    }
}
