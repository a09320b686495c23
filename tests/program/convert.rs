//! Tests of `millbase convert`.

use std::fs;

use serde_json::Value as Json;

use crate::common::{FLYING, root};
use crate::process::{Place, objects, shows};

fn example(name: &str) -> String {
    fs::read_to_string(root().join("tests/data/games").join(name)).unwrap()
}

/// Each form becomes each other, by way of files that were written without this program.
#[test]
fn every_form_becomes_every_other() {
    let place = Place::new();
    let files = [
        "names.txt",
        "numbers.txt",
        "actions.txt",
        "coordinates.txt",
        "protocol.txt",
        "spoken.txt",
    ];
    let convert = |form: &str, text: &str| {
        let run = place.run_with(&["convert", "--to", form, "-"], text.to_owned());
        assert_eq!((run.status, run.err.as_str()), (0, ""), "{form}: {text}");
        run.out
    };
    let list = convert("list", &example("names.txt"));
    for file in files {
        assert_eq!(convert("list", &example(file)), list, "{file}");
    }
    assert_eq!(
        convert("actions", &example("names.txt")),
        example("actions.txt").replace(['[', ']', ','], "")
    );
    assert_eq!(
        convert("coordinates", &example("spoken.txt")),
        example("coordinates.txt")
    );
    for form in ["text", "numbers", "actions", "coordinates", "protocol"] {
        assert_eq!(convert("list", &convert(form, &list)), list, "{form}");
    }
    // Tags, comments and variations stay.
    let text = "[White \"A\"]\n\n{first} 1. d6 {good} f4 (1... b4 $4) 2. d2 1-0\n";
    let names = convert("text", text);
    assert_eq!(
        names,
        "[White \"A\"]\n[Rules \"standard\"]\n[Result \"1-0\"]\n\n{first} 1. d6 {good} 1... f4 (1... b4 $4) 2. d2 1-0\n"
    );
    assert_eq!(convert("text", &convert("numbers", &names)), names);

    let positions = convert("fen", "1. d6 f4\n1. d2 *\n");
    assert_eq!(positions.lines().count(), 2);
    assert_eq!(
        convert("rings", &positions),
        ".........W.B............|W|1|1\n.............W..........|B|1|0\n"
    );
    assert_eq!(
        convert(
            "fen",
            &convert("json", &convert("rows", &convert("mfen", &positions)))
        ),
        positions
    );
    assert_eq!(
        convert("protocol", "d6 f4\n"),
        "position startpos moves d6 f4\n"
    );
}

#[test]
fn what_cannot_be_converted_is_named() {
    let place = Place::new();
    let run = place.run_with(
        &["convert", "--to", "list", "-"],
        "1. d6 14 *\n\nd2 f4\n".to_owned(),
    );
    assert_eq!((run.status, run.out.as_str()), (2, "d6\nd2 f4\n"));
    assert!(
        run.err
            .starts_with("'-', line 1, column 7: the game cannot go on after 1 turn: '14'"),
        "{}",
        run.err
    );
    let run = place.run_with(
        &["convert", "--to", "actions", "-"],
        format!("{FLYING}\n1. d7-d6 *\n"),
    );
    assert_eq!(run.status, 2);
    assert!(
        run.err
            .contains("a list of turns cannot state the position"),
        "{}",
        run.err
    );
    // A removal is due between two actions only.
    let every = ["convert", "--to", "fen", "--every", "-"];
    let run = place.run_with(&every, "a7 a1 d7 d1 g7xa1\n".to_owned());
    assert_eq!((run.status, run.out.lines().count()), (0, 6));
    place
        .run_with(&["convert", "--to", "fen", "-"], "\n".to_owned())
        .fails_with(2, "neither a game nor a position");
    let text = "1. a7 a1 2. d7 d1 3. g7 b2 *\n[Variant \"Chess\"]\n\n1. d6 {x} *\n";
    let run = place.run_with(&["--json", "convert", "-"], text.to_owned());
    let games: Vec<Json> = run
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(games.len(), 2);
    assert_eq!(
        (
            &games[0]["remarks"][0]["line"],
            &games[0]["remarks"][0]["column"]
        ),
        (&1.into(), &25.into())
    );
    assert_eq!(games[0]["line"]["turns"].as_array().unwrap().len(), 4);
    assert_eq!(games[1]["line"]["turns"][0]["comment"], "x");
    assert_eq!(games[1]["tags"][0]["value"], "Chess");
    assert_eq!(run.status, 2);
}

