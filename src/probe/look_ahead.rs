//! Values of positions with stones in hand: read from a file if one holds them, else by a search
//! down to the next ply that has a file or to the moving phase.
//!
//! A second thread joins a search that takes more than [`ALONE`]: the first thread searches the positions
//! from the front, the second from the back, and each defers what the other is searching ([`Abdada`]). The
//! first never waits for a result of the second, which may have to wait for a core.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock};
use std::thread;
use std::time::Duration;

use super::answer::Effort;
use super::database::Database;
use super::foresee;
use super::omitted::Derivation;
use super::stop::{self, Stop};
use crate::index::Material;
use crate::index::stages::Stage;
use crate::lock::locked;
use crate::rules::MOST_STONES;
use crate::rules::position::Position;
use crate::search::Evaluation;
use crate::search::clock::Instant;
use crate::search::core::{Abdada, Evaluator, NodeCounts, SearchContext, Window, Worker};
use crate::search::key;
use crate::search::score::Score;
use crate::search::table::TranspositionTable;
use crate::store::DbError;
use crate::value::{Distance, Metric, Value, Wdl};

/// The most placements to the next file or to the moving phase for which a search is started. With
/// this many it takes seconds, with more it takes minutes.
const MOST_PLACEMENTS: u8 = 10;

/// The most positions that a search may visit for all turns of a position together: some four times
/// as many as [`MOST_PLACEMENTS`] placements need in random games of the standard rules.
const MOST_NODES: u64 = 8_000_000;

/// The most turns from the last placement to stored positions: omitted positions follow from their
/// turns, and some captures lead to other omitted positions.
const MOST_DERIVED: u32 = 2 * MOST_STONES as u32;

/// Up to this many placements from a file or the moving phase, all positions on the way are looked at to
/// foresee the bytes that a search needs; beyond, the search goes on as if missing values were draws.
const FORESEEN_PLACEMENTS: u8 = 2;

/// The time that one thread searches before a second one joins: long enough that few searches start a
/// second thread, which costs time if both must share a core. In unit tests both begin together.
const ALONE: Duration = Duration::from_millis(if cfg!(test) { 0 } else { 1 });

impl Database {
    /// Whether a few placements lead to a file of the placing phase that holds what follows, or, if such
    /// files exist, to the moving phase.
    pub(crate) fn is_near_file(&self, position: &Position) -> bool {
        if !position.removal_owed() {
            return FileDistance::of(self, &[*position]).is_near;
        }
        let rules = self.rules();
        let mut after = Vec::with_capacity(16);
        position.for_each_turn(rules, |turn| after.push(position.after(turn)));
        FileDistance::of(self, &after).is_near
    }
}

/// How far positions are from stored ones.
#[derive(Clone, Copy)]
struct FileDistance {
    /// The number of placements to the next ply that has a file, or to the moving phase.
    placements: u8,
    /// See [`Database::is_near_file`].
    is_near: bool,
    /// Whether the files of the placing phase would hold what follows if they were complete.
    is_covered: bool,
}

impl FileDistance {
    /// The distance of positions with the same number of stones in hand and no pending removal.
    fn of(database: &Database, positions: &[Position]) -> FileDistance {
        const FEW: u8 = 4;
        let rules = database.rules();
        let ply = positions
            .first()
            .map_or(0, |first| Stage::of(first, rules).ply);
        let is_covered = positions.iter().all(|position| covers(database, position));
        let next = database.plies.range(ply..).next();
        let next = next.filter(|_| is_covered).map(|(&ply, _)| ply);
        let placements = next.unwrap_or(rules.placements()).saturating_sub(ply);
        FileDistance {
            placements,
            is_near: !database.plies.is_empty() && is_covered && placements <= FEW,
            is_covered,
        }
    }

    /// The error for positions whose search would take too long.
    fn too_long(self, database: &Database) -> DbError {
        if !self.is_covered {
            return DbError::NotStored(
                "no game reaches this position, so no file holds it, and a search for its value would \
                 take too long"
                    .to_string(),
            );
        }
        DbError::MissingPlies {
            ply: None,
            location: database.location(),
        }
    }
}

