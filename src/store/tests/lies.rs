//! Malicious files may have correct checksums: values may then be wrong, but nothing worse happens.
//! Each test counts how many such files are refused and how many are accepted.

use std::sync::Arc;

use super::parts::{
    COLUMNS, FILE_LENGTH, HEAD_LENGTH, KIND, METRIC, NEAR, Parts, RULES, SLIDES, TABLES, VERSION,
    add_varint, repair, repair_all,
};
use super::specimen::{Random, Specimen, sources};
use crate::store::cache::BlockCache;
use crate::store::*;

/// The number of files refused, at opening or later, and of files that gave values.
#[derive(Default, Debug)]
struct Outcome {
    refused: usize,
    read: usize,
}

impl Outcome {
    /// Loads and probes a file, which must give values or an error about the file.
    fn add(&mut self, specimen: &Specimen, bytes: &[u8]) {
        match self.end(specimen, bytes) {
            Ok(()) => self.read += 1,
            Err(DbError::Corrupt { offset, .. }) => {
                assert!(offset <= bytes.len().max(specimen.bytes.len()) as u64);
                self.refused += 1;
            }
            Err(DbError::OtherRules { .. } | DbError::OtherVersion { .. }) => self.refused += 1,
            Err(other) => panic!("{other}"),
        }
    }

    fn end(&self, specimen: &Specimen, bytes: &[u8]) -> Result<(), DbError> {
        let opened = specimen.open(bytes)?;
        let cache = BlockCache::with_bytes(10_000);
        let mut random = Random::new(9);
        let mut probes = Ok(());
        for _ in 0..5 {
            let number = random.below(specimen.values.len());
            let entry = random.below(specimen.values[number].len());
            probes = probes.and(opened.probe(number, entry, &cache).map(drop));
        }
        let loaded = opened.load()?;
        probes?;
        for (found, written) in loaded.iter().zip(&specimen.values) {
            assert_eq!(found.len(), written.len());
        }
        Ok(())
    }
}

#[test]
fn heads_with_wrong_bytes_do_not_panic() {
    for specimen in Specimen::both(20_000) {
        let head = specimen.layout.head.end - 8;
        let model = specimen.layout.models[0].clone();
        let mut random = Random::new(3);
        let mut outcome = Outcome::default();
        for number in 0..2000 {
            let mut bytes = specimen.bytes.clone();
            for _ in 0..=random.below(3) {
                // The prefix, the schema, and the lengths around the model in turn.
                let place = match number % 3 {
                    0 => random.below(40),
                    1 => 40 + random.below(specimen.layout.schema.end - 40),
                    _ => random.below(head - model.len()),
                };
                let place = if place < model.start {
                    place
                } else {
                    place + model.len()
                };
                bytes[place.min(head - 1)] = random.word() as u8;
            }
            repair(&mut bytes, [specimen.layout.head.clone()]);
            outcome.add(&specimen, &bytes);
        }
        assert!(
            outcome.refused > 1000 && outcome.read > 100,
            "{}: {outcome:?}",
            specimen.name()
        );
    }
}

#[test]
fn wrong_fields_of_the_prefix_are_named() {
    let long = u64::MAX.to_le_bytes();
    for specimen in Specimen::both(20_000) {
        let size = specimen.bytes.len() as u64;
        let other_kind = 1 - specimen.bytes[KIND];
        let cases: [(usize, &[u8], &str); 14] = [
            (0, b"\x89", "wrong magic"),
            (HEAD_LENGTH.start, &[0; 4], "length of the head"),
            (HEAD_LENGTH.start, &[47, 0, 0, 0], "length of the head"),
            (HEAD_LENGTH.start, &long[..4], "length of the head"),
            (FILE_LENGTH.start, &long, "wrong size"),
            (FILE_LENGTH.start, &(size - 1).to_le_bytes(), "wrong size"),
            (KIND, &[other_kind], "wrong kind"),
            (KIND, &[2], "unknown kind"),
            (METRIC, &[2], "unknown metric"),
            (COLUMNS.start, &[63, 0], "unknown encoding"),
            (COLUMNS.start, &[1, 32], "unknown encoding"),
            (NEAR, &[15], "unknown encoding"),
            (SLIDES, &[6], "unknown encoding"),
            (TABLES.start, &[0, 0], ""),
        ];
        for (place, wrong, words) in cases {
            let mut bytes = specimen.bytes.clone();
            bytes[place..][..wrong.len()].copy_from_slice(wrong);
            repair_all(&mut bytes, &specimen.layout);
            for source in sources(&bytes) {
                let error = specimen.open_from(source).err().unwrap();
                let text = error.to_string();
                assert!(matches!(error, DbError::Corrupt { .. }), "{text}");
                assert!(text.contains(words), "{text}");
            }
        }
        let mut bytes = specimen.bytes.clone();
        bytes[RULES.start] ^= 1;
        repair_all(&mut bytes, &specimen.layout);
        let error = specimen.open(&bytes).err().unwrap();
        assert!(matches!(error, DbError::OtherRules { .. }), "{error}");
        bytes[VERSION.start] = 4;
        repair_all(&mut bytes, &specimen.layout);
        let error = specimen.open(&bytes).err().unwrap();
        assert!(
            matches!(error, DbError::OtherVersion { version: 4, .. }),
            "{error}"
        );
    }
}

