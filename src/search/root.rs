//! Iterative deepening at the root: its turns, the best lines, and the end of the search.

use super::clock::Instant;
use super::core::{Knowledge, Shared, Window, Worker};
use super::drive;
use super::key;
use super::limits::Limits;
use super::report::{Info, Outcome};
use super::score::{Meaning, Score};
use crate::rules::position::Position;
use crate::rules::turns::Turn;

/// The root position, for one thread.
pub(crate) struct Root<'a, K> {
    shared: &'a Shared<'a, K>,
    limits: Limits,
    start: Instant,
    position: Position,
    /// The positions of the game up to the root.
    path: Vec<Position>,
    turns: Vec<RootTurn>,
}

#[derive(Clone, Copy)]
struct RootTurn {
    turn: Turn,
    after: Position,
    /// The score of the last depth in which the turn was the best of its line.
    score: Option<Score>,
}

impl<'a, K: Knowledge> Root<'a, K> {
    pub fn new(
        shared: &'a Shared<'a, K>,
        position: &Position,
        earlier: &[Position],
        limits: &Limits,
        start: Instant,
    ) -> Root<'a, K> {
        // A position with a pending removal is in the middle of a turn.
        let whole = earlier.iter().filter(|earlier| !earlier.removal_owed());
        let turns = position
            .turns(shared.rules)
            .into_iter()
            .map(|turn| RootTurn {
                turn,
                after: position.after(turn),
                score: None,
            });
        Root {
            shared,
            limits: *limits,
            start,
            position: *position,
            path: whole.chain([position]).copied().collect(),
            turns: turns.collect(),
        }
    }

    /// Searches one depth after the other.
    pub fn deepen(&mut self, report: &mut dyn FnMut(&Info)) -> Outcome {
        let mut worker = Worker::new(self.shared, &self.path);
        let mut outcome = self.at_a_glance();
        let lines = self.limits.lines.clamp(1, self.turns.len().max(1));
        let deepest = self.limits.depth.unwrap_or(Limits::MOST_DEPTH);
        for depth in 1..=deepest.min(Limits::MOST_DEPTH) {
            if self.turns.is_empty() {
                break;
            }
            if depth == 1 {
                self.sort(&mut worker);
            }
            if (0..lines).any(|line| self.find_line(&mut worker, line, depth).is_none()) {
                break;
            }
            let found = self.turns[..lines].iter().enumerate();
            let found = found.map(|(place, turn)| self.report(&worker, place, turn, depth));
            outcome.lines = found.collect();
            outcome.lines.iter().for_each(&mut *report);
            if self.is_certain(&worker, lines, depth) {
                break;
            }
        }
        outcome
    }

    /// Sorts the turns by a search of one turn, best first.
    fn sort(&mut self, worker: &mut Worker<'a, K>) {
        let mut sorted = self.turns.clone();
        for turn in &mut sorted {
            turn.score = Some(worker.search_turn(&turn.after, Window::ALL, false, 1, 0));
        }
        if !worker.is_stopped() {
            sorted.sort_by_key(|turn| turn.score.map(|score| -score));
            self.turns = sorted;
        }
    }

    /// Finds the best turn of those that are not in an earlier line, and moves it to its place;
    /// `None` if the search was stopped.
    fn find_line(&mut self, worker: &mut Worker<'a, K>, line: usize, depth: u32) -> Option<()> {
        let algorithm = self.limits.algorithm;
        let guess = self.turns[line].score.filter(|_| depth > 1);
        let turns = &mut self.turns[line..];
        let score = drive::find(algorithm, guess, |window| {
            let mut best = Score::LEAST;
            let mut place = 0;
            let mut inner = window;
            for (number, turn) in turns.iter().enumerate() {
                let score = worker.search_turn(&turn.after, inner, number > 0, depth, 0);
                if worker.is_stopped() {
                    return None;
                }
                if score > best {
                    (best, place) = (score, number);
                    inner.alpha = inner.alpha.max(score);
                }
                if best >= window.beta {
                    break;
                }
            }
            // A score below the window does not show which turn is the best.
            if best > window.alpha {
                turns[..=place].rotate_right(1);
            }
            Some(best)
        })?;
        self.turns[line].score = Some(score);
        Some(())
    }

    /// Whether a deeper search would give the same result: all lines end before the horizon, or
    /// every turn leads to a position whose value is known.
    fn is_certain(&self, worker: &Worker<'a, K>, lines: usize, depth: u32) -> bool {
        let ends = |turn: &RootTurn| match turn.score.map(Score::meaning) {
            Some(Meaning::Win(turns) | Meaning::Loss(turns)) => u32::from(turns) <= depth,
            _ => false,
        };
        worker.counts.seldepth == 0 || self.turns[..lines].iter().all(ends)
    }

    fn report(&self, worker: &Worker<'a, K>, place: usize, turn: &RootTurn, depth: u32) -> Info {
        let mut line = vec![turn.turn];
        let mut position = turn.after;
        while (line.len() as u32) < depth {
            let (key, symmetry) = key::canonical(&position);
            let entry = self.shared.table.get(key);
            let next = entry.map(|entry| entry.turn.turned(symmetry.inverse()));
            let Some(next) = next.filter(|next| next.to().is_some()) else {
                break;
            };
            line.push(next);
            position = position.after(next);
        }
        Info {
            depth,
            seldepth: depth.max(worker.counts.seldepth),
            score: turn.score.unwrap_or_default(),
            nodes: worker.counts.nodes,
            tb_hits: worker.counts.tb_hits,
            time: self.start.elapsed(),
            line,
            number: place + 1,
        }
    }

    /// The result of a search that is stopped before its first depth, by static evaluation.
    fn at_a_glance(&self) -> Outcome {
        let glance = |turn: &RootTurn| Info {
            depth: 0,
            seldepth: 0,
            score: self.shared.knowledge.evaluate(&self.position),
            nodes: 0,
            tb_hits: 0,
            time: self.start.elapsed(),
            line: vec![turn.turn],
            number: 1,
        };
        Outcome {
            lines: self.turns.first().map(glance).into_iter().collect(),
        }
    }
}
