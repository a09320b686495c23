//! A question as people write it, and its typed answer: for the program's commands, its server, and the
//! page, whether a server or the WebAssembly module answers it. The answers serialise as JSON; docs/JSON.md
//! describes every field.
//!
//! | module | contents |
//! |---|---|
//! | [`question`] | the fields of a question, and the answer to it |
//! | [`value`] | values and ranked turns |
//! | [`probe`], [`mod@line`] | the value of a position with its turns, and a best line |
//! | [`game`] | a game with its ending, and a player's turn |
//! | [`study`] | the explorer's ranking, and random positions |
//! | [`rules`] | sets of rules |
//! | [`failure`] | the reasons why there is no answer |
//! | `words` | how values, turns and points appear in JSON |

pub mod failure;
pub mod game;
pub mod line;
pub mod probe;
pub mod question;
pub mod rules;
pub mod study;
pub mod value;
mod words;

use std::io::{self, Write};

use serde::Serialize;

/// The version of all JSON answers.
const VERSION: u32 = 1;

/// Writes an answer as one JSON object with its version, without a line break.
///
/// # Errors
///
/// Those of the writer.
pub fn write(out: &mut impl Write, answer: &impl Serialize) -> io::Result<()> {
    #[derive(Serialize)]
    struct Versioned<'a, T> {
        version: u32,
        #[serde(flatten)]
        answer: &'a T,
    }
    let version = VERSION;
    Ok(serde_json::to_writer(out, &Versioned { version, answer })?)
}
