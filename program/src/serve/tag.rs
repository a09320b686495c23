//! The tag of an answer (`ETag`): as long as it stays, so does the answer. It follows from the
//! program, the rules, the rule for draws, the files and the question; the values in files follow
//! from the rules, so names and sizes tell files apart.

use std::future::Future;
use std::hash::{DefaultHasher, Hash, Hasher};

use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use millbase::internals::service::question::Service;

use super::api_error::ApiError;

/// The tag of the answer to a question that these databases answer.
pub fn of(service: &Service, question: &Uri) -> HeaderValue {
    let database = &service.database;
    let mut hash = DefaultHasher::new();
    env!("CARGO_PKG_VERSION").hash(&mut hash);
    database.rules().hash(&mut hash);
    service.draws.hash(&mut hash);
    database.files_hash().hash(&mut hash);
    question.to_string().hash(&mut hash);
    // Weak: an answer is the same with and without compression.
    let tag = format!("W/\"{:016x}\"", hash.finish());
    HeaderValue::from_str(&tag).expect("letters")
}

/// The answer that `find` returns, with its tag and the instruction for caches; if the client has
/// it already, only the status that says so.
pub async fn answer(
    tag: HeaderValue,
    cache: &'static str,
    headers: &HeaderMap,
    find: impl Future<Output = Result<Response, ApiError>>,
) -> Result<Response, ApiError> {
    // Compression adds this header to answers with a body.
    let vary = [(header::VARY, "accept-encoding")];
    let mut response = match is_known(&tag, headers) {
        true => (StatusCode::NOT_MODIFIED, vary).into_response(),
        false => find.await?,
    };
    let fields = response.headers_mut();
    fields.insert(header::ETAG, tag);
    fields.insert(header::CACHE_CONTROL, HeaderValue::from_static(cache));
    Ok(response)
}

/// Whether the client has the answer with this tag.
fn is_known(tag: &HeaderValue, headers: &HeaderMap) -> bool {
    let bare = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    let text = |tags: &HeaderValue| tags.to_str().unwrap_or_default().to_owned();
    let tag = bare(&text(tag));
    let known = headers.get_all(header::IF_NONE_MATCH).iter().map(text);
    let known = known.flat_map(|tags| tags.split(',').map(bare).collect::<Vec<_>>());
    known.into_iter().any(|known| known == "*" || known == tag)
}
