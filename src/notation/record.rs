//! A game that was read: its tags, its turns with comments and variations, its result, and remarks.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::engine::game::Game;
use crate::rules::Rules;
use crate::rules::position::Side;
use crate::rules::turns::Turn;
use crate::value::Value;

/// A game that was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// The names and values of the tags, in their order, without those that the other fields state: `Rules`,
    /// `FEN`, `Position`, `SetUp` and `Result`.
    pub tags: Vec<(String, String)>,
    /// The turns as they were played; the last may lack its removal.
    pub game: Game,
    /// The same turns with their comments and variations, without a last one that lacks its removal.
    pub line: Line,
    /// The result, by the text or else by the last position; `None` if neither gives one.
    pub result: Option<GameResult>,
    /// Remarks about everything strange in the text, in its order; nothing else of the text is left
    /// out.
    pub remarks: Vec<Remark>,
}

/// Turns one after the other.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, JsonSchema)]
pub struct Line {
    /// The comment before the first turn; empty if there is none.
    pub comment: String,
    /// The turns.
    pub turns: Vec<NotedTurn>,
}

/// A turn with what the text says about it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct NotedTurn {
    /// The turn.
    pub turn: Turn,
    /// The marks after it, such as `!?` or `? $4`; empty if there are none.
    pub marks: String,
    /// The comment after it; empty if there is none.
    pub comment: String,
    /// Other lines in place of the turn and of those after it.
    pub variations: Vec<Line>,
}

/// Something strange in a text.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Remark {
    /// The line in the input, from 1.
    pub line: usize,
    /// The character in this line, from 1.
    pub column: usize,
    /// Whether the turns of the game end here although its text goes on.
    pub cuts: bool,
    /// The name of rules by which the text would make sense, if some have a name and do and the game
    /// names none itself.
    pub rules: Option<&'static str>,
    /// The kind of remark, as a word for programs.
    pub reason: &'static str,
    /// The words, turns and numbers of the sentence by their names.
    pub fields: BTreeMap<&'static str, String>,
    /// A description in one sentence.
    pub message: String,
}

impl Remark {
    /// The same remark where the turns of the game end.
    pub(super) fn cutting(self) -> Remark {
        Remark { cuts: true, ..self }
    }

    fn leaves_out(&self) -> bool {
        match self.reason {
            "illegal" | "not_a_turn" | "over" | "removal_missing" | "variation_left_out" => true,
            "not_a_line" | "not_a_tag" | "open_comment" | "variation_open" | "too_long" => true,
            _ => self.cuts,
        }
    }
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Remark { line, column, .. } = self;
        write!(f, "line {line}, column {column}: {}", self.message)
    }
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
    /// The result of a game whose last position is over, also by a limit of quiet turns in its rules.
    pub fn of(game: &Game) -> Option<GameResult> {
        let (position, rules) = (game.position(), game.rules());
        let limited = || rules.is_at_quiet_limit(position, game.quiet_turns());
        let result = position.result(rules);
        Some(match result.or_else(|| limited().then_some(Value::Draw))? {
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
            _ => f64::from(self == GameResult::won_by(side)),
        }
    }

    /// The result of a text such as `1-0`, `0:1`, `1/2-1/2` or `½`; `None` if it is not a result.
    pub(crate) fn parse(text: &str) -> Option<GameResult> {
        match text.replace(['–', '—', '−', ':'], "-").as_str() {
            "1-0" => Some(GameResult::White),
            "0-1" => Some(GameResult::Black),
            "1/2-1/2" | "1/2" | "½-½" | "½" => Some(GameResult::Draw),
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

    /// The sum of the points.
    pub(crate) fn points(&self) -> f64 {
        self.wins as f64 + self.draws as f64 / 2.0
    }

    /// The mean of the points, from 0 to 1; `None` without games.
    pub fn score(&self) -> Option<f64> {
        (self.games() > 0).then(|| self.points() / self.games() as f64)
    }
}

impl Record {
    /// A game without tags and comments.
    pub fn of(game: Game) -> Record {
        let mut turns: Vec<NotedTurn> = game.turns().into_iter().map(NotedTurn::from).collect();
        turns.pop_if(|_| game.position().removal_owed());
        Record {
            tags: Vec::new(),
            line: Line {
                comment: String::new(),
                turns,
            },
            result: GameResult::of(&game),
            remarks: Vec::new(),
            game,
        }
    }

    /// The rules of the game.
    pub fn rules(&self) -> &Rules {
        self.game.rules()
    }

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

    /// Why the turns end although the text goes on; `None` if they do not.
    pub fn cut(&self) -> Option<&Remark> {
        self.remarks.iter().find(|remark| remark.cuts)
    }

    /// The first remark about text that is left out or not understood: turns, variations, tags, the
    /// end of a comment, or all that an unclosed comment or variation contains.
    pub fn left_out(&self) -> Option<&Remark> {
        self.remarks.iter().find(|remark| remark.leaves_out())
    }

    /// Whether the text has no turn that could be read, and something in place of one.
    pub fn is_unread(&self) -> bool {
        self.game.actions().is_empty() && self.cut().is_some()
    }

    /// Whether the text had turns alone, and all of them were read.
    pub(super) fn has_turns_only(&self) -> bool {
        *self == Record::of(self.game.clone())
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

impl From<Turn> for NotedTurn {
    fn from(turn: Turn) -> NotedTurn {
        NotedTurn {
            turn,
            marks: String::new(),
            comment: String::new(),
            variations: Vec::new(),
        }
    }
}

fn side_tag(side: Side) -> &'static str {
    match side {
        Side::White => "White",
        Side::Black => "Black",
    }
}
