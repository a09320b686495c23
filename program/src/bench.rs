//! `millbase bench`: how fast this machine answers from the databases and solves pairs. The crate in
//! `benches/` measures the parts of each.

use std::collections::HashMap;
use std::hint::black_box;
use std::io::{self, Write};
use std::iter;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use anyhow::Result;
use clap::Args;
use indicatif::{HumanCount, ProgressBar};
use millbase::internals::solve::pair::SolvedTable;
use millbase::internals::{Index, Random};
use millbase::sample::{self, Family};
use millbase::search::{Limits, Search};
use millbase::solve::pairs_up_to;
use millbase::store::{DbError, PlyFile};
use millbase::{Database, Material, Pair, Position, Rules};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;

use crate::options::Options;
use crate::output::{self, Cell};
use crate::status::Status;
use crate::{databases, input, progress};

/// The number of random positions to probe.
const SAMPLE: usize = 10_000;

/// The fewest cold probes, even if the time is up.
const FEWEST_COLD: usize = 2_000;

/// The block cache of one cold probe, in bytes. It starts empty.
const COLD_CACHE_BYTES: usize = 4 << 20;

/// The block cache of the warm measurements, in bytes: large enough for the blocks of all their
/// positions.
const WARM_CACHE_BYTES: usize = 512 << 20;

/// The number of positions that the warm probes repeat.
const WARM: usize = 1_024;

/// The number of positions whose turns are ranked repeatedly.
const RANKED: usize = 128;

/// The number of positions with stones in hand that are answered for the first time.
const FIRST: u64 = 200;

/// Warm probes between two readings of the clock.
const BATCH: usize = 64;

/// Tables with more entries than this are not loaded.
const MOST_LOADED: usize = 32 << 20;

/// Positions searched between two readings of the clock.
const SEARCHED: u64 = 200_000;

/// The position of the moving phase that is searched, for rules with eight or more stones and for
/// those with fewer.
const MOVING: [&str; 2] = [
    "*OOO@@**/O@O****O/@O*@O@@* b m s 8 0 7 0 0 0",
    "********/********/O@O*O@*@ w m s 3 0 3 0 0 0",
];

/// Measure how fast this machine answers from the databases and builds them
///
/// Probes look up random positions, each equally likely, in the databases that are present together
/// with those that they need. A cold probe decodes the blocks that it needs from files in memory; a
/// warm probe finds them decoded. A first answer ranks all turns of a position of a random game, at
/// the last ply of the placing phase that has a file, with empty caches; it needs all pairs. Loading
/// decodes whole tables, those with at most 33 million values. The search uses the built-in databases.
/// The build solves the small pairs in memory and writes no file. With --json the unit of a figure is
/// in its name: us for microseconds, ns for nanoseconds, ms for milliseconds, mb for millions of bytes
/// (one byte for each value), per_s for each second, on one thread unless the name says all threads.
#[derive(Args)]
#[command(after_help = "\
Examples:
  millbase bench
  millbase bench --seconds 2 --max-stones 9 --threads 1 --json")]
pub struct Bench {
    /// Seconds for each measurement, except that of the build
    #[arg(long, value_name = "S", default_value = "0.5", value_parser = seconds)]
    seconds: Duration,

    /// Seed of the random positions
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = input::seed())]
    seed: u64,

    /// Solve the pairs with at most N stones on the board, 6 to 24; each additional stone takes
    /// about three times as long
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = input::number::<u8>(6..=24))]
    max_stones: u8,
}

/// Parses seconds like `0.5`.
fn seconds(text: &str) -> Result<Duration, String> {
    let number: Option<f64> = text.parse().ok();
    let valid = number.filter(|number| (0.001..=3600.0).contains(number));
    let valid = valid.map(Duration::from_secs_f64);
    valid.ok_or_else(|| "seconds are a number from 0.001 to 3600".to_owned())
}

