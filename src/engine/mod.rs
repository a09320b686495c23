//! The engine: a game, its turns and its ending, players that choose turns, and the protocol that
//! frontends speak.
//!
//! - `game`: the actions made so far and the positions on the way
//! - `draws`: the rule for draws
//! - `ending`: the end of a game
//! - `reason`: the reasons why a turn is not legal
//! - `player`: the player that engine, terminal and page share
//! - `uci`: the protocol

pub mod draws;
pub mod ending;
pub mod game;
pub mod player;
pub mod reason;
pub mod uci;
