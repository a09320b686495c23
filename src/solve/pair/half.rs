//! One side to move of a pair while it is being solved, in two arrangements of the same positions.
//!
//! ```text
//!               rows: sets of the            columns: sets of the
//! working       waiting side                 side to move            value, count
//! finished      side to move                 waiting side            value
//! ```
//!
//! In the working arrangement all quiet turns of the mover stay in their row. The finished
//! arrangement is that of the files. Its rows are the working rows of the *other* side to move,
//! which hold the predecessors of its positions.

use std::io;
use std::sync::atomic::AtomicU8;

use super::init::values_of_ordered;
use super::whole_row::BlockLayout;
use crate::board::bits::Bits;
use crate::board::{Board, EdgeSet, POINTS, PointSet};
use crate::index::{Index, Material, Rows, Subsets};
use crate::memory::Bytes;
use crate::rules::{Rules, WithoutTurn};
use crate::value::Distance;

/// The count of a position that is won, that a capture saves from losing, or that is drawn by rule.
/// Retrograde steps lower it by fewer than 120 in all, so it never reaches zero.
pub(crate) const CANNOT_LOSE: u8 = u8::MAX;

/// One side to move of a pair.
pub(crate) struct Half {
    pub(crate) working: Working,
    pub(crate) finished: Finished,
}

/// The rows and columns of the working arrangement, and how the mover moves.
pub(crate) struct HalfShape {
    pub(crate) rules: Rules,
    pub(crate) rows: &'static Rows,
    /// The columns, and their sets in the order of their numbers.
    pub(crate) columns: Subsets,
    pub(crate) subsets: Vec<u32>,
    /// The columns as bits of blocks.
    pub(crate) blocks: BlockLayout,
    pub(crate) flying: bool,
    /// See [`Material::moves`].
    pub(crate) moves: bool,
    /// The outcome for a mover that cannot move. If it passes, the next position is in the finished
    /// arrangement of the other side to move, at the same row and column.
    pub(crate) without_turn: WithoutTurn,
    /// See [`values_of_ordered`].
    pub(crate) values: [u8; 256],
    /// The number by which the byte of a win exceeds that of the loss to which its turn leads.
    pub(crate) win_after_loss: u8,
}

/// The working arrangement.
pub(crate) struct Working {
    pub(crate) shape: HalfShape,
    /// 0: unknown; even: a win, perhaps not yet the quickest; odd: a final loss if the count is
    /// zero, otherwise the depth of the longest capture that loses.
    pub(crate) values: Bytes,
    /// The number of quiet turns that are not known to lose.
    pub(crate) counts: Bytes,
    /// For each row whether counts of positions that may lose are too high, because they were not
    /// lowered.
    pub(crate) too_high: Vec<bool>,
    /// The values in each row.
    pub(crate) present: Vec<ValueSet>,
}

/// The finished arrangement.
pub(crate) struct Finished {
    pub(crate) index: Index,
    /// 0: unknown; otherwise final.
    pub(crate) values: Bytes,
    /// The value that each row got last; 0 for none.
    pub(crate) latest: Vec<AtomicU8>,
}

impl Half {
    pub(crate) fn new(rules: &Rules, material: Material) -> io::Result<Half> {
        let index = Index::new(material);
        let shape = HalfShape::new(rules, material);
        let rows = shape.rows.len();
        let length = rows * shape.columns.count();
        Ok(Half {
            working: Working {
                shape,
                values: Bytes::new(length)?,
                counts: Bytes::new(length)?,
                too_high: vec![false; rows],
                present: vec![ValueSet::default(); rows],
            },
            finished: Finished {
                values: Bytes::new(index.len())?,
                latest: index.rows().iter().map(|_| AtomicU8::new(0)).collect(),
                index,
            },
        })
    }

    /// Whether some row has the value.
    pub(crate) fn has(&self, value: u8) -> bool {
        let mut rows = self.working.present.iter();
        rows.any(|present| present.contains(value))
    }
}

impl HalfShape {
    pub(crate) fn new(rules: &Rules, material: Material) -> HalfShape {
        // These are also the other side's finished rows and columns.
        let columns = Index::new(material.exchanged()).columns().clone();
        let board_is_full = u32::from(material.mover + material.waiting) == POINTS;
        HalfShape {
            rules: *rules,
            rows: Rows::of(material.waiting),
            subsets: columns.iter().collect(),
            blocks: BlockLayout::new(POINTS - u32::from(material.waiting), material.mover.into()),
            columns,
            // On a full board, no stone can fly.
            flying: rules.flies(material.totals()[0].into()) && !board_is_full,
            moves: material.moves(rules),
            without_turn: match material.mover_in_hand {
                0 => rules.without_turn(board_is_full),
                // It has a turn, so this does not matter.
                _ => WithoutTurn::Loses,
            },
            values: values_of_ordered(rules, material),
            win_after_loss: match rules.distance() {
                Distance::ToEnd => 1,
                Distance::ToRemoval => 3,
            },
        }
    }
}

/// A set of value bytes.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct ValueSet([u64; 4]);

impl ValueSet {
    #[inline(always)]
    pub(crate) fn insert(&mut self, value: u8) {
        self.0[usize::from(value >> 6)] |= 1 << (value & 63);
    }

