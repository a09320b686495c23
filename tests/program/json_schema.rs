//! The program's JSON answers against docs/millbase.schema.json, and the schema against docs/JSON.md:
//! real answers of every command and path are as the schema says, answers that are wrong in one place are
//! refused, and the page describes every field. `program/src/schema.rs` generates the schema.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::LazyLock;

use boon::{Compiler, SchemaIndex, Schemas};
use millbase::Histogram;
use millbase::internals::Index;
use millbase::store::{Profile, SolvedPair, write_pair};
use millbase::{Database, Pair, Rules};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use crate::common::{BLOCKED, FLYING, LARGER, RACE, REMOVAL, root};
use crate::process::{self, PROGRAM};
use crate::serve::{self, Reply, Server};

const SCHEMA: &str = include_str!("../../docs/millbase.schema.json");
const PAGE: &str = include_str!("../../docs/JSON.md");

/// Three stones against three, without flying: solved in an instant, with the placing phase.
const OWN_RULES: &str = "stones = 3\nflying = 0\n";
/// Each side has one of its four stones in hand.
const PLACING: &str = "*****O@*/O***@***/@O****** w p p 3 1 3 1 0 0";

// The schema

static DEFINITIONS: LazyLock<serde_json::Map<String, Json>> = LazyLock::new(|| {
    let schema: Json = serde_json::from_str(SCHEMA).expect("JSON");
    schema["$defs"].as_object().expect("definitions").clone()
});

/// The schema's definitions, compiled as they are needed.
struct Checker {
    compiler: Compiler,
    schemas: Schemas,
    known: BTreeMap<String, SchemaIndex>,
}

impl Checker {
    fn new(schema: Json) -> Checker {
        let mut compiler = Compiler::new();
        compiler.add_resource("mem:///schema", schema).unwrap();
        Checker {
            compiler,
            schemas: Schemas::new(),
            known: BTreeMap::new(),
        }
    }

    fn whole() -> Checker {
        Checker::new(serde_json::from_str(SCHEMA).unwrap())
    }

    /// What a definition finds wrong; the empty name is that of the whole schema.
    fn check(&mut self, definition: &str, json: &Json) -> Result<(), String> {
        if !self.known.contains_key(definition) {
            let place = match definition {
                "" => "mem:///schema".to_owned(),
                _ => format!("mem:///schema#/$defs/{definition}"),
            };
            let index = self.compiler.compile(&place, &mut self.schemas);
            let index = index.unwrap_or_else(|error| panic!("{definition}: {error:#}"));
            self.known.insert(definition.to_owned(), index);
        }
        let index = self.known[definition];
        let checked = self.schemas.validate(json, index);
        checked.map_err(|error| format!("{error:#}"))
    }
}

// The answers

/// An answer of the program.
struct Real {
    definition: &'static str,
    /// What was asked.
    asked: String,
    json: Json,
}

static REAL: LazyLock<Vec<Real>> = LazyLock::new(|| {
    let mut found = Answers::default();
    found.about_positions();
    found.about_databases();
    found.about_wrong_databases();
    found.about_games();
    found.about_players();
    found.about_puzzles();
    found.of_the_server();
    found.0
});

/// The answers so far.
#[derive(Default)]
struct Answers(Vec<Real>);

impl Answers {
    fn add(&mut self, definition: &'static str, asked: impl Into<String>, json: Json) {
        let asked = asked.into();
        self.0.push(Real {
            definition,
            asked,
            json,
        });
    }

    /// Runs the program, which answers with one object.
    fn run(
        &mut self,
        place: &TempDir,
        definition: &'static str,
        args: &[&str],
        status: i32,
    ) -> Json {
        let found = self.lines(place, definition, args, "", status);
        assert_eq!(found.len(), 1, "{args:?}");
        found[0].clone()
    }

