//! Tests of games: their turns and texts, the reasons why turns are illegal, and the ends of games.

use millbase::engine::{DrawRule, Ending, Game, GameError};
use millbase::{Blocked, Position, Rules, Side, Turn};

use crate::common::{BLOCKED, FLYING};

const RULES: Rules = Rules::STANDARD;

fn game(actions: &str) -> Result<Game, GameError> {
    let mut game = Game::new(RULES, Position::start(&RULES));
    for action in actions.split_whitespace() {
        game.play(action)?;
    }
    Ok(game)
}

#[test]
fn turns_may_come_in_two_actions_or_in_one() {
    let apart = game("a7 a1 d7 d1 g7 xa1 b2").unwrap();
    let together = game("a7 a1 d7 d1 g7xa1 b2").unwrap();
    assert_eq!(apart, together);
    assert_eq!(apart.actions().len(), 7);
    let turns: Vec<String> = apart.turns().iter().map(Turn::to_string).collect();
    assert_eq!(turns, ["a7", "a1", "d7", "d1", "g7xa1", "b2"]);
    let text = apart.text();
    let (_, actions) = text.split_once(" moves ").unwrap();
    assert_eq!(game(actions).unwrap(), apart);
}

#[test]
fn a_mill_asks_the_same_side_again() {
    let mut game = game("a7 a1 d7 d1 g7").unwrap();
    assert!(game.position().removal_owed());
    assert_eq!(game.position().side_to_move(), Side::White);
    assert_eq!(game.position().in_hand(Side::White), 6);
    let before = game.clone();
    for wrong in ["b2", "xa7", "xb2", "a7-a4", "xd1xa1", "hello"] {
        assert!(game.play(wrong).is_err(), "{wrong}");
        assert_eq!(game, before);
    }
    game.play("xd1").unwrap();
    assert_eq!(game.position().side_to_move(), Side::Black);
    game.undo().unwrap();
    assert_eq!(game.actions().len(), 4);
    assert_eq!(game.position().side_to_move(), Side::White);
}

#[test]
fn half_a_turn_is_taken_back_alone() {
    let mut game = game("a7 a1 d7 d1 g7").unwrap();
    game.undo().unwrap();
    assert_eq!(game.actions().len(), 4);
    while game.undo().is_some() {}
    assert_eq!(*game.position(), Position::start(&RULES));
}

#[test]
fn repetitions_count_since_the_last_stone_came_or_went() {
    let start = Position::parse(FLYING, &RULES).unwrap();
    let mut game = Game::new(RULES, start);
    for (number, action) in ["d7-d6", "g7-f6", "d6-d7", "f6-g7"].iter().enumerate() {
        assert_eq!(game.earlier().len(), number);
        game.play(action).unwrap();
    }
    assert_eq!(*game.position(), start);
    assert_eq!(game.occurrences(), 2);
    assert!(game.text().starts_with("position fen ********/"));
}

#[test]
fn the_end_is_the_end() {
    let text = "O@*****O/@@*****@/******** w o ? 2 0 4 0 0 0";
    let mut game = Game::new(RULES, Position::parse(text, &RULES).unwrap());
    let loser = Some(Side::White);
    assert_eq!(game.play("d5-d6"), Err(GameError::Over { loser }));
}

#[test]
fn games_are_parsed_whole_or_not() {
    let parse = |line| Game::parse(line, &RULES);
    let mill = parse("position startpos moves a7 a1 d7 d1 g7").unwrap();
    assert!(mill.position().removal_owed());
    for wrong in [
        "position",
        "position moves d6",
        "position startpos d6",
        "position fen",
        "position fen moves d6",
        "position fen nothing",
        "position startpos moves a7 a7",
        "position startpos moves a7 xx",
        "position startpos moves a7 a1 d7 d1 g7 b2",
        "startpos",
        "",
    ] {
        assert!(parse(wrong).is_err(), "{wrong}");
    }
}

