//! Exceptions with the library's sentences.

use millbase::BulkError;
use millbase::DbError;
use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;

create_exception!(
    millbase,
    Error,
    PyException,
    "A question without an answer. Arguments of another type are a TypeError instead."
);
create_exception!(
    millbase,
    PositionError,
    Error,
    "A text, a turn or bit masks that are not what they should be."
);
create_exception!(
    millbase,
    MissingError,
    Error,
    "No database here has the answer."
);
create_exception!(
    millbase,
    CorruptError,
    Error,
    "A file cannot be used: it is damaged, or of other rules or another version."
);

/// Adds the exceptions to the module.
pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("Error", py.get_type::<Error>())?;
    module.add("PositionError", py.get_type::<PositionError>())?;
    module.add("MissingError", py.get_type::<MissingError>())?;
    module.add("CorruptError", py.get_type::<CorruptError>())
}

/// The exception of a database's error, with advice.
pub fn database(error: DbError) -> PyErr {
    let advice = match error {
        DbError::Missing { .. } => {
            "; build it with the program millbase, or open a folder that has it"
        }
        DbError::MissingPlies { .. } => {
            "; build those of the placing phase with the program millbase"
        }
        DbError::Corrupt { .. } | DbError::OtherVersion { .. } => {
            "; delete the file and build it again with the program millbase"
        }
        _ => "",
    };
    let sentence = format!("{error}{advice}");
    match error {
        _ if error.is_missing() => MissingError::new_err(sentence),
        _ if error.is_unusable() => CorruptError::new_err(sentence),
        _ => Error::new_err(sentence),
    }
}

/// The exception of a question about many positions.
pub fn bulk(error: BulkError) -> PyErr {
    match error {
        BulkError::Database(error) => database(error),
        other => PositionError::new_err(other.to_string()),
    }
}

/// The exception of a text that is wrong.
pub fn position(sentence: impl ToString) -> PyErr {
    PositionError::new_err(sentence.to_string())
}
