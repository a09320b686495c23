//! Bitbases: win, draw or loss of chosen pairs in memory, for searches that probe millions of times
//! a second.
//!
//! Each position takes two bits, each byte holds four positions, and each row begins with a new
//! byte:
//!
//! ```text
//! 0 draw, 1 win, 2 loss, 3 omitted
//! ```
//!
//! A probe is one lookup for the row, one for the column and one for the two bits; nothing is
//! decoded. The bitbase omits the same positions as the files and derives their results on demand
//! from their turns, most of which lead to one row.

use super::database::Database;
use crate::board::PointSet;
use crate::board::bits;
use crate::board::symmetry::Symmetry;
#[cfg(feature = "build")]
use crate::index::Material;
use crate::index::{Index, Pair};
use crate::rules::position::Position;
use crate::rules::turns::left_after_removals;
use crate::rules::{FEWEST_STONES, MOST_STONES, Rules};
use crate::store::DbError;
use crate::value::Wdl;

/// Win, draw and loss of some pairs in memory. Many threads may probe it at the same time.
#[derive(Debug)]
pub struct Bitbase {
    rules: Rules,
    pairs: Vec<Pair>,
    /// Indexed by [`place`].
    tables: Vec<Option<Results>>,
}

/// The number of different stone counts of a side.
const SIDES: usize = (MOST_STONES - FEWEST_STONES + 1) as usize;

/// Positions in each byte.
const PER_BYTE: usize = 4;

/// The code of an omitted position.
const LEFT_OUT: u8 = 3;

/// One table: a result for each entry of its index.
#[derive(Debug)]
struct Results {
    index: Index,
    packed: Vec<u8>,
    /// Bytes of each row.
    stride: usize,
}

/// The positions of one set of the side to move.
#[derive(Clone, Copy, Debug)]
pub struct BitbaseRow<'a> {
    packed: &'a [u8],
    index: &'a Index,
    /// The points outside the row's set.
    free: PointSet,
    symmetry: Symmetry,
}

impl Database {
    /// Reads the stored results (win, draw or loss) of these pairs into memory: a quarter of a byte
    /// for each entry, 390 MB for 9-9, 9-8 and 8-8 together. Results that the files omit are
    /// derived on demand; files of the level `max` omit so many that deriving one may take
    /// milliseconds, which `solve::whole_bitbase` avoids.
    ///
    /// ```
    /// use millbase::{Database, Pair, Position, Rules, Wdl};
    /// # if cfg!(feature = "embedded") {
    /// let rules = Rules::STANDARD;
    /// let pairs = [Pair::new(4, 3).unwrap(), Pair::new(3, 3).unwrap()];
    /// let bitbase = Database::embedded(rules).bitbase(&pairs)?;
    /// let position = Position::parse("***O**@*/*O@***@*/**@**O** w m s 3 0 4 0 0 0", &rules)?;
    /// assert_eq!(bitbase.wdl(&position), Some(Wdl::Win));
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`DbError::Missing`] if a pair has no file; [`DbError::Corrupt`] or [`DbError::Io`] if a
    /// file cannot be read.
    pub fn bitbase(&self, pairs: &[Pair]) -> Result<Bitbase, DbError> {
        let mut bitbase = Bitbase::empty(*self.rules(), pairs);
        for &pair in bitbase.pairs.clone().iter() {
            let table = self.file(pair)?.table()?;
            let mut results = Results::empty(table.index().clone());
            // Rows that the file omits.
            results.packed.fill(u8::MAX);
            let stride = results.stride;
            table.for_each_row(&mut results.packed, stride, |row, packed, values| {
                let codes = values.iter().enumerate();
                pack(
                    packed,
                    codes.map(|(column, &value)| match row.holds(column) {
                        true => code(value),
                        false => LEFT_OUT,
                    }),
                );
            })?;
            bitbase.insert(results);
        }
        Ok(bitbase)
    }
}

