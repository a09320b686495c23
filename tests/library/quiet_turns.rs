//! Tests of limits of quiet turns: every result agrees with the plain rules, for every number of quiet turns
//! before.

use crate::common::{self, FLYING, Random, library_set, plain_rules};
use crate::plain::check;
use crate::values::solve;
use millbase::engine::{Ending, Game};
use millbase::internals::Index;
use millbase::internals::service::explain::{ExplainAnswer, MOST_FORCED_POSITIONS};
use millbase::internals::service::position::{LineAnswer, ProbeAnswer, RankAnswer};
use millbase::internals::service::question;
use millbase::notation::{PositionForm, parse_position, position_text};
use millbase::review::{GameReview, Grade, Truth};
use millbase::{
    Blocked, Database, Dtw, LineEnd, Material, Pair, Position, Rules, Source, Value, Wdl,
};

/// A limit that lets some wins stand and ends others, alone and with a shorter one for three stones; with
/// flying and without, and where blocked sides pass.
fn rules() -> Vec<Rules> {
    let limited = |rules, quiet_turns, quiet_turns_flying| Rules {
        quiet_turns,
        quiet_turns_flying,
        ..rules
    };
    let passing = Rules {
        blocked: Blocked::Passes,
        ..Rules::NO_FLYING
    };
    vec![
        limited(Rules::STANDARD, 1, 0),
        limited(Rules::STANDARD, 2, 0),
        limited(Rules::STANDARD, 5, 0),
        limited(Rules::STANDARD, 12, 3),
        limited(Rules::NO_FLYING, 9, 0),
        limited(passing, 6, 4),
        limited(Rules::TWELVE, 4, 0),
    ]
}

/// Solves pairs and compares every position, for every number of quiet turns before it.
fn check(rules: &Rules, pairs: &[(usize, usize)]) {
    let solved = solve(rules, pairs);
    let limit = |stones: (usize, usize)| {
        let limit = rules.quiet_limit([stones.0 as u8, stones.1 as u8]);
        usize::from(limit.expect("a limit"))
    };
    let (mut cut, mut compared) = (0, 0);
    check::count_quiet_turns(&plain_rules(rules), pairs, limit, |stones, quiet, table| {
        let material = Material::new(stones.0 as u8, stones.1 as u8);
        let (index, values) = (Index::new(material), &solved[&material]);
        for (mover, other, expected) in table.positions() {
            let byte = values[index.find(library_set(mover), library_set(other))];
            let turns = usize::from(byte.saturating_sub(1) / 2);
            let result = match byte {
                0 => 0,
                _ if turns + quiet > limit(stones) => 0,
                _ => 2 - byte % 2,
            };
            assert_eq!(result, expected, "{rules}: {stones:?} after {quiet}");
            cut += u64::from(byte > 0 && result == 0);
            compared += 1;
        }
    });
    assert!(compared > 0 && cut > 0, "{rules}");
}

#[test]
fn every_count_agrees_with_the_plain_rules() {
    for rules in rules() {
        check(&rules, &[(3, 3)]);
    }
}

#[test]
#[ignore = "takes minutes"]
fn every_count_of_larger_pairs_agrees_with_the_plain_rules() {
    for rules in rules() {
        check(&rules, &[(3, 3), (4, 3), (4, 4), (5, 3)]);
    }
}

