//! The engine protocol: lines in, lines out, as frontends of mill programs speak it.
//!
//! A search runs on a thread of its own while lines are read. `stop`, `isready` and `quit` are
//! obeyed at once. What needs the search to be over waits for it; a search that would go on until
//! `stop` is stopped by such a command too.
//!
//! A turn that closes a mill is told in two actions: `bestmove d6-d5` first, then, when the frontend
//! has set the position after it and asks again, `bestmove xb4`. The engine remembers the turn that
//! it chose, so that the two belong together.
//!
//! - `command`: the lines that come in
//! - `options`: what can be set
//! - `info`: what is said of the thoughts
//! - `session`: the state between the lines, and the search thread

mod command;
mod info;
mod options;
mod session;

pub use command::{Command, CommandError, Go, Setup};
pub use options::Settings;
pub use session::run;
