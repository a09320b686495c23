//! Tests of answers that depend on the load of the server: when all places are taken, or all
//! searches are running.

use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use clap::Parser;
use millbase::engine::DrawRule;
use tokio::time::timeout;
use tower::ServiceExt;

use crate::cli::Cli;

use super::building::Builder;
use super::guard::Guard;
use super::routes;
use super::services::Services;

const QUESTION: &str = "/probe?fen=********/********/O@O*O@*@%20w%20m%20s%203%200%203%200%200%200";

/// The paths of a server with the built-in databases and these limits on questions and running searches.
fn app(places: usize, running: usize) -> Router {
    let options = Cli::parse_from(["millbase", "list", "--quiet", "--db", "no-folder"]).options;
    let services = Services::new(&options, DrawRule::USUAL, places, running).unwrap();
    let builder = Builder::new(false, &services);
    routes::all(services, builder, Guard::STRICT, false)
}

#[tokio::test]
async fn questions_without_a_place_are_refused() {
    for (places, status) in [(0, StatusCode::SERVICE_UNAVAILABLE), (1, StatusCode::OK)] {
        let app = app(places, 1);
        for _ in 0..3 {
            let request = Request::get(QUESTION).body(Body::empty()).unwrap();
            let response = app.clone().oneshot(request).await.unwrap();
            assert_eq!(response.status(), status);
            let again = response.headers().contains_key(header::RETRY_AFTER);
            assert_eq!(again, places == 0);
        }
        // A path that needs no place still answers.
        let request = Request::get("/healthz").body(Body::empty()).unwrap();
        let response = app.oneshot(request).await.unwrap();
        assert_eq!(response.status(), StatusCode::OK);
    }
}

/// A search ends when its client is gone: the next one need not wait for it.
#[tokio::test(flavor = "multi_thread")]
async fn searches_of_clients_that_are_gone_end() {
    let app = app(4, 1);
    let ask = |path: &str, time| {
        let request = Request::get(path).body(Body::empty()).unwrap();
        timeout(Duration::from_millis(time), app.clone().oneshot(request))
    };
    assert!(ask("/play?fen=start&movetime=5000", 300).await.is_err());
    let next = ask("/play?fen=start&movetime=1", 3000).await;
    assert_eq!(next.unwrap().unwrap().status(), StatusCode::OK);
}

#[tokio::test]
async fn searches_hold_up_no_lookup() {
    let app = app(1, 0);
    let ask = |path: &str| {
        let request = Request::get(path).body(Body::empty()).unwrap();
        timeout(Duration::from_millis(500), app.clone().oneshot(request))
    };
    // As long as no search may begin, questions about the placing phase get no answer.
    assert!(ask("/probe?fen=start").await.is_err());
    let waiting = tokio::spawn(ask("/play?fen=start"));
    tokio::task::yield_now().await;
    // All places for searches are taken.
    let refused = ask("/random?pair=3-3&wdl=win").await.unwrap().unwrap();
    assert_eq!(refused.status(), StatusCode::SERVICE_UNAVAILABLE);
    for _ in 0..3 {
        let response = ask(QUESTION).await.unwrap().unwrap();
        assert_eq!(response.status(), StatusCode::OK);
    }
    assert!(waiting.await.unwrap().is_err());
}
