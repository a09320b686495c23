//! Tests of the solver: every value agrees with the plain rules, and is the same for any number of
//! threads.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use crate::common::{Random, library_set, plain_position, plain_rules};
use crate::plain::check::{self, Stones, Table, Tables, Wrong};
use millbase::internals::Index;
use millbase::sample::Family;
use millbase::sample::canonical;
use millbase::solve::{BuildRequest, build};
use millbase::store::{Compression, Profile};
use millbase::survey::Survey;
use millbase::survey::rows::{DataRow, RowFilter, table_rows};
use millbase::{
    Blocked, Database, DbError, Dtw, FullBoard, Material, Pair, PointSet, Position, Rules,
    Symmetry, Turn, Value, Wdl, verify,
};

/// The solver's tables.
pub type Solved = BTreeMap<Material, Vec<u8>>;

/// Solves pairs with the library, each after those that its captures lead to.
pub fn solve(rules: &Rules, pairs: &[(usize, usize)]) -> Solved {
    let mut solved = Solved::new();
    for &(larger, smaller) in pairs {
        let pair = Pair::new(larger as u8, smaller as u8).expect("a pair of the game");
        solve_pair(rules, pair, &mut solved);
    }
    solved
}

/// Adds the tables of a pair to those that its captures lead to.
pub fn solve_pair(rules: &Rules, pair: Pair, solved: &mut Solved) {
    let load = |material| Ok(solved[&material].clone());
    let tables = millbase::internals::solve::pair::solve(rules, pair, load, &mut |_| Ok(()));
    let tables = tables.expect("a pair that can be solved");
    assert_eq!(tables.len(), pair.tables(rules).len());
    let tables = tables.into_iter();
    solved.extend(tables.map(|table| (table.material, table.values.to_vec())));
}

/// The pairs that take seconds, each after those that its captures lead to.
const SMALL_PAIRS: [(usize, usize); 4] = [(3, 3), (4, 3), (4, 4), (5, 3)];

/// Solved and checked once for all tests: the standard rules.
static SOLVED: LazyLock<Solved> = LazyLock::new(|| solve(&Rules::STANDARD, &SMALL_PAIRS));
static PLAIN: LazyLock<Tables> = LazyLock::new(|| check_all(&Rules::STANDARD, &SOLVED));

/// The solved values of all placements of the stones.
fn placements(solved: &Solved) -> Tables {
    let table = |(&material, values): (&Material, &Vec<u8>)| {
        let index = Index::new(material);
        assert_eq!(values.len(), index.len());
        let stones = stones_of(material);
        let value = |mover, other| values[index.find(library_set(mover), library_set(other))];
        (stones, Table::new(stones.mover, stones.other, value))
    };
    solved.iter().map(table).collect()
}

pub fn stones_of(material: Material) -> Stones {
    Stones {
        mover: material.mover.into(),
        other: material.waiting.into(),
        mover_hand: material.mover_in_hand.into(),
        other_hand: material.waiting_in_hand.into(),
    }
}

/// Checks the values of all placements, which are returned.
pub fn check_all(rules: &Rules, solved: &Solved) -> Tables {
    let tables = placements(solved);
    for &stones in tables.keys() {
        if let Some(wrong) = check::find_wrong(&plain_rules(rules), &tables, stones) {
            panic!("{rules}: {}", sentence(rules, &wrong));
        }
    }
    tables
}

/// Value iteration from scratch finds the same values of these pairs.
pub fn check_by_iteration(rules: &Rules, pairs: &[Vec<Stones>], values: &Tables) {
    for (stones, iterated) in check::iterate(&plain_rules(rules), pairs) {
        assert!(iterated == values[&stones], "{rules}: {stones:?}");
    }
}

fn on_board(pairs: &[(usize, usize)]) -> Vec<Vec<Stones>> {
    let pairs = pairs.iter().map(|&pair| Stones::on_board(pair));
    pairs.map(Stones::either_to_move).collect()
}

