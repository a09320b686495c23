//! Values of the moving phase that files of few rows omit, see
//! [`Coverage`](crate::store::codec::Coverage): a search down to stored values.
//!
//! Quiet turns lead to stored positions after at most three turns, captures to smaller pairs. Looking
//! at all of them would take too long, since captures lead to more captures. So this is an alpha-beta
//! search: the stored values after a position come first, then quiet turns, then captures, most of
//! which a single reply refutes by then.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::database::Database;
use super::lookup::{cache_key, converts};
use crate::board::PointSet;
use crate::index::Pair;
use crate::rules::Rules;
use crate::rules::position::Position;
use crate::rules::turns::left_after_removals;
use crate::search::core::Window;
use crate::search::score::Score;
use crate::store::table::ProbedRow;
use crate::store::{DbError, PairFile};
use crate::value::{Distance, Metric, Value, Wdl};

/// The most positions that a derivation remembers, each in some 40 bytes.
const MOST_BOUNDS: usize = 1 << 20;

/// The most positions that a derivation searches for one with stones in hand, in a few tenths of a
/// second. Each placement leads to positions that the next file omits, so that some need millions.
const MOST_SEARCHED: u32 = 20_000;

/// A search for values of one metric; it remembers what it found.
pub(super) struct Derivation<'a> {
    database: &'a Database,
    metric: Metric,
    rows: RowCache<'a>,
    /// The least and the greatest score of positions that no file holds.
    bounds: HashMap<u64, (Score, Score)>,
    /// The number of positions that it may still search; `None` without a limit.
    pub(super) left: Option<u32>,
}

impl<'a> Derivation<'a> {
    pub fn new(database: &'a Database, metric: Metric) -> Derivation<'a> {
        Derivation {
            database,
            metric,
            rows: RowCache::default(),
            bounds: HashMap::new(),
            left: None,
        }
    }

    /// The value of a position of a pair that no file holds.
    ///
    /// # Errors
    ///
    /// Those of [`Database::file`] for each needed pair, and [`DbError::NoDepths`] if the metric needs
    /// depths; [`DbError::Omitted`] if the value follows from too many others.
    pub fn value(&mut self, position: &Position) -> Result<Value, DbError> {
        self.left = position.is_placing().then_some(MOST_SEARCHED);
        let depth = self.metric == Metric::Depth;
        let value = Window::value(depth, Wdl::Loss, |window| self.searched(position, window))?;
        Ok(self.metric.of_value(value))
    }

    /// The score of a position if its file holds it or it was derived before, as for
    /// [`Database::stored_or_derived`].
    pub fn stored_or_derived(&mut self, position: &Position) -> Result<Option<Score>, DbError> {
        let value = (self.database).stored_or_derived(position, self.metric, &mut self.rows)?;
        Ok(value.map(|value| match self.metric {
            Metric::Depth => value.into(),
            Metric::Wdl => value.wdl().into(),
        }))
    }

    /// The score of a position that no file holds. Scores outside the window are bounds.
    pub fn searched(&mut self, position: &Position, window: Window) -> Result<Score, DbError> {
        let key = cache_key(position, self.metric);
        let bounds = self.bounds.get(&key).copied();
        let (least, most) = bounds.unwrap_or((Score::LEAST, Score::MOST));
        if least >= window.beta || least == most {
            return Ok(least);
        }
        if most <= window.alpha {
            return Ok(most);
        }
        if let Some(left) = &mut self.left {
            *left = left.checked_sub(1).ok_or(DbError::Omitted)?;
        }
        let best = self.best_turn(position, window)?;
        let bounds = match best {
            best if best >= window.beta => (best, most),
            best if best <= window.alpha => (least, best),
            best => (best, best),
        };
        if self.bounds.len() >= MOST_BOUNDS {
            self.bounds.clear();
        }
        self.bounds.insert(key, bounds);
        Ok(best)
    }

    fn best_turn(&mut self, position: &Position, window: Window) -> Result<Score, DbError> {
        let rules = self.database.rules();
        if let Some(result) = position.result(rules) {
            return Ok(result.into());
        }
        let mut best = Score::LEAST;
        let mut unknown = Vec::new();
        for after in self.database.positions_after(position) {
            let known = match after.is_beaten() {
                true => Some(Score::loss_in(0)),
                false => self.stored_or_derived(&after)?,
            };
            match known {
                Some(score) => {
                    best = best.max(score_before(rules, position, &after, score));
                    if best >= window.beta {
                        return Ok(best);
                    }
                }
                None => unknown.push(after),
            }
        }
        for after in &unknown {
            let alpha = window.alpha.max(best);
            let mut search = |window: Window| {
                let window = match rules.distance() {
                    // A removal ends the count of turns: before it, all scores of the same result
                    // are the same.
                    Distance::ToRemoval if converts(position, after) => Window::ALL,
                    _ => window.after_turn(),
                };
                let score = self.searched(after, window)?;
                Ok::<_, DbError>(score_before(rules, position, after, score))
            };
            let narrow = Window::null(alpha.next());
            let mut score = search(narrow)?;
            if score > alpha && score < window.beta {
                score = search(Window { alpha, ..window })?;
            }
            best = best.max(score);
            if best >= window.beta {
                break;
            }
        }
        Ok(best)
    }
}

/// The score of the turn from one position to the other, from that of the latter.
fn score_before(rules: &Rules, position: &Position, after: &Position, score: Score) -> Score {
    if rules.distance() == Distance::ToEnd {
        return score.before_turn();
    }
    let converts = converts(position, after);
    let value = rules.value_of_turn(position.on_board(), converts, score.value());
    value.into()
}

impl Database {
    /// The positions after each turn: those after turns without removals first, which lead to one row of each
    /// table, then those after captures, which lead to one row for each removable set of stones.
    pub(super) fn positions_after(&self, position: &Position) -> Vec<Position> {
        let (mut after, mut captures) = (Vec::with_capacity(32), Vec::new());
        position.for_each_step(self.rules(), |step, removals| {
            let reached = position.after(step);
            match removals {
                0 => after.push(reached),
                _ => {
                    let left = left_after_removals(position.waiting(), removals, self.rules());
                    captures.extend(left.map(|mover| Position { mover, ..reached }));
                }
            }
        });
        after.append(&mut captures);
        after
    }
}

/// A cache of the rows that a search used last. Neighbouring positions share rows.
#[derive(Default)]
pub(super) struct RowCache<'a> {
    rows: HashMap<(Pair, PointSet), ProbedRow<'a>>,
}

impl<'a> RowCache<'a> {
    /// The most rows in the cache; each takes some kilobytes.
    const MOST: usize = 512;

    pub fn row(
        &mut self,
        file: &'a PairFile,
        mover: PointSet,
    ) -> Result<&mut ProbedRow<'a>, DbError> {
        if self.rows.len() >= RowCache::MOST {
            self.rows.clear();
        }
        Ok(match self.rows.entry((file.pair(), mover)) {
            Entry::Occupied(row) => row.into_mut(),
            Entry::Vacant(place) => place.insert(file.row(mover)?),
        })
    }
}
