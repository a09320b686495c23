//! Tests of reading and writing games: every form, several games in one input, wrong and hostile input.

use std::fs;
use std::io::{self, BufRead, Read};
use std::time::Duration;

use millbase::engine::Game;
use millbase::internals::Random;
use millbase::notation::{
    GameForm, GameResult, Line, NotedTurn, PointNaming, PositionForm, Record, RecordReader,
    game_text, parse_position, position_text, protocol_game,
};
use millbase::{Blocked, Position, Rules, Side, Turn};

use crate::common::{FLYING, quick, root};

const RULES: Rules = Rules::STANDARD;

fn read_by(rules: Rules, text: &str) -> Vec<Record> {
    let records = RecordReader::new(rules, text.as_bytes());
    records.map(Result::unwrap).collect()
}

fn read(text: &str) -> Vec<Record> {
    read_by(RULES, text)
}

/// The only game of a text.
fn only(text: &str) -> Record {
    let mut found = read(text);
    assert_eq!(found.len(), 1, "{text}: {found:?}");
    found.remove(0)
}

fn turns(record: &Record) -> String {
    let turns = record.game.turns();
    let texts: Vec<String> = turns.iter().map(Turn::to_string).collect();
    texts.join(" ")
}

fn remarks(record: &Record) -> Vec<String> {
    record.remarks.iter().map(ToString::to_string).collect()
}

fn reasons(record: &Record) -> Vec<&'static str> {
    record.remarks.iter().map(|remark| remark.reason).collect()
}

/// The columns of a row of a table.
fn columns<const N: usize>(row: &str) -> [&str; N] {
    let columns: Vec<&str> = row.split(" => ").collect();
    columns.try_into().unwrap()
}

/// Asserts that a text is this game alone, without remarks.
fn is_game(text: &str, game: &str) {
    let record = only(text);
    assert_eq!(turns(&record), game, "{text}");
    assert_eq!(remarks(&record), [""; 0], "{text}");
}

#[test]
fn every_form_gives_the_same_game() {
    let list = "a7 a1 d7 d1 g7xa1 b2";
    for text in [
        list,
        "A7 a1 d7 d1 g7 xa1 b2\n",
        "7a 1a d7 1d g7 x a1 b2\r\n",
        "position startpos moves a7 a1 d7 d1 g7 xa1 b2",
        "setoption name Rules value standard\nposition startpos moves a7 a1 d7 d1 g7xa1 b2\n",
        "[White \"A\"]\n\n1. a7 a1 2. d7 d1\n3. g7xa1! {a mill; it} b2 *\n",
        "1.a7 {one\ntwo} a1 (1... b4 (2. a4) 2. b2) 2.d7?! d1 $4\n3. g7xa1 ; the rest\n3... b2",
        "1. a7 a1 2. d7 d1 3. g7:a1 b2",
        "1. a7 a1 2. d7 d1 3. g7 a1 b2",
        "1) a7 a1 2) d7 d1\n\n3) g7-xa1 b2 1/2-1/2",
        "1 . a7 a1 2 . d7 d1 3 … g7xa1 b2",
        "1 a7 a1 2 d7 d1 3 g7xa1 b2",
        " 1.    a7    a1\n 2.    d7    d1 3...\n g7xa1 （满） b2",
        "Place to a7\nPlace to a1\nPlace to d7\nplace d1\nPut on g7, take a1\nPlace at b2\n",
        "a7\na1\nd7\nd1\ng7\nxa1\nb2",
        "1. 1 22 2. 2 23 3. 3x22 19",
        "1. 1 22 2. 2\n23 3.\n3x22 19 0-1",
        "[0, 21, 1, 22, 2, 21, 18]",
        "0\n21\n1\n22\n2\n21\n18\n",
        "(3,8) (3,6) 00:12 (3,1) (3,5) (3,2) -(3,6) (2,6)",
    ] {
        let record = only(text);
        assert_eq!(turns(&record), list, "{text}: {:?}", record.remarks);
    }
    let fen = "********/O*O***@*/O*@****@ w m s 3 0 3 0 0 0";
    for text in [
        "d6-d5 a7-a4",
        "d6d5 a7a4",
        "d6:d5 a7:a4",
        "d6/d5 a7/a4",
        "d6→d5 a7⇒a4",
        "d6 -> d5, a7 -> a4",
        "Move d6 to d5 move a7 to a4",
    ] {
        is_game(&format!("[FEN \"{fen}\"]\n\n{text} *"), "d6-d5 a7-a4");
    }
}

#[test]
fn turns_with_removals_are_read_in_every_habit() {
    let fen = "********/@*******/O*OO*@*@ w m s 3 0 3 0 0 0";
    for text in [
        "d7-g7xd6",
        "d7g7xd6",
        "d7-g7-xd6",
        "d7-g7 xd6",
        "d7 - g7 x d6",
        "d7 → g7, take d6",
        "D7-G7:D6",
        "d7/g7 removes d6",
        "Move from d7 to g7 and take d6",
        "Move from d7 to g7 and remove d6",
        "2-3x5",
        "2x3x5",
        "(3,1)->(3,2) -(2,1)",
    ] {
        is_game(&format!("{fen}\n1. {text} *\n"), "d7-g7xd6");
    }
    is_game(&format!("position fen {fen} moves d7-g7 xd6"), "d7-g7xd6");
    is_game(&format!("{fen}\n50 4\n"), "d7-g7xd6");
    // Two mills at once.
    let each = Rules {
        removal_per_mill: true,
        ..RULES
    };
    let fen = "***@**@*/******@*/O*OO*@*O w p p 4 5 4 5 0 0";
    let record = &read_by(each, &format!("position fen {fen} moves g7 x a1 xb4"))[0];
    assert_eq!(turns(record), "g7xa1xb4", "{:?}", record.remarks);
}

/// The same game in every form.
#[test]
fn the_examples_are_one_game() {
    let folder = root().join("tests/data/games");
    let text = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    let expected = turns(&only(&text("names.txt")));
    assert!(expected.split(' ').count() > 30, "{expected}");
    assert!(expected.contains('x'), "{expected}");
    let mut files = 0;
    for file in fs::read_dir(&folder).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        let record = only(&text(&name));
        assert_eq!(turns(&record), expected, "{name}: {:?}", record.remarks);
        // The grid leaves open how the board lies.
        let expected = vec!["grid"; usize::from(name == "grid.txt")];
        assert_eq!(reasons(&record), expected, "{name}");
        files += 1;
    }
    assert_eq!(files, 9);
}

