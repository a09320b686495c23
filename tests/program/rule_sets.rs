//! Tests of the program with other rules than `standard`.

use std::fs;

use crate::probe::{FEWER, FLYING};
use crate::process::{Place, column, has, items, shows, split, text};
use millbase::Pair;
use serde_json::{Value as Json, json};

/// Commands take pairs with stones in hand and positions in which a side may place or move.
#[test]
fn lasker_works_from_the_build_to_the_line() {
    let place = Place::new();
    let settings = "base = 'lasker'\nstones = 3\n";
    fs::write(place.path().join("three.toml"), settings).unwrap();
    fs::create_dir(place.path().join("db")).unwrap();
    let run = |args: &[&str]| place.run(&[&["--rules", "three.toml"], args].concat());
    let plan = run(&["build", "--dry-run", "--pair", "2-3+1-0", "--json"]).json();
    assert_eq!(column(&plan["pairs"], "pair"), ["3-3", "3-2+0-1"]);
    run(&["build", "--pair", "6-4+1-1"]).fails_with(2, "no pair 6-4+1-1 under these rules");
    run(&["build", "--placing"]).fails_with(2, "the databases of the pairs hold the positions");
    run(&["prove"]).fails_with(2, "the databases of the pairs hold the positions");
    for command in ["build", "verify"] {
        let answer = run(&[command, "--json"]).json();
        assert_eq!(items(&answer["pairs"]).len(), 8);
    }
    // The tables that a check needs again are in files without names.
    fs::create_dir(place.path().join("scratch")).unwrap();
    let scratch = |folder| run(&["verify", "--json", "--scratch", folder]);
    assert_eq!(scratch("scratch").json()["ok"], true);
    assert_eq!(
        fs::read_dir(place.path().join("scratch")).unwrap().count(),
        0
    );
    scratch("missing").fails_with(5, "missing cannot be used");

    // Some pairs have one table although their sides differ.
    let records = run(&["records", "--json"]).json();
    assert_eq!(items(&records["pairs"]).len(), 8);
    let stats = ["stats", "--pair", "3-2+0-1"];
    let tables = run(&[&stats[..], &["--json"]].concat()).json();
    let hands = items(&tables["tables"]).iter();
    let hands: Vec<&Json> = hands.map(|table| &table["in_hand"]).collect();
    assert_eq!(hands, [&json!([0, 1]), &json!([1, 0])]);
    shows(&run(&stats).out, "3-2+0-1      2+1");
    let bench = run(&["bench", "--json", "--seconds", "0.01", "--max-stones", "6"]).json();
    assert_eq!(bench["build"]["max_stones"], 6);

    // With three stones on the board and in hand, a side flies.
    let position = "O*******/@*******/******** w p p 1 2 1 2 0 0";
    let answer = run(&["probe", "--json", position]).json();
    has!(answer, {"phase": "placing", "source": "database"});
    assert_eq!(items(&answer["turns"]).len(), 22 + 22);
    let position = "O*O*****/@*@*****/******** w p p 2 1 2 1 0 0";
    let line = run(&["line", "--json", position]).json();
    has!(line, {"wdl": "win", "dtw": 3});
    // White places, Black places, White moves to a mill.
    let turns = column(&line["line"], "turn");
    let lengths: Vec<usize> = turns.iter().map(|turn| turn.len()).collect();
    assert_eq!(lengths, [2, 2, 8]);
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
    assert!(items(&slow["turns"]).len() < items(&flying["turns"]).len());
    let list = with("no-flying", &["list", "--json"]).json();
    assert_eq!(items(&list["databases"]).len(), 28);
    let verified = with("no-flying", &["verify", "--json"]).json();
    assert_eq!(items(&verified["pairs"]).len(), 2);

    // The same settings without their name.
    fs::write(place.path().join("own.toml"), "flying = 0\n").unwrap();
    assert_eq!(with("own.toml", &["probe", "--json", FEWER]).json(), slow);
    // Databases of other rules are in a subfolder, and files in a wrong folder are refused.
    fs::write(place.path().join("own.toml"), "stones = 4\nflying = 0\n").unwrap();
    let built = with("own.toml", &["build", "--json", "--max-stones", "6"]).json();
    assert!(text(&built["folder"]).starts_with("db/rules-"));
    fs::copy(db.join("no-flying/3-3.mill"), db.join("3-3.mill")).unwrap();
    let refused = "3-3.mill was built for the rules no-flying, not for standard";
    place.run(&["probe", FLYING]).fails_with(4, refused);
    with("standard", &["build", "--max-stones", "7"]).fails_with(4, refused);

    let packed = with("no-flying", &["repack", "--json", "--to", "small"]).json();
    assert_eq!(items(&packed["pairs"]).len(), 2);
    let packed = ["--db", "small", "probe", "--json", FEWER];
    assert_eq!(with("no-flying", &packed).json(), slow);
}

