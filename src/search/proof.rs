//! The value of the start position, proved by searching all placements to the databases.
//!
//! Two questions are asked, each with the narrowest window: can White avoid losing, and can Black?
//! With databases for some pairs only, every position of another pair counts as lost for the side
//! that is asked about. What holds even so is proved.
//!
//! 9-9, 9-8 and 8-8 are enough to prove that Nine Men's Morris is a draw, as Ralph Gasser found in
//! 1993.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::core::{Bounds, Busy, Counts, Knowledge, Shared, Window, Worker};
use super::geometry::Geometry;
use super::node::Node;
use super::score::Score;
use super::table::Table;
use crate::board::PointSet;
use crate::db::{Database, DbError, Preload};
use crate::index::Pair;
use crate::position::{Position, Side};
use crate::rules::{FEWEST_STONES, MOST_STONES, Rules};
use crate::turns::{Turn, removable};
use crate::value::Wdl;

/// What a proof may use.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProofOptions {
    /// The pairs that are read into memory.
    pub pairs: Vec<Pair>,
    /// Whether the databases of the other pairs are asked too. Otherwise their positions count as
    /// lost for the side that is to hold.
    pub others: bool,
    /// Bytes for the transposition tables.
    pub hash_bytes: usize,
    /// How many threads search.
    pub threads: usize,
}

/// A step of a proof that is finished.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProofStep {
    /// The pairs are in memory.
    Loaded {
        /// How many bytes they take.
        bytes: u64,
    },
    /// A question about a position is answered.
    Answered {
        /// The first placement; `None` for the start position.
        turn: Option<Turn>,
        /// The side that was to hold.
        side: Side,
        /// Whether it does not lose.
        holds: bool,
    },
}

/// The value of one position, as far as it was proved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Proved {
    /// White does not lose.
    pub white_holds: bool,
    /// Black does not lose.
    pub black_holds: bool,
    /// Whether what is not held is lost. So it is when all databases could be asked.
    pub complete: bool,
}

impl Proved {
    /// The result for a side, `None` if it was not proved.
    pub fn result_for(&self, side: Side) -> Option<Wdl> {
        let (holds, other_holds) = match side {
            Side::White => (self.white_holds, self.black_holds),
            Side::Black => (self.black_holds, self.white_holds),
        };
        match (holds, other_holds) {
            (true, true) => Some(Wdl::Draw),
            (true, false) if self.complete => Some(Wdl::Win),
            (false, true) if self.complete => Some(Wdl::Loss),
            _ => None,
        }
    }
}

/// A proof and its figures.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proof {
    /// The start position.
    pub start: Proved,
    /// The first placements, one for each orbit of the symmetries.
    pub placements: Vec<(Turn, Proved)>,
    /// A line of placements that keeps the value, to the end of the placing phase; empty if the
    /// value was not proved.
    pub line: Vec<Turn>,
    /// What was done for the start position.
    pub work: Work,
    /// What was done besides, for the first placements and the line.
    pub more: Work,
    /// Time to read the pairs into memory.
    pub loading: Duration,
    /// Bytes of the pairs in memory.
    pub loaded_bytes: u64,
}

/// Figures of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Work {
    /// Positions visited.
    pub nodes: u64,
    /// Values asked of databases.
    pub probes: u64,
    /// Those of them that were not in memory.
    pub other_probes: u64,
    /// Positions with eight stones placed that were searched: what the proof of 1993 counted.
    pub after_eight: u64,
    /// Time.
    pub time: Duration,
}

