//! A choice in slices of time, for programs that have one thread and other work to do between the slices.
//!
//! A slice repeats the search from its first depth. The transposition table holds what earlier slices found,
//! so the search soon catches up with the last slice.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;
use std::task::Poll;
use std::time::Duration;

use super::{Asked, Choice, Player};
use crate::engine::game::Game;
use crate::search::Limits;
use crate::search::clock::Instant;
use crate::store::DbError;

/// A choice of a player that is made in slices of time.
///
/// ```
/// use std::sync::Arc;
/// use std::task::Poll;
/// use std::time::Duration;
/// use millbase::engine::{DrawnTurns, Game, Player, SkillLevel, Thinking};
/// use millbase::search::{Limits, Search};
/// use millbase::{Database, Position, Rules};
///
/// let rules = Rules::STANDARD;
/// let player = Player {
///     database: Arc::new(Database::embedded(rules)),
///     search: Arc::new(Search::new(rules, 1 << 20, 1)),
///     level: SkillLevel::PERFECT,
///     seed: 0,
///     drawn: DrawnTurns::default(),
/// };
/// let limits = Limits { nodes: Some(20_000), ..Limits::default() };
/// let mut thinking = Thinking::new(player, Game::new(rules, Position::start(&rules)), limits);
/// let choice = loop {
///     match thinking.go_on(Duration::from_millis(5)) {
///         Poll::Ready(choice) => break choice,
///         Poll::Pending => { /* other work, which may drop `thinking` to end the search */ }
///     }
/// };
/// assert!(choice.is_some());
/// ```
#[derive(Debug)]
pub struct Thinking {
    player: Player,
    game: Game,
    /// The limits of the choice; once it takes a search, the rest of them.
    limits: Limits,
    /// Whether the first slice has found that the choice takes a search.
    searches: bool,
    /// The choice of the search's slices so far.
    best: Option<Choice>,
    nodes: u64,
    failure: Option<DbError>,
}

impl Thinking {
    /// Prepares the choice of a player in a game.
    pub fn new(player: Player, game: Game, limits: Limits) -> Thinking {
        Thinking {
            player,
            game,
            limits,
            searches: false,
            best: None,
            nodes: 0,
            failure: None,
        }
    }

    /// Goes on for about this time. Returns the choice, as [`Player::choose`] does, or
    /// [`Poll::Pending`] if there is more to do.
    ///
    /// Only a search is divided. The first call looks values up until they are known or seven eighths of the
    /// time limit are over. A turn that a player below [`SkillLevel::PERFECT`](super::SkillLevel::PERFECT)
    /// does not play perfectly takes a short search, which is not divided.
    pub fn go_on(&mut self, slice: Duration) -> Poll<Option<Choice>> {
        let never = AtomicBool::new(false);
        let mut asked = Asked {
            game: &self.game,
            limits: self.limits,
            stop: &never,
            report: &mut |_| (),
        };
        if !self.searches {
            return match self.player.begin(&mut asked) {
                ControlFlow::Break(choice) => Poll::Ready(choice),
                ControlFlow::Continue(failure) => {
                    (self.searches, self.limits, self.failure) = (true, asked.limits, failure);
                    Poll::Pending
                }
            };
        }
        let start = Instant::now();
        let time = self.limits.time.map_or(slice, |left| left.min(slice));
        asked.limits.time = Some(time);
        let Some(found) = self.player.choose_by_search(&mut asked) else {
            return Poll::Ready(None);
        };
        let took = start.elapsed();
        let visited = found.variation.nodes;
        self.nodes += visited;
        let depth = |choice: &Choice| choice.variation.depth;
        if (self.best.as_ref()).is_none_or(|best| depth(best) <= depth(&found)) {
            self.best = Some(found);
        }
        let Limits {
            time: left, nodes, ..
        } = &mut self.limits;
        *left = left.map(|left| left.saturating_sub(took));
        *nodes = nodes.map(|nodes| nodes.saturating_sub(visited));
        // Only the end of its time ends a slice before the search is done.
        let is_over = took < time || *left == Some(Duration::ZERO) || *nodes == Some(0);
        if !is_over {
            return Poll::Pending;
        }
        Poll::Ready(self.best.take().map(|mut best| {
            best.variation.nodes = std::mem::take(&mut self.nodes);
            best.failure = self.failure.take();
            best
        }))
    }
}
