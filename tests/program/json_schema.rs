//! The program's JSON answers against docs/millbase.schema.json, and the schema against docs/JSON.md:
//! real answers of every command and path are as the schema says, answers that are wrong in one place are
//! refused, and the page names every field. `program/src/schema.rs` generates the schema.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use boon::{Compiler, SchemaIndex, Schemas};
use millbase::Histogram;
use millbase::internals::Index;
use millbase::internals::write_pair;
use millbase::store::Profile;
use millbase::{Database, Pair, Rules};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use crate::common::{BLOCKED, FLYING, LARGER, RACE, REMOVAL, root};
use crate::process::{self, PROGRAM};
use crate::serve::{Server, encoded};
use crate::serve_build;

const SCHEMA: &str = include_str!("../../docs/millbase.schema.json");
const PAGE: &str = include_str!("../../docs/JSON.md");

static WHOLE: LazyLock<Json> = LazyLock::new(|| serde_json::from_str(SCHEMA).expect("JSON"));

/// The schema's definitions, compiled as they are needed.
struct Checker {
    compiler: Compiler,
    schemas: Schemas,
    compiled: BTreeMap<String, SchemaIndex>,
}

impl Checker {
    fn new() -> Checker {
        let mut compiler = Compiler::new();
        let added = compiler.add_resource("mem:///schema", WHOLE.clone());
        added.unwrap();
        Checker {
            compiler,
            schemas: Schemas::new(),
            compiled: BTreeMap::new(),
        }
    }

    /// Checks JSON against a definition; the empty name is that of the whole schema.
    fn check(&mut self, definition: &str, json: &Json) -> Result<(), String> {
        if !self.compiled.contains_key(definition) {
            let place = match definition {
                "" => "mem:///schema".to_owned(),
                _ => format!("mem:///schema#/$defs/{definition}"),
            };
            let index = self.compiler.compile(&place, &mut self.schemas);
            let index = index.unwrap_or_else(|error| panic!("{definition}: {error:#}"));
            self.compiled.insert(definition.to_owned(), index);
        }
        let checked = self.schemas.validate(json, self.compiled[definition]);
        checked.map_err(|error| format!("{error:#}"))
    }
}

// The answers

/// Words of the tables that stand for others.
const WORDS: [(&str, &[&str]); 14] = [
    ("OWN", &["--rules", "own.toml"]),
    ("FLYING", &[FLYING]),
    ("BLOCKED", &[BLOCKED]),
    ("REMOVAL", &[REMOVAL]),
    ("LARGER", &[LARGER]),
    ("RACE", &[RACE]),
    ("MOVING", &["O**@****/*O****@*/****O@** w m s 3 0 3 0 0 0"]),
    // Each side has one of its four stones in hand.
    ("PLACING", &["*****O@*/O***@***/@O****** w p p 3 1 3 1 0 0"]),
    // White has no stones in hand, Black has one.
    ("WITHOUT", &["O*O*O***/@*@*****/******** w p s 3 0 2 1 0 0"]),
    ("CAPTURE", &["**O@O***/@*****@@/**O***** w m s 3 0 4 0 0 0"]),
    ("PROGRAM", &[PROGRAM]),
    ("WEAK", &["level=3 depth=1"]),
    ("SHORT", &["********/********/O@O*O@* w m s 3 0 3 0 0 0"]),
    ("SILENT", &["command=sh engine.sh"]),
];

