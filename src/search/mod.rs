//! Search: what a position is worth, found by looking ahead.
//!
//! - `limits`: how to search, and how long
//! - `report`: what a search has found
//! - `score`: what the search says about a position
//! - `prober`: values that are known without searching
//! - `root`: one depth after the other at the position that is asked about
//! - `drive`: which windows are searched: aspiration windows, MTD(f)
//! - `core`: negamax alpha-beta, for every use of the search
//! - `order`: which turns are tried first
//! - `evaluate`: what a position is worth at a glance
//! - `table`: the transposition table
//! - `key`: numbers that stand for positions

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
use std::time::Instant;

use self::core::{Abdada, Bounds, Counts, Knowledge, Shared, Window};
use self::evaluate::evaluate;
use self::root::Root;
use self::table::TranspositionTable;
use crate::rules::Rules;
use crate::rules::position::Position;

pub use limits::{Algorithm, Limits};
pub use prober::{NoProber, Prober};
pub use report::{Info, Outcome};
pub use score::{Meaning, Score};

/// Searches positions, and remembers what it found for the next ones.
///
/// With one thread the same calls give the same results, unless a search is ended by time.
#[derive(Debug)]
pub struct Search {
    rules: Rules,
    table: TranspositionTable,
    threads: usize,
}

impl Search {
    /// With a transposition table of about `hash_bytes` bytes, on `threads` threads.
    pub fn new(rules: Rules, hash_bytes: usize, threads: usize) -> Search {
        Search {
            rules,
            table: TranspositionTable::with_bytes(hash_bytes),
            threads: threads.max(1),
        }
    }

    /// Forgets everything, as before another game.
    pub fn clear(&mut self) {
        self.table.clear();
    }

    /// The share of the transposition table that the last search filled, in thousandths.
    pub fn permille_full(&self) -> usize {
        self.table.permille_full()
    }

    /// What the position is worth at a glance, without looking ahead.
    pub fn evaluate(&self, position: &Position) -> Score {
        match position.result(&self.rules) {
            Some(result) => result.into(),
            None => evaluate(position, &self.rules),
        }
    }

    /// Searches the turns of a position, one depth after the other, until a limit is reached, the
    /// value is certain, or `stop` is set by another thread.
    ///
    /// `earlier` are the positions of the game before this one: coming back to one of them is a
    /// draw, and so is coming back to one of the line that is looked at. The prober is asked about
    /// the positions after the first turn, never about this one. `report` is called after each depth,
    /// for each line. There is always a best turn unless the game is over.
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