#[derive(Serialize, JsonSchema)]
pub struct BenchAnswer {
    threads: usize,
    seconds_per_measurement: f64,
    seed: u64,
    /// The pairs whose databases are measured.
    databases: Vec<String>,
    cold_probes: usize,
    cold_probe_p50_us: f64,
    cold_probe_p99_us: f64,
    warm_probes_per_s: f64,
    warm_probes_per_s_all_threads: f64,
    /// Positions whose turns are ranked.
    rankings_per_s: f64,
    /// `None` without a file of the placing phase, or if a pair is missing.
    first_answers: Option<FirstAnswers>,
    loading_mb_per_s_all_threads: f64,
    search_placing_nodes_per_s: f64,
    search_moving_nodes_per_s: f64,
    build: BuildSpeed,
}

/// Ranking all turns of positions of the placing phase; nothing was decoded before.
#[derive(Serialize, JsonSchema)]
struct FirstAnswers {
    /// The last ply with a file; from there the search for the values is the longest.
    ply: u8,
    p50_ms: f64,
    p99_ms: f64,
    /// All plies, equally often.
    all_p50_ms: f64,
    all_p99_ms: f64,
}

/// Solving pairs from scratch, with all threads. The time includes that to allocate memory and to
/// copy the tables of the captures.
#[derive(Serialize, JsonSchema)]
struct BuildSpeed {
    max_stones: u8,
    entries: u64,
    seconds: f64,
    ns_per_entry_and_core: f64,
}

impl Bench {
    /// Measures everything and prints the figures.
    pub fn run(&self, options: &Options) -> Result<Status> {
        let db = databases::open(options)?;
        let bar = progress::counter(options, Steps::COUNT, "measuring");
        let steps = Steps { options, bar };
        let measured = self.measure(db, &steps);
        steps.bar.finish_and_clear();
        let answer = measured?;
        output::answer(options, &answer, |out| answer.write(out))
    }

    fn measure(&self, mut db: Database, steps: &Steps<'_>) -> Result<BenchAnswer> {
        let (budget, rules) = (self.seconds, *db.rules());
        let pairs = pairs(&db);
        let sample = positions(&db, &pairs, self.seed)?;
        let times = steps.take("cold", || cold_probes(&mut db, &sample, budget))?;
        db.set_cache_bytes(WARM_CACHE_BYTES);
        let warm = &sample[..WARM.min(sample.len())];
        let (one, all) = steps.take("warm", || warm_probes(&db, warm, budget))?;
        let ranked = &sample[..RANKED.min(sample.len())];
        let rankings = steps.take("ranking", || rankings(&db, ranked, budget))?;
        let first_answers = steps.take("placing", || first_answers(&mut db, &pairs, self.seed))?;
        let loaded = steps.take("loading", || rate(budget, || load(&db, &pairs)))?;
        let moving = MOVING[usize::from(rules.stones < 8)];
        let search = ["start", moving].map(|text| {
            let position = input::position(text, &rules)?;
            steps.take("search", || searched(&position, &rules, budget))
        });
        let [placing, moving] = search;
        Ok(BenchAnswer {
            threads: rayon::current_num_threads(),
            seconds_per_measurement: budget.as_secs_f64(),
            seed: self.seed,
            databases: pairs.iter().map(Pair::to_string).collect(),
            cold_probes: times.len(),
            cold_probe_p50_us: percentile_us(&times, 50),
            cold_probe_p99_us: percentile_us(&times, 99),
            warm_probes_per_s: one,
            warm_probes_per_s_all_threads: all,
            rankings_per_s: rankings,
            first_answers,
            loading_mb_per_s_all_threads: loaded / 1e6,
            search_placing_nodes_per_s: placing?,
            search_moving_nodes_per_s: moving?,
            build: steps.take("build", || build(self.max_stones, &rules))?,
        })
    }
}

