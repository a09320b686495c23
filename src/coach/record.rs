//! Reads games from any input, one after the other: saved games, turn lists, PGN-like text.
//!
//! | form | a game |
//! |---|---|
//! | saved game | a line `position startpos moves …` or `position fen F moves …`, perhaps after a line `setoption name Rules value R` |
//! | turn list | a line of turns: `d6 f4 d2 b4` |
//! | text | tags `[White "A"]`, an empty line, numbered turns `1. d6 f4 2. d2 b4`, comments in braces or from `;` to the end of the line, variations in parentheses, marks `!?`, a result |
//!
//! Lines that begin with `#` or `%` are comments. Removals may be part of a turn (`d6-d5xb4`) or
//! stand alone.

use std::fmt;
use std::io::{self, BufRead, Read};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::engine::game::{Game, GameError, shown};
use crate::rules::position::{Position, Side};
use crate::rules::{Rules, counted};
use crate::value::Value;

/// A game that was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// The names and values of the tags, in their order.
    pub tags: Vec<(String, String)>,
    /// The turns.
    pub game: Game,
    /// The result, by the text or else by the last position; `None` if neither gives one.
    pub result: Option<GameResult>,
    /// Why the text goes on after `game` but was not read to its end: the line, and the error.
    pub cut: Option<String>,
}

/// The result of a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, JsonSchema, Deserialize)]
pub enum GameResult {
    /// White has won.
    #[serde(rename = "1-0")]
    White,
    /// Black has won.
    #[serde(rename = "0-1")]
    Black,
    /// Neither side has won.
    #[serde(rename = "1/2-1/2")]
    Draw,
}

impl GameResult {
    /// The result of a game whose last position is over.
    pub fn of(game: &Game) -> Option<GameResult> {
        let position = game.position();
        Some(match position.result(game.rules())? {
            Value::Draw => GameResult::Draw,
            _ => GameResult::won_by(position.side_to_move().other()),
        })
    }

    /// The result of a game that this side has won.
    pub const fn won_by(side: Side) -> GameResult {
        match side {
            Side::White => GameResult::White,
            Side::Black => GameResult::Black,
        }
    }

    /// `1-0`, `0-1` or `1/2-1/2`, White's points first.
    pub const fn text(self) -> &'static str {
        match self {
            GameResult::White => "1-0",
            GameResult::Black => "0-1",
            GameResult::Draw => "1/2-1/2",
        }
    }

    /// The points of a side: 1, ½ or 0.
    pub fn points(self, side: Side) -> f64 {
        match self {
            GameResult::Draw => 0.5,
            _ => f64::from(u8::from(self == GameResult::won_by(side))),
        }
    }

    fn parse(text: &str) -> Option<GameResult> {
        match text {
            "1-0" => Some(GameResult::White),
            "0-1" => Some(GameResult::Black),
            "1/2-1/2" | "1/2" | "½-½" => Some(GameResult::Draw),
            _ => None,
        }
    }
}

/// Won, drawn and lost games.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, JsonSchema)]
pub struct ResultCounts {
    /// The number of won games.
    pub wins: u64,
    /// The number of drawn games.
    pub draws: u64,
    /// The number of lost games.
    pub losses: u64,
}

impl ResultCounts {
    /// Counts a game of a side.
    pub fn add(&mut self, result: GameResult, side: Side) {
        match result {
            GameResult::Draw => self.draws += 1,
            _ if result == GameResult::won_by(side) => self.wins += 1,
            _ => self.losses += 1,
        }
    }

    /// The number of games.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// The mean of the points, from 0 to 1; `None` without games.
    pub fn score(&self) -> Option<f64> {
        let points = self.wins as f64 + self.draws as f64 / 2.0;
        (self.games() > 0).then(|| points / self.games() as f64)
    }
}

impl Record {
    /// The value of a tag; `None` if it is missing, empty or `?`.
    pub fn tag(&self, name: &str) -> Option<&str> {
        let tag = self.tags.iter().find(|(known, _)| known == name);
        tag.map(|(_, value)| value.as_str())
            .filter(|value| !matches!(*value, "" | "?"))
    }

