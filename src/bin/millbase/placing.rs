//! The placing phase in the commands about databases: `build --placing`, `list`, `stats` and
//! `verify`.

use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Error, Result};
use millbase::Rules;
use millbase::index::histogram::Histogram;
use millbase::index::reachable::not_solved;
use millbase::json::failure::JsonFailure;
use millbase::json::value::JsonValue;
use millbase::probe::Database;
use millbase::solve::pair::BuildFolder;
use millbase::solve::ply::{self, PlyPlan, PlyProgress, PlyReport};
use millbase::store::{PlyFile, ply_file_name};
use millbase::verify::ply::{PlyFindings, verify_ply};
use serde::Serialize;

use crate::options::Options;
use crate::output::{self, Cell, Ink, Palette, Table, grouped};
use crate::progress;
use crate::status::{self, Status, Usage};

/// Bytes of the files per entry of their tables, for forecasts.
const BYTES_PER_ENTRY: f64 = 0.087;

/// How many random positions of each table `verify` checks.
const SAMPLES: u64 = 1000;

/// The time of one entry on one core, from start to written file, in ns, for forecasts: measured
/// for the standard rules on two cores.
const NS_PER_ENTRY_AND_CORE: f64 = 56.0;

/// Returns an error for rules under which the placing phase is not solved.
pub fn check_rules(rules: &Rules) -> Result<(), Usage> {
    match not_solved(rules) {
        None => Ok(()),
        Some(why) => Err(Usage(why.to_owned())),
    }
}

/// The plan for a folder.
pub fn plan(folder: &Path, rules: &Rules) -> PlyPlan {
    let present = |ply| folder.join(ply_file_name(ply)).exists();
    PlyPlan::new(rules, &ply::kept_plies(rules), present)
}

#[derive(Serialize)]
pub struct JsonPlanned {
    ply: u8,
    entries: u64,
    kept: bool,
    /// A forecast, also for files that are only needed on the way.
    file_bytes: u64,
    memory_bytes: u64,
}

/// The plan as JSON.
pub fn json_plan(plan: &PlyPlan, rules: &Rules) -> Vec<JsonPlanned> {
    let planned = |(ply, entries, memory_bytes)| JsonPlanned {
        ply,
        entries,
        kept: plan.keep.contains(&ply),
        file_bytes: file_bytes(entries),
        memory_bytes,
    };
    plan.sizes(rules).into_iter().map(planned).collect()
}

/// Prints the plan.
pub fn write_plan(
    out: &mut impl Write,
    plan: &PlyPlan,
    rules: &Rules,
    palette: Palette,
) -> Result<()> {
    if plan.solve.is_empty() {
        writeln!(out, "nothing to build for the placing phase")?;
        return Ok(());
    }
    let mut table = Table::new(&["placements", "entries", "file, about", "memory", ""]);
    for planned in json_plan(plan, rules) {
        table.row(vec![
            Cell::right(planned.ply),
            Cell::count(planned.entries),
            Cell::right(output::bytes(planned.file_bytes)),
            Cell::right(output::bytes(planned.memory_bytes)),
            Cell::text(if planned.kept { "kept" } else { "on the way" }),
        ]);
    }
    writeln!(out)?;
    table.write(out, palette)?;
    let entries = entries(plan, rules);
    writeln!(
        out,
        "\n{} entries of the placing phase: about {} on {} cores",
        grouped(entries),
        progress::duration(seconds(plan, rules)),
        progress::cores(),
    )?;
    Ok(())
}

/// The entries of all tables that a plan solves.
fn entries(plan: &PlyPlan, rules: &Rules) -> u64 {
    let sizes = plan.sizes(rules);
    sizes.iter().map(|&(_, entries, _)| entries).sum()
}

/// A forecast of the time to carry out a plan, in seconds.
pub fn seconds(plan: &PlyPlan, rules: &Rules) -> f64 {
    progress::seconds_for(entries(plan, rules), NS_PER_ENTRY_AND_CORE)
}

fn file_bytes(entries: u64) -> u64 {
    (entries as f64 * BYTES_PER_ENTRY) as u64
}

