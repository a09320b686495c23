//! The one question that every frontend asks: what is this position worth, and what each of its
//! turns? The answer comes from the rules, from a database, or from a search to where databases
//! begin.

use crate::db::{Database, DbError, RankedTurn};
use crate::position::Position;
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
    /// What the position is worth to the side to move.
    pub value: Value,
    /// All turns, best first in the order of [`RankedTurn::order`]; none when the game is over.
    pub turns: Vec<RankedTurn>,
    /// Where the values come from.
    pub source: Source,
}

/// Answers for a position from the databases, or by a search to them while stones are in hand.
///
/// # Errors
///
/// [`DbError::Missing`] if a pair that is needed is not there, [`DbError::NotStored`] for positions
/// so early in the game that the search would take too long, otherwise as for
/// [`Database::probe`].
pub fn answer(database: &Database, position: &Position) -> Result<Answer, DbError> {
    if let Some(answer) = placing(database, position)? {
        return Ok(answer);
    }
    let value = database.probe(position)?;
    let source = match position.is_over(database.rules()) {
        true => Source::Rules,
        false => Source::Database,
    };
    Ok(Answer {
        value,
        turns: database.turns(position)?,
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
