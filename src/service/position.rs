//! Answers about a position: its value, its turns, and a best line.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::words::Fen;
use crate::engine::game::Game;
use crate::probe::{Answer, Database, Effort, LineEnd, RankedTurn, Source};
use crate::rules::position::{Phase, Position, Side};
use crate::rules::turns::Turn;
use crate::sample::canonical;
use crate::store::DbError;
use crate::value::{Dtw, Value, Wdl};

/// The longest search for the values of replies, in positions. Replies that need a longer one are
/// not counted.
const REPLY_NODES: u64 = 500;

/// [`Database::probe`] for a position with its count of quiet turns.
///
/// # Errors
///
/// Those of [`Database::probe`].
pub fn value(database: &Database, position: &Fen) -> Result<Value, DbError> {
    let (rules, quiet_turns) = (&position.rules, position.quiet_turns);
    if rules.is_drawn_by_limit(position, quiet_turns) {
        return Ok(Value::Draw);
    }
    let value = database.probe(position)?;
    Ok(rules.after_quiet_turns(position, quiet_turns, value))
}

/// [`Database::answer_within`] for a position with its count of quiet turns.
pub(super) fn answer_within(
    database: &Database,
    position: &Fen,
    most_nodes: Option<u64>,
) -> Result<Answer, DbError> {
    database.answer_after(position, position.quiet_turns, Effort::up_to(most_nodes))
}

/// [`answer_within`] for the last position of a game, with draws for the turns that let it end by repetition, and these
/// turns.
pub(super) fn answer_in_game(
    database: &Database,
    game: &Game,
    most_nodes: Option<u64>,
) -> Result<(Answer, Vec<Turn>), DbError> {
    let mut answer = answer_within(database, &Fen::of(game), most_nodes)?;
    // The values of a game that is over are those of its position.
    if game.ending().is_some() {
        return Ok((answer, Vec::new()));
    }
    let (turns, repeating) = game.under_repetition(answer.turns);
    answer.value = turns.first().map_or(answer.value, |best| best.value);
    answer.turns = turns;
    Ok((answer, repeating.iter().map(|ranked| ranked.turn).collect()))
}

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
    /// A position.
    pub fn new(position: &Fen) -> Situation {
        Situation {
            position: *position,
            side_to_move: position.side_to_move(),
            phase: position.phase(&position.rules),
        }
    }
}

