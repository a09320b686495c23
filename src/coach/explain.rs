//! Facts about a position and its turns: the mills that turns allow or prevent, the number of
//! replies that hold, and how soon a removal can be forced.

use crate::board::PointSet;
use crate::coach::review::Verdict;
use crate::coach::truth::Truth;
use crate::probe::RankedTurn;
use crate::probe::Source;
use crate::rules::Rules;
use crate::rules::position::{Phase, Position, Side};
use crate::rules::turns::Turn;
use crate::store::DbError;
use crate::value::Value;

/// The facts about a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explanation {
    /// The position.
    pub position: Position,
    /// The phase of the game for the side to move.
    pub phase: Phase,
    /// The value for the side to move.
    pub value: Value,
    /// The source of the values.
    pub source: Source,
    /// The numbers of turns that are legal, keep the result, and have the best value.
    pub counts: [usize; 3],
    /// The points where the other side would close a mill if the side to move passed.
    pub threats: PointSet,
    /// The value for the side to move if it could pass; `None` while stones are in hand or a
    /// removal is pending, and if the game is over.
    pub passing: Option<Value>,
    /// The shortest sequence to a removal or the end of the game that the side to move can force.
    pub forced: Forced,
    /// The turns, best first.
    pub turns: Vec<TurnFacts>,
}

/// The facts about a turn.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TurnFacts {
    /// The turn, its value for the side that makes it, and the position after it.
    pub ranked: RankedTurn,
    /// The comparison with the other turns.
    pub verdict: Verdict,
    /// The number of replies.
    pub replies: usize,
    /// The replies that keep the result for the side that replies, in the order of their values.
    pub holding: Vec<Turn>,
    /// Points at which the other side could have closed a mill, and cannot after the turn.
    pub prevents: PointSet,
    /// Points at which the other side can close a mill after the turn, and could not before it.
    pub allows: PointSet,
    /// The refutation if the turn is an error, each turn with the value for the side that makes it.
    /// If the error loses, these are the best turns of both sides up to the first removal, at most
    /// [`LONGEST_REFUTATION`]; if it draws, the first reply that holds.
    pub refutation: Vec<RankedTurn>,
}

/// The sequence to a removal or the end of the game that a side can force.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Forced {
    /// The turns of both sides, where the other side delays as long as possible; empty if nothing
    /// was found.
    pub line: Vec<Turn>,
    /// The number of the side's own turns that were searched completely without finding a sequence.
    pub searched: usize,
}

/// The longest refutation, in turns.
pub const LONGEST_REFUTATION: usize = 12;

/// The most own turns of a side in the search for a forced removal.
pub const MOST_FORCED_TURNS: usize = 5;

/// The most positions that the search for a forced removal visits.
const FORCED_POSITIONS: u64 = 1_000_000;

impl Explanation {
    /// The facts about a position and about one of its turns or all.
    ///
    /// # Errors
    ///
    /// As for [`Database::answer`](crate::Database::answer).
    pub fn of(
        truth: Truth,
        position: &Position,
        turn: Option<Turn>,
    ) -> Result<Explanation, DbError> {
        let rules = truth.database().rules();
        let answer = truth.answer(position)?;
        let side = position.side_to_move();
        let threats = closing_points(position, side.other(), rules);
        let mut turns = Vec::new();
        for ranked in &answer.turns {
            if turn.is_none_or(|turn| turn == ranked.turn) {
                turns.extend(facts(truth, threats, ranked, &answer.turns)?);
            }
        }
        let first = answer.turns.first();
        let verdict = first.and_then(|first| Verdict::of(first.turn, &answer.turns));
        let counts = verdict.map_or([0; 3], |verdict| {
            [verdict.legal, verdict.keeping, verdict.best.len()]
        });
        let kept = answer.turns.iter().take(counts[1]);
        Ok(Explanation {
            position: *position,
            phase: position.phase(rules),
            value: answer.value,
            source: answer.source,
            counts,
            threats,
            passing: passing(truth, position)?,
            forced: forced(position, kept.map(|ranked| ranked.turn), rules),
            turns,
        })
    }
}

