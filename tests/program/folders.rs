//! Tests of folders of databases: which one is used, what is missing or damaged in it, its checksums, what `build` adds.

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::root;
use crate::probe::FLYING;
use crate::process::{self, Place, Run, column, has, items, run_alone, shows, split, text};
use millbase::Histogram;
use millbase::internals::{Index, write_pair};
use millbase::solve::kept_plies;
use millbase::store::{Profile, file_name, ply_file_name};
use millbase::{Pair, Rules};
use serde_json::Value as Json;

#[test]
fn folders_are_chosen_in_order() {
    let place = Place::new();
    let folder = |command: &mut Command| {
        let answer = process::run(command).json();
        text(&answer["folder"]).to_owned()
    };
    let list = ["list", "--json"];
    assert!(folder(&mut place.command(&list)).contains("millbase"));
    fs::create_dir(place.path().join("db")).unwrap();
    assert_eq!(folder(&mut place.command(&list)), "db");
    fs::create_dir(place.path().join("other")).unwrap();
    let named = ["list", "--json", "--db", "third"];
    for (args, variable, used) in [
        (&list[..], "other", "other"),
        (&list, "", "db"),
        (&named, "other", "third"),
    ] {
        let mut command = place.command(args);
        assert_eq!(folder(command.env("MILLBASE_DB", variable)), used);
    }
}

#[test]
fn folders_that_are_none() {
    let place = Place::new();
    let absent = place.run(&["stats", "--db", "absent"]);
    assert_eq!(absent.status, 0);
    assert!(absent.err.contains("absent"));
    assert_eq!(place.run(&["stats", "--quiet", "--db", "absent"]).err, "");

    let words = "`millbase build --pair 9-9 --db absent`";
    place.fails("stats --quiet --db absent --pair 9-9", 3, words);

    fs::write(place.path().join("file"), "").unwrap();
    place.fails(
        "stats --db file",
        2,
        "not a folder of databases or a bundle; name one",
    );
    place.fails("build --db file", 2, "not a folder");
    if cfg!(unix) {
        place.fails("list --db /dev/null", 2, "'/dev/null' is not a folder");
    }
}

/// Nothing is built into a bundle.
#[test]
fn advice_for_a_bundle_names_its_folder() {
    let place = Place::new();
    let db = root().join("db");
    let db = db.to_str().unwrap();
    assert_eq!(place.run(&["bundle", "small.mdb", "--db", db]).status, 0);
    let probe = place.run(&["probe", "--db", "small.mdb", "start"]);
    probe.fails_with(3, "make the bundle again");
    let prove = place.run(&["prove", "--db", "small.mdb"]);
    prove.fails_with(3, "make the bundle again");
    let list = place.run(&["list", "--db", "small.mdb"]).out;
    shows(&list, "make the bundle again");
    assert!(!list.contains("'millbase build"), "{list}");
    let check = place.run(&["verify", "--db", "small.mdb", "--pair", "9-9"]);
    assert_eq!(check.status, 3);
    shows(&check.out, "make the bundle again");
    place.fails(
        "build --db small.mdb --rules twelve --max-stones 6",
        2,
        "not a folder",
    );
    place.fails(
        "verify --db small.mdb --placing",
        3,
        "make the bundle again",
    );
    let sums = root().join("db/SHA256SUMS");
    let sums = sums.to_str().unwrap();
    let compared = place.run(&["verify", "--db", "small.mdb", "--sums", sums]);
    compared.fails_with(2, "not a folder");
    // Damage is named with the bundle that has it.
    let mut bytes = fs::read(place.path().join("small.mdb")).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(place.path().join("small.mdb"), &bytes).unwrap();
    let check = place.run(&["verify", "--db", "small.mdb"]);
    assert_eq!(check.status, 4);
    shows(&check.out, ".mill is corrupted");
    shows(&check.out, "make the bundle again");
    bytes.pop();
    fs::write(place.path().join("small.mdb"), &bytes).unwrap();
    let cut = place.run(&["probe", "--db", "small.mdb", "start"]);
    cut.fails_with(4, "make the bundle again");
}

#[test]
fn list_names_what_is_missing() {
    let answer = run_alone(&["list", "--json"]).json();
    let databases = items(&answer["databases"]);
    assert_eq!(databases.len(), 28);
    let present = databases.iter().filter(|entry| entry["present"] == true);
    let present: Json = present.cloned().collect();
    let pairs = column(&present, "pair");
    assert_eq!(pairs, ["3-3", "4-3", "5-3", "4-4", "6-3", "5-4"]);
    let missing = databases.iter().find(|entry| entry["pair"] == "6-4");
    has!(missing.unwrap(), {"bytes": null, "needs": ["6-3", "5-4"]});

    let shown = run_alone(&["list"]).out;
    assert!(shown.contains("missing, needs 6-3 and 5-4"));
    assert!(shown.contains("6 of 28 databases"));
}

