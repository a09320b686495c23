//! Checks databases: derives every value again from those of the positions that its turns lead to.
//!
//! The derivation shares with the solver the board, the settings of the rules, the removals that
//! they allow, the index, and the copying of a value to all entries of its position, but none of the
//! retrograde analysis: no retrograde steps, no counts, no order of solving. `check` checks the bytes
//! of one table or derives them, `pair_row` and `parts` row by row; this file loads the tables and
//! reports. `ply` and `stage` do the same for the files of the placing phase; what follows here is about
//! pairs.
//!
//! A file holds values with the larger side to move. The check derives the table with the smaller
//! side to move from them, and from that table it derives theirs again. Values of the larger side that
//! files omit are filled in by the solver's code when a table is loaded, and then checked like the
//! stored ones.
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
mod pair_row;
mod parts;
pub mod ply;
mod stage;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use self::check::{CheckedTable, PairTurns, best};
use self::stage::LastPlacement;
use crate::board::PointSet;
use crate::index::histogram::Histogram;
use crate::index::{Index, Material, Pair};
use crate::lock::held;
use crate::probe::Database;
use crate::random::Random;
use crate::rules::position::Position;
use crate::solve::{TableCache, fold, load, load_pair, refused};
use crate::store::DbError;
use crate::store::pair::stored_table;
use crate::value::{Dtw, Metric, Value};

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
    /// The number of entries compared or derived; fewer than a pair has if mismatches stopped the
    /// check.
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

/// The tables that the checks of several files share.
#[derive(Default)]
pub struct Tables {
    captures: TableCache,
    last_placement: LastPlacement,
}

impl Tables {
    /// Those for the checks of these pairs, and of files of the placing phase after them.
    pub fn new(database: &Database, pairs: &[Pair]) -> Tables {
        Tables {
            captures: TableCache::new(pairs),
            last_placement: LastPlacement::before_pairs(database, pairs),
        }
    }
}

/// Checks every value of a pair with the larger side to move, stored or omitted, its checksums and its
/// counts; derives the values with the smaller side to move, which no file holds. Holds the pair's
/// tables in memory, and those that captures of one side to move lead to. If files hold no depths, the
/// check compares only win, draw and loss.
///
/// Stores tables that the checks of other files need in `tables`, and takes them from there.
///
/// Calls `progress` now and then, on any thread, with the number of entries done so far; the
/// total is the sum of [`Index::len`] over the pair's tables.
///
/// # Errors
///
/// [`DbError::Missing`] if the pair or one that it needs has no file, [`DbError::Corrupt`] if a
/// file is damaged.
pub fn verify_pair(
    db: &Database,
    pair: Pair,
    tables: &mut Tables,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Report<Material>, DbError> {
    let mut report = Report::default();
    let done = AtomicU64::new(0);
    let advance = |entries| progress(done.fetch_add(entries, Ordering::Relaxed) + entries);
    let metric = common_metric(db, pair);
    let larger = stored_table(pair);
    let (mut values, _) = load_pair(db, pair, &mut tables.captures, false)?;
    fold(&mut values, metric);
    // The table with the smaller side to move, if there is one, comes first: the turns of the other
    // side lead to it.
    let mut child = Rc::new(values);
    let mut stored = Some(Rc::clone(&child));
    for material in pair.tables().into_iter().rev() {
        let after = material.after_captures(db.rules());
        let take = |&after| tables.captures.take(after, false, || load(db, after));
        let captures = after.iter().map(take).collect::<Result<Vec<_>, _>>()?;
        let index = Index::new(material);
        let child_index = Index::new(material.exchanged());
        let after: Vec<Index> = after.into_iter().map(Index::new).collect();
        let mut after = after.iter().zip(&captures);
        let captures = [(); 3].map(|()| {
            after
                .next()
                .map(|(index, values)| CheckedTable::new(index, values))
        });
        let turns = PairTurns {
            rules: db.rules(),
            metric,
            parent: &index,
            child: CheckedTable::new(&child_index, &child),
            captures,
        };
        let refused = refused(db, material)?;
        let mut derived = None;
        if material != larger {
            // The last placement comes before the derivation, or after the stored table is dropped, so that
            // less is in memory at once.
            tables.last_placement.derive(&turns).map_err(&refused)?;
            derived = Some(Rc::new(turns.table(&advance).map_err(&refused)?));
        }
        if let Some(table) = derived.clone().or_else(|| stored.take()) {
            let counted = Histogram::of_table(&index, &table);
            if derived.is_none() {
                report.mismatches.extend(turns.compare(&table, &advance));
            } else if counted.count(Value::Win(Dtw(253))) > 0 {
                // Some of these may be wins in 255 turns.
                report.mismatches.extend(turns.compare(&table, &|_| ()));
            }
            let stored = db.histogram(material)?;
            let results = |counts: &Histogram| [counts.wins(), counts.draws(), counts.losses()];
            let same_metric = metric == db.file(pair)?.metric();
            if results(&counted) != results(stored) || same_metric && counted != *stored {
                report.miscounted.push(material);
            }
            tables.captures.keep(material, &table);
        }
        match derived {
            Some(derived) => child = derived,
            None => tables.last_placement.derive(&turns).map_err(refused)?,
        }
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
/// turns, so this check of such a position proves little; [`verify_pair`] derives its value with code of
/// its own.
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
