//! Tests of the engine process, driven through its pipes like by a frontend.

use std::path::Path;
use std::time::Duration;

use crate::common::{Random, START, WON, build, plain_position, plain_rules, quick, rows};
use crate::engine::Engine;
use crate::plain::{PlainPosition, PlainTurn};
use crate::process::{PROGRAM, shows, split};
use millbase::engine::DrawnTurns;
use millbase::{Database, Pair, Position, Rules, Wdl};
use tempfile::TempDir;

const RULES: Rules = Rules::STANDARD;

/// A win by closing a mill: any removal wins.
const MILL: &str = "*******O/*@O*OO**/*@@***** w m s 4 0 3 0 0 0";

/// The words after a keyword of a line.
fn after<'a>(line: &'a str, keyword: &str) -> &'a str {
    let mut words = line.split(' ').skip_while(|word| *word != keyword);
    let word = words.nth(1);
    word.unwrap_or_else(|| panic!("'{keyword}' in {line}"))
}

fn number(line: &str, keyword: &str) -> i64 {
    after(line, keyword).parse().unwrap()
}

#[test]
fn a_session_with_every_command() {
    let mut engine = Engine::start(&["--threads", "1"]);
    let lines = engine.ask("uci", "uciok");
    assert!(lines[0].starts_with("id name Millbase "));
    assert!(lines[1].starts_with("id author "));
    let options = lines[2..lines.len() - 1].iter();
    let options: Vec<&str> = options.map(|line| after(line, "name")).collect();
    let expected = "MillbasePath Rules Hash Threads MultiPV UCI_ShowWDL ScoreView SkillLevel \
        Algorithm DrawnTurns Seed Repetitions QuietTurns";
    assert_eq!(options.join(" "), expected);
    assert_eq!(engine.ask("isready", "readyok"), ["readyok"]);
    engine.say("ucinewgame");

    let shown = engine.ask("d", "Value:");
    assert_eq!(shown[0], "  7 ·-----·-----·");
    assert_eq!(shown[8], format!("Fen: {START} -1 -1 -1 -1 0 0 1"));
    assert!(engine.ask("eval", "info string eval")[0].contains("source network"));
    engine.say("setoption name Rules value no-flying");
    assert!(engine.ask("eval", "info string eval")[0].contains("source evaluation"));
    engine.say("setoption name Rules value standard");
    engine.say("position fen O@*****O/@@*****@/******** w o ? 2 0 4 0 0 0");
    assert!(engine.ask("eval", "info string eval")[0].ends_with("source rules"));

    for (name, value) in [
        ("Hash", "1"),
        ("Threads", "2"),
        ("MultiPV", "3"),
        ("UCI_ShowWDL", "true"),
        ("ScoreView", "white"),
        ("Algorithm", "alphabeta"),
        ("Algorithm", "mtdf"),
        ("Algorithm", "pvs"),
        ("Algorithm", "selective"),
        ("Seed", "5"),
        ("SkillLevel", "3"),
    ] {
        engine.say(&format!("setoption name {name} value {value}"));
        engine.say("position startpos moves d6 f4");
        let text = engine.ask("go depth 2", "bestmove").join("\n");
        assert!(!text.contains("error"), "{text}");
        let has_wdl = !matches!(name, "Hash" | "Threads" | "MultiPV");
        assert_eq!(text.contains(" wdl "), has_wdl, "{name}");
    }
    engine.say("setoption name SkillLevel value 30");
    engine.say(&format!("position fen {WON}"));
    let lines = engine.ask("go", "bestmove");
    let infos: Vec<&String> = lines.iter().filter(|line| line.contains(" pv ")).collect();
    assert_eq!(infos.len(), 3, "{lines:?}");
    assert!(infos[0].contains("multipv 1 score mate 11 wdl 1000 0 0 nodes "));
    assert!(number(infos[0], "tbhits") > 0);
    assert!(engine.ask("eval", "info string eval")[0].contains("mate 11 source database"));
    engine.quit();
}