#[test]
fn a_file_that_cannot_be_read_does_not_stop_the_others() {
    let place = Place::new();
    for (name, text) in [("a", "d6 f4\n"), ("empty", ""), ("b", "d2 b4\n")] {
        fs::write(place.path().join(name), text).unwrap();
    }
    let files = ["a", "none", "empty", "b"];
    let run = place.run(&[&["convert", "--to", "list"], &files[..]].concat());
    assert_eq!((run.status, run.out.as_str()), (2, "d6 f4\nd2 b4\n"));
    let lines: Vec<&str> = run.err.lines().collect();
    assert_eq!(lines.len(), 2, "{}", run.err);
    assert!(lines[0].starts_with("error: cannot read 'none': "));
    assert_eq!(lines[1], "error: 'empty' has neither a game nor a position");
    // In a stream the error takes the line of the answer.
    let run = place.run(&[&["convert", "--json"], &files[..]].concat());
    let codes: Vec<Json> = objects(&run.out)
        .iter()
        .map(|line| line["error"]["code"].clone())
        .collect();
    let expected = [Json::Null, "invalid".into(), "invalid".into(), Json::Null];
    assert_eq!((run.status, &codes[..]), (2, &expected[..]), "{}", run.out);
    place.fails("convert --json none", 2, "cannot read 'none'");
}

/// A game without any turn that could be read is an error in its line.
#[test]
fn unread_games_are_errors_in_json() {
    let place = Place::new();
    let run = place.run_with(&["--json", "convert", "-"], "hello world\n\n1. d6 f4 *\n");
    let answers = objects(&run.out);
    assert_eq!((run.status, answers.len()), (2, 2), "{}", run.out);
    assert_eq!(answers[0]["error"]["code"], "invalid");
    let message = answers[0]["error"]["message"].as_str().unwrap();
    assert!(
        message.starts_with("stdin, line 1, column 1: "),
        "{message}"
    );
    assert_eq!(answers[1]["error"], Json::Null);
}

#[test]
fn lists_of_one_turn_stay_apart() {
    let place = Place::new();
    for form in ["list", "actions", "coordinates"] {
        let convert = |text: &str| place.run_with(&["convert", "--to", form, "-"], text).out;
        let lists = convert("d6\n\nf4\n\nd2 b4\n\na1\n");
        assert_eq!(lists.lines().filter(|line| !line.is_empty()).count(), 4);
        assert_eq!(convert(&lists), lists);
    }
}

/// A turn whose removal is due stays in forms that are made of actions, and is left out of the others.
#[test]
fn a_removal_that_is_due_is_kept_or_named() {
    let place = Place::new();
    let line = "position startpos moves a1 b2 d1 b4 g1\n";
    let convert = |args: &[&str]| place.run_with(&[&["convert"], args, &["-"]].concat(), line);
    for (form, expected) in [
        ("protocol", line),
        ("list", "a1 b2 d1 b4 g1\n"),
        (
            "fen",
            "********/*****@@*/***OOO** w p r 3 6 2 7 1 0 -1 -1 -1 -1 0 0 1\n",
        ),
    ] {
        let run = convert(&["--to", form]);
        assert_eq!(
            (run.status, run.err.as_str(), run.out.as_str()),
            (0, "", expected)
        );
    }
    let run = convert(&["--to", "text"]);
    assert_eq!(run.status, 2);
    assert!(run.err.contains("so this turn is left out"), "{}", run.err);
    assert!(
        run.out.ends_with("\n\n1. a1 b2 2. d1 b4 *\n"),
        "{}",
        run.out
    );
    let game = convert(&["--json"]).out;
    let game: Json = serde_json::from_str(&game).unwrap();
    assert_eq!(game["remarks"][0]["reason"], "removal_missing");
    assert_eq!(game["line"]["turns"].as_array().unwrap().len(), 4);
    let before = "********/*****@@*/****OO** w p p 2 7 2 7 0 0 -1 -1 -1 -1 0 0 1";
    assert_eq!(game["position"], before);
}

#[test]
fn a_stated_count_of_quiet_turns_is_written_or_refused() {
    let place = Place::new();
    let counted = "********/********/O@O*O@*@ w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 34 1\n";
    let convert = |form: &str, text: &str| {
        let args = ["convert", "--to", form, "-"];
        place.run_with(&args, text.to_owned())
    };
    assert_eq!(convert("fen", &convert("mfen", counted).out).out, counted);
    for form in ["rings", "rows", "json"] {
        let run = convert(form, counted);
        assert_eq!((run.status, run.out.as_str()), (2, ""), "{form}");
        let words = format!("the form {form} cannot state the count of 34 quiet turns");
        assert!(run.err.contains(&words), "{}", run.err);
        assert_eq!(convert(form, &counted.replace(" 34 ", " 0 ")).status, 0);
    }
    // A mill is closed, and its removal is missing.
    let mill = "position fen OO******/**O*****/*@@*@*** w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 34 1 moves f4-c5\n";
    let owed = "OO*****O/********/*@@*@*** w m r 3 0 3 0 1 0 -1 -1 -1 -1 0 0 1\n";
    let args = ["convert", "--to", "fen", "--every", "-"];
    assert!(place.run_with(&args, mill.to_owned()).out.ends_with(owed));
    assert_eq!(convert("fen", mill).out, owed);
}

