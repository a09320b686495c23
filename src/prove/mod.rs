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

pub use prover::Prover;
pub use report::{Proof, ProofOptions, ProofStep, ProofWork, Proved};

use std::mem;
use std::time::Instant;

use crate::index::Pair;
use crate::probe::Database;
use crate::rules::Rules;
use crate::rules::position::{Position, Side};
use crate::rules::turns::Turn;
use crate::search::key;
use crate::store::DbError;

/// The pairs that are enough to prove Nine Men's Morris a draw, for these rules: those with all
/// stones of both sides, or with one fewer of either or both.
///
/// ```
/// use millbase::Rules;
/// use millbase::internals::prove;
/// let pairs: Vec<String> = prove::proof_pairs(&Rules::TEN).iter().map(|pair| pair.to_string()).collect();
/// assert_eq!(pairs, ["10-10", "10-9", "9-9"]);
/// ```
pub fn proof_pairs(rules: &Rules) -> Vec<Pair> {
    let (all, less) = (rules.stones, rules.stones.saturating_sub(1));
    let pairs = [(all, all), (all, less), (less, less)].into_iter();
    pairs.filter_map(|(a, b)| Pair::new(a, b)).collect()
}

/// Proves the value of the start position, and calls `report` with the answer to each question.
///
/// # Errors
///
/// As for [`Prover::new`] and [`Prover::prove`].
pub fn prove(
    database: &Database,
    options: &ProofOptions,
    report: &mut dyn FnMut(ProofStep),
) -> Result<Proof, DbError> {
    let rules = database.rules();
    let begin = Instant::now();
    let mut prover = Prover::new(database, options)?;
    let loading = begin.elapsed();

    let start = Position::start(rules);
    let proved = prover.prove_after(&start, None, report)?;
    let work = mem::take(&mut prover.work);
    let mut placements = Vec::new();
    for turn in first_placements(&start, rules) {
        let proved = prover.prove_after(&start.after(turn), Some(turn), report)?;
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
        more: prover.work,
        loading,
        loaded_bytes: prover.leaves.bitbase.bytes(),
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
