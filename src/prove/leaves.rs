//! The leaves of a proof, at the end of the placing phase: the results of the pairs in memory, and
//! the assumed or probed results of the other pairs.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::board::PointSet;
use crate::index::Material;
use crate::probe::{Bitbase, Database};
use crate::rules::position::{Position, Side};
use crate::rules::turns::removable;
use crate::rules::{FEWEST_STONES, MOST_STONES};
use crate::search::core::{Evaluator, NodeCounts, Window};
use crate::search::score::Score;
use crate::store::DbError;

/// Evaluates the positions in which the last stone is placed.
pub(super) struct Leaves<'a> {
    pub database: &'a Database,
    pub bitbase: Bitbase<'a>,
    /// The side for which positions of other pairs count as lost; `None` if their databases are
    /// probed.
    pub loser: Option<Side>,
    /// Whether placements can lead to a pair in memory, by each side's number of stones on the
    /// board and in hand.
    reachable: [[bool; COUNTS]; COUNTS],
    /// The number of values probed in databases that are not in memory.
    pub asked: AtomicU64,
    /// The number of positions after eight turns that were searched.
    pub after_eight: AtomicU64,
    /// Set at a failure, which ends the search.
    pub stop: AtomicBool,
    /// The first failure.
    pub failure: OnceLock<DbError>,
}

/// The numbers of stones that a side can have, 0 to 12.
const COUNTS: usize = MOST_STONES as usize + 1;

impl<'a> Leaves<'a> {
    pub fn new(database: &'a Database, bitbase: Bitbase<'a>) -> Leaves<'a> {
        let mut reachable = [[false; COUNTS]; COUNTS];
        for (mover, row) in reachable.iter_mut().enumerate() {
            for (waiting, reachable) in row.iter_mut().enumerate() {
                let (larger, smaller) = (mover.max(waiting), mover.min(waiting));
                *reachable = bitbase.pairs().iter().any(|pair| {
                    usize::from(pair.larger()) <= larger && usize::from(pair.smaller()) <= smaller
                });
            }
        }
        Leaves {
            database,
            bitbase,
            loser: None,
            reachable,
            asked: AtomicU64::new(0),
            after_eight: AtomicU64::new(0),
            stop: AtomicBool::new(false),
            failure: OnceLock::new(),
        }
    }

    /// The result for White after the last placement. White is to move, or passes before Black's first move.
    fn white(&self, white: PointSet, black: PointSet, counts: &mut NodeCounts) -> Score {
        counts.tb_hits += 1;
        if white.len() < u32::from(FEWEST_STONES) {
            return Score::LOST;
        }
        // On a full board the game is over before the pass.
        let is_full = (white | black) == !PointSet::EMPTY;
        match self.database.rules().first_to_move {
            Side::Black if !is_full => -self.moving(Side::Black, [black, white]),
            _ => self.moving(Side::White, [white, black]),
        }
    }

    /// The result for the side to move of a position without stones in hand, from the sets of the mover and of the
    /// waiting side.
    fn moving(&self, side: Side, [mover, waiting]: [PointSet; 2]) -> Score {
        match self.bitbase.of_sets(mover, waiting) {
            Ok(Some(result)) => return result.into(),
            Ok(None) => {}
            Err(error) => return self.fail(error),
        }
        if let Some(score) = self.assumed(side) {
            return score;
        }
        self.asked.fetch_add(1, Ordering::Relaxed);
        match self.database.probe_wdl(&Position::moving(mover, waiting)) {
            Ok(result) => result.into(),
            Err(error) => self.fail(error),
        }
    }

    /// The assumed score of other pairs for a side; `None` if the databases are probed.
    fn assumed(&self, side: Side) -> Option<Score> {
        self.loser.map(|loser| match loser == side {
            true => Score::LOST,
            false => Score::WON,
        })
    }

    /// Ends the search soon; what follows from the score is not used.
    #[cold]
    fn fail(&self, error: DbError) -> Score {
        self.failure.get_or_init(|| error);
        self.stop.store(true, Ordering::Relaxed);
        Score::DRAW
    }

    /// The assumed score of a position for a side, if the sides have so few stones, on the board
    /// and in hand, that no pair in memory can follow.
    fn beyond_memory(&self, stones: [u8; 2], side: Side) -> Option<Score> {
        let [a, b] = stones.map(usize::from);
        (!self.reachable[a][b]).then(|| self.assumed(side))?
    }

    /// The score for Black of placing the last stone.
    fn last_placement(&self, position: &Position, beta: Score, counts: &mut NodeCounts) -> Score {
        let rules = self.database.rules();
        let (white, black, empty) = (position.waiting, position.mover, position.empty());
        let closing = rules.board().completions(black) & empty;
        let mut best = Score::LEAST;
        if !closing.is_empty() {
            let stones = [black.len() + 1, white.len().saturating_sub(1)];
            match self.beyond_memory(stones.map(|stones| stones as u8), Side::Black) {
                Some(score) => best = score,
                None => {
                    for removed in removable(white, rules) {
                        for to in closing {
                            let score = self.white(white.without(removed), black.with(to), counts);
                            best = best.max(-score);
                            if best >= beta {
                                return best;
                            }
                        }
                    }
                }
            }
            if best >= beta {
                return best;
            }
        }
        // If White passes, the placements lead to different rows.
        let row = match rules.first_to_move {
            Side::White => self.bitbase.row(white, black.len() + 1),
            Side::Black => Ok(None),
        };
        let row = match row {
            Ok(row) => row,
            Err(error) => return self.fail(error),
        };
        for to in empty - closing {
            let stored = row.as_ref().and_then(|row| row.wdl(black.with(to)));
            let score = match stored {
                Some(result) => {
                    counts.tb_hits += 1;
                    result.into()
                }
                None => self.white(white, black.with(to), counts),
            };
            best = best.max(-score);
            if best >= beta {
                break;
            }
        }
        best
    }
}

impl Evaluator for Leaves<'_> {
    fn probe(&self, position: &Position, window: Window, counts: &mut NodeCounts) -> Option<Score> {
        let in_hand = position.all_in_hand();
        let side = position.side_to_move;
        let stones = Material::of_position(position).totals();
        if let Some(score) = self.beyond_memory(stones, side) {
            return Some(score);
        }
        if in_hand + 8 == 2 * u32::from(self.database.rules().stones) {
            self.after_eight.fetch_add(1, Ordering::Relaxed);
        }
        match in_hand {
            0 => Some(self.white(position.mover, position.waiting, counts)),
            1 => Some(self.last_placement(position, window.beta, counts)),
            _ => None,
        }
    }
}
