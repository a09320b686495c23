//! Tests of reading games: every form, several games in one input, wrong and hostile input.

use millbase::review::{GameResult, Record, RecordError, Records};
use millbase::{Rules, Side};

const RULES: Rules = Rules::STANDARD;

fn read(text: &str) -> Vec<Result<Record, RecordError>> {
    Records::new(RULES, text.as_bytes()).collect()
}

fn turns(record: &Result<Record, RecordError>) -> String {
    match record {
        Ok(Record { cut: Some(cut), .. }) => cut.clone(),
        Ok(record) => {
            let turns = record.game.turns();
            let texts: Vec<String> = turns.iter().map(|turn| turn.to_string()).collect();
            texts.join(" ")
        }
        Err(error) => error.to_string(),
    }
}

#[test]
fn every_form_gives_the_same_game() {
    let list = "a7 a1 d7 d1 g7xa1 b2";
    for text in [
        list,
        "A7 a1 d7 d1 g7 xa1 b2\n",
        "position startpos moves a7 a1 d7 d1 g7 xa1 b2",
        "setoption name Rules value standard\nposition startpos moves a7 a1 d7 d1 g7xa1 b2\n",
        "[White \"A\"]\n\n1. a7 a1 2. d7 d1\n3. g7xa1! {a mill; it} b2 *\n",
        "1.a7 {one\ntwo} a1 (1... b4 (2. a4) 2. b2) 2.d7?! d1 $4\n3. g7xa1 ; the rest\n3... b2",
    ] {
        let found = read(text);
        assert_eq!(found.len(), 1, "{text}");
        assert_eq!(turns(&found[0]), list, "{text}");
    }
}

#[test]
fn games_follow_each_other() {
    let text = "# two lists\na7 a1\nd6 f4\n\n1. a4 b4\n\n1. c4 d6\n1. d2 d3 1/2-1/2\n\
                [White \"A\"]\n[Black \"B \\\"b\\\"\"]\n[Result \"0-1\"]\n\n1. d5\n\
                [White \"C\"]\n\n*\nposition startpos moves g7\n";
    let found = read(text);
    let games: Vec<String> = found.iter().map(turns).collect();
    assert_eq!(
        games,
        ["a7 a1", "d6 f4", "a4 b4", "c4 d6", "d2 d3", "d5", "", "g7"]
    );
    let records: Vec<&Record> = found.iter().flatten().collect();
    assert_eq!(records[5].player(Side::Black), Some("B \"b\""));
    assert_eq!(records[5].result, Some(GameResult::Black));
    assert_eq!(records[4].result, Some(GameResult::Draw));
    assert_eq!(records[6].player(Side::White), Some("C"));
    assert_eq!(records[6].result, None);
}

#[test]
fn a_bad_game_does_not_hide_the_next() {
    let text =
        "a7 a7 b2\nd6\n1. d6 f4 2. d6 d5\n\nrubbish\n[White]\n\nposition fen x\nd6 1-0 f4\na1 {\n";
    let found = read(text);
    let games: Vec<String> = found.iter().map(turns).collect();
    assert_eq!(games.len(), 8, "{games:?}");
    assert!(games[0].starts_with("line 1: the game cannot go on after 1 turn: a7 is not"));
    assert_eq!(games[1], "d6");
    assert!(games[2].starts_with("line 3: the game cannot go on after 2 turns"));
    assert!(games[3].starts_with("line 5: the game cannot go on after 0 turns: 'rubbish'"));
    assert!(
        games[4].starts_with("line 6: '[White]' is not a tag"),
        "{}",
        games[4]
    );
    assert!(games[5].starts_with("line 8: "), "{}", games[5]);
    assert_eq!(games[6], "line 9: 'f4' follows the result of the game");
    assert!(games[7].starts_with("line 10: a comment"), "{}", games[7]);
    // The turns before the error stay.
    let counts = found
        .iter()
        .map(|record| record.as_ref().ok().map(|record| record.game.turns().len()));
    let counts: Vec<Option<usize>> = counts.collect();
    assert_eq!(
        counts,
        [
            Some(1),
            Some(1),
            Some(2),
            None,
            None,
            None,
            Some(1),
            Some(1)
        ]
    );
    let saved = read("position startpos moves d6 f4 d6 b4\n");
    assert!(turns(&saved[0]).starts_with("line 1: the game cannot go on after 2 turns: d6 is not"));
}

#[test]
fn strange_games_are_remarked() {
    for (text, remark) in [
        (
            "a7 a1 d7 d1 g7",
            "the game stops after g7, before the removal",
        ),
        ("a7 a1 d7 d1 g7xa1 b2", ""),
        ("a7 a1 d7 d1 1-0", ""),
        (
            "position fen ********/********/O@O*O@*@ w m s 3 0 3 0 0 0 moves d7-d6",
            "",
        ),
    ] {
        let found = read(text);
        let remarks = found[0].as_ref().unwrap().remarks();
        assert_eq!(
            remarks.len(),
            usize::from(!remark.is_empty()),
            "{remarks:?}"
        );
        assert!(remarks.concat().starts_with(remark), "{remarks:?}");
    }
    let won = "[FEN \"**@*****/*O**@@**/O******O w m s 3 0 3 0 0 0\"]\n[Result \"0-1\"]\n\n1. f6-g7xb2 0-1\n";
    let remarks = read(won)[0].as_ref().unwrap().remarks();
    assert_eq!(remarks, ["the text says 0-1, but the board says 1-0"]);
}

#[test]
fn starts_and_rules_are_obeyed() {
    let fen = "********/********/O@O*O@*@ b m s 3 0 3 0 0 0";
    let text = format!("[FEN \"{fen}\"]\n\n1... g7-f6 2. d7-d6\n");
    let found = read(&text);
    assert_eq!(turns(&found[0]), "g7-f6 d7-d6");
    for text in [
        "setoption name Rules value twelve\nposition startpos moves d6",
        "[Rules \"twelve\"]\n\n1. d6",
    ] {
        let found = read(text);
        assert_eq!(found.len(), 1, "{text}");
        assert!(turns(&found[0]).contains("by the rules twelve, not by standard"));
    }
}

#[test]
fn hostile_input_ends() {
    let long = format!("{}\nd6\n", "x".repeat(2 << 20));
    let found = read(&long);
    assert_eq!(found.len(), 2);
    assert!(turns(&found[0]).contains("longer than"));
    let open = "(".repeat(5000) + "\n" + "{";
    assert_eq!(read(&open).len(), 1);
    assert!(read("\u{0}\u{ff} (((\n\n\n]]\n")[0].is_err());
}
