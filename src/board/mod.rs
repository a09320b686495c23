//! The board: its 24 points, the lines on which mills are made, and the edges along which stones
//! slide.
//!
//! This module knows the drawing of the board but not the rules. The points have these names:
//!
//! ```text
//! a7----d7----g7        inner ring   d5 e5 e4 e3 d3 c3 c4 c5   bits 0-7
//! | b6--d6--f6 |        middle ring  d6 f6 f4 f2 d2 b2 b4 b6   bits 8-15
//! | | c5-d5-e5 | |      outer ring   d7 g7 g4 g1 d1 a1 a4 a7   bits 16-23
//! a4-b4-c4  e4-f4-g4
//! | | c3-d3-e3 | |      bit = 8 · ring + position; position 0 is the top midpoint,
//! | b2--d2--f2 |        the others follow clockwise: even = midpoint, odd = corner
//! a1----d1----g1
//! ```

pub mod bits;
pub mod symmetry;

use std::fmt;
use std::ops::{BitAnd, BitOr, BitOrAssign, Not, Sub};
use std::sync::LazyLock;

/// The number of points on the board.
pub const POINTS: u32 = 24;

/// The names of the points in the order of their bits.
const NAMES: [&str; POINTS as usize] = [
    "d5", "e5", "e4", "e3", "d3", "c3", "c4", "c5", // inner
    "d6", "f6", "f4", "f2", "d2", "b2", "b4", "b6", // middle
    "d7", "g7", "g4", "g1", "d1", "a1", "a4", "a7", // outer
];

/// One of the 24 places of the board.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Point(u8);

impl Point {
    /// The point with this bit number, or `None` from 24 on.
    pub const fn new(bit: u32) -> Option<Point> {
        if bit < POINTS {
            Some(Point(bit as u8))
        } else {
            None
        }
    }

    /// The bit number of the point, 0 to 23.
    pub const fn bit(self) -> u32 {
        self.0 as u32
    }

    /// The point's name, `a7` to `g1`.
    ///
    /// ```
    /// use millbase::Point;
    /// assert_eq!(Point::new(0).unwrap().name(), "d5");
    /// assert_eq!(Point::named("g1").unwrap().bit(), 19);
    /// ```
    pub const fn name(self) -> &'static str {
        NAMES[self.0 as usize]
    }

    /// The point with this name, or `None`.
    pub fn named(name: &str) -> Option<Point> {
        let bit = NAMES.iter().position(|&n| n == name)?;
        Some(Point(bit as u8))
    }

    /// All points in the order of their bits.
    pub fn all() -> impl Iterator<Item = Point> {
        PointSet::ALL.into_iter()
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Debug for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A set of points as the low 24 bits of a word.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct PointSet(u32);

impl PointSet {
    /// The empty set.
    pub const EMPTY: PointSet = PointSet(0);
    /// Every point of the board.
    pub const ALL: PointSet = PointSet((1 << POINTS) - 1);

    /// The set with these bits; bits from 24 on are dropped.
    pub const fn from_bits(bits: u32) -> PointSet {
        PointSet(bits & PointSet::ALL.0)
    }

    /// The set as a word with one bit for each point.
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// The number of points in the set, 0 to 24.
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether the point is in the set.
    pub const fn contains(self, point: Point) -> bool {
        self.0 >> point.0 & 1 == 1
    }

    /// Whether every point of this set is in the other one.
    pub const fn is_subset(self, other: PointSet) -> bool {
        self.0 & !other.0 == 0
    }

    /// The set with the point added.
    #[must_use]
    pub const fn with(self, point: Point) -> PointSet {
        PointSet(self.0 | 1 << point.0)
    }

    /// The set without the point.
    #[must_use]
    pub const fn without(self, point: Point) -> PointSet {
        PointSet(self.0 & !(1 << point.0))
    }
}

impl BitAnd for PointSet {
    type Output = PointSet;
    fn bitand(self, other: PointSet) -> PointSet {
        PointSet(self.0 & other.0)
    }
}

impl BitOr for PointSet {
    type Output = PointSet;
    fn bitor(self, other: PointSet) -> PointSet {
        PointSet(self.0 | other.0)
    }
}

impl BitOrAssign for PointSet {
    fn bitor_assign(&mut self, other: PointSet) {
        self.0 |= other.0;
    }
}

impl Not for PointSet {
    type Output = PointSet;
    fn not(self) -> PointSet {
        PointSet(!self.0 & PointSet::ALL.0)
    }
}

/// The points of the first set that are not in the second.
impl Sub for PointSet {
    type Output = PointSet;
    fn sub(self, other: PointSet) -> PointSet {
        PointSet(self.0 & !other.0)
    }
}

impl From<Point> for PointSet {
    fn from(point: Point) -> PointSet {
        PointSet(1 << point.0)
    }
}

impl FromIterator<Point> for PointSet {
    fn from_iter<I: IntoIterator<Item = Point>>(points: I) -> PointSet {
        points.into_iter().fold(PointSet::EMPTY, PointSet::with)
    }
}

impl IntoIterator for PointSet {
    type Item = Point;
    type IntoIter = Points;
    fn into_iter(self) -> Points {
        Points(self.0)
    }
}

impl fmt::Debug for PointSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(*self).finish()
    }
}

