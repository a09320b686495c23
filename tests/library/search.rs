//! Tests of the search against plain minimax over the plain rules and against the values and depths
//! of the databases, and of the answers for positions with stones in hand.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use crate::common::{BLOCKED, Random, WON, plain_position, plain_rules, quick, rows};
use crate::plain::{PlainPosition, PlainRules};
use millbase::internals::prove::{ProofOptions, prove};
use millbase::search::{
    Algorithm, Limits, NoProber, PrincipalVariation, Prober, Score, ScoreMeaning, Search,
};
use millbase::{Database, DbError, Dtw, Material, Pair, Position, Rules, Side, Source, Value, Wdl};

const RULES: Rules = Rules::STANDARD;
/// The algorithms that see everything up to their depth.
const ALGORITHMS: [Algorithm; 3] = [Algorithm::AlphaBeta, Algorithm::Pvs, Algorithm::Mtdf];

type Variations = Vec<PrincipalVariation>;

fn run(search: &Search, position: &Position, prober: &dyn Prober, limits: &Limits) -> Variations {
    let stop = AtomicBool::new(false);
    search.run(position, &[], prober, limits, &stop, &mut |_| {})
}

fn to_depth(depth: u32, algorithm: Algorithm) -> Limits {
    Limits {
        depth: Some(depth),
        algorithm,
        ..Limits::default()
    }
}

fn searched(position: &Position, prober: &dyn Prober, limits: Limits) -> Variations {
    run(&Search::new(RULES, 1 << 20, 1), position, prober, &limits)
}

/// The position of a random game after this number of turns, or at its end if it ended before.
fn random_game(random: &mut Random, turns: usize, rules: &PlainRules) -> PlainPosition {
    let mut position = PlainPosition::start(rules);
    for _ in 0..turns {
        let turns = position.turns(rules);
        if turns.is_empty() {
            break;
        }
        position = position.after(random.pick(&turns));
    }
    position
}

fn library(position: &PlainPosition, rules: &Rules) -> Position {
    Position::parse(&position.text(&plain_rules(rules)), rules).expect("a position of a game")
}

/// Minimax without cutoffs. `leaf` is the score of a position at the horizon.
fn minimax(position: &PlainPosition, depth: u32, leaf: &dyn Fn(&PlainPosition) -> Score) -> Score {
    let rules = PlainRules::standard();
    let turns = position.turns(&rules);
    if turns.is_empty() {
        return Score::loss_in(0);
    }
    if depth == 0 {
        return leaf(position);
    }
    let scores = turns.iter().map(|turn| {
        let score = -minimax(&position.after(turn), depth - 1, leaf);
        match score.meaning() {
            ScoreMeaning::Win(turns) => Score::win_in(turns + 1),
            ScoreMeaning::Loss(turns) => Score::loss_in(turns + 1),
            _ => score,
        }
    });
    scores.max().expect("a turn")
}

#[test]
fn all_algorithms_find_what_plain_minimax_finds() {
    let mut random = Random::new(5);
    let rules = PlainRules::standard();
    let glance = Search::new(RULES, 0, 1);
    let leaf = |position: &PlainPosition| glance.evaluate(&library(position, &RULES));
    let mut phases = HashMap::new();
    let mut checked = 0;
    while checked < 2_000 {
        // Positions of games, and positions with few stones, which random games seldom reach.
        let position = match checked % 4 {
            0 => {
                let stones = [3 + random.below(7) as u32, 3 + random.below(5) as u32];
                plain_position(&random.position(stones[0], stones[1]))
            }
            _ => {
                let turns = random.below(70);
                random_game(&mut random, turns, &rules)
            }
        };
        if position.turns(&rules).is_empty() {
            continue;
        }
        let depth = match checked % 100 {
            0 => 3,
            n if n % 5 == 0 => 2,
            _ => 1,
        };
        let expected = minimax(&position, depth, &leaf);
        let position = library(&position, &RULES);
        *phases.entry(position.phase(&RULES)).or_insert(0) += 1;
        for algorithm in ALGORITHMS {
            let found = searched(&position, &NoProber, to_depth(depth, algorithm));
            let text = position.text(&RULES);
            assert_eq!(found[0].score, expected, "{algorithm:?} {depth} {text}");
        }
        checked += 1;
    }
    assert_eq!(phases.len(), 3);
    assert!(phases.values().all(|&count| count > 100), "{phases:?}");
}

