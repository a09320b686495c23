//! Tests of the rules under which pairs have stones in hand: the sectors and their positions, and all values of
//! small games by the plain rules.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::panic::AssertUnwindSafe;
use std::sync::LazyLock;

use rayon::prelude::*;

use crate::common::{self, Random, library_set, plain_position, plain_rules};
use crate::index::distinct_positions;
use crate::plain::PlainPosition;
use crate::plain::check;
use crate::values::{Solved, check_all, check_by_iteration, solve_pair, stones_of};
use millbase::internals::Index;
use millbase::internals::coach::puzzle::{WantedPuzzles, candidate};
use millbase::internals::solve::{TableCache, repack};
use millbase::review::Truth;
use millbase::sample::{self, Family};
use millbase::solve::{BuildEvent, BuildFolder, BuildPlan, SolveError, pairs_up_to};
use millbase::store::{Compression, DbError, Profile, file_name};
use millbase::verify::{Tables, verify_pair};
use millbase::{Database, Material, Pair, Position, RemovalWhilePlacing, Rules, Value, Wdl};

const LASKER: Rules = Rules::LASKER;

/// Both of what makes pairs have stones in hand.
const LASKER_AND_DOOZ: Rules = Rules {
    removal_while_placing: RemovalWhilePlacing::Hand,
    ..LASKER
};

/// The rules with this number of stones.
fn with_stones(rules: Rules, stones: u8) -> Rules {
    Rules { stones, ..rules }
}

/// All sectors of a game, by the table of each side to move.
fn sectors(rules: &Rules) -> BTreeSet<Material> {
    let pairs = Pair::all(rules).into_iter();
    pairs.flat_map(|pair| pair.tables(rules)).collect()
}

fn positions<'a>(sectors: impl IntoIterator<Item = &'a Material>) -> u64 {
    static DISTINCT: LazyLock<BTreeMap<(usize, usize), u64>> = LazyLock::new(distinct_positions);
    let count = |sector: &Material| DISTINCT[&(sector.mover.into(), sector.waiting.into())];
    sectors.into_iter().map(count).sum()
}

/// The sectors that turns lead to from the start, where a moved stone closes a mill only with this number of
/// stones on the board.
fn from_start(rules: &Rules, mill: u8) -> BTreeSet<Material> {
    let start = Material::new(0, 0).with_hands([rules.stones; 2]);
    let (mut found, mut next) = (BTreeSet::from([start]), vec![start]);
    while let Some(sector) = next.pop() {
        let mut after = Vec::new();
        let may_move = sector.mover_in_hand == 0 || rules.moves_while_placing;
        let mut captures = |sector: Material, mill: u8, from_hand: bool| {
            let left = sector.waiting + sector.waiting_in_hand;
            let mut after_capture = sector;
            match from_hand && sector.waiting_in_hand > 0 {
                true => after_capture.waiting_in_hand -= 1,
                false => after_capture.waiting = sector.waiting.saturating_sub(1),
            }
            if sector.mover >= mill && left > 3 && after_capture != sector {
                after.push(after_capture.exchanged());
            }
        };
        if may_move {
            captures(sector, mill, false);
        }
        if sector.mover_in_hand > 0 {
            let placed = Material {
                mover: sector.mover + 1,
                mover_in_hand: sector.mover_in_hand - 1,
                ..sector
            };
            let from_hand = rules.removal_while_placing == RemovalWhilePlacing::Hand;
            captures(placed, 3, from_hand);
            after.push(placed.exchanged());
        }
        after.extend((sector.mover > 0 && may_move).then(|| sector.exchanged()));
        next.extend(after.into_iter().filter(|&after| found.insert(after)));
    }
    found
}

/// The published numbers include sectors after captures by a moved stone of a side with fewer than three.
#[test]
fn there_are_as_many_sectors_and_positions_as_published() {
    let solved = sectors(&LASKER);
    assert_eq!((solved.len(), positions(&solved)), (2_482, 133_367_107_212));
    assert_eq!(solved, from_start(&LASKER, 3));
    let published = from_start(&LASKER, 1);
    assert_eq!(
        (published.len(), positions(&published)),
        (3_070, 133_460_964_090)
    );
    let largest = solved.iter().map(|sector| positions([sector])).max();
    assert_eq!(largest, Some(591_726_690));
}

