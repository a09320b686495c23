//! The value of the start position, proved by searching all placements to the databases.
//!
//! Two questions are asked, each with the narrowest window: can White avoid losing, and can Black?
//! With databases for some pairs only, every position of another pair counts as lost for the side
//! that is asked about. What holds even so is proved. With all databases this is tried first, and
//! only what does not hold so is asked again with the values of all pairs: the pairs in memory answer
//! thousands of times as fast as the files.
//!
//! 9-9, 9-8 and 8-8 are enough to prove that Nine Men's Morris is a draw, as Ralph Gasser found in
//! 1993.

mod leaves;
mod prover;

use std::time::{Duration, Instant};

use self::prover::Prover;
use super::node::Node;
use crate::db::{Database, DbError, rules_option};
use crate::index::Pair;
use crate::placing;
use crate::position::{Position, Side};
use crate::rules::Rules;
use crate::turns::Turn;
use crate::value::Wdl;

/// What a proof may use.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProofOptions {
    /// The pairs that are read into memory.
    pub pairs: Vec<Pair>,
    /// Whether the databases of the other pairs are asked where those in memory do not suffice.
    pub others: bool,
    /// Bytes for each transposition table: there are two, and a third once other pairs are asked.
    pub hash_bytes: usize,
    /// How many threads search.
    pub threads: usize,
}

/// The pairs that prove that the start position of Nine Men's Morris is a draw, for these rules: all
/// stones of both sides, and one less of either or both.
///
/// ```
/// use millbase::{Rules, search};
/// let pairs: Vec<String> = search::proof_pairs(&Rules::TEN).iter().map(|pair| pair.to_string()).collect();
/// assert_eq!(pairs, ["10-10", "10-9", "9-9"]);
/// ```
pub fn proof_pairs(rules: &Rules) -> Vec<Pair> {
    let (all, less) = (rules.stones, rules.stones.saturating_sub(1));
    let pairs = [(all, all), (all, less), (less, less)].into_iter();
    pairs.filter_map(|(a, b)| Pair::new(a, b)).collect()
}

/// A step of a proof that is finished.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProofStep {
    /// The pairs are in memory.
    Loaded {
        /// How many bytes they take.
        bytes: u64,
    },
    /// A question about a position is answered.
    Answered {
        /// The first placement; `None` for the start position.
        turn: Option<Turn>,
        /// The side that was to hold.
        side: Side,
        /// Whether it does not lose.
        holds: bool,
        /// Positions visited since the first question about the start position, or about the
        /// placements behind it.
        nodes: u64,
        /// Time since then.
        time: Duration,
    },
}

/// The value of one position, as far as it was proved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Proved {
    /// White does not lose.
    pub white_holds: bool,
    /// Black does not lose.
    pub black_holds: bool,
    /// Whether what is not held is lost. So it is when all databases could be asked.
    pub complete: bool,
}

impl Proved {
    /// The result for a side, `None` if it was not proved.
    pub fn result_for(&self, side: Side) -> Option<Wdl> {
        let (holds, other_holds) = match side {
            Side::White => (self.white_holds, self.black_holds),
            Side::Black => (self.black_holds, self.white_holds),
        };
        match (holds, other_holds) {
            (true, true) => Some(Wdl::Draw),
            (true, false) if self.complete => Some(Wdl::Win),
            (false, true) if self.complete => Some(Wdl::Loss),
            _ => None,
        }
    }
}

/// A proof and its figures.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proof {
    /// The start position.
    pub start: Proved,
    /// The first placements, one for each orbit of the symmetries.
    pub placements: Vec<(Turn, Proved)>,
    /// A line of placements that keeps the value, to the end of the placing phase; empty if the
    /// value was not proved.
    pub line: Vec<Turn>,
    /// What was done for the start position.
    pub work: Work,
    /// What was done besides, for the first placements and the line.
    pub more: Work,
    /// Time to read the pairs into memory.
    pub loading: Duration,
    /// Bytes of the pairs in memory.
    pub loaded_bytes: u64,
}

