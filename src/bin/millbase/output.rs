//! The program's output: JSON objects, aligned tables, colours, the diagram of the board, and notes
//! on stderr.

use std::env;
use std::fmt::Display;
use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};

use clap::ColorChoice;
use millbase::json;
use millbase::rules::diagram::draw;
use millbase::{Position, Rules, Value, Wdl};
use serde::Serialize;

use crate::options::Options;

/// Stdout, locked and buffered; flush it before waiting and at the end.
pub fn stdout() -> BufWriter<StdoutLock<'static>> {
    BufWriter::with_capacity(1 << 16, io::stdout().lock())
}

/// Writes text to stderr; ignores failures to write.
pub fn to_stderr(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Writes a note for the user besides the answer.
pub fn note(options: &Options, text: impl Display) {
    if !options.quiet {
        to_stderr(&format!("{text}\n"));
    }
}

/// Writes a note that a step of a long task is finished, where no progress bar shows it.
pub fn step(options: &Options, text: impl Display) {
    if !io::stderr().is_terminal() {
        note(options, text);
    }
}

/// Writes one JSON object and a line break.
pub fn json(out: &mut impl Write, answer: &impl Serialize) -> io::Result<()> {
    json::write(out, answer)?;
    out.write_all(b"\n")
}

/// Whether the terminal understands colours and the user wants them.
#[derive(Clone, Copy)]
pub struct Palette(bool);

impl Palette {
    /// The palette for stdout.
    pub fn of(options: &Options) -> Palette {
        let is_set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
        Palette(match options.color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => {
                let dumb = env::var_os("TERM").is_some_and(|term| term == "dumb");
                io::stdout().is_terminal() && !is_set("NO_COLOR") && !dumb
            }
        })
    }

    /// The text in this colour.
    pub fn paint(self, ink: Ink, text: &str) -> String {
        match ink.code() {
            Some(code) if self.0 => format!("\x1b[{code}m{text}\x1b[0m"),
            _ => text.to_owned(),
        }
    }

    /// A value's text in its colour.
    pub fn value(self, value: Value) -> String {
        self.paint(Ink::of(value.wdl()), &value.to_string())
    }
}

/// The colour or style of a text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Ink {
    Plain,
    Heading,
    Win,
    Draw,
    Loss,
    /// White's stones.
    White,
    /// Black's stones.
    Black,
}

impl Ink {
    /// The colour of a result.
    pub fn of(wdl: Wdl) -> Ink {
        match wdl {
            Wdl::Win => Ink::Win,
            Wdl::Draw => Ink::Draw,
            Wdl::Loss => Ink::Loss,
        }
    }

    /// The terminal's code.
    fn code(self) -> Option<&'static str> {
        match self {
            Ink::Plain => None,
            Ink::Heading => Some("1"),
            Ink::Win => Some("32"),
            Ink::Draw => Some("33"),
            Ink::Loss => Some("31"),
            Ink::White => Some("1;33"),
            Ink::Black => Some("1;34"),
        }
    }
}

/// One cell of a [`Table`].
pub struct Cell {
    text: String,
    ink: Ink,
    right: bool,
}

impl Cell {
    /// A left-aligned text.
    pub fn text(text: impl Display) -> Cell {
        Cell {
            text: text.to_string(),
            ink: Ink::Plain,
            right: false,
        }
    }

    /// A right-aligned number or text.
    pub fn right(text: impl Display) -> Cell {
        Cell {
            right: true,
            ..Cell::text(text)
        }
    }

    /// A count with its digits in groups of three.
    pub fn count(count: u64) -> Cell {
        Cell::right(grouped(count))
    }

    /// A depth in turns; empty for `None`.
    pub fn depth(dtw: Option<millbase::Dtw>) -> Cell {
        Cell::right(dtw.map(|dtw| dtw.to_string()).unwrap_or_default())
    }

    /// The same cell in a colour.
    pub fn ink(self, ink: Ink) -> Cell {
        Cell { ink, ..self }
    }
}

/// A table for people. Each heading is aligned like the cell of the first row below it.
pub struct Table {
    headings: Vec<&'static str>,
    rows: Vec<Vec<Cell>>,
}

impl Table {
    /// A table without rows.
    pub fn new(headings: &[&'static str]) -> Table {
        Table {
            headings: headings.to_vec(),
            rows: Vec::new(),
        }
    }

    /// Adds a row, which must have a cell for each heading.
    pub fn row(&mut self, cells: Vec<Cell>) {
        self.rows.push(cells);
    }

    /// Writes the table with two spaces between the columns.
    pub fn write(&self, out: &mut impl Write, palette: Palette) -> io::Result<()> {
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            let texts = cells.map(|cell| cell.text.chars().count());
            texts
                .chain([self.headings[column].len()])
                .max()
                .unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.headings.len()).map(width).collect();
        let headings = self.headings.iter().enumerate().map(|(column, heading)| {
            let first = self.rows.first().and_then(|row| row.get(column));
            Cell {
                text: heading.to_string(),
                ink: Ink::Heading,
                right: first.is_some_and(|cell| cell.right),
            }
        });
        let headings: Vec<Cell> = headings.collect();
        for row in std::iter::once(&headings).chain(&self.rows) {
            let mut text = String::new();
            for (cell, &width) in row.iter().zip(&widths) {
                let pad = " ".repeat(width.saturating_sub(cell.text.chars().count()));
                let painted = palette.paint(cell.ink, &cell.text);
                match cell.right {
                    true => text += &format!("{pad}{painted}  "),
                    false => text += &format!("{painted}{pad}  "),
                }
            }
            writeln!(out, "{}", text.trim_end())?;
        }
        Ok(())
    }
}

/// A number with its digits in groups of three.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number of bytes as a text, in the unit that suits its size.
pub fn bytes(bytes: u64) -> String {
    let units = ["KiB", "MiB", "GiB", "TiB"];
    let mut size = bytes as f64 / 1024.0;
    let mut unit = 0;
    while size >= 1024.0 && unit + 1 < units.len() {
        size /= 1024.0;
        unit += 1;
    }
    match bytes {
        0..1024 => format!("{bytes} B"),
        _ => format!("{size:.1} {}", units[unit]),
    }
}

/// Writes the position's text, its diagram and its value.
pub fn write_position(
    out: &mut impl Write,
    position: &Position,
    value: Value,
    rules: &Rules,
    palette: Palette,
) -> io::Result<()> {
    let side = position.side_to_move();
    let phase = position.phase(rules).name();
    writeln!(out, "{}\n", position.text(rules))?;
    let picture = draw(position, |_, _, letter| letter.to_string());
    writeln!(out, "{picture}")?;
    writeln!(out, "{side} to move, {phase}: {}", palette.value(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        let texts = [0, 999, 1_000, 12_345_678].map(grouped);
        assert_eq!(texts, ["0", "999", "1,000", "12,345,678"]);
    }

    #[test]
    fn sizes_have_units() {
        let texts = [0, 1023, 1024, 1 << 20, 3_123_960_602].map(bytes);
        assert_eq!(texts, ["0 B", "1023 B", "1.0 KiB", "1.0 MiB", "2.9 GiB"]);
    }
}
