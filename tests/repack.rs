//! Tests of `repack`, and of `build` with other levels and profiles: the files hold the same
//! values, and errors name what they lack.
#![cfg(feature = "cli")]

use std::fs;
use std::path::Path;
use std::process::Output;
use std::sync::LazyLock;

use millbase::index::Index;
use millbase::{Database, Pair, Position, Rules};
use serde_json::Value as Json;
use tempfile::TempDir;

use crate::process;

const RULES: Rules = Rules::STANDARD;

/// The combinations of profile and level.
const KINDS: [&[&str]; 4] = [
    &[],
    &["--level", "max"],
    &["--profile", "wdl"],
    &["--level", "max", "--profile", "wdl"],
];

/// The built-in pairs but 6-3, which has no kind of position that 5-3 lacks.
const PAIRS: [&str; 5] = ["3-3", "4-3", "4-4", "5-3", "5-4"];

/// [`PAIRS`] repacked as each of [`KINDS`], with the answers for each.
static REPACKED: [LazyLock<(TempDir, Vec<Json>)>; 4] = [
    LazyLock::new(|| repacked(0)),
    LazyLock::new(|| repacked(1)),
    LazyLock::new(|| repacked(2)),
    LazyLock::new(|| repacked(3)),
];

fn repacked(kind: usize) -> (TempDir, Vec<Json>) {
    let folder = TempDir::new().unwrap();
    let answers = repack_each(small(), folder.path(), KINDS[kind]);
    (folder, answers)
}

/// Repacks [`PAIRS`] one by one, without the tables of those before.
fn repack_each(from: &Path, to: &Path, args: &[&str]) -> Vec<Json> {
    let repack = |pair| repack(from, to, &[args, &["--json", "--pair", pair]].concat());
    PAIRS.iter().map(|pair| json(&repack(pair))).collect()
}

/// The names of the files of [`PAIRS`].
fn file_names() -> Vec<String> {
    PAIRS.map(|pair| format!("{pair}.mill")).into()
}

/// White is to move and loses in 26.
const FLYING: &str = "********/********/O@O*O@*@ w m s 3 0 3 0 0 0";

/// Runs the program on a folder of databases.
fn run(folder: &Path, args: &[&str]) -> Output {
    let mut command = process::program(process::empty_home(), args);
    command.arg("--db").arg(folder).output().unwrap()
}

fn repack(from: &Path, to: &Path, args: &[&str]) -> Output {
    let to = to.to_str().unwrap();
    run(from, &[&["repack", "--to", to], args].concat())
}

/// The folder with the databases that are part of the program.
fn small() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/db"))
}

/// A folder with [`PAIRS`] at the level `max`.
pub fn smallest() -> &'static Path {
    REPACKED[1].0.path()
}

fn json(output: &Output) -> Json {
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Checks that the program failed with one sentence that has these words.
fn assert_fails(output: &Output, status: Option<i32>, words: &str) {
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "{output:?}");
    if status.is_some() {
        assert_eq!(output.status.code(), status, "{error}");
    }
    assert!(
        error.starts_with("error: ") && error.contains(words),
        "{error}"
    );
    assert_eq!(error.lines().count(), 1, "{error}");
    assert!(output.stdout.is_empty());
}

/// The names of the databases in a folder.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(".mill")).collect();
    names.sort();
    names
}

#[test]
fn every_kind_of_file_tells_the_same_values() {
    let original = Database::embedded(RULES);
    for (kind, repacked) in KINDS.into_iter().zip(&REPACKED) {
        let (folder, answers) = &**repacked;
        assert_eq!(names(folder.path()), file_names());
        for (name, answer) in file_names().iter().zip(answers) {
            let length = |folder: &Path| fs::metadata(folder.join(name)).unwrap().len();
            let [pair] = &answer["pairs"].as_array().unwrap()[..] else {
                panic!("{answer}")
            };
            assert_eq!(format!("{}.mill", pair["pair"].as_str().unwrap()), *name);
            assert_eq!(pair["from_bytes"], length(small()));
            assert_eq!(pair["bytes"], length(folder.path()));
        }
        let database = Database::open(folder.path(), RULES).unwrap();
        let wdl = kind.contains(&"wdl");
        for pair in database.pairs().map(|file| file.pair()) {
            for material in pair.tables() {
                let index = Index::new(material);
                // The other table follows from this one.
                if !wdl && material.mover >= material.waiting {
                    let [new, old] = [&database, &original]
                        .map(|db| millbase::solve::load(db, material).unwrap());
                    assert!(new[..] == old[..], "{kind:?} {material:?}");
                }
                // The positions are far from each other, so that many blocks are read.
                for entry in (0..index.len()).step_by(index.len() / 200) {
                    let (mover, waiting) = index.sets(entry);
                    let position = Position::moving(mover, waiting);
                    let expected = original.probe(&position).unwrap();
                    assert_eq!(database.probe_wdl(&position).unwrap(), expected.wdl());
                    if !wdl {
                        assert_eq!(database.probe(&position).unwrap(), expected);
                    }
                    if !wdl && entry % 10 == 0 {
                        let turns = database.turns(&position).unwrap();
                        assert_eq!(turns, original.turns(&position).unwrap());
                    }
                }
            }
        }
        let verified = run(folder.path(), &["verify", "--sample", "100"]);
        assert!(verified.status.success(), "{kind:?}: {verified:?}");
    }
}

