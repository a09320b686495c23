//! `millbase mount`: the sectors as files that are made when they are read.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result};
use clap::Args;
use fuser::{
    Config, Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags, Generation, INodeNo,
    LockOwner, MountOption, OpenAccMode, OpenFlags, ReplyAttr, ReplyData, ReplyDirectory,
    ReplyEmpty, ReplyEntry, ReplyOpen, Request, Session, SessionACL,
};
use indicatif::HumanCount;
use millbase::internals::locked;
use millbase::malom::{SECVAL, Scheme, Sector, SectorFile, Sectors};
use rustix::mount::{UnmountFlags, unmount};
use schemars::JsonSchema;
use serde::Serialize;

use super::{named_scheme, sectors};
use crate::advice;
use crate::input;
use crate::options::Options;
use crate::output;
use crate::progress;
use crate::signals;
use crate::status::{self, Failure, Status};

/// Show the values as Malom's sector files, which several programs read
///
/// The files take no room on the disk: their bytes are made when they are read. Until Ctrl-C
/// or 'umount', the folder has std.secval and those of the 498 sector files for which the databases have
/// values. Draws are not graded, and positions that no game can reach are marked as draws: see
/// docs/MALOM.md. This needs /dev/fuse and, for users other than root, the package fuse3.
#[derive(Args)]
#[command(after_help = "\
Example:
  mkdir strong && millbase mount strong")]
pub struct Mount {
    /// An empty folder, in which the files appear
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// Make files that go with this std.secval
    #[arg(long, value_name = "FILE")]
    secval: Option<PathBuf>,

    /// Memory for files that are read from beginning to end, like 4G
    #[arg(long, value_name = "SIZE", value_parser = input::size, default_value = "2G")]
    memory: u64,

    /// Let other users read the files, too
    #[arg(long)]
    allow_other: bool,
}

#[derive(Serialize, JsonSchema)]
pub struct MountAnswer<'a> {
    mounted: &'a Path,
    files: usize,
    bytes: u64,
}

/// Why the work ends.
enum MountEnd {
    /// The user or the system asks to stop.
    Asked,
    /// Somebody unmounted the folder.
    Unmounted,
}

/// How long unmounting may take.
const PATIENCE: Duration = Duration::from_secs(2);

impl Mount {
    /// Mounts the files and waits until they are unmounted.
    pub fn run(&self, options: &Options) -> Result<Status> {
        let folder = &self.folder;
        let name = folder.display();
        let owner = check_folder(folder)?;
        let scheme = named_scheme(&self.secval)?.unwrap_or_else(Scheme::complete);
        let sectors = sectors(scheme, options)?.with_memory(self.memory);
        let (ended, end) = channel();
        let stop = ended.clone();
        let files = SectorFolder {
            sectors: sectors.available(),
            provider: Arc::new(sectors),
            owner,
            time: SystemTime::now(),
            open: Mutex::default(),
            opened: AtomicU64::new(0),
            failures: AtomicU64::new(0),
            quiet: options.quiet,
            ended,
        };
        if files.sectors.len() < Sector::all().len() {
            output::note(
                options,
                format_args!(
                    "note: {} of {} sectors; 'millbase build --placing' makes the databases of the others",
                    files.sectors.len(),
                    Sector::all().len()
                ),
            );
        }
        let answer = MountAnswer {
            mounted: folder,
            files: files.sectors.len() + 1,
            bytes: files.sectors.iter().map(|sector| sector.bytes()).sum(),
        };
        signals::on_stop(move || drop(stop.send(MountEnd::Asked)))?;
        let session = Session::new(files, folder, &self.config());
        let session = session.with_context(|| {
            format!(
                "cannot mount '{name}'; this needs /dev/fuse and, for users other than root, the package fuse3"
            )
        })?;
        let session = session
            .spawn()
            .with_context(|| format!("cannot mount '{name}'"))?;
        output::answer(options, &answer, |out| {
            let bytes = HumanCount(answer.bytes);
            writeln!(
                out,
                "{} files, {bytes} bytes, in {name}; Ctrl-C stops",
                answer.files
            )
        })?;
        if matches!(end.recv(), Ok(MountEnd::Asked)) {
            detach(folder);
            // Programs that have files open still keep the other end.
            let _ = end.recv_timeout(PATIENCE);
            std::mem::forget(session);
        }
        Ok(Status::Done)
    }

