//! Sources of bytes that delay, fail and lie: answers are those of whole files, or errors.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fs;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use crate::common::{self, Random, WON};
use crate::placing::built;
use millbase::internals::solve::{TableCache, repack};
use millbase::solve::BuildFolder;
use millbase::store::{ByteSource, Compression, NeededRange, Profile, file_name, ply_file_name};
use millbase::{Database, DbError, Pair, Position, Rules, Side};
use tempfile::TempDir;

const STANDARD: Rules = Rules::STANDARD;

/// The files with at most nine stones, by name.
fn small_files() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("db");
    let pairs = Pair::all(&Rules::STANDARD)
        .into_iter()
        .filter(|pair| pair.stones() <= 9);
    let names = pairs.map(file_name);
    names
        .map(|name| {
            let bytes = fs::read(folder.join(&name)).expect("a file of the repository");
            (name, bytes)
        })
        .collect()
}

/// Has exactly the ranges that were fetched: small files are smaller than the read of a head, and
/// `store::Pieces` would have all of them after the first round.
#[derive(Debug)]
struct Exact {
    size: u64,
    head: Option<u32>,
    ranges: Mutex<HashMap<(u64, u64), Vec<u8>>>,
}

impl ByteSource for Exact {
    fn size(&self) -> u64 {
        self.size
    }

    fn head_bytes(&self) -> Option<u32> {
        self.head
    }

    fn read(&self, start: u64, length: usize) -> io::Result<Cow<'_, [u8]>> {
        let ranges = self.ranges.lock().unwrap();
        let bytes = ranges.get(&(start, length as u64));
        let bytes = bytes.ok_or(io::ErrorKind::WouldBlock)?;
        Ok(Cow::Owned(bytes.clone()))
    }
}

/// What a source says about the length of a head.
type Known = fn(u32) -> Option<u32>;

/// Files elsewhere: what a question needs is fetched in rounds.
struct Elsewhere {
    files: Vec<(String, Vec<u8>, Arc<Exact>)>,
    rounds: usize,
    fetched: HashSet<NeededRange>,
}

impl Elsewhere {
    fn new(files: Vec<(String, Vec<u8>)>) -> Elsewhere {
        Elsewhere::with_heads(files, |_| None)
    }

    /// Files whose sources know the lengths of their heads, or something else instead.
    fn with_heads(files: Vec<(String, Vec<u8>)>, known: Known) -> Elsewhere {
        let files = files.into_iter().map(|(name, bytes)| {
            let size = bytes.len() as u64;
            let head = known(u32::from_le_bytes(bytes[12..16].try_into().unwrap()));
            let ranges = Mutex::default();
            let pieces = Arc::new(Exact { size, head, ranges });
            (name, bytes, pieces)
        });
        Elsewhere {
            files: files.collect(),
            rounds: 0,
            fetched: HashSet::new(),
        }
    }

    fn open(&self, rules: Rules) -> Database {
        let nothing = Database::embedded(rules).with_cache_bytes(1 << 20);
        self.files
            .iter()
            .fold(nothing, |database, (name, _, pieces)| {
                database.with_file(name, Box::new(pieces.clone()))
            })
    }

    /// Asks until there is an answer; `change` may damage what is fetched.
    fn ask_with<T>(
        &mut self,
        question: impl Fn() -> Result<T, DbError>,
        change: impl Fn(&mut [u8]),
    ) -> Result<T, DbError> {
        self.rounds = 0;
        loop {
            let ranges = match question() {
                Err(DbError::Pending(ranges)) => ranges,
                answer => return answer,
            };
            self.rounds += 1;
            assert!(!ranges.is_empty() && self.rounds < 1000);
            for range in ranges {
                let NeededRange {
                    file,
                    start,
                    length,
                } = &range;
                let name = file.to_str().expect("a name");
                let (_, bytes, pieces) = self.files.iter().find(|other| other.0 == name).unwrap();
                let mut bytes = bytes[*start as usize..][..*length as usize].to_vec();
                change(&mut bytes);
                pieces
                    .ranges
                    .lock()
                    .unwrap()
                    .insert((*start, *length), bytes);
                assert!(self.fetched.insert(range), "a range was asked for twice");
            }
        }
    }

    fn ask<T>(&mut self, question: impl Fn() -> Result<T, DbError>) -> Result<T, DbError> {
        self.ask_with(question, |_| ())
    }

    fn forget(&mut self) {
        let files = self.files.iter();
        files.for_each(|(_, _, pieces)| pieces.ranges.lock().unwrap().clear());
        self.fetched.clear();
    }
}