#[test]
fn ends_are_found_at_their_depth() {
    let database = Database::embedded(RULES);
    let mut random = Random::new(9);
    let (mut wins, mut losses) = (0, 0);
    while wins < 60 || losses < 12 {
        let stones = 3 + random.below(2) as u32;
        let position = random.position(stones, 3);
        let value = database.probe(&position).unwrap();
        let algorithm = *random.pick(&ALGORITHMS);
        let (dtw, score) = match value {
            Value::Win(Dtw(dtw)) if dtw <= 5 && wins < 60 => (dtw, Score::win_in(dtw)),
            Value::Loss(Dtw(dtw)) if (1..=4).contains(&dtw) => (dtw, Score::loss_in(dtw)),
            _ => continue,
        };
        let text = position.text(&RULES);
        let search = |depth| searched(&position, &NoProber, to_depth(depth, algorithm));
        let before = search(u32::from(dtw) - 1);
        if let Some(before) = before.first().filter(|_| dtw > 1) {
            assert_eq!(before.score.result(), None, "{text} too early");
        }
        let found = search(u32::from(dtw));
        assert_eq!(found[0].score, score, "{text}");
        assert!(found[0].turns.len() <= usize::from(dtw));
        match value.wdl() {
            Wdl::Win => wins += 1,
            _ => losses += 1,
        }
    }
}

/// A prober that knows all databases except one pair, and depths only on request.
struct Partial {
    database: Database,
    hidden: Pair,
    depths: bool,
}

impl Prober for Partial {
    fn value(&self, position: &Position) -> Option<Value> {
        let pair = Material::of(position.mover(), position.waiting()).pair();
        let known = (pair != Some(self.hidden)).then(|| self.database.probe(position).ok())?;
        known.map(|value| match self.depths {
            true => value,
            false => value.without_depth(),
        })
    }
}

#[test]
fn search_with_databases_never_contradicts_them() {
    let truth = Database::embedded(RULES);
    let mut random = Random::new(4);
    let mut decided = 0;
    for round in 0..400 {
        let pairs = [(3, 3), (4, 3), (5, 3), (4, 4), (6, 3), (5, 4)];
        let (a, b) = *random.pick(&pairs);
        let (a, b) = if round % 2 == 0 { (a, b) } else { (b, a) };
        let position = random.position(a, b);
        if position.is_over(&RULES) {
            continue;
        }
        let (value, text) = (truth.probe(&position).unwrap(), position.text(&RULES));
        for depths in [true, false] {
            let hidden = Pair::new(a as u8, b as u8).unwrap();
            let partial = Partial {
                database: Database::embedded(RULES),
                hidden,
                depths,
            };
            let algorithm = match random.below(2) {
                0 => Algorithm::Selective,
                _ => *random.pick(&ALGORITHMS),
            };
            let limits = to_depth(2 + random.below(3) as u32, algorithm);
            let found = searched(&position, &partial, limits);
            let best = &found[0];
            if let Some(result) = best.score.result() {
                assert_eq!(result, value.wdl(), "{text}");
                decided += 1;
            }
            if let (ScoreMeaning::Win(turns) | ScoreMeaning::Loss(turns), Some(Dtw(dtw))) =
                (best.score.meaning(), value.dtw())
            {
                // If a pair is unknown, the search may see only a longer way.
                assert!(turns >= dtw || value.wdl() == Wdl::Loss, "{text}");
            }
        }
        let limits = to_depth(3, *random.pick(&ALGORITHMS));
        let best = searched(&position, &truth, limits).remove(0);
        assert_eq!(best.score, Score::from(value), "{text}");
        let ranked = truth.turns(&position).unwrap();
        let mut ranked = ranked.iter();
        let chosen = ranked.find(|ranked| ranked.turn == best.turns[0]);
        assert_eq!(chosen.unwrap().value, value, "{text}");
    }
    assert!(decided > 100, "{decided}");
}

