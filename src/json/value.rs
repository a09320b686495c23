//! Values and ranked turns.

use std::fmt::{self, Display};

use serde::{Serialize, Serializer};

use crate::probe::RankedTurn;
use crate::rules::Rules;
use crate::rules::position::{Letters, Position};
use crate::rules::turns::Turn;
use crate::value::Value;

/// A value as the fields `wdl` and `dtw`, the depth in turns.
#[derive(Serialize)]
pub struct JsonValue {
    wdl: &'static str,
    dtw: Option<u16>,
}

impl Display for JsonValue {
    /// As a [`Value`] is written.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.dtw {
            Some(dtw) => write!(f, "{} in {dtw}", self.wdl),
            None => f.write_str(self.wdl),
        }
    }
}

impl From<Value> for JsonValue {
    fn from(value: Value) -> JsonValue {
        JsonValue {
            wdl: value.wdl().name(),
            dtw: value.dtw().map(|dtw| dtw.0),
        }
    }
}

/// A ranked turn, with the value for the side that makes it.
#[derive(Serialize)]
pub struct JsonTurn {
    #[serde(serialize_with = "as_text")]
    turn: Turn,
    wdl: &'static str,
    dtw: Option<u16>,
    #[serde(serialize_with = "as_letters")]
    position: Letters,
}

impl JsonTurn {
    /// A turn of a game with these rules.
    pub fn new(ranked: &RankedTurn, rules: &Rules) -> JsonTurn {
        let JsonValue { wdl, dtw } = ranked.value.into();
        JsonTurn {
            turn: ranked.turn,
            wdl,
            dtw,
            position: ranked.after.letters(rules),
        }
    }
}

/// A legal turn with the position after it.
#[derive(Serialize)]
pub struct JsonLegal {
    turn: String,
    position: String,
}

impl JsonLegal {
    /// A turn and the position after it.
    pub fn new(turn: Turn, after: Position, rules: &Rules) -> JsonLegal {
        JsonLegal {
            turn: turn.to_string(),
            position: after.text(rules),
        }
    }

    /// The legal turns of a position in the order of their texts.
    pub fn all(position: &Position, rules: &Rules) -> Vec<JsonLegal> {
        let turns = position.turns(rules).into_iter();
        turns
            .map(|turn| JsonLegal::new(turn, position.after(turn), rules))
            .collect()
    }
}

/// The fields that describe a position.
#[derive(Serialize)]
pub struct JsonPosition {
    #[serde(serialize_with = "as_letters")]
    position: Letters,
    side_to_move: &'static str,
    phase: &'static str,
}

impl JsonPosition {
    /// A position under these rules.
    pub fn new(position: &Position, rules: &Rules) -> JsonPosition {
        JsonPosition {
            position: position.letters(rules),
            side_to_move: position.side_to_move().name(),
            phase: position.phase(rules).name(),
        }
    }
}

// Streams have many turns, so their texts are written without allocating strings.

/// Serialises a value as its text.
///
/// # Errors
///
/// Those of the serialiser.
pub fn as_text<S: Serializer>(value: &impl Display, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

fn as_letters<S: Serializer>(letters: &Letters, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(letters.as_str())
}
