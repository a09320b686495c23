//! The command line: the options that all commands share, the commands, and which code runs them.

use std::env;
use std::process::ExitCode;

use anyhow::Context;
use clap::error::ErrorKind;
use clap::{ArgMatches, CommandFactory, Parser, Subcommand};

use crate::options::Options;
use crate::status::Status;
use crate::{
    bench, build, bundle, completions, convert, dataset, explain, find, judge, line, list, malom,
    matches, output, perft, play, probe, prove, puzzles, records, repack, review, serve, stats,
    status, uci, verify,
};
use millbase::internals::service::failure::ErrorAnswer;

/// Perfect play for Nine Men's Morris.
///
/// Builds, checks and reads the databases that hold the value of every position: win, draw or loss
/// for the side to move, and the number of turns to the end. The databases of the standard
/// rules with at most nine stones are part of the program; `millbase build` makes the others, and
/// `millbase build --placing` those of the placing phase.
#[derive(Parser)]
#[command(
    name = "millbase",
    version,
    max_term_width = 100,
    arg_required_else_help = true,
    after_long_help = "A position is the text that mill programs exchange: the rings from the \
inner to the outer, each from its top point clockwise (O white, @ black, * empty); side to move; \
phase; action; the stones of White on the board and in hand; those of Black; the stones that White \
and Black still have to remove.

Exit status: 0 success; 1 a check found something wrong, or a proof failed; 2 wrong usage, a bad \
position, or an input file that cannot be read; 3 a needed database is missing; 4 a database is \
damaged, of other rules or of another version; 5 the system refused to read, to write or to give \
memory, or another build is at work in the folder; 130 stopped by Ctrl-C (serve and \
mount run until then and end with 0).

Examples:
  millbase probe '********/********/O@O*O@*@ w m s 3 0 3 0 0 0'
  millbase build --max-stones 12"
)]
pub struct Cli {
    #[command(flatten)]
    pub options: Options,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Build(build::Build),
    Verify(verify::Verify),
    Repack(repack::Repack),
    Bundle(bundle::BundleFiles),
    Probe(probe::Probe),
    Line(line::Line),
    Stats(stats::Stats),
    Records(records::Records),
    Find(find::Find),
    Dataset(dataset::Dataset),
    List(list::List),
    Prove(prove::Prove),
    Perft(perft::Perft),
    Serve(serve::Serve),
    Play(play::Play),
    Review(review::Review),
    Convert(convert::Convert),
    Explain(explain::Explain),
    Match(Box<matches::Match>),
    Judge(judge::Judge),
    #[command(subcommand)]
    Puzzles(puzzles::Puzzles),
    #[command(subcommand)]
    Export(malom::Export),
    #[command(subcommand)]
    Compare(malom::Compare),
    #[cfg(target_os = "linux")]
    Mount(malom::Mount),
    Uci(uci::Uci),
    Bench(bench::Bench),
    Completions(completions::Completions),
    Man(completions::Man),
}

/// Runs the command that the arguments name and reports its failure.
pub fn run() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    match cli.execute() {
        Ok(status) => status.into(),
        Err(error) => status::report(&error, cli.options.json),
    }
}

impl Cli {
    fn execute(&self) -> anyhow::Result<Status> {
        let options = &self.options;
        output::set_colours(options);
        if let Some(threads) = options.threads {
            rayon::ThreadPoolBuilder::new()
                .num_threads(threads.into())
                .build_global()
                .context("cannot start the threads; ask for fewer with --threads")?;
        }
        match &self.command {
            Command::Build(command) => command.run(options),
            Command::Verify(command) => command.run(options),
            Command::Repack(command) => command.run(options),
            Command::Bundle(command) => command.run(options),
            Command::Probe(command) => command.run(options),
            Command::Line(command) => command.run(options),
            Command::Stats(command) => command.run(options),
            Command::Records(command) => command.run(options),
            Command::Find(command) => command.run(options),
            Command::Dataset(command) => command.run(options),
            Command::List(command) => command.run(options),
            Command::Prove(command) => command.run(options),
            Command::Perft(command) => command.run(options),
            Command::Serve(command) => command.run(options),
            Command::Play(command) => command.run(options),
            Command::Review(command) => command.run(options),
            Command::Convert(command) => command.run(options),
            Command::Explain(command) => command.run(options),
            Command::Match(command) => command.run(options),
            Command::Judge(command) => command.run(options),
            Command::Puzzles(command) => command.run(options),
            Command::Export(malom::Export::Malom(command)) => command.run(options),
            Command::Compare(malom::Compare::Malom(command)) => command.run(options),
            #[cfg(target_os = "linux")]
            Command::Mount(command) => command.run(options),
            Command::Uci(command) => command.run(options),
            Command::Bench(command) => command.run(options),
            Command::Completions(command) => command.run(options, Cli::command()),
            Command::Man(command) => command.run(options, Cli::command()),
        }
    }
}

/// Writes a failure as JSON where the arguments ask for that.
fn write_json(sentence: &str) {
    if env::args_os().any(|argument| argument == "--json") {
        status::write_json(&ErrorAnswer::new(Status::Usage.code(), sentence));
    }
}

/// Prints the help that was asked for, or one sentence that says why the arguments are wrong.
fn usage(error: &clap::Error) -> ExitCode {
    let rendered = error.render();
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => match error.print() {
            Ok(()) => Status::Done.into(),
            Err(error) => status::report(&error.into(), false),
        },
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            output::to_stderr(&rendered.to_string());
            write_json(&format!(
                "a subcommand is missing; see '{} --help'",
                command()
            ));
            Status::Usage.into()
        }
        _ => {
            // The first paragraph says what is wrong; the others repeat the usage.
            let text = rendered.to_string();
            let first = text.split("\n\n").next().unwrap_or_default();
            let words: Vec<&str> = first.split_whitespace().collect();
            let (words, command) = (words.join(" "), command());
            let sentence = format!("{words}; see '{command} --help'");
            output::to_stderr(&format!("{sentence}\n"));
            write_json(sentence.trim_start_matches("error: "));
            Status::Usage.into()
        }
    }
}

/// `millbase`, followed by the commands that the arguments name, to point to the right help.
fn command() -> String {
    let matches = Cli::command().ignore_errors(true).try_get_matches();
    let mut matches = matches.as_ref().ok();
    let mut command = "millbase".to_owned();
    while let Some((name, inner)) = matches.and_then(ArgMatches::subcommand) {
        command += &format!(" {name}");
        matches = Some(inner);
    }
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_names_the_rules() {
        let help = Cli::command().render_long_help().to_string();
        let words: Vec<&str> = help.split_whitespace().collect();
        let names = millbase::internals::service::settings::names();
        assert!(words.join(" ").contains(&names), "{names}");
    }
}
