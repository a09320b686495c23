//! Loads whole tables from the files, with omitted values filled in.

use std::collections::HashMap;
use std::hash::Hash;
use std::io;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::compressed::{Compressed, CompressedFile};
use super::derive::{LoadExit, derive, exits_to_fill, fill_omitted};
use crate::index::{Material, Pair};
use crate::memory::Bytes;
use crate::probe::{Bitbase, Database};
use crate::rules::Rules;
use crate::store::DbError;
use crate::store::codec::Coverage;
use crate::store::pair::stored_table;
use crate::value::Metric;

/// All values of a table, in the order of its [`Index`](crate::index::Index). If the files hold no
/// depths, all wins are wins in one turn and all losses are losses in none.
///
/// # Errors
///
/// [`DbError::Missing`] if there is no file of the table's pair or, if values have to be derived,
/// of the pair that captures lead to; [`DbError::NotStored`] if there is no such table under these
/// rules; [`DbError::Corrupt`], [`DbError::Io`].
pub fn load(db: &Database, material: Material) -> Result<Bytes, DbError> {
    Loader::new(db, &[material])?.load(material)
}

/// A way to make whole tables, some of them from others.
pub(crate) trait Recipe {
    /// Identifies a table.
    type Key: Copy + Eq + Hash;

    /// The tables that a table is made from; none if a file holds all of it.
    fn needs(&self, key: Self::Key) -> Result<Vec<Self::Key>, DbError>;

    /// All values of a table, from the tables that it needs.
    fn make(&mut self, key: Self::Key, needed: Vec<Bytes>) -> Result<Bytes, DbError>;

    /// The folder for tables that do not fit in memory, if making them again would take too long.
    fn scratch(&self) -> Option<PathBuf> {
        None
    }
}

/// Makes whole tables in an order that is known in advance, and keeps those that are needed again,
/// as results or to make others.
pub(crate) struct Loader<R: Recipe> {
    pub recipe: R,
    /// The number of further uses of each table.
    uses: HashMap<R::Key, u32>,
    kept: Kept<R::Key>,
}

/// The most bytes of compressed tables that a loader keeps.
pub(super) const MOST_KEPT: usize = 1 << 30;

impl<R: Recipe> Loader<R> {
    /// A loader for these tables, in the order in which they will be loaded.
    pub fn new(recipe: R, wanted: &[R::Key]) -> Result<Loader<R>, DbError> {
        Loader::with(recipe, wanted, Kept::default())
    }

    /// [`Loader::new`] with tables that were made before.
    pub fn with(recipe: R, wanted: &[R::Key], kept: Kept<R::Key>) -> Result<Loader<R>, DbError> {
        let mut loader = Loader {
            recipe,
            uses: HashMap::new(),
            kept,
        };
        for &key in wanted {
            loader.count(key)?;
        }
        Ok(loader)
    }

    /// Counts a use of a table. Only the first use needs the tables that it is made from.
    fn count(&mut self, key: R::Key) -> Result<(), DbError> {
        let uses = self.uses.entry(key).or_default();
        *uses += 1;
        if *uses == 1 && !self.kept.has(key) {
            for needed in self.recipe.needs(key)? {
                self.count(needed)?;
            }
        }
        Ok(())
    }

    /// All values of a table.
    pub fn load(&mut self, key: R::Key) -> Result<Bytes, DbError> {
        let uses = self.uses.entry(key).or_default();
        *uses = uses.saturating_sub(1);
        let again = *uses > 0;
        // One that cannot be read, or for which there is no memory, is made again.
        let kept = self.kept.get(key).and_then(Result::ok);
        if !again {
            self.kept.forget(key);
        }
        if let Some(values) = kept {
            return Ok(values);
        }
        let needed = self.recipe.needs(key)?.into_iter();
        let needed = needed.map(|needed| self.load(needed));
        let needed = needed.collect::<Result<_, _>>()?;
        let values = self.recipe.make(key, needed)?;
        if again {
            let is_full = self.kept.bytes >= MOST_KEPT;
            match self.recipe.scratch().filter(|_| is_full) {
                // Without a file, the table is made again.
                Some(folder) => drop(self.kept.add_to_file(key, &values, &folder)),
                None if is_full => {}
                None => self.kept.add(key, &values),
            }
        }
        Ok(values)
    }
}

