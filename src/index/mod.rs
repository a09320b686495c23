//! The position index: every table of positions is a matrix.
//!
//! A table holds the positions with `mover` stones of the side to move and `waiting` stones of the
//! other. Its **rows** are the mover's sets, one for each orbit of the 16 symmetries; its
//! **columns** are the other side's sets among the points that the mover leaves:
//!
//! ```text
//! row    = the orbit of the mover's set M; the symmetry g maps M to the row's set R
//! column = rank of pext(g(W), !R) among the subsets of 24 - mover points with `waiting` members
//! index  = row · columns + column
//! ```
//!
//! A row whose set R has a stabiliser holds each of its positions several times, at equivalent
//! columns.

mod bit_set;
#[cfg(feature = "build")]
mod counting;
pub mod histogram;
mod pair;
pub mod stages;

pub use bit_set::BitSet;
pub use pair::{Material, Pair, PairError};

use std::ops::Range;
use std::sync::OnceLock;

use crate::board::bits::{self, Bits};
use crate::board::symmetry::{Symmetry, stabiliser};
use crate::board::{POINTS, PointSet};
use crate::rules::MOST_STONES;

/// Subsets of a few points, numbered in the order of their bits read as a number.
///
/// `rank(s) = high[s >> 12] + low[s & 0xfff]`: the number of subsets with a smaller high part, and
/// the rank of the low part among those with the same number of members.
#[derive(Clone, Debug)]
pub struct Subsets {
    points: u32,
    members: u32,
    count: u32,
    high: Box<[u32; 1 << LOW_BITS]>,
}

const LOW_BITS: u32 = 12;
const LOW_MASK: usize = (1 << LOW_BITS) - 1;

/// The lowest bit of the outer ring, the highest of the three.
const OUTER_RING: u32 = 16;

/// The rank of each 12-bit pattern among those with the same number of bits.
static LOW: [u16; 1 << LOW_BITS] = {
    let mut next = [0; LOW_BITS as usize + 1];
    let mut low = [0; 1 << LOW_BITS];
    let mut pattern = 0;
    while pattern < low.len() {
        let members = pattern.count_ones() as usize;
        low[pattern] = next[members];
        next[members] += 1;
        pattern += 1;
    }
    low
};

/// The number of ways to choose `k` of `n`; 0 if `k > n`.
pub fn binomial(n: u32, k: u32) -> u32 {
    if k > n {
        return 0;
    }
    let product = (0..k.min(n - k)).fold(1u64, |product, i| {
        product * u64::from(n - i) / u64::from(i + 1)
    });
    product as u32
}

impl Subsets {
    /// The subsets with `members` members of a set of `points` ≤ 24 points.
    pub fn new(points: u32, members: u32) -> Subsets {
        Subsets::with_high(points, members, |_| true)
    }

    /// The subsets with the high parts that `is_counted` accepts. The others have no number, so only
    /// [`Subsets::rank`] and [`Subsets::count`] are right.
    fn with_high(points: u32, members: u32, is_counted: impl Fn(u32) -> bool) -> Subsets {
        let mut high = Box::new([0; 1 << LOW_BITS]);
        let mut count = 0;
        for (pattern, rank) in (0..1 << points.saturating_sub(LOW_BITS)).zip(high.iter_mut()) {
            *rank = count;
            if let Some(rest) = members.checked_sub(u32::count_ones(pattern))
                && is_counted(pattern)
            {
                count += binomial(points.min(LOW_BITS), rest);
            }
        }
        Subsets {
            points,
            members,
            count,
            high,
        }
    }

    /// The number of points to choose from.
    pub fn points(&self) -> u32 {
        self.points
    }

    /// The number of subsets.
    #[inline(always)]
    pub fn count(&self) -> usize {
        self.count as usize
    }

    /// The number of a subset, which must have the right number of members.
    #[inline(always)]
    pub fn rank(&self, subset: u32) -> usize {
        let low = usize::from(LOW[subset as usize & LOW_MASK]);
        low + self.high[(subset >> LOW_BITS) as usize & LOW_MASK] as usize
    }

