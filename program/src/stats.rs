//! `millbase stats`: how many positions are won, drawn and lost, and how deep.

use std::io::{self, Write};

use anyhow::Result;
use clap::Args;
use millbase::Pair;
use millbase::internals::service::stats::{StatsAnswer, TableStats};

use crate::options::Options;
use crate::output::{self, Cell};
use crate::report;
use crate::status::Status;
use crate::{databases, input};

/// Show how many positions are won, drawn and lost, for each file and side to move
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
        let answer = StatsAnswer::new(&db, self.pair, self.histogram)?;
        if answer.tables.is_empty() && answer.placing.is_empty() {
            return Err(databases::none(&db, "there is no database to count"));
        }
        output::answer(options, &answer, |out| {
            let counts = answer.tables.iter().map(|table| &table.counts);
            report::write_pairs(out, &[], counts.map(report::pair_cells))?;
            report::write_plies(out, &answer.placing)?;
            if self.histogram {
                writeln!(out)?;
                write_values(out, &answer.tables)?;
            }
            Ok(())
        })?;
        Ok(databases::note_unusable(&db, self.pair))
    }
}

/// A row for every value of every table.
fn write_values(out: &mut impl Write, tables: &[TableStats]) -> io::Result<()> {
    let rows = tables.iter().flat_map(|table| {
        let values = table.values();
        values.map(|(value, count)| (&table.counts, value, count))
    });
    output::table(out, rows).write(&[
        ("pair", |(counts, ..)| Cell::text(counts.pair)),
        ("to move", |(counts, ..)| Cell::right(&counts.sides)),
        ("value", |(_, value, _)| Cell::value(*value)),
        ("positions", |(.., count)| Cell::count(*count)),
    ])
}
