//! Unusable files among good ones cause errors only for queries that need them. The tests use both
//! read and mapped files.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::parts::VERSION;
use super::specimen::{FOUR, Specimen, folder_with, pair, write_ply};
use crate::board::PointSet;
use crate::index::Pair;
use crate::index::reachable::Stage;
use crate::probe::Database;
use crate::rules::Rules;
use crate::rules::position::Position;
use crate::store::*;

/// Opens a folder twice, with files read and with files mapped, and passes each database to
/// `check`.
fn opened(folder: &Path, rules: Rules, check: impl Fn(&Database)) {
    check(&Database::open(folder, rules).unwrap());
    // SAFETY: the tests change no file while a database of its folder is open.
    check(&unsafe { Database::open_mapped(folder, rules) }.unwrap());
}

/// A folder with the pairs up to four stones, and the files of two plies before them.
fn whole_folder() -> TempDir {
    let (folder, _) = folder_with(&[pair(3, 3), pair(4, 3), pair(4, 4)], 50);
    for ply in [5, 7] {
        write_ply(folder.path(), &FOUR, ply, 50);
    }
    folder
}

fn position(white: u32, black: u32) -> Position {
    // Stones far apart: neither side has a mill or closes one.
    let spread = |shift: u32, stones: u32| -> PointSet {
        let points = (0..24).step_by(5).take(stones as usize);
        PointSet::from_bits(points.fold(0, |bits, point| bits | 1 << ((point + shift) % 24)))
    };
    Position::moving(spread(0, white), spread(1, black))
}

/// A position after this many placements, without losses.
fn placing(ply: u8) -> Position {
    let stage = Stage {
        ply,
        white_lost: 0,
        black_lost: 0,
    };
    let moving = position(ply.div_ceil(2).into(), (ply / 2).into());
    let [mover, waiting] = match ply % 2 {
        0 => [moving.mover(), moving.waiting()],
        _ => [moving.waiting(), moving.mover()],
    };
    stage.position(mover, waiting, &FOUR)
}

/// The queries that the folder must answer: positions, each with the files that it needs.
fn questions() -> Vec<(Position, Vec<&'static str>)> {
    vec![
        (position(3, 3), vec!["3-3.mill"]),
        (position(4, 3), vec!["4-3.mill"]),
        (position(4, 4), vec!["4-4.mill"]),
        (placing(7), vec!["placing-07.mill"]),
        (placing(6), vec!["placing-07.mill"]),
        (placing(5), vec!["placing-05.mill"]),
        (placing(4), vec!["placing-05.mill"]),
    ]
}

fn errors_name(database: &Database, names: &[&str]) {
    let unusable: Vec<String> = database.unusable().map(DbError::to_string).collect();
    assert_eq!(unusable.len(), names.len(), "{unusable:?}");
    for name in names {
        assert!(
            unusable.iter().any(|text| text.contains(name)),
            "{unusable:?}"
        );
    }
}

/// Asserts that a database answers all queries except those that need the unusable file with this
/// name.
fn assert_only_its_own_queries_fail(database: &Database, broken: &str) {
    errors_name(database, &[broken]);
    let (mut answers, mut errors) = (0, 0);
    for (question, needs) in questions() {
        match database.probe(&question) {
            Ok(_) => {
                assert!(!needs.contains(&broken), "{broken} was not needed");
                answers += 1;
            }
            Err(error) => {
                assert!(needs.contains(&broken), "{error}");
                assert!(error.to_string().contains(broken), "{error}");
                errors += 1;
            }
        }
    }
    assert!(answers >= 5 && errors >= 1, "{broken}: {answers}, {errors}");
    for needed in [pair(3, 3), pair(4, 3), pair(4, 4)] {
        let is_broken = file_name(needed) == broken;
        assert_eq!(database.has(needed), !is_broken);
        assert_eq!(database.file(needed).is_err(), is_broken);
        let listed = database.pairs().any(|file| file.pair() == needed);
        assert_eq!(listed, !is_broken);
    }
    for ply in [5, 7] {
        let is_broken = ply_file_name(ply) == broken;
        assert_eq!(database.ply(ply).is_err(), is_broken);
        assert_eq!(database.plies().any(|file| file.ply() == ply), !is_broken);
    }
}

/// Puts these bytes in place of a file, and passes the error of the unusable file to `check`. Only queries
/// that need the file fail. Restores the file.
fn with_bytes(folder: &Path, name: &str, bytes: &[u8], check: impl Fn(&DbError)) {
    let path = folder.join(name);
    let whole = fs::read(&path).unwrap();
    fs::write(&path, bytes).unwrap();
    opened(folder, FOUR, |database| {
        assert_only_its_own_queries_fail(database, name);
        check(database.unusable().next().unwrap());
    });
    fs::write(&path, whole).unwrap();
}

const FILES: [&str; 5] = [
    "3-3.mill",
    "4-3.mill",
    "4-4.mill",
    "placing-05.mill",
    "placing-07.mill",
];

#[test]
fn undamaged_files_answer_every_query() {
    let folder = whole_folder();
    opened(folder.path(), FOUR, |database| {
        errors_name(database, &[]);
        for (question, _) in questions() {
            database.probe(&question).unwrap();
            assert!(!database.answer(&question).unwrap().turns.is_empty());
        }
        assert!(database.ply(6).unwrap().is_none());
    });
}

#[test]
fn a_truncated_file_fails_only_its_own_queries() {
    let folder = whole_folder();
    for name in FILES {
        let bytes = fs::read(folder.path().join(name)).unwrap();
        for length in [0, 7, 100, bytes.len() / 2, bytes.len() - 1] {
            with_bytes(folder.path(), name, &bytes[..length], |error| {
                assert!(matches!(error, DbError::Corrupt { .. }), "{error}");
            });
        }
    }
    opened(folder.path(), FOUR, |database| errors_name(database, &[]));
}

