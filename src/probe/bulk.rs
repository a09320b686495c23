//! Many positions at once, as the arrays of numbers that other languages pass.
//!
//! The arrays have an element for each position:
//!
//! ```text
//! white, black   the bits of the stones, see `board`
//! to_move        0 White, 1 Black
//! in_hand        White's and Black's stones in hand, for the placing phase
//! ```

use std::fmt;
use std::sync::Mutex;
use std::thread;

use super::database::Database;
use super::foresee::Awaited;
use super::levels::Wanted;
use super::lookup::cache_key;
use super::{RankedTurn, stop};
use crate::board::{POINTS, PointSet};
use crate::lock::locked;
use crate::rules::position::{Position, Side};
use crate::rules::{FEWEST_STONES, Rules, counted};
use crate::store::DbError;
use crate::value::{Metric, Value, Wdl};

/// Positions without a pending removal as arrays.
#[derive(Clone, Copy, Debug)]
pub struct Masks<'a> {
    /// White's stones.
    pub white: &'a [u32],
    /// Black's stones.
    pub black: &'a [u32],
    /// 0 where White is to move, 1 where Black is.
    pub to_move: &'a [u8],
    /// White's and Black's stones in hand; `None` if all positions are of the moving phase.
    pub in_hand: Option<[&'a [u8]; 2]>,
}

/// Where the values of many positions go.
#[derive(Debug)]
pub struct Values<'a> {
    /// 1 for a win of the side to move, 0 for a draw, -1 for a loss, [`Values::MISSING`] where no database
    /// has the value.
    pub wdl: &'a mut [i8],
    /// Turns to the end; -1 for a draw, and where the files hold no depths.
    pub dtw: &'a mut [i16],
}

impl Values<'_> {
    /// Stands for the result of a position whose value no database has; its depth is -1.
    pub const MISSING: i8 = i8::MIN;
}

/// The reason why many positions were not answered; displays as one sentence.
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
    /// The elements at an index are not a position.
    Position {
        /// The first such index.
        index: usize,
        /// The reason, as part of a sentence.
        why: String,
    },
    /// The databases do not answer for the position at an index. If no file has the answer
    /// ([`DbError::is_missing`]), all others are answered.
    Database {
        /// The first such index if no file has the answer, else one of them.
        index: usize,
        /// The reason.
        error: DbError,
    },
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
            BulkError::Database { index, error } => {
                write!(f, "the position at index {index}: {error}")
            }
        }
    }
}

impl std::error::Error for BulkError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            BulkError::Database { error, .. } => Some(error),
            _ => None,
        }
    }
}

impl BulkError {
    /// The same error with its index counted in the whole arrays, of which the part that was passed
    /// begins at `start`.
    #[must_use]
    fn after(mut self, start: usize) -> BulkError {
        if let BulkError::Position { index, .. } | BulkError::Database { index, .. } = &mut self {
            *index += start;
        }
        self
    }
}

impl<'a> Masks<'a> {
    /// The number of positions.
    ///
    /// # Errors
    ///
    /// [`BulkError::Lengths`].
    pub fn count(&self) -> Result<usize, BulkError> {
        let expected = self.white.len();
        same_lengths(expected, [self.black.len(), self.to_move.len()])?;
        if let Some(in_hand) = self.in_hand {
            same_lengths(expected, in_hand.map(<[u8]>::len))?;
        }
        Ok(expected)
    }

    /// The position at an index.
    ///
    /// # Errors
    ///
    /// A part of a sentence that says why the elements are not a position under these rules.
    ///
    /// # Panics
    ///
    /// If the index is not below [`Masks::count`].
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
        let side_to_move = match self.to_move[index] {
            0 => Side::White,
            1 => Side::Black,
            other => return Err(format!("the side to move is {other}, but must be 0 or 1")),
        };
        let in_hand = (self.in_hand).map_or([0, 0], |in_hand| in_hand.map(|side| side[index]));
        let stones = [white, black].map(PointSet::from_bits);
        let position = Position::of_colours(stones, in_hand, side_to_move);
        if in_hand != [0, 0] {
            return placing(position, in_hand, rules);
        }
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

    /// `count` elements from the index `start` on.
    fn part(&self, start: usize, count: usize) -> Masks<'a> {
        let range = start..start + count;
        let part = |side: &'a [u8]| &side[range.clone()];
        Masks {
            white: &self.white[range.clone()],
            black: &self.black[range.clone()],
            to_move: part(self.to_move),
            in_hand: self.in_hand.map(|in_hand| in_hand.map(part)),
        }
    }
}

