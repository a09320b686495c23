//! Generates, applies and counts (perft) legal turns. A turn is one complete move: place, slide or
//! fly, together with the removals that it earns. Its first part, without the removals, is a
//! *step*.

use std::cell::LazyCell;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

use crate::board::symmetry::Symmetry;
use crate::board::{Point, PointSet};
use crate::rules::position::Position;
use crate::rules::{FEWEST_STONES, Rules};

/// One turn of the side to move. Turns that differ only in the order of their removals are one
/// turn.
///
/// It is a number with five bits for each point; the removed points are in ascending order, missing
/// ones last:
///
/// ```text
/// bits  0-4 from | 5-9 to | 10-14, 15-19, 20-24 removed      31 for a point that is missing
/// bit   25       clear if the placed stone closes a mill that takes one from the hand
/// ```
///
/// The last bit gives [`Position::after`] what the board does not show. It is not in the text of a
/// turn, and turns that differ only there are equal.
#[derive(Clone, Copy)]
pub struct Turn(u32);

/// The bit of turns that take no stone from the hand.
const LEAVES_HAND: u32 = 1 << 25;

/// The number of a point that is missing.
const NO_POINT: u32 = 31;

/// The lowest bit of the target point's number.
const TO: u32 = 5;

/// The lowest bits of the removed points' numbers.
const REMOVED: [u32; 3] = [10, 15, 20];

/// The most stones that a turn removes.
const MOST_REMOVED: usize = REMOVED.len();

/// The text of [`Turn::PASS`].
const PASS: [u8; 4] = *b"pass";

impl Turn {
    /// The number of bits of a turn's number.
    pub(crate) const BITS: u32 = 26;

    /// The turn of a side that cannot move, if the rules let it pass.
    pub const PASS: Turn = Turn((1 << Turn::BITS) - 1);

    /// The turn that takes a stone from one point to another and removes stones of the opponent.
    /// `from` is `None` if a stone is placed; both points are `None` if only removals are pending.
    ///
    /// ```
    /// use millbase::{Point, PointSet, Turn};
    /// let turn = Turn::new(None, Point::named("d6"), PointSet::EMPTY);
    /// assert_eq!(turn.to_string(), "d6");
    /// assert_eq!(turn.to(), Point::named("d6"));
    /// ```
    ///
    /// # Panics
    ///
    /// If more than three stones are removed.
    pub fn new(from: Option<Point>, to: Option<Point>, removed: PointSet) -> Turn {
        let step = to.map_or(Turn::PASS, |to| Turn::step(from, to));
        step.removing(removed)
    }

    /// A turn without removals.
    #[inline(always)]
    pub(crate) fn step(from: Option<Point>, to: Point) -> Turn {
        let from = from.map_or(NO_POINT, Point::bit);
        Turn(Turn::PASS.0 ^ (from ^ NO_POINT) ^ (to.bit() ^ NO_POINT) << TO)
    }

    /// The same turn with the removal of one stone; the turn must have none.
    #[inline(always)]
    fn removing_one(self, removed: Point) -> Turn {
        Turn(self.0 ^ (removed.bit() ^ NO_POINT) << REMOVED[0])
    }

    /// The same turn with the removal of these stones instead of its own.
    pub(crate) fn removing(self, removed: PointSet) -> Turn {
        assert!(
            removed.len() as usize <= MOST_REMOVED,
            "more than three stones are removed"
        );
        let kept = self.0 | !0 << REMOVED[0] & Turn::PASS.0;
        let places = REMOVED.into_iter().zip(removed);
        Turn(places.fold(kept, |number, (place, point)| {
            number ^ (point.bit() ^ NO_POINT) << place
        }))
    }

    /// The same placement, with a mill that takes a stone from the opponent's hand.
    #[inline(always)]
    fn taking_from_hand(self) -> Turn {
        Turn(self.0 & !LEAVES_HAND)
    }

    /// Whether the turn takes a stone from the opponent's hand. A turn that was read from a text does not
    /// say so; see [`Position::find_turn`].
    #[inline(always)]
    pub fn takes_from_hand(self) -> bool {
        self.0 & LEAVES_HAND == 0
    }

