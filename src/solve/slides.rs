//! The best slides of a whole row at once, for movers that may not fly.
//!
//! A row has all sets of the mover among the points that the other side leaves, as subsets of these
//! points in the order of their numbers. The lowest five bits of a subset are its *low part*, the
//! others its *high part*. The subsets with one high part are neighbours, at most ten, because only
//! low parts of one size go with it. A slide takes them to subsets that are neighbours, too:
//!
//! ```text
//! before   high part h              best[h, l] for all l of a size, in 16 bytes
//! after    high part h ^ flipped    ordered[h ^ flipped, l ^ ...], in 16 bytes
//! ```
//!
//! Which of the 16 bytes goes where depends on the slide and on the size of the low part only, so
//! one shuffle of bytes looks up a slide for up to ten positions.

use crate::board::bits::{self, Bits, NOWHERE};
use crate::board::{Board, Point, PointSet};
use crate::index::Subsets;

/// The bits of the low part.
const LOW: u32 = 5;

/// The number of positions that are looked up together, and of spare bytes after a row.
pub(crate) const LANES: usize = 16;

/// The low parts by their size, in the order of their numbers.
static LOW_PARTS: [&[u32]; LOW as usize + 1] = [
    &[0b00000],
    &[0b00001, 0b00010, 0b00100, 0b01000, 0b10000],
    &[
        0b00011, 0b00101, 0b00110, 0b01001, 0b01010, 0b01100, 0b10001, 0b10010, 0b10100, 0b11000,
    ],
    &[
        0b00111, 0b01011, 0b01101, 0b01110, 0b10011, 0b10101, 0b10110, 0b11001, 0b11010, 0b11100,
    ],
    &[0b01111, 0b10111, 0b11011, 0b11101, 0b11110],
    &[0b11111],
];

/// The rank of each low part among those of its size.
static LOW_RANKS: [u8; 1 << LOW] = {
    let mut ranks = [0; 1 << LOW];
    let mut size = 0;
    while size < LOW_PARTS.len() {
        let mut rank = 0;
        while rank < LOW_PARTS[size].len() {
            ranks[LOW_PARTS[size][rank] as usize] = rank as u8;
            rank += 1;
        }
        size += 1;
    }
    ranks
};

/// The high parts of all rows with as many free points and stones of the mover.
pub(crate) struct HighParts {
    /// Each with its first column and the size of its low parts.
    all: Vec<(u32, u32, u8)>,
    /// The first column of each; 0 for those that no subset has.
    starts: Vec<u32>,
}

impl HighParts {
    pub(crate) fn new(columns: &Subsets, subsets: &[u32]) -> HighParts {
        let mut all: Vec<(u32, u32, u8)> = Vec::new();
        for &subset in subsets {
            let high = subset >> LOW;
            if all.last().is_none_or(|&(last, ..)| last != high) {
                let size = (subset % (1 << LOW)).count_ones() as u8;
                all.push((high, columns.rank(subset) as u32, size));
            }
        }
        let most = subsets.iter().fold(0, |all, subset| all | subset);
        let mut starts = vec![0; (most >> LOW) as usize + 1];
        for &(high, start, _) in &all {
            starts[high as usize] = start;
        }
        HighParts { all, starts }
    }
}

/// The slides of a row, at most 64.
pub(crate) struct RowSlides {
    slides: Vec<RowSlide>,
    /// For each six bits of a high part: the slides that these bits permit, and the slides that close a mill
    /// if the other bits permit that, too.
    numbers: [[(u64, u64); 64]; 3],
}

/// The slides from a point and to it, and those that close a mill with a stone on it.
#[derive(Clone, Copy, Default)]
struct PointSlides {
    from: u64,
    to: u64,
    mill: u64,
}

struct RowSlide {
    /// The bits of the high part that change.
    flipped: u32,
    /// By the size of the low part before: for each low part the place of that after the slide.
    /// [`NOWHERE`] if it is impossible.
    places: [[u8; LANES]; LOW as usize + 1],
    /// The same if the high part has its stones of a mill: [`NOWHERE`] also if the slide closes this mill.
    quiet: [[u8; LANES]; LOW as usize + 1],
}