/// The points of a set, lowest bit first.
#[derive(Clone, Debug)]
pub struct Points(u32);

impl Iterator for Points {
    type Item = Point;

    fn next(&mut self) -> Option<Point> {
        let point = Point::new(self.0.trailing_zeros())?;
        self.0 &= self.0 - 1;
        Some(point)
    }
}

/// A set of edges, one bit for each of the [`Board`]'s edges.
pub(crate) type EdgeSet = u64;

/// The lines and edges of one drawing of the board, with precomputed tables for frequent queries.
///
/// One byte of a point set, the stones on one ring, indexes most of the tables.
#[derive(Debug)]
pub struct Board {
    lines: Vec<PointSet>,
    edges: Vec<[Point; 2]>,
    neighbours: [PointSet; POINTS as usize],
    /// The lines through each point; entries beyond the last line are the set of all points.
    lines_through: [[PointSet; 3]; POINTS as usize],
    /// By ring and by the stones on it: the lines that have no empty point on the ring.
    closed_by_ring: [[u32; 256]; 3],
    /// By ring and by the stones on it: the edges with exactly one end among these stones.
    cut_by_ring: [[EdgeSet; 256]; 3],
    /// The points that complete a side of a ring with these stones on it.
    completed_sides: [u8; 256],
    /// The points of each ring that lie on lines from ring to ring.
    spokes: u32,
}

/// One bit for each ring.
const EACH_RING: u32 = 0x01_0101;