/// A position of the moving phase with at most nine stones.
fn some_position(random: &mut Random) -> Position {
    const SIDES: [(u32, u32); 11] = [
        (3, 3),
        (4, 3),
        (3, 4),
        (4, 4),
        (5, 3),
        (3, 5),
        (5, 4),
        (4, 5),
        (6, 3),
        (3, 6),
        (3, 3),
    ];
    let (white, black) = *random.pick(&SIDES);
    let position = random.position(white, black);
    match random.below(2) {
        0 => position,
        _ => position.with_colours_exchanged(),
    }
}

#[test]
fn a_source_that_delays_answers_in_few_rounds() {
    let whole = Database::embedded(STANDARD);
    let mut random = Random::new(11);
    let mut most = [0; 3];
    let mut stored = 0;
    for _ in 0..200 {
        // Nothing is known before each position.
        let mut files = Elsewhere::new(small_files());
        let database = files.open(STANDARD);
        let position = some_position(&mut random);
        let value = files.ask(|| database.probe(&position)).unwrap();
        assert_eq!(value, whole.probe(&position).unwrap());
        most[0] = most[0].max(files.rounds);
        let turns = files.ask(|| database.turns(&position)).unwrap();
        assert_eq!(turns, whole.turns(&position).unwrap());
        most[1] = most[1].max(files.rounds);
        stored += usize::from(position.mover().len() > position.waiting().len());
        // What was decoded stays known when the bytes are forgotten.
        files.forget();
        assert_eq!(files.ask(|| database.probe(&position)).unwrap(), value);
        assert_eq!(files.rounds, 0);
    }
    // A line is as many questions as it has turns.
    let mut files = Elsewhere::new(small_files());
    let database = files.open(STANDARD);
    let position = Position::parse(WON, &STANDARD);
    let position = position.unwrap();
    let line = files.ask(|| database.line(&position, 100)).unwrap();
    assert_eq!(line, whole.line(&position, 100).unwrap());
    assert_eq!(line.turns.len(), 21);
    most[2] = files.rounds;
    assert!((50..150).contains(&stored), "{stored}");
    // Heads, pages of the directories and rows of all pairs that matter.
    assert_eq!(most[..2], [3, 3], "rounds of a value and of turns");
    assert!(
        (3..=63).contains(&most[2]),
        "the line took {} rounds",
        most[2]
    );
}

/// Of the smallest files, most values follow from many others.
#[test]
fn the_smallest_files_may_be_elsewhere_too() {
    let whole = Database::embedded(STANDARD);
    let folder = TempDir::new().expect("a folder");
    let locked = BuildFolder::lock(folder.path()).expect("a folder of its own");
    let profile = Profile {
        compression: Compression::Max,
        ..Profile::default()
    };
    let small = small_files().into_iter().map(|(name, _)| {
        let pair = name.trim_end_matches(".mill").parse().expect("a pair");
        let mut cache = TableCache::default();
        repack(&whole, pair, &locked, profile, &mut cache).expect("a file");
        let bytes = fs::read(folder.path().join(&name)).expect("a file");
        (name, bytes)
    });
    let small: Vec<_> = small.collect();
    let mut random = Random::new(13);
    let mut most = 0;
    for _ in 0..40 {
        let mut files = Elsewhere::with_heads(small.clone(), Some);
        let database = files.open(STANDARD);
        let position = some_position(&mut random);
        let value = files.ask(|| database.probe(&position)).unwrap();
        assert_eq!(value, whole.probe(&position).unwrap());
        most = most.max(files.rounds);
        let turns = files.ask(|| database.turns(&position)).unwrap();
        assert_eq!(turns, whole.turns(&position).unwrap());
        most = most.max(files.rounds);
    }
    assert!((3..200).contains(&most), "{most} rounds");
}

#[test]
fn where_the_lengths_of_heads_are_known_two_rounds_suffice() {
    let whole = Database::embedded(STANDARD);
    let mut random = Random::new(12);
    let known: [(Known, usize); 6] = [
        (Some, 2),
        (|head| Some(head + 1), 4),
        (|head| Some(head - 1), 4),
        (|_| Some(0), 4),
        (|_| Some(u32::MAX), 4),
        (|head| Some(head ^ 64), 4),
    ];
    for (known, expected) in known {
        let mut most = 0;
        for _ in 0..60 {
            let mut files = Elsewhere::with_heads(small_files(), known);
            let database = files.open(STANDARD);
            let position = some_position(&mut random);
            let turns = files.ask(|| database.turns(&position)).unwrap();
            assert_eq!(turns, whole.turns(&position).unwrap());
            most = most.max(files.rounds);
        }
        // A wrong length costs at most a round for the head, and pages come later.
        assert!(most == expected || (3..expected).contains(&most), "{most}");
    }
}

