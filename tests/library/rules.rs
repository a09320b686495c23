//! Tests of the rules: turns, the positions after them, phases, ends and texts of the library agree
//! with the plain implementation, and counts of turn sequences with the data.

use crate::common::{Random, before_removal, plain_position, plain_rules};
use crate::plain::{PlainPosition, PlainRules, PlainTurn};
use millbase::engine::Game;
use millbase::{
    Blocked, Dtw, FullBoard, Phase, Point, PointSet, Position, PositionError, RemovalWhilePlacing,
    Rules, Side, Turn, Value, Wdl,
};
use std::collections::BTreeSet;

/// Rules with every setting of a position's turns, alone and combined. The pass of `first_to_move` and limits of quiet
/// turns have tests of their own in `games` and `placing`.
const VARIANTS: [Rules; 19] = [
    Rules::STANDARD,
    Rules {
        diagonals: true,
        ..Rules::STANDARD
    },
    Rules::NO_FLYING,
    Rules {
        removal_from_mills: true,
        ..Rules::STANDARD
    },
    // Twelve Men's Morris: a board can be full after the last placing.
    Rules {
        flying: 0,
        ..Rules::TWELVE
    },
    Rules {
        stones: 12,
        removal_from_mills: true,
        ..Rules::STANDARD
    },
    Rules {
        stones: 6,
        diagonals: true,
        flying: 4,
        removal_from_mills: true,
        ..Rules::STANDARD
    },
    Rules {
        stones: 3,
        ..Rules::STANDARD
    },
    Rules {
        removal_per_mill: true,
        ..Rules::STANDARD
    },
    Rules {
        blocked: Blocked::Passes,
        ..Rules::NO_FLYING
    },
    Rules::TEN,
    Rules::MORABARABA,
    // On this board a stone can close three mills.
    Rules {
        removal_per_mill: true,
        removal_from_mills: true,
        ..Rules::MORABARABA
    },
    Rules {
        removal_per_mill: true,
        blocked: Blocked::Passes,
        ..Rules::TWELVE
    },
    Rules::LASKER,
    Rules {
        stones: 4,
        ..Rules::LASKER
    },
    Rules {
        stones: 6,
        diagonals: true,
        flying: 4,
        removal_from_mills: true,
        ..Rules::LASKER
    },
    Rules::DOOZ,
    Rules {
        removal_while_placing: RemovalWhilePlacing::Hand,
        ..Rules::LASKER
    },
];

#[test]
fn perft_agrees_with_the_data() {
    /// The largest count that the plain implementation checks.
    const PLAIN_COUNT: u64 = 30_000;
    let rules = Rules::STANDARD;
    let plain = PlainRules::standard();
    let (mut rows, mut counted_plainly) = (0, 0);
    for row in crate::common::rows(include_str!("../data/perft.csv")) {
        let [fen, depth, count, about] = row[..] else {
            panic!("a row of {} columns", row.len());
        };
        let (depth, count): (u32, u64) = (depth.parse().unwrap(), count.parse().unwrap());
        let position = Position::parse(fen, &rules).unwrap();
        assert_eq!(position.text(&rules), fen);
        let found = position.perft(&rules, depth);
        assert_eq!(found, count, "{about}: {fen} {depth}");
        rows += 1;
        if count <= PLAIN_COUNT {
            let position = PlainPosition::parse(fen, &plain).unwrap();
            assert_eq!(position.perft(&plain, depth), count, "{about}: {fen}");
            counted_plainly += 1;
        }
    }
    assert!(rows >= 140 && counted_plainly >= 100);
}

/// The number of compared positions of each kind.
#[derive(Default, Debug)]
struct Seen {
    placing: u32,
    moving: u32,
    flying: u32,
    owed: u32,
    /// More than one removal.
    owed_more: u32,
    beaten: u32,
    blocked: u32,
    drawn: u32,
    passing: u32,
}