    fn config(&self) -> Config {
        let mut config = Config::default();
        config.mount_options = vec![
            MountOption::RO,
            MountOption::NoDev,
            MountOption::NoSuid,
            MountOption::NoExec,
            MountOption::FSName("millbase".to_owned()),
        ];
        if self.allow_other {
            config.acl = SessionACL::All;
        }
        // Threads that make whole sectors should leave some for the others.
        config.n_threads = Some(progress::cores().max(4) + 4);
        config
    }
}

/// The owner of the folder, which must be there and empty.
fn check_folder(folder: &Path) -> Result<(u32, u32)> {
    let name = folder.display();
    let wrong = |what: &str| Failure::question(format!("'{name}' {what}"));
    let metadata = match fs::metadata(folder) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(wrong("is not there; create the folder first").into());
        }
        Err(error) if error.kind() == io::ErrorKind::NotConnected => {
            let text = format!(
                "was left by a program that ended without unmounting; free it with 'umount {name}'"
            );
            return Err(wrong(&text).into());
        }
        Err(error) => return Err(error).with_context(|| format!("cannot look at '{name}'")),
    };
    if !metadata.is_dir() {
        return Err(wrong("is not a folder").into());
    }
    let mut entries = fs::read_dir(folder).with_context(|| format!("cannot read '{name}'"))?;
    match entries.next() {
        None => Ok((metadata.uid(), metadata.gid())),
        Some(_) => Err(wrong("is not empty; the files would hide what is there").into()),
    }
}

/// Takes the files out of the folder, even while programs have some open.
fn detach(folder: &Path) {
    if unmount(folder, UnmountFlags::DETACH).is_ok() {
        return;
    }
    // Users other than root need a program that may do it.
    for program in ["fusermount3", "fusermount"] {
        let mut command = Command::new(program);
        command.args(["-u", "-z", "--"]).arg(folder);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        if command.status().is_ok_and(|status| status.success()) {
            return;
        }
    }
    let name = folder.display();
    output::to_stderr(&format!(
        "error: cannot unmount '{name}'; do it with 'umount {name}'\n"
    ));
}

/// How long the system may keep the answers about files: they never change.
const VALID: Duration = Duration::from_secs(3600);

/// The inode of std.secval; those of the sectors follow.
const TEXT: u64 = 2;

/// The most failures to report, so that a damaged database does not flood the terminal.
const MOST_TOLD: u64 = 10;

/// The folder with its files.
struct SectorFolder {
    provider: Arc<Sectors>,
    sectors: Vec<Sector>,
    owner: (u32, u32),
    time: SystemTime,
    open: Mutex<HashMap<u64, Arc<Mutex<SectorFile>>>>,
    opened: AtomicU64,
    failures: AtomicU64,
    quiet: bool,
    ended: Sender<MountEnd>,
}

impl SectorFolder {
    fn text(&self) -> &str {
        self.provider.scheme().text()
    }

    fn sector(&self, inode: u64) -> Option<Sector> {
        let place = inode.checked_sub(TEXT + 1)?;
        self.sectors.get(usize::try_from(place).ok()?).copied()
    }

    fn inode(&self, name: &str) -> Option<u64> {
        if name == SECVAL {
            return Some(TEXT);
        }
        let sector: Sector = name.parse().ok()?;
        let place = self.sectors.binary_search(&sector).ok()?;
        Some(TEXT + 1 + place as u64)
    }

    fn attributes(&self, inode: u64) -> Option<FileAttr> {
        let (kind, perm, size) = match inode {
            1 => (FileType::Directory, 0o555, 0),
            TEXT => (FileType::RegularFile, 0o444, self.text().len() as u64),
            _ => (FileType::RegularFile, 0o444, self.sector(inode)?.bytes()),
        };
        Some(FileAttr {
            ino: INodeNo(inode),
            size,
            blocks: size.div_ceil(512),
            atime: self.time,
            mtime: self.time,
            ctime: self.time,
            crtime: self.time,
            kind,
            perm,
            nlink: if inode == 1 { 2 } else { 1 },
            uid: self.owner.0,
            gid: self.owner.1,
            rdev: 0,
            blksize: 4096,
            flags: 0,
        })
    }

