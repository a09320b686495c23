//! `millbase records`: the deepest positions and the mutual zugzwangs.

use std::io::{self, Write};

use anyhow::Result;
use clap::Args;
use millbase::internals::service::stats::Sides;
use millbase::internals::service::words::Fen;
use millbase::survey::{self, Deepest, Extremes, Found, Survey};
use millbase::{Database, Metric, Pair, Turn};
use schemars::JsonSchema;
use serde::Serialize;

use crate::options::Options;
use crate::output::{self, Cell};
use crate::status::Status;
use crate::{databases, input};

/// The most turns of a line.
const LONGEST_LINE: usize = 1000;

/// Show the deepest wins and losses and the mutual zugzwangs of each pair
///
/// A mutual zugzwang is a position that either side would lose if it were to move. Positions that are equal under the 16
/// symmetries of the board count once, whether or not a game can reach them. Without --pair, the deepest positions of
/// each file of the placing phase follow. This reads every value and takes minutes for all pairs; they need the pairs
/// that captures lead to, and up to 3 GB of memory.
#[derive(Args)]
#[command(after_help = "\
Examples:
  millbase records --pair 4-3
  millbase records --json --limit 100 > records.json")]
pub struct Records {
    /// Only this pair, like 6-4
    #[arg(long)]
    pair: Option<Pair>,

    /// The most positions to name of each kind
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = input::number::<usize>(1..=1_000_000))]
    limit: usize,
}

#[derive(Serialize, JsonSchema)]
pub struct RecordsAnswer {
    pairs: Vec<PairRecord>,
    placing: Vec<PlyRecord>,
}

/// The records of a pair.
#[derive(Serialize, JsonSchema)]
struct PairRecord {
    pair: Pair,
    #[serde(skip)]
    metric: Metric,
    tables: Vec<TableRecord>,
    zugzwangs: NamedPositions,
}

/// The records of one side to move of a pair.
#[derive(Serialize, JsonSchema)]
struct TableRecord {
    #[serde(flatten)]
    sides: Sides,
    #[serde(flatten)]
    deepest: DeepestPositions,
}

/// The records of a ply.
#[derive(Serialize, JsonSchema)]
struct PlyRecord {
    ply: u8,
    #[serde(flatten)]
    deepest: DeepestPositions,
}

#[derive(Serialize, JsonSchema)]
struct DeepestPositions {
    win: Option<DeepestRecord>,
    loss: Option<DeepestRecord>,
}

/// The deepest positions of one result.
#[derive(Serialize, JsonSchema)]
struct DeepestRecord {
    dtw: u16,
    #[serde(flatten)]
    named: NamedPositions,
    /// The best turns of both sides from the first position.
    line: Vec<Turn>,
}

/// The number of positions, and the first of them.
#[derive(Serialize, JsonSchema)]
struct NamedPositions {
    positions: u64,
    first: Vec<Fen>,
}

impl NamedPositions {
    fn new(db: &Database, found: Found) -> NamedPositions {
        let first = found.first.iter();
        NamedPositions {
            positions: found.positions,
            first: first
                .map(|position| Fen::new(position, db.rules()))
                .collect(),
        }
    }

    /// The number and the first position as the cells of a table.
    fn cells(&self) -> [Cell; 2] {
        let first = self.first.first().map(ToString::to_string);
        [
            Cell::count(self.positions),
            Cell::text(first.unwrap_or_default()),
        ]
    }
}

impl DeepestPositions {
    fn new(db: &Database, extremes: Extremes) -> Result<DeepestPositions> {
        let record = |Deepest { value, found }: Deepest| {
            let line = match found.first.first() {
                Some(first) => db.line(first, LONGEST_LINE)?.turns,
                None => Vec::new(),
            };
            Ok::<_, anyhow::Error>(DeepestRecord {
                dtw: value.dtw().map_or(0, |dtw| dtw.0),
                named: NamedPositions::new(db, found),
                line: line.into_iter().map(|ranked| ranked.turn).collect(),
            })
        };
        Ok(DeepestPositions {
            win: extremes.win.map(record).transpose()?,
            loss: extremes.loss.map(record).transpose()?,
        })
    }

