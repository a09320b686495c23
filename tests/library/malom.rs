//! The sector files of another program: every slot by a walk that shares nothing with the library but
//! its probe, and the commands that write, compare and mount them.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::io::{Seek, SeekFrom};
use std::sync::Arc;

use crate::common::{Random, build, plain_rules, plain_turned};
use crate::plain::{PlainPosition, PlainRules, Side as PlainSide, point};
use millbase::internals::stages::{Stage, StageSets};
use millbase::malom::{Scheme, Sector, Sectors};
use millbase::{Database, Pair, Point, PointSet, Position, Rules, Side, Value, Wdl};
use rayon::prelude::*;
use tempfile::TempDir;

/// A set in the numbering of the format.
type Set = u32;

/// The points in the numbering of the format: the outer ring from its left midpoint clockwise, then the
/// middle and the inner ring.
#[rustfmt::skip]
const POINTS: [&str; 24] = [
    "a4", "a7", "d7", "g7", "g4", "g1", "d1", "a1",
    "b4", "b6", "d6", "f6", "f4", "f2", "d2", "b2",
    "c4", "c5", "d5", "e5", "e4", "e3", "d3", "c3",
];

/// The sixteen symmetries of the format as images of the points: seven turns and reflections of all
/// rings, the exchange of outer and inner ring, the seven together with it, and nothing.
fn symmetries() -> [[usize; 24]; 16] {
    let turn = |number: usize, k: i32| match number {
        0 => k + 2,
        1 => k + 4,
        2 => k + 6,
        3 => 4 - k,
        4 => -k,
        5 => 2 - k,
        6 => 6 - k,
        _ => k,
    };
    std::array::from_fn(|number| {
        std::array::from_fn(|point| {
            let (ring, k) = (point / 8, point as i32 % 8);
            let exchanged = (7..15).contains(&number);
            let ring = if exchanged { 2 - ring } else { ring };
            let number = if number > 7 { number - 8 } else { number };
            8 * ring + turn(number, k).rem_euclid(8) as usize
        })
    })
}

/// All sets of so many of the lowest points, ascending.
fn sets(points: u32, members: u32) -> Vec<Set> {
    let all = 0..1u32 << points;
    all.filter(|set| set.count_ones() == members).collect()
}

/// The smallest set of each orbit, ascending, by trying all sets.
fn orbits(stones: u32) -> Vec<Set> {
    let symmetries = symmetries();
    let mut seen = vec![false; 1 << 24];
    let mut found = Vec::new();
    for set in sets(24, stones) {
        if !seen[set as usize] {
            found.push(set);
            for symmetry in &symmetries {
                seen[plain_turned(symmetry, set) as usize] = true;
            }
        }
    }
    found
}

/// The other side's set where `column` is its subset of the points that are left.
fn spread(subset: Set, mover: Set) -> Set {
    let free = (0..24).filter(|point| mover >> point & 1 == 0);
    let held = free.enumerate();
    held.filter(|(bit, _)| subset >> bit & 1 == 1)
        .map(|(_, point)| 1 << point)
        .sum()
}

fn library_set(set: Set) -> PointSet {
    let held = (0..24).filter(|point| set >> point & 1 == 1);
    held.map(|point| Point::named(POINTS[point]).expect("a point"))
        .collect()
}

/// The keys of a value by a scheme: the number of the sector, and what a win is worth.
fn keys(value: Value, number: i32, win: i32) -> (i32, i32) {
    match value {
        Value::Draw => (-number, 0),
        Value::Win(turns) => (win - number, turns.0.into()),
        Value::Loss(turns) => (-win - number, turns.0.into()),
    }
}

fn slot((first, second): (i32, i32)) -> [u8; 3] {
    let word = (first & 0xfff) | (second & 0xfff) << 12;
    [word as u8, (word >> 8) as u8, (word >> 16) as u8]
}

/// The symmetries that leave a set as it is, with their numbers.
fn stabiliser(mover: Set) -> Vec<(i32, [usize; 24])> {
    let all = (0..).zip(symmetries());
    all.filter(|(_, symmetry)| plain_turned(symmetry, mover) == mover)
        .collect()
}

/// The redirect of a slot, if another set of the waiting side makes the same position and is smaller.
fn redirect(stabiliser: &[(i32, [usize; 24])], waiting: Set) -> Option<[u8; 3]> {
    if stabiliser.len() == 1 {
        return None;
    }
    let images = stabiliser.iter();
    let images = images.map(|(number, symmetry)| (plain_turned(symmetry, waiting), number));
    let (smallest, number) = images.min()?;
    (smallest < waiting).then(|| slot((0, -1 - number)))
}

