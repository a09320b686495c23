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
pub mod stages;

pub use bit_set::BitSet;

use std::cmp::{Ordering, Reverse};
use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;

use crate::board::bits::{self, Bits};
use crate::board::symmetry::{Symmetry, stabiliser};
use crate::board::{POINTS, PointSet};
use crate::rules::position::Position;
use crate::rules::{FEWEST_STONES, MOST_STONES, Rules};

/// All positions with these numbers of stones on the board and in hand, whoever is to move: two sectors,
/// or one if both sides have the same. Most pairs have no stones in hand; those of other rules than
/// [`moves_while_placing`](Rules::moves_while_placing) never have.
///
/// The side with more stones on the board and in hand together is the larger; if both have equally many, the
/// one with more on the board.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Pair {
    larger: SideStones,
    smaller: SideStones,
}

/// A side's stones.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct SideStones {
    on_board: u8,
    in_hand: u8,
}

impl SideStones {
    fn total(self) -> u8 {
        self.on_board + self.in_hand
    }

    fn order(self) -> (u8, u8) {
        (self.total(), self.on_board)
    }
}

impl PartialOrd for SideStones {
    fn partial_cmp(&self, other: &SideStones) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for SideStones {
    fn cmp(&self, other: &SideStones) -> Ordering {
        self.order().cmp(&other.order())
    }
}

impl Pair {
    /// The pair of two numbers of stones in either order, with none in hand; `None` unless both are from 3 to 12.
    pub fn new(a: u8, b: u8) -> Option<Pair> {
        Material::new(a, b).pair()
    }

    /// Checks that a game under the rules can come to the pair.
    ///
    /// # Errors
    ///
    /// A sentence, if it cannot.
    pub fn check(self, rules: &Rules) -> Result<(), String> {
        if self.larger.total() > rules.stones {
            return Err(format!(
                "there is no pair {self} under these rules: a side has at most {} stones",
                rules.stones
            ));
        }
        match self.has_hands() && !Pair::all(rules).contains(&self) {
            true => Err(format!("no game under these rules comes to {self}")),
            false => Ok(()),
        }
    }

    /// The stones of the larger side on the board.
    pub fn larger(self) -> u8 {
        self.larger.on_board
    }

    /// The stones of the smaller side on the board.
    pub fn smaller(self) -> u8 {
        self.smaller.on_board
    }

    /// The stones in hand of the larger and of the smaller side.
    pub fn in_hand(self) -> [u8; 2] {
        [self.larger.in_hand, self.smaller.in_hand]
    }

    /// The number of stones in hand of both sides.
    pub fn all_in_hand(self) -> u8 {
        self.larger.in_hand + self.smaller.in_hand
    }

    /// Whether a side has stones in hand.
    pub fn has_hands(self) -> bool {
        self.all_in_hand() > 0
    }

    /// The number of stones on the board.
    pub fn stones(self) -> u8 {
        self.larger() + self.smaller()
    }

    /// The pair's tables: the larger side to move, then the smaller; only one if both are equal, or if only one
    /// can occur: while a side has no stone on the board, it is that side's turn.
    pub fn tables(self) -> Vec<Material> {
        let first = Material::new(self.larger(), self.smaller()).with_hands(self.in_hand());
        let mut tables = vec![first, first.exchanged()];
        tables.retain(|table| table.occurs());
        tables.dedup();
        tables
    }

    /// The number of entries of its tables together.
    pub fn entries(self) -> u64 {
        self.tables().into_iter().map(Material::entries).sum()
    }

    /// The pairs that captures of one stone and placements lead to. Captures of several stones lead to pairs
    /// that these need.
    ///
    /// ```
    /// use millbase::{Pair, Rules};
    /// let names = |pair: &str, rules| {
    ///     let pair: Pair = pair.parse().unwrap();
    ///     pair.needs(&rules).iter().map(Pair::to_string).collect::<Vec<_>>()
    /// };
    /// assert_eq!(names("6-4", Rules::STANDARD), ["6-3", "5-4"]);
    /// assert_eq!(names("3-3", Rules::STANDARD), [""; 0]);
    /// assert_eq!(names("4-3+0-1", Rules::LASKER), ["4-2+0-1", "3-3+1-0", "4-4", "4-3"]);
    /// ```
    pub fn needs(self, rules: &Rules) -> Vec<Pair> {
        let one_each = Rules {
            removal_per_mill: false,
            ..*rules
        };
        let mut pairs: Vec<Pair> = Vec::new();
        for table in self.tables() {
            for pair in table
                .exits(&one_each)
                .into_iter()
                .filter_map(Material::pair)
            {
                if !pairs.contains(&pair) {
                    pairs.push(pair);
                }
            }
        }
        pairs
    }

