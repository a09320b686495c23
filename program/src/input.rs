//! The program's input: positions from the arguments and lines from stdin.

use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::iter;
use std::ops::RangeInclusive;
use std::path::Path;

use anyhow::{Context, Result};
use millbase::internals::service::question::is_start;
pub use millbase::internals::service::question::position;
use millbase::internals::service::words::Fen;
use millbase::notation::{Record, RecordReader, without_mark};
use millbase::{Pair, Rules};

use crate::status::{Failure, refuse};

/// The most bytes of a line. A longer line is not a position, and the rest of it is skipped.
pub const LONGEST_LINE: u64 = 1024;

/// The most bytes of a file of positions, puzzles, checksums or games.
const LARGEST_FILE: u64 = 256 << 20;

/// The bytes of one read: a few hundred lines, whose answers fit into the processor's cache.
const BUFFER: usize = 1 << 14;

/// The most lines of a batch.
const LARGEST_BATCH: usize = 4096;

/// Parses the position that the arguments give as one word or as several.
///
/// # Errors
///
/// If it is wrong; with this advice if the first word is a whole position and others follow.
pub fn position_of(words: &[String], rules: &Rules, advice: &str) -> Result<Fen, Failure> {
    if let [whole, other, ..] = words
        && is_whole(whole)
    {
        return refuse(format!("'{other}' follows a whole position; {advice}"));
    }
    position(&words.join(" "), rules)
}

/// Whether a word is a whole position and not the first of its fields.
pub fn is_whole(word: &str) -> bool {
    is_start(word) || word.trim().contains(' ')
}

/// The argument that stands for stdin.
pub const STDIN: &str = "-";

/// Opens a file that an argument names, or stdin.
pub fn open(path: &Path) -> Result<Box<dyn Read>, Failure> {
    if path == Path::new(STDIN) {
        return Ok(Box::new(io::stdin()));
    }
    if path.is_dir() {
        let name = path.display();
        return refuse(format!(
            "'{name}' is a folder; name a file, or '-' for stdin"
        ));
    }
    match File::open(path) {
        Ok(file) => Ok(Box::new(file)),
        Err(error) => Err(cannot_read(path, &error)),
    }
}

/// The games of a file, or of stdin. If the file cannot be read or has no game, as `lacks` says in a sentence, an error
/// takes their place.
pub fn games(path: &Path, rules: &Rules, lacks: &str) -> Box<dyn Iterator<Item = Result<Record>>> {
    let name = name(path);
    let mut records = match open(path) {
        Ok(input) => RecordReader::new(*rules, BufReader::new(input)).peekable(),
        Err(error) => return Box::new(iter::once(Err(error.into()))),
    };
    if records.peek().is_none() {
        let error = Failure::question(format!("{name} {lacks}"));
        return Box::new(iter::once(Err(error.into())));
    }
    Box::new(records.map(move |record| record.with_context(|| format!("cannot read {name}"))))
}

/// The name of a file, or stdin, for sentences.
pub fn name(path: &Path) -> String {
    match path == Path::new(STDIN) {
        true => "stdin".to_owned(),
        false => format!("'{}'", path.display()),
    }
}

/// Reads a text file that an argument names, or stdin.
pub fn read_file(path: &Path) -> Result<String, Failure> {
    let text = text_of(path, read_opened(path, open(path)?)?)?;
    Ok(without_mark(&text).to_owned())
}

/// Reads an open file to its end, but not more than a file may have: a device may never end.
pub fn read_opened(path: &Path, file: impl Read) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let too_long = || io::Error::other(format!("it has more than {LARGEST_FILE} bytes"));
    match file.take(LARGEST_FILE + 1).read_to_end(&mut bytes) {
        Ok(length) if length as u64 > LARGEST_FILE => Err(cannot_read(path, &too_long())),
        Ok(_) => Ok(bytes),
        Err(error) => Err(cannot_read(path, &error)),
    }
}

/// The text of a file's bytes.
pub fn text_of(path: &Path, bytes: Vec<u8>) -> Result<String, Failure> {
    String::from_utf8(bytes).map_err(|_| cannot_read(path, &ErrorKind::InvalidData.into()))
}

/// The error of a file that cannot be read.
fn cannot_read(path: &Path, error: &io::Error) -> Failure {
    let reason = match error.kind() {
        ErrorKind::InvalidData => "it is not a text in UTF-8".to_owned(),
        _ => error.to_string(),
    };
    Failure::question(format!("cannot read '{}': {reason}", path.display()))
}

/// Returns an error if a pair has more stones than the rules give a side.
pub fn check_pairs<'a>(
    pairs: impl IntoIterator<Item = &'a Pair>,
    rules: &Rules,
) -> Result<(), Failure> {
    let mut checks = pairs.into_iter().map(|pair| pair.check(rules));
    checks.try_for_each(|check| check.map_err(Failure::question))
}

