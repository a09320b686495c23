//! Tests of the coach: grades known by hand and by the plain rules, matches, exams, puzzles.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::{Arc, LazyLock};

use crate::common::{self, RACE, Random, WON, plain_position, plain_rules};
use millbase::engine::DrawRule;
use millbase::engine::{DrawnTurns, Game, Player, SkillLevel};
use millbase::internals::coach::annotate::{annotated, mark};
use millbase::internals::coach::archive::{Archive, canonical_turns};
use millbase::internals::coach::confidence::interval;
use millbase::internals::coach::contest::{Contest, GameEnd, PlayedGame};
use millbase::internals::coach::contestant::{Contestant, NewContestant, OwnPlayer};
use millbase::internals::coach::explain::closing_points;
use millbase::internals::coach::graph::svg;
use millbase::internals::coach::judge::{ExamReport, exam, replies};
use millbase::internals::coach::pack::{Claim, ClaimedLine, check};
use millbase::internals::coach::puzzle::{Goal, Puzzle, Theme, WantedPuzzles, candidate};
use millbase::internals::service::explain::{ExplainAnswer, ExplainedTurn, MOST_FORCED_POSITIONS};
use millbase::internals::service::words::Fen;
use millbase::notation::{GameResult, Record, RecordReader, ResultCounts};
use millbase::review::{GameReview, Grade, Truth};
use millbase::sample::{Family, canonical};
use millbase::search::{Limits, Search};
use millbase::{
    Database, Dtw, Pair, Phase, Point, Position, Rules, Side, Symmetry, Turn, Value, Wdl,
};

const RULES: Rules = Rules::STANDARD;

fn embedded() -> Database {
    Database::embedded(RULES)
}

fn position(text: &str) -> Position {
    Position::parse(text, &RULES).unwrap()
}

fn game(start: Position, turns: &str) -> Game {
    let mut game = Game::new(RULES, start);
    for turn in turns.split_whitespace() {
        game.play(turn).unwrap();
    }
    game
}

fn review(game: &Game) -> GameReview {
    GameReview::of(Truth::patient(&embedded()), game).unwrap()
}

fn grades(review: &GameReview) -> Vec<Grade> {
    let turns = review.turns.iter();
    turns.map(|turn| turn.grade().unwrap()).collect()
}

/// The game under a symmetry of the board.
fn turned(game: &Game, symmetry: Symmetry) -> Game {
    let mut other = Game::new(RULES, game.start().with_board_turned(symmetry));
    for turn in game.turns() {
        other.make(turn.turned(symmetry)).unwrap();
    }
    other
}

/// A game of random turns.
fn random_game(start: Position, random: &mut Random, most: usize) -> Game {
    go_on(Game::new(RULES, start), random, most)
}

/// Makes random turns until the game has `most` turns or is over.
fn go_on(mut game: Game, random: &mut Random, most: usize) -> Game {
    for _ in game.turns().len()..most {
        let turns = game.position().turns(game.rules());
        if turns.is_empty() {
            break;
        }
        game.make(*random.pick(&turns)).unwrap();
    }
    game
}

// Grades

#[test]
fn grades_are_those_known_by_hand() {
    // White overlooks that it can close its mill, and Black closes its own.
    let lost = review(&game(position(RACE), "e3-e4 c4-a1xa7"));
    assert_eq!(grades(&lost), [Grade::GivesUpWin, Grade::Equal]);
    let verdict = lost.turns[0].verdict.as_ref().unwrap();
    assert_eq!(verdict.before.to_string(), "win in 1");
    assert_eq!(verdict.value.to_string(), "loss in 2");
    // The mill can remove each of three stones.
    let best: Vec<String> = verdict.best.iter().map(Turn::to_string).collect();
    assert_eq!(best, ["e3-g7xc4", "e3-g7xd1", "e3-g7xg1"]);
    assert_eq!(verdict.half_points_lost(), 2);
    assert_eq!(mark(&lost.turns[0]), "??");
    assert_eq!((lost.first_error, lost.decisive_error), (Some(1), Some(1)));
    let first_errors = (lost.first_error_white, lost.first_error_black);
    assert_eq!(first_errors, (Some(1), None));
    assert_eq!(lost.last.value, Some(Value::LOST));

    // White blocks and threatens two mills, of which Black can block one: slower, not worse.
    let won = review(&game(position(RACE), "e3-a1 c4-a4 a1-g7xd1"));
    assert_eq!(grades(&won), [Grade::Slower, Grade::Equal, Grade::Equal]);
    let verdict = |place: usize| won.turns[place].verdict.as_ref().unwrap();
    assert_eq!(verdict(0).value.to_string(), "win in 3");
    assert!(!verdict(1).is_decision());
    assert_eq!(won.decisive_error, None);

    let tally = lost.summary.of_side(Side::White);
    assert_eq!((tally.turns, tally.decisions, tally.errors), (1, 1, 1));
    assert_eq!((tally.accuracy, tally.half_points_lost), (Some(0.0), 2));
    assert_eq!(won.summary.of_side(Side::White).accuracy, Some(1.0));
    assert_eq!(won.summary.of_side(Side::Black).accuracy, None);
    for entry in &won.summary.0 {
        let turns = match (entry.side, entry.phase) {
            (Side::White, Phase::Flying) => 2,
            (Side::Black, Phase::Flying) => 1,
            _ => 0,
        };
        assert_eq!(entry.tally.turns, turns, "{entry:?}");
    }
}