/// Runs in a folder, in this order: the definition of the answer, the exit status, the arguments, and a value
/// that the answer has, or has not, at a place.
const RUNS: &str = r#"
probe 0 probe FLYING
probe 0 probe BLOCKED
probe 0 probe REMOVAL
probe 0 probe FLYING --turns none
probe 0 probe FLYING --turns best
probe 0 --rules four.toml probe PLACING
line 0 line FLYING -> /source="database"
line 0 line BLOCKED -> /source="rules"
line 0 line REMOVAL -> /source="database"
line 0 line FLYING --limit 2 -> /end="limit"
line 0 --rules four.toml line PLACING -> /source="search"
explain 0 explain RACE
explain 0 explain RACE e3-e4
explain 0 explain BLOCKED
perft 0 perft start 2
perft 0 perft RACE 1 --divide
error 2 probe rubbish
error 3 line LARGER
error 2 explain RACE e3-d1
error 2 probe FLYING --nonsense
error 3 stats --pair 9-9
error 3 prove
error 2 review none.txt
# Databases, built and built in.
buildPlan 0 build --dry-run
buildPlan 0 OWN build --placing --dry-run
build 0 OWN build --placing -> /pairs/0/seconds!=null
build 0 OWN build -> /pairs/0/seconds=null
verify 0 OWN verify --sample 20
repack 0 OWN repack --to wdl --profile wdl
probe 0 OWN probe start -> /phase="placing"
line 0 OWN line start
list 0 OWN list
stats 0 OWN stats --histogram
prove 0 OWN prove
prove 0 OWN prove --pairs 3-3
buildPlan 0 --rules lasker.toml build --dry-run -> /temporary_bytes!=0
build 0 --rules lasker.toml build --pair 3-2+0-1 -> /pairs/1/pair="3-2+0-1"
verify 0 --rules lasker.toml verify
list 0 --rules lasker.toml list
probe 0 --rules lasker.toml probe WITHOUT -> /phase="flying"
line 0 --rules lasker.toml line WITHOUT
# A capture by the loser: depths count the turns to the next removal.
build 0 --rules limited.toml build
probe 0 --rules limited.toml probe CAPTURE -> /turns/50/dtw=1
bench 0 OWN bench --seconds 0.001 --max-stones 6 -> /first_answers!=null
probe 0 OWN probe MOVING --db wdl -> /dtw=null
stats 0 OWN stats --histogram --db wdl -> /tables/0/max_win=null
error 2 probe SHORT -> /error/fields/count="25"
list 0 list
stats 0 stats
records 0 records --pair 4-3 --limit 3 -> /pairs/0/tables/0/win!=null
records 0 OWN records -> /placing/0/ply=0
records 0 OWN records --db wdl -> /pairs/0/tables/0/win=null
dataset 0 dataset 3-3 --to rows.parquet -> /row_groups=1
verify 0 verify --sample 20
# A file that differs and one that is missing; wrong values; a file that is none.
verifySums 1 verify --sums sums --db small
verify 1 verify --db wrong --pair 3-3 -> /pairs/0/miscounted=[3]
verify 4 verify --db rubbish --pair 3-3 -> /pairs/0/error/code="corrupt"
list 4 list --db rubbish -> /unusable/0!=null
exported 0 export malom --to sectors --moving --max-stones 7
# Games and players.
reviewedGame 0 review one.txt
record 0 convert one.txt
record 0 convert noted.txt
match 0 match name=strong WEAK --log log --sample 2 --from 3-3
match 0 match level=30 SILENT --start RACE --log lost -> /players/1/forfeits=1
judge 0 judge --from 3-3 --positions 4 --starts 1 --option Hash=1 --depth 1 --rules three.toml -- PROGRAM uci --rules three.toml
puzzles 0 puzzles make --goal draw --count 2 -> /puzzles/1/dtw=null
"#;

/// The runs after [`Answers::spoil`].
const LATER: &str = r#"
compared 1 compare malom sectors -> /damaged/0/file="std_4_3_0_0.sec2"
puzzlesChecked 0 puzzles check right.json -> /wrong=0
puzzlesChecked 1 puzzles check wrong.json -> /wrong=1
puzzlesChecked 3 puzzles check larger.json -> /unchecked=1
"#;

