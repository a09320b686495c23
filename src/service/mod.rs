//! A question as people write it, and its typed answer: for the program's commands, its server, and the
//! page, whether a server or the WebAssembly module answers it. The answers serialise as JSON; docs/JSON.md
//! describes every field.
//!
//! | module | contents |
//! |---|---|
//! | [`question`] | the fields of a question, its topic, and the service that answers it |
//! | [`position`] | answers about a position: its value, its turns, a best line |
//! | [`game`] | answers about a game: its ending, a step of the page, a player's turn |
//! | [`record`] | games that were read from a text |
//! | [`stats`] | how many positions have which value |
//! | [`explain`], [`random`], [`rules`] | facts about turns; positions to practise with; sets of rules |
//! | [`settings`] | rules of a name, a file with settings or a mapping |
//! | [`failure`] | the reasons why there is no answer |
//! | [`words`] | how values, turns and positions appear in JSON and in its schema |

pub mod explain;
pub mod failure;
pub mod game;
pub mod position;
pub mod question;
pub mod random;
pub mod record;
pub mod rules;
pub mod settings;
pub mod stats;
pub mod words;

use std::io::{self, Write};

use serde::Serialize;

/// Writes an answer as one JSON object with its version and a line break.
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
    serde_json::to_writer(&mut *out, &Versioned { version: 1, answer })?;
    out.write_all(b"\n")
}

/// An answer as JSON text with its version and a line break.
pub fn json(answer: &impl Serialize) -> Vec<u8> {
    let mut text = Vec::with_capacity(4096);
    // Writing to memory cannot fail.
    let _ = write(&mut text, answer);
    text
}
