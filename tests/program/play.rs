//! Tests of the game in the terminal, driven through stdin.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdout, Command, Stdio};

use tempfile::TempDir;

use crate::common::WON;
use crate::process::{self, shows, split};

/// A draw between four stones a side.
const DRAWN: &str = "O*O*****/O*O*****/@@**@@** w m s 4 0 4 0 0 0";

/// Between two people, from [`DRAWN`] on.
const FROM_DRAWN: [&str; 4] = ["--position", DRAWN, "--black", "human"];

/// Turns after which [`DRAWN`] stands there again.
const ROUND: [&str; 4] = ["d6-b6", "d7-a7", "b6-d6", "a7-d7"];

/// The output of the program, run in a folder with these lines as input.
fn play_in(folder: &TempDir, args: &[&str], lines: &[&str]) -> String {
    let run = process::run_with(&mut command(folder, args), lines.join("\n"));
    assert_eq!((run.status, run.err.as_str()), (0, ""));
    run.out
}

fn command(folder: &TempDir, args: &[&str]) -> Command {
    let mut command = process::program(folder.path(), &["play"]);
    command.args(args);
    command
}

fn play(args: &[&str], lines: &[&str]) -> String {
    play_in(&TempDir::new().unwrap(), args, lines)
}

fn between_people(lines: &[&str]) -> String {
    play(&["--black", "human"], lines)
}

/// The last diagram of the board and the line below it.
fn last_board(out: &str) -> Vec<&str> {
    let lines: Vec<&str> = out.lines().collect();
    let last = lines.iter().rposition(|line| line.contains("  7 "));
    let last = last.expect("a picture of the board");
    lines[last..].iter().take(10).copied().collect()
}

#[test]
fn a_mill_is_closed_in_one_line_or_two() {
    let expected = [
        "  7 O-----O-----O",
        "  6 | ·---·---· |",
        "  5 | | ·-·-· | |",
        "  4 ·-·-·   ·-·-·",
        "  3 | | ·-·-· | |",
        "  2 | ·---·---· |",
        "  1 ·-----@-----·",
        "    a b c d e f g",
        "",
        "black to move, placing, white has 6 in hand, black has 7 in hand",
    ];
    for end in [
        &["g7xa1"][..],
        &["g7", "xa1"],
        &[" G7 ", "b2", "xa7", "xA1"],
    ] {
        let out = between_people(&[&["a7", "a1", "d7", "d1"], end].concat());
        assert_eq!(last_board(&out), expected, "{end:?}");
        assert_eq!(out.contains("removing a stone, like xb4"), end.len() > 1);
    }
}

#[test]
fn what_is_wrong_is_told_and_changes_nothing() {
    for (wrong, words) in [
        ("a7", "a7 is not a legal turn of black here"),
        ("z9", "'z9' is not a turn"),
        ("rubbish", "'rubbish' is not a turn"),
        ("a7 d7", "'help' lists them"),
        ("load /nowhere", "cannot read '/nowhere'"),
        ("save /nowhere/at/all", "cannot write '/nowhere/at/all'"),
        ("level 99", "from 0 to 30"),
        ("level 31", "from 0 to 30"),
        ("save", "say 'save FILE'"),
        ("hint please", "'help' lists them"),
        ("white queen", "say 'white human' or 'white machine'"),
        ("\u{1b}[2J", "is not a turn"),
        (&"x".repeat(5000), "longer than 1024 bytes"),
    ] {
        let out = between_people(&["a7", wrong, "board"]);
        assert!(out.contains(words), "{wrong}: {out}");
        assert!(!out.contains('\u{1b}'), "{wrong}");
        assert!(last_board(&out)[0].contains("O-----·-----·"), "{wrong}");
        assert!(out.ends_with("black> \n"), "{wrong}");
    }
}

