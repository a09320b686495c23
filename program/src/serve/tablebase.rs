//! Answers as clients of tablebases expect them: at the path of the rules' name, with the fields of
//! [Lichess's tablebase server](https://github.com/lichess-org/lila-tablebase), and fields of our
//! own beside them.
//!
//! There, every value is for the side to move of its own position: after a turn that wins in 21, the opponent
//! loses in 20, so this turn has the category `loss` and the depth -20.

use axum::Router;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, Request, State};
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::Response;
use axum::routing::get;
use millbase::internals::service::json;
use millbase::internals::service::position::{ProbeAnswer, Situation, ValuedTurn};
use millbase::internals::service::question::{Question, Topic};
use millbase::internals::service::words::Fen;
use millbase::internals::until;
use millbase::{Database, DbError, Dtw, Rules, Turn, Value, Wdl};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::api_error::ApiError;
use super::services::Services;
use super::{reply, routes, tag};

/// The value of a position for its side to move.
#[derive(Serialize, JsonSchema)]
struct Standing {
    category: Wdl,
    /// Turns to the end, negative if the side to move loses.
    #[schemars(range(min = -254, max = 254))]
    dtw: Option<i16>,
    /// Under a limit of quiet turns, instead of `dtw`: turns to the next removal or the end, with the same sign.
    #[schemars(range(min = -254, max = 254))]
    dtz: Option<i16>,
    #[schemars(range(min = -254, max = 254))]
    precise_dtz: Option<i16>,
    /// There is no mate in this game.
    dtm: (),
    checkmate: bool,
    /// The game is over and drawn.
    stalemate: bool,
    variant_win: bool,
    /// The game is over and lost.
    variant_loss: bool,
    insufficient_material: bool,
}

impl Standing {
    /// A position with its value, whose depth may be unknown.
    fn new(position: &Fen, value: Value) -> Standing {
        let depth = value.dtw().map(|Dtw(turns)| match value {
            Value::Loss(_) => -(turns as i16),
            _ => turns as i16,
        });
        let (dtw, dtz) = match position.rules.quiet_turns {
            0 => (depth, None),
            _ => (None, depth),
        };
        let is_over = position.is_over(&position.rules);
        Standing {
            category: value.wdl(),
            dtw,
            dtz,
            precise_dtz: dtz,
            dtm: (),
            checkmate: false,
            stalemate: is_over && value == Value::Draw,
            variant_win: false,
            variant_loss: is_over && value.wdl() == Wdl::Loss,
            insufficient_material: false,
        }
    }

    /// The position after a turn.
    fn after(turn: &ValuedTurn) -> Standing {
        let position = &turn.position;
        // A turn that ends the game may follow a draw by a limit of quiet turns.
        if let Some(end) = position.result(&position.rules) {
            return Standing::new(position, end);
        }
        // Under a limit of quiet turns, depths begin anew.
        let ends = position.rules.quiet_turns > 0 && !turn.turn.is_quiet();
        let before = |Dtw(depth)| Dtw(depth - 1);
        let depth = turn
            .value
            .dtw()
            .filter(|_| !ends)
            .map_or(Dtw::UNKNOWN, before);
        let value = match turn.value.wdl() {
            Wdl::Win => Value::Loss(depth),
            Wdl::Draw => Value::Draw,
            Wdl::Loss => Value::Win(depth),
        };
        Standing::new(position, value)
    }
}

/// A turn and the position after it.
#[derive(Serialize, JsonSchema)]
struct Move {
    uci: Turn,
    san: Turn,
    /// Whether it places or removes a stone.
    zeroing: bool,
    #[serde(flatten)]
    after: Standing,
    position: Fen,
}

/// A position with its turns, best first.
#[derive(Serialize, JsonSchema)]
pub struct TablebaseAnswer {
    #[serde(flatten)]
    situation: Situation,
    #[serde(flatten)]
    standing: Standing,
    #[serde(skip_serializing_if = "Option::is_none")]
    drawn_after: Option<usize>,
    moves: Vec<Move>,
}

impl TablebaseAnswer {
    fn find(database: &Database, position: &Fen) -> Result<TablebaseAnswer, DbError> {
        let probe = ProbeAnswer::find(database, position, Some(usize::MAX))?;
        let turns = probe.turns.unwrap_or_default();
        let moves = turns.iter().map(|turn| Move {
            uci: turn.turn,
            san: turn.turn,
            zeroing: !turn.turn.is_quiet(),
            after: Standing::after(turn),
            position: turn.position,
        });
        Ok(TablebaseAnswer {
            situation: probe.situation,
            standing: Standing::new(position, probe.value),
            drawn_after: probe.drawn_after,
            moves: moves.collect(),
        })
    }
}

/// A path for each set of rules with a name.
pub fn paths(services: &Services) -> Router {
    let mut paths = Router::new();
    for (name, rules) in Rules::NAMED {
        let one = async move |State(services), asked, uri, headers| {
            one(services, rules, asked, uri, headers).await
        };
        let many = async move |State(services), request| many(services, rules, request).await;
        paths = paths.route(&format!("/{name}"), get(one).post(many));
    }
    paths.with_state(services.clone())
}

/// The parameters of a question. Clients send others that are about chess.
#[derive(Deserialize)]
struct TablebaseQuery {
    fen: Option<String>,
}

async fn one(
    services: Services,
    rules: Rules,
    asked: Result<Query<TablebaseQuery>, QueryRejection>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    /// The rules are part of the address, so its answer stays true forever.
    const CACHE: &str = "public, max-age=3600";
    let Query(TablebaseQuery { fen }) = asked.map_err(|error| routes::unreadable(&error))?;
    let question = Question::about(fen).checked()?;
    let position = question.position(&rules)?;
    let searches = Topic::Probe.may_search(&question, &rules)?;
    let tag = tag::of(&services.of(rules)?, &uri);
    let find = async {
        let answer = services.work(searches, rules, move |service, stop| {
            let find = || TablebaseAnswer::find(&service.database, &position);
            Ok(json(&until(stop, find)?))
        });
        Ok(reply::reply(StatusCode::OK, reply::JSON, answer.await?))
    };
    tag::answer(tag, CACHE, &headers, find).await
}

/// Answers a position on each line of the body.
async fn many(services: Services, rules: Rules, request: Request) -> Result<Response, ApiError> {
    let mut question = Question::default();
    question.text = routes::text_of(request).await?;
    let searches = Topic::Probes.may_search(&question, &rules)?;
    let answer = services.work(searches, rules, move |service, stop| {
        let find = |position: &Fen| TablebaseAnswer::find(&service.database, position);
        Ok(until(stop, || service.each(&question, find)))
    });
    Ok(reply::reply(StatusCode::OK, reply::LINES, answer.await?))
}