impl BenchAnswer {
    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "databases: {}", self.databases.join(" "))?;
        writeln!(out, "threads: {}\n", self.threads)?;
        let mut rows = Vec::new();
        let mut row = |name: &str, value, unit| rows.push((name.to_owned(), value, unit));
        let [half, most] = [self.cold_probe_p50_us, self.cold_probe_p99_us];
        row("cold probe, half take at most", half, "µs");
        row("cold probe, 99 % take at most", most, "µs");
        let [one, all] = [self.warm_probes_per_s, self.warm_probes_per_s_all_threads];
        row("warm probes, one thread", one, "positions/s");
        row("warm probes, all threads", all, "positions/s");
        let rankings = self.rankings_per_s;
        row("ranking all turns, one thread", rankings, "positions/s");
        if let Some(first) = &self.first_answers {
            let last = format!("{} placed", first.ply);
            for (positions, half, most) in [
                ("while placing", first.all_p50_ms, first.all_p99_ms),
                (&last, first.p50_ms, first.p99_ms),
            ] {
                let answer = format!("first answer, {positions}");
                row(&format!("{answer}, half take at most"), half, "ms");
                row(&format!("{answer}, 99 % take at most"), most, "ms");
            }
        }
        let loading = self.loading_mb_per_s_all_threads;
        row("loading tables, all threads", loading, "MB/s");
        for (phase, speed) in [
            ("placing", self.search_placing_nodes_per_s),
            ("moving", self.search_moving_nodes_per_s),
        ] {
            let name = format!("search while {phase}, one thread");
            row(&name, speed, "nodes/s");
        }
        let build = &self.build;
        let built = format!("build to {} stones", build.max_stones);
        row(&built, build.ns_per_entry_and_core, "ns/entry/core");
        row(&built, build.seconds, "s");
        output::table(out, rows).write(&[
            ("measurement", |(name, ..)| Cell::text(name)),
            ("value", |(_, value, _)| Cell::right(figure(*value))),
            ("unit", |(.., unit)| Cell::text(unit)),
        ])
    }
}

/// A number with three digits or more.
fn figure(value: f64) -> String {
    match value {
        ..10.0 => format!("{value:.2}"),
        10.0..100.0 => format!("{value:.1}"),
        _ => HumanCount(value.round() as u64).to_string(),
    }
}

/// The pairs that are present together with the pairs that their captures lead to; without these,
/// turns have no value.
fn pairs(db: &Database) -> Vec<Pair> {
    let mut pairs = databases::usable_pairs(db);
    pairs.retain(|pair| pair.needs(db.rules()).into_iter().all(|need| db.has(need)));
    pairs
}

/// Random positions of these pairs that have a value; each entry is equally likely.
fn positions(db: &Database, pairs: &[Pair], seed: u64) -> Result<Vec<Position>> {
    let materials = pairs.iter().flat_map(|pair| pair.tables(db.rules()));
    let tables: Vec<Index> = materials.map(Index::new).collect();
    let entries: usize = tables.iter().map(Index::len).sum();
    if entries == 0 {
        return Err(databases::none(db, "there is no database to measure"));
    }
    let mut random = Random::new(seed);
    let position = || {
        let mut entry = random.below(entries);
        let index = tables.iter().find(|index| {
            let found = entry < index.len();
            if !found {
                entry -= index.len();
            }
            found
        })?;
        let (mover, waiting) = index.sets(entry);
        Some(index.material().position(mover, waiting))
    };
    let with_value = |position: Position| match position.is_over(db.rules()) {
        // The value of a finished game is not looked up.
        true => None,
        // The smallest files do not answer for all positions with stones in hand.
        false => match db.probe_wdl(&position) {
            Err(DbError::Omitted) => None,
            probed => Some(probed.map(|_| position)),
        },
    };
    let positions = iter::repeat_with(position).flatten();
    let positions = positions.filter_map(with_value).take(SAMPLE);
    Ok(positions.collect::<Result<_, _>>()?)
}

/// Probes the positions one by one, each with an empty block cache.
fn cold_probes(db: &mut Database, sample: &[Position], budget: Duration) -> Result<Vec<Duration>> {
    // The first pass brings the files into the page cache.
    db.set_cache_bytes(COLD_CACHE_BYTES);
    sample
        .par_iter()
        .try_for_each(|position| db.probe(position).map(drop))?;
    let begin = Instant::now();
    let is_enough = |done| done >= FEWEST_COLD && begin.elapsed() > budget;
    cold_times(db, sample, COLD_CACHE_BYTES, is_enough, Database::probe)
}

