//! Tests of the program: answers, exit status, messages, streams, folders.

use std::collections::HashSet;
use std::fs;
use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::common::{root, rows};
use crate::process::{self, Place, Run};
use millbase::Histogram;
use millbase::internals::Index;
use millbase::internals::{SolvedPair, write_pair};
use millbase::store::Profile;
use millbase::{Pair, Position, Rules};
use serde_json::{Value as Json, json};

/// White is to move and loses in 26.
const FLYING: &str = "********/********/O@O*O@*@ w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 1";
/// White has four stones and no turn.
const BLOCKED: &str = "********/@*****@*/OO@**@OO w o ? 4 0 4 0 0 0 -1 -1 -1 -1 0 0 1";
/// White has closed a mill and has to remove a stone.
const REMOVAL: &str = "********/@*****@*/OO@**@*O w m r 3 0 4 0 1 0 -1 -1 -1 -1 0 0 1";
const START: &str = "********/********/******** w p p 0 9 0 9 0 0 -1 -1 -1 -1 0 0 1";
/// White is to move, three stones against four.
const FEWER: &str = "********/*******@/O@O*O@*@ w m s 3 0 4 0 0 0 -1 -1 -1 -1 0 0 1";
/// Six stones against four: not among the built-in pairs.
const LARGER: &str = "OOO*****/O*O**O**/@*@**@*@ w m s 6 0 4 0 0 0 -1 -1 -1 -1 0 0 1";

const COMMANDS: [&str; 21] = [
    "build",
    "export",
    "compare",
    "verify",
    "probe",
    "line",
    "stats",
    "records",
    "find",
    "list",
    "prove",
    "perft",
    "serve",
    "bench",
    "review",
    "explain",
    "match",
    "judge",
    "puzzles",
    "completions",
    "man",
];

#[test]
fn failures_are_json_where_json_is_asked_for() {
    let place = Place::new();
    let illegal = "nonsense";
    for (args, status) in [
        (vec!["probe", illegal], 2),
        (vec!["probe", LARGER], 3),
        (vec!["line", "start", "--no"], 2),
        (vec!["line", LARGER], 3),
    ] {
        let plain = place.run(&args);
        plain.fails_with(status, "");
        assert_eq!(plain.out, "", "{args:?}");
        let with_json = place.run(&[&args[..], &["--json"]].concat());
        with_json.fails_with(status, "");
        assert_eq!(with_json.err, plain.err, "{args:?}");
        assert!(
            with_json.out.starts_with('{'),
            "{args:?}: {}",
            with_json.out
        );
    }
}

impl Place {
    /// The program with pipes that the test holds.
    fn spawn(&self, args: &[&str]) -> Child {
        let mut command = self.command(args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        command.stderr(Stdio::piped()).spawn().unwrap()
    }
}

fn run(args: &[&str]) -> Run {
    Place::new().run(args)
}

fn objects(text: &str) -> Vec<Json> {
    let objects = text.lines().map(|line| serde_json::from_str(line).unwrap());
    objects.collect()
}

/// Whether a position has more stones than the built-in pairs.
fn is_larger(text: &str) -> bool {
    let position = Position::parse(text, &Rules::STANDARD).unwrap();
    24 - position.empty().len() > 9
}

fn text(json: &Json) -> &str {
    json.as_str().unwrap()
}

/// The sizes of the writes to stdout: each write to a datagram socket is a datagram.
#[cfg(unix)]
fn writes(command: &mut Command) -> Vec<usize> {
    use std::os::fd::OwnedFd;
    use std::os::unix::net::UnixDatagram;
    let (ours, theirs) = UnixDatagram::pair().unwrap();
    ours.set_read_timeout(Some(Duration::from_millis(20)))
        .unwrap();
    let mut child = command.stdout(OwnedFd::from(theirs)).spawn().unwrap();
    let (mut bytes, mut sizes) = (vec![0; 1 << 16], Vec::new());
    loop {
        let ended = child.try_wait().unwrap();
        match (ours.recv(&mut bytes), ended) {
            (Ok(size), _) => sizes.push(size),
            (Err(_), None) => {}
            (Err(error), Some(status)) => {
                assert!(matches!(
                    error.kind(),
                    ErrorKind::WouldBlock | ErrorKind::TimedOut
                ));
                assert!(status.success());
                return sizes;
            }
        }
    }
}

#[cfg(unix)]
#[test]
fn an_answer_is_one_write() {
    let place = Place::new();
    for args in [
        &["probe", FLYING][..],
        &["probe", FLYING, "--json"],
        &["probe", FLYING, "--color", "always"],
        &["line", FLYING],
        &["explain", FLYING],
        &["stats"],
        &["list"],
        &["perft", "--divide", FLYING, "2"],
    ] {
        let sizes = writes(&mut place.command(args));
        assert_eq!(sizes, [place.run(args).out.len()], "{args:?}");
    }
}

// Usage

#[test]
fn every_command_has_help_with_an_example() {
    for command in COMMANDS
        .into_iter()
        .chain(["puzzles make", "puzzles check"])
    {
        let words = command.split(' ').chain(["--help"]);
        let run = run(&words.collect::<Vec<_>>());
        assert_eq!((run.status, run.err.as_str()), (0, ""));
        assert!(run.out.contains("Example"), "{command}");
        assert!(
            run.out.contains(&format!("\n  millbase {command}")),
            "{command}"
        );
    }
    assert!(run(&["--version"]).out.starts_with("millbase "));
}

/// A command's own options come first, and all pages have one layout.
#[test]
fn help_has_one_layout() {
    for command in COMMANDS {
        let help = run(&[command, "--help"]).out;
        if ["export", "compare", "puzzles"].contains(&command) {
            continue;
        }
        let (own, global) = help.split_once("\nGlobal options:\n").expect(command);
        for option in [
            "--db <DIR>",
            "--rules <NAME|FILE>",
            "--json",
            "--threads <N>",
        ] {
            let heads = |text: &str| {
                let mut lines = text.lines();
                lines.any(|line| line.trim_start().starts_with(option))
            };
            assert!(heads(global) && !heads(own), "{command}: {option}");
        }
        assert!(own.contains("--help"), "{command}");
        let options = help
            .lines()
            .filter(|line| line.trim_start().starts_with("--"));
        for option in options {
            assert!(!option.trim_start().contains("  "), "{command}: {option}");
        }
        let short = run(&[command, "-h"]).out;
        assert!(
            short.lines().any(|line| line.contains("--json  ")),
            "{command}"
        );
    }
}

#[test]
fn wrong_usage_is_one_sentence() {
    let wrong: [&[&str]; 12] = [
        &["conquer"],
        &["probe"],
        &["line"],
        &["probe", "--nonsense"],
        &["probe", FLYING, "--color", "sometimes"],
        &["stats", "--threads", "0"],
        &["stats", "--pair", "6-2"],
        &["verify", "--sample", "0"],
        &["stats", "--pair", "12-3"],
        &["build", "--max-stones", "5"],
        &["build", "--memory", "much", "--dry-run"],
        &["man", "conquer"],
    ];
    for args in wrong {
        run(args).fails_with(2, "");
    }
    let fields: Vec<&str> = FLYING.split(' ').collect();
    let in_fields = [&["explain"], &fields[..], &["a1-a9"]].concat();
    for (args, words) in [
        (&["conquer"][..], "see 'millbase --help'"),
        (&["--nonsense"], "see 'millbase --help'"),
        (&["probe"], "see 'millbase probe --help'"),
        (
            &["perft", "start"],
            "the DEPTH is missing; give one position",
        ),
        (&["perft", "start", "100"], "'100' is not a DEPTH"),
        (&["build", "--plies", "9", "--dry-run"], "--placing"),
        (&["verify", "--ignore-missing"], "--sums"),
        (&["prove", "--hash", "0"], "expected a size of at least 1M"),
        (&["--json", "uci"], "this command has no JSON form"),
        (&["--json", "play"], "this command has no JSON form"),
        (&["--json", "man"], "this command has no JSON form"),
        (
            &["--json", "completions", "bash"],
            "this command has no JSON form",
        ),
        // Nothing in the words of a programming language.
        (
            &["stats", "--threads", "x"],
            "expected a whole number from 1 to 1024",
        ),
        (
            &["stats", "--threads", "99999999999999999999"],
            "expected a whole number from 1 to 1024",
        ),
        (
            &["bench", "--seed", "x"],
            "expected a whole number from 0 to 2^64 - 1",
        ),
        (
            &["verify", "--sample", "0"],
            "expected a whole number from 1 to 2^64 - 1",
        ),
        (
            &["serve", "--listen", "here"],
            "expected an address with a port, like 127.0.0.1:8024",
        ),
        (
            &["compare", "malom", ".", "--first", "x"],
            "expected a whole number from 0 to",
        ),
        (
            &["probe", "x"],
            "this is not a position in the form of mill programs",
        ),
        (
            &["probe", "********/********/O*****@* w m s 1 0 2 0 0 0"],
            "but the board shows 1",
        ),
        (
            &["--db", "probe", "verify", "--sample", "0"],
            "see 'millbase verify --help'",
        ),
        (&["--json", "line", "--no"], "see 'millbase line --help'"),
        (
            &["puzzles", "make", "--count", "0"],
            "see 'millbase puzzles make --help'",
        ),
        (&["export", "malom"], "see 'millbase export malom --help'"),
        (&["explain", "start", "zz"], "'zz' is not a turn"),
        (&["explain", FLYING, "a1-a9"], "'a1-a9' is not a turn"),
        (&in_fields, "'a1-a9' is not a turn"),
        (
            &["probe", FLYING, "-"],
            "'-' follows a whole position; give one position, or lines with '-'\n",
        ),
        (
            &["line", FLYING, "extra"],
            "'extra' follows a whole position; give one position, or lines with '-'\n",
        ),
        (
            &["perft", "start", "3", "4"],
            "'3' follows a whole position; give one position and one depth\n",
        ),
        (
            &["explain", FLYING, "a1-a4", "a1-e4"],
            "'a1-a4' follows a whole position; give one position and at most one turn",
        ),
        (
            &["perft", "start", "a1", "2"],
            "'a1' follows a whole position",
        ),
        (
            &["--db", "none-here", "verify"],
            "'none-here' is not a folder",
        ),
    ] {
        run(args).fails_with(2, words);
    }
    let place = Place::new();
    fs::write(place.path().join("x.toml"), b"\xff").unwrap();
    for args in [
        &["stats", "--rules", "x.toml"][..],
        &["puzzles", "check", "x.toml"],
        &["match", "level=3", "level=3", "--log", "x.toml"],
        &["match", "level=3", "level=3", "--starts", "x.toml"],
        &["verify", "--sums", "x.toml"],
    ] {
        place.run(args).fails_with(2, "it is not a text in UTF-8");
    }
    let nothing = run(&[]);
    assert_eq!((nothing.status, nothing.out.as_str()), (2, ""));
}

#[test]
fn completions_and_man_pages_name_the_commands() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let run = run(&["completions", shell]);
        assert_eq!(run.status, 0);
        assert!(COMMANDS.iter().all(|command| run.out.contains(command)));
    }
    let page = run(&["man"]);
    assert_eq!(page.status, 0);
    assert!(COMMANDS.iter().all(|command| page.out.contains(command)));
    for command in COMMANDS {
        let page = run(&["man", command]);
        assert_eq!(page.status, 0);
        assert!(page.out.contains("Example"), "{command}");
        let source = format!("\"millbase {}\"", env!("CARGO_PKG_VERSION"));
        let title = format!("\n.TH millbase-{command} 1 \" \" {source} Millbase\n");
        assert!(page.out.contains(&title), "{}", page.out);
    }
    let page = run(&["man", "puzzles", "make"]);
    assert!(
        page.out.contains("\n.TH millbase-puzzles-make 1 "),
        "{}",
        page.out
    );
    assert!(page.out.contains("\\-\\-count"), "{}", page.out);
    let page = run(&["man", "repack"]).out.replace('\\', "");
    let usage =
        "[--pair PAIR] [--profile PROFILE] [--level LEVEL] [--help] [GLOBAL OPTIONS] --to <DIR>";
    assert!(page.contains(usage), "{page}");
    assert!(page.contains("\n.SH \"GLOBAL OPTIONS\"\n"), "{page}");
}

