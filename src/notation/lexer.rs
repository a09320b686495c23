//! A text as tokens with their places. It takes lines in pieces of bounded length, so that a line
//! may have any length.

use std::borrow::Cow;
use std::io::{self, BufRead, Read};
use std::{mem, str};

use super::line::TextPlace;
use super::words;

/// The most bytes of a piece of a line.
const LONGEST_PIECE: usize = 1 << 14;

/// The most bytes of a comment; the rest is left out.
pub const LONGEST_COMMENT: usize = 1 << 16;

/// A part of a line, or all of it.
#[derive(Debug)]
pub struct Chunk {
    /// The text without its line break.
    pub text: String,
    /// Where it begins.
    pub place: TextPlace,
    /// The first letter that is not UTF-8.
    pub not_utf8: Option<TextPlace>,
    /// Whether it ends its line.
    pub ends_line: bool,
}

/// Reads an input piece by piece.
#[derive(Debug)]
pub struct Chunks<R> {
    input: R,
    next: TextPlace,
    /// Bytes of the line that were read with those of the last piece.
    carried: Vec<u8>,
    /// Whether the last piece ended before its line.
    is_within_line: bool,
}

impl<R: BufRead> Chunks<R> {
    /// The pieces of an input.
    pub fn new(input: R) -> Chunks<R> {
        Chunks {
            input,
            next: TextPlace { line: 1, column: 1 },
            carried: Vec::new(),
            is_within_line: false,
        }
    }

    /// The next piece, which ends at a space unless a word is too long for it; `None` at the end of the input.
    ///
    /// # Errors
    ///
    /// Those of the input.
    pub fn next(&mut self) -> io::Result<Option<Chunk>> {
        let mut bytes = mem::take(&mut self.carried);
        let room = (LONGEST_PIECE - bytes.len().min(LONGEST_PIECE - 1)) as u64;
        let read = (&mut self.input).take(room).read_until(b'\n', &mut bytes)?;
        if bytes.is_empty() && !self.is_within_line {
            return Ok(None);
        }
        let ends_line = bytes.last() == Some(&b'\n') || (read as u64) < room;
        self.is_within_line = !ends_line;
        if !ends_line {
            let space = bytes.iter().rposition(u8::is_ascii_whitespace);
            let end = space.map_or_else(|| whole_letters(&bytes), |space| space + 1);
            self.carried = bytes.split_off(end);
        }
        while let Some(b'\n' | b'\r') = bytes.last() {
            bytes.pop();
        }
        let place = self.next;
        let text = String::from_utf8_lossy(&bytes);
        let is_utf8 = matches!(text, Cow::Borrowed(_));
        let wrong = text.find(char::REPLACEMENT_CHARACTER).filter(|_| !is_utf8);
        let not_utf8 = wrong.map(|at| place.after(&text[..at]));
        let mut text = text.into_owned();
        if place.line == 1 && place.column == 1 {
            text = without_mark(&text).to_owned();
        }
        self.next = match ends_line {
            true => TextPlace {
                line: place.line + 1,
                column: 1,
            },
            false => place.after(&text),
        };
        Ok(Some(Chunk {
            text,
            place,
            not_utf8,
            ends_line,
        }))
    }
}

/// The text without the byte order mark that some editors put before it.
pub fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// The number of bytes without a last letter that is not whole.
fn whole_letters(bytes: &[u8]) -> usize {
    match str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => error.valid_up_to(),
        _ => bytes.len(),
    }
}

/// A token of a game's text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Token<'a> {
    /// A word without spaces, commas and brackets, except for those of `(1,2)`; and the text after it.
    Word(&'a str, &'a str),
    /// A comment, whose spaces and line breaks are single spaces; and whether its end is left out, as it is too long.
    Comment(String, bool),
    /// `(`
    Open,
    /// `)`
    Close,
}

/// The state between two pieces.
#[derive(Debug, Default)]
pub struct Lexer {
    comment: Option<OpenComment>,
}

/// A comment that has begun.
#[derive(Debug)]
struct OpenComment {
    place: TextPlace,
    /// The letter that ends it; the end of the line or a carriage return if there is none.
    end: Option<char>,
    text: String,
    is_long: bool,
}

impl OpenComment {
    fn push(&mut self, letter: char) {
        let is_space = letter.is_whitespace();
        if is_space && (self.text.is_empty() || self.text.ends_with(' ')) {
            return;
        }
        if self.text.len() >= LONGEST_COMMENT {
            self.is_long = true;
            return;
        }
        self.text.push(if is_space { ' ' } else { letter });
    }

    fn close(mut self) -> (TextPlace, Token<'static>) {
        self.text.truncate(self.text.trim_end().len());
        (self.place, Token::Comment(self.text, self.is_long))
    }
}

impl Lexer {
    /// Whether a comment goes on.
    pub fn in_comment(&self) -> bool {
        self.comment.is_some()
    }

    /// Begins a comment up to this letter, or up to the end of the line.
    pub fn begin_comment(&mut self, place: TextPlace, end: Option<char>) {
        self.comment = Some(OpenComment {
            place,
            end,
            text: String::new(),
            is_long: false,
        });
    }

    /// Passes the tokens of a text, which begins at a place, to `found`.
    pub fn tokens(
        &mut self,
        text: &str,
        start: TextPlace,
        found: &mut impl FnMut(TextPlace, Token),
    ) {
        let mut word: Option<(usize, TextPlace)> = None;
        let mut place = start;
        let mut end_of_coordinates = 0;
        for (at, letter) in text.char_indices() {
            let here = place;
            place.column += 1;
            let ends = |comment: &mut OpenComment| comment.end.unwrap_or('\r') == letter;
            if let Some(comment) = self.comment.take_if(ends) {
                let (place, comment) = comment.close();
                found(place, comment);
                continue;
            }
            if let Some(comment) = &mut self.comment {
                comment.push(letter);
                continue;
            }
            if at < end_of_coordinates {
                continue;
            }
            if letter == '('
                && let Some((_, length)) = words::coordinates(&text[at..])
            {
                word = word.or(Some((at, here)));
                end_of_coordinates = at + length;
                continue;
            }
            let divides = letter.is_whitespace()
                || matches!(letter, '(' | ')' | '{' | ';' | ',' | '"' | '[' | ']' | '（');
            if !divides {
                word = word.or(Some((at, here)));
                continue;
            }
            if let Some((from, place)) = word.take() {
                found(place, Token::Word(&text[from..at], &text[at..]));
            }
            match letter {
                '(' => found(here, Token::Open),
                ')' => found(here, Token::Close),
                '{' => self.begin_comment(here, Some('}')),
                '（' => self.begin_comment(here, Some('）')),
                ';' => self.begin_comment(here, None),
                _ => {}
            }
        }
        if let Some((from, place)) = word {
            found(place, Token::Word(&text[from..], ""));
        }
    }

    /// Ends a line; returns a comment that ends with it.
    pub fn end_line(&mut self) -> Option<(TextPlace, Token<'static>)> {
        let ended = self.comment.take_if(|comment| comment.end.is_none());
        if let Some(comment) = &mut self.comment {
            comment.push(' ');
        }
        ended.map(OpenComment::close)
    }

    /// Ends the input; returns a comment that is not closed.
    pub fn end(&mut self) -> Option<(TextPlace, Token<'static>)> {
        self.comment.take().map(OpenComment::close)
    }
}
