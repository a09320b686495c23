//! `millbase export malom`: the sectors as files.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result};
use clap::Args;
use indicatif::{HumanBytes, HumanCount, ProgressBar};
use millbase::internals::{Temporary, remove_temporaries};
use millbase::malom::{SECVAL, Scheme, Sector, Walk};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Selection, named_scheme, scheme_of, sectors};
use crate::options::Options;
use crate::output;
use crate::progress;
use crate::signals;
use crate::status::{Status, refuse};

/// Write the values as Malom's sector files, which several programs read
///
/// All 498 files take 84 GB, those of the moving phase 28 GB. A folder that has a std.secval already
/// gets files that go with it, and files that are there stay; an empty one gets a std.secval of our
/// own, in which every draw is worth 0. So the same command goes on where it was stopped. Draws are
/// not graded, and positions that no game can reach are marked as draws: see docs/MALOM.md.
#[derive(Args)]
#[command(after_help = "\
Examples:
  millbase export malom --to strong
  millbase export malom --to strong --moving --max-stones 12
  millbase export malom --to strong --pair 8-7")]
pub struct ExportMalom {
    /// Folder for the files
    #[arg(long, value_name = "DIR")]
    to: PathBuf,

    #[command(flatten)]
    selection: Selection,

    /// Make files that go with this std.secval, and copy it to the folder
    #[arg(long, value_name = "FILE")]
    secval: Option<PathBuf>,
}

#[derive(Serialize, JsonSchema)]
pub struct ExportAnswer {
    folder: PathBuf,
    scheme: &'static str,
    sectors: usize,
    written: usize,
    bytes: u64,
    bytes_written: u64,
    seconds: f64,
}

impl ExportMalom {
    /// Writes the files that are missing.
    pub fn run(&self, options: &Options) -> Result<Status> {
        let wanted = self.selection.sectors()?;
        let folder = &self.to;
        let to = folder.display();
        let scheme = self.scheme()?;
        let sectors = sectors(scheme, options)?;
        let (missing, bytes) = missing(folder, &wanted)?;
        let walk = sectors.walk(&missing)?;
        fs::create_dir_all(folder).with_context(|| format!("cannot create the folder '{to}'"))?;
        // Killed exports leave such files.
        remove_temporaries(folder, &[".sec2."])?;
        // Elsewhere the system says so when the disk is full.
        #[cfg(unix)]
        check_space(folder, bytes)?;
        write_secval(folder, sectors.scheme())?;
        output::note(
            options,
            format_args!(
                "{} of {} to write, {}",
                missing.len(),
                output::counted(wanted.len(), "sector"),
                HumanBytes(bytes)
            ),
        );
        let start = Instant::now();
        let bar = progress::bar(options, bytes, |state| {
            progress::forecast_with(speed, state)
        });
        bar.set_message("export");
        let words = "stopped; the finished sectors are safe, and the same command continues with the next\n";
        signals::tidy_on_stop(&bar, || (), words)?;
        write(walk, folder, options, &bar)?;
        bar.finish_and_clear();
        let answer = ExportAnswer {
            folder: folder.clone(),
            scheme: match *sectors.scheme() == Scheme::complete() {
                true => "complete",
                false => "compatible",
            },
            sectors: wanted.len(),
            written: missing.len(),
            bytes: wanted.iter().map(|sector| sector.bytes()).sum(),
            bytes_written: bytes,
            seconds: start.elapsed().as_secs_f64(),
        };
        output::answer(options, &answer, |out| {
            writeln!(
                out,
                "{} in '{to}', {} bytes, {} written now in {}, {}",
                output::counted(answer.sectors, "sector"),
                HumanCount(answer.bytes),
                answer.written,
                progress::duration(answer.seconds),
                speed(bytes, answer.seconds)
            )
        })
    }

    /// The keys: those of the folder, else those that the user names, else our own.
    fn scheme(&self) -> Result<Scheme> {
        let (there, named) = (scheme_of(&self.to)?, named_scheme(&self.secval)?);
        match (there, named) {
            (Some(there), Some(named)) if there != named => refuse(format!(
                "'{}' has another {SECVAL} already; name another folder with --to, or leave out --secval",
                self.to.display()
            )),
            (there, named) => Ok(there.or(named).unwrap_or_else(Scheme::complete)),
        }
    }
}