#[test]
fn rules_can_be_changed_between_games() {
    let folder = TempDir::new().unwrap();
    let small = Rules {
        stones: 3,
        ..Rules::NO_FLYING
    };
    let own = millbase::store::folder_of(folder.path(), &Rules::NO_FLYING);
    std::fs::create_dir(&own).unwrap();
    build(&own, &small, &Pair::all(&small), &[]);

    let mut engine = Engine::start(&["--threads", "1"]);
    let path = folder.path().display();
    engine.say(&format!("setoption name MillbasePath value {path}"));
    engine.say("position startpos moves d6 f4");
    engine.say("setoption name Rules value no-flying");
    let shown = engine.ask("d", "Value:");
    assert!(shown[8].starts_with(&format!("Fen: {START}")), "{shown:?}");
    let three = "position fen ********/********/O@O*O@*@ w m s 3 0 3 0 0 0";
    engine.say(three);
    let walking = engine.ask("d", "Value:")[9].clone();
    assert!(walking.ends_with("from the database"), "{walking}");
    engine.say("setoption name Rules value STANDARD");
    engine.say(three);
    let flying = engine.ask("d", "Value:")[9].clone();
    assert_eq!(flying, "Value: loss in 26, from the database");
    assert_ne!(walking, flying);

    // No database, but twelve stones and a turn along a diagonal.
    engine.say("setoption name Rules value morabaraba");
    assert!(engine.ask("d", "Value:")[8].contains(" w p p 0 12 0 12 "));
    engine.say("position fen *O*O*O**/********/@*@*@*** w m s 3 0 3 0 0 0 moves e5-f6");
    assert!(engine.ask("d", "Value:")[8].contains("***O*O**/*O"));
    assert!(engine.ask("go depth 3", "bestmove").last().unwrap() != "bestmove none");

    let before = engine.ask("d", "Value:");
    engine.say("setoption name Rules value nine");
    let after = engine.ask("d", "Value:");
    shows(&after[0], "error option Rules must be one of standard, ");
    assert_eq!(after[1..], before[..]);
    engine.quit();
}

#[test]
fn rubbish_changes_nothing() {
    let mut engine = Engine::start(&[]);
    engine.say(&format!("position fen {WON}"));
    let before = engine.ask("d", "Value:");
    let long = format!("position startpos moves {}", "x".repeat(2 << 20));
    for rubbish in [
        "xyzzy",
        "\0\u{1}\u{2}",
        "position",
        "position startpos moves d6 d6",
        "position startpos moves a7 a1 d7 d1 g7 b2",
        "position fen nothing at all",
        "position fen O*******/********/******** w p p 9 9 0 9 0 0",
        "setoption name Hash value 0",
        "setoption name Hash value 99999999",
        "setoption name Threads value many",
        "setoption name ScoreView value black",
        "setoption name Nothing value 1",
        "setoption name MillbasePath value /nowhere/at all",
        &long,
    ] {
        let answer = engine.ask(rubbish, "info string");
        let shown = &rubbish[..rubbish.len().min(60)];
        assert!(
            answer[0].starts_with("info string error "),
            "{shown}: {answer:?}"
        );
        assert_eq!(answer.len(), 1, "{shown}");
        assert_eq!(engine.ask("d", "Value:"), before, "{shown}");
    }
    let file = format!("setoption name MillbasePath value {PROGRAM}");
    let answer = engine.ask(&file, "info string");
    shows(&answer[0], "is not a folder of databases or a bundle");
    engine.say_bytes(b"\xff\xfe\xfd\n");
    engine.expect("info string error");
    engine.say_bytes(b"\n\r\n  \n");
    assert_eq!(engine.ask("isready", "readyok"), ["readyok"]);
    engine.quit();
}

/// A frontend that gets no turn waits for ever.
#[test]
fn every_go_ends_in_a_turn() {
    let mut engine = Engine::start(&["--threads", "1"]);
    // Programs note more about a position than others read.
    let more = "-1 -1 -1 -1 0 0 1 ids:nodes x=\u{e9}";
    engine.say(&format!("position fen {WON} {more} moves a1-e4"));
    let shown = &engine.ask("d", "Value:")[8];
    assert!(
        shown.starts_with("Fen: ") && shown.contains(" b "),
        "{shown}"
    );
    for (go, notes) in [
        ("go wtime 1000 btime 1000", 0),
        ("go wtime 1000 btime 1000 winc 10 binc 10 movestogo 20", 0),
        ("go wtime -5 btime 0", 0),
        ("go movetime 20 ponder", 1),
        ("go ponder wtime 1000 btime 1000", 1),
        ("go searchmoves d6 a1 depth 2", 1),
        ("go depth x", 1),
        ("go nodes", 1),
        ("go quickly please movetime 10", 2),
        ("go mate 1", 0),
    ] {
        let lines = engine.ask(go, "bestmove");
        let errors = lines.iter();
        let errors = errors.filter(|line| line.starts_with("info string error"));
        assert_eq!(errors.count(), notes, "{go}: {lines:?}");
        assert!(!lines[lines.len() - 1].contains("none"), "{go}");
    }
    engine.say("ponderhit");
    assert_eq!(engine.ask("isready", "readyok"), ["readyok"]);
    engine.quit();
}

