//! The value of a position: win, draw or loss, and the depth to the end. It takes one byte in files
//! and during solving.

use std::cmp::Ordering;
use std::fmt;

use crate::names::names;

/// Win, draw or loss for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Wdl {
    /// The side to move loses.
    Loss,
    /// Neither side can force a win.
    Draw,
    /// The side to move wins.
    Win,
}

names! { Wdl by name { Win: "win", Draw: "draw", Loss: "loss" } }

/// Depth to win in turns of both sides: the length of the game when the winner takes the shortest
/// way and the loser the longest.
///
/// 0 means that the side to move has lost already; otherwise wins have odd and losses even depths. Under rules with a
/// limit of quiet turns, it counts the turns to the next removal or the end, and wins may have even depths, too.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Dtw(pub u16);

impl Dtw {
    /// Stands for an unknown depth: some files hold only win, draw or loss.
    pub const UNKNOWN: Dtw = Dtw(u16::MAX);
}

impl fmt::Display for Dtw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The value of a position for the side to move. Values are ordered: a greater value is better for
/// the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    /// The side to move wins, in as many turns as [`Dtw`] counts.
    Win(Dtw),
    /// Neither side can force a win.
    Draw,
    /// The side to move loses, in as many turns as [`Dtw`] counts.
    Loss(Dtw),
}

impl Value {
    /// The side to move has lost already: it is blocked or has too few stones.
    pub const LOST: Value = Value::Loss(Dtw(0));

    /// Win, draw or loss.
    pub const fn wdl(self) -> Wdl {
        match self {
            Value::Win(_) => Wdl::Win,
            Value::Draw => Wdl::Draw,
            Value::Loss(_) => Wdl::Loss,
        }
    }

    /// The depth in turns; `None` for a draw and for an unknown depth.
    pub fn dtw(self) -> Option<Dtw> {
        match self {
            Value::Win(dtw) | Value::Loss(dtw) => (dtw != Dtw::UNKNOWN).then_some(dtw),
            Value::Draw => None,
        }
    }

    /// The same result in an unknown number of turns.
    #[must_use]
    pub const fn without_depth(self) -> Value {
        match self {
            Value::Win(_) => Value::Win(Dtw::UNKNOWN),
            Value::Draw => Value::Draw,
            Value::Loss(_) => Value::Loss(Dtw::UNKNOWN),
        }
    }

    /// The value, for the side that makes a turn, of a turn that leads to a position of this value.
    ///
    /// ```
    /// use millbase::{Dtw, Value};
    /// assert_eq!(Value::Loss(Dtw(4)).backed_up(), Value::Win(Dtw(5)));
    /// assert_eq!(Value::Draw.backed_up(), Value::Draw);
    /// ```
    #[must_use]
    pub const fn backed_up(self) -> Value {
        match self {
            Value::Win(Dtw(depth)) => Value::Loss(Dtw(depth.saturating_add(1))),
            Value::Draw => Value::Draw,
            Value::Loss(Dtw(depth)) => Value::Win(Dtw(depth.saturating_add(1))),
        }
    }

    /// The value that a byte of a database stands for: 0 is a draw, `v > 0` a depth of `v - 1`
    /// turns.
    pub const fn from_byte(byte: u8) -> Value {
        match byte {
            0 => Value::Draw,
            _ if byte.is_multiple_of(2) => Value::Win(Dtw(byte as u16 - 1)),
            _ => Value::Loss(Dtw(byte as u16 - 1)),
        }
    }

    /// The byte that stands for the value; `None` for depths above 254 turns and for depths of the
    /// wrong parity.
    pub fn to_byte(self) -> Option<u8> {
        let byte = match self {
            Value::Draw => 0,
            Value::Win(Dtw(depth)) | Value::Loss(Dtw(depth)) => {
                u8::try_from(depth.checked_add(1)?).ok()?
            }
        };
        (Value::from_byte(byte) == self).then_some(byte)
    }

    /// A number that grows with the value.
    fn rank(self) -> i32 {
        match self {
            Value::Win(Dtw(depth)) => i32::from(u16::MAX) + 1 - i32::from(depth),
            Value::Draw => 0,
            Value::Loss(Dtw(depth)) => i32::from(depth) - i32::from(u16::MAX) - 1,
        }
    }
}

impl Ord for Value {
    fn cmp(&self, other: &Value) -> Ordering {
        self.rank().cmp(&other.rank())
    }
}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Value) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.wdl().name();
        match self.dtw() {
            None => f.pad(name),
            // Streams write many values; without a width nothing is allocated.
            Some(dtw) if f.width().is_none() && f.precision().is_none() => {
                write!(f, "{name} in {dtw}")
            }
            Some(dtw) => f.pad(&format!("{name} in {dtw}")),
        }
    }
}

/// The end to which the depth of a value counts turns, see
/// [`Rules::distance`](crate::Rules::distance).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Distance {
    /// Turns to the end of the game.
    ToEnd,
    /// Turns up to and including the next removal, or to the end of the game if that comes first.
    /// Removals of both sides count, so wins and losses may have any depth.
    ToRemoval,
}

