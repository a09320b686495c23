//! What is known of an entry before its value: the context, from which a model tells how likely
//! each value is.

use std::cmp::Reverse;
use std::ops::Range;
use std::sync::LazyLock;

use super::stored::{BLACK, Stored};
use super::{Effort, UNKNOWN};
#[cfg(feature = "build")]
use super::{coder::Scratch, key};
use crate::board::{Board, POINTS, Point, PointSet};
use crate::index::{Index, Material, Subsets};
use crate::rules::Rules;

/// The most columns that a block may have.
pub(super) const MOST_COLUMNS: usize = 2 * Effort::MAX.columns as usize;

/// The keys of a block by place. What is not known yet and the last place are [`UNKNOWN`]; all are
/// between two blocks.
pub(super) type Keys = [u8; MOST_COLUMNS + 1];

/// What the contexts of a table need that is the same for all its rows.
#[derive(Debug)]
pub(crate) struct Shape {
    stored: Stored,
    effort: Effort,
    columns: Subsets,
    /// Of each column its subset.
    subsets: Vec<u32>,
    /// Of each column the places of its near columns in its block, `effort.near` numbers;
    /// [`MOST_COLUMNS`] for none.
    near: Vec<u16>,
    patterns: &'static Patterns,
}

/// What the contexts need of a board.
#[derive(Debug)]
struct Patterns {
    slides: Vec<[Point; 2]>,
    threats: Vec<Threat>,
    /// By stones on a ring.
    rings: [[Ring; 256]; 3],
}

/// Three stones, of which two and the point make a mill when the third slides there.
#[derive(Debug)]
struct Threat {
    stones: PointSet,
    point: Point,
}

/// One bit for each slide or threat, 64 at most.
#[derive(Clone, Copy, Default, Debug)]
struct Ring {
    /// Slides that start, and that end on one of the stones.
    from: u64,
    to: u64,
    /// Threats for which these stones are right, and threats with some point among them.
    open: u64,
    touched: u64,
}

/// What is the same for all columns of a row.
pub(crate) struct Row {
    /// By six bits of a subset: the points.
    spread: [[u32; 64]; 4],
    /// The bits of a subset that a slide changes; none for no slide.
    slide_bits: [u32; 65],
    slides: u64,
    threats: u64,
    /// Bits of a subset: where the mover can close a mill; black points.
    closing: u32,
    black: u32,
    odd: u32,
}

/// What is known of an entry before its value, in keys and a class.
#[derive(Clone, Copy)]
pub(super) struct Context {
    pub near: u8,
    pub best: u8,
    pub worst: u8,
    pub class: u8,
}

/// The number of classes: 0 to 2 or more threats, by 0 to 3 or more points to close a mill.
pub(super) const CLASSES: usize = 12;

impl Patterns {
    /// Those of the rules' board, which all tables share: they stay in the processor's cache when
    /// one table is used after another.
    fn of(rules: &Rules) -> &'static Patterns {
        static ORTHOGONAL: LazyLock<Patterns> =
            LazyLock::new(|| Patterns::new(Board::orthogonal()));
        static DIAGONAL: LazyLock<Patterns> = LazyLock::new(|| Patterns::new(Board::diagonal()));
        match rules.diagonals {
            false => &ORTHOGONAL,
            true => &DIAGONAL,
        }
    }

    fn new(board: &Board) -> Patterns {
        let slides: Vec<[Point; 2]> = Point::all()
            .flat_map(|from| board.neighbours(from).into_iter().map(move |to| [from, to]))
            .filter(|&[from, to]| to < from)
            .take(64)
            .collect();
        let mut threats = Vec::new();
        for &line in board.lines() {
            for point in line {
                let others = line.without(point);
                threats.extend(
                    (board.neighbours(point) - line)
                        .into_iter()
                        .map(|third| Threat {
                            stones: others.with(third),
                            point,
                        }),
                );
            }
        }
        threats.truncate(64);
        let rings = std::array::from_fn(|ring| {
            let whole = PointSet::from_bits(0xff << (8 * ring));
            std::array::from_fn(|byte| {
                let stones = PointSet::from_bits((byte as u32) << (8 * ring));
                Ring {
                    from: bits_where(&slides, |&[from, _]| stones.contains(from)),
                    to: bits_where(&slides, |&[_, to]| stones.contains(to)),
                    open: bits_where(&threats, |threat| {
                        (threat.stones & whole).is_subset(stones) && !stones.contains(threat.point)
                    }),
                    touched: bits_where(&threats, |threat| {
                        !(threat.stones.with(threat.point) & stones).is_empty()
                    }),
                }
            })
        });
        Patterns {
            slides,
            threats,
            rings,
        }
    }

    #[inline(always)]
    fn rings(&self, stones: u32) -> [&Ring; 3] {
        let byte = |ring: usize| (stones >> (8 * ring)) as usize & 0xff;
        [0, 1, 2].map(|ring| &self.rings[ring][byte(ring)])
    }
}

