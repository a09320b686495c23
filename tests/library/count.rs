//! Tests of the count of quiet turns: what values are worth under it, against a plain search, and how players,
//! reviews and puzzles respect it.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::common::Random;
use millbase::engine::{DrawRule, DrawnTurns, Ending, Game, Player, QuietCount, SkillLevel};
use millbase::review::{GameReview, Grade, Truth};
use millbase::search::{Limits, Search};
use millbase::{Database, Position, RankedTurn, Rules, Side, Turn, Value, Wdl};

const RULES: Rules = Rules::STANDARD;

/// The quiet turns of [`late`] games.
const SHUFFLED: u32 = 96;

/// A game that has come back to a position again and again, so that the count has `left` quiet turns left;
/// `None` if the position has no turns that can be taken back.
fn late(position: &Position, left: u32) -> Option<Game> {
    let draws = DrawRule {
        repetitions: 0,
        quiet_turns: SHUFFLED + left,
    };
    let game = Game::new(RULES, *position).with_draws(draws);
    let quiet = |position: &Position| {
        let turns = position.turns(&RULES).into_iter();
        turns.filter(|turn| turn.removed().is_empty())
    };
    let back = |turn: Turn| format!("{}-{}", turn.to().unwrap(), turn.from().unwrap());
    quiet(position).find_map(|first| {
        quiet(&position.after(first)).find_map(|second| {
            let there = [first, second];
            let turns = [there.map(|turn| turn.to_string()), there.map(back)].concat();
            let mut game = game.clone();
            for turn in turns.iter().cycle().take(SHUFFLED as usize) {
                game.play(turn).ok()?;
            }
            let is_back = game.position() == position && game.earlier().len() == SHUFFLED as usize;
            is_back.then_some(game)
        })
    })
}

/// Whether a side wins in time: a plain search of all turns, with the values after removals.
fn wins(database: &Database, position: &Position, winner: Side, left: u32) -> bool {
    let side = position.side_to_move();
    if position.is_over(&RULES) {
        return side != winner;
    }
    if left == 0 {
        return false;
    }
    let turns = position.turns(&RULES);
    let mut results =
        (turns.iter()).map(|&turn| wins_after(database, turn, &position.after(turn), winner, left));
    match side == winner {
        true => results.any(|won| won),
        false => results.all(|won| won),
    }
}

/// Whether a side still wins in time after a turn.
fn wins_after(db: &Database, turn: Turn, after: &Position, winner: Side, left: u32) -> bool {
    match turn.removed().is_empty() {
        true => wins(db, after, winner, left - 1),
        false => won_by(after, db.probe(after).unwrap()) == Some(winner),
    }
}

fn won_by(position: &Position, value: Value) -> Option<Side> {
    let side = position.side_to_move();
    match value.wdl() {
        Wdl::Win => Some(side),
        Wdl::Draw => None,
        Wdl::Loss => Some(side.other()),
    }
}

/// The turns of a game's position as the databases rank them, and as they are worth under the count.
fn ranked(database: &Database, game: &Game) -> [Vec<RankedTurn>; 2] {
    let turns = database.turns(game.position()).unwrap();
    let counted = QuietCount::of(game).rank(database, game.position(), turns.clone(), &|| false);
    [turns, counted]
}

/// Random positions in which the count may end the game before the side that wins does. In every other one the
/// best turn of a winner is quiet.
fn contested() -> impl Iterator<Item = (Game, u32, Side)> {
    let database = Database::embedded(RULES);
    let mut random = Random::new(44);
    let pairs = [(4, 4), (5, 4), (4, 5), (5, 3), (4, 3), (3, 4)];
    (0..).filter_map(move |number| {
        let (white, black) = pairs[number % pairs.len()];
        let position = random.position(white, black);
        let left = 1 + (number / pairs.len()) as u32 % if white.min(black) == 3 { 2 } else { 3 };
        if position.is_over(&RULES) {
            return None;
        }
        let value = database.probe(&position).unwrap();
        let winner = won_by(&position, value)?;
        let best = database.turns(&position).unwrap()[0];
        let is_open =
            number / 12 % 2 == 0 || value.wdl() == Wdl::Loss || best.turn.removed().is_empty();
        let is_contested = u32::from(value.dtw()?.0) > left && is_open;
        let game = is_contested.then(|| late(&position, left))??;
        Some((game, left, winner))
    })
}

