//! Accepting connections, and the bounds of each: how many there are, how large a request's head
//! may be, and how long a client may take.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::time::{sleep, timeout};
use tokio_io_timeout::TimeoutStream;
use tracing::{debug, warn};

/// The most connections at once; the system holds further ones until one of these ends.
const MOST_CONNECTIONS: usize = 512;

/// The most bytes of a request's first line and headers.
const LARGEST_HEAD: usize = 16 << 10;

/// The most headers of a request.
const MOST_HEADERS: usize = 64;

/// How long a client may take for the head of a request, and stay without one.
const HEAD_TIME: Duration = Duration::from_secs(10);

/// How long a client may take none of the bytes that wait for it.
const WRITE_TIME: Duration = Duration::from_secs(10);

/// How long the connections have to end after the server is asked to stop.
const GRACE: Duration = Duration::from_secs(5);

/// How long to wait after the system refused a connection, so that it can recover.
const RECOVERY: Duration = Duration::from_millis(200);

/// Answers the connections that come until `stop` turns true, and then those that are open.
pub async fn serve(listener: TcpListener, app: Router, mut stop: watch::Receiver<bool>) {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_buf_size(LARGEST_HEAD)
        .max_headers(MOST_HEADERS);
    let service = TowerToHyperService::new(app);
    let connections = GracefulShutdown::new();
    let places = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    loop {
        let next = async {
            let place = Arc::clone(&places).acquire_owned().await;
            (place, accept(&listener).await)
        };
        let (place, stream) = tokio::select! {
            next = next => next,
            _ = stop.wait_for(|&stop| stop) => break,
        };
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(WRITE_TIME));
        let connection = http.serve_connection(TokioIo::new(Box::pin(stream)), service.clone());
        let connection = connections.watch(connection);
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                debug!("a connection ended: {error}");
            }
            drop(place);
        });
    }
    drop(listener);
    if timeout(GRACE, connections.shutdown()).await.is_err() {
        warn!("connections were still open when the server ended");
    }
}

/// The next connection. That one fails, or that the system has no room for it, is no reason to end.
async fn accept(listener: &TcpListener) -> TcpStream {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                // Answers are one piece; waiting for more only delays them.
                let _ = stream.set_nodelay(true);
                return stream;
            }
            Err(error) => {
                debug!("a connection failed: {error}");
                sleep(RECOVERY).await;
            }
        }
    }
}
