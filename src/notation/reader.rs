//! Reads games from any input, one after the other, and finds their form.
//!
//! A game ends where another begins: at tags after turns, at the turn number 1 after turns, at a line of the engine
//! protocol, at an empty line that no later turn number follows, and after the line with its result. A line of turns
//! without numbers is a game of its own; lines of one turn each are one game together.

use std::collections::VecDeque;
use std::io::{self, BufRead};
use std::mem;

use super::lexer::{Chunk, Chunks, Lexer, Token};
use super::line::{Built, Part, TextPlace, build};
use super::names;
use super::numbering::{Grid, PointNaming};
use super::position::{self, PositionForm};
use super::record::{GameResult, Record, Remark};
use super::words::{TurnWords, atoms, coordinates, is_spoken};
use crate::board::POINTS;
use crate::engine::game::{Game, shown};
use crate::rules::Rules;
use crate::rules::position::Position;

/// The most parts of a game.
const MOST_PARTS: usize = 100_000;

/// The most bytes of a game's turns, comments and tags.
const MOST_BYTES: usize = 1 << 20;

/// The most remarks about a game.
const MOST_REMARKS: usize = 100;

/// The most bytes of a line that may be one turn.
const LONGEST_TURN: usize = 200;

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
                draft: Draft::default(),
                found: VecDeque::new(),
            },
            is_over: false,
        }
    }

    fn take(&mut self, piece: &Chunk) {
        let (lexer, drafts) = (&mut self.lexer, &mut self.drafts);
        let (mut text, mut place) = (piece.text.as_str(), piece.place);
        if place.column == 1 && !lexer.in_comment() {
            drafts.end_open_variation(text);
        }
        if place.column == 1 && !lexer.in_comment() && drafts.draft.depth == 0 {
            match drafts.begin_line(text, place, piece.ends_line) {
                LineStart::Read => return,
                LineStart::Remark => lexer.begin_comment(place, None),
                LineStart::Text => {}
            }
            if lexer.in_comment() || text.trim_start().starts_with('[') {
                let used = match lexer.in_comment() {
                    true => text.find(['#', '%']).map_or(0, |at| at + 1),
                    false => drafts.tags(text, place),
                };
                place.column += text[..used].chars().count();
                text = &text[used..];
            }
        }
        lexer.tokens(text, place, &mut |place, token| drafts.token(place, token));
        if piece.ends_line {
            lexer.end_line(&mut |place, token| drafts.token(place, token));
            drafts.end_line(lexer.in_comment());
        }
    }

    /// Ends the input.
    fn end(&mut self) {
        self.is_over = true;
        let drafts = &mut self.drafts;
        let mut take = |place, token: Token| drafts.token(place, token);
        if let Some(place) = self.lexer.end(&mut take) {
            let message = "a comment is not closed before the input ends";
            let remark = place.remark("open_comment", [], message);
            drafts.draft.remark(remark);
        }
        drafts.end();
    }
}

impl<R: BufRead> Iterator for RecordReader<R> {
    type Item = io::Result<Record>;

