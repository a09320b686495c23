//! The rule by which a game in which nothing happens is drawn.

/// When a game in which nothing happens is drawn. A number that is 0 turns its half of the rule off.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DrawRule {
    /// How often the same position stands, the first time counted.
    pub repetitions: u32,
    /// How many turns in a row neither place nor remove a stone.
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
