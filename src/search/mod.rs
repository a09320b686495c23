//! Search: estimates or proves the value of a position by looking ahead.
//!
//! - `limits`: the algorithm and the limits of a search
//! - `report`: the results of a search
//! - `score`: the numbers by which a search rates positions
//! - `prober`: values that are known without searching
//! - `root`: iterative deepening at the root
//! - `drive`: the windows to search: aspiration windows, MTD(f)
//! - `core`: negamax alpha-beta, for every use of the search
//! - `order`: move ordering
//! - `evaluate`: the static evaluation
//! - `table`: the transposition table
//! - `key`: keys of positions
//! - `clock`: the time, also where the standard library has none

pub(crate) mod clock;
pub(crate) mod core;
mod drive;
mod evaluate;
pub(crate) mod key;
mod limits;
mod order;
mod prober;
mod report;
mod root;
pub(crate) mod score;
pub(crate) mod table;

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use self::clock::Instant;
use self::core::{Abdada, Bounds, Counts, Knowledge, Shared, Window, Worker};
use self::evaluate::evaluate;
use self::root::Root;
use self::table::TranspositionTable;
use crate::rules::Rules;
use crate::rules::position::Position;

pub use limits::{Algorithm, Limits};
pub use prober::{NoProber, Prober};
pub use report::{Info, Outcome};
pub use score::{Meaning, Score};

/// A search with a transposition table that later searches reuse.
///
/// With one thread the same calls give the same results, unless a time limit ends a search.
#[derive(Debug)]
pub struct Search {
    rules: Rules,
    table: TranspositionTable,
    threads: usize,
}

impl Search {
    /// A search on `threads` threads with a transposition table of about `hash_bytes` bytes.
    pub fn new(rules: Rules, hash_bytes: usize, threads: usize) -> Search {
        Search {
            rules,
            table: TranspositionTable::with_bytes(hash_bytes),
            threads: threads.max(1),
        }
    }

    /// The size of the transposition table in bytes: less than asked for if the system refused more.
    pub fn hash_bytes(&self) -> usize {
        self.table.bytes()
    }

    /// Clears the transposition table, as for a new game.
    pub fn clear(&mut self) {
        self.table.clear();
    }

    /// The share of the transposition table that the last search filled, in thousandths.
    pub fn permille_full(&self) -> usize {
        self.table.permille_full()
    }

    /// The static evaluation of the position, without looking ahead.
    pub fn evaluate(&self, position: &Position) -> Score {
        match position.result(&self.rules) {
            Some(result) => result.into(),
            None => evaluate(position, &self.rules),
        }
    }

    /// Searches the turns of a position, one depth after the other, until a limit is reached, the
    /// value is certain, or `stop` is set by another thread.
    ///
    /// `earlier` are the positions of the game before this one. A return to one of them or to a
    /// position of the searched line is a draw. The search probes the positions after the first
    /// turn, never the root. `report` is called after each depth, for each line. The result has a
    /// best turn unless the game is over.
    pub fn run(
        &self,
        position: &Position,
        earlier: &[Position],
        prober: &dyn Prober,
        limits: &Limits,
        stop: &AtomicBool,
        report: &mut dyn FnMut(&Info),
    ) -> Outcome {
        let start = Instant::now();
        self.table.next_search();
        let judged = Probed {
            prober,
            rules: &self.rules,
        };
        let abdada = Abdada::new();
        let finished = AtomicBool::new(false);
        let shared = Shared {
            rules: &self.rules,
            table: &self.table,
            knowledge: &judged,
            bounds: Bounds {
                stop,
                finished: &finished,
                deadline: limits.time.and_then(|time| start.checked_add(time)),
                nodes: limits
                    .nodes
                    .map_or(u64::MAX, |nodes| nodes / self.threads as u64),
            },
            abdada: (self.threads > 1).then_some(&abdada),
            pvs: limits.algorithm == Algorithm::Pvs,
        };
        let root = || Root::new(&shared, position, earlier, limits, start);
        thread::scope(|scope| {
            for _ in 1..self.threads {
                let mut helper = root();
                scope.spawn(move || helper.deepen(&mut |_| {}));
            }
            let outcome = root().deepen(report);
            finished.store(true, Ordering::Relaxed);
            outcome
        })
    }
}

/// Scores positions by searches to a low depth without databases, on one thread.
#[derive(Debug)]
pub(crate) struct Shallow<'a> {
    rules: &'a Rules,
    table: TranspositionTable,
}

impl<'a> Shallow<'a> {
    /// A search with a small transposition table.
    pub fn new(rules: &'a Rules) -> Shallow<'a> {
        Shallow {
            rules,
            table: TranspositionTable::with_bytes(1 << 16),
        }
    }

    /// The score of a position for its side to move.
    pub fn score(&self, position: &Position, depth: u32) -> Score {
        let never = AtomicBool::new(false);
        let shared = Shared {
            rules: self.rules,
            table: &self.table,
            knowledge: &Probed {
                prober: &NoProber,
                rules: self.rules,
            },
            bounds: Bounds {
                stop: &never,
                finished: &never,
                deadline: None,
                nodes: u64::MAX,
            },
            abdada: None,
            pvs: true,
        };
        Worker::new(&shared, &[]).search(position, Window::ALL, depth, 0)
    }
}

/// The values of a prober, and the evaluation.
struct Probed<'a> {
    prober: &'a dyn Prober,
    rules: &'a Rules,
}

impl Knowledge for Probed<'_> {
    fn known(&self, position: &Position, _window: Window, counts: &mut Counts) -> Option<Score> {
        let known = match self.prober.value(position) {
            Some(value) => Score::from(value),
            None => Score::from(self.prober.wdl(position)?),
        };
        counts.tb_hits += 1;
        Some(known)
    }

    fn evaluate(&self, position: &Position) -> Score {
        evaluate(position, self.rules)
    }
}
