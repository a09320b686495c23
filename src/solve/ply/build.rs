//! Solves the plies of a plan one by one, the last placement first, and writes their files.
//!
//! A ply needs the tables of the next one, or, for the last ply, those of the moving phase. Each solved
//! table goes to a file of its [`stage`](mod@super::stage) at once: the tables of the last ply while those of
//! the pair that they lead to are still in memory. A ply that is kept gets its file from these. The files
//! of the stages are removed as soon as the ply before is finished. So after a build was stopped at any
//! moment, the next one goes on where it was.

use std::cell::LazyCell;
use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::stage;
use crate::index::Material;
use crate::index::reachable::{Reachable, Stage, why_unsolved};
use crate::memory::Bytes;
use crate::probe::Database;
use crate::rules::Rules;
use crate::solve::pair::{self, BuildFolder, Observer, PairPlan, PairReport, Sequel, Solved};
use crate::solve::{Loader, SolveError};
use crate::store::{DbError, LARGEST_VALUE, PlyWriter, Profile, ply_file_name};
use crate::value::Metric;

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
    /// The plan to make the files of the plies `keep` that a folder lacks, from the solved stages that an
    /// interrupted build left there, if any.
    ///
    /// ```
    /// use millbase::{Rules, solve::ply::PlyPlan};
    /// let empty = std::env::temp_dir().join("no such folder");
    /// let plan = PlyPlan::new(&empty, &Rules::STANDARD, &[15, 17]);
    /// assert_eq!(plan.solve, [17, 16, 15]);
    /// ```
    pub fn new(folder: &Path, rules: &Rules, keep: &[u8]) -> PlyPlan {
        let keep: BTreeSet<u8> = keep.iter().copied().collect();
        let plies = 2 * rules.stones;
        // Computed only if a file is missing: a program may ask for the plan of a finished folder often.
        let reachable = LazyCell::new(|| Reachable::new(rules, plies));
        let has_file = |ply| folder.join(ply_file_name(ply)).exists();
        let has_stages = |ply| {
            let mut stages = reachable.stages_of(ply);
            stages.all(|stage| stage::is_solved(folder, stage))
        };
        let mut missing = BTreeSet::new();
        for &ply in keep.iter().filter(|&&ply| !has_file(ply)) {
            missing.insert(ply);
            if !has_stages(ply) {
                missing
                    .extend((ply + 1..plies).take_while(|&ply| !has_file(ply) && !has_stages(ply)));
            }
        }
        PlyPlan {
            keep,
            solve: missing.into_iter().rev().collect(),
        }
    }

    /// The sizes of the plies to solve, in the same order.
    pub fn sizes(&self, rules: &Rules) -> PlySizes {
        let Some(&last) = self.solve.first() else {
            return PlySizes::default();
        };
        let reachable = Reachable::new(rules, last + 1);
        let entries = |stage: Stage| match reachable.exists(stage) {
            true => stage.material().entries(),
            false => 0,
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
            PlySize {
                ply,
                entries: stages().map(entries).sum(),
                memory: FIXED + memory.max().unwrap_or(0),
            }
        };
        PlySizes(self.solve.iter().map(size).collect())
    }
}

/// The size of a ply to solve.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlySize {
    /// The number of stones placed.
    pub ply: u8,
    /// The entries of its tables.
    pub entries: u64,
    /// The peak memory while it is solved, in bytes.
    pub memory: u64,
}

/// The sizes of the plies of a plan, which is carried out from the last to the first.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PlySizes(pub Vec<PlySize>);

impl PlySizes {
    /// The entries of all tables.
    pub fn entries(&self) -> u64 {
        self.0.iter().map(|size| size.entries).sum()
    }

    /// The entries of the tables that are solved before those of this ply.
    pub fn entries_before(&self, ply: u8) -> u64 {
        let before = self.0.iter().take_while(|size| size.ply > ply);
        before.map(|size| size.entries).sum()
    }

