//! Many positions at once, as arrays of bits: what other languages pass.
//!
//! The three arrays have an element for each position of the moving phase:
//!
//! ```text
//! white, black   the bits of the stones, see `board`
//! to_move        0 White, 1 Black
//! ```

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::database::Database;
use super::foresee::Awaited;
use super::lookup::cache_key;
use super::omitted::Sets;
use crate::board::{POINTS, PointSet};
use crate::index::Rows;
use crate::rules::position::Position;
use crate::rules::{FEWEST_STONES, Rules, counted};
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
                "the side to move has {} and the other {waiting}, but the moving phase has {fewest} to \
                 {most}, or {} where the side to move has lost",
                counted(mover, "stone"),
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
    /// The values of many positions, found on `threads` threads, in the order in which the files store them:
    /// each block is decoded once for up to a million positions.
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
    /// ranges of the positions of a thread.
    pub fn probe_many(
        &self,
        positions: Masks<'_>,
        values: Values<'_>,
        threads: usize,
    ) -> Result<(), BulkError> {
        let count = positions.count()?;
        same_lengths(count, [values.wdl.len(), values.dtw.len()])?;
        let threads = threads.max(1);
        let Values { wdl, dtw } = values;
        let rounds = wdl.chunks_mut(ROUND).zip(dtw.chunks_mut(ROUND));
        for (round, (wdl, dtw)) in rounds.enumerate() {
            let start = round * ROUND;
            let masks = positions.part(start, wdl.len());
            let missing = self.fill_kept(start, masks, Values { wdl, dtw }, threads)?;
            for (place, value) in self.read_rows(missing, threads)? {
                (wdl[place as usize], dtw[place as usize]) = numbers(value);
            }
        }
        Ok(())
    }

    /// Fills in the values that the cache of values has. Returns the other positions of a round, which begins
    /// at this index of all.
    fn fill_kept(
        &self,
        start: usize,
        masks: Masks<'_>,
        values: Values<'_>,
        threads: usize,
    ) -> Result<Vec<Missing>, BulkError> {
        let share = values.wdl.len().div_ceil(threads).max(1);
        let parts = values
            .wdl
            .chunks_mut(share)
            .zip(values.dtw.chunks_mut(share));
        let parts = parts.enumerate().map(|(number, (wdl, dtw))| {
            let part = masks.part(number * share, wdl.len());
            (number * share, part, Values { wdl, dtw })
        });
        let found = each_on_a_thread(parts.collect(), |(first, part, values)| {
            let missing = self.fill_part(first, part, values);
            missing.map_err(|error| error.after(start + first))
        });
        let parts: Vec<Vec<Missing>> = found.into_iter().collect::<Result<_, _>>()?;
        Ok(parts.concat())
    }

    /// [`Database::fill_kept`] for one thread, whose positions begin at this place of the round. The look-ups
    /// of a batch wait for memory together.
    fn fill_part(
        &self,
        first: usize,
        masks: Masks<'_>,
        values: Values<'_>,
    ) -> Result<Vec<Missing>, BulkError> {
        const BATCH: usize = 32;
        let mut missing = Vec::new();
        let mut positions = [Position::start(self.rules()); BATCH];
        let batches = values.wdl.chunks_mut(BATCH);
        for (batch, (wdl, dtw)) in batches.zip(values.dtw.chunks_mut(BATCH)).enumerate() {
            let begin = batch * BATCH;
            for (place, position) in positions.iter_mut().enumerate().take(wdl.len()) {
                let index = begin + place;
                let found = masks.position(index, self.rules());
                *position = found.map_err(|why| BulkError::Position { index, why })?;
            }
            let kept = positions.map(|at| {
                self.values
                    .get(cache_key((at.mover(), at.waiting()), Metric::Depth))
            });
            let places = wdl.iter_mut().zip(dtw).zip(positions.iter().zip(kept));
            for (place, ((wdl, dtw), (position, kept))) in places.enumerate() {
                match kept {
                    Some(byte) => (*wdl, *dtw) = numbers(self.value_of_byte(byte)),
                    None => missing.push(Missing::new(first + begin + place, position)),
                }
            }
        }
        Ok(missing)
    }

    /// The values of positions with their places, row by row of the files. Threads take rows in turn.
    fn read_rows(
        &self,
        mut missing: Vec<Missing>,
        threads: usize,
    ) -> Result<Vec<(u32, Value)>, BulkError> {
        missing.sort_unstable_by_key(|missing| missing.row);
        let rows: Vec<&[Missing]> = missing
            .chunk_by(|one, other| one.row == other.row)
            .collect();
        let next = AtomicUsize::new(0);
        let read = each_on_a_thread(vec![(); threads.min(rows.len().max(1))], |()| {
            let (mut values, mut awaited) = (Vec::new(), Awaited::default());
            while let Some(row) = rows.get(next.fetch_add(1, Ordering::Relaxed)) {
                self.read_row(row, &mut values, &mut awaited)?;
            }
            awaited.finish().map(|()| values)
        });
        let read: Result<Vec<_>, DbError> = read.into_iter().collect();
        Ok(read.map_err(BulkError::Database)?.concat())
    }

    /// The values of positions of one row, which the cache of values has from now on.
    fn read_row(
        &self,
        row: &[Missing],
        values: &mut Vec<(u32, Value)>,
        awaited: &mut Awaited,
    ) -> Result<(), DbError> {
        let sets: Vec<Sets> = row.iter().map(|missing| missing.turned).collect();
        let begin = values.len();
        values.extend(row.iter().map(|missing| (missing.place, Value::Draw)));
        // No file has values of full boards.
        let is_full = row
            .iter()
            .any(|missing| missing.position.empty().is_empty());
        let read = self.each(&sets, Metric::Depth, |place, value| {
            values[begin + place].1 = value;
        });
        if !is_full && matches!(read, Ok(true)) {
            for (missing, (_, value)) in row.iter().zip(&values[begin..]) {
                self.keep(&missing.position, *value);
            }
            return Ok(());
        }
        // Something is missing for one of them.
        values.truncate(begin);
        for missing in row {
            if let Some(value) = awaited.note(self.probe(&missing.position))? {
                self.keep(&missing.position, value);
                values.push((missing.place, value));
            }
        }
        Ok(())
    }

    /// Keeps a value in the cache of values.
    fn keep(&self, position: &Position, value: Value) {
        // Unknown depths have no byte.
        if let Some(byte) = self.byte_of_value(value) {
            let key = cache_key((position.mover(), position.waiting()), Metric::Depth);
            self.values.insert(key, byte);
        }
    }
}

