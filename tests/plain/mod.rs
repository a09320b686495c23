//! A second, plain implementation of the rules, to test the library against.
//!
//! It shares nothing with the library: its own point order, its own tables of lines and neighbours
//! (typed in by name from the picture below), its own reader and printer of the position text, its
//! own turn generator. It aims to be obviously right, not fast.
//!
//! ```text
//! a7----d7----g7
//! | b6--d6--f6 |
//! | | c5-d5-e5 | |
//! a4-b4-c4  e4-f4-g4
//! | | c3-d3-e3 | |
//! | b2--d2--f2 |
//! a1----d1----g1
//! ```
//!
//! [`check`] decides whether the values of small pairs are right, by these rules alone.
#![allow(dead_code, reason = "each test program uses a part of it")]

pub mod check;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::LazyLock;

/// A point of the board: its place in [`NAMES`].
pub type Point = usize;

/// The points by name, in reading order of the picture.
#[rustfmt::skip]
pub const NAMES: [&str; 24] = [
    "a7", "d7", "g7",
    "b6", "d6", "f6",
    "c5", "d5", "e5",
    "a4", "b4", "c4", "e4", "f4", "g4",
    "c3", "d3", "e3",
    "b2", "d2", "f2",
    "a1", "d1", "g1",
];

/// The points in the order of the position text: inner, middle and outer ring, each clockwise from
/// the top.
#[rustfmt::skip]
const TEXT_ORDER: [[&str; 8]; 3] = [
    ["d5", "e5", "e4", "e3", "d3", "c3", "c4", "c5"],
    ["d6", "f6", "f4", "f2", "d2", "b2", "b4", "b6"],
    ["d7", "g7", "g4", "g1", "d1", "a1", "a4", "a7"],
];

/// The 16 lines of the standard board.
const LINES: [[&str; 3]; 16] = [
    ["a7", "d7", "g7"],
    ["b6", "d6", "f6"],
    ["c5", "d5", "e5"],
    ["a4", "b4", "c4"],
    ["e4", "f4", "g4"],
    ["c3", "d3", "e3"],
    ["b2", "d2", "f2"],
    ["a1", "d1", "g1"],
    ["a1", "a4", "a7"],
    ["b2", "b4", "b6"],
    ["c3", "c4", "c5"],
    ["d1", "d2", "d3"],
    ["d5", "d6", "d7"],
    ["e3", "e4", "e5"],
    ["f2", "f4", "f6"],
    ["g1", "g4", "g7"],
];

/// The four lines that the board with diagonals has in addition.
const DIAGONAL_LINES: [[&str; 3]; 4] = [
    ["a7", "b6", "c5"],
    ["g7", "f6", "e5"],
    ["a1", "b2", "c3"],
    ["g1", "f2", "e3"],
];

/// Each point with its neighbours on the standard board.
const NEIGHBOURS: [(&str, &[&str]); 24] = [
    ("a7", &["d7", "a4"]),
    ("d7", &["a7", "g7", "d6"]),
    ("g7", &["d7", "g4"]),
    ("b6", &["d6", "b4"]),
    ("d6", &["b6", "f6", "d7", "d5"]),
    ("f6", &["d6", "f4"]),
    ("c5", &["d5", "c4"]),
    ("d5", &["c5", "e5", "d6"]),
    ("e5", &["d5", "e4"]),
    ("a4", &["a7", "a1", "b4"]),
    ("b4", &["b6", "b2", "a4", "c4"]),
    ("c4", &["c5", "c3", "b4"]),
    ("e4", &["e5", "e3", "f4"]),
    ("f4", &["f6", "f2", "e4", "g4"]),
    ("g4", &["g7", "g1", "f4"]),
    ("c3", &["c4", "d3"]),
    ("d3", &["c3", "e3", "d2"]),
    ("e3", &["d3", "e4"]),
    ("b2", &["b4", "d2"]),
    ("d2", &["b2", "f2", "d3", "d1"]),
    ("f2", &["d2", "f4"]),
    ("a1", &["a4", "d1"]),
    ("d1", &["a1", "g1", "d2"]),
    ("g1", &["d1", "g4"]),
];

/// The eight connections that the board with diagonals has in addition.
const DIAGONAL_NEIGHBOURS: [(&str, &str); 8] = [
    ("a7", "b6"),
    ("b6", "c5"),
    ("g7", "f6"),
    ("f6", "e5"),
    ("a1", "b2"),
    ("b2", "c3"),
    ("g1", "f2"),
    ("f2", "e3"),
];