/// Compressed tables, in memory or in files without names.
#[derive(Debug)]
pub(crate) struct Kept<K> {
    tables: HashMap<K, KeptTable>,
    /// The bytes of those in memory.
    bytes: usize,
}

#[derive(Debug)]
enum KeptTable {
    InMemory(Compressed),
    InFile(CompressedFile),
}

impl<K> Default for Kept<K> {
    fn default() -> Kept<K> {
        let tables = HashMap::new();
        Kept { tables, bytes: 0 }
    }
}

impl<K: Copy + Eq + Hash> Kept<K> {
    /// Adds a table that is not kept yet. One that cannot be compressed is made again when it is
    /// needed.
    pub fn add(&mut self, key: K, values: &[u8]) {
        if !self.has(key)
            && let Ok(table) = Compressed::new(values)
        {
            self.bytes += table.bytes().len();
            self.tables.insert(key, KeptTable::InMemory(table));
        }
    }

    /// Adds a table that is not kept yet, in a file in this folder.
    fn add_to_file(&mut self, key: K, values: &[u8], folder: &Path) -> io::Result<()> {
        if !self.has(key) {
            let file = CompressedFile::write(folder, values)?;
            self.tables.insert(key, KeptTable::InFile(file));
        }
        Ok(())
    }

    /// Whether a table is kept.
    pub fn has(&self, key: K) -> bool {
        self.tables.contains_key(&key)
    }

    /// The values of a table; `None` if it is not kept.
    fn get(&self, key: K) -> Option<io::Result<Bytes>> {
        Some(match self.tables.get(&key)? {
            KeptTable::InMemory(table) => table.unpack(),
            KeptTable::InFile(file) => file.read(),
        })
    }

    /// Drops a table.
    fn forget(&mut self, key: K) {
        if let Some(KeptTable::InMemory(table)) = self.tables.remove(&key) {
            self.bytes -= table.bytes().len();
        }
    }
}

impl Recipe for &Database {
    type Key = Material;

    /// The tables that a table is derived from, that after quiet turns first; none if its file
    /// holds all values.
    fn needs(&self, material: Material) -> Result<Vec<Material>, DbError> {
        let coverage = self.file_of(material)?.coverage();
        Ok(match material.is_derived(self.rules()) {
            true => [vec![material.exchanged()], material.exits(self.rules())].concat(),
            false => exits_to_fill(self.rules(), material, coverage),
        })
    }

    fn make(&mut self, material: Material, needed: Vec<Bytes>) -> Result<Bytes, DbError> {
        let (quiet, exits) = match needed.split_first() {
            Some((quiet, exits)) if material.is_derived(self.rules()) => (quiet, exits),
            _ => {
                let mut needed = needed.into_iter();
                let next = &mut |_, _| Ok(needed.next().expect("one for each of Recipe::needs"));
                return Ok(read(self, material, false, next)?.0);
            }
        };
        let file = self.file_of(material)?;
        let values = derive(self.rules(), material, quiet, exits);
        let mut values = values.map_err(DbError::io(file.name()))?;
        fold(&mut values, file.metric());
        Ok(values)
    }

    /// If pairs have stones in hand, a table may be made from hundreds of others.
    fn scratch(&self) -> Option<PathBuf> {
        let folder = self.scratch_folder();
        folder.filter(|_| self.rules().pairs_have_hands())
    }
}

