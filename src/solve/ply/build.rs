//! Solves the plies of a plan one by one, the last placement first, and writes their files.
//!
//! A ply needs the file of the next one, or, for the last ply, the databases of the moving phase.
//! Files that are only needed on the way are removed as soon as the ply before them has its file.
//! So after a build was stopped at any moment, the next one goes on where it was.

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::index::Material;
use crate::index::histogram::Histogram;
use crate::index::reachable::{Reachable, Stage};
use crate::probe::Database;
use crate::rules::Rules;
use crate::solve::Loader;
use crate::solve::pair::BuildFolder;
use crate::store::memory::Bytes;
use crate::store::{DbError, LARGEST_VALUE, PlyWriter, ply_file_name};
use crate::value::Metric;

/// The reason why a ply could not be solved or its file not written.
#[derive(Debug)]
pub enum SolvePlyError {
    /// The system refused the memory for a ply's table.
    Memory(u8, io::Error),
    /// The placing phase cannot be solved under these rules; the sentence says why.
    Rules(&'static str),
    /// Some depths of a ply are too large for a byte.
    TooDeep(u8),
    /// A table could not be read, or a file could not be written.
    Database(DbError),
}

impl fmt::Display for SolvePlyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SolvePlyError::Memory(ply, source) => write!(
                f,
                "the system refuses the memory for the positions after {ply} placements \
                ({source}); close other programs"
            ),
            SolvePlyError::Rules(why) => f.write_str(why),
            SolvePlyError::TooDeep(ply) => write!(
                f,
                "after {ply} placements there are positions more than {} turns from the end, which the files \
                 cannot hold",
                LARGEST_VALUE - 1
            ),
            SolvePlyError::Database(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for SolvePlyError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            SolvePlyError::Memory(_, source) => Some(source),
            SolvePlyError::Rules(_) | SolvePlyError::TooDeep(_) => None,
            SolvePlyError::Database(error) => error.source(),
        }
    }
}

impl From<DbError> for SolvePlyError {
    fn from(error: DbError) -> SolvePlyError {
        SolvePlyError::Database(error)
    }
}

/// The plies whose files are kept by default: all early ones, which are small, and then every third
/// one up to four placements from the end. So a short search leads from any position to the next
/// file or to the moving phase.
pub fn kept_plies(rules: &Rules) -> Vec<u8> {
    const SMALL: u8 = 8;
    let last = (2 * rules.stones).saturating_sub(4);
    (0..=last)
        .filter(|&ply| ply <= SMALL || (last - ply).is_multiple_of(3))
        .collect()
}

/// The plies to solve.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlyPlan {
    /// The plies whose files are kept.
    pub keep: BTreeSet<u8>,
    /// The plies to solve, in order.
    pub solve: Vec<u8>,
}

impl PlyPlan {
    /// The plan to build the files of the plies `keep`, except those that are already present.
    ///
    /// ```
    /// use millbase::{Rules, solve::ply::PlyPlan};
    /// let plan = PlyPlan::new(&Rules::STANDARD, &[12, 15], |ply| ply == 16);
    /// assert_eq!(plan.solve, [15, 14, 13, 12]);
    /// ```
    pub fn new(rules: &Rules, keep: &[u8], present: impl Fn(u8) -> bool) -> PlyPlan {
        let keep: BTreeSet<u8> = keep.iter().copied().collect();
        let mut missing = BTreeSet::new();
        for &ply in keep.iter().filter(|&&ply| !present(ply)) {
            missing.extend((ply..2 * rules.stones).take_while(|&ply| !present(ply)));
        }
        PlyPlan {
            keep,
            solve: missing.into_iter().rev().collect(),
        }
    }

    /// For each ply to solve: its number, the entries of its tables, and the peak memory in bytes.
    pub fn sizes(&self, rules: &Rules) -> Vec<(u8, u64, u64)> {
        let Some(&last) = self.solve.first() else {
            return Vec::new();
        };
        let reachable = Reachable::new(rules, last + 1);
        let entries = |stage: Stage| match reachable.rows(stage, stage.mover()).is_empty() {
            true => 0,
            false => stage.material().entries(),
        };
        let size = |&ply: &u8| {
            let stages = || reachable.stages_of(ply);
            // After the last placement, tables are derived from up to two others, and some are
            // kept.
            let (deriving, kept) = match ply + 1 == 2 * rules.stones {
                true => (2, Loader::MOST_KEPT as u64),
                false => (0, 0),
            };
            let memory = stages().map(|stage| {
                let captures = entries(stage.after_capture());
                entries(stage).max(deriving * captures)
                    + entries(stage.after_quiet())
                    + captures
                    + kept
            });
            let memory = FIXED + memory.max().unwrap_or(0);
            (ply, stages().map(entries).sum(), memory)
        };
        self.solve.iter().map(size).collect()
    }
}

/// Memory besides the tables, in bytes: the program, the rows, marks of sets, and buffers of the
/// threads.
const FIXED: u64 = 100 << 20;

/// A step of the solver's progress.
#[derive(Clone, Debug)]
pub enum PlyProgress {
    /// A stage is solved, and with it this number of entries of its ply's tables.
    Solved(Stage, u64),
    /// A ply's file is complete.
    Finished(Box<PlyReport>),
}

/// The report on one ply.
#[derive(Clone, Debug)]
pub struct PlyReport {
    /// The number of turns made before its positions.
    pub ply: u8,
    /// The number of distinct positions with each value.
    pub histogram: Histogram,
    /// The size of the file in bytes.
    pub bytes: u64,
    /// Time to read the tables of the next ply.
    pub load: Duration,
    /// Time to solve.
    pub solve: Duration,
    /// Time to compress and write.
    pub write: Duration,
}