/// The point of a name.
pub fn point(name: &str) -> Option<Point> {
    NAMES.iter().position(|&known| known == name)
}

/// The point of a name of the tables above.
fn known_point(name: &str) -> Point {
    point(name).expect("the tables above use the names of the board")
}

/// Lines and neighbours of a board, as points.
#[derive(Debug)]
pub struct Geometry {
    /// The lines on which three stones are a mill.
    pub lines: Vec<[Point; 3]>,
    /// The neighbours of each point.
    pub neighbours: [BTreeSet<Point>; 24],
}

impl Geometry {
    fn new(diagonals: bool) -> Geometry {
        let mut geometry = Geometry {
            lines: LINES.map(|line| line.map(known_point)).to_vec(),
            neighbours: Default::default(),
        };
        for (here, around) in NEIGHBOURS {
            for there in around {
                geometry.neighbours[known_point(here)].insert(known_point(there));
            }
        }
        if diagonals {
            geometry
                .lines
                .extend(DIAGONAL_LINES.map(|line| line.map(known_point)));
            for (a, b) in DIAGONAL_NEIGHBOURS {
                geometry.neighbours[known_point(a)].insert(known_point(b));
                geometry.neighbours[known_point(b)].insert(known_point(a));
            }
        }
        geometry
    }
}

/// The rules as settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlainRules {
    /// Stones of each side, 3 to 12.
    pub stones: u8,
    /// Whether the board has the four diagonals at the corners.
    pub diagonals: bool,
    /// A side with at most this many stones flies, those in hand included.
    pub flying: Option<u8>,
    /// Whether stones in mills may always be removed.
    pub remove_any: bool,
    /// Whether each mill closed by a turn earns a removal of its own. The removals are made one
    /// after the other, in any order that the rules allow, and end when the enemy has lost.
    pub removal_per_mill: bool,
    /// Whether a side that cannot move passes instead of losing.
    pub blocked_passes: bool,
    /// Whether the game is drawn when all points are taken, none in hand; otherwise the side to move
    /// has lost, even where blocked sides pass.
    pub full_board_draws: bool,
    /// Whether the side to move removes a stone when all points are taken, none in hand.
    pub full_board_removes: bool,
    /// Whether a mill closed by a placed stone takes a stone from the enemy's hand, if it has one there.
    pub mills_take_from_hand: bool,
    /// Whether a side with stones in hand may slide or fly instead of placing.
    pub moves_while_placing: bool,
    /// Whether the side that placed the last stone of the game also makes the first move.
    pub black_moves_first: bool,
}

impl PlainRules {
    /// The default rules.
    pub fn standard() -> PlainRules {
        PlainRules {
            stones: 9,
            diagonals: false,
            flying: Some(3),
            remove_any: false,
            removal_per_mill: false,
            blocked_passes: false,
            full_board_draws: false,
            full_board_removes: false,
            mills_take_from_hand: false,
            moves_while_placing: false,
            black_moves_first: false,
        }
    }

    /// Lines and neighbours of the board of these rules.
    pub fn geometry(&self) -> &'static Geometry {
        static STANDARD: LazyLock<Geometry> = LazyLock::new(|| Geometry::new(false));
        static DIAGONALS: LazyLock<Geometry> = LazyLock::new(|| Geometry::new(true));
        if self.diagonals {
            &DIAGONALS
        } else {
            &STANDARD
        }
    }
}

/// One of the two sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    /// Places first.
    White,
    /// The other.
    Black,
}

impl Side {
    /// The enemy of this side.
    pub fn enemy(self) -> Side {
        match self {
            Side::White => Side::Black,
            Side::Black => Side::White,
        }
    }
}

/// The contents of a point: a stone or nothing.
pub type Cell = Option<Side>;

/// A position: exactly the contents of the position text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PlainPosition {
    /// The stones, by point.
    pub board: [Cell; 24],
    /// The side to move.
    pub side: Side,
    /// Stones that white has in hand.
    pub white_hand: u8,
    /// Stones that black has in hand.
    pub black_hand: u8,
    /// Removals that the side to move still has to make; then it does nothing else in this turn.
    pub owed: u8,
}

/// A whole turn.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PlainTurn {
    /// The point from which a stone slides or flies.
    pub from: Option<Point>,
    /// The point where a stone is placed or to which it slides or flies; `None` for a pass and for
    /// pending removals.
    pub to: Option<Point>,
    /// The stones removed, in this order.
    pub removed: Vec<Point>,
    /// Whether the enemy loses a stone from its hand, which the text does not say.
    pub from_hand: bool,
}

