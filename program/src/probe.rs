//! `millbase probe`: the value of a position and of all its turns.

use std::io::{self, Write};

use anyhow::{Context, Error, Result};
use clap::{Args, ValueEnum};
use millbase::service::failure::ErrorAnswer;
use millbase::service::position::ProbeAnswer;
use millbase::{Database, Wdl};
use rayon::prelude::*;

use crate::databases;
use crate::input::{self, Batches};
use crate::options::Options;
use crate::output::{self, TextTable};
use crate::status::{self, Status};

/// Show the value of a position and of all its turns, best first
///
/// Values are for the side to move. Depths count the turns to the end of the game when the winner
/// takes the shortest way and the loser the longest. Without files of the placing phase, a
/// search down to the databases finds the values while at most ten stones are in hand, which can
/// take a few seconds.
///
/// '-' instead of a position reads positions from stdin, one on each line, and answers each with
/// one line: the value and the best turn, or a JSON object with --json. With --turns none the line is
/// W, D or L, followed by the depth if it is known: W 21. Where a line has no answer, the output line
/// is the error, and the exit status is that of the first error.
#[derive(Args)]
#[command(after_help = "\
Examples:
  millbase probe '********/********/O@O*O@*@ w m s 3 0 3 0 0 0'
  millbase probe --json - < positions.txt > answers.jsonl
  millbase probe --turns none - < positions.txt > labels.txt")]
pub struct Probe {
    /// The position's text, 'start' for the empty board, or '-' to read positions from stdin
    #[arg(required = true, allow_negative_numbers = true)]
    position: Vec<String>,

    /// Which turns the answer has, besides the value
    #[arg(long, value_name = "WHICH", default_value = "all")]
    turns: ShownTurns,
}

/// The turns of an answer.
#[derive(ValueEnum, Clone, Copy)]
enum ShownTurns {
    /// None: much faster, for labelling many positions
    None,
    /// The first of the ranking
    Best,
    /// All, best first
    All,
}

impl ShownTurns {
    /// The most turns to show; `None` for no list of turns.
    fn most(self) -> Option<usize> {
        match self {
            ShownTurns::None => None,
            ShownTurns::Best => Some(1),
            ShownTurns::All => Some(usize::MAX),
        }
    }
}

impl Probe {
    /// Answers the position of the arguments or those of stdin.
    pub fn run(&self, options: &Options) -> Result<Status> {
        if self.position == ["-"] {
            let probing = Probing {
                db: &databases::open(options)?,
                turns: self.turns,
                json: options.json,
            };
            return probing.stream();
        }
        let advice = "give one position, or lines with '-'";
        let position = input::position_of(&self.position, &options.rules, advice)?;
        let db = databases::open(options)?;
        let answer = ProbeAnswer::find(&db, &position, self.turns.most())?;
        output::answer(options, &answer, |out| write(out, &answer))?;
        Ok(Status::Done)
    }
}

fn write(out: &mut impl Write, answer: &ProbeAnswer) -> io::Result<()> {
    output::write_position(out, &answer.situation, answer.value)?;
    match answer.turns.as_deref() {
        None | Some([]) => Ok(()),
        Some(turns) => {
            writeln!(out)?;
            TextTable::of_turns(turns.iter().map(|turn| (turn.turn, turn.value))).write(out)
        }
    }
}

/// Writes the value and the best turn in one line; without turns the value as a letter and a number.
fn write_line(out: &mut impl Write, answer: &ProbeAnswer) -> io::Result<()> {
    let Some(turns) = &answer.turns else {
        let letter = match answer.value.wdl() {
            Wdl::Win => 'W',
            Wdl::Draw => 'D',
            Wdl::Loss => 'L',
        };
        return match answer.value.dtw() {
            Some(dtw) => writeln!(out, "{letter} {dtw}"),
            None => writeln!(out, "{letter}"),
        };
    };
    let value = output::painted(answer.value);
    match turns.first() {
        Some(best) => writeln!(out, "{value}  {}", best.turn),
        None => writeln!(out, "{value}"),
    }
}

/// The number of lines that one thread answers in sequence, into one buffer.
const LINES: usize = 32;

/// How the lines of a stream are answered.
struct Probing<'a> {
    db: &'a Database,
    turns: ShownTurns,
    json: bool,
}

impl Probing<'_> {
    /// Answers each line of stdin with a line, in their order. Batches of lines are answered in
    /// parallel and written before the next is waited for.
    fn stream(&self) -> Result<Status> {
        let mut input = Batches::new(io::stdin());
        let mut out = output::stdout();
        let (mut lines, mut failures, mut first) = (0u64, 0, None);
        loop {
            let batch = input
                .next_batch()
                .context("cannot read the positions from stdin")?;
            if batch.is_empty() {
                break;
            }
            let replies = batch.into_par_iter().fold_chunks(
                LINES,
                || Ok(BatchAnswers::default()),
                |replies: io::Result<BatchAnswers>, line| {
                    let mut replies = replies?;
                    self.reply(line, &mut replies)?;
                    Ok(replies)
                },
            );
            for replies in replies.collect::<Vec<_>>() {
                let replies = replies?;
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

    /// Adds the answer to one line more.
    fn reply(&self, line: input::InputLine, replies: &mut BatchAnswers) -> io::Result<()> {
        let before = replies.text.len();
        replies.lines += 1;
        if let Err(error) = self.answer(line, &mut replies.text) {
            replies.text.truncate(before);
            match self.json {
                true => output::json(
                    &mut replies.text,
                    &ErrorAnswer::from(status::failure(&error)),
                )?,
                false => writeln!(replies.text, "error: {}", status::sentence(&error))?,
            }
            replies.failed.push((replies.lines, status::of(&error)));
        }
        Ok(())
    }

    fn answer(&self, line: input::InputLine, text: &mut Vec<u8>) -> Result<(), Error> {
        let position = input::position(&line?, self.db.rules())?;
        let answer = ProbeAnswer::find(self.db, &position, self.turns.most())?;
        match self.json {
            true => output::json(text, &answer)?,
            false => write_line(text, &answer)?,
        }
        Ok(())
    }
}

/// The answers to some lines of a stream.
#[derive(Default)]
struct BatchAnswers {
    text: Vec<u8>,
    lines: u64,
    /// The lines that have no value, counted from 1.
    failed: Vec<(u64, Status)>,
}