fn sentence(rules: &Rules, wrong: &Wrong) -> String {
    let position = Position::moving(library_set(wrong.mover), library_set(wrong.other));
    let [derived, value] = [wrong.derived, wrong.value].map(Value::from_byte);
    let text = position.text(rules);
    format!("{text} is solved as {value}, but its turns give {derived}")
}

#[test]
fn small_pairs_agree_with_the_plain_rules() {
    assert_eq!(PLAIN.len(), 6);

    check_by_iteration(&Rules::STANDARD, &on_board(&SMALL_PAIRS[..1]), &PLAIN);
    // The published figures for three stones against three.
    let three = &PLAIN[&Stones::on_board((3, 3))];
    let values = || three.positions().map(|(_, _, byte)| byte);
    let is = |wdl| move |&byte: &u8| Value::from_byte(byte).wdl() == wdl;
    assert_eq!(
        [Wdl::Win, Wdl::Draw, Wdl::Loss].map(|wdl| values().filter(is(wdl)).count()),
        [2_232_160, 4_112, 455_648]
    );
    let deepest = values().max().map(Value::from_byte);
    assert_eq!(deepest, Some(Value::Loss(millbase::Dtw(26))));
}

/// The deepest positions and the mutual zugzwangs of the small pairs are those of the checked values, each once up to
/// symmetry.
#[test]
fn records_are_those_of_the_plain_values() {
    let database = Database::embedded(Rules::STANDARD);
    assert_eq!(check_records(&database, &SMALL_PAIRS, &PLAIN), [2, 0, 0, 0]);
    let rules = Rules::NO_FLYING;
    let request = BuildRequest {
        rules,
        pairs: vec![Pair::new(4, 3).unwrap()],
        plies: Default::default(),
        profile: Profile::default(),
    };
    let folder = tempfile::tempdir().unwrap();
    build(folder.path(), &request, &mut |_| ()).unwrap();
    let database = Database::open(folder.path(), rules).unwrap();
    let plain = check_all(&rules, &solve(&rules, &SMALL_PAIRS[..2]));
    let counts = check_records(&database, &SMALL_PAIRS[..2], &plain);
    assert!(counts.iter().all(|&count| count > 10), "{counts:?}");
}