#[test]
fn pairs_without_those_they_need_are_left_out() {
    let place = Place::new();
    write_draws(place.path(), Pair::new(8, 3).unwrap());
    let sample = ["verify", "--db", ".", "--sample", "10"];
    let run = place.run(&[&sample[..], &["--json", "--quiet"]].concat());
    assert_eq!(run.status, 3, "{}{}", run.out, run.err);
    assert_eq!(run.err.lines().count(), 1);
    shows(&run.err, "1 of 7 files");
    let answer: Json = serde_json::from_str(&run.out).unwrap();
    assert_eq!(answer["ok"], false);
    for pair in items(&answer["pairs"]) {
        let missing = pair["pair"] == "8-3";
        assert_eq!(pair["ok"], !missing, "{pair}");
        assert_eq!(pair["checked"] == 0, missing, "{pair}");
        assert_eq!(pair["error"].is_object(), missing, "{pair}");
        if missing {
            assert_eq!(pair["error"]["code"], "missing");
            assert!(text(&pair["error"]["message"]).contains("7-3"), "{pair}");
        }
    }
    let sampled = place.run(&sample);
    assert_eq!(sampled.status, 3);
    assert!(sampled.out.contains("\n8-3: the database 7-3 is missing"));

    let bench = ["bench", "--seconds", "0.01", "--max-stones", "6", "--json"];
    let answer = place.run(&[&bench[..], &["--db", "."]].concat()).json();
    let pairs = ["3-3", "4-3", "5-3", "4-4", "6-3", "5-4"];
    has!(answer, {"databases": pairs});
}

/// A file of a pair in which every value is a draw.
fn write_draws(folder: &Path, pair: Pair) {
    let indexes = pair.tables(&Rules::STANDARD).into_iter().map(Index::new);
    let values = |index: &Index| vec![0; index.len()];
    let indexes: Vec<Index> = indexes.collect();
    let histograms = indexes
        .iter()
        .map(|index| Histogram::of_table(index, &values(index)));
    let (histograms, values) = (histograms.collect::<Vec<_>>(), values(&indexes[0]));
    let (rules, profile) = (Rules::STANDARD, Profile::default());
    write_pair(folder, &rules, profile, pair, &values, &histograms).unwrap();
}

#[test]
fn verify_finds_the_built_in_databases_right() {
    let place = Place::new();
    let all = place.run(&["verify"]);
    assert_eq!(all.status, 0, "{}{}", all.out, all.err);
    assert_eq!(all.out.lines().count(), 7);
    let sampled = split("verify --sample 100 --pair 4-3 --json");
    let sampled = place.run(&sampled).json();
    assert_eq!(sampled["ok"], true);
    assert_eq!(sampled["pairs"][0]["checked"], 200);
}

