//! Tests of the coach's commands: answers, exit status, files.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use crate::common::{LARGER, RACE, WON, root};
use crate::process::{self, Guard, Place, Run, column, has, items, objects, shows, split, text};

impl Place {
    fn file(&self, name: &str, text: &str) {
        fs::write(self.path().join(name), text).unwrap();
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path().join(name)).unwrap()
    }
}

fn race(turns: &str) -> String {
    format!("[White \"Anna\"]\n[Black \"Ben\"]\n[FEN \"{RACE}\"]\n\n{turns}\n")
}

#[test]
fn a_game_is_reviewed() {
    let place = Place::new();
    place.file("game.txt", &race("1. e3-e4 c4-a1xa7"));
    let json = place.run(&["review", "--json", "game.txt"]).object();
    has!(json, {"white": "Anna", "result": "0-1", "first_error": 1, "decisive_error": 1});
    assert_eq!(json["first_error_black"], Json::Null);
    let turn = &json["turns"][0];
    has!(turn, {"grade": "gives-up-win", "wdl": "loss", "dtw": 2});
    has!(turn, {"before": {"wdl": "win", "dtw": 1}, "keeping": 4, "legal": 56});
    assert_eq!(json["last"]["value"]["wdl"], "loss");
    assert_eq!(items(&json["summary"]).len(), 6);

    let run = place.run(&["review", "game.txt", "--svg", "value.svg"]);
    assert_eq!((run.status, run.err.as_str()), (0, ""));
    shows(
        &run.out,
        "decisive error: turn 1, white e3-e4: gives up a win",
    );
    assert!(place.text("value.svg").contains("<circle"));

    // The annotated text is reviewed like the game.
    let text = place.run(&["review", "--text", "game.txt"]).out;
    shows(
        &text,
        "1. e3-e4?? {gives up a win: loss in 2; best e3-g7xc4",
    );
    let again = place.run_with(&["review", "--json", "-"], text).object();
    assert_eq!(again["turns"], json["turns"]);
}

#[test]
fn reviewed_positions_keep_a_stated_count() {
    let place = Place::new();
    let start = "********/********/O@O*O@*@ w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 98 1";
    place.file("g.txt", &format!("[FEN \"{start}\"]\n\n1. d1-a4 a7-d1 *\n"));
    let json = place.run(&["review", "--json", "g.txt"]).object();
    // The usual rule ends the game, though the text does not say so.
    has!(json, {"start": start, "result": "1/2-1/2"});
    let turns = items(&json["turns"]).iter().chain([&json["last"]]);
    for (position, count) in turns.map(|turn| text(&turn["position"])).zip(98..) {
        assert!(position.ends_with(&format!(" 0 {count} 1")), "{position}");
    }
    assert_eq!(json["turns"][0]["position"], start);
}

#[test]
fn archives_have_tables() {
    let place = Place::new();
    let games = race("1. e3-e4 c4-a1xa7") + &race("1. e3-a1 c4-a4 2. a1-g7xd1");
    place.file("games.txt", &games);
    let json = place.run(&["review", "--json", "games.txt"]).object();
    has!(json, {"games": 2, "unread": 0});
    let mut players = items(&json["players"]).iter();
    let anna = players.find(|row| row["name"] == "Anna").unwrap();
    // Won and lost once; three turns, all decisions, one of them wrong.
    has!(anna, {"wins": 1, "losses": 1, "score": 0.5, "turns": 3, "errors": 1});
    let accuracy = anna["accuracy"].as_f64().unwrap();
    assert!((accuracy - 2.0 / 3.0).abs() < 1e-9, "{accuracy}");
    assert_eq!(items(&anna["accuracy_interval"]).len(), 2);

    let each = place.run(&["review", "--each", "--json", "games.txt"]);
    let lines = objects(&each.out);
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[1]["turns"][0]["grade"], "slower");
    let run = place.run(&["review", "games.txt"]);
    assert!(run.out.starts_with("2 games\n"), "{}", run.out);

    place.fails("review games.txt --svg x.svg", 2, "draws one game");
    place.file("bad.txt", &(games + "\nrubbish\n"));
    let run = place.run(&["review", "--json", "bad.txt"]);
    assert_eq!(run.status, 2);
    let words = "error: 1 of 3 games could not be read, the first: 'bad.txt', line";
    assert!(run.err.starts_with(words), "{}", run.err);
    assert_eq!(run.err.lines().count(), 1, "{}", run.err);
    assert_eq!(run.object()["unread"], 1);

    // A game with an illegal turn is graded up to it.
    place.file("cut.txt", &race("1. e3-e4 c4-a1xa7 2. e4-e3 a1-a4"));
    let run = place.run(&["review", "--json", "cut.txt"]);
    assert_eq!(run.status, 2);
    let words = "error: 1 of 1 game could not be read in full, the first: 'cut.txt', line";
    assert!(run.err.starts_with(words), "{}", run.err);
    let game = run.object();
    let grades = column(&game["turns"], "grade");
    assert_eq!((grades.len(), grades[0]), (2, "gives-up-win"));
    let remark = text(&game["remarks"][0]);
    shows(remark, "cannot go on after 2 turns: ");
    // A last turn without its removal.
    place.file("strange.txt", &race("1. e3-e4 c4-a1"));
    let run = place.run(&["review", "strange.txt"]);
    assert_eq!(run.status, 2);
    let remark = "line 5, column 10: the game stops after c4-a1, before the removal that it earns";
    assert!(run.err.contains(remark) && run.out.contains(remark));
    // A result that the board contradicts.
    let turns = "1. e3-e4 c4-a1xa7 1-0";
    let remark = "line 5, column 19: the text says 1-0, but the board says 0-1";
    place.file("strange.txt", &race(turns));
    let run = place.run(&["review", "strange.txt"]);
    assert_eq!((run.status, run.err.as_str()), (0, ""), "{}", run.out);
    shows(&run.out, &format!("remark: {remark}"));
    place.file("two.txt", &format!("{}\n{}", race(turns), race("1. e3-e4")));
    let run = place.run(&["review", "two.txt"]);
    assert_eq!(run.err, "note: 1 game with remarks; '--each' shows them\n");
    let run = place.run(&["review", "two.txt", "--each"]);
    shows(&run.out, remark);
    place.fails("review .", 2, "'.' is a folder");

    // The form depends on the number of games, whichever of them can be read.
    place.file("bad.txt", &(race("1. e3-e4 c4-a1xa7") + "\nrubbish\n"));
    let run = place.run(&["review", "--json", "bad.txt"]);
    assert_eq!(run.status, 2, "{}", run.err);
    let json = run.object();
    has!(json, {"games": 1, "unread": 1});
    let run = place.run(&["review", "bad.txt"]);
    assert!(run.out.starts_with("1 game\n"), "{}", run.out);
    place.fails("review bad.txt --svg x.svg", 2, "the input has 2");
}

