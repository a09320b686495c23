//! Other engines as players: processes that speak the protocol of mill frontends. An engine and the processes
//! that it starts end together.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{self, ChildStdin, ChildStdout, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, Weak};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Result;
use millbase::Turn;
use millbase::engine::Game;
use millbase::internals::coach::contestant::Contestant;
use millbase::internals::{locked, shown};
use millbase::search::Limits;
use process_wrap::std::{ChildWrapper, CommandWrap};

use crate::signals;
use crate::status::Status;

/// The most bytes of a line. A longer line ends the process.
const LONGEST_LINE: u64 = 1 << 20;

/// The most unread lines; the engine blocks when it writes more.
const LINES_WAITING: usize = 1024;

/// The time that an engine has to end after `quit`.
const TIME_TO_QUIT: Duration = Duration::from_millis(500);

/// Another engine as a player. Its process starts with the first game, and again after a failure.
#[derive(Debug)]
pub struct ExternalEngine {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// The options to set.
    pub options: Vec<(String, String)>,
    pub limits: Limits,
    /// An answer later than this after the time limit counts as missing.
    pub patience: Duration,
    /// `None` at first.
    pub process: Option<Process>,
}

impl Contestant for ExternalEngine {
    fn new_game(&mut self, seed: u64) -> Result<(), String> {
        let mut process = match self.process.take() {
            Some(process) => process,
            None => Process::start(self)?,
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

/// The processes of an engine: a process group, on Windows a job object.
type Processes = Mutex<Box<dyn ChildWrapper>>;
type Group = Arc<Processes>;

/// The engines that run.
static RUNNING: Mutex<Vec<Weak<Processes>>> = Mutex::new(Vec::new());

/// Ends the engines and the program when the user or the system asks for it: Ctrl-C reaches only the program's own
/// process group. Calls `report` first.
pub fn stop_on_signals(mut report: impl FnMut() + Send + 'static) -> Result<()> {
    signals::on_stop(move || {
        report();
        // Held to the end, so that no other engine starts.
        let running = locked(&RUNNING);
        for group in running.iter().filter_map(Weak::upgrade) {
            let _ = locked(&group).start_kill();
        }
        process::exit(Status::Stopped as i32);
    })
}

fn spawn(command: &[String]) -> Result<Group, String> {
    let [program, args @ ..] = command else {
        return Err("an engine needs a command".to_owned());
    };
    let mut group = CommandWrap::with_new(program, |command| {
        command.args(args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        command.stderr(Stdio::null());
    });
    #[cfg(unix)]
    group.wrap(process_wrap::std::ProcessGroup::leader());
    #[cfg(windows)]
    group.wrap(process_wrap::std::JobObject);
    let mut running = locked(&RUNNING);
    let spawned = group.spawn();
    let group = spawned.map_err(|error| format!("cannot start '{}': {error}", shown(program)))?;
    let group = Arc::new(Mutex::new(group));
    running.retain(|other| other.strong_count() > 0);
    running.push(Arc::downgrade(&group));
    Ok(group)
}

/// A running engine. Dropping it ends the process.
#[derive(Debug)]
pub struct Process {
    group: Group,
    input: ChildStdin,
    lines: Receiver<String>,
    has_seed: bool,
    patience: Duration,
}

impl Process {
    fn start(engine: &ExternalEngine) -> Result<Process, String> {
        let group = spawn(&engine.command)?;
        let pipes = {
            let mut group = locked(&group);
            (group.stdin().take(), group.stdout().take())
        };
        let (Some(input), Some(output)) = pipes else {
            return Err(format!("'{}' has no pipes", engine.command[0]));
        };
        let (sender, lines) = sync_channel(LINES_WAITING);
        thread::spawn(move || pass_lines(output, &sender));
        let mut process = Process {
            group,
            input,
            lines,
            has_seed: false,
            patience: engine.patience,
        };
        let known = process.introduce()?;
        for (name, value) in &engine.options {
            if !known.iter().any(|known| known.eq_ignore_ascii_case(name)) {
                let (name, known) = (shown(name), known.join(", "));
                return Err(format!(
                    "the engine has no option '{name}', only these: {known}"
                ));
            }
            process.say(&format!("setoption name {name} value {value}"))?;
        }
        process.wait_until_ready()?;
        Ok(process)
    }

    /// Begins the protocol, and returns the names of the engine's options.
    fn introduce(&mut self) -> Result<Vec<String>, String> {
        self.say("uci")?;
        let deadline = Instant::now() + self.patience;
        let mut known = Vec::new();
        loop {
            let line = self.line(deadline, "uciok")?;
            if line == "uciok" {
                return Ok(known);
            }
            let option = line.strip_prefix("option name ");
            if let Some((name, form)) = option.and_then(|option| option.split_once(" type ")) {
                self.has_seed |= name.eq_ignore_ascii_case("seed") && form.starts_with("spin");
                known.push(shown(name.trim()));
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
        while Instant::now() < deadline && matches!(locked(&self.group).try_wait(), Ok(None)) {
            thread::sleep(Duration::from_millis(2));
        }
        // Processes that the engine started may still run.
        let _ = locked(&self.group).kill();
    }
}
