//! Benchmarks: solving a pair in memory, checking it, and reading and counting its tables.
//!
//! The throughput (`thrpt`) is in entries of the tables, with all threads.

use std::collections::HashMap;
use std::time::Duration;

use criterion::{
    BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main,
};
use millbase::Database;
use millbase::Histogram;
use millbase::internals::Bytes;
use millbase::internals::Index;
use millbase::internals::solve::pair::SolvedTable;
use millbase::{Material, Pair, Rules, verify};

const RULES: Rules = Rules::STANDARD;

fn pairs() -> Vec<Pair> {
    let pairs = [(4, 4), (5, 3)].into_iter();
    pairs.filter_map(|(a, b)| Pair::new(a, b)).collect()
}

fn solve(pair: Pair, captures: &HashMap<Material, Bytes>) -> Vec<SolvedTable> {
    millbase::internals::solve::pair::solve(
        &RULES,
        pair,
        |material| Ok(captures[&material].to_vec()),
        &mut |_| Ok(()),
    )
    .unwrap()
}

/// Solves both tables of a pair from those that its captures lead to.
fn solving(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("solve");
    group.sampling_mode(SamplingMode::Flat);
    let db = Database::embedded(RULES);
    for pair in pairs() {
        let captures = pair.tables(&RULES).into_iter();
        let captures = captures.flat_map(|material| material.after_captures(&RULES));
        let captures: HashMap<Material, Bytes> = captures
            .map(|material| {
                (
                    material,
                    millbase::internals::solve::load(&db, material).unwrap(),
                )
            })
            .collect();
        group.throughput(Throughput::Elements(pair.entries(&RULES)));
        group.bench_function(BenchmarkId::from_parameter(pair), |bench| {
            bench.iter(|| solve(pair, &captures))
        });
    }
    group.finish();
}

/// Checking all values of a pair; reading a table; counting its values.
fn tables(criterion: &mut Criterion) {
    let db = Database::embedded(RULES);
    let mut group = criterion.benchmark_group("table");
    group.sampling_mode(SamplingMode::Flat);
    for pair in pairs() {
        group.throughput(Throughput::Elements(pair.entries(&RULES)));
        group.bench_function(format!("verify/{pair}"), |bench| {
            bench.iter(|| {
                verify::verify_pair(&db, pair, &mut verify::Tables::default(), &|_| ()).unwrap()
            })
        });
        for material in pair.tables(&RULES) {
            let name = format!("{}-to-move-against-{}", material.mover, material.waiting);
            let index = Index::new(material);
            let values = millbase::internals::solve::load(&db, material).unwrap();
            group.throughput(Throughput::Elements(values.len() as u64));
            group.bench_function(format!("load/{name}"), |bench| {
                bench.iter(|| millbase::internals::solve::load(&db, material).unwrap())
            });
            group.bench_function(format!("count/{name}"), |bench| {
                bench.iter(|| Histogram::of_table(&index, &values))
            });
        }
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_secs(1));
    targets = solving, tables
}
criterion_main!(benches);
