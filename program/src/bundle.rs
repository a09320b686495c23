//! `millbase bundle`: writes the databases into one file.

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use indicatif::HumanBytes;
use millbase::store::{Bundle, Member, PairFile, PlyFile, folder_of, write_bundle};
use schemars::JsonSchema;
use serde::Serialize;

use crate::databases;
use crate::options::Options;
use crate::output::{self, Cell};
use crate::signals;
use crate::status::{Status, refuse};

/// Write the databases of a folder into one file, for apps that carry them as one asset
///
/// Every command reads a bundle that --db names, and so do the libraries: from a path, from a part of an open file
/// or from memory. The members are the files as they are; `millbase repack` makes smaller ones before.
#[derive(Args)]
#[command(after_help = "\
Examples:
  millbase bundle millbase.mdb
  millbase probe --db millbase.mdb start
  millbase repack --to small --profile wdl && millbase bundle app.mdb --db small")]
pub struct BundleFiles {
    /// The bundle to write
    file: PathBuf,
}

#[derive(Serialize, JsonSchema)]
pub struct BundleAnswer {
    file: PathBuf,
    bytes: u64,
    members: Vec<BundleMember>,
}

#[derive(Serialize, JsonSchema)]
struct BundleMember {
    name: String,
    /// The offset of the file in the bundle.
    start: u64,
    bytes: u64,
}

impl BundleFiles {
    /// Writes the bundle and prints its contents.
    pub fn run(&self, options: &Options) -> Result<Status> {
        let db = databases::open_named(options)?;
        if let Some(error) = db.unusable().next() {
            return Err(error.into());
        }
        let pairs = db.pairs().filter_map(PairFile::path);
        let paths = pairs.chain(db.plies().map(PlyFile::path));
        let folder = folder_of("".as_ref(), &options.rules);
        let files: Vec<(String, PathBuf)> = paths
            .filter_map(|path| Some((folder.join(path.file_name()?), path.to_path_buf())))
            .filter_map(|(name, path)| Some((name.to_str()?.replace('\\', "/"), path)))
            .collect();
        if files.is_empty() {
            return Err(databases::none(
                &db,
                "there is no file to put into a bundle",
            ));
        }
        if self.file.exists() && Bundle::open(&self.file).is_err() {
            let file = self.file.display();
            return refuse(format!(
                "'{file}' exists and is not a bundle; name another file"
            ));
        }
        if db.location().is_bundle {
            return refuse("the databases are in a bundle already; name their folder with --db");
        }
        signals::end_on_stop()?;
        let bytes = write_bundle(&self.file, &files)?;
        let bundle = Bundle::open(&self.file)?;
        let member = |member: &Member| BundleMember {
            name: member.name.clone(),
            start: member.start,
            bytes: member.bytes,
        };
        let answer = BundleAnswer {
            bytes,
            file: self.file.clone(),
            members: bundle.members().iter().map(member).collect(),
        };
        output::answer(options, &answer, |out| answer.write(out))
    }
}

impl BundleAnswer {
    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        output::table(out, &self.members).write(&[
            ("file", |member| Cell::text(&member.name)),
            ("offset", |member| Cell::count(member.start)),
            ("bytes", |member| Cell::count(member.bytes)),
        ])?;
        let files = output::counted(self.members.len(), "file");
        writeln!(out, "\n{files}, {}", HumanBytes(self.bytes))
    }
}
