//! The databases of one set of rules: finds the files and checks which of them can be used.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use crate::board::PointSet;
use crate::index::histogram::Histogram;
use crate::index::reachable::{Reachable, Stage};
use crate::index::{Material, Pair, Rows};
use crate::rules::Rules;
use crate::rules::position::Position;
use crate::store::cache::{BlockCache, ValueCache};
use crate::store::source::{self, Access};
use crate::store::{self, ByteSource, DbError, Location, NeededRange, PairFile, PlyFile};
use crate::value::Metric;

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

/// A file, or the reason why it cannot be used.
type Opened<T> = Result<T, DbError>;

/// An existing file.
#[derive(Debug)]
enum Slot<T> {
    Opened(Opened<T>),
    /// Its head had not arrived. A head that turns out to be wrong is requested again.
    Awaited {
        source: Arc<dyn ByteSource>,
        opened: OnceLock<T>,
    },
}

impl<T> Slot<T> {
    /// Opens the file, as far as its head is there.
    fn new(
        source: Box<dyn ByteSource>,
        open: impl FnOnce(Box<dyn ByteSource>) -> Opened<T>,
    ) -> Slot<T> {
        let source: Arc<dyn ByteSource> = source.into();
        match open(Box::new(source.clone())) {
            Err(DbError::Pending(_)) => Slot::Awaited {
                source,
                opened: OnceLock::new(),
            },
            opened => Slot::Opened(opened),
        }
    }

    /// The file, opened now if its head has come.
    fn file(&self, open: impl FnOnce(Box<dyn ByteSource>) -> Opened<T>) -> Result<&T, DbError> {
        match self {
            Slot::Opened(Ok(file)) => Ok(file),
            Slot::Opened(Err(error)) => Err(error.clone()),
            Slot::Awaited { source, opened } => match opened.get() {
                Some(file) => Ok(file),
                None => {
                    let file = open(Box::new(source.clone()))?;
                    Ok(opened.get_or_init(|| file))
                }
            },
        }
    }

    /// The file, if it was opened and can be used.
    fn usable(&self) -> Option<&T> {
        match self {
            Slot::Opened(opened) => opened.as_ref().ok(),
            Slot::Awaited { opened, .. } => opened.get(),
        }
    }

    /// The page of the directory with a row of a file that was not opened because its head has not
    /// arrived, if the source knows the length of the head and lacks the page; the rest as for
    /// [`store::expected_page`].
    fn foreseen_page(
        &self,
        name: String,
        before: impl Iterator<Item = usize>,
        row: usize,
        rows: usize,
    ) -> Option<NeededRange> {
        let source = match self {
            Slot::Awaited { source, opened } if opened.get().is_none() => source,
            _ => return None,
        };
        let (start, length) = store::expected_page(source.head_bytes()?, before, row, rows);
        let lacks = || match source.read(start, length as usize) {
            Ok(_) => false,
            Err(error) => error.kind() == io::ErrorKind::WouldBlock,
        };
        (start + length <= source.size() && lacks()).then(|| NeededRange {
            file: name.into(),
            start,
            length,
        })
    }

    fn error(&self) -> Option<&DbError> {
        match self {
            Slot::Opened(opened) => opened.as_ref().err(),
            Slot::Awaited { .. } => None,
        }
    }
}

/// The databases of one set of rules. Many threads may probe them at the same time. Long searches of the
/// placing phase start a second thread unless [`Database::on_one_thread`] forbids it.
///
/// A file that is damaged, for other rules or of another version causes errors only for queries that need
/// it.
pub struct Database {
    rules: Rules,
    folder: Option<PathBuf>,
    access: Access,
    /// Whether a question may start a thread.
    pub(super) two_threads: bool,
    /// Indexed by [`store::slot`].
    pairs: Vec<Option<Slot<PairFile>>>,
    /// Opened at the first query.
    plies: OnceLock<Plies>,
    pub(super) blocks: BlockCache,
    pub(super) values: ValueCache,
}

/// The files of the placing phase.
#[derive(Debug)]
pub(crate) struct Plies {
    rules: Rules,
    pub reachable: Reachable,
    /// Indexed by ply.
    files: Vec<Option<Slot<PlyFile>>>,
}

impl Plies {
    /// The file of a ply, `None` if there is none.
    pub fn file(&self, ply: u8) -> Option<Result<&PlyFile, DbError>> {
        let slot = self.files.get(usize::from(ply))?.as_ref()?;
        Some(slot.file(|source| {
            let name = PathBuf::from(store::ply_file_name(ply));
            PlyFile::open(name, source, ply, self.rules, &self.reachable)
        }))
    }

