//! Tests of the placing phase: values agree with plain search, and files omit no position of real
//! games.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use crate::common::{
    self, Random, databases, library_set, names, plain_position, plain_rules, plain_turned, plan,
    request, symmetries,
};
use crate::plain::check::Set;
use crate::plain::{PlainPosition, PlainRules, Side as PlainSide};
use millbase::Database;
use millbase::engine::{DrawnTurns, Game, Player, SkillLevel};
use millbase::internals::Index;
use millbase::internals::prove::{self, ProofOptions, Prover};
use millbase::internals::stages::{Stage, StageSets};
use millbase::search::{Limits, Search};
use millbase::solve::{BuildEvent, BuildFolder, BuildPlan, SolveError};
use millbase::store::ply_file_name as file_name;
use millbase::store::{Compression, DbError, Profile};
use millbase::{Blocked, Metric, Position, Rules, Side, Turn, Value};
use millbase::{Material, Pair};
use tempfile::TempDir;

const THREE: Rules = Rules {
    stones: 3,
    ..Rules::STANDARD
};
/// Without flying many positions with four stones are decided.
const FOUR: Rules = Rules {
    stones: 4,
    flying: 0,
    ..Rules::STANDARD
};

/// The same on the board with diagonals, and with five stones.
const DIAGONAL_FOUR: Rules = Rules {
    diagonals: true,
    ..FOUR
};
const FIVE: Rules = Rules { stones: 5, ..FOUR };

/// A folder with the databases of the moving phase and with the files of some plies.
pub fn built(rules: &Rules, keep: &[u8]) -> TempDir {
    let folder = TempDir::new().expect("a folder");
    build_in(folder.path(), rules, keep);
    folder
}

/// The files of the pairs of four stones, with which many tests begin.
static PAIRS_OF_FOUR: LazyLock<BTreeMap<String, Vec<u8>>> = LazyLock::new(|| {
    let folder = TempDir::new().expect("a folder");
    common::build(folder.path(), &FOUR, &Pair::all(&FOUR), &[]);
    databases(folder.path())
});

fn build_in(folder: &Path, rules: &Rules, keep: &[u8]) {
    if *rules == FOUR {
        for (name, bytes) in PAIRS_OF_FOUR.iter() {
            fs::write(folder.join(name), bytes).expect("a file");
        }
    }
    common::build(folder, rules, &Pair::all(rules), keep);
}

fn open(folder: &Path, rules: &Rules) -> Database {
    let database = Database::open(folder, *rules).expect("databases");
    assert!(database.plies().next().is_some());
    database
}

/// Values by looking at all turns, down to where no stones are in hand.
struct Plain<'a> {
    rules: PlainRules,
    moving: &'a dyn Fn(&PlainPosition) -> Value,
    symmetries: Vec<[usize; 24]>,
    known: HashMap<(Set, Set, u8), Value>,
}

