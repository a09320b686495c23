//! Streams: a question on each line of stdin, and an answer on a line of stdout for each.

use std::io::{self, Write};

use anyhow::{Context, Result};
use rayon::prelude::*;

use crate::input::{Batches, InputLine, LONGEST_LINE};
use crate::options::Options;
use crate::output;
use crate::status::{self, Status};

/// The number of lines that one thread answers in sequence, into one buffer.
const LINES: usize = 32;

/// Answers each line of stdin with the line that `answer` adds to a text, or with the error, in their order.
/// The status is that of the first error.
///
/// Batches of lines are answered in parallel and written before the next is waited for.
pub fn answer(
    options: &Options,
    answer: impl Fn(&str, &mut Vec<u8>) -> Result<()> + Sync,
) -> Result<Status> {
    let mut input = Batches::new(io::stdin(), LONGEST_LINE);
    let mut out = output::stdout();
    let (mut lines, mut failures, mut first) = (0u64, 0, None);
    loop {
        let batch = input
            .next_batch()
            .context("cannot read the positions from stdin")?;
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
fn reply(
    line: InputLine,
    options: &Options,
    answer: &impl Fn(&str, &mut Vec<u8>) -> Result<()>,
    text: &mut Vec<u8>,
) -> io::Result<Option<Status>> {
    let before = text.len();
    let answered = line.map_err(Into::into);
    let Err(error) = answered.and_then(|line| answer(&line, text)) else {
        return Ok(None);
    };
    text.truncate(before);
    match options.json {
        true => output::json(text, &status::answer(&error))?,
        false => writeln!(text, "error: {}", status::sentence(&error))?,
    }
    Ok(Some(status::of(&error)))
}