#[test]
fn reading_ahead_asks_for_what_the_answers_need() {
    let whole = Database::embedded(STANDARD);
    let mut files = Elsewhere::with_heads(small_files(), Some);
    let database = files.open(STANDARD);
    let position = Position::parse(WON, &STANDARD);
    let after: Vec<Position> = whole.turns(&position.unwrap()).unwrap()[..5]
        .iter()
        .map(|ranked| ranked.after)
        .collect();
    files.ask(|| database.prefetch(&after)).unwrap();
    assert_eq!(files.rounds, 2);
    for position in after {
        let answer = files.ask(|| database.answer(&position)).unwrap();
        assert_eq!(answer, whole.answer(&position).unwrap());
        assert_eq!(files.rounds, 0);
    }
    // Positions without an answer are left out.
    let unknown = Position::start(&STANDARD);
    files.ask(|| database.prefetch(&[unknown])).unwrap();
}

#[test]
fn opening_needs_no_bytes() {
    let files = Elsewhere::new(small_files());
    let database = files.open(STANDARD);
    assert_eq!(database.pairs().count(), 0);
    assert_eq!(database.unusable().count(), 0);
    let pair = Pair::new(4, 4).unwrap();
    assert!(!database.has(pair));
    let error = database.file(pair).unwrap_err();
    let DbError::Pending(ranges) = &error else {
        panic!("{error}");
    };
    assert_eq!(ranges.len(), 1);
    assert_eq!(ranges[0].file, Path::new("4-4.mill"));
    assert_eq!((ranges[0].start, ranges[0].length), (0, 28292));
    assert_eq!(
        error.to_string(),
        "28292 bytes of 1 ranges are not here yet, the first of 4-4.mill"
    );
}

/// A question opens the files that it needs. Opening a folder only lists its names.
#[test]
fn opening_a_folder_reads_no_file() {
    let folder = built(&FOUR, &[5]);
    let path = |name: &str| folder.path().join(name);
    let mut names = common::names(folder.path());
    names.retain(|name| name.ends_with(".mill"));
    assert_eq!(names.len(), 4);
    let bytes: Vec<Vec<u8>> = names
        .iter()
        .map(|name| fs::read(path(name)).unwrap())
        .collect();
    names
        .iter()
        .for_each(|name| fs::write(path(name), "damaged").unwrap());
    let damaged = Database::open(folder.path(), FOUR).unwrap();
    assert_eq!(damaged.unusable().count(), 4);
    let unasked = Database::open(folder.path(), FOUR).unwrap();
    for (name, bytes) in names.iter().zip(bytes) {
        fs::write(path(name), bytes).unwrap();
    }
    assert_eq!(unasked.unusable().count(), 0);
    assert_eq!((unasked.pairs().count(), unasked.plies().count()), (3, 1));
    // The error of a file that a question opened stays.
    assert_eq!(damaged.unusable().count(), 4);
}

/// Four stones a side, without flying: many positions are decided.
const FOUR: Rules = Rules {
    stones: 4,
    flying: 0,
    ..Rules::STANDARD
};

#[test]
fn the_placing_phase_is_asked_in_few_rounds() {
    for keep in [&[3, 5][..], &[]] {
        let folder = built(&FOUR, keep);
        let whole = Database::open(folder.path(), FOUR).unwrap();
        let names = Pair::all(&FOUR).into_iter().map(file_name);
        let names = names.chain(keep.iter().map(|&ply| ply_file_name(ply)));
        let files: Vec<(String, Vec<u8>)> = names
            .map(|name| {
                let bytes = fs::read(folder.path().join(&name)).unwrap();
                (name, bytes)
            })
            .collect();
        let mut random = Random::new(3);
        let mut decided = 0;
        for placed in 2..8 {
            if keep.is_empty() && placed < 6 {
                continue;
            }
            for _ in 0..6 {
                let mut position = Position::start(&FOUR);
                for _ in 0..placed {
                    position = position.after(*random.pick(&position.turns(&FOUR)));
                }
                if position.is_over(&FOUR) {
                    continue;
                }
                let known: [Known; 2] = [|_| None, Some];
                for (known, most) in known.into_iter().zip([12, 11]) {
                    let mut elsewhere = Elsewhere::with_heads(files.clone(), known);
                    let database = elsewhere.open(FOUR);
                    let answer = elsewhere.ask(|| database.answer(&position)).unwrap();
                    assert_eq!(answer, whole.answer(&position).unwrap());
                    decided += usize::from(answer.value != millbase::Value::Draw);
                    let rounds = elsewhere.rounds;
                    assert!(rounds <= most, "{placed}: {rounds}");
                    // The turns lead to a file or to the moving phase.
                    let direct = placed == 7 || keep.contains(&(placed + 1));
                    assert!(!direct || rounds <= most - 9, "{placed}: {rounds}");
                }
            }
        }
        assert!(decided >= 5, "{decided}");
    }
}

