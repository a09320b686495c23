//! The names and numbers that programs give the points.

use std::{fmt, mem};

use crate::board::{POINTS, Point};
use crate::rules::turns::Turn;

/// The bits of the points by rows: `a7 d7 g7`, `b6 d6 f6`, … `a1 d1 g1`.
const ROWS: [u8; POINTS as usize] = [
    23, 16, 17, 15, 8, 9, 7, 0, 1, 22, 14, 6, 2, 10, 18, 5, 4, 3, 13, 12, 11, 21, 20, 19,
];

/// The bits of the points by rings from the outer to the inner, each clockwise from its corner at the top left:
/// `a7 d7 g7 g4 g1 d1 a1 a4`, `b6 …`, `c5 …`.
const RINGS: [u8; POINTS as usize] = [
    23, 16, 17, 18, 19, 20, 21, 22, 15, 8, 9, 10, 11, 12, 13, 14, 7, 0, 1, 2, 3, 4, 5, 6,
];

/// An order of the points.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PointOrder {
    /// By rows from the top, each from the left: `a7 d7 g7 b6 … g1`.
    Rows,
    /// By rings from the outer, each clockwise from the top left: `a7 d7 g7 g4 …`.
    Rings,
}

impl PointOrder {
    /// The point at a place, from 0; `None` from 24 on.
    pub fn point(self, place: usize) -> Option<Point> {
        Point::new(self.bits().get(place).copied()?.into())
    }

    /// The place of a point, 0 to 23.
    pub fn place(self, point: Point) -> usize {
        let mut bits = self.bits().iter();
        let place = bits.position(|&bit| u32::from(bit) == point.bit());
        place.unwrap_or_default()
    }

    const fn bits(self) -> &'static [u8; POINTS as usize] {
        match self {
            PointOrder::Rows => &ROWS,
            PointOrder::Rings => &RINGS,
        }
    }
}

/// The naming of points in the turns of a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum PointNaming {
    /// By name: `d6-d5xb4`.
    Names,
    /// By the numbers 1 to 24 of the rows: `5-8x11`.
    Numbers,
    /// By the numbers 0 to 23 of the rows, where a number from 24 on is a move: 24 + 24 · from + to.
    Actions,
    /// By ring and place: `(2,1)->(1,1)`. Ring 1 is the inner one, place 1 its top midpoint, the others follow
    /// clockwise.
    Coordinates,
    /// By column and row: `(4,6)->(4,5)`.
    Grid(Grid),
}

/// A grid of seven columns and rows, in which a board may be turned and mirrored.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Grid {
    /// The number of the first column and row: 0 or 1.
    pub first: u32,
    /// Whether the row comes before the column.
    pub swaps: bool,
    /// Whether columns count from the right, and rows from the top.
    pub mirrors: [bool; 2],
}

impl Grid {
    /// The grids that count from 1 and from 0, columns from a and rows from 1.
    pub(super) const UPRIGHT: [Grid; 2] = [Grid::from(1), Grid::from(0)];

    /// The number of columns and rows.
    const SIZE: u32 = 7;

    const fn from(first: u32) -> Grid {
        Grid {
            first,
            swaps: false,
            mirrors: [false, false],
        }
    }

    /// The number of ways in which a board may lie in a grid.
    pub(super) const WAYS: usize = 8;

    /// The ways in which the board may lie in this grid, first the upright one.
    pub(super) fn ways(self) -> impl Iterator<Item = Grid> {
        (0..Grid::WAYS).map(move |way| Grid {
            swaps: way & 4 != 0,
            mirrors: [way & 2 != 0, way & 1 != 0],
            ..self
        })
    }

    /// The point at a place; `None` if there is none.
    fn point(self, place: [u32; 2]) -> Option<Point> {
        let [mut column, mut row] = place.map(|number| number.wrapping_sub(self.first));
        if column >= Grid::SIZE || row >= Grid::SIZE {
            return None;
        }
        if self.swaps {
            mem::swap(&mut column, &mut row);
        }
        for (number, mirrors) in [&mut column, &mut row].into_iter().zip(self.mirrors) {
            if mirrors {
                *number = Grid::SIZE - 1 - *number;
            }
        }
        let column = char::from_digit(10 + column, 36)?;
        Point::named(&format!("{column}{}", row + 1))
    }

