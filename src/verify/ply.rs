//! Checks a ply's file: every row's checksum, the counts, and every value, or those of random
//! positions.
//!
//! `stage` derives all values. The turns of random positions come from the rules, and their values
//! from probes or, if the next ply has no file, from a search. Of the solver's code, `stage` uses the
//! shuffles along placements and the reading of tables, the check of positions the latter alone.

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::pair::Tables;
use super::report::{MOST_MISMATCHES, Miscounted, Mismatch, Report};
use super::stage::StageTables;
use crate::index::stages::{Stage, StageSets};
use crate::memory::Bytes;
use crate::probe::Database;
use crate::random::Random;
use crate::rules::position::Position;
use crate::solve::fold;
use crate::solve::ply::load;
use crate::store::table::Table;
use crate::store::{DbError, PlyFile, count_stored};
use crate::value::{Metric, Value};

/// Checks a ply's file: all of its bytes, every value and the counts. If files hold no depths, the
/// check compares only win, draw and loss.
///
/// If the next ply has no file, its tables are derived from those of the plies after it, down to
/// the pairs, or to the last placement if [`verify_pair`](super::verify_pair) of all pairs has left
/// that in `tables`. For 14 placements of the standard rules this takes most of the time, and about
/// 3 GB of memory.
///
/// Calls `progress` after each table with the number of entries of the tables checked so far; the
/// total is the sum over [`PlyFile::stages`].
///
/// # Errors
///
/// [`DbError::Corrupt`] if a file is damaged, and [`DbError::Missing`] if the file of a pair that
/// turns lead to is missing.
pub fn verify_ply(
    database: &Database,
    file: &PlyFile,
    tables: &mut Tables,
    progress: &dyn Fn(u64),
) -> Result<Report, DbError> {
    let mut report = Report::default();
    let stage_sets = StageSets::new(database.rules(), database.rules().placements());
    let last = tables.last_placement.take(database, file);
    let mut tables = StageTables::loader(database, &stage_sets, last, file)?;
    let mut done = 0;
    let checked = AtomicU64::new(0);
    let advance = |entries| _ = checked.fetch_add(entries, Ordering::Relaxed);
    for stage in file.stages() {
        done += stage.material().entries();
        let next = stage_sets.after(stage).into_iter().flatten();
        let next = next.map(|next| tables.load(next));
        let next = next.collect::<Result<_, _>>()?;
        // The table itself is loaded last: deriving the others takes most of the memory.
        let mut values = load_counted(database, file, stage, &mut report)?;
        let mismatches = tables.recipe.with_turns(stage, next, |turns| {
            fold(&mut values, turns.metric);
            turns.compare(&values, &advance)
        });
        let room = MOST_MISMATCHES - report.mismatches.len();
        report.mismatches.extend(mismatches.into_iter().take(room));
        progress(done);
        if report.mismatches.len() == MOST_MISMATCHES {
            break;
        }
    }
    report.checked = checked.into_inner();
    Ok(report)
}

/// Checks the bytes and the counts of a ply's file, and `samples` random positions of each stage.
/// The same seed gives the same positions. If a pair's file holds no depths, the check compares
/// only win, draw and loss.
///
/// # Errors
///
/// [`DbError::Corrupt`] if the bytes cannot be read, and those of [`Database::turns`].
pub fn verify_ply_sample(
    database: &Database,
    file: &PlyFile,
    samples: u64,
    seed: u64,
) -> Result<Report, DbError> {
    let mut report = Report::default();
    for (number, stage) in file.stages().enumerate() {
        let Some(table) = file.table(stage, database.stage_sets())? else {
            continue;
        };
        load_counted(database, file, stage, &mut report)?;
        let checks = (0..samples).into_par_iter().map(|sample| {
            let mut random = Random::new(seed ^ sample << 16 ^ (number as u64) << 8);
            let (position, stored) = some_position(database, table, stage, &mut random)?;
            let best = database.turns(&position)?.first().map(|best| best.value);
            let derived = best.or_else(|| position.result(database.rules()));
            Ok((position, stored, derived.unwrap_or(Value::LOST)))
        });
        for (position, stored, derived) in checks.collect::<Result<Vec<_>, DbError>>()? {
            report.checked += 1;
            let agrees = [stored, stored.without_depth()].contains(&derived);
            if !agrees && report.mismatches.len() < MOST_MISMATCHES {
                report.mismatches.push(Mismatch {
                    position,
                    stored,
                    derived,
                });
            }
        }
    }
    Ok(report)
}

/// All values of a stage's table, whose stored ones are counted for the report.
fn load_counted(
    database: &Database,
    file: &PlyFile,
    stage: Stage,
    report: &mut Report,
) -> Result<Bytes, DbError> {
    let values = load(database, stage, Metric::Wdl)?;
    if let Some(table) = file.table(stage, database.stage_sets())? {
        let counted = count_stored(table.shape(), &values);
        if Some(&counted) != file.histogram(stage) {
            let lost = [stage.white_lost, stage.black_lost];
            report.miscounted.push(Miscounted::Placing(lost));
        }
    }
    Ok(values)
}

/// A random stored position and its value.
fn some_position(
    database: &Database,
    table: Table<'_>,
    stage: Stage,
    random: &mut Random,
) -> Result<(Position, Value), DbError> {
    let columns = table.index().columns().count();
    let mut values = vec![0; columns];
    loop {
        let place = random.below(table.shape().stored_rows());
        let row = table.read(place)?;
        row.decode_all(&mut values)?;
        let stored: Vec<usize> = (0..columns).filter(|&column| row.holds(column)).collect();
        if stored.is_empty() {
            continue;
        }
        let column = stored[random.below(stored.len())];
        let (mover, waiting) = table
            .index()
            .sets(table.shape().row_at(place) * columns + column);
        let position = stage.position(mover, waiting, database.rules());
        return Ok((position, Value::from_byte(values[column])));
    }
}
