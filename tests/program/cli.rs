//! Tests of the command line: options, help, wrong usage, failures, output that is a full disk or has colours.

use std::fs;
use std::io::ErrorKind;
use std::process::Command;
use std::time::Duration;

use crate::probe::{FLYING, LARGER};
use crate::process::{Place, run_alone, shows, split};

const COMMANDS: &str = "build export compare verify probe line stats records find list prove perft \
    serve bench review explain match judge puzzles completions man";

#[test]
fn failures_are_json_where_json_is_asked_for() {
    let place = Place::new();
    for (args, status) in [
        (&["probe", "nonsense"][..], 2),
        (&["probe", LARGER], 3),
        (&["line", "start", "--no"], 2),
        (&["line", LARGER], 3),
    ] {
        let plain = place.run(args);
        plain.fails_with(status, "");
        assert_eq!(plain.out, "", "{args:?}");
        let with_json = place.run(&[args, &["--json"]].concat());
        with_json.fails_with(status, "");
        assert_eq!(with_json.err, plain.err, "{args:?}");
        assert!(with_json.out.starts_with('{'), "{args:?}");
    }
}

/// The sizes of the writes to stdout: each write to a datagram socket is a datagram.
#[cfg(unix)]
fn writes(command: &mut Command) -> Vec<usize> {
    use std::os::fd::OwnedFd;
    use std::os::unix::net::UnixDatagram;
    let (ours, theirs) = UnixDatagram::pair().unwrap();
    ours.set_read_timeout(Some(Duration::from_millis(20)))
        .unwrap();
    let mut child = command.stdout(OwnedFd::from(theirs)).spawn().unwrap();
    let (mut bytes, mut sizes) = (vec![0; 1 << 16], Vec::new());
    loop {
        let ended = child.try_wait().unwrap();
        match (ours.recv(&mut bytes), ended) {
            (Ok(size), _) => sizes.push(size),
            (Err(_), None) => {}
            (Err(error), Some(status)) => {
                assert!(matches!(
                    error.kind(),
                    ErrorKind::WouldBlock | ErrorKind::TimedOut
                ));
                assert!(status.success());
                return sizes;
            }
        }
    }
}

#[cfg(unix)]
#[test]
fn an_answer_is_one_write() {
    let place = Place::new();
    for args in [
        &["probe", FLYING][..],
        &["probe", FLYING, "--json"],
        &["probe", FLYING, "--color", "always"],
        &["line", FLYING],
        &["explain", FLYING],
        &["stats"],
        &["list"],
        &["perft", "--divide", FLYING, "2"],
    ] {
        let sizes = writes(&mut place.command(args));
        assert_eq!(sizes, [place.run(args).out.len()], "{args:?}");
    }
}

#[test]
fn every_command_has_help_with_an_example() {
    let commands = split(COMMANDS).into_iter();
    for command in commands.chain(["puzzles make", "puzzles check"]) {
        let run = run_alone(&split(&format!("{command} --help")));
        assert_eq!((run.status, run.err.as_str()), (0, ""));
        assert!(run.out.contains("Example"), "{command}");
        shows(&run.out, &format!("\n  millbase {command}"));
    }
    assert!(run_alone(&["--version"]).out.starts_with("millbase "));
}

/// A command's own options come first, and all pages have one layout.
#[test]
fn help_has_one_layout() {
    for command in split(COMMANDS) {
        let help = run_alone(&[command, "--help"]).out;
        if ["export", "compare", "puzzles"].contains(&command) {
            continue;
        }
        let (own, global) = help.split_once("\nGlobal options:\n").expect(command);
        for option in ["--db <DIR>", "--rules <", "--json", "--threads <N>"] {
            let heads = |text: &str| {
                let mut lines = text.lines();
                lines.any(|line| line.trim_start().starts_with(option))
            };
            assert!(heads(global) && !heads(own), "{command}: {option}");
        }
        assert!(own.contains("--help"), "{command}");
        for option in help.lines().map(str::trim_start) {
            let is_option = option.starts_with("--");
            assert!(!is_option || !option.contains("  "), "{command}: {option}");
        }
        shows(&run_alone(&[command, "-h"]).out, "--json  ");
    }
}