    /// The subsets in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = u32> + use<> {
        self.range(0..self.count())
    }

    /// The subsets with these numbers, in their order.
    pub(crate) fn range(&self, numbers: Range<usize>) -> impl Iterator<Item = u32> + use<> {
        let first = (!numbers.is_empty()).then(|| self.subset(numbers.start));
        std::iter::successors(first, |&subset| next_subset(subset)).take(numbers.len())
    }

    /// The subset with this number, which must be below [`Subsets::count`].
    pub fn subset(&self, rank: usize) -> u32 {
        let mut rest = rank as u32;
        let mut subset = 0;
        let mut members = self.members;
        for point in (0..self.points).rev() {
            let without = binomial(point, members);
            if rest >= without && members > 0 {
                rest -= without;
                members -= 1;
                subset |= 1 << point;
            }
        }
        subset
    }
}

/// The next larger number with the same number of bits; `None` after zero.
fn next_subset(subset: u32) -> Option<u32> {
    let lowest = subset & subset.wrapping_neg();
    let carried = subset.checked_add(lowest)?;
    let moved = (subset ^ carried).checked_shr(2 + lowest.trailing_zeros())?;
    (subset != 0).then_some(carried | moved)
}

/// The sets of a number of stones, one for each orbit of the symmetries: the smallest set of each
/// orbit, in ascending order.
#[derive(Debug)]
pub struct Rows {
    sets: Vec<PointSet>,
    /// For each outer ring the symmetry that makes it the smallest, without an exchange of rings.
    turns: [Symmetry; 256],
    /// The numbers of the sets whose outer ring is the smallest, a fifth of all sets: their places
    /// stay in the processor's cache.
    ranks: Subsets,
    places: Vec<RowPlace>,
}

/// The row of a set, whether it [is symmetric](Rows::is_symmetric), and the symmetry that maps the
/// set to the row's set: row · 32 + is symmetric · 16 + number of the symmetry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct RowPlace(u32);

impl RowPlace {
    const UNKNOWN: RowPlace = RowPlace(u32::MAX);

    fn new(row: u32, is_symmetric: bool, symmetry: Symmetry) -> RowPlace {
        RowPlace(row << 5 | u32::from(is_symmetric) << 4 | symmetry.number())
    }

    #[inline(always)]
    pub fn row(self) -> usize {
        (self.0 >> 5) as usize
    }

    #[inline(always)]
    pub fn is_symmetric(self) -> bool {
        self.0 >> 4 & 1 == 1
    }

    #[inline(always)]
    pub fn symmetry(self) -> Symmetry {
        Symmetry::numbered(self.0)
    }

    /// The place of the set from which `turn` makes the set with this place.
    #[inline(always)]
    fn after(self, turn: Symmetry) -> RowPlace {
        RowPlace(self.0 & !0xf | self.symmetry().after(turn).number())
    }
}

impl Rows {
    /// The rows of sets with this many stones, 0 to 12. The first call computes them; they stay in
    /// memory.
    pub fn of(stones: u8) -> &'static Rows {
        static ROWS: [OnceLock<Rows>; MOST_STONES as usize + 1] =
            [const { OnceLock::new() }; MOST_STONES as usize + 1];
        let stones = stones.min(MOST_STONES);
        ROWS[usize::from(stones)].get_or_init(|| Rows::new(stones.into()))
    }

    fn new(stones: u32) -> Rows {
        let turns = std::array::from_fn(|outer| {
            let outer = PointSet::from_bits((outer as u32) << OUTER_RING);
            let turns = Symmetry::all().take(Symmetry::COUNT / 2);
            turns
                .min_by_key(|turn| turn.apply(outer))
                .unwrap_or(Symmetry::IDENTITY)
        });
        let is_smallest = |outer: u32| turns[outer as usize] == Symmetry::IDENTITY;
        let ranks = Subsets::with_high(POINTS, stones, |high| {
            is_smallest(high >> (OUTER_RING - LOW_BITS))
        });
        let mut sets = Vec::new();
        let mut places = vec![RowPlace::UNKNOWN; ranks.count()];
        for bits in Subsets::new(POINTS, stones).iter() {
            if !is_smallest(bits >> OUTER_RING) || places[ranks.rank(bits)] != RowPlace::UNKNOWN {
                continue;
            }
            let set = PointSet::from_bits(bits);
            let is_symmetric = stabiliser(set).nth(1).is_some();
            for symmetry in Symmetry::all() {
                let image = symmetry.apply(set).bits();
                if is_smallest(image >> OUTER_RING) {
                    let place = &mut places[ranks.rank(image)];
                    if *place == RowPlace::UNKNOWN {
                        *place = RowPlace::new(sets.len() as u32, is_symmetric, symmetry.inverse());
                    }
                }
            }
            sets.push(set);
        }
        Rows {
            sets,
            turns,
            ranks,
            places,
        }
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.sets.len()
    }

    /// The sets of the rows, in their order.
    pub fn iter(&self) -> impl Iterator<Item = PointSet> + '_ {
        self.sets.iter().copied()
    }

    /// Always false: there is at least one row.
    pub fn is_empty(&self) -> bool {
        self.sets.is_empty()
    }

    /// The set of a row.
    #[inline(always)]
    pub fn set(&self, row: usize) -> PointSet {
        self.sets[row]
    }

    /// Whether symmetries other than the identity leave the row's set as it is.
    #[inline(always)]
    pub fn is_symmetric(&self, row: usize) -> bool {
        self.place(self.set(row)).is_symmetric()
    }

    /// The row of a set, and the symmetry that maps the set to the row's set.
    #[inline(always)]
    pub fn find(&self, set: PointSet) -> (usize, Symmetry) {
        let place = self.place(set);
        (place.row(), place.symmetry())
    }

    /// The place of a set.
    #[inline(always)]
    pub(crate) fn place(&self, set: PointSet) -> RowPlace {
        let turn = self.turns[(set.bits() >> OUTER_RING) as usize & 0xff];
        self.places[self.ranks.rank(turn.apply(set).bits())].after(turn)
    }
}

