//! The counts of positions by value that `build`, `list` and `stats` report on pairs and plies, as
//! tables.

use std::io::{self, Write};

use millbase::internals::service::stats::{PairCounts, PlyCounts, ValueCounts};

use crate::output::{Cell, TextTable};

/// The cells of counts.
fn cells(counts: &ValueCounts) -> impl Iterator<Item = Cell> {
    let numbers = [counts.positions, counts.wins, counts.draws, counts.losses];
    let depths = [counts.max_win, counts.max_loss].map(Cell::optional);
    numbers.map(Cell::count).into_iter().chain(depths)
}

/// A table of rows with these headings, between which stand those of the counts.
fn table(before: &[&'static str], after: &[&'static str]) -> TextTable {
    const COUNTS: [&str; 6] = [
        "positions",
        "wins",
        "draws",
        "losses",
        "deepest win",
        "deepest loss",
    ];
    TextTable::new(&[before, &COUNTS, after].concat())
}

/// A table for rows of [`pair_cells`] and additional cells with these headings.
pub fn pair_table(after: &[&'static str]) -> TextTable {
    table(&["pair", "to move"], after)
}

/// The row of one side to move of a pair.
pub fn pair_cells(counts: &PairCounts) -> Vec<Cell> {
    let name = [Cell::text(counts.pair), Cell::right(counts.to_move)];
    name.into_iter().chain(cells(&counts.counts)).collect()
}

/// Writes a table of the files of the placing phase, or nothing without files.
pub fn write_plies(out: &mut impl Write, plies: &[PlyCounts]) -> io::Result<()> {
    if plies.is_empty() {
        return Ok(());
    }
    let mut table = table(&["placements"], &["bytes"]);
    for ply in plies {
        let mut row = vec![Cell::right(ply.ply)];
        row.extend(cells(&ply.counts));
        row.push(Cell::count(ply.bytes));
        table.row(row);
    }
    writeln!(out)?;
    table.write(out)
}
