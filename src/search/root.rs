//! Iterative deepening at the root: the turns, the best variations, the windows in which they are
//! searched, and the end of the search.

use super::clock::Instant;
use super::core::{Evaluator, SearchContext, Window, Worker};
use super::key;
use super::score::{Score, ScoreMeaning};
use super::{Algorithm, Limits, PrincipalVariation};
use crate::rules::position::Position;
use crate::rules::turns::Turn;

/// The root position, for one thread.
pub(crate) struct Root<'a, E> {
    context: &'a SearchContext<'a, E>,
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
    /// The score of the last depth in which the turn began a variation.
    score: Option<Score>,
}

impl<'a, E: Evaluator> Root<'a, E> {
    pub fn new(
        context: &'a SearchContext<'a, E>,
        position: &Position,
        earlier: &[Position],
        limits: &Limits,
        start: Instant,
    ) -> Root<'a, E> {
        // A position with a pending removal is in the middle of a turn.
        let whole = earlier.iter().filter(|earlier| !earlier.removal_owed());
        let turns = position.turns(context.rules).into_iter();
        let turns = turns.map(|turn| RootTurn {
            turn,
            after: position.after(turn),
            score: None,
        });
        Root {
            context,
            limits: *limits,
            start,
            position: *position,
            path: whole.chain([position]).copied().collect(),
            turns: turns.collect(),
        }
    }

    /// Searches one depth after the other.
    pub fn deepen(
        &mut self,
        report: &mut dyn FnMut(&PrincipalVariation),
    ) -> Vec<PrincipalVariation> {
        let mut worker = Worker::new(self.context, &self.path);
        // A search that is stopped before it completes a depth returns the first turn, with the
        // static evaluation of the root.
        let glance = |turn: &RootTurn| PrincipalVariation {
            score: self.context.evaluator.evaluate(&self.position),
            ..self.variation(&worker, 0, turn, 0)
        };
        let mut best: Vec<_> = self.turns.first().map(glance).into_iter().collect();
        if best.is_empty() {
            return best;
        }
        self.sort(&mut worker);
        let lines = self.limits.lines.clamp(1, self.turns.len());
        let deepest = self.limits.depth.unwrap_or(Limits::MOST_DEPTH);
        for depth in 1..=deepest.min(Limits::MOST_DEPTH) {
            if (0..lines).any(|place| self.find_best(&mut worker, place, depth).is_none()) {
                // A depth searches the best turn so far first, so one that it found better replaces it.
                let first = &self.turns[0];
                if lines == 1 && first.turn != best[0].turns[0] {
                    best = vec![self.variation(&worker, 0, first, depth)];
                }
                // The result counts the positions of the depth that was not completed, too; the one beyond
                // the limit was not visited.
                let nodes = worker.counts.nodes.min(self.context.nodes);
                (best.iter_mut()).for_each(|line| line.nodes = nodes);
                break;
            }
            let found = self.turns[..lines].iter().enumerate();
            let found = found.map(|(place, turn)| self.variation(&worker, place, turn, depth));
            best = found.collect();
            best.iter().for_each(&mut *report);
            if self.is_certain(&worker, lines, depth) {
                break;
            }
        }
        best
    }

    /// Sorts the turns by a search of one turn, best first.
    fn sort(&mut self, worker: &mut Worker<'a, E>) {
        let mut sorted = self.turns.clone();
        for turn in &mut sorted {
            turn.score = Some(worker.search_turn(turn.after.into(), Window::ALL, false, 1, 0));
        }
        if !worker.stopped {
            sorted.sort_by_key(|turn| turn.score.map(|score| -score));
            self.turns = sorted;
        }
    }

    /// Finds the best of the turns from `place` on, which do not begin an earlier variation, and moves
    /// it there; `None` if the search was stopped.
    fn find_best(&mut self, worker: &mut Worker<'a, E>, place: usize, depth: u32) -> Option<()> {
        let guess = self.turns[place].score.filter(|_| depth > 1);
        let turns = &mut self.turns[place..];
        // Outside the window, the score is a bound.
        let mut search = |window: Window| {
            let mut best = Score::LEAST;
            let mut best_number = 0;
            let mut inner = window;
            for (number, turn) in turns.iter().enumerate() {
                let score = worker.search_turn(turn.after.into(), inner, number > 0, depth, 0);
                if worker.stopped {
                    break;
                }
                if score > best {
                    (best, best_number) = (score, number);
                    inner.alpha = inner.alpha.max(score);
                }
                if best >= window.beta {
                    break;
                }
            }
            // A score below the window does not show which turn is the best.
            if best > window.alpha {
                turns[best_number].score = Some(best);
                turns[..=best_number].rotate_right(1);
            }
            (!worker.stopped).then_some(best)
        };
        let score = match (self.limits.algorithm, guess) {
            (Algorithm::Mtdf, guess) => mtdf(guess.unwrap_or_default(), &mut search),
            (_, None) => search(Window::ALL),
            (_, Some(guess)) => aspire(guess, &mut search),
        }?;
        self.turns[place].score = Some(score);
        Some(())
    }

    /// Whether a deeper search would give the same result: all variations end before the horizon, or
    /// the value after every turn is known.
    fn is_certain(&self, worker: &Worker<'a, E>, lines: usize, depth: u32) -> bool {
        let ends = |turn: &RootTurn| match turn.score.map(Score::meaning) {
            Some(ScoreMeaning::Win(turns) | ScoreMeaning::Loss(turns)) => u32::from(turns) <= depth,
            _ => false,
        };
        worker.counts.seldepth == 0 || self.turns[..lines].iter().all(ends)
    }

    /// The variation of a turn: the turns after it come from the transposition table.
    fn variation(
        &self,
        worker: &Worker<'a, E>,
        place: usize,
        turn: &RootTurn,
        depth: u32,
    ) -> PrincipalVariation {
        let mut turns = vec![turn.turn];
        let mut position = turn.after;
        while (turns.len() as u32) < depth
            && let (key, symmetry) = key::canonical(&position)
            && let Some(entry) = self.context.table.get(key)
            && entry.turn.to().is_some()
        {
            let next = entry.turn.turned(symmetry.inverse());
            turns.push(next);
            position = position.after(next);
        }
        PrincipalVariation {
            turns,
            number: place + 1,
            score: turn.score.unwrap_or_default(),
            value: None,
            depth,
            seldepth: depth.max(worker.counts.seldepth),
            nodes: worker.counts.nodes,
            tb_hits: worker.counts.tb_hits,
            time: self.start.elapsed(),
        }
    }
}

