//! Streams: a question on each line of stdin, and an answer on a line of stdout for each.

use std::io::{self, Write};

use anyhow::Result;
use rayon::prelude::*;
use serde::Serialize;

use crate::input::{InputLine, LONGEST_LINE, LineBatches};
use crate::options::Options;
use crate::output;
use crate::status::{self, Failure, Status};

/// The number of lines that one thread answers in sequence, into one buffer.
const LINES: usize = 32;

/// Answers each line of stdin with a line, in their order: with `--json` the object that `answer` returns, else what the
/// function beside it writes; or the error. The status is that of the first error.
///
/// Batches of lines are answered in parallel and written before the next is waited for.
pub fn answer<A: Serialize, L: Fn(&mut Vec<u8>, &A) -> io::Result<()>>(
    options: &Options,
    answer: impl Fn(&str) -> Result<(A, L)> + Sync,
) -> Result<Status> {
    let mut input = LineBatches::new(io::stdin(), LONGEST_LINE);
    let mut out = output::stdout();
    let (mut lines, mut failures, mut first) = (0u64, 0, None);
    loop {
        let batch = input.next_batch().map_err(|error| {
            Failure::question(format!("cannot read the positions from stdin: {error}"))
        })?;
        if batch.is_empty() {
            break;
        }
        let replies = batch.into_par_iter().chunks(LINES).map(|lines| {
            let mut text = Vec::new();
            let lines = lines.into_iter();
            let statuses = lines.map(|line| reply(line, options, &answer, &mut text));
            Ok((statuses.collect::<io::Result<Vec<_>>>()?, text))
        });
        for (statuses, text) in replies.collect::<io::Result<Vec<_>>>()? {
            out.write_all(&text)?;
            for status in statuses {
                lines += 1;
                if let Some(status) = status {
                    failures += 1;
                    first.get_or_insert((lines, status));
                }
            }
        }
        out.flush()?;
    }
    let Some((line, status)) = first else {
        return Ok(Status::Done);
    };
    output::to_stderr(&format!(
        "error: no value for {failures} of {}, first for line {line}; the answers say why\n",
        output::counted(lines, "line")
    ));
    Ok(status)
}

/// Adds the answer to a line, or the error, whose status it returns.
fn reply<A: Serialize, L: Fn(&mut Vec<u8>, &A) -> io::Result<()>>(
    line: InputLine,
    options: &Options,
    answer: &impl Fn(&str) -> Result<(A, L)>,
    text: &mut Vec<u8>,
) -> io::Result<Option<Status>> {
    let answered = line.map_err(Into::into);
    let answered = answered.and_then(|line| answer(&line));
    match (&answered, options.json) {
        (Ok((object, _)), true) => output::json(text, object)?,
        (Ok((object, write)), false) => write(text, object)?,
        (Err(error), true) => output::json(text, &status::answer(error))?,
        (Err(error), false) => writeln!(text, "error: {}", status::sentence(error))?,
    }
    Ok(answered.err().map(|error| status::of(&error)))
}