/// Whether the files of the placing phase hold a position without a pending removal or what follows from
/// it, as far as there are files of these plies. They omit what no game reaches, see
/// [`StageSets`](crate::index::stages::StageSets); after the last file and at the end of the game this
/// makes no difference.
fn covers(database: &Database, position: &Position) -> bool {
    let stage = Stage::of(position, database.rules());
    let is_of_stage = stage.is_of(position, database.rules());
    if !is_of_stage || database.plies.range(stage.ply..).next().is_none() {
        return is_of_stage;
    }
    let stage_sets = database.stage_sets();
    stage_sets.ends_game(stage) || stage_sets.allows(stage, position.mover(), position.waiting())
}

/// The files as a source of known values, for one thread of a search.
pub(super) struct FileEvaluator<'a> {
    pub database: &'a Database,
    /// The metric of the values.
    pub metric: Metric,
    /// The positions without stones in hand.
    moving: Mutex<Derivation<'a>>,
    /// Set at a failure, which ends the search.
    stop: AtomicBool,
    /// Set when nobody waits for the values.
    given_up: Option<Stop>,
    /// The first failure.
    failure: OnceLock<DbError>,
}

impl<'a> FileEvaluator<'a> {
    fn new(database: &'a Database, metric: Metric) -> FileEvaluator<'a> {
        FileEvaluator {
            database,
            metric,
            moving: Mutex::new(Derivation::new(database, metric)),
            stop: AtomicBool::new(false),
            given_up: stop::flag(),
            failure: OnceLock::new(),
        }
    }

    /// The score of a position; `None` if it follows from those after its turns. A score outside the
    /// window may be a bound.
    pub fn score(&self, position: &Position, window: Window) -> Result<Option<Score>, DbError> {
        stop::check(&self.given_up)?;
        if position.is_in_placing_phase(self.database.rules()) {
            return Ok(self.database.stored(position)?.map(Score::from));
        }
        if position.is_over(self.database.rules()) {
            return Ok(None);
        }
        let mut moving = locked(&self.moving);
        if let Some(score) = moving.stored_or_derived(position)? {
            return Ok(Some(score));
        }
        let file = self.database.file_of(Material::of_position(position))?;
        match (
            file.coverage().omits_rows(),
            self.database.rules().distance(),
        ) {
            (true, _) => moving.searched(position, window).map(Some),
            (false, Distance::ToEnd) => Ok(None),
            (false, Distance::ToRemoval) => Ok(Some(self.database.probe_wdl(position)?.into())),
        }
    }
}

impl Evaluator for FileEvaluator<'_> {
    fn probe(&self, position: &Position, window: Window, counts: &mut NodeCounts) -> Option<Score> {
        match self.score(position, window) {
            Ok(score) => {
                counts.tb_hits += u64::from(score.is_some());
                score
            }
            Err(error) => {
                self.failure.get_or_init(|| error);
                self.stop.store(true, Ordering::Relaxed);
                Some(Score::DRAW)
            }
        }
    }
}

impl Database {
    /// The values of positions for their sides to move: of one, or of all to which the turns of `parent` lead. All
    /// must have the same number of stones in hand and no pending removal. If a file that the answer needs has no
    /// depths, the values are those of [`Metric::Wdl`].
    pub(super) fn look_ahead(
        &self,
        positions: &[Position],
        parent: Option<&Position>,
        effort: Effort,
    ) -> Result<Vec<Value>, DbError> {
        let with_depths = !self.lacks_depths.load(Ordering::Relaxed);
        match self.look_ahead_once(positions, parent, effort) {
            // Files of several builds lie together. The search goes down again without depths.
            Err(DbError::NoDepths { .. }) if with_depths => {
                self.lacks_depths.store(true, Ordering::Relaxed);
                self.look_ahead_once(positions, parent, effort)
            }
            values => values,
        }
    }

    fn look_ahead_once(
        &self,
        positions: &[Position],
        parent: Option<&Position>,
        mut effort: Effort,
    ) -> Result<Vec<Value>, DbError> {
        if positions.is_empty() {
            return Ok(Vec::new());
        }
        let distance = FileDistance::of(self, positions);
        if effort.nodes.is_none() && distance.placements > MOST_PLACEMENTS {
            return Err(distance.too_long(self));
        }
        if !distance.is_near && effort.nodes.is_some() {
            // Whether a custom limit suffices must depend neither on the timing of threads nor on
            // earlier answers.
            return searched(self, (positions, parent), distance, effort, false);
        }
        effort.nodes = Some(MOST_NODES);
        let key = |position: &Position| key::canonical(position).0;
        let search = |missing: &[Position]| {
            searched(self, (missing, parent), distance, effort, self.two_threads)
        };
        self.cached(positions, key, search)
    }
}

