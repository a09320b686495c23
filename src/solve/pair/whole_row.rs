//! Updates all predecessors in a working row at once, with the columns as bits.
//!
//! A column is a subset of the row's free points. The lowest eight bits of a subset are a bit of a
//! *block*, the others the block's number:
//!
//! ```text
//! subset      hhhhhhhh wwllllll
//! blocks      block h, its word w, bit l
//! ```
//!
//! Only subsets of one size are columns, so a word holds at most twenty, those whose low bits have
//! the size that the other bits leave. Bits of other subsets stay clear. In return, a slide takes
//! all bits of a block to one other block, shifted by one distance.

use std::ops::Range;

use crate::board::bits::{self, Bits, Ones};
use crate::board::{Board, PointSet};

type BlockWords = [u64; WORDS];
const WORDS: usize = 4;

/// The lowest bit of each byte.
const EACH_BYTE: u64 = 0x0101_0101_0101_0101;

/// The number of bits of a subset that are a bit of a word, and of those that are a bit of a block.
const IN_WORD: u32 = 6;
const IN_BLOCK: u32 = 8;

/// For each bit of a number below 64: the bits of a word whose numbers have it.
const WITH_BIT: [u64; IN_WORD as usize] = [
    0xaaaa_aaaa_aaaa_aaaa,
    0xcccc_cccc_cccc_cccc,
    0xf0f0_f0f0_f0f0_f0f0,
    0xff00_ff00_ff00_ff00,
    0xffff_0000_ffff_0000,
    0xffff_ffff_0000_0000,
];

/// The bits of a word whose numbers have this many bits set.
const WITH_BITS: [u64; IN_WORD as usize + 1] = {
    let mut with = [0; IN_WORD as usize + 1];
    let mut number = 0u64;
    while number < 64 {
        with[number.count_ones() as usize] |= 1 << number;
        number += 1;
    }
    with
};

/// The stones by the bit of their points in subsets.
static STONES: [Stone; 24] = {
    let mut stones = [Stone::new(0); 24];
    let mut bit = 1;
    while bit < stones.len() {
        stones[bit] = Stone::new(bit as u32);
        bit += 1;
    }
    stones
};

/// The most bits of a count of slides. Rows with more slides are updated one predecessor at a time.
const PLANES: usize = 5;

/// The blocks of the rows of a working arrangement.
#[derive(Debug)]
pub(crate) struct BlockLayout {
    count: usize,
    /// The bits that columns have in a word, by the number of bits that the word's number has.
    used: [u64; 32],
}

impl BlockLayout {
    /// The blocks for sets of `members` stones on `points` points, at least eight.
    pub(crate) fn new(points: u32, members: u32) -> BlockLayout {
        let used = |high: u32| {
            let low = members.checked_sub(high);
            low.and_then(|low| WITH_BITS.get(low as usize)).copied()
        };
        BlockLayout {
            count: 1 << points.saturating_sub(IN_BLOCK),
            used: std::array::from_fn(|high| used(high as u32).unwrap_or(0)),
        }
    }

    /// The number of words of a row.
    pub(crate) fn words(&self) -> usize {
        self.count * WORDS
    }

    #[inline(always)]
    fn used(&self, number: usize) -> u64 {
        self.used[number.count_ones() as usize % 32]
    }

    /// Moves the bit of each column to its place in the words. Two more words must follow the bits.
    #[inline(always)]
    fn spread<B: Bits>(&self, bits: B, columns: &[u64], words: &mut [u64]) {
        let mut at = 0;
        for (number, word) in words.iter_mut().enumerate() {
            let used = self.used(number);
            let (i, shift) = (at / 64, at % 64);
            let next = columns[i] >> shift | columns[i + 1] << 1 << (63 - shift);
            *word = bits.pdep_wide(next, used);
            at += used.count_ones() as usize;
        }
    }

