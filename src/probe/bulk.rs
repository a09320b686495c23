//! Many positions at once, as arrays of bits: what other languages pass.
//!
//! The three arrays have an element for each position of the moving phase:
//!
//! ```text
//! white, black   the bits of the stones, see `board`
//! to_move        0 White, 1 Black
//! ```

use std::fmt;
use std::thread;

use super::database::Database;
use super::foresee::Awaited;
use super::lookup::cache_key;
use crate::board::{POINTS, PointSet};
use crate::rules::position::Position;
use crate::rules::{FEWEST_STONES, Rules};
use crate::store::DbError;
use crate::value::{Metric, Value, Wdl};

/// Positions of the moving phase as arrays of bits.
#[derive(Clone, Copy, Debug)]
pub struct Masks<'a> {
    /// White's stones.
    pub white: &'a [u32],
    /// Black's stones.
    pub black: &'a [u32],
    /// 0 where White is to move, 1 where Black is.
    pub to_move: &'a [u8],
}

/// Where the values of many positions go.
#[derive(Debug)]
pub struct Values<'a> {
    /// 1 for a win of the side to move, 0 for a draw, -1 for a loss.
    pub wdl: &'a mut [i8],
    /// Turns to the end; -1 for a draw, and where the files hold no depths.
    pub dtw: &'a mut [i16],
}

/// Why many positions were not answered: one sentence.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum BulkError {
    /// The arrays have different lengths.
    Lengths {
        /// Elements of White's stones.
        expected: usize,
        /// Elements of the array that differs.
        found: usize,
    },
    /// The elements at an index are not a position of the moving phase.
    Position {
        /// The first such index.
        index: usize,
        /// What is wrong with it, as part of a sentence.
        why: String,
    },
    /// A database gives no answer.
    Database(DbError),
}

impl fmt::Display for BulkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BulkError::Lengths { expected, found } => write!(
                f,
                "the arrays differ in length: expected {expected} elements, found {found}"
            ),
            BulkError::Position { index, why } => {
                write!(f, "the elements at index {index} are not a position: {why}")
            }
            BulkError::Database(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for BulkError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            BulkError::Database(error) => Some(error),
            _ => None,
        }
    }
}

impl BulkError {
    /// The same error with its index counted in the whole arrays, of which the part that was passed
    /// begins at `start`.
    #[must_use]
    pub fn after(self, start: usize) -> BulkError {
        match self {
            BulkError::Position { index, why } => BulkError::Position {
                index: start + index,
                why,
            },
            other => other,
        }
    }
}

impl Masks<'_> {
    /// How many positions there are.
    ///
    /// # Errors
    ///
    /// [`BulkError::Lengths`].
    pub fn count(&self) -> Result<usize, BulkError> {
        let expected = self.white.len();
        let lengths = [self.black.len(), self.to_move.len()];
        same_lengths(expected, lengths)?;
        Ok(expected)
    }

    /// The position at an index.
    ///
    /// # Errors
    ///
    /// Why the elements are not a position of the moving phase under these rules, as part of a
    /// sentence.
    pub fn position(&self, index: usize, rules: &Rules) -> Result<Position, String> {
        let [white, black] = [self.white[index], self.black[index]];
        if (white | black) >> POINTS != 0 {
            return Err(format!(
                "the stones {white:#x} and {black:#x} have bits above the 24 of the board"
            ));
        }
        if white & black != 0 {
            return Err(format!("the stones {white:#x} and {black:#x} share points"));
        }
        let position = Position::moving(PointSet::from_bits(white), PointSet::from_bits(black));
        let position = match self.to_move[index] {
            0 => position,
            // The sets of a position are those of the side to move and of the other.
            1 => Position::moving(position.waiting(), position.mover()).with_colours_exchanged(),
            other => return Err(format!("the side to move is {other}, but must be 0 or 1")),
        };
        let most = u32::from(rules.stones);
        let fewest = u32::from(FEWEST_STONES);
        let [mover, waiting] = [position.mover().len(), position.waiting().len()];
        // A side that has two stones left has lost the game.
        if !(fewest - 1..=most).contains(&mover) || !(fewest..=most).contains(&waiting) {
            return Err(format!(
                "the side to move has {mover} stones and the other {waiting}, but the moving phase has \
                 {fewest} to {most}, or {} where the side to move has lost",
                fewest - 1
            ));
        }
        Ok(position)
    }

    /// The elements from an index on, as many as this.
    fn part(&self, start: usize, count: usize) -> Masks<'_> {
        let range = start..start + count;
        Masks {
            white: &self.white[range.clone()],
            black: &self.black[range.clone()],
            to_move: &self.to_move[range],
        }
    }
}