/// Texts that were read wrongly or not at all.
#[test]
fn what_was_seen_is_read() {
    let text = "1. d6 f4 2. d2 b4 1-0\n1. a7 g1 2. g7 a1 0-1";
    let found = read(text);
    let games: Vec<String> = found.iter().map(turns).collect();
    assert_eq!(games, ["d6 f4 d2 b4", "a7 g1 g7 a1"]);
    assert_eq!(found[0].result, Some(GameResult::White));
    assert_eq!(found[1].result, Some(GameResult::Black));
    // On one line, too.
    assert_eq!(read(&text.replace('\n', " ")).len(), 2);

    // Each game has its own tags.
    let text = format!(
        "[White \"A\"]\n\n1. d6 f4 1-0\n\n[White \"B\"]\n[FEN \"{FLYING}\"]\n[Rules \"twelve\"]\n\n1. d7-d6 *\n"
    );
    let found = read(&text);
    assert_eq!(found[0].rules(), &RULES);
    assert_eq!(found[0].game.start(), &Position::start(&RULES));
    assert_eq!(found[1].rules(), &Rules::TWELVE);
    assert_eq!(found[1].player(Side::White), Some("B"));

    // Numbers among names are named, and the game before them stands.
    let record = only("1. d6 14 2. b4 20 3. f6 4");
    assert_eq!(turns(&record), "d6");
    let cut = "line 1, column 7: the game cannot go on after 1 turn: '14' is not a turn; a turn is \
        written like d6, d6-d5, d6xb4, d6-d5xb4 or xb4; what follows is left out";
    assert_eq!(remarks(&record), [cut]);

    // A comment before the first turn.
    let record = only("{the first game} 1. d6 {good} f4 ; bad\n*");
    assert_eq!(record.line.comment, "the first game");
    assert_eq!(record.line.turns[0].comment, "good");
    assert_eq!(record.line.turns[1].comment, "bad");

    // A removal that is missing, at the end and before it.
    let record = only("1. a7 a1 2. d7 d1 3. g7");
    assert_eq!(turns(&record), "a7 a1 d7 d1 g7");
    let stops = "line 1, column 22: the game stops after g7, before the removal that it earns, \
        so this turn is left out";
    assert_eq!(remarks(&record), [stops]);
    let record = only("1. a7 a1 2. d7 d1 3. g7 b2 4. f4");
    let cut = record.cut().unwrap();
    assert_eq!(cut.column, 25, "{cut}");
    assert!(
        remarks(&record)[0].contains("by the rules dooz the game goes on"),
        "{:?}",
        remarks(&record)
    );

    // The turns before a bad one.
    let record = only("1. d6 f4 2. d2 b4 3. d6 a1 4. a4");
    assert_eq!(turns(&record), "d6 f4 d2 b4");
    let cut = record.cut().unwrap();
    let words = "line 1, column 22: the game cannot go on after 4 turns: d6 is not a legal turn";
    assert!(cut.to_string().starts_with(words), "{cut}");

    let record = only("[Variant \"Twelve Men's Morris\"]\n\n1. a7 b6 *");
    assert_eq!(record.rules(), &Rules::TWELVE);
    assert_eq!(record.tag("Variant"), Some("Twelve Men's Morris"));
}

#[test]
fn games_follow_each_other() {
    let text = "# two lists\na7 a1\nd6 f4\n\n1. a4 b4\n\n1. c4 d6\n1. d2 d3 1/2-1/2\n\
                [White \"A\"]\n[Black \"B \\\"b\\\"\"]\n[Result \"0-1\"]\n\n1. d5\n\
                [White \"C\"]\n\n*\nposition startpos moves g7\n\
                [White \"D\"] [Black \"E\"] 1. d6 1-0\n\n1. a1 b2\n\n2. d2 {x} d3\n";
    let found = read(text);
    let games: Vec<String> = found.iter().map(turns).collect();
    let expected = "a7 a1, d6 f4, a4 b4, c4 d6, d2 d3, d5, , g7, d6, a1 b2 d2 d3";
    assert_eq!(games.join(", "), expected);
    assert_eq!(found[0].line.comment, "two lists");
    assert_eq!(found[5].player(Side::Black), Some("B \"b\""));
    assert_eq!(found[5].result, Some(GameResult::Black));
    assert_eq!(found[4].result, Some(GameResult::Draw));
    assert_eq!(found[6].player(Side::White), Some("C"));
    assert_eq!(found[6].result, None);
    assert_eq!(found[8].player(Side::Black), Some("E"));
    assert!(found.iter().all(|record| record.remarks.is_empty()));
}

/// The turns of each game with their numbers, comments, variations and result.
fn written(records: &[Record]) -> String {
    let text = |record| game_text(record, GameForm::Text(PointNaming::Names));
    let turns = |record| text(record).rsplit("\n\n").next().map(str::to_owned);
    let games = records.iter().filter_map(turns);
    games.collect::<String>().trim_end().replace('\n', " | ")
}

#[test]
fn games_end_where_another_begins() {
    let joined = "1. d6 f4 2. d2 b4 *";
    let parted = "1. d6 f4 * | 1. d2 b4 *";
    for (text, games) in [
        // Every way of numbering turns begins games and goes on with them.
        ("1) d6 f4\n\n1) d2 b4\n", parted),
        ("1) d6 f4\n1) d2 b4\n", parted),
        ("1. d6 f4\n1 d2 b4\n", parted),
        ("1 . d6 f4\n\n1 . d2 b4\n", parted),
        ("1 d6 f4\n2 d2 b4\n", joined),
        ("1 d6 f4\n\n2 d2 b4\n", joined),
        ("1 d6\n2 f4\n3 d2\n4 b4\n", joined),
        ("1. d6 f4\n\n2) d2 b4\n", joined),
        ("1. d6 f4\n\n2 . d2 b4\n", joined),
        ("1. d6\n\n1 ... f4\n2. d2 b4\n", joined),
        ("d6\nf4\n2. d2\nb4\n", joined),
        ("1. d6 f4\n\nd2 b4\n", parted),
        ("1. d6 f4 *\n2. d2 b4\n", parted),
        // Between numbered points only marks make a number that of a turn.
        ("1 5 14\n2 20 11\n", "1. d7 f6 2. g4 * | 1. g7 f2 2. c4 *"),
        ("1) 5 14\n2) 20 11\n", joined),
        // The result may have its own line.
        (
            "d6 f4 d2 b4\n1-0\nd2 f4\n",
            "1. d6 f4 2. d2 b4 1-0 | 1. d2 f4 *",
        ),
        ("5 14 20 11\n1-0\n", "1. f6 g4 2. f2 c4 1-0"),
        ("d6\nf4\n0-1\nd2\nb4 1-0\n", "1. d6 f4 0-1 | 1. d2 b4 1-0"),
        ("1. d6 f4\n\n1-0\n0-1\n", "1. d6 f4 1-0 | 0-1"),
        ("position startpos moves d6 f4\n1-0\n", "1. d6 f4 1-0"),
    ] {
        assert_eq!(written(&read(text)), games, "{text}");
    }
}