/// The place of a table; `None` if a side has fewer than three stones or more than twelve.
#[inline(always)]
fn place(mover: u32, waiting: u32) -> Option<usize> {
    let side = |stones: u32| {
        let side = stones.wrapping_sub(FEWEST_STONES.into()) as usize;
        (side < SIDES).then_some(side)
    };
    Some(side(mover)? * SIDES + side(waiting)?)
}

/// The two bits of a value.
#[inline(always)]
fn code(value: u8) -> u8 {
    // Wins are even and losses odd; a draw is zero, see `Value::from_byte`.
    u8::from(value != 0) << (value & 1)
}

/// Packs the codes of a row.
#[inline(always)]
fn pack(packed: &mut [u8], mut codes: impl Iterator<Item = u8>) {
    for byte in packed {
        let four = codes.by_ref().take(PER_BYTE).enumerate();
        *byte = four.fold(0, |byte, (place, code)| byte | code << (2 * place));
    }
}

/// The result at a column of a row; `None` if it is omitted.
#[inline(always)]
fn unpack(packed: &[u8], column: usize) -> Option<Wdl> {
    match packed[column / PER_BYTE] >> (2 * (column % PER_BYTE)) & 3 {
        0 => Some(Wdl::Draw),
        1 => Some(Wdl::Win),
        2 => Some(Wdl::Loss),
        _ => None,
    }
}

impl Results {
    fn empty(index: Index) -> Results {
        let stride = index.columns().count().div_ceil(PER_BYTE);
        Results {
            packed: vec![0; index.rows().len() * stride],
            index,
            stride,
        }
    }

    /// The place of a position's result: the first byte of its row, and the column.
    #[inline(always)]
    fn find(&self, mover: PointSet, waiting: PointSet) -> (usize, usize) {
        let (row, symmetry) = self.index.rows().find(mover);
        let column = self.index.column(row, symmetry.apply(waiting));
        (row * self.stride, column)
    }

    #[inline(always)]
    fn at(&self, (row, column): (usize, usize)) -> Option<Wdl> {
        unpack(&self.packed[row..], column)
    }
}

impl Bitbase {
    pub(crate) fn empty(rules: Rules, pairs: &[Pair]) -> Bitbase {
        let mut pairs = pairs.to_vec();
        pairs.sort_unstable();
        pairs.dedup();
        Bitbase {
            rules,
            pairs,
            tables: (0..SIDES * SIDES).map(|_| None).collect(),
        }
    }

    fn insert(&mut self, results: Results) {
        let material = results.index.material();
        if let Some(place) = place(material.mover.into(), material.waiting.into()) {
            self.tables[place] = Some(results);
        }
    }

    /// Adds a table with all its values.
    #[cfg(feature = "build")]
    pub(crate) fn insert_table(&mut self, material: Material, values: &[u8]) {
        use rayon::prelude::*;
        let mut results = Results::empty(Index::new(material));
        let rows = values.par_chunks(results.index.columns().count());
        let packed = results.packed.par_chunks_mut(results.stride);
        packed
            .zip(rows)
            .for_each(|(packed, values)| pack(packed, values.iter().map(|&value| code(value))));
        self.insert(results);
    }

    /// The rules of the values.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// The pairs in memory, in their order.
    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    /// The memory of the results, in bytes.
    pub fn bytes(&self) -> u64 {
        let tables = self.tables.iter().flatten();
        tables.map(|table| table.packed.len() as u64).sum()
    }

    /// Win, draw or loss of a position for its side to move: by the rules when the game is over,
    /// else from memory. `None` while stones are in hand or a removal is pending, and for other
    /// pairs.
    pub fn wdl(&self, position: &Position) -> Option<Wdl> {
        if position.is_placing() || position.removal_owed() {
            return None;
        }
        if let Some(result) = position.result(&self.rules) {
            return Some(result.wdl());
        }
        self.of_sets(position.mover(), position.waiting())
    }

    /// [`Bitbase::wdl`] from the sets of the side to move and of the waiting side. The side to move
    /// must have at least three stones. `None` for other pairs, and if the value depends on other
    /// pairs.
    #[inline]
    pub fn of_sets(&self, mover: PointSet, waiting: PointSet) -> Option<Wdl> {
        let table = self.table(mover.len(), waiting.len());
        let stored = table.and_then(|table| table.at(table.find(mover, waiting)));
        stored.or_else(|| self.derived(mover, waiting))
    }

