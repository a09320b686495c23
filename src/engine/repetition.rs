//! Draws by repetition among the next turns of a game, for values that ignore them.
//!
//! A turn is a draw if it repeats a position often enough, or if it wins but lets the other side do so at once. Longer
//! ways to a repetition are not searched.

use std::collections::HashMap;

use crate::engine::count::QuietCount;
use crate::engine::game::Game;
use crate::probe::{Database, RankedTurn};
use crate::rules::position::Position;
use crate::value::{Value, Wdl};

impl Game {
    /// The ranked turns of the position with their values under the game's rule for draws: as [`QuietCount::rank`]
    /// gives them, and draws where a position is repeated too often, unless the game went on after such a draw.
    pub(crate) fn under_draw_rule(
        &self,
        database: &Database,
        turns: Vec<RankedTurn>,
        enough: &dyn Fn() -> bool,
    ) -> Vec<RankedTurn> {
        let turns = QuietCount::of(self).rank(database, self.position(), turns, enough);
        let (turns, _) = self.under_repetition(turns);
        turns
    }

    /// The ranked turns of the position with draws in place of wins and losses where a position is repeated too often,
    /// and these turns.
    pub(crate) fn under_repetition(
        &self,
        turns: Vec<RankedTurn>,
    ) -> (Vec<RankedTurn>, Vec<RankedTurn>) {
        let mut stood = self.earlier().iter().chain([self.position()]);
        if !stood.any(|position| self.is_drawn_at(position)) || self.went_on() {
            return (turns, Vec::new());
        }
        let repeats = |turn: &RankedTurn| turn.value.wdl() != Wdl::Draw && self.is_drawn_by(turn);
        let (repeating, mut others): (Vec<_>, Vec<_>) = match self.is_repeated() {
            true => (turns, Vec::new()),
            false => turns.into_iter().partition(repeats),
        };
        let drawn = |turn| RankedTurn {
            value: Value::Draw,
            ..turn
        };
        let lost = (others.iter()).position(|turn| turn.value.wdl() == Wdl::Loss);
        let lost = lost.unwrap_or(others.len());
        others.splice(lost..lost, repeating.iter().copied().map(drawn));
        (others, repeating)
    }

    /// Whether the game went on after a draw by repetition: then it is not played by this rule.
    fn went_on(&self) -> bool {
        let mut stood: HashMap<&Position, usize> = HashMap::new();
        let mut before = self.before().iter();
        before.any(|position| {
            let occurrences = stood.entry(position).or_default();
            *occurrences += 1;
            self.draws_after(*occurrences)
        })
    }

    /// Whether the position has occurred as often as the rule for draws says.
    pub(crate) fn is_repeated(&self) -> bool {
        self.draws_after(self.occurrences())
    }

    /// Whether this number of occurrences of a position makes a draw.
    fn draws_after(&self, occurrences: usize) -> bool {
        let most = self.draws().repetitions as usize;
        most > 0 && occurrences >= most
    }

    /// Whether the game is a draw once it comes to this position.
    fn is_drawn_at(&self, position: &Position) -> bool {
        self.draws_after(self.occurrences_of(position) + 1)
    }

    /// Whether a turn repeats a position too often, or wins but lets the other side do so at once.
    pub(super) fn is_drawn_by(&self, turn: &RankedTurn) -> bool {
        let rules = self.rules();
        if turn.after.is_over(rules) {
            return false;
        }
        let repeats = |reply| self.is_drawn_at(&turn.after.after(reply));
        self.is_drawn_at(&turn.after)
            || turn.value.wdl() == Wdl::Win && turn.after.turns(rules).into_iter().any(repeats)
    }
}
