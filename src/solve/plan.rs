//! The plan of a build: the pairs and the plies that a folder lacks, in the order in which they are
//! solved, with forecasts of memory, files and time.

use std::collections::BTreeSet;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use super::error::SolveError;
use super::pair;
use super::tables::{MOST_KEPT, TableCache};
use super::unfinished::UnfinishedFile;
use crate::index::stages::{Stage, StageSets, why_no_databases, why_unsolved};
use crate::index::{Material, Pair};
use crate::probe::Database;
use crate::rules::Rules;
use crate::rules::position::Side;
use crate::store::codec::Coverage;
use crate::store::{Compression, DbError, Profile, ply_file_name};
use crate::value::Metric;

/// The time of one entry on one core of the machine *Zen 5* of docs/RESULTS.md, from start to
/// written file, in ns: of all pairs of the standard rules without the last placement, and of their
/// placing phase.
const PAIR_NS_PER_ENTRY: f64 = 61.0;
const PLY_NS_PER_ENTRY: f64 = 19.0;

/// Bytes of a ply's file per entry of its tables, and of the files on the way if the ply is not
/// kept: measured for `standard`, with diagonals for `twelve`.
fn ply_bytes_per_entry(rules: &Rules, metric: Metric, kept: bool) -> f64 {
    match metric {
        Metric::Depth if !kept => 0.17,
        Metric::Depth if rules.diagonals => 0.14,
        Metric::Depth => 0.087,
        Metric::Wdl => 0.021,
    }
}

/// Measured memory besides the tables of a ply, in bytes: the program, the rows, marks of sets, and
/// buffers of the threads.
const PLY_FIXED: u64 = 100 << 20;

/// The files that a folder is to hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BuildRequest {
    /// The rules of the game.
    pub rules: Rules,
    /// The pairs. A build also makes those that they need.
    pub pairs: Vec<Pair>,
    /// The plies of the placing phase whose files are kept, which need the files of all pairs;
    /// empty to leave the placing phase out.
    pub plies: BTreeSet<u8>,
    /// Contents and compression of the files.
    pub profile: Profile,
}

/// The pairs with at most this many stones, those in hand included, in the order in which they are solved. They
/// need no others.
pub fn pairs_up_to(most_stones: u8, rules: &Rules) -> Vec<Pair> {
    let mut pairs = Pair::all(rules);
    pairs.retain(|pair| pair.total() <= most_stones);
    pairs
}

/// The plies whose files are kept by default: all early ones, which are small, and then every third
/// one up to some placements from the end, so that a short search leads from any position to the
/// next file or to the moving phase. These are four placements; the smallest files leave five to the
/// search, which has no depths to find.
pub fn kept_plies(rules: &Rules, profile: Profile) -> BTreeSet<u8> {
    const SMALL: u8 = 8;
    if rules.pairs_have_hands() {
        return BTreeSet::new();
    }
    let end = match (profile.metric, profile.compression) {
        (Metric::Wdl, Compression::Max) => 5,
        _ => 4,
    };
    let last = rules.placements().saturating_sub(end);
    (0..=last)
        .filter(|&ply| ply <= SMALL || (last - ply).is_multiple_of(3))
        .collect()
}

/// The requested files that a folder lacks. Sizes and times are forecasts.
#[derive(Debug)]
#[cfg_attr(feature = "service", derive(serde::Serialize, schemars::JsonSchema))]
#[non_exhaustive]
pub struct BuildPlan {
    /// The folder.
    pub folder: PathBuf,
    /// The entries of all tables of the pairs.
    pub entries: u64,
    /// The bytes of the pairs' files.
    pub file_bytes: u64,
    /// The most bytes of files that the pairs need on the way, until the last one is written.
    pub temporary_bytes: u64,
    /// The peak memory while the pairs are solved, in bytes.
    pub memory_bytes: u64,
    /// The time to build everything with the threads in use, in seconds, if their cores are like those of
    /// the machine *Zen 5* of docs/RESULTS.md.
    pub seconds: f64,
    /// The part of this time that the plies take.
    pub placing_seconds: f64,
    /// The pairs to solve, each after those that it needs.
    pub pairs: Vec<PlannedPair>,
    /// The plies to solve, the last one first; `None` if the request leaves the placing phase out.
    #[cfg_attr(feature = "service", serde(skip_serializing_if = "Option::is_none"))]
    pub placing: Option<Vec<PlannedPly>>,
    /// The pairs that the folder has, wanted or not, with the compression of their files.
    #[cfg_attr(feature = "service", serde(skip))]
    pub present: Vec<(Pair, Compression)>,
    /// The request.
    #[cfg_attr(feature = "service", serde(skip))]
    pub request: BuildRequest,
    /// The stages of the plies to solve, if there are any.
    #[cfg_attr(feature = "service", serde(skip))]
    pub(super) stage_sets: Option<StageSets>,
}

