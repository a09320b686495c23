//! The tests of the program: its commands, the server, the page, and what runs them from outside.
//! `cargo test -p millbase-program --test program cli` runs those of one module.

#[path = "../common/mod.rs"]
mod common;
mod engine;
#[path = "../plain/mod.rs"]
mod plain;
mod process;
mod webdriver;

mod build;
mod c_header;
mod cli;
mod coach_program;
mod convert;
mod counts;
mod dataset;
mod folders;
mod format;
mod frontends;
mod json_schema;
mod malom_program;
mod page;
mod page_access;
mod page_board;
mod page_coach;
mod page_firefox;
#[cfg(unix)]
mod page_site;
mod page_words;
mod placing_program;
mod play;
mod probe;
mod repack;
mod rule_sets;
mod serve;
mod serve_build;
mod serve_clients;
mod stream;
mod tablebase;
mod uci;
mod visit;

/// Cargo does not look for test files here, so a file without its line above would not run.
#[test]
fn every_file_is_a_module() {
    common::check_modules("program", include_str!("main.rs"));
}
