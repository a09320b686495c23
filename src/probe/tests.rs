//! Tests of the public interface on made-up values: values survive writing and reading, turns are
//! ranked, lines end, and neither caches nor threads change an answer. `store::tests` tests
//! unusable files.

use std::fs;

use tempfile::TempDir;

use super::lookup::cache_key;
use super::*;
use crate::board::symmetry::Symmetry;
use crate::board::{Point, PointSet};
#[cfg(feature = "embedded")]
use crate::index::Pair;
#[cfg(feature = "embedded")]
use crate::index::histogram::Histogram;
use crate::index::{Index, Material};
use crate::rules::Rules;
use crate::rules::position::Position;
use crate::search::key;
use crate::solve::{BuildRequest, build};
use crate::store::tests::specimen::{
    Random, folder_with, histograms, made_up, pair, stored_table, write,
};
use crate::store::{Compression, DbError, Profile, file_name};
use crate::value::{Dtw, Metric, Value};

const RULES: Rules = Rules::STANDARD;

/// The entry's position under a random symmetry and with random colours.
fn some_position(index: &Index, entry: usize, random: &mut Random) -> Position {
    let (mover, waiting) = index.sets(entry);
    let turned = Symmetry::numbered((random.word() as u8).into());
    let position = Position::moving(turned.apply(mover), turned.apply(waiting));
    match random.below(2) {
        0 => position,
        _ => position.with_colours_exchanged(),
    }
}

#[test]
fn values_survive_writing_and_reading() {
    let pairs = [pair(3, 3), pair(4, 3)];
    for run in [1, 7, 100_000] {
        let (folder, values) = folder_with(&pairs, run);
        let database = Database::open(folder.path(), RULES).unwrap();
        let files: Vec<_> = database.pairs().filter(|f| f.path().is_some()).collect();
        assert_eq!(files.len(), pairs.len());
        for (file, (&pair, values)) in files.into_iter().zip(pairs.iter().zip(&values)) {
            assert!(database.has(pair));
            assert_eq!(file.pair(), pair);
            assert_eq!(
                (file.metric(), file.compression()),
                (Metric::Depth, Compression::Quick)
            );
            let path = folder.path().join(file_name(pair));
            assert_eq!(file.bytes(), fs::metadata(&path).unwrap().len());
            assert_eq!(file.path(), Some(path.as_path()));
            let loaded = crate::solve::load(&database, stored_table(pair)).unwrap();
            assert!(loaded[..] == *values, "{pair}");
            for (material, histogram) in pair.tables().into_iter().zip(histograms(pair, values)) {
                assert_eq!(database.histogram(material).unwrap(), &histogram);
            }
        }
    }
}

#[test]
fn files_without_depths_hold_win_draw_and_loss() {
    let pair = pair(4, 3);
    let values = made_up(pair, 2);
    for compression in [Compression::Quick, Compression::Max] {
        let profile = Profile {
            metric: Metric::Wdl,
            compression,
        };
        let folder = TempDir::new().unwrap();
        write(folder.path(), pair, &values, profile).unwrap();
        let database = Database::open(folder.path(), RULES).unwrap();
        let file = database.file(pair).unwrap();
        assert_eq!(
            (file.metric(), file.compression()),
            (Metric::Wdl, compression)
        );
        let material = stored_table(pair);
        let histograms = histograms(pair, &values);
        let (full, counted) = (&histograms[0], database.histogram(material).unwrap());
        assert_eq!(
            (full.wins(), full.draws(), full.losses()),
            (counted.wins(), counted.draws(), counted.losses())
        );
        let index = Index::new(material);
        let mut random = Random::new(8);
        let mut held = 0;
        for _ in 0..500 {
            let entry = random.below(index.len());
            let (mover, waiting) = index.sets(entry);
            let stored = index.find(mover, waiting);
            let position = Position::moving(mover, waiting);
            let expected = Value::from_byte(values[stored]).wdl();
            let found = database.probe_wdl(&position).unwrap();
            if file.holds(mover, waiting) {
                assert_eq!(found, expected);
                held += 1;
            }
            let value = database.probe(&position).unwrap();
            assert_eq!((value.wdl(), value.dtw()), (found, None));
            let turns = database.turns(&position).unwrap();
            assert!(turns.iter().all(|ranked| ranked.value.dtw().is_none()));
            let error = database.line(&position, 9).unwrap_err();
            assert!(matches!(error, DbError::NoDepths { .. }), "{error}");
            assert!(turns.windows(2).all(|two| two[0].order(&two[1]).is_lt()));
            assert_eq!(turns.len(), position.turns(&RULES).len());
        }
        // The smallest files hold every other row, and the other values follow from these.
        match compression {
            Compression::Quick => assert_eq!(held, 500),
            Compression::Max => assert!((200..300).contains(&held), "{held}"),
        }
    }
}

