//! Perfect play for Nine Men's Morris (Mill, Mühle, Merels).
//!
//! The databases give the value of every position of the moving and of the placing phase: win, draw
//! or loss for the side to move, and the number of turns to the end. This library reads them and,
//! with the feature `build`, builds and checks them. The program `millbase` is a thin layer over
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
//! names     the names of variants
//! memory    large zeroed arrays
//! value     the value of a position: win, draw or loss, and the depth
//! rules     the rules as data; position, turn, and the only generator of turns
//! index     pairs and stages; where a table keeps a position; histograms
//! sample    random positions; the form that positions equal up to symmetry share
//! network   the estimates of small networks
//! search    alpha-beta with any source of known values
//! store     the files: container, directory, codec; pairs and plies as two kinds of file
//! probe     value, ranked turns and best line of any position
//! solve     retrograde analysis of the pairs, and the plies of the placing phase    feature build
//! verify    recomputes every value                                                  feature build
//! survey    passes over whole tables: records, positions by a condition, data sets  feature build
//! malom     our values as the sector files of another program                       feature build
//! prove     the proof of the start position
//! engine    game, players, protocol
//! notation  games and positions as people and programs write them                    feature service
//! coach     grades games, judges engines, makes and checks puzzles                   feature service
//! service   a question as people write it, and its typed answer                      feature service
//! ```
//!
//! Words of the placing phase: a *ply* is the number of turns made so far, one placement each, and
//! a *stage* is a ply with the stones that each side has lost. Each ply that is kept has one file of tables, and
//! in the moving phase each pair of numbers of stones.
//!
//! The path of a probe: position → file of the pair or ply → row and block → codec → value.
//!
//! Features: `build` adds solving, writing and verifying databases; `embedded` makes the small
//! databases part of the library; `service` adds notation, reviews of games, and questions with
//! typed answers. `internals` opens parts for the program, the bindings and the tests of this
//! workspace, which may change with every version.
#![warn(missing_docs)]
#![cfg_attr(
    not(all(feature = "build", feature = "internals")),
    allow(
        dead_code,
        unused_imports,
        reason = "parts that only building and the workspace's own tools use"
    )
)]

mod board;
#[cfg(feature = "service")]
mod coach;
pub mod engine;
mod index;
mod lock;
#[cfg(feature = "build")]
pub mod malom;
mod memory;
mod names;
mod network;
#[cfg(feature = "service")]
pub mod notation;
mod probe;
mod prove;
mod random;
mod rules;
pub mod sample;
pub mod search;
#[cfg(feature = "service")]
mod service;
#[cfg(feature = "build")]
pub mod solve;
pub mod store;
#[cfg(feature = "build")]
pub mod survey;
mod value;
#[cfg(feature = "build")]
pub mod verify;

pub use board::symmetry::Symmetry;
pub use board::{Board, Point, PointSet};
pub use index::histogram::Histogram;
pub use index::{Material, Pair, PairError};
pub use probe::{
    Answer, BestLine, Bitbase, BulkError, Database, LineEnd, Masks, RankedTurn, Source, Values,
};
pub use rules::position::{Letters, Phase, Position, PositionError, Side};
pub use rules::turns::{Turn, TurnError};
pub use rules::{Blocked, FullBoard, RemovalWhilePlacing, Rules};
pub use store::DbError;
pub use value::{Dtw, Metric, Value, Wdl};

/// The grade of each turn of a game by the databases.
#[cfg(feature = "service")]
pub mod review {
    pub use crate::coach::review::{
        GameReview, Grade, LastPosition, ReviewedTurn, Summary, SummaryEntry, Tally, Verdict,
    };
    pub use crate::coach::truth::Truth;
}

/// Parts for the program, the bindings, the tests and the benchmarks of this workspace. They may
/// change with every version.
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod internals {
    pub use crate::board::{bits, symmetry};
    pub use crate::engine::game::{is_hidden, shown};
    pub use crate::index::{Index, Rows, stages};
    pub use crate::lock::locked;
    pub use crate::memory::Bytes;
    pub use crate::probe::numbers;
    pub use crate::probe::stop::{Stop, until};
    pub use crate::random::Random;
    pub use crate::rules::{FEWEST_STONES, MOST_QUIET_TURNS, MOST_STONES, counted, diagram};
    #[cfg(feature = "build")]
    pub use crate::store::write::{Temporary, remove_temporaries, write_pair};

    pub mod network {
        pub use crate::network::*;
    }

    pub mod uci {
        pub use crate::engine::uci::run;
    }

    pub mod prove {
        pub use crate::prove::*;
    }

    #[cfg(feature = "service")]
    pub mod coach {
        pub use crate::coach::*;
    }

    #[cfg(feature = "service")]
    pub mod service {
        pub use crate::service::*;
    }

    #[cfg(feature = "build")]
    pub mod solve {
        pub use crate::solve::plan::{built_pairs, cores};
        pub use crate::solve::repack::{repack, repack_ply};
        pub use crate::solve::tables::{TableCache, load, whole_bitbase};

        pub mod pair {
            pub use crate::solve::pair::*;
        }
    }

    #[cfg(feature = "build")]
    pub mod malom {
        pub use crate::malom::compare::{FileState, SectorDifferences, SlotDifference, compare};
    }
}

/// Runs the examples of these pages as tests.
#[cfg(all(doctest, feature = "embedded", feature = "build"))]
mod pages {
    #[doc = include_str!("../README.md")]
    struct Readme;

    #[doc = include_str!("../docs/FRONTENDS.md")]
    struct Frontends;

    #[doc = include_str!("../docs/MALOM.md")]
    struct SectorFiles;
}
