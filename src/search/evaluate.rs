//! The static evaluation, for positions that no database answers: stones, mills, lines that lack
//! one stone, mobility and blocked stones, with weights that depend on the phase of each side.

use super::score::Score;
use crate::board::PointSet;
use crate::rules::Rules;
use crate::rules::position::Position;

/// The weights of a side's features, in hundredths of a stone.
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

/// The weight of a stone, on the board or in hand.
const STONE: i32 = 100;

/// The evaluation of the position for its side to move.
pub(crate) fn evaluate(position: &Position, rules: &Rules) -> Score {
    let board = rules.board();
    let empty = position.empty();
    let side = |stones: PointSet, in_hand: u8| {
        let weights = match () {
            () if in_hand > 0 => &PLACING,
            () if rules.flies(stones.len()) => &FLYING,
            () => &MOVING,
        };
        let count = |set: PointSet| set.len() as i32;
        STONE * (count(stones) + i32::from(in_hand))
            + weights.in_mill * count(board.mills(stones))
            + weights.ready * count(board.completions(stones) & empty)
            + weights.room * count(board.around(stones) & empty)
            + weights.blocked * count(stones - board.around(empty))
    };
    let mover = side(position.mover, position.mover_in_hand);
    Score::evaluation(mover - side(position.waiting, position.waiting_in_hand))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> i16 {
        let rules = Rules::STANDARD;
        let position = Position::parse(text, &rules).unwrap();
        evaluate(&position, &rules).number()
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
