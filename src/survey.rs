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

/// The deepest of the positions with the same result.
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
    /// The deepest wins; `None` without wins or depths.
    pub win: Option<Deepest>,
    /// The deepest losses; `None` without losses or depths.
    pub loss: Option<Deepest>,
}

/// The remarkable positions of a pair.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PairRecords {
    /// Without depths if the file of the pair, or of one that its captures lead to, has none.
    pub metric: Metric,
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
    /// A survey of these pairs, in this order.
    ///
    /// # Errors
    ///
    /// [`DbError::Missing`] if a pair, or one that its captures lead to, has no file and is needed.
    pub fn new(db: &'a Database, pairs: &[Pair]) -> Result<Survey<'a>, DbError> {
        let tables: Vec<Material> = pairs
            .iter()
            .flat_map(|pair| pair.tables(db.rules()))
            .collect();
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
        let needed = Pair::with_needed(vec![pair], self.db.rules()).into_iter();
        let metrics = needed.filter_map(|pair| Some(self.db.file(pair).ok()?.metric()));
        let metric = metrics.fold(Metric::Depth, Metric::common);
        let tables = self.tables(pair.tables(self.db.rules()))?;
        let extremes = tables.iter().map(|table| {
            let histogram = self.db.histogram(table.material())?;
            Ok((table.material(), table.extremes(histogram, metric, most)))
        });
        let extremes = extremes.collect::<Result<_, DbError>>()?;
        Ok(PairRecords {
            metric,
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
    metric.shown(rules.distance().value(byte))
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
    let key = |mover, waiting| {
        let canonical = canonical(&table.position(mover, waiting));
        (canonical.mover(), canonical.waiting())
    };
    table.select(most, is_lost, |position| {
        let (mover, waiting) = (position.mover(), position.waiting());
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

    /// Passes the results of `one` for the distinct positions whose byte is wanted to `found`, a row
    /// at a time and in their order. Returns whether the pass came to its end; `found` stops it by
    /// returning `false`.
    fn pass<T: Send>(
        &self,
        wanted: impl Fn(u8) -> bool,
        one: impl Fn(&Position, u8) -> Option<T> + Sync,
        mut found: impl FnMut(Vec<T>) -> bool,
    ) -> bool {
        /// The rows that threads look through before their results are passed on.
        const AT_ONCE: usize = 256;
        let wanted: Vec<bool> = (0..=u8::MAX).map(wanted).collect();
        let rows: Vec<usize> = (0..self.index.rows().len()).collect();
        rows.chunks(AT_ONCE).all(|rows| {
            let row = |&row: &usize| self.of_row(row, &wanted, &one);
            let all: Vec<Vec<T>> = rows.par_iter().map(row).collect();
            let mut some = all.into_iter().filter(|some| !some.is_empty());
            some.all(&mut found)
        })
    }

    /// The results of `one` for the distinct positions of a row whose byte is wanted.
    fn of_row<T>(
        &self,
        row: usize,
        wanted: &[bool],
        one: impl Fn(&Position, u8) -> Option<T>,
    ) -> Vec<T> {
        let columns = self.index.columns();
        let values = &self.values[row * columns.count()..][..columns.count()];
        let (mut distinct, mut found) = (None, Vec::new());
        for (column, (subset, &byte)) in columns.iter().zip(values).enumerate() {
            if !wanted[usize::from(byte)] {
                continue;
            }
            let distinct = distinct.get_or_insert_with(|| self.index.first_columns(row));
            if distinct.as_ref().is_none_or(|first| first.contains(column)) {
                let (mover, waiting) =
                    (self.index.rows().set(row), self.index.waiting(row, subset));
                found.extend(one(&self.position(mover, waiting), byte));
            }
        }
        found
    }

    /// The distinct positions whose byte is wanted and that fit, at most this number of them.
    fn select(
        &self,
        most: usize,
        wanted: impl Fn(u8) -> bool,
        fits: impl Fn(&Position) -> bool + Sync,
    ) -> Found {
        let mut all = Found::default();
        let one = |position: &Position, _| fits(position).then_some(*position);
        self.pass(wanted, one, |first| {
            let positions = first.len() as u64;
            all.add(Found { positions, first }, most);
            true
        });
        all
    }

    fn position(&self, mover: PointSet, waiting: PointSet) -> Position {
        match &self.stage {
            Some(stage) => stage.position(mover, waiting, &self.rules),
            None => self.material().position(mover, waiting),
        }
    }

    /// The deepest positions of the table; `histogram` has its counts.
    fn extremes(&self, histogram: &Histogram, metric: Metric, most: usize) -> Extremes {
        let deepest = |value| {
            let byte = self.rules.distance().byte(value)?;
            let found = self.select(most, |other| other == byte, |_| true);
            Some(Deepest { value, found })
        };
        match metric {
            Metric::Depth => Extremes {
                win: histogram.deepest_win().map(Value::Win).and_then(deepest),
                loss: histogram.deepest_loss().map(Value::Loss).and_then(deepest),
            },
            Metric::Wdl => Extremes::default(),
        }
    }
}
