//! Values from the files: read where a file holds the position. In the moving phase, a one-turn search
//! derives omitted values, or `omitted` where that does not suffice.

use super::database::Database;
use super::omitted::{Derivation, RowCache};
use crate::board::{POINTS, PointSet};
use crate::index::stages::Stage;
use crate::index::{Material, Pair};
use crate::network::ring_state;
use crate::rules::position::Position;
use crate::store::table::{ProbedColumn, ProbedRow};
use crate::store::{DbError, PairFile};
use crate::value::{Metric, Value};

impl Database {
    /// The value of a position of a pair in which the mover has a turn or is blocked.
    pub(super) fn moving(&self, position: &Position, metric: Metric) -> Result<Value, DbError> {
        let file = self.file_of(Material::of_position(position))?;
        file.check_metric(metric)?;
        if !file.holds(position) {
            return self.derived(file, position, metric, &mut None);
        }
        let mut row = file.row(position.mover)?;
        let byte = row.value(row.column(position.waiting), &self.blocks)?;
        Ok(self.value_of_byte(metric.of_byte(byte)))
    }

    /// The value of a position of a pair, if its file holds it or it was derived
    /// before; the search finds all others through their turns.
    pub(super) fn stored_or_derived<'a>(
        &'a self,
        position: &Position,
        metric: Metric,
        rows: &mut RowCache<'a>,
    ) -> Result<Option<Value>, DbError> {
        let file = self.file_of(Material::of_position(position))?;
        file.check_metric(metric)?;
        let byte = match file.holds(position) {
            true => {
                let row = rows.row(file, position.mover)?;
                Some(row.value(row.column(position.waiting), &self.blocks)?)
            }
            false => self.values.get(cache_key(position, metric)),
        };
        Ok(byte.map(|byte| metric.of_value(self.value_of_byte(byte))))
    }

    /// The value of a position of the placing phase; `None` if no file holds it.
    pub(super) fn stored(&self, position: &Position) -> Result<Option<Value>, DbError> {
        let (rules, stage) = (self.rules(), Stage::of(position, self.rules()));
        let (mover, waiting) = (position.mover(), position.waiting());
        if stage.is_of(position, rules)
            && Material::of(mover, waiting) == stage.material()
            && let Some(file) = self.ply(stage.ply)?
            && let Some(table) = file.table(stage, self.stage_sets())?
            && table.shape().coverage.holds(rules, mover, waiting)
            && let Some(mut row) = table.find(mover)
        {
            let byte = row.value(row.column(waiting), &self.blocks)?;
            return Ok(Some(file.metric().shown(Value::from_byte(byte))));
        }
        Ok(None)
    }

    /// The values of positions: those that the cache of values has under these keys, and the others from
    /// `find`, which the cache keeps from then on.
    pub(super) fn cached(
        &self,
        positions: &[Position],
        key: impl Fn(&Position) -> u64,
        find: impl FnOnce(&[Position]) -> Result<Vec<Value>, DbError>,
    ) -> Result<Vec<Value>, DbError> {
        let mut values = Vec::with_capacity(positions.len());
        let (mut missing, mut places) = (Vec::new(), Vec::new());
        for (place, position) in positions.iter().enumerate() {
            let key = key(position);
            let kept = self.kept(key);
            values.push(kept.unwrap_or(Value::Draw));
            if kept.is_none() {
                missing.push(*position);
                places.push((place, key));
            }
        }
        if missing.is_empty() {
            return Ok(values);
        }
        for ((place, key), value) in places.into_iter().zip(find(&missing)?) {
            values[place] = value;
            self.keep(key, value);
        }
        Ok(values)
    }

    /// Keeps the value of the position with this key in the cache of values.
    pub(crate) fn keep(&self, key: u64, value: Value) {
        // Unknown depths have no byte.
        if let Some(byte) = self.rules().distance().byte(value) {
            self.values.insert(key, byte);
        }
    }

    /// The value of the position with this key, if an earlier question has found it.
    pub(super) fn kept(&self, key: u64) -> Option<Value> {
        self.values.get(key).map(|byte| self.value_of_byte(byte))
    }

    /// The value that a byte of a table of the moving phase stands for.
    pub(super) fn value_of_byte(&self, byte: u8) -> Value {
        self.rules().distance().value(byte)
    }

    /// The value of a position that its file does not hold. Later calls use the same derivation,
    /// if one is needed.
    fn derived<'a>(
        &'a self,
        file: &PairFile,
        position: &Position,
        metric: Metric,
        derivation: &mut Option<Derivation<'a>>,
    ) -> Result<Value, DbError> {
        let key = cache_key(position, metric);
        if let Some(value) = self.kept(key) {
            return Ok(value);
        }
        let value = metric.of_value(match file.coverage().omits_rows() {
            true => {
                let derivation = derivation.get_or_insert_with(|| Derivation::new(self, metric));
                derivation.value(position)?
            }
            false => self.best_turn(position, metric)?,
        });
        let Some(byte) = self.rules().distance().byte(value) else {
            let what = "a value is too deep for these rules".to_string();
            return Err(DbError::NotStored(what));
        };
        self.values.insert(key, byte);
        Ok(value)
    }

    /// The value of the mover's best turn; without a turn, the value of the end of the game.
    fn best_turn(&self, position: &Position, metric: Metric) -> Result<Value, DbError> {
        if let Some(result) = position.result(self.rules()) {
            return Ok(result);
        }
        let mut best = Value::LOST;
        let stones = position.on_board();
        let after = self.positions_after(position);
        let consider = |place: usize, value| {
            let converts = converts(position, &after[place]);
            best = best.max(self.rules().value_of_turn(stones, converts, value));
        };
        self.each(&after, metric, consider)?;
        Ok(best)
    }

    /// Passes the values of positions of pairs to `found`, each with its place in the list,
    /// in any order.
    ///
    /// All quiet turns of a position lead to one row, and its captures to one row for each
    /// removable set of stones. So this looks positions up row by row and block by block.
    pub(super) fn each(
        &self,
        positions: &[Position],
        metric: Metric,
        mut found: impl FnMut(usize, Value),
    ) -> Result<(), DbError> {
        let mut rows: Vec<(PointSet, Pair, ProbedRow<'_>, Vec<ProbedColumn>)> = Vec::new();
        let mut derivation = None;
        for (place, position) in positions.iter().enumerate() {
            let Position { mover, waiting, .. } = *position;
            if position.is_beaten() {
                found(place, Value::LOST);
                continue;
            }
            let file = self.file_of(Material::of_position(position))?;
            file.check_metric(metric)?;
            if !file.holds(position) {
                found(
                    place,
                    self.derived(file, position, metric, &mut derivation)?,
                );
                continue;
            }
            let pair = file.pair();
            let is_same = |&(other, of, ..): &(PointSet, Pair, _, _)| other == mover && of == pair;
            let number = match rows.iter().rposition(is_same) {
                Some(number) => number,
                None => {
                    rows.push((mover, pair, file.row(mover)?, Vec::new()));
                    rows.len() - 1
                }
            };
            let (.., row, columns) = &mut rows[number];
            let column = row.column(waiting);
            columns.push(ProbedColumn { column, place });
        }
        for (.., mut row, mut columns) in rows {
            row.values(&mut columns, &self.blocks, &mut |place, byte| {
                found(place, self.value_of_byte(metric.of_byte(byte)));
            })?;
        }
        Ok(())
    }
}

