//! The facts that explain a position and its turns.

use schemars::JsonSchema;
use serde::Serialize;

use super::position::{Situation, ValuedTurn};
use super::words::{self, Fen};
use crate::board::{Point, PointSet};
pub use crate::coach::explain::MOST_FORCED_POSITIONS;
use crate::coach::explain::{MOST_FORCED_TURNS, closing_points, forced};
use crate::coach::review::{Grade, Verdict};
use crate::coach::truth::Truth;
use crate::probe::{Database, RankedTurn, Source};
use crate::rules::turns::Turn;
use crate::store::DbError;
use crate::value::Value;

/// The facts about a position.
#[derive(Serialize, JsonSchema)]
pub struct ExplainAnswer {
    /// The position.
    #[serde(flatten)]
    pub situation: Situation,
    /// Its value for the side to move.
    #[serde(flatten)]
    pub value: Value,
    /// The source of the value.
    pub source: Source,
    /// The number of turns of a best line after which the usual 100 quiet turns draw the game, as in the answer
    /// `line`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drawn_after: Option<usize>,
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
    #[schemars(range(max = MOST_FORCED_TURNS))]
    pub forced_searched: usize,
    /// The turns, best first.
    pub turns: Vec<ExplainedTurn>,
}

/// The facts about a turn.
#[derive(Serialize, JsonSchema)]
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

/// The longest refutation, in turns.
const LONGEST_REFUTATION: usize = 12;

impl ExplainAnswer {
    /// The facts about a position and one of its turns, or all. The search for the forced removal visits at
    /// most `forced_positions` positions, [`MOST_FORCED_POSITIONS`] if there is time.
    ///
    /// # Errors
    ///
    /// As for [`Database::answer`].
    pub fn find(
        database: &Database,
        position: &Fen,
        turn: Option<Turn>,
        forced_positions: u64,
    ) -> Result<ExplainAnswer, DbError> {
        let (rules, truth) = (database.rules(), Truth::patient(database));
        let answer = truth.answer(position, position.quiet_turns)?;
        let threats = match position.is_over(rules) {
            true => PointSet::EMPTY,
            false => closing_points(position, position.side_to_move().other(), rules),
        };
        let kept = RankedTurn::keeping(&answer.turns).iter();
        let best = kept.clone().filter(|ranked| ranked.value == answer.value);
        let (best, kept) = (best.count(), kept.map(|ranked| ranked.turn));
        let kept: Vec<Turn> = kept.collect();
        let (forced_removal, forced_searched) = forced(position, &kept, rules, forced_positions);
        let mut turns = Vec::new();
        for ranked in &answer.turns {
            if turn.is_none_or(|turn| turn == ranked.turn) {
                let found = ExplainedTurn::find(truth, position, threats, ranked, &answer.turns)?;
                turns.extend(found);
            }
        }
        Ok(ExplainAnswer {
            situation: Situation::new(position),
            value: answer.value,
            source: answer.source,
            drawn_after: (position.count()).drawn_after(database, position, answer.value),
            legal: answer.turns.len(),
            keeping: kept.len(),
            best,
            threats: words::points(threats),
            passing: passing(truth, position)?,
            forced_removal,
            forced_searched,
            turns,
        })
    }
}

impl ExplainedTurn {
    fn find(
        truth: Truth,
        position: &Fen,
        threats: PointSet,
        ranked: &RankedTurn,
        all: &[RankedTurn],
    ) -> Result<Option<ExplainedTurn>, DbError> {
        let rules = truth.database().rules();
        let Some(verdict) = Verdict::of(ranked.turn, all) else {
            return Ok(None);
        };
        let explained = ValuedTurn::new(position, ranked);
        let after = &explained.position;
        let replies = truth.answer(after, after.quiet_turns)?.turns;
        let holding = RankedTurn::keeping(&replies).iter();
        let holding: Vec<Turn> = holding.map(|reply| reply.turn).collect();
        let threats_after = closing_points(after, after.side_to_move(), rules);
        let refutation = match verdict.grade.is_error() {
            true => refutation(truth.database(), &explained)?,
            false => Vec::new(),
        };
        Ok(Some(ExplainedTurn {
            turn: explained,
            grade: verdict.grade,
            replies: replies.len(),
            holding: holding.len(),
            holding_replies: holding,
            prevents: words::points(threats - threats_after),
            allows: words::points(threats_after - threats),
            refutation,
        }))
    }
}

/// The refutation of an error, each turn with the value for the side that makes it. If the error
/// loses, these are the best turns of both sides up to the first removal; if it draws, the first
/// reply that holds.
fn refutation(database: &Database, error: &ValuedTurn) -> Result<Vec<ValuedTurn>, DbError> {
    let start = &error.position;
    let line = database.line_after_quiet_turns(start, start.quiet_turns, LONGEST_REFUTATION)?;
    let mut turns = ValuedTurn::line(start, &line.turns);
    let last = match error.value {
        // After the first reply, a drawn line only repeats.
        Value::Draw => Some(0),
        _ => turns.iter().position(|turn| turn.turn.removes()),
    };
    turns.truncate(last.map_or(LONGEST_REFUTATION, |last| last + 1));
    Ok(turns)
}

/// The value of the position if its side passes; `None` while stones are in hand or a removal is
/// pending, and if the game is over.
fn passing(truth: Truth, position: &Fen) -> Result<Option<Value>, DbError> {
    let rules = truth.database().rules();
    if position.is_placing() || position.removals_due(rules) > 0 || position.is_over(rules) {
        return Ok(None);
    }
    // Passing changes only the side to move.
    let passed = position.position.after(Turn::PASS);
    let quiet = position.quiet_turns_after(Turn::PASS, position.quiet_turns);
    let answer = truth.answer(&passed, quiet)?;
    Ok(Some(answer.value.backed_up()))
}
