//! The module as its users see it, on made-up values: what was written is read, and damage is
//! found.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::format::{self, BLOCK_SIZE, Header};
use super::*;
use crate::board::{Point, PointSet};
use crate::histogram::Histogram;
use crate::index::{Index, Material};
use crate::position::Position;
use crate::rules::Rules;
use crate::symmetry::Symmetry;
use crate::value::{Dtw, Value};

const RULES: Rules = Rules::STANDARD;

/// Where docs/FORMAT.md puts the first table's histogram and the fields of its blocks.
const HISTOGRAM: usize = 32 + 14;
const BLOCKS: usize = HISTOGRAM + 2048;

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

/// Values for a pair's tables: runs of equal bytes, of which longer ones make a smaller file.
fn made_up(pair: Pair, run: usize) -> Vec<Vec<u8>> {
    let mut random = Random(0x5eed + u64::from(pair.stones()));
    let tables = pair.tables().into_iter();
    tables
        .map(|material| {
            let mut values = Vec::new();
            values.resize_with((material.entries() as usize).div_ceil(run), || {
                random.byte()
            });
            let mut values: Vec<u8> = values
                .into_iter()
                .flat_map(|value| std::iter::repeat_n(value, run))
                .collect();
            values.truncate(material.entries() as usize);
            values
        })
        .collect()
}

fn write(folder: &Path, pair: Pair, values: &[Vec<u8>]) -> Result<u64, DbError> {
    let tables: Vec<SolvedTable<'_>> = pair
        .tables()
        .into_iter()
        .zip(values)
        .map(|(material, values)| SolvedTable {
            material,
            values,
            histogram: Histogram::of_table(&Index::new(material), values),
        })
        .collect();
    write_pair(&folder.join(file_name(pair)), &RULES, pair, &tables)
}

/// A folder with made-up databases of these pairs, and their values.
fn folder_with(pairs: &[Pair], run: usize) -> (TempDir, Vec<Vec<Vec<u8>>>) {
    let folder = TempDir::new().unwrap();
    let values: Vec<_> = pairs.iter().map(|&pair| made_up(pair, run)).collect();
    for (&pair, values) in pairs.iter().zip(&values) {
        write(folder.path(), pair, values).unwrap();
    }
    (folder, values)
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
            values: values.remove(0).remove(0),
        }
    }

    fn header(&self) -> Header {
        Header::parse(&self.bytes, Path::new("3-3.mill")).unwrap()
    }

    fn header_length(&self) -> usize {
        format::header_length(pair(3, 3))
    }

    fn first_block(&self) -> Range<usize> {
        let block = &self.header().tables[0].blocks[0];
        let start = block.offset as usize;
        start..start + block.length as usize
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
        self.open(bytes)?.load(Specimen::MATERIAL)
    }
}

/// Gives a changed header the checksum that belongs to it.
fn repair_checksum(bytes: &mut [u8], header_length: usize) {
    let (header, _) = bytes.split_at_mut(header_length);
    let (fields, sum) = header.split_at_mut(header_length - 8);
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
            for (material, values) in pair.tables().into_iter().zip(values) {
                assert!(database.load(material).unwrap() == *values, "{material:?}");
                let histogram = Histogram::of_table(&Index::new(material), values);
                assert_eq!(database.histogram(material).unwrap(), &histogram);
            }
        }
    }
}

