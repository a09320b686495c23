//! Facts that explain turns: where a side can close a mill, and how soon it can force a removal. The
//! service puts them together with the values.

use crate::board::PointSet;
use crate::rules::Rules;
use crate::rules::position::{Position, Side};
use crate::rules::turns::Turn;

/// The most own turns of a side in the search for a forced removal.
pub const MOST_FORCED_TURNS: usize = 5;

/// The most positions that the search for a forced removal visits.
pub const MOST_FORCED_POSITIONS: u64 = 1_000_000;

/// The empty points at which a side closes a mill if it is to move.
///
/// ```
/// use millbase::internals::coach::explain::closing_points;
/// use millbase::{Position, Rules, Side};
/// let rules = Rules::STANDARD;
/// let position = Position::parse("********/@*******/O*OO*@*@ w m s 3 0 3 0 0 0", &rules)?;
/// let points = closing_points(&position, Side::White, &rules);
/// assert_eq!(format!("{points:?}"), "{g7}");
/// # Ok::<(), millbase::PositionError>(())
/// ```
pub fn closing_points(position: &Position, side: Side, rules: &Rules) -> PointSet {
    let board = rules.board();
    let (stones, empty) = (position.stones(side), position.empty());
    if position.pass_to_come && side == Side::White && position.in_hand(side) == 0 {
        // It passes next.
        return PointSet::EMPTY;
    }
    if position.in_hand(side) > 0 {
        // A placed stone can close every mill that a moved one can.
        return board.completions(stones) & empty;
    }
    let flies = rules.flies(stones.len());
    let mut points = PointSet::EMPTY;
    for from in stones {
        let targets = match flies {
            true => empty,
            false => board.neighbours(from) & empty,
        };
        points |= board.completions(stones.without(from)) & targets;
    }
    points
}

/// The shortest sequence to a removal or the end of the game that a position's side to move can force with one of these
/// turns, if a search of at most `most` positions finds it: the turns of both sides, where the other side delays as long
/// as possible. With it the number of the side's own turns that were searched completely without finding one.
pub(crate) fn forced(
    position: &Position,
    first: &[Turn],
    rules: &Rules,
    most: u64,
) -> (Option<Vec<Turn>>, usize) {
    let mut search = ForcedSearch { rules, left: most };
    let mut searched = 0;
    for turns in 1..=MOST_FORCED_TURNS {
        match search.force(position, first, turns) {
            None if search.left == 0 => break,
            None => searched = turns,
            found => return (found, searched),
        }
    }
    (None, searched)
}

struct ForcedSearch<'a> {
    rules: &'a Rules,
    /// The number of positions that may still be visited.
    left: u64,
}

impl ForcedSearch<'_> {
    /// The line in which the side to move removes a stone or ends the game within `own` of its
    /// turns, whatever the other side replies. A reply that removes a stone refutes a turn.
    fn force(&mut self, position: &Position, turns: &[Turn], own: usize) -> Option<Vec<Turn>> {
        if let Some(&turn) = turns.iter().find(|turn| turn.removes()) {
            return Some(vec![turn]);
        }
        for &turn in turns {
            self.left = self.left.checked_sub(1)?;
            let after = position.after(turn);
            if self.is_in_vain(&after, own) {
                continue;
            }
            let (mut is_over, mut refutes) = (true, false);
            after.for_each_step(self.rules, |step, removals| {
                is_over = false;
                refutes |= removals > 0 || step.removes();
            });
            if is_over {
                return Some(vec![turn]);
            }
            if own > 1
                && !refutes
                && let Some(rest) = self.every_reply(&after, own - 1)
            {
                return Some([vec![turn], rest].concat());
            }
        }
        None
    }

    /// Whether stones in hand obviously save the side to move from the `own - 1` turns that follow its reply.
    fn is_in_vain(&self, after: &Position, own: usize) -> bool {
        let side = after.side_to_move();
        match (own, after.in_hand(side)) {
            // It can place a stone, so the game goes on.
            (1, 1..) => true,
            // It can place two, and the first can occupy the only point at which a mill could be
            // closed.
            (2, 2..) => closing_points(after, side.other(), self.rules).len() < 2,
            _ => false,
        }
    }

    fn every_reply(&mut self, after: &Position, own: usize) -> Option<Vec<Turn>> {
        let mut longest: Vec<Turn> = Vec::new();
        for reply in after.turns(self.rules) {
            let position = after.after(reply);
            let turns = position.turns(self.rules);
            let rest = self.force(&position, &turns, own)?;
            if rest.len() + 1 > longest.len() {
                longest = [vec![reply], rest].concat();
            }
        }
        Some(longest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    const RULES: Rules = Rules::STANDARD;

    /// Whether the side to move can force a removal or the end, by all turns and replies.
    fn can_force(position: &Position, own: usize) -> bool {
        let turns = position.turns(&RULES);
        turns.into_iter().any(|turn| {
            let after = position.after(turn);
            let replies = after.turns(&RULES);
            let holds = |reply: &Turn| {
                reply.removed().is_empty() && can_force(&after.after(*reply), own - 1)
            };
            !turn.removed().is_empty() || replies.is_empty() || own > 1 && replies.iter().all(holds)
        })
    }

    #[test]
    fn nothing_forced_is_overlooked() {
        let mut random = Random::new(1);
        let mut found = [0; 4];
        for game in 0..150 {
            let mut position = Position::start(&RULES);
            for _ in 0..5 + game % 14 {
                let turns = position.turns(&RULES);
                if !turns.is_empty() {
                    position = position.after(turns[random.below(turns.len())]);
                }
            }
            let turns = position.turns(&RULES);
            let (line, _) = forced(&position, &turns, &RULES, MOST_FORCED_POSITIONS);
            let own = line.unwrap_or_default().len().div_ceil(2);
            let expected = (1..=3).find(|&own| can_force(&position, own));
            assert_eq!(
                (1..=3).contains(&own).then_some(own),
                expected,
                "{position:?}"
            );
            found[expected.unwrap_or(0)] += 1;
        }
        assert!(found.iter().all(|&count| count > 0), "{found:?}");
    }

    /// The search of the empty board ends, and does not stop because it takes long.
    #[test]
    fn the_empty_board_is_searched_completely() {
        let start = Position::start(&RULES);
        let (_, searched) = forced(&start, &start.turns(&RULES), &RULES, MOST_FORCED_POSITIONS);
        assert_eq!(searched, MOST_FORCED_TURNS);
    }
}
