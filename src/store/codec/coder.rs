//! Encodes blocks as bytes and decodes them, with rANS: the state is a number that holds all
//! remaining symbols. Decoding a symbol divides the state by the reciprocal of the symbol's
//! probability, and reads 16 bits whenever the state gets too small.
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

use std::ops::Range;

use super::context::{RowShape, Scratch, Shape, Symbols};
#[cfg(feature = "build")]
use super::model::SCALE;
use super::model::{ESCAPED_FREQUENCY, Model, TOTAL};
use super::{ESCAPE, UNKNOWN, value};
use crate::board::bits::{self, Bits, Kernel};

/// A smaller state reads the next word, if there is one.
const LEAST: u32 = 1 << 16;

/// A symbol with its place in a distribution: cumulative frequency · 2^20 + (frequency - 1) · 2^8 +
/// symbol.
#[cfg(feature = "build")]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Code(u32);

#[cfg(feature = "build")]
impl Code {
    const NONE: Code = Code(0);

    fn new(first: u32, frequency: u32, symbol: u8) -> Code {
        Code(first << 20 | (frequency - 1) << 8 | u32::from(symbol))
    }

    /// One of the 256 symbols that follow [`ESCAPE`].
    fn escaped(symbol: u8) -> Code {
        Code::new(
            u32::from(symbol) * ESCAPED_FREQUENCY,
            ESCAPED_FREQUENCY,
            symbol,
        )
    }

    fn first(self) -> u32 {
        self.0 >> 20
    }

    fn frequency(self) -> u32 {
        (self.0 >> 8 & (TOTAL - 1)) + 1
    }

    fn symbol(self) -> u8 {
        self.0 as u8
    }
}

/// `state / frequency` for a state below frequency · 2^20, by multiplication, which takes less time.
///
/// The reciprocal is 2^44 / frequency, rounded up. So the product exceeds 2^44 · state / frequency by
/// less than the state, hence by less than 2^32. That is too little to reach the next multiple of 2^44,
/// which is at least 2^44 / frequency ≥ 2^32 away.
#[cfg(feature = "build")]
#[inline(always)]
pub(super) fn quotient(state: u32, frequency: u32) -> u32 {
    static RECIPROCALS: [u64; TOTAL as usize] = {
        let mut reciprocals = [0; TOTAL as usize];
        let mut frequency = 1;
        while frequency <= TOTAL {
            reciprocals[frequency as usize - 1] = (1u64 << 44).div_ceil(frequency as u64);
            frequency += 1;
        }
        reciprocals
    };
    ((u64::from(state) * RECIPROCALS[frequency as usize - 1]) >> 44) as u32
}

/// Memory that an encoder reuses for each block.
#[cfg(feature = "build")]
#[derive(Default)]
pub(crate) struct EncoderScratch {
    contexts: Scratch,
    codes: Vec<Code>,
    words: Vec<u16>,
}

/// Codes blocks with one model.
#[cfg(feature = "build")]
pub(crate) struct Encoder<'a> {
    shape: &'a Shape,
    model: &'a Model,
    /// For each distribution and symbol: the symbol's code, or that of the escape.
    codes: Vec<[Code; 256]>,
}

#[cfg(feature = "build")]
impl<'a> Encoder<'a> {
    pub fn new(shape: &'a Shape, model: &'a Model) -> Encoder<'a> {
        let mut codes = Vec::new();
        for symbols in &model.distributions {
            let mut first = 0;
            let mut by_symbol = [Code::NONE; 256];
            for &(symbol, frequency) in symbols {
                let code = Code::new(first, frequency.into(), symbol);
                first += u32::from(frequency);
                if symbol == ESCAPE {
                    let none = by_symbol.iter_mut().filter(|code| **code == Code::NONE);
                    none.for_each(|missing| *missing = code);
                } else {
                    by_symbol[usize::from(symbol)] = code;
                }
            }
            codes.push(by_symbol);
        }
        Encoder {
            shape,
            model,
            codes,
        }
    }

    /// Appends the bytes of a block: the columns of the row from `start` on, with these values.
    pub fn encode(
        &self,
        row: &RowShape,
        start: usize,
        values: &[u8],
        scratch: &mut EncoderScratch,
        out: &mut Vec<u8>,
    ) {
        let EncoderScratch {
            contexts,
            codes,
            words,
        } = scratch;
        codes.clear();
        let see = |context, symbol| {
            let code = self.codes[self.model.distribution(context)][usize::from(symbol)];
            codes.push(code);
            if code.symbol() == ESCAPE {
                codes.push(Code::escaped(symbol));
            }
        };
        self.shape.contexts(row, start, values, contexts, see);
        words.clear();
        let mut state = 0u32;
        for code in codes.iter().rev() {
            let frequency = code.frequency();
            if u64::from(state) >= u64::from(frequency) << (32 - SCALE) {
                words.push(state as u16);
                state >>= 16;
            }
            // (state / frequency) · TOTAL + state % frequency + first
            state += code.first() + quotient(state, frequency) * (TOTAL - frequency);
        }
        let bytes = state.to_le_bytes();
        let zeros = bytes.iter().rev().take_while(|&&byte| byte == 0);
        out.extend(&bytes[..bytes.len() - zeros.count()]);
        out.extend(words.iter().rev().flat_map(|word| word.to_le_bytes()));
    }
}

