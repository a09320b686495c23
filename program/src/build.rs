//! `millbase build`: solves the pairs that are missing and writes their files.

use std::fs;
use std::io::{self, Write};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use indicatif::{HumanBytes, HumanCount, ProgressBar, ProgressState};
use millbase::lock::held;
use millbase::probe::Database;
use millbase::solve::pair::{self, BuildFolder, Observer, PairPlan, PairProgress, PairReport};
use millbase::solve::ply::{self, PlyPlan, PlyReport};
use millbase::store::{Compression, DbError, PairFile, Profile};
use millbase::value::Metric;
use millbase::{Material, Pair, Rules};
use serde::Serialize;

use crate::databases;
use crate::input::{self, Plies};
use crate::options::Options;
use crate::output::{self, Cell, TextTable};
use crate::placing;
use crate::progress::{self, Forecast};
use crate::report::{self, PairCounts, PlyCounts};
use crate::status::{Status, Usage};

/// The time of one entry on one core, from start to written file, in ns, for forecasts: measured
/// for all pairs of the standard rules on two cores.
const NS_PER_ENTRY_AND_CORE: f64 = 92.0;

/// The range of `--max-stones`.
pub const MOST_STONES: RangeInclusive<i64> = 6..=24;

/// Build the databases: solve the pairs that have no file yet
///
/// Each pair is solved after the pairs that its captures lead to. Finished files stay: after a
/// build was stopped, by Ctrl-C or otherwise, the same command goes on with the pair that it was
/// solving. At the end it prints a table of the pairs, with the times of those built in this run.
#[derive(Args)]
#[command(after_help = "\
Examples:
  millbase build --max-stones 12
  millbase build --pair 6-4 --db ./db
  millbase build --dry-run --memory 4G")]
pub struct Build {
    /// Only the pairs with at most N stones on the board, 6 to 24
    #[arg(long, value_name = "N", conflicts_with = "pair", value_parser = clap::value_parser!(u8).range(MOST_STONES))]
    max_stones: Option<u8>,

    /// Only this pair, like 6-4, and those that it needs
    #[arg(long)]
    pair: Option<Pair>,

    /// Do not begin if a pair needs more memory than this, like 4G or 800M
    #[arg(long, value_name = "SIZE", value_parser = input::size)]
    memory: Option<u64>,

    /// Solve the placing phase too, for perfect play from the first stone on: its last placement together
    /// with each pair, the others after the pairs
    #[arg(long, conflicts_with_all = ["max_stones", "pair"])]
    placing: bool,

    /// Plies of the placing phase to keep in files besides the usual ones: numbers of placed stones like
    /// 9,12, or 'all', which makes probes while placing look-ups without a search
    #[arg(long, value_name = "LIST", requires = "placing", value_parser = input::plies, default_value = "usual", hide_default_value = true)]
    plies: Plies,

    /// Only print the plan: the files to build, their sizes, and the memory needed
    #[arg(long)]
    dry_run: bool,

    #[command(flatten)]
    kind: Kind,
}

/// How files are written.
#[derive(Args)]
pub struct Kind {
    /// Contents of the files
    #[arg(long, value_name = "PROFILE", default_value = "full")]
    profile: Holds,

    /// How well the files are compressed
    #[arg(long, value_name = "LEVEL", default_value = "quick")]
    level: Smallness,
}

#[derive(Clone, Copy, ValueEnum)]
enum Holds {
    /// Win, draw or loss, and the depth
    Full,
    /// Win, draw or loss only: all pairs in a fifth of the bytes
    Wdl,
}

#[derive(Clone, Copy, ValueEnum)]
enum Smallness {
    /// For databases that stay where they are built
    Quick,
    /// For databases to be published: less than half as large, but a probe takes milliseconds.
    /// `repack` turns them back into quick ones
    Max,
}

impl Kind {
    /// The library's profile for these options.
    pub fn profile(&self) -> Profile {
        Profile {
            metric: match self.profile {
                Holds::Full => Metric::Depth,
                Holds::Wdl => Metric::Wdl,
            },
            compression: match self.level {
                Smallness::Quick => Compression::Quick,
                Smallness::Max => Compression::Max,
            },
        }
    }
}