#[test]
fn probing_finds_the_entry_under_every_symmetry() {
    let pairs = [pair(3, 3), pair(4, 3)];
    let (folder, values) = folder_with(&pairs, 1);
    let database = Database::open(folder.path(), RULES).unwrap();
    let mut random = Random::new(1);
    for (pair, values) in pairs.into_iter().zip(values) {
        let index = Index::new(stored_table(pair));
        for _ in 0..20_000 {
            let entry = random.below(index.len());
            let position = some_position(&index, entry, &mut random);
            let value = database.probe(&position).unwrap();
            if position.is_over(&RULES) {
                assert_eq!(value, Value::LOST);
                continue;
            }
            // In a symmetric row, made-up values of one position differ between its entries.
            if !index.rows().is_symmetric(entry / index.columns().count()) {
                assert_eq!(value, Value::from_byte(values[entry]));
            }
        }
    }
}

/// The value of an omitted position is that of its best turn.
#[cfg(feature = "embedded")]
#[test]
fn omitted_values_follow_from_the_turns() {
    let database = Database::embedded(RULES);
    let mut random = Random::new(9);
    for (mover, waiting) in [(3, 4), (3, 6), (4, 5), (4, 4)] {
        let index = Index::new(Material { mover, waiting });
        for _ in 0..2000 {
            let entry = random.below(index.len());
            let position = some_position(&index, entry, &mut random);
            let turns = position.turns(&RULES).into_iter();
            let values =
                turns.map(|turn| database.probe(&position.after(turn)).unwrap().backed_up());
            let best = values.max().unwrap_or(Value::LOST);
            assert_eq!(database.probe(&position).unwrap(), best);
            assert_eq!(database.probe(&position).unwrap(), best);
        }
    }
}

#[test]
fn errors_name_a_missing_file_and_its_folder() {
    let folder = TempDir::new().unwrap();
    let database = Database::open(folder.path(), RULES).unwrap();
    let material = Material {
        mover: 4,
        waiting: 6,
    };
    let error = database.histogram(material).unwrap_err();
    assert!(matches!(error, DbError::Missing { .. }), "{error}");
    let text = format!("the database 6-4 is missing in {}", folder.path().display());
    assert_eq!(error.to_string(), text);
    let error = Database::embedded(RULES).histogram(material).unwrap_err();
    assert_eq!(error.to_string(), "the database 6-4 is missing");
    for (mover, waiting) in [(10, 3), (3, 2), (0, 0), (200, 200)] {
        let error = database.histogram(Material { mover, waiting }).unwrap_err();
        assert!(matches!(error, DbError::NotStored(_)), "{error}");
    }
    let error = database.probe(&Position::start(&RULES)).unwrap_err();
    assert!(matches!(error, DbError::MissingPlies { .. }), "{error}");
}

#[test]
fn many_threads_get_the_same_answers_with_any_cache() {
    let pairs = [pair(3, 3), pair(4, 3)];
    let (folder, _) = folder_with(&pairs, 3);
    let reference = Database::open(folder.path(), RULES).unwrap();
    let index = Index::new(Material {
        mover: 3,
        waiting: 4,
    });
    for cache_bytes in [0, 4000, 64 << 20] {
        let database = Database::open(folder.path(), RULES).unwrap();
        let database = database.with_cache_bytes(cache_bytes);
        std::thread::scope(|scope| {
            for seed in 1..=8 {
                let (database, reference, index) = (&database, &reference, &index);
                scope.spawn(move || {
                    let mut random = Random::new(seed);
                    for _ in 0..200 {
                        let entry = random.below(index.len());
                        let position = some_position(index, entry, &mut random);
                        let expected = reference.probe(&position).unwrap();
                        assert_eq!(database.probe(&position).unwrap(), expected);
                    }
                });
            }
        });
    }
}

