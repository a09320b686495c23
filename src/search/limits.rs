//! The algorithm and the limits of a search.

use std::time::Duration;

/// The search algorithm. All algorithms find the same value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Algorithm {
    /// Alpha-beta with the full window for every turn.
    AlphaBeta,
    /// Principal variation search: the first turn with the full window, the others with a null
    /// window unless they turn out better.
    #[default]
    Pvs,
    /// MTD(f): a sequence of null-window searches that begins at the last value.
    Mtdf,
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
    /// The number of best turns to report, each with its own line; at least one (MultiPV).
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