impl Build {
    /// Builds the missing files, or prints the plan.
    pub fn run(&self, options: &Options) -> Result<Status> {
        let rules = &options.rules;
        let folder = databases::folder_to_build(options)?;
        if self.placing && self.kind.profile().metric == Metric::Wdl {
            let message = "--placing needs databases with depths; leave out '--profile wdl'";
            return Err(Usage(message.to_owned()).into());
        }
        input::check_pairs(&self.pair, rules)?;
        if self.placing {
            placing::check_rules(rules)?;
        }
        let plan = self.plan(&folder, rules)?;
        if self.dry_run {
            self.check_memory(&plan, &folder, rules).or_else(|error| {
                output::note(options, format_args!("note: {error}"));
                Ok::<(), Usage>(())
            })?;
            let placing = self.placing_plan(&folder, rules)?;
            print_plan(&plan, placing.as_ref(), &folder, options)?;
            return Ok(Status::Done);
        }
        self.check_memory(&plan, &folder, rules)?;
        let unfinished = !plan.pairs.is_empty() || self.placing;
        let built = match unfinished {
            true => self.build(&folder, options)?,
            false => Built::default(),
        };
        let all = PairPlan::new(&self.wanted(rules), |_| false);
        let answer = JsonBuilt::new(&folder, &all.pairs, self.placing, &built, *rules)?;
        output::answer(options, &answer, |out| answer.write(out))?;
        Ok(Status::Done)
    }

    /// Builds the missing files.
    fn build(&self, folder: &Path, options: &Options) -> Result<Built> {
        fs::create_dir_all(folder).with_context(|| {
            format!(
                "cannot create the folder '{}' for the databases",
                folder.display()
            )
        })?;
        let locked = Arc::new(BuildFolder::lock(folder)?);
        // Another build may have finished files until the folder was locked just now.
        let rules = &options.rules;
        let plan = self.plan(folder, rules)?;
        let monitor = Monitor::new(&plan, options);
        stop_on_signals(&locked, &monitor.bar)?;
        let profile = self.kind.profile();
        let pairs = match self.placing_plan(folder, rules)? {
            Some(plies) => ply::build_pairs(&locked, rules, &plan, &plies, profile, &monitor),
            None => pair::build(&locked, rules, &plan, profile, &monitor),
        };
        monitor.bar.finish_and_clear();
        Ok(Built {
            pairs: pairs?,
            plies: match self.placing {
                true => placing::build(&locked, &self.plies, options)?,
                false => Vec::new(),
            },
        })
    }

    /// The plan of the plies that the folder lacks, if the placing phase is wanted.
    fn placing_plan(&self, folder: &Path, rules: &Rules) -> Result<Option<PlyPlan>, Usage> {
        let plan = || placing::plan(folder, rules, &self.plies);
        self.placing.then(plan).transpose()
    }

    /// The plan of the pairs that the folder lacks.
    fn plan(&self, folder: &Path, rules: &Rules) -> Result<PairPlan> {
        let wanted = self.wanted(rules);
        let plan = match folder.exists() {
            true => {
                let db = databases::open_folder(folder, *rules)?;
                check_metric(&db, folder, self.kind.profile().metric, "--db")?;
                plan(&db, &wanted)?
            }
            false => PairPlan::new(&wanted, |_| false),
        };
        Ok(PairPlan {
            placing: self.placing,
            ..plan
        })
    }

    fn wanted(&self, rules: &Rules) -> Vec<Pair> {
        match self.pair {
            Some(pair) => vec![pair],
            None => pairs_up_to(self.max_stones.unwrap_or(u8::MAX), rules),
        }
    }

    fn check_memory(&self, plan: &PairPlan, folder: &Path, rules: &Rules) -> Result<(), Usage> {
        let Some(limit) = self.memory else {
            return Ok(());
        };
        if let Some(plies) = self.placing_plan(folder, rules)? {
            placing::check_memory(&plies, rules, limit)?;
        }
        let beyond = |number: &usize| plan.memory_of(rules, *number) > limit;
        match (0..plan.pairs.len()).find(beyond) {
            None => Ok(()),
            Some(number) => {
                let pair = plan.pairs[number];
                let fewer = match pair.stones() - 1 {
                    stones if MOST_STONES.contains(&stones.into()) => {
                        format!(", or build fewer pairs with --max-stones {stones}")
                    }
                    _ => String::new(),
                };
                Err(Usage(format!(
                    "{pair} needs {} of memory, more than the {} of --memory; raise it{fewer}",
                    HumanBytes(plan.memory_of(rules, number)),
                    HumanBytes(limit),
                )))
            }
        }
    }
}

