//! How to search, and how long.

use std::time::Duration;

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
    /// The depth in turns.
    pub depth: Option<u32>,
    /// The number of positions to visit, roughly.
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
