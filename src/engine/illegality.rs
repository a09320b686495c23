//! Why a turn is not legal, in words for the player who tried it.

use std::fmt;

use crate::board::{Point, PointSet};
use crate::rules::Rules;
use crate::rules::position::Position;
use crate::rules::turns::{Turn, removable};

/// The reason why a turn is not legal; displays as a clause that follows a colon.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Illegality {
    /// An identifier for programs, such as `too_far`.
    pub name: &'static str,
    /// The point that the reason is about, if it is about one.
    pub point: Option<Point>,
    clause: String,
}

impl Illegality {
    fn new(name: &'static str, clause: impl Into<String>) -> Illegality {
        Illegality {
            name,
            point: None,
            clause: clause.into(),
        }
    }

    fn about(self, point: Point) -> Illegality {
        let point = Some(point);
        Illegality { point, ..self }
    }
}

impl fmt::Display for Illegality {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.clause)
    }
}

impl std::error::Error for Illegality {}

impl Position {
    /// Checks a turn and returns the position after it. [`Position::after`] is quicker for turns
    /// that are known to be legal.
    ///
    /// ```
    /// use millbase::{Position, Rules};
    /// let rules = Rules::STANDARD;
    /// let position = Position::start(&rules).play("d6".parse()?, &rules)?;
    /// assert!(position.play("d6".parse()?, &rules).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The reason why the turn is not legal under these rules. A turn that closes a mill must have its
    /// removals.
    pub fn play(&self, turn: Turn, rules: &Rules) -> Result<Position, Illegality> {
        if self.is_over(rules) {
            return Err(Illegality::new("over", "the game is over"));
        }
        if let Some(turn) = self.find_turn(turn, rules) {
            return Ok(self.after(turn));
        }
        let unfinished = || {
            let clause = "the turn closes a mill, so it must remove a stone, written like d6-d5xb4";
            Illegality::new("removal_owed", clause)
        };
        Err(self.why_illegal(turn, rules).unwrap_or_else(unfinished))
    }

    /// The reason why a turn or the next action of one is not legal here; `None` if it is legal.
    /// The game must not be over.
    ///
    /// ```
    /// use millbase::{Position, Rules};
    /// let rules = Rules::STANDARD;
    /// let position = Position::parse("********/@*******/O*OO*@*@ w m s 3 0 3 0 0 0", &rules)?;
    /// let why = position.why_illegal("d7-d6".parse()?, &rules);
    /// assert_eq!(why.map(|why| why.name), Some("taken"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn why_illegal(&self, turn: Turn, rules: &Rules) -> Option<Illegality> {
        if self.actions(turn, rules).is_some() {
            return None;
        }
        Some(if self.removals_due(rules) > 0 {
            match turn.is_removal() {
                true => self.why_not_removed(turn.removed(), rules),
                false if !self.removal_owed() => Illegality::new(
                    "full_board",
                    "the board is full, so a stone must be removed, written like xb4",
                ),
                false => Illegality::new(
                    "removal_owed",
                    "a mill was closed, so a stone must be removed first, written like xb4",
                ),
            }
        } else if self.must_pass(rules) {
            let why = match self.pass_is_due() {
                true => "the other side makes the first move, so the turn is 'pass'",
                false => "no stone can move, so the turn is 'pass'",
            };
            Illegality::new("must_pass", why)
        } else if turn.is_pass() {
            let (name, clause) = match self.in_hand(self.side_to_move) {
                0 => ("may_not_pass", "a stone can move"),
                _ if rules.moves_while_placing => ("may_not_pass", "a stone can be placed"),
                _ => ("stones_in_hand", "a stone must be placed, like d6"),
            };
            Illegality::new(name, format!("{clause}, so passing is not allowed"))
        } else {
            match turn.to() {
                Some(to) => self.why_no_step(turn, to, rules),
                None => no_mill(),
            }
        })
    }

    /// The reason why a turn with a placement or a move to this point is not legal.
    fn why_no_step(&self, turn: Turn, to: Point, rules: &Rules) -> Illegality {
        let places = self.in_hand(self.side_to_move) > 0;
        let far = |from: Point| {
            let near = rules.board().neighbours(from);
            !self.flies(rules) && !near.contains(to)
        };
        match turn.from() {
            Some(_) if places && !rules.moves_while_placing => Illegality::new(
                "stones_in_hand",
                "no stone can move while any is in hand; place one like d6",
            ),
            None if !places => Illegality::new(
                "nothing_in_hand",
                "no stone is left in hand; move one like d6-d5",
            ),
            Some(from) if self.waiting().contains(from) => {
                let clause = format!("the stone on {from} belongs to the other side");
                Illegality::new("their_stone", clause).about(from)
            }
            Some(from) if !self.mover().contains(from) => {
                let clause = format!("there is no stone on {from} to move");
                Illegality::new("no_stone", clause).about(from)
            }
            _ if !self.empty().contains(to) => {
                let clause = format!("there is a stone on {to} already");
                Illegality::new("taken", clause).about(to)
            }
            Some(from) if far(from) => {
                let clause = format!("{to} is not next to {from} on a line");
                Illegality::new("too_far", clause).about(to)
            }
            // The step alone is legal, so the removal is not.
            _ => {
                let step = Turn::new(turn.from(), turn.to(), PointSet::EMPTY);
                let actions = self.actions(step, rules).unwrap_or_default();
                match actions.first() {
                    Some((_, after)) if after.removal_owed() => {
                        after.why_not_removed(turn.removed(), rules)
                    }
                    Some((step, _)) if step.takes_from_hand() => Illegality::new(
                        "from_hand",
                        "its mill takes a stone from the other side's hand, not from the board",
                    ),
                    _ => no_mill(),
                }
            }
        }
    }

    /// The reason why these stones may not be removed, with a removal pending.
    fn why_not_removed(&self, stones: PointSet, rules: &Rules) -> Illegality {
        let due = u32::from(self.removals_due(rules));
        let (mut waiting, mut rest) = (self.waiting(), stones);
        while stones.len() - rest.len() < due
            && let Some(point) = (rest & removable(waiting, rules)).into_iter().next()
        {
            (waiting, rest) = (waiting.without(point), rest.without(point));
        }
        // After as many removals as are due, the others are one too many.
        let stuck = match stones.len() - rest.len() < due {
            true => rest,
            false => stones - removable(self.waiting(), rules),
        };
        let Some(point) = stuck.into_iter().next() else {
            let clause = "it removes more stones than its mills earn";
            return Illegality::new("too_many", clause);
        };
        if self.mover().contains(point) {
            let clause = format!("the stone on {point} belongs to the same side");
            Illegality::new("own_stone", clause).about(point)
        } else if !self.waiting().contains(point) {
            let clause = format!("there is no stone on {point} to remove");
            Illegality::new("nothing_there", clause).about(point)
        } else {
            let clause = format!("the stone on {point} is in a mill, and other stones are not");
            Illegality::new("in_mill", clause).about(point)
        }
    }
}

fn no_mill() -> Illegality {
    let clause = "it does not close a mill, so it cannot remove a stone";
    Illegality::new("no_mill", clause)
}
