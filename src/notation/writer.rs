//! Games as text: with tags, comments and variations, as lists of turns, and as the engine protocol.

use super::lexer::LONGEST_COMMENT;
use super::numbering::PointNaming;
use super::record::{Line, Record};
use crate::engine::game::Game;
use crate::rules::position::{Position, Side};

/// The most characters of a line of text.
const WIDTH: usize = 100;

/// A form of games.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum GameForm {
    /// Tags, numbered turns, comments, variations and result.
    Text(PointNaming),
    /// The turns in a line.
    List(PointNaming),
    /// The line of the engine protocol.
    Protocol,
}

/// A game in a form, with its line break.
///
/// ```
/// use millbase::Rules;
/// use millbase::notation::{GameForm, PointNaming, RecordReader, game_text};
/// let text = "1. d6 {the middle} f4 (1... b4) 2. d2 *";
/// let game = RecordReader::new(Rules::STANDARD, text.as_bytes()).next().unwrap()?;
/// assert!(game_text(&game, GameForm::Text(PointNaming::Names)).ends_with("1. d6 {the middle} 1... f4 (1... b4) 2. d2 *\n"));
/// assert_eq!(game_text(&game, GameForm::List(PointNaming::Numbers)), "5 14 20\n");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn game_text(record: &Record, form: GameForm) -> String {
    match form {
        GameForm::Text(points) => tagged(record, points),
        GameForm::List(points) => {
            let game = &record.game;
            let turns = match points {
                // Removals come in the order in which they are legal.
                PointNaming::Actions => game.actions().to_vec(),
                _ => game.turns(),
            };
            let turns: Vec<String> = turns.iter().map(|&turn| points.turn(turn)).collect();
            turns.join(" ") + "\n"
        }
        GameForm::Protocol => protocol(&record.game),
    }
}

fn protocol(game: &Game) -> String {
    let rules = game.rules();
    match rules.name() {
        Some("standard") => game.text() + "\n",
        _ => format!("setoption name Rules value {rules}\n{}\n", game.text()),
    }
}

fn tagged(record: &Record, points: PointNaming) -> String {
    let rules = record.rules();
    let mut text = String::new();
    let mut tag = |name: &str, value: &str| {
        let value = value.replace('\\', "\\\\").replace('"', "\\\"");
        text += &format!("[{name} \"{value}\"]\n");
    };
    for (name, value) in &record.tags {
        tag(name, value);
    }
    tag("Rules", &rules.to_string());
    let game = &record.game;
    if *game.start() != Position::start(rules) || game.quiet_before > 0 {
        let start = game.start().letters_counted(rules, game.quiet_before);
        tag("FEN", start.as_str());
    }
    let result = record.result_text();
    tag("Result", result);
    text.push('\n');
    let mut writer = Writer {
        text,
        length: 0,
        is_opened: false,
        points,
    };
    let is_first_black = game.start().side_to_move() == Side::Black;
    writer.line(&record.line, usize::from(is_first_black));
    writer.word(result);
    writer.text + "\n"
}

struct Writer {
    text: String,
    /// The number of characters of the last line; 0 where a word needs no space before it.
    length: usize,
    /// Whether a parenthesis was opened just now.
    is_opened: bool,
    points: PointNaming,
}

impl Writer {
    fn word(&mut self, word: &str) {
        let letters = word.chars().count();
        // A line that begins with the mark `#` would be a comment.
        let may_begin_line = !word.starts_with('#');
        if self.length > 0 && self.length + 1 + letters > WIDTH && may_begin_line {
            self.text.push('\n');
            self.length = 0;
        } else if self.length > 0 && !self.is_opened {
            self.text.push(' ');
            self.length += 1;
        }
        self.is_opened = false;
        self.text += word;
        self.length += letters;
    }

    fn comment(&mut self, comment: &str) {
        if comment.is_empty() {
            return;
        }
        // Several comments may have become one that is too long to be read again.
        let too_long = comment.as_bytes().get(..=LONGEST_COMMENT);
        let last_space = |bytes: &[u8]| bytes.iter().rposition(|&byte| byte == b' ');
        if let Some(space) = too_long.and_then(last_space) {
            self.comment(&comment[..space]);
            return self.comment(&comment[space + 1..]);
        }
        if comment.contains('}') {
            // Only a comment up to the end of the line can have a brace.
            self.text += &format!(" ; {comment}\n");
            self.length = 0;
            return;
        }
        let braced = format!("{{{comment}}}");
        braced.split(' ').for_each(|word| self.word(word));
    }

    /// Writes a line; `ply` turns come before it, counted as if White had begun.
    fn line(&mut self, line: &Line, mut ply: usize) {
        self.comment(&line.comment);
        let mut needs_number = true;
        for turn in &line.turns {
            let (number, is_white) = (ply / 2 + 1, ply.is_multiple_of(2));
            if is_white {
                self.word(&format!("{number}."));
            } else if needs_number {
                self.word(&format!("{number}..."));
            }
            let mut marks = turn.marks.split(' ').peekable();
            let glued = marks.next_if(|mark| !mark.starts_with('$'));
            let glued = glued.unwrap_or_default();
            // The step, and its removals if they stand apart.
            let text = format!("{}{glued}", self.points.turn(turn.turn));
            text.splitn(2, ' ').for_each(|word| self.word(word));
            marks
                .filter(|mark| !mark.is_empty())
                .for_each(|mark| self.word(mark));
            self.comment(&turn.comment);
            for variation in &turn.variations {
                self.word("(");
                self.is_opened = true;
                self.line(variation, ply);
                self.text.push(')');
                self.length += 1;
            }
            needs_number = !turn.comment.is_empty() || !turn.variations.is_empty();
            ply += 1;
        }
    }
}