impl Shape {
    pub fn new(rules: &Rules, material: Material, stored: Stored, effort: Effort) -> Shape {
        let columns = Index::new(material).columns().clone();
        let mut shape = Shape {
            stored,
            effort,
            subsets: columns.iter().collect(),
            columns,
            near: Vec::new(),
            patterns: Patterns::of(rules),
        };
        shape.near = shape.near_places();
        shape
    }

    /// Of each column the places in its block of the nearest columns before it that differ in the
    /// place of one stone, nearest first, [`MOST_COLUMNS`] where there are no more.
    fn near_places(&self) -> Vec<u16> {
        let count = self.effort.near.into();
        let mut near = Vec::with_capacity(self.subsets.len() * count);
        let mut places: Vec<u16> = Vec::new();
        for (column, &subset) in self.subsets.iter().enumerate() {
            let start = self.columns_of(self.block_of(column)).start;
            places.clear();
            for stone in each_bit(subset) {
                let others = each_bit(!subset & (stone - 1)).map(|empty| subset ^ stone ^ empty);
                let columns = others.map(|other| self.columns.rank(other));
                let places_of = columns.filter_map(|column| column.checked_sub(start));
                places.extend(places_of.map(|place| place as u16));
            }
            if places.len() > count {
                places.select_nth_unstable_by_key(count, |&place| Reverse(place));
                places.truncate(count);
            }
            places.sort_unstable_by_key(|&place| Reverse(place));
            places.resize(count, MOST_COLUMNS as u16);
            near.extend_from_slice(&places);
        }
        near
    }

    pub fn effort(&self) -> Effort {
        self.effort
    }

    /// How many blocks a row has.
    pub fn blocks(&self) -> usize {
        blocks(self.subsets.len(), self.stored, self.effort)
    }

    /// The block of a column.
    pub fn block_of(&self, column: usize) -> usize {
        // The last block that starts at the column or before.
        ((column + 1) * self.blocks() - 1) / self.subsets.len()
    }

    /// The columns of a row's block.
    pub fn columns_of(&self, block: usize) -> Range<usize> {
        let start = |block: usize| block * self.subsets.len() / self.blocks();
        start(block)..start(block + 1)
    }

    /// What is the same for all columns of the row with this set.
    pub fn row(&self, mover: PointSet) -> Row {
        let mut spread = [[0; 64]; 4];
        let mut bit_of = [0; POINTS as usize];
        let mut black = 0;
        for (i, point) in (!mover).into_iter().enumerate() {
            bit_of[point.bit() as usize] = 1 << i;
            spread[i / 6][1 << (i % 6)] = PointSet::from(point).bits();
            black |= u32::from(BLACK.contains(point)) << i;
        }
        for part in &mut spread {
            for bits in 1..64usize {
                part[bits] = part[bits & (bits - 1)] | part[bits & bits.wrapping_neg()];
            }
        }
        let mut slide_bits = [0; 65];
        for (bits, &[from, to]) in slide_bits.iter_mut().zip(&self.patterns.slides) {
            *bits = bit_of[from.bit() as usize] | bit_of[to.bit() as usize];
        }
        let rings = self.patterns.rings(mover.bits());
        let own = rings.iter().fold(!0, |open, ring| open & ring.open);
        let closing = self.patterns.threats.iter().enumerate();
        let closing = closing.filter(|(i, _)| own >> i & 1 == 1);
        Row {
            spread,
            slide_bits,
            slides: !rings
                .iter()
                .fold(0, |slides, ring| slides | ring.from | ring.to),
            threats: !rings.iter().fold(0, |touched, ring| touched | ring.touched),
            closing: closing.fold(0, |bits, (_, threat)| {
                bits | bit_of[threat.point.bit() as usize]
            }),
            black,
            odd: (mover & BLACK).len() % 2,
        }
    }

    /// Whether a column of the row is stored.
    #[inline(always)]
    pub fn holds(&self, row: &Row, column: usize) -> bool {
        let subset = self.subsets[column];
        let even = (subset & row.black).count_ones() % 2 == row.odd;
        match self.stored {
            Stored::All => true,
            Stored::Even => even,
            Stored::EvenOrClosing => even | (row.closing & !subset != 0),
        }
    }

    /// The places of a block that are stored.
    pub(super) fn places(&self, row: &Row, columns: Range<usize>, places: &mut Vec<u16>) {
        places.clear();
        if self.stored == Stored::All {
            places.extend(0..columns.len() as u16);
            return;
        }
        places.resize(columns.len(), 0);
        let mut stored = 0;
        for (place, column) in (0..).zip(columns) {
            places[stored] = place;
            stored += usize::from(self.holds(row, column));
        }
        places.truncate(stored);
    }

