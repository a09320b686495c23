//! `millbase completions` and `millbase man`, generated from the definitions of the command line.

use std::io::Write;

use anyhow::Result;
use clap::Args;
use clap_complete::Shell;

use crate::options::Options;
use crate::output;
use crate::status::{Failure, Status};

/// Print the completion script for a shell
#[derive(Args)]
#[command(after_help = "\
Example:
  millbase completions bash > ~/.local/share/bash-completion/completions/millbase")]
pub struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    /// Prints the shell's script for the program's command line.
    pub fn run(&self, options: &Options, mut program: clap::Command) -> Result<Status> {
        options.refuse_json("its output is a script")?;
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut program, "millbase", &mut script);
        output::answer(options, &(), |out| out.0.write_all(&script))
    }
}

/// Print the manual page of the program or of one command
#[derive(Args)]
#[command(after_help = "\
Examples:
  millbase man | man -l -
  millbase man probe > millbase-probe.1
  millbase man puzzles make | man -l -")]
pub struct Man {
    /// The command, such as 'probe' or 'puzzles make'; without it the page describes the program
    command: Vec<String>,
}

impl Man {
    /// Prints the page in the format of `man`, from the program's command line.
    pub fn run(&self, options: &Options, program: clap::Command) -> Result<Status> {
        options.refuse_json("its output is a manual page")?;
        let mut program = program.disable_help_subcommand(true);
        program.build();
        let command = self.command.iter().try_fold(&program, |command, name| {
            command.find_subcommand(name).ok_or_else(|| {
                Failure::question(format!(
                    "there is no command '{name}'; see 'millbase --help'"
                ))
            })
        })?;
        let command = command.clone().override_usage(synopsis(command));
        let mut page = Vec::new();
        let source = concat!("millbase ", env!("CARGO_PKG_VERSION"));
        // Without a date, `man` would show the source in its place.
        clap_mangen::Man::new(command)
            .date(" ")
            .source(source)
            .manual("Millbase")
            .render(&mut page)?;
        output::answer(options, &(), |out| out.0.write_all(&page))
    }
}

/// The usage of a command with its own options and their values; the global ones stand for themselves.
fn synopsis(command: &clap::Command) -> String {
    let mut options = Vec::new();
    let own = command.get_arguments();
    for option in own.filter(|option| option.get_help_heading().is_none()) {
        let (Some(name), false) = (option.get_long(), option.is_required_set()) else {
            continue;
        };
        let values = match option.get_action().takes_values() {
            true => option.get_value_names().unwrap_or_default().join(" "),
            false => String::new(),
        };
        options.push(format!("[{}]", format!("--{name} {values}").trim_end()));
    }
    options.push("[GLOBAL OPTIONS]".to_owned());
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ");
    usage.replacen("[OPTIONS]", &options.join(" "), 1)
}
