//! Methods for research: legal turns in bulk, whole tables part by part, and records.

use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use millbase::internals::{locked, numbers};
use millbase::sample::Family;
use millbase::survey::rows::{Batches, DataRow, RowFilter, table_rows};
use millbase::survey::{Deepest, Extremes, Found, Survey};
use millbase::{DbError, Pair, Point, Position, Rules, Side};
use numpy::{Element, IntoPyArray, PyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::{Value as Json, json};

use crate::bulk::Columns;
use crate::database::{BETWEEN_SIGNALS, Database, made, run};
use crate::{errors, rules, text};

/// The legal turns of many positions without values, which are given as to `Database.probe_many`: no database is
/// needed. Turns are in the order of their texts.
#[pyfunction]
#[pyo3(
    signature = (white, black, to_move, *, white_in_hand=None, black_in_hand=None, rules=None),
    text_signature = "(white, black, to_move, *, white_in_hand=None, black_in_hand=None, rules='standard')"
)]
pub fn legal_turns<'py>(
    py: Python<'py>,
    white: &Bound<'py, PyAny>,
    black: &Bound<'py, PyAny>,
    to_move: &Bound<'py, PyAny>,
    white_in_hand: Option<&Bound<'py, PyAny>>,
    black_in_hand: Option<&Bound<'py, PyAny>>,
    rules: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let columns = Columns::read(white, black, to_move, [white_in_hand, black_in_hand])?;
    let rules = rules::read(rules)?;
    let found = run(py, move |_| {
        let (mut starts, mut turns) = (vec![0], Vec::new());
        for position in columns.positions(&rules)? {
            turns.extend(position.turns(&rules));
            starts.push(turns.len() as i64);
        }
        Ok((starts, turns))
    })?;
    let (starts, turns) = found.map_err(errors::bulk)?;
    let bit = |point: Option<Point>| point.map_or(-1, |point| point.bit() as i8);
    let fields = (
        starts.into_pyarray(py),
        column(py, &turns, |turn| bit(turn.from())),
        column(py, &turns, |turn| bit(turn.to())),
        column(py, &turns, |turn| turn.removed().bits()),
    );
    made(py, "LegalTurns", fields)
}

/// The parts of a table, which a thread makes while Python uses those before.
#[pyclass(frozen, module = "millbase._millbase")]
pub struct Parts {
    receiver: Mutex<Receiver<Result<Vec<DataRow>, DbError>>>,
    worker: Mutex<Option<JoinHandle<()>>>,
    turns: bool,
}

#[pymethods]
impl Parts {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        loop {
            match py.detach(|| locked(&self.receiver).recv_timeout(BETWEEN_SIGNALS)) {
                Ok(rows) => {
                    let rows = rows.map_err(errors::database)?;
                    return arrays(py, &rows, self.turns).map(Some);
                }
                Err(RecvTimeoutError::Timeout) => py.check_signals()?,
                Err(RecvTimeoutError::Disconnected) => {
                    let worker = locked(&self.worker).take();
                    return match worker.map(JoinHandle::join) {
                        Some(Err(panic)) => std::panic::resume_unwind(panic),
                        _ => Ok(None),
                    };
                }
            }
        }
    }
}

/// A number of each item as an array.
fn column<'py, Item, Number: Element>(
    py: Python<'py>,
    items: &[Item],
    number: impl Fn(&Item) -> Number,
) -> Bound<'py, PyArray1<Number>> {
    let numbers: Vec<Number> = items.iter().map(number).collect();
    numbers.into_pyarray(py)
}