// Positions

#[test]
fn known_values_are_found() {
    let rows: Vec<Vec<&str>> = rows(include_str!("../data/moving.csv")).collect();
    let input: String = rows.iter().map(|row| format!("{}\n", row[0])).collect();
    let run = Place::new().run_with(&["probe", "-", "--json"], input);
    let answers = objects(&run.out);
    assert_eq!(answers.len(), rows.len());
    let mut found = 0;
    for (row, answer) in rows.iter().zip(&answers) {
        if is_larger(row[0]) {
            assert_eq!(text(&answer["error"]["code"]), "missing");
        } else {
            assert_eq!(text(&answer["wdl"]), row[1], "{}", row[0]);
            assert_eq!(answer["dtw"].as_u64(), row[2].parse().ok(), "{}", row[0]);
            found += 1;
        }
    }
    assert!(found > 10);
    assert_eq!(run.status, 3);
}

#[test]
fn probe_answers_in_json() {
    let run = run(&["probe", BLOCKED, "--json"]);
    let expected = format!(
        "{{\"version\":1,\"position\":\"{BLOCKED}\",\"side_to_move\":\"white\",\"phase\":\"over\",\
         \"wdl\":\"loss\",\"dtw\":0,\"source\":\"rules\",\"turns\":[]}}\n"
    );
    assert_eq!(run.out, expected);
    assert_eq!((run.status, run.err.as_str()), (0, ""));
}

#[test]
fn probe_ranks_the_turns() {
    let place = Place::new();
    let answer = place.run(&["probe", "--json", FLYING]).json();
    assert_eq!(text(&answer["position"]), FLYING);
    assert_eq!(text(&answer["side_to_move"]), "white");
    assert_eq!(text(&answer["phase"]), "flying");
    assert_eq!(text(&answer["source"]), "database");
    assert_eq!(text(&answer["wdl"]), "loss");
    assert_eq!(answer["dtw"], 26);
    let turns = answer["turns"].as_array().unwrap();
    assert_eq!(turns.len(), 54);
    assert_eq!(turns[0]["dtw"], 26);
    // All lose: the slowest come first, equal ones in the order of their texts.
    let order = |turn: &Json| {
        let dtw = turn["dtw"].as_u64().unwrap();
        (std::cmp::Reverse(dtw), text(&turn["turn"]).to_owned())
    };
    assert!(turns.is_sorted_by_key(order));

    let input: String = turns
        .iter()
        .map(|turn| format!("{}\n", text(&turn["position"])))
        .collect();
    let answers = objects(&place.run_with(&["probe", "--json", "-"], input).out);
    for (turn, after) in turns.iter().zip(&answers) {
        assert_eq!(turn["position"], after["position"]);
        assert_eq!(text(&after["wdl"]), "win");
        assert_eq!(
            turn["dtw"].as_u64().unwrap(),
            after["dtw"].as_u64().unwrap() + 1
        );
    }
}

#[test]
fn probe_gives_as_many_turns_as_are_asked_for() {
    let place = Place::new();
    let all = place.run(&["probe", "--json", FLYING]).json();
    let mut best = place
        .run(&["probe", "--json", "--turns", "best", FLYING])
        .json();
    assert_eq!(best["turns"], json!([all["turns"][0]]));
    best["turns"] = all["turns"].clone();
    assert_eq!(best, all);
    let mut none = place
        .run(&["probe", "--json", "--turns", "none", FLYING])
        .json();
    assert_eq!(none.get("turns"), None);
    none["turns"] = all["turns"].clone();
    assert_eq!(none, all);

    let input = format!("{FLYING}\n{BLOCKED}\nnonsense\n{LARGER}\n");
    let json = objects(&place.run_with(&["probe", "--json", "-"], input.clone()).out);
    let labels = place.run_with(&["probe", "--turns", "none", "-"], input);
    assert_eq!(labels.status, 2);
    let label = |answer: &Json| match (answer["wdl"].as_str(), &answer["dtw"]) {
        (None, _) => format!("error: {}", answer["error"]["message"].as_str().unwrap()),
        (Some("draw"), _) => "D".to_owned(),
        (Some(wdl), dtw) => format!("{} {dtw}", wdl[..1].to_uppercase()),
    };
    let expected: Vec<String> = json.iter().map(label).collect();
    assert_eq!(labels.out.lines().collect::<Vec<_>>(), expected);
    assert_eq!(expected[..2], ["L 26", "L 0"]);
}

#[test]
fn probe_answers_for_people() {
    let run = run(&["probe", FLYING]);
    assert_eq!((run.status, run.err.as_str()), (0, ""));
    let picture = "
  7 @-----O-----@
  6 | ·---·---· |
  5 | | ·-·-· | |
  4 ·-·-·   ·-·-O
  3 | | ·-·-· | |
  2 | ·---·---· |
  1 @-----O-----·
    a b c d e f g
";
    assert!(run.out.contains(picture), "{}", run.out);
    assert!(run.out.contains("white to move, flying: loss in 26"));
    assert!(run.out.contains("\nd1-a4  loss in 26\n"));
}