#[test]
fn ranked_values_are_asked_for_once() {
    let rules = Rules { stones: 3, ..RULES };
    let folder = TempDir::new().unwrap();
    let request = BuildRequest {
        rules,
        pairs: vec![pair(3, 3)],
        plies: [3].into(),
        profile: Profile::default(),
    };
    build(folder.path(), &request, &mut |_| ()).unwrap();
    let open = || Database::open(folder.path(), rules).unwrap();
    let (database, without) = (open(), open().with_cache_bytes(0));
    let mut random = Random::new(6);
    let (mut placing, mut moving) = (0, 0);
    for _ in 0..30 {
        let mut position = Position::start(&rules);
        for _ in 0..8 {
            if position.is_over(&rules) {
                break;
            }
            let ranked = database.turns(&position).unwrap();
            assert_eq!(ranked, without.turns(&position).unwrap());
            for turn in &ranked {
                // A symmetric position with stones in hand is the same question.
                let turned = Symmetry::numbered(random.below(Symmetry::COUNT) as u32);
                let after = turn.after.with_board_turned(turned);
                let key = match after.is_placing() {
                    true => key::canonical(&after).0,
                    false => cache_key((turn.after.mover(), turn.after.waiting()), Metric::Depth),
                };
                let kept = database.values.get(key).map(Value::from_byte);
                assert_eq!(kept.map(Value::backed_up), Some(turn.value));
                placing += usize::from(after.is_placing());
                moving += usize::from(!after.is_placing());
            }
            assert_eq!(ranked, database.turns(&position).unwrap());
            position = ranked[random.below(ranked.len())].after;
        }
    }
    assert!(placing > 1000 && moving > 200, "{placing}, {moving}");
}

/// A position with White to move, from the names of points.
fn position(white: &str, black: &str) -> Position {
    let set = |names: &str| -> PointSet {
        let points = names.split(' ').map(|name| Point::named(name).unwrap());
        points.collect()
    };
    Position::moving(set(white), set(black))
}

#[test]
fn turns_are_ranked_by_value() {
    let pairs = [pair(3, 3), pair(4, 3)];
    let (folder, _) = folder_with(&pairs, 1);
    let database = Database::open(folder.path(), RULES).unwrap();
    let mut random = Random::new(4);
    for material in pair(4, 3).tables() {
        let index = Index::new(material);
        for _ in 0..200 {
            let entry = random.below(index.len());
            let position = some_position(&index, entry, &mut random);
            let ranked = database.turns(&position).unwrap();
            for turn in &ranked {
                assert_eq!(turn.after, position.after(turn.turn));
                assert_eq!(turn.value, database.probe(&turn.after).unwrap().backed_up());
            }
            for two in ranked.windows(2) {
                let better = two[0].value > two[1].value;
                let later = two[0].value == two[1].value && two[0].turn < two[1].turn;
                assert!(better || later);
            }
            let mut turns: Vec<_> = ranked.iter().map(|ranked| ranked.turn).collect();
            turns.sort();
            assert_eq!(turns, position.turns(&RULES));
        }
    }
}

proptest::proptest! {
    /// Replacing a value by a better one never ranks a turn lower.
    #[test]
    fn the_ranking_is_monotone(a: u8, b: u8, c: u8, first in 0u32..24, second in 0u32..24) {
        let ranked = |value: u8, to: u32| RankedTurn {
            turn: crate::Turn::new(None, Point::new(to), crate::PointSet::EMPTY),
            value: Value::from_byte(value),
            after: Position::start(&RULES),
        };
        let (x, y) = (ranked(a, first), ranked(b, second));
        let better = ranked(c, first);
        proptest::prop_assert_eq!(x.order(&y), y.order(&x).reverse());
        if better.value >= x.value {
            proptest::prop_assert!(better.order(&y) <= x.order(&y));
        }
        if x.value != y.value {
            proptest::prop_assert_eq!(x.order(&y), y.value.cmp(&x.value));
        }
    }
}

