//! The sets of stones that each side can have during the placing phase.
//!
//! Each lost stone means that the other side closed a mill: a placement that closes mills
//! earns one removal. So the numbers of stones say how often each side has closed a mill. A
//! set of stones is possible only if some game can produce it with exactly this number of closed
//! mills and of losses, in an order in which the other side can have closed its mills. The
//! computation follows the sets of each side turn by turn from the empty board, as if the other
//! side's stones were never in the way:
//!
//! ```text
//! the mover's sets after a turn    S + x for each x outside S; x closes a mill or does not
//! the other side's sets            S if no mill was closed, else S - y for each removable y
//! ```
//!
//! Files omit a position if one of its two sets is not possible at its ply with its losses. No game
//! reaches such a position. The converse does not hold: files keep some positions that no game
//! reaches. Turns lead from kept positions to kept positions.
//!
//! Where stones move while others are in hand, or mills take stones from the hand, the numbers of stones do not
//! say how often each side has closed a mill. Then pairs have stones in hand instead, and omit nothing for this
//! reason.

use super::bit_set::BitSet;
use crate::board::PointSet;
use crate::index::{Material, Rows};
use crate::rules::position::{Position, Side};
use crate::rules::turns::removable;
use crate::rules::{FEWEST_STONES, Rules};

/// The progress of the placing phase: the number of turns made and of stones lost by each side.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Stage {
    /// Turns made since the empty board.
    pub ply: u8,
    /// Stones that White has lost.
    pub white_lost: u8,
    /// Stones that Black has lost.
    pub black_lost: u8,
}

impl Stage {
    /// The side that places the next stone.
    pub fn mover(self) -> Side {
        if self.ply.is_multiple_of(2) {
            Side::White
        } else {
            Side::Black
        }
    }

    /// The number of stones that a side has placed.
    pub fn placed(self, side: Side) -> u8 {
        match side {
            Side::White => self.ply.div_ceil(2),
            Side::Black => self.ply / 2,
        }
    }

    /// The number of stones that a side has on the board.
    pub fn stones(self, side: Side) -> u8 {
        let lost = match side {
            Side::White => self.white_lost,
            Side::Black => self.black_lost,
        };
        self.placed(side).saturating_sub(lost)
    }

    /// The material of the stage's table.
    pub fn material(self) -> Material {
        let mover = self.mover();
        Material::new(self.stones(mover), self.stones(mover.other()))
    }

    /// The same with the stones in hand, in a game with `stones` stones a side.
    pub(crate) fn table(self, stones: u8) -> Material {
        let sides = [self.mover(), self.mover().other()];
        let in_hand = sides.map(|side| stones.saturating_sub(self.placed(side)));
        self.material().with_hands(in_hand)
    }

    /// The stage of a position with stones in hand, before any pending removal. If Black placed the
    /// first stone, the colours count as exchanged.
    pub fn of(position: &Position, rules: &Rules) -> Stage {
        let table = Material::of_position(position);
        let placing_next = match position.removal_owed() {
            false => table,
            true => table.exchanged(),
        };
        Stage::of_table(placing_next, rules.stones)
    }

    /// The stage of a table in a game with `stones` stones a side; the side to move places the next
    /// one.
    pub(crate) fn of_table(table: Material, stones: u8) -> Stage {
        let placed = [table.mover_in_hand, table.waiting_in_hand]
            .map(|in_hand| stones.saturating_sub(in_hand));
        let lost = [
            placed[0].saturating_sub(table.mover),
            placed[1].saturating_sub(table.waiting),
        ];
        Stage::with_losses(placed[0] + placed[1], lost)
    }

    /// The stage of the last placement that leads without a mill to a table of the moving phase.
    pub(crate) fn last_before(table: Material, stones: u8) -> Stage {
        let before = Material::new(table.waiting - 1, table.mover);
        Stage::of_table(before.with_hands([1, 0]), stones)
    }