#[test]
fn dialects_and_colours_do_not_change_the_answer() {
    let place = Place::new();
    let probe = |text: &str| place.run(&["probe", "--json", text]).json();
    let usual = probe(FLYING);
    assert_eq!(probe(&FLYING.replace("m s", "m p")), usual);
    assert_eq!(probe("********/********/O@O*O@*@ w m s 3 0 3 0 0 0"), usual);

    let exchanged = probe("********/********/@O@*@O*O b m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 1");
    assert_eq!(text(&exchanged["side_to_move"]), "black");
    assert_eq!(exchanged["dtw"], usual["dtw"]);
    let turns = |answer: &Json| -> Vec<String> {
        let turns = answer["turns"].as_array().unwrap();
        turns.iter().map(|turn| turn["turn"].to_string()).collect()
    };
    assert_eq!(turns(&exchanged), turns(&usual));

    let words: Vec<&str> = ["probe", "--json"]
        .into_iter()
        .chain(FLYING.split(' '))
        .collect();
    assert_eq!(place.run(&words).json(), usual);
}

#[test]
fn owed_removals_are_turns() {
    let answer = run(&["probe", "--json", REMOVAL]).json();
    assert_eq!(text(&answer["position"]), REMOVAL);
    let turns = answer["turns"].as_array().unwrap();
    let mut texts: Vec<&str> = turns.iter().map(|turn| text(&turn["turn"])).collect();
    texts.sort();
    assert_eq!(texts, ["xa1", "xb4", "xd6", "xg4"]);
    assert_eq!(answer["dtw"], turns[0]["dtw"]);
}

#[test]
fn missing_databases_are_named() {
    let place = Place::new();
    for command in ["probe", "line"] {
        place
            .run(&[command, LARGER])
            .fails_with(3, "millbase build --pair 6-4");
        place.run(&[command, START]).fails_with(3, "in hand");
        place.run(&[command, "start"]).fails_with(3, "in hand");
    }
    place
        .run(&["stats", "--pair", "9-8"])
        .fails_with(3, "millbase build --pair 9-8");
    let verify = place.run(&["verify", "--pair", "9-8"]);
    assert_eq!(verify.status, 3);
    assert!(verify.out.contains("millbase build --pair 9-8"));
}

/// The built-in databases are those of other rules.
#[test]
fn commands_without_any_database_name_the_build() {
    let place = Place::new();
    let engine = ["judge", "--positions", "3", "--", process::PROGRAM, "uci"];
    for args in [
        &["puzzles", "make", "--count", "1"][..],
        &["bench", "--seconds", "0.01", "--max-stones", "6"],
        &engine,
        &["verify"],
        &["verify", "--sample", "10"],
        &["verify", "--placing"],
        &["repack", "--to", "new"],
        &["stats"],
    ] {
        for json in [&[][..], &["--json"]] {
            let args = [&["--rules", "twelve"], json, args].concat();
            let advice = match args.contains(&"--placing") {
                true => "'millbase build --placing --rules twelve'",
                false => "`millbase build --pair 3-3 --rules twelve`",
            };
            place.run(&args).fails_with(3, advice);
        }
    }
    assert!(!place.path().join("new").exists());
}

/// Texts that are not positions, and words of the sentence that says why.
const BAD: [(&str, &str); 22] = [
    ("", "empty"),
    ("end", "in the form of mill programs"),
    ("********/********/******* w m s 3 0 3 0 0 0", "25"),
    ("********/********/********* w m s 3 0 3 0 0 0", "27"),
    ("********/********/O@O*O@X@ w m s 3 0 3 0 0 0", "'X'"),
    ("************************** w m s 3 0 3 0 0 0", "'/'"),
    ("********/********/O@O*O@*@", "side to move"),
    (
        "********/********/O@O*O@*@ x m s 3 0 3 0 0 0",
        "side to move",
    ),
    ("********/********/O@O*O@*@ w q s 3 0 3 0 0 0", "phase"),
    ("********/********/O@O*O@*@ w m z 3 0 3 0 0 0", "action"),
    ("********/********/O@O*O@*@ w m s 3 0 3 0 0", "removals"),
    ("********/********/O@O*O@*@ w m s 4 0 3 0 0 0", "4"),
    (
        "********/********/O@O*O@*@ w m s 3000 0 3 0 0 0",
        "'3000' is too large a number",
    ),
    (
        "********/********/O@O*O@*@ w m s -3 0 3 0 0 0",
        "'-3' is not a number",
    ),
    ("********/********/O@O*O@*@ w m s 3 0 5 0 0 0", "5"),
    (
        "********/********/O@O*O@*@ w p p 3 7 3 7 0 0",
        "more than the 9",
    ),
    ("********/********/O@O*O@*@ w m s 3 1 3 1 0 0", "in hand"),
    (
        "********/********/O@O**@*@ w m s 2 0 3 0 0 0",
        "fewer than 3",
    ),
    (
        "OOOO*OO*/OOO*****/O@O*@@*@ w m s 11 0 4 0 0 0",
        "more than the 9",
    ),
    ("********/@*****@*/OO@**@*O w m r 3 0 4 0 1 1", "both sides"),
    ("********/********/O@O*O@*@ w m r 3 0 3 0 1 0", "no mill"),
    ("********/********/O@O*O@*@ w m s 3 0 3 0 1 0", "remove"),
];

#[test]
fn bad_positions_are_refused() {
    let place = Place::new();
    for (bad, words) in BAD {
        place.run(&["probe", bad]).fails_with(2, words);
        place.run(&["line", "--json", bad]).fails_with(2, words);
        place.run(&["perft", bad, "2"]).fails_with(2, words);
    }
}

/// Programs note more about a position than is read here, and people copy all of it.
#[test]
fn what_follows_a_position_is_ignored() {
    let place = Place::new();
    let value = place.run(&["probe", "--json", FLYING]).json();
    for more in [
        "ids:nodes",
        "-1 -1 -1 -1 0 0 1 ids:nodes",
        "1 2 3 4 5 6 7 8",
        "c:0 x;y",
    ] {
        let short = FLYING.trim_end_matches(" -1 -1 -1 -1 0 0 1");
        let run = place.run(&["probe", "--json", &format!("{short} {more}")]);
        assert_eq!(run.json(), value, "{more}");
    }
}

// Streams

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
    let [utf8, long, larger, start, flying] = &answers[2 * BAD.len()..] else {
        unreachable!("five lines are left");
    };
    assert_eq!(text(&utf8["error"]["code"]), "invalid");
    assert_eq!(text(&long["error"]["code"]), "invalid");
    assert_eq!(text(&larger["error"]["code"]), "missing");
    assert!(text(&larger["error"]["message"]).contains("millbase build --pair 6-4"));
    assert_eq!(text(&start["error"]["code"]), "missing");
    assert_eq!(text(&flying["position"]), FLYING);
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
        let single = run(&[command, "--json", FLYING]).object();
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
    let turn = format!("{} a1-a4\nstart", crate::common::WON);
    let facts = Place::new().run_with(&["explain", "--json", "-"], turn);
    let facts = objects(&facts.out);
    assert_eq!(facts[0]["turns"].as_array().unwrap().len(), 1);
    assert_eq!(facts[1]["error"]["code"], "missing");
    for start in ["start", "startpos"] {
        assert_eq!(run(&["perft", start, "2"]).out, "552\n");
    }
    let capital = run(&["explain", "--json", crate::common::WON, "A1-A4"]).json();
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

#[cfg(target_os = "linux")]
#[test]
fn full_disks_are_reported() {
    let place = Place::new();
    for args in [&["stats"][..], &["man", "probe"], &["perft", "start", "2"]] {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let output = place.command(args).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(5));
        assert!(output.stderr.starts_with(b"error: cannot write the answer"));
    }
}

// Lines

#[test]
fn lines_lead_to_the_end() {
    let answer = run(&["line", "--json", FLYING]).json();
    assert_eq!(text(&answer["wdl"]), "loss");
    assert_eq!(text(&answer["end"]), "over");
    assert_eq!(answer["repeats"], Json::Null);
    assert_eq!(answer["drawn_after"], Json::Null);
    let line = answer["line"].as_array().unwrap();
    assert_eq!(line.len() as u64, answer["dtw"].as_u64().unwrap());

    // After 98 quiet turns the line's second turn draws the game by the count, unless a removal comes before.
    let is_quiet = |turn: &Json| !text(&turn["turn"]).contains('x');
    assert!(line[..2].iter().all(is_quiet), "{line:?}");
    let counted = FLYING
        .split_whitespace()
        .take(10)
        .collect::<Vec<_>>()
        .join(" ");
    let counted = format!("{counted} -1 -1 -1 -1 0 98 1");
    let answer = run(&["line", "--json", &counted]).json();
    assert_eq!(answer["drawn_after"], 2);
    let shown = run(&["line", &counted]).out;
    assert!(shown.contains("the game is drawn after turn 2"), "{shown}");

    let rules = Rules::STANDARD;
    let mut position = Position::parse(FLYING, &rules).unwrap();
    for step in line {
        let probed = run(&["probe", "--json", &position.text(&rules)]).json();
        assert_eq!(
            (&step["wdl"], &step["dtw"]),
            (&probed["wdl"], &probed["dtw"])
        );
        let turn = text(&step["turn"]).parse().unwrap();
        assert!(position.turns(&rules).contains(&turn));
        position = position.after(turn);
        assert_eq!(position.text(&rules), text(&step["position"]));
    }
    assert!(position.is_over(&rules));

    let shown = run(&["line", FLYING]);
    assert_eq!((shown.status, shown.err.as_str()), (0, ""));
    assert!(shown.out.ends_with("\nwhite has lost\n"));
    let over = run(&["line", BLOCKED]);
    assert_eq!(over.status, 0);
    assert!(over.out.ends_with("\nwhite has lost\n"));
}

