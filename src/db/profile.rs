//! What is to be written: with or without depths, soon or small.

use crate::value::Value;

/// What a file tells of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Contents {
    /// Win, draw or loss, and the depth.
    #[default]
    Depths,
    /// Win, draw or loss only.
    Wdl,
}

impl Contents {
    /// By their numbers in a file.
    pub(super) const ALL: [Contents; 2] = [Contents::Depths, Contents::Wdl];

    #[cfg(feature = "build")]
    pub(super) fn number(self) -> u8 {
        self as u8
    }

    /// What is left of a value byte: without depths, wins are as if in one turn, and losses as if in
    /// none.
    #[inline(always)]
    pub(crate) fn of_byte(self, byte: u8) -> u8 {
        match (self, byte) {
            (Contents::Depths, _) | (Contents::Wdl, 0) => byte,
            (Contents::Wdl, _) => 2 - byte % 2,
        }
    }

    /// The same for a value.
    pub(crate) fn of_value(self, value: Value) -> Value {
        let byte = value.to_byte().map(|byte| self.of_byte(byte));
        byte.map_or(value, Value::from_byte)
    }
}

/// How much is done to make files small.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Level {
    /// Little: for files that are probed where they were built.
    #[default]
    Quick,
    /// Much: for files that are made once and copied often. Writing takes about three times as long
    /// as at the quick level, and so does probing.
    Max,
}

/// How files are written. All kinds are read in the same way.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Profile {
    /// What they tell.
    pub contents: Contents,
    /// How small they are.
    pub level: Level,
}