fn embedded(scheme: Scheme) -> Arc<Sectors> {
    let database = Database::embedded(Rules::STANDARD);
    Arc::new(Sectors::new(database, scheme).expect("the standard rules"))
}

fn moving(mover: u8, waiting: u8) -> Sector {
    Sector::new(mover, waiting, 0, 0).expect("a sector")
}

fn graded_scheme() -> Scheme {
    Scheme::compatible(&crate::common::graded()).expect("a list of the sectors")
}

fn whole(sectors: &Arc<Sectors>, sector: Sector) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut file = sectors.open(sector).expect("the sector");
    file.read_to_end(&mut bytes).expect("its bytes");
    bytes
}

#[test]
fn sizes_follow_from_the_definition() {
    let orbits: Vec<u64> = (0..=9).map(|stones| orbits(stones).len() as u64).collect();
    let columns =
        |points: u64, members: u64| (0..members).fold(1, |c, k| c * (points - k) / (k + 1));
    let mut names = BTreeSet::new();
    let (mut bytes, mut moving, mut slots) = (0, 0, 0);
    for sector in Sector::all() {
        let [mover, waiting, mover_in_hand, waiting_in_hand] = sector.numbers();
        let expected = orbits[usize::from(mover)] * columns(24 - u64::from(mover), waiting.into());
        assert_eq!(sector.slots(), expected);
        assert_eq!(sector.bytes(), 64 + 3 * expected + 4);
        bytes += sector.bytes();
        if sector.is_moving() {
            (moving, slots) = (moving + 1, slots + expected);
        }
        assert!(mover_in_hand == waiting_in_hand || mover_in_hand == waiting_in_hand + 1);
        names.insert(sector.name());
    }
    assert_eq!((names.len(), moving), (498, 49));
    assert_eq!((bytes, slots), (83_582_099_742, 9_193_626_407));
    let text = Scheme::complete().text().to_owned();
    assert_eq!(text.lines().count(), 3 + 498);
    assert!(text.starts_with("virt_loss_val: -1\nvirt_win_val: 1\n498\n0 0 9 9  0\n"));
    // Keys have 12 bits.
    let graded = crate::common::graded();
    let large_win = graded.replace("-299", "-20000").replace("299", "20000");
    let large = graded.replace("  -249\n", "  15000\n");
    for (text, words) in [
        (large_win, "at most 2047 for a win, found 20000"),
        (large, "is 15000, expected one between -298 and 298"),
    ] {
        let found = Scheme::compatible(&text);
        assert!(
            found.is_err_and(|why| why.to_string().contains(words)),
            "{words}"
        );
    }
}

/// Walks over a sector by the definition of the format and compares each slot, or every so many, with
/// the library's probe. Returns how many values, redirects and decided values were seen.
fn walk(sectors: &Arc<Sectors>, sector: Sector, number: i32, win: i32, every: usize) -> [usize; 3] {
    let [mover, waiting, ..] = sector.numbers();
    let bytes = whole(sectors, sector);
    let (header, rest) = bytes.split_at(64);
    let mut expected = [0; 64];
    expected[0] = 2;
    expected[4] = 3;
    expected[8] = 12;
    assert_eq!(header, expected);
    let (slots, tail) = rest.split_at(rest.len() - 4);
    assert_eq!(tail, [0; 4]);
    let (movers, subsets) = (
        orbits(mover.into()),
        sets(24 - u32::from(mover), waiting.into()),
    );
    assert_eq!(slots.len(), 3 * movers.len() * subsets.len());
    let rows = slots.par_chunks(3 * subsets.len()).zip(&movers);
    let counts = rows.enumerate().map(|(row, (slots, &mover))| {
        let mut counts = [0; 3];
        let stabiliser = stabiliser(mover);
        for (column, (found, &subset)) in slots.chunks(3).zip(&subsets).enumerate() {
            if !(row * subsets.len() + column).is_multiple_of(every) {
                continue;
            }
            let waiting = spread(subset, mover);
            if let Some(redirect) = redirect(&stabiliser, waiting) {
                assert_eq!(found, redirect, "{sector} {mover:x} {waiting:x}");
                counts[1] += 1;
                continue;
            }
            let position = Position::moving(library_set(mover), library_set(waiting));
            let value = sectors.database().probe(&position).expect("a value");
            let expected = slot(keys(value, number, win));
            assert_eq!(
                found,
                expected,
                "{}: {value}",
                position.text(&Rules::STANDARD)
            );
            counts[0] += 1;
            counts[2] += usize::from(value.wdl() != Wdl::Draw);
        }
        counts
    });
    counts.reduce(|| [0; 3], |a, b| std::array::from_fn(|i| a[i] + b[i]))
}

