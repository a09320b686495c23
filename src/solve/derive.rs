//! Derives the table of one side to move from that of the other by a one-turn search.
//!
//! Once the values with one side to move are known, and those after captures, the other side's
//! values need no sweep: each is that of its best turn.

use std::io;
use std::sync::atomic::Ordering;

use rayon::prelude::*;

use crate::board::PointSet;
use crate::board::bits::{self, Bits, Kernel};
use crate::index::{Index, Material};
use crate::memory::Bytes;
use crate::rules::{Rules, WithoutTurn};
use crate::solve::pair::half::{HalfShape, RowTurns};
use crate::solve::pair::init::{Captures, Exits, ORDERED};
use crate::solve::pair::{Scatter, fill_images};
use crate::solve::placements::PlacementScratch;
use crate::solve::slides::{ColumnSlides, Vector};
use crate::store::codec::{Coverage, is_even};
use crate::store::{DbError, PairFile};

/// Derives the values of a table.
///
/// * `quiet`: the values of the table with the other side to move, `material.exchanged()`.
/// * `exits`: the values of the tables of [`Material::exits`].
///
/// Fails if the system refuses the memory; panics if a table has the wrong size or is missing.
pub fn derive(
    rules: &Rules,
    material: Material,
    quiet: &[u8],
    exits: &[Bytes],
) -> io::Result<Bytes> {
    let mut finished = Bytes::new(material.entries() as usize)?;
    let exits = Exits::new(rules, material, exits);
    derive_part(&exits, TablePart::default(), Some(quiet), &mut finished);
    Ok(finished)
}

/// A part of a table: the positions in which each side's number of stones on black points is odd,
/// even or any.
#[derive(Clone, Copy, Default)]
struct TablePart {
    /// Whether the mover's number is odd; `None` for odd and even ones.
    mover: Option<bool>,
    waiting: Option<bool>,
    /// Whether only positions in which the mover cannot close a mill belong to it.
    quiet: bool,
}

/// Derives a part of the table with these exits in place. `quiet` has the values with the other side to move; it is
/// `None` if both sides have equally many stones, so that this table has them. Then the table
/// already holds the values to which quiet turns lead from this part.
fn derive_part(exits: &Exits<'_>, part: TablePart, quiet: Option<&[u8]>, finished: &mut Bytes) {
    let index = Index::new(exits.material);
    let shape = HalfShape::new(exits.rules, exits.material);
    let columns = shape.columns.count();
    let length = shape.rows.len() * columns;
    let quiet_length = quiet.map_or(finished.len(), <[u8]>::len);
    assert_eq!(
        length, quiet_length,
        "the table of the quiet turns has the wrong size"
    );
    let slides = ColumnSlides::new(&shape.columns);
    let atomics = finished.as_atomics();
    (0..shape.rows.len()).into_par_iter().for_each_init(
        Default::default,
        |(own, scratch): &mut (Vec<u8>, DeriveScratch), row| {
            let waiting = shape.rows.set(row);
            if part.waiting.is_some_and(|odd| odd == is_even(waiting)) {
                return;
            }
            let range = row * columns..(row + 1) * columns;
            let quiet = match quiet {
                Some(quiet) => &quiet[range],
                None => {
                    // Other threads are filling in this part, but no turn leads from it to itself.
                    let values = atomics[range].iter();
                    own.clear();
                    own.extend(values.map(|value| value.load(Ordering::Relaxed)));
                    own
                }
            };
            bits::dispatch(DeriveRow {
                shape: &shape,
                slides: &slides,
                exits,
                row,
                waiting,
                quiet,
                scratch,
                scatter: Scatter::new(&index, atomics, waiting),
                part,
            });
        },
    );
    fill_images(&index, finished);
}

/// Loads a table of [`exits_to_fill`]; `true` asks to keep it, because it will be needed again.
pub(crate) type LoadExit<'a> = dyn FnMut(Material, bool) -> Result<Bytes, DbError> + 'a;

