use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::report::MOST_MISMATCHES;
use super::turns::{CheckedTable, TableTurns};
use super::*;
use crate::board::symmetry::Symmetry;
use crate::index::histogram::Histogram;
use crate::index::stages::{Stage, StageSets};
use crate::index::{Index, Material, Pair};
use crate::probe::Database;
use crate::random::Random;
use crate::rules::position::{Position, Side};
use crate::rules::{Blocked, Rules};
use crate::solve::pair::solve;
use crate::solve::{BuildRequest, build, ply};
use crate::store::{PlyWriter, Profile, file_name, write_pair};
use crate::value::{Metric, Value};

/// One table in memory.
#[derive(Clone)]
struct Owned {
    index: Index,
    values: Vec<u8>,
}

impl Owned {
    fn table(&self) -> CheckedTable<'_> {
        CheckedTable::new(&self.index, &self.values)
    }

    fn position(&self, entry: usize) -> Position {
        let (mover, waiting) = self.index.sets(entry);
        Position::moving(mover, waiting)
    }
}

fn turns_of<'a>(
    rules: &'a Rules,
    material: Material,
    child: &'a Owned,
    captures: &'a [Owned],
) -> TableTurns<'a> {
    let mut captures = captures.iter();
    TableTurns {
        quiet: Some(&child.values),
        captures: [(); 3].map(|()| captures.next().map(Owned::table)),
        ..TableTurns::new(rules, Metric::Depth, material)
    }
}

/// A table with the values that its turns give.
fn derived(rules: &Rules, material: Material, child: &Owned, captures: &[Owned]) -> Owned {
    let turns = turns_of(rules, material, child, captures);
    let derive = |entry| {
        let (mover, waiting) = turns.parent.sets(entry);
        turns
            .derive(&turns.position(mover, waiting))
            .to_byte()
            .unwrap()
    };
    let entries = (0..turns.parent.len()).into_par_iter();
    Owned {
        values: entries.map(derive).collect(),
        index: turns.parent,
    }
}

/// A table of pseudorandom values that are equal for positions that are equal up to symmetry.
fn fabricated(material: Material) -> Owned {
    let index = Index::new(material);
    let value = |entry| {
        let (mover, waiting) = index.sets(entry);
        let image = |s: Symmetry| (s.apply(mover).bits(), s.apply(waiting).bits());
        let (mover, waiting) = Symmetry::all().map(image).min().unwrap_or_default();
        let random = Random::new(u64::from(mover) << 32 | u64::from(waiting)).word();
        // Too many losses of the opponent or too many great depths would hide each other.
        match random % 8 {
            0 => 0,
            1 => (random >> 32) as u8 % 127 * 2 + 1,
            _ => (random >> 32) as u8 % 128 * 2,
        }
    };
    let values = (0..index.len()).into_par_iter().map(value).collect();
    Owned { index, values }
}