/// A pair to solve.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "service", derive(serde::Serialize, schemars::JsonSchema))]
#[non_exhaustive]
pub struct PlannedPair {
    /// The pair.
    pub pair: Pair,
    /// The entries of its tables.
    pub entries: u64,
    /// The size of its file in bytes.
    pub file_bytes: u64,
    /// The peak memory while it is built, in bytes, with the tables that are kept for later pairs.
    pub memory_bytes: u64,
}

/// A ply to solve.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "service", derive(serde::Serialize, schemars::JsonSchema))]
#[non_exhaustive]
pub struct PlannedPly {
    /// The number of stones placed.
    pub ply: u8,
    /// The entries of its tables.
    pub entries: u64,
    /// Whether its file stays; the other plies are only needed to solve these.
    pub kept: bool,
    /// The size of its file in bytes, or of its files on the way.
    pub file_bytes: u64,
    /// The peak memory while it is solved, in bytes.
    pub memory_bytes: u64,
}

impl BuildPlan {
    /// The plan for a folder, which need not exist. Solved stages that an interrupted build left
    /// there are not solved again.
    ///
    /// ```
    /// use millbase::solve::{BuildPlan, BuildRequest};
    /// use millbase::{Pair, Rules};
    /// let request = BuildRequest {
    ///     rules: Rules::STANDARD,
    ///     pairs: vec![Pair::new(4, 4).unwrap()],
    ///     plies: [15, 17].into(),
    ///     profile: Default::default(),
    /// };
    /// let empty = std::env::temp_dir().join("no such folder");
    /// let plan = BuildPlan::new(&empty, &request)?;
    /// let pairs: Vec<String> = plan.pairs.iter().map(|planned| planned.pair.to_string()).collect();
    /// assert_eq!(pairs, ["3-3", "4-3", "4-4"]);
    /// let plies: Vec<u8> = plan.plies().iter().map(|planned| planned.ply).collect();
    /// assert_eq!(plies, [17, 16, 15]);
    /// # Ok::<(), millbase::solve::SolveError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`SolveError::OtherContents`] if the folder has a file of another metric,
    /// [`SolveError::Rules`] if the rules have no such databases, and
    /// [`SolveError::Database`] if a wanted pair or ply has a file that cannot be used: no build
    /// replaces it unasked.
    pub fn new(folder: &Path, request: &BuildRequest) -> Result<BuildPlan, SolveError> {
        let database = match folder.exists() {
            true => Database::open(folder, request.rules)?,
            false => Database::embedded(request.rules),
        };
        BuildPlan::of(&database, folder, request)
    }

