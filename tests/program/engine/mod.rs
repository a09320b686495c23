//! The engine process with its pipes.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::process;

/// The longest time to wait for an answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running engine.
pub struct Engine {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
}

fn command(args: &[&str]) -> Command {
    let mut command = process::program(process::empty_home(), &["uci"]);
    command.args(args).env("HOME", "/nonexistent");
    command
}

/// All output of an engine for this input.
pub fn session(args: &[&str], input: &str) -> Vec<String> {
    let run = process::run_with(&mut command(args), input);
    run.lines().into_iter().map(str::to_string).collect()
}

impl Engine {
    pub fn start(args: &[&str]) -> Engine {
        let mut command = command(args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in output.lines() {
                if sender.send(line.unwrap()).is_err() {
                    return;
                }
            }
        });
        Engine {
            child,
            input,
            lines,
        }
    }

    pub fn say(&mut self, line: &str) {
        self.say_bytes(format!("{line}\n").as_bytes());
    }

    pub fn say_bytes(&mut self, bytes: &[u8]) {
        self.input.write_all(bytes).unwrap();
    }

    /// The lines up to the first that begins with this text.
    pub fn expect(&mut self, beginning: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let line = self.lines.recv_timeout(PATIENCE);
            let line = line.unwrap_or_else(|_| panic!("'{beginning}' behind {lines:?}"));
            let is_last = line.starts_with(beginning);
            lines.push(line);
            if is_last {
                return lines;
            }
        }
    }

    /// Sends a line, and reads up to the first answer that begins with this text.
    pub fn ask(&mut self, line: &str, beginning: &str) -> Vec<String> {
        self.say(line);
        self.expect(beginning)
    }

    /// Reads lines for a while, none of which may begin with this text.
    pub fn stays_silent(&mut self, beginning: &str, time: Duration) {
        let end = Instant::now() + time;
        loop {
            match self
                .lines
                .recv_timeout(end.saturating_duration_since(Instant::now()))
            {
                Ok(line) => assert!(!line.starts_with(beginning), "{line}"),
                Err(RecvTimeoutError::Timeout) => return,
                Err(RecvTimeoutError::Disconnected) => panic!("the engine has ended"),
            }
        }
    }

    /// The memory that the engine uses, in kB.
    #[cfg(target_os = "linux")]
    pub fn memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:"));
        let number = line.and_then(|line| line.split_whitespace().nth(1));
        number.expect("a number").parse().unwrap()
    }

    /// Ends the engine, which must not have written to stderr.
    pub fn quit(mut self) {
        self.say("quit");
        drop(self.input);
        let output = self.child.wait_with_output().unwrap();
        assert!(output.status.success());
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    }
}
