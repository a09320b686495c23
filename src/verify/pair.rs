//! The check of a pair's file: every value, or those of random positions.

use std::path::Path;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::placements::SetsAfter;
use super::report::{MOST_MISMATCHES, Miscounted, Mismatch, Report};
use super::stage::LastPlacement;
use super::turns::{CheckedTable, TableTurns, value_of_turn};
use crate::index::histogram::Histogram;
use crate::index::{Index, Pair};
use crate::probe::Database;
use crate::random::Random;
use crate::rules::position::Position;
use crate::solve::{TableCache, fold, load, load_pair};
use crate::store::DbError;
use crate::store::pair::stored_table;
use crate::value::{Dtw, Metric, Value};

/// The tables that the checks of several files share.
#[derive(Default)]
pub struct Tables {
    captures: TableCache,
    pub(super) last_placement: LastPlacement,
}

impl Tables {
    /// The tables for checks of these pairs, in the order of [`Pair::all`], then of the files of the
    /// placing phase.
    ///
    /// If pairs have stones in hand, turns of many pairs lead to each table: then the tables of several
    /// pairs, or those from which the omitted rows of one follow, go to files without names in the
    /// `scratch` folder, up to 25 GB for Lasker Morris. The system removes them when the process ends.
    ///
    /// # Errors
    ///
    /// [`DbError::Io`] if the scratch folder is needed and cannot hold files.
    pub fn new(database: &Database, pairs: &[Pair], scratch: &Path) -> Result<Tables, DbError> {
        Ok(Tables {
            captures: TableCache::new(database, pairs, scratch)?,
            last_placement: LastPlacement::before_pairs(database, pairs),
        })
    }
}

