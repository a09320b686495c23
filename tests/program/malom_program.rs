//! The commands that write, compare and mount the sector files of another program.

use std::fs;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::common::{Random, names};
#[cfg(unix)]
use crate::process::signal;
use crate::process::{Guard, Run, program, run, skip};
use millbase::malom::Sector;
use serde_json::{Value as Json, json};
use tempfile::TempDir;

/// Runs the program in a folder that is its home.
fn millbase(home: &Path, args: &[&str]) -> Run {
    run(&mut program(home, args))
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path in Unicode")
}

/// The sectors of the moving phase up to seven stones.
const SMALL: [&str; 3] = ["std_3_3_0_0.sec2", "std_3_4_0_0.sec2", "std_4_3_0_0.sec2"];

fn export(home: &Path, to: &Path, more: &[&str]) -> Run {
    let args = ["export", "malom", "--to", text(to), "--moving"];
    millbase(home, &[&args, more].concat())
}

fn compare(home: &Path, folder: &Path) -> Run {
    let args = ["compare", "malom", text(folder), "--moving", "--json"];
    millbase(home, &args)
}

#[test]
fn what_is_exported_is_compared_without_a_difference() {
    let home = TempDir::new().unwrap();
    let folder = home.path().join("new").join("strong");
    compare(home.path(), &folder).fails_with(2, "is not a folder");
    let answer = export(home.path(), &folder, &["--max-stones", "7", "--json"]).json();
    assert_eq!(
        (&answer["scheme"], &answer["written"]),
        (&"complete".into(), &3.into())
    );
    let mut expected = SMALL.to_vec();
    expected.insert(0, "std.secval");
    assert_eq!(names(&folder), expected);
    for name in SMALL {
        let size = fs::metadata(folder.join(name)).unwrap().len();
        assert_eq!(size, name.parse::<Sector>().unwrap().bytes());
    }
    let equal = compare(home.path(), &folder).json();
    assert_eq!(
        (&equal["compared"], &equal["differences"]),
        (&3.into(), &0.into())
    );
    assert_eq!(
        (&equal["missing"], &equal["unreachable"]),
        (&46.into(), &0.into())
    );

    // It goes on where it was: what is there stays.
    fs::remove_file(folder.join(SMALL[1])).unwrap();
    let marked = fs::read(folder.join(SMALL[0])).unwrap();
    fs::write(folder.join(".std_3_4_0_0.sec2.tmp"), "half").unwrap();
    let again = export(home.path(), &folder, &["--max-stones", "7", "--json"]).json();
    assert_eq!(
        (&again["written"], &again["sectors"]),
        (&1.into(), &3.into())
    );
    assert_eq!(names(&folder), expected);
    assert_eq!(fs::read(folder.join(SMALL[0])).unwrap(), marked);
    let one = export(home.path(), &folder, &["--pair", "3-3"]);
    assert_eq!(one.status, 2, "{}", one.err); // --moving and --pair
    let pair = [
        "export",
        "malom",
        "--to",
        text(&folder),
        "--pair",
        "4-4",
        "--json",
    ];
    assert_eq!(millbase(home.path(), &pair).json()["written"], 1);
}

/// A list in which every sector has a number of its own.
fn graded(folder: &Path) -> PathBuf {
    let path = folder.join("graded.secval");
    fs::write(&path, crate::common::graded()).unwrap();
    path
}

#[test]
fn files_go_with_a_list_that_is_there() {
    let home = TempDir::new().unwrap();
    let list = graded(home.path());
    let [own, named, there] = ["own", "named", "there"].map(|name| home.path().join(name));
    export(home.path(), &own, &["--max-stones", "6", "--json"]).json();
    let more = ["--max-stones", "6", "--secval", text(&list), "--json"];
    assert_eq!(
        export(home.path(), &named, &more).json()["scheme"],
        "compatible"
    );
    fs::create_dir(&there).unwrap();
    fs::copy(&list, there.join("std.secval")).unwrap();
    export(home.path(), &there, &["--max-stones", "6", "--json"]).json();
    let bytes = [&own, &named, &there].map(|folder| fs::read(folder.join(SMALL[0])).unwrap());
    assert_eq!(bytes[1], bytes[2]);
    assert_ne!(bytes[0], bytes[1]);
    let lists = [&named, &there].map(|folder| fs::read(folder.join("std.secval")).unwrap());
    assert_eq!(lists[0], lists[1]);
    for folder in [&own, &named, &there] {
        assert_eq!(compare(home.path(), folder).json()["differences"], 0);
    }
    // Files of one list say something else by another.
    fs::copy(own.join("std.secval"), there.join("std.secval")).unwrap();
    assert_eq!(compare(home.path(), &there).status, 1);
    let other = export(home.path(), &own, &more);
    other.fails_with(2, "another std.secval");
    assert_eq!(other.object()["error"]["code"], "invalid");
}

