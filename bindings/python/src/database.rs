//! The databases, and questions about one position.

use std::path::{self, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;
use std::time::Duration;

use millbase::engine::{DrawnTurns, Player, SkillLevel};
use millbase::internals::service;
use millbase::internals::service::game::score_words;
use millbase::internals::service::position::{LineAnswer, ProbeAnswer};
use millbase::internals::service::words::Fen;
use millbase::internals::{Stop, locked, until};
use millbase::search::{Limits, Search};
use millbase::{DbError, Rules};
use pyo3::exceptions::{PyUserWarning, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::answers::{RankedTurn, Value};
use crate::{Reduced, errors, position, rules, text};

/// How often a question on another thread looks for Ctrl-C.
pub const BETWEEN_SIGNALS: Duration = Duration::from_millis(20);

/// The databases of one set of rules. Threads may share it.
#[pyclass(frozen, module = "millbase")]
pub struct Database {
    /// `None` after `close`.
    opened: Mutex<Option<Arc<millbase::Database>>>,
    /// The whole paths of the folders and bundles, as another process may have another working folder.
    paths: Mutex<Vec<PathBuf>>,
    /// Held without the interpreter's lock, so that of two threads one adds a folder after the other.
    adding: Mutex<()>,
    rules: Rules,
    /// The limit of the caches in bytes.
    cache_bytes: usize,
    /// The search of `choose`, which the first call makes.
    search: OnceLock<Arc<Search>>,
}

/// The arguments of [`_open`].
type OpenArguments<'py> = (Vec<PathBuf>, Bound<'py, PyAny>, usize);

/// Opens the databases of a folder or of a bundle, which `millbase bundle` makes; without one, those with at most
/// nine stones, which are part of the module. The caches take at most `cache_bytes` bytes.
#[pyfunction]
#[pyo3(
    signature = (path=None, rules=None, cache_bytes=millbase::Database::DEFAULT_CACHE_BYTES),
    text_signature = "(path=None, rules='standard', cache_bytes=268435456)"
)]
pub fn open(
    py: Python<'_>,
    path: Option<PathBuf>,
    rules: Option<&Bound<'_, PyAny>>,
    cache_bytes: usize,
) -> PyResult<Database> {
    _open(py, path.into_iter().collect(), rules, cache_bytes)
}

/// Opens the databases of several folders; each file comes from the first folder that has it.
#[pyfunction]
#[pyo3(signature = (paths, rules, cache_bytes))]
pub fn _open(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    rules: Option<&Bound<'_, PyAny>>,
    cache_bytes: usize,
) -> PyResult<Database> {
    let rules = rules::read(rules)?;
    let paths = paths.into_iter().map(path::absolute);
    let paths = paths.collect::<Result<Vec<_>, _>>()?;
    let opened = py.detach(|| read(&paths, rules, cache_bytes))?;
    Ok(Database {
        opened: Mutex::new(Some(Arc::new(opened))),
        paths: Mutex::new(paths),
        adding: Mutex::new(()),
        rules,
        cache_bytes,
        search: OnceLock::new(),
    })
}

/// The databases of some folders; a folder without databases of the rules causes a warning.
fn read(paths: &[PathBuf], rules: Rules, cache_bytes: usize) -> PyResult<millbase::Database> {
    let mut opened = millbase::Database::embedded(rules);
    for path in paths {
        let next = millbase::Database::open_in(path, rules).map_err(errors::database)?;
        if !next.has_own_files() {
            let warning = format!(
                "{} has no databases of the rules {rules}, so only those that are part of the module answer: pairs \
                 with at most nine stones under the standard rules",
                path.display()
            );
            let warning = std::ffi::CString::new(warning).unwrap_or_default();
            Python::attach(|py| PyErr::warn(py, &py.get_type::<PyUserWarning>(), &warning, 1))?;
        }
        opened = match opened.has_own_files() {
            true => opened.with_folder(path).map_err(errors::database)?,
            false => next,
        };
    }
    Ok(opened.with_cache_bytes(cache_bytes))
}

/// Runs work on a thread of its own with the interpreter's lock released. After Ctrl-C its questions end, and
/// nobody waits for it. The work owns what it uses, so nothing else changes it.
pub fn run<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&Stop) -> T + Send + 'static,
) -> PyResult<T> {
    let stop = Stop::default();
    let flag = Arc::clone(&stop);
    let (sender, receiver) = mpsc::channel();
    let worker = move || {
        // Sending fails if nobody waits any more.
        let _ = sender.send(until(&flag, || work(&flag)));
    };
    let worker = thread::Builder::new().spawn(worker)?;
    // Only one thread uses it, but releasing the lock requires a value that threads can share.
    let receiver = Mutex::new(receiver);
    loop {
        match py.detach(|| locked(&receiver).recv_timeout(BETWEEN_SIGNALS)) {
            Ok(done) => return Ok(done),
            Err(RecvTimeoutError::Timeout) => {
                if let Err(interrupt) = py.check_signals() {
                    stop.store(true, std::sync::atomic::Ordering::Relaxed);
                    return Err(interrupt);
                }
            }
            Err(RecvTimeoutError::Disconnected) => match worker.join() {
                Err(panic) => std::panic::resume_unwind(panic),
                Ok(()) => return Err(errors::other("the question ended without an answer")),
            },
        }
    }
}

