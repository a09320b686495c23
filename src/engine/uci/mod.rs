//! The line-based engine protocol of mill frontends.
//!
//! A search runs on a separate thread while the engine reads lines. It obeys `stop`, `isready` and
//! `quit` immediately. Commands that need the search to be over wait for it; such a command also
//! stops an infinite search.
//!
//! The engine reports a turn that closes a mill as two actions: `bestmove d6-d5` first, then
//! `bestmove xb4` when the frontend has set the position after it and sends `go` again. The engine
//! remembers the turn that it chose, so that the two actions belong together.
//!
//! - `command`: the commands
//! - `options`: the options
//! - `info`: the `info` lines
//! - `session`: the state between the lines, and the search thread

mod command;
mod info;
mod options;
mod session;

pub use session::run;