fn same_lengths(expected: usize, lengths: [usize; 2]) -> Result<(), BulkError> {
    match lengths.into_iter().find(|&found| found != expected) {
        None => Ok(()),
        Some(found) => Err(BulkError::Lengths { expected, found }),
    }
}

/// A value as numbers, see [`Values`].
pub fn numbers(value: Value) -> (i8, i16) {
    let wdl = match value.wdl() {
        Wdl::Win => 1,
        Wdl::Draw => 0,
        Wdl::Loss => -1,
    };
    let depth = value.dtw().and_then(|dtw| i16::try_from(dtw.0).ok());
    (wdl, depth.unwrap_or(-1))
}

impl Database {
    /// The values of many positions, found on `threads` threads. Neighbouring positions of one set of
    /// the side to move are found fastest.
    ///
    /// ```
    /// use millbase::{Masks, Values};
    /// use millbase::{Database, Rules};
    /// # if cfg!(feature = "embedded") {
    /// let database = Database::embedded(Rules::STANDARD);
    /// let positions = Masks {
    ///     white: &[0x150000, 0x150000],
    ///     black: &[0xa20000, 0xa20000],
    ///     to_move: &[0, 1],
    /// };
    /// let (mut wdl, mut dtw) = ([0; 2], [0; 2]);
    /// let values = Values { wdl: &mut wdl, dtw: &mut dtw };
    /// database.probe_many(positions, values, 1)?;
    /// assert_eq!((wdl, dtw), ([-1, 1], [26, 1]));
    /// # }
    /// # Ok::<(), millbase::BulkError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`BulkError`]; the arrays of values may be filled in part then. [`DbError::Pending`] has the
    /// ranges of all positions of a thread.
    pub fn probe_many(
        &self,
        positions: Masks<'_>,
        values: Values<'_>,
        threads: usize,
    ) -> Result<(), BulkError> {
        let count = positions.count()?;
        same_lengths(count, [values.wdl.len(), values.dtw.len()])?;
        let share = count.div_ceil(threads.max(1)).max(1);
        let Values { wdl, dtw } = values;
        let parts = wdl.chunks_mut(share).zip(dtw.chunks_mut(share)).enumerate();
        let mut parts = parts.map(|(number, (wdl, dtw))| {
            let start = number * share;
            let masks = positions.part(start, wdl.len());
            (start, masks, Values { wdl, dtw })
        });
        // The last part is this thread's.
        if count <= share {
            return parts.try_for_each(|(start, masks, values)| self.fill(start, masks, values));
        }
        thread::scope(|scope| {
            let work = |(start, masks, values)| {
                let work = move || self.fill(start, masks, values);
                scope.spawn(work)
            };
            let working: Vec<_> = parts.map(work).collect();
            working.into_iter().try_for_each(|worker| {
                let done = worker.join();
                done.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            })
        })
    }

    /// The values of positions that begin at this index of all. A look-up in the cache of values is quicker
    /// than one in the cache of blocks and needs no lock; those of a batch wait for memory together.
    fn fill(&self, start: usize, masks: Masks<'_>, values: Values<'_>) -> Result<(), BulkError> {
        const BATCH: usize = 32;
        let mut awaited = Awaited::default();
        let mut positions = [Position::start(self.rules()); BATCH];
        let batches = values
            .wdl
            .chunks_mut(BATCH)
            .zip(values.dtw.chunks_mut(BATCH));
        for (batch, (wdl, dtw)) in batches.enumerate() {
            let first = batch * BATCH;
            for (place, position) in positions.iter_mut().enumerate().take(wdl.len()) {
                let found = masks.position(first + place, self.rules());
                *position = found.map_err(|why| BulkError::Position {
                    index: start + first + place,
                    why,
                })?;
            }
            let kept = positions.map(|at| {
                self.values
                    .get(cache_key((at.mover(), at.waiting()), Metric::Depth))
            });
            let places = wdl.iter_mut().zip(dtw).zip(positions.iter().zip(kept));
            for ((wdl, dtw), (position, kept)) in places {
                let value = match kept {
                    Some(byte) => Some(self.value_of_byte(byte)),
                    None => awaited
                        .note(self.keep(position))
                        .map_err(BulkError::Database)?,
                };
                if let Some(value) = value {
                    (*wdl, *dtw) = numbers(value);
                }
            }
        }
        awaited.finish().map_err(BulkError::Database)
    }

    /// The value of a position, which the cache of values has from now on.
    fn keep(&self, position: &Position) -> Result<Value, DbError> {
        let value = self.probe(position)?;
        // Unknown depths have no byte.
        if let Some(byte) = self.byte_of_value(value) {
            let key = cache_key((position.mover(), position.waiting()), Metric::Depth);
            self.values.insert(key, byte);
        }
        Ok(value)
    }
}
