//! `millbase puzzles`: makes puzzles and checks packs of puzzles.

pub mod check;
mod exchange;
pub mod make;

use anyhow::Result;
use clap::Subcommand;

use crate::options::Options;
use crate::status::{Status, refuse};

/// Make puzzles whose solution is certain, or check a pack of puzzles
///
/// docs/COACH.md defines themes and difficulty and describes the formats.
#[derive(Subcommand)]
#[command(after_help = "\
Examples:
  millbase puzzles make --count 20 --from 4-4,5-4 --turns 2-4
  millbase puzzles check pack.sanmill_puzzles")]
pub enum Puzzles {
    Make(make::MakePuzzles),
    Check(check::CheckPack),
}

impl Puzzles {
    /// Runs the subcommand.
    pub fn run(&self, options: &Options) -> Result<Status> {
        if options.rules.quiet_turns > 0 {
            return refuse(
                "puzzles state the turns to the end of the game, but under a limit of quiet turns the \
                 databases count those to the next removal; choose --rules without quiet_turns",
            );
        }
        match self {
            Puzzles::Make(make) => make.run(options),
            Puzzles::Check(check) => check.run(options),
        }
    }
}
