//! Tests of the server: answers, errors, limits, and its end.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::common::{BLOCKED, FLYING, LARGER, REMOVAL, Random, WON, root};
use crate::engine;
use crate::process::{self, Guard, Place, column, has, items, shows, text};
use millbase::{Position, Rules};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

/// The longest time to wait for an answer.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A server in an empty folder, which ends with the test.
pub struct Server {
    pub child: Guard,
    pub address: SocketAddr,
    /// What it announced.
    pub ready: Json,
    pub home: TempDir,
}

impl Server {
    pub fn start(args: &[&str]) -> Server {
        Server::start_in(TempDir::new().unwrap(), args)
    }

    pub fn start_in(home: TempDir, args: &[&str]) -> Server {
        Server::start_at("127.0.0.1:0", home, args)
    }

    pub fn start_at(address: &str, home: TempDir, args: &[&str]) -> Server {
        let mut command = process::program(home.path(), &["serve", "--json", "--listen", address]);
        Server::of(command.args(args), home)
    }

    pub fn of(command: &mut Command, home: TempDir) -> Server {
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        out.read_line(&mut line).unwrap();
        let ready: Json = serde_json::from_str(&line).unwrap();
        assert_eq!(ready["version"], 1);
        let address = text(&ready["listening"]);
        let address = address.strip_prefix("http://").unwrap();
        let address = address.strip_suffix('/').unwrap().parse().unwrap();
        Server {
            child: Guard(child),
            address,
            ready,
            home,
        }
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Sends these bytes, and returns the response until the server closes the connection.
    pub fn exchange(&self, request: &[u8]) -> Vec<u8> {
        let mut stream = self.connect();
        // The server may close the connection before it has read everything.
        let _ = stream.write_all(request);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        answer
    }

    pub fn request(&self, method: &str, path: &str) -> Reply {
        let text =
            format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        Reply::read(&self.exchange(text.as_bytes()))
    }

    pub fn get(&self, path: &str) -> Reply {
        self.request("GET", path)
    }

    pub fn ask(&self, path: &str, position: &str) -> Reply {
        self.get(&format!("{path}?fen={}", encoded(position.as_bytes())))
    }

    /// The memory in use, in KiB.
    #[cfg(target_os = "linux")]
    pub fn memory(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.0.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:"));
        let words = line.unwrap().split_whitespace();
        words.rev().nth(1).unwrap().parse().unwrap()
    }

    /// The number of open sockets.
    #[cfg(target_os = "linux")]
    pub fn sockets(&self) -> usize {
        let files = fs::read_dir(format!("/proc/{}/fd", self.child.0.id())).unwrap();
        let targets = files.filter_map(|file| fs::read_link(file.ok()?.path()).ok());
        let sockets = targets.filter(|target| target.to_string_lossy().starts_with("socket:"));
        sockets.count()
    }

    #[cfg(unix)]
    pub fn signal(&self, name: &str) {
        process::signal(&self.child.0, name);
    }
}

/// The text percent-encoded, byte by byte.
pub fn encoded(text: &[u8]) -> String {
    text.iter().map(|byte| format!("%{byte:02x}")).collect()
}

/// An answer of the server.
pub struct Reply {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Reply {
    pub fn read(bytes: &[u8]) -> Reply {
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").expect("an answer");
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Reply {
            status,
            head: head.to_lowercase(),
            body: body.to_owned(),
        }
    }

    pub fn json(&self) -> Json {
        assert!(self.head.contains("\r\ncontent-type: application/json"));
        let json: Json = serde_json::from_str(&self.body).unwrap();
        assert_eq!(json["version"], 1);
        json
    }

