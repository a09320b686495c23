//! The paths of the server and their answers.

use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::rejection::QueryRejection;
use axum::extract::{DefaultBodyLimit, FromRequest, Query, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::middleware;
use axum::response::Response;
use axum::routing::get;
use millbase::Rules;
use millbase::internals::service::failure::Failure;
use millbase::internals::service::question::{self, LONGEST_TEXT, Question, Topic};
use millbase::internals::service::rules::{RuleSet, RuleSetsAnswer};
use schemars::JsonSchema;
use serde::Serialize;
use tokio::time::timeout;
use tower_http::compression::CompressionLayer;
use tower_http::cors::{Any, CorsLayer};
use tower_http::trace::{DefaultMakeSpan, DefaultOnResponse, TraceLayer};
use tracing::Level;

use super::api_error::ApiError;
use super::building::{self, Builder};
use super::guard::{self, Guard};
use super::services::Services;
use super::{page, reply, tablebase, tag};
use crate::list;

/// The longest time for the body of a request to arrive.
const BODY_TIME: Duration = Duration::from_secs(10);

/// All paths for the requests that `guard` lets through; with `cors`, pages of all origins may read the answers.
pub fn all(services: Services, builder: Builder, guard: Guard, cors: bool) -> Router {
    let log = TraceLayer::new_for_http()
        .make_span_with(DefaultMakeSpan::new().level(Level::INFO))
        .on_response(DefaultOnResponse::new().level(Level::INFO));
    let build = Router::new()
        .route(
            "/build",
            get(building::state)
                .post(building::begin)
                .delete(building::stop),
        )
        .with_state(builder);
    let mut own = Router::new()
        .route("/databases", get(databases))
        .route("/records", get(records))
        .route("/rules", get(rules))
        .route("/rulesets", get(rulesets))
        .route("/healthz", get(health))
        .route("/page/{hash}/{*file}", get(page::file))
        .route("/preview.jpg", get(page::preview));
    for path in page::shell_paths() {
        own = own.route(&path, get(page::shell));
    }
    let mut app = own.with_state(services.clone()).merge(build);
    for (name, topic) in Topic::NAMED {
        let ask = async move |State(services), asked, uri, headers| {
            ask(services, topic, asked, uri, headers).await
        };
        let send = async move |State(services), asked, request| {
            answer_about_text(services, topic, asked, request).await
        };
        let methods = match topic {
            Topic::Read | Topic::Probes => get(ask).post(send),
            _ => get(ask),
        };
        let route = Router::new().route(&format!("/{name}"), methods);
        app = app.merge(route.with_state(services.clone()));
    }
    let app = app
        .merge(tablebase::paths(&services))
        .fallback(async || ApiError::NoPath)
        .method_not_allowed_fallback(async || ApiError::NoMethod)
        .layer(middleware::from_fn_with_state(guard, guard::check))
        .layer(CompressionLayer::new())
        .layer(middleware::map_request(accept_plain))
        .layer(log);
    match cors {
        true => app.layer(CorsLayer::new().allow_origin(Any)),
        false => app,
    }
}

/// Lets every request accept an answer without compression in the last place, so that it gets one even if its
/// `Accept-Encoding` excludes all that the server has.
async fn accept_plain(mut request: Request) -> Request {
    if let Some(accepted) = request.headers_mut().get_mut(header::ACCEPT_ENCODING) {
        let text = [b"identity;q=0.001, ", accepted.as_bytes()].concat();
        if let Ok(text) = HeaderValue::from_bytes(&text) {
            *accepted = text;
        }
    }
    request
}

/// The question of a request, or the reason why it cannot be read.
pub type QuestionQuery = Result<Query<Question>, QueryRejection>;

/// The standard library's words for wrong numbers, and ours.
const NUMBERS: [(&str, &str); 3] = [
    (
        "invalid digit found in string",
        "expected a whole number, found other letters",
    ),
    (
        "cannot parse integer from empty string",
        "expected a whole number, found nothing",
    ),
    (
        "number too large to fit in target type",
        "expected a smaller number",
    ),
];

/// Parameters that cannot be read.
pub fn unreadable(error: &QueryRejection) -> Failure {
    let why = error.body_text();
    let mut why = why.replacen("Failed to deserialize query string: ", "", 1);
    for (unclear, clear) in NUMBERS {
        why = why.replace(unclear, clear);
    }
    Failure::question(format!("the question cannot be read: {why}"))
}

/// The question of a request and the rules that it names.
pub fn read(services: &Services, asked: QuestionQuery) -> Result<(Question, Rules), ApiError> {
    let Query(question) = asked.map_err(|error| unreadable(&error))?;
    let question = question.checked()?;
    let rules = question.rules(services.rules())?;
    Ok((question, rules))
}

fn reply_with(answer: &impl Serialize) -> Response {
    reply::json(StatusCode::OK, answer)
}

/// Answers the question of an address. Answers that depend on time, or hold errors, have no tag.
async fn ask(
    services: Services,
    topic: Topic,
    asked: QuestionQuery,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let (question, rules) = read(&services, asked)?;
    let tag = match topic {
        Topic::Play | Topic::Probes | Topic::Step => None,
        _ => Some(tag::of(&services.of(rules)?, &uri)),
    };
    let answer = answer(services, topic, question, rules);
    match tag {
        Some(tag) => tag::answer(tag, reply::ASK_AGAIN, &headers, answer).await,
        None => answer.await,
    }
}

async fn answer(
    services: Services,
    topic: Topic,
    question: Question,
    rules: Rules,
) -> Result<Response, ApiError> {
    let body = services.answer(topic, question, rules).await?;
    let kind = match topic {
        Topic::Probes => reply::LINES,
        _ => reply::JSON,
    };
    Ok(reply::reply(StatusCode::OK, kind, body))
}

/// Answers about a text, which is the body of the request and may be longer than an address.
async fn answer_about_text(
    services: Services,
    topic: Topic,
    asked: QuestionQuery,
    request: Request,
) -> Result<Response, ApiError> {
    let text = text_of(request).await?;
    let asked = asked.map(|Query(mut question)| {
        question.text = text;
        Query(question)
    });
    let (question, rules) = read(&services, asked)?;
    answer(services, topic, question, rules).await
}

/// The text in the body of a request.
pub async fn text_of(mut request: Request) -> Result<String, ApiError> {
    DefaultBodyLimit::max(LONGEST_TEXT).apply(&mut request);
    let body = timeout(BODY_TIME, Bytes::from_request(request, &())).await;
    let body = body.map_err(|_| {
        let seconds = BODY_TIME.as_secs();
        Failure::question(format!("the text did not arrive in {seconds} s"))
    })?;
    let body = body.map_err(|error| match error.status() {
        StatusCode::PAYLOAD_TOO_LARGE => {
            question::too_long(LONGEST_TEXT, "text of games or positions")
        }
        _ => {
            Failure::question("the request ends before its text, or the text is not encoded right")
        }
    })?;
    Ok(String::from_utf8_lossy(&body).into_owned())
}

async fn databases(
    State(services): State<Services>,
    asked: QuestionQuery,
) -> Result<Response, ApiError> {
    let (_, rules) = read(&services, asked)?;
    let service = services.of(rules)?;
    Ok(reply_with(&list::ListAnswer::without_paths(
        &service.database,
    )))
}

/// The answer to `millbase records --json` for the standard rules, as it takes too long for a question.
async fn records(
    State(services): State<Services>,
    asked: QuestionQuery,
) -> Result<Response, ApiError> {
    let (_, rules) = read(&services, asked)?;
    if rules != Rules::STANDARD {
        let sentence = "the server knows the records of the rules standard only";
        return Err(Failure::question(sentence).into());
    }
    let answer = millbase_page::RECORDS;
    Ok(reply::reply(StatusCode::OK, reply::JSON, answer))
}

async fn rules(
    State(services): State<Services>,
    asked: QuestionQuery,
) -> Result<Response, ApiError> {
    let (_, rules) = read(&services, asked)?;
    Ok(reply_with(&RuleSet::from(&rules)))
}

async fn rulesets(State(services): State<Services>) -> Response {
    reply_with(&RuleSetsAnswer::new(services.rules(), services.draws()))
}

#[derive(Serialize, JsonSchema)]
pub struct Health {
    status: &'static str,
    databases: usize,
}

async fn health(State(services): State<Services>) -> Result<Response, ApiError> {
    let service = services.of(*services.rules())?;
    let answer = Health {
        status: "ok",
        databases: service.database.pairs().count(),
    };
    Ok(reply_with(&answer))
}
