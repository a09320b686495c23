//! How the values of a table become bytes and values again: the one place that knows the
//! compression.
//!
//! A **block** is a run of columns of one row. Its values are coded one after the other with rANS,
//! a form of arithmetic coding; how many bits a value takes depends on how likely its context makes
//! it. A reader knows the context before the value:
//!
//! - **near**: the median of a few columns before it, nearest first, that differ in the place of one
//!   stone,
//! - **best**, **worst**: among some columns before it that one slide of a waiting stone makes, the
//!   best and the worst value for the mover,
//! - **class**: on how many points the waiting side threatens to close a mill, and on how many the
//!   mover can; in the placing phase, where a stone from the hand may close one.
//!
//! A [`Model`], trained on a sample of the table and kept in the file, says how likely each value is
//! in each context. Values are coded as **symbols**, the bytes in the order from the mover's quickest
//! win to its quickest loss, so that neighbouring symbols are similar values.
//!
//! - `coverage`: which entries of a table are coded at all
//! - `context`: what is known of an entry before its value
//! - `model`: the likelihoods, and their bytes
//! - `coder`: blocks to bytes and back
//! - `train`: making a model

mod coder;
mod context;
mod coverage;
mod model;
#[cfg(all(test, feature = "build"))]
mod tests;
#[cfg(feature = "build")]
mod train;

pub(crate) use coder::decode;
#[cfg(feature = "build")]
pub(crate) use coder::{Encoder, EncoderScratch};
pub(crate) use context::{Row, Scratch, Shape};
#[cfg(feature = "build")]
pub(crate) use coverage::is_even;
pub(crate) use coverage::{Coverage, SetMarks, can_omit, is_derived};
pub(crate) use model::Model;
#[cfg(feature = "build")]
pub(crate) use train::{Budget, Training};

/// How the blocks of a table are made. Longer blocks and contexts that look at more make smaller
/// files that take longer to write and to read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Parameters {
    /// The most columns of a block.
    pub columns: u16,
    /// How many near columns the median is taken of: 5 or 15.
    pub near: u8,
    /// How many slides are looked at: 3 or 6.
    pub slides: u8,
}

impl Parameters {
    /// The fewest and the most columns that a reader accepts for the most of a block.
    const COLUMNS: std::ops::RangeInclusive<u16> = 64..=8192;

    /// Contexts that are quick to decode.
    #[cfg(feature = "build")]
    pub const fn quick(columns: u16) -> Parameters {
        Parameters {
            columns,
            near: 5,
            slides: 3,
        }
    }

    /// Contexts that make small files.
    #[cfg(feature = "build")]
    pub const fn small(columns: u16) -> Parameters {
        Parameters {
            columns,
            near: 15,
            slides: 6,
        }
    }

    /// Whether contexts look at as much as [`Parameters::small`] has them.
    pub const fn are_small(self) -> bool {
        self.near > 5
    }

    /// Whether a reader can decode what was written with these parameters.
    pub fn are_known(self) -> bool {
        let contexts = matches!((self.near, self.slides), (5, 3) | (15, 6));
        Parameters::COLUMNS.contains(&self.columns) && contexts
    }
}

/// The symbol of the loss in no turn, which says as little about other values as a missing symbol.
const UNKNOWN: u8 = 255;

/// Stands in a distribution for all symbols that it does not have. As a symbol itself, it is a win in 253
/// turns.
const ESCAPE: u8 = 126;

/// From values to symbols: wins first, the quick ones in front; draws; losses, the slow ones in front.
#[cfg(feature = "build")]
fn symbol(value: u8) -> u8 {
    match value {
        0 => 127,
        win if win % 2 == 0 => win / 2 - 1,
        loss => 255 - loss / 2,
    }
}

/// From symbols to values.
fn value(symbol: u8) -> u8 {
    // Computed both ways before the choice, which then takes no branch: neighbours often differ.
    let win = symbol.wrapping_mul(2).wrapping_add(2);
    let loss = 255u8.wrapping_sub(symbol.wrapping_mul(2));
    match symbol {
        127 => 0,
        _ if symbol < 127 => win,
        _ => loss,
    }
}
