//! Malicious files may have correct checksums: values may then be wrong, but nothing worse happens.
//! Each test counts how many such files are refused and how many are accepted.

use std::sync::Arc;

use super::parts::{
    COLUMNS, FILE_LENGTH, FileParts, HEAD_LENGTH, KIND, METRIC, NEAR, RULES, SLIDES, TABLES,
    VERSION, repair, repair_all,
};
use super::specimen::{Random, Specimen, is_corrupt, sources};
use crate::store::cache::BlockCache;
use crate::store::*;

/// Loads and probes a file whose head `change` alters, once for each number below `cases`. Each
/// must give values or an error about the file. Returns how many are refused, at opening or later.
fn refused(specimen: &Specimen, cases: usize, mut change: impl FnMut(usize, &mut [u8])) -> usize {
    let mut refused = 0;
    for number in 0..cases {
        let bytes = specimen.changed(|bytes| {
            change(number, bytes);
            repair(bytes, [specimen.layout.head.clone()]);
        });
        if let Err(error) = load_and_probe(specimen, &bytes) {
            assert!(error.is_unusable(), "{error}");
            refused += 1;
        }
    }
    refused
}

fn load_and_probe(specimen: &Specimen, bytes: &[u8]) -> Result<(), DbError> {
    let opened = specimen.open(bytes)?;
    let cache = BlockCache::with_bytes(10_000);
    let mut random = Random::new(9);
    for _ in 0..5 {
        let number = random.below(specimen.values.len());
        opened.probe(number, random.below(specimen.values[number].len()), &cache)?;
    }
    let lengths = |tables: &[Vec<u8>]| tables.iter().map(Vec::len).collect::<Vec<_>>();
    assert_eq!(lengths(&opened.load()?), lengths(&specimen.values));
    Ok(())
}

#[test]
fn heads_and_models_with_wrong_bytes_do_not_panic() {
    for specimen in Specimen::both(20_000) {
        let head = specimen.layout.head.end - 8;
        let model = specimen.layout.models[0].clone();
        let mut random = Random::new(3);
        let refused = refused(&specimen, 2000, |number, bytes| {
            for _ in 0..=random.below(3) {
                // The prefix, the schema, and the lengths around the model in turn.
                let place = match number % 3 {
                    0 => random.below(40),
                    1 => 40 + random.below(specimen.layout.schema.end - 40),
                    _ => random.below(head - model.len()),
                };
                let skipped = if place < model.start { 0 } else { model.len() };
                bytes[(place + skipped).min(head - 1)] = random.word() as u8;
            }
        });
        assert!((1000..1900).contains(&refused), "{refused}");
    }
    for specimen in Specimen::both(3) {
        let mut random = Random::new(11);
        let refused = refused(&specimen, 300, |_, bytes| {
            for model in &specimen.layout.models {
                for _ in 0..=random.below(3) {
                    // Often change the lists of bins, on which the tree depends.
                    let end = [model.len(), model.len().min(40)][random.below(2)];
                    bytes[model.start + random.below(end)] = random.word() as u8;
                }
            }
        });
        assert!(refused > 150, "{refused}");
    }
}

#[test]
fn wrong_fields_of_the_prefix_are_named() {
    let long = u64::MAX.to_le_bytes();
    for specimen in Specimen::both(20_000) {
        let size = specimen.bytes.len() as u64;
        let other_kind = 1 - specimen.bytes[KIND];
        let cases: [(usize, &[u8], &str); 16] = [
            (0, b"\x89", "wrong magic"),
            (VERSION.start, &[4], "has format version 4"),
            (HEAD_LENGTH.start, &[0; 4], "length of the head"),
            (HEAD_LENGTH.start, &[47, 0, 0, 0], "length of the head"),
            (HEAD_LENGTH.start, &long[..4], "length of the head"),
            (FILE_LENGTH.start, &long, "wrong size"),
            (FILE_LENGTH.start, &(size - 1).to_le_bytes(), "wrong size"),
            (RULES.start, &[0, 1], "was built for other rules"),
            (KIND, &[other_kind], "wrong kind"),
            (KIND, &[2], "unknown kind"),
            (METRIC, &[2], "unknown metric"),
            (COLUMNS.start, &[63, 0], "unknown encoding"),
            (COLUMNS.start, &[1, 32], "unknown encoding"),
            (NEAR, &[15], "unknown encoding"),
            (SLIDES, &[6], "unknown encoding"),
            (TABLES.start, &[0, 0], "is corrupted"),
        ];
        for (place, wrong, words) in cases {
            let bytes = specimen.changed(|bytes| {
                bytes[place..][..wrong.len()].copy_from_slice(wrong);
                repair_all(bytes, &specimen.layout);
            });
            for source in sources(&bytes) {
                let error = specimen.open_from(source).err().unwrap();
                assert!(error.is_unusable(), "{error}");
                assert!(error.to_string().contains(words), "{error}");
            }
        }
    }
}

