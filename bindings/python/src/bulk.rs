//! Many positions at once, as NumPy arrays.

use std::panic::resume_unwind;
use std::thread;

use millbase::internals::numbers;
use millbase::sample::{Family, many};
use millbase::{DbError, Pair, Point, Position, RankedTurn, Side};
use millbase::{Masks, Values};
use numpy::{Element, IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::database::Database;
use crate::errors;

/// How many positions are asked for between two looks for Ctrl-C, on each thread.
const BETWEEN_SIGNALS: usize = 1 << 16;

/// The same for positions whose turns are ranked.
const RANKED_BETWEEN_SIGNALS: usize = 1 << 10;

/// The most threads for a question.
const MOST_THREADS: usize = 1024;

/// An array that an object of this module holds.
type Array<T> = Py<PyArray1<T>>;

/// Win, draw or loss, and turns to the end.
type BulkValues<'py> = (Bound<'py, PyArray1<i8>>, Bound<'py, PyArray1<i16>>);

/// Positions with their values, as NumPy arrays of one length.
#[pyclass(frozen, get_all, module = "millbase")]
pub struct Sample {
    /// The bits of White's stones, uint32.
    white: Array<u32>,
    /// The bits of Black's stones, uint32.
    black: Array<u32>,
    /// 0 where White is to move, 1 where Black is, uint8.
    to_move: Array<u8>,
    /// 1 for a win of the side to move, 0 for a draw, -1 for a loss, int8.
    wdl: Array<i8>,
    /// Turns to the end, -1 for a draw, int16.
    dtw: Array<i16>,
    /// All turns of the positions, or None.
    turns: Option<Py<Turns>>,
}

/// The turns of many positions, best first, as NumPy arrays. Those of position `i` are the elements
/// from `starts[i]` to `starts[i + 1]`.
#[pyclass(frozen, get_all, module = "millbase")]
pub struct Turns {
    /// Where the turns of each position begin, and the number of all turns, int64.
    starts: Array<i64>,
    /// The bit of the point that a stone leaves, int8.
    origin: Array<i8>,
    /// The bit of the point that a stone comes to, int8.
    target: Array<i8>,
    /// The bits of the stones that are removed, uint32.
    removed: Array<u32>,
    /// 1 where the turn wins, 0 where it draws, -1 where it loses, int8.
    wdl: Array<i8>,
    /// Turns to the end, this turn counted, -1 for a draw, int16.
    dtw: Array<i16>,
}

/// An array of whole numbers as one of these elements.
fn array<'py, T: Element>(
    numbers: &Bound<'py, PyAny>,
    name: &str,
) -> PyResult<PyReadonlyArray1<'py, T>> {
    if let Ok(array) = numbers.extract::<PyReadonlyArray1<'py, T>>()
        && array.as_slice().is_ok()
    {
        return Ok(array);
    }
    let numpy = numbers.py().import("numpy")?;
    let given = numpy.call_method1("asarray", (numbers,))?;
    let kind: String = given.getattr("dtype")?.getattr("kind")?.extract()?;
    let (dimensions, size): (usize, usize) = (
        given.getattr("ndim")?.extract()?,
        given.getattr("size")?.extract()?,
    );
    if dimensions != 1 || size > 0 && !matches!(kind.as_str(), "i" | "u" | "b") {
        return Err(errors::position(format!(
            "{name} must be an array of whole numbers with one dimension"
        )));
    }
    let wanted = T::get_dtype(numbers.py());
    let array = given.call_method1("astype", (wanted,))?;
    let array = numpy.call_method1("ascontiguousarray", (array,))?;
    let same: bool = numpy
        .call_method1("array_equal", (&array, &given))?
        .extract()?;
    if !same {
        return Err(errors::position(format!(
            "{name} has numbers that do not fit"
        )));
    }
    array.extract::<PyReadonlyArray1<'py, T>>()
}

impl Database {
    /// Fills the values of positions, in parts.
    fn values(&self, py: Python<'_>, masks: Masks<'_>, threads: usize) -> PyResult<Answered> {
        let count = masks.count().map_err(errors::bulk)?;
        let threads = threads.clamp(1, MOST_THREADS);
        let (mut wdl, mut dtw) = (vec![0; count], vec![0; count]);
        let step = BETWEEN_SIGNALS * threads;
        for start in (0..count).step_by(step) {
            let range = start..count.min(start + step);
            let masks = Masks {
                white: &masks.white[range.clone()],
                black: &masks.black[range.clone()],
                to_move: &masks.to_move[range.clone()],
            };
            let values = Values {
                wdl: &mut wdl[range.clone()],
                dtw: &mut dtw[range],
            };
            let done = py.detach(|| self.database.probe_many(masks, values, threads));
            done.map_err(|error| errors::bulk(error.after(start)))?;
            py.check_signals()?;
        }
        Ok((wdl, dtw))
    }
}

/// Win, draw, loss and the depth of each position.
type Answered = (Vec<i8>, Vec<i16>);

