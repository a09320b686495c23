//! Accepts connections and enforces their limits: the number of connections, in all and from one address, the size
//! of a request's head, and the time that a client may take.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::Router;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use millbase::internals::held;
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
    let open = Open::default();
    loop {
        let (stream, address) = tokio::select! {
            next = accept(&listener) => next,
            _ = stop.wait_for(|&stop| stop) => break,
        };
        let Some(place) = open.admit(address) else {
            debug!("all connections of {address} are busy");
            continue;
        };
        let place = Arc::new(place);
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(WRITE_TIME));
        let (of_requests, service) = (Arc::clone(&place), service.clone());
        let service = service_fn(move |request: Request<Incoming>| {
            of_requests.wait_since(None);
            let (place, response) = (Arc::clone(&of_requests), service.call(request));
            async move {
                let response = response.await;
                place.wait_since(Some(Instant::now()));
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

/// The open connections by their numbers.
#[derive(Clone, Default)]
struct Open(Arc<Mutex<HashMap<u64, Connection>>>);

struct Connection {
    network: IpAddr,
    /// When it began to wait for a request; `None` while one is in progress.
    waits_since: Option<Instant>,
    /// The signal on which the connection closes.
    close: Arc<Notify>,
}

/// The place of a connection, which is free again when this is dropped.
struct Slot {
    open: Open,
    number: u64,
    close: Arc<Notify>,
}

impl Open {
    /// A place for a connection of this address; `None` if it would have to wait.
    fn admit(&self, address: IpAddr) -> Option<Slot> {
        let network = network(address);
        let mut open = held(&self.0);
        let is_own = |other: &Connection| other.network == network;
        let own = open.values().filter(|other| is_own(other)).count();
        if own >= MOST_OF_ADDRESS {
            close_one(&mut open, is_own)?;
        } else if open.len() >= MOST_CONNECTIONS {
            close_one(&mut open, |_| true)?;
        }
        let number = open.keys().max().map_or(0, |last| last + 1);
        let close = Arc::new(Notify::new());
        open.insert(
            number,
            Connection {
                network,
                waits_since: Some(Instant::now()),
                close: Arc::clone(&close),
            },
        );
        Some(Slot {
            open: self.clone(),
            number,
            close,
        })
    }
}

/// Closes one of these connections: the one that has waited for a request for the longest time. `None` if none waits.
fn close_one(
    open: &mut HashMap<u64, Connection>,
    is_meant: impl Fn(&Connection) -> bool,
) -> Option<()> {
    let meant = open.iter().filter(|(_, connection)| is_meant(connection));
    let waiting = meant.filter_map(|(&number, connection)| Some((connection.waits_since?, number)));
    let (_, number) = waiting.min()?;
    open.remove(&number)?.close.notify_one();
    Some(())
}

impl Slot {
    fn wait_since(&self, time: Option<Instant>) {
        if let Some(connection) = held(&self.open.0).get_mut(&self.number) {
            connection.waits_since = time;
        }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        held(&self.open.0).remove(&self.number);
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
        let open = Open::default();
        let greedy = |part: u16| IpAddr::from([0x2001, 0xdb8, 0, 1, 0, 0, 0, part]);
        let other = IpAddr::from([192, 0, 2, 1]);
        let held: Vec<Slot> = (0..1000)
            .filter_map(|part| open.admit(greedy(part)))
            .collect();
        let first = open.admit(other).unwrap();
        let number = || super::held(&open.0).len();
        assert_eq!((held.len(), number()), (1000, MOST_OF_ADDRESS + 1));
        let is_open = |place: &Slot| super::held(&open.0).contains_key(&place.number);
        // Those that waited longest are closed.
        let left: Vec<bool> = held.iter().map(is_open).collect();
        assert!(left.iter().skip(1000 - MOST_OF_ADDRESS).all(|&left| left));
        // A connection with a request in progress stays.
        for place in &held[1000 - MOST_OF_ADDRESS..] {
            place.wait_since(None);
        }
        assert!(open.admit(greedy(1)).is_none());
        held[999].wait_since(Some(Instant::now()));
        let last = open.admit(greedy(1)).unwrap();
        assert!(!is_open(&held[999]) && is_open(&last) && is_open(&held[998]));
        // If all places are taken, somebody's idle connection makes room.
        let more = |part: u16| IpAddr::from([198, 51, (part >> 8) as u8, part as u8]);
        let more: Vec<Slot> = (0..600)
            .map(|part| open.admit(more(part)).unwrap())
            .collect();
        assert_eq!(number(), MOST_CONNECTIONS);
        assert!(!is_open(&first) && is_open(&more[599]));
        drop((held, more, first, last));
        assert_eq!(number(), 0);
    }
}
