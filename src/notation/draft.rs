//! The parts of a game while it is being read, and the record that they make.

use std::collections::HashSet;

use super::lexer::{Lexer, Token};
use super::line::{Built, Part, TextPlace, build};
use super::names;
use super::numbering::{Grid, PointNaming};
use super::record::{GameResult, Record, Remark};
use super::words::{TurnWords, atoms, coordinates, meanings, names_point};
use crate::board::POINTS;
use crate::engine::game::{Game, POSITION_LINE, shown};
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

/// The parts of a game.
#[derive(Debug, Default)]
pub(super) struct Draft {
    pub tags: Vec<(String, String, TextPlace)>,
    /// The names of the tags in small letters.
    tag_names: HashSet<String>,
    /// The rules of a saved game, as the option of an engine.
    pub rules: Option<(String, TextPlace)>,
    /// Whether the game names the rules by which it is read.
    has_rules: bool,
    /// The text of its first position.
    pub start: Option<(String, TextPlace)>,
    /// Whether more words of the position may follow: in a line of the protocol, all up to `moves`.
    pub start_goes_on: bool,
    /// Whether its first position is from a line of the engine protocol.
    pub is_protocol: bool,
    pub parts: Vec<(TextPlace, Part)>,
    bytes: usize,
    /// The number of words of turns and results outside variations, of the game and of the line.
    pub words: usize,
    pub words_of_line: usize,
    /// The naming of points in the turns, as soon as it is certain.
    naming: Option<PointNaming>,
    /// Whether numbers may be points.
    has_digits: bool,
    pub has_numbers: bool,
    /// The number of open parentheses.
    pub depth: usize,
    /// Whether its result was read, and not a move that is written like one.
    pub has_result: bool,
    /// Whether each line has one turn so far.
    pub is_column: bool,
    /// Whether a line came last after which another game may begin.
    pub is_paused: bool,
    /// The part from which on comments belong to the next game, if that begins here.
    next_comments: Option<usize>,
    /// Whether a line separates these comments from the game.
    are_comments_apart: bool,
    /// The first letter that is not UTF-8.
    pub not_utf8: Option<TextPlace>,
    pub remarks: Vec<Remark>,
    remarks_left_out: usize,
    is_full: bool,
}

impl Draft {
    /// Whether nothing but comments and rules for later games was read.
    pub fn is_nothing(&self) -> bool {
        let is_text = |part: &Part| matches!(part, Part::Word(_) | Part::Result(..) | Part::Open);
        let has_text = self.parts.iter().any(|(_, part)| is_text(part));
        let is_silent = !has_text && self.remarks.is_empty();
        is_silent && self.tags.is_empty() && self.start.is_none()
    }

    /// Whether the turns are a list without numbers.
    pub fn is_list(&self) -> bool {
        self.tags.is_empty() && !self.has_numbers
    }

    /// Whether a turn without a number begins another game.
    pub fn is_over(&self) -> bool {
        let has_remarks = self.tags.is_empty() && !self.remarks.is_empty();
        self.is_paused && (self.words > 0 || self.is_protocol || has_remarks)
    }

    /// Begins a line, whose comments belong to the next game if that begins on it. With `is_apart`, for an empty line
    /// and one with `#`, those of the lines after it do, too.
    pub fn part_comments(&mut self, is_apart: bool) {
        if !self.are_comments_apart {
            self.next_comments = Some(self.parts.len());
            self.are_comments_apart = is_apart;
        }
    }

    /// Takes the comments of the next game, which begins here.
    pub fn take_next_comments(&mut self) -> Vec<(TextPlace, Part)> {
        let from = self.next_comments.unwrap_or(usize::MAX);
        self.parts.split_off(from.min(self.parts.len()))
    }

    /// Notes that something other than a comment belongs to the game.
    pub fn go_on(&mut self) {
        self.is_paused = false;
        self.next_comments = None;
        self.are_comments_apart = false;
    }