/// Five stones against five are not among the built-in databases; with a stone less they are.
#[test]
fn errors_beside_unknown_turns_are_not_known_to_be_first_or_last() {
    let mut random = Random::new(3);
    let mut errors = 0;
    for _ in 0..20 {
        let start = random.position(5, 5);
        let found = review(&random_game(start, &mut random, 100));
        assert!(found.turns[0].verdict.is_none() && !found.is_complete());
        let grades = found.turns.iter().filter_map(|turn| turn.grade());
        errors += grades.filter(|grade| grade.is_error()).count();
        assert_eq!((found.first_error, found.first_error_white), (None, None));
        if let Some(decisive) = found.decisive_error {
            let rest = &found.turns[decisive - 1..];
            assert!(rest[0].grade().unwrap().is_error());
            assert!(rest.iter().all(|turn| turn.verdict.is_some()));
        }
    }
    assert!(errors > 10, "{errors}");
}

#[test]
fn grades_agree_with_the_plain_rules() {
    let (database, rules) = (embedded(), plain_rules(&RULES));
    let mut random = Random::new(5);
    let mut seen = HashSet::new();
    for number in 0..60 {
        let start = random.position(4 + number % 2, 4);
        let review = review(&random_game(start, &mut random, 30));
        for turn in &review.turns {
            let plain = plain_position(&turn.position);
            // The value of each position after a turn, for the side that makes the turn.
            let after = plain.distinct_turns(&rules).into_iter().map(|plain_turn| {
                let after = position(&plain.after(&plain_turn).text(&rules));
                (after, database.probe(&after).unwrap().backed_up())
            });
            let after: Vec<(Position, Value)> = after.collect();
            let best = after.iter().map(|&(_, value)| value).max().unwrap();
            let made = turn.position.after(turn.turn);
            let made = after.iter().find(|(position, _)| *position == made);
            let value = made.unwrap().1;
            let equal = after.iter().filter(|(_, value)| *value == best).count();
            let keeping = after.iter().filter(|(_, value)| value.wdl() == best.wdl());
            let keeping = keeping.count();
            let grade = match (best.wdl(), value.wdl()) {
                _ if value == best && equal == 1 => Grade::Best,
                _ if value == best => Grade::Equal,
                (Wdl::Win, Wdl::Draw | Wdl::Loss) => Grade::GivesUpWin,
                (Wdl::Draw, Wdl::Loss) => Grade::GivesUpDraw,
                _ => Grade::Slower,
            };
            let verdict = turn.verdict.as_ref().unwrap();
            assert_eq!((verdict.before, verdict.value), (best, value));
            assert_eq!((verdict.grade, verdict.keeping), (grade, keeping));
            assert_eq!((verdict.best.len(), verdict.legal), (equal, after.len()));
            seen.insert(grade);
        }
    }
    assert_eq!(seen.len(), 5);
}

#[test]
fn turned_and_exchanged_games_have_the_same_grades() {
    let mut random = Random::new(8);
    for _ in 0..10 {
        let start = random.position(4, 4);
        let game = random_game(start, &mut random, 24);
        let expected = review(&game);
        for symmetry in Symmetry::all() {
            let found = review(&turned(&game, symmetry));
            assert_eq!(grades(&found), grades(&expected));
            assert_eq!(found.decisive_error, expected.decisive_error);
        }
        let mut exchanged = Game::new(RULES, start.with_colours_exchanged());
        for turn in game.turns() {
            exchanged.make(turn).unwrap();
        }
        let found = review(&exchanged);
        assert_eq!(grades(&found), grades(&expected));
        for (mine, other) in [(Side::White, Side::Black), (Side::Black, Side::White)] {
            assert_eq!(found.summary.of_side(mine), expected.summary.of_side(other));
        }
    }
}

#[test]
fn whole_games_are_graded_from_the_empty_board() {
    let rules = Rules { stones: 4, ..RULES };
    let database = Database::embedded(rules);
    let mut random = Random::new(3);
    let game = go_on(Game::new(rules, Position::start(&rules)), &mut random, 20);
    let review = GameReview::of(Truth::patient(&database), &game).unwrap();
    assert!(review.missing.is_none());
    assert_eq!(review.turns[0].phase, Phase::Placing);
    assert_eq!(review.turns.len(), game.turns().len());
    let graded = [Side::White, Side::Black].map(|side| review.summary.of_side(side).graded);
    assert_eq!(graded.iter().sum::<u32>() as usize, review.turns.len());
}

