//! Accepts connections and enforces their limits: the number of connections, the size of a
//! request's head, and the time that a client may take.

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

/// The most connections at a time; the system queues further ones until one of these ends.
const MOST_CONNECTIONS: usize = 512;

/// The most bytes of a request's first line and headers.
const LARGEST_HEAD: usize = 16 << 10;

/// The most headers of a request.
const MOST_HEADERS: usize = 64;

/// The longest time for the head of a request to arrive, and between two requests.
const HEAD_TIME: Duration = Duration::from_secs(10);

/// The longest time that a client may take to accept waiting bytes.
const WRITE_TIME: Duration = Duration::from_secs(10);

/// The time that the connections have to end after the server is asked to stop.
const GRACE: Duration = Duration::from_secs(5);

/// The pause after the system failed to accept a connection, so that it can recover.
const RECOVERY: Duration = Duration::from_millis(200);

/// Answers new connections until `stop` turns true, and then finishes those that are open.
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

/// The next connection. Keeps trying if one fails or the system is out of resources.
async fn accept(listener: &TcpListener) -> TcpStream {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                // Answers are sent in one piece, so Nagle's algorithm would only delay them.
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