    /// The stage after this many turns, with the losses of the mover and of the other side.
    fn with_losses(ply: u8, [mover, waiting]: [u8; 2]) -> Stage {
        let [white_lost, black_lost] = match ply.is_multiple_of(2) {
            true => [mover, waiting],
            false => [waiting, mover],
        };
        Stage {
            ply,
            white_lost,
            black_lost,
        }
    }

    /// Whether the side to move has placed as many stones as the mover of this stage. This is false
    /// for numbers of stones in hand that no game reaches.
    pub(crate) fn is_of(self, position: &Position, rules: &Rules) -> bool {
        let in_hand = position.in_hand(position.side_to_move());
        rules.stones.checked_sub(in_hand) == Some(self.placed(self.mover()))
    }

    /// The position of these sets of stones, without a pending removal.
    pub fn position(self, mover: PointSet, waiting: PointSet, rules: &Rules) -> Position {
        Position {
            side_to_move: self.mover(),
            pass_to_come: rules.first_to_move == Side::Black,
            ..self.table(rules.stones).position(mover, waiting)
        }
    }

    /// The stage after a turn that closes no mill.
    pub fn after_quiet(self) -> Stage {
        Stage {
            ply: self.ply + 1,
            ..self
        }
    }

    /// The stage after a turn that closes a mill.
    pub fn after_capture(self) -> Stage {
        let mut after = self.after_quiet();
        match self.mover() {
            Side::White => after.black_lost += 1,
            Side::Black => after.white_lost += 1,
        }
        after
    }
}

/// A sentence that says why there are no databases under these rules; `None` if there are.
pub fn why_no_databases(rules: &Rules) -> Option<&'static str> {
    let counts = rules.removal_per_mill || rules.quiet_turns > 0;
    (rules.pairs_have_hands() && counts).then_some(
        "there are no databases for rules where sides move while placing or mills take stones from the hand, if \
         each mill earns a removal of its own or quiet turns have a limit",
    )
}

/// A sentence that says why the placing phase cannot be solved under these rules; `None` if it can.
pub fn why_unsolved(rules: &Rules) -> Option<&'static str> {
    if rules.pairs_have_hands() {
        return Some(
            "under these rules the databases of the pairs hold the positions with stones in hand, too",
        );
    }
    rules.removal_per_mill.then_some(
        "the placing phase cannot be solved under rules where each mill earns a removal of its \
        own, because its tables count one lost stone for each turn that closes mills; the \
        databases of the moving phase support such rules",
    )
}

/// The sets that are possible at each stage up to some ply.
#[derive(Debug)]
pub struct StageSets {
    /// The most stones that a side can lose without losing the game.
    most_lost: u8,
    /// By ply, then by White's and Black's losses.
    stages: Vec<Vec<[BitSet; 2]>>,
}

impl StageSets {
    /// Follows all games up to a ply.
    pub fn new(rules: &Rules, last_ply: u8) -> StageSets {
        let most_lost = rules.stones.saturating_sub(FEWEST_STONES);
        let width = usize::from(most_lost) + 1;
        let impossible = vec![[BitSet::EMPTY; 2]; width * width];
        let mut stage_sets = StageSets {
            most_lost,
            stages: vec![impossible; usize::from(last_ply) + 1],
        };
        let mut empty = BitSet::new(1);
        empty.insert(0);
        stage_sets.stages[0][0] = [empty.clone(), empty];
        for ply in 0..last_ply {
            for stage in stage_sets.stages_of(ply).collect::<Vec<_>>() {
                stage_sets.follow(rules, stage);
            }
        }
        stage_sets
    }

