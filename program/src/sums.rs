//! `millbase verify --sums FILE`: compares the files of a folder with a list of checksums. Builds are
//! the same byte for byte on every machine, so one list serves all copies.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;

use anyhow::{Context, Error, Result};
use indicatif::HumanCount;
use millbase::store::DbError;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::databases;
use crate::input;
use crate::options::Options;
use crate::output::{self, Cell};
use crate::status::{Failure, Status, refuse};

#[derive(Serialize, JsonSchema)]
pub struct SumsAnswer {
    ok: bool,
    files: Vec<Compared>,
}

#[derive(Serialize, JsonSchema)]
struct Compared {
    file: String,
    /// `None` where the file is missing.
    bytes: Option<u64>,
    result: ChecksumResult,
}

#[derive(Serialize, JsonSchema, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
enum ChecksumResult {
    Same,
    Differs,
    Missing,
    NotListed,
}

impl ChecksumResult {
    fn text(self) -> &'static str {
        match self {
            ChecksumResult::Same => "same",
            ChecksumResult::Differs => "differs",
            ChecksumResult::Missing => "missing",
            ChecksumResult::NotListed => "not in the list",
        }
    }
}

/// Compares the files of the folder with the list and prints the results. The status is 1 if a file
/// differs, 3 if one is missing. With `ignore_missing` only the files that are there count, of
/// which there must be at least one.
pub fn run(list: &Path, ignore_missing: bool, options: &Options) -> Result<Status> {
    let text = input::read_file(list)?;
    let listed = parse(&text).map_err(|(line, why)| {
        Failure::question(format!("line {line} of {} {why}", input::name(list)))
    })?;
    if listed.is_empty() {
        return refuse(format!("the list {} names no file", input::name(list)));
    }
    let folder = databases::folder_to_build(options)?;
    let mut sums: BTreeMap<String, Option<String>> = BTreeMap::new();
    sums.extend(databases_in(&folder)?.into_iter().map(|name| (name, None)));
    sums.extend(listed.into_iter().map(|(name, sum)| (name, Some(sum))));
    let files = sums
        .par_iter()
        .map(|(name, sum)| compare(&folder, name, sum.as_deref()));
    let mut files = files.collect::<Result<Vec<Compared>>>()?;
    if ignore_missing {
        files.retain(|file| file.result != ChecksumResult::Missing);
        if files
            .iter()
            .all(|file| file.result == ChecksumResult::NotListed)
        {
            let folder = folder.display();
            let sentence = format!("no file of the list is in {folder}; choose another with --db");
            return Err(Error::new(DbError::NotStored(sentence)));
        }
    }
    files.sort_by_key(|file| file.result == ChecksumResult::NotListed);
    let any = |state| files.iter().any(|file| file.result == state);
    let status = match (any(ChecksumResult::Differs), any(ChecksumResult::Missing)) {
        (true, _) => Status::No,
        (_, true) => Status::Missing,
        _ => Status::Done,
    };
    let ok = status == Status::Done;
    let answer = SumsAnswer { ok, files };
    output::answer(options, &answer, |out| write(out, &answer.files))?;
    Ok(status)
}

/// The checksums of a list by the names of the files, or the number of a wrong line and what is wrong with it.
fn parse(text: &str) -> Result<BTreeMap<String, String>, (usize, &'static str)> {
    let mut sums = BTreeMap::new();
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        // A star marks a file that was read as binary.
        let parts = line.split_once("  ").or_else(|| line.split_once(" *"));
        let is_sum =
            |sum: &str| sum.len() == 64 && sum.bytes().all(|byte| byte.is_ascii_hexdigit());
        // The list may have been made in another folder.
        let file = |name| Path::new(name).file_name().and_then(OsStr::to_str);
        let parts = parts.and_then(|(sum, name)| Some((sum, file(name)?)));
        let Some((sum, name)) = parts.filter(|(sum, _)| is_sum(sum)) else {
            return Err((
                number,
                "is not a checksum: expected 64 hexadecimal digits, two spaces and the name of a file, as sha256sum \
                 writes them",
            ));
        };
        let sum = sum.to_ascii_lowercase();
        if sums
            .insert(name.to_owned(), sum.clone())
            .is_some_and(|other| other != sum)
        {
            return Err((
                number,
                "has another checksum for a name that an earlier line has; list the files of one folder",
            ));
        }
    }
    Ok(sums)
}

/// Compares a file with its checksum, if the list has one.
fn compare(folder: &Path, name: &str, sum: Option<&str>) -> Result<Compared> {
    let path = folder.join(name);
    let cannot = || format!("cannot read {}", path.display());
    let found = |bytes, result| Compared {
        file: name.to_owned(),
        bytes,
        result,
    };
    let mut file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Ok(found(None, ChecksumResult::Missing));
        }
        Err(error) => return Err(error).with_context(cannot),
    };
    let bytes = file.metadata().with_context(cannot)?.len();
    let Some(sum) = sum else {
        return Ok(found(Some(bytes), ChecksumResult::NotListed));
    };
    let (mut hasher, mut part) = (Sha256::new(), vec![0; 1 << 20]);
    while let length @ 1.. = file.read(&mut part).with_context(cannot)? {
        hasher.update(&part[..length]);
    }
    let hash = hasher.finalize();
    let hash: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(match hash == sum {
        true => found(Some(bytes), ChecksumResult::Same),
        false => found(Some(bytes), ChecksumResult::Differs),
    })
}

/// The names of the databases in a folder, which need not exist.
fn databases_in(folder: &Path) -> Result<Vec<String>> {
    let cannot = || format!("cannot read {}", folder.display());
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.with_context(cannot)?,
    };
    let mut names = Vec::new();
    for entry in entries {
        let name = entry.with_context(cannot)?.file_name().into_string();
        names.extend(name.ok().filter(|name| name.ends_with(".mill")));
    }
    Ok(names)
}

fn write(out: &mut impl Write, files: &[Compared]) -> io::Result<()> {
    output::table(out, files).write(&[
        ("file", |file| Cell::text(&file.file)),
        ("bytes", |file| Cell::optional(file.bytes.map(HumanCount))),
        ("result", |file| Cell::text(file.result.text())),
    ])?;
    let same = files
        .iter()
        .filter(|file| file.result == ChecksumResult::Same);
    writeln!(
        out,
        "\nthe same: {} of {}",
        same.count(),
        output::counted(files.len(), "file")
    )
}