/// Fills in the values that the file of a table with the larger side to move, or with equal sides,
/// omits. Calls `load` for each of [`exits_to_fill`], in their order, so that few are in memory at
/// once.
///
/// With `both`, returns the table with the smaller side to move if that needs it, and calls `load`
/// again for the exits of that table.
pub(crate) fn fill_omitted(
    file: &PairFile,
    material: Material,
    values: &mut Bytes,
    both: bool,
    load: &mut LoadExit<'_>,
) -> Result<Option<Bytes>, DbError> {
    let rules = file.rules();
    // Even and odd numbers of stones.
    const EVEN: Option<bool> = Some(false);
    const ODD: Option<bool> = Some(true);
    let part = |(mover, waiting), quiet| TablePart {
        mover,
        waiting,
        quiet,
    };
    let mut fill =
        |table: Material, again, parts: &[_], quiet: Option<&[u8]>, values: &mut Bytes| {
            let exits = table.exits(rules).into_iter();
            let exits = exits.map(|after| load(after, again));
            let exits = exits.collect::<Result<Vec<_>, _>>()?;
            let exits = Exits::new(rules, table, &exits);
            for &numbers in parts {
                derive_part(&exits, part(numbers, false), quiet, values);
            }
            Ok::<_, DbError>(())
        };
    match file.coverage() {
        Coverage::All | Coverage::Possible(..) => {}
        Coverage::EvenOrClosing => {
            // It matters which turns are captures, but not what they are worth.
            let exits = Exits {
                rules,
                material,
                captures: vec![Captures::EndTheGame],
                placements: None,
            };
            for numbers in [(ODD, EVEN), (EVEN, ODD)] {
                derive_part(&exits, part(numbers, true), None, values);
            }
        }
        Coverage::EvenBoth => {
            let parts = [(ODD, EVEN), (ODD, ODD), (EVEN, ODD)];
            fill(material, false, &parts, None, values)?;
        }
        Coverage::EvenMover => {
            let other = material.exchanged();
            let smaller = Bytes::new(other.entries() as usize);
            let mut smaller = smaller.map_err(DbError::io(file.name()))?;
            fill(other, both, &[(None, EVEN)], Some(values), &mut smaller)?;
            fill(material, false, &[(ODD, None)], Some(&smaller), values)?;
            if both {
                fill(other, false, &[(None, ODD)], Some(values), &mut smaller)?;
                return Ok(Some(smaller));
            }
        }
    }
    Ok(None)
}

/// The tables that [`fill_omitted`] needs.
pub(crate) fn exits_to_fill(
    rules: &Rules,
    material: Material,
    coverage: &Coverage,
) -> Vec<Material> {
    match coverage {
        Coverage::All | Coverage::Possible(..) | Coverage::EvenOrClosing => Vec::new(),
        Coverage::EvenBoth => material.exits(rules),
        Coverage::EvenMover => [material.exchanged(), material]
            .map(|table| table.exits(rules))
            .concat(),
    }
}

struct DeriveRow<'a> {
    shape: &'a HalfShape,
    slides: &'a ColumnSlides,
    exits: &'a Exits<'a>,
    row: usize,
    waiting: PointSet,
    /// The values of the positions that quiet turns lead to.
    quiet: &'a [u8],
    scratch: &'a mut DeriveScratch,
    scatter: Scatter<'a>,
    part: TablePart,
}

/// Memory that is reused from row to row.
#[derive(Default)]
struct DeriveScratch {
    /// The ordered values after quiet turns, and of the best quiet turns, by the parts of the
    /// columns.
    after: Vec<Vector>,
    raised: Vec<Vector>,
    /// The ordered value of the best turn of each column.
    best: Vec<u8>,
    /// The number of turns of each column that close a mill.
    closing: Vec<u8>,
    placing: PlacementScratch,
}

impl Kernel for DeriveRow<'_> {
    type Output = ();

    #[inline(always)]
    fn run<B: Bits>(self, bits: B) {
        match (self.shape.flying, self.part.mover) {
            (true, _) => self.derive::<B, true, false>(bits),
            (false, None) => self.derive::<B, false, false>(bits),
            (false, Some(_)) => self.derive::<B, false, true>(bits),
        }
    }
}

impl DeriveRow<'_> {
    #[inline(always)]
    fn derive<B: Bits, const FLYING: bool, const PART: bool>(self, bits: B) {
        let DeriveRow {
            shape,
            exits,
            waiting,
            quiet,
            part,
            ..
        } = self;
        let DeriveScratch {
            after,
            raised,
            best,
            closing,
            placing,
        } = self.scratch;
        let turns = RowTurns::new(bits, shape, waiting);
        let slides = self.slides;
        slides.fill(raised, 0);
        if shape.moves {
            slides.scatter(quiet, after, |value| ORDERED[usize::from(value)]);
            slides.raise(bits, turns.board, !waiting, FLYING, after, raised);
        }
        slides.gather(raised, best);
        closing.clear();
        closing.resize(best.len(), 0);
        let row = (self.row, waiting);
        exits.raise::<B, FLYING>(bits, shape, &turns, row, placing, best, closing);
        if shape.without_turn == WithoutTurn::Passes {
            for (best, &quiet) in best.iter_mut().zip(quiet) {
                if *best == 0 {
                    *best = ORDERED[usize::from(quiet)];
                }
            }
        }
        let mut values = shape.values;
        if shape.without_turn == WithoutTurn::Loses {
            values[0] = 1;
        }
        for (column, &subset) in shape.subsets.iter().enumerate() {
            if PART {
                let odd = !is_even(turns.points(bits, subset));
                if Some(odd) != part.mover || (closing[column] > 0 && part.quiet) {
                    continue;
                }
            }
            self.scatter
                .store_one(bits, subset, values[usize::from(best[column])]);
        }
    }
}
