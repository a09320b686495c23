//! Which entries of a table a file holds; the others follow from those by one turn of search.
//!
//! Of the two sides to move, only the one with more stones is stored. Each turn of the other leads
//! to positions of the side with more stones, or, by a capture, to such of a smaller pair.
//!
//! Where both sides have equally many stones and none may fly or pass, not even the one table is
//! stored whole. Colour the points like a chessboard:
//!
//! ```text
//! o-----#-----o        Each slide moves a stone to the other colour. So a quiet turn changes
//! | #---o---# |        whether the number of stones on points # is even, and all quiet turns
//! | | o-#-o | |        of an odd position lead to even ones. Stored are the even positions.
//! #-o-#   #-o-#        Of the odd ones those are stored, too, in which the mover can close a
//! | | o-#-o | |        mill, since captures lead to many rows; the value of any other follows
//! | #---o---# |        from its quiet turns, all to one row.
//! o-----#-----o
//! ```

use crate::board::PointSet;
use crate::index::Material;
use crate::rules::{Blocked, Rules};

/// The points of one colour.
pub(super) const BLACK: PointSet = PointSet::from_bits(0x55_aa_55);

/// Which entries of a table are stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stored {
    /// All of them.
    All,
    /// Those with an even number of stones on black points, and those in which the mover can close a
    /// mill.
    EvenOrClosing,
    /// Those with an even number of stones on black points.
    Even,
}

impl Stored {
    /// Whether no entry is stored: the values follow from those of the other side to move.
    pub(crate) fn is_derived(material: Material) -> bool {
        material.mover < material.waiting
    }

    /// Whether some entries of a table with this material can be left out.
    pub(crate) fn can_leave_out(rules: &Rules, material: Material) -> bool {
        // Passing leaves the stones where they are. With diagonals, slides between corners do not
        // change the colour, and a word of 64 bits does not hold all ways to close a mill.
        material.mover == material.waiting
            && !rules.flies(material.mover.into())
            && !rules.diagonals
            && rules.blocked == Blocked::Loses
    }

    /// Whether a position of the table is stored.
    pub(crate) fn holds(self, rules: &Rules, mover: PointSet, waiting: PointSet) -> bool {
        let even = || is_even(mover | waiting);
        match self {
            Stored::All => true,
            Stored::Even => even(),
            Stored::EvenOrClosing => even() || can_close(rules, mover, waiting),
        }
    }
}

/// Whether an even number of the stones stands on black points.
#[inline(always)]
pub(crate) fn is_even(stones: PointSet) -> bool {
    (stones & BLACK).len().is_multiple_of(2)
}

/// Whether some slide of the mover closes a mill.
fn can_close(rules: &Rules, mover: PointSet, waiting: PointSet) -> bool {
    let board = rules.board();
    let empty = !(mover | waiting);
    mover.into_iter().any(|from| {
        let rest = mover.without(from);
        let mut targets = (board.neighbours(from) & empty).into_iter();
        targets.any(|to| board.mills(rest.with(to)).contains(to))
    })
}
