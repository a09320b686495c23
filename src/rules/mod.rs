//! The rules as data: the settings in which games of the Mill family differ, and the fingerprint in
//! the head of files.
//!
//! Playing, searching and probing share the code for these four questions:
//!
//! | question | answer |
//! |---|---|
//! | which stones can be placed, slid or flown? | `Position::for_each_step` in `turns` |
//! | which stones can be removed? | `removable`, `removals_made` and `left_after_removals` in `turns` |
//! | what happens to a side without a turn? | `Rules::without_turn` here |
//! | is the game over, and how? | [`Position::result`](position::Position::result) |
//!
//! The solver goes backwards over whole rows of positions, so it has separate loops for the first
//! question (`RowTurns` in `solve`) and shares the others. The check in `verify` and the plain
//! rules in `tests/plain` repeat the rules on purpose; a new rule must be added there, too.

pub mod diagram;
pub mod position;
pub mod turns;

use std::fmt::{self, Display};

use self::position::{Position, Side};
use crate::board::Board;
use crate::value::{Distance, Dtw, Metric, Value};

/// A number with its noun: `1 turn`, `2 turns`.
pub fn counted(number: impl Display, noun: &str) -> String {
    let number = number.to_string();
    let ending = if number == "1" { "" } else { "s" };
    format!("{number} {noun}{ending}")
}

/// One set of rules. Everything that is not a field here is the same in every game: placing,
/// sliding and flying can close mills, closing a mill earns a removal, and a side with fewer than
/// three stones has lost.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "service", derive(serde::Serialize, schemars::JsonSchema))]
pub struct Rules {
    /// The number of stones that each side places, 3 to 12.
    pub stones: u8,
    /// Whether four more lines join the corners of the rings.
    pub diagonals: bool,
    /// A side with no more than this many stones on the board, and none in hand, may move to any
    /// empty point; 0 means never.
    pub flying: u8,
    /// Whether stones in mills may be removed while others are outside mills.
    pub removal_from_mills: bool,
    /// Whether each mill that a turn closes earns a removal of its own, instead of one for all.
    pub removal_per_mill: bool,
    /// Where a stone that closes a mill when it is placed takes a stone of the opponent.
    pub removal_while_placing: RemovalWhilePlacing,
    /// The rule for a side that has to move and cannot.
    pub blocked: Blocked,
    /// The result of a full board after the last placement.
    pub full_board: FullBoard,
    /// Whether a side with stones in hand may move a stone instead of placing one, as in Lasker Morris. The
    /// stones in hand then count for `flying`, too.
    pub moves_while_placing: bool,
    /// The side that makes the first move after the last placement. White placed first; if Black is to move
    /// first, White passes, so that the sides always alternate. Always White where
    /// [pairs have stones in hand](Rules::pairs_have_hands).
    pub first_to_move: Side,
    /// The game is drawn after this many consecutive turns of both sides without a placement or a removal,
    /// at most 125; 0 means never.
    pub quiet_turns: u8,
    /// The same while a side has three stones, those in hand included, at most `quiet_turns`; 0 means
    /// `quiet_turns`.
    pub quiet_turns_flying: u8,
}

/// Where a stone that closes a mill when it is placed takes a stone of the opponent.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "service",
    derive(serde::Deserialize, serde::Serialize, schemars::JsonSchema),
    serde(rename_all = "lowercase")
)]
pub enum RemovalWhilePlacing {
    /// From the board, as every other mill does.
    Board,
    /// From the opponent's hand as long as there is one, as in Dooz; the turn then names no stone.
    Hand,
}

/// The rule for a side that has to move and cannot.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "service",
    derive(serde::Deserialize, serde::Serialize, schemars::JsonSchema),
    serde(rename_all = "lowercase")
)]
pub enum Blocked {
    /// It has lost.
    Loses,
    /// It passes, and the other side moves.
    Passes,
}

/// The result when all points are taken after the last placement, which happens only with twelve
/// stones a side and without any mill closed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "service",
    derive(serde::Deserialize, serde::Serialize, schemars::JsonSchema),
    serde(rename_all = "lowercase")
)]
pub enum FullBoard {
    /// The side to move, which is the one that placed first, has lost.
    Loses,
    /// The game is drawn.
    Draws,
    /// The side to move removes a stone, and the other side moves.
    Removes,
}

