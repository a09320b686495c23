//! The first step of solving: the value of each position's best exit (a capture or a placement),
//! and the number of its quiet turns.

use std::ops::Deref;

use rayon::prelude::*;

use super::half::{CANNOT_LOSE, HalfShape, RowTurns, ValueSet, Working};
use crate::board::PointSet;
use crate::board::bits::{self, Bits, Kernel};
use crate::board::symmetry::Symmetry;
use crate::index::{Index, Material};
use crate::memory::Bytes;
use crate::rules::turns::left_after_removals;
use crate::rules::{Rules, WithoutTurn};
use crate::solve::placements::{PlacementScratch, Placements};
use crate::value::{Distance, Metric};

/// The positions that captures of a given number of stones lead to.
pub(crate) enum Captures<'a> {
    /// The opponent is left with fewer than three stones.
    EndTheGame,
    /// The positions of another table, with its values and the ordered value of each value byte.
    Table(Index, &'a [u8], &'static [u8; 256]),
}

impl<'a> Captures<'a> {
    /// The captures that lead to these tables: those of one stone, and those of two and three if
    /// turns can earn that many removals. Panics if a table is missing.
    fn all<V: Deref<Target = [u8]>>(
        rules: &Rules,
        after: Vec<Material>,
        values: &'a [V],
    ) -> Vec<Captures<'a>> {
        assert_eq!(
            after.len(),
            values.len(),
            "the values of the captures are missing"
        );
        let tables = after.into_iter().zip(values);
        let tables = tables.map(|(after, values)| Captures::table(rules, after, values));
        let most = usize::from(rules.most_removals());
        let ends = std::iter::repeat_with(|| Captures::EndTheGame);
        tables.chain(ends).take(most).collect()
    }

    /// The captures that lead to a table with these values; panics if their number is wrong.
    pub(crate) fn table(rules: &Rules, after: Material, values: &'a [u8]) -> Captures<'a> {
        let index = Index::new(after);
        assert_eq!(
            index.len(),
            values.len(),
            "the table of the captures has the wrong size"
        );
        let ordered = match rules.distance() {
            Distance::ToEnd => &ORDERED,
            Distance::ToRemoval => &ORDERED_RESULTS,
        };
        Captures::Table(index, values, ordered)
    }
}

/// The positions that turns other than quiet ones lead to, or a group of them.
pub(crate) struct Exits<'a> {
    pub rules: &'a Rules,
    /// The material before the turns.
    pub material: Material,
    /// By the number of removals; empty to leave these turns out, and if the mover may not move.
    pub captures: Vec<Captures<'a>>,
    /// `None` to leave these turns out.
    pub placements: Option<Placements<'a>>,
}

impl<'a> Exits<'a> {
    /// The exits of a table, from the values of the tables of [`Material::exits`].
    pub fn new(rules: &'a Rules, material: Material, values: &'a [Bytes]) -> Exits<'a> {
        let captures = material.exit_groups(rules)[0].len().min(values.len());
        let (captures, placements) = values.split_at(captures);
        let (quiet, placed) = placements.split_at(placements.len().min(1));
        Exits::of_groups(rules, material, [captures, quiet, placed].map(Some))
    }

    /// The exits of some [groups](Material::exit_groups), each with the values of its tables;
    /// `None` leaves a group out. Panics if a table is missing or has the wrong number of values.
    pub fn of_groups<V: Deref<Target = [u8]>>(
        rules: &'a Rules,
        material: Material,
        [captures, quiet, placed]: [Option<&'a [V]>; 3],
    ) -> Exits<'a> {
        let has_placements = quiet.or(placed).is_some();
        Exits {
            rules,
            material,
            captures: captures
                .filter(|_| rules.may_move(material.mover_in_hand))
                .map(|values| Captures::all(rules, material.after_captures(rules), values))
                .unwrap_or_default(),
            placements: material.placed().filter(|_| has_placements).map(|after| {
                let quiet = quiet.and_then(<[V]>::first).map(Deref::deref);
                let after = after.after_placed_captures(rules);
                let captures = placed.map(|values| Captures::all(rules, after, values));
                let captures = captures.and_then(|all| all.into_iter().next());
                Placements::new(rules, material, quiet, captures)
            }),
        }
    }
}

/// The ordered value of a turn, which is greater the better it is for the mover, from the value
/// byte `v` of the position that it leads to: 0 for no turn, then losses with slower ones above
/// quicker ones, draws, and wins with quicker ones above slower ones.
pub(crate) const fn ordered(v: u8) -> u8 {
    match v {
        0 => ORDERED_DRAW,
        _ if v.is_multiple_of(2) => v / 2,
        _ => u8::MAX - v / 2,
    }
}