/// Answers of the server: the definition, the status, and the path.
const PATHS: &str = r#"
probe 200 /probe?rules=standard&fen=FLYING
probe 200 /probe?rules=standard&fen=BLOCKED
line 200 /line?rules=standard&fen=FLYING
line 200 /line?rules=standard&fen=BLOCKED
tablebase 200 /standard?fen=FLYING
tablebase 200 /standard?fen=BLOCKED
rank 200 /rank?rules=standard&fen=FLYING
rank 200 /rank?rules=standard&fen=BLOCKED
explain 200 /explain?rules=standard&fen=FLYING
explain 200 /explain?rules=standard&fen=FLYING&turn=d1-a4
explain 200 /explain?rules=standard&fen=BLOCKED
error 400 /explain?rules=standard&fen=FLYING&turn=a1-a1
turns 200 /turns?rules=standard&fen=FLYING
turns 200 /turns?rules=standard&fen=BLOCKED
step 200 /step?rules=standard&fen=FLYING
step 200 /step?rules=standard&fen=BLOCKED
step 200 /step?rules=standard&fen=start&moves=d6+d6
game 200 /game?rules=standard&fen=FLYING
game 200 /game?rules=standard&fen=BLOCKED
game 200 /game?fen=start&moves=d6+d6
play 200 /play?rules=standard&fen=FLYING
play 200 /play?rules=standard&fen=BLOCKED
play 200 /play?rules=standard&fen=start&moves=d6&movetime=20
random 200 /random?pair=4-3&wdl=win&rules=standard
random 200 /random?pair=4-3&wdl=draw&rules=standard
read 200 /read?text=d6+zz&rules=standard
list 200 /databases
rules 200 /rules
rules 200 /rules?rules=twelve
rulesets 200 /rulesets
stats 200 /stats
records 200 /records?rules=standard
health 200 /healthz
buildState 200 /build
error 404 /nothing
error 400 /probe?fen=rubbish
error 404 /probe?rules=standard&fen=LARGER
error 405 POST /probe
error 403 POST /build
"#;

/// The rows of a table: a definition, a status, and the rest.
fn rows(table: &'static str) -> impl Iterator<Item = (&'static str, i32, &'static str)> {
    let rows = table
        .lines()
        .filter(|row| !row.is_empty() && !row.starts_with('#'));
    rows.map(|row| {
        let mut parts = row.splitn(3, ' ');
        let mut part = || parts.next().expect("three parts");
        (part(), part().parse().expect("a status"), part())
    })
}

/// An answer of the program.
struct Real {
    definition: &'static str,
    /// The question.
    asked: String,
    json: Json,
}

static REAL: LazyLock<Vec<Real>> = LazyLock::new(|| {
    let place = TempDir::new().unwrap();
    prepare(place.path());
    let mut answers = Answers(Vec::new());
    answers.run(place.path(), RUNS);
    answers.streams(place.path());
    answers.spoil(place.path());
    answers.run(place.path(), LATER);
    for log in ["log", "lost"] {
        let text = fs::read_to_string(place.path().join(log)).unwrap();
        for (number, line) in text.lines().enumerate() {
            let definition = ["matchLog", "matchLogGame"][number.min(1)];
            answers.add(definition, log, serde_json::from_str(line).unwrap());
        }
    }
    // As the tests of mounted files compare it with the program's: not every system lets them mount.
    let mounted = json!({"version": 1, "mounted": "sectors", "files": 11, "bytes": 150_248_873});
    answers.add("mounted", "mount", mounted);
    answers.of_the_server(place);
    answers.0
});

/// Writes the files that the runs need.
fn prepare(place: &Path) {
    for folder in ["db", "small", "wrong", "rubbish"] {
        fs::create_dir(place.join(folder)).unwrap();
    }
    fs::copy(root().join("db/3-3.mill"), place.join("small/3-3.mill")).unwrap();
    wrong_values(&place.join("wrong"));
    let [none, other] = ["0", "f"].map(|digit| digit.repeat(64));
    for (file, text) in [
        // Three stones against three, without flying: solved in an instant, with the placing phase.
        ("own.toml", "stones = 3\nflying = 0\n"),
        ("three.toml", "stones = 3\n"),
        // It speaks the protocol, but ends when it is asked for a turn.
        (
            "engine.sh",
            "while read line; do case $line in uci) echo uciok;; isready) echo readyok;; go*) exit;; esac; done\n",
        ),
        ("four.toml", "stones = 4\n"),
        ("limited.toml", "stones = 4\nquiet_turns = 50\n"),
        ("lasker.toml", "base = 'lasker'\nstones = 3\n"),
        ("rubbish/3-3.mill", "rubbish"),
        ("sums", &format!("{none}  wdl.mill\n{other}  3-3.mill\n")),
        ("one.txt", &game("1. e3-e4 c4-a1xa7")),
        (
            "noted.txt",
            "{a} 1. d6! {b} f4 (1... b4 {c} (1... a1)) 1-0\n",
        ),
    ] {
        fs::write(place.join(file), text).unwrap();
    }
}

