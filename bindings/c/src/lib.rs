//! The C library `millbase`: conversions around the library, no logic of its own. Functions return a
//! [`Status`]; [`millbase_last_message`] has the sentence. No panic crosses the border.

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::ptr;
use std::slice;

use millbase::internals::numbers;
use millbase::{BulkError, Masks, Values};
use millbase::{DbError, Position, RankedTurn, Rules};

/// What became of a call.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// Done.
    Ok = 0,
    /// A pointer is null where it must not be, or a text is not UTF-8.
    Argument = 1,
    /// A position, a turn, the rules' name or bit masks are wrong.
    Position = 2,
    /// No database here has the answer.
    Missing = 3,
    /// A file cannot be used: it is damaged, or of other rules or another version.
    Corrupt = 4,
    /// Another reason.
    Other = 5,
    /// A defect of this library; please report it.
    Defect = 6,
}

/// The databases of one set of rules. Threads may share it.
pub struct Database {
    database: millbase::Database,
}

/// What a position or turn is worth to the side to move.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Value {
    /// 1 for a win, 0 for a draw, -1 for a loss.
    pub wdl: i8,
    /// Turns to the end; -1 for a draw, and where the files hold no depths.
    pub dtw: i16,
}

/// Bytes for a turn's text with the zero that ends it.
pub const MILLBASE_TURN_SIZE: usize = 16;

/// Bytes for a position's text with the zero that ends it.
pub const MILLBASE_POSITION_SIZE: usize = 96;

/// A turn with what it is worth to the side that makes it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    /// The turn's text, as `d6-d5xb4`; empty for none.
    pub turn: [c_char; MILLBASE_TURN_SIZE],
    /// The text of the position after the turn.
    pub position: [c_char; MILLBASE_POSITION_SIZE],
    /// The value, the turn counted.
    pub value: Value,
}

thread_local!(static MESSAGE: RefCell<CString> = RefCell::default());

/// A status that is not [`Status::Ok`], with its sentence.
struct LastFailure(Status, String);

impl From<DbError> for LastFailure {
    fn from(error: DbError) -> LastFailure {
        let status = match error {
            _ if error.is_missing() => Status::Missing,
            _ if error.is_unusable() => Status::Corrupt,
            _ => Status::Other,
        };
        let advice = match error {
            DbError::Missing { .. } => {
                "; build it with the program millbase, or open a folder that has it"
            }
            DbError::MissingPlies { .. } => {
                "; build those of the placing phase with the program millbase"
            }
            DbError::Corrupt { .. } | DbError::OtherVersion { .. } => {
                "; delete the file and build it again with the program millbase"
            }
            _ => "",
        };
        LastFailure(status, format!("{error}{advice}"))
    }
}

/// A wrong position, turn or name.
fn wrong(sentence: impl ToString) -> LastFailure {
    LastFailure(Status::Position, sentence.to_string())
}

/// Runs a call, keeps its sentence for [`millbase_last_message`], and stops panics.
fn call(work: impl FnOnce() -> Result<(), LastFailure>) -> Status {
    let done = catch_unwind(AssertUnwindSafe(work));
    let defect = || {
        LastFailure(
            Status::Defect,
            "a defect of millbase; please report it".into(),
        )
    };
    let LastFailure(status, sentence) = match done.unwrap_or_else(|_| Err(defect())) {
        Ok(()) => return Status::Ok,
        Err(failure) => failure,
    };
    let sentence = CString::new(sentence.replace('\0', " ")).unwrap_or_default();
    // The thread may be ending.
    let _ = MESSAGE.try_with(|message| message.replace(sentence));
    status
}

/// The text at a pointer.
///
/// # Safety
///
/// Null, or a pointer to bytes that end with a zero and stay while the text is used.
unsafe fn text<'a>(pointer: *const c_char, name: &str) -> Result<&'a str, LastFailure> {
    if pointer.is_null() {
        return Err(null(name));
    }
    // SAFETY: not null, and the caller keeps the rest of the contract.
    let bytes = unsafe { CStr::from_ptr(pointer) };
    bytes
        .to_str()
        .map_err(|_| LastFailure(Status::Argument, format!("{name} is not UTF-8")))
}

