//! Solves the plies of a plan one by one, the last placement first, and writes their files.
//!
//! A ply needs the file of the next one, or the databases of the moving phase behind the last one.
//! Files that are only needed on the way are removed when the ply before them is there. So a build
//! that was stopped, at whatever moment, goes on where it was.

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use super::file::{PlyFile, file_name};
use super::layout::{LARGEST_VALUE, Layout, index};
use super::reachable::{Reachable, Stage};
use super::solve::{Captures, Successors, solve};
use super::write::PlyWriter;
use crate::db::{Contents, Database, DbError};
use crate::histogram::Histogram;
use crate::retro::memory::Bytes;
use crate::retro::{self, BuildFolder};
use crate::rules::Rules;

/// Why a ply could not be solved, or its file not be written.
#[derive(Debug)]
pub enum SolveError {
    /// The system did not grant the memory for a ply's table.
    Memory(u8, io::Error),
    /// The placing phase is not solved under these rules; the sentence says why.
    Rules(&'static str),
    /// Some depths of a ply are too large for a byte.
    TooDeep(u8),
    /// A table could not be read, or a file not be written.
    Database(DbError),
}

impl fmt::Display for SolveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SolveError::Memory(ply, source) => write!(
                f,
                "the system does not grant the memory for the positions after {ply} placements ({source}); \
                 close other programs"
            ),
            SolveError::Rules(why) => f.write_str(why),
            SolveError::TooDeep(ply) => write!(
                f,
                "after {ply} placements there are positions more than {} turns from the end, which the files \
                 cannot hold",
                LARGEST_VALUE - 1
            ),
            SolveError::Database(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for SolveError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            SolveError::Memory(_, source) => Some(source),
            SolveError::Rules(_) | SolveError::TooDeep(_) => None,
            SolveError::Database(error) => error.source(),
        }
    }
}

impl From<DbError> for SolveError {
    fn from(error: DbError) -> SolveError {
        SolveError::Database(error)
    }
}

/// The plies whose files are kept unless told otherwise: all early ones, which are small, and then
/// every third one up to four placements from the end. From any position it is then a short search
/// to the next file, or to the moving phase.
pub fn kept_plies(rules: &Rules) -> Vec<u8> {
    const SMALL: u8 = 8;
    let last = (2 * rules.stones).saturating_sub(4);
    (0..=last)
        .filter(|&ply| ply <= SMALL || (last - ply).is_multiple_of(3))
        .collect()
}

/// Which plies are to be solved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// Those whose files are kept.
    pub keep: BTreeSet<u8>,
    /// Those to be solved, in order.
    pub solve: Vec<u8>,
}

impl Plan {
    /// What is to be solved to have the files of the plies `keep`, where `present` tells which
    /// there are already.
    ///
    /// ```
    /// use millbase::{Rules, placing::build::Plan};
    /// let plan = Plan::new(&Rules::STANDARD, &[12, 15], |ply| ply == 16);
    /// assert_eq!(plan.solve, [15, 14, 13, 12]);
    /// ```
    pub fn new(rules: &Rules, keep: &[u8], present: impl Fn(u8) -> bool) -> Plan {
        let keep: BTreeSet<u8> = keep.iter().copied().collect();
        let mut missing = BTreeSet::new();
        for &ply in keep.iter().filter(|&&ply| !present(ply)) {
            missing.extend((ply..2 * rules.stones).take_while(|&ply| !present(ply)));
        }
        Plan {
            keep,
            solve: missing.into_iter().rev().collect(),
        }
    }

    /// For each ply to be solved the entries of its tables, and the most memory that solving takes
    /// at any time, in bytes.
    pub fn sizes(&self, rules: &Rules) -> Vec<(u8, u64, u64)> {
        let Some(&last) = self.solve.first() else {
            return Vec::new();
        };
        let reachable = Reachable::new(rules, last + 1);
        let entries = |stage: Stage| match reachable.rows(stage, stage.mover()).is_empty() {
            true => 0,
            false => index(stage).len() as u64,
        };
        let size = |&ply: &u8| {
            let stages = || reachable.stages_of(ply);
            // Behind the last placement a table may be derived from two others.
            let deriving = if ply + 1 == 2 * rules.stones { 2 } else { 0 };
            let memory = stages().map(|stage| {
                let captures = entries(stage.after_capture());
                entries(stage).max(deriving * captures) + entries(stage.after_quiet()) + captures
            });
            let memory = FIXED + memory.max().unwrap_or(0);
            (ply, stages().map(entries).sum(), memory)
        };
        self.solve.iter().map(size).collect()
    }
}

/// Memory beside the tables: the program, the rows, marks of sets, what each thread needs.
const FIXED: u64 = 100 << 20;

/// What the solver is doing.
#[derive(Clone, Debug)]
pub enum Progress {
    /// A stage is solved: so many entries of its ply's tables are done.
    Solved(Stage, u64),
    /// A ply's file is there.
    Finished(Box<PlyReport>),
}

