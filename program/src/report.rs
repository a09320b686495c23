//! The counts of positions by value that `build`, `list` and `stats` report on pairs and plies, as
//! table and JSON.

use std::io::{self, Write};

use millbase::Database;
use millbase::Histogram;
use millbase::Metric;
use millbase::solve::PlyReport;
use millbase::store::{PairFile, PlyFile};
use millbase::{Dtw, Material, Pair};
use schemars::JsonSchema;
use serde::Serialize;

use crate::output::{Cell, TextTable};

/// How many positions have which value.
#[derive(Serialize, JsonSchema)]
struct ValueCounts {
    positions: u64,
    wins: u64,
    draws: u64,
    losses: u64,
    max_win: Option<u16>,
    max_loss: Option<u16>,
}

impl ValueCounts {
    /// The counts of a file that holds this metric.
    fn new(histogram: &Histogram, metric: Metric) -> ValueCounts {
        let depth = |dtw: Option<Dtw>| dtw.filter(|_| metric == Metric::Depth).map(|dtw| dtw.0);
        ValueCounts {
            positions: histogram.positions(),
            wins: histogram.wins(),
            draws: histogram.draws(),
            losses: histogram.losses(),
            max_win: depth(histogram.deepest_win()),
            max_loss: depth(histogram.deepest_loss()),
        }
    }

    fn cells(&self) -> impl Iterator<Item = Cell> {
        let counts = [self.positions, self.wins, self.draws, self.losses];
        let depths = [self.max_win, self.max_loss].map(Cell::optional);
        counts.map(Cell::count).into_iter().chain(depths)
    }
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

/// The counts of one side to move of a pair.
#[derive(Serialize, JsonSchema)]
pub struct PairCounts {
    pair: Pair,
    to_move: u8,
    other: u8,
    #[serde(flatten)]
    counts: ValueCounts,
}

impl PairCounts {
    /// The counts of a table of a file.
    pub fn new(file: &PairFile, material: Material, histogram: &Histogram) -> PairCounts {
        PairCounts {
            pair: file.pair(),
            to_move: material.mover,
            other: material.waiting,
            counts: ValueCounts::new(histogram, file.metric()),
        }
    }

    /// A table for rows of [`PairCounts::cells`] and additional cells with these headings.
    pub fn table(after: &[&'static str]) -> TextTable {
        table(&["pair", "to move"], after)
    }

    /// The row of a table.
    pub fn cells(&self) -> Vec<Cell> {
        let name = [Cell::text(self.pair), Cell::right(self.to_move)];
        name.into_iter().chain(self.counts.cells()).collect()
    }
}

/// The counts of the file of one ply.
#[derive(Serialize, JsonSchema)]
pub struct PlyCounts {
    ply: u8,
    bytes: u64,
    pub file: Option<String>,
    #[serde(flatten)]
    counts: ValueCounts,
    /// The time to build the file, if it was built now.
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds: Option<f64>,
}

impl PlyCounts {
    /// Notes the time of a file that was built now.
    pub fn note_built(&mut self, reports: &[PlyReport]) {
        let report = reports.iter().find(|report| report.ply == self.ply);
        self.seconds = report.map(|report| report.total().as_secs_f64());
    }
}

impl From<&PlyFile> for PlyCounts {
    fn from(file: &PlyFile) -> PlyCounts {
        let mut sum = Histogram::default();
        for histogram in file.stages().filter_map(|stage| file.histogram(stage)) {
            sum.add(histogram);
        }
        PlyCounts {
            ply: file.ply(),
            bytes: file.bytes(),
            file: Some(file.path().display().to_string()),
            counts: ValueCounts::new(&sum, Metric::Depth),
            seconds: None,
        }
    }
}

/// The files of the placing phase.
pub fn plies(db: &Database) -> Vec<PlyCounts> {
    db.plies().map(PlyCounts::from).collect()
}

/// Writes a table of the files of the placing phase, or nothing without files.
pub fn write_plies(out: &mut impl Write, plies: &[PlyCounts]) -> io::Result<()> {
    if plies.is_empty() {
        return Ok(());
    }
    let mut table = table(&["placements"], &["bytes"]);
    for ply in plies {
        let mut cells = vec![Cell::right(ply.ply)];
        cells.extend(ply.counts.cells());
        cells.push(Cell::count(ply.bytes));
        table.row(cells);
    }
    writeln!(out)?;
    table.write(out)
}
