//! The server as its clients see it: answers, errors, limits, what it does with clients that are
//! broken, slow or malicious, and how it ends.
#![cfg(feature = "cli")]

mod common;
mod plain;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use common::Random;
use millbase::{Position, Rules};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

/// White is to move and loses in 26.
const FLYING: &str = "********/********/O@O*O@*@ w m s 3 0 3 0 0 0";
/// White has four stones and no turn.
const BLOCKED: &str = "********/@*****@*/OO@**@OO w o ? 4 0 4 0 0 0";
/// White has closed a mill and has to remove a stone.
const REMOVAL: &str = "********/@*****@*/OO@**@*O w m r 3 0 4 0 1 0";
/// Six stones against four: not among the built-in pairs.
const LARGER: &str = "OOO*****/O*O**O**/@*@**@*@ w m s 6 0 4 0 0 0";

/// The program with its home in a folder.
fn program(home: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_millbase"));
    command.args(args).current_dir(home).env("HOME", home);
    for variable in ["MILLBASE_DB", "NO_COLOR", "XDG_DATA_HOME"] {
        command.env_remove(variable);
    }
    command
}

/// A server in an empty folder, which ends with the test.
struct Server {
    child: Child,
    address: SocketAddr,
    home: TempDir,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    fn start(args: &[&str]) -> Server {
        Server::start_in(TempDir::new().unwrap(), args)
    }

    fn start_in(home: TempDir, args: &[&str]) -> Server {
        let mut child = program(home.path(), &["serve", "--json", "--listen", "127.0.0.1:0"])
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        out.read_line(&mut line).unwrap();
        let ready: Json = serde_json::from_str(&line).unwrap();
        assert_eq!(ready["version"], 1);
        let address = ready["listening"].as_str().unwrap();
        let address = address.strip_prefix("http://").unwrap();
        let address = address.strip_suffix('/').unwrap().parse().unwrap();
        Server {
            child,
            address,
            home,
        }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        let patience = Some(Duration::from_secs(30));
        stream.set_read_timeout(patience).unwrap();
        stream.set_write_timeout(patience).unwrap();
        stream
    }

    /// What comes back for these bytes, until the server closes the connection.
    fn exchange(&self, request: &[u8]) -> Vec<u8> {
        let mut stream = self.connect();
        // A server that has seen enough closes before it has read all.
        let _ = stream.write_all(request);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        answer
    }

    fn request(&self, method: &str, path: &str) -> Reply {
        let text = format!("{method} {path} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n");
        Reply::read(&self.exchange(text.as_bytes()))
    }

    fn get(&self, path: &str) -> Reply {
        self.request("GET", path)
    }

    fn ask(&self, path: &str, position: &str) -> Reply {
        self.get(&format!("{path}?fen={}", encoded(position.as_bytes())))
    }

    /// The memory in use, in KiB.
    fn memory(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:"));
        let words = line.unwrap().split_whitespace();
        words.rev().nth(1).unwrap().parse().unwrap()
    }

    /// How many sockets are open.
    fn sockets(&self) -> usize {
        let files = fs::read_dir(format!("/proc/{}/fd", self.child.id())).unwrap();
        let targets = files.filter_map(|file| fs::read_link(file.ok()?.path()).ok());
        let sockets = targets.filter(|target| target.to_string_lossy().starts_with("socket:"));
        sockets.count()
    }

    fn signal(&self) {
        let kill = Command::new("kill")
            .arg(self.child.id().to_string())
            .status();
        assert!(kill.unwrap().success());
    }
}

/// Percent-encoded, byte by byte.
fn encoded(text: &[u8]) -> String {
    text.iter().map(|byte| format!("%{byte:02x}")).collect()
}

/// An answer of the server.
struct Reply {
    status: u16,
    head: String,
    body: String,
}

impl Reply {
    fn read(bytes: &[u8]) -> Reply {
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").expect("an answer");
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Reply {
            status,
            head: head.to_lowercase(),
            body: body.to_owned(),
        }
    }

    fn json(&self) -> Json {
        assert!(self.head.contains("\r\ncontent-type: application/json"));
        let json: Json = serde_json::from_str(&self.body).unwrap();
        assert_eq!(json["version"], 1);
        json
    }

