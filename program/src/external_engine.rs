//! Other engines as players: processes that speak the protocol of mill frontends.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use millbase::Turn;
use millbase::coach::contestant::Contestant;
use millbase::engine::game::{Game, shown};
use millbase::search::Limits;

/// The most bytes of a line. A longer line ends the process.
const LONGEST_LINE: u64 = 1 << 20;

/// The most unread lines; the engine blocks when it writes more.
const LINES_WAITING: usize = 1024;

/// The time that an engine has to end after `quit`.
const TIME_TO_QUIT: Duration = Duration::from_millis(500);

/// Another engine as a player. Its process starts with the first game, and again after a failure.
#[derive(Debug)]
pub struct ExternalEngine {
    command: Vec<String>,
    options: Vec<(String, String)>,
    limits: Limits,
    patience: Duration,
    process: Option<Process>,
}

impl ExternalEngine {
    /// An engine with its program and arguments, and the options to set. An answer later than
    /// `patience` after the time limit counts as missing.
    pub fn new(
        command: Vec<String>,
        options: Vec<(String, String)>,
        limits: Limits,
        patience: Duration,
    ) -> ExternalEngine {
        ExternalEngine {
            command,
            options,
            limits,
            patience,
            process: None,
        }
    }
}

impl Contestant for ExternalEngine {
    fn new_game(&mut self, seed: u64) -> Result<(), String> {
        let mut process = match self.process.take() {
            Some(process) => process,
            None => Process::start(&self.command, &self.options, self.patience)?,
        };
        process.new_game(seed)?;
        self.process = Some(process);
        Ok(())
    }

    fn turn(&mut self, game: &Game) -> Result<Turn, String> {
        let Some(mut process) = self.process.take() else {
            return Err("the engine was asked for a turn before the game began".to_owned());
        };
        let turn = process.turn(game, &self.limits)?;
        self.process = Some(process);
        Ok(turn)
    }
}

/// Checks that the system can start an engine's program. It ends again at once.
pub fn check_program(command: &[String]) -> Result<(), String> {
    let mut child = spawn(command)?;
    // It may have ended by itself.
    let _ = child.kill();
    let _ = child.wait();
    Ok(())
}

fn spawn(command: &[String]) -> Result<Child, String> {
    let [program, args @ ..] = command else {
        return Err("an engine needs a command".to_owned());
    };
    Command::new(program)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("cannot start '{}': {error}", shown(program)))
}

/// A running engine. Dropping it ends the process.
#[derive(Debug)]
struct Process {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
    has_seed: bool,
    patience: Duration,
}

