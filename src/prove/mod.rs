//! Proves the value of the start position by a search of all placements down to the databases.
//!
//! The proof answers two questions, each with a null window: can White avoid losing, and can Black?
//! With databases of some pairs only, every position of another pair counts as lost for the side in
//! question; a side that holds even then is proved to hold. With all databases this is tried first,
//! and a side that is not proved to hold is searched again with the values of all pairs, because
//! pairs in memory answer thousands of times as fast as files.
//!
//! 9-9, 9-8 and 8-8 are enough to prove that Nine Men's Morris is a draw, as Ralph Gasser found in
//! 1993.

mod leaves;
mod prover;
mod report;

pub use report::{Proof, ProofOptions, ProofStep, Proved, Work};

use std::time::Instant;

use self::prover::Prover;
use crate::index::Pair;
use crate::index::reachable;
use crate::probe::{Bitbase, Database};
use crate::rules::Rules;
use crate::rules::position::{Position, Side};
use crate::rules::turns::Turn;
use crate::search::key;
use crate::store::DbError;

/// The pairs that prove that the start position of Nine Men's Morris is a draw, for these rules:
/// those with all stones of both sides, and with one less of either or both.
///
/// ```
/// use millbase::{Rules, prove};
/// let pairs: Vec<String> = prove::proof_pairs(&Rules::TEN).iter().map(|pair| pair.to_string()).collect();
/// assert_eq!(pairs, ["10-10", "10-9", "9-9"]);
/// ```
pub fn proof_pairs(rules: &Rules) -> Vec<Pair> {
    let (all, less) = (rules.stones, rules.stones.saturating_sub(1));
    let pairs = [(all, all), (all, less), (less, less)].into_iter();
    pairs.filter_map(|(a, b)| Pair::new(a, b)).collect()
}

/// Proves the value of the start position.
///
/// # Errors
///
/// [`DbError::MissingForProof`], which names missing pairs; otherwise as for [`Database::bitbase`] and
/// [`Database::probe`].
pub fn prove(
    database: &Database,
    options: &ProofOptions,
    report: &mut dyn FnMut(ProofStep),
) -> Result<Proof, DbError> {
    let rules = database.rules();
    check(database, options)?;
    let begin = Instant::now();
    let bitbase = bitbase(database, &options.pairs)?;
    let loading = begin.elapsed();

    let mut prover = Prover::new(database, &bitbase, options);
    let start = Position::start(rules);
    let mut ask = |prover: &mut Prover<'_>, position: &Position, turn| {
        prover.proved(position, |side, holds, &Work { nodes, time, .. }| {
            report(ProofStep {
                turn,
                side,
                holds,
                nodes,
                time,
            });
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
        loaded_bytes: bitbase.bytes(),
    })
}

/// The results of these pairs in memory. If a file holds only some rows, deriving the others at every leaf
/// would take too long, so they are filled in.
fn bitbase<'a>(database: &'a Database, pairs: &[Pair]) -> Result<Bitbase<'a>, DbError> {
    #[cfg(feature = "build")]
    for &pair in pairs {
        if database.file(pair)?.omits_rows() {
            return crate::solve::whole_bitbase(database, pairs);
        }
    }
    database.bitbase(pairs)
}

/// Proves the values of positions with stones in hand, each like that of the start position.
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
    let bitbase = bitbase(database, &options.pairs)?;
    let mut prover = Prover::new(database, &bitbase, options);
    let proved = positions.iter();
    proved
        .map(|position| prover.proved(position, |_, _, _| ()))
        .collect()
}

/// Checks that the search is valid under the rules, and that all pairs that the options need are
/// present.
fn check(database: &Database, options: &ProofOptions) -> Result<(), DbError> {
    if let Some(why) = reachable::why_unsolved(database.rules()) {
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
    Err(DbError::MissingForProof {
        pairs: needed,
        location: database.location(),
    })
}

/// The first of the start position's turns in each orbit.
fn first_placements(start: &Position, rules: &Rules) -> Vec<Turn> {
    let mut seen = Vec::new();
    let mut turns = start.turns(rules);
    turns.retain(|&turn| {
        let (key, _) = key::canonical(&start.after(turn));
        let new = !seen.contains(&key);
        seen.push(key);
        new
    });
    turns
}