/// Comments and variations between the lines of a game stay in it, and those of the next game are its own.
#[test]
fn comments_end_no_game() {
    for (text, games) in [
        ("d6\nf4\n{c}\nd2\nb4\n", "1. d6 f4 {c} 2. d2 b4 *"),
        (
            "d6\nf4\n{the \"board\"}\n{\"board\" is turned}\nd2\nb4\n",
            "1. d6 f4 {the \"board\" \"board\" is turned} 2. d2 b4 *",
        ),
        ("d6\nf4\n; c\nd2\nb4\n", "1. d6 f4 {c} 2. d2 b4 *"),
        ("d6\nf4\n# c\nd2\nb4\n", "1. d6 f4 {c} 2. d2 b4 *"),
        ("1. d6 f4 ; c\r2. d2 b4\r", "1. d6 f4 {c} 2. d2 b4 *"),
        ("d6 {c\nc}\nf4\nd2\nb4\n", "1. d6 {c c} 1... f4 2. d2 b4 *"),
        ("d6 f4 {c\nc}\nd2 b4\n", "1. d6 f4 {c c} * | 1. d2 b4 *"),
        (
            "d6\nf4\n(b4 d2)\nd2\nb4\n",
            "1. d6 f4 (1... b4 2. d2) 2. d2 b4 *",
        ),
        ("d6\nf4 (b4)\nd2\nb4\n", "1. d6 f4 (1... b4) 2. d2 b4 *"),
        (
            "1. d6 f4 (1... b4\n# d2\n2. a1\n% c\n) 2. d2 *\n",
            "1. d6 f4 (1... b4 {d2} 2. a1 {c}) 2. d2 *",
        ),
        (
            "1. d6 f4 (1... b4\n# c\n[White \"A\"]\n\n1. d2 *\n",
            "1. d6 f4 (1... b4) * | {c} 1. d2 *",
        ),
        ("1. d6 f4\n\n{c} 2. d2 b4\n", "1. d6 f4 {c} 2. d2 b4 *"),
        ("1. d6 f4\n\n{c}\n\n2. d2 b4\n", "1. d6 f4 {c} 2. d2 b4 *"),
        ("1. d6 f4\n\n; c\n2. d2 b4\n", "1. d6 f4 {c} 2. d2 b4 *"),
        (
            "1. d6 f4\n\n(1... b4) 2. d2 b4\n",
            "1. d6 f4 (1... b4) 2. d2 b4 *",
        ),
        ("1. d6 f4 1-0\n{c}\n", "1. d6 f4 {c} 1-0"),
        ("1. d6 f4 1-0\n\n{c}\n", "1. d6 f4 {c} 1-0"),
        ("1. d6 f4 1-0\n(1... b4)\n", "1. d6 f4 (1... b4) 1-0"),
        (
            "1. d6 f4 1-0\n{c\nd}\n{e} 1. d2\n",
            "1. d6 f4 {c d} 1-0 | {e} 1. d2 *",
        ),
        (
            "1. d6 f4 1-0\n{c}\n[White \"A\"]\n\nd2 *\n",
            "1. d6 f4 {c} 1-0 | 1. d2 *",
        ),
        (
            "1. d6 f4 1-0\n# c\n{d}\n1. d2\n",
            "1. d6 f4 1-0 | {c d} 1. d2 *",
        ),
        ("1. d6 f4\n\n{c}\n\n1. d2\n", "1. d6 f4 * | {c} 1. d2 *"),
        (
            "d6 f4\n{c}\n\n{d}\nd2 b4\n",
            "1. d6 f4 {c} * | {d} 1. d2 b4 *",
        ),
    ] {
        assert_eq!(written(&read(text)), games, "{text}");
    }
    let long = "c ".repeat(300);
    let text = format!("d6\nf4\n{{{long}}}\nd2\nb4\n");
    assert_eq!(read(&text).len(), 1);
    // A number before a comment is a point.
    assert_eq!(
        written(&read("5 {d6}\n14 {f4}\n")),
        "1. f6 {d6} 1... g4 {f4} *"
    );
    // Comments before a position are about that one.
    let [first, second] = ["O*******/********/********", "********/O*******/********"];
    let text = format!("# one\n{first} b p p 1 8 0 9 0 0\n# two\n{second} b p p 1 8 0 9 0 0\n");
    assert_eq!(written(&read(&text)), "{one} * | {two} *");
}

/// Among numbers, `0-1` and `1/2` are moves where they are legal.
#[test]
fn moves_that_look_like_results_are_moves() {
    let read = |text: &str| read_by(Rules::LASKER, text);
    for text in [
        "0 5 0-1 7 4",
        "0\n5\n0-1\n7\n4\n",
        "1. 0 5\n2. 0-1 7\n3. 4\n",
        "1. 0 5 2. 0-1\n7 3. 4 *\n",
        "1. 1 6 2. 1/2 8\n3. 5\n",
    ] {
        let found = read(text);
        assert_eq!(written(&found), "1. a7 f6 2. a7-d7 d5 3. d6 *", "{text}");
        assert_eq!(reasons(&found[0]), [""; 0], "{text}");
    }
    // No stone of Black is on 1.
    let text = "1. 1 6 2. 13 8 3. 13/14 1/2\n1. 5 14 0-1\n";
    let games = "1. a7 f6 2. e4 d5 3. e4-f4 1/2-1/2 | 1. d6 f4 0-1";
    assert_eq!(written(&read(text)), games);
}

