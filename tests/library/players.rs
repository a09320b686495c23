//! Tests of the players: which turns they choose by known values, by search and at low levels.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::task::Poll;
use std::time::{Duration, Instant};

use crate::common::{FLYING, Random, START, WON};
use millbase::engine::{DrawRule, DrawnTurns, Game, Player, SkillLevel, Thinking};
use millbase::internals::solve::{TableCache, repack};
use millbase::search::{Algorithm, Limits, NoProber, PrincipalVariation, ScoreMeaning, Search};
use millbase::solve::BuildFolder;
use millbase::store::Profile;
use millbase::{Database, Metric, Position, RankedTurn, Rules, Side, Turn, Value, Wdl};

const RULES: Rules = Rules::STANDARD;

/// A game that is not over after this number of turns is drawn.
const LONGEST_GAME: usize = 150;

fn player(level: u8, seed: u64) -> Player {
    with_databases(Database::embedded(RULES), level, seed)
}

fn with_databases(database: Database, level: u8, seed: u64) -> Player {
    Player {
        database: Arc::new(database),
        search: Arc::new(Search::new(RULES, 1 << 20, 1)),
        level: SkillLevel::new(level),
        seed,
        drawn: DrawnTurns::default(),
    }
}

fn depth(depth: u32) -> Limits {
    Limits {
        depth: Some(depth),
        ..Limits::default()
    }
}

fn choosing(drawn: DrawnTurns, seed: u64) -> Player {
    Player {
        drawn,
        ..player(30, seed)
    }
}

/// The winner; `None` for a draw.
fn play(white: &Player, black: &Player) -> Option<Side> {
    let mut game = Game::new(RULES, Position::start(&RULES));
    for _ in 0..LONGEST_GAME {
        let side = game.position().side_to_move();
        let player = if side == Side::White { white } else { black };
        let Some(turn) = turn(player, &game, 4) else {
            return Some(side.other());
        };
        game.make(turn).unwrap();
    }
    None
}

fn game(text: &str) -> Game {
    Game::new(RULES, Position::parse(text, &RULES).unwrap())
}

/// The turn that a player chooses at this depth, `None` if the game is over.
fn turn(player: &Player, game: &Game, depth: u32) -> Option<Turn> {
    let found = considered(player, game, depth, 1);
    found.first().map(|variation| variation.turns[0])
}

/// The last report of each variation that a player considers, the first being its choice.
fn considered(player: &Player, game: &Game, most: u32, lines: usize) -> Vec<PrincipalVariation> {
    let limits = Limits {
        lines,
        ..depth(most)
    };
    let mut reports: Vec<PrincipalVariation> = Vec::new();
    let never = AtomicBool::new(false);
    let choice = player.choose(game, &limits, &never, &mut |variation| {
        reports.truncate(variation.number - 1);
        reports.push(variation.clone());
    });
    let choice = choice.map(|choice| (choice.turn, choice.variation));
    let first = reports.first().map(|first| (first.turns[0], first.clone()));
    assert_eq!(choice, first);
    reports
}

/// All turns with known values in the order of a player's preference.
fn ranked(player: &Player, game: &Game) -> Vec<(Turn, Value)> {
    let known = considered(player, game, 1, usize::MAX).into_iter();
    let known = known.map(|variation| (variation.turns[0], variation.value.unwrap()));
    known.collect()
}

/// The first turns of the rank, up to the last draw.
fn ranked_draws(player: &Player, game: &Game) -> Vec<Turn> {
    let ranked = ranked(player, game).into_iter();
    let draws = ranked.take_while(|(_, value)| *value == Value::Draw);
    draws.map(|(turn, _)| turn).collect()
}

/// Games that begin with positions of four stones a side of this value.
fn games(value: Wdl) -> impl Iterator<Item = Game> {
    let database = Database::embedded(RULES);
    let mut random = Random::new(1);
    std::iter::repeat_with(move || random.position(4, 4))
        .filter(move |position| database.probe_wdl(position).unwrap() == value)
        .map(|position| Game::new(RULES, position))
}

/// The share of replies to a turn that lose, counted by the values of the positions after them.
fn losing_replies(game: &Game, turn: Turn) -> f64 {
    let database = Database::embedded(RULES);
    let after = game.position().after(turn);
    let replies = after.turns(&RULES);
    let loses = |reply: &&Turn| database.probe_wdl(&after.after(**reply)).unwrap() == Wdl::Win;
    replies.iter().filter(loses).count() as f64 / replies.len().max(1) as f64
}

