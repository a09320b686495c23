//! Move ordering: the likely best turn comes first, so that the others are refuted cheaply.
//!
//! 1. the turn from the transposition table,
//! 2. turns that close a mill; first with the removal that breaks most of the other side's lines,
//! 3. turns to a point where the other side would close a mill,
//! 4. slides that refuted other positions at this distance from the root (killers); not placements,
//!    as these made the proof of the start position a third longer,
//! 5. by the lines with two stones, the mobility of both sides, the point's neighbours, and how
//!    often the turn was good elsewhere (history).

use super::score::Score;
use crate::board::{Point, PointSet};
use crate::rules::Rules;
use crate::rules::position::Position;
use crate::rules::turns::Turn;

/// A turn with its rank; higher ranks come first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ranked {
    pub rank: i32,
    pub turn: Turn,
    /// The static evaluation of the position after the turn, if the turn was ranked by it.
    pub estimate: Option<Score>,
}

impl Ranked {
    fn new(rank: i32, turn: Turn) -> Ranked {
        Ranked {
            rank,
            turn,
            estimate: None,
        }
    }
}

const CLOSES: i32 = 1 << 24;
const BLOCKS: i32 = 1 << 22;
const KILLER: i32 = 1 << 20;
/// The rank of a point on which the mover could close a mill next.
const READY: i32 = 6_000;
/// The rank of an empty point next to the mover's stones, or no longer next to those of the other
/// side.
const ROOM: i32 = 6_000;
/// The rank of a point for each of its neighbours that stays empty, and for each neighbour.
const FREE: i32 = 400;
const DEGREE: i32 = 600;

/// The rank of a hundredth of a stone of the evaluation after the turn.
const EVALUATION: i32 = 1 << 9;

/// The largest history rank. Larger ones are halved, so that recent refutations count more.
const MOST_HISTORY: i32 = 1 << 14;

/// The source of a placed stone, in place of a point.
const FROM_HAND: usize = 24;

/// The place of a turn's start in the history.
fn from_index(from: Option<Point>) -> usize {
    from.map_or(FROM_HAND, |from| from.bit() as usize)
}

/// Killers and history: statistics about turns in other positions.
#[derive(Clone, Debug)]
pub(crate) struct Histories {
    killers: Vec<[Turn; 2]>,
    /// Indexed by parity of the ply, point left and point reached.
    history: Box<[[[i32; 24]; FROM_HAND + 1]; 2]>,
}

impl Histories {
    pub fn new(plies: usize) -> Histories {
        Histories {
            killers: vec![[Turn::PASS; 2]; plies],
            history: Box::new([[[0; 24]; FROM_HAND + 1]; 2]),
        }
    }

    fn history(&mut self, ply: usize, turn: Turn) -> Option<&mut i32> {
        let from = from_index(turn.from());
        let to = turn.to()?.bit() as usize;
        Some(&mut self.history[ply % 2][from][to])
    }

    /// Notes that a turn caused a cutoff after those before it did not.
    pub fn refuted(&mut self, ply: usize, depth: u32, turn: Turn, before: &[Ranked]) {
        if let Some(killers) = self.killers.get_mut(ply)
            && !turn.removes()
            && killers[0] != turn
        {
            *killers = [turn, killers[0]];
        }
        let weight = (depth * depth).min(400) as i32;
        let mut learn = |turn: Turn, by: i32| {
            if let Some(value) = self.history(ply, turn) {
                *value += by - *value * by.abs() / MOST_HISTORY;
            }
        };
        learn(turn, weight);
        for earlier in before {
            learn(earlier.turn, -weight);
        }
    }
}

/// The data to rank the turns of one position.
pub(crate) struct Order<'a> {
    pub rules: &'a Rules,
    pub histories: &'a Histories,
    pub ply: usize,
    /// The turn from the transposition table.
    pub first: Turn,
}

