//! Writes the values of a file again with another profile.

use super::folder::BuildFolder;
use super::ply;
use super::tables::{TableCache, load_pair};
use crate::index::Pair;
use crate::probe::Database;
use crate::store::pair::stored_table;
use crate::store::{self, DbError, PlyFile, PlyWriter, Profile};

/// Writes the values of a pair to another folder, and returns the size of the file in bytes.
///
/// The smallest files omit values that follow from those of other pairs. `table_cache` keeps the
/// tables that this needs from pair to pair.
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
    table_cache: &mut TableCache,
) -> Result<u64, DbError> {
    db.file(pair)?.check_metric(profile.metric)?;
    let (values, smaller) = load_pair(db, pair, table_cache, true)?;
    let histograms = pair.tables(db.rules()).into_iter();
    let histograms = histograms.map(|material| db.histogram(material).cloned());
    let histograms = histograms.collect::<Result<Vec<_>, _>>()?;
    let folder = folder.path();
    let bytes = store::write_pair(folder, db.rules(), profile, pair, &values, &histograms)?;

    let material = stored_table(pair, db.rules());
    if db.file(pair)?.coverage().omits_rows() {
        table_cache.keep(material, &values)?;
        if let Some(smaller) = smaller {
            table_cache.keep(material.exchanged(), &smaller)?;
        }
    }
    Ok(bytes)
}

/// Writes the values of a ply to another folder, and returns the size of the file in bytes.
///
/// # Errors
///
/// [`DbError::NotStored`] if the file has no depths but the new one needs them,
/// [`DbError::Corrupt`], [`DbError::Io`].
pub fn repack_ply(
    db: &Database,
    file: &PlyFile,
    folder: &BuildFolder,
    profile: Profile,
) -> Result<u64, DbError> {
    let profile = profile.of_plies(db.rules());
    let (folder, stage_sets) = (folder.path(), db.stage_sets());
    let mut writer = PlyWriter::new(folder, db.rules(), stage_sets, file.ply(), profile);
    for stage in file.stages() {
        writer.add(stage, &ply::load(db, stage, profile.metric)?)?;
    }
    writer.finish()
}