    /// Runs the program with some input; it answers with an object a line. An error's definition is
    /// its own.
    fn lines(
        &mut self,
        place: &TempDir,
        definition: &'static str,
        args: &[&str],
        input: &str,
        status: i32,
    ) -> Vec<Json> {
        let args = [&["--json", "--quiet"], args].concat();
        let mut command = process::program(place.path(), &args);
        let run = process::run_with(&mut command, input);
        assert_eq!(run.status, status, "{args:?}: {}{}", run.out, run.err);
        let lines = run.out.lines();
        let objects: Vec<Json> = lines
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect();
        for object in &objects {
            let definition = match object.get("error") {
                Some(_) => "error",
                None => definition,
            };
            self.add(definition, args.join(" "), object.clone());
        }
        objects
    }

    fn about_positions(&mut self) {
        let place = place();
        for position in [FLYING, BLOCKED, REMOVAL] {
            self.run(&place, "probe", &["probe", position], 0);
            let line = self.run(&place, "line", &["line", position], 0);
            let source = if position == BLOCKED {
                "rules"
            } else {
                "database"
            };
            assert_eq!(line["source"], source);
        }
        self.run(&place, "line", &["line", FLYING, "--limit", "2"], 0);
        for turns in ["none", "best"] {
            self.run(&place, "probe", &["probe", FLYING, "--turns", turns], 0);
        }
        fs::write(place.path().join("four.toml"), "stones = 4\n").unwrap();
        let four = ["--rules", "four.toml"];
        self.run(
            &place,
            "probe",
            &[&four[..], &["probe", PLACING]].concat(),
            0,
        );
        let line = [&four[..], &["line", PLACING]].concat();
        assert_eq!(self.run(&place, "line", &line, 0)["source"], "search");
        let input = format!("{FLYING}\nrubbish\n{LARGER}\n{BLOCKED}\n");
        let stream = self.lines(&place, "probe", &["probe", "-"], &input, 2);
        assert_eq!(stream.len(), 4);
        self.run(&place, "explain", &["explain", RACE], 0);
        self.run(&place, "explain", &["explain", RACE, "e3-e4"], 0);
        self.run(&place, "explain", &["explain", BLOCKED], 0);
        self.run(&place, "perft", &["perft", "start", "2"], 0);
        self.run(&place, "perft", &["perft", RACE, "1", "--divide"], 0);
        for (args, status) in [
            (&["probe", "rubbish"][..], 2),
            (&["line", LARGER], 3),
            (&["explain", RACE, "e3-d1"], 2),
            (&["probe", FLYING, "--nonsense"], 2),
            (&["stats", "--pair", "9-9"], 3),
        ] {
            self.run(&place, "error", args, status);
        }
    }

