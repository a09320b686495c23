//! The folder of a build, which belongs to one build at a time.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use super::error::SolveError;
use crate::store::{self, DbError};

/// The file that a running build locks in its folder.
const LOCK: &str = ".build.lock";

/// A folder locked for one build, until this is dropped or the process ends.
#[derive(Debug)]
pub struct BuildFolder {
    path: PathBuf,
    _lock: File,
    /// Whether the build is to stop.
    stopped: AtomicBool,
}

impl BuildFolder {
    /// Locks the folder, which must exist, and removes the unfinished files of killed builds.
    ///
    /// # Errors
    ///
    /// [`SolveError::Busy`] if the folder is locked, [`SolveError::Database`] if it is not
    /// writable.
    pub fn lock(path: &Path) -> Result<BuildFolder, SolveError> {
        let name = path.join(LOCK);
        let lock = loop {
            let file = OpenOptions::new()
                .write(true)
                .create(true)
                .truncate(false)
                .open(&name);
            let file = file.map_err(DbError::io(path))?;
            match file.try_lock() {
                Err(TryLockError::WouldBlock) => return Err(SolveError::Busy(path.to_path_buf())),
                // Some file systems have no locks. On those, two builds merely do the same work
                // twice.
                Ok(()) | Err(TryLockError::Error(_)) => {}
            }
            // A build that ended meanwhile may have removed this file.
            if is_at(&file, &name) {
                break file;
            }
        };
        store::remove_temporaries(path, &store::DATABASES)?;
        Ok(BuildFolder {
            path: path.to_path_buf(),
            _lock: lock,
            stopped: AtomicBool::new(false),
        })
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Asks the build in the folder to stop: it returns [`SolveError::Stopped`] at its next event.
    /// Finished files stay.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// An error if the build is to stop.
    pub(super) fn check(&self) -> Result<(), SolveError> {
        match self.stopped.load(Ordering::Relaxed) {
            true => Err(SolveError::Stopped),
            false => Ok(()),
        }
    }

    /// Removes unfinished files and the file of the lock, for a process that is about to end.
    ///
    /// # Errors
    ///
    /// [`DbError::Io`].
    pub fn tidy(&self) -> Result<(), DbError> {
        // If this fails, the empty file stays, and a later build locks it again.
        let _ = fs::remove_file(self.path.join(LOCK));
        store::remove_temporaries(&self.path, &store::DATABASES)
    }
}

impl Drop for BuildFolder {
    fn drop(&mut self) {
        let _ = fs::remove_file(self.path.join(LOCK));
    }
}

/// Whether a path still leads to this open file.
fn is_at(file: &File, path: &Path) -> bool {
    let (Ok(file), Ok(path)) = (file.metadata(), fs::metadata(path)) else {
        return false;
    };
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        (file.dev(), file.ino()) == (path.dev(), path.ino())
    }
    #[cfg(not(unix))]
    {
        file.created().ok() == path.created().ok()
    }
}
