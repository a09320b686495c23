//! `millbase verify`: recomputes the stored values and reports those that are wrong.

use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Error, Result};
use clap::Args;
use indicatif::ProgressBar;
use millbase::json::failure::JsonFailure;
use millbase::json::value::JsonValue;
use millbase::probe::Database;
use millbase::solve::TableCache;
use millbase::store::{DbError, rules_option};
use millbase::verify::{self, Report};
use millbase::{Pair, Rules};
use serde::Serialize;

use crate::databases;
use crate::input;
use crate::options::Options;
use crate::output::{self, Cell, Ink, Palette, Table, grouped};
use crate::placing;
use crate::progress;
use crate::status::{self, Status};
use crate::sums;

/// Check the databases: recompute every value from the positions that its turns lead to
///
/// Checks the checksums, every stored value against those of its successors, and the counts in the
/// files. With --sample it checks only the checksums of the parts that the samples read, and no
/// counts. If a pair cannot be checked, the command reports why and checks the others. The exit
/// status is that of the first error, 3 for a missing database or 4 for a corrupted one; without
/// errors it is 1 if a value or a count is wrong.
#[derive(Args)]
#[command(after_help = "\
Examples:
  millbase verify
  millbase verify --pair 6-4
  millbase verify --sample 100000
  millbase verify --placing
  millbase verify --sums db/SHA256SUMS")]
pub struct Verify {
    /// Only this pair, like 6-4; the databases of the pairs that it needs must be present
    #[arg(long, value_parser = input::pair)]
    pair: Option<Pair>,

    /// Only the files of the placing phase: all of their bytes, and 1000 random positions of each
    /// table or the number that --sample gives
    #[arg(long, alias = "opening", conflicts_with = "pair")]
    placing: bool,

    /// Compare the files with the checksums of this list instead, in seconds: builds are the same byte
    /// for byte on every machine
    #[arg(long, value_name = "FILE", conflicts_with_all = ["pair", "placing", "sample"])]
    sums: Option<PathBuf>,

    /// Check only N random positions of each table
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    sample: Option<u64>,

    /// Seed of the random positions
    #[arg(long, value_name = "N", default_value_t = 1, requires = "sample")]
    seed: u64,
}

#[derive(Serialize)]
struct VerifyAnswer {
    ok: bool,
    pairs: Vec<JsonPair>,
    placing: Vec<placing::JsonChecked>,
}

#[derive(Serialize)]
struct JsonPair {
    pair: String,
    ok: bool,
    checked: u64,
    seconds: f64,
    mismatches: Vec<JsonMismatch>,
    /// The tables with wrong counts, by the stones of the side to move.
    miscounted: Vec<u8>,
    /// Why the pair could not be checked.
    error: Option<JsonFailure>,
}

#[derive(Serialize)]
struct JsonMismatch {
    position: String,
    stored: JsonValue,
    derived: JsonValue,
}

/// The result of the check of one pair.
struct Checked {
    pair: Pair,
    /// Empty where there is an error.
    report: Report,
    error: Option<Error>,
    seconds: f64,
}

impl Checked {
    fn ok(&self) -> bool {
        self.error.is_none() && self.report.is_clean()
    }

    fn json(&self, rules: &Rules) -> JsonPair {
        let mismatches = self.report.mismatches.iter().map(|mismatch| JsonMismatch {
            position: mismatch.position.text(rules),
            stored: mismatch.stored.into(),
            derived: mismatch.derived.into(),
        });
        let miscounted = self.report.miscounted.iter();
        let miscounted = miscounted.map(|material| material.mover);
        JsonPair {
            pair: self.pair.to_string(),
            ok: self.ok(),
            checked: self.report.checked,
            seconds: self.seconds,
            mismatches: mismatches.collect(),
            miscounted: miscounted.collect(),
            error: self.error.as_ref().map(status::failure),
        }
    }
}

impl Verify {
    /// Checks the pairs and prints the findings.
    pub fn run(&self, options: &Options) -> Result<Status> {
        if let Some(list) = &self.sums {
            return sums::run(list, options);
        }
        let rules = &options.rules;
        input::check_pairs(&self.pair, rules)?;
        let db = databases::open(options)?;
        let pairs = match self.pair {
            Some(pair) => vec![pair],
            None if self.placing => Vec::new(),
            None => databases::present(&db),
        };
        let entries = pairs.iter().map(|&pair| self.entries(pair));
        let entries = entries.fold(0, u64::saturating_add);
        let bar = progress::bar(options, entries, progress::forecast);
        bar.set_message("checking");
        let mut checked = Vec::new();
        let mut table_cache = TableCache::new(&pairs);
        for pair in pairs {
            let pair = self.check(&db, pair, &mut table_cache, &bar);
            note_finished(&pair, options);
            checked.push(pair);
        }
        bar.finish_and_clear();
        let placing = match self.pair {
            Some(_) => Vec::new(),
            None => placing::verify(&db, self.sample, self.seed, options),
        };
        if self.placing && placing.is_empty() {
            placing::check_rules(rules)?;
            let message = format!(
                "there are no files of the placing phase; 'millbase build --placing{}' makes them",
                rules_option(rules)
            );
            return Err(DbError::NotStored(message).into());
        }
        let status = match status_of(&checked) {
            Status::Done => placing::status_of(&placing),
            status => status,
        };
        let ok = status == Status::Done;
        let mut out = output::stdout();
        if options.json {
            let pairs = checked.iter().map(|pair| pair.json(rules)).collect();
            let placing = placing.iter().map(|ply| ply.json(rules)).collect();
            output::json(&mut out, &VerifyAnswer { ok, pairs, placing })?;
        } else {
            if !checked.is_empty() {
                write(&mut out, &checked, rules, Palette::of(options))?;
            }
            placing::write_checked(&mut out, &placing, rules, Palette::of(options))?;
        }
        out.flush()?;
        note_failures(&checked);
        Ok(status)
    }

