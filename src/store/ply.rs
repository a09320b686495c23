//! The schema of a ply's file: a table for each stage, that is, for each combination of stones lost
//! by the two sides. The tables store the positions that a game may reach, see
//! [`reachable`](crate::index::reachable).
//!
//! ```text
//! stones, ply              1 byte each
//! of each stage
//!     white, black lost    1 byte each
//!     histogram
//! ```

use std::path::{Path, PathBuf};
use std::sync::Arc;

#[cfg(feature = "build")]
use super::codec::{Budget, Parameters, Shape};
use super::codec::{Coverage, SetMarks};
#[cfg(feature = "build")]
use super::container::Prefix;
use super::container::{Container, Kind};
use super::error::DbError;
#[cfg(feature = "build")]
use super::fields::add_histogram;
use super::source::ByteSource;
use super::table::{Table, TableFile, TableSchema};
#[cfg(feature = "build")]
use super::write::{self, EncodedTable, TableValues};
#[cfg(feature = "build")]
use crate::index::Index;
use crate::index::histogram::Histogram;
use crate::index::reachable::{Reachable, Stage};
use crate::rules::Rules;
use crate::value::Metric;

/// The name of a ply's file in its folder.
pub fn ply_file_name(ply: u8) -> String {
    format!("placing-{ply:02}.mill")
}

/// The file of a ply, opened. Its head is checked; its rows are checked when they are read.
#[derive(Debug)]
pub struct PlyFile {
    file: TableFile,
    path: PathBuf,
    rules: Rules,
    ply: u8,
    /// In the order of [`Reachable::stages_of`].
    stages: Vec<(Stage, Histogram)>,
}

/// The positions of a stage that are stored.
fn table_schema(reachable: &Reachable, stage: Stage) -> TableSchema {
    let (mover, waiting) = (stage.mover(), stage.mover().other());
    let rows = reachable.rows(stage, mover).iter();
    let sets = SetMarks::of_rows(stage.stones(waiting), reachable.rows(stage, waiting));
    TableSchema {
        material: stage.material(),
        rows: Some(rows.map(|row| row as u32).collect()),
        coverage: Coverage::Possible(Arc::new(sets)),
    }
}

impl PlyFile {
    /// Opens the bytes of a ply's file.
    pub(crate) fn open(
        path: PathBuf,
        source: Box<dyn ByteSource>,
        ply: u8,
        rules: Rules,
        reachable: &Reachable,
    ) -> Result<PlyFile, DbError> {
        let container = Container::open(path.clone(), source, Kind::Ply, &rules)?;
        let mut fields = container.schema();
        let [stones] = fields.take()?;
        if stones != rules.stones {
            // The fingerprint does not depend on the number of stones.
            let same = |other: &&(&str, Rules)| other.1 == Rules { stones, ..rules };
            return Err(DbError::OtherRules {
                file: path,
                rules,
                found: Rules::NAMED.iter().find(same).map(|&(name, _)| name),
            });
        }
        fields.expect("ply", [ply])?;
        let mut stages = Vec::new();
        for stage in reachable.stages_of(ply) {
            let lost = [stage.white_lost, stage.black_lost];
            fields.expect("numbers of stones lost", lost)?;
            let histogram = fields.histogram(stage.material().entries())?;
            stages.push((stage, histogram));
        }
        fields.end()?;
        if container.tables() != stages.len() {
            let (expected, found) = (stages.len(), container.tables());
            let what = format!("wrong number of tables: expected {expected}, found {found}");
            return Err(container.corrupt_schema(0, what));
        }
        Ok(PlyFile {
            file: TableFile::new(container, 0x80 | ply),
            path,
            rules,
            ply,
            stages,
        })
    }

    /// The number of turns made before its positions.
    pub fn ply(&self) -> u8 {
        self.ply
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The size of the file in bytes.
    pub fn bytes(&self) -> u64 {
        self.file.container.size()
    }

    /// Whether the file holds depths.
    pub fn metric(&self) -> Metric {
        self.file.metric()
    }

    /// The stages whose positions the file holds.
    pub fn stages(&self) -> impl Iterator<Item = Stage> + '_ {
        self.stages.iter().map(|(stage, _)| *stage)
    }

    /// The number of stored distinct positions with each value at a stage; `None` if the file has
    /// no such stage.
    pub fn histogram(&self, stage: Stage) -> Option<&Histogram> {
        let found = self.stages.iter().find(|(other, _)| *other == stage);
        found.map(|(_, histogram)| histogram)
    }

    /// The table of a stage; `None` if no game reaches it.
    pub(crate) fn table(
        &self,
        stage: Stage,
        reachable: &Reachable,
    ) -> Result<Option<Table<'_>>, DbError> {
        let Some(number) = self.stages().position(|other| other == stage) else {
            return Ok(None);
        };
        let schema = || table_schema(reachable, stage);
        self.file.table(number, &self.rules, schema).map(Some)
    }
}