    /// Checks that it is an error in the common form.
    fn fails_with(&self, status: u16, code: &str, words: &str) {
        assert_eq!(self.status, status, "{}", self.body);
        let error = &self.json()["error"];
        assert_eq!(error["code"], code);
        let message = error["message"].as_str().unwrap();
        assert!(message.contains(words), "'{words}' in: {message}");
    }
}

#[test]
fn answers_are_those_of_the_commands() {
    let server = Server::start(&[]);
    let run = |args: &[&str]| {
        let output = program(server.home.path(), args).output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    };
    for position in [FLYING, BLOCKED, REMOVAL] {
        let reply = server.ask("/probe", position);
        assert_eq!(reply.status, 200);
        assert_eq!(reply.body, run(&["probe", "--json", position]));
        let reply = server.ask("/line", position);
        assert_eq!(reply.status, 200);
        assert_eq!(reply.body, run(&["line", "--json", position]));
    }
    let flying = server.ask("/probe", FLYING).json();
    assert_eq!(
        (&flying["wdl"], &flying["dtw"]),
        (&json!("loss"), &json!(26))
    );
    // Plus signs are spaces, and a line may be shortened.
    let reply = server.get(&format!("/line?limit=3&fen={}", FLYING.replace(' ', "+")));
    assert_eq!(reply.body, run(&["line", "--json", "--limit", "3", FLYING]));

    let databases = server.get("/databases").json();
    let mut listed: Json = serde_json::from_str(&run(&["list", "--json"])).unwrap();
    listed["folder"] = Json::Null;
    assert_eq!(databases, listed);
    assert_eq!(databases["databases"].as_array().unwrap().len(), 28);
    let health = json!({ "version": 1, "status": "ok", "databases": 6 });
    assert_eq!(server.get("/healthz").json(), health);
}

/// The client in docs/FRONTENDS.md is run as it stands there.
#[test]
fn the_documented_client_plays_to_the_end() {
    let text = include_str!("../docs/FRONTENDS.md");
    let (_, text) = text.split_once("### A complete client").unwrap();
    let (_, text) = text.split_once("```python\n").unwrap();
    let (client, _) = text.split_once("```").unwrap();
    let server = Server::start(&[]);
    let client = client.replace("127.0.0.1:8024", &server.address.to_string());
    let Ok(output) = Command::new("python3").args(["-c", &client]).output() else {
        // Not by a macro, whose text the test harness would hold back.
        let _ = std::io::stderr().write_all(b"skipped, because there is no python3\n");
        return;
    };
    let lines = String::from_utf8(output.stdout).unwrap();
    assert_eq!(lines.lines().count(), 21, "{lines}");
    assert_eq!(lines.lines().next(), Some("white: a1-e4 win in 21"));
    assert!(lines.trim_end().ends_with("win in 1"), "{lines}");
}

#[test]
fn the_rules_are_those_of_the_option() {
    let server = Server::start(&["--rules", "morabaraba"]);
    let rules = server.get("/rules").json();
    assert_eq!(rules["name"], "morabaraba");
    assert_eq!(
        (&rules["stones"], &rules["diagonals"]),
        (&json!(12), &json!(true))
    );
    assert_eq!(rules["full_board"], "draws");
    let start = server.ask("/turns", "start").json();
    assert_eq!(
        start["position"],
        Position::start(&Rules::MORABARABA).text(&Rules::MORABARABA)
    );
    // Along a diagonal.
    let walking = "*O*O*O*O/********/@*@*@*** w m s 4 0 3 0 0 0";
    let answer = server.ask("/turns", walking).json();
    let turns = answer["turns"].as_array().unwrap();
    assert!(
        turns.iter().any(|turn| turn["turn"] == "e5-f6"),
        "{turns:?}"
    );
    assert_eq!(server.get("/databases").json()["rules"], {
        let mut fields = rules.clone();
        fields.as_object_mut().unwrap().remove("version");
        fields
    });
    assert_eq!(server.ask("/probe", FLYING).status, 404);

    let standard = Server::start(&[]);
    assert_eq!(standard.get("/rules").json()["name"], "standard");
    assert_eq!(standard.ask("/probe", FLYING).status, 200);
}

