//! All databases at hand, and the questions asked of them: the value of a position, its turns
//! ranked, the best line.

use std::cmp::{Ordering, Reverse};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::cache::{Blocks, Values};
use super::error::DbError;
use super::profile::Contents;
use super::source::Access;
use super::table::PairFile;
use crate::histogram::Histogram;
use crate::index::{Material, Pair};
use crate::placing::Placing;
use crate::position::Position;
use crate::rules::{FEWEST_STONES, MOST_STONES, Rules};
use crate::turns::Turn;
use crate::value::{Value, Wdl};

/// The files of the pairs with at most nine stones, part of the program.
#[cfg(feature = "embedded")]
const EMBEDDED: &[(u8, u8, &[u8])] = &[
    (3, 3, include_bytes!("../../db/3-3.mill")),
    (4, 3, include_bytes!("../../db/4-3.mill")),
    (4, 4, include_bytes!("../../db/4-4.mill")),
    (5, 3, include_bytes!("../../db/5-3.mill")),
    (5, 4, include_bytes!("../../db/5-4.mill")),
    (6, 3, include_bytes!("../../db/6-3.mill")),
];
#[cfg(not(feature = "embedded"))]
const EMBEDDED: &[(u8, u8, &[u8])] = &[];

/// The databases of one set of rules. Many threads may ask at the same time.
#[derive(Debug)]
pub struct Database {
    rules: Rules,
    folder: Option<PathBuf>,
    /// By [`slot`].
    files: Vec<Option<PairFile>>,
    pub(super) blocks: Blocks,
    pub(super) values: Values,
    /// Opened when first asked for.
    placing: OnceLock<Option<Placing>>,
}

/// How many numbers of stones a side there are.
const SIDES: usize = (MOST_STONES - FEWEST_STONES + 1) as usize;

/// The place of a pair among all that there can be, in the order of [`Pair`].
pub(super) fn slot(pair: Pair) -> usize {
    usize::from(pair.larger() - FEWEST_STONES) * SIDES + usize::from(pair.smaller() - FEWEST_STONES)
}

impl Database {
    /// How many bytes of decoded blocks are kept unless [`Database::with_cache_bytes`] says
    /// otherwise.
    pub const DEFAULT_CACHE_BYTES: usize = 256 << 20;

    /// The databases that are part of the program: with the feature `embedded` the pairs with at
    /// most nine stones, under the standard rules of the moving phase. Under other rules there are
    /// none.
    pub fn embedded(rules: Rules) -> Database {
        let mut database = Database {
            rules,
            folder: None,
            files: (0..SIDES * SIDES).map(|_| None).collect(),
            blocks: Blocks::with_bytes(0),
            values: Values::with_bytes(0),
            placing: OnceLock::new(),
        }
        .with_cache_bytes(Database::DEFAULT_CACHE_BYTES);
        for &(larger, smaller, bytes) in EMBEDDED {
            if let Some(pair) = Pair::new(larger, smaller) {
                database.files[slot(pair)] = PairFile::embedded(bytes, pair, rules).ok();
            }
        }
        database
    }

    /// The databases of a folder, and those that are part of the program for the pairs that the
    /// folder lacks.
    ///
    /// This is cheap: of each file the header is checked, and the length; the rows are checked when
    /// they are read. Whatever happens to a file while it is open is an error at worst.
    ///
    /// # Errors
    ///
    /// [`DbError::Io`] if the folder or a file cannot be read, [`DbError::Corrupt`],
    /// [`DbError::OtherRules`] and [`DbError::OtherVersion`] for the first file that is not as it
    /// must be.
    pub fn open(folder: &Path, rules: Rules) -> Result<Database, DbError> {
        Database::open_with(folder, rules, Access::Read)
    }

    /// The databases of these rules in a folder that may have those of several, see
    /// [`folder_of`](crate::db::folder_of); if it has none of theirs, those that are part of the
    /// program.
    ///
    /// # Errors
    ///
    /// As for [`Database::open`].
    pub fn open_in(folder: &Path, rules: Rules) -> Result<Database, DbError> {
        let own = super::folder_of(folder, &rules);
        if own == folder || own.exists() {
            return Database::open(&own, rules);
        }
        std::fs::read_dir(folder).map_err(DbError::io(folder))?;
        let mut database = Database::embedded(rules);
        database.folder = Some(own);
        Ok(database)
    }

    /// [`Database::open`] with the files mapped into memory, which spares two calls of the system
    /// for each block that is not in the cache.
    ///
    /// # Errors
    ///
    /// As for [`Database::open`].
    ///
    /// # Safety
    ///
    /// As long as the databases are open, the files may be replaced or removed, but nobody may write
    /// to them or shorten them.
    pub unsafe fn open_mapped(folder: &Path, rules: Rules) -> Result<Database, DbError> {
        Database::open_with(folder, rules, Access::Map)
    }