    /// The pairs of a game under the rules, each after those that it needs: by the number of stones in hand, then of those on the board, the more unequal pairs first.
    pub fn all(rules: &Rules) -> Vec<Pair> {
        let most = rules.stones.min(MOST_STONES);
        if !rules.moves_while_placing {
            let sides = FEWEST_STONES..=most;
            let pairs = sides.flat_map(|larger| {
                (FEWEST_STONES..=larger).filter_map(move |smaller| Pair::new(larger, smaller))
            });
            return Pair::in_order(pairs.collect());
        }
        let start = Material::new(0, 0).with_hands([most; 2]).pair();
        Pair::with_needed(start.into_iter().collect(), rules)
    }

    /// These pairs and those that they need, each after those that it needs.
    pub(crate) fn with_needed(mut pairs: Vec<Pair>, rules: &Rules) -> Vec<Pair> {
        let mut found: HashSet<Pair> = pairs.iter().copied().collect();
        let mut next = 0;
        while let Some(pair) = pairs.get(next) {
            let needs = pair.needs(rules).into_iter();
            pairs.extend(needs.filter(|&pair| found.insert(pair)));
            next += 1;
        }
        pairs.sort_unstable();
        pairs.dedup();
        Pair::in_order(pairs)
    }

    /// The same pairs, each after those that it needs.
    fn in_order(mut pairs: Vec<Pair>) -> Vec<Pair> {
        pairs.sort_by_key(|&pair| (pair.all_in_hand(), pair.stones(), Reverse(pair)));
        pairs
    }
}

/// `6-4`, the larger side first, or with the stones in hand `6-4+0-1`.
impl fmt::Display for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = format!("{}-{}", self.larger(), self.smaller());
        if self.has_hands() {
            let [larger, smaller] = self.in_hand();
            text += &format!("+{larger}-{smaller}");
        }
        f.pad(&text)
    }
}

impl FromStr for Pair {
    type Err = PairError;

    fn from_str(text: &str) -> Result<Pair, PairError> {
        let two = |text: &str| -> Option<[u8; 2]> {
            let (a, b) = text.split_once('-')?;
            Some([a.parse().ok()?, b.parse().ok()?])
        };
        let (on_board, in_hand) = text.split_once('+').unwrap_or((text, "0-0"));
        let material = || {
            let [a, b] = two(on_board)?;
            Material::new(a, b).with_hands(two(in_hand)?).pair()
        };
        material().ok_or(PairError)
    }
}

/// The text is not a pair.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PairError;

impl fmt::Display for PairError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "a pair is two numbers of stones from {FEWEST_STONES} to {MOST_STONES}, like 6-4, or with stones in \
             hand, like 6-4+0-1"
        )
    }
}

impl std::error::Error for PairError {}

/// Identifies a table, a sector: the numbers of stones of the side to move and of the other side, on the board
/// and in hand.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Material {
    /// Stones of the side to move on the board.
    pub mover: u8,
    /// Stones of the waiting side on the board.
    pub waiting: u8,
    /// Stones in hand of the side to move.
    pub mover_in_hand: u8,
    /// Stones in hand of the waiting side.
    pub waiting_in_hand: u8,
}

impl Material {
    /// The material with these numbers of stones on the board, and none in hand.
    pub const fn new(mover: u8, waiting: u8) -> Material {
        Material {
            mover,
            waiting,
            mover_in_hand: 0,
            waiting_in_hand: 0,
        }
    }

    /// The same stones on the board with these in hand, the mover's first.
    #[must_use]
    pub const fn with_hands(self, [mover_in_hand, waiting_in_hand]: [u8; 2]) -> Material {
        Material {
            mover_in_hand,
            waiting_in_hand,
            ..self
        }
    }

    /// The material of two sets, with no stones in hand.
    pub fn of(mover: PointSet, waiting: PointSet) -> Material {
        Material::new(mover.len() as u8, waiting.len() as u8)
    }