#[test]
fn legal_turns_need_no_database() {
    let server = Server::start(&[]);
    let rules = Rules::STANDARD;
    let plain_rules = common::plain_rules(&rules);
    let mut random = Random::new(6);
    let mut positions = vec![Position::start(&rules)];
    positions.extend(
        [FLYING, BLOCKED, REMOVAL, LARGER].map(|text| Position::parse(text, &rules).unwrap()),
    );
    // And a random game from the first stone on.
    let mut position = Position::start(&rules);
    for _ in 0..60 {
        let turns = position.turns(&rules);
        if turns.is_empty() {
            break;
        }
        position = position.after(*random.pick(&turns));
        positions.push(position);
    }
    for position in positions {
        let answer = server.ask("/turns", &position.text(&rules)).json();
        assert_eq!(answer["position"], position.text(&rules));
        assert_eq!(answer["side_to_move"], position.side_to_move().name());
        assert_eq!(answer["phase"], position.phase(&rules).name());
        let turns = answer["turns"].as_array().unwrap();
        let texts: Vec<&str> = turns
            .iter()
            .map(|turn| turn["turn"].as_str().unwrap())
            .collect();
        let plain = common::plain_position(&position);
        let mut expected: Vec<String> = plain
            .turns(&plain_rules)
            .iter()
            .map(|turn| turn.to_string())
            .collect();
        expected.sort();
        assert_eq!(texts, expected);
        for turn in turns {
            let after = turn["position"].as_str().unwrap();
            assert!(Position::parse(after, &rules).is_ok(), "{after}");
        }
    }
}

#[test]
fn errors_have_a_status_a_code_and_a_sentence() {
    let server = Server::start(&[]);
    for path in ["/probe", "/line", "/turns"] {
        server
            .ask(path, "nonsense")
            .fails_with(400, "invalid", "the board has 8 characters");
        server
            .ask(path, &"*".repeat(2000))
            .fails_with(400, "invalid", "1024 bytes");
        server
            .get(path)
            .fails_with(400, "invalid", "/probe?fen=start");
        server
            .get(&format!("{path}?fen=a&fen=b"))
            .fails_with(400, "invalid", "duplicate");
        server
            .get(&format!("{path}?fen=%ff"))
            .fails_with(400, "invalid", "");
        server
            .request("POST", path)
            .fails_with(405, "method", "GET");
    }
    server
        .get("/line?fen=start&limit=-1")
        .fails_with(400, "invalid", "limit");
    for path in ["/probe", "/line"] {
        server
            .ask(path, LARGER)
            .fails_with(404, "missing", "millbase build --pair");
        server
            .get(&format!("{path}?fen=start"))
            .fails_with(404, "missing", "");
    }
    for path in ["/x", "/probe/", "/page.html", "//", "/../etc/passwd", "*"] {
        server.get(path).fails_with(404, "path", "/healthz");
    }
    let head = server.request("HEAD", "/healthz");
    assert_eq!((head.status, head.body.as_str()), (200, ""));
}

#[test]
fn a_corrupted_file_is_the_servers_fault() {
    let home = TempDir::new().unwrap();
    let folder = home.path().join("db");
    fs::create_dir(&folder).unwrap();
    let original = concat!(env!("CARGO_MANIFEST_DIR"), "/db/3-3.mill");
    let mut bytes = fs::read(original).unwrap();
    // The header stays, which is checked when the file is opened.
    for byte in bytes.iter_mut().skip(4096).step_by(64) {
        *byte ^= 0x55;
    }
    fs::write(folder.join("3-3.mill"), bytes).unwrap();
    let server = Server::start_in(home, &["--log", "off"]);
    server
        .ask("/probe", FLYING)
        .fails_with(500, "corrupt", "3-3.mill");
    let other = "*******O/*@O*OO**/*@@***** w m s 4 0 3 0 0 0";
    assert_eq!(server.get("/healthz").status, 200);
    server.ask("/turns", other).json();
}

#[test]
fn pages_of_others_read_answers_only_where_it_is_allowed() {
    let ask = |server: &Server| {
        let request = "GET /healthz HTTP/1.1\r\nHost: test\r\nOrigin: http://other.example\r\nConnection: close\r\n\r\n";
        Reply::read(&server.exchange(request.as_bytes())).head
    };
    let header = "access-control-allow-origin";
    assert!(!ask(&Server::start(&[])).contains(header));
    assert!(ask(&Server::start(&["--cors"])).contains(&format!("{header}: *")));
}