/// All values of a table with the larger side to move or with equal sides, from its file and, if
/// this omits values, from the tables of [`exits_to_fill`], for which this calls `load` as
/// [`fill_omitted`] does; with `both` also the table with the smaller side to move, if that had to be
/// derived.
fn read(
    db: &Database,
    material: Material,
    both: bool,
    load: &mut LoadExit<'_>,
) -> Result<(Bytes, Option<Bytes>), DbError> {
    let file = db.file_of(material)?;
    let values = Bytes::new(material.entries() as usize);
    let mut values = values.map_err(DbError::io(file.name()))?;
    file.table()?.load(&mut values)?;
    let mut smaller = fill_omitted(file, material, &mut values, both, load)?;
    if !matches!(file.coverage(), Coverage::All) {
        fold(&mut values, file.metric());
    }
    if let Some(smaller) = &mut smaller {
        fold(smaller, file.metric());
    }
    Ok((values, smaller))
}

/// The table of a pair with the larger side to move; with `both` also the one with the smaller side
/// to move, if that had to be derived. Takes the tables that its turns lead to from the cache, where
/// they stay for another call without `both`.
pub(crate) fn load_pair(
    db: &Database,
    pair: Pair,
    table_cache: &mut TableCache,
    both: bool,
) -> Result<(Bytes, Option<Bytes>), DbError> {
    if db.file(pair)?.coverage().omits_rows() {
        table_cache.prepare(db, pair)?;
    }
    read(
        db,
        stored_table(pair, db.rules()),
        both,
        &mut |after, again| table_cache.take(after, again || !both, || load(db, after)),
    )
}

/// A bitbase of these pairs with omitted entries filled in: a quarter of a byte for every position
/// of the pairs. All of it is read at once, but probes never have to derive a result.
///
/// # Errors
///
/// As for [`load`].
pub fn whole_bitbase<'a>(db: &'a Database, pairs: &[Pair]) -> Result<Bitbase<'a>, DbError> {
    let mut bitbase = Bitbase::empty(db.rules(), pairs);
    let tables = |pair: &Pair| pair.tables(db.rules());
    let wanted: Vec<Material> = bitbase.pairs().iter().flat_map(tables).collect();
    let mut loader = Loader::new(db, &wanted)?;
    for material in wanted {
        bitbase.insert_table(material, &loader.load(material)?);
    }
    Ok(bitbase)
}

/// Reduces all values to this metric.
pub(crate) fn fold(values: &mut [u8], metric: Metric) {
    if metric == Metric::Wdl {
        let parts = values.par_chunks_mut(1 << 16);
        parts.for_each(|part| {
            part.iter_mut()
                .for_each(|byte| *byte = metric.of_byte(*byte))
        });
    }
}

/// Whether turns of pairs with this number of stones in hand, or more, can lead to a table.
pub(super) fn is_needed_with(rules: &Rules, table: Material, in_hand: u8) -> bool {
    table.mover_in_hand + table.waiting_in_hand + rules.most_from_hands() >= in_hand
}

/// A cache of compressed tables to which captures of one stone in later pairs lead. Each is needed
/// once, soon after it was computed, and deriving it again would take longer. It does not keep
/// tables to which only captures of several stones lead.
#[derive(Debug, Default)]
pub struct TableCache {
    pairs: Vec<Pair>,
    tables: Kept<Material>,
    /// Where [`TableCache::in_files`] keeps them.
    folder: Option<PathBuf>,
}

impl TableCache {
    /// The compression ratio of the table cache, measured on the large pairs.
    pub(super) const RATIO: u64 = 2;

    /// The pair whose captures of one stone lead to a table; `None` if stones are in hand.
    pub(super) fn pair_after(table: Material) -> Option<Pair> {
        let before = Pair::new(table.waiting, table.mover + 1);
        before.filter(|_| !table.has_hands())
    }

    /// An empty table cache for work on these pairs, in their order. If pairs have stones in
    /// hand, it [uses files](TableCache::in_files) in this folder, except for a pair from whose file
    /// alone all its values follow.
    ///
    /// # Errors
    ///
    /// [`DbError::Io`] if the folder is needed and cannot hold files.
    pub fn new(db: &Database, pairs: &[Pair], folder: &Path) -> Result<TableCache, DbError> {
        let omits = |pair: &Pair| {
            db.file(*pair)
                .is_ok_and(|file| file.coverage().omits_rows())
        };
        match db.rules().pairs_have_hands() && (pairs.len() > 1 || pairs.iter().any(omits)) {
            true => TableCache::in_files(folder),
            false => Ok(TableCache::in_memory(pairs)),
        }
    }