/// The turn that repeats a won position for the third time gives the win away.
#[test]
fn third_occurrences_are_graded_as_draws() {
    let mut game = Game::parse(crate::players::REPEATED_WIN, &RULES).unwrap();
    game.play("g4-d6").unwrap();
    let review = review(&game);
    let last = review.turns.last().unwrap();
    assert_eq!(review.first_error, Some(last.number));
    assert_eq!(last.verdict.as_ref().unwrap().value, Value::Draw);
    assert_eq!(review.last.value, Some(Value::Draw));
    // In the game that goes on, the rule does not count any more.
    for turn in ["d2-b6", "f6-e3", "b6-d2", "e3-f6"] {
        game.play(turn).unwrap();
    }
    let later = self::review(&game);
    assert_eq!(later.decisive_error, Some(last.number));
    assert_ne!(later.last.value, Some(Value::Draw));
}

#[test]
fn unknown_positions_have_no_grade() {
    let review = review(&game(Position::start(&RULES), "d6 f4 d2"));
    assert!(review.missing.is_some());
    assert!(review.turns.iter().all(|turn| turn.verdict.is_none()));
    assert_eq!(review.summary.of_side(Side::White).graded, 0);
    assert!(svg(&review).contains("<svg"));
}

/// The file of the last position gives its value, although that of a pair after a removal is missing.
#[test]
fn the_last_position_needs_no_values_of_turns() {
    let rules = Rules::NO_FLYING;
    let folder = tempfile::tempdir().unwrap();
    common::build(folder.path(), &rules, &[Pair::new(4, 3).unwrap()], &[]);
    let text = "***@O*@*/**@*O**@/****O*** w m s 3 0 4 0 0 0";
    let mut game = Game::from_position(text, &rules).unwrap();
    game.play("d2-f2").unwrap();
    let review = || {
        let database = Database::open(folder.path(), rules).unwrap();
        GameReview::of(Truth::brief(&database), &game).unwrap()
    };
    let whole = review();
    assert!(whole.last.value.is_some());
    std::fs::remove_file(folder.path().join("3-3.mill")).unwrap();
    let found = review();
    assert_eq!((found.turns, found.last), (whole.turns, whole.last));
    assert!(found.missing.is_none());
}

#[test]
fn annotated_text_is_read_again() {
    let mut random = Random::new(2);
    for _ in 0..20 {
        let mut start = random.position(4, 4);
        if random.below(2) == 1 {
            start = start.with_colours_exchanged();
        }
        let game = random_game(start, &mut random, 40);
        let mut record = Record::of(game.clone());
        let name = "A \"quoted\" \\ name".to_owned();
        record.tags.push(("White".to_owned(), name));
        let text = annotated(&record, &review(&game));
        let longest = text.lines().map(|line| line.chars().count()).max();
        assert!(longest <= Some(130), "{text}");
        let found = RecordReader::new(RULES, text.as_bytes()).map(Result::unwrap);
        let found: Vec<Record> = found.collect();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].game, game);
        assert_eq!(found[0].result, record.result);
        assert_eq!(found[0].player(Side::White), record.player(Side::White));
    }
}

#[test]
fn pictures_mark_the_errors() {
    let lost = review(&game(position(RACE), "e3-e4 c4-a1xa7"));
    let picture = svg(&lost);
    assert_eq!(picture.matches("<circle").count(), 1);
    assert!(picture.contains("turn 1, white: e3-e4?? gives up a win"));
}

#[test]
fn archives_count_by_player_and_opening() {
    let rules = Rules { stones: 4, ..RULES };
    let database = Database::embedded(rules);
    let mut archive = Archive::new(2);
    let mut random = Random::new(4);
    let mut errors = 0;
    let opening: [Turn; 2] = ["d6", "f4"].map(|turn| turn.parse().unwrap());
    for number in 0..6 {
        let symmetry = Symmetry::numbered(number);
        let mut game = Game::new(rules, Position::start(&rules));
        for turn in opening {
            game.make(turn.turned(symmetry)).unwrap();
        }
        let mut record = Record::of(go_on(game, &mut random, 16));
        let [white, black] = [["A", "B"], ["B", "A"]][number as usize % 2];
        for (tag, name) in [("White", white), ("Black", black)] {
            record.tags.push((tag.to_owned(), name.to_owned()));
        }
        record.result = Some([GameResult::White, GameResult::Draw][number as usize % 2]);
        let review = GameReview::of(Truth::patient(&database), &record.game).unwrap();
        for side in [Side::White, Side::Black] {
            errors += review.summary.of_side(side).errors;
        }
        archive.add(&record, &review);
    }
    let report = archive.report(0);
    let players = report.players;
    assert_eq!(players.len(), 2);
    // A has won its three games as White and drawn the others.
    let results = ResultCounts {
        wins: 3,
        draws: 3,
        losses: 0,
    };
    let a = players.iter().find(|row| row.name == "A").unwrap();
    assert_eq!((a.games, a.results, a.score), (6, results, Some(0.75)));
    let [low, high] = a.score_interval.unwrap();
    assert!((0.4..0.75).contains(&low) && high > 0.75 && high < 1.0);
    let found: u32 = players.iter().map(|row| row.tally.errors).sum();
    assert_eq!(found, errors);
    let openings = report.openings;
    assert_eq!(openings.len(), 1);
    assert_eq!(openings[0].name, canonical_turns(&opening));
    let found = (openings[0].results, openings[0].tally.errors);
    assert_eq!(found, (results, errors));
}

