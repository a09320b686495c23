//! The first step of solving: what each position's captures are worth, and how many quiet turns it has.

use rayon::prelude::*;

use super::half::{CANNOT_LOSE, Half, RowTurns, ValueSet};
use crate::bits::{self, Bits, Kernel};
use crate::board::PointSet;
use crate::index::{Index, Material, Subsets};
use crate::rules::Rules;
use crate::symmetry::Symmetry;
use crate::turns::removable;

/// The table that the captures of a half lead to.
pub(super) struct Captures<'a> {
    index: Index,
    values: &'a [u8],
}

impl<'a> Captures<'a> {
    pub(super) fn new(material: Material, values: &'a [u8]) -> Captures<'a> {
        let index = Index::new(material);
        assert_eq!(
            index.len(),
            values.len(),
            "the table of the captures has the wrong size"
        );
        Captures { index, values }
    }
}

/// How good a capture is for the mover, from the value byte `v` of the position that it leads to: 0 for no capture,
/// slower losses above quicker ones, draws, quicker wins above slower ones.
const fn merit(v: u8) -> u8 {
    match v {
        0 => DRAW_MERIT,
        _ if v.is_multiple_of(2) => v / 2,
        _ => u8::MAX - v / 2,
    }
}

const DRAW_MERIT: u8 = 128;

/// The mover's value byte after a capture of this merit. Bytes up to 253 keep their meaning.
pub(super) const fn value_of_merit(merit: u8) -> u8 {
    match merit {
        DRAW_MERIT => 0,
        _ if merit < DRAW_MERIT => merit * 2 + 1,
        _ => (u8::MAX - merit) * 2 + 2,
    }
}

pub(super) static MERITS: [u8; 256] = {
    let mut merits = [0; 256];
    let mut v = 0;
    while v < 256 {
        merits[v] = merit(v as u8);
        v += 1;
    }
    merits
};

/// The merit of capturing down to two stones: the opponent has lost.
const WINS_AT_ONCE: u8 = merit(1);

/// Fills the working values and counts from the table that captures lead to; `None` where they end the game.
pub(super) fn initialise(rules: &Rules, half: &mut Half, captures: Option<&Captures<'_>>) {
    let columns = half.columns.count();
    let Half {
        rows,
        columns: columns_of_row,
        subsets,
        values,
        counts,
        present,
        index,
        ..
    } = half;
    let rows = *rows;
    let shape = Shape {
        rules,
        flying: rules.flies(index.material().mover.into()),
        columns: columns_of_row,
        subsets,
        captures,
    };
    values
        .par_chunks_mut(columns)
        .zip(counts.par_chunks_mut(columns))
        .zip(present.par_iter_mut())
        .enumerate()
        .for_each_init(
            || vec![0; columns],
            |merits, (row, ((values, counts), present))| {
                merits.fill(0);
                counts.fill(0);
                let row = InitialiseRow {
                    shape: &shape,
                    waiting: rows.set(row),
                    merits,
                    values,
                    counts,
                    present,
                };
                bits::dispatch(row);
            },
        );
}

/// What all rows of one side to move share, in the working arrangement.
pub(super) struct Shape<'a> {
    pub(super) rules: &'a Rules,
    pub(super) flying: bool,
    pub(super) columns: &'a Subsets,
    pub(super) subsets: &'a [u32],
    pub(super) captures: Option<&'a Captures<'a>>,
}

struct InitialiseRow<'a> {
    shape: &'a Shape<'a>,
    waiting: PointSet,
    /// The merit of the best capture of each column.
    merits: &'a mut [u8],
    values: &'a mut [u8],
    counts: &'a mut [u8],
    present: &'a mut ValueSet,
}

/// One removal from the row's set: the row that it leads to, with its values.
struct Removal<'a> {
    symmetry: Symmetry,
    free: PointSet,
    values: &'a [u8],
}

impl Kernel for InitialiseRow<'_> {
    type Output = ();

    #[inline(always)]
    fn run<B: Bits>(self, bits: B) {
        if self.shape.flying {
            self.initialise::<B, true>(bits);
        } else {
            self.initialise::<B, false>(bits);
        }
    }
}

