//! `millbase bench`: how fast this machine answers from the databases and solves pairs.

use std::collections::HashMap;
use std::hint::black_box;
use std::io::{self, IsTerminal, Write};
use std::iter;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use anyhow::Result;
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use millbase::db::{Database, DbError, PairFile};
use millbase::index::Index;
use millbase::retro::{self, Solved, Times};
use millbase::search::{Limits, NoJudge, Search};
use millbase::{Material, Pair, PointSet, Position, Rules};
use rayon::prelude::*;
use serde::Serialize;

use crate::cli::Options;
use crate::databases;
use crate::input;
use crate::output::{self, Cell, Palette, Table, grouped};
use crate::progress;
use crate::status::{Status, Usage};

/// How many random positions there are to probe.
const SAMPLE: usize = 10_000;

/// How many positions are probed cold at least, even where the time is up.
const FEWEST_COLD: usize = 2_000;

/// The blocks that one cold probe may keep while it needs several. It starts with none.
const COLD_CACHE_BYTES: usize = 4 << 20;

/// The bound for decoded blocks in the warm measurements; it holds those of all their positions.
const WARM_CACHE_BYTES: usize = 512 << 20;

/// How many positions are probed warm, again and again.
const WARM: usize = 1_024;

/// How many positions have their turns ranked, again and again.
const RANKED: usize = 128;

/// How many warm probes there are between two looks at the clock.
const BATCH: usize = 64;

/// Tables with more entries than this are not loaded.
const MOST_LOADED: usize = 32 << 20;

/// Pairs with more entries than this are not read into memory as win, draw and loss.
const MOST_PRELOADED: u64 = 1 << 29;

/// How many random positions are asked of a pair in memory.
const PRELOADED: usize = 1 << 20;

/// The transposition table of a measured search.
const SEARCH_BYTES: usize = 16 << 20;

/// How many positions are searched between two looks at the clock.
const SEARCHED: u64 = 200_000;

/// A position of the placing phase and one of the moving phase, each with the depth of its perft.
const PERFT: [(&str, u32); 2] = [
    ("start", 4),
    ("*OOO@@**/O@O****O/@O*@O@@* b m s 8 0 7 0 0 0", 5),
];

/// The same for rules with fewer stones.
const PERFT_SMALL: [(&str, u32); 2] = [
    ("start", 4),
    ("********/********/O@O*O@*@ w m s 3 0 3 0 0 0", 4),
];

/// The positions that these rules have.
fn perft_positions(rules: &Rules) -> [(&'static str, u32); 2] {
    match rules.stones {
        8.. => PERFT,
        _ => PERFT_SMALL,
    }
}

/// Measure how fast this machine answers from the databases and builds them
///
/// Probes are of random positions, each as likely as the others, from the databases that are there
/// with those that they need.
/// A cold probe has to decode what it needs, from files that are in memory; a warm one finds it
/// decoded. Loading decodes whole tables, those with at most 33 million values. The build solves
/// the small pairs in memory and writes nothing. The figures with --json have their unit in the
/// name: us are microseconds, ns nanoseconds, mb millions of bytes, one byte a value; per_s is each
/// second on one thread, where the name does not say that all compute.
#[derive(Args)]
#[command(after_help = "\
Examples:
  millbase bench
  millbase bench --seconds 2 --max-stones 9 --threads 1 --json")]
pub struct Bench {
    /// Seconds that each measurement takes, except that of the build
    #[arg(long, value_name = "S", default_value = "0.5", value_parser = seconds)]
    seconds: Duration,

    /// The number that the random positions depend on
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Solve the pairs with at most N stones on the board, 6 to 24; each stone more takes about
    /// three times as long
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u8).range(6..=24))]
    max_stones: u8,
}

/// The duration of an argument like `0.5`.
fn seconds(text: &str) -> Result<Duration, String> {
    let number: Option<f64> = text.parse().ok();
    let valid = number.filter(|number| (0.001..=3600.0).contains(number));
    let valid = valid.map(Duration::from_secs_f64);
    valid.ok_or_else(|| "seconds are a number from 0.001 to 3600".to_owned())
}

