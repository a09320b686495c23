//! `millbase explain`: facts about a position and its turns.

use std::io::{self, Write};

use anyhow::Result;
use clap::Args;
use millbase::coach::explain::{Explanation, Forced, TurnFacts};
use millbase::coach::truth::Truth;
use millbase::service::value::JsonTurn;
use millbase::{PointSet, Rules, Turn, Value};
use serde::Serialize;

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

/// The facts for JSON answers.
#[derive(Serialize)]
struct JsonExplanation {
    position: String,
    side_to_move: &'static str,
    phase: &'static str,
    #[serde(flatten)]
    value: Value,
    source: &'static str,
    legal: usize,
    keeping: usize,
    best: usize,
    threats: Vec<&'static str>,
    passing: Option<Value>,
    forced_removal: Option<Vec<String>>,
    forced_searched: usize,
    turns: Vec<JsonFacts>,
}

#[derive(Serialize)]
struct JsonFacts {
    #[serde(flatten)]
    turn: JsonTurn,
    grade: &'static str,
    replies: usize,
    holding: usize,
    holding_replies: Vec<String>,
    prevents: Vec<&'static str>,
    allows: Vec<&'static str>,
    refutation: Vec<JsonTurn>,
}

impl Explain {
    /// Prints the facts.
    pub fn run(&self, options: &Options) -> Result<Status> {
        let rules = &options.rules;
        let (words, turn) = self.position_and_turn()?;
        let advice = "give one position and at most one turn";
        let position = input::position_of(words, rules, advice)?;
        let db = databases::open(options)?;
        let explanation = Explanation::of(Truth::patient(&db), &position, turn)?;
        if let (Some(turn), true) = (turn, explanation.turns.is_empty()) {
            let sentence =
                format!("{turn} is not a legal turn of this position; 'millbase probe' lists them");
            return Err(Usage(sentence).into());
        }
        output::answer(options, &JsonExplanation::new(&explanation, rules), |out| {
            write(out, &explanation, rules)
        })?;
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

/// The names of points in their order.
fn names(points: PointSet) -> Vec<&'static str> {
    let mut names: Vec<&str> = points.into_iter().map(|point| point.name()).collect();
    names.sort_unstable();
    names
}

fn write(out: &mut impl Write, explanation: &Explanation, rules: &Rules) -> io::Result<()> {
    let side = explanation.position.side_to_move();
    output::write_position(out, &explanation.position, explanation.value, rules)?;
    let [legal, keeping, best] = explanation.counts;
    if legal == 0 {
        return Ok(());
    }
    writeln!(
        out,
        "\n{legal} turns, {keeping} keep the result, {best} have the best value"
    )?;
    match explanation.threats.is_empty() {
        true => writeln!(out, "{} threatens no mill", side.other())?,
        false => {
            let threats = names(explanation.threats).join(", ");
            writeln!(out, "{} threatens a mill at {threats}", side.other())?;
        }
    }
    if let Some(passing) = explanation.passing {
        writeln!(out, "if {side} could pass: {}", output::painted(passing))?;
    }
    let Forced { line, searched } = &explanation.forced;
    match line.is_empty() {
        false => {
            let line = output::line(line);
            writeln!(out, "{side} forces a removal or the end: {line}")?;
        }
        true => {
            writeln!(
                out,
                "{side} cannot force a removal within {searched} of its turns"
            )?;
        }
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
    for facts in &explanation.turns {
        let refutation = facts.refutation.iter().map(|ranked| ranked.turn);
        table.row(vec![
            Cell::text(facts.ranked.turn),
            Cell::value(facts.ranked.value),
            Cell::text(facts.verdict.grade.words()),
            Cell::right(facts.replies),
            Cell::right(facts.holding.len()),
            Cell::text(names(facts.prevents).join(" ")),
            Cell::text(names(facts.allows).join(" ")),
            Cell::text(output::line(refutation)),
        ]);
    }
    writeln!(out)?;
    table.write(out)
}

impl JsonExplanation {
    fn new(explanation: &Explanation, rules: &Rules) -> JsonExplanation {
        let [legal, keeping, best] = explanation.counts;
        let forced = &explanation.forced;
        let line: Vec<String> = forced.line.iter().map(|turn| turn.to_string()).collect();
        JsonExplanation {
            position: explanation.position.text(rules),
            side_to_move: explanation.position.side_to_move().name(),
            phase: explanation.phase.name(),
            value: explanation.value,
            source: explanation.source.name(),
            legal,
            keeping,
            best,
            threats: names(explanation.threats),
            passing: explanation.passing,
            forced_removal: (!line.is_empty()).then_some(line),
            forced_searched: forced.searched,
            turns: (explanation.turns.iter())
                .map(|facts| JsonFacts::new(facts, rules))
                .collect(),
        }
    }
}

impl JsonFacts {
    fn new(facts: &TurnFacts, rules: &Rules) -> JsonFacts {
        let line = facts.refutation.iter();
        JsonFacts {
            turn: JsonTurn::new(&facts.ranked, rules),
            grade: facts.verdict.grade.name(),
            replies: facts.replies,
            holding: facts.holding.len(),
            holding_replies: facts.holding.iter().map(ToString::to_string).collect(),
            prevents: names(facts.prevents),
            allows: names(facts.allows),
            refutation: line.map(|ranked| JsonTurn::new(ranked, rules)).collect(),
        }
    }
}