/// Rows as arrays.
fn arrays<'py>(py: Python<'py>, rows: &[DataRow], turns: bool) -> PyResult<Bound<'py, PyAny>> {
    let worth = |row: &DataRow| row.turns.unwrap_or_default();
    let fields = (
        column(py, rows, |row| row.position.stones(Side::White).bits()),
        column(py, rows, |row| row.position.stones(Side::Black).bits()),
        column(py, rows, |row| row.position.side_to_move() as u8),
        column(py, rows, |row| row.position.in_hand(Side::White)),
        column(py, rows, |row| row.position.in_hand(Side::Black)),
        column(py, rows, |row| numbers(row.value).0),
        column(py, rows, |row| numbers(row.value).1),
        turns.then(|| column(py, rows, |row| worth(row).good)),
        turns.then(|| column(py, rows, |row| worth(row).best)),
        turns.then(|| column(py, rows, |row| worth(row).from.bits())),
        turns.then(|| column(py, rows, |row| worth(row).to.bits())),
        turns.then(|| column(py, rows, |row| worth(row).removed.bits())),
    );
    made(py, "Rows", fields)
}

/// Sends the rows of a family in parts until nobody takes them.
fn send(
    database: &millbase::Database,
    family: Family,
    turns: bool,
    size: usize,
    sender: &SyncSender<Result<Vec<DataRow>, DbError>>,
) -> Result<(), DbError> {
    let mut parts = Batches::new(size, |part| sender.send(Ok(part)).is_ok());
    table_rows(database, &[family], RowFilter::ALL, turns, |rows| {
        parts.add(rows)
    })?;
    parts.end();
    Ok(())
}

/// The positions of one kind, as `millbase records` names them.
fn named(found: &Found, rules: &Rules) -> Json {
    let text = |position: &Position| position.text(rules);
    let first: Vec<String> = found.first.iter().map(text).collect();
    json!({ "positions": found.positions, "first": first })
}

#[pymethods]
impl Database {
    /// The positions of a pair, as '5-4', or of a file of the placing phase, as 'placed-8', in
    /// parts of `size` rows: each once up to symmetry, whether or not a game can reach it, with
    /// their values and, if asked for, the worth of their turns.
    #[pyo3(signature = (family, turns=false, size=65536))]
    fn table(&self, family: &Bound<'_, PyAny>, turns: bool, size: usize) -> PyResult<Parts> {
        let rules = self.own_rules();
        let family: Family = text(family, "family")?.parse().map_err(errors::position)?;
        family.check(&rules).map_err(errors::position)?;
        if size == 0 {
            return Err(PyValueError::new_err("size must be at least 1"));
        }
        let database = self.database()?;
        let (sender, receiver) = mpsc::sync_channel(1);
        let work = move || {
            if let Err(error) = send(&database, family, turns, size, &sender) {
                // Where nobody waits, nobody needs the reason.
                let _ = sender.send(Err(error));
            }
        };
        let worker = thread::Builder::new().spawn(work)?;
        Ok(Parts {
            receiver: Mutex::new(receiver),
            worker: Mutex::new(Some(worker)),
            turns,
        })
    }

    /// The deepest wins and losses and the mutual zugzwangs of a pair, with at most `limit` positions of each kind:
    /// the fields of `millbase records --json`, without lines.
    #[pyo3(signature = (pair, limit=1))]
    fn records<'py>(
        &self,
        py: Python<'py>,
        pair: &Bound<'py, PyAny>,
        limit: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let rules = self.own_rules();
        let pair: Pair = text(pair, "pair")?.parse().map_err(errors::position)?;
        pair.check(&rules).map_err(errors::position)?;
        let database: Arc<millbase::Database> = self.database()?;
        let records = run(py, move |_| {
            Survey::new(&database, &[pair])?.records(pair, limit)
        })?;
        let records = records.map_err(errors::database)?;
        let deepest = |deepest: &Option<Deepest>| match deepest {
            None => Json::Null,
            Some(Deepest { value, found }) => {
                let mut record = named(found, &rules);
                record["dtw"] = json!(value.dtw().map(|dtw| dtw.0));
                record
            }
        };
        let tables = records
            .tables
            .iter()
            .map(|(material, Extremes { win, loss })| {
                json!({
                    "to_move": material.mover,
                    "other": material.waiting,
                    "win": deepest(win),
                    "loss": deepest(loss),
                })
            });
        let answer = json!({
            "pair": pair.to_string(),
            "tables": tables.collect::<Vec<_>>(),
            "zugzwangs": named(&records.zugzwangs, &rules),
        });
        py.import("json")?
            .call_method1("loads", (answer.to_string(),))
    }
}
