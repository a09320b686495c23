//! The source of true values: the ranked turns of a position, found with a bounded search.

use crate::engine::player::is_damage;
use crate::probe::{Answer, Database, Effort};
use crate::random::Random;
use crate::rules::position::Position;
use crate::sample::{Family, MOST_DRAWS};
use crate::store::DbError;
use crate::value::{Value, Wdl};

/// The found answer, or the reason why it is not known; the outer error is that of a file that cannot be used.
fn unless_damaged<T>(found: Result<T, DbError>) -> Result<Result<T, DbError>, DbError> {
    match found {
        Err(error) if is_damage(&error) => Err(error),
        found => Ok(found),
    }
}

/// The databases, with a limit on the search for values that they do not store.
#[derive(Clone, Copy, Debug)]
pub struct Truth<'a> {
    database: &'a Database,
    /// Positions with more stones in hand have a value only if it is stored.
    most_in_hand: u8,
}

/// The most positions that one search visits.
const MOST_NODES: u64 = 20_000_000;

impl<'a> Truth<'a> {
    /// Searches for values while at most ten stones are in hand, which can take seconds for each
    /// position.
    pub fn patient(database: &'a Database) -> Truth<'a> {
        Truth {
            database,
            most_in_hand: 10,
        }
    }

    /// Searches only for the values of the last four placements, which takes some milliseconds for
    /// each position.
    pub fn brief(database: &'a Database) -> Truth<'a> {
        Truth {
            database,
            most_in_hand: 4,
        }
    }

    /// The databases.
    pub fn database(&self) -> &'a Database {
        self.database
    }

    /// The position's value and its turns, best first, after this many quiet turns, which matter if the rules
    /// limit them.
    ///
    /// # Errors
    ///
    /// As for [`Database::answer`](crate::Database::answer).
    pub fn answer(&self, position: &Position, quiet_turns: u32) -> Result<Answer, DbError> {
        let nodes = match position.all_in_hand() <= u32::from(self.most_in_hand) {
            true => MOST_NODES,
            false => 1,
        };
        (self.database).answer_after(position, quiet_turns, Effort::up_to(Some(nodes)))
    }

    /// As [`Truth::answer`], but `Ok(Err(reason))` if no database at hand has the value.
    ///
    /// # Errors
    ///
    /// Errors of existing files that cannot be used.
    pub fn answer_or_reason(
        &self,
        position: &Position,
        quiet_turns: u32,
    ) -> Result<Result<Answer, DbError>, DbError> {
        unless_damaged(self.answer(position, quiet_turns))
    }

    /// The position's value after this many quiet turns, without a search; `None` if no file of a pair at hand
    /// has it.
    ///
    /// # Errors
    ///
    /// Errors of existing files that cannot be used.
    pub(crate) fn stored(
        &self,
        position: &Position,
        quiet_turns: u32,
    ) -> Result<Option<Value>, DbError> {
        let rules = self.database.rules();
        if position.is_in_placing_phase(rules) {
            return Ok(None);
        }
        let value = unless_damaged(self.database.probe(position))?.ok();
        Ok(value.map(|value| rules.after_quiet_turns(position, quiet_turns, value)))
    }

    /// A random position of a family with its answer; with `wanted`, one with this result.
    ///
    /// The same seed gives the same position. `None` if such positions are so rare that none is
    /// found.
    ///
    /// # Errors
    ///
    /// As for [`Database::answer`](crate::Database::answer).
    pub fn sample(
        &self,
        family: Family,
        wanted: Option<Wdl>,
        seed: u64,
    ) -> Result<Option<(Position, Answer)>, DbError> {
        let mut random = Random::new(seed);
        let draw = |_| family.draw(self.database.rules(), &mut random);
        for position in (0..MOST_DRAWS).filter_map(draw) {
            let answer = match self.answer(&position, 0) {
                Err(DbError::Omitted) => continue,
                found => found?,
            };
            if wanted.is_none_or(|wanted| answer.value.wdl() == wanted) {
                return Ok(Some((position, answer)));
            }
        }
        Ok(None)
    }
}