/// Proves the value of the start position.
///
/// # Errors
///
/// [`DbError::NotStored`] that names the pairs that are missing, otherwise as for
/// [`Database::load`] and [`Database::probe`].
pub fn prove(
    database: &Database,
    options: &ProofOptions,
    report: &mut dyn FnMut(ProofStep),
) -> Result<Proof, DbError> {
    let rules = database.rules();
    check_present(database, options)?;
    let begin = Instant::now();
    let preload = database.preload(&options.pairs)?;
    let loading = begin.elapsed();
    let bytes = preload.bytes();
    report(ProofStep::Loaded { bytes });

    let mut prover = Prover::new(database, &preload, options);
    let start = Position::start(rules);
    let mut ask = |prover: &mut Prover<'_>, position: &Position, turn| {
        let mut holds = |side| -> Result<bool, DbError> {
            let holds = prover.holds(position, side)?;
            report(ProofStep::Answered { turn, side, holds });
            Ok(holds)
        };
        Ok::<Proved, DbError>(Proved {
            white_holds: holds(Side::White)?,
            black_holds: holds(Side::Black)?,
            complete: options.others,
        })
    };
    let proved = ask(&mut prover, &start, None)?;
    let work = std::mem::take(&mut prover.work);
    let mut placements = Vec::new();
    for turn in first_placements(&start, rules) {
        let proved = ask(&mut prover, &start.after(turn), Some(turn))?;
        placements.push((turn, proved));
    }
    let line = match proved.result_for(Side::White) {
        Some(_) => prover.line(&start)?,
        None => Vec::new(),
    };
    Ok(Proof {
        start: proved,
        placements,
        line,
        work,
        more: prover.work,
        loading,
        loaded_bytes: bytes,
    })
}

/// All pairs that the options need must be there.
fn check_present(database: &Database, options: &ProofOptions) -> Result<(), DbError> {
    let mut needed = options.pairs.clone();
    if options.others {
        needed.extend(Pair::all(database.rules().stones));
    }
    needed.retain(|&pair| !database.has(pair));
    needed.sort_unstable();
    needed.dedup();
    if needed.is_empty() {
        return Ok(());
    }
    let names: Vec<String> = needed.iter().map(Pair::to_string).collect();
    Err(DbError::NotStored(format!(
        "the proof needs {}, which {} missing; build with `millbase build`",
        names.join(", "),
        if names.len() == 1 { "is" } else { "are" }
    )))
}

/// The first of the start position's turns in each orbit.
fn first_placements(start: &Position, rules: &Rules) -> Vec<Turn> {
    let mut seen = Vec::new();
    let mut turns = start.turns(rules);
    turns.retain(|&turn| {
        let (key, _) = Node::of(&start.after(turn)).canonical_key();
        let new = !seen.contains(&key);
        seen.push(key);
        new
    });
    turns
}

/// Answers who holds a position.
struct Prover<'a> {
    leaves: Leaves<'a>,
    /// With all databases both questions share one table; otherwise what is found for one says
    /// nothing about the other.
    tables: Vec<Table>,
    threads: usize,
    work: Work,
}