/// A file with an undamaged head and one damaged row answers queries about other rows.
#[test]
fn a_damaged_row_fails_only_its_own_queries() {
    let specimen = Specimen::pair(3);
    let row = specimen.layout.rows[0][70].clone();
    let mut bytes = specimen.bytes.clone();
    bytes[row.start] ^= 1;
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("3-3.mill"), &bytes).unwrap();
    let index = crate::index::Index::new(pair::stored_table(pair(3, 3)));
    let columns = index.columns().count();
    opened(folder.path(), Rules::STANDARD, |database| {
        errors_name(database, &[]);
        let mut errors = 0;
        for row in 0..index.rows().len() {
            let (mover, waiting) = index.sets(row * columns + columns / 2);
            let position = Position::moving(mover, waiting);
            match database.probe(&position) {
                Ok(_) => assert_ne!(row, 70),
                Err(error) => {
                    assert!(matches!(error, DbError::Corrupt { .. }), "{error}");
                    assert_eq!(row, 70);
                    errors += 1;
                }
            }
        }
        assert_eq!(errors, 1);
    });
}

#[test]
fn a_folder_in_place_of_a_file_is_named() {
    let folder = whole_folder();
    for name in FILES {
        let path = folder.path().join(name);
        let bytes = fs::read(&path).unwrap();
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        opened(folder.path(), FOUR, |database| {
            assert_only_its_own_queries_fail(database, name);
            let error = database.unusable().next().unwrap();
            assert!(matches!(error, DbError::Io { .. }), "{error}");
        });
        fs::remove_dir(&path).unwrap();
        fs::write(&path, &bytes).unwrap();
    }
    for missing in ["none", "3-3.mill"] {
        let error = Database::open(&folder.path().join(missing), FOUR).unwrap_err();
        assert!(matches!(error, DbError::Io { .. }), "{error}");
    }
}

/// Files of versions 1 and 2, whose later fields had other places and meanings.
#[test]
fn files_of_other_versions_are_refused() {
    let folder = whole_folder();
    for name in FILES {
        let bytes = fs::read(folder.path().join(name)).unwrap();
        for version in [1, 2, 4] {
            let mut old = bytes.clone();
            old[VERSION].copy_from_slice(&u32::to_le_bytes(version));
            // Readers ignore everything after the version.
            old[12..].fill(0xee);
            for old in [&old[..], &old[..12]] {
                with_bytes(folder.path(), name, old, |error| {
                    let found =
                        matches!(error, DbError::OtherVersion { version: v, .. } if *v == version);
                    assert!(found, "{error}");
                });
            }
        }
    }
}

#[test]
fn misnamed_files_are_refused() {
    let folder = whole_folder();
    for (from, to, words) in [
        ("3-3.mill", "4-4.mill", "wrong pair"),
        ("4-4.mill", "4-3.mill", "wrong pair"),
        ("placing-05.mill", "placing-07.mill", "wrong ply"),
        (
            "placing-05.mill",
            "4-4.mill",
            "expected a pair, found a ply",
        ),
        (
            "4-4.mill",
            "placing-05.mill",
            "expected a ply of the placing phase, found a pair",
        ),
    ] {
        let bytes = fs::read(folder.path().join(from)).unwrap();
        with_bytes(folder.path(), to, &bytes, |error| {
            assert!(error.to_string().contains(words), "{error}");
        });
    }
}

#[test]
fn files_of_other_rules_are_refused() {
    let folder = whole_folder();
    let other = Rules { flying: 0, ..FOUR };
    opened(folder.path(), other, |database| {
        assert_eq!(database.pairs().count() + database.plies().count(), 0);
        assert_eq!(database.unusable().count(), FILES.len());
        for error in database.unusable() {
            assert!(matches!(error, DbError::OtherRules { .. }), "{error}");
        }
        for (question, _) in questions() {
            let error = database.probe(&question).unwrap_err();
            assert!(matches!(error, DbError::OtherRules { .. }), "{error}");
        }
    });
    assert_eq!(Database::embedded(other).pairs().count(), 0);

    // Files of plies depend on the number of stones; those of pairs do not.
    let three = Rules { stones: 3, ..FOUR };
    opened(folder.path(), three, |database| {
        assert_eq!(
            database.pairs().map(PairFile::pair).collect::<Vec<Pair>>(),
            [pair(3, 3)]
        );
        let errors: Vec<&DbError> = database.unusable().collect();
        assert!(
            matches!(errors[..], [DbError::OtherRules { .. }]),
            "{errors:?}"
        );
    });
}

/// Bytes from memory give the same answers as files of a folder.
#[test]
fn files_in_memory_give_the_same_answers() {
    let folder = whole_folder();
    let bytes = |name| fs::read(folder.path().join(name)).unwrap();
    let with = |database: Database, name, bytes| database.with_file(name, Box::new(bytes));
    let mut database = Database::embedded(FOUR);
    for name in FILES {
        database = with(database, name, bytes(name));
    }
    errors_name(&database, &[]);
    let reference = Database::open(folder.path(), FOUR).unwrap();
    for (question, _) in questions() {
        let expected = reference.answer(&question).unwrap();
        assert_eq!(database.answer(&question).unwrap(), expected);
    }
    for name in FILES {
        let cut = bytes(name)[..200].to_vec();
        database = with(database, name, cut).with_cache_bytes(1000);
        assert_only_its_own_queries_fail(&database, name);
        database = with(database, name, bytes(name)).with_cache_bytes(1000);
    }
    for other in ["9-8.mill", "3-3", "placing-08.mill", ""] {
        database = with(database, other, Vec::new());
    }
    errors_name(&database, &[]);
}
