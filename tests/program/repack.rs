//! Tests of `repack`, and of `build` with other levels and profiles: the files hold the same
//! values, and errors name what they lack.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use millbase::internals::Index;
use millbase::{Database, DbError, Metric, Position, RankedTurn, Rules};
use serde_json::Value as Json;
use tempfile::TempDir;

use crate::common::{self, FLYING, LARGER, root};
use crate::process::{self, Run};

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
    let answers = repack_each(&small(), folder.path(), KINDS[kind]);
    (folder, answers)
}

/// Repacks [`PAIRS`] one by one, without the tables of those before.
fn repack_each(from: &Path, to: &Path, args: &[&str]) -> Vec<Json> {
    let repack = |pair| repack(from, to, &[args, &["--json", "--pair", pair]].concat());
    PAIRS.iter().map(|pair| repack(pair).json()).collect()
}

/// The names of the files of [`PAIRS`].
fn file_names() -> Vec<String> {
    PAIRS.map(|pair| format!("{pair}.mill")).into()
}

/// Runs the program on a folder of databases.
fn run(folder: &Path, args: &[&str]) -> Run {
    let mut command = process::program(process::empty_home(), args);
    process::run(command.arg("--db").arg(folder))
}

fn repack(from: &Path, to: &Path, args: &[&str]) -> Run {
    let to = to.to_str().unwrap();
    run(from, &[&["repack", "--to", to], args].concat())
}

/// The folder with the databases that are part of the program.
fn small() -> std::path::PathBuf {
    root().join("db")
}

/// A folder with [`PAIRS`] at the level `max`.
pub fn smallest() -> &'static Path {
    REPACKED[1].0.path()
}

/// Folders with [`PAIRS`] without depths, the second at the level `max`.
pub fn without_depths() -> [&'static Path; 2] {
    [2, 3].map(|kind: usize| REPACKED[kind].0.path())
}

/// The names of the databases in a folder.
fn names(folder: &Path) -> Vec<String> {
    let mut names = common::names(folder);
    names.retain(|name| name.ends_with(".mill"));
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
            assert_eq!(pair["from_bytes"], length(&small()));
            assert_eq!(pair["bytes"], length(folder.path()));
        }
        let database = Database::open(folder.path(), RULES).unwrap();
        let wdl = kind.contains(&"wdl");
        for file in database.pairs() {
            for material in file.pair().tables(&RULES) {
                let index = Index::new(material);
                // The other table follows from this one.
                if !wdl && material.mover >= material.waiting {
                    let [new, old] = [&database, &original]
                        .map(|db| millbase::internals::solve::load(db, material).unwrap());
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
                    // 6-3 is that of the program, which has depths.
                    let lacks = file.metric() == Metric::Wdl && !position.is_over(&RULES);
                    if lacks && entry % 10 == 0 {
                        let value = database.probe(&position).unwrap();
                        assert_eq!(value, expected.without_depth());
                        let mut turns = original.turns(&position).unwrap();
                        for turn in &mut turns {
                            turn.value = turn.value.without_depth();
                        }
                        turns.sort_by(RankedTurn::order);
                        assert_eq!(database.turns(&position).unwrap(), turns);
                        let error = database.line(&position, 9).unwrap_err();
                        assert!(matches!(error, DbError::NoDepths { .. }), "{error}");
                    }
                }
            }
        }
        let verified = run(folder.path(), &["verify", "--sample", "100"]);
        assert_eq!(verified.status, 0, "{kind:?}: {}", verified.out);
    }
}