/// The pairs with at most this many stones on the board.
pub fn pairs_up_to(most_stones: u8, rules: &Rules) -> Vec<Pair> {
    let mut pairs = Pair::all(rules.stones);
    pairs.retain(|pair| pair.stones() <= most_stones);
    pairs
}

/// The pairs that have a file in the folder, each with the level at which the file was written. The
/// files must have the same contents as the new ones. `option` is the command-line option that names
/// the folder, for messages.
pub fn present(
    folder: &Path,
    rules: Rules,
    metric: Metric,
    option: &str,
) -> Result<Vec<(Pair, Compression)>> {
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let db = databases::open_folder(folder, rules)?;
    check_metric(&db, folder, metric, option)?;
    let files = built(&db);
    Ok(files
        .map(|file| (file.pair(), file.compression()))
        .collect())
}

/// The usable files of a folder. Built-in files do not count: a built folder is complete.
fn built(db: &Database) -> impl Iterator<Item = &PairFile> {
    db.pairs().filter(|file| file.path().is_some())
}

/// A usable file of a folder that has other contents than new files would have.
pub fn with_other_metric(db: &Database, metric: Metric) -> Option<&PairFile> {
    built(db).find(|file| file.metric() != metric)
}

/// Returns an error if a file of the folder has other contents than the new ones.
fn check_metric(db: &Database, folder: &Path, metric: Metric, option: &str) -> Result<(), Usage> {
    let Some(other) = with_other_metric(db, metric) else {
        return Ok(());
    };
    let (pair, folder) = (other.pair(), folder.display());
    let text = match other.metric() {
        Metric::Depth => format!("{pair} in {folder} has depths"),
        Metric::Wdl => format!("{pair} in {folder} has no depths"),
    };
    let text = format!("{text}; choose another folder with {option}, or another --profile");
    Err(Usage(text))
}

/// The plan of the wanted pairs that the databases of a folder lack. A file that cannot be used is an
/// error: no build replaces it unasked.
pub fn plan(db: &Database, wanted: &[Pair]) -> Result<PairPlan, DbError> {
    let present: Vec<Pair> = built(db).map(PairFile::pair).collect();
    let plan = PairPlan::new(wanted, |pair| present.contains(&pair));
    for &pair in &plan.pairs {
        match db.file(pair) {
            Ok(_) | Err(DbError::Missing { .. }) => {}
            Err(unusable) => return Err(unusable),
        }
    }
    Ok(plan)
}

/// Ends the program immediately when the user or the system asks for it. A later build goes on with
/// the files on the disk, so there is nothing to wait for.
pub fn stop_on_signals(folder: &Arc<BuildFolder>, bar: &ProgressBar) -> Result<()> {
    let (folder, bar) = (Arc::clone(folder), bar.clone());
    let stop = move || {
        bar.finish_and_clear();
        // The lock holds back messages of other threads about the file that is removed now.
        let mut stderr = io::stderr().lock();
        let _ = folder.tidy();
        let _ = writeln!(
            stderr,
            "stopped; the finished pairs are safe, and the same command continues with the next"
        );
        process::exit(Status::Stopped as i32);
    };
    ctrlc::set_handler(stop).context("cannot watch for Ctrl-C")
}

/// Shows the progress of a build on stderr.
struct Monitor<'a> {
    options: &'a Options,
    bar: ProgressBar,
    forecast: Arc<Mutex<Forecast>>,
}