impl PlyReport {
    /// All steps together.
    pub fn total(&self) -> Duration {
        self.load + self.solve + self.write
    }
}

/// Solves the plies of the plan, writes their files to the folder, which must contain the databases
/// of the moving phase, and returns a report on each.
///
/// The process may be ended at any moment: a file with the name of a ply is complete.
///
/// # Errors
///
/// [`SolvePlyError`]. The files of all plies finished before stay.
pub fn build(
    folder: &BuildFolder,
    rules: &Rules,
    plan: &PlyPlan,
    observer: &(dyn Fn(PlyProgress) + Sync),
) -> Result<Vec<PlyReport>, SolvePlyError> {
    let Some(&last) = plan.solve.first() else {
        return Ok(Vec::new());
    };
    if let Some(why) = crate::index::reachable::not_solved(rules) {
        return Err(SolvePlyError::Rules(why));
    }
    let reachable = Reachable::new(rules, last + 1);
    let mut reports = Vec::with_capacity(plan.solve.len());
    for &ply in &plan.solve {
        let report = build_ply(folder.path(), rules, &reachable, ply, observer)?;
        if !plan.keep.contains(&(ply + 1)) {
            remove(&folder.path().join(ply_file_name(ply + 1)))?;
        }
        observer(PlyProgress::Finished(Box::new(report.clone())));
        reports.push(report);
    }
    Ok(reports)
}

fn remove(path: &Path) -> Result<(), DbError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(DbError::io(path)(error)),
        _ => Ok(()),
    }
}

/// The tables that the turns of a ply lead to.
enum Next<'a> {
    /// Stones are still in hand.
    Placing(&'a Database),
    /// The last stone has been placed.
    Moving(Loader<'a>),
}

impl<'a> Next<'a> {
    /// The tables that the turns of these stages lead to. All stages must be of one ply.
    fn new(
        database: &'a Database,
        reachable: &Reachable,
        stages: &[Stage],
    ) -> Result<Next<'a>, DbError> {
        let rules = database.rules();
        match stages.first() {
            Some(stage) if stage.ply + 1 == 2 * rules.stones => {}
            _ => return Ok(Next::Placing(database)),
        }
        let mut wanted = Vec::new();
        let mut last = None;
        for stage in stages {
            let (quiet, capture) = (stage.after_quiet(), stage.after_capture());
            let is_there = |stage: &Stage| !reachable.rows(*stage, stage.mover()).is_empty();
            wanted.extend(
                [quiet]
                    .into_iter()
                    .filter(is_there)
                    .filter(|&quiet| last != Some(quiet)),
            );
            last = Some(capture).filter(is_there);
            wanted.extend(last);
        }
        let wanted: Vec<Material> = wanted.iter().map(|stage| stage.material()).collect();
        for &material in &wanted {
            let file = database.file_of(material)?;
            if file.metric() == Metric::Wdl {
                return Err(DbError::NoDepths { pair: file.pair() });
            }
        }
        Loader::new(database, &wanted).map(Next::Moving)
    }

    fn load(&mut self, stage: Stage) -> Result<Bytes, DbError> {
        match self {
            Next::Placing(database) => super::load(database, stage),
            Next::Moving(loader) => loader.load(stage.material()),
        }
    }
}

fn build_ply(
    folder: &Path,
    rules: &Rules,
    reachable: &Reachable,
    ply: u8,
    observer: &(dyn Fn(PlyProgress) + Sync),
) -> Result<PlyReport, SolvePlyError> {
    let mut report = PlyReport {
        ply,
        histogram: Histogram::default(),
        bytes: 0,
        load: Duration::ZERO,
        solve: Duration::ZERO,
        write: Duration::ZERO,
    };
    let database = Database::open(folder, *rules)?;
    let stages: Vec<Stage> = reachable.stages_of(ply).collect();
    let mut next = Next::new(&database, reachable, &stages)?;
    let mut writer = PlyWriter::new(rules, reachable, ply);
    let mut done = 0;
    // The captures of one stage often lead to the same table as the quiet turns of the next.
    let mut kept: Option<(Stage, Bytes)> = None;
    for &stage in &stages {
        let start = Instant::now();
        let exists = |stage| !reachable.rows(stage, stage.mover()).is_empty();
        let mut load = |stage| match kept.take() {
            Some((kept, values)) if kept == stage => Ok(values),
            _ => next.load(stage),
        };
        let (quiet, capture) = (stage.after_quiet(), stage.after_capture());
        let quiet = exists(quiet).then(|| load(quiet)).transpose()?;
        let table = exists(capture).then(|| load(capture)).transpose()?;
        report.load += start.elapsed();

        let start = Instant::now();
        let values =
            super::solve_stage(rules, reachable, stage, quiet.as_deref(), table.as_deref());
        let values = values.map_err(|error| SolvePlyError::Memory(ply, error))?;
        kept = table.map(|table| (capture, table));
        drop(quiet);
        report.solve += start.elapsed();

        let start = Instant::now();
        let path = folder.join(ply_file_name(ply));
        let histogram = writer.add(stage, &values).map_err(DbError::io(&path))?;
        let largest = histogram.counts().iter().rposition(|&count| count > 0);
        if largest > Some(LARGEST_VALUE.into()) {
            return Err(SolvePlyError::TooDeep(ply));
        }
        report.histogram.add(&histogram);
        report.write += start.elapsed();
        done += values.len() as u64;
        observer(PlyProgress::Solved(stage, done));
    }
    report.bytes = writer.finish(&folder.join(ply_file_name(ply)))?;
    Ok(report)
}
