//! The C library `millbase`: conversions around the library, no logic of its own. Functions return a
//! [`Status`]; [`millbase_last_message`] has the sentence. No panic crosses the border.

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::ptr;
use std::slice;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use millbase::engine::{DrawnTurns, Player, SkillLevel};
use millbase::internals::service::failure::with_advice;
use millbase::internals::service::position::{self, LineAnswer, ProbeAnswer, ValuedTurn};
use millbase::internals::service::settings;
use millbase::internals::service::words::Fen;
use millbase::internals::{numbers, until};
use millbase::search::{Limits, ScoreMeaning, Search};
use millbase::{BulkError, DbError, Masks, Position, Rules, Values};

/// What became of a call.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// Done.
    Ok = 0,
    /// A pointer is null where it must not be, a text is not UTF-8, or a number is out of its range.
    Argument = 1,
    /// A position, a turn, rules or bit masks are wrong.
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
    database: Arc<millbase::Database>,
    /// The search of [`millbase_choose`], which the first call makes.
    search: OnceLock<Arc<Search>>,
}

/// Ends a search from another thread.
pub struct Stop {
    flag: millbase::internals::Stop,
}

/// What a position or turn is worth to the side to move.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Value {
    /// 1 for a win, 0 for a draw, -1 for a loss, `MILLBASE_UNKNOWN` where it is not known.
    pub wdl: i8,
    /// Turns to the end; -1 for a draw, and where the files hold no depths.
    pub dtw: i16,
}

/// Stands for a result that is not known.
pub const MILLBASE_UNKNOWN: i8 = -128;

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

/// The numbers of stones of a pair. The larger side is the one with more stones on the board and in hand.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pair {
    /// The stones on the board of the larger side, 0 to 12.
    pub larger: u8,
    /// Those of the other side.
    pub smaller: u8,
    /// The stones in hand of the larger side: 0, except under rules where sides move while placing.
    pub larger_in_hand: u8,
    /// Those of the other side.
    pub smaller_in_hand: u8,
}

/// Why a line ends.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LineEnd {
    /// The game is over.
    Over = 0,
    /// A position stands again, so the game is drawn.
    Repetition = 1,
    /// The rules' limit of turns without a placement or a removal is reached, so the game is drawn.
    Quiet = 2,
    /// The line has as many turns as were asked for.
    Limit = 3,
}

/// When a search ends: at the first of these limits, each 0 for none.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SearchLimits {
    /// The time in milliseconds.
    pub milliseconds: u32,
    /// The depth in turns.
    pub depth: u32,
    /// The number of positions, approximately.
    pub nodes: u64,
}

/// What the score of a choice counts.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Score {
    /// Hundredths of a stone by which the side to move is ahead.
    Centistones = 0,
    /// The turns in which the side to move wins, -1 if their number is unknown.
    Win = 1,
    /// The turns in which the side to move loses, -1 if their number is unknown.
    Loss = 2,
}

/// The turn that a player chooses.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    /// The turn's text; empty when the game is over.
    pub turn: [c_char; MILLBASE_TURN_SIZE],
    /// The text of the position after the turn.
    pub position: [c_char; MILLBASE_POSITION_SIZE],
    /// The turn's exact value if it is known without a search, else `MILLBASE_UNKNOWN`.
    pub value: Value,
    /// What `score` counts.
    pub score_is: Score,
    /// What the search found for the side to move.
    pub score: i32,
    /// The depth of the search in turns.
    pub depth: u32,
    /// The number of positions visited.
    pub nodes: u64,
}

/// Bytes of the transposition table of [`millbase_choose`].
const HASH_BYTES: usize = 16 << 20;

/// The usual time of [`millbase_choose`] in milliseconds.
const USUAL_TIME: u64 = 1000;

/// The most threads for a question.
const MOST_THREADS: usize = 1024;

const UNKNOWN: Value = Value {
    wdl: MILLBASE_UNKNOWN,
    dtw: -1,
};

const _: () = assert!(Values::MISSING == MILLBASE_UNKNOWN);

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
        LastFailure(status, with_advice(&error))
    }
}

impl From<BulkError> for LastFailure {
    fn from(error: BulkError) -> LastFailure {
        match error {
            BulkError::Database { index, error } => {
                let LastFailure(status, sentence) = error.into();
                LastFailure(status, format!("the position at index {index}: {sentence}"))
            }
            other => wrong(other),
        }
    }
}

/// A wrong position, turn or set of rules.
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