#[test]
fn damaged_files_are_reported() {
    let place = Place::new();
    let build = place.run(&["build", "--max-stones", "6", "--db", "."]);
    assert_eq!(build.status, 0, "{}", build.err);
    let file = place.path().join("3-3.mill");
    let bytes = fs::read(&file).unwrap();

    let mut header = bytes.clone();
    header[0] ^= 1;
    let mut longer = bytes.clone();
    longer.push(0);
    let short = bytes[..bytes.len() - 1].to_vec();
    for damaged in [header, longer, short, Vec::new()] {
        fs::write(&file, damaged).unwrap();
        for command in [
            &["stats", "--pair", "3-3"][..],
            &["probe", FLYING],
            &["build"],
        ] {
            let run = place.run(&[command, &["--db", "."]].concat());
            run.fails_with(4, "3-3.mill");
        }
        let verify = place.run(&["verify", "--pair", "3-3", "--quiet", "--db", "."]);
        assert_eq!(verify.status, 4, "{}", verify.err);
        shows(&verify.out, "3-3.mill");
        let list = place.run(&["list", "--db", "."]);
        list_has_an_unusable_file(&list);
        shows(&list.out, "unusable: ./3-3.mill");
        // The other pairs still have answers.
        let stats = place.run(&["stats", "--db", "."]);
        assert_eq!(stats.status, 4);
        shows(&stats.err, "3-3.mill");
        shows(&stats.out, "4-3");
        let other = split("verify --pair 5-3 --sample 100 --quiet --db .");
        let other = place.run(&other);
        assert_eq!(other.status, 0, "{}", other.err);
    }

    let mut block = bytes;
    let last = block.len() - 1;
    block[last] ^= 1;
    fs::write(&file, block).unwrap();
    assert_eq!(place.run(&["stats", "--db", "."]).status, 0);
    let verify = place.run(&["verify", "--db", ".", "--quiet"]);
    assert_eq!(verify.status, 4);
    // Where three move in 4-3, values follow from those of 3-3, and captures in 4-4 lead there.
    let damaged = "error: 3 of 6 files could not be checked: 3-3, 4-3, 4-4; the answer says why\n";
    assert_eq!(verify.err, damaged);
    let found = |words: &str| verify.out.lines().any(|line| line.starts_with(words));
    assert!(
        found("5-3 ") && found("3-3: ") && found("4-4: "),
        "{}",
        verify.out
    );
    assert!(verify.out.contains("3-3.mill") && verify.out.contains("byte"));
    let pairs = split("verify --db . --quiet --json --pair 5-3,3-3");
    let verify = place.run(&pairs);
    assert_eq!(verify.status, 4);
    let answer: Json = serde_json::from_str(&verify.out).unwrap();
    assert_eq!(column(&answer["pairs"], "pair"), ["3-3", "5-3"]);
    assert_eq!(answer["pairs"][0]["error"]["code"], "corrupt");
    assert_eq!(answer["pairs"][1]["ok"], true);
}

/// The table does not call the file missing, and no advice fails.
fn list_has_an_unusable_file(list: &Run) {
    let error = "error: 1 file cannot be used; the answer says why\n";
    assert_eq!((list.status, list.err.as_str()), (4, error));
    let row = list.out.lines().find(|line| line.starts_with("3-3 "));
    assert!(row.unwrap().ends_with("unusable"), "{}", list.out);
    let advice = "makes the missing ones, when the unusable ones are gone";
    shows(&list.out, advice);
}

#[test]
fn folders_are_compared_with_a_list_of_checksums() {
    let place = Place::new();
    let file = |name: &str| place.path().join(name);
    for name in ["3-3.mill", "4-3.mill"] {
        fs::copy(root().join("db").join(name), file(name)).unwrap();
    }
    let list = fs::read_to_string(root().join("db/SHA256SUMS")).unwrap();
    assert_eq!(list.lines().count(), 28 + 11);
    let of = |name: &str| list.lines().find(|line| line.ends_with(name)).unwrap();
    let lines = |names: &[&str]| -> String {
        let lines = names.iter().map(|name| format!("{}\n", of(name)));
        lines.collect()
    };
    let run = |text: &str, more: &[&str]| {
        fs::write(file("sums"), text).unwrap();
        let args = split("verify --sums sums --db . --json");
        place.run(&[&args[..], more].concat())
    };
    let compare = |text: &str| run(text, &[]);
    let results = |run: &Run| -> Vec<String> {
        let answer = run.object();
        let files = items(&answer["files"]).iter();
        let files = files.map(|file| [text(&file["file"]), text(&file["result"])].join(" "));
        files.collect()
    };
    let same = compare(&lines(&["3-3.mill", "4-3.mill"]));
    assert_eq!((same.status, &same.object()["ok"]), (0, &true.into()));
    assert_eq!(results(&same), ["3-3.mill same", "4-3.mill same"]);
    let missing = compare(&lines(&["3-3.mill", "9-9.mill"]));
    assert_eq!(missing.status, 3);
    assert_eq!(
        results(&missing),
        ["3-3.mill same", "9-9.mill missing", "4-3.mill not_listed"]
    );

    let mut bytes = fs::read(file("4-3.mill")).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(file("4-3.mill"), bytes).unwrap();
    let differs = compare(&list);
    let answer = differs.object();
    assert_eq!((differs.status, &answer["ok"]), (1, &false.into()));
    let found = results(&differs);
    let count = |word: &str| found.iter().filter(|file| file.ends_with(word)).count();
    assert_eq!(
        (count("same"), count("differs"), count("missing")),
        (1, 1, 28 + 11 - 2)
    );

    // Those that are here can be checked alone.
    let ignoring = |text: &str| run(text, &["--ignore-missing"]);
    let here = ignoring(&lines(&["3-3.mill", "9-9.mill"]));
    assert_eq!((here.status, &here.object()["ok"]), (0, &true.into()));
    assert_eq!(results(&here), ["3-3.mill same", "4-3.mill not_listed"]);
    assert_eq!(ignoring(&list).status, 1);
    ignoring(&lines(&["9-9.mill"])).fails_with(3, "no file of the list is in .; choose another");

    for wrong in ["3-3.mill\n", "12  3-3.mill\n", &of("3-3.mill")[..66]] {
        compare(wrong).fails_with(2, "line 1 of 'sums' is not a checksum: expected 64");
    }
    let of_two_folders = format!("{}\n{}  lasker/3-3.mill\n", of("3-3.mill"), "0".repeat(64));
    compare(&of_two_folders).fails_with(
        2,
        "has another checksum for a name that an earlier line has",
    );
    // Lists as other tools write them.
    for before in [" *", "  ../", "  a/b/"] {
        let other = format!("# comment\n{}", of("3-3.mill").replace("  ", before));
        assert_eq!(results(&compare(&other))[0], "3-3.mill same");
    }
    place.fails("verify --sums none", 2, "cannot read 'none'");
    let args = ["verify", "--sums", "-", "--db", "."];
    assert_eq!(place.run_with(&args, lines(&["3-3.mill"])).status, 0);
    compare("\n").fails_with(2, "the list 'sums' names no file");
}

