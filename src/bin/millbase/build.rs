//! `millbase build`: solves the pairs that are missing and writes their files.

use std::collections::HashMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Args;
use indicatif::ProgressBar;
use millbase::Pair;
use millbase::db::Database;
use millbase::retro::{self, PairReport, Plan, Progress, Watch};
use serde::Serialize;

use crate::cli::Options;
use crate::databases::{self, RULES};
use crate::input;
use crate::output::{self, Cell, Palette, Table, grouped};
use crate::stats::{self, TableCounts};
use crate::status::{Status, Usage};

/// Bytes of a file per entry of its tables, for forecasts.
const BYTES_PER_ENTRY: f64 = 0.35;

/// Build the databases: solve the pairs that have no file yet
///
/// Every pair is solved once those that its captures lead to are there. Finished files stay: a
/// build that was stopped goes on with the pair that it was solving. At the end there is a table of
/// the pairs, with the time of those that were built now.
#[derive(Args)]
#[command(after_help = "\
Examples:
  millbase build --max-stones 12
  millbase build --pair 6-4 --db ./db
  millbase build --dry-run --memory 4G")]
pub struct Build {
    /// Only the pairs with at most N stones on the board, 6 to 24
    #[arg(long, value_name = "N", conflicts_with = "pair", value_parser = clap::value_parser!(u8).range(6..=24))]
    max_stones: Option<u8>,

    /// Only this pair, like 6-4, and those that it needs
    #[arg(long, value_parser = input::pair)]
    pair: Option<Pair>,

    /// Do not begin if a pair takes more memory than this, like 4G or 800M
    #[arg(long, value_name = "SIZE", value_parser = input::size)]
    memory: Option<u64>,

    /// Only print what would be built, the sizes and the memory
    #[arg(long)]
    dry_run: bool,
}

impl Build {
    /// Builds what is missing, or prints the plan.
    pub fn run(&self, options: &Options) -> Result<Status> {
        let folder = databases::folder(options).ok_or_else(|| {
            Usage("no folder for databases is known here; name one with --db".to_owned())
        })?;
        let all = Plan::new(&self.wanted(), |_| false);
        let present = present(&folder)?;
        let plan = Plan::new(&self.wanted(), |pair| present.contains(&pair));
        if self.dry_run {
            self.check_memory(&plan).or_else(|error| {
                output::note(options, format_args!("note: {error}"));
                Ok::<(), Usage>(())
            })?;
            print_plan(&plan, &folder, options)?;
            return Ok(Status::Done);
        }
        self.check_memory(&plan)?;
        fs::create_dir_all(&folder).with_context(|| {
            format!(
                "cannot create the folder '{}' for the databases",
                folder.display()
            )
        })?;
        let monitor = Monitor::new(&plan, options)?;
        let result = retro::build(&folder, &RULES, &plan, &monitor);
        monitor.bar.finish_and_clear();
        result?;
        print_built(&all, &folder, &monitor.seconds(), options)?;
        Ok(Status::Done)
    }

    fn wanted(&self) -> Vec<Pair> {
        if let Some(pair) = self.pair {
            return vec![pair];
        }
        let most = self.max_stones.unwrap_or(u8::MAX);
        let mut pairs = Pair::all(RULES.stones);
        pairs.retain(|pair| pair.stones() <= most);
        pairs
    }

    fn check_memory(&self, plan: &Plan) -> Result<(), Usage> {
        let Some(limit) = self.memory else {
            return Ok(());
        };
        let beyond = |pair: &&Pair| retro::plan::memory(**pair) > limit;
        match plan.pairs.iter().find(beyond) {
            None => Ok(()),
            Some(&pair) => Err(Usage(format!(
                "{pair} takes {} of memory, more than the {} of --memory; raise it, or build fewer \
                 pairs with --max-stones {}",
                output::bytes(retro::plan::memory(pair)),
                output::bytes(limit),
                pair.stones() - 1,
            ))),
        }
    }
}

/// The pairs that have a file in the folder. The built-in ones do not count: a built folder is
/// complete.
fn present(folder: &Path) -> Result<Vec<Pair>> {
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let db = databases::open_folder(folder)?;
    let files = db.pairs().filter(|file| file.path().is_some());
    Ok(files.map(|file| file.pair()).collect())
}

/// Shows the progress of a build on stderr, and stops it when the user asks for it.
struct Monitor<'a> {
    options: &'a Options,
    bar: ProgressBar,
    stop: Arc<AtomicBool>,
    /// Entries of the pairs finished before.
    finished: AtomicU64,
    seconds: Mutex<HashMap<Pair, Duration>>,
}