// Explanations

#[test]
fn explanations_state_facts() {
    let database = embedded();
    let explain = |position: &Position| {
        let asked = Fen::new(position, &RULES);
        ExplainAnswer::find(&database, &asked, None, MOST_FORCED_POSITIONS).unwrap()
    };
    let race = explain(&position(RACE));
    assert_eq!(texts(race.forced_removal.iter().flatten()).len(), 1);
    assert_eq!(race.threats, [Point::named("a1").unwrap()]);
    // If White could pass, Black would close its mill.
    assert_eq!(race.passing.unwrap().to_string(), "loss in 2");
    let turn = |text: &str| {
        let is_named = |turn: &&ExplainedTurn| turn.turn.turn.to_string() == text;
        race.turns.iter().find(is_named).unwrap()
    };
    assert_eq!(turn("e3-a1").prevents, race.threats);
    let wrong = turn("e3-e4");
    assert!(wrong.prevents.is_empty());
    assert_eq!(wrong.refutation.len(), 1);
    assert_eq!(wrong.refutation[0].turn.to_string(), "c4-a1xa7");
    // Three removals win at once, and one turn blocks g7 and wins later.
    assert_eq!((wrong.holding, wrong.holding_replies.len()), (4, 4));

    let won = explain(&position(WON));
    assert_eq!((won.legal, won.best), (51, 4));
    let line = texts(won.forced_removal.iter().flatten());
    assert_eq!(line, ["a1-e4", "b4-a4", "f6-e5xa4"]);
}

fn texts<'a>(turns: impl Iterator<Item = &'a Turn>) -> Vec<String> {
    turns.map(Turn::to_string).collect()
}

/// Whether one of these turns can begin a forced removal or end of the game, by exhaustive search.
fn can_force(position: &Position, turns: &[Turn], own: usize) -> bool {
    turns.iter().any(|turn| {
        let after = position.after(*turn);
        let replies = after.turns(&RULES);
        let holds = |reply: &Turn| {
            let position = after.after(*reply);
            reply.removed().is_empty() && can_force(&position, &position.turns(&RULES), own - 1)
        };
        !turn.removed().is_empty() || replies.is_empty() || own > 1 && replies.iter().all(holds)
    })
}

/// White only passes after Black's last placement, if Black makes the first move.
#[test]
fn nobody_closes_a_mill_by_passing() {
    let rules = Rules {
        stones: 3,
        first_to_move: Side::Black,
        ..RULES
    };
    let text = "**O*****/****@@**/****OO** b p p 3 0 2 1 0 0";
    let position = Position::parse(text, &rules).unwrap();
    assert!(closing_points(&position, Side::White, &rules).is_empty());
    let first = Rules {
        first_to_move: Side::White,
        ..rules
    };
    let position = Position::parse(text, &first).unwrap();
    assert!(!closing_points(&position, Side::White, &first).is_empty());
}

#[test]
fn forced_removals_are_the_shortest() {
    let database = embedded();
    let mut random = Random::new(6);
    let mut lengths = HashSet::new();
    for _ in 0..40 {
        let position = random.position(4, 5);
        let asked = Fen::new(&position, &RULES);
        let found = ExplainAnswer::find(&database, &asked, None, MOST_FORCED_POSITIONS).unwrap();
        // The first turn must keep the result.
        let keeps = |turn: &Turn| {
            let value = database.probe(&position.after(*turn)).unwrap().backed_up();
            value.wdl() == found.value.wdl()
        };
        let mut first = position.turns(&RULES);
        first.retain(keeps);
        let line = found.forced_removal.unwrap_or_default();
        let own = line.len().div_ceil(2);
        lengths.insert(own);
        assert_eq!(can_force(&position, &first, 1), own == 1);
        assert_eq!(can_force(&position, &first, 2), (1..=2).contains(&own));
        for point in closing_points(&position, Side::White, &RULES) {
            let closes = |turn: &Turn| turn.to() == Some(point) && !turn.removed().is_empty();
            assert!(position.turns(&RULES).iter().any(closes));
        }
    }
    let all = [0, 1, 2].iter().all(|length| lengths.contains(length));
    assert!(all, "{lengths:?}");
}

