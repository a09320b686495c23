//! The solver's values, every single one, against plain value iteration; and that they are the same
//! for any number of threads.
#![cfg(feature = "build")]

mod common;
mod plain;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use common::{library_set, plain_rules};
use millbase::index::Index;
use millbase::{Material, Pair, Position, Rules, Value, Wdl, retro};
use plain::PlainRules;
use plain::iterate::{self, SMALL_PAIRS, Table, Tables};
use rayon::prelude::*;

/// The solver's tables.
type Solved = BTreeMap<Material, Vec<u8>>;

/// Solves pairs with the library, each after those that its captures lead to.
fn solve(rules: &Rules, pairs: &[(usize, usize)]) -> Solved {
    let mut solved = Solved::new();
    for &(larger, smaller) in pairs {
        let pair = Pair::new(larger as u8, smaller as u8).expect("a pair of the game");
        let load = |material| Ok(solved[&material].clone());
        let tables = retro::solve(rules, pair, load, &()).expect("a pair that can be solved");
        assert_eq!(tables.len(), pair.tables().len());
        solved.extend(
            tables
                .into_iter()
                .map(|table| (table.material, table.values.to_vec())),
        );
    }
    solved
}

/// Solved once for all tests: the standard rules.
static PLAIN: LazyLock<Tables> =
    LazyLock::new(|| iterate::solve(&PlainRules::standard(), &SMALL_PAIRS));
static SOLVED: LazyLock<Solved> = LazyLock::new(|| solve(&Rules::STANDARD, &SMALL_PAIRS));

/// Compares the values of all placements of the stones, and counts them by value.
fn compare(rules: &Rules, material: Material, plain: &Table, values: &[u8]) -> [u64; 256] {
    let index = Index::new(material);
    assert_eq!(values.len(), index.len());
    let compare_row = |mut counts: [u64; 256], &mover| {
        let mine = library_set(mover);
        for (&other, &expected) in plain.others.iter().zip(plain.row(mover)) {
            if mover & other != 0 {
                assert_eq!(expected, iterate::NO_POSITION);
                continue;
            }
            let others = library_set(other);
            let value = values[index.find(mine, others)];
            if value != expected {
                let text = Position::moving(mine, others).text(rules);
                let [value, expected] = [value, expected].map(Value::from_byte);
                panic!("{rules}: {text} is {expected}, but solved as {value}");
            }
            counts[usize::from(value)] += 1;
        }
        counts
    };
    let add = |mut a: [u64; 256], b: [u64; 256]| {
        a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
        a
    };
    plain
        .movers
        .par_iter()
        .fold(|| [0; 256], compare_row)
        .reduce(|| [0; 256], add)
}

/// Compares all tables; the counts by value of each.
fn compare_all(rules: &Rules, plain: &Tables, solved: &Solved) -> BTreeMap<Material, [u64; 256]> {
    assert_eq!(plain.len(), solved.len());
    let compared = solved.iter().map(|(&material, values)| {
        let Material { mover, waiting } = material;
        let table = &plain[&(mover.into(), waiting.into())];
        let counts = compare(rules, material, table, values);
        let placements =
            binomial(24, mover.into()) * binomial(24 - u64::from(mover), waiting.into());
        assert_eq!(counts.iter().sum::<u64>(), placements, "{material:?}");
        (material, counts)
    });
    compared.collect()
}

fn binomial(n: u64, k: u64) -> u64 {
    (0..k).fold(1, |product, i| product * (n - i) / (i + 1))
}

#[test]
fn small_pairs_agree_with_plain_iteration() {
    let counts = compare_all(&Rules::STANDARD, &PLAIN, &SOLVED);
    assert_eq!(counts.len(), 6);

    // What has been published of three stones against three.
    let three = counts[&Material {
        mover: 3,
        waiting: 3,
    }];
    let total = |wdl| -> u64 {
        let bytes = (0..=u8::MAX).filter(|&byte| Value::from_byte(byte).wdl() == wdl);
        bytes.map(|byte| three[usize::from(byte)]).sum()
    };
    assert_eq!(
        [Wdl::Win, Wdl::Draw, Wdl::Loss].map(total),
        [2_232_160, 4_112, 455_648]
    );
    let deepest = (0..=u8::MAX).rfind(|&byte| three[usize::from(byte)] > 0);
    assert_eq!(
        deepest.map(Value::from_byte),
        Some(Value::Loss(millbase::Dtw(26)))
    );
}