impl Board {
    /// The board with 16 lines, used by Nine Men's Morris.
    pub fn orthogonal() -> &'static Board {
        static BOARD: LazyLock<Board> = LazyLock::new(|| Board::draw(false));
        &BOARD
    }

    /// The board with four more lines that join the corners of the rings, used by Twelve Men's
    /// Morris and Morabaraba.
    pub fn diagonal() -> &'static Board {
        static BOARD: LazyLock<Board> = LazyLock::new(|| Board::draw(true));
        &BOARD
    }

    fn draw(diagonals: bool) -> Board {
        let point = |ring: u32, position: u32| Point((8 * ring + position % 8) as u8);
        let mut lines = Vec::new();
        for ring in 0..3 {
            for corner in [7, 1, 3, 5] {
                lines.push([0, 1, 2].map(|step| point(ring, corner + step)));
            }
        }
        let spokes = (0..8).filter(|position| diagonals || position % 2 == 0);
        lines.extend(spokes.map(|position| [0, 1, 2].map(|ring| point(ring, position))));

        // Neighbouring points of a line are joined by an edge, and every edge is part of exactly
        // one line.
        let edges: Vec<[Point; 2]> = lines
            .iter()
            .flat_map(|&[a, b, c]| [[a, b], [b, c]])
            .collect();
        let mut neighbours = [PointSet::EMPTY; POINTS as usize];
        for &[a, b] in &edges {
            neighbours[a.bit() as usize] |= b.into();
            neighbours[b.bit() as usize] |= a.into();
        }
        let lines: Vec<PointSet> = lines
            .into_iter()
            .map(|line| line.into_iter().collect())
            .collect();

        let lines_through = std::array::from_fn(|bit| {
            let through = |line: &&PointSet| line.bits() >> bit & 1 == 1;
            let mut found = lines.iter().filter(through).copied();
            [(); 3].map(|()| found.next().unwrap_or(PointSet::ALL))
        });

        let by_ring =
            |ring: usize, stones: usize| PointSet::from_bits((stones as u32) << (8 * ring));
        let mut closed_by_ring = [[0; 256]; 3];
        let mut cut_by_ring = [[0; 256]; 3];
        for ring in 0..3 {
            let whole_ring = by_ring(ring, 0xff);
            for byte in 0..256 {
                let stones = by_ring(ring, byte);
                closed_by_ring[ring][byte] =
                    mask_where(&lines, |&line| (line & whole_ring).is_subset(stones)) as u32;
                cut_by_ring[ring][byte] =
                    mask_where(&edges, |&[a, b]| stones.contains(a) != stones.contains(b));
            }
        }
        // Only the sides of the inner ring fit into the lowest byte.
        let sides = || {
            lines
                .iter()
                .filter_map(|line| u8::try_from(line.bits()).ok())
        };
        let completed_sides = std::array::from_fn(|stones| {
            let missing = sides().map(|side| side & !(stones as u8));
            let single = missing.filter(|missing| missing.count_ones() == 1);
            single.fold(0, |all, point| all | point)
        });
        Board {
            completed_sides,
            lines,
            edges,
            neighbours,
            lines_through,
            closed_by_ring,
            cut_by_ring,
            spokes: if diagonals { 0xff } else { 0x55 } * EACH_RING,
        }
    }

    /// The lines of three points on which mills are made.
    pub fn lines(&self) -> &[PointSet] {
        &self.lines
    }

    /// The pairs of points between which a stone slides.
    pub fn edges(&self) -> &[[Point; 2]] {
        &self.edges
    }

    /// The points joined to this one by an edge.
    pub fn neighbours(&self, point: Point) -> PointSet {
        self.neighbours[point.bit() as usize]
    }

    /// The stones that stand in a mill.
    ///
    /// ```
    /// use millbase::{Board, Point, PointSet};
    /// let stones: PointSet = ["a7", "d7", "g7", "d5"].iter().filter_map(|n| Point::named(n)).collect();
    /// assert_eq!(Board::orthogonal().mills(stones).len(), 3);
    /// ```
    #[inline(always)]
    pub fn mills(&self, stones: PointSet) -> PointSet {
        let mut closed = self.closed_lines(stones);
        let mut mills = PointSet::EMPTY;
        while closed != 0 {
            mills |= self.lines[closed.trailing_zeros() as usize];
            closed &= closed - 1;
        }
        mills
    }

    /// A bit for each line that these stones close.
    #[inline(always)]
    fn closed_lines(&self, stones: PointSet) -> u32 {
        let [inner, middle, outer] = rings(stones);
        self.closed_by_ring[0][inner]
            & self.closed_by_ring[1][middle]
            & self.closed_by_ring[2][outer]
    }

    /// The number of mills of these stones through the point, 0 to 3. The stones must not fill the
    /// board, because the set of all points stands for lines that a point lacks.
    #[inline(always)]
    pub(crate) fn mills_through(&self, point: Point, stones: PointSet) -> u32 {
        let lines = &self.lines_through[point.bit() as usize];
        lines
            .iter()
            .map(|line| u32::from(line.is_subset(stones)))
            .sum()
    }

    /// The points outside the set that would complete a line of these stones.
    ///
    /// A ring is one byte of a set. One table lookup finds two of three stones on its sides; the
    /// stones that two rings have in common give two of three on a spoke.
    ///
    /// ```
    /// use millbase::{Board, Point, PointSet};
    /// let stones: PointSet = ["a7", "d7", "d5"].iter().filter_map(|n| Point::named(n)).collect();
    /// let completing = Board::orthogonal().completions(stones);
    /// assert_eq!(format!("{completing:?}"), "{d6, g7}");
    /// ```
    #[inline(always)]
    pub fn completions(&self, stones: PointSet) -> PointSet {
        let [inner, middle, outer, _] = stones.bits().to_le_bytes();
        let side = |ring: u8| u32::from(self.completed_sides[usize::from(ring)]);
        let spoke = |a: u8, b: u8| u32::from(a & b) & self.spokes;
        let inwards = side(inner) | spoke(middle, outer) & !u32::from(inner);
        let between = side(middle) | spoke(inner, outer) & !u32::from(middle);
        let outwards = side(outer) | spoke(inner, middle) & !u32::from(outer);
        PointSet(inwards | between << 8 | outwards << 16)
    }

    /// The points that have a neighbour in the set. A step around a ring is a rotation of its byte,
    /// a step along a spoke a shift by eight.
    #[inline(always)]
    pub(crate) fn around(&self, set: PointSet) -> PointSet {
        let bits = set.bits();
        let clockwise = bits << 1 & (0xfe * EACH_RING) | bits >> 7 & EACH_RING;
        let back = bits >> 1 & (0x7f * EACH_RING) | bits << 7 & (0x80 * EACH_RING);
        let spokes = bits & self.spokes;
        PointSet::from_bits(clockwise | back | spokes << 8 | spokes >> 8)
    }

    /// The stones that stand in exactly one, two and three mills.
    #[inline(always)]
    pub(crate) fn mills_by_count(&self, stones: PointSet) -> [PointSet; 3] {
        let mut closed = self.closed_lines(stones);
        let [mut one, mut two, mut three] = [PointSet::EMPTY; 3];
        while closed != 0 {
            let line = self.lines[closed.trailing_zeros() as usize];
            three |= two & line;
            two |= one & line;
            one |= line;
            closed &= closed - 1;
        }
        [one - two, two - three, three]
    }

    /// The edges with exactly one end in the set.
    ///
    /// The slides of a side are the edges of its cut whose other end is empty.
    #[inline(always)]
    pub(crate) fn cut(&self, set: PointSet) -> EdgeSet {
        let [inner, middle, outer] = rings(set);
        self.cut_by_ring[0][inner] ^ self.cut_by_ring[1][middle] ^ self.cut_by_ring[2][outer]
    }

    /// The edges with both ends in the set.
    pub(crate) fn edges_within(&self, set: PointSet) -> EdgeSet {
        mask_where(&self.edges, |&[a, b]| set.contains(a) && set.contains(b))
    }
}

