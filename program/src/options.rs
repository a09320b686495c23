//! The options that all commands share.

use std::num::NonZero;
use std::path::PathBuf;
use std::thread;

use clap::{Args, ColorChoice};
use millbase::Rules;

use crate::rules;

/// The options of all commands.
#[derive(Args, Clone)]
pub struct Options {
    /// Folder of the databases; without it $MILLBASE_DB, else ./db if it exists, else the user's
    /// data folder
    #[arg(long, global = true, value_name = "DIR")]
    pub db: Option<PathBuf>,

    /// Rules of the game: standard, standard-100, no-flying, ten, twelve, morabaraba, or a file like own.toml with
    /// settings of your own; databases of rules other than standard are in subfolders of the --db
    /// folder
    #[arg(long, global = true, value_name = "NAME|FILE", default_value = "standard", value_parser = rules::parse)]
    pub rules: Rules,

    /// Read from the databases instead of mapping them into memory: a little slower, but if another
    /// program changes or shortens a file meanwhile, the result is an error, not a crash
    #[arg(long, global = true)]
    pub no_map: bool,

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
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
}

impl Options {
    /// The number of computing threads.
    pub fn threads(&self) -> usize {
        let cores = || thread::available_parallelism().map_or(1, NonZero::get);
        self.threads.map_or_else(cores, usize::from)
    }
}