#[test]
fn every_command_of_the_help_is_obeyed() {
    let help = between_people(&["help"]);
    let (_, help) = help.split_once("white> ").unwrap();
    let lines = help.lines().filter_map(|line| line.split_once("  "));
    let commands: Vec<&str> = lines.flat_map(|(names, _)| names.split(", ")).collect();
    assert!(commands.len() > 15, "{commands:?}");
    let out = play(&["--black", "human", "--movetime", "50"], &commands);
    for words in ["'help' lists them", "is not a turn", "say '"] {
        assert!(!out.contains(words), "{words}: {out}");
    }
}

#[test]
fn the_end_of_the_input_is_a_polite_end() {
    assert!(between_people(&[]).ends_with("white> \n"));
    assert!(between_people(&["d6", "quit", "f4"]).ends_with("black> "));
}

#[test]
fn turns_are_taken_back() {
    let out = between_people(&["a7", "a1", "d7", "d1", "g7", "undo", "undo", "turns"]);
    assert!(
        out.ends_with("  1 white a7\n  2 black a1\n  3 white d7\nblack> \n"),
        "{out}"
    );
    let out = between_people(&["undo"]);
    assert!(out.contains("you have made no turn yet that could be taken back"));
    // Against the machine, its turn is taken back, too.
    let out = play(&["--movetime", "50"], &["a7", "d6", "undo", "turns"]);
    assert!(last_board(&out)[9].starts_with("white to move, placing, white has 8 in hand"));
}

#[test]
fn the_machine_wins_what_is_won() {
    let out = play(&["--position", WON, "--white", "machine"], &[]);
    assert_eq!(out.matches("white plays ").count(), 11);
    assert!(out.contains("the game is over: white has won"));
}

/// A game at the terminal that is answered while it runs.
struct Dialogue {
    child: Child,
    out: BufReader<ChildStdout>,
}

