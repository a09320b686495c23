//! Derives the table of one side to move from that of the other by a one-turn search.
//!
//! If the values of a pair are known for one side to move, and those of the captures, too, then the
//! other side's values need no sweep: each is that of its best turn.

use std::io;
use std::ops::Deref;
use std::sync::atomic::Ordering;

use rayon::prelude::*;

use crate::board::PointSet;
use crate::board::bits::{self, Bits, Kernel};
use crate::index::{Index, Material};
use crate::rules::{Rules, WithoutTurn};
use crate::solve::pair::half::{HalfShape, RowTurns};
use crate::solve::pair::init::{self, Captures, ORDERED, VALUES, look_up};
use crate::solve::pair::sweep::{Scatter, fill_images};
use crate::solve::slides::{HighParts, LANES, RowSlides};
use crate::store::codec::{Coverage, is_even};
use crate::store::memory::Bytes;

/// Derives the values of a table.
///
/// * `quiet`: the values of the table with the other side to move, `material.exchanged()`.
/// * `captures`: the values of the tables of [`Material::after_captures`].
///
/// # Errors
///
/// If the system refuses the memory.
///
/// # Panics
///
/// If a table has the wrong size or is missing.
pub fn derive<V: Deref<Target = [u8]>>(
    rules: &Rules,
    material: Material,
    quiet: &[u8],
    captures: &[V],
) -> io::Result<Bytes> {
    let index = Index::new(material);
    let shape = HalfShape::new(rules, material);
    let columns = shape.columns.count();
    assert_eq!(
        shape.rows.len() * columns,
        quiet.len(),
        "the table of the quiet turns has the wrong size"
    );
    let parts = HighParts::new(&shape.columns, &shape.subsets);
    let captures = Captures::all(rules, material, captures);
    let mut finished = Bytes::zeroed(index.len())?;
    let atomics = finished.as_atomics();
    quiet.par_chunks(columns).enumerate().for_each_init(
        || (vec![0; columns + LANES], vec![0; columns], Vec::new()),
        |(best, closing, ordered), (row, quiet)| {
            bits::dispatch(DeriveRow {
                shape: &shape,
                parts: &parts,
                captures: &captures,
                waiting: shape.rows.set(row),
                quiet,
                ordered,
                best,
                closing,
                scatter: Scatter::new(&index, atomics, shape.rows.set(row)),
                all: true,
            });
        },
    );
    fill_images(&index, &mut finished);
    Ok(finished)
}

/// Fills in the values that a table of equal sides omits: those of positions with an odd number of
/// stones on black points, whose quiet turns lead to even ones. `captures` are the tables that
/// captures lead to, if positions in which the mover can close a mill are omitted, too.
pub(crate) fn fill_omitted<V: Deref<Target = [u8]>>(
    rules: &Rules,
    material: Material,
    coverage: &Coverage,
    values: &mut Bytes,
    captures: &[V],
) {
    let index = Index::new(material);
    let shape = HalfShape::new(rules, material);
    let columns = shape.columns.count();
    let parts = HighParts::new(&shape.columns, &shape.subsets);
    let all = matches!(coverage, Coverage::Even);
    // Otherwise the values of captures do not matter, only which turns are captures.
    let captures = match all {
        true => Captures::all(rules, material, captures),
        false => vec![Captures::EndTheGame],
    };
    let atomics = values.as_atomics();
    atomics.par_chunks(columns).enumerate().for_each_init(
        || {
            let best = vec![0; columns + LANES];
            (vec![0; columns], best, vec![0; columns], Vec::new())
        },
        |(quiet, best, closing, ordered), (row, values)| {
            // Other threads meanwhile fill in odd positions, to which no odd position's turns lead.
            for (byte, value) in quiet.iter_mut().zip(values) {
                *byte = value.load(Ordering::Relaxed);
            }
            bits::dispatch(FillRow(DeriveRow {
                shape: &shape,
                parts: &parts,
                captures: &captures,
                waiting: shape.rows.set(row),
                quiet,
                ordered,
                best,
                closing,
                scatter: Scatter::new(&index, atomics, shape.rows.set(row)),
                all,
            }));
        },
    );
    fill_images(&index, values);
}

