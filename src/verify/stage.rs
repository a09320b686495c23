//! The check of all values of a stage of the placing phase, and the derivation of the stages for which
//! there is no file.
//!
//! ```text
//! parent   M to move, O waits      the stage: rows of M, columns of O
//! quiet    O to move, M' waits     after a placement without a mill: rows of O, columns of M'
//! capture  O - x to move, M'       after one that closes a mill: rows of O - x, columns of M'
//! ```
//!
//! The derivation goes forwards: for each set O it takes the parents' sets M one by one, and looks up
//! all of their turns, which except for captures lead to one row. With the solver, which goes backwards
//! from M' to M, it shares the board and its mills, the index, the removable stones and the sets that
//! games can reach.

use std::io;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use rayon::prelude::*;

use super::placements::{PlacedTables, PlacementRow, PlacementScratch, sets_after};
use super::report::{Mismatch, Suspects};
use super::turns::{CheckedTable, Codes, PairTurns, derive, value_of_byte};
use crate::board::bits::{self, Bits, Kernel};
use crate::board::symmetry::Symmetry;
use crate::board::{POINTS, PointSet};
use crate::index::stages::{Stage, StageSets};
use crate::index::{Index, Pair, Rows, Subsets};
use crate::memory::Bytes;
use crate::probe::Database;
use crate::rules::Rules;
use crate::rules::position::Position;
use crate::solve::pair::fill_images;
use crate::solve::{Kept, Loader, Recipe, load, ply};
use crate::store::{DbError, PlyFile, ply_file_name};
use crate::value::{Metric, Value};

/// A stage, with the tables that its turns lead to.
#[derive(Clone, Copy)]
pub(super) struct StageTurns<'a> {
    pub rules: &'a Rules,
    pub stage_sets: &'a StageSets,
    pub metric: Metric,
    /// The codes of the derived values.
    pub codes: &'a Codes,
    pub stage: Stage,
    /// The tables that its turns lead to.
    pub placed: PlacedTables<'a>,
}

impl<'a> StageTurns<'a> {
    /// The codes of a stage's values.
    fn codes(rules: &Rules, metric: Metric, stage: Stage) -> Codes {
        Codes::new(rules, metric, stage.material())
    }

    /// The value of a position, derived from the values of all positions that its turns lead to.
    fn derive(&self, position: &Position) -> Value {
        let PlacedTables { quiet, capture } = self.placed;
        derive(position, self.rules, self.metric, &[], &[quiet, capture])
    }

    /// Calls `found` with each reachable entry, one of each position or more, and with the code of
    /// the value that its turns give.
    fn for_each(&self, index: &Index, found: impl Fn(&[(usize, u8)]) + Sync) {
        let (mover, waiting) = (self.stage.mover(), self.stage.mover().other());
        let free = POINTS - u32::from(self.stage.stones(waiting));
        let shape = SharedByRows {
            turns: self,
            index,
            columns: Subsets::new(free, self.stage.stones(mover).into()),
            after: sets_after(self.stage.material()),
        };
        let rows: Vec<usize> = self.stage_sets.rows(self.stage, waiting).iter().collect();
        rows.into_par_iter()
            .for_each_init(StageRowScratch::default, |scratch, row| {
                scratch.found.clear();
                bits::dispatch(StageRow {
                    shape: &shape,
                    row,
                    scratch,
                });
                found(&scratch.found);
            });
    }

    /// Compares the table of the stage with what its turns give. Returns the number of entries compared, and
    /// what differs.
    pub fn compare(&self, parent: CheckedTable<'_>) -> (u64, Vec<Mismatch>) {
        let suspects = Suspects::new(parent, self.codes, |mover, waiting, byte| {
            let position = self.stage.position(mover, waiting, self.rules);
            Mismatch {
                position,
                stored: value_of_byte(self.rules, self.metric, byte),
                derived: self.derive(&position),
            }
        });
        let rows = self.stage_sets.rows(self.stage, self.stage.mover());
        rows.iter().for_each(|row| suspects.see_copies(row));
        let checked = AtomicU64::new(0);
        self.for_each(parent.index, |found| {
            checked.fetch_add(found.len() as u64, Ordering::Relaxed);
            for &(entry, code) in found {
                suspects.see(entry, code);
            }
        });
        (checked.into_inner(), suspects.into_mismatches())
    }

