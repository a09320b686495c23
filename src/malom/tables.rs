//! The values of a sector: all of them, a row, or one.
//!
//! ```text
//! sector                                 rows                    all values
//! larger side to move, 3-3               from the file           from the file
//! equal sides, the smallest files        -                       the file's, the omitted ones filled in
//! smaller side to move                   -                       one turn of search over two tables
//! placing, the ply has a file            from the file           from the file
//! placing, the ply has none              -                       one turn of search over two tables
//! ```
//!
//! One value alone is a probe, whatever the sector.

use std::sync::{Arc, Mutex, OnceLock};

use super::scheme::Scheme;
use super::sector::Sector;
use crate::board::PointSet;
use crate::index::Pair;
use crate::index::stages::{Stage, StageSets};
use crate::lock::locked;
use crate::memory::Bytes;
use crate::probe::Database;
use crate::rules::Rules;
use crate::rules::position::Position;
use crate::solve::{Loader, Recipe, ply};
use crate::store::DbError;
use crate::store::codec::Coverage;
use crate::value::{Metric, Value};

/// All sectors whose values the databases have. Many threads may use them at the same time.
#[derive(Debug)]
pub struct Sectors {
    database: Database,
    scheme: Scheme,
    /// The sets that each side can have while placing.
    stage_sets: OnceLock<StageSets>,
    /// The bytes that whole sectors may take.
    memory: u64,
    /// Whole sectors, the one used last at the end.
    whole: Mutex<Vec<(Sector, Arc<Bytes>)>>,
    /// Locked while a sector is made, so that only one takes the memory for that.
    making: Mutex<()>,
}

/// The most placements to the next file or to the moving phase for which a sector is offered.
const MOST_PLACEMENTS: u8 = 3;

impl Sectors {
    /// The bytes that whole sectors take in memory unless [`Sectors::with_memory`] says otherwise:
    /// as many as making the largest takes.
    pub const DEFAULT_MEMORY: u64 = 2 << 30;

    /// The sectors of these databases, with keys by this scheme.
    ///
    /// # Errors
    ///
    /// [`DbError::NotStored`] if the databases are not those of the standard rules, with nine stones a
    /// side or fewer.
    pub fn new(database: Database, scheme: Scheme) -> Result<Sectors, DbError> {
        let stones = database.rules().stones;
        let standard = Rules {
            stones,
            ..Rules::STANDARD
        };
        if *database.rules() != standard || stones > Rules::STANDARD.stones {
            let what = "sector files are made for the standard rules only";
            return Err(DbError::NotStored(what.to_owned()));
        }
        Ok(Sectors {
            database,
            scheme,
            stage_sets: OnceLock::new(),
            memory: Sectors::DEFAULT_MEMORY,
            whole: Mutex::default(),
            making: Mutex::default(),
        })
    }

    /// The same sectors with another bound for the bytes that whole sectors may take. A sector that
    /// does not fit is made slot by slot when it is read from beginning to end, which takes many
    /// times as long.
    #[must_use]
    pub fn with_memory(self, bytes: u64) -> Sectors {
        Sectors {
            memory: bytes,
            ..self
        }
    }

    /// The databases.
    pub fn database(&self) -> &Database {
        &self.database
    }

    /// The keys.
    pub fn scheme(&self) -> &Scheme {
        &self.scheme
    }

    /// The sectors whose values the databases have.
    pub fn available(&self) -> Vec<Sector> {
        let all = Sector::all().iter().copied();
        all.filter(|&sector| self.check(sector).is_ok()).collect()
    }

    /// Checks that the databases have the files from which the values of a sector follow.
    ///
    /// # Errors
    ///
    /// [`DbError::Missing`] if a pair is missing, [`DbError::NoDepths`] if a file has no depths,
    /// [`DbError::MissingPlies`] if the placing phase is missing, and why a file cannot be used.
    pub fn check(&self, sector: Sector) -> Result<(), DbError> {
        Loader::new(self, &[sector]).map(drop)
    }

    /// Checks that the file of a sector is there and has depths, or, for a ply without a file, that
    /// the next one is near.
    fn check_files(&self, sector: Sector) -> Result<(), DbError> {
        let database = &self.database;
        let Some(Stage { ply: from, .. }) = self.stage(sector)? else {
            let file = database.file_of(sector.material())?;
            return file.check_metric(Metric::Depth);
        };
        let plies = database.rules().placements();
        for ply in from..plies.min(from + MOST_PLACEMENTS) {
            if let Some(file) = database.ply(ply)? {
                return match file.metric() {
                    Metric::Depth => Ok(()),
                    Metric::Wdl => Err(DbError::NotStored(format!(
                        "{} holds no depths",
                        file.path().display()
                    ))),
                };
            }
        }
        if from + MOST_PLACEMENTS < plies {
            return Err(DbError::MissingPlies {
                ply: Some(from),
                location: database.location(),
            });
        }
        // The last placements lead to almost all pairs.
        let mut pairs = Pair::all(database.rules()).into_iter();
        pairs.try_for_each(|pair| database.file(pair)?.check_metric(Metric::Depth))
    }

    /// The stage of a sector, which the game must have; `None` without stones in hand.
    pub(super) fn stage(&self, sector: Sector) -> Result<Option<Stage>, DbError> {
        let stones = self.database.rules().stones;
        match sector.stage(stones) {
            _ if sector.is_moving() => Ok(None),
            Some(stage) => Ok(Some(stage)),
            None => Err(DbError::NotStored(format!(
                "no game with {stones} stones has the sector {sector}"
            ))),
        }
    }