    /// The page of the directory that a set of the side to move needs, as far as it is known while
    /// the head of the file has not arrived.
    pub(super) fn foreseen_page(&self, stage: Stage, mover: PointSet) -> Option<NeededRange> {
        let slot = self.files.get(usize::from(stage.ply))?.as_ref()?;
        let stored = |stage: Stage| self.reachable.rows(stage, stage.mover());
        let before = self.reachable.stages_of(stage.ply);
        let before = before.take_while(|&other| other != stage);
        let before = before.map(|stage| stored(stage).len());
        let (row, _) = Rows::of(stage.stones(stage.mover())).find(mover);
        let place = stored(stage)
            .iter()
            .take_while(|&other| other < row)
            .count();
        let rows = stored(stage).len();
        let page = || slot.foreseen_page(store::ply_file_name(stage.ply), before, place, rows);
        (place < rows).then(page).flatten()
    }

    /// Whether the files hold a position without a pending removal or what follows from it, as far as
    /// there are files of these plies. They omit what no game reaches, see [`Reachable`]; after the last
    /// file and at the end of the game this makes no difference.
    pub(super) fn cover(&self, position: &Position) -> bool {
        let stage = Stage::of(position, &self.rules);
        let contains = |side, set| self.reachable.contains(stage, side, set);
        let (mover, waiting) = (stage.mover(), stage.mover().other());
        let is_after = usize::from(stage.ply) >= self.files.len();
        stage.is_of(position, &self.rules)
            && (is_after
                || self.reachable.ends_game(stage)
                || contains(mover, position.mover()) && contains(waiting, position.waiting()))
    }

    /// The smallest ply from `ply` on that has a file; `None` if there is none.
    pub fn next(&self, ply: u8) -> Option<u8> {
        (ply..self.files.len() as u8).find(|&ply| self.files[usize::from(ply)].is_some())
    }
}

impl Database {
    /// The default size of the caches for decoded blocks and for values, in bytes; see
    /// [`Database::with_cache_bytes`].
    pub const DEFAULT_CACHE_BYTES: usize = 256 << 20;

    /// The databases that are part of the program: with the feature `embedded` and the standard
    /// rules of the moving phase, the pairs with at most nine stones; otherwise none.
    pub fn embedded(rules: Rules) -> Database {
        let mut database = Database {
            rules,
            folder: None,
            access: Access::Read,
            two_threads: true,
            pairs: (0..store::SLOTS).map(|_| None).collect(),
            plies: OnceLock::new(),
            blocks: BlockCache::with_bytes(0),
            values: ValueCache::with_bytes(0),
        }
        .with_cache_bytes(Database::DEFAULT_CACHE_BYTES);
        for &(larger, smaller, bytes) in EMBEDDED {
            if let Some(pair) = Pair::new(larger, smaller).filter(|_| larger <= rules.stones) {
                let file = PairFile::open(None, Box::new(bytes), pair, rules);
                database.pairs[store::slot(pair)] = file.ok().map(|file| Slot::Opened(Ok(file)));
            }
        }
        database
    }

    /// The databases of a folder, and those that are part of the program for the pairs that the
    /// folder lacks. It looks for files in the folder itself; those of rules other than
    /// [`Rules::STANDARD`] are built in a subfolder, which [`Database::open_in`] finds.
    ///
    /// Opening is cheap: it checks the head and the size of each file; rows are checked when they
    /// are read. Damage to an open file causes an error, never a wrong value.
    /// [`Database::unusable`] lists files that cannot be used.
    ///
    /// # Errors
    ///
    /// [`DbError::Io`] if the folder cannot be read.
    pub fn open(folder: &Path, rules: Rules) -> Result<Database, DbError> {
        Database::open_with(folder, rules, Access::Read)
    }

    /// The databases of these rules in a folder that may hold those of several, see
    /// [`store::folder_of`]; if it has none of these rules, those that are part of the program.
    ///
    /// # Errors
    ///
    /// As for [`Database::open`].
    pub fn open_in(folder: &Path, rules: Rules) -> Result<Database, DbError> {
        Database::open_in_with(folder, rules, Access::Read)
    }

    /// [`Database::open`] with the files mapped into memory, which spares the system calls for each
    /// block that is not in the cache.
    ///
    /// # Errors
    ///
    /// As for [`Database::open`].
    ///
    /// # Safety
    ///
    /// While these databases, or databases that [`Database::reopen`] made from them, are open,
    /// files may be replaced or removed, but nothing may write to them or shorten them.
    pub unsafe fn open_mapped(folder: &Path, rules: Rules) -> Result<Database, DbError> {
        Database::open_with(folder, rules, Access::Map)
    }