const ORDERED_DRAW: u8 = 128;

/// The value byte of the position that a turn of this ordered value leads to.
const fn byte_after(ordered: u8) -> u8 {
    match ordered {
        ORDERED_DRAW => 0,
        _ if ordered < ORDERED_DRAW => ordered * 2,
        _ => (u8::MAX - ordered) * 2 + 1,
    }
}

/// The mover's value byte before a turn of this ordered value, where depths count the turns to the
/// end. Bytes after the turn up to 253 keep their meaning; 0 stands for a draw and for no turn.
pub(crate) const fn value_of_ordered(ordered: u8) -> u8 {
    match byte_after(ordered) {
        0 => 0,
        after => after + 1,
    }
}

pub(crate) static ORDERED: [u8; 256] = all_ordered(Metric::Depth);

/// [`ORDERED`] for turns that remove stones, where depths end with the removal: only the result
/// counts.
static ORDERED_RESULTS: [u8; 256] = all_ordered(Metric::Wdl);

/// The ordered value for each value byte, of the part that the metric keeps.
const fn all_ordered(metric: Metric) -> [u8; 256] {
    let mut best = [0; 256];
    let mut v = 0;
    while v < 256 {
        best[v] = ordered(metric.of_byte(v as u8));
        v += 1;
    }
    best
}

/// The value byte before a turn of each ordered value, 0 for 0. A look-up has no branch to predict:
/// neighbours often differ.
pub(crate) fn values_of_ordered(rules: &Rules, material: Material) -> [u8; 256] {
    let stones = [material.mover, material.waiting];
    let distance = rules.distance();
    std::array::from_fn(|ordered| {
        let after = distance.value(byte_after(ordered as u8));
        let value = rules.value_of_turn(stones, false, after);
        distance.byte(value).unwrap_or(0)
    })
}

/// The ordered value of a capture that leaves the opponent two stones and so wins immediately.
const WINS_AT_ONCE: u8 = ordered(1);

/// Looks up a group of exits. Between groups, the working values hold the ordered values of the
/// best exits, the counts the numbers of turns that close a mill; the last group turns them into
/// working values and counts.
pub(crate) fn initialise(working: &mut Working, exits: &Exits<'_>, is_last: bool) {
    let Working {
        shape,
        values,
        counts,
        present,
        ..
    } = working;
    let columns = shape.columns.count();
    values
        .par_chunks_mut(columns)
        .zip(counts.par_chunks_mut(columns))
        .zip(present.par_iter_mut())
        .enumerate()
        .for_each_init(
            PlacementScratch::default,
            |scratch, (row, ((values, counts), present))| {
                bits::dispatch(InitialiseRow {
                    shape,
                    exits,
                    is_last,
                    row,
                    waiting: shape.rows.set(row),
                    values,
                    counts,
                    present,
                    scratch,
                });
            },
        );
}

struct InitialiseRow<'a> {
    shape: &'a HalfShape,
    exits: &'a Exits<'a>,
    is_last: bool,
    row: usize,
    waiting: PointSet,
    /// At first the ordered value of the best exit of each column.
    values: &'a mut [u8],
    counts: &'a mut [u8],
    present: &'a mut ValueSet,
    scratch: &'a mut PlacementScratch,
}

/// The removal of stones from the row's set: the row that it leads to, with its values.
pub(crate) struct Removal<'a> {
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
        let (shape, values, counts) = (self.shape, self.values, self.counts);
        let turns = RowTurns::new(bits, shape, self.waiting);
        let row = (self.row, self.waiting);
        (self.exits).raise::<B, FLYING>(bits, shape, &turns, row, self.scratch, values, counts);
        if !self.is_last {
            return;
        }
        let columns = shape.subsets.iter().zip(values).zip(counts);
        for ((&subset, value), count) in columns {
            let quiet = match shape.moves {
                true => turns.count::<FLYING>(turns.points(bits, subset)) as u8 - *count,
                false => 0,
            };
            (*value, *count) = match *value {
                0 if quiet == 0 => match shape.without_turn {
                    WithoutTurn::Loses => (1, 0),
                    WithoutTurn::Draws => (0, CANNOT_LOSE),
                    WithoutTurn::Passes => (0, 1),
                    WithoutTurn::Removes => unreachable!("a removal has a value"),
                },
                0 => (0, quiet),
                ordered if ordered < ORDERED_DRAW => (shape.values[usize::from(ordered)], quiet),
                ordered => (shape.values[usize::from(ordered)], CANNOT_LOSE),
            };
            self.present.insert(*value);
        }
    }
}

