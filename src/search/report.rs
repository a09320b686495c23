//! The results of a search.

use std::time::Duration;

use super::score::Score;
use crate::rules::turns::Turn;

/// The state of a search after a completed depth.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Info {
    /// The search depth, in turns.
    pub depth: u32,
    /// The longest searched line, in turns.
    pub seldepth: u32,
    /// The score of the line for the side to move.
    pub score: Score,
    /// Positions visited so far.
    pub nodes: u64,
    /// Positions so far whose value the prober knew.
    pub tb_hits: u64,
    /// Time since the search began.
    pub time: Duration,
    /// The principal variation: the turns that both sides are expected to make.
    pub line: Vec<Turn>,
    /// The number of this line among the best lines, from 1.
    pub number: usize,
}

/// The result of a search.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Outcome {
    /// The best lines, best first; none when the game is over. Each begins with a turn.
    pub lines: Vec<Info>,
}

impl Outcome {
    /// The best turn; `None` if the game is over.
    pub fn best(&self) -> Option<Turn> {
        self.lines.first()?.line.first().copied()
    }
}
