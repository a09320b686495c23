//! Decodes the bytes of blocks with rANS: the state is a number that holds all remaining symbols.
//! Decoding a symbol multiplies the state by the symbol's probability, and reads 16 bits whenever
//! the state gets too small.
//!
//! The state is 0 after the last symbol. So encoding, which goes backwards, starts with a small
//! state and writes no word as long as the state stays below [`LEAST`]:
//!
//! ```text
//! bytes of a block    state, 3 or 4 bytes | words of 2 bytes    a whole block of up to 4 bytes is the state
//! ```
//!
//! The highest byte of a state is omitted if it is zero. Words follow only a state of at least
//! 2^16, which has 3 or 4 bytes: the parity of the block's length says which.

use super::context::{BlockScratch, BlockShape, RowShape, Symbols, TableShape};
use super::model::{ESCAPED_FREQUENCY, Model, TOTAL};
use super::{ESCAPE, UNKNOWN, value, value_of_result};
use crate::board::bits::{self, Bits, Kernel};
use crate::store::profile::{Compression, Profile};
use crate::value::Metric;

/// A smaller state reads the next word, if there is one.
const LEAST: u32 = 1 << 16;

/// A block to decode.
pub(crate) struct Block<'a> {
    pub shape: &'a BlockShape,
    pub bytes: &'a [u8],
    /// The place for its first values, as many as there is room for; 0 for values that are not
    /// stored.
    pub values: &'a mut [u8],
}

/// A block with memory to decode it.
type BlockIn<'a> = (Block<'a>, &'a mut BlockScratch);

/// The tables with which the blocks of a row are decoded.
#[derive(Clone, Copy)]
pub(crate) struct RowDecoder<'a> {
    pub shape: &'a TableShape,
    pub model: &'a Model,
    pub row: &'a RowShape,
}

impl RowDecoder<'_> {
    /// Decodes blocks alternately, one symbol of each in turn. A symbol depends on the one before
    /// it, so with a single block the processor mostly waits. Damage after the last requested value
    /// is not detected.
    pub fn decode<const BLOCKS: usize>(
        self,
        mut blocks: [BlockIn<'_>; BLOCKS],
    ) -> Result<(), &'static str> {
        for (block, scratch) in &mut blocks {
            let places = &mut scratch.places;
            self.shape
                .places(self.row, block.shape, block.values.len(), places);
        }
        let ends = bits::dispatch(DecodeSymbols {
            row: self,
            blocks: &mut blocks,
        });
        let mut result = Ok(());
        for ((block, scratch), is_end) in blocks.into_iter().zip(ends) {
            // After an error, too, since this clears the memory for the next blocks.
            result = result.and(match self.shape.parameters.profile.metric {
                Metric::Depth => block.finish(scratch, is_end, value),
                Metric::Wdl => block.finish(scratch, is_end, value_of_result),
            });
        }
        result
    }
}

impl Block<'_> {
    /// Fills in the values of the decoded symbols; `is_end` says whether no byte is left.
    fn finish(
        self,
        scratch: &mut BlockScratch,
        is_end: bool,
        value: impl Fn(u8) -> u8,
    ) -> Result<(), &'static str> {
        let BlockScratch { symbols, places } = scratch;
        let values = self.values;
        let symbols = &mut symbols[..values.len()];
        if places.len() == values.len() {
            for (value_there, &symbol) in values.iter_mut().zip(&*symbols) {
                *value_there = value(symbol);
            }
        } else {
            values.fill(0);
            for &place in &*places {
                values[usize::from(place)] = value(symbols[usize::from(place)]);
            }
        }
        symbols.fill(UNKNOWN);
        match is_end || values.len() < self.shape.subsets.len() {
            true => Ok(()),
            false => Err("the block does not end with its last value"),
        }
    }
}

/// Decodes the symbols at the places in the blocks' scratch memory, and returns whether each block
/// ends with its last symbol.
struct DecodeSymbols<'a, 'b, const BLOCKS: usize> {
    row: RowDecoder<'b>,
    blocks: &'b mut [BlockIn<'a>; BLOCKS],
}

/// A block while its symbols are decoded.
struct Lane<'a, 'b> {
    block: &'a BlockShape,
    symbols: &'b mut Symbols,
    places: &'b [u16],
    decoder: Decoder<'a>,
    last: u8,
}

impl<const BLOCKS: usize> Kernel for DecodeSymbols<'_, '_, BLOCKS> {
    type Output = [bool; BLOCKS];

