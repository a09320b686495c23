//! Carries out a plan: solves its pairs one by one, then its plies, the last placement first, and
//! writes their files.
//!
//! A file with its final name is complete. So after a build is stopped at any moment, a new plan
//! continues with the missing files.
//!
//! A ply needs the tables of the next one, or, for the last ply, those of the pairs. Each solved
//! table goes to an [`UnfinishedFile`] at once: the tables of the last ply while those of the pair
//! that they lead to are still in memory. A ply that is kept gets its file from these. The
//! files of the stages are removed as soon as the ply before them is finished.

use std::path::Path;
use std::time::Instant;

use rayon::prelude::*;

use super::error::SolveError;
use super::events::{BuildEvent, BuildReport, Observer, PairReport, PlyReport, timed};
use super::folder::BuildFolder;
use super::pair::{self, SolvedTable};
use super::plan::{BuildPlan, BuildRequest, PlannedPly, solves_with_pairs};
use super::ply;
use super::tables::{Loader, TableCache, is_needed_with, load};
use super::unfinished::{UnfinishedFile, remove_all};
use crate::index::histogram::Histogram;
use crate::index::stages::{Stage, StageSets};
use crate::index::{Index, Material, Pair};
use crate::memory::Bytes;
use crate::probe::Database;
use crate::rules::Rules;
use crate::rules::position::Side;
use crate::store::{self, DbError, LARGEST_VALUE, PlyWriter, Profile, file_name};
use crate::value::Metric;

/// Builds the files of a request that a folder, which must exist, lacks.
///
/// ```no_run
/// use millbase::solve::{BuildRequest, build, kept_plies};
/// use millbase::{Pair, Rules};
/// let rules = Rules::STANDARD;
/// let request = BuildRequest {
///     rules,
///     pairs: Pair::all(&rules),
///     plies: kept_plies(&rules, Default::default()),
///     profile: Default::default(),
/// };
/// build("db".as_ref(), &request, &mut |event| println!("{event:?}"))?;
/// # Ok::<(), millbase::solve::SolveError>(())
/// ```
///
/// # Errors
///
/// As for [`BuildFolder::lock`], [`BuildPlan::new`] and [`BuildPlan::run`].
pub fn build(
    folder: &Path,
    request: &BuildRequest,
    observer: &mut dyn FnMut(BuildEvent<'_>),
) -> Result<BuildReport, SolveError> {
    let locked = BuildFolder::lock(folder)?;
    BuildPlan::new(folder, request)?.run(&locked, observer)
}

impl BuildPlan {
    /// Solves the pairs and plies of the plan and writes their files to its folder, which is
    /// locked. For plies without pairs, the folder must have the files of all pairs.
    ///
    /// # Errors
    ///
    /// [`SolveError`]; [`SolveError::Stopped`] after [`BuildFolder::stop`]. The files finished
    /// before stay.
    pub fn run(
        &self,
        folder: &BuildFolder,
        observer: &mut dyn FnMut(BuildEvent<'_>),
    ) -> Result<BuildReport, SolveError> {
        let mut report = BuildReport::default();
        let observer: &mut Observer<'_> = &mut |event| {
            observer(event);
            folder.check()
        };
        let plies = self.stage_sets.as_ref().map(|stage_sets| PliesJob {
            rules: &self.request.rules,
            profile: self.request.profile.of_plies(&self.request.rules),
            folder: folder.path(),
            stage_sets,
        });
        let mut pairs = PairsJob::new(self, folder.path(), plies.as_ref())?;
        for planned in &self.pairs {
            // Another build may have made it since.
            if folder.path().join(file_name(planned.pair)).exists() {
                continue;
            }
            let pair = pairs.build(planned.pair, observer)?;
            observer(BuildEvent::PairFinished(&pair))?;
            report.pairs.push(pair);
        }
        pairs.remove_unfinished(u8::MAX)?;
        drop(pairs);
        for planned in self.plies() {
            let Some(plies) = &plies else { break };
            observer(BuildEvent::PlyStarted(planned.ply))?;
            let ply = plies.build(planned, observer)?;
            remove_all(folder.path(), &format!("placing-{:02}.", planned.ply + 1))?;
            observer(BuildEvent::PlyFinished(&ply))?;
            report.plies.push(ply);
        }
        if self.placing.is_some() {
            remove_all(folder.path(), "placing-")?;
        }
        Ok(report)
    }
}

/// Builds the pairs of a plan, and with each of them the last placements that lead to its tables.
struct PairsJob<'a> {
    request: &'a BuildRequest,
    folder: &'a Path,
    cache: TableCache,
    /// The tables that may have [unfinished](UnfinishedFile) files.
    unfinished: Vec<Material>,
    /// For the last placement, if the plan has it.
    plies: Option<&'a PliesJob<'a>>,
}

