//! The engine protocol as functions, for apps that may not start processes.

use std::ffi::{CString, c_char, c_void};
use std::io::{self, Write};
use std::ptr;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread::{self, JoinHandle};

use millbase::internals::uci;
use millbase::notation::protocol_game;

use crate::border::*;
use crate::open::Database;

/// Gets each line of an engine's output, without its line break, and the pointer that was given
/// with the function. The text is valid during the call. Threads of the engine call the function,
/// never two at the same time.
pub type OnLine = Option<unsafe extern "C" fn(line: *const c_char, context: *mut c_void)>;

/// An engine that is running.
pub struct Engine {
    /// The lines to the engine; `None` once it was told to end.
    lines: Option<Sender<Result<String, String>>>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Engine {
    fn drop(&mut self) {
        if let Some(lines) = self.lines.take() {
            let _ = lines.send(Ok("quit".to_owned()));
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The pointer of the caller, who promises that it may be used by other threads.
struct Context(*mut c_void);

// SAFETY: the contract of `millbase_engine_new`.
unsafe impl Send for Context {}

/// Hands complete lines to a function.
struct Lines {
    on_line: unsafe extern "C" fn(*const c_char, *mut c_void),
    context: Context,
    line: Vec<u8>,
}

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for &byte in bytes {
            if byte != b'\n' {
                self.line.push(byte);
                continue;
            }
            let line = CString::new(std::mem::take(&mut self.line)).unwrap_or_default();
            // SAFETY: the contract of `millbase_engine_new`; the text ends with a zero.
            unsafe { (self.on_line)(line.as_ptr(), self.context.0) };
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Starts an engine, which speaks the protocol of `millbase uci` with the databases of `db`, on a thread of its
/// own: `millbase_engine_send` gives it a line, and `on_line` gets each line of its answers with `context`. The
/// databases may be closed before the engine. Free it with `millbase_engine_free`; `*engine` is null after a failure.
///
/// # Safety
///
/// `db` is an open handle; threads may call `on_line` with `context` until the engine is freed; `on_line` does not
/// free the engine; `engine` points to a place for a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn millbase_engine_new(
    db: *const Database,
    on_line: OnLine,
    context: *mut c_void,
    engine: *mut *mut Engine,
) -> Status {
    call(|| {
        // SAFETY: the contract of this function.
        let db = unsafe {
            put(engine, "engine", ptr::null_mut())?;
            handle(db, "db")?
        };
        let output = Lines {
            on_line: on_line.ok_or_else(|| null("on_line"))?,
            context: Context(context),
            line: Vec::new(),
        };
        let database = Arc::clone(&db.database);
        let path = database.location().folder;
        let path = path.map_or(String::new(), |folder| folder.display().to_string());
        let (lines, received) = channel();
        let run = move || {
            // The output never fails.
            let lines = received.into_iter();
            let _ = uci::run(lines, output, database, path, 1, sentence, protocol_game);
        };
        let thread = thread::Builder::new().name("engine".to_owned()).spawn(run);
        let thread = thread.map_err(|error| {
            LastFailure(Status::Other, format!("cannot start a thread: {error}"))
        })?;
        let started = Box::new(Engine {
            lines: Some(lines),
            thread: Some(thread),
        });
        // SAFETY: the contract of this function.
        unsafe { put(engine, "engine", Box::into_raw(started)) }
    })
}

/// Gives an engine a line of the protocol, such as `position startpos moves d6` or
/// `go movetime 500`, and returns at once. Any thread may call this, even from `on_line`. After
/// `quit` lines have no effect.
///
/// # Safety
///
/// `engine` is a handle that is not freed, `line` ends with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn millbase_engine_send(
    engine: *const Engine,
    line: *const c_char,
) -> Status {
    call(|| {
        // SAFETY: the contract of this function.
        let (engine, line) = unsafe { (handle(engine, "engine")?, text(line, "line")?) };
        if let Some(lines) = &engine.lines {
            // After `quit` nobody receives them.
            let _ = lines.send(Ok(line.trim_end().to_owned()));
        }
        Ok(())
    })
}

/// Ends an engine and waits for its threads; null does nothing. `on_line` is not called afterwards.
///
/// # Safety
///
/// `engine` is null or a handle that is not freed, and no thread uses it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn millbase_engine_free(engine: *mut Engine) {
    call(|| {
        if !engine.is_null() {
            // SAFETY: a handle of `millbase_engine_new`, which comes from `Box::into_raw`.
            drop(unsafe { Box::from_raw(engine) });
        }
        Ok(())
    });
}