/// The grades of an archive depend neither on its files nor on the order of its games. A single game is
/// searched for more of its values.
#[test]
fn the_games_of_an_archive_are_graded_alike() {
    let place = Place::new();
    place.file("four.toml", "stones = 4\n");
    let [a, b] = ["a1", "g1"].map(|last| format!("1. d6 f4 2. d2 b4 3. {last} *\n"));
    let both = format!("{a}\n{b}");
    for (name, text) in [("a", &a), ("b", &b), ("both", &both)] {
        place.file(name, text);
    }
    let review = |args: &str, input: &str| {
        let args = format!("--json --rules four.toml review {args}");
        objects(&place.run_with(&split(&args), input).out)
    };
    for (file, input) in [("a", ""), ("-", a.as_str())] {
        assert_eq!(review(file, input)[0]["missing"], Json::Null);
    }
    let expected = review("--each both", "");
    assert_eq!(expected.len(), 2);
    assert!(expected.iter().all(|game| game["missing"].is_string()));
    for (args, input) in [("a b", ""), ("-", both.as_str()), ("a -", b.as_str())] {
        assert_eq!(review(&format!("--each {args}"), input), expected, "{args}");
    }
    let turned = review("--each b a", "");
    assert_eq!([&turned[1], &turned[0]], [&expected[0], &expected[1]]);
    assert_eq!(review("--each a", ""), expected[..1]);
    // The fifth turn has a grade in both.
    let graded = |files: &str| {
        let summary = review(files, "")[0]["summary"].clone();
        let counts = items(&summary)
            .iter()
            .filter_map(|entry| entry["graded"].as_u64());
        counts.sum::<u64>()
    };
    assert_eq!(["both", "a b", "b a"].map(graded), [2; 3]);
}

#[test]
fn failed_reviews_say_why() {
    let place = Place::new();
    place.file("start.txt", "d6 f4 d2\n");
    place.file("empty.txt", "\n");
    let twelve = "setoption name Rules value twelve\nposition startpos moves d6\n";
    place.file("twelve.txt", twelve);
    place.fails("review start.txt", 3, "no turn can be graded");
    place.file("lasker.txt", "1. d6 f4 2. d6-d5 f4-f2\n");
    place.file("two.txt", "1. d6 f4 2. d2 b4 *\n\n1. d6 f4 2. zz b4 *\n");
    // Neither reason hides the other.
    let unread = "could not be read in full, the first:";
    for (file, place_of_error) in [
        (
            "lasker.txt",
            format!("1 of 1 game {unread} 'lasker.txt', line 1"),
        ),
        (
            "two.txt",
            format!("1 of 2 games {unread} 'two.txt', line 3"),
        ),
    ] {
        let run = place.run(&["review", file]);
        assert_eq!(run.status, 2);
        shows(&run.err, "no turn can be graded: the databases");
        shows(&run.err, &place_of_error);
        assert_eq!(run.err.contains("try --rules lasker"), file == "lasker.txt");
        let json = place.run(&["review", "--json", file]);
        assert_eq!((json.status, &json.err), (2, &run.err));
        assert_eq!(json.object()["error"]["code"], "invalid");
    }
    place.fails("review empty.txt", 2, "does not contain a game");
    place.fails("review none.txt", 2, "cannot read 'none.txt'");
    place.fails("review twelve.txt", 2, "--rules twelve");
    let owed = "[FEN \"*@***O**/***@***@/O*O****O w m s 4 0 3 0 0 0\"]\n\n1. g4-g7 *\n";
    place.file("owed.txt", owed);
    place.fails("review owed.txt", 2, "before the removal that it earns");
    place.file("race.txt", &race("1. e3-e4 c4-a1xa7"));
    let own = "is the game's own file";
    place.fails("review race.txt --svg ./race.txt", 2, own);
    assert_eq!(place.text("race.txt"), race("1. e3-e4 c4-a1xa7"));
}

