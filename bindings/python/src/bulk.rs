//! Many positions at once, as NumPy arrays. All work is done on copies: another thread of Python may change the
//! arrays of a question while the interpreter's lock is released.

use std::ops::Range;
use std::sync::atomic::Ordering;

use millbase::internals::{Stop, numbers};
use millbase::sample::{Family, mixed};
use millbase::{BulkError, DbError, Masks, Point, Position, Rules, Side, Values};
use numpy::{Element, IntoPyArray, PyReadonlyArray1};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::database::{Database, made, run};
use crate::{errors, text};

/// The most positions without stones in hand that are probed without looking for Ctrl-C: a few milliseconds.
const AT_ONCE: usize = 256;

/// How many positions are drawn, or ranked on each thread, between two looks for Ctrl-C.
const BETWEEN_LOOKS: usize = 1 << 10;

/// The most threads for a question.
const MOST_THREADS: usize = 1024;

/// A copy of an array of whole numbers.
fn column<T: Element + Copy>(numbers: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<T>> {
    if let Ok(array) = numbers.extract::<PyReadonlyArray1<'_, T>>()
        && let Ok(elements) = array.as_slice()
    {
        return Ok(elements.to_vec());
    }
    let py = numbers.py();
    let numpy = py.import("numpy")?;
    let given = numpy.call_method1("asarray", (numbers,))?;
    let kind: String = given.getattr("dtype")?.getattr("kind")?.extract()?;
    let dimensions: usize = given.getattr("ndim")?.extract()?;
    let size: usize = given.getattr("size")?.extract()?;
    if size > 0 && !matches!(kind.as_str(), "i" | "u" | "b") {
        return Err(PyTypeError::new_err(format!(
            "{name} must be an array of whole numbers with one dimension, not {}",
            numbers.get_type()
        )));
    }
    if dimensions != 1 {
        return Err(errors::position(format!(
            "{name} must have one dimension, not {dimensions}"
        )));
    }
    let array = given.call_method1("astype", (T::get_dtype(py),))?;
    let array = numpy.call_method1("ascontiguousarray", (array,))?;
    let same: bool = numpy
        .call_method1("array_equal", (&array, &given))?
        .extract()?;
    if !same {
        return Err(errors::position(format!(
            "{name} has numbers that do not fit"
        )));
    }
    Ok(array
        .extract::<PyReadonlyArray1<'_, T>>()?
        .as_slice()?
        .to_vec())
}

/// The arrays of positions.
pub struct Columns {
    white: Vec<u32>,
    black: Vec<u32>,
    to_move: Vec<u8>,
    in_hand: Option<[Vec<u8>; 2]>,
}

/// Arguments that are arrays of White's and Black's stones in hand.
pub type InHand<'a, 'py> = [Option<&'a Bound<'py, PyAny>>; 2];

impl Columns {
    /// The arrays of arguments, of one length.
    pub fn read(
        white: &Bound<'_, PyAny>,
        black: &Bound<'_, PyAny>,
        to_move: &Bound<'_, PyAny>,
        in_hand: InHand<'_, '_>,
    ) -> PyResult<Columns> {
        let white = column(white, "white")?;
        let [white_in_hand, black_in_hand] = in_hand;
        let hand = |given: Option<&Bound<'_, PyAny>>, name| match given {
            Some(given) => column(given, name),
            None => Ok(vec![0; white.len()]),
        };
        let in_hand = match (white_in_hand, black_in_hand) {
            (None, None) => None,
            _ => Some([
                hand(white_in_hand, "white_in_hand")?,
                hand(black_in_hand, "black_in_hand")?,
            ]),
        };
        let columns = Columns {
            black: column(black, "black")?,
            to_move: column(to_move, "to_move")?,
            in_hand,
            white,
        };
        columns.masks().count().map_err(errors::bulk)?;
        Ok(columns)
    }

    fn of(positions: &[Position]) -> Columns {
        let stones = |side| {
            positions
                .iter()
                .map(move |at| at.stones(side).bits())
                .collect()
        };
        let hand = |side| positions.iter().map(move |at| at.in_hand(side)).collect();
        Columns {
            white: stones(Side::White),
            black: stones(Side::Black),
            to_move: positions.iter().map(|at| at.side_to_move() as u8).collect(),
            in_hand: Some([hand(Side::White), hand(Side::Black)]),
        }
    }

    fn masks(&self) -> Masks<'_> {
        let in_hand = self.in_hand.as_ref();
        Masks {
            white: &self.white,
            black: &self.black,
            to_move: &self.to_move,
            in_hand: in_hand.map(|[white, black]| [white.as_slice(), black.as_slice()]),
        }
    }

    /// The positions of the arrays.
    pub fn positions(&self, rules: &Rules) -> Result<Vec<Position>, BulkError> {
        let position = |index| {
            let position = self.masks().position(index, rules);
            position.map_err(|why| BulkError::Position { index, why })
        };
        (0..self.white.len()).map(position).collect()
    }

    /// The values, and the first error.
    fn values(
        &self,
        database: &millbase::Database,
        threads: usize,
    ) -> (Answered, Result<(), BulkError>) {
        let count = self.white.len();
        let (mut wdl, mut dtw) = (vec![Values::MISSING; count], vec![-1; count]);
        let values = Values {
            wdl: &mut wdl,
            dtw: &mut dtw,
        };
        let threads = threads.clamp(1, MOST_THREADS);
        let done = database.probe_many(self.masks(), values, threads);
        ((wdl, dtw), done)
    }
}

