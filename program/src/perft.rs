//! `millbase perft`: counts the sequences of turns from a position.

use std::io::Write;

use anyhow::Result;
use clap::Args;
use indicatif::HumanCount;
use millbase::{Position, Rules, Turn};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;

use crate::input;
use crate::options::Options;
use crate::output::{self, Cell, TextTable};
use crate::status::Status;

/// Count the sequences of DEPTH turns from a position
///
/// The count checks a move generator: programs that implement the same rules count the same. A turn
/// is a whole turn, so closing a mill and removing a stone count as one. A game that ends after
/// fewer than DEPTH turns does not count.
#[derive(Args)]
#[command(after_help = "\
Examples:
  millbase perft start 4
  millbase perft --divide '********/********/O@O*O@*@ w m s 3 0 3 0 0 0' 3")]
pub struct Perft {
    /// The position's text, or 'start' for the empty board
    #[arg(required = true, allow_negative_numbers = true)]
    position: Vec<String>,

    /// Number of turns, 0 to 99
    #[arg(value_parser = clap::value_parser!(u32).range(0..100))]
    depth: u32,

    /// Show the count after each first turn
    #[arg(long)]
    divide: bool,
}

#[derive(Serialize, JsonSchema)]
pub struct PerftAnswer {
    position: String,
    depth: u32,
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
        let advice = "give one position and one depth";
        let position = input::position_of(&self.position, rules, advice)?;
        let (count, turns) = match self.depth.checked_sub(1) {
            None => (1, Vec::new()),
            Some(rest) => {
                let turns = divide(&position, rest, rules);
                (turns.iter().map(|(_, count)| count).sum(), turns)
            }
        };
        let counts = turns.iter().map(|&(turn, count)| TurnCount {
            turn: turn.to_string(),
            count,
        });
        let answer = PerftAnswer {
            position: position.text(rules),
            depth: self.depth,
            count,
            turns: self.divide.then(|| counts.collect()),
        };
        output::answer(options, &answer, |out| {
            if self.divide {
                let mut table = TextTable::new(&["turn", "count"]);
                for (turn, count) in &turns {
                    table.row(vec![Cell::text(turn), Cell::count(*count)]);
                }
                table.write(out)?;
            }
            writeln!(out, "{}", HumanCount(count))
        })?;
        Ok(Status::Done)
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