    /// The peak memory of the whole plan, in bytes.
    pub fn memory(&self) -> u64 {
        self.0.iter().map(|size| size.memory).max().unwrap_or(0)
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
#[derive(Clone, Debug, Default)]
pub struct PlyReport {
    /// The number of turns made before its positions.
    pub ply: u8,
    /// The size of its file in bytes, or, for a ply that is only needed on the way, of the files of the
    /// stages that this build solved.
    pub bytes: u64,
    /// Time to read tables.
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
/// [`SolveError`]. The files of all plies finished before stay.
pub fn build(
    folder: &BuildFolder,
    rules: &Rules,
    plan: &PlyPlan,
    observer: &(dyn Fn(PlyProgress) + Sync),
) -> Result<Vec<PlyReport>, SolveError> {
    let Some(&last) = plan.solve.first() else {
        stage::remove(folder.path(), None)?;
        return Ok(Vec::new());
    };
    if let Some(why) = why_unsolved(rules) {
        return Err(SolveError::Rules(why));
    }
    let reachable = Reachable::new(rules, last + 1);
    let mut reports = Vec::with_capacity(plan.solve.len());
    for &ply in &plan.solve {
        let report = build_ply(folder.path(), rules, &reachable, plan, ply, observer)?;
        stage::remove(folder.path(), Some(ply + 1))?;
        observer(PlyProgress::Finished(Box::new(report.clone())));
        reports.push(report);
    }
    stage::remove(folder.path(), None)?;
    Ok(reports)
}

/// The tables that the turns of a ply lead to.
enum Next<'a> {
    /// Stones are still in hand; the values are in the files of the next ply's stages or in its own.
    Placing(&'a Database, &'a Path),
    /// The last stone has been placed.
    Moving(Loader<'a>),
}

impl<'a> Next<'a> {
    /// The tables that the turns of these stages lead to. All stages must be of one ply.
    fn new(
        database: &'a Database,
        folder: &'a Path,
        reachable: &Reachable,
        stages: &[Stage],
    ) -> Result<Next<'a>, DbError> {
        let rules = database.rules();
        match stages.first() {
            Some(stage) if stage.ply + 1 == 2 * rules.stones => {}
            _ => return Ok(Next::Placing(database, folder)),
        }
        let mut wanted = Vec::new();
        let mut last = None;
        for stage in stages {
            let (quiet, capture) = (stage.after_quiet(), stage.after_capture());
            let is_there = |&stage: &Stage| reachable.exists(stage);
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
            Next::Placing(database, folder) => {
                match stage::read(folder, database.rules(), stage)? {
                    Some(values) => Ok(values),
                    None => super::load(database, stage),
                }
            }
            Next::Moving(loader) => loader.load(stage.material()),
        }
    }
}

/// Solves the pairs of a plan as [`pair::build`] does, and with each pair the last placements that lead to
/// its tables, while these are in memory. The plies of `plies` can then be built by [`build`], which
/// finds those placements done.
///
/// # Errors
///
/// [`SolveError`]. The files of all pairs finished before stay.
pub fn build_pairs(
    folder: &BuildFolder,
    rules: &Rules,
    pairs: &PairPlan,
    plies: &PlyPlan,
    profile: Profile,
    observer: &dyn Observer,
) -> Result<Vec<PairReport>, SolveError> {
    let last = 2 * rules.stones - 1;
    if plies.solve.first() != Some(&last) || why_unsolved(rules).is_some() {
        return pair::build(folder, rules, pairs, profile, observer);
    }
    let reachable = Reachable::new(rules, last + 1);
    let mut placement = LastPlacement {
        folder: folder.path(),
        rules,
        reachable: &reachable,
        stages: reachable.stages_of(last).collect(),
    };
    placement.stages.retain(|&stage| {
        reachable.exists(stage.after_quiet()) && !stage::is_solved(folder.path(), stage)
    });
    pair::build_with(folder, rules, pairs, profile, observer, &mut placement)
}

/// Solves the stages of the last placement when the tables that they lead to are in memory.
struct LastPlacement<'a> {
    folder: &'a Path,
    rules: &'a Rules,
    reachable: &'a Reachable,
    /// The stages that have no file yet.
    stages: Vec<Stage>,
}

impl Sequel for LastPlacement<'_> {
    fn needs(&self, captures: Material) -> bool {
        let stages = self.stages.iter();
        let mut after = stages.map(|stage| stage.after_capture());
        after.any(|after| self.reachable.exists(after) && after.material() == captures)
    }