impl Dialogue {
    fn start(args: &[&str]) -> Dialogue {
        let args = [&["play"], args].concat();
        let mut command = process::program(process::empty_home(), &args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        Dialogue { child, out }
    }

    fn say(&mut self, lines: &str) {
        let stdin = self.child.stdin.as_mut().unwrap();
        stdin.write_all(lines.as_bytes()).unwrap();
    }

    /// The output up to a line with these words.
    fn until(&mut self, words: &str) -> String {
        let mut text = String::new();
        while !text.contains(words) {
            let read = self.out.read_line(&mut text).unwrap();
            assert!(read > 0, "'{words}' does not come: {text}");
        }
        text
    }

    /// The output until the program ends.
    fn end(mut self) -> String {
        drop(self.child.stdin.take());
        let mut text = String::new();
        self.out.read_to_string(&mut text).unwrap();
        assert!(self.child.wait().unwrap().success());
        text
    }
}

#[test]
fn a_game_that_is_over_can_be_taken_back() {
    let mut game = Dialogue::start(&["--position", WON, "--white", "machine"]);
    let first = game.until("the game is over: white has won, because black has fewer than three");
    assert_eq!(first.matches("white plays ").count(), 11);
    game.say("a7-d7\nhint\ngo\nanalyse\nundo\n");
    let again = game.until("white has won, because");
    // It is printed again after each command.
    shows(&again, "the game has ended; 'undo'");
    game.say("turns\n");
    let out = again + &game.end();
    let ended = out.matches("the game has ended; 'undo'").count();
    assert_eq!(ended, 4, "{out}");
    assert_eq!(out.matches("white plays ").count(), 1);
    shows(&out, " 21 white ");
}

#[test]
fn two_machines_can_be_interrupted() {
    let args = "--white machine --black machine --repetitions 0 --quiet-turns 0";
    let mut game = Dialogue::start(&[&split(args)[..], &["--position", DRAWN]].concat());
    game.until("black plays ");
    game.say("white human\n");
    game.until("black plays ");
    game.say("level 3\nquit\n");
    let out = game.end();
    assert!(out.ends_with("white> white> "), "{out}");
}

#[test]
fn the_rule_for_draws_can_be_set() {
    let quiet = "for 6 turns no stone was placed or removed";
    for (options, words) in [
        (&[][..], "the position has occurred 3 times"),
        (&["--repetitions", "2"], "the position has occurred twice"),
        (&["--quiet-turns", "6"], quiet),
    ] {
        let out = play(&[&FROM_DRAWN[..], options].concat(), &ROUND.repeat(3));
        shows(&out, &format!("the game is drawn: {words}"));
        shows(&out, "the game has ended; 'undo' takes back a turn");
    }
}

#[test]
fn the_count_of_quiet_turns_is_shown_before_it_ends_the_game() {
    let options = ["--repetitions", "0", "--quiet-turns", "8"];
    for made in [5, 6, 7] {
        let turns = &ROUND.repeat(2)[..made];
        let out = play(&[FROM_DRAWN, options].concat(), turns);
        match made {
            5 => assert!(!out.contains("quiet turns"), "{out}"),
            _ => shows(&out, &format!(", {made} of 8 quiet turns")),
        }
    }
    // Rules with a limit show it, too.
    let position = format!("{DRAWN} -1 -1 -1 -1 0 80 1");
    let limited = ["--rules", "standard-100", "--position", &position];
    shows(&play(&limited, &[]), ", 80 of 100 quiet turns");
}

#[test]
fn turns_that_are_not_legal_have_a_reason() {
    let place = ["a7", "a1", "d7", "d1", "g7"];
    for (turn, words) in [
        ("b2", "a mill was closed, so a stone must be removed first"),
        ("xa7", "the stone on a7 belongs to the same side"),
        ("xb2", "there is no stone on b2 to remove"),
    ] {
        let out = between_people(&[&place[..], &[turn]].concat());
        let sentence = format!("{turn} is not a legal turn of white here: {words}");
        shows(&out, &sentence);
    }
    let out = between_people(&["a7", "d6-d5", "a7"]);
    shows(&out, ": no stone can move while any is in hand");
    shows(&out, ": there is a stone on a7 already");
}

#[test]
fn hints_and_analyses_know_the_values() {
    let people = ["--position", WON, "--black", "human"];
    let out = play(&people, &["hint", "analyse"]);
    shows(&out, "a1-e4: win in 21");
    shows(&out, "white: win in 21\n");
    assert!(out.matches("  win in ").count() > 3, "{out}");
    // If no database knows the position, a search answers.
    let args = split("--black human --movetime 50 --threads 1");
    let out = play(&args, &["d6", "hint", "analyse"]);
    shows(&out, " at depth ");
    shows(&out, "depth  score  line");
    // Both say the same about a position.
    let (hint, analysis) = out.split_once("depth  score  line").unwrap();
    let hint = hint.rsplit_once("black> ").unwrap().0;
    let hint = hint.lines().last().unwrap().trim_start_matches("black> ");
    let best = analysis.lines().nth(1).unwrap();
    let best: Vec<&str> = best.split_whitespace().collect();
    let expected = format!("{}: {} at depth {}", best[2], best[1], best[0]);
    assert_eq!(hint, expected, "{out}");
}

#[test]
fn games_are_saved_and_loaded() {
    let folder = TempDir::new().unwrap();
    let people = ["--black", "human"];
    let save = "save my game.txt";
    let lines = ["a7", "a1", "d7", "d1", "g7", save, "xa1", save];
    let out = play_in(&folder, &people, &lines);
    assert_eq!(out.matches("saved in 'my game.txt'").count(), 2, "{out}");
    let saved = std::fs::read_to_string(folder.path().join("my game.txt")).unwrap();
    let position = "position startpos moves a7 a1 d7 d1 g7 xa1\n";
    let rules = "setoption name Rules value standard\n";
    assert_eq!(saved, [rules, position].concat());
    let capital = saved.replace("standard", "Standard");
    std::fs::write(folder.path().join("my game.txt"), capital).unwrap();
    let load = [&people[..], &["--load", "my game.txt"]].concat();
    let out = play_in(&folder, &load, &["turns"]);
    assert!(out.ends_with("  5 white g7xa1\nblack> \n"), "{out}");
    // Another game is overwritten only on request.
    let lines = ["b2", save, "load my game.txt", "turns"];
    let out = play_in(&folder, &people, &lines);
    let another = "'my game.txt' contains another game; 'replace my game.txt' overwrites it";
    shows(&out, another);
    assert!(out.ends_with("  5 white g7xa1\nblack> \n"), "{out}");
    let lines = ["b2", "replace my game.txt", "load my game.txt", "turns"];
    let out = play_in(&folder, &people, &lines);
    assert!(out.ends_with("  1 white b2\nblack> \n"), "{out}");
    // Another file is neither replaced nor loaded.
    let other = folder.path().join("other.txt");
    for text in [
        "my diary",
        "position startpos moves a7 a7",
        "position startpos moves a7\nand more",
        "",
    ] {
        std::fs::write(&other, text).unwrap();
        let lines = ["a7", "save other.txt", "load other.txt", "turns"];
        let out = play_in(&folder, &people, &lines);
        shows(&out, "'other.txt' exists and is not a saved game");
        shows(&out, "'other.txt' is not a saved game: ");
        assert!(out.ends_with("  1 white a7\nblack> \n"), "{out}");
        assert_eq!(std::fs::read_to_string(&other).unwrap(), text);
    }
    // A game of another program is loaded, and its file is not replaced.
    std::fs::write(&other, "[White \"A\"]\n\n1. 5 14 {x} 2. 20 *\n").unwrap();
    let lines = ["load other.txt", "turns", "save other.txt"];
    let out = play_in(&folder, &people, &lines);
    shows(&out, "  3 white d2\n");
    shows(&out, "'other.txt' exists and is not a saved game");
    std::fs::write(&other, "my diary").unwrap();
    let failed = command(&folder, &["--load", "other.txt"]).output().unwrap();
    assert_eq!(failed.status.code(), Some(2));
}

/// What cannot be written leaves the older game, and no other file.
#[cfg(unix)]
#[test]
fn a_full_disk_does_not_take_the_saved_game() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("g.txt");
    let link = folder.path().join("link.txt");
    play_in(&folder, &["--black", "human"], &["a7", "save g.txt"]);
    std::os::unix::fs::symlink("g.txt", &link).unwrap();
    let saved = std::fs::read_to_string(&file).unwrap();
    let args = ["play", "--black", "human", "--load", "g.txt"];
    let mut full = process::on_full_disk(folder.path(), &args);
    let run = process::run_with(
        &mut full,
        "d6\nsave g.txt\nreplace link.txt\nsave new.txt\n",
    );
    assert_eq!(run.out.matches("cannot write '").count(), 3, "{}", run.out);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), saved);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
    // A link stays one.
    play_in(&folder, &args[1..], &["d6", "replace link.txt"]);
    assert!(link.is_symlink());
    shows(&std::fs::read_to_string(&file).unwrap(), " moves a7 d6\n");
}

