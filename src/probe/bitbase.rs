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
//! A row is decoded when it is first needed: a search needs less than half of them. From then on a
//! probe is one lookup for the row, one for the column and one for the two bits. The bitbase omits
//! the same positions as the files and derives their results on demand from their turns, most of
//! which lead to one row.

use std::sync::OnceLock;

use super::database::Database;
use crate::board::bits;
use crate::board::symmetry::Symmetry;
use crate::board::{POINTS, PointSet};
use crate::index::{Index, Pair};
use crate::rules::position::Position;
use crate::rules::turns::left_after_removals;
use crate::rules::{FEWEST_STONES, Rules};
use crate::store::DbError;
use crate::store::table::Table;
use crate::value::{Distance, Wdl};

/// Win, draw and loss of some pairs in memory. Many threads may probe it at the same time.
#[derive(Debug)]
pub struct Bitbase<'a> {
    rules: &'a Rules,
    pairs: Vec<Pair>,
    /// Indexed by [`place`].
    tables: Vec<Option<WdlTable<'a>>>,
}

/// Positions in each byte.
const PER_BYTE: usize = 4;

/// The code of an omitted position.
const OMITTED: u8 = 3;

/// One table: a result for each entry of its index.
#[derive(Debug)]
struct WdlTable<'a> {
    index: Index,
    /// The source of rows that are not in memory yet; `None` if all are.
    table: Option<Table<'a>>,
    /// The packed results of each row of the index.
    rows: Vec<OnceLock<Box<[u8]>>>,
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
    /// The stored results (win, draw or loss) of these pairs for probes from memory. Each row is
    /// decoded when it is first needed and takes a quarter of a byte for each entry; 9-9, 9-8 and
    /// 8-8 together take 390 MB. Results that the files omit are derived on demand; with files of the
    /// level `max` deriving one may take milliseconds, which `solve::whole_bitbase` avoids. Pairs with stones in hand
    /// are left out.
    ///
    /// ```
    /// use millbase::{Database, Pair, Position, Rules, Wdl};
    /// # if cfg!(feature = "embedded") {
    /// let rules = Rules::STANDARD;
    /// let pairs = [Pair::new(4, 3).unwrap(), Pair::new(3, 3).unwrap()];
    /// let database = Database::embedded(rules);
    /// let bitbase = database.bitbase(&pairs)?;
    /// let position = Position::parse("***O**@*/*O@***@*/**@**O** w m s 3 0 4 0 0 0", &rules)?;
    /// assert_eq!(bitbase.wdl(&position)?, Some(Wdl::Win));
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`DbError::Missing`] if a pair has no file; [`DbError::Corrupt`] or [`DbError::Io`] if the
    /// beginning of a file cannot be read.
    pub fn bitbase(&self, pairs: &[Pair]) -> Result<Bitbase<'_>, DbError> {
        let mut bitbase = Bitbase::empty(self.rules(), pairs);
        for pair in bitbase.pairs.clone() {
            let table = self.file(pair)?.table()?;
            let rows = table.index().rows().len();
            bitbase.insert(WdlTable {
                index: table.index().clone(),
                table: Some(table),
                rows: (0..rows).map(|_| OnceLock::new()).collect(),
            });
        }
        Ok(bitbase)
    }
}

/// The number of different numbers of stones that a set can have.
const SIDES: usize = POINTS as usize + 1;

/// The place of a table without stones in hand.
#[inline(always)]
fn place(mover: u32, waiting: u32) -> usize {
    mover as usize * SIDES + waiting as usize
}

/// The two bits of a value.
#[inline(always)]
fn code(value: u8) -> u8 {
    // Wins are even and losses odd; a draw is zero, see `Value::from_byte`.
    u8::from(value != 0) << (value & 1)
}

/// Packs the codes of a row.
#[inline(always)]
fn pack(columns: usize, mut codes: impl Iterator<Item = u8>) -> Box<[u8]> {
    let mut byte = || {
        let four = codes.by_ref().take(PER_BYTE).enumerate();
        four.fold(0, |byte, (place, code)| byte | code << (2 * place))
    };
    (0..columns.div_ceil(PER_BYTE)).map(|_| byte()).collect()
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

impl WdlTable<'_> {
    /// The packed results of a row.
    #[inline(always)]
    fn row(&self, row: usize) -> Result<&[u8], DbError> {
        match self.rows[row].get() {
            Some(packed) => Ok(packed),
            None => self.decode(row),
        }
    }

    #[cold]
    fn decode(&self, row: usize) -> Result<&[u8], DbError> {
        let columns = self.index.columns().count();
        let stored = self.table.map(|table| table.stored_row(row)).transpose()?;
        let packed = match stored.flatten() {
            Some(stored) => {
                let mut values = vec![0; columns];
                stored.decode_all(&mut values)?;
                let codes = values.iter().enumerate();
                let code = |(column, &value)| match stored.holds(column) {
                    true => code(value),
                    false => OMITTED,
                };
                pack(columns, codes.map(code))
            }
            None => pack(columns, std::iter::repeat(OMITTED)),
        };
        Ok(self.rows[row].get_or_init(|| packed))
    }
}

