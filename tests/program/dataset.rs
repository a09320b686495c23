//! Tests of `millbase dataset`: another reader finds the rows, and they are what the databases answer.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::Path;
use std::thread;
use std::time::Duration;

use millbase::sample::canonical;
use millbase::{Database, Histogram, Pair, Position, Rules, Side, Wdl};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use serde_json::Value as Json;

use crate::common::{self, rows};
use crate::process::{self, Place, Run};

type Row = BTreeMap<String, Option<i64>>;

/// Each `step`th row of a file, as the reader of the crate has them, and the number of all.
fn read(path: &Path, step: usize) -> (Vec<Row>, i64) {
    let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    let number = |field: &Field| match *field {
        Field::Null => None,
        Field::Byte(number) => Some(number.into()),
        Field::Short(number) => Some(number.into()),
        Field::UByte(number) => Some(number.into()),
        Field::UShort(number) => Some(number.into()),
        Field::UInt(number) => Some(number.into()),
        ref other => panic!("{other:?}"),
    };
    let rows = reader.get_row_iter(None).unwrap().step_by(step).map(|row| {
        let row = row.unwrap();
        let columns = row.get_column_iter();
        columns
            .map(|(name, field)| (name.clone(), number(field)))
            .collect()
    });
    (rows.collect(), reader.metadata().file_metadata().num_rows())
}

/// The position of a row.
fn position(row: &Row, rules: &Rules) -> Position {
    let number = |name: &str| row[name].unwrap();
    let masks = millbase::Masks {
        white: &[number("white") as u32],
        black: &[number("black") as u32],
        to_move: &[number("to_move") as u8],
        in_hand: Some([
            &[number("white_in_hand") as u8],
            &[number("black_in_hand") as u8],
        ]),
    };
    masks.position(0, rules).unwrap()
}

/// Checks a row against what the databases answer about its position and its turns.
fn check(row: &Row, db: &Database) {
    let position = position(row, db.rules());
    let value = db.probe(&position).unwrap();
    let wdl = match value.wdl() {
        Wdl::Win => 1,
        Wdl::Draw => 0,
        Wdl::Loss => -1,
    };
    let text = position.text(db.rules());
    assert_eq!(row["wdl"], Some(wdl), "{text}");
    assert_eq!(row["dtw"], value.dtw().map(|dtw| dtw.0.into()), "{text}");
    if !row.contains_key("good_turns") {
        assert_eq!(row.len(), 7);
        return;
    }
    let turns = db.turns(&position).unwrap();
    let good = turns.iter().filter(|turn| turn.value.wdl() == value.wdl());
    let best: Vec<_> = turns.iter().filter(|turn| turn.value == value).collect();
    assert_eq!(row["good_turns"], Some(good.count() as i64), "{text}");
    assert_eq!(row["best_turns"], Some(best.len() as i64), "{text}");
    let mut sets = [0; 3];
    for turn in best {
        sets[0] |= turn.turn.from().map_or(0, |point| 1 << point.bit());
        sets[1] |= turn.turn.to().map_or(0, |point| 1 << point.bit());
        sets[2] |= turn.turn.removed().bits();
    }
    for (name, set) in ["best_from", "best_to", "best_removed"].iter().zip(sets) {
        assert_eq!(row[*name], Some(set.into()), "{text}: {name}");
    }
}

/// Writes a file; returns each `step`th row, and the number of all.
fn write_some(place: &Place, args: &[&str], step: usize) -> (Vec<Row>, u64) {
    let run = place.run(&[&["dataset", "--json", "--to", "rows.parquet"], args].concat());
    let answer = run.json();
    let file = place.path().join("rows.parquet");
    let (rows, count) = read(&file, step);
    assert_eq!(answer["rows"], count);
    assert_eq!(answer["bytes"], fs::metadata(file).unwrap().len());
    (rows, count as u64)
}

fn write(place: &Place, args: &[&str]) -> Vec<Row> {
    let (rows, count) = write_some(place, args, 1);
    assert_eq!(rows.len() as u64, count);
    rows
}

