//! Compares sector files with our values.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use rayon::prelude::*;

use super::sector::Sector;
use super::slots::{Meaning, Slots};
use super::walk::SectorValues;
use crate::rules::{Rules, counted};
use crate::value::Value;

/// The state of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FileState {
    /// A file of the right size with a right header. Its slots are not checked.
    There,
    /// No file.
    Missing,
    /// A file that is damaged; the text says how, as part of a sentence.
    Damaged(String),
}

impl FileState {
    /// Looks at the size, the header and the end of a file.
    ///
    /// # Errors
    ///
    /// If the system refuses to read.
    pub fn of(file: &Path, sector: Sector) -> io::Result<FileState> {
        let escapes = File::open(file).and_then(|mut file| escapes(&mut file, sector));
        match escapes {
            Ok(_) => Ok(FileState::There),
            Err(error) => match error.kind() {
                io::ErrorKind::NotFound => Ok(FileState::Missing),
                io::ErrorKind::InvalidData => Ok(FileState::Damaged(error.to_string())),
                _ => Err(error),
            },
        }
    }
}

/// The slots whose second keys do not fit them. Checks the header and the size, and leaves the file
/// at its first slot. An error of the kind `InvalidData` says how the file is damaged.
fn escapes(file: &mut File, sector: Sector) -> io::Result<HashSet<u64>> {
    let damaged = |how: String| Err(io::Error::new(io::ErrorKind::InvalidData, how));
    let size = file.metadata()?.len();
    let end = Sector::HEADER + Sector::SLOT * sector.slots();
    if size < sector.bytes() {
        let expected = sector.bytes();
        return damaged(format!(
            "truncated: {} instead of {expected}",
            counted(size, "byte")
        ));
    }
    let mut header = [0; Sector::HEADER as usize];
    file.read_exact(&mut header)?;
    if header != Slots::header() {
        return damaged("its header is not that of such a sector".to_owned());
    }
    file.seek(SeekFrom::Start(end))?;
    let mut input = BufReader::new(file.by_ref());
    let mut word = || {
        let mut bytes = [0; 4];
        input
            .read_exact(&mut bytes)
            .map(|()| i32::from_le_bytes(bytes))
    };
    let count = word()?;
    let expected = u64::try_from(count).ok();
    let expected = expected.map(|count| sector.bytes().saturating_add(8 * count));
    if expected != Some(size) {
        let expected = sector.bytes();
        return damaged(match count {
            0 => format!("too long: {size} bytes instead of {expected}"),
            _ => {
                format!("the number {count} of its escapes does not fit its size, {size} bytes")
            }
        });
    }
    let mut escapes = HashSet::new();
    for _ in 0..count {
        let (slot, _key) = (word()?, word()?);
        let slot = u64::try_from(slot).ok();
        let known = slot.filter(|&slot| slot < sector.slots());
        if !known.is_some_and(|slot| escapes.insert(slot)) {
            return damaged("its list of escapes names a wrong slot".to_owned());
        }
    }
    file.seek(SeekFrom::Start(Sector::HEADER))?;
    Ok(escapes)
}

/// A slot in which a file differs from our value.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "service", derive(serde::Serialize, schemars::JsonSchema))]
pub struct SlotDifference {
    /// The number of the slot, from 0.
    pub slot: u64,
    /// Its position.
    pub position: String,
    /// Our value.
    pub ours: Value,
    /// The value in the file, without a depth beyond ours; `None` where the slot says nothing that the format knows.
    pub theirs: Option<Value>,
}

/// The result of comparing a sector.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
#[cfg_attr(feature = "service", derive(serde::Serialize, schemars::JsonSchema))]
pub struct SectorDifferences {
    /// The name of the file.
    pub file: String,
    /// Slots with a value of ours.
    pub slots: u64,
    /// Slots without a value: no game reaches their positions.
    #[cfg_attr(feature = "service", serde(skip))]
    pub unreachable: u64,
    /// Slots with another result.
    pub results: u64,
    /// Slots with the same result in another number of turns, or deeper than any of ours.
    pub depths: u64,
    /// Slots that say nothing that the format knows, wherever they are.
    pub unknown: u64,
    /// The first slots that differ.
    pub first: Vec<SlotDifference>,
}

