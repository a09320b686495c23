//! `millbase build`: solves the pairs and plies that are missing and writes their files.

use std::fs;
use std::io::{self, Write};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::{Context, Error, Result};
use clap::{Args, ValueEnum};
use indicatif::{HumanBytes, HumanCount, ProgressBar, ProgressState};
use millbase::internals::locked;
use millbase::internals::service::stats::{PairCounts, PlyCounts, StatsAnswer};
use millbase::internals::stages::why_unsolved;
use millbase::solve::{
    BuildEvent, BuildFolder, BuildPlan, BuildProgress, BuildReport, BuildRequest, PairReport,
    PlyReport, SolveError, TableTimes, kept_plies, pairs_up_to,
};
use millbase::store::{Compression, PairFile, Profile};
use millbase::{Database, Metric, Pair, Rules};
use schemars::JsonSchema;
use serde::Serialize;

use crate::databases;
use crate::input::{self, Plies};
use crate::memory;
use crate::options::Options;
use crate::output::{self, Cell};
use crate::progress;
use crate::report;
use crate::signals;
use crate::status::{Failure, Status, refuse};

/// The range of `--max-stones`.
pub const MOST_STONES: RangeInclusive<u64> = 6..=24;

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
    /// Only the pairs with at most N stones, those in hand included, 6 to 24
    #[arg(long, value_name = "N", conflicts_with = "pair", value_parser = input::number::<u8>(MOST_STONES))]
    max_stones: Option<u8>,

    /// Only this pair, like 6-4, and those that it needs
    #[arg(long)]
    pair: Option<Pair>,

    /// Refuse to start if a pair needs more memory than this, like 4G or 800M; by default, the limit is
    /// what the system lets the program use
    #[arg(long, value_name = "SIZE", value_parser = input::size)]
    memory: Option<u64>,

    /// Solve the placing phase too, for perfect play from the first stone on: its last placement together
    /// with each pair, the others after the pairs
    #[arg(long, conflicts_with_all = ["max_stones", "pair"])]
    placing: bool,

    /// Plies of the placing phase to keep in files besides the usual ones: numbers of placed stones like
    /// 9,12, or 'all', which makes probes while placing look-ups without a search
    #[arg(long, value_name = "LIST", requires = "placing", value_parser = input::plies)]
    plies: Option<Plies>,

    /// Only print the plan: the files to build, their sizes, the memory needed, and the time, for which
    /// it solves a small pair to measure this machine
    #[arg(long)]
    dry_run: bool,

    #[command(flatten)]
    files: FileOptions,
}

/// How files are written.
#[derive(Args)]
pub struct FileOptions {
    /// Contents of the files
    #[arg(long, value_name = "PROFILE", default_value = "full")]
    profile: ProfileName,

    /// How well the files are compressed; without it quick
    #[arg(long, value_name = "LEVEL")]
    level: Option<FileLevel>,
}

#[derive(Clone, Copy, ValueEnum)]
enum ProfileName {
    /// Win, draw or loss, and the depth
    Full,
    /// Win, draw or loss only: a sixth of the bytes
    Wdl,
}

#[derive(Clone, Copy, ValueEnum)]
enum FileLevel {
    /// For databases that stay where they are built
    Quick,
    /// For databases to be published: less than half as large, but a probe takes milliseconds, and
    /// under lasker some positions with stones in hand have no answer. `repack` turns them back
    /// into quick ones
    Max,
}

impl FileOptions {
    /// The library's profile for these options.
    pub fn profile(&self) -> Profile {
        Profile {
            metric: match self.profile {
                ProfileName::Full => Metric::Depth,
                ProfileName::Wdl => Metric::Wdl,
            },
            compression: match self.level {
                None | Some(FileLevel::Quick) => Compression::Quick,
                Some(FileLevel::Max) => Compression::Max,
            },
        }
    }

    /// Returns an error if a pair that a plan needs has a file of another level than the one asked for.
    fn check_level(&self, plan: &BuildPlan) -> Result<(), Failure> {
        if self.level.is_none() {
            return Ok(());
        }
        let (wanted, asked) = (plan.wanted(), self.profile().compression);
        let mut present = plan.present.iter();
        match present.find(|(pair, level)| wanted.contains(pair) && *level != asked) {
            None => Ok(()),
            Some((pair, _)) => refuse(format!(
                "{pair} in {} has another level, and a build leaves files as they are; write them again \
                 with 'millbase repack', or choose another folder with --db",
                plan.folder.display()
            )),
        }
    }
}

