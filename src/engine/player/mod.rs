//! A player chooses turns in a game: from the databases if they know the position, otherwise by a
//! search that probes them.
//!
//! - `choose`: the choice among turns with known values
//! - `chances`: the choice among those of the same value, by the chances of errors
//! - `skill`: playing badly in a believable way

mod chances;
mod choose;
mod skill;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::engine::game::Game;
use crate::probe::{Answer, Database, RankedTurn};
use crate::random::Random;
use crate::rules::position::Position;
use crate::rules::turns::Turn;
use crate::search::clock::Instant;
use crate::search::{Info, Limits, NoProber, Score, Search};
use crate::store::DbError;
use crate::value::Value;

pub use chances::{DrawnTurns, LostTurns, Strategy};
pub use skill::Level;

/// A player.
#[derive(Clone, Debug)]
pub struct Player {
    /// The databases that it uses.
    pub database: Arc<Database>,
    /// The search, with its transposition table.
    pub search: Arc<Search>,
    /// The playing strength.
    pub level: Level,
    /// The seed of its random choices; with 0 the perfect player always chooses the same turn.
    pub seed: u64,
    /// The choices among turns of the same value.
    pub strategy: Strategy,
}

/// A line that a player considers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Thought {
    /// The line and its score.
    pub report: Info,
    /// The value of the line's first turn, if it is known exactly.
    pub known: Option<Value>,
}

/// The choice of a player.
#[derive(Debug)]
pub struct Choice {
    /// The turn.
    pub turn: Turn,
    /// The line that begins with the turn.
    pub thought: Thought,
    /// The reason why an existing database could not be read; the turn was found without it.
    pub failure: Option<DbError>,
}

/// The most turns of a line from known values.
const KNOWN_LINE: usize = 8;

/// The transposition table of a weaker player's search for one turn, in bytes.
const WEAK_SEARCH_BYTES: usize = 4 << 20;

/// The search limit, in positions, within which a value counts as known without a real search; for
/// the last stones in hand.
const KNOWN_NODES: u64 = 500;

/// With less time than this, the player does not look up a position with stones in hand that is at most
/// a few placements from a file: with the usual files 95 % of the answers take less.
const TIME_TO_LOOK_UP: Duration = Duration::from_millis(15);

/// The same for positions far from all files, where it may take half of this time to find out that a
/// position is not known.
const TIME_TO_KNOW: Duration = Duration::from_millis(50);

/// See [`Player::known`].
fn known(database: &Database, position: &Position) -> Result<Answer, DbError> {
    database.answer_within(position, Some(KNOWN_NODES))
}

impl Player {
    /// Chooses a turn; `None` if the game is over.
    ///
    /// `report` receives the lines as they are found, the last one before the choice. The limits
    /// and `stop` end the search; even then the result is a turn.
    pub fn choose(
        &self,
        game: &Game,
        limits: &Limits,
        stop: &AtomicBool,
        report: &mut dyn FnMut(&Thought),
    ) -> Option<Choice> {
        if game.position().is_over(game.rules()) {
            return None;
        }
        let least = |nodes: Option<u64>| Some(nodes.map_or(Level::NODES, |n| n.min(Level::NODES)));
        let limits = &match self.level {
            Level::PERFECT => *limits,
            _ => Limits {
                nodes: least(limits.nodes),
                ..*limits
            },
        };
        let mut random = game.random(self.seed);
        if !self.level.is_perfect(&mut random) {
            return self.choose_badly(game, limits, stop, report, random);
        }
        let start = Instant::now();
        let failure = match self.choose_known(game, limits, stop, report) {
            Ok(choice) => return choice,
            Err(failure) if is_damage(&failure) => Some(failure),
            Err(_) => None,
        };
        // The check whether the position is known took time, too.
        let rest = Limits {
            time: limits.time.map(|time| time.saturating_sub(start.elapsed())),
            ..*limits
        };
        let choice = self.choose_by_search(game, &rest, stop, report)?;
        Some(Choice { failure, ..choice })
    }

    /// The values that are known without a real search: by the rules, from the databases, or by a
    /// search of at most a few hundred positions.
    ///
    /// # Errors
    ///
    /// As for [`Database::answer`].
    pub fn known(&self, position: &Position) -> Result<Answer, DbError> {
        known(&self.database, position)
    }