/// The distance from the last value to the borders of a depth's first window, in hundredths of a
/// stone.
const ASPIRATION: i16 = 40;

/// Searches a narrow window around the guess, and opens the side on which the value lies outside.
fn aspire(guess: Score, search: &mut impl FnMut(Window) -> Option<Score>) -> Option<Score> {
    let near = |by: i16| Score::from_number(guess.number().saturating_add(by));
    let mut window = Window {
        alpha: near(-ASPIRATION),
        beta: near(ASPIRATION),
    };
    loop {
        let score = search(window)?;
        if score <= window.alpha && window.alpha > Score::LEAST {
            window.alpha = Score::LEAST;
        } else if score >= window.beta && window.beta < Score::MOST {
            window.beta = Score::MOST;
        } else {
            return Some(score);
        }
    }
}

/// MTD(f): each null-window search decides whether the value is at least the guess; the resulting
/// bound is the next guess.
fn mtdf(guess: Score, search: &mut impl FnMut(Window) -> Option<Score>) -> Option<Score> {
    let (mut least, mut most) = (Score::LEAST, Score::MOST);
    let mut score = guess;
    while least < most {
        let beta = if score == least { score.next() } else { score };
        score = search(Window::null(beta))?;
        if score < beta {
            most = score;
        } else {
            least = score;
        }
    }
    Some(score)
}
