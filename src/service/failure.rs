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
    pub fn new<const N: usize>(
        reason: &'static str,
        fields: [(&'static str, String); N],
    ) -> Refusal {
        Refusal {
            reason,
            fields: fields.into(),
        }
    }
}

/// The reason why a question has no answer.
#[derive(Debug)]
pub enum Failure {
    /// The question is wrong.
    Question {
        /// The reason for programs, where the sentence has one.
        reason: Option<Refusal>,
        /// The sentence for the user.
        message: String,
    },
    /// The position is wrong.
    Position(PositionError),
    /// The databases have no answer.
    Database(DbError),
}

impl Failure {
    /// A wrong question; the text is the sentence for the user.
    pub fn question(message: impl Into<String>) -> Failure {
        Failure::Question {
            reason: None,
            message: message.into(),
        }
    }

    /// The reason for programs, where there is one.
    pub fn reason(&self) -> Option<Refusal> {
        match self {
            Failure::Question { reason, .. } => reason.clone(),
            Failure::Position(error) => Some(Refusal {
                reason: error.reason(),
                fields: error.fields().iter().cloned().collect(),
            }),
            Failure::Database(_) => None,
        }
    }

    /// The word for the kind of failure in JSON errors.
    pub fn code(&self) -> &'static str {
        match self {
            Failure::Question { .. } | Failure::Position(_) => "invalid",
            Failure::Database(error) if error.is_missing() => "missing",
            Failure::Database(error) if error.is_unusable() => "corrupt",
            Failure::Database(_) => "system",
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Question { message, .. } => f.write_str(message),
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

/// The sentence of a database's error with advice for callers other than the program's commands.
pub fn with_advice(error: &DbError) -> String {
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
    format!("{error}{advice}")
}

/// A failure as the field `error` of answers.
#[derive(Clone, Serialize, JsonSchema)]
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
        FailureAnswer {
            code: failure.code(),
            reason: failure.reason(),
            message: match failure {
                Failure::Database(error) => sentence(error),
                other => other.to_string(),
            },
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