#[test]
fn other_rules_agree_with_plain_iteration() {
    let standard = Rules::STANDARD;
    let sliding = Rules {
        flying: 0,
        ..standard
    };
    let variants = [
        Rules {
            diagonals: true,
            ..standard
        },
        sliding,
        // Under the standard rules, and with so few stones, a removal from a mill is never better.
        Rules {
            removal_from_mills: true,
            ..sliding
        },
        Rules {
            flying: 4,
            removal_from_mills: true,
            ..standard
        },
        Rules {
            stones: 12,
            diagonals: true,
            flying: 0,
            removal_from_mills: true,
            ..standard
        },
    ];
    let pairs = &SMALL_PAIRS[..2];
    let mut all = vec![(standard, solve(&standard, pairs))];
    for rules in variants {
        let plain = iterate::solve(&plain_rules(&rules), pairs);
        let solved = solve(&rules, pairs);
        compare_all(&rules, &plain, &solved);
        for (others, other) in &all {
            assert!(solved != *other, "{rules} has the values of {others}");
        }
        all.push((rules, solved));
    }
}

#[test]
fn values_are_the_same_for_any_number_of_threads() {
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.expect("threads");
        let solved = pool.install(|| solve(&Rules::STANDARD, &SMALL_PAIRS));
        assert!(solved == *SOLVED, "{threads} threads give other values");
    }
}

/// The databases that are part of the program are what the solver makes of the standard rules.
#[cfg(feature = "embedded")]
#[test]
fn embedded_databases_hold_the_solved_values() {
    let database = millbase::Database::embedded(Rules::STANDARD);
    let pairs: Vec<Pair> = database.pairs().map(|file| file.pair()).collect();
    assert_eq!(pairs.len(), 6);
    let mut solved = SOLVED.clone();
    for pair in pairs {
        for material in pair.tables() {
            if !solved.contains_key(&material) {
                let load = |material| Ok(solved[&material].clone());
                let tables = retro::solve(&Rules::STANDARD, pair, load, &()).expect("a pair");
                solved.extend(
                    tables
                        .into_iter()
                        .map(|table| (table.material, table.values.to_vec())),
                );
            }
            let loaded = retro::load(&database, material).expect("an embedded table");
            assert!(*loaded == *solved[&material], "{material:?}");
        }
    }
}

/// The histograms, stored and counted, against the placements of the plain iteration. A position
/// has as many placements as it has different images: sixteen by the number of symmetries that
/// leave it as it is. So each placement counts for a sixteenth of that number.
#[cfg(feature = "embedded")]
#[test]
fn histograms_count_distinct_positions() {
    let database = millbase::Database::embedded(Rules::STANDARD);
    let symmetries = common::symmetries();
    for (&(mover, waiting), table) in PLAIN.iter() {
        let mut sixteenths = [0; 256];
        for &mine in &table.movers {
            let keeps_mine = |s: &&[usize; 24]| common::plain_turned(s, mine) == mine;
            let stabiliser: Vec<_> = symmetries.iter().filter(keeps_mine).collect();
            for (&others, &value) in table.others.iter().zip(table.row(mine)) {
                if mine & others == 0 {
                    let keeps_others =
                        |s: &&&[usize; 24]| common::plain_turned(s, others) == others;
                    let kept = match stabiliser.len() {
                        1 => 1,
                        _ => stabiliser.iter().filter(keeps_others).count() as u64,
                    };
                    sixteenths[usize::from(value)] += kept;
                }
            }
        }
        assert!(sixteenths.iter().all(|count| count % 16 == 0));
        let material = Material {
            mover: mover as u8,
            waiting: waiting as u8,
        };
        let expected = millbase::Histogram::from_counts(sixteenths.map(|count| count / 16));
        let stored = database.histogram(material).expect("an embedded table");
        assert_eq!(*stored, expected, "{material:?}");
        let counted = millbase::Histogram::of_table(&Index::new(material), &SOLVED[&material]);
        assert_eq!(counted, expected, "{material:?}");
    }
}