#[test]
fn values_under_the_count_are_those_of_a_plain_search() {
    let database = Database::embedded(RULES);
    let (mut won, mut late, mut held, mut turned) = (0, 0, 0, false);
    for (game, left, winner) in contested().take(100) {
        let [plain, counted] = ranked(&database, &game);
        let is_winner = game.position().side_to_move() == winner;
        let truth =
            |ranked: &RankedTurn| wins_after(&database, ranked.turn, &ranked.after, winner, left);
        for turn in &counted {
            let before = plain.iter().find(|other| other.turn == turn.turn).unwrap();
            let Some(side) = won_by(game.position(), before.value) else {
                assert_eq!(turn.value, before.value);
                continue;
            };
            let in_time = wins_after(&database, turn.turn, &turn.after, side, left);
            let is_drawn = turn.value == Value::Draw;
            assert!(!(is_drawn && in_time), "{} in {}", turn.turn, game.text());
            // A turn that fills the count is a draw, whoever would win without it.
            let is_shown = is_drawn || in_time || left > 1;
            assert!(is_shown, "{} in {}", turn.turn, game.text());
            turned |= is_drawn && side != winner;
        }
        let best = truth(&counted[0]);
        let any = counted.iter().any(|turn| truth(turn) == is_winner);
        assert_eq!(best == is_winner, any, "{} with {left}", game.text());
        assert_eq!(counted[0].value == Value::Draw, !best, "{}", game.text());
        won += u32::from(is_winner && best);
        late += u32::from(is_winner && !best);
        held += u32::from(!is_winner && !best);
    }
    eprintln!("{won} won in time, {late} too late, {held} held by the count");
    assert!(won >= 10 && late >= 10 && held >= 1 && turned);
}

fn player(database: Database) -> Player {
    Player {
        database: Arc::new(database),
        search: Arc::new(Search::new(RULES, 1 << 16, 1)),
        level: SkillLevel::PERFECT,
        seed: 3,
        drawn: DrawnTurns::default(),
    }
}

/// The player's turn and its value.
fn chosen(player: &Player, game: &Game) -> (Turn, Value) {
    let never = AtomicBool::new(false);
    let choice = player.choose(game, &Limits::default(), &never, &mut |_| ());
    let choice = choice.unwrap();
    (choice.turn, choice.variation.value.unwrap())
}

/// Perfect players to the end of the game: the winner.
fn play_out(player: &Player, game: &mut Game) -> Option<Side> {
    while game.ending().is_none() {
        let (turn, _) = chosen(player, game);
        game.make(turn).unwrap();
    }
    game.ending().unwrap().winner()
}

/// Where a plain search shows that the count allows a win, the perfect player wins, otherwise the other side
/// holds; a review finds no error in either.
#[test]
fn perfect_players_play_by_the_count() {
    let player = player(Database::embedded(RULES));
    let database = &player.database;
    let (mut won, mut drawn) = (0, 0);
    for (mut game, left, winner) in contested().take(30) {
        let in_time = wins(database, game.position(), winner, left);
        let begun = game.turns().len();
        let result = play_out(&player, &mut game);
        assert_eq!(result == Some(winner), in_time, "{}", game.text());
        let review = GameReview::of(Truth::brief(database), &game).unwrap();
        let turns = &review.turns[begun..];
        assert!(turns.iter().all(|turn| !turn.grade().unwrap().is_error()));
        let drawn_at_last = matches!(game.ending(), Some(Ending::Quiet { .. }));
        assert_eq!(review.last.value == Some(Value::Draw), drawn_at_last);
        won += u32::from(in_time);
        drawn += u32::from(drawn_at_last);
    }
    assert!(won >= 5 && drawn >= 5, "{won} won, {drawn} drawn");
}

/// A turn that lets the count end a game that could be won, or removes a stone where the count would save the
/// game, is an error.
#[test]
fn reviews_grade_by_the_count() {
    let database = Database::embedded(RULES);
    let (mut wins, mut draws) = (0, 0);
    for (game, ..) in contested().take(100) {
        let [plain, counted] = ranked(&database, &game);
        let best = counted[0].value.wdl();
        let was_best = |turn: &RankedTurn| {
            let is_best = |other: &&RankedTurn| other.value.wdl() == plain[0].value.wdl();
            let mut same = plain.iter().take_while(is_best);
            same.any(|other| other.turn == turn.turn)
        };
        let is_worse = |turn: &&RankedTurn| turn.value.wdl() < best && was_best(turn);
        let Some(worse) = counted.iter().find(is_worse) else {
            continue;
        };
        let mut other = game.clone();
        other.make(worse.turn).unwrap();
        let review = GameReview::of(Truth::brief(&database), &other).unwrap();
        let grade = review.turns.last().unwrap().grade().unwrap();
        assert!(grade.is_error(), "{}", other.text());
        wins += u32::from(grade == Grade::GivesUpWin);
        draws += u32::from(grade == Grade::GivesUpDraw);
    }
    eprintln!("{wins} wins and {draws} draws given up");
    assert!(wins >= 5);
}