#[test]
fn drawn_lines_lead_to_a_repetition() {
    let drawn = "O***O***/*O****O*/@**@**@@ w m s 4 0 4 0 0 0";
    let answer = run(&["line", "--json", drawn]).json();
    assert_eq!(
        (text(&answer["wdl"]), &answer["dtw"]),
        ("draw", &Json::Null)
    );
    assert_eq!(text(&answer["end"]), "repetition");
    let line = answer["line"].as_array().unwrap();
    let last = &line[line.len() - 1]["position"];
    let earlier = match answer["repeats"].as_u64().unwrap() as usize {
        0 => &answer["position"],
        turns => &line[turns - 1]["position"],
    };
    assert_eq!(last, earlier);

    let cut = run(&["line", "--json", "--limit", "1", drawn]).json();
    assert_eq!(text(&cut["end"]), "limit");
    assert_eq!(cut["line"].as_array().unwrap().len(), 1);
}

// Statistics and lists

#[test]
fn stats_add_up() {
    let answer = run(&["stats", "--json", "--histogram"]).json();
    let tables = answer["tables"].as_array().unwrap();
    assert_eq!(tables.len(), 10);
    for table in tables {
        let number = |name: &str| table[name].as_u64().unwrap();
        let sum = number("wins") + number("draws") + number("losses");
        assert_eq!(number("positions"), sum);
        let rows = table["histogram"].as_array().unwrap();
        for (wdl, count, deepest) in [
            ("win", "wins", "max_win"),
            ("draw", "draws", "no depth"),
            ("loss", "losses", "max_loss"),
        ] {
            let rows = rows.iter().filter(|row| row["wdl"] == wdl);
            let total = rows.clone().map(|row| row["positions"].as_u64().unwrap());
            assert_eq!(total.sum::<u64>(), number(count));
            assert_eq!(
                rows.filter_map(|row| row["dtw"].as_u64()).max(),
                table[deepest].as_u64()
            );
        }
    }
    let first = &tables[0];
    assert_eq!(
        (text(&first["pair"]), first["max_loss"].as_u64()),
        ("3-3", Some(26))
    );

    let answer = run(&["stats", "--json", "--pair", "3-4"]).json();
    let tables = answer["tables"].as_array().unwrap();
    let sides: Vec<_> = tables
        .iter()
        .map(|table| (table["to_move"].as_u64(), table["other"].as_u64()))
        .collect();
    assert_eq!(sides, [(Some(4), Some(3)), (Some(3), Some(4))]);
    assert_eq!(tables[0]["positions"], 760_398);
    assert!(tables[0].get("histogram").is_none());

    let shown = run(&["stats", "--pair", "4-3", "--histogram"]);
    assert!(shown.out.contains("760,398"));
    assert!(shown.out.contains("win in 1 "));
}

#[test]
fn records_are_named_and_played() {
    let answer = run(&["records", "--json", "--pair", "4-3", "--limit", "2"]).json();
    let tables = answer["pairs"][0]["tables"].as_array().unwrap();
    let [larger, smaller] = &tables[..] else {
        panic!("{answer}")
    };
    assert_eq!([&larger["to_move"], &smaller["to_move"]], [4, 3]);
    assert_eq!(smaller["loss"], Json::Null);
    for (record, wdl, dtw) in [
        (&larger["win"], "win", 1),
        (&larger["loss"], "loss", 32),
        (&smaller["win"], "win", 33),
    ] {
        assert_eq!(record["dtw"], dtw);
        let line = record["line"].as_array().unwrap();
        assert_eq!(line.len() as u64, dtw);
        let first = record["first"].as_array().unwrap();
        assert_eq!(first.len(), 2);
        for position in first {
            let probe = run(&["probe", "--json", text(position)]).json();
            assert_eq!((&probe["wdl"], &probe["dtw"]), (&json!(wdl), &json!(dtw)));
        }
    }
    assert_eq!(answer["placing"], json!([]));
    let shown = run(&["records", "--pair", "4-3"]).out;
    assert!(
        shown.contains("loss in 32 ") && shown.contains("4-3                  0"),
        "{shown}"
    );
    // Each record is there with a position, then with that position and a line.
    assert_eq!(
        shown
            .lines()
            .filter(|line| line.contains(" w m s "))
            .count(),
        6,
        "{shown}"
    );
    let place = Place::new();
    place
        .run(&["records", "--pair", "9-8"])
        .fails_with(3, "9-8 is missing");
    place
        .run(&["records", "--limit", "0"])
        .fails_with(2, "whole number from 1");
}

#[test]
fn positions_are_found_by_conditions() {
    let found = |args: &[&str]| {
        let run = run(&[&["find", "4-3"], args].concat());
        run.out.lines().map(str::to_owned).collect::<Vec<String>>()
    };
    let deepest = found(&["--value", "loss", "--depth", "32"]);
    assert_eq!(deepest.len(), 33);
    assert!(deepest.iter().all(|line| line.ends_with(" loss in 32")));
    assert_eq!(found(&["--value", "loss", "--depth", "33.."]), [""; 0]);
    let corners = found(&[
        "--own", "a1,d1", "--other", "g1", "--depth", "..5", "--limit", "4",
    ]);
    assert_eq!(corners.len(), 4);
    for line in corners {
        let outer = line.split(['/', ' ']).nth(2).unwrap();
        assert_eq!(&outer[3..6], "@OO", "{line}");
    }
    // Only turns, by the answers of probe.
    let only = run(&[
        "find", "4-3", "--value", "win", "--depth", "9..", "--good", "1", "--limit", "3", "--json",
    ]);
    let only: Vec<Json> = (only.out.lines())
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(only.len(), 3);
    for position in only {
        let probe = run(&["probe", "--json", text(&position["position"])]).json();
        let turns = probe["turns"].as_array().unwrap();
        assert_eq!(turns.iter().filter(|turn| turn["wdl"] == "win").count(), 1);
        assert!(probe["dtw"].as_u64() >= Some(9) && position["dtw"] == probe["dtw"]);
    }
    // Four stones around the corner a7 and its neighbours cannot all be blocked by three.
    assert_eq!(found(&["--blocked", "5"]), [""; 0]);
    assert!(!found(&["--blocked", "3", "--limit", "2"]).is_empty());
    let place = Place::new();
    for (args, words) in [
        (["--depth", "9..3"], "a range like 10..20"),
        (["--depth", "x"], "a range like 10..20"),
        (["--own", "a1,z9"], "'z9' is not a point"),
        (["--value", "lost"], "expected win, draw or loss"),
    ] {
        place
            .run(&[&["find", "4-3"], &args[..]].concat())
            .fails_with(2, words);
    }
    place.run(&["find", "9-8"]).fails_with(3, "9-8 is missing");
}

#[test]
fn list_names_what_is_missing() {
    let answer = run(&["list", "--json"]).json();
    let databases = answer["databases"].as_array().unwrap();
    assert_eq!(databases.len(), 28);
    let present: Vec<&str> = databases
        .iter()
        .filter(|entry| entry["present"] == true)
        .map(|entry| text(&entry["pair"]))
        .collect();
    assert_eq!(present, ["3-3", "4-3", "5-3", "4-4", "6-3", "5-4"]);
    let missing = databases
        .iter()
        .find(|entry| entry["pair"] == "6-4")
        .unwrap();
    assert_eq!(missing["bytes"], Json::Null);
    assert_eq!(missing["needs"], serde_json::json!(["6-3", "5-4"]));

    let shown = run(&["list"]).out;
    assert!(shown.contains("missing, needs 6-3 and 5-4"));
    assert!(shown.contains("6 of 28 databases"));
}