    /// An empty table cache for work on these pairs.
    pub(crate) fn in_memory(pairs: &[Pair]) -> TableCache {
        TableCache {
            pairs: pairs.to_vec(),
            ..TableCache::default()
        }
    }

    /// A cache that keeps every table in a file without a name in this folder, until
    /// [`TableCache::forget_before`]. For pairs with stones in hand: turns of many pairs
    /// lead to each table, and memory does not hold them all. Fails if the folder cannot hold files.
    pub(crate) fn in_files(folder: &Path) -> Result<TableCache, DbError> {
        CompressedFile::write(folder, &[]).map_err(DbError::io(folder))?;
        Ok(TableCache {
            folder: Some(folder.to_path_buf()),
            ..TableCache::default()
        })
    }

    /// Keeps a table if captures of one stone in one of the pairs lead to it, or in a file.
    pub(crate) fn keep(&mut self, material: Material, values: &[u8]) -> Result<(), DbError> {
        if let Some(folder) = &self.folder {
            let added = self.tables.add_to_file(material, values, folder);
            added.map_err(DbError::io(folder))?;
        } else if TableCache::pair_after(material).is_some_and(|pair| self.pairs.contains(&pair)) {
            self.tables.add(material, values);
        }
        Ok(())
    }

    /// Drops the files of the tables that no pair with this number of stones in hand, or more,
    /// needs.
    pub(crate) fn forget_before(&mut self, rules: &Rules, in_hand: u8) {
        if self.folder.is_some() {
            (self.tables.tables).retain(|table, _| is_needed_with(rules, *table, in_hand));
        }
    }

    /// Makes the tables to which turns of a pair lead, if the cache uses files and lacks them, and
    /// files omit rows: each table follows from many others, which follow from more.
    pub(crate) fn prepare(&mut self, db: &Database, pair: Pair) -> Result<(), DbError> {
        if self.folder.is_none() {
            return Ok(());
        }
        let is_lacking = |pair: Pair| {
            !pair
                .tables(db.rules())
                .iter()
                .all(|&table| self.tables.has(table))
        };
        let mut missing = Pair::with_lacking(vec![pair], db.rules(), is_lacking);
        // The pair itself comes after those that it needs.
        missing.pop();
        let omits = |pair: &Pair| Ok(db.file(*pair)?.coverage().omits_rows());
        let omits = missing
            .iter()
            .map(omits)
            .collect::<Result<Vec<_>, DbError>>()?;
        if !omits.contains(&true) {
            return Ok(());
        }
        for pair in missing {
            self.forget_before(db.rules(), pair.all_in_hand());
            for material in pair.tables(db.rules()) {
                let needed = db.needs(material)?.into_iter();
                let needed = needed.map(|after| self.take(after, true, || load(db, after)));
                let needed = needed.collect::<Result<_, _>>()?;
                let values = Recipe::make(&mut &*db, material, needed)?;
                self.keep(material, &values)?;
            }
        }
        Ok(())
    }

    /// Whether the cache has a table.
    pub(super) fn has(&self, material: Material) -> bool {
        self.tables.has(material)
    }

    /// Takes a table out of the cache, or loads it if the cache lacks it. With `again`, it stays in
    /// the cache for another call. A cache in files is only read.
    pub(crate) fn take(
        &mut self,
        material: Material,
        again: bool,
        load: impl FnOnce() -> Result<Bytes, DbError>,
    ) -> Result<Bytes, DbError> {
        let kept = self.tables.get(material);
        if let Some(folder) = &self.folder {
            return kept.map_or_else(load, |values| values.map_err(DbError::io(folder)));
        }
        let values = kept.and_then(Result::ok).map_or_else(load, Ok)?;
        match again {
            true => self.tables.add(material, &values),
            false => self.tables.forget(material),
        }
        Ok(values)
    }
}
