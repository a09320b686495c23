//! Tests: blocks and models survive encoding and decoding. `store::tests` damages them.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::contexts::{symbol, symbol_of_result};
use super::*;
use crate::index::{BitSet, Index, Material, Rows};
use crate::random::Random;
use crate::rules::Rules;
use crate::store::codec::{
    Block, Coverage, Model, Parameters, RowDecoder, SetMarks, UNKNOWN, context, is_even, value,
    value_of_result,
};
use crate::store::profile::{Compression, Profile};
use crate::value::Metric;

const RULES: Rules = Rules::STANDARD;
const THREE: Material = Material::new(3, 3);

#[test]
fn symbols_are_in_the_order_of_values() {
    for byte in 0..=255 {
        assert_eq!(value(symbol(byte)), byte);
    }
    let order = [2, 4, 254, 0, 255, 3, 1].map(symbol);
    assert!(order.is_sorted(), "{order:?}");
    assert_eq!([symbol(1), symbol(254)], [UNKNOWN, ESCAPE]);
    for byte in 0..=255 {
        let result = Metric::Wdl.of_byte(byte);
        assert_eq!(value_of_result(symbol_of_result(byte)), result);
    }
}

#[test]
fn quotients_are_those_of_a_division() {
    let mut random = Random::new(1);
    for frequency in 1..=4096 {
        let limit = u64::from(frequency) << 20;
        let edges =
            (1..=64).flat_map(|n| [n * u64::from(frequency), limit - n * u64::from(frequency)]);
        let edges = edges.flat_map(|state| [state - 1, state, state + 1]);
        let others = std::iter::repeat_with(|| random.below(limit as usize) as u64).take(64);
        for state in edges.chain(others).filter(|&state| state < limit) {
            let state = state as u32;
            assert_eq!(
                quotient(state, frequency),
                state / frequency,
                "{state} / {frequency}"
            );
        }
    }
}

fn parameters(columns: u16, metric: Metric, compression: Compression) -> Parameters {
    let profile = Profile {
        metric,
        compression,
    };
    Parameters { profile, columns }
}

/// A table's values, its layout, and a model trained on a part of it.
struct CodedTable {
    index: Index,
    values: Vec<u8>,
    shape: TableShape,
    bytes: Vec<u8>,
    model: Model,
}

impl CodedTable {
    fn new(material: Material, coverage: Coverage, parameters: Parameters) -> CodedTable {
        let metric = parameters.profile.metric;
        let values = (0..material.entries()).map(|i| metric.of_byte((i / 3 % 60) as u8));
        let values: Vec<u8> = values.collect();
        let index = Index::new(material);
        let shape = TableShape::new(&RULES, material, coverage, parameters);
        let mut training = Training::default();
        let mut scratch = BlockScratch::default();
        let columns = index.columns().count();
        for (row, values) in values.chunks(columns).enumerate().step_by(12) {
            let row = shape.row(index.rows().set(row));
            for block in 0..shape.blocks() {
                let values = &values[shape.columns_of(block)];
                training.add(&shape, &row, block, values, &mut scratch);
            }
        }
        let bytes = training.into_model(Budget::of(parameters.profile.compression));
        CodedTable {
            model: Model::from_bytes(&bytes).unwrap(),
            index,
            values,
            shape,
            bytes,
        }
    }

    /// A row of zeros in 3-3, with one distribution for all contexts: symbols and their frequencies.
    fn with_distribution(symbols: &[(u8, u16)], parameters: Parameters) -> CodedTable {
        let index = Index::new(THREE);
        let mut bytes = vec![0, 0, 0, 4];
        for &(symbol, frequency) in symbols {
            bytes.push(symbol);
            bytes.extend(frequency.to_le_bytes());
        }
        CodedTable {
            model: Model::from_bytes(&bytes).unwrap(),
            shape: TableShape::new(&RULES, THREE, Coverage::All, parameters),
            values: vec![0; index.columns().count()],
            index,
            bytes,
        }
    }

    fn rows(&self) -> impl Iterator<Item = (usize, &[u8])> {
        let rows = self.values.chunks(self.index.columns().count());
        rows.enumerate()
    }

    fn row(&self, number: usize) -> RowShape {
        self.shape.row(self.index.rows().set(number))
    }

    /// Encodes the blocks of a row.
    fn encode(&self, row: usize, values: &[u8]) -> Vec<Vec<u8>> {
        let encoder = Encoder::new(&self.shape, &self.bytes).unwrap();
        let row = self.row(row);
        let mut scratch = EncoderScratch::default();
        let encode = |block| {
            let mut bytes = Vec::new();
            let values = &values[self.shape.columns_of(block)];
            encoder.encode(&row, block, values, &mut scratch, &mut bytes);
            bytes
        };
        (0..self.shape.blocks()).map(encode).collect()
    }