proptest::proptest! {
    #[test]
    fn any_words_make_a_legal_game_or_an_error(
        words in proptest::collection::vec("startpos|fen|moves|[a-g][1-7]|x[a-g][1-7]|[*@O/]{24,28}|[wbpmosr?]|[0-9]", 0..40)
    ) {
        if let Ok(game) = Game::parse(&format!("position {}", words.join(" ")), &RULES) {
            assert_eq!(Game::parse(&game.text(), &RULES), Ok(game));
        }
    }

    /// Many of the first moves are legal, so that games get beyond them.
    #[test]
    fn any_placing_makes_a_legal_game_or_an_error(
        points in proptest::collection::vec("x?[a-g][1-7]", 0..30)
    ) {
        let mut game = Game::new(RULES, Position::start(&RULES));
        for point in points {
            let before = game.clone();
            if game.play(&point).is_err() {
                assert_eq!(game, before);
            }
        }
        let text = game.position().text(&RULES);
        assert_eq!(Position::parse(&text, &RULES).as_ref(), Ok(game.position()));
    }
}

#[test]
fn every_reason_is_given_where_it_holds() {
    let placing = "O*******/********/@******* w p p 1 8 1 8 0 0";
    let walking = "O*O*****/O*O*****/@@**@@** w m s 4 0 4 0 0 0";
    let flying = "********/@*****@*/OO*O@*** w m s 3 0 3 0 0 0";
    // Black has a mill on the inner ring and a stone outside it.
    let closing = "@@*****@/@*****@*/OO**O*** w m s 3 0 5 0 0 0";
    let owed = "@@*****@/@*****@*/OO*****O w m r 3 0 5 0 1 0";
    let blocked = "********/@*****@*/OO@**@OO w m s 4 0 4 0 0 0";
    let passing = Rules {
        blocked: Blocked::Passes,
        ..Rules::STANDARD
    };
    for (rules, position, turn, name) in [
        (Rules::STANDARD, placing, "d5-d6", "stones_in_hand"),
        (Rules::STANDARD, placing, "pass", "stones_in_hand"),
        (Rules::STANDARD, placing, "d5", "taken"),
        (Rules::STANDARD, placing, "a1xd7", "no_mill"),
        (Rules::STANDARD, placing, "xd7", "no_mill"),
        (Rules::STANDARD, flying, "a1", "nothing_in_hand"),
        (Rules::STANDARD, walking, "d7-a7", "their_stone"),
        (Rules::STANDARD, walking, "g1-g4", "no_stone"),
        (Rules::STANDARD, walking, "d5-d6", "taken"),
        (Rules::STANDARD, walking, "d5-a7", "too_far"),
        (Rules::STANDARD, walking, "pass", "may_not_pass"),
        (Rules::STANDARD, closing, "d1-a7xd5", "in_mill"),
        (Rules::STANDARD, closing, "d1-a7xd7", "own_stone"),
        (Rules::STANDARD, closing, "d1-a7xa1", "nothing_there"),
        (Rules::STANDARD, closing, "d1-a7xd6xb4", "too_many"),
        (Rules::STANDARD, owed, "d7-a7", "removal_owed"),
        (Rules::STANDARD, owed, "xd5", "in_mill"),
        (passing, blocked, "d7-a7", "must_pass"),
    ] {
        let position = Position::parse(position, &rules).unwrap();
        let turn = turn.parse().unwrap();
        let why = position.why_illegal(turn, &rules);
        assert_eq!(why.as_ref().map(|why| why.name), Some(name), "{turn}");
        assert_eq!(position.play(turn, &rules).err(), why, "{turn}");
    }
    let flying = Position::parse(flying, &Rules::STANDARD).unwrap();
    for legal in flying.turns(&Rules::STANDARD) {
        assert_eq!(flying.why_illegal(legal, &Rules::STANDARD), None);
        let played = flying.play(legal, &Rules::STANDARD);
        assert_eq!(played, Ok(flying.after(legal)));
    }
    // `play` makes whole turns only, and none after the end.
    for (position, turn, name) in [
        (closing, "d1-a7", "removal_owed"),
        (blocked, "d7-a7", "over"),
    ] {
        let position = Position::parse(position, &Rules::STANDARD).unwrap();
        let refused = position.play(turn.parse().unwrap(), &Rules::STANDARD);
        assert_eq!(refused.unwrap_err().name, name);
    }
}

fn game_by(rules: Rules, start: &str, draws: DrawRule) -> Game {
    Game::new(rules, Position::parse(start, &rules).unwrap()).with_draws(draws)
}