impl<'a> Prover<'a> {
    fn new(database: &'a Database, preload: &'a Preload, options: &ProofOptions) -> Prover<'a> {
        let count = if options.others { 1 } else { 2 };
        let tables = (0..count).map(|_| Table::with_bytes(options.hash_bytes / count));
        Prover {
            leaves: Leaves::new(database, preload, options),
            tables: tables.collect(),
            threads: options.threads.max(1),
            work: Work::default(),
        }
    }

    /// Whether a side does not lose a position of the placing phase.
    fn holds(&mut self, position: &Position, side: Side) -> Result<bool, DbError> {
        let begin = Instant::now();
        self.leaves.others_lose = side;
        let node = Node::of(position);
        let moves = position.side_to_move() == side;
        // The side to move holds with a draw or more; the other if the side to move does not win.
        let window = match moves {
            true => Window::at_least(Score::DRAW),
            false => Window::at_least(Score::DRAW.next()),
        };
        let last = self.tables.len() - 1;
        let table = &self.tables[last.min(side as usize)];
        let (busy, finished) = (Busy::new(), AtomicBool::new(false));
        let shared = &Shared {
            rules: self.leaves.database.rules(),
            geometry: &self.leaves.geometry,
            table,
            knowledge: &self.leaves,
            bounds: Bounds {
                stop: &self.leaves.stop,
                finished: &finished,
                deadline: None,
                nodes: u64::MAX,
            },
            busy: (self.threads > 1).then_some(&busy),
            pvs: false,
        };
        let search = || {
            let mut worker = Worker::new(shared, &[]);
            let score = worker.search(&node, window, node.in_hand(), 0);
            let complete = !worker.is_stopped();
            finished.fetch_or(complete, Ordering::Relaxed);
            (complete.then_some(score), worker.counts)
        };
        let found: Vec<(Option<Score>, Counts)> = thread::scope(|scope| {
            let helpers: Vec<_> = (1..self.threads).map(|_| scope.spawn(search)).collect();
            let own = search();
            let others = helpers.into_iter().filter_map(|helper| helper.join().ok());
            others.chain([own]).collect()
        });
        for (_, counts) in &found {
            self.work.nodes += counts.nodes;
            self.work.probes += counts.judged;
        }
        self.work.other_probes += self.leaves.asked.swap(0, Ordering::Relaxed);
        self.work.after_eight += self.leaves.after_eight.swap(0, Ordering::Relaxed);
        self.work.time += begin.elapsed();
        if let Some(error) = self
            .leaves
            .failure
            .lock()
            .ok()
            .and_then(|mut slot| slot.take())
        {
            return Err(error);
        }
        let score = found.into_iter().find_map(|(score, _)| score);
        let wins = score.is_some_and(|score| score >= window.beta);
        Ok(wins == moves)
    }

    /// The result for the side to move, as far as both questions tell.
    fn result(&mut self, position: &Position) -> Result<Option<Wdl>, DbError> {
        let proved = Proved {
            white_holds: self.holds(position, Side::White)?,
            black_holds: self.holds(position, Side::Black)?,
            complete: self.leaves.others,
        };
        Ok(proved.result_for(position.side_to_move()))
    }

    /// Placements that keep the position's value, always the first in the order of their texts.
    fn line(&mut self, start: &Position) -> Result<Vec<Turn>, DbError> {
        let mut line = Vec::new();
        let mut position = *start;
        while position.is_placing() {
            let Some(result) = self.result(&position)? else {
                break;
            };
            let side = position.side_to_move();
            let mut keeps = None;
            for turn in position.turns(self.leaves.database.rules()) {
                let after = position.after(turn);
                let kept = match result {
                    Wdl::Win => !self.holds(&after, side.other())?,
                    Wdl::Draw => self.holds(&after, side)?,
                    Wdl::Loss => true,
                };
                if kept {
                    keeps = Some((turn, after));
                    break;
                }
            }
            let Some((turn, after)) = keeps else { break };
            line.push(turn);
            position = after;
        }
        Ok(line)
    }
}

/// The positions where the last stone is placed.
struct Leaves<'a> {
    database: &'a Database,
    preload: &'a Preload,
    geometry: Geometry,
    /// Whether pairs that are not in memory are asked of the database.
    others: bool,
    /// The side that loses positions of other pairs, unless they are asked.
    others_lose: Side,
    /// By the stones of the sides, on the board and in hand: whether placements can lead to a pair
    /// in memory.
    reachable: [[bool; SIDES]; SIDES],
    asked: AtomicU64,
    after_eight: AtomicU64,
    stop: AtomicBool,
    failure: Mutex<Option<DbError>>,
}

const SIDES: usize = MOST_STONES as usize + 1;

