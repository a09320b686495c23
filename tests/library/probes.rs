//! Tests of probes: values known from elsewhere, and agreement with the values of symmetric
//! positions and of all successors.
//!
//! The pairs with more than nine stones are not part of the program. Those with ten are built here;
//! the known values of the others are checked if the environment variable `MILLBASE_DB` names a
//! folder with their databases.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use crate::common::{
    self, Random, START, before_removal, plain_position, plain_rules, rows, symmetries, turned,
};
use millbase::{Blocked, Database, DbError, Dtw, Material, Pair, Position, Rules, Value, Wdl};
use millbase::{LineEnd, RankedTurn};
use rayon::prelude::*;
use tempfile::TempDir;

const RULES: Rules = Rules::STANDARD;

/// The most stones of the pairs that are part of the program.
const EMBEDDED_STONES: u8 = 9;

/// The stones of the pairs that these tests build.
const BUILT_STONES: u8 = 10;

/// The built-in databases, and those of the pairs that need only these.
pub fn built() -> Database {
    static FILES: LazyLock<BTreeMap<String, Vec<u8>>> = LazyLock::new(|| {
        let folder = TempDir::new().unwrap();
        for (name, bytes) in common::databases(&common::root().join("db")) {
            fs::write(folder.path().join(name), bytes).unwrap();
        }
        let mut pairs = Pair::all(&RULES);
        pairs.retain(|pair| pair.stones() == BUILT_STONES);
        common::build(folder.path(), &RULES, &pairs, &[]);
        common::databases(folder.path())
    });
    let none = Database::embedded(RULES);
    FILES.iter().fold(none, |database, (name, bytes)| {
        database.with_file(name, Box::new(&bytes[..]))
    })
}

/// The databases that are part of the program, and those of `MILLBASE_DB`.
pub fn databases() -> Database {
    match std::env::var_os("MILLBASE_DB") {
        Some(folder) => Database::open(Path::new(&folder), RULES).expect("a folder of databases"),
        None => Database::embedded(RULES),
    }
}

fn pair_of(position: &Position) -> Pair {
    Material::of(position.mover(), position.waiting())
        .pair()
        .expect("a position of a pair")
}

/// A value as the data files write it: result and depth.
fn written(value: Value) -> [String; 2] {
    let depth = value.dtw().map_or(String::new(), |dtw| dtw.to_string());
    [value.wdl().to_string(), depth]
}

/// A build writes the same bytes as the built-in files, on every machine.
#[test]
fn built_files_are_those_of_the_program() {
    let folder = TempDir::new().unwrap();
    let mut pairs = Pair::all(&RULES);
    pairs.retain(|pair| pair.stones() <= 7);
    assert_eq!(pairs.len(), 2);
    common::build(folder.path(), &RULES, &pairs, &[]);
    for pair in pairs {
        let name = millbase::store::file_name(pair);
        let built = std::fs::read(folder.path().join(&name)).unwrap();
        let embedded = Path::new(env!("CARGO_MANIFEST_DIR")).join("db").join(&name);
        assert!(built == std::fs::read(embedded).unwrap(), "{name} differs");
    }
}

#[test]
fn probes_agree_with_the_data() {
    let embedded = Database::embedded(RULES);
    let built = built();
    let all = databases();
    let (mut embedded_pairs, mut built_pairs, mut skipped) = (Vec::new(), Vec::new(), 0);
    for row in rows(include_str!("../data/moving.csv")) {
        let [fen, wdl, dtw] = row[..] else {
            panic!("a row of {} columns", row.len());
        };
        let position = Position::parse(fen, &RULES).unwrap();
        let pair = pair_of(&position);
        let is_right = |database: &Database| {
            let value = database.probe(&position).unwrap();
            assert_eq!(written(value), [wdl, dtw], "{fen}");
        };
        if pair.stones() <= EMBEDDED_STONES {
            is_right(&embedded);
            embedded_pairs.push(pair);
        }
        if pair.stones() == BUILT_STONES {
            is_right(&built);
            built_pairs.push(pair);
        }
        if all.has(pair) {
            is_right(&all);
        } else {
            let missing = all.probe(&position);
            assert!(matches!(missing, Err(DbError::Missing { pair: p, .. }) if p == pair));
            skipped += usize::from(pair.stones() > BUILT_STONES);
        }
    }
    if skipped > 0 {
        eprintln!(
            "{skipped} known values were skipped; to check them, name the folder of all databases \
             in MILLBASE_DB"
        );
    }
    for (mut pairs, least, different) in [(embedded_pairs, 40, 6), (built_pairs, 20, 3)] {
        assert!(pairs.len() >= least);
        pairs.sort();
        pairs.dedup();
        assert_eq!(pairs.len(), different);
    }
}