/// A class of `python/millbase/_arrays.py`, made of these fields in their order.
pub fn made<'py>(
    py: Python<'py>,
    class: &str,
    fields: impl IntoPyObject<'py, Target = PyTuple, Output = Bound<'py, PyTuple>, Error = PyErr>,
) -> PyResult<Bound<'py, PyAny>> {
    let fields = fields.into_pyobject(py)?;
    py.import("millbase._arrays")?.getattr(class)?.call1(fields)
}

fn closed() -> PyErr {
    PyValueError::new_err("the databases are closed; open them again")
}

impl Database {
    /// The library's databases.
    pub fn database(&self) -> PyResult<Arc<millbase::Database>> {
        let opened = locked(&self.opened).clone();
        opened.ok_or_else(closed)
    }

    /// The rules of the databases.
    pub fn own_rules(&self) -> Rules {
        self.rules
    }

    /// A field of the value of a position; `default` where there is none.
    fn get_field<'py>(
        &self,
        py: Python<'py>,
        position: &Bound<'py, PyAny>,
        field: &str,
        default: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(value) = self.get(py, position, None)? else {
            return Ok(default);
        };
        let field = value.getattr(field)?;
        Ok(Some(field).filter(|field| !field.is_none()).or(default))
    }

    /// Asks with the interpreter's lock released. While stones are in hand an answer may take a
    /// search of seconds, so that is done on another thread, and Ctrl-C is obeyed.
    fn ask<T: Send + 'static>(
        &self,
        py: Python<'_>,
        position: &Bound<'_, PyAny>,
        question: impl FnOnce(&millbase::Database, &Fen) -> Result<T, DbError> + Send + 'static,
    ) -> PyResult<T> {
        let database = self.database()?;
        let position = position::read(position, &self.rules)?;
        let answer = match position.is_placing() {
            true => run(py, move |_| question(&database, &position))?,
            false => py.detach(|| question(&database, &position)),
        };
        answer.map_err(errors::database)
    }
}

