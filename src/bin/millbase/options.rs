//! The options that all commands share.

use std::path::PathBuf;

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

    /// Rules of the game: standard, no-flying, ten, twelve, morabaraba, or a file like own.toml with
    /// settings of your own; the databases of other rules than standard have folders of their own
    /// in that of --db
    #[arg(long, global = true, value_name = "NAME|FILE", default_value = "standard", value_parser = rules::parse)]
    pub rules: Rules,

    /// Read from the databases instead of mapping them into memory: a little slower, but if another
    /// program writes to a file or shortens it meanwhile, that is an error and not a crash
    #[arg(long, global = true)]
    pub no_map: bool,

    /// What earlier versions needed for mapping
    #[arg(long, global = true, hide = true)]
    pub map: bool,

    /// Answer with JSON; docs/JSON.md describes every field
    #[arg(long, global = true)]
    pub json: bool,

    /// No progress and no notes, only answers and errors
    #[arg(long, short, global = true)]
    pub quiet: bool,

    /// When to colour the answers; NO_COLOR in the environment turns 'auto' off
    #[arg(long, global = true, value_name = "WHEN", default_value_t = ColorChoice::Auto)]
    pub color: ColorChoice,

    /// How many threads compute; without it all cores
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
}