    /// As [`new`](BuildPlan::new), with the database of the folder already opened. Files written
    /// since then do not count.
    pub fn of(
        database: &Database,
        folder: &Path,
        request: &BuildRequest,
    ) -> Result<BuildPlan, SolveError> {
        let rules = request.rules;
        let (stage_sets, plies) = plan_plies(folder, request)?;
        let numbers = request.plies.iter().copied();
        let present = built_pairs(database, numbers, request.profile)?;
        let mut pairs = Pair::with_needed(request.pairs.clone(), &rules);
        pairs.retain(|wanted| !present.iter().any(|(pair, _)| pair == wanted));
        for &pair in &pairs {
            match database.file(pair) {
                Ok(_) | Err(DbError::Missing { .. }) => {}
                Err(unusable) => return Err(unusable.into()),
            }
        }
        let last_placement = solves_with_pairs(&rules, &plies);
        let planned = |(number, &pair): (usize, &Pair)| PlannedPair {
            pair,
            entries: pair.entries(&rules),
            file_bytes: (file_bytes(&rules, pair) as f64 * share(request.profile)) as u64,
            memory_bytes: memory_of(&rules, &pairs, number, last_placement),
        };
        let pairs: Vec<PlannedPair> = pairs.iter().enumerate().map(planned).collect();
        let entries = pairs.iter().map(|planned| planned.entries).sum();
        let placing_entries = plies.iter().map(|planned| planned.entries).sum();
        let placing_seconds = seconds_for(placing_entries, PLY_NS_PER_ENTRY);
        Ok(BuildPlan {
            folder: folder.to_path_buf(),
            entries,
            file_bytes: pairs.iter().map(|planned| planned.file_bytes).sum(),
            temporary_bytes: temporary_bytes(&rules, &pairs),
            memory_bytes: (pairs.iter().map(|planned| planned.memory_bytes))
                .max()
                .unwrap_or(0),
            seconds: seconds_for(entries, PAIR_NS_PER_ENTRY) + placing_seconds,
            placing_seconds,
            pairs,
            placing: (!request.plies.is_empty()).then_some(plies),
            present,
            request: request.clone(),
            stage_sets,
        })
    }

    /// The plan with its times for this machine: it solves a small pair for half a second. Without the
    /// databases that are part of the program, the times stay.
    ///
    /// # Errors
    ///
    /// [`SolveError::Database`] or [`SolveError::PairMemory`] if the system refuses memory.
    pub fn measured(self) -> Result<BuildPlan, SolveError> {
        let slowness = slowness()?;
        Ok(BuildPlan {
            seconds: self.seconds * slowness,
            placing_seconds: self.placing_seconds * slowness,
            ..self
        })
    }

    /// The pairs of the request and those that they need, solved or not, each after those that it
    /// needs.
    pub fn wanted(&self) -> Vec<Pair> {
        Pair::with_needed(self.request.pairs.clone(), &self.request.rules)
    }

    /// The plies to solve, the last one first.
    pub fn plies(&self) -> &[PlannedPly] {
        self.placing.as_deref().unwrap_or_default()
    }

    /// The entries of all tables of the plies.
    pub fn placing_entries(&self) -> u64 {
        self.plies().iter().map(|planned| planned.entries).sum()
    }
}

/// The pairs that have a usable file in the folder of a database, with the compression of the
/// files. Built-in files do not count: a built folder is complete.
///
/// # Errors
///
/// [`SolveError::OtherContents`] if a pair, or one of these plies, has another metric than the profile's,
/// [`SolveError::Database`] if a ply's file cannot be used, [`SolveError::Rules`] if there are no databases of this metric
/// under these rules.
pub fn built_pairs(
    database: &Database,
    plies: impl Iterator<Item = u8>,
    profile: Profile,
) -> Result<Vec<(Pair, Compression)>, SolveError> {
    let (rules, metric) = (database.rules(), profile.metric);
    if let Some(why) = why_no_databases(rules) {
        return Err(SolveError::Rules(why));
    }
    if rules.quiet_turns > 0 && metric == Metric::Wdl {
        return Err(SolveError::Rules(
            "under a limit of quiet turns the result of a position follows from the number of turns to the \
             next removal, so there are no databases without depths",
        ));
    }
    let other = |name, metric| SolveError::OtherContents { name, metric };
    for ply in plies {
        let file = database.ply(ply)?.map(|file| file.metric());
        if let Some(found) = file.filter(|&found| found != profile.of_plies(rules).metric) {
            return Err(other(ply_file_name(ply), found));
        }
    }
    let files = database.pairs().filter(|file| file.path().is_some());
    let pairs = files.map(|file| match file.metric() == metric {
        true => Ok((file.pair(), file.compression())),
        false => Err(other(file.pair().to_string(), file.metric())),
    });
    pairs.collect()
}