/// Checks the records of these pairs; returns the numbers of mutual zugzwangs.
fn check_records(db: &Database, pairs: &[(usize, usize)], plain: &Tables) -> Vec<u64> {
    let images = |positions: &[Position]| -> BTreeSet<(PointSet, PointSet)> {
        let images = positions.iter().flat_map(|position| {
            Symmetry::all().map(|symmetry| position.with_board_turned(symmetry))
        });
        images
            .map(|image| (image.mover(), image.waiting()))
            .collect()
    };
    let mut counts = Vec::new();
    let pairs: Vec<Pair> = (pairs.iter())
        .map(|&(larger, smaller)| Pair::new(larger as u8, smaller as u8).unwrap())
        .collect();
    let mut survey = Survey::new(db, &pairs).unwrap();
    for &pair in &pairs {
        let records = survey.records(pair, usize::MAX).unwrap();
        for (material, extremes) in &records.tables {
            let table = &plain[&stones_of(*material)];
            for (wdl, deepest) in [(Wdl::Win, &extremes.win), (Wdl::Loss, &extremes.loss)] {
                let bytes = table.positions().map(|(_, _, byte)| byte);
                let most = bytes
                    .filter(|&byte| Value::from_byte(byte).wdl() == wdl)
                    .max();
                let (Some(deepest), Some(most)) = (deepest, most) else {
                    assert!(deepest.is_none() && most.is_none(), "{pair}: {wdl}");
                    continue;
                };
                assert_eq!(deepest.value, Value::from_byte(most), "{pair}");
                let expected = table.positions().filter(|&(_, _, byte)| byte == most);
                let expected = expected
                    .map(|(mover, other, _)| (library_set(mover), library_set(other)))
                    .collect();
                assert!(images(&deepest.found.first) == expected, "{pair}: {wdl}");
                let canonical: BTreeSet<_> = (deepest.found.first.iter())
                    .map(|position| canonical(position).text(db.rules()))
                    .collect();
                assert_eq!(
                    canonical.len() as u64,
                    deepest.found.positions,
                    "{pair}: {wdl}"
                );
            }
        }
        let stones = stones_of(records.tables[0].0);
        let (table, other) = (&plain[&stones], &plain[&stones.exchanged()]);
        let is_lost = |byte| Value::from_byte(byte).wdl() == Wdl::Loss;
        let lost = table.positions().filter(|&(_, _, byte)| is_lost(byte));
        let expected: BTreeSet<(PointSet, PointSet)> = lost
            .filter(|(mover, waiting, _)| {
                let place = other.others.binary_search(mover).unwrap();
                is_lost(other.row(*waiting)[place])
            })
            .map(|(mover, waiting, _)| (library_set(mover), library_set(waiting)))
            .collect();
        let mut found = images(&records.zugzwangs.first);
        if pair.larger() == pair.smaller() {
            let exchanged: Vec<_> = found
                .iter()
                .map(|&(mover, waiting)| (waiting, mover))
                .collect();
            found.extend(exchanged);
        }
        assert!(found == expected, "{pair}");
        let distinct: BTreeSet<_> = (records.zugzwangs.first.iter())
            .map(|position| canonical(position).text(db.rules()))
            .collect();
        assert_eq!(distinct.len() as u64, records.zugzwangs.positions, "{pair}");
        // A few first ones are the first of all.
        let few = Survey::new(db, &[pair]).unwrap().records(pair, 2).unwrap();
        assert_eq!(few.zugzwangs.positions, records.zugzwangs.positions);
        let first = &records.zugzwangs.first;
        assert_eq!(few.zugzwangs.first, first[..first.len().min(2)]);
        counts.push(records.zugzwangs.positions);
    }
    counts
}

/// What is found are the positions of the checked values that satisfy the condition.
#[test]
fn positions_are_found_by_value_and_stones() {
    let db = Database::embedded(Rules::STANDARD);
    let pair = Pair::new(4, 3).unwrap();
    let is_wanted = |value: Value| value.wdl() == Wdl::Win && value.dtw() > Some(Dtw(9));
    let mut found: BTreeMap<Stones, BTreeSet<(PointSet, PointSet)>> = BTreeMap::new();
    let mut count = 0;
    let has_mill =
        |position: &Position| !Rules::STANDARD.board().mills(position.mover()).is_empty();
    let (value, stones) = (&is_wanted, &has_mill);
    let pass = table_rows(
        &db,
        &[Family::Pair(pair)],
        RowFilter { value, stones },
        false,
        |rows| {
            for DataRow {
                position, value, ..
            } in rows
            {
                assert!(is_wanted(value));
                let material = Material::of(position.mover(), position.waiting());
                let images = Symmetry::all().map(|symmetry| position.with_board_turned(symmetry));
                let images = images.map(|image| (image.mover(), image.waiting()));
                found.entry(stones_of(material)).or_default().extend(images);
                count += 1;
            }
            true
        },
    );
    pass.unwrap();
    assert!(count > 400, "{count}");
    for (stones, found) in found {
        let expected = PLAIN[&stones].positions();
        let expected = expected.filter(|&(_, _, byte)| is_wanted(Value::from_byte(byte)));
        let expected: BTreeSet<_> = expected
            .map(|(mover, other, _)| (library_set(mover), library_set(other)))
            .filter(|&(mover, other)| has_mill(&Position::moving(mover, other)))
            .collect();
        assert!(found == expected, "{stones:?}");
    }
    // The pass ends where the caller says so.
    let mut rows = 0;
    let pass = table_rows(&db, &[Family::Pair(pair)], RowFilter::ALL, false, |_| {
        rows += 1;
        rows < 3
    });
    assert!(pass.is_ok() && rows == 3);
}