    fn about_databases(&mut self) {
        let place = place();
        let own = |args: &[&'static str]| [&["--rules", "own.toml"], args].concat();
        self.run(&place, "buildPlan", &["build", "--dry-run"], 0);
        let placing = own(&["build", "--placing"]);
        let plan = [&placing[..], &["--dry-run"]].concat();
        self.run(&place, "buildPlan", &plan, 0);
        fs::create_dir(place.path().join("db")).unwrap();
        let new = self.run(&place, "build", &placing, 0);
        assert!(new["pairs"][0]["seconds"].is_f64());
        let old = self.run(&place, "build", &own(&["build"]), 0);
        assert!(old["pairs"][0]["seconds"].is_null());
        self.run(&place, "verify", &own(&["verify", "--sample", "20"]), 0);
        self.run(
            &place,
            "repack",
            &own(&["repack", "--to", "wdl", "--profile", "wdl"]),
            0,
        );
        let start = self.run(&place, "probe", &own(&["probe", "start"]), 0);
        assert_eq!(start["phase"], "placing");
        self.run(&place, "line", &own(&["line", "start"]), 0);
        self.run(&place, "list", &own(&["list"]), 0);
        self.run(&place, "stats", &own(&["stats", "--histogram"]), 0);
        self.run(&place, "prove", &own(&["prove"]), 0);
        self.run(&place, "prove", &own(&["prove", "--pairs", "3-3"]), 0);
        let bench = ["bench", "--seconds", "0.001", "--max-stones", "6"];
        let bench = self.run(&place, "bench", &own(&bench), 0);
        assert!(bench["first_answers"].is_object(), "{bench}");
        // Files without depths.
        let wdl = |args: &[&'static str]| own(&[args, &["--db", "wdl"]].concat());
        let moving = "O**@****/*O****@*/****O@** w m s 3 0 3 0 0 0";
        self.run(&place, "probe", &wdl(&["probe", moving]), 0);
        let stats = self.run(&place, "stats", &wdl(&["stats", "--histogram"]), 0);
        assert!(stats["tables"][0]["max_win"].is_null());
        // Those that are part of the program.
        self.run(&place, "list", &["list"], 0);
        self.run(&place, "stats", &["stats"], 0);
        self.run(&place, "verify", &["verify", "--sample", "20"], 0);
        let sums = format!(
            "{}  wdl.mill\n{}  3-3.mill\n",
            "0".repeat(64),
            "f".repeat(64)
        );
        fs::write(place.path().join("sums"), sums).unwrap();
        fs::create_dir(place.path().join("small")).unwrap();
        fs::copy(
            root().join("db/3-3.mill"),
            place.path().join("small/3-3.mill"),
        )
        .unwrap();
        let sums = ["verify", "--sums", "sums", "--db", "small"];
        self.run(&place, "verifySums", &sums, 1);
        self.run(&place, "error", &["prove"], 3);
        let export = ["export", "malom", "--to", "sectors", "--moving"];
        let export = [&export[..], &["--max-stones", "7"]].concat();
        self.run(&place, "exported", &export, 0);
        // As the tests of mounted files compare it with the program's: not every system lets them mount.
        let mounted =
            json!({"version": 1, "mounted": "sectors", "files": 11, "bytes": 150_248_873});
        self.add("mounted", "mount", mounted);
        let file = |name: &str| place.path().join("sectors").join(name);
        let mut slots = fs::read(file("std_3_3_0_0.sec2")).unwrap();
        // Wins in three turns.
        for slot in slots[64..].chunks_exact_mut(3).take(200) {
            slot.copy_from_slice(&[1, 0x30, 0]);
        }
        fs::write(file("std_3_3_0_0.sec2"), slots).unwrap();
        fs::write(file("std_4_3_0_0.sec2"), "rubbish").unwrap();
        let found = self.run(&place, "compared", &["compare", "malom", "sectors"], 1);
        assert_eq!(found["damaged"].as_array().unwrap().len(), 1);
        assert!(found["differences"].as_u64().unwrap() > 0);
    }

    /// A wrong value, wrong counts, and a file that is none.
    fn about_wrong_databases(&mut self) {
        let place = place();
        let pair = Pair::new(3, 3).unwrap();
        let table = pair.tables()[0];
        let mut values =
            millbase::solve::load(&Database::embedded(Rules::STANDARD), table).unwrap();
        let histogram = Histogram::of_table(&Index::new(table), &values);
        let entry = values.iter().position(|&value| value == 27).unwrap();
        values[entry] = 29;
        let solved = SolvedPair {
            pair,
            values: &values,
            histograms: vec![histogram],
        };
        let path = place.path().join("3-3.mill");
        write_pair(&path, &Rules::STANDARD, &solved, Profile::default()).unwrap();
        let verify = ["verify", "--db", ".", "--pair", "3-3"];
        let found = self.run(&place, "verify", &verify, 1);
        assert_eq!(found["ok"], false);
        let mismatches = found["pairs"][0]["mismatches"].as_array().unwrap();
        let wrong = |found: &Json| found["stored"]["dtw"] == 28 && found["derived"]["dtw"] == 26;
        assert!(mismatches.iter().any(wrong), "{found}");
        assert_eq!(found["pairs"][0]["miscounted"], json!([3]));
        fs::write(&path, "rubbish").unwrap();
        let found = self.run(&place, "verify", &verify, 4);
        let found = found.get("pairs").map(|pairs| &pairs[0]["error"]["code"]);
        assert_eq!(found, Some(&json!("corrupt")));
        let listed = self.run(&place, "list", &["list", "--db", "."], 0);
        assert_eq!(listed["unusable"].as_array().unwrap().len(), 1);
    }

    fn about_games(&mut self) {
        let place = place();
        let game = |turns: &str| {
            let tags = "[White \"Anna\"]\n[Black \"Ben\"]\n[Result \"0-1\"]\n";
            format!("{tags}[FEN \"{RACE}\"]\n\n{turns}\n\n")
        };
        let first = game("1. e3-e4 c4-a1xa7");
        let several = format!("{first}{}d6 f4 d2 b4\n", game("1. e3-a1 c4-a4 2. a1-g7xd1"));
        fs::write(place.path().join("one.txt"), first).unwrap();
        self.run(&place, "reviewedGame", &["review", "one.txt"], 0);
        self.lines(&place, "reviewedArchive", &["review", "-"], &several, 0);
        let each = ["review", "--each", "-"];
        let wrong = format!("{several}\nrubbish\n");
        let each = self.lines(&place, "reviewedGame", &each, &wrong, 2);
        let missing = each.iter().filter(|game| game["missing"].is_string());
        assert_eq!((each.len(), missing.count()), (4, 1));
        self.run(&place, "error", &["review", "none.txt"], 2);
    }

    fn about_players(&mut self) {
        let place = place();
        let players = ["match", "name=strong", "level=3 depth=1", "--log", "log"];
        let starts = ["--sample", "2", "--from", "3-3"];
        self.run(&place, "match", &[&players[..], &starts].concat(), 0);
        let loser = [
            "match",
            "level=30",
            "command=false",
            "--start",
            RACE,
            "--log",
            "lost",
        ];
        let lost = self.run(&place, "match", &loser, 0);
        assert_eq!(lost["players"][1]["forfeits"], 2);
        for log in ["log", "lost"] {
            let text = fs::read_to_string(place.path().join(log)).unwrap();
            for (number, line) in text.lines().enumerate() {
                let definition = ["matchLog", "matchLogGame"][number.min(1)];
                self.add(definition, log, serde_json::from_str(line).unwrap());
            }
        }
        fs::write(place.path().join("three.toml"), "stones = 3\n").unwrap();
        let exam = ["--from", "3-3", "--positions", "4", "--starts", "1"];
        let limits = ["--option", "Hash=1", "--depth", "1"];
        let engine = [
            "--rules",
            "three.toml",
            "--",
            PROGRAM,
            "uci",
            "--rules",
            "three.toml",
        ];
        self.run(
            &place,
            "judge",
            &[&["judge"], &exam[..], &limits, &engine].concat(),
            0,
        );
    }

    fn about_puzzles(&mut self) {
        let place = place();
        let make = [
            "puzzles", "make", "--from", "3-3", "--turns", "1-3", "--count", "6",
        ];
        let mut pack = self.run(&place, "puzzles", &make, 0);
        let draws = ["puzzles", "make", "--goal", "draw", "--count", "2"];
        self.run(&place, "puzzles", &draws, 0);
        let check = ["puzzles", "check", "pack.json"];
        let file = place.path().join("pack.json");
        fs::write(&file, pack.to_string()).unwrap();
        let checked = self.run(&place, "puzzlesChecked", &check, 0);
        assert_eq!(checked["wrong"], 0);
        pack["puzzles"][0]["turns"] = json!(9);
        fs::write(&file, pack.to_string()).unwrap();
        let checked = self.run(&place, "puzzlesChecked", &check, 1);
        assert_eq!(checked["wrong"], 1);
        // A puzzle that the databases at hand do not answer leaves one object, too.
        pack["puzzles"][0]["position"] = json!(LARGER);
        pack["puzzles"][0]["solution"] = json!([]);
        fs::write(&file, pack.to_string()).unwrap();
        let checked = self.run(&place, "puzzlesChecked", &check, 3);
        assert_eq!(
            (&checked["wrong"], &checked["unchecked"]),
            (&json!(0), &json!(1))
        );
        assert!(checked["missing"].as_str().unwrap().contains("6-4"));
    }

    fn of_the_server(&mut self) {
        let place = place();
        let path = place.path().join("own.toml").display().to_string();
        let server = Server::start_in(place, &["--rules", &path, "--db", "new", "--quiet"]);
        self.add("listening", "serve", server.ready.clone());
        let mut ask = |definition, path: &str, status| {
            self.reply(definition, path, server.get(path), status);
        };
        let at = |path: &str, position: &str| {
            let position = position
                .replace(' ', "+")
                .replace('*', "%2a")
                .replace('@', "%40");
            format!("{path}?fen={position}")
        };
        let standard = |path: &str, position| at(path, position) + "&rules=standard";
        for position in [FLYING, BLOCKED] {
            ask("probe", &standard("/probe", position), 200);
            ask("line", &standard("/line", position), 200);
            ask("rank", &standard("/rank", position), 200);
            ask("turns", &standard("/turns", position), 200);
            ask("step", &standard("/step", position), 200);
            ask("game", &standard("/game", position), 200);
            ask("play", &standard("/play", position), 200);
        }
        ask("game", "/game?fen=start&moves=d6+d6", 200);
        ask("step", "/step?fen=start&moves=d6+d6&rules=standard", 200);
        ask(
            "play",
            "/play?fen=start&moves=d6&movetime=20&rules=standard",
            200,
        );
        ask("random", "/random?pair=4-3&wdl=win&rules=standard", 200);
        ask("random", "/random?pair=4-3&wdl=draw&rules=standard", 200);
        for (definition, path) in [
            ("list", "/databases"),
            ("rules", "/rules"),
            ("rules", "/rules?rules=twelve"),
            ("rulesets", "/rulesets"),
            ("health", "/healthz"),
            ("buildState", "/build"),
        ] {
            ask(definition, path, 200);
        }
        ask("error", "/nothing", 404);
        ask("error", "/probe?fen=rubbish", 400);
        ask("error", &standard("/probe", LARGER), 404);
        self.reply(
            "error",
            "POST /probe",
            server.request("POST", "/probe"),
            405,
        );
        self.reply(
            "error",
            "POST /build",
            server.request("POST", "/build"),
            403,
        );
        let [begun, finished] = serve::build(&server, "placing=true");
        self.reply("buildState", "POST /build", begun, 202);
        self.reply("buildState", "/build", finished, 200);
        self.reply("list", "/databases", server.get("/databases"), 200);
    }

    fn reply(&mut self, definition: &'static str, path: &str, reply: Reply, status: u16) {
        let json = reply.json();
        assert_eq!(reply.status, status, "{path}: {json}");
        self.add(definition, path, json);
    }
}

/// A folder with rules of its own, and without databases.
fn place() -> TempDir {
    let place = TempDir::new().unwrap();
    fs::write(place.path().join("own.toml"), OWN_RULES).unwrap();
    place
}

#[test]
fn answers_are_as_the_schema_says() {
    let mut checker = Checker::whole();
    for Real {
        definition,
        asked,
        json,
    } in REAL.iter()
    {
        for definition in [definition, ""] {
            if let Err(why) = checker.check(definition, json) {
                panic!("{asked} is not as '{definition}' says: {why}\n{json}");
            }
        }
    }
    assert!(REAL.len() >= 90, "{} answers", REAL.len());
}

/// The answer with two items of each long list, which keeps checks short.
fn shortened(json: &Json) -> Json {
    /// Shorter lists may have a length of their own.
    const SHORT: usize = 6;
    match json {
        Json::Array(items) => {
            let most = if items.len() > SHORT { 2 } else { SHORT };
            items.iter().take(most).map(shortened).collect()
        }
        Json::Object(fields) => {
            let fields = fields.iter();
            Json::Object(
                fields
                    .map(|(key, value)| (key.clone(), shortened(value)))
                    .collect(),
            )
        }
        _ => json.clone(),
    }
}

// Wrong answers

/// What is done to an answer to make it wrong.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Mistake {
    Missing,
    Extra,
    /// Another type.
    Kind,
    /// A number out of range, or a depth that does not go with the result.
    Range,
    /// A text that is none of those allowed.
    Text,
}

/// All ways to make one mistake: what it is, where, and the wrong answer.
fn mistakes(json: &Json) -> Vec<(Mistake, String, Json)> {
    let mut found = Vec::new();
    for (pointer, value) in places(json, String::new()) {
        let mut with = |mistake, place: &str, wrong: Json| {
            let mut whole = json.clone();
            *whole.pointer_mut(&pointer).expect("a place") = wrong;
            found.push((mistake, place.to_owned(), whole));
        };
        with(Mistake::Kind, &pointer, json!({ "unheard of": true }));
        match value {
            Json::Object(fields) => {
                let mut more = fields.clone();
                more.insert("unheard of".to_owned(), Json::Null);
                with(Mistake::Extra, &pointer, more.into());
                for key in fields.keys() {
                    let mut fewer = fields.clone();
                    fewer.remove(key);
                    with(Mistake::Missing, &format!("{pointer}/{key}"), fewer.into());
                }
            }
            Json::Number(number) if pointer.ends_with("/dtw") => {
                let of_the_other = number.as_u64().expect("a depth") + 1;
                for wrong in [json!(255), json!(-1), json!(0.5), json!(of_the_other)] {
                    with(Mistake::Range, &pointer, wrong);
                }
            }
            Json::Number(_) => with(Mistake::Range, &pointer, json!(-1_000_000)),
            Json::String(_) => with(Mistake::Text, &pointer, json!("nonsense")),
            _ => {}
        }
    }
    found
}

/// All values of an answer with the pointers to them.
fn places(json: &Json, pointer: String) -> Vec<(String, &Json)> {
    let mut found = vec![(pointer.clone(), json)];
    match json {
        Json::Array(items) => {
            for (number, item) in items.iter().enumerate() {
                found.extend(places(item, format!("{pointer}/{number}")));
            }
        }
        Json::Object(fields) => {
            for (key, value) in fields {
                found.extend(places(value, format!("{pointer}/{key}")));
            }
        }
        _ => {}
    }
    found
}

/// The same place of every item of a list.
fn without_numbers(pointer: &str) -> String {
    let names = pointer
        .split('/')
        .filter(|name| name.parse::<u8>().is_err());
    names.collect::<Vec<_>>().join("/")
}

/// Fields whose texts are of a few words or of one form.
const FORMED: [&str; 13] = [
    "best",
    "code",
    "end",
    "goal",
    "grade",
    "phase",
    "result",
    "side",
    "side_to_move",
    "source",
    "themes",
    "wdl",
    "winner",
];

#[test]
fn wrong_answers_are_refused() {
    let mut checker = Checker::whole();
    let mut refused: BTreeMap<Mistake, usize> = BTreeMap::new();
    let mut accepted: BTreeMap<Mistake, BTreeSet<String>> = BTreeMap::new();
    // One answer of each shape is enough.
    let mut seen = BTreeSet::new();
    for real in REAL.iter() {
        let json = shortened(&real.json);
        let shape = places(&json, String::new()).into_iter();
        let shape = shape.map(|(pointer, value)| (pointer, value.is_null()));
        if !seen.insert((real.definition, shape.collect::<Vec<_>>())) {
            continue;
        }
        let checked = checker.check(real.definition, &json);
        assert!(checked.is_ok(), "{}: {checked:?}", real.asked);
        for (mistake, pointer, wrong) in mistakes(&json) {
            match checker.check(real.definition, &wrong) {
                Err(_) => *refused.entry(mistake).or_default() += 1,
                Ok(()) => {
                    let place = format!("{}{}", real.definition, without_numbers(&pointer));
                    accepted.entry(mistake).or_default().insert(place);
                }
            }
        }
    }
    let places = |mistake| -> Vec<&str> {
        let places = accepted.get(&mistake).into_iter().flatten();
        places.map(String::as_str).collect()
    };
    let nothing: [&str; 0] = [];
    assert_eq!(places(Mistake::Extra), nothing);
    assert_eq!(places(Mistake::Kind), nothing);
    // Fields that an option asks for.
    let optional = [
        "build/placing",
        "build/placing/seconds",
        "buildPlan/placing",
        "error/error/fields",
        "error/error/fields/count",
        "error/error/reason",
        "perft/turns",
        "probe/turns",
        "stats/tables/histogram",
    ];
    assert_eq!(places(Mistake::Missing), optional);
    // Worse than turns by chance; and the depth of a puzzle, which has no result beside it.
    let skills = [
        "judge/groups/skill",
        "judge/groups/skill_interval",
        "judge/skill",
        "judge/skill_interval",
        "puzzles/puzzles/dtw",
    ];
    assert_eq!(places(Mistake::Range), skills);
    for place in places(Mistake::Text) {
        let field = place.rsplit('/').next().expect("a field");
        assert!(!FORMED.contains(&field), "{place}");
    }
    for (mistake, least) in [
        (Mistake::Missing, 1800),
        (Mistake::Extra, 200),
        (Mistake::Kind, 2000),
        (Mistake::Range, 1000),
        (Mistake::Text, 300),
    ] {
        let count = refused.get(&mistake).copied().unwrap_or_default();
        assert!(count >= least, "{mistake:?}: {count}");
    }
}

#[test]
fn words_have_their_form() {
    let mut checker = Checker::whole();
    for (definition, right, wrong) in [
        (
            "turn",
            &[
                "d6",
                "d6-d5",
                "d6-d5xb4",
                "a1xa4xa7",
                "xb4",
                "xb4xd1xg7",
                "pass",
            ][..],
            &[
                "", "d4", "a2", "d6-", "d6d5", "d6-d5-d6", "passxb4", "x", "xb4-d6", "D6",
            ][..],
        ),
        (
            "point",
            &["a1", "d1", "d7", "e5", "g4"],
            &["d4", "a2", "c6", "h1", "a8", "a11", ""],
        ),
        (
            "pair",
            &["3-3", "9-8", "12-12", "10-3"],
            &["2-3", "13-3", "9_8", "9-2", "03-3", "9-8-7"],
        ),
        (
            "position",
            &[
                "********/********/******** w p p 0 9 0 9 0 0 -1 -1 -1 -1 0 0 1",
                "O@O@O@O@/O@O@O@O@/O@O@O@O@ b o ? 12 0 12 0 0 0 -1 -1 -1 -1 0 0 1",
                "********/@*****@*/OO@**@*O w m r 3 0 4 0 1 0 -1 -1 -1 -1 0 0 1",
            ],
            &[
                "********/********/******** w p p 0 9 0 9 0 0",
                "********/********/******* w p p 0 9 0 9 0 0 -1 -1 -1 -1 0 0 1",
                "********/********/******** w m p 0 9 0 9 0 0 -1 -1 -1 -1 0 0 1",
                "********/********/******** x p p 0 9 0 9 0 0 -1 -1 -1 -1 0 0 1",
                "********/********/******** w p p 0 13 0 9 0 0 -1 -1 -1 -1 0 0 1",
                "********/********/******** w p p 0 9 0 9 4 0 -1 -1 -1 -1 0 0 1",
            ],
        ),
    ] {
        for text in right {
            let checked = checker.check(definition, &json!(text));
            assert!(checked.is_ok(), "{definition} '{text}': {checked:?}");
        }
        for text in wrong {
            let checked = checker.check(definition, &json!(text));
            assert!(checked.is_err(), "{definition} '{text}'");
        }
    }
}

// The page

/// The sections of the page: their headings, and the text up to the next heading.
fn sections() -> BTreeMap<&'static str, &'static str> {
    let parts = PAGE.split("\n#").skip(1);
    let parts = parts.filter_map(|part| part.trim_start_matches('#').split_once('\n'));
    parts.map(|(name, text)| (name.trim(), text)).collect()
}

/// The rows of a section's tables of fields: the names, and the types.
fn rows(section: &str) -> Vec<(&str, &str)> {
    let tables = section
        .split("| field | is | meaning |\n|---|---|---|\n")
        .skip(1);
    let rows = tables.flat_map(|table| table.lines().take_while(|line| line.starts_with('|')));
    rows.map(|row| {
        let mut cells = row.trim_matches('|').splitn(3, " | ");
        let mut cell = || cells.next().expect("a cell").trim();
        (cell(), cell())
    })
    .collect()
}

/// The part that a cell links to.
fn linked(cell: &str) -> Option<&str> {
    let (name, place) = cell.split_once("](#")?;
    let name = name.rsplit('[').next()?;
    place.starts_with(&name.to_lowercase()).then_some(name)
}

/// The fields that a section describes, those of its parts included, with dots between the names and `[]`
/// after lists.
fn described(name: &str, before: &str, found: &mut BTreeSet<String>) {
    let sections = sections();
    let section = sections
        .get(name)
        .unwrap_or_else(|| panic!("no section '{name}'"));
    for (fields, kind) in rows(section) {
        if let Some(part) = fields.strip_prefix("all of ") {
            let (part, place) = part.split_once(", in ").unwrap_or((part, ""));
            let place = place.trim_matches('`');
            let dot = if place.is_empty() { "" } else { "." };
            described(
                linked(part).expect("a part"),
                &format!("{before}{place}{dot}"),
                found,
            );
            continue;
        }
        for field in fields.split(", ") {
            let field = format!("{before}{}", field.trim_matches('`'));
            found.insert(field.clone());
            if let Some(part) = linked(kind) {
                let is_list = kind.starts_with("list") || kind.contains('×');
                let list = if is_list { "[]" } else { "" };
                described(part, &format!("{field}{list}."), found);
            }
        }
    }
}

/// The fields of a definition in the same form.
fn defined(schema: &Json, before: &str, found: &mut BTreeSet<String>) {
    if let Some(reference) = schema["$ref"].as_str() {
        let name = reference.trim_start_matches("#/$defs/");
        defined(&DEFINITIONS[name], before, found);
    }
    for any in ["anyOf", "oneOf"] {
        let choices = schema[any].as_array().into_iter().flatten();
        choices.for_each(|choice| defined(choice, before, found));
    }
    if schema["items"].is_object() {
        let list = before.strip_suffix('.').unwrap_or(before);
        defined(&schema["items"], &format!("{list}[]."), found);
    }
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        if name != "version" {
            found.insert(format!("{before}{name}"));
            defined(field, &format!("{before}{name}."), found);
        }
    }
}

