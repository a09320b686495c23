//! `millbase bench`: how fast this machine answers from the databases and solves pairs.

mod answer;
mod measure;

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use anyhow::Result;
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use millbase::Position;
use millbase::probe::Database;

use crate::databases;
use crate::options::Options;
use crate::output;
use crate::status::Status;

use answer::{BenchAnswer, JsonDatabase, Tables, TablesFigures};
use measure::{
    RANKED, WARM, WARM_CACHE_BYTES, build, cold_probes, load, pairs, percentile_us, perft,
    positions, preloaded, ranking, rate, searched, warm_probes,
};

/// Measure how fast this machine answers from the databases and builds them
///
/// Probes look up random positions, each equally likely, in the databases that are present together
/// with those that they need. A cold probe decodes the blocks that it needs from files in memory; a
/// warm probe finds them decoded. Loading decodes whole tables, those with at most 33 million
/// values. The build solves the small pairs in memory and writes no file. With --json the unit of a
/// figure is in its name: us for microseconds, ns for nanoseconds, mb for millions of bytes (one
/// byte for each value), per_s for each second, on one thread unless the name says all threads.
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
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Solve the pairs with at most N stones on the board, 6 to 24; each additional stone takes
    /// about three times as long
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u8).range(6..=24))]
    max_stones: u8,
}

/// Parses seconds like `0.5`.
fn seconds(text: &str) -> Result<Duration, String> {
    let number: Option<f64> = text.parse().ok();
    let valid = number.filter(|number| (0.001..=3600.0).contains(number));
    let valid = valid.map(Duration::from_secs_f64);
    valid.ok_or_else(|| "seconds are a number from 0.001 to 3600".to_owned())
}

impl Bench {
    /// Measures everything and prints the figures.
    pub fn run(&self, options: &Options) -> Result<Status> {
        let db = databases::open(options)?;
        let steps = Steps::new(options);
        let measured = self.measure(db, &steps);
        steps.bar.finish_and_clear();
        let answer = measured?;
        output::answer(options, &answer, |out| answer.write(out))?;
        Ok(Status::Done)
    }

    fn measure(&self, db: Database, steps: &Steps<'_>) -> Result<BenchAnswer> {
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
        let bitbase = steps.take("preload", || preloaded(&db, self.seed, budget))?;
        let perft = steps.take("perft", || perft(budget, rules))?;
        let search = steps.take("search", || searched(budget, rules))?;
        drop(db);
        Ok(BenchAnswer {
            threads: rayon::current_num_threads(),
            seconds_per_measurement: budget.as_secs_f64(),
            seed: self.seed,
            databases,
            tables,
            ranking,
            bitbase,
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
    /// Cold probes; warm probes and loading for each of [`Tables::EACH`]; ranking, bitbase, perft,
    /// search, build.
    const COUNT: u64 = 6 + 2 * Tables::EACH.len() as u64;

    fn new(options: &'a Options) -> Steps<'a> {
        if options.quiet || !io::stderr().is_terminal() {
            let bar = ProgressBar::hidden();
            return Steps { options, bar };
        }
        // Drawn only between the measurements, so that it takes no time from them.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_positive_numbers() {
        assert_eq!(seconds("0.05"), Ok(Duration::from_millis(50)));
        assert_eq!(seconds("2"), Ok(Duration::from_secs(2)));
        for wrong in ["", "0", "-1", "1e9", "inf", "nan", "1s"] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
    }
}