    /// Checks that the player need not wait for bytes of files; players of low levels choose without.
    ///
    /// # Errors
    ///
    /// [`DbError::Pending`] if it must.
    pub fn check_arrived(&self, position: &Position) -> Result<(), DbError> {
        if self.level.knows_databases()
            && let Err(pending @ DbError::Pending(_)) = self.known(position)
        {
            return Err(pending);
        }
        Ok(())
    }

    fn choose_known(
        &self,
        game: &Game,
        limits: &Limits,
        stop: &AtomicBool,
        report: &mut dyn FnMut(&Thought),
    ) -> Result<Option<Choice>, DbError> {
        let start = Instant::now();
        let enough = || {
            let is_late = |time| start.elapsed() >= time;
            stop.load(Ordering::Relaxed) || limits.time.is_some_and(is_late)
        };
        let needed = match self.database.is_near_file(game.position()) {
            true => TIME_TO_LOOK_UP,
            false => TIME_TO_KNOW,
        };
        let is_hurried = limits.time.is_some_and(|time| time < needed);
        if is_hurried && game.position().is_placing() {
            return Err(DbError::NotStored(
                "the time limit is too short to look".to_string(),
            ));
        }
        let ranking = choose::rank(&self.database, game, self.seed, self.strategy, &enough)?;
        let mut thoughts = Vec::new();
        for (number, ranked) in (1..=limits.lines.max(1)).zip(&ranking.turns) {
            let line = self.known_line(ranked, &enough);
            let thought = Thought {
                report: Info {
                    depth: line.len() as u32,
                    seldepth: line.len() as u32,
                    score: Score::from(ranked.value),
                    nodes: ranking.turns.len() as u64,
                    tb_hits: ranking.lookups,
                    time: start.elapsed(),
                    line,
                    number,
                },
                known: Some(ranked.value),
            };
            report(&thought);
            thoughts.push(thought);
        }
        let first = ranking.turns.first().zip(thoughts.into_iter().next());
        Ok(first.map(|(ranked, thought)| Choice {
            turn: ranked.turn,
            thought,
            failure: None,
        }))
    }

    /// The turn and the best turns after it, as far as their values are known.
    fn known_line(&self, first: &RankedTurn, enough: &dyn Fn() -> bool) -> Vec<Turn> {
        let mut line = vec![first.turn];
        let mut position = first.after;
        while line.len() < KNOWN_LINE && !enough() {
            let best = match self.known(&position) {
                Ok(answer) => answer.turns.into_iter().next(),
                Err(_) => None,
            };
            let Some(best) = best else {
                break;
            };
            line.push(best.turn);
            position = best.after;
        }
        line
    }

    fn choose_by_search(
        &self,
        game: &Game,
        limits: &Limits,
        stop: &AtomicBool,
        report: &mut dyn FnMut(&Thought),
    ) -> Option<Choice> {
        let mut reported = false;
        let outcome = self.search.run(
            game.position(),
            game.earlier(),
            &*self.database,
            limits,
            stop,
            &mut |found| {
                reported = true;
                report(&Thought::searched(found));
            },
        );
        let thought = Thought::searched(outcome.lines.first()?);
        if !reported {
            report(&thought);
        }
        Some(Choice {
            turn: outcome.best()?,
            thought,
            failure: None,
        })
    }

    /// Searches all turns to a low depth and chooses one at random. It uses a separate search on
    /// one thread, so that the choice depends only on the game and the seed.
    fn choose_badly(
        &self,
        game: &Game,
        limits: &Limits,
        stop: &AtomicBool,
        report: &mut dyn FnMut(&Thought),
        mut random: Random,
    ) -> Option<Choice> {
        let position = game.position();
        let search = Search::new(*game.rules(), WEAK_SEARCH_BYTES, 1);
        let depth = self.level.depth(&mut random);
        let weaker = Limits {
            depth: Some(limits.depth.unwrap_or(u32::MAX).min(depth)),
            lines: position.turns(game.rules()).len(),
            ..*limits
        };
        let outcome = search.run(
            position,
            game.earlier(),
            &NoProber,
            &weaker,
            stop,
            &mut |_| (),
        );
        let scores: Vec<Score> = outcome.lines.iter().map(|line| line.score).collect();
        let mut chosen = (outcome.lines)
            .into_iter()
            .nth(self.level.pick(&scores, &mut random))?;
        chosen.number = 1;
        let thought = Thought::searched(&chosen);
        report(&thought);
        Some(Choice {
            turn: *thought.report.line.first()?,
            thought,
            failure: None,
        })
    }
}