#[test]
fn every_slot_of_small_pairs_is_what_the_probe_says() {
    for (scheme, win) in [(Scheme::complete(), 1), (graded_scheme(), 299)] {
        let sectors = embedded(scheme);
        let number = |sector| i32::from(sectors.scheme().value(sector));
        let of = |mover, waiting, every| {
            let sector = moving(mover, waiting);
            walk(&sectors, sector, number(sector), win, every)
        };
        // Of the distinct positions, 140,621 are wins and 28,736 losses, see docs/RESULTS.md.
        assert_eq!(of(3, 3, 1), [169_626, 40_514, 169_357]);
        let counts = [(4, 3), (3, 4)].map(|(mover, waiting)| of(mover, waiting, 7));
        assert!(
            counts
                .iter()
                .all(|&[values, redirects, decided]| values > 100_000
                    && redirects > 1000
                    && decided > 10_000)
        );
        if win > 1 {
            continue;
        }
        for (mover, waiting) in [(4, 4), (5, 3), (3, 5), (5, 4), (4, 5), (6, 3), (3, 6)] {
            let [values, redirects, _] = of(mover, waiting, 997);
            assert!(values > 2000 && redirects > 20, "{mover}-{waiting}");
        }
    }
}

/// All 50 million slots of the pairs with at most nine stones: minutes.
#[test]
#[ignore = "takes minutes"]
fn every_slot_to_nine_stones_is_what_the_probe_says() {
    let sectors = embedded(Scheme::complete());
    let mut all = [0; 3];
    for pair in Pair::all(&Rules::STANDARD)
        .into_iter()
        .filter(|pair| pair.stones() <= 9)
    {
        for material in pair.tables(&Rules::STANDARD) {
            let counts = walk(&sectors, moving(material.mover, material.waiting), 0, 1, 1);
            all = std::array::from_fn(|i| all[i] + counts[i]);
        }
    }
    let slots = Sector::all().iter().filter(|sector| {
        let [mover, waiting, ..] = sector.numbers();
        sector.is_moving() && mover + waiting <= 9
    });
    let slots: u64 = slots.map(|sector| sector.slots()).sum();
    assert_eq!((all[0] + all[1]) as u64, slots);
}

/// A checksum (FNV-1a) of a file's bytes.
fn checksum(bytes: &[u8]) -> u64 {
    let add = |sum: u64, &byte: &u8| (sum ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, add)
}

#[test]
fn the_bytes_of_3_3_stay_the_same() {
    let bytes = whole(&embedded(Scheme::complete()), moving(3, 3));
    assert_eq!((bytes.len(), checksum(&bytes)), (630_488, CHECKSUM_3_3));
}

/// Of a file that was compared with the one that another program solved: all redirects, wins and
/// losses are the same.
const CHECKSUM_3_3: u64 = 916_335_231_003_292_161;

#[test]
fn a_sector_is_read_like_a_file() {
    let sectors = embedded(graded_scheme());
    for sector in [moving(4, 3), moving(3, 4), moving(4, 4)] {
        let bytes = whole(&sectors, sector);
        assert_eq!(bytes.len() as u64, sector.bytes());
        // Nothing is kept here, so that each slot is a probe.
        let cold = Database::embedded(Rules::STANDARD);
        let cold = Sectors::new(cold, graded_scheme()).expect("the standard rules");
        let cold = Arc::new(cold.with_memory(0));
        let mut file = cold.open(sector).expect("the sector");
        let mut random = Random::new(5);
        for _ in 0..3000 {
            let place = random.below(bytes.len() + 10);
            let mut read = vec![0; [1, 3, 3, 3, 7, 200][random.below(6)]];
            file.seek(SeekFrom::Start(place as u64)).expect("a place");
            let length = file.read(&mut read).expect("bytes");
            let expected = &bytes[place.min(bytes.len())..];
            assert_eq!(length, read.len().min(expected.len()));
            assert_eq!(read[..length], expected[..length], "{sector} at {place}");
        }
        // Across the header, rows and the end, in pieces of any length.
        for start in [0, 50, bytes.len() - 5000] {
            file.seek(SeekFrom::Start(start as u64)).expect("a place");
            let mut place = start;
            while place < (start + 5000).min(bytes.len()) {
                let mut read = vec![0; 1 + random.below(700)];
                let length = file.read(&mut read).expect("bytes");
                assert_eq!(read[..length], bytes[place..place + length]);
                place += length;
            }
        }
        assert_eq!(
            file.seek(SeekFrom::End(-4)).expect("a place"),
            sector.bytes() - 4
        );
        assert_eq!(
            file.seek(SeekFrom::Current(-60)).expect("a place"),
            sector.bytes() - 64
        );
        assert!(file.seek(SeekFrom::Current(-i64::MAX)).is_err());
        let mut rest = Vec::new();
        file.read_to_end(&mut rest).expect("the rest");
        assert_eq!(rest, bytes[bytes.len() - 64..]);
    }
}