    /// The material of a position.
    pub(crate) fn of_position(position: &Position) -> Material {
        let hands = [position.mover_in_hand, position.waiting_in_hand];
        Material::of(position.mover, position.waiting).with_hands(hands)
    }

    /// The position of these sets, which have these numbers of stones, White to move.
    pub fn position(self, mover: PointSet, waiting: PointSet) -> Position {
        Position {
            mover_in_hand: self.mover_in_hand,
            waiting_in_hand: self.waiting_in_hand,
            ..Position::moving(mover, waiting)
        }
    }

    /// The same stones with the other side to move.
    #[must_use]
    pub fn exchanged(self) -> Material {
        Material::new(self.waiting, self.mover)
            .with_hands([self.waiting_in_hand, self.mover_in_hand])
    }

    fn sides(self) -> [SideStones; 2] {
        [
            (self.mover, self.mover_in_hand),
            (self.waiting, self.waiting_in_hand),
        ]
        .map(|(on_board, in_hand)| SideStones { on_board, in_hand })
    }

    /// The stones that the mover and the waiting side have on the board and in hand together.
    pub(crate) fn totals(self) -> [u8; 2] {
        self.sides().map(SideStones::total)
    }

    /// Whether a side has stones in hand.
    pub(crate) fn has_hands(self) -> bool {
        self.mover_in_hand + self.waiting_in_hand > 0
    }

    /// Whether games come to the table: while a side has no stone on the board, it is that side's turn.
    pub(crate) fn occurs(self) -> bool {
        self.waiting > 0 || self.mover == 0
    }

    /// Whether the table is the second of its pair's [tables](Pair::tables).
    pub(crate) fn is_second(self) -> bool {
        let [mover, waiting] = self.sides();
        mover < waiting && self.exchanged().occurs()
    }

    /// The pair that the table belongs to, `None` if a side has fewer than three stones in all or more
    /// than twelve.
    pub fn pair(self) -> Option<Pair> {
        let [a, b] = self.sides();
        let valid = FEWEST_STONES..=MOST_STONES;
        let is_valid = |side: SideStones| {
            let total = side.on_board.checked_add(side.in_hand);
            total.is_some_and(|total| valid.contains(&total))
        };
        (is_valid(a) && is_valid(b)).then(|| Pair {
            larger: a.max(b),
            smaller: a.min(b),
        })
    }

    /// The number of entries of the table, as [`Index::len`] but without creating the index; 0 if
    /// the mover has more than 12 stones.
    pub fn entries(self) -> u64 {
        /// The number of orbits that the sets of 0 to 12 stones form.
        const ROWS: [u64; 13] = [
            1, 4, 30, 158, 757, 2830, 8774, 22188, 46879, 82880, 124_124, 157_668, 170_854,
        ];
        let rows = ROWS.get(usize::from(self.mover));
        let columns = || binomial(POINTS - u32::from(self.mover), self.waiting.into());
        rows.map_or(0, |rows| rows * u64::from(columns()))
    }

    /// The tables that the mover's captures lead to: after one removal, after two, and so on, up to
    /// the most that a turn earns, as long as three stones are left, so that the game goes on.
    ///
    /// ```
    /// use millbase::{Material, Rules};
    /// let material = Material::new;
    /// let each = Rules { removal_per_mill: true, ..Rules::STANDARD };
    /// assert_eq!(material(4, 5).after_captures(&Rules::STANDARD), [material(4, 4)]);
    /// assert_eq!(material(4, 5).after_captures(&each), [material(4, 4), material(3, 4)]);
    /// assert_eq!(material(4, 3).after_captures(&each), []);
    /// ```
    pub fn after_captures(self, rules: &Rules) -> Vec<Material> {
        let [_, waiting] = self.totals();
        let spare = match self.mover < FEWEST_STONES {
            // Two stones make no mill.
            true => 0,
            false => waiting.saturating_sub(FEWEST_STONES).min(self.waiting),
        };
        let left = |removed| Material {
            waiting: self.waiting - removed,
            ..self
        };
        (1..=rules.most_removals().min(spare))
            .map(|removed| left(removed).exchanged())
            .collect()
    }

    /// The material after a placement, before its removals and with the same side to move; `None` if the mover has
    /// nothing to place.
    pub(crate) fn placed(self) -> Option<Material> {
        Some(Material {
            mover: self.mover + 1,
            mover_in_hand: self.mover_in_hand.checked_sub(1)?,
            ..self
        })
    }

