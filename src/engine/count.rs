//! The count of quiet turns that ends a game as a draw, for values that ignore it.
//!
//! A win in no more turns than the count has left is safe. A longer one must remove a stone in time: a
//! search shows this, or that it is impossible, as far as its bounds allow. For the other turns the best
//! line of the databases shows whether the count is likely to end the game first.
//!
//! The search is exact: a side that wins under the count also wins without it, so the winner may leave out
//! turns that do not win by the databases. A win of d turns after a removal is safe if d is not above the
//! limit; a longer one stays undecided.

use std::cmp::Reverse;
use std::collections::HashMap;

use crate::engine::ending::DrawRule;
use crate::engine::game::Game;
use crate::engine::player::look_up;
use crate::probe::{Database, RankedTurn};
use crate::rules::Rules;
use crate::rules::position::Position;
use crate::rules::turns::Turn;
use crate::value::{Value, Wdl};

/// The turns in a row that neither placed nor removed a stone, and the number of them that makes a draw.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct QuietCount {
    /// 0 for no such draws.
    limit: u32,
    turns: u32,
}

/// The most positions whose turns one decision looks at: about a tenth of a second.
const MOST_POSITIONS: usize = 1_000;

impl QuietCount {
    /// The count of [`DrawRule::USUAL`] after this many quiet turns.
    pub fn usual(turns: u32) -> QuietCount {
        QuietCount {
            limit: DrawRule::USUAL.quiet_turns,
            turns,
        }
    }

    /// The count at the start of a game.
    pub fn start(game: &Game) -> QuietCount {
        QuietCount::under(game.rules(), game.draws(), game.quiet_before)
    }

    /// The count of a game for people to see: also that of rules whose values respect their limit.
    pub fn shown(game: &Game) -> QuietCount {
        let count = QuietCount::of(game);
        let limit = game.rules().quiet_limit_at(game.position());
        QuietCount {
            limit: limit.map_or(count.limit, u32::from),
            ..count
        }
    }

    /// The count after this many quiet turns of a game with these rules.
    pub(crate) fn under(rules: &Rules, draws: DrawRule, turns: u32) -> QuietCount {
        let limit = match rules.quiet_turns {
            0 => draws.quiet_turns,
            // The values of such rules respect their limit: see `Answer::after_quiet_turns`.
            _ => 0,
        };
        QuietCount { limit, turns }
    }

    /// The count of a game.
    pub fn of(game: &Game) -> QuietCount {
        QuietCount {
            turns: game.quiet_turns(),
            ..QuietCount::start(game)
        }
    }

    /// The number of quiet turns that make the game a draw.
    pub fn limit(self) -> u32 {
        self.limit
    }

    /// The number of quiet turns so far.
    pub fn turns(self) -> u32 {
        self.turns
    }

    /// The number of quiet turns up to the draw.
    pub fn left(self) -> u32 {
        match self.limit {
            0 => u32::MAX,
            limit => limit.saturating_sub(self.turns),
        }
    }

    /// Whether seven tenths of the quiet turns have been made, so that players should know the count.
    pub fn is_late(self) -> bool {
        self.limit > 0 && self.turns.saturating_mul(10) >= self.limit.saturating_mul(7)
    }

    /// The count after a turn in a position.
    #[must_use]
    pub fn after(self, position: &Position, turn: Turn) -> QuietCount {
        QuietCount {
            turns: position.quiet_turns_after(turn, self.turns),
            ..self
        }
    }

    /// Whether the count could draw the game before it ends by this value; if the depth is unknown, whether the
    /// count is full.
    pub fn may_cut(self, value: Value) -> bool {
        let turns = value.dtw().map_or(1, |dtw| u32::from(dtw.0));
        value.wdl() != Wdl::Draw && turns > self.left()
    }