// Matches

/// Millbase's player of the highest level.
fn perfect() -> OwnPlayer {
    let database = Arc::new(embedded());
    OwnPlayer {
        player: Player {
            search: Arc::new(Search::new(RULES, 1 << 10, 1)),
            database,
            level: SkillLevel::PERFECT,
            seed: 0,
            drawn: DrawnTurns::default(),
        },
        knows_databases: true,
        errs: 0,
        limits: Limits {
            nodes: Some(20_000),
            ..Limits::default()
        },
    }
}

/// A player that searches only to this depth.
fn weak(depth: u32) -> OwnPlayer {
    OwnPlayer {
        knows_databases: false,
        limits: Limits {
            depth: Some(depth),
            ..Limits::default()
        },
        ..perfect()
    }
}

/// A player that errs at random in so many of 100 turns.
fn erring(errs: u8) -> OwnPlayer {
    let mut player = OwnPlayer { errs, ..perfect() };
    player.player.drawn = DrawnTurns::Random;
    player
}

fn contest() -> Contest {
    let database = embedded();
    let truth = Truth::brief(&database);
    let starts = (0..4).map(|seed| {
        let family = "4-4".parse().unwrap();
        let sample = truth.sample(family, Some(Wdl::Draw), seed);
        Game::new(RULES, sample.unwrap().unwrap().0)
    });
    Contest {
        starts: starts.collect(),
        rounds: 2,
        seed: 9,
        draws: DrawRule::USUAL,
        max_turns: 0,
    }
}

/// Games end after the turns that a match allows, in all or without a stone placed or removed.
#[test]
fn matches_can_limit_turns() {
    let limited = |quiet_turns, max_turns| {
        let draws = DrawRule {
            quiet_turns,
            repetitions: 0,
        };
        let contest = Contest {
            draws,
            max_turns,
            rounds: 1,
            ..contest()
        };
        play(&contest, [perfect(), perfect()], 1)
    };
    let all = limited(0, 7);
    assert_eq!(all.len(), 8);
    for game in all {
        assert_eq!((game.end, game.turns), (GameEnd::MaxTurns, 7));
        assert_eq!(game.result, GameResult::Draw);
    }
    for game in limited(1, 0) {
        assert_eq!(
            (game.end, game.result),
            (GameEnd::NoProgress, GameResult::Draw)
        );
        assert_eq!(read(&game).quiet_turns(), 1);
    }
}

fn play(contest: &Contest, players: [OwnPlayer; 2], threads: usize) -> Vec<PlayedGame> {
    let [first, second] = players.map(|player| move || Box::new(player.clone()) as _);
    play_any(contest, [&first, &second], threads)
}

fn play_any(contest: &Contest, players: [&NewContestant; 2], threads: usize) -> Vec<PlayedGame> {
    let mut games = Vec::new();
    let broken = contest.play::<()>(&embedded(), players, threads, &|_| false, &mut |played| {
        games.push(played);
        ControlFlow::Continue(())
    });
    assert_eq!(broken.unwrap(), None);
    games.sort_by_key(|game| game.number);
    games
}

/// The game of a match.
fn read(game: &PlayedGame) -> Game {
    let mut records = RecordReader::new(RULES, game.moves.as_bytes());
    records.next().unwrap().unwrap().game
}

#[test]
fn matches_depend_on_the_seed_only() {
    let contest = contest();
    let players = || [perfect(), weak(1)];
    let games = play(&contest, players(), 1);
    assert_eq!(games.len() as u64, contest.games());
    assert_eq!(games.len(), 16);
    assert_eq!(games, play(&contest, players(), 3));
    for game in &games {
        let moves = read(game);
        assert_eq!(moves.start(), contest.starts[game.start].start());
        assert_eq!(moves.turns().len() as u64, game.turns);
        // The perfect player never loses a drawn position, nor makes the first error.
        assert_ne!(game.result, GameResult::won_by(game.first.other()));
        let erring = game.first_error.map(|error| error.player);
        assert_ne!(erring, Some(1), "{game:?}");
        assert!(game.reviewed);
        assert_eq!(game.end == GameEnd::Rules, moves.position().is_over(&RULES));
    }
    assert!(games.iter().any(|game| game.end == GameEnd::Rules));
    assert!(games.iter().any(|game| game.first_error.is_some()));
    let other = Contest {
        seed: 10,
        ..contest
    };
    assert_ne!(games, play(&other, players(), 2));
}

#[test]
fn perfect_players_draw_without_progress() {
    for game in play(&contest(), [perfect(), perfect()], 2) {
        assert_eq!(game.result, GameResult::Draw);
        assert_eq!(game.first_error, None);
        let moves = read(&game);
        match game.end {
            GameEnd::NoProgress => assert_eq!(moves.quiet_turns(), 100),
            GameEnd::Repetition => assert_eq!(moves.occurrences(), 3),
            end => panic!("{end:?}"),
        }
    }
}

