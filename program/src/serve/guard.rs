//! Refuses requests with a long head, and those that pages elsewhere make. The browser of somebody who visits such a
//! page can reach a server on the same machine: by an address in the page (of an image, say), or by a host name that
//! its owner lets resolve to this machine (DNS rebinding).

use std::net::{Ipv4Addr, Ipv6Addr};

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::api_error::ApiError;

/// The most bytes of a request's first line and headers, and the most headers.
const LARGEST_HEAD: usize = 16 << 10;
const MOST_HEADERS: usize = 64;

/// The requests that get an answer.
#[derive(Clone, Copy)]
pub struct Guard {
    /// Whether requests under any host name get one.
    pub any_name: bool,
    /// Whether requests of pages of all origins get one.
    pub any_origin: bool,
}

/// Passes a request on if it gets an answer. A link from elsewhere to the page is fine.
pub async fn check(State(guard): State<Guard>, request: Request, next: Next) -> Response {
    let headers = request.headers();
    let bytes = headers
        .iter()
        .map(|(name, value)| name.as_str().len() + value.len());
    let bytes = bytes.sum::<usize>() + request.uri().to_string().len();
    if bytes > LARGEST_HEAD || headers.len() > MOST_HEADERS {
        return ApiError::LongHead.into_response();
    }
    let follows_link = headers
        .get("sec-fetch-mode")
        .is_some_and(|mode| mode == "navigate");
    let guard = Guard {
        any_origin: guard.any_origin || follows_link && request.uri().path() == "/",
        ..guard
    };
    match guard.lets(headers) {
        true => next.run(request).await,
        false => ApiError::Elsewhere.into_response(),
    }
}

impl Guard {
    /// Lets through only requests that no page elsewhere can cause.
    pub const STRICT: Guard = Guard {
        any_name: false,
        any_origin: false,
    };

    /// Whether a request with these headers gets an answer. Browsers always send `Host`.
    pub fn lets(self, headers: &HeaderMap) -> bool {
        let text = |value: &HeaderValue| value.to_str().unwrap_or_default().to_owned();
        let host = headers.get(header::HOST).map(text);
        let has_name = host.as_deref().is_some_and(|host| !is_address(host));
        let is_other = |origin: &HeaderValue| {
            let origin = text(origin);
            let name = origin.split_once("://").map(|(_, name)| name);
            name.is_none() || name != host.as_deref()
        };
        let is_own = |site: &HeaderValue| site == "same-origin" || site == "none";
        let of_other_page = headers.get(header::ORIGIN).is_some_and(is_other)
            || headers
                .get("sec-fetch-site")
                .is_some_and(|site| !is_own(site));
        (self.any_name || !has_name) && (self.any_origin || !of_other_page)
    }
}

/// Whether a host is an IP address or `localhost`, with or without a port: no owner of a name can direct these
/// elsewhere.
fn is_address(host: &str) -> bool {
    let port = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let name = match host.rsplit_once(':') {
        Some((name, digits)) if port(digits) => name,
        _ => host,
    };
    let inner = name
        .strip_prefix('[')
        .and_then(|name| name.strip_suffix(']'));
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<Ipv4Addr>().is_ok()
        || inner.is_some_and(|inner| inner.parse::<Ipv6Addr>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lets(headers: &[(&'static str, &str)]) -> bool {
        let headers = headers.iter().map(|&(name, value)| {
            let name = header::HeaderName::from_static(name);
            (name, HeaderValue::from_str(value).unwrap())
        });
        Guard::STRICT.lets(&headers.collect())
    }

    #[test]
    fn no_page_elsewhere_gets_an_answer() {
        for host in [
            "127.0.0.1:8024",
            "localhost",
            "LOCALHOST:1",
            "192.0.2.7",
            "[::1]:8024",
            "[::1]",
        ] {
            assert!(lets(&[("host", host)]), "{host}");
            let origin = format!("http://{host}");
            let own = [
                ("host", host),
                ("origin", &origin),
                ("sec-fetch-site", "same-origin"),
            ];
            assert!(lets(&own), "{host}");
            for other in ["null", "http://elsewhere.example", "http://localhost:3", ""] {
                assert!(
                    !lets(&[("host", host), ("origin", other)]),
                    "{host} {other}"
                );
            }
            for site in ["cross-site", "same-site"] {
                assert!(!lets(&[("host", host), ("sec-fetch-site", site)]), "{host}");
            }
        }
        for host in [
            "elsewhere.example",
            "localhost.example:80",
            "1.2.3.4.example",
            "[::1].example",
            "",
            "::1",
        ] {
            assert!(!lets(&[("host", host)]), "{host}");
        }
        assert!(lets(&[]) && lets(&[("sec-fetch-site", "none")]));
    }
}