#[test]
fn a_file_that_cannot_be_read_does_not_stop_the_review() {
    let place = Place::new();
    let game = race("1. e3-e4 c4-a1xa7");
    place.file("a.txt", &game);
    place.file("empty", "");
    place.file("b.txt", &format!("{game}\nrubbish\n\n{game}"));
    let files = ["a.txt", "empty", "none", "b.txt"];
    let run = place.run(&[&["review", "--json"], &files[..]].concat());
    assert_eq!(run.status, 2);
    has!(run.object(), {"games": 3, "unread": 1});
    let lines: Vec<&str> = run.err.lines().collect();
    assert_eq!(lines.len(), 3, "{}", run.err);
    assert!(lines[0].starts_with("error: 'empty' does not contain a game"));
    assert!(lines[1].starts_with("error: cannot read 'none': "));
    shows(
        lines[2],
        "1 of 4 games could not be read, the first: 'b.txt', ",
    );
    // In a stream each error takes the line of its answer.
    let run = place.run(&[&["review", "--each", "--json"], &files[..]].concat());
    let lines = objects(&run.out);
    let is_error = lines.iter().map(|line| line["error"].is_object());
    let expected = [false, true, true, false, true, false];
    assert_eq!(is_error.collect::<Vec<_>>(), expected, "{}", run.out);
    assert_eq!(run.status, 2);
    place.fails("review --each --json empty", 2, "does not contain");
    place.fails("review --json none", 2, "cannot read 'none'");
    place.file("rubbish", "rubbish\n");
    place.fails("review --each --json rubbish", 2, "'rubbish', line 1");
}

/// A graph that cannot be written leaves the older file; a device gets it directly.
#[cfg(unix)]
#[test]
fn a_full_disk_does_not_take_the_graph() {
    let place = Place::new();
    place.file("game.txt", &race("1. e3-e4 c4-a1xa7"));
    place.file("value.svg", "an older graph");
    let args = split("review game.txt --svg value.svg");
    let run = process::run(&mut process::on_full_disk(place.path(), &args));
    run.fails_with(5, "cannot write 'value.svg'");
    assert_eq!(place.text("value.svg"), "an older graph");
    let run = place.run(&split("review game.txt --svg /dev/stdout"));
    assert_eq!((run.status, run.err.as_str()), (0, ""));
    shows(&run.out, "<circle");
    shows(&run.out, "decisive error: turn 1");
}

/// A start's count of quiet turns goes on, in the games and in their log.
#[test]
fn matches_count_on_from_their_starts() {
    let place = Place::new();
    let start = |count: u32| format!("{WON} -1 -1 -1 -1 0 {count} 1");
    place.file("starts", &format!("{}\n", start(98)));
    let play = || {
        let run = place.run(&split(
            "--json match level=30 level=30 --starts starts --log log",
        ));
        (run.object(), run.err)
    };
    let (json, _) = play();
    has!(json, {"games": 2, "draws": 2, "turns": 4, "reviewed": 2});
    let log = objects(&place.text("log"));
    assert_eq!(log[0]["starts"], json!([start(98)]));
    for game in &log[1..] {
        assert_eq!(game["end"], "no-progress");
        let moves = format!("position fen {} moves ", start(98));
        assert!(text(&game["moves"]).starts_with(&moves), "{game}");
    }
    let (again, err) = play();
    shows(&err, "in the log: 2 of 2 games");
    assert_eq!(again["draws"], 2);
    place.file("starts", &start(97));
    let other = "match level=30 level=30 --starts starts --log log";
    place.fails(other, 2, "is not the log of this match");

    let args = ["match", "level=0", "level=0", "--start"];
    let run = |more: &[&str]| place.run(&[&args[..], &[&start(100)], more].concat());
    run(&[]).fails_with(2, "the game is drawn: for 100 turns no stone was placed");
    assert_eq!(run(&["--quiet-turns", "101"]).status, 0);
}

#[test]
fn a_match_needs_engines_that_start() {
    let place = Place::new();
    let run = place.run(&["match", "level=3", "command=none", "--log", "log"]);
    run.fails_with(2, "cannot start 'none'");
    assert!(!place.path().join("log").exists());
}

