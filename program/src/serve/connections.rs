//! Accepts connections and enforces their limits: the number of connections, in all and from one address, the size
//! of a request's head, and the time that a client may take.

use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

use axum::Router;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use millbase::internals::locked;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, watch};
use tokio::time::{sleep, timeout};
use tokio_io_timeout::TimeoutStream;
use tracing::{debug, warn};

/// The most connections at a time, and the most of one address. The one that has waited for a request for the
/// longest time makes room for a new one; if all have a request in progress, the new one is closed.
const MOST_CONNECTIONS: usize = 512;
const MOST_OF_ADDRESS: usize = 128;

/// The most bytes of a request's first line and headers, and the most headers, before the connection is closed without
/// a sentence. The [guard](super::guard) allows fewer.
const LARGEST_HEAD: usize = 64 << 10;
const MOST_HEADERS: usize = 256;

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
    let mut open = Open::default();
    loop {
        let (stream, address) = tokio::select! {
            next = accept(&listener) => next,
            _ = stop.wait_for(|&stop| stop) => break,
        };
        let Some(place) = open.admit(address) else {
            debug!("all connections of {address} are busy");
            continue;
        };
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(WRITE_TIME));
        let (of_requests, service) = (Arc::clone(&place), service.clone());
        let service = service_fn(move |request: Request<Incoming>| {
            *locked(&of_requests.waits_since) = None;
            let (place, response) = (Arc::clone(&of_requests), service.call(request));
            async move {
                let response = response.await;
                *locked(&place.waits_since) = Some(Instant::now());
                response
            }
        });
        let connection = http.serve_connection(TokioIo::new(Box::pin(stream)), service);
        let connection = connections.watch(connection);
        tokio::spawn(async move {
            tokio::select! {
                ended = connection => if let Err(error) = ended {
                    debug!("a connection ended: {error}");
                },
                () = place.close.notified() => debug!("an idle connection made room"),
            }
        });
    }
    drop(listener);
    if timeout(GRACE, connections.shutdown()).await.is_err() {
        warn!("connections were still open when the server ended");
    }
}

/// The open connections, perhaps with some that have ended.
#[derive(Default)]
struct Open(Vec<Weak<Connection>>);

struct Connection {
    network: IpAddr,
    /// When it began to wait for a request; `None` while one is in progress.
    waits_since: Mutex<Option<Instant>>,
    /// The signal on which the connection closes.
    close: Notify,
}

impl Open {
    /// A connection of this address, open until it is dropped; `None` if it would have to wait.
    fn admit(&mut self, address: IpAddr) -> Option<Arc<Connection>> {
        let network = network(address);
        self.0.retain(|other| other.strong_count() > 0);
        let is_own = |other: &Connection| other.network == network;
        let own = self.living().filter(|other| is_own(other)).count();
        if own >= MOST_OF_ADDRESS {
            self.close_one(is_own)?;
        } else if self.0.len() >= MOST_CONNECTIONS {
            self.close_one(|_| true)?;
        }
        let connection = Arc::new(Connection {
            network,
            waits_since: Mutex::new(Some(Instant::now())),
            close: Notify::new(),
        });
        self.0.push(Arc::downgrade(&connection));
        Some(connection)
    }

    /// Those that have not ended.
    fn living(&self) -> impl Iterator<Item = Arc<Connection>> {
        self.0.iter().filter_map(Weak::upgrade)
    }

    /// Closes one of these connections: the one that has waited for a request for the longest time. `None` if none waits.
    fn close_one(&mut self, is_meant: impl Fn(&Connection) -> bool) -> Option<()> {
        let since = |connection: &Connection| *locked(&connection.waits_since);
        let meant = self.living().filter(|connection| is_meant(connection));
        let waiting = meant.filter_map(|connection| Some((since(&connection)?, connection)));
        let (_, first) = waiting.min_by_key(|(since, _)| *since)?;
        first.close.notify_one();
        let closed = Arc::downgrade(&first);
        self.0.retain(|other| !other.ptr_eq(&closed));
        Some(())
    }
}

/// The network whose clients share a limit: a client commonly has a whole /64 of IPv6.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
        address => address,
    }
}

/// The next connection and the address of its client. Keeps trying if one fails or the system is out of resources.
async fn accept(listener: &TcpListener) -> (TcpStream, IpAddr) {
    loop {
        match listener.accept().await {
            Ok((stream, address)) => {
                // Answers are sent in one piece, so Nagle's algorithm would only delay them.
                let _ = stream.set_nodelay(true);
                return (stream, address.ip());
            }
            Err(error) => {
                debug!("a connection failed: {error}");
                sleep(RECOVERY).await;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A client that takes all the connections that it gets displaces only its own.
    #[test]
    fn idle_connections_of_the_same_address_make_room() {
        let mut open = Open::default();
        let greedy = |part: u16| IpAddr::from([0x2001, 0xdb8, 0, 1, 0, 0, 0, part]);
        let other = IpAddr::from([192, 0, 2, 1]);
        let held: Vec<Arc<Connection>> = (0..1000)
            .filter_map(|part| open.admit(greedy(part)))
            .collect();
        let first = open.admit(other).unwrap();
        let number = |open: &Open| open.living().count();
        assert_eq!((held.len(), number(&open)), (1000, MOST_OF_ADDRESS + 1));
        let is_open = |open: &Open, place| open.living().any(|other| Arc::ptr_eq(&other, place));
        // Those that waited longest are closed.
        let left: Vec<bool> = held.iter().map(|place| is_open(&open, place)).collect();
        assert!(left.iter().skip(1000 - MOST_OF_ADDRESS).all(|&left| left));
        // A connection with a request in progress stays.
        for place in &held[1000 - MOST_OF_ADDRESS..] {
            *super::locked(&place.waits_since) = None;
        }
        assert!(open.admit(greedy(1)).is_none());
        *super::locked(&held[999].waits_since) = Some(Instant::now());
        let last = open.admit(greedy(1)).unwrap();
        assert!(!is_open(&open, &held[999]) && is_open(&open, &last) && is_open(&open, &held[998]));
        // If all places are taken, somebody's idle connection makes room.
        let more = |part: u16| IpAddr::from([198, 51, (part >> 8) as u8, part as u8]);
        let more: Vec<Arc<Connection>> = (0..600)
            .map(|part| open.admit(more(part)).unwrap())
            .collect();
        assert_eq!(number(&open), MOST_CONNECTIONS);
        assert!(!is_open(&open, &first) && is_open(&open, &more[599]));
        drop((held, more, first, last));
        assert_eq!(number(&open), 0);
    }
}
