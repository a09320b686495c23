//! `millbase repack`: writes the databases again at another level or with another profile.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result};
use clap::Args;
use indicatif::{HumanBytes, ProgressBar};
use millbase::internals::solve::{TableCache, built_pairs, repack, repack_ply};
use millbase::solve::BuildFolder;
use millbase::store::{Compression, DbError, PlyFile, Profile, folder_of};
use millbase::{Database, Pair};
use schemars::JsonSchema;
use serde::Serialize;

use crate::advice;
use crate::build::{self, FileOptions};
use crate::databases;
use crate::findings::Subject;
use crate::input;
use crate::options::Options;
use crate::output::{self, Cell};
use crate::progress;
use crate::status::{self, Status, refuse};

/// Write the databases again, smaller or without depths
///
/// The original files stay as they are; the new ones go to the folder that --to names. Files that
/// already exist there with the same level stay, too, so that after an interruption the same
/// command goes on where it was stopped. Each --profile needs a folder of its own; one with files that
/// cannot be used is refused.
///
/// The files of the placing phase are written, too, unless --pair names a pair. A file that cannot be used is named and left out, and the exit status is then that of the first
/// such file, 4 if it is damaged.
#[derive(Args)]
#[command(after_help = "\
Examples:
  millbase repack --to small --level max
  millbase repack --db small --to quick
  millbase repack --to wdl --profile wdl")]
pub struct Repack {
    /// Folder for the new files
    #[arg(long, value_name = "DIR")]
    to: PathBuf,

    /// Only this pair, like 6-4
    #[arg(long)]
    pair: Option<Pair>,

    #[command(flatten)]
    files: FileOptions,
}

#[derive(Serialize, JsonSchema)]
pub struct RepackAnswer {
    folder: PathBuf,
    pairs: Vec<RepackedFile>,
    placing: Vec<RepackedFile>,
    /// The reasons why existing files could not be written again.
    unusable: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct RepackedFile {
    #[serde(flatten)]
    subject: Subject,
    /// The size of the old file.
    from_bytes: u64,
    bytes: u64,
}

impl Repack {
    /// Writes the files and prints their sizes.
    pub fn run(&self, options: &Options) -> Result<Status> {
        input::check_pairs(&self.pair, &options.rules)?;
        let db = databases::open_named(options)?;
        let (pairs, plies, unusable) = match self.pair {
            Some(pair) => (vec![pair], Vec::new(), Vec::new()),
            None => (
                databases::usable_pairs(&db),
                db.plies().collect(),
                db.unusable().collect(),
            ),
        };
        if pairs.is_empty() && plies.is_empty() && unusable.is_empty() {
            return Err(databases::none(&db, "there is no file to write again"));
        }
        let folder = self.folder(options)?;
        let locked = Arc::new(BuildFolder::lock(&folder)?);
        let files = pairs.len() + plies.len();
        let bar = progress::bar(options, files as u64, |_| String::new());
        build::stop_on_signals(&locked, &bar)?;
        let mut work = Repacking {
            db: &db,
            to: &locked,
            options,
            bar,
            unusable: Vec::new(),
            status: Status::Done,
        };
        for error in unusable {
            work.leave_out(&error, advice::sentence(&error));
        }
        let new = databases::open_folder(&folder, options.rules)?;
        if let Some(error) = new.unusable().next() {
            return Err(error.into());
        }
        let numbers = plies.iter().map(|file| file.ply());
        let present = built_pairs(&new, numbers, self.files.profile())
            .map_err(|error| build::refused(error, &folder, "--to"))?;
        work.write_pairs(&pairs, &present, self.files.profile())?;
        work.write_plies(&plies, &new, self.files.profile())?;
        work.bar.finish_and_clear();
        let new = databases::open_folder(&folder, options.rules)?;
        let written = |&pair: &Pair| {
            Some(RepackedFile {
                subject: Subject::Pair(pair),
                from_bytes: db.file(pair).ok()?.bytes(),
                bytes: new.file(pair).ok()?.bytes(),
            })
        };
        let written_ply = |file: &&PlyFile| {
            Some(RepackedFile {
                subject: Subject::Ply(file.ply()),
                from_bytes: file.bytes(),
                bytes: new.ply(file.ply()).ok()??.bytes(),
            })
        };
        let answer = RepackAnswer {
            pairs: pairs.iter().filter_map(written).collect(),
            placing: plies.iter().filter_map(written_ply).collect(),
            unusable: work.unusable,
            folder,
        };
        output::answer(options, &answer, |out| answer.write(out))?;
        Ok(work.status)
    }

