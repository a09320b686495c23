//! The queries that every frontend needs. They are the same for positions with and without stones
//! in hand, with a pending removal, and after the end of the game.

use std::cmp::{Ordering, Reverse};
use std::collections::HashMap;

use super::database::Database;
use super::lookup::cache_key;
use crate::index::Material;
use crate::names::names;
use crate::rules::position::Position;
use crate::rules::turns::Turn;
use crate::rules::{FEWEST_STONES, Rules};
use crate::search::clock::Instant;
use crate::search::key;
use crate::store::DbError;
use crate::value::{Distance, Dtw, Metric, Value, Wdl};

/// The source of an answer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Source {
    /// The game is over, or drawn by the rules' limit of quiet turns.
    Rules,
    /// The files, with at most a short search down to them.
    Database,
    /// A search down to stored positions.
    Search,
}

names! { Source { Rules: "rules", Database: "database", Search: "search" } }

/// The bounds of the search for an answer.
#[derive(Clone, Copy, Default)]
pub(crate) struct Effort {
    /// The most positions that it visits if no file is near; `None` for the usual limits.
    pub nodes: Option<u64>,
    /// The time at which it gives up.
    pub deadline: Option<Instant>,
}

impl Effort {
    /// These bounds without a deadline.
    pub fn up_to(nodes: Option<u64>) -> Effort {
        Effort {
            nodes,
            deadline: None,
        }
    }
}

/// A position's value and its turns.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Answer {
    /// The value for the side to move. A pending removal is a turn of its own.
    pub value: Value,
    /// All turns, best first in the order of [`RankedTurn::order`]; none when the game is over.
    pub turns: Vec<RankedTurn>,
    /// The source of the values.
    pub source: Source,
}

impl Answer {
    /// The answer where the rules' limit of quiet turns draws the game; `None` if it does not. The turns that could
    /// follow are draws, too.
    fn at_quiet_limit(rules: &Rules, position: &Position, quiet: u32) -> Option<Answer> {
        let value = Value::Draw;
        (rules.is_drawn_by_limit(position, quiet)).then(|| Answer {
            value,
            turns: (position.turns(rules).into_iter())
                .map(|turn| RankedTurn {
                    turn,
                    value,
                    after: position.after(turn),
                })
                .collect(),
            source: Source::Rules,
        })
    }

    /// The answer after `quiet` quiet turns, from the answer after none; the same if the rules do
    /// not limit quiet turns.
    #[must_use]
    pub fn after_quiet_turns(mut self, rules: &Rules, position: &Position, quiet: u32) -> Answer {
        within_limit(&mut self.turns, rules, position, quiet);
        if let Some(best) = self.turns.first() {
            self.value = best.value;
        }
        self
    }
}

/// Adjusts the values of a position's turns to `quiet` quiet turns before it, and ranks the turns
/// again.
fn within_limit(turns: &mut [RankedTurn], rules: &Rules, position: &Position, quiet: u32) {
    if quiet == 0 || rules.quiet_turns == 0 {
        return;
    }
    for turn in &mut *turns {
        turn.value = rules.after_quiet_turns(position, quiet, turn.value);
    }
    turns.sort_by_cached_key(RankedTurn::key);
}

/// A turn with its value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RankedTurn {
    /// The turn.
    pub turn: Turn,
    /// The value for the side that makes the turn; the depth includes this turn.
    pub value: Value,
    /// The position after the turn.
    pub after: Position,
}

impl RankedTurn {
    /// The ranking: better values first – wins by smaller depth, draws, losses by larger depth –
    /// and turns of the same value in the order of their texts.
    pub fn order(&self, other: &RankedTurn) -> Ordering {
        self.key().cmp(&other.key())
    }

    /// Those of a position's ranked turns that keep its result.
    pub(crate) fn keeping(turns: &[RankedTurn]) -> &[RankedTurn] {
        let best = turns.first().map(|best| best.value.wdl());
        let end = turns.iter().position(|turn| Some(turn.value.wdl()) != best);
        &turns[..end.unwrap_or(turns.len())]
    }

    fn key(&self) -> (Reverse<Value>, u128) {
        (Reverse(self.value), self.turn.letters())
    }
}

