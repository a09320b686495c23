//! Writes the values of a file again at another level or with another profile.

use super::{BuildFolder, load};
use crate::index::{Material, Pair};
use crate::probe::Database;
use crate::store::{self, DbError, Profile, SolvedPair};
use crate::value::Metric;

/// Writes the values of a pair to another folder, and returns the size of the file in bytes.
///
/// # Errors
///
/// [`DbError::Missing`] if the pair has no file, [`DbError::NoDepths`] if it has no depths but the
/// new file needs them, [`DbError::Corrupt`], [`DbError::Io`].
pub fn repack(
    db: &Database,
    pair: Pair,
    folder: &BuildFolder,
    profile: Profile,
) -> Result<u64, DbError> {
    if profile.metric == Metric::Depth && db.file(pair)?.metric() == Metric::Wdl {
        return Err(DbError::NoDepths { pair });
    }
    let material = Material {
        mover: pair.larger(),
        waiting: pair.smaller(),
    };
    let histograms = pair.tables().into_iter();
    let histograms = histograms.map(|material| db.histogram(material).cloned());
    let solved = SolvedPair {
        pair,
        values: &load(db, material)?,
        histograms: histograms.collect::<Result<_, _>>()?,
    };
    let path = folder.path().join(store::file_name(pair));
    store::write_pair(&path, db.rules(), &solved, profile)
}