/// The outcome for a side that has to move and has enough stones, but no turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WithoutTurn {
    /// It has lost.
    Loses,
    /// The game is drawn.
    Draws,
    /// It passes, and the other side moves.
    Passes,
    /// It removes a stone, and the other side moves.
    Removes,
}

/// The fewest stones with which a side can still play.
pub const FEWEST_STONES: u8 = 3;

/// The largest [`Rules::quiet_turns`]: a byte holds the result and this many turns to a removal.
pub const MOST_QUIET_TURNS: u8 = 125;

/// The most stones a side that the tables support.
pub const MOST_STONES: u8 = 12;

impl Rules {
    /// Nine Men's Morris as played in tournaments.
    pub const STANDARD: Rules = Rules {
        stones: 9,
        diagonals: false,
        flying: 3,
        removal_from_mills: false,
        removal_per_mill: false,
        removal_while_placing: RemovalWhilePlacing::Board,
        blocked: Blocked::Loses,
        full_board: FullBoard::Loses,
        moves_while_placing: false,
        first_to_move: Side::White,
        quiet_turns: 0,
        quiet_turns_flying: 0,
    };

    /// Nine Men's Morris where 100 turns without a placement or a removal are a draw, as most
    /// programs play.
    pub const STANDARD_100: Rules = Rules {
        quiet_turns: 100,
        ..Rules::STANDARD
    };

    /// Nine Men's Morris without flying, even with three stones.
    pub const NO_FLYING: Rules = Rules {
        flying: 0,
        ..Rules::STANDARD
    };

    /// Nine Men's Morris with ten stones a side.
    pub const TEN: Rules = Rules {
        stones: 10,
        ..Rules::STANDARD
    };

    /// Lasker Morris: ten stones a side, and a side with stones in hand may move instead of
    /// placing.
    pub const LASKER: Rules = Rules {
        moves_while_placing: true,
        ..Rules::TEN
    };

    /// Twelve Men's Morris: four more lines, and the side that placed first loses on a full board.
    pub const TWELVE: Rules = Rules {
        stones: 12,
        diagonals: true,
        ..Rules::STANDARD
    };

    /// Morabaraba: like Twelve Men's Morris, but a full board is a draw.
    pub const MORABARABA: Rules = Rules {
        full_board: FullBoard::Draws,
        ..Rules::TWELVE
    };

    /// Dooz: like Twelve Men's Morris, but a mill closed while placing takes a stone
    /// from the opponent's hand, stones in mills may be removed, and on a full board the side to move
    /// removes a stone.
    pub const DOOZ: Rules = Rules {
        removal_from_mills: true,
        removal_while_placing: RemovalWhilePlacing::Hand,
        full_board: FullBoard::Removes,
        ..Rules::TWELVE
    };

    /// The sets of rules that have names.
    pub const NAMED: [(&'static str, Rules); 8] = [
        ("standard", Rules::STANDARD),
        ("standard-100", Rules::STANDARD_100),
        ("no-flying", Rules::NO_FLYING),
        ("ten", Rules::TEN),
        ("lasker", Rules::LASKER),
        ("twelve", Rules::TWELVE),
        ("morabaraba", Rules::MORABARABA),
        ("dooz", Rules::DOOZ),
    ];

    /// The rules with this name, in letters of either case, or `None`.
    pub fn named(name: &str) -> Option<Rules> {
        let mut known = Rules::NAMED.iter();
        let known = known.find(|(known, _)| known.eq_ignore_ascii_case(name));
        known.map(|&(_, rules)| rules)
    }

    /// The name of the rules with this [fingerprint](Rules::fingerprint); the first name if several
    /// differ only in the number of stones.
    pub(crate) fn name_of(fingerprint: u64) -> Option<&'static str> {
        let same = |(_, rules): &&(&str, Rules)| rules.fingerprint() == fingerprint;
        let known = Rules::NAMED.iter().find(same);
        known.map(|&(name, _)| name)
    }