/// Whole files that fail to be read while `broken` is set.
#[derive(Debug)]
struct Failing {
    bytes: Vec<u8>,
    broken: Arc<AtomicBool>,
}

impl ByteSource for Failing {
    fn size(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn read(&self, start: u64, length: usize) -> io::Result<Cow<'_, [u8]>> {
        match self.broken.load(Ordering::Relaxed) {
            true => Err(io::Error::other("the line is cut")),
            false => self.bytes.read(start, length),
        }
    }
}

#[test]
fn a_source_that_fails_is_an_error_until_it_works_again() {
    let whole = Database::embedded(STANDARD);
    let broken = Arc::new(AtomicBool::new(false));
    let mut database = Database::embedded(STANDARD).with_cache_bytes(0);
    for (name, bytes) in small_files() {
        let broken = broken.clone();
        database = database.with_file(&name, Box::new(Failing { bytes, broken }));
    }
    let mut random = Random::new(5);
    for _ in 0..50 {
        let position = some_position(&mut random);
        broken.store(true, Ordering::Relaxed);
        if !position.is_over(&STANDARD) {
            for error in [
                database.probe(&position).unwrap_err(),
                database.turns(&position).unwrap_err(),
            ] {
                assert!(matches!(error, DbError::Io { .. }), "{error}");
                assert!(error.to_string().contains("the line is cut"), "{error}");
            }
        }
        broken.store(false, Ordering::Relaxed);
        assert_eq!(
            database.turns(&position).unwrap(),
            whole.turns(&position).unwrap()
        );
    }
}

#[test]
fn a_source_that_lies_is_an_error_and_never_a_wrong_value() {
    let whole = Database::embedded(STANDARD);
    let mut random = Random::new(7);
    let (mut refused, mut right) = (0, 0);
    for number in 0..300 {
        let mut files = Elsewhere::new(small_files());
        let database = files.open(STANDARD);
        let position = some_position(&mut random);
        // Of about every second range one bit is wrong.
        let noise = std::cell::RefCell::new(Random::new(number));
        let spoil = |bytes: &mut [u8]| {
            let mut noise = noise.borrow_mut();
            if noise.below(4) == 0 {
                bytes[noise.below(bytes.len())] ^= 1 << noise.below(8);
            }
        };
        match files.ask_with(|| database.turns(&position), spoil) {
            // The spoiled bits may be some that the answer does not need.
            Ok(turns) => {
                assert_eq!(turns, whole.turns(&position).unwrap());
                right += 1;
            }
            Err(error) => {
                let broken = matches!(error, DbError::Corrupt { .. });
                let foreign = matches!(
                    error,
                    DbError::OtherVersion { .. } | DbError::OtherRules { .. }
                );
                assert!(broken || foreign, "{error}");
                refused += 1;
                // Where the right bytes come, the answer is right, too.
                files.forget();
                let turns = files.ask(|| database.turns(&position)).unwrap();
                assert_eq!(turns, whole.turns(&position).unwrap());
            }
        }
    }
    assert!(refused >= 100 && right >= 20, "{refused}, {right}");
}

#[test]
fn a_source_that_ends_too_soon_is_corrupt() {
    let (name, bytes) = small_files().into_iter().last().unwrap();
    let mut random = Random::new(9);
    let (larger, smaller) = name.split_once('.').unwrap().0.split_once('-').unwrap();
    let count = |text: &str| text.parse::<u32>().unwrap();
    for cut in [0, 1, 39, 5000, bytes.len() - 1] {
        let source = Box::new(bytes[..cut].to_vec());
        let database = Database::embedded(STANDARD).with_file(&name, source);
        let position = random.position(count(larger), count(smaller));
        assert_eq!(position.side_to_move(), Side::White);
        let error = database.probe(&position).unwrap_err();
        assert!(matches!(error, DbError::Corrupt { .. }), "{error}");
    }
}