#[pymethods]
impl Database {
    /// The values of many positions of the moving phase: two arrays, win (1), draw (0) or loss (-1)
    /// as int8, and turns to the end as int16, -1 for a draw.
    ///
    /// `white` and `black` are arrays of bits, `to_move` has 0 where White is to move and 1 where
    /// Black is. The interpreter's lock is released, and Ctrl-C is obeyed.
    #[pyo3(signature = (white, black, to_move, threads=1))]
    fn probe_many<'py>(
        &self,
        py: Python<'py>,
        white: &Bound<'py, PyAny>,
        black: &Bound<'py, PyAny>,
        to_move: &Bound<'py, PyAny>,
        threads: usize,
    ) -> PyResult<BulkValues<'py>> {
        let (white, black) = (array(white, "white")?, array(black, "black")?);
        let to_move = array(to_move, "to_move")?;
        let masks = Masks {
            white: white.as_slice()?,
            black: black.as_slice()?,
            to_move: to_move.as_slice()?,
        };
        let (wdl, dtw) = self.values(py, masks, threads)?;
        Ok((wdl.into_pyarray(py), dtw.into_pyarray(py)))
    }

    /// `n` random positions of a pair, as '5-4', that are not over, each side having the larger
    /// number of stones equally often, with their values and, if asked for, with all their turns.
    /// The same seed gives the same positions.
    #[pyo3(signature = (pair, n, seed=0, turns=false, threads=1))]
    fn sample(
        &self,
        py: Python<'_>,
        pair: &str,
        n: usize,
        seed: u64,
        turns: bool,
        threads: usize,
    ) -> PyResult<Sample> {
        let pair: Pair = pair.parse().map_err(errors::position)?;
        let family = Family::Pair(pair);
        let rules = *self.database.rules();
        family.check(&rules).map_err(errors::position)?;
        // A pair that is missing is refused before anything is drawn.
        self.database.file(pair).map_err(errors::database)?;
        let mut positions = Vec::new();
        let all = n as u64;
        for start in (0..all).step_by(BETWEEN_SIGNALS) {
            let numbers = start..all.min(start + BETWEEN_SIGNALS as u64);
            positions.extend(py.detach(|| many(&rules, family, numbers, seed)));
            py.check_signals()?;
        }
        let of = |side| positions.iter().map(move |at| at.stones(side).bits());
        let white: Vec<u32> = of(Side::White).collect();
        let black: Vec<u32> = of(Side::Black).collect();
        let to_move = positions.iter().map(|at| at.side_to_move() as u8);
        let to_move: Vec<u8> = to_move.collect();
        let masks = Masks {
            white: &white,
            black: &black,
            to_move: &to_move,
        };
        let (wdl, dtw) = self.values(py, masks, threads)?;
        let turns = match turns {
            true => Some(Py::new(py, self.turns_of(py, &positions, threads)?)?),
            false => None,
        };
        Ok(Sample {
            white: white.into_pyarray(py).unbind(),
            black: black.into_pyarray(py).unbind(),
            to_move: to_move.into_pyarray(py).unbind(),
            wdl: wdl.into_pyarray(py).unbind(),
            dtw: dtw.into_pyarray(py).unbind(),
            turns,
        })
    }
}

impl Database {
    /// All turns of positions that are not over.
    fn turns_of(&self, py: Python<'_>, positions: &[Position], threads: usize) -> PyResult<Turns> {
        let threads = threads.clamp(1, MOST_THREADS);
        let mut starts = vec![0];
        let (mut origin, mut target, mut removed) = (Vec::new(), Vec::new(), Vec::new());
        let (mut wdl, mut dtw) = (Vec::new(), Vec::new());
        for positions in positions.chunks(RANKED_BETWEEN_SIGNALS * threads) {
            let ranked = py.detach(|| self.ranked(positions, threads));
            for turns in ranked.map_err(errors::database)? {
                for ranked in turns {
                    let bit = |point: Option<Point>| point.map_or(-1, |point| point.bit() as i8);
                    origin.push(bit(ranked.turn.from()));
                    target.push(bit(ranked.turn.to()));
                    removed.push(ranked.turn.removed().bits());
                    let (won, depth) = numbers(ranked.value);
                    wdl.push(won);
                    dtw.push(depth);
                }
                starts.push(origin.len() as i64);
            }
            py.check_signals()?;
        }
        Ok(Turns {
            starts: starts.into_pyarray(py).unbind(),
            origin: origin.into_pyarray(py).unbind(),
            target: target.into_pyarray(py).unbind(),
            removed: removed.into_pyarray(py).unbind(),
            wdl: wdl.into_pyarray(py).unbind(),
            dtw: dtw.into_pyarray(py).unbind(),
        })
    }

    /// The turns of each position, best first; each thread ranks those of one part of the positions.
    fn ranked(
        &self,
        positions: &[Position],
        threads: usize,
    ) -> Result<Vec<Vec<RankedTurn>>, DbError> {
        let rank = |part: &[Position]| {
            let ranked = part.iter().map(|position| self.database.turns(position));
            ranked.collect::<Result<Vec<_>, _>>()
        };
        if threads == 1 {
            return rank(positions);
        }
        thread::scope(|scope| {
            let parts = positions.chunks(positions.len().div_ceil(threads));
            let workers: Vec<_> = parts.map(|part| scope.spawn(move || rank(part))).collect();
            let mut ranked = Vec::with_capacity(positions.len());
            for worker in workers {
                ranked.extend(worker.join().unwrap_or_else(|panic| resume_unwind(panic))?);
            }
            Ok(ranked)
        })
    }
}