    /// The result as text, `*` if there is none.
    pub fn result_text(&self) -> &'static str {
        self.result.map_or("*", GameResult::text)
    }

    /// What is strange about the game, a sentence each: its text is not read to the end, its last turn lacks
    /// a removal and is left out, or its result contradicts the last position.
    pub fn remarks(&self) -> Vec<String> {
        let mut remarks: Vec<String> = self.cut.iter().cloned().collect();
        if let (None, true, Some(last)) = (
            &self.cut,
            self.game.position().removal_owed(),
            self.game.actions().last(),
        ) {
            remarks.push(format!(
                "the game stops after {last}, before the removal that it earns, so this turn is left out"
            ));
        }
        let (stated, found) = (self.result, GameResult::of(&self.game));
        if let (Some(stated), Some(found), true) = (stated, found, stated != found) {
            let (stated, found) = (stated.text(), found.text());
            remarks.push(format!(
                "the text says {stated}, but the board says {found}"
            ));
        }
        remarks
    }

    /// The name of the player of a side, by the tags `White` and `Black`.
    pub fn player(&self, side: Side) -> Option<&str> {
        self.tag(side_tag(side))
    }

    /// The name of the player of a side, `White` or `Black` if it is not known.
    pub fn player_or_side(&self, side: Side) -> &str {
        self.player(side).unwrap_or(side_tag(side))
    }
}

fn side_tag(side: Side) -> &'static str {
    match side {
        Side::White => "White",
        Side::Black => "Black",
    }
}

/// The reason why a game could not be read.
#[derive(Debug)]
#[non_exhaustive]
pub enum RecordError {
    /// The text is not a game.
    Text {
        /// The line of the input, from 1.
        line: usize,
        /// A description of the error.
        sentence: String,
    },
    /// The game was played by other rules.
    OtherRules {
        /// The line of the input, from 1.
        line: usize,
        /// The rules by which games are read.
        rules: Rules,
        /// The name of the game's rules; `None` if they have none.
        found: Option<String>,
    },
    /// The input cannot be read further.
    Io(io::Error),
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RecordError::Text { line, sentence } => write!(f, "line {line}: {sentence}"),
            RecordError::OtherRules { line, rules, found } => {
                write!(f, "line {line}: the game was played by ")?;
                match found {
                    Some(name) => write!(f, "the rules {name}, not by {rules}"),
                    None => write!(f, "custom rules, not by {rules}"),
                }
            }
            RecordError::Io(error) => write!(f, "cannot read the games: {error}"),
        }
    }
}

impl std::error::Error for RecordError {}

/// The most bytes of a line.
const LONGEST_LINE: u64 = 1 << 20;

/// The most actions of a game.
const MOST_ACTIONS: usize = 10_000;

/// An iterator over the games of an input, which reads them lazily. It goes on after a text that is
/// not a game, and ends after [`RecordError::Io`].
#[derive(Debug)]
pub struct Records<R> {
    rules: Rules,
    input: R,
    line: usize,
    /// The next line, if it was already read to find the end of a game.
    pending: Option<String>,
    draft: Draft,
    is_over: bool,
}

/// The game being read.
#[derive(Debug, Default)]
struct Draft {
    tags: Vec<(String, String)>,
    line: usize,
    /// `None` until the first turn.
    game: Option<Game>,
    result: Option<GameResult>,
    /// Whether a line of turns was read.
    has_turns: bool,
    /// Whether its text says that the game ends here.
    is_complete: bool,
    in_comment: bool,
    /// The number of open parentheses.
    variations: usize,
    failure: Option<RecordError>,
}

impl<R: BufRead> Records<R> {
    /// The games of an input, all by these rules.
    pub fn new(rules: Rules, input: R) -> Records<R> {
        Records {
            rules,
            input,
            line: 0,
            pending: None,
            draft: Draft::default(),
            is_over: false,
        }
    }

    /// The next line without its line break; `None` at the end.
    fn line(&mut self) -> io::Result<Option<String>> {
        if let Some(line) = self.pending.take() {
            return Ok(Some(line));
        }
        let mut bytes = Vec::new();
        let mut bounded = self.input.by_ref().take(LONGEST_LINE);
        if bounded.read_until(b'\n', &mut bytes)? == 0 {
            return Ok(None);
        }
        self.line += 1;
        if bytes.len() as u64 == LONGEST_LINE && bytes.last() != Some(&b'\n') {
            self.input.skip_until(b'\n')?;
            let sentence = format!("the line is longer than {LONGEST_LINE} bytes");
            self.draft.fail(self.line, sentence);
            bytes.clear();
        }
        Ok(Some(String::from_utf8_lossy(&bytes).trim().to_owned()))
    }

