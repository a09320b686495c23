//! Advice for errors of the databases: the commands and options with which a user goes on. The library
//! reports only what is wrong.

use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::Path;

use millbase::internals::stages::{why_no_databases, why_unsolved};
use millbase::solve::SolveError;
use millbase::store::{self, DbError, Location};
use millbase::{Metric, Rules};

/// The error as one sentence that ends with its advice.
pub fn sentence(error: &DbError) -> String {
    format!("{error}{}", advice(error))
}

/// The end of the sentence of an error: what to do about it, or nothing.
pub fn advice(error: &DbError) -> String {
    if let DbError::Missing { location, .. }
    | DbError::MissingForProof { location, .. }
    | DbError::MissingPlies { location, .. } = error
        && let Some(why) = why_not_built(location)
    {
        return format!("; {why}");
    }
    let fixed = match error {
        DbError::Missing { pair, location } => {
            let options = build_options(location);
            return format!("; build it with `millbase build --pair {pair}{options}`");
        }
        DbError::MissingForProof { location, .. } => {
            return format!("; build with `millbase build{}`", build_options(location));
        }
        DbError::MissingPlies { ply, location } if why_unsolved(&location.rules).is_none() => {
            let options = build_options(location);
            let (databases, plies) = match ply {
                Some(ply) => ("it", format!(" --plies {ply}")),
                None => ("the databases of the placing phase", String::new()),
            };
            return format!("; build {databases} with `millbase build --placing{plies}{options}`");
        }
        DbError::Corrupt { file, .. } | DbError::OtherVersion { file, .. }
            if is_in_bundle(file) =>
        {
            "; make the bundle again from its folder with `millbase bundle`"
        }
        DbError::Corrupt { .. } => "; delete the file and build it again",
        DbError::OtherRules { .. } => "; choose the folder with the databases of these rules",
        DbError::OtherVersion { .. } => {
            "; delete the file and build it again, or use the program that wrote it"
        }
        DbError::NoDepths { rules, .. } => {
            let option = rules_option(rules);
            return format!(
                "; build the pairs again with `millbase build{option}` into another folder"
            );
        }
        DbError::Omitted => "; `millbase repack --level quick --to DIR` makes files that have it",
        DbError::Io { source, .. } => match source.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
                "; free some space and run the same command again, nothing is lost"
            }
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
                "; choose another folder, or get permission for this one"
            }
            ErrorKind::OutOfMemory => "; close other programs, or run this on a larger machine",
            _ => "",
        },
        _ => "",
    };
    fixed.to_owned()
}

/// Why `millbase build` cannot make the files that a location lacks; `None` if it can.
pub fn why_not_built(location: &Location) -> Option<&'static str> {
    let bundle = "a bundle holds the files of the folder that it was made from: build the others there, and make \
        the bundle again";
    why_no_databases(&location.rules).or(location.is_bundle.then_some(bundle))
}

/// Whether a file is a bundle or in one, not a file of a folder or of a build.
fn is_in_bundle(file: &Path) -> bool {
    let of_folder = ["mill", "stage"].map(|name| Some(OsStr::new(name)));
    !of_folder.contains(&file.extension()) || file.parent().is_some_and(Path::is_file)
}

/// The end of the sentence of an error of a build.
pub fn for_builds(error: &SolveError) -> &'static str {
    match error {
        SolveError::PairMemory { .. } | SolveError::PlyMemory(..) => "; close other programs",
        SolveError::Busy(_) => "; wait until it is done, or stop it",
        _ => "",
    }
}

/// The options with which `millbase build` makes files like those of a location, with a leading space.
pub fn build_options(location: &Location) -> String {
    let rules = &location.rules;
    let mut options = rules_option(rules);
    if let Some(folder) = &location.folder {
        let folder = named_folder(folder, rules).display().to_string();
        let quote = if folder.contains(' ') { "'" } else { "" };
        options += &format!(" --db {quote}{folder}{quote}");
    }
    if location.metric == Metric::Wdl {
        options += " --profile wdl";
    }
    options
}

/// The option for these rules, with a leading space; empty for the standard rules.
fn rules_option(rules: &Rules) -> String {
    match rules.name() {
        _ if *rules == Rules::STANDARD => String::new(),
        name => format!(" --rules {}", name.unwrap_or("FILE")),
    }
}

/// The folder to name on the command line so that the program uses this one.
fn named_folder<'a>(folder: &'a Path, rules: &Rules) -> &'a Path {
    match folder.parent() {
        Some(parent) if store::folder_of(parent, rules) == folder => parent,
        _ => folder,
    }
}