impl<'a> Bitbase<'a> {
    pub(crate) fn empty(rules: &'a Rules, pairs: &[Pair]) -> Bitbase<'a> {
        let mut pairs = pairs.to_vec();
        pairs.retain(|pair| !pair.has_hands());
        pairs.sort_unstable();
        pairs.dedup();
        Bitbase {
            rules,
            pairs,
            tables: (0..SIDES * SIDES).map(|_| None).collect(),
        }
    }

    fn insert(&mut self, results: WdlTable<'a>) {
        let material = results.index.material();
        self.tables[place(material.mover.into(), material.waiting.into())] = Some(results);
    }

    /// Adds a table with all its values.
    #[cfg(feature = "build")]
    pub(crate) fn insert_table(&mut self, material: crate::index::Material, values: &[u8]) {
        use rayon::prelude::*;
        let index = Index::new(material);
        let columns = index.columns().count();
        let rows = values.par_chunks(columns);
        let packed = rows.map(|values| pack(columns, values.iter().map(|&value| code(value))));
        self.insert(WdlTable {
            rows: packed.map(OnceLock::from).collect(),
            table: None,
            index,
        });
    }

    /// The rules of the values.
    pub fn rules(&self) -> &Rules {
        self.rules
    }

    /// The pairs in memory, in their order.
    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    /// The memory of the results decoded so far, in bytes.
    pub fn bytes(&self) -> u64 {
        let rows = self.tables.iter().flatten().flat_map(|table| &table.rows);
        let decoded = rows.filter_map(OnceLock::get);
        decoded.map(|packed| packed.len() as u64).sum()
    }

    /// Win, draw or loss of a position for its side to move: by the rules when the game is over,
    /// else from memory. `None` while stones are in hand or a removal is pending, and for other
    /// pairs.
    ///
    /// # Errors
    ///
    /// As for [`Bitbase::of_sets`].
    pub fn wdl(&self, position: &Position) -> Result<Option<Wdl>, DbError> {
        if position.is_placing() || position.removal_owed() {
            return Ok(None);
        }
        if let Some(result) = position.result(self.rules) {
            return Ok(Some(result.wdl()));
        }
        self.of_sets(position.mover(), position.waiting())
    }

    /// [`Bitbase::wdl`] from the sets of the side to move and of the waiting side. The side to move
    /// must have at least three stones. `None` for other pairs, and if the value depends on other
    /// pairs or, under a limit of quiet turns, on depths.
    ///
    /// # Errors
    ///
    /// [`DbError::Corrupt`] or [`DbError::Io`] if a row cannot be read.
    #[inline]
    pub fn of_sets(&self, mover: PointSet, waiting: PointSet) -> Result<Option<Wdl>, DbError> {
        let row = self.row(mover, waiting.len())?;
        match row.and_then(|row| row.wdl(waiting)) {
            Some(result) => Ok(Some(result)),
            None => self.derived(mover, waiting),
        }
    }

    /// The row of a set of the side to move against this many stones, for probes of several sets of
    /// the other side. `None` for other pairs, and if the files omit the whole table.
    ///
    /// # Errors
    ///
    /// As for [`Bitbase::of_sets`].
    #[doc(hidden)]
    #[inline]
    pub fn row(&self, mover: PointSet, waiting: u32) -> Result<Option<BitbaseRow<'_>>, DbError> {
        let Some(Some(table)) = self.tables.get(place(mover.len(), waiting)) else {
            return Ok(None);
        };
        let (row, symmetry) = table.index.rows().find(mover);
        Ok(Some(BitbaseRow {
            packed: table.row(row)?,
            index: &table.index,
            free: !table.index.rows().set(row),
            symmetry,
        }))
    }

    /// The best result of the mover's turns; `None` if a result that matters is unknown.
    fn derived(&self, mover: PointSet, waiting: PointSet) -> Result<Option<Wdl>, DbError> {
        let rules = self.rules;
        let pair = Pair::new(mover.len() as u8, waiting.len() as u8);
        let is_other = pair.is_none_or(|pair| self.pairs.binary_search(&pair).is_err());
        // Whether a win keeps to the limit of quiet turns depends on depths, which are not in memory.
        if is_other || rules.distance() != Distance::ToEnd {
            return Ok(None);
        }
        let position = Position::moving(mover, waiting);
        if let Some(result) = position.result(rules) {
            return Ok(Some(result.wdl()));
        }
        let quiet_row = self.row(waiting, mover.len())?;
        let quiet = |set| match quiet_row.as_ref().and_then(|row| row.wdl(set)) {
            Some(result) => Ok(Some(result)),
            None => self.of_sets(waiting, set),
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
        let mut won = Ok(false);
        position.for_each_step(rules, |step, removals| {
            let set = position.after(step).waiting;
            match removals {
                0 if matches!(won, Ok(false)) => won = quiet(set).map(&mut wins),
                0 => {}
                _ => closing[usize::from(removals) % 4].push(set),
            }
        });
        if won? {
            return Ok(Some(Wdl::Win));
        }
        for (removals, sets) in (0..).zip(&closing) {
            if sets.is_empty() {
                continue;
            }
            for left in left_after_removals(waiting, removals, rules) {
                if left.len() < u32::from(FEWEST_STONES) {
                    return Ok(Some(Wdl::Win));
                }
                for &set in sets {
                    if wins(self.of_sets(left, set)?) {
                        return Ok(Some(Wdl::Win));
                    }
                }
            }
        }
        Ok((!unknown).then_some(best))
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
