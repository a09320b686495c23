//! The turns of a table to check and the values that they give: turn by turn, and as codes whose
//! maximum is the best value.

use super::placements::{PlacedTables, SetsAfter};
use crate::board::bits::Bits;
use crate::board::symmetry::Symmetry;
use crate::board::{POINTS, PointSet};
use crate::index::stages::{Stage, StageSets};
use crate::index::{BitSet, Index, Material, Subsets};
use crate::rules::position::Position;
use crate::rules::turns::left_after_removals;
use crate::rules::{Blocked, FullBoard, Rules, WithoutTurn};
use crate::value::{Distance, Metric, Value};

/// A table: its index and its entries.
#[derive(Clone, Copy)]
pub(super) struct CheckedTable<'a> {
    pub index: &'a Index,
    /// One byte for each entry of the index.
    pub values: &'a [u8],
}

impl<'a> CheckedTable<'a> {
    pub fn new(index: &'a Index, values: &'a [u8]) -> CheckedTable<'a> {
        debug_assert_eq!(values.len(), index.len());
        CheckedTable { index, values }
    }

    pub fn row(&self, row: usize) -> &'a [u8] {
        let columns = self.index.columns().count();
        &self.values[row * columns..][..columns]
    }
}

/// The turns of a table to check or to derive: the tables that they lead to.
pub(super) struct TableTurns<'a> {
    pub rules: &'a Rules,
    /// The metric of the derived values.
    pub metric: Metric,
    /// The codes of the derived values.
    pub codes: Codes,
    pub parent: Index,
    /// The index of the table with the other side to move.
    pub child: Index,
    /// The values of that table, to which quiet turns lead; `None` if the mover moves no stones.
    pub quiet: Option<&'a [u8]>,
    /// The tables after removals of one, two and three stones; `None` if the removals leave two
    /// stones and end the game, and for more removals than a turn can earn.
    pub captures: [Option<CheckedTable<'a>>; 3],
    /// The tables after placements, and the mover's sets after them; `None` if the mover has none
    /// in hand.
    pub placed: Option<(PlacedTables<'a>, SetsAfter)>,
    /// The stage of a table of the placing phase, and the sets that games can reach.
    pub stage: Option<(Stage, &'a StageSets)>,
}

impl<'a> TableTurns<'a> {
    /// The turns of a table of the moving phase, without the tables that they lead to.
    pub fn new(rules: &'a Rules, metric: Metric, material: Material) -> TableTurns<'a> {
        TableTurns {
            rules,
            metric,
            codes: Codes::new(rules, metric, material),
            parent: Index::new(material),
            child: Index::new(material.exchanged()),
            quiet: None,
            captures: [None; 3],
            placed: None,
            stage: None,
        }
    }

    /// The turns of a stage, which lead to these tables.
    pub fn of_stage(
        rules: &'a Rules,
        metric: Metric,
        (stage, stage_sets): (Stage, &'a StageSets),
        tables: PlacedTables<'a>,
    ) -> TableTurns<'a> {
        let material = stage.material();
        TableTurns {
            placed: Some((tables, SetsAfter::new(material))),
            stage: Some((stage, stage_sets)),
            ..TableTurns::new(rules, metric, material)
        }
    }

    /// The table that quiet moves lead to.
    pub fn quiet(&self) -> Option<CheckedTable<'_>> {
        let values = self.quiet?;
        Some(CheckedTable::new(&self.child, values))
    }

    /// A position of the parent table.
    pub fn position(&self, mover: PointSet, waiting: PointSet) -> Position {
        match self.stage {
            None => self.parent.material().position(mover, waiting),
            Some((stage, _)) => stage.position(mover, waiting, self.rules),
        }
    }

    /// The rows of the sets that the mover, or else the waiting side, can have; `None` for all
    /// rows.
    pub fn possible(&self, is_mover: bool) -> Option<&'a BitSet> {
        self.stage.map(|(stage, stage_sets)| {
            let mover = stage.mover();
            stage_sets.rows(stage, if is_mover { mover } else { mover.other() })
        })
    }

    /// The value of a position of the parent table, derived from the values of all positions that
    /// its turns lead to.
    pub fn derive(&self, position: &Position) -> Value {
        let [one, two, three] = self.captures;
        let moved = [self.quiet(), one, two, three];
        let placed = self.placed.as_ref();
        let placed = placed.map_or_else(Default::default, |(tables, _)| *tables);
        let (rules, metric) = (self.rules, self.metric);
        let derived = position.result(rules).unwrap_or_else(|| {
            let mut best = Value::LOST;
            let stones = position.on_board();
            position.for_each_turn(rules, |turn| {
                let after = position.after(turn);
                let tables = match turn.places() {
                    true => &placed[..],
                    false => &moved,
                };
                // Removals that lead to no table end the game.
                let table = tables[turn.taken() as usize];
                let value = table.map_or(Value::LOST, |CheckedTable { index, values }| {
                    let entry = index.find(after.mover(), after.waiting());
                    value_of_byte(rules, metric, values[entry])
                });
                best = best.max(value_of_turn(rules, metric, stones, turn.removes(), value));
            });
            best
        });
        metric.of_value(derived)
    }

    /// The rows that captures lead to if these stones wait, by the number of removals that a turn
    /// earns.
    pub fn captures(&self, waiting: PointSet) -> [CaptureRows<'a>; 3] {
        std::array::from_fn(|place| {
            CaptureRows::new(self.captures[place], waiting, place as u8 + 1, self.rules)
        })
    }

    /// The outcome for a mover without a turn.
    pub fn without_turn(&self) -> WithoutTurn {
        let rules = self.rules;
        let Material { mover, waiting, .. } = self.parent.material();
        if self.placed.is_some() {
            // A side with a stone in hand has a turn, so this does not matter.
            WithoutTurn::Loses
        } else if u32::from(mover + waiting) < POINTS {
            match rules.blocked {
                Blocked::Loses => WithoutTurn::Loses,
                Blocked::Passes => WithoutTurn::Passes,
            }
        } else {
            match rules.full_board {
                FullBoard::Loses => WithoutTurn::Loses,
                FullBoard::Draws => WithoutTurn::Draws,
                FullBoard::Removes => WithoutTurn::Removes,
            }
        }
    }
}

/// The value that a byte of a table stands for. Without depths only the result counts.
pub(super) fn value_of_byte(rules: &Rules, metric: Metric, byte: u8) -> Value {
    match metric {
        Metric::Depth => rules.distance().value(byte),
        Metric::Wdl => Value::from_byte(byte),
    }
}

/// The value of a turn that leads to a position of this value. `stones` are those before it,
/// `removes` says whether it takes stones.
pub(super) fn value_of_turn(
    rules: &Rules,
    metric: Metric,
    stones: [u8; 2],
    removes: bool,
    after: Value,
) -> Value {
    match metric {
        Metric::Depth => rules.value_of_turn(stones, removes, after),
        Metric::Wdl => metric.of_value(after.backed_up()),
    }
}

/// Values as bytes that grow with the value, so that the best of several is their maximum.
pub(super) struct Codes {
    /// For each byte of a table, the code of the value of a quiet turn to it.
    ///
    /// 256 codes are one too few, so wins in 255 turns share a code with wins in 253.
    quiet: [u8; 256],
    /// The same for a turn that removes stones.
    removal: [u8; 256],
    /// For each byte of a table, the code of its value; none for a win in 253 turns.
    stored: [u16; 256],
}

/// The code of a lost position without a turn, the smallest.
pub(super) const LOST: u8 = 0;
pub(super) const DRAWN: u8 = 128;
/// The code of a win in one turn, the largest.
const WON: u8 = 255;

/// The value byte of a lost position without a turn.
const LOST_BYTE: u8 = 1;

/// The code of a value byte.
const fn code(byte: u8) -> u8 {
    match byte {
        0 => DRAWN,
        _ if byte % 2 == 1 => byte / 2,
        _ => WON - (byte / 2 - 1),
    }
}

/// The code of wins in 253 and in 255 turns.
const SHARED: u8 = code(254);

impl Codes {
    /// The codes of a table.
    pub fn new(rules: &Rules, metric: Metric, material: Material) -> Codes {
        let stones = [material.mover, material.waiting];
        let before = |byte: usize, removes: bool| {
            let after = value_of_byte(rules, metric, byte as u8);
            let value = value_of_turn(rules, metric, stones, removes, after);
            let distance = match metric {
                Metric::Depth => rules.distance(),
                Metric::Wdl => Distance::ToEnd,
            };
            distance.byte(value).map_or(SHARED, code)
        };
        Codes {
            quiet: std::array::from_fn(|byte| before(byte, false)),
            removal: std::array::from_fn(|byte| before(byte, true)),
            stored: std::array::from_fn(|byte| match code(byte as u8) {
                SHARED => u16::MAX,
                code => code.into(),
            }),
        }
    }

    /// The code of the value of a quiet turn to a position with this value byte.
    #[inline(always)]
    pub fn of_quiet(&self, byte: u8) -> u8 {
        self.quiet[usize::from(byte)]
    }

    /// The code of the value of a turn that removes stones and leads to a position with this value
    /// byte.
    #[inline(always)]
    pub fn of_removal(&self, byte: u8) -> u8 {
        self.removal[usize::from(byte)]
    }

    /// Whether a value byte has this code; false for wins in 253 turns.
    #[inline(always)]
    pub fn is_stored(&self, byte: u8, code: u8) -> bool {
        self.stored[usize::from(byte)] == u16::from(code)
    }

    /// The value byte with a code, that of a win in 253 turns for the code that two share.
    #[inline(always)]
    pub fn value(code: u8) -> u8 {
        match code {
            DRAWN => 0,
            _ if code < DRAWN => 2 * code + 1,
            _ => 2 * (WON - code) + 2,
        }
    }
}

/// The positions that removals of a number of stones from the waiting side lead to.
pub(super) struct CaptureRows<'a> {
    /// The columns of the capture table; `None` if the removals end the game.
    columns: Option<&'a Subsets>,
    rows: Vec<Capture<'a>>,
}