#[test]
fn games_that_are_not_loaded_have_a_reason() {
    let folder = TempDir::new().unwrap();
    let game = "1. d6 f4 2. d2 b4 *\n";
    for (text, words) in [
        (
            "1. d6 f4 2. d2 zz\n",
            "line 1, column 16: the game cannot go on after 3 turns: 'zz'",
        ),
        (&game.repeat(2), "it has 2 games"),
        (&"position startpos moves d6\n".repeat(2), "it has 2 games"),
        ("# a comment\n", "it does not contain a game"),
        (
            &format!("[Rules \"lasker\"]\n\n{game}"),
            "load it with --rules lasker",
        ),
        ("1. d6 f4 2. d6-d5 *\n", "; try --rules lasker"),
        ("position startpos moves a7 a7", "a7 is not a legal turn"),
    ] {
        std::fs::write(folder.path().join("g.txt"), text).unwrap();
        let run = process::run(&mut command(&folder, &["--load", "g.txt"]));
        run.fails_with(2, words);
        let out = play_in(&folder, &[], &["load g.txt"]);
        shows(&out, words);
    }
    // A saved game takes the place of none but a single other one.
    let two = "position startpos moves d6\nposition startpos moves f4\n";
    std::fs::write(folder.path().join("g.txt"), two).unwrap();
    for command in ["save g.txt", "replace g.txt"] {
        shows(&play_in(&folder, &[], &[command]), "is not a saved game");
    }
    let kept = std::fs::read_to_string(folder.path().join("g.txt")).unwrap();
    assert_eq!(kept, two);
    // Stdin has the commands.
    let out = play_in(&folder, &[], &["load -", "d6", "turns"]);
    shows(&out, "name a file");
    shows(&out, "  1 white d6");
    // A form that gives a remark is read with it.
    let text = include_str!("../data/games/grid.txt");
    std::fs::write(folder.path().join("g.txt"), text).unwrap();
    let run = process::run(&mut command(&folder, &["--load", "g.txt"]));
    assert_eq!(run.status, 0);
    shows(&run.out, "black has won");
    shows(
        &run.err,
        "'g.txt', line 1, column 1: the coordinates are read as",
    );
}

