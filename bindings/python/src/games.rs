//! Games that are read from a text.

use millbase::internals::service::record::RecordAnswer;
use millbase::notation::RecordReader;
use pyo3::prelude::*;

use crate::{errors, rules, text};

/// Reads the games of a text in any form; `rules` are those of games that name none.
#[pyfunction]
#[pyo3(signature = (games, rules = None))]
pub fn read_games<'py>(
    py: Python<'py>,
    games: &Bound<'py, PyAny>,
    rules: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let (games, rules) = (text(games, "games")?, rules::read(rules)?);
    let found = py.detach(|| {
        // Reading from memory cannot fail.
        let records = RecordReader::new(rules, games.as_bytes()).flatten();
        let answers: Vec<RecordAnswer> = records.map(RecordAnswer::from).collect();
        serde_json::to_string(&answers)
    });
    let json = found.map_err(errors::other)?;
    py.import("json")?.call_method1("loads", (json,))
}
