//! Values and ranked turns.

use serde::{Serialize, Serializer};

use crate::probe::RankedTurn;
use crate::rules::Rules;
use crate::rules::position::{Letters, Position};
use crate::rules::turns::Turn;
use crate::value::{Dtw, Wdl};

/// A ranked turn, with the value for the side that makes it.
#[derive(Serialize)]
pub struct JsonTurn {
    turn: Turn,
    wdl: Wdl,
    dtw: Option<Dtw>,
    #[serde(serialize_with = "as_letters")]
    position: Letters,
}

impl JsonTurn {
    /// A turn of a game with these rules.
    pub fn new(ranked: &RankedTurn, rules: &Rules) -> JsonTurn {
        JsonTurn {
            turn: ranked.turn,
            wdl: ranked.value.wdl(),
            dtw: ranked.value.dtw(),
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

fn as_letters<S: Serializer>(letters: &Letters, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(letters.as_str())
}