#[test]
fn wrong_usage_is_one_sentence() {
    let explain = format!("explain {FLYING} a1-a9");
    let place = Place::new();
    for (args, words) in [
        ("conquer", "see 'millbase --help'"),
        ("--nonsense", "see 'millbase --help'"),
        ("probe", "see 'millbase probe --help'"),
        ("probe --nonsense", ""),
        ("line", ""),
        ("stats --threads 0", ""),
        ("stats --pair 6-2", ""),
        ("stats --pair 12-3", ""),
        ("build --max-stones 5", ""),
        ("build --memory much --dry-run", ""),
        ("man conquer", ""),
        ("perft start", "the DEPTH is missing; give one position"),
        ("perft start 100", "'100' is not a DEPTH"),
        ("build --plies 9 --dry-run", "--placing"),
        ("verify --ignore-missing", "--sums"),
        ("prove --hash 0", "expected a size of at least 1M"),
        ("--json uci", "this command has no JSON form"),
        ("--json play", "this command has no JSON form"),
        ("--json man", "this command has no JSON form"),
        ("--json completions bash", "this command has no JSON form"),
        // Nothing in the words of a programming language.
        (
            "stats --threads x",
            "expected a whole number from 1 to 1024",
        ),
        (
            "stats --threads 99999999999999999999",
            "whole number from 1 to 1024",
        ),
        (
            "bench --seed x",
            "expected a whole number from 0 to 2^64 - 1",
        ),
        (
            "verify --sample 0",
            "expected a whole number from 1 to 2^64 - 1",
        ),
        (
            "serve --listen here",
            "expected an address with a port, like 127.0.0.1:8024",
        ),
        (
            "compare malom . --first x",
            "expected a whole number from 0 to",
        ),
        (
            "probe x",
            "this is not a position in the form of mill programs",
        ),
        (
            "probe ********/********/O*****@* w m s 1 0 2 0 0 0",
            "but the board shows 1",
        ),
        (
            "--db probe verify --sample 0",
            "see 'millbase verify --help'",
        ),
        ("--json line --no", "see 'millbase line --help'"),
        (
            "puzzles make --count 0",
            "see 'millbase puzzles make --help'",
        ),
        ("export malom", "see 'millbase export malom --help'"),
        ("explain start zz", "'zz' is not a turn"),
        (&explain, "'a1-a9' is not a turn"),
        (
            "perft start 3 4",
            "'3' follows a whole position; give one position and one depth\n",
        ),
        ("perft start a1 2", "'a1' follows a whole position"),
        ("--db none-here verify", "'none-here' is not a folder"),
    ] {
        place.fails(args, 2, words);
    }
    let lines = "follows a whole position; give one position, or lines with '-'\n";
    for (args, words) in [
        (&["probe", FLYING, "--color", "sometimes"][..], ""),
        (&["explain", FLYING, "a1-a9"], "'a1-a9' is not a turn"),
        (&["probe", FLYING, "-"], &format!("'-' {lines}")),
        (&["line", FLYING, "extra"], &format!("'extra' {lines}")),
        (
            &["explain", FLYING, "a1-a4", "a1-e4"],
            "'a1-a4' follows a whole position; give one position and at most one turn",
        ),
    ] {
        place.run(args).fails_with(2, words);
    }
    fs::write(place.path().join("x.toml"), b"\xff").unwrap();
    for args in [
        "stats --rules x.toml",
        "puzzles check x.toml",
        "match level=3 level=3 --starts x.toml",
        "verify --sums x.toml",
    ] {
        place.fails(args, 2, "it is not a text in UTF-8");
    }
    let log = "match level=3 level=3 --log x.toml";
    place.fails(log, 2, "'x.toml' is not the log of this match");
    let nothing = run_alone(&[]);
    assert_eq!((nothing.status, nothing.out.as_str()), (2, ""));
}

#[test]
fn completions_and_man_pages_name_the_commands() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let run = run_alone(&["completions", shell]);
        assert_eq!(run.status, 0);
        assert!(
            split(COMMANDS)
                .iter()
                .all(|command| run.out.contains(command))
        );
    }
    let page = run_alone(&["man"]);
    assert_eq!(page.status, 0);
    assert!(
        split(COMMANDS)
            .iter()
            .all(|command| page.out.contains(command))
    );
    for command in split(COMMANDS) {
        let page = run_alone(&["man", command]);
        assert_eq!(page.status, 0);
        assert!(page.out.contains("Example"), "{command}");
        let source = format!("\"millbase {}\"", env!("CARGO_PKG_VERSION"));
        let title = format!("\n.TH millbase-{command} 1 \" \" {source} Millbase\n");
        shows(&page.out, &title);
    }
    let page = run_alone(&["man", "puzzles", "make"]);
    shows(&page.out, "\n.TH millbase-puzzles-make 1 ");
    shows(&page.out, "\\-\\-count");
    let page = run_alone(&["man", "repack"]).out.replace('\\', "");
    let usage =
        "[--pair PAIR] [--profile PROFILE] [--level LEVEL] [--help] [GLOBAL OPTIONS] --to <DIR>";
    shows(&page, usage);
    shows(&page, "\n.SH \"GLOBAL OPTIONS\"\n");
}

#[cfg(target_os = "linux")]
#[test]
fn full_disks_are_reported() {
    let place = Place::new();
    for args in [&["stats"][..], &["man", "probe"], &["perft", "start", "2"]] {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let output = place.command(args).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(5));
        assert!(output.stderr.starts_with(b"error: cannot write the answer"));
    }
}

#[test]
fn colours_are_for_those_who_want_them() {
    let place = Place::new();
    let coloured = |more: &[&str]| {
        let run = place.run(&[&["probe", FLYING], more].concat());
        run.out.contains("\x1b[")
    };
    assert!(!coloured(&[]));
    assert!(!coloured(&["--color", "never"]));
    assert!(coloured(&["--color", "always"]));
    assert!(!coloured(&["--color", "always", "--json"]));
}
