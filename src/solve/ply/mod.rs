//! The placing phase: the table of a stage from its file, or solved from the tables that its turns
//! lead to.

mod solve;

pub(crate) use solve::solve_stage;

use crate::index::stages::Stage;
use crate::memory::Bytes;
use crate::probe::Database;
use crate::store::{DbError, ply_file_name};
use crate::value::Metric;

/// All values of a stage in the order of its [`Index`](crate::index::Index); 0 for entries that are
/// not stored.
///
/// # Errors
///
/// [`DbError::NotStored`] if the ply has no file, or none with the depths that the metric needs;
/// [`DbError::Corrupt`], [`DbError::Io`].
pub fn load(database: &Database, stage: Stage, metric: Metric) -> Result<Bytes, DbError> {
    let name = ply_file_name(stage.ply);
    let not_stored = |why| DbError::NotStored(format!("{name} {why}"));
    let file = database.ply(stage.ply)?;
    let file = file.ok_or_else(|| not_stored("is missing"))?;
    if !file.metric().holds(metric) {
        return Err(not_stored("has no depths"));
    }
    let memory = |length| Bytes::new(length).map_err(DbError::io(file.path()));
    let Some(table) = file.table(stage, database.stage_sets())? else {
        return memory(0);
    };
    let mut values = memory(table.index().len())?;
    table.load(&mut values)?;
    Ok(values)
}
