//! Responses with a body: answers in JSON, and the files of the page.

use axum::body::Body;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use millbase::internals::service;
use serde::Serialize;

/// An answer in JSON.
pub fn json(status: StatusCode, answer: &impl Serialize) -> Response {
    reply(status, JSON, service::json(answer))
}

/// The media type of one object.
pub const JSON: &str = "application/json";

/// The media type of an object on each line.
pub const LINES: &str = "application/x-ndjson";

/// Caches keep an answer, and ask each time whether it is still right.
pub const ASK_AGAIN: &str = "no-cache";

/// A response with a body of this media type.
pub fn reply(status: StatusCode, kind: &'static str, body: impl Into<Body>) -> Response {
    let headers = [
        (header::CONTENT_TYPE, kind),
        (header::CACHE_CONTROL, ASK_AGAIN),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    (status, headers, body.into()).into_response()
}
