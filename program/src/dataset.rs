//! `millbase dataset`: positions with their values as a Parquet file.

use std::collections::HashSet;
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::thread;

use anyhow::{Context, Error, Result, anyhow};
use clap::Args;
use indicatif::HumanBytes;
use millbase::internals::{Temporary, numbers};
use millbase::sample::Family;
use millbase::survey::rows::{Batches, DataRow, RowFilter, Worth, sampled_rows, table_rows};
use millbase::{Database, DbError, PointSet, Side};
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::data_type::Int32Type;
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::ColumnPath;
use schemars::JsonSchema;
use serde::Serialize;

use crate::options::Options;
use crate::output;
use crate::status::{Status, refuse};
use crate::{databases, input, signals};

/// The most rows of a group, which readers decode as a whole.
const GROUP: usize = 1 << 20;

/// How many sampled positions are looked up at once.
const SAMPLED_AT_ONCE: u64 = 1 << 14;

/// Write positions with their values as a Parquet file
///
/// Whole tables have each position of a pair or of a file of the placing phase once, up to the 16 symmetries of the board and
/// whether or not a game can reach it; of a pair, White is to move. With --sample it draws random positions of unfinished
/// games instead, from each family in turn; positions may repeat.
///
/// The columns: white, black (bits of the stones, bit 0 is d5, in the order of the position's text), to_move (0 White, 1
/// Black), white_in_hand, black_in_hand, wdl (1, 0, -1 for the side to move), dtw (turns to the end; null for a draw and
/// without depths). With --turns also good_turns (how many keep the result), best_turns (how many have the best result and
/// depth), and the points that stones leave, reach or are removed from in these: best_from, best_to, best_removed (bits).
#[derive(Args)]
#[command(after_help = "\
Examples:
  millbase dataset 5-4 --turns --to 5-4.parquet
  millbase dataset 6-5 placed-12 --sample 100000 --seed 7 --to sample.parquet")]
pub struct Dataset {
    /// Pairs like 6-4, or placed-N for the positions after N placements
    #[arg(required = true)]
    families: Vec<Family>,

    /// The file to write; only a Parquet file is replaced
    #[arg(long, value_name = "FILE")]
    to: PathBuf,

    /// Draw this number of random positions instead of writing whole tables
    #[arg(long, value_name = "N", value_parser = input::number::<u64>(1..=1_000_000_000_000))]
    sample: Option<u64>,

    /// Seed of the random positions
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = input::seed(), requires = "sample")]
    seed: u64,

    /// Add what the turns are worth. While placing, and with --sample, positions are then looked up one by one, which is
    /// slower
    #[arg(long)]
    turns: bool,
}

/// A column: its name, its kind in the schema, and its number in a row, which only an optional column may lack.
type Column = (
    &'static str,
    &'static str,
    fn(&DataRow, &Worth) -> Option<i32>,
);

const SET: &str = "required int32 (INTEGER(32,false))";
const COUNT: &str = "required int32 (INTEGER(16,false))";
const SMALL: &str = "required int32 (INTEGER(8,false))";

/// The columns of every file.
const OF_POSITIONS: [Column; 7] = [
    ("white", SET, |row, _| {
        bits(row.position.stones(Side::White))
    }),
    ("black", SET, |row, _| {
        bits(row.position.stones(Side::Black))
    }),
    ("to_move", SMALL, |row, _| {
        Some(row.position.side_to_move() as i32)
    }),
    ("white_in_hand", SMALL, |row, _| {
        Some(row.position.in_hand(Side::White).into())
    }),
    ("black_in_hand", SMALL, |row, _| {
        Some(row.position.in_hand(Side::Black).into())
    }),
    ("wdl", "required int32 (INTEGER(8,true))", |row, _| {
        Some(numbers(row.value).0.into())
    }),
    ("dtw", "optional int32 (INTEGER(16,true))", |row, _| {
        row.value.dtw().map(|dtw| dtw.0.into())
    }),
];

/// The columns about turns.
const OF_TURNS: [Column; 5] = [
    ("good_turns", COUNT, |_, worth| Some(worth.good.into())),
    ("best_turns", COUNT, |_, worth| Some(worth.best.into())),
    ("best_from", SET, |_, worth| bits(worth.from)),
    ("best_to", SET, |_, worth| bits(worth.to)),
    ("best_removed", SET, |_, worth| bits(worth.removed)),
];

fn bits(set: PointSet) -> Option<i32> {
    Some(set.bits() as i32)
}

#[derive(Serialize, JsonSchema)]
pub struct DatasetAnswer {
    file: PathBuf,
    rows: u64,
    row_groups: usize,
    bytes: u64,
}

