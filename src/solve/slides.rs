//! The best turns that close no mill, for many sets of the mover at once: for solving, for deriving
//! tables and for checks.
//!
//! All sets of the mover, M before a turn and M' after it, are subsets of the points that a row's
//! set leaves. Sets that differ only in the first five of these points are a *part*: at most ten,
//! because they have the same number of stones there. A part has a vector of 16 codes.
//!
//! A slide from the point j to the point i leads from M = T + j to M' = T + i, where T are the
//! stones that stay. So it leads from one part to another, and a shuffle of the vector after it
//! gives codes to the vector before it. Slides between two points go both ways, so they pair parts:
//! that of T + i with that of T + j, for all T. The same holds for flights. A placement on the
//! point i leads from M = T to M' = T + i, from the parts of one number of stones to those of the
//! next.

use std::ops::Range;
use std::sync::LazyLock;

use rayon::prelude::*;

use crate::board::bits::{Bits, NOWHERE};
use crate::board::{Board, Point, PointSet};
use crate::index::Subsets;

/// The number of *first points*: the sets of a part differ only there.
const FIRST: u32 = 5;

/// A byte for each set of a part, in the order of their columns.
pub(crate) type Vector = [u8; 16];

/// The slides, or the flights, between all sets with one number of stones.
pub(crate) struct ColumnSlides {
    parts: Vec<ColumnPart>,
    /// For the bits of a set beyond the first: the number of its part, or [`NONE`].
    numbers: Vec<u32>,
    /// The parts of T + i and of T + j for all T, by the higher of the bits of i and j, then by the
    /// lower one.
    between: Vec<Vec<[u32; 2]>>,
    shuffles: &'static Shuffles,
}

/// The sets that differ only in the first points.
struct ColumnPart {
    /// The bits beyond the first points, at their places.
    others: u32,
    /// The number of stones on the first points.
    size: u8,
    columns: Range<u32>,
}

/// Stands for a part's number if no part has these bits.
const NONE: u32 = u32::MAX;

impl ColumnSlides {
    /// The slides between the columns of a table.
    pub fn new(columns: &Subsets) -> ColumnSlides {
        let mut parts: Vec<ColumnPart> = Vec::new();
        let mut numbers = vec![NONE; 1 << (columns.points() - FIRST)];
        for (column, subset) in (0..).zip(columns.iter()) {
            let (others, first) = (subset >> FIRST << FIRST, subset % NO_SET);
            match parts.last_mut() {
                Some(part) if part.others == others => part.columns.end = column + 1,
                _ => {
                    numbers[(others >> FIRST) as usize] = parts.len() as u32;
                    parts.push(ColumnPart {
                        others,
                        size: first.count_ones() as u8,
                        columns: column..column + 1,
                    });
                }
            }
        }
        let points = 0..columns.points();
        let ends = points.flat_map(|high| (0..high).map(move |low| [low, high]));
        let ends: Vec<[u32; 2]> = ends.collect();
        let between = ends.into_par_iter().map(|ends| {
            let [low, high] = ends.map(|end| 1 << end >> FIRST);
            let others = parts.iter().map(|part| part.others >> FIRST);
            let with_low = others.filter(|others| others & low == low && others & high == 0);
            let pairs = with_low.map(|others| [others, others - low + high]);
            let pairs = pairs.map(|pair| pair.map(|others| numbers[others as usize]));
            pairs.filter(|pair| !pair.contains(&NONE)).collect()
        });
        ColumnSlides {
            between: between.collect(),
            parts,
            numbers,
            shuffles: &SHUFFLES,
        }
    }

    /// Makes a vector for each part, with this byte for each set.
    #[inline(always)]
    pub fn fill(&self, vectors: &mut Vec<Vector>, byte: u8) {
        vectors.clear();
        vectors.resize(self.parts.len(), [byte; 16]);
    }

    /// The place of a set's byte in the vectors of all parts.
    #[inline(always)]
    pub fn place(&self, subset: u32) -> usize {
        let number = self.numbers[(subset >> FIRST) as usize];
        let places = &self.shuffles.places;
        let place = places[subset as usize % places.len()];
        number as usize * size_of::<Vector>() + usize::from(place)
    }

    /// Writes a code for each byte of a row to the vectors of the parts.
    #[inline(always)]
    pub fn scatter(&self, values: &[u8], vectors: &mut Vec<Vector>, code: impl Fn(u8) -> u8) {
        vectors.resize(self.parts.len(), Vector::default());
        for (part, vector) in self.parts.iter().zip(vectors) {
            let Range { start, end } = part.columns;
            for (byte, &value) in vector.iter_mut().zip(&values[start as usize..end as usize]) {
                *byte = code(value);
            }
        }
    }

    /// Writes the bytes of all sets to a row, in the order of their columns.
    #[inline(always)]
    pub fn gather(&self, vectors: &[Vector], row: &mut Vec<u8>) {
        row.clear();
        for (part, vector) in self.parts.iter().zip(vectors) {
            row.extend(&vector[..part.columns.len()]);
        }
    }

    /// Raises the byte of each set in `best` to the largest one in `after` to which a turn that
    /// closes no mill leads. The stones move among the `free` points, which the other side leaves.
    #[inline(always)]
    pub fn raise<B: Bits>(
        &self,
        bits: B,
        board: &Board,
        free: PointSet,
        flies: bool,
        after: &[Vector],
        best: &mut [Vector],
    ) {
        for low in free {
            let joined = match flies {
                true => free,
                false => board.neighbours(low) & free,
            };
            for high in joined.into_iter().filter(|&high| low < high) {
                let slides = [[high, low], [low, high]]
                    .map(|[from, to]| Slide::new(bits, board, free, Some(from), to));
                let [low, high] = [low, high].map(|end| bit_of(bits, free, end));
                let pairs = &self.between[(high * (high - 1) / 2 + low) as usize];
                match slides[0].closes.max(slides[1].closes) {
                    0 => self.raise_along::<B, 0>(bits, &slides, pairs, after, best),
                    1 => self.raise_along::<B, 1>(bits, &slides, pairs, after, best),
                    2 => self.raise_along::<B, 2>(bits, &slides, pairs, after, best),
                    _ => self.raise_along::<B, 3>(bits, &slides, pairs, after, best),
                }
            }
        }
    }