    /// The place of a point.
    fn place(self, point: Point) -> [u32; 2] {
        let numbers = || self.first..self.first + Grid::SIZE;
        let mut places = numbers().flat_map(|first| numbers().map(move |second| [first, second]));
        let place = places.find(|place| self.point(*place) == Some(point));
        place.unwrap_or_default()
    }
}

/// The number of the first action that is a move.
const FIRST_MOVE: u32 = POINTS;

impl PointNaming {
    /// The point with a number; `None` if there is none.
    pub fn numbered(self, number: u32) -> Option<Point> {
        match self {
            PointNaming::Numbers => PointOrder::Rows.point((number as usize).checked_sub(1)?),
            PointNaming::Actions => PointOrder::Rows.point(number as usize),
            PointNaming::Names | PointNaming::Coordinates | PointNaming::Grid(_) => None,
        }
    }

    /// The point at a place that two numbers name; `None` if there is none.
    pub(super) fn placed(self, place: [u32; 2]) -> Option<Point> {
        match self {
            PointNaming::Coordinates => {
                let [ring, place] = place.map(|number| number.wrapping_sub(1));
                let is_place = ring < 3 && place < 8;
                is_place.then(|| Point::new(8 * ring + place)).flatten()
            }
            PointNaming::Grid(grid) => grid.point(place),
            _ => None,
        }
    }

    /// Whether two numbers name a point.
    pub(super) fn has_places(self) -> bool {
        matches!(self, PointNaming::Coordinates | PointNaming::Grid(_))
    }

    /// The move with a number, from point to point; `None` if there is none.
    pub fn moving(self, number: u32) -> Option<[Point; 2]> {
        let number = number.checked_sub(FIRST_MOVE)?;
        let (from, to) = (number / POINTS, number % POINTS);
        match self {
            PointNaming::Actions if from != to => Some([self.numbered(from)?, self.numbered(to)?]),
            _ => None,
        }
    }

    /// A point in this form.
    fn name(self, point: Point) -> String {
        match self {
            PointNaming::Names => point.name().to_owned(),
            PointNaming::Numbers => (PointOrder::Rows.place(point) + 1).to_string(),
            PointNaming::Actions => PointOrder::Rows.place(point).to_string(),
            PointNaming::Coordinates => {
                let (ring, place) = (point.bit() / 8 + 1, point.bit() % 8 + 1);
                format!("({ring},{place})")
            }
            PointNaming::Grid(grid) => {
                let [first, second] = grid.place(point);
                format!("({first},{second})")
            }
        }
    }

    /// A turn in this form, with spaces between its actions where these stand alone: `d6-d5xb4`, `5-8x11`,
    /// `127 10`, `(2,1)->(1,1) -(2,7)`.
    ///
    /// ```
    /// # use millbase::notation::PointNaming;
    /// let turn = "d6-d5xb4".parse()?;
    /// assert_eq!(PointNaming::Numbers.turn(turn), "5-8x11");
    /// assert_eq!(PointNaming::Actions.turn(turn), "127 10");
    /// assert_eq!(PointNaming::Coordinates.turn(turn), "(2,1)->(1,1) -(2,7)");
    /// # Ok::<(), millbase::TurnError>(())
    /// ```
    pub fn turn(self, turn: Turn) -> String {
        if self == PointNaming::Names || turn.is_pass() {
            return turn.to_string();
        }
        let mut text = match (turn.from(), turn.to()) {
            (Some(from), Some(to)) => match self {
                PointNaming::Actions => {
                    let [from, to] = [from, to].map(|point| PointOrder::Rows.place(point) as u32);
                    (FIRST_MOVE + POINTS * from + to).to_string()
                }
                _ if self.has_places() => format!("{}->{}", self.name(from), self.name(to)),
                _ => format!("{}-{}", self.name(from), self.name(to)),
            },
            (_, Some(to)) => self.name(to),
            _ => String::new(),
        };
        for point in turn.removed_in_order() {
            text += match self {
                PointNaming::Actions => " ",
                _ if self.has_places() => " -",
                _ => "x",
            };
            text += &self.name(point);
        }
        text.trim_start().to_owned()
    }
}

