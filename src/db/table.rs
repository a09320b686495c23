//! One file, opened: its tables, their blocks and values.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use memmap2::Mmap;

use super::codec;
use super::error::DbError;
use super::format::{self, BLOCK_SIZE, Header, TableHeader};
use crate::histogram::Histogram;
use crate::index::{Index, Material, Pair};
use crate::rules::Rules;

/// The file of a pair, opened. Its header is checked; its blocks are when they are read.
#[derive(Debug)]
pub struct PairFile {
    /// For errors: the path, or what stands for it.
    name: PathBuf,
    contents: Contents,
    rules: Rules,
    header: Header,
    /// Made when first needed, in the order of the header's tables.
    indexes: [OnceLock<Index>; 2],
}

/// Where the bytes of a file are.
#[derive(Debug)]
enum Contents {
    Mapped(Mmap),
    Embedded(&'static [u8]),
}

impl Contents {
    fn bytes(&self) -> &[u8] {
        match self {
            Contents::Mapped(map) => map,
            Contents::Embedded(bytes) => bytes,
        }
    }
}

/// Maps a file into memory, `None` if there is none of this name.
///
/// # Safety
///
/// Nobody may write to the file or shorten it while the map lives.
/// Replacing it by renaming another file, as [`write_pair`](super::write_pair) does, is no writing.
unsafe fn map(path: &Path) -> io::Result<Option<Mmap>> {
    let opened = fs::metadata(path).and_then(|metadata| {
        if metadata.is_file() {
            File::open(path)
        } else {
            Err(io::Error::other("it is no file"))
        }
    });
    match opened {
        // SAFETY: the caller keeps this function's own contract, which is the same.
        Ok(file) => unsafe { Mmap::map(&file) }.map(Some),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

impl PairFile {
    /// Opens the file of a pair in a folder, `None` if there is none.
    pub(super) fn open(
        folder: &Path,
        pair: Pair,
        rules: Rules,
    ) -> Result<Option<PairFile>, DbError> {
        let path = folder.join(super::file_name(pair));
        // SAFETY: `Database::open` demands of its callers that database files are replaced, never
        // changed.
        let map = unsafe { map(&path) }.map_err(DbError::io(&path))?;
        map.map(|map| PairFile::new(path, Contents::Mapped(map), pair, rules))
            .transpose()
    }

    /// Opens a file that is part of the program.
    pub(super) fn embedded(
        bytes: &'static [u8],
        pair: Pair,
        rules: Rules,
    ) -> Result<PairFile, DbError> {
        let name = PathBuf::from(format!("the embedded {}", super::file_name(pair)));
        PairFile::new(name, Contents::Embedded(bytes), pair, rules)
    }

    fn new(
        name: PathBuf,
        contents: Contents,
        pair: Pair,
        rules: Rules,
    ) -> Result<PairFile, DbError> {
        let header = Header::parse(contents.bytes(), &name)?;
        if header.rules != rules.fingerprint() {
            return Err(DbError::OtherRules { file: name, rules });
        }
        if header.pair != pair {
            let what = format!("the file is the database {}, not {pair}", header.pair);
            return Err(DbError::corrupt(&name, format::PAIR_OFFSET, what));
        }
        Ok(PairFile {
            name,
            contents,
            rules,
            header,
            indexes: Default::default(),
        })
    }

    /// The pair whose positions the file holds.
    pub fn pair(&self) -> Pair {
        self.header.pair
    }

    /// The size of the file in bytes.
    pub fn bytes(&self) -> u64 {
        self.contents.bytes().len() as u64
    }

    /// How many bytes of the file hold the values of one side to move.
    pub fn table_bytes(&self, material: Material) -> u64 {
        let blocks = self.table(material).header.blocks.iter();
        blocks.map(|block| u64::from(block.length)).sum()
    }

    /// Where the file is; `None` for one that is part of the program.
    pub fn path(&self) -> Option<&Path> {
        match self.contents {
            Contents::Mapped(_) => Some(&self.name),
            Contents::Embedded(_) => None,
        }
    }

    /// The rules that the values are for.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// One of the pair's tables; of another pair's material, the one with the same side ahead.
    pub(super) fn table(&self, material: Material) -> Table<'_> {
        let number = match self.header.tables.len() {
            1 => 0,
            _ => usize::from(material.mover < material.waiting),
        };
        Table {
            file: self,
            number,
            header: &self.header.tables[number],
        }
    }
}

/// One table of a file.
#[derive(Clone, Copy)]
pub(super) struct Table<'a> {
    file: &'a PairFile,
    /// Among the tables of the file.
    pub number: usize,
    header: &'a TableHeader,
}

impl<'a> Table<'a> {
    /// The table's index, which says where its values lie.
    pub fn index(self) -> &'a Index {
        self.file.indexes[self.number].get_or_init(|| Index::new(self.header.material))
    }

    pub fn histogram(self) -> &'a Histogram {
        &self.header.histogram
    }

    /// The values of one block, which must be one of the table's.
    pub fn block(self, number: usize) -> Result<Box<[u8]>, DbError> {
        let entries = self.header.entries_of(number);
        let mut values = vec![0; (entries.end - entries.start) as usize].into_boxed_slice();
        self.decode(number, &mut values)?;
        Ok(values)
    }

    /// All values of the table.
    pub fn load(self) -> Result<Vec<u8>, DbError> {
        let mut values = Vec::new();
        let entries = self.header.material.entries() as usize;
        values.try_reserve_exact(entries).map_err(|_| {
            let refused = io::Error::from(io::ErrorKind::OutOfMemory);
            DbError::io(&self.file.name)(refused)
        })?;
        values.resize(entries, 0);
        #[cfg(feature = "build")]
        {
            use rayon::prelude::*;
            let blocks = values.par_chunks_mut(BLOCK_SIZE).enumerate();
            blocks.try_for_each(|(number, values)| self.decode(number, values))?;
        }
        #[cfg(not(feature = "build"))]
        {
            let mut blocks = values.chunks_mut(BLOCK_SIZE).enumerate();
            blocks.try_for_each(|(number, values)| self.decode(number, values))?;
        }
        Ok(values)
    }

    /// Checks and decodes a block into as many values as it has.
    fn decode(self, number: usize, values: &mut [u8]) -> Result<(), DbError> {
        let block = &self.header.blocks[number];
        let corrupt = |what| DbError::corrupt(&self.file.name, block.offset, what);
        // The header's check has shown that the block lies within the file.
        let start = block.offset as usize;
        let bytes = &self.file.contents.bytes()[start..start + block.length as usize];
        if format::checksum(bytes) != block.checksum {
            let what = "the block does not have the checksum that the header gives";
            return Err(corrupt(what.to_string()));
        }
        codec::decode(bytes, values).map_err(corrupt)
    }
}