    /// All values of the stage; 0 for entries that no game reaches.
    fn table(&self) -> io::Result<Bytes> {
        let index = Index::new(self.stage.material());
        let mut values = Bytes::new(index.len())?;
        let entries: &[AtomicU8] = values.as_atomics();
        self.for_each(&index, |found| {
            for &(entry, code) in found {
                entries[entry].store(Codes::value(code), Ordering::Relaxed);
            }
        });
        fill_images(&index, &mut values);
        Ok(values)
    }
}

/// The data that all rows of a stage share.
struct SharedByRows<'a, 'b> {
    turns: &'b StageTurns<'a>,
    /// The index of the stage's table.
    index: &'b Index,
    /// The mover's sets before a turn and after it, among the points that the other side leaves.
    columns: Subsets,
    after: Subsets,
}

/// Memory that is reused for each row.
#[derive(Default)]
struct StageRowScratch {
    placements: PlacementScratch,
    found: Vec<(usize, u8)>,
}

/// The derivation for one set of the waiting side.
struct StageRow<'a, 'b> {
    shape: &'b SharedByRows<'a, 'b>,
    row: usize,
    scratch: &'b mut StageRowScratch,
}

impl Kernel for StageRow<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<B: Bits>(self, bits: B) {
        let SharedByRows {
            turns,
            index,
            columns,
            after,
        } = self.shape;
        let StageRowScratch { placements, found } = self.scratch;
        let waiting = Rows::of(turns.stage.stones(turns.stage.mover().other())).set(self.row);
        let free = !waiting;
        let images: [PointSet; Symmetry::COUNT] =
            std::array::from_fn(|number| Symmetry::numbered(number as u32).apply(waiting));
        let row = (self.row, waiting);
        let mut placements = PlacementRow::new(
            turns.rules,
            turns.codes,
            turns.placed,
            row,
            after,
            placements,
        );
        let possible = turns.stage_sets.rows(turns.stage, turns.stage.mover());
        for subset in columns.iter() {
            let mover = PointSet::from_bits(bits.pdep(subset, free.bits()));
            let (row, symmetry) = index.rows().find(mover);
            if !possible.contains(row) {
                continue;
            }
            let best = placements.best(bits, subset, mover);
            let image = images[symmetry.number() as usize];
            let column = index.column_with(bits, row, image);
            found.push((row * index.columns().count() + column, best));
        }
    }
}

