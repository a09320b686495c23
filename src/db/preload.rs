//! Win, draw or loss of chosen pairs in memory, for searches that ask millions of times a second.
//!
//! Two bits a position, four positions a byte, in the order of the table's [`Index`]:
//!
//! ```text
//! 0 draw, 1 win, 2 loss
//! ```
//!
//! A probe is one look-up for the row, one for the column and one for the two bits; nothing is
//! decoded. Positions with the same set of the side to move lie in one row, a kilobyte or two, so a
//! search that asks for all placements of the other side finds them in the processor's cache.

use super::database::Database;
use super::error::DbError;
use crate::bits;
use crate::board::PointSet;
use crate::index::{Index, Pair};
use crate::position::Position;
use crate::rules::{FEWEST_STONES, MOST_STONES, Rules};
use crate::symmetry::Symmetry;
use crate::value::Wdl;

/// Win, draw and loss of some pairs, in memory. Many threads may ask at the same time.
#[derive(Debug)]
pub struct Preload {
    rules: Rules,
    pairs: Vec<Pair>,
    /// By [`place`].
    tables: Vec<Option<Results>>,
}

/// How many numbers of stones a side can have in a table.
const SIDES: usize = (MOST_STONES - FEWEST_STONES + 1) as usize;

/// How many positions share a byte.
const PER_BYTE: usize = 4;

/// How many values are packed at a time; a multiple of [`PER_BYTE`].
const CHUNK: usize = 1 << 16;

/// One table: a result for each entry of its index.
#[derive(Debug)]
struct Results {
    index: Index,
    packed: Vec<u8>,
}

/// The positions of one set of the side to move.
#[derive(Clone, Copy, Debug)]
pub struct PreloadRow<'a> {
    packed: &'a [u8],
    index: &'a Index,
    /// The entry of the row's first column.
    first: usize,
    /// The points outside the row's set.
    free: PointSet,
    symmetry: Symmetry,
}

impl Database {
    /// Reads win, draw and loss of these pairs into memory: a quarter of a byte for each entry,
    /// 512 MB for 9-9, 9-8 and 8-8 together. While this runs, the values of one table are in memory
    /// besides.
    ///
    /// ```
    /// use millbase::{Database, Pair, Position, Rules, Wdl};
    /// # if cfg!(feature = "embedded") {
    /// let rules = Rules::STANDARD;
    /// let pairs = [Pair::new(4, 3).unwrap()];
    /// let preload = Database::embedded(rules).preload(&pairs)?;
    /// let position = Position::parse("***O**@*/*O@***@*/**@**O** w m s 3 0 4 0 0 0", &rules)?;
    /// assert_eq!(preload.wdl(&position), Some(Wdl::Win));
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`Database::load`].
    pub fn preload(&self, pairs: &[Pair]) -> Result<Preload, DbError> {
        let mut preload = Preload {
            rules: *self.rules(),
            pairs: Vec::new(),
            tables: (0..SIDES * SIDES).map(|_| None).collect(),
        };
        for &pair in pairs {
            for material in pair.tables() {
                let Some(place) = place(material.mover.into(), material.waiting.into()) else {
                    continue;
                };
                preload.tables[place] = Some(Results {
                    index: Index::new(material),
                    packed: pack(&self.load(material)?),
                });
            }
            preload.pairs.push(pair);
        }
        preload.pairs.sort_unstable();
        preload.pairs.dedup();
        Ok(preload)
    }
}

/// The place of a table, `None` if a side has fewer than three stones or more than twelve.
#[inline(always)]
fn place(mover: u32, waiting: u32) -> Option<usize> {
    let side = |stones: u32| {
        let side = stones.wrapping_sub(FEWEST_STONES.into()) as usize;
        (side < SIDES).then_some(side)
    };
    Some(side(mover)? * SIDES + side(waiting)?)
}