impl<'a> Monitor<'a> {
    fn new(plan: &Plan, options: &'a Options) -> Result<Monitor<'a>> {
        let stop = Arc::new(AtomicBool::new(false));
        let asked = Arc::clone(&stop);
        ctrlc::set_handler(move || {
            if asked.swap(true, Ordering::Relaxed) {
                process::exit(Status::Stopped as i32);
            }
        })
        .context("cannot watch for Ctrl-C")?;
        Ok(Monitor {
            options,
            bar: output::progress_bar(options, plan.positions()),
            stop,
            finished: AtomicU64::new(0),
            seconds: Mutex::default(),
        })
    }

    fn finish(&self, report: &PairReport) {
        let pair = report.pair;
        let entries = retro::plan::positions(pair);
        let before = self.finished.fetch_add(entries, Ordering::Relaxed);
        self.bar.set_position(before + entries);
        let step = |step: fn(&retro::Times) -> Duration| {
            let total: Duration = report.tables.iter().map(|table| step(&table.times)).sum();
            total.as_secs_f64()
        };
        output::step(
            self.options,
            format_args!(
                "{pair} built in {:.2} s: load {:.2}, initialise {:.2}, scatter {:.2}, propagate \
                 {:.2}, write {:.2}; {}",
                report.total.as_secs_f64(),
                step(|times| times.load),
                step(|times| times.initialise),
                step(|times| times.scatter),
                step(|times| times.propagate),
                report.write.as_secs_f64(),
                output::bytes(report.bytes),
            ),
        );
        let mut seconds = self.seconds.lock().unwrap_or_else(PoisonError::into_inner);
        seconds.insert(pair, report.total);
    }

    /// How long each pair took.
    fn seconds(&self) -> HashMap<Pair, Duration> {
        let seconds = self.seconds.lock().unwrap_or_else(PoisonError::into_inner);
        seconds.clone()
    }
}

impl Watch for Monitor<'_> {
    fn progress(&self, progress: Progress) {
        match progress {
            Progress::Started { pair, .. } => {
                self.bar.set_prefix(pair.to_string());
                self.bar.set_message("captures");
            }
            Progress::Initialised(_) => {}
            Progress::Swept { depth, decided } => {
                let finished = self.finished.load(Ordering::Relaxed);
                self.bar.set_position(finished + decided);
                self.bar.set_message(format!("depth {depth}"));
            }
            Progress::Writing => self.bar.set_message("writing"),
            Progress::Finished(report) => self.finish(&report),
        }
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

#[derive(Serialize)]
struct JsonPlan {
    folder: PathBuf,
    entries: u64,
    memory_bytes: u64,
    pairs: Vec<JsonPlanned>,
}

#[derive(Serialize)]
struct JsonPlanned {
    pair: String,
    entries: u64,
    memory_bytes: u64,
}

fn print_plan(plan: &Plan, folder: &Path, options: &Options) -> Result<()> {
    let mut out = output::stdout();
    if options.json {
        let planned = |&pair: &Pair| JsonPlanned {
            pair: pair.to_string(),
            entries: retro::plan::positions(pair),
            memory_bytes: retro::plan::memory(pair),
        };
        let answer = JsonPlan {
            folder: folder.to_owned(),
            entries: plan.positions(),
            memory_bytes: plan.memory(),
            pairs: plan.pairs.iter().map(planned).collect(),
        };
        output::json(&mut out, &answer)?;
    } else if plan.pairs.is_empty() {
        writeln!(
            out,
            "nothing to build: all files are in {}",
            folder.display()
        )?;
    } else {
        let mut table = Table::new(&["pair", "entries", "file, about", "memory"]);
        for &pair in &plan.pairs {
            let entries = retro::plan::positions(pair);
            table.row(vec![
                Cell::text(pair),
                Cell::count(entries),
                Cell::right(output::bytes(file_bytes(entries))),
                Cell::right(output::bytes(retro::plan::memory(pair))),
            ]);
        }
        table.write(&mut out, Palette::of(options))?;
        let entries = plan.positions();
        writeln!(
            out,
            "\n{} pairs with {} entries for {}: about {} of files, at most {} of memory",
            plan.pairs.len(),
            grouped(entries),
            folder.display(),
            output::bytes(file_bytes(entries)),
            output::bytes(plan.memory()),
        )?;
    }
    out.flush()?;
    Ok(())
}

/// A forecast of a file's size.
fn file_bytes(entries: u64) -> u64 {
    (entries as f64 * BYTES_PER_ENTRY) as u64
}

#[derive(Serialize)]
struct JsonBuilt {
    folder: PathBuf,
    pairs: Vec<JsonPair>,
}

#[derive(Serialize)]
struct JsonPair {
    pair: String,
    bytes: u64,
    /// `None` for files that were there before.
    seconds: Option<f64>,
    tables: Vec<TableCounts>,
}

/// Prints the counts of all pairs that were asked for, with the time of those that were built now.
fn print_built(
    all: &Plan,
    folder: &Path,
    seconds: &HashMap<Pair, Duration>,
    options: &Options,
) -> Result<()> {
    let db: Database = databases::open_folder(folder)?;
    let mut out = output::stdout();
    let mut table = Table::new(&[&stats::HEADINGS[..], &["bytes", "seconds"]].concat());
    let mut pairs = Vec::new();
    for &pair in &all.pairs {
        let Some(file) = databases::file(&db, pair) else {
            continue;
        };
        let seconds = seconds.get(&pair).map(Duration::as_secs_f64);
        let mut tables = Vec::new();
        for (number, material) in pair.tables().into_iter().enumerate() {
            let histogram = db.histogram(material)?;
            tables.push(TableCounts::new(pair, material, histogram));
            let mut cells = stats::cells(pair, material, histogram);
            // Bytes and seconds are the pair's, so they stand beside its first table only.
            let own = number == 0;
            cells.push(Cell::right(if own {
                grouped(file.bytes())
            } else {
                String::new()
            }));
            let seconds = seconds.filter(|_| own);
            cells.push(Cell::right(
                seconds.map(|s| format!("{s:.2}")).unwrap_or_default(),
            ));
            table.row(cells);
        }
        pairs.push(JsonPair {
            pair: pair.to_string(),
            bytes: file.bytes(),
            seconds,
            tables,
        });
    }
    if options.json {
        let folder = folder.to_owned();
        output::json(&mut out, &JsonBuilt { folder, pairs })?;
    } else {
        table.write(&mut out, Palette::of(options))?;
    }
    out.flush()?;
    Ok(())
}
