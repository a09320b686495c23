//! The turns of a stage of the placing phase and the tables that they lead to: from files, or
//! derived from those of the next ply.
//!
//! ```text
//! parent   M to move, O waits      the stage: rows of M, columns of O
//! quiet    O to move, M' waits     after a placement without a mill: rows of O, columns of M'
//! capture  O - x to move, M'       after one that closes a mill: rows of O - x, columns of M'
//! ```

use std::path::Path;

use rayon::prelude::*;

use super::turns::{CheckedTable, TableTurns};
use crate::board::{PointSet, bits};
use crate::index::stages::{Stage, StageSets};
use crate::index::{Index, Material, Pair};
use crate::memory::Bytes;
use crate::probe::Database;
use crate::rules::FullBoard;
use crate::rules::position::Side;
use crate::solve::{Kept, Loader, Recipe, load, ply};
use crate::store::{DbError, PlyFile, ply_file_name};
use crate::value::Metric;

/// The tables of the last placement, compressed. The checks of the pairs that its turns lead to
/// derive them while the tables of the pairs are in memory.
#[derive(Default)]
pub(super) struct LastPlacement {
    /// Whether the check of a file after those of the pairs needs the tables.
    needed: bool,
    stage_sets: Option<StageSets>,
    pub tables: Kept<Stage>,
    /// [`Metric::Wdl`] if one of the pairs has no depths.
    metric: Metric,
}

impl LastPlacement {
    /// No tables yet, before the checks of these pairs and then of all files of the placing phase.
    pub fn before_pairs(database: &Database, pairs: &[Pair]) -> LastPlacement {
        let last = database.rules().placements() - 1;
        let mut all = Pair::all(database.rules()).into_iter();
        LastPlacement {
            // A pass may stand between the last placement and the tables of the pairs.
            needed: database.rules().first_to_move == Side::White
                && all.all(|pair| pairs.contains(&pair))
                && (database.plies().map(PlyFile::ply).max()).is_some_and(|ply| ply < last),
            ..LastPlacement::default()
        }
    }

    /// Derives the stage whose placements lead to the same tables as the turns of a pair's table.
    /// Errors name the pair's file.
    pub fn derive(&mut self, turns: &TableTurns<'_>, file: &Path) -> Result<(), DbError> {
        if !self.needed {
            return Ok(());
        }
        let rules = turns.rules;
        let stage = Stage::last_before(turns.child.material(), rules.stones);
        let stage_sets = self
            .stage_sets
            .get_or_insert_with(|| StageSets::new(rules, stage.ply));
        if stage_sets.exists(stage) {
            self.metric = self.metric.common(turns.metric);
            let metric = turns.metric.common(rules.placing_metric());
            let tables = [turns.quiet(), turns.captures[0]];
            let turns = TableTurns::of_stage(rules, metric, (stage, stage_sets), tables);
            let table = turns.table(&|_| ()).map_err(DbError::io(file))?;
            self.tables.add(stage, &table);
        }
        Ok(())
    }

    /// Hands the tables over to the check of this file if it is the one of the latest ply.
    pub fn take(&mut self, database: &Database, file: &PlyFile) -> LastPlacement {
        match database.plies().all(|other| other.ply() <= file.ply()) {
            true => std::mem::take(self),
            false => LastPlacement::default(),
        }
    }
}

/// The tables of stages: from files, or derived from those of the next ply.
pub(super) struct StageTables<'a> {
    database: &'a Database,
    stage_sets: &'a StageSets,
    /// [`Metric::Wdl`] if one of the files read so far has no depths.
    metric: Metric,
}

impl<'a> StageTables<'a> {
    /// A loader of the tables that the turns of a file's stages lead to, in this order. It has
    /// those of `last` already.
    pub fn loader(
        database: &'a Database,
        stage_sets: &'a StageSets,
        last: LastPlacement,
        file: &PlyFile,
    ) -> Result<Loader<StageTables<'a>>, DbError> {
        let tables = StageTables {
            database,
            stage_sets,
            metric: last.metric.common(file.metric()),
        };
        let wanted = file.stages().flat_map(|stage| stage_sets.after(stage));
        Loader::with(tables, &wanted.flatten().collect::<Vec<_>>(), last.tables)
    }

    fn is_moving(&self, stage: Stage) -> bool {
        stage.ply == self.database.rules().placements()
    }

    /// Passes the turns of a stage to `with`, from the tables that they lead to.
    pub fn with_turns<T>(
        &self,
        stage: Stage,
        tables: Vec<Bytes>,
        with: impl FnOnce(&TableTurns<'_>) -> T,
    ) -> T {
        let next = self.stage_sets.after(stage);
        let next = next.map(|next| next.map(|next| Index::new(next.material())));
        let (next, mut tables) = (next.each_ref(), tables.iter());
        let tables = next.map(|index| Some(CheckedTable::new(index.as_ref()?, tables.next()?)));
        let (rules, stage) = (self.database.rules(), (stage, self.stage_sets));
        with(&TableTurns::of_stage(rules, self.metric, stage, tables))
    }
}

/// The values of a table before White's pass, from those after it.
fn before_pass(database: &Database, material: Material) -> Result<Bytes, DbError> {
    let after = load(database, material.exchanged())?;
    let [index, other] = [material, material.exchanged()].map(Index::new);
    let values = Bytes::new(index.len());
    let mut values = values.map_err(DbError::io(database.file_of(material)?.name()))?;
    let rows = values.par_chunks_mut(index.columns().count()).enumerate();
    rows.for_each(|(row, values)| {
        let mover = index.rows().set(row);
        for (value, waiting) in values.iter_mut().zip(index.columns().iter()) {
            let waiting = PointSet::from_bits(bits::pdep(waiting, (!mover).bits()));
            let is_full = (mover | waiting) == !PointSet::EMPTY;
            *value = match (is_full, database.rules().full_board) {
                (true, FullBoard::Draws) => 0,
                (true, FullBoard::Loses) => 1,
                (true, FullBoard::Removes) => after[index.find(mover, waiting)],
                (false, _) => match after[other.find(waiting, mover)] {
                    0 => 0,
                    after => after + 1,
                },
            };
        }
    });
    Ok(values)
}

impl Recipe for StageTables<'_> {
    type Key = Stage;

    fn needs(&self, stage: Stage) -> Result<Vec<Stage>, DbError> {
        match self.is_moving(stage) || self.database.ply(stage.ply)?.is_some() {
            true => Ok(Vec::new()),
            false => Ok(self.stage_sets.after(stage).into_iter().flatten().collect()),
        }
    }

    fn make(&mut self, stage: Stage, needed: Vec<Bytes>) -> Result<Bytes, DbError> {
        if self.is_moving(stage) {
            let material = stage.material();
            let file = self.database.file_of(material)?;
            self.metric = self.metric.common(file.metric());
            match self.database.rules().first_to_move {
                Side::White => load(self.database, material),
                Side::Black => before_pass(self.database, material),
            }
        } else if let Some(file) = self.database.ply(stage.ply)? {
            self.metric = self.metric.common(file.metric());
            ply::load(self.database, stage, Metric::Wdl)
        } else {
            let table = self.with_turns(stage, needed, |turns| turns.table(&|_| ()));
            table.map_err(DbError::io(ply_file_name(stage.ply).as_ref()))
        }
    }
}
