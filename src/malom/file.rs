//! A sector as an open file: bytes made when they are read.

use std::fmt;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Arc;

use super::sector::Sector;
use super::slots::Slots;
use super::tables::Sectors;
use crate::store::DbError;

/// A sector as a file that is open for reading. See [`Sectors::open`].
///
/// Reads of a few slots probe them one by one; longer reads in order get whole rows from a database file
/// that has them. For other sectors all values are made at once, which takes a minute or two for the
/// largest, and then kept as [`Sectors::with_memory`] allows.
pub struct SectorFile {
    sectors: Arc<Sectors>,
    sector: Sector,
    slots: Slots,
    position: u64,
    /// The row made last: its number and its bytes.
    row: Option<usize>,
    bytes: Vec<u8>,
    values: Vec<u8>,
    /// The end of the last read, and the number of slots read in one go up to there.
    end: u64,
    run: u64,
}

/// The number of slots of one read from which on a row is made as a whole.
const ROW_RUN: u64 = 16;

/// The number of slots of one read from which on all values are made: a sixteenth of the sector within these bounds.
const LEAST_WHOLE_RUN: u64 = 1 << 10;
const MOST_WHOLE_RUN: u64 = 1 << 14;

impl Sectors {
    /// A sector as an open file.
    ///
    /// # Errors
    ///
    /// As for [`Sectors::check`].
    pub fn open(self: &Arc<Sectors>, sector: Sector) -> Result<SectorFile, DbError> {
        self.check(sector)?;
        Ok(SectorFile {
            slots: Slots::new(sector, self.scheme()),
            sectors: Arc::clone(self),
            sector,
            position: 0,
            row: None,
            bytes: Vec::new(),
            values: Vec::new(),
            end: 0,
            run: 0,
        })
    }
}

impl SectorFile {
    /// The sector.
    pub fn sector(&self) -> Sector {
        self.sector
    }

    /// Reads from `place` on until `out` is full or the file ends; returns the number of bytes.
    ///
    /// # Errors
    ///
    /// If a value cannot be read; the [`DbError`](crate::DbError) is the cause.
    pub fn read_at(&mut self, place: u64, out: &mut [u8]) -> io::Result<usize> {
        let left = self.sector.bytes().saturating_sub(place);
        let length = usize::try_from(left).unwrap_or(usize::MAX).min(out.len());
        let slots = (length as u64).div_ceil(Sector::SLOT);
        self.run = match place == self.end {
            true => self.run + slots,
            false => slots,
        };
        self.end = place + length as u64;
        let mut done = 0;
        while done < length {
            done += self.part(place + done as u64, &mut out[done..length])?;
        }
        Ok(length)
    }

    /// Reads some bytes, at least one.
    fn part(&mut self, place: u64, out: &mut [u8]) -> io::Result<usize> {
        let Some(inside) = place.checked_sub(Sector::HEADER) else {
            return Ok(copy(&Slots::header()[place as usize..], out));
        };
        let slot = inside / Sector::SLOT;
        if slot >= self.sector.slots() {
            let tail = inside - Sector::SLOT * self.sector.slots();
            return Ok(copy(&[0; Sector::TAIL as usize][tail as usize..], out));
        }
        let within = (inside % Sector::SLOT) as usize;
        let columns = self.slots.columns() as u64;
        let (row, column) = ((slot / columns) as usize, (slot % columns) as usize);
        if self.row == Some(row) || self.make_row(row)? {
            let start = column * Sector::SLOT as usize + within;
            return Ok(copy(&self.bytes[start..], out));
        }
        let (mover, waiting) = self.slots.index.sets(slot as usize);
        let kept = || self.sectors.kept(self.sector);
        let bytes = self.slots.write_slot(row, waiting, || match kept() {
            Some(values) => Ok(values[slot as usize]),
            None => self.sectors.value(self.sector, mover, waiting),
        });
        let bytes = bytes.map_err(io::Error::other)?;
        Ok(copy(&bytes[within..], out))
    }

    /// Makes the bytes of a row, if enough is read to make that worthwhile.
    fn make_row(&mut self, row: usize) -> io::Result<bool> {
        if self.run < ROW_RUN {
            return Ok(false);
        }
        // A row that could not be made must not count as made.
        self.row = None;
        let columns = self.slots.columns();
        self.values.resize(columns, 0);
        let mut kept = self.sectors.kept(self.sector);
        let mut in_file = || self.sectors.row(self.sector, row, &mut self.values);
        if kept.is_some() || !in_file().map_err(io::Error::other)? {
            let whole_run = (self.sector.slots() / 16).clamp(LEAST_WHOLE_RUN, MOST_WHOLE_RUN);
            if kept.is_none() && self.run >= whole_run {
                kept = self.sectors.keep(self.sector).map_err(io::Error::other)?;
            }
            let Some(values) = kept else {
                return Ok(false);
            };
            self.values
                .copy_from_slice(&values[row * columns..][..columns]);
        }
        self.bytes.resize(columns * Sector::SLOT as usize, 0);
        self.slots.write_row(row, &self.values, &mut self.bytes);
        self.row = Some(row);
        Ok(true)
    }
}

/// Copies as many bytes as fit; returns their number.
fn copy(from: &[u8], to: &mut [u8]) -> usize {
    let length = from.len().min(to.len());
    to[..length].copy_from_slice(&from[..length]);
    length
}

impl Read for SectorFile {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let length = self.read_at(self.position, out)?;
        self.position += length as u64;
        Ok(length)
    }
}

impl Seek for SectorFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let place = match to {
            SeekFrom::Start(place) => Some(place),
            SeekFrom::End(offset) => self.sector.bytes().checked_add_signed(offset),
            SeekFrom::Current(offset) => self.position.checked_add_signed(offset),
        };
        let before = || io::Error::new(io::ErrorKind::InvalidInput, "a place before the file");
        self.position = place.ok_or_else(before)?;
        Ok(self.position)
    }
}

impl fmt::Debug for SectorFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SectorFile")
            .field("sector", &self.sector)
            .field("position", &self.position)
            .finish_non_exhaustive()
    }
}
