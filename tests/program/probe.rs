//! Tests of `millbase probe` and `millbase line`: answers, and positions that have none.

use crate::common::{WON, rows};
use crate::process::{self, Place, column, has, items, objects, run_alone, shows, split, text};
use millbase::{Position, Rules};
use serde_json::{Value as Json, json};

/// White is to move and loses in 26.
pub const FLYING: &str = "********/********/O@O*O@*@ w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 1";

/// White has four stones and no turn.
pub const BLOCKED: &str = "********/@*****@*/OO@**@OO w o ? 4 0 4 0 0 0 -1 -1 -1 -1 0 0 1";

/// White has closed a mill and has to remove a stone.
pub const REMOVAL: &str = "********/@*****@*/OO@**@*O w m r 3 0 4 0 1 0 -1 -1 -1 -1 0 0 1";

pub const START: &str = "********/********/******** w p p 0 9 0 9 0 0 -1 -1 -1 -1 0 0 1";

/// White is to move, three stones against four.
pub const FEWER: &str = "********/*******@/O@O*O@*@ w m s 3 0 4 0 0 0 -1 -1 -1 -1 0 0 1";

/// Six stones against four: not among the built-in pairs.
pub const LARGER: &str = "OOO*****/O*O**O**/@*@**@*@ w m s 6 0 4 0 0 0 -1 -1 -1 -1 0 0 1";

/// Whether a position has more stones than the built-in pairs.
pub fn is_larger(text: &str) -> bool {
    let position = Position::parse(text, &Rules::STANDARD).unwrap();
    24 - position.empty().len() > 9
}

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
    let run = run_alone(&["probe", BLOCKED, "--json"]);
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
    has!(answer, {"position": FLYING, "side_to_move": "white", "phase": "flying"});
    has!(answer, {"source": "database", "wdl": "loss", "dtw": 26});
    let turns = items(&answer["turns"]);
    assert_eq!(turns.len(), 54);
    assert_eq!(turns[0]["dtw"], 26);
    // All lose: the slowest come first, equal ones in the order of their texts.
    let order = |turn: &Json| {
        let dtw = turn["dtw"].as_u64().unwrap();
        (std::cmp::Reverse(dtw), text(&turn["turn"]).to_owned())
    };
    assert!(turns.is_sorted_by_key(order));

    let input = column(&answer["turns"], "position").join("\n");
    let answers = objects(&place.run_with(&["probe", "--json", "-"], input).out);
    for (turn, after) in turns.iter().zip(&answers) {
        assert_eq!(turn["position"], after["position"]);
        assert_eq!(text(&after["wdl"]), "win");
        assert_eq!(turn["dtw"], after["dtw"].as_u64().unwrap() + 1);
    }
}

#[test]
fn probe_gives_as_many_turns_as_are_asked_for() {
    let place = Place::new();
    let all = place.run(&["probe", "--json", FLYING]).json();
    let best = json!([all["turns"][0]]);
    for (most, turns) in [("best", Some(&best)), ("none", None)] {
        let args = ["probe", "--json", "--turns", most, FLYING];
        let mut some = place.run(&args).json();
        assert_eq!(some.get("turns"), turns);
        some["turns"] = all["turns"].clone();
        assert_eq!(some, all);
    }

    let input = format!("{FLYING}\n{BLOCKED}\nnonsense\n{LARGER}\n");
    let json = objects(&place.run_with(&["probe", "--json", "-"], input.clone()).out);
    let labels = place.run_with(&["probe", "--turns", "none", "-"], input);
    assert_eq!(labels.status, 2);
    let label = |answer: &Json| match (answer["wdl"].as_str(), &answer["dtw"]) {
        (None, _) => format!("error: {}", text(&answer["error"]["message"])),
        (Some("draw"), _) => "D".to_owned(),
        (Some(wdl), dtw) => format!("{} {dtw}", wdl[..1].to_uppercase()),
    };
    let expected: Vec<String> = json.iter().map(label).collect();
    assert_eq!(labels.out.lines().collect::<Vec<_>>(), expected);
    assert_eq!(expected[..2], ["L 26", "L 0"]);
}

#[test]
fn probe_answers_for_people() {
    let run = run_alone(&["probe", FLYING]);
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
    shows(&run.out, picture);
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
    has!(exchanged, {"side_to_move": "black", "dtw": usual["dtw"]});
    let turns = column(&exchanged["turns"], "turn");
    assert_eq!(turns, column(&usual["turns"], "turn"));

    let words = format!("probe --json {FLYING}");
    assert_eq!(place.run(&split(&words)).json(), usual);
}

#[test]
fn owed_removals_are_turns() {
    let answer = run_alone(&["probe", "--json", REMOVAL]).json();
    assert_eq!(text(&answer["position"]), REMOVAL);
    let mut texts = column(&answer["turns"], "turn");
    texts.sort();
    assert_eq!(texts, ["xa1", "xb4", "xd6", "xg4"]);
    assert_eq!(answer["dtw"], answer["turns"][0]["dtw"]);
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
    place.fails("stats --pair 9-8", 3, "millbase build --pair 9-8");
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
pub const BAD: [(&str, &str); 22] = [
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
        "1 2 3 4 5 0 7 8",
        "c:0 x;y",
    ] {
        let short = FLYING.trim_end_matches(" -1 -1 -1 -1 0 0 1");
        let run = place.run(&["probe", "--json", &format!("{short} {more}")]);
        assert_eq!(run.json(), value, "{more}");
    }
    // The sixteenth field is the count of quiet turns.
    let counted = FLYING.replace("-1 -1 -1 -1 0 0 1", "1 2 3 4 5 6 7 8");
    let answer = place.run(&["probe", "--json", &counted]).json();
    has!(answer, {"position": FLYING.replace(" 0 0 1", " 0 6 1"), "dtw": &value["dtw"]});
    assert_eq!(
        column(&answer["turns"], "turn"),
        column(&value["turns"], "turn")
    );
}

