//! What a position is worth at a glance, for where no database answers: stones, mills, lines that
//! wait for their third stone, room to move and blocked stones, weighed by the phase of each side.

use super::geometry::Geometry;
use super::node::Node;
use super::score::Score;
use crate::board::PointSet;
use crate::rules::Rules;

/// Hundredths of a stone for each of a side's features.
struct Weights {
    /// A stone in a mill.
    in_mill: i32,
    /// A point on which the side would close a mill.
    ready: i32,
    /// An empty point next to a stone.
    room: i32,
    /// A stone without an empty neighbour.
    blocked: i32,
}

const PLACING: Weights = Weights {
    in_mill: 4,
    ready: 18,
    room: 5,
    blocked: -4,
};

const MOVING: Weights = Weights {
    in_mill: 6,
    ready: 14,
    room: 6,
    blocked: -9,
};

const FLYING: Weights = Weights {
    in_mill: 4,
    ready: 40,
    room: 0,
    blocked: 0,
};

/// A stone more than the other side has, on the board or in hand.
const STONE: i32 = 100;

/// The node's worth for its side to move.
pub(super) fn evaluate(node: &Node, rules: &Rules, geometry: &Geometry) -> Score {
    let empty = node.empty();
    let side = |stones: PointSet, in_hand: u8| {
        let weights = match () {
            () if in_hand > 0 => &PLACING,
            () if rules.flies(stones.len()) => &FLYING,
            () => &MOVING,
        };
        let count = |set: PointSet| set.len() as i32;
        STONE * (count(stones) + i32::from(in_hand))
            + weights.in_mill * count(rules.board().mills(stones))
            + weights.ready * count(geometry.completions(stones) & empty)
            + weights.room * count(geometry.around(stones) & empty)
            + weights.blocked * count(stones - geometry.around(empty))
    };
    let mover = side(node.mover, node.mover_in_hand);
    Score::evaluation(mover - side(node.waiting, node.waiting_in_hand))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Position;

    fn of(text: &str) -> i16 {
        let rules = Rules::STANDARD;
        let position = Position::parse(text, &rules).unwrap();
        evaluate(&Node::of(&position), &rules, &Geometry::new(&rules)).number()
    }

    #[test]
    fn evaluation_prefers_stones_room_and_open_lines() {
        let even = of("O***@***/********/******** w p p 1 8 1 8 0 0");
        assert_eq!(even, 0);
        let stone_more = of("OOO*****/@**@*@**/******** w p p 3 4 3 4 0 0");
        let stone_less = of("OOO*****/@**@****/******** w p p 3 4 2 4 0 0");
        assert!(stone_less > stone_more + 50);
        let blocked = of("@OOO@***/@*@*****/**@***** w p p 3 4 5 4 0 0");
        let free = of("OOO*****/@*@*@***/**@***@* w p p 3 4 5 4 0 0");
        assert!(free > blocked);
    }
}
