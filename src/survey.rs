//! Passes over whole tables: the deepest positions, mutual zugzwangs, and positions by a condition. A position stands
//! for all that are equal to it up to symmetry, whether or not a game can reach it.

pub mod rows;

use rayon::prelude::*;

use crate::board::PointSet;
use crate::index::histogram::Histogram;
use crate::index::stages::Stage;
use crate::index::{Index, Material, Pair};
use crate::memory::Bytes;
use crate::probe::Database;
use crate::rules::Rules;
use crate::rules::position::Position;
use crate::sample::canonical;
use crate::solve::{Loader, ply};
use crate::store::{DbError, PlyFile};
use crate::value::{Metric, Value, Wdl};

/// The number of distinct positions of a kind, and the first of them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Found {
    /// The number of all.
    pub positions: u64,
    /// The first, in the order of the table.
    pub first: Vec<Position>,
}

impl Found {
    fn add(&mut self, more: Found, most: usize) {
        self.positions += more.positions;
        let room = most.saturating_sub(self.first.len());
        self.first.extend(more.first.into_iter().take(room));
    }
}

/// The positions with the greatest depth of those with the same result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Deepest {
    /// Their value for the side to move.
    pub value: Value,
    /// The positions.
    pub found: Found,
}

/// The deepest positions of some tables.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Extremes {
    /// The deepest wins; `None` if there is no win, or if the file has no depths.
    pub win: Option<Deepest>,
    /// The deepest losses, likewise.
    pub loss: Option<Deepest>,
}

/// The remarkable positions of a pair.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PairRecords {
    /// The deepest positions of each table of the pair, the larger side to move first.
    pub tables: Vec<(Material, Extremes)>,
    /// The positions that either side would lose if it were to move. In the text of each, the larger side is to move;
    /// positions of equal sides that differ in the colours alone count once.
    pub zugzwangs: Found,
}

/// Reads whole tables, and derives those that no file holds.
pub struct Survey<'a> {
    db: &'a Database,
    loader: Loader<&'a Database>,
}

impl<'a> Survey<'a> {
    /// A survey of these pairs, which are asked for in this order.
    ///
    /// # Errors
    ///
    /// [`DbError::Missing`] if a pair, or one that its captures lead to, has no file and is needed.
    pub fn new(db: &'a Database, pairs: &[Pair]) -> Result<Survey<'a>, DbError> {
        let tables: Vec<Material> = pairs.iter().flat_map(|pair| pair.tables()).collect();
        Survey::of(db, &tables)
    }

    fn of(db: &'a Database, tables: &[Material]) -> Result<Survey<'a>, DbError> {
        let loader = Loader::new(db, tables)?;
        Ok(Survey { db, loader })
    }

    /// The records of the next pair, with at most this number of positions of each kind.
    ///
    /// # Errors
    ///
    /// [`DbError::Corrupt`] if a file is damaged, [`DbError::Io`] if there is too little memory.
    pub fn records(&mut self, pair: Pair, most: usize) -> Result<PairRecords, DbError> {
        let metric = self.db.file(pair)?.metric();
        let tables = self.tables(pair.tables())?;
        let extremes = tables.iter().map(|table| {
            let histogram = self.db.histogram(table.material())?;
            Ok((table.material(), table.extremes(histogram, metric, most)))
        });
        let extremes = extremes.collect::<Result<_, DbError>>()?;
        Ok(PairRecords {
            tables: extremes,
            zugzwangs: zugzwangs(&tables, most),
        })
    }

    fn tables(&mut self, tables: Vec<Material>) -> Result<Vec<Whole>, DbError> {
        let whole = |material| {
            Ok(Whole {
                index: Index::new(material),
                values: self.loader.load(material)?,
                rules: *self.db.rules(),
                stage: None,
            })
        };
        tables.into_iter().map(whole).collect()
    }
}

/// The value that a byte stands for in a file with this metric.
fn value_of(rules: &Rules, metric: Metric, byte: u8) -> Value {
    metric.answer(rules.distance().value(byte))
}

/// Passes the results of `one` for the distinct positions whose value `is_wanted` to `found`, a row
/// of a table at a time and in their order. Returns whether the pass came to its end; `found` stops
/// it by returning `false`.
fn pass<T: Send>(
    tables: &[Whole],
    value: impl Fn(u8) -> Value + Sync,
    is_wanted: impl Fn(Value) -> bool,
    one: impl Fn(&Position, Value) -> Option<T> + Sync,
    mut found: impl FnMut(Vec<T>) -> bool,
) -> bool {
    /// The rows that threads look through before their results are passed on.
    const AT_ONCE: usize = 256;
    let wanted: Vec<bool> = (0..=u8::MAX).map(|byte| is_wanted(value(byte))).collect();
    for table in tables {
        let rows: Vec<usize> = (0..table.index.rows().len()).collect();
        for rows in rows.chunks(AT_ONCE) {
            let row = |&row: &usize| {
                let mut found = Vec::new();
                let is_wanted = |byte: u8| wanted[usize::from(byte)];
                table.for_each(row, is_wanted, |mover, waiting, byte| {
                    found.extend(one(&table.position(mover, waiting), value(byte)));
                });
                found
            };
            let all: Vec<Vec<T>> = rows.par_iter().map(row).collect();
            for some in all.into_iter().filter(|some| !some.is_empty()) {
                if !found(some) {
                    return false;
                }
            }
        }
    }
    true
}

/// The tables of the stages of a ply.
fn wholes<'a>(
    db: &'a Database,
    file: &'a PlyFile,
) -> impl Iterator<Item = Result<(Stage, Whole), DbError>> + 'a {
    file.stages().map(move |stage| {
        let whole = Whole {
            index: Index::new(stage.material()),
            values: ply::load(db, stage, file.metric())?,
            rules: *db.rules(),
            stage: Some(stage),
        };
        Ok((stage, whole))
    })
}