    pub(super) fn stage_sets(&self) -> &StageSets {
        let rules = self.database.rules();
        self.stage_sets
            .get_or_init(|| StageSets::new(rules, rules.placements()))
    }

    /// The position of a slot of a sector with this stage. Without stones in hand White is to move.
    pub(super) fn position(
        &self,
        stage: Option<Stage>,
        mover: PointSet,
        waiting: PointSet,
    ) -> Position {
        match stage {
            None => Position::moving(mover, waiting),
            Some(stage) => stage.position(mover, waiting, self.database.rules()),
        }
    }

    /// The value byte of one slot, by a probe; that of a draw where no game reaches the position.
    pub(super) fn value(
        &self,
        sector: Sector,
        mover: PointSet,
        waiting: PointSet,
    ) -> Result<u8, DbError> {
        let stage = self.stage(sector)?;
        if let Some(stage) = stage
            && !self.stage_sets().allows(stage, mover, waiting)
        {
            return Ok(0);
        }
        let position = self.position(stage, mover, waiting);
        let value: Value = self.database.probe(&position)?;
        let too_deep = || DbError::NotStored("a value is too deep for a slot".to_owned());
        value.to_byte().ok_or_else(too_deep)
    }

    /// Fills the values of a row from the file that has them; `false` if none has.
    pub(super) fn row(
        &self,
        sector: Sector,
        row: usize,
        values: &mut [u8],
    ) -> Result<bool, DbError> {
        let database = &self.database;
        let table = match self.stage(sector)? {
            Some(stage) => match database.ply(stage.ply)? {
                Some(file) => file.table(stage, database.stage_sets())?,
                None => None,
            },
            None => {
                let (material, file) = (sector.material(), database.file_of(sector.material())?);
                let has_all = !material.is_derived(self.database.rules())
                    && matches!(file.coverage(), Coverage::All);
                has_all.then(|| file.table()).transpose()?
            }
        };
        let decoded = table.map(|table| table.decode_row(row, values));
        Ok(decoded.transpose()?.is_some())
    }

    /// All values of a sector if they were made and are kept.
    pub(super) fn kept(&self, sector: Sector) -> Option<Arc<Bytes>> {
        let mut whole = locked(&self.whole);
        let place = whole.iter().position(|(other, _)| *other == sector)?;
        whole[place..].rotate_left(1);
        whole.last().map(|(_, values)| Arc::clone(values))
    }

    /// All values of a sector, made now if no other thread has made them; `None` if that takes more
    /// memory than there is.
    pub(super) fn keep(&self, sector: Sector) -> Result<Option<Arc<Bytes>>, DbError> {
        let needed = Recipe::needs(&self, sector)?.into_iter();
        let needed = needed.map(Sector::slots);
        let needed = sector.slots() + needed.sum::<u64>();
        if needed > self.memory {
            return Ok(None);
        }
        let _making = locked(&self.making);
        if let Some(values) = self.kept(sector) {
            return Ok(Some(values));
        }
        // Room for the new one, and for what it is made from.
        let bytes = |whole: &[(Sector, Arc<Bytes>)]| -> u64 {
            whole.iter().map(|(_, values)| values.len() as u64).sum()
        };
        let mut whole = locked(&self.whole);
        while !whole.is_empty() && bytes(&whole) + needed > self.memory {
            whole.remove(0);
        }
        drop(whole);
        let values = Arc::new(Loader::new(self, &[sector])?.load(sector)?);
        locked(&self.whole).push((sector, Arc::clone(&values)));
        Ok(Some(values))
    }
}

impl Recipe for &Sectors {
    type Key = Sector;

    /// The sectors from which all values of a sector are derived; none if a file has them.
    fn needs(&self, sector: Sector) -> Result<Vec<Sector>, DbError> {
        self.check_files(sector)?;
        let database = &self.database;
        let Some(stage) = self.stage(sector)? else {
            let tables = database.needs(sector.material())?;
            return Ok(tables.into_iter().filter_map(Sector::of).collect());
        };
        if database.ply(stage.ply)?.is_some() || !self.stage_sets().exists(stage) {
            return Ok(Vec::new());
        }
        let stones = database.rules().stones;
        let next = self.stage_sets().after(stage).into_iter().flatten();
        let next = next.map(|next| next.table(stones));
        Ok(next.filter_map(Sector::of).collect())
    }

    /// All values of a sector; those of draws where our files have none.
    fn make(&mut self, sector: Sector, needed: Vec<Bytes>) -> Result<Bytes, DbError> {
        let mut database = &self.database;
        let Some(stage) = self.stage(sector)? else {
            return database.make(sector.material(), needed);
        };
        let exists = self.stage_sets().exists(stage);
        if exists && database.ply(stage.ply)?.is_some() {
            return ply::load(database, stage, Metric::Depth);
        }
        let (rules, metric, stage_sets) = (database.rules(), Metric::Depth, self.stage_sets());
        let mut needed = needed.iter().map(|values| &values[..]);
        let [quiet, captures] = stage_sets
            .after(stage)
            .map(|next| next.and_then(|_| needed.next()));
        let made = match exists {
            true => ply::solve_stage(rules, metric, stage_sets, stage, quiet, captures),
            false => Bytes::new(sector.slots() as usize),
        };
        made.map_err(DbError::io(sector.name().as_ref()))
    }
}
