//! Finds the folder of the databases and opens them.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::{Context, Error, Result};
use directories::ProjectDirs;
pub use millbase::internals::service::stats::usable_pairs;
use millbase::internals::stages::why_unsolved;
use millbase::sample::Family;
use millbase::store::{self, DbError};
use millbase::{Database, Pair, Rules};

use crate::advice;
use crate::options::Options;
use crate::output;
use crate::status::{self, Failure, Status, refuse};

/// The folder named by `--db` or `$MILLBASE_DB`.
fn named(options: &Options) -> Option<PathBuf> {
    let variable = || env::var_os("MILLBASE_DB").map(PathBuf::from);
    let named = options.db.clone().or_else(variable)?;
    (!named.as_os_str().is_empty()).then_some(named)
}

/// The folder with the databases of the rules of `--rules`.
pub fn folder(options: &Options) -> Option<PathBuf> {
    base_folder(options).map(|folder| store::folder_of(&folder, &options.rules))
}

/// The folder in which databases are built, which need not exist.
pub fn folder_to_build(options: &Options) -> Result<PathBuf, Failure> {
    let sentence =
        "this system has no folder for user data; name a folder for the databases with --db";
    match base_folder(options) {
        Some(file) if file.is_file() => check_folder(&file)?,
        _ => {}
    }
    folder(options).ok_or_else(|| Failure::question(sentence))
}

/// The folder that has the databases of all rules: the named one, else `./db` if it exists, else the
/// user's data folder; `None` if the system has no such folder.
pub fn base_folder(options: &Options) -> Option<PathBuf> {
    let local = || Path::new("db").is_dir().then(|| PathBuf::from("db"));
    let data = || Some(ProjectDirs::from("", "", "millbase")?.data_dir().to_owned());
    named(options).or_else(local).or_else(data)
}

/// Opens the databases of the folder and those that are part of the program.
pub fn open(options: &Options) -> Result<Database> {
    let exists = |folder: &Path| match folder.try_exists() {
        // Nobody asked for the user's own folder.
        Err(_) if named(options).is_none() => Ok(false),
        exists => exists.with_context(|| format!("cannot read the folder '{}'", folder.display())),
    };
    let database = match base_folder(options) {
        Some(folder) if exists(&folder)? => {
            if !folder.is_file() {
                check_folder(&folder)?;
            }
            let opened = Database::open_in(&folder, options.rules);
            opened.map_err(|error| match error {
                DbError::NotDatabases(_) => {
                    Error::new(Failure::question(format!("{error}; name one with --db")))
                }
                error => error.into(),
            })?
        }
        _ => match named(options) {
            Some(folder) => {
                let name = folder.display();
                let note = "so only the built-in databases are used";
                output::note(
                    options,
                    format_args!("note: the folder '{name}' does not exist, {note}"),
                );
                Database::embedded_for(&folder, options.rules)
            }
            None => Database::embedded(options.rules),
        },
    };
    Ok(match options.threads {
        Some(1) => database.on_one_thread(),
        _ => database,
    })
}

/// Opens the databases to check or to copy: as [`open`], but an error if the folder that `--db` or the
/// variable names does not exist.
pub fn open_named(options: &Options) -> Result<Database> {
    if let Some(folder) = named(options).filter(|folder| !folder.is_file()) {
        check_folder(&folder)?;
    }
    open(options)
}

/// Opens the databases of an existing folder and those that are part of the program; an error if
/// the folder does not exist.
pub fn open_folder(folder: &Path, rules: Rules) -> Result<Database> {
    check_folder(folder)?;
    Ok(Database::open(folder, rules)?)
}

/// Returns an error if a path is not a folder.
pub fn check_folder(folder: &Path) -> Result<(), Failure> {
    if folder.is_dir() {
        return Ok(());
    }
    let folder = folder.display();
    refuse(format!(
        "'{folder}' is not a folder; name the folder of the databases with --db"
    ))
}

/// The families to draw random positions from: the given ones or, if there are none, all pairs that
/// have a usable file.
pub fn families(db: &Database, given: &[Family]) -> Result<Vec<Family>> {
    for family in given {
        family.check(db.rules()).map_err(Failure::question)?;
    }
    let families: Vec<Family> = match given {
        [] => usable_pairs(db).into_iter().map(Family::Pair).collect(),
        _ => given.to_vec(),
    };
    match families.is_empty() {
        true => Err(none(db, "there is no database to draw positions from")),
        false => Ok(families),
    }
}

/// Returns an error if the rules have no table of one of these families, as they are never solved.
pub fn check_tables(families: &[Family], rules: &Rules) -> Result<(), Failure> {
    let mut placed = (families.iter()).filter(|family| matches!(family, Family::Placed(_)));
    match (placed.next(), why_unsolved(rules)) {
        (Some(family), Some(why)) => refuse(format!("{why}; name a pair instead of {family}")),
        _ => Ok(()),
    }
}

/// The error where no pair has a usable file: this text, and why the pair with the fewest stones has none.
pub fn none(db: &Database, text: &'static str) -> Error {
    let pairs = Pair::all(db.rules());
    match pairs.first().map(|&pair| db.file(pair)) {
        Some(Err(error)) => Error::new(error).context(text),
        _ => Failure::question(text).into(),
    }
}

/// Unless the answer was about `only` one pair, reports on stderr which files cannot be used, and returns the status of
/// the first.
pub fn note_unusable(db: &Database, only: Option<Pair>) -> Status {
    if only.is_some() {
        return Status::Done;
    }
    for error in db.unusable() {
        output::to_stderr(&format!("error: {}\n", advice::sentence(&error)));
    }
    status_of_unusable(db)
}

/// The status of the first file that cannot be used; [`Status::Done`] without such files.
pub fn status_of_unusable(db: &Database) -> Status {
    let first = db.unusable().next();
    first.map_or(Status::Done, |error| status::of_db(&error))
}
