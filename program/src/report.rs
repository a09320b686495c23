//! The counts of positions by value that `build`, `list` and `stats` report on pairs and plies, as
//! tables.

use std::io::{self, Write};

use millbase::internals::service::stats::{PairCounts, PlyCounts, ValueCounts};

use crate::output::{self, Cell};

/// The cells of counts.
fn cells(counts: &ValueCounts) -> impl Iterator<Item = Cell> {
    let numbers = [counts.positions, counts.wins, counts.draws, counts.losses];
    let depths = [counts.max_win, counts.max_loss].map(Cell::optional);
    numbers.map(Cell::count).into_iter().chain(depths)
}

/// The headings of counts.
const COUNTS: [&str; 6] = [
    "positions",
    "wins",
    "draws",
    "losses",
    "deepest win",
    "deepest loss",
];

/// Writes a table of rows of [`pair_cells`] and additional cells with these headings.
pub fn write_pairs(
    out: &mut impl Write,
    after: &[&str],
    rows: impl Iterator<Item = Vec<Cell>>,
) -> io::Result<()> {
    let headings = [&["pair", "to move"], &COUNTS[..], after].concat();
    output::write_cells(out, &headings, &rows.collect::<Vec<_>>())
}

/// The row of one side to move of a pair.
pub fn pair_cells(counts: &PairCounts) -> Vec<Cell> {
    let name = [Cell::text(counts.pair), Cell::right(&counts.sides)];
    name.into_iter().chain(cells(&counts.counts)).collect()
}

/// Writes a table of the files of the placing phase, or nothing without files.
pub fn write_plies(out: &mut impl Write, plies: &[PlyCounts]) -> io::Result<()> {
    if plies.is_empty() {
        return Ok(());
    }
    let rows = plies.iter().map(|ply| {
        let counts = cells(&ply.counts).chain([Cell::count(ply.bytes)]);
        [Cell::right(ply.ply)].into_iter().chain(counts).collect()
    });
    writeln!(out)?;
    let headings = [&["placements"], &COUNTS[..], &["bytes"]].concat();
    output::write_cells(out, &headings, &rows.collect::<Vec<_>>())
}
