//! Checks what the parts of the workspace may know: each layer of the library uses only those above it in the
//! list of the crate documentation, the library knows nothing of programs, and the page nothing of Rust.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::root;

/// The layers in the order of the list.
fn layers() -> Vec<&'static str> {
    let documentation = include_str!("../../src/lib.rs");
    let picture = documentation
        .split("```")
        .find(|part| part.starts_with("text\n"));
    let lines = picture.expect("a picture").lines().skip(1);
    let names = lines.filter_map(|line| line.trim_start_matches("//! ").split_whitespace().next());
    names.filter(|name| *name != "//!").collect()
}

/// The Rust files of a folder of the workspace.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() && !path.ends_with("target") && !path.ends_with("node_modules") {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The paths below these folders and the lines of code of their files.
fn sources(folders: &[&str]) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for folder in folders {
        files(&root().join(folder), &mut found);
    }
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("a text");
        let code = text.lines();
        let code = code.filter(|line| !line.trim_start().starts_with("//"));
        let code: Vec<&str> = code.collect();
        let below = path.strip_prefix(root()).expect("below the root");
        (below.to_owned(), code.join("\n"))
    };
    found.into_iter().map(read).collect()
}

/// The files of the library without their unit tests, which may use everything.
fn library() -> Vec<(PathBuf, String)> {
    let is_test = |path: &Path| {
        let mut names = path.iter();
        names.any(|name| name.to_string_lossy().starts_with("tests"))
    };
    let mut sources = sources(&["src"]);
    sources.retain(|(path, _)| !is_test(path));
    for (_, code) in &mut sources {
        code.truncate(code.find("mod tests {").unwrap_or(code.len()));
    }
    sources
}

#[test]
fn every_layer_uses_only_those_above_it() {
    let layers = layers();
    assert_eq!(
        (layers.first(), layers.last()),
        (Some(&"board"), Some(&"service"))
    );
    let mut uses = 0;
    for (path, code) in library() {
        let layer = path.iter().nth(1).and_then(|name| name.to_str());
        let layer = layer.expect("a name").trim_end_matches(".rs");
        if layer == "lib" {
            continue;
        }
        let own = layers.iter().position(|other| *other == layer);
        let own = own.unwrap_or_else(|| panic!("{layer} is not in the picture of src/lib.rs"));
        for line in code.lines() {
            for used in line.split("crate::").skip(1) {
                let end = used.find(|letter: char| !letter.is_ascii_lowercase());
                let used = &used[..end.unwrap_or(used.len())];
                let place = layers.iter().position(|other| *other == used);
                assert!(
                    place.is_some_and(|place| place <= own),
                    "{}: {line}",
                    path.display()
                );
                uses += 1;
            }
        }
    }
    assert!(uses > 100);
}

#[test]
fn the_library_knows_nothing_of_programs() {
    const PACKAGES: [&str; 6] = ["clap", "axum", "tokio", "fuser", "anyhow", "rustix"];
    const SYSTEM: [&str; 6] = [
        "std::process",
        "IsTerminal",
        "stdout",
        "stderr",
        "println!",
        "env::args",
    ];
    for (path, code) in library() {
        for line in code.lines() {
            let uses = |word: &&str| {
                let mut parts = line.split(|letter: char| !letter.is_ascii_alphanumeric());
                parts.any(|part| part == *word) && line.contains("::")
            };
            assert!(!PACKAGES.iter().any(uses), "{}: {line}", path.display());
            // The reader of settings is a part of the feature `service`.
            let may_read_settings = path.starts_with("src/service");
            assert!(
                may_read_settings || !uses(&"toml"),
                "{}: {line}",
                path.display()
            );
            let uses = |word: &&str| line.contains(*word);
            assert!(!SYSTEM.iter().any(uses), "{}: {line}", path.display());
        }
    }
}

/// Which command helps is the program's to say.
#[test]
fn no_text_of_the_library_names_a_command() {
    let program = fs::read_to_string(root().join("program/src/cli.rs")).expect("the commands");
    let commands = program.split("enum Command {").nth(1).expect("a list");
    let commands = commands.split('}').next().expect("its end").lines();
    let names = commands.filter_map(|line| line.trim().split_once('('));
    let names: Vec<String> = names
        .filter(|(name, _)| name.chars().all(char::is_alphanumeric))
        .map(|(name, _)| format!("millbase {}", name.to_lowercase()))
        .collect();
    assert!(names.contains(&"millbase build".to_owned()) && names.len() > 15);
    for (path, code) in library() {
        for line in code.lines() {
            let advises = names.iter().any(|name| line.contains(name))
                || line.contains(" --")
                || line.contains("the program millbase");
            assert!(!advises, "{}: {line}", path.display());
        }
    }
}

#[test]
fn the_page_knows_no_rust() {
    let manifest = fs::read_to_string(root().join("page/Cargo.toml")).expect("a manifest");
    let dependencies = manifest.split("[dependencies]").nth(1).expect("a list");
    assert!(!dependencies.contains("millbase"), "{dependencies}");
    let files = sources(&["page"]);
    assert_eq!(
        files.len(),
        2,
        "the list of the page's files, and what joins its modules"
    );
    for (path, code) in files {
        assert!(!code.contains("millbase"), "{}", path.display());
    }
}

/// Programs and bindings use the library as others do: they take in none of its files.
#[test]
fn nothing_outside_takes_in_files_of_the_library() {
    for (path, code) in sources(&["program", "bindings", "page", "benches"]) {
        let mut lines = code.lines();
        let taken = lines.find(|line| {
            let takes = line.contains("#[path") || line.contains("include");
            takes && line.contains("/src/")
        });
        assert_eq!(taken, None, "{}", path.display());
    }
}

/// A file that is compiled as a whole or not at all is easier to read than one with many conditions.
#[test]
fn features_are_chosen_in_few_places() {
    let folders = ["src", "program", "page", "bindings", "benches", "fuzz"];
    let count = |(_, code): &(PathBuf, String)| code.matches("cfg(feature").count();
    let count: usize = sources(&folders).iter().map(count).sum();
    assert!(count <= 25, "{count}");
}

/// The walks of CONTRIBUTING.md: each has at most fifteen steps, and each name stands in its file.
#[test]
fn the_walks_lead_through_what_is_there() {
    let page = include_str!("../../CONTRIBUTING.md");
    let walks = page.split("\n## Four walks\n").nth(1).expect("the walks");
    let walks = walks.split("\n## ").next().expect("their end");
    let starts = walks.lines().filter(|line| line.starts_with("1. ")).count();
    assert_eq!(starts, 4);
    assert!(!walks.contains("\n16. "), "a walk has more than 15 steps");
    let (mut text, mut names) = (String::new(), 0);
    // Every second part is in code marks: a file, or a name in the file before it.
    for code in walks.split('`').skip(1).step_by(2) {
        if code.ends_with(".rs") || code.ends_with(".js") {
            text = fs::read_to_string(root().join(code)).unwrap_or_else(|_| panic!("no {code}"));
        } else if code
            .chars()
            .all(|letter| letter.is_alphanumeric() || "_:".contains(letter))
        {
            let (kind, code) = code.rsplit_once("::").unwrap_or(("", code));
            assert!(text.contains(kind), "no {kind}");
            let found = [
                format!("fn {code}"),
                format!("{code}("),
                format!("{code} ="),
            ];
            let is_known = found.iter().any(|form| text.contains(form));
            assert!(
                is_known || code == "info" || code == "go" || code == "bestmove",
                "no {code}"
            );
            names += 1;
        }
    }
    assert!(names > 50);
}
