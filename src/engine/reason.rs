//! The reasons why a turn is not legal, in words for the player who tried it.

use std::fmt;

use crate::board::{Point, PointSet};
use crate::rules::Rules;
use crate::rules::position::Position;
use crate::rules::turns::{Turn, removable};

/// The reason why a turn is not legal; its text is a clause that follows a colon.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// A mill was closed, so a removal must come first.
    RemovalOwed,
    /// A stone is to be removed, but no mill was closed.
    NoMill,
    /// More stones are to be removed than the mills earn.
    TooMany,
    /// The stone to remove is the mover's own.
    OwnStone(Point),
    /// The point to remove from is empty.
    NothingThere(Point),
    /// The stone to remove is in a mill, and others are not.
    InMill(Point),
    /// The side still has stones in hand, which must be placed first.
    StonesInHand,
    /// A stone is to be placed, but none is left in hand.
    NothingInHand,
    /// The stone to move is the opponent's.
    TheirStone(Point),
    /// There is no stone to move.
    NoStone(Point),
    /// The target point is taken.
    Taken(Point),
    /// No line joins the two points directly, and the side may not fly.
    TooFar(Point, Point),
    /// No stone can move, so the side has to pass.
    MustPass,
    /// A stone can move, so the side may not pass.
    MayNotPass,
}

impl Reason {
    /// The reason as an identifier for programs, such as `too_far`.
    pub const fn name(&self) -> &'static str {
        match self {
            Reason::RemovalOwed => "removal_owed",
            Reason::NoMill => "no_mill",
            Reason::TooMany => "too_many",
            Reason::OwnStone(_) => "own_stone",
            Reason::NothingThere(_) => "nothing_there",
            Reason::InMill(_) => "in_mill",
            Reason::StonesInHand => "stones_in_hand",
            Reason::NothingInHand => "nothing_in_hand",
            Reason::TheirStone(_) => "their_stone",
            Reason::NoStone(_) => "no_stone",
            Reason::Taken(_) => "taken",
            Reason::TooFar(..) => "too_far",
            Reason::MustPass => "must_pass",
            Reason::MayNotPass => "may_not_pass",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::RemovalOwed => {
                f.write_str("a mill was closed, so a stone must be removed first, written like xb4")
            }
            Reason::NoMill => f.write_str("it does not close a mill, so it cannot remove a stone"),
            Reason::TooMany => f.write_str("it removes more stones than its mills earn"),
            Reason::OwnStone(point) => write!(f, "the stone on {point} belongs to the same side"),
            Reason::NothingThere(point) => write!(f, "there is no stone on {point} to remove"),
            Reason::InMill(point) => write!(
                f,
                "the stone on {point} is in a mill, and other stones are not"
            ),
            Reason::StonesInHand => {
                f.write_str("no stone can move while any is in hand; place one like d6")
            }
            Reason::NothingInHand => f.write_str("no stone is left in hand; move one like d6-d5"),
            Reason::TheirStone(point) => {
                write!(f, "the stone on {point} belongs to the other side")
            }
            Reason::NoStone(point) => write!(f, "there is no stone on {point} to move"),
            Reason::Taken(point) => write!(f, "there is a stone on {point} already"),
            Reason::TooFar(from, to) => write!(f, "{to} is not next to {from} on a line"),
            Reason::MustPass => f.write_str("no stone can move, so the turn is 'pass'"),
            Reason::MayNotPass => f.write_str("a stone can move, so passing is not allowed"),
        }
    }
}

