//! `millbase repack`: writes the databases again at another level or with another profile.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result};
use clap::Args;
use indicatif::HumanBytes;
use millbase::Pair;
use millbase::solve::{BuildFolder, TableCache, built_pairs, repack};
use millbase::store::folder_of;
use schemars::JsonSchema;
use serde::Serialize;

use crate::build::{self, FileOptions};
use crate::databases;
use crate::input;
use crate::options::Options;
use crate::output::{self, Cell, TextTable};
use crate::progress;
use crate::status::{Status, Usage};

/// Write the databases again, smaller or without depths
///
/// The original files stay as they are; the new ones go to the folder that --to names. Files that
/// already exist there with the same level stay, too, so that after an interruption the same
/// command goes on where it was stopped. Each --profile needs a folder of its own.
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
    pairs: Vec<RepackedPair>,
}

#[derive(Serialize, JsonSchema)]
struct RepackedPair {
    pair: Pair,
    /// The size of the old file.
    from_bytes: u64,
    bytes: u64,
}

impl Repack {
    /// Writes the files and prints their sizes.
    pub fn run(&self, options: &Options) -> Result<Status> {
        input::check_pairs(&self.pair, &options.rules)?;
        let db = databases::open_named(options)?;
        let pairs = match self.pair {
            Some(pair) => vec![pair],
            None => databases::in_order(&db),
        };
        if pairs.is_empty() {
            return Err(databases::none(&db, "there is no file to write again"));
        }
        let folder = folder_of(&self.to, &options.rules);
        let to = folder.display();
        fs::create_dir_all(&folder).with_context(|| format!("cannot create the folder '{to}'"))?;
        let same = |other: PathBuf| other.canonicalize().ok() == folder.canonicalize().ok();
        if databases::folder(options).is_some_and(same) {
            let text = format!("'{to}' is the folder of the databases; name another one with --to");
            return Err(Usage(text).into());
        }
        let locked = Arc::new(BuildFolder::lock(&folder)?);
        let bar = progress::bar(options, pairs.len() as u64, |_| String::new());
        build::stop_on_signals(&locked, &bar)?;
        let profile = self.files.profile();
        let present = databases::open_folder(&folder, options.rules)?;
        let present = built_pairs(&present, profile.metric)
            .map_err(|error| build::refused(error, &folder, "--to"))?;
        let missing = |pair: &&Pair| !present.contains(&(**pair, profile.compression));
        let missing: Vec<Pair> = pairs.iter().filter(missing).copied().collect();
        let mut table_cache = TableCache::new(&missing);
        for pair in missing {
            bar.set_prefix(pair.to_string());
            let start = Instant::now();
            let bytes = repack(&db, pair, &locked, profile, &mut table_cache)?;
            let (seconds, size) = (start.elapsed().as_secs_f64(), HumanBytes(bytes));
            output::step(
                options,
                format_args!("{pair} written in {seconds:.2} s, {size}"),
            );
            bar.inc(1);
        }
        bar.finish_and_clear();
        let new = databases::open_folder(&folder, options.rules)?;
        let mut written = Vec::new();
        for pair in pairs {
            written.push(RepackedPair {
                pair,
                from_bytes: db.file(pair)?.bytes(),
                bytes: new.file(pair)?.bytes(),
            });
        }
        let answer = RepackAnswer {
            folder,
            pairs: written,
        };
        output::answer(options, &answer, |out| {
            let mut table = TextTable::new(&["pair", "bytes before", "bytes"]);
            for pair in &answer.pairs {
                table.row(vec![
                    Cell::text(pair.pair),
                    Cell::count(pair.from_bytes),
                    Cell::count(pair.bytes),
                ]);
            }
            table.write(out)?;
            let all = HumanBytes(answer.pairs.iter().map(|pair| pair.bytes).sum());
            let pairs = output::counted(answer.pairs.len() as u64, "pair");
            writeln!(out, "\n{pairs}, {all}")
        })?;
        Ok(Status::Done)
    }
}
