//! The page and its files. The content security policy allows its own scripts and styles and
//! requests to this server, and nothing else.

use std::borrow::Cow;

use axum::extract::Path;
use axum::http::{Uri, header};
use axum::response::{IntoResponse, Response};
use millbase_page::File;

use super::api_error::ApiError;

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
                      connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'none'";

/// The paths of the files whose addresses stay the same in all versions; the first is that of the page.
pub const SHELL: [&str; 4] = ["/", "/sw.js", "/app.webmanifest", "/icon.svg"];

/// The page, or another file with such a path.
pub async fn shell(uri: Uri) -> Result<Response, ApiError> {
    let name = match uri.path() {
        "/" => "index.html",
        path => &path[1..],
    };
    let headers = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::REFERRER_POLICY, "no-referrer"),
    ];
    let response = found(millbase_page::shell(), name, "no-cache")?;
    Ok((headers, response).into_response())
}

/// A file that the page loads; not found if the hash is that of another version.
pub async fn file(Path((hash, name)): Path<(String, String)>) -> Result<Response, ApiError> {
    match hash == millbase_page::hash() {
        true => found(
            millbase_page::files(),
            &name,
            "public, max-age=31536000, immutable",
        ),
        false => Err(ApiError::NoPath),
    }
}

fn found(files: &'static [File], name: &str, cache: &'static str) -> Result<Response, ApiError> {
    let file = files.iter().find(|file| file.name == name);
    let file = file.ok_or(ApiError::NoPath)?;
    let headers = [
        (header::CONTENT_TYPE, file.kind),
        (header::CACHE_CONTROL, cache),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    Ok((headers, Cow::as_ref(&file.text)).into_response())
}