/// The deepest positions of a ply, with at most this number of each kind.
///
/// # Errors
///
/// [`DbError::Corrupt`] if the file is damaged, [`DbError::Io`] if there is too little memory.
pub fn ply_extremes(db: &Database, file: &PlyFile, most: usize) -> Result<Extremes, DbError> {
    let mut all = Extremes::default();
    for table in wholes(db, file) {
        let (stage, whole) = table?;
        let Some(histogram) = file.histogram(stage) else {
            continue;
        };
        let extremes = whole.extremes(histogram, file.metric(), most);
        for (all, one) in [(&mut all.win, extremes.win), (&mut all.loss, extremes.loss)] {
            let depth = |deepest: &Deepest| deepest.value.dtw();
            match (all.as_mut(), one) {
                (Some(all), Some(one)) if depth(all) == depth(&one) => {
                    all.found.add(one.found, most);
                }
                (Some(old), Some(one)) if depth(old) > depth(&one) => {}
                (_, Some(one)) => *all = Some(one),
                (_, None) => {}
            }
        }
    }
    Ok(all)
}

/// The positions of a pair that are lost for whichever side is to move.
fn zugzwangs(tables: &[Whole], most: usize) -> Found {
    let (Some(table), Some(other)) = (tables.first(), tables.last()) else {
        return Found::default();
    };
    if other.material() != table.material().exchanged() {
        // The other side is never to move.
        return Found::default();
    }
    let is_lost = |byte| Value::from_byte(byte).wdl() == Wdl::Loss;
    let material = table.material();
    let key = |mover, waiting| {
        let canonical = canonical(&material.position(mover, waiting));
        (canonical.mover(), canonical.waiting())
    };
    table.select(most, is_lost, |mover, waiting| {
        is_lost(other.values[other.index.find(waiting, mover)])
            && (tables.len() > 1 || key(mover, waiting) <= key(waiting, mover))
    })
}

/// All values of a table.
struct Whole {
    index: Index,
    values: Bytes,
    rules: Rules,
    /// The stage of a table of the placing phase.
    stage: Option<Stage>,
}

impl Whole {
    fn material(&self) -> Material {
        self.index.material()
    }

    /// Calls `found` with the sets and the value byte of each distinct position of a row whose byte is wanted.
    fn for_each(
        &self,
        row: usize,
        wanted: impl Fn(u8) -> bool,
        mut found: impl FnMut(PointSet, PointSet, u8),
    ) {
        let columns = self.index.columns();
        let values = &self.values[row * columns.count()..][..columns.count()];
        let mut distinct = None;
        for (column, (subset, &byte)) in columns.iter().zip(values).enumerate() {
            if !wanted(byte) {
                continue;
            }
            let distinct = distinct.get_or_insert_with(|| self.index.first_columns(row));
            if distinct.as_ref().is_none_or(|first| first.contains(column)) {
                let mover = self.index.rows().set(row);
                found(mover, self.index.waiting(row, subset), byte);
            }
        }
    }

    /// The distinct positions whose byte is wanted and whose sets fit, at most this number of them.
    fn select(
        &self,
        most: usize,
        wanted: impl Fn(u8) -> bool + Sync,
        fits: impl Fn(PointSet, PointSet) -> bool + Sync,
    ) -> Found {
        let of_row = |row| {
            let mut found = Found::default();
            self.for_each(row, &wanted, |mover, waiting, _| {
                if fits(mover, waiting) {
                    found.positions += 1;
                    if found.first.len() < most {
                        found.first.push(self.position(mover, waiting));
                    }
                }
            });
            found
        };
        let rows = (0..self.index.rows().len()).into_par_iter().map(of_row);
        // Neighbours are joined in their order.
        rows.reduce(Found::default, |mut all, row| {
            all.add(row, most);
            all
        })
    }

    fn position(&self, mover: PointSet, waiting: PointSet) -> Position {
        match &self.stage {
            Some(stage) => stage.position(mover, waiting, &self.rules),
            None => self.material().position(mover, waiting),
        }
    }

    /// The deepest positions of the table; `histogram` has its counts.
    fn extremes(&self, histogram: &Histogram, metric: Metric, most: usize) -> Extremes {
        let deepest = |wdl| {
            let with_result = histogram.iter().filter(|(value, _)| value.wdl() == wdl);
            let (value, _) = with_result.max_by_key(|(value, _)| value.dtw())?;
            let byte = self.rules.distance().byte(value)?;
            Some(Deepest {
                value,
                found: self.select(most, |other| other == byte, |_, _| true),
            })
        };
        match metric {
            Metric::Depth => Extremes {
                win: deepest(Wdl::Win),
                loss: deepest(Wdl::Loss),
            },
            Metric::Wdl => Extremes::default(),
        }
    }
}
