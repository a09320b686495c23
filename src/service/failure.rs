//! The reasons why there is no answer.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

use crate::rules::position::PositionError;
use crate::store::DbError;

/// The reason for a failure as an identifier with names and numbers, for programs that say it in another
/// language.
#[derive(Clone, Serialize, JsonSchema, Debug)]
pub struct Refusal {
    reason: &'static str,
    fields: BTreeMap<&'static str, String>,
}

impl Refusal {
    /// A reason with its fields.
    pub fn new(
        reason: &'static str,
        fields: impl IntoIterator<Item = (&'static str, String)>,
    ) -> Refusal {
        let fields = fields.into_iter().collect();
        Refusal { reason, fields }
    }
}

/// The reason why a question has no answer.
#[derive(Debug)]
pub enum Failure {
    /// The question or its position is wrong.
    Question(FailureAnswer),
    /// The databases have no answer.
    Database(DbError),
}

impl Failure {
    /// A wrong question; the text is the sentence for the user.
    pub fn question(message: impl Into<String>) -> Failure {
        Failure::Question(ErrorAnswer::new("invalid", message).error)
    }

    /// A wrong question whose reason programs can read.
    pub fn refused(
        reason: &'static str,
        fields: impl IntoIterator<Item = (&'static str, String)>,
        message: String,
    ) -> Failure {
        Failure::Question(FailureAnswer {
            code: "invalid",
            reason: Some(Refusal::new(reason, fields)),
            message,
        })
    }

    /// The reason for programs, where there is one.
    pub fn reason(&self) -> Option<Refusal> {
        match self {
            Failure::Question(answer) => answer.reason.clone(),
            Failure::Database(_) => None,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Question(answer) => f.write_str(&answer.message),
            Failure::Database(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Failure {}

impl From<PositionError> for Failure {
    fn from(error: PositionError) -> Failure {
        let fields = error.fields().iter().cloned();
        Failure::refused(error.reason(), fields, error.to_string())
    }
}

impl From<DbError> for Failure {
    fn from(error: DbError) -> Failure {
        Failure::Database(error)
    }
}

/// A failure as the field `error` of answers.
#[derive(Clone, Serialize, JsonSchema, Debug)]
pub struct FailureAnswer {
    /// The word for the kind of failure.
    #[schemars(extend("enum" = [
        "invalid", "missing", "corrupt", "system", "busy", "late", "path", "method", "forbidden",
    ]))]
    pub code: &'static str,
    /// The reason, where the sentence has one.
    #[serde(flatten)]
    pub reason: Option<Refusal>,
    /// The sentence for people.
    pub message: String,
}

impl FailureAnswer {
    /// A failure; `sentence` words an error of the databases.
    pub fn new(failure: &Failure, sentence: fn(&DbError) -> String) -> FailureAnswer {
        match failure {
            Failure::Question(answer) => answer.clone(),
            Failure::Database(error) => {
                let code = match error {
                    _ if error.is_missing() => "missing",
                    _ if error.is_unusable() => "corrupt",
                    _ => "system",
                };
                ErrorAnswer::new(code, sentence(error)).error
            }
        }
    }
}

/// A failure as an answer.
#[derive(Serialize, JsonSchema)]
pub struct ErrorAnswer {
    /// The failure.
    pub error: FailureAnswer,
}

impl ErrorAnswer {
    /// The word for the kind of failure, and its sentence for people.
    pub fn new(code: &'static str, message: impl Into<String>) -> ErrorAnswer {
        let error = FailureAnswer {
            code,
            reason: None,
            message: message.into(),
        };
        ErrorAnswer { error }
    }
}