/// Returns an error if a plan needs more memory than the user allows.
pub fn check_memory(plan: &PlyPlan, rules: &Rules, limit: u64) -> Result<(), Usage> {
    let needed = plan.sizes(rules).iter().map(|&(_, _, memory)| memory).max();
    match needed {
        Some(needed) if needed > limit => Err(Usage(format!(
            "the placing phase needs {} of memory, more than the {} of --memory; raise it",
            output::bytes(needed),
            output::bytes(limit),
        ))),
        _ => Ok(()),
    }
}

/// Builds the missing files, with progress on stderr.
pub fn build(folder: &BuildFolder, options: &Options) -> Result<()> {
    let rules = &options.rules;
    let plan = plan(folder.path(), rules);
    let sizes = plan.sizes(rules);
    let entries = sizes.iter().map(|&(_, entries, _)| entries).sum();
    let bar = progress::bar(options, entries, progress::forecast);
    let before = |ply| {
        let earlier = sizes.iter().take_while(|&&(other, _, _)| other > ply);
        earlier.map(|&(_, entries, _)| entries).sum::<u64>()
    };
    let result = ply::build(folder, rules, &plan, &|progress| match progress {
        PlyProgress::Solved(stage, done) => {
            bar.set_prefix(format!("{} placements", stage.ply));
            bar.set_position(before(stage.ply) + done);
        }
        PlyProgress::Finished(report) => note_finished(&report, options),
    });
    bar.finish_and_clear();
    Ok(result?)
}

fn note_finished(report: &PlyReport, options: &Options) {
    let seconds = Duration::as_secs_f64;
    output::step(
        options,
        format_args!(
            "{} placements built in {:.2} s: load {:.2}, solve {:.2}, write {:.2}; {}",
            report.ply,
            seconds(&(report.load + report.solve + report.write)),
            seconds(&report.load),
            seconds(&report.solve),
            seconds(&report.write),
            output::bytes(report.bytes),
        ),
    );
}

/// The counts of one ply as JSON.
#[derive(Serialize)]
pub struct JsonPly {
    ply: u8,
    bytes: u64,
    pub file: Option<String>,
    positions: u64,
    wins: u64,
    draws: u64,
    losses: u64,
    max_win: Option<u16>,
    max_loss: Option<u16>,
}

/// How often each value occurs among the positions of a file.
fn histogram(file: &PlyFile) -> Histogram {
    let mut sum = Histogram::default();
    for histogram in file.stages().filter_map(|stage| file.histogram(stage)) {
        sum.add(histogram);
    }
    sum
}

/// The files as JSON.
pub fn json_files(db: &Database) -> Vec<JsonPly> {
    let ply = |file: &PlyFile| {
        let histogram = histogram(file);
        JsonPly {
            ply: file.ply(),
            bytes: file.bytes(),
            file: Some(file.path().display().to_string()),
            positions: histogram.positions(),
            wins: histogram.wins(),
            draws: histogram.draws(),
            losses: histogram.losses(),
            max_win: histogram.deepest_win().map(|dtw| dtw.0),
            max_loss: histogram.deepest_loss().map(|dtw| dtw.0),
        }
    };
    db.plies().map(ply).collect()
}

/// Prints the files with their counts, or nothing without files.
pub fn write_files(out: &mut impl Write, db: &Database, palette: Palette) -> Result<()> {
    if db.plies().next().is_none() {
        return Ok(());
    }
    let mut table = Table::new(&[
        "placements",
        "positions",
        "wins",
        "draws",
        "losses",
        "deepest win",
        "deepest loss",
        "bytes",
    ]);
    for file in db.plies() {
        let histogram = histogram(file);
        table.row(vec![
            Cell::right(file.ply()),
            Cell::count(histogram.positions()),
            Cell::count(histogram.wins()),
            Cell::count(histogram.draws()),
            Cell::count(histogram.losses()),
            Cell::depth(histogram.deepest_win()),
            Cell::depth(histogram.deepest_loss()),
            Cell::count(file.bytes()),
        ]);
    }
    writeln!(out)?;
    table.write(out, palette)?;
    Ok(())
}

/// The result of the check of one ply.
pub struct Checked {
    ply: u8,
    /// Empty where there is an error.
    report: PlyFindings,
    pub error: Option<Error>,
    seconds: f64,
}

