//! The databases of one set of rules: lists the files, and opens each when a question first needs it.

use std::collections::{BTreeMap, HashSet};
use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use crate::index::histogram::Histogram;
use crate::index::stages::StageSets;
use crate::index::{Material, Pair};
use crate::rules::Rules;
use crate::store::cache::{BlockCache, ValueCache};
use crate::store::source;
use crate::store::{self, Bundle, ByteSource, DbError, Location, PairFile, PlyFile};
use crate::value::Metric;

/// The files of the pairs with at most nine stones, part of the program.
#[cfg(feature = "embedded")]
const EMBEDDED: &[(&str, &[u8])] = &[
    ("3-3.mill", include_bytes!("../../db/3-3.mill")),
    ("4-3.mill", include_bytes!("../../db/4-3.mill")),
    ("4-4.mill", include_bytes!("../../db/4-4.mill")),
    ("5-3.mill", include_bytes!("../../db/5-3.mill")),
    ("5-4.mill", include_bytes!("../../db/5-4.mill")),
    ("6-3.mill", include_bytes!("../../db/6-3.mill")),
];
#[cfg(not(feature = "embedded"))]
const EMBEDDED: &[(&str, &[u8])] = &[];

/// A file that is opened when a question first needs it.
#[derive(Debug)]
pub(super) struct OnDemand<T> {
    origin: Origin,
    opened: OnceLock<Result<T, DbError>>,
}

/// Where the bytes of a file come from.
#[derive(Debug)]
enum Origin {
    /// The program.
    Embedded(&'static [u8]),
    /// The file at this path.
    File(PathBuf),
    /// A bundle or the caller of [`Database::with_file`]; the path stands for the file in errors.
    Caller(PathBuf, Arc<dyn ByteSource>),
}

/// What a file holds.
enum Contents {
    Pair(Pair),
    Ply(u8),
}

impl<T> OnDemand<T> {
    fn new(origin: Origin) -> OnDemand<T> {
        OnDemand {
            origin,
            opened: OnceLock::new(),
        }
    }

    /// The file, which the first call opens with `open`. The error of a file in a folder stays; the
    /// source of a caller is asked again, because it may have the bytes at the next call.
    #[inline]
    fn get(&self, open: impl FnOnce(&Origin) -> Result<T, DbError>) -> Result<&T, DbError> {
        let opened = match (self.opened.get(), &self.origin) {
            (Some(opened), _) => opened,
            (None, Origin::Caller(..)) => {
                let file = open(&self.origin)?;
                self.opened.get_or_init(|| Ok(file))
            }
            (None, _) => self.opened.get_or_init(|| open(&self.origin)),
        };
        opened.as_ref().map_err(DbError::clone)
    }

    /// Whether the file is part of the program.
    fn is_embedded(&self) -> bool {
        matches!(self.origin, Origin::Embedded(_))
    }

    /// The size in bytes; `None` if the system cannot read it.
    fn size(&self) -> Option<u64> {
        match &self.origin {
            Origin::Embedded(bytes) => Some(bytes.len() as u64),
            Origin::File(path) => Some(fs::metadata(path).ok()?.len()),
            Origin::Caller(_, source) => Some(source.size()),
        }
    }

