//! The rule for draws by repetition and by turns without progress.

/// The rule for draws by repetition and by turns without progress. 0 turns a half of the rule off.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "service", derive(serde::Serialize))]
pub struct DrawRule {
    /// The number of occurrences of the same position, including the first, for a draw.
    pub repetitions: u32,
    /// The number of consecutive turns that neither place nor remove a stone, for a draw.
    pub quiet_turns: u32,
}

impl DrawRule {
    /// The third occurrence of a position, or 100 quiet turns.
    pub const USUAL: DrawRule = DrawRule {
        repetitions: 3,
        quiet_turns: 100,
    };
}

impl Default for DrawRule {
    fn default() -> DrawRule {
        DrawRule::USUAL
    }
}
