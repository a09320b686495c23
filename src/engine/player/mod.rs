//! A player chooses turns in a game: from the databases if they know the position, otherwise by a
//! search that probes them.
//!
//! - `choose`: the choice among turns with known values
//! - `progress`: progress in won positions for which the files hold no depths
//! - `skill`: playing badly in a believable way
//! - `thinking`: a choice in slices of time

mod choose;
mod progress;
mod skill;
mod thinking;

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::engine::count::QuietCount;
use crate::engine::game::Game;
use crate::probe::{Answer, Database, Effort, RankedTurn};
use crate::random::Random;
use crate::rules::position::Position;
use crate::rules::turns::Turn;
use crate::search::clock::Instant;
use crate::search::{Evaluation, Limits, NoProber, PrincipalVariation, Score, Search};
use crate::store::DbError;
use crate::value::Wdl;

pub use choose::DrawnTurns;
pub use skill::SkillLevel;
pub use thinking::Thinking;

/// A player.
#[derive(Clone, Debug)]
pub struct Player {
    /// The databases that it uses.
    pub database: Arc<Database>,
    /// The search, with its transposition table.
    pub search: Arc<Search>,
    /// The playing strength.
    pub level: SkillLevel,
    /// The seed of its random choices; with 0 the perfect player always chooses the same turn.
    pub seed: u64,
    /// The choice among turns of the same value.
    pub drawn: DrawnTurns,
}

/// The choice of a player.
#[derive(Debug)]
#[non_exhaustive]
pub struct Choice {
    /// The turn.
    pub turn: Turn,
    /// The variation that begins with the turn.
    pub variation: PrincipalVariation,
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

/// The values after `quiet` quiet turns that are known without a real search: by the rules, from the
/// databases, or by a search of at most a few hundred positions that ends at the deadline.
pub(crate) fn look_up(
    database: &Database,
    position: &Position,
    quiet: u32,
    deadline: Option<Instant>,
) -> Result<Answer, DbError> {
    let effort = Effort {
        nodes: Some(KNOWN_NODES),
        deadline,
    };
    database.answer_after(position, quiet, effort)
}

/// How long a player may look up values.
#[derive(Clone, Copy)]
struct Deadline<'a> {
    stop: &'a AtomicBool,
    start: Instant,
    time: Option<Duration>,
}

impl Deadline<'_> {
    fn is_over(&self) -> bool {
        let is_late = |time| self.start.elapsed() >= time;
        self.stop.load(Ordering::Relaxed) || self.time.is_some_and(is_late)
    }

    /// The end of the time.
    fn end(&self) -> Option<Instant> {
        self.start.checked_add(self.time?)
    }

    /// The end of the time for the values of the player's own turns. If they are not all known by then, a
    /// search needs the rest.
    fn first_end(&self) -> Option<Instant> {
        self.start.checked_add(self.time? / 8 * 7)
    }
}

/// Receives the variations that a player considers.
type OnVariation<'a> = dyn FnMut(&PrincipalVariation) + 'a;

/// The question for a turn, as [`Player::choose`] gets it.
struct Asked<'a> {
    game: &'a Game,
    /// The rest of the limits.
    limits: Limits,
    stop: &'a AtomicBool,
    report: &'a mut OnVariation<'a>,
}

impl Player {
    /// Chooses a turn; `None` if the game is over.
    ///
    /// `report` receives the variations as they are found, the last one before the choice. The
    /// limits and `stop` end the search; even then the result is a turn.
    pub fn choose(
        &self,
        game: &Game,
        limits: &Limits,
        stop: &AtomicBool,
        report: &mut OnVariation<'_>,
    ) -> Option<Choice> {
        let mut asked = Asked {
            game,
            limits: *limits,
            stop,
            report,
        };
        match self.begin(&mut asked) {
            ControlFlow::Break(choice) => choice,
            ControlFlow::Continue(failure) => {
                let choice = self.choose_by_search(&mut asked)?;
                Some(Choice { failure, ..choice })
            }
        }
    }

    /// Breaks with the choice, `None` if the game is over. It continues if the choice takes a long search, with
    /// the failure for [`Choice::failure`].
    fn begin(&self, asked: &mut Asked<'_>) -> ControlFlow<Option<Choice>, Option<DbError>> {
        let game = asked.game;
        if game.position().is_over(game.rules()) {
            return ControlFlow::Break(None);
        }
        let start = Instant::now();
        if self.level != SkillLevel::PERFECT {
            let nodes = asked.limits.nodes.unwrap_or(u64::MAX);
            asked.limits.nodes = Some(nodes.min(SkillLevel::NODES));
        }
        let mut random = game.random(self.seed);
        let is_won = self.knows_win(game.position());
        if !self.level.is_perfect(is_won, &mut random) {
            return ControlFlow::Break(self.choose_badly(asked, random));
        }
        let failure = match self.choose_known(asked) {
            Ok(choice) => return ControlFlow::Break(choice),
            Err(failure) if is_damage(&failure) => Some(failure),
            Err(_) => None,
        };
        // The look-up took time, too.
        let rest = |time: Duration| time.saturating_sub(start.elapsed());
        asked.limits.time = asked.limits.time.map(rest);
        ControlFlow::Continue(failure)
    }