#[test]
fn a_whole_table_has_each_position_once() {
    let place = Place::new();
    let db = Database::embedded(Rules::STANDARD);
    let rules = Rules::STANDARD;
    let all = write(&place, &["3-3", "--turns"]);
    let pair = Pair::new(3, 3).unwrap();
    let counted = db
        .histogram(pair.tables(&Rules::STANDARD)[0])
        .unwrap()
        .positions();
    assert_eq!(all.len() as u64, counted);
    all.iter().step_by(19).for_each(|row| check(row, &db));
    let mut values = BTreeMap::new();
    for row in &all {
        let position = canonical(&position(row, &rules));
        assert!(
            values
                .insert(position.text(&rules), (row["wdl"], row["dtw"]))
                .is_none()
        );
    }
    let mut known = 0;
    for row in rows(include_str!("../data/moving.csv")) {
        let position = Position::parse(row[0], &rules).unwrap();
        let sides = [position.stones(Side::White), position.stones(Side::Black)];
        if sides.iter().all(|set| set.len() == 3) {
            let mut own = position;
            if own.side_to_move() == Side::Black {
                own = own.with_colours_exchanged();
            }
            let wdl = ["loss", "draw", "win"]
                .iter()
                .position(|&name| name == row[1]);
            let value = (wdl.map(|wdl| wdl as i64 - 1), row[2].parse().ok());
            assert_eq!(values[&canonical(&own).text(&rules)], value, "{}", row[0]);
            known += 1;
        }
    }
    assert!(known > 3, "{known}");
    // Both tables of a pair, and captures into another.
    let (both, count) = write_some(&place, &["4-3", "--turns"], 499);
    let tables = Pair::new(4, 3)
        .unwrap()
        .tables(&Rules::STANDARD)
        .into_iter();
    let counted = tables.map(|table| db.histogram(table).unwrap().positions());
    assert_eq!(count, counted.sum::<u64>());
    both.iter().for_each(|row| check(row, &db));
    let sides: BTreeSet<u32> = both
        .iter()
        .map(|row| (row["white"].unwrap() as u32).count_ones())
        .collect();
    assert_eq!(sides, BTreeSet::from([3, 4]));
    // Values alone are the same.
    let alone = write(&place, &["3-3"]);
    assert_eq!(alone.len(), all.len());
    for (alone, all) in alone.iter().zip(&all) {
        assert_eq!(alone.len(), 7);
        assert!(alone.iter().all(|(name, number)| all[name] == *number));
    }
    // A table named twice is written once, but among random rows it counts twice.
    let twice = place.run(&["dataset", "--json", "--to", "twice.parquet", "3-3", "3-3"]);
    assert_eq!(twice.json()["rows"], all.len());
    let random = write(&place, &["3-3", "3-3", "4-3", "--sample", "30"]);
    let stones = |row: &BTreeMap<_, Option<i64>>, side| row[side].unwrap().count_ones();
    let three = random
        .iter()
        .filter(|row| stones(row, "white") + stones(row, "black") == 6);
    assert_eq!((three.count(), random.len()), (20, 30));
}

/// Games with few stones, whose placing phase is small.
const FEW: &str = "base = \"standard\"\nstones = 3\n";

#[test]
fn other_rules_and_positions_with_stones_in_hand_have_rows() {
    let place = Place::new();
    let cases = [
        (FEW, "placed-1 placed-2 placed-5"),
        ("base = \"lasker\"\nstones = 3\n", "3-2+0-1 2-2+1-1"),
        ("base = \"standard\"\nstones = 3\nquiet_turns = 20\n", "3-3"),
    ];
    for (settings, families) in cases {
        fs::write(place.path().join("own.toml"), settings).unwrap();
        let file = place.path().join("own.toml");
        let read = millbase::internals::service::settings::of_file(&file).unwrap();
        let folder = place.path().join("built");
        fs::create_dir_all(&folder).unwrap();
        let own = folder.join(millbase::store::folder_of("".as_ref(), &read));
        fs::create_dir_all(&own).unwrap();
        let plies: &[u8] = if settings == FEW {
            &[5, 4, 3, 2, 1, 0]
        } else {
            &[]
        };
        common::build(&own, &read, &Pair::all(&read), plies);
        let db = Database::open_in(&folder, read).unwrap();
        for family in families.split(' ') {
            let options = ["--rules", "own.toml", "--db", "built", "--turns", family];
            let (rows, count) = write_some(&place, &options, 97);
            let histograms: Vec<Histogram> = match family.strip_prefix("placed-") {
                Some(ply) => {
                    let ply = db.ply(ply.parse().unwrap()).unwrap().unwrap();
                    let histogram = |stage| ply.histogram(stage).unwrap().clone();
                    ply.stages().map(histogram).collect()
                }
                None => {
                    let pair: Pair = family.parse().unwrap();
                    let histogram = |table| db.histogram(table).unwrap().clone();
                    pair.tables(&read).into_iter().map(histogram).collect()
                }
            };
            let counted: u64 = histograms.iter().map(Histogram::positions).sum();
            assert_eq!(count, counted, "{family}");
            rows.iter().for_each(|row| check(row, &db));
            let find = ["find", "--rules", "own.toml", "--db", "built", family];
            let draws = histograms.iter().flat_map(Histogram::iter);
            let draws = draws.filter(|(value, _)| value.wdl() == Wdl::Draw);
            let draws: u64 = draws.map(|(_, count)| count).sum();
            for (value, expected) in [(None, counted), (Some("draw"), draws)] {
                let value = value.map(|value| ["--value", value]);
                let args: Vec<&str> = find
                    .into_iter()
                    .chain(value.into_iter().flatten())
                    .collect();
                let found = place.run(&args).out;
                assert_eq!(found.lines().count() as u64, expected, "{args:?}");
            }
            // An only turn, by the turns of probe.
            let only = ["--good", "1", "--limit", "1", "--json"];
            let only = place.run(&[&find[..], &only].concat()).out;
            for position in only.lines() {
                let position: Json = serde_json::from_str(position).unwrap();
                let position = position["position"].as_str().unwrap();
                let probe = [
                    "probe", "--rules", "own.toml", "--db", "built", "--json", position,
                ];
                let probe = place.run(&probe).json();
                let turns = probe["turns"].as_array().unwrap();
                let keep = turns.iter().filter(|turn| turn["wdl"] == turns[0]["wdl"]);
                assert_eq!(keep.count(), 1, "{probe}");
            }
        }
    }
}

