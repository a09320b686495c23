//! Games and positions that were read from a text.

use schemars::JsonSchema;
use serde::Serialize;

use super::words::Fen;
use crate::notation::{GameResult, Line, Record, RecordReader, Remark};
use crate::rules::Rules;

/// The most games of an answer to a question.
pub const MOST_GAMES: usize = 200;

/// A game that was read from a text.
#[derive(Serialize, JsonSchema)]
pub struct RecordAnswer {
    /// The name of its rules; `None` for rules without a name.
    rules: Option<&'static str>,
    tags: Vec<Tag>,
    /// The first position.
    start: Fen,
    /// The position after the line.
    position: Fen,
    line: Line,
    result: Option<GameResult>,
    remarks: Vec<Remark>,
}

/// A tag of a game.
#[derive(Serialize, JsonSchema)]
struct Tag {
    name: String,
    value: String,
}

impl From<Record> for RecordAnswer {
    fn from(mut record: Record) -> RecordAnswer {
        if record.game.position().removal_owed() {
            // The line has whole turns.
            record.game.undo();
        }
        let tags = record.tags.into_iter();
        RecordAnswer {
            rules: record.game.rules().name(),
            tags: tags.map(|(name, value)| Tag { name, value }).collect(),
            start: Fen::start_of(&record.game),
            position: Fen::of(&record.game),
            line: record.line,
            result: record.result,
            remarks: record.remarks,
        }
    }
}

/// The games of a text.
#[derive(Serialize, JsonSchema)]
pub struct ReadAnswer {
    games: Vec<RecordAnswer>,
    /// The number of games after these.
    left_out: usize,
}

impl ReadAnswer {
    /// Reads at most this number of games of a text; `rules` are those of games that name none.
    pub fn read(text: &str, rules: &Rules, most: usize) -> ReadAnswer {
        // Reading from memory cannot fail.
        let mut records = RecordReader::new(*rules, text.as_bytes()).flatten();
        let games = records.by_ref().take(most);
        ReadAnswer {
            games: games.map(RecordAnswer::from).collect(),
            left_out: records.count(),
        }
    }
}
