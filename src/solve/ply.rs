//! The placing phase: the table of a stage from its file, or solved from the tables of the two
//! stages that its turns lead to.
//!
//! [`Placements`] finds the best turns row by row, with the waiting side's sets as rows.
//! Each result is written once, by scattered writes, to the arrangement of the files, whose rows
//! are the mover's sets.

use std::io;
use std::sync::atomic::AtomicU8;

use rayon::prelude::*;

use crate::board::bits::{self, Bits, Kernel};
use crate::board::{POINTS, PointSet};
use crate::index::stages::{Stage, StageSets};
use crate::index::{Index, Material, Rows, Subsets};
use crate::memory::Bytes;
use crate::probe::Database;
use crate::rules::{FullBoard, Rules};
use crate::solve::pair::{self, Scatter, fill_images, value_of_ordered};
use crate::solve::placements::{PlacementScratch, Placements};
use crate::store::codec::SetMarks;
use crate::store::{DbError, ply_file_name};
use crate::value::Metric;

/// All values of a stage in the order of its [`Index`](crate::index::Index); 0 for entries that are
/// not stored. Returns [`DbError::NotStored`] if the ply has no file, or none with the depths that the
/// metric needs.
pub fn load(database: &Database, stage: Stage, metric: Metric) -> Result<Bytes, DbError> {
    let name = ply_file_name(stage.ply);
    let not_stored = |why| DbError::NotStored(format!("{name} {why}"));
    let file = database.ply(stage.ply)?;
    let file = file.ok_or_else(|| not_stored("is missing"))?;
    if !file.metric().holds(metric) {
        return Err(not_stored("has no depths"));
    }
    let table = file.table(stage, database.stage_sets())?;
    let values = Bytes::new(table.map_or(0, |table| table.index().len()));
    let mut values = values.map_err(DbError::io(file.path()))?;
    table.map_or(Ok(()), |table| table.load(&mut values))?;
    Ok(values)
}

/// All values of a table in which White passes after the last placement, from those of the table with Black to
/// move. On a full board White does not pass. Fails if the system refuses the memory.
pub(crate) fn before_pass(rules: &Rules, material: Material, after: &[u8]) -> io::Result<Bytes> {
    let index = Index::new(material);
    let mut values = Bytes::new(index.len())?;
    if u32::from(material.mover + material.waiting) == POINTS {
        match rules.full_board {
            FullBoard::Loses => values.fill(1),
            FullBoard::Draws => {}
            // White removes a stone instead, as in the table itself.
            FullBoard::Removes => values.copy_from_slice(after),
        }
        return Ok(values);
    }
    let other = Index::new(material.exchanged());
    let subsets: Vec<u32> = other.columns().iter().collect();
    let entries = values.as_atomics();
    let rows = after.par_chunks(subsets.len()).enumerate();
    rows.for_each(|(row, after)| {
        bits::dispatch(PassRow {
            scatter: Scatter::new(&index, entries, other.rows().set(row)),
            subsets: &subsets,
            after,
        });
    });
    fill_images(&index, &mut values);
    Ok(values)
}

struct PassRow<'a> {
    scatter: Scatter<'a>,
    subsets: &'a [u32],
    after: &'a [u8],
}

impl Kernel for PassRow<'_> {
    type Output = ();

    #[inline(always)]
    fn run<B: Bits>(self, bits: B) {
        for (&subset, &after) in self.subsets.iter().zip(self.after) {
            // The other side makes one turn more.
            let value = after + after.min(1);
            self.scatter.store_one(bits, subset, value);
        }
    }
}

/// The data that all rows of a stage share.
struct StageShape<'a> {
    /// The index of the table to fill.
    index: Index,
    /// The mover's sets before a turn, with marks of those that games can reach.
    subsets: Vec<u32>,
    possible: SetMarks,
    placements: Placements<'a>,
    /// The value byte before a turn of each ordered value.
    values: [u8; 256],
}

/// All values of a stage in this metric, in the order of its index, from those of the two that its
/// turns lead to; `None` where there is no such turn, or where captures end the game. Entries that
/// no game can reach are 0. Fails if the system refuses the memory.
pub(crate) fn solve_stage(
    rules: &Rules,
    metric: Metric,
    stage_sets: &StageSets,
    stage: Stage,
    quiet: Option<&[u8]>,
    captures: Option<&[u8]>,
) -> io::Result<Bytes> {
    let (mover, waiting) = (stage.mover(), stage.mover().other());
    let (stones, others) = (stage.stones(mover), stage.stones(waiting));
    let free = POINTS - u32::from(others);
    let after = stage.after_capture();
    let captures = match captures {
        Some(values) => pair::Captures::table(rules, after.material(), values),
        None => pair::Captures::EndTheGame,
    };
    let shape = StageShape {
        index: Index::new(stage.material()),
        subsets: Subsets::new(free, stones.into()).iter().collect(),
        possible: SetMarks::of_rows(stones, stage_sets.rows(stage, mover)),
        placements: Placements::new(rules, stage.material(), quiet, Some(captures)),
        values: std::array::from_fn(|ordered| metric.of_byte(value_of_ordered(ordered as u8))),
    };
    let mut values = Bytes::new(shape.index.len())?;
    let entries = values.as_atomics();
    let rows: Vec<usize> = stage_sets.rows(stage, waiting).iter().collect();
    rows.into_par_iter().for_each_init(
        || (vec![0; shape.subsets.len()], PlacementScratch::default()),
        |(best, scratch), row| {
            best.fill(0);
            bits::dispatch(SolveRow {
                shape: &shape,
                row,
                waiting: Rows::of(others).set(row),
                scratch,
                best,
                entries,
            });
        },
    );
    fill_images(&shape.index, &mut values);
    Ok(values)
}

struct SolveRow<'a> {
    shape: &'a StageShape<'a>,
    row: usize,
    waiting: PointSet,
    scratch: &'a mut PlacementScratch,
    /// The ordered value of the best turn of each of the mover's sets.
    best: &'a mut [u8],
    entries: &'a [AtomicU8],
}

impl Kernel for SolveRow<'_> {
    type Output = ();

    #[inline(always)]
    fn run<B: Bits>(self, bits: B) {
        let StageShape {
            index,
            subsets,
            possible,
            placements,
            values,
            ..
        } = self.shape;
        let row = (self.row, self.waiting);
        placements.raise(bits, row, self.scratch, self.best);
        let free = !self.waiting;
        let scatter = Scatter::new(index, self.entries, self.waiting);
        for (&subset, &ordered) in subsets.iter().zip(&*self.best) {
            let mover = PointSet::from_bits(bits.pdep(subset, free.bits()));
            if possible.contains(mover) {
                debug_assert_ne!(ordered, 0);
                scatter.store_one(bits, subset, values[usize::from(ordered)]);
            }
        }
    }
}
