//! The one question that every frontend asks: what is this position worth, and what each of its
//! turns? The answer comes from the rules, from a database, or from a search to where databases
//! begin.

use crate::db::{Database, DbError, Line, LineEnd, RankedTurn};
use crate::position::{Position, Side};
use crate::search::exact;
use crate::value::Value;

/// Where an answer comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Source {
    /// The game is over.
    Rules,
    /// The values are stored.
    Database,
    /// The values were found by searching to positions that are stored.
    Search,
}

impl Source {
    /// `rules`, `database` or `search`.
    pub const fn name(self) -> &'static str {
        match self {
            Source::Rules => "rules",
            Source::Database => "database",
            Source::Search => "search",
        }
    }
}

/// A position's value and its turns.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// What the position is worth to the side to move. Where a removal is owed, that removal is a
    /// turn of its own.
    pub value: Value,
    /// All turns, best first in the order of [`RankedTurn::order`]; none when the game is over.
    pub turns: Vec<RankedTurn>,
    /// Where the values come from.
    pub source: Source,
}

/// Answers for a position from the databases, or by a search to them while stones are in hand: a
/// hundredth of a second for the last stones, seconds for the tenth from the end.
///
/// ```
/// use millbase::{Database, Position, Rules, Source, answer};
/// let rules = Rules { stones: 4, ..Rules::STANDARD };
/// let position = Position::parse("*****O@*/O***@***/@O****** w p p 3 1 3 1 0 0", &rules)?;
/// # if cfg!(feature = "embedded") {
/// let answer = answer(&Database::embedded(rules), &position)?;
/// assert_eq!(answer.source, Source::Search);
/// assert_eq!(answer.turns[0].value, answer.value);
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`DbError::Missing`] if a pair that is needed is not there, [`DbError::NotStored`] with more than
/// ten stones in hand, where the search would take minutes, otherwise as for [`Database::probe`].
pub fn answer(database: &Database, position: &Position) -> Result<Answer, DbError> {
    if let Some(answer) = placing(database, position)? {
        return Ok(answer);
    }
    let in_hand = position.in_hand(Side::White) + position.in_hand(Side::Black);
    if in_hand > exact::MOST_IN_HAND {
        return Err(exact::too_early(database.rules()));
    }
    answer_within(database, position, exact::MOST_NODES)
}

/// [`answer`] for any number of stones in hand, with another bound for the search: how many
/// positions it may visit.
///
/// # Errors
///
/// As for [`answer`].
pub fn answer_within(
    database: &Database,
    position: &Position,
    most_nodes: u64,
) -> Result<Answer, DbError> {
    let rules = database.rules();
    if let Some(value) = position.result(rules) {
        return Ok(Answer {
            value,
            turns: Vec::new(),
            source: Source::Rules,
        });
    }
    if let Some(answer) = placing(database, position)? {
        return Ok(answer);
    }
    let (turns, source) = match position.is_placing() {
        true => (searched(database, position, most_nodes)?, Source::Search),
        false => (database.turns(position)?, Source::Database),
    };
    let nothing = || DbError::NotStored("there is no turn".to_string());
    let best = turns.first().ok_or_else(nothing)?;
    Ok(Answer {
        value: best.value,
        turns,
        source,
    })
}

/// The answer for a position with stones in hand, if the files of the placing phase help.
fn placing(database: &Database, position: &Position) -> Result<Option<Answer>, DbError> {
    if !position.is_placing() || position.is_over(database.rules()) {
        return Ok(None);
    }
    let Some(placing) = database.placing()? else {
        return Ok(None);
    };
    let turns = placing.turns(database, position)?.unwrap_or_default();
    let best = turns.first().map(|best| best.value);
    Ok(best.map(|value| Answer {
        value,
        turns,
        source: Source::Database,
    }))
}

/// The turns of a position with stones in hand, ranked.
fn searched(
    database: &Database,
    position: &Position,
    most_nodes: u64,
) -> Result<Vec<RankedTurn>, DbError> {
    let turns = position.turns(database.rules());
    let after: Vec<Position> = turns.iter().map(|&turn| position.after(turn)).collect();
    let values = exact::values(database, &after, most_nodes)?;
    let ranked = turns.into_iter().zip(after).zip(values);
    let mut ranked: Vec<RankedTurn> = ranked
        .map(|((turn, after), value)| RankedTurn {
            turn,
            value: value.before(),
            after,
        })
        .collect();
    RankedTurn::sort(&mut ranked);
    Ok(ranked)
}

/// The game that follows when both sides always choose their first ranked turn, no longer than
/// `limit` turns; as [`Database::line`], also while stones are in hand.
///
/// # Errors
///
/// As for [`answer`].
pub fn line(database: &Database, position: &Position, limit: usize) -> Result<Line, DbError> {
    let mut turns = Vec::new();
    let mut position = *position;
    while position.is_placing() && turns.len() < limit {
        match answer(database, &position)?.turns.into_iter().next() {
            Some(best) => {
                position = best.after;
                turns.push(best);
            }
            None => break,
        }
    }
    let placed = turns.len();
    let rest = match position.is_placing() {
        true => Line {
            turns: Vec::new(),
            end: LineEnd::Limit,
        },
        false => database.line(&position, limit - placed)?,
    };
    turns.extend(rest.turns);
    let end = match rest.end {
        LineEnd::Repetition { from } => LineEnd::Repetition {
            from: placed + from,
        },
        end => end,
    };
    Ok(Line { turns, end })
}
