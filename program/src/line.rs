//! `millbase line`: an optimal continuation.

use std::io::{self, Write};

use anyhow::Result;
use clap::Args;
use millbase::service::position::LineAnswer;
use millbase::{LineEnd, Value};

use crate::databases;
use crate::input;
use crate::options::Options;
use crate::output::{self, Cell, TextTable};
use crate::status::Status;

/// Show an optimal continuation, to the end of the game or until a drawn position repeats
///
/// The winner takes the shortest way and the loser the longest; among equal turns the line follows
/// the first in the order of their texts.
#[derive(Args)]
#[command(after_help = "\
Example:
  millbase line '********/********/O@O*O@*@ w m s 3 0 3 0 0 0'")]
pub struct Line {
    /// The position's text, or 'start' for the empty board
    #[arg(required = true, allow_negative_numbers = true)]
    position: Vec<String>,

    /// The most turns to show
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(..=100_000))]
    limit: u32,
}

impl Line {
    /// Prints the continuation.
    pub fn run(&self, options: &Options) -> Result<Status> {
        let rules = &options.rules;
        let position = input::position_of(&self.position, rules, "give one position")?;
        let db = databases::open(options)?;
        let answer = LineAnswer::find(&db, &position, self.limit as usize)?;
        output::answer(options, &answer, |out| write(out, &answer))?;
        Ok(Status::Done)
    }
}

fn write(out: &mut impl Write, answer: &LineAnswer) -> io::Result<()> {
    output::write_position(out, &answer.situation, answer.value)?;
    let mut side = answer.situation.side_to_move;
    if !answer.line.is_empty() {
        let mut table = TextTable::new(&["", "side", "turn", "value"]);
        for (number, turn) in (1..).zip(&answer.line) {
            table.row(vec![
                Cell::right(number),
                Cell::text(side),
                Cell::text(turn.turn),
                Cell::value(turn.value),
            ]);
            side = side.other();
        }
        writeln!(out)?;
        table.write(out)?;
    }
    match answer.end {
        // The best line of a drawn position ends only where the board is full.
        LineEnd::Over if answer.value == Value::Draw => writeln!(out, "\ndraw: the board is full"),
        LineEnd::Over => writeln!(out, "\n{side} has lost"),
        LineEnd::Repetition { from: 0 } => writeln!(out, "\ndraw: the first position repeats"),
        LineEnd::Repetition { from } => {
            writeln!(out, "\ndraw: the position after turn {from} repeats")
        }
        LineEnd::Quiet => writeln!(
            out,
            "\ndraw: too many turns without a stone placed or removed"
        ),
        LineEnd::Limit => writeln!(out, "\nand so on; --limit shows more"),
    }
}
