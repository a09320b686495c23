//! Tests of building: it writes the same files with any number of threads, after any interruption,
//! and in spite of full disks, damaged files and other builds. Also tests of the memory forecast
//! and of `verify`.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use std::thread;
use std::time::{Duration, Instant};

use crate::common::{Random, databases, names, root};
use crate::process::{self, Place, Run};
use millbase::Database;
use millbase::Histogram;
use millbase::internals::Index;
use millbase::internals::write_pair;
use millbase::solve::{BuildFolder, SolveError};
use millbase::store::Profile;
use millbase::{Dtw, Material, Pair, Position, Rules, Value};
use tempfile::TempDir;

/// The pairs that most tests build, in their order.
const PAIRS: [&str; 4] = ["3-3", "4-3", "5-3", "4-4"];
const BUILD: [&str; 3] = ["build", "--max-stones", "8"];

/// The number of attempts of a test to disturb a build at the right moment.
const ATTEMPTS: usize = 200;

/// Files by name.
type Files = BTreeMap<String, Vec<u8>>;

/// The files of an undisturbed build.
struct Undisturbed {
    files: Files,
    notes: String,
    time: Duration,
}

static UNDISTURBED: LazyLock<Undisturbed> = LazyLock::new(|| {
    let folder = TempDir::new().unwrap();
    let start = Instant::now();
    let built = run(folder.path(), &BUILD);
    let time = start.elapsed();
    assert_eq!(built.status, 0, "{}", built.err);
    Undisturbed {
        files: databases(folder.path()),
        notes: built.err,
        time,
    }
});

fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = process::program(process::empty_home(), args);
    command.arg("--db").arg(folder);
    command
}

fn run(folder: &Path, args: &[&str]) -> Run {
    process::run(&mut command(folder, args))
}