    /// The inverse of [`BlockLayout::spread`].
    #[inline(always)]
    fn gather<B: Bits>(&self, bits: B, words: &[u64], columns: &mut [u64]) {
        let mut columns = columns.iter_mut();
        // The next bits for the columns, and their number.
        let (mut next, mut filled) = (0, 0);
        for (number, &word) in words.iter().enumerate() {
            let used = self.used(number);
            let found = bits.pext_wide(word, used);
            next |= found << filled;
            filled += used.count_ones();
            if filled >= 64
                && let Some(column) = columns.next()
            {
                *column = next;
                filled -= 64;
                // At most twenty bits were found.
                next = found >> (used.count_ones() - filled);
            }
        }
        if let Some(column) = columns.next() {
            *column = next;
        }
    }
}

/// Memory that is reused for each row.
#[derive(Default, Debug)]
pub(crate) struct WholeRowScratch {
    /// A bit for each column, and two more words.
    pub(crate) columns: Vec<u64>,
    /// The sets that slides lead to.
    after: Vec<BlockWords>,
    /// Those to which a quiet slide to one point leads.
    arrived: Vec<BlockWords>,
    /// The sets that slides start from.
    before: Vec<BlockWords>,
    /// The numbers of slides that start from them, a bit in each plane.
    planes: Vec<[BlockWords; PLANES]>,
    /// The same numbers, a byte for each column.
    counts: Vec<u8>,
}

/// A stone on a free point.
#[derive(Clone, Copy, Debug)]
struct Stone {
    /// Its bit in the numbers of blocks; 0 if it is in the block.
    high: usize,
    /// Its bit in the number of a block's word, if it is there.
    word: usize,
    /// Its bit in the number of a word's bit, if it is there.
    low: u32,
    /// The bits of a block with the stone; all if it is in the block's number.
    with: BlockWords,
    /// The bits of a block without the stone; all if it is in the block's number.
    without: BlockWords,
}

impl Stone {
    const fn new(bit: u32) -> Stone {
        let mut stone = Stone {
            high: 0,
            word: 0,
            low: 0,
            with: [u64::MAX; WORDS],
            without: [u64::MAX; WORDS],
        };
        if bit < IN_WORD {
            stone.low = 1 << bit;
            stone.with = [WITH_BIT[bit as usize]; WORDS];
            stone.without = [!WITH_BIT[bit as usize]; WORDS];
        } else if bit < IN_BLOCK {
            stone.word = 1 << (bit - IN_WORD);
            let mut word = 0;
            while word < WORDS {
                let has = word & stone.word != 0;
                stone.with[word] = if has { u64::MAX } else { 0 };
                stone.without[word] = !stone.with[word];
                word += 1;
            }
        } else {
            stone.high = 1 << (bit - IN_BLOCK);
        }
        stone
    }
}

/// The quiet slides in one working row.
#[derive(Debug)]
pub(crate) struct WholeRow<'a> {
    blocks: &'a BlockLayout,
    /// The neighbours of each free point, and the lines, as subsets.
    neighbours: Vec<u32>,
    lines: Vec<u32>,
}

/// Takes the sets that slides start from, for one block. A trait rather than closures, so that its code is
/// always inlined where the processor's instructions may be used.
trait Sink {
    fn add(&mut self, before: BlockWords);
}

/// Adds the sets before some slides to these blocks: with the words of each block exchanged by `WORD`, and
/// the bits of each word shifted by `distance`.
#[inline(always)]
fn add<const WORD: usize>(
    sinks: &mut [impl Sink],
    blocks: &[BlockWords],
    from: &Stone,
    distance: u32,
) {
    for (sink, block) in sinks.iter_mut().zip(blocks) {
        let word = |word: usize| (block[word] & from.without[word]).rotate_left(distance);
        sink.add([word(WORD), word(1 ^ WORD), word(2 ^ WORD), word(3 ^ WORD)]);
    }
}

/// Whether a slide starts from a set.
impl Sink for BlockWords {
    #[inline(always)]
    fn add(&mut self, before: BlockWords) {
        for (any, word) in self.iter_mut().zip(before) {
            *any |= word;
        }
    }
}

/// The number of slides that start from a set.
impl Sink for [BlockWords; PLANES] {
    #[inline(always)]
    fn add(&mut self, mut carried: BlockWords) {
        for plane in self {
            for (plane, carried) in plane.iter_mut().zip(&mut carried) {
                (*plane, *carried) = (*plane ^ *carried, *plane & *carried);
            }
        }
    }
}

