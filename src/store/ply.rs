//! The schema of a ply's file: a table for each stage, that is, for each combination of stones lost
//! by the two sides. The tables store the positions that a game may reach, see
//! [`stages`](crate::index::stages).
//!
//! ```text
//! stones, ply              1 byte each
//! of each stage
//!     white, black lost    1 byte each
//!     histogram
//! ```

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::codec::{Coverage, SetMarks};
use super::container::{Container, FileKind};
use super::error::DbError;
use super::profile::Profile;
use super::source::ByteSource;
use super::table::{Table, TableFile};
use crate::index::histogram::Histogram;
use crate::index::stages::{Stage, StageSets, why_unsolved};
use crate::rules::Rules;
use crate::value::Metric;

/// The name of a ply's file in its folder.
pub fn ply_file_name(ply: u8) -> String {
    format!("placing-{ply:02}.mill")
}

/// The plies that may have files: none if the placing phase cannot be solved.
pub(crate) fn plies(rules: &Rules) -> Range<u8> {
    match why_unsolved(rules) {
        Some(_) => 0..0,
        None => 0..rules.placements(),
    }
}

/// The file of a ply, opened. Its head is checked; its rows are checked when they are read.
#[derive(Debug)]
pub struct PlyFile {
    file: TableFile,
    ply: u8,
    /// In the order of [`StageSets::stages_of`].
    stages: Vec<(Stage, Histogram)>,
}

/// The positions of a stage that are stored.
pub(super) fn coverage(stage_sets: &StageSets, stage: Stage) -> Coverage {
    let (mover, waiting) = (stage.mover(), stage.mover().other());
    let rows = stage_sets.rows(stage, mover).iter();
    let sets = SetMarks::of_rows(stage.stones(waiting), stage_sets.rows(stage, waiting));
    Coverage::Possible(rows.map(|row| row as u32).collect(), Arc::new(sets))
}

impl PlyFile {
    /// Opens the bytes of a ply's file.
    pub(crate) fn open(
        path: PathBuf,
        source: Box<dyn ByteSource>,
        ply: u8,
        rules: Rules,
        stage_sets: &StageSets,
    ) -> Result<PlyFile, DbError> {
        let container = Container::open(path.clone(), source, FileKind::Ply, rules)?;
        let mut fields = container.fields();
        let [stones] = fields.take()?;
        if stones != rules.stones {
            // The fingerprint does not depend on the number of stones.
            return Err(DbError::OtherRules {
                file: path,
                rules,
                found: Rules { stones, ..rules }.name(),
            });
        }
        fields.expect("ply", [ply])?;
        let mut stages = Vec::new();
        for stage in stage_sets.stages_of(ply) {
            let lost = [stage.white_lost, stage.black_lost];
            fields.expect("numbers of stones lost", lost)?;
            let histogram = fields.histogram(stage.material().entries())?;
            stages.push((stage, histogram));
        }
        fields.end()?;
        Ok(PlyFile {
            file: TableFile::new(container, stages.len(), 0x8000 | u16::from(ply) << 8)?,
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
        &self.file.container.name
    }

    /// The size of the file in bytes.
    pub fn bytes(&self) -> u64 {
        self.file.container.source.size()
    }

    /// Whether the file holds depths.
    pub fn metric(&self) -> Metric {
        self.profile().metric
    }

    /// Contents and compression of the file.
    pub fn profile(&self) -> Profile {
        self.file.container.parameters.profile
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
        stage_sets: &StageSets,
    ) -> Result<Option<Table<'_>>, DbError> {
        let Some(number) = self.stages().position(|other| other == stage) else {
            return Ok(None);
        };
        let spec = || (stage.material(), coverage(stage_sets, stage));
        self.file.table(number, spec).map(Some)
    }
}