#[test]
fn perft_counts() {
    for (depth, count) in [
        ("0", 1),
        ("1", 24),
        ("2", 552),
        ("3", 12_144),
        ("4", 255_024),
    ] {
        let answer = run(&["perft", "--json", "start", depth]).json();
        assert_eq!(answer["count"], count);
        assert_eq!(text(&answer["position"]), START);
    }
    assert_eq!(run(&["perft", START, "4"]).out, "255,024\n");
    let words: Vec<&str> = ["perft"]
        .into_iter()
        .chain(START.split(' '))
        .chain(["2"])
        .collect();
    assert_eq!(run(&words).out, "552\n");

    let answer = run(&["perft", "--json", "--divide", FLYING, "3"]).json();
    let turns = answer["turns"].as_array().unwrap();
    assert_eq!(turns.len(), 54);
    let sum: u64 = turns
        .iter()
        .map(|turn| turn["count"].as_u64().unwrap())
        .sum();
    assert_eq!(answer["count"], sum);
    assert_eq!(
        run(&["perft", "--divide", "start", "1"])
            .out
            .lines()
            .count(),
        26
    );
    assert_eq!(run(&["perft", BLOCKED, "1"]).out, "0\n");

    for wrong in ["100", "-1", "four"] {
        let words = format!("'{wrong}' is not a DEPTH: expected a whole number from 0 to 99");
        run(&["perft", "start", wrong]).fails_with(2, &words);
    }
    run(&["perft", "start"]).fails_with(2, "the DEPTH is missing");
}

/// The counts of programs for which a removal is a move of its own.
#[test]
fn perft_counts_actions() {
    for (depth, count) in [
        ("0", "1"),
        ("1", "24"),
        ("4", "255,024"),
        ("5", "5,100,480"),
    ] {
        let counted = run(&["perft", "--actions", "start", depth]);
        assert_eq!(counted.out, format!("{count}\n"));
    }
    let rules = Rules::STANDARD;
    for text in [FLYING, REMOVAL] {
        let position = Position::parse(text, &rules).unwrap();
        let mut lines = HashSet::new();
        add_actions(&position, &[], &mut lines);
        let answer = run(&["perft", "--json", "--divide", "--actions", text, "3"]).json();
        assert_eq!(answer["count"], lines.len());
        assert_eq!(answer["actions"], true);
        let first: HashSet<&str> = lines.iter().map(|line| line[0].as_str()).collect();
        let divided = answer["turns"].as_array().unwrap();
        assert_eq!(divided.len(), first.len());
        assert!(
            divided
                .iter()
                .all(|action| first.contains(&text_of(action)))
        );
    }
}

fn text_of(action: &Json) -> &str {
    text(&action["turn"])
}

/// Adds all lines of three actions that begin with these.
fn add_actions(position: &Position, before: &[String], lines: &mut HashSet<Vec<String>>) {
    for turn in position.turns(&Rules::STANDARD) {
        let turn_text = turn.to_string();
        let separated = turn_text.replace('x', " x");
        let actions = separated.split_whitespace().map(str::to_owned);
        let mut line: Vec<String> = before.iter().cloned().chain(actions).collect();
        match line.len() {
            0..3 => add_actions(&position.after(turn), &line, lines),
            _ => {
                line.truncate(3);
                lines.insert(line);
            }
        }
    }
}

#[test]
fn bench_measures_everything() {
    let place = Place::new();
    let quick = ["bench", "--seconds", "0.02", "--max-stones", "7"];
    let measured = place.run(&[&quick[..], &["--json", "--quiet", "--seed", "2"]].concat());
    assert_eq!(measured.err, "");
    let answer = measured.json();
    assert_eq!(answer["seed"], 2);
    assert_eq!(answer["seconds_per_measurement"], 0.02);
    let pairs = ["3-3", "4-3", "5-3", "4-4", "6-3", "5-4"];
    assert_eq!(answer["databases"], serde_json::json!(pairs));
    for field in [
        "threads",
        "cold_probes",
        "cold_probe_p50_us",
        "cold_probe_p99_us",
        "warm_probes_per_s",
        "warm_probes_per_s_all_threads",
        "rankings_per_s",
        "loading_mb_per_s_all_threads",
        "search_placing_nodes_per_s",
        "search_moving_nodes_per_s",
        "/build/seconds",
        "/build/ns_per_entry_and_core",
    ] {
        let value = answer.get(field).or_else(|| answer.pointer(field));
        let value = value.and_then(Json::as_f64).unwrap_or_default();
        assert!(value > 0.0 && value.is_finite(), "{field}: {answer}");
    }
    // The program contains no files of the placing phase.
    assert!(answer["first_answers"].is_null(), "{answer}");
    let build = &answer["build"];
    assert_eq!(build["max_stones"], 7);
    // 3-3: 158 rows of 1330 columns. 4-3: 757 of 1140 and 158 of 5985.
    assert_eq!(build["entries"], 158 * 1330 + 757 * 1140 + 158 * 5985);

    let shown = place.run(&quick);
    assert_eq!(shown.status, 0, "{}", shown.err);
    for words in [
        "databases: 3-3 4-3 5-3",
        "\ncold probe, 99 %",
        "\nbuild to 7 stones",
    ] {
        assert!(shown.out.contains(words), "{}", shown.out);
    }
    for wrong in ["0", "much", "-1"] {
        place
            .run(&["bench", "--seconds", wrong])
            .fails_with(2, wrong);
    }
    place
        .run(&["bench", "--max-stones", "25"])
        .fails_with(2, "25");
}

// Folders and files

#[test]
fn folders_are_chosen_in_order() {
    let place = Place::new();
    let folder = |command: &mut Command| {
        let answer = process::run(command).json();
        text(&answer["folder"]).to_owned()
    };
    let list = ["list", "--json"];
    assert!(folder(&mut place.command(&list)).contains("millbase"));
    fs::create_dir(place.path().join("db")).unwrap();
    assert_eq!(folder(&mut place.command(&list)), "db");
    fs::create_dir(place.path().join("other")).unwrap();
    assert_eq!(
        folder(place.command(&list).env("MILLBASE_DB", "other")),
        "other"
    );
    assert_eq!(folder(place.command(&list).env("MILLBASE_DB", "")), "db");
    let named = ["list", "--json", "--db", "third"];
    assert_eq!(
        folder(place.command(&named).env("MILLBASE_DB", "other")),
        "third"
    );
}

#[test]
fn folders_that_are_none() {
    let place = Place::new();
    let absent = place.run(&["stats", "--db", "absent"]);
    assert_eq!(absent.status, 0);
    assert!(absent.err.contains("absent"));
    assert_eq!(place.run(&["stats", "--quiet", "--db", "absent"]).err, "");

    fs::write(place.path().join("file"), "").unwrap();
    place
        .run(&["stats", "--db", "file"])
        .fails_with(2, "not a folder");
    place
        .run(&["build", "--db", "file"])
        .fails_with(2, "not a folder");
}

#[test]
fn build_resumes_and_repeats_itself() {
    let place = Place::new();
    let dry = ["build", "--dry-run", "--pair", "5-4", "--db", "new/db"];
    let plan = place.run(&[&dry[..], &["--json"]].concat()).json();
    let pairs = plan["pairs"].as_array().unwrap();
    let pairs: Vec<&str> = pairs.iter().map(|pair| text(&pair["pair"])).collect();
    assert_eq!(pairs, ["3-3", "4-3", "5-3", "4-4", "5-4"]);
    let forecasts = plan["pairs"].as_array().unwrap().iter();
    let forecasts = forecasts.map(|pair| pair["file_bytes"].as_u64().unwrap());
    let sum = plan["file_bytes"].as_u64().unwrap();
    assert!(sum.abs_diff(forecasts.sum()) < 5 && sum > 0);
    let shown = place.run(&dry);
    assert_eq!(shown.status, 0);
    assert!(shown.out.contains("5 pairs"));
    assert!(!place.path().join("new").exists());

    let limited = [
        "build",
        "--max-stones",
        "7",
        "--memory",
        "1M",
        "--db",
        "new/db",
    ];
    place.run(&limited).fails_with(2, "--memory; raise it");
    let limited = place.run(&limited);
    assert!(!limited.err.contains("--max-stones"), "{}", limited.err);
    let fewer = ["build", "--memory", "20M", "--db", "new/db"];
    place.run(&fewer).fails_with(2, "--max-stones ");
    assert!(!place.path().join("new").exists());

    let small = place.run(&["build", "--max-stones", "7", "--db", "new/db"]);
    assert_eq!(small.status, 0, "{}", small.err);
    assert_eq!(small.err.lines().count(), 2);
    // Headings, three tables, an empty line and the sum.
    assert_eq!(small.out.lines().count(), 6);
    assert!(small.out.contains("760,398"));
    let sum = small.out.lines().last().unwrap();
    assert!(sum.starts_with("2 pairs, "), "{sum}");

    let build = [
        "build",
        "--max-stones",
        "8",
        "--db",
        "new/db",
        "--json",
        "--quiet",
    ];
    let built = place.run(&build);
    assert_eq!(built.err, "");
    let built = built.json();
    let built = built["pairs"].as_array().unwrap();
    let new: Vec<&str> = built
        .iter()
        .filter(|pair| pair["seconds"].is_f64())
        .map(|pair| text(&pair["pair"]))
        .collect();
    assert_eq!(new, ["5-3", "4-4"]);
    assert_eq!(built.len(), 4);
    for pair in built {
        let tables = pair["tables"].as_array().unwrap();
        assert!(pair["bytes"].as_u64().unwrap() > 0);
        assert!(
            tables
                .iter()
                .all(|table| table["seconds"].is_f64() == pair["seconds"].is_f64())
        );
    }

    // The same bytes as the official files; other tests verify those.
    let official = root().join("db");
    for pair in ["3-3", "4-3", "5-3", "4-4"] {
        let read = |folder: &Path| fs::read(folder.join(format!("{pair}.mill"))).unwrap();
        let built = read(&place.path().join("new/db"));
        assert!(built == read(&official), "{pair} differs");
    }
    let files = fs::read_dir(place.path().join("new/db")).unwrap();
    assert_eq!(files.count(), 4, "the four pairs, and no lock");
}

