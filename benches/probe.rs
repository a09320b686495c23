//! Benchmarks of the parts of a probe, from single bit operations to the ranking of all turns.
//!
//! `cargo bench --bench probe -- probe/cold` in this folder runs those with this text in their names. An iteration
//! of a short operation covers 1024 words, sets or positions; the throughput (`thrpt`) counts each
//! of them.

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use millbase::Database;
use millbase::internals::Random;
use millbase::internals::bits::{self, Bits, Kernel, Portable};
use millbase::internals::{Index, Rows};
use millbase::{Material, Pair, PointSet, Position, Rules, Symmetry};

const RULES: Rules = Rules::STANDARD;

/// The number of words, sets or positions in one iteration.
const ELEMENTS: usize = 1024;

/// The block cache of one cold probe, in bytes.
const COLD_CACHE_BYTES: usize = 1 << 20;

/// Random positions of a table whose game goes on.
fn positions(material: Material) -> Vec<Position> {
    let index = Index::new(material);
    let mut random = Random::new(1);
    let position = || {
        let (mover, waiting) = index.sets(random.word() as usize % index.len());
        Position::moving(mover, waiting)
    };
    let running = |position: &Position| !position.is_over(&RULES);
    let positions = std::iter::repeat_with(position).filter(running);
    positions.take(ELEMENTS).collect()
}

/// Random sets of a number of stones.
fn sets(stones: u8) -> Vec<PointSet> {
    let rows = Rows::of(stones);
    let mut random = Random::new(1);
    let set = || {
        let row = random.word() as usize % rows.len();
        Symmetry::numbered(random.word() as u32).apply(rows.set(row))
    };
    std::iter::repeat_with(set).take(ELEMENTS).collect()
}

/// The measured bit operation.
#[derive(Clone, Copy)]
enum Operation {
    Pext,
    Pdep,
    /// The search of a byte among 64, once for each word.
    Find,
}

/// The sum of an operation's results over many words.
#[derive(Clone, Copy)]
struct Sum<'a> {
    operation: Operation,
    words: &'a [[u32; 2]],
    bytes: &'a [u8],
}

impl Kernel for Sum<'_> {
    type Output = u64;

    #[inline(always)]
    fn run<B: Bits>(self, bits: B) -> u64 {
        let mut sum = 0;
        match self.operation {
            Operation::Pext => {
                for &[word, mask] in self.words {
                    sum += u64::from(bits.pext(word, mask));
                }
            }
            Operation::Pdep => {
                for &[word, mask] in self.words {
                    sum += u64::from(bits.pdep(word, mask));
                }
            }
            Operation::Find => {
                for (start, places) in bits::find_bytes(bits, self.bytes, 7) {
                    sum += start as u64 ^ places.0;
                }
            }
        }
        sum
    }
}

/// The processor's operations against the portable ones.
fn bit_operations(criterion: &mut Criterion) {
    let mut random = Random::new(1);
    let words: Vec<[u32; 2]> = (0..ELEMENTS)
        .map(|_| [random.word() as u32, random.word() as u32].map(|word| word & 0xff_ffff))
        .collect();
    let bytes: Vec<u8> = (0..64 * ELEMENTS).map(|_| random.word() as u8).collect();
    let mut group = criterion.benchmark_group("bits");
    group.throughput(Throughput::Elements(ELEMENTS as u64));
    for (name, operation) in [
        ("pext", Operation::Pext),
        ("pdep", Operation::Pdep),
        ("find_bytes", Operation::Find),
    ] {
        let sum = Sum {
            operation,
            words: &words,
            bytes: &bytes,
        };
        group.bench_function(format!("{name}/portable"), |bench| {
            bench.iter(|| black_box(sum).run(Portable))
        });
        group.bench_function(format!("{name}/dispatch"), |bench| {
            bench.iter(|| bits::dispatch(black_box(sum)))
        });
    }
    group.finish();
}

/// Does the work for every item, with a black box so that the compiler cannot remove it.
fn for_each<'a, T, R>(items: &'a [T], work: impl Fn(&'a T) -> R) {
    for item in items {
        black_box(work(black_box(item)));
    }
}

