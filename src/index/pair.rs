//! Pairs and sectors: the numbers of stones that identify tables, and the tables that turns lead
//! to.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;

use super::binomial;
use crate::board::{POINTS, PointSet};
use crate::rules::position::Position;
use crate::rules::{FEWEST_STONES, MOST_STONES, Rules};

/// All positions with these numbers of stones on the board and in hand, with either side to move:
/// two sectors, or one if both sides have the same, or if games reach only one. Only under some rules
/// do [pairs have stones in hand](Rules::pairs_have_hands).
///
/// The side with more stones on the board and in hand together is the larger; if both have equally
/// many, the one with more on the board.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Pair(
    /// With the larger side to move.
    Material,
);

impl Pair {
    /// The pair of two numbers of stones in either order, with none in hand; `None` unless both are
    /// from 3 to 12.
    pub fn new(a: u8, b: u8) -> Option<Pair> {
        Material::new(a, b).pair()
    }

    /// Checks that a game under the rules can reach the pair.
    ///
    /// # Errors
    ///
    /// A sentence, if it cannot.
    pub fn check(self, rules: &Rules) -> Result<(), String> {
        if self.0.totals()[0] > rules.stones {
            return Err(format!(
                "there is no pair {self} under these rules: a side has at most {} stones",
                rules.stones
            ));
        }
        match self.has_hands() && !Pair::all(rules).contains(&self) {
            true => Err(format!("no game under these rules reaches {self}")),
            false => Ok(()),
        }
    }

    /// The stones of the larger side on the board.
    pub fn larger(self) -> u8 {
        self.0.mover
    }

    /// The stones of the smaller side on the board.
    pub fn smaller(self) -> u8 {
        self.0.waiting
    }

    /// The stones in hand of the larger and of the smaller side.
    pub fn in_hand(self) -> [u8; 2] {
        [self.0.mover_in_hand, self.0.waiting_in_hand]
    }

    /// The number of stones in hand of both sides.
    pub fn all_in_hand(self) -> u8 {
        self.in_hand().iter().sum()
    }

    /// Whether a side has stones in hand.
    pub fn has_hands(self) -> bool {
        self.0.has_hands()
    }

    /// The number of stones on the board.
    pub fn stones(self) -> u8 {
        self.larger() + self.smaller()
    }

    /// The number of stones on the board and in hand.
    pub fn total(self) -> u8 {
        self.stones() + self.all_in_hand()
    }

    /// The pair's tables: the larger side to move, then the smaller; only one if both are equal, or
    /// if games reach only one of them.
    pub fn tables(self, rules: &Rules) -> Vec<Material> {
        let mut tables = vec![self.0, self.0.exchanged()];
        tables.retain(|table| table.occurs(rules));
        tables.dedup();
        tables
    }

    /// The number of entries of the pair's tables together.
    pub fn entries(self, rules: &Rules) -> u64 {
        let tables = self.tables(rules).into_iter();
        tables.map(Material::entries).sum()
    }

    /// The pairs that captures of one stone and placements lead to. Captures of several stones lead
    /// to pairs that these need.
    ///
    /// ```
    /// use millbase::{Pair, Rules};
    /// let names = |pair: &str, rules| {
    ///     let pair: Pair = pair.parse().unwrap();
    ///     pair.needs(&rules).iter().map(Pair::to_string).collect::<Vec<_>>()
    /// };
    /// assert_eq!(names("6-4", Rules::STANDARD), ["6-3", "5-4"]);
    /// assert_eq!(names("3-3", Rules::STANDARD), [""; 0]);
    /// assert_eq!(names("4-3+0-1", Rules::LASKER), ["4-2+0-1", "3-3+1-0", "4-4", "4-3"]);
    /// ```
    pub fn needs(self, rules: &Rules) -> Vec<Pair> {
        let one_each = Rules {
            removal_per_mill: false,
            ..*rules
        };
        let tables = self.tables(rules).into_iter();
        let exits = tables.flat_map(|table| table.exits(&one_each));
        let mut found = HashSet::new();
        let pairs = exits.filter_map(Material::pair);
        pairs.filter(|&pair| found.insert(pair)).collect()
    }

    /// The pairs of a game under the rules, each after those that it needs: by the number of stones
    /// in hand, then of those on the board, the more unequal pairs first.
    pub fn all(rules: &Rules) -> Vec<Pair> {
        let most = rules.stones.min(MOST_STONES);
        let start = match rules.pairs_have_hands() {
            true => Material::new(0, 0).with_hands([most; 2]),
            false => Material::new(most, most),
        };
        Pair::with_needed(start.pair().into_iter().collect(), rules)
    }

    /// These pairs and those that they need, each after those that it needs.
    pub(crate) fn with_needed(pairs: Vec<Pair>, rules: &Rules) -> Vec<Pair> {
        Pair::with_lacking(pairs, rules, |_| true)
    }