    /// Whether a result may be a move: `0-1` and `1/2` among numbers.
    pub fn may_be_move(&self, result: &str) -> bool {
        self.has_digits
            && self.naming.is_none()
            && !meanings(result, PointNaming::Actions).is_empty()
    }

    /// Whether the last words outside variations are at most one turn. If not all of them are kept, the lines go on as
    /// they were.
    pub fn is_one_turn(&self, words: usize) -> bool {
        if self.is_full {
            return self.is_column;
        }
        let mut depth = 0usize;
        let all = self.parts.iter().rev().filter_map(|(_, part)| {
            match part {
                Part::Word(word) | Part::Result(word) if depth == 0 => return Some(&**word),
                Part::Close => depth += 1,
                Part::Open => depth = depth.saturating_sub(1),
                _ => {}
            }
            None
        });
        let mut last: Vec<&str> = all.take(words.min(LONGEST_TURN)).collect();
        last.reverse();
        words < LONGEST_TURN && turns_of(&last.join(" ")) < 2
    }

    /// The value and the place of a tag.
    pub fn tag(&self, name: &str) -> Option<(String, TextPlace)> {
        let mut tags = self.tags.iter();
        let (_, value, place) = tags.find(|(known, ..)| known.eq_ignore_ascii_case(name))?;
        Some((value.clone(), *place))
    }

    /// Whether there is a tag of this name.
    pub fn has_tag(&self, name: &str) -> bool {
        self.tag_names.contains(&name.to_ascii_lowercase())
    }

    pub fn add_tag(&mut self, name: String, value: String, place: TextPlace) {
        if self.has_tag(&name) {
            let name = shown(&name);
            let message = format!("the tag {name} is there twice; the first counts");
            return self.remark(place.remark("repeated_tag", [("tag", name)], message));
        }
        self.go_on();
        if self.has_room(place, name.len() + value.len()) {
            self.tag_names.insert(name.to_ascii_lowercase());
            self.tags.push((name, value, place));
        }
    }

    pub fn add(&mut self, place: TextPlace, part: Part) {
        let bytes = match &part {
            Part::Word(text) | Part::Comment(text) | Part::Mark(text) => text.len(),
            _ => 1,
        };
        if let Part::Word(word) = &part {
            self.note_naming(word);
        }
        let is_word = self.depth == 0 && matches!(part, Part::Word(_) | Part::Result(..));
        self.words += usize::from(is_word);
        self.words_of_line += usize::from(is_word);
        if !matches!(part, Part::Comment(_) | Part::Mark(_)) {
            self.go_on();
        }
        if self.has_room(place, bytes) {
            self.parts.push((place, part));
        }
    }

