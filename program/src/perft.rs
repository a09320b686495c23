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
/// actions instead, of which that turn has two: --actions counts like them. A game that ends after
/// fewer than DEPTH turns does not count.
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
    let count = |(action, turns): (Turn, Begun)| (action, sequences(position, &turns, rest, rules));
    actions.map(count).collect()
}

/// Turns that begin with the same actions, each with the stones that it still removes.
type Begun = Vec<(Turn, PointSet)>;

/// The first actions of a position's turns, with these turns.
fn first_actions(position: &Position, rules: &Rules) -> BTreeMap<Turn, Begun> {
    let mut actions: BTreeMap<Turn, Begun> = BTreeMap::new();
    for turn in position.turns(rules) {
        let removed = turn.removed();
        if turn.is_pass() || turn.to().is_some() {
            let action = Turn::new(turn.from(), turn.to(), PointSet::EMPTY);
            actions.entry(action).or_default().push((turn, removed));
            continue;
        }
        for point in removed {
            let one = PointSet::EMPTY.with(point);
            let begun = actions.entry(Turn::new(None, None, one)).or_default();
            begun.push((turn, removed.without(point)));
        }
    }
    actions
}

/// The number of sequences of `depth` actions after the first actions of these turns.
fn sequences(position: &Position, turns: &Begun, depth: u32, rules: &Rules) -> u64 {
    if depth == 0 {
        return 1;
    }
    // All these turns remove equally many stones.
    if let [(turn, PointSet::EMPTY)] = turns[..] {
        let next = position.after(turn);
        let actions = first_actions(&next, rules).into_values();
        return actions
            .map(|turns| sequences(&next, &turns, depth - 1, rules))
            .sum();
    }
    let points: PointSet = turns.iter().flat_map(|&(_, left)| left).collect();
    let remove = |point| {
        let begun = turns.iter().filter(|(_, left)| left.contains(point));
        begun
            .map(|&(turn, left)| (turn, left.without(point)))
            .collect()
    };
    points
        .into_iter()
        .map(|point| sequences(position, &remove(point), depth - 1, rules))
        .sum()
}