/// One wrong value is detected, whatever the right and the wrong value are.
#[test]
fn wrong_values_are_found() {
    let right = solve(&Rules::STANDARD, &SMALL_PAIRS[..1]);
    let material = Material::of(PointSet::from_bits(7), PointSet::from_bits(7 << 3));
    let mut random = Random::new(3);
    for wrong in [Value::LOST, Value::Draw, Value::Win(millbase::Dtw(27))] {
        let wrong = wrong.to_byte().expect("a depth that fits");
        let mut solved = right.clone();
        let values = solved.get_mut(&material).expect("the only table");
        let place = loop {
            let position = random.position(3, 3);
            let place = Index::new(material).find(position.mover(), position.waiting());
            if values[place] != wrong {
                break place;
            }
        };
        values[place] = wrong;
        let found = check::find_wrong(
            &plain_rules(&Rules::STANDARD),
            &placements(&solved),
            Stones::on_board((3, 3)),
        );
        assert!(found.is_some(), "{wrong}");
    }
}

/// Rules whose values differ from each other where no side has more than four stones.
fn other_rules() -> Vec<Rules> {
    let passing = Rules {
        blocked: Blocked::Passes,
        ..Rules::NO_FLYING
    };
    vec![
        Rules::NO_FLYING,
        Rules::TWELVE,
        passing,
        Rules {
            flying: 4,
            ..Rules::STANDARD
        },
        // Where sides fly, and with so few stones, a removal from a mill is never better.
        Rules {
            removal_from_mills: true,
            ..Rules::NO_FLYING
        },
        Rules {
            stones: 12,
            diagonals: true,
            removal_from_mills: true,
            ..passing
        },
    ]
}

/// Checks the values of these pairs, which must differ between the rules.
fn check_other_rules(pairs: &[(usize, usize)]) {
    let mut all = vec![(Rules::STANDARD, solve(&Rules::STANDARD, pairs))];
    for rules in other_rules() {
        let solved = solve(&rules, pairs);
        check_all(&rules, &solved);
        for (others, other) in &all {
            assert!(solved != *other, "{rules} has the values of {others}");
        }
        // With so few stones, no turn closes two mills, and no board is full.
        for same in [
            Rules {
                removal_per_mill: true,
                ..rules
            },
            Rules {
                full_board: FullBoard::Draws,
                ..rules
            },
        ] {
            assert!(solve(&same, pairs) == solved, "{same}");
        }
        all.push((rules, solved));
    }
}

#[test]
fn other_rules_agree_with_the_plain_rules() {
    check_other_rules(&SMALL_PAIRS[..2]);
}

/// The same up to 4-4 and for 5-3: minutes.
#[test]
#[ignore = "takes minutes"]
fn other_rules_agree_with_the_plain_rules_in_all_small_pairs() {
    check_other_rules(&SMALL_PAIRS);
    let three = &SMALL_PAIRS[..1];
    for rules in other_rules() {
        check_by_iteration(&rules, &on_board(three), &placements(&solve(&rules, three)));
    }
}

/// Value iteration from scratch, with three sets of rules. `ten` is `standard` with so few stones,
/// and `morabaraba` is `twelve`.
#[test]
#[ignore = "takes minutes"]
fn value_iteration_agrees_up_to_four_against_four() {
    let pairs = &SMALL_PAIRS[..3];
    for rules in [Rules::STANDARD, Rules::NO_FLYING, Rules::TWELVE] {
        check_by_iteration(&rules, &on_board(pairs), &placements(&solve(&rules, pairs)));
    }
}