impl Distance {
    /// The value that a byte of a table stands for: 0 is a draw. [`Distance::ToEnd`] has one depth
    /// for each byte, see [`Value::from_byte`]; otherwise `2d + 1` is a loss and `2d + 2` a win in
    /// `d` turns.
    pub(crate) const fn value(self, byte: u8) -> Value {
        let depth = Dtw((byte as u16).saturating_sub(1) / 2);
        match self {
            Distance::ToEnd => Value::from_byte(byte),
            Distance::ToRemoval if byte == 0 => Value::Draw,
            Distance::ToRemoval if byte.is_multiple_of(2) => Value::Win(depth),
            Distance::ToRemoval => Value::Loss(depth),
        }
    }

    /// The byte that stands for the value; `None` if there is none.
    pub(crate) fn byte(self, value: Value) -> Option<u8> {
        match (self, value) {
            (Distance::ToEnd, _) | (_, Value::Draw) => value.to_byte(),
            (_, Value::Win(Dtw(depth))) => u8::try_from(depth.checked_mul(2)?.checked_add(2)?).ok(),
            (_, Value::Loss(Dtw(depth))) => {
                u8::try_from(depth.checked_mul(2)?.checked_add(1)?).ok()
            }
        }
    }

    /// The depth below which all values are known once those up to this byte are.
    pub(crate) fn known_below(self, byte: u8) -> u16 {
        match self {
            Distance::ToEnd => byte.into(),
            Distance::ToRemoval => (byte / 2).into(),
        }
    }

    /// The value of a position for the turn that leads to it by removing a stone: depths that count
    /// turns to a removal end with that turn.
    pub(crate) fn after_removal(self, value: Value) -> Value {
        match (self, value) {
            (Distance::ToRemoval, Value::Win(_)) => Value::Win(Dtw(0)),
            (Distance::ToRemoval, Value::Loss(_)) => Value::LOST,
            _ => value,
        }
    }

    /// The value, without its depth unless that counts the turns to the end of the game.
    pub(crate) fn to_end(self, value: Value) -> Value {
        match self {
            Distance::ToEnd => value,
            Distance::ToRemoval => value.without_depth(),
        }
    }
}

/// The part of a value that a file holds or a query asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Metric {
    /// Win, draw or loss, and the depth.
    #[default]
    Depth,
    /// Win, draw or loss only.
    Wdl,
}

impl Metric {
    /// The metric of a value that is derived from values of both metrics.
    pub(crate) fn common(self, other: Metric) -> Metric {
        match (self, other) {
            (Metric::Depth, Metric::Depth) => Metric::Depth,
            _ => Metric::Wdl,
        }
    }

    /// Whether a file of this metric holds values of the needed metric.
    pub(crate) fn holds(self, needed: Metric) -> bool {
        self.common(needed) == needed
    }

    /// In the order of their numbers in files.
    pub(crate) const ALL: [Metric; 2] = [Metric::Depth, Metric::Wdl];

    /// A value as a file of this metric shows it: without depths, the depth is unknown.
    #[inline(always)]
    pub(crate) fn shown(self, value: Value) -> Value {
        match self {
            Metric::Depth => value,
            Metric::Wdl => value.without_depth(),
        }
    }

    /// The part of a value byte that the metric keeps: without depths, every win becomes a win in
    /// one turn and every loss a loss in none.
    #[inline(always)]
    pub(crate) const fn of_byte(self, byte: u8) -> u8 {
        match (self, byte) {
            (Metric::Depth, _) | (Metric::Wdl, 0) => byte,
            (Metric::Wdl, _) => 2 - byte % 2,
        }
    }

    /// The part of a value that the metric keeps.
    pub(crate) fn of_value(self, value: Value) -> Value {
        match (self, value) {
            (Metric::Wdl, Value::Win(_)) => Value::Win(Dtw(1)),
            (Metric::Wdl, Value::Loss(_)) => Value::LOST,
            _ => value,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_round_trip() {
        for byte in 0..=255 {
            assert_eq!(Value::from_byte(byte).to_byte(), Some(byte));
        }
        assert_eq!(Value::Win(Dtw(255)).to_byte(), None);
        assert_eq!(Value::Win(Dtw(4)).to_byte(), None);
    }

    #[test]
    fn unknown_depths_stay_unknown() {
        let win = Value::Win(Dtw(3)).without_depth();
        assert_eq!((win.wdl(), win.dtw()), (Wdl::Win, None));
        assert_eq!(win.backed_up(), Value::Loss(Dtw::UNKNOWN));
        assert_eq!(win.to_string(), "win");
        assert_eq!(win.to_byte(), None);
        assert!(win > Value::Draw && win.backed_up() < Value::Draw);
    }

    #[test]
    fn quick_wins_and_slow_losses_are_better() {
        let ascending = [
            Value::LOST,
            Value::Loss(Dtw(2)),
            Value::Loss(Dtw(204)),
            Value::Draw,
            Value::Win(Dtw(203)),
            Value::Win(Dtw(1)),
        ];
        assert!(ascending.is_sorted());
        assert!(
            ascending
                .iter()
                .rev()
                .map(|value| value.backed_up())
                .is_sorted()
        );
    }
}
