//! The page and its files. The content security policy allows its own scripts and styles and
//! requests to this server, and nothing else.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::thread;

use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use brotli::BrotliCompress;
use brotli::enc::BrotliEncoderParams;
use millbase::internals::locked;
use millbase_page::File;

use super::api_error::ApiError;
use super::reply;
use super::services::Services;

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
                      connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'none'";

/// The file at `/`.
const PAGE: &str = "index.html";

/// The paths of the files whose addresses stay the same in all versions.
pub fn shell_paths() -> impl Iterator<Item = String> {
    let name = |name| if name == PAGE { "" } else { name };
    millbase_page::shell_names().map(move |file| format!("/{}", name(file)))
}

/// The page, or another file with such a path.
pub async fn shell(
    State(services): State<Services>,
    uri: Uri,
    asked: HeaderMap,
) -> Result<Response, ApiError> {
    let name = match uri.path() {
        "/" => PAGE,
        path => &path[1..],
    };
    let headers = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::VARY, "accept-encoding, accept-language"),
    ];
    let file = find(millbase_page::shell(), name)?;
    let fields = [
        ("{{language}}", language(&asked).to_owned()),
        ("{{stones}}", services.rules().stones.to_string()),
        ("{{origin}}", origin(&asked)),
    ];
    let fill = |text: String, (field, value): &(&str, String)| text.replace(field, value);
    let text = fields.iter().fold(file.text.to_string(), fill);
    let bytes = takes_brotli(&asked).then(|| brotli(&text, 5));
    let mut response = reply::reply(StatusCode::OK, file.kind, text);
    if let Some(bytes) = bytes.flatten() {
        set_brotli(&mut response, bytes);
    }
    Ok((headers, response).into_response())
}

/// The first language that the browser asks for and the page has, else English.
fn language(asked: &HeaderMap) -> &'static str {
    let asked = asked.get(header::ACCEPT_LANGUAGE);
    let asked = asked.and_then(|names| names.to_str().ok()).unwrap_or("");
    let mut wanted = asked.split(',').map(|name| name.trim_start().get(..2));
    let known = |name: Option<&str>| {
        let mut names = millbase_page::files().iter().map(|file| file.name);
        let path = format!("languages/{}.json", name?.to_lowercase());
        names.find(|name| *name == path)
    };
    let path = wanted.find_map(known).unwrap_or("languages/en.json");
    let (_, name) = path.split_at("languages/".len());
    name.trim_end_matches(".json")
}

/// The address of the page as the client knows it, with a slash at the end, because programs that
/// make previews of links do not resolve relative addresses. Without a host name that can stand in
/// HTML, it is only the slash.
fn origin(asked: &HeaderMap) -> String {
    let word = |name: HeaderName| asked.get(name).and_then(|value| value.to_str().ok());
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || ".:-[]".contains(letter);
    let host = word(header::HOST).filter(|host| !host.is_empty() && host.chars().all(is_plain));
    let scheme = match word(HeaderName::from_static("x-forwarded-proto")) {
        Some("https") => "https",
        _ => "http",
    };
    host.map_or("/".to_owned(), |host| format!("{scheme}://{host}/"))
}

/// The picture of the page for previews of links.
pub async fn preview() -> impl IntoResponse {
    let headers = [
        (header::CONTENT_TYPE, "image/jpeg"),
        (header::CACHE_CONTROL, "no-cache"),
    ];
    (headers, millbase_page::PREVIEW)
}

/// A file that the page loads; not found if the hash is that of another version.
pub async fn file(
    Path((hash, name)): Path<(String, String)>,
    asked: HeaderMap,
) -> Result<Response, ApiError> {
    if hash != millbase_page::hash() {
        return Err(ApiError::NoPath);
    }
    let file = find(millbase_page::files(), &name)?;
    let mut response = reply::reply(StatusCode::OK, file.kind, &*file.text);
    let headers = response.headers_mut();
    let forever = HeaderValue::from_static("public, max-age=31536000, immutable");
    headers.insert(header::CACHE_CONTROL, forever);
    if takes_brotli(&asked)
        && let Some(bytes) = compressed(file)
    {
        headers.insert(header::VARY, header::ACCEPT_ENCODING.into());
        set_brotli(&mut response, bytes);
    }
    Ok(response)
}

/// Replaces the body of a response by its form in Brotli.
fn set_brotli(response: &mut Response, bytes: Bytes) {
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("br"));
    *response.body_mut() = Body::from(bytes);
}

/// Whether a client names Brotli among the encodings that it understands, and not with the weight 0.
fn takes_brotli(asked: &HeaderMap) -> bool {
    let names = asked.get_all(header::ACCEPT_ENCODING).iter();
    let names = names.filter_map(|names| names.to_str().ok());
    names.flat_map(|names| names.split(',')).any(|name| {
        let (name, weight) = name.split_once(';').unwrap_or((name, ""));
        let weight = weight.trim().strip_prefix("q=").map(str::parse);
        name.trim() == "br" && weight != Some(Ok(0.0))
    })
}

/// The file at the best level of Brotli, a seventh smaller than with gzip. As this takes tenths of a second, a thread does it
/// at the second call: a single visitor, who keeps what he got, is not delayed by it. `None` until it has ended.
fn compressed(file: &'static File) -> Option<Bytes> {
    // How often each file was asked for, and its compressed form.
    static FILES: Mutex<BTreeMap<&str, (u64, Option<Bytes>)>> = Mutex::new(BTreeMap::new());
    let mut files = locked(&FILES);
    let (asked, bytes) = files.entry(file.name).or_default();
    *asked += 1;
    if *asked == 2 {
        thread::spawn(move || {
            let bytes = brotli(&file.text, 11);
            locked(&FILES).entry(file.name).or_default().1 = bytes;
        });
    }
    bytes.clone()
}

/// A text at a level of Brotli: 11 is the best, 5 takes a millisecond for the page.
fn brotli(text: &str, quality: i32) -> Option<Bytes> {
    let mut bytes = Vec::new();
    let how = BrotliEncoderParams {
        quality,
        ..BrotliEncoderParams::default()
    };
    BrotliCompress(&mut text.as_bytes(), &mut bytes, &how).ok()?;
    Some(bytes.into())
}

fn find(files: &'static [File], name: &str) -> Result<&'static File, ApiError> {
    let file = files.iter().find(|file| file.name == name);
    file.ok_or(ApiError::NoPath)
}