/// The value of a position, White to move, by the turns of the plain implementation; `value`
/// returns the value bytes of the positions after them.
fn derived(
    rules: &Rules,
    position: &Position,
    value: impl Fn(PointSet, PointSet) -> Value,
) -> Value {
    let plain_rules = plain_rules(rules);
    let plain = plain_position(position);
    if plain.is_drawn(&plain_rules) {
        return Value::Draw;
    }
    let after = plain.turns(&plain_rules).into_iter().map(|turn| {
        let after = plain.after(&turn);
        let set = |side| library_set(after.set_of(side));
        let (mover, waiting) = (set(after.side), set(after.side.enemy()));
        match mover.len() {
            ..3 => Value::LOST,
            _ => value(mover, waiting),
        }
    });
    after.map(Value::backed_up).max().unwrap_or(Value::LOST)
}

fn solved_value(solved: &Solved, mover: PointSet, waiting: PointSet) -> Value {
    let material = Material::of(mover, waiting);
    Value::from_byte(solved[&material][Index::new(material).find(mover, waiting)])
}

/// The value of a byte under rules with a limit of quiet turns: twice the turns to a removal, and 1 for a
/// loss or 2 for a win.
fn limited_value(byte: u8) -> Value {
    let turns = millbase::Dtw(u16::from(byte.saturating_sub(1) / 2));
    match byte {
        0 => Value::Draw,
        _ if byte.is_multiple_of(2) => Value::Win(turns),
        _ => Value::Loss(turns),
    }
}

/// A set of five stones that lacks one move to close two mills. Slides do so only on the board with
/// diagonals: they come along a line of their target, which is not closed then.
fn five_that_close_two(rules: &Rules, random: &mut Random) -> PointSet {
    let lines = rules.board().lines();
    loop {
        let (a, b) = (*random.pick(lines), *random.pick(lines));
        let Some(to) = (a & b).into_iter().next().filter(|_| a != b) else {
            continue;
        };
        let from = match rules.flies(5) {
            true => !(a | b),
            false => rules.board().neighbours(to) - (a | b),
        };
        if !from.is_empty() {
            return (a | b).without(to) | random.points_of(from, 1);
        }
    }
}

/// Rules in which five stones may fly, and so close two mills.
const FIVE_FLY: Rules = Rules {
    flying: 5,
    ..Rules::STANDARD
};

/// Positions in which one stone can close two mills, and others of the same pairs, have the values
/// that follow from the turns of the plain implementation.
#[test]
fn two_removals_agree_with_plain_turns() {
    let pairs = [(3, 3), (4, 3), (4, 4), (5, 3), (5, 4)];
    check_two_removals(&FIVE_FLY, &each(FIVE_FLY), &pairs);
}

/// The same where the game goes on after two removals.
#[test]
#[ignore = "takes minutes"]
fn two_removals_of_five_agree_with_plain_turns() {
    let pairs = [(3, 3), (4, 3), (4, 4), (5, 3), (5, 4), (5, 5)];
    for rules in [FIVE_FLY, Rules::TWELVE] {
        check_two_removals(&rules, &each(rules), &pairs);
    }
}

fn check_two_removals(rules: &Rules, each: &Rules, pairs: &[(usize, usize)]) {
    let two = solve(each, pairs);
    let mut random = Random::new(5);
    let (mut differ, mut removed_two) = (0, 0);
    let &(_, most) = &pairs[pairs.len() - 1];
    for number in 0..2_000 {
        let mover = match number % 3 {
            0 => random.points_of(PointSet::ALL, 5),
            _ => five_that_close_two(rules, &mut random),
        };
        let stones = 3 + random.below(most - 2) as u32;
        let waiting = random.points_of(!mover, stones);
        let position = Position::moving(mover, waiting);
        let text = position.text(each);
        let value = |mover, waiting| solved_value(&two, mover, waiting);
        let found = value(mover, waiting);
        assert_eq!(found, derived(each, &position, value), "{each}: {text}");
        differ += u32::from(found != derived(rules, &position, value));
        let takes_two = |turn: &Turn| turn.removed().len() == 2;
        removed_two += u32::from(position.turns(each).iter().any(takes_two));
    }
    assert!(
        differ > 10,
        "{differ} values are other than with one removal"
    );
    assert!(
        removed_two > 100,
        "{removed_two} positions with two removals"
    );
}