    /// The context of the column `start + place`; `last` is the key coded before. `NEAR` and
    /// `SLIDES` are those of the effort.
    #[inline(always)]
    pub(super) fn context<const NEAR: usize, const SLIDES: usize>(
        &self,
        row: &Row,
        keys: &Keys,
        start: usize,
        place: usize,
        last: u8,
    ) -> Context {
        let column = start + place;
        let subset = self.subsets[column];
        let part = |i: usize| row.spread[i][(subset >> (6 * i)) as usize & 63];
        let [a, b, c] = self.patterns.rings(part(0) | part(1) | part(2) | part(3));

        let mut near = [last; NEAR];
        let mut known = last;
        for (near, &place) in near.iter_mut().zip(&self.near[column * NEAR..][..NEAR]) {
            let key = keys[usize::from(place).min(MOST_COLUMNS)];
            known = if key == UNKNOWN { known } else { key };
            *near = known;
        }

        let (mut best, mut worst) = (UNKNOWN, 0);
        let mut slides = (a.from | b.from | c.from) & !(a.to | b.to | c.to) & row.slides;
        for _ in 0..SLIDES {
            let other = subset ^ row.slide_bits[slides.trailing_zeros() as usize];
            slides &= slides.wrapping_sub(1);
            let place = self.columns.rank(other).wrapping_sub(start);
            let key = keys[place.min(MOST_COLUMNS)];
            best = best.min(key);
            worst = worst.max(key.wrapping_add(1));
        }

        let threats = a.open & b.open & c.open & row.threats;
        let closing = u64::from(row.closing & !subset);
        Context {
            near: median(near),
            best,
            worst: worst.wrapping_sub(1),
            class: 4 * count_to::<2>(threats) + count_to::<3>(closing),
        }
    }

    /// Calls `see` with the contexts and keys of the stored values of a block, in their order.
    #[cfg(feature = "build")]
    pub(super) fn contexts(
        &self,
        row: &Row,
        start: usize,
        values: &[u8],
        scratch: &mut Scratch,
        see: impl FnMut(Context, u8),
    ) {
        match self.effort.near {
            5 => self.contexts_of::<5, 3>(row, start, values, scratch, see),
            _ => self.contexts_of::<15, 6>(row, start, values, scratch, see),
        }
    }

    #[cfg(feature = "build")]
    fn contexts_of<const NEAR: usize, const SLIDES: usize>(
        &self,
        row: &Row,
        start: usize,
        values: &[u8],
        Scratch { keys, places, .. }: &mut Scratch,
        mut see: impl FnMut(Context, u8),
    ) {
        self.places(row, start..start + values.len(), places);
        let mut last = UNKNOWN;
        for &place in places.iter() {
            let place = usize::from(place);
            let context = self.context::<NEAR, SLIDES>(row, keys, start, place, last);
            last = key(values[place]);
            keys[place] = last;
            see(context, last);
        }
        keys[..values.len()].fill(UNKNOWN);
    }
}

/// How many blocks a row of so many columns has.
fn blocks(columns: usize, stored: Stored, effort: Effort) -> usize {
    let most = usize::from(effort.columns);
    columns.div_ceil(match stored {
        Stored::All => most,
        // Not every column takes bytes.
        Stored::EvenOrClosing => most * 4 / 3,
        Stored::Even => most * 2,
    })
}

fn bits_where<T>(items: &[T], is: impl Fn(&T) -> bool) -> u64 {
    let bits = items.iter().enumerate();
    bits.fold(0, |bits, (i, item)| bits | u64::from(is(item)) << i)
}

fn each_bit(bits: u32) -> impl Iterator<Item = u32> {
    let rest = std::iter::successors(Some(bits), |bits| Some(bits & bits.wrapping_sub(1)));
    rest.take_while(|&bits| bits != 0)
        .map(|bits| bits & bits.wrapping_neg())
}

/// The number of bits, but `MOST` where there are more.
#[inline(always)]
fn count_to<const MOST: usize>(mut bits: u64) -> u8 {
    let mut count = 0;
    for _ in 0..MOST {
        count += u8::from(bits != 0);
        bits &= bits.wrapping_sub(1);
    }
    count
}

/// The median of an odd number of keys.
#[inline(always)]
fn median<const NEAR: usize>(mut near: [u8; NEAR]) -> u8 {
    if let [a, b, c, d, e] = near[..] {
        let (low, high) = (a.min(b).max(c.min(d)), a.max(b).min(c.max(d)));
        return low.max(high).min(low.min(high).max(e));
    }
    near.sort_unstable();
    near[NEAR / 2]
}