/// Moves stones back and forth; returns the number of turns after which the game ends, and how.
fn to_and_fro(draws: DrawRule) -> (usize, Option<Ending>) {
    let start = "O*O*****/O*O*****/@@**@@** w m s 4 0 4 0 0 0";
    let mut game = game_by(RULES, start, draws);
    let turns = ["d6-b6", "d7-a7", "b6-d6", "a7-d7"];
    for (number, turn) in turns.into_iter().cycle().take(30).enumerate() {
        if let Some(ending) = game.ending() {
            return (number, Some(ending));
        }
        game.play(turn).unwrap();
    }
    (30, None)
}

#[test]
fn the_rule_for_draws_can_be_set() {
    let rule = |repetitions, quiet_turns| DrawRule {
        repetitions,
        quiet_turns,
    };
    let repetition = |occurrences| Some(Ending::Repetition { occurrences });
    assert_eq!(to_and_fro(DrawRule::USUAL), (8, repetition(3)));
    assert_eq!(to_and_fro(rule(2, 100)), (4, repetition(2)));
    assert_eq!(to_and_fro(rule(5, 0)), (16, repetition(5)));
    let quiet = Some(Ending::Quiet { turns: 20 });
    assert_eq!(to_and_fro(rule(0, 20)), (20, quiet));
    assert_eq!(to_and_fro(rule(0, 0)), (30, None));
}

#[test]
fn the_board_ends_games_with_a_reason() {
    let few = "O@*****O/@@*****@/******** w o ? 2 0 4 0 0 0";
    let full = "O@O@O@O@/@O@O@O@O/O@O@O@O@ w o ? 12 0 12 0 0 0";
    let last = Rules {
        first_to_move: Side::Black,
        ..Rules::TWELVE
    };
    for (rules, start, name, winner) in [
        (Rules::STANDARD, few, "stones", Some(Side::Black)),
        (Rules::STANDARD, BLOCKED, "blocked", Some(Side::Black)),
        (Rules::TWELVE, full, "full_board", Some(Side::Black)),
        (Rules::MORABARABA, full, "full_board", None),
        (last, full, "full_board", Some(Side::Black)),
    ] {
        let ending = game_by(rules, start, DrawRule::USUAL).ending().unwrap();
        assert_eq!((ending.name(), ending.winner()), (name, winner));
        let sentence = ending.to_string();
        assert_eq!(sentence.contains("has won"), winner.is_some(), "{sentence}");
    }
}

/// White passes after the last placement. The count of quiet turns leaves the pass out, and texts tell the position
/// before it from the one after it.
#[test]
fn black_moves_first_after_whites_pass() {
    let rules = Rules {
        stones: 3,
        first_to_move: Side::Black,
        ..RULES
    };
    let mut game = Game::new(rules, Position::start(&rules));
    for turn in ["a1", "b2", "g7", "f6", "d2", "c4"] {
        game.play(turn).unwrap();
    }
    let due = *game.position();
    let text = "******@*/*@**O@**/*O***O** w p s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 1";
    assert_eq!(due.text(&rules), text);
    assert_eq!(Position::parse(text, &rules), Ok(due));
    assert!(due.must_pass(&rules));
    assert_eq!(due.turns(&rules), [Turn::PASS]);
    let error = game.play("a1-a4").unwrap_err().to_string();
    assert!(
        error.contains("the other side makes the first move"),
        "{error}"
    );
    game.play("pass").unwrap();
    let moving = *game.position();
    let text = text.replace("w p s", "b m s");
    assert_eq!(moving.text(&rules), text);
    assert_eq!(Position::parse(&text, &rules), Ok(moving));
    assert_eq!((moving.turns(&rules).len(), game.quiet_turns()), (54, 0));
    game.play("b2-b4").unwrap();
    assert_eq!(game.quiet_turns(), 1);
    game.play("a1-a4").unwrap();
    assert!(!game.position().must_pass(&rules));

    // The last stone earns a removal: the pass comes after it.
    let mut game = Game::new(rules, Position::start(&rules));
    for turn in ["a1", "b2", "g7", "b4", "d2", "b6"] {
        game.play(turn).unwrap();
    }
    let owed = *game.position();
    let text = owed.text(&rules);
    assert!(text.contains(" b p r 3 0 3 0 0 1 "), "{text}");
    assert_eq!(Position::parse(&text, &rules), Ok(owed));
    // White has two stones left, so nothing follows.
    game.play("xa1").unwrap();
    let over = *game.position();
    assert_eq!(Position::parse(&over.text(&rules), &rules), Ok(over));
    assert_eq!(
        game.ending().map(|ending| ending.winner()),
        Some(Some(Side::Black))
    );

    // The last stone fills the board and closes a mill: the pass follows its removal.
    let twelve = Rules {
        first_to_move: Side::Black,
        ..Rules::TWELVE
    };
    let text = "@O@O@O@O/@O@O@O@O/OO@@OO*@ b p p 12 0 11 1 0 0";
    let mut game = Game::from_position(text, &twelve).unwrap();
    game.play("a4").unwrap();
    let owed = *game.position();
    assert!(owed.removal_owed());
    assert_eq!(Position::parse(&owed.text(&twelve), &twelve), Ok(owed));
    let removal = owed.turns(&twelve)[0];
    game.make(removal).unwrap();
    assert!(game.position().must_pass(&twelve));

    // Programs that do not know the pass leave it out, also before a turn whose removal follows.
    for turns in ["a4-f2", "a4-f2 xa1", "pass a4-f2xa1"] {
        let line = format!("position startpos moves a1 a4 a7 b2 b4 d2 {turns}");
        let game = millbase::notation::protocol_game(&line, &rules).unwrap();
        assert_eq!(game.turns()[6..8].len(), 2, "{turns}");
        assert_eq!(game.turns()[6], Turn::PASS, "{turns}");
    }

    // By other rules there is no such position.
    let text = due.text(&rules);
    let error = Position::parse(
        &text,
        &Rules {
            first_to_move: Side::White,
            ..rules
        },
    )
    .unwrap_err();
    assert_eq!(error.reason(), "other_phase");
}

