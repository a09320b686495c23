//! Legal turns, applying them, and counting them (perft). A turn is one whole logical move: place,
//! slide or fly, together with the removal that it earns.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use crate::board::{Board, Point, PointSet};
use crate::position::{Phase, Position, Side};
use crate::rules::Rules;

/// One turn of the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Turn {
    /// The point that a stone leaves; `None` where one is placed, or where only a removal is owed.
    pub from: Option<Point>,
    /// The point that a stone comes to; `None` where only a removal is owed.
    pub to: Option<Point>,
    /// The point from which a stone of the opponent is removed.
    pub removed: Option<Point>,
}

impl Turn {
    /// The turn's text, `d6`, `d6-d5`, `d6-d5xb4` or `xb4`, and zeros behind it.
    fn bytes(&self) -> [u8; 8] {
        let name = |point: Option<Point>| {
            let bytes = point.map_or([0; 2], |point| {
                let name = point.name().as_bytes();
                [name[0], name[1]]
            });
            u64::from(u16::from_be_bytes(bytes))
        };
        // The parts stand in the number as in the text, the first letter at the top.
        let (mut number, mut free) = (0u64, 64);
        if self.from.is_some() {
            number = name(self.from) << 48 | u64::from(b'-') << 40;
            free = 40;
        }
        if self.to.is_some() {
            free -= 16;
            number |= name(self.to) << free;
        }
        if self.removed.is_some() {
            number |= (u64::from(b'x') << 16 | name(self.removed)) << (free - 24);
        }
        number.to_be_bytes()
    }
}

/// Turns are ordered as their texts are.
impl Ord for Turn {
    fn cmp(&self, other: &Turn) -> Ordering {
        u64::from_be_bytes(self.bytes()).cmp(&u64::from_be_bytes(other.bytes()))
    }
}

impl PartialOrd for Turn {
    fn partial_cmp(&self, other: &Turn) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.bytes();
        let length = bytes
            .iter()
            .position(|&byte| byte == 0)
            .unwrap_or(bytes.len());
        // The names of points are ASCII.
        f.pad(std::str::from_utf8(&bytes[..length]).unwrap_or_default())
    }
}

/// A text that is no turn.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TurnError;

impl fmt::Display for TurnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a turn is written like d6, d6-d5, d6xb4, d6-d5xb4 or xb4")
    }
}

impl std::error::Error for TurnError {}

impl FromStr for Turn {
    type Err = TurnError;

    /// Reads a turn's text. Whether the turn is legal somewhere is not checked.
    fn from_str(text: &str) -> Result<Turn, TurnError> {
        let point = |name: &str| Point::named(name).ok_or(TurnError);
        let (action, removed) = match text.split_once('x') {
            Some((action, removed)) => (action, Some(point(removed)?)),
            None => (text, None),
        };
        let (from, to) = match action.split_once('-') {
            Some((from, to)) => (Some(point(from)?), Some(point(to)?)),
            None if action.is_empty() && removed.is_some() => (None, None),
            None => (None, Some(point(action)?)),
        };
        Ok(Turn { from, to, removed })
    }
}

/// The stones of the waiting side that may be removed once a mill is closed.
#[inline(always)]
pub fn removable(waiting: PointSet, board: &Board, rules: &Rules) -> PointSet {
    let outside_mills = waiting - board.mills(waiting);
    if rules.removal_from_mills || outside_mills.is_empty() {
        waiting
    } else {
        outside_mills
    }
}

impl Position {
    /// All legal turns, in the order of their texts; none when the game is over.
    ///
    /// ```
    /// use millbase::{Position, Rules};
    /// let rules = Rules::STANDARD;
    /// let start = Position::start(&rules);
    /// assert_eq!(start.turns(&rules).len(), 24);
    /// assert_eq!(start.turns(&rules)[0].to_string(), "a1");
    /// ```
    pub fn turns(&self, rules: &Rules) -> Vec<Turn> {
        let mut turns = Vec::with_capacity(32);
        self.for_each_turn(rules, |turn| turns.push(turn));
        turns.sort_unstable();
        turns
    }

    /// Calls `found` with every legal turn, in no particular order.
    pub fn for_each_turn(&self, rules: &Rules, mut found: impl FnMut(Turn)) {
        let phase = self.phase(rules);
        if phase == Phase::Over {
            return;
        }
        let board = rules.board();
        let mover = self.mover();
        let removable = removable(self.waiting(), board, rules);
        if self.removal_owed {
            for point in removable {
                found(Turn {
                    from: None,
                    to: None,
                    removed: Some(point),
                });
            }
            return;
        }
        let empty = self.empty();
        let mut arrive = |from: Option<Point>, rest: PointSet, targets: PointSet| {
            for to in targets {
                let turn = Turn {
                    from,
                    to: Some(to),
                    removed: None,
                };
                let closes_mill = board.mills(rest.with(to)).contains(to);
                if closes_mill && !removable.is_empty() {
                    for point in removable {
                        found(Turn {
                            removed: Some(point),
                            ..turn
                        });
                    }
                } else {
                    found(turn);
                }
            }
        };
        if phase == Phase::Placing {
            arrive(None, mover, empty);
            return;
        }
        for from in mover {
            let targets = match phase {
                Phase::Flying => empty,
                _ => board.neighbours(from) & empty,
            };
            arrive(Some(from), mover.without(from), targets);
        }
    }

    /// The position after a turn, which must be legal.
    #[must_use]
    pub fn after(&self, turn: Turn) -> Position {
        let mut next = *self;
        let side = self.side_to_move;
        let (mine, others, in_hand) = match side {
            Side::White => (&mut next.white, &mut next.black, &mut next.white_in_hand),
            Side::Black => (&mut next.black, &mut next.white, &mut next.black_in_hand),
        };
        match (turn.from, turn.to) {
            (Some(from), Some(to)) => *mine = mine.without(from).with(to),
            (None, Some(to)) => {
                *mine = mine.with(to);
                *in_hand -= 1;
            }
            _ => {}
        }
        if let Some(removed) = turn.removed {
            *others = others.without(removed);
        }
        next.side_to_move = side.other();
        next.removal_owed = false;
        next
    }

    /// How many sequences of so many turns there are; a game that ends sooner counts only where it
    /// ends exactly there.
    ///
    /// ```
    /// use millbase::{Position, Rules};
    /// assert_eq!(Position::start(&Rules::STANDARD).perft(&Rules::STANDARD, 3), 12_144);
    /// ```
    pub fn perft(&self, rules: &Rules, depth: u32) -> u64 {
        let mut count = 0;
        match depth {
            0 => count = 1,
            1 => self.for_each_turn(rules, |_| count += 1),
            _ => self.for_each_turn(rules, |turn| {
                count += self.after(turn).perft(rules, depth - 1)
            }),
        }
        count
    }
}