    /// These pairs and the lacking ones that they need, directly or through lacking ones, each after
    /// those that it needs.
    pub(crate) fn with_lacking(
        mut pairs: Vec<Pair>,
        rules: &Rules,
        is_lacking: impl Fn(Pair) -> bool,
    ) -> Vec<Pair> {
        let mut found: HashSet<Pair> = pairs.iter().copied().collect();
        let mut next = 0;
        while let Some(pair) = pairs.get(next) {
            let needs = pair.needs(rules).into_iter();
            pairs.extend(needs.filter(|&pair| is_lacking(pair) && found.insert(pair)));
            next += 1;
        }
        pairs.sort_by_key(|&pair| (pair.all_in_hand(), pair.stones(), Reverse(pair.0.sides())));
        pairs.dedup();
        pairs
    }
}

/// `6-4`, the larger side first, or with the stones in hand `6-4+0-1`.
impl fmt::Display for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = format!("{}-{}", self.larger(), self.smaller());
        if self.has_hands() {
            let [larger, smaller] = self.in_hand();
            text += &format!("+{larger}-{smaller}");
        }
        f.pad(&text)
    }
}

impl FromStr for Pair {
    type Err = PairError;

    fn from_str(text: &str) -> Result<Pair, PairError> {
        let two = |text: &str| -> Option<[u8; 2]> {
            let (a, b) = text.split_once('-')?;
            Some([a.parse().ok()?, b.parse().ok()?])
        };
        let (on_board, in_hand) = text.split_once('+').unwrap_or((text, "0-0"));
        let material = || {
            let [a, b] = two(on_board)?;
            Material::new(a, b).with_hands(two(in_hand)?).pair()
        };
        material().ok_or(PairError)
    }
}

/// The text is not a pair.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PairError;

impl fmt::Display for PairError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "a pair is the numbers of stones of both sides, like 6-4; those in hand follow a plus, like 6-4+0-1; each \
             side has {FEWEST_STONES} to {MOST_STONES} stones, those in hand included"
        )
    }
}

impl std::error::Error for PairError {}

/// Identifies a table, also called a sector: the numbers of stones of the side to move and of the
/// other side, on the board and in hand.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Material {
    /// Stones of the side to move on the board.
    pub mover: u8,
    /// Stones of the waiting side on the board.
    pub waiting: u8,
    /// Stones in hand of the side to move.
    pub mover_in_hand: u8,
    /// Stones in hand of the waiting side.
    pub waiting_in_hand: u8,
}

impl Material {
    /// The material with these numbers of stones on the board, and none in hand.
    pub const fn new(mover: u8, waiting: u8) -> Material {
        Material {
            mover,
            waiting,
            mover_in_hand: 0,
            waiting_in_hand: 0,
        }
    }

    /// The same stones on the board with these in hand, the mover's first.
    #[must_use]
    pub const fn with_hands(self, [mover_in_hand, waiting_in_hand]: [u8; 2]) -> Material {
        Material {
            mover_in_hand,
            waiting_in_hand,
            ..self
        }
    }

    /// The stones of the mover and of the waiting side on the board, then those in hand.
    pub(crate) fn numbers(self) -> [u8; 4] {
        let hands = [self.mover_in_hand, self.waiting_in_hand];
        [self.mover, self.waiting, hands[0], hands[1]]
    }

    /// The material of two sets, with no stones in hand.
    pub fn of(mover: PointSet, waiting: PointSet) -> Material {
        Material::new(mover.len() as u8, waiting.len() as u8)
    }

    /// The material of a position.
    pub(crate) fn of_position(position: &Position) -> Material {
        let hands = [position.mover_in_hand, position.waiting_in_hand];
        Material::of(position.mover, position.waiting).with_hands(hands)
    }

    /// The position of these sets, White to move. They must have the material's numbers of stones.
    pub fn position(self, mover: PointSet, waiting: PointSet) -> Position {
        Position {
            mover_in_hand: self.mover_in_hand,
            waiting_in_hand: self.waiting_in_hand,
            ..Position::moving(mover, waiting)
        }
    }

    /// The same stones with the other side to move.
    #[must_use]
    pub fn exchanged(self) -> Material {
        Material::new(self.waiting, self.mover)
            .with_hands([self.waiting_in_hand, self.mover_in_hand])
    }

    /// The stones of the mover and of the waiting side: all, and those on the board.
    fn sides(self) -> [(u8, u8); 2] {
        [
            (self.mover, self.mover_in_hand),
            (self.waiting, self.waiting_in_hand),
        ]
        .map(|(on_board, in_hand)| (on_board.saturating_add(in_hand), on_board))
    }

    /// The stones that the mover and the waiting side have on the board and in hand together.
    pub(crate) fn totals(self) -> [u8; 2] {
        self.sides().map(|(total, _)| total)
    }

    /// Whether a side has stones in hand.
    pub(crate) fn has_hands(self) -> bool {
        self.mover_in_hand + self.waiting_in_hand > 0
    }

    /// Whether games may reach the table: while a side has no stone on the board, it is that side's
    /// turn.
    #[inline(always)]
    pub(crate) fn occurs(self, rules: &Rules) -> bool {
        let is_turn = self.waiting > 0 || self.mover == 0;
        is_turn && (!self.has_hands() || self.has_placed_in_turn(rules))
    }

