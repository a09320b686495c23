//! `millbase explain`: facts about a position and its turns.

use std::io::{self, Write};

use anyhow::Result;
use clap::Args;
use millbase::internals::service::explain::{ExplainAnswer, ExplainedTurn, MOST_FORCED_POSITIONS};
use millbase::{Database, Turn};

use crate::databases;
use crate::input;
use crate::options::Options;
use crate::output::{self, Cell};
use crate::status::{Failure, Status, refuse};
use crate::stream;

/// Show facts about a position: the threats that right turns prevent and wrong ones allow
///
/// For each turn it shows the value and the grade, the number of replies that hold, the points at
/// which the turn prevents or allows a mill of the other side, and the line that refutes an error.
/// For the position it shows how many turns keep the result, the value if the side to move could
/// pass, and the shortest sequence by which it can force a removal. docs/COACH.md defines every
/// word.
///
/// '-' instead of a position reads lines from stdin, each a position or a position and a turn, and
/// answers each with one line, with --json an object: the value and the numbers of turns, or the facts
/// about the turn.
#[derive(Args)]
#[command(after_help = "\
Examples:
  millbase explain '***O**@*/*O@***@*/**@**O** w m s 3 0 4 0 0 0'
  millbase explain --json '***O**@*/*O@***@*/**@**O** w m s 3 0 4 0 0 0' a1-a4")]
pub struct Explain {
    /// The position's text, 'start' for the empty board, or '-' to read lines from stdin; a turn after
    /// the position limits the facts to this turn
    #[arg(required = true, allow_negative_numbers = true, value_names = ["POSITION", "TURN"], num_args = 1..)]
    words: Vec<String>,
}

/// The number of fields that every position's text has; more may follow.
const FIELDS: usize = 10;

impl Explain {
    /// Prints the facts.
    pub fn run(&self, options: &Options) -> Result<Status> {
        let db = databases::open(options)?;
        if self.words == [input::STDIN] {
            return stream::answer(options, |line| {
                let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
                let (position, asked) = position_and_turn(&words)?;
                let write = move |text: &mut Vec<u8>, answer: &ExplainAnswer| {
                    if let Some(turn) = answer.turns.first().filter(|_| asked.is_some()) {
                        return writeln!(text, "{}", facts(turn));
                    }
                    let position = &answer.situation.position;
                    let value = output::counted_value(position, answer.value, answer.drawn_after);
                    writeln!(text, "{value}  {}", counts(answer))
                };
                Ok((find(&db, position, asked)?, write))
            });
        }
        let (position, turn) = position_and_turn(&self.words)?;
        let answer = find(&db, position, turn)?;
        output::answer(options, &answer, |out| write(out, &answer))
    }
}

/// The facts about the position of these words, and about this turn or all.
fn find(db: &Database, words: &[String], turn: Option<Turn>) -> Result<ExplainAnswer> {
    let advice = "give one position and at most one turn, or lines with '-'";
    let position = input::position_of(words, db.rules(), advice)?;
    let answer = ExplainAnswer::find(db, &position, turn, MOST_FORCED_POSITIONS)?;
    match turn {
        Some(turn) if answer.turns.is_empty() => refuse(format!(
            "{turn} is not a legal turn of this position; 'millbase probe' lists them"
        )),
        _ => Ok(answer),
    }
}

/// The words of the position, and the turn after them, if there is one.
fn position_and_turn(words: &[String]) -> Result<(&[String], Option<Turn>), Failure> {
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
                Failure::question(format!("'{word}' {form}"))
            })?;
            Ok((position, Some(turn)))
        }
        position => Ok((position, None)),
    }
}

/// How many turns there are, and how good.
fn counts(answer: &ExplainAnswer) -> String {
    let (keeping, best) = (answer.keeping, answer.best);
    let legal = output::counted(answer.legal, "turn");
    format!("{legal}; keeping the result: {keeping}; of the best value: {best}")
}

/// The turns that refute an error.
fn refutation(turn: &ExplainedTurn) -> String {
    output::line(turn.refutation.iter().map(|reply| reply.turn))
}

/// The facts about a turn in one line: its value, its grade, and what the table has.
fn facts(turn: &ExplainedTurn) -> String {
    let (value, grade) = (output::painted(turn.turn.value), turn.grade.words());
    let (replies, holding) = (turn.replies, turn.holding);
    let mut facts = format!("{value}  {grade}; replies: {replies}; hold: {holding}");
    for (name, items) in [
        ("prevents", output::line(&turn.prevents)),
        ("allows", output::line(&turn.allows)),
        ("refutation", refutation(turn)),
    ] {
        if !items.is_empty() {
            facts += &format!("; {name}: {items}");
        }
    }
    facts
}

fn write(out: &mut impl Write, answer: &ExplainAnswer) -> io::Result<()> {
    let side = answer.situation.side_to_move;
    output::write_position(out, &answer.situation, answer.value, answer.drawn_after)?;
    if answer.legal == 0 {
        return Ok(());
    }
    writeln!(out, "\n{}", counts(answer))?;
    let other = side.other();
    let threats: Vec<&str> = answer.threats.iter().map(|point| point.name()).collect();
    match threats.join(", ").as_str() {
        "" => writeln!(out, "{other} threatens no mill")?,
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
            "{side} cannot force a removal within {} of its turns",
            answer.forced_searched
        )?,
    }
    writeln!(out)?;
    output::table(out, &answer.turns).write(&[
        ("turn", |turn| Cell::text(turn.turn.turn)),
        ("value", |turn| Cell::value(turn.turn.value)),
        ("grade", |turn| Cell::text(turn.grade.words())),
        ("replies", |turn| Cell::right(turn.replies)),
        ("hold", |turn| Cell::right(turn.holding)),
        ("prevents", |turn| Cell::text(output::line(&turn.prevents))),
        ("allows", |turn| Cell::text(output::line(&turn.allows))),
        ("refutation", |turn| Cell::text(refutation(turn))),
    ])
}
