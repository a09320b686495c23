//! The schema of a pair's file: one table, that in which the larger side is to move. A one-turn
//! search derives the values of the other table from it.
//!
//! ```text
//! larger, smaller    1 byte each: the stones on the board
//! their hands        1 byte each, only if pairs have stones in hand
//! coverage           1 byte: [`Coverage::number`]
//! histograms         of the pair's tables, the larger side to move first
//! ```

use std::path::{Path, PathBuf};

use super::codec::Coverage;
use super::container::{Container, FileKind};
use super::error::DbError;
use super::profile::Compression;
use super::source::ByteSource;
use super::table::{ProbedRow, Table, TableFile};
use crate::board::PointSet;
use crate::index::histogram::Histogram;
use crate::index::{Material, Pair};
use crate::rules::position::Position;
use crate::rules::{MOST_STONES, Rules};
use crate::value::Metric;

/// The name of a pair's file in its folder.
///
/// ```
/// use millbase::store::file_name;
/// assert_eq!(file_name("8-9".parse()?), "9-8.mill");
/// assert_eq!(file_name("3-4+1-1".parse()?), "4-3+1-1.mill");
/// # Ok::<(), millbase::PairError>(())
/// ```
pub fn file_name(pair: Pair) -> String {
    format!("{pair}.mill")
}

/// The table that a file holds: the one with the larger side to move, or the only one.
pub(crate) fn stored_table(pair: Pair, rules: &Rules) -> Material {
    pair.tables(rules)[0]
}

/// The file of a pair, opened. Its head is checked; its rows are checked when they are read.
#[derive(Debug)]
pub struct PairFile {
    file: TableFile,
    /// Whether it is part of the program.
    is_embedded: bool,
    pair: Pair,
    coverage: Coverage,
    /// In the order of [`Pair::tables`].
    histograms: Vec<Histogram>,
}

impl PairFile {
    /// Opens the bytes of a pair's file.
    pub(crate) fn open(
        path: PathBuf,
        is_embedded: bool,
        source: Box<dyn ByteSource>,
        pair: Pair,
        rules: Rules,
    ) -> Result<PairFile, DbError> {
        let container = Container::open(path, source, FileKind::Pair, rules)?;
        let mut fields = container.fields();
        fields.expect("pair", [pair.larger(), pair.smaller()])?;
        if rules.pairs_have_hands() {
            fields.expect("stones in hand", pair.in_hand())?;
        }
        let at = fields.at;
        let [number] = fields.take()?;
        let suffices = |coverage: &Coverage| {
            coverage.number() == Some(number)
                && coverage.suffices(&rules, stored_table(pair, &rules))
        };
        let Some(coverage) = Coverage::OF_PAIRS.into_iter().find(suffices) else {
            let what =
                format!("wrong coverage {number}: this pair needs entries that such a file omits");
            return Err(fields.corrupt(at, what));
        };
        let tables = pair.tables(&rules).into_iter();
        let histograms = tables.map(|material| {
            let histogram = fields.histogram(material.entries())?;
            Ok(histogram.with_distance(rules.distance()))
        });
        let histograms = histograms.collect::<Result<_, _>>()?;
        fields.end()?;
        Ok(PairFile {
            file: TableFile::new(container, 1, slot(pair) as u16)?,
            is_embedded,
            pair,
            coverage,
            histograms,
        })
    }

    /// The pair whose positions the file holds.
    pub fn pair(&self) -> Pair {
        self.pair
    }

    /// The size of the file in bytes.
    pub fn bytes(&self) -> u64 {
        self.file.container.source.size()
    }

    /// Whether the file holds depths.
    pub fn metric(&self) -> Metric {
        self.file.container.parameters.profile.metric
    }

    /// Returns [`DbError::NoDepths`] unless the file holds the metric.
    pub(crate) fn check_metric(&self, metric: Metric) -> Result<(), DbError> {
        match self.metric().holds(metric) {
            true => Ok(()),
            false => Err(DbError::NoDepths {
                pair: self.pair,
                rules: *self.rules(),
            }),
        }
    }

    /// The compression of the file.
    pub fn compression(&self) -> Compression {
        self.file.container.parameters.profile.compression
    }

    /// The path of the file; `None` for a file that is part of the program.
    pub fn path(&self) -> Option<&Path> {
        (!self.is_embedded).then(|| self.name())
    }

    /// The path, or the name of an embedded file in errors.
    pub(crate) fn name(&self) -> &Path {
        &self.file.container.name
    }

    /// The entries that the file holds.
    pub(crate) fn coverage(&self) -> &Coverage {
        &self.coverage
    }

    /// The rules of the values.
    pub fn rules(&self) -> &Rules {
        &self.file.container.rules
    }

    /// The number of positions with each value in one of the pair's tables.
    pub(crate) fn histogram(&self, material: Material) -> &Histogram {
        let number = usize::from(material.is_derived(self.rules()));
        // A pair has a histogram for each of its tables.
        &self.histograms[number.min(self.histograms.len() - 1)]
    }

    /// Whether the file holds the value of a position of its pair, so that it need not be derived.
    pub(crate) fn holds(&self, position: &Position) -> bool {
        let material = Material::of_position(position);
        let Position { mover, waiting, .. } = *position;
        !material.is_derived(self.rules()) && self.coverage.holds(self.rules(), mover, waiting)
    }

    /// The table with the larger side to move.
    #[inline]
    pub(crate) fn table(&self) -> Result<Table<'_>, DbError> {
        let spec = || (stored_table(self.pair, self.rules()), self.coverage.clone());
        self.file.table(0, spec)
    }

    /// The row of a mover's set, which the file must [hold](PairFile::holds).
    #[inline(always)]
    pub(crate) fn row(&self, mover: PointSet) -> Result<ProbedRow<'_>, DbError> {
        let row = self.table()?.find(mover);
        row.ok_or_else(|| DbError::NotStored("no such row".to_string()))
    }
}

/// The number of values that a count of stones on the board or in hand can have: 0 to 12.
const SIDES: usize = MOST_STONES as usize + 1;

/// The number of places for the pairs of these rules, see [`slot`].
pub(crate) fn slots(rules: &Rules) -> usize {
    match rules.pairs_have_hands() {
        true => SIDES.pow(4),
        false => SIDES * SIDES,
    }
}

/// The place of a pair in an array of all possible pairs.
pub(crate) fn slot(pair: Pair) -> usize {
    let [larger_in_hand, smaller_in_hand] = pair.in_hand();
    let numbers = [
        larger_in_hand,
        smaller_in_hand,
        pair.larger(),
        pair.smaller(),
    ];
    numbers
        .into_iter()
        .fold(0, |slot, number| slot * SIDES + usize::from(number))
}

/// The pair at a place, `None` if there is none.
pub(crate) fn pair_of_slot(slot: usize) -> Option<Pair> {
    let [larger_in_hand, smaller_in_hand, larger, smaller] =
        [3, 2, 1, 0].map(|place| (slot / SIDES.pow(place) % SIDES) as u8);
    let material = Material::new(larger, smaller).with_hands([larger_in_hand, smaller_in_hand]);
    material.pair()
}
