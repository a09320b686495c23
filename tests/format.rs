//! docs/FORMAT.md suffices to read the files: the reader that was written from it, in Python, finds
//! the values that the library finds. Where there is no Python, nothing is tested.
#![cfg(feature = "embedded")]

mod common;
mod plain;

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use common::Random;
use millbase::{Database, Position, Rules, Value};

const RULES: Rules = Rules::STANDARD;

/// The sides of the pairs in `db/`, White's first. Of the equal pair with four stones each, files
/// leave positions out.
const STONES: [(u32, u32); 10] = [
    (3, 3),
    (4, 4),
    (4, 4),
    (4, 3),
    (3, 4),
    (5, 3),
    (3, 5),
    (5, 4),
    (4, 5),
    (6, 3),
];

/// What the reader in Python prints for a value.
fn printed(value: Value) -> String {
    match value {
        Value::Draw => "draw".to_string(),
        Value::Win(depth) => format!("win {}", depth.0),
        Value::Loss(depth) => format!("loss {}", depth.0),
    }
}

/// What the reader prints for positions, `None` where there is no Python.
fn read(folder: &Path, positions: &[Position]) -> Option<Vec<String>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let spawned = Command::new("python3")
        .arg(root.join("tools/read_mill.py"))
        .arg(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut process) = spawned else {
        println!("skipped: there is no python3 here");
        return None;
    };
    let mut stdin = process.stdin.take().unwrap();
    let lines: String = positions
        .iter()
        .map(|position| position.text(&RULES) + "\n")
        .collect();
    // The answers must not wait for the last line.
    let writer = thread::spawn(move || stdin.write_all(lines.as_bytes()));
    let output = process.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    writer.join().unwrap().unwrap();
    assert!(output.status.success(), "{text}");
    Some(text.lines().map(str::to_string).collect())
}

#[test]
fn the_documentation_suffices_to_read_the_files() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("db");
    let database = Database::open(&folder, RULES).unwrap();
    let mut random = Random::new(12);
    let mut positions = Vec::new();
    while positions.len() < 1000 {
        let (white, black) = STONES[positions.len() % STONES.len()];
        let position = random.position(white, black);
        positions.push(match random.below(2) {
            0 => position,
            _ => position.with_colours_exchanged(),
        });
    }
    let Some(found) = read(&folder, &positions) else {
        return;
    };
    assert_eq!(found.len(), positions.len());
    for (position, found) in positions.iter().zip(&found) {
        let expected = printed(database.probe(position).unwrap());
        assert_eq!(*found, expected, "{}", position.text(&RULES));
    }
    // All kinds of answers were compared.
    for kind in ["win", "draw", "loss"] {
        assert!(found.iter().any(|answer| answer.starts_with(kind)));
    }
}