#[test]
fn the_page_may_do_nothing_but_ask_its_server() {
    let server = Server::start(&[]);
    let page = server.get("/");
    assert_eq!(page.status, 200);
    assert!(page.head.contains("content-type: text/html; charset=utf-8"));
    let policy = page
        .head
        .lines()
        .find(|line| line.starts_with("content-security-policy: "));
    let policy = policy.unwrap();
    assert!(policy.contains("default-src 'none'") && policy.contains("connect-src 'self'"));
    assert!(!policy.contains("unsafe") && !policy.contains("http"));
    // One file: nothing is fetched from elsewhere, nothing escapes the hashes.
    for word in ["src=", "@import", "url(", " style=", " onclick="] {
        assert!(!page.body.contains(word), "{word}");
    }
    let addresses = page.body.matches("://").count();
    let drawing = page.body.matches("://www.w3.org/2000/svg").count();
    assert_eq!(addresses, drawing);
}

#[test]
fn only_this_machine_is_served_unless_told_otherwise() {
    let home = TempDir::new().unwrap();
    let fails = |args: &[&str], status: i32, words: &str| {
        let output = program(home.path(), args).output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(status), "{err}");
        assert!(
            err.starts_with("error: ") && err.lines().count() == 1,
            "{err}"
        );
        assert!(err.contains(words), "{err}");
        assert!(output.stdout.is_empty());
    };
    for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:80"] {
        fails(&["serve", "--listen", address], 2, "--public");
    }
    fails(&["serve", "--listen", "nowhere"], 2, "nowhere");
    fails(&["serve", "--in-flight", "0"], 2, "in-flight");
    let server = Server::start(&[]);
    let taken = server.address.to_string();
    fails(&["serve", "--listen", &taken], 5, &taken);
    let mut public = program(home.path(), &["serve", "--listen", "0.0.0.0:0", "--public"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(public.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    public.kill().unwrap();
    public.wait().unwrap();
    assert!(line.starts_with("listening on http://0.0.0.0:"), "{line}");
}

#[test]
fn a_signal_ends_the_server_gracefully() {
    let mut server = Server::start(&["--log", "info"]);
    // One client has been answered and keeps its connection, another is in the middle of asking.
    let mut idle = server.connect();
    idle.write_all(b"GET /healthz HTTP/1.1\r\nHost: test\r\n\r\n")
        .unwrap();
    let mut start = [0; 12];
    idle.read_exact(&mut start).unwrap();
    assert_eq!(&start, b"HTTP/1.1 200");
    let mut asking = server.connect();
    asking.write_all(b"GET /heal").unwrap();
    thread::sleep(Duration::from_millis(100));
    server.signal();
    let asked = Instant::now();
    let status = server.child.wait().unwrap();
    assert_eq!(status.code(), Some(0));
    assert!(asked.elapsed() < Duration::from_secs(10));
    assert!(TcpStream::connect(server.address).is_err());
    // The log has a line for the request that was made.
    let mut log = String::new();
    server
        .child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut log)
        .unwrap();
    assert!(
        log.lines()
            .any(|line| line.contains("/healthz") && line.contains("200")),
        "{log}"
    );
}

#[test]
fn several_requests_go_over_one_connection() {
    let server = Server::start(&[]);
    let mut stream = server.connect();
    let path = format!("/probe?fen={}", encoded(FLYING.as_bytes()));
    let request = format!("GET {path} HTTP/1.1\r\nHost: test\r\n\r\n");
    let last = format!("GET {path} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n");
    stream
        .write_all((request.repeat(99) + &last).as_bytes())
        .unwrap();
    let mut answers = String::new();
    stream.read_to_string(&mut answers).unwrap();
    assert_eq!(answers.matches("HTTP/1.1 200 OK").count(), 100);
    assert_eq!(
        answers
            .matches("\"wdl\":\"loss\",\"dtw\":26,\"source\"")
            .count(),
        100
    );
}

/// A request that no honest client makes.
fn malformed(random: &mut Random) -> Vec<u8> {
    let noise = |random: &mut Random, length| -> Vec<u8> {
        (0..length).map(|_| random.below(256) as u8).collect()
    };
    let end = b"Host: test\r\nConnection: close\r\n\r\n";
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
            let head = format!("GET /{path}?fen={} HTTP/1.1\r\n", encoded(&text));
            [head.as_bytes(), end].concat()
        }
        2 => {
            // A position with a few letters changed.
            let mut text = FLYING.as_bytes().to_vec();
            for _ in 0..1 + random.below(3) {
                let at = random.below(text.len());
                text[at] = *random.pick(b"O@*/wbpmsr?0123456789- ");
            }
            let head = format!("GET /probe?fen={} HTTP/1.1\r\n", encoded(&text));
            [head.as_bytes(), end].concat()
        }
        3 => {
            let query = "x".repeat(100 << random.below(11));
            let head = format!("GET /probe?fen={query} HTTP/1.1\r\n");
            [head.as_bytes(), end].concat()
        }
        4 => {
            let value = "y".repeat(100 << random.below(11));
            let head = format!("GET /healthz HTTP/1.1\r\nX-Large: {value}\r\n");
            [head.as_bytes(), end].concat()
        }
        5 => {
            let headers = "X-Many: 1\r\n".repeat(random.below(500));
            let head = format!("GET /healthz HTTP/1.1\r\n{headers}");
            [head.as_bytes(), end].concat()
        }
        6 => {
            // Half a request.
            let request =
                b"GET /probe?fen=start HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n";
            request[..random.below(request.len())].to_vec()
        }
        7 => {
            // A body that nobody asked for, of a length that is not true.
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
            let head = format!("{method} /probe?fen=%zz%00%ff&&&=& {version}\r\n");
            [head.as_bytes(), end].concat()
        }
    }
}

