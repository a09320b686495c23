//! `millbase list`: the databases that are present and those that are missing.

use std::io::Write;

use anyhow::Result;
use clap::Args;
use indicatif::HumanBytes;
use millbase::internals::service::rules::RuleSet;
use millbase::internals::service::stats::PlyCounts;
use millbase::internals::stages::why_unsolved;
use millbase::store::{DbError, PairFile};
use millbase::{Database, Pair};
use schemars::JsonSchema;
use serde::Serialize;

use crate::advice;
use crate::databases;
use crate::options::Options;
use crate::output::{self, Cell};
use crate::report;
use crate::status::Status;

/// List the databases that are present and those that are missing, with the pairs that each needs
#[derive(Args)]
#[command(after_help = "\
Example:
  millbase list --db ./db")]
pub struct List {}

/// All pairs of the game with their databases, for JSON answers.
#[derive(Serialize, JsonSchema)]
pub struct ListAnswer {
    rules: RuleSet,
    folder: Option<String>,
    bytes: u64,
    databases: Vec<ListedPair>,
    placing: Vec<PlyCounts>,
    /// The reasons why existing files cannot be used.
    unusable: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct ListedPair {
    pair: Pair,
    present: bool,
    /// Whether there is a file that cannot be used.
    unusable: bool,
    bytes: Option<u64>,
    /// `None` where the database is missing, unusable or part of the program.
    file: Option<String>,
    built_in: bool,
    needs: Vec<Pair>,
}

impl ListedPair {
    fn new(db: &Database, pair: Pair) -> ListedPair {
        let unusable = !matches!(db.file(pair), Ok(_) | Err(DbError::Missing { .. }));
        let file = db.file(pair).ok();
        let path = file.and_then(PairFile::path);
        ListedPair {
            pair,
            present: file.is_some(),
            unusable,
            bytes: file.map(PairFile::bytes),
            file: path.map(|path| path.display().to_string()),
            built_in: file.is_some() && path.is_none(),
            needs: pair.needs(db.rules()),
        }
    }

    /// Where the database is, or why it is not there.
    fn place(&self) -> String {
        match &self.file {
            Some(file) => file.clone(),
            None if self.built_in => "built-in".to_owned(),
            None if self.unusable => "unusable".to_owned(),
            None if self.needs.is_empty() => "missing, needs nothing".to_owned(),
            None => {
                let needs: Vec<String> = self.needs.iter().map(Pair::to_string).collect();
                format!("missing, needs {}", needs.join(" and "))
            }
        }
    }
}

impl List {
    /// Prints the list.
    pub fn run(&self, options: &Options) -> Result<Status> {
        let db = databases::open(options)?;
        let folder = databases::folder(options);
        let folder = folder.map(|folder| folder.display().to_string());
        let answer = ListAnswer::new(&db, folder);
        output::answer(options, &answer, |out| {
            if let Some(folder) = &answer.folder {
                writeln!(out, "folder {folder}\n")?;
            }
            output::table(out, &answer.databases).write(&[
                ("pair", |entry| Cell::text(entry.pair)),
                ("bytes", |entry| {
                    entry.bytes.map_or(Cell::right("-"), Cell::count)
                }),
                ("where", |entry| Cell::text(entry.place())),
            ])?;
            let present = answer.databases.iter().filter(|entry| entry.present);
            let (present, all) = (present.count(), answer.databases.len());
            let size = HumanBytes(answer.bytes);
            writeln!(out, "\n{present} of {all} databases, {size}")?;
            report::write_plies(out, &answer.placing)?;
            let mut unusable = answer.unusable.iter();
            unusable.try_for_each(|error| writeln!(out, "unusable: {error}"))?;
            // Builds refuse to begin while a file that they need cannot be used.
            let then = match answer.unusable.is_empty() {
                true => "",
                false => ", when the unusable ones are gone",
            };
            let location = db.location();
            let lacks_plies = answer.placing.is_empty() && why_unsolved(&options.rules).is_none();
            match advice::why_not_built(&location) {
                Some(why) if present < all || lacks_plies => return writeln!(out, "{why}"),
                Some(_) => return Ok(()),
                None => {}
            }
            let build = advice::build_options(&location);
            if present < all {
                writeln!(out, "'millbase build{build}' makes the missing ones{then}")?;
            }
            if lacks_plies {
                writeln!(
                    out,
                    "'millbase build --placing{build}' makes those of the placing phase{then}"
                )?;
            }
            Ok(())
        })?;
        let unusable = answer.unusable.len();
        if unusable > 0 {
            let files = output::counted(unusable, "file");
            output::to_stderr(&format!(
                "error: {files} cannot be used; the answer says why\n"
            ));
        }
        Ok(databases::status_of_unusable(&db))
    }
}

impl ListAnswer {
    /// The answer for the databases of a folder.
    pub fn new(db: &Database, folder: Option<String>) -> ListAnswer {
        let pairs = Pair::all(db.rules()).into_iter();
        ListAnswer {
            rules: db.rules().into(),
            folder,
            bytes: db.pairs().map(PairFile::bytes).sum(),
            databases: pairs.map(|pair| ListedPair::new(db, pair)).collect(),
            placing: db.plies().map(PlyCounts::from).collect(),
            unusable: db
                .unusable()
                .map(|error| advice::sentence(&error))
                .collect(),
        }
    }

    /// The answer without the folders of this machine.
    pub fn without_paths(db: &Database) -> ListAnswer {
        let mut answer = ListAnswer::new(db, None);
        answer
            .databases
            .iter_mut()
            .for_each(|pair| pair.file = None);
        answer.placing.iter_mut().for_each(|ply| ply.file = None);
        // These sentences contain paths.
        answer.unusable.clear();
        answer
    }
}