    /// Checks that the answer is an error in the common form.
    pub fn fails_with(&self, status: u16, code: &str, words: &str) {
        assert_eq!(self.status, status, "{}", self.body);
        let error = &self.json()["error"];
        assert_eq!(error["code"], code);
        shows(text(&error["message"]), words);
    }
}

#[test]
fn answers_are_those_of_the_commands() {
    let server = Server::start(&[]);
    let run = |args: &[&str]| {
        let run = process::run(&mut process::program(server.home.path(), args));
        assert_eq!(run.status, 0, "{}", run.err);
        run.out
    };
    for position in [FLYING, BLOCKED, REMOVAL] {
        for command in ["probe", "line"] {
            let reply = server.ask(&format!("/{command}"), position);
            assert_eq!(reply.status, 200);
            assert_eq!(reply.body, run(&[command, "--json", position]));
        }
    }
    let flying = server.ask("/probe", FLYING).json();
    has!(flying, {"wdl": "loss", "dtw": 26});
    // Underscores are spaces, too, and several positions are answered on a line each.
    let plain = |text: &str| text.replace(' ', "_");
    let one = server.get(&format!("/probe?fen={}", plain(FLYING)));
    assert_eq!(one.body, run(&["probe", "--json", FLYING]));
    let several = [REMOVAL, "nonsense", FLYING, LARGER].map(plain).join(",");
    let several = server.get(&format!("/probes?fens={several}"));
    assert!(several.head.contains("content-type: application/x-ndjson"));
    let lines: Vec<&str> = several.body.lines().collect();
    for (line, position) in [(lines[0], REMOVAL), (lines[2], FLYING)] {
        let expected = run(&["probe", "--json", "--turns", "none", position]);
        assert_eq!(line, expected.trim_end());
    }
    for (line, code) in [(lines[1], "invalid"), (lines[3], "missing")] {
        let line: Json = serde_json::from_str(line).unwrap();
        assert_eq!(line["error"]["code"], code);
    }
    assert_eq!(lines.len(), 4);
    // Plus signs are spaces, and a line may be shortened.
    let reply = server.get(&format!("/line?limit=3&fen={}", FLYING.replace(' ', "+")));
    assert_eq!(reply.body, run(&["line", "--json", "--limit", "3", FLYING]));
    // The position may come after turns, which must be legal.
    let after = |moves: &str| {
        let won = WON.replace(' ', "+");
        server.get(&format!("/probe?fen={won}&moves={moves}"))
    };
    let next = run(&["probe", "--json", WON]);
    let next: Json = serde_json::from_str(&next).unwrap();
    assert_eq!(next["turns"][0]["turn"], "a1-e4");
    let next = text(&next["turns"][0]["position"]);
    assert_eq!(after("a1-e4").body, run(&["probe", "--json", next]));
    after("a1-e4+a1-e4").fails_with(400, "invalid", "turn 2 of the game");

    let databases = server.get("/databases").json();
    let mut listed: Json = serde_json::from_str(&run(&["list", "--json"])).unwrap();
    listed["folder"] = Json::Null;
    assert_eq!(databases, listed);
    assert_eq!(items(&databases["databases"]).len(), 28);
    let counted: Json = serde_json::from_str(&run(&["stats", "--json", "--histogram"])).unwrap();
    assert_eq!(server.get("/stats").json(), counted);
    let records = server.get("/records").json();
    let own: Json = serde_json::from_str(&run(&["records", "--json", "--pair", "5-4"])).unwrap();
    let pairs = items(&records["pairs"]);
    assert_eq!(pairs.len(), 28);
    assert!(pairs.contains(&own["pairs"][0]));
    let other = server.get("/records?rules=ten");
    other.fails_with(400, "invalid", "the rules standard only");
    let health = json!({ "version": 1, "status": "ok", "databases": 6 });
    assert_eq!(server.get("/healthz").json(), health);
}

/// What the client under this heading of docs/FRONTENDS.md prints, unchanged but for the address; `None` without Python.
pub fn run_client(heading: &str) -> Option<String> {
    let text = include_str!("../../docs/FRONTENDS.md");
    let (_, text) = text.split_once(heading).unwrap();
    let (_, text) = text.split_once("```python\n").unwrap();
    let (client, _) = text.split_once("```").unwrap();
    let server = Server::start(&[]);
    let client = client.replace("127.0.0.1:8024", &server.address.to_string());
    Some(process::run(process::python()?.args(["-c", &client])).out)
}

/// Runs the client of docs/FRONTENDS.md unchanged.
#[test]
fn the_documented_client_plays_to_the_end() {
    let Some(lines) = run_client("### A complete client") else {
        return;
    };
    assert_eq!(lines.lines().count(), 21, "{lines}");
    assert_eq!(lines.lines().next(), Some("white: a1-e4 win in 21"));
    assert!(lines.trim_end().ends_with("win in 1"), "{lines}");
}

#[test]
fn the_rules_are_those_of_the_option() {
    let server = Server::start(&["--rules", "morabaraba"]);
    let rules = server.get("/rules").json();
    has!(rules, {"name": "morabaraba", "stones": 12, "diagonals": true, "full_board": "draws"});
    let start = Position::start(&Rules::MORABARABA).text(&Rules::MORABARABA);
    let answer = server.ask("/turns", "start").json();
    assert_eq!(answer["position"], start);
    // Along a diagonal.
    let walking = "*O*O*O*O/********/@*@*@*** w m s 4 0 3 0 0 0";
    let answer = server.ask("/turns", walking).json();
    assert!(
        column(&answer["turns"], "turn").contains(&"e5-f6"),
        "{answer}"
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

/// The counts of a pair are those of the command.
#[test]
fn a_pair_has_its_statistics() {
    let server = Server::start(&[]);
    let home = TempDir::new().unwrap();
    let args = ["stats", "--json", "--histogram", "--pair", "4-3"];
    let counted = process::run(&mut process::program(home.path(), &args)).out;
    let counted: Json = serde_json::from_str(&counted).unwrap();
    assert_eq!(server.get("/stats?pair=4-3").json(), counted);
    assert_eq!(counted["tables"][0]["losses"], 3095);
    (server.get("/stats?pair=9-9")).fails_with(404, "missing", "millbase build --pair 9-9");
    (server.get("/stats?pair=2-1")).fails_with(400, "invalid", "");
}

#[test]
fn legal_turns_need_no_database() {
    let server = Server::start(&[]);
    let rules = Rules::STANDARD;
    let plain_rules = crate::common::plain_rules(&rules);
    let mut random = Random::new(6);
    let texts = [FLYING, BLOCKED, REMOVAL, LARGER];
    let mut positions = texts
        .map(|text| Position::parse(text, &rules).unwrap())
        .to_vec();
    // And a random game from the first stone on.
    let mut position = Position::start(&rules);
    for _ in 0..60 {
        positions.push(position);
        let turns = position.turns(&rules);
        if turns.is_empty() {
            break;
        }
        position = position.after(*random.pick(&turns));
    }
    for position in positions {
        let answer = server.ask("/turns", &position.text(&rules)).json();
        assert_eq!(answer["position"], position.text(&rules));
        assert_eq!(answer["side_to_move"], position.side_to_move().name());
        assert_eq!(answer["phase"], position.phase(&rules).name());
        let plain = crate::common::plain_position(&position).turns(&plain_rules);
        let mut expected: Vec<String> = plain.iter().map(|turn| turn.to_string()).collect();
        expected.sort();
        assert_eq!(column(&answer["turns"], "turn"), expected);
        for after in column(&answer["turns"], "position") {
            assert!(Position::parse(after, &rules).is_ok(), "{after}");
        }
    }
}

#[test]
fn errors_have_a_status_a_code_and_a_sentence() {
    let server = Server::start(&[]);
    for path in ["/probe", "/line", "/turns"] {
        for (query, words) in [
            ("?fen=nonsense", "like '********/********/******** w p p"),
            (&format!("?fen={}", "*".repeat(2000)), "1024 bytes"),
            ("", "expected one like fen=start"),
            ("?fen=a&fen=b", "duplicate"),
            ("?fen=%ff", ""),
        ] {
            let reply = server.get(&format!("{path}{query}"));
            reply.fails_with(400, "invalid", words);
        }
        (server.request("POST", path)).fails_with(405, "method", "GET");
    }
    for (path, words) in [
        ("/line?fen=start&limit=-1", "limit"),
        ("/play?fen=start&level=31", "from 0 to 30, not 31"),
        ("/play?fen=start&levle=3", "unknown field `levle`"),
    ] {
        server.get(path).fails_with(400, "invalid", words);
    }
    for path in ["/probe", "/line"] {
        (server.ask(path, LARGER)).fails_with(404, "missing", "millbase build --pair");
        (server.ask(path, "start")).fails_with(404, "missing", "");
    }
    for path in ["/x", "/probe/", "/page.html", "//", "/../etc/passwd", "*"] {
        (server.get(path)).fails_with(404, "path", "docs/FRONTENDS.md");
    }
    let long = format!("/healthz?{}", "x".repeat(17 << 10));
    server.get(&long).fails_with(431, "invalid", "16 KiB");
    let head = server.request("HEAD", "/healthz");
    assert_eq!((head.status, head.body.as_str()), (200, ""));
}

#[test]
fn a_corrupted_file_is_the_servers_fault() {
    let home = TempDir::new().unwrap();
    let folder = home.path().join("db");
    fs::create_dir(&folder).unwrap();
    fs::copy(root().join("db/3-3.mill"), folder.join("3-3.mill")).unwrap();
    let bundled = process::run(&mut process::program(home.path(), &["bundle", "all.mdb"]));
    assert_eq!(bundled.status, 0, "{}", bundled.err);
    for file in [folder.join("3-3.mill"), home.path().join("all.mdb")] {
        let mut bytes = fs::read(&file).unwrap();
        // The header stays, which is checked when the file is opened.
        for byte in bytes.iter_mut().skip(4096).step_by(64) {
            *byte ^= 0x55;
        }
        fs::write(file, bytes).unwrap();
    }
    let bundle = home.path().join("all.mdb");
    let of_bundle = Server::start(&["--log", "off", "--db", bundle.to_str().unwrap()]);
    let corrupt = of_bundle.ask("/probe", FLYING);
    corrupt.fails_with(500, "corrupt", "3-3.mill in all.mdb is corrupted");
    shows(&corrupt.body, "make the bundle again");
    assert!(!corrupt.body.contains("/all.mdb"), "{}", corrupt.body);
    let server = Server::start_in(home, &["--log", "off"]);
    // No client learns the folder of the files.
    let corrupt = server.ask("/probe", FLYING);
    corrupt.fails_with(500, "corrupt", "3-3.mill is corrupted");
    let missing = server.ask("/probe", LARGER);
    missing.fails_with(404, "missing", "is missing; build it with");
    for body in [corrupt.body, missing.body] {
        assert!(!body.contains(folder.to_str().unwrap()), "{body}");
    }
    let other = "*******O/*@O*OO**/*@@***** w m s 4 0 3 0 0 0";
    assert_eq!(server.get("/healthz").status, 200);
    server.ask("/turns", other).json();
}

/// A file that is copied over or cut while it is open gives errors until it is whole again.
#[test]
fn changed_files_end_no_server() {
    let home = TempDir::new().unwrap();
    fs::create_dir(home.path().join("db")).unwrap();
    let file = home.path().join("db/4-3.mill");
    let whole = fs::read(root().join("db/4-3.mill")).unwrap();
    fs::write(&file, &whole).unwrap();
    let server = Server::start_in(home, &["--log", "off"]);
    let question = "*******O/*@O*OO**/*@@***** w m s 4 0 3 0 0 0";
    // This opens the file and reads none of its rows.
    let listed = server.get("/databases").json();
    let built_in = items(&listed["databases"]).iter();
    let built_in = built_in.filter(|pair| pair["built_in"] == true);
    assert_eq!(built_in.count(), 5);
    for length in [0, 5000] {
        fs::write(&file, &whole[..length]).unwrap();
        let cut = server.ask("/probe", question);
        cut.fails_with(500, "corrupt", "4-3.mill is corrupted");
    }
    fs::write(&file, &whole).unwrap();
    assert_eq!(server.ask("/probe", question).status, 200);
}

#[test]
fn pages_of_others_read_answers_only_where_it_is_allowed() {
    let ask = |server: &Server, headers: &str| {
        let request = format!("GET /healthz HTTP/1.1\r\n{headers}\r\nConnection: close\r\n\r\n");
        Reply::read(&server.exchange(request.as_bytes()))
    };
    let origin = "Host: localhost\r\nOrigin: http://other.example";
    let image = "Host: localhost\r\nSec-Fetch-Site: cross-site";
    let name = "Host: other.example:8024";
    let own =
        "Host: localhost:8024\r\nOrigin: http://localhost:8024\r\nSec-Fetch-Site: same-origin";
    let header = "access-control-allow-origin";
    for (args, answered) in [
        (&[][..], &[own][..]),
        (&["--allow-build"], &[own]),
        (&["--cors"], &[own, origin, image]),
        (&["--public"], &[own, origin, image, name]),
    ] {
        let server = Server::start(args);
        for headers in [own, origin, image, name] {
            let reply = ask(&server, headers);
            assert_eq!(reply.head.contains(header), args == ["--cors"]);
            match answered.contains(&headers) {
                true => assert_eq!(reply.status, 200, "{args:?} {headers}"),
                false => reply.fails_with(403, "forbidden", "--public"),
            }
        }
    }
}

#[test]
fn the_page_may_do_nothing_but_ask_its_server() {
    let server = Server::start(&[]);
    let page = server.get("/");
    assert_eq!(page.status, 200);
    assert!(page.head.contains("content-type: text/html; charset=utf-8"));
    let mut fields = page.head.lines();
    let policy = fields.find(|line| line.starts_with("content-security-policy: "));
    let policy = policy.unwrap();
    assert!(policy.contains("default-src 'none'") && policy.contains("connect-src 'self'"));
    assert!(!policy.contains("unsafe") && !policy.contains("http"));
    assert!(page.head.contains("cache-control: no-cache"));
    assert!(page.body.contains("/languages/en.json\""));
    let request = "GET / HTTP/1.1\r\nHost: localhost\r\nAccept-Language: xx, de-CH;q=0.9\r\nConnection: close\r\n\r\n";
    let german = Reply::read(&server.exchange(request.as_bytes()));
    assert!(german.body.contains("/languages/de.json\""));
    for word in [" style=", " onclick=", "<style", "<script>"] {
        assert!(!page.body.contains(word), "{word}");
    }
    // Its files have a hash in their path and may be cached; nothing comes from elsewhere.
    let (before, _) = page.body.split_once("/style.css").unwrap();
    let folder = before.rsplit('"').next().unwrap();
    let hash = folder.strip_prefix("page/").expect(folder);
    assert_eq!(hash.len(), 16, "{folder}");
    for (name, kind) in [
        ("style.css", "text/css"),
        ("app.js", "text/javascript"),
        ("rooms.js", "text/javascript"),
        ("languages/en.json", "application/json"),
        ("puzzles.json", "application/json"),
    ] {
        let file = server.get(&format!("/{folder}/{name}"));
        assert_eq!(file.status, 200, "{name}");
        assert!(file.head.contains("immutable") && file.head.contains("nosniff"));
        assert!(file.head.contains(&format!("content-type: {kind}")));
        let count = |address| file.body.matches(address).count();
        assert_eq!(count("://"), count("://www.w3.org/2000/svg"), "{name}");
    }
    // Two scripts have all modules, each once, and no comments.
    let script = server.get(&format!("/{folder}/app.js")).body;
    let later = server.get(&format!("/{folder}/rooms.js")).body;
    for module in ["app", "board", "server", "strings", "tree"] {
        let begin = format!("$modules.{module} = ");
        assert_eq!(script.matches(&begin).count(), 1);
        assert!(!later.contains(&begin));
    }
    let puzzles = "$modules.puzzles = ";
    assert!(later.contains(puzzles) && !script.contains(puzzles));
    assert!(!script.contains("\nimport ") && !script.contains("\nexport "));
    assert!(!script.contains("/* "));
    // What an installed page needs; its worker keeps the files of this version.
    for (path, kind) in [
        ("/sw.js", "text/javascript"),
        ("/app.webmanifest", "application/manifest+json"),
        ("/icon.svg", "image/svg+xml"),
    ] {
        let file = server.get(path);
        assert_eq!(file.status, 200, "{path}");
        assert!(file.head.contains(&format!("content-type: {kind}")));
        assert!(file.head.contains("cache-control: no-cache"));
    }
    let worker = server.get("/sw.js").body;
    assert!(worker.contains(&format!("\"{folder}/app.js\"")) && !worker.contains("{{"));
    // The picture for previews of links has an absolute address, even behind a proxy.
    let request = b"GET /preview.jpg HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    let picture = server.exchange(request);
    let head = String::from_utf8_lossy(&picture[..200]);
    shows(&head, "content-type: image/jpeg");
    let proxy = "localhost\r\nX-Forwarded-Proto: https";
    for (host, origin) in [
        ("127.0.0.1:8024", "http://127.0.0.1:8024/"),
        (proxy, "https://localhost/"),
    ] {
        let request = format!("GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        let page = Reply::read(&server.exchange(request.as_bytes())).body;
        let wanted = format!("property=\"og:image\" content=\"{origin}preview.jpg\"");
        assert!(page.contains(&wanted), "{wanted}");
    }
    // A client that understands gzip gets a fraction of the bytes.
    let request = format!(
        "GET /{folder}/app.js HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\nConnection: close\r\n\r\n"
    );
    let small = server.exchange(request.as_bytes());
    let head = String::from_utf8_lossy(&small[..600]).to_lowercase();
    shows(&head, "content-encoding: gzip");
    assert!(3 * small.len() < script.len(), "{}", small.len());
    // One that understands Brotli, too, gets still fewer as soon as the server has compressed the file; caches keep both apart.
    let app = &format!("{folder}/app.js");
    let ask = |path: &str, encodings: &str| {
        let request = format!(
            "GET /{path} HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: {encodings}\r\nConnection: close\r\n\r\n"
        );
        let answer = server.exchange(request.as_bytes());
        let end = answer
            .windows(4)
            .position(|part| part == b"\r\n\r\n")
            .unwrap()
            + 4;
        let head = String::from_utf8_lossy(&answer[..end]).to_lowercase();
        assert!(head.starts_with("http/1.1 200 "), "{head}");
        shows(&head, "vary: accept-encoding");
        (head, answer[end..].to_vec())
    };
    let start = Instant::now();
    let smallest = loop {
        let (head, body) = ask(app, "gzip, deflate, br;q=0.9, zstd");
        if head.contains("content-encoding: br") {
            break body;
        }
        shows(&head, "content-encoding: gzip");
        assert!(start.elapsed() < PATIENCE, "the file stays as it is");
        thread::sleep(Duration::from_millis(20));
    };
    assert!(20 * smallest.len() < 18 * small.len(), "{}", smallest.len());
    let mut text = Vec::new();
    brotli::BrotliDecompress(&mut &smallest[..], &mut text).unwrap();
    assert!(text == script.as_bytes());
    let (head, _) = ask(app, "br;q=0, gzip");
    shows(&head, "content-encoding: gzip");
    // One that excludes all encodings gets the text as it is.
    for nothing in ["identity;q=0", "*;q=0", "identity;q=0, *;q=0"] {
        let (head, body) = ask(app, nothing);
        assert!(!head.contains("content-encoding"), "{head}");
        assert!(body == script.as_bytes());
    }
    // The files without a version are compressed for each request.
    for path in ["", "sw.js", "app.webmanifest", "icon.svg"] {
        let (head, body) = ask(path, "gzip, br");
        shows(&head, "content-encoding: br");
        let mut text = Vec::new();
        brotli::BrotliDecompress(&mut &body[..], &mut text).unwrap();
        assert!(text == server.get(&format!("/{path}")).body.as_bytes());
    }
    (server.get("/page/0123456789abcdef/app.js")).fails_with(404, "path", "");
}

/// The player of the page is that of the engine: the same turn for the same game and seed.
#[test]
fn the_player_is_the_one_of_the_engine() {
    let server = Server::start(&[]);
    let engine = |seed: u32, level: u32, game: &str| {
        let lines = format!(
            "setoption name Seed value {seed}\nsetoption name SkillLevel value {level}\n\
             position fen {FLYING}{game}\ngo depth 9\n"
        );
        let answers = engine::session(&[], &lines);
        let best = answers.last().unwrap().strip_prefix("bestmove ");
        best.unwrap().to_owned()
    };
    let play = |seed: u32, level: u32, moves: &str| {
        let [fen, moves] = [FLYING, moves].map(|text| encoded(text.as_bytes()));
        let query = format!("seed={seed}&level={level}&movetime=5000&moves={moves}");
        server.get(&format!("/play?fen={fen}&{query}")).json()
    };
    for (seed, level) in [(0, 30), (7, 30), (3, 0), (4, 8)] {
        let choice = play(seed, level, "");
        let turn = text(&choice["turn"]);
        assert_eq!(turn.split('x').next().unwrap(), engine(seed, level, ""));
        assert_eq!(choice["line"][0], turn);
        let next = play(seed, level, turn);
        let expected = engine(seed, level, &format!(" moves {turn}"));
        assert_eq!(text(&next["turn"]).split('x').next().unwrap(), expected);
    }
    assert_eq!(play(0, 30, "")["wdl"], "loss");
    // If no database answers, it searches; after the end of the game there is no turn.
    let start = server.get("/play?fen=start&movetime=50").json();
    let is_searched = start["turn"].is_string() && start["score"].is_i64();
    assert!(is_searched, "{start}");
    let over = server.ask("/play", BLOCKED).json();
    assert_eq!(over["turn"], Json::Null);
    assert_eq!(over["ending"]["reason"], "blocked");
}

#[test]
fn games_have_turns_an_ending_and_reasons() {
    let server = Server::start(&["--repetitions", "2"]);
    let game = |start: &str, moves: &str| {
        let [fen, moves] = [start, moves].map(|text| encoded(text.as_bytes()));
        server.get(&format!("/game?fen={fen}&moves={moves}")).json()
    };
    let placed = game("start", "a7 a1 d7 d1 g7 xa1");
    let turns = column(&placed["game"], "turn");
    assert_eq!(turns, ["a7", "a1", "d7", "d1", "g7xa1"]);
    assert_eq!(placed["game"][4]["position"], placed["position"]);
    has!(placed, {"side_to_move": "black", "ending": null});
    let listed = server.ask("/turns", text(&placed["position"])).json();
    assert_eq!(placed["turns"], listed["turns"]);
    let wrong = game("start", "a7 a7 d7");
    assert_eq!(items(&wrong["game"]).len(), 1);
    has!(wrong["illegal"], {"number": 2, "reason": "taken"});
    let still = "O*O*****/O*O*****/@@**@@** w m s 4 0 4 0 0 0";
    let drawn = game(still, "d6-b6 d7-a7 b6-d6 a7-d7");
    has!(drawn["ending"], {"reason": "repetition", "winner": null});
    has!(drawn, {"occurrences": 2, "quiet_turns": 4});
    let sets = server.get("/rulesets").json();
    has!(sets, {"draws": {"repetitions": 2, "quiet_turns": 100}});
    let long = encoded("a7 ".repeat(5000).as_bytes());
    assert!([400, 414, 431].contains(&server.get(&format!("/game?fen=start&moves={long}")).status));
    let twice = server.get("/play?fen=start&moves=a7+a7");
    twice.fails_with(400, "invalid", "turn 2 of the game");
}

#[test]
fn turns_are_ranked_with_replies_and_symmetry() {
    let server = Server::start(&[]);
    let rules = Rules::STANDARD;
    let rank = server.ask("/rank", FLYING).json();
    let probe = server.ask("/probe", FLYING).json();
    let (turns, probed) = (items(&rank["turns"]), items(&probe["turns"]));
    assert_eq!(turns.len(), probed.len());
    let mut images: Vec<(u64, Position)> = Vec::new();
    for (turn, plain) in turns.iter().zip(probed) {
        for key in ["turn", "wdl", "dtw", "position"] {
            assert_eq!(turn[key], plain[key]);
        }
        let text = text(&turn["position"]);
        let after = server.ask("/probe", text).json();
        let replies = items(&after["turns"]);
        let holding = replies.iter().filter(|reply| reply["wdl"] == after["wdl"]);
        has!(turn, {"replies": replies.len(), "holding": holding.count()});
        let position = Position::parse(text, &rules).unwrap();
        images.push((turn["class"].as_u64().unwrap(), position));
    }
    let same = |left: &Position, right: &Position| {
        millbase::Symmetry::all().any(|symmetry| left.with_board_turned(symmetry) == *right)
    };
    for (class, position) in &images {
        for (other, another) in &images {
            assert_eq!(class == other, same(position, another));
        }
    }
}

/// A turn that repeats a position for the third time is a draw beside the others, and what the player does is the best.
#[test]
fn turns_that_repeat_a_position_are_draws() {
    let server = Server::start(&[]);
    let won = "**O*****/OO@*@***/@******* b m s 3 0 3 0 0 0";
    let lost = "**O*****/*O@*@***/@*O***** w m s 3 0 3 0 0 0";
    for (start, moves, repeating, wdl) in [
        (
            won,
            "f4-b6 d6-g4 b6-f4 g4-d6 f4-b6 d6-g4 b6-f4",
            "g4-d6",
            "win",
        ),
        (
            lost,
            "g4-e3 f4-e5 e3-g4 e5-f4 g4-e3 f4-e5 e3-g4",
            "e5-f4",
            "draw",
        ),
    ] {
        let [fen, moves] = [start, moves].map(|text| encoded(text.as_bytes()));
        let ask = |topic: &str| {
            server
                .get(&format!("/{topic}?fen={fen}&moves={moves}"))
                .json()
        };
        let [step, rank, play, probe] = ["step", "rank", "play", "probe"].map(ask);
        for (key, value) in rank.as_object().unwrap() {
            assert_eq!(step[key], *value, "{key}");
        }
        has!(step, {"wdl": wdl, "dtw": play["dtw"], "ending": null});
        assert_eq!(step["turns"][0]["turn"], play["turn"]);
        for turn in items(&step["turns"]) {
            assert_eq!(turn["by_repetition"], turn["turn"] == repeating);
            assert_eq!(turn["replies"].is_null(), turn["turn"] == repeating);
        }
        let line = items(&step["line"]);
        assert_eq!(
            (&line[0]["turn"], line.len() == 1),
            (&play["turn"], wdl == "draw")
        );
        // Without its history, the turn would be the best of those that win, or one that loses.
        assert_ne!(probe["wdl"], "draw");
        let stored = items(&probe["turns"])
            .iter()
            .find(|turn| turn["turn"] == repeating);
        assert_eq!(stored.unwrap()["wdl"], probe["wdl"]);
    }
    // A game that went on after the draw is not played by the rule.
    let moves = "f4-b6 d6-g4 b6-f4 g4-d6 f4-b6 d6-g4 b6-f4 g4-d6 d2-b6 f6-e3 b6-d2";
    let [fen, moves] = [won, moves].map(|text| encoded(text.as_bytes()));
    let rank = server.get(&format!("/rank?fen={fen}&moves={moves}")).json();
    let turns = items(&rank["turns"]);
    assert!(turns.iter().any(|turn| turn["turn"] == "e3-f6"));
    assert!(turns.iter().all(|turn| turn["by_repetition"] == false));
}

/// The values of the turn, its grade and its refutation are those of the probes of the positions.
#[test]
fn a_turn_is_explained() {
    let server = Server::start(&[]);
    let of = |turn: &str| {
        let position = encoded(WON.as_bytes());
        server.get(&format!("/explain?fen={position}&turn={turn}"))
    };
    let facts = of("a1-a4").json();
    has!(facts, {"wdl": "win", "dtw": 21});
    let [turn] = items(&facts["turns"]) else {
        panic!("{facts}")
    };
    has!(turn, {"wdl": "draw", "grade": "gives-up-win"});
    let reply = text(&turn["refutation"][0]["position"]);
    assert_eq!(server.ask("/probe", reply).json()["wdl"], "draw");
    let all = server.ask("/explain", WON).json();
    assert_eq!(items(&all["turns"]).len(), all["legal"]);
    of("a1-a1").fails_with(400, "invalid", "not a legal turn");
}

#[test]
fn a_step_has_all_that_the_page_shows() {
    let server = Server::start(&[]);
    let step = server.ask("/step", FLYING).json();
    let rank = server.ask("/rank", FLYING).json();
    for (key, value) in rank.as_object().unwrap() {
        assert_eq!(step[key], *value, "{key}");
    }
    let line = server.ask("/line", FLYING).json();
    assert_eq!(items(&step["line"])[..], items(&line["line"])[..12]);
    let game = server.ask("/game", FLYING).json();
    for key in ["ending", "illegal", "occurrences", "quiet_turns"] {
        assert_eq!(step[key], game[key], "{key}");
    }
    assert_eq!((&step["problem"], step.get("game")), (&Json::Null, None));
    // A value that takes a long search is left out; one that no database here has is a problem.
    let home = TempDir::new().unwrap();
    let path = home.path().join("four.toml");
    fs::write(&path, "stones = 4\n").unwrap();
    let small = Server::start_in(home, &["--rules", &path.display().to_string()]);
    let later = small.get("/step?fen=start&moves=d6+d6").json();
    assert_eq!(later["illegal"]["number"], 2);
    let missing = server.ask("/step", LARGER).json();
    for (step, code, stones) in [(later, Json::Null, 4), (missing, "missing".into(), 9)] {
        let nothing = ["wdl", "dtw", "source", "line"];
        assert!(nothing.iter().all(|&key| step[key].is_null()), "{step}");
        assert_eq!(step["problem"]["code"], code);
        let rules = Rules {
            stones,
            ..Rules::STANDARD
        };
        let position = Position::parse(text(&step["position"]), &rules);
        let turns = position.unwrap().turns(&rules);
        let expected: Vec<String> = turns.iter().map(ToString::to_string).collect();
        assert_eq!(column(&step["turns"], "turn"), expected);
    }
}

#[test]
fn other_rules_are_answered_beside_those_of_the_server() {
    let server = Server::start(&[]);
    let answer = server.get("/turns?fen=start&rules=morabaraba").json();
    let start = Position::start(&Rules::MORABARABA).text(&Rules::MORABARABA);
    assert_eq!(answer["position"], start);
    assert_eq!(server.get("/rules?rules=ten").json()["stones"], 10);
    let sets = server.get("/rulesets").json();
    assert_eq!(items(&sets["named"]).len(), Rules::NAMED.len());
    let chess = server.get("/turns?fen=start&rules=chess");
    chess.fails_with(
        400,
        "invalid",
        "the rules 'chess' cannot be used: there are no such rules, only standard",
    );
}

#[test]
fn random_positions_have_the_value_that_is_asked_for() {
    let server = Server::start(&[]);
    for wdl in ["win", "draw"] {
        let path = format!("/random?pair=4-3&wdl={wdl}&seed=");
        let [first, same, other] =
            [1, 1, 2].map(|seed| server.get(&format!("{path}{seed}")).json());
        assert_eq!(first, same);
        assert_ne!(first["position"], other["position"]);
        let value = server.ask("/probe", text(&first["position"])).json();
        has!(value, {"wdl": wdl, "dtw": &first["dtw"]});
    }
    // All losses of this pair end in two turns.
    let left_out = "lasts at least 3 turns and has no mill of Black";
    (server.get("/random?pair=5-3&wdl=loss")).fails_with(400, "invalid", left_out);
    (server.get("/random?pair=9-9&wdl=win")).fails_with(404, "missing", "9-9");
    (server.get("/random?pair=4-3&wdl=much")).fails_with(400, "invalid", "wdl=win");
    (server.get("/random?pair=2-3&wdl=win")).fails_with(400, "invalid", "");
}

#[test]
fn only_this_machine_is_served_unless_told_otherwise() {
    let place = Place::new();
    let serve = |option, value| place.run(&["serve", option, value]);
    for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:80"] {
        serve("--listen", address).fails_with(2, "--public");
    }
    serve("--listen", "nowhere").fails_with(2, "nowhere");
    serve("--in-flight", "0").fails_with(2, "in-flight");
    let server = Server::start(&[]);
    let taken = server.address.to_string();
    serve("--listen", &taken).fails_with(5, &taken);
    let mut public = place.command(&["serve", "--listen", "0.0.0.0:0", "--public"]);
    let mut public = Guard(public.stdout(Stdio::piped()).spawn().unwrap());
    let mut line = String::new();
    let mut out = BufReader::new(public.0.stdout.take().unwrap());
    out.read_line(&mut line).unwrap();
    assert!(line.starts_with("listening on http://0.0.0.0:"), "{line}");
}

/// As `nohup` starts programs.
#[cfg(unix)]
#[test]
fn ignored_signals_stay_ignored() {
    let home = TempDir::new().unwrap();
    let serve = "trap '' HUP; exec \"$0\" serve --json --listen 127.0.0.1:0";
    let mut command = Command::new("sh");
    command.args(["-c", serve, process::PROGRAM]);
    let mut server = Server::of(command.env("HOME", home.path()), home);
    server.signal("HUP");
    thread::sleep(Duration::from_millis(200));
    assert_eq!(server.get("/healthz").status, 200);
    server.signal("TERM");
    assert_eq!(server.child.0.wait().unwrap().code(), Some(0));
}

#[cfg(unix)]
#[test]
fn a_signal_ends_the_server_gracefully() {
    let mut server = Server::start(&["--log", "info"]);
    // One client has been answered and keeps its connection, another is in the middle of asking.
    let mut idle = server.connect();
    idle.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        .unwrap();
    let mut start = [0; 12];
    idle.read_exact(&mut start).unwrap();
    assert_eq!(&start, b"HTTP/1.1 200");
    let mut asking = server.connect();
    asking.write_all(b"GET /heal").unwrap();
    thread::sleep(Duration::from_millis(100));
    server.signal("TERM");
    let asked = Instant::now();
    let status = server.child.0.wait().unwrap();
    assert_eq!(status.code(), Some(0));
    assert!(asked.elapsed() < PATIENCE);
    assert!(TcpStream::connect(server.address).is_err());
    // The log has a line for the request that was made.
    let mut log = String::new();
    let mut stderr = server.child.0.stderr.take().unwrap();
    stderr.read_to_string(&mut log).unwrap();
    let is_logged = |line: &str| line.contains("/healthz") && line.contains("200");
    assert!(log.lines().any(is_logged), "{log}");
}

#[test]
fn a_count_that_changes_a_value_is_said() {
    let server = Server::start(&[]);
    for (quiet, drawn) in [(0, None), (99, Some(1))] {
        let position = format!("{WON} -1 -1 -1 -1 0 {quiet} 1");
        for path in ["/probe", "/rank", "/explain", "/line", "/step", "/standard"] {
            let answer = server.ask(path, &position).json();
            has!(answer, {"position": &position, "dtw": 21, "drawn_after": drawn});
        }
    }
    // The turns of a game count on from a count that the question states.
    for (quiet, last) in [(0, " 0 0 1"), (97, " 0 99 1")] {
        let position = format!("{WON} -1 -1 -1 -1 0 {quiet} 1");
        let [fen, moves] = [position.as_str(), "a1-e4 b4-a4"].map(|text| encoded(text.as_bytes()));
        for path in ["game", "step", "probe"] {
            let question = format!("/{path}?fen={fen}&moves={moves}");
            let answer = server.get(&question).json();
            assert!(text(&answer["position"]).ends_with(last), "{answer}");
        }
    }
}

#[test]
fn numbers_that_cannot_be_read_are_named_plainly() {
    let server = Server::start(&[]);
    for (fields, words) in [
        (
            "seed=x",
            "seed: expected a whole number, found other letters",
        ),
        ("seed=", "seed: expected a whole number, found nothing"),
        ("level=300", "level: expected a smaller number"),
    ] {
        let answer = server.get(&format!("/play?fen=start&{fields}"));
        answer.fails_with(400, "invalid", words);
    }
}