/// Boards that no game reaches, because their last turn ended it.
#[test]
fn boards_on_which_the_other_side_is_beaten_are_won_at_once() {
    let mut random = Random::new(3);
    for blocked in [Blocked::Loses, Blocked::Passes] {
        let database = Database::embedded(Rules { blocked, ..RULES });
        for mover in 3..=u32::from(RULES.stones) {
            for waiting in 0..3 {
                let position = random.position(mover, waiting);
                let answer = database.answer(&position).unwrap();
                assert_eq!(answer.value, Value::Win(Dtw(1)));
                assert_eq!(database.probe(&position).unwrap(), answer.value);
                assert_eq!(database.probe_wdl(&position).unwrap(), Wdl::Win);
            }
        }
    }
}

/// Positions with stones in hand are read and written like others, but take more than the built-in
/// databases.
#[test]
fn placing_positions_need_more_than_the_built_in_pairs() {
    let database = Database::embedded(RULES);
    let mut count = 0;
    for row in rows(include_str!("../data/placing.csv")) {
        let [fen, _, _] = row[..] else {
            panic!("a row of {} columns", row.len());
        };
        let position = Position::parse(fen, &RULES).unwrap();
        assert_eq!(position.text(&RULES), fen);
        let answer = database.probe(&position);
        assert!(answer.is_err_and(|error| error.is_missing()), "{fen}");
        count += 1;
    }
    assert!(count >= 16, "{count} rows");
}

/// The value of a position by its successors from the plain implementation.
fn best_of_successors(database: &Database, position: &Position) -> Value {
    let plain_rules = plain_rules(&RULES);
    let plain = plain_position(position);
    let successors = plain.turns(&plain_rules).into_iter().map(|turn| {
        let text = plain.after(&turn).text(&plain_rules);
        let after = Position::parse(&text, &RULES).unwrap();
        database.probe(&after).unwrap().backed_up()
    });
    // Without a turn the game is lost.
    successors.max().unwrap_or(Value::LOST)
}

/// Compares a position's value with those of its images, and of its successors.
fn check_value(database: &Database, position: &Position) {
    let text = position.text(&RULES);
    let value = database.probe(position).unwrap();
    for symmetry in symmetries() {
        let [mover, waiting] =
            [position.mover(), position.waiting()].map(|set| turned(&symmetry, set));
        let image = Position::moving(mover, waiting);
        for image in [image, image.with_colours_exchanged()] {
            let probed = database.probe(&image).unwrap();
            assert_eq!(probed, value, "{text} and {}", image.text(&RULES));
        }
    }
    assert_eq!(value, best_of_successors(database, position), "{text}");
}

/// Compares a position's ranked turns with its value and with probes of the positions after them.
fn check_turns(database: &Database, position: &Position) {
    let text = position.text(&RULES);
    let turns = database.turns(position).unwrap();
    let best = turns.first().map_or(Value::LOST, |best| best.value);
    assert_eq!(database.probe(position).unwrap(), best, "{text}");
    let in_order = |a: &RankedTurn, b: &RankedTurn| {
        a.value > b.value || a.value == b.value && a.turn.to_string() < b.turn.to_string()
    };
    assert!(turns.is_sorted_by(in_order), "{text}");
    assert!(turns.is_sorted_by(|a, b| a.order(b).is_lt()), "{text}");
    let mut texts: Vec<String> = turns.iter().map(|ranked| ranked.turn.to_string()).collect();
    let plain = plain_position(position).turns(&plain_rules(&RULES));
    let mut expected: Vec<String> = plain.iter().map(|turn| turn.to_string()).collect();
    texts.sort();
    expected.sort();
    assert_eq!(texts, expected, "{text}");
    for RankedTurn { turn, value, after } in turns {
        assert_eq!(after, position.after(turn), "{text} {turn}");
        let expected = database.probe(&after).unwrap().backed_up();
        assert_eq!(value, expected, "{text} {turn}");
    }
}

