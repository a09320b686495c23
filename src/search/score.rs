//! The score of a position in a search: an evaluation, a known result, or a known end.

use std::fmt;
use std::ops::Neg;

use crate::value::{Dtw, Value, Wdl};

/// A number for the side to move; greater is better.
///
/// ```text
/// END - n       wins in n turns
/// KNOWN         wins in an unknown number of turns
/// -KNOWN < e < KNOWN   an estimate in its own unit; 0 is also the score of a draw
/// ```
///
/// and the same with the other sign for losses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Score(i16);

/// Larger than every score of an end.
const END: i16 = 32_000;
/// The most turns to an end.
const LONGEST: i16 = 2_000;
/// A win that is known, but not its length.
const KNOWN: i16 = 20_000;

/// The meaning of a score.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScoreMeaning {
    /// The side to move wins in this many turns.
    Win(u16),
    /// The side to move wins in an unknown number of turns.
    KnownWin,
    /// An estimate: hundredths of the logarithm of the odds by the network, of a stone by hand;
    /// a draw is 0.
    Evaluation(i16),
    /// The side to move loses in an unknown number of turns.
    KnownLoss,
    /// The side to move loses in this many turns.
    Loss(u16),
}

impl Score {
    /// Neither side is ahead, or the game is drawn.
    pub const DRAW: Score = Score(0);
    /// Won in an unknown number of turns.
    pub const WON: Score = Score(KNOWN);
    /// Lost in an unknown number of turns.
    pub const LOST: Score = Score(-KNOWN);
    /// Better than every other score.
    pub const MOST: Score = Score(END);
    /// Worse than every other score.
    pub const LEAST: Score = Score(-END);

    /// The score of an estimate, clamped to the range of estimates.
    pub fn evaluation(estimate: i32) -> Score {
        const LARGEST: i32 = KNOWN as i32 - 1;
        Score(estimate.clamp(-LARGEST, LARGEST) as i16)
    }

    /// A win in `turns` turns; more than 2000 count as 2000.
    pub fn win_in(turns: u16) -> Score {
        Score(END - turns.min(LONGEST as u16) as i16)
    }

    /// A loss in `turns` turns; more than 2000 count as 2000.
    pub fn loss_in(turns: u16) -> Score {
        -Score::win_in(turns)
    }

    /// The meaning of the number.
    pub fn meaning(self) -> ScoreMeaning {
        let turns = |score: i16| (END - score) as u16;
        match self.0 {
            KNOWN => ScoreMeaning::KnownWin,
            number if number == -KNOWN => ScoreMeaning::KnownLoss,
            number if number > KNOWN => ScoreMeaning::Win(turns(number)),
            number if number < -KNOWN => ScoreMeaning::Loss(turns(-number)),
            number => ScoreMeaning::Evaluation(number),
        }
    }

    /// Win or loss if the score is one, else `None`: an evaluation of 0 need not be a draw.
    pub fn result(self) -> Option<Wdl> {
        let result = self.value().wdl();
        (result != Wdl::Draw).then_some(result)
    }

    /// The value that the score of a known end stands for; every evaluation counts as a draw.
    pub(crate) fn value(self) -> Value {
        match self.meaning() {
            ScoreMeaning::Win(turns) => Value::Win(Dtw(turns)),
            ScoreMeaning::KnownWin => Value::Win(Dtw::UNKNOWN),
            ScoreMeaning::Evaluation(_) => Value::Draw,
            ScoreMeaning::KnownLoss => Value::Loss(Dtw::UNKNOWN),
            ScoreMeaning::Loss(turns) => Value::Loss(Dtw(turns)),
        }
    }

    /// The number itself: the estimate, if the score is one.
    pub fn number(self) -> i16 {
        self.0
    }

    /// The score with this number.
    pub(crate) fn from_number(number: i16) -> Score {
        Score(number.clamp(-END, END))
    }

    /// The next better score.
    pub(crate) fn next(self) -> Score {
        Score::from_number(self.0.saturating_add(1))
    }

    /// The score, for the side that makes a turn, of a turn that leads to a position of this score: ends
    /// are one turn farther away (mate-distance adjustment).
    pub(crate) fn before_turn(self) -> Score {
        (-self).shifted(-1)
    }

    /// The score for the same side one turn later, where ends are nearer.
    pub(crate) fn nearer(self) -> Score {
        self.shifted(1)
    }

    fn shifted(self, by: i16) -> Score {
        match self.0 {
            number if number > KNOWN => Score((number + by).clamp(KNOWN + 1, END)),
            number if number < -KNOWN => Score((number - by).clamp(-END, -KNOWN - 1)),
            _ => self,
        }
    }
}

impl From<Value> for Score {
    fn from(value: Value) -> Score {
        match value {
            _ if value.dtw().is_none() => value.wdl().into(),
            Value::Win(Dtw(turns)) => Score::win_in(turns),
            Value::Draw => Score::DRAW,
            Value::Loss(Dtw(turns)) => Score::loss_in(turns),
        }
    }
}

impl From<Wdl> for Score {
    fn from(wdl: Wdl) -> Score {
        match wdl {
            Wdl::Win => Score::WON,
            Wdl::Draw => Score::DRAW,
            Wdl::Loss => Score::LOST,
        }
    }
}

impl Neg for Score {
    type Output = Score;
    fn neg(self) -> Score {
        Score(-self.0)
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.meaning() {
            ScoreMeaning::Evaluation(number) => write!(f, "{:+.2}", f32::from(number) / 100.0),
            _ => write!(f, "{}", self.value()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_ordered_like_what_they_mean() {
        let ascending = [
            Score::LEAST,
            Score::loss_in(0),
            Score::loss_in(2),
            Score::loss_in(2000),
            Score::LOST,
            Score::evaluation(-99_999),
            Score::DRAW,
            Score::evaluation(30),
            Score::WON,
            Score::win_in(2000),
            Score::win_in(1),
        ];
        assert!(ascending.is_sorted());
        assert!(ascending.iter().rev().map(|&score| -score).is_sorted());
    }

    #[test]
    fn ends_move_away_with_the_turns_before_them() {
        assert_eq!(
            Score::loss_in(4).before_turn().meaning(),
            ScoreMeaning::Win(5)
        );
        assert_eq!(Score::loss_in(5).nearer().meaning(), ScoreMeaning::Loss(4));
        for score in [Score::WON, Score::LOST, Score::evaluation(7)] {
            assert_eq!([score.before_turn(), score.nearer()], [-score, score]);
        }
    }
}
