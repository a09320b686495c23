//! The module as its users see it, on made-up values: what was written is read, and damage is
//! found.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::format::{self, Header};
use super::*;
use crate::board::{Point, PointSet};
use crate::histogram::Histogram;
use crate::index::{Index, Material};
use crate::position::Position;
use crate::rules::Rules;
use crate::symmetry::Symmetry;
use crate::value::{Dtw, Value};

const RULES: Rules = Rules::STANDARD;

/// Where docs/FORMAT.md puts the first table's histogram, and where the header of a pair of equal
/// sides ends.
const HISTOGRAM: usize = 44;
const HEADER: usize = HISTOGRAM + 2048 + 8;

/// Numbers that look random, the same in every run (xorshift64*).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() >> 16) as usize % bound
    }

    fn byte(&mut self) -> u8 {
        (self.next() >> 40) as u8
    }
}

fn pair(larger: u8, smaller: u8) -> Pair {
    Pair::new(larger, smaller).unwrap()
}

/// Values for the table of a pair that is stored: runs of equal bytes.
fn made_up(pair: Pair, run: usize) -> Vec<u8> {
    let mut random = Random(0x5eed + u64::from(pair.stones()));
    let mut value = 0;
    let entries = format::stored_table(pair).entries() as usize;
    let values = (0..entries).map(|entry| {
        if entry % run == 0 {
            value = random.byte() % 250;
        }
        value
    });
    values.collect()
}

/// Histograms for a pair with these values; that of the other table counts nothing.
fn histograms(pair: Pair, values: &[u8]) -> Vec<Histogram> {
    let index = Index::new(format::stored_table(pair));
    let mut histograms = vec![Histogram::of_table(&index, values)];
    histograms.resize(pair.tables().len(), Histogram::default());
    histograms
}

fn write(folder: &Path, pair: Pair, values: &[u8]) -> Result<u64, DbError> {
    let solved = SolvedPair {
        pair,
        values,
        histograms: histograms(pair, values),
    };
    let path = folder.join(file_name(pair));
    write_pair(&path, &RULES, &solved, Profile::default())
}

/// A folder with made-up databases of these pairs, and their values.
fn folder_with(pairs: &[Pair], run: usize) -> (TempDir, Vec<Vec<u8>>) {
    let folder = TempDir::new().unwrap();
    let values: Vec<_> = pairs.iter().map(|&pair| made_up(pair, run)).collect();
    for (&pair, values) in pairs.iter().zip(&values) {
        write(folder.path(), pair, values).unwrap();
    }
    (folder, values)
}

/// The values of the table that a file has.
fn load(database: &Database, pair: Pair) -> Result<Vec<u8>, DbError> {
    let mut values = vec![0; format::stored_table(pair).entries() as usize];
    database.file(pair)?.load(&mut values)?;
    Ok(values)
}

/// A small file whose bytes can be changed, and its table's values.
struct Specimen {
    folder: TempDir,
    bytes: Vec<u8>,
    values: Vec<u8>,
}

impl Specimen {
    const MATERIAL: Material = Material {
        mover: 3,
        waiting: 3,
    };

    fn new(run: usize) -> Specimen {
        let (folder, mut values) = folder_with(&[pair(3, 3)], run);
        let bytes = fs::read(folder.path().join("3-3.mill")).unwrap();
        Specimen {
            folder,
            bytes,
            values: values.remove(0),
        }
    }

    fn header(&self) -> Header {
        Header::parse(&self.bytes, self.bytes.len() as u64, Path::new("3-3.mill")).unwrap()
    }

    /// The place of a row's fields, and of the row itself.
    fn row(&self, number: usize) -> (usize, Range<usize>) {
        let fields = self.header().row(number) as usize;
        let offset =
            |at: usize| u64::from_le_bytes(self.bytes[at..at + 8].try_into().unwrap()) as usize;
        (fields, offset(fields)..offset(fields + 16))
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("3-3.mill")
    }

    /// Opens the folder with these bytes as the file.
    fn open(&self, bytes: &[u8]) -> Result<Database, DbError> {
        // Some file systems wait for the disk when a file is overwritten.
        let _ = fs::remove_file(self.path());
        fs::write(self.path(), bytes).unwrap();
        Database::open(self.folder.path(), RULES)
    }

    /// What loading the table gives when the file has these bytes.
    fn load(&self, bytes: &[u8]) -> Result<Vec<u8>, DbError> {
        load(&self.open(bytes)?, pair(3, 3))
    }
}

