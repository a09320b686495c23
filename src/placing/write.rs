//! Making a ply's file, table by table: values to compressed rows, in parallel and in order, then
//! the header, then the name.
//!
//! A file gets its name when all its bytes are on the disk, so what has a ply's name is whole.

use std::collections::hash_map::RandomState;
use std::fs::{self, File};
use std::hash::{BuildHasher, Hasher};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::codec;
use super::file::file_name;
use super::format::{self, Header, RowBytes, TableHeader};
use super::layout::Layout;
use super::reachable::{Reachable, Stage};
use crate::db::DbError;
use crate::histogram::Histogram;
use crate::rules::Rules;

/// A ply's file that is being written. It is removed unless it is finished.
pub(super) struct PlyWriter {
    path: PathBuf,
    temporary: PathBuf,
    file: File,
    /// Where the next row goes.
    end: u64,
    header: Header,
}

/// Rows that are compressed before they are written together: some MiB of values.
const BATCH: usize = 1024;

/// Rows that are compressed by one thread at a time.
const CHUNK: usize = 16;

/// Compressed rows, and how often each value occurs in them.
#[derive(Default)]
struct Compressed {
    rows: Vec<Vec<u8>>,
    histogram: Histogram,
}

impl PlyWriter {
    /// Begins a file in a folder to which nobody else writes.
    pub fn create(folder: &Path, reachable: &Reachable, ply: u8) -> Result<PlyWriter, DbError> {
        let name = file_name(ply);
        let path = folder.join(&name);
        // Nobody else chooses the same random name.
        let random = RandomState::new().build_hasher().finish();
        let temporary = folder.join(format!(".{name}.{random:016x}.tmp"));
        let mut file = File::create_new(&temporary).map_err(DbError::io(&path))?;
        let end = format::header_length(reachable, ply) as u64;
        let sought = file.seek(SeekFrom::Start(end)).map_err(DbError::io(&path));
        let writer = PlyWriter {
            path,
            temporary,
            file,
            end,
            header: Header {
                ply,
                tables: Vec::new(),
            },
        };
        sought.map(|_| writer)
    }

    /// Writes the table of the next stage, from its values in the order of the index. Returns how
    /// often each value occurs among its distinct positions.
    pub fn table(
        &mut self,
        stage: Stage,
        layout: &Layout,
        values: &[u8],
    ) -> Result<Histogram, DbError> {
        let mut table = TableHeader {
            stage,
            histogram: Histogram::default(),
            rows: Vec::with_capacity(layout.rows().len()),
        };
        let mut ready = Compressed::default();
        for batch in layout.rows().chunks(BATCH) {
            let (written, compressed) = rayon::join(
                || self.rows(ready, &mut table),
                || compress(layout, batch, values),
            );
            written.map_err(DbError::io(&self.path))?;
            ready = compressed.map_err(DbError::io(&self.path))?;
        }
        self.rows(ready, &mut table)
            .map_err(DbError::io(&self.path))?;
        let histogram = table.histogram.clone();
        self.header.tables.push(table);
        Ok(histogram)
    }

    /// Writes compressed rows.
    fn rows(&mut self, compressed: Compressed, table: &mut TableHeader) -> io::Result<()> {
        table.histogram.add(&compressed.histogram);
        for bytes in compressed.rows {
            self.file.write_all(&bytes)?;
            table.rows.push(RowBytes {
                offset: self.end,
                length: bytes.len() as u32,
                checksum: format::checksum(&bytes),
            });
            self.end += bytes.len() as u64;
        }
        Ok(())
    }

    /// Writes the header and gives the file its name; the result is its size in bytes.
    pub fn finish(mut self, rules: &Rules, reachable: &Reachable) -> Result<u64, DbError> {
        let header = self.header.to_bytes(rules, reachable);
        let written = self.file.seek(SeekFrom::Start(0));
        let written = written.and_then(|_| self.file.write_all(&header));
        let written = written.and_then(|()| self.file.sync_all());
        let named = written.and_then(|()| fs::rename(&self.temporary, &self.path));
        named.map_err(DbError::io(&self.path))?;
        // Not all systems open or flush folders. Where the name gets lost in a crash, the ply is
        // solved again.
        if let Some(folder) = self.path.parent() {
            let _ = File::open(folder).and_then(|folder| folder.sync_all());
        }
        Ok(self.end)
    }
}

impl Drop for PlyWriter {
    fn drop(&mut self) {
        // After renaming there is nothing to remove; otherwise an error is being reported already.
        let _ = fs::remove_file(&self.temporary);
    }
}

fn compress(layout: &Layout, rows: &[usize], values: &[u8]) -> io::Result<Compressed> {
    let width = layout.index.columns().count();
    let chunks = rows.par_chunks(CHUNK).map(|rows| {
        let mut counts = [0; 256];
        let mut compressed = Vec::with_capacity(rows.len());
        let mut packed = Vec::new();
        for &row in rows {
            let values = &values[row * width..][..width];
            packed.clear();
            layout.pack(row, values, &mut packed);
            compressed.push(codec::encode(&packed)?);
            match layout.index.first_columns(row) {
                None => packed
                    .iter()
                    .for_each(|&value| counts[usize::from(value)] += 1),
                Some(first) => layout
                    .columns(row)
                    .filter(|&column| first[column])
                    .for_each(|column| counts[usize::from(values[column])] += 1),
            }
        }
        Ok(Compressed {
            rows: compressed,
            histogram: Histogram::from_counts(counts),
        })
    });
    let chunks: Vec<Compressed> = chunks.collect::<io::Result<_>>()?;
    let mut all = Compressed::default();
    for chunk in chunks {
        all.rows.extend(chunk.rows);
        all.histogram.add(&chunk.histogram);
    }
    Ok(all)
}