/// Everything that was measured.
#[derive(Serialize)]
struct Answer {
    threads: usize,
    seconds_per_measurement: f64,
    seed: u64,
    databases: Vec<JsonDatabase>,
    tables: Vec<TablesFigures>,
    ranking: Ranking,
    preload: Option<Preloaded>,
    perft: Perft,
    search: Searched,
    build: Build,
}

#[derive(Serialize)]
struct JsonDatabase {
    pair: String,
    /// `None` where the database is part of the program.
    file: Option<String>,
    built_in: bool,
}

impl From<&PairFile> for JsonDatabase {
    fn from(file: &PairFile) -> JsonDatabase {
        JsonDatabase {
            pair: file.pair().to_string(),
            file: file.path().map(|path| path.display().to_string()),
            built_in: file.path().is_none(),
        }
    }
}

/// The tables whose figures are reported together.
#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
enum Tables {
    All,
    /// Those where the side to move has as many stones as the other, or more.
    LargerToMove,
    SmallerToMove,
}

impl Tables {
    const EACH: [Tables; 3] = [Tables::All, Tables::LargerToMove, Tables::SmallerToMove];

    fn have(self, material: Material) -> bool {
        let larger = material.mover >= material.waiting;
        match self {
            Tables::All => true,
            Tables::LargerToMove => larger,
            Tables::SmallerToMove => !larger,
        }
    }

    fn have_position(self, position: &Position) -> bool {
        self.have(Material::of(position.mover(), position.waiting()))
    }

    fn name(self) -> &'static str {
        match self {
            Tables::All => "either",
            Tables::LargerToMove => "larger or equal",
            Tables::SmallerToMove => "smaller",
        }
    }
}

#[derive(Serialize)]
struct TablesFigures {
    tables: Tables,
    cold_probes: usize,
    cold_probe_p50_us: f64,
    cold_probe_p90_us: f64,
    cold_probe_p99_us: f64,
    warm_probes_per_s: f64,
    warm_probes_per_s_all_threads: f64,
    loading_mb_per_s_all_threads: f64,
}

/// Warm, on one thread.
#[derive(Serialize)]
struct Ranking {
    positions_per_s: f64,
    turns_per_s: f64,
}

/// Win, draw and loss of the largest pair that is not too large, in memory; probes of random
/// positions on one thread, one after the other and eight at once.
#[derive(Serialize)]
struct Preloaded {
    pair: String,
    bytes: u64,
    seconds: f64,
    probes_per_s: f64,
    probes_in_eights_per_s: f64,
}

/// Nodes of the search without databases, on one thread.
#[derive(Serialize)]
struct Searched {
    placing_nodes_per_s: f64,
    moving_nodes_per_s: f64,
}

/// Leaves, on one thread.
#[derive(Serialize)]
struct Perft {
    placing_nodes_per_s: f64,
    moving_nodes_per_s: f64,
}

/// Solving pairs from nothing, with all threads. `total` is the whole time, also that for memory
/// and for copying the tables of the captures.
#[derive(Serialize)]
struct Build {
    max_stones: u8,
    entries: u64,
    cores: usize,
    seconds: f64,
    initialise_ns_per_entry_and_core: f64,
    scatter_ns_per_entry_and_core: f64,
    propagate_ns_per_entry_and_core: f64,
    total_ns_per_entry_and_core: f64,
}

impl Bench {
    /// Measures everything and prints the figures.
    pub fn run(&self, options: &Options) -> Result<Status> {
        let db = databases::open(options)?;
        let steps = Steps::new(options);
        let measured = self.measure(db, &steps);
        steps.bar.finish_and_clear();
        let answer = measured?;
        let mut out = output::stdout();
        if options.json {
            output::json(&mut out, &answer)?;
        } else {
            answer.write(&mut out, Palette::of(options))?;
        }
        out.flush()?;
        Ok(Status::Done)
    }