/// Answers after some quiet turns agree with those after none, which the tests above check; turns agree with
/// the positions that they lead to; and the best line of a win keeps to the limit.
#[test]
fn answers_keep_to_the_limit() {
    const LIMIT: u32 = 8;
    let rules = Rules {
        quiet_turns: LIMIT as u8,
        quiet_turns_flying: 5,
        ..Rules::STANDARD
    };
    let folder = tempfile::tempdir().expect("a folder");
    let pair = Pair::new(4, 4).expect("a pair");
    common::build(folder.path(), &rules, &[pair], &[]);
    let database = Database::open(folder.path(), rules).expect("databases");
    let result = |position: &Position, quiet: u32| {
        let answer = database.answer(position).expect("files");
        answer.after_quiet_turns(&rules, position, quiet)
    };
    let mut random = Random::new(8);
    let (mut cut, mut longest) = (0, 0);
    for number in 0..150 {
        let (white, black) = *random.pick(&[(3, 3), (4, 3), (3, 4), (4, 4)]);
        let position = random.position(white, black);
        if position.is_over(&rules) {
            continue;
        }
        let limit = if white.min(black) == 3 { 5 } else { LIMIT };
        let none = result(&position, 0);
        assert_eq!(none.value, database.probe(&position).expect("files"));
        for quiet in 0..=limit {
            let answer = result(&position, quiet);
            let text = position.text(&rules);
            let dtw = none.value.dtw();
            let in_time = dtw.is_some_and(|turns| u32::from(turns.0) + quiet <= limit);
            let expected = match in_time && quiet < limit {
                true => none.value,
                false => Value::Draw,
            };
            assert_eq!(answer.value, expected, "{text} after {quiet}");
            cut += u32::from(expected != none.value);
            if number % 50 == 0 && quiet < limit {
                every_question_counts(&database, &position, quiet, expected);
            }
            for turn in answer.turns.iter().filter(|_| quiet < limit) {
                let after = match turn.turn.is_quiet() {
                    true if turn.after.is_over(&rules) => Value::LOST,
                    true => result(&turn.after, quiet + 1).value,
                    false => database.probe(&turn.after).expect("files"),
                };
                let (turn, found) = (turn.turn, turn.value.wdl());
                assert_eq!(
                    found,
                    after.backed_up().wdl(),
                    "{text} {turn} after {quiet}"
                );
            }
        }
        let line = database.line(&position, 500).expect("files");
        let is_won = none.value.wdl() != Wdl::Draw;
        assert_eq!(is_won, line.end == LineEnd::Over, "{:?}", line.end);
        longest = longest.max(line.turns.len());
        // The rules of the game agree.
        let mut game = Game::new(rules, position);
        for turn in &line.turns {
            assert_eq!(game.ending(), None);
            game.make(turn.turn).expect("a legal turn");
        }
        let ending = game.ending();
        let by_count = matches!(ending, Some(Ending::Quiet { .. }));
        match line.end {
            LineEnd::Over => assert!(!by_count, "{ending:?}"),
            // A position may repeat when the limit is reached.
            LineEnd::Repetition { .. } => {}
            end => assert_eq!(by_count, end == LineEnd::Quiet, "{ending:?}"),
        }
    }
    assert!(cut > 50 && longest > LIMIT as usize, "{cut} {longest}");
}

/// Probes, lines, explanations and reviews have this value for a position whose text has the count.
fn every_question_counts(database: &Database, position: &Position, quiet: u32, expected: Value) {
    let rules = database.rules();
    let text = position.text(rules);
    let text = text.strip_suffix("0 1").expect("a count");
    let counted = question::position(&format!("{text}{quiet} 1"), rules).expect("a position");
    let all = ProbeAnswer::find(database, &counted, Some(usize::MAX)).expect("files");
    let only = ProbeAnswer::find(database, &counted, None).expect("files");
    let ranked = RankAnswer::find(database, &counted.game()).expect("files");
    let line = LineAnswer::find(database, &counted, 500).expect("files");
    let explained = ExplainAnswer::find(database, &counted, None, MOST_FORCED_POSITIONS);
    let explained = explained.expect("files");
    let probed = [all.value, only.value, ranked.value];
    assert_eq!(probed, [expected; 3], "{counted}");
    assert_eq!([line.value, explained.value], [expected; 2], "{counted}");
    let is_over = line.end == LineEnd::Over;
    assert_eq!(expected.wdl() != Wdl::Draw, is_over, "{counted}");
    for turn in all.turns.iter().flatten() {
        let next = if turn.turn.is_quiet() { quiet + 1 } else { 0 };
        let (text, end) = (turn.position.to_string(), format!(" {next} 1"));
        assert!(text.ends_with(&end), "{text} after {quiet}");
    }
    // A game that begins with the text.
    let mut game = counted.game();
    assert_eq!(game.quiet_turns(), quiet);
    assert_eq!(Game::parse(&game.text(), rules).as_ref(), Ok(&game));
    let first = all.turns.iter().flatten().next().expect("a turn");
    game.make(first.turn).expect("a legal turn");
    let review = GameReview::of(Truth::brief(database), &game).expect("files");
    let verdict = review.turns[0].verdict.as_ref().expect("a verdict");
    assert_eq!([verdict.before, verdict.value], [expected; 2], "{counted}");
}

/// The limit draws no game that is over, not even with a count above it.
#[test]
fn lost_positions_stay_lost_with_any_count() {
    let rules = Rules {
        quiet_turns: 3,
        ..Rules::STANDARD
    };
    let database = Database::embedded(rules);
    for lost in [
        "OOOO@**@/@*@*****/******** w o ? 4 0 4 0 0 0",
        "O@*****O/@@*****@/******** w o ? 2 0 4 0 0 0",
    ] {
        for quiet in 0..5 {
            let text = format!("{lost} -1 -1 -1 -1 0 {quiet} 1");
            let position = question::position(&text, &rules).expect("a position");
            for most in [None, Some(usize::MAX)] {
                let answer = ProbeAnswer::find(&database, &position, most).expect("no file");
                assert_eq!(answer.value, Value::LOST, "{text}");
            }
        }
    }
}

