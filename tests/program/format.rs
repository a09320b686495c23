//! docs/FORMAT.md suffices to read the files: a Python reader that was written from it finds the
//! same values as the library.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::Path;

use crate::common::{Random, build, build_with, root};
use crate::{process, repack};
use millbase::store::{Compression, Profile};
use millbase::{Database, Material, Pair, Position, Rules, Side, Value};
use tempfile::TempDir;

const RULES: Rules = Rules::STANDARD;

/// The sides of the pairs in `db/`, White's first. The file of the pair with four stones each omits
/// positions.
const STONES: [(u32, u32); 10] = [
    (3, 3),
    (4, 4),
    (4, 4),
    (4, 3),
    (3, 4),
    (5, 3),
    (3, 5),
    (5, 4),
    (4, 5),
    (6, 3),
];

/// The Python reader's text of a value.
fn printed(value: Value) -> String {
    let depth = value.dtw().map(|depth| format!(" {}", depth.0));
    format!("{}{}", value.wdl(), depth.unwrap_or_default())
}

/// The output of the reader for positions; `None` without Python.
fn read(folder: &Path, rules: &Rules, positions: &[Position]) -> Option<Vec<String>> {
    let reader = root().join("tools/read_mill.py");
    let lines: String = positions
        .iter()
        .map(|position| position.text(rules) + "\n")
        .collect();
    let name = match *rules {
        Rules {
            diagonals: true, ..
        } => "dooz",
        Rules {
            moves_while_placing: true,
            ..
        } => "lasker",
        _ => "standard",
    };
    let mut command = process::python()?;
    command.arg(reader).args(["--rules", name]).arg(folder);
    let run = process::run_with(&mut command, lines);
    Some(run.lines().into_iter().map(str::to_string).collect())
}

#[test]
fn the_documentation_suffices_to_read_the_files() {
    let folder = root().join("db");
    let database = Database::open(&folder, RULES).unwrap();
    let kinds = compare(&folder, &database, &some_positions(1000));
    assert!(kinds.is_none_or(|kinds| kinds.len() == 3));
}

#[test]
fn the_documentation_suffices_to_read_the_smallest_files() {
    let original = Database::embedded(RULES);
    // Most values follow from those of a hundred other positions.
    let kinds = compare(repack::smallest(), &original, &repacked(20));
    assert!(kinds.is_none_or(|kinds| kinds.len() == 3));
}

#[test]
fn the_documentation_suffices_to_read_files_without_depths() {
    for (folder, count) in repack::without_depths().into_iter().zip([200, 20]) {
        let database = Database::open(folder, RULES).unwrap();
        let kinds = compare(folder, &database, &repacked(count));
        assert!(kinds.is_none_or(|kinds| kinds.len() == 3));
    }
}

/// Some positions of the pairs that are repacked.
fn repacked(count: usize) -> Vec<Position> {
    let mut positions = some_positions(count);
    positions.retain(|position| {
        let pair = Material::of(position.mover(), position.waiting()).pair();
        let file = format!("{}.mill", pair.unwrap());
        repack::smallest().join(file).exists()
    });
    positions
}

fn some_positions(count: usize) -> Vec<Position> {
    let mut random = Random::new(12);
    let mut positions = Vec::new();
    while positions.len() < count {
        let (white, black) = STONES[positions.len() % STONES.len()];
        let position = random.position(white, black);
        positions.push(match random.below(2) {
            0 => position,
            _ => position.with_colours_exchanged(),
        });
    }
    positions
}

/// Games whose files are solved in seconds. With three stones a side, positions are won and lost; with
/// four, sides lose stones while placing. The pairs are those of nine stones, which the number of
/// stones does not change. Of each game the plies that have files, and the first one asked about: some
/// positions follow from the next file.
const SMALL: [(u8, [u8; 3], u8); 2] = [(3, [2, 3, 5], 2), (4, [4, 5, 7], 4)];

#[test]
fn the_documentation_suffices_to_read_the_files_of_the_placing_phase() {
    let pairs = root().join("db");
    for (stones, keep, first) in SMALL {
        let rules = Rules { stones, ..RULES };
        let folder = TempDir::new().unwrap();
        for name in ["3-3.mill", "4-3.mill", "4-4.mill"] {
            fs::copy(pairs.join(name), folder.path().join(name)).unwrap();
        }
        build(folder.path(), &rules, &[], &keep);
        let database = Database::open(folder.path(), rules).unwrap();
        let mut random = Random::new(3);
        let mut positions = Vec::new();
        while positions.len() < 200 {
            let mut position = Position::start(&rules);
            for ply in 0..2 * stones {
                if ply >= first && position.is_placing() && !position.is_over(&rules) {
                    positions.push(position);
                }
                // Random games would close too few mills, so turns that close one are preferred.
                let turns = position.turns(&rules);
                let capture = turns.iter().find(|turn| !turn.removed().is_empty());
                let turn = capture.filter(|_| random.below(3) > 0);
                position = position.after(*turn.unwrap_or_else(|| random.pick(&turns)));
                if position.is_over(&rules) {
                    break;
                }
            }
        }
        let kinds = compare(folder.path(), &database, &positions);
        if stones == 3 {
            assert!(kinds.is_none_or(|kinds| kinds.len() == 3));
        } else {
            let in_play = |position: &Position| {
                let stones = |side| position.stones(side).len() + u32::from(position.in_hand(side));
                stones(Side::White) + stones(Side::Black)
            };
            let lost = positions.iter().filter(|position| in_play(position) < 8);
            assert!(lost.count() > 20);
        }
    }
}