    /// Takes a line, and returns a game that ends with it or before it.
    fn take(&mut self, line: String) -> Option<Result<Record, RecordError>> {
        let first = line.split_whitespace().next().unwrap_or_default();
        let is_numbered = first.starts_with("1.") && !first.starts_with("1...");
        let has_begun = self.draft.has_begun();
        let begins_another = match first {
            _ if self.draft.is_open() => false,
            "position" | "setoption" => self.draft.has_moves(),
            _ => has_begun && (is_numbered || first.starts_with('[')),
        };
        if begins_another {
            self.pending = Some(line);
            return self.end();
        }
        let ends = match first {
            _ if self.draft.is_open() => {
                self.draft.text(&line, self.line, &self.rules);
                self.draft.is_complete
            }
            "" => has_begun,
            "position" | "setoption" => {
                self.protocol(&line);
                first == "position"
            }
            _ if first.starts_with(['#', '%']) => false,
            _ if first.starts_with('[') => {
                self.draft.tag(&line, self.line, &self.rules);
                false
            }
            _ => {
                let is_list = !has_begun && self.draft.tags.is_empty() && !is_numbered;
                self.draft.text(&line, self.line, &self.rules);
                self.draft.is_complete || is_list && !self.draft.is_open()
            }
        };
        if ends { self.end() } else { None }
    }

    /// A line of a saved game.
    fn protocol(&mut self, line: &str) {
        let number = self.line;
        if let Some(rules) = line.trim().strip_prefix("setoption name Rules value ") {
            self.draft.check_rules(rules.trim(), number, &self.rules);
        } else if line.starts_with("position") {
            match Game::parse_legal(line, &self.rules) {
                Ok((game, error)) => {
                    if let Some(error) = error {
                        self.draft.fail(number, illegal(&game, &error));
                    }
                    self.draft.line = number;
                    self.draft.game = Some(game);
                }
                Err(sentence) => self.draft.fail(number, sentence),
            }
        } else {
            let sentence = "a saved game has lines 'position …' and 'setoption name Rules …'";
            self.draft.fail(number, sentence.to_owned());
        }
    }

    /// Ends the game that has been read.
    fn end(&mut self) -> Option<Result<Record, RecordError>> {
        std::mem::take(&mut self.draft).finish(&self.rules)
    }
}

impl<R: BufRead> Iterator for Records<R> {
    type Item = Result<Record, RecordError>;

    fn next(&mut self) -> Option<Result<Record, RecordError>> {
        while !self.is_over {
            match self.line() {
                Ok(Some(line)) => {
                    if let Some(found) = self.take(line) {
                        return Some(found);
                    }
                }
                Ok(None) => {
                    self.is_over = true;
                    return self.end();
                }
                Err(error) => {
                    self.is_over = true;
                    return Some(Err(RecordError::Io(error)));
                }
            }
        }
        None
    }
}

impl Draft {
    /// Whether the game has more than tags. A wrong line that is not among tags counts as a
    /// separate game.
    fn has_begun(&self) -> bool {
        self.has_moves() || self.failure.is_some() && self.tags.is_empty()
    }

    fn has_moves(&self) -> bool {
        self.game.is_some() || self.has_turns
    }

    /// Whether a comment or a variation goes on.
    fn is_open(&self) -> bool {
        self.in_comment || self.variations > 0
    }

    fn fail(&mut self, line: usize, sentence: String) {
        let error = RecordError::Text { line, sentence };
        self.failure.get_or_insert(error);
    }

    fn check_rules(&mut self, name: &str, line: usize, rules: &Rules) {
        if name != rules.to_string() {
            self.failure.get_or_insert(RecordError::OtherRules {
                line,
                rules: *rules,
                found: Rules::named(name).map(|_| name.to_owned()),
            });
        }
    }

