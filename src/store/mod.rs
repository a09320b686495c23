//! The files: one container for the pairs, `9-8.mill`, and for the plies of the placing phase,
//! `placing-14.mill`. docs/FORMAT.md describes it.
//!
//! - `source`: the bytes, from a file or memory
//! - `pieces`: the bytes of a file that arrives in pieces
//! - `bundle`: all files of a folder in one
//! - `container`, `fields`: head, directory and checksums
//! - `pair`, `ply`: the two kinds of file, which define the tables of a container
//! - `table`: from a set to its row, from a column to its block, from a block to values
//! - `codec`: the selection of stored entries, and the compression of blocks
//! - `cache`: the blocks decoded last, and the values derived, searched and ranked last
//! - `write`: writing files, with the feature `build`
//! - `profile`, `error`: contents and compression of files; the errors of databases
//!
//! Files are untrusted: whatever their bytes are, reading returns the written values or an error.

mod bundle;
pub(crate) mod cache;
pub(crate) mod codec;
pub(crate) mod container;
mod error;
mod fields;
pub(crate) mod pair;
mod pieces;
mod ply;
mod profile;
pub(crate) mod source;
pub(crate) mod table;
#[cfg(all(test, feature = "build"))]
pub(crate) mod tests;
#[cfg(feature = "build")]
pub(crate) mod write;

pub use crate::index::stages::Stage;
pub use bundle::{Bundle, Member};
pub use error::{DbError, Location};
pub use pair::{PairFile, file_name};
pub(crate) use pair::{pair_of_slot, slot, slots};
pub use pieces::{NeededRange, Pieces};
pub(crate) use ply::plies;
pub use ply::{PlyFile, ply_file_name};
pub use profile::{Compression, Profile};
pub use source::{ByteRange, ByteSource, OpenFile};
#[cfg(feature = "build")]
pub use write::write_bundle;
#[cfg(feature = "build")]
pub(crate) use write::*;

use std::path::{Path, PathBuf};

use crate::rules::Rules;

/// The folder for the databases of these rules within a folder of databases: the folder itself for
/// the standard rules, else a subfolder that has the name of the rules or, for rules without a
/// name, a hash of all settings.
///
/// ```
/// use std::path::Path;
/// use millbase::{Rules, store};
/// assert_eq!(store::folder_of(Path::new("db"), &Rules::STANDARD), Path::new("db"));
/// assert_eq!(store::folder_of(Path::new("db"), &Rules::TEN), Path::new("db/ten"));
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
