//! A reviewed game as annotated text, which [`record`](super::record) reads again.

use crate::coach::record::Record;
use crate::coach::review::{GameReview, Grade, ReviewedTurn, Verdict};
use crate::rules::position::{Position, Side};

/// The most characters of a line of text.
const WIDTH: usize = 100;

/// The most better turns that a comment names.
const MOST_NAMED: usize = 3;

/// The game with its tags, marks and comments.
///
/// | mark | turn |
/// |---|---|
/// | `!` | the only turn that keeps the result |
/// | `?!` | slower: wins later or loses sooner |
/// | `?` | gives up a draw, or a win for a draw |
/// | `??` | gives up a win for a loss |
pub fn annotated(record: &Record, review: &GameReview) -> String {
    let rules = record.game.rules();
    let mut text = String::new();
    let mut tag = |name: &str, value: &str| {
        let value = value.replace('\\', "\\\\").replace('"', "\\\"");
        text += &format!("[{name} \"{value}\"]\n");
    };
    for (name, value) in &record.tags {
        tag(name, value);
    }
    let start = record.game.start();
    if *start != Position::start(rules) && record.tag("FEN").is_none() {
        tag("FEN", &start.text(rules));
    }
    let result = record.result_text();
    if record.tag("Result").is_none() {
        tag("Result", result);
    }
    text.push('\n');
    text + &wrapped(&(played(review) + result))
}

/// The turns with their marks and comments, a space after each.
fn played(review: &GameReview) -> String {
    let mut text = String::new();
    let mut number = 0;
    let mut needs_number = true;
    for turn in &review.turns {
        number += usize::from(turn.side == Side::White || number == 0);
        let prefix = match turn.side {
            Side::White => format!("{number}. "),
            Side::Black if needs_number => format!("{number}... "),
            Side::Black => String::new(),
        };
        text += &format!("{prefix}{}{} ", turn.turn, mark(turn));
        let comment = comment(turn);
        needs_number = comment.is_some();
        if let Some(comment) = comment {
            text += &format!("{{{comment}}} ");
        }
    }
    text
}

/// Wraps a text into lines of at most [`WIDTH`] characters.
fn wrapped(unwrapped: &str) -> String {
    let (mut text, mut length) = (String::new(), 0);
    for word in unwrapped.split(' ') {
        let letters = word.chars().count();
        if length > 0 && length + 1 + letters > WIDTH {
            text.push('\n');
            length = 0;
        } else if length > 0 {
            text.push(' ');
            length += 1;
        }
        text += word;
        length += letters;
    }
    text + "\n"
}

/// The mark of a turn; empty if it has none.
pub fn mark(turn: &ReviewedTurn) -> &'static str {
    match &turn.verdict {
        Some(verdict) if verdict.half_points_lost() == 2 => "??",
        Some(verdict) if verdict.grade.is_error() => "?",
        Some(verdict) if verdict.grade == Grade::Slower => "?!",
        Some(verdict) if verdict.only => "!",
        _ => "",
    }
}

/// The comment on a turn; `None` for a best turn.
pub fn comment(turn: &ReviewedTurn) -> Option<String> {
    let verdict = turn.verdict.as_ref()?;
    match verdict.grade {
        Grade::Best | Grade::Equal => None,
        grade => {
            let (words, value) = (grade.words(), verdict.value);
            Some(format!("{words}: {value}; best {}", instead(verdict)))
        }
    }
}

/// The best turns of a position and their value.
pub fn instead(verdict: &Verdict) -> String {
    let named: Vec<String> = verdict
        .best
        .iter()
        .take(MOST_NAMED)
        .map(|turn| turn.to_string())
        .collect();
    let more = match verdict.best.len() - named.len() {
        0 => String::new(),
        more => format!(" or {more} more"),
    };
    format!("{}{more}: {}", named.join(", "), verdict.before)
}