/// Changes the parts of a file, reassembles it with correct checksums, and returns the error of
/// opening or loading it.
fn error_of(specimen: &Specimen, change: impl FnOnce(&mut Parts)) -> Option<String> {
    let mut parts = specimen.parts.clone();
    change(&mut parts);
    let (bytes, _) = parts.put_together();
    let results = sources(&bytes).map(|source| specimen.open_from(source)?.load());
    let errors = results.map(|result| match result {
        Ok(_) => None,
        Err(error) => {
            let expected = matches!(error, DbError::Corrupt { .. } | DbError::OtherRules { .. });
            assert!(expected, "{error}");
            Some(error.to_string())
        }
    });
    assert_eq!(errors[0], errors[1]);
    assert_eq!(errors[0], errors[2]);
    let [error, ..] = errors;
    error
}

#[test]
fn wrong_fields_of_schema_and_tables_are_named() {
    for specimen in Specimen::both(20_000) {
        type Change = fn(&mut Parts);
        let cases: [(Change, &str); 14] = [
            (|parts| parts.schema[0] ^= 7, ""),
            (|parts| parts.schema[1] ^= 7, "wrong"),
            (|parts| parts.schema[2] = 3, ""),
            (|parts| parts.schema[2] = 1, ""),
            (|parts| parts.schema.push(0), "follow the last field"),
            (
                |parts| parts.schema.truncate(parts.schema.len() - 1),
                "expected",
            ),
            (|parts| parts.schema.clear(), "the head ends too soon"),
            (|parts| parts.tables.clear(), "number of tables"),
            (
                |parts| parts.tables.push(parts.tables[0].clone()),
                "number of tables",
            ),
            (
                |parts| parts.tables[0].rows.push(Arc::default()),
                "number of rows",
            ),
            (|parts| drop(parts.tables[0].rows.pop()), "number of rows"),
            (|parts| parts.tables[0].rows.clear(), "number of rows"),
            (|parts| parts.tables[0].model.push(0), "model"),
            (|parts| parts.tables[0].model.clear(), "model"),
        ];
        for (number, (change, words)) in cases.into_iter().enumerate() {
            let error = error_of(&specimen, change);
            let error = error.unwrap_or_else(|| panic!("case {number} of {}", specimen.name()));
            assert!(error.contains(words), "{error}");
        }
        assert_eq!(error_of(&specimen, |_| ()), None);
        // Lengths of three bytes are allowed where two would do.
        assert_eq!(error_of(&specimen, |parts| parts.tables[0].width = 3), None);

        // More counts than a histogram has, and more positions than the table.
        let counts = specimen.parts.schema.len() - if specimen.values.len() == 1 { 0 } else { 2 };
        let mut schema = specimen.parts.schema[..3.min(counts)].to_vec();
        if specimen.values.len() > 1 {
            schema = specimen.parts.schema[..4].to_vec();
        }
        for (histogram, words) in [
            (&[0x81, 2][..], "at most 256 counts"),
            (
                &[1, 0xff, 0xff, 0xff, 0xff, 0x7f],
                "positions in the histogram",
            ),
            (&[0xff; 9], "expected a number"),
        ] {
            let lie = [&schema, histogram].concat();
            let error = error_of(&specimen, |parts| parts.schema = lie).unwrap();
            assert!(error.contains(words), "{error}");
        }
    }
}