impl Process {
    fn start(
        command: &[String],
        options: &[(String, String)],
        patience: Duration,
    ) -> Result<Process, String> {
        let mut child = spawn(command)?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(format!("'{}' has no pipes", command[0]));
        };
        let (sender, lines) = sync_channel(LINES_WAITING);
        thread::spawn(move || pass_lines(output, &sender));
        let mut process = Process {
            child,
            input,
            lines,
            has_seed: false,
            patience,
        };
        process.introduce()?;
        for (name, value) in options {
            process.say(&format!("setoption name {name} value {value}"))?;
        }
        process.wait_until_ready()?;
        Ok(process)
    }

    fn introduce(&mut self) -> Result<(), String> {
        self.say("uci")?;
        let deadline = Instant::now() + self.patience;
        loop {
            let line = self.line(deadline, "uciok")?;
            let lowered = line.to_ascii_lowercase();
            self.has_seed |= lowered.starts_with("option name seed type spin");
            if line == "uciok" {
                return Ok(());
            }
        }
    }

    /// Begins a new game. If the engine has an option `Seed`, this sets it.
    fn new_game(&mut self, seed: u64) -> Result<(), String> {
        if self.has_seed {
            self.say(&format!("setoption name Seed value {}", seed % (1 << 31)))?;
        }
        self.say("ucinewgame")?;
        self.wait_until_ready()
    }

    fn wait_until_ready(&mut self) -> Result<(), String> {
        self.say("isready")?;
        let deadline = Instant::now() + self.patience;
        while self.line(deadline, "readyok")? != "readyok" {}
        Ok(())
    }

    /// Asks for a complete turn, with the removals that it earns.
    fn turn(&mut self, game: &Game, limits: &Limits) -> Result<Turn, String> {
        let mut after = game.clone();
        let side = game.position().side_to_move();
        loop {
            let action = self.action(&after, limits)?;
            after.play(&action).map_err(|error| {
                let action = shown(&action);
                format!("the engine answered 'bestmove {action}': {error}")
            })?;
            let is_owed = after.position().removal_owed();
            if !is_owed || after.position().side_to_move() != side {
                break;
            }
        }
        Ok(after.turns().pop().unwrap_or(Turn::PASS))
    }

    fn action(&mut self, game: &Game, limits: &Limits) -> Result<String, String> {
        self.say(&game.text())?;
        self.say(&go(limits))?;
        let deadline = Instant::now() + limits.time.unwrap_or_default() + self.patience;
        loop {
            let line = self.line(deadline, "bestmove")?;
            if let Some(rest) = line.strip_prefix("bestmove") {
                let action = rest.split_whitespace().next().unwrap_or_default();
                return Ok(action.to_ascii_lowercase());
            }
        }
    }

    fn say(&mut self, line: &str) -> Result<(), String> {
        let said = self.input.write_all(format!("{line}\n").as_bytes());
        let said = said.and_then(|()| self.input.flush());
        said.map_err(|error| format!("the engine does not read '{}': {error}", shown(line)))
    }

    fn line(&mut self, deadline: Instant, awaited: &str) -> Result<String, String> {
        let left = deadline.saturating_duration_since(Instant::now());
        self.lines.recv_timeout(left).map_err(|error| match error {
            RecvTimeoutError::Timeout => format!("the engine did not answer '{awaited}' in time"),
            RecvTimeoutError::Disconnected => {
                format!("the engine ended before it answered '{awaited}'")
            }
        })
    }
}

/// Sends the lines of an engine's output until it ends or nobody receives them.
fn pass_lines(output: ChildStdout, sender: &SyncSender<String>) {
    let mut output = BufReader::new(output);
    loop {
        let mut line = Vec::new();
        let mut bounded = output.by_ref().take(LONGEST_LINE);
        let length = bounded.read_until(b'\n', &mut line).unwrap_or(0) as u64;
        let text = String::from_utf8_lossy(&line).trim().to_owned();
        if length == 0 || length == LONGEST_LINE || sender.send(text).is_err() {
            return;
        }
    }
}

/// The line that asks for a turn within limits.
fn go(limits: &Limits) -> String {
    let mut line = "go".to_owned();
    if let Some(depth) = limits.depth {
        line += &format!(" depth {depth}");
    }
    if let Some(nodes) = limits.nodes {
        line += &format!(" nodes {nodes}");
    }
    if let Some(time) = limits.time {
        line += &format!(" movetime {}", time.as_millis());
    }
    line
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.say("quit");
        let deadline = Instant::now() + TIME_TO_QUIT;
        while Instant::now() < deadline {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            thread::sleep(Duration::from_millis(2));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_that_are_no_engines_give_an_error() {
        for (program, words) in [
            ("/nonexistent/engine", "cannot start '/nonexistent/engine'"),
            ("true", "the engine "),
            ("cat", "did not answer 'uciok' in time"),
        ] {
            let command = vec![program.to_owned()];
            let patience = Duration::from_millis(300);
            let mut engine = ExternalEngine::new(command, Vec::new(), Limits::default(), patience);
            let error = engine.new_game(1).unwrap_err();
            assert!(
                error.starts_with(words) || error.ends_with(words),
                "{error}"
            );
        }
    }
}