    /// Notes how a word names points.
    fn note_naming(&mut self, word: &str) {
        if self.naming.is_some() {
            return;
        }
        let mut brackets = word.match_indices('(');
        if brackets.any(|(at, _)| coordinates(&word[at..]).is_some()) {
            self.naming = Some(PointNaming::Coordinates);
            return;
        }
        // `x22` and `!` may belong to turns in numbers, too.
        let is_sign = |letter: char| !letter.is_alphanumeric() || matches!(letter, 'x' | 'X');
        let plain = word.trim_start_matches(is_sign);
        let may_be_number = self.has_digits
            || plain.starts_with(|letter: char| letter.is_ascii_digit())
            || atoms(plain, PointNaming::Actions, &mut |_| ()).is_some();
        if names_point(word) || !may_be_number {
            self.naming = Some(PointNaming::Names);
        }
        self.has_digits |= word.contains(|letter: char| letter.is_ascii_digit());
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

    pub fn remark(&mut self, remark: Remark) {
        match self.remarks.len() < MOST_REMARKS {
            true => self.remarks.push(remark),
            false => self.remarks_left_out += 1,
        }
    }

    /// Takes a word that goes on with the text of the first position.
    pub fn takes_start_word(&mut self, word: &str) -> bool {
        let (true, Some((text, _))) = (self.start_goes_on, &mut self.start) else {
            return false;
        };
        let is_field = || {
            let mut digits = word.trim_start_matches('-').bytes();
            digits.all(|byte| byte.is_ascii_digit()) || word.len() == 1 || word.contains(':')
        };
        let belongs = match self.is_protocol {
            true => word != "moves",
            false => is_field(),
        };
        if !belongs {
            self.start_goes_on = false;
            // `moves` is not a turn.
            return self.is_protocol;
        }
        if text.len() < LONGEST_TURN {
            text.push(' ');
            text.push_str(word);
        }
        true
    }

    /// The start of the game, as a text for [`names::start`] and its place; `None` for the empty board.
    fn start_text(&mut self) -> Result<Option<(String, TextPlace)>, Remark> {
        let Some((text, place)) = self.start.take() else {
            return Ok(self.tag("FEN").or_else(|| self.tag("Position")));
        };
        let text = match self.is_protocol {
            false => text,
            true => match text.trim().split_once(' ').unwrap_or((text.trim(), "")) {
                ("startpos", "") => return Ok(None),
                ("fen", fen) => fen.to_owned(),
                _ => {
                    let fields = [("text", shown(text.trim()))];
                    let remark = place.remark("not_a_start", fields, POSITION_LINE);
                    return Err(remark.cutting());
                }
            },
        };
        Ok(Some((text, place)))
    }

    /// Makes the turns in the form that reads most of them.
    fn build(&mut self, start: &Game) -> (PointNaming, Built) {
        let first = self.parts.first().map(|(place, _)| *place);
        let place = first.unwrap_or_default();
        let names = (!self.has_digits).then_some(PointNaming::Names);
        match self.naming.or(names) {
            Some(PointNaming::Coordinates) => return self.build_places(start, place),
            Some(points) => return (points, build(start, points, &self.parts)),
            None => {}
        }
        let mut parts = self.parts.iter();
        let has_signs =
            parts.any(|(_, part)| matches!(part, Part::Word(word) if word.contains(['-', 'x'])));
        let forms = match self.has_numbers || has_signs {
            true => [PointNaming::Numbers, PointNaming::Actions],
            false => [PointNaming::Actions, PointNaming::Numbers],
        };
        let (best, other) = self.best(start, forms);
        if other.is_some() && !self.has_numbers {
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
        let (best, other) = self.best(start, forms);
        let points = best.0;
        if let Some(other) = other {
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

    /// The turns in the first of the forms that reads most of them, and another form that reads as many, if they
    /// are all.
    fn best(
        &self,
        start: &Game,
        forms: impl IntoIterator<Item = PointNaming>,
    ) -> ((PointNaming, Built), Option<PointNaming>) {
        let built = |points| (points, build(start, points, &self.parts));
        let mut all: Vec<(PointNaming, Built)> = forms.into_iter().map(built).collect();
        // A last `1-0` is the result in one form and may be a turn in another.
        let read = |built: &Built| built.game.actions().len() + usize::from(built.result.is_some());
        let rank = |built: &Built| (built.failure.is_none(), read(built));
        // The first of equal ones is the last in this order.
        let order = (0..all.len()).rev();
        let best = order.max_by_key(|&at| rank(&all[at].1)).unwrap_or_default();
        let best = all.remove(best);
        let is_equal = |built: &Built| built.failure.is_none() && rank(built) == rank(&best.1);
        let other = all.iter().find(|(_, built)| is_equal(built));
        let other = other.map(|(points, _)| *points);
        (best, other)
    }

    /// The rules of the game: those of its tags, those that the engine was given, or `given`.
    ///
    /// # Errors
    ///
    /// The remark about rules of a file that are not `given`: by others, the turns mean nothing.
    fn rules(&mut self, given: &Rules) -> Result<Rules, Remark> {
        let mut tags = ["Rules", "Variant", "GameType"].into_iter();
        let tagged = tags.find_map(|tag| Some((self.tag(tag)?, tag == "Rules")));
        let named = tagged.or_else(|| Some((self.rules.clone()?, true)));
        // The programs of this project write exact names.
        let Some(((name, place), is_exact)) = named else {
            return Ok(*given);
        };
        let known = if name == given.to_string() {
            Some(*given)
        } else {
            let exact = is_exact.then(|| Rules::named(&name)).flatten();
            exact.or_else(|| names::named(&name, given))
        };
        self.has_rules = known.is_some();
        if let Some(known) = known {
            return Ok(known);
        }
        let text = shown(&name);
        let message = format!("the rules '{text}' are not among those that can be read");
        let mut remark = place.remark("unknown_rules", [("text", text)], message);
        if is_exact && name.contains(Rules::SETTINGS) {
            return Err(remark.cutting());
        }
        remark.message += &format!("; the game is read by {given}");
        self.remark(remark);
        Ok(*given)
    }

    pub fn record(mut self, given: &Rules) -> Record {
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
        let result = self.result(built.result, &built.game, end);
        if self.words == 0 && self.tags.is_empty() {
            // The text has nothing besides the words that the first remark is about.
            if let Some(first) = self.remarks.first_mut() {
                first.cuts = true;
            }
        }
        if let Some(place) = self.not_utf8 {
            let message =
                "the text is not in UTF-8, and letters of it are lost; save it again in UTF-8";
            self.remark(place.remark("not_utf8", [], message));
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
        game: &Game,
        end: TextPlace,
    ) -> Option<GameResult> {
        let tagged = self.tag("Result");
        let of_tag = tagged
            .as_ref()
            .and_then(|(text, _)| GameResult::parse(text));
        if let Some((text, place)) = &tagged
            && of_tag.is_none()
            && !["*", "?", ""].contains(&text.as_str())
        {
            let predicate = "is not a result; it is 1-0, 0-1, 1/2-1/2 or *";
            self.remark(place.remark_on(text, "not_a_result", predicate));
        }
        let contradiction = |written: Option<GameResult>, other: Option<GameResult>, words| {
            let [written, other] = [written?.text(), other?.text()];
            let [before, between] = words;
            let message = format!("{before} {written}, but {between} {other}");
            let fields = [("written", written.to_owned()), ("other", other.to_owned())];
            (written != other).then(|| end.remark("other_result", fields, message))
        };
        if let Some(remark) = contradiction(written, of_tag, ["the game ends in", "its tag says"]) {
            self.remark(remark);
        }
        let is_cut = self.remarks.iter().any(|remark| remark.cuts);
        let stops = !is_cut && game.position().removal_owed();
        if let (true, Some(&last)) = (stops, game.actions().last()) {
            self.remark(end.removal_missing("game", last).cutting());
        }
        let stated = written.or(of_tag);
        let found = GameResult::of(game);
        if let Some(remark) = contradiction(stated, found, ["the text says", "the board says"]) {
            self.remark(remark);
        }
        stated.or(found)
    }
}

/// Whether a word is a result, or `*` without one.
pub(super) fn is_result(word: &str) -> bool {
    word == "*" || word.starts_with(['0', '1', '½']) && GameResult::parse(word).is_some()
}

/// The number of turns in a line without numbers of turns, outside variations; 2 also stands for more. A result
/// is none.
pub(super) fn turns_of(line: &str) -> usize {
    let (mut turns, mut bytes, mut depth) = (0, 0, 0usize);
    let mut turn = TurnWords::default();
    Lexer::default().tokens(line, TextPlace::default(), &mut |_, token| {
        let word = match token {
            Token::Word(word, _) if depth == 0 && turns < 2 && !is_result(word) => word,
            Token::Open => return depth += 1,
            Token::Close => return depth = depth.saturating_sub(1),
            _ => return,
        };
        bytes += word.len();
        if bytes > LONGEST_TURN {
            turns = 2;
            return;
        }
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
