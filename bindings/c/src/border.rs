//! Statuses, the sentence of the last failure, and all that reads or writes at a pointer.

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::ptr;
use std::slice;

use millbase::{BulkError, DbError};

/// The outcome of a call.
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

thread_local!(static MESSAGE: RefCell<CString> = RefCell::default());

/// A status that is not [`Status::Ok`], with its sentence.
pub(crate) struct LastFailure(pub Status, pub String);

impl From<DbError> for LastFailure {
    fn from(error: DbError) -> LastFailure {
        let status = match error {
            _ if error.is_missing() => Status::Missing,
            _ if error.is_unusable() => Status::Corrupt,
            _ => Status::Other,
        };
        LastFailure(status, sentence(&error))
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

/// The sentence of a database's error, with what the user of the program can do.
pub(crate) fn sentence(error: &DbError) -> String {
    let advice = match error {
        DbError::Missing { .. } => {
            "build it with the program millbase, or name a folder that has it"
        }
        DbError::MissingPlies { .. } => "build the placing phase with the program millbase",
        DbError::Corrupt { .. } | DbError::OtherVersion { .. } => {
            "delete the file and build it again with the program millbase"
        }
        _ => return error.to_string(),
    };
    format!("{error}; {advice}")
}

/// A wrong position, turn or set of rules.
pub(crate) fn wrong(sentence: impl ToString) -> LastFailure {
    LastFailure(Status::Position, sentence.to_string())
}

/// Runs a call, keeps its sentence for [`millbase_last_message`], and stops panics.
pub(crate) fn call(work: impl FnOnce() -> Result<(), LastFailure>) -> Status {
    let defect = "a defect of millbase; please report it";
    let done = catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|_| Err(LastFailure(Status::Defect, defect.to_owned())));
    let Err(LastFailure(status, sentence)) = done else {
        return Status::Ok;
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
pub(crate) unsafe fn text<'a>(pointer: *const c_char, name: &str) -> Result<&'a str, LastFailure> {
    if pointer.is_null() {
        return Err(null(name));
    }
    // SAFETY: not null, and the caller keeps the rest of the contract.
    let bytes = unsafe { CStr::from_ptr(pointer) };
    bytes
        .to_str()
        .map_err(|_| LastFailure(Status::Argument, format!("{name} is not UTF-8")))
}

pub(crate) fn null(name: &str) -> LastFailure {
    LastFailure(Status::Argument, format!("{name} is a null pointer"))
}

/// The path at a pointer. On Unix a path is any bytes, elsewhere UTF-8.
///
/// # Safety
///
/// As for [`text`].
pub(crate) unsafe fn path<'a>(pointer: *const c_char, name: &str) -> Result<&'a Path, LastFailure> {
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

/// The object that a handle of this library refers to.
///
/// # Safety
///
/// Null, or a handle of `millbase_open` or `millbase_engine_new` that is not closed.
pub(crate) unsafe fn handle<'a, T>(handle: *const T, name: &str) -> Result<&'a T, LastFailure> {
    // SAFETY: the contract of this function.
    let handle = unsafe { handle.as_ref() };
    handle.ok_or_else(|| null(name))
}

/// A copy of the elements at a pointer, or `None` for a null pointer.
///
/// # Safety
///
/// Null, or a pointer to `count` elements, which nobody changes meanwhile.
pub(crate) unsafe fn copied<T: Copy>(pointer: *const T, count: usize) -> Option<Vec<T>> {
    // SAFETY: the contract of this function.
    (!pointer.is_null()).then(|| unsafe { slice::from_raw_parts(pointer, count) }.to_vec())
}

/// Writes to a place of the caller, which need not be initialised.
///
/// # Safety
///
/// Null, or a place for such a value.
pub(crate) unsafe fn put<T>(place: *mut T, name: &str, value: T) -> Result<(), LastFailure> {
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
pub(crate) unsafe fn put_all<T: Copy>(
    places: *mut T,
    name: &str,
    values: &[T],
) -> Result<(), LastFailure> {
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
pub(crate) unsafe fn put_counted<T: Copy>(
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