impl fmt::Display for PlainTurn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.to.is_none() && self.removed.is_empty() {
            return f.write_str("pass");
        }
        if let Some(from) = self.from {
            write!(f, "{}-", NAMES[from])?;
        }
        if let Some(to) = self.to {
            f.write_str(NAMES[to])?;
        }
        for &point in &self.removed {
            write!(f, "x{}", NAMES[point])?;
        }
        Ok(())
    }
}

impl PlainPosition {
    /// The empty board before the first turn.
    pub fn start(rules: &PlainRules) -> PlainPosition {
        PlainPosition {
            board: [None; 24],
            side: Side::White,
            white_hand: rules.stones,
            black_hand: rules.stones,
            owed: 0,
        }
    }

    /// Stones that a side has in hand.
    pub fn hand(&self, side: Side) -> u8 {
        match side {
            Side::White => self.white_hand,
            Side::Black => self.black_hand,
        }
    }

    /// Stones that a side has on the board.
    pub fn on_board(&self, side: Side) -> u8 {
        self.points_of(Some(side)).len() as u8
    }

    /// The set of a side's stones.
    pub fn set_of(&self, side: Side) -> check::Set {
        let points = (0..24).filter(|&point| self.board[point] == Some(side));
        points.map(|point| 1 << point).sum()
    }

    /// The points with these contents.
    fn points_of(&self, cell: Cell) -> Vec<Point> {
        (0..24).filter(|&p| self.board[p] == cell).collect()
    }

    /// Whether a side has too few stones to go on.
    fn is_too_weak(&self, side: Side) -> bool {
        self.on_board(side) + self.hand(side) < 3
    }

    /// The number of mills through a point; 0 if it is empty.
    fn mills_at(&self, rules: &PlainRules, point: Point) -> usize {
        let Some(side) = self.board[point] else {
            return 0;
        };
        let lines = &rules.geometry().lines;
        lines
            .iter()
            .filter(|line| line.contains(&point))
            .filter(|line| line.iter().all(|&p| self.board[p] == Some(side)))
            .count()
    }

    /// The stones of a side that its enemy may remove.
    fn removable(&self, rules: &PlainRules, side: Side) -> Vec<Point> {
        let all = self.points_of(Some(side));
        let free: Vec<Point> = all
            .iter()
            .copied()
            .filter(|&p| self.mills_at(rules, p) == 0)
            .collect();
        if rules.remove_any || free.is_empty() {
            all
        } else {
            free
        }
    }

    /// The sequences of pending removals that the side to move can make. They end without an enemy
    /// stone on the board, and as soon as the enemy has lost.
    fn removals(&self, rules: &PlainRules, owed: u8) -> Vec<Vec<Point>> {
        let enemy = self.side.enemy();
        if owed == 0 || self.on_board(enemy) == 0 || self.is_too_weak(enemy) {
            return vec![vec![]];
        }
        let mut sequences = Vec::new();
        for first in self.removable(rules, enemy) {
            let mut after = *self;
            after.board[first] = None;
            for rest in after.removals(rules, owed - 1) {
                sequences.push([vec![first], rest].concat());
            }
        }
        sequences
    }

    /// Where the side to move can put stones: `(from, to)`, without `from` from the hand.
    fn steps(&self, rules: &PlainRules) -> Vec<(Option<Point>, Point)> {
        let mut steps = Vec::new();
        let hand = self.hand(self.side);
        let own = self.points_of(Some(self.side));
        let empty = self.points_of(None);
        if hand > 0 {
            for &to in &empty {
                steps.push((None, to));
            }
        }
        if hand == 0 || rules.moves_while_placing {
            let all = own.len() as u8 + hand;
            let flies = rules.flying.is_some_and(|most| all <= most);
            for &from in &own {
                for &to in &empty {
                    if flies || rules.geometry().neighbours[from].contains(&to) {
                        steps.push((Some(from), to));
                    }
                }
            }
        }
        steps
    }