/// Where nothing is known, the time for a turn comes from the clock of the side to move.
#[test]
fn clocks_are_kept() {
    let mut engine = Engine::start(&["--threads", "1"]);
    engine.say("setoption name SkillLevel value 19");
    engine.say("position startpos moves d6 f4");
    let limit = Duration::from_millis(60);
    let go = "go wtime 1000 btime 900000";
    quick(limit, || engine.ask(go, "bestmove"));
    engine.quit();
}

#[test]
fn random_bytes_do_no_harm() {
    let mut random = Random::new(4);
    let mut engine = Engine::start(&["--threads", "1"]);
    let words = "position startpos fen moves d6 xb4 a1-a4 go depth 1 name setoption value Hash \
        MultiPV stop d eval ucinewgame uci \u{7f} é -1 w m ********/********/******** 3";
    let words = split(words);
    for _ in 0..400 {
        let line = (0..1 + random.below(8)).map(|_| *random.pick(&words));
        let line = line.collect::<Vec<&str>>().join(" ");
        // A search without limit would only take time.
        if line != "go" {
            engine.say(&line);
        }
        let bytes = (0..random.below(40)).map(|_| random.below(256) as u8);
        engine.say_bytes(&bytes.collect::<Vec<u8>>());
        engine.say_bytes(b"\n");
    }
    engine.ask("isready", "readyok");
    engine.quit();
}

#[test]
fn a_mill_is_told_in_two_actions() {
    for seed in 0..6 {
        let mut engine = Engine::start(&["--threads", "1"]);
        engine.say(&format!("setoption name Seed value {seed}"));
        engine.say(&format!("position fen {MILL}"));
        let lines = engine.ask("go movetime 100", "bestmove");
        let step = after(&lines[lines.len() - 1], "bestmove").to_string();
        assert!(!step.contains('x'), "{step}");
        let line = lines[0].split(" pv ").nth(1).unwrap();
        let expected = line.split(' ').nth(1).unwrap().to_string();
        engine.say(&format!("position fen {MILL} moves {step}"));
        let shown = engine.ask("d", "Value:");
        assert!(shown[8].contains(" w m r "), "{shown:?}");
        let lines = engine.ask("go movetime 100", "bestmove");
        assert!(lines[0].starts_with("info depth "));
        assert_eq!(lines[1], format!("bestmove {expected}"));
        // Whichever stone is removed, the game is won immediately.
        let (database, plain) = (Database::embedded(RULES), plain_rules(&RULES));
        let start = PlainPosition::parse(MILL, &plain).unwrap();
        let (won, _) = replay(&start, &[step, expected]);
        let after = Position::parse(&won.text(&plain), &RULES).unwrap();
        assert_eq!(database.probe(&after).unwrap().to_string(), "loss in 0");
        engine.quit();
    }
}

/// In another game, a removal other than the remembered one is possible.
#[test]
fn removals_alone_are_chosen() {
    let mut engine = Engine::start(&["--threads", "1"]);
    engine.say("position startpos moves a7 a1 d7 d1 g7");
    let lines = engine.ask("go depth 3", "bestmove");
    let removal = after(&lines[lines.len() - 1], "bestmove");
    assert!(["xa1", "xd1"].contains(&removal), "{removal}");
    engine.quit();
}

#[test]
fn the_end_has_no_best_move() {
    let mut engine = Engine::start(&[]);
    engine.say("position fen O@*****O/@@*****@/******** w o ? 2 0 4 0 0 0");
    for go in ["go depth 3", "go movetime 10", "go"] {
        let lines = engine.ask(go, "bestmove");
        let end = "info depth 0 score mate 0 nodes 0 nps 0 tbhits 0";
        assert_eq!(lines, [end, "bestmove none"]);
    }
    engine.quit();
}

