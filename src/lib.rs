//! Perfect play for Nine Men's Morris (Mill, Mühle, Merels).
//!
//! The databases hold the value of every position after the placing phase: win, draw or loss for
//! the side to move, and the number of turns to the end. This library reads them, and with the
//! feature `build` makes and checks them; the program `millbase` is a thin layer over it.
//!
//! ```
//! use millbase::{Database, Position, Rules, Wdl};
//!
//! let rules = Rules::STANDARD;
//! // The pairs with at most nine stones are part of the library; `Database::open` reads a folder.
//! let database = Database::embedded(rules);
//! let position = Position::parse("***O**@*/*O@***@*/**@**O** w m s 3 0 4 0 0 0", &rules)?;
//! # if cfg!(feature = "embedded") {
//! let value = database.probe(&position)?;
//! assert_eq!(value.wdl(), Wdl::Win);
//! let best = &database.turns(&position)?[0];
//! assert_eq!(format!("{}: {}", best.turn, best.value), "a1-e4: win in 21");
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | module | room for |
//! |---|---|
//! | [`board`], [`bits`], [`symmetry`] | points, lines, edges; fast operations on sets of points; the 16 symmetries |
//! | [`rules`], [`position`], [`turns`] | what may be played: the rules as data, positions and their text, legal turns |
//! | [`value`], [`index`] | what a position is worth, and where a table keeps it |
//! | [`db`], [`histogram`] | the files: reading, probing, writing; how often each value occurs |
//! | [`placing`] | positions with stones in hand: their files, and making and checking these |
//! | [`search`], [`mod@answer`] | looking ahead; the value of any position from whoever knows it |
//! | [`game`], [`player`], [`uci`] | a game and its turns; who chooses them; the engine protocol |
//! | [`picture`] | the board as letters |
//! | `retro`, `verify` | solving and checking, with the feature `build` |
//!
//! Features: `build` adds solving, writing and verifying and needs rayon; `embedded` makes the
//! small databases part of the library; `cli`, the default, is the program and needs both.
#![warn(missing_docs)]

pub mod answer;
pub mod bits;
pub mod board;
pub mod db;
pub mod game;
pub mod histogram;
pub mod index;
pub mod picture;
pub mod placing;
pub mod player;
pub mod position;
#[cfg(feature = "build")]
pub mod retro;
pub mod rules;
pub mod search;
pub mod symmetry;
pub mod turns;
pub mod uci;
pub mod value;
#[cfg(feature = "build")]
pub mod verify;

pub use answer::{Answer, Source, answer, answer_within};
pub use board::{Board, Point, PointSet};
pub use db::{Database, DbError};
pub use histogram::Histogram;
pub use index::{Material, Pair};
pub use position::{Letters, Phase, Position, PositionError, Side};
pub use rules::{Blocked, FullBoard, Rules};
pub use symmetry::Symmetry;
pub use turns::Turn;
pub use value::{Dtw, Value, Wdl};

/// The examples of the README run as tests.
#[cfg(all(doctest, feature = "embedded"))]
#[doc = include_str!("../README.md")]
struct Readme;

/// The examples for frontends run as tests.
#[cfg(all(doctest, feature = "embedded"))]
#[doc = include_str!("../docs/FRONTENDS.md")]
struct Frontends;
