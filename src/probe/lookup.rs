//! The value of a position from the files: read if a file holds it. In the moving phase, a one-turn
//! search derives omitted values, or `omitted` where that does not suffice.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::database::Database;
use super::omitted::Search;
use crate::board::{POINTS, PointSet};
use crate::index::reachable::Stage;
use crate::index::{Material, Pair};
use crate::rules::FEWEST_STONES;
use crate::rules::position::Position;
use crate::rules::turns::left_after_removals;
use crate::store::table::{FoundRow, Wanted};
use crate::store::{Awaited, DbError, PairFile, likely_holds};
use crate::value::{Metric, Value};

impl Database {
    /// The value byte of a position without stones in hand in which the mover has a turn or is
    /// blocked; `None` if the metric needs a depth that no file holds.
    pub(super) fn moving(
        &self,
        mover: PointSet,
        waiting: PointSet,
        metric: Metric,
    ) -> Result<Option<u8>, DbError> {
        let mut awaited = Awaited::default();
        let file = awaited.note(self.file_of(Material::of(mover, waiting)))?;
        let Some(file) = file else {
            self.foresee(mover, waiting, metric, &mut awaited);
            return Err(awaited.into_error());
        };
        if !has(file, metric) {
            return Ok(None);
        }
        if !file.holds(mover, waiting) {
            return self.derived(mover, waiting, metric, &mut None);
        }
        let mut row = found_row(file, mover)?;
        let byte = row.value(row.column(waiting), &self.blocks)?;
        Ok(Some(metric.of_byte(byte)))
    }