    #[inline(always)]
    pub(crate) fn contains(&self, value: u8) -> bool {
        self.0[usize::from(value >> 6)] >> (value & 63) & 1 == 1
    }
}

/// The turns of the mover in one working row, that is, among the points outside the row's set.
///
/// Sets of the mover appear as *subsets*, compressed to those free points, and as point sets.
pub(crate) struct RowTurns<'a> {
    pub(crate) board: &'static Board,
    columns: &'a Subsets,
    /// The points outside the row's set.
    pub(crate) free: PointSet,
    /// The edges between free points.
    edges: EdgeSet,
    /// The ends of each edge as a subset.
    ends: [u32; 64],
}

impl<'a> RowTurns<'a> {
    #[inline(always)]
    pub(crate) fn new<B: Bits>(bits: B, shape: &'a HalfShape, waiting: PointSet) -> RowTurns<'a> {
        let board = shape.rules.board();
        let free = !waiting;
        let edges = board.edges_within(free);
        let mut ends = [0; 64];
        for (slot, edge) in ends.iter_mut().zip(board.edges()) {
            let both: PointSet = edge.iter().copied().collect();
            *slot = bits.pext(both.bits(), free.bits());
        }
        RowTurns {
            board,
            columns: &shape.columns,
            free,
            edges,
            ends,
        }
    }

    #[inline(always)]
    pub(crate) fn points<B: Bits>(&self, bits: B, subset: u32) -> PointSet {
        PointSet::from_bits(bits.pdep(subset, self.free.bits()))
    }

    /// The number of the mover's turns, quiet or not.
    #[inline(always)]
    pub(crate) fn count<const FLYING: bool>(&self, mover: PointSet) -> u32 {
        if FLYING {
            mover.len() * (self.free.len() - mover.len())
        } else {
            (self.board.cut(mover) & self.edges).count_ones()
        }
    }

    /// Whether the mover cannot slide.
    #[inline(always)]
    pub(crate) fn is_blocked<B: Bits>(&self, bits: B, subset: u32) -> bool {
        self.count::<false>(self.points(bits, subset)) == 0
    }

    /// The columns of the sets from which a turn without a mill leads to this one.
    #[inline(always)]
    pub(crate) fn quiet_origins<B: Bits, const FLYING: bool>(
        &self,
        bits: B,
        subset: u32,
    ) -> Origins<'_, FLYING> {
        let mover = self.points(bits, subset);
        let mills = self.board.mills(mover);
        let mut edges = 0;
        if !FLYING {
            edges = self.board.cut(mover) & self.edges;
            // If a cut edge touches a mill, its end with a stone is in the mill: the slide to it
            // closed the mill.
            if !mills.is_empty() {
                edges &= !self.board.cut(mills);
            }
        }
        self.origins(bits, subset, edges, mover - mills)
    }

    /// The columns of the sets from which a turn to one of the points of `mills`, which closes a
    /// mill, leads to this one.
    #[inline(always)]
    pub(crate) fn closing_origins<B: Bits, const FLYING: bool>(
        &self,
        bits: B,
        subset: u32,
        mover: PointSet,
        mills: PointSet,
    ) -> Origins<'_, FLYING> {
        let edges = self.board.cut(mover) & self.board.cut(mills) & self.edges;
        self.origins(bits, subset, edges, mills)
    }

    /// The origins over these edges, or those of flights that ended on these points.
    #[inline(always)]
    fn origins<B: Bits, const FLYING: bool>(
        &self,
        bits: B,
        subset: u32,
        edges: EdgeSet,
        arrived: PointSet,
    ) -> Origins<'_, FLYING> {
        let free = self.free.bits();
        Origins {
            columns: self.columns,
            subset,
            ends: &self.ends,
            edges,
            to: 0,
            arrived: bits.pext(arrived.bits(), free),
            from: 0,
            empty: bits.pext(free, free) & !subset,
        }
    }
}

/// The columns of the sets from which turns lead to a subset.
pub(crate) struct Origins<'a, const FLYING: bool> {
    columns: &'a Subsets,
    subset: u32,
    /// Slides: the remaining edges, and the ends of each.
    edges: EdgeSet,
    ends: &'a [u32; 64],
    /// Flights: the stone being flown back, the stones after it, the points left for it, all
    /// points for it.
    to: u32,
    arrived: u32,
    from: u32,
    empty: u32,
}

impl<const FLYING: bool> Origins<'_, FLYING> {
    /// Whether the set is empty.
    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        if FLYING {
            self.arrived == 0
        } else {
            self.edges == 0
        }
    }
}

impl<const FLYING: bool> Iterator for Origins<'_, FLYING> {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        let changed = if FLYING {
            if self.from == 0 {
                if self.arrived == 0 {
                    return None;
                }
                self.to = lowest(self.arrived);
                self.arrived ^= self.to;
                self.from = self.empty;
            }
            let from = lowest(self.from);
            self.from ^= from;
            self.to ^ from
        } else {
            if self.edges == 0 {
                return None;
            }
            let edge = self.edges.trailing_zeros() as usize;
            self.edges &= self.edges - 1;
            self.ends[edge]
        };
        Some(self.columns.rank(self.subset ^ changed))
    }
}

/// The lowest bit of a word that is not zero.
#[inline(always)]
fn lowest(word: u32) -> u32 {
    word & word.wrapping_neg()
}
