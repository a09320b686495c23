//! Answers as responses in JSON.

use axum::body::Body;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use millbase::service;
use serde::Serialize;

/// An answer in JSON.
pub fn json(status: StatusCode, answer: &impl Serialize) -> Response {
    reply(status, service::json(answer))
}

/// A response with a body in JSON.
pub fn reply(status: StatusCode, body: Vec<u8>) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "application/json"),
        (header::CACHE_CONTROL, "no-cache"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    (status, headers, Body::from(body)).into_response()
}