    fn open_with(folder: &Path, rules: Rules, access: Access) -> Result<Database, DbError> {
        std::fs::read_dir(folder).map_err(DbError::io(folder))?;
        let mut database = Database::embedded(rules);
        for pair in Pair::all(rules.stones) {
            if let Some(file) = PairFile::open(folder, pair, rules, access)? {
                database.files[slot(pair)] = Some(file);
            }
        }
        database.folder = Some(folder.to_path_buf());
        Ok(database)
    }

    /// The same with another bound for what is kept of the answers, in bytes: three quarters for
    /// decoded blocks, the rest for derived values.
    #[must_use]
    pub fn with_cache_bytes(self, bytes: usize) -> Database {
        Database {
            blocks: Blocks::with_bytes(bytes - bytes / 4),
            values: Values::with_bytes(bytes / 4),
            ..self
        }
    }

    /// The rules of the values.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// The files that are here, in the order of their pairs.
    pub fn pairs(&self) -> impl Iterator<Item = &PairFile> {
        self.files.iter().flatten()
    }

    /// Whether the database of a pair is here.
    pub fn has(&self, pair: Pair) -> bool {
        self.files[slot(pair)].is_some()
    }

    /// The files of the placing phase in the same folder; `None` if there is none.
    ///
    /// # Errors
    ///
    /// As for [`Placing::open`], the first time.
    pub fn placing(&self) -> Result<Option<&Placing>, DbError> {
        if self.placing.get().is_none() {
            let folder = self.folder.as_deref();
            let opened = folder.map(|folder| Placing::open(folder, self.rules));
            // Another thread may have opened the same files meanwhile.
            let _ = self.placing.set(opened.transpose()?.flatten());
        }
        Ok(self.placing.get().and_then(Option::as_ref))
    }

    /// The file of a pair.
    ///
    /// # Errors
    ///
    /// [`DbError::Missing`].
    pub fn file(&self, pair: Pair) -> Result<&PairFile, DbError> {
        let missing = || DbError::Missing {
            pair,
            folder: self.folder.clone(),
            rules: self.rules,
        };
        self.files[slot(pair)].as_ref().ok_or_else(missing)
    }

    /// How often each value occurs in a table. Where the file tells no depths, all wins count as
    /// wins in one turn and all losses as losses in none.
    ///
    /// # Errors
    ///
    /// [`DbError::Missing`], or [`DbError::NotStored`] if there is no such table under these rules.
    pub fn histogram(&self, material: Material) -> Result<&Histogram, DbError> {
        Ok(self.file_of(material)?.histogram(material))
    }

    /// The value of a position without stones in hand. Where a removal is owed, that removal is a
    /// turn of its own.
    ///
    /// ```
    /// use millbase::db::Database;
    /// use millbase::{Position, Rules, Value};
    /// let rules = Rules::STANDARD;
    /// let beaten = Position::parse("O@*****O/@@*****@/******** w o ? 2 0 4 0 0 0", &rules)?;
    /// assert_eq!(Database::embedded(rules).probe(&beaten)?, Value::LOST);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// Where a file that is needed holds no depths, they are [unknown](crate::Dtw::UNKNOWN).
    ///
    /// # Errors
    ///
    /// [`DbError::NotStored`] while stones are in hand, otherwise as for [`Database::histogram`], and
    /// [`DbError::Corrupt`].
    pub fn probe(&self, position: &Position) -> Result<Value, DbError> {
        match self.value(position, Contents::Depths) {
            Err(DbError::NoDepths { .. }) => {
                Ok(self.value(position, Contents::Wdl)?.without_depth())
            }
            found => found,
        }
    }

    /// Whether a position without stones in hand is won, drawn or lost.
    ///
    /// # Errors
    ///
    /// As for [`Database::probe`].
    pub fn probe_wdl(&self, position: &Position) -> Result<Wdl, DbError> {
        Ok(self.value(position, Contents::Wdl)?.wdl())
    }

    /// All turns of a position with their values, best first in the order of [`RankedTurn::order`];
    /// none when the game is over. Where a file that is needed holds no depths, all are unknown.
    ///
    /// # Errors
    ///
    /// As for [`Database::probe`].
    pub fn turns(&self, position: &Position) -> Result<Vec<RankedTurn>, DbError> {
        match self.ranked(position, Contents::Depths) {
            Err(DbError::NoDepths { .. }) => {
                let mut turns = self.ranked(position, Contents::Wdl)?;
                for ranked in &mut turns {
                    ranked.value = ranked.value.without_depth();
                }
                Ok(turns)
            }
            ranked => ranked,
        }
    }