    /// A line `[Name "value"]`.
    fn tag(&mut self, line: &str, number: usize, rules: &Rules) {
        let inner = line
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'));
        let parts = inner.and_then(|inner| inner.trim().split_once(char::is_whitespace));
        let quoted = parts.and_then(|(name, value)| {
            let value = value.trim().strip_prefix('"')?.strip_suffix('"')?;
            Some((name, value))
        });
        let Some((name, value)) = quoted else {
            let sentence = format!(
                "'{}' is not a tag; a tag is written like [White \"Name\"]",
                shown(line)
            );
            return self.fail(number, sentence);
        };
        let value = value.replace("\\\"", "\"").replace("\\\\", "\\");
        if name == "Rules" {
            self.check_rules(&value, number, rules);
        }
        if self.tags.is_empty() {
            self.line = number;
        }
        self.tags.push((name.to_owned(), value));
    }

    /// A line of turns, comments, variations and marks.
    fn text(&mut self, line: &str, number: usize, rules: &Rules) {
        if self.line == 0 {
            self.line = number;
        }
        self.has_turns = true;
        let mut word = String::new();
        for letter in line.chars().chain([' ']) {
            if self.in_comment {
                self.in_comment = letter != '}';
                continue;
            }
            match letter {
                '{' | '(' | ')' | ';' | ' ' | '\t' => {
                    if self.variations == 0 && !word.is_empty() {
                        self.word(&word, number, rules);
                    }
                    word.clear();
                    match letter {
                        '{' => self.in_comment = true,
                        '(' => self.variations += 1,
                        ')' => self.variations = self.variations.saturating_sub(1),
                        ';' => return,
                        _ => {}
                    }
                }
                _ => word.push(letter),
            }
        }
    }

    /// Takes a word: a number, a result, a mark, or a turn, possibly with its number in front.
    fn word(&mut self, word: &str, line: usize, rules: &Rules) {
        if word == "*" || GameResult::parse(word).is_some() {
            self.result = GameResult::parse(word);
            self.is_complete = true;
            return;
        }
        let turn = match word.split_once('.') {
            Some((number, rest)) if number.bytes().all(|byte| byte.is_ascii_digit()) => {
                rest.trim_start_matches('.')
            }
            _ => word,
        };
        let turn = turn.trim_end_matches(['!', '?', '+', '#']);
        if turn.is_empty() || turn.starts_with('$') || self.failure.is_some() {
            return;
        }
        if self.is_complete {
            let sentence = format!("'{}' follows the result of the game", shown(word));
            return self.fail(line, sentence);
        }
        if let Err(sentence) = self.play(&turn.to_ascii_lowercase(), rules) {
            self.fail(line, sentence);
        }
    }

    fn play(&mut self, turn: &str, rules: &Rules) -> Result<(), String> {
        let game = match &mut self.game {
            Some(game) => game,
            None => {
                let fen = self.tags.iter().find(|(name, _)| name == "FEN");
                self.game.insert(match fen {
                    Some((_, text)) => {
                        Game::from_position(text, rules).map_err(|error| error.to_string())?
                    }
                    None => Game::new(*rules, Position::start(rules)),
                })
            }
        };
        if game.actions().len() >= MOST_ACTIONS {
            return Err(format!("the game has more than {MOST_ACTIONS} actions"));
        }
        game.play(turn).map_err(|error| illegal(game, &error))
    }

    /// The game, or the reason why it cannot be read; `None` if no line was read.
    fn finish(mut self, rules: &Rules) -> Option<Result<Record, RecordError>> {
        if self.is_open() {
            let sentence = "a comment or a variation is not closed before the input ends";
            self.fail(self.line, sentence.to_owned());
        }
        let has_turns = self
            .game
            .as_ref()
            .is_some_and(|game| !game.turns().is_empty());
        let cut = match self.failure {
            Some(error @ RecordError::Text { .. }) if has_turns => Some(error.to_string()),
            Some(error) => return Some(Err(error)),
            None => None,
        };
        if self.game.is_none() && self.tags.is_empty() && !self.is_complete {
            return None;
        }
        let tagged = self.tags.iter().find(|(name, _)| name == "Result");
        let tagged = tagged.and_then(|(_, text)| GameResult::parse(text));
        let game = match self.game {
            Some(game) => game,
            None => Game::new(*rules, Position::start(rules)),
        };
        Some(Ok(Record {
            result: self.result.or(tagged).or_else(|| GameResult::of(&game)),
            tags: self.tags,
            game,
            cut,
        }))
    }
}

/// The sentence about an action that a game does not allow.
fn illegal(game: &Game, error: &GameError) -> String {
    let turns = counted(game.turns().len(), "turn");
    format!("the game cannot go on after {turns}: {error}")
}
