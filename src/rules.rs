//! The rules as data: what can differ between the games of the Mill family, and the fingerprint
//! that files carry.

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
    };

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

    /// The name of the rules where they have one.
    pub fn name(&self) -> Option<&'static str> {
        (*self == Rules::STANDARD).then_some("standard")
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
        format!(
            "millbase rules 1: diagonals={} flying={} removal_from_mills={}",
            self.diagonals, self.flying, self.removal_from_mills
        )
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