    /// [`Database::open_in`] with the files mapped into memory.
    ///
    /// # Errors
    ///
    /// As for [`Database::open`].
    ///
    /// # Safety
    ///
    /// As for [`Database::open_mapped`].
    pub unsafe fn open_in_mapped(folder: &Path, rules: Rules) -> Result<Database, DbError> {
        Database::open_in_with(folder, rules, Access::Map)
    }

    /// Other databases, opened as [`Database::open_in`] does, and mapped and on one thread if these are.
    ///
    /// # Errors
    ///
    /// As for [`Database::open`].
    pub fn reopen(&self, folder: &Path, rules: Rules) -> Result<Database, DbError> {
        let opened = Database::open_in_with(folder, rules, self.access)?;
        Ok(Database {
            two_threads: self.two_threads,
            ..opened
        })
    }

    fn open_in_with(folder: &Path, rules: Rules, access: Access) -> Result<Database, DbError> {
        let own = store::folder_of(folder, &rules);
        if own == folder || own.exists() {
            return Database::open_with(&own, rules, access);
        }
        std::fs::read_dir(folder).map_err(DbError::io(folder))?;
        Ok(Database {
            folder: Some(own),
            access,
            ..Database::embedded(rules)
        })
    }

    fn open_with(folder: &Path, rules: Rules, access: Access) -> Result<Database, DbError> {
        std::fs::read_dir(folder).map_err(DbError::io(folder))?;
        let mut database = Database::embedded(rules);
        database.folder = Some(folder.to_path_buf());
        database.access = access;
        for pair in Pair::all(rules.stones) {
            let path = folder.join(store::file_name(pair));
            let open = |source| PairFile::open(Some(path.clone()), source, pair, rules);
            if let Some(file) = open_file(&path, access, open) {
                database.pairs[store::slot(pair)] = Some(Slot::Opened(file));
            }
        }
        Ok(database)
    }

    /// The folder, the rules and the contents of the files, of which errors about missing files have
    /// a copy.
    pub fn location(&self) -> Location {
        Location {
            folder: self.folder.clone(),
            rules: self.rules,
            metric: self.metric(),
        }
    }

    /// The contents of the pairs' files. All files of a folder have the same; the built-in ones do not
    /// count.
    fn metric(&self) -> Metric {
        let mut files = self.pairs().filter(|file| file.path().is_some());
        files.next().map_or(Metric::Depth, PairFile::metric)
    }

    /// The same databases with caches of this size in bytes: three quarters for decoded blocks, the
    /// rest for values that were derived, searched or ranked.
    #[must_use]
    pub fn with_cache_bytes(self, bytes: usize) -> Database {
        Database {
            blocks: BlockCache::with_bytes(bytes - bytes / 4),
            values: ValueCache::with_bytes(bytes / 4),
            ..self
        }
    }

    /// The same databases, which answer every question on the thread that asks it. Otherwise a second one
    /// joins a search of the placing phase that takes more than a millisecond.
    #[must_use]
    pub fn on_one_thread(self) -> Database {
        Database {
            two_threads: false,
            ..self
        }
    }

    /// The same databases with one more file, as if the bytes of `source` lay in the folder under
    /// this name, such as `9-8.mill` or `placing-14.mill`. It replaces a file of the same name; if
    /// it is damaged, it is unusable like any other file. A name that no file of these rules can
    /// have changes nothing.
    ///
    /// The source may lack bytes: if it answers [`WouldBlock`](std::io::ErrorKind::WouldBlock), the
    /// questions that need them answer [`DbError::Pending`] with the ranges to fetch, see
    /// [`Pieces`](store::Pieces).
    ///
    /// Add all files before the first query: cached answers stay.
    #[must_use]
    pub fn with_file(mut self, name: &str, source: Box<dyn ByteSource>) -> Database {
        let rules = self.rules;
        let path = PathBuf::from(name);
        let mut pairs = Pair::all(rules.stones).into_iter();
        let pair = pairs.find(|&pair| store::file_name(pair) == name);
        let ply = (0..2 * rules.stones).find(|&ply| store::ply_file_name(ply) == name);
        if let Some(pair) = pair {
            let open = |source| PairFile::open(Some(path), source, pair, rules);
            self.pairs[store::slot(pair)] = Some(Slot::new(source, open));
        } else if let Some(ply) = ply {
            let plies = self.plies.take();
            let mut plies = plies.unwrap_or_else(|| self.open_plies());
            let place = usize::from(ply);
            if place >= plies.files.len() {
                plies.reachable.extend(&rules, ply);
                plies.files.resize_with(place + 1, || None);
            }
            let open = |source| PlyFile::open(path, source, ply, rules, &plies.reachable);
            plies.files[place] = Some(Slot::new(source, open));
            self.plies = OnceLock::from(plies);
        }
        self
    }