#[test]
fn build_makes_what_a_pair_needs() {
    let place = Place::new();
    fs::create_dir(place.path().join("db")).unwrap();
    write_draws(&place.path().join("db"), Pair::new(5, 4).unwrap());
    let pairs = |run: &Run| {
        let answer = run.json();
        let pairs = answer["pairs"].as_array().unwrap().iter();
        pairs.map(|pair| text(&pair["pair"]).to_owned()).collect()
    };
    let build = ["build", "--pair", "5-4", "--json", "--quiet"];
    let planned: Vec<String> = pairs(&place.run(&[&build[..], &["--dry-run"]].concat()));
    assert_eq!(planned, ["3-3", "4-3", "5-3", "4-4"]);
    let built: Vec<String> = pairs(&place.run(&build));
    assert_eq!(built, ["3-3", "4-3", "5-3", "4-4", "5-4"]);
    for name in built {
        let file = place.path().join("db").join(format!("{name}.mill"));
        assert!(file.exists(), "{name}");
    }
    let again: Vec<String> = pairs(&place.run(&[&build[..], &["--dry-run"]].concat()));
    assert!(again.is_empty());
}

/// A file of a pair in which every value is a draw.
fn write_draws(folder: &Path, pair: Pair) {
    let indexes = pair.tables().into_iter().map(Index::new);
    let values = |index: &Index| vec![0; index.len()];
    let indexes: Vec<Index> = indexes.collect();
    let solved = SolvedPair {
        pair,
        values: &values(&indexes[0]),
        histograms: indexes
            .iter()
            .map(|index| Histogram::of_table(index, &values(index)))
            .collect(),
    };
    let path = folder.join(format!("{pair}.mill"));
    write_pair(&path, &Rules::STANDARD, &solved, Profile::default()).unwrap();
}

#[test]
fn pairs_without_those_they_need_are_left_out() {
    let place = Place::new();
    write_draws(place.path(), Pair::new(8, 3).unwrap());
    let sample = ["verify", "--db", ".", "--sample", "10"];
    let run = place.run(&[&sample[..], &["--json", "--quiet"]].concat());
    assert_eq!(run.status, 3, "{}{}", run.out, run.err);
    assert_eq!(run.err.lines().count(), 1);
    assert!(run.err.contains("1 of 7 files"), "{}", run.err);
    let answer: Json = serde_json::from_str(&run.out).unwrap();
    assert_eq!(answer["ok"], false);
    for pair in answer["pairs"].as_array().unwrap() {
        let missing = pair["pair"] == "8-3";
        assert_eq!(pair["ok"], !missing, "{pair}");
        assert_eq!(pair["checked"] == 0, missing, "{pair}");
        assert_eq!(pair["error"].is_object(), missing, "{pair}");
        if missing {
            assert_eq!(pair["error"]["code"], "missing");
            assert!(text(&pair["error"]["message"]).contains("7-3"), "{pair}");
        }
    }
    let sampled = place.run(&sample);
    assert_eq!(sampled.status, 3);
    assert!(sampled.out.contains("\n8-3: the database 7-3 is missing"));

    let bench = ["bench", "--seconds", "0.01", "--max-stones", "6", "--json"];
    let answer = place.run(&[&bench[..], &["--db", "."]].concat()).json();
    let pairs = ["3-3", "4-3", "5-3", "4-4", "6-3", "5-4"];
    assert_eq!(answer["databases"], serde_json::json!(pairs));
}

#[test]
fn verify_finds_the_built_in_databases_right() {
    let place = Place::new();
    let all = place.run(&["verify"]);
    assert_eq!(all.status, 0, "{}{}", all.out, all.err);
    assert_eq!(all.out.lines().count(), 7);
    let sampled = place
        .run(&["verify", "--sample", "100", "--pair", "4-3", "--json"])
        .json();
    assert_eq!(sampled["ok"], true);
    assert_eq!(sampled["pairs"][0]["checked"], 200);
}

#[test]
fn damaged_files_are_reported() {
    let place = Place::new();
    let build = place.run(&["build", "--max-stones", "6", "--db", "."]);
    assert_eq!(build.status, 0, "{}", build.err);
    let file = place.path().join("3-3.mill");
    let bytes = fs::read(&file).unwrap();

    let mut header = bytes.clone();
    header[0] ^= 1;
    let mut longer = bytes.clone();
    longer.push(0);
    let short = bytes[..bytes.len() - 1].to_vec();
    for damaged in [header, longer, short, Vec::new()] {
        fs::write(&file, damaged).unwrap();
        for command in [
            &["stats", "--pair", "3-3"][..],
            &["probe", FLYING],
            &["build"],
        ] {
            let run = place.run(&[command, &["--db", "."]].concat());
            run.fails_with(4, "3-3.mill");
        }
        let verify = place.run(&["verify", "--pair", "3-3", "--quiet", "--db", "."]);
        assert_eq!(verify.status, 4, "{}", verify.err);
        assert!(verify.out.contains("3-3.mill"), "{}", verify.out);
        let list = place.run(&["list", "--db", "."]);
        list_has_an_unusable_file(&list);
        assert!(list.out.contains("unusable: ./3-3.mill"), "{}", list.out);
        // The other pairs still have answers.
        let stats = place.run(&["stats", "--db", "."]);
        assert_eq!(stats.status, 4);
        assert!(stats.err.contains("3-3.mill"), "{}", stats.err);
        assert!(stats.out.contains("4-3"), "{}", stats.out);
        let other = place.run(&[
            "verify", "--pair", "5-3", "--sample", "100", "--quiet", "--db", ".",
        ]);
        assert_eq!(other.status, 0, "{}", other.err);
    }

    let mut block = bytes;
    let last = block.len() - 1;
    block[last] ^= 1;
    fs::write(&file, block).unwrap();
    assert_eq!(place.run(&["stats", "--db", "."]).status, 0);
    let verify = place.run(&["verify", "--db", ".", "--quiet"]);
    assert_eq!(verify.status, 4);
    // Where three move in 4-3, values follow from those of 3-3, and captures in 4-4 lead there.
    let damaged = "error: 3 of 6 files could not be checked: 3-3, 4-3, 4-4; the answer says why\n";
    assert_eq!(verify.err, damaged);
    let found = |words: &str| verify.out.lines().any(|line| line.starts_with(words));
    assert!(
        found("5-3 ") && found("3-3: ") && found("4-4: "),
        "{}",
        verify.out
    );
    assert!(verify.out.contains("3-3.mill") && verify.out.contains("byte"));
    let pair = ["verify", "--db", ".", "--quiet", "--json", "--pair", "3-3"];
    let verify = place.run(&pair);
    assert_eq!(verify.status, 4);
    let answer: Json = serde_json::from_str(&verify.out).unwrap();
    assert_eq!(answer["pairs"][0]["error"]["code"], "corrupt");
}

/// The table does not call the file missing, and no advice fails.
fn list_has_an_unusable_file(list: &Run) {
    let error = "error: 1 file cannot be used; the answer says why\n";
    assert_eq!((list.status, list.err.as_str()), (4, error));
    let row = list.out.lines().find(|line| line.starts_with("3-3 "));
    assert!(row.unwrap().ends_with("unusable"), "{}", list.out);
    let advice = "makes the missing ones, when the unusable ones are gone";
    assert!(list.out.contains(advice), "{}", list.out);
}

// Looks

#[test]
fn colours_are_for_those_who_want_them() {
    let place = Place::new();
    let coloured = |command: &mut Command| process::run(command).out.contains("\x1b[");
    assert!(!coloured(&mut place.command(&["probe", FLYING])));
    assert!(!coloured(
        &mut place.command(&["probe", FLYING, "--color", "never"])
    ));
    assert!(coloured(
        &mut place.command(&["probe", FLYING, "--color", "always"])
    ));
    let mut json = place.command(&["probe", FLYING, "--color", "always", "--json"]);
    assert!(!coloured(&mut json));
}

