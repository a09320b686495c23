//! The program `millbase`: perfect play for Nine Men's Morris on the command line.

mod advice;
mod bench;
mod build;
mod bundle;
mod cli;
mod completions;
mod convert;
mod databases;
mod dataset;
mod explain;
mod external_engine;
mod find;
mod findings;
mod input;
mod judge;
mod line;
mod list;
mod malom;
mod matches;
mod memory;
mod options;
mod output;
mod perft;
mod play;
mod players;
mod probe;
mod progress;
mod prove;
mod puzzles;
mod records;
mod repack;
mod report;
mod review;
#[cfg(test)]
mod schema;
mod serve;
mod signals;
mod stats;
mod status;
mod stream;
mod sums;
mod uci;
mod verify;

fn main() -> std::process::ExitCode {
    cli::run()
}
