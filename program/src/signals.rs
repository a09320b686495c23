//! Watches for the signals with which the user or the system asks the program to stop.

use std::io::{self, Write};
use std::process;

use anyhow::{Context, Result};
use indicatif::ProgressBar;
use millbase::internals::Temporary;

use crate::status::Status;

/// Calls `stop`, on a thread of its own, each time the program is asked to stop. A signal that the
/// program ignores from its start stays ignored: so `nohup` and shells protect the programs that
/// they start.
pub fn on_stop(stop: impl FnMut() + Send + 'static) -> Result<()> {
    #[cfg(unix)]
    let ignored = unix::ignored();
    ctrlc::set_handler(stop).context("cannot watch for Ctrl-C")?;
    #[cfg(unix)]
    unix::ignore(&ignored);
    Ok(())
}

/// Ends the program when it is asked to stop, without the files that it is writing.
pub fn end_on_stop() -> Result<()> {
    tidy_on_stop(&ProgressBar::hidden(), || (), "")
}

/// As [`end_on_stop`], but first clears the bar, calls `tidy`, and writes these words to stderr.
pub fn tidy_on_stop(
    bar: &ProgressBar,
    tidy: impl Fn() + Send + 'static,
    words: &'static str,
) -> Result<()> {
    let bar = bar.clone();
    on_stop(move || {
        bar.finish_and_clear();
        // The lock holds back messages of other threads about the files that are removed now.
        let mut stderr = io::stderr().lock();
        Temporary::remove_all();
        tidy();
        let _ = stderr.write_all(words.as_bytes());
        process::exit(Status::Stopped as i32);
    })
}

#[cfg(unix)]
mod unix {
    use std::mem::MaybeUninit;
    use std::ptr;

    use libc::{SIG_IGN, SIGHUP, SIGINT, SIGTERM, c_int, sigaction, signal};

    /// The signals that are ignored, of those that ask to stop.
    pub fn ignored() -> Vec<c_int> {
        let is_ignored = |&number: &c_int| {
            let mut action = MaybeUninit::<sigaction>::zeroed();
            // SAFETY: without a new action the call only writes the present one, for which all
            // zeros are a valid value.
            let (found, action) = unsafe {
                let found = sigaction(number, ptr::null(), action.as_mut_ptr());
                (found, action.assume_init())
            };
            found == 0 && action.sa_sigaction == SIG_IGN
        };
        [SIGHUP, SIGINT, SIGTERM]
            .into_iter()
            .filter(is_ignored)
            .collect()
    }

    /// Ignores these signals.
    pub fn ignore(signals: &[c_int]) {
        for &number in signals {
            // SAFETY: ignoring a signal runs no code.
            unsafe { signal(number, SIG_IGN) };
        }
    }
}
