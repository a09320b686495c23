//! The options that all commands share, and those for the rules about draws.

use std::num::NonZero;
use std::path::PathBuf;
use std::thread;

use clap::{Args, ColorChoice};
use millbase::Rules;
use millbase::engine::DrawRule;
use millbase::internals::service::settings;

use crate::input;
use crate::status::{Failure, refuse};

/// The options of all commands.
#[derive(Args, Clone)]
#[command(next_help_heading = "Global options")]
pub struct Options {
    /// Folder of the databases; without it $MILLBASE_DB, else ./db if it exists, else the user's
    /// data folder
    #[arg(long, global = true, value_name = "DIR")]
    pub db: Option<PathBuf>,

    /// Rules of the game: standard, standard-100, no-flying, ten, lasker, twelve, morabaraba, dooz, or a file like
    /// own.toml with settings of your own
    ///
    /// Databases of rules other than standard are in subfolders of the --db folder.
    #[arg(long, global = true, value_name = "NAME|FILE", default_value = "standard", value_parser = settings::of_name_or_file)]
    pub rules: Rules,

    /// Print the answer as JSON; docs/JSON.md describes every field
    #[arg(long, global = true)]
    pub json: bool,

    /// Print only answers and errors, without progress and notes
    #[arg(long, short, global = true)]
    pub quiet: bool,

    /// When to colour the output; with 'auto', NO_COLOR in the environment turns colours off
    #[arg(long, global = true, value_name = "WHEN", default_value_t = ColorChoice::Auto)]
    pub color: ColorChoice,

    /// Number of computing threads; without it one for each core
    #[arg(long, global = true, value_name = "N", value_parser = input::number::<u16>(1..=1024))]
    pub threads: Option<u16>,
}

impl Options {
    /// Returns an error if JSON is asked for; `instead` says what has that form.
    pub fn refuse_json(&self, instead: &str) -> Result<(), Failure> {
        match self.json {
            true => refuse(format!("this command has no JSON form; {instead}")),
            false => Ok(()),
        }
    }

    /// The number of computing threads.
    pub fn threads(&self) -> usize {
        let cores = || thread::available_parallelism().map_or(1, NonZero::get);
        self.threads.map_or_else(cores, usize::from)
    }
}

/// The options of `play` and `serve` for the rules about draws.
#[derive(Args, Clone, Copy)]
pub struct DrawOptions {
    /// Number of occurrences of a position that make a draw; 0 for no such draws
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