    /// The values that are known without a real search: by the rules, from the databases, or by a
    /// search of at most a few hundred positions; under the game's [rule for draws](crate::engine::DrawRule).
    ///
    /// # Errors
    ///
    /// As for [`Database::answer`].
    pub fn look_up(&self, game: &Game) -> Result<Answer, DbError> {
        let (rules, position, quiet) = (game.rules(), game.position(), game.quiet_turns());
        let mut answer = look_up(&self.database, position, quiet, None)?;
        if rules.is_drawn_by_limit(position, quiet) {
            return Ok(answer);
        }
        answer.turns = game.under_draw_rule(&self.database, answer.turns, &|| false);
        answer.value = answer.turns.first().map_or(answer.value, |best| best.value);
        Ok(answer)
    }

    /// Checks that the player need not wait for bytes of files; players of low levels use none.
    ///
    /// # Errors
    ///
    /// [`DbError::Pending`] if it must.
    pub fn check_arrived(&self, position: &Position) -> Result<(), DbError> {
        if self.level.knows_databases()
            && let Err(pending @ DbError::Pending(_)) = look_up(&self.database, position, 0, None)
        {
            return Err(pending);
        }
        Ok(())
    }

    /// Whether the player's databases know that a position of the moving phase is won.
    fn knows_win(&self, position: &Position) -> bool {
        self.level.knows_databases()
            && self.level != SkillLevel::PERFECT
            && !position.is_in_placing_phase(self.database.rules())
            && (self.database.probe_wdl(position)).is_ok_and(|wdl| wdl == Wdl::Win)
    }

    /// Chooses by known values.
    fn choose_known(&self, asked: &mut Asked<'_>) -> Result<Option<Choice>, DbError> {
        let (game, limits, stop) = (asked.game, asked.limits, asked.stop);
        let deadline = Deadline {
            stop,
            start: Instant::now(),
            time: limits.time,
        };
        let (ranked, lookups) =
            choose::rank(&self.database, game, self.seed, self.drawn, deadline)?;
        let mut first = None;
        for (number, first_turn) in (1..=limits.lines.max(1)).zip(&ranked) {
            let turns = self.known_line(game, first_turn, deadline);
            let depth = turns.len() as u32;
            let variation = PrincipalVariation {
                turns,
                number,
                score: Score::from(game.rules().distance().to_end(first_turn.value)),
                value: Some(first_turn.value),
                depth,
                seldepth: depth,
                nodes: ranked.len() as u64,
                tb_hits: lookups,
                time: deadline.start.elapsed(),
            };
            (asked.report)(&variation);
            first.get_or_insert(variation);
        }
        Ok(first.map(Choice::from))
    }

    /// The turn and the best turns after it, as far as their values are known.
    fn known_line(&self, game: &Game, first: &RankedTurn, deadline: Deadline<'_>) -> Vec<Turn> {
        let mut line = vec![first.turn];
        if game.is_drawn_by(first) {
            return line;
        }
        let mut position = first.after;
        let mut count = QuietCount::of(game).after(game.position(), first.turn);
        while line.len() < KNOWN_LINE
            && !deadline.is_over()
            && let Ok(answer) = look_up(&self.database, &position, count.turns(), deadline.end())
            && let Some(best) = answer.turns.first()
        {
            line.push(best.turn);
            count = count.after(&position, best.turn);
            position = best.after;
        }
        line
    }

    /// Chooses by a search that probes the databases.
    fn choose_by_search(&self, asked: &mut Asked<'_>) -> Option<Choice> {
        let (game, limits, stop) = (asked.game, &asked.limits, asked.stop);
        let mut reported = false;
        let mut note = |variation: &PrincipalVariation| {
            reported = true;
            (asked.report)(variation);
        };
        let (position, earlier) = (game.position(), game.earlier());
        let prober = &*self.database;
        let found = (self.search).run(position, earlier, prober, limits, stop, &mut note);
        let best = found.into_iter().next()?;
        if let Some(known) = better_known(prober, position, &best) {
            (asked.report)(&known);
            return Some(Choice::from(known));
        }
        if !reported {
            (asked.report)(&best);
        }
        Some(Choice::from(best))
    }

