//! The measured figures, as JSON and as a table.

use std::io::{self, Write};

use indicatif::HumanCount;
use millbase::store::PairFile;
use millbase::{Material, Position};
use serde::Serialize;

use crate::output::{Cell, Table};

/// All measured figures.
#[derive(Serialize)]
pub struct BenchAnswer {
    pub threads: usize,
    pub seconds_per_measurement: f64,
    pub seed: u64,
    pub databases: Vec<JsonDatabase>,
    pub tables: Vec<TablesFigures>,
    pub ranking: Ranking,
    #[serde(rename = "preload")]
    pub bitbase: Option<Preloaded>,
    pub perft: Perft,
    pub search: Searched,
    pub build: Build,
}

#[derive(Serialize)]
pub struct JsonDatabase {
    pub pair: String,
    /// `None` where the database is part of the program.
    pub file: Option<String>,
    pub built_in: bool,
}

impl From<&PairFile> for JsonDatabase {
    fn from(file: &PairFile) -> JsonDatabase {
        JsonDatabase {
            pair: file.pair().to_string(),
            file: file.path().map(|path| path.display().to_string()),
            built_in: file.path().is_none(),
        }
    }
}

/// The tables whose figures are reported together.
#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Tables {
    All,
    /// The tables where the side to move has at least as many stones as the other.
    LargerToMove,
    SmallerToMove,
}

impl Tables {
    pub const EACH: [Tables; 3] = [Tables::All, Tables::LargerToMove, Tables::SmallerToMove];

    pub fn have(self, material: Material) -> bool {
        let larger = material.mover >= material.waiting;
        match self {
            Tables::All => true,
            Tables::LargerToMove => larger,
            Tables::SmallerToMove => !larger,
        }
    }

    pub fn have_position(self, position: &Position) -> bool {
        self.have(Material::of(position.mover(), position.waiting()))
    }

    pub fn name(self) -> &'static str {
        match self {
            Tables::All => "either",
            Tables::LargerToMove => "larger or equal",
            Tables::SmallerToMove => "smaller",
        }
    }
}

#[derive(Serialize)]
pub struct TablesFigures {
    pub tables: Tables,
    pub cold_probes: usize,
    pub cold_probe_p50_us: f64,
    pub cold_probe_p90_us: f64,
    pub cold_probe_p99_us: f64,
    pub warm_probes_per_s: f64,
    pub warm_probes_per_s_all_threads: f64,
    pub loading_mb_per_s_all_threads: f64,
}

/// Warm, on one thread.
#[derive(Serialize)]
pub struct Ranking {
    pub positions_per_s: f64,
    pub turns_per_s: f64,
}

/// A bitbase of the largest pair that is not too large: probes of random positions on one thread,
/// one after the other and eight at a time.
#[derive(Serialize)]
pub struct Preloaded {
    pub pair: String,
    pub bytes: u64,
    pub seconds: f64,
    pub probes_per_s: f64,
    pub probes_in_eights_per_s: f64,
}

/// Nodes of the search without databases, on one thread.
#[derive(Serialize)]
pub struct Searched {
    pub placing_nodes_per_s: f64,
    pub moving_nodes_per_s: f64,
}

/// Leaves, on one thread.
#[derive(Serialize)]
pub struct Perft {
    pub placing_nodes_per_s: f64,
    pub moving_nodes_per_s: f64,
}

/// Solving pairs from scratch, with all threads. `total` is the whole time, including that to
/// allocate memory and to copy the tables of the captures.
#[derive(Serialize)]
pub struct Build {
    pub max_stones: u8,
    pub entries: u64,
    pub cores: usize,
    pub seconds: f64,
    pub initialise_ns_per_entry_and_core: f64,
    pub scatter_ns_per_entry_and_core: f64,
    pub propagate_ns_per_entry_and_core: f64,
    pub total_ns_per_entry_and_core: f64,
}