    /// Looks positions up that will be asked for soon, so that their blocks are in the cache.
    /// Positions that no database answers are passed over.
    pub fn prefetch(&self, positions: &[Position]) {
        for position in positions {
            let _ = self.value(position, Contents::Wdl);
        }
    }

    /// What is left of the value of a position without stones in hand.
    pub(crate) fn value(&self, position: &Position, contents: Contents) -> Result<Value, DbError> {
        if position.is_placing() {
            let why = "stones are still in hand, but databases start where the last one is placed";
            return Err(DbError::NotStored(why.to_string()));
        }
        if let Some(result) = position.result(&self.rules) {
            return Ok(result);
        }
        if position.removal_owed() {
            let best = self.ranked(position, contents)?;
            let nothing = || DbError::NotStored("there is no stone to remove".to_string());
            return best.first().map(|best| best.value).ok_or_else(nothing);
        }
        let byte = self.byte(position.mover(), position.waiting(), contents)?;
        Ok(Value::from_byte(byte))
    }

    fn ranked(&self, position: &Position, contents: Contents) -> Result<Vec<RankedTurn>, DbError> {
        let mut ranked = Vec::with_capacity(32);
        let mut failure = None;
        position.for_each_turn(&self.rules, |turn| {
            let after = position.after(turn);
            match self.value(&after, contents) {
                Ok(value) => ranked.push(RankedTurn {
                    turn,
                    value: contents.of_value(value.before()),
                    after,
                }),
                Err(error) => failure = failure.take().or(Some(error)),
            }
        });
        if let Some(error) = failure {
            return Err(error);
        }
        RankedTurn::sort(&mut ranked);
        Ok(ranked)
    }

    /// The game that follows when both sides always choose their first ranked turn, no longer than
    /// `limit` turns. This needs depths: without them, a side that wins may never come to its end.
    ///
    /// # Errors
    ///
    /// As for [`Database::probe`], and [`DbError::NoDepths`].
    pub fn line(&self, position: &Position, limit: usize) -> Result<Line, DbError> {
        let mut turns: Vec<RankedTurn> = Vec::new();
        let mut seen = HashMap::new();
        let mut position = *position;
        let end = loop {
            if let Some(from) = seen.insert(position, turns.len()) {
                break LineEnd::Repetition { from };
            }
            if position.is_over(&self.rules) {
                break LineEnd::Over;
            }
            if turns.len() >= limit {
                break LineEnd::Limit;
            }
            let ranked = self.ranked(&position, Contents::Depths)?;
            let Some(best) = ranked.into_iter().next() else {
                break LineEnd::Over;
            };
            position = best.after;
            turns.push(best);
        };
        Ok(Line { turns, end })
    }

    /// The file that has or implies a table.
    pub(crate) fn file_of(&self, material: Material) -> Result<&PairFile, DbError> {
        let pair = material.pair();
        let Some(pair) = pair.filter(|pair| pair.larger() <= self.rules.stones) else {
            return Err(DbError::NotStored(format!(
                "there is no database for {} stones against {}",
                material.mover, material.waiting
            )));
        };
        self.file(pair)
    }
}

/// A turn with what it is worth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RankedTurn {
    /// The turn.
    pub turn: Turn,
    /// What the position is worth to the side to move if it makes this turn, the turn counted.
    pub value: Value,
    /// The position after the turn.
    pub after: Position,
}

impl RankedTurn {
    /// The ranking: better values first – wins by smaller depth, draws, losses by larger depth –
    /// and turns of the same value in the order of their texts.
    pub fn order(&self, other: &RankedTurn) -> Ordering {
        self.key().cmp(&other.key())
    }

    /// Sorts by [`RankedTurn::order`].
    pub(crate) fn sort(ranked: &mut [RankedTurn]) {
        ranked.sort_by_cached_key(RankedTurn::key);
    }

    fn key(&self) -> (Reverse<Value>, u128) {
        (Reverse(self.value), self.turn.letters())
    }
}

/// A game between two sides that always choose the first of their ranked turns.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// The turns; each value is for the side that makes the turn, counted from there.
    pub turns: Vec<RankedTurn>,
    /// Why the line ends.
    pub end: LineEnd,
}

/// Why a [`Line`] ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LineEnd {
    /// The game is over: the side to move has lost, or the board is full.
    Over,
    /// The position is the one that was there before the turn with this number, counted from 0: a
    /// draw.
    Repetition {
        /// The number of the turn.
        from: usize,
    },
    /// The line is as long as was asked for.
    Limit,
}