/// Engines and people indent lines, and programs write in other encodings.
#[test]
fn indented_lines_and_lost_letters_are_read() {
    let place = Place::new();
    let text = b"  position startpos moves d6 f4\n\n\t1. d2 {M\xfcller} b4\n";
    fs::write(place.path().join("games"), text).unwrap();
    let run = place.run(&["convert", "--to", "list", "games"]);
    assert_eq!((run.status, run.out.as_str()), (0, "d6 f4\nd2 b4\n"));
    let remark = "'games', line 3, column 10: the text is not in UTF-8, and letters of it are lost";
    assert!(run.err.starts_with(remark), "{}", run.err);
}

/// What is left out gives status 2, also if the turns before it are all there.
#[test]
fn text_that_is_left_out_is_an_error() {
    let place = Place::new();
    let deep = format!("1. d6 {}f4{} f4", "(1. d2 ".repeat(102), ")".repeat(102));
    let long = format!("1. d6 {{{}}} f4", "a ".repeat(1 << 20));
    for (text, words) in [
        ("1. d6 f4 {open\n\n1. d2 b4\n", "a comment is not closed"),
        (
            "1. d6 f4 (1... b4 *\n\n1. d2 a1 *\n",
            "a variation is not closed",
        ),
        (&deep, "a variation inside 100 others is left out"),
        (&long, "a comment is too long, and its end is left out"),
        ("1. d6 f4 (1... d6)", "what follows in it is left out"),
    ] {
        let run = place.run_with(&["convert", "--to", "list", "-"], text.to_owned());
        assert_eq!((run.status, run.out.as_str()), (2, "d6 f4\n"), "{text:.40}");
        shows(&run.err, words);
    }
}

/// An engine keeps the rules that an earlier game has set.
#[test]
fn each_game_of_an_archive_keeps_its_rules() {
    let place = Place::new();
    let game = |rules: &str| format!("[Rules \"{rules}\"]\n\n1. a7 d6 *\n\n");
    let text = ["standard", "twelve", "standard"].map(game).concat();
    let run = place.run_with(&["convert", "--to", "protocol", "-"], text.clone());
    let lines = run.out.lines().filter(|line| line.starts_with("setoption"));
    let rules = |name: &str| format!("setoption name Rules value {name}");
    assert_eq!(
        lines.collect::<Vec<_>>(),
        [rules("twelve"), rules("standard")]
    );
    let again = place.run_with(&["convert", "--to", "text", "-"], run.out);
    let first = place.run_with(&["convert", "--to", "text", "-"], text);
    assert_eq!(again.out, first.out);
}

#[test]
fn a_limit_of_the_rules_ends_a_game() {
    let place = Place::new();
    let start = "********/********/O@O*O@*@ w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 98 1";
    for (turns, result) in [("1. d1-a4", "*"), ("1. d1-a4 a7-d1", "1/2-1/2")] {
        let game = format!("[FEN \"{start}\"]\n\n{turns} *\n");
        let convert = ["convert", "--rules", "standard-100", "--to", "text", "-"];
        let run = place.run_with(&convert, game);
        assert!(run.out.ends_with(&format!(" {result}\n")), "{}", run.out);
    }
}

#[test]
fn options_that_would_change_nothing_are_refused() {
    let place = Place::new();
    place.fails("convert --json --to text -", 2, "leave out --to");
    place.fails("convert --every --to list -", 2, "a form of positions");
    place.fails("convert -", 2, "name the form to write");
}

/// A position that a form cannot state takes no other one with it.
#[test]
fn all_other_positions_of_a_game_are_written() {
    let place = Place::new();
    let every = |form: &str| {
        let args = ["convert", "--to", form, "--every", "-"];
        let run = place.run_with(&args, example("grid.txt"));
        (run.status, run.out.lines().count())
    };
    // The game is over at its last position.
    let (status, all) = every("fen");
    assert_eq!((status, every("mfen")), (0, (2, all - 1)));
}