/// With one turn left, a review counts every quiet turn as a draw, and no error, whatever it is worth without the count.
#[test]
fn turns_that_fill_the_count_are_equally_good() {
    let text = "O@******/@**O****/*@***O** w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 99 1";
    let start = Game::from_position(text, &RULES).unwrap();
    for turn in start.position().turns(&RULES) {
        let mut game = start.clone();
        game.make(turn).unwrap();
        let review = GameReview::of(Truth::brief(&Database::embedded(RULES)), &game).unwrap();
        assert_eq!(review.turns[0].grade(), Some(Grade::Equal), "{turn}");
        assert_eq!(review.turns[0].verdict.as_ref().unwrap().keeping, 54);
    }
}

/// A lost turn has no depth if the count may end its best line.
#[test]
fn lost_turns_that_the_count_may_cut_have_no_depth() {
    let text = "******O@/***O*@*O/**@***** w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 96 1";
    let mut game = Game::from_position(text, &RULES).unwrap();
    game.play("f2-e5").unwrap();
    let review = GameReview::of(Truth::brief(&Database::embedded(RULES)), &game).unwrap();
    let verdict = review.turns[0].verdict.as_ref().unwrap();
    assert_eq!(verdict.grade, Grade::GivesUpWin);
    let value = verdict.value;
    assert_eq!((value.wdl(), value.dtw()), (Wdl::Loss, None));
}

/// Once the count is over, or where there is none, the values stay.
#[test]
fn no_count_changes_nothing() {
    let database = Database::embedded(RULES);
    for (game, ..) in contested().take(20) {
        let uncounted = DrawRule {
            quiet_turns: 0,
            ..DrawRule::USUAL
        };
        let [plain, counted] = ranked(&database, &game.clone().with_draws(uncounted));
        assert_eq!(counted, plain);
        let over = DrawRule {
            quiet_turns: SHUFFLED,
            ..uncounted
        };
        let [_, counted] = ranked(&database, &game.with_draws(over));
        assert!(counted.iter().all(|turn| turn.value == Value::Draw));
    }
}

/// Positions of larger pairs in which the count decides.
#[test]
#[ignore = "needs all databases: see tools/slow-tests"]
fn known_positions_are_played_by_the_count() {
    let folder = std::env::var_os("MILLBASE_DB").expect("MILLBASE_DB names the folder");
    let player = player(Database::open(Path::new(&folder), RULES).unwrap());
    let game = |text: &str, left| late(&Position::parse(text, &RULES).unwrap(), left).unwrap();

    // The quickest win is quiet, and the last quiet turn makes a draw.
    let won = game("@**@O@O*/*O@@O@@*/O**O**@O w m s 7 0 8 0 0 0", 1);
    let (turn, value) = chosen(&player, &won);
    assert_eq!(format!("{turn}: {value}"), "g1-d1xd5: win in 27");

    // The longest resistance removes a stone, and a quiet turn draws.
    let lost = game("@*@@*OO*/*@O*@@**/@O*O**** w m s 5 0 7 0 0 0", 1);
    let (turn, value) = chosen(&player, &lost);
    assert_eq!((turn.removed().is_empty(), value), (true, Value::Draw));

    // No removal comes in time.
    let text = "*****@*O/*@OO*@O@/**O*O*** w m s 6 0 4 0 0 0";
    let position = Position::parse(text, &RULES).unwrap();
    let value = player.database.probe(&position).unwrap();
    let cuts = QuietCount::usual(0).cuts(&player.database, &position, value);
    assert!(cuts, "{value}");
    let mut long = Game::new(RULES, position);
    let (_, value) = chosen(&player, &long);
    assert_eq!(value.dtw(), None, "the length of the win is not claimed");
    assert_eq!(play_out(&player, &mut long), None);
    let review = GameReview::of(Truth::brief(&player.database), &long).unwrap();
    assert_eq!(review.first_error, None);
    assert_eq!(review.last.value, Some(Value::Draw));
}
