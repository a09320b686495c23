//! The context of an entry: the facts known before its value, which select the distribution that
//! codes it.

use std::ops::Range;
use std::sync::{Arc, LazyLock, OnceLock};

use super::coverage::{BLACK, Coverage};
use super::{DRAWN, LOST, Parameters, UNKNOWN, WON};
use crate::board::{Board, POINTS, Point, PointSet, bits, mask_where};
use crate::index::{Index, Material};
use crate::rules::Rules;

/// The most columns that a block may have.
pub(crate) const MOST_COLUMNS: usize = *Parameters::COLUMNS.end() as usize;

/// The symbols of a block by place; [`UNKNOWN`] where no symbol is known yet, and from
/// [`MOST_COLUMNS`] on. A `u16` indexes an array of this size without a check of bounds.
pub(crate) type Symbols = [u8; 1 << u16::BITS];

/// Memory that is reused for each block.
pub(crate) struct BlockScratch {
    /// All [`UNKNOWN`] between two blocks.
    pub symbols: Box<Symbols>,
    pub places: Vec<u16>,
}

impl Default for BlockScratch {
    fn default() -> BlockScratch {
        BlockScratch {
            symbols: Box::new([UNKNOWN; 1 << u16::BITS]),
            places: Vec::new(),
        }
    }
}

/// The part of the contexts that all rows of a table share.
#[derive(Debug)]
pub(crate) struct TableShape {
    pub coverage: Coverage,
    /// The stored rows of the index, ascending; `None` if all are stored.
    rows: Option<Arc<[u32]>>,
    pub parameters: Parameters,
    pub index: Index,
    /// The first column of each block, followed by the number of columns.
    starts: Vec<u32>,
    /// The requested blocks: a game needs few of a table's blocks.
    blocks: Box<[OnceLock<BlockShape>]>,
    /// 2^64 divided by the number of columns, rounded up.
    reciprocal: u64,
    patterns: &'static Patterns,
}

/// The part of the contexts that a block has in common with the same block of all rows.
#[derive(Debug)]
pub(crate) struct BlockShape {
    start: usize,
    /// The subset of each column.
    pub(super) subsets: Box<[u32]>,
    /// For each column the places of its near columns in the block, as many numbers as a context
    /// uses; [`MOST_COLUMNS`] for none.
    near: Box<[u16]>,
}

/// The patterns of a board that the contexts need.
#[derive(Debug)]
struct Patterns {
    slides: Vec<[Point; 2]>,
    /// The ways to close a mill: the stones that each needs, and the point where it closes the
    /// mill. A slide needs the line's two other stones and one on a neighbour of the point, a
    /// placement only the two.
    threats: Vec<(PointSet, Point)>,
    points: [PointPatterns; POINTS as usize],
}

/// The slides and threats that touch a point: one bit for each, at most 64.
#[derive(Clone, Copy, Debug)]
struct PointPatterns {
    /// The slides that start, and those that end, on the point.
    from: u64,
    to: u64,
    /// The threats that need a stone on the point, and those that close a mill there.
    stones: u64,
    point: u64,
}

/// The bits of a subset that are looked up together.
const GROUP: usize = 6;

/// The part of the contexts that all columns of a row share.
pub(crate) struct RowShape {
    /// For each group of bits of a subset the slides and the threats that they permit.
    permitted: [[Permitted; 1 << GROUP]; 4],
    /// The bits of a subset that a slide changes; none for no slide.
    slide_bits: [u32; 65],
    /// The points outside the row's set.
    free: PointSet,
    /// As bits of a subset: the points where the mover can close a mill, and the black points.
    closing: u32,
    black: u32,
    odd: u32,
}

/// One bit for each slide and threat.
#[derive(Clone, Copy)]
pub(super) struct Permitted {
    slides: u64,
    threats: u64,
}

impl std::ops::BitAnd for Permitted {
    type Output = Permitted;

    #[inline(always)]
    fn bitand(self, other: Permitted) -> Permitted {
        Permitted {
            slides: self.slides & other.slides,
            threats: self.threats & other.threats,
        }
    }
}

