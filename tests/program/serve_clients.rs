//! Tests of the server with many, broken, slow and malicious clients.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use crate::common::{FLYING, Random};
use crate::serve::{PATIENCE, Server, encoded};

#[test]
fn several_requests_go_over_one_connection() {
    let server = Server::start(&[]);
    let mut stream = server.connect();
    let path = format!("/probe?fen={}", encoded(FLYING.as_bytes()));
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
    let last = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    let requests = request.repeat(99) + &last;
    stream.write_all(requests.as_bytes()).unwrap();
    let mut answers = String::new();
    stream.read_to_string(&mut answers).unwrap();
    assert_eq!(answers.matches("HTTP/1.1 200 OK").count(), 100);
    let value = "\"wdl\":\"loss\",\"dtw\":26,\"source\"";
    assert_eq!(answers.matches(value).count(), 100);
}

/// A request that no honest client makes.
fn malformed(random: &mut Random) -> Vec<u8> {
    let noise = |random: &mut Random, length| -> Vec<u8> {
        (0..length).map(|_| random.below(256) as u8).collect()
    };
    let end = b"Host: localhost\r\nConnection: close\r\n\r\n";
    let whole = |head: String| [head.as_bytes(), end].concat();
    match random.below(10) {
        0 => {
            let length = random.below(3000);
            noise(random, length)
        }
        1 => {
            // Random text where a position should be.
            let length = random.below(200);
            let text = noise(random, length);
            let path = *random.pick(&["probe", "line", "turns"]);
            whole(format!("GET /{path}?fen={} HTTP/1.1\r\n", encoded(&text)))
        }
        2 => {
            // A position with a few letters changed.
            let mut text = FLYING.as_bytes().to_vec();
            for _ in 0..1 + random.below(3) {
                let at = random.below(text.len());
                text[at] = *random.pick(b"O@*/wbpmsr?0123456789- ");
            }
            whole(format!("GET /probe?fen={} HTTP/1.1\r\n", encoded(&text)))
        }
        3 => {
            let query = "x".repeat(100 << random.below(11));
            whole(format!("GET /probe?fen={query} HTTP/1.1\r\n"))
        }
        4 => {
            let value = "y".repeat(100 << random.below(11));
            whole(format!("GET /healthz HTTP/1.1\r\nX-Large: {value}\r\n"))
        }
        5 => {
            let headers = "X-Many: 1\r\n".repeat(random.below(500));
            whole(format!("GET /healthz HTTP/1.1\r\n{headers}"))
        }
        6 => {
            // Half a request.
            let request = whole("GET /probe?fen=start HTTP/1.1\r\n".to_owned());
            request[..random.below(request.len())].to_vec()
        }
        7 => {
            // An unexpected body with a wrong length.
            let length = random.below(usize::MAX);
            let head = format!("GET /healthz HTTP/1.1\r\nContent-Length: {length}\r\n");
            let body = noise(random, 1000);
            [head.as_bytes(), end, &body].concat()
        }
        8 => {
            let head = b"GET /probe?fen=start HTTP/1.1\r\nTransfer-Encoding: chunked\r\n";
            let body = noise(random, 300);
            [head.as_slice(), end, b"fffffffffffffff\r\n", &body].concat()
        }
        _ => {
            let method = *random.pick(&[
                "PUT", "DELETE", "CONNECT", "TRACE", "OPTIONS", "get", "\u{e9}", "",
            ]);
            let version = *random.pick(&["HTTP/1.1", "HTTP/9.9", "HTTP/0.9", "", "RTSP/1.0"]);
            whole(format!("{method} /probe?fen=%zz%00%ff&&&=& {version}\r\n"))
        }
    }
}

#[test]
fn a_body_that_is_encoded_wrong_is_not_called_long() {
    let server = Server::start(&[]);
    let mut stream = server.connect();
    let head = "POST /probes HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nTransfer-Encoding: chunked";
    let body = "ZZ\r\nstart\r\n0\r\n\r\n";
    write!(stream, "{head}\r\n\r\n{body}").unwrap();
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer);
    assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
    assert!(answer.contains("is not encoded right"), "{answer}");
}

