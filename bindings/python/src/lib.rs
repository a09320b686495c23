//! The Python module `millbase`: conversions and documentation around the library, no logic of its
//! own. `python/millbase/__init__.pyi` has the types.

mod answers;
mod bulk;
mod database;
mod errors;
mod position;

use pyo3::prelude::*;

/// Perfect play for Nine Men's Morris.
#[pymodule]
fn _millbase(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<answers::Value>()?;
    module.add_class::<answers::RankedTurn>()?;
    module.add_class::<answers::Line>()?;
    module.add_class::<position::Position>()?;
    module.add_class::<database::Database>()?;
    module.add_class::<bulk::Sample>()?;
    module.add_class::<bulk::Turns>()?;
    module.add_function(wrap_pyfunction!(database::open, module)?)?;
    errors::add(module)
}
