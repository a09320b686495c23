//! Reads games from any input, one after the other, and finds their form.
//!
//! A game ends where another begins: at tags, a position or the turn number 1 after turns, at any turn after the line
//! with its result, and at a turn without a number after an empty line, a line of the engine protocol, or a line of turns
//! without numbers. Lines of one turn each are one game together. So comments, variations and the result may stand
//! on lines of their own.

use std::collections::VecDeque;
use std::io::{self, BufRead};
use std::mem;

use super::draft::{Draft, is_result, turns_of};
use super::lexer::{Chunk, Chunks, Lexer, Token};
use super::line::{Part, TextPlace};
use super::position::{self, PositionForm};
use super::record::Record;
use super::words::names_point;
use crate::engine::game::Game;
use crate::rules::Rules;

/// An iterator over the games of an input, which reads them lazily. It goes on after a text that is not a game, and
/// ends after an error of the input.
///
/// ```
/// use millbase::Rules;
/// use millbase::notation::RecordReader;
/// let text = "1. 5 14 2. 20 19 1-0\n1. a7 g1 2. g7 a1 0-1\n";
/// let games: Vec<_> = RecordReader::new(Rules::STANDARD, text.as_bytes()).collect::<Result<_, _>>()?;
/// let turns = games[0].game.turns();
/// assert_eq!((games.len(), turns[0].to_string()), (2, "d6".to_owned()));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct RecordReader<R> {
    pieces: Chunks<R>,
    lexer: Lexer,
    drafts: Drafts,
    is_over: bool,
}

impl<R: BufRead> RecordReader<R> {
    /// The games of an input; `rules` are those of games that name none.
    pub fn new(rules: Rules, input: R) -> RecordReader<R> {
        RecordReader {
            pieces: Chunks::new(input),
            lexer: Lexer::default(),
            drafts: Drafts {
                rules,
                ..Drafts::default()
            },
            is_over: false,
        }
    }

    fn take(&mut self, piece: &Chunk) {
        let (lexer, drafts) = (&mut self.lexer, &mut self.drafts);
        let (mut text, mut place) = (piece.text.as_str(), piece.place);
        if place.column == 1 && !lexer.in_comment() {
            let used = drafts.begin_line(lexer, text, place, piece.ends_line);
            place = place.after(&text[..used]);
            text = &text[used..];
        }
        lexer.tokens(text, place, &mut |place, token| drafts.token(place, token));
        drafts.draft.not_utf8 = drafts.draft.not_utf8.or(piece.not_utf8);
        if piece.ends_line {
            if let Some((place, comment)) = lexer.end_line() {
                drafts.token(place, comment);
            }
            drafts.end_line(lexer.in_comment());
        }
    }

    /// Ends the input.
    fn end(&mut self) {
        self.is_over = true;
        let drafts = &mut self.drafts;
        if let Some((place, comment)) = self.lexer.end() {
            drafts.token(place, comment);
            let message = "a comment is not closed before the input ends";
            let remark = place.remark("open_comment", [], message);
            drafts.draft.remark(remark);
        }
        drafts.finish();
    }
}

impl<R: BufRead> Iterator for RecordReader<R> {
    type Item = io::Result<Record>;

    fn next(&mut self) -> Option<io::Result<Record>> {
        loop {
            let found = self.drafts.found.pop_front();
            if found.is_some() || self.is_over {
                return found;
            }
            match self.pieces.next() {
                Ok(Some(piece)) => self.take(&piece),
                Ok(None) => self.end(),
                Err(error) => {
                    self.end();
                    self.drafts.found.push_back(Err(error));
                }
            }
        }
    }
}

