//! The rules as data: what can differ between the games of the Mill family, and the fingerprint
//! that files carry.
//!
//! Everything that plays, searches or looks up asks the same four places:
//!
//! | question | answer |
//! |---|---|
//! | which stones can be placed, slid or flown? | `Position::for_each_step` in `turns` |
//! | which stones can be removed? | `removable`, `removals_made` and `removable_sets` in `turns` |
//! | what becomes of a side without a turn? | `Rules::without_turn` here |
//! | is the game over, and how? | [`Position::result`](position::Position::result) |
//!
//! The solver goes backwards over whole rows of positions, so it has loops of its own for the first
//! question (`RowTurns` in `solve`), and shares the others. The check in `verify` and the plain rules
//! in `tests/plain` repeat the rules on purpose; a new rule needs its check there.

pub mod diagram;
pub mod position;
pub mod turns;

use std::fmt;

use crate::board::Board;

/// One set of rules. What is not a field here is the same in every game: mills are closed by
/// placing, sliding or flying, closing one is rewarded by a removal, and a side with fewer than
/// three stones has lost.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Rules {
    /// How many stones each side places, 3 to 12.
    pub stones: u8,
    /// Whether four more lines join the corners of the rings.
    pub diagonals: bool,
    /// A side with no more than this many stones on the board, and none in hand, may move to any
    /// empty point; 0 for never.
    pub flying: u8,
    /// Whether stones in mills may be removed while others stand outside.
    pub removal_from_mills: bool,
    /// Whether each mill that a turn closes earns a removal of its own, instead of one for all.
    pub removal_per_mill: bool,
    /// What a side that has to move and cannot does.
    pub blocked: Blocked,
    /// What a full board is after the last placement.
    pub full_board: FullBoard,
}

/// What happens to a side that has to move and cannot.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Blocked {
    /// It has lost.
    Loses,
    /// It passes, and the other side moves.
    Passes,
}

/// The result when all points are taken after the last placement: only with twelve stones a side,
/// and only where nobody has closed a mill.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FullBoard {
    /// The side to move, which is the one that placed first, has lost.
    Loses,
    /// Nobody has won.
    Draws,
}

/// What becomes of a side that has to move, has stones enough, and has no turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WithoutTurn {
    /// It has lost.
    Loses,
    /// The game is drawn.
    Draws,
    /// It passes, and the other side moves.
    Passes,
}

/// The least number of stones with which a side can still play.
pub const FEWEST_STONES: u8 = 3;

/// The largest number of stones a side that these tables are made for.
pub const MOST_STONES: u8 = 12;

impl Rules {
    /// Nine Men's Morris as it is played in tournaments.
    pub const STANDARD: Rules = Rules {
        stones: 9,
        diagonals: false,
        flying: 3,
        removal_from_mills: false,
        removal_per_mill: false,
        blocked: Blocked::Loses,
        full_board: FullBoard::Loses,
    };

    /// Nine Men's Morris in which three stones may not fly either.
    pub const NO_FLYING: Rules = Rules {
        flying: 0,
        ..Rules::STANDARD
    };

    /// Nine Men's Morris with ten stones a side.
    pub const TEN: Rules = Rules {
        stones: 10,
        ..Rules::STANDARD
    };

    /// Twelve Men's Morris: four more lines, and the side that placed first loses on a full board.
    pub const TWELVE: Rules = Rules {
        stones: 12,
        diagonals: true,
        ..Rules::STANDARD
    };

    /// Morabaraba: as Twelve Men's Morris, but a full board is a draw.
    pub const MORABARABA: Rules = Rules {
        full_board: FullBoard::Draws,
        ..Rules::TWELVE
    };

    /// The sets of rules that have names.
    pub const NAMED: [(&'static str, Rules); 5] = [
        ("standard", Rules::STANDARD),
        ("no-flying", Rules::NO_FLYING),
        ("ten", Rules::TEN),
        ("twelve", Rules::TWELVE),
        ("morabaraba", Rules::MORABARABA),
    ];

    /// The rules with this name, or `None`.
    pub fn named(name: &str) -> Option<Rules> {
        let known = Rules::NAMED.iter().find(|(known, _)| *known == name);
        known.map(|&(_, rules)| rules)
    }

    /// The name of the rules with this [fingerprint](Rules::fingerprint), the first one where they
    /// differ in the stones only.
    pub fn name_of(fingerprint: u64) -> Option<&'static str> {
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

    /// Whether a side with this many stones on the board, and none in hand, may fly.
    #[inline(always)]
    pub fn flies(&self, stones: u32) -> bool {
        stones <= u32::from(self.flying)
    }

    /// What becomes of a side that has to move and has no turn, on a board that is full or is not.
    #[inline(always)]
    pub(crate) fn without_turn(&self, board_is_full: bool) -> WithoutTurn {
        match (self.blocked, self.full_board) {
            (_, FullBoard::Draws) if board_is_full => WithoutTurn::Draws,
            (Blocked::Passes, _) if !board_is_full => WithoutTurn::Passes,
            _ => WithoutTurn::Loses,
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
    pub fn most_removals(&self) -> u8 {
        self.removals(if self.diagonals { 3 } else { 2 })
    }

    /// The name of the rules where they have one.
    pub fn name(&self) -> Option<&'static str> {
        let known = Rules::NAMED.iter().find(|(_, rules)| rules == self);
        known.map(|&(name, _)| name)
    }

    /// A number that differs between any two sets of rules whose moving phases differ. The stones
    /// per side do not count: the positions of a pair have the same values whatever the number of
    /// stones that were once placed.
    ///
    /// ```
    /// use millbase::Rules;
    /// assert_ne!(Rules::STANDARD.fingerprint(), Rules { flying: 0, ..Rules::STANDARD }.fingerprint());
    /// ```
    pub fn fingerprint(&self) -> u64 {
        xxhash_rust::xxh3::xxh3_64(self.moving_phase().as_bytes())
    }

    /// The settings that decide the values of positions without stones in hand. The fingerprint is
    /// made of this text, so it must never change for rules that exist.
    fn moving_phase(&self) -> String {
        let mut text = format!(
            "millbase rules 1: diagonals={} flying={} removal_from_mills={}",
            self.diagonals, self.flying, self.removal_from_mills
        );
        if self.removal_per_mill {
            text += " removal_per_mill=true";
        }
        if self.blocked == Blocked::Passes {
            text += " blocked=passes";
        }
        if self.full_board == FullBoard::Draws {
            text += " full_board=draws";
        }
        text
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
            None => write!(f, "{} stones, {}", self.stones, self.moving_phase()),
        }
    }
}
