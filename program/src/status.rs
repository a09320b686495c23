//! How the program ends: the exit status of each kind of failure, and the sentence on stderr.

use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::Error;
use millbase::internals::is_hidden;
pub use millbase::internals::service::failure::Failure;
use millbase::internals::service::failure::{ErrorAnswer, FailureAnswer, Refusal};
use millbase::solve::SolveError;
use millbase::store::DbError;

use crate::{advice, output};

/// The exit status.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// The question was answered or the work is done.
    Done = 0,
    /// A check found something wrong, or a proof failed.
    No = 1,
    /// Wrong usage, a bad position, or an input file that cannot be read.
    Usage = 2,
    /// A needed database is missing.
    Missing = 3,
    /// A database is damaged, of other rules or of another version.
    Corrupt = 4,
    /// The operating system could not read, write or give memory.
    System = 5,
    /// The user asked to stop.
    Stopped = 130,
}

impl Status {
    /// The first of both that is a failure.
    pub fn or(self, other: Status) -> Status {
        match self {
            Status::Done => other,
            _ => self,
        }
    }

    /// The word for the status in JSON errors.
    pub fn code(self) -> &'static str {
        match self {
            Status::Done => "done",
            Status::No => "no",
            Status::Usage => "invalid",
            Status::Missing => "missing",
            Status::Corrupt => "corrupt",
            Status::System => "system",
            Status::Stopped => "stopped",
        }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        ExitCode::from(status as u8)
    }
}

/// A failure as a JSON answer.
pub fn answer(error: &Error) -> ErrorAnswer {
    ErrorAnswer {
        error: failure(error),
    }
}

/// A failure as the field `error` of JSON answers.
pub fn failure(error: &Error) -> FailureAnswer {
    failure_with(error, DbError::clone)
}

/// [`failure`] with the errors of databases as `shown` gives them.
pub fn failure_with(error: &Error, shown: fn(&DbError) -> DbError) -> FailureAnswer {
    let reason = error.chain().find_map(|cause| {
        if let Some(failure) = cause.downcast_ref::<Failure>() {
            return failure.reason();
        }
        match cause.downcast_ref::<SolveError>() {
            Some(SolveError::Busy(_)) => Some(Refusal::new("other_build", [])),
            Some(SolveError::PairMemory { .. } | SolveError::PlyMemory { .. }) => {
                Some(Refusal::new("memory", []))
            }
            _ => None,
        }
    });
    FailureAnswer {
        code: of(error).code(),
        reason,
        message: sentence_with(error, shown),
    }
}

/// Wrong arguments or input: a failure with this sentence, as the result of a function.
pub fn refuse<T, E: From<Failure>>(sentence: impl Into<String>) -> Result<T, E> {
    Err(Failure::question(sentence).into())
}

/// The status that a failure ends with.
pub fn of(error: &Error) -> Status {
    let status = |cause: &(dyn std::error::Error + 'static)| match database_error(cause) {
        Some(error) => Some(of_db(error)),
        None => cause.is::<Failure>().then_some(Status::Usage),
    };
    error.chain().find_map(status).unwrap_or(Status::System)
}

/// The error of a database that this error is or contains.
pub fn database_error<'a>(cause: &'a (dyn std::error::Error + 'static)) -> Option<&'a DbError> {
    if let Some(SolveError::Database(error)) = cause.downcast_ref() {
        Some(error)
    } else if let Some(Failure::Database(error)) = cause.downcast_ref() {
        Some(error)
    } else if let Some(error) = cause.downcast_ref::<io::Error>() {
        error.get_ref()?.downcast_ref()
    } else {
        cause.downcast_ref()
    }
}

pub fn of_db(error: &DbError) -> Status {
    match error {
        _ if error.is_missing() => Status::Missing,
        _ if error.is_unusable() => Status::Corrupt,
        _ => Status::System,
    }
}

/// Writes the failure's sentence to stderr and, with `json`, as an answer to stdout. A closed pipe
/// at stdout is not a failure.
pub fn report(error: &Error, json: bool) -> ExitCode {
    if is_broken_pipe(error) {
        return Status::Done.into();
    }
    let status = after_answer(error);
    if json {
        write_json(&answer(error));
    }
    status.into()
}

/// Writes the failure's sentence to stderr after an answer that holds it already, and returns the
/// status to end with.
pub fn after_answer(error: &Error) -> Status {
    output::to_stderr(&format!("error: {}\n", sentence(error)));
    of(error)
}

/// Writes a failure as a JSON answer to stdout; ignores failures to write.
pub fn write_json(answer: &ErrorAnswer) {
    let mut out = output::stdout();
    let _ = output::json(&mut out, answer).and_then(|()| out.flush());
}

/// The failure as one line of text: with the causes that its own text does not contain, and advice.
pub fn sentence(error: &Error) -> String {
    sentence_with(error, DbError::clone)
}

fn sentence_with(error: &Error, shown: fn(&DbError) -> DbError) -> String {
    let mut advice = String::new();
    let causes = error.chain().map(|cause| match database_error(cause) {
        Some(error) => {
            let error = shown(error);
            advice = advice::advice(&error);
            error.to_string()
        }
        None => {
            if let Some(error) = cause.downcast_ref() {
                advice = advice::for_builds(error).to_owned();
            }
            cause.to_string()
        }
    });
    let causes: Vec<String> = causes.collect();
    let mut sentence = match error.downcast_ref::<io::Error>() {
        // An I/O error without context comes from writing to stdout.
        Some(cause) if error.to_string() == cause.to_string() => {
            format!("cannot write the answer: {cause}")
        }
        _ => causes[0].clone(),
    };
    for cause in &causes[1..] {
        if !sentence.contains(cause) {
            sentence += &format!(": {cause}");
        }
    }
    sentence += &advice;
    sentence.replace(is_hidden, " ")
}

fn is_broken_pipe(error: &Error) -> bool {
    error.chain().any(|cause| {
        cause
            .downcast_ref::<io::Error>()
            .is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    })
}