/// The form in words.
impl fmt::Display for PointNaming {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PointNaming::Names => "names of points",
            PointNaming::Numbers => "the numbers 1 to 24",
            PointNaming::Actions => "the numbers of actions, from 0",
            PointNaming::Coordinates => "ring and place",
            PointNaming::Grid(_) => {
                let [corner, middle] = ["a7", "d7"]
                    .map(Point::named)
                    .map(|point| point.map_or_else(String::new, |point| self.name(point)));
                return write!(f, "a grid with {corner} for a7 and {middle} for d7");
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_those_of_their_pictures() {
        let rows = "a7 d7 g7 b6 d6 f6 c5 d5 e5 a4 b4 c4 e4 f4 g4 c3 d3 e3 b2 d2 f2 a1 d1 g1";
        let rings = "a7 d7 g7 g4 g1 d1 a1 a4 b6 d6 f6 f4 f2 d2 b2 b4 c5 d5 e5 e4 e3 d3 c3 c4";
        for (order, names) in [(PointOrder::Rows, rows), (PointOrder::Rings, rings)] {
            for (place, name) in names.split(' ').enumerate() {
                let point = order.point(place).unwrap();
                assert_eq!((point.name(), order.place(point)), (name, place));
            }
            assert_eq!(order.point(24), None);
        }
    }

    #[test]
    fn grids_lie_in_eight_ways() {
        let [upright, from_zero] = Grid::UPRIGHT;
        for (first, swaps, mirrors, place, name) in [
            (1, false, [false, false], [4, 6], Some("d6")),
            (1, false, [false, false], [1, 1], Some("a1")),
            (1, false, [false, false], [4, 4], None),
            (1, false, [false, false], [0, 1], None),
            (1, false, [false, false], [8, 1], None),
            (0, false, [false, false], [3, 5], Some("d6")),
            (0, false, [false, false], [6, 0], Some("g1")),
            (0, false, [false, false], [7, 7], None),
            (1, true, [false, false], [6, 4], Some("d6")),
            (1, false, [true, false], [1, 1], Some("g1")),
            (0, true, [false, true], [0, 0], Some("a7")),
        ] {
            let grid = Grid {
                first,
                swaps,
                mirrors,
            };
            let point = grid.point(place);
            assert_eq!(point.map(|point| point.name()), name, "{grid:?} {place:?}");
        }
        for grid in upright.ways().chain(from_zero.ways()) {
            assert!(Point::all().all(|point| grid.point(grid.place(point)) == Some(point)));
        }
        for grid in upright.ways() {
            let outside = [[0, 1], [1, 0], [8, 1], [9, 9]];
            assert_eq!(outside.map(|place| grid.point(place)), [None; 4]);
        }
        assert_eq!(upright.ways().next(), Some(upright));
        assert_eq!(upright.ways().count(), Grid::WAYS);
        let turn = "d6-d5xb4".parse().unwrap();
        assert_eq!(PointNaming::Grid(upright).turn(turn), "(4,6)->(4,5) -(2,4)");
    }

    #[test]
    fn actions_are_numbers() {
        let [from, to] = PointNaming::Actions.moving(24 + 24 * 4 + 7).unwrap();
        assert_eq!((from.name(), to.name()), ("d6", "d5"));
        for number in [23, 24, 24 + 24 * 24, u32::MAX] {
            assert_eq!(PointNaming::Actions.moving(number), None, "{number}");
        }
        assert_eq!(PointNaming::Numbers.numbered(0), None);
        assert_eq!(PointNaming::Numbers.numbered(24), Point::named("g1"));
    }
}
