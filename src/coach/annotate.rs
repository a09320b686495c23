//! A reviewed game as annotated text, which [`RecordReader`](crate::notation::RecordReader) reads again.

use crate::coach::review::{GameReview, Grade, ReviewedTurn, Verdict};
use crate::notation::{GameForm, PointNaming, Record, game_text};

/// The most better turns that a comment names.
const MOST_NAMED: usize = 3;

/// The game with its tags, comments and variations, and with the marks and comments of the review.
///
/// | mark | turn |
/// |---|---|
/// | `!` | the only turn that keeps the result |
/// | `?!` | slower: wins later or loses sooner |
/// | `?` | gives up a draw, or a win for a draw |
/// | `??` | gives up a win for a loss |
pub fn annotated(record: &Record, review: &GameReview) -> String {
    let mut record = record.clone();
    for (noted, reviewed) in record.line.turns.iter_mut().zip(&review.turns) {
        if reviewed.verdict.is_some() {
            let kept = noted.marks.split(' ').filter(|mark| mark.starts_with('$'));
            let marks = [mark(reviewed)].into_iter().chain(kept);
            let marks: Vec<&str> = marks.filter(|mark| !mark.is_empty()).collect();
            noted.marks = marks.join(" ");
        }
        if let Some(comment) = comment(reviewed)
            && !noted.comment.contains(&comment)
        {
            let both = [noted.comment.as_str(), comment.as_str()];
            let both = both.into_iter().filter(|comment| !comment.is_empty());
            noted.comment = both.collect::<Vec<&str>>().join(" ");
        }
    }
    game_text(&record, GameForm::Text(PointNaming::Names))
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

/// The comment on a turn; `None` for a best turn and for one without a verdict.
pub fn comment(turn: &ReviewedTurn) -> Option<String> {
    let verdict = turn.verdict.as_ref()?;
    let (words, value) = (verdict.grade.words(), verdict.value);
    Some(format!("{words}: {value}; best {}", instead(verdict)?))
}

/// The best turns of a position and their value; `None` for a best turn.
pub fn instead(verdict: &Verdict) -> Option<String> {
    if verdict.value == verdict.before {
        return None;
    }
    let named = verdict.best.iter().take(MOST_NAMED);
    let named: Vec<String> = named.map(|turn| turn.to_string()).collect();
    let more = match verdict.best.len() - named.len() {
        0 => String::new(),
        more => format!(" or {more} more"),
    };
    let (named, before) = (named.join(", "), verdict.before);
    Some(format!("{named}{more}: {before}"))
}
