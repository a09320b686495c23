//! Values of positions with stones in hand: read from a file if one holds them, else by a search
//! down to the next ply that has a file or to the moving phase.
//!
//! A second thread joins a search that takes more than [`ALONE`]: the first thread searches the positions
//! from the front, the second from the back, and each defers what the other is searching ([`Abdada`]). The
//! first never waits for a result of the second, which may have to wait for a core.

use std::collections::{HashSet, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};
use std::thread;
use std::time::Duration;

use super::database::Database;
use super::omitted::Search;
use crate::index::reachable::Stage;
use crate::lock::held;
use crate::rules::MOST_STONES;
use crate::rules::position::Position;
use crate::search::clock::Instant;
use crate::search::core::{Abdada, Evaluator, NodeCounts, SearchContext, Window, Worker};
use crate::search::key;
use crate::search::score::Score;
use crate::search::table::TranspositionTable;
use crate::store::{Awaited, DbError};
use crate::value::{Metric, Value};

/// The most placements to the next file or to the moving phase for which a search is started. With
/// this many it takes seconds, with more it takes minutes.
const MOST_PLACEMENTS: u8 = 10;

/// The most positions that a search may visit for all turns of a position together: some four times what
/// [`MOST_PLACEMENTS`] need in random games of the standard rules.
const MOST_NODES: u64 = 8_000_000;

/// The most turns from the last placement to stored positions: omitted positions follow from their
/// turns, and some captures lead to other omitted positions.
const MOST_DERIVED: u32 = 2 * MOST_STONES as u32;

/// Up to this many placements from a file or the moving phase, all positions on the way are looked at to
/// foresee the bytes that a search needs; beyond, the search goes on as if missing values were draws.
const FORESEEN_PLACEMENTS: u8 = 2;

/// The most positions looked at for that.
const MOST_FORESEEN: usize = 20_000;

/// The most ranges asked for at once.
const MOST_RANGES: usize = 1_000;

/// How long one thread searches before a second one joins: so long that few searches take more where
/// both would have to share a core. In unit tests both begin together.
const ALONE: Duration = Duration::from_millis(if cfg!(test) { 0 } else { 1 });

impl Database {
    /// Whether a few placements lead to a file of the placing phase that holds what follows, or, if such
    /// files exist, to the moving phase.
    pub(crate) fn is_near_file(&self, position: &Position) -> bool {
        if !position.removal_owed() {
            return Distance::of(self, &[*position]).is_near;
        }
        let rules = self.rules();
        let mut after = Vec::with_capacity(16);
        position.for_each_turn(rules, |turn| after.push(position.after(turn)));
        Distance::of(self, &after).is_near
    }
}

/// How far positions are from stored ones.
#[derive(Clone, Copy)]
struct Distance {
    /// The number of placements to the next ply that has a file, or to the moving phase.
    placements: u8,
    /// See [`Database::is_near_file`].
    is_near: bool,
    /// Whether the files of the placing phase, being complete, would hold what follows.
    is_covered: bool,
}

impl Distance {
    /// The distance of positions with the same number of stones in hand and no pending removal.
    fn of(database: &Database, positions: &[Position]) -> Distance {
        const FEW: u8 = 4;
        let rules = database.rules();
        let ply = positions
            .first()
            .map_or(0, |first| Stage::of(first, rules).ply);
        let plies = database.placing();
        let is_covered = positions.iter().all(|position| match plies {
            Some(plies) => plies.cover(position),
            None => Stage::of(position, rules).is_of(position, rules),
        });
        let next = plies
            .filter(|_| is_covered)
            .and_then(|plies| plies.next(ply));
        let placements = next.unwrap_or(2 * rules.stones).saturating_sub(ply);
        Distance {
            placements,
            is_near: plies.is_some() && is_covered && placements <= FEW,
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
            location: database.location(),
        }
    }
}

/// The files as a source of known values, for one thread of a search.
struct Files<'a> {
    database: &'a Database,
    /// Whether the files of all pairs hold depths.
    depths: bool,
    /// The positions without stones in hand.
    moving: Mutex<Search<'a>>,
    /// Set at a failure, which ends the search.
    stop: AtomicBool,
    /// The first failure.
    failure: OnceLock<DbError>,
    /// The ranges that are not here yet, and how many more positions may be looked at to find others.
    awaited: Mutex<Awaited>,
    more: AtomicUsize,
}

