//! The table of one side to move from that of the other, by one turn of search.
//!
//! Where the values of a pair are known for one side to move, and those of the captures, the other
//! side's need no sweep: each is the best of its turns.

use std::io;
use std::sync::atomic::AtomicU8;

use rayon::prelude::*;

use super::half::{RowTurns, Shape};
use super::init::{Captures, MERITS, value_of_merit};
use super::memory::Bytes;
use super::sweep::Scatter;
use crate::bits::{self, Bits, Kernel};
use crate::board::PointSet;
use crate::index::{Index, Material};
use crate::rules::Rules;

/// The values of a table.
///
/// * `quiet`: the values of the table with the other side to move, `material.exchanged()`.
/// * `captures`: those of `material.after_capture()`, if there is such a table.
///
/// # Errors
///
/// If the system refuses the memory.
///
/// # Panics
///
/// If a table has the wrong size or is missing.
pub fn derive(
    rules: &Rules,
    material: Material,
    quiet: &[u8],
    captures: Option<&[u8]>,
) -> io::Result<Bytes> {
    let index = Index::new(material);
    let shape = Shape::new(rules, material);
    let columns = shape.columns.count();
    assert_eq!(
        shape.rows.len() * columns,
        quiet.len(),
        "the table of the quiet turns has the wrong size"
    );
    let captures = Captures::new(material, captures);
    let mut finished = Bytes::zeroed(index.len())?;
    let atomics = finished.as_atomics();
    quiet.par_chunks(columns).enumerate().for_each_init(
        || (vec![0; columns], vec![0; columns]),
        |(merits, closing), (row, quiet)| {
            merits.fill(0);
            bits::dispatch(DeriveRow {
                shape: &shape,
                captures: &captures,
                waiting: shape.rows.set(row),
                quiet,
                merits,
                closing,
                index: &index,
                finished: atomics,
            });
        },
    );
    Ok(finished)
}

struct DeriveRow<'a> {
    shape: &'a Shape,
    captures: &'a Captures<'a>,
    waiting: PointSet,
    /// The values of the positions that quiet turns lead to.
    quiet: &'a [u8],
    /// The merit of the best turn of each column.
    merits: &'a mut [u8],
    /// Not of use here.
    closing: &'a mut [u8],
    index: &'a Index,
    finished: &'a [AtomicU8],
}

impl Kernel for DeriveRow<'_> {
    type Output = ();

    #[inline(always)]
    fn run<B: Bits>(self, bits: B) {
        if self.shape.flying {
            self.derive::<B, true>(bits);
        } else {
            self.derive::<B, false>(bits);
        }
    }
}

impl DeriveRow<'_> {
    #[inline(always)]
    fn derive<B: Bits, const FLYING: bool>(self, bits: B) {
        let DeriveRow {
            shape,
            captures,
            waiting,
            quiet,
            merits,
            closing,
            index,
            finished,
        } = self;
        let turns = RowTurns::new(bits, shape, waiting);
        closing.fill(0);
        captures.look_up::<B, FLYING>(bits, shape, &turns, waiting, merits, closing);
        for (&subset, &value) in shape.subsets.iter().zip(quiet) {
            let merit = MERITS[usize::from(value)];
            for origin in turns.quiet_origins::<B, FLYING>(bits, subset) {
                merits[origin] = merits[origin].max(merit);
            }
        }
        let scatter = Scatter::new(index, finished, waiting);
        for (&subset, &merit) in shape.subsets.iter().zip(merits.iter()) {
            let value = match merit {
                // No turn at all is a loss in 0.
                0 => 1,
                _ => value_of_merit(merit),
            };
            scatter.store(bits, subset, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::Pair;
    use crate::retro::solve;
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
            let captures = material
                .after_capture()
                .map(|material| &tables[&material][..]);
            let derived = derive(&rules, material, quiet, captures).unwrap();
            assert!(*derived == **values, "{material:?}");
        }
    }
}