/// The lists of checksums in the repository: every pair in every form, and what `repack` makes of
/// the repository's databases, and what `build` makes by other rules, is what they tell.
#[test]
fn lists_of_checksums_name_every_file_of_every_form() {
    let list = |name: &str| fs::read_to_string(root().join("db").join(name)).unwrap();
    let common = list("SHA256SUMS");
    let plies = list("SHA256SUMS.plies");
    assert!(common.lines().all(|line| plies.lines().any(|l| l == line)));
    let pairs: Vec<String> = (3..=9)
        .flat_map(|more| (3..=more).map(move |less| format!("{more}-{less}.mill")))
        .collect();
    for (name, plies) in [
        ("SHA256SUMS", 11),
        ("SHA256SUMS.plies", 18),
        ("SHA256SUMS.max", 0),
        ("SHA256SUMS.wdl", 11),
        ("SHA256SUMS.wdl-max", 11),
    ] {
        let text = list(name);
        let mut files = HashSet::new();
        for line in text.lines() {
            let (sum, file) = line.split_once("  ").unwrap();
            let digit = |byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
            assert!(sum.len() == 64 && sum.bytes().all(digit), "{name}: {line}");
            files.insert(file);
        }
        assert!(pairs.iter().all(|pair| files.contains(&pair[..])), "{name}");
        assert_eq!(files.len(), pairs.len() + plies, "{name}");
    }

    let place = Place::new();
    let from = fs::canonicalize(root().join("db")).unwrap();
    let from = from.to_str().unwrap();
    for (name, form) in [
        ("SHA256SUMS", ""),
        ("SHA256SUMS.max", " --level max"),
        ("SHA256SUMS.wdl", " --profile wdl"),
        ("SHA256SUMS.wdl-max", " --profile wdl --level max"),
    ] {
        for pair in ["3-3", "4-3"] {
            let repack = ["repack", "--db", from, "--to", name, "--pair"];
            let form = format!("{pair}{form}");
            let run = place.run(&[&repack[..], &split(&form)].concat());
            assert_eq!(run.status, 0, "{}", run.err);
        }
        let sums = format!("{from}/{name}");
        let run = place.run(&["verify", "--sums", &sums, "--db", name, "--json"]);
        let answer = run.object();
        let results = column(&answer["files"], "result").into_iter();
        let same = results.filter(|result| *result == "same");
        assert_eq!(same.count(), 2, "{name}: {}", run.out);
    }

    let smallest = "--profile wdl --level max";
    for (name, rules, pair, form) in [
        ("lasker", Rules::LASKER, "3-1+1-2", ""),
        ("lasker-wdl-max", Rules::LASKER, "3-1+1-2", smallest),
        ("dooz", Rules::DOOZ, "3-2+0-1", ""),
        ("twelve", Rules::TWELVE, "4-3", ""),
        ("morabaraba", Rules::MORABARABA, "4-3", ""),
    ] {
        let text = list(&format!("SHA256SUMS.{name}"));
        let mut listed: Vec<&str> = text.lines().map(|line| &line[66..]).collect();
        listed.sort_unstable();
        let pairs = Pair::all(&rules).into_iter().map(file_name);
        let plies = kept_plies(&rules, Profile::default()).into_iter();
        let mut expected: Vec<String> = pairs.chain(plies.map(ply_file_name)).collect();
        expected.sort_unstable();
        assert_eq!(listed, expected, "{name}");
        let options = ["--rules", rules.name().unwrap(), "--db", name];
        let run = |args: &[&str]| place.run(&[args, &options].concat());
        let form: Vec<&str> = form.split_whitespace().collect();
        assert_eq!(
            run(&[&["build", "--pair", pair], &form[..]].concat()).status,
            0
        );
        let sums = format!("{from}/SHA256SUMS.{name}");
        let same = run(&["verify", "--sums", &sums, "--ignore-missing"]);
        assert_eq!(same.status, 0, "{}", same.out);
    }
}

