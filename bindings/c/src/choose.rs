//! The turns of players, and the tokens that end their searches.

use std::ffi::c_char;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use millbase::engine::{DrawnTurns, Player, SkillLevel};
use millbase::internals::service::words::Fen;
use millbase::internals::until;
use millbase::search::{Limits, ScoreMeaning, Search};

use crate::border::*;
use crate::open::{Database, asked};
use crate::types::*;

/// The usual time of [`millbase_choose`] in milliseconds.
const USUAL_TIME: u64 = 1000;

/// Ends a search from another thread.
pub struct Stop {
    flag: millbase::internals::Stop,
}

/// A token that ends searches. Free it with `millbase_stop_free`.
#[unsafe(no_mangle)]
pub extern "C" fn millbase_stop_new() -> *mut Stop {
    Box::into_raw(Box::new(Stop {
        flag: millbase::internals::Stop::default(),
    }))
}

/// Ends the searches that were given this token, and those that are given it from now on. Any thread may call
/// this; null does nothing.
///
/// # Safety
///
/// `stop` is null or a token that is not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn millbase_stop_set(stop: *const Stop) {
    // SAFETY: the contract of this function.
    if let Some(stop) = unsafe { stop.as_ref() } {
        stop.flag.store(true, Ordering::Relaxed);
    }
}

/// Frees a token; null does nothing.
///
/// # Safety
///
/// `stop` is null or a token that is not freed, and no search or thread uses it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn millbase_stop_free(stop: *mut Stop) {
    if !stop.is_null() {
        // SAFETY: a token of `millbase_stop_new`, which comes from `Box::into_raw`.
        drop(unsafe { Box::from_raw(stop) });
    }
}

/// The turn that a player chooses after these turns from a position: `turns` has blanks between
/// them and may be null for none. The player of level 30 knows the databases and searches where
/// they have no answer; those of levels 0 to 29 err. A seed that is not 0 chooses among turns that
/// are equally good.
///
/// `limits` may be null for one second. If another thread sets `stop`, which may be null, the search ends, and
/// the best turn so far is chosen. Without a limit a token is needed.
///
/// # Safety
///
/// `db` is an open handle, the texts end with a zero, `limits` and `stop` are null or valid, `out` points to a
/// place for a choice.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn millbase_choose(
    db: *const Database,
    fen: *const c_char,
    turns: *const c_char,
    level: u8,
    seed: u64,
    limits: *const SearchLimits,
    stop: *const Stop,
    out: *mut Choice,
) -> Status {
    call(|| {
        // SAFETY: the contract of this function.
        let (db, (_, start)) = unsafe { (handle(db, "db")?, asked(db, fen)?) };
        let mut game = start.game();
        if !turns.is_null() {
            // SAFETY: the contract of this function.
            let turns = unsafe { text(turns, "turns") }?;
            for turn in turns.split_ascii_whitespace() {
                game.play(turn).map_err(wrong)?;
            }
        }
        let level = SkillLevel::numbered(level).ok_or_else(|| {
            LastFailure(
                Status::Argument,
                format!("level must be from 0 to 30, not {level}"),
            )
        })?;
        // SAFETY: the contract of this function.
        let (limits, stop) = unsafe { (limits.as_ref(), stop.as_ref()) };
        let limits = match limits {
            None => Limits {
                time: Some(Duration::from_millis(USUAL_TIME)),
                ..Limits::default()
            },
            Some(limits) => Limits {
                time: (limits.milliseconds > 0)
                    .then(|| Duration::from_millis(limits.milliseconds.into())),
                depth: (limits.depth > 0).then_some(limits.depth),
                nodes: (limits.nodes > 0).then_some(limits.nodes),
                ..Limits::default()
            },
        };
        if stop.is_none() && limits == Limits::default() {
            let sentence = "a search without a limit needs a token that ends it";
            return Err(LastFailure(Status::Argument, sentence.to_owned()));
        }
        let stop = stop.map(|stop| Arc::clone(&stop.flag)).unwrap_or_default();
        let search = || Arc::new(Search::new(start.rules, Search::DEFAULT_HASH_BYTES, 1));
        let player = Player {
            database: Arc::clone(&db.database),
            search: Arc::clone(db.search.get_or_init(search)),
            level,
            seed,
            drawn: DrawnTurns::default(),
        };
        let choice = until(&stop, || player.choose(&game, &limits, &stop, &mut |_| ()));
        let before = Fen::of(&game);
        let choice = match choice {
            None => Choice {
                turn: letters(""),
                position: letters(before.letters().as_str()),
                value: before.result(&before.rules).map_or(UNKNOWN, value),
                score_is: Score::Estimate,
                score: 0,
                depth: 0,
                nodes: 0,
            },
            Some(choice) => {
                let variation = &choice.variation;
                let (score_is, score) = match variation.score.meaning() {
                    ScoreMeaning::Win(turns) => (Score::Win, turns.into()),
                    ScoreMeaning::KnownWin => (Score::Win, -1),
                    ScoreMeaning::Evaluation(estimate) => (Score::Estimate, estimate.into()),
                    ScoreMeaning::KnownLoss => (Score::Loss, -1),
                    ScoreMeaning::Loss(turns) => (Score::Loss, turns.into()),
                };
                let Turn { turn, position, .. } = legal(&before, choice.turn);
                Choice {
                    turn,
                    position,
                    value: variation.value.map_or(UNKNOWN, value),
                    score_is,
                    score,
                    depth: variation.depth,
                    nodes: variation.nodes,
                }
            }
        };
        // SAFETY: the contract of this function.
        unsafe { put(out, "out", choice) }
    })
}
