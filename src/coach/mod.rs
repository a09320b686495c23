//! The coach: compares play with the values of the databases.
//!
//! | module | contents |
//! |---|---|
//! | [`truth`] | the values of a position's turns, with a bounded search |
//! | [`review`] | the grade of each turn of a game, its errors, its summary |
//! | [`annotate`], [`graph`] | a review as annotated text and as a graph |
//! | [`archive`] | archives of games: tables by player and by opening |
//! | [`explain`] | where a side can close a mill, and how soon it can force a removal |
//! | [`contest`] | matches of two players |
//! | [`judge`] | an exam for players |
//! | [`contestant`] | the players of matches and exams |
//! | [`puzzle`], [`pack`] | making puzzles; checking packs of puzzles |
//! | [`confidence`] | confidence intervals |
//!
//! Results serialise as the answers of the program. docs/COACH.md defines each term and each number
//! with a formula and an example.

pub mod annotate;
pub mod archive;
pub mod confidence;
pub mod contest;
pub mod contestant;
pub mod explain;
pub mod graph;
pub mod judge;
pub mod pack;
pub mod puzzle;
pub mod review;
pub mod truth;
