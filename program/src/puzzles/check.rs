//! `millbase puzzles check`.

use std::collections::{HashMap, HashSet};
use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::{Error, Result};
use clap::Args;
use millbase::internals::coach::pack::{self, Checked, Claim, ClaimedLine};
use millbase::internals::coach::puzzle::{self, Goal, WantedPuzzles};
use millbase::review::Truth;
use millbase::store::DbError;
use millbase::{Position, Rules, Side};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};

use super::exchange::{ExchangePack, PackPuzzle};
use crate::advice;
use crate::databases;
use crate::input;
use crate::options::Options;
use crate::output;
use crate::status::{self, Failure, Status};

/// Check a pack of puzzles and list everything that is wrong
///
/// The pack is in the JSON form of 'millbase puzzles make --json' or in the form that mill programs
/// exchange. The check covers the positions, the stated numbers of turns, that every best first
/// turn has a solution, each solution turn by turn, and that no two puzzles are equal up to
/// symmetry and colour; in the JSON form also the version, every other field of the certificates, such
/// as depths, ratings, themes, and the values and counts of each turn, and that there are no others. The exit status is 1 if something is wrong, and 3 if
/// databases that the check needs are missing.
#[derive(Args)]
#[command(after_help = "\
Example:
  millbase puzzles check pack.sanmill_puzzles")]
pub struct CheckPack {
    /// File of the pack, or '-' for stdin
    file: PathBuf,
}

/// A puzzle to check.
struct PackEntry {
    id: String,
    /// `None` if the puzzle cannot be read.
    claim: Option<Claim>,
    /// The faults of its form.
    problems: Vec<String>,
    /// The puzzle in the form of `make --json`, which has a certificate.
    certificate: Option<Json>,
}

/// The version of packs in the form of `make --json`.
const VERSION: u32 = 1;

/// A pack in the form of `make --json`.
#[derive(Deserialize)]
#[serde(expecting = "an object with the list 'puzzles'")]
struct OwnPack {
    #[serde(default)]
    version: Json,
    puzzles: Vec<Json>,
    /// The seed, which only says how the pack was made.
    #[serde(rename = "seed")]
    _seed: Option<Json>,
    #[serde(flatten)]
    others: Map<String, Json>,
}

impl OwnPack {
    /// The faults of the pack itself.
    fn problems(&self) -> Vec<String> {
        let version = &self.version;
        let wrong = (*version != json!(VERSION))
            .then(|| format!("'version' is {version}, but must be {VERSION}"));
        let others = self.others.keys();
        let others = others.map(|field| format!("a pack has no field '{field}'"));
        wrong.into_iter().chain(others).collect()
    }
}

/// The claim of a puzzle in the form of `make --json`.
#[derive(Deserialize)]
#[serde(expecting = "a puzzle as an object")]
struct OwnPuzzle {
    id: String,
    position: String,
    goal: String,
    turns: u32,
    solution: Vec<OwnStep>,
}

#[derive(Deserialize)]
#[serde(expecting = "a turn of a solution as an object")]
struct OwnStep {
    side: String,
    turn: String,
}