impl Build {
    /// Builds the missing files, or prints the plan.
    pub fn run(&self, options: &Options) -> Result<Status> {
        let rules = options.rules;
        let folder = databases::folder_to_build(options)?;
        let request = self.request(&rules)?;
        if folder.exists() {
            databases::check_folder(&folder)?;
        }
        let plan =
            BuildPlan::new(&folder, &request).map_err(|error| refused(error, &folder, "--db"))?;
        self.files.check_level(&plan)?;
        let enough_memory = check_memory(&plan, self.memory);
        if self.dry_run {
            if let Err(why) = enough_memory {
                output::note(options, format_args!("note: {why}"));
            }
            let plan = plan.measured()?;
            return output::answer(options, &plan, |out| write_plan(out, &plan));
        }
        enough_memory?;
        let built = match plan.pairs.is_empty() && !self.placing {
            true => BuildReport::default(),
            false => build(&plan, options)?,
        };
        let database = databases::open_folder(&folder, rules)?;
        let answer = BuildAnswer::new(&database, &plan, &built)?;
        output::answer(options, &answer, |out| answer.write(out))
    }

    fn request(&self, rules: &Rules) -> Result<BuildRequest> {
        let profile = self.files.profile();
        input::check_pairs(&self.pair, rules)?;
        if self.placing {
            check_placing(rules, "--placing")?;
        }
        let most_stones = self.max_stones.unwrap_or(u8::MAX);
        let mut request = request(*rules, most_stones, self.placing, profile);
        if let Some(pair) = self.pair {
            request.pairs = vec![pair];
        }
        match &self.plies {
            None => {}
            Some(Plies::All) => request.plies = (0..rules.placements()).collect(),
            Some(Plies::These(more)) => request.plies.extend(more),
        }
        match request.plies.last() {
            Some(ply) if *ply >= rules.placements() => refuse(format!(
                "'{ply}' in --plies is too large: at most {} stones are placed before the last one",
                rules.placements() - 1
            )),
            _ => Ok(request),
        }
    }
}

/// A request for the pairs with at most this many stones, and perhaps for the usual plies.
pub fn request(rules: Rules, most_stones: u8, placing: bool, profile: Profile) -> BuildRequest {
    BuildRequest {
        rules,
        pairs: pairs_up_to(most_stones, &rules),
        plies: match placing {
            true => kept_plies(&rules, profile),
            false => Default::default(),
        },
        profile,
    }
}

/// Returns an error if a plan needs more memory than this limit of the command or, without it, than the system allows.
pub fn check_memory(plan: &BuildPlan, limit: Option<u64>) -> Result<(), Failure> {
    let given = limit.map(|bytes| (bytes, "--memory"));
    let Some((limit, of)) = given.or_else(memory::limit) else {
        return Ok(());
    };
    let beyond = |what: &str, bytes, fewer: &str| {
        refuse(format!(
            "{what} needs {} of memory, more than the {} of {of}; raise it{fewer}",
            HumanBytes(bytes),
            HumanBytes(limit),
        ))
    };
    let plies = plan.plies().iter().map(|planned| planned.memory_bytes);
    if let Some(bytes) = plies.max().filter(|&bytes| bytes > limit) {
        return beyond("the placing phase", bytes, "");
    }
    let mut pairs = plan.pairs.iter();
    let Some(planned) = pairs.find(|planned| planned.memory_bytes > limit) else {
        return Ok(());
    };
    let fewer = match planned.pair.total() - 1 {
        stones if MOST_STONES.contains(&stones.into()) => {
            format!(", or build fewer pairs with --max-stones {stones}")
        }
        _ => String::new(),
    };
    beyond(&planned.pair.to_string(), planned.memory_bytes, &fewer)
}

/// Returns an error for rules under which the placing phase cannot be solved, though this option asks for it.
pub fn check_placing(rules: &Rules, option: &str) -> Result<(), Failure> {
    match why_unsolved(rules) {
        None => Ok(()),
        Some(why) => refuse(format!("{why}; leave out {option}")),
    }
}

/// The error of a plan for a folder, which this command-line option names.
pub fn refused(error: SolveError, folder: &Path, option: &str) -> Error {
    let (name, metric) = match error {
        SolveError::OtherContents { name, metric } => (name, metric),
        SolveError::Rules(why) => return Failure::question(why).into(),
        error => return error.into(),
    };
    let none = if metric == Metric::Wdl { "no " } else { "" };
    let folder = folder.display();
    Failure::question(format!(
        "{name} in {folder} has {none}depths; choose another folder with {option}, or another --profile"
    ))
    .into()
}

