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
pub(crate) mod fields;
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
pub use error::{DbError, rules_option};
pub use preload::{Preload, PreloadRow};
pub use profile::{Contents, Level, Profile};
pub use table::PairFile;
#[cfg(feature = "build")]
pub(crate) use writer::remove_temporaries;
#[cfg(feature = "build")]
pub use writer::{SolvedPair, write_pair};

use std::path::{Path, PathBuf};

use crate::index::Pair;
use crate::rules::Rules;

/// The name of a pair's file in its folder.
///
/// ```
/// let pair = millbase::Pair::new(8, 9).unwrap();
/// assert_eq!(millbase::db::file_name(pair), "9-8.mill");
/// ```
pub fn file_name(pair: Pair) -> String {
    format!("{pair}.mill")
}

/// Where in a folder of databases those of these rules lie: the standard ones in the folder itself,
/// others in a folder in it that has the name of the rules or, where they have none, a number made
/// of all settings.
///
/// ```
/// use std::path::Path;
/// use millbase::{Rules, db};
/// assert_eq!(db::folder_of(Path::new("db"), &Rules::STANDARD), Path::new("db"));
/// assert_eq!(db::folder_of(Path::new("db"), &Rules::TEN), Path::new("db/ten"));
/// ```
pub fn folder_of(folder: &Path, rules: &Rules) -> PathBuf {
    if *rules == Rules::STANDARD {
        return folder.to_path_buf();
    }
    match rules.name() {
        Some(name) => folder.join(name),
        None => {
            let number = xxhash_rust::xxh3::xxh3_64(rules.to_string().as_bytes());
            folder.join(format!("rules-{number:016x}"))
        }
    }
}
