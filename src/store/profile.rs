//! Contents and compression level of files: with or without depths, for local use or for
//! publishing.

use crate::value::Metric;

/// The effort to make files small.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Level {
    /// Quick to write and probe: for files that stay where they were built.
    #[default]
    Quick,
    /// Smallest: for files that are published and copied often, less than half as large as at the quick
    /// level. Most values follow from many others, so a probe takes milliseconds.
    Max,
}

/// Contents and level of files. The same reader reads all of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Profile {
    /// Whether the files hold depths.
    pub metric: Metric,
    /// The compression level.
    pub level: Level,
}
