//! The words of a turn: points, and what joins them. Spaces do not matter, except that two points with nothing
//! between them are a move if they are one word, and two turns if they are two.

use super::numbering::PointNaming;
use crate::board::{Point, PointSet};
use crate::rules::turns::Turn;

/// A part of a turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Atom {
    /// A point.
    Point(Point),
    /// A move from point to point in one number.
    Move([Point; 2]),
    /// The point after it is reached: `-`, `->`, `/`, `→`.
    To,
    /// `to` as a word, which may also come before the point of a placement.
    Towards,
    /// The stone on the point after it is removed: `x`, `:`, `takes`.
    Take,
    /// A turn begins: `place`, `move`.
    Begin,
    /// The side passes.
    Pass,
}

/// Whether a word names a point, as `d6`, `6D` and `xa1` do.
pub fn names_point(word: &str) -> bool {
    let is_name = |letter: u8, digit: u8| {
        matches!(letter.to_ascii_lowercase(), b'a'..=b'g') && matches!(digit, b'1'..=b'7')
    };
    let mut pairs = word.as_bytes().windows(2);
    pairs.any(|pair| is_name(pair[0], pair[1]) || is_name(pair[1], pair[0]))
}

/// The turns that a word can mean, the likelier first; none if it makes no turn.
pub fn meanings(word: &str, points: PointNaming) -> Vec<Turn> {
    let mut words = TurnWords::default();
    let understood = atoms(word, points, &mut |atom| {
        words.take(atom);
    });
    understood.map_or_else(Vec::new, |()| words.meanings())
}

/// Splits a word into atoms, which `found` receives; `None` if a part is not understood.
pub fn atoms(word: &str, points: PointNaming, found: &mut impl FnMut(Atom)) -> Option<()> {
    let word = word.to_lowercase();
    let mut rest = word.as_str();
    let mut after_point = false;
    while let Some(letter) = rest.chars().next() {
        let (atom, used) = first_atom(rest, letter, points)?;
        rest = &rest[used..];
        let Some(atom) = atom else { continue };
        let is_point = matches!(atom, Atom::Point(_));
        if is_point && after_point {
            found(Atom::To);
        }
        after_point = is_point;
        found(atom);
    }
    Some(())
}

/// The atom at the start of a text, if the words there have a meaning, and their number of bytes.
fn first_atom(rest: &str, letter: char, points: PointNaming) -> Option<(Option<Atom>, usize)> {
    let length = |belongs: fn(char) -> bool| {
        rest.find(|letter: char| !belongs(letter))
            .unwrap_or(rest.len())
    };
    match letter {
        '(' => {
            let (place, used) = coordinates(rest)?;
            Some((Some(Atom::Point(points.placed(place)?)), used))
        }
        '0'..='9' if points != PointNaming::Names => {
            let used = length(|letter| letter.is_ascii_digit());
            let number = rest[..used].parse().ok()?;
            let atom = match points.moving(number) {
                Some(points) => Atom::Move(points),
                None => Atom::Point(points.numbered(number)?),
            };
            Some((Some(atom), used))
        }
        _ if point(rest).is_some() => Some((point(rest).map(Atom::Point), 2)),
        'x' | '×' | ':' => Some((Some(Atom::Take), letter.len_utf8())),
        _ if is_separator(letter) => {
            let used = length(is_separator);
            let removes = points.has_places() && &rest[..used] == "-";
            Some((Some(if removes { Atom::Take } else { Atom::To }), used))
        }
        _ if letter.is_alphabetic() => {
            let used = length(char::is_alphabetic);
            let atom = match &rest[..used] {
                "pass" => Some(Atom::Pass),
                "to" => Some(Atom::Towards),
                "x" | "take" | "takes" | "remove" | "removes" | "capture" | "captures"
                | "taking" => Some(Atom::Take),
                "place" | "places" | "put" | "puts" | "set" | "sets" | "move" | "moves"
                | "slide" | "slides" | "fly" | "flies" => Some(Atom::Begin),
                "at" | "on" | "point" | "from" | "and" | "then" | "the" | "a" | "stone" => None,
                _ => return None,
            };
            Some((atom, used))
        }
        _ => None,
    }
}

