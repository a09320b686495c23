//! The integration tests. They are one program, so that the library and shared code are compiled
//! and linked once. `cargo test --test all rules` runs those of one module.
//!
//! A module that needs a feature of the library says so in its first lines.

// Without the features, parts of the shared code are unused.
#![cfg_attr(not(feature = "cli"), allow(dead_code))]

mod common;
#[cfg(feature = "cli")]
mod engine;
mod plain;
#[cfg(feature = "cli")]
mod process;

mod build;
mod cli;
mod coach;
#[cfg(feature = "cli")]
mod coach_program;
mod format;
mod frontends;
mod index;
mod json_schema;
mod layers;
mod malom;
#[cfg(feature = "cli")]
mod malom_program;
mod page;
mod placing;
mod placing_program;
mod play;
mod players;
mod probes;
mod repack;
mod rules;
mod search;
mod serve;
mod sources;
mod uci;
mod values;
#[cfg(feature = "cli")]
mod webdriver;

/// Cargo does not look for test files here, so a file without its line above would not run.
#[test]
fn every_file_is_a_module() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests");
    for entry in std::fs::read_dir(folder).expect("the folder of the tests") {
        let name = entry.expect("a file of the folder").file_name();
        let name = name.to_str().expect("a name in ASCII");
        if let Some(module) = name.strip_suffix(".rs").filter(|&module| module != "main") {
            assert!(
                include_str!("main.rs").contains(&format!("\nmod {module};\n")),
                "tests/main.rs has no line 'mod {module};'"
            );
        }
    }
}