    fn measure(&self, db: Database, steps: &Steps<'_>) -> Result<Answer> {
        let budget = self.seconds;
        let rules = *db.rules();
        let rules = &rules;
        let pairs = pairs(&db);
        let files = db.pairs().filter(|file| pairs.contains(&file.pair()));
        let databases = files.map(JsonDatabase::from).collect();
        let sample = positions(&db, self.seed)?;
        let (db, cold) = steps.take("cold", || cold_probes(db, &sample, budget))?;
        let db = db.with_cache_bytes(WARM_CACHE_BYTES);
        load(&db, Tables::All)?;
        let mut tables = Vec::new();
        for group in Tables::EACH {
            let mut times: Vec<Duration> = cold
                .iter()
                .filter(|(position, _)| group.have_position(position))
                .map(|&(_, time)| time)
                .collect();
            if times.is_empty() {
                continue;
            }
            times.sort_unstable();
            let of_group = sample
                .iter()
                .filter(|position| group.have_position(position));
            let positions: Vec<Position> = of_group.copied().take(WARM).collect();
            let (one, all) = steps.take("warm", || warm_probes(&db, &positions, budget))?;
            let loaded = steps.take("loading", || rate(budget, || load(&db, group)))?;
            tables.push(TablesFigures {
                tables: group,
                cold_probes: times.len(),
                cold_probe_p50_us: percentile_us(&times, 50),
                cold_probe_p90_us: percentile_us(&times, 90),
                cold_probe_p99_us: percentile_us(&times, 99),
                warm_probes_per_s: one,
                warm_probes_per_s_all_threads: all,
                loading_mb_per_s_all_threads: loaded / 1e6,
            });
        }
        let ranked = &sample[..RANKED.min(sample.len())];
        let ranking = steps.take("ranking", || ranking(&db, ranked, budget))?;
        let preload = steps.take("preload", || preloaded(&db, self.seed, budget))?;
        let perft = steps.take("perft", || perft(budget, rules))?;
        let search = steps.take("search", || searched(budget, rules))?;
        drop(db);
        Ok(Answer {
            threads: rayon::current_num_threads(),
            seconds_per_measurement: budget.as_secs_f64(),
            seed: self.seed,
            databases,
            tables,
            ranking,
            preload,
            perft,
            search,
            build: steps.take("build", || build(self.max_stones, rules))?,
        })
    }
}

/// Shows which measurement is under way.
struct Steps<'a> {
    options: &'a Options,
    bar: ProgressBar,
}

impl<'a> Steps<'a> {
    /// Cold probes; warm probes and loading for each of [`Tables::EACH`]; ranking, preload, perft,
    /// search, build.
    const COUNT: u64 = 6 + 2 * Tables::EACH.len() as u64;

