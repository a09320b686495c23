//! Checks databases: derives every value again from those of the positions that its turns lead to.
//!
//! The derivation shares with the solver the board, the settings of the rules, the removals that
//! they allow, and the index, but none of the retrograde analysis: no retrograde steps, no counts,
//! no order of solving. `check` checks the bytes of one table; this file loads the tables,
//! distributes the work to all threads and reports. `ply` and `stage` do the same for the files of the
//! placing phase; what follows here is about pairs.
//!
//! Loading shares more: the solver's code fills in the values that the files omit, through [`load`]
//! and `derive_from`. The check then derives each of these values independently, like the stored
//! ones, so a value that was filled in wrongly is a mismatch.
//!
//! # What a clean report proves
//!
//! Every value agrees with its successors, or with the rules where the game is over: a stored win in
//! n has a turn to a loss in n - 1 and none to a quicker loss, a stored loss in n has turns to wins
//! only, the slowest in n - 1, and a stored draw has a turn to a draw and none to a loss. Depths
//! fall along these turns and reach zero where the game ends. So, by induction on the depth, stored
//! wins and losses are won and lost, in exactly the stored number of turns. From a stored draw both
//! sides can go from draw to draw forever, and a side that leaves the draws loses; so it is drawn.
//! Therefore only one set of values passes the check. All this presumes that the values of the
//! smaller pairs, which captures lead to, are right; they need a clean report of their own.

mod check;
pub mod ply;
mod stage;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use self::check::{Check, CheckedTable, RowCheck, best, check_copies};
use crate::board::PointSet;
use crate::board::bits;
use crate::index::histogram::Histogram;
use crate::index::{Index, Material, Pair};
use crate::lock::held;
use crate::memory::Bytes;
use crate::probe::Database;
use crate::random::Random;
use crate::rules::position::Position;
use crate::solve::{TableCache, derive_from, fold, load, load_pair};
use crate::store::{DbError, stored_table};
use crate::value::{Metric, Value};

/// The most wrong values of a table to report; the check stops soon after it has found that many.
pub(crate) const MOST_MISMATCHES: usize = 10;

/// A stored value that differs from the one that its turns give.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mismatch {
    /// A position of the entry; White is to move.
    pub position: Position,
    /// The value in the database.
    pub stored: Value,
    /// The value that follows from the stored values of the positions that its turns lead to.
    pub derived: Value,
}

/// The findings of a check. Its tables are those of a pair's file, named by their [`Material`], or
/// those of a ply's file, named by their [`Stage`](crate::index::reachable::Stage).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report<Table> {
    /// The number of entries compared; fewer than a pair has if mismatches stopped the check.
    pub checked: u64,
    /// Wrong values, at most ten for each table of a pair, and at most ten for a ply.
    pub mismatches: Vec<Mismatch>,
    /// The tables whose counts in the file differ from those of their values.
    pub miscounted: Vec<Table>,
}

impl<Table> Default for Report<Table> {
    fn default() -> Report<Table> {
        Report {
            checked: 0,
            mismatches: Vec::new(),
            miscounted: Vec::new(),
        }
    }
}

impl<Table> Report<Table> {
    /// Whether the check found no error.
    pub fn is_clean(&self) -> bool {
        self.mismatches.is_empty() && self.miscounted.is_empty()
    }
}

