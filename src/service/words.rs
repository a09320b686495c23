//! The words of answers: how values, turns, points and positions appear in JSON and in its schema.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::board::Point;
use crate::coach::review::Grade;
use crate::engine::Illegality;
use crate::engine::count::QuietCount;
use crate::engine::ending::DrawRule;
use crate::engine::game::Game;
use crate::index::Pair;
use crate::probe::{LineEnd, Source};
use crate::rules::Rules;
use crate::rules::position::{Letters, Phase, Position, PositionError, Side};
use crate::rules::turns::Turn;
use crate::value::{Dtw, Value, Wdl};

/// The pattern of a point's name.
const POINT: &str = "([ag][147]|[bf][246]|[ce][345]|d[1-35-7])";

/// A position's text, made when it is written: the position, and the rules, which decide the phase in
/// the text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Fen {
    /// The position.
    pub position: Position,
    /// The number of quiet turns before it.
    pub quiet_turns: u32,
    /// Whether the text has their number, see [`Rules::states_count`].
    is_counted: bool,
    /// The rules.
    pub rules: Rules,
}

impl Fen {
    /// A position under these rules, without quiet turns before it.
    pub fn new(position: &Position, rules: &Rules) -> Fen {
        Fen {
            position: *position,
            quiet_turns: 0,
            is_counted: rules.states_count(0),
            rules: *rules,
        }
    }

    /// The position after this number of quiet turns, which the text has.
    fn counted(self, quiet_turns: u32) -> Fen {
        Fen {
            quiet_turns,
            is_counted: self.rules.states_count(quiet_turns),
            ..self
        }
    }

    /// Parses a position's text, which may state a count of quiet turns.
    ///
    /// # Errors
    ///
    /// As for [`Position::parse`].
    pub fn parse(text: &str, rules: &Rules) -> Result<Fen, PositionError> {
        let (position, quiet_turns) = Position::parse_counted(text, rules)?;
        Ok(Fen::new(&position, rules).counted(quiet_turns))
    }

    /// The position with which a game begins.
    pub fn start_of(game: &Game) -> Fen {
        Fen::new(game.start(), game.rules()).counted(game.quiet_before)
    }

    /// The last position of a game.
    pub fn of(game: &Game) -> Fen {
        Fen {
            position: *game.position(),
            quiet_turns: game.quiet_turns(),
            ..Fen::start_of(game)
        }
    }

    /// A game that begins with the position.
    pub fn game(&self) -> Game {
        Game::new(self.rules, self.position).with_quiet_turns(self.quiet_turns)
    }

    /// Checks a turn and returns the position after it, as its text states it.
    ///
    /// # Errors
    ///
    /// As for [`Position::play`].
    pub fn play(&self, turn: Turn) -> Result<Fen, Illegality> {
        let position = self.position.play(turn, &self.rules)?;
        Ok(self.followed_by(position, turn))
    }

    /// The position after one of the legal turns, as its text states it.
    pub fn after(&self, turn: Turn) -> Fen {
        self.followed_by(self.position.after(turn), turn)
    }

    /// The position that a turn leads to, as its text states it.
    fn followed_by(&self, position: Position, turn: Turn) -> Fen {
        let after = Fen {
            position,
            quiet_turns: self.position.quiet_turns_after(turn, self.quiet_turns),
            ..*self
        };
        after.as_written()
    }

    /// The position as its text states it.
    fn as_written(self) -> Fen {
        Fen {
            quiet_turns: if self.is_counted { self.quiet_turns } else { 0 },
            ..self
        }
    }

    /// The usual count of quiet turns, which the values ignore; rules with a limit have none.
    pub fn count(&self) -> QuietCount {
        QuietCount::under(&self.rules, DrawRule::USUAL, self.quiet_turns)
    }

    /// The text, without allocation.
    pub fn letters(&self) -> Letters {
        self.position
            .letters_counted(&self.rules, self.as_written().quiet_turns)
    }
}

impl Deref for Fen {
    type Target = Position;

    fn deref(&self) -> &Position {
        &self.position
    }
}

impl fmt::Display for Fen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.letters().as_str())
    }
}

impl Serialize for Fen {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.letters().as_str())
    }
}