#[test]
fn higher_levels_beat_lower_ones() {
    for (stronger, weaker) in [(10, 0), (20, 6)] {
        let (mut won, mut lost) = (0, 0);
        for seed in 0..12 {
            let players = [player(stronger, seed), player(weaker, seed + 100)];
            let is_white = seed % 2 == 0;
            let winner = match is_white {
                true => play(&players[0], &players[1]),
                false => play(&players[1], &players[0]),
            };
            match winner {
                Some(side) if (side == Side::White) == is_white => won += 1,
                Some(_) => lost += 1,
                None => {}
            }
        }
        eprintln!("level {stronger} against {weaker}: {won} won, {lost} lost of 12");
        assert!(won >= 7 && lost <= 2);
    }
}

#[test]
fn a_known_win_is_won_in_time() {
    let mut game = game(WON);
    let player = player(30, 9);
    for _ in 0..21 {
        let best = considered(&player, &game, 1, 1).remove(0);
        assert_eq!(best.value.unwrap().wdl(), game_value(&game).wdl());
        game.make(best.turns[0]).unwrap();
    }
    assert_eq!(turn(&player, &game, 1), None);
}

fn game_value(game: &Game) -> Value {
    Database::embedded(RULES).probe(game.position()).unwrap()
}

#[test]
fn weak_players_depend_on_the_seed_only() {
    let game = Game::new(RULES, Position::start(&RULES));
    for level in [0, 6, 12] {
        let turns = || (0..12).map(|seed| turn(&player(level, seed), &game, 9).unwrap());
        let all: Vec<Turn> = turns().collect();
        assert!(turns().eq(all.iter().copied()));
        assert!(all.iter().any(|other| *other != all[0]), "{level}");
    }
}

#[test]
fn several_variations_begin_with_different_turns() {
    for (text, is_known) in [(WON, true), (START, false)] {
        let found = considered(&player(30, 0), &game(text), 1, 4);
        let numbers: Vec<usize> = found.iter().map(|variation| variation.number).collect();
        assert_eq!(numbers, [1, 2, 3, 4]);
        let firsts: BTreeSet<Turn> = found.iter().map(|variation| variation.turns[0]).collect();
        assert_eq!(firsts.len(), 4);
        let mut values = found.iter().map(|variation| variation.value);
        assert!(values.all(|value| value.is_some() == is_known));
    }
}

#[test]
fn values_come_first_and_no_turn_is_lost() {
    let database = Database::embedded(RULES);
    for text in [
        WON,
        FLYING,
        "********/********/O@O*O@*@ b m s 3 0 3 0 0 0",
        "*******O/*@O*OO**/*@@***** w m s 4 0 3 0 0 0",
    ] {
        let game = game(text);
        let turns = database.turns(game.position()).unwrap();
        let turns: Vec<(Turn, Value)> = turns.iter().map(|turn| (turn.turn, turn.value)).collect();
        let mut ranked = ranked(&player(30, 7), &game);
        assert!(ranked.is_sorted_by(|a, b| a.1 >= b.1));
        ranked.sort_by_key(|&(turn, value)| (std::cmp::Reverse(value), turn));
        assert_eq!(ranked, turns);
    }
}

#[test]
fn losing_replies_rank_by_their_share() {
    let mut differ = 0;
    for game in games(Wdl::Draw).take(60) {
        let draws = ranked_draws(&player(30, 0), &game).into_iter();
        let shares: Vec<f64> = draws.map(|turn| losing_replies(&game, turn)).collect();
        assert!(shares.is_sorted_by(|a, b| a >= b), "{shares:?}");
        differ += usize::from(shares.first() > shares.last());
    }
    assert!(differ > 2, "{differ}");
}