#[test]
fn building_and_repacking_make_the_same_files() {
    for kind in &KINDS[1..3] {
        let (built, repacked) = (TempDir::new().unwrap(), TempDir::new().unwrap());
        let output = run(built.path(), &[&["build", "--pair", "4-4"], *kind].concat());
        assert!(output.status.success(), "{output:?}");
        assert_eq!(names(built.path()), ["3-3.mill", "4-3.mill", "4-4.mill"]);
        for name in names(built.path()) {
            let pair = name.trim_end_matches(".mill");
            let output = repack(
                small(),
                repacked.path(),
                &[*kind, &["--pair", pair]].concat(),
            );
            assert!(output.status.success(), "{output:?}");
            let [a, b] =
                [&built, &repacked].map(|folder| fs::read(folder.path().join(&name)).unwrap());
            assert!(a == b, "{name} {kind:?}");
        }
        assert_eq!(names(repacked.path()), names(built.path()));
    }
}

/// The smallest files hold every other row, a quarter of the positions of equal sides; all others follow.
#[test]
fn the_smallest_files_hold_few_values_and_give_back_all() {
    for (small, large) in [(1, 0), (3, 2)] {
        let [small, large] = [small, large].map(|kind| REPACKED[kind].0.path());
        let args = if large == REPACKED[2].0.path() {
            KINDS[2]
        } else {
            KINDS[0]
        };
        let back = TempDir::new().unwrap();
        let args = [args, &["--json"]].concat();
        // All pairs, with that one of the program which the folder lacks.
        let answer = json(&repack(small, back.path(), &args));
        assert_eq!(answer["pairs"].as_array().unwrap().len(), 6);
        assert_eq!(names(back.path()).len(), 6);
        let bytes = |folder: &Path, name: &str| fs::read(folder.join(name)).unwrap();
        for name in names(large) {
            assert!(bytes(back.path(), &name) == bytes(large, &name), "{name}");
            // In 3-3 both sides fly, which says nothing about the colours of points.
            if name != "3-3.mill" {
                let [few, all] = [small, large].map(|folder| bytes(folder, &name).len());
                assert!(few * 2 < all, "{name}: {few} of {all} bytes");
            }
        }
    }
    // A single pair, without the tables of those before it.
    let single = TempDir::new().unwrap();
    json(&repack(
        smallest(),
        single.path(),
        &["--json", "--pair", "5-4"],
    ));
    let [back, before] = [single.path(), REPACKED[0].0.path()]
        .map(|folder| fs::read(folder.join("5-4.mill")).unwrap());
    assert!(back == before);
}

/// A damaged row causes errors or has no effect, also where other values follow from it.
#[test]
fn damage_of_the_smallest_files_never_changes_a_value() {
    let whole = Database::embedded(RULES);
    let folder = TempDir::new().unwrap();
    for name in names(smallest()) {
        fs::copy(smallest().join(&name), folder.path().join(&name)).unwrap();
    }
    let path = folder.path().join("5-4.mill");
    let mut bytes = fs::read(&path).unwrap();
    let length = bytes.len();
    for place in (length / 3..length).step_by(100) {
        bytes[place] ^= 0x10;
    }
    fs::write(&path, &bytes).unwrap();
    let database = Database::open(folder.path(), RULES).unwrap();
    let (mut right, mut errors) = (0, 0);
    for (mover, waiting) in [(5, 4), (4, 5)] {
        let index = Index::new(millbase::Material { mover, waiting });
        for entry in (0..index.len()).step_by(index.len() / 300) {
            let (mover, waiting) = index.sets(entry);
            let position = Position::moving(mover, waiting);
            match database.probe(&position) {
                Ok(value) => {
                    assert_eq!(value, whole.probe(&position).unwrap());
                    right += 1;
                }
                Err(error) => {
                    assert!(
                        matches!(error, millbase::DbError::Corrupt { .. }),
                        "{error}"
                    );
                    errors += 1;
                }
            }
        }
    }
    assert!(
        right > 10 && errors > 100,
        "{right} values, {errors} errors"
    );
}