/// Commands take pairs with stones in hand and positions in which a side may place or move.
#[test]
fn lasker_works_from_the_build_to_the_line() {
    let place = Place::new();
    let settings = "base = 'lasker'\nstones = 3\n";
    fs::write(place.path().join("three.toml"), settings).unwrap();
    fs::create_dir(place.path().join("db")).unwrap();
    let run = |args: &[&str]| place.run(&[&["--rules", "three.toml"], args].concat());
    let plan = run(&["build", "--dry-run", "--pair", "2-3+1-0", "--json"]).json();
    let pairs = plan["pairs"].as_array().unwrap().iter();
    let pairs: Vec<&str> = pairs
        .map(|planned| planned["pair"].as_str().unwrap())
        .collect();
    assert_eq!(pairs, ["3-3", "3-2+0-1"]);
    run(&["build", "--pair", "6-4+1-1"]).fails_with(2, "no pair 6-4+1-1 under these rules");
    run(&["build", "--placing"]).fails_with(2, "the databases of the pairs hold the positions");
    run(&["prove"]).fails_with(2, "the databases of the pairs hold the positions");
    assert_eq!(
        run(&["build", "--json"]).json()["pairs"]
            .as_array()
            .unwrap()
            .len(),
        8
    );
    let verified = run(&["verify", "--json"]).json();
    assert_eq!(verified["pairs"].as_array().unwrap().len(), 8);

    // With three stones on the board and in hand, a side flies.
    let position = "O*******/@*******/******** w p p 1 2 1 2 0 0";
    let answer = run(&["probe", "--json", position]).json();
    assert_eq!(answer["phase"], "placing");
    assert_eq!(answer["turns"].as_array().unwrap().len(), 22 + 22);
    assert_eq!(answer["source"], "database");
    let line = run(&[
        "line",
        "--json",
        "O*O*****/@*@*****/******** w p p 2 1 2 1 0 0",
    ])
    .json();
    assert_eq!((&line["wdl"], &line["dtw"]), (&json!("win"), &json!(3)));
    // White places, Black places, White moves to a mill.
    let turns = line["line"].as_array().unwrap().iter();
    let turns: Vec<usize> = turns
        .map(|turn| turn["turn"].as_str().unwrap().len())
        .collect();
    assert_eq!(turns, [2, 2, 8]);
    let counted = run(&["perft", "start", "3", "--json"]).json();
    assert_eq!(counted["count"], 24 * 23 * (22 + 22));
}

#[test]
fn every_set_of_rules_has_its_folder() {
    let place = Place::new();
    let db = place.path().join("db");
    fs::create_dir(&db).unwrap();
    let with = |rules: &str, args: &[&str]| place.run(&[&["--rules", rules], args].concat());
    with("no-flying", &["probe", FLYING])
        .fails_with(3, "build --pair 3-3 --rules no-flying --db db");
    let built = with("no-flying", &["build", "--pair", "4-3", "--json"]).json();
    assert_eq!(built["folder"], "db/no-flying");
    assert!(db.join("no-flying/4-3.mill").exists() && !db.join("4-3.mill").exists());

    // Three stones that may not fly are soon blocked.
    let value = |rules| with(rules, &["probe", "--json", FEWER]).json();
    let (slow, flying) = (value("no-flying"), value("standard"));
    assert_eq!(slow["phase"], "moving");
    assert_eq!(flying["phase"], "flying");
    assert!(slow["turns"].as_array().unwrap().len() < flying["turns"].as_array().unwrap().len());
    let list = with("no-flying", &["list", "--json"]).json();
    assert_eq!(list["databases"].as_array().unwrap().len(), 28);
    let verified = with("no-flying", &["verify", "--json"]).json();
    assert_eq!(verified["pairs"].as_array().unwrap().len(), 2);

    // The same settings without their name.
    fs::write(place.path().join("own.toml"), "flying = 0\n").unwrap();
    assert_eq!(with("own.toml", &["probe", "--json", FEWER]).json(), slow);
    // Databases of other rules are in a subfolder, and files in a wrong folder are refused.
    fs::write(place.path().join("own.toml"), "stones = 4\nflying = 0\n").unwrap();
    let built = with("own.toml", &["build", "--json", "--max-stones", "6"]).json();
    assert!(built["folder"].as_str().unwrap().starts_with("db/rules-"));
    fs::copy(db.join("no-flying/3-3.mill"), db.join("3-3.mill")).unwrap();
    let refused = "3-3.mill was built for the rules no-flying, not for standard";
    place.run(&["probe", FLYING]).fails_with(4, refused);
    with("standard", &["build", "--max-stones", "7"]).fails_with(4, refused);

    let small = place.path().join("small");
    let small = small.to_str().unwrap();
    let packed = with("no-flying", &["repack", "--json", "--to", small]).json();
    assert_eq!(packed["pairs"].as_array().unwrap().len(), 2);
    let packed = place.run(&[
        "--db",
        small,
        "--rules",
        "no-flying",
        "probe",
        "--json",
        FEWER,
    ]);
    assert_eq!(packed.json(), slow);
}

#[test]
fn plans_of_twelve_stones_name_all_pairs() {
    let place = Place::new();
    let plan = |args: &[&str]| {
        place
            .run(&[&["build", "--json", "--dry-run"], args].concat())
            .json()
    };
    let all = plan(&["--rules", "twelve"]);
    let pairs = all["pairs"].as_array().unwrap();
    assert_eq!(pairs.len(), 55);
    assert_eq!(pairs.last().unwrap()["pair"], "12-12");
    assert!(all["seconds"].as_f64().unwrap() > 1.0);
    let some = plan(&["--rules", "twelve", "--max-stones", "14"]);
    let pairs = some["pairs"].as_array().unwrap().iter();
    let stones = pairs.map(|pair| {
        pair["pair"]
            .as_str()
            .unwrap()
            .parse::<Pair>()
            .unwrap()
            .stones()
    });
    assert_eq!(stones.max(), Some(14));
    place
        .run(&["build", "--pair", "10-3"])
        .fails_with(2, "a side has at most 9 stones");
}

/// Four stones that may not fly: small enough to solve and prove in a moment.
#[test]
fn the_opening_of_other_rules_is_solved_and_proved() {
    let place = Place::new();
    fs::write(place.path().join("own.toml"), "stones = 4\nflying = 0\n").unwrap();
    let run = |args: &[&str]| place.run(&[args, &["--rules", "own.toml", "--db", "db"]].concat());
    fs::create_dir(place.path().join("db")).unwrap();
    let missing = run(&["prove"]);
    missing.fails_with(3, "the proof needs 3-3, 4-3, 4-4, which are missing; build with `millbase build --rules FILE --db db`");
    let plan = run(&["build", "--placing", "--dry-run", "--json"]).json();
    assert_eq!(plan["placing"].as_array().unwrap().len(), 8);
    let built = run(&["build", "--placing", "--json"]).json();
    assert_eq!(built["pairs"].as_array().unwrap().len(), 3);
    assert_eq!(built["placing"].as_array().unwrap().len(), 5);
    let verified = run(&["verify", "--placing", "--json"]).json();
    assert_eq!(verified["ok"], true);

    let start = run(&["probe", "start", "--json"]).json();
    assert_eq!(start["source"], "database");
    let proof = run(&["prove", "--json"]).json();
    assert_eq!(proof["position"], start["position"]);
    assert_eq!(proof["wdl"], start["wdl"]);
    assert!(proof["proof"]["probes"].as_u64().unwrap() > 0);
    let too_few = run(&["prove", "--pairs", "3-3"]);
    assert_eq!(too_few.status, 1, "{}", too_few.err);
    assert!(too_few.out.contains("not proved"), "{}", too_few.out);

    fs::write(place.path().join("own.toml"), "removal_per_mill = true\n").unwrap();
    run(&["build", "--placing"]).fails_with(2, "the placing phase cannot be solved under");
    run(&["prove"]).fails_with(2, "the placing phase cannot be solved under");
    run(&["prove", "--pairs", "10-9"]).fails_with(2, "");
}

#[test]
fn wrong_rules_are_refused_with_a_sentence() {
    let place = Place::new();
    fs::write(place.path().join("own.toml"), "stones = 4\nflyin = 0\n").unwrap();
    for (rules, words) in [
        (
            "nine",
            "standard, standard-100, no-flying, ten, lasker, twelve, morabaraba",
        ),
        ("none.toml", "cannot read the file"),
        (
            "own.toml",
            "'own.toml' for '--rules <NAME|FILE>': line 2: unknown field `flyin`",
        ),
    ] {
        place
            .run(&["perft", "start", "1", "--rules", rules])
            .fails_with(2, words);
    }
    fs::write(
        place.path().join("own.toml"),
        "base = 'ten'\ndiagonals = true\n",
    )
    .unwrap();
    let perft = |rules: &str, depth| place.run(&["perft", "start", depth, "--rules", rules]).out;
    assert_eq!(perft("own.toml", "2"), "552\n");
    // The diagonals close mills with the third stone of a side.
    assert_ne!(perft("own.toml", "5"), perft("ten", "5"));
}

