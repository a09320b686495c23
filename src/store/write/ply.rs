//! Writes the file of a solved ply, stage by stage.

use std::path::{Path, PathBuf};

use super::{EncodedTable, TableValues, add_histogram};
use crate::index::histogram::Histogram;
use crate::index::stages::{Stage, StageSets};
use crate::index::{BitSet, Rows};
use crate::rules::Rules;
use crate::store::codec::encode::Budget;
use crate::store::codec::{Parameters, TableShape};
use crate::store::container::FileKind;
use crate::store::error::DbError;
use crate::store::ply::{coverage, ply_file_name};
use crate::store::profile::{Compression, Profile};
use crate::value::Metric;

/// Builds a ply's file: encodes each table when it is added, and writes the file at the end.
pub(crate) struct PlyWriter<'a> {
    path: PathBuf,
    rules: &'a Rules,
    stage_sets: &'a StageSets,
    parameters: Parameters,
    schema: Vec<u8>,
    tables: Vec<EncodedTable>,
    /// The sum over all stages of the product of both sides' numbers of rows, which is roughly
    /// proportional to the number of positions.
    positions: u64,
}

impl<'a> PlyWriter<'a> {
    /// Approximate limit for the distributions of all tables' models together.
    const DISTRIBUTIONS: u64 = 2400;

    /// Approximate limit for the bytes of these models: the head has at most 128 KiB, which must
    /// also hold up to 49 histograms of some hundred bytes and the models of tiny tables.
    const MODEL_BYTES: u64 = 72 << 10;

    /// A writer for the file of a ply in a folder, whose values have this profile.
    pub fn new(
        folder: &Path,
        rules: &'a Rules,
        stage_sets: &'a StageSets,
        ply: u8,
        profile: Profile,
    ) -> PlyWriter<'a> {
        let stages = stage_sets.stages_of(ply);
        PlyWriter {
            path: folder.join(ply_file_name(ply)),
            rules,
            stage_sets,
            parameters: Parameters {
                profile,
                // Long blocks, because plies store few columns.
                columns: match (profile.metric, profile.compression) {
                    (Metric::Wdl, Compression::Quick) => 1024,
                    _ => 2048,
                },
            },
            schema: vec![rules.stones, ply],
            tables: Vec::new(),
            positions: stages.map(|stage| positions(stage_sets, stage)).sum(),
        }
    }

    /// Encodes the table of the ply's next stage from its values in the order of the index.
    pub fn add(&mut self, stage: Stage, values: &[u8]) -> Result<(), DbError> {
        let positions = positions(self.stage_sets, stage);
        let share = Self::DISTRIBUTIONS * positions / self.positions.max(1);
        let waiting = stage.mover().other();
        let possible = self.stage_sets.rows(stage, waiting).len();
        let all = Rows::of(stage.stones(waiting)).len();
        let coverage = coverage(self.stage_sets, stage);
        let shape = TableShape::new(self.rules, stage.material(), coverage, self.parameters);
        let histogram = count_stored(&shape, values);
        let table = TableValues {
            shape: &shape,
            stored: shape.stored_rows() * shape.index.columns().count() * possible / all.max(1),
            values,
            budget: Budget {
                samples: 1_000_000,
                distributions: share.clamp(4, 512) as usize,
                bytes: (Self::MODEL_BYTES * positions / self.positions.max(1)).max(200) as usize,
            },
        };
        let table = table.encode(self.tables.len());
        self.tables.push(table.map_err(DbError::io(&self.path))?);
        self.schema.extend([stage.white_lost, stage.black_lost]);
        add_histogram(
            &mut self.schema,
            &histogram.of_metric(self.parameters.profile.metric),
        );
        Ok(())
    }

    /// Writes the file, and returns its size in bytes.
    pub fn finish(self) -> Result<u64, DbError> {
        super::write(
            &self.path,
            FileKind::Ply,
            self.rules,
            self.parameters,
            &self.schema,
            &self.tables,
        )
    }
}

/// A number roughly proportional to the stored positions of a stage.
fn positions(stage_sets: &StageSets, stage: Stage) -> u64 {
    let rows = |side| stage_sets.rows(stage, side).len() as u64;
    rows(stage.mover()) * rows(stage.mover().other())
}

/// The histogram of the stored distinct positions of a table.
pub(crate) fn count_stored(shape: &TableShape, values: &[u8]) -> Histogram {
    let index = &shape.index;
    let columns = index.columns().count();
    Histogram::of_columns(index, values, |row| {
        let mut stored = BitSet::new(columns);
        if shape.place_of(row).is_some() {
            let (first, row) = (index.first_columns(row), shape.row(index.rows().set(row)));
            for column in 0..columns {
                let distinct = first.as_ref().is_none_or(|first| first.contains(column));
                if distinct && shape.holds(&row, column) {
                    stored.insert(column);
                }
            }
        }
        Some(stored)
    })
}
