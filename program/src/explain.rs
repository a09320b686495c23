//! `millbase explain`: facts about a position and its turns.

use std::io::{self, Write};

use anyhow::Result;
use clap::Args;
use millbase::service::explain::ExplainAnswer;
use millbase::{Point, Turn};

use crate::databases;
use crate::input;
use crate::options::Options;
use crate::output::{self, Cell, TextTable};
use crate::status::{Status, Usage};

/// Show facts about a position: the threats that right turns prevent and wrong ones allow
///
/// For each turn it shows the value and the grade, the number of replies that hold, the points at
/// which the turn prevents or allows a mill of the other side, and the line that refutes an error.
/// For the position it shows how many turns keep the result, the value if the side to move could
/// pass, and the shortest sequence by which it can force a removal. docs/COACH.md defines every
/// word.
#[derive(Args)]
#[command(after_help = "\
Examples:
  millbase explain '***O**@*/*O@***@*/**@**O** w m s 3 0 4 0 0 0'
  millbase explain --json '***O**@*/*O@***@*/**@**O** w m s 3 0 4 0 0 0' a1-a4")]
pub struct Explain {
    /// The position's text, or 'start' for the empty board; a turn after it limits the facts to
    /// this turn
    #[arg(required = true, allow_negative_numbers = true, value_names = ["POSITION", "TURN"], num_args = 1..)]
    words: Vec<String>,
}

/// The number of fields that every position's text has; more may follow.
const FIELDS: usize = 10;

impl Explain {
    /// Prints the facts.
    pub fn run(&self, options: &Options) -> Result<Status> {
        let rules = &options.rules;
        let (words, turn) = self.position_and_turn()?;
        let advice = "give one position and at most one turn";
        let position = input::position_of(words, rules, advice)?;
        let db = databases::open(options)?;
        let answer = ExplainAnswer::find(&db, &position, turn)?;
        if let (Some(turn), true) = (turn, answer.turns.is_empty()) {
            let sentence =
                format!("{turn} is not a legal turn of this position; 'millbase probe' lists them");
            return Err(Usage(sentence).into());
        }
        output::answer(options, &answer, |out| write(out, &answer))?;
        Ok(Status::Done)
    }

    /// The words of the position, and the turn after them, if there is one.
    fn position_and_turn(&self) -> Result<(&[String], Option<Turn>), Usage> {
        let words = self.words.as_slice();
        let is_whole = words.first().is_some_and(|word| input::is_whole(word));
        // Of a position in several words all fields but the first few are numbers, and none is a turn.
        let is_field = |word: &String| {
            word.parse::<Turn>().is_err()
                && (words.len() <= FIELDS || word.parse::<i32>().is_ok() || word.is_empty())
        };
        match words {
            [position @ .., word] if !position.is_empty() && (is_whole || !is_field(word)) => {
                let turn = word.parse().map_err(|_| {
                    let form = "is not a turn, which is written like d6-d5xb4";
                    Usage(format!("'{word}' {form}"))
                })?;
                Ok((position, Some(turn)))
            }
            position => Ok((position, None)),
        }
    }
}

fn write(out: &mut impl Write, answer: &ExplainAnswer) -> io::Result<()> {
    let side = answer.situation.side_to_move;
    output::write_position(out, &answer.situation, answer.value)?;
    let ExplainAnswer {
        legal,
        keeping,
        best,
        forced_searched: searched,
        ..
    } = answer;
    if *legal == 0 {
        return Ok(());
    }
    writeln!(
        out,
        "\n{legal} turns, {keeping} keep the result, {best} have the best value"
    )?;
    let other = side.other();
    match joined(&answer.threats, ", ") {
        none if none.is_empty() => writeln!(out, "{other} threatens no mill")?,
        threats => writeln!(out, "{other} threatens a mill at {threats}")?,
    }
    if let Some(passing) = answer.passing {
        writeln!(out, "if {side} could pass: {}", output::painted(passing))?;
    }
    match &answer.forced_removal {
        Some(line) => {
            let line = output::line(line);
            writeln!(out, "{side} forces a removal or the end: {line}")?;
        }
        None => writeln!(
            out,
            "{side} cannot force a removal within {searched} of its turns"
        )?,
    }
    let headings = [
        "turn",
        "value",
        "grade",
        "replies",
        "hold",
        "prevents",
        "allows",
        "refutation",
    ];
    let mut table = TextTable::new(&headings);
    for turn in &answer.turns {
        let refutation = turn.refutation.iter().map(|reply| reply.turn);
        table.row(vec![
            Cell::text(turn.turn.turn),
            Cell::value(turn.turn.value),
            Cell::text(turn.grade.words()),
            Cell::right(turn.replies),
            Cell::right(turn.holding),
            Cell::text(joined(&turn.prevents, " ")),
            Cell::text(joined(&turn.allows, " ")),
            Cell::text(output::line(refutation)),
        ]);
    }
    writeln!(out)?;
    table.write(out)
}

fn joined(points: &[Point], separator: &str) -> String {
    let names: Vec<&str> = points.iter().map(|point| point.name()).collect();
    names.join(separator)
}
