//! Checks a ply's file: every row's checksum, the counts, and for random positions whether the
//! value is that of the best turn.
//!
//! The turns come from the rules, and their values from probes or, if the next ply has no file,
//! from a search: the check uses no code of the solver. It shares only the index and the selection
//! of reachable positions.

use rayon::prelude::*;

use super::{MOST_MISMATCHES, Mismatch, Report};
use crate::index::histogram::Histogram;
use crate::index::reachable::Stage;
use crate::probe::Database;
use crate::random::Random;
use crate::rules::position::Position;
use crate::store::table::Table;
use crate::store::{DbError, PlyFile};
use crate::value::Value;

/// Checks a ply's file: all of its bytes, and `samples` random positions of each stage. The same
/// seed gives the same positions.
///
/// # Errors
///
/// [`DbError::Corrupt`] if the bytes cannot be read, and those of [`Database::turns`].
pub fn verify_ply(
    database: &Database,
    file: &PlyFile,
    samples: u64,
    seed: u64,
) -> Result<Report<Stage>, DbError> {
    let mut report = Report::default();
    let Some(plies) = database.placing() else {
        return Ok(report);
    };
    for (number, stage) in file.stages().enumerate() {
        let Some(table) = file.table(stage, &plies.reachable)? else {
            continue;
        };
        if Some(&count(table)?) != file.histogram(stage) {
            report.miscounted.push(stage);
        }
        let checks = (0..samples).into_par_iter().map(|sample| {
            let mut random = Random::new(seed ^ sample << 16 ^ (number as u64) << 8);
            let (position, stored) = some_position(database, table, stage, &mut random)?;
            let best = database.turns(&position)?.first().map(|best| best.value);
            let derived = best.or_else(|| position.result(database.rules()));
            Ok((position, stored, derived.unwrap_or(Value::LOST)))
        });
        for (position, stored, derived) in checks.collect::<Result<Vec<_>, DbError>>()? {
            report.checked += 1;
            if stored != derived && report.mismatches.len() < MOST_MISMATCHES {
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

/// Reads all rows of a table and counts their values.
fn count(table: Table<'_>) -> Result<Histogram, DbError> {
    let columns = table.index().columns().count();
    let rows = (0..table.stored_rows()).into_par_iter();
    let counted = rows.map_init(
        || vec![0; columns],
        |values, place| {
            let row = table.read(place)?;
            row.decode_all(values)?;
            let mut counts = [0u64; 256];
            let first = table.index().first_columns(table.row_at(place));
            for (column, &value) in values.iter().enumerate() {
                let distinct = first.as_ref().is_none_or(|first| first[column]);
                counts[usize::from(value)] += u64::from(distinct && row.holds(column));
            }
            Ok(Histogram::from_counts(counts))
        },
    );
    counted.try_reduce(Histogram::default, |mut a, b| {
        a.add(&b);
        Ok(a)
    })
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
        let place = random.below(table.stored_rows());
        let row = table.read(place)?;
        row.decode_all(&mut values)?;
        let stored: Vec<usize> = (0..columns).filter(|&column| row.holds(column)).collect();
        if stored.is_empty() {
            continue;
        }
        let column = stored[random.below(stored.len())];
        let (mover, waiting) = table.index().sets(table.row_at(place) * columns + column);
        let position = stage.position(mover, waiting, database.rules());
        return Ok((position, Value::from_byte(values[column])));
    }
}