#[test]
fn samples_are_the_same_for_a_seed() {
    let place = Place::new();
    let db = Database::embedded(Rules::STANDARD);
    let file = place.path().join("rows.parquet");
    let args = ["5-4", "4-4", "--sample", "1500", "--seed", "3"];
    let first = write(&place, &args);
    let bytes = fs::read(&file).unwrap();
    assert_eq!(first.len(), 1500);
    first.iter().for_each(|row| check(row, &db));
    let stones = |row: &Row| (row["white"].unwrap() | row["black"].unwrap()).count_ones();
    assert!(
        first
            .iter()
            .enumerate()
            .all(|(number, row)| stones(row) == 9 - number as u32 % 2)
    );
    assert_eq!(write(&place, &args), first);
    assert_eq!(fs::read(&file).unwrap(), bytes);
    let turns = write(&place, &[&args[..], &["--turns"]].concat());
    turns.iter().step_by(7).for_each(|row| check(row, &db));
    let other = write(&place, &["5-4", "4-4", "--sample", "1500", "--seed", "4"]);
    assert_ne!(other, first);
    let reader = SerializedFileReader::new(File::open(&file).unwrap()).unwrap();
    let metadata = reader
        .metadata()
        .file_metadata()
        .key_value_metadata()
        .unwrap()
        .clone();
    let value = |key: &str| {
        metadata
            .iter()
            .find(|pair| pair.key == key)
            .and_then(|pair| pair.value.clone())
    };
    assert_eq!(value("millbase.families").as_deref(), Some("5-4 4-4"));
    assert_eq!(value("millbase.seed").as_deref(), Some("4"));
}

#[test]
fn conditions_that_contradict_each_other_are_refused() {
    let place = Place::new();
    let draws = "find 3-3 --value draw --depth 3";
    place.fails(draws, 2, "a draw has no depth; leave out --depth");
    let both = "find 3-3 --own a1,d1 --other d1";
    place.fails(both, 2, "d1 cannot have stones of both sides");
}

#[test]
#[cfg(unix)]
fn a_full_disk_is_named() {
    let place = Place::new();
    let args = ["dataset", "3-3", "--to", "full.parquet"];
    let run = process::run(&mut process::on_full_disk(place.path(), &args));
    run.fails_with(5, "cannot write full.parquet: ");
    assert!(!run.err.contains("External"), "{}", run.err);
}

#[test]
fn a_failure_leaves_what_was_there() {
    let place = Place::new();
    let to = place.path().join("old.parquet");
    let run = |args: &[&str]| place.run(&[&["dataset", "--to", "old.parquet"], args].concat());
    fs::write(&to, "a letter").unwrap();
    run(&["3-3"]).fails_with(2, "exists and is not a Parquet file");
    assert_eq!(fs::read(&to).unwrap(), b"a letter");
    fs::write(&to, "PAR1 and what else was there").unwrap();
    let before = fs::read(&to).unwrap();
    run(&["6-4"]).fails_with(3, "millbase build --pair 6-4");
    run(&["6-4", "--sample", "5"]).fails_with(3, "millbase build --pair 6-4");
    run(&["placed-3"]).fails_with(
        3,
        "placing-03.mill is missing; build it with `millbase build --placing --plies 3`",
    );
    run(&["placed-18"]).fails_with(2, "only 18");
    run(&["2-2"]).fails_with(2, "neither a pair");
    run(&["3-3", "--seed", "3"]).fails_with(2, "--sample");
    run(&[]).fails_with(2, "required");
    fs::create_dir(place.path().join("db")).unwrap();
    let mut damaged = fs::read(common::root().join("db/3-3.mill")).unwrap();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    fs::write(place.path().join("db/3-3.mill"), damaged).unwrap();
    run(&["3-3"]).fails_with(4, "3-3.mill is corrupted");
    assert_eq!(fs::read(&to).unwrap(), before);
    assert_eq!(common::names(place.path()), ["db", "old.parquet"]);
    let nowhere = place.run(&["dataset", "5-4", "--to", "no/where.parquet"]);
    nowhere.fails_with(5, "cannot write no/where.parquet");
}

/// Ctrl-C leaves no file, not even a hidden one.
#[cfg(unix)]
#[test]
fn a_stopped_data_set_leaves_nothing() {
    let place = Place::new();
    let child = place.spawn(&["dataset", "5-4", "--turns", "--to", "rows.parquet"]);
    let names = || fs::read_dir(place.path()).unwrap().count();
    while names() == 0 {
        thread::sleep(Duration::from_millis(10));
    }
    process::signal(&child, "INT");
    let run = Run::from(child.wait_with_output().unwrap());
    assert_eq!((run.status, names()), (130, 0), "{}", run.err);
}