/// Ctrl-C prints what was finished, and the log has the same games.
#[cfg(unix)]
#[test]
fn stopped_matches_report_what_was_finished() {
    let place = Place::new();
    let players = ["--json", "match", "level=3 depth=1", "level=3 depth=1"];
    let child = place.spawn(&[&players[..], &split("--rounds 1000000 --log log")].concat());
    let games = || match fs::read_to_string(place.path().join("log")) {
        Ok(log) => log.lines().count().saturating_sub(1),
        Err(_) => 0,
    };
    while games() < 3 {
        thread::sleep(Duration::from_millis(20));
    }
    let other = [&players[..], &split("--rounds 1000000 --log log")].concat();
    place
        .run(&other)
        .fails_with(2, "another match writes to 'log'");
    process::signal(&child, "INT");
    let run = Run::from(child.wait_with_output().unwrap());
    assert_eq!(run.status, 130, "{}", run.err);
    assert_eq!(run.object()["games"], games());
    shows(&run.err, "of 2000000 games; the same command goes on");
}

/// A signal after the report, while a full pipe holds back the note about forfeits.
#[cfg(target_os = "linux")]
#[test]
fn a_match_makes_one_report() {
    use std::io::{BufRead, BufReader, Read, Write, pipe};
    use std::process::Stdio;
    let place = Place::new();
    let engine = "while read line; do case $line in uci) echo uciok;; isready) echo readyok;; \
                  go*) echo bestmove none;; esac; done";
    place.file("engine.sh", engine);
    let (mut reader, mut writer) = pipe().unwrap();
    let full = writer.try_clone().unwrap();
    thread::spawn(move || writer.write_all(&[b' '; 1 << 16]));
    let mut command = place.command(&["--json", "match", "level=0", "command=sh engine.sh"]);
    command.stdout(Stdio::piped()).stderr(full);
    let mut child = Guard(command.spawn().unwrap());
    drop(command);
    let mut out = BufReader::new(child.0.stdout.take().unwrap());
    let (mut report, mut rest) = (String::new(), String::new());
    out.read_line(&mut report).unwrap();
    shows(&report, "\"forfeits\":2");
    process::signal(&child.0, "INT");
    thread::sleep(Duration::from_millis(500));
    thread::spawn(move || reader.read_to_end(&mut Vec::new()));
    out.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "");
    child.0.wait().unwrap();
}

/// Players of the same level from one start: the interval is that of pairs of games.
#[test]
fn one_start_gives_an_interval_over_pairs_of_games() {
    let place = Place::new();
    let interval = |rounds| {
        let run = place.run(&["--json", "match", "level=0", "level=0", "--rounds", rounds]);
        run.object()["score_interval"].clone()
    };
    assert_eq!(interval("1"), Json::Null);
    let ends = interval("8");
    assert!(ends[0].as_f64() < ends[1].as_f64(), "{ends}");
}

/// The built-in databases know only the ends of games from the empty board.
#[test]
fn errors_after_unknown_turns_are_not_the_first() {
    let place = Place::new();
    let args = split("--json match level=0 level=0 --rounds 3 --log log");
    let json = place.run(&args).object();
    assert_eq!(json["reviewed"], 0);
    for player in items(&json["players"]) {
        has!(player, {"first_errors": 0, "first_error_turn": null});
    }
    let mut errors = 0;
    for game in &objects(&place.text("log"))[1..] {
        assert_eq!(game["first_error"], Json::Null, "{game}");
        let review = |args: &[&str]| place.run_with(args, text(&game["moves"]));
        let known = review(&["review", "--json", "-"]);
        if known.status == 3 {
            continue;
        }
        let known = known.json();
        assert_eq!(known["first_error"], Json::Null);
        assert!(known["missing"].is_string(), "{known}");
        let parts = items(&known["summary"]).iter();
        let wrong = parts.filter_map(|part| part["errors"].as_u64());
        errors += wrong.sum::<u64>();
        let shown = review(&["review", "-"]);
        let (out, err) = (shown.out, shown.err);
        shows(&out, "\nfirst error: not known\n");
        assert!(err.starts_with("note: some turns have no grade: "), "{err}");
    }
    assert!(errors > 0);
}

#[test]
fn a_position_is_explained() {
    let place = Place::new();
    let json = place.run(&["explain", "--json", RACE]).object();
    has!(json, {"legal": 56, "keeping": 4, "best": 3, "threats": ["a1"]});
    has!(json, {"passing": {"wdl": "loss", "dtw": 2}, "forced_removal": ["e3-g7xc4"]});
    assert_eq!(items(&json["turns"]).len(), 56);
    // The fields of the position as separate arguments, and one turn.
    let args = format!("explain {RACE} e3-e4 --json");
    let json = place.run(&split(&args)).object();
    assert_eq!(items(&json["turns"]).len(), 1);
    assert_eq!(json["turns"][0]["refutation"][0]["turn"], "c4-a1xa7");
    assert_eq!(json["turns"][0]["holding"], 4);
    place
        .run(&["explain", RACE, "e3-d1"])
        .fails_with(2, "e3-d1 is not a legal turn");
    place.fails("explain start", 3, "stones are still in hand");
}

