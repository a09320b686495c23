//! `millbase verify`: recomputes the stored values and reports those that are wrong.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use millbase::internals::stages::Stage;
use millbase::store::{DbError, PlyFile};
use millbase::verify::{Report, Tables, verify_pair, verify_ply, verify_ply_sample, verify_sample};
use millbase::{Database, Material, Pair};
use schemars::JsonSchema;
use serde::Serialize;

use crate::advice;
use crate::findings::{self, Findings, Subject};
use crate::options::Options;
use crate::status::Status;
use crate::{build, databases, input, output, progress, sums};

/// Check the databases: recompute every value from the positions that its turns lead to
///
/// Checks the checksums, every stored value against those of its successors, and the counts in the
/// files. With --sample it checks only random positions; for pairs it checks only the checksums
/// of the rows that it reads, and no counts. If a file cannot be checked, the command reports why
/// and checks the others. The exit status is that of the first error, 3 for a missing database or 4
/// for a corrupted one; without errors it is 1 if a value or a count is wrong.
#[derive(Args)]
#[command(after_help = "\
Examples:
  millbase verify
  millbase verify --pair 6-4,5-5
  millbase verify --sample 100000
  millbase verify --placing
  millbase verify --sums db/SHA256SUMS
  millbase verify --sums db/SHA256SUMS --ignore-missing")]
pub struct Verify {
    /// Only these pairs, like 6-4 or 6-4,5-5; the databases of the pairs that they need must be present
    #[arg(long, value_delimiter = ',')]
    pair: Vec<Pair>,

    /// Only the files of the placing phase; tables of the plies between them are derived on the way,
    /// which takes minutes
    #[arg(long, conflicts_with = "pair")]
    placing: bool,

    /// Compare the files with the checksums of this list instead, in seconds: builds are the same byte
    /// for byte on every machine; '-' reads the list from stdin
    #[arg(long, value_name = "FILE", conflicts_with_all = ["pair", "placing", "sample"])]
    sums: Option<PathBuf>,

    /// With --sums, check the files that are here and leave out those that are missing
    #[arg(long, requires = "sums")]
    ignore_missing: bool,

    /// Check only N random positions of each table
    #[arg(long, value_name = "N", value_parser = input::number::<u64>(1..=u64::MAX))]
    sample: Option<u64>,

    /// Folder for tables that the check needs again, instead of that of the databases: only for rules
    /// like lasker, with ten stones up to 25 GB, which are free again when the program ends
    #[arg(long, value_name = "DIR", conflicts_with_all = ["sums", "sample"])]
    scratch: Option<PathBuf>,

    /// Seed of the random positions
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = input::seed(), requires = "sample")]
    seed: u64,
}

#[derive(Serialize, JsonSchema)]
pub struct VerifyAnswer {
    ok: bool,
    pairs: Vec<Findings>,
    placing: Vec<Findings>,
}

impl Verify {
    /// Checks the pairs and prints the findings.
    pub fn run(&self, options: &Options) -> Result<Status> {
        if let Some(list) = &self.sums {
            return sums::run(list, self.ignore_missing, options);
        }
        let rules = &options.rules;
        input::check_pairs(&self.pair, rules)?;
        let db = databases::open_named(options)?;
        let is_whole = self.pair.is_empty();
        let mut pairs = Pair::all(rules);
        pairs.retain(|&pair| match is_whole {
            false => self.pair.contains(&pair),
            true => !self.placing && !matches!(db.file(pair), Err(DbError::Missing { .. })),
        });
        let plies = (0..rules.placements()).filter(|_| is_whole);
        let plies = plies.filter(|&ply| !matches!(db.ply(ply), Ok(None)));
        let subjects = pairs.iter().copied().map(Subject::Pair);
        let subjects: Vec<Subject> = subjects.chain(plies.map(Subject::Ply)).collect();
        let entries = subjects.iter().map(|&subject| self.entries(&db, subject));
        let entries = entries.fold(0, u64::saturating_add);
        let bar = progress::bar(options, entries, progress::forecast);
        bar.set_message("checking");
        let mut tables = match self.sample {
            // Random positions need no whole tables.
            Some(_) => Tables::default(),
            None => Tables::new(&db, &pairs, &self.scratch(&db))?,
        };
        let (mut pairs, mut placing) = (Vec::new(), Vec::new());
        for subject in subjects {
            let before = bar.position();
            bar.set_prefix(subject.to_string());
            let progress = |done| bar.set_position(before + done);
            let findings = Findings::of(subject, options, || {
                self.check(&db, subject, &mut tables, &progress)
            });
            bar.set_position(before.saturating_add(self.entries(&db, subject)));
            match subject {
                Subject::Pair(_) => pairs.push(findings),
                Subject::Ply(_) => placing.push(findings),
            }
        }
        bar.finish_and_clear();
        if self.placing && placing.is_empty() {
            build::check_placing(rules, "--placing")?;
            let location = db.location();
            let advice = match advice::why_not_built(&location) {
                Some(why) => why.to_owned(),
                None => {
                    let options = advice::build_options(&location);
                    format!("'millbase build --placing{options}' makes them")
                }
            };
            let message = format!("there are no files of the placing phase; {advice}");
            return Err(DbError::NotStored(message).into());
        }
        let all: Vec<&Findings> = pairs.iter().chain(&placing).collect();
        if all.is_empty() {
            return Err(databases::none(&db, "there is no file to check"));
        }
        let status = findings::conclude(&all);
        let ok = status == Status::Done;
        let answer = VerifyAnswer { ok, pairs, placing };
        output::answer(options, &answer, |out| {
            findings::write(out, "pair", &answer.pairs)?;
            if !answer.pairs.is_empty() && !answer.placing.is_empty() {
                writeln!(out)?;
            }
            findings::write(out, "placements", &answer.placing)
        })?;
        Ok(status)
    }

    /// The folder for tables that the check needs again.
    fn scratch(&self, db: &Database) -> PathBuf {
        let folder = self.scratch.clone().or_else(|| db.scratch_folder());
        folder.unwrap_or_else(|| ".".into())
    }

    /// The number of entries to check.
    fn entries(&self, db: &Database, subject: Subject) -> u64 {
        let tables: Vec<Material> = match subject {
            Subject::Pair(pair) => pair.tables(db.rules()),
            Subject::Ply(ply) => {
                let file = db.ply(ply).ok().flatten().into_iter();
                file.flat_map(PlyFile::stages)
                    .map(Stage::material)
                    .collect()
            }
        };
        match self.sample {
            Some(samples) => samples.saturating_mul(tables.len() as u64),
            None => tables.into_iter().map(Material::entries).sum(),
        }
    }

    fn check(
        &self,
        db: &Database,
        subject: Subject,
        tables: &mut Tables,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Result<Report, DbError> {
        match subject {
            Subject::Pair(pair) => {
                // Check that every needed file is present before reading much.
                let needed = [pair].into_iter().chain(pair.needs(db.rules()));
                for material in needed.flat_map(|pair| pair.tables(db.rules())) {
                    db.histogram(material)?;
                }
                match self.sample {
                    Some(samples) => verify_sample(db, pair, samples, self.seed),
                    None => verify_pair(db, pair, tables, progress),
                }
            }
            Subject::Ply(ply) => match (db.ply(ply)?, self.sample) {
                (None, _) => Ok(Report::default()),
                (Some(file), Some(samples)) => verify_ply_sample(db, file, samples, self.seed),
                (Some(file), None) => verify_ply(db, file, tables, &progress),
            },
        }
    }
}
