//! Opens and closes databases.

use std::ffi::c_char;
use std::ptr;
use std::sync::{Arc, OnceLock};

use millbase::Rules;
use millbase::internals::service::settings;
use millbase::internals::service::words::Fen;
use millbase::search::Search;
use millbase::store::{Bundle, ByteRange, ByteSource, OpenFile};

use crate::border::*;
use crate::types::Pair;

/// The databases of one set of rules. Threads may share it.
pub struct Database {
    pub(crate) database: Arc<millbase::Database>,
    /// The search of [`millbase_choose`], which the first call makes.
    pub(crate) search: OnceLock<Arc<Search>>,
}

/// The databases of a handle.
///
/// # Safety
///
/// As for [`handle`].
pub(crate) unsafe fn opened<'a>(
    db: *const Database,
) -> Result<&'a millbase::Database, LastFailure> {
    // SAFETY: the contract of this function.
    let db = unsafe { handle(db, "db") }?;
    Ok(&db.database)
}

/// The databases of a handle, and the position of a text under their rules.
///
/// # Safety
///
/// As for [`handle`] and [`text`].
pub(crate) unsafe fn asked<'a>(
    db: *const Database,
    fen: *const c_char,
) -> Result<(&'a millbase::Database, Fen), LastFailure> {
    // SAFETY: the contract of this function.
    let (database, fen) = unsafe { (opened(db)?, text(fen, "fen")?) };
    let position = Fen::parse(fen, database.rules()).map_err(wrong)?;
    Ok((database, position))
}

/// Writes the handle of databases that `open` opens for these rules.
///
/// # Safety
///
/// `db` is null or a place for a handle.
unsafe fn open(
    rules: Result<Rules, LastFailure>,
    db: *mut *mut Database,
    open: impl FnOnce(Rules) -> Result<millbase::Database, LastFailure>,
) -> Result<(), LastFailure> {
    // SAFETY: the contract of this function.
    unsafe { put(db, "db", ptr::null_mut()) }?;
    let opened = Box::new(Database {
        database: Arc::new(open(rules?)?),
        search: OnceLock::new(),
    });
    // SAFETY: the contract of this function.
    unsafe { put(db, "db", Box::into_raw(opened)) }
}

/// The databases of a folder or bundle, or with a null pointer those that are part of the library.
///
/// # Safety
///
/// As for [`path`].
unsafe fn open_path(
    folder: *const c_char,
    rules: Rules,
) -> Result<millbase::Database, LastFailure> {
    match folder.is_null() {
        true => Ok(millbase::Database::embedded(rules)),
        // SAFETY: the contract of this function.
        false => Ok(millbase::Database::open_in(
            unsafe { path(folder, "folder") }?,
            rules,
        )?),
    }
}

/// The rules of a name or a file with settings; null stands for `standard`.
///
/// # Safety
///
/// As for [`text`].
unsafe fn named(rules: *const c_char) -> Result<Rules, LastFailure> {
    if rules.is_null() {
        return Ok(Rules::STANDARD);
    }
    // SAFETY: the contract of this function.
    let rules = unsafe { text(rules, "rules") }?;
    let read = settings::of_name_or_file(rules);
    read.map_err(|why| wrong(format!("the rules '{rules}' cannot be used: {why}")))
}

/// The databases of a bundle in these bytes.
fn bundled(
    source: impl ByteSource + 'static,
    rules: Rules,
) -> Result<millbase::Database, LastFailure> {
    let bundle = Bundle::read("the bundle".as_ref(), Box::new(source))?;
    Ok(millbase::Database::of_bundle(&bundle, rules))
}

/// Opens the databases of a folder or of a bundle, which `millbase bundle` makes; with a null pointer those with at
/// most nine stones, which are part of the library. On Unix the name is any bytes, elsewhere UTF-8. `rules` is
/// `standard`, `standard-100`, `no-flying`, `ten`, `lasker`, `twelve`, `morabaraba`, `dooz`, or the path of a file with
/// settings, which contains a dot or a slash; null stands for `standard`. Close the handle in `*db` with
/// `millbase_close`; it is null after a failure.
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
    // SAFETY: the contract of this function.
    call(|| unsafe { open(named(rules), db, |rules| open_path(folder, rules)) })
}

/// As `millbase_open`, with the text of a file with settings in place of `rules`, as
/// `"base = 'ten'\nflying = 0"`.
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
        unsafe { open(rules, db, |rules| open_path(folder, rules)) }
    })
}

/// Opens a bundle that is a part of an open file, as Android hands out the uncompressed assets of an app: `length`
/// bytes from `offset` on. The library duplicates the descriptor, so the caller may close it. Not on Windows.
///
/// # Safety
///
/// `fd` is an open descriptor of a file that can be read; the others as for `millbase_open`.
#[cfg(unix)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn millbase_open_fd(
    fd: i32,
    offset: u64,
    length: u64,
    rules: *const c_char,
    db: *mut *mut Database,
) -> Status {
    use std::os::fd::BorrowedFd;

    call(|| {
        if fd < 0 {
            return Err(LastFailure(
                Status::Argument,
                format!("{fd} is not an open file"),
            ));
        }
        let refused =
            |error| LastFailure(Status::Other, format!("the file cannot be read: {error}"));
        // SAFETY: the contract of this function; -1 is excluded.
        let file = unsafe { BorrowedFd::borrow_raw(fd) }.try_clone_to_owned();
        let file = file
            .and_then(|file| OpenFile::new(file.into()))
            .map_err(refused)?;
        let bytes = ByteRange::new(file, offset, length);
        // SAFETY: the contract of this function.
        unsafe { open(named(rules), db, |rules| bundled(bytes, rules)) }
    })
}

/// Opens a bundle in memory, for example a mapped file. Nothing is copied.
///
/// # Safety
///
/// `bytes` points to `length` bytes, which stay unchanged until the databases and all engines with them are closed;
/// the others as for `millbase_open`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn millbase_open_memory(
    bytes: *const u8,
    length: usize,
    rules: *const c_char,
    db: *mut *mut Database,
) -> Status {
    call(|| {
        if bytes.is_null() {
            return Err(null("bytes"));
        }
        // SAFETY: not null, and the caller keeps the rest of the contract.
        let bytes: &'static [u8] = unsafe { std::slice::from_raw_parts(bytes, length) };
        // SAFETY: the contract of this function.
        unsafe { open(named(rules), db, |rules| bundled(bytes, rules)) }
    })
}

/// Limits the memory of the caches to this many bytes; without this call it is 256 MiB. Call it before the first
/// question: what the caches hold is lost. While an engine uses the databases, the status is
/// `MILLBASE_STATUS_ARGUMENT`.
///
/// # Safety
///
/// `db` is an open handle that no other thread uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn millbase_set_cache_bytes(db: *mut Database, bytes: usize) -> Status {
    call(|| {
        // SAFETY: the contract of this function.
        let db = unsafe { db.as_mut() }.ok_or_else(|| null("db"))?;
        let in_use = || LastFailure(Status::Argument, "an engine uses the databases".to_owned());
        Arc::get_mut(&mut db.database)
            .ok_or_else(in_use)?
            .set_cache_bytes(bytes);
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
