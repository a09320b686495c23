//! `millbase stats`: how many positions are won, drawn and lost, and how deep.

use std::io::Write;

use anyhow::Result;
use clap::Args;
use millbase::Database;
use millbase::Histogram;
use millbase::Metric;
use millbase::store::{DbError, PairFile};
use millbase::{Material, Pair, Value};
use schemars::JsonSchema;
use serde::Serialize;

use crate::options::Options;
use crate::output::{self, Cell, TextTable, ink};
use crate::report::{self, PairCounts, PlyCounts};
use crate::status::Status;
use crate::{databases, input};

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
    #[arg(long)]
    pair: Option<Pair>,

    /// Show the counts of every depth
    #[arg(long)]
    histogram: bool,
}

#[derive(Serialize, JsonSchema)]
pub struct StatsAnswer {
    tables: Vec<TableStats>,
    placing: Vec<PlyCounts>,
}

#[derive(Serialize, JsonSchema)]
struct TableStats {
    #[serde(flatten)]
    counts: PairCounts,
    #[serde(skip_serializing_if = "Option::is_none")]
    histogram: Option<Vec<ValueCount>>,
}

#[derive(Serialize, JsonSchema)]
struct ValueCount {
    #[serde(flatten)]
    value: Value,
    positions: u64,
}

fn value_counts(histogram: &Histogram) -> Vec<ValueCount> {
    let counts = histogram
        .iter()
        .map(|(value, positions)| ValueCount { value, positions });
    counts.collect()
}

impl Stats {
    /// Prints the counts.
    pub fn run(&self, options: &Options) -> Result<Status> {
        input::check_pairs(&self.pair, &options.rules)?;
        let db = databases::open(options)?;
        let tables = tables(&db, self.pair)?;
        if tables.is_empty() && db.plies().next().is_none() {
            return Err(databases::none(&db, "there is no database to count"));
        }
        let answer = StatsAnswer::new(&db, self.pair, &tables, self.histogram);
        output::answer(options, &answer, |out| {
            let mut table = PairCounts::table(&[]);
            let rows = answer.tables.iter().map(|table| table.counts.cells());
            rows.for_each(|row| table.row(row));
            table.write(out)?;
            report::write_plies(out, &answer.placing)?;
            if self.histogram {
                writeln!(out)?;
                by_value(&tables).write(out)?;
            }
            Ok(())
        })?;
        match self.pair {
            None => Ok(databases::note_unusable(&db)),
            Some(_) => Ok(Status::Done),
        }
    }
}

/// A table of a file with its counts.
type Counted<'a> = (&'a PairFile, Material, &'a Histogram);

/// The tables of a pair or of all usable files.
fn tables(db: &Database, pair: Option<Pair>) -> Result<Vec<Counted<'_>>, DbError> {
    let mut tables = Vec::new();
    for pair in pair.map_or_else(|| databases::in_order(db), |pair| vec![pair]) {
        let file = db.file(pair)?;
        for material in pair.tables() {
            tables.push((file, material, db.histogram(material)?));
        }
    }
    Ok(tables)
}

impl StatsAnswer {
    /// The counts of these tables, which are those of the pair or of all; then those of the plies belong to them.
    fn new(db: &Database, pair: Option<Pair>, tables: &[Counted], histogram: bool) -> StatsAnswer {
        let table = |&(file, material, counts): &Counted| TableStats {
            counts: PairCounts::new(file, material, counts),
            histogram: histogram.then(|| value_counts(counts)),
        };
        StatsAnswer {
            tables: tables.iter().map(table).collect(),
            placing: match pair {
                None => report::plies(db),
                Some(_) => Vec::new(),
            },
        }
    }

    /// The counts of a pair or of all usable files, without the folders of this machine.
    pub fn without_paths(db: &Database, pair: Option<Pair>) -> Result<StatsAnswer, DbError> {
        let mut answer = StatsAnswer::new(db, pair, &tables(db, pair)?, true);
        answer.placing.iter_mut().for_each(|ply| ply.file = None);
        Ok(answer)
    }
}

/// A row for every value of every table.
fn by_value(tables: &[Counted]) -> TextTable {
    let mut table = TextTable::new(&["pair", "to move", "value", "positions"]);
    for (file, material, histogram) in tables {
        for (value, count) in histogram.iter() {
            let name = match file.metric() {
                Metric::Depth => value.to_string(),
                Metric::Wdl => value.wdl().to_string(),
            };
            table.row(vec![
                Cell::text(file.pair()),
                Cell::right(material.mover),
                Cell::text(name).ink(ink::of(value.wdl())),
                Cell::count(count),
            ]);
        }
    }
    table
}