impl<'a> PairsJob<'a> {
    fn new(
        plan: &'a BuildPlan,
        folder: &'a Path,
        plies: Option<&'a PliesJob<'a>>,
    ) -> Result<PairsJob<'a>, DbError> {
        let planned = solves_with_pairs(&plan.request.rules, plan.plies());
        let in_files = plan.request.rules.pairs_have_hands();
        let cached: Vec<Pair> = plan.pairs.iter().map(|planned| planned.pair).collect();
        let unfinished = plan.wanted().into_iter().filter(|_| in_files);
        Ok(PairsJob {
            request: &plan.request,
            folder,
            cache: match in_files {
                true => TableCache::in_files(folder)?,
                false => TableCache::in_memory(&cached),
            },
            unfinished: unfinished
                .flat_map(|pair| pair.tables(&plan.request.rules))
                .collect(),
            plies: plies.filter(|_| planned),
        })
    }

    /// Solves a pair, writes its file, and solves the last placements before it.
    fn build(&mut self, pair: Pair, observer: &mut Observer<'_>) -> Result<PairReport, SolveError> {
        let start = Instant::now();
        observer(BuildEvent::PairStarted(pair))?;
        let rules = &self.request.rules;
        self.remove_unfinished(pair.all_in_hand())?;
        let load = |material: Material| {
            let before_capture = Material::new(material.mover + 1, material.waiting);
            let last = self.last_stage(before_capture);
            let again = last.is_some_and(|(_, capture)| capture.is_some());
            self.load(pair, material, again)
        };
        let solved = pair::solve(rules, pair, load, observer)?;
        observer(BuildEvent::Writing)?;
        let writing = Instant::now();
        let bytes = self.write(pair, &solved)?;
        let placing = Instant::now();
        self.solve_last_placement(pair, &solved)?;
        Ok(PairReport {
            pair,
            tables: solved.iter().map(|table| table.times).collect(),
            bytes,
            total: start.elapsed(),
            write: placing - writing,
            placing: placing.elapsed(),
        })
    }

    /// The values of a table that turns of this pair lead to; it stays in the cache if it is needed
    /// `again`.
    fn load(&mut self, pair: Pair, material: Material, again: bool) -> Result<Bytes, DbError> {
        let (folder, rules) = (self.folder, self.request.rules);
        if let Some(values) = self.unfinished_file(material).read(&rules)? {
            return Ok(values);
        }
        // Anew for each table: files that stayed open would stay in memory.
        let open = || Database::open(folder, rules);
        if rules.pairs_have_hands() && !self.cache.has(material) {
            self.cache.prepare(&open()?, pair)?;
        }
        self.cache
            .take(material, again, || load(&open()?, material))
    }

    /// Removes the tables that no pair with this number of stones in hand, or more, needs.
    fn remove_unfinished(&mut self, in_hand: u8) -> Result<(), DbError> {
        let rules = &self.request.rules;
        self.cache.forget_before(rules, in_hand);
        let is_old = |table: &mut Material| !is_needed_with(rules, *table, in_hand);
        let old: Vec<Material> = self.unfinished.extract_if(.., is_old).collect();
        // A build with the other metric may have left files, too.
        let files = old.into_iter().flat_map(|table| {
            Metric::ALL.map(|metric| UnfinishedFile::of_sector(self.folder, table, metric))
        });
        files.into_iter().try_for_each(|file| file.remove())
    }

    /// The file of a table that later pairs of this build need.
    fn unfinished_file(&self, table: Material) -> UnfinishedFile {
        UnfinishedFile::of_sector(self.folder, table, self.request.profile.metric)
    }

    /// Counts the values of a solved pair and writes its file; returns the size in bytes.
    fn write(&mut self, pair: Pair, solved: &[SolvedTable]) -> Result<u64, DbError> {
        for SolvedTable {
            material, values, ..
        } in solved
        {
            if self.request.rules.pairs_have_hands() {
                // Many pairs need them, and deriving those that no file stores takes long.
                let file = self.unfinished_file(*material);
                file.write(&self.request.rules, values)?;
                self.unfinished.push(*material);
            } else {
                self.cache.keep(*material, values)?;
            }
        }
        let counted = solved
            .iter()
            .map(|table| Histogram::of_table(&Index::new(table.material), &table.values));
        let (histograms, values) = (counted.collect::<Vec<_>>(), &solved[0].values);
        let BuildRequest { rules, profile, .. } = self.request;
        store::write_pair(self.folder, rules, *profile, pair, values, &histograms)
    }

    /// The stage whose placements without a mill lead to a table, if this build has to solve it,
    /// and the table that its captures lead to, if games go on after them.
    fn last_stage(&self, table: Material) -> Option<(Stage, Option<Material>)> {
        let plies = self.plies?;
        let stage = Stage::last_before(table, self.request.rules.stones);
        let [quiet, capture] = plies.stage_sets.after(stage);
        let exists = plies.stage_sets.exists(stage) && quiet.is_some();
        (exists && !plies.unfinished_file(stage).exists())
            .then_some((stage, capture.map(Stage::material)))
    }

    /// Solves the stages whose placements without a mill lead to these tables.
    fn solve_last_placement(
        &mut self,
        pair: Pair,
        solved: &[SolvedTable],
    ) -> Result<(), SolveError> {
        let Some(plies) = self.plies else {
            return Ok(());
        };
        // The report on the pair has the time.
        let report = &mut PlyReport::default();
        for table in solved {
            if let Some((stage, captures)) = self.last_stage(table.material) {
                let captures = captures.map(|captures| self.load(pair, captures, false));
                let captures = captures.transpose()?;
                plies.solve(stage, Some(&table.values), captures.as_deref(), report)?;
            }
        }
        Ok(())
    }
}