    /// The drawing of the board.
    pub fn board(&self) -> &'static Board {
        if self.diagonals {
            Board::diagonal()
        } else {
            Board::orthogonal()
        }
    }

    /// Whether a side with this many stones may fly. Stones in hand count only under rules where
    /// sides [move while placing](Rules::moves_while_placing); under others the side must have
    /// none.
    #[inline(always)]
    pub fn flies(&self, stones: u32) -> bool {
        stones <= u32::from(self.flying)
    }

    /// Whether a side with this many stones in hand may move those on the board.
    #[inline(always)]
    pub(crate) fn may_move(&self, in_hand: u8) -> bool {
        in_hand == 0 || self.moves_while_placing
    }

    /// Whether a placement that closes a mill takes a stone from the hand of an opponent with this many.
    #[inline(always)]
    pub(crate) fn takes_from_hand(&self, in_hand: u8) -> bool {
        self.removal_while_placing == RemovalWhilePlacing::Hand && in_hand > 0
    }

    /// The most stones that a turn takes out of the two hands: the one that it places, and the one that its mill
    /// takes.
    pub(crate) fn most_from_hands(&self) -> u8 {
        1 + u8::from(self.takes_from_hand(1))
    }

    /// Whether the numbers of stones on the board do not determine those in hand, so that the pairs
    /// of the databases state both, instead of plies: if sides move while placing, or mills take stones
    /// from the hand.
    #[inline(always)]
    pub fn pairs_have_hands(&self) -> bool {
        self.moves_while_placing || self.removal_while_placing == RemovalWhilePlacing::Hand
    }

    /// The outcome for a side that has to move and has no turn. `board_is_full` says whether all
    /// points are taken.
    #[inline(always)]
    pub(crate) fn without_turn(&self, board_is_full: bool) -> WithoutTurn {
        match (self.blocked, self.full_board) {
            (_, FullBoard::Draws) if board_is_full => WithoutTurn::Draws,
            (_, FullBoard::Removes) if board_is_full => WithoutTurn::Removes,
            (Blocked::Passes, _) if !board_is_full => WithoutTurn::Passes,
            _ => WithoutTurn::Loses,
        }
    }

    /// The end to which depths count turns. Under a limit of quiet turns a win is a win only if the
    /// next removal comes in time, so depths count the turns to it.
    pub(crate) fn distance(&self) -> Distance {
        match self.quiet_turns {
            0 => Distance::ToEnd,
            _ => Distance::ToRemoval,
        }
    }

    /// The number of stones that both sides place.
    pub fn placements(&self) -> u8 {
        2 * self.stones
    }

    /// The metric of files of the placing phase: under a limit of quiet turns they hold only
    /// results, as each placement restarts the count.
    pub(crate) fn placing_metric(&self) -> Metric {
        match self.distance() {
            Distance::ToEnd => Metric::Depth,
            Distance::ToRemoval => Metric::Wdl,
        }
    }

    /// The number of consecutive turns without a placement or a removal that make a draw while the
    /// sides have these numbers of stones, those in hand included; `None` if there is no limit.
    pub fn quiet_limit(&self, stones: [u8; 2]) -> Option<u8> {
        let few = stones.iter().any(|&stones| stones <= FEWEST_STONES);
        let limit = match self.quiet_turns_flying {
            limit if limit > 0 && few => limit,
            _ => self.quiet_turns,
        };
        (limit > 0).then_some(limit)
    }

    /// Whether texts of positions have the count of quiet turns: if the rules limit them, or if a text
    /// states it. Otherwise the same position always has the same text.
    pub(crate) fn states_count(&self, stated: u32) -> bool {
        self.quiet_turns > 0 || stated > 0
    }

    /// [`Rules::quiet_limit`] for the stones of a position.
    pub(crate) fn quiet_limit_at(&self, position: &Position) -> Option<u8> {
        self.quiet_limit([Side::White, Side::Black].map(|side| position.total(side) as u8))
    }

    /// Whether the limit draws a game that `quiet` quiet turns in a row have led to this position,
    /// if the position itself does not end it. A turn that closes a mill is not over before its
    /// removal.
    pub fn is_at_quiet_limit(&self, position: &Position, quiet: u32) -> bool {
        let limit = self.quiet_limit_at(position);
        self.counts_quiet_turns(position) && limit.is_some_and(|limit| quiet >= limit.into())
    }

    /// Whether the limit draws the game in this position after `quiet` quiet turns in a row.
    pub(crate) fn is_drawn_by_limit(&self, position: &Position, quiet: u32) -> bool {
        self.is_at_quiet_limit(position, quiet) && !position.is_over(self)
    }

    /// Whether quiet turns may lead to this position. None do while stones are in hand, unless sides move then.
    pub(crate) fn counts_quiet_turns(&self, position: &Position) -> bool {
        !position.is_in_placing_phase(self) && !position.removal_owed()
    }

    /// The value of a turn for the side that makes it, without stones in hand and without quiet
    /// turns before it: `after` is the value of the position that it leads to, `stones` are the
    /// numbers of stones before it, and `removes` says whether it removes any.
    pub(crate) fn value_of_turn(&self, stones: [u8; 2], removes: bool, after: Value) -> Value {
        let after = match removes {
            true => self.distance().after_removal(after),
            false => after,
        };
        within_limit(self.quiet_limit(stones), 0, after.backed_up())
    }

    /// The value of a position after `quiet` quiet turns, from its value after none. Without a
    /// limit of quiet turns it is the same.
    pub fn after_quiet_turns(&self, position: &Position, quiet: u32, value: Value) -> Value {
        match self.counts_quiet_turns(position) {
            true => within_limit(self.quiet_limit_at(position), quiet, value),
            false => value,
        }
    }

    /// The number of removals that closing `mills` mills earns.
    #[inline(always)]
    pub fn removals(&self, mills: u32) -> u8 {
        match self.removal_per_mill {
            true => mills as u8,
            false => u8::from(mills > 0),
        }
    }

    /// The most removals that a turn can earn, 1 to 3: with the diagonals, a corner lies on three
    /// lines, every other point on two.
    pub(crate) fn most_removals(&self) -> u8 {
        self.removals(if self.diagonals { 3 } else { 2 })
    }

    /// The name of the rules, if they have one.
    pub fn name(&self) -> Option<&'static str> {
        let known = Rules::NAMED.iter().find(|(_, rules)| rules == self);
        known.map(|&(name, _)| name)
    }

    /// A number that differs between any two sets of rules whose moving phases differ. The stones
    /// per side do not count: the positions of a pair have the same values however many stones were
    /// placed before.
    ///
    /// ```
    /// use millbase::Rules;
    /// assert_ne!(Rules::STANDARD.fingerprint(), Rules { flying: 0, ..Rules::STANDARD }.fingerprint());
    /// ```
    pub fn fingerprint(&self) -> u64 {
        xxhash_rust::xxh3::xxh3_64(self.settings_text().as_bytes())
    }

    /// The beginning of [`Rules::settings_text`].
    pub(crate) const SETTINGS: &str = "millbase rules 1";

    /// The settings that decide the values of positions without stones in hand. The fingerprint is
    /// the hash of this text, so the text must never change for existing rules.
    fn settings_text(&self) -> String {
        let mut text = format!(
            "{}: diagonals={} flying={} removal_from_mills={}",
            Rules::SETTINGS,
            self.diagonals,
            self.flying,
            self.removal_from_mills
        );
        let (quiet, flying) = (self.quiet_turns, self.quiet_turns_flying);
        let takes_from_hand = self.removal_while_placing == RemovalWhilePlacing::Hand;
        for (is_set, setting) in [
            (self.removal_per_mill, " removal_per_mill=true"),
            (self.blocked == Blocked::Passes, " blocked=passes"),
            (self.full_board == FullBoard::Draws, " full_board=draws"),
            (self.full_board == FullBoard::Removes, " full_board=removes"),
            (self.moves_while_placing, " moves_while_placing=true"),
            (takes_from_hand, " removal_while_placing=hand"),
            (self.first_to_move == Side::Black, " first_to_move=black"),
            (quiet > 0, &format!(" quiet_turns={quiet}")),
            (flying > 0, &format!(" quiet_turns_flying={flying}")),
        ] {
            text += if is_set { setting } else { "" };
        }
        text
    }
}

/// The value after `quiet` quiet turns: a draw if the limit comes before the end that its depth counts to. A
/// depth of 0 is an end that has come.
fn within_limit(limit: Option<u8>, quiet: u32, value: Value) -> Value {
    match (limit, value.dtw()) {
        (Some(limit), Some(Dtw(turns)))
            if turns > 0 && quiet.saturating_add(turns.into()) > limit.into() =>
        {
            Value::Draw
        }
        _ => value,
    }
}

impl Default for Rules {
    fn default() -> Rules {
        Rules::STANDARD
    }
}

impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "{} stones, {}", self.stones, self.settings_text()),
        }
    }
}
