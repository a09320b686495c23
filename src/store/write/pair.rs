//! Writes the file of a solved pair.

use std::path::Path;

use super::{TableValues, add_histogram};
use crate::index::histogram::Histogram;
use crate::index::{Material, Pair};
use crate::rules::Rules;
use crate::store::codec::encode::Budget;
use crate::store::codec::{Coverage, Parameters, TableShape};
use crate::store::container::FileKind;
use crate::store::error::DbError;
use crate::store::pair::{file_name, stored_table};
use crate::store::profile::{Compression, Profile};
use crate::value::Metric;

/// Writes the file of a solved pair to a folder, and returns its size in bytes. The same values give
/// the same bytes for any number of threads.
///
/// * `values`: the value of each entry of the [`Index`](crate::index::Index) of the table in which
///   the larger side moves, see [`Value::from_byte`](crate::Value::from_byte). The values of the
///   other table follow from these.
/// * `histograms`: those of the pair's tables, in the order of [`Pair::tables`].
///
/// # Errors
///
/// [`DbError::Io`]. An existing file of this name then stays as it was.
///
/// # Panics
///
/// If the numbers of values or histograms are not those of the pair.
pub fn write_pair(
    folder: &Path,
    rules: &Rules,
    profile: Profile,
    pair: Pair,
    values: &[u8],
    histograms: &[Histogram],
) -> Result<u64, DbError> {
    let material = stored_table(pair, rules);
    let entries = values.len() as u64;
    assert_eq!(entries, material.entries(), "values missing");
    let tables = pair.tables(rules).len();
    assert_eq!(histograms.len(), tables, "histograms missing");

    let (parameters, coverage) = encoding(profile, rules, material);
    let mut schema = vec![pair.larger(), pair.smaller()];
    if rules.pairs_have_hands() {
        schema.extend(pair.in_hand());
    }
    schema.extend(coverage.number());
    for histogram in histograms {
        add_histogram(&mut schema, &histogram.of_metric(profile.metric));
    }
    let shape = TableShape::new(rules, material, coverage, parameters);
    let values = TableValues {
        shape: &shape,
        stored: shape.stored_rows() * shape.index.columns().count(),
        values,
        budget: Budget::of(profile.compression),
    };
    let path = &folder.join(file_name(pair));
    let table = values.encode(0).map_err(DbError::io(path))?;
    super::write(path, FileKind::Pair, rules, parameters, &schema, &[table])
}

/// The encoder parameters of a pair's table, and the entries to store.
///
/// If a table omits entries, probes read more rows: the value of an omitted entry follows from a
/// whole row, and captures lead to many rows. So quick files with depths have shorter blocks in
/// such tables. Without depths, values take few bytes, so the bits lost at the beginning of each
/// block matter more. The smallest files have the longest blocks of which a set of the cache holds
/// more than one.
fn encoding(profile: Profile, rules: &Rules, material: Material) -> (Parameters, Coverage) {
    let suffices = |coverage: Coverage| coverage.suffices(rules, material).then_some(coverage);
    let closing = suffices(Coverage::EvenOrClosing);
    let (columns, coverage) = match (profile.compression, profile.metric, closing) {
        (Compression::Max, ..) => {
            let smallest = [Coverage::EvenBoth, Coverage::EvenMover];
            (2048, smallest.into_iter().find_map(suffices))
        }
        (Compression::Quick, Metric::Depth, None) => (192, None),
        (Compression::Quick, Metric::Depth, closing) => (160, closing),
        (Compression::Quick, Metric::Wdl, None) => (320, None),
        (Compression::Quick, Metric::Wdl, closing) => (512, closing),
    };
    let coverage = coverage.unwrap_or(Coverage::All);
    (Parameters { profile, columns }, coverage)
}
