//! `millbase probe`: the value of a position and of all its turns.

use std::io::{self, Write};

use anyhow::Result;
use clap::{Args, ValueEnum};
use millbase::Wdl;
use millbase::internals::service::position::ProbeAnswer;

use crate::databases;
use crate::input;
use crate::options::Options;
use crate::output::{self, Cell};
use crate::status::Status;
use crate::stream;

/// Show the value of a position and of all its turns, best first
///
/// Values are for the side to move. Depths count the turns to the end of the game when the winner
/// takes the shortest way and the loser the longest. Without files of the placing phase, a
/// search down to the databases finds the values while at most ten stones are in hand, which can
/// take a few seconds.
///
/// '-' instead of a position reads positions from stdin, one on each line, and answers each with
/// one line: the value and the best turn, or a JSON object with --json. With --turns none the line is
/// W, D or L, followed by the depth if it is known: W 21. If the depth exceeds the
/// quiet turns that are left of the usual 100, so that the game may be drawn first, their number follows:
/// W 21 1. Where a line has no answer, the output line is the error, and the exit status is that of the
/// first error.
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

impl Probe {
    /// Answers the position of the arguments or those of stdin.
    pub fn run(&self, options: &Options) -> Result<Status> {
        let most = match self.turns {
            ShownTurns::None => None,
            ShownTurns::Best => Some(1),
            ShownTurns::All => Some(usize::MAX),
        };
        if self.position == [input::STDIN] {
            let db = databases::open(options)?;
            return stream::answer(options, |line| {
                let position = input::position(line, db.rules())?;
                Ok((ProbeAnswer::find(&db, &position, most)?, write_line))
            });
        }
        let advice = "give one position, or lines with '-'";
        let position = input::position_of(&self.position, &options.rules, advice)?;
        let db = databases::open(options)?;
        let answer = ProbeAnswer::find(&db, &position, most)?;
        output::answer(options, &answer, |out| write(out, &answer))
    }
}

fn write(out: &mut impl Write, answer: &ProbeAnswer) -> io::Result<()> {
    output::write_position(out, &answer.situation, answer.value, answer.drawn_after)?;
    match answer.turns.as_deref() {
        None | Some([]) => Ok(()),
        Some(turns) => {
            writeln!(out)?;
            output::table(out, turns).write(&[
                ("turn", |turn| Cell::text(turn.turn)),
                ("value", |turn| Cell::value(turn.value)),
            ])
        }
    }
}

/// Writes the value and the best turn in one line; without turns the value as a letter and a number.
fn write_line(out: &mut Vec<u8>, answer: &ProbeAnswer) -> io::Result<()> {
    let Some(turns) = &answer.turns else {
        let letter = match answer.value.wdl() {
            Wdl::Win => 'W',
            Wdl::Draw => 'D',
            Wdl::Loss => 'L',
        };
        return match (answer.value.dtw(), answer.drawn_after) {
            (Some(dtw), Some(left)) => writeln!(out, "{letter} {dtw} {left}"),
            (Some(dtw), None) => writeln!(out, "{letter} {dtw}"),
            (None, _) => writeln!(out, "{letter}"),
        };
    };
    let position = &answer.situation.position;
    let value = output::counted_value(position, answer.value, answer.drawn_after);
    match turns.first() {
        Some(best) => writeln!(out, "{value}  {}", best.turn),
        None => writeln!(out, "{value}"),
    }
}