impl RowShape {
    /// The slides and the threats of a subset of the waiting side.
    #[inline(always)]
    pub(super) fn permitted(&self, subset: u32) -> Permitted {
        let part = |i: usize| self.permitted[i][(subset >> (GROUP * i)) as usize % (1 << GROUP)];
        part(0) & part(1) & part(2) & part(3)
    }
}

/// The features of the facts known before an entry's value.
#[derive(Clone, Copy, Default)]
pub(crate) struct Context {
    /// *near*, *best* and *worst* in a file with depths; *near*, *slides* and *far* in one without.
    pub features: [u8; 3],
    pub class: u8,
}

/// The facts known before an entry's value: symbols, and the counts of the class.
pub(super) struct Facts<const NEAR: usize, const SLIDES: usize> {
    /// The symbols of the near columns, nearest first, and after slides.
    pub near: [u8; NEAR],
    pub after_slides: [u8; SLIDES],
    /// The number of the waiting side's ways to close a mill, and of points where the mover can.
    pub threats: u8,
    pub closing: u8,
}

impl<const NEAR: usize, const SLIDES: usize> Facts<NEAR, SLIDES> {
    /// The context of these facts; `last` is the symbol coded before.
    #[inline(always)]
    pub(super) fn context<const DEPTHS: bool>(self, last: u8) -> Context {
        Context {
            features: match DEPTHS {
                true => self.of_depths(last),
                false => self.of_results(last),
            },
            class: 4 * self.threats.min(2) + self.closing.min(3),
        }
    }

    /// The symbols of the near columns, with the one before in place of an unknown one.
    #[inline(always)]
    fn near_known(&self, mut known: u8) -> [u8; NEAR] {
        self.near.map(|near| {
            known = if near == UNKNOWN { known } else { near };
            known
        })
    }

    /// *near*, *best* and *worst*.
    #[inline(always)]
    fn of_depths(&self, last: u8) -> [u8; 3] {
        let (mut best, mut worst) = (UNKNOWN, 0);
        for symbol in self.after_slides {
            best = best.min(symbol);
            worst = worst.max(symbol.wrapping_add(1));
        }
        [median(self.near_known(last)), best, worst.wrapping_sub(1)]
    }

    /// *near*, *slides* and *far*. There are only three symbols, so sums and counts say more than a median and
    /// extremes.
    #[inline(always)]
    fn of_results(&self, last: u8) -> [u8; 3] {
        // With bytes the compiler would collect the symbols in a vector, which takes a single entry longer.
        const WEIGHTS: [u32; 5] = [5, 4, 3, 2, 2];
        let known = self.near_known(if last == UNKNOWN { DRAWN } else { last });
        let (nearest, others) = known.split_at(WEIGHTS.len());
        let weighted = nearest.iter().zip(WEIGHTS);
        let weighted = weighted.map(|(&symbol, weight)| u32::from(symbol) * weight);
        let near: u32 = weighted.sum();
        let far: u32 = others.iter().copied().map(u32::from).sum();
        let count = |symbol: u8| {
            let same = self.after_slides.map(|after| u32::from(after == symbol));
            same.into_iter().sum::<u32>()
        };
        let losses_to_wins = SLIDES as u32 + count(LOST) - count(WON);
        [
            near as u8,
            (8 * losses_to_wins + count(DRAWN)) as u8,
            far as u8,
        ]
    }
}

/// The number of classes: 0, 1 or at least 2 threats, times 0, 1, 2 or at least 3 points to close a
/// mill.
pub(crate) const CLASSES: usize = 12;