impl Exits<'_> {
    /// Raises the ordered value of each column of a row to that of its best exit, and counts its turns that close a mill.
    #[inline(always)]
    #[expect(clippy::too_many_arguments)]
    pub fn raise<B: Bits, const FLYING: bool>(
        &self,
        bits: B,
        shape: &HalfShape,
        turns: &RowTurns<'_>,
        (row, waiting): (usize, PointSet),
        placing: &mut PlacementScratch,
        best: &mut [u8],
        closing: &mut [u8],
    ) {
        let captures = &self.captures;
        match captures.len() {
            0 => {}
            1 => look_up::<B, FLYING, 1>(captures, bits, shape, turns, waiting, best, closing),
            _ => look_up::<B, FLYING, 3>(captures, bits, shape, turns, waiting, best, closing),
        }
        if shape.without_turn == WithoutTurn::Removes
            && let Some(captures) = captures.first()
        {
            // The mover's stones are on all free points, so the row has one column.
            let removals = captures.removals(self.rules, waiting, 1);
            best[0] = captures.best_ordered(bits, &removals, turns.free);
        }
        if let Some(placements) = &self.placements {
            placements.raise(bits, (row, waiting), placing, best);
        }
    }
}

/// Looks up the captures of a row, where a turn earns at most this many removals.
///
/// It goes from the sets with a mill back to the sets before it was closed, because the value of
/// the removals depends only on the set with the mill and, if each mill earns a removal, on the
/// point that the stone reached.
#[inline(always)]
fn look_up<B: Bits, const FLYING: bool, const MOST: usize>(
    captures: &[Captures<'_>],
    bits: B,
    shape: &HalfShape,
    turns: &RowTurns<'_>,
    waiting: PointSet,
    best: &mut [u8],
    counts: &mut [u8],
) {
    let removals: [Vec<Removal>; MOST] = std::array::from_fn(|place| {
        let captures = captures.get(place);
        captures.map_or_else(Vec::new, |captures| {
            captures.removals(&shape.rules, waiting, place as u8 + 1)
        })
    });
    for &subset in &shape.subsets {
        let mover = turns.points(bits, subset);
        let arrivals = match MOST {
            1 => [turns.board.mills(mover); 3],
            _ => turns.board.mills_by_count(mover),
        };
        for ((captures, removals), mills) in captures.iter().zip(&removals).zip(arrivals) {
            if mills.is_empty() {
                continue;
            }
            let origins = turns.closing_origins::<B, FLYING>(bits, subset, mover, mills);
            if origins.is_empty() {
                continue;
            }
            let ordered = captures.best_ordered(bits, removals, mover);
            for origin in origins {
                best[origin] = best[origin].max(ordered);
                counts[origin] += 1;
            }
        }
    }
}

impl<'a> Captures<'a> {
    /// The removals of `count` stones from a row's set.
    pub(crate) fn removals(&self, rules: &Rules, waiting: PointSet, count: u8) -> Vec<Removal<'a>> {
        let Captures::Table(index, values, _) = self else {
            return Vec::new();
        };
        let columns = index.columns().count();
        let removal = |left| {
            let (row, symmetry) = index.rows().find(left);
            Removal {
                symmetry,
                free: !index.rows().set(row),
                values: &values[row * columns..][..columns],
            }
        };
        let sets = left_after_removals(waiting, count, rules);
        sets.map(removal).collect()
    }

    /// The ordered value of the best removal after a turn of the mover to this set.
    #[inline(always)]
    pub(crate) fn best_ordered<B: Bits>(
        &self,
        bits: B,
        removals: &[Removal<'_>],
        mover: PointSet,
    ) -> u8 {
        let Captures::Table(index, _, ordered) = self else {
            return WINS_AT_ONCE;
        };
        let columns = index.columns();
        let mut best = 0;
        for removal in removals {
            let turned = removal.symmetry.apply(mover);
            let column = columns.rank(bits.pext(turned.bits(), removal.free.bits()));
            best = best.max(ordered[usize::from(removal.values[column])]);
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
            let value = Value::from_byte(a).backed_up();
            assert_eq!(Value::from_byte(value_of_ordered(ordered(a))), value);
            for b in 0..=253 {
                let other = Value::from_byte(b).backed_up();
                assert_eq!(
                    ordered(a).cmp(&ordered(b)),
                    value.cmp(&other),
                    "{value} and {other}"
                );
            }
        }
    }
}