/// A game of two players with names, from [`RACE`].
fn game(turns: &str) -> String {
    let tags = "[White \"Anna\"]\n[Black \"Ben\"]\n[Result \"0-1\"]\n";
    format!("{tags}[FEN \"{RACE}\"]\n\n{turns}\n\n")
}

/// Writes the pair 3-3 to a folder with a win in 28 turns instead of 26.
fn wrong_values(folder: &Path) {
    let pair = Pair::new(3, 3).unwrap();
    let table = pair.tables(&Rules::STANDARD)[0];
    let database = Database::embedded(Rules::STANDARD);
    let mut values = millbase::internals::solve::load(&database, table).unwrap();
    let histogram = Histogram::of_table(&Index::new(table), &values);
    let entry = values.iter().position(|&value| value == 27).unwrap();
    values[entry] = 29;
    let (rules, profile) = (Rules::STANDARD, Profile::default());
    write_pair(folder, &rules, profile, pair, &values, &[histogram]).unwrap();
}

/// The answers so far.
struct Answers(Vec<Real>);

impl Answers {
    fn add(&mut self, definition: &'static str, asked: &str, json: Json) {
        self.0.push(Real {
            definition,
            asked: asked.to_owned(),
            json,
        });
    }

    /// Runs the program, which answers each of these with one object.
    fn run(&mut self, place: &Path, runs: &'static str) {
        for (definition, status, line) in rows(runs) {
            let (line, expected) = line.split_once(" -> ").unwrap_or((line, ""));
            let found = self.lines(place, definition, status, line, "");
            assert_eq!(found.len(), 1, "{line}");
            if let Some((pointer, expected)) = expected.split_once('=') {
                let (pointer, is_equal) = match pointer.strip_suffix('!') {
                    Some(pointer) => (pointer, false),
                    None => (pointer, true),
                };
                let expected: Json = serde_json::from_str(expected).unwrap();
                let value = found[0].pointer(pointer);
                let value = value.unwrap_or_else(|| panic!("{line}: no {pointer}: {}", found[0]));
                assert_eq!(*value == expected, is_equal, "{line}: {pointer} is {value}");
            }
        }
    }

    /// Runs the program with some input; it answers with an object a line. An error's definition is
    /// its own.
    fn lines(
        &mut self,
        place: &Path,
        definition: &'static str,
        status: i32,
        line: &str,
        input: &str,
    ) -> Vec<Json> {
        let mut args = vec!["--json", "--quiet"];
        for word in line.split(' ') {
            match WORDS.iter().find(|(known, _)| *known == word) {
                Some((_, words)) => args.extend(*words),
                None => args.push(word),
            }
        }
        let run = process::run_with(&mut process::program(place, &args), input);
        assert_eq!(run.status, status, "{line}: {}{}", run.out, run.err);
        let objects = run.out.lines().map(serde_json::from_str);
        let objects: Vec<Json> = objects.collect::<Result<_, _>>().expect("JSON");
        for object in &objects {
            let is_error = object.get("error").is_some();
            let definition = if is_error { "error" } else { definition };
            self.add(definition, line, object.clone());
        }
        objects
    }

    fn streams(&mut self, place: &Path) {
        let positions = format!("{FLYING}\nrubbish\n{LARGER}\n{BLOCKED}\n");
        let probes = self.lines(place, "probe", 2, "probe -", &positions);
        assert_eq!(probes.len(), 4);
        let games = [
            game("1. e3-e4 c4-a1xa7"),
            game("1. e3-a1 c4-a4 2. a1-g7xd1"),
        ];
        let games = games.concat() + "d6 f4 d2 b4\n";
        self.lines(place, "reviewedArchive", 0, "review -", &games);
        let each = format!("{games}\nrubbish\n");
        let each = self.lines(place, "reviewedGame", 2, "review --each -", &each);
        let missing = each.iter().filter(|game| game["missing"].is_string());
        assert_eq!((each.len(), missing.count()), (4, 1));
        let wrong = self
            .0
            .iter()
            .filter(|real| real.asked.contains("--db wrong"));
        let wrong = wrong.flat_map(|real| real.json["pairs"][0]["mismatches"].as_array().unwrap());
        let is_it = |found: &Json| found["stored"]["dtw"] == 28 && found["derived"]["dtw"] == 26;
        assert!(wrong.into_iter().any(is_it));
    }

