//! The entries of a table that a file holds.
//!
//! In the placing phase, these are the positions that a game may reach. In the moving phase, a
//! search of a few turns derives the omitted entries from the stored ones.
//!
//! Only the table with the larger side to move is stored. Each turn of the smaller side leads to
//! that table or, by a capture, to a smaller pair.
//!
//! If both sides have equally many stones, none in hand, and neither may fly or pass, even this
//! table is not stored completely. Colour the points like a chessboard:
//!
//! ```text
//! o-----#-----o        Each slide moves a stone to the other colour. So a quiet turn changes
//! | #---o---# |        whether the number of stones on points # is even, and all quiet turns
//! | | o-#-o | |        of an odd position lead to even ones. The file stores the even positions
//! #-o-#   #-o-#        and, since captures lead to many rows, the odd ones in which the mover can
//! | | o-#-o | |        close a mill. The value of any other position follows from its quiet
//! | #---o---# |        turns, which all lead to one row.
//! o-----#-----o
//! ```
//!
//! The smallest files of pairs use the colours for each side alone: a slide changes whether the
//! mover's number of stones on points # is even, and leaves the other side's number as it is. They
//! store the positions with the larger side to move in which its number is even, that is, whole
//! rows; if the sides are equal, the positions in which both numbers are even:
//!
//! ```text
//! side to move, larger side's number     mover's number, other side's     value
//! larger, even                           even, even                       stored
//! smaller, even                          odd, even                        follows in one turn
//! larger, odd                            odd, odd                         in two turns
//! smaller, odd                           even, odd                        in three turns
//! ```
//!
//! The smaller side may fly, as its stones do not count there. Captures lead to smaller pairs, and
//! placements, if pairs have stones in hand, to pairs with fewer in hand; there the same holds.

use std::sync::Arc;

use crate::board::{POINTS, PointSet};
use crate::index::{BitSet, Material, Rows, Subsets};
use crate::rules::{Blocked, Rules, WithoutTurn};

/// The points of one colour.
pub(crate) const BLACK: PointSet = PointSet::from_bits(0x55_aa_55);

/// The entries of a table that a file holds.
#[derive(Clone, Debug)]
pub(crate) enum Coverage {
    /// All entries.
    All,
    /// Entries with an even number of stones on black points, and entries in which the mover can
    /// close a mill.
    EvenOrClosing,
    /// Entries in which the mover has an even number of stones on black points.
    EvenMover,
    /// Entries in which each side has an even number of stones on black points.
    EvenBoth,
    /// Entries in which the mover has the set of one of these rows, which ascend, and the waiting
    /// side one of these sets.
    Possible(Arc<[u32]>, Arc<SetMarks>),
}

impl Coverage {
    /// The coverages that files of pairs may have.
    pub const OF_PAIRS: [Coverage; 4] = [
        Coverage::All,
        Coverage::EvenOrClosing,
        Coverage::EvenMover,
        Coverage::EvenBoth,
    ];

    /// The number that stands for it in the schema of a pair; `None` for plies.
    pub fn number(&self) -> Option<u8> {
        match self {
            Coverage::All => Some(0),
            Coverage::EvenOrClosing => Some(1),
            Coverage::EvenMover => Some(3),
            Coverage::EvenBoth => Some(4),
            Coverage::Possible(..) => None,
        }
    }

    /// The stored rows of a table in which the mover has this many stones, ascending; `None` if all
    /// are stored.
    pub fn rows(&self, stones: u8) -> Option<Arc<[u32]>> {
        let even_rows = || {
            let rows = Rows::of(stones).iter().zip(0..);
            let even = rows.filter(|&(set, _)| is_even(set));
            even.map(|(_, row)| row).collect()
        };
        match self {
            Coverage::Possible(rows, _) => Some(Arc::clone(rows)),
            _ => self.omits_rows().then(even_rows),
        }
    }

    /// Whether a position is stored in a table that is not [derived](Material::is_derived), as far as its sets
    /// decide and not its row.
    pub fn holds(&self, rules: &Rules, mover: PointSet, waiting: PointSet) -> bool {
        let even = || is_even(mover | waiting);
        match self {
            Coverage::All => true,
            Coverage::EvenOrClosing => even() || can_close(rules, mover, waiting),
            Coverage::EvenMover => is_even(mover),
            Coverage::EvenBoth => is_even(mover) && is_even(waiting),
            Coverage::Possible(_, sets) => sets.contains(waiting),
        }
    }

    /// Whether only rows of an even number of stones on black points are stored, so that omitted
    /// values follow in several turns.
    pub fn omits_rows(&self) -> bool {
        matches!(self, Coverage::EvenMover | Coverage::EvenBoth)
    }

    /// Whether a file of a pair may hold only these entries of the table with the larger side to
    /// move, because the others follow from them.
    pub fn suffices(&self, rules: &Rules, material: Material) -> bool {
        match self {
            Coverage::All => true,
            Coverage::EvenOrClosing => {
                let is_full = u32::from(material.mover + material.waiting) == POINTS;
                is_equal(material)
                    && !material.has_hands()
                    && alternates(rules, material)
                    && rules.without_turn(is_full) != WithoutTurn::Removes
            }
            Coverage::EvenBoth => is_equal(material) && alternates(rules, material),
            Coverage::EvenMover => {
                !is_equal(material)
                    && material.exchanged().occurs(rules)
                    && alternates(rules, material)
            }
            Coverage::Possible(..) => false,
        }
    }
}

/// Whether both sides have the same numbers of stones.
fn is_equal(material: Material) -> bool {
    material == material.exchanged()
}

/// Whether each quiet turn of the mover changes the parity of the number of its stones on black
/// points, and all its other turns lead to other pairs.
fn alternates(rules: &Rules, material: Material) -> bool {
    // A pass does not move a stone to the other colour. With diagonals, slides between corners do
    // not change the colour, and a word of 64 bits cannot hold all ways to close a mill.
    !rules.flies(material.totals()[0].into()) && !rules.diagonals && rules.blocked == Blocked::Loses
}

/// Whether an even number of the stones is on black points.
#[inline(always)]
pub(crate) fn is_even(stones: PointSet) -> bool {
    (stones & BLACK).len().is_multiple_of(2)
}

/// Whether some slide of the mover closes a mill.
fn can_close(rules: &Rules, mover: PointSet, waiting: PointSet) -> bool {
    let board = rules.board();
    let empty = !(mover | waiting);
    mover.into_iter().any(|from| {
        let completions = board.completions(mover.without(from));
        !(completions & board.neighbours(from) & empty).is_empty()
    })
}

/// A subset of the sets of one size.
#[derive(Debug)]
pub(crate) struct SetMarks {
    ranks: Subsets,
    marks: BitSet,
}

impl SetMarks {
    /// All sets of these rows.
    pub fn of_rows(stones: u8, rows: &BitSet) -> SetMarks {
        let ranks = Subsets::new(POINTS, stones.into());
        let mut marks = BitSet::new(ranks.count());
        for (rank, set) in ranks.iter().enumerate() {
            let (row, _) = Rows::of(stones).find(PointSet::from_bits(set));
            if rows.contains(row) {
                marks.insert(rank);
            }
        }
        SetMarks { ranks, marks }
    }

    /// Whether the set, which must have the right number of stones, is one of them.
    #[inline(always)]
    pub fn contains(&self, set: PointSet) -> bool {
        self.marks.contains(self.ranks.rank(set.bits()))
    }
}