    /// The stages with this many turns that a game can reach, ordered by the mover's losses, then
    /// by those of the other side. In this order the captures of one stage lead to the same stage
    /// as the quiet turns of the next.
    pub fn stages_of(&self, ply: u8) -> impl Iterator<Item = Stage> + '_ {
        let losses = 0..=self.most_lost;
        let all = losses.clone().flat_map(move |mover_lost| {
            let losses = losses.clone();
            losses.map(move |waiting_lost| Stage::with_losses(ply, [mover_lost, waiting_lost]))
        });
        all.filter(|&stage| self.exists(stage))
    }

    /// Whether a game can reach a stage.
    pub fn exists(&self, stage: Stage) -> bool {
        !self.rows(stage, stage.mover()).is_empty()
    }

    /// The stages that the turns of a stage lead to, if games reach them: after a placement without a
    /// mill, and after a capture.
    pub fn after(&self, stage: Stage) -> [Option<Stage>; 2] {
        let after = [stage.after_quiet(), stage.after_capture()];
        after.map(|next| self.exists(next).then_some(next))
    }

    /// The rows of a side's possible sets; empty if the stage is impossible.
    pub fn rows(&self, stage: Stage, side: Side) -> &BitSet {
        static EMPTY: BitSet = BitSet::EMPTY;
        let slot = self.slot(stage);
        let sets = slot.and_then(|slot| self.stages.get(usize::from(stage.ply))?.get(slot));
        sets.map_or(&EMPTY, |sets| &sets[side as usize])
    }

    /// Whether a side can have these stones at this stage.
    pub fn contains(&self, stage: Stage, side: Side, set: PointSet) -> bool {
        let rows = self.rows(stage, side);
        let right_size = set.len() == u32::from(stage.stones(side));
        right_size && rows.contains(Rows::of(stage.stones(side)).find(set).0)
    }

    /// Whether both sides can have their stones at this stage.
    pub fn allows(&self, stage: Stage, mover: PointSet, waiting: PointSet) -> bool {
        let side = stage.mover();
        self.contains(stage, side, mover) && self.contains(stage, side.other(), waiting)
    }

    /// Whether the game is over at a stage because a side has fewer than three stones left.
    pub fn ends_game(&self, stage: Stage) -> bool {
        self.slot(stage).is_none()
    }

    fn slot(&self, stage: Stage) -> Option<usize> {
        let lost = [stage.white_lost, stage.black_lost];
        let [white, black] = lost.map(usize::from);
        let fits = lost.iter().all(|&lost| lost <= self.most_lost);
        fits.then_some(white * (usize::from(self.most_lost) + 1) + black)
    }

    /// Adds the sets that the turns of one stage lead to.
    fn follow(&mut self, rules: &Rules, stage: Stage) {
        let board = rules.board();
        let (mover, waiting) = (stage.mover(), stage.mover().other());
        let (stones, others) = (stage.stones(mover), stage.stones(waiting));
        let next = Rows::of(stones + 1);
        let [mut quiet, mut closing] = [(); 2].map(|()| BitSet::new(next.len()));
        for row in self.rows(stage, mover).iter() {
            let set = Rows::of(stones).set(row);
            for point in !set {
                let set = set.with(point);
                let closes = board.mills(set).contains(point);
                let found = if closes { &mut closing } else { &mut quiet };
                found.insert(next.find(set).0);
            }
        }
        let before = self.rows(stage, waiting).clone();
        if !closing.is_empty() && others > 0 {
            let next = Rows::of(others - 1);
            let mut left = BitSet::new(next.len());
            for row in before.iter() {
                let set = Rows::of(others).set(row);
                for point in removable(set, rules) {
                    left.insert(next.find(set.without(point)).0);
                }
            }
            self.add(stage.after_capture(), mover, closing, left);
        }
        if !quiet.is_empty() {
            self.add(stage.after_quiet(), mover, quiet, before);
        }
    }

    /// Adds sets to a stage, unless the game is over there.
    fn add(&mut self, stage: Stage, mover: Side, mine: BitSet, others: BitSet) {
        let Some(slot) = self.slot(stage) else { return };
        let sets = &mut self.stages[usize::from(stage.ply)][slot];
        for (side, found) in [(mover, mine), (mover.other(), others)] {
            sets[side as usize].union_with(&found);
        }
    }
}