    /// The legal turns; none when the game is over.
    pub fn turns(&self, rules: &PlainRules) -> Vec<PlainTurn> {
        let mut turns = Vec::new();
        if self.is_too_weak(Side::White) || self.is_too_weak(Side::Black) {
            return turns;
        }
        if self.owed > 0 || self.removes_from_full_board(rules) {
            for removed in self.removals(rules, self.owed.max(1)) {
                turns.push(PlainTurn {
                    from: None,
                    to: None,
                    removed,
                    from_hand: false,
                });
            }
            return turns;
        }
        for (from, to) in self.steps(rules) {
            let after = self.with_step(from, to);
            let mills = after.mills_at(rules, to) as u8;
            let earned = if rules.removal_per_mill {
                mills
            } else {
                mills.min(1)
            };
            let from_hand = rules.mills_take_from_hand
                && from.is_none()
                && mills > 0
                && self.hand(self.side.enemy()) > 0;
            let earned = if from_hand { 0 } else { earned };
            for removed in after.removals(rules, earned) {
                turns.push(PlainTurn {
                    from,
                    to: Some(to),
                    removed,
                    from_hand,
                });
            }
        }
        if turns.is_empty() && rules.blocked_passes && !self.is_full() {
            turns.push(PlainTurn {
                from: None,
                to: None,
                removed: vec![],
                from_hand: false,
            });
        }
        turns
    }

    /// The legal turns in the order of their texts. Of turns that differ only in the order of their
    /// removals, only the one with removals in the order of the names is included.
    pub fn distinct_turns(&self, rules: &PlainRules) -> Vec<PlainTurn> {
        let mut turns = self.turns(rules);
        for turn in &mut turns {
            turn.removed.sort_by_key(|&point| NAMES[point]);
        }
        turns.sort_by_cached_key(PlainTurn::to_string);
        turns.dedup();
        turns
    }

    /// The position in the middle of a turn, after its step and before its removals.
    pub fn with_step(&self, from: Option<Point>, to: Point) -> PlainPosition {
        let mut after = *self;
        match (from, self.side) {
            (Some(from), _) => after.board[from] = None,
            (None, Side::White) => after.white_hand -= 1,
            (None, Side::Black) => after.black_hand -= 1,
        }
        after.board[to] = Some(self.side);
        after
    }

    /// The position after a legal turn.
    pub fn after(&self, turn: &PlainTurn) -> PlainPosition {
        let mut after = match turn.to {
            Some(to) => self.with_step(turn.from, to),
            None => *self,
        };
        for &point in &turn.removed {
            after.board[point] = None;
        }
        match self.side.enemy() {
            Side::White => after.white_hand -= u8::from(turn.from_hand),
            Side::Black => after.black_hand -= u8::from(turn.from_hand),
        }
        after.owed = 0;
        after.side = self.side.enemy();
        after
    }

    /// Whether all points are taken.
    fn is_full(&self) -> bool {
        self.points_of(None).is_empty()
    }

    /// Whether the side to move removes a stone because the board is full.
    fn removes_from_full_board(&self, rules: &PlainRules) -> bool {
        rules.full_board_removes && self.is_full() && self.owed == 0
    }

    /// Whether the game is over and nobody has lost.
    pub fn is_drawn(&self, rules: &PlainRules) -> bool {
        rules.full_board_draws && self.is_full() && self.owed == 0
    }

    /// Whether the side to move has no turn.
    fn is_stuck(&self, rules: &PlainRules) -> bool {
        let removes = self.owed > 0 || self.removes_from_full_board(rules);
        let passes = rules.blocked_passes && !self.is_full();
        !removes && !passes && self.steps(rules).is_empty()
    }

    /// The side that has lost, if the game is over and not drawn.
    pub fn loser(&self, rules: &PlainRules) -> Option<Side> {
        let enemy = self.side.enemy();
        if self.is_too_weak(self.side) {
            Some(self.side)
        } else if self.is_too_weak(enemy) {
            Some(enemy)
        } else if self.is_drawn(rules) {
            None
        } else if self.is_stuck(rules) {
            Some(self.side)
        } else {
            None
        }
    }

    /// The number of distinct sequences of `depth` complete turns.
    pub fn perft(&self, rules: &PlainRules, depth: u32) -> u64 {
        match depth {
            0 => 1,
            1 => self.distinct_turns(rules).len() as u64,
            _ => {
                let turns = self.distinct_turns(rules);
                turns
                    .iter()
                    .map(|turn| self.after(turn).perft(rules, depth - 1))
                    .sum()
            }
        }
    }