/// Checks every value of a pair with the larger side to move, stored or omitted, its checksums and
/// its counts; derives the values with the smaller side to move, which no file holds. Takes memory
/// for the pair's tables and for those that captures of one side to move lead to. If a file holds
/// no depths, the check compares only win, draw and loss.
///
/// `tables` passes tables on to the checks of other files.
///
/// Calls `progress` now and then, on any thread, with the number of entries done so far; the
/// total is [`Pair::entries`].
///
/// # Errors
///
/// [`DbError::Missing`] if the pair or one that it needs has no file, [`DbError::Corrupt`] if a
/// file is damaged, [`DbError::Io`] also if a file in the scratch folder of `tables` cannot be
/// written or read.
pub fn verify_pair(
    db: &Database,
    pair: Pair,
    tables: &mut Tables,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Report, DbError> {
    let mut report = Report::default();
    let in_hand = pair.all_in_hand();
    tables.captures.forget_before(db.rules(), in_hand);
    let done = AtomicU64::new(0);
    let advance = |entries| progress(done.fetch_add(entries, Ordering::Relaxed) + entries);
    let metric = common_metric(db, pair);
    let larger = stored_table(pair, db.rules());
    let (mut values, _) = load_pair(db, pair, &mut tables.captures, false)?;
    fold(&mut values, metric);
    // The table with the smaller side to move, if there is one, comes first: the turns of the other
    // side lead to it.
    let mut child = Rc::new(values);
    let mut stored = Some(Rc::clone(&child));
    if pair.tables(db.rules()).len() == 1 {
        // The check counts the entries of the table with the other side to move, which has fewer.
        advance(
            larger
                .entries()
                .saturating_sub(larger.exchanged().entries()),
        );
    }
    for material in pair.tables(db.rules()).into_iter().rev() {
        let exits = material.exits(db.rules());
        let take = |&after| tables.captures.take(after, false, || load(db, after));
        let values = exits.iter().map(take).collect::<Result<Vec<_>, _>>()?;
        let exits: Vec<Index> = exits.into_iter().map(Index::new).collect();
        let exits = exits.iter().zip(&values);
        let mut exits = exits.map(|(index, values)| CheckedTable::new(index, values));
        let mut turns = TableTurns::new(db.rules(), metric, material);
        turns.quiet = material.moves(db.rules()).then_some(&child[..]);
        let count = material.exit_groups(db.rules())[0].len();
        turns.captures[..count].fill_with(|| exits.next());
        let placed = exits.next();
        turns.placed = placed.map(|quiet| ([Some(quiet), exits.next()], SetsAfter::new(material)));
        let file = db.file(pair)?;
        let mut derived = None;
        if material != larger {
            // The last placement comes before the derivation, or after the stored table is dropped,
            // so that less is in memory at once.
            tables.last_placement.derive(&turns, file.name())?;
            let table = turns.table(&advance);
            derived = Some(Rc::new(table.map_err(DbError::io(file.name()))?));
        }
        if let Some(table) = derived.clone().or_else(|| stored.take()) {
            let counted = Histogram::of_table(&turns.parent, &table);
            if derived.is_none() {
                report.mismatches.extend(turns.compare(&table, &advance));
            } else if counted.count(Value::Win(Dtw(253))) > 0 {
                // Some of these may be wins in 255 turns.
                report.mismatches.extend(turns.compare(&table, &|_| ()));
            }
            let stored = db.histogram(material)?;
            let results = |counts: &Histogram| [counts.wins(), counts.draws(), counts.losses()];
            let same_metric = metric == file.metric();
            if results(&counted) != results(stored)
                || same_metric && counted.counts() != stored.counts()
            {
                report.miscounted.push(Miscounted::Moving(material.mover));
            }
            tables.captures.keep(material, &table)?;
        }
        match derived {
            Some(derived) => child = derived,
            None => tables.last_placement.derive(&turns, file.name())?,
        }
    }
    report.checked = done.into_inner();
    Ok(report)
}

/// The metric in which a pair's values follow from its file and those of all pairs that captures
/// lead to in the end: if one of them has no depths, only results follow. Files that cannot
/// be used are ignored here; they are errors where they are needed.
fn common_metric(db: &Database, pair: Pair) -> Metric {
    let mut files = Pair::with_needed(vec![pair], db.rules())
        .into_iter()
        .map(|pair| db.file(pair));
    match files.any(|file| file.is_ok_and(|file| file.metric() == Metric::Wdl)) {
        true => Metric::Wdl,
        false => Metric::Depth,
    }
}

/// Checks `samples` random positions of each of the pair's tables. The same seed gives the same
/// positions. Those without an answer in the smallest files, because they follow from too many others,
/// are not among the checked ones.
///
/// Turns and ends come from the rules. The probe of a position that the file omits uses the same
/// turns, so for such a position this check proves little; [`verify_pair`] has its own code for
/// them.
///
/// # Errors
///
/// As for [`verify_pair`].
pub fn verify_sample(
    db: &Database,
    pair: Pair,
    samples: u64,
    seed: u64,
) -> Result<Report, DbError> {
    let mut report = Report::default();
    let mut random = Random::new(seed);
    let metric = common_metric(db, pair);
    for material in pair.tables(db.rules()) {
        let index = Index::new(material);
        for _ in 0..samples {
            let (mover, waiting) = index.sets(random.below(index.len()));
            let position = material.position(mover, waiting);
            let (stored, derived) = match stored_and_derived(db, metric, &position) {
                Err(DbError::Omitted) => continue,
                values => values?,
            };
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

/// The value of a position and that of its best turn.
fn stored_and_derived(
    db: &Database,
    metric: Metric,
    position: &Position,
) -> Result<(Value, Value), DbError> {
    let stored = db.value_in(position, metric)?;
    let (mut best, stones) = (Value::LOST, position.on_board());
    for turn in position.turns(db.rules()) {
        let after = db.value_in(&position.after(turn), metric)?;
        let removes = turn.removes();
        best = best.max(value_of_turn(db.rules(), metric, stones, removes, after));
    }
    let derived = position.result(db.rules()).unwrap_or(best);
    Ok((stored, metric.of_value(derived)))
}