/// A block to decode.
pub(crate) struct Block<'a> {
    /// All columns of the block.
    pub columns: Range<usize>,
    pub bytes: &'a [u8],
    /// The place for its first values, as many as there is room for; 0 for values that are not
    /// stored.
    pub values: &'a mut [u8],
}

/// A block with memory to decode it.
type BlockIn<'a> = (Block<'a>, &'a mut Scratch);

/// Decodes some blocks of a row in turns. A symbol depends on those before it, so that the processor
/// mostly waits when it decodes a block alone.
///
/// # Errors
///
/// If the bytes are not such blocks. Damage after the last requested value is not detected.
pub(crate) fn decode<const BLOCKS: usize>(
    shape: &Shape,
    model: &Model,
    row: &RowShape,
    mut blocks: [BlockIn<'_>; BLOCKS],
) -> Result<(), &'static str> {
    for (block, scratch) in &mut blocks {
        let start = block.columns.start;
        let asked = start..start + block.values.len();
        shape.places(row, asked, &mut scratch.places);
    }
    let decoders = bits::dispatch(DecodeSymbols {
        shape,
        model,
        row,
        blocks: &mut blocks,
    });
    let mut result = Ok(());
    for ((block, scratch), decoder) in blocks.into_iter().zip(decoders) {
        // After an error, too, since this clears the memory for the next blocks.
        result = result.and(block.finish(scratch, &decoder));
    }
    result
}

impl Block<'_> {
    /// Fills in the values of the symbols that are decoded.
    fn finish(self, scratch: &mut Scratch, decoder: &Decoder<'_>) -> Result<(), &'static str> {
        let Block {
            columns, values, ..
        } = self;
        let Scratch { symbols, places } = scratch;
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
        let whole = values.len() == columns.len();
        if whole && (decoder.state != 0 || !decoder.rest.is_empty()) {
            return Err("the block does not end with its last value");
        }
        Ok(())
    }
}

/// Decodes the symbols at the places in the blocks' scratch memory.
struct DecodeSymbols<'a, 'b, const BLOCKS: usize> {
    shape: &'b Shape,
    model: &'b Model,
    row: &'b RowShape,
    blocks: &'b mut [BlockIn<'a>; BLOCKS],
}

/// A block while its symbols are decoded.
struct Lane<'a, 'b> {
    start: usize,
    symbols: &'b mut Symbols,
    places: &'b [u16],
    decoder: Decoder<'a>,
    last: u8,
}

impl<'a, const BLOCKS: usize> Kernel for DecodeSymbols<'a, '_, BLOCKS> {
    type Output = [Decoder<'a>; BLOCKS];

    #[inline(always)]
    fn run<B: Bits>(self, _bits: B) -> [Decoder<'a>; BLOCKS] {
        match self.shape.parameters().near {
            5 => self.decode::<5, 3>(),
            _ => self.decode::<15, 6>(),
        }
    }
}

impl<'a, const BLOCKS: usize> DecodeSymbols<'a, '_, BLOCKS> {
    #[inline(always)]
    fn decode<const NEAR: usize, const SLIDES: usize>(self) -> [Decoder<'a>; BLOCKS] {
        let DecodeSymbols {
            shape,
            model,
            row,
            blocks,
        } = self;
        let mut lanes = blocks.each_mut().map(|(block, scratch)| Lane {
            start: block.columns.start,
            symbols: &mut scratch.symbols,
            places: &scratch.places,
            decoder: Decoder::new(block.bytes),
            last: UNKNOWN,
        });
        let shared = lanes.iter().map(|lane| lane.places.len()).min();
        let shared = shared.unwrap_or(0);
        for number in 0..shared {
            for lane in &mut lanes {
                lane.step::<NEAR, SLIDES>(shape, model, row, number);
            }
        }
        lanes.map(|mut lane| {
            for number in shared..lane.places.len() {
                lane.step::<NEAR, SLIDES>(shape, model, row, number);
            }
            lane.decoder
        })
    }
}

impl Lane<'_, '_> {
    #[inline(always)]
    fn step<const NEAR: usize, const SLIDES: usize>(
        &mut self,
        shape: &Shape,
        model: &Model,
        row: &RowShape,
        number: usize,
    ) {
        let place = usize::from(self.places[number]);
        let context =
            shape.context::<NEAR, SLIDES>(row, self.symbols, self.start, place, self.last);
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
