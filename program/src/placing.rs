//! The placing phase in `build --placing`: the plan, and the build.

use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use indicatif::{HumanBytes, HumanCount};
use millbase::Rules;
use millbase::index::reachable::why_unsolved;
use millbase::solve::pair::BuildFolder;
use millbase::solve::ply::{self, PlyPlan, PlyProgress, PlyReport, PlySize, PlySizes};
use serde::Serialize;

use crate::input::Plies;
use crate::options::Options;
use crate::output::{self, Cell, TextTable};
use crate::progress;
use crate::status::Usage;

/// Bytes of the files per entry of their tables, for forecasts.
const BYTES_PER_ENTRY: f64 = 0.087;

/// The time of one entry on one core, from start to written file, in ns, for forecasts: measured
/// for the standard rules on two cores.
const NS_PER_ENTRY_AND_CORE: f64 = 56.0;

/// Returns an error for rules under which the placing phase is not solved.
pub fn check_rules(rules: &Rules) -> Result<(), Usage> {
    match why_unsolved(rules) {
        None => Ok(()),
        Some(why) => Err(Usage(why.to_owned())),
    }
}

/// The plan for a folder that shall have the files of these plies.
pub fn plan(folder: &Path, rules: &Rules, plies: &Plies) -> Result<PlyPlan, Usage> {
    let mut keep = ply::kept_plies(rules);
    match plies {
        Plies::Usual => {}
        Plies::All => keep = (0..2 * rules.stones).collect(),
        Plies::And(more) => keep.extend(more),
    }
    match keep.iter().find(|&&ply| ply >= 2 * rules.stones) {
        Some(ply) => Err(Usage(format!(
            "'{ply}' in --plies is too large: at most {} stones are placed before the last one",
            2 * rules.stones - 1
        ))),
        None => Ok(PlyPlan::new(folder, rules, &keep)),
    }
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
pub fn json_plan(plan: &PlyPlan, sizes: &PlySizes) -> Vec<JsonPlanned> {
    let planned = |size: &PlySize| JsonPlanned {
        ply: size.ply,
        entries: size.entries,
        kept: plan.keep.contains(&size.ply),
        file_bytes: (size.entries as f64 * BYTES_PER_ENTRY) as u64,
        memory_bytes: size.memory,
    };
    sizes.0.iter().map(planned).collect()
}

/// Prints the plan.
pub fn write_plan(out: &mut impl Write, plan: &PlyPlan, sizes: &PlySizes) -> io::Result<()> {
    if plan.solve.is_empty() {
        return writeln!(out, "nothing to build for the placing phase");
    }
    let mut table = TextTable::new(&["placements", "entries", "file, about", "memory", ""]);
    for planned in json_plan(plan, sizes) {
        table.row(vec![
            Cell::right(planned.ply),
            Cell::count(planned.entries),
            Cell::right(HumanBytes(planned.file_bytes)),
            Cell::right(HumanBytes(planned.memory_bytes)),
            Cell::text(if planned.kept { "kept" } else { "on the way" }),
        ]);
    }
    writeln!(out)?;
    table.write(out)?;
    writeln!(
        out,
        "\n{} entries of the placing phase: about {} on {} cores",
        HumanCount(sizes.entries()),
        progress::duration(seconds(sizes)),
        progress::cores(),
    )
}

/// A forecast of the time to solve tables of these sizes, in seconds.
pub fn seconds(sizes: &PlySizes) -> f64 {
    progress::seconds_for(sizes.entries(), NS_PER_ENTRY_AND_CORE)
}

/// Returns an error if a plan needs more memory than the user allows.
pub fn check_memory(plan: &PlyPlan, rules: &Rules, limit: u64) -> Result<(), Usage> {
    let needed = plan.sizes(rules).memory();
    if needed > limit {
        return Err(Usage(format!(
            "the placing phase needs {} of memory, more than the {} of --memory; raise it",
            HumanBytes(needed),
            HumanBytes(limit),
        )));
    }
    Ok(())
}

/// Builds the missing files, with progress on stderr, and returns a report on each.
pub fn build(folder: &BuildFolder, plies: &Plies, options: &Options) -> Result<Vec<PlyReport>> {
    let rules = &options.rules;
    let plan = plan(folder.path(), rules, plies)?;
    let sizes = plan.sizes(rules);
    let bar = progress::bar(options, sizes.entries(), progress::forecast);
    let result = ply::build(folder, rules, &plan, &|progress| match progress {
        PlyProgress::Solved(stage, done) => {
            bar.set_prefix(format!("{} placements", stage.ply));
            bar.set_position(sizes.entries_before(stage.ply) + done);
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
            seconds(&report.total()),
            seconds(&report.load),
            seconds(&report.solve),
            seconds(&report.write),
            HumanBytes(report.bytes),
        ),
    );
}
