//! The page at `/`: one file, which may run its own script and style and ask this server, nothing
//! else.

use std::sync::LazyLock;

use axum::http::{HeaderValue, header};
use axum::response::{Html, IntoResponse, Response};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256};

const PAGE: &str = include_str!("page.html");

/// The page with the policy that the browser keeps to.
pub async fn page() -> Response {
    static POLICY: LazyLock<Option<HeaderValue>> = LazyLock::new(policy);
    let mut response = Html(PAGE).into_response();
    let headers = response.headers_mut();
    if let Some(policy) = &*POLICY {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy.clone());
    }
    for (name, value) in [
        (header::CACHE_CONTROL, "no-cache"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Names the page's script and style by their hashes, so that no other ones run.
fn policy() -> Option<HeaderValue> {
    let policy = format!(
        "default-src 'none'; script-src {}; style-src {}; img-src data:; connect-src 'self'; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        hash("script")?,
        hash("style")?,
    );
    HeaderValue::try_from(policy).ok()
}

/// The hash of what stands in the page's only element of this name, `None` if there is none.
fn hash(element: &str) -> Option<String> {
    let (_, rest) = PAGE.split_once(&format!("<{element}>"))?;
    let (content, _) = rest.split_once(&format!("</{element}>"))?;
    let hash = BASE64_STANDARD.encode(Sha256::digest(content));
    Some(format!("'sha256-{hash}'"))
}