    /// Decodes the first values of a block.
    fn decode(
        &self,
        row: usize,
        block: usize,
        bytes: &[u8],
        length: usize,
    ) -> Result<Vec<u8>, &'static str> {
        let mut values = vec![9; length];
        let mut scratch = BlockScratch::default();
        let block = Block {
            shape: self.shape.block(block),
            bytes,
            values: &mut values,
        };
        let decoder = RowDecoder {
            shape: &self.shape,
            model: &self.model,
            row: &self.row(row),
        };
        decoder.decode([(block, &mut scratch)])?;
        Ok(values)
    }

    /// Asserts that each column has its block, and that decoding returns the values of a row that
    /// the rules say are stored; returns their number.
    fn check(&self, number: usize, values: &[u8]) -> usize {
        let row = self.row(number);
        let (mut stored, mut next) = (0, 0);
        for (block, bytes) in self.encode(number, values).iter().enumerate() {
            let columns = self.shape.columns_of(block);
            assert_eq!(columns.start, next);
            assert!(!columns.is_empty() && columns.len() <= context::MOST_COLUMNS);
            next = columns.end;
            let expected = columns.clone().map(|column| {
                assert_eq!(self.shape.block_with(column), (block, columns.clone()));
                let (mover, waiting) = self.index.sets(number * values.len() + column);
                let holds = self.shape.coverage.holds(&RULES, mover, waiting);
                assert_eq!(self.shape.holds(&row, column), holds);
                stored += usize::from(holds);
                values[column] * u8::from(holds)
            });
            let expected: Vec<u8> = expected.collect();
            for length in [columns.len(), columns.len() / 3, 1, 0] {
                let decoded = self.decode(number, block, bytes, length);
                assert_eq!(decoded.unwrap(), expected[..length]);
            }
        }
        assert_eq!(next, values.len());
        stored
    }
}

/// Entries in which the waiting side has a set of every `every`-th row, as in the placing phase,
/// where stones from the hand close mills.
fn possible(stones: u8, every: usize) -> Coverage {
    let all = Rows::of(stones).len();
    let mut rows = BitSet::new(all);
    (0..all).step_by(every).for_each(|row| rows.insert(row));
    let sets = SetMarks::of_rows(stones, &rows);
    Coverage::Possible((0..all as u32).collect(), Arc::new(sets))
}

#[test]
fn blocks_of_every_kind_of_table_round_trip() {
    let pairs = [
        (3, 3, Coverage::All),
        (6, 3, Coverage::All),
        (4, 4, Coverage::EvenOrClosing),
        (4, 4, Coverage::EvenBoth),
        (5, 4, Coverage::All),
        (5, 4, Coverage::EvenMover),
    ];
    let each = [Metric::Depth, Metric::Wdl].map(|metric| {
        let each = [
            parameters(256, metric, Compression::Quick),
            parameters(4096, metric, Compression::Max),
        ];
        each.map(|parameters| pairs.clone().map(|pair| (pair, parameters)))
    });
    let plies = [(3, 3, 1), (3, 3, 4), (4, 3, 9), (3, 4, 2), (4, 4, 5)];
    let plies = plies.map(|(mover, waiting, every)| {
        let metric = [Metric::Depth, Metric::Wdl][every % 2];
        (
            (mover, waiting, possible(waiting, every)),
            parameters(512, metric, Compression::Quick),
        )
    });
    let pairs = each.into_iter().flatten().flatten();
    for ((mover, waiting, coverage), parameters) in pairs.chain(plies) {
        let omits_rows = coverage.omits_rows();
        let table = CodedTable::new(Material::new(mover, waiting), coverage, parameters);
        let is_stored = |row| !omits_rows || is_even(table.index.rows().set(row));
        let rows = table.rows().filter(|&(row, _)| is_stored(row));
        let mut random = Random::new(2);
        let mut stored = 0;
        for (row, values) in rows.step_by(31) {
            stored += table.check(row, values);
            // Values that the model does not expect.
            let others = values.iter().map(|_| random.word() as u8);
            let others: Vec<u8> = others
                .map(|byte| parameters.profile.metric.of_byte(byte))
                .collect();
            table.check(row, &others);
        }
        assert!(stored > 1000, "{stored}");
    }
}

/// A block takes no more bytes than its state needs: none if every symbol is the first of its
/// distribution, and words only after a state of three or four bytes.
#[test]
fn blocks_of_few_bytes_round_trip() {
    const KEYS: [(u8, u16); 3] = [(127, 100), (0, 3980), (ESCAPE, 16)];
    // Draws, wins in 1, and all else by the escape.
    let parameters = parameters(256, Metric::Depth, Compression::Quick);
    let table = CodedTable::with_distribution(&KEYS, parameters);
    let mut lengths = BTreeSet::new();
    // The draws before the last value, with frequency 100 of 4096, take 5.4 bits each. Those after
    // it leave the state at 0.
    for last in 0..120 {
        for value in [2, 4, 3, 255] {
            let mut values = table.values.clone();
            values[last] = value;
            table.check(0, &values);
            let blocks = table.encode(0, &values);
            lengths.insert(blocks[0].len());
            assert!(blocks[1..].iter().all(Vec::is_empty));
            // A shorter block has another state or lacks a word.
            for cut in 0..blocks[0].len() {
                let all = table.shape.columns_of(0).len();
                let decoded = table.decode(0, 0, &blocks[0][..cut], all);
                assert_ne!(decoded.as_deref(), Ok(&values[..all]));
            }
        }
    }
    assert!(table.encode(0, &table.values).iter().all(Vec::is_empty));
    for length in 1..=9 {
        assert!(lengths.contains(&length), "{lengths:?}");
    }
}

/// A damaged file without depths may have a model with other symbols than the three results.
#[test]
fn symbols_that_no_writer_makes_are_losses() {
    for (most, compression) in [(256, Compression::Quick), (2048, Compression::Max)] {
        let parameters = parameters(most, Metric::Wdl, compression);
        let table = CodedTable::with_distribution(&[(200, 4095), (ESCAPE, 1)], parameters);
        let length = table.shape.columns_of(0).len();
        assert_eq!(table.decode(0, 0, &[], length), Ok(vec![1; length]));
    }
}