#[test]
fn the_rules_give_the_values_that_no_table_holds() {
    let (folder, _) = folder_with(&[pair(3, 3)], 1);
    let database = Database::open(folder.path(), RULES).unwrap();
    // A mill removes one of three stones, so two are left.
    let winning = position("a7 d7 f6", "b2 d2 e4");
    let best = database.turns(&winning).unwrap()[0];
    assert_eq!(best.value, Value::Win(Dtw(1)));
    assert_eq!(best.turn.to_string(), "f6-g7xb2");
    assert!(best.after.is_over(&RULES));
    assert!(database.turns(&best.after).unwrap().is_empty());
    assert_eq!(database.probe(&best.after).unwrap(), Value::LOST);

    let owed = "@*@*@***/********/OO*****O w m r 3 0 3 0 1 0";
    let owed = Position::parse(owed, &RULES).unwrap();
    assert!(owed.removal_owed());
    assert_eq!(database.probe(&owed).unwrap(), Value::Win(Dtw(1)));
}

#[test]
fn lines_follow_the_ranking_to_their_end() {
    let (folder, _) = folder_with(&[pair(3, 3)], 1);
    let database = Database::open(folder.path(), RULES).unwrap();
    let winning = position("a7 d7 f6", "b2 d2 e4");
    let line = database.line(&winning, 10).unwrap();
    assert_eq!((line.turns.len(), line.end), (1, LineEnd::Over));
    assert_eq!(database.line(&winning, 0).unwrap().end, LineEnd::Limit);

    let mut random = Random::new(5);
    let index = Index::new(stored_table(pair(3, 3)));
    for _ in 0..50 {
        let entry = random.below(index.len());
        let start = some_position(&index, entry, &mut random);
        let line = database.line(&start, 40).unwrap();
        let mut positions = vec![start];
        for step in &line.turns {
            let last = positions[positions.len() - 1];
            assert_eq!(database.turns(&last).unwrap()[0], *step);
            positions.push(step.after);
        }
        let last = positions[positions.len() - 1];
        match line.end {
            LineEnd::Over => assert!(last.is_over(&RULES)),
            LineEnd::Quiet => panic!("these rules have no limit"),
            LineEnd::Limit => assert_eq!(line.turns.len(), 40),
            LineEnd::Repetition { from } => assert_eq!(last, positions[from]),
        }
    }
}

#[cfg(feature = "embedded")]
#[test]
fn every_embedded_file_is_undamaged() {
    let database = Database::embedded(RULES);
    let small = |pair: &Pair| pair.stones() <= 9;
    let expected: Vec<Pair> = Pair::all(9).into_iter().filter(small).collect();
    assert_eq!(database.pairs().count(), expected.len());
    for material in expected.into_iter().flat_map(Pair::tables) {
        let values = crate::solve::load(&database, material).unwrap();
        let histogram = Histogram::of_table(&Index::new(material), &values);
        assert_eq!(&histogram, database.histogram(material).unwrap());
    }
}

/// Questions that take long enough for a second thread. It may be the only one that reads a damaged row.
#[cfg(feature = "embedded")]
#[test]
fn a_second_thread_changes_no_answer() {
    let rules = Rules { stones: 3, ..RULES };
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/db/3-3.mill");
    let undamaged = fs::read(path).unwrap();
    let mut random = Random::new(5);
    let positions = [(); 16].map(|()| {
        (0..2).fold(Position::start(&rules), |position, _| {
            let turns = position.turns(&rules);
            position.after(turns[random.below(turns.len())])
        })
    });
    let alone = Database::embedded(rules).on_one_thread();
    let expected = positions.map(|position| alone.turns(&position).unwrap());
    let (mut right, mut errors) = (0, 0);
    for place in (undamaged.len() / 2..undamaged.len()).step_by(700) {
        let mut bytes = undamaged.clone();
        bytes[place] ^= 0x10;
        let database = Database::embedded(rules).with_file("3-3.mill", Box::new(bytes));
        for (position, expected) in positions.iter().zip(&expected) {
            match database.turns(position) {
                Ok(turns) => {
                    assert!(turns == *expected, "{place}: {position:?}");
                    right += 1;
                }
                Err(error) => {
                    assert!(matches!(error, DbError::Corrupt { .. }), "{error}");
                    errors += 1;
                }
            }
        }
    }
    assert!(right > 5 && errors > 5, "{right} answers, {errors} errors");
}
