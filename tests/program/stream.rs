//! Tests of streams of questions: nothing is lost, in order, at once, to broken pipes too.

use std::io::{BufRead, BufReader, Write};

use crate::common::rows;
use crate::probe::{BAD, BLOCKED, FLYING, LARGER, START, is_larger};
use crate::process::{Place, items, objects, run_alone, shows, text};

#[test]
fn streams_lose_nothing() {
    let mut input: Vec<u8> = Vec::new();
    for (bad, _) in BAD {
        input.extend(format!("{FLYING}\n{bad}\r\n").bytes());
    }
    input.extend([0xff, 0x00, b'\n']);
    input.extend([b'*'; 100_000]);
    input.extend(format!("\n{LARGER}\n{START}\n{FLYING}").bytes());
    let place = Place::new();

    let run = place.run_with(&["probe", "-", "--json"], input.clone());
    let answers = objects(&run.out);
    assert_eq!(answers.len(), 2 * BAD.len() + 5);
    for (pair, (_, words)) in answers.chunks(2).zip(BAD) {
        assert_eq!(text(&pair[0]["position"]), FLYING);
        assert_eq!(pair[1]["version"], 1);
        assert_eq!(text(&pair[1]["error"]["code"]), "invalid");
        assert!(text(&pair[1]["error"]["message"]).contains(words));
    }
    // A line that is no text, a long one, and positions without databases.
    let codes = ["invalid", "invalid", "missing", "missing"];
    let rest = &answers[2 * BAD.len()..];
    assert_eq!(rest.len(), 5);
    for (answer, code) in rest.iter().zip(codes) {
        assert_eq!(answer["error"]["code"], code);
    }
    assert_eq!(rest[1]["error"]["reason"], "too_long");
    shows(
        text(&rest[2]["error"]["message"]),
        "millbase build --pair 6-4",
    );
    assert_eq!(rest[4]["position"], FLYING);
    assert_eq!(run.status, 2);
    assert_eq!(run.err.lines().count(), 1);

    let run = place.run_with(&["probe", "-"], input);
    let lines: Vec<&str> = run.out.lines().collect();
    assert_eq!(lines.len(), answers.len());
    assert_eq!(lines[0], "loss in 26  d1-a4");
    assert!(lines[1].starts_with("error: "));
    assert_eq!(run.status, 2);
}

/// The commands for one position answer streams, too, and take all words for the empty board.
#[test]
fn lines_and_facts_are_streams_too() {
    let input = format!("{FLYING}\nrubbish\n{BLOCKED}\n");
    for command in ["probe", "line", "explain"] {
        let single = run_alone(&[command, "--json", FLYING]).object();
        let stream = Place::new().run_with(&[command, "--json", "-"], input.as_str());
        assert_eq!(stream.status, 2, "{}", stream.err);
        let answers = objects(&stream.out);
        assert_eq!(answers.len(), 3);
        assert_eq!(answers[0], single);
        assert_eq!(answers[1]["error"]["code"], "invalid");
        assert!(answers[2].get("error").is_none());
        let text = Place::new().run_with(&[command, "-"], input.as_str()).out;
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3, "{text}");
        assert!(lines[0].starts_with("loss in 26  "), "{text}");
        assert!(lines[1].starts_with("error: "), "{text}");
    }
    let turn = format!("{} e3-e4", crate::common::RACE);
    let facts = Place::new().run_with(&["explain", "-"], turn).out;
    let expected = "gives up a win; replies: 56; hold: 4; refutation: c4-a1xa7";
    assert_eq!(facts, format!("loss in 2  {expected}\n"));
    let turn = format!("{} a1-a4\nstart", crate::common::WON);
    let facts = Place::new().run_with(&["explain", "--json", "-"], turn);
    let facts = objects(&facts.out);
    assert_eq!(items(&facts[0]["turns"]).len(), 1);
    assert_eq!(facts[1]["error"]["code"], "missing");
    for start in ["start", "startpos"] {
        assert_eq!(run_alone(&["perft", start, "2"]).out, "552\n");
    }
    let capital = run_alone(&["explain", "--json", crate::common::WON, "A1-A4"]).json();
    assert_eq!(capital["turns"][0]["turn"], "a1-a4");
}

#[test]
fn streams_end_with_the_first_failure() {
    let place = Place::new();
    let status = |input: String| place.run_with(&["probe", "-"], input).status;
    assert_eq!(status(String::new()), 0);
    assert_eq!(status(format!("{FLYING}\n")), 0);
    assert_eq!(status(format!("{FLYING}\n{START}\nx\n")), 3);
    assert_eq!(status(format!("{FLYING}\nx\n{START}\n")), 2);
}

#[test]
fn streams_keep_their_order() {
    let positions = rows(include_str!("../data/moving.csv")).map(|row| row[0]);
    let positions: Vec<&str> = positions.filter(|text| !is_larger(text)).collect();
    let positions: Vec<&str> = positions.into_iter().cycle().take(10_000).collect();
    let run = Place::new().run_with(&["probe", "--json", "-"], positions.join("\n"));
    assert_eq!((run.status, run.err.as_str()), (0, ""));
    assert_eq!(run.out.lines().count(), positions.len());
    for (line, position) in run.out.lines().zip(positions) {
        // The board is the same; the phase and the action may be written in another way.
        let start = format!("{{\"version\":1,\"position\":\"{}", &position[..26]);
        assert!(line.starts_with(&start), "{line}");
    }
}

#[test]
fn streams_answer_before_they_wait() {
    let place = Place::new();
    let mut child = place.spawn(&["probe", "-"]);
    let mut input = child.stdin.take().unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap());
    for _ in 0..3 {
        writeln!(input, "{FLYING}").unwrap();
        let mut answer = String::new();
        answers.read_line(&mut answer).unwrap();
        assert_eq!(answer, "loss in 26  d1-a4\n");
    }
    drop(input);
    assert!(child.wait().unwrap().success());
}

#[test]
fn broken_pipes_are_silent() {
    let place = Place::new();
    let mut child = place.spawn(&["probe", "-", "--json"]);
    drop(child.stdout.take());
    let mut input = child.stdin.take().unwrap();
    // The program may stop reading at any time.
    for _ in 0..1000 {
        if writeln!(input, "{FLYING}").is_err() {
            break;
        }
    }
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty());
}
