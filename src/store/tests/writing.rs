//! Writing leaves complete files or none.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::specimen::{Random, made_up, pair, stored_table, write};
use crate::index::Pair;
use crate::probe::Database;
use crate::rules::Rules;
use crate::store::*;

fn names(folder: &Path) -> BTreeSet<String> {
    let names = fs::read_dir(folder).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name());
    names.map(|name| name.into_string().unwrap()).collect()
}

fn load(database: &Database, pair: Pair) -> Vec<u8> {
    crate::solve::load(database, stored_table(pair, &Rules::STANDARD))
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
    remove_temporaries(folder.path(), &DATABASES).unwrap();
    let left = [".note", "3-3.mill", "b.tmp"].map(String::from);
    assert_eq!(names(folder.path()), left.into());

    // A database keeps the file that a question opened; opening the folder opens none.
    let before = Database::open(folder.path(), Rules::STANDARD).unwrap();
    assert!(before.has(pair));
    let unasked = Database::open(folder.path(), Rules::STANDARD).unwrap();
    let inverted: Vec<u8> = values.iter().map(|value| !value).collect();
    write(folder.path(), &inverted).unwrap();
    assert!(load(&before, pair) == values);
    let after = Database::open(folder.path(), Rules::STANDARD).unwrap();
    assert!(load(&after, pair) == inverted);
    assert!(load(&unasked, pair) == inverted);

    // A failure leaves no file: here a folder has the name.
    let folder = TempDir::new().unwrap();
    fs::create_dir_all(folder.path().join("3-3.mill/full")).unwrap();
    let error = write(folder.path(), &values).unwrap_err();
    assert!(matches!(error, DbError::Io { .. }), "{error}");
    assert_eq!(names(folder.path()), ["3-3.mill".to_owned()].into());
    let error = write(&folder.path().join("none"), &values).unwrap_err();
    assert!(matches!(error, DbError::Io { .. }), "{error}");
}

/// Almost random values need long distributions, of which fewer fit into the head.
#[test]
fn unpredictable_values_are_written() {
    let pair = pair(3, 3);
    let mut random = Random::new(7);
    let values: Vec<u8> = (0..stored_table(pair, &Rules::STANDARD).entries())
        .map(|_| random.word() as u8)
        .collect();
    let folder = TempDir::new().unwrap();
    write(folder.path(), pair, &values, Profile::default()).unwrap();
    let database = Database::open(folder.path(), Rules::STANDARD).unwrap();
    assert!(load(&database, pair) == values);
}
