//! The page at `/` and its files, which are part of the program. The content security policy allows
//! its own scripts and styles and requests to this server, and nothing else.
//!
//! The name of the folder of the files contains their common hash, so a browser never mixes cached
//! files of two versions.

use std::sync::LazyLock;

use axum::extract::Path;
use axum::http::header;
use axum::response::{Html, IntoResponse, Response};
use sha2::{Digest, Sha256};

use super::api_error::ApiError;

const HTML: &str = include_str!("page/index.html");

const SCRIPT: &str = "text/javascript; charset=utf-8";

/// The files: name, type and contents. The other files of the folder are for static hosts, see `tools/site`.
#[rustfmt::skip]
const FILES: &[(&str, &str, &str)] = &[
    ("style.css", "text/css; charset=utf-8", include_str!("page/style.css")),
    ("app.js", SCRIPT, include_str!("page/app.js")),
    ("backend.js", SCRIPT, include_str!("page/backend.js")),
    ("board.js", SCRIPT, include_str!("page/board.js")),
    ("builder.js", SCRIPT, include_str!("page/builder.js")),
    ("dom.js", SCRIPT, include_str!("page/dom.js")),
    ("editor.js", SCRIPT, include_str!("page/editor.js")),
    ("explorer.js", SCRIPT, include_str!("page/explorer.js")),
    ("game.js", SCRIPT, include_str!("page/game.js")),
    ("graph.js", SCRIPT, include_str!("page/graph.js")),
    ("hint.js", SCRIPT, include_str!("page/hint.js")),
    ("notation.js", SCRIPT, include_str!("page/notation.js")),
    ("puzzles.js", SCRIPT, include_str!("page/puzzles.js")),
    ("puzzles.json", "application/json", include_str!("page/puzzles.json")),
    ("server.js", SCRIPT, include_str!("page/server.js")),
    ("store.js", SCRIPT, include_str!("page/store.js")),
    ("strings.js", SCRIPT, include_str!("page/strings.js")),
    ("trainer.js", SCRIPT, include_str!("page/trainer.js")),
    ("tree.js", SCRIPT, include_str!("page/tree.js")),
];

/// The placeholder for the folder of the files in the HTML.
const FOLDER: &str = "{{folder}}";

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; \
                      connect-src 'self'; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'";

/// The common hash of the files, the first 16 of its digits.
static HASH: LazyLock<String> = LazyLock::new(|| {
    let mut hash = Sha256::new();
    for (name, _, text) in FILES {
        hash.update(name);
        hash.update(text);
    }
    let digits = hash.finalize();
    digits[..8]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
});

/// The page.
pub async fn html() -> impl IntoResponse {
    static TEXT: LazyLock<String> =
        LazyLock::new(|| HTML.replace(FOLDER, &format!("page/{}", *HASH)));
    let headers = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-cache"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    (headers, Html(TEXT.as_str()))
}

/// A file of the page; not found if the hash is that of another version.
pub async fn file(Path((hash, name)): Path<(String, String)>) -> Result<Response, ApiError> {
    let found = FILES.iter().find(|(known, ..)| *known == name);
    let Some((_, kind, text)) = found.filter(|_| hash == *HASH) else {
        return Err(ApiError::NoPath);
    };
    let headers = [
        (header::CONTENT_TYPE, *kind),
        (header::CACHE_CONTROL, "public, max-age=31536000, immutable"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    Ok((headers, *text).into_response())
}