    /// The rows of a table, after these cells.
    fn rows(&self, before: &[Cell]) -> Vec<Vec<Cell>> {
        let records = [("win", &self.win), ("loss", &self.loss)].into_iter();
        let rows = records.filter_map(|(result, record)| {
            let DeepestRecord { dtw, named, .. } = record.as_ref()?;
            let value = [Cell::text(format!("{result} in {dtw}"))];
            Some([before, &value, &named.cells()].concat())
        });
        rows.collect()
    }
}

impl Records {
    /// Prints the records.
    pub fn run(&self, options: &Options) -> Result<Status> {
        input::check_pairs(&self.pair, &options.rules)?;
        let db = databases::open(options)?;
        let pairs = match self.pair {
            Some(pair) => vec![pair],
            None => databases::usable_pairs(&db),
        };
        let answer = self.find(&db, &pairs, options)?;
        if answer.pairs.is_empty() && answer.placing.is_empty() {
            return Err(databases::none(&db, "there is no database to look through"));
        }
        output::answer(options, &answer, |out| self.write(out, &db, &answer))?;
        Ok(databases::note_unusable(&db, self.pair))
    }

    fn find(&self, db: &Database, pairs: &[Pair], options: &Options) -> Result<RecordsAnswer> {
        let mut survey = Survey::new(db, pairs)?;
        let mut answer = RecordsAnswer {
            pairs: Vec::new(),
            placing: Vec::new(),
        };
        for &pair in pairs {
            let found = survey.records(pair, self.limit)?;
            let tables = found.tables.into_iter().map(|(material, extremes)| {
                Ok(TableRecord {
                    sides: material.into(),
                    deepest: DeepestPositions::new(db, extremes)?,
                })
            });
            answer.pairs.push(PairRecord {
                pair,
                metric: found.metric,
                tables: tables.collect::<Result<_>>()?,
                zugzwangs: NamedPositions::new(db, found.zugzwangs),
            });
            output::step(options, format_args!("{pair} is done"));
        }
        if self.pair.is_none() {
            for file in db.plies() {
                let extremes = survey::ply_extremes(db, file, self.limit)?;
                answer.placing.push(PlyRecord {
                    ply: file.ply(),
                    deepest: DeepestPositions::new(db, extremes)?,
                });
            }
        }
        Ok(answer)
    }

    fn write(&self, out: &mut impl Write, db: &Database, answer: &RecordsAnswer) -> io::Result<()> {
        let (mut deepest, mut zugzwangs) = (Vec::new(), Vec::new());
        for record in &answer.pairs {
            let pair = Cell::text(record.pair);
            for table in &record.tables {
                let before = [pair.clone(), Cell::right(&table.sides)];
                deepest.extend(table.deepest.rows(&before));
            }
            zugzwangs.push([&[pair][..], &record.zugzwangs.cells()].concat());
        }
        let placing = answer.placing.iter();
        let placing = placing.flat_map(|record| record.deepest.rows(&[Cell::right(record.ply)]));
        let headings = ["pair", "to move", "deepest", "positions", "first"];
        output::write_cells(out, &headings, &deepest)?;
        writeln!(out)?;
        output::write_cells(out, &["pair", "mutual zugzwangs", "first"], &zugzwangs)?;
        if !answer.placing.is_empty() {
            writeln!(out)?;
            let headings = ["placements", "deepest", "positions", "first"];
            output::write_cells(out, &headings, &placing.collect::<Vec<_>>())?;
        }
        let pairs = answer.pairs.iter();
        let pairs = pairs.filter(|record| record.metric == Metric::Wdl);
        let plies = db.plies().filter(|file| file.metric() == Metric::Wdl);
        let plies = plies.filter(|_| !answer.placing.is_empty());
        let without = pairs.map(|record| record.pair.to_string());
        let without = without.chain(plies.map(|file| format!("placed-{}", file.ply())));
        let without: Vec<String> = without.collect();
        if !without.is_empty() {
            let names = without.join(", ");
            writeln!(
                out,
                "\nfiles without depths, so without deepest positions: {names}"
            )?;
        }
        if self.pair.is_some() {
            for record in answer.pairs.iter().flat_map(|pair| &pair.tables) {
                let DeepestPositions { win, loss } = &record.deepest;
                for record in [win, loss].into_iter().flatten() {
                    writeln!(out)?;
                    for position in &record.named.first {
                        writeln!(out, "{position}")?;
                    }
                    writeln!(out, "{}", output::line(&record.line))?;
                }
            }
        }
        Ok(())
    }
}
