//! The options of a proof, its progress, and its result.

use std::time::Duration;

use crate::index::Pair;
use crate::rules::position::Side;
use crate::rules::turns::Turn;
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
