//! `millbase puzzles`: makes puzzles and checks packs of puzzles.

mod check;
mod exchange;
mod make;

use anyhow::Result;
use clap::Subcommand;
use serde::{Deserialize, Serialize};

use crate::options::Options;
use crate::status::Status;

/// Make puzzles whose solution is certain, or check a pack of puzzles
///
/// docs/COACH.md defines themes and difficulty and describes the formats.
#[derive(Subcommand)]
#[command(after_help = "\
Examples:
  millbase puzzles make --count 20 --from 4-4,5-4 --turns 2-4
  millbase puzzles check pack.sanmill_puzzles")]
pub enum Puzzles {
    Make(make::Make),
    Check(check::Check),
}

impl Puzzles {
    /// Runs the subcommand.
    pub fn run(&self, options: &Options) -> Result<Status> {
        match self {
            Puzzles::Make(make) => make.run(options),
            Puzzles::Check(check) => check.run(options),
        }
    }
}

/// A puzzle with its certificate, for JSON answers.
#[derive(Serialize, Deserialize)]
struct JsonPuzzle {
    id: String,
    position: String,
    /// `win` or `draw`.
    goal: String,
    /// The solver's turns to the win; 1 if the goal is a draw.
    turns: u32,
    dtw: Option<u16>,
    rating: u32,
    level: String,
    search_depth: u32,
    temptations: usize,
    themes: Vec<String>,
    legal: usize,
    keeping: usize,
    solution: Vec<JsonStep>,
}

#[derive(Serialize, Deserialize)]
struct JsonStep {
    side: String,
    turn: String,
    /// The value for the side that makes the turn.
    wdl: String,
    dtw: Option<u16>,
    legal: usize,
    keeping: usize,
    best: Vec<String>,
}

/// The puzzles of a run, for JSON answers.
#[derive(Serialize, Deserialize)]
struct JsonPack {
    seed: u64,
    puzzles: Vec<JsonPuzzle>,
}