#[test]
fn one_thread_is_deterministic_and_more_agree() {
    let mut random = Random::new(77);
    for turns in [4, 9, 17, 23, 31, 40] {
        let position = random_game(&mut random, turns, &PlainRules::standard());
        let position = library(&position, &RULES);
        if position.is_over(&RULES) {
            continue;
        }
        for algorithm in ALGORITHMS {
            let limits = Limits {
                lines: 3,
                ..to_depth(5, algorithm)
            };
            let once = |threads: usize| {
                let search = Search::new(RULES, 1 << 22, threads);
                let found = run(&search, &position, &NoProber, &limits).into_iter();
                let found = found.map(|found| (found.score, found.nodes, found.turns));
                found.collect::<Vec<_>>()
            };
            let one = once(1);
            assert_eq!(one, once(1));
            let [one, three] = [one, once(3)].map(|found| found.into_iter().map(|line| line.0));
            assert!(one.eq(three), "{}", position.text(&RULES));
        }
    }
}

#[test]
fn several_lines_are_the_best_turns_in_order() {
    let database = Database::embedded(RULES);
    let position = Random::new(3).position(4, 3);
    let limits = Limits {
        lines: 5,
        ..Limits::default()
    };
    let mut reports = Variations::new();
    let search = Search::new(RULES, 1 << 20, 1);
    let stop = AtomicBool::new(false);
    let report = &mut |variation: &PrincipalVariation| reports.push(variation.clone());
    let found = search.run(&position, &[], &database, &limits, &stop, report);
    let expected = database.turns(&position).unwrap();
    assert_eq!(found.len(), 5);
    for (place, variation) in found.iter().enumerate() {
        assert_eq!(variation.score, expected[place].value.into());
        assert_eq!(variation.number, place + 1);
        let turn = variation.turns[0];
        let mut earlier = found[..place].iter();
        assert!(earlier.all(|earlier| earlier.turns[0] != turn));
    }
    assert_eq!(reports[reports.len() - 5..], found);
}

#[test]
fn limits_end_the_search() {
    let start = Position::start(&RULES);
    let search = Search::new(RULES, 1 << 22, 1);
    let nodes = Limits {
        nodes: Some(5_000),
        ..Limits::default()
    };
    let found = run(&search, &start, &NoProber, &nodes);
    assert!(found[0].nodes <= 5_000);
    let time = Limits {
        time: Some(std::time::Duration::from_millis(50)),
        ..Limits::default()
    };
    let limit = std::time::Duration::from_millis(500);
    let found = quick(limit, || run(&search, &start, &NoProber, &time));
    assert!(!found.is_empty());
    let (no_limits, stopped) = (Limits::default(), AtomicBool::new(true));
    let found = search.run(&start, &[], &NoProber, &no_limits, &stopped, &mut |_| {});
    assert!(!found.is_empty());
    let over = Position::parse(BLOCKED, &RULES).unwrap();
    assert!(run(&search, &over, &NoProber, &no_limits).is_empty());
}

/// A search that stops within a depth returns the turn that this depth found better than the best before it.
#[test]
fn a_depth_that_is_not_completed_counts() {
    let plain = PlainRules::standard();
    let mut random = Random::new(11);
    let mut better = 0;
    for _ in 0..6 {
        let position = library(&random_game(&mut random, 24, &plain), &RULES);
        for nodes in (200..4_000).step_by(100) {
            let limits = Limits {
                nodes: Some(nodes),
                algorithm: Algorithm::AlphaBeta,
                ..Limits::default()
            };
            let (never, mut completed) = (AtomicBool::new(false), None);
            let search = Search::new(RULES, 1 << 20, 1);
            let found = search.run(&position, &[], &NoProber, &limits, &never, &mut |line| {
                completed = Some(line.clone());
            });
            let (Some(completed), Some(found)) = (completed, found.first()) else {
                continue;
            };
            if found.turns[0] != completed.turns[0] {
                better += 1;
                assert_eq!(found.depth, completed.depth + 1);
                let limits = to_depth(completed.depth, Algorithm::AlphaBeta);
                let [found, completed] = [found, &completed].map(|line| {
                    let after = position.after(line.turns[0]);
                    searched(&after, &NoProber, limits)[0].score
                });
                assert!(found < completed, "{}", position.text(&RULES));
            }
        }
    }
    assert!(better > 5, "{better}");
}

