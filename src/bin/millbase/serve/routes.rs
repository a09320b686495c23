//! The paths of the server and their answers.

use anyhow::Result;
use axum::Router;
use axum::body::Body;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use millbase::{Database, Position, Rules};
use serde::{Deserialize, Serialize};
use tower_http::cors::{Any, CorsLayer};
use tower_http::trace::{DefaultMakeSpan, DefaultOnResponse, TraceLayer};
use tracing::Level;

use super::page;
use super::refusal::Refusal;
use super::work::{Effort, Work};
use crate::rules::JsonRules;
use crate::status::Usage;
use crate::{input, line, list, output, probe};

/// The most bytes of a position's text.
const LONGEST_POSITION: usize = 1024;

/// The most turns of a line.
const LONGEST_LINE: usize = 1000;

/// All paths; with `cors` pages from everywhere may read the answers.
pub fn all(work: Work, cors: bool) -> Router {
    let log = TraceLayer::new_for_http()
        .make_span_with(DefaultMakeSpan::new().level(Level::INFO))
        .on_response(DefaultOnResponse::new().level(Level::INFO));
    let app = Router::new()
        .route("/probe", get(probe))
        .route("/line", get(line))
        .route("/turns", get(turns))
        .route("/databases", get(databases))
        .route("/rules", get(rules))
        .route("/healthz", get(health))
        .route("/", get(page::page))
        .fallback(async || Refusal::NoPath)
        .method_not_allowed_fallback(async || Refusal::NoMethod)
        .with_state(work)
        .layer(log);
    match cors {
        true => app.layer(CorsLayer::new().allow_origin(Any)),
        false => app,
    }
}

/// An answer in JSON.
pub fn json(status: StatusCode, answer: &impl Serialize) -> Response {
    let mut body = Vec::with_capacity(4096);
    match output::json(&mut body, answer) {
        Ok(()) => reply(status, body),
        Err(error) => {
            tracing::error!("cannot write an answer: {error}");
            StatusCode::SERVICE_UNAVAILABLE.into_response()
        }
    }
}

/// A response with a body in JSON.
fn reply(status: StatusCode, body: Vec<u8>) -> Response {
    let mut response = (status, Body::from(body)).into_response();
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_TYPE, "application/json"),
        (header::CACHE_CONTROL, "no-cache"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// What is asked.
#[derive(Deserialize)]
struct Question {
    fen: String,
    /// The most turns of a line.
    limit: Option<usize>,
}

/// The question of a request, or why there is none.
type Asked = Result<Query<Question>, QueryRejection>;

impl Question {
    fn of(asked: Asked) -> Result<Question> {
        let Query(question) = asked.map_err(|error| {
            Usage(format!(
                "the question cannot be read: {}; ask like /probe?fen=start, with the position \
                 percent-encoded",
                error.body_text()
            ))
        })?;
        if question.fen.len() > LONGEST_POSITION {
            let message = format!("a text of more than {LONGEST_POSITION} bytes is not a position");
            return Err(Usage(message).into());
        }
        Ok(question)
    }

    fn position(&self, rules: &Rules) -> Result<Position> {
        Ok(input::position(&self.fen, rules)?)
    }
}

/// Answers a question about a position with what the databases say, or a search to them.
async fn answer<T: Serialize + 'static>(
    work: &Work,
    asked: Asked,
    find: fn(&Database, &Position, &Question) -> Result<T>,
) -> Result<Response, Refusal> {
    let question = Question::of(asked).map_err(Refusal::Failed)?;
    let position = question.position(work.database().rules());
    let position = position.map_err(Refusal::Failed)?;
    let effort = match position.is_placing() {
        true => Effort::Search,
        false => Effort::Lookup,
    };
    let body = work.ask(effort, move |db| {
        let mut body = Vec::with_capacity(4096);
        output::json(&mut body, &find(db, &position, &question)?)?;
        Ok(body)
    });
    Ok(reply(StatusCode::OK, body.await?))
}

async fn probe(State(work): State<Work>, asked: Asked) -> Result<Response, Refusal> {
    answer(&work, asked, |db, position, _| {
        Ok(probe::Answer::find(db, position)?.json())
    })
    .await
}

async fn line(State(work): State<Work>, asked: Asked) -> Result<Response, Refusal> {
    answer(&work, asked, |db, position, question| {
        let limit = question.limit.unwrap_or(LONGEST_LINE).min(LONGEST_LINE);
        let value = millbase::answer(db, position)?.value;
        let line = millbase::answer::line(db, position, limit)?;
        Ok(line::Answer::new(position, value, &line, db.rules()))
    })
    .await
}

/// The legal turns of a position, which need no database.
#[derive(Serialize)]
struct Turns {
    position: String,
    side_to_move: &'static str,
    phase: &'static str,
    turns: Vec<Turn>,
}

#[derive(Serialize)]
struct Turn {
    turn: String,
    position: String,
}

async fn turns(State(work): State<Work>, asked: Asked) -> Result<Response, Refusal> {
    let question = Question::of(asked).map_err(Refusal::Failed)?;
    let rules = work.database().rules();
    let position = question.position(rules).map_err(Refusal::Failed)?;
    let turns = position.turns(rules).into_iter().map(|turn| Turn {
        turn: turn.to_string(),
        position: position.after(turn).text(rules),
    });
    let answer = Turns {
        position: position.text(rules),
        side_to_move: position.side_to_move().name(),
        phase: position.phase(rules).name(),
        turns: turns.collect(),
    };
    Ok(json(StatusCode::OK, &answer))
}

async fn databases(State(work): State<Work>) -> Response {
    json(
        StatusCode::OK,
        &list::Answer::without_paths(work.database()),
    )
}

async fn rules(State(work): State<Work>) -> Response {
    json(StatusCode::OK, &JsonRules::from(work.database().rules()))
}

#[derive(Serialize)]
struct Health {
    status: &'static str,
    databases: usize,
}

async fn health(State(work): State<Work>) -> Response {
    let answer = Health {
        status: "ok",
        databases: work.database().pairs().count(),
    };
    json(StatusCode::OK, &answer)
}