impl Seen {
    fn count(&mut self, phase: Phase, position: &Position, rules: &Rules) {
        *match phase {
            _ if position.removals_owed() > 1 => &mut self.owed_more,
            _ if position.must_pass(rules) => &mut self.passing,
            Phase::Over if position.result(rules) == Some(Value::Draw) => &mut self.drawn,
            _ if position.removal_owed() => &mut self.owed,
            Phase::Placing => &mut self.placing,
            Phase::Moving => &mut self.moving,
            Phase::Flying => &mut self.flying,
            Phase::Over if position.mover().len() < 3 => &mut self.beaten,
            Phase::Over => &mut self.blocked,
        } += 1;
    }
}

fn plain_phase(position: &PlainPosition, rules: &PlainRules) -> Phase {
    // Where mills of placed stones take from the hand, a moved stone closed this one.
    let from_hand = rules.mills_take_from_hand && position.hand(position.side.enemy()) > 0;
    let in_hand = position.white_hand + position.black_hand;
    let still_placing = position.owed > 0 && in_hand > 0 && !from_hand;
    let flies = |most| position.on_board(position.side) <= most;
    if position.loser(rules).is_some() || position.is_drawn(rules) {
        Phase::Over
    } else if position.hand(position.side) > 0 || still_placing {
        Phase::Placing
    } else if rules.flying.is_some_and(flies) {
        Phase::Flying
    } else {
        Phase::Moving
    }
}

/// Compares the results of both implementations for a position, including the turns and the
/// positions after them.
fn compare(
    position: &Position,
    rules: &Rules,
    plain_rules: &PlainRules,
    seen: &mut Seen,
) -> Vec<(Turn, PlainTurn, Position)> {
    let plain = plain_position(position);
    let text = plain.text(plain_rules);
    assert_eq!(position.text(rules), text);

    let phase = position.phase(rules);
    assert_eq!(phase, plain_phase(&plain, plain_rules), "{text}");
    let loser = plain.loser(plain_rules);
    let lost = loser.map(|_| Value::LOST);
    let result = lost.or(plain.is_drawn(plain_rules).then_some(Value::Draw));
    assert_eq!(position.result(rules), result, "{text}");
    assert!(loser.is_none_or(|loser| loser == plain.side), "{text}");
    seen.count(phase, position, rules);

    let turns = position.turns(rules);
    let plain_turns = plain.distinct_turns(plain_rules);
    let found: Vec<String> = turns.iter().map(Turn::to_string).collect();
    let expected: Vec<String> = plain_turns.iter().map(PlainTurn::to_string).collect();
    assert_eq!(found, expected, "{text}");
    assert_eq!(position.perft(rules, 1), turns.len() as u64, "{text}");

    let both = turns.into_iter().zip(plain_turns);
    both.map(|(turn, plain_turn)| {
        assert_eq!(turn.to_string().parse(), Ok(turn), "{text}");
        let after = position.after(turn);
        let expected = plain.after(&plain_turn);
        assert_eq!(plain_position(&after), expected, "{text} {turn}");
        assert_eq!(position.play(turn, rules), Ok(after), "{text} {turn}");
        compare_actions(position, turn, &after, rules);
        (turn, plain_turn, after)
    })
    .collect()
}

/// Makes a turn action by action.
fn compare_actions(position: &Position, turn: Turn, after: &Position, rules: &Rules) {
    let actions = position.actions(turn, rules).expect("a legal turn");
    let mut game = Game::new(*rules, *position);
    for (number, (action, next)) in actions.iter().enumerate() {
        game.play(&action.to_string()).expect("a legal action");
        assert_eq!(game.position(), next);
        let is_last = number + 1 == actions.len();
        assert_eq!(game.position().removal_owed(), !is_last, "{turn}");
    }
    assert_eq!(game.position(), after, "{turn}");
    assert_eq!(game.turns(), [turn]);
}