#[test]
fn building_and_repacking_make_the_same_files() {
    for kind in &KINDS[1..3] {
        let (built, repacked) = (TempDir::new().unwrap(), TempDir::new().unwrap());
        let run = run(built.path(), &[&["build", "--pair", "4-4"], *kind].concat());
        assert_eq!(run.status, 0, "{}", run.err);
        assert_eq!(names(built.path()), ["3-3.mill", "4-3.mill", "4-4.mill"]);
        for name in names(built.path()) {
            let pair = name.trim_end_matches(".mill");
            let args = [*kind, &["--pair", pair]].concat();
            let run = repack(&small(), repacked.path(), &args);
            assert_eq!(run.status, 0, "{}", run.err);
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
        let answer = repack(small, back.path(), &args).json();
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
    repack(smallest(), single.path(), &["--json", "--pair", "5-4"]).json();
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
        let index = Index::new(millbase::Material::new(mover, waiting));
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
    let found = run(folder, &["find", "3-3", "--value", "win", "--limit", "1"]).out;
    assert!(found.ends_with("  win\n"), "{found}");

    let stats = ["stats", "--histogram", "--json"];
    let [full, wdl] = [&small(), folder].map(|folder| run(folder, &stats).json());
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
        let counts = wdl["histogram"].as_array().unwrap().iter();
        let mut depths = counts.map(|count| &count["dtw"]);
        assert!(depths.all(Json::is_null), "{wdl}");
        assert!(
            wdl["max_win"].is_null() && wdl["max_loss"].is_null(),
            "{wdl}"
        );
    }

    let list = run(folder, &["list", "--json"]).json();
    assert!(list.to_string().contains("4-3"));
    let words = "holds results without depths";
    run(folder, &["line", FLYING]).fails_with(3, words);
    run(folder, &["find", "3-3", "--depth", "3"]).fails_with(3, words);
    // Wins are puzzles by their depths.
    let make = ["puzzles", "make", "--count", "1", "--from", "3-3", "--json"];
    run(folder, &make).fails_with(3, words);
    run(folder, &[&make[..], &["--goal", "draw"]].concat()).json();
    let place = TempDir::new().unwrap();
    let pack = place.path().join("pack.json");
    fs::write(&pack, run(&small(), &make).out).unwrap();
    let check = ["puzzles", "check", pack.to_str().unwrap()];
    assert_eq!(run(&small(), &check).status, 0);
    run(folder, &check).fails_with(3, words);
    // Without depths it is known at least that a full count has drawn the game.
    let full = format!("{FLYING} -1 -1 -1 -1 0 100 1");
    assert_eq!(
        run(folder, &["probe", "--json", &full]).json()["drawn_after"],
        0
    );
    let records = run(folder, &["records", "--pair", "3-3"]).out;
    process::shows(
        &records,
        "files without depths, so without deepest positions: 3-3",
    );
    assert!(
        !run(&small(), &["records", "--pair", "3-3"])
            .out
            .contains("without")
    );

    // The advice for missing files works.
    let options = format!("--db {} --profile wdl", folder.display());
    let advice = format!("`millbase build --pair 6-4 {options}`");
    run(folder, &["probe", LARGER]).fails_with(3, &advice);
    let built = ["build", "--pair", "6-4", "--profile", "wdl", "--dry-run"];
    assert_eq!(run(folder, &built).status, 0);
    let list = run(folder, &["list"]).out;
    let missing = format!("'millbase build {options}' makes the missing ones");
    assert!(list.contains(&missing), "{list}");
    let placing = format!("'millbase build --placing {options}' makes");
    assert!(list.contains(&placing), "{list}");
    for args in [&["verify", "--placing"][..], &["probe", "start"]] {
        run(folder, args).fails_with(3, &format!("--placing {options}"));
    }

    // The pairs that are part of the program have depths, which do not follow from files without them.
    let mixed = TempDir::new().unwrap();
    for name in ["3-3.mill", "4-3.mill"] {
        fs::copy(folder.join(name), mixed.path().join(name)).unwrap();
    }
    let verified = run(mixed.path(), &["verify", "--pair", "5-3"]);
    assert_eq!(verified.status, 0, "{}", verified.err);
    let records = run(mixed.path(), &["records", "--pair", "5-3"]).out;
    let without = "files without depths, so without deepest positions: 5-3";
    process::shows(&records, without);

    // Missing depths cannot be written, and a folder may not have files of both profiles.
    let other = TempDir::new().unwrap();
    repack(folder, other.path(), &[]).fails_with(3, words);
    assert!(names(other.path()).is_empty());
    repack(&small(), folder, &[]).fails_with(2, "has no depths");
    run(folder, &["build", "--max-stones", "9"]).fails_with(2, "has no depths");
    let written = repack(&small(), other.path(), &["--pair", "3-3"]);
    assert_eq!(written.status, 0, "{}", written.err);
    repack(&small(), other.path(), KINDS[2]).fails_with(2, "depths");
    // A build cannot give finished files another level.
    let build = ["build", "--pair", "3-3", "--level"];
    run(other.path(), &[&build[..], &["max"]].concat()).fails_with(2, "3-3 in ");
    assert_eq!(
        run(other.path(), &[&build[..], &["quick"]].concat()).status,
        0
    );
    assert_eq!(
        run(smallest(), &["build", "--pair", "3-3", "--dry-run"]).status,
        0
    );
    assert_eq!(names(other.path()), ["3-3.mill"]);
}

#[test]
fn repacking_goes_on_and_spares_its_own_folder() {
    let folder = TempDir::new().unwrap();
    for name in names(&small()) {
        fs::copy(small().join(&name), folder.path().join(&name)).unwrap();
    }
    fs::remove_file(folder.path().join("4-3.mill")).unwrap();
    let again = repack(&small(), folder.path(), &[]);
    let steps = again.err;
    assert_eq!(again.status, 0, "{steps}");
    assert!(steps.contains("4-3 written"), "{steps}");
    assert_eq!(steps.lines().count(), 1, "{steps}");
    assert_eq!(names(folder.path()), names(&small()));

    // A file of another level is written again.
    let smaller = repack(
        &small(),
        folder.path(),
        &["--pair", "3-3", "--level", "max"],
    );
    assert!(smaller.err.contains("3-3 written"), "{}", smaller.err);

    let words = "is the folder of the databases; name another one with --to";
    let roundabout = folder.path().join(".");
    repack(folder.path(), folder.path(), &[]).fails_with(2, words);
    repack(folder.path(), &roundabout, KINDS[1]).fails_with(2, words);

    let other = TempDir::new().unwrap();
    repack(&small(), other.path(), &["--pair", "9-9"]).fails_with(3, "9-9");

    // A file of another program, or of other rules, is not replaced.
    let file = folder.path().join("4-3.mill");
    fs::write(&file, b"precious").unwrap();
    repack(&small(), folder.path(), &[]).fails_with(4, "4-3.mill");
    assert_eq!(fs::read(&file).unwrap(), b"precious");
}

/// The new folder has every file that can be used; each other one is named, and the exit status says so.
#[test]
fn repacking_names_each_file_that_it_cannot_use() {
    let (from, to) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let path = |name: &str| from.path().join(name);
    for name in names(&small()) {
        fs::copy(small().join(&name), path(&name)).unwrap();
    }
    let change = |name: &str, change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = fs::read(path(name)).unwrap();
        change(&mut bytes);
        fs::write(path(name), bytes).unwrap();
    };
    change("5-4.mill", &|bytes| bytes.truncate(bytes.len() / 2));
    change("4-4.mill", &|bytes| bytes[8] ^= 1);
    // Damage that only reading the rows finds.
    change("6-3.mill", &|bytes| *bytes.last_mut().unwrap() ^= 1);
    let other = TempDir::new().unwrap();
    let twelve = ["build", "--rules", "twelve", "--pair", "3-3"];
    assert_eq!(run(other.path(), &twelve).status, 0);
    fs::copy(other.path().join("twelve/3-3.mill"), path("3-3.mill")).unwrap();

    let again = repack(from.path(), to.path(), &["--level", "max", "--json"]);
    assert_eq!(again.status, 4, "{}", again.err);
    let answer = again.object();
    let unusable: Vec<&str> = answer["unusable"]
        .as_array()
        .unwrap()
        .iter()
        .map(|why| why.as_str().unwrap())
        .collect();
    for words in [
        "3-3.mill",
        "4-4.mill has format version",
        "5-4.mill",
        "6-3 is not",
    ] {
        let naming = unusable.iter().filter(|why| why.contains(words));
        assert!(naming.count() > 0, "{words}: {unusable:?}");
        assert!(again.err.contains(words), "{words}: {}", again.err);
    }
    // What a file omits may follow from one that cannot be used. No pair vanishes.
    let written = names(to.path());
    for name in names(&small()) {
        let pair = name.trim_end_matches(".mill");
        let is_named = unusable.iter().any(|why| {
            why.contains(&name) || why.starts_with(&format!("{pair} is not written again"))
        });
        assert_eq!(is_named, !written.contains(&name), "{name}: {unusable:?}");
    }
}

