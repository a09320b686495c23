//! Watches for the signals with which the user or the system asks the program to stop.

use std::process;

use anyhow::{Context, Result};
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
    on_stop(|| {
        Temporary::remove_all();
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
