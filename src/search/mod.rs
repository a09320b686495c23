//! Estimates or proves the value of a position by looking ahead.
//!
//! - here: a search with its limits, its results and its source of known values
//! - `root`: iterative deepening, and the windows in which it searches
//! - `core`: negamax alpha-beta, for every use of the search
//! - `order`: move ordering
//! - `evaluate`: the static evaluation
//! - `score`: the numbers by which a search rates positions
//! - `table`: the transposition table
//! - `key`: keys of positions
//! - `clock`: the time, even where the standard library has none

pub(crate) mod clock;
pub(crate) mod core;
mod evaluate;
pub(crate) mod key;
mod order;
mod root;
pub(crate) mod score;
pub(crate) mod table;

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use self::clock::Instant;
use self::core::{Abdada, Evaluator, NodeCounts, SearchContext, Window, Worker};
pub(crate) use self::evaluate::Evaluation;
use self::root::Root;
use self::table::TranspositionTable;
use crate::rules::Rules;
use crate::rules::position::Position;
use crate::rules::turns::Turn;
use crate::value::Value;

pub use score::{Score, ScoreMeaning};

/// The search algorithm. All but [`Algorithm::Selective`] find the same value at the same depth. A
/// [`Search`] keeps the results of any of them, so exact values after a selective search need a new
/// [`Search`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Algorithm {
    /// Alpha-beta with the full window for every turn.
    AlphaBeta,
    /// Principal variation search: the first turn with the full window, the others with a null
    /// window unless they turn out better.
    Pvs,
    /// MTD(f): a sequence of null-window searches that begins at the last value.
    Mtdf,
    /// As [`Algorithm::Pvs`]; where the evaluation is that of the network, turns and positions that
    /// it rates low are searched less deeply. Plays best.
    #[default]
    Selective,
}

/// The limits of a search. Without any limit the search ends at [`Limits::MOST_DEPTH`] turns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The depth in turns.
    pub depth: Option<u32>,
    /// The approximate number of positions to visit.
    pub nodes: Option<u64>,
    /// The time to search.
    pub time: Option<Duration>,
    /// The number of best turns to report, each with its own variation; at least one (MultiPV).
    pub lines: usize,
    /// The search algorithm.
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

/// A principal variation, with the state of the search that found it.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct PrincipalVariation {
    /// The turns that both sides are expected to make; at least one.
    pub turns: Vec<Turn>,
    /// Its rank among the best variations, from 1.
    pub number: usize,
    /// The score for the side to move.
    pub score: Score,
    /// The exact value of the first turn, if it is known without a search.
    pub value: Option<Value>,
    /// The search depth, in turns.
    pub depth: u32,
    /// The longest line searched, in turns.
    pub seldepth: u32,
    /// Positions that the first thread has visited so far.
    pub nodes: u64,
    /// Those of them whose value a database knew.
    pub tb_hits: u64,
    /// Time since the search began.
    pub time: Duration,
}

/// A source of known values, such as a database.
pub trait Prober: Sync {
    /// The value of a position for its side to move, with or without its depth; `None` if it is unknown.
    fn value(&self, position: &Position) -> Option<Value>;

    /// Whether the value, if it is known, is better for the side to move than every estimate, so that a search
    /// need not ask for it where the estimate suffices.
    fn only_raises(&self, _position: &Position) -> bool {
        false
    }
}

/// A prober that knows nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoProber;

impl Prober for NoProber {
    fn value(&self, _position: &Position) -> Option<Value> {
        None
    }
}

/// A search with a transposition table that later searches reuse.
///
/// With one thread the same calls give the same results, unless a time limit ends a search.
#[derive(Debug)]
pub struct Search {
    rules: Rules,
    /// How the search evaluates.
    pub(crate) evaluation: Evaluation,
    table: TranspositionTable,
    threads: usize,
}

impl Search {
    /// A size of the transposition table in bytes that is enough for some seconds a turn.
    pub const DEFAULT_HASH_BYTES: usize = 16 << 20;