#[test]
fn plans_of_twelve_stones_name_all_pairs() {
    let place = Place::new();
    let plan = |more: &str| {
        let args = format!("build --json --dry-run --rules twelve{more}");
        place.run(&split(&args)).json()
    };
    let all = plan("");
    let pairs = column(&all["pairs"], "pair");
    assert_eq!((pairs.len(), pairs[54]), (55, "12-12"));
    assert!(all["seconds"].as_f64().unwrap() > 1.0);
    let some = plan(" --max-stones 14");
    let pairs = column(&some["pairs"], "pair").into_iter();
    let stones = pairs.map(|pair| pair.parse::<Pair>().unwrap().stones());
    assert_eq!(stones.max(), Some(14));
    place.fails("build --pair 10-3", 2, "a side has at most 9 stones");
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
    assert_eq!(items(&plan["placing"]).len(), 8);
    let built = run(&["build", "--placing", "--json"]).json();
    assert_eq!(items(&built["pairs"]).len(), 3);
    assert_eq!(items(&built["placing"]).len(), 5);
    let verified = run(&["verify", "--placing", "--json"]).json();
    assert_eq!(verified["ok"], true);

    let start = run(&["probe", "start", "--json"]).json();
    assert_eq!(start["source"], "database");
    let proof = run(&["prove", "--json"]).json();
    has!(proof, {"position": start["position"], "wdl": start["wdl"]});
    assert!(proof["proof"]["probes"].as_u64().unwrap() > 0);
    let too_few = run(&["prove", "--pairs", "3-3"]);
    assert_eq!(too_few.status, 1, "{}", too_few.err);
    shows(&too_few.out, "not proved");

    fs::write(place.path().join("own.toml"), "removal_per_mill = true\n").unwrap();
    run(&["build", "--placing"]).fails_with(2, "the placing phase cannot be solved under");
    run(&["prove"]).fails_with(2, "the placing phase cannot be solved under");
    run(&["build", "--placing"]).fails_with(2, "; leave out --placing");
    run(&["prove", "--pairs", "10-9"]).fails_with(2, "");
}

/// Black makes the first move after White's pass, which the values count.
#[test]
fn the_side_that_placed_second_may_move_first() {
    let place = Place::new();
    let settings = "stones = 3\nfirst_to_move = 'black'\n";
    fs::write(place.path().join("three.toml"), settings).unwrap();
    fs::create_dir(place.path().join("db")).unwrap();
    let run = |args: &[&str]| place.run(&[&["--rules", "three.toml"], args].concat());
    let built = run(&["build", "--placing", "--json"]).json();
    assert_eq!(items(&built["placing"]).len(), 3);
    assert_eq!(run(&["verify", "--json"]).json()["ok"], true);

    let before = "******@*/*@**O@**/*O***O** w p s 3 0 3 0 0 0";
    let passing = run(&["probe", "--json", before]).json();
    has!(passing, {"phase": "placing", "wdl": "loss"});
    assert_eq!(column(&passing["turns"], "turn"), ["pass"]);
    let after = before.replace("w p s", "b m s");
    let moving = run(&["probe", "--json", &after]).json();
    has!(moving, {"phase": "flying", "wdl": "win"});
    let depth = |answer: &Json| answer["dtw"].as_u64().unwrap();
    assert_eq!(depth(&passing), depth(&moving) + 1);
    let start = run(&["probe", "--json", "start"]).json();
    let proof = run(&["prove", "--json"]).json();
    assert_eq!(proof["wdl"], start["wdl"]);
    let line = run(&["line", "--json", "start"]).json();
    let turns = column(&line["line"], "turn");
    assert_eq!((turns[6], turns.len() as u64), ("pass", depth(&start)));

    let game = "1. a1 b2 2. g7 f6 3. d2 c4 4. b2-b4 a1-a4\n";
    fs::write(place.path().join("game.txt"), game).unwrap();
    let with = |settings: &str| fs::write(place.path().join("three.toml"), settings).unwrap();
    with(&format!("{settings}quiet_turns = 50\n"));
    let texts = run(&["convert", "--to", "fen", "--every", "game.txt"]).out;
    let counts = texts.lines().filter_map(|text| text.split(' ').nth(15));
    let counts: Vec<&str> = counts.collect();
    assert_eq!(counts[6..], ["0", "0", "1", "2"]);
    with(&settings.replace("black", "white"));
    run(&["probe", before]).fails_with(2, "the phase is 'p' (placing)");
}