fn is_separator(letter: char) -> bool {
    matches!(
        letter,
        '-' | '‐'..='―' | '−' | '/' | '>' | '=' | '→' | '⇒' | '➔' | '~'
    )
}

/// The point that a text begins with: `d6` or `6d`.
fn point(text: &str) -> Option<Point> {
    let name = text.get(..2)?;
    let turned = || name.chars().rev().collect::<String>();
    Point::named(name).or_else(|| Point::named(&turned()))
}

/// The numbers of the place that a text begins with, and its number of bytes; a place is written `(1,2)` or `(1, 2)`.
pub fn coordinates(text: &str) -> Option<([u32; 2], usize)> {
    let (first, second, length) = match text.as_bytes() {
        [b'(', first, b',', second, b')', ..] => (first, second, 5),
        [b'(', first, b',', b' ', second, b')', ..] => (first, second, 6),
        _ => return None,
    };
    let digit = |byte: &u8| char::from(*byte).to_digit(10);
    Some(([digit(first)?, digit(second)?], length))
}

/// The atoms of one turn so far.
#[derive(Clone, Debug, Default)]
pub struct TurnWords {
    path: Vec<Point>,
    taken: Vec<Point>,
    expected: Option<Atom>,
    passes: bool,
    /// Whether an atom made no sense where it stood.
    is_wrong: bool,
}

impl TurnWords {
    /// Whether there is no atom.
    pub fn is_empty(&self) -> bool {
        let has_points = !self.path.is_empty() || !self.taken.is_empty();
        !has_points && self.expected.is_none() && !self.passes && !self.is_wrong
    }

    /// Adds an atom if it belongs to this turn; `false` if it begins the next.
    pub fn take(&mut self, atom: Atom) -> bool {
        match (atom, self.expected) {
            (Atom::Point(point), Some(expected)) => {
                match expected {
                    Atom::Take => self.taken.push(point),
                    _ => self.path.push(point),
                }
                self.expected = None;
            }
            (Atom::To, _) if !self.is_empty() => self.expected = self.expected.or(Some(Atom::To)),
            (Atom::Take, Some(Atom::To) | None) if !self.passes => self.expected = Some(Atom::Take),
            (Atom::Towards, None) => {
                if self.path.len() == 1 && self.taken.is_empty() {
                    self.expected = Some(Atom::To);
                }
            }
            (Atom::Point(point), None) if self.is_empty() => self.path.push(point),
            (Atom::Move(points), None) if self.is_empty() => self.path.extend(points),
            (Atom::Pass, None) if self.is_empty() => self.passes = true,
            (Atom::Begin, None) if self.is_empty() => {}
            (Atom::Point(_) | Atom::Move(_) | Atom::Pass | Atom::Begin, None) => return false,
            _ => self.is_wrong = true,
        }
        true
    }

    /// The turns that these words can mean, the likelier first; none if they make no turn.
    pub fn meanings(&self) -> Vec<Turn> {
        const MOST_TAKEN: usize = 3;
        let set = |points: &[Point]| -> Option<PointSet> {
            let set: PointSet = points.iter().copied().collect();
            (set.len() as usize == points.len() && points.len() <= MOST_TAKEN).then_some(set)
        };
        let turn = |from, to, taken: &[Point]| Some(Turn::new(from, to, set(taken)?));
        // A point must follow, or an atom made no sense.
        if self.expected.is_some() || self.is_wrong {
            return Vec::new();
        }
        let found = match (&self.path[..], &self.taken[..]) {
            ([], []) => vec![self.passes.then_some(Turn::PASS)],
            ([], taken) => vec![turn(None, None, taken)],
            // A point alone is a placement, or the removal that is due.
            (&[to], []) => vec![turn(None, Some(to), &[]), turn(None, None, &[to])],
            // `3x10x23` and `d6:d5` are also moves.
            (&[first], taken @ [second, others @ ..]) => vec![
                turn(None, Some(first), taken),
                turn(Some(first), Some(*second), others),
            ],
            (&[from, to], taken) => vec![turn(Some(from), Some(to), taken)],
            _ => Vec::new(),
        };
        found.into_iter().flatten().collect()
    }
}