#[test]
fn folders_are_compared_with_a_list_of_checksums() {
    let place = Place::new();
    let file = |name: &str| place.path().join(name);
    for name in ["3-3.mill", "4-3.mill"] {
        fs::copy(root().join("db").join(name), file(name)).unwrap();
    }
    let list = fs::read_to_string(root().join("db/SHA256SUMS")).unwrap();
    assert_eq!(list.lines().count(), 28 + 11);
    let of = |name: &str| list.lines().find(|line| line.ends_with(name)).unwrap();
    let lines = |names: &[&str]| {
        names
            .iter()
            .map(|name| format!("{}\n", of(name)))
            .collect::<String>()
    };
    let compare = |text: &str| {
        fs::write(file("sums"), text).unwrap();
        place.run(&["verify", "--sums", "sums", "--db", ".", "--json"])
    };
    let results = |run: &Run| -> Vec<String> {
        let files = run.object()["files"].as_array().unwrap().clone();
        let text = |value: &Json| value.as_str().unwrap().to_owned();
        let files = files
            .iter()
            .map(|file| text(&file["file"]) + " " + &text(&file["result"]));
        files.collect()
    };
    let same = compare(&lines(&["3-3.mill", "4-3.mill"]));
    assert_eq!(
        (same.status, same.object()["ok"].as_bool()),
        (0, Some(true))
    );
    assert_eq!(results(&same), ["3-3.mill same", "4-3.mill same"]);
    let missing = compare(&lines(&["3-3.mill", "9-9.mill"]));
    assert_eq!(missing.status, 3);
    assert_eq!(
        results(&missing),
        ["3-3.mill same", "9-9.mill missing", "4-3.mill not_listed"]
    );

    let mut bytes = fs::read(file("4-3.mill")).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(file("4-3.mill"), bytes).unwrap();
    let differs = compare(&list);
    assert_eq!(
        (differs.status, differs.object()["ok"].as_bool()),
        (1, Some(false))
    );
    let found = results(&differs);
    let count = |word: &str| found.iter().filter(|file| file.ends_with(word)).count();
    assert_eq!(
        (count("same"), count("differs"), count("missing")),
        (1, 1, 28 + 11 - 2)
    );

    // Those that are here can be checked alone.
    let ignoring = |text: &str| {
        fs::write(file("sums"), text).unwrap();
        let args = ["verify", "--sums", "sums", "--ignore-missing", "--json"];
        place.run(&[&args[..], &["--db", "."]].concat())
    };
    let here = ignoring(&lines(&["3-3.mill", "9-9.mill"]));
    assert_eq!(
        (here.status, here.object()["ok"].as_bool()),
        (0, Some(true))
    );
    assert_eq!(results(&here), ["3-3.mill same", "4-3.mill not_listed"]);
    assert_eq!(ignoring(&list).status, 1);
    ignoring(&lines(&["9-9.mill"])).fails_with(3, "no file of the list is in .; choose another");

    for wrong in [
        "3-3.mill\n",
        "12  3-3.mill\n",
        &of("3-3.mill").replace("  ", "  ../"),
    ] {
        compare(wrong).fails_with(2, "line 1 of sums is not a checksum: expected 64");
    }
    // Lists as other tools write them.
    let other = format!("# comment\n{}", of("3-3.mill").replace("  ", " *"));
    assert_eq!(results(&compare(&other))[0], "3-3.mill same");
    place
        .run(&["verify", "--sums", "none"])
        .fails_with(2, "cannot read 'none'");
    let args = ["verify", "--sums", "-", "--db", "."];
    assert_eq!(place.run_with(&args, lines(&["3-3.mill"])).status, 0);
    compare("\n").fails_with(2, "the list sums names no file");
}

/// The lists of checksums in the repository: every pair in every form, and what `repack` makes of
/// the repository's databases is what they tell.
#[test]
fn lists_of_checksums_name_every_file_of_every_form() {
    let list = |name: &str| fs::read_to_string(root().join("db").join(name)).unwrap();
    let common = list("SHA256SUMS");
    let plies = list("SHA256SUMS.plies");
    assert!(common.lines().all(|line| plies.lines().any(|l| l == line)));
    let pairs: Vec<String> = (3..=9)
        .flat_map(|more| (3..=more).map(move |less| format!("{more}-{less}.mill")))
        .collect();
    for (name, plies) in [
        ("SHA256SUMS", 11),
        ("SHA256SUMS.plies", 18),
        ("SHA256SUMS.max", 0),
        ("SHA256SUMS.wdl", 11),
        ("SHA256SUMS.wdl-max", 11),
    ] {
        let text = list(name);
        let mut files: Vec<&str> = text
            .lines()
            .map(|line| {
                let (sum, file) = line.split_once("  ").unwrap();
                let digit = |byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
                assert!(sum.len() == 64 && sum.bytes().all(digit), "{name}: {line}");
                file
            })
            .collect();
        files.sort();
        files.dedup();
        let (of_pairs, of_plies): (Vec<&str>, Vec<&str>) = files
            .into_iter()
            .partition(|file| pairs.iter().any(|pair| pair == file));
        assert_eq!(
            (of_pairs.len(), of_plies.len()),
            (pairs.len(), plies),
            "{name}"
        );
    }

    let place = Place::new();
    let from = fs::canonicalize(root().join("db")).unwrap();
    let from = from.to_str().unwrap();
    for (name, form) in [
        ("SHA256SUMS", &[] as &[&str]),
        ("SHA256SUMS.max", &["--level", "max"]),
        ("SHA256SUMS.wdl", &["--profile", "wdl"]),
        (
            "SHA256SUMS.wdl-max",
            &["--profile", "wdl", "--level", "max"],
        ),
    ] {
        for pair in ["3-3", "4-3"] {
            let repack = ["repack", "--db", from, "--to", name, "--pair", pair];
            let run = place.run(&[&repack[..], form].concat());
            assert_eq!(run.status, 0, "{}", run.err);
        }
        let sums = format!("{from}/{name}");
        let run = place.run(&["verify", "--sums", &sums, "--db", name, "--json"]);
        let files = run.object()["files"].as_array().unwrap().clone();
        let same = files.iter().filter(|file| file["result"] == "same");
        assert_eq!(same.count(), 2, "{name}: {}", run.out);
    }
}

/// Under a limit of quiet turns a depth leads to the next removal, and says so.
#[test]
fn depths_under_a_limit_say_what_they_count() {
    let place = Place::new();
    let limited = |args: &[&str]| {
        let run = place.run(&[&["--rules", "standard-100", "--db", "db"], args].concat());
        assert_eq!(run.status, 0, "{}", run.err);
        run
    };
    limited(&["build", "--pair", "3-3"]);
    let words = "counted to the next removal or the end";
    let probed = limited(&["probe", FLYING]).out;
    assert!(probed.contains(words), "{probed}");
    let value = limited(&["--json", "probe", FLYING]).json();
    let standard = place.run(&["--json", "probe", FLYING]).json();
    assert_eq!([&value["wdl"], &standard["wdl"]], ["loss"; 2]);
    assert!(value["dtw"].as_u64() <= standard["dtw"].as_u64());
    assert!(!place.run(&["probe", FLYING]).out.contains(words));
    // With the count that the text states, the loser holds.
    let depth = value["dtw"].as_u64().unwrap();
    let counted = |quiet: u64| {
        FLYING.split_whitespace().collect::<Vec<_>>()[..10].join(" ")
            + &format!(" -1 -1 -1 -1 0 {quiet} 1")
    };
    for (quiet, wdl) in [(100 - depth, "loss"), (101 - depth, "draw")] {
        let text = counted(quiet);
        assert_eq!(limited(&["--json", "probe", &text]).json()["wdl"], wdl);
        assert_eq!(limited(&["--json", "line", &text]).json()["wdl"], wdl);
        assert_eq!(limited(&["--json", "explain", &text]).json()["wdl"], wdl);
        let shown = limited(&["probe", &text]).out;
        assert!(
            shown.contains(&format!(", after {quiet} quiet turns")),
            "{shown}"
        );
    }
    // The engine claims no length of a win, and counts from the text.
    for (quiet, score) in [(100 - depth, "cp -20000"), (101 - depth, "cp 0")] {
        let input = format!("position fen {}\ngo depth 1\n", counted(quiet));
        let args = ["--rules", "standard-100", "--db", "db", "uci"];
        let out = place.run_with(&args, input).out;
        assert!(out.contains(&format!("score {score} ")), "{out}");
    }
    place
        .run(&["--rules", "standard-100", "--db", "db", "puzzles", "make"])
        .fails_with(2, "puzzles state the turns to the end of the game");
    let repack = ["repack", "--profile", "wdl", "--to", "results"];
    let repack = [&["--rules", "standard-100", "--db", "db"], &repack[..]].concat();
    place
        .run(&repack)
        .fails_with(2, "no databases without depths");
}