impl<'a> Monitor<'a> {
    fn new(plan: &PairPlan, options: &'a Options) -> Monitor<'a> {
        let forecast = Forecast::new(plan.entries(), Instant::now());
        let forecast = Arc::new(Mutex::new(forecast));
        let shown = Arc::clone(&forecast);
        let text = move |_: &ProgressState| held(&shown).text(Instant::now());
        Monitor {
            options,
            bar: progress::bar(options, plan.entries(), text),
            forecast,
        }
    }

    fn finish(&self, report: &PairReport) {
        let pair = report.pair;
        let step = |step: fn(&millbase::solve::pair::Times) -> Duration| {
            let total: Duration = report.tables.iter().map(|table| step(&table.times)).sum();
            total.as_secs_f64()
        };
        let placing = match report.placing.as_secs_f64() {
            seconds if seconds < 0.005 => String::new(),
            seconds => format!(", last placement {seconds:.2}"),
        };
        output::step(
            self.options,
            format_args!(
                "{pair} built in {:.2} s: load {:.2}, initialise {:.2}, scatter {:.2}, propagate \
                 {:.2}, write {:.2}{placing}; {}",
                report.total.as_secs_f64(),
                step(|times| times.load),
                step(|times| times.initialise),
                step(|times| times.scatter),
                step(|times| times.propagate),
                report.write.as_secs_f64(),
                HumanBytes(report.bytes),
            ),
        );
    }
}

impl Observer for Monitor<'_> {
    fn progress(&self, progress: PairProgress) {
        let now = Instant::now();
        held(&self.forecast).follow(&progress, now);
        match progress {
            PairProgress::Started { pair, .. } => {
                self.bar.set_prefix(pair.to_string());
                self.bar.set_message("captures");
            }
            PairProgress::Initialised(_) => {}
            PairProgress::Swept { depth, .. } => self.bar.set_message(format!("depth {depth}")),
            PairProgress::Writing => self.bar.set_message("writing"),
            PairProgress::Finished(report) => self.finish(&report),
        }
        let done = held(&self.forecast).done(now);
        self.bar.set_position(done);
    }
}

#[derive(Serialize)]
struct JsonPlan {
    folder: PathBuf,
    entries: u64,
    /// A forecast, like that of each pair.
    file_bytes: u64,
    memory_bytes: u64,
    /// A forecast, with the threads in use.
    seconds: f64,
    pairs: Vec<JsonPlanned>,
    #[serde(skip_serializing_if = "Option::is_none")]
    placing: Option<Vec<placing::JsonPlanned>>,
}

#[derive(Serialize)]
struct JsonPlanned {
    pair: String,
    entries: u64,
    file_bytes: u64,
    memory_bytes: u64,
}

fn print_plan(
    plan: &PairPlan,
    placing: Option<&PlyPlan>,
    folder: &Path,
    options: &Options,
) -> Result<()> {
    let rules = &options.rules;
    let planned = |(number, pair): (usize, &Pair)| JsonPlanned {
        pair: pair.to_string(),
        entries: pair.entries(),
        file_bytes: millbase::solve::pair::plan::file_bytes(rules, *pair),
        memory_bytes: plan.memory_of(rules, number),
    };
    let placing = placing.map(|placing| (placing, placing.sizes(rules)));
    let answer = JsonPlan {
        folder: folder.to_owned(),
        entries: plan.entries(),
        file_bytes: plan.file_bytes(rules),
        memory_bytes: plan.memory(rules),
        seconds: seconds(plan.entries()),
        pairs: plan.pairs.iter().enumerate().map(planned).collect(),
        placing: (placing.as_ref()).map(|(placing, sizes)| placing::json_plan(placing, sizes)),
    };
    let write = |out: &mut output::Stdout| {
        answer.write(out)?;
        match &placing {
            Some((placing, sizes)) => placing::write_plan(out, placing, sizes),
            None => Ok(()),
        }
    };
    Ok(output::answer(options, &answer, write)?)
}

impl JsonPlan {
    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let folder = self.folder.display();
        if self.pairs.is_empty() {
            return writeln!(out, "nothing to build: all files are in {folder}");
        }
        let mut table = TextTable::new(&["pair", "entries", "file, about", "memory"]);
        for planned in &self.pairs {
            table.row(vec![
                Cell::text(&planned.pair),
                Cell::count(planned.entries),
                Cell::right(HumanBytes(planned.file_bytes)),
                Cell::right(HumanBytes(planned.memory_bytes)),
            ]);
        }
        table.write(out)?;
        writeln!(
            out,
            "\n{} with {} entries for {folder}: about {} of files, at most {} of memory, \
             about {} on {} cores",
            output::counted(self.pairs.len() as u64, "pair"),
            HumanCount(self.entries),
            HumanBytes(self.file_bytes),
            HumanBytes(self.memory_bytes),
            progress::duration(self.seconds),
            progress::cores(),
        )
    }
}