    /// [`raise`](Self::raise) for placements. `after` are the bytes of sets with one stone more, in
    /// the parts of `sets_after`.
    #[inline(always)]
    pub fn raise_by_placements<B: Bits>(
        &self,
        bits: B,
        board: &Board,
        free: PointSet,
        (sets_after, after): (&ColumnSlides, &[Vector]),
        best: &mut [Vector],
    ) {
        for to in free {
            let placement = Slide::new(bits, board, free, None, to);
            let stone = 1 << bit_of(bits, free, to) >> FIRST << FIRST;
            for (part, best) in self.parts.iter().zip(&mut *best) {
                if part.others & stone != 0 {
                    continue;
                }
                let number = sets_after.numbers[((part.others | stone) >> FIRST) as usize];
                if let Some(after) = after.get(number as usize) {
                    let places = placement.quiet_places(part, placement.closes);
                    *best = bits.raise_from(*best, after, &places);
                }
            }
        }
    }

    /// [`raise`](Self::raise) between two points, at each of which a turn closes at most `MILLS`
    /// mills.
    #[inline(always)]
    fn raise_along<B: Bits, const MILLS: usize>(
        &self,
        bits: B,
        [to_low, to_high]: &[Slide; 2],
        pairs: &[[u32; 2]],
        after: &[Vector],
        best: &mut [Vector],
    ) {
        let parts = &self.parts;
        for &pair in pairs {
            let [low, high] = pair.map(|number| number as usize);
            let places = to_low.quiet_places(&parts[high], MILLS);
            best[high] = bits.raise_from(best[high], &after[low], &places);
            let places = to_high.quiet_places(&parts[low], MILLS);
            best[low] = bits.raise_from(best[low], &after[high], &places);
        }
    }
}

/// The effect of a slide, a flight or a placement on the sets of a part.
struct Slide {
    /// By the number of stones on the first points before the slide: the place of each set after
    /// it; [`NOWHERE`] if it is impossible.
    moved: &'static [Vector; SIZES],
    /// The other stones of each mill that the slide may close.
    mills: [u32; 3],
    /// The number of these mills.
    closes: usize,
    containing: &'static Containing,
}

/// Stands for the other stones of a mill if the slide closes none.
const NO_MILL: u32 = u32::MAX;

impl Slide {
    /// A stone of the mover goes from one of the `free` points, which the other side leaves, or
    /// from the hand to another of them.
    #[inline(always)]
    fn new<B: Bits>(
        bits: B,
        board: &Board,
        free: PointSet,
        from: Option<Point>,
        to: Point,
    ) -> Slide {
        let leaves = |line: &PointSet| from.is_some_and(|from| line.contains(from));
        let lines = board
            .lines()
            .iter()
            .filter(|line| line.is_subset(free) && line.contains(to) && !leaves(line));
        let mut lines = lines.map(|line| bits.pext(line.without(to).bits(), free.bits()));
        let mills = [(); 3].map(|()| lines.next().unwrap_or(NO_MILL));
        let place = |point| bit_of(bits, free, point).min(FIRST) as usize;
        Slide {
            moved: &SHUFFLES.moved[from.map_or(FIRST as usize, place)][place(to)],
            mills,
            closes: mills.partition_point(|&mill| mill != NO_MILL),
            containing: &SHUFFLES.containing,
        }
    }

    /// The places after the slide of the sets of a part; [`NOWHERE`] for sets with the other stones
    /// of one of the first `mills` mills.
    #[inline(always)]
    fn quiet_places(&self, part: &ColumnPart, mills: usize) -> Vector {
        let size = usize::from(part.size) % SIZES;
        let mut places = self.moved[size];
        for mill in &self.mills[..mills] {
            let possible = mill >> FIRST << FIRST & !part.others == 0;
            let set = if possible { mill % NO_SET } else { NO_SET };
            let containing = &self.containing[set as usize][size];
            places = std::array::from_fn(|i| places[i] | containing[i]);
        }
        places
    }
}

/// The bit of a point in sets of the `free` points.
#[inline(always)]
fn bit_of<B: Bits>(bits: B, free: PointSet, point: Point) -> u32 {
    bits.pext(PointSet::from(point).bits(), free.bits())
        .trailing_zeros()
}

/// The possible numbers of stones on the first points, 0 to [`FIRST`].
const SIZES: usize = FIRST as usize + 1;

/// Stands for a set of first points that no set contains.
const NO_SET: u32 = 1 << FIRST;

/// The effect of slides on the first points of a part's sets.
struct Shuffles {
    /// The place of each set of first points among those of its size.
    places: [u8; NO_SET as usize],
    /// By the bit that a stone leaves and by that to which it comes, both [`FIRST`] if beyond the
    /// first points, then by the number of stones on the first points before: the place of each set
    /// after it; [`NOWHERE`] if it is impossible.
    moved: [[[Vector; SIZES]; SIZES]; SIZES],
    containing: Containing,
}

/// By a set of first points, then by the number of stones there: [`NOWHERE`] for each set that
/// contains it, else 0. The last is for [`NO_SET`].
type Containing = [[Vector; SIZES]; NO_SET as usize + 1];

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