/// The positions that are sorted together: some 60 MB.
const ROUND: usize = 1 << 20;

/// A position whose value the cache of values lacks.
#[derive(Clone, Copy)]
struct Missing {
    /// A number for the row of a file with the position or the positions after its quiet turns.
    row: u64,
    /// Its place in the round.
    place: u32,
    position: Position,
    /// The sets of an equal position, of which the larger side's is the row's.
    turned: Sets,
}

impl Missing {
    fn new(place: usize, position: &Position) -> Missing {
        let (mover, waiting) = (position.mover(), position.waiting());
        let larger = match waiting.len() > mover.len() {
            true => waiting,
            false => mover,
        };
        let (row, symmetry) = Rows::of(larger.len() as u8).find(larger);
        let stones = u64::from(mover.len()) << 8 | u64::from(waiting.len());
        let pair = stones.max(u64::from(waiting.len()) << 8 | u64::from(mover.len()));
        Missing {
            row: pair << 32 | row as u64,
            place: place as u32,
            position: *position,
            turned: (symmetry.apply(mover), symmetry.apply(waiting)),
        }
    }
}

/// The results of `work` on each item, on a thread of its own; the first is this thread's.
fn each_on_a_thread<Item: Send, Done: Send>(
    items: Vec<Item>,
    work: impl Fn(Item) -> Done + Sync,
) -> Vec<Done> {
    let work = &work;
    thread::scope(|scope| {
        let mut items = items.into_iter();
        let first = items.next();
        let others: Vec<_> = items.map(|item| scope.spawn(move || work(item))).collect();
        let mut done: Vec<Done> = first.map(work).into_iter().collect();
        for other in others {
            let other = other.join();
            done.push(other.unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        done
    })
}