impl<'a> Files<'a> {
    /// Files for a search that looks at this many more positions once bytes have not arrived.
    fn new(database: &'a Database, more: usize) -> Files<'a> {
        Files {
            database,
            depths: database.pairs().all(|file| file.metric() == Metric::Depth),
            moving: Mutex::new(Search::new(database, Metric::Depth)),
            stop: AtomicBool::new(false),
            failure: OnceLock::new(),
            awaited: Mutex::default(),
            more: AtomicUsize::new(more),
        }
    }

    fn value(&self, position: &Position) -> Result<Option<Value>, DbError> {
        let rules = self.database.rules();
        if position.is_placing() {
            let stage = Stage::of(position, rules);
            return match stage.is_of(position, rules) {
                true => self
                    .database
                    .stored(stage, position.mover(), position.waiting()),
                false => Ok(None),
            };
        }
        if position.is_over(rules) {
            return Ok(None);
        }
        match self.depths {
            true => {
                let mut moving = held(&self.moving);
                moving.held_value(position.mover(), position.waiting())
            }
            false => self.database.probe(position).map(Some),
        }
    }

    /// The score of a position without stones in hand, if its file holds only some rows.
    fn omitted(&self, position: &Position, window: Window) -> Result<Option<Score>, DbError> {
        let (mover, waiting) = (position.mover(), position.waiting());
        if position.is_placing() || !self.database.omits_rows(mover, waiting) {
            return Ok(None);
        }
        let mut moving = held(&self.moving);
        moving.score(mover, waiting, window).map(Some)
    }

    /// Whether a file, the bytes of which have not arrived, likely holds a position.
    fn likely_knows(&self, position: &Position) -> bool {
        let (mover, waiting) = (position.mover(), position.waiting());
        position.is_placing() || self.database.likely_holds(mover, waiting)
    }

    /// Notes ranges that are not here yet. The search ends when it has looked at enough positions after
    /// the first of them.
    fn wait_for(&self, pending: DbError) {
        let mut awaited = held(&self.awaited);
        // The error is noted, so there is nothing else to say.
        let _ = awaited.note::<()>(Err(pending));
        let more = self.more.load(Ordering::Relaxed);
        self.more.store(more.saturating_sub(1), Ordering::Relaxed);
        if more == 0 || awaited.len() >= MOST_RANGES {
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}

impl Evaluator for Files<'_> {
    fn probe(&self, position: &Position, window: Window, counts: &mut NodeCounts) -> Option<Score> {
        let score = match self.value(position) {
            Ok(None) => self.omitted(position, window),
            Ok(value) => Ok(value.map(Score::from)),
            Err(error) => Err(error),
        };
        match score {
            Ok(value) => {
                counts.tb_hits += u64::from(value.is_some());
                value
            }
            Err(error @ DbError::Pending(_)) => {
                self.wait_for(error);
                Some(Score::DRAW)
            }
            Err(error) => {
                self.failure.get_or_init(|| error);
                self.stop.store(true, Ordering::Relaxed);
                Some(Score::DRAW)
            }
        }
    }

    /// Never called: the search goes on until every value is known.
    fn evaluate(&self, _position: &Position) -> Score {
        Score::DRAW
    }
}

/// The values of positions for their sides to move. All must have the same number of stones in hand
/// and no pending removal. If no file is near, `most_nodes` limits the positions that the search
/// visits; `None` means the usual limits.
///
/// # Errors
///
/// Those of [`Database::probe`].
pub(super) fn values(
    database: &Database,
    positions: &[Position],
    most_nodes: Option<u64>,
) -> Result<Vec<Value>, DbError> {
    if positions.is_empty() {
        return Ok(Vec::new());
    }
    let distance = Distance::of(database, positions);
    if most_nodes.is_none() && distance.placements > MOST_PLACEMENTS {
        return Err(distance.too_long(database));
    }
    if let (false, Some(most_nodes)) = (distance.is_near, most_nodes) {
        // Whether a custom limit suffices depends neither on the timing of threads nor on the answers
        // before.
        return searched(database, positions, distance, most_nodes, false);
    }
    let key = |position: &Position| key::canonical(position).0;
    let search = |missing: &[Position]| {
        let two_threads = database.two_threads;
        searched(database, missing, distance, MOST_NODES, two_threads).map(Some)
    };
    let values = database.kept(positions, key, search)?;
    Ok(values.unwrap_or_default())
}

/// [`values`] that are not in the cache.
fn searched(
    database: &Database,
    positions: &[Position],
    distance: Distance,
    most_nodes: u64,
    two_threads: bool,
) -> Result<Vec<Value>, DbError> {
    loop {
        match search(database, positions, distance, most_nodes, two_threads) {
            // The head of this file came while the search went on; now it is known.
            Err(DbError::NoDepths { .. }) => {}
            found => return found,
        }
    }
}

/// [`values`], found by a search from positions at this distance from stored ones.
fn search(
    database: &Database,
    positions: &[Position],
    distance: Distance,
    most_nodes: u64,
    two_threads: bool,
) -> Result<Vec<Value>, DbError> {
    let placements = distance.placements;
    let more = match placements <= FORESEEN_PLACEMENTS {
        true => 0,
        false => MOST_FORESEEN,
    };
    let files = Files::new(database, more);
    let second_files = Files::new(database, 0);
    // Most positions are close to a file or have a low node limit, so a small table suffices.
    let most_bytes = most_nodes
        .saturating_mul(64)
        .try_into()
        .unwrap_or(usize::MAX);
    let table = TranspositionTable::with_bytes(most_bytes.min(1 << (12 + 2 * placements.min(7))));
    let abdada = two_threads.then(Abdada::new);
    let finished = AtomicBool::new(false);
    let [first, second] = [&files, &second_files].map(|files| SearchContext {
        rules: database.rules(),
        table: &table,
        evaluator: files,
        stop: &files.stop,
        finished: &finished,
        deadline: None,
        nodes: most_nodes,
        abdada: abdada.as_ref(),
        pvs: true,
    });
    let values: Vec<OnceLock<Value>> = positions.iter().map(|_| OnceLock::new()).collect();
    let begun = Instant::now();
    thread::scope(|scope| {
        let mut alone = two_threads;
        let from_the_front = values.iter().zip(positions).enumerate();
        let from_the_front = from_the_front.map(|(place, next)| {
            if alone && begun.elapsed() >= ALONE {
                alone = false;
                let rest = values[place..].iter().zip(&positions[place..]);
                let second = &second;
                // If no thread can be started, the first one finds all values.
                let _ = thread::Builder::new()
                    .spawn_scoped(scope, move || find_each(second, rest.rev()));
            }
            next
        });
        find_each(&first, from_the_front);
        finished.store(true, Ordering::Relaxed);
    });
    if second_files.stop.load(Ordering::Relaxed) {
        // What the second thread read is missing or damaged. The first may not need it, but scores that
        // follow from it may be in the table.
        return search(database, positions, distance, most_nodes, false);
    }
    let values = values.into_iter().map(OnceLock::into_inner);
    let found: Option<Vec<Value>> = values.collect();
    let awaited = std::mem::take(&mut *held(&files.awaited));
    match (files.failure.get(), found) {
        (Some(failure), _) => Err(failure.clone()),
        _ if !awaited.is_empty() => {
            let near = placements <= FORESEEN_PLACEMENTS;
            Err(foresee(&files, positions, awaited, near)?)
        }
        (None, found) => found.ok_or_else(|| distance.too_long(database)),
    }
}

/// Finds values, one after the other, until one is known already or the search is stopped.
fn find_each<'a>(
    context: &SearchContext<'_, Files<'_>>,
    wanted: impl Iterator<Item = (&'a OnceLock<Value>, &'a Position)>,
) {
    let mut worker = Worker::new(context, &[]);
    for (value, position) in wanted {
        if value.get().is_some() {
            return;
        }
        let depth = position.all_in_hand() + MOST_DERIVED;
        let found = Window::value(true, |window| {
            let score = worker.search(position, window, depth, 0);
            (!worker.is_stopped()).then_some(score).ok_or(())
        });
        let Ok(found) = found else { return };
        value.get_or_init(|| found);
    }
}

/// The error that asks for these ranges and, near a file, for those that a search from these positions
/// may need besides, the nearest first: those of all positions that a turn leads to from one that no
/// file holds.
fn foresee(
    files: &Files<'_>,
    positions: &[Position],
    mut awaited: Awaited,
    near: bool,
) -> Result<DbError, DbError> {
    if !near {
        return Ok(awaited.into_error());
    }
    let rules = files.database.rules();
    let mut seen: HashSet<Position> = positions.iter().copied().collect();
    let mut queue: VecDeque<Position> = positions.iter().copied().collect();
    while let Some(position) = queue.pop_front() {
        if awaited.len() >= MOST_RANGES {
            break;
        }
        if position.is_over(rules) {
            continue;
        }
        let ends = match awaited.note(files.value(&position))? {
            Some(value) => value.is_some(),
            None => files.likely_knows(&position),
        };
        if ends {
            continue;
        }
        position.for_each_turn(rules, |turn| {
            let after = position.after(turn);
            if seen.len() < MOST_FORESEEN && seen.insert(after) {
                queue.push_back(after);
            }
        });
    }
    Ok(awaited.into_error())
}
