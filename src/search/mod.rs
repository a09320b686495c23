//! Search: what a position is worth, found by looking ahead.
//!
//! - `score`: what the search says about a position
//! - `judge`: who knows values without searching
//! - `root`: one depth after the other at the position that is asked about
//! - `drive`: which windows are searched: aspiration windows, MTD(f)
//! - `core`: negamax alpha-beta, for every use of the search
//! - `order`: which turns are tried first
//! - `evaluate`: what a position is worth at a glance
//! - `table`: the transposition table
//! - `node`, `geometry`: positions, turns and lines as the search holds them
//! - `exact`: values of positions with stones in hand from databases that have none
//! - `proof`: win, draw or loss of the opening

mod core;
mod drive;
mod evaluate;
pub(crate) mod exact;
mod geometry;
mod judge;
pub(crate) mod node;
mod order;
mod proof;
mod root;
mod score;
mod table;

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use self::core::{Bounds, Busy, Counts, Knowledge, Shared, Window};
use self::evaluate::evaluate;
use self::geometry::Geometry;
use self::node::Node;
use self::root::Root;
use self::table::Table;
use crate::position::Position;
use crate::rules::Rules;
use crate::turns::Turn;

pub use judge::{Judge, NoJudge};
pub use proof::{Proof, ProofOptions, ProofStep, Proved, Work, proof_pairs, prove, prove_each};
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
///
/// With one thread the same calls give the same results, unless a search is ended by time.
#[derive(Debug)]
pub struct Search {
    rules: Rules,
    geometry: Geometry,
    table: Table,
    threads: usize,
}

impl Search {
    /// With a transposition table of about so many bytes, on so many threads.
    pub fn new(rules: Rules, hash_bytes: usize, threads: usize) -> Search {
        Search {
            rules,
            geometry: Geometry::new(&rules),
            table: Table::with_bytes(hash_bytes),
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
            None => evaluate(&Node::of(position), &self.rules, &self.geometry),
        }
    }

    /// Searches the turns of a position, one depth after the other, until a limit is reached, the
    /// value is certain, or `stop` is set by another thread.
    ///
    /// `earlier` are the positions of the game before this one: coming back to one of them is a
    /// draw, and so is coming back to one of the line that is looked at. The judge is asked about
    /// the positions behind the first turn, never about this one; they may come to it with the
    /// colours exchanged, White to move. `report` is called after each depth, for each line. There
    /// is always a best turn unless the game is over.
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
        self.table.next_search();
        let judged = Judged {
            judge,
            rules: &self.rules,
            geometry: &self.geometry,
        };
        let busy = Busy::new();
        let finished = AtomicBool::new(false);
        let shared = Shared {
            rules: &self.rules,
            geometry: &self.geometry,
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
            busy: (self.threads > 1).then_some(&busy),
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

/// The knowledge of a judge, and the evaluation.
struct Judged<'a> {
    judge: &'a dyn Judge,
    rules: &'a Rules,
    geometry: &'a Geometry,
}

impl Knowledge for Judged<'_> {
    fn known(&self, node: &Node, _window: Window, counts: &mut Counts) -> Option<Score> {
        let position = node.position();
        let known = match self.judge.value(&position) {
            Some(value) => Score::from(value),
            None => Score::from(self.judge.wdl(&position)?),
        };
        counts.judged += 1;
        Some(known)
    }

    fn rate(&self, node: &Node) -> Score {
        evaluate(node, self.rules, self.geometry)
    }
}