/// The game of a line of the engine protocol, as [`Game::parse`] reads it, or with turns in any other form that leaves no
/// doubt and has nothing besides turns.
///
/// ```
/// use millbase::Rules;
/// use millbase::notation::protocol_game;
/// let game = protocol_game("position startpos moves 5 24 1 3-15", &Rules::STANDARD);
/// assert!(game.is_err());
/// let game = protocol_game("position startpos moves 5 24 1", &Rules::STANDARD)?;
/// assert_eq!(game.text(), "position startpos moves d6 g1 a7");
/// # Ok::<(), String>(())
/// ```
///
/// # Errors
///
/// As for [`Game::parse`].
pub fn protocol_game(line: &str, rules: &Rules) -> Result<Game, String> {
    let error = match Game::parse(line, rules) {
        Ok(game) => return Ok(game),
        Err(error) => error,
    };
    let mut records = RecordReader::new(*rules, line.as_bytes()).flatten();
    match (records.next(), records.next()) {
        (Some(record), None) if record.has_turns_only() => Ok(record.game),
        _ => Err(error),
    }
}

/// The game that is being read, and those that have been read.
#[derive(Debug, Default)]
struct Drafts {
    rules: Rules,
    /// The rules that the lines of the protocol set last: an engine keeps them.
    option: Option<(String, TextPlace)>,
    draft: Draft,
    found: VecDeque<io::Result<Record>>,
}

impl Drafts {
    /// Looks at a line, or at the first piece of it, before its tokens are read; returns the number of bytes that need
    /// no more reading.
    fn begin_line(
        &mut self,
        lexer: &mut Lexer,
        text: &str,
        place: TextPlace,
        is_whole: bool,
    ) -> usize {
        let line = text.trim();
        let first = line.split_whitespace().next().unwrap_or_default();
        let is_remark = first.starts_with(['#', '%']);
        if self.draft.depth > 0 && !is_remark {
            // In a variation that is not closed, only tags begin another game.
            if tag(line).is_none() {
                return 0;
            }
            self.end();
        }
        let draft = &mut self.draft;
        draft.part_comments(line.is_empty() || is_remark);
        if is_remark {
            lexer.begin_comment(place, None);
            return text.find(['#', '%']).map_or(0, |at| at + 1);
        }
        draft.is_paused |= line.is_empty() || draft.is_column && turns_of(line) > 1;
        if line.is_empty() {
            return text.len();
        }
        if first == "setoption" {
            self.begin_game();
            let rules = line.strip_prefix("setoption name Rules value ");
            if let Some(rules) = rules {
                self.option = Some((rules.trim().to_owned(), place));
                self.draft.rules = self.option.clone();
            } else {
                let predicate = "is not a line of a game; a saved game has lines 'position …' and 'setoption name Rules …'";
                self.draft
                    .remark(place.remark_on(line, "not_a_line", predicate));
            }
            return text.len();
        }
        let form = position::form_of(first);
        if is_whole
            && (is_object(line) || matches!(form, Some(PositionForm::Mfen | PositionForm::Rings)))
        {
            self.begin_position(line, place);
            return text.len();
        }
        self.tags(text, place)
    }

    /// Ends the game before tags, a position or an option, which come before all turns of a game.
    fn begin_game(&mut self) {
        let draft = &self.draft;
        if draft.words > 0 || draft.start.is_some() || draft.is_over() {
            self.end();
        }
    }

    /// Begins a game with the text of its first position.
    fn begin_position(&mut self, text: &str, place: TextPlace) {
        self.begin_game();
        self.draft.go_on();
        self.draft.start = Some((text.to_owned(), place));
    }

    /// Reads the tags at the start of a line; returns the number of bytes that they take.
    fn tags(&mut self, text: &str, place: TextPlace) -> usize {
        let mut used = 0;
        loop {
            let rest = &text[used..];
            let inner = rest.trim_start();
            let place = place.after(&text[..text.len() - inner.len()]);
            let is_tag = inner.strip_prefix('[').is_some_and(|rest| {
                let mut letters = rest.trim_start().chars();
                letters.next().is_some_and(char::is_alphabetic)
            });
            if !is_tag {
                return used;
            }
            self.begin_game();
            let Some((name, value, length)) = tag(inner) else {
                let predicate = "is not a tag; a tag is written like [White \"Name\"]";
                self.draft
                    .remark(place.remark_on(inner, "not_a_tag", predicate));
                return text.len();
            };
            if self.draft.is_paused && self.draft.has_tag(&name) {
                self.end();
            }
            used = text.len() - inner.len() + length;
            self.draft.add_tag(name, value, place);
        }
    }

