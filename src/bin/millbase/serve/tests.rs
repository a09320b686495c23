//! Answers that a running server gives only by chance: when all places are taken.

use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use millbase::Database;
use tower::ServiceExt;

use super::routes;
use super::work::Work;
use crate::databases::RULES;

const QUESTION: &str = "/probe?fen=********/********/O@O*O@*@%20w%20m%20s%203%200%203%200%200%200";

#[tokio::test]
async fn questions_without_a_place_are_refused() {
    for (places, status) in [(0, StatusCode::SERVICE_UNAVAILABLE), (1, StatusCode::OK)] {
        let app = routes::all(Work::new(Database::embedded(RULES), places), false);
        for _ in 0..3 {
            let request = Request::get(QUESTION).body(Body::empty()).unwrap();
            let response = app.clone().oneshot(request).await.unwrap();
            assert_eq!(response.status(), status);
            let again = response.headers().contains_key(header::RETRY_AFTER);
            assert_eq!(again, places == 0);
        }
        // What needs no place is answered all the same.
        let request = Request::get("/healthz").body(Body::empty()).unwrap();
        let response = app.oneshot(request).await.unwrap();
        assert_eq!(response.status(), StatusCode::OK);
    }
}
