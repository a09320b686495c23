//! Tests of what counts: `stats`, `records`, `find`, `perft` and `bench`.

use std::collections::HashSet;
use std::fs;

use crate::probe::{BLOCKED, FLYING, REMOVAL, START};
use crate::process::{Place, column, has, items, objects, run_alone, shows, split, text};
use millbase::{Position, Rules};
use serde_json::{Value as Json, json};

#[test]
fn stats_add_up() {
    let answer = run_alone(&["stats", "--json", "--histogram"]).json();
    let tables = items(&answer["tables"]);
    assert_eq!(tables.len(), 10);
    for table in tables {
        let number = |name: &str| table[name].as_u64().unwrap();
        let sum = number("wins") + number("draws") + number("losses");
        assert_eq!(number("positions"), sum);
        let rows = items(&table["histogram"]);
        for (wdl, count, deepest) in [
            ("win", "wins", "max_win"),
            ("draw", "draws", "no depth"),
            ("loss", "losses", "max_loss"),
        ] {
            let rows = rows.iter().filter(|row| row["wdl"] == wdl);
            let total = rows.clone().map(|row| row["positions"].as_u64().unwrap());
            assert_eq!(total.sum::<u64>(), number(count));
            let depths = rows.filter_map(|row| row["dtw"].as_u64());
            assert_eq!(depths.max(), table[deepest].as_u64());
        }
    }
    has!(tables[0], {"pair": "3-3", "max_loss": 26});

    let answer = run_alone(&["stats", "--json", "--pair", "3-4"]).json();
    let tables = items(&answer["tables"]);
    assert_eq!(tables.len(), 2);
    has!(tables[0], {"to_move": 4, "other": 3, "positions": 760_398});
    has!(tables[1], {"to_move": 3, "other": 4});
    assert!(tables[0].get("histogram").is_none());

    let shown = run_alone(&["stats", "--pair", "4-3", "--histogram"]);
    assert!(shown.out.contains("760,398"));
    assert!(shown.out.contains("win in 1 "));
}

#[test]
fn records_are_named_and_played() {
    let answer = run_alone(&["records", "--json", "--pair", "4-3", "--limit", "2"]).json();
    let [larger, smaller] = items(&answer["pairs"][0]["tables"]) else {
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
        assert_eq!(items(&record["line"]).len(), dtw);
        let first = items(&record["first"]);
        assert_eq!(first.len(), 2);
        for position in first {
            let probe = run_alone(&["probe", "--json", text(position)]).json();
            has!(probe, {"wdl": wdl, "dtw": dtw});
        }
    }
    assert_eq!(answer["placing"], json!([]));
    let shown = run_alone(&["records", "--pair", "4-3"]).out;
    assert!(
        shown.contains("loss in 32 ") && shown.contains("4-3                  0"),
        "{shown}"
    );
    // Each record is there with a position, then with that position and a line.
    assert_eq!(shown.matches(" w m s ").count(), 6, "{shown}");
    let place = Place::new();
    place.fails("records --pair 9-8", 3, "9-8 is missing");
    place.fails("records --limit 0", 2, "whole number from 1");
}

#[test]
fn positions_are_found_by_conditions() {
    let found = |args: &str| {
        let run = run_alone(&split(&format!("find 4-3 {args}")));
        run.out.lines().map(str::to_owned).collect::<Vec<String>>()
    };
    let deepest = found("--value loss --depth 32");
    assert_eq!(deepest.len(), 33);
    assert!(deepest.iter().all(|line| line.ends_with(" loss in 32")));
    assert_eq!(found("--value loss --depth 33.."), [""; 0]);
    let corners = found("--own a1,d1 --other g1 --depth ..5 --limit 4");
    assert_eq!(corners.len(), 4);
    for line in corners {
        let outer = line.split(['/', ' ']).nth(2).unwrap();
        assert_eq!(&outer[3..6], "@OO", "{line}");
    }
    // Only turns, by the answers of probe.
    let only = found("--value win --depth 9.. --good 1 --limit 3 --json");
    let only = objects(&only.join("\n"));
    assert_eq!(only.len(), 3);
    for position in only {
        let probe = run_alone(&["probe", "--json", text(&position["position"])]).json();
        let wins = column(&probe["turns"], "wdl").into_iter();
        assert_eq!(wins.filter(|wdl| *wdl == "win").count(), 1);
        assert!(probe["dtw"].as_u64() >= Some(9) && position["dtw"] == probe["dtw"]);
    }
    // Four stones around the corner a7 and its neighbours cannot all be blocked by three.
    assert_eq!(found("--blocked 5"), [""; 0]);
    assert!(!found("--blocked 3 --limit 2").is_empty());
    let place = Place::new();
    for (args, words) in [
        ("find 4-3 --depth 9..3", "a range like 10..20"),
        ("find 4-3 --depth x", "a range like 10..20"),
        ("find 4-3 --own a1,z9", "'z9' is not a point"),
        ("find 4-3 --value lost", "expected win, draw or loss"),
    ] {
        place.fails(args, 2, words);
    }
    place.fails("find 9-8", 3, "9-8 is missing");
    place.fails("find placed-8", 3, "placing-08.mill");
    // Rules whose pairs hold the positions with stones in hand have no such file.
    let tables = "--rules lasker dataset --to x.parquet placed-4";
    for command in ["--rules lasker find placed-4", tables] {
        place.fails(command, 2, "in hand, too; name a pair instead of placed-4");
    }
}