impl Order<'_> {
    /// Appends the position's turns with their ranks.
    pub fn rank(&self, position: &Position, ranked: &mut Vec<Ranked>) {
        let board = self.rules.board();
        let empty = position.empty();
        let threatened = board.completions(position.waiting) & empty;
        let killers = self.histories.killers.get(self.ply).copied();
        let killers = killers.unwrap_or([Turn::PASS; 2]);
        let history = &self.histories.history[self.ply % 2];
        position.for_each_turn(self.rules, |turn| {
            let Some(to) = turn.to() else {
                return ranked.push(Ranked::new(0, turn));
            };
            let from = turn.from();
            let mut rank = history[from_index(from)][to.bit() as usize];
            let neighbours = board.neighbours(to);
            let stones = from
                .map_or(position.mover, |from| position.mover.without(from))
                .with(to);
            let left = empty.without(to);
            let count = |set: PointSet| set.len() as i32;
            rank += READY * count(board.completions(stones) & left)
                + ROOM * count(board.around(stones) & left)
                - ROOM * count(board.around(position.waiting) & left)
                + FREE * count(neighbours & left)
                + DEGREE * count(neighbours);
            let removed = turn.removed();
            if turn.removes() {
                let left = position.waiting - removed;
                let broken = board.completions(left) & (empty | removed);
                rank += CLOSES + (1 << 16) * (threatened.len() as i32 - broken.len() as i32);
                for point in removed {
                    rank += FREE * count(board.neighbours(point));
                }
            }
            if threatened.contains(to) {
                rank += BLOCKS;
            }
            if from.is_some() && killers.contains(&turn) {
                rank += KILLER;
            }
            if turn == self.first {
                rank = i32::MAX;
            }
            ranked.push(Ranked::new(rank, turn));
        });
    }

    /// Appends the position's turns, ranked by the static evaluation of the positions after them.
    pub fn rank_by_evaluation(
        &self,
        position: &Position,
        evaluate: impl Fn(&Position) -> Score,
        ranked: &mut Vec<Ranked>,
    ) {
        let history = &self.histories.history[self.ply % 2];
        position.for_each_turn(self.rules, |turn| {
            let after = position.after(turn);
            ranked.push(match turn.to() {
                _ if turn == self.first => Ranked::new(i32::MAX, turn),
                _ if after.is_beaten() => Ranked::new(i32::MAX - 1, turn),
                None => Ranked::new(0, turn),
                Some(to) => {
                    let from = from_index(turn.from());
                    let history = history[from][to.bit() as usize];
                    let estimate = evaluate(&after);
                    Ranked {
                        estimate: Some(estimate),
                        ..Ranked::new(EVALUATION * -i32::from(estimate.number()) + history, turn)
                    }
                }
            });
        });
    }
}

/// Moves the highest ranked turn to the front of the slice and returns it.
pub(crate) fn next(ranked: &mut [Ranked]) -> Option<Ranked> {
    let mut best = 0;
    for (place, turn) in ranked.iter().enumerate() {
        if turn.rank > ranked[best].rank {
            best = place;
        }
    }
    if ranked.is_empty() {
        return None;
    }
    ranked.swap(0, best);
    Some(ranked[0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Point;

    /// Both sides have two stones of a line: White d5 and e5, Black b6 and d6.
    const TEXT: &str = "OO******/@******@/******** w p p 2 7 2 7 0 0";

    /// The position's turns in the order of the ranks that `rank` gives them.
    fn ordered(first: Turn, rank: fn(&Order, &Position, &mut Vec<Ranked>)) -> Vec<Ranked> {
        let rules = &Rules::STANDARD;
        let position = Position::parse(TEXT, rules).unwrap();
        let order = Order {
            rules,
            histories: &Histories::new(1),
            ply: 0,
            first,
        };
        let mut ranked = Vec::new();
        rank(&order, &position, &mut ranked);
        assert_eq!(ranked.len(), position.turns(rules).len());
        assert!(next(&mut ranked[..0]).is_none());
        let places = 0..ranked.len();
        let turns = places.map(|place| next(&mut ranked[place..]).unwrap());
        turns.collect()
    }

    fn first_turns(first: Turn) -> Vec<String> {
        let ordered = ordered(first, |order, position, ranked| {
            order.rank(position, ranked)
        });
        ordered.iter().map(|next| next.turn.to_string()).collect()
    }

    #[test]
    fn mills_are_closed_before_others_are_blocked() {
        let turns = first_turns(Turn::PASS);
        assert!(
            turns[0].starts_with("c5x") && turns[1].starts_with("c5x"),
            "{turns:?}"
        );
        assert_eq!(turns[2], "f6");
        let corner = Point::named("a1").unwrap();
        let remembered = first_turns(Turn::step(None, corner));
        assert_eq!(remembered[0], "a1");
        assert_eq!(remembered.len(), turns.len());
    }

    #[test]
    fn what_refuted_is_tried_earlier() {
        let mut histories = Histories::new(2);
        let turn = |name| Turn::step(None, Point::named(name).unwrap());
        let before = [Ranked::new(0, turn("a1"))];
        histories.refuted(1, 5, turn("g7"), &before);
        assert!(*histories.history(1, turn("g7")).unwrap() > 0);
        assert!(*histories.history(1, turn("a1")).unwrap() < 0);
        assert_eq!(*histories.history(0, turn("g7")).unwrap(), 0);
        for _ in 0..10_000 {
            histories.refuted(1, 50, turn("g7"), &before);
        }
        assert!(*histories.history(1, turn("g7")).unwrap() <= MOST_HISTORY);
    }

    #[test]
    fn what_is_rated_best_comes_first() {
        let ordered = ordered(Turn::PASS, |order, position, ranked| {
            let corner = Point::named("a1").unwrap();
            let estimate = |is_best| Score::evaluation(if is_best { -5 } else { 5 });
            let evaluate = |after: &Position| estimate(after.waiting.contains(corner));
            order.rank_by_evaluation(position, evaluate, ranked);
        });
        let best = ordered[0];
        assert_eq!(best.turn.to_string(), "a1");
        assert_eq!(best.estimate, Some(Score::evaluation(-5)));
    }
}