#[test]
fn derived_values_pass_and_all_others_are_detected() {
    let flying = |flying| Rules {
        flying,
        ..Rules::STANDARD
    };
    let diagonals = Rules {
        diagonals: true,
        flying: 0,
        removal_from_mills: true,
        ..Rules::STANDARD
    };
    let passing = |rules| Rules {
        blocked: Blocked::Passes,
        ..rules
    };
    let mut tables = HashMap::new();
    for (rules, mover, waiting) in [
        (Rules::STANDARD, 3, 3),
        (Rules::STANDARD, 3, 4),
        (Rules::STANDARD, 4, 3),
        (flying(0), 3, 4),
        (flying(4), 4, 3),
        (diagonals, 3, 4),
        (passing(flying(0)), 3, 4),
        (passing(diagonals), 4, 3),
        (Rules::TWELVE, 12, 12),
        (passing(Rules::MORABARABA), 12, 12),
        (Rules::DOOZ, 12, 12),
    ] {
        let material = Material::new(mover, waiting);
        let mut table = |material| {
            let table = tables.entry(material);
            table.or_insert_with(|| fabricated(material)).clone()
        };
        let child = table(material.exchanged());
        let captures = material.after_captures(&rules).into_iter();
        let captures: Vec<Owned> = captures.map(table).collect();
        let mut parent = derived(&rules, material, &child, &captures);
        let turns = turns_of(&rules, material, &child, &captures);
        let done = AtomicU64::new(0);
        let advance = |entries| {
            done.fetch_add(entries, Ordering::Relaxed);
        };
        // Wins in 253 turns are the only values that need the slow derivation.
        let is_stored = |value, code| turns.codes.is_stored(value, code);
        let found = |entry: usize, code| {
            let value = parent.values[entry];
            assert!(value == 254 || is_stored(value, code));
        };
        turns.for_each(&advance, || false, found);
        assert_eq!(done.into_inner(), child.values.len() as u64);
        assert!(*turns.table(&|_| ()).unwrap() == *parent.values);
        assert_eq!(turns.compare(&parent.values, &|_| ()), []);

        // One wrong value in each quarter of the table.
        let mut random = Random::new(1);
        let quarter = parent.values.len() / 4;
        let changed = [0, 1, 2, 3].map(|part| {
            let entry = part * quarter + random.below(quarter);
            let right = parent.values[entry];
            parent.values[entry] = right.wrapping_add(1 + random.below(255) as u8);
            Mismatch {
                position: parent.position(entry),
                stored: Value::from_byte(parent.values[entry]),
                derived: Value::from_byte(right),
            }
        });
        let found = turns.compare(&parent.values, &|_| ());
        assert_eq!(found.len(), changed.len());
        assert!(changed.iter().all(|wrong| found.contains(wrong)));
    }
}

/// Each number of removals leads to a different table, and a blocked mover passes. The boards have
/// one empty point, and the value of a capture depends only on the number of remaining stones.
#[test]
fn several_removals_are_checked() {
    let rules = Rules {
        removal_per_mill: true,
        blocked: Blocked::Passes,
        ..Rules::TWELVE
    };
    let child = fabricated(Material::new(11, 12));
    let captures = Material::new(12, 11).after_captures(&rules);
    assert_eq!(captures.len(), 3);
    let captures = captures.into_iter().zip([4, 2, 5]);
    let captures: Vec<Owned> = captures
        .map(|(material, byte)| Owned {
            index: Index::new(material),
            values: vec![byte; material.entries() as usize],
        })
        .collect();
    let material = Material::new(12, 11);
    let parent = derived(&rules, material, &child, &captures);
    let turns = turns_of(&rules, material, &child, &captures);
    assert_eq!(turns.compare(&parent.values, &|_| ()), []);

    // Every kind of position is compared: a changed value is detected everywhere. No slide closes
    // three mills, because it moves along a line of its target.
    let removed = |entry: usize| {
        let position = parent.position(entry);
        let turns = position.turns(&rules).into_iter();
        match position.must_pass(&rules) {
            true => 3,
            false => turns.map(|turn| turn.removed().len()).max().unwrap_or(0),
        }
    };
    let mut random = Random::new(3);
    let mut entries = [None; 4];
    for _ in 0..200_000 {
        let entry = random.below(parent.values.len());
        entries[removed(entry) as usize].get_or_insert(entry);
        if entries.iter().all(Option::is_some) {
            break;
        }
    }
    for entry in entries {
        let entry = entry.expect("a position of each kind");
        let mut damaged = parent.clone();
        damaged.values[entry] ^= 2;
        let found = turns.compare(&damaged.values, &|_| ());
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].position, parent.position(entry));
    }
}