/// Gives a changed header the checksum that belongs to it.
fn repair_checksum(bytes: &mut [u8]) {
    let (header, _) = bytes.split_at_mut(HEADER);
    let (fields, sum) = header.split_at_mut(HEADER - 8);
    sum.copy_from_slice(&format::checksum(fields).to_le_bytes());
}

/// The entry's position, turned and coloured somehow.
fn some_position(index: &Index, entry: usize, random: &mut Random) -> Position {
    let (mover, waiting) = index.sets(entry);
    let turned = Symmetry::numbered(random.byte().into());
    let position = Position::moving(turned.apply(mover), turned.apply(waiting));
    match random.below(2) {
        0 => position,
        _ => position.with_colours_exchanged(),
    }
}

#[test]
fn entries_are_those_of_the_index() {
    for stones in 3..=12 {
        let material = Material {
            mover: stones,
            waiting: 3,
        };
        assert_eq!(
            material.entries(),
            Index::new(material).len() as u64,
            "{material:?}"
        );
    }
}

#[test]
fn the_fingerprint_is_the_one_of_the_documentation() {
    let fingerprint = format!("{:#018x}", RULES.fingerprint());
    assert!(include_str!("../../docs/FORMAT.md").contains(&fingerprint));
}

#[test]
fn what_was_written_is_read() {
    let pairs = [pair(3, 3), pair(4, 3)];
    for run in [1, 7, 100_000] {
        let (folder, values) = folder_with(&pairs, run);
        let database = Database::open(folder.path(), RULES).unwrap();
        let files: Vec<_> = database.pairs().filter(|f| f.path().is_some()).collect();
        assert_eq!(files.len(), pairs.len());
        for (file, (&pair, values)) in files.into_iter().zip(pairs.iter().zip(&values)) {
            assert!(database.has(pair));
            assert_eq!(file.pair(), pair);
            let path = folder.path().join(file_name(pair));
            assert_eq!(file.bytes(), fs::metadata(&path).unwrap().len());
            assert_eq!(file.path(), Some(path.as_path()));
            assert!(load(&database, pair).unwrap() == *values, "{pair}");
            for (material, histogram) in pair.tables().into_iter().zip(histograms(pair, values)) {
                assert_eq!(database.histogram(material).unwrap(), &histogram);
            }
        }
    }
}

#[test]
fn files_without_depths_tell_the_rest() {
    let pair = pair(4, 3);
    let values = made_up(pair, 2);
    let solved = SolvedPair {
        pair,
        values: &values,
        histograms: histograms(pair, &values),
    };
    let wdl = Profile {
        contents: Contents::Wdl,
        ..Profile::default()
    };
    let folder = TempDir::new().unwrap();
    let path = folder.path().join(file_name(pair));
    write_pair(&path, &RULES, &solved, wdl).unwrap();
    let database = Database::open(folder.path(), RULES).unwrap();
    assert_eq!(database.file(pair).unwrap().contents(), Contents::Wdl);
    let material = format::stored_table(pair);
    let (full, counted) = (&solved.histograms[0], database.histogram(material).unwrap());
    assert_eq!(
        (full.wins(), full.draws(), full.losses()),
        (counted.wins(), counted.draws(), counted.losses())
    );
    let index = Index::new(material);
    let mut random = Random(8);
    for _ in 0..1000 {
        let entry = random.below(index.len());
        let (mover, waiting) = index.sets(entry);
        let stored = index.find(mover, waiting);
        let position = Position::moving(mover, waiting);
        let expected = Value::from_byte(values[stored]).wdl();
        assert_eq!(database.probe_wdl(&position).unwrap(), expected);
        let value = database.probe(&position).unwrap();
        assert_eq!((value.wdl(), value.dtw()), (expected, None));
        let turns = database.turns(&position).unwrap();
        assert!(turns.iter().all(|ranked| ranked.value.dtw().is_none()));
        let error = database.line(&position, 9).unwrap_err();
        assert!(matches!(error, DbError::NoDepths { .. }), "{error}");
        assert!(turns.windows(2).all(|two| two[0].order(&two[1]).is_lt()));
        assert_eq!(turns.len(), position.turns(&RULES).len());
    }
}

