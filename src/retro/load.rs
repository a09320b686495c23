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
    let captures = || -> Result<Vec<Bytes>, DbError> {
        let after = material.after_captures(db.rules()).into_iter();
        after.map(|after| load(db, after)).collect()
    };
    if Stored::is_derived(material) {
        let quiet = load(db, material.exchanged())?;
        return derive_from(db, material, &quiet, &captures()?);
    }
    let file = db.file_of(material)?;
    let refused = refused(db, material)?;
    let mut values = Bytes::zeroed(material.entries() as usize).map_err(refused)?;
    file.load(&mut values)?;
    if file.stored() != Stored::All {
        let captures = match file.stored() {
            Stored::Even => captures()?,
            _ => Vec::new(),
        };
        let (rules, stored) = (db.rules(), file.stored());
        fill_left_out(rules, material, stored, &mut values, &captures);
        fold(&mut values, file.contents());
    }
    Ok(values)
}

/// All values of a table that follows from the one with the other side to move, `quiet`, and those
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
    captures: &[Bytes],
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

/// Tables that captures of one stone lead to in pairs to come, compressed: each is asked for once, soon
/// after it was at hand, and deriving it again would take longer. What captures of several stones
/// lead to is loaded.
#[derive(Debug, Default)]
pub struct Shelf {
    pairs: Vec<Pair>,
    tables: HashMap<Material, Kept>,
}

/// A table in compressed parts, one behind the other.
#[derive(Debug)]
struct Kept {
    /// Longer than the parts together: what is not written takes no memory.
    bytes: Bytes,
    lengths: Vec<usize>,
}

impl Shelf {
    /// How many times as small as the tables that it holds a shelf is, measured on the large pairs.
    pub(super) const RATIO: u64 = 2;

    /// The pair whose captures of one stone lead to a table.
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

    /// Keeps a table, if captures of one stone in some pair lead to it.
    pub(crate) fn keep(&mut self, material: Material, values: &[u8]) {
        let needed = Shelf::pair_after(material).is_some_and(|pair| self.pairs.contains(&pair));
        if needed {
            // What cannot be kept is loaded when it is needed.
            let kept = Kept::new(values).ok();
            self.tables.extend(kept.map(|kept| (material, kept)));
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
        let values = kept.and_then(|kept| kept.unpack(material.entries() as usize).ok());
        values.map_or_else(load, Ok)
    }
}

impl Kept {
    /// How many values a part has.
    const PART: usize = 1 << 18;

    /// How many parts are compressed at the same time.
    const AT_ONCE: usize = 64;

    fn new(values: &[u8]) -> io::Result<Kept> {
        let parts = values.len().div_ceil(Kept::PART);
        let mut bytes = Bytes::zeroed(parts * zstd::zstd_safe::compress_bound(Kept::PART))?;
        let (mut lengths, mut end) = (Vec::with_capacity(parts), 0);
        for values in values.chunks(Kept::AT_ONCE * Kept::PART) {
            let parts = values.par_chunks(Kept::PART);
            let parts = parts.map(|part| zstd::bulk::compress(part, 1));
            for part in parts.collect::<io::Result<Vec<_>>>()? {
                bytes[end..end + part.len()].copy_from_slice(&part);
                end += part.len();
                lengths.push(part.len());
            }
        }
        Ok(Kept { bytes, lengths })
    }

    fn unpack(&self, length: usize) -> io::Result<Bytes> {
        let mut values = Bytes::zeroed(length)?;
        let mut rest = &self.bytes[..];
        let mut parts = Vec::with_capacity(self.lengths.len());
        for &length in &self.lengths {
            let (part, behind) = rest.split_at(length);
            parts.push(part);
            rest = behind;
        }
        let places = values.par_chunks_mut(Kept::PART).zip(parts);
        places.try_for_each(|(place, part)| {
            zstd::bulk::decompress_to_buffer(part, place).map(drop)
        })?;
        Ok(values)
    }
}