#[test]
fn a_repetition_is_a_draw() {
    // White is far ahead; only a turn that repeats a position is worth nothing.
    let position = Position::parse("OOO**O**/O*O*OO**/@**@@*@* w m s 8 0 4 0 0 0", &RULES).unwrap();
    let search = Search::new(RULES, 1 << 20, 1);
    let limits = Limits {
        lines: 100,
        ..to_depth(1, Algorithm::default())
    };
    let stop = AtomicBool::new(false);
    let fresh = search.run(&position, &[], &NoProber, &limits, &stop, &mut |_| {});
    assert!(fresh[0].score > Score::DRAW);
    let repeated = fresh[0].turns[0];
    let earlier = [position.after(repeated)];
    let again = search.run(&position, &earlier, &NoProber, &limits, &stop, &mut |_| {});
    let found = again.iter().find(|found| found.turns[0] == repeated);
    assert_eq!(found.map(|found| found.score), Some(Score::DRAW));
}

#[test]
fn the_network_tells_wins_from_losses() {
    // The moving phase of these rules is that of `standard` while nobody flies, but no network was trained on them.
    let [network, by_hand] = [RULES, Rules::NO_FLYING].map(|rules| Search::new(rules, 0, 1));
    let (mut wins, mut losses) = (Vec::new(), Vec::new());
    for row in rows(include_str!("../data/moving.csv")) {
        let position = Position::parse(row[0], &RULES).unwrap();
        let stones = [position.mover(), position.waiting()].map(|stones| stones.len());
        let scores = [&network, &by_hand].map(|search| search.evaluate(&position));
        match row[1] {
            "win" if !stones.contains(&3) => wins.push(scores),
            "loss" if !stones.contains(&3) => losses.push(scores),
            _ => {}
        }
    }
    assert!(wins.len() > 30 && losses.len() > 30);
    let [network, by_hand] = [0, 1].map(|which| {
        let above = |loss: &[Score; 2]| wins.iter().filter(|win| win[which] > loss[which]).count();
        losses.iter().map(above).sum::<usize>() as f64 / (wins.len() * losses.len()) as f64
    });
    assert!(network > 0.9 && network > by_hand, "{network} {by_hand}");
}

/// Four stones a side: all positions after the placing phase are in the built-in databases.
const FOUR: Rules = Rules {
    stones: 4,
    ..Rules::STANDARD
};

/// Enough stones for all built-in pairs.
const SIX: Rules = Rules {
    stones: 6,
    ..Rules::STANDARD
};