#[test]
fn build_resumes_and_repeats_itself() {
    let place = Place::new();
    let dry = ["build", "--dry-run", "--pair", "5-4", "--db", "new/db"];
    let plan = place.run(&[&dry[..], &["--json"]].concat()).json();
    let pairs = column(&plan["pairs"], "pair");
    assert_eq!(pairs, ["3-3", "4-3", "5-3", "4-4", "5-4"]);
    let forecasts = items(&plan["pairs"]).iter();
    let forecasts = forecasts.map(|pair| pair["file_bytes"].as_u64().unwrap());
    let sum = plan["file_bytes"].as_u64().unwrap();
    assert!(sum.abs_diff(forecasts.sum()) < 5 && sum > 0);
    let shown = place.run(&dry);
    assert_eq!(shown.status, 0);
    assert!(shown.out.contains("5 pairs"));
    assert!(!place.path().join("new").exists());

    let limited = split("build --max-stones 7 --memory 1M --db new/db");
    let limited = place.run(&limited);
    limited.fails_with(2, "--memory; raise it");
    assert!(!limited.err.contains("--max-stones"), "{}", limited.err);
    place.fails("build --memory 20M --db new/db", 2, "--max-stones ");
    assert!(!place.path().join("new").exists());

    let small = place.run(&["build", "--max-stones", "7", "--db", "new/db"]);
    assert_eq!(small.status, 0, "{}", small.err);
    assert_eq!(small.err.lines().count(), 2);
    // Headings, three tables, an empty line and the sum.
    assert_eq!(small.out.lines().count(), 6);
    assert!(small.out.contains("760,398"));
    let sum = small.out.lines().last().unwrap();
    assert!(sum.starts_with("2 pairs, "), "{sum}");

    let build = split("build --max-stones 8 --db new/db --json --quiet");
    let built = place.run(&build);
    assert_eq!(built.err, "");
    let built = built.json();
    let built = items(&built["pairs"]);
    assert_eq!(built.len(), 4);
    for pair in built {
        let is_new = ["5-3", "4-4"].contains(&text(&pair["pair"]));
        assert_eq!(pair["seconds"].is_f64(), is_new, "{pair}");
        assert!(pair["bytes"].as_u64().unwrap() > 0);
        for table in items(&pair["tables"]) {
            assert_eq!(table["seconds"].is_f64(), is_new, "{pair}");
        }
    }

    // The same bytes as the official files; other tests verify those.
    let official = root().join("db");
    for pair in ["3-3", "4-3", "5-3", "4-4"] {
        let read = |folder: &Path| fs::read(folder.join(format!("{pair}.mill"))).unwrap();
        let built = read(&place.path().join("new/db"));
        assert!(built == read(&official), "{pair} differs");
    }
    let files = fs::read_dir(place.path().join("new/db")).unwrap();
    assert_eq!(files.count(), 4, "the four pairs, and no lock");
}

#[test]
fn build_makes_what_a_pair_needs() {
    let place = Place::new();
    fs::create_dir(place.path().join("db")).unwrap();
    write_draws(&place.path().join("db"), Pair::new(5, 4).unwrap());
    let pairs = |more: &[&str]| {
        let build = ["build", "--pair", "5-4", "--json", "--quiet"];
        let answer = place.run(&[&build[..], more].concat()).json();
        column(&answer["pairs"], "pair").join(" ")
    };
    assert_eq!(pairs(&["--dry-run"]), "3-3 4-3 5-3 4-4");
    let built = pairs(&[]);
    assert_eq!(built, "3-3 4-3 5-3 4-4 5-4");
    for name in split(&built) {
        let file = place.path().join("db").join(format!("{name}.mill"));
        assert!(file.exists(), "{name}");
    }
    assert_eq!(pairs(&["--dry-run"]), "");
}