/// Builds the plies of a plan.
struct PliesJob<'a> {
    rules: &'a Rules,
    /// Contents and compression of the files.
    profile: Profile,
    folder: &'a Path,
    stage_sets: &'a StageSets,
}

impl PliesJob<'_> {
    /// Solves the stages of a ply that have no file yet, and writes the file of the ply if it is
    /// kept.
    fn build(
        &self,
        &PlannedPly { ply, kept, .. }: &PlannedPly,
        observer: &mut Observer<'_>,
    ) -> Result<PlyReport, SolveError> {
        let (rules, folder, stage_sets) = (self.rules, self.folder, self.stage_sets);
        let mut report = PlyReport {
            ply,
            ..PlyReport::default()
        };
        let mut writer = kept.then(|| PlyWriter::new(folder, rules, stage_sets, ply, self.profile));
        let database = Database::open(folder, *rules)?;
        let mut pairs = self.pairs_after(ply, &database)?;
        // The captures of one stage often lead to the same table as the quiet turns of the next.
        let mut last: Option<(Stage, Bytes)> = None;
        for stage in stage_sets.stages_of(ply) {
            let solved = self.unfinished_file(stage);
            let values = match solved.exists() {
                true if kept => timed(&mut report.load, || solved.read(rules))?,
                true => None,
                false => {
                    let mut next =
                        |next| timed(&mut report.load, || self.load(next, &database, &mut pairs));
                    let quiet = match last.take() {
                        Some((last, values)) if last == stage.after_quiet() => Some(values),
                        _ => next(stage.after_quiet())?,
                    };
                    let captures = next(stage.after_capture())?;
                    let [quiet, after] = [&quiet, &captures].map(Option::as_deref);
                    let values = self.solve(stage, quiet, after, &mut report)?;
                    last = captures.map(|table| (stage.after_capture(), table));
                    Some(values)
                }
            };
            if let (Some(writer), Some(values)) = (&mut writer, values) {
                timed(&mut report.write, || writer.add(stage, &values))?;
            }
            observer(BuildEvent::StageSolved(stage))?;
        }
        if let Some(writer) = writer {
            report.bytes = timed(&mut report.write, || writer.finish())?;
        }
        Ok(report)
    }

    /// A loader of the pairs' tables to which the turns of the last ply lead; `None` for other
    /// plies.
    fn pairs_after<'d>(
        &self,
        ply: u8,
        database: &'d Database,
    ) -> Result<Option<Loader<&'d Database>>, DbError> {
        if ply + 1 < self.rules.placements() {
            return Ok(None);
        }
        let missing = self.stage_sets.stages_of(ply);
        let missing = missing.filter(|&stage| !self.unfinished_file(stage).exists());
        let wanted = missing.flat_map(|stage| self.stage_sets.after(stage));
        let mut wanted: Vec<Material> = wanted.flatten().map(|next| self.moving(next)).collect();
        wanted.dedup();
        for &material in &wanted {
            let file = database.file_of(material)?;
            file.check_metric(self.profile.metric)?;
        }
        Loader::new(database, &wanted).map(Some)
    }

    /// The file of a stage that is solved before its ply is finished.
    fn unfinished_file(&self, stage: Stage) -> UnfinishedFile {
        UnfinishedFile::of_stage(self.folder, stage, self.profile.metric)
    }

    /// The table of the pairs that the game reaches from a stage after the last placement, through White's pass
    /// if Black makes the first move.
    fn moving(&self, stage: Stage) -> Material {
        match self.rules.first_to_move {
            Side::White => stage.material(),
            Side::Black => stage.material().exchanged(),
        }
    }

    /// The table of a stage: of the pairs or, while stones are left in hand, from the file of the
    /// stage or of its ply; `None` if no game reaches it.
    fn load(
        &self,
        stage: Stage,
        database: &Database,
        pairs: &mut Option<Loader<&Database>>,
    ) -> Result<Option<Bytes>, DbError> {
        if !self.stage_sets.exists(stage) {
            return Ok(None);
        }
        if let Some(pairs) = pairs {
            let values = pairs.load(self.moving(stage))?;
            return Ok(Some(match self.rules.first_to_move {
                Side::White => values,
                Side::Black => ply::before_pass(self.rules, stage.material(), &values)
                    .map_err(DbError::io(self.folder))?,
            }));
        }
        match self.unfinished_file(stage).read(self.rules)? {
            None => ply::load(database, stage, self.profile.metric).map(Some),
            found => Ok(found),
        }
    }

    /// Solves a stage from the tables after placements without a mill and after captures, and
    /// writes its file.
    fn solve(
        &self,
        stage: Stage,
        quiet: Option<&[u8]>,
        captures: Option<&[u8]>,
        report: &mut PlyReport,
    ) -> Result<Bytes, SolveError> {
        let rules = self.rules;
        let (metric, stage_sets) = (self.profile.metric, self.stage_sets);
        let values = timed(&mut report.solve, || {
            ply::solve_stage(rules, metric, stage_sets, stage, quiet, captures)
        });
        let values = values.map_err(|error| SolveError::PlyMemory(stage.ply, error))?;
        if values.par_iter().any(|&value| value > LARGEST_VALUE) {
            return Err(SolveError::PlyTooDeep(stage.ply));
        }
        let file = self.unfinished_file(stage);
        let write = || file.write(rules, &values);
        report.bytes += timed(&mut report.write, write)?;
        Ok(values)
    }
}
