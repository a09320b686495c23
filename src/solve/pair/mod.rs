//! Retrograde analysis: the value of every position of a pair, from the positions where the game
//! ends backwards.
//!
//! * [`solve`] solves one pair in memory, from the tables that its captures lead to.
//! * [`plan`] orders the pairs and computes the memory that each needs.
//! * [`build()`] solves the pairs of a plan and writes their files.
//! * [`load`] reads a whole table from the files.
//!
//! `half` holds the table of one side to move while it is solved, `init` fills it from the
//! captures. Then a sweep decides the remaining positions. Each depth n, with value byte v = n + 1,
//! takes two passes for each side to move:
//!
//! ```text
//! scatter    working entries with value v, decided      → the same positions in the finished arrangement
//! propagate  finished entries with value v, a row each  → quiet predecessors, all in one working row of the other side
//! ```

mod build;
pub(crate) mod half;
pub(crate) mod init;
pub mod plan;
mod propagate;
mod repack;
mod scatter;
mod whole_row;

use std::ops::Deref;
use std::time::{Duration, Instant};

pub use build::{BuildFolder, PairReport, TableReport, build};
pub(crate) use build::{Sequel, build_with};
pub(crate) use init::{Captures, ORDERED, VALUES};
pub use plan::PairPlan;
pub use repack::repack;
pub(crate) use scatter::{Scatter, fill_images};

use self::half::Half;
use crate::index::{Material, Pair};
use crate::memory::Bytes;
use crate::rules::Rules;
use crate::solve::{SolveError, TableCache, load};
use crate::store::{DbError, LARGEST_VALUE};

/// A step of the solver's progress.
#[derive(Clone, Debug)]
pub enum PairProgress {
    /// The solver begins a pair.
    Started {
        /// The pair.
        pair: Pair,
        /// The number of entries of its tables.
        entries: u64,
    },
    /// The captures of one table have been looked up.
    Initialised(Material),
    /// All positions that are decided in fewer than `depth` turns are known.
    Swept {
        /// The depth in turns.
        depth: u16,
        /// The number of decided entries of the pair.
        decided: u64,
    },
    /// The pair's file is being written.
    Writing,
    /// The pair's file is complete.
    Finished(Box<PairReport>),
}

/// The progress observer of a long computation.
pub trait Observer: Sync {
    /// Receives a step of progress; any thread may call it.
    fn progress(&self, progress: PairProgress);
}

/// Ignores the progress.
impl Observer for () {
    fn progress(&self, _progress: PairProgress) {}
}

/// The times of the steps for one side to move.
#[derive(Clone, Copy, Default, Debug)]
pub struct Times {
    /// Reading the table that captures lead to.
    pub load: Duration,
    /// Looking up the captures and counting the quiet turns.
    pub initialise: Duration,
    /// Copying decided positions to the finished arrangement.
    pub scatter: Duration,
    /// Updating the predecessors of decided positions.
    pub propagate: Duration,
}

impl Times {
    /// All steps together.
    pub fn total(&self) -> Duration {
        self.load + self.initialise + self.scatter + self.propagate
    }
}

/// One table of a solved pair.
#[derive(Debug)]
pub struct Solved {
    /// The material of the table.
    pub material: Material,
    /// Its value bytes in the order of its [`crate::index::Index`].
    pub values: Bytes,
    /// The times of the steps.
    pub times: Times,
}

/// Solves a pair. `load` provides the tables that captures lead to; those of one side to move are
/// dropped before those of the other are requested.
///
/// The result is the same for any number of threads.
///
/// ```
/// use millbase::{Pair, Rules, solve};
/// let pair = Pair::new(3, 3).unwrap();
/// let nothing = |_| -> Result<Vec<u8>, _> { unreachable!("3-3 needs nothing") };
/// let tables = solve::pair::solve(&Rules::STANDARD, pair, nothing, &())?;
/// let deepest = tables[0].values.iter().max();
/// assert_eq!(deepest, Some(&27)); // lost in 26 turns
/// # Ok::<(), solve::SolveError>(())
/// ```
///
/// # Errors
///
/// [`SolveError`], including the errors of `load`.
pub fn solve<V: Deref<Target = [u8]>>(
    rules: &Rules,
    pair: Pair,
    mut load: impl FnMut(Material) -> Result<V, DbError>,
    observer: &dyn Observer,
) -> Result<Vec<Solved>, SolveError> {
    let memory_error = |source| SolveError::PairMemory {
        pair,
        bytes: plan::memory(rules, pair),
        source,
    };
    let mut halves = Vec::new();
    for material in pair.tables() {
        let mut times = Times::default();
        let start = Instant::now();
        let mut half = Half::new(rules, material).map_err(memory_error)?;
        let after = material.after_captures(rules).into_iter();
        let values = after.map(&mut load).collect::<Result<Vec<V>, _>>()?;
        let captures = Captures::all(rules, material, &values);
        times.load = start.elapsed();
        timed(&mut times.initialise, || {
            init::initialise(&mut half.working, &captures)
        });
        halves.push((half, times));
        observer.progress(PairProgress::Initialised(material));
    }
    sweep_all(pair, &mut halves, observer)?;
    let solved = |(half, times): (Half, Times)| Solved {
        material: half.finished.index.material(),
        values: half.finished.values,
        times,
    };
    Ok(halves.into_iter().map(solved).collect())
}

/// Sweeps through all depths.
fn sweep_all(
    pair: Pair,
    halves: &mut [(Half, Times)],
    observer: &dyn Observer,
) -> Result<(), SolveError> {
    let mut decided = 0;
    for v in 1..=u8::MAX {
        let somewhere = halves.iter().any(|(half, _)| half.has(v));
        if !somewhere {
            continue;
        }
        if v > LARGEST_VALUE {
            return Err(SolveError::PairTooDeep(pair));
        }
        for (half, times) in halves.iter_mut() {
            decided += timed(&mut times.scatter, || scatter::scatter(half, v));
        }
        match halves {
            // With equal sides, the only half also holds the predecessors of its positions.
            [(Half { working, finished }, times)] => {
                timed(&mut times.propagate, || {
                    propagate::propagate(finished, working, v)
                });
            }
            [(a, a_times), (b, b_times)] => {
                let (a_working, b_working) = (&mut a.working, &mut b.working);
                timed(&mut b_times.propagate, || {
                    propagate::propagate(&a.finished, b_working, v)
                });
                timed(&mut a_times.propagate, || {
                    propagate::propagate(&b.finished, a_working, v)
                });
            }
            _ => {}
        }
        observer.progress(PairProgress::Swept {
            depth: u16::from(v),
            decided,
        });
    }
    Ok(())
}

/// Does the work and adds its time to the total.
fn timed<T>(total: &mut Duration, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = work();
    *total += start.elapsed();
    result
}