/// A turn that repeats a position for the third time is a draw, and so is the game after it.
#[test]
fn values_respect_repetitions() {
    let mut engine = Engine::start(&["--threads", "1"]);
    engine.say("setoption\tname UCI_ShowWDL\tvalue  True");
    let line = "position fen **O*****/*O@*@***/@*O***** w m s 3 0 3 0 0 0 \
        moves g4-e3 f4-e5 e3-g4 e5-f4 g4-e3 f4-e5 e3-g4";
    engine.say(line);
    let shown = engine.ask("d", "Value:");
    let [.., repetition, value] = &shown[..] else {
        panic!("{shown:?}");
    };
    let without = "Repetition: without this rule the value is loss in ";
    assert!(repetition.starts_with(without), "{repetition}");
    assert!(value.starts_with("Value: draw"), "{value}");
    let lines = engine.ask("go depth 1", "bestmove");
    assert!(lines[0].contains(" score cp 0 wdl 0 1000 0 "), "{lines:?}");
    assert_eq!(lines[1], "bestmove e5-f4");
    // The count draws the game, too: only without both rules is it lost.
    engine.say(
        "position fen **O*****/*O@*@***/@*O***** w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 91 1 \
        moves g4-e3 f4-e5 e3-g4 e5-f4 g4-e3 f4-e5 e3-g4",
    );
    let shown = engine.ask("d", "Value:");
    let both = "Count: 98 of 100 quiet turns to a draw; without this and the rule of repetition the value is loss in 22";
    assert_eq!(shown[shown.len() - 2], both);
    engine.say(&format!("{line} e5-f4"));
    let lines = engine.ask("go depth 1", "bestmove");
    assert!(lines[0].contains("has occurred 3 times") && lines[1].contains(" score cp 0 "));
    engine.quit();
}

/// No length of a win is announced that the count of quiet turns does not allow.
#[test]
fn scores_respect_the_count_of_quiet_turns() {
    let mut engine = Engine::start(&["--threads", "1"]);
    for (limit, score, value) in [
        (2, "cp 0", "draw"),
        (3, "cp 20000", "win"),
        (100, "mate 10", "win in 19"),
        (0, "mate 10", "win in 19"),
    ] {
        engine.say(&format!("setoption name QuietTurns value {limit}"));
        engine.say(&format!("position fen {WON} moves a1-e4 b4-a4"));
        let lines = engine.ask("go depth 1", "bestmove");
        let info = &lines[lines.len() - 2];
        assert!(info.contains(&format!("score {score} ")), "{limit}: {info}");
        let is_drawn = lines[0].starts_with("info string the game is drawn");
        assert_eq!(is_drawn, limit == 2);
        let shown = engine.ask("d", "Value:").pop().unwrap();
        assert_eq!(shown, format!("Value: {value}, from the database"));
    }
    // With one turn left, every quiet turn draws, whatever it is worth without the count.
    engine.say("setoption name QuietTurns value 100");
    engine.say("setoption name MultiPV value 99");
    engine.say("position fen ***O**@*/*O@***@*/**@**O** b m s 3 0 4 0 0 0 -1 -1 -1 -1 0 99 1");
    let lines = engine.ask("go depth 1", "bestmove");
    let quiet: Vec<_> = (lines.iter())
        .filter(|line| line.contains(" multipv "))
        .collect();
    let drawn = quiet.iter().filter(|line| line.contains("score cp 0 "));
    assert_eq!([quiet.len(), drawn.count()], [9, 9]);
    engine.say("setoption name MultiPV value 1");
    // The count is named where it changes the value, and the position's text has it.
    engine.say("setoption name QuietTurns value 100");
    for (quiet, count) in [
        (0, None),
        (
            99,
            Some("Count: 99 of 100 quiet turns to a draw, without which the value is win in 21"),
        ),
    ] {
        let fen = format!("{WON} -1 -1 -1 -1 0 {quiet} 1");
        engine.say(&format!("position fen {fen}"));
        let shown = engine.ask("d", "Value:");
        assert_eq!(shown[8], format!("Fen: {fen}"));
        assert_eq!(shown[9..shown.len() - 1], Vec::from_iter(count));
    }
    engine.quit();
}

/// The last quiet turn before a draw is not made by closing a mill, whose removal still follows.
#[test]
fn a_removal_that_is_owed_comes_before_the_count() {
    let mut engine = Engine::start(&["--threads", "1"]);
    let before = "OO******/**O*****/*@@*@*** w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 99 1";
    engine.say(&format!("position fen {before} moves f4-c5"));
    let after = "OO*****O/********/*@@*@*** w m r 3 0 3 0 1 0 -1 -1 -1 -1 0 0 1";
    let shown = engine.ask("d", "Value:");
    let expected = [
        format!("Fen: {after}"),
        "Value: win in 1, from the database".into(),
    ];
    assert_eq!(shown[8..], expected);
    let lines = engine.ask("go depth 1", "bestmove");
    shows(&lines[0], "score mate 1 ");
}

