//! How files are written: with or without depths, for probing or for publishing.

use crate::value::Metric;

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
    /// Whether they hold depths.
    pub metric: Metric,
    /// How small they are.
    pub level: Level,
}
