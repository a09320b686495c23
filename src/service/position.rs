//! Answers about a position: its value, its turns, and a best line.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::words::Fen;
use crate::probe::{Answer, Database, LineEnd, RankedTurn, Source};
use crate::rules::Rules;
use crate::rules::position::{Phase, Position, Side};
use crate::rules::turns::Turn;
use crate::sample::canonical;
use crate::store::DbError;
use crate::value::{Dtw, Value, Wdl};

/// The longest search for the values of replies, in positions. Replies that need a longer one are
/// not counted.
const REPLY_NODES: u64 = 500;

/// A position with its side to move and its phase.
#[derive(Clone, Copy, Serialize, JsonSchema)]
pub struct Situation {
    /// The position.
    pub position: Fen,
    /// The side whose turn it is.
    pub side_to_move: Side,
    /// The phase for the side to move.
    pub phase: Phase,
}

impl Situation {
    /// A position under these rules.
    pub fn new(position: &Position, rules: &Rules) -> Situation {
        Situation {
            position: Fen::new(position, rules),
            side_to_move: position.side_to_move(),
            phase: position.phase(rules),
        }
    }
}

/// A turn with its value.
#[derive(Clone, Copy, Serialize, JsonSchema)]
pub struct ValuedTurn {
    /// The turn.
    pub turn: Turn,
    /// The value for the side that makes it; the depth includes this turn.
    #[serde(flatten)]
    pub value: Value,
    /// The position after it.
    pub position: Fen,
}

impl ValuedTurn {
    /// A turn of a game with these rules.
    pub fn new(ranked: &RankedTurn, rules: &Rules) -> ValuedTurn {
        ValuedTurn {
            turn: ranked.turn,
            value: ranked.value,
            position: Fen::new(&ranked.after, rules),
        }
    }

    /// Some turns.
    pub fn list<'a>(
        turns: impl IntoIterator<Item = &'a RankedTurn>,
        rules: &Rules,
    ) -> Vec<ValuedTurn> {
        let turns = turns.into_iter();
        turns.map(|ranked| ValuedTurn::new(ranked, rules)).collect()
    }
}

/// The value of a position, and its turns.
#[derive(Serialize, JsonSchema)]
pub struct ProbeAnswer {
    /// The position.
    #[serde(flatten)]
    pub situation: Situation,
    /// Its value for the side to move.
    #[serde(flatten)]
    pub value: Value,
    /// The source of the value.
    pub source: Source,
    /// The turns, best first; `None` where none were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turns: Option<Vec<ValuedTurn>>,
}

impl ProbeAnswer {
    /// The value of a position with at most this many turns; `None` finds the value without ranking the turns, which is
    /// much faster.
    ///
    /// # Errors
    ///
    /// Those of [`Database::probe`].
    pub fn find(
        database: &Database,
        position: &Position,
        most: Option<usize>,
    ) -> Result<ProbeAnswer, DbError> {
        let rules = database.rules();
        let situation = Situation::new(position, rules);
        let Some(most) = most else {
            return Ok(ProbeAnswer {
                situation,
                value: database.probe(position)?,
                source: database.source(position),
                turns: None,
            });
        };
        let answer = database.answer(position)?;
        Ok(ProbeAnswer {
            situation,
            value: answer.value,
            source: answer.source,
            turns: Some(ValuedTurn::list(answer.turns.iter().take(most), rules)),
        })
    }
}

/// A position with a best line.
#[derive(Serialize, JsonSchema)]
pub struct LineAnswer {
    /// The position.
    #[serde(flatten)]
    pub situation: Situation,
    /// Its value for the side to move.
    #[serde(flatten)]
    pub value: Value,
    /// The source of the value.
    pub source: Source,
    /// The turns of both sides; each value is for the side that makes the turn.
    pub line: Vec<ValuedTurn>,
    /// The reason why the line ends, and the turn after which its last position stood first.
    #[serde(flatten)]
    pub end: LineEnd,
}

impl LineAnswer {
    /// A best line of at most this many turns.
    ///
    /// # Errors
    ///
    /// Those of [`Database::answer`].
    pub fn find(
        database: &Database,
        position: &Position,
        limit: usize,
    ) -> Result<LineAnswer, DbError> {
        let rules = database.rules();
        let answer = database.answer(position)?;
        let line = database.line(position, limit)?;
        Ok(LineAnswer {
            situation: Situation::new(position, rules),
            value: answer.value,
            source: answer.source,
            line: ValuedTurn::list(&line.turns, rules),
            end: line.end,
        })
    }
}

/// A position with its turns and the replies to them.
#[derive(Serialize, JsonSchema)]
pub struct RankAnswer {
    /// The position.
    #[serde(flatten)]
    pub situation: Situation,
    /// Its value for the side to move.
    #[serde(flatten)]
    pub value: Value,
    /// The source of the value.
    pub source: Source,
    /// The turns, best first.
    pub turns: Vec<ComparedTurn>,
}

impl RankAnswer {
    /// The turns of a position with their replies and symmetry classes.
    ///
    /// # Errors
    ///
    /// Those of [`Database::answer`].
    pub fn find(database: &Database, position: &Position) -> Result<RankAnswer, DbError> {
        let answer = database.answer(position)?;
        Ok(RankAnswer {
            situation: Situation::new(position, database.rules()),
            value: answer.value,
            source: answer.source,
            turns: ComparedTurn::ranked(database, &answer),
        })
    }
}

/// A legal turn beside the others of its position: its value, the replies to it, and its symmetry class.
#[derive(Serialize, JsonSchema)]
pub struct ComparedTurn {
    turn: Turn,
    /// The value for the side to move; `None` where it is not known.
    wdl: Option<Wdl>,
    dtw: Option<Dtw>,
    position: Fen,
    /// The number of replies; `None` if their values are not known after a short search, or if bytes
    /// of files would have to be fetched for them.
    replies: Option<usize>,
    /// The number of replies that keep the opponent's result.
    holding: Option<usize>,
    /// Turns with the same number lead to positions that are equal up to symmetry.
    class: usize,
}

impl ComparedTurn {
    /// The turns of an answer.
    pub fn ranked(database: &Database, answer: &Answer) -> Vec<ComparedTurn> {
        let turns = answer.turns.iter();
        let mut turns = ComparedTurn::legal(
            turns.map(|ranked| (ranked.turn, ranked.after)),
            database.rules(),
        );
        for (turn, RankedTurn { value, .. }) in turns.iter_mut().zip(&answer.turns) {
            (turn.wdl, turn.dtw) = (Some(value.wdl()), value.dtw());
            if let Ok(replies) = database.answer_within(&turn.position, Some(REPLY_NODES)) {
                let holds = |reply: &&RankedTurn| reply.value.wdl() == replies.value.wdl();
                turn.replies = Some(replies.turns.len());
                turn.holding = Some(replies.turns.iter().filter(holds).count());
            }
        }
        turns
    }

    /// Turns and the positions after them, without values.
    pub fn legal(
        turns: impl Iterator<Item = (Turn, Position)>,
        rules: &Rules,
    ) -> Vec<ComparedTurn> {
        let mut classes: HashMap<Position, usize> = HashMap::new();
        let compared = turns.map(|(turn, after)| {
            let next = classes.len();
            ComparedTurn {
                turn,
                wdl: None,
                dtw: None,
                position: Fen::new(&after, rules),
                replies: None,
                holding: None,
                class: *classes.entry(canonical(&after)).or_insert(next),
            }
        });
        compared.collect()
    }
}
