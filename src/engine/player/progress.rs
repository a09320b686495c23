//! Progress in won positions for which the files hold no depths.
//!
//! Results alone do not say which of the winning turns leads nearer to the end, and a player that
//! takes any of them moves in circles. The pairs that are part of the program have depths. In
//! others a search chooses: it looks some turns ahead and asks a network how many turns are left to the
//! end. It scores every position in which the win is gone as a draw, so its plans keep the win and
//! meet those of the other side. With stones in hand it asks the network for results, too.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::Deadline;
use crate::engine::game::Game;
use crate::index::{Material, Pair};
use crate::probe::{Database, RankedTurn};
use crate::rules::position::{Position, Side};
use crate::rules::turns::Turn;
use crate::search::{Evaluation, Limits, Prober, Search};
use crate::store::PairFile;
use crate::value::{Metric, Value, Wdl};

/// The bytes of the transposition table.
const HASH_BYTES: usize = 4 << 20;

/// The most positions to search where there is no time limit.
const NODES: u64 = 50_000;

/// The search leaves one `LEFT`th of the remaining time.
const LEFT: u32 = 16;

/// Knows the positions in which the winner gave the win away, and those with depths: of the pairs that are part
/// of the program, and of other files that have them.
struct LostWins<'a> {
    database: &'a Database,
    /// Those whose files may have depths.
    databases: Vec<&'a Database>,
    winner: Side,
    /// Whether it knows all positions after turns of the winner that give the win away: without stones in hand.
    sees_all: bool,
    /// The positions after turns of the root that give the win away.
    after: Vec<Position>,
}

impl Prober for LostWins<'_> {
    fn value(&self, position: &Position) -> Option<Value> {
        if self.after.contains(position) {
            return Some(Value::Draw);
        }
        // With stones in hand, most results take a search of their own.
        if position.is_in_placing_phase(self.database.rules()) {
            return None;
        }
        let pair = Material::of_position(position).pair()?;
        if let Some(database) = self.with_depths(pair) {
            let value = database.probe(position).ok();
            return value.filter(|value| *value == Value::Draw || value.dtw().is_some());
        }
        let kept = match position.side_to_move() == self.winner {
            // The other side could not give up what was lost.
            true if self.sees_all => return None,
            true => Wdl::Win,
            false => Wdl::Loss,
        };
        let found = self.database.probe_wdl(position).ok()?;
        (found != kept).then_some(Value::Draw)
    }

    /// For the loser, a draw is better than what the network estimates.
    fn only_raises(&self, position: &Position) -> bool {
        let pair = Material::of_position(position).pair();
        self.sees_all
            && position.side_to_move() != self.winner
            && pair.is_some_and(|pair| self.with_depths(pair).is_none())
    }
}

/// The turn to play in a won position; `others` are its turns that give the win away. `None` if the
/// search found none in time.
pub(super) fn turn(
    database: &Database,
    game: &Game,
    others: &[RankedTurn],
    deadline: Deadline<'_>,
) -> Option<Turn> {
    let rules = *database.rules();
    let embedded = Database::embedded(rules);
    let sees_all = !game.position().is_in_placing_phase(&rules);
    if sees_all && let Ok(turns) = embedded.turns(game.position()) {
        let lasting = turns.iter().find(|turn| !game.is_drawn_by(turn));
        return lasting.map(|best| best.turn);
    }
    let left = |time: Duration| time.saturating_sub(deadline.start.elapsed()) / LEFT * (LEFT - 1);
    let limits = Limits {
        time: deadline.time.map(left),
        nodes: deadline.time.is_none().then_some(NODES),
        ..Limits::default()
    };
    let prober = LostWins {
        database,
        databases: vec![&embedded, database],
        winner: game.position().side_to_move(),
        sees_all,
        after: others.iter().map(|turn| turn.after).collect(),
    };
    prober.search(game, &limits, deadline.stop)
}

impl LostWins<'_> {
    /// A database that has the depths of a pair.
    fn with_depths(&self, pair: Pair) -> Option<&Database> {
        let holds_depths = |file: &PairFile| file.metric() == Metric::Depth;
        let mut databases = self.databases.iter().copied();
        databases.find(|database| database.has(pair) && database.file(pair).is_ok_and(holds_depths))
    }

    /// The turn that a search finds best.
    fn search(&self, game: &Game, limits: &Limits, stop: &AtomicBool) -> Option<Turn> {
        let search = Search::new(*game.rules(), HASH_BYTES, 1);
        let search = match Evaluation::of_win(game.rules(), self.winner) {
            Some(evaluation) => search.evaluating(evaluation),
            None if self.sees_all => search.evaluating(Evaluation::ByHand),
            None => search,
        };
        let (position, earlier) = (game.position(), game.earlier());
        let found = search.run(position, earlier, self, limits, stop, &mut |_| ());
        found.first()?.turns.first().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Rules;
    use crate::sample::{Family, many};

    /// In a pair of the program, but without its depths, the search keeps each win, and the turns to the
    /// end are on average fewer by far than after any turn that keeps it.
    #[test]
    fn the_search_keeps_the_win_and_comes_nearer() {
        let rules = Rules::STANDARD;
        let database = Database::embedded(rules);
        let pair = Family::Pair(Pair::new(4, 3).unwrap());
        let (mut asked, mut lost, mut lost_by_chance) = (0, 0.0, 0.0);
        for start in many(&rules, pair, 0..1500, 5) {
            let turns = database.turns(&start).unwrap();
            let is_win = |turn: &&RankedTurn| turn.value.wdl() == Wdl::Win;
            let winning = turns.iter().take_while(is_win).count();
            let depth = |turn: &RankedTurn| turn.value.dtw().map_or(0.0, |depth| depth.0.into());
            if winning < 2 || depth(&turns[0]) < 9.0 {
                continue;
            }
            let prober = LostWins {
                database: &database,
                databases: Vec::new(),
                winner: start.side_to_move(),
                sees_all: true,
                after: turns[winning..].iter().map(|turn| turn.after).collect(),
            };
            let limits = Limits {
                nodes: Some(500),
                ..Limits::default()
            };
            let game = Game::new(rules, start);
            let found = prober.search(&game, &limits, &AtomicBool::new(false));
            let kept = &turns[..winning];
            let chosen = kept.iter().find(|turn| Some(turn.turn) == found);
            asked += 1;
            lost += depth(chosen.expect("the win is kept")) - depth(&turns[0]);
            lost_by_chance +=
                kept.iter().map(depth).sum::<f64>() / kept.len() as f64 - depth(&turns[0]);
        }
        assert!(
            asked > 50 && 5.0 * lost < lost_by_chance,
            "{asked}: {lost} of {lost_by_chance}"
        );
    }

    /// Where a file has depths, the search knows the turns to the end in the positions of both sides.
    #[test]
    fn depths_of_files_are_known() {
        let rules = Rules::STANDARD;
        let database = Database::embedded(rules);
        let pair = Family::Pair(Pair::new(4, 3).unwrap());
        for start in many(&rules, pair, 0..200, 7) {
            for winner in [Side::White, Side::Black] {
                let prober = LostWins {
                    database: &database,
                    databases: vec![&database],
                    winner,
                    sees_all: true,
                    after: Vec::new(),
                };
                assert_eq!(prober.value(&start), database.probe(&start).ok());
            }
        }
    }
}