#[test]
fn a_closed_mill_is_not_quiet_before_its_removal() {
    // White closes the outer ring's top with d1-a7.
    let start = "@@*****@/@*****@*/OO**O*** w m s 3 0 5 0 0 0";
    let rule = DrawRule {
        repetitions: 3,
        quiet_turns: 1,
    };
    let mut quiet = game_by(RULES, start, rule);
    let mut noisy = quiet.clone();
    noisy.play("d1-a7").unwrap();
    assert!(noisy.position().removal_owed());
    assert_eq!((noisy.ending(), noisy.quiet_turns()), (None, 0));
    noisy.play("xd6").unwrap();
    assert_eq!(noisy.ending(), None);
    quiet.play("d1-a1").unwrap();
    assert_eq!(quiet.ending(), Some(Ending::Quiet { turns: 1 }));
}

/// Under the rules of Dooz, a mill takes a stone from the hand while there is one, and a full board takes one from
/// the board.
#[test]
fn games_of_dooz_take_stones_from_the_hand_and_from_a_full_board() {
    let mut game = Game::new(Rules::DOOZ, Position::start(&Rules::DOOZ));
    for turn in ["d6", "d7", "f6", "g7"] {
        game.play(turn).unwrap();
    }
    let refused = game.clone().play("b6xd7").unwrap_err().to_string();
    assert!(refused.contains("from the other side's hand"), "{refused}");
    game.play("b6").unwrap();
    assert_eq!(game.position().in_hand(Side::Black), 9);
    assert_eq!(game.position().side_to_move(), Side::Black);
    assert_eq!(game.turns().len(), 5);

    let full = "O@O@O@O@/@O@O@O@O/O@O@O@O@";
    let due = format!("{full} w m r 12 0 12 0 1 0 -1 -1 -1 -1 0 0 1");
    for fields in [
        "w m s 12 0 12 0 0 0",
        "w m r 12 0 12 0 1 0",
        "w p r 12 0 12 0 1 0",
    ] {
        let mut game = game_by(Rules::DOOZ, &format!("{full} {fields}"), DrawRule::USUAL);
        assert_eq!(game.position().text(&Rules::DOOZ), due);
        assert_eq!(game.ending(), None);
        let refused = game.clone().play("d5-d6").unwrap_err().to_string();
        assert!(refused.contains("the board is full"), "{refused}");
        let turns = game.position().turns(&Rules::DOOZ);
        assert!(turns.len() == 12 && turns.iter().all(Turn::removes));
        game.play(&turns[0].to_string()).unwrap();
        assert_eq!(game.position().stones(Side::Black).len(), 11);
        assert_eq!(game.position().side_to_move(), Side::Black);
        assert!(!game.position().removal_owed());
    }
}
