//! Bytes that have not arrived: which ranges a question needs besides the first one that it missed.
//!
//! Plain reading stops at the first bytes that a source lacks, with [`DbError::Pending`]. A
//! question that ends in this way comes here for the other ranges that it will need, as far as they
//! can be foreseen, so that its caller fetches all of them at the same time. Elsewhere, missing bytes are an error
//! like others, which the engine and the service answer without waiting.

use std::collections::{BTreeSet, HashSet, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};

use super::database::Database;
use super::look_ahead::{FileEvaluator, find_each};
use super::omitted::RowCache;
use crate::index::stages::Stage;
use crate::index::{Material, Rows};
use crate::lock::locked;
use crate::rules::position::Position;
use crate::search::core::{Evaluator, NodeCounts, SearchContext, Window};
use crate::search::score::Score;
use crate::search::table::TranspositionTable;
use crate::store::codec::Coverage;
use crate::store::container::{self, PAGE_ROWS, directory_bytes};
use crate::store::{self, ByteSource, DbError, NeededRange};
use crate::value::{Metric, Value, Wdl};

/// The most positions looked at to foresee ranges.
const MOST_POSITIONS: usize = 20_000;

/// The most ranges that a question about positions with stones in hand requests at once, and one about
/// the moving phase.
const MOST_RANGES: usize = 1_000;
const MOST_MOVING_RANGES: usize = 200;

/// The ranges that some questions wait for.
#[derive(Default)]
pub(super) struct Awaited(BTreeSet<NeededRange>);

impl Awaited {
    /// The result of a question, `None` if it waits for ranges, which are noted. Other errors stay
    /// errors.
    pub fn note<T>(&mut self, found: Result<T, DbError>) -> Result<Option<T>, DbError> {
        match found {
            Err(DbError::Pending(ranges)) => {
                self.0.extend(ranges);
                Ok(None)
            }
            found => found.map(Some),
        }
    }

    /// [`DbError::Pending`] if anything waits.
    pub fn finish(self) -> Result<(), DbError> {
        match self.0.is_empty() {
            true => Ok(()),
            false => Err(DbError::Pending(self.0.into_iter().collect())),
        }
    }
}

impl Database {
    /// Loads what [`Database::answer`] reads for these positions, for example those after a
    /// position's best turns while a player thinks about it. Skips positions that no database
    /// answers.
    ///
    /// # Errors
    ///
    /// [`DbError::Pending`] with the ranges of all positions that have not arrived.
    pub fn prefetch(&self, positions: &[Position]) -> Result<(), DbError> {
        let mut awaited = Awaited::default();
        for position in positions {
            // Other errors belong to the question itself, which may never be asked.
            let _ = awaited.note(self.answer(position));
        }
        awaited.finish()
    }

    /// The result of a question about the values of these positions. If it waits for ranges, they are
    /// those of all positions that turns lead to from these, up to stored ones.
    #[inline]
    pub(super) fn with_all_ranges<T>(
        &self,
        found: Result<T, DbError>,
        positions: &[Position],
        metric: Metric,
    ) -> Result<T, DbError> {
        match found {
            Err(DbError::Pending(ranges)) => {
                let mut foresight = Foresight {
                    database: self,
                    metric,
                    rows: RowCache::default(),
                    ranges: ranges.into_iter().collect(),
                };
                foresight.look_at(positions);
                Err(DbError::Pending(foresight.ranges.into_iter().collect()))
            }
            found => found,
        }
    }
}

/// Looks at positions to find the ranges that their values need.
struct Foresight<'a> {
    database: &'a Database,
    metric: Metric,
    rows: RowCache<'a>,
    ranges: BTreeSet<NeededRange>,
}

