//! The C library `millbase`: conversions around the library, no logic of its own. Functions return a
//! [`Status`]; [`millbase_last_message`](border::millbase_last_message) has the sentence. No panic crosses the border.
//!
//! - `border`: statuses, sentences, and all that reads or writes at a pointer
//! - `types`: the types that cross the border
//! - `open`: opens and closes databases
//! - `positions`: positions, turns, values and lines
//! - `bulk`: the values of many positions
//! - `choose`: the turns of players
//! - `engine`: the engine protocol as functions
//! - `games`: games that are read from a text

mod border;
mod bulk;
mod choose;
mod engine;
mod games;
mod open;
mod positions;
mod types;

pub use border::Status;
pub use types::*;