#[test]
fn perft_counts() {
    for (depth, count) in [1, 24, 552, 12_144, 255_024].into_iter().enumerate() {
        let answer = run_alone(&["perft", "--json", "start", &depth.to_string()]).json();
        has!(answer, {"count": count, "position": START});
    }
    assert_eq!(run_alone(&["perft", START, "4"]).out, "255,024\n");
    let words = format!("perft {START} 2");
    assert_eq!(run_alone(&split(&words)).out, "552\n");

    let answer = run_alone(&["perft", "--json", "--divide", FLYING, "3"]).json();
    let turns = items(&answer["turns"]);
    assert_eq!(turns.len(), 54);
    let counts = turns.iter().map(|turn| turn["count"].as_u64().unwrap());
    assert_eq!(answer["count"], counts.sum::<u64>());
    let shown = run_alone(&["perft", "--divide", "start", "1"]);
    assert_eq!(shown.out.lines().count(), 26);
    assert_eq!(run_alone(&["perft", BLOCKED, "1"]).out, "0\n");

    for wrong in ["100", "-1", "four"] {
        let words = format!("'{wrong}' is not a DEPTH: expected a whole number from 0 to 99");
        run_alone(&["perft", "start", wrong]).fails_with(2, &words);
    }
    run_alone(&["perft", "start"]).fails_with(2, "the DEPTH is missing");
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
        let counted = run_alone(&["perft", "--actions", "start", depth]);
        assert_eq!(counted.out, format!("{count}\n"));
    }
    let rules = Rules::STANDARD;
    for text in [FLYING, REMOVAL] {
        let position = Position::parse(text, &rules).unwrap();
        let mut lines = HashSet::new();
        add_actions(&position, &[], &mut lines);
        let answer = run_alone(&["perft", "--json", "--divide", "--actions", text, "3"]).json();
        has!(answer, {"count": lines.len(), "actions": true});
        let first: HashSet<&str> = lines.iter().map(|line| line[0].as_str()).collect();
        let divided = column(&answer["turns"], "turn");
        assert_eq!(divided.len(), first.len());
        assert_eq!(divided.into_iter().collect::<HashSet<_>>(), first);
    }
    // f4 closes two mills: d2 goes first, as the others are in a mill, and then one of these three.
    let place = Place::new();
    fs::write(place.path().join("own.toml"), "removal_per_mill = true\n").unwrap();
    let two_mills = "**O*****/*O*O@***/@@O****@ w p p 4 1 4 1 0 0";
    let perft = "perft --json --divide --actions --rules own.toml".split(' ');
    let run = place.run(&perft.chain([two_mills, "3"]).collect::<Vec<_>>());
    let answer = run.json();
    let mut turns = items(&answer["turns"]).iter();
    let closing = turns.find(|turn| turn["turn"] == "f4").unwrap();
    assert_eq!(closing["count"], 3);
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
    let measured = "bench --seconds 0.02 --max-stones 7 --json --quiet --seed 2";
    let measured = place.run(&split(measured));
    assert_eq!(measured.err, "");
    let answer = measured.json();
    has!(answer, {"seed": 2, "seconds_per_measurement": 0.02});
    let pairs = ["3-3", "4-3", "5-3", "4-4", "6-3", "5-4"];
    assert_eq!(answer["databases"], serde_json::json!(pairs));
    let fields = "threads cold_probes cold_probe_p50_us cold_probe_p99_us warm_probes_per_s \
        warm_probes_per_s_all_threads rankings_per_s loading_mb_per_s_all_threads \
        search_placing_nodes_per_s search_moving_nodes_per_s /build/seconds \
        /build/ns_per_entry_and_core";
    for field in split(fields) {
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

    let shown = place.run(&split("bench --seconds 0.02 --max-stones 7"));
    assert_eq!(shown.status, 0, "{}", shown.err);
    for words in [
        "databases: 3-3 4-3 5-3",
        "\ncold probe, 99 %",
        "\nbuild to 7 stones",
    ] {
        shows(&shown.out, words);
    }
    for wrong in ["0", "much", "-1", "1e9", "inf", "nan", "1s"] {
        place.fails(&format!("bench --seconds {wrong}"), 2, wrong);
    }
    place.fails("bench --max-stones 25", 2, "25");
}
