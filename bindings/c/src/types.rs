//! The types that cross the border, and how their values follow from the library's.

use std::ffi::c_char;

use millbase::Values;
use millbase::internals::numbers;
use millbase::internals::service::position::ValuedTurn;
use millbase::internals::service::words::Fen;

/// The value of a position or turn for the side to move.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Value {
    /// 1 for a win, 0 for a draw, -1 for a loss, `MILLBASE_UNKNOWN` where it is not known.
    pub wdl: i8,
    /// Turns to the end; -1 for a draw, and where the files hold no depths.
    pub dtw: i16,
}

/// Stands for a result that is not known.
pub const MILLBASE_UNKNOWN: i8 = -128;

/// Bytes for a turn's text with the zero that ends it.
pub const MILLBASE_TURN_SIZE: usize = 16;

/// Bytes for a position's text with the zero that ends it.
pub const MILLBASE_POSITION_SIZE: usize = 96;

/// A turn with its value for the side that makes it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    /// The turn's text, as `d6-d5xb4`; empty for none.
    pub turn: [c_char; MILLBASE_TURN_SIZE],
    /// The text of the position after the turn.
    pub position: [c_char; MILLBASE_POSITION_SIZE],
    /// The value; the depth includes the turn.
    pub value: Value,
}

/// The numbers of stones of a pair. The larger side is the one with more stones on the board and in hand.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pair {
    /// The stones on the board of the larger side, 0 to 12.
    pub larger: u8,
    /// The stones on the board of the other side.
    pub smaller: u8,
    /// The stones in hand of the larger side: 0, except under rules where sides move while placing.
    pub larger_in_hand: u8,
    /// The stones in hand of the other side.
    pub smaller_in_hand: u8,
}

/// Why a line ends.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LineEnd {
    /// The game is over.
    Over = 0,
    /// A position repeats, so the game is drawn.
    Repetition = 1,
    /// The rules' limit of turns without a placement or a removal is reached, so the game is drawn.
    Quiet = 2,
    /// The line has as many turns as were asked for.
    Limit = 3,
}

/// When a search ends: at the first of these limits, each 0 for none.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SearchLimits {
    /// The time in milliseconds.
    pub milliseconds: u32,
    /// The depth in turns.
    pub depth: u32,
    /// The number of positions, approximately.
    pub nodes: u64,
}

/// The meaning of a choice's score.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Score {
    /// An estimate for the side to move: hundredths of the logarithm of the odds to win under
    /// `standard`, of a stone under other rules.
    Estimate = 0,
    /// The turns in which the side to move wins, -1 if their number is unknown.
    Win = 1,
    /// The turns in which the side to move loses, -1 if their number is unknown.
    Loss = 2,
}

/// The turn that a player chooses.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    /// The turn's text; empty when the game is over.
    pub turn: [c_char; MILLBASE_TURN_SIZE],
    /// The text of the position after the turn.
    pub position: [c_char; MILLBASE_POSITION_SIZE],
    /// The turn's exact value if it is known without a search, else `MILLBASE_UNKNOWN`.
    pub value: Value,
    /// The meaning of `score`.
    pub score_is: Score,
    /// The score that the search found for the side to move.
    pub score: i32,
    /// The depth of the search in turns.
    pub depth: u32,
    /// The number of positions visited.
    pub nodes: u64,
}

/// The value of a turn that is not known.
pub(crate) const UNKNOWN: Value = Value {
    wdl: MILLBASE_UNKNOWN,
    dtw: -1,
};

const _: () = assert!(Values::MISSING == MILLBASE_UNKNOWN);

pub(crate) fn value(value: millbase::Value) -> Value {
    let (wdl, dtw) = numbers(value);
    Value { wdl, dtw }
}

/// A text with zeros after it. All texts of the library are ASCII and shorter than their places.
pub(crate) fn letters<const N: usize>(text: &str) -> [c_char; N] {
    let mut letters = [0; N];
    let place = letters[..N - 1].iter_mut();
    place
        .zip(text.bytes())
        .for_each(|(letter, byte)| *letter = byte as c_char);
    letters
}

/// A turn with this text, which leads to this position.
pub(crate) fn named(turn: &str, position: &Fen, value: Value) -> Turn {
    Turn {
        turn: letters(turn),
        position: letters(position.letters().as_str()),
        value,
    }
}

pub(crate) fn turn(turn: &ValuedTurn) -> Turn {
    named(&turn.turn.to_string(), &turn.position, value(turn.value))
}

/// Turns with their values.
pub(crate) fn all<'a>(turns: impl IntoIterator<Item = &'a ValuedTurn>) -> Vec<Turn> {
    turns.into_iter().map(turn).collect()
}

/// A turn with the position after it, whose value is not known.
pub(crate) fn legal(before: &Fen, legal: millbase::Turn) -> Turn {
    named(&legal.to_string(), &before.after(legal), UNKNOWN)
}
