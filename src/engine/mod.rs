//! The engine: a game, its turns and its ending, players that choose turns, and the protocol that
//! frontends speak.
//!
//! - `game`: the actions made so far and the positions on the way
//! - `ending`: the end of a game, and the rule for draws
//! - `count`: values under the count of quiet turns
//! - `repetition`: values under the rule about repeated positions
//! - `illegality`: the reasons why a turn is not legal
//! - `player`: the player that engine, terminal and page share
//! - `uci`: the protocol

pub(crate) mod count;
pub(crate) mod ending;
pub(crate) mod game;
mod illegality;
pub(crate) mod player;
mod repetition;
pub(crate) mod uci;

pub use count::QuietCount;
pub use ending::{DrawRule, Ending};
pub use game::{Game, GameError};
pub use illegality::Illegality;
pub use player::{Choice, DrawnTurns, Player, SkillLevel, Thinking};