/// A forecast of the time to build a number of entries, in seconds.
pub fn seconds(entries: u64) -> f64 {
    progress::seconds_for(entries, NS_PER_ENTRY_AND_CORE)
}

/// The reports on the files that were built in this run.
#[derive(Default)]
struct Built {
    pairs: Vec<PairReport>,
    plies: Vec<PlyReport>,
}

#[derive(Serialize)]
struct JsonBuilt {
    folder: PathBuf,
    pairs: Vec<JsonPair>,
    #[serde(skip_serializing_if = "Option::is_none")]
    placing: Option<Vec<PlyCounts>>,
}

#[derive(Serialize)]
struct JsonPair {
    pair: String,
    bytes: u64,
    /// From the first read to the finished file; `None` for files of earlier runs.
    seconds: Option<f64>,
    tables: Vec<JsonTable>,
}

#[derive(Serialize)]
struct JsonTable {
    #[serde(flatten)]
    counts: PairCounts,
    /// The time to solve the table of this side to move.
    seconds: Option<f64>,
}

impl JsonBuilt {
    /// The files of the requested pairs and, with `placing`, of the placing phase, with the times
    /// of those built in this run.
    fn new(
        folder: &Path,
        wanted: &[Pair],
        placing: bool,
        built: &Built,
        rules: Rules,
    ) -> Result<JsonBuilt> {
        let db = databases::open_folder(folder, rules)?;
        let files = wanted.iter().filter_map(|&pair| db.file(pair).ok());
        let files = files.filter(|file| file.path().is_some());
        let pairs = files.map(|file| JsonPair::new(&db, file, &built.pairs));
        let mut plies = report::plies(&db);
        plies
            .iter_mut()
            .for_each(|ply| ply.note_built(&built.plies));
        Ok(JsonBuilt {
            folder: folder.to_owned(),
            pairs: pairs.collect::<Result<_>>()?,
            placing: placing.then_some(plies),
        })
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let mut table = PairCounts::table(&["bytes", "seconds", "with file"]);
        let rows = self.pairs.iter().flat_map(JsonPair::rows);
        rows.for_each(|row| table.row(row));
        table.write(out)?;
        let files = self.pairs.iter().map(|pair| pair.bytes).sum();
        let seconds: f64 = self.pairs.iter().filter_map(|pair| pair.seconds).sum();
        writeln!(
            out,
            "\n{}, {} of files, built in {}",
            output::counted(self.pairs.len() as u64, "pair"),
            HumanBytes(files),
            progress::duration(seconds),
        )?;
        report::write_plies(out, self.placing.as_deref().unwrap_or_default())
    }
}

impl JsonPair {
    fn new(db: &Database, file: &PairFile, reports: &[PairReport]) -> Result<JsonPair> {
        let pair = file.pair();
        let report = reports.iter().find(|report| report.pair == pair);
        let table = |(number, material): (usize, Material)| {
            let times = report.map(|report| report.tables[number].times);
            Ok(JsonTable {
                counts: PairCounts::new(file, material, db.histogram(material)?),
                seconds: times.map(|times| times.total().as_secs_f64()),
            })
        };
        let tables = pair.tables().into_iter().enumerate().map(table);
        Ok(JsonPair {
            pair: pair.to_string(),
            bytes: file.bytes(),
            seconds: report.map(|report| report.total.as_secs_f64()),
            tables: tables.collect::<Result<_>>()?,
        })
    }

    /// A row for each table. A pair has one file, so its size and time stand in the first one.
    fn rows(&self) -> impl Iterator<Item = Vec<Cell>> {
        let seconds = |seconds: Option<f64>| seconds.map(|seconds| format!("{seconds:.2}"));
        self.tables.iter().enumerate().map(move |(number, table)| {
            let is_first = number == 0;
            let mut cells = table.counts.cells();
            cells.push(Cell::optional(is_first.then_some(HumanCount(self.bytes))));
            cells.push(Cell::optional(seconds(table.seconds)));
            cells.push(Cell::optional(seconds(self.seconds.filter(|_| is_first))));
            cells
        })
    }
}