/// Plays a game of random turns, every other capture taken where there is one.
fn compare_game(rules: &Rules, random: &mut Random, seen: &mut Seen) {
    /// A limit far beyond the length of these games.
    const LONGEST: usize = 4_000;
    let plain_rules = plain_rules(rules);
    let mut position = Position::start(rules);
    for _ in 0..LONGEST {
        let text = position.text(rules);
        assert_eq!(Position::parse(&text, rules), Ok(position), "{text}");
        let turns = compare(&position, rules, &plain_rules, seen);
        if turns.is_empty() {
            assert!(position.is_over(rules), "no turn, but not over: {text}");
            return;
        }
        let captures: Vec<_> = turns.iter().filter(|t| !t.0.removed().is_empty()).collect();
        let next = match captures.is_empty() || random.below(2) == 0 {
            true => random.pick(&turns),
            false => random.pick(&captures),
        };
        // On a full board, a turn only removes.
        if next.0.removes() && next.0.to().is_some() {
            let middle = before_removal(&position, &next.1, rules);
            compare(&middle, rules, &plain_rules, seen);
        }
        position = next.2;
    }
    panic!("a game of more than {LONGEST} turns");
}

#[test]
fn random_games_agree_with_the_plain_implementation() {
    compare_games(200);
}

#[test]
#[ignore = "takes a minute"]
fn thousands_of_random_games_agree_with_the_plain_implementation() {
    compare_games(4_000);
}

/// Compares this number of games for each set of rules, turn by turn.
fn compare_games(games: u32) {
    for (number, rules) in VARIANTS.into_iter().enumerate() {
        let mut seen = Seen::default();
        let mut random = Random::new(number as u64);
        for _ in 0..games {
            compare_game(&rules, &mut random, &mut seen);
        }
        assert_eq!(seen.beaten + seen.blocked + seen.drawn, games, "{rules}");
        assert!(seen.placing >= 5 * games, "{rules}: {seen:?}");
        assert!(seen.owed >= games, "{rules}: {seen:?}");
        let earns_more = rules.removal_per_mill;
        assert_eq!(seen.owed_more > 0, earns_more, "{rules}: {seen:?}");
        assert!(seen.moving >= games || rules.stones == 3, "{rules}");
        assert_eq!(seen.flying > 0, rules.flying > 0, "{rules}");
    }
}

#[test]
fn random_positions_agree_with_the_plain_implementation() {
    for (number, rules) in VARIANTS.into_iter().enumerate() {
        let plain_rules = plain_rules(&rules);
        let mut seen = Seen::default();
        let mut random = Random::new(1000 + number as u64);
        let most = u32::from(rules.stones);
        for white in 2..=most {
            for black in 3..=most {
                for _ in 0..4 {
                    let position = random.position(white, black);
                    compare(&position, &rules, &plain_rules, &mut seen);
                    let exchanged = position.with_colours_exchanged();
                    compare(&exchanged, &rules, &plain_rules, &mut seen);
                }
            }
        }
        assert!(seen.beaten > 0 && seen.moving > 0 || most == 3, "{rules}");
        let can_draw = most == 12 && rules.full_board == FullBoard::Draws;
        assert_eq!(seen.drawn > 0, can_draw, "{rules}");
    }
}

#[test]
fn blocked_positions_agree_with_the_plain_implementation() {
    for (number, rules) in VARIANTS.into_iter().enumerate() {
        let plain_rules = plain_rules(&rules);
        let mut seen = Seen::default();
        let mut random = Random::new(2000 + number as u64);
        let most = u32::from(rules.stones);
        for _ in 0..4_000 {
            let white = 3 + random.below(rules.stones as usize - 2) as u32;
            let white = random.points_of(PointSet::ALL, white);
            let neighbours = |point| rules.board().neighbours(point);
            let around: PointSet = white.into_iter().flat_map(neighbours).collect();
            let around = around - white;
            if around.len() > most {
                continue;
            }
            // All exits of a side are closed, then all but one; the other side can still move.
            let open = random.points_of(around, 1);
            for waiting in [around, around - open] {
                if waiting.len() >= 3 {
                    let position = Position::moving(white, waiting);
                    compare(&position, &rules, &plain_rules, &mut seen);
                }
            }
        }
        let everyone_flies = most <= u32::from(rules.flying);
        let passes = rules.blocked == Blocked::Passes;
        let seen_blocked = if passes { seen.passing } else { seen.blocked };
        assert!(seen_blocked > 5 || everyone_flies, "{rules}: {seen:?}");
        assert_eq!(seen.passing > 0, passes, "{rules}: {seen:?}");
        assert!(seen.moving > 5 || everyone_flies, "{rules}: {seen:?}");
    }
}