/// A value is the two fields `wdl` and `dtw`; `dtw` is null for a draw and for an unknown depth.
impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Value", 2)?;
        fields.serialize_field("wdl", &self.wdl())?;
        fields.serialize_field("dtw", &self.dtw())?;
        fields.end()
    }
}

impl<'de> Deserialize<'de> for Side {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Side, D::Error> {
        let name = String::deserialize(deserializer)?;
        let side = Side::named(&name);
        side.ok_or_else(|| de::Error::custom(format_args!("'{name}' is not white or black")))
    }
}

/// The end of a line is the two fields `end` and `repeats`.
impl Serialize for LineEnd {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let repeats = match self {
            LineEnd::Repetition { from } => Some(from),
            LineEnd::Over | LineEnd::Quiet | LineEnd::Limit => None,
        };
        let mut fields = serializer.serialize_struct("LineEnd", 2)?;
        fields.serialize_field("end", self.name())?;
        fields.serialize_field("repeats", &repeats)?;
        fields.end()
    }
}

impl Serialize for Dtw {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u16(self.0)
    }
}

/// The schema of a type under its name.
macro_rules! schema {
    ($type:ty, $name:literal, |$generator:ident| $schema:expr) => {
        impl JsonSchema for $type {
            fn schema_name() -> Cow<'static, str> {
                $name.into()
            }

            fn json_schema($generator: &mut SchemaGenerator) -> Schema {
                $schema
            }
        }
    };
}

/// Types that appear as one of these words.
macro_rules! words {
    ($($type:ty: $name:literal = $words:tt)*) => {$(
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }

        schema!($type, $name, |_generator| json_schema!({ "type": "string", "enum": $words }));
    )*};
}

words! {
    Wdl: "wdl" = ["win", "draw", "loss"]
    Side: "side" = ["white", "black"]
    Phase: "phase" = ["placing", "moving", "flying", "over"]
    Source: "source" = ["rules", "database", "search"]
    Grade: "grade" = ["best", "equal", "slower", "gives-up-draw", "gives-up-win"]
}

/// Types that appear as a text of this pattern.
macro_rules! texts {
    ($($type:ty: $name:literal = $pattern:expr;)*) => {$(
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        schema!($type, $name, |_generator| json_schema!({ "type": "string", "pattern": $pattern }));
    )*};
}

texts! {
    Point: "point" = format!("^{POINT}$");
    Turn: "turn" = format!("^(pass|({POINT}(-{POINT})?(x{POINT}){{0,3}}|(x{POINT}){{1,3}}))$");
    Pair: "pair" = "^(([3-9]|1[0-2])-([3-9]|1[0-2])|([0-9]|1[0-2])-([0-9]|1[0-2])\\+([0-9]|1[0-2])-([0-9]|1[0-2]))$";
}

schema!(Fen, "position", |_generator| json_schema!({
    "type": "string",
    "pattern": "^[O@*]{8}(/[O@*]{8}){2} [wb] (p p|p s|p r|m s|m r|o \\?)( ([0-9]|1[0-2])){4} [0-3] [0-3] -1 -1 -1 -1 0 (0|[1-9][0-9]{0,9}) 1$",
}));

schema!(Dtw, "depth", |_generator| json_schema!({
    "type": "integer",
    "minimum": 0,
    "maximum": 254,
}));

schema!(Value, "value", |generator| json_schema!({
    "type": "object",
    "properties": {
        "wdl": generator.subschema_for::<Wdl>(),
        "dtw": generator.subschema_for::<Option<Dtw>>(),
    },
    "required": ["wdl", "dtw"],
}));

schema!(LineEnd, "lineEnd", |generator| json_schema!({
    "type": "object",
    "properties": {
        "end": { "type": "string", "enum": ["over", "repetition", "quiet", "limit"] },
        "repeats": generator.subschema_for::<Option<usize>>(),
    },
    "required": ["end", "repeats"],
}));

/// The points in the order of their names.
pub fn points(points: impl IntoIterator<Item = Point>) -> Vec<Point> {
    let mut points: Vec<Point> = points.into_iter().collect();
    points.sort_unstable_by_key(|point| point.name());
    points
}