/// The number of a slot with a win in a file of our own list.
fn win(bytes: &[u8]) -> usize {
    let slots = bytes[64..].chunks(3);
    let found = slots
        .enumerate()
        .find(|(_, slot)| slot[0] == 1 && slot[1] == 0x10 && slot[2] == 0);
    found.expect("a win in one").0
}

#[test]
fn damage_is_found_and_named() {
    let home = TempDir::new().unwrap();
    let folder = home.path().join("strong");
    export(home.path(), &folder, &["--max-stones", "7", "--json"]).json();
    let file = folder.join(SMALL[0]);
    let right = fs::read(&file).unwrap();
    let place = 64 + 3 * win(&right);
    let with = |place: usize, bytes: &[u8]| {
        let mut damaged = right.clone();
        damaged[place..place + bytes.len()].copy_from_slice(bytes);
        fs::write(&file, damaged).unwrap();
        let found = compare(home.path(), &folder);
        assert_eq!(
            (found.status, found.err.lines().count()),
            (1, 3),
            "{}",
            found.err
        );
        found.object()
    };
    for (bytes, field) in [
        ([1, 0x30, 0], "depths"),     // a win in 3
        ([0, 0, 0], "results"),       // a draw
        ([0xff, 0x0f, 0], "results"), // a loss in 0
        ([1, 0x20, 0], "unknown"),    // a win in 2: the loser cannot make the last turn
        ([7, 0x10, 0], "unknown"),    // a number beyond that of a win
        ([0, 0xf0, 0xff], "unknown"), // a redirect by a symmetry that leads elsewhere
    ] {
        let found = with(place, &bytes);
        let sectors = found["sectors"].as_array().unwrap();
        assert_eq!(sectors.len(), 1, "{found}");
        assert_eq!(sectors[0]["file"], SMALL[0]);
        let first = &sectors[0]["first"][0];
        assert!(
            sectors[0][field].as_u64().unwrap() >= 1,
            "{bytes:x?} {found}"
        );
        assert_eq!(first["slot"], (place - 64) / 3, "{found}");
        // The position is the one that has the value.
        let position = first["position"].as_str().unwrap();
        let probe = millbase(home.path(), &["probe", "--json", position]).json();
        assert_eq!((&probe["wdl"], &probe["dtw"]), (&"win".into(), &1.into()));
        assert_eq!(
            (&first["ours"]["wdl"], &first["ours"]["dtw"]),
            (&probe["wdl"], &probe["dtw"])
        );
    }
    let damaged = |bytes: &[u8]| {
        fs::write(&file, bytes).unwrap();
        let found = compare(home.path(), &folder);
        assert_eq!(found.status, 1);
        let found = found.object();
        assert_eq!(
            (&found["compared"], &found["damaged"][0]["file"]),
            (&2.into(), &SMALL[0].into())
        );
        found["damaged"][0]["damage"].as_str().unwrap().to_owned()
    };
    assert!(damaged(&right[..right.len() - 1]).starts_with("truncated: 630487 bytes"));
    assert!(damaged(&[]).starts_with("truncated"));
    assert!(damaged(&[&right[..], &[0; 8]].concat()).starts_with("too long"));
    let mut header = right.clone();
    header[4] = 2;
    assert!(damaged(&header).contains("header"));
    let mut escapes = right.clone();
    let end = escapes.len() - 4;
    escapes[end] = 1;
    assert!(damaged(&escapes).contains("escapes"));
    escapes.extend([0xff; 8]);
    assert!(damaged(&escapes).contains("wrong slot"));
    // Text, for people.
    fs::write(&file, &right[..100]).unwrap();
    let people = millbase(home.path(), &["compare", "malom", text(&folder)]);
    assert_eq!(people.status, 1);
    assert!(
        people
            .out
            .starts_with("std_3_3_0_0.sec2 is damaged: truncated"),
        "{}",
        people.out
    );
    // The export does not take it for one of its own.
    export(home.path(), &folder, &["--max-stones", "7"]).fails_with(2, "truncated");
}