/// The game that follows when both sides always choose their first ranked turn.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct BestLine {
    /// The turns; each value is for the side that makes the turn, with the depth counted from
    /// there.
    pub turns: Vec<RankedTurn>,
    /// The reason why the line ends.
    pub end: LineEnd,
}

/// The reason why a [`BestLine`] ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LineEnd {
    /// The game is over: the side to move has lost, or the board is full.
    Over,
    /// The final position is the one before the turn with this number, counted from 0, so the game
    /// is drawn.
    Repetition {
        /// The number of the turn.
        from: usize,
    },
    /// The rules' limit of quiet turns is reached, so the game is drawn.
    Quiet,
    /// The line has reached the requested length.
    Limit,
}

impl LineEnd {
    /// The reason as a word for programs.
    pub fn name(self) -> &'static str {
        match self {
            LineEnd::Over => "over",
            LineEnd::Repetition { .. } => "repetition",
            LineEnd::Quiet => "quiet",
            LineEnd::Limit => "limit",
        }
    }
}

impl Database {
    /// The value of a position. A pending removal counts as a turn of its own. If a needed file
    /// holds no depths, the depth is [unknown](crate::Dtw::UNKNOWN).
    ///
    /// ```
    /// use millbase::{Database, Position, Rules, Value};
    /// let rules = Rules::STANDARD;
    /// let beaten = Position::parse("O@*****O/@@*****@/******** w o ? 2 0 4 0 0 0", &rules)?;
    /// assert_eq!(Database::embedded(rules).probe(&beaten)?, Value::LOST);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`Database::file`] for each needed pair, and [`DbError::MissingPlies`] if a
    /// search from the position down to the files would take minutes, [`DbError::NotStored`]
    /// if no game reaches the position or a side has more stones on the board than the rules give it.
    pub fn probe(&self, position: &Position) -> Result<Value, DbError> {
        match self.value_in(position, Metric::Depth) {
            Err(DbError::NoDepths { .. }) => {
                Ok(self.value_in(position, Metric::Wdl)?.without_depth())
            }
            value => value,
        }
    }

    /// Whether a position is won, drawn or lost.
    ///
    /// # Errors
    ///
    /// As for [`Database::probe`].
    pub fn probe_wdl(&self, position: &Position) -> Result<Wdl, DbError> {
        Ok(self.value_in(position, Metric::Wdl)?.wdl())
    }

    /// All turns of a position with their values, best first in the order of [`RankedTurn::order`];
    /// none when the game is over. If a needed file holds no depths, all depths are unknown.
    ///
    /// # Errors
    ///
    /// As for [`Database::probe`].
    pub fn turns(&self, position: &Position) -> Result<Vec<RankedTurn>, DbError> {
        self.turns_within(position, Effort::default())
    }