/// Numbers of rows and lengths of models in the head that exceed the file.
#[test]
fn tables_longer_than_the_file_are_detected() {
    for specimen in Specimen::both(20_000) {
        for wrong in [1 << 14, 170_854, 170_855, u64::MAX >> 1] {
            // In place of the first table's number of rows, then of the length of its model.
            for skipped in [0, 1] {
                let mut table = Vec::new();
                let rows = specimen.parts.tables[0].rows.len() as u64;
                add_varint(&mut table, if skipped == 0 { wrong } else { rows });
                table.push(2);
                if skipped == 1 {
                    add_varint(&mut table, wrong);
                }
                let begin = specimen.layout.tables[0];
                let mut bytes = specimen.bytes[..begin].to_vec();
                bytes.extend(&table);
                let model = &specimen.parts.tables[0].model;
                if skipped == 0 {
                    add_varint(&mut bytes, model.len() as u64);
                }
                bytes.extend(&specimen.bytes[specimen.layout.models[0].start..]);
                let more = bytes.len() - specimen.bytes.len();
                let head = 0..specimen.layout.head.end + more;
                let size = bytes.len() as u64;
                bytes[HEAD_LENGTH].copy_from_slice(&(head.end as u32).to_le_bytes());
                bytes[FILE_LENGTH].copy_from_slice(&size.to_le_bytes());
                repair(&mut bytes, [head]);
                let error = specimen.load(&bytes).unwrap_err();
                assert!(matches!(error, DbError::Corrupt { .. }), "{error}");
            }
        }
    }
}

#[test]
fn models_with_wrong_contents_do_not_panic() {
    for specimen in Specimen::both(3) {
        let mut random = Random::new(11);
        let mut outcome = Outcome::default();
        for _ in 0..300 {
            let mut bytes = specimen.bytes.clone();
            for model in &specimen.layout.models {
                for _ in 0..=random.below(3) {
                    // Often change the lists of bins, on which the tree depends.
                    let end = if random.below(2) == 0 {
                        model.len()
                    } else {
                        model.len().min(40)
                    };
                    bytes[model.start + random.below(end)] = random.word() as u8;
                }
            }
            repair(&mut bytes, [specimen.layout.head.clone()]);
            outcome.add(&specimen, &bytes);
        }
        assert!(outcome.refused > 150, "{}: {outcome:?}", specimen.name());
    }
}

/// A distribution in which the escape has all the frequency predicts nothing: every symbol takes 8
/// bits, and any bytes of a block decode to values.
#[test]
fn a_model_with_only_escapes_is_valid() {
    for specimen in Specimen::both(20_000) {
        const ESCAPE: u8 = 126;
        let nothing = [0, 0, 0, 4, ESCAPE, 0, 16];
        let mut parts = specimen.parts.clone();
        for table in &mut parts.tables {
            table.model = nothing.to_vec();
        }
        let (bytes, _) = parts.put_together();
        let opened = specimen.open(&bytes).unwrap();
        // All blocks are too short for that many bits, and their states too small for a draw.
        let error = opened.load().err();
        assert!(matches!(error, None | Some(DbError::Corrupt { .. })));
        for wrong in [
            &nothing[..6],
            &[0, 0, 0, 4, ESCAPE, 255, 15],
            &[0, 0, 0, 5, 1, 0],
        ] {
            for table in &mut parts.tables {
                table.model = wrong.to_vec();
            }
            let error = specimen.load(&parts.put_together().0).unwrap_err();
            assert!(error.to_string().contains("model"), "{error}");
        }
    }
}

#[test]
fn pages_with_wrong_offsets_do_not_panic() {
    for specimen in Specimen::both(3) {
        let page = specimen.layout.pages[0].clone();
        let size = specimen.bytes.len() as u64;
        let first = specimen.layout.rows[0][0].clone();
        let mut cases: Vec<(usize, Vec<u8>)> = Vec::new();
        for start in [
            0,
            1,
            size,
            size - 1,
            size + 1,
            u64::MAX,
            u64::MAX - 9,
            first.start as u64 - 1,
        ] {
            cases.push((page.start, start.to_le_bytes().to_vec()));
        }
        for length in [
            0u16,
            1,
            3,
            4,
            first.len() as u16 - 1,
            first.len() as u16 + 1,
            u16::MAX,
        ] {
            cases.push((page.start + 8, length.to_le_bytes().to_vec()));
        }
        for (place, wrong) in cases {
            let mut bytes = specimen.bytes.clone();
            bytes[place..][..wrong.len()].copy_from_slice(&wrong);
            repair_all(&mut bytes, &specimen.layout);
            for source in sources(&bytes) {
                let opened = specimen.open_from(source).unwrap();
                let error = opened.load_table(0).unwrap_err();
                assert!(matches!(error, DbError::Corrupt { .. }), "{error}");
                // The other tables have pages of their own.
                for number in 1..specimen.values.len() {
                    assert!(opened.load_table(number).unwrap() == specimen.values[number]);
                }
            }
        }
    }
}