    /// The number of entries of a pair to check.
    fn entries(&self, pair: Pair) -> u64 {
        match self.sample {
            Some(samples) => samples.saturating_mul(pair.tables().len() as u64),
            None => pair.entries(),
        }
    }

    fn check(
        &self,
        db: &Database,
        pair: Pair,
        table_cache: &mut TableCache,
        bar: &ProgressBar,
    ) -> Checked {
        let start = Instant::now();
        let before = bar.position();
        bar.set_prefix(pair.to_string());
        let result = self.report(db, pair, table_cache, &|done| {
            bar.set_position(before + done)
        });
        bar.set_position(before.saturating_add(self.entries(pair)));
        let (report, error) = match result {
            Ok(report) => (report, None),
            Err(error) => (Report::default(), Some(error.into())),
        };
        Checked {
            pair,
            report,
            error,
            seconds: start.elapsed().as_secs_f64(),
        }
    }

    fn report(
        &self,
        db: &Database,
        pair: Pair,
        table_cache: &mut TableCache,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Result<Report, DbError> {
        // Check that every needed file is present before reading much.
        for material in [pair]
            .into_iter()
            .chain(pair.needs())
            .flat_map(Pair::tables)
        {
            db.histogram(material)?;
        }
        match self.sample {
            Some(samples) => verify::verify_sample(db, pair, samples, self.seed),
            None => verify::verify_pair(db, pair, table_cache, progress),
        }
    }
}

/// The status of the first error; without errors `No` if a value or a count is wrong, else `Done`.
fn status_of(checked: &[Checked]) -> Status {
    let first = checked.iter().find_map(|pair| pair.error.as_ref());
    match first {
        Some(error) => status::of(error),
        None if checked.iter().all(Checked::ok) => Status::Done,
        None => Status::No,
    }
}

/// Reports on stderr how many pairs could not be checked, and which.
fn note_failures(checked: &[Checked]) {
    let failed = checked.iter().filter(|pair| pair.error.is_some());
    let failed: Vec<String> = failed.map(|pair| pair.pair.to_string()).collect();
    if !failed.is_empty() {
        output::to_stderr(&format!(
            "error: {} of {} pairs could not be checked, {}; the answer says why\n",
            failed.len(),
            checked.len(),
            failed.join(" "),
        ));
    }
}

fn note_finished(checked: &Checked, options: &Options) {
    if checked.error.is_some() {
        return;
    }
    let count = grouped(checked.report.checked);
    let verdict = if checked.ok() { "right" } else { "WRONG" };
    output::step(
        options,
        format_args!(
            "{}: {count} values checked in {:.2} s, {verdict}",
            checked.pair, checked.seconds
        ),
    );
}

fn write(
    out: &mut impl Write,
    checked: &[Checked],
    rules: &Rules,
    palette: Palette,
) -> std::io::Result<()> {
    let mut table = Table::new(&["pair", "checked", "seconds", "result"]);
    for pair in checked {
        let (verdict, ink) = match &pair.error {
            Some(error) => (status::of(error).code(), Ink::Draw),
            None if pair.ok() => ("right", Ink::Win),
            None => ("wrong", Ink::Loss),
        };
        table.row(vec![
            Cell::text(pair.pair),
            Cell::count(pair.report.checked),
            Cell::right(format!("{:.2}", pair.seconds)),
            Cell::text(verdict).ink(ink),
        ]);
    }
    table.write(out, palette)?;
    for pair in checked {
        if let Some(error) = &pair.error {
            writeln!(out, "{}: {}", pair.pair, status::sentence(error))?;
        }
        for mismatch in &pair.report.mismatches {
            writeln!(
                out,
                "{}: stored {}, but its turns give {}",
                mismatch.position.text(rules),
                palette.value(mismatch.stored),
                palette.value(mismatch.derived)
            )?;
        }
        for material in &pair.report.miscounted {
            let (pair, mover) = (pair.pair, material.mover);
            writeln!(
                out,
                "{pair}, {mover} to move: the counts in the file are wrong"
            )?;
        }
    }
    Ok(())
}
