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
            let mut replies = BatchAnswers::default();
            for line in lines {
                replies.add(line, options, &answer)?;
            }
            Ok(replies)
        });
        for replies in replies.collect::<io::Result<Vec<_>>>()? {
            out.write_all(&replies.text)?;
            for (line, status) in replies.failed {
                failures += 1;
                first.get_or_insert((lines + line, status));
            }
            lines += replies.lines;
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

/// The answers to some lines of a stream.
#[derive(Default)]
struct BatchAnswers {
    text: Vec<u8>,
    lines: u64,
    /// The lines that have no answer, counted from 1.
    failed: Vec<(u64, Status)>,
}

impl BatchAnswers {
    /// Adds the answer to one more line.
    fn add(
        &mut self,
        line: InputLine,
        options: &Options,
        answer: &impl Fn(&str, &mut Vec<u8>) -> Result<()>,
    ) -> io::Result<()> {
        let before = self.text.len();
        self.lines += 1;
        let answered = line
            .map_err(Into::into)
            .and_then(|line| answer(&line, &mut self.text));
        if let Err(error) = answered {
            self.text.truncate(before);
            match options.json {
                true => output::json(&mut self.text, &status::answer(&error))?,
                false => writeln!(self.text, "error: {}", status::sentence(&error))?,
            }
            self.failed.push((self.lines, status::of(&error)));
        }
        Ok(())
    }
}
