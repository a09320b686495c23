//! The findings of `verify` on the files of pairs and plies, as table and JSON.

use std::fmt;
use std::io::{self, Write};
use std::time::Instant;

use anyhow::Error;
use indicatif::HumanCount;
use millbase::internals::service::failure::FailureAnswer;
use millbase::store::DbError;
use millbase::verify::{Miscounted, Mismatch, Report};
use millbase::{Pair, Value};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::options::Options;
use crate::output::{self, Cell, ink};
use crate::status::{self, Status};

/// The file of a pair or of a ply.
#[derive(Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Subject {
    Pair(Pair),
    Ply(u8),
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Subject::Pair(pair) => pair.fmt(f),
            Subject::Ply(ply) => f.write_str(&output::counted(ply, "placement")),
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct WrongValue {
    position: String,
    stored: Value,
    derived: Value,
}

fn as_failure<S: Serializer>(error: &Option<Error>, serializer: S) -> Result<S::Ok, S::Error> {
    error.as_ref().map(status::failure).serialize(serializer)
}

/// The findings on one file.
#[derive(Serialize, JsonSchema)]
pub struct Findings {
    #[serde(flatten)]
    subject: Subject,
    ok: bool,
    checked: u64,
    seconds: f64,
    mismatches: Vec<WrongValue>,
    miscounted: Vec<Miscounted>,
    /// Why the file could not be checked.
    #[serde(serialize_with = "as_failure")]
    #[schemars(with = "Option<FailureAnswer>")]
    error: Option<Error>,
}

impl Findings {
    /// Carries out a check, and notes its result on stderr where no bar shows the progress.
    pub fn of(
        subject: Subject,
        options: &Options,
        check: impl FnOnce() -> Result<Report, DbError>,
    ) -> Findings {
        let start = Instant::now();
        let (report, error) = match check() {
            Ok(report) => (report, None),
            Err(error) => (Report::default(), Some(error.into())),
        };
        let wrong = |mismatch: &Mismatch| WrongValue {
            position: mismatch.position.text(&options.rules),
            stored: mismatch.stored,
            derived: mismatch.derived,
        };
        let findings = Findings {
            subject,
            ok: error.is_none() && report.is_clean(),
            checked: report.checked,
            seconds: start.elapsed().as_secs_f64(),
            mismatches: report.mismatches.iter().map(wrong).collect(),
            miscounted: report.miscounted,
            error,
        };
        if findings.error.is_none() {
            let Findings { seconds, ok, .. } = findings;
            let count = output::counted(HumanCount(findings.checked), "value");
            let verdict = if ok { "right" } else { "WRONG" };
            output::step(
                options,
                format_args!("{subject}: {count} checked in {seconds:.2} s, {verdict}"),
            );
        }
        findings
    }

    fn verdict(&self) -> Cell {
        match &self.error {
            Some(error) => Cell::text(status::of(error).code()).ink(ink::DRAW),
            None if self.ok => Cell::text("right").ink(ink::WIN),
            None => Cell::text("wrong").ink(ink::LOSS),
        }
    }

    fn write_faults(&self, out: &mut impl Write) -> io::Result<()> {
        let subject = self.subject;
        if let Some(error) = &self.error {
            writeln!(out, "{subject}: {}", status::sentence(error))?;
        }
        for wrong in &self.mismatches {
            let position = &wrong.position;
            let [stored, derived] = [wrong.stored, wrong.derived].map(output::painted);
            writeln!(
                out,
                "{position}: stored {stored}, but its turns give {derived}"
            )?;
        }
        for table in &self.miscounted {
            writeln!(out, "{subject}, {table}: the counts in the file are wrong")?;
        }
        Ok(())
    }
}

/// Writes the findings, or nothing if no file was checked.
pub fn write(out: &mut impl Write, heading: &str, findings: &[Findings]) -> io::Result<()> {
    if findings.is_empty() {
        return Ok(());
    }
    output::table(out, findings).write(&[
        (heading, |found| match found.subject {
            Subject::Pair(pair) => Cell::text(pair),
            Subject::Ply(ply) => Cell::right(ply),
        }),
        ("checked", |found| Cell::count(found.checked)),
        ("seconds", |found| {
            Cell::right(format_args!("{:.2}", found.seconds))
        }),
        ("result", |found| found.verdict()),
    ])?;
    findings
        .iter()
        .try_for_each(|found| found.write_faults(out))
}

/// Reports on stderr which files could not be checked. The status is that of the first error; without errors
/// `No` if a value or a count is wrong, else `Done`.
pub fn conclude(findings: &[&Findings]) -> Status {
    let failed = findings.iter().filter(|found| found.error.is_some());
    let failed: Vec<String> = failed.map(|found| found.subject.to_string()).collect();
    if !failed.is_empty() {
        output::to_stderr(&format!(
            "error: {} of {} could not be checked: {}; the answer says why\n",
            failed.len(),
            output::counted(findings.len(), "file"),
            failed.join(", "),
        ));
    }
    match findings.iter().find_map(|found| found.error.as_ref()) {
        Some(error) => status::of(error),
        None if findings.iter().all(|found| found.ok) => Status::Done,
        None => Status::No,
    }
}