impl Patterns {
    /// The patterns of the rules' board if stones close mills by slides or, with `from_hand`, by
    /// placements. All tables share them, so they stay in the processor's cache when another table
    /// is used.
    fn of(rules: &Rules, from_hand: bool) -> &'static Patterns {
        static ALL: [LazyLock<Patterns>; 4] = [
            LazyLock::new(|| Patterns::new(Board::orthogonal(), false)),
            LazyLock::new(|| Patterns::new(Board::diagonal(), false)),
            LazyLock::new(|| Patterns::new(Board::orthogonal(), true)),
            LazyLock::new(|| Patterns::new(Board::diagonal(), true)),
        ];
        &ALL[2 * usize::from(from_hand) + usize::from(rules.diagonals)]
    }

    fn new(board: &Board, from_hand: bool) -> Patterns {
        let slides: Vec<[Point; 2]> = Point::all()
            .flat_map(|from| board.neighbours(from).into_iter().map(move |to| [from, to]))
            .filter(|&[from, to]| to < from)
            .take(64)
            .collect();
        let mut threats = Vec::new();
        for &line in board.lines() {
            for point in line {
                let others = line.without(point);
                let thirds = (board.neighbours(point) - line).into_iter();
                let by_slide = thirds.map(|third| others.with(third));
                let stones: Vec<PointSet> = match from_hand {
                    false => by_slide.collect(),
                    true => vec![others],
                };
                threats.extend(stones.into_iter().map(|stones| (stones, point)));
            }
        }
        threats.truncate(64);
        let points = std::array::from_fn(|bit| {
            let here = Point::all().nth(bit);
            let is = |point: Point| Some(point) == here;
            PointPatterns {
                from: mask_where(&slides, |&[from, _]| is(from)),
                to: mask_where(&slides, |&[_, to]| is(to)),
                stones: mask_where(&threats, |&(stones, _)| stones.into_iter().any(is)),
                point: mask_where(&threats, |&(_, point)| is(point)),
            }
        });
        Patterns {
            slides,
            threats,
            points,
        }
    }
}

impl TableShape {
    pub fn new(
        rules: &Rules,
        material: Material,
        coverage: Coverage,
        parameters: Parameters,
    ) -> TableShape {
        let index = Index::new(material);
        let columns = index.columns().count();
        let starts = starts(columns, parameters.columns.into());
        // Only tables of the placing phase mark possible sets.
        let from_hand = matches!(coverage, Coverage::Possible(..));
        TableShape {
            rows: coverage.rows(material.mover),
            coverage,
            parameters,
            blocks: starts[1..].iter().map(|_| OnceLock::new()).collect(),
            starts,
            reciprocal: (u64::MAX / columns as u64).wrapping_add(1),
            index,
            patterns: Patterns::of(rules, from_hand),
        }
    }

    /// The number of stored rows.
    pub fn stored_rows(&self) -> usize {
        let all = || self.index.rows().len();
        self.rows.as_ref().map_or_else(all, |rows| rows.len())
    }

    /// The row of the index that is stored at this place.
    pub fn row_at(&self, place: usize) -> usize {
        match &self.rows {
            Some(rows) => rows[place] as usize,
            None => place,
        }
    }

    /// The place of a row of the index among those that are stored.
    #[inline]
    pub fn place_of(&self, row: usize) -> Option<usize> {
        match &self.rows {
            Some(rows) => rows.binary_search(&(row as u32)).ok(),
            None => Some(row),
        }
    }

    /// The shape of a block.
    #[inline]
    pub fn block(&self, block: usize) -> &BlockShape {
        self.blocks[block].get_or_init(|| {
            let columns = self.columns_of(block);
            let subsets: Box<[u32]> = self.index.columns().range(columns.clone()).collect();
            BlockShape {
                start: columns.start,
                near: self.near_places(columns.start, &subsets),
                subsets,
            }
        })
    }

    /// For each column of a block the places of the nearest columns before it that differ in the
    /// place of one stone, nearest first, filled up with [`MOST_COLUMNS`].
    ///
    /// Columns are in the order of their subsets as numbers. Moving a stone from bit p to an empty
    /// bit q below lowers the number by 2^p - 2^q, less than 2^p and at least half of it: so the
    /// nearest columns come from the lowest stones, and for each of them from the highest bits.
    fn near_places(&self, start: usize, subsets: &[u32]) -> Box<[u16]> {
        let [count, _] = self.parameters.contexts().map(usize::from);
        let columns = self.index.columns();
        let mut near = Vec::with_capacity(subsets.len() * count);
        for &subset in subsets {
            let stones = bits::Ones(subset.into()).map(|bit| 1 << bit);
            let moved = stones.flat_map(|stone: u32| {
                each_bit_down(!subset & (stone - 1)).map(move |empty| subset ^ stone ^ empty)
            });
            let places = moved.map_while(|other| columns.rank(other).checked_sub(start));
            let end = near.len() + count;
            near.extend(places.take(count).map(|place| place as u16));
            near.resize(end, MOST_COLUMNS as u16);
        }
        near.into()
    }

