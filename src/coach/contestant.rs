//! The players of matches and exams: the trait of all players, and Millbase's own player.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::engine::game::Game;
use crate::engine::player::{Player, SkillLevel};
use crate::rules::turns::Turn;
use crate::search::{Limits, NoProber, Search};

/// A player of games.
pub trait Contestant {
    /// Begins a new game, in which random choices depend on this seed.
    ///
    /// # Errors
    ///
    /// The reason why the player cannot play: one sentence.
    fn new_game(&mut self, seed: u64) -> Result<(), String>;

    /// The player's turn in a game that is not over.
    ///
    /// # Errors
    ///
    /// The reason why the player gives no turn: one sentence.
    fn turn(&mut self, game: &Game) -> Result<Turn, String>;
}

/// Makes a player; each thread of a match or an exam has its own.
pub type NewContestant<'a> = dyn Fn() -> Box<dyn Contestant> + Sync + 'a;

/// Millbase's player.
#[derive(Clone, Debug)]
pub struct OwnPlayer {
    /// The player; each game sets its search and its seed.
    pub player: Player,
    /// Whether the player of the highest level uses the databases.
    pub knows_databases: bool,
    /// The percentage of its turns that are random.
    pub errs: u8,
    /// The limits of a turn. A level below the highest has limits of its own.
    pub limits: Limits,
}

/// The transposition table of a game, in bytes.
const SEARCH_BYTES: usize = 4 << 20;

impl Contestant for OwnPlayer {
    fn new_game(&mut self, seed: u64) -> Result<(), String> {
        let rules = *self.player.database.rules();
        self.player.search = Arc::new(Search::new(rules, SEARCH_BYTES, 1));
        // With the seed 0 the perfect player would always choose the same turns.
        self.player.seed = seed.max(1);
        Ok(())
    }

    fn turn(&mut self, game: &Game) -> Result<Turn, String> {
        let turn = self.turn_by_chance(game).or_else(|| self.best_turn(game));
        turn.ok_or_else(|| "the player has no turn".to_owned())
    }
}

impl OwnPlayer {
    /// A random turn, with the probability of `errs`.
    fn turn_by_chance(&self, game: &Game) -> Option<Turn> {
        let mut random = game.random(!self.player.seed);
        let turns = game.position().turns(game.rules());
        let errs = random.unit() < f64::from(self.errs) / 100.0 && !turns.is_empty();
        errs.then(|| turns[random.below(turns.len())])
    }

    fn best_turn(&self, game: &Game) -> Option<Turn> {
        let (player, limits, stop) = (&self.player, &self.limits, AtomicBool::new(false));
        if self.knows_databases || player.level != SkillLevel::PERFECT {
            return Some(player.choose(game, limits, &stop, &mut |_| ())?.turn);
        }
        let (position, earlier) = (game.position(), game.earlier());
        let search = &player.search;
        let found = search.run(position, earlier, &NoProber, limits, &stop, &mut |_| ());
        Some(found.first()?.turns[0])
    }
}
