//! How many positions have which value. The counts stand in the heads of the files.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

use crate::index::histogram::Histogram;
use crate::index::{Material, Pair};
use crate::probe::Database;
use crate::store::{DbError, PlyFile};
use crate::value::{Dtw, Metric, Value};

/// How many positions have which value.
#[derive(Serialize, JsonSchema)]
pub struct ValueCounts {
    /// Those of all values.
    pub positions: u64,
    /// The won positions.
    pub wins: u64,
    /// The drawn positions.
    pub draws: u64,
    /// The lost positions.
    pub losses: u64,
    /// The turns of the longest win, if there is one and the file has depths.
    pub max_win: Option<u16>,
    /// The turns of the longest loss, if there is one and the file has depths.
    pub max_loss: Option<u16>,
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
}

/// The stones of the sides in one table of a pair.
#[derive(Serialize, JsonSchema)]
pub struct Sides {
    /// The number of stones of the side to move.
    pub to_move: u8,
    /// The number of stones of the other side.
    pub other: u8,
    /// The stones in hand of the side to move and of the other side, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_hand: Option<[u8; 2]>,
}

impl From<Material> for Sides {
    fn from(material: Material) -> Sides {
        let in_hand = [material.mover_in_hand, material.waiting_in_hand];
        Sides {
            to_move: material.mover,
            other: material.waiting,
            in_hand: (in_hand != [0, 0]).then_some(in_hand),
        }
    }
}

/// The side to move: `3`, or `3+1` with a stone in hand.
impl fmt::Display for Sides {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.to_move)?;
        self.in_hand.map_or(Ok(()), |[own, _]| write!(f, "+{own}"))
    }
}

/// The counts of one side to move of a pair.
#[derive(Serialize, JsonSchema)]
pub struct PairCounts {
    /// The pair.
    pub pair: Pair,
    /// The side to move.
    #[serde(flatten)]
    pub sides: Sides,
    /// The counts.
    #[serde(flatten)]
    pub counts: ValueCounts,
}

/// The counts of the file of one ply.
#[derive(Serialize, JsonSchema)]
pub struct PlyCounts {
    /// The number of stones placed.
    pub ply: u8,
    /// The length of the file.
    pub bytes: u64,
    /// The path of the file; null in answers without paths.
    pub file: Option<String>,
    /// The counts.
    #[serde(flatten)]
    pub counts: ValueCounts,
    /// The time to build the file, if it was built now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
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
            counts: ValueCounts::new(&sum, file.metric()),
            seconds: None,
        }
    }
}

/// The counts of a table, and of each depth if they are asked for.
#[derive(Serialize, JsonSchema)]
pub struct TableStats {
    /// The counts.
    #[serde(flatten)]
    pub counts: PairCounts,
    #[serde(skip_serializing_if = "Option::is_none")]
    histogram: Option<Vec<ValueCount>>,
}

#[derive(Serialize, JsonSchema)]
struct ValueCount {
    #[serde(flatten)]
    value: Value,
    positions: u64,
}

impl TableStats {
    /// The values with the number of positions of each, if they were asked for.
    pub fn values(&self) -> impl Iterator<Item = (Value, u64)> {
        let counts = self.histogram.iter().flatten();
        counts.map(|count| (count.value, count.positions))
    }
}

/// The counts of a pair, or of all usable files.
#[derive(Serialize, JsonSchema)]
pub struct StatsAnswer {
    /// The tables of pairs, those with fewer stones first.
    pub tables: Vec<TableStats>,
    /// The files of the placing phase, if the question is not about a pair.
    pub placing: Vec<PlyCounts>,
}

impl StatsAnswer {
    /// The counts of a pair or of all usable files, and with `histogram` those of each depth of the tables.
    ///
    /// # Errors
    ///
    /// If the pair has no usable file.
    pub fn new(
        database: &Database,
        pair: Option<Pair>,
        histogram: bool,
    ) -> Result<StatsAnswer, DbError> {
        let table = |pair: Pair, material| {
            let (metric, counts) = (database.file(pair)?.metric(), database.histogram(material)?);
            let values = counts.iter().map(|(value, positions)| ValueCount {
                value: metric.shown(value),
                positions,
            });
            Ok(TableStats {
                counts: PairCounts {
                    pair,
                    sides: Sides::from(material),
                    counts: ValueCounts::new(counts, metric),
                },
                histogram: histogram.then(|| values.collect()),
            })
        };
        let pairs = pair.map_or_else(|| usable_pairs(database), |pair| vec![pair]);
        let tables = pairs.into_iter().flat_map(|pair| {
            let tables = pair.tables(database.rules()).into_iter();
            tables.map(move |material| table(pair, material))
        });
        let plies = pair.is_none().then(|| database.plies());
        Ok(StatsAnswer {
            tables: tables.collect::<Result<_, DbError>>()?,
            placing: plies.into_iter().flatten().map(PlyCounts::from).collect(),
        })
    }

    /// The counts of a pair or of all usable files, without the paths of this machine.
    ///
    /// # Errors
    ///
    /// If the pair has no usable file.
    pub fn without_paths(database: &Database, pair: Option<Pair>) -> Result<StatsAnswer, DbError> {
        let mut answer = StatsAnswer::new(database, pair, true)?;
        answer.placing.iter_mut().for_each(|ply| ply.file = None);
        Ok(answer)
    }
}

/// The pairs that have a usable file, those with fewer stones first.
pub fn usable_pairs(database: &Database) -> Vec<Pair> {
    let mut pairs = Pair::all(database.rules());
    pairs.retain(|&pair| database.has(pair));
    pairs
}
