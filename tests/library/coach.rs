//! Tests of the coach: grades known by hand and by the plain rules, matches, exams, puzzles.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use crate::common::{RACE, Random, WON, plain_position, plain_rules};
use millbase::coach::annotate::{annotated, mark};
use millbase::coach::archive::{Archive, canonical_turns};
use millbase::coach::contest::{Contest, End, Played};
use millbase::coach::contestant::Settings;
use millbase::coach::explain::{Explanation, closing_points};
use millbase::coach::graph::svg;
use millbase::coach::judge::{self, Score};
use millbase::coach::pack::check;
use millbase::coach::puzzle::{Claim, ClaimedLine, Goal, Puzzle, Theme, Wanted, candidate};
use millbase::coach::record::{Outcome, Record, Records};
use millbase::coach::review::{Grade, Review};
use millbase::coach::sample::{Family, canonical, sample};
use millbase::coach::truth::Truth;
use millbase::engine::game::Game;
use millbase::engine::player::DrawnTurns;
use millbase::{Database, Dtw, Phase, Position, Rules, Side, Symmetry, Turn, Value, Wdl};

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

fn review(game: &Game) -> Review {
    Review::of(Truth::patient(&embedded()), game).unwrap()
}

fn grades(review: &Review) -> Vec<Grade> {
    review
        .turns
        .iter()
        .map(|turn| turn.grade().unwrap())
        .collect()
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
    let mut game = Game::new(*embedded().rules(), start);
    for _ in 0..most {
        let turns = game.position().turns(&RULES);
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
    assert_eq!(
        (lost.first_error(None), lost.decisive_error()),
        (Some(0), Some(0))
    );
    assert_eq!(lost.first_error(Some(Side::Black)), None);
    assert_eq!(lost.last_value, Some(Value::LOST));

    // White blocks and threatens two mills, of which Black can block one: slower, not worse.
    let won = review(&game(position(RACE), "e3-a1 c4-a4 a1-g7xd1"));
    assert_eq!(grades(&won), [Grade::Slower, Grade::Equal, Grade::Equal]);
    assert_eq!(
        won.turns[0].verdict.as_ref().unwrap().value.to_string(),
        "win in 3"
    );
    assert!(!won.turns[1].verdict.as_ref().unwrap().is_decision());
    assert_eq!(won.decisive_error(), None);

    let tally = lost.tally(Side::White, Some(Phase::Flying));
    assert_eq!((tally.turns, tally.decisions, tally.errors()), (1, 1, 1));
    assert_eq!((tally.accuracy(), tally.half_points_lost), (Some(0.0), 2));
    assert_eq!(won.tally(Side::White, None).accuracy(), Some(1.0));
    assert_eq!(won.tally(Side::Black, None).accuracy(), None);
    assert_eq!(won.tally(Side::White, Some(Phase::Moving)).turns, 0);
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
        let turns = found.turns.iter();
        errors += turns
            .filter_map(|turn| turn.grade().filter(|grade| grade.is_error()))
            .count();
        assert_eq!(found.first_error(None), None);
        let first = start.side_to_move();
        assert_eq!(found.first_error(Some(first)), None);
        if let Some(decisive) = found.decisive_error() {
            let rest = &found.turns[decisive..];
            assert!(rest[0].grade().unwrap().is_error());
            assert!(rest.iter().all(|turn| turn.verdict.is_some()));
        }
    }
    assert!(errors > 20, "{errors}");
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
            let value = after
                .iter()
                .find(|(position, _)| *position == made)
                .unwrap()
                .1;
            let equal = after.iter().filter(|(_, value)| *value == best).count();
            let keeping = after
                .iter()
                .filter(|(_, value)| value.wdl() == best.wdl())
                .count();
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
    assert_eq!(seen.len(), Grade::ALL.len());
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
            assert_eq!(found.decisive_error(), expected.decisive_error());
        }
        let mut exchanged = Game::new(RULES, start.with_colours_exchanged());
        for turn in game.turns() {
            exchanged.make(turn).unwrap();
        }
        let found = review(&exchanged);
        assert_eq!(grades(&found), grades(&expected));
        for (mine, other) in [(Side::White, Side::Black), (Side::Black, Side::White)] {
            assert_eq!(found.tally(mine, None), expected.tally(other, None));
        }
    }
}

