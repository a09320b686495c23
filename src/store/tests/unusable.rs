//! Unusable files among good ones cause errors only for queries that need them.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::parts::VERSION;
use super::specimen::{FOUR, folder_with, is_corrupt, pair, write_ply};
use crate::board::PointSet;
use crate::index::stages::Stage;
use crate::probe::Database;
use crate::rules::Rules;
use crate::rules::position::Position;
use crate::store::*;

const FILES: [&str; 5] = [
    "3-3.mill",
    "4-3.mill",
    "4-4.mill",
    "placing-05.mill",
    "placing-07.mill",
];

/// A folder with [`FILES`]: the pairs up to four stones, and two plies before them.
fn whole_folder() -> TempDir {
    let (folder, _) = folder_with(&[pair(3, 3), pair(4, 3), pair(4, 4)], 50);
    for ply in [5, 7] {
        write_ply(folder.path(), ply, 50);
    }
    folder
}

/// Sets of stones far apart: neither side has a mill or closes one.
fn sets(white: u8, black: u8) -> [PointSet; 2] {
    let spread = |shift: u32, stones: u8| {
        let points = (0..24).step_by(5).take(stones.into());
        PointSet::from_bits(points.fold(0, |bits, point| bits | 1 << ((point + shift) % 24)))
    };
    [spread(0, white), spread(1, black)]
}

fn moving(white: u8, black: u8) -> Position {
    let [white, black] = sets(white, black);
    Position::moving(white, black)
}

/// A position after this many placements, without losses.
fn placing(ply: u8) -> Position {
    let stage = Stage {
        ply,
        white_lost: 0,
        black_lost: 0,
    };
    let [white, black] = sets(ply.div_ceil(2), ply / 2);
    match ply % 2 {
        0 => stage.position(white, black, &FOUR),
        _ => stage.position(black, white, &FOUR),
    }
}

/// The queries that the folder must answer: positions, each with the file that it needs.
fn questions() -> [(Position, &'static str); 7] {
    [
        (moving(3, 3), "3-3.mill"),
        (moving(4, 3), "4-3.mill"),
        (moving(4, 4), "4-4.mill"),
        (placing(7), "placing-07.mill"),
        (placing(6), "placing-07.mill"),
        (placing(5), "placing-05.mill"),
        (placing(4), "placing-05.mill"),
    ]
}

/// Asserts that the database answers all queries except those that need the file with this name,
/// and returns the reason why it cannot be used.
fn only_error(database: &Database, broken: &str) -> DbError {
    let unusable: Vec<DbError> = database.unusable().collect();
    let [error] = &unusable[..] else {
        panic!("{unusable:?}")
    };
    for (question, needed) in questions() {
        match database.probe(&question) {
            Ok(_) => assert_ne!(needed, broken),
            Err(error) => {
                assert_eq!(needed, broken, "{error}");
                assert!(error.to_string().contains(broken), "{error}");
            }
        }
    }
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
    error.clone()
}

/// Puts these bytes in place of a file, restores the file, and passes the reason why it could not
/// be used to `check`.
fn with_bytes(folder: &Path, name: &str, bytes: &[u8], check: impl Fn(&DbError) -> bool) {
    let path = folder.join(name);
    let whole = fs::read(&path).unwrap();
    fs::write(&path, bytes).unwrap();
    let database = Database::open(folder, FOUR).unwrap();
    let error = only_error(&database, name);
    assert!(check(&error), "{error}");
    fs::write(&path, whole).unwrap();
}

/// Shortened files, files of other versions, whose later fields may have other places and meanings,
/// and files under the name of another.
#[test]
fn unusable_files_fail_only_their_own_queries() {
    let folder = whole_folder();
    let read = |name| fs::read(folder.path().join(name)).unwrap();
    for name in FILES {
        let bytes = read(name);
        for length in [0, 7, 100, bytes.len() / 2, bytes.len() - 1] {
            with_bytes(folder.path(), name, &bytes[..length], is_corrupt);
        }
        for expected in [1, 2, 4] {
            let mut other = bytes.clone();
            other[VERSION].copy_from_slice(&u32::to_le_bytes(expected));
            // Readers ignore everything after the version.
            other[12..].fill(0xee);
            for other in [&other[..], &other[..12]] {
                with_bytes(folder.path(), name, other, |error| match error {
                    DbError::OtherVersion { version, .. } => *version == expected,
                    _ => false,
                });
            }
        }
    }
    for (from, to, words) in [
        ("3-3.mill", "4-4.mill", "wrong pair"),
        ("4-4.mill", "4-3.mill", "wrong pair"),
        ("placing-05.mill", "placing-07.mill", "wrong ply"),
        ("placing-05.mill", "4-4.mill", "pair, found a ply"),
        ("4-4.mill", "placing-05.mill", "phase, found a pair"),
    ] {
        with_bytes(folder.path(), to, &read(from), |error| {
            error.to_string().contains(words)
        });
    }
    let database = Database::open(folder.path(), FOUR).unwrap();
    assert_eq!(database.unusable().count(), 0);
}

#[test]
fn a_folder_in_place_of_a_file_is_named() {
    let is_io = |error: &DbError| matches!(error, DbError::Io { .. });
    let folder = whole_folder();
    for name in FILES {
        let path = folder.path().join(name);
        let bytes = fs::read(&path).unwrap();
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        let database = Database::open(folder.path(), FOUR).unwrap();
        assert!(is_io(&only_error(&database, name)));
        fs::remove_dir(&path).unwrap();
        fs::write(&path, &bytes).unwrap();
    }
    let open = |name| Database::open(&folder.path().join(name), FOUR).unwrap_err();
    assert!(is_io(&open("none")));
    let error = open("3-3.mill");
    assert!(matches!(error, DbError::NotDatabases(_)), "{error}");
}

#[test]
fn files_of_other_rules_are_refused() {
    let is_other = |error: &DbError| matches!(error, DbError::OtherRules { .. });
    let folder = whole_folder();
    let other = Rules { flying: 0, ..FOUR };
    let database = Database::open(folder.path(), other).unwrap();
    assert_eq!(database.pairs().count() + database.plies().count(), 0);
    assert_eq!(database.unusable().count(), FILES.len());
    assert!(database.unusable().all(|error| is_other(&error)));
    for (question, _) in questions() {
        assert!(is_other(&database.probe(&question).unwrap_err()));
    }
    assert_eq!(Database::embedded(other).pairs().count(), 0);

    // Files of plies depend on the number of stones; those of pairs do not.
    let three = Rules { stones: 3, ..FOUR };
    let database = Database::open(folder.path(), three).unwrap();
    let pairs: Vec<_> = database.pairs().map(PairFile::pair).collect();
    assert_eq!(pairs, [pair(3, 3)]);
    let errors: Vec<DbError> = database.unusable().collect();
    assert!(matches!(&errors[..], [error] if is_other(error)));
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
    let reference = Database::open(folder.path(), FOUR).unwrap();
    for (question, _) in questions() {
        let expected = reference.answer(&question).unwrap();
        assert_eq!(database.answer(&question).unwrap(), expected);
    }
    for name in FILES {
        let cut = bytes(name)[..200].to_vec();
        database = with(database, name, cut).with_cache_bytes(1000);
        only_error(&database, name);
        database = with(database, name, bytes(name)).with_cache_bytes(1000);
    }
    for other in ["9-8.mill", "3-3", "placing-08.mill", ""] {
        database = with(database, other, Vec::new());
    }
    assert_eq!(database.unusable().count(), 0);
}
