//! The facts about a position and its turns, as `millbase explain` shows them.

use schemars::JsonSchema;
use serde::Serialize;

use super::position::{Situation, ValuedTurn};
use super::words;
use crate::board::Point;
use crate::coach::explain::{Explanation, TurnFacts};
use crate::coach::review::Grade;
use crate::coach::truth::Truth;
use crate::probe::{Database, Source};
use crate::rules::Rules;
use crate::rules::position::Position;
use crate::rules::turns::Turn;
use crate::store::DbError;
use crate::value::Value;

/// The facts about a position; [`Explanation`] defines them.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "explain")]
pub struct ExplainAnswer {
    /// The position.
    #[serde(flatten)]
    pub situation: Situation,
    /// Its value for the side to move.
    #[serde(flatten)]
    pub value: Value,
    /// The source of the value.
    pub source: Source,
    /// The number of turns.
    pub legal: usize,
    /// The number of turns that keep the result.
    pub keeping: usize,
    /// The number of turns of the best value.
    pub best: usize,
    /// The points where the other side would close a mill if the side to move passed.
    pub threats: Vec<Point>,
    /// The value if the side to move could pass.
    pub passing: Option<Value>,
    /// The shortest sequence to a removal or the end that the side to move can force.
    pub forced_removal: Option<Vec<Turn>>,
    /// The number of its own turns that were searched completely without finding such a sequence.
    #[schemars(range(max = 5))]
    pub forced_searched: usize,
    /// The turns, best first.
    pub turns: Vec<ExplainedTurn>,
}

/// The facts about a turn; [`TurnFacts`] defines them.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "explainedTurn")]
pub struct ExplainedTurn {
    /// The turn with its value.
    #[serde(flatten)]
    pub turn: ValuedTurn,
    /// The grade.
    pub grade: Grade,
    /// The number of replies.
    pub replies: usize,
    /// The number of replies that keep the result.
    pub holding: usize,
    /// These replies, best first.
    pub holding_replies: Vec<Turn>,
    /// Threats that are gone after the turn.
    pub prevents: Vec<Point>,
    /// Points at which the other side can close a mill only after the turn.
    pub allows: Vec<Point>,
    /// The refutation of an error.
    pub refutation: Vec<ValuedTurn>,
}

impl ExplainAnswer {
    /// The facts about a position and one of its turns, or all.
    ///
    /// # Errors
    ///
    /// Those of [`Explanation::of`].
    pub fn find(
        database: &Database,
        position: &Position,
        turn: Option<Turn>,
    ) -> Result<ExplainAnswer, DbError> {
        let rules = database.rules();
        let facts = Explanation::of(Truth::patient(database), position, turn)?;
        let [legal, keeping, best] = facts.counts;
        let forced = facts.forced;
        Ok(ExplainAnswer {
            situation: Situation::new(position, rules),
            value: facts.value,
            source: facts.source,
            legal,
            keeping,
            best,
            threats: words::points(facts.threats),
            passing: facts.passing,
            forced_removal: (!forced.line.is_empty()).then_some(forced.line),
            forced_searched: forced.searched,
            turns: (facts.turns.into_iter())
                .map(|turn| ExplainedTurn::new(turn, rules))
                .collect(),
        })
    }
}

impl ExplainedTurn {
    fn new(facts: TurnFacts, rules: &Rules) -> ExplainedTurn {
        ExplainedTurn {
            turn: ValuedTurn::new(&facts.ranked, rules),
            grade: facts.verdict.grade,
            replies: facts.replies,
            holding: facts.holding.len(),
            holding_replies: facts.holding,
            prevents: words::points(facts.prevents),
            allows: words::points(facts.allows),
            refutation: ValuedTurn::list(&facts.refutation, rules),
        }
    }
}