/// The times of the answers in ascending order; `is_enough` of their number ends the measurement.
/// Each answer has an empty block cache of `cache_bytes` bytes.
fn cold_times<T>(
    db: &mut Database,
    positions: &[Position],
    cache_bytes: usize,
    is_enough: impl Fn(usize) -> bool,
    answer: impl Fn(&Database, &Position) -> Result<T, DbError>,
) -> Result<Vec<Duration>> {
    let mut times = Vec::new();
    for position in positions {
        if is_enough(times.len()) {
            break;
        }
        db.set_cache_bytes(cache_bytes);
        let start = Instant::now();
        black_box(answer(db, black_box(position))?);
        times.push(start.elapsed());
    }
    times.sort_unstable();
    Ok(times)
}

/// The time in µs that this percentage of the times does not exceed. The times must be in ascending
/// order.
fn percentile_us(times: &[Duration], percent: usize) -> f64 {
    let rank = (times.len() * percent).div_ceil(100).max(1);
    let time = times.get(rank - 1).copied().unwrap_or_default();
    time.as_secs_f64() * 1e6
}

/// Probes per second on one thread and with all threads together.
fn warm_probes(db: &Database, positions: &[Position], budget: Duration) -> Result<(f64, f64)> {
    let batches: Vec<&[Position]> = positions.chunks(BATCH).collect();
    let probe = |batch: &[Position]| {
        for position in batch {
            black_box(db.probe(black_box(position))?);
        }
        Ok(batch.len() as u64)
    };
    for batch in &batches {
        probe(batch)?;
    }
    let probes_from = |first: usize| {
        let mut turns = batches.iter().cycle().skip(first % batches.len().max(1));
        rate(budget, || turns.next().map_or(Ok(0), |batch| probe(batch)))
    };
    let one = probes_from(0)?;
    let all: Result<f64> = rayon::broadcast(|context| probes_from(context.index()))
        .into_iter()
        .sum();
    Ok((one, all?))
}

/// The number of positions whose turns are ranked in a second.
fn rankings(db: &Database, positions: &[Position], budget: Duration) -> Result<f64> {
    for position in positions {
        db.turns(position)?;
    }
    let mut next = positions.iter().cycle();
    rate(budget, || {
        if let Some(position) = next.next() {
            black_box(db.turns(black_box(position))?);
        }
        Ok(1)
    })
}

/// Ranks all turns of positions of random games, each with empty caches, if all pairs are present.
fn first_answers(db: &mut Database, pairs: &[Pair], seed: u64) -> Result<Option<FirstAnswers>> {
    let all = pairs.len() == Pair::all(db.rules()).len();
    let ply = db.plies().map(PlyFile::ply).max().filter(|_| all);
    let Some(ply) = ply else {
        return Ok(None);
    };
    let rules = *db.rules();
    let mut percentiles = |families: &[Family], count| {
        let positions = sample::mixed(&rules, families, 0..count, seed);
        let cache = Database::DEFAULT_CACHE_BYTES;
        let times = cold_times(db, &positions, cache, |_| false, Database::turns)?;
        anyhow::Ok([50, 99].map(|percent| percentile_us(&times, percent) / 1e3))
    };
    let plies: Vec<Family> = (0..rules.placements()).map(Family::Placed).collect();
    let [all_p50_ms, all_p99_ms] = percentiles(&plies, FIRST / 4 * plies.len() as u64)?;
    let [p50_ms, p99_ms] = percentiles(&[Family::Placed(ply)], FIRST)?;
    Ok(Some(FirstAnswers {
        ply,
        p50_ms,
        p99_ms,
        all_p50_ms,
        all_p99_ms,
    }))
}

/// Loads those tables without stones in hand that are not too large, and returns the number of
/// their values.
fn load(db: &Database, pairs: &[Pair]) -> Result<u64> {
    let mut values = 0;
    let pairs = pairs.iter().filter(|pair| !pair.has_hands());
    for material in pairs.flat_map(|pair| pair.tables(db.rules())) {
        if Index::new(material).len() <= MOST_LOADED {
            values += black_box(millbase::internals::solve::load(db, material)?).len() as u64;
        }
    }
    Ok(values)
}

