//! A position as the search holds it, its turns, and its key.
//!
//! The value of a position does not depend on the colours, so a node knows only who moves and who
//! waits. A removal that is still owed is no node: the root settles it.

use super::geometry::Geometry;
use crate::board::{Point, PointSet};
use crate::index::Rows;
use crate::position::{Position, Side};
use crate::rules::{FEWEST_STONES, MOST_STONES, Rules};
use crate::symmetry::Symmetry;
use crate::turns::Turn;

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
            removal_owed: false,
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

    /// Whether the side to move has no stone in hand, may not fly, and cannot slide.
    #[inline(always)]
    pub(super) fn is_blocked(&self, rules: &Rules, geometry: &Geometry) -> bool {
        self.mover_in_hand == 0
            && !rules.flies(self.mover.len())
            && (geometry.around(self.mover) & self.empty()).is_empty()
    }

    /// The node after a legal step.
    #[inline(always)]
    pub fn after(&self, step: Step) -> Node {
        let places = step.from().is_none();
        Node {
            mover: self.waiting - step.removed_set(),
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

/// A turn as a small number: three points of five bits, [`Step::NO_POINT`] for none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Step(u16);

impl Step {
    const NO_POINT: u16 = 31;
    /// No step.
    pub const NONE: Step = Step(0x7fff);

    #[inline(always)]
    pub fn new(from: Option<Point>, to: Point, removed: Option<Point>) -> Step {
        let number = |point: Option<Point>| point.map_or(Step::NO_POINT, |p| p.bit() as u16);
        Step(number(from) | (to.bit() as u16) << 5 | number(removed) << 10)
    }

    pub fn number(self) -> u16 {
        self.0
    }

    pub fn from_number(number: u16) -> Step {
        Step(number & Step::NONE.0)
    }

    #[inline(always)]
    pub fn from(self) -> Option<Point> {
        Point::new(u32::from(self.0 & 31))
    }

    #[inline(always)]
    pub fn to(self) -> Option<Point> {
        Point::new(u32::from(self.0 >> 5 & 31))
    }

    #[inline(always)]
    pub fn removed(self) -> Option<Point> {
        Point::new(u32::from(self.0 >> 10 & 31))
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
    fn removed_set(self) -> PointSet {
        PointSet::from_bits(1 << (self.0 >> 10 & 31))
    }

    /// The image under a symmetry.
    pub fn turned(self, symmetry: Symmetry) -> Step {
        let image = |set: PointSet| symmetry.apply(set).into_iter().next();
        match image(self.to_set()) {
            Some(to) => Step::new(image(self.left_set()), to, image(self.removed_set())),
            None => Step::NONE,
        }
    }

    /// The whole turn; of no step one without points.
    pub fn turn(self) -> Turn {
        Turn {
            from: self.from(),
            to: self.to(),
            removed: self.removed(),
        }
    }
}

/// Calls `found` with every legal step; there is none for a side that is blocked.
#[inline(always)]
pub(super) fn for_each_step(
    node: &Node,
    rules: &Rules,
    geometry: &Geometry,
    mut found: impl FnMut(Step),
) {
    let empty = node.empty();
    let mut arrive = |from: Option<Point>, rest: PointSet, targets: PointSet| {
        let closing = geometry.completions(rest) & targets;
        for to in targets - closing {
            found(Step::new(from, to, None));
        }
        if closing.is_empty() {
            return;
        }
        let removable = crate::turns::removable(node.waiting, rules.board(), rules);
        for to in closing {
            if removable.is_empty() {
                found(Step::new(from, to, None));
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
