//! The exchanges of one stone's place in a row, for many sets at once.
//!
//! All sets of the mover, M before a turn and M' after it, are subsets of the points that the row's set
//! leaves. Sets that differ only in the first five of these points are a *part*: at most ten, because
//! they have the same number of stones there. A part has a vector of 16 codes.
//!
//! ```text
//! before   M = T + j       all stones T that stay, and a stone on the point j
//! after    M' = T + i      the stone has gone to the point i
//! ```
//!
//! So two points i and j make pairs of parts, that of T + i and that of T + j, for all T. In both
//! directions, one shuffle of the vector after the turn gives codes to the vector before it.

use std::ops::Range;
use std::sync::LazyLock;

use rayon::prelude::*;

use crate::board::POINTS;
use crate::board::bits::NOWHERE;
use crate::index::Index;

/// The number of the first points, those in which the sets of a part differ.
const FIRST: u32 = 5;

/// A byte for each set of a part, in the order of their columns.
pub(super) type Vector = [u8; 16];

/// The parts of a table's columns, and the exchanges between them.
pub(super) struct Exchanges {
    pub parts: Vec<Part>,
    /// For the bits of a set beyond the first: the number of its part, or [`NONE`].
    numbers: Vec<u32>,
    /// By the higher bit j, then by the lower bit i: the parts of T + i and of T + j for all T.
    between: Vec<Vec<[u32; 2]>>,
    shuffles: &'static Shuffles,
}

/// The sets that differ only in the first points.
pub(super) struct Part {
    /// The bits beyond the first points, as they are in a set.
    others: u32,
    /// The number of stones on the first points.
    size: u8,
    pub columns: Range<u32>,
}

/// Stands for the number of no part.
const NONE: u32 = u32::MAX;

/// Stands for the other stones of no mill.
pub(super) const NO_MILL: u32 = u32::MAX;

impl Exchanges {
    /// Those of a table's columns.
    pub fn new(index: &Index) -> Exchanges {
        let points = POINTS - u32::from(index.material().mover);
        let mut parts: Vec<Part> = Vec::new();
        let mut numbers = vec![NONE; 1 << (points - FIRST)];
        for (column, subset) in (0..).zip(index.columns().iter()) {
            let (others, first) = (subset >> FIRST << FIRST, subset % (1 << FIRST));
            match parts.last_mut() {
                Some(part) if part.others == others => part.columns.end = column + 1,
                _ => {
                    numbers[(others >> FIRST) as usize] = parts.len() as u32;
                    parts.push(Part {
                        others,
                        size: first.count_ones() as u8,
                        columns: column..column + 1,
                    });
                }
            }
        }
        let bits = (0..points).flat_map(|high| (0..high).map(move |low| [low, high]));
        let bits: Vec<[u32; 2]> = bits.collect();
        let between = bits.into_par_iter().map(|ends| {
            let [low, high] = ends.map(|end| 1 << end >> FIRST);
            let others = parts.iter().map(|part| part.others >> FIRST);
            let with_low = others.filter(|others| others & low == low && others & high == 0);
            let pairs = with_low.map(|others| [others, others - low + high]);
            let pairs = pairs.map(|pair| pair.map(|others| numbers[others as usize]));
            pairs.filter(|pair| !pair.contains(&NONE)).collect()
        });
        Exchanges {
            between: between.collect(),
            parts,
            numbers,
            shuffles: &SHUFFLES,
        }
    }

    /// The parts of T + i and of T + j for all T, by the bits of i and j, the lower first.
    pub fn between(&self, [low, high]: [u32; 2]) -> &[[u32; 2]] {
        &self.between[(high * (high - 1) / 2 + low) as usize]
    }

    /// The place of a set's byte in the vectors of all parts.
    #[inline(always)]
    pub fn place(&self, subset: u32) -> usize {
        let number = self.numbers[(subset >> FIRST) as usize];
        let places = &self.shuffles.places;
        let place = places[subset as usize % places.len()];
        number as usize * size_of::<Vector>() + usize::from(place)
    }

    /// By the number of stones on the first points: the place of each set after a stone has gone from one
    /// bit to another.
    pub fn moved(&self, from: u32, to: u32) -> &'static [Vector; SIZES] {
        let [from, to] = [from, to].map(|bit| bit.min(FIRST) as usize);
        &self.shuffles.moved[from][to]
    }

    /// The places after a turn of the sets of a part, of which `moved` are those by size; none for sets
    /// with the other stones of one of the first `MILLS` mills.
    #[inline(always)]
    pub fn quiet_places<const MILLS: usize>(
        &self,
        moved: &[Vector; SIZES],
        mills: &[u32; 3],
        part: usize,
    ) -> Vector {
        let part = &self.parts[part];
        let size = usize::from(part.size) % SIZES;
        let mut places = moved[size];
        for mill in &mills[..MILLS] {
            let possible = mill >> FIRST << FIRST & !part.others == 0;
            let set = if possible { mill % NO_SET } else { NO_SET };
            let containing = &self.shuffles.containing[set as usize][size];
            places = std::array::from_fn(|i| places[i] | containing[i]);
        }
        places
    }
}

/// Numbers from 0 to [`FIRST`].
const SIZES: usize = FIRST as usize + 1;

/// Stands for a set of first points that none contains.
const NO_SET: u32 = 1 << FIRST;

/// What turns do to the first points of a part's sets.
struct Shuffles {
    /// The place of each set of first points among those of its size.
    places: [u8; NO_SET as usize],
    /// By the bit that a stone leaves and by that to which it comes, both [`FIRST`] if beyond the first
    /// points, then by the number of stones on the first points before: the place of each set after it;
    /// [`NOWHERE`] if it is impossible.
    moved: [[[Vector; SIZES]; SIZES]; SIZES],
    /// By a set of first points, then by the number of stones there: [`NOWHERE`] for each set that contains
    /// it, else 0. The last is for [`NO_SET`].
    containing: [[Vector; SIZES]; NO_SET as usize + 1],
}

static SHUFFLES: LazyLock<Shuffles> = LazyLock::new(|| {
    let mut shuffles = Shuffles {
        places: [0; NO_SET as usize],
        moved: [[[[NOWHERE; 16]; SIZES]; SIZES]; SIZES],
        containing: [[[0; 16]; SIZES]; NO_SET as usize + 1],
    };
    let mut next = [0; SIZES];
    for (set, place) in (0u32..).zip(&mut shuffles.places) {
        let size = set.count_ones() as usize;
        *place = next[size];
        next[size] += 1;
    }
    for set in 0..NO_SET {
        let size = set.count_ones() as usize;
        let place = usize::from(shuffles.places[set as usize]);
        let bit = |bit: u32| (1 << bit) % NO_SET;
        for (from, moved) in (0..).zip(&mut shuffles.moved) {
            for (to, moved) in (0..).zip(moved) {
                if set & bit(from) == bit(from) && set & bit(to) == 0 {
                    let after = set - bit(from) + bit(to);
                    moved[size][place] = shuffles.places[after as usize];
                }
            }
        }
        for (inner, containing) in (0..NO_SET).zip(&mut shuffles.containing) {
            if inner & !set == 0 {
                containing[size][place] = NOWHERE;
            }
        }
    }
    shuffles
});
