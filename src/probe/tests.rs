//! Tests of the public interface on made-up values: neither caches nor threads change an answer.
//! `store::tests` tests unusable files.

use tempfile::TempDir;

use super::lookup::cache_key;
use super::omitted::Derivation;
use super::*;
use crate::board::symmetry::Symmetry;
use crate::index::{Index, Material, Pair};
use crate::rules::Rules;
use crate::rules::position::Position;
use crate::search::core::Window;
use crate::search::key;
use crate::solve::{BuildRequest, build};
use crate::store::tests::specimen::{Random, made_up, pair, stored_table, write};
use crate::store::{Compression, DbError, Profile};
use crate::value::{Metric, Value};

const RULES: Rules = Rules::STANDARD;

#[test]
fn the_smallest_files_hold_every_other_row() {
    let pair = pair(4, 3);
    for (compression, expected) in [(Compression::Quick, 500..501), (Compression::Max, 200..300)] {
        let profile = Profile {
            metric: Metric::Wdl,
            compression,
        };
        let folder = TempDir::new().unwrap();
        write(folder.path(), pair, &made_up(pair, 2), profile).unwrap();
        let database = Database::open(folder.path(), RULES).unwrap();
        let file = database.file(pair).unwrap();
        assert_eq!(
            (file.metric(), file.compression()),
            (Metric::Wdl, compression)
        );
        let (index, mut random) = (Index::new(stored_table(pair, &RULES)), Random::new(8));
        let held = (0..500).filter(|_| {
            let (mover, waiting) = index.sets(random.below(index.len()));
            file.holds(&Position::moving(mover, waiting))
        });
        assert!(expected.contains(&held.count()), "{compression:?}");
    }
}

#[test]
fn errors_name_a_missing_file_and_its_folder() {
    let folder = TempDir::new().unwrap();
    let database = Database::open(folder.path(), RULES).unwrap();
    let material = Material::new(4, 6);
    let error = database.histogram(material).unwrap_err();
    assert!(matches!(error, DbError::Missing { .. }), "{error}");
    let text = format!("the database 6-4 is missing in {}", folder.path().display());
    assert_eq!(error.to_string(), text);
    let error = Database::embedded(RULES).histogram(material).unwrap_err();
    assert_eq!(error.to_string(), "the database 6-4 is missing");
    for (mover, waiting) in [(10, 3), (3, 2), (0, 0), (200, 200)] {
        let found = database.histogram(Material::new(mover, waiting));
        assert!(matches!(found, Err(DbError::NotStored(_))));
    }
    let error = database.probe(&Position::start(&RULES)).unwrap_err();
    assert!(matches!(error, DbError::MissingPlies { .. }), "{error}");
}

/// Files without depths keep the results of earlier questions, too.
#[test]
fn ranked_values_are_asked_for_once() {
    for metric in Metric::ALL {
        let rules = Rules { stones: 3, ..RULES };
        let folder = TempDir::new().unwrap();
        let profile = Profile {
            metric,
            ..Profile::default()
        };
        let request = BuildRequest {
            rules,
            pairs: vec![pair(3, 3)],
            plies: [3].into(),
            profile,
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
                        false => cache_key(&turn.after, metric),
                    };
                    let kept = database.values.get(key).map(Value::from_byte);
                    let value = kept.map(|kept| metric.shown(kept.backed_up()));
                    assert_eq!(value, Some(turn.value));
                    placing += usize::from(after.is_placing());
                    moving += usize::from(!after.is_placing());
                }
                assert_eq!(ranked, database.turns(&position).unwrap());
                position = ranked[random.below(ranked.len())].after;
            }
        }
        assert!(placing > 1000 && moving > 200, "{placing}, {moving}");
    }
}