/// A turn with its value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, JsonSchema)]
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
    /// A turn of this position.
    pub fn new(before: &Fen, ranked: &RankedTurn) -> ValuedTurn {
        ValuedTurn {
            turn: ranked.turn,
            value: ranked.value,
            position: before.after(ranked.turn),
        }
    }

    /// Turns that follow each other from this position.
    pub fn line(start: &Fen, turns: &[RankedTurn]) -> Vec<ValuedTurn> {
        let mut position = *start;
        let turns = turns.iter().map(|ranked| {
            let turn = ValuedTurn::new(&position, ranked);
            position = turn.position;
            turn
        });
        turns.collect()
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
    /// The number of turns of a best line after which the usual 100 quiet turns draw the game, as in the answer `line`.
    /// Without turns no line is followed: then it is the number of quiet turns up to the draw, if the depth exceeds it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drawn_after: Option<usize>,
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
        position: &Fen,
        most: Option<usize>,
    ) -> Result<ProbeAnswer, DbError> {
        let situation = Situation::new(position);
        let Some(most) = most else {
            let (value, count) = (value(database, position)?, position.count());
            return Ok(ProbeAnswer {
                situation,
                value,
                source: match position
                    .rules
                    .is_drawn_by_limit(position, position.quiet_turns)
                {
                    true => Source::Rules,
                    false => database.source(position),
                },
                drawn_after: count.may_cut(value).then_some(count.left() as usize),
                turns: None,
            });
        };
        let answer = answer_within(database, position, None)?;
        let turns = answer.turns.iter().take(most);
        Ok(ProbeAnswer {
            situation,
            value: answer.value,
            source: answer.source,
            drawn_after: (position.count()).drawn_after(database, position, answer.value),
            turns: Some(turns.map(|turn| ValuedTurn::new(position, turn)).collect()),
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
    /// The number of turns of a best line after which the usual 100 quiet turns draw the game; `None` if they do not end
    /// it, or if the rules have a limit of their own.
    pub drawn_after: Option<usize>,
}

impl LineAnswer {
    /// A best line of at most this many turns.
    ///
    /// # Errors
    ///
    /// Those of [`Database::answer`].
    pub fn find(database: &Database, position: &Fen, limit: usize) -> Result<LineAnswer, DbError> {
        let answer = answer_within(database, position, None)?;
        let line = database.line_after_quiet_turns(position, position.quiet_turns, limit)?;
        let count = position.count();
        let drawn_after = match count.cut(position, line.turns.iter().map(|turn| turn.turn)) {
            _ if !count.may_cut(answer.value) => None,
            // The line is shorter than the game.
            None if line.end == LineEnd::Limit => {
                count.drawn_after(database, position, answer.value)
            }
            cut => cut,
        };
        Ok(LineAnswer {
            situation: Situation::new(position),
            value: answer.value,
            source: answer.source,
            line: ValuedTurn::line(position, &line.turns),
            end: line.end,
            drawn_after,
        })
    }
}

/// The turns of a best line in a game, at most this many, and as in [`LineAnswer`] the number of turns up to a draw. It
/// begins with the first turn of the answer, and ends with it if this is among those that let the game end by
/// repetition.
pub(super) fn line_in_game(
    database: &Database,
    position: &Fen,
    (answer, repeating): (&Answer, &[Turn]),
    limit: usize,
) -> Result<(Vec<ValuedTurn>, Option<usize>), DbError> {
    let best = answer.turns.first().filter(|_| !repeating.is_empty());
    let Some(best) = best else {
        let found = LineAnswer::find(database, position, limit)?;
        return Ok((found.line, found.drawn_after));
    };
    let (mut line, mut drawn_after) = (vec![ValuedTurn::new(position, best)], None);
    if !repeating.contains(&best.turn) {
        let rest = LineAnswer::find(database, &line[0].position, limit.saturating_sub(1))?;
        line.extend(rest.line);
        drawn_after = rest.drawn_after.map(|turns| turns + 1);
    }
    line.truncate(limit);
    Ok((line, drawn_after))
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
    /// As in the answer `line`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drawn_after: Option<usize>,
    /// The turns, best first.
    pub turns: Vec<ComparedTurn>,
}

impl RankAnswer {
    /// The turns of a game's last position with their replies and symmetry classes.
    ///
    /// # Errors
    ///
    /// Those of [`Database::answer`].
    pub fn find(database: &Database, game: &Game) -> Result<RankAnswer, DbError> {
        let position = &Fen::of(game);
        let (answer, repeating) = answer_in_game(database, game, None)?;
        let count = position.count();
        let best = answer.turns.first().filter(|_| !repeating.is_empty());
        let drawn_after = match best {
            None => count.drawn_after(database, position, answer.value),
            Some(best) => (count.after(position, best.turn))
                .drawn_after(database, &best.after, best.value)
                .map(|turns| turns + 1),
        };
        Ok(RankAnswer {
            situation: Situation::new(position),
            value: answer.value,
            source: answer.source,
            drawn_after,
            turns: ComparedTurn::ranked(database, position, &answer, &repeating),
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
    /// Whether the turn is a draw only because it lets the game end by repetition.
    by_repetition: bool,
}

impl ComparedTurn {
    /// The turns of the answer for a position, and which of them let the game end by repetition.
    pub fn ranked(
        database: &Database,
        position: &Fen,
        answer: &Answer,
        repeating: &[Turn],
    ) -> Vec<ComparedTurn> {
        let turns = answer.turns.iter().map(|ranked| ranked.turn);
        let mut turns = ComparedTurn::legal(position, turns);
        for (turn, RankedTurn { value, .. }) in turns.iter_mut().zip(&answer.turns) {
            (turn.wdl, turn.dtw) = (Some(value.wdl()), value.dtw());
            turn.by_repetition = repeating.contains(&turn.turn);
            if !turn.by_repetition
                && let Ok(replies) = answer_within(database, &turn.position, Some(REPLY_NODES))
            {
                turn.replies = Some(replies.turns.len());
                turn.holding = Some(RankedTurn::keeping(&replies.turns).len());
            }
        }
        turns
    }

    /// Turns and the positions after them, without values.
    pub fn legal(position: &Fen, turns: impl IntoIterator<Item = Turn>) -> Vec<ComparedTurn> {
        let mut classes: HashMap<Position, usize> = HashMap::new();
        let compared = turns.into_iter().map(|turn| {
            let (after, next) = (position.after(turn), classes.len());
            ComparedTurn {
                turn,
                wdl: None,
                dtw: None,
                position: after,
                replies: None,
                holding: None,
                class: *classes.entry(canonical(&after)).or_insert(next),
                by_repetition: false,
            }
        });
        compared.collect()
    }
}
