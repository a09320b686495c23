//! The paths of the server and their answers.

use axum::Router;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::get;
use millbase::Rules;
use millbase::json::failure::Failure;
use millbase::json::question::{Known, Question};
use millbase::json::rules::{JsonRules, RuleSets};
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
        .route("/probe", get(probe))
        .route("/rank", get(rank))
        .route("/line", get(line))
        .route("/turns", get(turns))
        .route("/game", get(game))
        .route("/play", get(play))
        .route("/random", get(random))
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

/// Answers a question about a position from the databases or by a search down to them.
async fn about_position<T: Serialize + 'static>(
    work: Work,
    asked: Asked,
    find: fn(&Known, &Question) -> Result<T, Failure>,
) -> Result<Response, ApiError> {
    let (question, rules) = read(&work, asked)?;
    let effort = Effort::of(&question.position(&rules)?);
    answer(&work, rules, effort, question, find).await
}

/// Answers a question; the answer is written where it is found, apart from the connections.
async fn answer<T: Serialize + 'static>(
    work: &Work,
    rules: Rules,
    effort: Effort,
    question: Question,
    find: fn(&Known, &Question) -> Result<T, Failure>,
) -> Result<Response, ApiError> {
    let body = work.ask(rules, effort, move |known| {
        let mut body = Vec::with_capacity(4096);
        output::json(&mut body, &find(known, &question)?)?;
        Ok(body)
    });
    Ok(reply::reply(StatusCode::OK, body.await?))
}

async fn probe(State(work): State<Work>, asked: Asked) -> Result<Response, ApiError> {
    about_position(work, asked, Known::probe).await
}

async fn rank(State(work): State<Work>, asked: Asked) -> Result<Response, ApiError> {
    about_position(work, asked, Known::rank).await
}

async fn line(State(work): State<Work>, asked: Asked) -> Result<Response, ApiError> {
    about_position(work, asked, Known::line).await
}

async fn play(State(work): State<Work>, asked: Asked) -> Result<Response, ApiError> {
    let (question, rules) = read(&work, asked)?;
    answer(&work, rules, Effort::Search, question, Known::play).await
}

async fn random(State(work): State<Work>, asked: Asked) -> Result<Response, ApiError> {
    let (question, rules) = read(&work, asked)?;
    answer(&work, rules, Effort::Search, question, Known::random).await
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
