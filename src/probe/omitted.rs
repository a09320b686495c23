//! Values of the moving phase that files of few rows omit, see
//! [`Coverage`](crate::store::codec::Coverage): a search down to stored values.
//!
//! Quiet turns come to stored positions after at most three turns, captures to smaller pairs. Looking
//! at all of them would take too long, since captures lead to more captures. So this is an alpha-beta
//! search: the stored values after a position come first, then quiet turns, then captures, most of
//! which a single reply refutes by then.

use std::collections::HashMap;

use super::database::Database;
use super::lookup::RowCache;
use crate::board::PointSet;
use crate::rules::FEWEST_STONES;
use crate::rules::position::Position;
use crate::rules::turns::left_after_removals;
use crate::search::core::Window;
use crate::search::score::Score;
use crate::store::{Awaited, DbError};
use crate::value::{Metric, Value};

/// The most ranges of bytes that a search asks for at once where they have not arrived.
const MOST_RANGES: usize = 200;

/// The most positions that a search remembers, each in some 40 bytes.
const MOST_KNOWN: usize = 1 << 20;

/// The sets of the side to move and of the other.
type Sets = (PointSet, PointSet);

/// A search for values of one metric; it remembers what it found.
pub(super) struct Search<'a> {
    database: &'a Database,
    metric: Metric,
    rows: RowCache<'a>,
    /// What is known of positions that no file holds: the least and the greatest score.
    known: HashMap<Sets, (Score, Score)>,
    awaited: Awaited,
}

impl<'a> Search<'a> {
    pub fn new(database: &'a Database, metric: Metric) -> Search<'a> {
        Search {
            database,
            metric,
            rows: RowCache::default(),
            known: HashMap::new(),
            awaited: Awaited::default(),
        }
    }

    /// The value of a position without stones in hand.
    ///
    /// # Errors
    ///
    /// Those of [`Database::file`] for each needed pair, [`DbError::NoDepths`] if the metric needs
    /// depths; [`DbError::Pending`] with what the search needs next, as far as it can be foreseen.
    pub fn value(&mut self, mover: PointSet, waiting: PointSet) -> Result<Value, DbError> {
        let depth = self.metric == Metric::Depth;
        let value = Window::value(depth, |window| self.score(mover, waiting, window))?;
        Ok(self.metric.of_value(value))
    }

    /// The score of a position without stones in hand. Scores outside the window are bounds.
    ///
    /// # Errors
    ///
    /// As for [`Search::value`].
    pub fn score(
        &mut self,
        mover: PointSet,
        waiting: PointSet,
        window: Window,
    ) -> Result<Score, DbError> {
        let score = match self.held((mover, waiting))? {
            Some(score) => score,
            None => self.searched((mover, waiting), window)?,
        };
        let awaited = std::mem::take(&mut self.awaited);
        if !awaited.is_empty() {
            // These follow from draws that need not be draws.
            self.known.clear();
        }
        awaited.finish()?;
        Ok(score)
    }

    /// The value of a position, if its file holds it or it was derived before.
    ///
    /// # Errors
    ///
    /// As for [`Search::value`].
    pub fn held_value(
        &mut self,
        mover: PointSet,
        waiting: PointSet,
    ) -> Result<Option<Value>, DbError> {
        self.database
            .held(mover, waiting, self.metric, &mut self.rows)
    }

    /// The score of a position that is over or that a file holds.
    fn held(&mut self, (mover, waiting): Sets) -> Result<Option<Score>, DbError> {
        if mover.len() < FEWEST_STONES.into() {
            return Ok(Some(Score::loss_in(0)));
        }
        let value = self.held_value(mover, waiting);
        if let Err(DbError::Pending(_)) = value {
            // The search goes on as if the value were a draw, to find out what else it needs.
            self.awaited.note(value)?;
            return Ok(Some(Score::DRAW));
        }
        Ok(value?.map(|value| match self.metric {
            Metric::Depth => value.into(),
            Metric::Wdl => value.wdl().into(),
        }))
    }

    /// The score of a position that no file holds.
    fn searched(&mut self, sets: Sets, window: Window) -> Result<Score, DbError> {
        let (least, most) = *self
            .known
            .get(&sets)
            .unwrap_or(&(Score::LEAST, Score::MOST));
        if least >= window.beta || least == most {
            return Ok(least);
        }
        if most <= window.alpha || self.awaited.len() >= MOST_RANGES {
            return Ok(most);
        }
        let best = self.best_turn(sets, window)?;
        let known = match best {
            best if best >= window.beta => (best, most),
            best if best <= window.alpha => (least, best),
            best => (best, best),
        };
        if self.known.len() >= MOST_KNOWN {
            self.known.clear();
        }
        self.known.insert(sets, known);
        Ok(best)
    }

    fn best_turn(&mut self, (mover, waiting): Sets, window: Window) -> Result<Score, DbError> {
        let rules = self.database.rules();
        let position = Position::moving(mover, waiting);
        if let Some(result) = position.result(rules) {
            return Ok(result.into());
        }
        let (mut after, mut captures) = (Vec::with_capacity(32), Vec::new());
        position.for_each_step(rules, |step, removals| {
            let reached = position.after(step).waiting;
            match removals {
                0 => after.push((waiting, reached)),
                _ => {
                    let left = left_after_removals(waiting, removals, rules);
                    captures.extend(left.map(|left| (left, reached)));
                }
            }
        });
        after.append(&mut captures);
        let mut best = Score::LEAST;
        let mut open = Vec::new();
        for sets in after {
            match self.held(sets)? {
                Some(score) => {
                    best = best.max(score.before_turn());
                    if best >= window.beta {
                        return Ok(best);
                    }
                }
                None => open.push(sets),
            }
        }
        for sets in open {
            let alpha = window.alpha.max(best);
            let mut search = |window: Window| {
                let score = self.searched(sets, window.after_turn())?;
                Ok::<_, DbError>(score.before_turn())
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
