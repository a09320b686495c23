//! The program's output: JSON objects, aligned tables, colours, the diagram of the board, notes
//! on stderr, and files. Foreign texts cannot control the terminal: hidden characters become spaces on the way
//! out.

use std::borrow::Cow;
use std::fmt::Display;
use std::fs::{self, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, IsTerminal, StdoutLock, Write};
use std::path::Path;
use std::sync::LazyLock;

use anstream::AutoStream;
use clap::ColorChoice;
use clap::builder::styling::{AnsiColor, Style};
use indicatif::{HumanBytes, HumanCount};
use millbase::engine::DrawRule;
pub use millbase::internals::counted;
use millbase::internals::diagram::draw;
use millbase::internals::service::position::Situation;
use millbase::internals::service::words::Fen;
pub use millbase::internals::service::write as json;
use millbase::internals::{Temporary, is_hidden};
use millbase::{Value, Wdl};
use serde::Serialize;

use crate::options::Options;
use crate::status::Status;

/// Stdout, locked and buffered: an answer is one write.
pub type Stdout = Cleaned<BufWriter<AutoStream<StdoutLock<'static>>>>;

/// A stream that gets text without [hidden](is_hidden) characters other than line breaks and colours. Every write
/// must be a whole text.
pub struct Cleaned<W>(pub W);

impl<W: Write> Write for Cleaned<W> {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        let is_plain = |byte: &u8| matches!(byte, b'\n' | b' '..=b'~');
        match text.iter().all(is_plain) {
            true => self.0.write_all(text)?,
            false => {
                let text = String::from_utf8_lossy(text);
                let mut parts = text.split("\x1b[");
                let first = parts.next().unwrap_or_default();
                self.0.write_all(cleaned(first).as_bytes())?;
                for part in parts {
                    let numbers = part.trim_start_matches(|letter: char| letter.is_ascii_digit());
                    let is_colour = *HAS_COLOURS && numbers.starts_with('m');
                    let start = if is_colour { "\x1b[" } else { " [" };
                    write!(self.0, "{start}{}", cleaned(part))?;
                }
            }
        }
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// The text with spaces in place of [hidden](is_hidden) characters other than line breaks.
fn cleaned(text: &str) -> Cow<'_, str> {
    let is_hidden = |letter| is_hidden(letter) && letter != '\n';
    match text.contains(is_hidden) {
        true => text.replace(is_hidden, " ").into(),
        false => text.into(),
    }
}