    /// The number of stones that the turn takes from the board and from the hand.
    pub(crate) fn taken(self) -> u32 {
        self.removed().len() + u32::from(self.takes_from_hand())
    }

    /// The turn's number, of [`Turn::BITS`] bits.
    pub(crate) fn number(self) -> u32 {
        self.0
    }

    /// The turn with this number; further bits are dropped.
    pub(crate) fn from_number(number: u32) -> Turn {
        Turn(number & Turn::PASS.0)
    }

    /// The point that a stone leaves; `None` if a stone is placed, if only removals are pending,
    /// and for a pass.
    #[inline(always)]
    pub fn from(self) -> Option<Point> {
        Point::new(self.0 & NO_POINT)
    }

    /// The point that a stone reaches; `None` if only removals are pending, and for a pass.
    #[inline(always)]
    pub fn to(self) -> Option<Point> {
        Point::new(self.0 >> TO & NO_POINT)
    }

    /// The points from which stones of the opponent are removed, 0 to 3.
    #[inline(always)]
    pub fn removed(self) -> PointSet {
        let [a, b, c] = REMOVED.map(|place| self.set_at(place).bits());
        PointSet::from_bits(a | b | c)
    }

    /// The point whose number begins at this bit, as a set.
    // Bit 31, that of a missing point, is outside every set.
    #[inline(always)]
    fn set_at(self, place: u32) -> PointSet {
        PointSet::from_bits(1 << (self.0 >> place & NO_POINT))
    }

    /// Whether the turn places a stone.
    #[inline(always)]
    pub(crate) fn places(self) -> bool {
        self.from().is_none() && self.to().is_some()
    }

    /// Whether the turn takes a stone from the board or from the hand.
    pub fn removes(&self) -> bool {
        self.taken() > 0
    }

    /// Whether the turn neither places nor removes a stone.
    pub fn is_quiet(&self) -> bool {
        !self.removes() && (self.from().is_some() || self.is_pass())
    }

    /// Whether it only removes stones: one of the actions of a turn, or its last ones.
    pub(crate) fn is_removal(&self) -> bool {
        self.from().is_none() && self.to().is_none() && !self.is_pass()
    }

    /// Whether the side to move passes.
    pub fn is_pass(&self) -> bool {
        *self == Turn::PASS
    }

    /// The same turn under a symmetry of the board.
    ///
    /// ```
    /// use millbase::{Symmetry, Turn};
    /// let turn: Turn = "d6-d5xb4".parse()?;
    /// assert_eq!(turn.turned(Symmetry::numbered(1)).to_string(), "f4-e4xd6");
    /// # Ok::<(), millbase::TurnError>(())
    /// ```
    #[must_use]
    pub fn turned(self, symmetry: Symmetry) -> Turn {
        let image = |place: u32| symmetry.apply(self.set_at(place)).into_iter().next();
        let turned = Turn::new(image(0), image(TO), symmetry.apply(self.removed()));
        Turn(turned.0 & (self.0 | !LEAVES_HAND))
    }

    /// The removed points in the order of their names.
    pub(crate) fn removed_in_order(&self) -> impl Iterator<Item = Point> + use<> {
        // Most turns remove one stone or none.
        let mut points = [None; MOST_REMOVED];
        for (slot, point) in points.iter_mut().zip(self.removed()) {
            *slot = Some(point);
        }
        if self.removed().len() > 1 {
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
        if let Some(from) = self.from() {
            free -= 24;
            number = (name(from) << 8 | u128::from(b'-')) << free;
        }
        if let Some(to) = self.to() {
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

impl PartialEq for Turn {
    fn eq(&self, other: &Turn) -> bool {
        self.0 | LEAVES_HAND == other.0 | LEAVES_HAND
    }
}

impl Eq for Turn {}

impl Hash for Turn {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.0 | LEAVES_HAND).hash(state);
    }
}

/// Turns are ordered like their texts.
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

impl fmt::Debug for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The text is not a turn.
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

    /// Parses a turn's text, in small or capital letters and with removals in any order. Does not
    /// check whether the turn can be legal.
    ///
    /// ```
    /// use millbase::Turn;
    /// let turn: Turn = "d6-d5xg7xa1".parse()?;
    /// assert_eq!(turn.to_string(), "d6-d5xa1xg7");
    /// assert_eq!("D6-D5xG7XA1".parse(), Ok(turn));
    /// assert!("d6-d5xa1xa1".parse::<Turn>().is_err());
    /// assert_eq!("pass".parse::<Turn>()?, Turn::PASS);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn from_str(text: &str) -> Result<Turn, TurnError> {
        if text.bytes().any(|letter| letter.is_ascii_uppercase()) {
            return text.to_ascii_lowercase().parse();
        }
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
        Ok(Turn::new(from, to, removed))
    }
}