#[test]
fn sectors_without_databases_say_what_is_missing() {
    let sectors = embedded(Scheme::complete());
    let error = |sector| sectors.open(sector).map(drop).unwrap_err().to_string();
    assert!(error(moving(9, 9)).contains("9-9"));
    let placing = Sector::new(0, 0, 9, 9).expect("a sector");
    assert!(error(placing).contains("placing-00.mill"));
    let available = sectors.available();
    let stones = |sector: &Sector| sector.numbers().iter().sum::<u8>();
    assert_eq!(available.iter().map(stones).max(), Some(9));
    let other = Database::embedded(Rules::TWELVE);
    assert!(Sectors::new(other, Scheme::complete()).is_err());
}

/// A short game, the databases of whose plies are quickly built; its stones in hand have sectors, too.
fn short(stones: u8) -> Rules {
    Rules {
        stones,
        ..Rules::STANDARD
    }
}

/// The sectors of a game's databases, and the same without memory for whole sectors.
fn built(rules: &Rules, keep: &[u8]) -> (TempDir, [Arc<Sectors>; 2]) {
    let folder = TempDir::new().expect("a folder");
    build(folder.path(), rules, &Pair::all(rules), keep);
    let sectors = [Sectors::DEFAULT_MEMORY, 0].map(|memory| {
        let database = Database::open(folder.path(), *rules).expect("databases");
        let sectors = Sectors::new(database, Scheme::complete()).expect("the standard rules");
        Arc::new(sectors.with_memory(memory))
    });
    (folder, sectors)
}

/// The sector and the slot of a position with stones in hand, by the definition of the format.
struct Places {
    orbits: BTreeMap<u32, Vec<Set>>,
    subsets: BTreeMap<(u32, u32), Vec<Set>>,
    symmetries: [[usize; 24]; 16],
}

impl Places {
    fn new() -> Places {
        Places {
            orbits: (0..=4).map(|stones| (stones, orbits(stones))).collect(),
            subsets: BTreeMap::new(),
            symmetries: symmetries(),
        }
    }

    /// The slot of a position; of several that hold it that with the smallest set.
    fn find(&mut self, mover: Set, waiting: Set) -> u64 {
        let images = self.symmetries.iter();
        let images = images.map(|symmetry| [mover, waiting].map(|set| plain_turned(symmetry, set)));
        let [mover, waiting] = images.min().expect("an image");
        let orbits = &self.orbits[&mover.count_ones()];
        let row = orbits.binary_search(&mover).expect("an orbit") as u64;
        let free: Vec<usize> = (0..24).filter(|point| mover >> point & 1 == 0).collect();
        let bits = free.iter().enumerate();
        let subset: Set = bits.map(|(bit, point)| (waiting >> point & 1) << bit).sum();
        let key = (free.len() as u32, waiting.count_ones());
        let subsets = self.subsets.entry(key);
        let subsets = subsets.or_insert_with(|| sets(key.0, key.1));
        let column = subsets.binary_search(&subset).expect("a column") as u64;
        row * subsets.len() as u64 + column
    }
}

fn plain_set(position: &PlainPosition, side: PlainSide) -> Set {
    let held = POINTS.iter().enumerate();
    held.filter(|(_, name)| position.board[point(name).expect("a point")] == Some(side))
        .map(|(bit, _)| 1 << bit)
        .sum()
}

/// With three stones most positions are decided.
#[test]
fn placing_sectors_have_the_values_of_all_that_games_come_to() {
    let [seen, decided, values, sectors] = play_and_compare(3, &[0, 2], 500);
    assert!(seen > 2000 && decided > 500, "{seen} {decided}");
    assert!(values > 10_000 && sectors == 5, "{values} {sectors}");
}

