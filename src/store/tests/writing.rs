//! Writing leaves complete files or none, and gives the same bytes for any number of threads.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::specimen::{Random, made_up, pair, stored_table, write, write_ply};
use crate::index::histogram::Histogram;
use crate::index::{Index, Pair};
use crate::probe::Database;
use crate::rules::Rules;
use crate::store::fields::{HeadReader, take_varint};
use crate::store::write::{add_histogram, add_varint};
use crate::store::*;

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn load(database: &Database, pair: Pair) -> Vec<u8> {
    crate::solve::load(database, stored_table(pair))
        .unwrap()
        .to_vec()
}

#[test]
fn only_complete_files_get_their_final_names() {
    let pair = pair(3, 3);
    let values = made_up(pair, 1000);
    let folder = TempDir::new().unwrap();
    let write = |folder: &Path, values: &[u8]| write(folder, pair, values, Profile::default());

    // Killed processes leave temporary files. Files of other programs stay.
    for name in [
        ".3-3.mill.1.tmp",
        ".placing-05.mill.2.tmp",
        ".note",
        "b.tmp",
    ] {
        fs::write(folder.path().join(name), "old").unwrap();
    }
    write(folder.path(), &values).unwrap();
    remove_temporaries(folder.path()).unwrap();
    assert_eq!(names(folder.path()), [".note", "3-3.mill", "b.tmp"]);

    // A database keeps the file that a question opened; opening the folder opens none.
    let before = Database::open(folder.path(), Rules::STANDARD).unwrap();
    // SAFETY: the file is replaced, not changed.
    let mapped = unsafe { Database::open_mapped(folder.path(), Rules::STANDARD) }.unwrap();
    assert!(before.has(pair) && mapped.has(pair));
    let unasked = Database::open(folder.path(), Rules::STANDARD).unwrap();
    let inverted: Vec<u8> = values.iter().map(|value| !value).collect();
    write(folder.path(), &inverted).unwrap();
    assert!(load(&before, pair) == values);
    assert!(load(&mapped, pair) == values);
    let after = Database::open(folder.path(), Rules::STANDARD).unwrap();
    assert!(load(&after, pair) == inverted);
    assert!(load(&unasked, pair) == inverted);

    // A failure leaves no file: here a folder has the name.
    let folder = TempDir::new().unwrap();
    fs::create_dir_all(folder.path().join("3-3.mill/full")).unwrap();
    let error = write(folder.path(), &values).unwrap_err();
    assert!(matches!(error, DbError::Io { .. }), "{error}");
    assert_eq!(names(folder.path()), ["3-3.mill"]);
    let error = write(&folder.path().join("none"), &values).unwrap_err();
    assert!(matches!(error, DbError::Io { .. }), "{error}");
}

#[test]
fn any_number_of_threads_writes_the_same_bytes() {
    let pair = pair(4, 3);
    let values = made_up(pair, 2);
    let bytes = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let folder = TempDir::new().unwrap();
        pool.build().unwrap().install(|| {
            write(folder.path(), pair, &values, Profile::default()).unwrap();
            write_ply(folder.path(), 6, 2);
        });
        ["4-3.mill", "placing-06.mill"].map(|name| fs::read(folder.path().join(name)).unwrap())
    };
    let expected = bytes(1);
    for threads in [2, 5] {
        assert!(bytes(threads) == expected);
    }
}

/// Almost random values need long distributions, of which fewer fit into the head.
#[test]
fn unpredictable_values_are_written() {
    let pair = pair(3, 3);
    let mut random = Random::new(7);
    let values: Vec<u8> = (0..stored_table(pair).entries())
        .map(|_| random.word() as u8)
        .collect();
    let folder = TempDir::new().unwrap();
    write(folder.path(), pair, &values, Profile::default()).unwrap();
    let database = Database::open(folder.path(), Rules::STANDARD).unwrap();
    assert!(load(&database, pair) == values);
}

/// The entries of a table, computed without its index.
#[test]
fn entries_are_those_of_the_index() {
    for mover in 3..=12 {
        let material = crate::index::Material { mover, waiting: 3 };
        assert_eq!(
            material.entries(),
            Index::new(material).len() as u64,
            "{material:?}"
        );
    }
}

#[test]
fn numbers_and_histograms_come_back() {
    let numbers = [0, 1, 127, 128, 16_383, 16_384, u64::MAX >> 1];
    let mut bytes = Vec::new();
    numbers
        .iter()
        .for_each(|&number| add_varint(&mut bytes, number));
    let mut rest = &bytes[..];
    let found = numbers.map(|_| take_varint(&mut rest).unwrap());
    assert_eq!((found, rest), (numbers, &[][..]));
    assert_eq!(take_varint(&mut &[0x80u8; 9][..]), None);
    assert_eq!(take_varint(&mut &[0x80u8, 0x80][..]), None);

    for last in [None, Some(0), Some(7), Some(255)] {
        let mut counts = [0; 256];
        if let Some(last) = last {
            counts[0] = 3;
            counts[last] = 300;
        }
        let histogram = Histogram::from_counts(counts);
        let mut bytes = Vec::new();
        add_histogram(&mut bytes, &histogram);
        let mut reader = HeadReader {
            bytes: &bytes,
            at: 0,
            name: Path::new("test"),
        };
        assert_eq!(reader.histogram(303).unwrap(), histogram);
        reader.end().unwrap();
    }
}