/// Changes the parts of a file, reassembles it with correct checksums, and returns the error of
/// opening or loading it from each source.
fn error_of(specimen: &Specimen, change: impl FnOnce(&mut FileParts)) -> Option<String> {
    let mut parts = specimen.parts.clone();
    change(&mut parts);
    let (bytes, _) = parts.put_together();
    let results = sources(&bytes).map(|source| specimen.open_from(source)?.load());
    let [error, others @ ..] = results.map(|result| {
        let error = result.err()?;
        assert!(error.is_unusable(), "{error}");
        Some(error.to_string())
    });
    assert!(others.iter().all(|other| *other == error));
    error
}

type Change = fn(&mut FileParts);

#[test]
fn wrong_fields_of_schema_and_tables_are_named() {
    let cases: [(Change, &str); 22] = [
        (|parts| parts.schema[0] ^= 7, ""),
        (|parts| parts.schema[1] ^= 7, "wrong"),
        (|parts| parts.schema[2] = 3, ""),
        (|parts| parts.schema[2] = 1, ""),
        (|parts| parts.schema.push(0), "after the last field"),
        (|parts| _ = parts.schema.pop(), "expected"),
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
        // Numbers in the head that exceed the file.
        (|parts| parts.tables[0].stated_rows = Some(1 << 14), ""),
        (|parts| parts.tables[0].stated_rows = Some(170_854), ""),
        (
            |parts| parts.tables[0].stated_rows = Some(170_855),
            "unknown form of a table",
        ),
        (
            |parts| parts.tables[0].stated_rows = Some(u64::MAX >> 1),
            "unknown form of a table",
        ),
        (|parts| parts.tables[0].stated_model = Some(1 << 14), ""),
        (|parts| parts.tables[0].stated_model = Some(170_855), ""),
        (
            |parts| parts.tables[0].stated_model = Some(u64::MAX >> 1),
            "the head ends too soon",
        ),
        (|parts| parts.tables[0].width = 4, "unknown form of a table"),
    ];
    for specimen in Specimen::both(20_000) {
        for (number, (change, words)) in cases.into_iter().enumerate() {
            let error = error_of(&specimen, change);
            let error = error.unwrap_or_else(|| panic!("case {number} of {}", specimen.name));
            assert!(error.contains(words), "{error}");
        }
        assert_eq!(error_of(&specimen, |_| ()), None);
        // Lengths of three bytes are allowed where two would do.
        assert_eq!(error_of(&specimen, |parts| parts.tables[0].width = 3), None);

        // More counts than a histogram has, more positions than the table, and a number without
        // end.
        let before = if specimen.values.len() == 1 { 3 } else { 4 };
        for (histogram, words) in [
            (&[0x81, 2][..], "at most 256 counts"),
            (
                &[1, 0xff, 0xff, 0xff, 0xff, 0x7f],
                "positions in the histogram",
            ),
            (&[0xff; 9], "expected a number"),
        ] {
            let error = error_of(&specimen, |parts| {
                parts.schema.truncate(before);
                parts.schema.extend(histogram);
            });
            assert!(error.unwrap().contains(words));
        }
    }
}