    fn token(&mut self, place: TextPlace, token: Token) {
        if !matches!(token, Token::Word(..)) {
            self.draft.start_goes_on = false;
        }
        match token {
            Token::Word(word, after) => self.word(place, word, after),
            Token::Comment(text, is_long) => {
                if !text.is_empty() {
                    self.draft.add(place, Part::Comment(text.into()));
                }
                if is_long {
                    let message = "a comment is too long, and its end is left out";
                    self.draft.remark(place.remark("too_long", [], message));
                }
            }
            Token::Open => {
                self.draft.depth += 1;
                self.draft.add(place, Part::Open);
            }
            Token::Close => self.close(place),
        }
    }

    fn close(&mut self, place: TextPlace) {
        let draft = &mut self.draft;
        if draft.depth > 0 {
            draft.depth -= 1;
        } else if let Some((_, Part::Number)) = draft.parts.last() {
            // `3) d6`
            return;
        }
        draft.add(place, Part::Close);
    }

    /// Reads a word; `after` is the text after it.
    fn word(&mut self, mut place: TextPlace, mut word: &str, after: &str) {
        // Numbers of turns may be written together with what follows, as in `1.d6`.
        while let Some(length) = self.part_of_word(place, word, after) {
            (place, word) = (place.after(&word[..length]), &word[length..]);
        }
    }

    /// Reads a word; if a number begins it, only the number, and returns its length.
    fn part_of_word(&mut self, place: TextPlace, word: &str, after: &str) -> Option<usize> {
        let draft = &mut self.draft;
        if draft.takes_start_word(word) {
            return None;
        }
        let begins_line = draft.words_of_line == 0;
        let form = position::form_of(word)
            .filter(|form| matches!(form, PositionForm::Fen | PositionForm::Rows));
        // The empty board by rows consists of dots, too.
        if form.is_none() && word.chars().all(is_dot) {
            return None;
        }
        if word == "position" && begins_line || form.is_some() {
            self.begin_position(form.map_or("", |_| word), place);
            let draft = &mut self.draft;
            draft.is_protocol = form.is_none();
            draft.start_goes_on = true;
            if draft.is_protocol {
                draft.rules = self.option.clone();
            }
            return None;
        }
        if is_result(word) {
            if draft.has_result && draft.is_paused && draft.depth == 0 {
                self.end();
            }
            let draft = &mut self.draft;
            draft.has_result |= draft.depth == 0 && !draft.may_be_move(word);
            draft.add(place, Part::Result(word.into()));
            return None;
        }
        let is_main = draft.depth == 0;
        let begins_line = begins_line && !matches!(draft.parts.last(), Some((_, Part::Number)));
        if let Some((number, dots, length)) = number_of(word, after, is_main, begins_line) {
            self.number(place, number, dots < 3);
            return (length < word.len()).then_some(length);
        }
        if word.starts_with('$')
            && word.len() > 1
            && word[1..].bytes().all(|byte| byte.is_ascii_digit())
        {
            self.draft.add(place, Part::Mark(word.into()));
            return None;
        }
        if is_main && draft.is_over() {
            self.end();
        }
        self.draft.add(place, Part::Word(word.into()));
        None
    }

    /// The number of a turn; `is_white` says that White's turn follows.
    fn number(&mut self, place: TextPlace, number: u32, is_white: bool) {
        let draft = &self.draft;
        let begins_line = draft.words_of_line == 0;
        let is_other = match number == 1 && is_white {
            true => {
                let has_turns = draft.words > 1 || draft.words > 0 && begins_line;
                has_turns || draft.has_result || draft.is_over()
            }
            // A later number goes on with the game, but not after the line with its result.
            false => draft.has_result && draft.is_paused,
        };
        if draft.depth == 0 && is_other {
            self.end();
        }
        self.draft.has_numbers = true;
        self.draft.add(place, Part::Number);
    }