impl<'a> Leaves<'a> {
    fn new(database: &'a Database, preload: &'a Preload, options: &ProofOptions) -> Leaves<'a> {
        let mut reachable = [[false; SIDES]; SIDES];
        for (mover, row) in reachable.iter_mut().enumerate() {
            for (waiting, reachable) in row.iter_mut().enumerate() {
                let (larger, smaller) = (mover.max(waiting), mover.min(waiting));
                *reachable = preload.pairs().iter().any(|pair| {
                    usize::from(pair.larger()) <= larger && usize::from(pair.smaller()) <= smaller
                });
            }
        }
        Leaves {
            database,
            preload,
            geometry: Geometry::new(database.rules()),
            others: options.others,
            others_lose: Side::White,
            reachable,
            asked: AtomicU64::new(0),
            after_eight: AtomicU64::new(0),
            stop: AtomicBool::new(false),
            failure: Mutex::new(None),
        }
    }

    /// What a position of another pair counts as for a side, where it is not asked.
    fn assumed(&self, side: Side) -> Score {
        match side == self.others_lose {
            true => Score::LOST,
            false => Score::WON,
        }
    }

    /// The result of a position without stones in hand for its side to move, White.
    fn white(&self, white: PointSet, black: PointSet, counts: &mut Counts) -> Score {
        counts.judged += 1;
        if white.len() < u32::from(FEWEST_STONES) {
            return Score::LOST;
        }
        if let Some(result) = self.preload.of_sets(white, black) {
            return result.into();
        }
        if !self.others {
            return self.assumed(Side::White);
        }
        self.asked.fetch_add(1, Ordering::Relaxed);
        match self.database.probe_wdl(&Position::moving(white, black)) {
            Ok(result) => result.into(),
            Err(error) => {
                if let Ok(mut failure) = self.failure.lock() {
                    failure.get_or_insert(error);
                }
                self.stop.store(true, Ordering::Relaxed);
                Score::DRAW
            }
        }
    }

    /// The score for Black of placing the last stone.
    fn last_placement(&self, node: &Node, beta: Score, counts: &mut Counts) -> Score {
        let rules = self.database.rules();
        let (white, black, empty) = (node.waiting, node.mover, node.empty());
        let closing = self.geometry.completions(black) & empty;
        let mut best = Score::LEAST;
        if !closing.is_empty() {
            let stones = (black.len() + 1, white.len().saturating_sub(1));
            if !self.others && !self.reachable[stones.0 as usize][stones.1 as usize] {
                best = self.assumed(Side::Black);
            } else {
                for removed in removable(white, rules.board(), rules) {
                    for to in closing {
                        let score = self.white(white.without(removed), black.with(to), counts);
                        best = best.max(-score);
                        if best >= beta {
                            return best;
                        }
                    }
                }
            }
            if best >= beta {
                return best;
            }
        }
        let row = self.preload.row(white, black.len() + 1);
        for to in empty - closing {
            let score = match row.as_ref().and_then(|row| row.wdl(black.with(to))) {
                Some(result) => {
                    counts.judged += 1;
                    result.into()
                }
                None => self.white(white, black.with(to), counts),
            };
            best = best.max(-score);
            if best >= beta {
                break;
            }
        }
        best
    }
}

impl Knowledge for Leaves<'_> {
    fn known(&self, node: &Node, window: Window, counts: &mut Counts) -> Option<Score> {
        let in_hand = node.in_hand();
        if !self.others {
            let total = |set: PointSet, in_hand: u8| set.len() as usize + usize::from(in_hand);
            let mover = total(node.mover, node.mover_in_hand);
            let waiting = total(node.waiting, node.waiting_in_hand);
            if !self.reachable[mover][waiting] {
                // White moves when an even number of stones is left.
                let side = [Side::White, Side::Black][in_hand as usize % 2];
                return Some(self.assumed(side));
            }
        }
        if in_hand + 8 == 2 * u32::from(self.database.rules().stones) {
            self.after_eight.fetch_add(1, Ordering::Relaxed);
        }
        match in_hand {
            0 => Some(self.white(node.mover, node.waiting, counts)),
            1 => Some(self.last_placement(node, window.beta, counts)),
            _ => None,
        }
    }

    /// Never asked: the search goes to the last stone.
    fn rate(&self, _node: &Node) -> Score {
        Score::DRAW
    }
}
