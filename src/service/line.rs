//! A best line, as `millbase --json line` answers.

use serde::Serialize;

use super::value::{JsonPosition, JsonTurn};
use crate::probe::{Answer, BestLine, LineEnd};
use crate::rules::Rules;
use crate::rules::position::Position;
use crate::value::Value;

/// A position with a best line.
#[derive(Serialize)]
pub struct LineAnswer {
    #[serde(flatten)]
    position: JsonPosition,
    #[serde(flatten)]
    value: Value,
    source: &'static str,
    line: Vec<JsonTurn>,
    end: &'static str,
    /// The number of turns after which the final position stood for the first time; `None` unless
    /// it repeats.
    repeats: Option<usize>,
}

impl LineAnswer {
    /// The answer for a position, its value and its line.
    pub fn new(position: &Position, answer: &Answer, line: &BestLine, rules: &Rules) -> LineAnswer {
        let turns = line.turns.iter().map(|ranked| JsonTurn::new(ranked, rules));
        let repeats = match line.end {
            LineEnd::Repetition { from } => Some(from),
            LineEnd::Over | LineEnd::Limit => None,
        };
        LineAnswer {
            position: JsonPosition::new(position, rules),
            value: answer.value,
            source: answer.source.name(),
            line: turns.collect(),
            end: line.end.name(),
            repeats,
        }
    }
}
