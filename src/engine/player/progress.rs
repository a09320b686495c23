//! Progress in won positions for which the files hold no depths.
//!
//! Results alone do not say which of the winning turns leads nearer to the end, and a player that
//! takes any of them moves in circles. The pairs that are part of the program have depths. In
//! others a search chooses: it looks a few turns ahead with its static evaluation, which counts
//! stones first. It scores every position in which the win is gone as a draw, so its plans keep the
//! win and meet those of the other side.

use std::time::Duration;

use super::Deadline;
use crate::engine::game::Game;
use crate::probe::{Database, RankedTurn};
use crate::rules::position::{Position, Side};
use crate::rules::turns::Turn;
use crate::search::{Limits, Prober, Search};
use crate::value::{Value, Wdl};

/// The bytes of the transposition table.
const HASH_BYTES: usize = 4 << 20;

/// The most positions to search where there is no time limit.
const NODES: u64 = 50_000;

/// The share of the remaining time that the search takes, in eighths.
const SHARE: u32 = 7;

/// Knows the positions in which the winner gave the win away, and no others.
struct LostWins<'a> {
    database: &'a Database,
    winner: Side,
    /// The positions after turns of the root that give it away.
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
        let kept = match position.side_to_move() == self.winner {
            true => Wdl::Win,
            false => Wdl::Loss,
        };
        let found = self.database.probe_wdl(position).ok()?;
        (found != kept).then_some(Value::Draw)
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
    if !game.position().is_in_placing_phase(&rules)
        && let Ok(turns) = Database::embedded(rules).turns(game.position())
    {
        return turns.first().map(|best| best.turn);
    }
    let prober = LostWins {
        database,
        winner: game.position().side_to_move(),
        after: others.iter().map(|turn| turn.after).collect(),
    };
    let left = |time: Duration| time.saturating_sub(deadline.start.elapsed()) / 8 * SHARE;
    let limits = Limits {
        time: deadline.time.map(left),
        nodes: deadline.time.is_none().then_some(NODES),
        ..Limits::default()
    };
    let search = Search::new(rules, HASH_BYTES, 1).by_hand();
    let (position, earlier) = (game.position(), game.earlier());
    let found = search.run(
        position,
        earlier,
        &prober,
        &limits,
        deadline.stop,
        &mut |_| (),
    );
    found.first()?.turns.first().copied()
}
