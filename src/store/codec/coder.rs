//! Blocks to bytes and back, with rANS: the state is a number that holds all keys to come; each key
//! takes what its slots are worth, and 16 bits follow whenever the state gets too small.
//!
//! The state is 0 after the last key. So it starts small at the end of a block, and no word follows
//! as long as it stays below [`LEAST`]:
//!
//! ```text
//! bytes of a block    state, 3 or 4 bytes | words of 2 bytes    a whole block of up to 4 bytes is the state
//! ```
//!
//! The highest byte of a state is missing where it is zero. Words follow only a state of at least
//! 2^16, which has 3 bytes or 4: the length of the block says which, as words make it odd or even.

use std::ops::Range;

use super::context::{Row, Scratch, Shape};
#[cfg(feature = "build")]
use super::model::SCALE;
use super::model::{ESCAPED_SLOTS, Model, SLOTS};
use super::{ESCAPE, UNKNOWN, value};

/// Below this a state takes the next word, as long as there is one.
const LEAST: u32 = 1 << 16;

/// A key's part of the slots: first slot · 2^20 + (number of slots - 1) · 2^8 + key.
#[cfg(feature = "build")]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Code(u32);

#[cfg(feature = "build")]
impl Code {
    const NONE: Code = Code(0);

    fn new(first: u32, slots: u32, key: u8) -> Code {
        Code(first << 20 | (slots - 1) << 8 | u32::from(key))
    }

    /// One of the 256 keys behind [`ESCAPE`].
    fn escaped(key: u8) -> Code {
        Code::new(u32::from(key) * ESCAPED_SLOTS, ESCAPED_SLOTS, key)
    }

    fn first(self) -> u32 {
        self.0 >> 20
    }

    fn slots(self) -> u32 {
        (self.0 >> 8 & (SLOTS - 1)) + 1
    }

    fn key(self) -> u8 {
        self.0 as u8
    }
}

/// Memory that an encoder uses again for each block.
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
    /// Of each distribution by key: the code, the escape's where there is none.
    codes: Vec<[Code; 256]>,
}

#[cfg(feature = "build")]
impl<'a> Encoder<'a> {
    pub fn new(shape: &'a Shape, model: &'a Model) -> Encoder<'a> {
        let mut codes = Vec::new();
        for keys in &model.distributions {
            let mut first = 0;
            let mut by_key = [Code::NONE; 256];
            for &(key, slots) in keys {
                let code = Code::new(first, slots.into(), key);
                first += u32::from(slots);
                if key == ESCAPE {
                    let none = by_key.iter_mut().filter(|code| **code == Code::NONE);
                    none.for_each(|missing| *missing = code);
                } else {
                    by_key[usize::from(key)] = code;
                }
            }
            codes.push(by_key);
        }
        Encoder {
            shape,
            model,
            codes,
        }
    }

    /// Adds the bytes of a block, the columns of the row from `start` on with these values.
    pub fn encode(
        &self,
        row: &Row,
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
        let see = |context, key| {
            let code = self.codes[self.model.distribution(context)][usize::from(key)];
            codes.push(code);
            if code.key() == ESCAPE {
                codes.push(Code::escaped(key));
            }
        };
        self.shape.contexts(row, start, values, contexts, see);
        words.clear();
        let mut state = 0u32;
        for code in codes.iter().rev() {
            if u64::from(state) >= u64::from(code.slots()) << (32 - SCALE) {
                words.push(state as u16);
                state >>= 16;
            }
            state = (state / code.slots()) << SCALE | (state % code.slots() + code.first());
        }
        let bytes = state.to_le_bytes();
        let zeros = bytes.iter().rev().take_while(|&&byte| byte == 0);
        out.extend(&bytes[..bytes.len() - zeros.count()]);
        out.extend(words.iter().rev().flat_map(|word| word.to_le_bytes()));
    }
}

/// Decodes the first values of a block: `values` gets as many as it has room for, zeros where they
/// are not stored.
///
/// # Errors
///
/// If the bytes are those of no such block. What is wrong behind the values asked for is not seen.
pub(crate) fn decode(
    shape: &Shape,
    model: &Model,
    row: &Row,
    columns: Range<usize>,
    bytes: &[u8],
    values: &mut [u8],
    scratch: &mut Scratch,
) -> Result<(), &'static str> {
    let whole = values.len() == columns.len();
    let asked = columns.start..columns.start + values.len();
    shape.places(row, asked, &mut scratch.places);
    let decoder = match shape.parameters().near {
        5 => decode_keys::<5, 3>(shape, model, row, columns.start, bytes, scratch),
        _ => decode_keys::<15, 6>(shape, model, row, columns.start, bytes, scratch),
    };
    values.fill(0);
    for &place in &scratch.places {
        values[usize::from(place)] = value(scratch.keys[usize::from(place)]);
    }
    scratch.keys[..values.len()].fill(UNKNOWN);
    if whole && (decoder.state != 0 || !decoder.rest.is_empty()) {
        return Err("the block does not end with its last value");
    }
    Ok(())
}

/// Decodes the keys of the scratch memory's places.
fn decode_keys<'a, const NEAR: usize, const SLIDES: usize>(
    shape: &Shape,
    model: &Model,
    row: &Row,
    start: usize,
    bytes: &'a [u8],
    Scratch { keys, places, .. }: &mut Scratch,
) -> Decoder<'a> {
    let mut decoder = Decoder::new(bytes);
    let mut last = UNKNOWN;
    for &place in places.iter() {
        let place = usize::from(place);
        let context = shape.context::<NEAR, SLIDES>(row, keys, start, place, last);
        last = decoder.key(model, model.distribution(context));
        keys[place] = last;
    }
    decoder
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
        self.state % SLOTS
    }

    /// Goes on behind a key with these slots.
    #[inline(always)]
    fn pass(&mut self, first: u32, slots: u32) {
        // With states that no encoder makes, the product may be too large for 32 bits.
        let state = slots
            .wrapping_mul(self.state / SLOTS)
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
    fn key(&mut self, model: &Model, mut group: usize) -> u8 {
        loop {
            let keys = &model.groups[group];
            if let Some((key, first, slots)) = keys.find(self.slot()) {
                self.pass(first, slots);
                return match key {
                    ESCAPE => self.escaped(),
                    key => key,
                };
            }
            group = keys.next.into();
        }
    }

    /// One of the 256 keys behind [`ESCAPE`].
    #[cold]
    fn escaped(&mut self) -> u8 {
        let key = self.slot() / ESCAPED_SLOTS;
        self.pass(key * ESCAPED_SLOTS, ESCAPED_SLOTS);
        key as u8
    }
}
