//! Which folder the databases are in, and opening them.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::Result;
use directories::ProjectDirs;
use millbase::db::{self, Database, PairFile};
use millbase::{Pair, Rules};

use crate::cli::Options;
use crate::output;
use crate::status::Usage;

/// The folder that the user named, by option or environment.
fn named(options: &Options) -> Option<PathBuf> {
    let variable = || env::var_os("MILLBASE_DB").map(PathBuf::from);
    let named = options.db.clone().or_else(variable)?;
    (!named.as_os_str().is_empty()).then_some(named)
}

/// The folder with the databases of the rules that the user plays by.
pub fn folder(options: &Options) -> Option<PathBuf> {
    base_folder(options).map(|folder| db::folder_of(&folder, &options.rules))
}

/// The folder that has the databases of all rules: the named one, else `./db` if it exists, else the
/// user's data folder; `None` if the system has no such folder.
pub fn base_folder(options: &Options) -> Option<PathBuf> {
    let local = || Path::new("db").is_dir().then(|| PathBuf::from("db"));
    let data = || Some(ProjectDirs::from("", "", "millbase")?.data_dir().to_owned());
    named(options).or_else(local).or_else(data)
}

/// The databases of the folder and those that are part of the program.
pub fn open(options: &Options) -> Result<Database> {
    let rules = options.rules;
    let Some(folder) = base_folder(options) else {
        return Ok(Database::embedded(rules));
    };
    if folder.exists() {
        check_folder(&folder)?;
        let own = db::folder_of(&folder, &rules);
        return match options.map && own.exists() {
            false => Ok(Database::open_in(&folder, rules)?),
            true => map_folder(&own, rules),
        };
    }
    let folder = folder.display();
    if named(options).is_some() {
        let note = "so only the built-in databases are used";
        output::note(
            options,
            format_args!("note: there is no folder '{folder}', {note}"),
        );
    }
    Ok(Database::embedded(rules))
}

/// The databases of a folder that exists and those that are part of the program.
pub fn open_folder(folder: &Path, rules: Rules) -> Result<Database> {
    check_folder(folder)?;
    Ok(Database::open(folder, rules)?)
}

/// The same with the files mapped into memory.
fn map_folder(folder: &Path, rules: Rules) -> Result<Database> {
    check_folder(folder)?;
    // SAFETY: with --map, the user promises that nobody writes to the files.
    Ok(unsafe { Database::open_mapped(folder, rules) }?)
}

fn check_folder(folder: &Path) -> Result<(), Usage> {
    if folder.is_dir() {
        return Ok(());
    }
    let folder = folder.display();
    let message = format!("'{folder}' is not a folder; name the folder of the databases with --db");
    Err(Usage(message))
}

/// The pairs that are there, those with fewer stones first.
pub fn in_order(db: &Database) -> Vec<Pair> {
    let mut pairs = Pair::all(db.rules().stones);
    pairs.retain(|&pair| db.has(pair));
    pairs
}

/// The pair's file, if it is there.
pub fn file(db: &Database, pair: Pair) -> Option<&PairFile> {
    db.pairs().find(|file| file.pair() == pair)
}
