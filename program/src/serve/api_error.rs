//! The errors of requests: the status code of each kind, and the error code and the sentence in the
//! body.

use std::path::Path;
use std::time::Duration;

use anyhow::Error;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use millbase::DbError;
use millbase::internals::service::failure::{ErrorAnswer, FailureAnswer};

use super::reply;
use crate::advice;
use crate::status::{self, Status};

/// The reason why a request has no answer.
#[derive(Debug)]
pub enum ApiError {
    /// The question was wrong, or the databases cannot answer it.
    Failed(Error),
    /// Too many questions are in progress.
    Busy,
    /// The server is building something else.
    Building,
    /// The answer would have taken longer than this.
    Late(Duration),
    /// The path does not exist.
    NoPath,
    /// The method is not that of the path.
    NoMethod,
    /// The first line and the headers are too long.
    LongHead,
    /// The request may come from a page of another origin.
    Elsewhere,
    /// This server does not start builds, or not for this request.
    MayNotBuild,
}

impl<E: Into<Error>> From<E> for ApiError {
    fn from(error: E) -> ApiError {
        ApiError::Failed(error.into())
    }
}

/// A failure for clients, who learn the name of a file but not its folder.
pub fn failure(error: &Error) -> FailureAnswer {
    status::failure_with(error, without_folder)
}

/// The sentence of a database's error for clients.
pub fn sentence(error: &DbError) -> String {
    advice::sentence(&without_folder(error))
}

fn without_folder(error: &DbError) -> DbError {
    let mut error = error.clone();
    match &mut error {
        DbError::Missing { location, .. }
        | DbError::MissingForProof { location, .. }
        | DbError::MissingPlies { location, .. } => location.folder = None,
        DbError::Corrupt { file, .. }
        | DbError::OtherRules { file, .. }
        | DbError::OtherVersion { file, .. }
        | DbError::Io { file, .. } => *file = name(file).into(),
        _ => {}
    }
    error
}

/// The name of a file, and of the bundle that it is in; the advice for it depends on how this ends.
fn name(file: &Path) -> String {
    let bundle = file.parent().filter(|parent| parent.is_file());
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    match bundle {
        Some(bundle) => format!("{name} in {}", self::name(bundle)),
        None => name.into_owned(),
    }
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
            ApiError::Busy | ApiError::Building | ApiError::Late(_) => {
                StatusCode::SERVICE_UNAVAILABLE
            }
            ApiError::NoPath => StatusCode::NOT_FOUND,
            ApiError::NoMethod => StatusCode::METHOD_NOT_ALLOWED,
            ApiError::LongHead => StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
            ApiError::Elsewhere | ApiError::MayNotBuild => StatusCode::FORBIDDEN,
        }
    }

    fn body(&self) -> ErrorAnswer {
        match self {
            ApiError::Failed(error) => ErrorAnswer {
                error: failure(error),
            },
            ApiError::Busy => ErrorAnswer::new(
                "busy",
                "the server is answering too many questions; ask again in a second",
            ),
            ApiError::Building => ErrorAnswer::new(
                "busy",
                "the server is building other databases; ask again when it has finished",
            ),
            ApiError::Late(time) => ErrorAnswer::new(
                "late",
                format!("the answer takes longer than {time:?}; ask for less, or try again later"),
            ),
            ApiError::NoPath => ErrorAnswer::new(
                "path",
                "this path does not exist; docs/FRONTENDS.md lists the paths, such as \
                 /probe?fen=POSITION",
            ),
            ApiError::NoMethod => ErrorAnswer::new(
                "method",
                "the method must be GET; paths that take a text are asked with POST, and /build also with POST and \
                 DELETE",
            ),
            ApiError::LongHead => ErrorAnswer::new(
                "invalid",
                "a request's first line and headers have at most 16 KiB, and it has at most 64 headers",
            ),
            ApiError::Elsewhere => ErrorAnswer::new(
                "forbidden",
                "this server answers at IP addresses and as localhost, and no page of another origin; start it \
                 with --public for other names, with --cors for other pages",
            ),
            ApiError::MayNotBuild => ErrorAnswer::new(
                "forbidden",
                "this request may not start or stop a build; send it to an IP address or localhost with the header \
                 'X-Millbase: build'; if other machines can reach the server, start it with --allow-build, too",
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