struct DeriveRow<'a> {
    shape: &'a HalfShape,
    parts: &'a HighParts,
    captures: &'a [Captures<'a>],
    waiting: PointSet,
    /// The values of the positions that quiet turns lead to.
    quiet: &'a [u8],
    /// Reused for their ordered values.
    ordered: &'a mut Vec<u8>,
    /// The ordered value of the best turn of each column, and [`LANES`] bytes more.
    best: &'a mut [u8],
    /// The number of turns of each column that close a mill.
    closing: &'a mut [u8],
    scatter: Scatter<'a>,
    /// Whether positions with captures are derived.
    all: bool,
}

/// Derives only the odd positions.
struct FillRow<'a>(DeriveRow<'a>);

impl Kernel for DeriveRow<'_> {
    type Output = ();

    #[inline(always)]
    fn run<B: Bits>(self, bits: B) {
        if self.shape.flying {
            self.derive::<B, true, false>(bits);
        } else {
            self.derive::<B, false, false>(bits);
        }
    }
}

impl Kernel for FillRow<'_> {
    type Output = ();

    #[inline(always)]
    fn run<B: Bits>(self, bits: B) {
        self.0.derive::<B, false, true>(bits);
    }
}

impl DeriveRow<'_> {
    #[inline(always)]
    fn derive<B: Bits, const FLYING: bool, const ODD_ONLY: bool>(self, bits: B) {
        let DeriveRow {
            shape,
            parts,
            captures,
            waiting,
            quiet,
            ordered,
            best,
            closing,
            scatter,
            all,
        } = self;
        let turns = RowTurns::new(bits, shape, waiting);
        best.fill(0);
        closing.fill(0);
        look_up::<B, FLYING>(captures, bits, shape, &turns, waiting, best, closing);
        // Slides of the board with diagonals may close two mills.
        if FLYING || shape.rules.diagonals {
            for (&subset, &value) in shape.subsets.iter().zip(quiet) {
                let ordered = ORDERED[usize::from(value)];
                for origin in turns.quiet_origins::<B, FLYING>(bits, subset) {
                    best[origin] = best[origin].max(ordered);
                }
            }
        } else {
            ordered.clear();
            ordered.extend(quiet.iter().map(|&value| init::ordered(value)));
            ordered.resize(quiet.len() + LANES, 0);
            let slides = RowSlides::new(bits, turns.board, !waiting);
            slides.raise(bits, parts, ordered, best);
        }
        if shape.without_turn == WithoutTurn::Passes {
            for (best, &quiet) in best.iter_mut().zip(quiet) {
                if *best == 0 {
                    *best = ORDERED[usize::from(quiet)];
                }
            }
        }
        let mut values = VALUES;
        if shape.without_turn == WithoutTurn::Loses {
            values[0] = 1;
        }
        for (column, &subset) in shape.subsets.iter().enumerate() {
            if ODD_ONLY {
                let even = is_even(waiting | turns.points(bits, subset));
                if even || (closing[column] > 0 && !all) {
                    continue;
                }
            }
            scatter.store_one(bits, subset, values[usize::from(best[column])]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::Pair;
    use crate::solve::pair::solve;
    use std::collections::HashMap;

    #[test]
    fn each_side_follows_from_the_other() {
        let rules = Rules::STANDARD;
        let mut tables: HashMap<Material, Bytes> = HashMap::new();
        for pair in Pair::all(6).into_iter().filter(|pair| pair.stones() <= 9) {
            let solved = solve(&rules, pair, |material| Ok(tables[&material].to_vec()), &());
            for table in solved.unwrap() {
                tables.insert(table.material, table.values);
            }
        }
        for (&material, values) in &tables {
            let quiet = &tables[&material.exchanged()];
            let captures = material.after_captures(&rules);
            let captures: Vec<&[u8]> = captures.iter().map(|after| &tables[after][..]).collect();
            let derived = derive(&rules, material, quiet, &captures).unwrap();
            assert!(*derived == **values, "{material:?}");
        }
    }
}