/// The result of a check.
#[derive(Serialize, JsonSchema)]
pub struct CheckReport {
    puzzles: usize,
    /// The number of puzzles with a fault.
    wrong: usize,
    /// The number of puzzles that have no fault as far as they can be checked, but lack databases.
    unchecked: usize,
    pack_problems: Vec<String>,
    problems: Vec<PuzzleProblem>,
    /// Why the first of the unchecked puzzles is not.
    missing: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct PuzzleProblem {
    puzzle: String,
    problem: String,
}

impl CheckPack {
    /// Checks the file and reports.
    pub fn run(&self, options: &Options) -> Result<Status> {
        let (entries, pack_problems) = self.read(&options.rules)?;
        let db = databases::open(options)?;
        let truth = Truth::patient(&db);
        let results: Vec<Result<Checked, DbError>> = (entries.par_iter())
            .map(|entry| {
                let Some(claim) = &entry.claim else {
                    return Ok(Checked::default());
                };
                let mut checked = pack::check(truth, claim)?;
                if let Some(certificate) = &entry.certificate {
                    let problems = certificate_problems(certificate, claim, &checked, truth)?;
                    checked.problems.extend(problems);
                }
                Ok(checked)
            })
            .collect();
        let mut report = CheckReport {
            puzzles: entries.len(),
            wrong: 0,
            unchecked: 0,
            pack_problems,
            problems: Vec::new(),
            missing: None,
        };
        let mut missing = None;
        let mut positions: HashMap<Position, String> = HashMap::new();
        let mut ids = HashSet::new();
        for (entry, result) in entries.into_iter().zip(results) {
            let mut problems = entry.problems;
            if !ids.insert(entry.id.clone()) {
                problems.push("another puzzle of the pack has the same id".to_owned());
            }
            match result {
                Ok(checked) => {
                    problems.extend(checked.problems);
                    if let Some(like) = checked.like {
                        match positions.get(&like) {
                            None => {
                                positions.insert(like, entry.id.clone());
                            }
                            Some(other) => problems.push(format!(
                                "it is the same as {other} up to symmetry and colour"
                            )),
                        }
                    }
                }
                Err(
                    error @ (DbError::Missing { .. }
                    | DbError::MissingPlies { .. }
                    | DbError::NotStored(_)
                    | DbError::Omitted),
                ) => {
                    report.unchecked += usize::from(problems.is_empty());
                    missing.get_or_insert(error);
                }
                Err(error) => return Err(error.into()),
            }
            report.wrong += usize::from(!problems.is_empty());
            report
                .problems
                .extend(problems.into_iter().map(|problem| PuzzleProblem {
                    puzzle: entry.id.clone(),
                    problem,
                }));
        }
        report.missing = missing.as_ref().map(advice::sentence);
        output::answer(options, &report, |out| report.write(out))?;
        match missing {
            _ if report.wrong > 0 || !report.pack_problems.is_empty() => Ok(Status::No),
            None => Ok(Status::Done),
            Some(missing) => {
                let unchecked = output::counted(report.unchecked, "puzzle");
                let error = Error::new(missing).context(format!("{unchecked} cannot be checked"));
                Ok(status::after_answer(&error))
            }
        }
    }

