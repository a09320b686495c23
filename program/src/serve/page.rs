//! The page at `/` and its files. The content security policy allows its own scripts and styles and
//! requests to this server, and nothing else.

use axum::extract::Path;
use axum::http::header;
use axum::response::{Html, IntoResponse, Response};

use super::api_error::ApiError;

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; \
                      connect-src 'self'; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'";

/// The page.
pub async fn html() -> impl IntoResponse {
    let headers = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-cache"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    (headers, Html(millbase_page::html()))
}

/// A file of the page; not found if the hash is that of another version.
pub async fn file(Path((hash, name)): Path<(String, String)>) -> Result<Response, ApiError> {
    let mut files = millbase_page::FILES.iter();
    let file = files
        .find(|file| file.name == name && hash == millbase_page::hash())
        .ok_or(ApiError::NoPath)?;
    let headers = [
        (header::CONTENT_TYPE, file.kind),
        (header::CACHE_CONTROL, "public, max-age=31536000, immutable"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    Ok((headers, file.text).into_response())
}