#[test]
fn files_are_checked_with_their_counts() {
    let folder = tempfile::tempdir().unwrap();
    let pair = Pair::new(3, 3).unwrap();
    let nothing = |_| -> Result<Vec<u8>, _> { unreachable!("3-3 needs nothing") };
    let solved = solve(&Rules::STANDARD, pair, nothing, &mut |_| Ok(())).unwrap();
    let index = Index::new(solved[0].material);
    let entries = index.len() as u64;
    let values = solved[0].values.to_vec();
    let mut table = Owned { index, values };
    let mut open = |damage: u8, recount: bool| {
        let counted = Histogram::of_table(&table.index, &table.values);
        table.values[12_345] ^= damage;
        let recounted = Histogram::of_table(&table.index, &table.values);
        let histograms = [if recount { recounted } else { counted }];
        let (folder, rules, profile) = (folder.path(), Rules::STANDARD, Profile::default());
        write_pair(folder, &rules, profile, pair, &table.values, &histograms).unwrap();
        Database::open(folder, rules).unwrap()
    };

    let verified = |db: &Database| verify_pair(db, pair, &mut Tables::default(), &|_| ()).unwrap();
    let db = open(0, true);
    let sample = verify_sample(&db, pair, 1000, 7).unwrap();
    for (report, checked) in [(verified(&db), entries), (sample, 1000)] {
        assert!(report.is_clean());
        assert_eq!(report.checked, checked);
    }
    let report = verified(&open(6, true));
    assert!(!report.mismatches.is_empty());
    assert_eq!(report.miscounted, []);
    let report = verified(&open(6, false));
    assert_eq!(report.mismatches, []);
    assert_eq!(report.miscounted, [Miscounted::Moving(3)]);
    assert!(!report.is_clean());
}

/// Plies with depths may lie beside pairs without.
#[test]
fn plies_beside_pairs_without_depths_are_checked() {
    let folder = with_plies(&FOUR);
    let mut request = request(&FOUR);
    request.plies.clear();
    request.profile.metric = Metric::Wdl;
    for &pair in &request.pairs {
        std::fs::remove_file(folder.path().join(file_name(pair))).unwrap();
    }
    build(folder.path(), &request, &mut |_| ()).unwrap();
    let database = Database::open(folder.path(), FOUR).unwrap();
    assert!(database.pairs().all(|file| file.metric() == Metric::Wdl));
    for file in database.plies() {
        let tables = [Tables::default(), with_last_placement(&database)];
        let [alone, after_pairs] =
            tables.map(|mut tables| verify_ply(&database, file, &mut tables, &|_| ()).unwrap());
        let sample = verify_ply_sample(&database, file, 200, 1).unwrap();
        for report in [alone, after_pairs, sample] {
            assert!(report.is_clean() && report.checked > 0, "{report:?}");
        }
    }
}

/// A folder with all pairs of these rules, and with the files of two plies, with other plies
/// between them and after the second, and with captures on the way.
fn with_plies(rules: &Rules) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    build(folder.path(), &request(rules), &mut |_| ()).unwrap();
    folder
}

fn request(rules: &Rules) -> BuildRequest {
    BuildRequest {
        rules: *rules,
        pairs: Pair::all(rules),
        plies: GAPS.into(),
        profile: Profile::default(),
    }
}

const GAPS: [u8; 2] = [1, 6];

/// Four stones a side, without flying.
const FOUR: Rules = Rules {
    stones: 4,
    flying: 0,
    ..Rules::STANDARD
};

#[test]
fn a_wrong_value_in_each_table_of_a_ply_is_detected() {
    let diagonals = Rules {
        diagonals: true,
        ..FOUR
    };
    let black_first = Rules {
        first_to_move: Side::Black,
        ..FOUR
    };
    for (rules, plies, least) in [
        (FOUR, &GAPS[..], [8, 3]),
        (diagonals, &GAPS[1..], [4, 1]),
        (black_first, &GAPS[1..], [4, 1]),
    ] {
        let [wrong, copies] = detected(&rules, plies);
        assert!(wrong >= least[0] && copies >= least[1], "{wrong}, {copies}");
    }
}

