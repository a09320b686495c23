//! The errors of databases.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::pieces::NeededRange;
use crate::index::Pair;
use crate::rules::Rules;
use crate::value::Metric;

/// The reason why a database has no answer. Each error displays as one sentence that says what is
/// wrong and what to do.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum DbError {
    /// The database of a pair does not exist.
    Missing {
        /// The needed pair.
        pair: Pair,
        /// The folder that lacks the file; `None` if only the embedded databases were searched.
        folder: Option<PathBuf>,
        /// The requested rules.
        rules: Rules,
        /// The contents of the folder's files.
        metric: Metric,
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
        /// The reason of the operating system.
        source: Arc<io::Error>,
    },
    /// The file of a pair holds no depths.
    NoDepths {
        /// The pair.
        pair: Pair,
    },
    /// Bytes of files that the answer needs have not arrived: fetch all these ranges, supply them,
    /// and ask again.
    Pending(Vec<NeededRange>),
    /// No database holds such positions; the text is a clause that says why.
    NotStored(String),
}

impl DbError {
    /// Whether no file holds the answer.
    pub fn is_missing(&self) -> bool {
        use DbError::{Missing, NoDepths, NotStored};
        matches!(self, Missing { .. } | NoDepths { .. } | NotStored(_))
    }

    /// Whether a file exists whose bytes cannot be used: it is damaged, or of other rules or another version.
    pub fn is_unusable(&self) -> bool {
        use DbError::{Corrupt, OtherRules, OtherVersion};
        matches!(
            self,
            Corrupt { .. } | OtherRules { .. } | OtherVersion { .. }
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
        match self {
            DbError::Missing {
                pair,
                folder,
                rules,
                metric,
            } => {
                write!(f, "the database {pair} is missing")?;
                if let Some(folder) = folder {
                    write!(f, " in {}", folder.display())?;
                }
                let options = build_options(rules, folder.as_deref(), *metric);
                write!(f, "; build it with `millbase build --pair {pair}{options}`")
            }
            DbError::Corrupt { file, offset, what } => write!(
                f,
                "{} is corrupted at byte {offset}: {what}; delete the file and build it again",
                file.display()
            ),
            DbError::OtherRules { file, rules, found } => {
                write!(f, "{} was built for ", file.display())?;
                match found {
                    Some(found) => write!(f, "the rules {found}, not for {rules}")?,
                    None => write!(f, "other rules than {rules}")?,
                }
                f.write_str("; choose the folder with the databases of these rules")
            }
            DbError::OtherVersion {
                file,
                version,
                expected,
            } => write!(
                f,
                "{} has format version {version}, but this program reads version {expected}; delete the file and build it \
                 again, or use the program that wrote it",
                file.display()
            ),
            DbError::Io { file, source } => write!(
                f,
                "{} cannot be used: {source}{}",
                file.display(),
                advice(source.kind())
            ),
            DbError::NoDepths { pair } => write!(
                f,
                "the database {pair} holds results without depths; build the pairs again with \
                 `millbase build` into another folder"
            ),
            DbError::Pending(ranges) => {
                let bytes: u64 = ranges.iter().map(|range| range.length).sum();
                write!(
                    f,
                    "{bytes} bytes of {} ranges are not here yet",
                    ranges.len()
                )?;
                if let Some(first) = ranges.first() {
                    write!(f, ", the first of {}", first.file.display())?;
                }
                f.write_str("; fetch them and ask again")
            }
            DbError::NotStored(why) => write!(f, "the databases have no answer: {why}"),
        }
    }
}

/// The command-line option for these rules, with a leading space; empty for the standard rules.
pub fn rules_option(rules: &Rules) -> String {
    match rules.name() {
        _ if *rules == Rules::STANDARD => String::new(),
        name => format!(" --rules {}", name.unwrap_or("FILE")),
    }
}

/// The options with which `millbase build` makes files with these contents for these rules in the folder
/// of a database, with a leading space.
pub(crate) fn build_options(rules: &Rules, folder: Option<&Path>, metric: Metric) -> String {
    let mut options = rules_option(rules);
    if let Some(folder) = folder {
        let folder = named_folder(folder, rules).display().to_string();
        let quote = if folder.contains(' ') { "'" } else { "" };
        options += &format!(" --db {quote}{folder}{quote}");
    }
    if metric == Metric::Wdl {
        options += " --profile wdl";
    }
    options
}

/// The folder to name on the command line so that the program uses this one.
fn named_folder<'a>(folder: &'a Path, rules: &Rules) -> &'a Path {
    match folder.parent() {
        Some(parent) if super::folder_of(parent, rules) == folder => parent,
        _ => folder,
    }
}

/// Advice for a failure to read or write, as the end of a sentence.
fn advice(reason: io::ErrorKind) -> &'static str {
    match reason {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            "; free some space and run the same command again, nothing is lost"
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "; choose another folder, or get permission for this one"
        }
        io::ErrorKind::OutOfMemory => "; close other programs, or run this on a larger machine",
        _ => "",
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