    /// Whether the stones on the board may be those of sides that place in turns. If no side moves
    /// with stones in hand, both do so as long as they have some; then only one of them loses stones
    /// from the board, and with its own turn to come it has no more of them than the other.
    fn has_placed_in_turn(self, rules: &Rules) -> bool {
        let Material { mover, waiting, .. } = self;
        rules.moves_while_placing
            || match [self.mover_in_hand, self.waiting_in_hand] {
                [0, _] => mover <= waiting,
                [_, 0] => waiting <= mover + 1,
                _ => waiting == mover || waiting == mover + 1,
            }
    }

    /// Whether the table is the second of its pair's [tables](Pair::tables): no file holds it, and
    /// its values follow from those of the first.
    pub(crate) fn is_derived(self, rules: &Rules) -> bool {
        let [mover, waiting] = self.sides();
        mover < waiting && self.exchanged().occurs(rules)
    }

    /// The pair that the table belongs to, `None` if a side has fewer than three stones in all or
    /// more than twelve.
    pub fn pair(self) -> Option<Pair> {
        let [a, b] = self.sides();
        let is_valid = |total| (FEWEST_STONES..=MOST_STONES).contains(&total);
        (is_valid(a.0) && is_valid(b.0)).then(|| Pair(if a < b { self.exchanged() } else { self }))
    }

    /// The number of entries of the table, as [`Index::len`](super::Index::len) but without
    /// creating the index; 0 if the mover has more than 12 stones.
    pub fn entries(self) -> u64 {
        /// The number of orbits that the sets of 0 to 12 stones form.
        const ROWS: [u64; 13] = [
            1, 4, 30, 158, 757, 2830, 8774, 22188, 46879, 82880, 124_124, 157_668, 170_854,
        ];
        let rows = ROWS.get(usize::from(self.mover));
        let columns = || binomial(POINTS - u32::from(self.mover), self.waiting.into());
        rows.map_or(0, |rows| rows * u64::from(columns()))
    }

    /// Whether the mover can move a stone on the board.
    pub(crate) fn moves(self, rules: &Rules) -> bool {
        self.mover > 0 && rules.may_move(self.mover_in_hand)
    }

    /// The tables that the mover's captures lead to: after one removal from the board, after two, and
    /// so on, up to the most that a turn earns, as long as three stones are left, so that the game goes
    /// on.
    ///
    /// ```
    /// use millbase::{Material, Rules};
    /// let material = Material::new;
    /// let each = Rules { removal_per_mill: true, ..Rules::STANDARD };
    /// assert_eq!(material(4, 5).after_captures(&Rules::STANDARD), [material(4, 4)]);
    /// assert_eq!(material(4, 5).after_captures(&each), [material(4, 4), material(3, 4)]);
    /// assert_eq!(material(4, 3).after_captures(&each), []);
    /// ```
    pub fn after_captures(self, rules: &Rules) -> Vec<Material> {
        let [_, waiting] = self.totals();
        let spare = match self.mover < FEWEST_STONES {
            // Two stones make no mill.
            true => 0,
            false => waiting.saturating_sub(FEWEST_STONES).min(self.waiting),
        };
        let left = |removed| Material {
            waiting: self.waiting - removed,
            ..self
        };
        (1..=rules.most_removals().min(spare))
            .map(|removed| left(removed).exchanged())
            .collect()
    }

    /// The material after a placement, before its removals and with the same side to move; `None`
    /// if the mover has nothing to place.
    pub(crate) fn placed(self) -> Option<Material> {
        Some(Material {
            mover: self.mover + 1,
            mover_in_hand: self.mover_in_hand.checked_sub(1)?,
            ..self
        })
    }

    /// The tables of [`Material::exits`] in groups: after captures by a moved stone, after a
    /// placement without a mill, and after placements with captures.
    pub(crate) fn exit_groups(self, rules: &Rules) -> Vec<Vec<Material>> {
        let mut groups = vec![match rules.may_move(self.mover_in_hand) {
            true => self.after_captures(rules),
            false => Vec::new(),
        }];
        if let Some(placed) = self.placed() {
            groups.push(vec![placed.exchanged()]);
            groups.push(placed.after_placed_captures(rules));
        }
        groups
    }

    /// [`Material::after_captures`] by a stone that was placed and that the material includes.
    pub(crate) fn after_placed_captures(self, rules: &Rules) -> Vec<Material> {
        if !rules.takes_from_hand(self.waiting_in_hand) {
            return self.after_captures(rules);
        }
        let [_, waiting] = self.totals();
        let goes_on = self.mover >= FEWEST_STONES && waiting > FEWEST_STONES;
        let left = Material {
            waiting_in_hand: self.waiting_in_hand - 1,
            ..self
        };
        goes_on.then(|| left.exchanged()).into_iter().collect()
    }

    /// The tables that the mover's turns other than quiet ones lead to: those
    /// [after captures](Material::after_captures) by a moved stone and, if the mover has stones in
    /// hand, those after a placement without a mill and after placements with captures.
    pub fn exits(self, rules: &Rules) -> Vec<Material> {
        self.exit_groups(rules).concat()
    }
}
