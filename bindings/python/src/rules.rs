//! Rules from Python (a name, the path of a file with settings, or a mapping) and back.

use std::path::PathBuf;

use millbase::Rules;
use millbase::internals::service::settings;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping, PyString};

use crate::{errors, text};

/// The rules of an argument, the standard rules without one.
pub fn read(rules: Option<&Bound<'_, PyAny>>) -> PyResult<Rules> {
    let Some(rules) = rules else {
        return Ok(Rules::STANDARD);
    };
    let py = rules.py();
    let read = if rules.is_instance_of::<PyString>() {
        settings::of_name_or_file(&text(rules, "rules")?)
    } else if rules.cast::<PyMapping>().is_ok() {
        let settings = py.get_type::<PyDict>().call1((rules,))?;
        let settings: String = py
            .import("json")?
            .call_method1("dumps", (settings,))?
            .extract()?;
        serde_json::from_str(&settings)
            .map_err(|error| error.to_string())
            .and_then(|settings| settings::of_mapping(&settings))
    } else {
        let path: PathBuf = rules.extract().map_err(|_| {
            PyTypeError::new_err(format!(
                "rules must be a name, the path of a file with settings or a mapping, not {}",
                rules.get_type()
            ))
        })?;
        settings::of_file(&path)
    };
    read.map_err(|sentence| {
        let given = rules
            .repr()
            .map_or_else(|_| String::new(), |given| given.to_string());
        errors::position(format!("the rules {given} cannot be used: {sentence}"))
    })
}

/// The name of rules, or their settings as a dictionary; [`read`] takes both.
pub fn write<'py>(py: Python<'py>, rules: &Rules) -> PyResult<Bound<'py, PyAny>> {
    match rules.name() {
        Some(name) => Ok(PyString::new(py, name).into_any()),
        None => {
            let settings = serde_json::to_string(rules).map_err(errors::other)?;
            py.import("json")?.call_method1("loads", (settings,))
        }
    }
}