    /// The source of a file that no question has opened, if a caller gave it.
    pub fn unopened(&self) -> Option<&dyn ByteSource> {
        match (&self.origin, self.opened.get()) {
            (Origin::Caller(_, source), None) => Some(&**source),
            _ => None,
        }
    }
}

/// The databases of one set of rules. Many threads may probe them at the same time. Long searches of the
/// placing phase start a second thread unless [`Database::on_one_thread`] forbids it.
///
/// A file is opened when a question first needs it. One that is damaged, for other rules or of another
/// version causes errors only for questions that need it.
pub struct Database {
    rules: Rules,
    folder: Option<PathBuf>,
    /// Whether `folder` is a bundle.
    is_bundle: bool,
    /// Whether a question may start a thread.
    pub(super) two_threads: bool,
    /// Indexed by [`store::slot`].
    pub(super) pairs: Vec<Option<Box<OnDemand<PairFile>>>>,
    pub(super) plies: BTreeMap<u8, OnDemand<PlyFile>>,
    /// Those of a game under the rules.
    all_pairs: OnceLock<HashSet<Pair>>,
    /// Up to the last ply that has a file.
    stage_sets: OnceLock<StageSets>,
    /// Set once a file without depths is met among files with depths.
    pub(super) lacks_depths: AtomicBool,
    files_hash: OnceLock<u64>,
    pub(super) blocks: BlockCache,
    pub(super) values: ValueCache,
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
            is_bundle: false,
            two_threads: true,
            pairs: (0..store::slots(&rules)).map(|_| None).collect(),
            plies: BTreeMap::new(),
            all_pairs: OnceLock::new(),
            stage_sets: OnceLock::new(),
            lacks_depths: AtomicBool::new(false),
            files_hash: OnceLock::new(),
            blocks: BlockCache::with_bytes(0),
            values: ValueCache::with_bytes(0),
        }
        .with_cache_bytes(Database::DEFAULT_CACHE_BYTES);
        let are_usable = rules.fingerprint() == Rules::STANDARD.fingerprint();
        let files = EMBEDDED.iter().filter(|_| are_usable);
        database.add_files(files.map(|&(name, bytes)| (name.into(), Origin::Embedded(bytes))));
        database
    }

    /// The databases that are part of the program; errors about missing files name the subfolder that the rules
    /// have in this folder.
    pub fn embedded_for(folder: &Path, rules: Rules) -> Database {
        Database {
            folder: Some(store::folder_of(folder, &rules)),
            ..Database::embedded(rules)
        }
    }

    /// The databases of a folder or of a [`Bundle`], and those that are part of the program for the pairs that it
    /// lacks. It looks for files in the folder itself; those of rules other than
    /// [`Rules::STANDARD`] are built in a subfolder, which [`Database::open_in`] finds.
    ///
    /// This lists the names in the folder and reads no file. A question opens the files that it needs:
    /// it checks the head and the size of each file, and rows when it reads them. Damage causes an error,
    /// never a wrong value. [`Database::unusable`] opens all files and lists those that cannot be used.
    ///
    /// # Errors
    ///
    /// [`DbError::Io`] if the folder cannot be read; for a file as [`Bundle::read`].
    pub fn open(folder: &Path, rules: Rules) -> Result<Database, DbError> {
        if folder.is_file() {
            let mut database = Database::of_bundle(&Bundle::open(folder)?, rules);
            (database.folder, database.is_bundle) = (Some(folder.to_path_buf()), true);
            return Ok(database);
        }
        let entries = fs::read_dir(folder).map_err(DbError::io(folder))?;
        let files = entries.map(|entry| {
            let entry = entry?;
            Ok((entry.file_name(), Origin::File(entry.path())))
        });
        let files: io::Result<Vec<_>> = files.collect();
        let mut database = Database {
            folder: Some(folder.to_path_buf()),
            ..Database::embedded(rules)
        };
        database.add_files(files.map_err(DbError::io(folder))?);
        Ok(database)
    }

    /// Adds files with these names, as far as databases of these rules can have them.
    fn add_files(&mut self, files: impl IntoIterator<Item = (OsString, Origin)>) {
        for (name, origin) in files {
            match name.to_str().and_then(|name| self.contents_of(name)) {
                Some(Contents::Pair(pair)) => {
                    self.pairs[store::slot(pair)] = Some(Box::new(OnDemand::new(origin)));
                }
                Some(Contents::Ply(ply)) => {
                    self.plies.insert(ply, OnDemand::new(origin));
                    self.stage_sets = OnceLock::new();
                }
                None => {}
            }
        }
    }

    /// What a file of these rules with this name holds; `None` if no file of theirs can have the name.
    fn contents_of(&self, name: &str) -> Option<Contents> {
        let pair = name
            .strip_suffix(".mill")
            .and_then(|name| name.parse().ok());
        let pair = pair.filter(|&pair| store::file_name(pair) == name && self.reaches(pair));
        let ply = || store::plies(&self.rules).find(|&ply| store::ply_file_name(ply) == name);
        pair.map(Contents::Pair)
            .or_else(|| ply().map(Contents::Ply))
    }

    /// Whether a file of these rules can have this name; others are never read.
    #[doc(hidden)]
    pub fn is_file_name(&self, name: &str) -> bool {
        self.contents_of(name).is_some()
    }

    /// Whether the pair belongs to a game under these rules.
    fn reaches(&self, pair: Pair) -> bool {
        let all = || Pair::all(&self.rules).into_iter().collect();
        self.all_pairs.get_or_init(all).contains(&pair)
    }

    /// The databases of these rules in a bundle, and those that are part of the program for the pairs that the
    /// bundle lacks.
    pub fn of_bundle(bundle: &Bundle, rules: Rules) -> Database {
        let mut database = Database::embedded(rules);
        let files = bundle.members_of(&rules);
        database.add_files(files.map(|(name, member)| {
            let origin = Origin::Caller(bundle.path_of(member), bundle.bytes_of(member));
            (name.into(), origin)
        }));
        database
    }

    /// The databases of these rules in a bundle or in a folder that may hold those of several, see
    /// [`store::folder_of`]; if it has none of these rules, those that are part of the program.
    ///
    /// # Errors
    ///
    /// As for [`Database::open`].
    pub fn open_in(folder: &Path, rules: Rules) -> Result<Database, DbError> {
        let own = store::folder_of(folder, &rules);
        if folder.is_file() || own == folder {
            return Database::open(folder, rules);
        }
        if own.exists() {
            return Database::open(&own, rules);
        }
        fs::read_dir(folder).map_err(DbError::io(folder))?;
        Ok(Database::embedded_for(folder, rules))
    }

    /// Other databases, opened as [`Database::open_in`] does, and on one thread if these are.
    ///
    /// # Errors
    ///
    /// As for [`Database::open`].
    pub(crate) fn reopen(&self, folder: &Path, rules: Rules) -> Result<Database, DbError> {
        let opened = Database::open_in(folder, rules)?;
        Ok(Database {
            two_threads: self.two_threads,
            ..opened
        })
    }

    /// The same databases with the files of another folder or bundle, opened as [`Database::open_in`] does, for the
    /// pairs and plies that have none of their own. The caches become empty ones of the default size.
    ///
    /// # Errors
    ///
    /// As for [`Database::open`].
    pub fn with_folder(mut self, folder: &Path) -> Result<Database, DbError> {
        let other = Database::open_in(folder, self.rules)?;
        for (own, other) in self.pairs.iter_mut().zip(other.pairs) {
            let lacks = own.as_deref().is_none_or(OnDemand::is_embedded);
            if lacks && other.as_deref().is_some_and(|file| !file.is_embedded()) {
                *own = other;
            }
        }
        for (ply, file) in other.plies {
            self.plies.entry(ply).or_insert(file);
        }
        self.stage_sets = OnceLock::new();
        Ok(self.with_cache_bytes(Database::DEFAULT_CACHE_BYTES))
    }

    /// The folder, the rules and the metric of the files. Errors about missing files contain a
    /// copy.
    pub fn location(&self) -> Location {
        Location {
            folder: self.folder.clone(),
            is_bundle: self.is_bundle,
            rules: self.rules,
            metric: self.metric(),
        }
    }

    /// The metric of the pairs' files, by the first of them: all files of a build have the same; the embedded ones do
    /// not count.
    fn metric(&self) -> Metric {
        let mut files = self.pairs().filter(|file| file.path().is_some());
        files.next().map_or(Metric::Depth, PairFile::metric)
    }

    /// The metric of values of the placing phase: without depths if the rules or the files have
    /// none, or once a file without them was met.
    pub(crate) fn placing_metric(&self) -> Metric {
        if self.lacks_depths.load(Ordering::Relaxed) {
            return Metric::Wdl;
        }
        let ply = self.plies().next().map_or(Metric::Depth, PlyFile::metric);
        let files = self.metric().common(ply);
        self.rules.placing_metric().common(files)
    }

    /// The same databases with caches of this size in bytes: three quarters for decoded blocks, the
    /// rest for values that were derived, searched or ranked.
    #[must_use]
    pub fn with_cache_bytes(mut self, bytes: usize) -> Database {
        self.set_cache_bytes(bytes);
        self
    }

    /// Replaces the caches by empty ones of this size, see [`Database::with_cache_bytes`].
    pub fn set_cache_bytes(&mut self, bytes: usize) {
        self.blocks = BlockCache::with_bytes(bytes - bytes / 4);
        self.values = ValueCache::with_bytes(bytes / 4);
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
    /// The source may lack bytes: where it reports [`WouldBlock`](io::ErrorKind::WouldBlock), questions
    /// fail with [`DbError::Pending`] and the ranges to fetch, see [`Pieces`](store::Pieces).
    ///
    /// Add all files before the first question: cached values stay.
    #[must_use]
    pub fn with_file(mut self, name: &str, source: Box<dyn ByteSource>) -> Database {
        self.add_files([(name.into(), Origin::Caller(name.into(), source.into()))]);
        self
    }

    /// The folder of the files or of the bundle, where a check or a repacking keeps intermediate tables.
    #[doc(hidden)]
    pub fn scratch_folder(&self) -> Option<PathBuf> {
        let folder = self.folder.as_deref();
        let folder = folder.and_then(|folder| match self.is_bundle {
            true => folder.parent(),
            false => Some(folder),
        });
        let folder = folder.filter(|folder| !folder.as_os_str().is_empty());
        folder.map(Path::to_path_buf)
    }

    /// The rules of the values.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Whether there is any file besides those that are part of the program, usable or not.
    pub fn has_own_files(&self) -> bool {
        let mut pairs = self.pairs.iter().flatten();
        pairs.any(|file| !file.is_embedded()) || !self.plies.is_empty()
    }

    /// The usable files of pairs, in the order of their pairs; this opens all files of pairs. Files whose
    /// heads have not arrived are not among them.
    pub fn pairs(&self) -> impl Iterator<Item = &PairFile> {
        self.present_pairs().filter_map(|pair| self.file(pair).ok())
    }

    /// The usable files of plies, in their order; this opens all files of plies. Files whose heads have
    /// not arrived are not among them.
    pub fn plies(&self) -> impl Iterator<Item = &PlyFile> {
        let plies = self.plies.keys();
        plies.filter_map(|&ply| self.ply(ply).ok().flatten())
    }

    /// A hash of the names and sizes of the files when it is first asked for; this opens none.
    #[doc(hidden)]
    pub fn files_hash(&self) -> u64 {
        *self.files_hash.get_or_init(|| {
            let pairs = self.pairs.iter().map(|file| file.as_deref()?.size());
            let plies = self.plies.iter().map(|(ply, file)| (ply, file.size()));
            let mut hash = DefaultHasher::new();
            (pairs.collect::<Vec<_>>(), plies.collect::<Vec<_>>()).hash(&mut hash);
            hash.finish()
        })
    }

    /// The reasons why existing files cannot be used: they are damaged, for other rules, or of another
    /// version. This opens all files.
    pub fn unusable(&self) -> impl Iterator<Item = DbError> {
        let pairs = self.present_pairs();
        let pairs = pairs.filter_map(|pair| self.file(pair).err());
        let plies = self.plies.keys();
        let plies = plies.filter_map(|&ply| self.ply(ply).err());
        let errors = pairs.chain(plies);
        errors.filter(|error| !matches!(error, DbError::Pending(_)))
    }

    /// Opens all files and prepares their tables, so that the first questions need not. This takes
    /// a few tenths of a second and reads no values. Files that cannot be used are skipped. Does
    /// nothing if pairs have stones in hand: then there are hundreds of files, of which each question
    /// opens a few.
    pub fn warm_up(&self) {
        if self.rules.pairs_have_hands() {
            return;
        }
        for file in self.pairs() {
            let _ = file.table();
        }
        for file in self.plies() {
            for stage in file.stages() {
                let _ = file.table(stage, self.stage_sets());
            }
        }
    }

    /// The pairs that have a file, usable or not, in their order.
    fn present_pairs(&self) -> impl Iterator<Item = Pair> {
        let files = self.pairs.iter().enumerate();
        files.filter_map(|(slot, file)| file.as_ref().and_then(|_| store::pair_of_slot(slot)))
    }

    /// The file of a pair; `None` if it has none, as the pairs of other rules.
    pub(super) fn on_demand(&self, pair: Pair) -> Option<&OnDemand<PairFile>> {
        self.pairs.get(store::slot(pair))?.as_deref()
    }

    /// Whether the database of a pair can be used.
    pub fn has(&self, pair: Pair) -> bool {
        // Most pairs that cannot be used have no file; the error that says so takes long to make.
        self.on_demand(pair).is_some() && self.file(pair).is_ok()
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
        match self.on_demand(pair) {
            Some(file) => file.get(|origin| {
                let (path, source) = self.bytes_of(origin, store::file_name(pair))?;
                PairFile::open(path, file.is_embedded(), source, pair, self.rules)
            }),
            None => Err(DbError::Missing {
                pair,
                location: self.location(),
            }),
        }
    }

    /// The file of a ply, `None` if there is none.
    ///
    /// # Errors
    ///
    /// The reason why the file cannot be used, as for [`Database::file`].
    pub fn ply(&self, ply: u8) -> Result<Option<&PlyFile>, DbError> {
        let open = |origin: &Origin| {
            let (path, source) = self.bytes_of(origin, store::ply_file_name(ply))?;
            PlyFile::open(path, source, ply, self.rules, self.stage_sets())
        };
        let file = self.plies.get(&ply);
        file.map(|file| file.get(open)).transpose()
    }

    /// The bytes of a file, and its path or else its name.
    fn bytes_of(
        &self,
        origin: &Origin,
        name: String,
    ) -> Result<(PathBuf, Box<dyn ByteSource>), DbError> {
        Ok(match origin {
            Origin::Embedded(bytes) => (format!("the embedded {name}").into(), Box::new(*bytes)),
            Origin::Caller(path, source) => (path.clone(), Box::new(Arc::clone(source))),
            Origin::File(path) => {
                let source = source::open(path).map_err(DbError::io(path))?;
                (path.clone(), source)
            }
        })
    }

    /// The sets of stones that games reach up to the last ply that has a file. The files of plies
    /// hold nothing else.
    pub(crate) fn stage_sets(&self) -> &StageSets {
        let last = || self.plies.last_key_value().map_or(0, |(&ply, _)| ply);
        self.stage_sets
            .get_or_init(|| StageSets::new(&self.rules, last()))
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
        let unreached =
            || DbError::NotStored("no game reaches these numbers of stones".to_string());
        let most = self.rules.stones;
        let is_possible =
            material.occurs(&self.rules) && material.totals().into_iter().all(|all| all <= most);
        let pair = material.pair().filter(|_| is_possible);
        let pair = pair.ok_or_else(unreached)?;
        match self.file(pair) {
            Err(DbError::Missing { .. }) if !self.reaches(pair) => Err(unreached()),
            file => file,
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
