//! `millbase compare malom`: compares sector files with our values.

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use indicatif::HumanCount;
use millbase::Value;
use millbase::internals::malom::{self, FileState, SectorDifferences};
use millbase::malom::SECVAL;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Selection, scheme_of, sectors};
use crate::input;
use crate::options::Options;
use crate::output::{self, Cell};
use crate::progress;
use crate::status::{Status, refuse};

/// Check Malom's sector files against the databases
///
/// Every slot of every file is compared: win, draw or loss, and the number of turns; for draws only
/// the result. Positions that no game can reach are left out. The exit status is 1 if a slot
/// differs or a file is damaged; files that are not there are only counted.
#[derive(Args)]
#[command(after_help = "\
Examples:
  millbase compare malom strong
  millbase compare malom strong --pair 6-4 --first 10")]
pub struct CompareMalom {
    /// The folder with std.secval and the sector files
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    #[command(flatten)]
    selection: Selection,

    /// Show this many of the first slots of a sector that differ
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = input::number::<u16>(0..=u16::MAX.into()))]
    first: u16,
}

#[derive(Serialize, JsonSchema)]
pub struct CompareAnswer {
    compared: usize,
    missing: usize,
    slots: u64,
    unreachable: u64,
    differences: u64,
    /// Those that differ.
    sectors: Vec<SectorDifferences>,
    damaged: Vec<DamagedFile>,
}

#[derive(Serialize, JsonSchema)]
struct DamagedFile {
    file: String,
    damage: String,
}

impl CompareMalom {
    /// Compares the files that are there.
    pub fn run(&self, options: &Options) -> Result<Status> {
        let folder = &self.folder;
        let name = folder.display();
        if !folder.is_dir() {
            return refuse(format!("'{name}' is not a folder"));
        }
        let Some(scheme) = scheme_of(folder)? else {
            return refuse(format!(
                "'{name}' has no {SECVAL}, which every reader of the files needs"
            ));
        };
        let (mut there, mut missing, mut damaged) = (Vec::new(), 0, Vec::new());
        for sector in self.selection.sectors()? {
            let file = folder.join(sector.name());
            let state = FileState::of(&file, sector);
            match state.with_context(|| format!("cannot read '{}'", file.display()))? {
                FileState::There => there.push(sector),
                FileState::Missing => missing += 1,
                FileState::Damaged(damage) => damaged.push(DamagedFile {
                    file: sector.name(),
                    damage,
                }),
            }
        }
        if there.is_empty() && damaged.is_empty() {
            return refuse(format!("'{name}' has none of these sector files"));
        }
        let sectors = sectors(scheme, options)?;
        let slots = there.iter().map(|sector| sector.slots()).sum();
        let bar = progress::bar(options, slots, progress::forecast);
        bar.set_message("compare");
        let mut found = Vec::new();
        for whole in sectors.walk(&there)? {
            let whole = whole?;
            let sector = whole.sector();
            bar.set_prefix(sector.name());
            let file = folder.join(sector.name());
            let compared = malom::compare(&whole, &file, self.first.into(), |slots| bar.inc(slots));
            let compared = compared.with_context(|| format!("cannot read '{}'", file.display()))?;
            let counts = [compared.slots, compared.differences()];
            let [slots, differ] = counts.map(HumanCount);
            let text = format!("{}: {slots} slots compared, {differ} differ", compared.file);
            output::step(options, text);
            found.push(compared);
        }
        bar.finish_and_clear();
        let differences = found.iter().map(SectorDifferences::differences).sum();
        let no = differences > 0 || !damaged.is_empty();
        let (compared, slots) = (found.len(), found.iter().map(|sector| sector.slots).sum());
        let unreachable = found.iter().map(|sector| sector.unreachable).sum();
        found.retain(|sector| sector.differences() > 0);
        let answer = CompareAnswer {
            compared,
            missing,
            slots,
            unreachable,
            differences,
            sectors: found,
            damaged,
        };
        output::answer(options, &answer, |out| answer.write(out))?;
        Ok(if no { Status::No } else { Status::Done })
    }
}

/// A value of a file in words.
fn words(theirs: &Option<Value>) -> String {
    theirs.as_ref().map_or_else(
        || "nothing that the format knows".to_owned(),
        Value::to_string,
    )
}

impl CompareAnswer {
    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        for DamagedFile { file, damage } in &self.damaged {
            writeln!(out, "{file} is damaged: {damage}")?;
        }
        if !self.sectors.is_empty() {
            output::table(out, &self.sectors).write(&[
                ("sector", |sector| Cell::text(&sector.file)),
                ("slots", |sector| Cell::count(sector.slots)),
                ("other result", |sector| Cell::count(sector.results)),
                ("other depth", |sector| Cell::count(sector.depths)),
                ("unknown", |sector| Cell::count(sector.unknown)),
            ])?;
            for sector in &self.sectors {
                for found in &sector.first {
                    let (file, slot, position) = (&sector.file, found.slot, &found.position);
                    let (ours, theirs) = (found.ours, words(&found.theirs));
                    writeln!(
                        out,
                        "\n{file}, slot {slot}: {theirs} instead of {ours}\n{position}"
                    )?;
                }
            }
            writeln!(out)?;
        }
        writeln!(
            out,
            "{} compared, {} of {} damaged, {} not there; {} slots compared, {} differ, {} skipped \
             because no game can reach them",
            output::counted(self.compared, "sector"),
            self.damaged.len(),
            self.compared + self.damaged.len(),
            self.missing,
            HumanCount(self.slots),
            HumanCount(self.differences),
            HumanCount(self.unreachable)
        )
    }
}
