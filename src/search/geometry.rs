//! Questions about whole sets of stones that the search asks at every position, answered for all
//! points at once.
//!
//! A ring is one byte of a set, its points in clockwise order, so a step around the ring is a
//! rotation of its byte, and a step along a spoke a shift by eight:
//!
//! ```text
//! two of three on a side of a ring:   a table with 256 entries
//! two of three on a spoke:            inner & middle, inner & outer, middle & outer
//! ```

use std::sync::LazyLock;

use crate::board::{Board, PointSet};
use crate::rules::Rules;

/// The points of the spokes: midpoints, with diagonals all.
const MIDPOINTS: u32 = 0x55;
const EVERY: u32 = 0xff;

/// For the stones of a ring the points that complete a side of it.
static SIDES: LazyLock<[u8; 256]> = LazyLock::new(|| {
    let ring = |set: PointSet| set.bits() & EVERY;
    let sides = Board::orthogonal().lines().iter().map(|&line| ring(line));
    let sides: Vec<u32> = sides.filter(|side| side.count_ones() == 3).collect();
    std::array::from_fn(|stones| {
        let missing = sides.iter().map(|side| side & !(stones as u32));
        let single = missing.filter(|missing| missing.count_ones() == 1);
        single.fold(0, |all, point| all | point as u8)
    })
});

/// The board's lines and edges as the search uses them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Geometry {
    sides: &'static [u8; 256],
    /// The points of a ring that lie on spokes.
    spokes: u32,
}

impl Geometry {
    pub fn new(rules: &Rules) -> Geometry {
        Geometry {
            sides: &SIDES,
            spokes: if rules.diagonals { EVERY } else { MIDPOINTS },
        }
    }

    /// The points that would complete a line of these stones, all of them without a stone of the set.
    #[inline(always)]
    pub fn completions(&self, stones: PointSet) -> PointSet {
        let [inner, middle, outer, _] = stones.bits().to_le_bytes();
        let side = |ring: u8| u32::from(self.sides[usize::from(ring)]);
        let spoke = |a: u8, b: u8| u32::from(a & b) & self.spokes;
        let inwards = side(inner) | spoke(middle, outer) & !u32::from(inner);
        let between = side(middle) | spoke(inner, outer) & !u32::from(middle);
        let outwards = side(outer) | spoke(inner, middle) & !u32::from(outer);
        PointSet::from_bits(inwards | between << 8 | outwards << 16)
    }

    /// The points that have a neighbour in the set.
    #[inline(always)]
    pub fn around(&self, set: PointSet) -> PointSet {
        const EACH_RING: u32 = 0x01_0101;
        let bits = set.bits();
        let clockwise = bits << 1 & (0xfe * EACH_RING) | bits >> 7 & EACH_RING;
        let back = bits >> 1 & (0x7f * EACH_RING) | bits << 7 & (0x80 * EACH_RING);
        let spokes = bits & (self.spokes * EACH_RING);
        PointSet::from_bits(clockwise | back | spokes << 8 | spokes >> 8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{POINTS, Point};

    #[test]
    fn sets_agree_with_the_board() {
        for diagonals in [false, true] {
            let rules = Rules {
                diagonals,
                ..Rules::STANDARD
            };
            let (board, geometry) = (rules.board(), Geometry::new(&rules));
            for bits in (0..1 << POINTS).step_by(4099) {
                let set = PointSet::from_bits(bits);
                let completes = |point: &Point| {
                    !set.contains(*point) && board.mills(set.with(*point)).contains(*point)
                };
                let expected: PointSet = Point::all().filter(completes).collect();
                assert_eq!(geometry.completions(set), expected, "{set:?}");
                let touches = |point: &Point| !(board.neighbours(*point) & set).is_empty();
                let expected: PointSet = Point::all().filter(touches).collect();
                assert_eq!(geometry.around(set), expected, "{set:?}");
            }
        }
    }
}