/// Win, draw, loss and the depth of each position.
type Answered = (Vec<i8>, Vec<i16>);

/// The turns of many positions; `python/millbase/_arrays.py` describes the fields.
#[derive(Default)]
struct Turns {
    starts: Vec<i64>,
    origin: Vec<i8>,
    target: Vec<i8>,
    removed: Vec<u32>,
    wdl: Vec<i8>,
    dtw: Vec<i16>,
    missing: Vec<bool>,
    /// The reason why the first missing position is missing.
    first_missing: Option<BulkError>,
}

impl Turns {
    /// The turns of positions, until nobody waits for them.
    fn find(
        database: &millbase::Database,
        positions: &[Position],
        threads: usize,
        stop: &Stop,
    ) -> Result<Turns, BulkError> {
        let threads = threads.clamp(1, MOST_THREADS);
        let mut turns = Turns {
            starts: vec![0],
            ..Turns::default()
        };
        for part in positions.chunks(BETWEEN_LOOKS * threads) {
            if stop.load(Ordering::Relaxed) {
                break;
            }
            for ranked in database.turns_many(part, threads) {
                turns.push(ranked)?;
            }
        }
        Ok(turns)
    }

    /// Adds the turns of the next position.
    fn push(
        &mut self,
        ranked: Result<Vec<millbase::RankedTurn>, DbError>,
    ) -> Result<(), BulkError> {
        let index = self.missing.len();
        let (ranked, missing) = match ranked {
            Ok(ranked) => (ranked, None),
            Err(error) if error.is_missing() => {
                (Vec::new(), Some(BulkError::Database { index, error }))
            }
            Err(error) => return Err(BulkError::Database { index, error }),
        };
        let bit = |point: Option<Point>| point.map_or(-1, |point| point.bit() as i8);
        for ranked in ranked {
            self.origin.push(bit(ranked.turn.from()));
            self.target.push(bit(ranked.turn.to()));
            self.removed.push(ranked.turn.removed().bits());
            let (wdl, dtw) = numbers(ranked.value);
            self.wdl.push(wdl);
            self.dtw.push(dtw);
        }
        self.starts.push(self.origin.len() as i64);
        self.missing.push(missing.is_some());
        self.first_missing = self.first_missing.take().or(missing);
        Ok(())
    }

    fn into_python(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        let fields = (
            self.starts.into_pyarray(py),
            self.origin.into_pyarray(py),
            self.target.into_pyarray(py),
            self.removed.into_pyarray(py),
            self.wdl.into_pyarray(py),
            self.dtw.into_pyarray(py),
            self.missing.into_pyarray(py),
        );
        made(py, "Turns", fields)
    }
}

/// The families of an argument: a text, or a sequence of texts.
fn families(argument: &Bound<'_, PyAny>, rules: &Rules) -> PyResult<Vec<Family>> {
    let texts = match argument.is_instance_of::<PyString>() {
        true => vec![text(argument, "pair")?],
        false => {
            let names = argument.try_iter()?;
            names
                .map(|name| text(&name?, "a pair"))
                .collect::<PyResult<_>>()?
        }
    };
    if texts.is_empty() {
        return Err(errors::position("there is no pair to draw from"));
    }
    let family = |text: String| {
        let family: Family = text.parse().map_err(errors::position)?;
        family.check(rules).map_err(errors::position)?;
        Ok(family)
    };
    texts.into_iter().map(family).collect()
}

/// Random positions until nobody waits for them.
fn drawn(
    rules: &Rules,
    families: &[Family],
    numbers: Range<u64>,
    seed: u64,
    stop: &Stop,
) -> Vec<Position> {
    let mut positions = Vec::new();
    for start in numbers.clone().step_by(BETWEEN_LOOKS) {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let numbers = start..numbers.end.min(start.saturating_add(BETWEEN_LOOKS as u64));
        positions.extend(mixed(rules, families, numbers, seed));
    }
    positions
}