/// The path at a pointer. On Unix a path is any bytes, elsewhere UTF-8.
///
/// # Safety
///
/// As for [`text`].
unsafe fn path<'a>(pointer: *const c_char, name: &str) -> Result<&'a Path, LastFailure> {
    #[cfg(unix)]
    {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt;
        if pointer.is_null() {
            return Err(null(name));
        }
        // SAFETY: not null, and the caller keeps the rest of the contract.
        let bytes = unsafe { CStr::from_ptr(pointer) };
        Ok(Path::new(OsStr::from_bytes(bytes.to_bytes())))
    }
    #[cfg(not(unix))]
    {
        // SAFETY: the contract of this function.
        unsafe { text(pointer, name) }.map(Path::new)
    }
}

/// What a handle of this library refers to.
///
/// # Safety
///
/// Null, or a handle of [`millbase_open`] or [`millbase_stop_new`] that is not closed.
unsafe fn handle<'a, T>(handle: *const T, name: &str) -> Result<&'a T, LastFailure> {
    // SAFETY: the contract of this function.
    let handle = unsafe { handle.as_ref() };
    handle.ok_or_else(|| null(name))
}

/// The databases of a handle.
///
/// # Safety
///
/// As for [`handle`].
unsafe fn opened<'a>(db: *const Database) -> Result<&'a millbase::Database, LastFailure> {
    // SAFETY: the contract of this function.
    let db = unsafe { handle(db, "db") }?;
    Ok(&db.database)
}

/// The databases of a handle, and the position of a text under their rules.
///
/// # Safety
///
/// As for [`handle`] and [`text`].
unsafe fn asked<'a>(
    db: *const Database,
    fen: *const c_char,
) -> Result<(&'a millbase::Database, Fen), LastFailure> {
    // SAFETY: the contract of this function.
    let (database, fen) = unsafe { (opened(db)?, text(fen, "fen")?) };
    let position = Fen::parse(fen, database.rules()).map_err(wrong)?;
    Ok((database, position))
}

/// A copy of the elements at a pointer, or `None` for a null pointer.
///
/// # Safety
///
/// Null, or a pointer to `count` elements, which nobody changes meanwhile.
unsafe fn copied<T: Copy>(pointer: *const T, count: usize) -> Option<Vec<T>> {
    // SAFETY: the contract of this function.
    (!pointer.is_null()).then(|| unsafe { slice::from_raw_parts(pointer, count) }.to_vec())
}

/// Writes to a place of the caller, which need not be initialised.
///
/// # Safety
///
/// Null, or a place for such a value.
unsafe fn put<T>(place: *mut T, name: &str, value: T) -> Result<(), LastFailure> {
    if place.is_null() {
        return Err(null(name));
    }
    // SAFETY: not null, and the caller keeps the rest of the contract.
    unsafe { place.write(value) };
    Ok(())
}

/// Writes elements one after the other, as [`put`] does. They may lie anywhere: nothing refers to them.
///
/// # Safety
///
/// Null, or places for as many values as there are.
unsafe fn put_all<T: Copy>(places: *mut T, name: &str, values: &[T]) -> Result<(), LastFailure> {
    match (values.len(), places.is_null()) {
        (0, _) => Ok(()),
        (_, true) => Err(null(name)),
        (count, _) => {
            // SAFETY: not null, and the caller keeps the rest of the contract; the values are ours.
            unsafe { ptr::copy_nonoverlapping(values.as_ptr(), places, count) };
            Ok(())
        }
    }
}

/// Writes the number of values, and as many of them as there is room for.
///
/// # Safety
///
/// `places` has room for `capacity` values, `count` is null or a place for a number.
unsafe fn put_counted<T: Copy>(
    places: *mut T,
    name: &str,
    capacity: usize,
    count: *mut usize,
    values: &[T],
) -> Result<(), LastFailure> {
    let room = &values[..capacity.min(values.len())];
    // SAFETY: the contract of this function.
    unsafe {
        put(count, "count", 0)?;
        put_all(places, name, room)?;
        put(count, "count", values.len())
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

fn turn(turn: &ValuedTurn) -> Turn {
    Turn {
        turn: letters(&turn.turn.to_string()),
        position: letters(turn.position.letters().as_str()),
        value: value(turn.value),
    }
}

/// Turns with their values.
fn all<'a>(turns: impl IntoIterator<Item = &'a ValuedTurn>) -> Vec<Turn> {
    turns.into_iter().map(turn).collect()
}

/// A turn with the position after it, whose value is not known.
fn legal(before: &Fen, legal: millbase::Turn) -> Turn {
    let after = before.after(legal, &before.position.after(legal));
    Turn {
        turn: letters(&legal.to_string()),
        position: letters(after.letters().as_str()),
        value: UNKNOWN,
    }
}

/// Opens databases and writes their handle.
///
/// # Safety
///
/// `folder` as for [`path`], `db` is null or a place for a handle.
unsafe fn open(
    folder: *const c_char,
    rules: Result<Rules, LastFailure>,
    db: *mut *mut Database,
) -> Result<(), LastFailure> {
    // SAFETY: the contract of this function.
    unsafe { put(db, "db", ptr::null_mut()) }?;
    let rules = rules?;
    let database = match folder.is_null() {
        true => millbase::Database::embedded(rules),
        // SAFETY: the contract of this function.
        false => millbase::Database::open_in(unsafe { path(folder, "folder") }?, rules)?,
    };
    let opened = Box::new(Database {
        database: Arc::new(database),
        search: OnceLock::new(),
    });
    // SAFETY: the contract of this function.
    unsafe { put(db, "db", Box::into_raw(opened)) }
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
/// part of the library. On Unix the folder's name is any bytes, elsewhere UTF-8. `rules` is `standard`,
/// `standard-100`, `no-flying`, `ten`, `lasker`, `twelve`, `morabaraba`, or the path of a file with settings, which
/// contains a dot or a slash; null stands for `standard`. Close the handle in `*db` with `millbase_close`;
/// it is null after a failure.
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
        let rules = match rules.is_null() {
            true => Ok(Rules::STANDARD),
            // SAFETY: the contract of this function.
            false => unsafe { text(rules, "rules") }.and_then(|rules| {
                let read = settings::of_name_or_file(rules);
                read.map_err(|why| wrong(format!("the rules '{rules}' cannot be used: {why}")))
            }),
        };
        // SAFETY: the contract of this function.
        unsafe { open(folder, rules, db) }
    })
}

