//! Decides whether a side holds a position: the two questions of a proof, with their transposition
//! tables and threads.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::leaves::Leaves;
use super::{ProofOptions, ProofStep, ProofWork, Proved};
use crate::index::{Pair, stages};
use crate::probe::{Bitbase, Database, each_on_a_thread};
use crate::rules::position::{Position, Side};
use crate::rules::turns::Turn;
use crate::search::core::{Abdada, SearchContext, Window, Worker};
use crate::search::score::Score;
use crate::search::table::TranspositionTable;
use crate::store::DbError;
use crate::value::Wdl;

/// Proves the values of positions with stones in hand, and keeps the transposition tables of its
/// searches.
pub struct Prover<'a> {
    pub(super) leaves: Leaves<'a>,
    /// One transposition table for each [`Leaves::loser`], because results are valid only for one
    /// treatment of other pairs. Created at first use.
    tables: HashMap<Option<Side>, TranspositionTable>,
    options: &'a ProofOptions,
    /// The work since the beginning, or since the caller took it.
    pub(super) work: ProofWork,
}

impl<'a> Prover<'a> {
    /// A prover with the pairs of the options in memory.
    ///
    /// # Errors
    ///
    /// [`DbError::MissingForProof`], which names missing pairs; [`DbError::NotStored`] if the
    /// placing phase cannot be solved under the rules; otherwise as for [`Database::bitbase`].
    pub fn new(database: &'a Database, options: &'a ProofOptions) -> Result<Prover<'a>, DbError> {
        if let Some(why) = stages::why_unsolved(database.rules()) {
            return Err(DbError::NotStored(why.to_string()));
        }
        let mut needed = options.pairs.clone();
        if options.others {
            needed.extend(Pair::all(database.rules()));
        }
        needed.retain(|&pair| !database.has(pair));
        needed.sort_unstable();
        needed.dedup();
        if !needed.is_empty() {
            return Err(DbError::MissingForProof {
                pairs: needed,
                location: database.location(),
            });
        }
        Ok(Prover {
            leaves: Leaves::new(database, bitbase(database, &options.pairs)?),
            tables: HashMap::new(),
            options,
            work: ProofWork::default(),
        })
    }

    /// Whether a side does not lose a position of the placing phase.
    fn holds(&mut self, position: &Position, side: Side) -> Result<bool, DbError> {
        if self.ask(position, side, Some(side))? {
            return Ok(true);
        }
        Ok(self.options.others && self.ask(position, side, None)?)
    }

    /// Whether a side does not lose, with this treatment of other pairs, see [`Leaves::loser`].
    fn ask(
        &mut self,
        position: &Position,
        side: Side,
        loser: Option<Side>,
    ) -> Result<bool, DbError> {
        let begin = Instant::now();
        self.leaves.loser = loser;
        let (bytes, threads) = (self.options.hash_bytes, self.options.threads.max(1));
        let table = self.tables.entry(loser);
        let table = &*table.or_insert_with(|| TranspositionTable::with_bytes(bytes));
        let moves = position.side_to_move() == side;
        // The side to move holds if it gets at least a draw, the other side if the side to move
        // does not win.
        let window = match moves {
            true => Window::null(Score::DRAW),
            false => Window::null(Score::DRAW.next()),
        };
        let leaves = &self.leaves;
        let (abdada, finished) = (Abdada::new(), AtomicBool::new(false));
        let context = &SearchContext {
            finished: &finished,
            abdada: (threads > 1).then_some(&abdada),
            pvs: false,
            ..SearchContext::new(leaves.database.rules(), table, leaves, &leaves.stop)
        };
        let search = |()| {
            let mut worker = Worker::new(context, &[]);
            let score = worker.search((*position).into(), window, position.all_in_hand(), 0);
            let complete = !worker.stopped;
            finished.fetch_or(complete, Ordering::Relaxed);
            (complete.then_some(score), worker.counts)
        };
        let found = each_on_a_thread(vec![(); threads], search);
        for (_, counts) in &found {
            self.work.nodes += counts.nodes;
            self.work.probes += counts.tb_hits;
        }
        self.work.probes_not_in_memory += self.leaves.asked.swap(0, Ordering::Relaxed);
        self.work.positions_after_eight_turns += self.leaves.after_eight.swap(0, Ordering::Relaxed);
        self.work.seconds += begin.elapsed().as_secs_f64();
        if let Some(error) = self.leaves.failure.take() {
            self.leaves.stop.store(false, Ordering::Relaxed);
            // Scores that follow from the failed leaf may be in the table.
            self.tables.remove(&loser);
            return Err(error);
        }
        let score = found.into_iter().find_map(|(score, _)| score);
        let wins = score.is_some_and(|score| score >= window.beta);
        Ok(wins == moves)
    }

    /// Proves the value of a position.
    ///
    /// # Errors
    ///
    /// As for [`Database::probe`].
    pub fn prove(&mut self, position: &Position) -> Result<Proved, DbError> {
        self.prove_after(position, None, &mut |_| ())
    }

    /// Proves the value of a position and reports the answer to each question; `turn` led to it.
    pub(super) fn prove_after(
        &mut self,
        position: &Position,
        turn: Option<Turn>,
        report: &mut dyn FnMut(ProofStep),
    ) -> Result<Proved, DbError> {
        let mut holds = |side| {
            let holds = self.holds(position, side)?;
            report(ProofStep {
                turn,
                side,
                holds,
                work: self.work,
            });
            Ok::<_, DbError>(holds)
        };
        Ok(Proved {
            white_holds: holds(Side::White)?,
            black_holds: holds(Side::Black)?,
            complete: self.options.others,
        })
    }

    /// A line of placements that keep the position's value, to the end of the placing phase.
    pub(super) fn line(&mut self, start: &Position) -> Result<Vec<Turn>, DbError> {
        let mut line = Vec::new();
        let mut position = *start;
        while position.is_placing()
            && let Some(turn) = self.keeping(&position)?
        {
            line.push(turn);
            position = position.after(turn);
        }
        Ok(line)
    }

    /// A turn that is proved to keep the value: the first in the order of the texts that pairs in
    /// memory prove to keep it, otherwise the first that all pairs do.
    fn keeping(&mut self, position: &Position) -> Result<Option<Turn>, DbError> {
        let side = position.side_to_move();
        let proved = self.prove(position)?;
        let Some(result) = proved.result_for(side) else {
            return Ok(None);
        };
        let turns = position.turns(self.leaves.database.rules());
        if result == Wdl::Loss {
            return Ok(turns.first().copied());
        }
        // Pairs in memory are cheap, so try all turns with them first.
        for loser in [Some(side), None] {
            if loser.is_none() && !self.options.others {
                break;
            }
            for &turn in &turns {
                let after = position.after(turn);
                let kept = match result {
                    Wdl::Win => loser.is_none() && !self.ask(&after, side.other(), loser)?,
                    _ => self.ask(&after, side, loser)?,
                };
                if kept {
                    return Ok(Some(turn));
                }
            }
        }
        Ok(None)
    }
}

/// The results of these pairs in memory. If a file holds only some rows, deriving the others at
/// every leaf would take too long, so they are filled in.
fn bitbase<'a>(database: &'a Database, pairs: &[Pair]) -> Result<Bitbase<'a>, DbError> {
    #[cfg(feature = "build")]
    for &pair in pairs {
        if database.file(pair)?.coverage().omits_rows() {
            return crate::solve::whole_bitbase(database, pairs);
        }
    }
    database.bitbase(pairs)
}
