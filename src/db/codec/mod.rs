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
//!   mover can.
//!
//! A [`Model`], trained on a sample of the table and kept in the file, says how likely each value is
//! in each context. Values are coded as **keys**, the bytes in the order from the mover's quickest
//! win to its quickest loss, so that neighbouring keys are similar values.
//!
//! - `stored`: which entries of a table are coded at all
//! - `context`: what is known of an entry before its value
//! - `model`: the likelihoods, and their bytes
//! - `coder`: blocks to bytes and back
//! - `train`: making a model

mod coder;
mod context;
mod model;
mod stored;
#[cfg(all(test, feature = "build"))]
mod tests;
#[cfg(feature = "build")]
mod train;

#[cfg(feature = "build")]
pub(super) use coder::Encoder;
pub(super) use coder::{Scratch, decode};
pub(super) use context::{Row, Shape};
pub(super) use model::Model;
pub(crate) use stored::Stored;
#[cfg(feature = "build")]
pub(crate) use stored::is_even;
#[cfg(feature = "build")]
pub(super) use train::Training;

/// How much the contexts look at, and how much of a row a block holds. More makes smaller files
/// that take longer to write and to read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Effort {
    /// The most columns of a block.
    pub columns: u16,
    /// How many near columns the median is taken of: 5 or 15.
    pub near: u8,
    /// How many slides are looked at.
    pub slides: u8,
}

impl Effort {
    /// For probing soon after building.
    #[cfg(feature = "build")]
    pub const QUICK: Effort = Effort {
        columns: 256,
        near: 5,
        slides: 3,
    };

    /// The same for tables that leave entries out. Probes need more of their rows: those of entries
    /// left out follow from a row, and those that captures lead to from many. So blocks are shorter.
    #[cfg(feature = "build")]
    pub const QUICK_WITH_GAPS: Effort = Effort {
        columns: 160,
        ..Effort::QUICK
    };

    /// For probing soon after building where no depths are told: they take so few bytes that what is
    /// lost at the beginning of each block counts for more.
    #[cfg(feature = "build")]
    pub const WITHOUT_DEPTHS: Effort = Effort {
        columns: 384,
        ..Effort::QUICK
    };

    /// For files that are made once and copied often.
    pub const MAX: Effort = Effort {
        columns: 4096,
        near: 15,
        slides: 6,
    };

    /// The fewest columns that a reader takes for the most of a block.
    const FEWEST_COLUMNS: u16 = 64;

    /// Whether a reader can decode what was written with this effort.
    pub fn is_known(self) -> bool {
        let columns = Effort::FEWEST_COLUMNS..=Effort::MAX.columns;
        columns.contains(&self.columns) && matches!((self.near, self.slides), (5, 3) | (15, 6))
    }
}

/// The key of the loss in no turn, which tells as little about other values as no key.
const UNKNOWN: u8 = 255;

/// Stands in a distribution for all keys that it does not have. As a key itself, it is a win in 253
/// turns.
const ESCAPE: u8 = 126;

/// From values to keys: wins first, the quick ones in front; draws; losses, the slow ones in front.
#[cfg(feature = "build")]
fn key(value: u8) -> u8 {
    match value {
        0 => 127,
        win if win % 2 == 0 => win / 2 - 1,
        loss => 255 - loss / 2,
    }
}

/// From keys to values.
fn value(key: u8) -> u8 {
    // Computed both ways before the choice, which then takes no branch: neighbours often differ.
    let win = key.wrapping_mul(2).wrapping_add(2);
    let loss = 255u8.wrapping_sub(key.wrapping_mul(2));
    match key {
        127 => 0,
        _ if key < 127 => win,
        _ => loss,
    }
}