    /// The tables that the mover's turns other than quiet ones lead to: those
    /// [after captures](Material::after_captures) by a moved stone and, if the mover has stones in hand, that after
    /// a placement without a mill, and those after placements with captures.
    pub(crate) fn exit_groups(self, rules: &Rules) -> Vec<Vec<Material>> {
        let mut groups = vec![self.after_captures(rules)];
        if let Some(placed) = self.placed() {
            groups.push(vec![placed.exchanged()]);
            groups.push(placed.after_captures(rules));
        }
        groups
    }

    /// The tables that the mover's turns other than quiet ones lead to: those after captures by a moved stone, that
    /// after a placement without a mill, and those after placements with captures.
    pub fn exits(self, rules: &Rules) -> Vec<Material> {
        self.exit_groups(rules).concat()
    }
}

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
        let mut high = Box::new([0; 1 << LOW_BITS]);
        let mut before = 0;
        for (pattern, rank) in high
            .iter_mut()
            .enumerate()
            .take(1 << points.saturating_sub(LOW_BITS))
        {
            *rank = before;
            if let Some(rest) = members.checked_sub(pattern.count_ones()) {
                before += binomial(points.min(LOW_BITS), rest);
            }
        }
        Subsets {
            points,
            members,
            count: binomial(points, members),
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
        let end = 1u32 << self.points;
        let first = (1u32 << self.members) - 1;
        std::iter::successors(Some(first), move |&subset| next_subset(subset))
            .take_while(move |&subset| subset < end)
            .take(self.count())
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

/// The sets of a number of stones, one for each orbit of the symmetries: the smallest of the orbit's
/// sets, in their order.
#[derive(Debug)]
pub struct Rows {
    sets: Vec<PointSet>,
    /// The place of the set of each rank.
    by_rank: Vec<RowPlace>,
    ranks: Subsets,
}

/// The row of a set, whether it [is symmetric](Rows::is_symmetric), and the symmetry that maps the set to
/// the row's set: row · 32 + is symmetric · 16 + number of the symmetry.
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
        let ranks = Subsets::new(POINTS, stones);
        let mut sets = Vec::new();
        let mut by_rank = vec![RowPlace::UNKNOWN; ranks.count()];
        for (rank, bits) in ranks.iter().enumerate() {
            if by_rank[rank] != RowPlace::UNKNOWN {
                continue;
            }
            let set = PointSet::from_bits(bits);
            let is_symmetric = stabiliser(set).nth(1).is_some();
            for symmetry in Symmetry::all() {
                let image = &mut by_rank[ranks.rank(symmetry.apply(set).bits())];
                if *image == RowPlace::UNKNOWN {
                    *image = RowPlace::new(sets.len() as u32, is_symmetric, symmetry.inverse());
                }
            }
            sets.push(set);
        }
        Rows {
            sets,
            by_rank,
            ranks,
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

    /// The row of each set of the size, in the order of their bits.
    pub(crate) fn by_rank(&self) -> impl Iterator<Item = usize> + '_ {
        self.by_rank.iter().map(|place| place.row())
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
        self.by_rank[self.ranks.rank(set.bits())]
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
        let mover = self.rows.set(entry / self.columns.count());
        let subset = self.columns.subset(entry % self.columns.count());
        (
            mover,
            PointSet::from_bits(bits::pdep(subset, (!mover).bits())),
        )
    }

    /// For a row with a stabiliser, marks each column that is the first of those that hold the same
    /// position; `None` for a row whose columns are all different positions.
    pub fn first_columns(&self, row: usize) -> Option<BitSet> {
        if !self.rows.is_symmetric(row) {
            return None;
        }
        let mover = self.rows.set(row);
        let others: Vec<Symmetry> = stabiliser(mover).skip(1).collect();
        let mut first = BitSet::new(self.columns.count());
        for (column, subset) in self.columns.iter().enumerate() {
            let waiting = PointSet::from_bits(bits::pdep(subset, (!mover).bits()));
            let mut images = others.iter().map(|symmetry| symmetry.apply(waiting));
            if images.all(|image| self.column(row, image) >= column) {
                first.insert(column);
            }
        }
        Some(first)
    }
}
