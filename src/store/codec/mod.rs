//! The compression: encodes the values of a table as bytes and decodes them.
//!
//! A **block** is a run of columns of one row. Its values are coded one after the other with rANS,
//! a form of arithmetic coding; the likelier a value is in its context, the fewer bits it takes. A
//! reader knows the context before the value. It depends on columns before it that differ in the place of one
//! stone, nearest first, and on those that one slide of a waiting stone makes:
//!
//! - **near**: the median of a few near columns; in a file without depths a weighted sum of the nearest five,
//!   and **far** the sum of a few others,
//! - **best**, **worst**: the best and the worst value after a few slides, for the mover; in a file without
//!   depths **slides**, which counts wins, draws and losses,
//! - **class**: the number of ways in which the waiting side threatens to close a mill, and of
//!   points on which the mover can; in the placing phase, those on which a stone from the hand can.
//!
//! A [`Model`], trained on a sample of the table and stored in the file, gives the likelihood of
//! each value in each context. Values are coded as **symbols**: numbers in the order from the
//! mover's quickest win to its quickest loss, so that neighbouring symbols are similar values. A file without depths
//! has three symbols.
//!
//! - `coverage`: the entries of a table that are stored
//! - `context`: the facts known before an entry's value
//! - `model`: the likelihoods, and their form as bytes
//! - `decode`: from bytes to values
//! - `encode`: from values to bytes, and training a model; with the feature `build`

mod context;
pub(crate) mod coverage;
mod decode;
#[cfg(feature = "build")]
pub(crate) mod encode;
mod model;

pub(crate) use context::{BlockScratch, RowShape, TableShape};
pub(crate) use coverage::{Coverage, SetMarks, is_even};
pub(crate) use decode::{Block, RowDecoder};
pub(crate) use model::Model;

use std::ops::RangeInclusive;

use super::profile::{Compression, Profile};
use crate::value::Metric;

/// The profile of a file, and the layout of its blocks. Longer blocks and contexts of more columns
/// make files smaller, but slower to write and to read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Parameters {
    pub profile: Profile,
    /// The most columns of a block.
    pub columns: u16,
}

impl Parameters {
    /// The range of `columns` that a reader accepts.
    const COLUMNS: RangeInclusive<u16> = 64..=8192;

    /// The parameters with these fields in a file, see [`Parameters::contexts`]; `None` if a reader
    /// does not support them.
    pub fn of_fields(metric: Metric, columns: u16, contexts: [u8; 2]) -> Option<Parameters> {
        let all = [Compression::Quick, Compression::Max].map(|compression| Parameters {
            profile: Profile {
                metric,
                compression,
            },
            columns,
        });
        let known = all.into_iter().find(|known| known.contexts() == contexts);
        known.filter(|_| Parameters::COLUMNS.contains(&columns))
    }

    /// The numbers of near columns and of slides that a context uses.
    pub fn contexts(self) -> [u8; 2] {
        match (self.profile.metric, self.profile.compression) {
            (Metric::Depth, Compression::Quick) => [5, 3],
            (Metric::Depth, Compression::Max) => [15, 6],
            (Metric::Wdl, Compression::Quick) => [10, 3],
            (Metric::Wdl, Compression::Max) => [16, 6],
        }
    }
}

/// Stands for an unknown symbol. In a file with depths it is a loss in 0 turns, too, which says equally
/// little about other values.
const UNKNOWN: u8 = 255;

/// Stands in a distribution for all symbols that the distribution lacks. In a file with depths it is a
/// win in 253 turns, too.
const ESCAPE: u8 = 126;

/// The symbols of a file without depths.
const WON: u8 = 0;
const DRAWN: u8 = 1;
const LOST: u8 = 2;

/// Maps the symbols of a file without depths to values.
fn value_of_result(symbol: u8) -> u8 {
    match symbol {
        WON => 2,
        DRAWN => 0,
        // Damaged files may have others than these three.
        _ => 1,
    }
}

/// Maps the symbols of a file with depths to values.
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