#[test]
fn matches_go_on_where_they_were_stopped() {
    let place = Place::new();
    let games = split("--json --sample 3 --from 4-3,4-4 --value draw --log");
    let play = |log: &str| {
        let players = ["match", "name=strong", "level=3 depth=1"];
        place.run(&[&players[..], &games, &[log]].concat())
    };
    let whole = play("whole.jsonl");
    let json = whole.object();
    has!(json, {"games": 6, "starts": 3, "losses": 0});
    has!(json["players"][0], {"name": "strong", "first_errors": 0});
    assert_eq!(json["reviewed"], 6);

    // A log that ends in the middle of its fourth line.
    let text = place.text("whole.jsonl");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 7);
    let cut = lines[..3].join("\n") + "\n" + &lines[3][..20];
    place.file("part.jsonl", &cut);
    let part = play("part.jsonl");
    shows(&part.err, "in the log: 2 of 6 games");
    let mut found = part.object();
    found["seconds"] = json["seconds"].clone();
    assert_eq!(found, json);
    let sorted = |name: &str| {
        let text = place.text(name);
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted("part.jsonl"), sorted("whole.jsonl"));

    let other = "is not the log of this match";
    place.fails("match level=30 level=4 --log whole.jsonl", 2, other);
    assert_eq!(place.text("whole.jsonl"), text);

    place.file("twice.jsonl", &format!("{text}{}\n", lines[1]));
    let twice = play("twice.jsonl");
    assert_eq!(twice.status, 2);
    shows(&twice.err, "line 8: game ");
    shows(&twice.err, " is in it twice");

    let [white, black] = ["white", "black"].map(|side| format!("\"first\":\"{side}\""));
    let starts = [0, 1].map(|start| format!("\"start\":{start},"));
    for (own, other) in [(white, black), starts.into()] {
        place.file("other.jsonl", &text.replacen(&own, &other, 1));
        play("other.jsonl").fails_with(2, " of this match has another start, or its first player");
    }

    // A log that ends in the middle of its first line, and a file that is not a log.
    place.file("part.jsonl", &lines[0][..20]);
    assert_eq!(play("part.jsonl").object()["wins"], json["wins"]);
    assert_eq!(sorted("part.jsonl"), sorted("whole.jsonl"));
    place.file("notes.txt", "my precious notes");
    let words = "is not the log of this match: line 1";
    place.fails("match level=30 level=4 --log notes.txt", 2, words);
    assert_eq!(place.text("notes.txt"), "my precious notes");
    place.fails("match level=40 level=4", 2, "from 0 to 30");
    place.fails("match level=4 level=4 --start x", 2, "board");
    // All points are taken, so the game is over.
    let full = "match level=4 level=4 --rules twelve --from 12-12 --sample 1";
    place.fails(full, 2, "no random position of 12-12 was found; choose");
}

#[test]
fn a_match_goes_on_after_half_a_letter() {
    let place = Place::new();
    let path = place.path().join("log");
    let play = || {
        let args = ["--json", "match", "name=Zoë level=0", "level=0", "--start"];
        let run = place.run(&[&args[..], &[RACE, "--log", "log"]].concat());
        assert_eq!(run.object()["games"], 2);
    };
    play();
    let log = fs::read(&path).unwrap();
    let letter = log.iter().position(|byte| !byte.is_ascii()).unwrap();
    let header = log.iter().position(|&byte| byte == b'\n').unwrap();
    // In the first line, and in that of a game.
    for cut in [
        log[..=letter].to_vec(),
        [&log[..=header], &b"{\"\xc3"[..]].concat(),
    ] {
        fs::write(&path, cut).unwrap();
        play();
        assert!(fs::read(&path).unwrap().starts_with(&log[..=header]));
    }
}