/// The values of positions, or of those after turns of a parent, by a search.
fn searched(
    database: &Database,
    (positions, parent): (&[Position], Option<&Position>),
    distance: FileDistance,
    effort: Effort,
    two_threads: bool,
) -> Result<Vec<Value>, DbError> {
    let placements = distance.placements;
    let metric = database.placing_metric();
    let files = FileEvaluator::new(database, metric);
    let second_files = FileEvaluator::new(database, metric);
    // Most positions are close to a file or have a low node limit, so a small table suffices.
    let most_nodes = effort.nodes.unwrap_or(MOST_NODES);
    let most_bytes = usize::try_from(most_nodes.saturating_mul(64)).unwrap_or(usize::MAX);
    let table = TranspositionTable::with_bytes(most_bytes.min(1 << (12 + 2 * placements.min(7))));
    let abdada = two_threads.then(Abdada::new);
    let finished = AtomicBool::new(false);
    let [first, second] = [&files, &second_files].map(|files| SearchContext {
        finished: &finished,
        deadline: effort.deadline,
        nodes: most_nodes,
        abdada: abdada.as_ref(),
        ..SearchContext::new(database.rules(), &table, files, &files.stop)
    });
    let values: Vec<OnceLock<Value>> = positions.iter().map(|_| OnceLock::new()).collect();
    let mut wanted: Vec<_> = values.iter().zip(positions).collect();
    let mut least = Wdl::Loss;
    if placements > 0 {
        // No turn is better than the position before it.
        let before = parent.and_then(|parent| database.stored_at_hand(parent));
        least = before.map_or(least, |value| value.backed_up().wdl());
        // The worst for their sides to move come first: if the time runs out, the best turns are likely known.
        let evaluation = Evaluation::best(database.rules());
        wanted.sort_by_cached_key(|(_, position)| evaluation.of(position, database.rules()));
    }
    let begun = Instant::now();
    thread::scope(|scope| {
        let mut alone = two_threads;
        let from_the_front = wanted.iter().enumerate().map(|(place, &next)| {
            if alone && begun.elapsed() >= ALONE {
                alone = false;
                let (rest, second) = (&wanted[place..], &second);
                // If no thread can be started, the first one finds all values.
                let _ = thread::Builder::new().spawn_scoped(scope, move || {
                    find_each(second, metric, least, rest.iter().rev().copied())
                });
            }
            next
        });
        find_each(&first, metric, least, from_the_front);
        finished.store(true, Ordering::Relaxed);
    });
    if second_files.stop.load(Ordering::Relaxed) {
        // Bytes that the second thread read are missing or damaged. The first may not need them,
        // but scores that follow from them may be in the table.
        return searched(database, (positions, parent), distance, effort, false);
    }
    let values = values.into_iter().map(OnceLock::into_inner);
    let values = values.map(|value| value.map(|value| metric.of_value(value)));
    let values: Vec<Option<Value>> = values.collect();
    let found: Option<Vec<Value>> = values.iter().copied().collect();
    match files.failure.get() {
        Some(DbError::Pending(ranges)) if placements > FORESEEN_PLACEMENTS => Err(foresee::far(
            FileEvaluator::new(database, metric),
            ranges,
            positions,
            &table,
        )),
        Some(failure) => database.with_all_ranges(Err(failure.clone()), positions, Metric::Depth),
        None => found.ok_or_else(|| {
            if distance.is_near {
                for (at, value) in positions.iter().zip(values) {
                    if let Some(value) = value {
                        database.keep(key::canonical(at).0, value);
                    }
                }
            }
            distance.too_long(database)
        }),
    }
}

/// Finds values of a metric, each at least `least`, one after the other, until one is known already or the
/// search is stopped.
pub(super) fn find_each<'a>(
    context: &SearchContext<'_, impl Evaluator>,
    metric: Metric,
    least: Wdl,
    wanted: impl Iterator<Item = (&'a OnceLock<Value>, &'a Position)>,
) {
    let mut worker = Worker::new(context, &[]);
    for (value, position) in wanted {
        if value.get().is_some() {
            return;
        }
        let depth = position.all_in_hand() + MOST_DERIVED;
        let found = Window::value(metric == Metric::Depth, least, |window| {
            let score = worker.search((*position).into(), window, depth, 0);
            (!worker.stopped).then_some(score).ok_or(())
        });
        let Ok(found) = found else { return };
        value.get_or_init(|| found);
    }
}