    /// The value of a position without stones in hand, if its file holds it or it was derived
    /// before; the search finds all others through their turns. If the metric needs depths, a file
    /// without them is an error.
    pub(super) fn held<'a>(
        &'a self,
        mover: PointSet,
        waiting: PointSet,
        metric: Metric,
        rows: &mut RowCache<'a>,
    ) -> Result<Option<Value>, DbError> {
        let mut awaited = Awaited::default();
        let file = awaited.note(self.file_of(Material::of(mover, waiting)))?;
        let Some(file) = file else {
            if self.likely_holds(mover, waiting) {
                self.foresee(mover, waiting, metric, &mut awaited);
            }
            return Err(awaited.into_error());
        };
        if !has(file, metric) {
            return Err(DbError::NoDepths { pair: file.pair() });
        }
        if !file.holds(mover, waiting) {
            let byte = self.values.get(cache_key(mover, waiting, metric));
            return Ok(byte.map(|byte| metric.of_value(Value::from_byte(byte))));
        }
        let row = rows.row(file, mover)?;
        let byte = row.value(row.column(waiting), &self.blocks)?;
        Ok(Some(metric.of_value(Value::from_byte(byte))))
    }

    /// The value of a position with stones in hand, by the stones of the side to move and of the
    /// other; `None` if no file holds it.
    pub(crate) fn stored(
        &self,
        stage: Stage,
        mover: PointSet,
        waiting: PointSet,
    ) -> Result<Option<Value>, DbError> {
        let Some(plies) = self.placing() else {
            return Ok(None);
        };
        let file = match plies.file(stage.ply) {
            Some(Ok(file)) => file,
            Some(Err(DbError::Pending(mut ranges))) => {
                if Material::of(mover, waiting) == stage.material() {
                    ranges.extend(plies.foreseen_page(stage, mover));
                }
                return Err(DbError::Pending(ranges));
            }
            Some(Err(error)) => return Err(error),
            None => return Ok(None),
        };
        if Material::of(mover, waiting) != stage.material() {
            return Ok(None);
        }
        let Some(table) = file.table(stage, &plies.reachable)? else {
            return Ok(None);
        };
        let holds = table.shape().covers(self.rules(), mover, waiting);
        let Some(mut row) = table.find(mover).filter(|_| holds) else {
            return Ok(None);
        };
        let byte = row.value(row.column(waiting), &self.blocks)?;
        let value = Value::from_byte(byte);
        Ok(Some(match file.metric() {
            Metric::Depth => value,
            Metric::Wdl => value.without_depth(),
        }))
    }

    /// The values of positions: from the cache of values, which has them by these keys, else by `find`;
    /// the cache keeps those from now on. `None` if `find` answers so.
    pub(super) fn kept(
        &self,
        positions: &[Position],
        key: impl Fn(&Position) -> u64,
        find: impl FnOnce(&[Position]) -> Result<Option<Vec<Value>>, DbError>,
    ) -> Result<Option<Vec<Value>>, DbError> {
        let mut values = Vec::with_capacity(positions.len());
        let (mut missing, mut places) = (Vec::new(), Vec::new());
        for (place, position) in positions.iter().enumerate() {
            let key = key(position);
            let kept = self.values.get(key);
            values.push(kept.map_or(Value::Draw, Value::from_byte));
            if kept.is_none() {
                missing.push(*position);
                places.push((place, key));
            }
        }
        if missing.is_empty() {
            return Ok(Some(values));
        }
        let Some(found) = find(&missing)? else {
            return Ok(None);
        };
        for ((place, key), value) in places.into_iter().zip(found) {
            values[place] = value;
            // Unknown depths have no byte.
            if let Some(byte) = value.to_byte() {
                self.values.insert(key, byte);
            }
        }
        Ok(Some(values))
    }

    /// Whether the file of a position, the head of which has not arrived, likely holds its value.
    pub(super) fn likely_holds(&self, mover: PointSet, waiting: PointSet) -> bool {
        likely_holds(self.rules(), mover, waiting)
    }

    /// Notes the ranges that a position's value needs besides the head of its file, which has not
    /// arrived, as far as they can be foreseen.
    fn foresee(&self, mover: PointSet, waiting: PointSet, metric: Metric, awaited: &mut Awaited) {
        let Some(pair) = Material::of(mover, waiting).pair() else {
            return;
        };
        if self.likely_holds(mover, waiting) {
            if let Some(range) = self.foreseen_page(pair, mover) {
                awaited.add(range);
            }
        } else {
            // Whatever is wrong here is found again once the head has come.
            let _ = awaited.note(self.best_turn(mover, waiting, metric));
        }
    }

    /// Whether the file of a position holds only some rows.
    pub(super) fn omits_rows(&self, mover: PointSet, waiting: PointSet) -> bool {
        let file = self.file_of(Material::of(mover, waiting));
        file.is_ok_and(PairFile::omits_rows)
    }

    /// The value byte of a position that no file holds. A search that it needs is used again.
    fn derived<'a>(
        &'a self,
        mover: PointSet,
        waiting: PointSet,
        metric: Metric,
        search: &mut Option<Search<'a>>,
    ) -> Result<Option<u8>, DbError> {
        let key = cache_key(mover, waiting, metric);
        if let Some(byte) = self.values.get(key) {
            return Ok(Some(byte));
        }
        let value = match self.omits_rows(mover, waiting) {
            true => match search
                .get_or_insert_with(|| Search::new(self, metric))
                .value(mover, waiting)
            {
                Err(DbError::NoDepths { .. }) => None,
                value => Some(value?),
            },
            false => self.best_turn(mover, waiting, metric)?,
        };
        let Some(value) = value else {
            return Ok(None);
        };
        let Some(byte) = metric.of_value(value).to_byte() else {
            let what = "a value is too deep for these rules".to_string();
            return Err(DbError::NotStored(what));
        };
        self.values.insert(key, byte);
        Ok(Some(byte))
    }

    /// The value of the mover's best turn; without a turn, the value of the end of the game.
    fn best_turn(
        &self,
        mover: PointSet,
        waiting: PointSet,
        metric: Metric,
    ) -> Result<Option<Value>, DbError> {
        let rules = self.rules();
        let position = Position::moving(mover, waiting);
        if let Some(result) = position.result(rules) {
            return Ok(Some(result));
        }
        let mut after = Vec::with_capacity(32);
        position.for_each_step(rules, |step, removals| {
            let reached = position.after(step).waiting;
            let left = left_after_removals(waiting, removals, rules);
            after.extend(left.map(|left| (left, reached)));
        });
        let mut best = Value::LOST;
        let consider = |_, value: Value| best = best.max(value.backed_up());
        Ok(self.each(&after, metric, consider)?.then_some(best))
    }

    /// Passes the values of positions without stones in hand, each given by the mover's and the
    /// waiting side's set, to `found`, each with its place in the list, in any order. Returns
    /// `false` if the metric needs a depth that no file holds; then some values may be missing.
    ///
    /// All quiet turns of a position lead to one row, and its captures to one row for each
    /// removable set of stones. So this looks positions up row by row and block by block.
    ///
    /// Where bytes have not arrived, it looks up the other positions all the same, so that
    /// [`DbError::Pending`] has the ranges of all of them.
    pub(super) fn each(
        &self,
        positions: &[(PointSet, PointSet)],
        metric: Metric,
        mut found: impl FnMut(usize, Value),
    ) -> Result<bool, DbError> {
        let mut rows: Vec<(PointSet, FoundRow<'_>)> = Vec::new();
        let mut wanted = Vec::with_capacity(positions.len());
        let mut awaited = Awaited::default();
        let mut search = None;
        for (place, &(mover, waiting)) in positions.iter().enumerate() {
            if mover.len() < FEWEST_STONES.into() {
                found(place, Value::LOST);
                continue;
            }
            let file = self.file_of(Material::of(mover, waiting));
            let Some(file) = awaited.note(file)? else {
                self.foresee(mover, waiting, metric, &mut awaited);
                continue;
            };
            if !has(file, metric) {
                return Ok(false);
            }
            if !file.holds(mover, waiting) {
                let derived = self.derived(mover, waiting, metric, &mut search);
                let Some(byte) = awaited.note(derived)? else {
                    continue;
                };
                let Some(byte) = byte else {
                    return Ok(false);
                };
                found(place, Value::from_byte(byte));
                continue;
            }
            let row = match rows.iter().rposition(|&(other, _)| other == mover) {
                Some(row) => row,
                None => {
                    rows.push((mover, found_row(file, mover)?));
                    rows.len() - 1
                }
            };
            let column = rows[row].1.column(waiting);
            wanted.push((row, Wanted { column, place }));
        }
        // Read the last column of a block first: decoding it decodes those before it.
        wanted.sort_unstable_by_key(|&(row, Wanted { column, .. })| (row, Reverse(column)));
        for wanted in wanted.chunk_by(|(row, _), (other, _)| row == other) {
            let of_row: Vec<Wanted> = wanted.iter().map(|&(_, wanted)| wanted).collect();
            let (_, row) = &mut rows[wanted[0].0];
            let values = row.values(&of_row, &self.blocks, &mut |place, byte| {
                found(place, Value::from_byte(metric.of_byte(byte)));
            });
            awaited.note(values)?;
        }
        awaited.finish()?;
        Ok(true)
    }
}