/// The scores come from a search with the evaluation by hand, as under rules without a network.
#[test]
fn pressure_adds_the_evaluation_to_the_share() {
    let limits = Limits {
        algorithm: Algorithm::Pvs,
        ..depth(2)
    };
    let never = AtomicBool::new(false);
    let (mut others, mut scores) = (0, 0);
    for game in games(Wdl::Draw).take(60) {
        let gain = |turn: Turn| {
            let after = game.position().after(turn);
            let search = Search::new(Rules::TEN, 1 << 20, 1);
            let found = search.run(&after, &[], &NoProber, &limits, &never, &mut |_| ());
            let score = -f64::from(found[0].score.number());
            losing_replies(&game, turn) + 0.5 / (1.0 + (-score / 100.0).exp())
        };
        let draws = ranked_draws(&choosing(DrawnTurns::Pressure, 0), &game);
        let gains: Vec<f64> = draws.iter().copied().map(gain).collect();
        assert!(gains.is_sorted_by(|a, b| *a >= b - 1e-9), "{gains:?}");
        scores += usize::from(gains.first() > gains.last());
        others += usize::from(turn(&player(30, 0), &game, 1) != Some(draws[0]));
    }
    assert!(others > 20 && scores > 40, "{others}, {scores}");
}

#[test]
fn random_turns_are_any_drawn_ones() {
    let game = games(Wdl::Draw).next().unwrap();
    let draws = ranked_draws(&player(30, 0), &game);
    assert!(draws.len() > 3);
    let legal = game.position().turns(&RULES).len() as u64;
    let chosen = (1..300).map(|seed| {
        let player = choosing(DrawnTurns::Random, seed);
        let first = considered(&player, &game, 1, 1).remove(0);
        assert_eq!(first.tb_hits, legal, "no reply is looked up");
        first.turns[0]
    });
    let chosen: BTreeSet<Turn> = chosen.collect();
    assert_eq!(chosen, draws.into_iter().collect());
}

/// Won positions are won as fast as possible, drawn ones are held, lost ones are lost late.
#[test]
fn no_choice_gives_up_value() {
    let values = [Wdl::Win, Wdl::Draw, Wdl::Loss].into_iter();
    let games = values.flat_map(|value| {
        let games = games(value).filter(|game| !game.position().is_over(&RULES));
        games.take(10)
    });
    for game in games.chain([game(WON)]) {
        for drawn in DrawnTurns::ALL {
            let first = considered(&choosing(drawn, 3), &game, 1, 1).remove(0);
            assert_eq!(first.value, Some(game_value(&game)), "{drawn}");
        }
    }
}

#[test]
fn seeds_bring_variety_only_among_equals() {
    let mut varied = 0;
    for game in games(Wdl::Draw).take(60) {
        let first = |seed| turn(&player(30, seed), &game, 1).unwrap();
        assert_eq!(first(0), first(0));
        assert_eq!(first(5), first(5));
        varied += usize::from((1..8).any(|seed| first(seed) != first(0)));
        let share = losing_replies(&game, first(0));
        for seed in 1..8 {
            assert_eq!(losing_replies(&game, first(seed)), share);
        }
    }
    assert!(varied > 5, "{varied}");
}

/// The player does not repeat a position of a drawn game as long as it can avoid that.
#[test]
fn repetitions_are_put_off() {
    let database = Database::embedded(RULES);
    let mut game = games(Wdl::Draw).next().unwrap();
    let mut seen = vec![*game.position()];
    for _ in 0..20 {
        let position = *game.position();
        let fresh = position.turns(&RULES).into_iter().any(|turn| {
            let after = position.after(turn);
            database.probe(&after).unwrap() == Value::Draw && !seen.contains(&after)
        });
        let best = turn(&player(30, 0), &game, 1).unwrap();
        game.make(best).unwrap();
        assert!(!fresh || !seen.contains(game.position()));
        seen.push(*game.position());
    }
}

#[test]
fn a_stopped_player_still_has_a_turn() {
    let database = Database::embedded(RULES);
    for game in games(Wdl::Draw).take(5) {
        let (stopped, player) = (AtomicBool::new(true), player(30, 0));
        let choice = player.choose(&game, &Limits::default(), &stopped, &mut |_| ());
        let choice = choice.unwrap();
        let turns = database.turns(game.position()).unwrap();
        assert_eq!(choice.turn, turns[0].turn);
        assert_eq!(choice.variation.tb_hits, turns.len() as u64);
    }
}

