//! The coach: compares play with the values of the databases.
//!
//! | module | contents |
//! |---|---|
//! | [`truth`] | the values of a position's turns, with a bounded search |
//! | [`record`] | reading games: saved games, turn lists, PGN-like text |
//! | [`review`] | the grade of each turn of a game, its errors, its summary |
//! | [`annotate`], [`graph`] | a review as annotated text and as a graph |
//! | [`archive`] | archives of games: tables by player and by opening |
//! | [`explain`] | facts about a position and its turns |
//! | [`contest`] | matches of two players, each a [`contestant`]: Millbase's or an engine [`process`] |
//! | [`judge`] | an exam for players |
//! | [`puzzle`], [`pack`] | making and checking puzzles |
//! | [`monte_carlo`] | a plain Monte Carlo tree search as an opponent |
//! | [`sample`] | random positions |
//! | [`confidence`] | confidence intervals by the bootstrap |
//!
//! docs/COACH.md defines each term and each number with a formula and an example.

pub mod annotate;
pub mod archive;
pub mod confidence;
pub mod contest;
pub mod contestant;
pub mod explain;
pub mod graph;
pub mod judge;
pub mod monte_carlo;
pub mod pack;
pub mod process;
pub mod puzzle;
pub mod record;
pub mod review;
pub mod sample;
pub mod truth;
