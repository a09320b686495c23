//! The one question that every frontend asks: what is this position worth, and what each of its
//! turns? The answer comes from the rules, from a database, or from a search to where databases
//! begin.

use crate::db::{Database, DbError, RankedTurn};
use crate::position::Position;
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

/// Answers for a position from the databases, or by a search to them while stones are in hand.
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
/// [`DbError::Missing`] if a pair that is needed is not there, [`DbError::NotStored`] for positions
/// so early in the game that the search would take too long, otherwise as for
/// [`Database::probe`].
pub fn answer(database: &Database, position: &Position) -> Result<Answer, DbError> {
    answer_within(database, position, exact::MOST_NODES)
}

/// [`answer`] with another bound for the search: how many positions it may visit.
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
    if position.is_over(rules) {
        return Ok(Answer {
            value: Value::LOST,
            turns: Vec::new(),
            source: Source::Rules,
        });
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
    ranked.sort_unstable_by(RankedTurn::order);
    Ok(ranked)
}
