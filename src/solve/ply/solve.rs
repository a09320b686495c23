//! Computes the values of one stage of the placing phase from those of the two stages that its
//! turns lead to.
//!
//! [`Placements`] finds the best turns row by row, with the waiting side's sets as rows.
//! Each result is written once, by scattered writes, to the arrangement of the files, whose rows
//! are the mover's sets.

use std::io;
use std::sync::atomic::AtomicU8;

use rayon::prelude::*;

use crate::board::bits::{self, Bits, Kernel};
use crate::board::symmetry::Symmetry;
use crate::board::{POINTS, PointSet};
use crate::index::stages::{Stage, StageSets};
use crate::index::{Index, Rows, Subsets};
use crate::memory::Bytes;
use crate::rules::Rules;
use crate::solve::pair::{self, Scatter, fill_images, value_of_ordered};
use crate::solve::placements::{PlacementScratch, Placements, Reached};
use crate::value::Metric;

/// Two bits for each set of a number of stones.
struct Marks {
    ranks: Subsets,
    words: Vec<u64>,
}

impl Marks {
    const QUIET: u64 = 1;
    const CAPTURE: u64 = 2;

    fn new(stones: u8) -> Marks {
        let ranks = Subsets::new(POINTS, stones.into());
        Marks {
            words: vec![0; ranks.count().div_ceil(32)],
            ranks,
        }
    }

    /// Marks all sets of the rows.
    fn mark(&mut self, rows: &Rows, which: impl Iterator<Item = usize>, mark: u64) {
        for row in which {
            for symmetry in Symmetry::all() {
                let set = self.ranks.rank(symmetry.apply(rows.set(row)).bits());
                self.words[set / 32] |= mark << (2 * (set % 32));
            }
        }
    }

    #[inline(always)]
    fn of(&self, set: PointSet) -> u64 {
        let set = self.ranks.rank(set.bits());
        self.words[set / 32] >> (2 * (set % 32)) & 3
    }
}

/// The data that all rows of a stage share.
struct StageShape<'a> {
    /// The index of the table to fill.
    index: Index,
    /// The mover's sets before a turn, with marks of the possible ones.
    columns: Subsets,
    subsets: Vec<u32>,
    possible: Marks,
    after_possible: Marks,
    placements: Placements<'a>,
    /// The value byte before a turn of each ordered value.
    values: [u8; 256],
}

/// All values of a stage in this metric, in the order of its index, from those of the two that its turns lead to;
/// `None` where there is no such turn, or where captures end the game. Entries that no game can reach are 0.
///
/// # Errors
///
/// If the system refuses the memory.
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
    let columns = Subsets::new(free, stones.into());
    let mut possible = Marks::new(stones);
    let rows = Rows::of(stones);
    possible.mark(rows, stage_sets.rows(stage, mover).iter(), Marks::QUIET);
    let mut after_possible = Marks::new(stones + 1);
    let rows = Rows::of(stones + 1);
    let after_quiet = stage_sets.rows(stage.after_quiet(), mover);
    after_possible.mark(rows, after_quiet.iter(), Marks::QUIET);
    let after_capture = stage.after_capture();
    let captures = match captures {
        Some(values) => {
            let sets = stage_sets.rows(after_capture, mover);
            after_possible.mark(rows, sets.iter(), Marks::CAPTURE);
            pair::Captures::table(rules, after_capture.material(), values)
        }
        None => {
            // If no game closes a mill here, no set is marked, so the values of captures are not used.
            if stage_sets.ends_game(after_capture) {
                after_possible.mark(rows, 0..rows.len(), Marks::CAPTURE);
            }
            pair::Captures::EndTheGame
        }
    };
    let shape = StageShape {
        index: Index::new(stage.material()),
        subsets: columns.iter().collect(),
        columns,
        possible,
        after_possible,
        placements: Placements::new(rules, stage.material(), quiet, Some(captures)),
        values: std::array::from_fn(|ordered| metric.of_byte(value_of_ordered(ordered as u8))),
    };
    let mut values = Bytes::new(shape.index.len())?;
    let entries = values.as_atomics();
    let rows: Vec<usize> = stage_sets.rows(stage, waiting).iter().collect();
    rows.into_par_iter().for_each_init(
        || (vec![0; shape.columns.count()], PlacementScratch::default()),
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
    fn run<B: Bits>(mut self, bits: B) {
        self.look_ahead(bits);
        self.store(bits);
    }
}

impl SolveRow<'_> {
    #[inline(always)]
    fn look_ahead<B: Bits>(&mut self, bits: B) {
        let StageShape {
            placements,
            after_possible,
            ..
        } = self.shape;
        let reached = |set| {
            let marks = after_possible.of(set);
            Reached {
                quiet: marks & Marks::QUIET != 0,
                capture: marks & Marks::CAPTURE != 0,
            }
        };
        let row = (self.row, self.waiting);
        placements.raise(bits, row, reached, self.scratch, self.best);
    }

    /// Stores the values of all possible sets at all their entries.
    #[inline(always)]
    fn store<B: Bits>(&self, bits: B) {
        let StageShape {
            index,
            subsets,
            possible,
            values,
            ..
        } = self.shape;
        let free = !self.waiting;
        let scatter = Scatter::new(index, self.entries, self.waiting);
        for (&subset, &ordered) in subsets.iter().zip(&*self.best) {
            let mover = PointSet::from_bits(bits.pdep(subset, free.bits()));
            if possible.of(mover) == 0 {
                continue;
            }
            debug_assert_ne!(ordered, 0);
            scatter.store_one(bits, subset, values[usize::from(ordered)]);
        }
    }
}
