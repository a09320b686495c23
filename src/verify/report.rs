//! The report of a check: values and counts that are wrong.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Mutex;

use super::turns::{CheckedTable, TableTurns, value_of_byte};
use crate::board::symmetry::{Symmetry, stabiliser};
use crate::lock::locked;
use crate::rules::position::Position;
use crate::value::Value;

/// The most wrong values of a table to report; the check stops soon after it has found that many.
pub(super) const MOST_MISMATCHES: usize = 10;

/// A stored value that differs from the one that its turns give.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Mismatch {
    /// A position of the entry; White is to move, except after an odd number of placements.
    pub position: Position,
    /// The value in the database.
    pub stored: Value,
    /// The value that follows from the stored values of the positions that its turns lead to.
    pub derived: Value,
}

/// The findings of a check of a file.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct Report {
    /// The number of entries compared or derived; fewer than the file has if mismatches stopped the
    /// check.
    pub checked: u64,
    /// Wrong values, at most ten for each table of a pair, and at most ten for a ply.
    pub mismatches: Vec<Mismatch>,
    /// The tables whose counts in the file differ from those of their values.
    pub miscounted: Vec<Miscounted>,
}

impl Report {
    /// Whether the check found no error.
    pub fn is_clean(&self) -> bool {
        self.mismatches.is_empty() && self.miscounted.is_empty()
    }
}

/// A table whose counts in the file are wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(
    feature = "service",
    derive(serde::Serialize, schemars::JsonSchema),
    serde(untagged)
)]
#[non_exhaustive]
pub enum Miscounted {
    /// The table of a pair with this number of stones of the side to move.
    Moving(u8),
    /// The table of a ply where White and Black have lost these numbers of stones.
    Placing([u8; 2]),
}

impl fmt::Display for Miscounted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Miscounted::Moving(mover) => write!(f, "{mover} to move"),
            Miscounted::Placing([white, black]) => {
                write!(f, "White has lost {white} and Black {black}")
            }
        }
    }
}

/// The entries of one table whose values the fast pass suspects, and those that are wrong.
pub(super) struct Suspects<'a> {
    turns: &'a TableTurns<'a>,
    table: CheckedTable<'a>,
    /// By entry.
    mismatches: Mutex<BTreeMap<usize, Mismatch>>,
}

impl<'a> Suspects<'a> {
    pub fn new(turns: &'a TableTurns<'a>, values: &'a [u8]) -> Suspects<'a> {
        Suspects {
            turns,
            table: CheckedTable::new(&turns.parent, values),
            mismatches: Mutex::default(),
        }
    }

    /// Judges an entry if its value does not have the code that its turns give.
    #[inline(always)]
    pub fn see(&self, entry: usize, code: u8) {
        if !self.turns.codes.is_stored(self.table.values[entry], code) {
            self.judge(entry);
        }
    }

    /// Judges the entries of a row that differ from another entry for the same position, and that
    /// entry.
    pub fn see_copies(&self, row: usize) {
        let CheckedTable { index, .. } = self.table;
        if !index.rows().is_symmetric(row) {
            return;
        }
        let others: Vec<Symmetry> = stabiliser(index.rows().set(row)).skip(1).collect();
        let values = self.table.row(row);
        let first = row * values.len();
        for (column, subset) in index.columns().iter().enumerate() {
            let waiting = index.waiting(row, subset);
            for symmetry in &others {
                let copy = index.column(row, symmetry.apply(waiting));
                if values[copy] != values[column] {
                    self.judge(first + column);
                    self.judge(first + copy);
                }
            }
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
        let position = self.turns.position(mover, waiting);
        let mismatch = Mismatch {
            position,
            stored: value_of_byte(self.turns.rules, self.turns.metric, values[entry]),
            derived: self.turns.derive(&position),
        };
        if mismatch.stored != mismatch.derived {
            locked(&self.mismatches).insert(entry, mismatch);
        }
    }

    pub fn enough(&self) -> bool {
        locked(&self.mismatches).len() >= MOST_MISMATCHES
    }

    pub(crate) fn into_mismatches(self) -> Vec<Mismatch> {
        let mismatches = locked(&self.mismatches);
        let first = mismatches.values().take(MOST_MISMATCHES);
        first.copied().collect()
    }
}