#[test]
fn probing_finds_the_entry_however_the_board_is_turned() {
    let pairs = [pair(3, 3), pair(4, 3)];
    let (folder, values) = folder_with(&pairs, 1);
    let database = Database::open(folder.path(), RULES).unwrap();
    let mut random = Random(1);
    for (pair, values) in pairs.into_iter().zip(values) {
        for (material, values) in pair.tables().into_iter().zip(values) {
            let index = Index::new(material);
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
}

#[test]
fn every_damaged_byte_of_the_header_is_found() {
    let specimen = Specimen::new(5000);
    for place in 0..specimen.header_length() {
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
    let header = specimen.header();
    let index = Index::new(Specimen::MATERIAL);
    let mut random = Random(2);
    for _ in 0..200 {
        let body = specimen.header_length()..specimen.bytes.len();
        let place = body.start + random.below(body.len());
        let mut bytes = specimen.bytes.clone();
        bytes[place] ^= 1 << random.below(8);
        let database = specimen.open(&bytes).unwrap();

        let blocks = &header.tables[0].blocks;
        let block = blocks.partition_point(|block| block.offset <= place as u64) - 1;
        let is_expected = |error: &DbError| {
            matches!(error, DbError::Corrupt { file, offset, .. }
                if *file == specimen.path() && *offset == blocks[block].offset)
        };
        let error = database.load(Specimen::MATERIAL).unwrap_err();
        assert!(is_expected(&error), "{error}");
        for _ in 0..20 {
            let entry = random.below(index.len());
            let (mover, waiting) = index.sets(entry);
            let stored = index.find(mover, waiting);
            match database.probe(&Position::moving(mover, waiting)) {
                Ok(value) => {
                    assert_ne!(stored / BLOCK_SIZE, block);
                    assert_eq!(value, Value::from_byte(specimen.values[stored]));
                }
                Err(error) => assert!(stored / BLOCK_SIZE == block && is_expected(&error)),
            }
        }
    }
}

#[test]
fn files_of_other_lengths_are_found_when_opened() {
    let specimen = Specimen::new(20_000);
    assert!(specimen.bytes.len() < 5000);
    for length in 0..specimen.bytes.len() {
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
    for _ in 0..3000 {
        let mut bytes = specimen.bytes.clone();
        for _ in 0..=random.below(3) {
            // Mostly the fields that are not the histogram.
            let place = match random.below(3) {
                0 => random.below(specimen.header_length()),
                1 => random.below(HISTOGRAM),
                _ => BLOCKS + random.below(specimen.header_length() - BLOCKS),
            };
            bytes[place] = random.byte();
        }
        repair_checksum(&mut bytes, specimen.header_length());
        if let Ok(values) = specimen.load(&bytes) {
            assert!(values == specimen.values);
        }
    }
}

/// The specimen with other bytes as its first block, and the checksums that belong to them.
fn with_first_block(specimen: &Specimen, block: &[u8]) -> Vec<u8> {
    let first = specimen.first_block();
    let (start, end) = (&specimen.bytes[..first.start], &specimen.bytes[first.end..]);
    let mut bytes = [start, block, end].concat();
    bytes[BLOCKS..BLOCKS + 4].copy_from_slice(&(block.len() as u32).to_le_bytes());
    bytes[BLOCKS + 4..BLOCKS + 12].copy_from_slice(&format::checksum(block).to_le_bytes());
    repair_checksum(&mut bytes, specimen.header_length());
    bytes
}

/// Blocks with right checksums that are no compressed block of the right length.
#[test]
fn blocks_with_right_checksums_and_wrong_contents_are_errors() {
    let specimen = Specimen::new(3);
    let original = &specimen.bytes[specimen.first_block()];
    let frame = |length: usize| codec::encode(&vec![7; length]).unwrap();
    // A frame's head that promises 2^60 values and has no block behind it.
    let huge = [
        &[0x28, 0xb5, 0x2f, 0xfd, 0xe0],
        &(1u64 << 60).to_le_bytes()[..],
    ]
    .concat();
    let blocks = [
        Vec::new(),
        vec![0; 100],
        frame(0),
        frame(BLOCK_SIZE - 1),
        frame(BLOCK_SIZE + 1),
        [frame(BLOCK_SIZE), frame(1)].concat(),
        [frame(BLOCK_SIZE), vec![1]].concat(),
        huge,
        original[..original.len() - 1].to_vec(),
    ];
    let start = specimen.first_block().start as u64;
    for block in blocks {
        let bytes = with_first_block(&specimen, &block);
        let error = specimen.load(&bytes).unwrap_err();
        let is_expected = matches!(&error, DbError::Corrupt { offset, .. } if *offset == start);
        assert!(is_expected, "{error}");
    }
    let mut random = Random(6);
    for _ in 0..300 {
        let mut block = original.to_vec();
        for _ in 0..=random.below(4) {
            let place = random.below(block.len());
            block[place] = random.byte();
        }
        // Other values or an error; the other blocks are as they were.
        if let Ok(values) = specimen.load(&with_first_block(&specimen, &block)) {
            assert!(values[BLOCK_SIZE..] == specimen.values[BLOCK_SIZE..]);
        }
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
    bytes[8] = 2;
    let error = specimen.open(&bytes).unwrap_err();
    assert!(matches!(error, DbError::OtherVersion { version: 2, .. }));

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
        let error = database.load(Material { mover, waiting }).unwrap_err();
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
    let inverted = vec![values[0].iter().map(|value| !value).collect()];
    write(folder.path(), pair, &inverted).unwrap();
    assert!(before.load(Specimen::MATERIAL).unwrap() == values[0]);
    let after = Database::open(folder.path(), RULES).unwrap();
    assert!(after.load(Specimen::MATERIAL).unwrap() == inverted[0]);

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
    // Nor does it matter what a thread compressed before.
    let block = &values[0][..BLOCK_SIZE];
    let fresh = std::thread::scope(|scope| scope.spawn(|| codec::encode(block).unwrap()).join());
    codec::encode(&values[1]).unwrap();
    assert!(codec::encode(block).unwrap() == fresh.unwrap());
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
    for cache_bytes in [0, 2 * BLOCK_SIZE, 64 << 20] {
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
            turn: crate::Turn { from: None, to: Point::new(to), removed: None },
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
        let values = database.load(material).unwrap();
        let histogram = Histogram::of_table(&Index::new(material), &values);
        assert_eq!(&histogram, database.histogram(material).unwrap());
    }
}
