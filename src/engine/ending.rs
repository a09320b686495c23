//! The end of a game: on the board, or by the rule for draws, which depends on the history of the
//! game.
//!
//! The values of positions ignore this rule: a position that is neither won nor lost is a draw.

use std::fmt;

use crate::engine::game::Game;
use crate::rules::FEWEST_STONES;
use crate::rules::position::Side;
use crate::value::Value;

/// The reason why a game ended; its text is one sentence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
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
                write!(f, "the position has occurred {occurrences} times")
            }
            Ending::Quiet { turns } => {
                write!(f, "for {turns} turns no stone was placed or removed")
            }
        }
    }
}

impl Game {
    /// The end of the game, `None` while it goes on: by the position, or by the game's
    /// [`DrawRule`](crate::engine::draws::DrawRule).
    ///
    /// ```
    /// use millbase::engine::ending::Ending;
    /// use millbase::engine::game::Game;
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
        let occurrences = self.occurrences() as u32;
        if draws.repetitions > 0 && occurrences >= draws.repetitions {
            return Some(Ending::Repetition { occurrences });
        }
        let turns = self.earlier().len() as u32;
        (draws.quiet_turns > 0 && turns >= draws.quiet_turns).then_some(Ending::Quiet { turns })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::draws::DrawRule;
    use crate::rules::Rules;
    use crate::rules::position::Position;

    fn game(rules: Rules, start: &str, draws: DrawRule) -> Game {
        Game::new(rules, Position::parse(start, &rules).unwrap()).with_draws(draws)
    }

    /// Moves stones back and forth; returns the number of turns after which the game ends, and how.
    fn to_and_fro(draws: DrawRule) -> (usize, Option<Ending>) {
        let start = "O*O*****/O*O*****/@@**@@** w m s 4 0 4 0 0 0";
        let mut game = game(Rules::STANDARD, start, draws);
        for (number, turn) in ["d6-b6", "d7-a7", "b6-d6", "a7-d7"]
            .into_iter()
            .cycle()
            .take(30)
            .enumerate()
        {
            if let Some(ending) = game.ending() {
                return (number, Some(ending));
            }
            game.play(turn).unwrap();
        }
        (30, None)
    }

    #[test]
    fn the_rule_for_draws_can_be_set() {
        let rule = |repetitions, quiet_turns| DrawRule {
            repetitions,
            quiet_turns,
        };
        let repetition = |occurrences| Some(Ending::Repetition { occurrences });
        assert_eq!(to_and_fro(DrawRule::USUAL), (8, repetition(3)));
        assert_eq!(to_and_fro(rule(2, 100)), (4, repetition(2)));
        assert_eq!(to_and_fro(rule(5, 0)), (16, repetition(5)));
        assert_eq!(
            to_and_fro(rule(0, 20)),
            (20, Some(Ending::Quiet { turns: 20 }))
        );
        assert_eq!(to_and_fro(rule(0, 0)), (30, None));
    }

    #[test]
    fn the_board_ends_games_with_a_reason() {
        let few = "O@*****O/@@*****@/******** w o ? 2 0 4 0 0 0";
        let blocked = "********/@*****@*/OO@**@OO w o ? 4 0 4 0 0 0";
        let full = "O@O@O@O@/@O@O@O@O/O@O@O@O@ w o ? 12 0 12 0 0 0";
        for (rules, start, name, winner) in [
            (Rules::STANDARD, few, "stones", Some(Side::Black)),
            (Rules::STANDARD, blocked, "blocked", Some(Side::Black)),
            (Rules::TWELVE, full, "full_board", Some(Side::Black)),
            (Rules::MORABARABA, full, "full_board", None),
        ] {
            let ending = game(rules, start, DrawRule::USUAL).ending().unwrap();
            assert_eq!((ending.name(), ending.winner()), (name, winner));
            let sentence = ending.to_string();
            assert_eq!(sentence.contains("has won"), winner.is_some(), "{sentence}");
        }
    }

    #[test]
    fn a_closed_mill_is_not_quiet_before_its_removal() {
        // White closes the outer ring's top with d1-a7.
        let start = "@@*****@/@*****@*/OO**O*** w m s 3 0 5 0 0 0";
        let rule = DrawRule {
            repetitions: 3,
            quiet_turns: 1,
        };
        let mut quiet = game(Rules::STANDARD, start, rule);
        let mut noisy = quiet.clone();
        noisy.play("d1-a7").unwrap();
        assert!(noisy.position().removal_owed());
        assert_eq!(noisy.ending(), None);
        noisy.play("xd6").unwrap();
        assert_eq!(noisy.ending(), None);
        quiet.play("d1-a1").unwrap();
        assert_eq!(quiet.ending(), Some(Ending::Quiet { turns: 1 }));
    }
}
