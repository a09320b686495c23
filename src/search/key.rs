//! Keys of positions: for the transposition table one key for all positions that are equal under
//! the symmetries, for repetitions a key of the exact position.

use crate::board::symmetry::Symmetry;
use crate::index::Rows;
use crate::rules::MOST_STONES;
use crate::rules::position::{Position, Side};

/// The stones of both sides on the board and in hand, the pending removals, and whether the pass before the first
/// move is due, in one number.
#[inline(always)]
fn without_colours(position: &Position) -> u64 {
    // A number of stones in hand is less than 15.
    let pass = if position.pass_is_due() { 15 } else { 0 };
    u64::from(position.mover.bits())
        | u64::from(position.waiting.bits()) << 24
        | (u64::from(position.mover_in_hand) | pass) << 48
        | u64::from(position.waiting_in_hand) << 52
        | u64::from(position.removals_owed) << 56
}

/// The key of the exact position, including the colours.
#[inline(always)]
pub(crate) fn exact(position: &Position) -> u64 {
    without_colours(position) | u64::from(position.side_to_move == Side::Black) << 63
}

/// The key shared by all positions that are equal to this one under the symmetries and an exchange
/// of colours, and the symmetry that maps this position to the one with that key.
///
/// One lookup maps the mover's set to the set of its row. If the row's set has a stabiliser, the
/// symmetry that makes the other side's set smallest is taken.
pub(crate) fn canonical(position: &Position) -> (u64, Symmetry) {
    if position.mover.len() > u32::from(MOST_STONES) {
        return (without_colours(position), Symmetry::IDENTITY);
    }
    let rows = Rows::of(position.mover.len() as u8);
    let place = rows.place(position.mover);
    let (mover, symmetry) = (rows.set(place.row()), place.symmetry());
    let (waiting, symmetry) = match place.is_symmetric() {
        false => (symmetry.apply(position.waiting), symmetry),
        true => Symmetry::all()
            .filter(|symmetry| symmetry.apply(position.mover) == mover)
            .map(|symmetry| (symmetry.apply(position.waiting), symmetry))
            .min()
            .unwrap_or((position.waiting, symmetry)),
    };
    let turned = Position {
        mover,
        waiting,
        ..*position
    };
    (without_colours(&turned), symmetry)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Rules;

    #[test]
    fn symmetric_positions_have_one_key_and_others_have_another() {
        let texts = [
            "********/********/******** w p p 0 9 0 9 0 0",
            "O*******/*@******/******** w p p 1 8 1 8 0 0",
            "O***O***/@***@***/******** w p p 2 7 2 7 0 0",
            "OO@**@**/*O*@*O*@/*@O***** b p p 5 3 5 4 0 0",
            "***O**@*/*O@***@*/**@**O** w m s 3 0 4 0 0 0",
        ];
        let mut keys = std::collections::HashSet::new();
        for text in texts {
            let position = Position::parse(text, &Rules::STANDARD).unwrap();
            let (key, _) = canonical(&position);
            assert!(keys.insert(key));
            for symmetry in Symmetry::all() {
                let turned = position.with_board_turned(symmetry);
                let (found, to_canonical) = canonical(&turned);
                assert_eq!(found, key);
                assert_eq!(
                    without_colours(&turned.with_board_turned(to_canonical)),
                    key
                );
            }
            let exchanged = position.with_colours_exchanged();
            assert_eq!(canonical(&exchanged).0, key);
            assert_ne!(exact(&exchanged), exact(&position));
        }
    }
}