#[test]
fn the_documentation_suffices_to_read_the_files_of_pairs_with_stones_in_hand() {
    compare_games([
        (Rules::LASKER, 3, Compression::Quick, 6),
        (Rules::DOOZ, 3, Compression::Quick, 6),
    ]);
}

#[test]
#[ignore = "takes minutes: tools/slow-tests sectors"]
fn the_documentation_suffices_to_read_the_files_of_sectors_with_four_stones() {
    compare_games([
        (Rules::LASKER, 4, Compression::Max, 1),
        (Rules::DOOZ, 4, Compression::Quick, 8),
    ]);
}

/// Compares the values of games whose pairs have stones in hand: the rules and the number of stones, the level of the
/// files, and the most stones in hand of the positions asked about. Where files omit rows, the reader searches
/// minutes for positions with more.
fn compare_games(games: [(Rules, u8, Compression, u8); 2]) {
    for (rules, stones, compression, most) in games {
        let rules = Rules { stones, ..rules };
        let pairs = Pair::all(&rules);
        let folder = TempDir::new().unwrap();
        let profile = Profile {
            compression,
            ..Profile::default()
        };
        build_with(folder.path(), &rules, &pairs, profile, &[]);
        let database = Database::open(folder.path(), rules).unwrap();
        let mut positions = of_each_pair(&rules, &pairs);
        let in_hand = |position: &Position| {
            let [white, black] = [Side::White, Side::Black].map(|side| position.in_hand(side));
            white + black
        };
        positions.retain(|position| in_hand(position) <= most);
        let placing = positions.iter().filter(|position| position.is_placing());
        assert!(placing.count() > 50);
        let kinds = compare(folder.path(), &database, &positions);
        // Of the values of Lasker's game with three stones, one in a hundred is a draw.
        assert!(kinds.is_none_or(|kinds| kinds.contains("win") && kinds.contains("loss")));
    }
}

/// Positions of random games, up to ten of each table of the pairs, and some of nearly every table.
fn of_each_pair(rules: &Rules, pairs: &[Pair]) -> Vec<Position> {
    const EACH: usize = 10;
    let mut random = Random::new(5);
    let mut found: BTreeMap<[u32; 4], Vec<Position>> = BTreeMap::new();
    for _ in 0..3000 {
        let mut position = Position::start(rules);
        for _ in 0..40 {
            if position.is_over(rules) {
                break;
            }
            let sides = [position.side_to_move(), position.side_to_move().other()];
            let [[mover, in_hand], [waiting, waiting_in_hand]] =
                sides.map(|side| [position.stones(side).len(), position.in_hand(side).into()]);
            let known = found.entry([mover, waiting, in_hand, waiting_in_hand]);
            let known = known.or_default();
            if known.len() < EACH && !known.contains(&position) {
                known.push(position);
            }
            let turns = position.turns(rules);
            let capture = turns.iter().find(|turn| !turn.removed().is_empty());
            let turn = capture.filter(|_| random.below(3) > 0);
            position = position.after(*turn.unwrap_or_else(|| random.pick(&turns)));
        }
    }
    let tables: usize = pairs.iter().map(|pair| pair.tables(rules).len()).sum();
    assert!(10 * found.len() > 9 * tables, "{} of {tables}", found.len());
    found.into_values().flatten().collect()
}

/// Compares the output of the Python reader with the values of the library, and returns the kinds
/// of values that occurred; `None` without Python.
fn compare(folder: &Path, database: &Database, positions: &[Position]) -> Option<HashSet<String>> {
    let rules = database.rules();
    let found = read(folder, rules, positions)?;
    assert_eq!(found.len(), positions.len());
    for (position, found) in positions.iter().zip(&found) {
        let expected = printed(database.probe(position).unwrap());
        assert_eq!(*found, expected, "{}", position.text(rules));
    }
    let kinds = found.iter().filter_map(|answer| answer.split(' ').next());
    Some(kinds.map(str::to_owned).collect())
}
