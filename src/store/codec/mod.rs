//! The compression: encodes the values of a table as bytes and decodes them.
//!
//! A **block** is a run of columns of one row. Its values are coded one after the other with rANS,
//! a form of arithmetic coding; the likelier a value is in its context, the fewer bits it takes. A
//! reader knows the context before the value:
//!
//! - **near**: the median of a few columns before it, nearest first, that differ in the place of one
//!   stone,
//! - **best**, **worst**: among some columns before it that one slide of a waiting stone makes, the
//!   best and the worst value for the mover,
//! - **class**: the number of points on which the waiting side threatens to close a mill, and of
//!   those on which the mover can; in the placing phase, those on which a stone from the hand can.
//!
//! A [`Model`], trained on a sample of the table and stored in the file, gives the likelihood of
//! each value in each context. Values are coded as **symbols**: numbers in the order from the
//! mover's quickest win to its quickest loss, so that neighbouring symbols are similar values.
//!
//! - `coverage`: the entries of a table that are stored
//! - `context`: the facts known before an entry's value
//! - `model`: the likelihoods, and their form as bytes
//! - `coder`: encoding and decoding of blocks
//! - `train`: training a model

mod coder;
mod context;
mod coverage;
mod model;
#[cfg(all(test, feature = "build"))]
mod tests;
#[cfg(feature = "build")]
mod train;

pub(crate) use coder::{Block, decode};
#[cfg(feature = "build")]
pub(crate) use coder::{Encoder, EncoderScratch};
pub(crate) use context::{RowShape, Scratch, Shape};
#[cfg(feature = "build")]
pub(crate) use coverage::alternates;
pub(crate) use coverage::{Coverage, SetMarks, can_omit, is_derived, is_even};
pub(crate) use model::Model;
#[cfg(feature = "build")]
pub(crate) use train::{Budget, Training};

/// Encoder parameters. Longer blocks and contexts that use more columns make files smaller, but
/// slower to write and to read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Parameters {
    /// The most columns of a block.
    pub columns: u16,
    /// The number of near columns in the median: 5 or 15.
    pub near: u8,
    /// The number of slides that a context uses: 3 or 6.
    pub slides: u8,
}

impl Parameters {
    /// The range of `columns` that a reader accepts.
    const COLUMNS: std::ops::RangeInclusive<u16> = 64..=8192;

    /// Parameters that are quick to decode.
    #[cfg(feature = "build")]
    pub const fn quick(columns: u16) -> Parameters {
        Parameters {
            columns,
            near: 5,
            slides: 3,
        }
    }

    /// Parameters that make small files.
    #[cfg(feature = "build")]
    pub const fn small(columns: u16) -> Parameters {
        Parameters {
            columns,
            near: 15,
            slides: 6,
        }
    }

    /// Whether contexts use as many columns as those of [`Parameters::small`].
    pub const fn are_small(self) -> bool {
        self.near > 5
    }

    /// Whether a reader supports these parameters.
    pub fn are_known(self) -> bool {
        let contexts = matches!((self.near, self.slides), (5, 3) | (15, 6));
        Parameters::COLUMNS.contains(&self.columns) && contexts
    }
}

/// Stands for an unknown symbol. As a symbol itself it is the loss in no turn, which says equally
/// little about other values.
const UNKNOWN: u8 = 255;

/// Stands in a distribution for all symbols that the distribution lacks. As a symbol itself it is a
/// win in 253 turns.
const ESCAPE: u8 = 126;

/// Maps values to symbols: wins first, the quickest at the front; then draws; then losses, the
/// slowest at the front.
#[cfg(feature = "build")]
const fn symbol(value: u8) -> u8 {
    match value {
        0 => 127,
        win if win % 2 == 0 => win / 2 - 1,
        loss => 255 - loss / 2,
    }
}

/// [`symbol`] of each value. A look-up has no branch to predict: neighbours often differ.
#[cfg(feature = "build")]
static SYMBOLS: [u8; 256] = {
    let mut symbols = [0; 256];
    let mut value = 0;
    while value < 256 {
        symbols[value] = symbol(value as u8);
        value += 1;
    }
    symbols
};

/// Maps symbols to values.
fn value(symbol: u8) -> u8 {
    // Compute both before choosing, to avoid a branch: neighbours often differ.
    let win = symbol.wrapping_mul(2).wrapping_add(2);
    let loss = 255u8.wrapping_sub(symbol.wrapping_mul(2));
    match symbol {
        127 => 0,
        _ if symbol < 127 => win,
        _ => loss,
    }
}
