//! `millbase stats`: how many positions are won, drawn and lost, and how deep.

use std::io::Write;

use anyhow::Result;
use clap::Args;
use millbase::index::histogram::Histogram;
use millbase::json::value::JsonValue;
use millbase::probe::Database;
use millbase::store::PairFile;
use millbase::value::Metric;
use millbase::{Dtw, Material, Pair};
use serde::Serialize;

use crate::databases;
use crate::input;
use crate::options::Options;
use crate::output::{self, Cell, Ink, Palette, Table};
use crate::placing;
use crate::status::Status;

/// Show how many positions are won, drawn and lost, for each pair and side to move
///
/// Positions that are equal under the 16 symmetries of the board count once, whether or not a game
/// can reach them. Values are for the side to move.
#[derive(Args)]
#[command(after_help = "\
Examples:
  millbase stats
  millbase stats --pair 4-3 --histogram")]
pub struct Stats {
    /// Only this pair, like 6-4
    #[arg(long, value_parser = input::pair)]
    pair: Option<Pair>,

    /// Show the counts of every depth
    #[arg(long)]
    histogram: bool,
}

#[derive(Serialize)]
struct StatsAnswer {
    tables: Vec<TableCounts>,
    placing: Vec<placing::JsonPly>,
}

/// The counts of one table as JSON.
#[derive(Serialize)]
pub struct TableCounts {
    pair: String,
    to_move: u8,
    other: u8,
    positions: u64,
    wins: u64,
    draws: u64,
    losses: u64,
    max_win: Option<u16>,
    max_loss: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    histogram: Option<Vec<ValueCount>>,
}

#[derive(Serialize)]
struct ValueCount {
    #[serde(flatten)]
    value: JsonValue,
    positions: u64,
}

impl TableCounts {
    /// The counts of a table, without those of every depth.
    pub fn new(file: &PairFile, material: Material, histogram: &Histogram) -> TableCounts {
        TableCounts {
            pair: file.pair().to_string(),
            to_move: material.mover,
            other: material.waiting,
            positions: histogram.positions(),
            wins: histogram.wins(),
            draws: histogram.draws(),
            losses: histogram.losses(),
            max_win: deepest(file, histogram.deepest_win()).map(|dtw| dtw.0),
            max_loss: deepest(file, histogram.deepest_loss()).map(|dtw| dtw.0),
            histogram: None,
        }
    }

    fn with_histogram(self, histogram: &Histogram) -> TableCounts {
        let counts = histogram.iter().map(|(value, positions)| ValueCount {
            value: value.into(),
            positions,
        });
        TableCounts {
            histogram: Some(counts.collect()),
            ..self
        }
    }
}

/// The depth, if the file holds depths.
fn deepest(file: &PairFile, dtw: Option<Dtw>) -> Option<Dtw> {
    dtw.filter(|_| file.metric() == Metric::Depth)
}

/// The headings of [`cells`].
pub const HEADINGS: [&str; 8] = [
    "pair",
    "to move",
    "positions",
    "wins",
    "draws",
    "losses",
    "deepest win",
    "deepest loss",
];

/// The counts of a table for people.
pub fn cells(file: &PairFile, material: Material, histogram: &Histogram) -> Vec<Cell> {
    vec![
        Cell::text(file.pair()),
        Cell::right(material.mover),
        Cell::count(histogram.positions()),
        Cell::count(histogram.wins()),
        Cell::count(histogram.draws()),
        Cell::count(histogram.losses()),
        Cell::depth(deepest(file, histogram.deepest_win())),
        Cell::depth(deepest(file, histogram.deepest_loss())),
    ]
}

impl Stats {
    /// Prints the counts.
    pub fn run(&self, options: &Options) -> Result<Status> {
        input::check_pairs(&self.pair, &options.rules)?;
        let db = databases::open(options)?;
        let tables = self.tables(&db)?;
        let mut out = output::stdout();
        if options.json {
            let tables = tables.into_iter().map(|(file, material, histogram)| {
                let counts = TableCounts::new(file, material, histogram);
                match self.histogram {
                    true => counts.with_histogram(histogram),
                    false => counts,
                }
            });
            let tables = tables.collect();
            let placing = match self.pair {
                None => placing::json_files(&db),
                Some(_) => Vec::new(),
            };
            output::json(&mut out, &StatsAnswer { tables, placing })?;
        } else {
            let palette = Palette::of(options);
            let mut table = Table::new(&HEADINGS);
            for &(file, material, histogram) in &tables {
                table.row(cells(file, material, histogram));
            }
            table.write(&mut out, palette)?;
            if self.pair.is_none() {
                placing::write_files(&mut out, &db, palette)?;
            }
            if self.histogram {
                writeln!(out)?;
                by_value(&tables).write(&mut out, palette)?;
            }
        }
        out.flush()?;
        match self.pair {
            None => Ok(databases::note_unusable(&db)),
            Some(_) => Ok(Status::Done),
        }
    }

    fn tables<'a>(&self, db: &'a Database) -> Result<Vec<(&'a PairFile, Material, &'a Histogram)>> {
        let pairs: Vec<Pair> = match self.pair {
            Some(pair) => vec![pair],
            None => databases::in_order(db),
        };
        let mut tables = Vec::new();
        for pair in pairs {
            let file = db.file(pair)?;
            for material in pair.tables() {
                tables.push((file, material, db.histogram(material)?));
            }
        }
        Ok(tables)
    }
}

/// A row for every value of every table.
fn by_value(tables: &[(&PairFile, Material, &Histogram)]) -> Table {
    let mut table = Table::new(&["pair", "to move", "value", "positions"]);
    for (file, material, histogram) in tables {
        for (value, count) in histogram.iter() {
            let name = match file.metric() {
                Metric::Depth => value.to_string(),
                Metric::Wdl => value.wdl().to_string(),
            };
            table.row(vec![
                Cell::text(file.pair()),
                Cell::right(material.mover),
                Cell::text(name).ink(Ink::of(value.wdl())),
                Cell::count(count),
            ]);
        }
    }
    table
}