/// Texts of positions with one character changed: if both implementations accept a text, they agree
/// on the position. The library may refuse more. It may accept more only if the phase or action
/// leaves open whether the game is over.
#[test]
fn damaged_texts_are_refused_or_read_alike() {
    let rules = Rules::STANDARD;
    let plain_rules = plain_rules(&rules);
    let mut random = Random::new(3000);
    let (mut refused, mut read) = (0, 0);
    for row in crate::common::rows(include_str!("../data/perft.csv")) {
        for _ in 0..200 {
            let mut text: Vec<char> = row[0].chars().collect();
            let place = random.below(text.len());
            let letters: Vec<char> = "O@*/ wbpmosr?0129-ö\t".chars().collect();
            text[place] = *random.pick(&letters);
            let text: String = text.into_iter().collect();
            let plain = PlainPosition::parse(&text, &plain_rules);
            match (Position::parse(&text, &rules), plain) {
                (Ok(position), Ok(plain)) => {
                    assert_eq!(plain_position(&position), plain, "{text}");
                    assert_eq!(position.text(&rules), plain.text(&plain_rules), "{text}");
                    read += 1;
                }
                (Ok(_), Err(why)) => {
                    let mut words = text.split_whitespace().skip(2).take(2);
                    let left_open = words.any(|word| word == "o" || word == "?");
                    assert!(left_open, "{text}: {why}");
                }
                (Err(_), _) => refused += 1,
            }
        }
    }
    assert!(refused > 1000 && read > 1000);
}

/// Sequences of turns from the start and from positions of random games, under each set of rules
/// that has a name.
#[test]
fn perft_of_named_rules_agrees_with_the_plain_implementation() {
    for (name, rules) in Rules::NAMED {
        let plain_rules = plain_rules(&rules);
        let mut random = Random::new(4000);
        let count = |position: &Position, depth: u32| {
            let plain = plain_position(position).perft(&plain_rules, depth);
            let text = position.text(&rules);
            assert_eq!(position.perft(&rules, depth), plain, "{name}: {text}");
            plain
        };
        count(&Position::start(&rules), 3);
        let mut counted = 0;
        for _ in 0..6 {
            let mut position = Position::start(&rules);
            for ply in 0..200 {
                let turns = position.turns(&rules);
                if turns.is_empty() {
                    break;
                }
                if ply % 5 == 0 {
                    counted += count(&position, 2);
                }
                position = position.after(*random.pick(&turns));
            }
        }
        assert!(counted > 10_000, "{name}");
    }
}

/// Rules that differ in a setting of the moving phase have different fingerprints, and the standard
/// rules have the one that existing files carry.
#[test]
fn fingerprints_tell_rules_of_the_moving_phase_apart() {
    let mut all = Vec::new();
    for flying in [0, 3, 4] {
        for bits in 0..512 {
            let is = |bit: u32| bits >> bit & 1 == 1;
            all.push(Rules {
                stones: 9,
                diagonals: is(0),
                flying,
                removal_from_mills: is(1),
                removal_per_mill: is(2),
                removal_while_placing: RemovalWhilePlacing::Board,
                blocked: [Blocked::Loses, Blocked::Passes][usize::from(is(3))],
                full_board: [FullBoard::Loses, FullBoard::Draws][usize::from(is(4))],
                moves_while_placing: is(7),
                first_to_move: [Side::White, Side::Black][usize::from(is(8))],
                quiet_turns: if is(5) { 100 } else { 90 },
                quiet_turns_flying: if is(6) { 10 } else { 0 },
            });
            let last = all[all.len() - 1];
            all.extend((bits & 0x60 == 0).then_some(Rules {
                quiet_turns: 0,
                quiet_turns_flying: 0,
                ..last
            }));
            all.extend((!is(4)).then_some(Rules {
                full_board: FullBoard::Removes,
                ..last
            }));
            all.push(Rules {
                removal_while_placing: RemovalWhilePlacing::Hand,
                ..last
            });
        }
    }
    let count = all.len();
    let mut prints: Vec<u64> = all.iter().map(Rules::fingerprint).collect();
    prints.sort_unstable();
    prints.dedup();
    assert_eq!(prints.len(), count);
    assert_eq!(Rules::STANDARD.fingerprint(), 0x9817_d256_e661_efc9);
    let file = include_bytes!("../../db/3-3.mill");
    assert_eq!(file[24..32], Rules::STANDARD.fingerprint().to_le_bytes());
    assert_eq!(Rules::TEN.fingerprint(), Rules::STANDARD.fingerprint());
}

