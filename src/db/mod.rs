//! Databases on disk: one file a pair, `9-8.mill`, with a byte for each entry of the pair's tables,
//! see [`Index`](crate::index::Index) and [`Value`](crate::Value). docs/FORMAT.md describes the
//! file.
//!
//! - `format`: the header as a checked structure, and its bytes
//! - `codec`: the compression of a block
//! - `writer`: making a file
//! - `table`: one file, opened
//! - `database`: all files of a folder, and the questions asked of them
//! - `cache`: the blocks decoded last
//! - `error`: what can go wrong
//!
//! Files are hostile until checked: whatever their bytes are, reading ends with the values written
//! or with an error.

mod cache;
mod codec;
mod database;
mod error;
mod format;
mod table;
#[cfg(all(test, feature = "build"))]
mod tests;
#[cfg(feature = "build")]
mod writer;

pub use database::{Database, Line, LineEnd, RankedTurn};
pub use error::DbError;
pub use table::PairFile;
#[cfg(feature = "build")]
pub(crate) use writer::remove_temporaries;
#[cfg(feature = "build")]
pub use writer::{SolvedTable, write_pair};

use crate::index::Pair;

/// The name of a pair's file in its folder.
///
/// ```
/// let pair = millbase::Pair::new(8, 9).unwrap();
/// assert_eq!(millbase::db::file_name(pair), "9-8.mill");
/// ```
pub fn file_name(pair: Pair) -> String {
    format!("{pair}.mill")
}
