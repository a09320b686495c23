//! The placing phase: databases of positions with stones in hand, and the values of all others by a
//! short search to them.
//!
//! A file holds all positions of one ply, that is after so many placements; some plies have no
//! file. From there the search goes to the next ply that has one, or to the databases of the moving
//! phase behind the last placement.
//!
//! - `reachable`: which positions a game can come to, as far as stone counts and mills tell
//! - `marked`: sets of rows
//! - `layout`: which of them a table stores, and where
//! - `format`, `codec`, `file`: a ply's file
//! - `search`: from positions that no file holds to those that one does
//! - `solve`, `write`, `build`, `verify`: making and checking the files, with the feature `build`
//!
//! Positions that no game can reach are left out, see [`reachable`].

#[cfg(feature = "build")]
pub mod build;
mod cache;
mod codec;
mod file;
mod format;
mod layout;
mod marked;
pub mod reachable;
mod search;
#[cfg(feature = "build")]
mod solve;
#[cfg(feature = "build")]
pub mod verify;
#[cfg(feature = "build")]
mod write;

use std::path::Path;

pub use file::{PlyFile, file_name};
pub use marked::Marked;
pub use reachable::{Reachable, Stage};

use self::cache::Cache;
use self::layout::NOT_STORED;
use self::search::Search;
#[cfg(feature = "build")]
use crate::board::PointSet;
use crate::db::{Database, DbError, RankedTurn};
use crate::position::{Position, Side};
use crate::rules::Rules;
use crate::value::Value;

/// The files of the placing phase in one folder. Many threads may ask at the same time.
#[derive(Debug)]
pub struct Placing {
    rules: Rules,
    reachable: Reachable,
    /// By ply.
    files: Vec<Option<PlyFile>>,
    cache: Cache,
}

/// Why the placing phase is not solved under these rules, as a sentence; `None` if it is.
pub fn not_solved(rules: &Rules) -> Option<&'static str> {
    rules.removal_per_mill.then_some(
        "the placing phase is not solved where each mill earns a removal of its own, as its tables \
         count one stone lost for each turn that closes mills; the databases of the moving phase \
         know such rules",
    )
}

impl Stage {
    /// The stage of a position with stones in hand, the removal that may be owed counted as not
    /// made.
    pub fn of(position: &Position, rules: &Rules) -> Stage {
        let placed = |side| rules.stones.saturating_sub(position.in_hand(side));
        let lost = |side| placed(side).saturating_sub(position.stones(side).len() as u8);
        Stage {
            ply: placed(Side::White) + placed(Side::Black),
            white_lost: lost(Side::White),
            black_lost: lost(Side::Black),
        }
    }

    /// The position of these sets of stones, without a removal owed.
    #[cfg(feature = "build")]
    fn position(self, mover: PointSet, waiting: PointSet, rules: &Rules) -> Position {
        let in_hand = |side| rules.stones.saturating_sub(self.placed(side));
        let [white, black] = match self.mover() {
            Side::White => [mover, waiting],
            Side::Black => [waiting, mover],
        };
        Position {
            white,
            black,
            white_in_hand: in_hand(Side::White),
            black_in_hand: in_hand(Side::Black),
            side_to_move: self.mover(),
            removals_owed: 0,
        }
    }
}

impl Placing {
    /// How many bytes of rows are kept, unpacked.
    pub const CACHE_BYTES: usize = 128 << 20;

    /// The files of a folder; `None` if there is none.
    ///
    /// Of each file the header is checked, and the length; the rows are checked when they are read.
    ///
    /// # Errors
    ///
    /// As for [`Database::open`].
    pub fn open(folder: &Path, rules: Rules) -> Result<Option<Placing>, DbError> {
        let plies = 0..2 * rules.stones;
        let present = |&ply: &u8| folder.join(file_name(ply)).exists();
        let Some(last) = plies.clone().rev().find(present) else {
            return Ok(None);
        };
        let reachable = Reachable::new(&rules, last);
        let open = |ply| PlyFile::open(folder, ply, &rules, &reachable);
        let files = plies.map(open).collect::<Result<_, _>>()?;
        Ok(Some(Placing {
            rules,
            reachable,
            files,
            cache: Cache::with_bytes(Placing::CACHE_BYTES),
        }))
    }

    /// The rules of the values.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// The files, by ply.
    pub fn files(&self) -> impl Iterator<Item = &PlyFile> {
        self.files.iter().flatten()
    }

    /// The value of a position with stones in hand, `None` where the files do not help: no game
    /// leads there, or the next file is too many placements away.
    ///
    /// # Errors
    ///
    /// As for [`Database::probe`].
    pub fn value(
        &self,
        database: &Database,
        position: &Position,
    ) -> Result<Option<Value>, DbError> {
        Search::new(self, database).value(position)
    }

    /// All turns of a position with stones in hand, as by [`Database::turns`]; `None` as for
    /// [`Placing::value`].
    ///
    /// # Errors
    ///
    /// As for [`Database::probe`].
    pub fn turns(
        &self,
        database: &Database,
        position: &Position,
    ) -> Result<Option<Vec<RankedTurn>>, DbError> {
        Search::new(self, database).turns(position)
    }

    /// Whether the positions after so many placements are stored.
    fn has(&self, ply: u8) -> bool {
        self.files
            .get(usize::from(ply))
            .is_some_and(Option::is_some)
    }

    /// The stored value of a position, `None` if there is none.
    fn stored(&self, position: &Position) -> Result<Option<Value>, DbError> {
        let stage = Stage::of(position, &self.rules);
        let file = self
            .files
            .get(usize::from(stage.ply))
            .and_then(Option::as_ref);
        let Some((file, number)) = file.and_then(|file| Some((file, file.number(stage)?))) else {
            return Ok(None);
        };
        let layout = file.layout(number, &self.reachable);
        let (row, symmetry) = layout.index.rows().find(position.mover());
        let Some(slot) = layout.slot(row) else {
            return Ok(None);
        };
        let column = layout.index.column(row, symmetry.apply(position.waiting()));
        let key = (u64::from(stage.ply) << 8 | number as u64) << 32 | row as u64;
        let byte = match self.cache.byte(key, column) {
            Some(byte) => byte,
            None => {
                let mut values = vec![0; layout.index.columns().count()];
                file.read_row(number, layout, slot, &mut values)?;
                let byte = values[column];
                self.cache.insert(key, values.into());
                byte
            }
        };
        Ok((byte != NOT_STORED).then(|| Value::from_byte(byte)))
    }
}
