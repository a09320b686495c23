//! A plain Monte Carlo tree search, as an opponent that shares nothing with the alpha-beta search:
//! UCB1 in the tree, random turns to the end of each playout, the most visited turn at the root.

use crate::random::Random;
use crate::rules::Rules;
use crate::rules::position::Position;
use crate::rules::turns::Turn;
use crate::value::Wdl;

/// The most turns of a playout; one that is longer counts as a draw.
const LONGEST_PLAYOUT: usize = 80;

struct Node {
    position: Position,
    /// The turn that leads here.
    turn: Turn,
    /// The turns that have no node yet.
    untried: Vec<Turn>,
    children: Vec<usize>,
    visits: f64,
    /// The points of the side that made the turn.
    points: f64,
}

impl Node {
    fn new(turn: Turn, position: Position, rules: &Rules) -> Node {
        let untried = match position.is_over(rules) {
            true => Vec::new(),
            false => position.turns(rules),
        };
        Node {
            position,
            turn,
            untried,
            children: Vec::new(),
            visits: 0.0,
            points: 0.0,
        }
    }

    /// The upper confidence bound of UCB1.
    fn bound(&self, all: f64) -> f64 {
        self.points / self.visits + (2.0 * all.ln() / self.visits).sqrt()
    }
}

/// The turn after this number of playouts, with random choices from the seed; `None` if the game is
/// over.
pub fn choose(position: &Position, rules: &Rules, playouts: u32, seed: u64) -> Option<Turn> {
    let mut random = Random::new(seed);
    let mut nodes = vec![Node::new(Turn::PASS, *position, rules)];
    for _ in 0..playouts {
        let mut path = vec![0];
        let mut at = 0;
        while nodes[at].untried.is_empty() && !nodes[at].children.is_empty() {
            let all = nodes[at].visits;
            let bounds = nodes[at]
                .children
                .iter()
                .map(|&child| (nodes[child].bound(all), child));
            at = bounds.max_by(|left, right| left.0.total_cmp(&right.0))?.1;
            path.push(at);
        }
        if !nodes[at].untried.is_empty() {
            let place = random.below(nodes[at].untried.len());
            let turn = nodes[at].untried.swap_remove(place);
            let after = nodes[at].position.after(turn);
            nodes.push(Node::new(turn, after, rules));
            let child = nodes.len() - 1;
            nodes[at].children.push(child);
            at = child;
            path.push(at);
        }
        // The points of the side to move at the last node; its parent's turn has the others.
        let mut points = 1.0 - playout(&nodes[at].position, rules, &mut random);
        for &at in path.iter().rev() {
            nodes[at].visits += 1.0;
            nodes[at].points += points;
            points = 1.0 - points;
        }
    }
    let most = (nodes[0].children.iter())
        .max_by(|&&left, &&right| nodes[left].visits.total_cmp(&nodes[right].visits))?;
    Some(nodes[*most].turn)
}

/// The points of the side to move after random turns: 1 for a win, 1/2 for a draw.
fn playout(position: &Position, rules: &Rules, random: &mut Random) -> f64 {
    let mut position = *position;
    let mut turns = Vec::with_capacity(64);
    for ply in 0..LONGEST_PLAYOUT {
        if let Some(result) = position.result(rules) {
            let points = match result.wdl() {
                Wdl::Win => 1.0,
                Wdl::Draw => 0.5,
                Wdl::Loss => 0.0,
            };
            return if ply % 2 == 0 { points } else { 1.0 - points };
        }
        turns.clear();
        position.for_each_turn(rules, |turn| turns.push(turn));
        position = position.after(turns[random.below(turns.len())]);
    }
    0.5
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: Rules = Rules::STANDARD;

    fn chosen(text: &str, playouts: u32) -> Option<Turn> {
        let position = Position::parse(text, &RULES).unwrap();
        choose(&position, &RULES, playouts, 1)
    }

    #[test]
    fn a_win_in_one_turn_is_found() {
        // White closes a7-d7-g7; Black, with three stones, loses with any removal.
        let turn = chosen("***O**@*/********/O**@@**O w m s 3 0 3 0 0 0", 5000).unwrap();
        assert_eq!(turn.removed().len(), 1, "{turn}");
    }

    #[test]
    fn a_mill_is_blocked() {
        // Black threatens to win by closing a1-d1-g1 at a1, and White can close nothing.
        let text = "*****O@*/********/O**@@**O w m s 3 0 3 0 0 0";
        let position = Position::parse(text, &RULES).unwrap();
        let turn = chosen(text, 20_000).unwrap();
        let replies = position.after(turn).turns(&RULES);
        assert!(
            replies.iter().all(|reply| reply.removed().is_empty()),
            "{turn}"
        );
    }

    #[test]
    fn finished_games_have_no_turn() {
        assert_eq!(
            chosen("O@*****O/@@*****@/******** w o ? 2 0 4 0 0 0", 10),
            None
        );
    }
}