/// A build of the pairs with few stones, those in hand included, makes no others.
#[test]
fn pairs_with_few_stones_need_no_others() {
    let pairs = pairs_up_to(7, &LASKER);
    let mut expected = from_start(&LASKER, 3);
    expected.retain(|sector| {
        let on_board = sector.mover + sector.waiting;
        on_board + sector.mover_in_hand + sector.waiting_in_hand <= 7
    });
    let found: BTreeSet<Material> = pairs.iter().flat_map(|pair| pair.tables(&LASKER)).collect();
    assert!(found.len() > 10);
    assert_eq!(found, expected);
    let folder = tempfile::tempdir().expect("a folder");
    let plan = common::plan(folder.path(), &LASKER, &pairs, &[]);
    let planned: Vec<Pair> = plan.pairs.iter().map(|planned| planned.pair).collect();
    assert_eq!(planned, pairs);
}

/// Random games stay in the sectors.
#[test]
fn games_stay_in_the_sectors() {
    let lasker = [3, 4, 6, 10].map(|stones| with_stones(LASKER, stones));
    let dooz = [3, 4, 6, 12].map(|stones| with_stones(Rules::DOOZ, stones));
    for rules in lasker.into_iter().chain(dooz) {
        let stones = rules.stones;
        let sectors = from_start(&rules, 3);
        let mut random = Random::new(stones.into());
        let mut seen = BTreeSet::new();
        for _ in 0..300 {
            let mut position = Position::start(&rules);
            for _ in 0..60 {
                let turns = position.turns(&rules);
                if turns.is_empty() {
                    break;
                }
                let [side, other] = [position.side_to_move(), position.side_to_move().other()];
                let on_board = |side| position.stones(side).len() as u8;
                let hands = [position.in_hand(side), position.in_hand(other)];
                let material = Material::new(on_board(side), on_board(other)).with_hands(hands);
                assert!(sectors.contains(&material), "{rules}: {material:?}");
                seen.insert(material);
                position = position.after(*random.pick(&turns));
            }
        }
        assert!(
            seen.len() > 2 * usize::from(stones),
            "{rules}: {}",
            seen.len()
        );
    }
}

/// Where a side may have moved instead of placing, the stones in hand do not say that a removal is due.
#[test]
fn positions_of_other_programs_owe_no_removal() {
    let rules = with_stones(LASKER, 3);
    let text = "WW.....B................ W 1 2";
    let (position, _) = millbase::notation::parse_position(text, &rules).expect("a position");
    assert!(!position.removal_owed());
    let placing = Rules {
        moves_while_placing: false,
        ..rules
    };
    let error = millbase::notation::parse_position(text, &placing).unwrap_err();
    assert!(error.to_string().contains("has no mill"), "{error}");
}

/// All sectors of a game, solved.
fn solve_all(rules: &Rules) -> Solved {
    let mut solved = Solved::new();
    for pair in Pair::all(rules) {
        solve_pair(rules, pair, &mut solved);
    }
    solved
}

#[test]
fn games_with_three_stones_agree_with_the_plain_rules() {
    for rules in [LASKER, Rules::DOOZ] {
        let rules = with_stones(rules, 3);
        let solved = solve_all(&rules);
        let tables = check_all(&rules, &solved);
        let pairs: Vec<_> = Pair::all(&rules)
            .into_iter()
            .map(|pair| pair.tables(&rules).into_iter().map(stones_of).collect())
            .collect();
        check_by_iteration(&rules, &pairs, &tables);
    }
}

#[test]
#[ignore = "takes minutes"]
fn games_with_four_stones_agree_with_the_plain_rules() {
    for rules in [LASKER, Rules::DOOZ, LASKER_AND_DOOZ] {
        let rules = with_stones(rules, 4);
        check_all(&rules, &solve_all(&rules));
    }
}

#[test]
#[ignore = "takes minutes"]
fn lasker_with_five_stones_agrees_with_the_plain_turns() {
    let rules = with_stones(LASKER, 5);
    check_entries(&rules, &solve_all(&rules));
}

#[test]
#[ignore = "takes an hour"]
fn lasker_with_six_stones_agrees_with_the_plain_turns() {
    let rules = with_stones(LASKER, 6);
    check_entries(&rules, &solve_all(&rules));
}