#[test]
fn whole_games_are_graded_from_the_empty_board() {
    let rules = Rules { stones: 4, ..RULES };
    let database = Database::embedded(rules);
    let mut random = Random::new(3);
    let mut game = Game::new(rules, Position::start(&rules));
    while game.turns().len() < 20 && !game.position().is_over(&rules) {
        game.make(*random.pick(&game.position().turns(&rules)))
            .unwrap();
    }
    let review = Review::of(Truth::patient(&database), &game).unwrap();
    assert!(review.missing.is_none());
    assert_eq!(review.turns[0].phase, Phase::Placing);
    assert_eq!(review.turns.len(), game.turns().len());
    let turns = |side| review.tally(side, None).graded();
    assert_eq!(
        turns(Side::White) + turns(Side::Black),
        review.turns.len() as u32
    );
}

#[test]
fn unknown_positions_have_no_grade() {
    let mut open = Game::new(RULES, Position::start(&RULES));
    for turn in ["d6", "f4", "d2"] {
        open.play(turn).unwrap();
    }
    let review = review(&open);
    assert!(review.missing.is_some());
    assert!(review.turns.iter().all(|turn| turn.verdict.is_none()));
    assert_eq!(review.tally(Side::White, None).graded(), 0);
    assert!(svg(&review).contains("<svg"));
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
        record
            .tags
            .push(("White".to_owned(), "A \"quoted\" \\ name".to_owned()));
        let text = annotated(&record, &review(&game));
        assert!(
            text.lines().all(|line| line.chars().count() <= 130),
            "{text}"
        );
        let found: Vec<Record> = Records::new(RULES, text.as_bytes())
            .map(Result::unwrap)
            .collect();
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
    for number in 0..6 {
        let symmetry = Symmetry::numbered(number);
        let mut game = Game::new(rules, Position::start(&rules));
        for turn in ["d6", "f4"] {
            game.make(turn.parse::<Turn>().unwrap().turned(symmetry))
                .unwrap();
        }
        while game.turns().len() < 16 && !game.position().is_over(&rules) {
            game.make(*random.pick(&game.position().turns(&rules)))
                .unwrap();
        }
        let mut record = Record::of(game);
        let (white, black) = if number % 2 == 0 {
            ("A", "B")
        } else {
            ("B", "A")
        };
        for (tag, name) in [("White", white), ("Black", black)] {
            record.tags.push((tag.to_owned(), name.to_owned()));
        }
        record.result = Some([Outcome::Won(Side::White), Outcome::Drawn][number as usize % 2]);
        let review = Review::of(Truth::patient(&database), &record.game).unwrap();
        for side in [Side::White, Side::Black] {
            errors += review.tally(side, None).errors();
        }
        archive.add(&record, &review);
    }
    let players = archive.players();
    assert_eq!(players.len(), 2);
    // A has won its three games as White and drawn the others.
    let a = players.iter().find(|row| row.name == "A").unwrap();
    assert_eq!((a.games, a.results, a.score), (6, [3, 3, 0], Some(0.75)));
    let interval = a.score_interval.unwrap();
    assert!(interval.low >= 0.5 && interval.low < 0.75 && interval.high > 0.75);
    let found: u32 = players.iter().map(|row| row.tally.errors()).sum();
    assert_eq!(found, errors);
    let openings = archive.openings();
    assert_eq!(openings.len(), 1);
    let turns = ["d6", "f4"].map(|turn| turn.parse().unwrap());
    assert_eq!(openings[0].name, canonical_turns(&turns));
    assert_eq!(
        (openings[0].results, openings[0].tally.errors()),
        ([3, 3, 0], errors)
    );
}

// Explanations

