//! Blocks come back, models do, and hostile bytes do no harm.

use std::sync::LazyLock;

use proptest::prelude::*;

use super::*;
use crate::index::{Index, Material};
use crate::retro;
use crate::rules::Rules;

const RULES: Rules = Rules::STANDARD;

#[test]
fn keys_are_the_values_in_order() {
    for byte in 0..=255 {
        assert_eq!(value(key(byte)), byte);
    }
    let order = [2, 4, 254, 0, 255, 3, 1].map(key);
    assert!(order.is_sorted(), "{order:?}");
    assert_eq!([key(1), key(254)], [UNKNOWN, ESCAPE]);
}

/// A table's real values, a shape, and a model trained on a part of it.
struct Specimen {
    index: Index,
    values: Vec<u8>,
    shape: Shape,
    bytes: Vec<u8>,
    model: Model,
}

impl Specimen {
    fn new(mover: u8, waiting: u8, stored: Stored, effort: Effort) -> Specimen {
        let material = Material { mover, waiting };
        let db = crate::Database::embedded(RULES);
        let values = match cfg!(feature = "embedded") {
            true => retro::load(&db, material).unwrap().to_vec(),
            // Without real values, some that are like them.
            false => (0..material.entries())
                .map(|i| (i / 3 % 60) as u8)
                .collect(),
        };
        let index = Index::new(material);
        let shape = Shape::new(&RULES, material, stored, effort);
        let mut training = Training::default();
        let mut scratch = Scratch::default();
        for (row, values) in values
            .chunks(index.columns().count())
            .enumerate()
            .step_by(3)
        {
            let row = shape.row(index.rows().set(row));
            for columns in (0..shape.blocks()).map(|block| shape.columns_of(block)) {
                let start = columns.start;
                training.add(&shape, &row, start, &values[columns], &mut scratch);
            }
        }
        let bytes = training.into_model(effort);
        Specimen {
            model: Model::from_bytes(&bytes).unwrap(),
            index,
            values,
            shape,
            bytes,
        }
    }

    /// The row's values, and what its blocks encode to.
    fn encode(&self, row: usize, values: &[u8]) -> Vec<Vec<u8>> {
        let encoder = Encoder::new(&self.shape, &self.model);
        let row = self.shape.row(self.index.rows().set(row));
        let mut scratch = Scratch::default();
        let blocks = 0..self.shape.blocks();
        let encode = |block| {
            let mut bytes = Vec::new();
            let columns = self.shape.columns_of(block);
            let start = columns.start;
            encoder.encode(&row, start, &values[columns], &mut scratch, &mut bytes);
            bytes
        };
        blocks.map(encode).collect()
    }

    fn decode_with(
        &self,
        model: &Model,
        row: usize,
        block: usize,
        bytes: &[u8],
        length: usize,
    ) -> Result<Vec<u8>, &'static str> {
        let row = self.shape.row(self.index.rows().set(row));
        let columns = self.shape.columns_of(block);
        let mut values = vec![9; length];
        let shape = &self.shape;
        let mut scratch = Scratch::default();
        decode(
            shape,
            model,
            &row,
            columns,
            bytes,
            &mut values,
            &mut scratch,
        )?;
        Ok(values)
    }

    /// Whether a row of values comes back, as far as it is stored.
    fn check(&self, number: usize, values: &[u8]) {
        let row = self.shape.row(self.index.rows().set(number));
        for (block, bytes) in self.encode(number, values).iter().enumerate() {
            let columns = self.shape.columns_of(block);
            let expected: Vec<u8> = columns
                .clone()
                .map(|column| match self.shape.holds(&row, column) {
                    true => values[column],
                    false => 0,
                })
                .collect();
            for length in [columns.len(), columns.len() / 3, 1, 0] {
                let decoded = self.decode_with(&self.model, number, block, bytes, length);
                let decoded = decoded.unwrap();
                assert_eq!(decoded, expected[..length]);
            }
        }
    }
}

#[test]
fn blocks_come_back_from_every_kind_of_table() {
    for effort in [Effort::QUICK, Effort::MAX] {
        for (mover, waiting, stored) in [
            (3, 3, Stored::All),
            (6, 3, Stored::All),
            (4, 4, Stored::EvenOrClosing),
            (4, 4, Stored::Even),
            (5, 4, Stored::All),
        ] {
            let specimen = Specimen::new(mover, waiting, stored, effort);
            let rows = specimen.values.chunks(specimen.index.columns().count());
            for (row, values) in rows.enumerate().step_by(7) {
                specimen.check(row, values);
            }
        }
    }
}

#[test]
fn every_column_has_its_block() {
    for (mover, waiting) in [(3, 3), (4, 4), (9, 8), (7, 7)] {
        let material = Material { mover, waiting };
        for (effort, stored) in [
            (Effort::QUICK_WITH_GAPS, Stored::EvenOrClosing),
            (Effort::MAX, Stored::Even),
        ] {
            let shape = Shape::new(&RULES, material, stored, effort);
            let mut next = 0;
            for block in 0..shape.blocks() {
                let columns = shape.columns_of(block);
                assert_eq!(columns.start, next);
                assert!(!columns.is_empty() && columns.len() <= context::MOST_COLUMNS);
                assert!(
                    columns
                        .clone()
                        .all(|column| shape.block_of(column) == block)
                );
                next = columns.end;
            }
            assert_eq!(next, Index::new(material).columns().count());
        }
    }
}

#[test]
fn what_a_shape_holds_is_what_the_rules_say() {
    for stored in [Stored::All, Stored::EvenOrClosing, Stored::Even] {
        let material = Material {
            mover: 5,
            waiting: 5,
        };
        let shape = Shape::new(&RULES, material, stored, Effort::QUICK);
        let index = Index::new(material);
        let columns = index.columns().count();
        for number in (0..index.rows().len()).step_by(50) {
            let row = shape.row(index.rows().set(number));
            for column in 0..columns {
                let (mover, waiting) = index.sets(number * columns + column);
                let expected = stored.holds(&RULES, mover, waiting);
                assert_eq!(shape.holds(&row, column), expected);
            }
        }
    }
}

static SMALL: LazyLock<Specimen> =
    LazyLock::new(|| Specimen::new(3, 3, Stored::All, Effort::QUICK));

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Values that no training saw come back, too.
    #[test]
    fn any_values_come_back(seed: Vec<u8>, number in 0usize..158) {
        let columns = SMALL.index.columns().count();
        let values: Vec<u8> = match seed.is_empty() {
            true => vec![255; columns],
            false => seed.iter().copied().cycle().take(columns).collect(),
        };
        SMALL.check(number, &values);
    }

    /// Damage does no harm; finding all of it is the checksums' task.
    #[test]
    fn damaged_blocks_and_models_do_no_harm(
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut: prop::sample::Index,
        cuts: bool,
    ) {
        let damaged = |bytes: &[u8]| {
            let mut bytes = bytes.to_vec();
            for (place, byte) in &damage {
                *place.get_mut(&mut bytes) = *byte;
            }
            if cuts {
                bytes.truncate(cut.index(bytes.len()));
            }
            bytes
        };
        let blocks = SMALL.encode(0, &SMALL.values[..SMALL.index.columns().count()]);
        let model = Model::from_bytes(&damaged(&SMALL.bytes));
        for (number, block) in blocks.iter().enumerate() {
            let length = SMALL.shape.columns_of(number).len();
            let _ = SMALL.decode_with(&SMALL.model, 0, number, &damaged(block), length);
            if let Some(model) = &model {
                let _ = SMALL.decode_with(model, 0, number, block, length);
            }
        }
    }
}
