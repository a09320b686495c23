//! The program's output: JSON objects, aligned tables, colours, the diagram of the board, and notes
//! on stderr.

use std::fmt::Display;
use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};
use std::sync::LazyLock;

use anstream::AutoStream;
use clap::ColorChoice;
use clap::builder::styling::{AnsiColor, Style};
use indicatif::HumanCount;
use millbase::internals::diagram::draw;
use millbase::service::position::Situation;
pub use millbase::service::write as json;
use millbase::{Turn, Value, Wdl};
use serde::Serialize;

use crate::options::Options;

/// Stdout, locked and buffered: an answer is one write.
pub type Stdout = BufWriter<AutoStream<StdoutLock<'static>>>;

/// Stdout; flush it before waiting and at the end.
pub fn stdout() -> Stdout {
    let out = io::stdout().lock();
    let stream = match *HAS_COLOURS {
        true => AutoStream::auto(out),
        // Without colours there is nothing to remove.
        false => AutoStream::always_ansi(out),
    };
    BufWriter::with_capacity(1 << 16, stream)
}

/// Whether stdout shows colours.
static HAS_COLOURS: LazyLock<bool> =
    LazyLock::new(|| AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never);

/// Decides whether stdout shows colours; call it before the first output.
pub fn set_colours(options: &Options) {
    let choice = match options.color {
        ColorChoice::Always => anstream::ColorChoice::Always,
        ColorChoice::Never => anstream::ColorChoice::Never,
        ColorChoice::Auto => anstream::ColorChoice::Auto,
    };
    choice.write_global();
}

/// Prints the answer: with `--json` the object, else the text.
pub fn answer(
    options: &Options,
    object: &impl Serialize,
    text: impl FnOnce(&mut Stdout) -> io::Result<()>,
) -> io::Result<()> {
    let mut out = stdout();
    match options.json {
        true => json(&mut out, object)?,
        false => text(&mut out)?,
    }
    out.flush()
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

/// A number with its noun, like `1 pair` and `28 pairs`.
pub fn counted(number: u64, noun: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{ending}")
}

/// The texts of turns with spaces between them.
pub fn line(turns: impl IntoIterator<Item: Display>) -> String {
    let texts: Vec<String> = turns.into_iter().map(|turn| turn.to_string()).collect();
    texts.join(" ")
}

/// The colours of texts.
pub mod ink {
    use super::*;

    pub const PLAIN: Style = Style::new();
    pub const HEADING: Style = PLAIN.bold();
    pub const WIN: Style = AnsiColor::Green.on_default();
    pub const DRAW: Style = AnsiColor::Yellow.on_default();
    pub const LOSS: Style = AnsiColor::Red.on_default();
    /// White's stones.
    pub const WHITE: Style = AnsiColor::Yellow.on_default().bold();
    /// Black's stones.
    pub const BLACK: Style = AnsiColor::Blue.on_default().bold();

    /// The colour of a result.
    pub fn of(wdl: Wdl) -> Style {
        match wdl {
            Wdl::Win => WIN,
            Wdl::Draw => DRAW,
            Wdl::Loss => LOSS,
        }
    }
}

/// The text in this colour, if stdout shows colours.
pub fn paint(ink: Style, text: impl Display) -> String {
    match *HAS_COLOURS {
        true => format!("{ink}{text}{ink:#}"),
        false => text.to_string(),
    }
}

/// A value's text in its colour.
pub fn painted(value: Value) -> String {
    paint(ink::of(value.wdl()), value)
}

/// One cell of a [`TextTable`].
pub struct Cell {
    text: String,
    ink: Style,
    right: bool,
}

impl Cell {
    /// A left-aligned text.
    pub fn text(text: impl Display) -> Cell {
        Cell {
            text: text.to_string(),
            ink: ink::PLAIN,
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
        Cell::right(HumanCount(count))
    }

    /// A right-aligned number or text; empty for `None`.
    pub fn optional(number: Option<impl Display>) -> Cell {
        Cell::right(number.map(|number| number.to_string()).unwrap_or_default())
    }

    /// A value in its colour.
    pub fn value(value: Value) -> Cell {
        Cell::text(value).ink(ink::of(value.wdl()))
    }

    /// The same cell in a colour.
    pub fn ink(self, ink: Style) -> Cell {
        Cell { ink, ..self }
    }
}

/// A table for people. Each heading is aligned like the cell of the first row below it.
pub struct TextTable {
    headings: Vec<&'static str>,
    rows: Vec<Vec<Cell>>,
}

impl TextTable {
    /// A table without rows.
    pub fn new(headings: &[&'static str]) -> TextTable {
        TextTable {
            headings: headings.to_vec(),
            rows: Vec::new(),
        }
    }

    /// A table of turns with their values.
    pub fn of_turns(turns: impl IntoIterator<Item = (Turn, Value)>) -> TextTable {
        let mut table = TextTable::new(&["turn", "value"]);
        for (turn, value) in turns {
            table.row(vec![Cell::text(turn), Cell::value(value)]);
        }
        table
    }

    /// Adds a row, which must have a cell for each heading.
    pub fn row(&mut self, cells: Vec<Cell>) {
        self.rows.push(cells);
    }

    /// Writes the table with two spaces between the columns.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
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
                ink: ink::HEADING,
                right: first.is_some_and(|cell| cell.right),
            }
        });
        let headings: Vec<Cell> = headings.collect();
        for row in std::iter::once(&headings).chain(&self.rows) {
            let mut text = String::new();
            for (cell, &width) in row.iter().zip(&widths) {
                let pad = " ".repeat(width.saturating_sub(cell.text.chars().count()));
                let painted = paint(cell.ink, &cell.text);
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

/// Writes the position's text, its diagram and its value.
pub fn write_position(out: &mut impl Write, situation: &Situation, value: Value) -> io::Result<()> {
    let Situation {
        position,
        side_to_move: side,
        phase,
    } = situation;
    writeln!(out, "{position}\n")?;
    let picture = draw(position, |_, _, letter| letter.to_string());
    writeln!(out, "{picture}")?;
    let phase = phase.name();
    writeln!(out, "{side} to move, {phase}: {}", painted(value))
}
