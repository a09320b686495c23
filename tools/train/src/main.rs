//! Makes the weights of the network that estimates positions: draws positions with their values from
//! databases, and learns from them.

// Sums over layers read best by the numbers of their inputs and outputs.
#![allow(clippy::needless_range_loop)]

mod descent;
mod exam;
mod learn;
mod sample;
mod wins;

use std::error::Error;

use clap::Parser;

/// Make the weights of the network that estimates positions
#[derive(Parser)]
enum Command {
    Exam(exam::Exam),
    Wins(wins::Wins),
    Sample(sample::Sample),
    Learn(learn::Learn),
}

fn main() -> Result<(), Box<dyn Error>> {
    match Command::parse() {
        Command::Wins(options) => wins::run(&options),
        Command::Exam(options) => exam::run(&options),
        Command::Sample(options) => sample::run(options),
        Command::Learn(options) => learn::run(&options),
    }
}
