//! Starts processes for tests: the program, and programs of the system that some tests need.

use std::fmt::Display;
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;

use serde_json::Value as Json;
use tempfile::TempDir;

/// The program under test.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_millbase");

/// A folder of the tests without databases.
pub fn empty_home() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

/// The program in a folder that is its home: it finds the built-in databases and no others.
pub fn program(home: &Path, args: &[&str]) -> Command {
    at_home(home, Command::new(PROGRAM), args)
}

/// The program on a disk that is full: it can make files, but not write into them.
#[cfg(unix)]
pub fn on_full_disk(home: &Path, args: &[&str]) -> Command {
    let mut shell = Command::new("sh");
    shell.args([
        "-c",
        "trap '' XFSZ; ulimit -f 0; exec \"$@\"",
        "sh",
        PROGRAM,
    ]);
    at_home(home, shell, args)
}

fn at_home(home: &Path, mut command: Command, args: &[&str]) -> Command {
    command.args(args).current_dir(home).env("HOME", home);
    for variable in ["MILLBASE_DB", "NO_COLOR", "XDG_DATA_HOME"] {
        command.env_remove(variable);
    }
    command
}

/// An empty folder to run the program in: it finds the built-in databases and no others.
pub struct Place(pub TempDir);

impl Place {
    pub fn new() -> Place {
        Place(TempDir::new().unwrap())
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn command(&self, args: &[&str]) -> Command {
        program(self.path(), args)
    }

    pub fn run(&self, args: &[&str]) -> Run {
        run(&mut self.command(args))
    }

    /// Checks that the program fails with these arguments, which have spaces between them.
    pub fn fails(&self, args: &str, status: i32, words: &str) {
        self.run(&split(args)).fails_with(status, words);
    }

    /// The program with pipes that the test holds.
    pub fn spawn(&self, args: &[&str]) -> Child {
        let mut command = self.command(args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        command.stderr(Stdio::piped()).spawn().unwrap()
    }

    pub fn run_with(&self, args: &[&str], input: impl Into<Vec<u8>>) -> Run {
        run_with(&mut self.command(args), input)
    }
}

/// A process that ends with the test.
pub struct Guard(pub Child);

impl Drop for Guard {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Sends a signal by its name.
#[cfg(unix)]
pub fn signal(process: &Child, name: &str) {
    let mut kill = Command::new("kill");
    kill.args(["-s", name, &process.id().to_string()]);
    assert!(kill.status().unwrap().success());
}

/// A process that has ended.
pub struct Run {
    /// The exit status, -1 after a signal.
    pub status: i32,
    pub out: String,
    pub err: String,
}

impl From<Output> for Run {
    fn from(output: Output) -> Run {
        Run {
            status: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Run {
    /// Checks that the program failed properly: one sentence on stderr; on stdout nothing, or the
    /// same sentence as JSON.
    pub fn fails_with(&self, status: i32, words: &str) {
        assert_eq!(self.status, status, "{}{}", self.out, self.err);
        if !self.out.is_empty() {
            let codes = ["done", "no", "invalid", "missing", "corrupt", "system"];
            let message = self.err.trim_start_matches("error: ").trim_end();
            let object = self.object();
            assert_eq!(object["error"]["code"], codes[status as usize]);
            assert_eq!(object["error"]["message"], message);
        }
        assert!(self.err.starts_with("error: "), "{}", self.err);
        assert_eq!(self.err.lines().count(), 1, "{}", self.err);
        shows(&self.err, words);
    }

    /// The only JSON object on stdout of a process that succeeded.
    pub fn json(&self) -> Json {
        assert_eq!(self.status, 0, "{}", self.err);
        self.object()
    }

    /// The only JSON object on stdout, whatever the exit status.
    pub fn object(&self) -> Json {
        assert_eq!(self.out.lines().count(), 1, "{}{}", self.out, self.err);
        let json: Json = serde_json::from_str(&self.out).unwrap();
        assert_eq!(json["version"], 1);
        json
    }

    /// The lines on stdout of a process that succeeded and wrote nothing on stderr.
    pub fn lines(&self) -> Vec<&str> {
        assert_eq!((self.status, self.err.as_str()), (0, ""), "{}", self.out);
        self.out.lines().collect()
    }
}

/// Runs the program to its end in an empty folder.
pub fn run_alone(args: &[&str]) -> Run {
    Place::new().run(args)
}

/// Runs a process to its end without input.
pub fn run(command: &mut Command) -> Run {
    run_with(command, "")
}

/// Runs a process to its end with this input, of which it may leave a part.
pub fn run_with(command: &mut Command, input: impl Into<Vec<u8>>) -> Run {
    let input = input.into();
    command.stdin(Stdio::piped());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // The answers must not wait for the end of the input.
    let writer = thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().unwrap();
    match writer.join().unwrap() {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => panic!("{error}"),
        _ => {}
    }
    output.into()
}

/// The JSON objects of a text with one in each line.
pub fn objects(text: &str) -> Vec<Json> {
    let objects = text.lines().map(|line| serde_json::from_str(line).unwrap());
    objects.collect()
}

/// The arguments in a text that has spaces between them.
pub fn split(args: &str) -> Vec<&str> {
    args.split(' ').collect()
}

/// Checks that a text has these words.
#[track_caller]
pub fn shows(text: &str, words: &str) {
    assert!(text.contains(words), "'{words}' in: {text}");
}

/// Checks fields of a JSON object: `has!(answer, {"wdl": "win", "dtw": 1})`.
macro_rules! has {
    ($object:expr, $fields:tt) => {
        for (name, field) in serde_json::json!($fields).as_object().unwrap() {
            assert_eq!($object[name], *field, "{name} in {}", $object);
        }
    };
}
pub(crate) use has;

/// The elements of a JSON list.
pub fn items(json: &Json) -> &[Json] {
    json.as_array().unwrap()
}

/// A field that is a text of each object of a list.
pub fn column<'a>(list: &'a Json, field: &str) -> Vec<&'a str> {
    items(list).iter().map(|row| text(&row[field])).collect()
}

/// A JSON string.
pub fn text(json: &Json) -> &str {
    json.as_str().unwrap()
}

/// Python, or `None` with a message if it is missing.
pub fn python() -> Option<Command> {
    let version = Command::new("python3").arg("--version").output();
    match version {
        Ok(output) if output.status.success() => Some(Command::new("python3")),
        _ => {
            skip("python3 is missing");
            None
        }
    }
}

/// Prints that a test is skipped, and why. Fails if `CI` is set.
pub fn skip(why: impl Display) {
    let test = thread::current();
    let line = format!("skipped {}: {why}\n", test.name().unwrap_or("a test"));
    let strict = std::env::var_os("CI").is_some_and(|value| !value.is_empty());
    assert!(!strict, "{line}where CI is set, all tests must run");
    // The harness holds back what macros print.
    std::io::stderr().write_all(line.as_bytes()).unwrap();
}