/// The peak memory while building the pair at this place of a plan, in bytes: that of the pair
/// alone plus the compressed tables kept for later pairs and for the last placement, if that is
/// solved with the pair.
fn memory_of(rules: &Rules, pairs: &[Pair], number: usize, last_placement: bool) -> u64 {
    let (pair, later) = (pairs[number], &pairs[number + 1..]);
    let waiting = pairs[..number].iter().flat_map(|pair| pair.tables(rules));
    let waiting = waiting
        .filter(|&table| TableCache::pair_after(table).is_some_and(|pair| later.contains(&pair)));
    let kept = waiting.map(Material::entries).sum::<u64>() / TableCache::RATIO;
    if !last_placement {
        return pair::memory(rules, pair) + kept;
    }
    // The tables that captures lead to stay until the placements before the pair are solved. By
    // then only the pair's values, one of those tables and that of the placements are needed.
    let captures = |table: Material| -> u64 {
        let after = table.after_captures(rules).into_iter();
        after.map(Material::entries).sum()
    };
    let placements = |table: Material| Material::new(table.waiting - 1, table.mover);
    let tables = || pair.tables(rules).into_iter();
    let again: u64 = tables().map(captures).sum();
    let last = tables().map(|table| captures(table.exchanged()) + placements(table).entries());
    let last = pair::FIXED + pair.entries(rules) + last.max().unwrap_or(0);
    kept + last.max(pair::memory(rules, pair) + again / TableCache::RATIO)
}

/// The size of a pair's file with depths, in bytes: 0.043 for each stored entry and each stone of
/// the smaller side, as depths vary more the more even the sides are. If entries can be omitted,
/// about three quarters are stored.
///
/// The sum over all pairs of a set of rules is within a fifth of the measured sizes; single pairs
/// are off by more.
fn file_bytes(rules: &Rules, pair: Pair) -> u64 {
    let larger = pair.tables(rules)[0];
    let stored = match Coverage::EvenOrClosing.suffices(rules, larger) {
        true => larger.entries() * 3 / 4,
        false => larger.entries(),
    };
    stored * u64::from(pair.smaller()) * 43 / 1000
}

/// The size of the pairs' files with this profile, divided by that with the default profile, as
/// measured for all pairs of the standard rules.
fn share(profile: Profile) -> f64 {
    match (profile.metric, profile.compression) {
        (Metric::Depth, Compression::Quick) => 1.0,
        (Metric::Depth, Compression::Max) => 0.41,
        (Metric::Wdl, Compression::Quick) => 0.17,
        (Metric::Wdl, Compression::Max) => 0.063,
    }
}

/// The most bytes of the tables that a build of these pairs keeps in files of its own: if pairs have
/// stones in hand, the tables with some number of them, and those that turns lead to.
fn temporary_bytes(rules: &Rules, pairs: &[PlannedPair]) -> u64 {
    if !rules.pairs_have_hands() {
        return 0;
    }
    let with = |in_hand: u8| -> u64 {
        let same = pairs
            .iter()
            .filter(|planned| planned.pair.all_in_hand() == in_hand);
        same.map(|planned| planned.entries).sum()
    };
    let until = rules.most_from_hands();
    let most = (0..rules.placements())
        .map(|in_hand| (in_hand..=in_hand + until).map(with).sum::<u64>())
        .max();
    most.unwrap_or(0) / TableCache::RATIO
}

/// Whether the last placement is among these plies and is solved together with the pairs: White's pass, if the rules
/// have one, stands between it and their tables.
pub(super) fn solves_with_pairs(rules: &Rules, plies: &[PlannedPly]) -> bool {
    let last = plies.first().map(|planned| planned.ply + 1);
    rules.first_to_move == Side::White && last == Some(rules.placements())
}