impl<'a> WholeRow<'a> {
    /// The slides among the points outside the row's set; `None` if counts might not fit into the
    /// planes.
    pub(crate) fn new(
        blocks: &'a BlockLayout,
        board: &Board,
        waiting: PointSet,
    ) -> Option<WholeRow<'a>> {
        let free = !waiting;
        if board.edges_within(free).count_ones() >= 1 << PLANES {
            return None;
        }
        let subset = |set: PointSet| bits::pext(set.bits(), free.bits());
        let lines = board.lines().iter().copied();
        let lines = lines.filter(|line| line.is_subset(free)).map(subset);
        let points = free.into_iter();
        let neighbours = points.map(|point| subset(board.neighbours(point)));
        Some(WholeRow {
            blocks,
            neighbours: neighbours.collect(),
            lines: lines.collect(),
        })
    }

    /// Marks, instead of the marked columns, those from which a quiet slide leads to one of them.
    #[inline(always)]
    pub(crate) fn origins<B: Bits>(&self, bits: B, scratch: &mut WholeRowScratch) {
        let WholeRowScratch {
            columns,
            after,
            arrived,
            before,
            ..
        } = scratch;
        after.resize(self.blocks.count, [0; WORDS]);
        self.blocks.spread(bits, columns, after.as_flattened_mut());
        arrived.resize(after.len(), [0; WORDS]);
        before.clear();
        before.resize(after.len(), [0; WORDS]);
        self.slide_back(after, arrived, before);
        self.blocks.gather(bits, before.as_flattened(), columns);
    }

    /// The number of quiet slides from each column to those that were marked before the last call
    /// of [`WholeRow::origins`].
    #[inline(always)]
    pub(crate) fn count<'s, B: Bits>(&self, bits: B, scratch: &'s mut WholeRowScratch) -> &'s [u8] {
        let WholeRowScratch {
            columns,
            after,
            arrived,
            before,
            planes,
            counts,
        } = scratch;
        planes.clear();
        planes.resize(after.len(), [[0; WORDS]; PLANES]);
        self.slide_back(after, arrived, planes);
        counts.clear();
        counts.resize(columns.len() * 64, 0);
        for plane in 0..PLANES {
            for (block, planes) in before.iter_mut().zip(&*planes) {
                *block = planes[plane];
            }
            self.blocks.gather(bits, before.as_flattened(), columns);
            for (i, eight) in counts.as_chunks_mut::<8>().0.iter_mut().enumerate() {
                let marks = columns[i / 8] >> (i % 8 * 8);
                let ones = bits.pdep_wide(marks, EACH_BYTE) << plane;
                *eight = (u64::from_le_bytes(*eight) | ones).to_le_bytes();
            }
        }
        counts
    }

    #[inline(always)]
    fn slide_back(
        &self,
        after: &[BlockWords],
        arrived: &mut [BlockWords],
        sinks: &mut [impl Sink],
    ) {
        let count = after.len();
        for (bit, &neighbours) in self.neighbours.iter().enumerate() {
            let to = &STONES[bit];
            for run in runs(count, to.high, 0) {
                for (arrived, after) in arrived[run.clone()].iter_mut().zip(&after[run]) {
                    *arrived = both(after, &to.with);
                }
            }
            for line in &self.lines {
                if line >> bit & 1 == 0 {
                    continue;
                }
                let (mut high, mut with) = (to.high, [u64::MAX; WORDS]);
                for other in Ones(u64::from(line & !(1 << bit))) {
                    let other = &STONES[other];
                    high |= other.high;
                    with = both(&with, &other.with);
                }
                let open = with.map(|word| !word);
                for run in runs(count, high, 0) {
                    for arrived in &mut arrived[run] {
                        *arrived = both(arrived, &open);
                    }
                }
            }
            for from in Ones(u64::from(neighbours)) {
                let from = &STONES[from];
                let flipped = to.high ^ from.high;
                let distance = from.low.wrapping_sub(to.low) % 64;
                for run in runs(count, to.high, from.high) {
                    let sinks = &mut sinks[run.start ^ flipped..][..run.len()];
                    let blocks = &arrived[run];
                    match to.word ^ from.word {
                        0 => add::<0>(sinks, blocks, from, distance),
                        1 => add::<1>(sinks, blocks, from, distance),
                        2 => add::<2>(sinks, blocks, from, distance),
                        _ => add::<3>(sinks, blocks, from, distance),
                    }
                }
            }
        }
    }
}

