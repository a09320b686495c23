//! `millbase stats`: how many positions are won, drawn and lost, and how deep.

use std::io::Write;

use anyhow::Result;
use clap::Args;
use millbase::internals::service::stats::{self, CountedTable, StatsAnswer};
use millbase::{Metric, Pair};

use crate::options::Options;
use crate::output::{self, Cell, TextTable, ink};
use crate::report;
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

impl Stats {
    /// Prints the counts.
    pub fn run(&self, options: &Options) -> Result<Status> {
        input::check_pairs(&self.pair, &options.rules)?;
        let db = databases::open(options)?;
        let tables = stats::tables(&db, self.pair)?;
        if tables.is_empty() && db.plies().next().is_none() {
            return Err(databases::none(&db, "there is no database to count"));
        }
        let answer = StatsAnswer::new(&db, self.pair, &tables, self.histogram);
        output::answer(options, &answer, |out| {
            let mut table = report::pair_table(&[]);
            for stats in &answer.tables {
                table.row(report::pair_cells(&stats.counts));
            }
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

/// A row for every value of every table.
fn by_value(tables: &[CountedTable]) -> TextTable {
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