#[test]
fn texts_are_padded() {
    let point = Point::named("d6").unwrap();
    let turn: Turn = "d6-d5".parse().unwrap();
    let found = [
        format!("{:>8}", Value::Win(Dtw(21))),
        format!("{:>8}", Value::Draw),
        format!("{:>8}", Wdl::Loss),
        format!("{:>8}", Side::White),
        format!("{point:>8}"),
        format!("{turn:>8}"),
    ];
    let expected = ["win in 21", "draw", "loss", "white", "d6", "d6-d5"];
    assert_eq!(found, expected.map(|text| format!("{text:>8}")));
    assert_eq!(format!("{:-^12}", Value::LOST), "-loss in 0--");
    assert_eq!(format!("{:.3}", Value::Loss(Dtw(4))), "los");
}

#[test]
fn several_removals_are_owed_only_where_the_rules_earn_them() {
    let each = Rules {
        removal_per_mill: true,
        ..Rules::STANDARD
    };
    // White's d6 is in two mills: b6 d6 f6 and d5 d6 d7. Black's mill is a1 d1 g1.
    let owing = |owed: u8| format!("O@*****@/OO*****O/O**@@@** w m r 5 0 5 0 {owed} 0");
    let read = |owed, rules: &Rules| -> Result<Position, PositionError> {
        Position::parse(&owing(owed), rules)
    };
    assert!(read(1, &Rules::STANDARD).is_ok());
    let refused = read(2, &Rules::STANDARD).unwrap_err().to_string();
    assert!(refused.contains("no more than 1"), "{refused}");
    let two = read(2, &each).unwrap();
    assert_eq!(two.removals_owed(), 2);
    assert!(two.text(&each).starts_with(&owing(2)));
    let refused = read(3, &each).unwrap_err().to_string();
    let words = "no stone of its stands in more than 2";
    assert!(refused.contains(words), "{refused}");

    // First the two stones outside the mill; a stone of the mill is never among them.
    let turns: Vec<String> = two.turns(&each).iter().map(Turn::to_string).collect();
    assert_eq!(turns, ["xc5xe5"]);
    let mut game = Game::new(each, two);
    assert!(game.play("xa1").is_err());
    game.play("xe5").unwrap();
    assert_eq!(game.position().removals_owed(), 1);
    game.play("xc5").unwrap();
    assert!(!game.position().removal_owed());
    assert_eq!(game.turns()[0].to_string(), "xc5xe5");
    game.undo().unwrap();
    assert_eq!(*game.position(), two);

    // With three stones left, the first removal ends the game.
    let text = "*@*****@/OO*****O/O***@*** w m s 4 0 3 0 0 0";
    let three = Position::parse(text, &each);
    assert!(three.is_ok_and(|position| {
        let turns = position.turns(&each);
        turns.iter().all(|turn| turn.removed().len() <= 1)
    }));
}

