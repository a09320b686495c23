//! A match: two players play from each start twice, with exchanged colours and the same seed.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crate::coach::confidence::{Interval, interval};
use crate::coach::contestant::{Contestant, Settings};
use crate::coach::record::Outcome;
use crate::coach::review::Review;
use crate::coach::sample::seed_of;
use crate::coach::truth::Truth;
use crate::engine::ending::DrawRule;
use crate::engine::game::Game;
use crate::lock::held;
use crate::probe::Database;
use crate::rules::position::{Position, Side};
use crate::store::DbError;

/// The settings of a match.
#[derive(Clone, Debug)]
pub struct Contest {
    /// The starts of the games.
    pub starts: Vec<Position>,
    /// The number of pairs of games from each start.
    pub rounds: u32,
    /// The two players.
    pub players: [Settings; 2],
    /// The seed of random choices.
    pub seed: u64,
    /// The time that an engine may take beyond its time limit.
    pub patience: Duration,
}

/// The turns without a stone placed or removed after which a game is drawn.
pub const DRAWN_TURNS: usize = DrawRule::USUAL.quiet_turns as usize;

/// A game of a match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Played {
    /// The number of the game, from 0.
    pub number: u64,
    /// The game.
    pub game: Game,
    /// The result.
    pub outcome: Outcome,
    /// The reason of the end.
    pub end: End,
    /// The first turn that makes the result worse; `None`, too, if the databases do not answer for an
    /// earlier turn.
    pub first_error: Option<FirstError>,
    /// Whether the databases answer for all turns.
    pub is_reviewed: bool,
}

/// The first error of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FirstError {
    /// 0 for the first player, 1 for the second.
    pub player: usize,
    /// The number of the turn in the game, from 1.
    pub turn: usize,
}

/// The reason why a game ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// By the rules: a side has lost, or the board is full.
    Rules,
    /// No stone was placed or removed for [`DRAWN_TURNS`] turns.
    NoProgress,
    /// An engine gave no legal turn, for this reason, and loses.
    Forfeit(String),
}

impl End {
    /// `rules`, `no-progress` or `forfeit`.
    pub fn name(&self) -> &'static str {
        match self {
            End::Rules => "rules",
            End::NoProgress => "no-progress",
            End::Forfeit(_) => "forfeit",
        }
    }
}

/// The result of a game that has ended; `None` while it goes on.
fn end(game: &Game) -> Option<(Outcome, End)> {
    match Outcome::of(game) {
        Some(outcome) => Some((outcome, End::Rules)),
        None if game.earlier().len() >= DRAWN_TURNS => Some((Outcome::Drawn, End::NoProgress)),
        None => None,
    }
}

impl Contest {
    /// The number of games.
    pub fn games(&self) -> u64 {
        2 * self.starts.len() as u64 * u64::from(self.rounds)
    }

    /// The place of a game's start in `starts`.
    pub fn start_of(&self, game: u64) -> usize {
        (game / 2 / u64::from(self.rounds.max(1))) as usize
    }

    /// The colour of the first player in a game: White in even ones.
    pub fn first_side(game: u64) -> Side {
        match game % 2 {
            0 => Side::White,
            _ => Side::Black,
        }
    }

    /// Plays the games for which `is_done` is false, on `threads` threads, and passes each to
    /// `found`, in no particular order, until `found` breaks.
    ///
    /// The same seed gives the same games for players that depend on nothing else, such as Millbase
    /// without a time limit.
    ///
    /// # Errors
    ///
    /// Errors of existing files that cannot be used. If `found` breaks with a value, the result is
    /// `Ok(Some(value))`.
    pub fn play<B>(
        &self,
        database: &Arc<Database>,
        threads: usize,
        is_done: &(dyn Fn(u64) -> bool + Sync),
        found: &mut dyn FnMut(Played) -> ControlFlow<B>,
    ) -> Result<Option<B>, DbError> {
        let next = AtomicU64::new(0);
        let stop = AtomicBool::new(false);
        let (sender, games) = channel();
        let failure = Mutex::new(None);
        let broken = thread::scope(|scope| {
            for _ in 0..threads.max(1) {
                let (sender, next, stop, failure) = (sender.clone(), &next, &stop, &failure);
                scope.spawn(move || {
                    let mut players = (self.players.each_ref())
                        .map(|player| Contestant::new(player, database, self.patience));
                    while !stop.load(Ordering::Relaxed) {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= self.games() {
                            break;
                        }
                        if is_done(number) {
                            continue;
                        }
                        match self.game(number, &mut players, database) {
                            Ok(played) => {
                                if sender.send(played).is_err() {
                                    break;
                                }
                            }
                            Err(error) => {
                                held(failure).get_or_insert(error);
                                stop.store(true, Ordering::Relaxed);
                            }
                        }
                    }
                });
            }
            drop(sender);
            for played in games {
                if let ControlFlow::Break(value) = found(played) {
                    stop.store(true, Ordering::Relaxed);
                    return Some(value);
                }
            }
            None
        });
        let failure = failure.into_inner().unwrap_or_else(PoisonError::into_inner);
        match (broken, failure) {
            (None, Some(error)) => Err(error),
            (broken, _) => Ok(broken),
        }
    }