    fn next(&mut self) -> Option<io::Result<Record>> {
        loop {
            if let Some(record) = self.drafts.found.pop_front() {
                return Some(Ok(record));
            }
            if self.is_over {
                return None;
            }
            match self.pieces.next() {
                Ok(Some(piece)) => self.take(&piece),
                Ok(None) => self.end(),
                Err(error) => {
                    self.is_over = true;
                    return Some(Err(error));
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

/// The kind of a line, by its start.
enum LineStart {
    /// Nothing of it is left.
    Read,
    /// It is a comment.
    Remark,
    /// It has tags, turns or a position.
    Text,
}

/// The game that is being read, and those that have been read.
#[derive(Debug)]
struct Drafts {
    rules: Rules,
    draft: Draft,
    found: VecDeque<Record>,
}

/// The parts of a game.
#[derive(Debug, Default)]
struct Draft {
    tags: Vec<(String, String, TextPlace)>,
    /// The rules of a saved game.
    rules: Option<(String, TextPlace)>,
    /// Whether the game names the rules by which it is read.
    has_rules: bool,
    /// The text of its first position.
    start: Option<(String, TextPlace)>,
    /// Whether more words of the position may follow.
    start_goes_on: Option<StartWords>,
    /// Whether the line of the engine protocol is its only one.
    is_protocol: bool,
    parts: Vec<(TextPlace, Part)>,
    bytes: usize,
    words: usize,
    words_of_line: usize,
    has_numbers: bool,
    /// The number of open parentheses.
    depth: usize,
    has_result: bool,
    /// Whether each line has one turn so far.
    is_column: bool,
    /// Whether an empty line came last.
    is_paused: bool,
    remarks: Vec<Remark>,
    remarks_left_out: usize,
    is_full: bool,
}

/// The words that a position may have in its line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum StartWords {
    /// Up to `moves`.
    Protocol,
    /// Letters and numbers.
    Fields,
}

impl Drafts {
    /// Ends a game with a variation that is not closed, where tags begin another game.
    fn end_open_variation(&mut self, text: &str) {
        if self.draft.depth > 0 && tag(text.trim_start()).is_some() {
            self.end();
        }
    }

    /// Looks at a line, or at the first piece of it, before its tokens are read.
    fn begin_line(&mut self, text: &str, place: TextPlace, is_whole: bool) -> LineStart {
        let line = text.trim();
        let first = line.split_whitespace().next().unwrap_or_default();
        let draft = &mut self.draft;
        if line.is_empty() {
            if draft.is_list() && (draft.words > 0 || !draft.remarks.is_empty()) {
                self.end();
            } else {
                draft.is_paused = true;
            }
            return LineStart::Read;
        }
        if first.starts_with(['#', '%']) {
            return LineStart::Remark;
        }
        // `3)` is a number, too.
        let number = number_of(&first.replacen(')', ".", 1)).map(|(number, ..)| number);
        let goes_on = number.is_some_and(|number| number > 1) || is_result(first);
        let is_other = match first {
            "position" | "setoption" => draft.words > 0 || draft.start.is_some(),
            _ if number == Some(1) => false,
            _ if draft.is_column => turns_of(line) != 1,
            _ => draft.is_paused && draft.words > 0 && !goes_on,
        };
        if is_other {
            self.end();
        }
        let draft = &mut self.draft;
        draft.is_paused = false;
        if first == "setoption" {
            match line.strip_prefix("setoption name Rules value ") {
                Some(rules) => draft.rules = Some((rules.trim().to_owned(), place)),
                None => {
                    let text = shown(line);
                    let message = format!(
                        "'{text}' is not a line of a game; a saved game has lines 'position …' and 'setoption name Rules …'"
                    );
                    draft.remark(place.remark("not_a_line", [("text", text)], message));
                }
            }
            return LineStart::Read;
        }
        let is_object = line.starts_with('{') && line.ends_with('}') && line.contains("\"board\"");
        let form = position::form_of(first);
        if is_whole && (is_object || matches!(form, Some(PositionForm::Mfen | PositionForm::Rings)))
        {
            if self.draft.words > 0 || self.draft.start.is_some() {
                self.end();
            }
            self.draft.start = Some((line.to_owned(), place));
            return LineStart::Read;
        }
        LineStart::Text
    }

    /// Reads the tags at the start of a line; returns the number of bytes that they take.
    fn tags(&mut self, text: &str, place: TextPlace) -> usize {
        let mut used = 0;
        loop {
            let rest = &text[used..];
            let inner = rest.trim_start();
            let place = TextPlace {
                column: place.column + text[..text.len() - inner.len()].chars().count(),
                ..place
            };
            let is_tag = inner.strip_prefix('[').is_some_and(|rest| {
                let mut letters = rest.trim_start().chars();
                letters.next().is_some_and(char::is_alphabetic)
            });
            if !is_tag {
                return used;
            }
            let draft = &self.draft;
            if draft.words > 0 || draft.has_result || draft.start.is_some() {
                self.end();
            }
            let Some((name, value, length)) = tag(inner) else {
                let word = shown(inner);
                let message =
                    format!("'{word}' is not a tag; a tag is written like [White \"Name\"]");
                self.draft
                    .remark(place.remark("not_a_tag", [("text", word)], message));
                return text.len();
            };
            if self.draft.is_paused && self.draft.tag(&name).is_some() {
                self.end();
            }
            used = text.len() - inner.len() + length;
            self.draft.add_tag(name, value, place);
        }
    }

    fn token(&mut self, place: TextPlace, token: Token) {
        match token {
            Token::Word(word) => self.word(place, word),
            Token::Comment(text) => {
                self.draft.end_start();
                if !text.is_empty() {
                    self.draft.add(place, Part::Comment(text.into()));
                }
            }
            Token::LongComment => {
                let message = "a comment is too long, and its end is left out";
                self.draft.remark(place.remark("too_long", [], message));
            }
            Token::Open => {
                self.draft.end_start();
                self.draft.depth += 1;
                self.draft.add(place, Part::Open);
            }
            Token::Close => self.close(place),
        }
    }

    fn close(&mut self, place: TextPlace) {
        self.draft.end_start();
        let draft = &mut self.draft;
        if draft.depth > 0 {
            draft.depth -= 1;
        } else if let Some((at, Part::Word(word))) = draft.parts.last()
            && at.line == place.line
            && at.column + word.len() == place.column
            && let Ok(number) = word.parse()
        {
            // `3) d6`
            let at = *at;
            draft.parts.pop();
            draft.words -= 1;
            draft.words_of_line -= 1;
            return self.number(at, number, false);
        }
        self.draft.add(place, Part::Close);
    }

    fn word(&mut self, place: TextPlace, word: &str) {
        if self.draft.takes_start_word(word) {
            return;
        }
        let form = position::form_of(word)
            .filter(|form| matches!(form, PositionForm::Fen | PositionForm::Rows));
        if word == "position" && place.column == 1 || form.is_some() {
            if self.draft.words > 0 || self.draft.start.is_some() {
                self.end();
            }
            let draft = &mut self.draft;
            draft.is_protocol = form.is_none();
            draft.start_goes_on = Some(match form {
                None => StartWords::Protocol,
                Some(_) => StartWords::Fields,
            });
            let text = form.map_or(String::new(), |_| word.to_owned());
            draft.start = Some((text, place));
            return;
        }
        if is_result(word) {
            self.draft.has_result |= self.draft.depth == 0;
            let part = Part::Result(word.into(), GameResult::parse(word));
            return self.draft.add(place, part);
        }
        if word.chars().all(|letter| matches!(letter, '.' | '…')) {
            return self.dots(place);
        }
        if let Some((number, dots, length)) = number_of(word) {
            self.number(place, number, dots < 3);
            if length < word.len() {
                let column = place.column + word[..length].chars().count();
                self.word(TextPlace { column, ..place }, &word[length..]);
            }
            return;
        }
        if word.starts_with('$')
            && word.len() > 1
            && word[1..].bytes().all(|byte| byte.is_ascii_digit())
        {
            return self.draft.add(place, Part::Mark(word.into()));
        }
        let draft = &mut self.draft;
        draft.words += 1;
        draft.words_of_line += 1;
        draft.add(place, Part::Word(word.into()));
    }

    /// The number of a turn; `is_first_side` says that White's turn follows.
    fn number(&mut self, place: TextPlace, number: u32, is_first_side: bool) {
        let draft = &self.draft;
        let is_other = number == 1 && is_first_side && draft.depth == 0;
        let begins_line = draft.words_of_line == 0;
        if is_other && (draft.words > 1 || draft.words > 0 && begins_line || draft.has_result) {
            self.end();
        }
        self.draft.has_numbers = true;
        self.draft.add(place, Part::Number(number));
    }

    /// Dots after a space: `1 . d6`.
    fn dots(&mut self, place: TextPlace) {
        let draft = &mut self.draft;
        let number = match draft.parts.last() {
            Some((at, Part::Word(word))) => word.parse().ok().map(|number| (*at, number)),
            _ => None,
        };
        if let Some((at, number)) = number.filter(|(at, _)| at.line == place.line) {
            draft.parts.pop();
            draft.words -= 1;
            draft.words_of_line -= 1;
            self.number(at, number, true);
        }
    }

    fn end_line(&mut self, in_comment: bool) {
        let draft = &mut self.draft;
        draft.end_start();
        let words = mem::take(&mut draft.words_of_line);
        let is_open = in_comment || draft.depth > 0;
        if draft.is_protocol || draft.has_result && !is_open {
            return self.end();
        }
        if draft.is_list() && words > 0 && !is_open {
            let is_first = draft.words == words;
            draft.is_column = (is_first || draft.is_column) && draft.is_one_turn(words);
            if !draft.is_column {
                self.end();
            }
        }
    }

    /// Ends the game that has been read.
    fn end(&mut self) {
        let mut draft = mem::take(&mut self.draft);
        draft.end_start();
        if !draft.is_nothing() {
            self.found.push_back(draft.record(&self.rules));
        }
    }
}

/// The name and the value of the tag at the start of a text, and its number of bytes.
fn tag(text: &str) -> Option<(String, String, usize)> {
    let inner = text.strip_prefix('[')?.trim_start();
    let end = inner.find(|letter: char| letter.is_whitespace() || letter == '"')?;
    let (name, rest) = inner.split_at(end);
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

fn is_result(word: &str) -> bool {
    word == "*" || word.starts_with(['0', '1', '½']) && GameResult::parse(word).is_some()
}

/// The number of a turn at the start of a word, such as `12.d6` or `3...`: with it the number of dots, and the
/// number of bytes of both.
fn number_of(word: &str) -> Option<(u32, usize, usize)> {
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    let length = word.len() - word[digits..].trim_start_matches(['.', '…']).len();
    if digits == 0 || length == digits {
        return None;
    }
    let dots = word[digits..length].chars();
    let count = dots.map(|letter| if letter == '…' { 3 } else { 1 }).sum();
    Some((word[..digits].parse().ok()?, count, length))
}

/// The number of turns in a line without numbers of turns; 2 also stands for more.
fn turns_of(line: &str) -> usize {
    if line.len() > LONGEST_TURN {
        return 2;
    }
    let mut turns = 0;
    let mut turn = TurnWords::default();
    Lexer::default().tokens(line, TextPlace::default(), &mut |_, token| {
        let Token::Word(word) = token else { return };
        let forms = [
            PointNaming::Names,
            PointNaming::Actions,
            PointNaming::Coordinates,
        ];
        let grids = Grid::UPRIGHT.map(PointNaming::Grid);
        let mut found = Vec::new();
        let understood = forms.into_iter().chain(grids).any(|points| {
            found.clear();
            atoms(word, points, &mut |atom| found.push(atom)).is_some()
        });
        if !understood {
            turns += 1;
        }
        for atom in found {
            if !turn.take(atom) {
                turns += 1;
                turn = TurnWords::default();
                turn.take(atom);
            }
        }
    });
    (turns + usize::from(!turn.is_empty())).min(2)
}

impl Draft {
    /// Whether nothing but comments was read.
    fn is_nothing(&self) -> bool {
        let has_text = self.words > 0 || self.has_result || !self.remarks.is_empty();
        !has_text && self.tags.is_empty() && self.start.is_none() && self.rules.is_none()
    }

    /// Whether the turns are a list without numbers.
    fn is_list(&self) -> bool {
        self.tags.is_empty() && !self.has_numbers
    }

    /// Whether the last words are one turn.
    fn is_one_turn(&self, words: usize) -> bool {
        let all = self.parts.iter().rev().filter_map(|(_, part)| match part {
            Part::Word(word) => Some(&**word),
            _ => None,
        });
        let mut last: Vec<&str> = all.take(words.min(LONGEST_TURN)).collect();
        last.reverse();
        words < LONGEST_TURN && turns_of(&last.join(" ")) == 1
    }

    fn tag(&self, name: &str) -> Option<(&str, TextPlace)> {
        let mut tags = self.tags.iter();
        let (_, value, place) = tags.find(|(known, ..)| known.eq_ignore_ascii_case(name))?;
        Some((value, *place))
    }

    fn add_tag(&mut self, name: String, value: String, place: TextPlace) {
        if self.tag(&name).is_some() {
            let name = shown(&name);
            let message = format!("the tag {name} is there twice; the first counts");
            return self.remark(place.remark("repeated_tag", [("tag", name)], message));
        }
        if self.has_room(place, name.len() + value.len()) {
            self.tags.push((name, value, place));
        }
    }

    fn add(&mut self, place: TextPlace, part: Part) {
        let bytes = match &part {
            Part::Word(text) | Part::Comment(text) | Part::Mark(text) => text.len(),
            _ => 1,
        };
        if self.has_room(place, bytes) {
            self.parts.push((place, part));
        }
    }

    fn has_room(&mut self, place: TextPlace, bytes: usize) -> bool {
        self.bytes += bytes;
        let is_full = self.bytes > MOST_BYTES || self.parts.len() >= MOST_PARTS;
        if is_full && !self.is_full {
            self.is_full = true;
            let message = "the text of the game is too long, and its end is left out";
            self.remark(place.remark("too_long", [], message).cutting());
        }
        !is_full
    }

    fn remark(&mut self, remark: Remark) {
        match self.remarks.len() < MOST_REMARKS {
            true => self.remarks.push(remark),
            false => self.remarks_left_out += 1,
        }
    }

    /// Takes a word that goes on with the text of the first position.
    fn takes_start_word(&mut self, word: &str) -> bool {
        let (Some(kind), Some((text, _))) = (self.start_goes_on, &mut self.start) else {
            return false;
        };
        let is_field = || {
            let mut digits = word.trim_start_matches('-').bytes();
            digits.all(|byte| byte.is_ascii_digit()) || word.len() == 1 || word.contains(':')
        };
        let belongs = match kind {
            StartWords::Protocol => word != "moves",
            StartWords::Fields => is_field(),
        };
        if !belongs {
            self.start_goes_on = None;
            // `moves` is not a turn.
            return kind == StartWords::Protocol;
        }
        if text.len() < LONGEST_TURN {
            text.push(' ');
            text.push_str(word);
        }
        true
    }

    /// Ends the text of the first position.
    fn end_start(&mut self) {
        self.start_goes_on = None;
    }

    /// The start of the game, as a text for [`names::start`] and its place; `None` for the empty board.
    fn start_text(&mut self) -> Result<Option<(String, TextPlace)>, Remark> {
        let tagged = self.tag("FEN").or_else(|| self.tag("Position"));
        let tagged = tagged.map(|(text, place)| (text.to_owned(), place));
        let Some((text, place)) = self.start.take() else {
            return Ok(tagged);
        };
        let text = match self.is_protocol {
            false => text,
            true => match text.trim().split_once(' ').unwrap_or((text.trim(), "")) {
                ("startpos", "") => return Ok(None),
                ("fen", fen) => fen.to_owned(),
                _ => {
                    let message = "a position is set with 'position startpos' or 'position fen …', \
                        optionally followed by 'moves …'";
                    return Err(place
                        .remark("not_a_start", [("text", shown(text.trim()))], message)
                        .cutting());
                }
            },
        };
        Ok(Some((text, place)))
    }

    /// How the turns name points, if that is certain.
    fn points(&self) -> Option<PointNaming> {
        let mut has_numbers = false;
        for (_, part) in &self.parts {
            let Part::Word(word) = part else { continue };
            let mut pairs = word.as_bytes().windows(2);
            let names = |letter: u8, digit: u8| {
                matches!(letter, b'a'..=b'g') && matches!(digit, b'1'..=b'7')
            };
            let mut pairs_of_numbers = word.match_indices('(');
            if pairs_of_numbers.any(|(at, _)| coordinates(&word[at..]).is_some()) {
                return Some(PointNaming::Coordinates);
            }
            let is_name = |first: u8, second| {
                names(first.to_ascii_lowercase(), second) || names(second, first)
            };
            if pairs.any(|pair| is_name(pair[0], pair[1])) {
                return Some(PointNaming::Names);
            }
            has_numbers |= word.starts_with(|letter: char| letter.is_ascii_digit());
            if !has_numbers && !is_spoken(word) {
                return Some(PointNaming::Names);
            }
        }
        (!has_numbers).then_some(PointNaming::Names)
    }

    /// Makes the turns in the form that reads most of them.
    fn build(&mut self, start: &Game) -> (PointNaming, Built) {
        let first = self.parts.first().map(|(place, _)| *place);
        let place = first.unwrap_or_default();
        match self.points() {
            Some(PointNaming::Coordinates) => return self.build_places(start, place),
            Some(points) => return (points, build(start, points, &self.parts)),
            None => {}
        }
        let has_signs = self
            .parts
            .iter()
            .any(|(_, part)| matches!(part, Part::Word(word) if word.contains(['-', 'x'])));
        let forms = match self.has_numbers || has_signs {
            true => [PointNaming::Numbers, PointNaming::Actions],
            false => [PointNaming::Actions, PointNaming::Numbers],
        };
        let (best, others) = self.best(start, forms);
        if !others.is_empty() && !self.has_numbers {
            let [read, other] = forms.map(|points| match points {
                PointNaming::Numbers => "1 to 24",
                _ => "0 to 23",
            });
            let message = format!(
                "the points are read as the numbers {read}; as {other}, the turns are legal, too"
            );
            let fields = [("read", read), ("other", other)];
            let fields = fields.map(|(name, range)| (name, range.replace(" to ", "–")));
            self.remark(place.remark("numbering", fields, message));
        }
        best
    }

    /// Makes the turns of coordinates, which are ring and place or column and row.
    fn build_places(&mut self, start: &Game, place: TextPlace) -> (PointNaming, Built) {
        let is_empty = start.position().empty().len() == POINTS;
        let ways = if is_empty { 1 } else { Grid::WAYS };
        let grids = Grid::UPRIGHT
            .into_iter()
            .flat_map(|grid| grid.ways().take(ways));
        let forms = [PointNaming::Coordinates]
            .into_iter()
            .chain(grids.map(PointNaming::Grid));
        let (best, others) = self.best(start, forms);
        let points = best.0;
        if let Some(other) = others.first() {
            let message = format!(
                "the coordinates are read as {points}; as {other}, the turns are legal, too"
            );
            self.remark(place.remark("ambiguous", [], message));
        } else if is_empty && points != PointNaming::Coordinates {
            let message = format!(
                "the coordinates are read as {points}; if the board lies otherwise, the game is turned or mirrored, \
                 which changes no value"
            );
            self.remark(place.remark("grid", [], message));
        }
        best
    }

    /// The turns in the first of the forms that reads most of them, and the other forms that read as many, if they
    /// are all.
    fn best(
        &self,
        start: &Game,
        forms: impl IntoIterator<Item = PointNaming>,
    ) -> ((PointNaming, Built), Vec<PointNaming>) {
        let built = |points| (points, build(start, points, &self.parts));
        let mut all: Vec<(PointNaming, Built)> = forms.into_iter().map(built).collect();
        let rank = |built: &Built| (built.failure.is_none(), built.game.actions().len());
        // The first of equal ones is the last in this order.
        let order = (0..all.len()).rev();
        let best = order.max_by_key(|&at| rank(&all[at].1)).unwrap_or_default();
        let best = all.remove(best);
        let is_equal = |built: &Built| built.failure.is_none() && rank(built) == rank(&best.1);
        let others = all.iter().filter(|(_, built)| is_equal(built));
        let others = others.map(|(points, _)| *points).collect();
        (best, others)
    }

    /// The rules of the game: those of its tags, or `given`.
    ///
    /// # Errors
    ///
    /// The remark about rules of a file that are not `given`: by others, the turns mean nothing.
    fn rules(&mut self, given: &Rules) -> Result<Rules, Remark> {
        if let Some((name, place)) = self.rules.clone() {
            return self.rules_named(&name, place, given, true);
        }
        for tag in ["Rules", "Variant", "GameType"] {
            if let Some((name, place)) = self.tag(tag) {
                let name = name.to_owned();
                return self.rules_named(&name, place, given, tag == "Rules");
            }
        }
        Ok(*given)
    }

    /// The rules of a name; with `is_exact`, it may be an exact one, as the programs of this
    /// project write.
    fn rules_named(
        &mut self,
        name: &str,
        place: TextPlace,
        given: &Rules,
        is_exact: bool,
    ) -> Result<Rules, Remark> {
        let known = if name == given.to_string() {
            Some(*given)
        } else {
            let exact = is_exact.then(|| Rules::named(name)).flatten();
            exact.or_else(|| names::named(name, given))
        };
        self.has_rules = known.is_some();
        if let Some(known) = known {
            return Ok(known);
        }
        let text = shown(name);
        let message = format!("the rules '{text}' are not among those that can be read");
        let mut remark = place.remark("unknown_rules", [("text", text)], message);
        if is_exact && name.contains(Rules::SETTINGS) {
            return Err(remark.cutting());
        }
        remark.message += &format!("; the game is read by {given}");
        self.remark(remark);
        Ok(*given)
    }

    fn record(mut self, given: &Rules) -> Record {
        let (rules, text) = match self.rules(given) {
            Ok(rules) => (rules, self.start_text()),
            Err(remark) => (*given, Err(remark)),
        };
        let begun = text.and_then(|text| {
            let (text, place) = text.unzip();
            match names::start(text.as_deref(), &rules) {
                Ok(start) => Ok((start, text)),
                Err(error) => {
                    let place = place.unwrap_or_default();
                    let mut remark = place.remark(error.reason(), [], error.to_string());
                    remark.fields.extend(error.fields().iter().cloned());
                    Err(remark.cutting())
                }
            }
        });
        let built = match begun {
            Ok((start, text)) => {
                let (points, mut built) = self.build(&start);
                self.explain(&mut built, points, text.as_deref());
                built
            }
            Err(remark) => {
                self.remark(remark);
                let empty = Game::new(rules, Position::start(&rules));
                build(&empty, PointNaming::Names, &[])
            }
        };
        let end = self.parts.last().map(|(place, _)| *place);
        let end = end.unwrap_or_default();
        for remark in built.remarks {
            self.remark(remark);
        }
        let tagged = self.tag("Result");
        let tagged = tagged.map(|(text, place)| (text.to_owned(), place));
        let result = self.result(built.result, tagged, &built.game, end);
        if self.words == 0 && self.tags.is_empty() && !self.has_result {
            // The text has nothing besides the words that the first remark is about.
            if let Some(first) = self.remarks.first_mut() {
                first.cuts = true;
            }
        }
        self.remarks
            .sort_by_key(|remark| (remark.line, remark.column));
        if self.remarks_left_out > 0 {
            let count = self.remarks_left_out;
            let message = format!("{count} more remarks are left out");
            let fields = [("count", count.to_string())];
            self.remarks
                .push(end.remark("more_remarks", fields, message));
        }
        let states = ["Rules", "FEN", "Position", "SetUp", "Result"];
        let tags = self
            .tags
            .into_iter()
            .filter(|(name, ..)| !states.iter().any(|known| known.eq_ignore_ascii_case(name)));
        Record {
            tags: tags.map(|(name, value, _)| (name, value)).collect(),
            game: built.game,
            line: built.line,
            result,
            remarks: self.remarks,
        }
    }

    /// Adds the rules by which a game that was cut would go on to the remark about the cut.
    fn explain(&self, built: &mut Built, points: PointNaming, start: Option<&str>) {
        let begin = |rules: &Rules| names::start(start, rules).ok();
        let Some((name, sentence)) = names::explanation(built, points, &self.parts, begin) else {
            return;
        };
        if let Some(failure) = &built.failure {
            let remark = &mut built.remarks[failure.remark];
            // Other rules that a reader asks for do not replace those of the game.
            remark.rules = name.filter(|_| !self.has_rules);
            remark.message += &format!("; {sentence}");
        }
    }

    /// The result of the game, by its text, its tag or the board; remarks where they contradict each other.
    fn result(
        &mut self,
        written: Option<GameResult>,
        tagged: Option<(String, TextPlace)>,
        game: &Game,
        end: TextPlace,
    ) -> Option<GameResult> {
        let of_tag = tagged
            .as_ref()
            .and_then(|(text, _)| GameResult::parse(text));
        if let Some((text, place)) = &tagged
            && of_tag.is_none()
            && !["*", "?", ""].contains(&text.as_str())
        {
            let text = shown(text);
            let message = format!("'{text}' is not a result; it is 1-0, 0-1, 1/2-1/2 or *");
            self.remark(place.remark("not_a_result", [("text", text)], message));
        }
        if let (Some(written), Some(of_tag), true) = (written, of_tag, written != of_tag) {
            let (written, tag) = (written.text(), of_tag.text());
            let message = format!("the game ends in {written}, but its tag says {tag}");
            let fields = [("written", written.to_owned()), ("other", tag.to_owned())];
            self.remark(end.remark("other_result", fields, message));
        }
        let is_cut = self.remarks.iter().any(|remark| remark.cuts);
        if let (false, true, Some(last)) = (
            is_cut,
            game.position().removal_owed(),
            game.actions().last(),
        ) {
            let message = format!(
                "the game stops after {last}, before the removal that it earns, so this turn is left out"
            );
            let fields = [("turn", last.to_string())];
            self.remark(end.remark("removal_missing", fields, message).cutting());
        }
        let stated = written.or(of_tag);
        let found = GameResult::of(game);
        if let (Some(stated), Some(found), true) = (stated, found, stated != found) {
            let (written, board) = (stated.text(), found.text());
            let message = format!("the text says {written}, but the board says {board}");
            let fields = [("written", written.to_owned()), ("other", board.to_owned())];
            self.remark(end.remark("other_result", fields, message));
        }
        stated.or(found)
    }
}