/// The most columns of a block in plies, of which few columns are stored.
#[cfg(feature = "build")]
const PARAMETERS: Parameters = Parameters::quick(2048);

/// Builds a ply's file: encodes each table when it is added, and writes the file at the end.
#[cfg(feature = "build")]
pub(crate) struct PlyWriter<'a> {
    rules: &'a Rules,
    reachable: &'a Reachable,
    schema: Vec<u8>,
    tables: Vec<EncodedTable>,
    /// The sum over all stages of the product of both sides' numbers of rows, which is roughly
    /// proportional to the number of positions.
    positions: u64,
}

#[cfg(feature = "build")]
impl<'a> PlyWriter<'a> {
    /// Approximate limit for the distributions of all tables' models together.
    const DISTRIBUTIONS: u64 = 2400;

    /// Approximate limit for the bytes of these models: the head has at most 128 KiB, which must
    /// also hold up to 49 histograms of some hundred bytes and the models of tiny tables.
    const MODEL_BYTES: u64 = 72 << 10;

    /// A writer for the file of a ply.
    pub fn new(rules: &'a Rules, reachable: &'a Reachable, ply: u8) -> PlyWriter<'a> {
        let stages = reachable.stages_of(ply);
        PlyWriter {
            rules,
            reachable,
            schema: vec![rules.stones, ply],
            tables: Vec::new(),
            positions: stages.map(|stage| positions(reachable, stage)).sum(),
        }
    }

    /// Encodes the table of the ply's next stage from its values
    /// in the order of the index.
    pub fn add(&mut self, stage: Stage, values: &[u8]) -> std::io::Result<()> {
        let schema = table_schema(self.reachable, stage);
        let index = Index::new(stage.material());
        let columns = index.columns().count();
        let positions = positions(self.reachable, stage);
        let share = Self::DISTRIBUTIONS * positions / self.positions.max(1);
        let rows: Vec<_> = schema
            .rows
            .iter()
            .flatten()
            .map(|&row| row as usize)
            .collect();
        let waiting = stage.mover().other();
        let possible = self.reachable.rows(stage, waiting).len();
        let all = crate::index::Rows::of(stage.stones(waiting)).len();
        let shape = Shape::new(self.rules, stage.material(), schema.coverage, PARAMETERS);
        let histogram = histogram(&index, &shape, &rows, values);
        let table = TableValues {
            shape: &shape,
            metric: Metric::Depth,
            stored: rows.len() * columns * possible / all.max(1),
            rows: rows
                .into_iter()
                .map(|row| (index.rows().set(row), row))
                .collect(),
            values,
            columns,
            budget: Budget {
                samples: 1_000_000,
                distributions: share.clamp(4, 512) as usize,
                bytes: (Self::MODEL_BYTES * positions / self.positions.max(1)).max(200) as usize,
            },
        };
        self.tables.push(table.encode(self.tables.len())?);
        self.schema.extend([stage.white_lost, stage.black_lost]);
        add_histogram(&mut self.schema, &histogram);
        Ok(())
    }

    /// Writes the file to `path`, and returns its size in bytes.
    pub fn finish(self, path: &Path) -> Result<u64, DbError> {
        let prefix = Prefix {
            kind: Kind::Ply,
            metric: Metric::Depth,
            parameters: PARAMETERS,
            rules: self.rules.fingerprint(),
        };
        write::write(path, &prefix, &self.schema, &self.tables)
    }
}

/// A number roughly proportional to the stored positions of a stage.
#[cfg(feature = "build")]
fn positions(reachable: &Reachable, stage: Stage) -> u64 {
    let rows = |side| reachable.rows(stage, side).len() as u64;
    rows(stage.mover()) * rows(stage.mover().other())
}

/// The histogram of the stored distinct positions.
#[cfg(feature = "build")]
fn histogram(index: &Index, shape: &Shape, rows: &[usize], values: &[u8]) -> Histogram {
    use rayon::prelude::*;
    let columns = index.columns().count();
    let counted = rows.par_iter().fold(
        || [0u64; 256],
        |mut counts, &row| {
            let shape_row = shape.row(index.rows().set(row));
            let values = &values[row * columns..][..columns];
            let first = index.first_columns(row);
            for (column, &value) in values.iter().enumerate() {
                let distinct = first.as_ref().is_none_or(|first| first[column]);
                if distinct && shape.holds(&shape_row, column) {
                    counts[usize::from(value)] += 1;
                }
            }
            counts
        },
    );
    let counted = counted.map(Histogram::from_counts);
    counted.reduce(Histogram::default, |mut a, b| {
        a.add(&b);
        a
    })
}