/// A mask with a bit for each item that satisfies the condition, at most 64.
pub(crate) fn mask_where<T>(items: &[T], condition: impl Fn(&T) -> bool) -> u64 {
    items.iter().enumerate().fold(0, |mask, (bit, item)| {
        mask | u64::from(condition(item)) << bit
    })
}

/// The set's bytes: the stones on the inner, middle and outer ring.
#[inline(always)]
fn rings(set: PointSet) -> [usize; 3] {
    let [inner, middle, outer, _] = set.bits().to_le_bytes();
    [inner.into(), middle.into(), outer.into()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_agree_with_the_definitions() {
        for board in [Board::orthogonal(), Board::diagonal()] {
            for bits in (0..1 << POINTS).step_by(4099) {
                let set = PointSet::from_bits(bits);
                let by_count = board.mills_by_count(set);
                for point in Point::all() {
                    let through = |line: &&PointSet| line.contains(point) && line.is_subset(set);
                    let count = board.lines().iter().filter(through).count();
                    let counts = [1, 2, 3].map(|n| n == count);
                    assert_eq!(by_count.map(|points| points.contains(point)), counts);
                }
                let cut = mask_where(board.edges(), |&[a, b]| set.contains(a) ^ set.contains(b));
                assert_eq!(board.cut(set), cut);
            }
        }
    }
}