/// Carries out a plan and shows its progress on stderr.
fn build(plan: &BuildPlan, options: &Options) -> Result<BuildReport> {
    let folder = &plan.folder;
    fs::create_dir_all(folder).with_context(|| {
        format!(
            "cannot create the folder '{}' for the databases",
            folder.display()
        )
    })?;
    let build_folder = Arc::new(BuildFolder::lock(folder)?);
    let state = Arc::new(Mutex::new(BuildProgress::new(plan, Instant::now())));
    let shown = Arc::clone(&state);
    let text = move |_: &ProgressState| time_left(&locked(&shown), Instant::now());
    let bar = progress::bar(options, plan.entries, text);
    stop_on_signals(&build_folder, &bar)?;
    let built = plan.run(&build_folder, &mut |event| {
        let now = Instant::now();
        let mut progress = locked(&state);
        progress.follow(event, now);
        let (done, entries) = (progress.done(now), progress.entries());
        // The bar locks the progress to draw itself.
        drop(progress);
        show(event, &bar, options);
        bar.set_length(entries);
        bar.set_position(done);
    });
    bar.finish_and_clear();
    Ok(built?)
}

fn show(event: BuildEvent<'_>, bar: &ProgressBar, options: &Options) {
    match event {
        BuildEvent::PairStarted(pair) => {
            bar.set_prefix(pair.to_string());
            bar.set_message("captures");
        }
        BuildEvent::Swept { depth, .. } => bar.set_message(format!("depth {depth}")),
        BuildEvent::Writing => bar.set_message("writing"),
        BuildEvent::PairFinished(report) => note_pair(report, options),
        BuildEvent::PlyStarted(ply) => {
            bar.set_prefix(output::counted(ply, "placement"));
            bar.set_message("");
        }
        BuildEvent::PlyFinished(report) => note_ply(report, options),
        _ => {}
    }
}

/// The speed so far and the time left.
fn time_left(progress: &BuildProgress, now: Instant) -> String {
    let speed = progress::speed(progress.speed(now));
    let [pair, all] = [progress.pair_seconds_left(now), progress.seconds_left(now)]
        .map(|seconds| seconds.map(progress::duration));
    match (pair, all) {
        (Some(pair), Some(all)) => format!("{speed}  {pair} left, {all} for all"),
        (None, Some(all)) => format!("{speed}  {all} left"),
        _ => speed,
    }
}

