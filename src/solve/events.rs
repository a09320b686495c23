//! The events of a build, and its report: the files that it made, with sizes and times.

use std::time::{Duration, Instant};

use super::error::SolveError;
use crate::index::Pair;
use crate::index::stages::Stage;

/// Does the work and adds its time to the total.
pub(super) fn timed<T>(total: &mut Duration, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = work();
    *total += start.elapsed();
    result
}

/// A function that receives the events of a build and may end it with an error.
pub type Observer<'a> = dyn FnMut(BuildEvent<'_>) -> Result<(), SolveError> + 'a;

/// A step of a build.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum BuildEvent<'a> {
    /// Work on a pair begins: its captures are looked up.
    PairStarted(Pair),
    /// The captures of the pair have been looked up.
    CapturesFound,
    /// All positions of the pair that are decided in fewer than `depth` turns are known.
    Swept {
        /// The depth in turns.
        depth: u16,
        /// The number of decided entries of the pair.
        decided: u64,
    },
    /// The pair's file is being written.
    Writing,
    /// The pair's file is complete.
    PairFinished(&'a PairReport),
    /// Work on a ply begins. All pairs are finished.
    PlyStarted(u8),
    /// A stage of the ply is solved.
    StageSolved(Stage),
    /// The ply is solved, and its file complete if it is kept.
    PlyFinished(&'a PlyReport),
}

/// The files that a build has made.
#[derive(Clone, Default, Debug)]
#[non_exhaustive]
pub struct BuildReport {
    /// The solved pairs, in this order.
    pub pairs: Vec<PairReport>,
    /// The solved plies, in this order.
    pub plies: Vec<PlyReport>,
}

/// The report on one pair.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PairReport {
    /// The pair.
    pub pair: Pair,
    /// The times to solve its tables, the larger side to move first.
    pub tables: Vec<TableTimes>,
    /// The size of the file in bytes.
    pub bytes: u64,
    /// The time of all steps together.
    pub total: Duration,
    /// The time to count and write the solved tables.
    pub write: Duration,
    /// The time to solve the last placement before the pair, if the plan has it.
    pub placing: Duration,
}

/// The times of the steps for one side to move.
#[derive(Clone, Copy, Default, Debug)]
#[non_exhaustive]
pub struct TableTimes {
    /// Reading the tables that captures and placements lead to.
    pub load: Duration,
    /// Looking up the captures and counting the quiet turns.
    pub initialise: Duration,
    /// Copying decided positions to the finished arrangement.
    pub scatter: Duration,
    /// Updating the predecessors of decided positions.
    pub propagate: Duration,
}

impl TableTimes {
    /// All steps together.
    pub fn total(&self) -> Duration {
        self.load + self.initialise + self.scatter + self.propagate
    }
}

/// The report on one ply.
#[derive(Clone, Default, Debug)]
#[non_exhaustive]
pub struct PlyReport {
    /// The number of turns made before its positions.
    pub ply: u8,
    /// The size of its file in bytes, or, for a ply that is not kept, of the files of the stages
    /// that this build solved.
    pub bytes: u64,
    /// Time to read tables.
    pub load: Duration,
    /// Time to solve.
    pub solve: Duration,
    /// Time to compress and write.
    pub write: Duration,
}

impl PlyReport {
    /// All steps together.
    pub fn total(&self) -> Duration {
        self.load + self.solve + self.write
    }
}