    fn fail(&self, sector: Sector, error: &io::Error) {
        let failures = self.failures.fetch_add(1, Ordering::Relaxed);
        if !self.quiet && failures < MOST_TOLD {
            let advice = status::database_error(error).map(advice::advice);
            let advice = advice.unwrap_or_default();
            output::to_stderr(&format!("error: {}: {error}{advice}\n", sector.name()));
        }
    }
}

impl Filesystem for SectorFolder {
    fn destroy(&mut self) {
        // Nobody waits for it any more if this fails.
        let _ = self.ended.send(MountEnd::Unmounted);
    }

    fn lookup(&self, _request: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let inode = name.to_str().and_then(|name| self.inode(name));
        let found = inode.filter(|_| parent == INodeNo::ROOT);
        match found.and_then(|inode| self.attributes(inode)) {
            Some(attributes) => reply.entry(&VALID, &attributes, Generation(0)),
            None => reply.error(Errno::ENOENT),
        }
    }

    fn getattr(
        &self,
        _request: &Request,
        inode: INodeNo,
        _handle: Option<FileHandle>,
        reply: ReplyAttr,
    ) {
        match self.attributes(inode.0) {
            Some(attributes) => reply.attr(&VALID, &attributes),
            None => reply.error(Errno::ENOENT),
        }
    }

    fn readdir(
        &self,
        _request: &Request,
        inode: INodeNo,
        _handle: FileHandle,
        offset: u64,
        mut reply: ReplyDirectory,
    ) {
        if inode != INodeNo::ROOT {
            return reply.error(Errno::ENOTDIR);
        }
        let dots = [".", ".."].map(|name| (1, FileType::Directory, name.to_owned()));
        let text = [(TEXT, FileType::RegularFile, SECVAL.to_owned())];
        let sectors = self.sectors.iter().zip(TEXT + 1..);
        let sectors = sectors.map(|(sector, inode)| (inode, FileType::RegularFile, sector.name()));
        let entries = dots.into_iter().chain(text).chain(sectors).zip(1..);
        for ((inode, kind, name), next) in entries.skip(offset as usize) {
            if reply.add(INodeNo(inode), next, kind, name) {
                break;
            }
        }
        reply.ok();
    }

    fn open(&self, _request: &Request, inode: INodeNo, flags: OpenFlags, reply: ReplyOpen) {
        if flags.acc_mode() != OpenAccMode::O_RDONLY {
            return reply.error(Errno::EROFS);
        }
        let Some(sector) = self.sector(inode.0) else {
            return match inode.0 {
                TEXT => reply.opened(FileHandle(0), FopenFlags::FOPEN_KEEP_CACHE),
                _ => reply.error(Errno::EISDIR),
            };
        };
        match self.provider.open(sector) {
            Ok(file) => {
                let handle = self.opened.fetch_add(1, Ordering::Relaxed) + 1;
                locked(&self.open).insert(handle, Arc::new(Mutex::new(file)));
                // Otherwise the system would read whole pages, and ahead, where three bytes are asked
                // for.
                reply.opened(FileHandle(handle), FopenFlags::FOPEN_DIRECT_IO);
            }
            Err(error) => {
                self.fail(sector, &io::Error::other(error));
                reply.error(Errno::EIO);
            }
        }
    }

    fn release(
        &self,
        _request: &Request,
        _inode: INodeNo,
        handle: FileHandle,
        _flags: OpenFlags,
        _owner: Option<LockOwner>,
        _flush: bool,
        reply: ReplyEmpty,
    ) {
        locked(&self.open).remove(&handle.0);
        reply.ok();
    }

    fn read(
        &self,
        _request: &Request,
        inode: INodeNo,
        handle: FileHandle,
        offset: u64,
        size: u32,
        _flags: OpenFlags,
        _owner: Option<LockOwner>,
        reply: ReplyData,
    ) {
        if inode.0 == TEXT {
            let text = self.text().as_bytes();
            let start = (offset as usize).min(text.len());
            let rest = &text[start..];
            return reply.data(&rest[..rest.len().min(size as usize)]);
        }
        let file = locked(&self.open).get(&handle.0).map(Arc::clone);
        let Some(file) = file else {
            return reply.error(Errno::EBADF);
        };
        let mut file = locked(&file);
        let mut bytes = vec![0; size as usize];
        match file.read_at(offset, &mut bytes) {
            Ok(length) => reply.data(&bytes[..length]),
            Err(error) => {
                self.fail(file.sector(), &error);
                reply.error(Errno::EIO);
            }
        }
    }
}
