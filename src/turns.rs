//! Legal turns, applying them, and counting them (perft). A turn is one whole logical move: place,
//! slide or fly, together with the removal that it earns.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use crate::board::{Board, Point, PointSet};
use crate::position::{Phase, Position, Side};
use crate::rules::{FEWEST_STONES, Rules};

/// One turn of the side to move. Turns that differ only in the order of their removals are one turn.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Turn {
    /// The point that a stone leaves; `None` where one is placed, or where only removals are owed.
    pub from: Option<Point>,
    /// The point that a stone comes to; `None` where only removals are owed, and for passing.
    pub to: Option<Point>,
    /// The points from which stones of the opponent are removed, 0 to 3.
    pub removed: PointSet,
}

/// The most stones that a turn removes.
const MOST_REMOVED: usize = 3;

/// The text of [`Turn::PASS`].
const PASS: [u8; 4] = *b"pass";

impl Turn {
    /// The turn of a side that cannot move, where the rules let it pass.
    pub const PASS: Turn = Turn {
        from: None,
        to: None,
        removed: PointSet::EMPTY,
    };

    /// Whether the side to move does nothing.
    pub fn is_pass(&self) -> bool {
        *self == Turn::PASS
    }

    /// The removed points in the order of their names.
    pub(crate) fn removed_in_order(&self) -> impl Iterator<Item = Point> + use<> {
        // Most turns remove one stone or none.
        let mut points = [None; MOST_REMOVED];
        for (slot, point) in points.iter_mut().zip(self.removed) {
            *slot = Some(point);
        }
        if self.removed.len() > 1 {
            points.sort_unstable_by_key(|point| point.map_or("z", Point::name));
        }
        points.into_iter().flatten()
    }

    /// The turn's text, such as `d6`, `d6-d5`, `d6-d5xb4` or `xb4xg7`, as a number that begins with
    /// the first letter and ends with zeros.
    pub(crate) fn letters(&self) -> u128 {
        if self.is_pass() {
            return u128::from(u32::from_be_bytes(PASS)) << 96;
        }
        let name = |point: Point| {
            let name = point.name().as_bytes();
            u128::from(u16::from_be_bytes([name[0], name[1]]))
        };
        let (mut number, mut free) = (0u128, u128::BITS);
        if let Some(from) = self.from {
            free -= 24;
            number = (name(from) << 8 | u128::from(b'-')) << free;
        }
        if let Some(to) = self.to {
            free -= 16;
            number |= name(to) << free;
        }
        for point in self.removed_in_order() {
            free -= 24;
            number |= (u128::from(b'x') << 16 | name(point)) << free;
        }
        number
    }
}

/// Turns are ordered as their texts are.
impl Ord for Turn {
    fn cmp(&self, other: &Turn) -> Ordering {
        self.letters().cmp(&other.letters())
    }
}

impl PartialOrd for Turn {
    fn partial_cmp(&self, other: &Turn) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.letters().to_be_bytes();
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

