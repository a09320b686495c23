//! The errors of builds.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::index::Pair;
use crate::rules::counted;
use crate::store::{DbError, LARGEST_VALUE};
use crate::value::Metric;

/// The reason why a pair or a ply could not be solved or its file not written.
#[derive(Debug)]
#[non_exhaustive]
pub enum SolveError {
    /// The system refused the memory for a pair.
    PairMemory {
        /// The pair to solve.
        pair: Pair,
        /// The bytes that it needs.
        bytes: u64,
        /// The error of the system.
        source: io::Error,
    },
    /// The system refused the memory for a ply's table.
    PlyMemory(u8, io::Error),
    /// Some depths of a pair are too large for a byte.
    PairTooDeep(Pair),
    /// Some depths of a ply are too large for a byte.
    PlyTooDeep(u8),
    /// Databases that were asked for cannot exist under these rules; the sentence says why.
    Rules(&'static str),
    /// The folder has a file of another metric than the files to write.
    OtherContents {
        /// The pair of the file, or the name of a file of the placing phase.
        name: String,
        /// The metric of the file.
        metric: Metric,
    },
    /// Another process is building in the folder.
    Busy(PathBuf),
    /// [`BuildFolder::stop`](super::BuildFolder::stop) has ended the build.
    Stopped,
    /// A table could not be read, or a file could not be written.
    Database(DbError),
}

impl fmt::Display for SolveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SolveError::PairMemory {
                pair,
                bytes,
                source,
            } => write!(
                f,
                "the system refuses the {} MiB of memory that {pair} needs ({source})",
                bytes >> 20
            ),
            SolveError::PlyMemory(ply, source) => write!(
                f,
                "the system refuses the memory for the positions after {} ({source})",
                counted(ply, "placement")
            ),
            SolveError::PairTooDeep(pair) => write!(
                f,
                "{pair} has positions more than {} turns from the end, which the files cannot hold",
                LARGEST_VALUE - 1
            ),
            SolveError::PlyTooDeep(ply) => write!(
                f,
                "after {} there are positions more than {} turns from the end, which the files cannot hold",
                counted(ply, "placement"),
                LARGEST_VALUE - 1
            ),
            SolveError::Rules(why) => f.write_str(why),
            SolveError::OtherContents { name, metric } => write!(
                f,
                "the database {name} has {}depths, unlike the new ones",
                if *metric == Metric::Depth { "" } else { "no " }
            ),
            SolveError::Busy(folder) => {
                write!(f, "another build is running in {}", folder.display())
            }
            SolveError::Stopped => f.write_str("the build was stopped; its finished files stay"),
            SolveError::Database(error) => error.fmt(f),
        }
    }
}

impl Error for SolveError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            SolveError::PairMemory { source, .. } | SolveError::PlyMemory(_, source) => {
                Some(source)
            }
            SolveError::Database(error) => error.source(),
            _ => None,
        }
    }
}

impl From<DbError> for SolveError {
    fn from(error: DbError) -> SolveError {
        SolveError::Database(error)
    }
}