/// Questions that take long enough for a second thread. It may be the only one that reads a damaged row.
#[test]
fn a_second_thread_changes_no_answer() {
    let rules = Rules { stones: 3, ..RULES };
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/db/3-3.mill");
    let undamaged = std::fs::read(path).unwrap();
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

/// A question that is given up ends with an error, which the next one does not get.
#[test]
fn a_question_that_is_given_up_ends() {
    let rules = Rules { stones: 4, ..RULES };
    let text = "*****O@*/O***@***/@O****** w p p 3 1 3 1 0 0";
    let position = Position::parse(text, &rules).unwrap();
    let database = Database::embedded(rules);
    let stop: stop::Stop = std::sync::Arc::default();
    let ask = || stop::until(&stop, || database.answer(&position));
    stop.store(true, std::sync::atomic::Ordering::Relaxed);
    assert!(matches!(ask(), Err(DbError::NotStored(_))));
    let expected = Database::embedded(rules).answer(&position).unwrap();
    assert_eq!(database.answer(&position).unwrap(), expected);
    stop.store(false, std::sync::atomic::Ordering::Relaxed);
    assert!(ask().is_ok());
}

/// Many positions at once.
mod bulk {
    use std::borrow::Cow;
    use std::collections::HashMap;
    use std::io;
    use std::path::Path;
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::lock::locked;
    use crate::rules::position::Side;
    use crate::sample::{Family, many};
    use crate::store::ByteSource;

    /// The arrays of positions: [`Masks`] without references.
    struct Arrays {
        stones: [Vec<u32>; 2],
        to_move: Vec<u8>,
        in_hand: [Vec<u8>; 2],
    }

    /// The numbers of values, and how the question ended.
    type Asked = (Vec<(i8, i16)>, Result<(), BulkError>);

    impl Arrays {
        fn of(positions: &[Position]) -> Arrays {
            let sides = [Side::White, Side::Black];
            Arrays {
                stones: sides
                    .map(|side| positions.iter().map(|at| at.stones(side).bits()).collect()),
                to_move: positions.iter().map(|at| at.side_to_move() as u8).collect(),
                in_hand: sides.map(|side| positions.iter().map(|at| at.in_hand(side)).collect()),
            }
        }

        fn ask(&self, database: &Database, threads: usize) -> Asked {
            let masks = Masks {
                white: &self.stones[0],
                black: &self.stones[1],
                to_move: &self.to_move,
                in_hand: Some([&self.in_hand[0], &self.in_hand[1]]),
            };
            let count = masks.count().unwrap();
            let (mut wdl, mut dtw) = (vec![99; count], vec![99; count]);
            let values = Values {
                wdl: &mut wdl,
                dtw: &mut dtw,
            };
            let done = database.probe_many(masks, values, threads);
            (wdl.into_iter().zip(dtw).collect(), done)
        }
    }

    /// Positions of several pairs and with stones in hand, one of them of a missing pair.
    #[test]
    fn many_positions_are_answered_though_files_are_missing() {
        let rules = Rules { stones: 4, ..RULES };
        let families = ["3-3", "4-3", "4-4", "placed-7", "placed-6"].into_iter();
        let positions = families.flat_map(|name| many(&rules, name.parse().unwrap(), 0..60, 5));
        let mut positions: Vec<Position> = positions.collect();
        assert!(positions.len() > 200 && positions.iter().any(Position::is_placing));
        let database = Database::embedded(rules);
        let expected = positions.iter();
        let expected = expected.map(|position| numbers(database.probe(position).unwrap()));
        let expected: Vec<_> = expected.collect();
        for threads in [1, 3] {
            let (values, done) = Arrays::of(&positions).ask(&Database::embedded(rules), threads);
            done.unwrap();
            assert_eq!(values, expected);
        }
        let turns = database.turns_many(&positions, 3);
        assert_eq!(turns.len(), positions.len());
        for (position, turns) in positions.iter().zip(turns) {
            assert_eq!(turns.unwrap(), database.turns(position).unwrap());
        }
        // A position of a pair that no file has: the others keep their answers, on any number of threads.
        let nine = many(&RULES, "9-9".parse().unwrap(), 0..2, 5);
        let mut nines = vec![nine[0]];
        positions.retain(|position| !position.is_placing());
        nines.extend_from_slice(&positions);
        nines.insert(100, nine[1]);
        let database = Database::embedded(RULES);
        for threads in [1, 3] {
            let (values, done) = Arrays::of(&nines).ask(&database, threads);
            let Err(BulkError::Database { index: 0, error }) = done else {
                panic!("{done:?}");
            };
            assert!(matches!(error, DbError::Missing { .. }), "{error}");
            for (place, (value, position)) in values.iter().zip(&nines).enumerate() {
                let expected = match place {
                    0 | 100 => (Values::MISSING, -1),
                    _ => numbers(database.probe(position).unwrap()),
                };
                assert_eq!(*value, expected, "{place}");
            }
            let turns = database.turns_many(&nines, threads);
            let missing: Vec<usize> = (0..nines.len()).filter(|&at| turns[at].is_err()).collect();
            assert_eq!(missing, [0, 100]);
        }
    }

    /// A file that counts how often each of its bytes from a place on is read.
    #[derive(Debug)]
    struct Counted {
        bytes: Vec<u8>,
        reads: Arc<Mutex<HashMap<(usize, u64), usize>>>,
    }

    impl ByteSource for Counted {
        fn size(&self) -> u64 {
            self.bytes.len() as u64
        }

        fn read(&self, start: u64, length: usize) -> io::Result<Cow<'_, [u8]>> {
            let place = (self.bytes.len(), start);
            *locked(&self.reads).entry(place).or_default() += 1;
            Ok(self.bytes[start as usize..][..length].into())
        }
    }

    /// Questions after a warm-up read no head of a file.
    #[test]
    fn databases_are_warmed_up_before_questions() {
        let reads: Arc<Mutex<HashMap<(usize, u64), usize>>> = Arc::default();
        let bytes = std::fs::read("db/5-4.mill").unwrap();
        let source = Counted {
            bytes,
            reads: Arc::clone(&reads),
        };
        let database = Database::embedded(RULES).with_file("5-4.mill", Box::new(source));
        assert!(locked(&reads).is_empty());
        database.warm_up();
        let heads = locked(&reads).clone();
        assert!(heads.keys().all(|&(_, start)| start == 0) && !heads.is_empty());
        let positions = many(&RULES, "5-4".parse().unwrap(), 0..20, 5);
        Arrays::of(&positions).ask(&database, 1).1.unwrap();
        let after = locked(&reads);
        assert!(after.len() > heads.len());
        assert!(heads.iter().all(|(place, count)| after[place] == *count));
    }

    /// Several positions of most rows, of every kind: stored, derived from a row of their own pair, and derived from
    /// captures.
    #[test]
    fn many_positions_are_those_one_by_one_and_read_each_row_once() {
        for (pair, threads) in [("5-4", 1), ("5-4", 3), ("4-4", 2)] {
            let reads = Arc::default();
            let mut database = Database::embedded(RULES);
            for name in ["5-4.mill", "4-4.mill", "4-3.mill"] {
                let bytes = std::fs::read(Path::new("db").join(name)).unwrap();
                let source = Counted {
                    bytes,
                    reads: Arc::clone(&reads),
                };
                database = database.with_file(name, Box::new(source));
            }
            let positions = many(&RULES, pair.parse().unwrap(), 0..20_000, 5);
            let (values, done) = Arrays::of(&positions).ask(&database, threads);
            done.unwrap();
            let reads = locked(&reads);
            // The head, at the start, is read in two steps, and threads may read a page of the directory at the
            // same time.
            let is_again =
                |((_, start), count): &(&(usize, u64), &usize)| *start > 0 && **count > 1;
            let again = reads.iter().filter(is_again);
            assert!(reads.len() > 500);
            assert!(again.count() < threads);
            let others = Database::embedded(RULES);
            for (value, position) in values.iter().zip(&positions).step_by(7) {
                assert_eq!(*value, numbers(others.probe(position).unwrap()));
            }
        }
    }

    /// Files that omit whole rows, and files without depths.
    #[test]
    fn many_positions_of_small_files_are_those_one_by_one() {
        let pair = pair(4, 3);
        let values = made_up(pair, 2);
        for (metric, compression) in [
            (Metric::Depth, Compression::Quick),
            (Metric::Depth, Compression::Max),
            (Metric::Wdl, Compression::Max),
        ] {
            let profile = Profile {
                metric,
                compression,
            };
            let folder = TempDir::new().unwrap();
            write(folder.path(), pair, &values, profile).unwrap();
            let database = Database::open(folder.path(), RULES).unwrap();
            let positions = many(&RULES, Family::Pair(pair), 0..2000, 7);
            let (found, done) = Arrays::of(&positions).ask(&database, 2);
            done.unwrap();
            for (value, position) in found.iter().zip(&positions) {
                assert_eq!(*value, numbers(database.probe(position).unwrap()));
            }
        }
    }

    #[test]
    fn wrong_elements_and_a_stop_end_questions_about_many_positions() {
        let start = Position::start(&RULES);
        let mut arrays = Arrays::of(&[Position::start(&Rules::TEN), start]);
        let database = Database::embedded(RULES);
        let (_, done) = arrays.ask(&database, 1);
        let sentence = done.unwrap_err().to_string();
        let words = "index 0 are not a position: a side has 10 stones in hand";
        assert!(sentence.contains(words), "{sentence}");
        arrays.in_hand[0][0] = 9;
        arrays.in_hand[1][0] = 7;
        let (_, done) = arrays.ask(&database, 1);
        let sentence = done.unwrap_err().to_string();
        let words = "which cannot be when white is to move";
        assert!(sentence.contains(words), "{sentence}");

        let positions = many(&RULES, "5-4".parse().unwrap(), 0..1000, 1);
        let arrays = Arrays::of(&positions);
        let stop: stop::Stop = std::sync::Arc::default();
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        for threads in [1, 2] {
            let (_, done) = stop::until(&stop, || arrays.ask(&database, threads));
            let sentence = done.unwrap_err().to_string();
            assert!(sentence.contains("was stopped"), "{sentence}");
            let turns = stop::until(&stop, || database.turns_many(&positions, threads));
            assert!(turns.iter().all(Result::is_err));
            arrays.ask(&database, threads).1.unwrap();
        }
    }
}

