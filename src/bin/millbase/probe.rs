//! `millbase probe`: the value of a position and of all its turns.

use std::io::{self, Write};

use anyhow::{Context, Error, Result};
use clap::Args;
use millbase::probe::Database;
use millbase::store::DbError;
use millbase::{Position, Rules};
use rayon::prelude::*;
use serde::Serialize;

use crate::databases;
use crate::input::{self, Batches};
use crate::options::Options;
use crate::output::{self, Cell, Ink, JsonTurn, JsonValue, Palette, Table};
use crate::status::{self, JsonError, Status};

/// Show the value of a position and of all its turns, best first
///
/// Values are for the side to move; depths count the turns to the end of the game when the winner
/// hurries and the loser delays. While at most ten stones are in hand the values are found by a
/// search to the databases, which takes up to some seconds.
///
/// Instead of a position, '-' reads positions from stdin, one a line, and answers each with one
/// line: the value and the best turn, or with --json an object. A line that cannot be answered is
/// answered with the error; the exit status is then that of the first error.
#[derive(Args)]
#[command(after_help = "\
Examples:
  millbase probe '********/********/O@O*O@*@ w m s 3 0 3 0 0 0'
  millbase probe --json - < positions.txt > answers.jsonl")]
pub struct Probe {
    /// The position's text, 'start' for the empty board, or '-' to read positions from stdin
    #[arg(required = true, allow_negative_numbers = true)]
    position: Vec<String>,
}

impl Probe {
    /// Answers for the position or for those of stdin.
    pub fn run(&self, options: &Options) -> Result<Status> {
        if self.position == ["-"] {
            return stream(&databases::open(options)?, options);
        }
        let position = input::position_of(&self.position, &options.rules)?;
        let answer = Probed::find(&databases::open(options)?, &position)?;
        let mut out = output::stdout();
        if options.json {
            output::json(&mut out, &answer.json())?;
        } else {
            answer.write(&mut out, Palette::of(options))?;
        }
        out.flush()?;
        Ok(Status::Done)
    }
}

/// A position with its value and the turns that lead on.
pub struct Probed<'a> {
    position: &'a Position,
    rules: Rules,
    answer: millbase::Answer,
}

impl<'a> Probed<'a> {
    /// Asks the databases.
    pub fn find(db: &Database, position: &'a Position) -> Result<Probed<'a>, DbError> {
        let answer = db.answer(position)?;
        let rules = *db.rules();
        Ok(Probed {
            position,
            rules,
            answer,
        })
    }

    /// The answer as programs read it.
    pub fn json(&self) -> ProbeAnswer {
        let turns = self.answer.turns.iter();
        let turns = turns.map(|ranked| JsonTurn::new(ranked, &self.rules));
        ProbeAnswer {
            position: self.position.text(&self.rules),
            side_to_move: self.position.side_to_move().name(),
            phase: self.position.phase(&self.rules).name(),
            result: self.answer.value.into(),
            source: self.answer.source.name(),
            turns: turns.collect(),
        }
    }

    fn write(&self, out: &mut impl Write, palette: Palette) -> io::Result<()> {
        output::write_position(out, self.position, self.answer.value, &self.rules, palette)?;
        if self.answer.turns.is_empty() {
            return Ok(());
        }
        let mut table = Table::new(&["turn", "value"]);
        for ranked in &self.answer.turns {
            let ink = Ink::of(ranked.value.wdl());
            table.row(vec![
                Cell::text(ranked.turn),
                Cell::text(ranked.value).ink(ink),
            ]);
        }
        writeln!(out)?;
        table.write(out, palette)
    }

    /// The value and the best turn in one line.
    fn write_line(&self, out: &mut impl Write, palette: Palette) -> io::Result<()> {
        let value = palette.value(self.answer.value);
        match self.answer.turns.first() {
            Some(best) => writeln!(out, "{value}  {}", best.turn),
            None => writeln!(out, "{value}"),
        }
    }
}

/// The fields of the answer.
#[derive(Serialize)]
pub struct ProbeAnswer {
    position: String,
    side_to_move: &'static str,
    phase: &'static str,
    #[serde(flatten)]
    result: JsonValue,
    source: &'static str,
    turns: Vec<JsonTurn>,
}

/// How many lines are answered one after the other into one piece of memory.
const LINES: usize = 32;

/// Answers each line of stdin with a line, in their order. Batches of lines are answered in
/// parallel and written before the next is waited for.
fn stream(db: &Database, options: &Options) -> Result<Status> {
    let palette = Palette::of(options);
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
            || Ok(Replies::default()),
            |replies: io::Result<Replies>, line| replies?.and(db, line, options.json, palette),
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
        "error: {failures} of {lines} lines were not answered with a value, the first is line \
         {line}; the answers say why\n"
    ));
    Ok(status)
}

/// The answers to some lines of a stream.
#[derive(Default)]
struct Replies {
    text: Vec<u8>,
    lines: u64,
    /// The lines that have no value, counted from 1.
    failed: Vec<(u64, Status)>,
}

impl Replies {
    /// These and the answer to one line more.
    fn and(
        mut self,
        db: &Database,
        line: input::Line,
        json: bool,
        palette: Palette,
    ) -> io::Result<Replies> {
        let before = self.text.len();
        self.lines += 1;
        if let Err(error) = find(db, line, json, palette, &mut self.text) {
            self.text.truncate(before);
            match json {
                true => output::json(&mut self.text, &JsonError::from(&error))?,
                false => writeln!(self.text, "error: {}", status::sentence(&error))?,
            }
            self.failed.push((self.lines, status::of(&error)));
        }
        Ok(self)
    }
}

fn find(
    db: &Database,
    line: input::Line,
    json: bool,
    palette: Palette,
    text: &mut Vec<u8>,
) -> Result<(), Error> {
    let position = input::position(&line?, db.rules())?;
    let answer = Probed::find(db, &position)?;
    if json {
        output::json(text, &answer.json())?;
    } else {
        answer.write_line(text, palette)?;
    }
    Ok(())
}