/// What became of one ply.
#[derive(Clone, Debug)]
pub struct PlyReport {
    /// How many turns have been made.
    pub ply: u8,
    /// How often each value occurs among the distinct positions.
    pub histogram: Histogram,
    /// Size of the file.
    pub bytes: u64,
    /// Time to read the tables of the next ply.
    pub load: Duration,
    /// Time to solve.
    pub solve: Duration,
    /// Time to compress and write.
    pub write: Duration,
}

/// Solves the plies of the plan and writes their files to the folder, where the databases of the
/// moving phase are.
///
/// The process may be ended at any moment: a file with the name of a ply is complete.
///
/// # Errors
///
/// [`SolveError`]. The files of all plies finished before stay.
pub fn build(
    folder: &BuildFolder,
    rules: &Rules,
    plan: &Plan,
    watch: &(dyn Fn(Progress) + Sync),
) -> Result<(), SolveError> {
    let Some(&last) = plan.solve.first() else {
        return Ok(());
    };
    if let Some(why) = super::not_solved(rules) {
        return Err(SolveError::Rules(why));
    }
    let reachable = Reachable::new(rules, last + 1);
    for &ply in &plan.solve {
        let report = build_ply(folder.path(), rules, &reachable, ply, watch)?;
        if !plan.keep.contains(&(ply + 1)) {
            remove(&folder.path().join(file_name(ply + 1)))?;
        }
        watch(Progress::Finished(Box::new(report)));
    }
    Ok(())
}

fn remove(path: &Path) -> Result<(), DbError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(DbError::io(path)(error)),
        _ => Ok(()),
    }
}

/// The tables behind the turns of a ply.
enum Behind<'a> {
    /// Stones are still in hand.
    Placing(Option<PlyFile>),
    /// The last stone has been placed. The folder of the databases.
    Moving(&'a Path, &'a Rules),
}

impl<'a> Behind<'a> {
    fn open(
        folder: &'a Path,
        rules: &'a Rules,
        reachable: &Reachable,
        ply: u8,
    ) -> Result<Behind<'a>, DbError> {
        if ply < 2 * rules.stones {
            PlyFile::open(folder, ply, rules, reachable).map(Behind::Placing)
        } else {
            Ok(Behind::Moving(folder, rules))
        }
    }

    fn load(&self, stage: Stage, reachable: &Reachable) -> Result<Bytes, DbError> {
        match self {
            Behind::Placing(Some(file)) => file.load(stage, reachable),
            Behind::Placing(None) => {
                let what = format!("{} is missing", file_name(stage.ply));
                Err(DbError::NotStored(what))
            }
            // Opened for each table anew: what an open database has read takes memory.
            Behind::Moving(folder, rules) => {
                let database = Database::open(folder, **rules)?;
                let material = index(stage).material();
                let file = database.file_of(material)?;
                match file.contents() {
                    Contents::Depths => retro::load(&database, material),
                    Contents::Wdl => Err(DbError::NoDepths { pair: file.pair() }),
                }
            }
        }
    }
}

fn build_ply(
    folder: &Path,
    rules: &Rules,
    reachable: &Reachable,
    ply: u8,
    watch: &(dyn Fn(Progress) + Sync),
) -> Result<PlyReport, SolveError> {
    let mut report = PlyReport {
        ply,
        histogram: Histogram::default(),
        bytes: 0,
        load: Duration::ZERO,
        solve: Duration::ZERO,
        write: Duration::ZERO,
    };
    let behind = Behind::open(folder, rules, reachable, ply + 1)?;
    let mut writer = PlyWriter::create(folder, reachable, ply)?;
    let mut done = 0;
    // The table behind the captures of one stage is often that behind the quiet turns of the next.
    let mut kept: Option<(Stage, Bytes)> = None;
    for stage in reachable.stages_of(ply) {
        let start = Instant::now();
        let exists = |stage| !reachable.rows(stage, stage.mover()).is_empty();
        let mut load = |stage| match kept.take() {
            Some((kept, values)) if kept == stage => Ok(values),
            _ => behind.load(stage, reachable),
        };
        let (quiet, capture) = (stage.after_quiet(), stage.after_capture());
        let quiet = exists(quiet).then(|| load(quiet)).transpose()?;
        let table = exists(capture).then(|| load(capture)).transpose()?;
        report.load += start.elapsed();

        let start = Instant::now();
        let successors = Successors {
            quiet: quiet.as_deref(),
            captures: match &table {
                Some(values) => Captures::Table(values),
                None if reachable.ends_game(capture) => Captures::EndTheGame,
                None => Captures::None,
            },
        };
        let values = solve(rules, reachable, stage, successors);
        let values = values.map_err(|error| SolveError::Memory(ply, error))?;
        kept = table.map(|table| (capture, table));
        drop(quiet);
        report.solve += start.elapsed();

        let start = Instant::now();
        let layout = Layout::new(reachable, stage);
        let histogram = writer.table(stage, &layout, &values)?;
        let largest = histogram.counts().iter().rposition(|&count| count > 0);
        if largest > Some(LARGEST_VALUE.into()) {
            return Err(SolveError::TooDeep(ply));
        }
        report.histogram.add(&histogram);
        report.write += start.elapsed();
        done += values.len() as u64;
        watch(Progress::Solved(stage, done));
    }
    report.bytes = writer.finish(rules, reachable)?;
    Ok(report)
}
