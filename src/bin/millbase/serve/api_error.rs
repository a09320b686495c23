//! What goes wrong between a request and its answer: for each kind the status code, the word and the
//! sentence of the body.

use std::time::Duration;

use anyhow::Error;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::reply;
use crate::status::{self, JsonError, Status};

/// Why a request is not answered.
#[derive(Debug)]
pub enum ApiError {
    /// The question was wrong, or the databases have no answer to it.
    Failed(Error),
    /// Too many questions are at work.
    Busy,
    /// The answer would have taken longer than this.
    Late(Duration),
    /// There is nothing at this path.
    NoPath,
    /// The paths are only read.
    NoMethod,
    /// This server starts no build, or not for this request.
    MayNotBuild,
}

impl ApiError {
    fn status(&self) -> StatusCode {
        match self {
            ApiError::Failed(error) => match status::of(error) {
                Status::Usage | Status::No => StatusCode::BAD_REQUEST,
                Status::Missing => StatusCode::NOT_FOUND,
                Status::Corrupt => StatusCode::INTERNAL_SERVER_ERROR,
                Status::Done | Status::System | Status::Stopped => StatusCode::SERVICE_UNAVAILABLE,
            },
            ApiError::Busy | ApiError::Late(_) => StatusCode::SERVICE_UNAVAILABLE,
            ApiError::NoPath => StatusCode::NOT_FOUND,
            ApiError::NoMethod => StatusCode::METHOD_NOT_ALLOWED,
            ApiError::MayNotBuild => StatusCode::FORBIDDEN,
        }
    }

    fn body(&self) -> JsonError {
        match self {
            ApiError::Failed(error) => JsonError::from(error),
            ApiError::Busy => JsonError::new(
                "busy",
                "too many questions are at work; ask again in a second".to_owned(),
            ),
            ApiError::Late(time) => JsonError::new(
                "late",
                format!("the answer takes longer than {time:?}; ask for less, or again later"),
            ),
            ApiError::NoPath => JsonError::new(
                "path",
                "there is nothing here; ask /probe?fen=, /line?fen=, /turns?fen=, /game?fen=, \
                 /play?fen=, /databases or /healthz"
                    .to_owned(),
            ),
            ApiError::NoMethod => JsonError::new(
                "method",
                "ask with GET; only /build is also asked with POST".to_owned(),
            ),
            ApiError::MayNotBuild => JsonError::new(
                "forbidden",
                "this server starts no build for this request; it must come from a page of this \
                 machine with the header 'X-Millbase: build', or the server needs --allow-build"
                    .to_owned(),
            ),
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let status = self.status();
        if status == StatusCode::INTERNAL_SERVER_ERROR
            && let ApiError::Failed(error) = &self
        {
            tracing::error!("{}", status::sentence(error));
        }
        let mut response = reply::json(status, &self.body());
        if status == StatusCode::SERVICE_UNAVAILABLE {
            let second = HeaderValue::from_static("1");
            response.headers_mut().insert(header::RETRY_AFTER, second);
        }
        response
    }
}