    /// The folder for the new files, which is made if it does not exist.
    fn folder(&self, options: &Options) -> Result<PathBuf> {
        let folder = folder_of(&self.to, &options.rules);
        let to = folder.display();
        fs::create_dir_all(&folder).with_context(|| format!("cannot create the folder '{to}'"))?;
        let same = |other: PathBuf| other.canonicalize().ok() == folder.canonicalize().ok();
        if databases::folder(options).is_some_and(same) {
            return refuse(format!(
                "'{to}' is the folder of the databases; name another one with --to"
            ));
        }
        Ok(folder)
    }
}

/// The work on the files of `db`, which stay as they are.
struct Repacking<'a> {
    db: &'a Database,
    to: &'a BuildFolder,
    options: &'a Options,
    bar: ProgressBar,
    /// The reasons why files are left out.
    unusable: Vec<String>,
    /// The status of the first of these reasons.
    status: Status,
}

impl Repacking<'_> {
    /// Notes on stderr and for the answer why a file is left out.
    fn leave_out(&mut self, error: &DbError, sentence: String) {
        self.bar
            .suspend(|| output::to_stderr(&format!("error: {sentence}\n")));
        if self.status == Status::Done {
            self.status = status::of_db(error);
        }
        self.unusable.push(sentence);
    }

    /// Writes the pairs that are not among those present with this profile.
    fn write_pairs(
        &mut self,
        pairs: &[Pair],
        present: &[(Pair, Compression)],
        profile: Profile,
    ) -> Result<()> {
        let missing = |pair: &&Pair| !present.contains(&(**pair, profile.compression));
        let missing: Vec<Pair> = pairs.iter().filter(missing).copied().collect();
        let mut table_cache = TableCache::new(self.db, &missing, self.to.path())?;
        for pair in missing {
            self.write(Subject::Pair(pair), |db, to| {
                repack(db, pair, to, profile, &mut table_cache)
            })?;
            self.bar.inc(1);
        }
        Ok(())
    }

    /// Writes the plies that the new databases lack with this profile.
    fn write_plies(&mut self, plies: &[&PlyFile], new: &Database, profile: Profile) -> Result<()> {
        let wanted = profile.of_plies(&self.options.rules);
        for file in plies {
            let present = new.ply(file.ply()).ok().flatten();
            if present.is_none_or(|file| file.profile() != wanted) {
                self.write(Subject::Ply(file.ply()), |db, to| {
                    repack_ply(db, file, to, profile)
                })?;
            }
            self.bar.inc(1);
        }
        Ok(())
    }

    /// Writes a file, unless the old one cannot be used.
    fn write(
        &mut self,
        subject: Subject,
        write: impl FnOnce(&Database, &BuildFolder) -> Result<u64, DbError>,
    ) -> Result<()> {
        self.bar.set_prefix(subject.to_string());
        let start = Instant::now();
        match write(self.db, self.to) {
            Ok(bytes) => {
                let (seconds, size) = (start.elapsed().as_secs_f64(), HumanBytes(bytes));
                output::step(
                    self.options,
                    format_args!("{subject} written in {seconds:.2} s, {size}"),
                );
            }
            Err(error) if error.is_unusable() => {
                let why = advice::sentence(&error);
                self.leave_out(&error, format!("{subject} is not written again: {why}"));
            }
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }
}

impl RepackAnswer {
    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        output::table(out, &self.pairs).write(&[
            ("pair", |file| Cell::text(file.subject)),
            ("bytes before", |file| Cell::count(file.from_bytes)),
            ("bytes", |file| Cell::count(file.bytes)),
        ])?;
        let all = HumanBytes(self.pairs.iter().map(|pair| pair.bytes).sum());
        let pairs = output::counted(self.pairs.len(), "pair");
        writeln!(out, "\n{pairs}, {all}")?;
        if self.placing.is_empty() {
            return Ok(());
        }
        let all = HumanBytes(self.placing.iter().map(|ply| ply.bytes).sum());
        let files = output::counted(self.placing.len(), "file");
        writeln!(out, "{files} of the placing phase, {all}")
    }
}