/// Checks every value of a pair, including omitted ones, its checksums and its counts. Holds the
/// pair's tables in memory, and those that captures of one side to move lead to. If files hold no
/// depths, the check compares only win, draw and loss.
///
/// Stores tables that the checks of other pairs need in `table_cache`, and takes them from there.
///
/// Calls `progress` now and then, on any thread, with the number of entries compared so far; the
/// total is the sum of [`Index::len`] over the pair's tables.
///
/// # Errors
///
/// [`DbError::Missing`] if the pair or one that it needs has no file, [`DbError::Corrupt`] if a
/// file is damaged.
pub fn verify_pair(
    db: &Database,
    pair: Pair,
    table_cache: &mut TableCache,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Report<Material>, DbError> {
    let mut report = Report::default();
    let done = AtomicU64::new(0);
    let advance = |entries| progress(done.fetch_add(entries, Ordering::Relaxed) + entries);
    let metric = common_metric(db, pair);
    let larger = stored_table(pair);
    let (mut values, smaller) = load_pair(db, pair, table_cache)?;
    fold(&mut values, metric);
    let mut tables: Vec<(Material, Bytes)> = vec![(larger, values)];
    tables.extend(smaller.map(|mut values| {
        fold(&mut values, metric);
        (larger.exchanged(), values)
    }));
    // The smaller side's table, if there is one, comes first: deriving it needs the tables that its
    // captures lead to, too.
    for material in pair.tables().into_iter().rev() {
        let after = material.after_captures(db.rules());
        let take = |&after| table_cache.take(after, false, || load(db, after));
        let captures = after.iter().map(take).collect::<Result<Vec<_>, _>>()?;
        if tables.iter().all(|table| table.0 != material) {
            let (_, quiet) = &tables[0];
            let mut derived = derive_from(db, material, quiet, &captures)?;
            fold(&mut derived, metric);
            tables.push((material, derived));
        }
        let values = |material| tables.iter().find(|table| table.0 == material);
        let (Some((_, parent)), Some((_, child))) =
            (values(material), values(material.exchanged()))
        else {
            continue;
        };
        let index = Index::new(material);
        let child_index = Index::new(material.exchanged());
        let after: Vec<Index> = after.into_iter().map(Index::new).collect();
        let mut after = after.iter().zip(&captures);
        let captures = [(); 3].map(|()| {
            after
                .next()
                .map(|(index, values)| CheckedTable::new(index, values))
        });
        report.mismatches.extend(check_table(
            Check {
                rules: db.rules(),
                metric,
                parent: CheckedTable::new(&index, parent),
                child: CheckedTable::new(&child_index, child),
                captures,
            },
            &advance,
        ));
        let counted = Histogram::of_table(&index, parent);
        let stored = db.histogram(material)?;
        let results = |counts: &Histogram| [counts.wins(), counts.draws(), counts.losses()];
        let same_metric = metric == db.file(pair)?.metric();
        if results(&counted) != results(stored) || same_metric && counted != *stored {
            report.miscounted.push(material);
        }
    }
    for (material, values) in &tables {
        table_cache.keep(*material, values);
    }
    report.checked = done.into_inner();
    Ok(report)
}

/// The metric in which a pair follows from the files of all pairs that captures lead to, sooner or
/// later: only results follow where one of them has no depths. Files that cannot be used count for
/// nothing here; they are errors where they are needed.
fn common_metric(db: &Database, pair: Pair) -> Metric {
    let mut needed = vec![pair];
    while let Some(next) = needed.pop() {
        let file = db.file(next);
        if file.is_ok_and(|file| file.metric() == Metric::Wdl) {
            return Metric::Wdl;
        }
        needed.extend(next.needs());
        needed.sort_unstable();
        needed.dedup();
    }
    Metric::Depth
}

/// Checks one table on all threads. Calls `advance` with the number of entries of each finished
/// row.
fn check_table(check: Check<'_>, advance: &(dyn Fn(u64) + Sync)) -> Vec<Mismatch> {
    let findings = Findings::new(check.parent, |mover, waiting| {
        let position = Position::moving(mover, waiting);
        (position, check.derive(&position))
    });
    let rows = 0..check.parent.index.rows().len();
    rows.into_par_iter().for_each(|row| {
        check_copies(check.parent, row, |entry| findings.judge(entry));
    });
    let rows = 0..check.child.index.rows().len();
    rows.into_par_iter()
        .for_each_init(Vec::new, |derived, row| {
            if findings.enough() {
                return;
            }
            bits::dispatch(RowCheck {
                check,
                row,
                derived,
                suspect: |entry| findings.judge(entry),
            });
            advance(check.child.index.columns().count() as u64);
        });
    findings.into_mismatches()
}

/// The mismatches of one table, by entry.
struct Findings<'a, Derive> {
    table: CheckedTable<'a>,
    /// The position of two sets, and its value, derived turn by turn.
    derive: Derive,
    mismatches: Mutex<BTreeMap<usize, Mismatch>>,
    enough: AtomicBool,
}

impl<'a, Derive: Fn(PointSet, PointSet) -> (Position, Value)> Findings<'a, Derive> {
    fn new(table: CheckedTable<'a>, derive: Derive) -> Findings<'a, Derive> {
        Findings {
            table,
            derive,
            mismatches: Mutex::default(),
            enough: AtomicBool::new(false),
        }
    }

    /// Derives the value of a suspicious entry turn by turn, and keeps it if it differs from the
    /// stored one.
    #[cold]
    fn judge(&self, entry: usize) {
        if self.enough() {
            return;
        }
        let CheckedTable { index, values } = self.table;
        let (mover, waiting) = index.sets(entry);
        let stored = Value::from_byte(values[entry]);
        let (position, derived) = (self.derive)(mover, waiting);
        if stored == derived {
            return;
        }
        let mismatch = Mismatch {
            position,
            stored,
            derived,
        };
        let mut mismatches = held(&self.mismatches);
        mismatches.insert(entry, mismatch);
        if mismatches.len() >= MOST_MISMATCHES {
            self.enough.store(true, Ordering::Relaxed);
        }
    }

    fn enough(&self) -> bool {
        self.enough.load(Ordering::Relaxed)
    }

    fn into_mismatches(self) -> Vec<Mismatch> {
        let mismatches = self.mismatches.into_inner();
        let mismatches = mismatches.unwrap_or_else(PoisonError::into_inner);
        mismatches.into_values().take(MOST_MISMATCHES).collect()
    }
}

/// Checks `samples` random positions of each of the pair's tables. The same seed gives the same
/// positions.
///
/// Turns and ends come from the rules. The probe of a position that the file omits uses the same
/// turns, so this check of such a position proves little; [`verify_pair`] really checks it.
///
/// # Errors
///
/// As for [`verify_pair`].
pub fn verify_sample(
    db: &Database,
    pair: Pair,
    samples: u64,
    seed: u64,
) -> Result<Report<Material>, DbError> {
    let mut report = Report::default();
    let mut random = Random::new(seed);
    let metric = common_metric(db, pair);
    for material in pair.tables() {
        let index = Index::new(material);
        for _ in 0..samples {
            let (mover, waiting) = index.sets(random.below(index.len()));
            let position = Position::moving(mover, waiting);
            let stored = db.value(&position, metric)?.unwrap_or(Value::LOST);
            let turns = position.turns(db.rules()).into_iter();
            let values = turns.map(|turn| db.value(&position.after(turn), metric));
            let values = values
                .collect::<Result<Option<Vec<_>>, _>>()?
                .unwrap_or_default();
            let derived = match position.result(db.rules()) {
                Some(result) => result,
                None => best(values.into_iter()),
            };
            let derived = metric.of_value(derived);
            report.checked += 1;
            if stored != derived {
                report.mismatches.push(Mismatch {
                    position,
                    stored,
                    derived,
                });
            }
            if report.mismatches.len() >= MOST_MISMATCHES {
                return Ok(report);
            }
        }
    }
    Ok(report)
}