/// A position with White's and Black's stones in hand, checked as its text would be.
fn placing(position: Position, in_hand: [u8; 2], rules: &Rules) -> Result<Position, String> {
    let most = rules.stones;
    if let Some(many) = in_hand.into_iter().find(|&count| count > most) {
        return Err(format!(
            "a side has {} in hand, more than the {most} of a side under these rules",
            counted(many, "stone")
        ));
    }
    let checked = position.checked(0, rules);
    let (position, _) = checked.map_err(|error| error.to_string())?;
    Ok(position)
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
    /// The values of many positions, found on `threads` threads. Up to a million positions of the
    /// moving phase, and those after their captures, are read in the order in which the files store
    /// them, so each block is decoded once. Positions with stones in hand are probed one after the
    /// other.
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
    ///     in_hand: None,
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
    /// [`BulkError`]. Where no file has an answer, the value is [`Values::MISSING`], and all others are filled
    /// in; after other errors the arrays may be filled in part. [`DbError::Pending`] has the ranges of the
    /// positions of a thread.
    pub fn probe_many(
        &self,
        positions: Masks<'_>,
        values: Values<'_>,
        threads: usize,
    ) -> Result<(), BulkError> {
        let count = positions.count()?;
        same_lengths(count, [values.wdl.len(), values.dtw.len()])?;
        let mut missing = None;
        let rounds = (values.wdl.chunks_mut(ROUND)).zip(values.dtw.chunks_mut(ROUND));
        for (start, (wdl, dtw)) in (0..).step_by(ROUND).zip(rounds) {
            let masks = positions.part(start, wdl.len());
            let round = self.probe_round(masks, Values { wdl, dtw }, threads.max(1));
            let round = round.map_err(|error| error.after(start))?;
            missing = missing.or(round.map(|error| error.after(start)));
        }
        missing.map_or(Ok(()), Err)
    }

    /// Fills in the values of a round. Returns the error for the first position whose value no file
    /// has.
    fn probe_round(
        &self,
        masks: Masks<'_>,
        values: Values<'_>,
        threads: usize,
    ) -> Result<Option<BulkError>, BulkError> {
        let Values { wdl, dtw } = values;
        let share = wdl.len().div_ceil(threads).max(1);
        let parts = wdl.chunks_mut(share).zip(dtw.chunks_mut(share));
        let parts = (0..).step_by(share).zip(parts).collect();
        let unknown = each_on_a_thread(parts, |(first, (wdl, dtw))| {
            self.fill_kept(first, masks, Values { wdl, dtw })
        });
        let mut level = unknown.into_iter().collect::<Result<Vec<_>, _>>()?.concat();
        self.find_level(&mut level, threads)
            .map_err(|error| BulkError::Database { index: 0, error })?;
        for Wanted { place, value, .. } in level {
            let place = place as usize;
            if let (Ok(position), Some(value)) = (masks.position(place, self.rules()), value) {
                self.keep(cache_key(&position, Metric::Depth), value);
                (wdl[place], dtw[place]) = numbers(value);
            }
        }
        self.probe_missing(masks, Values { wdl, dtw }, threads)
    }

    /// The turns of many positions as [`Database::turns`] returns them, found on `threads` threads.
    pub fn turns_many(
        &self,
        positions: &[Position],
        threads: usize,
    ) -> Vec<Result<Vec<RankedTurn>, DbError>> {
        let share = positions.len().div_ceil(threads.max(1)).max(1);
        let ranked = each_on_a_thread(positions.chunks(share).collect(), |part: &[Position]| {
            let turns = |position| stop::check_own().and_then(|()| self.turns(position));
            part.iter().map(turns).collect::<Vec<_>>()
        });
        ranked.into_iter().flatten().collect()
    }

    /// Fills in the values that the cache of values has, from the place `first` of a round on, and
    /// [`Values::MISSING`] for the others. Returns those of them that are read row by row. The
    /// cache misses of a batch overlap.
    fn fill_kept(
        &self,
        first: usize,
        masks: Masks<'_>,
        values: Values<'_>,
    ) -> Result<Vec<Wanted>, BulkError> {
        const BATCH: usize = 32;
        let stop = stop::flag();
        let mut unknown = Vec::new();
        let mut positions = [Position::start(self.rules()); BATCH];
        let batches = (values.wdl.chunks_mut(BATCH)).zip(values.dtw.chunks_mut(BATCH));
        for (index, (wdl, dtw)) in (first..).step_by(BATCH).zip(batches) {
            stop::check(&stop).map_err(|error| BulkError::Database { index, error })?;
            for (index, position) in (index..).zip(&mut positions).take(wdl.len()) {
                let found = masks.position(index, self.rules());
                *position = found.map_err(|why| BulkError::Position { index, why })?;
            }
            let kept = positions.map(|at| self.kept(cache_key(&at, Metric::Depth)));
            let places = wdl.iter_mut().zip(dtw).zip(positions.iter().zip(kept));
            for (index, ((wdl, dtw), (position, kept))) in (index..).zip(places) {
                (*wdl, *dtw) = (Values::MISSING, -1);
                match kept {
                    _ if position.is_placing() => {}
                    Some(value) => (*wdl, *dtw) = numbers(value),
                    // No file has values of full boards.
                    None if position.empty().is_empty() => {}
                    None => {
                        let sets = [position.mover(), position.waiting()];
                        unknown.push(Wanted::new(self, sets, index));
                    }
                }
            }
        }
        Ok(unknown)
    }

    /// Probes the positions with the result [`Values::MISSING`] one by one; threads take them in
    /// turn. A probe of its own gives the reason why a value is missing, or the ranges that it
    /// needs. Returns the error for the first position whose value no file has.
    fn probe_missing(
        &self,
        masks: Masks<'_>,
        values: Values<'_>,
        threads: usize,
    ) -> Result<Option<BulkError>, BulkError> {
        let Values { wdl, dtw } = values;
        let is_missing = |wdl: &i8| *wdl == Values::MISSING;
        let count = wdl.iter().filter(|wdl| is_missing(wdl)).count();
        let places = wdl.iter_mut().zip(dtw).enumerate();
        let places = Mutex::new(places.filter(|(_, (wdl, _))| is_missing(wdl)));
        let probed = each_on_a_thread(vec![(); threads.min(count)], |()| {
            let (mut first_missing, mut awaited) = (None, Awaited::default());
            let mut last = 0;
            loop {
                let Some((index, (wdl, dtw))) = locked(&places).next() else {
                    break;
                };
                last = index;
                let failed = |error| BulkError::Database { index, error };
                let position = masks.position(index, self.rules());
                let position = position.map_err(|why| BulkError::Position { index, why })?;
                match awaited.note(self.probe(&position)) {
                    Ok(Some(value)) => {
                        if !position.is_placing() {
                            self.keep(cache_key(&position, Metric::Depth), value);
                        }
                        (*wdl, *dtw) = numbers(value);
                    }
                    Ok(None) => {}
                    Err(error) => {
                        // Nobody waits any more, or a file is damaged: the rest is of no use.
                        stop::check_own().map_err(failed)?;
                        if !error.is_missing() {
                            return Err(failed(error));
                        }
                        // The indices that a thread takes rise.
                        first_missing.get_or_insert((index, error));
                    }
                }
            }
            let waits = awaited.finish();
            waits.map_err(|error| BulkError::Database { index: last, error })?;
            Ok(first_missing)
        });
        let missing = probed.into_iter().collect::<Result<Vec<_>, _>>()?;
        let missing = missing.into_iter().flatten();
        let first = missing.min_by_key(|&(index, _)| index);
        Ok(first.map(|(index, error)| BulkError::Database { index, error }))
    }
}

/// The positions that are sorted together. They and those after their captures take some 100 MB.
const ROUND: usize = 1 << 20;

/// The results of `work` on each item, each on a thread of its own; this thread takes the first.
pub(crate) fn each_on_a_thread<Item: Send, Done: Send>(
    items: Vec<Item>,
    work: impl Fn(Item) -> Done + Sync,
) -> Vec<Done> {
    let work = &work;
    let stop = stop::flag();
    thread::scope(|scope| {
        let mut items = items.into_iter();
        let first = items.next();
        let others: Vec<_> = items
            .map(|item| {
                let stop = stop.clone();
                scope.spawn(move || stop::until_any(stop, || work(item)))
            })
            .collect();
        let mut done: Vec<Done> = first.map(work).into_iter().collect();
        for other in others {
            let other = other.join();
            done.push(other.unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        done
    })
}
