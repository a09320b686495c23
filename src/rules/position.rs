//! A position: the stones on the board and in hand, the side to move, and the removals that it
//! owes.

pub(crate) mod text;

use crate::board::PointSet;
use crate::board::symmetry::Symmetry;
use crate::names::names;
use crate::rules::{FEWEST_STONES, Rules, WithoutTurn};
use crate::value::Value;

pub use text::{Letters, PositionError};

/// One of the two players.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Side {
    /// The side that places the first stone; `O` in position text.
    White,
    /// The other side; `@` in position text.
    Black,
}

impl Side {
    /// The opponent.
    #[must_use]
    pub const fn other(self) -> Side {
        match self {
            Side::White => Side::Black,
            Side::Black => Side::White,
        }
    }

    /// Reorders two items from White, Black to this side, its opponent, and back.
    #[inline(always)]
    pub(crate) fn own_first<T>(self, [white, black]: [T; 2]) -> [T; 2] {
        match self {
            Side::White => [white, black],
            Side::Black => [black, white],
        }
    }
}

names! { Side by name { White: "white", Black: "black" } }

/// The phase of the game, as the side to move sees it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Phase {
    /// The side to move has stones in hand, or owes a removal for a stone that it may have placed while the other
    /// side has some, or the pass before the first move is still to come, see [`Rules::first_to_move`].
    Placing,
    /// The side to move slides its stones. A removal that the last placement of the game earned
    /// belongs here or to [`Phase::Flying`], because no stones are in hand any more.
    Moving,
    /// The side to move may move a stone to any empty point.
    Flying,
    /// The game has ended: lost for the side to move, or drawn, see [`Position::result`].
    Over,
}

names! { Phase { Placing: "placing", Moving: "moving", Flying: "flying", Over: "over" } }

/// Both sides' stones, on the board and in hand, the side to move, and the number of its pending
/// removals.
///
/// Neither the value nor the turns depend on the colours. So the fields hold the stones of the side
/// to move and of the waiting side, and the colour of the side to move is a separate field.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Position {
    pub(crate) mover: PointSet,
    pub(crate) waiting: PointSet,
    pub(crate) mover_in_hand: u8,
    pub(crate) waiting_in_hand: u8,
    pub(crate) side_to_move: Side,
    /// 0 to 3.
    pub(crate) removals_owed: u8,
    /// Whether a pass follows the last placement and has not been made, see [`Rules::first_to_move`].
    pub(crate) pass_to_come: bool,
}

impl Position {
    /// The empty board, White to place.
    pub fn start(rules: &Rules) -> Position {
        Position {
            pass_to_come: rules.first_to_move == Side::Black,
            ..Position::of_colours([PointSet::EMPTY; 2], [rules.stones; 2], Side::White)
        }
    }

    /// A position without stones in hand, White to move.
    ///
    /// # Panics
    ///
    /// If the two sets overlap.
    pub fn moving(white: PointSet, black: PointSet) -> Position {
        assert!((white & black).is_empty(), "two stones on one point");
        Position::of_colours([white, black], [0, 0], Side::White)
    }

    /// A position with White's and Black's stones on the board and in hand, without pending removals.
    pub(crate) fn of_colours(
        stones: [PointSet; 2],
        in_hand: [u8; 2],
        side_to_move: Side,
    ) -> Position {
        let [mover, waiting] = side_to_move.own_first(stones);
        let [mover_in_hand, waiting_in_hand] = side_to_move.own_first(in_hand);
        Position {
            mover,
            waiting,
            mover_in_hand,
            waiting_in_hand,
            side_to_move,
            removals_owed: 0,
            pass_to_come: false,
        }
    }

    /// The stones of a side on the board.
    #[inline(always)]
    pub fn stones(&self, side: Side) -> PointSet {
        match side == self.side_to_move {
            true => self.mover,
            false => self.waiting,
        }
    }

