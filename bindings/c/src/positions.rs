//! Positions, turns, values and lines.

use std::ffi::c_char;

use millbase::Position;
use millbase::internals::service::position::{self, LineAnswer, ProbeAnswer};

use crate::border::*;
use crate::open::{Database, asked, opened};
use crate::types::*;

/// Writes the text of the empty board with White to place, with the zero that ends it. This needs no
/// databases, only rules.
///
/// # Safety
///
/// `db` is an open handle, `position` has room for `MILLBASE_POSITION_SIZE` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn millbase_start(db: *const Database, position: *mut c_char) -> Status {
    call(|| {
        // SAFETY: the contract of this function.
        let rules = unsafe { opened(db) }?.rules();
        let start: [c_char; MILLBASE_POSITION_SIZE] = letters(&Position::start(rules).text(rules));
        // SAFETY: the contract of this function.
        unsafe { put_all(position, "position", &start) }
    })
}

/// The legal turns of a position in the order of their texts, without values: `*count` gets their number,
/// `turns` as many as there is room for. There are none when the game is over. `turns` may be null if
/// `capacity` is 0. This needs no databases, only rules.
///
/// # Safety
///
/// As for `millbase_turns`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn millbase_legal_turns(
    db: *const Database,
    fen: *const c_char,
    turns: *mut Turn,
    capacity: usize,
    count: *mut usize,
) -> Status {
    call(|| {
        // SAFETY: the contract of this function.
        let (_, position) = unsafe { asked(db, fen) }?;
        let found = position.turns(&position.rules).into_iter();
        let found: Vec<Turn> = found.map(|turn| legal(&position, turn)).collect();
        // SAFETY: the contract of this function.
        unsafe { put_counted(turns, "turns", capacity, count, &found) }
    })
}

/// Writes the text of the position after a legal turn, as `d6-d5xb4`, with the zero that ends it; `position`
/// may be `fen`. This needs no databases, only rules.
///
/// # Safety
///
/// `db` is an open handle, the texts end with a zero, `position` has room for `MILLBASE_POSITION_SIZE` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn millbase_play(
    db: *const Database,
    fen: *const c_char,
    turn: *const c_char,
    position: *mut c_char,
) -> Status {
    call(|| {
        // SAFETY: the contract of this function.
        let ((_, before), turn) = unsafe { (asked(db, fen)?, text(turn, "turn")?) };
        let turn = turn.parse().map_err(wrong)?;
        let after = before.play(turn).map_err(|why| {
            let side = before.side_to_move();
            wrong(format!("{turn} is not a legal turn of {side} here: {why}"))
        })?;
        let after: [c_char; MILLBASE_POSITION_SIZE] = letters(after.letters().as_str());
        // SAFETY: the contract of this function.
        unsafe { put_all(position, "position", &after) }
    })
}

/// The value of the position with this text.
///
/// # Safety
///
/// `db` is an open handle, `fen` ends with a zero, `out` points to a place for a value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn millbase_probe(
    db: *const Database,
    fen: *const c_char,
    out: *mut Value,
) -> Status {
    call(|| {
        // SAFETY: the contract of this function.
        let (database, position) = unsafe { asked(db, fen) }?;
        let found = value(position::value(database, &position)?);
        // SAFETY: the contract of this function.
        unsafe { put(out, "out", found) }
    })
}

/// The turns of a position, best first: `*count` gets their number, `turns` as many as there is room
/// for. There are none when the game is over. `turns` may be null if `capacity` is 0.
///
/// # Safety
///
/// `db` is an open handle, `fen` ends with a zero, `turns` has room for `capacity` turns, `count`
/// points to a place for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn millbase_turns(
    db: *const Database,
    fen: *const c_char,
    turns: *mut Turn,
    capacity: usize,
    count: *mut usize,
) -> Status {
    call(|| {
        // SAFETY: the contract of this function.
        let (database, position) = unsafe { asked(db, fen) }?;
        let answer = ProbeAnswer::find(database, &position, Some(usize::MAX))?;
        let found = all(answer.turns.iter().flatten());
        // SAFETY: the contract of this function.
        unsafe { put_counted(turns, "turns", capacity, count, &found) }
    })
}

/// The best turn of a position; its text is empty when the game is over.
///
/// # Safety
///
/// `db` is an open handle, `fen` ends with a zero, `out` points to a place for a turn.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn millbase_best_turn(
    db: *const Database,
    fen: *const c_char,
    out: *mut Turn,
) -> Status {
    call(|| {
        // SAFETY: the contract of this function.
        let (database, position) = unsafe { asked(db, fen) }?;
        let answer = ProbeAnswer::find(database, &position, Some(1))?;
        let best = match answer.turns.iter().flatten().next() {
            Some(best) => turn(best),
            None => named("", &position, value(answer.value)),
        };
        // SAFETY: the contract of this function.
        unsafe { put(out, "out", best) }
    })
}

/// The game that follows when both sides always make their best turn, no longer than `limit` turns:
/// `*count` gets the number of its turns, `turns` as many as there is room for, `*end` why it ends.
/// `turns` may be null if `capacity` is 0, `end` if it is not needed.
///
/// # Safety
///
/// As for `millbase_turns`; `end` is null or points to a place for a `millbase_line_end`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn millbase_line(
    db: *const Database,
    fen: *const c_char,
    limit: usize,
    turns: *mut Turn,
    capacity: usize,
    count: *mut usize,
    end: *mut LineEnd,
) -> Status {
    call(|| {
        // SAFETY: the contract of this function.
        let (database, position) = unsafe { asked(db, fen) }?;
        let line = LineAnswer::find(database, &position, limit)?;
        let why = match line.end {
            millbase::LineEnd::Over => LineEnd::Over,
            millbase::LineEnd::Repetition { .. } => LineEnd::Repetition,
            millbase::LineEnd::Quiet => LineEnd::Quiet,
            millbase::LineEnd::Limit => LineEnd::Limit,
        };
        let found = all(&line.line);
        // SAFETY: the contract of this function.
        unsafe {
            put_counted(turns, "turns", capacity, count, &found)?;
            match end.is_null() {
                true => Ok(()),
                false => put(end, "end", why),
            }
        }
    })
}
