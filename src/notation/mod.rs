//! Games and positions as people and programs write them: reading every form, and writing each.
//!
//! | module | contents |
//! |---|---|
//! | `record` | what was read: tags, turns with comments and variations, result, remarks |
//! | `numbering` | the names and numbers of points in the texts of other programs |
//! | `lexer` | lines of any length as words, comments and brackets, with line and column |
//! | `words` | the words of a turn, from `d6-d5xb4` to `a1 -> a4, take d6` |
//! | `line` | the turns of a game and its variations, checked by the rules |
//! | `draft` | the parts of a game while it is being read, and the record that they make |
//! | `reader` | the games of an input, one after the other |
//! | `names` | sets of rules by the names that programs write, and those that explain a game |
//! | `position` | positions in the forms of other programs |
//! | `writer` | games as text with tags, comments and variations, and as lists of turns |
//!
//! docs/NOTATION.md describes every form. Time is linear in the length of an input, and memory is bounded,
//! whatever it contains.

mod draft;
mod lexer;
mod line;
mod names;
mod numbering;
mod position;
mod reader;
mod record;
mod words;
mod writer;

#[doc(hidden)]
pub use lexer::without_mark;
pub use numbering::{Grid, PointNaming, PointOrder};
pub use position::{PositionForm, parse as parse_position, text as position_text};
pub use reader::{RecordReader, protocol_game};
pub use record::{GameResult, Line, NotedTurn, Record, Remark, ResultCounts};
pub use writer::{GameForm, game_text};
