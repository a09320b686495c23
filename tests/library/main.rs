//! The tests of the library. They are one program, so that the library and shared code are compiled
//! and linked once. `cargo test -p millbase --test library rules` runs those of one module.

#[path = "../common/mod.rs"]
mod common;
#[path = "../plain/mod.rs"]
mod plain;

mod coach;
mod count;
mod games;
mod index;
mod layers;
mod malom;
mod placing;
mod players;
mod probes;
mod quiet_turns;
mod records;
mod rules;
mod search;
mod sectors;
mod sources;
mod values;

/// Cargo does not look for test files here, so a file without its line above would not run.
#[test]
fn every_file_is_a_module() {
    common::check_modules("library", include_str!("main.rs"));
}