/// A cache of the rows that a search used last. Neighbouring positions share rows.
#[derive(Default)]
pub(super) struct RowCache<'a> {
    rows: HashMap<(Pair, PointSet), FoundRow<'a>>,
}

impl<'a> RowCache<'a> {
    /// The most rows in the cache; each takes some kilobytes.
    const MOST: usize = 512;

    fn row(&mut self, file: &'a PairFile, mover: PointSet) -> Result<&mut FoundRow<'a>, DbError> {
        if self.rows.len() >= RowCache::MOST {
            self.rows.clear();
        }
        Ok(match self.rows.entry((file.pair(), mover)) {
            Entry::Occupied(row) => row.into_mut(),
            Entry::Vacant(place) => place.insert(found_row(file, mover)?),
        })
    }
}

/// The key of a position without stones in hand in the cache of values. A position with stones in hand
/// has its [canonical](crate::search::key::canonical) key there, which says how many these are: fewer
/// than fifteen.
pub(super) fn cache_key(mover: PointSet, waiting: PointSet, metric: Metric) -> u64 {
    const KINDS: u64 = 0xf0;
    let sets = u64::from(mover.bits()) | u64::from(waiting.bits()) << POINTS;
    (KINDS | metric as u64) << (2 * POINTS) | sets
}

/// Whether a file holds the metric.
fn has(file: &PairFile, metric: Metric) -> bool {
    metric == Metric::Wdl || file.metric() == Metric::Depth
}

/// The row of a mover's set in a pair's file, which has every row.
#[inline(always)]
fn found_row(file: &PairFile, mover: PointSet) -> Result<FoundRow<'_>, DbError> {
    let row = file.table()?.find(mover);
    row.ok_or_else(|| DbError::NotStored("no such row".to_string()))
}