/// Every value follows from those after the plain turns. Entries that are symmetric to another one are left out, as the
/// look-up does.
fn check_entries(rules: &Rules, solved: &Solved) {
    let plain = plain_rules(rules);
    let table = |(&sector, values)| (sector, (Index::new(sector), values));
    let tables: HashMap<_, (Index, &Vec<u8>)> = solved.iter().map(table).collect();
    let value_of = |position: &PlainPosition| {
        let sides = [position.side, position.side.enemy()];
        let [mover, waiting] = sides.map(|side| library_set(position.set_of(side)));
        let material = Material::new(mover.len() as u8, waiting.len() as u8);
        let sector = material.with_hands(sides.map(|side| position.hand(side)));
        if sector.mover + sector.mover_in_hand < 3 {
            return check::LOST_IN_0;
        }
        let (index, values) = &tables[&sector];
        values[index.find(mover, waiting)]
    };
    for (sector, (index, values)) in &tables {
        let position_of = |entry| {
            let (mover, waiting) = index.sets(entry);
            sector.position(mover, waiting)
        };
        let is_wrong = |&entry: &usize| {
            let position = plain_position(&position_of(entry));
            let turns = position.turns(&plain).into_iter();
            let after = turns.map(|turn| value_of(&position.after(&turn)));
            check::value_before(after) != values[entry]
        };
        let is_looked_up = |&entry: &usize| {
            let (mover, waiting) = index.sets(entry);
            index.find(mover, waiting) == entry
        };
        let entries = (0..index.len()).into_par_iter().filter(is_looked_up);
        let wrong = entries.find_any(is_wrong);
        assert_eq!(wrong.map(|entry| position_of(entry).text(rules)), None);
    }
}

/// Some more are solved, because [`Pair::all`] does not tell all of them apart from those that games reach.
#[test]
fn dooz_has_the_sectors_that_its_turns_lead_to() {
    let from_start = from_start(&Rules::DOOZ, 3);
    let solved = sectors(&Rules::DOOZ);
    assert!(solved.is_superset(&from_start));
    let counts = [from_start, solved].map(|sectors| (sectors.len(), positions(&sectors)));
    assert_eq!(counts, [(504, 125_200_176_563), (544, 126_667_444_537)]);
}

/// Files give the solved values, by probes, by whole tables and by ranked turns, and the check accepts them.
#[test]
fn files_of_sectors_give_the_solved_values() {
    for rules in [LASKER, Rules::DOOZ] {
        check_files(&with_stones(rules, 4), [Compression::Quick]);
    }
}

/// As above; the smallest files omit rows of the sectors.
#[test]
#[ignore = "takes half a minute"]
fn the_smallest_files_of_sectors_give_the_solved_values() {
    let [quick, max] = check_files(
        &with_stones(LASKER, 4),
        [Compression::Quick, Compression::Max],
    );
    assert!(max * 4 < quick * 3, "{max} {quick}");
}

/// Without diagonals, slides change the colour of a stone's point, so that rows can be omitted.
#[test]
fn the_smallest_files_of_dooz_give_the_solved_values() {
    let rules = Rules {
        diagonals: false,
        ..Rules::DOOZ
    };
    check_files(&with_stones(rules, 4), [Compression::Max]);
}

/// Checks the files of these levels and returns their bytes.
fn check_files<const LEVELS: usize>(
    &rules: &Rules,
    levels: [Compression; LEVELS],
) -> [usize; LEVELS] {
    let pairs = Pair::all(&rules);
    let solved = solve_all(&rules);
    levels.map(|compression| {
        let profile = Profile {
            compression,
            ..Profile::default()
        };
        let folder = tempfile::tempdir().expect("a folder");
        common::build_with(folder.path(), &rules, &pairs, profile, &[]);
        let database = Database::open(folder.path(), rules).expect("a folder");
        match compression {
            Compression::Quick => assert_eq!(check_probes(&database, &solved, 40), [0, 0]),
            Compression::Max => {
                let [values, turns] = check_probes(&database, &solved, 10);
                assert!(values < 5 && turns < 20, "{values}, {turns}");
                // The other one has values by now that it derived before.
                let fresh = Database::open(folder.path(), rules).expect("a folder");
                check_samples(&fresh);
            }
        }
        check_unreached(&database);
        let mut tables = Tables::new(&database, &pairs, folder.path()).unwrap();
        for &pair in &pairs {
            let report = verify_pair(&database, pair, &mut tables, &|_| ()).expect("a check");
            assert!(report.is_clean(), "{pair}: {report:?}");
            assert_eq!(report.checked, pair.entries(&rules), "{pair}");
        }
        assert_eq!(common::names(folder.path()).len(), pairs.len());
        // The check of a pair alone derives the tables that it needs.
        for &pair in pairs.iter().filter(|pair| pair.stones() == 5) {
            let mut tables = Tables::new(&database, &[pair], folder.path()).unwrap();
            let report = verify_pair(&database, pair, &mut tables, &|_| ());
            assert!(report.expect("a check").is_clean(), "{pair}");
        }
        for (&material, values) in solved.iter().step_by(4) {
            let loaded = millbase::internals::solve::load(&database, material);
            assert!(loaded.expect("a table")[..] == values[..], "{material:?}");
        }
        let files = common::databases(folder.path());
        files.values().map(Vec::len).sum()
    })
}

