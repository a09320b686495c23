//! Games that are read from a text.

use std::ffi::c_char;

use millbase::internals::service::json;
use millbase::internals::service::record::ReadAnswer;

use crate::border::*;
use crate::open::{Database, opened};

/// Reads the games of a text in any form: `*length` gets the number of bytes of the answer with the zero that ends it,
/// `json` as many of them as there is room for. The answer is the JSON object `read` of docs/JSON.md with all games.
/// Games that name no rules are read by those of `db`. `json` may be null if `capacity` is 0. This needs no databases,
/// only rules.
///
/// # Safety
///
/// `db` is an open handle, `games` ends with a zero, `json` has room for `capacity` bytes, `length` points to a place
/// for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn millbase_read_games(
    db: *const Database,
    games: *const c_char,
    json: *mut c_char,
    capacity: usize,
    length: *mut usize,
) -> Status {
    call(|| {
        // SAFETY: the contract of this function.
        let (database, games) = unsafe { (opened(db)?, text(games, "games")?) };
        let mut answer = self::json(&ReadAnswer::read(games, database.rules(), usize::MAX));
        answer.push(0);
        let answer: Vec<c_char> = answer.into_iter().map(|byte| byte as c_char).collect();
        // SAFETY: the contract of this function.
        unsafe { put_counted(json, "json", capacity, length, &answer) }
    })
}
