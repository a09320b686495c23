//! A position as the search holds it, its turns, and its key.
//!
//! The value of a position does not depend on the colours, so a node knows only who moves and who
//! waits. A removal that is still owed is no node: the root settles it.

use super::geometry::Geometry;
use super::score::Score;
use crate::board::{Point, PointSet};
use crate::index::Rows;
use crate::position::{Position, Side};
use crate::rules::{Blocked, FEWEST_STONES, FullBoard, MOST_STONES, Rules};
use crate::symmetry::Symmetry;
use crate::turns::{Turn, removable, removable_sets, removals_made};

/// The stones on the board and in hand of the side to move and of the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Node {
    pub mover: PointSet,
    pub waiting: PointSet,
    pub mover_in_hand: u8,
    pub waiting_in_hand: u8,
}

impl Node {
    /// The node of a position in which no removal is owed.
    pub fn of(position: &Position) -> Node {
        let side = position.side_to_move();
        Node {
            mover: position.mover(),
            waiting: position.waiting(),
            mover_in_hand: position.in_hand(side),
            waiting_in_hand: position.in_hand(side.other()),
        }
    }

    /// The position, White to move.
    pub fn position(&self) -> Position {
        Position {
            white: self.mover,
            black: self.waiting,
            white_in_hand: self.mover_in_hand,
            black_in_hand: self.waiting_in_hand,
            side_to_move: Side::White,
            removals_owed: 0,
        }
    }

    /// The points without a stone.
    #[inline(always)]
    pub fn empty(&self) -> PointSet {
        !(self.mover | self.waiting)
    }

    /// How many stones are still to be placed.
    #[inline(always)]
    pub fn in_hand(&self) -> u32 {
        u32::from(self.mover_in_hand + self.waiting_in_hand)
    }

    /// Whether the side to move has too few stones to go on.
    #[inline(always)]
    pub fn is_beaten(&self) -> bool {
        self.mover.len() + u32::from(self.mover_in_hand) < u32::from(FEWEST_STONES)
    }

    /// Whether the side to move has no stone in hand and can neither slide nor fly.
    #[inline(always)]
    fn is_blocked(&self, rules: &Rules, geometry: &Geometry) -> bool {
        self.mover_in_hand == 0
            && (geometry.around(self.mover) & self.empty()).is_empty()
            && (!rules.flies(self.mover.len()) || self.empty().is_empty())
    }

    /// The score where the game is over as the side to move is blocked or the board full.
    #[inline(always)]
    pub(super) fn end(&self, rules: &Rules, geometry: &Geometry) -> Option<Score> {
        if !self.is_blocked(rules, geometry) {
            return None;
        }
        let full = self.empty().is_empty();
        match (rules.blocked, rules.full_board) {
            (_, FullBoard::Draws) if full => Some(Score::DRAW),
            (Blocked::Passes, _) if !full => None,
            _ => Some(Score::loss_in(0)),
        }
    }

    /// The node after a legal step.
    #[inline(always)]
    pub fn after(&self, step: Step) -> Node {
        let places = step.from().is_none() && step != Step::NONE;
        Node {
            mover: self.waiting - step.removed(),
            waiting: (self.mover - step.left_set()) | step.to_set(),
            mover_in_hand: self.waiting_in_hand,
            waiting_in_hand: self.mover_in_hand - u8::from(places),
        }
    }

    /// Everything about the node in one number.
    #[inline(always)]
    pub fn raw_key(&self) -> u64 {
        u64::from(self.mover.bits())
            | u64::from(self.waiting.bits()) << 24
            | u64::from(self.mover_in_hand) << 48
            | u64::from(self.waiting_in_hand) << 52
    }

    /// The same number for all nodes that the symmetries make of this one, and the symmetry that
    /// makes the node of that number.
    ///
    /// The mover's set is turned into the set of its row, which is one look-up; where symmetries
    /// leave that set as it is, the one that makes the other side's set smallest is taken.
    pub fn canonical_key(&self) -> (u64, Symmetry) {
        if self.mover.len() > u32::from(MOST_STONES) {
            return (self.raw_key(), Symmetry::IDENTITY);
        }
        let rows = Rows::of(self.mover.len() as u8);
        let (row, symmetry) = rows.find(self.mover);
        let mover = rows.set(row);
        let (waiting, symmetry) = match rows.is_symmetric(row) {
            false => (symmetry.apply(self.waiting), symmetry),
            true => Symmetry::all()
                .filter(|symmetry| symmetry.apply(self.mover) == mover)
                .map(|symmetry| (symmetry.apply(self.waiting), symmetry))
                .min()
                .unwrap_or((self.waiting, symmetry)),
        };
        let node = Node {
            mover,
            waiting,
            ..*self
        };
        (node.raw_key(), symmetry)
    }
}

/// A turn as a small number: the points left and reached and up to three removed, of five bits each,
/// [`Step::NO_POINT`] for none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Step(u32);

impl Step {
    const NO_POINT: u32 = 31;
    /// How many bits the number has.
    pub const BITS: u32 = 25;
    /// No step; also the turn of a side that passes.
    pub const NONE: Step = Step((1 << Step::BITS) - 1);
    /// The removed points, all missing.
    const NO_REMOVAL: u32 = Step::NONE.0 & !0x3ff;

    #[inline(always)]
    pub fn new(from: Option<Point>, to: Point, removed: Option<Point>) -> Step {
        let number = |point: Option<Point>| point.map_or(Step::NO_POINT, Point::bit);
        let removed = Step::NO_REMOVAL ^ (number(removed) ^ Step::NO_POINT) << 10;
        Step(number(from) | to.bit() << 5 | removed)
    }