#[test]
fn engines_are_judged() {
    let place = Place::new();
    let engine = env!("CARGO_BIN_EXE_millbase");
    let judge = |options: &str, starts: &str| {
        let args =
            format!("judge --json --from 3-3,4-3 --positions 40 --starts {starts} {options}");
        let run = place.run(&[&split(&args)[..], &["--", engine, "uci"]].concat());
        assert_eq!(run.status, 0, "{}", run.err);
        let note = "note: the perfect player searches where no database answers: ";
        assert_eq!(run.err.contains(note), starts != "0", "{}", run.err);
        run.object()
    };
    // A level without databases against one with databases.
    let weak = judge("--option SkillLevel=2 --option Hash=1 --depth 1", "1");
    let perfect = judge("--option Hash=1 --time 500", "0");
    has!(weak, {"asked": 40, "failed": 0});
    assert_eq!(perfect["skill"], 1.0);
    assert!(weak["skill"].as_f64().unwrap() < 0.9, "{}", weak["skill"]);
    assert_eq!(weak["exam"], perfect["exam"]);
    let phases: u64 = (items(&weak["groups"]).iter())
        .filter(|group| group["by"] == "good turns")
        .map(|group| group["asked"].as_u64().unwrap())
        .sum();
    assert_eq!(phases, 40);
    let games = |from: &str| {
        let games = ["wins", "draws", "losses"].map(|result| weak[from][result].as_u64().unwrap());
        games.iter().sum::<u64>()
    };
    assert_eq!(
        (games("from_start"), games("from_draws"), games("from_wins")),
        (2, 2, 1)
    );

    let judge = "judge --patience 1 --from 4-4 --positions 2 -- false";
    place.fails(judge, 2, "the engine ");
    // A mute engine is asked once, and an option that it lacks is no option.
    let mute = Instant::now();
    let words = "the engine did not answer 'uciok' in time";
    place.fails("judge --patience 1 -- sleep 60", 2, words);
    assert!(mute.elapsed() < Duration::from_secs(30));
    let args = ["judge", "--option", "Foo=1", "--", process::PROGRAM, "uci"];
    let words = "the engine has no option 'Foo', only these: MillbasePath";
    place.run(&args).fails_with(2, words);
    let player = format!("option.Foo=1 command={} uci", process::PROGRAM);
    place
        .run(&["match", "level=3", &player])
        .fails_with(2, "the engine has no option 'Foo'");

    // One position gives no interval.
    let args = split("judge --from 4-3 --positions 1 --starts 0 --");
    let run = place.run(&[&args[..], &[engine, "uci"]].concat());
    let skill = run.out.lines().nth(1).unwrap();
    let (figure, rest) = skill.split_once(" %").unwrap();
    assert!(figure.starts_with("skill "), "{skill}");
    assert!(rest.starts_with(", in the exam "), "{skill}");
}

