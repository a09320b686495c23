//! Tests of the position index: its numbers of rows, entries and distinct positions agree with
//! Burnside's lemma, and entries map to sets and back.

use std::collections::{BTreeMap, BTreeSet};

use crate::common::{Random, symmetries, turned};
use millbase::internals::{Index, Rows};
use millbase::{Material, Pair, PointSet, Rules};
use rayon::prelude::*;

/// The most stones of a side in the standard game.
const NINE: u8 = 9;

/// All tables with at most this number of stones a side: mover and waiting.
fn tables(stones: u8) -> Vec<Material> {
    let sides = 3..=stones;
    let all =
        sides.flat_map(|mover| (3..=stones).map(move |waiting| Material::new(mover, waiting)));
    all.collect()
}

/// The lengths of a permutation's cycles.
fn cycles(permutation: &[usize; 24]) -> Vec<usize> {
    let mut left: BTreeSet<usize> = (0..24).collect();
    let mut lengths = Vec::new();
    while let Some(first) = left.pop_first() {
        let mut length = 1;
        let mut point = permutation[first];
        while point != first {
            left.remove(&point);
            point = permutation[point];
            length += 1;
        }
        lengths.push(length);
    }
    lengths
}

/// The positions with w stones of one side and b of the other that are distinct under the
/// symmetries, by (w, b). By Burnside's lemma, their number is the mean over the symmetries of the
/// number of positions that a symmetry leaves unchanged. Such a position gives each cycle of the
/// symmetry to one side, to the other, or to none.
pub fn distinct_positions() -> BTreeMap<(usize, usize), u64> {
    let symmetries = symmetries();
    let mut fixed: BTreeMap<(usize, usize), u64> = BTreeMap::new();
    for symmetry in &symmetries {
        let mut ways = BTreeMap::from([((0, 0), 1)]);
        for length in cycles(symmetry) {
            let mut more = BTreeMap::new();
            for ((w, b), count) in ways {
                for key in [(w, b), (w + length, b), (w, b + length)] {
                    *more.entry(key).or_default() += count;
                }
            }
            ways = more;
        }
        for (key, count) in ways {
            *fixed.entry(key).or_default() += count;
        }
    }
    for count in fixed.values_mut() {
        assert_eq!(*count % symmetries.len() as u64, 0);
        *count /= symmetries.len() as u64;
    }
    fixed
}

fn binomial(n: u64, k: u64) -> u64 {
    (0..k).fold(1, |product, i| product * (n - i) / (i + 1))
}

#[test]
fn symmetries_are_those_of_the_board() {
    let distinct: BTreeSet<[usize; 24]> = symmetries().into_iter().collect();
    assert_eq!(distinct.len(), 16);
    let mut rules = crate::plain::PlainRules::standard();
    for diagonals in [false, true] {
        rules.diagonals = diagonals;
        let geometry = rules.geometry();
        let lines: BTreeSet<_> = geometry.lines.iter().copied().map(BTreeSet::from).collect();
        for symmetry in &distinct {
            let image = |points: &BTreeSet<usize>| -> BTreeSet<usize> {
                points.iter().map(|&point| symmetry[point]).collect()
            };
            assert_eq!(lines.iter().map(image).collect::<BTreeSet<_>>(), lines);
            for (point, neighbours) in geometry.neighbours.iter().enumerate() {
                assert_eq!(image(neighbours), geometry.neighbours[symmetry[point]]);
            }
        }
    }
}

#[test]
fn all_pairs_have_the_published_number_of_distinct_positions() {
    let distinct = distinct_positions();
    let pairs = Pair::all(&Rules::STANDARD);
    assert_eq!(pairs.len(), 28);
    let tables = pairs.iter().flat_map(|pair| pair.tables(&Rules::STANDARD));
    let total: u64 = tables
        .map(|table| distinct[&(table.mover.into(), table.waiting.into())])
        .sum();
    assert_eq!(total, 8_904_593_601);
}