    /// The same step with these points removed.
    fn removing(self, removed: PointSet) -> Step {
        let places = (10..Step::BITS).step_by(5).zip(removed);
        let missing = places.fold(0, |bits, (place, point)| {
            bits | (point.bit() ^ Step::NO_POINT) << place
        });
        Step((self.0 | Step::NO_REMOVAL) ^ missing)
    }

    pub fn number(self) -> u32 {
        self.0
    }

    pub fn from_number(number: u32) -> Step {
        Step(number & Step::NONE.0)
    }

    #[inline(always)]
    pub fn from(self) -> Option<Point> {
        Point::new(self.0 & 31)
    }

    #[inline(always)]
    pub fn to(self) -> Option<Point> {
        Point::new(self.0 >> 5 & 31)
    }

    // A shift by 31 leaves no bit below 24.
    #[inline(always)]
    fn left_set(self) -> PointSet {
        PointSet::from_bits(1 << (self.0 & 31))
    }

    #[inline(always)]
    fn to_set(self) -> PointSet {
        PointSet::from_bits(1 << (self.0 >> 5 & 31))
    }

    #[inline(always)]
    pub fn removed(self) -> PointSet {
        let bit = |place: u32| 1 << (self.0 >> place & 31);
        PointSet::from_bits(bit(10) | bit(15) | bit(20))
    }

    /// The image under a symmetry.
    pub fn turned(self, symmetry: Symmetry) -> Step {
        let image = |set: PointSet| symmetry.apply(set).into_iter().next();
        match image(self.to_set()) {
            Some(to) => {
                Step::new(image(self.left_set()), to, None).removing(symmetry.apply(self.removed()))
            }
            None => Step::NONE,
        }
    }

    /// The whole turn; of no step that of passing.
    pub fn turn(self) -> Turn {
        Turn {
            from: self.from(),
            to: self.to(),
            removed: self.removed(),
        }
    }
}

/// Calls `found` with every legal step; there is none for a side that is blocked, unless it passes.
#[inline(always)]
pub(super) fn for_each_step(
    node: &Node,
    rules: &Rules,
    geometry: &Geometry,
    mut found: impl FnMut(Step),
) {
    if rules.blocked == Blocked::Passes
        && node.is_blocked(rules, geometry)
        && !node.empty().is_empty()
    {
        found(Step::NONE);
        return;
    }
    let empty = node.empty();
    let mut arrive = |from: Option<Point>, rest: PointSet, targets: PointSet| {
        let closing = geometry.completions(rest) & targets;
        for to in targets - closing {
            found(Step::new(from, to, None));
        }
        if closing.is_empty() {
            return;
        }
        let board = rules.board();
        let removable = removable(node.waiting, board, rules);
        for to in closing {
            if removable.is_empty() {
                found(Step::new(from, to, None));
                continue;
            }
            if rules.removal_per_mill {
                let earned = rules.removals(board.mills_through(to, rest.with(to)));
                let count = removals_made(earned, node.waiting.len(), node.waiting_in_hand);
                if count > 1 {
                    for removed in removable_sets(node.waiting, count, board, rules) {
                        found(Step::new(from, to, None).removing(removed));
                    }
                    continue;
                }
            }
            for removed in removable {
                found(Step::new(from, to, Some(removed)));
            }
        }
    };
    if node.mover_in_hand > 0 {
        arrive(None, node.mover, empty);
        return;
    }
    let flies = rules.flies(node.mover.len());
    for from in node.mover {
        let targets = match flies {
            true => empty,
            false => rules.board().neighbours(from) & empty,
        };
        arrive(Some(from), node.mover.without(from), targets);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nodes() -> Vec<Node> {
        let texts = [
            "********/********/******** w p p 0 9 0 9 0 0",
            "O*******/*@******/******** w p p 1 8 1 8 0 0",
            "O***O***/@***@***/******** w p p 2 7 2 7 0 0",
            "OO@**@**/*O*@*O*@/@*O***** b p p 5 3 5 4 0 0",
            "***O**@*/*O@***@*/**@**O** w m s 3 0 4 0 0 0",
        ];
        let parse = |text| Position::parse(text, &Rules::STANDARD).unwrap();
        texts.iter().map(|text| Node::of(&parse(text))).collect()
    }

    #[test]
    fn symmetric_nodes_have_one_key_and_others_have_another() {
        let mut keys = std::collections::HashSet::new();
        for node in nodes() {
            let (key, _) = node.canonical_key();
            assert!(keys.insert(key));
            for symmetry in Symmetry::all() {
                let turned = Node {
                    mover: symmetry.apply(node.mover),
                    waiting: symmetry.apply(node.waiting),
                    ..node
                };
                let (found, to_canonical) = turned.canonical_key();
                assert_eq!(found, key);
                let canonical = Node {
                    mover: to_canonical.apply(turned.mover),
                    waiting: to_canonical.apply(turned.waiting),
                    ..node
                };
                assert_eq!(canonical.raw_key(), key);
            }
        }
    }

    #[test]
    fn steps_are_the_turns_of_the_position() {
        let (rules, geometry) = (Rules::STANDARD, Geometry::new(&Rules::STANDARD));
        for node in nodes() {
            let position = node.position();
            let mut turns = Vec::new();
            for_each_step(&node, &rules, &geometry, |step| {
                turns.push(step.turn());
                let after = Node::of(&position.after(step.turn()));
                assert_eq!(node.after(step), after);
                for symmetry in Symmetry::all() {
                    assert_eq!(step.turned(symmetry).turned(symmetry.inverse()), step);
                }
            });
            turns.sort_unstable();
            assert_eq!(turns, position.turns(&rules));
        }
        assert_eq!(Step::NONE.turned(Symmetry::numbered(5)), Step::NONE);
    }
}
