//! Whole tables from the files, what the files leave out filled in.

use std::collections::HashMap;
use std::io;

use rayon::prelude::*;

use super::derive::{derive, fill_left_out};
use super::memory::Bytes;
use crate::db::{Contents, Database, DbError, Stored};
use crate::index::{Material, Pair};

/// All values of a table, by the entries of its [`Index`](crate::index::Index). Where the files tell
/// no depths, wins are in one turn and losses in none.
///
/// # Errors
///
/// [`DbError::Missing`] if the table's pair is not there, or, where values have to be derived, the
/// pair that captures lead to; [`DbError::NotStored`] if there is no such table under these rules;
/// [`DbError::Corrupt`], [`DbError::Io`].
pub fn load(db: &Database, material: Material) -> Result<Bytes, DbError> {
    let captures = || {
        let after = material.after_capture();
        after.map(|after| load(db, after)).transpose()
    };
    if Stored::is_derived(material) {
        let quiet = load(db, material.exchanged())?;
        return derive_from(db, material, &quiet, captures()?.as_deref());
    }
    let file = db.file_of(material)?;
    let refused = refused(db, material)?;
    let mut values = Bytes::zeroed(material.entries() as usize).map_err(refused)?;
    file.load(&mut values)?;
    if file.stored() != Stored::All {
        let captures = match file.stored() {
            Stored::Even => captures()?,
            _ => None,
        };
        let (rules, stored) = (db.rules(), file.stored());
        fill_left_out(rules, material, stored, &mut values, captures.as_deref());
        fold(&mut values, file.contents());
    }
    Ok(values)
}

/// All values of a table that follows from the one with the other side to move, `quiet`, and the one
/// that its captures lead to.
///
/// # Errors
///
/// [`DbError::Missing`] if the table's pair is not there, [`DbError::Io`] if the system refuses the
/// memory.
pub(crate) fn derive_from(
    db: &Database,
    material: Material,
    quiet: &[u8],
    captures: Option<&[u8]>,
) -> Result<Bytes, DbError> {
    let contents = db.file_of(material)?.contents();
    let values = derive(db.rules(), material, quiet, captures);
    let mut values = values.map_err(refused(db, material)?)?;
    fold(&mut values, contents);
    Ok(values)
}

/// For `map_err`: the error where there is no memory for a table.
fn refused(
    db: &Database,
    material: Material,
) -> Result<impl FnOnce(io::Error) -> DbError, DbError> {
    let file = db.file_of(material)?.name().to_path_buf();
    Ok(move |source| DbError::Io { file, source })
}

/// Leaves of all values what files of this kind tell.
fn fold(values: &mut [u8], contents: Contents) {
    if contents == Contents::Wdl {
        let parts = values.par_chunks_mut(1 << 16);
        parts.for_each(|part| {
            part.iter_mut()
                .for_each(|byte| *byte = contents.of_byte(*byte))
        });
    }
}

/// Tables that the captures of pairs to come lead to, compressed: each is asked for once, soon after
/// it was at hand, and deriving it again would take longer.
#[derive(Debug, Default)]
pub struct Shelf {
    pairs: Vec<Pair>,
    tables: HashMap<Material, Vec<Vec<u8>>>,
}

impl Shelf {
    /// How many values are compressed together.
    const PART: usize = 1 << 18;

    /// How many times as small as the tables that it holds a shelf is, measured on the large pairs.
    pub(super) const RATIO: u64 = 2;

    /// The pair whose captures lead to a table.
    pub(super) fn pair_after(table: Material) -> Option<Pair> {
        Pair::new(table.waiting, table.mover + 1)
    }

    /// An empty shelf for work on these pairs.
    pub fn new(pairs: &[Pair]) -> Shelf {
        Shelf {
            pairs: pairs.to_vec(),
            tables: HashMap::new(),
        }
    }

    /// Keeps a table, if captures of some pair lead to it.
    pub(crate) fn keep(&mut self, material: Material, values: &[u8]) {
        let needed = Shelf::pair_after(material).is_some_and(|pair| self.pairs.contains(&pair));
        if !needed {
            return;
        }
        let parts = values.par_chunks(Shelf::PART);
        let parts = parts.map(|part| zstd::bulk::compress(part, 1));
        // What cannot be kept is loaded when it is needed.
        if let Ok(parts) = parts.collect() {
            self.tables.insert(material, parts);
        }
    }

    /// Takes a table from the shelf, or loads it if it is not there.
    ///
    /// # Errors
    ///
    /// As for [`load`].
    pub(crate) fn take(
        &mut self,
        material: Material,
        load: impl FnOnce() -> Result<Bytes, DbError>,
    ) -> Result<Bytes, DbError> {
        let kept = self.tables.remove(&material);
        let values = kept.and_then(|parts| {
            let mut values = Bytes::zeroed(material.entries() as usize).ok()?;
            let places = values.par_chunks_mut(Shelf::PART).zip(parts);
            let fill = |(place, part): (&mut [u8], Vec<u8>)| {
                zstd::bulk::decompress_to_buffer(&part, place).is_ok_and(|n| n == place.len())
            };
            places.map(fill).all(|filled| filled).then_some(values)
        });
        values.map_or_else(load, Ok)
    }
}