    /// The number of blocks of a row.
    pub fn blocks(&self) -> usize {
        self.blocks.len()
    }

    /// The block with this column, and its columns.
    ///
    /// That is the last block that starts at the column or before it: `((column + 1) · blocks - 1)
    /// / columns`. Dividing takes a tenth of a look-up; multiplication by the reciprocal is exact
    /// while `columns² · blocks` is below 2^64. With one stone against ten, `(column + 1) · blocks` exceeds 2^32.
    #[inline]
    pub fn block_with(&self, column: usize) -> (usize, Range<usize>) {
        let number = (column as u64 + 1) * self.blocks() as u64 - 1;
        let block = (number as u128 * u128::from(self.reciprocal)) >> 64;
        (block as usize, self.columns_of(block as usize))
    }

    /// The columns of a row's block.
    #[inline]
    pub fn columns_of(&self, block: usize) -> Range<usize> {
        self.starts[block] as usize..self.starts[block + 1] as usize
    }

    /// The part of the contexts that all columns of the row with this set share.
    pub fn row(&self, mover: PointSet) -> RowShape {
        let Patterns {
            slides,
            threats,
            points,
        } = self.patterns;
        let free = !mover;
        let mut all = Permitted {
            slides: first_bits(slides.len()),
            threats: first_bits(threats.len()),
        };
        let mut own = all.threats;
        for point in mover {
            let touching = &points[point.bit() as usize];
            all.slides &= !(touching.from | touching.to);
            all.threats &= !(touching.stones | touching.point);
            own &= !touching.point;
        }
        let mut permitted = [[all; 1 << GROUP]; 4];
        let mut bit_of = [0; POINTS as usize];
        let mut black = 0;
        for (i, point) in free.into_iter().enumerate() {
            bit_of[point.bit() as usize] = 1 << i;
            black |= u32::from(BLACK.contains(point)) << i;
            let touching = &points[point.bit() as usize];
            own &= !touching.stones;
            let empty = Permitted {
                slides: !touching.from,
                threats: !touching.stones,
            };
            let stone = Permitted {
                slides: !touching.to,
                threats: !touching.point,
            };
            // The group's numbers below this bit, and the same numbers with the bit.
            let numbers = &mut permitted[i / GROUP];
            let (without, with) = numbers.split_at_mut(1 << (i % GROUP));
            for (without, with) in without.iter_mut().zip(with) {
                *with = *without & stone;
                *without = *without & empty;
            }
        }
        let mut slide_bits = [0; 65];
        for (bits, &[from, to]) in slide_bits.iter_mut().zip(slides) {
            *bits = bit_of[from.bit() as usize] | bit_of[to.bit() as usize];
        }
        let closing = bits::Ones(own).map(|i| bit_of[threats[i].1.bit() as usize]);
        RowShape {
            permitted,
            slide_bits,
            free,
            closing: closing.fold(0, |bits, bit| bits | bit),
            black,
            odd: (mover & BLACK).len() % 2,
        }
    }

    /// Whether a column of the row is stored.
    #[inline(always)]
    pub fn holds(&self, row: &RowShape, column: usize) -> bool {
        let (block, columns) = self.block_with(column);
        self.holds_subset(row, self.block(block).subsets[column - columns.start])
    }

    #[inline(always)]
    fn holds_subset(&self, row: &RowShape, subset: u32) -> bool {
        let even = (subset & row.black).count_ones() % 2 == row.odd;
        match &self.coverage {
            Coverage::All => true,
            Coverage::EvenOrClosing => even | (row.closing & !subset != 0),
            Coverage::EvenMover => row.odd == 0,
            Coverage::EvenBoth => even & (row.odd == 0),
            Coverage::Possible(_, sets) => {
                let waiting = bits::pdep(subset, row.free.bits());
                sets.contains(PointSet::from_bits(waiting))
            }
        }
    }