#[test]
fn wrong_rules_are_refused_with_a_sentence() {
    let place = Place::new();
    fs::write(place.path().join("own.toml"), "stones = 4\nflyin = 0\n").unwrap();
    let named = "standard, standard-100, no-flying, ten, lasker, twelve, morabaraba, dooz";
    let flyin = "'own.toml' for '--rules <NAME|FILE>': line 2: unknown field `flyin`";
    for (rules, words) in [
        ("nine", named),
        ("none.toml", "cannot read the file"),
        ("own.toml", flyin),
    ] {
        place.fails(&format!("perft start 1 --rules {rules}"), 2, words);
    }
    let diagonals = "base = 'ten'\ndiagonals = true\n";
    fs::write(place.path().join("own.toml"), diagonals).unwrap();
    let perft = |rules: &str, depth| place.run(&["perft", "start", depth, "--rules", rules]).out;
    assert_eq!(perft("own.toml", "2"), "552\n");
    assert_eq!(perft("Lasker", "3"), perft("lasker", "3"));
    // The diagonals close mills with the third stone of a side.
    assert_ne!(perft("own.toml", "5"), perft("ten", "5"));
    // No advice to build databases that there cannot be.
    let text = "base = 'lasker'\nstones = 3\nquiet_turns = 50\n";
    fs::write(place.path().join("own.toml"), text).unwrap();
    let why = "there are no databases for rules where sides move while placing or";
    place.fails("probe start --rules own.toml", 3, why);
    let run = place.run(&["probe", "start", "--rules", "own.toml"]);
    assert!(!run.err.contains("millbase build"), "{}", run.err);
    let list = place.run(&["list", "--rules", "own.toml"]).out;
    shows(&list, why);
    assert!(!list.contains("millbase build"), "{list}");
    let prove = place.run(&["prove", "--rules", "own.toml"]);
    prove.fails_with(2, why);
    assert!(!prove.err.contains("looks its value up"), "{}", prove.err);
    place.fails(
        "prove --rules lasker",
        2,
        "`millbase probe start` looks its value up",
    );
}

/// Turns with stones in hand are quiet where sides move then: their count is read, and its limit draws.
#[test]
fn quiet_turns_count_with_stones_in_hand() {
    let place = Place::new();
    let settings = "base = 'lasker'\nstones = 4\nquiet_turns = 20\nquiet_turns_flying = 3\n";
    fs::write(place.path().join("own.toml"), settings).unwrap();
    let (first, quiet) = ("d6\nf4\n", "d6-d5\nf4-f6\nd5-d6\n");
    let play = |options: &str, text: &str| {
        let args = split("play --black human")
            .into_iter()
            .chain(split(options));
        place.run_with(&args.collect::<Vec<_>>(), text).out
    };
    // Three stones in all, and so three quiet turns, remain only after a removal.
    let all = format!("{first}{quiet}f6-f4\nquit\n");
    for (options, drawn) in [
        ("--rules own.toml", false),
        ("--rules lasker --quiet-turns 3", true),
    ] {
        let out = play(options, &all);
        assert_eq!(out.contains("the game is drawn"), drawn, "{options}: {out}");
    }
    fs::write(place.path().join("own.toml"), settings.replace("20", "3")).unwrap();
    shows(&play("--rules own.toml", &all), "the game is drawn");

    let counted = "O*******/@*******/******** w p p 1 3 1 3 0 0 -1 -1 -1 -1 0 2 1";
    let script = |text: &str| format!("setoption name Rules value lasker\n{text}\nd\nquit\n");
    let uci = |position: &str| place.run_with(&["uci"], script(position)).out;
    let position = counted.replace(" 1 3 1 3", " 1 9 1 9");
    shows(
        &uci(&format!("position fen {position}")),
        &format!("Fen: {position}"),
    );
    // Elsewhere nothing moves before all stones are placed, so there is nothing to count.
    let none = position
        .replace(" 0 2 1", " 0 0 1")
        .replace(" 1 9 1 9", " 1 8 1 8");
    let script = format!(
        "position fen {}\nd\nquit\n",
        none.replace(" 0 0 1", " 0 2 1")
    );
    shows(
        &place.run_with(&["uci"], script).out,
        &format!("Fen: {none}"),
    );
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
    shows(&probed, words);
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
        for command in ["probe", "line", "explain"] {
            assert_eq!(limited(&["--json", command, &text]).json()["wdl"], wdl);
        }
        let shown = limited(&["probe", &text]).out;
        shows(&shown, &format!(", after {quiet} quiet turns"));
    }
    // At the limit the rules answer, without any file.
    for command in ["probe", "line", "explain"] {
        let args = ["--rules", "standard-100", "--json", command, &counted(100)];
        let answer = place.run(&args).json();
        assert_eq!(
            (&answer["wdl"], &answer["source"]),
            (&"draw".into(), &"rules".into())
        );
    }
    // The engine claims no length of a win, and counts from the text.
    for (quiet, score) in [(100 - depth, "cp -20000"), (101 - depth, "cp 0")] {
        let input = format!("position fen {}\ngo depth 1\n", counted(quiet));
        let args = ["--rules", "standard-100", "--db", "db", "uci"];
        let out = place.run_with(&args, input).out;
        shows(&out, &format!("score {score} "));
    }
    for (args, words) in [
        (
            "puzzles make",
            "puzzles state the turns to the end of the game",
        ),
        (
            "repack --profile wdl --to results",
            "no databases without depths",
        ),
    ] {
        place.fails(&format!("--rules standard-100 --db db {args}"), 2, words);
    }
}
