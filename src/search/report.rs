//! What a search has found.

use std::time::Duration;

use super::score::Score;
use crate::rules::turns::Turn;

/// What is known after a depth has been searched.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Info {
    /// How many turns were looked ahead.
    pub depth: u32,
    /// The longest line that was looked at, in turns.
    pub seldepth: u32,
    /// What the line is worth to the side to move.
    pub score: Score,
    /// Positions visited so far.
    pub nodes: u64,
    /// Positions whose value the prober knew so far.
    pub tb_hits: u64,
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
    pub lines: Vec<Info>,
}

impl Outcome {
    /// The best turn, `None` when the game is over.
    pub fn best(&self) -> Option<Turn> {
        self.lines.first()?.line.first().copied()
    }
}
