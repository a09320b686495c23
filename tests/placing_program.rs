//! Tests of the program in the placing phase and of the proof of the start position. The databases
//! that these need are not part of the program, so this file tests the errors that say so;
//! `tests/search.rs` tests the answers.
#![cfg(feature = "cli")]

use tempfile::TempDir;

use crate::process::{self, Run};

/// Black places the last stone.
const LAST: &str = "O*@@@O@O/*OO**@O*/**@OOO@* b p p 9 0 7 1 0 0 -1 -1 -1 -1 0 0 1";

/// Runs the program with only the built-in databases.
fn run(args: &[&str], input: &str) -> Run {
    let folder = TempDir::new().unwrap();
    process::run_with(&mut process::program(folder.path(), args), input)
}

#[test]
fn a_proof_names_all_databases_that_it_lacks() {
    let one = run(&["prove", "--pairs", "9-9,9-8,4-3"], "");
    assert_eq!((one.status, one.out.as_str()), (3, ""));
    assert_eq!(one.err.lines().count(), 1, "{}", one.err);
    for words in ["9-9", "9-8", "millbase build"] {
        assert!(one.err.contains(words), "{}", one.err);
    }
    assert!(!one.err.contains("4-3"), "{}", one.err);
    let all = run(&["prove"], "");
    assert_eq!(all.status, 3);
    for words in ["9-9", "7-3", "6-4"] {
        assert!(all.err.contains(words), "{}", all.err);
    }
}

#[test]
fn pairs_and_sizes_of_a_proof_are_checked() {
    for wrong in [
        ["--pairs", "9-9,10-3"],
        ["--pairs", "9"],
        ["--hash", "much"],
    ] {
        let run = run(&["prove", wrong[0], wrong[1]], "");
        assert_eq!(run.status, 2, "{}", run.err);
        assert_eq!(run.err.lines().count(), 1, "{}", run.err);
    }
    let help = run(&["prove", "--help"], "");
    assert_eq!(help.status, 0);
    assert!(help.out.contains("--pairs") && help.out.contains("9-9,9-8,8-8"));
}

#[test]
fn a_missing_database_behind_the_last_stone_is_named() {
    let run = run(&["probe", LAST], "");
    assert_eq!((run.status, run.out.as_str()), (3, ""));
    assert!(run.err.contains("millbase build --pair"), "{}", run.err);
    assert_eq!(run.err.lines().count(), 1, "{}", run.err);
}
