//! The rules: turns, what follows them, phases, ends and texts of the library against the plain
//! implementation, and the counts of turn sequences against the data.

mod common;
mod plain;

use common::{Random, before_removal, plain_position, plain_rules};
use millbase::{Phase, PointSet, Position, Rules, Turn};
use plain::{PlainPosition, PlainRules, PlainTurn};

/// Rules with every setting that there is, alone and together.
const VARIANTS: [Rules; 8] = [
    Rules::STANDARD,
    Rules {
        diagonals: true,
        ..Rules::STANDARD
    },
    Rules {
        flying: 0,
        ..Rules::STANDARD
    },
    Rules {
        removal_from_mills: true,
        ..Rules::STANDARD
    },
    // Twelve Men's Morris: a board can be full after the last placing.
    Rules {
        stones: 12,
        diagonals: true,
        flying: 0,
        removal_from_mills: false,
        ..Rules::STANDARD
    },
    Rules {
        stones: 12,
        diagonals: false,
        flying: 3,
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
];

#[test]
fn perft_agrees_with_the_data() {
    /// Up to here the plain implementation counts along.
    const PLAIN_COUNT: u64 = 30_000;
    let rules = Rules::STANDARD;
    let plain = PlainRules::standard();
    let (mut rows, mut counted_plainly) = (0, 0);
    for row in common::rows(include_str!("data/perft.csv")) {
        let [fen, depth, count, about] = row[..] else {
            panic!("a row of {} columns", row.len());
        };
        let (depth, count): (u32, u64) = (depth.parse().unwrap(), count.parse().unwrap());
        let position = Position::parse(fen, &rules).unwrap();
        assert_eq!(position.text(&rules), fen);
        assert_eq!(
            position.perft(&rules, depth),
            count,
            "{about}: {fen} {depth}"
        );
        rows += 1;
        if count <= PLAIN_COUNT {
            let position = PlainPosition::parse(fen, &plain).unwrap();
            assert_eq!(position.perft(&plain, depth), count, "{about}: {fen}");
            counted_plainly += 1;
        }
    }
    assert!(rows >= 140 && counted_plainly >= 100);
}

/// How many positions of each kind were compared.
#[derive(Default, Debug)]
struct Seen {
    placing: u32,
    moving: u32,
    flying: u32,
    owed: u32,
    beaten: u32,
    blocked: u32,
}

impl Seen {
    fn count(&mut self, phase: Phase, position: &Position) {
        *match phase {
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
    let still_placing = position.owed > 0 && position.white_hand + position.black_hand > 0;
    if position.loser(rules).is_some() {
        Phase::Over
    } else if position.hand(position.side) > 0 || still_placing {
        Phase::Placing
    } else if rules
        .flying
        .is_some_and(|most| position.on_board(position.side) <= most)
    {
        Phase::Flying
    } else {
        Phase::Moving
    }
}

/// Compares all that the two implementations say of a position; the turns, with what follows them.
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
    assert_eq!(position.is_over(rules), loser.is_some(), "{text}");
    assert!(loser.is_none_or(|loser| loser == plain.side), "{text}");
    seen.count(phase, position);

    let turns = position.turns(rules);
    let mut plain_turns = plain.turns(plain_rules);
    plain_turns.sort_by_key(PlainTurn::to_string);
    let texts = |turns: &[String]| turns.join(" ");
    assert_eq!(
        texts(&turns.iter().map(Turn::to_string).collect::<Vec<_>>()),
        texts(
            &plain_turns
                .iter()
                .map(PlainTurn::to_string)
                .collect::<Vec<_>>()
        ),
        "{text}"
    );
    assert_eq!(position.perft(rules, 1), turns.len() as u64, "{text}");

    let both = turns.into_iter().zip(plain_turns);
    both.map(|(turn, plain_turn)| {
        assert_eq!(turn.to_string().parse(), Ok(turn), "{text}");
        let after = position.after(turn);
        let expected = plain.after(&plain_turn);
        assert_eq!(plain_position(&after), expected, "{text} {turn}");
        (turn, plain_turn, after)
    })
    .collect()
}

/// Plays a game of random turns, every other capture taken where there is one.
fn compare_game(rules: &Rules, random: &mut Random, seen: &mut Seen) {
    /// Games end sooner than this by far.
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
        let captures: Vec<_> = turns.iter().filter(|t| t.0.removed.is_some()).collect();
        let next = if captures.is_empty() || random.below(2) == 0 {
            random.pick(&turns)
        } else {
            random.pick(&captures)
        };
        if next.0.removed.is_some() {
            let middle = before_removal(&position, &next.1, rules);
            compare(&middle, rules, &plain_rules, seen);
        }
        position = next.2;
    }
    panic!("a game of more than {LONGEST} turns");
}

#[test]
fn random_games_agree_with_the_plain_implementation() {
    for (number, rules) in VARIANTS.into_iter().enumerate() {
        let mut seen = Seen::default();
        let mut random = Random::new(number as u64);
        let games = 400;
        for _ in 0..games {
            compare_game(&rules, &mut random, &mut seen);
        }
        assert_eq!(seen.beaten + seen.blocked, games, "{rules}");
        assert!(seen.placing >= 5 * games, "{rules}: {seen:?}");
        assert!(seen.owed >= games, "{rules}: {seen:?}");
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
            let around: PointSet = white
                .into_iter()
                .flat_map(|point| rules.board().neighbours(point))
                .collect();
            let around = around - white;
            if around.len() > most {
                continue;
            }
            // All ways out are closed, then all but one; the side that closes them still plays.
            let open = random.points_of(around, 1);
            for waiting in [around, around - open] {
                if waiting.len() >= 3 {
                    let position = Position::moving(white, waiting);
                    compare(&position, &rules, &plain_rules, &mut seen);
                }
            }
        }
        let everyone_flies = most <= u32::from(rules.flying);
        assert!(seen.blocked > 5 || everyone_flies, "{rules}: {seen:?}");
        assert!(seen.moving > 5 || everyone_flies, "{rules}: {seen:?}");
    }
}

/// Texts of positions with one character changed: what both implementations read they read alike.
/// The library may refuse more; more it may read only where the phase or action leaves open whether
/// the game is over.
#[test]
fn damaged_texts_are_refused_or_read_alike() {
    let rules = Rules::STANDARD;
    let plain_rules = plain_rules(&rules);
    let mut random = Random::new(3000);
    let (mut refused, mut read) = (0, 0);
    for row in common::rows(include_str!("data/perft.csv")) {
        for _ in 0..200 {
            let mut text: Vec<char> = row[0].chars().collect();
            let place = random.below(text.len());
            text[place] = *random.pick(&[
                'O', '@', '*', '/', ' ', 'w', 'b', 'p', 'm', 'o', 's', 'r', '?', '0', '1', '2',
                '9', '-', 'ö', '\t',
            ]);
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