/// The index of one table.
#[derive(Clone, Debug)]
pub struct Index {
    material: Material,
    rows: &'static Rows,
    columns: Subsets,
}

impl Index {
    /// The index of the table with this material, which has at most twelve stones a side.
    pub fn new(material: Material) -> Index {
        Index {
            material,
            rows: Rows::of(material.mover),
            columns: Subsets::new(POINTS - u32::from(material.mover), material.waiting.into()),
        }
    }

    /// The material of the table.
    pub fn material(&self) -> Material {
        self.material
    }

    /// The mover's sets.
    pub fn rows(&self) -> &'static Rows {
        self.rows
    }

    /// The waiting side's sets among the points that the mover leaves.
    pub fn columns(&self) -> &Subsets {
        &self.columns
    }

    /// The number of entries of the table.
    pub fn len(&self) -> usize {
        self.rows.len() * self.columns.count()
    }

    /// Always false: every table has entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The entry of the position with these sets of stones.
    pub fn find(&self, mover: PointSet, waiting: PointSet) -> usize {
        let (row, symmetry) = self.rows.find(mover);
        row * self.columns.count() + self.column(row, symmetry.apply(waiting))
    }

    /// The column of a set of the waiting side in a row.
    pub fn column(&self, row: usize, waiting: PointSet) -> usize {
        let free = !self.rows.set(row);
        self.columns.rank(bits::pext(waiting.bits(), free.bits()))
    }

    /// [`Index::column`] with the processor's operations, for hot loops.
    #[inline(always)]
    pub fn column_with<B: Bits>(&self, bits: B, row: usize, waiting: PointSet) -> usize {
        let free = !self.rows.set(row);
        self.columns.rank(bits.pext(waiting.bits(), free.bits()))
    }

    /// The sets of the mover and of the waiting side at an entry, which must be below
    /// [`Index::len`].
    pub fn sets(&self, entry: usize) -> (PointSet, PointSet) {
        let row = entry / self.columns.count();
        let subset = self.columns.subset(entry % self.columns.count());
        (self.rows.set(row), self.waiting(row, subset))
    }

    /// The waiting side's set of a column of a row, from the column's subset.
    pub(crate) fn waiting(&self, row: usize, subset: u32) -> PointSet {
        let free = !self.rows.set(row);
        PointSet::from_bits(bits::pdep(subset, free.bits()))
    }

    /// For a row with a stabiliser, marks each column that is the first of those that hold the same
    /// position; `None` for a row whose columns are all different positions.
    pub fn first_columns(&self, row: usize) -> Option<BitSet> {
        if !self.rows.is_symmetric(row) {
            return None;
        }
        let others: Vec<Symmetry> = stabiliser(self.rows.set(row)).skip(1).collect();
        let mut first = BitSet::new(self.columns.count());
        for (column, subset) in self.columns.iter().enumerate() {
            let waiting = self.waiting(row, subset);
            let mut images = others.iter().map(|symmetry| symmetry.apply(waiting));
            if images.all(|image| self.column(row, image) >= column) {
                first.insert(column);
            }
        }
        Some(first)
    }
}