/// At the limit the rules give the value, whatever files there are.
#[test]
fn the_limit_needs_no_files() {
    let rules = Rules::STANDARD_100;
    let database = Database::embedded(rules);
    let after = |quiet: u32| {
        let text = format!("O@O@O@O@/O@O@O@O@/O@****** w m s 9 0 9 0 0 0 -1 -1 -1 -1 0 {quiet} 1");
        question::position(&text, &rules).expect("a position")
    };
    assert!(ProbeAnswer::find(&database, &after(99), None).is_err());
    let position = after(100);
    for most in [None, Some(usize::MAX)] {
        let answer = ProbeAnswer::find(&database, &position, most).expect("no file");
        assert_eq!((answer.value, answer.source), (Value::Draw, Source::Rules));
        let turns = answer.turns.map(|turns| turns.len());
        assert_eq!(turns, most.map(|_| position.turns(&rules).len()));
    }
    let line = LineAnswer::find(&database, &position, 9).expect("no file");
    assert_eq!((line.value, line.end), (Value::Draw, LineEnd::Quiet));
}

/// A game that went on after the limit was not played by it, so its turns have grades as after no quiet turns.
#[test]
fn turns_after_the_limit_have_grades() {
    const LIMIT: u32 = 5;
    let rules = Rules {
        quiet_turns: LIMIT as u8,
        ..Rules::STANDARD
    };
    let folder = tempfile::tempdir().expect("a folder");
    let pair = Pair::new(3, 3).expect("a pair");
    common::build(folder.path(), &rules, &[pair], &[]);
    let database = Database::open(folder.path(), rules).expect("databases");
    let start = Position::parse(common::RACE, &rules).expect("a position");
    let review = |turns: &[&str], quiet: u32| {
        let mut game = Game::new(rules, start).with_quiet_turns(quiet);
        for turn in turns {
            game.play(turn).expect("a legal turn");
        }
        GameReview::of(Truth::brief(&database), &game).expect("files")
    };
    for quiet in [LIMIT - 1, LIMIT] {
        let turns = review(&["e3-e4", "c4-a1xa7"], quiet).turns;
        assert_eq!(turns[0].grade(), Some(Grade::GivesUpWin), "{quiet}");
        let value = turns[1].verdict.as_ref().expect("a verdict").value;
        assert_eq!(value, Value::Win(Dtw(1)), "{quiet}");
        let last = review(&["e3-e4"], quiet).last.value;
        assert_eq!(last, Some(Value::Draw), "{quiet}");
    }
}

#[test]
fn a_position_states_its_count() {
    const LATE: &str = " -1 -1 -1 -1 0 5 1";
    let rules = Rules::STANDARD_100;
    for (text, more, count) in [
        (FLYING, "", 0),
        (FLYING, " -1 -1 -1 -1 0 34 80", 34),
        (FLYING, " 0 0 0 0 12 7", 7),
        (FLYING, " -1 -1 -1 -1 0 ids:nodes", 0),
        // A placement or a removal comes before.
        ("********/********/O@O*O@*@ w p p 3 1 3 1 0 0", LATE, 0),
        ("O*O**@*@/*O*O****/***@@@*O b p r 5 0 5 0 0 1", LATE, 0),
    ] {
        let text = &format!("{text}{more}");
        let (position, found) = Position::parse_counted(text, &rules).expect(text);
        assert_eq!(found, count, "{text}");
        assert_eq!(Position::parse(text, &rules), Ok(position));
    }
    // The longest count that a text can state stands for all longer ones.
    let position = Position::parse(FLYING, &rules).expect(FLYING);
    for form in [PositionForm::Fen, PositionForm::Mfen] {
        let text = position_text(&position, 65_536, &rules, form).expect("a text");
        assert_eq!(
            parse_position(&text, &rules),
            Ok((position, 65_535)),
            "{text}"
        );
    }
}

/// Not even a win in one turn has a depth, which would count to another event than those of moving positions.
#[test]
fn positions_with_stones_in_hand_have_no_depth() {
    let rules = Rules {
        stones: 4,
        quiet_turns: 6,
        ..Rules::STANDARD
    };
    let folder = tempfile::TempDir::new().unwrap();
    common::build(folder.path(), &rules, &Pair::all(&rules), &[]);
    let database = Database::open(folder.path(), rules).unwrap();
    let won = Position::parse("****@*O*/@*****O*/******** w p p 2 1 2 1 0 0", &rules).unwrap();
    let turns = database.turns(&won).unwrap();
    for value in [database.probe(&won).unwrap(), turns[0].value] {
        assert_eq!((value.wdl(), value.dtw()), (Wdl::Win, None));
    }
}