    /// Fills `places` with the stored places among the first `length` of a block.
    pub(crate) fn places(
        &self,
        row: &RowShape,
        block: &BlockShape,
        length: usize,
        places: &mut Vec<u16>,
    ) {
        places.clear();
        // Rows that are not stored are never requested.
        if matches!(self.coverage, Coverage::All | Coverage::EvenMover) {
            places.extend(0..length as u16);
            return;
        }
        places.resize(length, 0);
        let mut stored = 0;
        for (place, &subset) in (0..).zip(&block.subsets[..length]) {
            places[stored] = place;
            stored += usize::from(self.holds_subset(row, subset));
        }
        places.truncate(stored);
    }

    /// The context of the column at a place of a block; `last` is the symbol coded before. `DEPTHS`
    /// says whether the file has depths; `NEAR` and `SLIDES` are those of the parameters.
    #[inline(always)]
    pub(crate) fn context<const DEPTHS: bool, const NEAR: usize, const SLIDES: usize>(
        &self,
        row: &RowShape,
        block: &BlockShape,
        symbols: &Symbols,
        place: usize,
        last: u8,
    ) -> Context {
        let permitted = row.permitted(block.subsets[place]);
        let facts = self.facts::<NEAR, SLIDES>(row, block, permitted, symbols, place);
        facts.context::<DEPTHS>(last)
    }

    /// The facts of the column at a place of a block; `permitted` are its slides and threats.
    #[inline(always)]
    pub(super) fn facts<const NEAR: usize, const SLIDES: usize>(
        &self,
        row: &RowShape,
        block: &BlockShape,
        permitted: Permitted,
        symbols: &Symbols,
        place: usize,
    ) -> Facts<NEAR, SLIDES> {
        let subset = block.subsets[place];
        let Permitted {
            mut slides,
            threats,
        } = permitted;
        let columns = self.index.columns();
        let mut near = [UNKNOWN; NEAR];
        for (near, &place) in near.iter_mut().zip(&block.near[place * NEAR..][..NEAR]) {
            *near = symbols[usize::from(place)];
        }
        Facts {
            near,
            after_slides: [(); SLIDES].map(|()| {
                let after = subset ^ row.slide_bits[slides.trailing_zeros() as usize];
                slides &= slides.wrapping_sub(1);
                // Negative if the column is in an earlier block; then the upper half makes it a
                // place without a symbol. There is no branch, as many slides lead to an earlier
                // block and many do not.
                let place = columns.rank(after).wrapping_sub(block.start) as u32;
                symbols[usize::from((place | place >> u16::BITS) as u16)]
            }),
            threats: threats.count_ones() as u8,
            closing: (row.closing & !subset).count_ones() as u8,
        }
    }
}

/// The first column of each block, followed by the number of columns: as few blocks as possible,
/// with sizes that differ by at most one.
fn starts(columns: usize, most: usize) -> Vec<u32> {
    let blocks = columns.div_ceil(most);
    let start = |block: usize| (block as u64 * columns as u64 / blocks as u64) as u32;
    (0..=blocks).map(start).collect()
}

/// A word with this many bits, the lowest ones, at most 64.
fn first_bits(count: usize) -> u64 {
    u64::MAX.checked_shr(64 - count as u32).unwrap_or(0)
}

fn each_bit_down(bits: u32) -> impl Iterator<Item = u32> {
    let highest = |bits: u32| bits.checked_ilog2().map(|bit| 1 << bit);
    std::iter::successors(highest(bits), move |&bit| highest(bits & (bit - 1)))
}

/// The median of an odd number of symbols.
#[inline(always)]
fn median<const NEAR: usize>(mut near: [u8; NEAR]) -> u8 {
    if let [a, b, c, d, e] = near[..] {
        let (low, high) = (a.min(b).max(c.min(d)), a.max(b).min(c.max(d)));
        return low.max(high).min(low.min(high).max(e));
    }
    near.sort_unstable();
    near[NEAR / 2]
}
