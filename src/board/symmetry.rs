//! The 16 symmetries of the board: four rotations, with or without a reflection, with or without an
//! exchange of the inner and the outer ring. They map lines to lines and edges to edges on both
//! drawings of the board.

use crate::board::PointSet;

/// One of the 16 symmetries.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Symmetry(u8);

/// The images of a ring's points under the symmetries that leave each ring in its place.
static TURNED: [[u8; 256]; 8] = {
    let mut turned = [[0; 256]; 8];
    let mut number = 0;
    while number < turned.len() {
        let mut ring = 0;
        while ring < 256 {
            let mut bit = 0;
            while bit < 8 {
                if ring >> bit & 1 == 1 {
                    turned[number][ring] |= 1 << Symmetry(number as u8).define(bit);
                }
                bit += 1;
            }
            ring += 1;
        }
        number += 1;
    }
    turned
};

impl Symmetry {
    /// The number of symmetries.
    pub const COUNT: usize = 16;

    /// The identity.
    pub const IDENTITY: Symmetry = Symmetry(0);

    /// All symmetries, the identity first.
    pub fn all() -> impl Iterator<Item = Symmetry> {
        (0..Symmetry::COUNT as u8).map(Symmetry)
    }

    /// The symmetry with this number modulo 16, as given by [`Symmetry::number`].
    #[inline(always)]
    pub fn numbered(number: u32) -> Symmetry {
        Symmetry((number % Symmetry::COUNT as u32) as u8)
    }

    /// The number of the symmetry, 0 to 15.
    pub fn number(self) -> u32 {
        u32::from(self.0)
    }

    /// The bit to which the symmetry takes a bit. Bits 0 and 1 of its number are the quarter turns
    /// clockwise, bit 2 a reflection in the vertical axis before them, bit 3 the exchange of inner
    /// and outer ring.
    const fn define(self, bit: u32) -> u32 {
        let number = self.0 as u32;
        let (ring, position) = (bit / 8, bit % 8);
        let reflected = if number & 4 != 0 {
            8 - position
        } else {
            position
        };
        let turned = (reflected + 2 * (number & 3)) % 8;
        let exchanged = if number & 8 != 0 { 2 - ring } else { ring };
        8 * exchanged + turned
    }

    /// The image of a point set.
    ///
    /// ```
    /// use millbase::{PointSet, Symmetry};
    /// let stones = PointSet::from_bits(0x12345);
    /// for symmetry in Symmetry::all() {
    ///     assert_eq!(symmetry.inverse().apply(symmetry.apply(stones)), stones);
    /// }
    /// ```
    #[inline(always)]
    pub fn apply(self, set: PointSet) -> PointSet {
        let bits = match self.0 & 8 {
            0 => set.bits(),
            _ => set.bits().swap_bytes() >> 8,
        };
        let turned = &TURNED[usize::from(self.0 & 7)];
        let [inner, middle, outer, _] = bits.to_le_bytes();
        let turn = |ring| turned[usize::from(ring)];
        PointSet::from_bits(u32::from_le_bytes([
            turn(inner),
            turn(middle),
            turn(outer),
            0,
        ]))
    }

    /// The images of a set under all symmetries, by their numbers.
    pub(crate) fn images(set: PointSet) -> [PointSet; Symmetry::COUNT] {
        std::array::from_fn(|number| Symmetry(number as u8).apply(set))
    }

    /// The symmetry that does the same as the first one, then this one.
    #[inline(always)]
    pub(crate) const fn after(self, first: Symmetry) -> Symmetry {
        let turns = match self.0 & 4 {
            0 => first.0,
            _ => first.0.wrapping_neg(),
        };
        Symmetry((self.0 ^ first.0) & 12 | self.0.wrapping_add(turns) & 3)
    }

    /// The inverse symmetry: the opposite rotation, or the symmetry itself if it reflects.
    pub const fn inverse(self) -> Symmetry {
        match self.0 & 4 {
            0 => Symmetry(self.0 & 8 | self.0.wrapping_neg() & 3),
            _ => self,
        }
    }
}

/// The symmetries that leave the set as it is; the identity is the first.
pub fn stabiliser(set: PointSet) -> impl Iterator<Item = Symmetry> {
    Symmetry::all().filter(move |symmetry| symmetry.apply(set) == set)
}
