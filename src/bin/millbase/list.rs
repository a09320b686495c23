//! `millbase list`: the databases that are present and those that are missing.

use std::io::Write;

use anyhow::Result;
use clap::Args;
use indicatif::HumanBytes;
use millbase::Pair;
use millbase::index::reachable::why_unsolved;
use millbase::json::rules::JsonRules;
use millbase::probe::Database;
use millbase::store::{DbError, PairFile};
use serde::Serialize;

use crate::databases;
use crate::options::Options;
use crate::output::{self, Cell, Table};
use crate::report::{self, PlyCounts};
use crate::status::Status;

/// List the databases that are present and those that are missing, with the pairs that each needs
#[derive(Args)]
#[command(after_help = "\
Example:
  millbase list --db ./db")]
pub struct List {}

/// All pairs of the game with their databases, for JSON answers.
#[derive(Serialize)]
pub struct ListAnswer {
    rules: JsonRules,
    folder: Option<String>,
    bytes: u64,
    databases: Vec<JsonEntry>,
    placing: Vec<PlyCounts>,
    /// The reasons why existing files cannot be used.
    unusable: Vec<String>,
}

#[derive(Serialize)]
struct JsonEntry {
    pair: String,
    present: bool,
    bytes: Option<u64>,
    /// `None` where the database is missing or part of the program.
    file: Option<String>,
    built_in: bool,
    needs: Vec<String>,
}

/// A pair with its database, if there is one.
struct Entry<'a> {
    pair: Pair,
    file: Option<&'a PairFile>,
}

impl Entry<'_> {
    fn needs(&self) -> Vec<String> {
        self.pair.needs().iter().map(Pair::to_string).collect()
    }

    fn path(&self) -> Option<String> {
        Some(self.file?.path()?.display().to_string())
    }

    fn json(&self) -> JsonEntry {
        JsonEntry {
            pair: self.pair.to_string(),
            present: self.file.is_some(),
            bytes: self.file.map(PairFile::bytes),
            file: self.path(),
            built_in: self.file.is_some_and(|file| file.path().is_none()),
            needs: self.needs(),
        }
    }

    fn cells(&self) -> Vec<Cell> {
        let needs = match self.needs() {
            needs if needs.is_empty() => "nothing".to_owned(),
            needs => needs.join(" and "),
        };
        let place = match self.file {
            None => format!("missing, needs {needs}"),
            Some(_) => self.path().unwrap_or_else(|| "built-in".to_owned()),
        };
        vec![
            Cell::text(self.pair),
            match self.file {
                Some(file) => Cell::count(file.bytes()),
                None => Cell::right("-"),
            },
            Cell::text(place),
        ]
    }
}

impl List {
    /// Prints the list.
    pub fn run(&self, options: &Options) -> Result<Status> {
        let db = databases::open(options)?;
        let folder = databases::folder(options);
        let folder = folder.map(|folder| folder.display().to_string());
        let entries = entries(&db);
        let answer = ListAnswer::new(&db, folder);
        output::answer(options, &answer, |out| {
            if let Some(folder) = &answer.folder {
                writeln!(out, "folder {folder}\n")?;
            }
            let mut table = Table::new(&["pair", "bytes", "where"]);
            for entry in &entries {
                table.row(entry.cells());
            }
            table.write(out)?;
            let build = db.build_options();
            let present = entries.iter().filter(|entry| entry.file.is_some()).count();
            let all = entries.len();
            let size = HumanBytes(answer.bytes);
            writeln!(out, "\n{present} of {all} databases, {size}")?;
            if present < all {
                writeln!(out, "'millbase build{build}' makes the missing ones")?;
            }
            report::write_plies(out, &answer.placing)?;
            if db.plies().next().is_none() && why_unsolved(&options.rules).is_none() {
                writeln!(
                    out,
                    "'millbase build --placing{build}' makes those of the placing phase"
                )?;
            }
            let mut unusable = answer.unusable.iter();
            unusable.try_for_each(|error| writeln!(out, "unusable: {error}"))
        })?;
        Ok(Status::Done)
    }
}

impl ListAnswer {
    /// The answer for the databases of a folder.
    pub fn new(db: &Database, folder: Option<String>) -> ListAnswer {
        ListAnswer {
            rules: db.rules().into(),
            folder,
            bytes: db.pairs().map(PairFile::bytes).sum(),
            databases: entries(db).iter().map(Entry::json).collect(),
            placing: report::plies(db),
            unusable: db.unusable().map(DbError::to_string).collect(),
        }
    }

    /// The answer without the folders of this machine.
    pub fn without_paths(db: &Database) -> ListAnswer {
        let mut answer = ListAnswer::new(db, None);
        for entry in &mut answer.databases {
            entry.file = None;
        }
        for entry in &mut answer.placing {
            entry.file = None;
        }
        // These sentences contain paths.
        answer.unusable.clear();
        answer
    }
}

/// All pairs of the game.
fn entries(db: &Database) -> Vec<Entry<'_>> {
    let entry = |pair| Entry {
        pair,
        file: databases::file(db, pair),
    };
    let pairs = Pair::all(db.rules().stones);
    pairs.into_iter().map(entry).collect()
}