fn null(name: &str) -> LastFailure {
    LastFailure(Status::Argument, format!("{name} is a null pointer"))
}

/// The databases of a handle.
///
/// # Safety
///
/// Null, or a handle of [`millbase_open`] that is not closed.
unsafe fn opened<'a>(db: *const Database) -> Result<&'a millbase::Database, LastFailure> {
    // SAFETY: the contract of this function.
    let db = unsafe { db.as_ref() };
    db.map(|db| &db.database).ok_or_else(|| null("db"))
}

/// The elements at a pointer, which may be null if there are none.
///
/// # Safety
///
/// `pointer` has `count` elements that stay while they are used.
unsafe fn elements<'a, T>(
    pointer: *const T,
    count: usize,
    name: &str,
) -> Result<&'a [T], LastFailure> {
    match (count, pointer.is_null()) {
        (0, _) => Ok(&[]),
        (_, true) => Err(null(name)),
        // SAFETY: not null, and the caller keeps the rest of the contract.
        _ => Ok(unsafe { slice::from_raw_parts(pointer, count) }),
    }
}

/// The same for elements that are written.
///
/// # Safety
///
/// As for [`elements`], and nothing else uses them.
unsafe fn elements_mut<'a, T>(
    pointer: *mut T,
    count: usize,
    name: &str,
) -> Result<&'a mut [T], LastFailure> {
    match (count, pointer.is_null()) {
        (0, _) => Ok(&mut []),
        (_, true) => Err(null(name)),
        // SAFETY: not null, and the caller keeps the rest of the contract.
        _ => Ok(unsafe { slice::from_raw_parts_mut(pointer, count) }),
    }
}

fn value(value: millbase::Value) -> Value {
    let (wdl, dtw) = numbers(value);
    Value { wdl, dtw }
}

/// A text with zeros after it. All texts of the library are ASCII and shorter than their places.
fn letters<const N: usize>(text: &str) -> [c_char; N] {
    let mut letters = [0; N];
    let place = letters[..N - 1].iter_mut();
    place
        .zip(text.bytes())
        .for_each(|(letter, byte)| *letter = byte as c_char);
    letters
}

fn turn(ranked: &RankedTurn, rules: &Rules) -> Turn {
    Turn {
        turn: letters(&ranked.turn.to_string()),
        position: letters(ranked.after.letters(rules).as_str()),
        value: value(ranked.value),
    }
}

/// The turns of a position with their values, none when the game is over.
fn ranked(database: &millbase::Database, fen: &str) -> Result<Vec<RankedTurn>, LastFailure> {
    let position = Position::parse(fen, database.rules()).map_err(wrong)?;
    match position.is_over(database.rules()) {
        true => Ok(Vec::new()),
        false => Ok(database.turns(&position)?),
    }
}

/// The version of the library, as `0.1.0`.
#[unsafe(no_mangle)]
pub extern "C" fn millbase_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// The sentence of the last call of this thread that was not `MILLBASE_STATUS_OK`; empty before the
/// first. It stays until the next such call of the thread.
#[unsafe(no_mangle)]
pub extern "C" fn millbase_last_message() -> *const c_char {
    let pointer = MESSAGE.try_with(|message| message.borrow().as_ptr());
    pointer.unwrap_or(c"".as_ptr())
}