/// A random position of sides with these numbers of stones in hand and in total.
fn random_placing(random: &mut Random, totals: (u32, u32), in_hand: u32) -> Position {
    let (white_in_hand, black_in_hand) = (in_hand / 2, in_hand.div_ceil(2));
    let on_board = random.position(totals.0 - white_in_hand, totals.1 - black_in_hand);
    let text = on_board.text(&SIX);
    let board = text.split(' ').next().unwrap();
    let side = if in_hand.is_multiple_of(2) { 'w' } else { 'b' };
    let (white, black) = (totals.0 - white_in_hand, totals.1 - black_in_hand);
    let text = format!("{board} {side} p p {white} {white_in_hand} {black} {black_in_hand} 0 0");
    Position::parse(&text, &SIX).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// The value of a position with stones in hand by looking at every turn.
fn plain_value(
    position: &PlainPosition,
    database: &Database,
    known: &mut HashMap<PlainPosition, Value>,
) -> Value {
    let rules = plain_rules(&SIX);
    if let Some(&value) = known.get(position) {
        return value;
    }
    let value = if position.white_hand + position.black_hand == 0 {
        database.probe(&library(position, &SIX)).unwrap()
    } else {
        let turns = position.turns(&rules);
        let values = turns.iter().map(|turn| {
            let after = position.after(turn);
            plain_value(&after, database, known).backed_up()
        });
        values.max().unwrap_or(Value::LOST)
    };
    known.insert(*position, value);
    value
}

#[test]
fn answers_while_placing_are_those_of_a_plain_search() {
    let database = Database::embedded(SIX);
    let rules = plain_rules(&SIX);
    let mut random = Random::new(8);
    let mut results = HashMap::new();
    for round in 0..200 {
        let in_hand = if round % 40 == 0 { 4 } else { 1 + round % 3 };
        let pairs = [
            (3, 3),
            (4, 3),
            (3, 4),
            (5, 3),
            (3, 5),
            (6, 3),
            (3, 6),
            (5, 4),
            (4, 4),
        ];
        let totals = *random.pick(&pairs);
        let position = random_placing(&mut random, totals, in_hand);
        let plain = plain_position(&position);
        let found = database.answer(&position).unwrap();
        assert_eq!(found.source, Source::Search);
        let mut known = HashMap::new();
        let text = position.text(&SIX);
        let expected = plain_value(&plain, &database, &mut known);
        assert_eq!(found.value, expected, "{text}");
        let turns = plain.turns(&rules);
        assert_eq!(found.turns.len(), turns.len());
        for turn in turns {
            let value = plain_value(&plain.after(&turn), &database, &mut known).backed_up();
            let name = turn.to_string();
            let mut ranked = found.turns.iter();
            let ranked = ranked.find(|ranked| ranked.turn.to_string() == name);
            assert_eq!(ranked.unwrap().value, value, "{text} {name}");
        }
        assert!(found.turns.is_sorted_by(|a, b| a.order(b).is_lt()));
        *results.entry(found.value.wdl()).or_insert(0) += 1;
    }
    assert_eq!(results.len(), 3);
    assert!(results.values().all(|&count| count > 5), "{results:?}");
}

#[test]
fn answers_name_their_source_and_their_limits() {
    let database = Database::embedded(FOUR);
    let moving = Position::parse(WON, &FOUR).unwrap();
    let found = database.answer(&moving).unwrap();
    assert_eq!(found.source, Source::Database);
    assert_eq!(found.turns, database.turns(&moving).unwrap());
    let over = Position::parse(BLOCKED, &FOUR).unwrap();
    let found = database.answer(&over).unwrap();
    assert_eq!((found.source, found.value), (Source::Rules, Value::LOST));
    let start = Position::start(&FOUR);
    let long = database.answer_within(&start, Some(1_000));
    assert!(matches!(long, Err(DbError::MissingPlies { .. })));
    // With nine stones, the pairs after the placing phase are not built in.
    let last = Position::parse("O*@@@O@O/*OO**@O*/**@OOO@* b p p 9 0 7 1 0 0", &RULES).unwrap();
    let missing = Database::embedded(RULES).answer(&last);
    assert!(matches!(missing, Err(DbError::Missing { .. })));
}

#[test]
fn a_removal_owed_while_placing_is_a_turn() {
    let database = Database::embedded(FOUR);
    let text = "OO*****O/@***@***/******** w p r 3 1 2 2 1 0";
    let position = Position::parse(text, &FOUR).unwrap();
    let found = database.answer(&position).unwrap();
    assert_eq!(found.turns.len(), 2);
    for ranked in &found.turns {
        assert!(ranked.turn.to_string().starts_with('x'), "{}", ranked.turn);
        let after = database.answer(&ranked.after).unwrap();
        assert_eq!(ranked.value, after.value.backed_up());
    }
}

#[test]
fn known_placing_positions_are_answered() {
    // Their databases are not part of the program.
    let Some(folder) = std::env::var_os("MILLBASE_DB") else {
        return;
    };
    let database = Database::open(Path::new(&folder), RULES).unwrap();
    for row in rows(include_str!("../data/placing.csv")) {
        let position = Position::parse(row[0], &RULES).unwrap();
        let in_hand = position.in_hand(Side::White) + position.in_hand(Side::Black);
        if in_hand <= 6 {
            let value = database.answer(&position).unwrap().value;
            let dtw = value.dtw().map_or(String::new(), |dtw| dtw.to_string());
            assert_eq!([value.wdl().name(), &dtw], [row[1], row[2]], "{}", row[0]);
        }
    }
}

#[test]
fn the_proof_agrees_with_exact_values() {
    let three = Rules { stones: 3, ..FOUR };
    let database = Database::embedded(three);
    let all = Pair::all(&three);
    let start = Position::start(&three);
    let exact = database.answer_within(&start, Some(u64::MAX)).unwrap();
    for threads in [1, 2] {
        let options = ProofOptions {
            pairs: all.clone(),
            others: true,
            hash_bytes: 1 << 22,
            threads,
        };
        let mut steps = Vec::new();
        let proof = prove(&database, &options, &mut |step| steps.push(step)).unwrap();
        assert_eq!(proof.start.result_for(Side::White), Some(exact.value.wdl()));
        assert_eq!(proof.placements.len(), 4);
        for (turn, proved) in &proof.placements {
            let ranked = exact.turns.iter().find(|ranked| ranked.turn == *turn);
            let expected = ranked.unwrap().value.wdl();
            assert_eq!(proved.result_for(Side::White), Some(expected), "{turn}");
        }
        // The line keeps the value all the way to the databases.
        let mut position = start;
        for &turn in &proof.line {
            assert!(position.turns(&three).contains(&turn));
            position = position.after(turn);
        }
        assert!(!position.is_placing());
        let end = database.probe(&position).unwrap().wdl();
        assert_eq!(end, exact.value.wdl());
        assert_eq!(steps.len(), 2 * 5);
        let first = |side| steps.iter().find(|step| step.side == side).unwrap();
        assert_eq!(first(Side::White).holds, proof.start.white_holds);
        assert_eq!(first(Side::Black).holds, proof.start.black_holds);
        assert!(proof.loaded_bytes > 0);
    }
}

#[test]
fn a_proof_with_few_pairs_claims_nothing_that_is_wrong() {
    let database = Database::embedded(FOUR);
    let exact = |pairs: &[(u8, u8)], others| {
        let pairs = pairs.iter().filter_map(|&(a, b)| Pair::new(a, b)).collect();
        let options = ProofOptions {
            pairs,
            others,
            hash_bytes: 1 << 24,
            threads: 2,
        };
        prove(&database, &options, &mut |_| {}).unwrap()
    };
    let truth = exact(&[(4, 4), (4, 3), (3, 3)], true);
    let white = truth.start.result_for(Side::White).unwrap();
    assert_eq!(truth.work.probes_not_in_memory, 0);
    let asked = exact(&[], true);
    assert_eq!(asked.start, truth.start);
    assert_eq!(asked.placements, truth.placements);
    assert!(asked.work.probes_not_in_memory > 0);
    for pairs in [&[(4, 4)][..], &[(4, 4), (4, 3)], &[(3, 3)]] {
        let part = exact(pairs, false);
        assert!(!part.start.white_holds || white >= Wdl::Draw, "{pairs:?}");
        assert!(!part.start.black_holds || white <= Wdl::Draw, "{pairs:?}");
        for ((turn, part), (_, truth)) in part.placements.iter().zip(&truth.placements) {
            assert!(!part.white_holds || truth.white_holds, "{pairs:?} {turn}");
            assert!(!part.black_holds || truth.black_holds, "{pairs:?} {turn}");
        }
    }
    let [nine, three] = [(9, 9), (4, 3)].map(|(a, b)| Pair::new(a, b).unwrap());
    let options = ProofOptions {
        pairs: vec![nine, three],
        others: false,
        hash_bytes: 0,
        threads: 1,
    };
    let missing = prove(&Database::embedded(RULES), &options, &mut |_| {});
    let is_named =
        |error| matches!(error, DbError::MissingForProof { pairs, .. } if pairs == [nine]);
    assert!(missing.is_err_and(is_named));
}

#[test]
fn a_proof_ends_with_an_error_if_a_row_that_it_needs_is_damaged() {
    let four = Pair::new(4, 4).unwrap();
    let mut bytes = std::fs::read(crate::common::root().join("db/4-4.mill")).unwrap();
    let half = bytes.len() / 2;
    bytes[half..].iter_mut().for_each(|byte| *byte ^= 0x55);
    let database = Database::embedded(FOUR).with_file("4-4.mill", Box::new(bytes));
    let options = |pairs, threads| ProofOptions {
        pairs,
        others: true,
        hash_bytes: 1 << 20,
        threads,
    };
    for threads in [1, 2] {
        for pairs in [vec![four], Vec::new()] {
            let error = prove(&database, &options(pairs, threads), &mut |_| {}).unwrap_err();
            let named =
                matches!(&error, DbError::Corrupt { file, .. } if file.ends_with("4-4.mill"));
            assert!(named, "{error}");
        }
    }
}

#[test]
fn results_in_memory_are_those_of_the_files() {
    let database = Database::embedded(RULES);
    let pairs: Vec<Pair> = database.pairs().map(|file| file.pair()).collect();
    let bitbase = database.bitbase(&pairs).unwrap();
    assert_eq!(bitbase.pairs(), pairs);
    let entries: u64 = pairs.iter().map(|pair| pair.entries(&RULES)).sum();
    assert_eq!(bitbase.bytes(), 0);
    let whole = millbase::internals::solve::whole_bitbase(&database, &pairs).unwrap();
    assert!(whole.bytes() >= entries / 4 && whole.bytes() <= entries / 3);
    let mut random = Random::new(6);
    for _ in 0..20_000 {
        let pair = *random.pick(&pairs);
        let (a, b) = (pair.larger().into(), pair.smaller().into());
        let (a, b) = *random.pick(&[(a, b), (b, a)]);
        let position = random.position(a, b);
        let expected = database.probe(&position).unwrap().wdl();
        let (mover, waiting) = (position.mover(), position.waiting());
        assert_eq!(bitbase.wdl(&position).unwrap(), Some(expected));
        assert_eq!(bitbase.of_sets(mover, waiting).unwrap(), Some(expected));
        assert_eq!(whole.of_sets(mover, waiting).unwrap(), Some(expected));
        let row = whole.row(mover, waiting.len()).unwrap().unwrap();
        assert_eq!(row.wdl(waiting), Some(expected));
        if let Some(row) = bitbase.row(mover, waiting.len()).unwrap() {
            assert!(row.wdl(waiting).is_none_or(|result| result == expected));
        }
    }
    assert!((1..entries / 6).contains(&bitbase.bytes()));
    let absent = random.position(7, 3);
    assert_eq!(bitbase.wdl(&absent).unwrap(), None);
    assert!(bitbase.row(absent.mover(), 3).unwrap().is_none());
    assert_eq!(bitbase.wdl(&Position::start(&RULES)).unwrap(), None);
    let blocked = Position::parse(BLOCKED, &RULES).unwrap();
    assert_eq!(bitbase.wdl(&blocked).unwrap(), Some(Wdl::Loss));
    let missing = database.bitbase(&["9-9".parse().unwrap()]);
    assert!(matches!(missing, Err(DbError::Missing { .. })));
    // Pairs of other games, with stones in hand, are left out.
    let other = database.bitbase(&["4-3+1-1".parse().unwrap()]).unwrap();
    assert!(other.pairs().is_empty());
}
