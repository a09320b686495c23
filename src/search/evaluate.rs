//! The static evaluation of positions that no database answers, by a network or by hand-made
//! rules. The rules count stones, mills, lines that lack one stone, mobility and blocked stones,
//! with weights that depend on the phase of each side.

use super::score::Score;
use crate::board::PointSet;
use crate::network::Network;
use crate::rules::Rules;
use crate::rules::position::{Position, Side};

/// How a search evaluates.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Evaluation {
    /// By the network that was trained for the rules.
    Network(&'static Network),
    /// By the network for the turns to the end, where this side wins; with stones in hand, by the one for
    /// results, too.
    Win {
        turns: &'static Network,
        results: &'static Network,
        winner: Side,
    },
    /// By stones, mills and mobility.
    ByHand,
}

impl Evaluation {
    /// The best evaluation for the rules.
    pub fn best(rules: &Rules) -> Evaluation {
        Network::embedded(rules).map_or(Evaluation::ByHand, Evaluation::Network)
    }

    /// The best evaluation of positions that this side wins, for a search for a short way to the end; `None` if
    /// there are no networks for the rules. Draws are then those of the prober, and repetitions.
    pub fn of_win(rules: &Rules, winner: Side) -> Option<Evaluation> {
        Some(Evaluation::Win {
            turns: Network::embedded_for_turns(rules)?,
            results: Network::embedded(rules)?,
            winner,
        })
    }

    /// Whether a network evaluates.
    pub fn is_network(self) -> bool {
        !matches!(self, Evaluation::ByHand)
    }

    /// `network` or `evaluation`.
    pub fn name(self) -> &'static str {
        match self.is_network() {
            true => "network",
            false => "evaluation",
        }
    }

    /// The evaluation of the position for its side to move.
    pub fn of(self, position: &Position, rules: &Rules) -> Score {
        match self {
            // The network knows only whole turns.
            Evaluation::Network(network) if !position.removal_owed() => {
                Score::evaluation(network.estimate(position))
            }
            Evaluation::Win {
                turns,
                results,
                winner,
            } if !position.removal_owed() => {
                let near = nearness(turns, winner, position);
                match position.is_placing() {
                    // The prober does not say whether the win is kept.
                    true => Score::evaluation(near + results.estimate(position)),
                    false => Score::evaluation(near),
                }
            }
            _ => by_hand(position, rules),
        }
    }
}

/// The estimate of a position that `winner` wins: the nearer the end, the farther from a draw. In the scale
/// of the search's margins, a win far away is just better than a draw.
fn nearness(network: &Network, winner: Side, position: &Position) -> i32 {
    /// More than the estimate of any win.
    const FARTHEST: i32 = 400;
    const SCALE: i32 = 4;
    let wins = position.side_to_move() == winner;
    let estimate = (FARTHEST - network.turns(position, wins)).max(1) * SCALE;
    if wins { estimate } else { -estimate }
}

/// The weights of a side's features, in hundredths of a stone: of a stone in a mill, of a point on which the side would
/// close a mill, of an empty point next to a stone, and of a stone without an empty neighbour.
type Weights = [i32; 4];

const PLACING: Weights = [4, 18, 5, -4];
const MOVING: Weights = [6, 14, 6, -9];
const FLYING: Weights = [4, 40, 0, 0];

/// The weight of a stone, on the board or in hand.
const STONE: i32 = 100;

/// The evaluation by hand-made rules, for the side to move.
fn by_hand(position: &Position, rules: &Rules) -> Score {
    let board = rules.board();
    let empty = position.empty();
    let side = |stones: PointSet, in_hand: u8| {
        let [in_mill, ready, room, blocked] = match () {
            () if in_hand > 0 => PLACING,
            () if rules.flies(stones.len()) => FLYING,
            () => MOVING,
        };
        let count = |set: PointSet| set.len() as i32;
        STONE * (count(stones) + i32::from(in_hand))
            + in_mill * count(board.mills(stones))
            + ready * count(board.completions(stones) & empty)
            + room * count(board.around(stones) & empty)
            + blocked * count(stones - board.around(empty))
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
        by_hand(&position, &rules).number()
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