    /// Damages two sector files, and writes packs of puzzles: right, with a wrong one, and with one that
    /// the databases at hand do not answer.
    fn spoil(&mut self, place: &Path) {
        let file = |name: &str| place.join("sectors").join(name);
        let mut slots = fs::read(file("std_3_3_0_0.sec2")).unwrap();
        // Wins in three turns.
        for slot in slots[64..].chunks_exact_mut(3).take(200) {
            slot.copy_from_slice(&[1, 0x30, 0]);
        }
        fs::write(file("std_3_3_0_0.sec2"), slots).unwrap();
        fs::write(file("std_4_3_0_0.sec2"), "rubbish").unwrap();
        let make = "puzzles make --from 3-3 --turns 1-3 --count 6";
        let mut pack = self.lines(place, "puzzles", 0, make, "").remove(0);
        let write = |name, pack: &Json| fs::write(place.join(name), pack.to_string()).unwrap();
        write("right.json", &pack);
        pack["puzzles"][0]["turns"] = json!(9);
        write("wrong.json", &pack);
        pack["puzzles"][0]["position"] = json!(LARGER);
        pack["puzzles"][0]["solution"] = json!([]);
        write("larger.json", &pack);
    }

    fn of_the_server(&mut self, place: TempDir) {
        let rules = place.path().join("own.toml").display().to_string();
        let server = Server::start_in(place, &["--rules", &rules, "--db", "new", "--quiet"]);
        self.add("listening", "serve", server.ready.clone());
        let mut replies = Vec::new();
        for (definition, status, path) in rows(PATHS) {
            let mut path = path.to_owned();
            for (word, position) in WORDS {
                path = path.replace(word, &encoded(position[0].as_bytes()));
            }
            let reply = match path.strip_prefix("POST ") {
                Some(path) => server.request("POST", path),
                None => server.get(&path),
            };
            replies.push((definition, status, path, reply));
        }
        let [begun, finished] = serve_build::build(&server, "placing=true");
        replies.push(("buildState", 202, "POST /build".to_owned(), begun));
        replies.push(("buildState", 200, "/build".to_owned(), finished));
        let list = server.get("/databases");
        replies.push(("list", 200, "/databases".to_owned(), list));
        for (definition, status, path, reply) in replies {
            let json = reply.json();
            assert_eq!(i32::from(reply.status), status, "{path}: {json}");
            self.add(definition, &path, json);
        }
    }
}

#[test]
fn answers_are_as_the_schema_says() {
    let mut checker = Checker::new();
    for real in REAL.iter() {
        for definition in [real.definition, ""] {
            if let Err(why) = checker.check(definition, &real.json) {
                let (asked, json) = (&real.asked, &real.json);
                panic!("{asked} is not as '{definition}' says: {why}\n{json}");
            }
        }
    }
    assert!(REAL.len() >= 90, "{} answers", REAL.len());
}

// Wrong answers

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

