//! A match: two players play from each start twice, with exchanged colours and the same seed.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::channel;
use std::{iter, thread};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::coach::confidence::{Interval, interval};
use crate::coach::contestant::{Contestant, NewContestant};
use crate::coach::review::GameReview;
use crate::coach::truth::Truth;
use crate::engine::ending::{DrawRule, Ending};
use crate::engine::game::Game;
use crate::notation::{GameResult, ResultCounts};
use crate::probe::Database;
use crate::rules::position::Side;
use crate::sample::seed_of;
use crate::store::DbError;

/// The games of a match.
#[derive(Clone, Debug)]
pub struct Contest {
    /// The starts of the games: games without turns, which may state quiet turns before them.
    pub starts: Vec<Game>,
    /// The number of pairs of games from each start.
    pub rounds: u32,
    /// The seed of random choices.
    pub seed: u64,
    /// The rule for draws.
    pub draws: DrawRule,
    /// The turns of both sides after which a game is drawn; 0 for no limit.
    pub max_turns: u32,
}

/// A game of a match.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema, Deserialize)]
pub struct PlayedGame {
    /// The number of the game, from 0.
    #[serde(rename = "game")]
    pub number: u64,
    /// The place of its start among the starts of the match, from 0.
    pub start: usize,
    /// The colour of the first player.
    pub first: Side,
    /// The result.
    pub result: GameResult,
    /// The reason of the end.
    pub end: GameEnd,
    /// Why a player gave no legal turn, if it did not: one sentence.
    #[serde(default)]
    pub forfeit: Option<String>,
    /// The number of turns.
    pub turns: u64,
    /// Whether the databases answer for all turns.
    pub reviewed: bool,
    /// The first turn that makes the result worse. `None`, too, if the databases do not answer for an
    /// earlier turn.
    pub first_error: Option<FirstError>,
    /// The game as a line of the engine protocol.
    pub moves: String,
}

/// The first error of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema, Deserialize)]
pub struct FirstError {
    /// 1 for the first player, 2 for the second.
    pub player: usize,
    /// The number of the turn in the game, from 1.
    pub turn: usize,
}

/// The reason why a game of a match ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GameEnd {
    /// By the rules: a side has lost, or the board is full.
    Rules,
    /// A position occurred for the third time.
    Repetition,
    /// No stone was placed or removed for as many turns as the rules or the match allow.
    NoProgress,
    /// The game had as many turns as the match allows.
    MaxTurns,
    /// A player gave no legal turn, and loses.
    Forfeit,
}

impl From<Ending> for GameEnd {
    fn from(ending: Ending) -> GameEnd {
        match ending {
            Ending::Stones { .. } | Ending::Blocked { .. } | Ending::FullBoard { .. } => {
                GameEnd::Rules
            }
            Ending::Repetition { .. } => GameEnd::Repetition,
            Ending::Quiet { .. } => GameEnd::NoProgress,
        }
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
        [Side::White, Side::Black][(game % 2) as usize]
    }

    /// Plays the games for which `is_left_out` is false, on `threads` threads, and passes each to
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
        database: &Database,
        players: [&NewContestant; 2],
        threads: usize,
        is_left_out: &(dyn Fn(u64) -> bool + Sync),
        found: &mut dyn FnMut(PlayedGame) -> ControlFlow<B>,
    ) -> Result<Option<B>, DbError> {
        let workers = || players.map(|new| new());
        let play = |players: &mut _, number| {
            (!is_left_out(number)).then(|| self.game(number, players, database))
        };
        let broken = share_out(self.games(), threads, &workers, &play, |game| match game {
            Ok(game) => found(game).map_break(Ok),
            Err(error) => ControlFlow::Break(Err(error)),
        });
        broken.transpose()
    }

    fn game(
        &self,
        number: u64,
        players: &mut [Box<dyn Contestant>; 2],
        database: &Database,
    ) -> Result<PlayedGame, DbError> {
        let start = self.start_of(number);
        let mut game = self.starts[start].clone().with_draws(self.draws);
        let first = Contest::first_side(number);
        let (result, end, forfeit) = match self.finish(number, first, players, &mut game) {
            Ok((result, end)) => (result, end, None),
            Err((loser, reason)) => {
                let result = GameResult::won_by(loser.other());
                (result, GameEnd::Forfeit, Some(reason))
            }
        };
        let review = GameReview::of(Truth::brief(database), &game)?;
        let first_error = review.first_error.map(|turn| FirstError {
            player: 1 + usize::from(review.turns[turn - 1].side != first),
            turn,
        });
        Ok(PlayedGame {
            number,
            start,
            first,
            result,
            end,
            forfeit,
            turns: game.turns().len() as u64,
            reviewed: review.missing.is_none(),
            first_error,
            moves: game.text(),
        })
    }

    /// Plays a game to its end. The error is the side of a player that gives no legal turn, and the
    /// reason.
    fn finish(
        &self,
        number: u64,
        first: Side,
        players: &mut [Box<dyn Contestant>; 2],
        game: &mut Game,
    ) -> Result<(GameResult, GameEnd), (Side, String)> {
        let sides = [first, first.other()];
        // Both games of a pair have the same seeds, whatever the colours.
        for (place, player) in players.iter_mut().enumerate() {
            let seed = seed_of(self.seed, number / 2 * 2 + place as u64);
            let begun = player.new_game(seed);
            begun.map_err(|reason| (sides[place], reason))?;
        }
        let mut turns = 0;
        loop {
            if let Some(ending) = game.ending() {
                let result = ending.winner().map_or(GameResult::Draw, GameResult::won_by);
                return Ok((result, GameEnd::from(ending)));
            }
            if self.max_turns > 0 && turns >= self.max_turns {
                return Ok((GameResult::Draw, GameEnd::MaxTurns));
            }
            let side = game.position().side_to_move();
            let turn = players[usize::from(side != first)].turn(game);
            let made = turn.and_then(|turn| game.make(turn).map_err(|error| error.to_string()));
            made.map_err(|reason| (side, reason))?;
            turns += u32::from(!game.position().removal_owed());
        }
    }
}

