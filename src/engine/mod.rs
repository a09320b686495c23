//! The engine: a game, its turns and its ending, players that choose turns, and the protocol that
//! frontends speak.
//!
//! - `game`: the actions made so far and the positions on the way
//! - `draws`: the one rule for draws
//! - `ending`: how a game ends
//! - `reason`: why a turn is not legal
//! - `player`: the one player of the engine, the terminal and the page
//! - `uci`: the protocol

pub mod draws;
pub mod ending;
pub mod game;
pub mod player;
pub mod reason;
pub mod uci;