#[pymethods]
impl Database {
    /// The values of many positions without a pending removal. `white` and `black` are arrays of bits,
    /// `to_move` has 0 where White is to move and 1 where Black is; with stones in hand, which are none by
    /// default, positions are of the placing phase.
    ///
    /// Where no database has the value, `missing` is True. The interpreter's lock is released, and Ctrl-C is
    /// obeyed.
    #[pyo3(signature = (white, black, to_move, threads=1, *, white_in_hand=None, black_in_hand=None))]
    #[allow(clippy::too_many_arguments, reason = "Python passes them by name")]
    fn probe_many<'py>(
        &self,
        py: Python<'py>,
        white: &Bound<'py, PyAny>,
        black: &Bound<'py, PyAny>,
        to_move: &Bound<'py, PyAny>,
        threads: usize,
        white_in_hand: Option<&Bound<'py, PyAny>>,
        black_in_hand: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let columns = Columns::read(white, black, to_move, [white_in_hand, black_in_hand])?;
        let database = self.database()?;
        let is_quick = columns.in_hand.is_none() && columns.white.len() <= AT_ONCE;
        let work = move || columns.values(&database, threads);
        let ((wdl, dtw), done) = match is_quick {
            true => py.detach(work),
            false => run(py, move |_| work())?,
        };
        match done {
            Err(BulkError::Database { error, .. }) if error.is_missing() => {}
            done => done.map_err(errors::bulk)?,
        }
        let missing: Vec<bool> = wdl.iter().map(|&wdl| wdl == Values::MISSING).collect();
        let fields = (
            wdl.into_pyarray(py),
            dtw.into_pyarray(py),
            missing.into_pyarray(py),
        );
        made(py, "Values", fields)
    }

    /// All turns of many positions, which are given as to `probe_many`, best first. Where the
    /// databases cannot rank the turns of a position, `missing` is True, and its turns are left
    /// out.
    #[pyo3(signature = (white, black, to_move, threads=1, *, white_in_hand=None, black_in_hand=None))]
    #[allow(clippy::too_many_arguments, reason = "Python passes them by name")]
    fn turns_many<'py>(
        &self,
        py: Python<'py>,
        white: &Bound<'py, PyAny>,
        black: &Bound<'py, PyAny>,
        to_move: &Bound<'py, PyAny>,
        threads: usize,
        white_in_hand: Option<&Bound<'py, PyAny>>,
        black_in_hand: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let columns = Columns::read(white, black, to_move, [white_in_hand, black_in_hand])?;
        let database = self.database()?;
        let turns = run(py, move |stop| {
            let positions = columns.positions(database.rules())?;
            Turns::find(&database, &positions, threads, stop)
        })?;
        turns.map_err(errors::bulk)?.into_python(py)
    }

    /// `n` random positions that are not over, with their values and, if asked for, with all their turns. `pair`
    /// is a pair, as '5-4', of which each side has the larger number of stones equally often and White is to
    /// move; or 'placed-12' for positions after 12 placements; or a sequence of these, which take turns.
    /// The same seed gives the same positions, of which these are those from number `start` on.
    #[pyo3(signature = (pair, n, seed=0, turns=false, threads=1, *, start=0))]
    #[allow(clippy::too_many_arguments, reason = "Python passes them by name")]
    fn sample<'py>(
        &self,
        py: Python<'py>,
        pair: &Bound<'py, PyAny>,
        n: usize,
        seed: u64,
        turns: bool,
        threads: usize,
        start: u64,
    ) -> PyResult<Bound<'py, PyAny>> {
        let rules = self.own_rules();
        let families = families(pair, &rules)?;
        let database = self.database()?;
        for family in &families {
            // A pair that is missing is refused before anything is drawn.
            if let Family::Pair(pair) = family {
                database.file(*pair).map_err(errors::database)?;
            }
        }
        let sampled = run(py, move |stop| {
            let numbers = start..start.saturating_add(n as u64);
            let positions = drawn(&rules, &families, numbers, seed, stop);
            let columns = Columns::of(&positions);
            let (values, done) = columns.values(&database, threads);
            done?;
            let turns = match turns {
                true => Some(Turns::find(&database, &positions, threads, stop)?),
                false => None,
            };
            match turns {
                Some(Turns {
                    first_missing: Some(missing),
                    ..
                }) => Err(missing),
                turns => Ok((columns, values, turns)),
            }
        })?;
        let (columns, (wdl, dtw), turns) = sampled.map_err(errors::bulk)?;
        let [white_in_hand, black_in_hand] = columns.in_hand.unwrap_or_default();
        let turns = turns.map(|turns| turns.into_python(py)).transpose()?;
        let fields = (
            columns.white.into_pyarray(py),
            columns.black.into_pyarray(py),
            columns.to_move.into_pyarray(py),
            white_in_hand.into_pyarray(py),
            black_in_hand.into_pyarray(py),
            wdl.into_pyarray(py),
            dtw.into_pyarray(py),
            turns,
        );
        made(py, "Sample", fields)
    }
}