#[test]
fn puzzles_are_made_and_checked() {
    let place = Place::new();
    let make = |more: &[&str]| {
        let args = ["puzzles", "make", "--count", "12", "--from", "3-3,4-3"];
        let run = place.run(&[&args[..], more].concat());
        assert_eq!(run.status, 0, "{}", run.err);
        run.out
    };
    let own = make(&["--json"]);
    assert_eq!(own, make(&["--json", "--threads", "1"]));
    assert_ne!(own, make(&["--json", "--seed", "2"]));
    place.file("own.json", &own);
    place.file("pack.json", &make(&["--format", "exchange"]));
    for file in ["own.json", "pack.json"] {
        let json = place.run(&["puzzles", "check", "--json", file]).object();
        has!(json, {"puzzles": 12, "wrong": 0});
    }
    assert!(make(&[]).contains("1. White "));
    let puzzles = |more: &[&str]| {
        let json: Json = serde_json::from_str(&make(&[more, &["--json"]].concat())).unwrap();
        items(&json["puzzles"]).to_vec()
    };
    for (more, key, value) in [
        (["--goal", "draw"], "goal", "draw"),
        (["--level", "easy"], "level", "easy"),
    ] {
        assert!(puzzles(&more).iter().all(|puzzle| puzzle[key] == value));
    }
    for puzzle in puzzles(&["--goal", "win", "--turns", "1-4"]) {
        let depth = puzzle["dtw"].as_u64().unwrap();
        assert!((1..=7).contains(&depth), "{puzzle}");
    }

    let is_wrong = |pack: &Json, reasons: &[&str]| {
        place.file("wrong.json", &pack.to_string());
        let run = place.run(&["puzzles", "check", "wrong.json"]);
        assert_eq!(run.status, 1, "{}{}", run.out, run.err);
        for words in reasons {
            shows(&run.out, words);
        }
    };
    // A wrong field of a certificate.
    for (pointer, wrong, words) in [
        ("/dtw", json!(91), "'dtw' is 91, but must be"),
        ("/rating", json!(7), "'rating' is 7, but must be"),
        ("/themes", json!(["x"]), "'themes' is [\"x\"], but must be"),
        (
            "/solution/0/keeping",
            json!(0),
            "turn 1: 'keeping' is 0, but must be",
        ),
    ] {
        let mut pack: Json = serde_json::from_str(&own).unwrap();
        *pack["puzzles"][3].pointer_mut(pointer).unwrap() = wrong;
        is_wrong(&pack, &[words, "11 right, 1 wrong"]);
    }

    // What a draw, a position or the pack states, and fields that nobody knows.
    let own: &Json = &serde_json::from_str(&own).unwrap();
    let goals = column(&own["puzzles"], "goal");
    let won = goals.iter().position(|goal| *goal == "win").unwrap();
    let more = |position: &Json, more: &str| json!(text(position).to_owned() + more);
    let longer = more(&own["puzzles"][0]["position"], " and more");
    let draws: Json = serde_json::from_str(&make(&["--json", "--goal", "draw"])).unwrap();
    let exchange: Json = serde_json::from_str(&place.text("pack.json")).unwrap();
    let start = more(&exchange["puzzles"][0]["initialPosition"], " mate");
    let (one, win) = ("/puzzles/0", format!("/puzzles/{won}"));
    let is_draw = "'turns' is 65535, but must be 1";
    let mate = "'mate' follows the position";
    let (twelve, other) = (json!("twelve_mens_morris"), &exchange);
    let rules = "it is for the rules 'twelve_mens_morris'";
    for (pack, object, field, wrong, words) in [
        (&draws, one, "turns", json!(65535), is_draw),
        (own, &win, "turns", json!(65535), "said to be won in 65535"),
        (own, one, "position", longer, "but must be"),
        (
            own,
            "",
            "version",
            json!(0),
            "'version' is 0, but must be 1",
        ),
        (own, one, "stars", json!(5), "a puzzle has no field 'stars'"),
        (own, "", "author", json!(5), "a pack has no field 'author'"),
        (other, one, "initialPosition", start, mate),
        (
            other,
            &win,
            "title",
            json!("White wins in 200 turns"),
            "the title says 200 turns, a tag",
        ),
        (
            own,
            one,
            "turns",
            json!("x"),
            "it cannot be read: invalid type",
        ),
        (
            other,
            one,
            "rating",
            json!(1.5),
            "it cannot be read: invalid type",
        ),
        (
            other,
            &win,
            "category",
            json!("defend"),
            "a tag contradicts the category 'defend'",
        ),
        (
            other,
            "/puzzles/1",
            "id",
            exchange["puzzles"][0]["id"].clone(),
            "has the same id",
        ),
        // Packs of other rules or of another format.
        (other, one, "ruleVariantId", twelve, rules),
        (
            other,
            "",
            "formatVersion",
            json!("7.3"),
            "the format has version 7.3",
        ),
    ] {
        let mut pack = pack.clone();
        pack.pointer_mut(object).unwrap()[field] = wrong;
        is_wrong(&pack, &[words]);
    }

    // A wrong number of turns, a duplicate puzzle, and a wrong count.
    let mut pack = exchange;
    let puzzles = pack["puzzles"].as_array_mut().unwrap();
    let is_won = |puzzle: &Json| puzzle["category"] == "winGame";
    let win = puzzles.iter().position(is_won).unwrap();
    let mut twice = puzzles[win].clone();
    twice["id"] = "twice".into();
    puzzles.push(twice);
    let tags = puzzles[win]["tags"].as_array_mut().unwrap();
    tags.retain(|tag| !text(tag).starts_with("win-in-"));
    puzzles[win]["title"] = "White wins in 9 turns".into();
    let reasons = [
        "the pack states 12 puzzles, but has 13",
        "it is said to be won in 9, but it is won in",
        "twice: it is the same as millbase-1-",
        "13 puzzles: 11 right, 2 wrong, 0 not checked",
    ];
    is_wrong(&pack, &reasons);

    // Programs write a word after the position.
    let mut pack = pack.clone();
    for puzzle in pack["puzzles"].as_array_mut().unwrap() {
        let position = format!("{} ids:nodes", text(&puzzle["initialPosition"]));
        puzzle["initialPosition"] = position.into();
    }
    is_wrong(&pack, &["13 puzzles: 11 right, 2 wrong, 0 not checked"]);
    pack.as_object_mut().unwrap().remove("formatVersion");
    place.file("text.json", &pack.to_string());
    place.fails(
        "puzzles check text.json",
        2,
        "missing field `formatVersion`",
    );

    place.file("text.json", "[]");
    let words = "is not a pack of puzzles, neither of 'millbase puzzles make --json' nor of \
        the exchange format: invalid type: sequence, expected an object with the list 'puzzles'";
    place.fails("puzzles check text.json", 2, words);
    place
        .run_with(&["puzzles", "check", "-"], "[]")
        .fails_with(2, "stdin is not a pack of puzzles");
    place.fails("puzzles make --theme love", 2, "a theme is one of");
    place.fails("puzzles make --turns 3-2", 2, "a range is written");
    for theme in ["zwickmuehle", "double-mill,only-move"] {
        let words = "with at most 9 stones there are hardly any puzzles with the theme";
        place.fails(&format!("puzzles make --theme {theme}"), 2, words);
    }
    let words = "leave it out with --goal draw";
    place.fails("puzzles make --goal draw --turns 1-2", 2, words);
    let words = "only wins have the theme blockade";
    place.fails(
        "puzzles make --goal draw --theme only-move,blockade",
        2,
        words,
    );
    place.file("empty.txt", "[Event \"none\"]\n\n*\n");
    place.fails("review empty.txt", 2, "no turn to grade");
    place.fails("puzzles make --from 12-3", 2, "at most 9 stones");
}

/// A position with one legal turn, which `make` passes over, is no puzzle.
#[test]
fn positions_to_which_make_gives_no_puzzle_are_wrong() {
    let place = Place::new();
    let puzzle = json!({
        "id": "a", "position": "********/**@O@*@*/***@OO@O w m s 4 0 5 0 0 0", "goal": "draw", "turns": 1,
        "solution": [{"side": "white", "turn": "a7-d7"}],
    });
    let pack = json!({"version": 1, "puzzles": [puzzle]});
    place.file("pack.json", &pack.to_string());
    let run = place.run(&["puzzles", "check", "pack.json"]);
    assert_eq!((run.status, run.err.as_str()), (1, ""), "{}", run.out);
    let words = "a: 'make' gives the position no puzzle: only one turn is legal\n1 puzzle: 0 right, 1 wrong";
    shows(&run.out, words);
}