#[test]
fn what_cannot_be_done_is_said_in_a_sentence() {
    let home = TempDir::new().unwrap();
    let (empty, list) = (home.path().join("empty"), home.path().join("list"));
    fs::create_dir(&empty).unwrap();
    fs::create_dir(&list).unwrap();
    fs::write(
        list.join("std.secval"),
        "virt_loss_val: -1\nvirt_win_val: 2\n",
    )
    .unwrap();
    let (empty, list) = (text(&empty), text(&list));
    for (args, status, words) in [
        (vec!["compare", "malom", empty], 2, "std.secval"),
        (vec!["compare", "malom", list], 2, "a win that is worth"),
        (
            vec!["export", "malom", "--to", list],
            2,
            "a win that is worth",
        ),
        (
            vec!["export", "malom", "--to", empty, "--pair", "9-9"],
            3,
            "9-9",
        ),
        (vec!["export", "malom", "--to", empty], 3, "missing"),
        (
            vec!["export", "malom", "--to", empty, "--pair", "10-3"],
            2,
            "at most 9",
        ),
        (
            vec![
                "export",
                "malom",
                "--to",
                empty,
                "--max-stones",
                "2",
                "--moving",
            ],
            2,
            "no such sector",
        ),
        (
            vec!["export", "malom", "--to", empty, "--rules", "twelve"],
            2,
            "standard rules",
        ),
        (
            vec!["export", "malom", "--to", empty, "--secval", "nothing"],
            2,
            "cannot read 'nothing'",
        ),
        (vec!["export", "malom"], 2, "--to"),
    ] {
        millbase(home.path(), &args).fails_with(status, words);
    }
    assert_eq!(names(Path::new(empty)), [""; 0]);
}

impl Guard {
    /// The exit status, within a minute.
    fn wait(&mut self) -> i32 {
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(60) {
            if let Some(status) = self.0.try_wait().unwrap() {
                return status.code().unwrap_or(-1);
            }
            thread::sleep(Duration::from_millis(10));
        }
        panic!("the process does not end");
    }
}

#[test]
#[cfg(unix)]
fn an_export_that_is_stopped_goes_on() {
    let home = TempDir::new().unwrap();
    let folder = home.path().join("strong");
    let args = [
        "export",
        "malom",
        "--to",
        text(&folder),
        "--moving",
        "--max-stones",
        "9",
        "--json",
    ];
    // Ten sectors, besides the list.
    let mut stopped = 0;
    for _ in 0..50 {
        let mut command = program(home.path(), &args);
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = Guard(command.spawn().unwrap());
        let mut lines = BufReader::new(child.0.stderr.take().unwrap()).lines();
        // After the first step.
        let steps = lines
            .by_ref()
            .map(Result::unwrap)
            .find(|line| line.contains("written in"));
        if steps.is_none() {
            assert_eq!(child.wait(), 0);
            break;
        }
        signal(&child.0, "INT");
        let said: Vec<String> = lines.map(Result::unwrap).collect();
        let status = child.wait();
        let left = names(&folder);
        assert!(!left.iter().any(|name| name.ends_with(".tmp")), "{left:?}");
        if status == 130 {
            stopped += 1;
            assert!(
                said.iter()
                    .any(|line| line.contains("the same command continues")),
                "{said:?}"
            );
        }
    }
    assert!(stopped > 0);
    millbase(home.path(), &args).json();
    assert_eq!(names(&folder).len(), 1 + 10);
    assert_eq!(compare(home.path(), &folder).json()["differences"], 0);
}

/// A folder with mounted files.
#[cfg(target_os = "linux")]
struct Mounted {
    process: Guard,
    folder: PathBuf,
    ready: Json,
}

#[cfg(target_os = "linux")]
impl Mounted {
    /// `None` where the system lets nobody mount, and that is said.
    fn new(home: &Path, more: &[&str]) -> Option<Mounted> {
        if !Path::new("/dev/fuse").exists() {
            skip("/dev/fuse is missing");
            return None;
        }
        let folder = home.join("mounted");
        fs::create_dir_all(&folder).unwrap();
        let args = ["mount", text(&folder), "--json", "--quiet"];
        let mut command = program(home, &[&args, more].concat());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = Guard(command.spawn().unwrap());
        let mut line = String::new();
        let out = process.0.stdout.take().unwrap();
        BufReader::new(out).read_line(&mut line).unwrap();
        if line.is_empty() {
            let mut problem = String::new();
            let mut err = process.0.stderr.take().unwrap();
            err.read_to_string(&mut problem).unwrap();
            assert!(problem.contains("cannot mount"), "{problem}");
            skip(format!("no files can be mounted here: {problem}"));
            return None;
        }
        Some(Mounted {
            process,
            folder,
            ready: serde_json::from_str(&line).unwrap(),
        })
    }