/// At the limit of the rules a game is drawn, whatever files there are.
#[test]
fn the_limit_of_the_rules_needs_no_file() {
    let mut engine = Engine::start(&["--threads", "1", "--rules", "standard-100"]);
    for (quiet, value, source) in [
        (99, "not known without a search", "source network"),
        (100, "draw, from the rules", "eval score cp 0 source rules"),
    ] {
        let position = "O@O@O@O@/O@O@O@O@/O@****** w m s 9 0 9 0 0 0";
        engine.say(&format!("position fen {position} -1 -1 -1 -1 0 {quiet} 1"));
        let shown = engine.ask("d", "Value:").pop().unwrap();
        assert_eq!(shown, format!("Value: {value}"));
        let eval = &engine.ask("eval", "info string eval")[0];
        assert!(eval.ends_with(source), "{eval}");
    }
    engine.quit();
}

#[test]
fn infinite_searches_wait_for_stop() {
    let mut engine = Engine::start(&["--threads", "1"]);
    // A position that is searched, one with a known value, one after the end of the game.
    for position in [
        "startpos moves d6 f4",
        &format!("fen {WON}"),
        "fen O@*****O/@@*****@/******** w o ? 2 0 4 0 0 0",
    ] {
        engine.say(&format!("position {position}"));
        engine.say("go infinite");
        assert_eq!(engine.ask("isready", "readyok").last().unwrap(), "readyok");
        engine.stays_silent("bestmove", Duration::from_millis(300));
        engine.ask("stop", "bestmove");
        quick(Duration::from_millis(250), || {
            engine.say("go infinite");
            engine.ask("isready", "readyok");
            engine.ask("stop", "bestmove")
        });
    }
    // A stop without a search is not an error, and a new search ends an infinite one.
    engine.say("stop");
    engine.say("position startpos");
    engine.say("go infinite");
    engine.say("position startpos moves d6");
    let lines = engine.ask("go depth 1", "bestmove");
    assert!(!lines.iter().any(|line| line.contains("error")));
    engine.expect("bestmove");
    // Each stop ends the search before it, even one that has not begun.
    engine.say("position startpos");
    let twice = "go infinite\nstop\nposition startpos moves d6\ngo infinite\nstop";
    let behind = "go infinite\ngo movetime 600000\nposition startpos\nstop";
    for lines in [twice, behind] {
        engine.say(lines);
        engine.expect("bestmove");
        engine.expect("bestmove");
    }
    engine.quit();
}

#[test]
fn commands_wait_for_the_search() {
    let mut engine = Engine::start(&["--threads", "1"]);
    engine.say("position startpos");
    engine.say("go movetime 300");
    engine.say(&format!("position fen {WON}"));
    engine.say("go movetime 50");
    let first = engine.expect("bestmove");
    assert!(!first.last().unwrap().contains('-'));
    let second = engine.expect("bestmove");
    assert_eq!(second.last().unwrap(), "bestmove a1-e4");
    engine.quit();
}

#[test]
fn the_end_of_the_input_ends_the_engine() {
    for (input, answers) in [
        ("", 0),
        ("position startpos\ngo depth 2", 1),
        ("go infinite\n", 1),
        ("go depth 1\ngo depth 1\ngo depth 1\n", 3),
        ("go infinite\nquit\n", 1),
        ("quit\ngo depth 1\n", 0),
    ] {
        let lines = crate::engine::session(&["--threads", "1"], input);
        let found = lines.iter().filter(|line| line.starts_with("bestmove "));
        assert_eq!(found.count(), answers, "{input}");
    }
}

#[test]
fn time_is_kept() {
    let mut engine = Engine::start(&["--threads", "1"]);
    for (position, times) in [
        ("startpos", [1, 30, 100, 250]),
        ("startpos moves d6 f4 d2 b4 a1 g7", [0, 20, 100, 250]),
        (
            "fen OO*OO*O*/@*@*@*@*/*O*@*O*@ w m s 7 0 6 0 0 0",
            [5, 50, 100, 250],
        ),
    ] {
        for time in times {
            engine.say(&format!("position {position}"));
            let (go, limit) = (format!("go movetime {time}"), time + 50);
            quick(Duration::from_millis(limit), || engine.ask(&go, "bestmove"));
        }
    }
    engine.quit();
}