    /// Reads a turn's text, the removals in any order. Whether the turn is legal somewhere is not
    /// checked.
    ///
    /// ```
    /// use millbase::Turn;
    /// let turn: Turn = "d6-d5xg7xa1".parse()?;
    /// assert_eq!(turn.to_string(), "d6-d5xa1xg7");
    /// assert!("d6-d5xa1xa1".parse::<Turn>().is_err());
    /// assert_eq!("pass".parse::<Turn>()?, Turn::PASS);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn from_str(text: &str) -> Result<Turn, TurnError> {
        if text.as_bytes() == PASS {
            return Ok(Turn::PASS);
        }
        let point = |name: &str| Point::named(name).ok_or(TurnError);
        let mut parts = text.split('x');
        let action = parts.next().unwrap_or_default();
        let mut removed = PointSet::EMPTY;
        for name in parts {
            let point = point(name)?;
            if removed.contains(point) || removed.len() as usize == MOST_REMOVED {
                return Err(TurnError);
            }
            removed = removed.with(point);
        }
        let (from, to) = match action.split_once('-') {
            Some((from, to)) => (Some(point(from)?), Some(point(to)?)),
            None if action.is_empty() && !removed.is_empty() => (None, None),
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

/// How many stones are removed where so many removals are earned: they end when the opponent has
/// none on the board, or fewer than three with those in hand.
pub(crate) fn removals_made(earned: u8, on_board: u32, in_hand: u8) -> u8 {
    let to_spare = (on_board + u32::from(in_hand)).saturating_sub(u32::from(FEWEST_STONES) - 1);
    u32::from(earned).min(on_board).min(to_spare) as u8
}

/// The sets of so many stones of the waiting side that can be removed, in some order, each removal
/// judged after those before it; each set once.
pub(crate) fn removable_sets(
    waiting: PointSet,
    count: u8,
    board: &Board,
    rules: &Rules,
) -> Vec<PointSet> {
    let Some(rest) = count.checked_sub(1) else {
        return vec![PointSet::EMPTY];
    };
    let mut sets: Vec<PointSet> = Vec::new();
    for point in removable(waiting, board, rules) {
        if rest == 0 {
            sets.push(point.into());
        } else {
            let others = removable_sets(waiting.without(point), rest, board, rules);
            sets.extend(others.into_iter().map(|others| others.with(point)));
        }
    }
    sets.sort_unstable();
    sets.dedup();
    sets
}

/// The sets of a waiting side without stones in hand that so many removals can leave.
pub(crate) fn left_after_removals(
    waiting: PointSet,
    earned: u8,
    rules: &Rules,
) -> impl Iterator<Item = PointSet> {
    let count = removals_made(earned, waiting.len(), 0);
    let removed = removable_sets(waiting, count, rules.board(), rules);
    removed.into_iter().map(move |removed| waiting - removed)
}

/// Where a side without stones in hand can come by moving a stone: its set then, and how many mills
/// the stone closes.
#[inline(always)]
pub(crate) fn moves(
    mover: PointSet,
    waiting: PointSet,
    rules: &Rules,
) -> impl Iterator<Item = (PointSet, u32)> {
    let board = rules.board();
    let empty = !(mover | waiting);
    let flies = rules.flies(mover.len());
    mover.into_iter().flat_map(move |from| {
        let rest = mover.without(from);
        let targets = match flies {
            true => empty,
            false => board.neighbours(from) & empty,
        };
        targets.into_iter().map(move |to| {
            let set = rest.with(to);
            (set, board.mills_through(to, set))
        })
    })
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
        turns.sort_by_cached_key(Turn::letters);
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
        let waiting = self.waiting();
        let single = removable(waiting, board, rules);
        let in_hand = self.in_hand(self.side_to_move.other());
        let mut remove =
            |turn: Turn, earned: u8| match removals_made(earned, waiting.len(), in_hand) {
                0 => found(turn),
                1 => {
                    for point in single {
                        let removed = point.into();
                        found(Turn { removed, ..turn });
                    }
                }
                count => {
                    for removed in removable_sets(waiting, count, board, rules) {
                        found(Turn { removed, ..turn });
                    }
                }
            };
        if self.removal_owed() {
            remove(Turn::PASS, self.removals_owed);
            return;
        }
        if self.must_pass(rules) {
            remove(Turn::PASS, 0);
            return;
        }
        let empty = self.empty();
        let mut arrive = |from: Option<Point>, rest: PointSet, targets: PointSet| {
            for to in targets {
                let turn = Turn {
                    from,
                    to: Some(to),
                    removed: PointSet::EMPTY,
                };
                let mills = board.mills_through(to, rest.with(to));
                remove(turn, rules.removals(mills));
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
        *others = *others - turn.removed;
        next.side_to_move = side.other();
        next.removals_owed = 0;
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