#[test]
fn saved_games_are_loaded_by_the_rules_they_were_played_by() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("own.toml"), "flying = 4").unwrap();
    // A file that does not name the rules is read by those of the option.
    let unnamed = "position startpos moves a7\n";
    std::fs::write(folder.path().join("unnamed"), unnamed).unwrap();
    let people = ["--black", "human"];
    for rules in ["twelve", "own.toml"] {
        let args = [&people[..], &["--rules", rules]].concat();
        let saved = format!("save {rules}.txt");
        play_in(&folder, &args, &["d6", "f6", &saved]);
    }
    for rules in ["standard", "twelve"] {
        let load = ["--black", "human", "--load", "unnamed", "--rules", rules];
        assert!(play_in(&folder, &load, &["turns"]).contains("  1 white "));
    }
    for (rules, file, other) in [
        ("twelve", "twelve.txt", "standard"),
        ("own.toml", "own.toml.txt", "standard"),
    ] {
        let load = ["--black", "human", "--load", file, "--rules"];
        let out = play_in(&folder, &[&load[..], &[rules]].concat(), &["turns"]);
        shows(&out, "  1 white ");
        let refused = process::run(&mut command(&folder, &[&load[..], &[other]].concat()));
        for words in [file, "was played by", other, "load it with --rules"] {
            refused.fails_with(2, words);
        }
        assert!(rules == "own.toml" || refused.err.contains(&format!("--rules {rules}")));
    }
}

#[test]
fn seats_change_during_the_game() {
    let args = split("--black human --level 0 --movetime 50");
    let lines = ["d6", "go", "black machine", "f4", "white machine", "quit"];
    let out = play(&args, &lines);
    shows(&out, "black plays ");
    shows(&out, "white plays ");
}

/// Two machines play to an end by themselves, here by the repetition of positions.
#[test]
fn drawn_games_end() {
    let args = split("--white machine --black machine --position");
    let out = play(&[&args[..], &[DRAWN]].concat(), &["turns", "undo"]);
    shows(&out, "the game is drawn: ");
}

#[test]
fn colours_are_for_those_who_want_them() {
    let folder = TempDir::new().unwrap();
    let run = |args: &[&str], variable: Option<&str>| {
        let mut command = command(&folder, args);
        command.args(["--black", "human"]);
        if let Some(variable) = variable {
            command.env(variable, "1");
        }
        process::run_with(&mut command, "d6\nf4").out
    };
    assert!(!run(&[], None).contains('\u{1b}'));
    assert!(!run(&["--color", "never"], None).contains('\u{1b}'));
    let coloured = run(&["--color", "always"], Some("NO_COLOR"));
    shows(&coloured, "\u{1b}[1m\u{1b}[33mO\u{1b}[0m");
    shows(&coloured, "\u{1b}[1m\u{1b}[34m@\u{1b}[0m");
}

#[test]
fn programs_are_told_where_to_go() {
    let folder = TempDir::new().unwrap();
    process::run(&mut command(&folder, &["--json"])).fails_with(2, "millbase uci");
}