    fn new(options: &'a Options) -> Steps<'a> {
        if options.quiet || !io::stderr().is_terminal() {
            let bar = ProgressBar::hidden();
            return Steps { options, bar };
        }
        // It is drawn between the measurements only, so that it takes no time from them.
        let style = ProgressStyle::with_template("measuring {msg:8} {wide_bar} {pos} of {len}");
        let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = ProgressBar::new(Steps::COUNT).with_style(style);
        Steps { options, bar }
    }

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

/// The pairs that are there with those that their captures lead to; turns of others have no value.
fn pairs(db: &Database) -> Vec<Pair> {
    let mut pairs = databases::in_order(db);
    pairs.retain(|pair| pair.needs().into_iter().all(|need| db.has(need)));
    pairs
}

/// The tables of these pairs.
fn materials(db: &Database) -> impl Iterator<Item = Material> {
    pairs(db).into_iter().flat_map(Pair::tables)
}

/// Random positions of these tables: every entry is as likely as the others.
fn positions(db: &Database, seed: u64) -> Result<Vec<Position>> {
    let tables: Vec<Index> = materials(db).map(Index::new).collect();
    let entries: usize = tables.iter().map(Index::len).sum();
    if entries == 0 {
        let message = "there are no databases to measure that have all those they need; make some \
                       with 'millbase build'";
        return Err(Usage(message.to_owned()).into());
    }
    let mut random = Random(seed);
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
        Some(Position::moving(mover, waiting))
    };
    // A game that is over is not looked up.
    let running = |position: &Position| !position.is_over(db.rules());
    let positions = iter::repeat_with(position).flatten().filter(running);
    Ok(positions.take(SAMPLE).collect())
}

/// Probes the positions one by one, each with no decoded block to begin with, and takes the time of
/// each.
fn cold_probes(
    mut db: Database,
    sample: &[Position],
    budget: Duration,
) -> Result<(Database, Vec<(Position, Duration)>)> {
    // The first pass brings the files into memory.
    db = db.with_cache_bytes(COLD_CACHE_BYTES);
    sample
        .par_iter()
        .try_for_each(|position| db.probe(position).map(drop))?;
    let mut times = Vec::new();
    let begin = Instant::now();
    for position in sample {
        if times.len() >= FEWEST_COLD && begin.elapsed() > budget {
            break;
        }
        db = db.with_cache_bytes(COLD_CACHE_BYTES);
        let start = Instant::now();
        black_box(db.probe(black_box(position))?);
        times.push((*position, start.elapsed()));
    }
    Ok((db, times))
}

/// The time in µs that so many of a hundred do not exceed; the times are in ascending order.
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

/// Ranks all turns of the positions.
fn ranking(db: &Database, positions: &[Position], budget: Duration) -> Result<Ranking> {
    for position in positions {
        db.turns(position)?;
    }
    let (mut ranked, mut turns) = (0u64, 0);
    let mut next = positions.iter().cycle();
    let positions_per_s = rate(budget, || {
        if let Some(position) = next.next() {
            turns += black_box(db.turns(black_box(position))?).len();
            ranked += 1;
        }
        Ok(1)
    })?;
    Ok(Ranking {
        positions_per_s,
        turns_per_s: positions_per_s * turns as f64 / ranked as f64,
    })
}

/// Loads those of the tables that are not too large, and returns the number of their values.
fn load(db: &Database, tables: Tables) -> Result<u64> {
    let mut values = 0;
    for material in materials(db).filter(|&material| tables.have(material)) {
        if Index::new(material).len() <= MOST_LOADED {
            values += black_box(retro::load(db, material)?).len() as u64;
        }
    }
    Ok(values)
}

/// Generates turns to a fixed depth.
fn perft(budget: Duration, rules: &Rules) -> Result<Perft> {
    let nodes = |(text, depth): (&str, u32)| -> Result<f64> {
        let position = input::position(text, rules)?;
        rate(budget, || Ok(black_box(&position).perft(rules, depth)))
    };
    let [placing, moving] = perft_positions(rules);
    Ok(Perft {
        placing_nodes_per_s: nodes(placing)?,
        moving_nodes_per_s: nodes(moving)?,
    })
}

/// Reads a pair into memory and asks for random positions.
fn preloaded(db: &Database, seed: u64, budget: Duration) -> Result<Option<Preloaded>> {
    let pairs = pairs(db).into_iter();
    let small = pairs.filter(|pair| pair.entries() <= MOST_PRELOADED);
    let Some(pair) = small.max_by_key(|pair| pair.entries()) else {
        return Ok(None);
    };
    let start = Instant::now();
    let preload = db.preload_whole(&[pair])?;
    let seconds = start.elapsed().as_secs_f64();
    let mut random = Random(seed);
    let tables: Vec<Index> = pair.tables().into_iter().map(Index::new).collect();
    let positions: Vec<(PointSet, PointSet)> = (0..PRELOADED)
        .map(|place| {
            let index = &tables[place % tables.len()];
            index.sets(random.below(index.len()))
        })
        .collect();
    let probes_per_s = rate(budget, || {
        for &(mover, waiting) in &positions {
            black_box(preload.of_sets(mover, waiting));
        }
        Ok(PRELOADED as u64)
    })?;
    let (eights, _) = positions.as_chunks::<8>();
    let probes_in_eights_per_s = rate(budget, || {
        for eight in eights {
            black_box(preload.of_many(eight));
        }
        Ok(PRELOADED as u64)
    })?;
    Ok(Some(Preloaded {
        pair: pair.to_string(),
        bytes: preload.bytes(),
        seconds,
        probes_per_s,
        probes_in_eights_per_s,
    }))
}

/// Searches without databases, from an empty table.
fn searched(budget: Duration, rules: &Rules) -> Result<Searched> {
    let nodes = |(text, _): (&str, u32)| {
        let position = input::position(text, rules)?;
        let limits = Limits {
            nodes: Some(SEARCHED),
            ..Limits::default()
        };
        let stop = AtomicBool::new(false);
        rate(budget, || {
            let search = Search::new(*rules, SEARCH_BYTES, 1);
            let found = search.run(&position, &[], &NoJudge, &limits, &stop, &mut |_| {});
            Ok(found.lines.first().map_or(0, |line| line.nodes))
        })
    };
    let [placing, moving] = perft_positions(rules);
    Ok(Searched {
        placing_nodes_per_s: nodes(placing)?,
        moving_nodes_per_s: nodes(moving)?,
    })
}

/// Solves all pairs with at most so many stones.
fn build(max_stones: u8, rules: &Rules) -> Result<Build> {
    let mut pairs = Pair::all(rules.stones);
    pairs.retain(|pair| pair.stones() <= max_stones);
    let mut solved: HashMap<Material, Solved> = HashMap::new();
    let (mut entries, mut total, mut sum) = (0, Duration::ZERO, Times::default());
    for pair in pairs {
        // Captures take one stone, so that only the pairs with one stone less are still needed.
        solved.retain(|material, _| material.mover + material.waiting >= pair.stones() - 1);
        let load = |material: Material| {
            let values = solved.get(&material).map(|table| table.values.to_vec());
            values.ok_or_else(|| DbError::NotStored(format!("{pair} is solved too early")))
        };
        let start = Instant::now();
        let tables = retro::solve(rules, pair, load, &())?;
        total += start.elapsed();
        entries += pair.entries();
        for table in tables {
            sum.initialise += table.times.initialise;
            sum.scatter += table.times.scatter;
            sum.propagate += table.times.propagate;
            solved.insert(table.material, table);
        }
    }
    let cores = progress::cores();
    let each = |time: Duration| time.as_secs_f64() * 1e9 * cores as f64 / entries as f64;
    Ok(Build {
        max_stones,
        entries,
        cores,
        seconds: total.as_secs_f64(),
        initialise_ns_per_entry_and_core: each(sum.initialise),
        scatter_ns_per_entry_and_core: each(sum.scatter),
        propagate_ns_per_entry_and_core: each(sum.propagate),
        total_ns_per_entry_and_core: each(total),
    })
}

/// Repeats the work for so long, at least once, and returns how much of it is done each second: the
/// sum of what it returns over the time.
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

/// A generator of random numbers (SplitMix64): the same from the same seed everywhere.
struct Random(u64);

impl Random {
    /// A number below the bound.
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        let mixed = mixed ^ mixed >> 31;
        ((u128::from(mixed) * bound as u128) >> 64) as usize
    }
}