    /// The number of stones that a side has in hand.
    pub fn in_hand(&self, side: Side) -> u8 {
        match side == self.side_to_move {
            true => self.mover_in_hand,
            false => self.waiting_in_hand,
        }
    }

    /// The stones that a side has on the board and in hand together.
    pub(crate) fn total(&self, side: Side) -> u32 {
        self.stones(side).len() + u32::from(self.in_hand(side))
    }

    /// The side whose turn it is.
    pub fn side_to_move(&self) -> Side {
        self.side_to_move
    }

    /// Whether the side to move has closed a mill, so that its only legal actions are removals.
    pub fn removal_owed(&self) -> bool {
        self.removals_owed > 0
    }

    /// The number of stones that the side to move still has to remove, 0 to 3.
    pub fn removals_owed(&self) -> u8 {
        self.removals_owed
    }

    /// The number of stones that the side to move removes next without placing or moving one: those owed, or
    /// the one that a [full board](crate::FullBoard::Removes) takes.
    #[inline(always)]
    pub fn removals_due(&self, rules: &Rules) -> u8 {
        let full = !self.removal_owed() && self.without_turn(rules) == WithoutTurn::Removes;
        self.removals_owed + u8::from(full)
    }

    /// The stones of the side to move.
    #[inline(always)]
    pub fn mover(&self) -> PointSet {
        self.mover
    }

    /// The stones of the waiting side.
    #[inline(always)]
    pub fn waiting(&self) -> PointSet {
        self.waiting
    }

    /// The numbers of stones that the side to move and the waiting side have on the board.
    pub(crate) fn on_board(&self) -> [u8; 2] {
        [self.mover, self.waiting].map(|set| set.len() as u8)
    }

    /// The points without a stone.
    #[inline(always)]
    pub fn empty(&self) -> PointSet {
        !(self.mover | self.waiting)
    }

    /// Whether a side still has stones to place.
    pub fn is_placing(&self) -> bool {
        self.all_in_hand() > 0
    }

    /// The number of stones in hand of both sides.
    #[inline(always)]
    pub(crate) fn all_in_hand(&self) -> u32 {
        u32::from(self.mover_in_hand) + u32::from(self.waiting_in_hand)
    }

    /// The position with the colours exchanged, which has the same value.
    #[must_use]
    pub fn with_colours_exchanged(&self) -> Position {
        Position {
            side_to_move: self.side_to_move.other(),
            ..*self
        }
    }

    /// The position under a symmetry of the board, which has the same value.
    #[must_use]
    pub fn with_board_turned(&self, symmetry: Symmetry) -> Position {
        Position {
            mover: symmetry.apply(self.mover),
            waiting: symmetry.apply(self.waiting),
            ..*self
        }
    }

    /// Whether the side to move has too few stones to go on.
    #[inline(always)]
    pub(crate) fn is_beaten(&self) -> bool {
        self.mover.len() + u32::from(self.mover_in_hand) < u32::from(FEWEST_STONES)
    }

    /// Whether the side to move may move a stone to any empty point, if it may move one at all.
    #[inline(always)]
    pub(crate) fn flies(&self, rules: &Rules) -> bool {
        rules.flies(self.mover.len() + u32::from(self.mover_in_hand))
    }

    /// Whether a side may move stones once it is its turn: stones in hand may forbid it.
    pub(crate) fn may_move(&self, side: Side, rules: &Rules) -> bool {
        rules.may_move(self.in_hand(side))
    }

    /// Whether stones in hand keep the side to move, or both sides, from moving stones, or the pass after the
    /// last placement is due, so that the position belongs to a placing phase of its own.
    #[inline(always)]
    pub(crate) fn is_in_placing_phase(&self, rules: &Rules) -> bool {
        self.is_placing() && !rules.pairs_have_hands() || self.pass_is_due()
    }

    /// Whether all stones are placed, and White's pass before Black's first move comes next.
    #[inline(always)]
    pub(crate) fn pass_is_due(&self) -> bool {
        self.pass_to_come && !self.is_placing() && !self.removal_owed()
    }