#[test]
fn malformed_requests_by_the_thousand_do_no_harm() {
    const CLIENTS: u64 = 8;
    const REQUESTS: usize = 1000;
    let server = Server::start(&[]);
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
            assert!(
                ["200", "400", "404", "405", "413", "414", "431"].contains(&status),
                "{status} for {}",
                String::from_utf8_lossy(&request)
            );
        }
    };
    thread::scope(|scope| {
        for seed in 0..CLIENTS {
            scope.spawn(move || storm(seed));
        }
    });
    let before = server.memory();
    thread::scope(|scope| {
        for seed in CLIENTS..2 * CLIENTS {
            scope.spawn(move || storm(seed));
        }
    });
    let after = server.memory();
    assert!(
        after < before + 16 * 1024,
        "{before} KiB grew to {after} KiB"
    );
    assert_eq!(server.ask("/probe", FLYING).json()["dtw"], 26);
}

#[test]
fn slow_clients_do_not_hold_up_others_and_are_let_go() {
    let server = Server::start(&[]);
    let sockets = server.sockets();
    let mut slow: Vec<TcpStream> = (0..200).map(|_| server.connect()).collect();
    for stream in &mut slow {
        stream
            .write_all(b"GET /healthz HTTP/1.1\r\nX-Slow: ")
            .unwrap();
    }
    // These ask for much and read nothing.
    let path = format!("/line?fen={}", encoded(FLYING.as_bytes()));
    let request = format!("GET {path} HTTP/1.1\r\nHost: test\r\n\r\n").repeat(200);
    let mut deaf: Vec<TcpStream> = (0..20).map(|_| server.connect()).collect();
    for stream in &mut deaf {
        stream.set_nonblocking(true).unwrap();
        let _ = stream.write(request.as_bytes());
    }
    for _ in 0..20 {
        let asked = Instant::now();
        assert_eq!(server.ask("/probe", FLYING).status, 200);
        assert!(asked.elapsed() < Duration::from_secs(5));
    }
    // Now and then a byte does not keep a connection alive.
    let start = Instant::now();
    let drip = &mut slow[0];
    let closed = loop {
        thread::sleep(Duration::from_millis(250));
        if drip.write_all(b"y").is_err() {
            break start.elapsed();
        }
        assert!(start.elapsed() < Duration::from_secs(25), "still connected");
    };
    assert!(closed > Duration::from_secs(5), "{closed:?}");
    // At last none of the clients holds anything, though none of them has gone away.
    while server.sockets() > sockets {
        assert!(start.elapsed() < Duration::from_secs(40), "still connected");
        thread::sleep(Duration::from_millis(250));
    }
    drop((slow, deaf));
}