/// Compares this number of random positions of each sector with their solved values; returns how many have no value and
/// how many have no ranked turns, because these follow from too many others.
fn check_probes(database: &Database, solved: &Solved, samples: usize) -> [usize; 2] {
    let rules = *database.rules();
    let mut random = Random::new(1);
    let (mut with_hands, mut without_value, mut without_turns) = (0, 0, 0);
    for (&material, values) in solved {
        let index = Index::new(material);
        for _ in 0..samples {
            let (mover, waiting) = index.sets(random.below(index.len()));
            let position = material.position(mover, waiting);
            let expected = Value::from_byte(values[index.find(mover, waiting)]);
            let text = position.text(&rules);
            let unanswered = |error: &DbError| matches!(error, DbError::Omitted);
            match database.probe(&position) {
                Err(error) if unanswered(&error) => without_value += 1,
                value => assert_eq!(value.expect("a value"), expected, "{text}"),
            }
            if position.is_over(&rules) {
                continue;
            }
            match database.turns(&position) {
                Err(error) if unanswered(&error) => without_turns += 1,
                turns => {
                    let turns = turns.expect("turns");
                    assert_eq!(turns[0].value, expected, "{text}");
                    let plain = plain_position(&position).distinct_turns(&plain_rules(&rules));
                    assert_eq!(turns.len(), plain.len(), "{text}");
                }
            }
            with_hands += usize::from(position.is_placing());
        }
    }
    assert!(with_hands > samples * solved.len() / 2, "{with_hands}");
    [without_value, without_turns]
}

/// Random positions with a value, and candidates for puzzles, leave out those that have no answer.
fn check_samples(database: &Database) {
    let truth = Truth::patient(database);
    let families: Vec<Family> = (1..=7).map(Family::Placed).collect();
    let rules = database.rules();
    let positions = (0..200).flat_map(|seed| families.iter().map(move |&family| (family, seed)));
    let mut positions = positions.filter_map(|(family, seed)| sample::any(rules, family, seed));
    let is_omitted = |position| matches!(database.answer(&position), Err(DbError::Omitted));
    assert!(positions.any(is_omitted) || !rules.moves_while_placing);
    for family in &families {
        for seed in 0..30 {
            truth
                .sample(*family, Some(Wdl::Draw), seed)
                .expect("a draw or none");
        }
    }
    let wanted = WantedPuzzles {
        families,
        goal: None,
        turns: 1..=8,
        themes: Vec::new(),
        level: None,
    };
    for number in 0..400 {
        candidate(truth, &wanted, 1, number).expect("a puzzle or none");
    }
}

/// No table has the positions in which only the waiting side has no stone on the board, or the side to move has
/// none although it is not the first turn. Their turns may lead to stored ones; otherwise no file is said to be
/// missing.
fn check_unreached(database: &Database) {
    let rules = database.rules();
    let mut values = 0;
    for (on_board, of_waiting, in_hand) in [
        (1, 0, [3, 4]),
        (2, 0, [2, 4]),
        (3, 0, [1, 4]),
        (3, 0, [0, 3]),
        (3, 0, [1, 3]),
        (0, 2, [4, 2]),
        (0, 3, [4, 1]),
    ] {
        let material = Material::new(on_board, of_waiting).with_hands(in_hand);
        let (mover, waiting) = Index::new(material).sets(0);
        let position = material.position(mover, waiting);
        let answer = database.answer(&position).map(|answer| answer.value);
        match (database.probe(&position), answer) {
            (Ok(value), Ok(same)) if value == same => values += 1,
            (Err(DbError::NotStored(_)), Err(DbError::NotStored(_))) => {}
            found => panic!("{}: {found:?}", position.text(rules)),
        }
    }
    assert!(values > 2 || !rules.moves_while_placing);
}

