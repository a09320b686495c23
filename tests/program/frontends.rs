//! Tests of the examples for authors of frontends: the page contains the files, and the files run.

use std::path::PathBuf;

use millbase::Rules;
use tempfile::TempDir;

use crate::common::root;
use crate::process::{self, Run};

/// The page for authors of frontends.
const PAGE: &str = include_str!("../../docs/FRONTENDS.md");

fn example(name: &str) -> PathBuf {
    root().join("examples").join(name)
}

/// Runs an example with the program and some input; `None` without Python.
fn run(name: &str, input: &str) -> Option<Run> {
    let folder = TempDir::new().unwrap();
    let mut python = process::python()?;
    python.arg(example(name)).arg(process::PROGRAM);
    python.current_dir(folder.path()).env("HOME", folder.path());
    let run = process::run_with(python.env_remove("MILLBASE_DB"), input);
    assert_eq!(run.status, 0, "{}", run.err);
    Some(run)
}

#[test]
fn the_page_shows_the_files() {
    for name in ["uci.py", "probe_stream.py"] {
        let text = std::fs::read_to_string(example(name)).unwrap();
        assert!(PAGE.contains(&format!("```python\n{text}```")), "{name}");
        assert!(PAGE.contains(&format!("(../examples/{name})")), "{name}");
    }
}

#[test]
fn the_page_writes_values_like_the_example_of_a_site() {
    // A draw has no depth.
    let value = r#"`${turn}: ${wdl}${dtw === null ? "" : ` in ${dtw}`}`"#;
    let site = include_str!("../../tools/site-files/example.html");
    assert!(site.contains(value) && PAGE.contains(value));
}

#[test]
fn a_site_takes_the_databases_of_all_rules() {
    let names = Rules::NAMED.map(|(name, _)| format!("\"{name}\""));
    let line = format!("RULES = [{}]\n", names.join(", "));
    assert!(include_str!("../../tools/site").contains(&line), "{line}");
}

#[test]
fn the_engine_is_played_with() {
    if let Some(output) = run("uci.py", "") {
        let text = output.out;
        let moves = text
            .lines()
            .filter(|line| line.starts_with("w ") || line.starts_with("b "));
        assert!(moves.count() >= 18, "{text}");
    }
}

#[test]
fn the_stream_is_asked() {
    let input = "***O**@*/*O@***@*/**@**O** w m s 3 0 4 0 0 0\nrubbish\n\
                 O@*****O/@@*****@/******** w o ? 2 0 4 0 0 0\n";
    if let Some(output) = run("probe_stream.py", input) {
        let text = output.out;
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "win in 21, best turn a1-e4, from the database");
        assert!(lines[1].starts_with("error: "));
        assert_eq!(lines[2..], ["loss in 0, best turn none, from the rules"]);
    }
}