/// The pairs with a full board and with one empty point, where the value of a capture depends only
/// on the number of stones that it leaves.
#[test]
fn full_boards_agree_with_plain_turns() {
    let morabaraba = Rules::MORABARABA;
    for (number, rules) in [
        Rules::TWELVE,
        Rules {
            blocked: Blocked::Passes,
            removal_per_mill: true,
            ..Rules::TWELVE
        },
        Rules {
            flying: 12,
            ..morabaraba
        },
        Rules::DOOZ,
    ]
    .into_iter()
    .enumerate()
    {
        let capture = |mover: u32| [0, 3, 4][(mover as usize + number) % 3];
        let mut solved = Solved::new();
        for pair in [(12, 11), (12, 12)].map(|(a, b)| Pair::new(a, b).expect("a pair")) {
            let load = |material: Material| {
                let byte = capture(material.mover.into());
                let solved = solved.get(&material).cloned();
                Ok(solved.unwrap_or_else(|| vec![byte; material.entries() as usize]))
            };
            let tables =
                millbase::internals::solve::pair::solve(&rules, pair, load, &mut |_| Ok(()))
                    .expect("a solved pair");
            for table in tables {
                solved.insert(table.material, table.values.to_vec());
            }
        }
        let full = &solved[&Material::new(12, 12)];
        let all = |end| full.iter().all(|&byte| Value::from_byte(byte) == end);
        match rules.full_board {
            FullBoard::Loses => assert!(all(Value::LOST)),
            FullBoard::Draws => assert!(all(Value::Draw)),
            FullBoard::Removes => {}
        }

        let value = |mover: PointSet, waiting: PointSet| match solved
            .contains_key(&Material::of(mover, waiting))
        {
            true => solved_value(&solved, mover, waiting),
            false => Value::from_byte(capture(mover.len())),
        };
        let mut random = Random::new(number as u64);
        let (mut passing, mut most_removed) = (0, 0);
        for (white, black) in [(12, 12), (12, 11), (11, 12)] {
            for _ in 0..400 {
                let position = random.position(white, black);
                let text = position.text(&rules);
                let found = value(position.mover(), position.waiting());
                assert_eq!(found, derived(&rules, &position, value), "{rules}: {text}");
                passing += u32::from(position.must_pass(&rules));
                let turns = position.turns(&rules).into_iter();
                let removed = turns.map(|turn| turn.removed().len()).max();
                most_removed = removed.unwrap_or(0).max(most_removed);
            }
        }
        let passes = rules.blocked == Blocked::Passes;
        assert_eq!(passing > 0, passes, "{rules}");
        assert_eq!(most_removed > 1, rules.removal_per_mill, "{rules}");
    }
}

/// No flying, whether blocked sides pass or turns remove a stone for each mill.
#[test]
fn databases_without_flying_hold_the_solved_values() {
    let passing = Rules {
        blocked: Blocked::Passes,
        ..Rules::NO_FLYING
    };
    check_files(&[
        (passing, (4, 3), Compression::Max),
        (each(Rules::NO_FLYING), (4, 3), Compression::Quick),
    ]);
}

#[test]
fn databases_with_flying_from_four_stones_hold_the_solved_values() {
    let flying = Rules {
        flying: 4,
        ..Rules::STANDARD
    };
    check_files(&[(flying, (5, 3), Compression::Quick)]);
}

#[test]
fn databases_with_a_removal_for_each_mill_hold_the_solved_values() {
    check_files(&[
        (each(Rules::STANDARD), (4, 3), Compression::Max),
        (each(Rules::MORABARABA), (5, 3), Compression::Quick),
    ]);
}