/// A build that stops after each of its pairs and goes on later makes the same files, and removes what it needed on
/// its way.
#[test]
fn an_interrupted_build_goes_on_with_the_next_sector() {
    let rules = with_stones(LASKER, 3);
    let (whole, stopped) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let pairs = Pair::all(&rules);
    common::build(whole.path(), &rules, &pairs, &[]);
    let expected = common::databases(whole.path());
    assert_eq!(expected.len(), pairs.len());
    assert_eq!(common::names(whole.path()).len(), pairs.len());

    let plan = || common::plan(stopped.path(), &rules, &pairs, &[]);
    let locked = BuildFolder::lock(stopped.path()).expect("a folder of our own");
    for left in (1..=pairs.len()).rev() {
        let plan = plan();
        assert_eq!(plan.pairs.len(), left);
        // As a kill would: after the file of the pair, before anything else.
        let stop = AssertUnwindSafe(|| {
            plan.run(&locked, &mut |event| {
                if matches!(event, BuildEvent::PairFinished(_)) && left > 1 {
                    std::panic::resume_unwind(Box::new("stopped"));
                }
            })
        });
        assert_eq!(std::panic::catch_unwind(stop).is_err(), left > 1);
    }
    drop(locked);
    assert_eq!(common::databases(stopped.path()), expected);
    assert_eq!(common::names(stopped.path()), common::names(whole.path()));
}

/// Without the tables on its way, a build derives them from the files, also from those that omit rows; and files are
/// written again as a build writes them, whatever files they come from.
#[test]
fn builds_and_copies_derive_the_sectors_that_they_need() {
    let rules = with_stones(LASKER, 4);
    let pairs = Pair::all(&rules);
    let profile = |compression| Profile {
        compression,
        ..Profile::default()
    };
    let levels = [Compression::Quick, Compression::Max].map(|level| {
        let folder = tempfile::tempdir().unwrap();
        common::build_with(folder.path(), &rules, &pairs, profile(level), &[]);
        let expected = common::databases(folder.path());
        for pair in pairs.iter().filter(|pair| pair.all_in_hand() > 1) {
            std::fs::remove_file(folder.path().join(file_name(*pair))).expect("a file");
        }
        common::build_with(folder.path(), &rules, &pairs, profile(level), &[]);
        assert_eq!(common::databases(folder.path()), expected);
        (level, folder, expected)
    });
    for (from, to) in [(&levels[0], &levels[1]), (&levels[1], &levels[0])] {
        let database = Database::open(from.1.path(), rules).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let locked = BuildFolder::lock(folder.path()).expect("a folder of our own");
        // The second half does not find the tables that the first one kept.
        for pairs in pairs.chunks(pairs.len().div_ceil(2)) {
            let mut cache = TableCache::new(&database, pairs, folder.path()).unwrap();
            for &pair in pairs {
                repack(&database, pair, &locked, profile(to.0), &mut cache).expect("a file");
            }
        }
        assert_eq!(common::databases(folder.path()), to.2);
    }
}

/// Rules for which there are no databases are refused.
#[test]
fn some_rules_have_no_databases() {
    let folder = tempfile::tempdir().unwrap();
    for rules in [
        Rules {
            removal_per_mill: true,
            ..LASKER
        },
        Rules {
            quiet_turns: 100,
            ..LASKER
        },
        Rules {
            quiet_turns: 100,
            ..Rules::DOOZ
        },
    ] {
        let request = common::request(&rules, &Pair::all(&rules), &[]);
        let error = BuildPlan::new(folder.path(), &request).unwrap_err();
        assert!(matches!(error, SolveError::Rules(_)), "{error}");
    }
    let request = common::request(&LASKER, &[], &[3]);
    let error = BuildPlan::new(folder.path(), &request).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("the databases of the pairs hold"),
        "{error}"
    );
}

/// The check finds every value of a game with seven stones right.
#[test]
#[ignore = "takes a quarter of an hour"]
fn lasker_with_seven_stones_agrees_with_its_turns() {
    let rules = with_stones(LASKER, 7);
    let folder = tempfile::tempdir().unwrap();
    let pairs = Pair::all(&rules);
    common::build(folder.path(), &rules, &pairs, &[]);
    let database = Database::open(folder.path(), rules).expect("a folder");
    let mut tables = Tables::new(&database, &pairs, folder.path()).unwrap();
    for pair in pairs {
        let report = verify_pair(&database, pair, &mut tables, &|_| ()).expect("a check");
        assert!(report.is_clean(), "{pair}: {report:?}");
    }
}