/// A player that cannot begin, or else gives this turn.
struct Failing(Result<Turn, &'static str>);

impl Contestant for Failing {
    fn new_game(&mut self, _: u64) -> Result<(), String> {
        self.0.map(|_| ()).map_err(str::to_owned)
    }

    fn turn(&mut self, _: &Game) -> Result<Turn, String> {
        self.0.map_err(str::to_owned)
    }
}

#[test]
fn players_that_fail_forfeit() {
    for (answer, words) in [
        (Err("the engine is asleep"), "the engine is asleep"),
        (Ok(Turn::PASS), "is not a legal turn"),
    ] {
        let contest = Contest {
            rounds: 1,
            ..contest()
        };
        let failing = || Box::new(Failing(answer)) as _;
        let games = play_any(&contest, [&|| Box::new(perfect()), &failing], 2);
        assert_eq!(games.len(), 8);
        for game in games {
            assert_eq!(game.result, GameResult::won_by(game.first));
            assert_eq!(game.end, GameEnd::Forfeit);
            assert!(game.forfeit.unwrap().contains(words));
        }
    }
}

/// Whatever the choice among drawn turns, the player never makes the first error; opponents that err
/// do.
#[test]
fn choices_among_drawn_turns_never_give_up_value() {
    let mut errors = 0;
    for drawn in DrawnTurns::ALL {
        for opponent in [erring(30), weak(1)] {
            let mut player = perfect();
            player.player.drawn = drawn;
            for game in play(&contest(), [player, opponent], 2) {
                assert!(game.reviewed);
                let erring = game.first_error.map(|error| error.player);
                assert_ne!(erring, Some(1), "{game:?}");
                errors += usize::from(game.first_error.is_some());
            }
        }
    }
    assert!(errors > 10, "{errors}");
}

// Intervals

#[test]
fn dependent_samples_give_wider_intervals() {
    let width = |samples: &[(f64, f64)]| {
        let [low, high] = interval(samples).unwrap();
        high - low
    };
    let alone: Vec<(f64, f64)> = (0..400).map(|n| (f64::from(n % 2), 1.0)).collect();
    let grouped: Vec<(f64, f64)> = (0..40).map(|n| (10.0 * f64::from(n % 2), 10.0)).collect();
    assert!(width(&grouped) > 2.5 * width(&alone));
}

#[test]
fn intervals_need_two_samples() {
    assert_eq!(interval(&[]), None);
    assert_eq!(interval(&[(7.0, 10.0)]), None);
    assert_eq!(interval(&[(0.0, 0.0); 2]), None);
}

/// Equal samples do not make the interval vanish, and no end leaves 0 to 1. For single successes the ends
/// are near those of Wilson's formula.
#[test]
fn intervals_have_a_width_and_stay_within_their_range() {
    for (share, count) in [(1.0, 5), (0.0, 5), (0.5, 5), (1.0, 400), (0.0, 400)] {
        let [low, high] = interval(&vec![(share, 1.0); count]).unwrap();
        assert!(0.0 <= low && low <= share && share <= high && high <= 1.0);
        let width = (high - low) * count as f64;
        assert!(width > 1.0 && width < 6.0, "{width}");
    }
    for (successes, count, wilson) in [
        (5, 10, [0.2366, 0.7634]),
        (9, 10, [0.5958, 0.9821]),
        (30, 200, [0.1071, 0.2061]),
    ] {
        let samples = (0..count).map(|n| (f64::from(u8::from(n < successes)), 1.0));
        let ends = interval(&samples.collect::<Vec<_>>()).unwrap();
        for (end, wilson) in ends.into_iter().zip(wilson) {
            assert!((end - wilson).abs() < 0.05, "{ends:?}, {wilson}");
        }
    }
}

// Exams

#[test]
fn exams_tell_perfect_play_from_chance() {
    let database = embedded();
    let families: Vec<Family> = ["4-4", "4-3"].map(|text| text.parse().unwrap()).to_vec();
    let truth = Truth::brief(&database);
    let positions = exam(truth, &families, 120, 1).unwrap();
    assert_eq!(positions.len(), 120);
    for asked in &positions {
        assert!(asked.keeping > 0 && asked.keeping < asked.turns.len());
        assert_ne!(asked.wdl, Wdl::Loss);
    }
    let sum = |seed| {
        let positions = exam(truth, &families, 120, seed).unwrap();
        ExamReport::new(&positions, &[], &RULES).exam
    };
    let report = |player: OwnPlayer| {
        let new = || Box::new(player.clone()) as _;
        let replies = replies(&positions, &new, &RULES, 2, &mut || ());
        let report = ExamReport::new(&positions, &replies, &RULES);
        assert_eq!((report.score.asked, report.failed), (120, 0));
        report
    };
    let best = report(perfect());
    assert_eq!(best.score.skill, Some(1.0));
    assert_eq!(best.exam, sum(1));
    assert_ne!(best.exam, sum(2));
    let chance = report(erring(100)).score;
    let (skill, [low, high]) = (chance.skill.unwrap(), chance.skill_interval.unwrap());
    assert!(skill.abs() < 0.25, "{skill}");
    assert!(low <= skill && skill < high && low >= skill.min(0.0));
    let search = report(weak(3)).score.skill.unwrap();
    assert!(search > skill && search < 1.0, "{search}");
}

// Puzzles

fn wanted() -> WantedPuzzles {
    let families = ["3-3", "4-3", "4-4"].map(|text| text.parse().unwrap());
    WantedPuzzles {
        families: families.to_vec(),
        goal: None,
        turns: 1..=6,
        themes: Vec::new(),
        level: None,
    }
}

fn puzzles(wanted: &WantedPuzzles) -> Vec<Puzzle> {
    let database = embedded();
    let truth = Truth::brief(&database);
    let found = (0..1500).filter_map(|number| candidate(truth, wanted, 3, number).unwrap());
    found.collect()
}

static ALL: LazyLock<Vec<Puzzle>> = LazyLock::new(|| puzzles(&wanted()));

fn claim(puzzle: &Puzzle) -> Claim {
    let actions = puzzle.solution.iter();
    let actions = actions.map(|step| (Some(step.side), step.turn.to_string()));
    Claim {
        position: puzzle.text.clone(),
        goal: Some(puzzle.goal),
        win_in: (puzzle.goal == Goal::Win).then_some(puzzle.turns),
        lines: vec![ClaimedLine {
            actions: actions.collect(),
            is_optimal: true,
        }],
    }
}

#[test]
fn certificates_agree_with_the_plain_rules() {
    let (database, rules) = (embedded(), plain_rules(&RULES));
    let found = &*ALL;
    assert!(found.len() > 20, "{}", found.len());
    let mut goals = HashSet::new();
    for puzzle in found {
        goals.insert(puzzle.goal);
        let mut before = puzzle.position;
        for (number, step) in puzzle.solution.iter().enumerate() {
            let plain = plain_position(&before);
            let values = plain.distinct_turns(&rules).into_iter().map(|turn| {
                let after = position(&plain.after(&turn).text(&rules));
                database.probe(&after).unwrap().backed_up()
            });
            let values: Vec<Value> = values.collect();
            let best = *values.iter().max().unwrap();
            let equal = values.iter().filter(|&&value| value == best).count();
            assert_eq!((step.value, step.best.len()), (best, equal));
            assert_eq!(step.legal, values.len());
            let keeping = values.iter().filter(|value| value.wdl() == best.wdl());
            assert_eq!(step.keeping, keeping.count());
            if number == 0 {
                assert_eq!(equal, 1);
            }
            before = step.after;
        }
        match puzzle.goal {
            Goal::Win => {
                assert!(before.is_over(&RULES));
                let dtw = puzzle.dtw.unwrap();
                assert_eq!(usize::from(dtw.0), puzzle.solution.len());
                assert_eq!(u32::from(dtw.0).div_ceil(2), puzzle.turns);
            }
            Goal::Draw => assert_eq!(puzzle.keeping, 1),
        }
        let only = puzzle.keeping == 1;
        assert_eq!(puzzle.themes.contains(&Theme::OnlyMove), only);
        assert!(puzzle.difficulty.rating >= 900);
        let checked = check(Truth::patient(&database), &claim(puzzle)).unwrap();
        assert_eq!(checked.problems, Vec::<String>::new());
        assert_eq!(checked.like, Some(canonical(&puzzle.position)));
    }
    assert_eq!(goals.len(), 2);
    assert_eq!(*found, puzzles(&wanted()));
}

#[test]
fn puzzles_are_what_was_wanted() {
    let all = &*ALL;
    for theme in [Theme::FlyingDefence, Theme::OnlyMove] {
        let only = WantedPuzzles {
            themes: vec![theme],
            ..wanted()
        };
        let expected = all.iter().filter(|puzzle| puzzle.themes.contains(&theme));
        let expected: Vec<Puzzle> = expected.cloned().collect();
        assert!(!expected.is_empty() && expected.len() < all.len());
        assert_eq!(puzzles(&only), expected);
    }
    let long = WantedPuzzles {
        goal: Some(Goal::Win),
        turns: 3..=4,
        ..wanted()
    };
    let found = puzzles(&long);
    assert!(!found.is_empty());
    assert!(found.iter().all(|puzzle| (3..=4).contains(&puzzle.turns)));
}

#[test]
fn every_kind_of_error_in_a_pack_is_found() {
    let database = embedded();
    let truth = Truth::patient(&database);
    let problems = |claim: &Claim| check(truth, claim).unwrap().problems.join("; ");
    let line = |turns: &str, is_optimal| {
        let actions = turns.split(' ').map(|turn| (None, turn.to_owned()));
        ClaimedLine {
            actions: actions.collect(),
            is_optimal,
        }
    };
    let race = position(RACE).text(&RULES);
    let lines = ["e3-g7 xc4", "e3-g7 xd1", "e3-g7xg1"].map(|turns| line(turns, true));
    let right = Claim {
        position: format!("{race} ids:nodes"),
        goal: Some(Goal::Win),
        win_in: Some(1),
        lines: lines.to_vec(),
    };
    assert_eq!(problems(&right), "");
    let changed = |change: &dyn Fn(&mut Claim)| {
        let mut claim = right.clone();
        change(&mut claim);
        problems(&claim)
    };
    let with = |turns: &str, optimal| changed(&|claim| claim.lines.push(line(turns, optimal)));
    let of_black = ClaimedLine {
        actions: vec![(Some(Side::Black), "e3-a1".to_owned())],
        is_optimal: false,
    };
    let slower = "e3-a1 c4-a4 a1-g7 xd1";
    assert_eq!(with(slower, false), "");
    let other_side = "is said to be a turn of black, but white is to move";
    for (found, words) in [
        (
            changed(&|claim| claim.position = "x".to_owned()),
            "the position is not legal",
        ),
        (
            changed(&|claim| claim.position = race.replace(" 0 0 1", " 0 100 1")),
            "100 quiet turns draw the game",
        ),
        (
            changed(&|claim| claim.win_in = Some(2)),
            "said to be won in 2, but it is won in 1",
        ),
        (
            changed(&|claim| claim.goal = Some(Goal::Draw)),
            "the goal is a draw",
        ),
        (
            changed(&|claim| claim.lines.truncate(2)),
            "e3-g7xg1 wins as fast",
        ),
        (changed(&|claim| claim.lines.clear()), "it has no solution"),
        (with("e3-a7", true), "solution 4: e3-a7 is not a legal"),
        (with("e3-g7", true), "a stone has to be removed"),
        (with("e3-e4", false), "e3-e4 is a loss in 2"),
        (with(slower, true), "the solver plays e3-a1, a win in 3"),
        (with("e3-a1 c4-a4", false), "it stops before the end"),
        (
            changed(&|claim| claim.lines.push(of_black.clone())),
            other_side,
        ),
    ] {
        assert!(found.contains(words), "'{words}' in: {found}");
    }
}

/// The puzzles of the page: where the embedded databases, or those of `MILLBASE_DB`, know the position,
/// each step of the solution has exactly the turns that are best, and replies are best.
#[test]
fn puzzles_of_the_page_are_right() {
    let text = include_str!("../../page/files/puzzles.json");
    assert!(text.len() <= 60_000);
    let json: serde_json::Value = serde_json::from_str(text).unwrap();
    let puzzles = json["puzzles"].as_array().unwrap();
    assert_eq!(puzzles.len(), 300);
    let database = crate::probes::databases();
    let (mut boards, mut checked) = (HashSet::new(), 0);
    for puzzle in puzzles {
        let [position, goal, _, solution] = [0, 1, 2, 3].map(|place| &puzzle[place]);
        let position = Position::parse(position.as_str().unwrap(), &RULES).unwrap();
        assert!(boards.insert(canonical(&position)), "twice: {puzzle}");
        let steps = solution.as_str().unwrap().split(' ');
        let steps: Vec<Vec<&str>> = steps.map(|step| step.split('|').collect()).collect();
        assert!(steps.len() % 2 == 1 && steps[0].len() == 1, "{puzzle}");
        let mut at = position;
        for (number, step) in steps.iter().enumerate() {
            let Ok(answer) = database.answer(&at) else {
                break;
            };
            let best = (answer.turns.iter()).filter(|turn| turn.value == answer.value);
            let best: HashSet<String> = best.map(|turn| turn.turn.to_string()).collect();
            let given: HashSet<String> = step.iter().map(|&turn| turn.to_owned()).collect();
            match (number, goal.as_str().unwrap()) {
                (0, "draw") => {
                    let hold = answer.turns.iter().filter(|turn| turn.value >= Value::Draw);
                    assert_eq!((hold.count(), answer.value), (1, Value::Draw), "{puzzle}");
                    assert_eq!(given, best, "{puzzle}");
                }
                (0, _) => {
                    let turns = Some(Dtw(steps.len() as u16));
                    assert_eq!((answer.value.wdl(), answer.value.dtw()), (Wdl::Win, turns));
                    assert_eq!(given, best, "{puzzle}");
                }
                (_, _) if number % 2 == 0 => assert_eq!(given, best, "{puzzle}"),
                _ => assert!(given.len() == 1 && given.is_subset(&best), "{puzzle}"),
            }
            let mut turns = answer.turns.iter();
            let turn = turns.find(|turn| turn.turn.to_string() == step[0]);
            at = turn.expect("a legal turn").after;
            checked += 1;
        }
    }
    assert!(checked >= 300, "{checked}");
}