#[test]
fn scores_are_told_for_the_side_that_is_wished() {
    let mut engine = Engine::start(&["--threads", "1"]);
    let black = WON.replace('O', "x").replace('@', "O").replace('x', "@");
    let black = black.replace(" w m s 3 0 4 0", " b m s 4 0 3 0");
    for (view, score) in [("mover", "mate 11"), ("white", "mate -11")] {
        engine.say(&format!("setoption name ScoreView value {view}"));
        engine.say(&format!("position fen {black}"));
        let lines = engine.ask("go", "bestmove");
        assert!(lines[0].contains(&format!(" score {score} ")), "{lines:?}");
    }
    engine.quit();
}

/// The folder of the databases can be chosen between games; an unusable one changes nothing.
#[test]
fn databases_are_chosen_by_an_option() {
    let folder = tempfile::TempDir::new().unwrap();
    let mut engine = Engine::start(&["--threads", "1"]);
    let path = folder.path().display();
    let path = format!("setoption name MillbasePath value {path}");
    engine.say(&path);
    engine.say(&format!("position fen {WON}"));
    let lines = engine.ask("go depth 1", "bestmove");
    assert_eq!(lines.last().unwrap(), "bestmove a1-e4");
    std::fs::write(folder.path().join("3-3.mill"), b"rubbish").unwrap();
    engine.say("setoption name MillbasePath value <empty>");
    shows(&engine.ask(&path, "info string")[0], "3-3.mill");
    let lines = engine.ask("go depth 1", "bestmove");
    assert_eq!(lines.last().unwrap(), "bestmove a1-e4");
    engine.quit();
}

#[test]
#[cfg(target_os = "linux")]
fn a_large_table_takes_memory_only_as_it_fills() {
    let mut engine = Engine::start(&["--threads", "1"]);
    engine.say("setoption name Hash value 4096");
    engine.say("ucinewgame");
    engine.ask("isready", "readyok");
    engine.say("position startpos");
    engine.ask("go depth 3", "bestmove");
    let memory = engine.memory();
    assert!(memory < 1 << 20, "{memory} kB");
    engine.quit();
}

/// With one thread and a depth, the same session has the same answers, at every level.
#[test]
fn seeds_decide() {
    let session = |level: u32, seed: u32| {
        let input = format!(
            "setoption name SkillLevel value {level}\nsetoption name Seed value {seed}\n\
             position startpos moves d6 f4 d2\ngo depth 2\n\
             position fen {WON}\ngo depth 2\n"
        );
        let lines = crate::engine::session(&["--threads", "1"], &input);
        let chosen = lines.into_iter();
        let chosen = chosen.filter(|line| line.starts_with("bestmove"));
        chosen.collect::<Vec<String>>()
    };
    for level in [0, 8, 22, 30] {
        assert_eq!(session(level, 3), session(level, 3));
    }
    assert!((1..9).any(|seed| session(0, seed) != session(0, 0)));
}

/// Each choice holds the draw, and each option is heeded: no two choices give the same turns.
#[test]
fn drawn_turns_are_chosen_by_an_option() {
    let database = Database::embedded(RULES);
    let drawn = starts(&database).into_iter();
    let drawn = drawn.filter(|start| database.probe_wdl(start).unwrap() == Wdl::Draw);
    let drawn: Vec<Position> = drawn.collect();
    assert!(drawn.len() >= 20);
    let mut engine = Engine::start(&["--threads", "1"]);
    let mut chosen: Vec<Vec<String>> = Vec::new();
    for choice in DrawnTurns::ALL {
        engine.say(&format!("setoption name DrawnTurns value {choice}"));
        engine.say("setoption name Seed value 1");
        let turns = drawn.iter().map(|start| {
            let setup = format!("fen {}", start.text(&RULES));
            let turn = ask_turn(&mut engine, &setup, "", 1).unwrap();
            let after = start.after(turn.parse().unwrap());
            assert_eq!(database.probe_wdl(&after).unwrap(), Wdl::Draw, "{choice}");
            turn
        });
        let turns = turns.collect();
        assert!(!chosen.contains(&turns), "{choice} is another choice");
        chosen.push(turns);
    }
    let lines = engine.ask("setoption name DrawnTurns value best\nisready", "readyok");
    shows(&lines[0], "must be one of random, losing-replies");
    engine.quit();
}