/// Two bits for each value.
fn pack(values: &[u8]) -> Vec<u8> {
    let mut packed = vec![0; values.len().div_ceil(PER_BYTE)];
    #[cfg(feature = "build")]
    {
        use rayon::prelude::*;
        let chunks = packed.par_chunks_mut(CHUNK / PER_BYTE);
        chunks
            .zip(values.par_chunks(CHUNK))
            .for_each(|(packed, values)| pack_chunk(packed, values));
    }
    #[cfg(not(feature = "build"))]
    {
        let chunks = packed.chunks_mut(CHUNK / PER_BYTE);
        for (packed, values) in chunks.zip(values.chunks(CHUNK)) {
            pack_chunk(packed, values);
        }
    }
    packed
}

fn pack_chunk(packed: &mut [u8], values: &[u8]) {
    // Wins are even and losses odd; a draw is zero, see `Value::from_byte`.
    let code = |&value: &u8| u8::from(value != 0) << (value & 1);
    let (fours, rest) = values.as_chunks::<PER_BYTE>();
    for (byte, [a, b, c, d]) in packed.iter_mut().zip(fours) {
        *byte = code(a) | code(b) << 2 | code(c) << 4 | code(d) << 6;
    }
    if let Some(last) = packed.get_mut(fours.len()) {
        let codes = rest.iter().map(code).enumerate();
        *last = codes.fold(0, |byte, (place, code)| byte | code << (2 * place));
    }
}

/// The result at an entry.
#[inline(always)]
fn unpack(packed: &[u8], entry: usize) -> Wdl {
    match packed[entry / PER_BYTE] >> (2 * (entry % PER_BYTE)) & 3 {
        0 => Wdl::Draw,
        1 => Wdl::Win,
        _ => Wdl::Loss,
    }
}

impl Preload {
    /// The rules of the values.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// The pairs in memory, in their order.
    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    /// How many bytes of memory the results take.
    pub fn bytes(&self) -> u64 {
        let tables = self.tables.iter().flatten();
        tables.map(|table| table.packed.len() as u64).sum()
    }

    /// Win, draw or loss of a position for its side to move: by rule when the game is over, else
    /// from memory. `None` while stones are in hand or a removal is owed, and for other pairs.
    pub fn wdl(&self, position: &Position) -> Option<Wdl> {
        if position.is_placing() || position.removal_owed() {
            return None;
        }
        if position.is_over(&self.rules) {
            return Some(Wdl::Loss);
        }
        self.of_sets(position.mover(), position.waiting())
    }

    /// The same from the sets of the side to move and of the other, for a position that is no
    /// beaten side's: a blocked side is stored as lost, a side with two stones is not stored.
    #[inline]
    pub fn of_sets(&self, mover: PointSet, waiting: PointSet) -> Option<Wdl> {
        let table = self.tables[place(mover.len(), waiting.len())?].as_ref()?;
        Some(unpack(&table.packed, table.index.find(mover, waiting)))
    }

    /// The results of many positions at once, the results in the order of the positions. All places
    /// are computed before the first is read, so the processor waits for several at the same time.
    pub fn of_many<const N: usize>(
        &self,
        positions: &[(PointSet, PointSet); N],
    ) -> [Option<Wdl>; N] {
        let places = positions.map(|(mover, waiting)| {
            let table = self.tables[place(mover.len(), waiting.len())?].as_ref()?;
            Some((table, table.index.find(mover, waiting)))
        });
        places.map(|place| place.map(|(table, entry)| unpack(&table.packed, entry)))
    }

    /// The row of a set of the side to move, against so many stones: for asking about several sets
    /// of the other side.
    #[inline]
    pub fn row(&self, mover: PointSet, waiting: u32) -> Option<PreloadRow<'_>> {
        let table = self.tables[place(mover.len(), waiting)?].as_ref()?;
        let (row, symmetry) = table.index.rows().find(mover);
        Some(PreloadRow {
            packed: &table.packed,
            index: &table.index,
            first: row * table.index.columns().count(),
            free: !table.index.rows().set(row),
            symmetry,
        })
    }
}

impl PreloadRow<'_> {
    /// The result for the row's side to move against this set, which must have as many stones as
    /// the row was asked for.
    #[inline(always)]
    pub fn wdl(&self, waiting: PointSet) -> Wdl {
        let turned = self.symmetry.apply(waiting);
        let subset = bits::pext(turned.bits(), self.free.bits());
        unpack(self.packed, self.first + self.index.columns().rank(subset))
    }
}
