//! The engine: a game, its turns and its ending, players that choose turns, and the protocol that
//! frontends speak.
//!
//! - `game`: the actions made so far and the positions on the way
//! - `ending`: the end of a game, and the rule for draws
//! - `illegality`: the reasons why a turn is not legal
//! - `player`: the player that engine, terminal and page share
//! - `uci`: the protocol

pub mod ending;
pub mod game;
pub mod illegality;
pub mod player;
pub mod uci;