impl Dataset {
    /// Writes the file and prints its size.
    pub fn run(&self, options: &Options) -> Result<Status> {
        let db = databases::open(options)?;
        let families = databases::families(&db, &self.families)?;
        if self.sample.is_none() {
            databases::check_tables(&families, db.rules())?;
        }
        if self.to.exists() && !is_parquet(&self.to) {
            let file = self.to.display();
            return refuse(format!(
                "'{file}' exists and is not a Parquet file; name another file"
            ));
        }
        let cannot = || format!("cannot write {}", self.to.display());
        signals::end_on_stop()?;
        let temporary = Temporary::create(&self.to).with_context(cannot)?;
        let metadata = self.metadata(options);
        let (sender, receiver) = mpsc::sync_channel(1);
        // One thread encodes a group while the others make the next one.
        let (made, written) = thread::scope(|scope| {
            let file = &temporary.file;
            let writer = scope.spawn(move || write_groups(file, self.turns, metadata, receiver));
            let mut groups = Batches::new(GROUP, |group| sender.send(group).is_ok());
            let made = self
                .make(&db, &families, |rows| groups.add(rows))
                .map(|()| groups.end());
            drop(sender);
            let written = writer
                .join()
                .unwrap_or_else(|_| Err(anyhow!("the writer has ended early")));
            (made, written)
        });
        made?;
        let (rows, row_groups) = written.map_err(plain).with_context(cannot)?;
        temporary.file.sync_all().with_context(cannot)?;
        let bytes = temporary.file.metadata().with_context(cannot)?.len();
        temporary.rename(&self.to).with_context(cannot)?;
        let answer = DatasetAnswer {
            file: self.to.clone(),
            rows,
            row_groups,
            bytes,
        };
        output::answer(options, &answer, |out| {
            let rows = output::counted(rows, "row");
            let groups = output::counted(row_groups, "row group");
            let (file, bytes) = (self.to.display(), HumanBytes(bytes));
            writeln!(out, "{file}: {rows} in {groups}, {bytes}")
        })
    }

    /// The metadata of the file: the version, the rules and the choice of the rows.
    fn metadata(&self, options: &Options) -> Vec<KeyValue> {
        let families: Vec<String> = self.families.iter().map(Family::to_string).collect();
        let value = |name: &str, value: String| KeyValue::new(format!("millbase.{name}"), value);
        let mut metadata = vec![
            value("version", env!("CARGO_PKG_VERSION").to_owned()),
            value("rules", options.rules.to_string()),
            value("families", families.join(" ")),
        ];
        if let Some(sample) = self.sample {
            metadata.push(value("sample", sample.to_string()));
            metadata.push(value("seed", self.seed.to_string()));
        }
        metadata
    }

    /// Makes all rows.
    fn make(
        &self,
        db: &Database,
        families: &[Family],
        mut found: impl FnMut(Vec<DataRow>) -> bool,
    ) -> Result<(), DbError> {
        let Some(sample) = self.sample else {
            // Whole tables have each position once; among random rows a family named twice counts twice.
            let mut named = HashSet::new();
            let families = families.iter().copied();
            let families: Vec<Family> = families.filter(|&family| named.insert(family)).collect();
            return table_rows(db, &families, RowFilter::ALL, self.turns, found);
        };
        for family in families {
            if let Family::Pair(pair) = *family {
                db.file(pair)?;
            }
        }
        for start in (0..sample).step_by(SAMPLED_AT_ONCE as usize) {
            let numbers = start..sample.min(start + SAMPLED_AT_ONCE);
            let rows = sampled_rows(db, families, numbers, self.seed, self.turns)?;
            if !found(rows) {
                break;
            }
        }
        Ok(())
    }
}

/// The error of the system where the writer of Parquet wraps one.
fn plain(error: Error) -> Error {
    match error.downcast() {
        Ok(ParquetError::External(cause)) => Error::from_boxed(cause),
        Ok(error) => error.into(),
        Err(error) => error,
    }
}

/// Whether a file begins like a Parquet file.
fn is_parquet(path: &Path) -> bool {
    let mut start = [0; 4];
    let mut read = || File::open(path).and_then(|mut file| file.read_exact(&mut start));
    // A pipe would be waited for.
    path.is_file() && read().is_ok() && &start == b"PAR1"
}

/// Writes groups until there are no more; returns the number of rows and of groups.
fn write_groups(
    file: &File,
    turns: bool,
    metadata: Vec<KeyValue>,
    groups: Receiver<Vec<DataRow>>,
) -> Result<(u64, usize)> {
    let columns = OF_POSITIONS.iter().chain(OF_TURNS.iter().filter(|_| turns));
    let columns: Vec<&Column> = columns.collect();
    let mut schema = "message position {".to_owned();
    for (name, kind, _) in &columns {
        schema += &kind.replacen(" (", &format!(" {name} ("), 1);
        schema.push(';');
    }
    schema.push('}');
    let mut properties = WriterProperties::builder()
        .set_created_by(format!("millbase version {}", env!("CARGO_PKG_VERSION")))
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(1)?))
        .set_key_value_metadata(Some(metadata));
    // Within a row of a table, the set of one side stays the same and those of the other follow in
    // their order.
    for name in ["white", "black"] {
        let column = ColumnPath::from(name);
        properties = properties
            .set_column_dictionary_enabled(column.clone(), false)
            .set_column_encoding(column, Encoding::DELTA_BINARY_PACKED);
    }
    let schema = Arc::new(parse_message_type(&schema)?);
    let mut writer = SerializedFileWriter::new(file, schema, Arc::new(properties.build()))?;
    let (mut rows, mut count) = (0, 0);
    for group in groups {
        let mut row_group = writer.next_row_group()?;
        for (_, kind, number) in &columns {
            let rows = group.iter();
            let numbers = rows.map(|row| number(row, &row.turns.unwrap_or_default()));
            let present = numbers.clone().map(|number| number.is_some().into());
            let is_optional = kind.starts_with("optional");
            let present: Option<Vec<i16>> = is_optional.then(|| present.collect());
            let numbers: Vec<i32> = numbers.flatten().collect();
            if let Some(mut column) = row_group.next_column()? {
                column
                    .typed::<Int32Type>()
                    .write_batch(&numbers, present.as_deref(), None)?;
                column.close()?;
            }
        }
        row_group.close()?;
        rows += group.len() as u64;
        count += 1;
    }
    writer.close()?;
    Ok((rows, count))
}
