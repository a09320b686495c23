//! The end of a game: on the board, or by the rule for draws, which depends on the history of the
//! game. The values of positions ignore this rule.

use std::fmt;

use crate::engine::game::Game;
use crate::rules::position::Side;
use crate::rules::{FEWEST_STONES, counted};
use crate::value::Value;

/// The rule for draws by repetition and by turns without progress; 0 turns one half of it off.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "service", derive(serde::Serialize, schemars::JsonSchema))]
pub struct DrawRule {
    /// The number of occurrences of a position, including the first, that make a draw.
    pub repetitions: u32,
    /// The number of consecutive turns without a placement or a removal that make a draw, under rules whose
    /// own `quiet_turns` is 0.
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

/// The reason why a game ended; displays as one sentence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Ending {
    /// A side has too few stones to close a mill.
    Stones {
        /// The side that has lost.
        loser: Side,
    },
    /// A side has to move and cannot.
    Blocked {
        /// The side that has lost.
        loser: Side,
    },
    /// All points are taken after the last placement.
    FullBoard {
        /// The side that has lost; `None` if the rules call it a draw.
        loser: Option<Side>,
    },
    /// The position has occurred as often as the rule for draws says.
    Repetition {
        /// The number of occurrences.
        occurrences: u32,
    },
    /// The rule's number of consecutive turns neither placed nor removed a stone.
    Quiet {
        /// The number of these turns.
        turns: u32,
    },
}

impl Ending {
    /// The side that has won; `None` for a draw.
    pub fn winner(&self) -> Option<Side> {
        match self {
            Ending::Stones { loser } | Ending::Blocked { loser } => Some(loser.other()),
            Ending::FullBoard { loser } => loser.map(Side::other),
            Ending::Repetition { .. } | Ending::Quiet { .. } => None,
        }
    }

    /// `stones`, `blocked`, `full_board`, `repetition` or `quiet`.
    pub const fn name(&self) -> &'static str {
        match self {
            Ending::Stones { .. } => "stones",
            Ending::Blocked { .. } => "blocked",
            Ending::FullBoard { .. } => "full_board",
            Ending::Repetition { .. } => "repetition",
            Ending::Quiet { .. } => "quiet",
        }
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.winner() {
            Some(winner) => write!(f, "the game is over: {winner} has won, because ")?,
            None => f.write_str("the game is drawn: ")?,
        }
        match self {
            Ending::Stones { loser } => write!(f, "{loser} has fewer than three stones"),
            Ending::Blocked { loser } => write!(f, "{loser} cannot move"),
            Ending::FullBoard { .. } => f.write_str("the board is full"),
            Ending::Repetition { occurrences: 2 } => f.write_str("the position has occurred twice"),
            Ending::Repetition { occurrences } => {
                let times = counted(occurrences, "time");
                write!(f, "the position has occurred {times}")
            }
            Ending::Quiet { turns } => {
                let turns = counted(turns, "turn");
                write!(f, "for {turns} no stone was placed or removed")
            }
        }
    }
}

impl Game {
    /// The end of the game by its position or its [`DrawRule`]; `None` while it goes on.
    ///
    /// ```
    /// use millbase::engine::{Ending, Game};
    /// use millbase::{Position, Rules};
    /// let rules = Rules::STANDARD;
    /// let start = "O*O*****/O*O*****/@@**@@** w m s 4 0 4 0 0 0";
    /// let mut game = Game::new(rules, Position::parse(start, &rules)?);
    /// for turn in ["d6-b6", "d7-a7", "b6-d6", "a7-d7"].repeat(2) {
    ///     assert_eq!(game.ending(), None);
    ///     game.play(turn)?;
    /// }
    /// assert_eq!(game.ending(), Some(Ending::Repetition { occurrences: 3 }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn ending(&self) -> Option<Ending> {
        let (position, rules, draws) = (self.position(), self.rules(), self.draws());
        let side = position.side_to_move();
        if let Some(result) = position.result(rules) {
            let loser = (result == Value::LOST).then_some(side);
            let too_few = position.total(side) < u32::from(FEWEST_STONES);
            return Some(if position.empty().is_empty() {
                Ending::FullBoard { loser }
            } else if too_few {
                Ending::Stones { loser: side }
            } else {
                Ending::Blocked { loser: side }
            });
        }
        // A turn that closes a mill ends with its removal, which counts as progress.
        if position.removal_owed() {
            return None;
        }
        if self.is_repeated() {
            let occurrences = self.occurrences() as u32;
            return Some(Ending::Repetition { occurrences });
        }
        let turns = self.quiet_turns();
        let is_drawn = match rules.quiet_turns {
            0 => draws.quiet_turns > 0 && turns >= draws.quiet_turns,
            _ => rules.is_at_quiet_limit(position, turns),
        };
        is_drawn.then_some(Ending::Quiet { turns })
    }
}