    /// Reads the position text. The fields after the removals are ignored and may be missing, the
    /// removals too; an action `r` without them stands for one removal.
    pub fn parse(text: &str, rules: &PlainRules) -> Result<PlainPosition, String> {
        let fields: Vec<&str> = text.split_whitespace().collect();
        let [rings, side, phase, action, counts @ ..] = &fields[..] else {
            return Err(format!("too few fields in {text:?}"));
        };
        let board = parse_board(rings)?;
        let side = match *side {
            "w" => Side::White,
            "b" => Side::Black,
            other => return Err(format!("unknown side {other:?}")),
        };
        let count = |at: usize| -> Result<u8, String> {
            let field = counts.get(at).ok_or("a count is missing")?;
            field.parse().map_err(|_| format!("bad count {field:?}"))
        };
        let mut position = PlainPosition {
            board,
            side,
            white_hand: count(1)?,
            black_hand: count(3)?,
            owed: 0,
        };
        for (side, stated) in [(Side::White, count(0)?), (Side::Black, count(2)?)] {
            let (seen, hand) = (position.on_board(side), position.hand(side));
            if stated != seen {
                return Err(format!("{side:?} has {seen} stones, not {stated}"));
            }
            if u32::from(seen) + u32::from(hand) > u32::from(rules.stones) {
                return Err(format!("{side:?} has {seen} + {hand} stones"));
            }
        }
        let placing = position.white_hand + position.black_hand > 0;
        match (*phase, *action) {
            ("o", _) if position.loser(rules).is_none() && !position.is_drawn(rules) => {
                Err("the game is not over")?
            }
            ("m", _) if placing && !(rules.mills_take_from_hand && position.hand(side) == 0) => {
                Err("stones in hand in the moving phase")?
            }
            ("p", "p") if !placing => Err("no stones in hand in the placing phase")?,
            ("p" | "m", "r") => {
                let at = if side == Side::White { 4 } else { 5 };
                position.owed = if counts.len() > at { count(at)? } else { 1 };
                if position.owed == 1 && rules.full_board_removes && position.is_full() {
                    position.owed = 0;
                    return Ok(position);
                }
                if position.owed == 0 || position.on_board(side.enemy()) == 0 {
                    return Err("there is nothing to remove".to_string());
                }
            }
            ("o", "?") | ("p" | "m" | "o", "p" | "s") => {}
            _ => return Err(format!("unknown phase and action {phase:?} {action:?}")),
        }
        Ok(position)
    }

    /// The position text.
    pub fn text(&self, rules: &PlainRules) -> String {
        let rings = TEXT_ORDER.map(|ring| -> String {
            let cells = ring.iter().map(|name| self.board[known_point(name)]);
            cells.map(letter).collect()
        });
        let placing = self.white_hand + self.black_hand > 0;
        let phase = match () {
            () if self.loser(rules).is_some() || self.is_drawn(rules) => 'o',
            () if placing => 'p',
            () => 'm',
        };
        let action = match () {
            () if phase == 'o' => '?',
            () if self.owed > 0 || self.removes_from_full_board(rules) => 'r',
            () if self.hand(self.side) > 0 => 'p',
            () => 's',
        };
        let owed = self.owed + u8::from(self.removes_from_full_board(rules));
        let (side, white_owed, black_owed) = match self.side {
            Side::White => ('w', owed, 0),
            Side::Black => ('b', 0, owed),
        };
        format!(
            "{} {side} {phase} {action} {} {} {} {} {white_owed} {black_owed} -1 -1 -1 -1 0 0 1",
            rings.join("/"),
            self.on_board(Side::White),
            self.white_hand,
            self.on_board(Side::Black),
            self.black_hand,
        )
    }
}

/// The letter of a cell in the position text.
fn letter(cell: Cell) -> char {
    match cell {
        Some(Side::White) => 'O',
        Some(Side::Black) => '@',
        None => '*',
    }
}

/// Reads the board of the position text.
fn parse_board(text: &str) -> Result<[Cell; 24], String> {
    let rings: Vec<&str> = text.split('/').collect();
    if rings.len() != 3 {
        return Err(format!("{} rings in {text:?}", rings.len()));
    }
    let mut board = [None; 24];
    for (ring, names) in rings.iter().zip(TEXT_ORDER) {
        let letters: Vec<char> = ring.chars().collect();
        if letters.len() != 8 {
            return Err(format!("{} points in the ring {ring:?}", letters.len()));
        }
        for (letter, name) in letters.into_iter().zip(names) {
            board[known_point(name)] = match letter {
                'O' => Some(Side::White),
                '@' => Some(Side::Black),
                '*' => None,
                other => return Err(format!("unknown letter {other:?}")),
            };
        }
    }
    Ok(board)
}