    /// A search on `threads` threads with a transposition table of about `hash_bytes` bytes.
    pub fn new(rules: Rules, hash_bytes: usize, threads: usize) -> Search {
        Search {
            rules,
            evaluation: Evaluation::best(&rules),
            table: TranspositionTable::with_bytes(hash_bytes),
            threads: threads.max(1),
        }
    }

    /// The search with another evaluation than the best for the rules.
    #[must_use]
    pub(crate) fn evaluating(self, evaluation: Evaluation) -> Search {
        Search { evaluation, ..self }
    }

    /// The size of the transposition table in bytes: less than asked for if the system refused more.
    pub fn hash_bytes(&self) -> usize {
        self.table.bytes()
    }

    /// Clears the transposition table, as for a new game.
    pub fn clear(&mut self) {
        self.table.clear();
    }

    /// The static evaluation of the position, without looking ahead.
    pub fn evaluate(&self, position: &Position) -> Score {
        match position.result(&self.rules) {
            Some(result) => result.into(),
            None => self.evaluation.of(position, &self.rules),
        }
    }

    /// The score of a position by a search of this depth without databases, on one thread.
    pub(crate) fn score(&self, position: &Position, depth: u32) -> Score {
        let never = AtomicBool::new(false);
        let evaluator = ProberEvaluator {
            prober: &NoProber,
            search: self,
        };
        let context = SearchContext::new(&self.rules, &self.table, &evaluator, &never);
        Worker::new(&context, &[]).search((*position).into(), Window::ALL, depth, 0)
    }

    /// Searches the turns of a position, one depth after the other, until a limit is reached, the
    /// value is certain, or another thread sets `stop`. Returns the best variations, the best first;
    /// none if the game is over.
    ///
    /// `earlier` are the positions of the game before this one: a return to one of them, or to a
    /// position of the line being searched, is a draw. The search probes the positions after the
    /// first turn, never the root. `report` receives each variation of each completed depth.
    pub fn run(
        &self,
        position: &Position,
        earlier: &[Position],
        prober: &dyn Prober,
        limits: &Limits,
        stop: &AtomicBool,
        report: &mut dyn FnMut(&PrincipalVariation),
    ) -> Vec<PrincipalVariation> {
        let start = Instant::now();
        self.table.next_search();
        let abdada = (self.threads > 1).then(Abdada::new);
        let finished = AtomicBool::new(false);
        let evaluator = ProberEvaluator {
            prober,
            search: self,
        };
        let share = |nodes| nodes / self.threads as u64;
        let context = SearchContext {
            finished: &finished,
            deadline: limits.time.and_then(|time| start.checked_add(time)),
            nodes: limits.nodes.map_or(u64::MAX, share),
            abdada: abdada.as_ref(),
            pvs: matches!(limits.algorithm, Algorithm::Pvs | Algorithm::Selective),
            selective: limits.algorithm == Algorithm::Selective && self.evaluation.is_network(),
            ..SearchContext::new(&self.rules, &self.table, &evaluator, stop)
        };
        let root = || Root::new(&context, position, earlier, limits, start);
        thread::scope(|scope| {
            for _ in 1..self.threads {
                let mut helper = root();
                // If no thread can be started, the others search alone.
                let _ =
                    thread::Builder::new().spawn_scoped(scope, move || helper.deepen(&mut |_| {}));
            }
            let found = root().deepen(report);
            finished.store(true, Ordering::Relaxed);
            found
        })
    }
}

/// Values from a prober, otherwise the static evaluation.
struct ProberEvaluator<'a> {
    prober: &'a dyn Prober,
    search: &'a Search,
}

impl Evaluator for ProberEvaluator<'_> {
    fn probe(&self, position: &Position, _: Window, counts: &mut NodeCounts) -> Option<Score> {
        let value = self.prober.value(position)?;
        counts.tb_hits += 1;
        Some(value.into())
    }

    fn only_raises(&self, position: &Position) -> bool {
        self.prober.only_raises(position)
    }

    fn evaluate(&self, position: &Position) -> Score {
        self.search.evaluation.of(position, &self.search.rules)
    }
}