/// The nodes per second of a search with the built-in databases, from an empty transposition table.
fn searched(position: &Position, rules: &Rules, budget: Duration) -> Result<f64> {
    let limits = Limits {
        nodes: Some(SEARCHED),
        ..Limits::default()
    };
    let (stop, database) = (AtomicBool::new(false), Database::embedded(*rules));
    rate(budget, || {
        let search = Search::new(*rules, Search::DEFAULT_HASH_BYTES, 1);
        let found = search.run(position, &[], &database, &limits, &stop, &mut |_| {});
        Ok(found.first().map_or(0, |variation| variation.nodes))
    })
}

/// Solves all pairs with at most this many stones and none in hand.
fn build(max_stones: u8, rules: &Rules) -> Result<BuildSpeed> {
    let mut solved: HashMap<Material, SolvedTable> = HashMap::new();
    let (mut entries, mut total) = (0, Duration::ZERO);
    let pairs = pairs_up_to(max_stones, rules).into_iter();
    for pair in pairs.filter(|pair| !pair.has_hands()) {
        // Captures take one stone, so only the pairs with one stone less are still needed.
        solved.retain(|material, _| material.mover + material.waiting >= pair.stones() - 1);
        let load = |material: Material| {
            let values = solved.get(&material).map(|table| table.values.to_vec());
            values.ok_or_else(|| DbError::NotStored(format!("{pair} is solved too early")))
        };
        let start = Instant::now();
        let tables = millbase::internals::solve::pair::solve(rules, pair, load, &mut |_| Ok(()))?;
        total += start.elapsed();
        entries += pair.entries(rules);
        solved.extend(tables.into_iter().map(|table| (table.material, table)));
    }
    let seconds = total.as_secs_f64();
    Ok(BuildSpeed {
        max_stones,
        entries,
        seconds,
        ns_per_entry_and_core: seconds * 1e9 * progress::cores() as f64 / entries as f64,
    })
}

/// Repeats the work until the budget is spent, at least once, and returns the work per second: the
/// sum of the returned numbers divided by the time.
fn rate(budget: Duration, mut work: impl FnMut() -> Result<u64>) -> Result<f64> {
    let start = Instant::now();
    let mut done = 0;
    loop {
        done += work()?;
        let time = start.elapsed();
        if time >= budget {
            return Ok(done as f64 / time.as_secs_f64());
        }
    }
}

/// Shows which measurement is under way.
struct Steps<'a> {
    options: &'a Options,
    bar: ProgressBar,
}

impl Steps<'_> {
    /// Cold and warm probes, ranking, placing, loading, two searches, build.
    const COUNT: u64 = 8;

    fn take<T>(&self, name: &'static str, step: impl FnOnce() -> Result<T>) -> Result<T> {
        self.bar.set_message(name);
        let start = Instant::now();
        let result = step()?;
        self.bar.inc(1);
        let seconds = start.elapsed().as_secs_f64();
        output::step(
            self.options,
            format_args!("{name} measured in {seconds:.2} s"),
        );
        Ok(result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_three_digits_or_more() {
        let texts = [0.5, 9.876, 45.67, 123.4, 19_595_688.2].map(figure);
        assert_eq!(texts, ["0.50", "9.88", "45.7", "123", "19,595,688"]);
    }

    #[test]
    fn percentiles_are_those_of_the_nearest_rank() {
        let times: Vec<Duration> = (1..=200).map(Duration::from_micros).collect();
        let found = [1, 50, 90, 99, 100].map(|percent| percentile_us(&times, percent).round());
        assert_eq!(found, [2.0, 100.0, 180.0, 198.0, 200.0]);
        assert_eq!(percentile_us(&times[..1], 1).round(), 1.0);
    }

    #[test]
    fn positions_depend_on_the_seed_alone() {
        let db = Database::embedded(Rules::STANDARD);
        let drawn = |seed| positions(&db, &pairs(&db), seed).unwrap();
        assert_eq!(drawn(7), drawn(7));
        assert_ne!(drawn(7), drawn(8));
        assert_eq!(drawn(7).len(), SAMPLE);
    }
}
