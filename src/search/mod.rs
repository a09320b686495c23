//! Search: what a position is worth, found by looking ahead.
//!
//! - `score`: what the search says about a position
//! - `judge`: who knows values without searching

mod judge;
mod score;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::position::Position;
use crate::rules::Rules;
use crate::turns::Turn;

pub use judge::{Judge, NoJudge};
pub use score::{Meaning, Score};

/// How the tree of turns is searched. All find the same value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Algorithm {
    /// Alpha-beta with the whole window for every turn.
    AlphaBeta,
    /// Principal variation search: the first turn with the whole window, the others are only
    /// refuted unless they turn out better.
    #[default]
    Pvs,
    /// MTD(f): a sequence of searches with the narrowest window, from the last value on.
    Mtdf,
}

/// How long to search. Without any limit the search ends at [`Limits::MOST_DEPTH`] turns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Look so many turns ahead.
    pub depth: Option<u32>,
    /// Visit about so many positions.
    pub nodes: Option<u64>,
    /// Search so long.
    pub time: Option<Duration>,
    /// How many of the best turns to report, each with its own line; at least one.
    pub lines: usize,
    /// How to search.
    pub algorithm: Algorithm,
}

impl Limits {
    /// The largest depth, in turns.
    pub const MOST_DEPTH: u32 = 100;
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            depth: None,
            nodes: None,
            time: None,
            lines: 1,
            algorithm: Algorithm::default(),
        }
    }
}

/// What is known after a depth has been searched.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    /// How many turns were looked ahead.
    pub depth: u32,
    /// The longest line that was looked at, in turns.
    pub selective_depth: u32,
    /// What the line is worth to the side to move.
    pub score: Score,
    /// Positions visited so far.
    pub nodes: u64,
    /// Positions whose value the judge knew so far.
    pub judged: u64,
    /// Time since the search began.
    pub time: Duration,
    /// The turns that both sides are expected to make.
    pub line: Vec<Turn>,
    /// Which of the best lines this is, from 1.
    pub number: usize,
}

/// What a search found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Outcome {
    /// The best lines, best first; none when the game is over. Each begins with a turn.
    pub lines: Vec<Report>,
}

impl Outcome {
    /// The best turn, `None` when the game is over.
    pub fn best(&self) -> Option<Turn> {
        self.lines.first()?.line.first().copied()
    }
}

/// Searches positions, and remembers what it found for the next ones.
#[derive(Debug)]
pub struct Search {
    rules: Rules,
}

impl Search {
    /// With a transposition table of about so many bytes, on so many threads.
    pub fn new(rules: Rules, hash_bytes: usize, threads: usize) -> Search {
        let _ = (hash_bytes, threads);
        Search { rules }
    }

    /// Forgets everything, as before another game.
    pub fn clear(&mut self) {}

    /// Searches the turns of a position, one depth after the other, until a limit is reached, the
    /// value is certain, or `stop` is set by another thread.
    ///
    /// `earlier` are the positions of the game before this one: coming back to one of them is a
    /// draw. `report` is called after each depth, for each line. There is always a best turn unless
    /// the game is over.
    pub fn run(
        &self,
        position: &Position,
        earlier: &[Position],
        judge: &dyn Judge,
        limits: &Limits,
        stop: &AtomicBool,
        report: &mut dyn FnMut(&Report),
    ) -> Outcome {
        let start = Instant::now();
        let mut plain = Plain {
            rules: &self.rules,
            judge,
            stop,
            deadline: limits.time.map(|time| start + time),
            most: limits.nodes.unwrap_or(u64::MAX),
            nodes: 0,
            judged: 0,
            seen: earlier.to_vec(),
        };
        let mut best: Vec<(Score, Turn)> = position
            .turns(&self.rules)
            .into_iter()
            .map(|turn| (Score::LEAST, turn))
            .collect();
        let mut outcome = Outcome::default();
        for depth in 1..=limits.depth.unwrap_or(6).min(Limits::MOST_DEPTH) {
            plain.seen.push(*position);
            let mut scored = best.clone();
            for (score, turn) in &mut scored {
                *score = -plain.score(&position.after(*turn), depth - 1, 1);
            }
            plain.seen.pop();
            if plain.is_stopped() && depth > 1 {
                break;
            }
            scored.sort_by_key(|&(score, _)| -score);
            best = scored;
            let lines = best.iter().take(limits.lines.max(1)).enumerate();
            outcome.lines = lines
                .map(|(place, &(score, turn))| Report {
                    depth,
                    selective_depth: depth,
                    score,
                    nodes: plain.nodes,
                    judged: plain.judged,
                    time: start.elapsed(),
                    line: vec![turn],
                    number: place + 1,
                })
                .collect();
            outcome.lines.iter().for_each(&mut *report);
        }
        outcome
    }
}

struct Plain<'a> {
    rules: &'a Rules,
    judge: &'a dyn Judge,
    stop: &'a AtomicBool,
    deadline: Option<Instant>,
    most: u64,
    nodes: u64,
    judged: u64,
    seen: Vec<Position>,
}

impl Plain<'_> {
    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
            || self.nodes >= self.most
            || self
                .deadline
                .is_some_and(|deadline| Instant::now() >= deadline)
    }

    fn score(&mut self, position: &Position, depth: u32, ply: u16) -> Score {
        self.nodes += 1;
        if self.seen.contains(position) || self.is_stopped() {
            return Score::DRAW;
        }
        if position.is_over(self.rules) {
            return Score::loss_in(ply);
        }
        if let Some(value) = self.judge.value(position) {
            self.judged += 1;
            return Score::from(value).seen_from(ply);
        }
        if depth == 0 {
            let mine = position.total(position.side_to_move()) as i32;
            let others = position.total(position.side_to_move().other()) as i32;
            return Score::evaluation(100 * (mine - others));
        }
        self.seen.push(*position);
        let mut best = Score::LEAST;
        position.for_each_turn(self.rules, |turn| {
            best = best.max(-self.score(&position.after(turn), depth - 1, ply + 1));
        });
        self.seen.pop();
        best
    }
}
