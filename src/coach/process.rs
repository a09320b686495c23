//! An engine process that speaks the protocol of mill frontends.

use std::fmt;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::engine::game::{Game, shown};
use crate::rules::turns::Turn;
use crate::search::Limits;

/// The reason why an engine gave no turn: one sentence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EngineError(pub(crate) String);

impl fmt::Display for EngineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for EngineError {}

/// The most bytes of a line. A longer line ends the session.
const LONGEST_LINE: u64 = 1 << 20;

/// The most unread lines; the engine blocks when it writes more.
const LINES_WAITING: usize = 1024;

/// The time that an engine has to end after `quit`.
const TIME_TO_QUIT: Duration = Duration::from_millis(500);

/// A running engine. Dropping this ends it.
#[derive(Debug)]
pub struct Engine {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
    /// The name by which the engine introduces itself.
    name: Option<String>,
    has_seed: bool,
    patience: Duration,
}

/// Checks that the system can start an engine's program. It ends again at once.
///
/// # Errors
///
/// If it cannot, for example because there is no such program.
pub(crate) fn check_program(command: &[String]) -> Result<(), EngineError> {
    if let [program, args @ ..] = command {
        let mut child = spawn(program, args)?;
        // It may have ended by itself.
        let _ = child.kill();
        let _ = child.wait();
    }
    Ok(())
}

fn spawn(program: &str, args: &[String]) -> Result<Child, EngineError> {
    Command::new(program)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| EngineError(format!("cannot start '{}': {error}", shown(program))))
}

impl Engine {
    /// Starts a program with its arguments, and sets options. An answer later than `patience` after
    /// its time limit counts as missing.
    ///
    /// # Errors
    ///
    /// If the program does not start, or does not introduce itself.
    pub fn start(
        command: &[String],
        options: &[(String, String)],
        patience: Duration,
    ) -> Result<Engine, EngineError> {
        let [program, args @ ..] = command else {
            return Err(EngineError("an engine needs a command".to_owned()));
        };
        let mut child = spawn(program, args)?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(EngineError(format!("'{program}' has no pipes")));
        };
        let (sender, lines) = sync_channel(LINES_WAITING);
        // The thread ends with the engine's output, or when the receiver is dropped.
        thread::spawn(move || {
            let mut output = BufReader::new(output);
            let mut line = Vec::new();
            loop {
                line.clear();
                let read = output
                    .by_ref()
                    .take(LONGEST_LINE)
                    .read_until(b'\n', &mut line);
                if !read.is_ok_and(|length| length > 0 && (length as u64) < LONGEST_LINE) {
                    return;
                }
                let text = String::from_utf8_lossy(&line).trim().to_owned();
                if sender.send(text).is_err() {
                    return;
                }
            }
        });
        let mut engine = Engine {
            child,
            input,
            lines,
            name: None,
            has_seed: false,
            patience,
        };
        engine.introduce()?;
        for (name, value) in options {
            engine.say(&format!("setoption name {name} value {value}"))?;
        }
        engine.wait_until_ready()?;
        Ok(engine)
    }

    fn introduce(&mut self) -> Result<(), EngineError> {
        self.say("uci")?;
        let deadline = Instant::now() + self.patience;
        loop {
            let line = self.line(deadline, "uciok")?;
            if let Some(name) = line.strip_prefix("id name ") {
                self.name = Some(name.to_owned());
            }
            let lowered = line.to_ascii_lowercase();
            self.has_seed |= lowered.starts_with("option name seed type spin");
            if line == "uciok" {
                return Ok(());
            }
        }
    }

    /// The name by which the engine introduces itself.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Begins a new game. If the engine has an option `Seed`, this sets it.
    ///
    /// # Errors
    ///
    /// If the engine does not answer.
    pub fn new_game(&mut self, seed: u64) -> Result<(), EngineError> {
        if self.has_seed {
            self.say(&format!("setoption name Seed value {}", seed % (1 << 31)))?;
        }
        self.say("ucinewgame")?;
        self.wait_until_ready()
    }

    fn wait_until_ready(&mut self) -> Result<(), EngineError> {
        self.say("isready")?;
        let deadline = Instant::now() + self.patience;
        while self.line(deadline, "readyok")? != "readyok" {}
        Ok(())
    }

    /// Asks for a complete turn, with the removals that it earns.
    ///
    /// # Errors
    ///
    /// If the engine does not answer, or its answer is not legal.
    pub fn turn(&mut self, game: &Game, limits: &Limits) -> Result<Turn, EngineError> {
        let mut after = game.clone();
        let side = game.position().side_to_move();
        let made = game.actions().len();
        loop {
            let action = self.action(&after, limits)?;
            after.play(&action).map_err(|error| {
                EngineError(format!(
                    "the engine answered 'bestmove {}': {error}",
                    shown(&action)
                ))
            })?;
            let is_owed = after.position().removal_owed();
            if !is_owed || after.position().side_to_move() != side {
                break;
            }
        }
        let mut actions = after.actions()[made..].iter();
        let first = actions.next().copied().unwrap_or(Turn::PASS);
        Ok(actions.fold(first, |turn, action| {
            let removed = turn.removed() | action.removed();
            Turn::new(turn.from(), turn.to(), removed)
        }))
    }

    fn action(&mut self, game: &Game, limits: &Limits) -> Result<String, EngineError> {
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

    fn say(&mut self, line: &str) -> Result<(), EngineError> {
        let said = self.input.write_all(format!("{line}\n").as_bytes());
        let said = said.and_then(|()| self.input.flush());
        said.map_err(|error| {
            EngineError(format!(
                "the engine does not read '{}': {error}",
                shown(line)
            ))
        })
    }

    fn line(&mut self, deadline: Instant, waited_for: &str) -> Result<String, EngineError> {
        let left = deadline.saturating_duration_since(Instant::now());
        self.lines.recv_timeout(left).map_err(|error| {
            EngineError(match error {
                RecvTimeoutError::Timeout => {
                    format!("the engine did not answer '{waited_for}' in time")
                }
                RecvTimeoutError::Disconnected => {
                    format!("the engine ended before it answered '{waited_for}'")
                }
            })
        })
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

impl Drop for Engine {
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