/// The three tests above with larger pairs, in which a side with four stones moves against one with more.
#[test]
#[ignore = "takes half a minute"]
fn databases_of_larger_pairs_hold_the_solved_values() {
    let passing = Rules {
        blocked: Blocked::Passes,
        ..Rules::NO_FLYING
    };
    let flying = Rules {
        flying: 4,
        ..Rules::STANDARD
    };
    check_files(&[
        (passing, (4, 4), Compression::Max),
        (flying, (5, 4), Compression::Quick),
        (each(Rules::MORABARABA), (5, 4), Compression::Quick),
    ]);
}

/// The rules with a removal for each mill that a turn closes.
fn each(rules: Rules) -> Rules {
    Rules {
        removal_per_mill: true,
        ..rules
    }
}

/// The files of these rules, up to a pair, return the solved values by every way of reading, and pass the
/// check.
fn check_files(cases: &[(Rules, (u8, u8), Compression)]) {
    for &(rules, largest, compression) in cases {
        let pair = |(a, b)| Pair::new(a, b).expect("a pair");
        let request = BuildRequest {
            rules,
            pairs: vec![pair(largest)],
            plies: Default::default(),
            profile: Profile {
                compression,
                ..Profile::default()
            },
        };
        let folder = tempfile::tempdir().expect("a folder");
        let built = build(folder.path(), &request, &mut |_| ()).expect("a build");
        let built: Vec<Pair> = built.pairs.iter().map(|report| report.pair).collect();
        let pairs: Vec<(usize, usize)> = (built.iter())
            .map(|pair| (pair.larger().into(), pair.smaller().into()))
            .collect();
        let solved = solve(&rules, &pairs);
        let database = Database::open(folder.path(), rules).expect("databases");
        check_database(&database, &built, &solved);
        for others in [Rules::STANDARD, Rules::TWELVE] {
            let refused = Database::open(folder.path(), others).expect("a folder");
            for &pair in &built {
                let error = refused.file(pair).expect_err("other rules");
                assert!(matches!(error, DbError::OtherRules { .. }), "{error}");
            }
        }
    }
}

fn check_database(database: &Database, pairs: &[Pair], solved: &Solved) {
    let rules = database.rules();
    let bitbase = database.bitbase(pairs).expect("results");
    let mut random = Random::new(7);
    let mut tables = verify::Tables::default();
    for &pair in pairs {
        let report = verify::verify_pair(database, pair, &mut tables, &|_| ());
        let report = report.expect("a pair that can be read");
        assert!(report.is_clean(), "{rules}: {pair}: {report:?}");
        let report = verify::verify_sample(database, pair, 100, 1).expect("samples");
        assert!(report.is_clean(), "{rules}: {pair}: {report:?}");
        for material in pair.tables(rules) {
            let loaded = millbase::internals::solve::load(database, material).expect("a table");
            assert!(*loaded == *solved[&material], "{rules}: {material:?}");
            for _ in 0..100 {
                let position = random.position(material.mover.into(), material.waiting.into());
                let (mover, waiting) = (position.mover(), position.waiting());
                let value = match rules.quiet_turns {
                    0 => solved_value(solved, mover, waiting),
                    _ => {
                        limited_value(solved[&material][Index::new(material).find(mover, waiting)])
                    }
                };
                let text = position.text(rules);
                assert_eq!(database.probe(&position).unwrap(), value, "{rules}: {text}");
                let result = bitbase.wdl(&position).expect("a row");
                let is_open = rules.quiet_turns > 0 && result.is_none();
                assert!(is_open || result == Some(value.wdl()), "{rules}: {text}");
                let turns = database.turns(&position).unwrap();
                let best = turns.first().map(|best| best.value);
                assert_eq!(best.unwrap_or(Value::LOST), value, "{rules}: {text}");
            }
        }
    }
}

