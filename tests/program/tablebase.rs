//! Tests of the paths that answer as a tablebase server does, and of the tags of answers.

use millbase::{Position, Rules};
use serde_json::Value as Json;
use tempfile::TempDir;

use crate::common::{BLOCKED, FLYING, LARGER, REMOVAL, WON, rows};
use crate::process::{self, has, items, objects, split, text};
use crate::serve::{Reply, Server, encoded, run_client};

/// Sends a request with these header lines and this body.
fn send(server: &Server, method: &str, path: &str, headers: &str, body: &str) -> Reply {
    let length = body.len();
    let head = format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n");
    let request = format!("{head}Content-Length: {length}\r\n{headers}\r\n{body}");
    Reply::read(&server.exchange(request.as_bytes()))
}

/// The fields of a position without those of its turns.
fn standing(json: &Json) -> Vec<Json> {
    let fields = "category dtw dtz precise_dtz dtm variant_loss stalemate".split(' ');
    fields.map(|field| json[field].clone()).collect()
}

/// Asks about the position after each turn: its fields are those of the turn.
fn check_moves(server: &Server, path: &str, answer: &Json) -> usize {
    let moves = items(&answer["moves"]);
    for each in moves {
        let after = server.ask(path, text(&each["position"])).json();
        if !each["dtz"].is_null() || !each["dtw"].is_null() || each["category"] == "draw" {
            assert_eq!(standing(&after), standing(each), "{each}");
        }
        assert_eq!(after["category"], each["category"]);
        assert_eq!(each["san"], each["uci"]);
    }
    moves.len()
}

#[test]
fn known_positions_have_the_fields_of_a_tablebase() {
    let server = Server::start(&[]);
    let mut checked = 0;
    for row in rows(include_str!("../data/moving.csv")) {
        let reply = server.ask("/standard", row[0]);
        if reply.status != 200 {
            reply.fails_with(404, "missing", "");
            continue;
        }
        let answer = reply.json();
        let depth = row[2].parse::<i64>().ok();
        let signed = depth.map(|depth| if row[1] == "loss" { -depth } else { depth });
        has!(answer, {"category": row[1], "dtw": signed});
        let position = Position::parse(row[0], &Rules::STANDARD).unwrap();
        assert_eq!(answer["position"], position.text(&Rules::STANDARD));
        if position.is_over(&Rules::STANDARD) {
            has!(answer, {"variant_loss": true, "moves": []});
            continue;
        }
        // The best turn comes first, and its value is for the opponent.
        let best = &answer["moves"][0];
        let opposite = match row[1] {
            "win" => "loss",
            "loss" => "win",
            _ => "draw",
        };
        let after = signed.map(|depth| depth.signum() - depth);
        has!(best, {"category": opposite, "dtw": after});
        checked += 1;
    }
    assert!(checked > 20, "{checked}");
    let won = server.ask("/standard", WON).json();
    let best = &won["moves"][0];
    has!(best, {"uci": "a1-e4", "dtw": -20});
    // Three stones fly to 17 points.
    assert_eq!(check_moves(&server, "/standard", &won), 51);
    let removal = server.ask("/standard", REMOVAL).json();
    assert!(check_moves(&server, "/standard", &removal) > 0);
    for answer in [won, removal] {
        for each in items(&answer["moves"]) {
            assert_eq!(each["zeroing"], text(&each["uci"]).contains('x'));
        }
    }
    let over = server.ask("/standard", BLOCKED).json();
    has!(over, {"variant_loss": true, "dtw": 0, "moves": []});
}

/// Builds databases with these options.
fn build(home: &TempDir, options: &str) {
    let args = format!("build --quiet {options}");
    let built = process::run(&mut process::program(home.path(), &split(&args)));
    assert_eq!(built.status, 0, "{}", built.err);
}

#[test]
fn the_path_names_the_rules() {
    let home = TempDir::new().unwrap();
    build(&home, "--rules standard-100 --pair 3-3");
    let server = Server::start_in(home, &["--rules", "ten"]);
    // Clients send parameters that mean nothing here.
    let fen = encoded(FLYING.as_bytes());
    let standard = server.get(&format!("/standard?dtc=always&fen={fen}"));
    let standard = standard.json();
    has!(standard, {"dtw": -26, "dtz": null});
    // Under a limit of quiet turns, depths are the turns to a removal.
    let limited = server.ask("/standard-100", FLYING).json();
    let probe = server.get(&format!("/probe?rules=standard-100&fen={fen}"));
    let probe = probe.json();
    has!(limited, {"dtw": null, "category": &probe["wdl"]});
    assert_eq!(limited["dtz"].as_i64().map(i64::abs), probe["dtw"].as_i64());
    assert!(check_moves(&server, "/standard-100", &limited) > 0);
    // A side with two stones has lost, even if the limit has drawn the game before.
    let full = "*@*@*O**/**O*****/*O**@*** b m s 3 0 3 0 0 0 -1 -1 -1 -1 0 100 1";
    let drawn = server.ask("/standard-100", full).json();
    let (ends, others): (Vec<_>, Vec<_>) =
        (items(&drawn["moves"]).iter()).partition(|each| text(&each["uci"]).contains('x'));
    assert_eq!((ends.len(), others.len()), (3, 53));
    for each in ends {
        let after = server.ask("/standard-100", text(&each["position"]));
        assert_eq!(standing(&after.json()), standing(each));
        has!(each, {"category": "loss", "variant_loss": true});
    }
    assert!(others.iter().all(|each| each["category"] == "draw"));
    (server.ask("/ten", LARGER)).fails_with(404, "missing", "is missing");
    (server.ask("/no-flying", FLYING)).fails_with(404, "missing", "is missing");
    (server.ask("/standard", LARGER)).fails_with(404, "missing", "is missing");
    (server.ask("/standard", "rubbish")).fails_with(400, "invalid", "");
    (server.get("/standard")).fails_with(400, "invalid", "no position");
    (server.ask("/chess", FLYING)).fails_with(404, "path", "does not exist");
}