/// The same with the text of a file with settings, as `"base = 'ten'\nflying = 0"`.
///
/// # Safety
///
/// As for `millbase_open`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn millbase_open_settings(
    folder: *const c_char,
    settings: *const c_char,
    db: *mut *mut Database,
) -> Status {
    call(|| {
        // SAFETY: the contract of this function.
        let rules = unsafe { text(settings, "settings") }
            .and_then(|settings| settings::of_toml(settings).map_err(wrong));
        // SAFETY: the contract of this function.
        unsafe { open(folder, rules, db) }
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

/// The pairs whose files can be used, in their order: `*count` gets their number, `pairs` as many as there
/// is room for. `pairs` may be null if `capacity` is 0.
///
/// # Safety
///
/// `db` is an open handle, `pairs` has room for `capacity` pairs, `count` points to a place for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn millbase_pairs(
    db: *const Database,
    pairs: *mut Pair,
    capacity: usize,
    count: *mut usize,
) -> Status {
    call(|| {
        // SAFETY: the contract of this function.
        let database = unsafe { opened(db) }?;
        let pair = |pair: millbase::Pair| {
            let [larger_in_hand, smaller_in_hand] = pair.in_hand();
            Pair {
                larger: pair.larger(),
                smaller: pair.smaller(),
                larger_in_hand,
                smaller_in_hand,
            }
        };
        let found: Vec<Pair> = database.pairs().map(|file| pair(file.pair())).collect();
        // SAFETY: the contract of this function.
        unsafe { put_counted(pairs, "pairs", capacity, count, &found) }
    })
}

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
        let after = before.play(turn, &before.rules).map_err(|why| {
            let side = before.side_to_move();
            wrong(format!("{turn} is not a legal turn of {side} here: {why}"))
        })?;
        let after: [c_char; MILLBASE_POSITION_SIZE] =
            letters(before.after(turn, &after).letters().as_str());
        // SAFETY: the contract of this function.
        unsafe { put_all(position, "position", &after) }
    })
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
            None => Turn {
                turn: letters(""),
                position: letters(position.letters().as_str()),
                value: value(answer.value),
            },
        };
        // SAFETY: the contract of this function.
        unsafe { put(out, "out", best) }
    })
}

/// The game that follows when both sides always make their best turn, no longer than `limit` turns:
/// `*count` gets the number of its turns, `turns` as many as there is room for, `*end` why it ends. `turns`
/// may be null if `capacity` is 0, `end` if it is of no use.
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

/// The turn that a player chooses after these turns from a position: `turns` has blanks between them and may
/// be null for none. The player of level 30 knows the databases and searches where they have no answer; those
/// below, from 0 on, err. A seed that is not 0 chooses among turns that are as good.
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
        let search = || Arc::new(Search::new(start.rules, HASH_BYTES, 1));
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
                score_is: Score::Centistones,
                score: 0,
                depth: 0,
                nodes: 0,
            },
            Some(choice) => {
                let variation = &choice.variation;
                let (score_is, score) = match variation.score.meaning() {
                    ScoreMeaning::Win(turns) => (Score::Win, turns.into()),
                    ScoreMeaning::KnownWin => (Score::Win, -1),
                    ScoreMeaning::Evaluation(hundredths) => (Score::Centistones, hundredths.into()),
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