#[test]
fn a_bad_game_does_not_hide_the_next() {
    assert_eq!(reasons(&read("[Rul\u{1}s \"a\"]\n")[0]), ["not_a_tag"]);
    let text = "a7 a7 b2\nd6\n1. d6 f4 2. d6 d5\n\nrubbish\n[White]\n\nposition fen x\nd6 1-0 f4\n1. a1 (\n[White \"Z\"]\n\na1 {\n";
    let found = read(text);
    let expected = [
        "line 1, column 4: the game cannot go on after 1 turn: a7 is not",
        "",
        "line 3, column 13: the game cannot go on after 2 turns",
        "line 5, column 1: the game cannot go on after 0 turns: 'rubbish'",
        "line 6, column 1: '[White]' is not a tag",
        "line 8, column 1: ",
        "line 9, column 8: 'f4' follows the result of the game",
        "line 10, column 7: a variation is not closed before the game ends",
        "line 13, column 4: a comment is not closed before the input ends",
    ];
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for (place, (record, words)) in found.iter().zip(expected).enumerate() {
        let found = remarks(record).join(" ");
        match place {
            6.. => assert_eq!(found, words),
            _ => assert!(found.starts_with(words), "'{words}' in {found}"),
        }
        assert_eq!(found.is_empty(), words.is_empty(), "{found}");
        assert_eq!(record.cut().is_some(), [0, 2, 3, 4, 5, 6].contains(&place));
        assert_eq!(record.is_unread(), (3..6).contains(&place), "{found}");
    }
    assert_eq!(turns(&found[1]), "d6");
    let saved = only("position startpos moves d6 f4 d6 b4\n");
    let words = "line 1, column 31: the game cannot go on after 2 turns: d6 is not";
    assert!(remarks(&saved)[0].starts_with(words));
}

#[test]
fn nothing_is_passed_over_in_silence() {
    for row in [
        "1. d6 (2. zz f4) f4 => d6 f4 => column 11: the variation cannot go on after 0 turns: 'zz'",
        "1. d6 (1. a1 a1 b2) f4 => d6 f4 => column 14: the variation cannot go on after 1 turn: a1 is not",
        "(d2) 1. d6 => d6 => column 1: a variation before the first turn is left out",
        "1. d6 f4) 2. d2 => d6 f4 d2 => column 9: a variation ends with ')' that did not begin",
        "1. ! d6 => d6 => column 4: '!' stands before the first turn",
        "[White \"A\"]\n[white \"B\"]\n\nd6 * => d6 => line 2, column 1: the tag white is there twice",
        "[Result \"won\"]\n\nd6 * => d6 => 'won' is not a result",
        "[Result \"1-0\"]\n\nd6 0-1 => d6 => the game ends in 0-1, but its tag says 1-0",
        "[Variant \"Sixteen Morris\"]\n\nd6 * => d6 => the rules 'Sixteen Morris' are not among those",
        "1. d6 (4,6) f4 => d6 => '(4,6)' is not a turn; a turn is written like",
        "(1,2) (4,6) => e5 => '(4,6)' is not a turn; the game is written with ring and place",
        "5 13 20 19 => f6 f4 f2 d2 => the points are read as the numbers 0 to 23; as 1 to 24, the turns are legal",
        "5 13- => d6 => '13-' is not a turn",
        "1. 5 25 => d6 => '25' is not a turn; the game is written with the numbers 1 to 24",
        "1. d6 d8 => d6 => 'd8' is not a turn",
        "1. d6 - d5 – d7 =>  => 'd6-d5–d7' is not a turn",
        "1. d6-d5xd5xd5 =>  => 'd6-d5xd5xd5' is not a turn",
        "setoption name Hash value 3\nposition startpos moves d6 => d6 => is not a line of a game",
    ] {
        let [text, game, remark] = columns(row);
        let record = only(text);
        assert_eq!(turns(&record), game, "{text}: {:?}", record.remarks);
        let remarks = remarks(&record);
        assert_eq!(remarks.len(), 1, "{text}: {remarks:?}");
        assert!(remarks[0].contains(remark), "{text}: {remarks:?}");
    }
}

#[test]
fn numbers_are_read_as_the_play_demands() {
    // Only the numbers from 0 know the point 0, only those from 1 the point 24.
    is_game("1. 5 24 2. 20 19", "d6 g1 d2 b2");
    is_game("0 4 23", "a7 d6 g1");
    is_game("1. 5 13", "d6 e4");
    // A number from 24 on is a move.
    let fen = "********/O*O***@*/O*@****@ w m s 3 0 3 0 0 0";
    let record = only(&format!("position fen {fen} moves 127"));
    assert_eq!(turns(&record), "d6-d5", "{:?}", record.remarks);
}

/// A grid of columns and rows is read from a1 where the board may lie in any way, and as the turns demand after a
/// position.
#[test]
fn columns_and_rows_are_read_as_the_play_demands() {
    for text in [
        "1. (4,6) (6,4) 2. (4,2) (7,7)",
        "1. (4, 6) (6, 4) 2. (4, 2) (7, 7)",
        "(3,5) (5,3) (3,1) (6,6)\n",
        "(4,6)\n(6,4)\n(4,2)\n(7,7)\n",
    ] {
        let record = only(text);
        assert_eq!(turns(&record), "d6 f4 d2 g7", "{text}");
        assert_eq!(reasons(&record), ["grid"], "{text}");
    }
    // One line is one turn also of places in rings.
    is_game("(2,1)\n(2,3)\n(2,5)\n", "d6 f4 d2");
    // White's stones are on d6, f6 and a7, Black's on b6, c5 and g1: d6 moves to d5 only if the first number is the row from
    // the top.
    let fen = "*******@/OO*****@/***@***O w m s 3 0 3 0 0 0";
    let flying = Rules { flying: 0, ..RULES };
    let read = |moves: &str| {
        let text = format!("[FEN \"{fen}\"]\n\n{moves}\n");
        read_by(flying, &text).remove(0)
    };
    let record = read("(2,4)->(3,4) (3,3)->(4,3) (1,1)->(1,4)");
    assert_eq!(turns(&record), "d6-d5 c5-c4 a7-d7");
    assert_eq!(reasons(&record), [""; 0]);
    let record = read("(1,1)->(1,4)");
    assert_eq!(reasons(&record), ["ambiguous"], "{}", turns(&record));
    // Both ring and place, and column and row.
    let record = only("(1,1) (3,3)");
    assert_eq!(turns(&record), "d5 g4");
    assert_eq!(reasons(&record), ["ambiguous"]);
}