    /// Reads the puzzles of the file, and the faults of the pack itself.
    fn read(&self, rules: &Rules) -> Result<(Vec<PackEntry>, Vec<String>)> {
        let name = input::name(&self.file);
        let text = input::read_file(&self.file)?;
        let wrong = |error: serde_json::Error| {
            Failure::question(format!(
                "{name} is not a pack of puzzles, neither of 'millbase puzzles make --json' nor of \
                 the exchange format: {error}"
            ))
        };
        let json: Json = serde_json::from_str(&text).map_err(wrong)?;
        // Puzzles without the head of a pack show which form is meant.
        let is_exchange = json.get("formatVersion").is_some()
            || json.pointer("/puzzles/0/initialPosition").is_some();
        if !is_exchange {
            let pack: OwnPack = serde_json::from_value(json).map_err(wrong)?;
            let problems = pack.problems();
            return Ok((entries(pack.puzzles, own_entry), problems));
        }
        let pack: ExchangePack<Json> = serde_json::from_value(json).map_err(wrong)?;
        let mut problems = Vec::new();
        let version = &pack.format_version;
        if !version.starts_with("1.") {
            problems.push(format!(
                "the format has version {version}; this program checks version 1.0"
            ));
        }
        let found = pack.puzzles.len();
        if let Some(stated) = pack.puzzle_count.filter(|&stated| stated != found) {
            let stated = output::counted(stated, "puzzle");
            problems.push(format!("the pack states {stated}, but has {found}"));
        }
        let read = |puzzle: Json| {
            let puzzle = PackPuzzle::deserialize(puzzle)?;
            Ok(PackEntry {
                claim: Some(puzzle.claim()),
                problems: puzzle.form_problems(rules),
                id: puzzle.id,
                certificate: None,
            })
        };
        Ok((entries(pack.puzzles, read), problems))
    }
}

/// The puzzles of a pack. Where one cannot be read, the reason is its only problem.
fn entries(
    puzzles: Vec<Json>,
    read: impl Fn(Json) -> Result<PackEntry, serde_json::Error>,
) -> Vec<PackEntry> {
    let entry = |(number, puzzle): (usize, Json)| {
        let id = puzzle["id"].as_str().map(str::to_owned);
        read(puzzle).unwrap_or_else(|error| PackEntry {
            id: id.unwrap_or_else(|| format!("puzzle {number}")),
            claim: None,
            problems: vec![format!("it cannot be read: {error}")],
            certificate: None,
        })
    };
    (1..).zip(puzzles).map(entry).collect()
}

/// A puzzle in the form of `make --json`.
fn own_entry(certificate: Json) -> Result<PackEntry, serde_json::Error> {
    let puzzle = OwnPuzzle::deserialize(&certificate)?;
    let steps = puzzle.solution.into_iter();
    let actions = steps.map(|step| (Side::named(&step.side), step.turn));
    let goal = Goal::named(&puzzle.goal);
    Ok(PackEntry {
        id: puzzle.id,
        problems: match goal {
            Some(_) => Vec::new(),
            None => vec![format!("the goal is '{}', not win or draw", puzzle.goal)],
        },
        claim: Some(Claim {
            position: puzzle.position,
            goal,
            win_in: (goal == Some(Goal::Win)).then_some(puzzle.turns),
            lines: vec![ClaimedLine {
                actions: actions.collect(),
                is_optimal: true,
            }],
        }),
        certificate: Some(certificate),
    })
}

/// The differences between a puzzle's certificate and the one that `make` gives its position; if `make` gives
/// none to a right claim, the reason. Themes and turns are compared only if the solution has the same turns:
/// others may be as good.
fn certificate_problems(
    stated: &Json,
    claim: &Claim,
    checked: &Checked,
    truth: Truth,
) -> Result<Vec<String>, DbError> {
    let rules = truth.database().rules();
    let Ok(position) = Position::parse(&claim.position, rules) else {
        return Ok(Vec::new());
    };
    let Some(made) = puzzle::puzzle(truth, &WantedPuzzles::any(), &position)? else {
        let reason = match position.turns(rules).len() {
            1 => "only one turn is legal",
            _ => "100 quiet turns draw the game before the solution ends",
        };
        let problem = format!("'make' gives the position no puzzle: {reason}");
        let is_right = checked.problems.is_empty();
        return Ok(is_right.then_some(problem).into_iter().collect());
    };
    let made_turns = made.solution.iter().map(|step| step.turn.to_string());
    let has_line = (claim.lines[0].actions.iter().map(|(_, turn)| turn.clone())).eq(made_turns);
    let made = json!(made);
    let is_compared = |field: &str| match field {
        // These are checked as claims.
        "goal" | "solution" => false,
        "turns" => claim.goal == Some(Goal::Draw),
        "themes" => has_line,
        _ => true,
    };
    let mut problems = differences(stated, &made, is_compared);
    let fields = stated.as_object().into_iter().flatten();
    let unknown = fields.filter(|(field, _)| *field != "id" && made.get(field).is_none());
    problems.extend(unknown.map(|(field, _)| format!("a puzzle has no field '{field}'")));
    if has_line {
        let solution =
            |puzzle: &'_ Json| puzzle["solution"].as_array().cloned().unwrap_or_default();
        for (number, (stated, made)) in (1..).zip(solution(stated).iter().zip(&solution(&made))) {
            let found = differences(stated, made, |_| true);
            problems.extend(found.iter().map(|found| format!("turn {number}: {found}")));
        }
    }
    Ok(problems)
}

/// The fields of an object that differ from those made for it, of those that are compared.
fn differences(stated: &Json, made: &Json, is_compared: impl Fn(&str) -> bool) -> Vec<String> {
    let fields = made.as_object().into_iter().flatten();
    let fields = fields.filter(|(field, made)| is_compared(field) && stated[*field] != **made);
    fields
        .map(|(field, made)| format!("'{field}' is {}, but must be {made}", stated[field]))
        .collect()
}

impl CheckReport {
    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        for problem in &self.pack_problems {
            writeln!(out, "{problem}")?;
        }
        for PuzzleProblem { puzzle, problem } in &self.problems {
            writeln!(out, "{puzzle}: {problem}")?;
        }
        let right = self.puzzles - self.wrong - self.unchecked;
        writeln!(
            out,
            "{}: {right} right, {} wrong, {} not checked",
            output::counted(self.puzzles, "puzzle"),
            self.wrong,
            self.unchecked
        )
    }
}
