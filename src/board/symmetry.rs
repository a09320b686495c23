//! The 16 symmetries of the board: four rotations, with or without a reflection, with or without an
//! exchange of the inner and the outer ring. They map lines to lines and edges to edges on both
//! drawings of the board.

use crate::board::{POINTS, PointSet};

/// One of the 16 symmetries.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Symmetry(u8);

/// The images of all point sets, as the union of the images of their bytes.
static IMAGES: [[[u32; 256]; 3]; Symmetry::COUNT] = {
    let mut images = [[[0; 256]; 3]; Symmetry::COUNT];
    let mut number = 0;
    while number < Symmetry::COUNT {
        let mut bit = 0;
        while bit < POINTS {
            let image = 1 << Symmetry(number as u8).define(bit);
            let ring = &mut images[number][bit as usize / 8];
            let mut byte = 0;
            while byte < 256 {
                if byte >> (bit % 8) & 1 == 1 {
                    ring[byte] |= image;
                }
                byte += 1;
            }
            bit += 1;
        }
        number += 1;
    }
    images
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
        let images = &IMAGES[usize::from(self.0) % Symmetry::COUNT];
        let [inner, middle, outer, _] = set.bits().to_le_bytes().map(usize::from);
        PointSet::from_bits(images[0][inner] | images[1][middle] | images[2][outer])
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