#[test]
fn explanations_state_facts() {
    let database = embedded();
    let explain =
        |position: &Position| Explanation::of(Truth::patient(&database), position, None).unwrap();
    let race = explain(&position(RACE));
    assert_eq!(race.forced.line.len(), 1);
    assert_eq!(format!("{:?}", race.threats), "{a1}");
    // If White could pass, Black would close its mill.
    assert_eq!(race.passing.unwrap().to_string(), "loss in 2");
    let turn = |text: &str| {
        let found = race
            .turns
            .iter()
            .find(|turn| turn.ranked.turn.to_string() == text);
        found.unwrap()
    };
    assert_eq!(format!("{:?}", turn("e3-a1").prevents), "{a1}");
    let wrong = turn("e3-e4");
    assert!(wrong.prevents.is_empty());
    assert_eq!(wrong.refutation.len(), 1);
    assert_eq!(wrong.refutation[0].turn.to_string(), "c4-a1xa7");
    // Three removals win at once, and one turn blocks g7 and wins later.
    assert_eq!(wrong.holding.len(), 4);

    let won = explain(&position(WON));
    assert_eq!((won.counts[0], won.counts[2]), (51, 4));
    let line: Vec<String> = won.forced.line.iter().map(Turn::to_string).collect();
    assert_eq!(line, ["a1-e4", "b4-a4", "f6-e5xa4"]);
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

#[test]
fn forced_removals_are_the_shortest() {
    let database = embedded();
    let mut random = Random::new(6);
    let mut lengths = HashSet::new();
    for _ in 0..40 {
        let position = random.position(4, 5);
        let found = Explanation::of(Truth::patient(&database), &position, None).unwrap();
        // The first turn must keep the result.
        let keeps = |turn: &Turn| {
            let value = database.probe(&position.after(*turn)).unwrap().backed_up();
            value.wdl() == found.value.wdl()
        };
        let mut first = position.turns(&RULES);
        first.retain(keeps);
        let own = found.forced.line.len().div_ceil(2);
        lengths.insert(own);
        assert_eq!(can_force(&position, &first, 1), own == 1);
        assert_eq!(can_force(&position, &first, 2), (1..=2).contains(&own));
        for point in closing_points(&position, Side::White, &RULES) {
            let closes = |turn: &Turn| turn.to() == Some(point) && !turn.removed().is_empty();
            assert!(position.turns(&RULES).iter().any(closes));
        }
    }
    assert!(
        lengths.contains(&0) && lengths.contains(&1) && lengths.contains(&2),
        "{lengths:?}"
    );
}

// Matches

fn settings(text: &str) -> Settings {
    text.parse().unwrap()
}

fn contest(first: &str, second: &str) -> Contest {
    let database = embedded();
    let truth = Truth::brief(&database);
    let starts = (0..4).map(|seed| {
        let family = "4-4".parse().unwrap();
        sample(truth, family, Some(Wdl::Draw), seed)
            .unwrap()
            .unwrap()
            .0
    });
    Contest {
        starts: starts.collect(),
        rounds: 2,
        players: [settings(first), settings(second)],
        seed: 9,
        patience: Duration::from_secs(5),
    }
}

fn play(contest: &Contest, threads: usize) -> Vec<Played> {
    let mut games = Vec::new();
    let broken = contest.play::<()>(&Arc::new(embedded()), threads, &|_| false, &mut |played| {
        games.push(played);
        ControlFlow::Continue(())
    });
    assert_eq!(broken.unwrap(), None);
    games.sort_by_key(|game| game.number);
    games
}

#[test]
fn matches_depend_on_the_seed_only() {
    let contest = contest("level=30", "level=4 depth=2");
    let games = play(&contest, 1);
    assert_eq!(games.len() as u64, contest.games());
    assert_eq!(games.len(), 16);
    assert_eq!(games, play(&contest, 3));
    for game in &games {
        let start = contest.starts[contest.start_of(game.number)];
        assert_eq!(*game.game.start(), start);
        // The perfect player never loses a drawn position, nor makes the first error.
        let perfect = Contest::first_side(game.number);
        assert_ne!(game.outcome, Outcome::Won(perfect.other()));
        assert!(
            game.first_error.is_none_or(|error| error.player == 1),
            "{game:?}"
        );
        assert!(game.is_reviewed);
        assert_eq!(game.end == End::Rules, game.game.position().is_over(&RULES));
    }
    assert!(games.iter().any(|game| game.end == End::Rules));
    assert!(games.iter().any(|game| game.first_error.is_some()));
    let other = Contest {
        seed: 10,
        ..contest
    };
    assert_ne!(games, play(&other, 2));
}

#[test]
fn perfect_players_draw_without_progress() {
    let games = play(&contest("level=30", "level=30"), 2);
    for game in games {
        assert_eq!(
            (game.outcome, &game.end),
            (Outcome::Drawn, &End::NoProgress)
        );
        assert_eq!(game.first_error, None);
        assert_eq!(game.game.earlier().len(), 100);
    }
}

#[test]
fn engines_that_fail_forfeit() {
    for command in ["/nonexistent/engine", "true", "cat"] {
        let contest = Contest {
            rounds: 1,
            patience: Duration::from_millis(300),
            ..contest("level=30", &format!("command={command}"))
        };
        let mut games = play(&contest, 2);
        games.truncate(2);
        for game in games {
            assert_eq!(game.outcome, Outcome::Won(Contest::first_side(game.number)));
            assert!(matches!(game.end, End::Forfeit(_)), "{command}");
        }
    }
}

/// Whatever the choice among drawn turns, the player never makes the first error; opponents that err
/// at random or by a Monte Carlo tree search do.
#[test]
fn choices_among_drawn_turns_never_give_up_value() {
    let mut errors = 0;
    for drawn in DrawnTurns::ALL {
        for opponent in [
            "playouts=20",
            "errs=30 drawn=random",
            "databases=no depth=1",
        ] {
            let games = play(&contest(&format!("drawn={drawn}"), opponent), 2);
            for game in games {
                assert!(game.is_reviewed);
                assert_ne!(
                    game.first_error.map(|error| error.player),
                    Some(0),
                    "{game:?}"
                );
                errors += usize::from(game.first_error.is_some());
            }
        }
    }
    assert!(errors > 30, "{errors}");
}

#[test]
fn settings_are_written_as_they_are_read() {
    for text in [
        "name=a level=30 drawn=random nodes=5",
        "level=30 errs=5 drawn=pressure",
        "playouts=300",
    ] {
        let settings: Settings = text.parse().unwrap();
        assert_eq!(settings.to_string(), text);
        assert_eq!(settings.to_string().parse::<Settings>().unwrap(), settings);
    }
}

#[test]
fn wrong_settings_are_a_sentence() {
    for (text, words) in [
        ("level", "write settings like"),
        ("level=31", "from 0 to 30"),
        ("speed=3", "is not a setting of a player"),
        ("databases=maybe", "yes or no"),
        ("command=", "needs a program"),
        ("level=3 command=x", "of Millbase's player"),
        ("option.Hash=1", "needs command="),
        ("level=25 databases=no", "needs level=30"),
        ("drawn=best", "must be one of random, losing-replies"),
        ("playouts=0", "from 1 to"),
        ("playouts=9 level=3", "the only setting"),
        ("playouts=9 command=x", "the only setting"),
        ("drawn=random command=x", "of Millbase's player"),
    ] {
        let error = text.parse::<Settings>().unwrap_err();
        assert!(error.contains(words), "{text}: {error}");
    }
}

// Exams

#[test]
fn exams_tell_perfect_play_from_chance() {
    let database = Arc::new(embedded());
    let families: Vec<Family> = ["4-4", "4-3"].map(|text| text.parse().unwrap()).to_vec();
    let truth = Truth::brief(&database);
    let questions = judge::questions(truth, &families, 120, 1).unwrap();
    assert_eq!(questions.len(), 120);
    for question in &questions {
        assert!(question.keeping > 0 && question.keeping < question.turns.len());
        assert_ne!(question.wdl(), Wdl::Loss);
    }
    let again = judge::questions(truth, &families, 120, 1).unwrap();
    let other = judge::questions(truth, &families, 120, 2).unwrap();
    let sum = |questions| judge::fingerprint(questions, &RULES);
    assert_eq!(sum(&questions), sum(&again));
    assert_ne!(sum(&questions), sum(&other));
    let skill = |player: &str| {
        let mut score = Score::default();
        let patience = Duration::from_secs(5);
        judge::ask(
            &questions,
            &settings(player),
            &database,
            2,
            patience,
            &mut |reply| {
                score.add(&questions[reply.question], reply.is_kept);
            },
        );
        assert_eq!(score.asked, 120);
        (score.skill().unwrap(), score.skill_interval().unwrap())
    };
    assert_eq!(skill("level=30").0, 1.0);
    let (chance, interval) = skill("errs=100");
    assert!(chance.abs() < 0.25, "{chance}");
    assert!(interval.low < chance && chance < interval.high);
    let (search, _) = skill("databases=no depth=3");
    assert!(search > chance && search < 1.0, "{search}");
}

// Puzzles

fn wanted() -> Wanted {
    Wanted {
        families: ["3-3", "4-3", "4-4"]
            .map(|text| text.parse().unwrap())
            .to_vec(),
        goal: None,
        turns: 1..=6,
        themes: Vec::new(),
        level: None,
    }
}

fn puzzles(wanted: &Wanted, candidates: u64) -> Vec<Puzzle> {
    let database = embedded();
    let truth = Truth::brief(&database);
    (0..candidates)
        .filter_map(|number| candidate(truth, wanted, 3, number).unwrap())
        .collect()
}

fn claim(puzzle: &Puzzle) -> Claim {
    let actions = puzzle.solution.iter();
    Claim {
        position: puzzle.position.text(&RULES),
        goal: Some(puzzle.goal),
        win_in: (puzzle.goal == Goal::Win).then(|| puzzle.turns()),
        lines: vec![ClaimedLine {
            actions: actions
                .map(|step| (Some(step.side), step.ranked.turn.to_string()))
                .collect(),
            is_optimal: true,
        }],
    }
}

#[test]
fn certificates_agree_with_the_plain_rules() {
    let (database, rules) = (embedded(), plain_rules(&RULES));
    let found = puzzles(&wanted(), 1500);
    assert!(found.len() > 20, "{}", found.len());
    let mut goals = HashSet::new();
    for puzzle in &found {
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
            assert_eq!((step.ranked.value, step.verdict.best.len()), (best, equal));
            assert_eq!(step.verdict.legal, values.len());
            let keeping = values.iter().filter(|value| value.wdl() == best.wdl());
            assert_eq!(step.verdict.keeping, keeping.count());
            if number == 0 {
                assert_eq!(equal, 1);
            }
            before = step.ranked.after;
        }
        match puzzle.goal {
            Goal::Win => {
                assert!(before.is_over(&RULES));
                let dtw = puzzle.first().verdict.before.dtw().unwrap();
                assert_eq!(u32::from(dtw.0).div_ceil(2), puzzle.turns());
            }
            Goal::Draw => assert_eq!(puzzle.first().verdict.keeping, 1),
        }
        let only = puzzle.first().verdict.keeping == 1;
        assert_eq!(puzzle.themes.contains(&Theme::OnlyMove), only);
        assert!(puzzle.difficulty.rating >= 900);
        let checked = check(Truth::patient(&database), &claim(puzzle)).unwrap();
        assert_eq!(checked.problems, Vec::<String>::new());
        assert_eq!(checked.like, Some(canonical(&puzzle.position)));
    }
    assert_eq!(goals.len(), 2);
    assert_eq!(found, puzzles(&wanted(), 1500));
}

