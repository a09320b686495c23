//! `millbase uci`: an engine process for mill frontends.

use std::sync::Arc;
use std::{io, iter};

use anyhow::Result;
use clap::Args;
use millbase::internals::uci;
use millbase::notation::protocol_game;

use crate::advice;
use crate::databases;
use crate::input::LineBatches;
use crate::options::Options;
use crate::output::Cleaned;
use crate::status::Status;

/// Play as an engine: the line protocol of mill frontends on stdin and stdout
///
/// Where the databases know the position, the engine plays perfectly; otherwise it searches within
/// the given time. The protocol's command 'uci' lists the options, among them MillbasePath (the
/// folder or bundle of databases), Rules, Hash, Threads, MultiPV, SkillLevel and Seed. 'quit' ends it.
#[derive(Args)]
#[command(after_help = "\
Example:
  printf 'position startpos moves d6 f4\\ngo movetime 500\\n' | millbase uci")]
pub struct Uci {}

/// The most bytes of a line.
const LONGEST_LINE: u64 = 1 << 20;

impl Uci {
    /// Answers the protocol until `quit` or the end of the input.
    pub fn run(&self, options: &Options) -> Result<Status> {
        options.refuse_json("'millbase probe --json -' has one for streams of positions")?;
        let database = databases::open(options)?;
        let folder = databases::base_folder(options).filter(|folder| folder.exists());
        let path = folder.map_or(String::new(), |folder| folder.display().to_string());
        let mut input = LineBatches::new(io::stdin(), LONGEST_LINE);
        let lines = iter::from_fn(move || input.line().ok().flatten());
        let too_long = |_| format!("the line is longer than {LONGEST_LINE} bytes and was ignored");
        uci::run(
            lines.map(move |line| line.map_err(too_long)),
            Cleaned(io::stdout()),
            Arc::new(database),
            path,
            options.threads(),
            advice::sentence,
            protocol_game,
        )?;
        Ok(Status::Done)
    }
}