    fn game(
        &self,
        number: u64,
        players: &mut [Contestant; 2],
        database: &Database,
    ) -> Result<Played, DbError> {
        let start = self.starts[self.start_of(number)];
        let mut game = Game::new(*database.rules(), start);
        let first = Contest::first_side(number);
        let (outcome, end) = self.finish(number, first, players, &mut game);
        let review = Review::of(Truth::brief(database), &game)?;
        let first_error = review.first_error(None).map(|turn| FirstError {
            player: usize::from(review.turns[turn].side() != first),
            turn: turn + 1,
        });
        Ok(Played {
            number,
            game,
            outcome,
            end,
            first_error,
            is_reviewed: review.missing.is_none(),
        })
    }

    /// Plays a game to its end.
    fn finish(
        &self,
        number: u64,
        first: Side,
        players: &mut [Contestant; 2],
        game: &mut Game,
    ) -> (Outcome, End) {
        // Both games of a pair have the same seeds, whatever the colours.
        for (place, player) in players.iter_mut().enumerate() {
            let seed = seed_of(self.seed, number / 2 * 2 + place as u64);
            if let Err(error) = player.new_game(seed) {
                let side = if place == 0 { first } else { first.other() };
                return (Outcome::Won(side.other()), End::Forfeit(error.to_string()));
            }
        }
        loop {
            if let Some(end) = end(game) {
                return end;
            }
            let side = game.position().side_to_move();
            let player = &mut players[usize::from(side != first)];
            let turn = player.turn(game).map_err(|error| error.to_string());
            let made = turn.and_then(|turn| game.make(turn).map_err(|error| error.to_string()));
            if let Err(sentence) = made {
                return (Outcome::Won(side.other()), End::Forfeit(sentence));
            }
        }
    }
}

/// By the place of the start and the number of the pair of games, which has exchanged colours.
type Sums = BTreeMap<(usize, u64), (f64, f64)>;

/// The score of a match so far, from the first player's perspective.
#[derive(Clone, Debug, Default)]
pub struct Standing {
    /// Won, drawn and lost games.
    pub results: [u64; 3],
    /// The games that each player forfeited.
    pub forfeits: [u64; 2],
    /// The games of which it is known that each player made the first error.
    pub first_errors: [u64; 2],
    /// The sums of the turn numbers of these errors.
    pub first_error_turns: [u64; 2],
    /// The games whose turns the databases all know.
    pub reviewed: u64,
    /// The turns of all games.
    pub turns: u64,
    /// For each start and pair of games: points and games.
    points: Sums,
    /// For each start and pair of games: won games and games.
    wins: Sums,
}

/// The facts about a game that a standing needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Summary {
    /// The place of the start.
    pub start: usize,
    /// The number of the game, from 0.
    pub number: u64,
    /// The colour of the first player.
    pub first: Side,
    /// The result of the game.
    pub outcome: Outcome,
    /// Whether an engine gave no legal turn.
    pub is_forfeit: bool,
    /// The first error.
    pub first_error: Option<FirstError>,
    /// Whether the databases answer for all turns.
    pub is_reviewed: bool,
    /// The number of turns of the game.
    pub turns: u64,
}

impl Standing {
    /// Counts a game.
    pub fn add(&mut self, game: &Summary) {
        let points = game.outcome.points(game.first);
        self.results[game.outcome.place(game.first)] += 1;
        if game.is_forfeit {
            self.forfeits[usize::from(points == 1.0)] += 1;
        }
        if let Some(error) = game.first_error {
            self.first_errors[error.player] += 1;
            self.first_error_turns[error.player] += error.turn as u64;
        }
        self.reviewed += u64::from(game.is_reviewed);
        self.turns += game.turns;
        let won = f64::from(u8::from(points == 1.0));
        for (sums, part) in [(&mut self.points, points), (&mut self.wins, won)] {
            let sum = sums.entry((game.start, game.number / 2)).or_default();
            sum.0 += part;
            sum.1 += 1.0;
        }
    }

    /// The number of games so far.
    pub fn games(&self) -> u64 {
        self.results.iter().sum()
    }

    /// The mean of the points, from 0 to 1.
    pub fn score(&self) -> Option<f64> {
        let [wins, draws, _] = self.results;
        let points = wins as f64 + draws as f64 / 2.0;
        (self.games() > 0).then(|| points / self.games() as f64)
    }

    /// The confidence interval of the score, by the bootstrap over starts or, if there is only one, over
    /// pairs of games.
    pub fn score_interval(&self) -> Option<Interval> {
        interval(&samples(&self.points))
    }

    /// The confidence interval of the share of won games, likewise.
    pub fn wins_interval(&self) -> Option<Interval> {
        interval(&samples(&self.wins))
    }
}

/// The sums of each start; those of each pair of games if there is only one start.
fn samples(sums: &Sums) -> Vec<(f64, f64)> {
    let mut starts: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
    for (&(start, _), pair) in sums {
        let sum = starts.entry(start).or_default();
        *sum = (sum.0 + pair.0, sum.1 + pair.1);
    }
    match starts.len() {
        1 => sums.values().copied().collect(),
        _ => starts.into_values().collect(),
    }
}