impl InitialiseRow<'_> {
    #[inline(always)]
    fn initialise<B: Bits, const FLYING: bool>(self, bits: B) {
        let InitialiseRow {
            shape,
            waiting,
            merits,
            values,
            counts,
            present,
        } = self;
        let turns = RowTurns::new(bits, shape.rules, shape.columns, waiting);
        shape.look_up_captures::<B, FLYING>(bits, &turns, waiting, merits, counts);
        for (column, &subset) in shape.subsets.iter().enumerate() {
            let quiet = turns.count::<FLYING>(turns.points(bits, subset)) as u8 - counts[column];
            let (value, count) = match merits[column] {
                // No turn at all is a loss in 0.
                0 => (u8::from(quiet == 0), quiet),
                merit if merit < DRAW_MERIT => (value_of_merit(merit), quiet),
                merit => (value_of_merit(merit), CANNOT_LOSE),
            };
            values[column] = value;
            counts[column] = count;
            present.insert(value);
        }
    }
}

impl<'a> Shape<'a> {
    /// Raises the merit of each column of a row to that of its best capture, and counts its turns that close a mill.
    ///
    /// The way is from the sets that hold a mill back to those that closed it: what the removals are worth depends only
    /// on the set with the mill.
    #[inline(always)]
    pub(super) fn look_up_captures<B: Bits, const FLYING: bool>(
        &self,
        bits: B,
        turns: &RowTurns<'_>,
        waiting: PointSet,
        merits: &mut [u8],
        counts: &mut [u8],
    ) {
        let removals = self.removals(waiting);
        for &subset in self.subsets {
            let mover = turns.points(bits, subset);
            let mills = turns.board.mills(mover);
            if mills.is_empty() {
                continue;
            }
            let origins = turns.closing_origins::<B, FLYING>(bits, subset, mover, mills);
            if origins.is_empty() {
                continue;
            }
            let merit = self.best_merit(bits, &removals, mover);
            for origin in origins {
                merits[origin] = merits[origin].max(merit);
                counts[origin] += 1;
            }
        }
    }

    fn removals(&self, waiting: PointSet) -> Vec<Removal<'a>> {
        let Some(captures) = self.captures else {
            return Vec::new();
        };
        let columns = captures.index.columns().count();
        let removable = removable(waiting, self.rules.board(), self.rules);
        let removal = |point| {
            let (row, symmetry) = captures.index.rows().find(waiting.without(point));
            Removal {
                symmetry,
                free: !captures.index.rows().set(row),
                values: &captures.values[row * columns..][..columns],
            }
        };
        removable.into_iter().map(removal).collect()
    }

    /// The merit of the best removal after the mover came to have this set.
    #[inline(always)]
    fn best_merit<B: Bits>(&self, bits: B, removals: &[Removal<'_>], mover: PointSet) -> u8 {
        let Some(captures) = self.captures else {
            return WINS_AT_ONCE;
        };
        let columns = captures.index.columns();
        let mut best = 0;
        for removal in removals {
            let turned = removal.symmetry.apply(mover);
            let column = columns.rank(bits.pext(turned.bits(), removal.free.bits()));
            best = best.max(MERITS[usize::from(removal.values[column])]);
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Value;

    #[test]
    fn merits_order_captures_as_values_are_ordered() {
        for a in 0..=253 {
            let value = Value::from_byte(a).before();
            assert_eq!(Value::from_byte(value_of_merit(merit(a))), value);
            for b in 0..=253 {
                let other = Value::from_byte(b).before();
                assert_eq!(
                    merit(a).cmp(&merit(b)),
                    value.cmp(&other),
                    "{value} and {other}"
                );
            }
        }
    }

    #[test]
    fn capturing_down_to_two_stones_wins_in_one() {
        assert_eq!(
            Value::from_byte(value_of_merit(WINS_AT_ONCE)),
            Value::LOST.before()
        );
    }
}
