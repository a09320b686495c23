//! `millbase perft`: counts the sequences of turns from a position.

use std::collections::BTreeMap;
use std::io::Write;

use anyhow::Result;
use clap::Args;
use indicatif::HumanCount;
use millbase::{PointSet, Position, Rules, Turn};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;

use crate::input;
use crate::options::Options;
use crate::output::{self, Cell};
use crate::status::{Failure, Status, refuse};

/// Count the sequences of DEPTH turns from a position
///
/// The count checks a move generator: programs that implement the same rules count the same. A turn
/// is a whole turn, so closing a mill and removing a stone count as one. Many programs count
/// actions instead, of which that turn has two: --actions counts like them. A game that ends on the
/// board after fewer than DEPTH turns does not count. Quiet turns are not counted: a limit of them in
/// the rules changes nothing here.
#[derive(Args)]
#[command(after_help = "\
Examples:
  millbase perft start 4
  millbase perft --actions start 6
  millbase perft --divide '********/********/O@O*O@*@ w m s 3 0 3 0 0 0' 3")]
pub struct Perft {
    /// The position's text, or 'start' for the empty board; then the number of turns, 0 to 99
    #[arg(required = true, allow_negative_numbers = true, value_names = ["POSITION", "DEPTH"], num_args = 1..)]
    words: Vec<String>,

    /// Count sequences of DEPTH actions: placing or moving a stone, and each removal
    #[arg(long)]
    actions: bool,

    /// Show the count after each first turn or action
    #[arg(long)]
    divide: bool,
}

#[derive(Serialize, JsonSchema)]
pub struct PerftAnswer {
    position: String,
    depth: u32,
    /// Whether `depth` counts actions, not turns.
    actions: bool,
    count: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    turns: Option<Vec<TurnCount>>,
}

#[derive(Serialize, JsonSchema)]
struct TurnCount {
    turn: String,
    count: u64,
}

impl Perft {
    /// Counts and prints the count.
    pub fn run(&self, options: &Options) -> Result<Status> {
        let rules = &options.rules;
        let (words, depth) = self.position_and_depth()?;
        let position = input::position_of(words, rules, "give one position and one depth")?;
        let (count, turns) = match depth.checked_sub(1) {
            None => (1, Vec::new()),
            Some(rest) => {
                let turns = match self.actions {
                    true => divide_actions(&position, rest, rules),
                    false => divide(&position, rest, rules),
                };
                (turns.iter().map(|(_, count)| count).sum(), turns)
            }
        };
        let counts = turns.iter().map(|&(turn, count)| TurnCount {
            turn: turn.to_string(),
            count,
        });
        let answer = PerftAnswer {
            position: position.text(rules),
            depth,
            actions: self.actions,
            count,
            turns: self.divide.then(|| counts.collect()),
        };
        let first = if self.actions { "action" } else { "turn" };
        output::answer(options, &answer, |out| {
            if self.divide {
                output::table(out, &turns).write(&[
                    (first, |(turn, _)| Cell::text(turn)),
                    ("count", |(_, count)| Cell::count(*count)),
                ])?;
            }
            writeln!(out, "{}", HumanCount(count))
        })
    }

    /// The words of the position, and the depth after them.
    fn position_and_depth(&self) -> Result<(&[String], u32), Failure> {
        const EXAMPLE: &str = "give one position and one depth, as in 'millbase perft start 4'";
        match self.words.as_slice() {
            [position @ .., depth] if !position.is_empty() => {
                let number = input::number(0..=99)(depth);
                let wrong = |why| format!("'{depth}' is not a DEPTH: {why}; {EXAMPLE}");
                let number = number.map_err(|why| Failure::question(wrong(why)))?;
                Ok((position, number))
            }
            _ => refuse(format!("the DEPTH is missing; {EXAMPLE}")),
        }
    }
}

/// The sequences of `rest` turns after each turn. The second turns are counted in parallel.
fn divide(position: &Position, rest: u32, rules: &Rules) -> Vec<(Turn, u64)> {
    let count = |turn: Turn| {
        let next = position.after(turn);
        match rest.checked_sub(1) {
            None => 1,
            Some(rest) => next
                .turns(rules)
                .into_par_iter()
                .map(|turn| next.after(turn).perft(rules, rest))
                .sum(),
        }
    };
    let turns = position.turns(rules).into_par_iter();
    turns.map(|turn| (turn, count(turn))).collect()
}

/// The sequences of `rest` actions after each action, counted in parallel.
fn divide_actions(position: &Position, rest: u32, rules: &Rules) -> Vec<(Turn, u64)> {
    let actions = first_actions(position, rules).into_par_iter();
    let count = |(action, after): (Turn, Position)| (action, sequences(&after, rest, rules));
    actions.map(count).collect()
}

/// The number of sequences of `depth` actions.
fn sequences(position: &Position, depth: u32, rules: &Rules) -> u64 {
    let Some(rest) = depth.checked_sub(1) else {
        return 1;
    };
    let actions = first_actions(position, rules).into_values();
    actions.map(|after| sequences(&after, rest, rules)).sum()
}

/// The first actions of a position's turns, each with the position after it.
fn first_actions(position: &Position, rules: &Rules) -> BTreeMap<Turn, Position> {
    let mut actions = BTreeMap::new();
    for turn in position.turns(rules) {
        if turn.removed().is_empty() {
            actions.insert(turn, position.after(turn));
            continue;
        }
        let begun: Vec<Turn> = match (turn.from(), turn.to()) {
            // Any stone may go first, except those in mills as long as others must go before.
            (None, None) => (turn.removed().into_iter())
                .map(|point| Turn::new(None, None, PointSet::EMPTY.with(point)))
                .collect(),
            _ => vec![turn],
        };
        let begun = begun.into_iter();
        let made = begun.filter_map(|turn| position.actions(turn, rules));
        actions.extend(made.filter_map(|made| made.into_iter().next()));
    }
    actions
}