/// The cache of values keeps 56 bits of a key.
#[test]
fn keys_of_the_cache_fit_and_differ() {
    let mut random = Random::new(6);
    let mut keys = std::collections::HashMap::new();
    for _ in 0..30_000 {
        let stones = [0; 2].map(|_| random.below(3) as u8);
        let hands = [0; 2].map(|_| random.below(3) as u8 * 5);
        let material = Material::new(1 + stones[0], 1 + stones[1]).with_hands(hands);
        let index = Index::new(material);
        let (mover, waiting) = index.sets(random.below(index.len()));
        let position = material.position(mover, waiting);
        for metric in [Metric::Depth, Metric::Wdl] {
            let key = cache_key(&position, metric);
            assert!(key >> 56 == 0 && key != 0, "{key:#x}");
            let known = *keys.entry(key).or_insert((position, metric));
            assert_eq!(known, (position, metric));
        }
    }
    assert!(keys.len() > 20_000, "{}", keys.len());
}

/// Values of positions with stones in hand may follow from millions of others: then the derivation gives up, and
/// searches ask only for positions that a file holds.
#[test]
fn derivations_with_stones_in_hand_give_up() {
    let rules = Rules {
        stones: 4,
        ..Rules::LASKER
    };
    let folder = TempDir::new().unwrap();
    let wanted: Pair = "3-2+1-1".parse().unwrap();
    let request = BuildRequest {
        rules,
        pairs: vec![wanted],
        plies: Default::default(),
        profile: Profile {
            compression: Compression::Max,
            ..Profile::default()
        },
    };
    build(folder.path(), &request, &mut |_| ()).unwrap();
    let database = Database::open(folder.path(), rules).unwrap();
    let (file, material) = (database.file(wanted).unwrap(), wanted.tables(&rules)[0]);
    let index = Index::new(material);
    let mut held = 0;
    for entry in (0..index.len()).step_by(97) {
        let (mover, waiting) = index.sets(entry);
        let position = material.position(mover, waiting);
        let mut derivation = Derivation::new(&database, Metric::Depth);
        derivation.left = Some(0);
        if file.holds(&position) {
            held += 1;
            assert!(Prober::value(&database, &position).is_some());
            continue;
        }
        assert_eq!(Prober::value(&database, &position), None);
        let found = derivation.searched(&position, Window::ALL);
        assert!(matches!(found, Err(DbError::Omitted)), "{found:?}");
        let value = derivation.value(&position).unwrap();
        assert_eq!(value, database.probe(&position).unwrap());
    }
    assert!((100..index.len() / 97).contains(&held), "{held}");
}