#[test]
fn turns_are_read_in_any_order_of_their_removals() {
    for (text, expected) in [
        ("d6-d5xb4xa1", "d6-d5xa1xb4"),
        ("d6xg7xa1xd7", "d6xa1xd7xg7"),
        ("xg1xg4", "xg1xg4"),
        ("pass", "pass"),
        ("D6-D5xB4", "d6-d5xb4"),
        ("Pass", "pass"),
    ] {
        let turn: Turn = text.parse().expect(text);
        assert_eq!(turn.to_string(), expected);
        assert_eq!(expected.parse(), Ok(turn));
    }
    for text in "d6-d5xa1xa1,xa1xa4xa7xb2,passxa1,x,d6x,d6-,".split(',') {
        assert!(text.parse::<Turn>().is_err(), "{text}");
    }
}

/// Every reason for which a text is not a position, with its names and numbers.
#[test]
fn refused_positions_name_their_reason() {
    let cases = [
        " => empty => ",
        "********/********/******** w p => too_short => ",
        "********/********/******** w p p x 9 0 9 0 0 => not_a_number => word=x",
        "********/********/O@O*O@*@ w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 65536 1 => not_a_number => word=65536",
        "********/********/******** x p p 0 9 0 9 0 0 => other_word => word=x allowed=w or b",
        "********/********/******** w m p 0 9 0 9 0 0 => other_phase => word=m white=9 black=9",
        "********/********/OOO@@@** w p p 3 0 3 0 0 0 => other_phase => word=p white=0 black=0",
        "********/********/******** w p s 0 9 0 9 0 0 => other_phase => word=s white=9 black=9",
        "********/********/OOO@@@** w m s 3 0 3 0 1 0 => other_action => action=s count=1",
        "********/********/OOO@@@** w m s 4 0 3 0 0 0 => other_count => side=white said=4 count=3",
        "********/********/******* w p p 0 9 0 9 0 0 => board_length => count=25",
        "W:a1,d1:B:g7 => other_form => ",
        "********/****X***/******** w p p 0 9 0 9 0 0 => board_letter => place=14 letter=X allowed=O, @, *",
        "******************/******* w p p 0 9 0 9 0 0 => board_letter => place=9 letter=* allowed=/",
        "********/********/@******* w p p 0 9 1 9 0 0 => too_many_stones => side=black count=1 hand=9 most=9",
        "********/********/OO*@@@** w m s 2 0 3 0 0 0 => too_few_stones => side=white count=2 fewest=3",
        "********/********/******** w p p 0 200 0 100 0 0 => too_many_stones => side=white count=0 hand=200 most=9",
        "********/********/******** w p p 0 9 0 7 0 0 => hands => white=9 black=7 side=white",
        "********/********/OOO@@@** w m r 3 0 3 0 1 1 => both_remove => ",
        "********/********/OOO@@@** w m r 3 0 3 0 0 1 => other_side_removes => side=white",
        "********/********/OOO@@@** w m r 3 0 3 0 2 0 => too_many_removals => side=white count=2 most=1",
        "********/********/OO*O@@@* w m r 3 0 3 0 1 0 => no_mill => side=white",
        "********/********/*OOO**** b p r 3 6 0 7 0 1 => no_mill => side=black",
        "*OOO****/********/******** w p r 3 6 0 7 1 0 => nothing_to_remove => side=black",
    ];
    let mut seen = BTreeSet::new();
    for case in cases {
        let columns: Vec<&str> = case.split(" => ").collect();
        let [text, reason, fields] = columns.try_into().unwrap();
        let error = Position::parse(text, &Rules::STANDARD).unwrap_err();
        assert_eq!(error.reason(), reason, "{text}: {error}");
        let (mut found, mut names) = (Vec::new(), Vec::new());
        for (name, value) in error.fields() {
            found.push(format!("{name}={value}"));
            names.push(format!("`{name}`"));
        }
        assert_eq!(found.join(" "), fields, "{text}: {error}");
        // The page about JSON names the reason and its fields.
        let row = format!("\n| `{reason}` | {} |", names.join(", ")).replace("|  |", "| |");
        assert!(include_str!("../../docs/JSON.md").contains(&row), "{row}");
        seen.insert(reason);
    }
    assert_eq!(seen.len(), 18);
}
