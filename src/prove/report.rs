//! What a proof may use, its steps, and what it found.

use std::time::Duration;

use crate::index::Pair;
use crate::rules::position::Side;
use crate::rules::turns::Turn;
use crate::value::Wdl;

/// What a proof may use.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProofOptions {
    /// The pairs that are read into memory.
    pub pairs: Vec<Pair>,
    /// Whether the databases of the other pairs are asked where those in memory do not suffice.
    pub others: bool,
    /// Bytes for each transposition table: there are two, and a third once other pairs are asked.
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
        /// Positions visited since the first question about the start position, or about the
        /// placements after it.
        nodes: u64,
        /// Time since then.
        time: Duration,
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
