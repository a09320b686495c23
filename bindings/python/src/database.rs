//! The databases, and questions about one position.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use millbase::DbError;
use pyo3::prelude::*;

use crate::answers::{Line, RankedTurn, Value};
use crate::errors;
use crate::position::{PositionOrText, rules_named};

/// How often a long search looks for Ctrl-C.
const BETWEEN_SIGNALS: Duration = Duration::from_millis(20);

/// The databases of one set of rules. Threads may share it.
#[pyclass(frozen, module = "millbase")]
pub struct Database {
    pub(crate) database: Arc<millbase::Database>,
}

/// Opens the databases of a folder; without one, those with at most nine stones, which are part of
/// the module.
#[pyfunction]
#[pyo3(signature = (path=None, rules="standard"))]
pub fn open(py: Python<'_>, path: Option<PathBuf>, rules: &str) -> PyResult<Database> {
    let rules = rules_named(rules)?;
    let opened = py.detach(|| match path {
        Some(path) => millbase::Database::open_in(&path, rules),
        None => Ok(millbase::Database::embedded(rules)),
    });
    let database = Arc::new(opened.map_err(errors::database)?);
    Ok(Database { database })
}

impl Database {
    /// Asks with the interpreter's lock released. While stones are in hand an answer may take a
    /// search of seconds, so that is done on another thread, and Ctrl-C is obeyed.
    fn ask<T: Send + 'static>(
        &self,
        py: Python<'_>,
        position: millbase::Position,
        question: impl FnOnce(&millbase::Database, &millbase::Position) -> Result<T, DbError>
        + Send
        + 'static,
    ) -> PyResult<T> {
        if !position.is_placing() {
            let answer = py.detach(|| question(&self.database, &position));
            return answer.map_err(errors::database);
        }
        let database = self.database.clone();
        let (sender, mut receiver) = mpsc::channel();
        thread::spawn(move || sender.send(question(&database, &position)));
        loop {
            // The receiver cannot be shared, so the lock is released with a reference to it moved in.
            let (answer, back) = py.detach(move || {
                let answer = receiver.recv_timeout(BETWEEN_SIGNALS);
                (answer, receiver)
            });
            match answer {
                Ok(answer) => return answer.map_err(errors::database),
                Err(RecvTimeoutError::Timeout) => py.check_signals()?,
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(errors::Error::new_err("the search stopped"));
                }
            }
            receiver = back;
        }
    }
}

#[pymethods]
impl Database {
    /// The name of the rules.
    #[getter]
    fn rules(&self) -> Option<&'static str> {
        self.database.rules().name()
    }

    /// The pairs whose files can be used, as '9-8'.
    #[getter]
    fn pairs(&self) -> Vec<String> {
        let pairs = self.database.pairs();
        pairs.map(|file| file.pair().to_string()).collect()
    }

    /// What a position is worth to its side to move.
    fn probe(&self, py: Python<'_>, position: PositionOrText) -> PyResult<Value> {
        let position = position.position(self.database.rules())?;
        let value = self.ask(py, position, |database, position| database.probe(position))?;
        Ok(Value(value))
    }

    /// All turns of a position with their values, best first; none when the game is over.
    fn turns(&self, py: Python<'_>, position: PositionOrText) -> PyResult<Vec<RankedTurn>> {
        let rules = *self.database.rules();
        let position = position.position(&rules)?;
        let turns = self.ask(py, position, |database, position| {
            match position.is_over(database.rules()) {
                true => Ok(Vec::new()),
                false => database.turns(position),
            }
        })?;
        Ok(RankedTurn::all(turns, rules))
    }

    /// The game that follows when both sides always make their best turn, no longer than `limit`
    /// turns.
    #[pyo3(signature = (position, limit=300))]
    fn line(&self, py: Python<'_>, position: PositionOrText, limit: usize) -> PyResult<Line> {
        let rules = *self.database.rules();
        let position = position.position(&rules)?;
        let line = self.ask(py, position, move |database, position| {
            database.line(position, limit)
        })?;
        Ok(Line::of(line, rules))
    }

    fn __repr__(&self) -> String {
        format!(
            "<Database of {} pairs, rules {}>",
            self.database.pairs().count(),
            self.database.rules()
        )
    }
}
