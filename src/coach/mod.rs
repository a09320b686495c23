//! The coach: compares play with the truth of the databases.
//!
//! | module | room for |
//! |---|---|
//! | [`truth`] | the values of a position's turns, with as much search as the task allows |
//! | [`record`] | reading games: saved games, turn lists, PGN-like text |
//! | [`review`] | the grade of each turn of a game, its errors, its summary |
//! | [`annotate`], [`graph`] | a review as annotated text and as a picture |
//! | [`archive`] | many games: tables by player and by opening |
//! | [`explain`] | facts about a position and its turns |
//! | [`contest`] | matches of two players, each a [`contestant`], ours or a [`process`] |
//! | [`judge`] | an exam for players |
//! | [`puzzle`], [`pack`] | puzzles made, and checked |
//! | [`sample`] | positions drawn by chance |
//! | [`confidence`] | confidence intervals by the bootstrap |
//!
//! docs/COACH.md defines each word and each number with a formula and an example.

pub mod annotate;
pub mod archive;
pub mod confidence;
pub mod contest;
pub mod contestant;
pub mod explain;
pub mod graph;
pub mod judge;
pub mod pack;
pub mod process;
pub mod puzzle;
pub mod record;
pub mod review;
pub mod sample;
pub mod truth;
