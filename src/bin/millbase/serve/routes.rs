//! The paths of the server, and the answers about positions, databases and rules.

use anyhow::Result;
use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::get;
use millbase::{Database, Position, Rules};
use serde::Serialize;
use tower_http::cors::{Any, CorsLayer};
use tower_http::trace::{DefaultMakeSpan, DefaultOnResponse, TraceLayer};
use tracing::Level;

use super::api_error::ApiError;
use super::building::{self, Builder};
use super::question::{Asked, Question};
use super::reply::{self, JsonLegal};
use super::work::{Effort, Work};
use super::{game, page, study};
use crate::rules::JsonRules;
use crate::{line, list, output, probe};

/// The most turns of a line.
const LONGEST_LINE: usize = 1000;

/// All paths; with `cors`, pages of all origins may read the answers.
pub fn all(work: Work, builder: Builder, cors: bool) -> Router {
    let log = TraceLayer::new_for_http()
        .make_span_with(DefaultMakeSpan::new().level(Level::INFO))
        .on_response(DefaultOnResponse::new().level(Level::INFO));
    let build = Router::new()
        .route("/build", get(building::state).post(building::begin))
        .with_state(builder);
    let app = Router::new()
        .route("/probe", get(probe))
        .route("/rank", get(study::rank))
        .route("/line", get(line))
        .route("/turns", get(turns))
        .route("/game", get(game::game))
        .route("/play", get(game::play))
        .route("/random", get(study::random))
        .route("/databases", get(databases))
        .route("/rules", get(rules))
        .route("/rulesets", get(rulesets))
        .route("/healthz", get(health))
        .route("/", get(page::html))
        .route("/page/{hash}/{file}", get(page::file))
        .with_state(work)
        .merge(build)
        .fallback(async || ApiError::NoPath)
        .method_not_allowed_fallback(async || ApiError::NoMethod)
        .layer(log);
    match cors {
        true => app.layer(CorsLayer::new().allow_origin(Any)),
        false => app,
    }
}

/// Answers a question about a position from the databases or by a search down to them.
async fn answer<T: Serialize + 'static>(
    work: &Work,
    asked: Asked,
    find: fn(&Database, &Position, &Question) -> Result<T>,
) -> Result<Response, ApiError> {
    let question = Question::of(asked).map_err(ApiError::Failed)?;
    let rules = question.rules(work.rules()).map_err(ApiError::Failed)?;
    let position = question.position(&rules).map_err(ApiError::Failed)?;
    let body = work.ask(rules, Effort::of(&position), move |known| {
        let mut body = Vec::with_capacity(4096);
        output::json(&mut body, &find(&known.database, &position, &question)?)?;
        Ok(body)
    });
    Ok(reply::reply(StatusCode::OK, body.await?))
}

async fn probe(State(work): State<Work>, asked: Asked) -> Result<Response, ApiError> {
    answer(&work, asked, |db, position, _| {
        Ok(probe::Probed::with_all_turns(db, position)?.json())
    })
    .await
}

async fn line(State(work): State<Work>, asked: Asked) -> Result<Response, ApiError> {
    answer(&work, asked, |db, position, question| {
        let limit = question.limit.unwrap_or(LONGEST_LINE).min(LONGEST_LINE);
        let answer = db.answer(position)?;
        let line = db.line(position, limit)?;
        Ok(line::LineAnswer::new(position, &answer, &line, db.rules()))
    })
    .await
}

/// The legal turns of a position, which need no database.
#[derive(Serialize)]
struct Turns {
    position: String,
    side_to_move: &'static str,
    phase: &'static str,
    turns: Vec<JsonLegal>,
}

async fn turns(State(work): State<Work>, asked: Asked) -> Result<Response, ApiError> {
    let question = Question::of(asked).map_err(ApiError::Failed)?;
    let rules = question.rules(work.rules()).map_err(ApiError::Failed)?;
    let position = question.position(&rules).map_err(ApiError::Failed)?;
    let answer = Turns {
        position: position.text(&rules),
        side_to_move: position.side_to_move().name(),
        phase: position.phase(&rules).name(),
        turns: reply::legal(&position, &rules),
    };
    Ok(reply::json(StatusCode::OK, &answer))
}

async fn databases(State(work): State<Work>, asked: Asked) -> Result<Response, ApiError> {
    let question = Question::of(asked).map_err(ApiError::Failed)?;
    let rules = question.rules(work.rules()).map_err(ApiError::Failed)?;
    let known = work.knowledge(rules).map_err(ApiError::Failed)?;
    let answer = list::ListAnswer::without_paths(&known.database);
    Ok(reply::json(StatusCode::OK, &answer))
}

async fn rules(State(work): State<Work>, asked: Asked) -> Result<Response, ApiError> {
    let question = Question::of(asked).map_err(ApiError::Failed)?;
    let rules = question.rules(work.rules()).map_err(ApiError::Failed)?;
    Ok(reply::json(StatusCode::OK, &JsonRules::from(&rules)))
}

/// The sets of rules that questions can name.
#[derive(Serialize)]
struct RuleSets {
    /// The rules of questions that name none.
    own: JsonRules,
    named: Vec<JsonRules>,
    draws: JsonDraws,
}

/// The rules about draws; 0 means never.
#[derive(Serialize)]
struct JsonDraws {
    repetitions: u32,
    quiet_turns: u32,
}

async fn rulesets(State(work): State<Work>) -> Response {
    let draws = work.draws();
    let named = Rules::NAMED.iter();
    let answer = RuleSets {
        own: JsonRules::from(work.rules()),
        named: named.map(|(_, rules)| JsonRules::from(rules)).collect(),
        draws: JsonDraws {
            repetitions: draws.repetitions,
            quiet_turns: draws.quiet_turns,
        },
    };
    reply::json(StatusCode::OK, &answer)
}

#[derive(Serialize)]
struct Health {
    status: &'static str,
    databases: usize,
}

async fn health(State(work): State<Work>) -> Result<Response, ApiError> {
    let known = work.knowledge(*work.rules()).map_err(ApiError::Failed)?;
    let answer = Health {
        status: "ok",
        databases: known.database.pairs().count(),
    };
    Ok(reply::json(StatusCode::OK, &answer))
}