/// The sectors that have no file yet, and the bytes that they take. A truncated file is not replaced
/// unasked.
fn missing(folder: &Path, wanted: &[Sector]) -> Result<(Vec<Sector>, u64)> {
    let mut missing = Vec::new();
    for &sector in wanted {
        let path = folder.join(sector.name());
        match fs::metadata(&path) {
            Ok(there) if there.len() >= sector.bytes() => {}
            Ok(there) => {
                return refuse(format!(
                    "'{}' is truncated: {} instead of {}; remove it, and it is written anew",
                    path.display(),
                    output::counted(there.len(), "byte"),
                    sector.bytes()
                ));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => missing.push(sector),
            Err(error) => {
                let path = path.display();
                return Err(error).with_context(|| format!("cannot look at '{path}'"));
            }
        }
    }
    let bytes = missing.iter().map(|sector| sector.bytes()).sum();
    Ok((missing, bytes))
}

/// Refuses to begin where the disk has no room for all files.
#[cfg(unix)]
fn check_space(folder: &Path, bytes: u64) -> Result<()> {
    /// The bytes that must stay free on the disk besides the files.
    const SPARE: u64 = 16 << 20;
    let name = folder.display();
    let disk = rustix::fs::statvfs(folder);
    let disk = disk.with_context(|| format!("cannot ask for the free space of '{name}'"))?;
    let free = disk.f_bavail.saturating_mul(disk.f_frsize);
    if bytes > 0 && free < bytes + SPARE {
        let (needed, free) = (HumanBytes(bytes), HumanBytes(free));
        return refuse(format!(
            "the files take {needed}, and the disk of '{name}' has {free} left; name a folder on \
             another disk, or choose fewer sectors with --moving or --max-stones"
        ));
    }
    Ok(())
}

/// Writes the list of the sectors if the folder has none.
fn write_secval(folder: &Path, scheme: &Scheme) -> Result<()> {
    let path = folder.join(SECVAL);
    if path.exists() {
        return Ok(());
    }
    output::write_file(&path, scheme.text())
        .with_context(|| format!("cannot write '{}'", path.display()))
}

/// Parts that wait for the disk: while they are written, the next ones are made.
const WAITING: usize = 4;

/// Makes the sectors' bytes on this thread and writes them on another one.
fn write(walk: Walk<'_>, folder: &Path, options: &Options, bar: &ProgressBar) -> Result<()> {
    thread::scope(|scope| {
        let (sender, parts) = sync_channel::<(Sector, Vec<u8>)>(WAITING);
        let writer = scope.spawn(move || -> Result<()> {
            while let Ok((sector, part)) = parts.recv() {
                let path = folder.join(sector.name());
                write_sector(&path, sector, part, &parts, bar, options)
                    .with_context(|| format!("cannot write '{}'", path.display()))?;
            }
            Ok(())
        });
        let made = make(walk, &sender, bar);
        drop(sender);
        let written = writer.join();
        written.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        made
    })
}

/// Makes the parts of all sectors, until the writer is gone.
fn make(walk: Walk<'_>, sender: &SyncSender<(Sector, Vec<u8>)>, bar: &ProgressBar) -> Result<()> {
    for whole in walk {
        let whole = whole?;
        let sector = whole.sector();
        bar.set_prefix(sector.name());
        if whole.parts(|part| sender.send((sector, part))).is_err() {
            break;
        }
    }
    Ok(())
}

/// Writes the file of a sector: this part and those after it. A file that has its final name is complete.
fn write_sector(
    path: &Path,
    sector: Sector,
    first: Vec<u8>,
    others: &Receiver<(Sector, Vec<u8>)>,
    bar: &ProgressBar,
    options: &Options,
) -> io::Result<()> {
    let (mut temporary, mut left) = (Temporary::create(path)?, sector.bytes());
    let start = Instant::now();
    let others = others.iter().map(|(_, part)| part);
    let mut parts = [first].into_iter().chain(others);
    while left > 0 {
        // Without a next part, making it has failed.
        let Some(part) = parts.next() else {
            return Ok(());
        };
        temporary.file.write_all(&part)?;
        bar.inc(part.len() as u64);
        left -= part.len() as u64;
    }
    temporary.file.sync_all()?;
    temporary.rename(path)?;
    let (seconds, bytes) = (start.elapsed().as_secs_f64(), HumanBytes(sector.bytes()));
    let name = sector.name();
    let text = format!("{name} written in {seconds:.2} s, {bytes}");
    output::step(options, text);
    Ok(())
}

/// A number of bytes in a number of seconds, as bytes per second.
fn speed(bytes: u64, seconds: f64) -> String {
    format!("{:.0} MB/s", bytes as f64 / seconds.max(0.001) / 1e6)
}