impl Answer {
    /// Writes the figures for people.
    fn write(&self, out: &mut impl Write, palette: Palette) -> io::Result<()> {
        for (title, built_in) in [("built-in databases", true), ("databases", false)] {
            let these = self.databases.iter().filter(|db| db.built_in == built_in);
            let pairs: Vec<&str> = these.map(|db| db.pair.as_str()).collect();
            if !pairs.is_empty() {
                writeln!(out, "{title}: {}", pairs.join(" "))?;
            }
        }
        writeln!(out, "threads: {}\n", self.threads)?;
        self.by_tables().write(out, palette)?;
        writeln!(out)?;
        self.others().write(out, palette)
    }

    fn by_tables(&self) -> Table {
        let mut table = Table::new(&[
            "side to move",
            "cold probe, 50 %",
            "90 %",
            "99 %",
            "warm, one thread",
            "all threads",
            "loading",
        ]);
        for figures in &self.tables {
            let micros = |value| Cell::right(format!("{} µs", figure(value)));
            table.row(vec![
                Cell::text(figures.tables.name()),
                micros(figures.cold_probe_p50_us),
                micros(figures.cold_probe_p90_us),
                micros(figures.cold_probe_p99_us),
                Cell::right(format!("{}/s", figure(figures.warm_probes_per_s))),
                Cell::right(format!(
                    "{}/s",
                    figure(figures.warm_probes_per_s_all_threads)
                )),
                Cell::right(format!(
                    "{} MB/s",
                    figure(figures.loading_mb_per_s_all_threads)
                )),
            ]);
        }
        table
    }