/// The tables that are left by the checks of all pairs.
fn with_last_placement(database: &Database) -> Tables {
    let rules = database.rules();
    let pairs = Pair::all(rules);
    let mut tables = Tables::new(database, &pairs, &std::env::temp_dir()).unwrap();
    for pair in pairs {
        let report = verify_pair(database, pair, &mut tables, &|_| ()).unwrap();
        assert!(report.is_clean());
    }
    let last = 2 * rules.stones - 1;
    for stage in StageSets::new(rules, last).stages_of(last) {
        assert!(tables.last_placement.tables.has(stage), "{stage:?}");
    }
    tables
}

/// Checks that wrong values in all tables of these plies are detected. Returns the number of
/// tables, and that of those in which the wrong one is another entry of a position.
fn detected(rules: &Rules, numbers: &[u8]) -> [usize; 2] {
    let (mut wrong, mut copies) = (0, 0);
    let folder = with_plies(rules);
    let stage_sets = StageSets::new(rules, 8);
    for &number in numbers {
        let open = || Database::open(folder.path(), *rules).unwrap();
        let stages: Vec<Stage> = stage_sets.stages_of(number).collect();
        let tables = stages
            .iter()
            .map(|&stage| ply::load(&open(), stage, Metric::Wdl).unwrap().to_vec());
        let tables: Vec<Vec<u8>> = tables.collect();
        let verify_with = |database: &Database, shared: &mut Tables| {
            let last = AtomicU64::new(0);
            let progress = |done| last.store(done, Ordering::Relaxed);
            let file = database.ply(number).unwrap().unwrap();
            let report = verify_ply(database, file, shared, &progress).unwrap();
            assert_eq!(report.miscounted, []);
            let entries = tables.iter().map(|table| table.len() as u64);
            assert_eq!(last.into_inner(), entries.sum::<u64>());
            assert!(report.checked > 0);
            report.mismatches
        };
        let verify = || {
            let database = open();
            let mismatches = verify_with(&database, &mut Tables::default());
            // The same of the last ply after the pairs, whose checks leave the last placement.
            if rules.first_to_move == Side::White && number == GAPS[1] {
                let mut shared = with_last_placement(&database);
                assert_eq!(verify_with(&database, &mut shared), mismatches);
            }
            mismatches
        };
        assert_eq!(verify(), []);

        let mut random = Random::new(number.into());
        for copied in [false, true] {
            let mut damaged = tables.clone();
            let mut expected = Vec::new();
            for (&stage, values) in stages.iter().zip(&mut damaged) {
                let index = Index::new(stage.material());
                let columns = index.columns().count();
                let rows = 0..index.rows().len();
                let firsts: Vec<_> = rows.map(|row| index.first_columns(row)).collect();
                let entries = (0..index.len()).filter(|&entry| {
                    let (mover, waiting) = index.sets(entry);
                    let first = firsts[entry / columns].as_ref();
                    stage_sets.allows(stage, mover, waiting)
                        && (!copied || first.is_some_and(|first| !first.contains(entry % columns)))
                });
                let entries: Vec<usize> = entries.collect();
                if entries.is_empty() {
                    continue;
                }
                let entry = entries[random.below(entries.len())];
                let right = values[entry];
                values[entry] = if right == 8 { 10 } else { 8 };
                let (mover, waiting) = index.sets(entry);
                expected.push(Mismatch {
                    position: stage.position(mover, waiting, rules),
                    stored: Value::from_byte(values[entry]),
                    derived: Value::from_byte(right),
                });
                wrong += 1;
                copies += usize::from(copied);
            }
            let (path, profile) = (folder.path(), Profile::default());
            let mut writer = PlyWriter::new(path, rules, &stage_sets, number, profile);
            for (&stage, values) in stages.iter().zip(&damaged) {
                writer.add(stage, values).unwrap();
            }
            writer.finish().unwrap();
            assert!(expected.len() <= MOST_MISMATCHES);
            assert_eq!(verify(), expected);
        }
    }
    [wrong, copies]
}
