//! The Python module `millbase`: conversions and documentation around the library, no logic of its
//! own. `python/millbase/__init__.pyi` has the types, `_arrays.py` and `_errors.py` the classes that are
//! plain Python.

mod answers;
mod bulk;
mod database;
mod errors;
mod games;
mod position;
mod research;
mod rules;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyString;

/// The form in which `pickle` keeps an object: a function or class, and its arguments.
type Reduced<'py, Arguments> = (Bound<'py, PyAny>, Arguments);

/// The text of an argument with this name.
fn text(argument: &Bound<'_, PyAny>, name: &str) -> PyResult<String> {
    let text = argument.cast::<PyString>().map_err(|_| {
        let found = argument.get_type();
        PyTypeError::new_err(format!("{name} must be a str, not {found}"))
    })?;
    let text = text.to_str();
    let text = text.map_err(|_| errors::position(format!("{name} has a lone surrogate")))?;
    Ok(text.to_owned())
}

/// Perfect play for Nine Men's Morris.
#[pymodule]
fn _millbase(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<answers::Value>()?;
    module.add_class::<answers::RankedTurn>()?;
    module.add_class::<position::Position>()?;
    module.add_class::<database::Database>()?;
    module.add_class::<research::Parts>()?;
    module.add_function(wrap_pyfunction!(database::open, module)?)?;
    module.add_function(wrap_pyfunction!(database::_open, module)?)?;
    module.add_function(wrap_pyfunction!(research::legal_turns, module)?)?;
    module.add_function(wrap_pyfunction!(games::read_games, module)?)?;
    module.add_function(wrap_pyfunction!(answers::_value, module)?)?;
    module.add_function(wrap_pyfunction!(answers::_ranked_turn, module)?)
}