impl<'a> Plain<'a> {
    fn new(rules: &Rules, moving: &'a dyn Fn(&PlainPosition) -> Value) -> Plain<'a> {
        Plain {
            rules: plain_rules(rules),
            moving,
            symmetries: symmetries(),
            known: HashMap::new(),
        }
    }

    fn value(&mut self, position: &PlainPosition) -> Value {
        if position.loser(&self.rules) == Some(position.side) {
            return Value::LOST;
        }
        if position.white_hand + position.black_hand + position.owed == 0 {
            return (self.moving)(position);
        }
        let key = self.key(position);
        if let Some(&value) = self.known.get(&key) {
            return value;
        }
        let turns = position.turns(&self.rules);
        let values = turns.iter().map(|turn| {
            let after = position.after(turn);
            let in_hand = after.white_hand + after.black_hand;
            let goes_on = after.on_board(after.side) >= 3;
            if self.rules.black_moves_first && in_hand == 0 && goes_on {
                // The same side moves; depths count the pass.
                let moves = PlainPosition {
                    side: position.side,
                    ..after
                };
                return self.value(&moves).backed_up().backed_up();
            }
            self.value(&after).backed_up()
        });
        let value = values.max().expect("a turn");
        self.known.insert(key, value);
        value
    }

    /// The same for positions that are equal but for a symmetry. The stones in hand say who is to
    /// move.
    fn key(&self, position: &PlainPosition) -> (Set, Set, u8) {
        let [white, black] = [PlainSide::White, PlainSide::Black].map(|side| position.set_of(side));
        let images = self
            .symmetries
            .iter()
            .map(|symmetry| [white, black].map(|set| plain_turned(symmetry, set)));
        let [white, black] = images.min().expect("16 symmetries");
        (white, black, position.white_hand + position.black_hand)
    }
}

/// All positions with stones in hand that games can reach in this number of turns, one for each
/// orbit.
fn all_positions(rules: &Rules, plies: u8) -> Vec<HashSet<Position>> {
    let mut layers = vec![HashSet::from([Position::start(rules)])];
    for _ in 0..plies {
        let last = &layers[layers.len() - 1];
        let after = last.iter().flat_map(|position| {
            let turns = position.turns(rules).into_iter();
            turns.map(|turn| canonical(&position.after(turn)))
        });
        let after: HashSet<Position> = after.filter(Position::is_placing).collect();
        layers.push(after);
    }
    layers
}

fn canonical(position: &Position) -> Position {
    let images = millbase::Symmetry::all().map(|symmetry| position.with_board_turned(symmetry));
    let key = |position: &Position| [Side::White, Side::Black].map(|side| position.stones(side));
    images.min_by_key(key).expect("16 symmetries")
}

fn is_possible(stage_sets: &StageSets, position: &Position, rules: &Rules) -> bool {
    let stage = Stage::of(position, rules);
    stage_sets.allows(stage, position.mover(), position.waiting())
}

/// The names of the files of single stages in a folder.
fn stage_files(folder: &Path) -> Vec<String> {
    let mut names = names(folder);
    names.retain(|name| name.ends_with(".stage"));
    names
}

#[test]
fn one_pass_over_the_pairs_makes_the_same_files() {
    for rules in [THREE, FOUR, DIAGONAL_FOUR] {
        let last = 2 * rules.stones - 1;
        let keep: Vec<u8> = (0..last).step_by(2).collect();
        let expected = databases(built(&rules, &keep).path());
        let folder = TempDir::new().expect("a folder");
        let path = folder.path();
        let locked = BuildFolder::lock(path).expect("a folder of our own");
        let plan = || common::plan(path, &rules, &Pair::all(&rules), &keep);
        // Ends before the plies.
        let pairs = |locked: &BuildFolder| {
            let plan = plan();
            assert_eq!(plan.plies().first().map(|planned| planned.ply), Some(last));
            interrupt(&plan, locked, &|event| {
                matches!(event, BuildEvent::PlyStarted(_))
            });
            plan.pairs.len()
        };
        assert_eq!(pairs(&locked), Pair::all(&rules).len());
        let stage_sets = StageSets::new(&rules, last + 1);
        let stages = stage_sets.stages_of(last);
        let quiet = stages.filter(|stage| {
            let after = stage.after_quiet();
            !stage_sets.rows(after, after.mover()).is_empty()
        });
        let made = stage_files(path);
        assert!(!made.is_empty());
        assert_eq!(made.len(), quiet.count());
        // A build that was killed has lost a pair, a stage of a pair that is there, or both.
        let lost = Pair::new(rules.stones, rules.stones).expect("a pair");
        fs::remove_file(path.join(millbase::store::file_name(lost))).expect("a file");
        for name in [made.first(), made.last()].into_iter().flatten() {
            let _ = fs::remove_file(path.join(name));
        }
        assert_eq!(pairs(&locked), 1);
        let damaged = stage_files(path).pop().expect("a stage");
        let damaged = path.join(damaged);
        let bytes = fs::read(&damaged).expect("a file");
        let mut other = bytes.clone();
        *other.last_mut().expect("bytes") ^= 1;
        let mut foreign = bytes.clone();
        foreign[16] ^= 1;
        for damage in [&bytes[..bytes.len() / 2], &bytes[..4], &other, &foreign] {
            fs::write(&damaged, damage).expect("a damaged file");
            let error = plan().run(&locked, &mut |_| ()).expect_err("an error");
            let name = damaged.file_name().expect("a name").to_string_lossy();
            assert!(error.to_string().contains(&*name), "{error}");
        }
        fs::write(&damaged, &bytes).expect("the file");
        plan().run(&locked, &mut |_| ()).expect("the plies");
        assert_eq!(databases(path), expected);
        assert_eq!(
            names(path).len(),
            expected.len() + 1,
            "only the lock beside the files"
        );
        let database = open(path, &rules);
        assert!(database.plies().count() >= 2);
    }
}

#[test]
fn more_plies_are_kept_when_they_are_wanted() {
    let all: Vec<u8> = (0..2 * FOUR.stones).collect();
    let expected = databases(built(&FOUR, &all).path());
    // The last ply is kept: one pass over the pairs solves it, too.
    let folder = TempDir::new().expect("a folder");
    let path = folder.path();
    let locked = BuildFolder::lock(path).expect("a folder of our own");
    let whole = plan(path, &FOUR, &Pair::all(&FOUR), &all);
    whole.run(&locked, &mut |_| ()).expect("a build");
    assert_eq!(databases(path), expected);
    // A build that wants fewer plies leaves the others alone, also those on its way.
    fs::remove_file(path.join(file_name(3))).expect("a file");
    assert_eq!(plies_to_solve(path, &[3]), [3]);
    let fewer = plan(path, &FOUR, &[], &[3]);
    fewer.run(&locked, &mut |_| ()).expect("the plies");
    assert_eq!(databases(path), expected);
    // A ply whose stages are all solved needs no other, also for a file of its own.
    for ply in 2..=7 {
        fs::remove_file(path.join(file_name(ply))).expect("a file");
    }
    let stop =
        |event: BuildEvent<'_>| matches!(event, BuildEvent::PlyFinished(report) if report.ply == 6);
    interrupt(&plan(path, &FOUR, &[], &[2, 4]), &locked, &stop);
    drop(locked);
    assert_eq!(plies_to_solve(path, &[2, 4]), [5, 4, 3, 2]);
    assert_eq!(plies_to_solve(path, &[2, 6]), [6, 5, 4, 3, 2]);
    build_in(path, &FOUR, &[6]);
    assert_eq!(databases(path)[&file_name(6)], expected[&file_name(6)]);
}

#[test]
fn three_stones_agree_with_plain_search_everywhere() {
    let embedded = Database::embedded(THREE);
    let moving = |position: &PlainPosition| value_in(&embedded, position);
    let mut plain = Plain::new(&THREE, &moving);
    for keep in [&[0, 1, 2, 3, 4, 5][..], &[1, 3]] {
        let folder = built(&THREE, keep);
        let database = open(folder.path(), &THREE);
        let files = database.plies().map(|file| file.ply());
        assert_eq!(files.collect::<Vec<_>>(), keep);
        let mut values = BTreeSet::new();
        for position in all_positions(&THREE, 5).iter().flatten() {
            let expected = plain.value(&plain_position(position));
            let value = database.probe(position).expect("files");
            assert_eq!(value, expected, "{}", position.text(&THREE));
            values.insert(expected.to_byte());
            let turns = database.turns(position).expect("files");
            let best = turns.first().map(|best| best.value);
            assert_eq!(best.unwrap_or(Value::LOST), expected);
        }
        assert!(values.len() > 25);
    }
}

#[test]
fn four_stones_agree_with_plain_search_in_random_games() {
    agrees_with_plain_search(&FOUR, &[2, 5], 60);
}

/// A win with stones in hand is one if those after it keep to the limit: only the result counts.
#[test]
fn results_under_a_limit_agree_with_plain_search_in_random_games() {
    let rules = Rules {
        quiet_turns: 6,
        ..FOUR
    };
    agrees_with_plain_search(&rules, &[4, 6], 12);
}

/// Files without depths, of pairs and plies.
#[test]
fn results_alone_agree_with_plain_search_in_random_games() {
    for compression in [Compression::Quick, Compression::Max] {
        let profile = Profile {
            metric: Metric::Wdl,
            compression,
        };
        let folder = TempDir::new().expect("a folder");
        common::build_with(folder.path(), &FOUR, &Pair::all(&FOUR), profile, &[2, 5]);
        let depths = built(&FOUR, &[5]);
        let depths = open(depths.path(), &FOUR);
        agree_with_plain_search(&open(folder.path(), &FOUR), &depths, 30);
    }
}

/// Files with depths for some pairs, and without for others: depths are unknown, results are not.
#[test]
fn files_of_two_builds_answer_together() {
    let wdl = Profile {
        metric: Metric::Wdl,
        ..Profile::default()
    };
    let [first, second] = [(); 2].map(|()| TempDir::new().expect("a folder"));
    common::build(first.path(), &FOUR, &[Pair::new(3, 3).unwrap()], &[]);
    let own = millbase::store::folder_of(second.path(), &FOUR);
    fs::create_dir(&own).expect("a folder");
    common::build_with(&own, &FOUR, &Pair::all(&FOUR), wdl, &[]);
    let mixed =
        Database::open(first.path(), FOUR).and_then(|first| first.with_folder(second.path()));
    let mixed = mixed.expect("two folders");
    let depths = built(&FOUR, &[]);
    let depths = Database::open(depths.path(), FOUR).expect("a folder");
    let mut random = Random::new(2);
    for _ in 0..10 {
        for position in random_game(&FOUR, &mut random).into_iter().skip(4) {
            let [value, expected] = [&mixed, &depths].map(|database| database.probe(&position));
            assert_eq!(value.expect("files").wdl(), expected.expect("files").wdl());
        }
    }
}

#[test]
fn four_stones_with_diagonals_agree_with_plain_search_in_random_games() {
    agrees_with_plain_search(&DIAGONAL_FOUR, &[2, 5], 60);
}

#[test]
fn four_stones_that_pass_agree_with_plain_search_in_random_games() {
    let rules = Rules {
        blocked: Blocked::Passes,
        removal_from_mills: true,
        ..FOUR
    };
    agrees_with_plain_search(&rules, &[2, 5], 40);
}

#[test]
fn four_stones_with_black_to_move_first_agree_with_plain_search_in_random_games() {
    let rules = Rules {
        first_to_move: Side::Black,
        ..FOUR
    };
    for keep in [&[2, 5][..], &[3, 7]] {
        agrees_with_plain_search(&rules, keep, 40);
    }
    let folder = built(&rules, &[0, 1, 4]);
    let database = open(folder.path(), &rules);
    let options = ProofOptions {
        pairs: Pair::all(&rules),
        others: true,
        hash_bytes: 1 << 22,
        threads: 1,
    };
    let mut prover = Prover::new(&database, &options).expect("pairs");
    let (mut random, mut results, mut passes) = (Random::new(5), BTreeSet::new(), 0);
    for _ in 0..8 {
        for position in random_game(&rules, &mut random) {
            let proved = prover.prove(&position).expect("files");
            let value = database.probe(&position).expect("files").wdl();
            let text = position.text(&rules);
            assert_eq!(
                proved.result_for(position.side_to_move()),
                Some(value),
                "{text}"
            );
            results.insert(value);
            for turn in position.turns(&rules) {
                let due = position.after(turn);
                if due.must_pass(&rules) {
                    let value = database.probe(&due.after(Turn::PASS)).expect("files");
                    assert_eq!(database.probe(&due).expect("files"), value.backed_up());
                    passes += 1;
                }
            }
        }
    }
    assert_eq!(results.len(), 3);
    assert!(passes > 100, "{passes}");
    let limited = Rules {
        quiet_turns: 6,
        ..rules
    };
    agrees_with_plain_search(&limited, &[4, 6], 12);
}

/// The perfect player with the databases of a folder.
fn player(folder: &Path) -> Player {
    Player {
        database: Arc::new(Database::open(folder, FOUR).expect("databases")),
        search: Arc::new(Search::new(FOUR, 1 << 20, 1)),
        level: SkillLevel::PERFECT,
        seed: 0,
        drawn: DrawnTurns::default(),
    }
}

/// The perfect player looks its turn up, also if it has little time.
#[test]
fn little_time_suffices_to_look_up_turns_near_a_file() {
    let folder = built(&FOUR, &[2, 5]);
    let known = |player: &Player, milliseconds| {
        let limits = Limits {
            time: Some(Duration::from_millis(milliseconds)),
            ..Limits::default()
        };
        let game = Game::new(FOUR, Position::start(&FOUR));
        let mut known = false;
        player.choose(&game, &limits, &AtomicBool::new(false), &mut |variation| {
            known |= variation.value.is_some();
        });
        known
    };
    let near = player(folder.path());
    // Other load on the machine may delay the answer many times, but not every time.
    assert!((0..40).any(|_| known(&near, 5)));
    for ply in [2, 5] {
        fs::remove_file(folder.path().join(file_name(ply))).expect("a file");
    }
    assert!(!known(&player(folder.path()), 20));
}

/// The limit of the caller holds for positions that the files omit because no game reaches them, however
/// near the ply of a file is. It has no effect on those of games.
#[test]
fn what_no_game_reaches_is_searched_within_the_limit() {
    let folder = built(&FOUR, &[2, 5]);
    let player = player(folder.path());
    let database = &player.database;
    let answer_in = |database: &Database, position: &Position| {
        let answer = database.answer(position);
        answer.unwrap_or_else(|error| panic!("{}: {error}", position.text(&FOUR)))
    };
    let within = |position: &Position| database.answer_within(position, Some(1));
    let mut random = Random::new(2);
    for _ in 0..10 {
        for position in random_game(&FOUR, &mut random) {
            let answer = within(&position).expect("no search of this length");
            assert_eq!(answer, answer_in(database, &position));
            assert_eq!(answer.source, millbase::Source::Database);
        }
    }
    let pairs = TempDir::new().expect("a folder");
    for (name, bytes) in PAIRS_OF_FOUR.iter() {
        fs::write(pairs.path().join(name), bytes).expect("a file");
    }
    let pairs = Database::open(pairs.path(), FOUR).expect("databases");
    // Nobody can have closed the mills for which these stones were lost.
    for text in [
        "********/********/******** b p p 0 3 0 4 0 0",
        "O*******/********/*******@ w p p 1 2 1 2 0 0",
    ] {
        let position = Position::parse(text, &FOUR).expect("a position");
        let is_refused = || match within(&position) {
            Err(DbError::NotStored(why)) => why.contains("no game reaches"),
            _ => false,
        };
        assert!(is_refused(), "{text}");
        let answer = answer_in(database, &position);
        assert_eq!(answer, answer_in(&pairs, &position), "{text}");
        assert_eq!(answer.source, millbase::Source::Search);
        // Whether the limit suffices does not depend on the answers before.
        assert!(is_refused(), "{text}");
        if position.in_hand(Side::White) == 3 {
            assert!(player.look_up(&Game::new(FOUR, position)).is_err());
        }
    }
}

/// No file of the placing phase helps where no game reaches the position.
#[test]
fn files_are_missing_only_for_what_games_reach() {
    let empty: &'static [u8] = b"";
    let database = Database::embedded(Rules::STANDARD);
    let database = database.with_file("placing-14.mill", Box::new(empty));
    for (hands, words) in [
        ("0 9 0 9", "too many stones are still in hand"),
        ("0 8 0 8", "no game reaches"),
    ] {
        let text = format!("********/********/******** w p p {hands} 0 0");
        let position = Position::parse(&text, &Rules::STANDARD).expect("a position");
        let error = database.probe(&position).expect_err("no file").to_string();
        assert!(error.contains(words), "{error}");
    }
}

/// Solves pairs of five stones, which takes some time.
#[test]
#[ignore = "takes minutes"]
fn five_stones_agree_with_plain_search_in_random_games() {
    agrees_with_plain_search(&FIVE, &[3, 7], 40);
    let diagonals = Rules {
        diagonals: true,
        ..FIVE
    };
    agrees_with_plain_search(&diagonals, &[3, 7], 40);
}

/// The value of a position of the moving phase. Other tests check these with the plain rules.
fn value_in(database: &Database, position: &PlainPosition) -> Value {
    let [mover, waiting] =
        [position.side, position.side.enemy()].map(|side| library_set(position.set_of(side)));
    let value = database.probe(&Position::moving(mover, waiting));
    value.expect("stones enough")
}

/// The last placements of random games have the values of a plain search.
fn agrees_with_plain_search(rules: &Rules, keep: &[u8], games: u32) {
    let folder = built(rules, keep);
    let database = open(folder.path(), rules);
    agree_with_plain_search(&database, &database, games);
}

/// The same of databases whose values of the moving phase are those of `depths`.
fn agree_with_plain_search(database: &Database, depths: &Database, games: u32) {
    let rules = database.rules();
    let moving = |position: &PlainPosition| value_in(depths, position);
    let mut plain = Plain::new(rules, &moving);
    let mut random = Random::new(1);
    let mut decided = 0;
    let skipped = 2 * usize::from(rules.stones) - 3;
    for _ in 0..games {
        for position in random_game(rules, &mut random).into_iter().skip(skipped) {
            let expected = plain.value(&plain_position(&position));
            let value = database.probe(&position).expect("files");
            let first = database.plies().next().expect("a file");
            let expected = match first.metric() {
                Metric::Depth => expected,
                Metric::Wdl => expected.without_depth(),
            };
            assert_eq!(value, expected, "{}", position.text(rules));
            decided += u32::from(expected != Value::Draw);
        }
    }
    assert!(decided > games * 2 / 3, "{decided}");
}

/// The positions of a game with stones in hand. Turns that close a mill are preferred.
fn random_game(rules: &Rules, random: &mut Random) -> Vec<Position> {
    let mut positions = vec![Position::start(rules)];
    loop {
        let last = &positions[positions.len() - 1];
        let turns = last.turns(rules);
        let captures = turns.iter().filter(|turn| !turn.removed().is_empty());
        let captures: Vec<_> = captures.copied().collect();
        let turn = match captures.is_empty() || random.below(4) == 0 {
            true => random.pick(&turns),
            false => random.pick(&captures),
        };
        let next = last.after(*turn);
        if !next.is_placing() || next.is_over(rules) {
            return positions;
        }
        positions.push(next);
    }
}

#[test]
fn games_never_leave_what_is_taken_as_reachable() {
    let removal_from_mills = Rules {
        removal_from_mills: true,
        ..Rules::STANDARD
    };
    let diagonal = Rules {
        stones: 12,
        diagonals: true,
        ..Rules::STANDARD
    };
    for (rules, games) in [
        (Rules::STANDARD, 3000),
        (removal_from_mills, 1000),
        (diagonal, 200),
    ] {
        let stage_sets = StageSets::new(&rules, 2 * rules.stones - 1);
        let mut random = Random::new(2);
        let mut stages = BTreeSet::new();
        for _ in 0..games {
            for position in random_game(&rules, &mut random) {
                let text = position.text(&rules);
                assert!(is_possible(&stage_sets, &position, &rules), "{text}");
                stages.insert(Stage::of(&position, &rules));
            }
        }
        assert!(stages.len() > 70, "{}", stages.len());
    }
}

/// For each ply the number of distinct positions that games can reach, and the number that counts
/// as reachable.
#[test]
fn little_more_than_what_games_come_to_is_taken_as_reachable() {
    let rules = Rules::STANDARD;
    let layers = all_positions(&rules, 7);
    let stage_sets = StageSets::new(&rules, 7);
    for (ply, layer) in layers.iter().enumerate() {
        assert!(
            layer
                .iter()
                .all(|position| is_possible(&stage_sets, position, &rules))
        );
        let mut taken = 0;
        for stage in stage_sets.stages_of(ply as u8) {
            taken += possible_positions(&stage_sets, stage);
        }
        assert!(
            layer.len() <= taken && taken <= layer.len() + 10,
            "{ply}: {taken}"
        );
    }
}

/// The number of distinct positions of a stage that count as reachable.
fn possible_positions(stage_sets: &StageSets, stage: Stage) -> usize {
    let (mover, waiting) = (stage.mover(), stage.mover().other());
    let index = Index::new(Material::new(stage.stones(mover), stage.stones(waiting)));
    let columns = index.columns().count();
    let in_row = |row: usize| {
        let first = index.first_columns(row);
        let distinct =
            (0..columns).filter(|&column| first.as_ref().is_none_or(|f| f.contains(column)));
        let sets = distinct.map(|column| index.sets(row * columns + column));
        let taken = sets.filter(|&(mine, others)| stage_sets.allows(stage, mine, others));
        taken.count()
    };
    (0..index.rows().len()).map(in_row).sum()
}

#[test]
fn mills_that_nobody_can_have_closed_are_left_out() {
    let rules = Rules::STANDARD;
    let stage_sets = StageSets::new(&rules, 17);
    let cases = [
        // White has a mill, and Black has lost no stone, or one.
        ("OO*****O/********/*@*@**** b p p 3 6 2 7 0 0", false),
        ("OO*****O/********/*@****** b p p 3 6 1 7 0 0", true),
        // Black has lost a stone, but White has no mill.
        ("OO**O***/********/*@****** b p p 3 6 1 7 0 0", false),
        // Two mills, closed by one stone or one after the other.
        ("OO*****O/O*******/O@*@*@*@ b p p 5 4 4 5 0 0", false),
        ("OO*****O/O*******/O@*@*@** b p p 5 4 3 5 0 0", true),
        ("OO*****O/O*******/O@*@**** b p p 5 4 2 5 0 0", true),
        ("OO*****O/O*******/O@****** b p p 5 4 1 5 0 0", false),
    ];
    for (text, expected) in cases {
        let position = Position::parse(text, &rules).expect("a position");
        assert_eq!(
            is_possible(&stage_sets, &position, &rules),
            expected,
            "{text}"
        );
    }
}

#[test]
fn an_interrupted_build_goes_on_with_the_same_bytes() {
    let whole = built(&FOUR, &[1, 4]);
    let expected = databases(whole.path());
    assert!(expected.contains_key("placing-01.mill") && !expected.contains_key("placing-02.mill"));
    let second =
        |event: BuildEvent<'_>| matches!(event, BuildEvent::PlyFinished(report) if report.ply == 2);
    let sixth =
        |event: BuildEvent<'_>| matches!(event, BuildEvent::StageSolved(stage) if stage.ply == 6);
    let stops: [(Stop<'_>, u8, bool); 2] = [(&second, 2, false), (&sixth, 6, true)];
    for (stop, ply, again) in stops {
        let folder = built(&FOUR, &[]);
        let path = folder.path();
        for name in [
            ".placing-01.mill.0123.tmp",
            ".placing-01.0-0.stage.0123.tmp",
        ] {
            fs::write(path.join(name), "begun").expect("a file");
        }
        let locked = BuildFolder::lock(path).expect("a folder of our own");
        interrupt(&plan(path, &FOUR, &[], &[1, 4]), &locked, stop);
        drop(locked);
        assert_eq!(plies_to_solve(path, &[1]).contains(&ply), again);
        let begun = format!("placing-{ply:02}.");
        assert!(
            stage_files(path)
                .iter()
                .any(|name| name.starts_with(&begun))
        );
        build_in(path, &FOUR, &[1, 4]);
        assert!(databases(path) == expected);
        let names = names(path).into_iter();
        let left: Vec<String> = names.filter(|name| !name.ends_with(".mill")).collect();
        assert!(left.is_empty(), "{left:?}");
    }
}

type Stop<'a> = &'a dyn Fn(BuildEvent<'_>) -> bool;

/// Begins a build, and ends it after the first event for which `stop` is true.
fn interrupt(plan: &BuildPlan, locked: &BuildFolder, stop: Stop<'_>) {
    let begin = AssertUnwindSafe(|| {
        plan.run(locked, &mut |event| {
            assert!(!stop(event), "the build is stopped")
        })
    });
    assert!(catch_unwind(begin).is_err());
}

/// The plies of four stones that a build would solve.
fn plies_to_solve(folder: &Path, keep: &[u8]) -> Vec<u8> {
    let plan = plan(folder, &FOUR, &[], keep);
    plan.plies().iter().map(|planned| planned.ply).collect()
}

#[test]
fn files_do_not_depend_on_the_number_of_threads() {
    let bytes = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let pool = pool.build().expect("threads");
        pool.install(|| databases(built(&FOUR, &[0, 1, 2, 3, 4, 5, 6, 7]).path()))
    };
    let expected = bytes(1);
    assert_eq!(expected.len(), 3 + 8);
    for threads in [2, 5] {
        assert!(bytes(threads) == expected);
    }
}

#[test]
fn damage_is_found() {
    let folder = built(&THREE, &[3]);
    let path = folder.path().join(file_name(3));
    let whole = fs::read(&path).expect("the file");
    let positions = &all_positions(&THREE, 3)[3];
    let ask = |database: &Database| {
        let answers = positions.iter().map(|position| database.probe(position));
        answers.collect::<Result<Vec<_>, _>>()
    };
    let database = open(folder.path(), &THREE);
    let expected = ask(&database).expect("answers");
    let damaged = |bytes: &[u8]| {
        fs::write(&path, bytes).expect("the file");
        let database = Database::open(folder.path(), THREE).expect("a folder");
        let answers = ask(&database);
        match answers {
            Err(DbError::Corrupt { file, .. }) => assert_eq!(file, path),
            Err(DbError::OtherVersion { .. }) => {}
            answers => panic!("{answers:?} instead of {}", expected.len()),
        }
    };
    for place in (0..whole.len()).step_by(whole.len() / 300) {
        let mut bytes = whole.clone();
        bytes[place] ^= 0x10;
        damaged(&bytes);
    }
    for length in (0..whole.len()).step_by(whole.len() / 30) {
        damaged(&whole[..length]);
    }
    damaged(&[&whole[..], b"!"].concat());
}

#[test]
fn answers_come_from_the_files() {
    let folder = built(&THREE, &[1, 4]);
    let database = Database::open(folder.path(), THREE).expect("databases");
    let start = Position::start(&THREE);
    let answer = database.answer(&start).expect("an answer");
    assert_eq!(answer.source, millbase::Source::Database);
    assert_eq!(answer.value, Value::Win(millbase::Dtw(23)));
    assert_eq!(answer.turns.len(), 24);
    assert_eq!(answer.turns[0].value, answer.value);
    // Also if only a removal is pending.
    let text = "OO*****O/********/@@****** w p r 3 0 2 1 1 0";
    let owed = Position::parse(text, &THREE).expect("a position");
    let answer = database.answer(&owed).expect("an answer");
    assert_eq!(answer.source, millbase::Source::Database);
    assert_eq!(answer.value, Value::Win(millbase::Dtw(1)));
    assert_eq!(answer.turns.len(), 2);
}

#[test]
fn rules_with_a_removal_for_each_mill_are_refused() {
    let folder = TempDir::new().expect("a folder");
    let rules = Rules {
        removal_per_mill: true,
        ..THREE
    };
    let request = request(&rules, &[], &[5]);
    let refused = millbase::solve::build(folder.path(), &request, &mut |_| ());
    let refused = refused.expect_err("no way to solve it");
    assert!(matches!(refused, SolveError::Rules(_)), "{refused}");
    assert!(refused.to_string().contains("each mill"), "{refused}");
}

/// All databases, in the folder that `MILLBASE_DB` names.
fn complete() -> Database {
    let folder = std::env::var_os("MILLBASE_DB").expect("MILLBASE_DB names the folder");
    open(Path::new(&folder), &Rules::STANDARD)
}

/// The value by plain search down to the moving phase, with a cutoff: the search of a position ends
/// as soon as its best turn so far makes the turn that led there no better than `known`, the best
/// value of the side that made it. `seen` has the values found, and whether all turns were
/// searched.
fn searched(
    database: &Database,
    position: &Position,
    known: Option<Value>,
    seen: &mut HashMap<Position, (Value, bool)>,
) -> Value {
    let enough = |value: Value| known.is_some_and(|known| value.backed_up() <= known);
    if !position.is_placing() {
        return database.probe(position).expect("a database");
    }
    match seen.get(position) {
        Some(&(value, whole)) if whole || enough(value) => return value,
        _ => {}
    }
    let mut turns = position.turns(database.rules());
    turns.sort_by_key(|turn| turn.removed().is_empty());
    let mut best = None;
    for turn in turns {
        let after = position.after(turn);
        best = best.max(Some(searched(database, &after, best, seen).backed_up()));
        if best.is_some_and(enough) {
            break;
        }
    }
    let value = best.unwrap_or(Value::LOST);
    seen.insert(*position, (value, !enough(value)));
    value
}

#[test]
#[ignore = "needs all databases, see complete()"]
fn a_thousand_positions_of_each_late_ply_agree_with_plain_search() {
    let database = complete();
    let rules = Rules::STANDARD;
    let mut random = Random::new(3);
    for ply in 12..18 {
        let (mut checked, mut decided) = (0, 0);
        while checked < 1000 {
            let Some(&position) = random_game(&rules, &mut random).get(ply) else {
                continue;
            };
            let expected = searched(&database, &position, None, &mut HashMap::new());
            let value = database.probe(&position).expect("files");
            assert_eq!(value, expected, "{}", position.text(&rules));
            let turns = database.turns(&position).expect("files");
            assert_eq!(turns[0].value, expected);
            checked += 1;
            decided += u32::from(expected != Value::Draw);
        }
        println!("{ply} placements: {checked} values agree, {decided} of them won or lost");
    }
}

#[test]
#[ignore = "needs all databases, see complete()"]
fn the_first_two_turns_agree_with_the_proof() {
    let database = complete();
    let rules = Rules::STANDARD;
    let symmetries = crate::common::symmetries();
    let images = |position: &Position| {
        let sets = [Side::White, Side::Black].map(|side| position.stones(side));
        let turned = |symmetry| sets.map(|set| crate::common::turned(symmetry, set));
        symmetries.iter().map(turned).min().expect("16 images")
    };
    let mut distinct = vec![Position::start(&rules)];
    let mut last = distinct.clone();
    for count in [4, 46] {
        let after = |position: &Position| {
            let turns = position.turns(&rules).into_iter();
            turns.map(|turn| position.after(turn)).collect::<Vec<_>>()
        };
        let mut next: Vec<Position> = last.iter().flat_map(after).collect();
        next.sort_by_key(images);
        next.dedup_by_key(|position| images(position));
        assert_eq!(next.len(), count);
        distinct.extend(&next);
        last = next;
    }
    let options = ProofOptions {
        pairs: prove::proof_pairs(&rules),
        others: true,
        hash_bytes: 512 << 20,
        threads: 2,
    };
    let mut prover = Prover::new(&database, &options).expect("pairs");
    for position in &distinct {
        let proved = prover.prove(position).expect("files");
        let value = database.probe(position).expect("files");
        let wdl = Some(value.wdl());
        let text = position.text(&rules);
        assert_eq!(proved.result_for(position.side_to_move()), wdl, "{text}");
    }
    println!("{} positions agree", distinct.len());
}

#[test]
#[ignore = "needs all databases, see complete()"]
fn known_positions_have_their_values() {
    let database = complete();
    for row in crate::common::rows(include_str!("../data/placing.csv")) {
        let [fen, wdl, dtw] = row[..] else {
            panic!("three columns")
        };
        let position = Position::parse(fen, &Rules::STANDARD).expect("a position");
        let value = database.probe(&position).expect("files");
        assert_eq!(value.wdl().name(), wdl, "{fen}");
        assert_eq!(value.dtw().map(|dtw| dtw.0), dtw.parse().ok(), "{fen}");
    }
}

/// Prints how long all turns of a position take to be ranked, at first and once the rows that it
/// needs are at hand.
#[test]
#[ignore = "needs all databases, see complete(), and a quiet machine"]
fn answers_are_quick() {
    let database = complete();
    let rules = Rules::STANDARD;
    let mut random = Random::new(4);
    let mut samples: Vec<Vec<Position>> = vec![Vec::new(); 18];
    while samples.iter().any(|samples| samples.len() < 200) {
        for position in random_game(&rules, &mut random) {
            samples[usize::from(Stage::of(&position, &rules).ply)].push(position);
        }
    }
    for (ply, mut samples) in samples.into_iter().enumerate() {
        // Early positions are few, and the same ones come again.
        samples.truncate(200);
        let ask = |position| {
            let start = Instant::now();
            let turns = database.turns(position).expect("files");
            assert!(!turns.is_empty());
            start.elapsed()
        };
        let mut times = [Vec::new(), Vec::new()];
        for position in &samples {
            times[0].push(ask(position));
            // The best of three, because other programs may be running.
            times[1].extend((0..3).map(|_| ask(position)).min());
        }
        let [first, again] = times.map(|mut times| {
            times.sort();
            [times[times.len() / 2], times[times.len() * 99 / 100]]
        });
        println!("{ply:2} placements: first {first:.0?}, again {again:.0?}");
        assert!(again[1] < Duration::from_millis(5));
    }
}