    /// Searches all turns to a low depth and chooses one at random. A separate search on one thread
    /// makes the choice depend on nothing but the game and the seed.
    fn choose_badly(&self, asked: &mut Asked<'_>, mut random: Random) -> Option<Choice> {
        let (game, limits, stop) = (asked.game, asked.limits, asked.stop);
        let (position, earlier) = (game.position(), game.earlier());
        let search = Search::new(*game.rules(), WEAK_SEARCH_BYTES, 1);
        let search = search.evaluating(Evaluation::ByHand);
        let depth = self.level.depth(&mut random);
        let weaker = Limits {
            depth: Some(limits.depth.unwrap_or(u32::MAX).min(depth)),
            lines: position.turns(game.rules()).len(),
            ..limits
        };
        let found = search.run(position, earlier, &NoProber, &weaker, stop, &mut |_| ());
        let scores: Vec<Score> = found.iter().map(|variation| variation.score).collect();
        let place = self.level.pick(&scores, &mut random);
        let mut chosen = found.into_iter().nth(place)?;
        chosen.number = 1;
        (asked.report)(&chosen);
        Some(Choice::from(chosen))
    }
}

impl From<PrincipalVariation> for Choice {
    fn from(variation: PrincipalVariation) -> Choice {
        Choice {
            turn: variation.turns[0],
            variation,
            failure: None,
        }
    }
}

/// A variation with a known value that is better than the one that a search found: the time may
/// have ended when the values of only some turns were known. A known draw is better than a turn
/// whose win nothing proves, unless the position is known to be won.
fn better_known(
    database: &Database,
    position: &Position,
    found: &PrincipalVariation,
) -> Option<PrincipalVariation> {
    let known = database.kept_turns(position);
    let best = known.first()?;
    let is_won = || {
        database
            .stored_at_hand(position)
            .is_some_and(|value| value.wdl() == Wdl::Win)
    };
    let own = known.iter().find(|turn| turn.turn == found.turns[0]);
    let is_better = match own {
        Some(own) => best.value > own.value,
        None => match best.value.wdl() {
            Wdl::Win => true,
            Wdl::Draw => found.score.result() != Some(Wdl::Win) && !is_won(),
            Wdl::Loss => false,
        },
    };
    is_better.then(|| PrincipalVariation {
        turns: vec![best.turn],
        score: Score::from(database.rules().distance().to_end(best.value)),
        value: Some(best.value),
        depth: 1,
        seldepth: 1,
        tb_hits: found.tb_hits + known.len() as u64,
        ..found.clone()
    })
}

/// Whether an error means that an existing file cannot be used, and not that it is missing.
pub(crate) fn is_damage(error: &DbError) -> bool {
    error.is_unusable() || matches!(error, DbError::Io { .. })
}

#[cfg(all(test, feature = "embedded"))]
mod tests {
    use super::*;
    use crate::rules::Rules;
    use crate::search::key;
    use crate::value::{Dtw, Value};

    #[test]
    fn a_known_value_is_better_than_a_guess() {
        let rules = Rules::STANDARD;
        let text = "*****O@*/O***@***/@O****** w p p 3 6 3 6 0 0";
        let position = Position::parse(text, &rules).unwrap();
        let turns = position.turns(&rules);
        let (win, loss) = (Value::Win(Dtw(9)), Value::Loss(Dtw(8)));
        let better = |known: &[Value], score| {
            let database = Database::embedded(rules);
            // The search chose the first turn. The values of the turns from the second on are
            // known, that of the first last.
            for (turn, value) in turns[1..].iter().chain(&turns[..1]).zip(known) {
                let (key, _) = key::canonical(&position.after(*turn));
                database.keep(key, *value);
            }
            let found = PrincipalVariation {
                turns: vec![turns[0]],
                number: 1,
                score,
                value: None,
                depth: 1,
                seldepth: 1,
                nodes: 1,
                tb_hits: 0,
                time: Duration::ZERO,
            };
            let better = better_known(&database, &position, &found)?;
            assert_ne!(better.turns[0], turns[0]);
            better.value
        };
        let guess = Score::evaluation(3);
        assert_eq!(better(&[], guess), None);
        // The values are those of the other side.
        assert_eq!(better(&[win], guess), None);
        assert_eq!(better(&[Value::Draw], guess), Some(Value::Draw));
        assert_eq!(better(&[Value::Draw], Score::win_in(5)), None);
        assert_eq!(
            better(&[Value::Draw, loss], guess),
            Some(Value::Win(Dtw(9)))
        );
        assert_eq!(better(&[loss], Score::win_in(5)), Some(Value::Win(Dtw(9))));
        // All are known: a draw beats the first turn only if that loses.
        let mut all = vec![Value::Draw; turns.len()];
        assert_eq!(better(&all, guess), None);
        *all.last_mut().unwrap() = win;
        assert_eq!(better(&all, guess), Some(Value::Draw));
    }
}