    /// The number of turns of a line from a position after which the count makes the game a draw, if the line goes
    /// on after them; 0 if the count is full already.
    ///
    /// ```
    /// use millbase::engine::{DrawRule, Game, QuietCount};
    /// use millbase::{Position, Rules};
    /// let rules = Rules::STANDARD;
    /// let start = Position::parse("O*O*****/O*O*****/@@**@@** w m s 4 0 4 0 0 0", &rules)?;
    /// let draws = DrawRule { quiet_turns: 2, ..DrawRule::USUAL };
    /// let count = QuietCount::of(&Game::new(rules, start).with_draws(draws));
    /// let line = ["d6-b6", "d7-a7", "b6-d6"].map(|turn| turn.parse().unwrap());
    /// assert_eq!([count.cut(&start, line), count.cut(&start, line[..2].to_vec())], [Some(2), None]);
    /// # Ok::<(), millbase::PositionError>(())
    /// ```
    pub fn cut(self, start: &Position, line: impl IntoIterator<Item = Turn>) -> Option<usize> {
        let (mut count, mut position) = (self, *start);
        line.into_iter().position(|turn| {
            let is_full = count.left() == 0;
            count = count.after(&position, turn);
            position = position.after(turn);
            is_full
        })
    }

    /// The number of turns of the best line of a position with this value after which the count makes the
    /// game a draw; the least number possible if the databases have no line.
    pub fn drawn_after(
        self,
        database: &Database,
        position: &Position,
        value: Value,
    ) -> Option<usize> {
        if !self.may_cut(value) {
            return None;
        }
        let line = (value.dtw()).and_then(|depth| database.line(position, depth.0.into()).ok());
        match line {
            Some(line) => self.cut(position, line.turns.iter().map(|turn| turn.turn)),
            None => Some(self.left() as usize),
        }
    }

    /// Whether the count ends the best line of a position with this value.
    pub fn cuts(self, database: &Database, position: &Position, value: Value) -> bool {
        self.drawn_after(database, position, value).is_some()
    }

    /// The ranked turns of a position with their values under the count: a draw where a search
    /// shows that the count ends the game first, a win or a loss of unknown depth where it ends the
    /// best line. The first is the turn to play:
    ///
    /// 1. of a winner, one that is shown to win in time, if possible; among these the one that removes a
    ///    stone first, among those the quickest win;
    /// 2. of a loser, one that is shown to hold by the count, if possible;
    /// 3. otherwise one whose best line suits the side better, and then the better value.
    ///
    /// A turn that loses by the databases where another does not is a draw, too, if it is shown to hold by the count.
    ///
    /// Once `enough` returns true, nothing more is searched.
    pub fn rank(
        self,
        database: &Database,
        position: &Position,
        turns: Vec<RankedTurn>,
        enough: &dyn Fn() -> bool,
    ) -> Vec<RankedTurn> {
        let Some(best) = turns.first().map(|best| best.value.wdl()) else {
            return turns;
        };
        let drawn = |turn: RankedTurn| RankedTurn {
            value: Value::Draw,
            ..turn
        };
        if self.left() == 0 {
            return turns.into_iter().map(drawn).collect();
        }
        if !turns.iter().any(|turn| self.may_cut(turn.value)) {
            return turns;
        }
        let (judged, others) = turns.split_at(RankedTurn::keeping(&turns).len());
        let (draws, lost) =
            others.split_at(others.partition_point(|turn| turn.value == Value::Draw));
        let mut search = CountSearch {
            database,
            enough,
            left: MOST_POSITIONS,
            shown: HashMap::new(),
        };
        let mut judged = search.outlooks(position, judged, self);
        match best {
            Wdl::Loss => judged.sort_by_key(|&(outlook, _)| Reverse(outlook)),
            _ => judged.sort_by_key(|&(outlook, _)| outlook),
        }
        let lost = search.outlooks(position, lost, self).into_iter();
        let (held, lost): (Vec<_>, Vec<_>) =
            lost.partition(|(outlook, _)| *outlook == Outlook::Drawn);
        let counted = |(outlook, turn): (Outlook, RankedTurn)| match outlook {
            Outlook::Drawn => drawn(turn),
            Outlook::Shown { is_cut, .. } | Outlook::Open { is_cut } if is_cut => RankedTurn {
                value: turn.value.without_depth(),
                ..turn
            },
            _ => turn,
        };
        let turns = judged.into_iter().map(counted);
        let turns = turns.chain(draws.iter().copied());
        turns
            .chain(held.into_iter().chain(lost).map(counted))
            .collect()
    }
}

/// The known outcome under the count of a turn after which one side wins by the databases, best for
/// that side first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Outlook {
    /// The win is shown by a search of this many turns after the turn. The count may still end the best
    /// line, which hurries to the end instead of the next removal.
    Shown { turns: u32, is_cut: bool },
    /// Nothing is shown; the count ends the best line, or does not.
    Open { is_cut: bool },
    /// The count is shown to end the game first.
    Drawn,
}

