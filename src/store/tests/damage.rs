//! Changed, missing and extra bytes are always detected and never give a wrong value.

use std::collections::BTreeSet;
use std::fs;

use super::parts::{RULES, VERSION};
use super::specimen::{Random, Specimen, sources};
use crate::store::cache::BlockCache;
use crate::store::source;
use crate::store::*;

/// Asserts that an error reports damage and names the place.
fn assert_corrupt(error: &DbError, specimen: &Specimen) {
    let DbError::Corrupt { file, offset, what } = error else {
        panic!("{error}");
    };
    assert_eq!(file.to_str(), Some(specimen.name.as_str()));
    assert!(*offset <= specimen.bytes.len() as u64, "{error}");
    assert!(!what.is_empty());
}

#[test]
fn every_damaged_byte_of_the_head_is_detected() {
    for specimen in Specimen::both(5000) {
        let mut rejected = 0;
        for place in specimen.layout.head.clone() {
            let byte = specimen.bytes[place];
            let wrong = [0, 0xff, byte ^ 1, byte ^ 0x80, byte.wrapping_add(1)];
            for damaged in wrong.into_iter().filter(|&damaged| damaged != byte) {
                let bytes = specimen.changed(|bytes| bytes[place] = damaged);
                match specimen.open(&bytes).err() {
                    Some(DbError::OtherVersion { .. }) => assert!(VERSION.contains(&place)),
                    Some(error) => assert_corrupt(&error, &specimen),
                    None => panic!("byte {place} of {}", specimen.name),
                }
                rejected += 1;
                if place % 3 == 0 || RULES.contains(&place) {
                    for source in sources(&bytes) {
                        assert!(specimen.open_from(source).is_err(), "byte {place}");
                    }
                }
            }
        }
        assert!(rejected >= 3 * specimen.layout.head.len());
        for source in sources(&specimen.bytes) {
            let opened = specimen.open_from(source).unwrap();
            assert!(opened.load().unwrap() == specimen.values);
        }
    }
}

/// A probe of a damaged file returns the written value or an error; loading everything detects the
/// damage.
#[test]
fn damaged_bytes_of_directory_and_rows_are_detected() {
    for specimen in Specimen::both(3) {
        let mut random = Random::new(2);
        let (mut right, mut wrong) = (0, 0);
        let head = specimen.layout.head.end;
        let pages: Vec<usize> = specimen.layout.pages.iter().cloned().flatten().collect();
        for number in 0..200 {
            // Half of the damage is in the directory, which is much smaller than the rows.
            let place = match number % 2 {
                0 => pages[random.below(pages.len())],
                _ => head + random.below(specimen.bytes.len() - head),
            };
            let bytes = specimen.changed(|bytes| bytes[place] ^= 1 << random.below(8));
            for source in sources(&bytes) {
                let opened = specimen.open_from(source).unwrap();
                let cache = BlockCache::with_bytes(10_000);
                assert_corrupt(&opened.load().unwrap_err(), &specimen);
                for _ in 0..10 {
                    let number = random.below(specimen.values.len());
                    let entry = random.below(specimen.values[number].len());
                    let index = opened.table(number).unwrap().index();
                    let (mover, waiting) = index.sets(entry);
                    let stored = index.find(mover, waiting);
                    // The second probe finds what the first one left in the cache.
                    for _ in 0..2 {
                        match opened.probe(number, entry, &cache) {
                            Ok(value) => {
                                assert_eq!(value, specimen.values[number][stored]);
                                right += 1;
                            }
                            Err(error) => {
                                assert_corrupt(&error, &specimen);
                                wrong += 1;
                            }
                        }
                    }
                }
            }
        }
        assert!(right > 2000 && wrong > 200, "{right}, {wrong}");
    }
}

#[test]
fn swapped_rows_and_pages_are_detected() {
    for specimen in Specimen::both(1) {
        let mut exchanged = 0;
        let rows: Vec<_> = specimen.layout.rows.iter().flatten().cloned().collect();
        for (number, a) in rows.iter().enumerate() {
            // Rows of the same length, with their checksums.
            let others = rows[number + 1..].iter().filter(|b| b.len() == a.len());
            for b in others.take(2) {
                let bytes = specimen.changed(|bytes| {
                    bytes.copy_within(b.clone(), a.start);
                    bytes[b.clone()].copy_from_slice(&specimen.bytes[a.clone()]);
                });
                if bytes != specimen.bytes {
                    assert_corrupt(&specimen.load(&bytes).unwrap_err(), &specimen);
                    exchanged += 1;
                }
            }
        }
        assert!(exchanged > 0, "{}", specimen.name);
    }
}

#[test]
fn wrong_file_lengths_are_detected_when_opening() {
    for specimen in Specimen::both(20_000) {
        let layout = &specimen.layout;
        let parts = [&layout.head, &layout.schema].into_iter();
        let parts = parts.chain(&layout.models).chain(&layout.pages);
        let parts = parts.chain(layout.rows.iter().flatten());
        let edges = parts.flat_map(|part| [part.start, part.end]);
        let edges = edges.chain(layout.tables.iter().copied());
        let near_edges = edges.flat_map(|edge| [edge.saturating_sub(1), edge, edge + 1]);
        let short = 0..layout.head.end + 20;
        let lengths: BTreeSet<usize> = near_edges.chain(short.clone()).collect();
        let mut cuts = 0;
        for &length in lengths.range(..specimen.bytes.len()) {
            let cut = &specimen.bytes[..length];
            assert_corrupt(&specimen.open(cut).err().unwrap(), &specimen);
            if length % 5 == 0 || length < 64 {
                for source in sources(cut) {
                    assert!(specimen.open_from(source).is_err(), "{length} bytes");
                }
            }
            cuts += 1;
        }
        assert!(cuts > short.len());
        for surplus in [1, 1000] {
            let bytes = specimen.changed(|bytes| bytes.resize(bytes.len() + surplus, 0));
            for source in sources(&bytes) {
                assert_corrupt(&specimen.open_from(source).err().unwrap(), &specimen);
            }
        }
    }
}

/// A file that is read may change or shrink while it is open: that gives an error, never a wrong
/// value.
#[test]
fn files_may_change_while_they_are_open() {
    for specimen in Specimen::both(3) {
        let entry = specimen.values[0].iter().position(|&value| value > 1);
        let entry = entry.unwrap();
        let head = specimen.layout.head.end;
        let whole = specimen.bytes.len();
        for (length, filler) in [(0, 0), (head, 0), (head + 900, 7), (whole, 1)] {
            let folder = tempfile::TempDir::new().unwrap();
            let path = folder.path().join(&specimen.name);
            fs::write(&path, &specimen.bytes).unwrap();
            let source = source::open(&path).unwrap();
            let opened = specimen.open_from(source).unwrap();
            let cache = BlockCache::with_bytes(10_000);
            let expected = opened.probe(0, entry, &cache).unwrap();
            fs::write(&path, vec![filler; length]).unwrap();
            assert_eq!(opened.probe(0, entry, &cache).unwrap(), expected);
            assert_corrupt(&opened.load().unwrap_err(), &specimen);
        }
    }
}
