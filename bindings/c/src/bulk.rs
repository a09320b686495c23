//! The values of many positions.

use millbase::{BulkError, Masks, Values};

use crate::border::*;
use crate::open::{Database, opened};
use crate::types::MILLBASE_UNKNOWN;

/// The most threads for a question.
const MOST_THREADS: usize = 1024;

/// The values of `count` positions without a pending removal on `threads` threads: the bits of White's and
/// Black's stones (bit 0 is d5, the order is that of the position's text), 0 where White is to move
/// and 1 where Black is, and their stones in hand; `white_in_hand` and `black_in_hand` may be null if there are
/// none. `wdl` gets 1, 0 or -1, `dtw` the turns to the end or -1.
///
/// If the databases do not have some values, the status is `MILLBASE_STATUS_MISSING`, `wdl` gets
/// `MILLBASE_UNKNOWN` for these, and all others are right. After another failure nothing is written.
///
/// The positions are copied before the first value is written, so arrays may overlap: an array of values may
/// begin where one of the positions does. No other thread may write to them meanwhile.
///
/// # Safety
///
/// `db` is an open handle, and each array has `count` elements; those of `wdl` and `dtw` need no values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn millbase_probe_many(
    db: *const Database,
    white: *const u32,
    black: *const u32,
    to_move: *const u8,
    white_in_hand: *const u8,
    black_in_hand: *const u8,
    count: usize,
    wdl: *mut i8,
    dtw: *mut i16,
    threads: usize,
) -> Status {
    call(|| {
        // SAFETY: the contract of this function.
        let database = unsafe { opened(db) }?;
        if count > 0 {
            let all: [(bool, &str); 5] = [
                (white.is_null(), "white"),
                (black.is_null(), "black"),
                (to_move.is_null(), "to_move"),
                (wdl.is_null(), "wdl"),
                (dtw.is_null(), "dtw"),
            ];
            if let Some((_, name)) = all.into_iter().find(|(is_null, _)| *is_null) {
                return Err(null(name));
            }
        }
        // SAFETY: the contract of this function.
        let (white, black, to_move, hands) = unsafe {
            (
                copied(white, count).unwrap_or_default(),
                copied(black, count).unwrap_or_default(),
                copied(to_move, count).unwrap_or_default(),
                [copied(white_in_hand, count), copied(black_in_hand, count)],
            )
        };
        let none = [None, None];
        let hands =
            (hands != none).then(|| hands.map(|hand| hand.unwrap_or_else(|| vec![0; count])));
        let masks = Masks {
            white: &white,
            black: &black,
            to_move: &to_move,
            in_hand: hands
                .as_ref()
                .map(|[white, black]| [white.as_slice(), black.as_slice()]),
        };
        let (mut results, mut depths) = (vec![MILLBASE_UNKNOWN; count], vec![-1; count]);
        let values = Values {
            wdl: &mut results,
            dtw: &mut depths,
        };
        let done = database.probe_many(masks, values, threads.clamp(1, MOST_THREADS));
        match &done {
            Err(BulkError::Database { error, .. }) if error.is_missing() => {}
            Err(_) => return Ok(done?),
            Ok(()) => {}
        }
        // SAFETY: the contract of this function.
        unsafe {
            put_all(wdl, "wdl", &results)?;
            put_all(dtw, "dtw", &depths)?;
        }
        Ok(done?)
    })
}