impl Foresight<'_> {
    /// Notes the ranges of these positions and of those that turns lead to from positions that no file
    /// holds, the nearest first.
    #[cold]
    fn look_at(&mut self, positions: &[Position]) {
        let rules = self.database.rules();
        let mut seen: HashSet<Position> = positions.iter().copied().collect();
        let mut queue: VecDeque<Position> = positions.iter().copied().collect();
        let most_ranges =
            match (positions.iter()).any(|position| position.is_in_placing_phase(rules)) {
                true => MOST_RANGES,
                false => MOST_MOVING_RANGES,
            };
        while self.ranges.len() < most_ranges
            && let Some(position) = queue.pop_front()
        {
            if position.is_over(rules) || self.ends_at(&position) {
                continue;
            }
            position.for_each_turn(rules, |turn| {
                let after = position.after(turn);
                if seen.len() < MOST_POSITIONS && seen.insert(after) {
                    queue.push_back(after);
                }
            });
        }
    }

    /// Notes the ranges that a position needs. Returns whether its value needs no other position,
    /// as far as that is known.
    fn ends_at(&mut self, position: &Position) -> bool {
        let is_placing = position.is_in_placing_phase(self.database.rules());
        let found = match is_placing {
            true => self.database.stored(position),
            false => (self.database).stored_or_derived(position, self.metric, &mut self.rows),
        };
        match found {
            Ok(value) => value.is_some(),
            Err(DbError::Pending(ranges)) => {
                self.ranges.extend(ranges);
                let (holds, page) = match is_placing {
                    true => (true, self.page_of_ply(position)),
                    false => self.page_of_pair(position),
                };
                self.ranges.extend(page);
                holds
            }
            // The question meets this error again.
            Err(_) => true,
        }
    }

    /// Whether a position of the moving phase whose bytes have not arrived is likely stored, and
    /// the page of the directory with its row, as far as both are known while the head of the file
    /// has not arrived: such a file is assumed to have been compressed at the level `quick`.
    fn page_of_pair(&self, position: &Position) -> (bool, Option<NeededRange>) {
        let rules = self.database.rules();
        let (mover, waiting) = (position.mover(), position.waiting());
        let material = Material::of_position(position);
        let unopened = |pair| Some((pair, self.database.on_demand(pair)?.unopened()?));
        let Some((pair, source)) = material.pair().and_then(unopened) else {
            return (true, None);
        };
        let coverage = match Coverage::EvenOrClosing.suffices(rules, material) {
            true => Coverage::EvenOrClosing,
            false => Coverage::All,
        };
        if material.is_derived(rules) || !coverage.holds(rules, mover, waiting) {
            return (false, None);
        }
        let rows = Rows::of(material.mover);
        let (row, _) = rows.find(mover);
        let before = std::iter::empty();
        let page = expected_page(source, store::file_name(pair), before, row, rows.len());
        (true, page)
    }

    /// The page of the directory with the row of a position with stones in hand, as far as it is known
    /// while the head of the file has not arrived.
    fn page_of_ply(&self, position: &Position) -> Option<NeededRange> {
        let stage = Stage::of(position, self.database.rules());
        let source = self.database.plies.get(&stage.ply)?.unopened()?;
        let stage_sets = self.database.stage_sets();
        let stored = |stage: Stage| stage_sets.rows(stage, stage.mover());
        let before = stage_sets.stages_of(stage.ply);
        let before = before.take_while(|&other| other != stage);
        let (row, _) = Rows::of(stage.stones(stage.mover())).find(position.mover());
        let own = stored(stage);
        let place = own.iter().take_while(|&other| other < row).count();
        let rows = own.len();
        let before = before.map(|stage| stored(stage).len());
        let name = store::ply_file_name(stage.ply);
        (place < rows).then(|| expected_page(source, name, before, place, rows))?
    }
}

/// The page of the directory that has a row of a table; `None` if the page has arrived, or if the
/// source does not know the length of the head. Lengths in the directory are assumed to have two
/// bytes, as in all directories but those with very long rows. `before` are the numbers of rows of
/// the earlier tables.
fn expected_page(
    source: &dyn ByteSource,
    name: String,
    before: impl Iterator<Item = usize>,
    row: usize,
    rows: usize,
) -> Option<NeededRange> {
    const WIDTH: usize = 2;
    let first = row / PAGE_ROWS * PAGE_ROWS;
    let bytes = |rows| directory_bytes(rows, WIDTH);
    let start = before.map(bytes).sum::<usize>() + bytes(first);
    let start = u64::from(source.head_bytes()?) + start as u64;
    let length = bytes(PAGE_ROWS.min(rows - first));
    if start + length as u64 > source.size() {
        return None;
    }
    match container::read(source, name.as_ref(), start, length) {
        Err(DbError::Pending(ranges)) => ranges.into_iter().next(),
        _ => None,
    }
}

/// The error of a search from positions far from stored ones that waits for `ranges`. It adds the
/// ranges that the search would need next if the values that have not arrived were draws.
pub(super) fn far(
    files: FileEvaluator<'_>,
    ranges: &[NeededRange],
    positions: &[Position],
    table: &TranspositionTable,
) -> DbError {
    let as_if_drawn = AsIfDrawn {
        files,
        stop: AtomicBool::new(false),
        ranges: Mutex::new(ranges.iter().cloned().collect()),
        more: AtomicUsize::new(MOST_POSITIONS),
    };
    let rules = as_if_drawn.files.database.rules();
    let context = SearchContext::new(rules, table, &as_if_drawn, &as_if_drawn.stop);
    let values: Vec<OnceLock<Value>> = positions.iter().map(|_| OnceLock::new()).collect();
    find_each(
        &context,
        as_if_drawn.files.metric,
        Wdl::Loss,
        values.iter().zip(positions),
    );
    let ranges = std::mem::take(&mut *locked(&as_if_drawn.ranges));
    DbError::Pending(ranges.into_iter().collect())
}

/// The files for a search in which values that have not arrived are draws.
struct AsIfDrawn<'a> {
    files: FileEvaluator<'a>,
    /// Set when enough ranges are known.
    stop: AtomicBool,
    ranges: Mutex<BTreeSet<NeededRange>>,
    /// The number of values that have not arrived that may still be looked at.
    more: AtomicUsize,
}

impl Evaluator for AsIfDrawn<'_> {
    fn probe(
        &self,
        position: &Position,
        window: Window,
        _counts: &mut NodeCounts,
    ) -> Option<Score> {
        match self.files.score(position, window) {
            Ok(score) => return score,
            Err(DbError::Pending(ranges)) => {
                let mut all = locked(&self.ranges);
                all.extend(ranges);
                if self.more.fetch_sub(1, Ordering::Relaxed) <= 1 || all.len() >= MOST_RANGES {
                    self.stop.store(true, Ordering::Relaxed);
                }
            }
            // The search meets this error again.
            Err(_) => self.stop.store(true, Ordering::Relaxed),
        }
        Some(Score::DRAW)
    }
}
