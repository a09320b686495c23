//! Proves the value of the start position by a search of all placements down to the databases.
//!
//! The proof answers two questions, each with a null window: can White avoid losing, and can Black?
//! With databases of some pairs only, every position of another pair counts as lost for the side in
//! question; a side that holds even then is proved to hold. With all databases this is tried first,
//! and a side that is not proved to hold is searched again with the values of all pairs, because
//! pairs in memory answer thousands of times as fast as files.
//!
//! 9-9, 9-8 and 8-8 are enough to prove that Nine Men's Morris is a draw, as Ralph Gasser found in
//! 1993.

mod leaves;
mod prover;

pub use prover::Prover;

use std::collections::HashSet;
use std::mem;
use std::time::{Duration, Instant};

use crate::index::Pair;
use crate::probe::Database;
use crate::rules::Rules;
use crate::rules::position::{Position, Side};
use crate::rules::turns::Turn;
use crate::search::key;
use crate::store::DbError;
use crate::value::Wdl;

/// The options of a proof.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProofOptions {
    /// The pairs to hold in memory.
    pub pairs: Vec<Pair>,
    /// Whether to probe the databases of other pairs if those in memory do not suffice.
    pub others: bool,
    /// The bytes of each transposition table: there are two, and a third as soon as other pairs are
    /// probed.
    pub hash_bytes: usize,
    /// The number of search threads.
    pub threads: usize,
}

/// The answer to a question about a position.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ProofStep {
    /// The first placement; `None` for the start position.
    pub turn: Option<Turn>,
    /// The side in question.
    pub side: Side,
    /// Whether it does not lose.
    pub holds: bool,
    /// The work since the first question about the start position or the placements after it.
    pub work: ProofWork,
}

/// The value of one position, as far as it was proved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Proved {
    /// White does not lose.
    pub white_holds: bool,
    /// Black does not lose.
    pub black_holds: bool,
    /// Whether a side that does not hold is proved to lose, because all databases could be probed.
    pub complete: bool,
}

impl Proved {
    /// The result for a side; `None` if it was not proved.
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
#[derive(Clone, PartialEq, Debug)]
pub struct Proof {
    /// The value of the start position.
    pub start: Proved,
    /// The first placements, one for each orbit of the symmetries.
    pub placements: Vec<(Turn, Proved)>,
    /// A line of placements that keeps the value, to the end of the placing phase; empty if the
    /// value was not proved.
    pub line: Vec<Turn>,
    /// The work for the start position.
    pub work: ProofWork,
    /// The work for the first placements and the line.
    pub more: ProofWork,
    /// Time to open the files, and to derive what they omit if they hold only some rows.
    pub loading: Duration,
    /// Bytes of the rows of the pairs in memory.
    pub loaded_bytes: u64,
}

/// Figures of the searches for a proof.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
#[cfg_attr(feature = "service", derive(serde::Serialize, schemars::JsonSchema))]
pub struct ProofWork {
    /// Positions visited.
    pub nodes: u64,
    /// Values probed in databases.
    pub probes: u64,
    /// Values probed in databases that were not in memory.
    pub probes_not_in_memory: u64,
    /// Searched positions with eight stones placed, the figure that the proof of 1993 reports.
    pub positions_after_eight_turns: u64,
    /// Time.
    pub seconds: f64,
}

/// The pairs that are enough to prove Nine Men's Morris a draw, for these rules: those with all
/// stones of both sides, or with one fewer of either or both.
///
/// ```
/// use millbase::Rules;
/// use millbase::internals::prove;
/// let pairs: Vec<String> = prove::proof_pairs(&Rules::TEN).iter().map(|pair| pair.to_string()).collect();
/// assert_eq!(pairs, ["10-10", "10-9", "9-9"]);
/// ```
pub fn proof_pairs(rules: &Rules) -> Vec<Pair> {
    let (all, less) = (rules.stones, rules.stones.saturating_sub(1));
    let pairs = [(all, all), (all, less), (less, less)].into_iter();
    pairs.filter_map(|(a, b)| Pair::new(a, b)).collect()
}

/// Proves the value of the start position, and calls `report` with the answer to each question.
///
/// # Errors
///
/// As for [`Prover::new`] and [`Prover::prove`].
pub fn prove(
    database: &Database,
    options: &ProofOptions,
    report: &mut dyn FnMut(ProofStep),
) -> Result<Proof, DbError> {
    let rules = database.rules();
    let begin = Instant::now();
    let mut prover = Prover::new(database, options)?;
    let loading = begin.elapsed();

    let start = Position::start(rules);
    let proved = prover.prove_after(&start, None, report)?;
    let work = mem::take(&mut prover.work);
    let mut placements = Vec::new();
    for turn in first_placements(&start, rules) {
        let proved = prover.prove_after(&start.after(turn), Some(turn), report)?;
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
        loaded_bytes: prover.leaves.bitbase.bytes(),
    })
}

/// The first of the start position's turns in each orbit.
fn first_placements(start: &Position, rules: &Rules) -> Vec<Turn> {
    let mut seen = HashSet::new();
    let mut turns = start.turns(rules);
    turns.retain(|&turn| seen.insert(key::canonical(&start.after(turn)).0));
    turns
}