/// Compares the value of a position with a pending removal, in the middle of a turn of this
/// position, with its successors; returns whether there is such a position.
fn check_removal(database: &Database, position: &Position) -> bool {
    let plain = plain_position(position);
    let turns = plain.turns(&plain_rules(&RULES));
    let Some(capture) = turns.iter().find(|turn| !turn.removed.is_empty()) else {
        return false;
    };
    let middle = before_removal(position, capture, &RULES);
    let value = database.probe(&middle).unwrap();
    let text = middle.text(&RULES);
    assert_eq!(value, best_of_successors(database, &middle), "{text}");
    check_turns(database, &middle);
    true
}

/// Follows the best line: it has the length of the depth, and each turn keeps the value.
fn check_line(database: &Database, position: &Position) {
    let text = position.text(&RULES);
    let value = database.probe(position).unwrap();
    let line = database.line(position, 1_000).unwrap();
    let first = position;
    let mut position = *position;
    let mut promised = value;
    for RankedTurn { turn, value, after } in &line.turns {
        assert_eq!(*value, promised, "{text} {turn}");
        assert_eq!(*after, position.after(*turn), "{text} {turn}");
        position = *after;
        promised = match *value {
            Value::Win(Dtw(depth)) => Value::Loss(Dtw(depth - 1)),
            Value::Draw => Value::Draw,
            Value::Loss(Dtw(depth)) => Value::Win(Dtw(depth - 1)),
        };
    }
    match value.dtw() {
        Some(Dtw(depth)) => {
            let end = (line.end, line.turns.len());
            assert_eq!(end, (LineEnd::Over, depth.into()), "{text}");
            let loser = plain_position(&position).loser(&plain_rules(&RULES));
            assert!(loser.is_some(), "{text}");
            assert!(database.turns(&position).unwrap().is_empty(), "{text}");
        }
        None => {
            let LineEnd::Repetition { from } = line.end else {
                panic!("{text}: a draw that ends with {:?}", line.end);
            };
            let repeated = line.turns[..from].last().map(|ranked| ranked.after);
            assert_eq!(position, repeated.unwrap_or(*first), "{text}");
        }
    }
}

/// Random positions of every embedded pair, either side to move, asked for by many threads at once.
#[test]
fn random_positions_agree_with_their_images_and_successors() {
    const POSITIONS: usize = 400;
    let database = Database::embedded(RULES);
    let mut random = Random::new(5000);
    for file in Database::embedded(RULES).pairs() {
        for material in file.pair().tables(&RULES) {
            let positions = (0..POSITIONS).map(|number| {
                let position = random.position(material.mover.into(), material.waiting.into());
                match number % 2 {
                    0 => position,
                    _ => position.with_colours_exchanged(),
                }
            });
            let positions: Vec<Position> = positions.collect();
            let removals = positions.par_iter().filter(|position| {
                check_value(&database, position);
                check_turns(&database, position);
                check_line(&database, position);
                check_removal(&database, position)
            });
            assert!(removals.count() > 10, "{material:?}");
        }
    }
}

/// The ends of games, and what no database holds.
#[test]
fn ends_and_stones_in_hand_are_answered_by_rule() {
    let database = Database::embedded(RULES);
    let probe = |text| database.probe(&Position::parse(text, &RULES).unwrap());
    // White has two stones; White's four stones have no empty neighbour.
    for over in [
        "O@*****O/@@*****@/******** w o ? 2 0 4 0 0 0",
        "OOO@***@/@O@*****/******** w o ? 4 0 4 0 0 0",
    ] {
        assert_eq!(probe(over).unwrap(), Value::LOST, "{over}");
    }
    for placing in [START, "*****OOO/*@O***O*/@@@@**O* w p r 6 2 5 3 1 0"] {
        let missing = probe(placing).is_err_and(|error| error.is_missing());
        assert!(missing, "{placing}");
    }
}
