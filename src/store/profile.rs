//! Contents and compression of files: with or without depths, for local use or for publishing.

use crate::rules::Rules;
use crate::value::Metric;

/// The effort to make files small.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Compression {
    /// Quick to write and probe: for files that stay where they were built.
    #[default]
    Quick,
    /// Smallest: for files that are published and copied often, less than half as large as quick
    /// ones. Most values follow from many others, so a probe takes milliseconds; where sides move with
    /// stones in hand, some take too long and have no answer.
    Max,
}

/// Contents and compression of files. The same reader reads all of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Profile {
    /// Whether the files hold depths.
    pub metric: Metric,
    /// The effort to make the files small.
    pub compression: Compression,
}

impl Profile {
    /// The profile of the files of plies where this one is requested: under a limit of quiet turns
    /// they hold no depths.
    #[must_use]
    pub fn of_plies(self, rules: &Rules) -> Profile {
        Profile {
            metric: self.metric.common(rules.placing_metric()),
            ..self
        }
    }
}