/// The plies to solve so that a folder has the files of the plies of a request, and the stages, if
/// there are plies to solve.
fn plan_plies(
    folder: &Path,
    request: &BuildRequest,
) -> Result<(Option<StageSets>, Vec<PlannedPly>), SolveError> {
    let (rules, keep) = (&request.rules, &request.plies);
    let metric = request.profile.of_plies(rules).metric;
    let plies = rules.placements();
    let has_file = |ply| folder.join(ply_file_name(ply)).exists();
    if keep.iter().all(|&ply| has_file(ply)) {
        return Ok((None, Vec::new()));
    }
    if let Some(why) = why_unsolved(rules) {
        return Err(SolveError::Rules(why));
    }
    let stage_sets = StageSets::new(rules, plies);
    let has_stages = |ply| {
        let mut stages = stage_sets.stages_of(ply);
        stages.all(|stage| UnfinishedFile::of_stage(folder, stage, metric).exists())
    };
    let mut missing = BTreeSet::new();
    for &ply in keep.iter().filter(|&&ply| !has_file(ply)) {
        missing.insert(ply);
        if !has_stages(ply) {
            let next = ply + 1..plies;
            missing.extend(next.take_while(|&ply| !has_file(ply) && !has_stages(ply)));
        }
    }
    let planned = |&ply: &u8| {
        let entries = |stage: Stage| stage.material().entries();
        // After the last placement, tables are derived from up to two others, and some are kept.
        let (deriving, kept) = match ply + 1 == plies {
            true => (2, MOST_KEPT as u64),
            false => (0, 0),
        };
        let memory = stage_sets.stages_of(ply).map(|stage| {
            let [quiet, captures] = stage_sets.after(stage).map(|next| next.map_or(0, entries));
            entries(stage).max(deriving * captures) + quiet + captures + kept
        });
        let memory_bytes = PLY_FIXED + memory.max().unwrap_or(0);
        let entries = stage_sets.stages_of(ply).map(entries).sum();
        let is_kept = keep.contains(&ply);
        PlannedPly {
            ply,
            entries,
            kept: is_kept,
            file_bytes: (entries as f64 * ply_bytes_per_entry(rules, metric, is_kept)) as u64,
            memory_bytes,
        }
    };
    let planned = missing.iter().rev().map(planned).collect();
    Ok((Some(stage_sets), planned))
}

/// The number of cores that compute: at most one for each thread.
pub fn cores() -> usize {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    cores.min(rayon::current_num_threads())
}

/// The time of a build on a core of this machine, divided by that on one of the machine *Zen 5* of
/// docs/RESULTS.md, which solves 6-3 in 0.10 s on two cores. The best of a few attempts counts.
fn slowness() -> Result<f64, SolveError> {
    const SECONDS_ON_ONE_CORE: f64 = 2.0 * 0.10;
    const BUDGET: Duration = Duration::from_millis(500);
    let database = Database::embedded(Rules::STANDARD);
    let Some(pair) = Pair::new(6, 3).filter(|_| database.pairs().next().is_some()) else {
        return Ok(1.0);
    };
    let (begin, mut best) = (Instant::now(), Duration::MAX);
    while begin.elapsed() < BUDGET {
        let start = Instant::now();
        let load = |material| super::load(&database, material);
        pair::solve(&Rules::STANDARD, pair, load, &mut |_| Ok(()))?;
        best = best.min(start.elapsed());
    }
    Ok(best.as_secs_f64() * cores() as f64 / SECONDS_ON_ONE_CORE)
}

/// The seconds that `entries` entries take on all cores if each takes this number of ns on one
/// core.
fn seconds_for(entries: u64, ns_per_entry_and_core: f64) -> f64 {
    entries as f64 * ns_per_entry_and_core / 1e9 / cores() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_sizes_are_foreseen() {
        let sizes = include_str!("../../tests/data/file_sizes.csv");
        for name in ["standard", "twelve"] {
            let rules = Rules::named(name).unwrap();
            let (mut pairs, mut forecast, mut measured) = (0, 0, 0);
            for line in sizes.lines().filter(|line| line.starts_with(name)) {
                let [_, pair, bytes] = line.split(',').collect::<Vec<_>>()[..] else {
                    panic!("{line}");
                };
                pairs += 1;
                forecast += file_bytes(&rules, pair.parse().unwrap());
                measured += bytes.parse::<u64>().unwrap();
            }
            assert!(pairs >= 25);
            let ratio = forecast as f64 / measured as f64;
            assert!((0.8..=1.2).contains(&ratio), "{name}: {ratio}");
        }
    }
}
