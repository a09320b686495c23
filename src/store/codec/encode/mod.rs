//! Encodes blocks: the inverse of `decode`.
//!
//! - `contexts`: the contexts and symbols of a block's values
//! - `train`: the model of a table

mod contexts;
#[cfg(test)]
mod tests;
mod train;

pub(crate) use train::{Budget, Training};

use self::contexts::contexts;
use super::ESCAPE;
use super::context::{BlockScratch, RowShape, TableShape};
use super::model::{ESCAPED_FREQUENCY, Model, SCALE, TOTAL};

/// A symbol with its place in a distribution: cumulative frequency · 2^20 + (frequency - 1) · 2^8 +
/// symbol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Code(u32);

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

/// `state / frequency` for a state below frequency · 2^20, by multiplication, which takes less
/// time.
///
/// The reciprocal is 2^44 / frequency, rounded up. So the product exceeds 2^44 · state / frequency
/// by less than the state, hence by less than 2^32. That is too little to reach the next multiple
/// of 2^44, which is at least 2^44 / frequency ≥ 2^32 away.
#[inline(always)]
fn quotient(state: u32, frequency: u32) -> u32 {
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
#[derive(Default)]
pub(crate) struct EncoderScratch {
    block: BlockScratch,
    codes: Vec<Code>,
    words: Vec<u16>,
}

/// Codes blocks with one model.
pub(crate) struct Encoder<'a> {
    shape: &'a TableShape,
    model: Model,
    /// For each distribution and symbol: the symbol's code, or that of the escape.
    codes: Vec<[Code; 256]>,
}

impl<'a> Encoder<'a> {
    /// An encoder with the model that these bytes describe; `None` if they are not a valid model.
    pub fn new(shape: &'a TableShape, model: &[u8]) -> Option<Encoder<'a>> {
        let (model, distributions) = Model::with_distributions(model)?;
        Some(Encoder {
            shape,
            codes: distributions.iter().map(|all| codes(all)).collect(),
            model,
        })
    }

    /// Appends the bytes of a row's block with these values.
    pub fn encode(
        &self,
        row: &RowShape,
        number: usize,
        values: &[u8],
        scratch: &mut EncoderScratch,
        out: &mut Vec<u8>,
    ) {
        let EncoderScratch {
            block,
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
        contexts(self.shape, row, number, values, block, see);
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

/// The code of each symbol in a distribution.
fn codes(distribution: &[(u8, u16)]) -> [Code; 256] {
    let mut first = 0;
    let mut codes = [Code::NONE; 256];
    for &(symbol, frequency) in distribution {
        let code = Code::new(first, frequency.into(), symbol);
        first += u32::from(frequency);
        if symbol == ESCAPE {
            let none = codes.iter_mut().filter(|code| **code == Code::NONE);
            none.for_each(|missing| *missing = code);
        } else {
            codes[usize::from(symbol)] = code;
        }
    }
    codes
}
