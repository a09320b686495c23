//! Which folder the databases are in, and opening them.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::Result;
use directories::ProjectDirs;
use millbase::db::{Database, PairFile};
use millbase::{Pair, Rules};

use crate::cli::Options;
use crate::output;
use crate::status::Usage;

/// The rules of the game.
pub const RULES: Rules = Rules::STANDARD;

/// The folder that the user named, by option or environment.
fn named(options: &Options) -> Option<PathBuf> {
    let variable = || env::var_os("MILLBASE_DB").map(PathBuf::from);
    let named = options.db.clone().or_else(variable)?;
    (!named.as_os_str().is_empty()).then_some(named)
}

/// The folder to use: the named one, else `./db` if it exists, else the user's data folder; `None`
/// if the system has no such folder.
pub fn folder(options: &Options) -> Option<PathBuf> {
    let local = || Path::new("db").is_dir().then(|| PathBuf::from("db"));
    let data = || Some(ProjectDirs::from("", "", "millbase")?.data_dir().to_owned());
    named(options).or_else(local).or_else(data)
}

/// The databases of the folder and those that are part of the program.
pub fn open(options: &Options) -> Result<Database> {
    let Some(folder) = folder(options) else {
        return Ok(Database::embedded(RULES));
    };
    if folder.exists() {
        return match options.map {
            false => open_folder(&folder),
            true => map_folder(&folder),
        };
    }
    if named(options).is_some() {
        output::note(
            options,
            format_args!(
                "note: there is no folder '{}', so only the built-in databases are used",
                folder.display()
            ),
        );
    }
    Ok(Database::embedded(RULES))
}

/// The databases of a folder that exists and those that are part of the program.
pub fn open_folder(folder: &Path) -> Result<Database> {
    check_folder(folder)?;
    Ok(Database::open(folder, RULES)?)
}

/// The same with the files mapped into memory.
fn map_folder(folder: &Path) -> Result<Database> {
    check_folder(folder)?;
    // SAFETY: with --map, the user promises that nobody writes to the files.
    Ok(unsafe { Database::open_mapped(folder, RULES) }?)
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
    let mut pairs = Pair::all(RULES.stones);
    pairs.retain(|&pair| db.has(pair));
    pairs
}

/// The pair's file, if it is there.
pub fn file(db: &Database, pair: Pair) -> Option<&PairFile> {
    db.pairs().find(|file| file.pair() == pair)
}