fn spawn(folder: &Path) -> Child {
    let mut command = command(folder, &BUILD);
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// Whether the folder has a temporary file.
fn is_writing(folder: &Path) -> bool {
    names(folder).iter().any(|name| name.ends_with(".tmp"))
}

/// Checks that all databases in the folder are as an undisturbed build makes them.
fn assert_right(files: &Files) {
    for (name, bytes) in files {
        assert!(*bytes == UNDISTURBED.files[name], "{name} differs");
    }
}

/// Builds what is missing and checks that the folder is then as after an undisturbed build.
fn assert_completes(folder: &Path) {
    let built = run(folder, &BUILD);
    assert_eq!(built.status, 0, "{}", built.err);
    let files = databases(folder);
    assert_eq!(files.len(), PAIRS.len());
    assert_right(&files);
    assert!(!is_writing(folder));
}

/// Checks that the program failed with one sentence that has these words.
fn assert_fails(run: &Run, status: i32, words: &[&str]) {
    assert_eq!((run.status, run.out.as_str()), (status, ""), "{}", run.err);
    let sentence = run.err.lines().last().unwrap();
    assert!(sentence.starts_with("error: "), "{}", run.err);
    for word in words {
        assert!(sentence.contains(word), "'{word}' in: {sentence}");
    }
}

#[test]
fn every_pair_is_noted() {
    let notes: Vec<&str> = UNDISTURBED.notes.lines().collect();
    assert_eq!(notes.len(), PAIRS.len());
    for (note, pair) in notes.iter().zip(PAIRS) {
        assert!(note.starts_with(&format!("{pair} built in ")), "{note}");
    }
}

#[test]
fn any_number_of_threads_makes_the_same_files() {
    for threads in ["1", "3", "8"] {
        let folder = TempDir::new().unwrap();
        let args = [&BUILD[..], &["--threads", threads]].concat();
        let built = run(folder.path(), &args);
        assert_eq!(built.status, 0, "{}", built.err);
        let files = databases(folder.path());
        assert_eq!(files.len(), PAIRS.len());
        assert_right(&files);
    }
}

// Interruptions

#[test]
fn killed_builds_go_on() {
    kill_builds(8);
}

#[test]
#[ignore = "takes minutes"]
fn builds_that_are_killed_at_a_hundred_moments_go_on() {
    kill_builds(100);
}

/// Kills builds at this number of moments, which depend on the scheduling of threads.
fn kill_builds(moments: u32) {
    let folder = TempDir::new().unwrap();
    let mut random = Random::new(1);
    let mut longest = UNDISTURBED.time;
    let mut killed = 0;
    for _ in 0..ATTEMPTS {
        if killed == moments {
            break;
        }
        let mut build = spawn(folder.path());
        thread::sleep(longest.mul_f64(random.below(1000) as f64 / 1000.0));
        build.kill().unwrap();
        let completed = build.wait().unwrap().success();
        let files = databases(folder.path());
        assert_right(&files);
        if completed {
            // This build was faster, or found much done. The next one starts from scratch.
            longest = longest.mul_f64(0.9);
            assert_eq!(files.len(), PAIRS.len());
            for name in files.keys() {
                fs::remove_file(folder.path().join(name)).unwrap();
            }
        } else {
            killed += 1;
        }
    }
    assert_eq!(killed, moments, "of {ATTEMPTS} builds so many were killed");
    assert_completes(folder.path());
}

/// Kills a build when it has begun to write the file of a pair, if it does so.
fn kill_while_writing(folder: &Path, pair: &str) {
    let start = format!(".{pair}.mill.");
    let begun = || names(folder).iter().any(|name| name.starts_with(&start));
    let mut build = spawn(folder);
    while !begun() && build.try_wait().unwrap().is_none() {
        thread::sleep(Duration::from_millis(1));
    }
    build.kill().unwrap();
    build.wait().unwrap();
}

#[test]
fn builds_killed_while_they_write_go_on() {
    let folder = TempDir::new().unwrap();
    let mut caught = 0;
    for _ in 0..ATTEMPTS / PAIRS.len() {
        fs::remove_dir_all(folder.path()).unwrap();
        fs::create_dir(folder.path()).unwrap();
        for pair in PAIRS {
            kill_while_writing(folder.path(), pair);
            caught += usize::from(is_writing(folder.path()));
            assert_right(&databases(folder.path()));
        }
        if caught > 0 {
            break;
        }
    }
    assert!(caught > 0, "no build was killed before a file was complete");
    // The remains of the last one do not disturb the next.
    fs::write(folder.path().join(".9-9.mill.0123.tmp"), "left").unwrap();
    fs::remove_file(folder.path().join("3-3.mill")).unwrap();
    assert_completes(folder.path());
}

#[cfg(unix)]
#[test]
fn builds_stop_when_they_are_asked_to() {
    let folder = TempDir::new().unwrap();
    let mut random = Random::new(2);
    let mut longest = UNDISTURBED.time;
    let mut times = Vec::new();
    for _ in 0..ATTEMPTS {
        if times.len() == 6 {
            break;
        }
        fs::remove_dir_all(folder.path()).unwrap();
        let mut build = spawn(folder.path());
        let mut notes = BufReader::new(build.stderr.take().unwrap());
        let mut first = String::new();
        notes.read_line(&mut first).unwrap();
        assert!(first.starts_with("3-3 built"), "{first}");
        thread::sleep(longest.mul_f64(random.below(1000) as f64 / 1000.0));
        let asked = Instant::now();
        process::signal(&build, ["INT", "TERM"][times.len() % 2]);
        let status = build.wait().unwrap();
        let time = asked.elapsed();
        if status.success() {
            longest = longest.mul_f64(0.8);
            continue;
        }
        let mut rest = String::new();
        notes.read_to_string(&mut rest).unwrap();
        assert_eq!(status.code(), Some(130), "{rest}");
        let last = rest.lines().last().unwrap();
        assert!(last.starts_with("stopped; "), "{rest}");
        assert!(last.contains("the same command continues"), "{rest}");
        assert!(!is_writing(folder.path()));
        assert!(!folder.path().join(".build.lock").exists());
        assert_right(&databases(folder.path()));
        times.push(time);
    }
    assert_eq!(times.len(), 6, "of {ATTEMPTS} builds so many were stopped");
    // Other load on the machine slows down whole builds, too.
    let quickest = times.iter().min().unwrap();
    assert!(*quickest < UNDISTURBED.time / 4, "{times:?}");
    assert_completes(folder.path());
}

// Obstacles

#[test]
fn one_build_at_a_time() {
    let folder = TempDir::new().unwrap();
    let locked = BuildFolder::lock(folder.path()).unwrap();
    let again = BuildFolder::lock(folder.path());
    assert!(matches!(again, Err(SolveError::Busy(_))), "{again:?}");
    assert_fails(&run(folder.path(), &BUILD), 5, &["another build"]);
    let lock = folder.path().join(".build.lock");
    assert!(lock.exists());
    drop(locked);
    assert!(!lock.exists());

    let builds: Vec<Child> = (0..4).map(|_| spawn(folder.path())).collect();
    let mut completed = 0;
    for build in builds {
        let run = Run::from(build.wait_with_output().unwrap());
        match run.status {
            0 => completed += 1,
            _ => assert_fails(&run, 5, &["another build"]),
        }
    }
    assert!(completed > 0);
    assert_completes(folder.path());
    assert!(!lock.exists());
}

#[test]
fn damaged_files_are_named_and_built_again() {
    let folder = TempDir::new().unwrap();
    for (name, bytes) in &UNDISTURBED.files {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    let damaged = folder.path().join("4-3.mill");
    let mut bytes = fs::read(&damaged).unwrap();
    let length = bytes.len();
    bytes[length - 1] ^= 1;
    fs::write(&damaged, bytes).unwrap();
    fs::remove_file(folder.path().join("4-4.mill")).unwrap();

    let failed = run(folder.path(), &BUILD);
    let name = damaged.to_str().unwrap();
    assert_fails(&failed, 4, &[name, "delete the file and build it again"]);
    let (_, offset) = failed.err.split_once("at byte ").unwrap();
    let (offset, _) = offset.split_once(':').unwrap();
    let offset: usize = offset.parse().unwrap();
    // The block with the damage.
    assert!(
        offset < length && length - offset <= 1 << 16,
        "{}",
        failed.err
    );
    assert_eq!(databases(folder.path()).len(), PAIRS.len() - 1);
    assert!(!is_writing(folder.path()));

    fs::remove_file(damaged).unwrap();
    assert_completes(folder.path());
}

/// Runs a script for `sh`, to which `$0` is the program and `$1` the folder.
#[cfg(unix)]
fn run_script(shell: &[&str], script: &str, folder: &Path) -> std::io::Result<Run> {
    let mut command = Command::new(shell[0]);
    command.args(&shell[1..]).args(["-c", script]);
    command.arg(process::PROGRAM).arg(folder);
    command.output().map(Run::from)
}

/// Files may have 64 or, with another shell, 128 KiB: too little for the larger ones.
#[cfg(unix)]
#[test]
fn files_that_may_not_grow_are_reported() {
    let folder = TempDir::new().unwrap();
    let script = r#"trap "" XFSZ; ulimit -f 128; exec "$0" build --max-stones 9 --db "$1""#;
    let failed = run_script(&["sh"], script, folder.path()).unwrap();
    assert_fails(&failed, 5, &[".mill", "free some space"]);
    let written = databases(folder.path());
    let all = 6;
    assert!(written.contains_key("3-3.mill") && written.len() < all);
    assert_right(&written);
    assert!(!is_writing(folder.path()));
    assert_completes(folder.path());
}

/// The build has a small disk of its own, which then grows.
#[cfg(target_os = "linux")]
#[test]
fn full_disks_are_reported() {
    let place = TempDir::new().unwrap();
    let folder = place.path().join("db");
    fs::create_dir(&folder).unwrap();
    let shell = ["unshare", "--user", "--map-root-user", "--mount", "sh"];
    let mount = r#"mount -t tmpfs -o size=100k none "$1""#;
    if !run_script(&shell, mount, &folder).is_ok_and(|run| run.status == 0) {
        return process::skip("this system lets nobody mount a small disk");
    }
    let script = r#"
        "$0" build --max-stones 8 --quiet --db "$1"; echo $?; ls -A "$1"
        mount -o remount,size=50m "$1"
        "$0" build --max-stones 8 --quiet --db "$1" >&2; echo $?
        cp "$1"/*.mill "$1"/.."#;
    let run = run_script(&shell, &[mount, script].concat(), &folder).unwrap();
    let (answer, notes) = (run.out, run.err);
    let sentence = notes.lines().next().unwrap();
    assert!(sentence.starts_with("error: "), "{notes}");
    assert!(sentence.contains("free some space"), "{notes}");
    let lines: Vec<&str> = answer.lines().collect();
    assert_eq!(lines[0], "5", "{answer}{notes}");
    assert!(lines.contains(&"3-3.mill"), "{answer}");
    assert!(!lines.iter().any(|name| name.ends_with(".tmp")), "{answer}");
    assert_eq!(lines.last(), Some(&"0"), "{answer}{notes}");
    let files = databases(place.path());
    assert_eq!(files.len(), PAIRS.len());
    assert_right(&files);
}

#[cfg(unix)]
#[test]
fn folders_that_may_not_be_written_are_reported() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;

    let place = TempDir::new().unwrap();
    let allow = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    // Root may do everything, so another user who may read the folder takes its place.
    let program = place.path().join("millbase");
    // A process that another test starts meanwhile could hold a copy of ours open for writing, which then cannot run.
    let copied = process::run(Command::new("cp").arg(process::PROGRAM).arg(&program));
    assert_eq!(copied.status, 0, "{}", copied.err);
    let folder = place.path().join("db");
    fs::create_dir(&folder).unwrap();
    allow(place.path(), 0o755);
    allow(&folder, 0o555);
    let is_root = fs::write(folder.join("note"), "").is_ok();
    for unwritable in [folder.clone(), folder.join("new")] {
        let mut build = Command::new(&program);
        build.args(BUILD).arg("--db").arg(&unwritable);
        if is_root {
            build.uid(65534).gid(65534);
        }
        let words = [unwritable.to_str().unwrap(), "ermission denied"];
        assert_fails(&process::run(&mut build), 5, &words);
    }
    allow(&folder, 0o755);
    assert_completes(&folder);
}

// Memory

/// The most memory that a process has taken so far, in bytes.
#[cfg(target_os = "linux")]
fn peak(process: &Child) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{}/status", process.id())).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().trim_end_matches(" kB").parse().ok()?;
    Some(kib << 10)
}

#[cfg(target_os = "linux")]
#[test]
fn memory_is_foreseen() {
    let folder = TempDir::new().unwrap();
    let embedded = root().join("db");
    for (name, bytes) in databases(&embedded) {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    let args = ["build", "--pair", "6-4", "--threads", "2"];
    let dry = [&args[..], &["--dry-run", "--json"]].concat();
    let plan = run(folder.path(), &dry).json();
    let expected = plan["memory_bytes"].as_u64().unwrap() as f64;

    let mut build = command(folder.path(), &args)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut measured = 0;
    while build.try_wait().unwrap().is_none() {
        measured = measured.max(peak(&build).unwrap_or(0));
        thread::sleep(Duration::from_millis(2));
    }
    assert!(build.wait().unwrap().success());
    let ratio = measured as f64 / expected;
    assert!(
        (0.9..=1.1).contains(&ratio),
        "{measured} of {expected} bytes"
    );
}

// Verification

/// A file with correct checksums and counts in which one value is wrong: a win instead of a draw.
#[test]
fn verify_finds_a_single_wrong_value() {
    let rules = Rules::STANDARD;
    let pair = Pair::new(5, 3).unwrap();
    let folder = TempDir::new().unwrap();
    for (name, bytes) in &UNDISTURBED.files {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    let db = Database::open(folder.path(), rules).unwrap();
    let tables: Vec<Material> = pair.tables(&Rules::STANDARD);
    let histograms = tables
        .iter()
        .map(|&material| db.histogram(material).cloned());
    let mut histograms: Vec<Histogram> = histograms.collect::<Result<_, _>>().unwrap();
    let mut values = millbase::internals::solve::load(&db, tables[0]).unwrap();
    let index = Index::new(tables[0]);
    let middle = values.len() / 2;
    let entry = middle
        + values[middle..]
            .iter()
            .position(|&value| value == 0)
            .unwrap();
    let wrong = Value::Win(Dtw(3));
    values[entry] = wrong.to_byte().unwrap();
    let (mover, waiting) = index.sets(entry);
    let position = Position::moving(mover, waiting).text(&rules);

    histograms[0] = Histogram::of_table(&index, &values);
    let (folder, profile) = (folder.path(), Profile::default());
    write_pair(folder, &rules, profile, pair, &values, &histograms).unwrap();

    let verify = ["verify", "--pair", "5-3", "--quiet"];
    let Run { status, out, .. } = run(folder, &verify);
    assert_eq!(status, 1, "{out}");
    let finding = format!(
        "{position}: stored {wrong}, but its turns give {}",
        Value::Draw
    );
    assert!(
        out.lines().any(|line| line == finding),
        "{finding} in\n{out}"
    );
}

/// The limit of the system, before anything begins.
#[cfg(target_os = "linux")]
#[test]
fn a_build_that_may_not_have_its_memory_does_not_begin() {
    let place = Place::new();
    let build = "ulimit -v 1000000; exec \"$0\" build --db new \"$@\"";
    let limited = |args: &[&str]| {
        let mut command = Command::new("sh");
        command.args(["-c", build, process::PROGRAM]).args(args);
        process::run(command.current_dir(place.path()).env("HOME", place.path()))
    };
    limited(&[]).fails_with(
        2,
        "more than the 976.56 MiB of 'ulimit -v'; raise it, or build fewer",
    );
    assert!(!place.path().join("new").exists());
    let planned = limited(&["--dry-run"]);
    assert_eq!(planned.status, 0);
    assert!(planned.err.starts_with("note: "), "{}", planned.err);
    // --memory replaces the limit of the system.
    limited(&["--memory", "200M"]).fails_with(2, "of --memory");
    let small = limited(&["--max-stones", "6", "--threads", "1"]);
    assert_eq!(small.status, 0, "{}", small.err);
}
