//! Perfect play for Nine Men's Morris (Mill, Mühle, Merels).
//!
//! The databases give the value of every position of the moving and of the placing phase: win, draw or
//! loss for the side to move, and the number of turns to the end. This library reads them
//! and, with the feature `build`, builds and checks them. The program `millbase` is a thin layer over
//! it.
//!
//! ```
//! use millbase::{Database, Position, Rules, Wdl};
//!
//! let rules = Rules::STANDARD;
//! // The pairs with at most nine stones are part of the library; `Database::open_in` reads a folder.
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
//! The layers, each of which uses only those above it (a test checks that):
//!
//! ```text
//! board     points, lines and edges; sets of points; the 16 symmetries
//! random    random numbers that are the same for a seed everywhere
//! lock      locks that do not fail
//! memory    large zeroed arrays
//! value     the value of a position: win, draw or loss, and the depth
//! rules     the rules as data; position, turn, and the only generator of turns
//! index     pairs and stages; where a table keeps a position; histograms
//! sample    random positions; the form that positions equal up to symmetry share
//! search    alpha-beta with any source of known values
//! store     the files: container, directory, codec; pairs and plies as two schemas
//! probe     value, ranked turns and best line of any position
//! solve     retrograde analysis of the pairs, and the plies of the placing phase    feature build
//! verify    recomputes every value                                                  feature build
//! malom     our values as the sector files of another program                       feature build
//! prove     the proof of the start position
//! engine    game, players, protocol
//! coach     grades games, judges engines, makes and checks puzzles                   feature service
//! service   a question as people write it, and its typed answer                      feature service
//! ```
//!
//! Words of the placing phase: a *ply* is the number of turns made so far, one placement each, and
//! a *stage* is a ply with the stones that each side has lost. Its tables are in one file for each
//! ply, as those of the moving phase are in one file for each pair of numbers of stones.
//!
//! A probe goes down once and up again: position → schema of the pair or ply → row and block →
//! codec → value.
//!
//! Features: `build` adds solving, writing and verifying, and depends on rayon; `embedded` makes
//! the small databases part of the library; `service` adds the coach, and typed answers to
//! questions as people write them; both serialise as JSON.
#![warn(missing_docs)]

pub mod board;
#[cfg(feature = "service")]
pub mod coach;
pub mod engine;
pub mod index;
pub mod lock;
#[cfg(feature = "build")]
pub mod malom;
pub mod memory;
pub mod probe;
pub mod prove;
pub mod random;
pub mod rules;
pub mod sample;
pub mod search;
#[cfg(feature = "service")]
pub mod service;
#[cfg(feature = "build")]
pub mod solve;
pub mod store;
pub mod value;
#[cfg(feature = "build")]
pub mod verify;

pub use board::symmetry::Symmetry;
pub use board::{Board, Point, PointSet};
pub use index::histogram::Histogram;
pub use index::{Material, Pair};
pub use probe::{Answer, BestLine, Database, LineEnd, RankedTurn, Source};
pub use rules::position::{Letters, Phase, Position, PositionError, Side};
pub use rules::turns::Turn;
pub use rules::{Blocked, FullBoard, Rules};
pub use store::DbError;
pub use value::{Dtw, Value, Wdl};

/// Runs the examples of the README as tests.
#[cfg(all(doctest, feature = "embedded"))]
#[doc = include_str!("../README.md")]
struct Readme;

/// Runs the examples for frontends as tests.
#[cfg(all(doctest, feature = "embedded"))]
#[doc = include_str!("../docs/FRONTENDS.md")]
struct Frontends;

/// The example for readers of sector files runs as a test.
#[cfg(all(doctest, feature = "embedded", feature = "build"))]
#[doc = include_str!("../docs/MALOM.md")]
struct Malom;
