//! Solves the pairs of a plan one by one and writes their files. What is written stays; a build that was stopped goes on
//! with the first pair that has no file.

use std::path::Path;
use std::time::{Duration, Instant};

use super::{Plan, Progress, SolveError, Times, Watch, plan, solve, timed};
use crate::db::{self, Database, SolvedTable};
use crate::histogram::Histogram;
use crate::index::{Material, Pair};
use crate::rules::Rules;

/// What became of one pair.
#[derive(Clone, Debug)]
pub struct PairReport {
    /// The pair.
    pub pair: Pair,
    /// Its tables: the larger side to move first.
    pub tables: Vec<TableReport>,
    /// Size of the file.
    pub bytes: u64,
    /// Time of all steps together.
    pub total: Duration,
    /// Time to count and write the solved tables.
    pub write: Duration,
}

/// What became of one side to move.
#[derive(Clone, Debug)]
pub struct TableReport {
    /// Which table.
    pub material: Material,
    /// Its distinct positions by value.
    pub histogram: Histogram,
    /// How long the steps took.
    pub times: Times,
}

/// Solves the pairs of the plan and writes their files to the folder, which must exist.
///
/// # Errors
///
/// [`SolveError`]. The files of all pairs finished before stay.
pub fn build(dir: &Path, rules: &Rules, plan: &Plan, watch: &dyn Watch) -> Result<(), SolveError> {
    for &pair in &plan.pairs {
        if watch.stopped() {
            return Err(SolveError::Stopped);
        }
        let report = build_pair(dir, rules, pair, watch)?;
        watch.progress(Progress::Finished(Box::new(report)));
    }
    Ok(())
}

fn build_pair(
    dir: &Path,
    rules: &Rules,
    pair: Pair,
    watch: &dyn Watch,
) -> Result<PairReport, SolveError> {
    let start = Instant::now();
    watch.progress(Progress::Started {
        pair,
        positions: plan::positions(pair),
    });
    let database = Database::open(dir, *rules)?;
    let solved = solve(rules, pair, |material| database.load(material), watch)?;

    watch.progress(Progress::Writing);
    let mut write = Duration::ZERO;
    let (tables, bytes) = timed(&mut write, || {
        let tables: Vec<SolvedTable<'_>> = solved
            .iter()
            .map(|table| SolvedTable {
                material: table.material,
                values: &table.values,
                histogram: Histogram::of_table(
                    &crate::index::Index::new(table.material),
                    &table.values,
                ),
            })
            .collect();
        let path = dir.join(format!("{pair}.mill"));
        let bytes = db::write_pair(&path, rules, pair, &tables)?;
        let reports = tables
            .into_iter()
            .zip(&solved)
            .map(|(table, solved)| TableReport {
                material: table.material,
                histogram: table.histogram,
                times: solved.times,
            });
        Ok::<_, SolveError>((reports.collect(), bytes))
    })?;
    Ok(PairReport {
        pair,
        tables,
        bytes,
        total: start.elapsed(),
        write,
    })
}
