//! Random positions of a family, and the canonical form of a position.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use crate::board::symmetry::Symmetry;
use crate::board::{Point, PointSet};
use crate::index::Pair;
use crate::random::Random;
use crate::rules::position::{Position, Side};
use crate::rules::{Rules, counted};

/// A family of positions to draw from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Family {
    /// Positions of a pair; each side is the larger equally often.
    Pair(Pair),
    /// Positions after this number of turns from the empty board.
    Placed(u8),
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Family::Pair(pair) => pair.fmt(f),
            Family::Placed(turns) => write!(f, "placed-{turns}"),
        }
    }
}

impl FromStr for Family {
    type Err = String;

    /// Parses `8-7` or `placed-12`.
    fn from_str(text: &str) -> Result<Family, String> {
        let placed = text.strip_prefix("placed-");
        if let Some(turns) = placed {
            let turns = turns.parse().ok().filter(|turns| (0..24).contains(turns));
            return turns.map(Family::Placed).ok_or_else(|| {
                format!("'{text}' must be 'placed-' and a number of turns from 0 to 23")
            });
        }
        let pair: Result<Pair, _> = text.parse();
        pair.map(Family::Pair).map_err(|error| {
            format!("'{text}' is neither a pair of numbers of stones nor 'placed-N': {error}")
        })
    }
}

impl Family {
    /// Checks that such positions exist under the rules.
    ///
    /// # Errors
    ///
    /// A sentence for the user.
    pub fn check(self, rules: &Rules) -> Result<(), String> {
        let stones = rules.stones;
        match self {
            Family::Pair(pair) => pair.check(rules),
            Family::Placed(turns) if turns >= 2 * stones => Err(format!(
                "there are no positions with stones in hand after {}: these rules have only {} placements",
                counted(turns, "turn"),
                2 * stones
            )),
            _ => Ok(()),
        }
    }

    /// A random position; `None` if the game is over in the drawn one, or if no game can reach it.
    pub(crate) fn draw(self, rules: &Rules, random: &mut Random) -> Option<Position> {
        let position = match self {
            Family::Pair(pair) => of_pair(pair, rules, random)?,
            Family::Placed(turns) => {
                let mut position = Position::start(rules);
                for _ in 0..turns {
                    let legal = position.turns(rules);
                    if legal.is_empty() {
                        return None;
                    }
                    position = position.after(legal[random.below(legal.len())]);
                }
                position
            }
        };
        (!position.is_over(rules)).then_some(position)
    }
}

fn of_pair(pair: Pair, rules: &Rules, random: &mut Random) -> Option<Position> {
    let tables = pair.tables(rules);
    let material = match random.below(2) {
        0 => tables.first()?,
        _ => tables.last()?,
    };
    let mut points: Vec<Point> = Point::all().collect();
    let mut draw = |count: u8| -> PointSet {
        let drawn = (0..count).map(|_| points.swap_remove(random.below(points.len())));
        drawn.collect()
    };
    let (white, black) = (draw(material.mover), draw(material.waiting));
    let position = material.position(white, black);
    // A side that has lost no stone faces a side that has never closed a mill.
    let is_possible = |side: Side| {
        let others = position.stones(side.other());
        position.total(side) < u32::from(rules.stones) || rules.board().mills(others).is_empty()
    };
    let is_possible = is_possible(Side::White) && is_possible(Side::Black);
    is_possible.then_some(position)
}

/// The most draws for one position.
pub(crate) const MOST_DRAWS: usize = 20_000;

/// A random position of a family; `None` if the family has too few positions that a game can reach.
/// The same seed gives the same position.
pub fn any(rules: &Rules, family: Family, seed: u64) -> Option<Position> {
    let mut random = Random::new(seed);
    (0..MOST_DRAWS).find_map(|_| family.draw(rules, &mut random))
}

/// The positions of a family with these numbers. Each is drawn independently, so the same seed and
/// number give the same position. The list is shorter only if [`any`] finds no position.
///
/// ```
/// use millbase::sample::{Family, many};
/// use millbase::{Pair, Rules};
/// let family = Family::Pair(Pair::new(5, 4).unwrap());
/// let positions = many(&Rules::STANDARD, family, 0..100, 7);
/// assert_eq!(positions.len(), 100);
/// assert_eq!(many(&Rules::STANDARD, family, 40..60, 7), positions[40..60]);
/// ```
pub fn many(rules: &Rules, family: Family, numbers: Range<u64>, seed: u64) -> Vec<Position> {
    mixed(rules, &[family], numbers, seed)
}

/// As [`many`], with the families in turn: the position with number `i` is one of family
/// `i % families.len()`. Empty without families.
pub fn mixed(rules: &Rules, families: &[Family], numbers: Range<u64>, seed: u64) -> Vec<Position> {
    let count = families.len().max(1) as u64;
    let positions = numbers.map_while(|number| {
        let family = families.get((number % count) as usize)?;
        any(rules, *family, seed_of(seed, number / count))
    });
    positions.collect()
}

/// Derives the seed for a numbered item from another seed.
pub(crate) fn seed_of(seed: u64, number: u64) -> u64 {
    Random::new(seed ^ number.wrapping_mul(0xd6e8_feb8_6659_fd93)).word()
}

/// The canonical form of a position, the same for all positions that are equal up to symmetry and
/// colour: White is to move, and the stones' bits are the smallest.
///
/// ```
/// use millbase::sample::canonical;
/// use millbase::{Position, Rules};
/// let rules = Rules::STANDARD;
/// let position = |text| Position::parse(text, &rules);
/// let white = position("********/********/O@O*O@*@ w m s 3 0 3 0 0 0")?;
/// let black = position("********/********/O@@*@O*O b m s 3 0 3 0 0 0")?;
/// assert_eq!(canonical(&white), canonical(&white.with_colours_exchanged()));
/// assert_ne!(canonical(&white), canonical(&black));
/// # Ok::<(), millbase::PositionError>(())
/// ```
#[must_use]
pub fn canonical(position: &Position) -> Position {
    let position = match position.side_to_move() {
        Side::White => *position,
        Side::Black => position.with_colours_exchanged(),
    };
    let images = Symmetry::all().map(|symmetry| position.with_board_turned(symmetry));
    let key = |image: &Position| (image.mover(), image.waiting());
    images.min_by_key(key).unwrap_or(position)
}
