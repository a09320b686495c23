//! Solves the pairs of a plan one by one and writes their files. Finished files stay: after a build
//! was stopped at any moment, the next one goes on with the first pair that has no file.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::{
    Observer, PairPlan, PairProgress, SolveError, Solved, TableCache, Times, load, solve, timed,
};
use crate::index::histogram::Histogram;
use crate::index::{Index, Material, Pair};
use crate::memory::Bytes;
use crate::probe::Database;
use crate::rules::Rules;
use crate::store::{self, DbError, Profile, SolvedPair};

/// A folder locked for one build, until this is dropped or the process ends.
#[derive(Debug)]
pub struct BuildFolder {
    path: PathBuf,
    _lock: File,
}

impl BuildFolder {
    /// Locks the folder, which must exist, and removes the unfinished files of killed builds.
    ///
    /// # Errors
    ///
    /// [`SolveError::Busy`] if the folder is locked, [`SolveError::Database`] if it is not
    /// writable.
    pub fn lock(path: &Path) -> Result<BuildFolder, SolveError> {
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .open(path.join(".build.lock"));
        let file = file.map_err(DbError::io(path))?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => return Err(SolveError::Busy(path.to_path_buf())),
            // Some file systems have no locks. There two builds only do the same work twice.
            Ok(()) | Err(TryLockError::Error(_)) => {}
        }
        let folder = BuildFolder {
            path: path.to_path_buf(),
            _lock: file,
        };
        folder.tidy()?;
        Ok(folder)
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes the unfinished file when the process is about to end.
    ///
    /// # Errors
    ///
    /// [`DbError::Io`].
    pub fn tidy(&self) -> Result<(), DbError> {
        store::remove_temporaries(&self.path)
    }
}

/// The report on one pair.
#[derive(Clone, Debug)]
pub struct PairReport {
    /// The pair.
    pub pair: Pair,
    /// Its tables: the larger side to move first.
    pub tables: Vec<TableReport>,
    /// The size of the file in bytes.
    pub bytes: u64,
    /// The time of all steps together.
    pub total: Duration,
    /// The time to count and write the solved tables.
    pub write: Duration,
    /// The time to solve the last placement before the pair, if that was asked for.
    pub placing: Duration,
}

/// The report on the table of one side to move.
#[derive(Clone, Debug)]
pub struct TableReport {
    /// The material of the table.
    pub material: Material,
    /// The number of distinct positions with each value.
    pub histogram: Histogram,
    /// The times of the steps.
    pub times: Times,
}

/// What follows from a pair and is made while its tables are in memory.
pub(crate) trait Sequel {
    /// Whether it needs this table, which captures of the pair lead to, once more.
    fn needs(&self, captures: Material) -> bool;

    /// Makes it from the tables of a solved pair; `load` loads the tables that captures lead to.
    fn make(
        &mut self,
        solved: &[Solved],
        load: &mut dyn FnMut(Material) -> Result<Bytes, DbError>,
    ) -> Result<(), SolveError>;
}

/// Nothing follows.
impl Sequel for () {
    fn needs(&self, _captures: Material) -> bool {
        false
    }

    fn make(
        &mut self,
        _solved: &[Solved],
        _load: &mut dyn FnMut(Material) -> Result<Bytes, DbError>,
    ) -> Result<(), SolveError> {
        Ok(())
    }
}

/// Solves the pairs of the plan, writes their files to the folder, and returns a report on each.
///
/// The process may be ended at any moment: a file with the name of a pair is complete.
///
/// # Errors
///
/// [`SolveError`]. The files of all pairs finished before stay.
pub fn build(
    folder: &BuildFolder,
    rules: &Rules,
    plan: &PairPlan,
    profile: Profile,
    observer: &dyn Observer,
) -> Result<Vec<PairReport>, SolveError> {
    build_with(folder, rules, plan, profile, observer, &mut ())
}

/// [`build`], and makes the sequel of each pair.
pub(crate) fn build_with(
    folder: &BuildFolder,
    rules: &Rules,
    plan: &PairPlan,
    profile: Profile,
    observer: &dyn Observer,
    sequel: &mut dyn Sequel,
) -> Result<Vec<PairReport>, SolveError> {
    let mut table_cache = TableCache::new(&plan.pairs);
    let mut reports = Vec::with_capacity(plan.pairs.len());
    for &pair in &plan.pairs {
        let report = build_pair(
            folder.path(),
            rules,
            pair,
            profile,
            &mut table_cache,
            observer,
            sequel,
        )?;
        observer.progress(PairProgress::Finished(Box::new(report.clone())));
        reports.push(report);
    }
    Ok(reports)
}

fn build_pair(
    folder: &Path,
    rules: &Rules,
    pair: Pair,
    profile: Profile,
    table_cache: &mut TableCache,
    observer: &dyn Observer,
    sequel: &mut dyn Sequel,
) -> Result<PairReport, SolveError> {
    let start = Instant::now();
    observer.progress(PairProgress::Started {
        pair,
        entries: pair.entries(),
    });
    let from_files = |material| load(&Database::open(folder, *rules)?, material);
    let load =
        |material| table_cache.take(material, sequel.needs(material), || from_files(material));
    let solved = solve(rules, pair, load, observer)?;

    observer.progress(PairProgress::Writing);
    let mut write = Duration::ZERO;
    let (histograms, bytes) = timed(&mut write, || {
        let counted = solved.iter().map(|table| {
            table_cache.keep(table.material, &table.values);
            Histogram::of_table(&Index::new(table.material), &table.values)
        });
        let histograms: Vec<Histogram> = counted.collect();
        let path = folder.join(store::file_name(pair));
        let solved = SolvedPair {
            pair,
            values: &solved[0].values,
            histograms: histograms.clone(),
        };
        let bytes = store::write_pair(&path, rules, &solved, profile)?;
        Ok::<_, SolveError>((histograms, bytes))
    })?;
    let mut placing = Duration::ZERO;
    timed(&mut placing, || {
        let mut load = |material| table_cache.take(material, false, || from_files(material));
        sequel.make(&solved, &mut load)
    })?;
    let tables = solved.into_iter().zip(histograms);
    let tables = tables.map(|(solved, histogram)| TableReport {
        material: solved.material,
        histogram,
        times: solved.times,
    });
    Ok(PairReport {
        pair,
        tables: tables.collect(),
        bytes,
        total: start.elapsed(),
        write,
        placing,
    })
}