/// With four stones games go on after a removal.
#[test]
#[ignore = "takes a quarter of a minute"]
fn placing_sectors_of_longer_games_have_the_values_of_all_that_games_come_to() {
    let [seen, _, _, sectors] = play_and_compare(4, &[0, 3, 5], 1000);
    assert!(seen > 6000 && sectors > 10, "{seen} {sectors}");
}

/// Plays games by the plain rules and compares each position with the sectors made from the files of
/// all plies and of `few`. Returns how many positions and decided positions games came to, and how
/// many wins and losses the files of how many sectors have.
fn play_and_compare(stones: u8, few: &[u8], games: usize) -> [usize; 4] {
    let rules = short(stones);
    let plies: Vec<u8> = (0..2 * stones).collect();
    let (_all, [all, all_alone]) = built(&rules, &plies);
    let (_few, [few, few_alone]) = built(&rules, few);
    let mut places = Places::new();
    let plain: PlainRules = plain_rules(&rules);
    let mut random = Random::new(8);
    let mut bytes: BTreeMap<Sector, [Vec<u8>; 2]> = BTreeMap::new();
    let (mut seen, mut decided) = (0, 0);
    for _ in 0..games {
        // The empty board of a short game is no sector of the long one.
        let start = PlainPosition::start(&plain);
        let mut position = start.after(random.pick(&start.turns(&plain)));
        while position.white_hand + position.black_hand > 0 && position.loser(&plain).is_none() {
            let side = position.side;
            let (mover, waiting) = (
                plain_set(&position, side),
                plain_set(&position, side.enemy()),
            );
            let hands = [position.hand(side), position.hand(side.enemy())];
            let sector = Sector::new(
                mover.count_ones() as u8,
                waiting.count_ones() as u8,
                hands[0],
                hands[1],
            );
            let sector = sector.expect("a sector");
            let files = bytes
                .entry(sector)
                .or_insert_with(|| [&all, &few].map(|sectors| whole(sectors, sector)));
            let text = position.text(&plain);
            let value = Position::parse(&text, &rules).expect("a position");
            let value = all.database().probe(&value).expect("a value");
            let place = places.find(mover, waiting) as usize;
            let expected = slot(keys(value, 0, 1));
            for (file, alone) in files.iter().zip([&all_alone, &few_alone]) {
                assert_eq!(file[64 + 3 * place..][..3], expected, "{text}: {value}");
                if random.below(50) == 0 {
                    let mut alone = alone.open(sector).expect("the sector");
                    let mut read = [0; 3];
                    let there = 64 + 3 * place as u64;
                    assert_eq!(alone.read_at(there, &mut read).expect("a slot"), 3);
                    assert_eq!(read, expected, "{text}: {value}");
                }
            }
            seen += 1;
            decided += usize::from(value.wdl() != Wdl::Draw);
            let turns = position.turns(&plain);
            position = position.after(random.pick(&turns));
        }
    }
    // Whatever the files, the bytes are the same; only what a game can reach has a value.
    let stage_sets = StageSets::new(&rules, 2 * stones);
    let (mut values, mut sectors) = (0, 0);
    for (sector, [one, other]) in &bytes {
        assert_eq!(one, other, "{sector}");
        let [on_board, others, in_hand, others_in_hand] = sector.numbers();
        let white = in_hand == others_in_hand;
        let lost = |board: u8, hand: u8| stones - hand - board;
        let [mine, theirs] = [lost(on_board, in_hand), lost(others, others_in_hand)];
        let stage = Stage {
            ply: 2 * stones - in_hand - others_in_hand,
            white_lost: if white { mine } else { theirs },
            black_lost: if white { theirs } else { mine },
        };
        let (movers, subsets) = (
            orbits(on_board.into()),
            sets(24 - u32::from(on_board), others.into()),
        );
        let slots = one[64..].chunks(3).enumerate();
        for (place, slot) in slots.take(movers.len() * subsets.len()) {
            // A win or a loss.
            if slot[0] != 1 && slot[0] != 0xff {
                continue;
            }
            let mover = movers[place / subsets.len()];
            let waiting = spread(subsets[place % subsets.len()], mover);
            let sides = match white {
                true => [Side::White, Side::Black],
                false => [Side::Black, Side::White],
            };
            for (side, set) in sides.into_iter().zip([mover, waiting]) {
                assert!(stage_sets.contains(stage, side, library_set(set)));
            }
            values += 1;
        }
        sectors += 1;
    }
    [seen, decided, values, sectors]
}