/// The engine reads lines in every form that is certain.
#[test]
fn lines_of_the_protocol_are_read_in_certain_forms() {
    for (moves, game) in [
        ("d6 f4 D2 6g", "d6 f4 d2"),
        ("5 24 1", "d6 g1 a7"),
        ("1. d6 f4 2. d2", "d6 f4 d2"),
        ("(2,1) (2,3)", "d6 f4"),
    ] {
        let line = format!("position startpos moves {moves}");
        let found = protocol_game(&line, &RULES);
        let text = found.as_ref().map(|found| Record::of(found.clone()));
        let text = text.map(|record| turns(&record));
        match moves.contains("6g") {
            true => assert!(text.is_err(), "{moves}"),
            false => assert_eq!(text, Ok(game.to_owned()), "{moves}"),
        }
    }
    for row in [
        "position startpos moves d6 f4 d6 => d6 is not a legal turn of white here: there is a stone on d6 already",
        "position startpos moves d6 {good} => '{good}' is not a turn",
        "position startpos moves d6 (d2) f4 => '(d2)' is not a turn",
        "position startpos moves d6 1-0 => '1-0' is not a turn",
        "position startpos moves 5 13 20 => '5' is not a turn",
        "position x => a position is set with",
    ] {
        let [line, error] = columns(row);
        let found = protocol_game(line, &RULES).unwrap_err();
        assert!(found.starts_with(error), "{line}: {found}");
    }
    let rings = "position fen .........W..............|B|1|0 moves f4";
    let game = protocol_game(rings, &RULES).unwrap();
    let fen = "********/O*******/******** b p p 1 8 0 9 0 0 -1 -1 -1 -1 0 0 1";
    assert_eq!(game.text(), format!("position fen {fen} moves f4"));
}

/// A program in another language says each remark by its reason and fields.
#[test]
fn remarks_have_reasons_and_fields() {
    for row in [
        "d6 d6 => illegal => point=d6 side=black turn=d6 why=taken",
        "d6 d7-d5 => illegal => side=black turn=d7-d5 why=stones_in_hand",
        "1. d6 14 => not_a_turn => text=14",
        "a7 a1 d7 d1 g7 => removal_missing => turn=g7",
        "5 13 20 19 => numbering => other=1–24 read=0–23",
        "[Result \"1-0\"]\n\nd6 0-1 => other_result => other=1-0 written=0-1",
        "[FEN \"x\"]\n\nd6 => other_form => ",
        "[FEN \"OOO/*/* w m s\"]\n\nd6 => board_length => count=7",
        ".......................|W|0|0 => unread => ",
    ] {
        let [text, reason, fields] = columns(row);
        let record = only(text);
        let remark = &record.remarks[0];
        assert_eq!(remark.reason, reason, "{text}: {remark}");
        let found = remark.fields.iter();
        let found: Vec<String> = found
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        assert_eq!(found.join(" "), fields, "{text}: {remark}");
    }
}

#[test]
fn strange_endings_are_remarked() {
    is_game("a7 a1 d7 d1 g7xa1 b2", "a7 a1 d7 d1 g7xa1 b2");
    is_game("a7 a1 d7 d1 1-0", "a7 a1 d7 d1");
    let flying = "position fen ********/********/O@O*O@*@ w m s 3 0 3 0 0 0 moves d7-d6";
    is_game(flying, "d7-d6");
    let won = "[FEN \"**@*****/*O**@@**/O******O w m s 3 0 3 0 0 0\"]\n[Result \"0-1\"]\n\n";
    let record = only(&format!("{won}1. f6-g7xb2 0-1\n"));
    assert_eq!(
        remarks(&record),
        ["line 4, column 13: the text says 0-1, but the board says 1-0"]
    );
    let record = only(&format!("{won}1. f6-g7xb2 d1-d2 0-1\n"));
    assert_eq!(record.game.turns().len(), 1);
    let over = "the game cannot go on after 1 turn: the game is over: black has lost";
    assert!(
        record.remarks[0].message.contains(over),
        "{:?}",
        record.remarks
    );
}

#[test]
fn rules_come_from_the_tags_or_the_play() {
    let fen = "********/********/O@O*O@*@ b m s 3 0 3 0 0 0";
    let text = format!("[FEN \"{fen}\"]\n\n1... a1-a4 2. d7-d6\n");
    is_game(&text, "a1-a4 d7-d6");
    let twelve = "setoption name Rules value twelve\nposition startpos moves d6";
    for (text, rules) in [
        (twelve, Rules::TWELVE),
        ("[Rules \"morabaraba\"]\n\n1. d6", Rules::MORABARABA),
        ("[Variant \"Nine Men's Morris\"]\n\n1. d6", Rules::STANDARD),
        ("[GameType \"nine_mens_morris\"]\n\n1. d6", Rules::STANDARD),
    ] {
        assert_eq!(only(text).rules(), &rules, "{text}");
    }
    for tag in [
        "Variant \"lasker",
        "GameType \"Lasker Morris",
        "Rules \"Lasker",
    ] {
        assert_eq!(only(&format!("[{tag}\"]\n\n1. d6")).rules(), &Rules::LASKER);
    }
    // An engine keeps its option; tags name the rules of their game alone.
    let text = "setoption name Rules value standard\n position startpos moves f4\n";
    let text =
        format!("{twelve}\nposition startpos\n\n1. f4 *\n[Rules \"ten\"]\n\n1. d2 *\n{text}");
    let found = read(&text);
    let rules = [Rules::TWELVE, Rules::TWELVE, RULES, Rules::TEN, RULES];
    assert!(found.iter().map(Record::rules).eq(&rules), "{found:?}");
    // An option after the last game is none.
    let after = "position startpos moves d6\nsetoption name Rules value twelve\n";
    assert_eq!(only(after).rules(), &RULES);
    // A name says nothing about the count of quiet turns.
    let named = "[Variant \"Nine Men's Morris\"]\n\n1. d6";
    let found = read_by(Rules::STANDARD_100, named);
    assert_eq!(found[0].rules(), &Rules::STANDARD_100);

    // Twelve placements a side.
    let mut random = Random::new(1);
    let twelve = random_game(Rules::TWELVE, &mut random, 30);
    let list = game_text(&Record::of(twelve), GameForm::List(PointNaming::Names));
    let record = only(&list);
    let rules = record.cut().and_then(|cut| cut.rules).unwrap();
    assert!(["twelve", "morabaraba"].contains(&rules), "{rules}");
    // No reader replaces the rules that the game names itself.
    let named = format!("[Rules \"standard\"]\n\n{list}");
    assert!(only(&named).cut().is_some_and(|cut| cut.rules.is_none()));
}

