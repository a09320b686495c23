//! Checking a ply's file: every row's checksum, the counts, and for random positions whether the
//! value is that of the best turn.
//!
//! The turns come from the rules and lead by look-ups, or by a search where the next ply has no
//! file: nothing of the solver is used.

use rayon::prelude::*;

use super::file::PlyFile;
use super::layout::{Layout, NOT_STORED};
use super::search::Search;
use super::{Placing, Stage};
use crate::db::{Database, DbError};
use crate::histogram::Histogram;
use crate::position::Position;
use crate::value::Value;
use crate::verify::{MOST_MISMATCHES, Mismatch, Random};

/// What a check has found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// How many positions were compared with their turns.
    pub checked: u64,
    /// Wrong values, no more than some for each ply.
    pub mismatches: Vec<Mismatch>,
    /// The stages whose counts in the file are not those of their values.
    pub miscounted: Vec<Stage>,
}

impl Report {
    /// Whether nothing was wrong.
    pub fn is_clean(&self) -> bool {
        self.mismatches.is_empty() && self.miscounted.is_empty()
    }
}

/// Checks a ply's file: all of its bytes, and `samples` random positions of each stage. The same
/// seed gives the same positions.
///
/// # Errors
///
/// [`DbError::Corrupt`] if the bytes cannot be read, and those of [`Placing::turns`].
pub fn verify_ply(
    placing: &Placing,
    database: &Database,
    file: &PlyFile,
    samples: u64,
    seed: u64,
) -> Result<Report, DbError> {
    let mut report = Report::default();
    for (number, stage) in file.stages().enumerate() {
        let layout = file.layout(number, &placing.reachable);
        if Some(&count(file, number, layout)?) != file.histogram(stage) {
            report.miscounted.push(stage);
        }
        let checks = (0..samples).into_par_iter().map(|sample| {
            let mut random = Random(seed ^ sample << 16 ^ (number as u64) << 8);
            let position = some_position(placing, file, number, layout, &mut random)?;
            let stored = placing.stored(&position)?;
            let mut search = Search::new(placing, database);
            let turns = search.turns(&position)?;
            let derived = turns.and_then(|turns| turns.first().map(|best| best.value));
            Ok((position, stored, derived))
        });
        for (position, stored, derived) in checks.collect::<Result<Vec<_>, DbError>>()? {
            report.checked += 1;
            let mismatch = match (stored, derived) {
                (Some(stored), Some(derived)) if stored == derived => continue,
                (stored, derived) => Mismatch {
                    position,
                    stored: stored.unwrap_or(Value::LOST),
                    derived: derived.unwrap_or(Value::LOST),
                },
            };
            if report.mismatches.len() < MOST_MISMATCHES {
                report.mismatches.push(mismatch);
            }
        }
    }
    Ok(report)
}

/// Reads all rows of a table and counts their values.
fn count(file: &PlyFile, number: usize, layout: &Layout) -> Result<Histogram, DbError> {
    let columns = layout.index.columns().count();
    let slots = (0..layout.rows().len()).into_par_iter();
    let counted = slots.map_init(
        || vec![0; columns],
        |values, slot| {
            file.read_row(number, layout, slot, values)?;
            let mut counts = [0u64; 256];
            let first = layout.index.first_columns(layout.rows()[slot]);
            for (column, &value) in values.iter().enumerate() {
                let distinct = first.as_ref().is_none_or(|first| first[column]);
                counts[usize::from(value)] += u64::from(distinct);
            }
            counts[usize::from(NOT_STORED)] = 0;
            Ok(Histogram::from_counts(counts))
        },
    );
    counted.try_reduce(Histogram::default, |mut a, b| {
        a.add(&b);
        Ok(a)
    })
}

/// A random position that is stored.
fn some_position(
    placing: &Placing,
    file: &PlyFile,
    number: usize,
    layout: &Layout,
    random: &mut Random,
) -> Result<Position, DbError> {
    let columns = layout.index.columns().count();
    let mut values = vec![0; columns];
    loop {
        let slot = random.below(layout.rows().len());
        file.read_row(number, layout, slot, &mut values)?;
        let stored: Vec<usize> = (0..columns)
            .filter(|&column| values[column] != NOT_STORED)
            .collect();
        if stored.is_empty() {
            continue;
        }
        let column = stored[random.below(stored.len())];
        let (mover, waiting) = layout.index.sets(layout.rows()[slot] * columns + column);
        let stage = file.stages().nth(number).unwrap_or_default();
        return Ok(stage.position(mover, waiting, &placing.rules));
    }
}