    /// The rules of the values.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// The usable files of pairs, in the order of their pairs. A file whose head has not arrived is not
    /// among them.
    pub fn pairs(&self) -> impl Iterator<Item = &PairFile> {
        self.pairs.iter().flatten().filter_map(Slot::usable)
    }

    /// The usable files of plies, in their order. A file whose head has not arrived is not among them.
    pub fn plies(&self) -> impl Iterator<Item = &PlyFile> {
        let files = self.placing().into_iter().flat_map(|plies| &plies.files);
        files.flatten().filter_map(Slot::usable)
    }

    /// The file of a ply, `None` if there is none.
    ///
    /// # Errors
    ///
    /// The reason why the file cannot be used, as for [`Database::file`].
    pub fn ply(&self, ply: u8) -> Result<Option<&PlyFile>, DbError> {
        let file = self.placing().and_then(|plies| plies.file(ply));
        file.transpose()
    }

    /// The reasons why existing files cannot be used: they are damaged, for other rules, or
    /// of another version.
    pub fn unusable(&self) -> impl Iterator<Item = &DbError> {
        let pairs = self.pairs.iter().flatten().filter_map(Slot::error);
        let plies = self.placing().into_iter().flat_map(|plies| &plies.files);
        pairs.chain(plies.flatten().filter_map(Slot::error))
    }

    /// Whether the database of a pair can be used.
    pub fn has(&self, pair: Pair) -> bool {
        self.file(pair).is_ok()
    }

    /// The file of a pair.
    ///
    /// # Errors
    ///
    /// [`DbError::Missing`] if there is none; otherwise the reason why it cannot be used:
    /// [`DbError::Corrupt`], [`DbError::OtherRules`], [`DbError::OtherVersion`] or [`DbError::Io`];
    /// [`DbError::Pending`] if its head has not arrived.
    #[inline]
    pub fn file(&self, pair: Pair) -> Result<&PairFile, DbError> {
        match &self.pairs[store::slot(pair)] {
            Some(slot) => slot.file(|source| {
                let name = PathBuf::from(store::file_name(pair));
                PairFile::open(Some(name), source, pair, self.rules)
            }),
            None => Err(DbError::Missing {
                pair,
                location: self.location(),
            }),
        }
    }

    /// The page of the directory that a set of the larger side needs, as far as it is known while
    /// the head of the pair's file has not arrived.
    pub(super) fn foreseen_page(&self, pair: Pair, mover: PointSet) -> Option<NeededRange> {
        let slot = self.pairs[store::slot(pair)].as_ref()?;
        let rows = Rows::of(pair.larger());
        let (row, _) = rows.find(mover);
        slot.foreseen_page(store::file_name(pair), std::iter::empty(), row, rows.len())
    }

    /// The number of positions with each value in a table. If the file holds no depths, all wins
    /// count as wins in one turn and all losses as losses in none.
    ///
    /// # Errors
    ///
    /// As for [`Database::file`], or [`DbError::NotStored`] if there is no such table under these
    /// rules.
    pub fn histogram(&self, material: Material) -> Result<&Histogram, DbError> {
        Ok(self.file_of(material)?.histogram(material))
    }

    /// The file that stores a table or implies it.
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

    /// The files of the placing phase in the same folder; `None` if there is none.
    pub(crate) fn placing(&self) -> Option<&Plies> {
        let plies = self.plies.get_or_init(|| self.open_plies());
        (!plies.files.is_empty()).then_some(plies)
    }

    fn open_plies(&self) -> Plies {
        let path = |ply| Some(self.folder.as_ref()?.join(store::ply_file_name(ply)));
        let there = |&ply: &u8| path(ply).is_some_and(|path| path.exists());
        let last = (0..2 * self.rules.stones).rev().find(there);
        let reachable = Reachable::new(&self.rules, last.unwrap_or(0));
        let open = |ply| {
            let path = path(ply)?;
            let open = |source| PlyFile::open(path.clone(), source, ply, self.rules, &reachable);
            open_file(&path, self.access, open).map(Slot::Opened)
        };
        let files = last.map_or(Vec::new(), |last| (0..=last).map(open).collect());
        Plies {
            rules: self.rules,
            reachable,
            files,
        }
    }
}

impl fmt::Debug for Database {
    /// Prints only the rules and the folder, because the files would fill pages.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = f.debug_struct("Database");
        text.field("rules", &self.rules)
            .field("folder", &self.folder);
        text.finish_non_exhaustive()
    }
}

/// Opens a file; `None` if there is none.
fn open_file<T>(
    path: &Path,
    access: Access,
    open: impl FnOnce(Box<dyn ByteSource>) -> Result<T, DbError>,
) -> Option<Opened<T>> {
    match source::open(path, access) {
        Ok(source) => source.map(open),
        Err(error) => Some(Err(DbError::io(path)(error))),
    }
}