#[test]
fn probing_finds_the_entry_however_the_board_is_turned() {
    let pairs = [pair(3, 3), pair(4, 3)];
    let (folder, values) = folder_with(&pairs, 1);
    let database = Database::open(folder.path(), RULES).unwrap();
    let mut random = Random(1);
    for (pair, values) in pairs.into_iter().zip(values) {
        let index = Index::new(format::stored_table(pair));
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

/// What a file leaves out is the best that the turns make of it.
#[cfg(feature = "embedded")]
#[test]
fn what_is_left_out_follows_from_the_turns() {
    let database = Database::embedded(RULES);
    let mut random = Random(9);
    for (mover, waiting) in [(3, 4), (3, 6), (4, 5), (4, 4)] {
        let index = Index::new(Material { mover, waiting });
        for _ in 0..2000 {
            let entry = random.below(index.len());
            let position = some_position(&index, entry, &mut random);
            let turns = position.turns(&RULES).into_iter();
            let values = turns.map(|turn| database.probe(&position.after(turn)).unwrap().before());
            let best = values.max().unwrap_or(Value::LOST);
            assert_eq!(database.probe(&position).unwrap(), best);
            assert_eq!(database.probe(&position).unwrap(), best);
        }
    }
}

#[test]
fn every_damaged_byte_of_the_header_is_found() {
    let specimen = Specimen::new(5000);
    for place in 0..HEADER {
        let original = specimen.bytes[place];
        for damaged in [
            0,
            0xff,
            original ^ 1,
            original ^ 0x80,
            original.wrapping_add(1),
        ] {
            if damaged == original {
                continue;
            }
            let mut bytes = specimen.bytes.clone();
            bytes[place] = damaged;
            let error = specimen.open(&bytes).unwrap_err();
            match error {
                DbError::OtherVersion { .. } => assert!((8..12).contains(&place)),
                DbError::Corrupt { file, offset, what } => {
                    assert_eq!(file, specimen.path());
                    assert!(offset <= bytes.len() as u64);
                    assert!(!what.is_empty());
                }
                other => panic!("byte {place}: {other}"),
            }
        }
    }
}

#[test]
fn damaged_bytes_of_the_body_are_found() {
    let specimen = Specimen::new(3);
    let index = Index::new(Specimen::MATERIAL);
    let is_expected = |error: &DbError| matches!(error, DbError::Corrupt { file, .. } if *file == specimen.path());
    let mut random = Random(2);
    for _ in 0..300 {
        // Only the checksum behind the last row's fields says nothing.
        let place = HEADER + random.below(specimen.bytes.len() - HEADER);
        let (last, _) = specimen.row(index.rows().len() - 1);
        if (last + 24..last + 32).contains(&place) {
            continue;
        }
        let mut bytes = specimen.bytes.clone();
        bytes[place] ^= 1 << random.below(8);
        let database = specimen.open(&bytes).unwrap();
        let error = load(&database, pair(3, 3)).unwrap_err();
        assert!(is_expected(&error), "{error}");
        for _ in 0..20 {
            let entry = random.below(index.len());
            let (mover, waiting) = index.sets(entry);
            let stored = index.find(mover, waiting);
            match database.probe(&Position::moving(mover, waiting)) {
                Ok(value) => assert_eq!(value, Value::from_byte(specimen.values[stored])),
                Err(error) => assert!(is_expected(&error), "{error}"),
            }
        }
    }
}

/// A file that changes or shrinks while it is open is an error at worst.
#[test]
fn files_may_change_while_they_are_open() {
    let specimen = Specimen::new(3);
    let index = Index::new(Specimen::MATERIAL);
    for (length, filler) in [(0, 0), (3000, 0), (5000, 7), (specimen.bytes.len(), 1)] {
        let database = specimen.open(&specimen.bytes).unwrap();
        let (mover, waiting) = index.sets(index.len() / 2);
        let position = Position::moving(mover, waiting);
        let expected = database.probe(&position).unwrap();
        fs::write(specimen.path(), vec![filler; length]).unwrap();
        assert_eq!(database.probe(&position).unwrap(), expected);
        let error = load(&database, pair(3, 3)).unwrap_err();
        assert!(matches!(error, DbError::Corrupt { .. }), "{error}");
    }
}

#[test]
fn files_of_other_lengths_are_found_when_opened() {
    let specimen = Specimen::new(20_000);
    let lengths = 0..specimen.bytes.len();
    for length in lengths.filter(|length| length % 7 == 0 || *length < HEADER) {
        let error = specimen.open(&specimen.bytes[..length]).unwrap_err();
        assert!(matches!(error, DbError::Corrupt { .. }), "{error}");
    }
    for surplus in [1, 1000] {
        let mut bytes = specimen.bytes.clone();
        bytes.resize(bytes.len() + surplus, 0);
        let error = specimen.open(&bytes).unwrap_err();
        assert!(matches!(error, DbError::Corrupt { .. }), "{error}");
    }
    assert!(specimen.load(&specimen.bytes).unwrap() == specimen.values);
}

/// Someone may compute checksums, too: then values may be wrong, but nothing else.
#[test]
fn headers_with_right_checksums_and_wrong_fields_do_no_harm() {
    let specimen = Specimen::new(20_000);
    let mut random = Random(3);
    let without_depths = |value: &u8| Contents::Wdl.of_byte(*value);
    let without_depths: Vec<u8> = specimen.values.iter().map(without_depths).collect();
    for _ in 0..3000 {
        let mut bytes = specimen.bytes.clone();
        for _ in 0..=random.below(3) {
            // Mostly the fields that are not the histogram.
            let place = match random.below(3) {
                0 => random.below(HEADER),
                _ => random.below(HISTOGRAM),
            };
            bytes[place] = random.byte();
        }
        repair_checksum(&mut bytes);
        let Ok(database) = specimen.open(&bytes) else {
            continue;
        };
        let contents = database.file(pair(3, 3)).unwrap().contents();
        if let Ok(values) = load(&database, pair(3, 3)) {
            let folded: Vec<u8> = values
                .iter()
                .map(|&value| contents.of_byte(value))
                .collect();
            assert!(folded == specimen.values || folded == without_depths);
        }
    }
}

/// Where docs/FORMAT.md puts which entries are stored, and the length of the model.
const STORED: usize = 19;
const MODEL_LENGTH: usize = 40;

#[test]
fn models_that_are_longer_than_the_file_are_found() {
    let specimen = Specimen::new(20_000);
    let length = specimen.bytes.len() as u32;
    for wrong in [u32::MAX, u32::MAX - 8, 1 << 31, length, length - 2108, 1, 0] {
        let mut bytes = specimen.bytes.clone();
        bytes[MODEL_LENGTH..][..4].copy_from_slice(&wrong.to_le_bytes());
        repair_checksum(&mut bytes);
        let error = specimen.load(&bytes).unwrap_err();
        assert!(matches!(error, DbError::Corrupt { .. }), "{error}");
    }
}

#[test]
fn models_with_right_checksums_and_wrong_contents_do_no_harm() {
    let specimen = Specimen::new(3);
    let model = specimen.header().model();
    let model = model.start as usize..model.end as usize - 8;
    let mut random = Random(11);
    for _ in 0..300 {
        let mut bytes = specimen.bytes.clone();
        for _ in 0..=random.below(3) {
            bytes[model.start + random.below(model.len())] = random.byte();
        }
        let sum = format::checksum(&bytes[model.clone()]);
        bytes[model.end..][..8].copy_from_slice(&sum.to_le_bytes());
        if let Err(error) = specimen.load(&bytes) {
            assert!(matches!(error, DbError::Corrupt { .. }), "{error}");
        }
    }
}

/// A file that claims to leave out other entries than it does, or to have other blocks, sends a
/// reader to wrong places and through captures, but it ends.
#[cfg(feature = "embedded")]
#[test]
fn files_that_are_not_made_as_they_say_do_no_harm() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("4-4.mill");
    let original = include_bytes!("../../db/4-4.mill");
    let index = Index::new(Material {
        mover: 4,
        waiting: 4,
    });
    let mut random = Random(12);
    for stored in 0..3 {
        for effort in [[0, 1, 5, 3], [0x80, 1, 5, 3], [0, 16, 15, 6]] {
            let mut bytes = original.to_vec();
            let right = bytes[STORED] == stored && bytes[STORED + 1..][..4] == effort;
            bytes[STORED] = stored;
            bytes[STORED + 1..][..4].copy_from_slice(&effort);
            repair_checksum(&mut bytes);
            let _ = fs::remove_file(&path);
            fs::write(&path, &bytes).unwrap();
            let database = Database::open(folder.path(), RULES).unwrap();
            for _ in 0..300 {
                let entry = random.below(index.len());
                let position = some_position(&index, entry, &mut random);
                match database.turns(&position) {
                    Err(DbError::Corrupt { file, .. }) => assert!(!right && file == path),
                    // Wrong values may be too deep for a byte.
                    Err(DbError::NotStored(_)) => assert!(!right),
                    Err(other) => panic!("{other}"),
                    Ok(_) => {}
                }
            }
        }
    }
}

/// Rows with right checksums and wrong contents give wrong values or errors, and only they.
#[test]
fn rows_with_right_checksums_and_wrong_contents_do_no_harm() {
    let specimen = Specimen::new(3);
    let columns = Index::new(Specimen::MATERIAL).columns().count();
    let (fields, row) = specimen.row(1);
    let mut random = Random(6);
    let mut errors = 0;
    for _ in 0..300 {
        let mut bytes = specimen.bytes.clone();
        for _ in 0..=random.below(4) {
            bytes[row.start + random.below(row.len())] = random.byte();
        }
        let sum = format::checksum(&bytes[row.clone()]);
        bytes[fields + 8..fields + 16].copy_from_slice(&sum.to_le_bytes());
        match specimen.load(&bytes) {
            Ok(values) => {
                assert!(values[..columns] == specimen.values[..columns]);
                assert!(values[2 * columns..] == specimen.values[2 * columns..]);
            }
            Err(DbError::Corrupt { offset, .. }) => {
                assert_eq!(offset, row.start as u64);
                errors += 1;
            }
            Err(other) => panic!("{other}"),
        }
    }
    assert!(errors > 100);
    // Rows that overlap the end of the file.
    for end in [u64::MAX, specimen.bytes.len() as u64 + 1, 0] {
        let mut bytes = specimen.bytes.clone();
        bytes[fields + 16..fields + 24].copy_from_slice(&end.to_le_bytes());
        let error = specimen.load(&bytes).unwrap_err();
        assert!(matches!(error, DbError::Corrupt { .. }), "{error}");
    }
}

#[test]
fn other_rules_versions_pairs_and_things_are_refused() {
    let specimen = Specimen::new(20_000);
    let other = Rules { flying: 0, ..RULES };
    let error = Database::open(specimen.folder.path(), other).unwrap_err();
    assert!(matches!(error, DbError::OtherRules { .. }), "{error}");
    assert_eq!(Database::embedded(other).pairs().count(), 0);

    let mut bytes = specimen.bytes.clone();
    for version in [1, 3] {
        bytes[8] = version;
        let error = specimen.open(&bytes).unwrap_err();
        let version = u32::from(version);
        assert!(matches!(error, DbError::OtherVersion { version: v, .. } if v == version));
    }

    fs::remove_file(specimen.path()).unwrap();
    let misnamed = specimen.folder.path().join("5-5.mill");
    fs::write(&misnamed, &specimen.bytes).unwrap();
    let error = Database::open(specimen.folder.path(), RULES).unwrap_err();
    assert!(matches!(error, DbError::Corrupt { .. }), "{error}");

    fs::remove_file(&misnamed).unwrap();
    fs::create_dir(&misnamed).unwrap();
    let error = Database::open(specimen.folder.path(), RULES).unwrap_err();
    assert!(matches!(error, DbError::Io { .. }), "{error}");

    let error = Database::open(&misnamed.join("none"), RULES).unwrap_err();
    assert!(matches!(error, DbError::Io { .. }), "{error}");
}

#[test]
fn what_is_not_here_is_named_with_the_command_that_builds_it() {
    let folder = TempDir::new().unwrap();
    let database = Database::open(folder.path(), RULES).unwrap();
    let material = Material {
        mover: 4,
        waiting: 6,
    };
    let error = database.histogram(material).unwrap_err();
    let text = error.to_string();
    assert!(matches!(error, DbError::Missing { .. }), "{text}");
    let command = format!(
        "`millbase build --pair 6-4 --db {}`",
        folder.path().display()
    );
    assert!(text.contains(&command), "{text}");
    let error = Database::embedded(RULES).histogram(material).unwrap_err();
    assert!(
        error.to_string().contains("`millbase build --pair 6-4`"),
        "{error}"
    );
    for (mover, waiting) in [(10, 3), (3, 2), (0, 0), (200, 200)] {
        let error = database.histogram(Material { mover, waiting }).unwrap_err();
        assert!(matches!(error, DbError::NotStored(_)), "{error}");
    }
    let error = database.probe(&Position::start(&RULES)).unwrap_err();
    assert!(matches!(error, DbError::NotStored(_)), "{error}");
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn only_whole_files_get_their_names() {
    let pair = pair(3, 3);
    let values = made_up(pair, 1000);
    let folder = TempDir::new().unwrap();

    // What processes that were killed left, and files of no concern.
    for name in [".3-3.mill.1.tmp", ".4-3.mill.2.tmp", ".note", "b.tmp"] {
        fs::write(folder.path().join(name), "old").unwrap();
    }
    write(folder.path(), pair, &values).unwrap();
    super::remove_temporaries(folder.path()).unwrap();
    assert_eq!(names(folder.path()), [".note", "3-3.mill", "b.tmp"]);

    // An open database keeps the file that it opened.
    let before = Database::open(folder.path(), RULES).unwrap();
    let inverted: Vec<u8> = values.iter().map(|value| !value).collect();
    write(folder.path(), pair, &inverted).unwrap();
    assert!(load(&before, pair).unwrap() == values);
    let after = Database::open(folder.path(), RULES).unwrap();
    assert!(load(&after, pair).unwrap() == inverted);

    // A failure leaves nothing behind: here the name is taken by a folder.
    let folder = TempDir::new().unwrap();
    fs::create_dir_all(folder.path().join("3-3.mill/full")).unwrap();
    let error = write(folder.path(), pair, &values).unwrap_err();
    assert!(matches!(error, DbError::Io { .. }), "{error}");
    assert_eq!(names(folder.path()), ["3-3.mill"]);
    let error = write(&folder.path().join("none"), pair, &values).unwrap_err();
    assert!(matches!(error, DbError::Io { .. }), "{error}");
}

#[test]
fn any_number_of_threads_writes_the_same_bytes() {
    let pair = pair(4, 3);
    let values = made_up(pair, 2);
    let bytes = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let folder = TempDir::new().unwrap();
        let write = || write(folder.path(), pair, &values).unwrap();
        pool.build().unwrap().install(write);
        fs::read(folder.path().join("4-3.mill")).unwrap()
    };
    let expected = bytes(1);
    for threads in [2, 5] {
        assert!(bytes(threads) == expected);
    }
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
                    let mut random = Random(seed);
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

/// A position of White's turn from the names of points.
fn position(white: &str, black: &str) -> Position {
    let set = |names: &str| -> PointSet {
        let points = names.split(' ').map(|name| Point::named(name).unwrap());
        points.collect()
    };
    Position::moving(set(white), set(black))
}

#[test]
fn turns_are_ranked_by_what_they_are_worth() {
    let pairs = [pair(3, 3), pair(4, 3)];
    let (folder, _) = folder_with(&pairs, 1);
    let database = Database::open(folder.path(), RULES).unwrap();
    let mut random = Random(4);
    for material in pair(4, 3).tables() {
        let index = Index::new(material);
        for _ in 0..200 {
            let entry = random.below(index.len());
            let position = some_position(&index, entry, &mut random);
            let ranked = database.turns(&position).unwrap();
            for turn in &ranked {
                assert_eq!(turn.after, position.after(turn.turn));
                assert_eq!(turn.value, database.probe(&turn.after).unwrap().before());
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
    /// Replacing a value by one that is better never ranks a turn lower.
    #[test]
    fn the_ranking_is_monotone(a: u8, b: u8, c: u8, first in 0u32..24, second in 0u32..24) {
        let ranked = |value: u8, to: u32| RankedTurn {
            turn: crate::Turn { from: None, to: Point::new(to), removed: crate::PointSet::EMPTY },
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
fn rules_answer_what_no_table_holds() {
    let (folder, _) = folder_with(&[pair(3, 3)], 1);
    let database = Database::open(folder.path(), RULES).unwrap();
    // A mill takes the third stone but one: two are left.
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

    let mut random = Random(5);
    let index = Index::new(Specimen::MATERIAL);
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
            LineEnd::Limit => assert_eq!(line.turns.len(), 40),
            LineEnd::Repetition { from } => assert_eq!(last, positions[from]),
        }
    }
}

#[cfg(feature = "embedded")]
#[test]
fn every_embedded_file_is_whole() {
    let database = Database::embedded(RULES);
    let small = |pair: &Pair| pair.stones() <= 9;
    let expected: Vec<Pair> = Pair::all(9).into_iter().filter(small).collect();
    assert_eq!(database.pairs().count(), expected.len());
    for material in expected.into_iter().flat_map(Pair::tables) {
        let values = crate::retro::load(&database, material).unwrap();
        let histogram = Histogram::of_table(&Index::new(material), &values);
        assert_eq!(&histogram, database.histogram(material).unwrap());
    }
}