/// The stones of the waiting side that may be removed once a mill is closed.
#[inline(always)]
pub fn removable(waiting: PointSet, rules: &Rules) -> PointSet {
    let outside_mills = waiting - rules.board().mills(waiting);
    if rules.removal_from_mills || outside_mills.is_empty() {
        waiting
    } else {
        outside_mills
    }
}

/// The number of stones that `earned` removals take: they end when the opponent has no stone on the
/// board, or fewer than three including those in hand.
pub(crate) fn removals_made(earned: u8, on_board: u32, in_hand: u8) -> u8 {
    let to_spare = (on_board + u32::from(in_hand)).saturating_sub(u32::from(FEWEST_STONES) - 1);
    u32::from(earned).min(on_board).min(to_spare) as u8
}

/// The sets of `count` stones of the waiting side that can be removed one after the other, each set
/// once. Each removal must be legal after those before it.
fn removable_sets(waiting: PointSet, count: u8, rules: &Rules) -> Vec<PointSet> {
    let Some(rest) = count.checked_sub(1) else {
        return vec![PointSet::EMPTY];
    };
    let mut sets: Vec<PointSet> = Vec::new();
    for point in removable(waiting, rules) {
        if rest == 0 {
            sets.push(point.into());
        } else {
            let others = removable_sets(waiting.without(point), rest, rules);
            sets.extend(others.into_iter().map(|others| others.with(point)));
        }
    }
    sets.sort_unstable();
    sets.dedup();
    sets
}

