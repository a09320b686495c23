//! The value of a position and its ranked turns, as `millbase --json probe` answers.

use serde::Serialize;

use super::value::{JsonPosition, JsonTurn};
use crate::probe::Answer;
use crate::rules::Rules;
use crate::rules::position::Position;
use crate::value::Value;

/// The fields of the answer.
#[derive(Serialize)]
pub struct ProbeAnswer {
    #[serde(flatten)]
    position: JsonPosition,
    #[serde(flatten)]
    value: Value,
    source: &'static str,
    /// `None` where none were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    turns: Option<Vec<JsonTurn>>,
}

impl ProbeAnswer {
    /// The answer for a position: its value and the first `most` turns, `None` for no list of turns.
    pub fn new(
        position: &Position,
        answer: &Answer,
        most: Option<usize>,
        rules: &Rules,
    ) -> ProbeAnswer {
        let turns = |most| {
            let turns = answer.turns.iter().take(most);
            turns.map(|ranked| JsonTurn::new(ranked, rules)).collect()
        };
        ProbeAnswer {
            position: JsonPosition::new(position, rules),
            value: answer.value,
            source: answer.source.name(),
            turns: most.map(turns),
        }
    }
}