/// The position after the actions, by the plain rules, and whether all were legal; the actions of a
/// turn are joined first.
fn replay(start: &PlainPosition, actions: &[String]) -> (PlainPosition, Vec<String>) {
    let mut turns: Vec<String> = Vec::new();
    for action in actions {
        match (action.starts_with('x'), turns.last_mut()) {
            (true, Some(turn)) => turn.push_str(action),
            _ => turns.push(action.clone()),
        }
    }
    let mut position = *start;
    for turn in &turns {
        position = position.after(&legal(&position, turn));
    }
    (position, turns)
}

/// The turn of this text, which must be legal by the plain rules.
fn legal(position: &PlainPosition, text: &str) -> PlainTurn {
    let turns = position.turns(&plain_rules(&RULES));
    let found = turns.into_iter().find(|turn| turn.to_string() == text);
    found.unwrap_or_else(|| panic!("{text} is legal in {}", position.text(&plain_rules(&RULES))))
}

/// The number of games that the engine plays against itself, some from the start and some from the
/// middle; `MILLBASE_GAMES` overrides it.
fn games() -> usize {
    const GAMES: usize = 120;
    let wished = std::env::var("MILLBASE_GAMES").ok();
    wished.map_or(GAMES, |number| number.parse().expect("a number of games"))
}

/// A longer game counts as endless.
const LONGEST_GAME: usize = 300;

/// The engine's actions are legal by the plain rules, and it reports the end of the game exactly
/// when they do.
#[test]
fn random_games_are_legal_to_the_end() {
    let plain = plain_rules(&RULES);
    let mut engine = Engine::start(&["--threads", "1"]);
    engine.say("setoption name Hash value 1");
    let mut random = Random::new(11);
    let (mut ends, mut removals) = (0, 0);
    for game in 0..games() {
        if game % 50 == 0 {
            engine.say("ucinewgame");
        }
        engine.say(&format!("setoption name Seed value {}", game + 1));
        // Most games are played by weak players, so that they differ and come to an end.
        let level = [0, 2, 5, 30][random.below(4)];
        engine.say(&format!("setoption name SkillLevel value {level}"));
        let (setup, start) = if game % 4 == 0 {
            ("startpos".to_string(), PlainPosition::start(&plain))
        } else {
            let [white, black] = [0, 1].map(|_| 3 + random.below(7) as u32);
            let start = plain_position(&random.position(white, black));
            (format!("fen {}", start.text(&plain)), start)
        };
        let (mut position, mut actions) = (start, String::new());
        for _ in 0..LONGEST_GAME {
            // A player blunders now and then, so that no two games are the same.
            let turns = position.turns(&plain);
            let turn = if !turns.is_empty() && random.below(4) == 0 {
                random.pick(&turns).to_string()
            } else {
                match ask_turn(&mut engine, &setup, &actions, 1) {
                    Some(turn) => turn,
                    None => {
                        assert!(turns.is_empty(), "the game is not over: {setup} {actions}");
                        ends += 1;
                        break;
                    }
                }
            };
            removals += usize::from(turn.contains('x'));
            position = position.after(&legal(&position, &turn));
            actions += &format!(" {}", turn.replace('x', " x"));
        }
    }
    engine.quit();
    assert!(ends > games() / 2, "{ends} games ended");
    assert!(removals > games(), "{removals} stones were removed");
}

/// The engine's whole turn after these actions, asked for in its parts; `None` when the game is
/// over.
fn ask_turn(engine: &mut Engine, setup: &str, actions: &str, depth: u32) -> Option<String> {
    let mut ask = |actions: &str| {
        let moves = if actions.is_empty() { "" } else { " moves" };
        engine.say(&format!("position {setup}{moves}{actions}"));
        let lines = engine.ask(&format!("go depth {depth}"), "bestmove");
        assert!(!lines.join(" ").contains("error"), "{lines:?}");
        assert!(lines.len() > 1, "an info line comes first");
        after(lines.last().unwrap(), "bestmove").to_string()
    };
    let step = ask(actions);
    if step == "none" {
        return None;
    }
    let position = Position::parse(setup.strip_prefix("fen ").unwrap_or(START), &RULES).unwrap();
    let mut game = millbase::engine::Game::new(RULES, position);
    for action in actions.split_whitespace().chain([step.as_str()]) {
        game.play(action).unwrap();
    }
    match game.position().removal_owed() {
        true => Some(format!("{step}{}", ask(&format!("{actions} {step}")))),
        false => Some(step),
    }
}