/// Works on the numbers below `count` on several threads, each with a worker of its own. Passes the
/// results to `found`, in no particular order, until it breaks, and returns the value of the break.
pub(crate) fn share_out<Worker, Found: Send, B>(
    count: u64,
    threads: usize,
    worker: &(impl Fn() -> Worker + Sync + ?Sized),
    work: &(impl Fn(&mut Worker, u64) -> Option<Found> + Sync),
    mut found: impl FnMut(Found) -> ControlFlow<B>,
) -> Option<B> {
    let next = AtomicU64::new(0);
    let (sender, results) = channel();
    thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || {
                let mut worker = worker();
                let numbers = iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
                let numbers = numbers.take_while(|&number| number < count);
                let mut results = numbers.filter_map(|number| work(&mut worker, number));
                // If nobody receives a result, the work has been stopped.
                let _ = results.try_for_each(|result| sender.send(result));
            });
        }
        drop(sender);
        let mut results = results.into_iter();
        results.find_map(|result| found(result).break_value())
    })
}

/// The result of a match. Wins, draws, losses and score are those of the first player.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct MatchReport {
    /// The two players.
    pub players: [PlayerReport; 2],
    /// The number of starts.
    pub starts: usize,
    /// The number of games.
    pub games: u64,
    /// Won, drawn and lost games.
    #[serde(flatten)]
    pub results: ResultCounts,
    /// The mean of the points, from 0 to 1.
    pub score: Option<f64>,
    /// The confidence interval of the score over starts or, if there is only one, over pairs of games.
    pub score_interval: Option<Interval>,
    /// The confidence interval of the share of won games, found in the same way.
    pub wins_interval: Option<Interval>,
    /// The games whose turns the databases all know.
    pub reviewed: u64,
    /// The turns of all games.
    pub turns: u64,
    /// The duration of the match.
    pub seconds: f64,
}

/// A player of a match.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct PlayerReport {
    /// The player's name.
    pub name: String,
    /// The player's settings in one line.
    pub settings: String,
    /// The games that the player forfeited.
    pub forfeits: u64,
    /// The games in which the player is known to have made the first error.
    pub first_errors: u64,
    /// The mean turn number of these errors.
    pub first_error_turn: Option<f64>,
}

impl MatchReport {
    /// The result of these games, for players with these names and settings.
    pub fn of(
        games: &[PlayedGame],
        players: [(String, String); 2],
        starts: usize,
        seconds: f64,
    ) -> MatchReport {
        let mut results = ResultCounts::default();
        for game in games {
            results.add(game.result, game.first);
        }
        let [first, second] = players;
        let player = |(name, settings), place: usize| {
            let has_forfeited = |game: &&PlayedGame| {
                let has_won = game.result == GameResult::won_by(game.first);
                game.forfeit.is_some() && usize::from(has_won) == place
            };
            let errors = games.iter().filter_map(|game| game.first_error);
            let errors = errors.filter(|error| usize::from(error.player == 2) == place);
            let turns: Vec<f64> = errors.map(|error| error.turn as f64).collect();
            let count = turns.len() as f64;
            PlayerReport {
                name,
                settings,
                forfeits: games.iter().filter(has_forfeited).count() as u64,
                first_errors: turns.len() as u64,
                first_error_turn: (count > 0.0).then(|| turns.iter().sum::<f64>() / count),
            }
        };
        let samples = samples(games);
        let interval_of = |part: fn(&ResultCounts) -> f64| {
            let samples = samples.iter().map(|sum| (part(sum), sum.games() as f64));
            interval(&samples.collect::<Vec<_>>())
        };
        MatchReport {
            players: [player(first, 0), player(second, 1)],
            starts,
            games: results.games(),
            results,
            score: results.score(),
            score_interval: interval_of(ResultCounts::points),
            wins_interval: interval_of(|sum| sum.wins as f64),
            reviewed: games.iter().filter(|game| game.reviewed).count() as u64,
            turns: games.iter().map(|game| game.turns).sum(),
            seconds,
        }
    }
}

/// The results of each start; those of each pair of games if there is only one start.
fn samples(games: &[PlayedGame]) -> Vec<ResultCounts> {
    let is_one = games.iter().all(|game| game.start == games[0].start);
    let mut samples: BTreeMap<u64, ResultCounts> = BTreeMap::new();
    for game in games {
        let sample = match is_one {
            true => game.number / 2,
            false => game.start as u64,
        };
        samples
            .entry(sample)
            .or_default()
            .add(game.result, game.first);
    }
    samples.into_values().collect()
}