#[test]
fn files_without_depths_say_so() {
    let folder = REPACKED[2].0.path();

    let [full, wdl] = [small(), folder].map(|folder| json(&run(folder, &["stats", "--json"])));
    let tables = |stats: &Json| {
        let mut tables = stats["tables"].as_array().unwrap().clone();
        tables.retain(|table| PAIRS.contains(&table["pair"].as_str().unwrap()));
        assert_eq!(tables.len(), 8);
        tables
    };
    let (full, wdl) = (tables(&full), tables(&wdl));
    assert_eq!(full.len(), wdl.len());
    for (full, wdl) in full.iter().zip(&wdl) {
        for field in [
            "pair",
            "to_move",
            "other",
            "positions",
            "wins",
            "draws",
            "losses",
        ] {
            assert_eq!(full[field], wdl[field], "{field}");
        }
        assert!(
            wdl["max_win"].is_null() && wdl["max_loss"].is_null(),
            "{wdl}"
        );
    }

    let list = json(&run(folder, &["list", "--json"]));
    assert!(list.to_string().contains("4-3"));
    let words = "holds results without depths";
    assert_fails(&run(folder, &["line", FLYING]), None, words);

    // The pairs that are part of the program have depths, which do not follow from files without them.
    let mixed = TempDir::new().unwrap();
    for name in ["3-3.mill", "4-3.mill"] {
        fs::copy(folder.join(name), mixed.path().join(name)).unwrap();
    }
    let verified = run(mixed.path(), &["verify", "--pair", "5-3"]);
    let said = String::from_utf8_lossy(&verified.stderr);
    assert!(verified.status.success(), "{said}");

    // Missing depths cannot be written, and a folder may not have files of both profiles.
    let other = TempDir::new().unwrap();
    assert_fails(&repack(folder, other.path(), &[]), None, words);
    assert!(names(other.path()).is_empty());
    assert_fails(&repack(small(), folder, &[]), Some(2), "has no depths");
    assert_fails(
        &run(folder, &["build", "--max-stones", "9"]),
        Some(2),
        "has no depths",
    );
    assert!(
        repack(small(), other.path(), &["--pair", "3-3"])
            .status
            .success()
    );
    assert_fails(&repack(small(), other.path(), KINDS[2]), Some(2), "depths");
    assert_eq!(names(other.path()), ["3-3.mill"]);
}

#[test]
fn repacking_goes_on_and_spares_its_own_folder() {
    let folder = TempDir::new().unwrap();
    for name in names(small()) {
        fs::copy(small().join(&name), folder.path().join(&name)).unwrap();
    }
    fs::remove_file(folder.path().join("4-3.mill")).unwrap();
    let again = repack(small(), folder.path(), &[]);
    let steps = String::from_utf8_lossy(&again.stderr);
    assert!(again.status.success(), "{steps}");
    assert!(steps.contains("4-3 written"), "{steps}");
    assert_eq!(steps.lines().count(), 1, "{steps}");
    assert_eq!(names(folder.path()), names(small()));

    // A file of another level is written again.
    let smaller = repack(small(), folder.path(), &["--pair", "3-3", "--level", "max"]);
    let steps = String::from_utf8_lossy(&smaller.stderr);
    assert!(steps.contains("3-3 written"), "{steps}");

    let words = "is the folder of the databases; name another one with --to";
    let roundabout = folder.path().join(".");
    assert_fails(&repack(folder.path(), folder.path(), &[]), Some(2), words);
    assert_fails(
        &repack(folder.path(), &roundabout, KINDS[1]),
        Some(2),
        words,
    );

    let missing = Pair::new(9, 9).unwrap().to_string();
    let other = TempDir::new().unwrap();
    assert_fails(
        &repack(small(), other.path(), &["--pair", &missing]),
        Some(3),
        "9-9",
    );
}