#[pymethods]
impl Database {
    /// The name of the rules, or their settings if they have none.
    #[getter]
    fn rules<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        rules::write(py, &self.rules)
    }

    /// The pairs whose files can be used, as '9-8'.
    #[getter]
    fn pairs(&self) -> PyResult<Vec<String>> {
        let database = self.database()?;
        let pairs = database.pairs();
        Ok(pairs.map(|file| file.pair().to_string()).collect())
    }

    /// Adds the files of another folder or bundle for the pairs and plies that have none yet. Questions that run
    /// end with the files from before.
    fn add_folder(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let path = path::absolute(path)?;
        py.detach(|| {
            let _adding = locked(&self.adding);
            self.database()?;
            let mut paths = locked(&self.paths).clone();
            paths.push(path);
            let added = Arc::new(read(&paths, self.rules, self.cache_bytes)?);
            let mut opened = locked(&self.opened);
            // They may have been closed meanwhile.
            *opened.as_mut().ok_or_else(closed)? = added;
            *locked(&self.paths) = paths;
            Ok(())
        })
    }

    /// The value of a position for its side to move; `default` where no database has the answer.
    #[pyo3(signature = (position, default=None))]
    fn get<'py>(
        &self,
        py: Python<'py>,
        position: &Bound<'py, PyAny>,
        default: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        match self.probe(py, position) {
            Ok(value) => Ok(Some(Bound::new(py, value)?.into_any())),
            Err(error) if errors::is_missing(py, &error) => Ok(default),
            Err(error) => Err(error),
        }
    }

    /// 1 for a win, 0 for a draw, -1 for a loss of the side to move; `default` where no database has the answer.
    #[pyo3(signature = (position, default=None))]
    fn get_wdl<'py>(
        &self,
        py: Python<'py>,
        position: &Bound<'py, PyAny>,
        default: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.get_field(py, position, "wdl", default)
    }

    /// The turns to the end; `default` for a draw, and where no database has the depth.
    #[pyo3(signature = (position, default=None))]
    fn get_dtw<'py>(
        &self,
        py: Python<'py>,
        position: &Bound<'py, PyAny>,
        default: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.get_field(py, position, "dtw", default)
    }

    /// The value of a position for its side to move.
    fn probe(&self, py: Python<'_>, position: &Bound<'_, PyAny>) -> PyResult<Value> {
        let value = self.ask(py, position, service::position::value)?;
        Ok(Value(value))
    }

    /// All turns of a position with their values, best first; none when the game is over.
    fn turns(&self, py: Python<'_>, position: &Bound<'_, PyAny>) -> PyResult<Vec<RankedTurn>> {
        let answer = self.ask(py, position, |database, position| {
            ProbeAnswer::find(database, position, Some(usize::MAX))
        })?;
        let turns = answer.turns.into_iter().flatten();
        Ok(turns.map(RankedTurn).collect())
    }

    /// The game that follows when both sides always make their best turn, no longer than `limit`
    /// turns.
    #[pyo3(signature = (position, limit=300))]
    fn line<'py>(
        &self,
        py: Python<'py>,
        position: &Bound<'py, PyAny>,
        limit: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let line = self.ask(py, position, move |database, position| {
            LineAnswer::find(database, position, limit)
        })?;
        let turns = PyTuple::new(py, line.line.into_iter().map(RankedTurn))?;
        made(py, "Line", (turns, line.end.name()))
    }

    /// The turn that a player chooses after these turns from a position, None if the game is over. The player
    /// of level 30 knows the databases and searches where they have no answer; those below err.
    ///
    /// The search ends after `seconds`, `nodes` positions or `depth` turns, whichever comes first;
    /// at least one limit is needed. A seed that is not 0 chooses among turns that are equally
    /// good.
    #[pyo3(signature = (position, turns=None, level=30, seed=0, seconds=1.0, nodes=None, depth=None),
        text_signature = "($self, position, turns=(), level=30, seed=0, seconds=1.0, nodes=None, depth=None)")]
    #[allow(clippy::too_many_arguments, reason = "Python passes them by name")]
    fn choose<'py>(
        &self,
        py: Python<'py>,
        position: &Bound<'py, PyAny>,
        turns: Option<&Bound<'py, PyAny>>,
        level: u8,
        seed: u64,
        seconds: Option<f64>,
        nodes: Option<u64>,
        depth: Option<u32>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let mut game = position::read(position, &self.rules)?.game();
        if let Some(turns) = turns {
            for turn in turns.try_iter()? {
                let turn = text(&turn?, "a turn")?;
                game.play(&turn).map_err(errors::position)?;
            }
        }
        let level = SkillLevel::numbered(level).ok_or_else(|| {
            PyValueError::new_err(format!("level must be from 0 to 30, not {level}"))
        })?;
        let time = seconds
            .map(Duration::try_from_secs_f64)
            .transpose()
            .map_err(|_| {
                PyValueError::new_err("seconds must be a number that is not negative, or None")
            })?;
        if time.is_none() && nodes.is_none() && depth.is_none() {
            return Err(PyValueError::new_err(
                "one of seconds, nodes and depth must be a limit",
            ));
        }
        let limits = Limits {
            time,
            nodes,
            depth,
            ..Limits::default()
        };
        let search = self
            .search
            .get_or_init(|| Arc::new(Search::new(self.rules, Search::DEFAULT_HASH_BYTES, 1)));
        let player = Player {
            database: self.database()?,
            search: Arc::clone(search),
            level,
            seed,
            drawn: DrawnTurns::default(),
        };
        let choice = run(py, move |stop| {
            player.choose(&game, &limits, stop, &mut |_| ())
        })?;
        let Some(choice) = choice else {
            return Ok(None);
        };
        let variation = choice.variation;
        let line = PyTuple::new(py, variation.turns.iter().map(ToString::to_string))?;
        let fields = (
            choice.turn.to_string(),
            variation.value.map(Value),
            score_words(variation.score.meaning()),
            variation.depth,
            variation.nodes,
            line,
        );
        made(py, "Choice", fields).map(Some)
    }

    /// Closes the files once no question uses them. Later questions raise ValueError; a second call
    /// does nothing.
    fn close(&self) {
        locked(&self.opened).take();
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __exit__(
        &self,
        _type: &Bound<'_, PyAny>,
        _value: &Bound<'_, PyAny>,
        _traceback: &Bound<'_, PyAny>,
    ) {
        self.close();
    }

    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    /// Another process opens the same folders.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py, OpenArguments<'py>>> {
        let open = py.import("millbase._millbase")?.getattr("_open")?;
        let paths = locked(&self.paths).clone();
        Ok((open, (paths, self.rules(py)?, self.cache_bytes)))
    }

    fn __repr__(&self) -> String {
        match self.database() {
            Ok(database) => {
                let count = database.pairs().count();
                format!("<Database of {count} pairs, rules {}>", self.rules)
            }
            Err(_) => format!("<Database, closed, rules {}>", self.rules),
        }
    }
}