    fn others(&self) -> Table {
        let mut table = Table::new(&["measurement", "value", "unit"]);
        let mut add = |measurement: &str, value: f64, unit: &str| {
            let value = Cell::right(figure(value));
            table.row(vec![Cell::text(measurement), value, Cell::text(unit)]);
        };
        let ranking = &self.ranking;
        add(
            "ranking, one thread",
            ranking.positions_per_s,
            "positions/s",
        );
        add("ranking, one thread", ranking.turns_per_s, "turns/s");
        if let Some(preload) = &self.preload {
            let name = |what: &str| format!("{} in memory, {what}", preload.pair);
            add(&name("loading"), preload.seconds, "s");
            add(&name("random"), preload.probes_per_s, "probes/s");
            let eights = preload.probes_in_eights_per_s;
            add(&name("random, eight at once"), eights, "probes/s");
        }
        let perft = &self.perft;
        add(
            "perft while placing, one thread",
            perft.placing_nodes_per_s,
            "nodes/s",
        );
        add(
            "perft while moving, one thread",
            perft.moving_nodes_per_s,
            "nodes/s",
        );
        let search = &self.search;
        add(
            "search while placing, one thread",
            search.placing_nodes_per_s,
            "nodes/s",
        );
        add(
            "search while moving, one thread",
            search.moving_nodes_per_s,
            "nodes/s",
        );
        let build = &self.build;
        for (part, value) in [
            ("initialise", build.initialise_ns_per_entry_and_core),
            ("scatter", build.scatter_ns_per_entry_and_core),
            ("propagate", build.propagate_ns_per_entry_and_core),
            ("all", build.total_ns_per_entry_and_core),
        ] {
            let part = format!("build to {} stones, {part}", build.max_stones);
            add(&part, value, "ns/entry/core");
        }
        let all = format!("build to {} stones, all", build.max_stones);
        add(&all, build.seconds, "s");
        table
    }
}

/// A number with three digits or more.
fn figure(value: f64) -> String {
    match value {
        ..10.0 => format!("{value:.2}"),
        10.0..100.0 => format!("{value:.1}"),
        _ => grouped(value.round() as u64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_those_of_the_nearest_rank() {
        let times: Vec<Duration> = (1..=200).map(Duration::from_micros).collect();
        let found = [1, 50, 90, 99, 100].map(|percent| percentile_us(&times, percent).round());
        assert_eq!(found, [2.0, 100.0, 180.0, 198.0, 200.0]);
        assert_eq!(percentile_us(&times[..1], 1).round(), 1.0);
    }

    #[test]
    fn seconds_are_positive_numbers() {
        assert_eq!(seconds("0.05"), Ok(Duration::from_millis(50)));
        assert_eq!(seconds("2"), Ok(Duration::from_secs(2)));
        for wrong in ["", "0", "-1", "1e9", "inf", "nan", "1s"] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn figures_have_three_digits_or_more() {
        let texts = [0.5, 9.876, 45.67, 123.4, 19_595_688.2].map(figure);
        assert_eq!(texts, ["0.50", "9.88", "45.7", "123", "19,595,688"]);
    }

    #[test]
    fn positions_depend_on_the_seed_alone() {
        let db = Database::embedded(Rules::STANDARD);
        let drawn = |seed| positions(&db, seed).unwrap();
        assert_eq!(drawn(7), drawn(7));
        assert_ne!(drawn(7), drawn(8));
        assert_eq!(drawn(7).len(), SAMPLE);
    }
}