#[test]
fn a_choice_in_slices_is_the_choice_and_keeps_the_limits() {
    let think = |level: u8, game: &Game, limits: Limits, slice: u64| {
        let mut thinking = Thinking::new(player(level, 1), game.clone(), limits);
        for slices in 1.. {
            let start = Instant::now();
            if let Poll::Ready(choice) = thinking.go_on(Duration::from_millis(slice)) {
                return (choice, slices);
            }
            // Far below the time of the search, even on a busy machine.
            assert!(start.elapsed() < Duration::from_millis(slice + 1000));
        }
        unreachable!()
    };
    let start = game(START);
    // A search of a few turns ends however often it is interrupted. What it finds in its table then
    // may change an estimate by hundredths.
    let (choice, slices) = think(30, &start, depth(6), 1);
    let choice = choice.unwrap();
    let whole = considered(&player(30, 1), &start, 6, 1).remove(0);
    let found = choice.variation;
    let [estimate, of_whole] = [found.score, whole.score].map(|score| match score.meaning() {
        ScoreMeaning::Evaluation(estimate) => estimate,
        known => panic!("{known:?}"),
    });
    assert!(
        found.depth == 6 && (estimate - of_whole).abs() < 10,
        "{found:?}"
    );
    assert!(found.nodes > whole.nodes / 2 && slices > 2, "{slices}");

    let nodes = Limits {
        nodes: Some(100_000),
        ..Limits::default()
    };
    let (choice, slices) = think(30, &start, nodes, 5);
    let visited = choice.unwrap().variation.nodes;
    assert!((100_000..110_000).contains(&visited), "{visited}, {slices}");

    let time = Limits {
        time: Some(Duration::from_millis(200)),
        ..Limits::default()
    };
    let begin = Instant::now();
    let (choice, slices) = think(30, &start, time, 10);
    let depth = choice.unwrap().variation.depth;
    assert!(depth > 2 && slices > 3, "{depth}, {slices}");
    assert!((200..2000).contains(&begin.elapsed().as_millis()));

    // Known values, a weak player, a game that is over: at once.
    for (level, game, depth) in [(30, game(WON), 1), (6, start, 100)] {
        let (choice, slices) = think(level, &game, Limits::default(), 1);
        let expected = turn(&player(level, 1), &game, depth);
        assert_eq!((choice.map(|choice| choice.turn), slices), (expected, 1));
    }
    let over = game("********/****@***/@O@OOO@* w o ? 4 0 4 0 0 0 -1 -1 -1 -1 0 0 1");
    assert!(matches!(think(30, &over, Limits::default(), 1), (None, 1)));
}

/// White wins, the quickest turn is g4-d6; with it the start stands for the third time.
pub const REPEATED_WIN: &str = "position fen **O*****/OO@*@***/@******* b m s 3 0 3 0 0 0 \
    moves f4-b6 d6-g4 b6-f4 g4-d6 f4-b6 d6-g4 b6-f4";

/// Black loses, but for e5-f4, with which the start stands for the third time.
const REPEATED_LOSS: &str = "position fen **O*****/*O@*@***/@*O***** w m s 3 0 3 0 0 0 \
    moves g4-e3 f4-e5 e3-g4 e5-f4 g4-e3 f4-e5 e3-g4";

/// A winner does not repeat a position for the third time, and a loser does so.
#[test]
fn third_occurrences_are_draws() {
    let player = player(30, 0);
    let never = AtomicBool::new(false);
    for (line, turn, before, repeats) in [
        (REPEATED_WIN, "g4-d6", Wdl::Win, false),
        (REPEATED_LOSS, "e5-f4", Wdl::Loss, true),
    ] {
        let under = |repetitions| {
            let draws = DrawRule {
                repetitions,
                ..DrawRule::USUAL
            };
            let game = Game::parse(line, &RULES).unwrap().with_draws(draws);
            let choice = player.choose(&game, &Limits::default(), &never, &mut |_| ());
            let choice = choice.unwrap();
            let answer = player.look_up(&game).unwrap();
            assert_eq!(Some(answer.value), choice.variation.value);
            let value = |ranked: &RankedTurn| ranked.value;
            let mut turns = answer.turns.iter();
            let repeating = turns.find(|ranked| ranked.turn.to_string() == turn);
            (
                choice.turn.to_string() == turn,
                repeating.map(value),
                answer,
            )
        };
        let (_, value, answer) = under(0);
        assert_eq!((value.unwrap().wdl(), answer.value.wdl()), (before, before));
        let (is_chosen, value, answer) = under(3);
        assert_eq!((is_chosen, value), (repeats, Some(Value::Draw)));
        let expected = if repeats { Wdl::Draw } else { Wdl::Win };
        assert_eq!(answer.value.wdl(), expected);
        assert!(
            answer
                .turns
                .is_sorted_by_key(|ranked| Reverse(ranked.value.wdl()))
        );
        // In the drawn game that goes on, every turn is a draw.
        let mut game = Game::parse(line, &RULES).unwrap();
        game.play(turn).unwrap();
        let turns = |game: &Game| player.look_up(game).unwrap().turns;
        let never = DrawRule {
            repetitions: 0,
            ..DrawRule::USUAL
        };
        let plain = turns(&game.clone().with_draws(never));
        assert_ne!(plain[0].value, Value::Draw);
        let (plain, drawn) = (plain.iter(), turns(&game));
        assert!(
            plain
                .map(|ranked| ranked.turn)
                .eq(drawn.iter().map(|ranked| ranked.turn))
        );
        assert!(drawn.iter().all(|ranked| ranked.value == Value::Draw));
    }
    // A winner does not let the other side repeat it either.
    let mut game = Game::parse(REPEATED_LOSS, &RULES).unwrap();
    game.undo().unwrap();
    let turns = player.look_up(&game).unwrap().turns;
    let allowing = turns
        .iter()
        .find(|ranked| ranked.turn.to_string() == "e3-g4");
    assert_eq!(allowing.unwrap().value, Value::Draw);
    assert_eq!(turns[0].value.wdl(), Wdl::Win);
}