    fn make(
        &mut self,
        solved: &[Solved],
        load: &mut dyn FnMut(Material) -> Result<Bytes, DbError>,
    ) -> Result<(), SolveError> {
        for table in solved {
            let quiet = |stage: &Stage| stage.after_quiet().material() == table.material;
            let stages: Vec<Stage> = self.stages.iter().copied().filter(quiet).collect();
            for stage in stages {
                let after =
                    Some(stage.after_capture()).filter(|&after| self.reachable.exists(after));
                let captures = after.map(|after| load(after.material())).transpose()?;
                let values = Some(&table.values[..]);
                solve_and_write(
                    self.folder,
                    self.rules,
                    self.reachable,
                    stage,
                    [values, captures.as_deref()],
                    &mut PlyReport::default(),
                )?;
            }
        }
        Ok(())
    }
}

/// Solves a stage from the tables after quiet turns and after captures, and writes its file.
fn solve_and_write(
    folder: &Path,
    rules: &Rules,
    reachable: &Reachable,
    stage: Stage,
    [quiet, captures]: [Option<&[u8]>; 2],
    report: &mut PlyReport,
) -> Result<Bytes, SolveError> {
    let start = Instant::now();
    let values = super::solve_stage(rules, reachable, stage, quiet, captures);
    let values = values.map_err(|error| SolveError::PlyMemory(stage.ply, error))?;
    if values.par_iter().any(|&value| value > LARGEST_VALUE) {
        return Err(SolveError::PlyTooDeep(stage.ply));
    }
    report.solve += start.elapsed();
    let start = Instant::now();
    report.bytes += stage::write(folder, rules, stage, &values)?;
    report.write += start.elapsed();
    Ok(values)
}

/// Solves the stages of a ply that have no file yet, and writes the file of the ply if it is kept.
fn build_ply(
    folder: &Path,
    rules: &Rules,
    reachable: &Reachable,
    plan: &PlyPlan,
    ply: u8,
    observer: &(dyn Fn(PlyProgress) + Sync),
) -> Result<PlyReport, SolveError> {
    let mut report = PlyReport {
        ply,
        ..PlyReport::default()
    };
    let mut writer = (plan.keep.contains(&ply)).then(|| PlyWriter::new(rules, reachable, ply));
    let path = folder.join(ply_file_name(ply));
    let database = Database::open(folder, *rules)?;
    let missing = reachable
        .stages_of(ply)
        .filter(|&stage| !stage::is_solved(folder, stage));
    let mut next = Next::new(&database, folder, reachable, &missing.collect::<Vec<_>>())?;
    // The captures of one stage often lead to the same table as the quiet turns of the next.
    let mut last: Option<(Stage, Bytes)> = None;
    let mut done = 0;
    for stage in reachable.stages_of(ply) {
        let start = Instant::now();
        let values = match stage::is_solved(folder, stage) {
            true if writer.is_some() => {
                let values = stage::read(folder, rules, stage)?;
                report.load += start.elapsed();
                values
            }
            true => None,
            false => {
                let mut load = |stage| match last.take() {
                    Some((last, values)) if last == stage => Ok(values),
                    _ => next.load(stage),
                };
                let (quiet, capture) = (stage.after_quiet(), stage.after_capture());
                let quiet = reachable.exists(quiet).then(|| load(quiet)).transpose()?;
                let table = reachable
                    .exists(capture)
                    .then(|| load(capture))
                    .transpose()?;
                report.load += start.elapsed();
                let after = [quiet.as_deref(), table.as_deref()];
                let values = solve_and_write(folder, rules, reachable, stage, after, &mut report)?;
                last = table.map(|table| (capture, table));
                Some(values)
            }
        };
        done += stage.material().entries();
        if let (Some(writer), Some(values)) = (&mut writer, values) {
            let start = Instant::now();
            writer.add(stage, &values).map_err(DbError::io(&path))?;
            report.write += start.elapsed();
        }
        observer(PlyProgress::Solved(stage, done));
    }
    if let Some(writer) = writer {
        let start = Instant::now();
        report.bytes = writer.finish(&path)?;
        report.write += start.elapsed();
    }
    Ok(report)
}
