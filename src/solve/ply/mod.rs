//! The placing phase: the plies of a plan, the last placement first.
//!
//! * [`build`] solves the plies of a plan and writes their files.
//! * [`load`] reads the table of a stage from its file.

mod build;
mod solve;

pub use build::{PlyPlan, PlyProgress, PlyReport, SolvePlyError, build, kept_plies};

use crate::index::reachable::Stage;
use crate::probe::Database;
use crate::store::memory::Bytes;
use crate::store::{DbError, ply_file_name};

/// All values of a stage in the order of its [`Index`](crate::index::Index); 0 for entries that are
/// not stored.
///
/// # Errors
///
/// [`DbError::NotStored`] if the ply has no file, [`DbError::Corrupt`], [`DbError::Io`].
pub fn load(database: &Database, stage: Stage) -> Result<Bytes, DbError> {
    let missing = || DbError::NotStored(format!("{} is missing", ply_file_name(stage.ply)));
    let plies = database.placing().ok_or_else(missing)?;
    let file = match plies.file(stage.ply) {
        Some(Ok(file)) => file,
        Some(Err(error)) => return Err(error.clone()),
        None => return Err(missing()),
    };
    let memory = |length| Bytes::zeroed(length).map_err(DbError::io(file.path()));
    let Some(table) = file.table(stage, &plies.reachable)? else {
        return memory(0);
    };
    let mut values = memory(table.index().len())?;
    table.load(&mut values)?;
    Ok(values)
}