/// By rules other than those of its file, the turns of a game mean nothing.
#[test]
fn games_of_rules_in_a_file_are_read_by_these_alone() {
    let own = Rules {
        stones: 4,
        flying: 4,
        ..RULES
    };
    let game = random_game(own, &mut Random::new(2), 10);
    let text = game_text(&Record::of(game), GameForm::Text(PointNaming::Names));
    let record = only(&text);
    assert!(record.is_unread(), "{text}");
    assert_eq!(record.cut().unwrap().reason, "unknown_rules");
    assert_eq!(read_by(own, &text)[0].game.turns().len(), 10);
}

/// Few write the pass after the last placement where Black makes the first move.
#[test]
fn the_pass_before_the_first_move_may_be_missing() {
    let rules = Rules {
        stones: 3,
        first_to_move: Side::Black,
        ..RULES
    };
    for text in [
        "1. a1 b2 2. g7 f6 3. d2 c4 4. b2-b4 a1-a4",
        "1. a1 b2 2. g7 f6 3. d2 c4 4. pass b2-b4 5. a1-a4",
    ] {
        let record = &read_by(rules, text)[0];
        assert_eq!(
            turns(record),
            "a1 b2 g7 f6 d2 c4 pass b2-b4 a1-a4",
            "{text}"
        );
        assert_eq!(remarks(record), [""; 0], "{text}");
    }
}

/// Two sides pass, one after the other; games of the other first mover say by which rules they go on.
#[test]
fn the_first_move_is_made_by_the_side_of_the_rules() {
    let first = |side, stones| Rules {
        stones,
        first_to_move: side,
        ..RULES
    };
    let blocked = Rules {
        blocked: Blocked::Passes,
        flying: 0,
        ..first(Side::Black, 4)
    };
    let text = "[FEN \"********/O*****O*/@O***O@@ w p s 4 0 3 0 0 0\"]\n\n1. b4-b6 a4-b4 *\n";
    let record = &read_by(blocked, text)[0];
    assert_eq!(turns(record), "pass pass b4-b6 a4-b4");
    assert_eq!(reasons(record), ["pass_missing"]);

    let whites = "a1 a4 a7 b2 b4 d2 a1-d1 a4-f2\n";
    for (rules, text, end) in [
        (
            first(Side::Black, 3),
            whites,
            "first_to_move = \"white\" the game goes on",
        ),
        (
            first(Side::White, 3),
            "a1 a4 a7 b2 b4 d2 pass a4-f2xa1\n",
            "first_to_move = \"black\" the game goes on",
        ),
    ] {
        let record = &read_by(rules, text)[0];
        assert_eq!(turns(record), "a1 a4 a7 b2 b4 d2", "{text}");
        let remarks = remarks(record).join("; ");
        assert!(remarks.contains(end), "{remarks}");
    }

    // Forms with a phase state that the pass is due.
    let mut game = Game::new(
        first(Side::Black, 3),
        Position::start(&first(Side::Black, 3)),
    );
    for turn in ["a1", "a4", "a7", "b2", "b4", "d2"] {
        game.play(turn).unwrap();
    }
    let (due, rules) = (*game.position(), game.rules());
    for form in [PositionForm::Fen, PositionForm::Mfen, PositionForm::Json] {
        let text = position_text(&due, 0, rules, form).unwrap();
        assert_eq!(parse_position(&text, rules).unwrap().0, due, "{text}");
    }
    let error = position_text(&due, 0, rules, PositionForm::Rings).unwrap_err();
    assert!(error.contains("a pass is due"), "{error}");
}

/// A pass that is not written, under rules that allow it and under those that do not.
#[test]
fn passes_may_be_missing() {
    let fen = "O*******/********/O@O@O@O@ w m s 5 0 4 0 0 0";
    let text = format!("[FEN \"{fen}\"]\n\n1. d5-e5 2. e5-e4 *");
    let passes = Rules {
        blocked: Blocked::Passes,
        ..RULES
    };
    let record = &read_by(passes, &text)[0];
    assert_eq!(turns(record), "d5-e5 pass e5-e4");
    assert_eq!(
        remarks(record),
        ["line 3, column 13: black cannot move, and its pass is not written"]
    );
    let cut = only(&text).remarks.remove(0);
    assert!(cut.cuts && cut.rules.is_none(), "{cut}");
    let passes = "by rules with blocked = \"passes\" the game goes on";
    assert!(cut.message.ends_with(passes), "{cut}");
}

/// What is written in numbers is read again, even if it begins with a turn that has no point or only a removal.
#[test]
fn numbers_may_begin_with_any_turn() {
    let passes = Rules {
        blocked: Blocked::Passes,
        ..RULES
    };
    for (fen, game) in [
        ("********/********/OO**@@*O w p r 3 6 2 7 1 0", "xa1 d6"),
        (
            "O*******/********/O@O@O@O@ b m s 5 0 4 0 0 0",
            "pass d5-e5 pass e5-e4",
        ),
    ] {
        let text = format!("[FEN \"{fen}\"]\n\n{game} *\n");
        let record = &read_by(passes, &text)[0];
        assert_eq!(turns(record), game, "{:?}", record.remarks);
        let text = game_text(record, GameForm::Text(PointNaming::Numbers));
        assert_eq!(&read_by(passes, &text)[0], record, "{text}");
    }
    // A lonely mark says nothing about the points, nor does `to`.
    assert_eq!(turns(&only("! 5 14 24")), "d6 f4 g1");
    is_game("Place to 0\nPlace to point 4\n", "a7 d6");
}

/// The last `1-0` would be a move if the numbers began at 0.
#[test]
fn a_result_is_no_move_between_numbers() {
    let text = "1. 15 10 2. 19 20 3. 11 6 4. 12 22 5. 21 13 6. 17 23 7. 5 18 8. 7 2 9. 1 16 1-0";
    let record = only(text);
    assert!(turns(&record).ends_with(" a7 c3"), "{}", turns(&record));
    assert_eq!(record.result, Some(GameResult::White));
    assert_eq!(remarks(&record), [""; 0]);
}

/// A game of random turns.
fn random_game(rules: Rules, random: &mut Random, turns: usize) -> Game {
    let mut game = Game::new(rules, Position::start(&rules));
    for _ in 0..turns {
        let legal = game.position().turns(&rules);
        if legal.is_empty() {
            break;
        }
        let turn = legal[random.word() as usize % legal.len()];
        game.make(turn).unwrap();
    }
    game
}