impl BenchAnswer {
    /// Writes the figures for people.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        for (title, built_in) in [("built-in databases", true), ("databases", false)] {
            let these = self.databases.iter().filter(|db| db.built_in == built_in);
            let pairs: Vec<&str> = these.map(|db| db.pair.as_str()).collect();
            if !pairs.is_empty() {
                writeln!(out, "{title}: {}", pairs.join(" "))?;
            }
        }
        writeln!(out, "threads: {}\n", self.threads)?;
        self.by_tables().write(out)?;
        writeln!(out)?;
        self.others().write(out)
    }

    fn by_tables(&self) -> Table {
        let mut table = Table::new(&[
            "side to move",
            "cold probe, 50 %",
            "90 %",
            "99 %",
            "warm, one thread",
            "all threads",
            "loading",
        ]);
        for figures in &self.tables {
            let micros = |value| Cell::right(format!("{} µs", figure(value)));
            table.row(vec![
                Cell::text(figures.tables.name()),
                micros(figures.cold_probe_p50_us),
                micros(figures.cold_probe_p90_us),
                micros(figures.cold_probe_p99_us),
                Cell::right(format!("{}/s", figure(figures.warm_probes_per_s))),
                Cell::right(format!(
                    "{}/s",
                    figure(figures.warm_probes_per_s_all_threads)
                )),
                Cell::right(format!(
                    "{} MB/s",
                    figure(figures.loading_mb_per_s_all_threads)
                )),
            ]);
        }
        table
    }

    fn others(&self) -> Table {
        let mut table = Table::new(&["measurement", "value", "unit"]);
        let mut add = |measurement: &str, value: f64, unit: &str| {
            let value = Cell::right(figure(value));
            table.row(vec![Cell::text(measurement), value, Cell::text(unit)]);
        };
        let ranking = &self.ranking;
        add(
            "ranking, one thread",
            ranking.positions_per_s,
            "positions/s",
        );
        add("ranking, one thread", ranking.turns_per_s, "turns/s");
        if let Some(bitbase) = &self.bitbase {
            let name = |what: &str| format!("{} in memory, {what}", bitbase.pair);
            add(&name("loading"), bitbase.seconds, "s");
            add(&name("random"), bitbase.probes_per_s, "probes/s");
            let eights = bitbase.probes_in_eights_per_s;
            add(&name("random, eight at once"), eights, "probes/s");
        }
        let perft = &self.perft;
        add(
            "perft while placing, one thread",
            perft.placing_nodes_per_s,
            "nodes/s",
        );
        add(
            "perft while moving, one thread",
            perft.moving_nodes_per_s,
            "nodes/s",
        );
        let search = &self.search;
        add(
            "search while placing, one thread",
            search.placing_nodes_per_s,
            "nodes/s",
        );
        add(
            "search while moving, one thread",
            search.moving_nodes_per_s,
            "nodes/s",
        );
        let build = &self.build;
        for (part, value) in [
            ("initialise", build.initialise_ns_per_entry_and_core),
            ("scatter", build.scatter_ns_per_entry_and_core),
            ("propagate", build.propagate_ns_per_entry_and_core),
            ("all", build.total_ns_per_entry_and_core),
        ] {
            let part = format!("build to {} stones, {part}", build.max_stones);
            add(&part, value, "ns/entry/core");
        }
        let all = format!("build to {} stones, all", build.max_stones);
        add(&all, build.seconds, "s");
        table
    }
}

/// A number with three digits or more.
fn figure(value: f64) -> String {
    match value {
        ..10.0 => format!("{value:.2}"),
        10.0..100.0 => format!("{value:.1}"),
        _ => HumanCount(value.round() as u64).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_three_digits_or_more() {
        let texts = [0.5, 9.876, 45.67, 123.4, 19_595_688.2].map(figure);
        assert_eq!(texts, ["0.50", "9.88", "45.7", "123", "19,595,688"]);
    }
}