fn note_pair(report: &PairReport, options: &Options) {
    let step = |step: fn(&TableTimes) -> Duration| {
        let total: Duration = report.tables.iter().map(step).sum();
        total.as_secs_f64()
    };
    let placing = match report.placing.as_secs_f64() {
        seconds if seconds < 0.005 => String::new(),
        seconds => format!(", last placement {seconds:.2}"),
    };
    output::step(
        options,
        format_args!(
            "{} built in {:.2} s: load {:.2}, initialise {:.2}, scatter {:.2}, propagate {:.2}, write \
             {:.2}{placing}; {}",
            report.pair,
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

fn note_ply(report: &PlyReport, options: &Options) {
    output::step(
        options,
        format_args!(
            "{} built in {:.2} s: load {:.2}, solve {:.2}, write {:.2}; {}",
            output::counted(report.ply, "placement"),
            report.total().as_secs_f64(),
            report.load.as_secs_f64(),
            report.solve.as_secs_f64(),
            report.write.as_secs_f64(),
            HumanBytes(report.bytes),
        ),
    );
}

/// Ends the program immediately when the user or the system asks for it. A later build goes on with
/// the files on the disk, so there is nothing to wait for.
pub fn stop_on_signals(folder: &Arc<BuildFolder>, bar: &ProgressBar) -> Result<()> {
    // The handler stays, but the folder is free as soon as the work is done.
    let folder = Arc::downgrade(folder);
    let tidy = move || _ = folder.upgrade().map(|folder| folder.tidy());
    let words =
        "stopped; the finished pairs are safe, and the same command continues with the next\n";
    signals::tidy_on_stop(bar, tidy, words)
}

fn write_plan(out: &mut impl Write, plan: &BuildPlan) -> io::Result<()> {
    let folder = plan.folder.display();
    if plan.pairs.is_empty() {
        writeln!(out, "nothing to build: all files are in {folder}")?;
    } else {
        output::table(out, &plan.pairs).write(&[
            ("pair", |planned| Cell::text(planned.pair)),
            ("entries", |planned| Cell::count(planned.entries)),
            ("file, about", |planned| Cell::size(planned.file_bytes)),
            ("memory", |planned| Cell::size(planned.memory_bytes)),
        ])?;
        writeln!(
            out,
            "\n{} with {} entries for {folder}: about {} of files, at most {} of memory, \
             about {} on {}",
            output::counted(plan.pairs.len(), "pair"),
            HumanCount(plan.entries),
            HumanBytes(plan.file_bytes),
            HumanBytes(plan.memory_bytes),
            progress::duration(plan.seconds - plan.placing_seconds),
            output::counted(progress::cores(), "core"),
        )?;
        if plan.temporary_bytes > 0 {
            let bytes = HumanBytes(plan.temporary_bytes);
            writeln!(
                out,
                "on the way up to {bytes} of files besides, which the build removes"
            )?;
        }
    }
    let Some(plies) = &plan.placing else {
        return Ok(());
    };
    if plies.is_empty() {
        return writeln!(out, "nothing to build for the placing phase");
    }
    writeln!(out)?;
    output::table(out, plies).write(&[
        ("placements", |planned| Cell::right(planned.ply)),
        ("entries", |planned| Cell::count(planned.entries)),
        ("file, about", |planned| Cell::size(planned.file_bytes)),
        ("memory", |planned| Cell::size(planned.memory_bytes)),
        ("", |planned| {
            Cell::text(if planned.kept { "kept" } else { "on the way" })
        }),
    ])?;
    writeln!(
        out,
        "\n{} entries of the placing phase: about {} more, {} in all",
        HumanCount(plan.placing_entries()),
        progress::duration(plan.placing_seconds),
        progress::duration(plan.seconds),
    )
}

/// The requested files, with the times of those built in this run.
#[derive(Serialize, JsonSchema)]
pub struct BuildAnswer {
    folder: PathBuf,
    pairs: Vec<BuiltPair>,
    #[serde(skip_serializing_if = "Option::is_none")]
    placing: Option<Vec<PlyCounts>>,
}

#[derive(Serialize, JsonSchema)]
struct BuiltPair {
    pair: Pair,
    bytes: u64,
    /// From the first read to the finished file; `None` for files of earlier runs.
    seconds: Option<f64>,
    tables: Vec<BuiltTable>,
}

#[derive(Serialize, JsonSchema)]
struct BuiltTable {
    #[serde(flatten)]
    counts: PairCounts,
    /// The time to solve the table of this side to move.
    seconds: Option<f64>,
}

impl BuildAnswer {
    fn new(db: &Database, plan: &BuildPlan, built: &BuildReport) -> Result<BuildAnswer> {
        let files = plan.wanted().into_iter();
        let files = files.filter_map(|pair| db.file(pair).ok());
        let files = files.filter(|file| file.path().is_some());
        let pairs = files.map(|file| BuiltPair::new(db, file, &built.pairs));
        let mut plies = db.plies().map(PlyCounts::from).collect::<Vec<_>>();
        for counts in &mut plies {
            let report = built.plies.iter().find(|report| report.ply == counts.ply);
            counts.seconds = report.map(|report| report.total().as_secs_f64());
        }
        Ok(BuildAnswer {
            folder: plan.folder.clone(),
            pairs: pairs.collect::<Result<_>>()?,
            placing: plan.placing.is_some().then_some(plies),
        })
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let rows = self.pairs.iter().flat_map(BuiltPair::rows);
        report::write_pairs(out, &["bytes", "seconds", "with file"], rows)?;
        let files = self.pairs.iter().map(|pair| pair.bytes).sum();
        let seconds: f64 = self.pairs.iter().filter_map(|pair| pair.seconds).sum();
        writeln!(
            out,
            "\n{}, {} of files, built in {}",
            output::counted(self.pairs.len(), "pair"),
            HumanBytes(files),
            progress::duration(seconds),
        )?;
        report::write_plies(out, self.placing.as_deref().unwrap_or_default())
    }
}

impl BuiltPair {
    fn new(db: &Database, file: &PairFile, reports: &[PairReport]) -> Result<BuiltPair> {
        let pair = file.pair();
        let report = reports.iter().find(|report| report.pair == pair);
        let tables = StatsAnswer::new(db, Some(pair), false)?.tables.into_iter();
        let tables = tables.enumerate().map(|(number, table)| BuiltTable {
            counts: table.counts,
            seconds: report.map(|report| report.tables[number].total().as_secs_f64()),
        });
        Ok(BuiltPair {
            pair,
            bytes: file.bytes(),
            seconds: report.map(|report| report.total.as_secs_f64()),
            tables: tables.collect(),
        })
    }

    /// A row for each table. A pair has one file, so its size and time stand in the first row.
    fn rows(&self) -> impl Iterator<Item = Vec<Cell>> {
        let seconds = |seconds: Option<f64>| seconds.map(|seconds| format!("{seconds:.2}"));
        self.tables.iter().enumerate().map(move |(number, table)| {
            let is_first = number == 0;
            let mut cells = report::pair_cells(&table.counts);
            cells.push(Cell::optional(is_first.then_some(HumanCount(self.bytes))));
            cells.push(Cell::optional(seconds(table.seconds)));
            cells.push(Cell::optional(seconds(self.seconds.filter(|_| is_first))));
            cells
        })
    }
}