fn facts(
    truth: Truth,
    threats: PointSet,
    ranked: &RankedTurn,
    all: &[RankedTurn],
) -> Result<Option<TurnFacts>, DbError> {
    let database = truth.database();
    let rules = database.rules();
    let Some(verdict) = Verdict::of(ranked.turn, all) else {
        return Ok(None);
    };
    let replies = truth.answer(&ranked.after)?.turns;
    let best = replies.first().map(|best| best.value.wdl());
    let holds = |reply: &&RankedTurn| Some(reply.value.wdl()) == best;
    let after = closing_points(&ranked.after, ranked.after.side_to_move(), rules);
    let mut refutation = Vec::new();
    if verdict.grade.is_error() {
        refutation = database.line(&ranked.after, LONGEST_REFUTATION)?.turns;
        let removes = |turn: &RankedTurn| !turn.turn.removed().is_empty();
        let last = match ranked.value {
            // After the first reply, a drawn line only repeats.
            Value::Draw => Some(0),
            _ => refutation.iter().position(removes),
        };
        if let Some(last) = last {
            refutation.truncate(last + 1);
        }
    }
    Ok(Some(TurnFacts {
        ranked: *ranked,
        verdict,
        holding: (replies.iter().take_while(holds))
            .map(|reply| reply.turn)
            .collect(),
        replies: replies.len(),
        prevents: threats - after,
        allows: after - threats,
        refutation,
    }))
}

/// The value of the position if its side passes.
fn passing(truth: Truth, position: &Position) -> Result<Option<Value>, DbError> {
    let rules = truth.database().rules();
    if position.is_placing() || position.removal_owed() || position.is_over(rules) {
        return Ok(None);
    }
    // Passing changes only the side to move.
    let passed = position.after(Turn::PASS);
    Ok(Some(truth.answer(&passed)?.value.backed_up()))
}

/// The empty points at which a side closes a mill if it is to move.
///
/// ```
/// use millbase::coach::explain::closing_points;
/// use millbase::{Position, Rules, Side};
/// let rules = Rules::STANDARD;
/// let position = Position::parse("********/@*******/O*OO*@*@ w m s 3 0 3 0 0 0", &rules)?;
/// let points = closing_points(&position, Side::White, &rules);
/// assert_eq!(format!("{points:?}"), "{g7}");
/// # Ok::<(), millbase::PositionError>(())
/// ```
pub fn closing_points(position: &Position, side: Side, rules: &Rules) -> PointSet {
    let board = rules.board();
    let (stones, empty) = (position.stones(side), position.empty());
    if position.in_hand(side) > 0 {
        return board.completions(stones) & empty;
    }
    let flies = rules.flies(stones.len());
    let mut points = PointSet::EMPTY;
    for from in stones {
        let targets = match flies {
            true => empty,
            false => board.neighbours(from) & empty,
        };
        points |= board.completions(stones.without(from)) & targets;
    }
    points
}

/// The shortest forced removal, beginning with one of these turns.
fn forced(position: &Position, first: impl Iterator<Item = Turn>, rules: &Rules) -> Forced {
    let first: Vec<Turn> = first.collect();
    let mut search = ForcedSearch {
        rules,
        left: FORCED_POSITIONS,
    };
    let mut searched = 0;
    for turns in 1..=MOST_FORCED_TURNS {
        match search.force(position, &first, turns) {
            Some(line) => return Forced { line, searched },
            None if search.left == 0 => break,
            None => searched = turns,
        }
    }
    let line = Vec::new();
    Forced { line, searched }
}

struct ForcedSearch<'a> {
    rules: &'a Rules,
    /// The number of positions that may still be visited.
    left: u64,
}

impl ForcedSearch<'_> {
    /// The line in which the side to move removes a stone or ends the game within `own` of its
    /// turns, whatever the other side replies. A reply that removes a stone refutes a turn.
    fn force(&mut self, position: &Position, turns: &[Turn], own: usize) -> Option<Vec<Turn>> {
        if let Some(&turn) = turns.iter().find(|turn| !turn.removed().is_empty()) {
            return Some(vec![turn]);
        }
        for &turn in turns {
            self.left = self.left.checked_sub(1)?;
            let after = position.after(turn);
            let replies = after.turns(self.rules);
            if replies.is_empty() {
                return Some(vec![turn]);
            }
            if own > 1
                && replies.iter().all(|reply| reply.removed().is_empty())
                && let Some(rest) = self.every_reply(&after, &replies, own - 1)
            {
                return Some([vec![turn], rest].concat());
            }
        }
        None
    }

    fn every_reply(&mut self, after: &Position, replies: &[Turn], own: usize) -> Option<Vec<Turn>> {
        let mut longest: Vec<Turn> = Vec::new();
        for &reply in replies {
            let position = after.after(reply);
            let turns = position.turns(self.rules);
            let rest = self.force(&position, &turns, own)?;
            if rest.len() + 1 > longest.len() {
                longest = [vec![reply], rest].concat();
            }
        }
        Some(longest)
    }
}