/// Probes of a bitbase.
fn bitbase(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("bitbase");
    group.throughput(Throughput::Elements(ELEMENTS as u64));
    let db = Database::embedded(RULES);
    let pairs: Vec<Pair> = db.pairs().map(|file| file.pair()).collect();
    let bitbase = db.bitbase(&pairs).unwrap();
    for (mover, waiting) in [(6, 3), (4, 5)] {
        let positions = positions(Material::new(mover, waiting));
        let sets = |position: &Position| (position.mover(), position.waiting());
        let sets: Vec<(PointSet, PointSet)> = positions.iter().map(sets).collect();
        let name = format!("{mover}-to-move-against-{waiting}");
        group.bench_function(name, |bench| {
            bench.iter(|| for_each(&sets, |&(mover, waiting)| bitbase.of_sets(mover, waiting)))
        });
    }
    group.finish();
}

/// From sets of stones to the place of a position.
fn index(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("index");
    group.throughput(Throughput::Elements(ELEMENTS as u64));
    let nine = sets(9);
    let rows = Rows::of(9);
    group.bench_function("row/9", |bench| {
        bench.iter(|| for_each(&nine, |&set| rows.find(set)))
    });
    for (mover, waiting) in [(9, 8), (3, 9)] {
        let material = Material::new(mover, waiting);
        let index = Index::new(material);
        let columns: Vec<u32> = index.columns().iter().step_by(5).take(ELEMENTS).collect();
        group.bench_function(format!("rank/{mover}-{waiting}"), |bench| {
            bench.iter(|| for_each(&columns, |&subset| index.columns().rank(subset)))
        });
        let positions = positions(material);
        group.bench_function(format!("find/{mover}-{waiting}"), |bench| {
            let find = |position: &Position| index.find(position.mover(), position.waiting());
            bench.iter(|| for_each(&positions, find))
        });
        let step = index.len() / ELEMENTS;
        let entries: Vec<usize> = (0..ELEMENTS).map(|place| place * step).collect();
        group.bench_function(format!("sets/{mover}-{waiting}"), |bench| {
            bench.iter(|| for_each(&entries, |&entry| index.sets(entry)))
        });
    }
    group.finish();
}

/// Cold probes, warm probes and the ranking of turns, for each side to move of the built-in pairs.
fn probes(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("probe");
    let db = Database::embedded(RULES);
    let pairs: Vec<Pair> = db.pairs().map(|file| file.pair()).collect();
    for material in pairs
        .into_iter()
        .flat_map(|pair| pair.tables(&Rules::STANDARD))
    {
        let name = format!("{}-to-move-against-{}", material.mover, material.waiting);
        let positions = positions(material);

        group.throughput(Throughput::Elements(1));
        group.bench_function(format!("cold/{name}"), |bench| {
            let mut db = Some(Database::embedded(RULES));
            bench.iter_custom(|iterations| {
                let mut total = Duration::ZERO;
                for (position, _) in positions.iter().cycle().zip(0..iterations) {
                    // The same database with a new, empty cache.
                    let empty = db.take().unwrap().with_cache_bytes(COLD_CACHE_BYTES);
                    let start = Instant::now();
                    black_box(empty.probe(black_box(position)).unwrap());
                    total += start.elapsed();
                    db = Some(empty);
                }
                total
            })
        });

        group.throughput(Throughput::Elements(ELEMENTS as u64));
        group.bench_function(format!("warm/{name}"), |bench| {
            bench.iter(|| for_each(&positions, |position| db.probe(position).unwrap()))
        });

        group.throughput(Throughput::Elements(1));
        group.bench_function(format!("turns/{name}"), |bench| {
            let mut positions = positions.iter().cycle();
            bench.iter(|| db.turns(positions.next().unwrap()).unwrap())
        });
    }
    group.finish();
}

/// Generating turns: all leaves at a depth, while stones are placed and while they move.
fn perft(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("perft");
    let moving = "*OOO@@**/O@O****O/@O*@O@@* b m s 8 0 7 0 0 0";
    let moving = Position::parse(moving, &RULES).unwrap();
    for (name, position, depth) in [
        ("placing", Position::start(&RULES), 4),
        ("moving", moving, 4),
    ] {
        group.throughput(Throughput::Elements(position.perft(&RULES, depth)));
        group.bench_function(name, |bench| {
            bench.iter(|| black_box(&position).perft(&RULES, depth))
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(500));
    targets = bit_operations, index, probes, bitbase, perft
}
criterion_main!(benches);