#[derive(Serialize)]
pub struct JsonChecked {
    ply: u8,
    ok: bool,
    checked: u64,
    seconds: f64,
    mismatches: Vec<JsonMismatch>,
    /// White's and Black's lost stones of the tables with wrong counts.
    miscounted: Vec<[u8; 2]>,
    /// Why the ply could not be checked.
    error: Option<JsonFailure>,
}

#[derive(Serialize)]
struct JsonMismatch {
    position: String,
    stored: JsonValue,
    derived: JsonValue,
}

impl Checked {
    pub fn ok(&self) -> bool {
        self.error.is_none() && self.report.is_clean()
    }

    pub fn json(&self, rules: &Rules) -> JsonChecked {
        let mismatches = self.report.mismatches.iter().map(|mismatch| JsonMismatch {
            position: mismatch.position.text(rules),
            stored: mismatch.stored.into(),
            derived: mismatch.derived.into(),
        });
        let miscounted = self.report.miscounted.iter();
        JsonChecked {
            ply: self.ply,
            ok: self.ok(),
            checked: self.report.checked,
            seconds: self.seconds,
            mismatches: mismatches.collect(),
            miscounted: miscounted
                .map(|stage| [stage.white_lost, stage.black_lost])
                .collect(),
            error: self.error.as_ref().map(status::failure),
        }
    }
}

/// Checks all files: their bytes, and random positions of each table.
pub fn verify(db: &Database, samples: Option<u64>, seed: u64, options: &Options) -> Vec<Checked> {
    let check = |ply: u8| {
        let start = Instant::now();
        let file = db.ply(ply).transpose()?;
        let result = file.and_then(|file| verify_ply(db, file, samples.unwrap_or(SAMPLES), seed));
        let (report, error) = match result {
            Ok(report) => (report, None),
            Err(error) => (PlyFindings::default(), Some(error.into())),
        };
        let checked = Checked {
            ply,
            report,
            error,
            seconds: start.elapsed().as_secs_f64(),
        };
        if checked.error.is_none() {
            let verdict = if checked.ok() { "right" } else { "WRONG" };
            output::step(
                options,
                format_args!(
                    "{} placements: all bytes and {} values checked in {:.2} s, {verdict}",
                    checked.ply,
                    grouped(checked.report.checked),
                    checked.seconds
                ),
            );
        }
        Some(checked)
    };
    (0..2 * db.rules().stones).filter_map(check).collect()
}

/// The status of the first error; without errors `No` if a value or a count is wrong, else `Done`.
pub fn status_of(checked: &[Checked]) -> Status {
    match checked.iter().find_map(|ply| ply.error.as_ref()) {
        Some(error) => status::of(error),
        None if checked.iter().all(Checked::ok) => Status::Done,
        None => Status::No,
    }
}

/// Prints the findings, or nothing if no file was checked.
pub fn write_checked(
    out: &mut impl Write,
    checked: &[Checked],
    rules: &Rules,
    palette: Palette,
) -> Result<()> {
    if checked.is_empty() {
        return Ok(());
    }
    let mut table = Table::new(&["placements", "checked", "seconds", "result"]);
    for ply in checked {
        let (verdict, ink) = match &ply.error {
            Some(error) => (status::of(error).code(), Ink::Draw),
            None if ply.ok() => ("right", Ink::Win),
            None => ("wrong", Ink::Loss),
        };
        table.row(vec![
            Cell::right(ply.ply),
            Cell::count(ply.report.checked),
            Cell::right(format!("{:.2}", ply.seconds)),
            Cell::text(verdict).ink(ink),
        ]);
    }
    writeln!(out)?;
    table.write(out, palette)?;
    for ply in checked {
        if let Some(error) = &ply.error {
            writeln!(out, "{} placements: {}", ply.ply, status::sentence(error))?;
        }
        for mismatch in &ply.report.mismatches {
            writeln!(
                out,
                "{}: stored {}, but its turns give {}",
                mismatch.position.text(rules),
                palette.value(mismatch.stored),
                palette.value(mismatch.derived)
            )?;
        }
        for stage in &ply.report.miscounted {
            writeln!(
                out,
                "{} placements, White has lost {} and Black {}: the counts in the file are wrong",
                ply.ply, stage.white_lost, stage.black_lost
            )?;
        }
    }
    Ok(())
}