/// Whether an error means that an existing file cannot be used, and not that it is missing.
pub(crate) fn is_damage(error: &DbError) -> bool {
    error.is_unusable() || matches!(error, DbError::Io { .. })
}

impl Thought {
    fn searched(report: &Info) -> Thought {
        Thought {
            report: report.clone(),
            known: None,
        }
    }
}

#[cfg(all(test, feature = "embedded"))]
mod tests {
    use super::*;
    use crate::Rules;

    const RULES: Rules = Rules::STANDARD;

    fn player(level: u8, seed: u64) -> Player {
        Player {
            database: Arc::new(Database::embedded(RULES)),
            search: Arc::new(Search::new(RULES, 1 << 20, 1)),
            level: Level::new(level),
            seed,
            strategy: Strategy::default(),
        }
    }

    fn chosen(player: &Player, game: &Game, limits: &Limits) -> (Option<Turn>, Vec<Thought>) {
        let mut thoughts = Vec::new();
        let stop = AtomicBool::new(false);
        let choice = player.choose(game, limits, &stop, &mut |thought| {
            thoughts.push(thought.clone());
        });
        if let Some(choice) = &choice {
            assert_eq!(choice.thought.report.line.first(), Some(&choice.turn));
            assert!(!thoughts.is_empty());
        }
        (choice.map(|choice| choice.turn), thoughts)
    }

    fn shallow(depth: u32) -> Limits {
        Limits {
            depth: Some(depth),
            ..Limits::default()
        }
    }

    #[test]
    fn a_known_win_is_won_in_time() {
        let text = "***O**@*/*O@***@*/**@**O** w m s 3 0 4 0 0 0";
        let mut game = Game::new(RULES, Position::parse(text, &RULES).unwrap());
        let player = player(30, 9);
        for _ in 0..21 {
            let (turn, thoughts) = chosen(&player, &game, &Limits::default());
            assert!(thoughts[0].known.is_some());
            game.make(turn.unwrap()).unwrap();
        }
        assert_eq!(chosen(&player, &game, &Limits::default()).0, None);
    }

    #[test]
    fn weak_players_depend_on_the_seed_only() {
        let game = Game::new(RULES, Position::start(&RULES));
        let turn = |level, seed| chosen(&player(level, seed), &game, &shallow(9)).0.unwrap();
        for level in [0, 6, 12] {
            let turns: Vec<Turn> = (0..12).map(|seed| turn(level, seed)).collect();
            let again: Vec<Turn> = (0..12).map(|seed| turn(level, seed)).collect();
            assert_eq!(turns, again);
            assert!(turns.iter().any(|other| *other != turns[0]), "{level}");
        }
    }

    #[test]
    fn unknown_positions_are_searched() {
        let game = Game::new(RULES, Position::start(&RULES));
        let (turn, thoughts) = chosen(&player(30, 0), &game, &shallow(2));
        assert!(game.position().turns(&RULES).contains(&turn.unwrap()));
        assert!(thoughts.iter().all(|thought| thought.known.is_none()));
    }

    #[test]
    fn several_lines_begin_with_different_turns() {
        for text in [
            "***O**@*/*O@***@*/**@**O** w m s 3 0 4 0 0 0",
            "********/********/******** w p p 0 9 0 9 0 0",
        ] {
            let game = Game::new(RULES, Position::parse(text, &RULES).unwrap());
            let limits = Limits {
                lines: 4,
                ..shallow(1)
            };
            let (_, thoughts) = chosen(&player(30, 0), &game, &limits);
            let numbers: Vec<usize> = thoughts.iter().map(|t| t.report.number).collect();
            assert_eq!(numbers, [1, 2, 3, 4]);
            let mut firsts: Vec<Turn> = thoughts.iter().map(|t| t.report.line[0]).collect();
            firsts.sort();
            firsts.dedup();
            assert_eq!(firsts.len(), 4);
        }
    }
}