impl RowSlides {
    /// The slides among the free points.
    #[inline(always)]
    pub(crate) fn new<B: Bits>(bits: B, board: &Board, free: PointSet) -> RowSlides {
        let bit = |set: PointSet| bits.pext(set.bits(), free.bits());
        let mut slides = Vec::with_capacity(64);
        let mut points = [PointSlides::default(); u32::BITS as usize];
        let mut mills = 0;
        for &[a, b] in board.edges() {
            if !free.contains(a) || !free.contains(b) {
                continue;
            }
            for [from, to] in [[a, b], [b, a]] {
                let this = 1 << slides.len();
                let mill = mill_at(board, from, to).filter(|mill| mill.is_subset(free));
                let mill = mill.map_or(0, bit);
                mills |= if mill == 0 { 0 } else { this };
                for stone in bits::Ones(mill.into()) {
                    points[stone].mill |= this;
                }
                let (from, to) = (bit(from.into()), bit(to.into()));
                points[from.trailing_zeros() as usize].from |= this;
                points[to.trailing_zeros() as usize].to |= this;
                slides.push(RowSlide::new(from, to, mill));
            }
        }
        let mut numbers = [[(u64::MAX, mills); 64]; 3];
        let high = points[LOW as usize..].chunks(6);
        for (numbers, points) in numbers.iter_mut().zip(high) {
            for (place, point) in points.iter().enumerate() {
                // The half of the numbers that the bits up to this one give.
                let (without, with) = numbers.split_at_mut(1 << place);
                for (without, with) in without.iter_mut().zip(with) {
                    *with = (without.0 & !point.to, without.1);
                    *without = (without.0 & !point.from, without.1 & !point.mill);
                }
            }
        }
        let all = 1u64.checked_shl(slides.len() as u32).unwrap_or(0);
        numbers[0]
            .iter_mut()
            .for_each(|number| number.0 &= all.wrapping_sub(1));
        RowSlides { slides, numbers }
    }

    /// Raises the ordered value of each column to that of its best slide that closes no mill.
    /// `ordered` has the ordered values of the positions after slides. Both have [`LANES`] more bytes
    /// than the row has columns.
    #[inline(always)]
    pub(crate) fn raise<B: Bits>(
        &self,
        bits: B,
        parts: &HighParts,
        ordered: &[u8],
        best: &mut [u8],
    ) {
        for &(high, start, size) in &parts.all {
            let part = |i: usize| self.numbers[i][(high >> (6 * i)) as usize % 64];
            let [low, middle, top] = [part(0), part(1), part(2)];
            let possible = low.0 & middle.0 & top.0;
            let closing = low.1 & middle.1 & top.1;
            let Some(target) = best[start as usize..].first_chunk_mut::<LANES>() else {
                continue;
            };
            let mut found = *target;
            for number in bits::Ones(possible) {
                let slide = &self.slides[number];
                let after = parts.starts[(high ^ slide.flipped) as usize] as usize;
                let places = match closing >> number & 1 {
                    0 => &slide.places,
                    _ => &slide.quiet,
                };
                if let Some(after) = ordered[after..].first_chunk::<LANES>() {
                    let places = &places[usize::from(size) % places.len()];
                    found = bits.raise_from(found, after, places);
                }
            }
            *target = found;
        }
    }
}

impl RowSlide {
    /// The slide between these bits of a subset, with the other stones of the mill that it may close.
    #[inline(always)]
    fn new(from: u32, to: u32, mill: u32) -> RowSlide {
        let nowhere = [[NOWHERE; LANES]; LOW as usize + 1];
        let (mut places, mut quiet) = (nowhere, nowhere);
        const MASK: u32 = (1 << LOW) - 1;
        let (gone, come) = (from & MASK, to & MASK);
        let mill = mill & MASK;
        for ((places, quiet), parts) in places.iter_mut().zip(&mut quiet).zip(LOW_PARTS) {
            for ((place, quiet), &part) in places.iter_mut().zip(quiet).zip(parts) {
                if gone & !part == 0 && come & part == 0 {
                    *place = LOW_RANKS[(part ^ gone ^ come) as usize % LOW_RANKS.len()];
                    if mill & !part != 0 {
                        *quiet = *place;
                    }
                }
            }
        }
        RowSlide {
            flipped: (from ^ to) >> LOW,
            places,
            quiet,
        }
    }
}

/// The two stones of a mill with which a slide closes it; `None` if there is no such line.
fn mill_at(board: &Board, from: Point, to: Point) -> Option<PointSet> {
    let mut lines = board.lines().iter();
    let line = lines.find(|line| line.contains(to) && !line.contains(from))?;
    Some(line.without(to))
}