    /// Whether a pass can follow: not once a last placement has ended the game.
    #[inline(always)]
    pub(crate) fn pass_can_follow(&self) -> bool {
        self.removal_owed() || !self.is_beaten() && !self.empty().is_empty()
    }

    /// Whether the placing phase goes on, if only by its last removal or the pass after it.
    pub(crate) fn is_before_first_move(&self) -> bool {
        self.is_placing() || self.pass_to_come
    }

    /// Whether the side to move has something to place or to remove, can slide or fly, or passes before the other
    /// side's first move.
    #[inline(always)]
    fn has_turn(&self, rules: &Rules) -> bool {
        let empty = self.empty();
        self.mover_in_hand > 0
            || self.pass_is_due()
            || !(rules.board().around(self.mover) & empty).is_empty()
            || self.flies(rules) && !empty.is_empty()
            || self.removals_due(rules) > 0
    }

    /// The outcome for the side to move if it has no turn.
    #[inline(always)]
    fn without_turn(&self, rules: &Rules) -> WithoutTurn {
        rules.without_turn(self.empty().is_empty())
    }

    /// Whether the game is over: the side to move has fewer than three stones or no turn, not even
    /// to pass, or the board is full.
    pub fn is_over(&self, rules: &Rules) -> bool {
        self.result(rules).is_some()
    }

    /// The value if the game is over, `None` while it goes on: lost, or a draw if a full board is
    /// drawn under these rules.
    ///
    /// ```
    /// use millbase::{PointSet, Position, Rules, Value};
    /// let full = Position::moving(PointSet::from_bits(0xfff), PointSet::from_bits(0xfff000));
    /// assert_eq!(full.result(&Rules::TWELVE), Some(Value::LOST));
    /// assert_eq!(full.result(&Rules::MORABARABA), Some(Value::Draw));
    /// ```
    #[inline(always)]
    pub fn result(&self, rules: &Rules) -> Option<Value> {
        if self.is_beaten() {
            return Some(Value::LOST);
        }
        if self.has_turn(rules) {
            return None;
        }
        match self.without_turn(rules) {
            WithoutTurn::Loses => Some(Value::LOST),
            WithoutTurn::Draws => Some(Value::Draw),
            WithoutTurn::Passes | WithoutTurn::Removes => None,
        }
    }

    /// Whether the only turn of the side to move is to pass.
    #[inline(always)]
    pub fn must_pass(&self, rules: &Rules) -> bool {
        let is_blocked =
            || self.without_turn(rules) == WithoutTurn::Passes && !self.has_turn(rules);
        !self.is_beaten() && (self.pass_is_due() || is_blocked())
    }

    /// The phase of the game for the side to move.
    ///
    /// ```
    /// use millbase::{Phase, Position, Rules};
    /// let rules = Rules::STANDARD;
    /// // White's last stone closed a mill, and in the other position Black's, the last of the game.
    /// let white = Position::parse("O*O**@*@/*O*@****/***OOO*@ w p r 6 0 4 1 1 0", &rules)?;
    /// let black = Position::parse("O*O**@*@/*O*O****/***@@@*O b p r 5 0 5 0 0 1", &rules)?;
    /// assert_eq!((white.phase(&rules), black.phase(&rules)), (Phase::Placing, Phase::Moving));
    /// # Ok::<(), millbase::PositionError>(())
    /// ```
    pub fn phase(&self, rules: &Rules) -> Phase {
        // A stone that is placed takes from a hand that has stones: it owes no removal.
        let may_have_placed = self.is_placing() && !rules.takes_from_hand(self.waiting_in_hand);
        if self.is_over(rules) {
            Phase::Over
        } else if self.mover_in_hand > 0
            || self.removal_owed() && may_have_placed
            || self.pass_to_come
        {
            Phase::Placing
        } else if self.flies(rules) {
            Phase::Flying
        } else {
            Phase::Moving
        }
    }
}