/// A head may state the size of a truncated file: rows that the file still has can be read, the
/// others give errors.
#[test]
fn truncated_files_with_a_matching_size_keep_their_remaining_rows() {
    for specimen in Specimen::both(3) {
        let rows = specimen.layout.rows.iter().flatten();
        let mut ends: Vec<usize> = rows.flat_map(|row| [row.start, row.end - 1]).collect();
        ends.extend(
            specimen
                .layout
                .pages
                .iter()
                .flat_map(|page| [page.start, page.end - 1]),
        );
        let (mut opened_files, mut read) = (0, 0);
        for end in ends.into_iter().step_by(5) {
            let mut bytes = specimen.bytes[..end].to_vec();
            bytes[FILE_LENGTH].copy_from_slice(&(end as u64).to_le_bytes());
            repair(&mut bytes, [specimen.layout.head.clone()]);
            let Ok(opened) = specimen.open(&bytes) else {
                assert!(end < specimen.layout.pages.last().unwrap().end);
                continue;
            };
            opened_files += 1;
            let loaded: Vec<_> = (0..specimen.values.len())
                .map(|number| opened.load_table(number))
                .collect();
            assert!(loaded.iter().any(Result::is_err));
            for (loaded, written) in loaded.into_iter().zip(&specimen.values) {
                match loaded {
                    Ok(values) => {
                        assert!(values == *written);
                        read += 1;
                    }
                    Err(error) => assert!(matches!(error, DbError::Corrupt { .. }), "{error}"),
                }
            }
        }
        assert!(opened_files > 5);
        assert!(read > 0 || specimen.values.len() == 1);
    }
}

/// Rows with wrong contents give wrong values or errors, and no other row does.
#[test]
fn rows_with_wrong_contents_affect_only_themselves() {
    for specimen in Specimen::both(3) {
        let mut random = Random::new(6);
        let (mut errors, mut wrong) = (0, 0);
        let row = 1;
        for _ in 0..300 {
            let mut parts = specimen.parts.clone();
            let bytes = Arc::make_mut(&mut parts.tables[0].rows[row]);
            for _ in 0..=random.below(4) {
                let place = random.below(bytes.len());
                bytes[place] = random.word() as u8;
            }
            let (bytes, layout) = parts.put_together();
            let opened = specimen.open(&bytes).unwrap();
            let table = opened.table(0).unwrap();
            let columns = table.index().columns().count();
            let place = table.row_at(row) * columns;
            match opened.load_table(0) {
                Ok(values) => {
                    assert!(values[..place] == specimen.values[0][..place]);
                    assert!(values[place + columns..] == specimen.values[0][place + columns..]);
                    wrong += usize::from(values != specimen.values[0]);
                }
                Err(DbError::Corrupt { offset, .. }) => {
                    assert_eq!(offset, layout.rows[0][row].start as u64);
                    errors += 1;
                }
                Err(other) => panic!("{other}"),
            }
        }
        assert!(
            errors > 100,
            "{}: {errors} errors, {wrong} wrong values",
            specimen.name()
        );
    }
}

/// Lengths of blocks that no writer produces.
#[test]
fn rows_with_wrong_block_lengths_are_detected() {
    for specimen in Specimen::both(3) {
        let opened = specimen.open(&specimen.bytes).unwrap();
        let blocks = opened.table(0).unwrap().shape().blocks();
        let one = |length: u64| {
            let mut lengths = Vec::new();
            add_varint(&mut lengths, length);
            lengths
        };
        let rest = vec![0; blocks - 1];
        let rows = [
            // Nothing, or the lengths end too soon.
            vec![],
            vec![0; blocks - 1],
            vec![0x80; blocks],
            // A number without an end, and one of more than 63 bits.
            vec![0xff; 40],
            [vec![0x80; 9], vec![0], rest.clone()].concat(),
            // Blocks that are longer than the row.
            [one(1), rest.clone()].concat(),
            [one(u64::MAX >> 1), rest.clone()].concat(),
            [one(1 << 32), rest.clone(), vec![0; 9]].concat(),
            // Bytes after the last block.
            [vec![0; blocks], vec![0]].concat(),
        ];
        for (number, row) in rows.into_iter().enumerate() {
            let error = error_of(&specimen, |parts| parts.tables[0].rows[0] = Arc::new(row));
            let error = error.unwrap_or_else(|| panic!("row {number} of {}", specimen.name()));
            assert!(error.contains("row"), "{error}");
        }
    }
}