#[cfg(target_os = "linux")]
#[test]
fn malformed_requests_by_the_thousand_do_no_harm() {
    const CLIENTS: u64 = 8;
    const REQUESTS: usize = 1000;
    let server = Server::start(&[]);
    let (accepted, refused) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let storm = |seed: u64| {
        let mut random = Random::new(seed);
        for _ in 0..REQUESTS {
            let request = malformed(&mut random);
            let mut stream = server.connect();
            let _ = stream.write_all(&request);
            let answer = match random.below(4) {
                // Some do not wait for the answer.
                0 => continue,
                _ => {
                    let _ = stream.shutdown(std::net::Shutdown::Write);
                    let mut answer = Vec::new();
                    let _ = stream.read_to_end(&mut answer);
                    answer
                }
            };
            if answer.is_empty() {
                continue;
            }
            let answer = String::from_utf8_lossy(&answer);
            let status = answer.split(' ').nth(1).unwrap_or_default();
            let expected = ["200", "400", "404", "405", "413", "414", "431"].contains(&status);
            let request = String::from_utf8_lossy(&request);
            assert!(expected, "{status} for {request}");
            let count = if status == "200" { &accepted } else { &refused };
            count.fetch_add(1, Relaxed);
        }
    };
    let [before, after] = [0, CLIENTS].map(|first| {
        thread::scope(|scope| {
            for seed in first..first + CLIENTS {
                let storm = &storm;
                scope.spawn(move || storm(seed));
            }
        });
        server.memory()
    });
    for count in [accepted, refused].map(AtomicUsize::into_inner) {
        assert!(count > REQUESTS / 10, "{count} of one kind");
    }
    let grown = after.saturating_sub(before);
    assert!(grown < 16 * 1024, "{before} KiB grew to {after} KiB");
    assert_eq!(server.ask("/probe", FLYING).json()["dtw"], 26);
}

#[cfg(target_os = "linux")]
#[test]
fn slow_clients_do_not_hold_up_others_and_are_let_go() {
    let server = Server::start(&[]);
    let sockets = server.sockets();
    let mut slow: Vec<TcpStream> = (0..200).map(|_| server.connect()).collect();
    for stream in &mut slow {
        let head = b"GET /healthz HTTP/1.1\r\nX-Slow: ";
        stream.write_all(head).unwrap();
    }
    // These request much and read nothing.
    let path = format!("/line?fen={}", encoded(FLYING.as_bytes()));
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n").repeat(200);
    let mut deaf: Vec<TcpStream> = (0..20).map(|_| server.connect()).collect();
    for stream in &mut deaf {
        stream.set_nonblocking(true).unwrap();
        let _ = stream.write(request.as_bytes());
    }
    assert_eq!(server.ask("/probe", FLYING).status, 200);
    assert!(server.sockets() > sockets, "answered only after the slow");
    for _ in 0..20 {
        assert_eq!(server.ask("/probe", FLYING).status, 200);
    }
    // An occasional byte does not keep a connection alive.
    let start = Instant::now();
    let drip = slow.last_mut().unwrap();
    let closed = loop {
        thread::sleep(Duration::from_millis(250));
        if drip.write_all(b"y").is_err() {
            break start.elapsed();
        }
        assert!(start.elapsed() < PATIENCE, "still connected");
    };
    assert!(closed > Duration::from_secs(5), "{closed:?}");
    // Hundreds that only connect hold up nobody either.
    let idle: Vec<TcpStream> = (0..600).map(|_| server.connect()).collect();
    let asked = Instant::now();
    assert_eq!(server.ask("/probe", FLYING).status, 200);
    assert!(asked.elapsed() < Duration::from_secs(5) && server.sockets() < sockets + 200);
    drop(idle);
    // In the end no client holds a resource, although all are still connected.
    while server.sockets() > sockets {
        assert!(start.elapsed() < PATIENCE, "still connected");
        thread::sleep(Duration::from_millis(250));
    }
    drop((slow, deaf));
}