/// Text that a terminal would obey, with a mark that turns the direction of writing.
#[cfg(unix)]
#[test]
fn a_terminal_obeys_no_text_of_others() {
    let place = Place::new();
    let hostile = "A\u{1b}[2J\u{1b}]0;B\u{7}\u{9b}2J\u{202e}C\u{2067}\u{200f}";
    let game = format!(
        "[White \"{hostile}\"]\n[Event \"{hostile}\"]\n[FEN \"{RACE}\"]\n\n1. e3-e4 {{{hostile}}} c4-a1xa7\n"
    );
    fs::write(place.path().join("game"), &game).unwrap();
    fs::write(place.path().join("games"), game.repeat(2)).unwrap();
    let folder = place.path().join(hostile);
    fs::create_dir(&folder).unwrap();
    fs::copy(root().join("db/4-3.mill"), folder.join("4-3.mill")).unwrap();
    let folder = folder.to_str().unwrap();
    for args in [
        &["review", "game"][..],
        &["review", "games"],
        &["review", "--text", "game"],
        &["review", "--each", "games"],
        &["list", "--db", folder],
        &["stats", "--db", folder],
        &["uci", "--db", folder],
        &["probe", LARGER, "--db", folder],
    ] {
        for colour in ["never", "always"] {
            let args = [args, &["--color", colour]].concat();
            let run = place.run_with(&args, "uci\nposition fen \u{1b}[2J\nquit\n");
            let mut shown = run.out + &run.err;
            if colour == "always" {
                // Nothing but colours.
                for number in (0..100).rev() {
                    shown = shown.replace(&format!("\u{1b}[{number}m"), "");
                }
            }
            assert!(
                shown.contains('A') || args[0] == "stats",
                "{args:?}: {shown}"
            );
            let hidden = |letter: char| letter != '\n' && millbase::internals::is_hidden(letter);
            assert!(!shown.contains(hidden), "{args:?}: {shown:?}");
        }
    }
}

/// A file that never ends is refused.
#[cfg(unix)]
#[test]
fn files_without_an_end_are_refused() {
    let place = Place::new();
    let endless = Path::new("/dev/zero");
    std::os::unix::fs::symlink(endless, place.path().join("std.secval")).unwrap();
    for args in [
        &["match", "level=0", "level=0", "--starts", "/dev/zero"][..],
        &["match", "level=0", "level=0", "--log", "/dev/zero"],
        &["puzzles", "check", "/dev/zero"],
        &["verify", "--sums", "/dev/zero"],
        &["compare", "malom", "."],
        &["export", "malom", "--to", "new", "--secval", "/dev/zero"],
    ] {
        place
            .run(args)
            .fails_with(2, "it has more than 268435456 bytes");
    }
}

/// The end of a match also ends engines that hang, and the processes that a script started for them.
#[cfg(target_os = "linux")]
#[test]
fn no_engine_outlives_a_match() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    let script = place.path().join("engine.sh");
    fs::write(
        &script,
        "#!/bin/sh\nsleep 600 &\necho $! > engine.$$\nwhile read line; do\n\
         case $line in uci) echo uciok;; isready) echo readyok;; go*) wait;; esac\ndone\n",
    )
    .unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let engine = format!("command={}", script.display());
    let begun = || -> Vec<String> {
        let names = fs::read_dir(place.path())
            .unwrap()
            .map(|entry| entry.unwrap().path());
        let names = names.filter(|path| path.file_stem().is_some_and(|stem| stem == "engine"));
        let texts = names.filter(|path| path.extension() != Some("sh".as_ref()));
        let texts = texts.map(|path| fs::read_to_string(path).unwrap().trim().to_owned());
        texts.filter(|text| !text.is_empty()).collect()
    };
    let run_still = || {
        let states = begun()
            .into_iter()
            .filter_map(|process| fs::read_to_string(format!("/proc/{process}/stat")).ok());
        states.filter(|state| !state.contains(") Z ")).count()
    };
    let args = |patience| format!("match level=0 {engine} --threads 1 --patience {patience}");
    let run = place.run(&split(&args(1)));
    assert_eq!(run.status, 0, "{}", run.err);
    // A process that was killed may be there for a moment on a busy machine.
    let none_is_left = || {
        let start = Instant::now();
        while run_still() > 0 {
            assert!(start.elapsed() < Duration::from_secs(10));
            thread::sleep(Duration::from_millis(20));
        }
    };
    assert!(!begun().is_empty());
    none_is_left();
    let before = begun().len();
    let mut stopped = place.command(&split(&args(600)));
    let mut stopped = Guard(stopped.spawn().unwrap());
    // The check of the program may begin one, too, which ends at once.
    let start = Instant::now();
    while begun().len() <= before || run_still() == 0 {
        assert!(start.elapsed() < Duration::from_secs(60));
        thread::sleep(Duration::from_millis(20));
    }
    process::signal(&stopped.0, "INT");
    assert_eq!(stopped.0.wait().unwrap().code(), Some(130));
    none_is_left();
}
