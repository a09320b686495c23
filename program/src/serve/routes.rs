//! The paths of the server and their answers.

use axum::Router;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::{MethodRouter, get};
use millbase::Rules;
use millbase::service::failure::Failure;
use millbase::service::question::{Question, Service};
use millbase::service::rules::{JsonRules, RuleSets};
use serde::Serialize;
use tower_http::cors::{Any, CorsLayer};
use tower_http::trace::{DefaultMakeSpan, DefaultOnResponse, TraceLayer};
use tracing::Level;

use super::api_error::ApiError;
use super::building::{self, Builder};
use super::work::{Effort, Work};
use super::{page, reply};
use crate::{list, output};

/// All paths; with `cors`, pages of all origins may read the answers.
pub fn all(work: Work, builder: Builder, cors: bool) -> Router {
    let log = TraceLayer::new_for_http()
        .make_span_with(DefaultMakeSpan::new().level(Level::INFO))
        .on_response(DefaultOnResponse::new().level(Level::INFO));
    let build = Router::new()
        .route("/build", get(building::state).post(building::begin))
        .with_state(builder);
    let app = Router::new()
        .route("/probe", ask(for_position, Service::probe))
        .route("/rank", ask(for_position, Service::rank))
        .route("/line", ask(for_position, Service::line))
        .route("/turns", get(turns))
        .route("/game", get(game))
        .route("/play", ask(search, Service::play))
        .route("/random", ask(search, Service::random))
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

/// The question of a request, or the reason why it cannot be read.
pub type Asked = Result<Query<Question>, QueryRejection>;

/// The question of a request and the rules that it names.
pub fn read(work: &Work, asked: Asked) -> Result<(Question, Rules), ApiError> {
    let Query(question) = asked.map_err(|error| {
        let why = error.body_text();
        let why = why.trim_start_matches("Failed to deserialize query string: ");
        Failure::question(format!("the question cannot be read: {why}"))
    })?;
    let question = question.checked()?;
    let rules = question.rules(work.rules())?;
    Ok((question, rules))
}

fn reply_with(answer: &impl Serialize) -> Response {
    reply::json(StatusCode::OK, answer)
}

/// Answers GET requests with what `find` finds; the answer is written there, apart from the
/// connections.
fn ask<T: Serialize + 'static>(
    effort: fn(&Question, &Rules) -> Result<Effort, Failure>,
    find: fn(&Service, &Question) -> Result<T, Failure>,
) -> MethodRouter<Work> {
    get(async move |State(work): State<Work>, asked: Asked| {
        let (question, rules) = read(&work, asked)?;
        let effort = effort(&question, &rules)?;
        let body = work.ask(rules, effort, move |known| {
            let mut body = Vec::with_capacity(4096);
            output::json(&mut body, &find(known, &question)?)?;
            Ok(body)
        });
        Ok::<Response, ApiError>(reply::reply(StatusCode::OK, body.await?))
    })
}

/// The work for an answer about the question's position.
fn for_position(question: &Question, rules: &Rules) -> Result<Effort, Failure> {
    Ok(Effort::of(&question.position(rules)?))
}

fn search(_: &Question, _: &Rules) -> Result<Effort, Failure> {
    Ok(Effort::Search)
}

async fn turns(State(work): State<Work>, asked: Asked) -> Result<Response, ApiError> {
    let (question, rules) = read(&work, asked)?;
    Ok(reply_with(&question.turns(&rules)?))
}

async fn game(State(work): State<Work>, asked: Asked) -> Result<Response, ApiError> {
    let (question, rules) = read(&work, asked)?;
    Ok(reply_with(&question.record(&rules, work.draws())?))
}

async fn databases(State(work): State<Work>, asked: Asked) -> Result<Response, ApiError> {
    let (_, rules) = read(&work, asked)?;
    let known = work.knowledge(rules).map_err(ApiError::Failed)?;
    Ok(reply_with(&list::ListAnswer::without_paths(
        &known.database,
    )))
}

async fn rules(State(work): State<Work>, asked: Asked) -> Result<Response, ApiError> {
    let (_, rules) = read(&work, asked)?;
    Ok(reply_with(&JsonRules::from(&rules)))
}

async fn rulesets(State(work): State<Work>) -> Response {
    reply_with(&RuleSets::new(work.rules(), work.draws()))
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
    Ok(reply_with(&answer))
}