/// A parser of whole numbers in this range, for arguments.
pub fn number<T: TryFrom<u64>>(
    range: RangeInclusive<u64>,
) -> impl Fn(&str) -> Result<T, String> + Clone {
    move |text| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        let number = number.and_then(|number| T::try_from(number).ok());
        number.ok_or_else(|| match range.clone().into_inner() {
            (least, u64::MAX) => format!("expected a whole number from {least} to 2^64 - 1"),
            (least, most) => format!("expected a whole number from {least} to {most}"),
        })
    }
}

/// A parser of seeds.
pub fn seed() -> impl Fn(&str) -> Result<u64, String> + Clone {
    number(0..=u64::MAX)
}

/// Parses a size like `4G`, `800M` or `1048576` into bytes.
pub fn size(text: &str) -> Result<u64, String> {
    let number = text.trim_end_matches(|letter: char| !letter.is_ascii_digit());
    let shift = match text[number.len()..].to_ascii_lowercase().as_str() {
        "" => Some(0),
        "k" | "kib" => Some(10),
        "m" | "mib" => Some(20),
        "g" | "gib" => Some(30),
        "t" | "tib" => Some(40),
        _ => None,
    };
    let number: Option<u64> = number.parse().ok();
    let bytes = shift.and_then(|shift| number?.checked_mul(1 << shift));
    bytes.ok_or_else(|| "a size is a number of bytes, or of K, M, G or T bytes, like 4G".to_owned())
}

/// The plies of the placing phase whose files a build makes: all, or these besides the usual ones.
#[derive(Clone)]
pub enum Plies {
    All,
    These(Vec<u8>),
}

/// Parses the plies of `--plies`.
pub fn plies(text: &str) -> Result<Plies, String> {
    if text == "all" {
        return Ok(Plies::All);
    }
    let numbers: Result<Vec<u8>, _> = text.split(',').map(str::parse::<u8>).collect();
    let form = |_| "plies are 'all' or numbers of placed stones, like 9,12".to_owned();
    numbers.map(Plies::These).map_err(form)
}

/// A line without its line break, or why it is not usable.
pub type InputLine = Result<String, Failure>;

/// Batches of the lines of stdin that can be read without waiting.
pub struct LineBatches<R> {
    source: BufReader<R>,
    longest_line: u64,
}

impl<R: Read> LineBatches<R> {
    /// A reader of lines of at most this many bytes.
    pub fn new(source: R, longest_line: u64) -> LineBatches<R> {
        let source = BufReader::with_capacity(BUFFER, source);
        LineBatches {
            source,
            longest_line,
        }
    }

    /// Waits for one line and returns it with those that arrived together with it. An empty batch
    /// means the end of the input.
    pub fn next_batch(&mut self) -> io::Result<Vec<InputLine>> {
        let mut lines = Vec::new();
        while let Some(line) = self.line()? {
            lines.push(line);
            if lines.len() == LARGEST_BATCH || !self.source.buffer().contains(&b'\n') {
                break;
            }
        }
        Ok(lines)
    }

    /// Waits for one line; `None` at the end.
    pub fn line(&mut self) -> io::Result<Option<InputLine>> {
        let mut line = Vec::new();
        let mut bounded = self.source.by_ref().take(self.longest_line);
        if bounded.read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        let complete = line.ends_with(b"\n") || (line.len() as u64) < self.longest_line;
        if !complete {
            self.source.skip_until(b'\n')?;
            let most = self.longest_line;
            let message = format!("the line is longer than {most} bytes, so it is not a position");
            let fields = [("most", most.to_string())];
            return Ok(Some(Err(Failure::refused("too_long", fields, message))));
        }
        let line = String::from_utf8_lossy(&line);
        Ok(Some(Ok(without_mark(&line).trim().to_owned())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &[u8]) -> Vec<Option<String>> {
        let mut batches = LineBatches::new(text, LONGEST_LINE);
        let mut lines = Vec::new();
        loop {
            let batch = batches.next_batch().unwrap();
            if batch.is_empty() {
                return lines;
            }
            lines.extend(batch.into_iter().map(Result::ok));
        }
    }

    #[test]
    fn sizes_have_units() {
        assert_eq!(size("4G"), Ok(4 << 30));
        assert_eq!(size("800MiB"), Ok(800 << 20));
        assert_eq!(size("17"), Ok(17));
        for wrong in ["", "G", "-1", "4X", "1.5G", "99999999999T", "4é"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn no_line_is_lost() {
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(lines(b""), []);
        assert_eq!(lines(b"a\r\n\nb"), [some("a"), some(""), some("b")]);
        assert_eq!(lines(b"\xff\nb\n"), [some("\u{fffd}"), some("b")]);
        assert_eq!(lines(b"\xef\xbb\xbfa\nb\n"), [some("a"), some("b")]);
    }

    #[test]
    fn long_lines_are_refused_and_skipped() {
        for length in [1022, 1023, 1024, 1025, 100_000] {
            let text = format!("{}\nb\n", "x".repeat(length));
            let found = lines(text.as_bytes());
            assert_eq!(found.len(), 2);
            assert_eq!(found[0].is_some(), length < 1024);
            assert_eq!(found[1].as_deref(), Some("b"));
        }
    }
}