    fn end_line(&mut self, in_comment: bool) {
        let draft = &mut self.draft;
        draft.start_goes_on = false;
        if in_comment || draft.depth > 0 {
            return;
        }
        let words = mem::take(&mut draft.words_of_line);
        if words > 0 {
            let is_first = draft.words == words;
            let may_be_column = draft.is_list() && (is_first || draft.is_column);
            draft.is_column = may_be_column && draft.is_one_turn(words);
            draft.is_paused |= draft.is_list() && !draft.is_column;
        }
        draft.is_paused |= draft.is_protocol || draft.has_result;
    }

    /// Ends the game that has been read, where another begins.
    fn end(&mut self) {
        let comments = self.draft.take_next_comments();
        self.finish();
        for (place, comment) in comments {
            self.draft.add(place, comment);
        }
    }

    /// Ends the game that has been read.
    fn finish(&mut self) {
        let draft = mem::take(&mut self.draft);
        if !draft.is_nothing() {
            self.found.push_back(Ok(draft.record(&self.rules)));
        }
    }
}

/// The name and the value of the tag at the start of a text, and its number of bytes.
fn tag(text: &str) -> Option<(String, String, usize)> {
    let inner = text.strip_prefix('[')?.trim_start();
    let end = inner.find(|letter: char| letter.is_whitespace() || letter == '"')?;
    let (name, rest) = inner.split_at(end);
    // No form can write it again.
    if name.contains(char::is_control) {
        return None;
    }
    let rest = rest.trim_start().strip_prefix('"')?;
    let (mut value, mut is_escaped) = (String::new(), false);
    for (at, letter) in rest.char_indices() {
        match letter {
            '\\' if !is_escaped => {
                is_escaped = true;
                continue;
            }
            '"' if !is_escaped => {
                let after = rest[at + 1..].trim_start().strip_prefix(']')?;
                return Some((name.to_owned(), value, text.len() - after.len()));
            }
            '"' | '\\' => {}
            _ if is_escaped => value.push('\\'),
            _ => {}
        }
        is_escaped = false;
        value.push(letter);
    }
    None
}

/// Whether a line is an object with the field `board`, and not a comment that has this word.
fn is_object(line: &str) -> bool {
    let inner = line
        .strip_prefix('{')
        .and_then(|line| line.strip_suffix('}'));
    inner.is_some_and(|inner| {
        let mut after = inner.split("\"board\"").skip(1);
        let has_field = after.any(|rest| rest.trim_start().starts_with(':'));
        has_field && inner.trim_start().starts_with('"')
    })
}

fn is_dot(letter: char) -> bool {
    matches!(letter, '.' | '…')
}

/// The number of a turn at the start of a word, such as `12.d6` or `3...`: with it the number of dots, and the
/// number of bytes of both. `3` is one, too, before dots, before a `)` that closes nothing, and where it begins a
/// line before the name of a point.
fn number_of(
    word: &str,
    after: &str,
    is_main: bool,
    begins_line: bool,
) -> Option<(u32, usize, usize)> {
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    let length = word.len() - word[digits..].trim_start_matches(is_dot).len();
    let next = after.split_whitespace().next().unwrap_or_default();
    let dots = if length > digits {
        &word[digits..]
    } else {
        next
    };
    let count = dots.chars().take_while(|&letter| is_dot(letter));
    let count = count.map(|letter| if letter == '…' { 3 } else { 1 }).sum();
    let names_one = next.starts_with(char::is_alphanumeric) && names_point(next);
    let is_number = count > 0 || is_main && after.starts_with(')') || begins_line && names_one;
    let is_whole = length > digits || digits == word.len();
    let number = word[..digits].parse().ok()?;
    (is_number && is_whole).then_some((number, count, length))
}