/// A search that decides whether a side wins before the count ends the game.
struct CountSearch<'a> {
    database: &'a Database,
    enough: &'a dyn Fn() -> bool,
    /// The number of positions that may still be looked at.
    left: usize,
    /// For each position, the least number of quiet turns left for which a win was shown, and the
    /// greatest for which a draw was shown.
    shown: HashMap<Position, (u32, u32)>,
}

impl CountSearch<'_> {
    /// For each of these turns of a position, which all win or all lose by the databases, whether the side that wins
    /// does so in time, and how many more turns the search followed to show it: by searches of growing depth.
    fn shown(
        &mut self,
        position: &Position,
        turns: &[RankedTurn],
        count: QuietCount,
    ) -> Vec<Option<(bool, u32)>> {
        let mut found: Vec<Option<(bool, u32)>> = vec![None; turns.len()];
        for horizon in 0..count.left() {
            let missing = found.iter_mut().zip(turns);
            for (found, turn) in missing.filter(|(found, _)| found.is_none()) {
                let after = count.after(position, turn.turn);
                *found = (self.turn(turn, after, horizon)).map(|won| (won, horizon));
            }
            if self.is_over() || found.iter().all(Option::is_some) {
                break;
            }
        }
        found
    }

    /// The outlooks of turns of a position that all win or all lose by the databases.
    fn outlooks(
        &mut self,
        position: &Position,
        turns: &[RankedTurn],
        count: QuietCount,
    ) -> Vec<(Outlook, RankedTurn)> {
        let found = self.shown(position, turns, count).into_iter().zip(turns);
        let outlooks = found.map(|(found, turn)| {
            let count = count.after(position, turn.turn);
            let outlook = match found {
                Some((false, _)) => Outlook::Drawn,
                Some((true, turns)) => Outlook::Shown {
                    turns,
                    is_cut: turns > 0 && self.is_cut(turn, count),
                },
                None => Outlook::Open {
                    is_cut: self.is_cut(turn, count),
                },
            };
            (outlook, *turn)
        });
        outlooks.collect()
    }

    fn is_over(&self) -> bool {
        self.left == 0 || (self.enough)()
    }

    /// Whether the count after a turn ends the best line that begins with it; without time to look, it may.
    fn is_cut(&mut self, turn: &RankedTurn, count: QuietCount) -> bool {
        if self.is_over() {
            return true;
        }
        let depth = turn.value.dtw().map_or(0, |dtw| usize::from(dtw.0));
        self.left = self.left.saturating_sub(depth);
        count.cuts(self.database, &turn.after, turn.value)
    }

    /// Whether the side that wins by the databases wins in time after a turn that leads to this count, which the
    /// search follows for `horizon` more turns; `None` if this does not show it.
    fn turn(&mut self, turn: &RankedTurn, after: QuietCount, horizon: u32) -> Option<bool> {
        let rest = u32::from(turn.value.dtw()?.0) - 1;
        if rest <= after.left() {
            return Some(true);
        }
        if after.left() == 0 {
            return Some(false);
        }
        // A long win after a removal is not followed.
        if after.turns() == 0 {
            return None;
        }
        self.position(&turn.after, after, horizon.checked_sub(1)?)
    }

    /// [`CountSearch::turn`] for a position.
    fn position(&mut self, position: &Position, count: QuietCount, horizon: u32) -> Option<bool> {
        let left = count.left();
        let (won, drawn) = self.shown.get(position).copied().unwrap_or((u32::MAX, 0));
        if left >= won || left <= drawn {
            return Some(left >= won);
        }
        if self.is_over() {
            return None;
        }
        self.left -= 1;
        let turns = look_up(self.database, position, 0, None).ok()?.turns;
        let is_winner = turns.first()?.value.wdl() == Wdl::Win;
        let mut found = Some(!is_winner);
        for turn in RankedTurn::keeping(&turns) {
            match self.turn(turn, count.after(position, turn.turn), horizon) {
                Some(won) if won == is_winner => {
                    found = Some(won);
                    break;
                }
                Some(_) => {}
                None => found = None,
            }
            // So few turns cannot show that the loser holds.
            if found.is_none() && !is_winner && left > horizon + 1 {
                break;
            }
        }
        match found? {
            true => self.shown.insert(*position, (left, drawn)),
            false => self.shown.insert(*position, (won, left)),
        };
        found
    }
}