/// Figures of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Work {
    /// Positions visited.
    pub nodes: u64,
    /// Values asked of databases.
    pub probes: u64,
    /// Those of them that were not in memory.
    pub other_probes: u64,
    /// Positions with eight stones placed that were searched: what the proof of 1993 counted.
    pub after_eight: u64,
    /// Time.
    pub time: Duration,
}

/// Proves the value of the start position.
///
/// # Errors
///
/// [`DbError::NotStored`] that names the pairs that are missing, otherwise as for
/// [`Database::preload`] and [`Database::probe`].
pub fn prove(
    database: &Database,
    options: &ProofOptions,
    report: &mut dyn FnMut(ProofStep),
) -> Result<Proof, DbError> {
    let rules = database.rules();
    check(database, options)?;
    let begin = Instant::now();
    let preload = database.preload(&options.pairs)?;
    let loading = begin.elapsed();
    let bytes = preload.bytes();
    report(ProofStep::Loaded { bytes });

    let mut prover = Prover::new(database, &preload, options);
    let start = Position::start(rules);
    let mut ask = |prover: &mut Prover<'_>, position: &Position, turn| {
        let mut holds = |side| -> Result<bool, DbError> {
            let holds = prover.holds(position, side)?;
            let Work { nodes, time, .. } = *prover.work();
            report(ProofStep::Answered {
                turn,
                side,
                holds,
                nodes,
                time,
            });
            Ok(holds)
        };
        Ok::<Proved, DbError>(Proved {
            white_holds: holds(Side::White)?,
            black_holds: holds(Side::Black)?,
            complete: options.others,
        })
    };
    let proved = ask(&mut prover, &start, None)?;
    let work = prover.take_work();
    let mut placements = Vec::new();
    for turn in first_placements(&start, rules) {
        let proved = ask(&mut prover, &start.after(turn), Some(turn))?;
        placements.push((turn, proved));
    }
    let line = match proved.result_for(Side::White) {
        Some(_) => prover.line(&start)?,
        None => Vec::new(),
    };
    Ok(Proof {
        start: proved,
        placements,
        line,
        work,
        more: prover.take_work(),
        loading,
        loaded_bytes: bytes,
    })
}

/// Proves the values of positions with stones in hand, each as the start position's is proved.
///
/// # Errors
///
/// As for [`prove`].
pub fn prove_each(
    database: &Database,
    options: &ProofOptions,
    positions: &[Position],
) -> Result<Vec<Proved>, DbError> {
    check(database, options)?;
    let preload = database.preload(&options.pairs)?;
    let mut prover = Prover::new(database, &preload, options);
    let proved = positions.iter().map(|position| {
        Ok(Proved {
            white_holds: prover.holds(position, Side::White)?,
            black_holds: prover.holds(position, Side::Black)?,
            complete: options.others,
        })
    });
    proved.collect()
}

/// The rules must be such that the search is right, and all pairs that the options need be there.
fn check(database: &Database, options: &ProofOptions) -> Result<(), DbError> {
    if let Some(why) = placing::not_solved(database.rules()) {
        return Err(DbError::NotStored(why.to_string()));
    }
    let mut needed = options.pairs.clone();
    if options.others {
        needed.extend(Pair::all(database.rules().stones));
    }
    needed.retain(|&pair| !database.has(pair));
    needed.sort_unstable();
    needed.dedup();
    if needed.is_empty() {
        return Ok(());
    }
    let names: Vec<String> = needed.iter().map(Pair::to_string).collect();
    Err(DbError::NotStored(format!(
        "the proof needs {}, which {} missing; build with `millbase build{}`",
        names.join(", "),
        if names.len() == 1 { "is" } else { "are" },
        rules_option(database.rules()),
    )))
}

/// The first of the start position's turns in each orbit.
fn first_placements(start: &Position, rules: &Rules) -> Vec<Turn> {
    let mut seen = Vec::new();
    let mut turns = start.turns(rules);
    turns.retain(|&turn| {
        let (key, _) = Node::of(&start.after(turn)).canonical_key();
        let new = !seen.contains(&key);
        seen.push(key);
        new
    });
    turns
}
