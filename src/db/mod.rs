//! Databases on disk: one file a pair, `9-8.mill`, with the values of the table in which the larger
//! side moves, see [`Index`](crate::index::Index) and [`Value`](crate::Value); those of the other
//! table follow by one turn of search. docs/FORMAT.md describes the file.
//!
//! - `profile`: what files can tell, and how small they can be
//! - `format`: the header as a checked structure, and its bytes
//! - `codec`: which entries are stored, and the compression of a block
//! - `writer`: making a file
//! - `source`: the bytes of a file, read or mapped
//! - `table`: one file, opened
//! - `database`: all files of a folder, and the questions asked of them
//! - `lookup`: values from the files, read or derived
//! - `cache`: the blocks decoded last, and the values derived last
//! - `preload`: win, draw or loss of chosen pairs in memory
//! - `error`: what can go wrong
//!
//! Files are hostile until checked: whatever their bytes are, reading ends with the values written
//! or with an error.

mod cache;
mod codec;
mod database;
mod error;
mod format;
mod lookup;
mod preload;
mod profile;
mod source;
mod table;
#[cfg(all(test, feature = "build"))]
mod tests;
#[cfg(feature = "build")]
mod writer;

#[cfg(feature = "build")]
pub(crate) use codec::{Stored, is_even};
pub use database::{Database, Line, LineEnd, RankedTurn};
pub use error::DbError;
pub use preload::{Preload, PreloadRow};
pub use profile::{Contents, Level, Profile};
pub use table::PairFile;
#[cfg(feature = "build")]
pub(crate) use writer::remove_temporaries;
#[cfg(feature = "build")]
pub use writer::{SolvedPair, write_pair};

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
