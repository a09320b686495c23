//! The options for the rules about draws. The library reads what `--rules` names.

use clap::Args;
use millbase::engine::DrawRule;

use crate::input;

/// The options of `play` and `serve` for the rules about draws.
#[derive(Args, Clone, Copy)]
pub struct DrawOptions {
    /// Number of times that a position must stand for a draw; 0 for no such draws
    #[arg(long, value_name = "N", default_value_t = DrawRule::USUAL.repetitions, value_parser = input::number::<u32>(0..=100))]
    repetitions: u32,

    /// Number of turns without a stone placed or removed after which the game is drawn; 0 for no
    /// such draws. Rules with a limit of their own keep it
    #[arg(long, value_name = "N", default_value_t = DrawRule::USUAL.quiet_turns, value_parser = input::number::<u32>(0..=10_000))]
    quiet_turns: u32,
}

impl From<DrawOptions> for DrawRule {
    fn from(draws: DrawOptions) -> DrawRule {
        DrawRule {
            repetitions: draws.repetitions,
            quiet_turns: draws.quiet_turns,
        }
    }
}