/// The tables of the last placement, compressed. The checks of the pairs that its turns lead to derive them
/// while the tables of the pairs are in memory.
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
    /// Nothing yet, before the checks of these pairs and then of all files of the placing phase.
    pub fn before_pairs(database: &Database, pairs: &[Pair]) -> LastPlacement {
        let last = database.rules().placements() - 1;
        let mut all = Pair::all(database.rules()).into_iter();
        LastPlacement {
            needed: all.all(|pair| pairs.contains(&pair))
                && (database.plies().map(PlyFile::ply).max()).is_some_and(|ply| ply < last),
            ..LastPlacement::default()
        }
    }

    /// Derives the stage whose placements lead to the same tables as the turns of a pair's table.
    pub fn derive(&mut self, turns: &PairTurns<'_>) -> io::Result<()> {
        if !self.needed {
            return Ok(());
        }
        let (rules, material) = (turns.rules, turns.parent.material());
        let last = rules.placements() - 1;
        let stage = Stage {
            ply: last,
            white_lost: rules.stones - material.waiting,
            black_lost: rules.stones - material.mover,
        };
        let stage_sets = self
            .stage_sets
            .get_or_insert_with(|| StageSets::new(rules, last));
        if stage_sets.exists(stage) {
            self.metric = self.metric.common(turns.metric);
            let metric = turns.metric.common(rules.placing_metric());
            let turns = StageTurns {
                rules,
                stage_sets,
                metric,
                codes: &StageTurns::codes(rules, metric, stage),
                stage,
                placed: PlacedTables {
                    quiet: Some(turns.child),
                    capture: turns.captures[0],
                },
            };
            self.tables.add(stage, &turns.table()?);
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

/// The tables that the turns of a stage lead to.
type NextTables = [Option<(Index, Bytes)>; 2];

impl<'a> StageTables<'a> {
    /// Loads the tables that the turns of a file's stages lead to, in this order, with those of `last`.
    pub fn loader(
        database: &'a Database,
        stage_sets: &'a StageSets,
        last: LastPlacement,
        file: &PlyFile,
    ) -> Result<Loader<StageTables<'a>>, DbError> {
        let mut tables = StageTables {
            database,
            stage_sets,
            metric: last.metric,
        };
        tables.lower(file.metric());
        let wanted: Vec<Stage> = file
            .stages()
            .flat_map(|stage| tables.after(stage))
            .collect();
        Loader::with(tables, &wanted, last.tables)
    }

    /// The stages after placements without a mill and after captures, as far as games reach them.
    fn after(&self, stage: Stage) -> impl Iterator<Item = Stage> + use<'a> {
        let stage_sets = self.stage_sets;
        let after = [stage.after_quiet(), stage.after_capture()].into_iter();
        after.filter(|&next| stage_sets.exists(next))
    }

    fn is_moving(&self, stage: Stage) -> bool {
        stage.ply == self.database.rules().placements()
    }

    /// Puts the tables of [`StageTables::after`] in their places.
    fn next(&self, stage: Stage, mut tables: impl Iterator<Item = Bytes>) -> NextTables {
        [stage.after_quiet(), stage.after_capture()].map(|next| {
            let exists = self.stage_sets.exists(next);
            let values = if exists { tables.next() } else { None };
            values.map(|values| (Index::new(next.material()), values))
        })
    }

    fn turns<'b>(&'b self, stage: Stage, next: &'b NextTables, codes: &'b Codes) -> StageTurns<'b> {
        let [quiet, capture] = next.each_ref().map(|table| {
            let table = table.as_ref();
            table.map(|(index, values)| CheckedTable::new(index, values))
        });
        StageTurns {
            rules: self.database.rules(),
            stage_sets: self.stage_sets,
            metric: self.metric,
            codes,
            stage,
            placed: PlacedTables { quiet, capture },
        }
    }

    /// The codes of a stage's values.
    fn codes(&self, stage: Stage) -> Codes {
        StageTurns::codes(self.database.rules(), self.metric, stage)
    }

    fn lower(&mut self, metric: Metric) {
        self.metric = self.metric.common(metric);
    }
}

/// Passes a stage to `with`, together with the tables that its turns lead to.
pub(super) fn with_turns<T>(
    tables: &mut Loader<StageTables<'_>>,
    stage: Stage,
    with: impl FnOnce(&StageTurns<'_>) -> T,
) -> Result<T, DbError> {
    let after = tables.recipe.after(stage);
    let next = after.map(|next| tables.load(next));
    let next = next.collect::<Result<Vec<_>, _>>()?;
    let next = tables.recipe.next(stage, next.into_iter());
    let codes = tables.recipe.codes(stage);
    Ok(with(&tables.recipe.turns(stage, &next, &codes)))
}

impl Recipe for StageTables<'_> {
    type Key = Stage;

    fn needs(&self, stage: Stage) -> Result<Vec<Stage>, DbError> {
        match self.is_moving(stage) || self.database.ply(stage.ply)?.is_some() {
            true => Ok(Vec::new()),
            false => Ok(self.after(stage).collect()),
        }
    }

    fn make(&mut self, stage: Stage, needed: Vec<Bytes>) -> Result<Bytes, DbError> {
        if self.is_moving(stage) {
            self.lower(self.database.file_of(stage.material())?.metric());
            load(self.database, stage.material())
        } else if let Some(file) = self.database.ply(stage.ply)? {
            self.lower(file.metric());
            ply::load(self.database, stage, Metric::Wdl)
        } else {
            let next = self.next(stage, needed.into_iter());
            let codes = self.codes(stage);
            let table = self.turns(stage, &next, &codes).table();
            table.map_err(|error| self.refused(stage, error))
        }
    }

    fn refused(&self, stage: Stage, error: io::Error) -> DbError {
        DbError::io(ply_file_name(stage.ply).as_ref())(error)
    }
}
