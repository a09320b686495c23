//! Retrograde analysis: the value of every position of a pair, from the positions where the game
//! ends backwards.
//!
//! `half` holds the table of one side to move while it is solved, `init` fills it from the
//! captures. Then a sweep decides the remaining positions. Each depth n, with value byte v = n + 1,
//! takes two passes for each side to move:
//!
//! ```text
//! scatter    working entries with value v, decided      → the same positions in the finished arrangement
//! propagate  finished entries with value v, a row each  → quiet predecessors, all in one working row of the other side
//! ```

pub(crate) mod half;
pub(crate) mod init;
mod propagate;
mod scatter;
mod whole_row;

use std::ops::Deref;
use std::time::Instant;

pub(crate) use init::{Captures, Exits, ORDERED, value_of_ordered};
pub(crate) use scatter::{Scatter, fill_images};

use self::half::{Finished, Half, Working};
use super::error::SolveError;
use super::events::{BuildEvent, Observer, TableTimes, timed};
use crate::index::{Material, Pair};
use crate::memory::Bytes;
use crate::rules::Rules;
use crate::store::{DbError, LARGEST_VALUE};
use crate::value::{Dtw, Value};

/// One table of a solved pair.
#[derive(Debug)]
pub struct SolvedTable {
    /// The material of the table.
    pub material: Material,
    /// Its value bytes in the order of its [`crate::index::Index`].
    pub values: Bytes,
    /// The times of the steps.
    pub times: TableTimes,
}

/// Solves a pair. `load` provides the tables of [`Material::exits`]; it asks for them in groups,
/// and drops those of a group before it asks for the next.
///
/// The result is the same for any number of threads.
///
/// ```
/// use millbase::internals::solve;
/// use millbase::{Pair, Rules};
/// let pair = Pair::new(3, 3).unwrap();
/// let nothing = |_| -> Result<Vec<u8>, _> { unreachable!("3-3 needs nothing") };
/// let tables = solve::pair::solve(&Rules::STANDARD, pair, nothing, &mut |_| Ok(()))?;
/// let deepest = tables[0].values.iter().max();
/// assert_eq!(deepest, Some(&27)); // lost in 26 turns
/// # Ok::<(), millbase::solve::SolveError>(())
/// ```
///
/// # Errors
///
/// [`SolveError`], including the errors of `load`.
pub fn solve<V: Deref<Target = [u8]>>(
    rules: &Rules,
    pair: Pair,
    mut load: impl FnMut(Material) -> Result<V, DbError>,
    observer: &mut Observer<'_>,
) -> Result<Vec<SolvedTable>, SolveError> {
    let memory_error = |source| SolveError::PairMemory {
        pair,
        bytes: memory(rules, pair),
        source,
    };
    let mut halves = Vec::new();
    for material in pair.tables(rules) {
        let mut times = TableTimes::default();
        let start = Instant::now();
        let mut half = Half::new(rules, material).map_err(memory_error)?;
        times.load = start.elapsed();
        let groups = material.exit_groups(rules);
        for (number, group) in groups.iter().enumerate() {
            let tables = group.iter().copied();
            let values: Result<Vec<V>, _> =
                timed(&mut times.load, || tables.map(&mut load).collect());
            let values = values?;
            let only = |group| (group == number).then_some(&values[..]);
            let exits = Exits::of_groups(rules, material, [0, 1, 2].map(only));
            let is_last = number + 1 == groups.len();
            timed(&mut times.initialise, || {
                init::initialise(&mut half.working, &exits, is_last)
            });
        }
        halves.push((half, times));
    }
    observer(BuildEvent::CapturesFound)?;
    sweep_all(rules, pair, &mut halves, observer)?;
    let solved = |(half, times): (Half, TableTimes)| SolvedTable {
        material: half.finished.index.material(),
        values: half.finished.values,
        times,
    };
    Ok(halves.into_iter().map(solved).collect())
}

/// Sweeps through all depths. Positions still undecided then are draws.
fn sweep_all(
    rules: &Rules,
    pair: Pair,
    halves: &mut [(Half, TableTimes)],
    observer: &mut Observer<'_>,
) -> Result<(), SolveError> {
    // A limit of quiet turns allows no larger value byte.
    let limit = rules.quiet_limit([pair.larger(), pair.smaller()]);
    let last = limit.and_then(|limit| rules.distance().byte(Value::Win(Dtw(limit.into()))));
    let mut decided = 0;
    for v in 1..=last.unwrap_or(u8::MAX) {
        if !halves.iter().any(|(half, _)| half.has(v)) {
            continue;
        }
        if v > LARGEST_VALUE {
            return Err(SolveError::PairTooDeep(pair));
        }
        for (half, times) in halves.iter_mut() {
            decided += timed(&mut times.scatter, || scatter::scatter(half, v));
        }
        let propagate = |finished: &Finished, working: &mut Working, times: &mut TableTimes| {
            // A mover that moves no stones has no quiet turns.
            if working.shape.moves {
                timed(&mut times.propagate, || {
                    propagate::propagate(finished, working, v)
                });
            }
        };
        match halves {
            // With equal sides, the only half also holds the predecessors of its positions.
            [(Half { working, finished }, times)] => propagate(finished, working, times),
            [(a, a_times), (b, b_times)] => {
                propagate(&a.finished, &mut b.working, b_times);
                propagate(&b.finished, &mut a.working, a_times);
            }
            _ => {}
        }
        observer(BuildEvent::Swept {
            depth: rules.distance().known_below(v),
            decided,
        })?;
    }
    Ok(())
}

/// Measured memory besides the arrays of values, in bytes: the program, the rows, and buffers of
/// the threads.
pub(super) const FIXED: u64 = 12 << 20;

/// The peak memory while building a pair, in bytes.
///
/// ```
/// use millbase::internals::solve::pair;
/// use millbase::{Pair, Rules};
/// let pair = Pair::new(9, 8).unwrap();
/// assert_eq!(pair::memory(&Rules::STANDARD, pair) >> 20, 3072); // 3083 were measured
/// ```
pub fn memory(rules: &Rules, pair: Pair) -> u64 {
    let (mut working, mut peak) = (0, 0);
    for material in pair.tables(rules) {
        // Value and count, and the tables of the exits until they have been looked up.
        working += 2 * material.exchanged().entries();
        let groups = material.exit_groups(rules).into_iter();
        let bytes = groups.map(|group| group.into_iter().map(Material::entries).sum::<u64>());
        peak = peak.max(working + bytes.max().unwrap_or(0));
    }
    // The finished values fill up during the sweep. Writing takes less: all but these are freed
    // before.
    FIXED + peak.max(working + pair.entries(rules))
}