    /// The value of a position, its turns, and their source. While stones are in hand and no file
    /// of the placing phase is near, this searches: for a hundredth of a second if the last stones
    /// are in hand, for seconds if ten are.
    ///
    /// ```
    /// use millbase::{Database, Position, Rules, Source};
    /// let rules = Rules { stones: 4, ..Rules::STANDARD };
    /// let position = Position::parse("*****O@*/O***@***/@O****** w p p 3 1 3 1 0 0", &rules)?;
    /// # if cfg!(feature = "embedded") {
    /// let answer = Database::embedded(rules).answer(&position)?;
    /// assert_eq!(answer.source, Source::Search);
    /// assert_eq!(answer.turns[0].value, answer.value);
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`Database::probe`].
    pub fn answer(&self, position: &Position) -> Result<Answer, DbError> {
        self.answer_within(position, None)
    }

    /// [`Database::answer`] for any number of stones in hand, with a custom limit on the number of
    /// positions that the search visits; `None` for the usual limits.
    ///
    /// # Errors
    ///
    /// As for [`Database::answer`].
    pub fn answer_within(
        &self,
        position: &Position,
        most_nodes: Option<u64>,
    ) -> Result<Answer, DbError> {
        self.answer_after(position, 0, Effort::up_to(most_nodes))
    }

    /// [`Database::answer_within`] after `quiet` quiet turns, which matter if the rules limit them. After the deadline it
    /// fails like a search that would take too long.
    pub(crate) fn answer_after(
        &self,
        position: &Position,
        quiet: u32,
        effort: Effort,
    ) -> Result<Answer, DbError> {
        if let Some(drawn) = Answer::at_quiet_limit(self.rules(), position, quiet) {
            return Ok(drawn);
        }
        if let Some(value) = position.result(self.rules()) {
            return Ok(Answer {
                value,
                turns: Vec::new(),
                source: Source::Rules,
            });
        }
        let turns = self.turns_within(position, effort)?;
        let value = certain(turns.first())?.value;
        let answer = Answer {
            value,
            turns,
            source: self.source(position),
        };
        Ok(answer.after_quiet_turns(self.rules(), position, quiet))
    }

    /// Where the value of a position comes from.
    pub fn source(&self, position: &Position) -> Source {
        if position.is_over(self.rules()) {
            Source::Rules
        } else if position.is_in_placing_phase(self.rules()) && !self.is_near_file(position) {
            Source::Search
        } else {
            Source::Database
        }
    }

    fn turns_within(
        &self,
        position: &Position,
        effort: Effort,
    ) -> Result<Vec<RankedTurn>, DbError> {
        match self.ranked(position, Metric::Depth, effort) {
            Err(DbError::NoDepths { .. }) => {
                let mut ranked = self.ranked(position, Metric::Wdl, effort)?;
                for turn in &mut ranked {
                    turn.value = turn.value.without_depth();
                }
                Ok(ranked)
            }
            ranked => ranked,
        }
    }

    /// The game that follows when both sides always choose their first ranked turn, up to `limit`
    /// turns. This needs depths: without them, a winning side may never finish.
    ///
    /// # Errors
    ///
    /// As for [`Database::probe`], and [`DbError::NoDepths`].
    pub fn line(&self, position: &Position, limit: usize) -> Result<BestLine, DbError> {
        self.line_after_quiet_turns(position, 0, limit)
    }

    /// [`Database::line`] after this many quiet turns, which matter if the rules limit them.
    ///
    /// # Errors
    ///
    /// As for [`Database::line`].
    pub fn line_after_quiet_turns(
        &self,
        position: &Position,
        mut quiet: u32,
        limit: usize,
    ) -> Result<BestLine, DbError> {
        let mut turns: Vec<RankedTurn> = Vec::new();
        let mut seen = HashMap::new();
        let mut position = *position;
        let end = loop {
            if let Some(from) = seen.insert(position, turns.len()) {
                break LineEnd::Repetition { from };
            }
            if position.is_over(self.rules()) {
                break LineEnd::Over;
            }
            if self.rules().is_at_quiet_limit(&position, quiet) {
                break LineEnd::Quiet;
            }
            if turns.len() >= limit {
                break LineEnd::Limit;
            }
            let ranked = self.ranked(&position, Metric::Depth, Effort::default());
            if let Err(DbError::NoDepths { rules, .. }) = ranked {
                let mut without = self.pairs().filter(|file| file.metric() == Metric::Wdl);
                let pair = certain(without.next())?.pair();
                return Err(DbError::NoDepths { pair, rules });
            }
            let mut ranked = ranked?;
            within_limit(&mut ranked, self.rules(), &position, quiet);
            let best = certain(ranked.into_iter().next())?;
            quiet = position.quiet_turns_after(best.turn, quiet);
            position = best.after;
            turns.push(best);
        };
        Ok(BestLine { turns, end })
    }

    /// The value of a position in this metric; [`DbError::NoDepths`] if the metric needs a depth
    /// that no file holds.
    pub(crate) fn value_in(&self, position: &Position, metric: Metric) -> Result<Value, DbError> {
        let metric = self.needed(metric);
        if let Some(result) = position.result(self.rules()) {
            return Ok(result);
        }
        let is_owed = position.removal_owed();
        let is_placing = position.is_in_placing_phase(self.rules());
        if is_placing && !is_owed {
            match self.look_ahead(&[*position], None, Effort::default()) {
                // Its turns are one placement nearer to the files.
                Err(DbError::NotStored(_) | DbError::MissingPlies { .. }) => {}
                // The search knows the depth of a win at once, where others have none.
                values => {
                    let value = certain(values?.into_iter().next())?;
                    return Ok(self.placing_metric().shown(value));
                }
            }
        }
        let best_turn = || -> Result<Value, DbError> {
            let ranked = self.ranked(position, metric, Effort::default())?;
            Ok(certain(ranked.first())?.value)
        };
        if is_owed || is_placing || !Material::of_position(position).occurs(self.rules()) {
            return best_turn();
        }
        // No game reaches such a board, so no table has it: any turn leaves the other side beaten.
        if position.total(position.side_to_move().other()) < FEWEST_STONES.into() {
            return Ok(Value::Win(Dtw(1)));
        }
        match self.moving(position, metric) {
            // Its turns may lead to stored positions.
            Err(DbError::NotStored(_) | DbError::Omitted) => best_turn(),
            found => self.with_all_ranges(found, &[*position], metric),
        }
    }

    /// The metric needed to find a value in this one: under a limit of quiet turns, a result
    /// depends on depths.
    fn needed(&self, metric: Metric) -> Metric {
        match self.rules().distance() {
            Distance::ToEnd => metric,
            Distance::ToRemoval => Metric::Depth,
        }
    }

    /// All turns with their values, ranked.
    fn ranked(
        &self,
        position: &Position,
        metric: Metric,
        effort: Effort,
    ) -> Result<Vec<RankedTurn>, DbError> {
        let metric = self.needed(metric);
        let mut turns = Vec::with_capacity(32);
        position.for_each_turn(self.rules(), |turn| turns.push(turn));
        let after: Vec<Position> = turns.iter().map(|&turn| position.after(turn)).collect();
        let values = match after.first() {
            Some(first) if first.is_in_placing_phase(self.rules()) => {
                self.look_ahead(&after, Some(position), effort)?
            }
            _ => self.moving_values(&after, metric)?,
        };
        let turns = turns.into_iter().zip(after).zip(values);
        let turns = turns.map(|((turn, after), value)| RankedTurn { turn, value, after });
        Ok(self.rank(position, metric, turns.collect()))
    }

    /// The value of a position with stones in hand if a file has it and its bytes are at hand.
    pub(crate) fn stored_at_hand(&self, position: &Position) -> Option<Value> {
        let has_one = position.is_in_placing_phase(self.rules()) && !position.removal_owed();
        has_one.then(|| self.stored(position).ok().flatten())?
    }

    /// Ranks turns of a position that have the values of the positions after them.
    fn rank(
        &self,
        position: &Position,
        metric: Metric,
        mut turns: Vec<RankedTurn>,
    ) -> Vec<RankedTurn> {
        let is_placing = position.is_in_placing_phase(self.rules());
        let placing = is_placing.then(|| self.placing_metric());
        for RankedTurn { turn, value, .. } in &mut turns {
            *value = metric.of_value(match placing {
                Some(Metric::Wdl) => value.backed_up().without_depth(),
                Some(Metric::Depth) => value.backed_up(),
                None => {
                    let converts = turn.places() || turn.removes();
                    (self.rules()).value_of_turn(position.on_board(), converts, *value)
                }
            });
        }
        turns.sort_by_cached_key(RankedTurn::key);
        turns
    }

    /// The turns of a position with stones in hand whose values earlier questions have found,
    /// including questions that ended before they knew all of them; best first.
    pub(crate) fn kept_turns(&self, position: &Position) -> Vec<RankedTurn> {
        let mut kept = Vec::new();
        position.for_each_turn(self.rules(), |turn| {
            let after = position.after(turn);
            let key = after.is_placing().then(|| key::canonical(&after).0);
            let value = key.and_then(|key| self.kept(key));
            kept.extend(value.map(|value| RankedTurn { turn, value, after }));
        });
        self.rank(position, Metric::Depth, kept)
    }

    /// The values of positions of pairs.
    fn moving_values(&self, positions: &[Position], metric: Metric) -> Result<Vec<Value>, DbError> {
        let rules = self.rules();
        // A full board, for which no file has values.
        if let [only] = positions
            && let Some(result) = only.result(rules)
        {
            return Ok(vec![result]);
        }
        let find = |positions: &[Position]| {
            let mut values = vec![Value::Draw; positions.len()];
            self.each(positions, metric, |place, value| values[place] = value)?;
            Ok(values)
        };
        let found = self.cached(positions, |at| cache_key(at, metric), find);
        self.with_all_ranges(found, positions, metric)
    }
}

/// The result, which must be there: a game that is not over has a turn.
fn certain<T>(found: Option<T>) -> Result<T, DbError> {
    found.ok_or_else(|| DbError::NotStored("a turn or its value is missing".to_string()))
}