#[test]
fn rows_and_columns_are_as_many_as_they_must_be() {
    let distinct = distinct_positions();
    let rows = (3..=NINE).map(|stones| Rows::of(stones).len());
    assert_eq!(
        rows.collect::<Vec<_>>(),
        [158, 757, 2_830, 8_774, 22_188, 46_879, 82_880]
    );
    for table in tables(12) {
        let (mover, waiting) = (u64::from(table.mover), u64::from(table.waiting));
        let rows = distinct[&(mover as usize, 0)];
        let index = Index::new(table);
        assert_eq!(index.material(), table);
        assert_eq!(index.rows().len() as u64, rows, "{table:?}");
        assert_eq!(
            index.len() as u64,
            rows * binomial(24 - mover, waiting),
            "{table:?}"
        );
    }
}

/// In every table of the standard game, the number of columns marked as first equals the number of
/// distinct positions.
#[test]
fn first_columns_count_every_position_once() {
    let distinct = distinct_positions();
    for table in tables(NINE) {
        let index = Index::new(table);
        let columns = index.columns().count() as u64;
        let counts =
            (0..index.rows().len())
                .into_par_iter()
                .map(|row| match index.first_columns(row) {
                    Some(first) => first.len() as u64,
                    None => columns,
                });
        let expected = distinct[&(table.mover.into(), table.waiting.into())];
        assert_eq!(counts.sum::<u64>(), expected, "{table:?}");
    }
}

/// Whether two entries of a row hold the same position, by the images of its stones.
fn are_equivalent(index: &Index, a: usize, b: usize) -> bool {
    let columns = index.columns().count();
    let (mover, waiting) = index.sets(a);
    a / columns == b / columns
        && symmetries()
            .iter()
            .any(|symmetry| (turned(symmetry, mover), turned(symmetry, waiting)) == index.sets(b))
}

/// The sets at an entry.
fn check_round_trip(index: &Index, entry: usize) {
    let Material { mover, waiting, .. } = index.material();
    let (mine, others) = index.sets(entry);
    assert_eq!(
        (mine & others, Material::of(mine, others)),
        (PointSet::EMPTY, index.material())
    );
    let row = entry / index.columns().count();
    assert_eq!(index.rows().set(row), mine, "{mover}-{waiting} {entry}");
    let found = index.find(mine, others);
    let same =
        found == entry || index.rows().is_symmetric(row) && are_equivalent(index, found, entry);
    assert!(same, "{mover}-{waiting} {entry} found at {found}");
}

/// Every entry of the tables with at most eight stones leads to its sets, and these lead back. Rows
/// and columns are in the ascending order of their sets, on which the files rely.
#[test]
fn entries_lead_to_sets_and_back() {
    for table in tables(5) {
        if table.mover + table.waiting > 8 {
            continue;
        }
        let index = Index::new(table);
        let columns = index.columns().count();
        assert!(index.rows().iter().is_sorted_by(|a, b| a < b));
        (0..index.rows().len()).into_par_iter().for_each(|row| {
            let entries = row * columns..(row + 1) * columns;
            let waiting = entries.clone().map(|entry| index.sets(entry).1);
            assert!(waiting.is_sorted_by(|a, b| a < b), "{table:?} row {row}");
            for entry in entries {
                check_round_trip(&index, entry);
            }
        });
    }
}

/// Random entries of every table up to twelve stones a side; the images of their positions are in
/// the same row, at an equivalent column.
#[test]
fn turned_positions_are_found_at_the_same_place() {
    let symmetries = symmetries();
    let mut random = Random::new(4000);
    for table in tables(12) {
        let index = Index::new(table);
        for _ in 0..1_000 {
            let entry = random.below(index.len());
            check_round_trip(&index, entry);
            let (mover, waiting) = index.sets(entry);
            let symmetry = random.pick(&symmetries);
            let found = index.find(turned(symmetry, mover), turned(symmetry, waiting));
            assert!(
                found == entry || are_equivalent(&index, found, entry),
                "{table:?}: {mover:?} {waiting:?} found at {found}, not {entry}"
            );
        }
    }
}