    /// Sends Ctrl-C; the folder is as it was.
    fn stop(mut self) {
        signal(&self.process.0, "INT");
        assert_eq!(self.process.wait(), 0);
        assert_eq!(names(&self.folder), [""; 0]);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn mounted_files_are_those_that_are_exported() {
    let home = TempDir::new().unwrap();
    let Some(mounted) = Mounted::new(home.path(), &[]) else {
        return;
    };
    let exported = home.path().join("exported");
    export(home.path(), &exported, &["--max-stones", "8", "--json"]).json();
    // The ten sectors to nine stones, and the list.
    assert_eq!(names(&mounted.folder).len(), 11);
    let mut bytes = 0;
    for name in names(&mounted.folder)
        .iter()
        .filter(|name| *name != "std.secval")
    {
        let size = fs::metadata(mounted.folder.join(name)).unwrap().len();
        assert_eq!(size, name.parse::<Sector>().unwrap().bytes());
        bytes += size;
    }
    let expected = json!({"version": 1, "mounted": mounted.folder, "files": 11, "bytes": bytes});
    assert_eq!(mounted.ready, expected);
    // Many readers at once, some from beginning to end, some here and there.
    let readers = names(&exported);
    assert_eq!(readers.len(), 1 + 6);
    thread::scope(|scope| {
        for (seed, name) in readers.iter().chain(&readers).enumerate() {
            let (mounted, exported) = (mounted.folder.join(name), exported.join(name));
            scope.spawn(move || {
                let expected = fs::read(exported).unwrap();
                if seed % 2 == 0 {
                    assert!(fs::read(mounted).unwrap() == expected, "{name}");
                    return;
                }
                let mut file = fs::File::open(mounted).unwrap();
                let mut random = Random::new(seed as u64);
                for _ in 0..300 {
                    let place = random.below(expected.len() - 3);
                    let mut slot = [0; 3];
                    file.seek(SeekFrom::Start(place as u64)).unwrap();
                    file.read_exact(&mut slot).unwrap();
                    assert_eq!(slot, expected[place..place + 3], "{name} at {place}");
                }
                let end = file.seek(SeekFrom::End(0)).unwrap();
                assert_eq!(
                    (end, file.read(&mut [0; 9]).unwrap()),
                    (expected.len() as u64, 0)
                );
            });
        }
    });
    let file = mounted.folder.join(SMALL[0]);
    assert!(fs::OpenOptions::new().write(true).open(&file).is_err());
    assert!(fs::write(mounted.folder.join("new"), "x").is_err());
    assert!(fs::remove_file(&file).is_err());
    assert!(fs::metadata(mounted.folder.join("std_9_9_0_0.sec2")).is_err());
    mounted.stop();
}

#[test]
#[cfg(target_os = "linux")]
fn a_mount_ends_with_unmounting_and_spares_what_is_there() {
    let home = TempDir::new().unwrap();
    let list = graded(home.path());
    let Some(mut mounted) = Mounted::new(home.path(), &["--secval", text(&list)]) else {
        return;
    };
    let there = fs::read(mounted.folder.join("std.secval")).unwrap();
    assert_eq!(there, fs::read(&list).unwrap());
    // Not on top of another.
    millbase(home.path(), &["mount", text(&mounted.folder)]).fails_with(2, "not empty");
    let mut umount = Command::new("umount");
    if !umount.arg(&mounted.folder).status().unwrap().success() {
        let mut umount = Command::new("fusermount3");
        umount.arg("-u").arg(&mounted.folder);
        assert!(umount.status().unwrap().success());
    }
    assert_eq!(mounted.process.wait(), 0);
    assert_eq!(names(&mounted.folder), [""; 0]);
    // With a file open it ends all the same.
    let mounted = Mounted::new(home.path(), &[]).expect("a mount as before");
    let _open = fs::File::open(mounted.folder.join(SMALL[0])).unwrap();
    mounted.stop();
    millbase(home.path(), &["mount", "nowhere"]).fails_with(2, "create the folder");
}