/// Random words and signs of comments and tags.
fn noise(random: &mut Random) -> String {
    let signs = "mill,d6,1.,(,),},{,;,\",\\,#,1-0,（满）,[White \"A\"]";
    let signs: Vec<&str> = signs.split(',').collect();
    let words = (0..random.word() % 12).map(|_| signs[random.word() as usize % signs.len()]);
    words.collect::<Vec<&str>>().join(" ")
}

/// A line of random turns with comments, marks and variations.
fn random_line(start: Position, rules: &Rules, random: &mut Random, depth: u32) -> Line {
    let (mut position, mut line) = (start, Line::default());
    if random.word().is_multiple_of(3) {
        line.comment = noise(random);
    }
    for _ in 0..1 + random.word() % if depth == 0 { 40 } else { 5 } {
        let legal = position.turns(rules);
        if legal.is_empty() {
            break;
        }
        let mut noted = NotedTurn::from(legal[random.word() as usize % legal.len()]);
        noted.marks = ["", "", "!", "?!", "$4", "!! $10 $3"][random.word() as usize % 6].to_owned();
        if random.word().is_multiple_of(4) {
            noted.comment = noise(random);
        }
        while depth < 3 && random.word().is_multiple_of(8) {
            let variation = random_line(position, rules, random, depth + 1);
            noted.variations.push(variation);
        }
        position = position.after(noted.turn);
        line.turns.push(noted);
    }
    line
}

/// What is written and read again is the same, with all that a text can have.
#[test]
fn texts_are_read_as_they_were_written() {
    let mut random = Random::new(47);
    let mut variations = 0;
    for number in 0..300 {
        let rules = Rules::NAMED[number % Rules::NAMED.len()].1;
        let mut game = match number % 3 {
            0 => Game::new(rules, *random_game(rules, &mut random, 20).position()),
            _ => Game::new(rules, Position::start(&rules)),
        };
        let line = random_line(*game.start(), &rules, &mut random, 0);
        for noted in &line.turns {
            game.make(noted.turn).unwrap();
            variations += noted.variations.len();
        }
        let tags = ["White", "Event", "Annotator"];
        let tags = tags.map(|name| (name.to_owned(), noise(&mut random)));
        let over = GameResult::of(&game);
        let results = [None, Some(GameResult::White), Some(GameResult::Draw)];
        let record = Record {
            tags: tags.into(),
            line,
            result: over.or(results[number % 3]),
            game,
            remarks: Vec::new(),
        };
        for points in [PointNaming::Names, PointNaming::Numbers] {
            let text = game_text(&record, GameForm::Text(points));
            assert_eq!(only(&text), record, "{text}");
        }
        for points in [
            PointNaming::Names,
            PointNaming::Actions,
            PointNaming::Coordinates,
        ] {
            let start = Record::of(Game::new(rules, *record.game.start()));
            let start = game_text(&start, GameForm::Protocol);
            let list = game_text(&record, GameForm::List(points));
            let text = format!("{} moves {list}", start.trim_end());
            let found = only(&text);
            assert_eq!(found.game, record.game, "{text}: {:?}", found.remarks);
        }
    }
    assert!(variations > 500, "{variations}");
}

#[test]
fn no_written_line_begins_with_a_mark() {
    for length in 60..100 {
        let comment = "x".repeat(length);
        let record = only(&format!("1. d6 {{{comment}}} 1... f4 $4 # 2. d2 b4 *"));
        let text = game_text(&record, GameForm::Text(PointNaming::Names));
        assert_eq!(only(&text), record, "{text}");
    }
}

#[test]
fn joined_comments_are_written_apart() {
    let comment = "word ".repeat(12_000);
    for text in [
        format!("1. d6 {{{comment}}} {{{comment}}} 1... f4 *"),
        format!("1. d6 ; {comment}\n; {comment}}}\n1... f4 *"),
    ] {
        let record = only(&text);
        assert!(record.line.turns[0].comment.len() > 1 << 16);
        let text = game_text(&record, GameForm::Text(PointNaming::Names));
        assert_eq!(only(&text), record);
    }
}

#[test]
fn several_written_games_are_several() {
    let mut random = Random::new(3);
    let records = (0..50).map(|_| Record::of(random_game(RULES, &mut random, 30)));
    let records: Vec<Record> = records.collect();
    for form in [
        GameForm::Text(PointNaming::Names),
        GameForm::Text(PointNaming::Numbers),
        GameForm::List(PointNaming::Names),
        GameForm::Protocol,
    ] {
        let texts = records.iter().map(|record| game_text(record, form));
        let found = read(&texts.collect::<String>());
        let [found, games] =
            [&found, &records].map(|records| records.iter().map(|record| &record.game));
        assert!(found.eq(games), "{form:?}");
    }
}

/// An endless input that counts what was read of it.
struct Counting<'a> {
    text: &'a [u8],
    left: u64,
    at: usize,
}

impl Read for Counting<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let bytes = self.fill_buf()?;
        let length = bytes.len().min(into.len());
        into[..length].copy_from_slice(&bytes[..length]);
        self.consume(length);
        Ok(length)
    }
}

impl BufRead for Counting<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let rest = &self.text[self.at..];
        Ok(&rest[..rest.len().min(self.left as usize)])
    }

    fn consume(&mut self, bytes: usize) {
        self.left -= bytes as u64;
        self.at = (self.at + bytes) % self.text.len();
    }
}

/// Letters that are lost are remarked once a game, whole ones never.
#[test]
fn texts_in_other_encodings_are_remarked() {
    let bytes = b"[White \"M\xfcller\"]\n\n1. d6 {\xe9} f4 *\n\n[White \"\xc3\xa9\"]\n\n1. d6 *\n";
    let found: Vec<Record> = RecordReader::new(RULES, &bytes[..]).flatten().collect();
    let remark = "line 1, column 10: the text is not in UTF-8, and letters of it are lost; save it again in UTF-8";
    assert_eq!(remarks(&found[0]), [remark]);
    assert_eq!(reasons(&found[0]), ["not_utf8"]);
    assert_eq!(remarks(&found[1]), [""; 0]);
    // A long text without spaces is read in pieces of whole letters.
    for before in ["", "a", "ab"] {
        let comment = format!("{before}{}", "满".repeat(10_000));
        let record = only(&format!("d6 {{{comment}}}"));
        assert!(record.line.turns[0].comment == comment && record.remarks.is_empty());
    }
}

