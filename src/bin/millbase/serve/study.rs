//! The paths for the opening explorer and the trainer: `/rank` and `/random`.

use std::collections::HashMap;

use anyhow::Result;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use millbase::coach::sample::canonical;
use millbase::random::Random;
use millbase::{Database, Dtw, Pair, Point, Position, Rules, Value, Wdl};
use serde::Serialize;

use super::api_error::ApiError;
use super::question::{Asked, Question};
use super::reply;
use super::work::{Effort, Work};
use crate::output::{JsonTurn, JsonValue};
use crate::status::{Reason, Refused};

/// The longest search for the values of replies, in positions. Replies that need a longer one are
/// not counted.
const REPLY_NODES: u64 = 500;

/// The most random positions to try.
const TRIES: u32 = 20_000;

/// Wins in fewer turns are too easy for the trainer.
const SHORTEST_WIN: Dtw = Dtw(3);

/// A position with its ranked turns.
#[derive(Serialize)]
struct JsonRanking {
    position: String,
    side_to_move: &'static str,
    phase: &'static str,
    #[serde(flatten)]
    value: JsonValue,
    source: &'static str,
    turns: Vec<JsonRanked>,
}

/// A turn with the number of the opponent's replies.
#[derive(Serialize)]
struct JsonRanked {
    #[serde(flatten)]
    turn: JsonTurn,
    /// The number of replies; `None` if their values are not known after a short search.
    replies: Option<usize>,
    /// The number of replies that keep the opponent's result.
    holding: Option<usize>,
    /// Turns with the same number lead to positions that are equal up to symmetry.
    class: usize,
}

/// Answers with all turns: value, replies that hold, and symmetry class.
pub async fn rank(State(work): State<Work>, asked: Asked) -> Result<Response, ApiError> {
    let question = Question::of(asked).map_err(ApiError::Failed)?;
    let rules = question.rules(work.rules()).map_err(ApiError::Failed)?;
    let position = question.position(&rules).map_err(ApiError::Failed)?;
    let effort = Effort::of(&position);
    let ranking = work.ask(rules, effort, move |known| {
        ranking(&known.database, &position)
    });
    Ok(reply::json(StatusCode::OK, &ranking.await?))
}

fn ranking(database: &Database, position: &Position) -> Result<JsonRanking> {
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
    Ok(JsonRanking {
        position: position.text(rules),
        side_to_move: position.side_to_move().name(),
        phase: position.phase(rules).name(),
        turns: turns.collect(),
        value: answer.value.into(),
        source: answer.source.name(),
    })
}

/// The number of replies, and the number of those that keep the result.
fn replies(database: &Database, position: &Position) -> Option<(usize, usize)> {
    let answer = database.answer_within(position, Some(REPLY_NODES)).ok()?;
    let best = answer.value.wdl();
    let holding = answer.turns.iter().filter(|turn| turn.value.wdl() == best);
    Some((answer.turns.len(), holding.count()))
}

#[derive(Serialize)]
struct JsonRandom {
    position: String,
    #[serde(flatten)]
    value: JsonValue,
}

/// Answers with a random position of a pair, White to move, that has the value of the question.
pub async fn random(State(work): State<Work>, asked: Asked) -> Result<Response, ApiError> {
    let question = Question::of(asked).map_err(ApiError::Failed)?;
    let rules = question.rules(work.rules()).map_err(ApiError::Failed)?;
    let pair = question.pair(&rules).map_err(ApiError::Failed)?;
    let wdl = question.wdl().map_err(ApiError::Failed)?;
    let seed = question.seed;
    let found = work.ask(rules, Effort::Search, move |known| {
        let (position, value) = find(&known.database, pair, wdl, seed)?;
        Ok(JsonRandom {
            position: position.text(known.database.rules()),
            value: value.into(),
        })
    });
    Ok(reply::json(StatusCode::OK, &found.await?))
}

fn find(database: &Database, pair: Pair, wdl: Wdl, seed: u64) -> Result<(Position, Value)> {
    let rules = database.rules();
    let mut random = Random::new(seed);
    for _ in 0..TRIES {
        let position = any_position(pair, &mut random);
        if position.is_over(rules) || has_mill(&position, rules) {
            continue;
        }
        let value = database.probe(&position)?;
        let is_too_easy = value.dtw().is_some_and(|dtw| dtw < SHORTEST_WIN);
        if value.wdl() == wdl && !is_too_easy {
            return Ok((position, value));
        }
    }
    let (name, wdl) = (pair.to_string(), wdl.name());
    Err(Refused {
        reason: Reason::new("none_found", [("pair", name)]),
        message: format!(
            "no position of {pair} with the value {wdl} was found; choose another pair or value"
        ),
    }
    .into())
}

/// Stones on random points; either side has more.
fn any_position(pair: Pair, random: &mut Random) -> Position {
    let mut points: Vec<Point> = Point::all().collect();
    let mut stones = |count: u8| {
        let drawn = (0..count).map(|_| points.swap_remove(random.below(points.len())));
        drawn.collect()
    };
    let (larger, smaller) = (stones(pair.larger()), stones(pair.smaller()));
    match random.below(2) {
        0 => Position::moving(larger, smaller),
        _ => Position::moving(smaller, larger),
    }
}

/// Whether the waiting side has a mill. Such a position could look as if a removal were missing.
fn has_mill(position: &Position, rules: &Rules) -> bool {
    !rules.board().mills(position.waiting()).is_empty()
}