#[test]
fn databases_under_a_limit_hold_the_solved_values() {
    let limited = |quiet_turns, quiet_turns_flying| Rules {
        quiet_turns,
        quiet_turns_flying,
        ..Rules::STANDARD
    };
    check_files(&[
        (limited(4, 0), (4, 4), Compression::Max),
        (limited(20, 6), (4, 3), Compression::Quick),
        (limited(9, 0), (4, 3), Compression::Max),
    ]);
}

/// A loss that takes more turns than a byte can hold is an error, not another value.
#[test]
fn depths_above_a_byte_are_refused() {
    let pair = Pair::new(4, 3).expect("a pair");
    let solve_with = |capture: u8| {
        let load = |material: Material| Ok(vec![capture; material.entries() as usize]);
        millbase::internals::solve::pair::solve(&Rules::NO_FLYING, pair, load, &mut |_| Ok(()))
    };
    assert!(solve_with(40).is_ok());
    let refused = solve_with(252).expect_err("losses in 252 turns");
    assert!(
        matches!(refused, millbase::solve::SolveError::PairTooDeep(_)),
        "{refused}"
    );
}

#[test]
fn values_are_the_same_for_any_number_of_threads() {
    for threads in [1, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.expect("threads");
        let solved = pool.install(|| solve(&Rules::STANDARD, &SMALL_PAIRS));
        assert!(solved == *SOLVED, "{threads} threads give other values");
    }
}

/// The built-in databases hold the solver's values for the standard rules.
#[test]
fn embedded_databases_hold_the_solved_values() {
    let database = millbase::Database::embedded(Rules::STANDARD);
    let pairs: Vec<Pair> = database.pairs().map(|file| file.pair()).collect();
    assert_eq!(pairs.len(), 6);
    let mut solved = SOLVED.clone();
    for pair in pairs {
        if !solved.contains_key(&pair.tables(&Rules::STANDARD)[0]) {
            solve_pair(&Rules::STANDARD, pair, &mut solved);
        }
        for material in pair.tables(&Rules::STANDARD) {
            let loaded =
                millbase::internals::solve::load(&database, material).expect("an embedded table");
            assert!(*loaded == *solved[&material], "{material:?}");
        }
    }
}

/// The histograms, stored and counted, against the placements of the plain iteration. A position
/// has as many placements as it has different images: sixteen by the number of symmetries that
/// leave it as it is. So each placement counts for a sixteenth of that number.
#[test]
fn histograms_count_distinct_positions() {
    let database = millbase::Database::embedded(Rules::STANDARD);
    let symmetries = crate::common::symmetries();
    for (
        &Stones {
            mover,
            other: waiting,
            ..
        },
        table,
    ) in PLAIN.iter()
    {
        let mut sixteenths = [0; 256];
        for &mine in table.movers {
            let keeps_mine = |s: &&[usize; 24]| crate::common::plain_turned(s, mine) == mine;
            let stabiliser: Vec<_> = symmetries.iter().filter(keeps_mine).collect();
            for (&others, &value) in table.others.iter().zip(table.row(mine)) {
                if mine & others == 0 {
                    let keeps_others =
                        |s: &&&[usize; 24]| crate::common::plain_turned(s, others) == others;
                    let kept = match stabiliser.len() {
                        1 => 1,
                        _ => stabiliser.iter().filter(keeps_others).count() as u64,
                    };
                    sixteenths[usize::from(value)] += kept;
                }
            }
        }
        assert!(sixteenths.iter().all(|count| count % 16 == 0));
        let material = Material::new(mover as u8, waiting as u8);
        let expected = millbase::Histogram::from_counts(sixteenths.map(|count| count / 16));
        let stored = database.histogram(material).expect("an embedded table");
        assert_eq!(*stored, expected, "{material:?}");
        let counted = millbase::Histogram::of_table(&Index::new(material), &SOLVED[&material]);
        assert_eq!(counted, expected, "{material:?}");
    }
}
