//! The errors of databases.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::pieces::NeededRange;
use super::ply_file_name;
use crate::index::Pair;
use crate::rules::Rules;
use crate::value::Metric;

/// The databases in which a file was sought.
#[derive(Clone, Debug)]
pub struct Location {
    /// The folder or the bundle; `None` if only the embedded databases were searched.
    pub folder: Option<PathBuf>,
    /// Whether it is a bundle.
    pub is_bundle: bool,
    /// The requested rules.
    pub rules: Rules,
    /// The metric of the files that are there.
    pub metric: Metric,
}

/// The reason why a database has no answer. Each error displays as one sentence that says what was
/// expected, what was found, and where; advice on what to do is left to programs.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum DbError {
    /// The database of a pair does not exist.
    Missing {
        /// The needed pair.
        pair: Pair,
        /// Where it was sought.
        location: Location,
    },
    /// The databases of some pairs that a proof needs do not exist.
    MissingForProof {
        /// The needed pairs.
        pairs: Vec<Pair>,
        /// Where they were sought.
        location: Location,
    },
    /// No file of the placing phase is near enough to the position for a search.
    MissingPlies {
        /// The number of stones placed, if the file of a particular ply is needed.
        ply: Option<u8>,
        /// Where they were sought.
        location: Location,
    },
    /// The bytes of a file differ from those written.
    Corrupt {
        /// The file.
        file: PathBuf,
        /// The offset of the damage in the file, in bytes.
        offset: u64,
        /// A description of the damage.
        what: String,
    },
    /// The file is undamaged, but was built for other rules.
    OtherRules {
        /// The file.
        file: PathBuf,
        /// The requested rules.
        rules: Rules,
        /// The name of the rules that the file was built for, if they have one.
        found: Option<&'static str>,
    },
    /// The file has a format that this program cannot read.
    OtherVersion {
        /// The file.
        file: PathBuf,
        /// The format's version.
        version: u32,
        /// The version that this program reads.
        expected: u32,
    },
    /// The operating system failed to read or write.
    Io {
        /// The file or folder.
        file: PathBuf,
        /// The operating system's error.
        source: Arc<io::Error>,
    },
    /// The file of a pair holds no depths.
    NoDepths {
        /// The pair.
        pair: Pair,
        /// The rules of the databases.
        rules: Rules,
    },
    /// The path is neither a folder of databases nor a bundle.
    NotDatabases(PathBuf),
    /// Bytes of files that the answer needs have not arrived. Fetch all these ranges, supply them,
    /// and ask again.
    Pending(Vec<NeededRange>),
    /// The file of the level `max` omits the value, which follows from too many others.
    Omitted,
    /// No database holds such positions; the text is a clause that says why.
    NotStored(String),
}

impl DbError {
    /// Whether no file holds the answer.
    pub fn is_missing(&self) -> bool {
        use DbError::{Missing, MissingForProof, MissingPlies, NoDepths, NotStored, Omitted};
        matches!(
            self,
            Missing { .. }
                | MissingForProof { .. }
                | MissingPlies { .. }
                | NoDepths { .. }
                | NotStored(_)
                | Omitted
        )
    }

    /// Whether a file exists whose bytes cannot be used: it is damaged, not a database, or of other
    /// rules or another version.
    pub fn is_unusable(&self) -> bool {
        use DbError::{Corrupt, NotDatabases, OtherRules, OtherVersion};
        matches!(
            self,
            Corrupt { .. } | NotDatabases(_) | OtherRules { .. } | OtherVersion { .. }
        )
    }

    /// For `map_err`: the error of an operation on a file.
    pub(crate) fn io(file: &Path) -> impl FnOnce(io::Error) -> DbError + '_ {
        move |source| DbError::Io {
            file: file.to_path_buf(),
            source: Arc::new(source),
        }
    }

    pub(crate) fn corrupt(file: &Path, offset: u64, what: impl Into<String>) -> DbError {
        DbError::Corrupt {
            file: file.to_path_buf(),
            offset,
            what: what.into(),
        }
    }
}

impl fmt::Display for DbError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const NO_ANSWER: &str = "the databases have no answer";
        match self {
            DbError::Missing { pair, location } => {
                write!(f, "the database {pair} is missing")?;
                match &location.folder {
                    Some(folder) => write!(f, " in {}", folder.display()),
                    None => Ok(()),
                }
            }
            DbError::MissingForProof { pairs, .. } => {
                let names: Vec<String> = pairs.iter().map(Pair::to_string).collect();
                let names = names.join(", ");
                let verb = if pairs.len() == 1 { "is" } else { "are" };
                write!(
                    f,
                    "{NO_ANSWER}: the proof needs {names}, which {verb} missing"
                )
            }
            DbError::MissingPlies { ply: Some(ply), .. } => {
                write!(f, "the database {} is missing", ply_file_name(*ply))
            }
            DbError::MissingPlies { .. } => write!(
                f,
                "{NO_ANSWER}: too many stones are still in hand for a search down to the databases"
            ),
            DbError::Corrupt { file, offset, what } => {
                write!(
                    f,
                    "{} is corrupted at byte {offset}: {what}",
                    file.display()
                )
            }
            DbError::OtherRules { file, rules, found } => {
                write!(f, "{} was built for ", file.display())?;
                match found {
                    Some(found) => write!(f, "the rules {found}, not for {rules}"),
                    None => write!(f, "other rules than {rules}"),
                }
            }
            DbError::OtherVersion {
                file,
                version,
                expected,
            } => write!(
                f,
                "{} has format version {version}, but this program reads version {expected}",
                file.display()
            ),
            DbError::Io { file, source } => {
                write!(f, "{} cannot be used: {source}", file.display())
            }
            DbError::NoDepths { pair, .. } => {
                write!(f, "the database {pair} holds results without depths")
            }
            DbError::NotDatabases(path) => {
                let path = path.display();
                write!(f, "'{path}' is not a folder of databases or a bundle")
            }
            DbError::Pending(ranges) => {
                let bytes: u64 = ranges.iter().map(|range| range.length).sum();
                let count = ranges.len();
                write!(f, "{bytes} bytes of {count} ranges are not here yet")?;
                match ranges.first() {
                    Some(first) => write!(f, ", the first of {}", first.file.display()),
                    None => Ok(()),
                }
            }
            DbError::Omitted => write!(
                f,
                "{NO_ANSWER}: a file of the level max omits the position, which follows from too \
                 many others"
            ),
            DbError::NotStored(why) => write!(f, "{NO_ANSWER}: {why}"),
        }
    }
}

impl std::error::Error for DbError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            DbError::Io { source, .. } => Some(&**source),
            _ => None,
        }
    }
}