/// All ways to make one mistake: what is wrong, the pointer to it, and the wrong answer.
fn mistakes(json: &Json) -> Vec<(&'static str, String, Json)> {
    let mut found = Vec::new();
    for (pointer, value) in places(json, String::new()) {
        let mut with = |mistake, place: String, wrong: Json| {
            let mut whole = json.clone();
            *whole.pointer_mut(&pointer).expect("a place") = wrong;
            found.push((mistake, place, whole));
        };
        with("type", pointer.clone(), json!({ "unheard of": true }));
        match value {
            Json::Object(fields) => {
                let mut more = fields.clone();
                more.insert("unheard of".to_owned(), Json::Null);
                with("extra", pointer.clone(), more.into());
                for key in fields.keys() {
                    let mut fewer = fields.clone();
                    fewer.remove(key);
                    with("missing", format!("{pointer}/{key}"), fewer.into());
                }
            }
            // Depths beyond a byte, and no whole number.
            Json::Number(_) if pointer.ends_with("/dtw") => {
                for wrong in [json!(255), json!(-1), json!(0.5)] {
                    with("range", pointer.clone(), wrong);
                }
            }
            Json::Number(_) => with("range", pointer.clone(), json!(-1_000_000)),
            Json::String(_) => with("text", pointer.clone(), json!("nonsense")),
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

/// The mistakes that the schema accepts: fields that an option or a reason asks for are missing; a skill is worse than
/// chance; the depth of a record has no bound, and that of a tablebase has a sign.
const ACCEPTED: [&str; 21] = [
    "missing build/pairs/tables/in_hand",
    "missing build/placing",
    "missing build/placing/seconds",
    "missing buildPlan/placing",
    "missing error/error/fields",
    "missing error/error/fields/count",
    "missing error/error/reason",
    "missing perft/turns",
    "missing probe/turns",
    "missing read/games/remarks/fields/text",
    "missing stats/tables/histogram",
    "range judge/groups/skill",
    "range judge/groups/skill_interval",
    "range judge/skill",
    "range judge/skill_interval",
    "range records/pairs/tables/loss/dtw",
    "range records/pairs/tables/win/dtw",
    "range records/placing/loss/dtw",
    "range records/placing/win/dtw",
    "range tablebase/dtw",
    "range tablebase/moves/dtw",
];

/// Fields whose texts are of a few words or of one form.
const FORMED: &str =
    " best code end goal grade phase result side side_to_move source themes wdl winner ";

#[test]
fn wrong_answers_are_refused() {
    let mut checker = Checker::new();
    let mut refused: BTreeMap<&str, usize> = BTreeMap::new();
    let mut accepted = BTreeSet::new();
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
            if checker.check(real.definition, &wrong).is_err() {
                *refused.entry(mistake).or_default() += 1;
                continue;
            }
            let names = pointer.split('/');
            let names = names.filter(|name| name.parse::<u8>().is_err());
            let place = names.collect::<Vec<_>>().join("/");
            accepted.insert(format!("{mistake} {}{place}", real.definition));
        }
    }
    let (texts, others): (Vec<_>, Vec<_>) =
        (accepted.iter().map(String::as_str)).partition(|place| place.starts_with("text "));
    assert_eq!(others, ACCEPTED);
    for place in texts {
        let field = place.rsplit('/').next().expect("a field");
        assert!(!FORMED.contains(&format!(" {field} ")), "{place}");
    }
    for (mistake, least) in [
        ("missing", 1800),
        ("extra", 200),
        ("type", 2000),
        ("range", 1000),
        ("text", 300),
    ] {
        assert!(refused[mistake] >= least, "{mistake}: {refused:?}");
    }
}

/// Words of a definition, each with whether it is one, separated by commas.
const FORMS: [(&str, bool, &str); 8] = [
    (
        "turn",
        true,
        "d6,d6-d5,d6-d5xb4,a1xa4xa7,xb4,xb4xd1xg7,pass",
    ),
    (
        "turn",
        false,
        ",d4,a2,d6-,d6d5,d6-d5-d6,passxb4,x,xb4-d6,D6",
    ),
    ("point", true, "a1,d1,d7,e5,g4"),
    ("point", false, "d4,a2,c6,h1,a8,a11,"),
    ("pair", true, "3-3,9-8,12-12,10-3,3-2+0-1,0-0+10-10"),
    ("pair", false, "2-3,13-3,9_8,9-2,03-3,9-8-7,3-3+1,3-3+13-0"),
    (
        "position",
        true,
        "********/********/******** w p p 0 9 0 9 0 0 -1 -1 -1 -1 0 0 1,\
         O@O@O@O@/O@O@O@O@/O@O@O@O@ b o ? 12 0 12 0 0 0 -1 -1 -1 -1 0 0 1,\
         O*O*O***/@*@*****/******** w p s 3 0 2 1 0 0 -1 -1 -1 -1 0 0 1,\
         ********/@*****@*/OO@**@*O w m r 3 0 4 0 1 0 -1 -1 -1 -1 0 0 1",
    ),
    (
        "position",
        false,
        "********/********/******** w p p 0 9 0 9 0 0,\
         ********/********/******* w p p 0 9 0 9 0 0 -1 -1 -1 -1 0 0 1,\
         ********/********/******** w m p 0 9 0 9 0 0 -1 -1 -1 -1 0 0 1,\
         ********/********/******** x p p 0 9 0 9 0 0 -1 -1 -1 -1 0 0 1,\
         ********/********/******** w p p 0 13 0 9 0 0 -1 -1 -1 -1 0 0 1,\
         ********/********/******** w p p 0 9 0 9 4 0 -1 -1 -1 -1 0 0 1",
    ),
];

#[test]
fn words_have_their_form() {
    let mut checker = Checker::new();
    for (definition, is_one, words) in FORMS {
        for word in words.split(',') {
            let checked = checker.check(definition, &json!(word));
            assert_eq!(
                checked.is_ok(),
                is_one,
                "{definition} '{word}': {checked:?}"
            );
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

/// The names and words in code marks in a section, and in the parts that it links to.
fn described<'a>(name: &'a str, visited: &mut BTreeSet<&'a str>, found: &mut BTreeSet<&'a str>) {
    let sections = sections();
    let Some(text) = sections.get(name).filter(|_| visited.insert(name)) else {
        return;
    };
    for code in text.split('`').skip(1).step_by(2) {
        found.extend(code.split(['.', '[', ']']));
    }
    for link in text.split("](#").skip(1) {
        let anchor = link.split(')').next().expect("an anchor");
        let part = sections.keys().find(|name| name.to_lowercase() == anchor);
        described(part.expect("a section"), visited, found);
    }
}

/// The paths of the fields of a definition, with dots between the names and `[]` after lists.
fn defined(schema: &Json, before: &str, found: &mut BTreeSet<String>) {
    // A variation is a line with variations.
    if before.matches("variations").count() > 1 {
        return;
    }
    if let Some(reference) = schema["$ref"].as_str() {
        let name = reference.trim_start_matches("#/$defs/");
        defined(&WHOLE["$defs"][name], before, found);
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
    let sections = sections();
    let mut fields = 0;
    for answer in WHOLE["anyOf"].as_array().unwrap() {
        let reference = answer["$ref"].as_str().unwrap();
        let name = reference.trim_start_matches("#/$defs/");
        let [mut page, mut visited] = [BTreeSet::new(), BTreeSet::new()];
        described(name, &mut visited, &mut page);
        let mut types = BTreeSet::new();
        defined(answer, "", &mut types);
        for field in &types {
            let last = field.rsplit('.').next().expect("a name");
            assert!(page.contains(last), "{name}: the page lacks {field}");
        }
        // Names in the first column of its tables are fields.
        let rows = sections[name]
            .lines()
            .filter(|line| line.starts_with("| `"));
        for row in rows.filter_map(|row| row.split(" | ").next()) {
            for field in row.split('`').skip(1).step_by(2) {
                assert!(types.contains(field), "{name} has no field {field}");
            }
        }
        fields += types.len();
    }
    assert!(fields > 400, "{fields}");
    for (part, field) in [("FailureAnswer", "code"), ("IllegalTurn", "reason")] {
        let words = &WHOLE["$defs"][part]["properties"][field]["enum"];
        for word in words.as_array().into_iter().flatten() {
            let word = format!("`{}`", word.as_str().unwrap());
            assert!(PAGE.contains(&word), "the page lacks {word}");
        }
    }
}

#[test]
fn the_example_of_the_page_is_an_answer() {
    let (_, example) = PAGE.split_once("```console\n$ millbase ").unwrap();
    let (example, _) = example.split_once("\n```").unwrap();
    let (command, answer) = example.split_once('\n').unwrap();
    let args: Vec<&str> = command.split('\'').collect();
    let args: Vec<&str> = args[0].split_whitespace().chain([args[1]]).collect();
    let place = TempDir::new().unwrap();
    let run = process::run(&mut process::program(place.path(), &args));
    let expected: Vec<&str> = answer.lines().map(str::trim_start).collect();
    assert_eq!(run.out.trim_end(), expected.concat());
}

#[test]
fn links_to_the_page_lead_to_a_heading() {
    let anchors: BTreeSet<String> = (sections().into_keys())
        .map(|heading| heading.to_lowercase().replace(' ', "-"))
        .collect();
    let mut links = 0;
    for file in fs::read_dir(root().join("docs")).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "md") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let is_own = path.ends_with("JSON.md");
        let own = if is_own { "](#" } else { "](JSON.md#" };
        for link in text.split(own).skip(1) {
            let anchor = link.split(')').next().unwrap();
            assert!(anchors.contains(anchor), "{}: {anchor}", path.display());
            links += 1;
        }
    }
    assert!(links > 60, "{links}");
}