/// Stdout; flush it before waiting and at the end.
pub fn stdout() -> Stdout {
    let out = io::stdout().lock();
    let stream = match *HAS_COLOURS {
        true => AutoStream::auto(out),
        // Without colours there is nothing to remove.
        false => AutoStream::always_ansi(out),
    };
    Cleaned(BufWriter::with_capacity(1 << 16, stream))
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

/// Prints the answer, with `--json` the object, else the text, and returns the status of work that is done.
pub fn answer(
    options: &Options,
    object: &impl Serialize,
    text: impl FnOnce(&mut Stdout) -> io::Result<()>,
) -> anyhow::Result<Status> {
    let mut out = stdout();
    match options.json {
        true => json(&mut out.0, object)?,
        false => text(&mut out)?,
    }
    out.flush()?;
    Ok(Status::Done)
}

/// Prints the object with `--json`, else nothing.
pub fn object(options: &Options, object: &impl Serialize) -> anyhow::Result<()> {
    answer(options, object, |_| Ok(())).map(drop)
}

/// Writes text to stderr; ignores failures to write.
pub fn to_stderr(text: &str) {
    let _ = io::stderr().lock().write_all(cleaned(text).as_bytes());
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

/// Writes a file; if that fails, an older file of this name stays as it was. A link stays, and its target is written.
/// A path that is not a regular file, such as `/dev/stdout`, is written directly.
pub fn write_file(path: &Path, text: &str) -> io::Result<()> {
    let target = fs::canonicalize(path);
    let is_regular = match &target {
        Ok(target) => target.is_file(),
        Err(_) => !path.is_symlink(),
    };
    if !is_regular {
        return fs::write(path, text);
    }
    let path = target.as_deref().unwrap_or(path);
    let mut temporary = match Temporary::create(path) {
        // The folder may be closed to a writer of its files.
        Err(error) if error.kind() == ErrorKind::PermissionDenied && path.exists() => {
            return fs::write(path, text);
        }
        created => created?,
    };
    if path.exists() {
        // Opening it fails if it may not be written.
        let old = OpenOptions::new().write(true).open(path)?.metadata()?;
        temporary.file.set_permissions(old.permissions())?;
    }
    temporary.file.write_all(text.as_bytes())?;
    temporary.file.sync_all()?;
    temporary.rename(path)
}

/// The texts of turns or points with spaces between them.
pub fn line(items: impl IntoIterator<Item: Display>) -> String {
    let texts: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
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
        true => format!("{ink}{}{ink:#}", cleaned(&text.to_string())),
        false => text.to_string(),
    }
}

/// A value's text in its colour.
pub fn painted(value: Value) -> String {
    paint(ink::of(value.wdl()), value)
}

/// A position's value in its colour, with a remark on what its depth counts under a limit of quiet turns, or if
/// the usual count of these draws the game first: `drawn_after` is that of the answer.
pub fn counted_value(position: &Fen, value: Value, drawn_after: Option<usize>) -> String {
    let has_limit = position.rules.quiet_turns > 0;
    let remark = match (has_limit, value.dtw()) {
        (true, Some(_)) => ", counted to the next removal or the end".to_owned(),
        (false, _) if drawn_after.is_some() && value != Value::Draw => format!(
            ", longer than the limit of {} quiet turns allows without a removal",
            DrawRule::USUAL.quiet_turns
        ),
        _ => String::new(),
    };
    let after = match position.quiet_turns {
        turns @ 1.. if has_limit || !remark.is_empty() => {
            format!(", after {}", counted(turns, "quiet turn"))
        }
        _ => String::new(),
    };
    painted(value) + &remark + &after
}

/// One cell of a table.
#[derive(Clone)]
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
    pub fn count(count: impl Into<u64>) -> Cell {
        Cell::right(HumanCount(count.into()))
    }

    /// A number of bytes.
    pub fn size(bytes: u64) -> Cell {
        Cell::right(HumanBytes(bytes))
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

/// The rows of a table for people, and where it goes.
pub struct TextTable<'a, W, T> {
    out: &'a mut W,
    rows: Vec<T>,
}

/// A column of a table: its heading, and how it makes its cell of a row.
type Column<'a, T> = (&'a str, fn(&T) -> Cell);

/// A table of these rows.
pub fn table<W, T>(out: &mut W, rows: impl IntoIterator<Item = T>) -> TextTable<'_, W, T> {
    let rows = rows.into_iter().collect();
    TextTable { out, rows }
}

impl<W: Write, T> TextTable<'_, W, T> {
    /// Writes the table.
    pub fn write(self, columns: &[Column<'_, T>]) -> io::Result<()> {
        let headings: Vec<&str> = columns.iter().map(|(heading, _)| *heading).collect();
        let cells = |row| columns.iter().map(|(_, cell)| cell(row)).collect();
        let rows: Vec<Vec<Cell>> = self.rows.iter().map(cells).collect();
        write_cells(self.out, &headings, &rows)
    }
}

/// Writes a table of rows that have a cell for each heading, with two spaces between the columns. Each heading
/// is aligned like the cell of the first row below it.
pub fn write_cells(out: &mut impl Write, headings: &[&str], rows: &[Vec<Cell>]) -> io::Result<()> {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        let texts = cells.map(|cell| cell.text.chars().count());
        texts.chain([headings[column].len()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..headings.len()).map(width).collect();
    let headings = headings.iter().enumerate().map(|(column, heading)| {
        let first = rows.first().and_then(|row| row.get(column));
        Cell {
            text: heading.to_string(),
            ink: ink::HEADING,
            right: first.is_some_and(|cell| cell.right),
        }
    });
    let headings: Vec<Cell> = headings.collect();
    for row in std::iter::once(&headings).chain(rows) {
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

/// Writes the position's text, its diagram and its [value](counted_value).
pub fn write_position(
    out: &mut impl Write,
    situation: &Situation,
    value: Value,
    drawn_after: Option<usize>,
) -> io::Result<()> {
    let position = &situation.position;
    writeln!(out, "{position}\n")?;
    let picture = draw(position, |_, _, letter| letter.to_string());
    writeln!(out, "{picture}")?;
    let (side, phase) = (situation.side_to_move, situation.phase.name());
    let value = counted_value(position, value, drawn_after);
    writeln!(out, "{side} to move, {phase}: {value}")
}
