//! The placing phase: the plies of a plan, the last placement first.
//!
//! * [`build()`] solves the plies of a plan and writes their files; [`build_pairs`] solves the pairs before
//!   and, with each of them, the last placement.
//! * [`load`] reads the table of a stage from its file.

mod build;
mod solve;
mod stage;

pub use build::{
    PlyPlan, PlyProgress, PlyReport, PlySize, PlySizes, build, build_pairs, kept_plies,
};

use std::io;

use crate::index::reachable::{Reachable, Stage};
use crate::memory::Bytes;
use crate::probe::Database;
use crate::rules::Rules;
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
    let file = plies.file(stage.ply).ok_or_else(missing)??;
    let memory = |length| Bytes::new(length).map_err(DbError::io(file.path()));
    let Some(table) = file.table(stage, &plies.reachable)? else {
        return memory(0);
    };
    let mut values = memory(table.index().len())?;
    table.load(&mut values)?;
    Ok(values)
}

/// All values of a stage from those of the two that its turns lead to; `None` where there is no such
/// turn, or where captures end the game. Entries that no game can reach are 0.
///
/// # Errors
///
/// If the system refuses the memory.
pub(crate) fn solve_stage(
    rules: &Rules,
    reachable: &Reachable,
    stage: Stage,
    quiet: Option<&[u8]>,
    captures: Option<&[u8]>,
) -> io::Result<Bytes> {
    let captures = match captures {
        Some(values) => solve::CaptureValues::Table(values),
        None if reachable.ends_game(stage.after_capture()) => solve::CaptureValues::EndTheGame,
        None => solve::CaptureValues::None,
    };
    let successors = solve::Successors { quiet, captures };
    solve::solve(rules, reachable, stage, successors)
}