impl SectorDifferences {
    /// The number of slots that differ in any way.
    pub fn differences(&self) -> u64 {
        self.results + self.depths + self.unknown
    }

    fn add(&mut self, other: SectorDifferences, most: usize) {
        self.slots += other.slots;
        self.unreachable += other.unreachable;
        self.results += other.results;
        self.depths += other.depths;
        self.unknown += other.unknown;
        let room = most.saturating_sub(self.first.len());
        self.first.extend(other.first.into_iter().take(room));
    }
}

/// Compares a file with our values. `whole` must have been made with the scheme of the file's folder.
/// `most` bounds [`SectorDifferences::first`]; `progress` receives the number of slots just compared.
///
/// # Errors
///
/// If the system refuses to read, or the file is damaged as [`FileState::of`] says.
pub fn compare(
    whole: &SectorValues<'_>,
    file: &Path,
    most: usize,
    mut progress: impl FnMut(u64),
) -> io::Result<SectorDifferences> {
    let mut file = File::open(file)?;
    let sector = whole.sector();
    let escapes = escapes(&mut file, sector)?;
    let mut all = SectorDifferences {
        file: sector.name(),
        ..SectorDifferences::default()
    };
    let columns = whole.slots.columns();
    let width = columns * Sector::SLOT as usize;
    let rows = whole.rows_at_once();
    let mut part = vec![0; rows * width];
    for (number, ours) in whole.values.chunks(rows * columns).enumerate() {
        let part = &mut part[..ours.len() * Sector::SLOT as usize];
        file.read_exact(part)?;
        let pairs = part.par_chunks(width).zip(ours.par_chunks(columns));
        let found = pairs.enumerate().map(|(row, (found, ours))| {
            compare_row(whole, number * rows + row, ours, found, &escapes, most)
        });
        for of_row in found.collect::<Vec<_>>() {
            all.add(of_row, most);
        }
        progress(ours.len() as u64);
    }
    Ok(all)
}

fn compare_row(
    whole: &SectorValues<'_>,
    row: usize,
    ours: &[u8],
    bytes: &[u8],
    escapes: &HashSet<u64>,
    most: usize,
) -> SectorDifferences {
    let mut result = SectorDifferences::default();
    let slots = &whole.slots;
    let (found, _) = bytes.as_chunks::<3>();
    let first = row as u64 * ours.len() as u64;
    let meaning = |column: usize| match slots.read(found[column]) {
        Meaning::Escape => match escapes.contains(&(first + column as u64)) {
            // Escapes are for distances of draws; those of wins and losses fit a slot.
            true => slots.read_escaped(found[column]),
            false => Meaning::Unknown,
        },
        meaning => meaning,
    };
    for (column, (subset, &byte)) in slots.index.columns().iter().zip(ours).enumerate() {
        let waiting = || slots.index.waiting(row, subset);
        let mut says = meaning(column);
        if let Meaning::Redirect(symmetry) = says {
            let target = slots.redirected(row, waiting(), symmetry);
            says = target.map_or(Meaning::Unknown, meaning);
        }
        let value = Value::from_byte(byte);
        let theirs = match says {
            Meaning::Value(found) => Some(Value::from_byte(found)),
            Meaning::TooDeep(found) => Some(found),
            // A redirect may not lead to another redirect.
            _ => None,
        };
        let reachable = whole.has_value(row, waiting);
        match reachable {
            true => result.slots += 1,
            false => result.unreachable += 1,
        }
        match theirs {
            None => result.unknown += 1,
            Some(_) if !reachable => continue,
            Some(found) if found == value => continue,
            Some(found) if found.wdl() != value.wdl() => result.results += 1,
            Some(_) => result.depths += 1,
        }
        if result.first.len() < most {
            let mover = slots.index.rows().set(row);
            let position = whole.sectors.position(whole.stage, mover, waiting());
            result.first.push(SlotDifference {
                slot: first + column as u64,
                position: position.text(&Rules::STANDARD),
                ours: value,
                theirs,
            });
        }
    }
    result
}