/// A player with databases against one without: it never loses a position that is not lost, and
/// wins every won one. The starts are the known positions of the built-in databases, and of those
/// in the folder that `MILLBASE_DB` names.
#[test]
fn databases_never_lose_what_is_not_lost() {
    let folder = std::env::var("MILLBASE_DB").ok();
    let (database, args) = match &folder {
        Some(folder) => {
            let database = Database::open(Path::new(folder), RULES).unwrap();
            (database, vec!["--threads", "1", "--db", folder])
        }
        None => (Database::embedded(RULES), vec!["--threads", "1"]),
    };
    let mut knowing = Engine::start(&args);
    let mut unknowing = Engine::start(&["--threads", "1"]);
    if folder.is_none() {
        // The best level that does not use the databases.
        unknowing.say("setoption name SkillLevel value 22");
    }
    // A small table is cleared faster before each game.
    for player in [&mut knowing, &mut unknowing] {
        player.say("setoption name Hash value 1");
    }
    let mut played = [[0; 3]; 3];
    for (number, start) in starts(&database).iter().enumerate() {
        let value = database.probe(start).unwrap().wdl();
        for player in [&mut knowing, &mut unknowing] {
            player.say("ucinewgame");
            player.say(&format!("setoption name Seed value {number}"));
        }
        let result = play_off(&mut knowing, &mut unknowing, start);
        assert!(result >= value, "{}", start.text(&RULES));
        played[value as usize][result as usize] += 1;
    }
    knowing.quit();
    unknowing.quit();
    eprintln!("games by value and result, losses first: {played:?}");
    let [_, drawn, won] = played;
    assert!(won[Wdl::Win as usize] >= 10, "{played:?}");
    assert!(drawn.iter().sum::<u32>() >= 20, "{played:?}");
}

/// The known positions that a database holds, and some drawn ones.
fn starts(database: &Database) -> Vec<Position> {
    let known = rows(include_str!("../data/moving.csv"));
    let mut starts: Vec<Position> = known
        .map(|row| Position::parse(row[0], &RULES).unwrap())
        .filter(|start| database.probe(start).is_ok())
        .collect();
    let mut random = Random::new(8);
    let drawn = std::iter::repeat_with(|| random.position(4, 4))
        .filter(|start| database.probe(start).unwrap().wdl() == Wdl::Draw);
    starts.extend(drawn.take(20));
    starts
}

/// The search depth of the player without databases, in turns.
const MATCH_DEPTH: u32 = 4;

/// The result of a game for the player that begins; one that comes back to a position for the third
/// time is drawn.
fn play_off(first: &mut Engine, second: &mut Engine, start: &Position) -> Wdl {
    let setup = format!("fen {}", start.text(&RULES));
    let (mut position, mut actions) = (*start, String::new());
    let mut seen = vec![position];
    let mut players = [first, second];
    loop {
        let Some(turn) = ask_turn(players[0], &setup, &actions, MATCH_DEPTH) else {
            return match seen.len() % 2 {
                1 => Wdl::Loss,
                _ => Wdl::Win,
            };
        };
        actions += &format!(" {}", turn.replace('x', " x"));
        position = position.after(turn.parse().unwrap());
        seen.push(position);
        let times = seen.iter().filter(|&earlier| *earlier == position).count();
        if times == 3 || seen.len() > 2 * LONGEST_GAME {
            return Wdl::Draw;
        }
        players.reverse();
    }
}

/// The default algorithm guesses; what it has found must not reach those that see everything up to their depth.
#[test]
fn an_algorithm_finds_what_it_finds_alone() {
    let exact = |before: &[&str]| {
        let mut engine = Engine::start(&["--threads", "1"]);
        engine.say("position fen ********/O***@***/**O***@* w p p 2 7 2 7 0 0");
        for line in before {
            engine.ask(line, "bestmove");
        }
        engine.say("setoption name Algorithm value pvs");
        let lines = engine.ask("go depth 6", "bestmove");
        engine.quit();
        let last = lines.iter().rfind(|line| line.starts_with("info depth 6 "));
        let (_, score) = last.unwrap().split_once(" score ").unwrap();
        score.split(" nodes ").next().unwrap().to_owned()
    };
    assert_eq!(exact(&["go depth 7"]), exact(&[]));
}
