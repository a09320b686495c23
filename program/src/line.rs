//! `millbase line`: an optimal continuation.

use std::io::{self, Write};

use anyhow::Result;
use clap::Args;
use millbase::engine::DrawRule;
use millbase::internals::service::position::LineAnswer;
use millbase::{LineEnd, Value};

use crate::databases;
use crate::input;
use crate::options::Options;
use crate::output::{self, Cell};
use crate::status::Status;
use crate::stream;

/// Show an optimal continuation, to the end of the game or until a drawn position repeats
///
/// The winner takes the shortest way and the loser the longest; among equal turns the line follows
/// the first in the order of their texts.
///
/// '-' instead of a position reads positions from stdin, one on each line, and answers each with one
/// line: the value and the turns, or a JSON object with --json.
#[derive(Args)]
#[command(after_help = "\
Example:
  millbase line '********/********/O@O*O@*@ w m s 3 0 3 0 0 0'")]
pub struct Line {
    /// The position's text, 'start' for the empty board, or '-' to read positions from stdin
    #[arg(required = true, allow_negative_numbers = true)]
    position: Vec<String>,

    /// The most turns to show
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = input::number::<u32>(0..=100_000))]
    limit: u32,
}

impl Line {
    /// Prints the continuation.
    pub fn run(&self, options: &Options) -> Result<Status> {
        let (rules, limit) = (&options.rules, self.limit as usize);
        if self.position == [input::STDIN] {
            let db = databases::open(options)?;
            return stream::answer(options, |line| {
                let position = input::position(line, rules)?;
                Ok((LineAnswer::find(&db, &position, limit)?, write_line))
            });
        }
        let advice = "give one position, or lines with '-'";
        let position = input::position_of(&self.position, rules, advice)?;
        let db = databases::open(options)?;
        let answer = LineAnswer::find(&db, &position, limit)?;
        output::answer(options, &answer, |out| write(out, &answer))
    }
}

/// Writes the value and the turns in one line.
fn write_line(out: &mut Vec<u8>, answer: &LineAnswer) -> io::Result<()> {
    let turns = output::line(answer.line.iter().map(|turn| turn.turn));
    let position = &answer.situation.position;
    let value = output::counted_value(position, answer.value, answer.drawn_after);
    writeln!(out, "{value}  {turns}")
}

fn write(out: &mut impl Write, answer: &LineAnswer) -> io::Result<()> {
    output::write_position(out, &answer.situation, answer.value, answer.drawn_after)?;
    let last = answer.line.last().map(|turn| &turn.position);
    let side = last.map_or(answer.situation.side_to_move, |last| last.side_to_move());
    if !answer.line.is_empty() {
        writeln!(out)?;
        output::table(out, (1..).zip(&answer.line)).write(&[
            ("", |(number, _)| Cell::right(number)),
            ("side", |(_, turn)| {
                Cell::text(turn.position.side_to_move().other())
            }),
            ("turn", |(_, turn)| Cell::text(turn.turn)),
            ("value", |(_, turn)| Cell::value(turn.value)),
        ])?;
    }
    if let Some(number) = answer.drawn_after {
        let limit = DrawRule::USUAL.quiet_turns;
        let when = match number {
            0 => "already".to_owned(),
            _ => format!("after turn {number}"),
        };
        writeln!(
            out,
            "\nwhere {limit} quiet turns make a draw, the game is drawn {when}"
        )?;
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