/// The sets of the waiting side that this many removals can leave.
pub(crate) fn left_after_removals(
    waiting: PointSet,
    count: u8,
    rules: &Rules,
) -> impl Iterator<Item = PointSet> {
    let removed = removable_sets(waiting, count, rules);
    removed.into_iter().map(move |removed| waiting - removed)
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

    /// Calls `found` with every legal turn, in no particular order; never if the side to move has
    /// no turn and cannot pass.
    #[inline(always)]
    pub fn for_each_turn(&self, rules: &Rules, mut found: impl FnMut(Turn)) {
        let single = LazyCell::new(|| removable(self.waiting, rules));
        self.for_each_step(rules, |step, removals| match removals {
            0 => found(step),
            1 => {
                for point in *single {
                    found(step.removing_one(point));
                }
            }
            _ => {
                for removed in removable_sets(self.waiting, removals, rules) {
                    found(step.removing(removed));
                }
            }
        });
    }

    /// The legal turn that equals this one, which may have been read from a text; `None` if the turn
    /// is not legal.
    pub fn find_turn(&self, turn: Turn, rules: &Rules) -> Option<Turn> {
        let mut found = None;
        self.for_each_turn(rules, |legal| {
            if legal == turn {
                found = Some(legal);
            }
        });
        found
    }

    /// Calls `found` with the step of every legal turn (the stone that is placed or moved) and the
    /// number of stones that the turn then removes from the board. If only removals are pending, and
    /// if the side to move has to pass, the step is [`Turn::PASS`].
    #[inline(always)]
    pub(crate) fn for_each_step(&self, rules: &Rules, mut found: impl FnMut(Turn, u8)) {
        if self.is_beaten() {
            return;
        }
        let removals = |earned: u8| removals_made(earned, self.waiting.len(), self.waiting_in_hand);
        let due = self.removals_due(rules);
        if due > 0 || self.must_pass(rules) {
            return found(Turn::PASS, removals(due));
        }
        let board = rules.board();
        let mut arrive = |from: Option<Point>, rest: PointSet, targets: PointSet| {
            let closing = board.completions(rest) & targets;
            for to in targets - closing {
                found(Turn::step(from, to), 0);
            }
            if from.is_none() && rules.takes_from_hand(self.waiting_in_hand) {
                for to in closing {
                    found(Turn::step(from, to).taking_from_hand(), 0);
                }
                return;
            }
            for to in closing {
                let mills = board.mills_through(to, rest.with(to));
                found(Turn::step(from, to), removals(rules.removals(mills)));
            }
        };
        let empty = self.empty();
        if self.mover_in_hand > 0 {
            arrive(None, self.mover, empty);
            if !rules.may_move(self.mover_in_hand) {
                return;
            }
        }
        let flies = self.flies(rules);
        for from in self.mover {
            let targets = match flies {
                true => empty,
                false => board.neighbours(from) & empty,
            };
            arrive(Some(from), self.mover.without(from), targets);
        }
    }

    /// The position after one of the legal turns: after an illegal one, or one that was read from a
    /// text where mills take stones from the hand, the numbers of stones may be wrong.
    /// [`Position::play`] and [`Position::find_turn`] check the turn.
    #[inline(always)]
    #[must_use]
    pub fn after(&self, turn: Turn) -> Position {
        let (left, reached) = (turn.set_at(0), turn.set_at(TO));
        let places = left.is_empty() && !reached.is_empty();
        let mut after = Position {
            mover: self.waiting - turn.removed(),
            waiting: (self.mover - left) | reached,
            mover_in_hand: self.waiting_in_hand - u8::from(turn.takes_from_hand()),
            waiting_in_hand: self.mover_in_hand - u8::from(places),
            side_to_move: self.side_to_move.other(),
            removals_owed: 0,
            pass_to_come: false,
        };
        if self.pass_to_come && (self.is_placing() || self.removal_owed()) {
            after.pass_to_come = after.pass_can_follow();
        }
        after
    }

    /// Whether a turn is quiet and one of the game's turns, which the pass before the first move is not.
    pub(crate) fn counts_as_quiet(&self, turn: Turn) -> bool {
        turn.is_quiet() && !self.pass_is_due()
    }

    /// The count of quiet turns after a legal turn, from the count before it.
    pub fn quiet_turns_after(&self, turn: Turn, before: u32) -> u32 {
        match self.counts_as_quiet(turn) {
            true => before.saturating_add(1),
            false => 0,
        }
    }

    /// The number of sequences of exactly `depth` turns; a game that ends sooner does not count.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_keep_their_points_under_symmetries() {
        let each_mill = Rules {
            removal_per_mill: true,
            ..Rules::STANDARD
        };
        let texts = [
            "********/********/******** w p p 0 9 0 9 0 0",
            "OO******/@******@/******** w p p 2 7 2 7 0 0",
            "*O*@@**O/O**@*@**/O******* w p p 4 5 4 5 0 0",
            "***O**@*/*O@***@*/**@**O** w m s 3 0 4 0 0 0",
        ];
        let mut removals = [0; 3];
        for text in texts {
            let position = Position::parse(text, &each_mill).unwrap();
            for turn in position.turns(&each_mill) {
                let parts = (turn.from(), turn.to(), turn.removed());
                assert_eq!(Turn::new(parts.0, parts.1, parts.2), turn);
                assert_eq!(Turn::from_number(turn.number()), turn);
                assert_eq!(turn.to_string().parse(), Ok(turn));
                removals[turn.removed().len() as usize] += 1;
                for symmetry in Symmetry::all() {
                    let turned = turn.turned(symmetry);
                    assert_eq!(turned.turned(symmetry.inverse()), turn);
                    let after = position.after(turn).with_board_turned(symmetry);
                    let position = position.with_board_turned(symmetry);
                    assert_eq!(position.after(turned), after);
                }
            }
        }
        assert!(removals.iter().all(|&count| count > 0), "{removals:?}");
        assert_eq!(Turn::PASS.turned(Symmetry::numbered(5)), Turn::PASS);
    }
}