    /// The results of several positions, in the same order. All places are computed before the
    /// first is read, so that their cache misses overlap.
    pub fn of_many<const N: usize>(
        &self,
        positions: &[(PointSet, PointSet); N],
    ) -> [Option<Wdl>; N] {
        let places = positions.map(|(mover, waiting)| {
            let table = self.table(mover.len(), waiting.len())?;
            Some((table, table.find(mover, waiting)))
        });
        let mut found = places.map(|place| place.and_then(|(table, place)| table.at(place)));
        for (found, &(mover, waiting)) in found.iter_mut().zip(positions) {
            *found = found.or_else(|| self.derived(mover, waiting));
        }
        found
    }

    /// The row of a set of the side to move against this many stones, for probes of several sets of
    /// the other side. `None` for other pairs, and if the files omit the whole table.
    #[inline]
    pub fn row(&self, mover: PointSet, waiting: u32) -> Option<BitbaseRow<'_>> {
        let table = self.table(mover.len(), waiting)?;
        let (row, symmetry) = table.index.rows().find(mover);
        Some(BitbaseRow {
            packed: &table.packed[row * table.stride..][..table.stride],
            index: &table.index,
            free: !table.index.rows().set(row),
            symmetry,
        })
    }

    #[inline(always)]
    fn table(&self, mover: u32, waiting: u32) -> Option<&Results> {
        self.tables[place(mover, waiting)?].as_ref()
    }

    /// The best result of the mover's turns; `None` if a result that matters is unknown.
    fn derived(&self, mover: PointSet, waiting: PointSet) -> Option<Wdl> {
        let pair = Pair::new(mover.len() as u8, waiting.len() as u8)?;
        self.pairs.binary_search(&pair).ok()?;
        let rules = &self.rules;
        let position = Position::moving(mover, waiting);
        if let Some(result) = position.result(rules) {
            return Some(result.wdl());
        }
        let quiet_row = self.row(waiting, mover.len());
        let quiet = |set| {
            let known = quiet_row.as_ref().and_then(|row| row.wdl(set));
            known.or_else(|| self.of_sets(waiting, set))
        };
        let mut best = Wdl::Loss;
        let mut unknown = false;
        // Whether a turn with this result for the other side wins.
        let mut wins = |after: Option<Wdl>| {
            match after {
                Some(Wdl::Loss) => return true,
                Some(Wdl::Draw) => best = Wdl::Draw,
                Some(Wdl::Win) => {}
                None => unknown = true,
            }
            false
        };
        // The mover's sets after turns that close mills, by the number of removals earned.
        let mut closing: [Vec<PointSet>; 4] = Default::default();
        let mut won = false;
        position.for_each_step(rules, |step, removals| {
            let set = position.after(step).waiting;
            match removals {
                0 => won = won || wins(quiet(set)),
                _ => closing[usize::from(removals) % 4].push(set),
            }
        });
        if won {
            return Some(Wdl::Win);
        }
        for (removals, sets) in (0..).zip(&closing) {
            if sets.is_empty() {
                continue;
            }
            for left in left_after_removals(waiting, removals, rules) {
                if left.len() < u32::from(FEWEST_STONES) {
                    return Some(Wdl::Win);
                }
                if sets.iter().any(|&set| wins(self.of_sets(left, set))) {
                    return Some(Wdl::Win);
                }
            }
        }
        (!unknown).then_some(best)
    }
}

impl BitbaseRow<'_> {
    /// The result for the row's side to move against this set, which must have the number of stones
    /// that the row was requested for; `None` if it is omitted.
    #[inline(always)]
    pub fn wdl(&self, waiting: PointSet) -> Option<Wdl> {
        let turned = self.symmetry.apply(waiting);
        let subset = bits::pext(turned.bits(), self.free.bits());
        unpack(self.packed, self.index.columns().rank(subset))
    }
}