/// The bits of both blocks.
#[inline(always)]
fn both(a: &BlockWords, b: &BlockWords) -> BlockWords {
    let mut both = *a;
    for (both, b) in both.iter_mut().zip(b) {
        *both &= b;
    }
    both
}

/// The numbers below `count`, a power of two, that have the bits of `with` and none of those of
/// `without`, in runs of neighbours.
#[inline(always)]
fn runs(count: usize, with: usize, without: usize) -> Runs {
    let fixed = with | without;
    let length = match fixed {
        0 => count,
        _ => fixed & fixed.wrapping_neg(),
    };
    Runs {
        with,
        length,
        others: (count - 1) & !fixed & !(length - 1),
        next: Some(0),
    }
}

struct Runs {
    with: usize,
    length: usize,
    /// The other bits in which the first numbers of two runs differ, and those of the next run.
    others: usize,
    next: Option<usize>,
}

impl Iterator for Runs {
    type Item = Range<usize>;

    #[inline(always)]
    fn next(&mut self) -> Option<Range<usize>> {
        let number = self.next?;
        let after = (number | !self.others).wrapping_add(1) & self.others;
        self.next = (after != 0).then_some(after);
        let start = number | self.with;
        Some(start..start + self.length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::bits::{Kernel, Portable, dispatch};
    use crate::index::Material;
    use crate::random::Random;
    use crate::rules::Rules;
    use crate::solve::pair::half::{HalfShape, RowTurns};

    /// The marks and the counts of a row as a whole.
    struct MarksAndCounts<'a> {
        row: &'a WholeRow<'a>,
        marks: &'a [u64],
    }

    impl Kernel for MarksAndCounts<'_> {
        type Output = (Vec<u64>, Vec<u8>);

        #[inline(always)]
        fn run<B: Bits>(self, bits: B) -> Self::Output {
            let mut scratch = WholeRowScratch::default();
            scratch.columns.extend(self.marks);
            self.row.origins(bits, &mut scratch);
            let origins = scratch.columns.clone();
            (origins, self.row.count(bits, &mut scratch).to_vec())
        }
    }

    proptest::proptest! {
        #[test]
        fn a_whole_row_has_the_origins_of_its_columns(
            diagonals: bool, mover in 3u8..=12, waiting in 3u8..=12, row: u32, sparse: u64, seed: u64,
        ) {
            let rules = Rules { diagonals, ..Rules::STANDARD };
            let shape = HalfShape::new(&rules, Material::new(mover, waiting));
            let waiting = shape.rows.set(row as usize % shape.rows.len());
            let Some(row) = WholeRow::new(&shape.blocks, rules.board(), waiting) else {
                proptest::prop_assume!(false);
                unreachable!();
            };
            let columns = shape.columns.count();
            let mut random = Random::new(seed);
            let mut mark = || random.word() & random.word() & (sparse | random.word());
            let mut marks: Vec<u64> = (0..columns.div_ceil(64)).map(|_| mark()).collect();
            if !columns.is_multiple_of(64) {
                *marks.last_mut().unwrap() &= (1 << (columns % 64)) - 1;
            }
            marks.extend([0; 2]);

            let turns = RowTurns::new(Portable, &shape, waiting);
            let mut expected = vec![0; columns];
            for (column, &subset) in shape.subsets.iter().enumerate() {
                if marks[column / 64] >> (column % 64) & 1 == 1 {
                    for origin in turns.quiet_origins::<_, false>(Portable, subset) {
                        expected[origin] += 1;
                    }
                }
            }
            let check = || MarksAndCounts { row: &row, marks: &marks };
            for (origins, counts) in [check().run(Portable), dispatch(check())] {
                proptest::prop_assert_eq!(&counts[..columns], &expected);
                proptest::prop_assert!(counts[columns..].iter().all(|&count| count == 0));
                for (column, &count) in counts.iter().enumerate() {
                    let marked = origins[column / 64] >> (column % 64) & 1 == 1;
                    proptest::prop_assert_eq!(marked, count > 0);
                }
            }
        }
    }
}
