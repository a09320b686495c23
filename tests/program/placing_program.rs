//! Tests of the program in the placing phase and of the proof of the start position. The databases
//! that these need are not part of the program, so this file tests the errors that say so;
//! `tests/library/search.rs` tests the answers.

use serde_json::Value as Json;

use crate::process::{Place, shows};

/// Black places the last stone.
const LAST: &str = "O*@@@O@O/*OO**@O*/**@OOO@* b p p 9 0 7 1 0 0 -1 -1 -1 -1 0 0 1";

#[test]
fn a_proof_names_all_databases_that_it_lacks() {
    let place = Place::new();
    let one = place.run(&["prove", "--pairs", "9-9,9-8,4-3"]);
    for words in ["9-9", "9-8", "millbase build"] {
        one.fails_with(3, words);
    }
    assert!(!one.err.contains("4-3"), "{}", one.err);
    let all = place.run(&["prove"]);
    for words in ["9-9", "7-3", "6-4"] {
        all.fails_with(3, words);
    }
}

#[test]
fn pairs_and_sizes_of_a_proof_are_checked() {
    let place = Place::new();
    for [option, wrong] in [
        ["--pairs", "9-9,10-3"],
        ["--pairs", "9"],
        ["--hash", "much"],
    ] {
        place.run(&["prove", option, wrong]).fails_with(2, "");
    }
    let help = place.run(&["prove", "--help"]);
    assert_eq!(help.status, 0);
    assert!(help.out.contains("--pairs") && help.out.contains("9-9,9-8,8-8"));
}

#[test]
fn a_missing_database_behind_the_last_stone_is_named() {
    let run = Place::new().run(&["probe", LAST]);
    run.fails_with(3, "millbase build --pair");
}

#[test]
fn the_plan_tells_what_is_kept() {
    let place = Place::new();
    let args = ["build", "--placing", "--dry-run", "--json", "--db", "."];
    let plan = place.run(&args).json();
    let placing = plan["placing"].as_array().expect("plies");
    let seconds = |field: &str| plan[field].as_f64().expect("seconds");
    let (all, plies) = (seconds("seconds"), seconds("placing_seconds"));
    // On a quiet machine like that of docs/RESULTS.md, 282 s for the pairs and 172 s for the plies.
    assert!(
        plies > 0.0 && (1.4..1.9).contains(&((all - plies) / plies)),
        "{all}, {plies}"
    );
    let kept = placing.iter().filter(|ply| ply["kept"] == true);
    let kept: Vec<u64> = kept.filter_map(|ply| ply["ply"].as_u64()).collect();
    assert_eq!(placing.len(), 18);
    assert_eq!(kept, [14, 11, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
    // The smallest files leave more to the search.
    let smallest = ["--profile", "wdl", "--level", "max"];
    let small = place.run(&[&args[..], &smallest].concat()).json();
    let kept = small["placing"].as_array().expect("plies").iter();
    let kept: Vec<&Json> = kept.filter(|ply| ply["kept"] == true).collect();
    let plies: Vec<u64> = kept.iter().filter_map(|ply| ply["ply"].as_u64()).collect();
    assert_eq!(plies, [13, 10, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
    let bytes = kept.iter().filter_map(|ply| ply["file_bytes"].as_u64());
    let bytes = bytes.sum::<u64>() + small["file_bytes"].as_u64().expect("bytes");
    assert!((95_000_000..130_000_000).contains(&bytes), "{bytes}");
    let kept = |plies| {
        let plies = ["--plies", plies];
        let args = [&args[..], &plies].concat();
        let plan = place.run(&args).json();
        let placing = plan["placing"].as_array().expect("plies");
        placing.iter().filter(|ply| ply["kept"] == true).count()
    };
    assert_eq!([kept("9,12"), kept("all")], [13, 18]);
    for (plies, says) in [("18", "at most 17"), ("x", "numbers of placed stones")] {
        let args = [&args[..], &["--plies", plies]].concat();
        let run = place.run(&args);
        assert_eq!(run.status, 2);
        let text = run.out + &run.err;
        shows(&text, says);
    }
}
