//! The board as a diagram of letters.

use crate::board::Point;
use crate::rules::position::{Position, Side};

/// The drawing of the board without diagonals; each `+` is a point.
const DRAWING: [&str; 7] = [
    "+-----+-----+",
    "| +---+---+ |",
    "| | +-+-+ | |",
    "+-+-+   +-+-+",
    "| | +-+-+ | |",
    "| +---+---+ |",
    "+-----+-----+",
];

/// The position as a diagram of eight lines: `O` White, `@` Black, `·` empty, with the names of
/// ranks and files. `show` turns each point into text: its arguments are the point, the side that
/// has a stone there, and the letter.
pub fn draw(position: &Position, show: impl Fn(Point, Option<Side>, char) -> String) -> String {
    let mut picture = String::new();
    for (rank, line) in (1..=7).rev().zip(DRAWING) {
        picture += &format!("  {rank} ");
        for (file, letter) in ('a'..='g').flat_map(|file| [file, file]).zip(line.chars()) {
            let point = match letter {
                '+' => Point::named(&format!("{file}{rank}")),
                _ => None,
            };
            match point {
                None => picture.push(letter),
                Some(point) => {
                    let mut sides = [Side::White, Side::Black].into_iter();
                    let side = sides.find(|&side| position.stones(side).contains(point));
                    let symbol = match side {
                        Some(Side::White) => 'O',
                        Some(Side::Black) => '@',
                        None => '·',
                    };
                    picture += &show(point, side, symbol);
                }
            }
        }
        picture.push('\n');
    }
    picture += "    a b c d e f g\n";
    picture
}