/// The folder of rules with two placements of three stones, and of its copy.
#[test]
fn repacking_takes_the_placing_phase_along() {
    let place = process::Place::new();
    fs::write(place.path().join("own.toml"), "stones = 3\n").unwrap();
    let run = |args: &[&str]| place.run(&[args, &["--rules", "own.toml", "--db", "db"]].concat());
    assert_eq!(run(&["build", "--placing"]).status, 0);
    let [folder] = &common::names(&place.path().join("db"))[..] else {
        panic!("one folder for the rules")
    };
    let [old, new] = ["db", "new"].map(|parent| place.path().join(parent).join(folder));
    assert_eq!(names(&old).len(), 4);
    let kinds: [&[&str]; 3] = [&[], &["--level", "max"], &["--profile", "wdl"]];
    for kind in kinds {
        let _ = fs::remove_dir_all(&new);
        let repack = || run(&[&["repack", "--to", "new", "--json"], kind].concat());
        let first = repack();
        let answer = first.json();
        let plies = answer["placing"].as_array().unwrap();
        assert_eq!(plies.len() + 1, names(&old).len());
        assert_eq!(answer["unusable"], serde_json::json!([]));
        // Folders to be published hold nothing but databases.
        assert_eq!(common::names(&new), names(&old));
        assert!(first.err.contains("placements written"), "{}", first.err);
        assert_eq!(repack().err, "");
        // A build with these options makes the same files; without depths it keeps fewer plies.
        let _ = fs::remove_dir_all(place.path().join("built"));
        let build = [&["build", "--placing"], kind].concat();
        let args = [&build, &["--rules", "own.toml", "--db", "built"][..]].concat();
        assert_eq!(place.run(&args).status, 0);
        let built = place.path().join("built").join(folder);
        assert!(names(&built).len() > 2);
        for name in names(&built) {
            let [repacked, built] =
                [&new, &built].map(|folder| fs::read(folder.join(&name)).unwrap());
            assert!(repacked == built, "{name} {kind:?}");
        }
        let of_built =
            |args: &[&str]| place.run(&[args, &["--rules", "own.toml", "--db", "built"]].concat());
        assert_eq!(of_built(&["verify"]).status, 0);
        let counts = of_built(&["stats", "--json"]).json();
        let deepest = |ply: &Json| {
            [&ply["max_win"], &ply["max_loss"]]
                .iter()
                .any(|dtw| dtw.is_u64())
        };
        let plies = counts["placing"].as_array().unwrap();
        assert_eq!(plies.iter().any(deepest), !kind.contains(&"wdl"));
    }
    // Files of the placing phase with other contents, or without any, are not replaced either.
    fs::remove_file(new.join("3-3.mill")).unwrap();
    let words = "placing-00.mill in";
    run(&["repack", "--to", "new"]).fails_with(2, words);
    for (name, status) in [("placing-00.mill", 2), ("placing-01.mill", 4)] {
        let kept = fs::read(old.join(name)).unwrap();
        match status {
            2 => fs::copy(new.join(name), old.join(name))
                .map(|_| ())
                .unwrap(),
            _ => fs::write(old.join(name), b"precious").unwrap(),
        }
        run(&["build", "--placing"]).fails_with(status, name);
        run(&["build", "--placing", "--dry-run"]).fails_with(status, name);
        fs::write(old.join(name), kept).unwrap();
    }
    assert_eq!(run(&["build", "--placing"]).status, 0);
}