/// The quickest win repeats a position, and the next one comes after the last of 100 quiet turns.
#[test]
fn a_slower_win_is_counted_where_the_quickest_repeats_a_position() {
    let player = player(30, 0);
    let never = AtomicBool::new(false);
    let start = Game::parse(
        "position fen **O*****/OO@*@***/@******* b m s 3 0 3 0 0 0 moves f4-b6 d6-f4",
        &RULES,
    );
    let start = *start.unwrap().position();
    let mut found = [0; 2];
    for quiet in 80..96 {
        let mut game = Game::new(RULES, start).with_quiet_turns(quiet);
        for turn in "b6-a1 f4-d6 a1-b6 d6-f4 b6-a1 f4-d6 a1-b6".split(' ') {
            game.play(turn).unwrap();
        }
        let choice = player.choose(&game, &Limits::default(), &never, &mut |_| ());
        let answer = player.look_up(&game).unwrap();
        assert_eq!(
            choice.unwrap().variation.value,
            Some(answer.value),
            "{quiet}"
        );
        found[usize::from(answer.value == Value::Draw)] += 1;
    }
    // Seven more turns, and a win in five.
    assert_eq!(found, [9, 7]);
}

/// The longest resistance comes from files with depths. Those of the pairs with nine stones are part of the
/// library, and a search finds the wins of 7-3 and 6-4.
#[test]
fn results_alone_suffice_to_win() {
    let folder = tempfile::TempDir::new().unwrap();
    let profile = Profile {
        metric: Metric::Wdl,
        ..Profile::default()
    };
    let depths = crate::probes::built();
    let (small, mut cache) = (
        BuildFolder::lock(folder.path()).unwrap(),
        TableCache::default(),
    );
    let pairs = depths.pairs().map(|file| file.pair());
    for pair in pairs.filter(|pair| pair.smaller() < 5) {
        repack(&depths, pair, &small, profile, &mut cache).unwrap();
    }
    let results = Database::open(folder.path(), RULES).unwrap();
    let [winner, defender] = [results, depths].map(|database| with_databases(database, 30, 0));
    let depths = &defender.database;
    let limits = Limits {
        nodes: Some(20_000),
        ..Limits::default()
    };
    let never = AtomicBool::new(false);
    let mut random = Random::new(1);
    let (mut won, mut turns) = (0, 0);
    while won < 10 {
        let stones = random.pick(&[(3, 3), (5, 4), (6, 4), (7, 3)]);
        let position = random.position(stones.0, stones.1);
        let value = depths.probe(&position).unwrap();
        if value.wdl() != Wdl::Win || value.dtw().is_some_and(|dtw| dtw.0 < 7) {
            continue;
        }
        let mut game = Game::new(RULES, position);
        let side = position.side_to_move();
        while game.ending().is_none() {
            let moves = game.position().side_to_move() == side;
            let player = if moves { &winner } else { &defender };
            let choice = player.choose(&game, &limits, &never, &mut |_| ()).unwrap();
            game.make(choice.turn).unwrap();
            turns += u32::from(moves);
        }
        assert!(game.position().is_over(&RULES), "{}", position.text(&RULES));
        assert_eq!(game.position().side_to_move(), side.other());
        won += 1;
    }
    assert!(turns > 50, "{turns}");
}