/// Nothing in a text takes more memory or time than its length allows.
#[test]
fn texts_of_many_small_parts_are_read() {
    // Deep on the stack, if each number began another call.
    let record = only(&format!("{}d6", "1.".repeat(8_000)));
    assert_eq!(record.game.turns().len(), 1);
    // Each line would look at all parts again.
    let text = format!("a1\n{}\n{}", "()".repeat(50_000), "d1\n".repeat(20_000));
    assert_eq!(read(&text).len(), 1);
    let object = r#"{"board":"........................","men_to_deploy":[4294967295,1]}"#;
    let message = "the field \"men_to_deploy\" must be two numbers, White's first";
    assert!(remarks(&only(object))[0].contains(message));
    // The end of a line at the end of a piece.
    for spaces in 0..3 {
        let text = format!("d6 ;{}", " ".repeat((1 << 14) - 5 + spaces));
        assert!(only(&text).remarks.is_empty(), "{spaces}");
    }
}

/// The games that were read before an input fails are not lost.
#[test]
fn games_before_an_error_are_read() {
    struct Failing;
    impl Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("it fails"))
        }
    }
    let input = io::BufReader::new(b"1. d6 f4 *\nd2 b4\n".chain(Failing));
    let found: Vec<_> = RecordReader::new(RULES, input).collect();
    let games: Vec<String> = found.iter().flatten().map(turns).collect();
    assert_eq!(games, ["d6 f4", "d2 b4"]);
    assert!(found.len() == 3 && found[2].is_err());
}

#[test]
fn hostile_input_ends() {
    let long = format!("{}\nd6\n", "x".repeat(2 << 20));
    let found = read(&long);
    assert_eq!(found.len(), 2);
    assert!(found[0].is_unread() && turns(&found[1]) == "d6");
    let open = "(".repeat(5000) + "\n" + "{";
    assert_eq!(read(&open).len(), 1);
    assert!(read("\u{0}\u{ff} (((\n\n\n]]\n")[0].is_unread());
    // A line of 100 MB: the games in it have bounds, so the texts of what was read have, too.
    let texts = "d6 |1. |1. d6 |(|(d6 |)|{ d6|; |5 13 |[A \"b\"] |d6-|xx|$1 |d6 f4 (a1) |1-0 |\
        a7 a1 (b4) d7 d1 (b4) g7xa1 |\u{3000}|[|\"\\";
    for text in texts.split('|') {
        let input = Counting {
            text: text.as_bytes(),
            left: 1_000_000,
            at: 0,
        };
        let (mut games, mut most) = (0, 0);
        for record in RecordReader::new(RULES, input) {
            let record = record.unwrap();
            games += 1;
            let remarks = record.remarks.iter().map(|remark| remark.message.len());
            let tags = (record.tags.iter()).map(|(name, value)| name.len() + value.len());
            let text = game_text(&record, GameForm::Text(PointNaming::Names));
            most = most.max(text.len() + remarks.chain(tags).sum::<usize>());
        }
        assert!(most < 2 << 20, "{text:?}: {most} bytes, {games} games");
    }
}

/// Reading takes no longer for a tag after many others.
#[test]
fn many_tags_are_read_quickly() {
    const COUNT: usize = 60_000;
    let tags = (0..COUNT).map(|number| format!("[t{number} \"\"]\n"));
    let text = tags.collect::<String>() + "\n1. d6 *\n";
    let record = quick(Duration::from_millis(500), || only(&text));
    assert_eq!(
        (record.tags.len(), turns(&record)),
        (COUNT, "d6".to_owned())
    );
}

/// Positions in the forms of other programs are the same position, and are written as they were read.
#[test]
fn positions_are_read_and_written_in_every_form() {
    let text = fs::read_to_string(root().join("tests/data/positions.txt")).unwrap();
    let positions = text.split("\n\n");
    let mut checked = 0;
    for block in positions {
        let lines = block.lines().filter(|line| !line.starts_with('#'));
        let forms: Vec<(&str, &str)> = lines.filter_map(|line| line.split_once(' ')).collect();
        let (position, quiet) = Position::parse_counted(forms[0].1, &RULES).unwrap();
        for (name, text) in &forms {
            let (found, found_quiet) = parse_position(text, &RULES).unwrap();
            assert_eq!(found, position, "{text}");
            let counts = ["fen", "mfen"].contains(name);
            assert_eq!(found_quiet, if counts { quiet } else { 0 }, "{text}");
            let mut forms = PositionForm::ALL.into_iter();
            let form = forms.find(|form| form.name() == *name);
            let written = position_text(&position, quiet, &RULES, form.unwrap());
            assert_eq!(written.as_deref(), Ok(*text));
            // A line with a position is a game without turns.
            let record = only(text);
            assert_eq!(record.game.position(), &position, "{text}");
            assert_eq!(record.left_out(), None, "{text}");
            checked += 1;
        }
    }
    assert_eq!(checked, 28);
}

#[test]
fn wrong_positions_are_refused() {
    for row in [
        "........................|W|10|0 => 10 stones were placed, more than the 9",
        "........................|X|0|0 => the side to move is 'X'",
        "........................|W|0 => must end in the stones that White and Black have placed",
        ".......................|W|0|0 => the board has 23 letters",
        "........................ => needs the side to move",
        "MFEN/1.0 mill25 ......../......../........ w p p 9,9 - 0 0 - => the profile is 'mill25'",
        "MFEN/1.0 mill24-state-v1 w......./......../........ w p p 8,9 - 0 0 - => marked",
        "MFEN/1.0 mill24-state-v1 ......../......../........ w => has eleven fields",
        "{\"board\":3} => no field \"board\"",
        "{\"board\":\"WWW..................BBB\"} => does not name the side to move",
        "{\"board\" => is not JSON",
        "nonsense => not a position in the form of mill programs",
    ] {
        let [text, words] = columns(row);
        let error = parse_position(text, &RULES).unwrap_err().to_string();
        assert!(error.contains(words), "{text}: {error}");
    }
    let over = Position::parse("********/********/OOO@@*** b o ? 3 0 2 0 0 0", &RULES).unwrap();
    assert!(position_text(&over, 0, &RULES, PositionForm::Mfen).is_err());
    assert!(position_text(&over, 0, &RULES, PositionForm::Rows).is_ok());
}