/// The key of a position of a pair in the cache of values, of 56 bits. A position of the placing phase has its
/// [canonical](crate::search::key::canonical) key there. The two kinds differ: in its canonical
/// key, the four bits of `PAIRS` hold the number of the waiting side's stones in hand, which is less than fifteen.
pub(super) fn cache_key(position: &Position, metric: Metric) -> u64 {
    const PAIRS: u64 = 0xf0;
    const WITH_HANDS: u64 = 8;
    const STATES_OF_RING: u64 = 3_u64.pow(8);
    let kind = PAIRS | metric as u64;
    let in_hand = u64::from(position.mover_in_hand) | u64::from(position.waiting_in_hand) << 4;
    let [mover, waiting] = [position.mover, position.waiting].map(PointSet::bits);
    let (kind, stones) = match in_hand {
        0 => (kind, u64::from(mover) | u64::from(waiting) << POINTS),
        // Beside them there is no room for two sets, but for one number to the base three.
        _ => {
            let [mover, waiting] = [mover, waiting].map(u32::to_le_bytes);
            let board = (0..3).fold(0, |board, ring| {
                board * STATES_OF_RING + u64::from(ring_state([mover[ring], waiting[ring]]))
            });
            (kind | WITH_HANDS, in_hand << 40 | board)
        }
    };
    kind << (2 * POINTS) | stones
}

/// Whether the turn from one position to the other places or removes a stone.
pub(super) fn converts(position: &Position, after: &Position) -> bool {
    after.mover.len() < position.waiting.len() || after.waiting.len() > position.mover.len()
}
