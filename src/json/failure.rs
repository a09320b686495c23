//! The reasons why there is no answer.

use std::fmt;

use serde::Serialize;

use crate::rules::position::PositionError;
use crate::store::DbError;

/// The reason why a question has no answer.
#[derive(Debug)]
pub enum Failure {
    /// The question is wrong; the text is a sentence for the user.
    Question(String),
    /// The position is wrong.
    Position(PositionError),
    /// The databases have no answer.
    Database(DbError),
}

impl Failure {
    /// The word for the kind of failure in JSON errors.
    pub fn code(&self) -> &'static str {
        match self {
            Failure::Question(_) | Failure::Position(_) => "invalid",
            Failure::Database(error) if error.is_missing() => "missing",
            Failure::Database(error) if error.is_unusable() => "corrupt",
            Failure::Database(_) => "system",
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Question(sentence) => f.write_str(sentence),
            Failure::Position(error) => error.fmt(f),
            Failure::Database(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Failure {}

impl From<PositionError> for Failure {
    fn from(error: PositionError) -> Failure {
        Failure::Position(error)
    }
}

impl From<DbError> for Failure {
    fn from(error: DbError) -> Failure {
        Failure::Database(error)
    }
}

/// A failure as the field `error` of JSON answers.
#[derive(Serialize)]
pub struct JsonFailure {
    /// The word for the kind of failure.
    pub code: &'static str,
    /// The sentence for people.
    pub message: String,
}

impl From<&Failure> for JsonFailure {
    fn from(failure: &Failure) -> JsonFailure {
        JsonFailure {
            code: failure.code(),
            message: failure.to_string(),
        }
    }
}

/// A failure as a JSON answer.
#[derive(Serialize)]
pub struct JsonError {
    error: JsonFailure,
}

impl JsonError {
    /// The word for the kind of failure, and its sentence for people.
    pub fn new(code: &'static str, message: String) -> JsonError {
        JsonError::from(JsonFailure { code, message })
    }
}

impl From<JsonFailure> for JsonError {
    fn from(error: JsonFailure) -> JsonError {
        JsonError { error }
    }
}