impl<'a> CaptureRows<'a> {
    /// The rows of a table after removals of `count` of the waiting stones; no table if the
    /// removals end the game.
    pub fn new(
        table: Option<CheckedTable<'a>>,
        waiting: PointSet,
        count: u8,
        rules: &Rules,
    ) -> CaptureRows<'a> {
        CaptureRows {
            columns: table.map(|table| table.index.columns()),
            rows: table.map_or_else(Vec::new, |table| {
                let capture = |left| {
                    let (row, symmetry) = table.index.rows().find(left);
                    Capture {
                        symmetry,
                        free: !table.index.rows().set(row),
                        values: table.row(row),
                    }
                };
                let sets = left_after_removals(waiting, count, rules);
                sets.map(capture).collect()
            }),
        }
    }
}

/// A row of a capture table: the waiting side's stones after the removals.
struct Capture<'a> {
    /// Maps the remaining stones to the row's set.
    symmetry: Symmetry,
    free: PointSet,
    values: &'a [u8],
}

/// The code of the best removal for the mover after a turn to this set.
#[inline(always)]
pub(super) fn best_capture<B: Bits>(
    bits: B,
    codes: &Codes,
    captures: &CaptureRows<'_>,
    set: PointSet,
) -> u8 {
    let Some(columns) = captures.columns else {
        return codes.of_removal(LOST_BYTE);
    };
    let mut best = LOST;
    for capture in &captures.rows {
        let image = capture.symmetry.apply(set);
        let column = columns.rank(bits.pext(image.bits(), capture.free.bits()));
        best = larger(best, codes.of_removal(capture.values[column]));
    }
    best
}

/// The larger of two bytes, computed without a branch.
#[inline(always)]
pub(super) fn larger(a: u8, b: u8) -> u8 {
    // Bits 8 to 15 are all set if a < b, else all clear.
    let difference = u32::from(a).wrapping_sub(b.into());
    u32::from(a).wrapping_sub(difference & difference >> 8) as u8
}