impl Position {
    /// The reason why a turn or the next action of one is not legal here; `None` if it is legal.
    /// The game must not be over.
    ///
    /// ```
    /// use millbase::engine::reason::Reason;
    /// use millbase::{Position, Rules};
    /// let rules = Rules::STANDARD;
    /// let position = Position::parse("********/@*******/O*OO*@*@ w m s 3 0 3 0 0 0", &rules)?;
    /// let why = position.why_illegal("d7-d6".parse()?, &rules);
    /// assert_eq!(why.map(|why| why.name()), Some("taken"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn why_illegal(&self, turn: Turn, rules: &Rules) -> Option<Reason> {
        if self.actions(turn, rules).is_some() {
            return None;
        }
        let is_removal = turn.from().is_none() && turn.to().is_none() && !turn.is_pass();
        Some(if self.removal_owed() {
            match is_removal {
                true => self.why_not_removed(turn.removed(), rules),
                false => Reason::RemovalOwed,
            }
        } else if self.must_pass(rules) {
            Reason::MustPass
        } else if turn.is_pass() {
            Reason::MayNotPass
        } else {
            match turn.to() {
                Some(to) => self.why_no_step(turn, to, rules),
                None => Reason::NoMill,
            }
        })
    }

    fn why_no_step(&self, turn: Turn, to: Point, rules: &Rules) -> Reason {
        let places = self.in_hand(self.side_to_move) > 0;
        let far = |from: Point| {
            let near = rules.board().neighbours(from);
            !rules.flies(self.mover().len()) && !near.contains(to)
        };
        match turn.from() {
            Some(_) if places => Reason::StonesInHand,
            None if !places => Reason::NothingInHand,
            Some(from) if self.waiting().contains(from) => Reason::TheirStone(from),
            Some(from) if !self.mover().contains(from) => Reason::NoStone(from),
            _ if !self.empty().contains(to) => Reason::Taken(to),
            Some(from) if far(from) => Reason::TooFar(from, to),
            // The step alone is legal, so the removal is not.
            _ => {
                let step = Turn::new(turn.from(), turn.to(), PointSet::EMPTY);
                let after = self.actions(step, rules).and_then(|actions| {
                    let (_, after) = actions.into_iter().next()?;
                    after.removal_owed().then_some(after)
                });
                after.map_or(Reason::NoMill, |after| {
                    after.why_not_removed(turn.removed(), rules)
                })
            }
        }
    }

    /// The reason why these stones may not be removed, with a removal pending.
    fn why_not_removed(&self, stones: PointSet, rules: &Rules) -> Reason {
        let allowed = removable(self.waiting(), rules.board(), rules);
        let wrong = stones.into_iter().find_map(|point| {
            if self.mover().contains(point) {
                Some(Reason::OwnStone(point))
            } else if !self.waiting().contains(point) {
                Some(Reason::NothingThere(point))
            } else if !allowed.contains(point) {
                Some(Reason::InMill(point))
            } else {
                None
            }
        });
        wrong.unwrap_or(Reason::TooMany)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Blocked;

    #[test]
    fn every_reason_is_given_where_it_holds() {
        let placing = "O*******/********/@******* w p p 1 8 1 8 0 0";
        let walking = "O*O*****/O*O*****/@@**@@** w m s 4 0 4 0 0 0";
        let flying = "********/@*****@*/OO*O@*** w m s 3 0 3 0 0 0";
        // Black has a mill on the inner ring and a stone outside it.
        let closing = "@@*****@/@*****@*/OO**O*** w m s 3 0 5 0 0 0";
        let owed = "@@*****@/@*****@*/OO*****O w m r 3 0 5 0 1 0";
        let blocked = "********/@*****@*/OO@**@OO w m s 4 0 4 0 0 0";
        let passing = Rules {
            blocked: Blocked::Passes,
            ..Rules::STANDARD
        };
        for (rules, position, turn, name) in [
            (Rules::STANDARD, placing, "d5-d6", "stones_in_hand"),
            (Rules::STANDARD, placing, "d5", "taken"),
            (Rules::STANDARD, placing, "a1xd7", "no_mill"),
            (Rules::STANDARD, placing, "xd7", "no_mill"),
            (Rules::STANDARD, flying, "a1", "nothing_in_hand"),
            (Rules::STANDARD, walking, "d7-a7", "their_stone"),
            (Rules::STANDARD, walking, "g1-g4", "no_stone"),
            (Rules::STANDARD, walking, "d5-d6", "taken"),
            (Rules::STANDARD, walking, "d5-a7", "too_far"),
            (Rules::STANDARD, walking, "pass", "may_not_pass"),
            (Rules::STANDARD, closing, "d1-a7xd5", "in_mill"),
            (Rules::STANDARD, closing, "d1-a7xd7", "own_stone"),
            (Rules::STANDARD, closing, "d1-a7xa1", "nothing_there"),
            (Rules::STANDARD, closing, "d1-a7xd6xb4", "too_many"),
            (Rules::STANDARD, owed, "d7-a7", "removal_owed"),
            (Rules::STANDARD, owed, "xd5", "in_mill"),
            (passing, blocked, "d7-a7", "must_pass"),
        ] {
            let position = Position::parse(position, &rules).unwrap();
            let why = position.why_illegal(turn.parse().unwrap(), &rules);
            assert_eq!(why.map(|why| why.name()), Some(name), "{turn}");
        }
        let flying = Position::parse(flying, &Rules::STANDARD).unwrap();
        for legal in flying.turns(&Rules::STANDARD) {
            assert_eq!(flying.why_illegal(legal, &Rules::STANDARD), None);
        }
    }
}
