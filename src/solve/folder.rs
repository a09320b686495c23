//! The folder of a build, which belongs to one build at a time.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

use super::error::SolveError;
use crate::store::{self, DbError};

/// A folder locked for one build, until this is dropped or the process ends.
#[derive(Debug)]
pub struct BuildFolder {
    path: PathBuf,
    _lock: File,
}

impl BuildFolder {
    /// Locks the folder, which must exist, and removes the unfinished files of killed builds.
    ///
    /// # Errors
    ///
    /// [`SolveError::Busy`] if the folder is locked, [`SolveError::Database`] if it is not
    /// writable.
    pub fn lock(path: &Path) -> Result<BuildFolder, SolveError> {
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .open(path.join(".build.lock"));
        let file = file.map_err(DbError::io(path))?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => return Err(SolveError::Busy(path.to_path_buf())),
            // Some file systems have no locks. There two builds only do the same work twice.
            Ok(()) | Err(TryLockError::Error(_)) => {}
        }
        let folder = BuildFolder {
            path: path.to_path_buf(),
            _lock: file,
        };
        folder.tidy()?;
        Ok(folder)
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes the unfinished file when the process is about to end.
    ///
    /// # Errors
    ///
    /// [`DbError::Io`].
    pub fn tidy(&self) -> Result<(), DbError> {
        store::remove_temporaries(&self.path)
    }
}