#[test]
fn the_page_describes_the_fields_of_the_schema() {
    let schema: Json = serde_json::from_str(SCHEMA).unwrap();
    let mut fields = 0;
    for answer in schema["anyOf"].as_array().unwrap() {
        let name = answer["$ref"]
            .as_str()
            .unwrap()
            .trim_start_matches("#/$defs/");
        let [mut page, mut types] = [BTreeSet::new(), BTreeSet::new()];
        described(name, "", &mut page);
        defined(answer, "", &mut types);
        if name == "verify" {
            // A finding is about a pair or a ply.
            types.retain(|field| field != "pairs[].ply" && field != "placing[].pair");
        }
        assert_eq!(page, types, "{name}");
        fields += page.len();
    }
    assert!(fields > 400, "{fields}");
    let codes = DEFINITIONS["FailureAnswer"]["properties"]["code"]["enum"]
        .as_array()
        .unwrap();
    for code in codes {
        assert!(
            PAGE.contains(&format!("\n| `{}` | ", code.as_str().unwrap())),
            "{code}"
        );
    }
}

#[test]
fn the_example_of_the_page_is_an_answer() {
    let (_, example) = PAGE.split_once("```console\n$ millbase ").unwrap();
    let (example, _) = example.split_once("\n```").unwrap();
    let (command, answer) = example.split_once('\n').unwrap();
    let args: Vec<&str> = command.split('\'').collect();
    let args: Vec<&str> = args[0].split_whitespace().chain([args[1]]).collect();
    let run = process::run(&mut process::program(place().path(), &args));
    let expected: Vec<&str> = answer.lines().map(str::trim_start).collect();
    assert_eq!(run.out.trim_end(), expected.concat());
}

#[test]
fn links_to_the_page_lead_to_a_heading() {
    let anchors: BTreeSet<String> = (sections().into_keys())
        .map(|heading| heading.to_lowercase().replace(' ', "-"))
        .collect();
    let folder = root().join("docs");
    let mut links = 0;
    for file in fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "md") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let own = if path.ends_with("JSON.md") {
            "](#"
        } else {
            "](JSON.md#"
        };
        for link in text.split(own).skip(1) {
            let anchor = link.split(')').next().unwrap();
            assert!(anchors.contains(anchor), "{}: {anchor}", path.display());
            links += 1;
        }
    }
    assert!(links > 60, "{links}");
}