#[test]
fn puzzles_are_what_was_wanted() {
    let all = puzzles(&wanted(), 1500);
    for theme in [Theme::FlyingDefence, Theme::OnlyMove] {
        let only = Wanted {
            themes: vec![theme],
            ..wanted()
        };
        let expected = all.iter().filter(|puzzle| puzzle.themes.contains(&theme));
        let expected: Vec<Puzzle> = expected.cloned().collect();
        assert!(!expected.is_empty() && expected.len() < all.len());
        assert_eq!(puzzles(&only, 1500), expected);
    }
    let long = Wanted {
        goal: Some(Goal::Win),
        turns: 3..=4,
        ..wanted()
    };
    let found = puzzles(&long, 1500);
    assert!(!found.is_empty());
    assert!(found.iter().all(|puzzle| (3..=4).contains(&puzzle.turns())));
}

#[test]
fn every_kind_of_error_in_a_pack_is_found() {
    let database = embedded();
    let truth = Truth::patient(&database);
    let problems = |claim: &Claim| check(truth, claim).unwrap().problems.join("; ");
    let line = |turns: &str, is_optimal| ClaimedLine {
        actions: turns
            .split(' ')
            .map(|turn| (None, turn.to_owned()))
            .collect(),
        is_optimal,
    };
    let race = position(RACE).text(&RULES);
    let right = Claim {
        position: format!("{race} ids:nodes"),
        goal: Some(Goal::Win),
        win_in: Some(1),
        lines: ["e3-g7 xc4", "e3-g7 xd1", "e3-g7xg1"]
            .map(|turns| line(turns, true))
            .to_vec(),
    };
    assert_eq!(problems(&right), "");
    let slower = ["e3-a1 c4-a4 a1-g7 xd1"]
        .map(|turns| line(turns, false))
        .to_vec();
    let with = |lines: Vec<ClaimedLine>| Claim {
        lines: [right.lines.clone(), lines].concat(),
        ..right.clone()
    };
    assert_eq!(problems(&with(slower.clone())), "");
    for (claim, words) in [
        (
            Claim {
                position: "x".to_owned(),
                ..right.clone()
            },
            "the position is not legal",
        ),
        (
            Claim {
                win_in: Some(2),
                ..right.clone()
            },
            "said to be won in 2, but it is won in 1",
        ),
        (
            Claim {
                goal: Some(Goal::Draw),
                ..right.clone()
            },
            "the goal is a draw",
        ),
        (
            Claim {
                lines: right.lines[..2].to_vec(),
                ..right.clone()
            },
            "e3-g7xg1 wins as fast",
        ),
        (
            Claim {
                lines: Vec::new(),
                ..right.clone()
            },
            "it has no solution",
        ),
        (
            with(vec![line("e3-a7", true)]),
            "solution 4: e3-a7 is not a legal",
        ),
        (with(vec![line("e3-g7", true)]), "a stone has to be removed"),
        (with(vec![line("e3-e4", false)]), "e3-e4 is a loss in 2"),
        (
            with(vec![line("e3-a1 c4-a4 a1-g7 xd1", true)]),
            "the solver plays e3-a1, a win in 3",
        ),
        (
            with(vec![line("e3-a1 c4-a4", false)]),
            "it stops before the end",
        ),
        (
            with(vec![ClaimedLine {
                actions: vec![(Some(Side::Black), "e3-a1".to_owned())],
                is_optimal: false,
            }]),
            "is said to be a turn of black, but white is to move",
        ),
    ] {
        let found = problems(&claim);
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
        let steps: Vec<Vec<&str>> = solution
            .as_str()
            .unwrap()
            .split(' ')
            .map(|step| step.split('|').collect())
            .collect();
        assert!(steps.len() % 2 == 1 && steps[0].len() == 1, "{puzzle}");
        let mut at = position;
        for (number, step) in steps.iter().enumerate() {
            let Ok(answer) = database.answer(&at) else {
                break;
            };
            let best = answer
                .turns
                .iter()
                .filter(|turn| turn.value == answer.value);
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
            let turn = answer
                .turns
                .iter()
                .find(|turn| turn.turn.to_string() == step[0]);
            at = turn.expect("a legal turn").after;
            checked += 1;
        }
    }
    assert!(checked >= 300, "{checked}");
}