/// Opens the databases of a folder, or with a null pointer those with at most nine stones, which are
/// part of the library. `rules` is `standard`, `standard-100`, `no-flying`, `ten`, `twelve` or `morabaraba`; null
/// stands for `standard`. Close the handle in `*db` with `millbase_close`; it is null after a failure.
///
/// # Safety
///
/// The texts end with a zero; `db` points to a place for a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn millbase_open(
    folder: *const c_char,
    rules: *const c_char,
    db: *mut *mut Database,
) -> Status {
    call(|| {
        if db.is_null() {
            return Err(null("db"));
        }
        // SAFETY: not null, and the caller's place for a handle.
        unsafe { db.write(ptr::null_mut()) };
        let rules = match rules.is_null() {
            true => Rules::STANDARD,
            false => {
                // SAFETY: the contract of this function.
                let name = unsafe { text(rules, "rules") }?;
                let names = || Rules::NAMED.map(|(name, _)| name).join(", ");
                Rules::named(name).ok_or_else(|| {
                    wrong(format!(
                        "the rules are '{name}', but must be one of {}",
                        names()
                    ))
                })?
            }
        };
        let database = match folder.is_null() {
            true => millbase::Database::embedded(rules),
            false => {
                // SAFETY: the contract of this function.
                let folder = unsafe { text(folder, "folder") }?;
                millbase::Database::open_in(Path::new(folder), rules)?
            }
        };
        // SAFETY: as above.
        unsafe { db.write(Box::into_raw(Box::new(Database { database }))) };
        Ok(())
    })
}

/// Closes databases; null does nothing.
///
/// # Safety
///
/// `db` is null or a handle that is not closed, and no thread uses it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn millbase_close(db: *mut Database) {
    call(|| {
        if !db.is_null() {
            // SAFETY: a handle of `millbase_open`, which comes from `Box::into_raw`.
            drop(unsafe { Box::from_raw(db) });
        }
        Ok(())
    });
}

/// What the position with this text is worth.
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
        let (database, fen) = unsafe { (opened(db)?, text(fen, "fen")?) };
        let position = Position::parse(fen, database.rules()).map_err(wrong)?;
        let found = value(database.probe(&position)?);
        // SAFETY: the contract of this function.
        let out = unsafe { elements_mut(out, 1, "out") }?;
        out[0] = found;
        Ok(())
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
        let (database, fen) = unsafe { (opened(db)?, text(fen, "fen")?) };
        // SAFETY: the contract of this function.
        let count = unsafe { elements_mut(count, 1, "count") }?;
        let found = ranked(database, fen)?;
        let room = capacity.min(found.len());
        // SAFETY: the contract of this function.
        let turns = unsafe { elements_mut(turns, room, "turns") }?;
        for (place, found) in turns.iter_mut().zip(&found) {
            *place = turn(found, database.rules());
        }
        count[0] = found.len();
        Ok(())
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
        let (database, fen) = unsafe { (opened(db)?, text(fen, "fen")?) };
        // SAFETY: the contract of this function.
        let out = unsafe { elements_mut(out, 1, "out") }?;
        let found = ranked(database, fen)?;
        out[0] = match found.first() {
            Some(best) => turn(best, database.rules()),
            None => {
                let position = Position::parse(fen, database.rules()).map_err(wrong)?;
                Turn {
                    turn: letters(""),
                    position: letters(position.letters(database.rules()).as_str()),
                    value: value(database.probe(&position)?),
                }
            }
        };
        Ok(())
    })
}

/// The values of `count` positions of the moving phase on `threads` threads: the bits of White's and
/// Black's stones (bit 0 is d5, the order is that of the position's text), 0 where White is to move
/// and 1 where Black is. `wdl` gets 1, 0 or -1, `dtw` the turns to the end or -1.
///
/// # Safety
///
/// `db` is an open handle, and each array has `count` elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn millbase_probe_many(
    db: *const Database,
    white: *const u32,
    black: *const u32,
    to_move: *const u8,
    count: usize,
    wdl: *mut i8,
    dtw: *mut i16,
    threads: usize,
) -> Status {
    call(|| {
        // SAFETY: the contract of this function.
        let database = unsafe { opened(db) }?;
        // SAFETY: the contract of this function.
        let masks = unsafe {
            Masks {
                white: elements(white, count, "white")?,
                black: elements(black, count, "black")?,
                to_move: elements(to_move, count, "to_move")?,
            }
        };
        // SAFETY: the contract of this function.
        let values = unsafe {
            Values {
                wdl: elements_mut(wdl, count, "wdl")?,
                dtw: elements_mut(dtw, count, "dtw")?,
            }
        };
        let done = database.probe_many(masks, values, threads.clamp(1, 1024));
        done.map_err(|error| match error {
            BulkError::Database(error) => error.into(),
            other => wrong(other),
        })
    })
}
