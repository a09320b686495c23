//! The exceptions of `python/millbase/_errors.py`, with the library's sentences.

use millbase::{BulkError, DbError};
use pyo3::prelude::*;

mod python {
    pyo3::import_exception!(millbase._errors, CorruptError);
    pyo3::import_exception!(millbase._errors, Error);
    pyo3::import_exception!(millbase._errors, FolderError);
    pyo3::import_exception!(millbase._errors, MissingError);
    pyo3::import_exception!(millbase._errors, PositionError);
}

/// The exception of a database's error, with advice.
pub fn database(error: DbError) -> PyErr {
    exception(&error, sentence(&error))
}

/// The exception of a database's error with this sentence.
fn exception(error: &DbError, sentence: String) -> PyErr {
    match error {
        DbError::Io { file, source } => {
            let file = file.clone().into_os_string();
            python::FolderError::new_err((sentence, source.raw_os_error(), file))
        }
        _ if error.is_missing() => python::MissingError::new_err(sentence),
        _ if error.is_unusable() => python::CorruptError::new_err(sentence),
        _ => other(sentence),
    }
}

/// The sentence of a database's error, with what the caller can do.
fn sentence(error: &DbError) -> String {
    let advice = match error {
        DbError::Missing { .. } => {
            "build it with the program millbase, or open a folder that has it"
        }
        DbError::MissingPlies { .. } => {
            "build those of the placing phase with the program millbase"
        }
        DbError::Corrupt { .. } | DbError::OtherVersion { .. } => {
            "delete the file and build it again with the program millbase"
        }
        _ => return error.to_string(),
    };
    format!("{error}; {advice}")
}

/// Whether an exception says that no database has the answer.
pub fn is_missing(py: Python<'_>, error: &PyErr) -> bool {
    error.is_instance_of::<python::MissingError>(py)
}

/// The exception of a question about many positions.
pub fn bulk(error: BulkError) -> PyErr {
    match error {
        BulkError::Database { index, error } => {
            let sentence = format!("the position at index {index}: {}", sentence(&error));
            exception(&error, sentence)
        }
        other => position(other),
    }
}

/// The exception of a position, a turn or rules that are wrong.
pub fn position(sentence: impl ToString) -> PyErr {
    python::PositionError::new_err(sentence.to_string())
}

/// The exception of another failure.
pub fn other(sentence: impl ToString) -> PyErr {
    python::Error::new_err(sentence.to_string())
}