    #[inline(always)]
    fn run<B: Bits>(self, _bits: B) -> [bool; BLOCKS] {
        let Profile {
            metric,
            compression,
        } = self.row.shape.parameters.profile;
        match (metric, compression) {
            (Metric::Depth, Compression::Quick) => self.decode::<true, 5, 3>(),
            (Metric::Depth, Compression::Max) => self.decode::<true, 15, 6>(),
            (Metric::Wdl, Compression::Quick) => self.decode::<false, 10, 3>(),
            (Metric::Wdl, Compression::Max) => self.decode::<false, 16, 6>(),
        }
    }
}

impl<const BLOCKS: usize> DecodeSymbols<'_, '_, BLOCKS> {
    #[inline(always)]
    fn decode<const DEPTHS: bool, const NEAR: usize, const SLIDES: usize>(self) -> [bool; BLOCKS] {
        let mut lanes = self.blocks.each_mut().map(|(block, scratch)| Lane {
            block: block.shape,
            symbols: &mut scratch.symbols,
            places: &scratch.places,
            decoder: Decoder::new(block.bytes),
            last: UNKNOWN,
        });
        let shared = lanes.iter().map(|lane| lane.places.len()).min();
        let shared = shared.unwrap_or(0);
        for number in 0..shared {
            for lane in &mut lanes {
                lane.step::<DEPTHS, NEAR, SLIDES>(self.row, number);
            }
        }
        lanes.map(|mut lane| {
            for number in shared..lane.places.len() {
                lane.step::<DEPTHS, NEAR, SLIDES>(self.row, number);
            }
            lane.decoder.state == 0 && lane.decoder.rest.is_empty()
        })
    }
}

impl Lane<'_, '_> {
    #[inline(always)]
    fn step<const DEPTHS: bool, const NEAR: usize, const SLIDES: usize>(
        &mut self,
        with: RowDecoder<'_>,
        number: usize,
    ) {
        let RowDecoder { shape, model, row } = with;
        let place = usize::from(self.places[number]);
        let context =
            shape.context::<DEPTHS, NEAR, SLIDES>(row, self.block, self.symbols, place, self.last);
        self.last = self.decoder.symbol(model, model.distribution(context));
        self.symbols[place] = self.last;
    }
}

/// The state and the bytes that follow.
struct Decoder<'a> {
    state: u32,
    rest: &'a [u8],
}

impl<'a> Decoder<'a> {
    fn new(bytes: &'a [u8]) -> Decoder<'a> {
        let length = match bytes.len() {
            short @ 0..=4 => short,
            long => 4 - long % 2,
        };
        let (state, rest) = bytes.split_at(length);
        let mut first = [0; 4];
        first[..length].copy_from_slice(state);
        Decoder {
            state: u32::from_le_bytes(first),
            rest,
        }
    }

    #[inline(always)]
    fn slot(&self) -> u32 {
        self.state % TOTAL
    }

    /// Removes a symbol with this frequency from the state.
    #[inline(always)]
    fn pass(&mut self, first: u32, frequency: u32) {
        // With states that no encoder produces, the product may overflow 32 bits.
        let state = frequency
            .wrapping_mul(self.state / TOTAL)
            .wrapping_add(self.slot())
            .wrapping_sub(first);
        let (word, rest, more) = match self.rest {
            [low, high, rest @ ..] => (u16::from_le_bytes([*low, *high]), rest, true),
            _ => (0, self.rest, false),
        };
        let low = state < LEAST && more;
        self.state = if low {
            state << 16 | u32::from(word)
        } else {
            state
        };
        self.rest = if low { rest } else { self.rest };
    }

    #[inline(always)]
    fn symbol(&mut self, model: &Model, mut group: usize) -> u8 {
        loop {
            let symbols = &model.groups[group];
            if let Some((symbol, first, frequency)) = symbols.find(self.slot()) {
                self.pass(first, frequency);
                return match symbol {
                    ESCAPE => self.escaped(),
                    symbol => symbol,
                };
            }
            group = symbols.next.into();
        }
    }

    /// One of the 256 symbols that follow [`ESCAPE`].
    #[cold]
    fn escaped(&mut self) -> u8 {
        let symbol = self.slot() / ESCAPED_FREQUENCY;
        self.pass(symbol * ESCAPED_FREQUENCY, ESCAPED_FREQUENCY);
        symbol as u8
    }
}