#[test]
fn many_positions_come_in_one_request() {
    let server = Server::start(&[]);
    // With the mark that some editors put before a text.
    let body = format!(
        "\u{feff}{FLYING}\n\n{}\nrubbish\n{LARGER}\n",
        WON.replace(' ', "_")
    );
    for (path, one) in [("/standard", "/standard"), ("/probes", "/probe")] {
        let reply = send(&server, "POST", path, "", &body);
        assert_eq!(reply.status, 200);
        assert!(reply.head.contains("content-type: application/x-ndjson"));
        let lines = objects(&reply.body);
        assert_eq!(lines.len(), 4);
        for (line, position) in lines.iter().zip([FLYING, WON]) {
            let mut alone = server.ask(one, position).json();
            if one == "/probe" {
                alone.as_object_mut().unwrap().remove("turns");
            }
            assert_eq!(*line, alone);
        }
        assert_eq!(lines[2]["error"]["code"], "invalid");
        assert_eq!(lines[3]["error"]["code"], "missing");
        for empty in ["", "\n \n"] {
            let reply = send(&server, "POST", path, "", empty);
            assert_eq!((reply.status, reply.body.as_str()), (200, ""));
        }
        let long = "x".repeat((256 << 10) + 1);
        send(&server, "POST", path, "", &long).fails_with(400, "invalid", "262144");
        let elsewhere = "Origin: http://elsewhere.example\r\n";
        send(&server, "POST", path, elsewhere, &body).fails_with(403, "forbidden", "");
    }
}

/// The value of a header.
fn header(reply: &Reply, name: &str) -> Option<String> {
    let lines = reply.head.lines().filter_map(|line| line.split_once(": "));
    let mut named = lines.filter(|&(key, _)| key == name);
    named.next().map(|(_, value)| value.to_owned())
}

#[test]
fn a_client_that_has_the_answer_gets_no_second_one() {
    let fen = FLYING.replace(' ', "_");
    let server = Server::start(&[]);
    let mut tags = Vec::new();
    let kept = "public, max-age=3600";
    for (path, cache) in [("/standard", kept), ("/probe", "no-cache")] {
        let path = format!("{path}?fen={fen}");
        let first = server.get(&path);
        let tag = header(&first, "etag").unwrap();
        assert_eq!(header(&first, "cache-control").as_deref(), Some(cache));
        let strong = tag.trim_start_matches("w/").to_owned();
        let other = send(&server, "GET", &path, "If-None-Match: \"1\"\r\n", "");
        assert_eq!((other.status, &other.body), (200, &first.body));
        for known in [format!("W/{strong}"), format!("\"1\", {strong}")] {
            let asked = format!("If-None-Match: {known}\r\n");
            let reply = send(&server, "GET", &path, &asked, "");
            assert_eq!((reply.status, reply.body.as_str()), (304, ""));
            assert_eq!(header(&reply, "etag"), Some(tag.clone()));
            assert_eq!(header(&reply, "cache-control").as_deref(), Some(cache));
            for answer in [&first, &reply] {
                assert_eq!(header(answer, "vary").as_deref(), Some("accept-encoding"));
            }
        }
        tags.push(tag);
    }
    // The end of a game also follows from the rule for draws.
    let draws = Server::start(&["--quiet-turns", "50"]);
    let path = format!("/probe?fen={fen}");
    tags.push(header(&draws.get(&path), "etag").unwrap());
    let other = server.ask("/standard", WON);
    tags.push(header(&other, "etag").unwrap());
    // Neither errors nor answers that depend on time have one.
    let play = "/play?fen=start&movetime=1";
    for path in ["/standard?fen=rubbish", play, "/healthz"] {
        assert_eq!(header(&server.get(path), "etag"), None, "{path}");
    }
    // Where there are more files, what has no answer may have one.
    let home = TempDir::new().unwrap();
    build(&home, "--pair 5-5");
    let server = Server::start_in(home, &[]);
    let larger = server.get(&format!("/standard?fen={fen}"));
    tags.push(header(&larger, "etag").unwrap());
    tags.sort();
    tags.dedup();
    assert_eq!(tags.len(), 5);
}

/// Runs the client of docs/FRONTENDS.md unchanged.
#[test]
fn the_documented_client_asks_as_for_chess() {
    if let Some(lines) = run_client("### As a tablebase server") {
        assert_eq!(lines, "win 21\na1-e4 loss -20\n");
    }
}