#[test]
fn lines_lead_to_the_end() {
    let answer = run_alone(&["line", "--json", FLYING]).json();
    has!(answer, {"wdl": "loss", "end": "over", "repeats": null, "drawn_after": null});
    let line = items(&answer["line"]);
    assert_eq!(answer["dtw"], line.len());

    // After 98 quiet turns the line's second turn draws the game by the count, unless a removal comes before.
    let is_quiet = |turn: &Json| !text(&turn["turn"]).contains('x');
    assert!(line[..2].iter().all(is_quiet), "{line:?}");
    let counted = FLYING.replace(" 0 0 1", " 0 98 1");
    let answer = run_alone(&["line", "--json", &counted]).json();
    assert_eq!(answer["drawn_after"], 2);
    let shown = run_alone(&["line", &counted]).out;
    shows(&shown, "the game is drawn after turn 2");

    let rules = Rules::STANDARD;
    let mut position = Position::parse(FLYING, &rules).unwrap();
    for step in line {
        let probed = run_alone(&["probe", "--json", &position.text(&rules)]).json();
        has!(step, {"wdl": &probed["wdl"], "dtw": &probed["dtw"]});
        let turn = text(&step["turn"]).parse().unwrap();
        assert!(position.turns(&rules).contains(&turn));
        position = position.after(turn);
        assert_eq!(position.text(&rules), text(&step["position"]));
    }
    assert!(position.is_over(&rules));

    for lost in [FLYING, BLOCKED] {
        let shown = run_alone(&["line", lost]);
        assert_eq!((shown.status, shown.err.as_str()), (0, ""));
        assert!(shown.out.ends_with("\nwhite has lost\n"), "{}", shown.out);
    }
}

#[test]
fn drawn_lines_lead_to_a_repetition() {
    let drawn = "O***O***/*O****O*/@**@**@@ w m s 4 0 4 0 0 0";
    let answer = run_alone(&["line", "--json", drawn]).json();
    has!(answer, {"wdl": "draw", "dtw": null, "end": "repetition"});
    let line = items(&answer["line"]);
    let last = &line[line.len() - 1]["position"];
    let earlier = match answer["repeats"].as_u64().unwrap() as usize {
        0 => &answer["position"],
        turns => &line[turns - 1]["position"],
    };
    assert_eq!(last, earlier);

    let cut = run_alone(&["line", "--json", "--limit", "1", drawn]).json();
    assert_eq!(cut["end"], "limit");
    assert_eq!(items(&cut["line"]).len(), 1);

    // A count cannot make a draw of a draw.
    let counted = format!("{drawn} -1 -1 -1 -1 0 90 1");
    let answer = run_alone(&["line", "--json", &counted]).json();
    has!(answer, {"end": "repetition", "drawn_after": null});
}

/// Values that the usual count of quiet turns changes say so in each form, and positions keep the count.
#[test]
fn a_count_that_changes_a_value_is_said() {
    let place = Place::new();
    let after = |quiet: u32| format!("{WON} -1 -1 -1 -1 0 {quiet} 1");
    let ask = |args: &[&str], position: &str| place.run(&[args, &[position]].concat());
    for (quiet, drawn) in [(0, None), (80, None), (99, Some(1)), (100, Some(0))] {
        let position = after(quiet);
        let probe = ask(&["probe", "--json"], &position).json();
        has!(probe, {"position": &position, "wdl": "win", "dtw": 21, "drawn_after": drawn});
        let first = format!("{}", probe["turns"][0]["position"]);
        let counted = if quiet == 0 { 0 } else { quiet + 1 };
        assert!(first.ends_with(&format!(" {counted} 1\"")), "{first}");
        for command in ["line", "explain"] {
            let answer = ask(&[command, "--json"], &position).json();
            has!(answer, {"position": &position, "drawn_after": drawn});
        }
        // A line that is cut short says so, too.
        let short = ask(&["line", "--json", "--limit", "1"], &position).json();
        has!(short, {"drawn_after": drawn});

        // No line is followed for a label, which has the number of quiet turns up to the draw.
        let left = 100 - quiet;
        let label = ask(&["probe", "--json", "--turns", "none"], &position).json();
        has!(label, {"drawn_after": (left < 21).then_some(left)});
        let expected = match left {
            ..21 => format!("W 21 {left}\n"),
            _ => "W 21\n".to_owned(),
        };
        let stream = |args: &[&str]| place.run_with(args, format!("{position}\n")).out;
        assert_eq!(stream(&["probe", "--turns", "none", "-"]), expected);
        let words = match drawn {
            None => "win in 21  ".to_owned(),
            Some(_) => format!(
                "win in 21, longer than the limit of 100 quiet turns allows without a removal, after {quiet} quiet turns  "
            ),
        };
        for command in ["probe", "line", "explain"] {
            let out = stream(&[command, "-"]);
            assert!(out.starts_with(&words), "{command}: {out}");
        }
    }
    let shown = ask(&["line"], &after(100)).out;
    shows(&shown, "the game is drawn already");
}
