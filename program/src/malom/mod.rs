//! `millbase export`, `compare` and `mount`: our values as the sector files of another program.

pub mod compare;
pub mod export;
#[cfg(target_os = "linux")]
pub mod mount;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::{Args, Subcommand};
use millbase::malom::{SECVAL, Scheme, Sector, Sectors};
use millbase::{Pair, Rules};

#[cfg(target_os = "linux")]
pub use mount::Mount;

use crate::databases;
use crate::input;
use crate::options::Options;
use crate::status::{Failure, refuse};

/// Write the databases as files of another program
#[derive(Subcommand)]
#[command(after_help = "\
Example:
  millbase export malom --to strong --moving")]
pub enum Export {
    Malom(export::ExportMalom),
}

/// Check files of another program against the databases
#[derive(Subcommand)]
#[command(after_help = "\
Example:
  millbase compare malom strong")]
pub enum Compare {
    Malom(compare::CompareMalom),
}

/// Which sectors.
#[derive(Args)]
struct Selection {
    /// Only the sectors of this pair without stones in hand, like 6-4
    #[arg(long, conflicts_with_all = ["max_stones", "moving"])]
    pair: Option<Pair>,

    /// Only the sectors with at most N stones on the board, 0 to 18
    #[arg(long, value_name = "N", value_parser = input::number::<u8>(0..=18))]
    max_stones: Option<u8>,

    /// Only the sectors without stones in hand
    #[arg(long)]
    moving: bool,
}

impl Selection {
    /// The selected sectors, in the order of their names.
    fn sectors(&self) -> Result<Vec<Sector>> {
        input::check_pairs(&self.pair, &Rules::STANDARD)?;
        let mut sectors = Sector::all().to_vec();
        sectors.retain(|sector| {
            let [mover, waiting, ..] = sector.numbers();
            self.max_stones.is_none_or(|most| mover + waiting <= most)
                && (!self.moving || sector.is_moving())
                && self.pair.is_none_or(|pair| sector.pair() == Some(pair))
        });
        match sectors.is_empty() {
            true => refuse("there is no such sector"),
            false => Ok(sectors),
        }
    }
}

/// The databases as sectors.
fn sectors(scheme: Scheme, options: &Options) -> Result<Sectors> {
    if options.rules != Rules::STANDARD {
        return refuse("sector files are made for the standard rules only; leave out --rules");
    }
    Ok(Sectors::new(databases::open(options)?, scheme)?)
}

/// The keys of a file.
fn read_scheme(file: &Path) -> Result<Scheme> {
    let name = file.display();
    let text = input::read_file(file)?;
    let wrong = |error| format!("'{name}' is not a list of the sectors: {error}");
    Ok(Scheme::compatible(&text).map_err(|error| Failure::question(wrong(error)))?)
}

/// The text that lists the sectors of a folder, if it has one.
fn scheme_of(folder: &Path) -> Result<Option<Scheme>> {
    let file = folder.join(SECVAL);
    let cannot = || format!("cannot read '{}'", file.display());
    match file.try_exists().with_context(cannot)? {
        true => read_scheme(&file).map(Some),
        false => Ok(None),
    }
}

/// The keys of a file that the user names, if there is one.
fn named_scheme(file: &Option<PathBuf>) -> Result<Option<Scheme>> {
    file.as_deref().map(read_scheme).transpose()
}