/// A distribution in which the escape has all the frequency predicts nothing: every symbol takes 8
/// bits, and any bytes of a block decode to values.
#[test]
fn a_model_with_only_escapes_is_valid() {
    const ESCAPE: u8 = 126;
    let nothing = [0, 0, 0, 4, ESCAPE, 0, 16];
    for specimen in Specimen::both(20_000) {
        let error_with = |model: &[u8]| {
            error_of(&specimen, |parts| {
                let tables = parts.tables.iter_mut();
                tables.for_each(|table| table.model = model.to_vec());
            })
        };
        // All blocks are too short for that many bits, and their states too small for a draw.
        assert!(error_with(&nothing).is_none_or(|error| error.contains("block")));
        for wrong in [
            &nothing[..6],
            &[0, 0, 0, 4, ESCAPE, 255, 15],
            &[0, 0, 0, 5, 1, 0],
        ] {
            assert!(error_with(wrong).unwrap().contains("model"));
        }
    }
}

#[test]
fn pages_with_wrong_offsets_do_not_panic() {
    for specimen in Specimen::both(3) {
        let page = specimen.layout.pages[0].clone();
        let size = specimen.bytes.len() as u64;
        let row = specimen.layout.rows[0][0].clone();
        let before = row.start as u64 - 1;
        let starts = [
            0,
            1,
            size,
            size - 1,
            size + 1,
            u64::MAX,
            u64::MAX - 9,
            before,
        ];
        let starts = starts.map(|start| (page.start, start.to_le_bytes().to_vec()));
        let length = row.len() as u16;
        let lengths = [0, 1, 3, 4, length - 1, length + 1, u16::MAX];
        let lengths = lengths.map(|length| (page.start + 8, length.to_le_bytes().to_vec()));
        for (place, wrong) in starts.into_iter().chain(lengths) {
            let bytes = specimen.changed(|bytes| {
                bytes[place..][..wrong.len()].copy_from_slice(&wrong);
                repair_all(bytes, &specimen.layout);
            });
            for source in sources(&bytes) {
                let opened = specimen.open_from(source).unwrap();
                let error = opened.load_table(0).unwrap_err();
                assert!(is_corrupt(&error), "{error}");
                // The other tables have pages of their own.
                for number in 1..specimen.values.len() {
                    assert!(opened.load_table(number).unwrap() == specimen.values[number]);
                }
            }
        }
    }
}

/// Rows with wrong contents give wrong values or errors, and no other row does.
#[test]
fn rows_with_wrong_contents_affect_only_themselves() {
    for specimen in Specimen::both(3) {
        let mut random = Random::new(6);
        let mut errors = 0;
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
            let place = table.shape().row_at(row) * columns;
            match opened.load_table(0) {
                Ok(values) => {
                    assert!(values[..place] == specimen.values[0][..place]);
                    assert!(values[place + columns..] == specimen.values[0][place + columns..]);
                }
                Err(DbError::Corrupt { offset, .. }) => {
                    assert_eq!(offset, layout.rows[0][row].start as u64);
                    errors += 1;
                }
                Err(other) => panic!("{other}"),
            }
        }
        assert!(errors > 100, "{}: {errors} errors", specimen.name);
    }
}

/// Lengths of blocks that no writer produces.
#[test]
fn rows_with_wrong_block_lengths_are_detected() {
    for specimen in Specimen::both(3) {
        let opened = specimen.open(&specimen.bytes).unwrap();
        let blocks = opened.table(0).unwrap().shape().blocks();
        let rest = || vec![0; blocks - 1];
        let rows = [
            // Nothing, or the lengths end too soon.
            vec![],
            rest(),
            vec![0x80; blocks],
            // A number without an end, and one of more than 63 bits.
            vec![0xff; 40],
            [vec![0x80; 9], vec![0], rest()].concat(),
            // A first block of 1, 2^63 - 1 and 2^32 bytes, longer than the row.
            [vec![1], rest()].concat(),
            [vec![0xff; 8], vec![0x7f], rest()].concat(),
            [vec![0x80; 4], vec![0x10], rest(), vec![0; 9]].concat(),
            // A byte after the last block.
            vec![0; blocks + 1],
        ];
        for (number, row) in rows.into_iter().enumerate() {
            let error = error_of(&specimen, |parts| parts.tables[0].rows[0] = Arc::new(row));
            let error = error.unwrap_or_else(|| panic!("row {number} of {}", specimen.name));
            assert!(error.contains("row"), "{error}");
        }
    }
}
