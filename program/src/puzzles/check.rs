//! `millbase puzzles check`.

use std::collections::HashMap;
use std::io::Write;
use std::path::PathBuf;

use anyhow::{Error, Result};
use clap::Args;
use millbase::coach::pack::{self, Checked};
use millbase::coach::puzzle::{self, Claim, ClaimedLine, Goal, Wanted};
use millbase::coach::truth::Truth;
use millbase::store::DbError;
use millbase::{Position, Rules};
use rayon::prelude::*;
use serde::Serialize;
use serde_json::json;

use super::exchange::{self, Pack};
use super::{JsonPack, JsonPuzzle};
use crate::advice;
use crate::databases;
use crate::input;
use crate::options::Options;
use crate::output;
use crate::status::{self, Status, Usage};

/// Check a pack of puzzles and list everything that is wrong
///
/// The pack is in the JSON form of 'millbase puzzles make --json' or in the form that mill programs
/// exchange. The check covers the positions, the stated numbers of turns, that every best first
/// turn has a solution, each solution turn by turn, and that no two puzzles are equal up to
/// symmetry and colour; in the JSON form also the certificates: depths, ratings, themes, and the
/// values and counts of each turn. The exit status is 1 if something is wrong, and 3 if
/// databases that the check needs are missing.
#[derive(Args)]
#[command(after_help = "\
Example:
  millbase puzzles check pack.sanmill_puzzles")]
pub struct Check {
    /// File of the pack
    file: PathBuf,
}

/// A puzzle to check.
struct Entry {
    id: String,
    claim: Claim,
    /// The faults of its form.
    problems: Vec<String>,
    /// The puzzle with its certificate, in the form of `--json`.
    own: Option<JsonPuzzle>,
}

/// The result, for JSON answers.
#[derive(Serialize)]
struct CheckReport {
    puzzles: usize,
    /// The number of puzzles with a fault.
    wrong: usize,
    /// The number of puzzles whose databases are missing.
    unchecked: usize,
    pack_problems: Vec<String>,
    problems: Vec<Problem>,
    /// Why the first of the unchecked puzzles is not.
    missing: Option<String>,
}

#[derive(Serialize)]
struct Problem {
    puzzle: String,
    problem: String,
}

impl Check {
    /// Checks the file and reports.
    pub fn run(&self, options: &Options) -> Result<Status> {
        let (entries, pack_problems) = self.read(&options.rules)?;
        let db = databases::open(options)?;
        let truth = Truth::patient(&db);
        let results: Vec<Result<Checked, DbError>> = (entries.par_iter())
            .map(|entry| {
                let mut checked = pack::check(truth, &entry.claim)?;
                if let Some(own) = &entry.own {
                    checked.problems.extend(certificate_problems(own, truth)?);
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
        let mut known: HashMap<Position, String> = HashMap::new();
        for (entry, result) in entries.into_iter().zip(results) {
            let mut problems = entry.problems;
            match result {
                Ok(checked) => {
                    problems.extend(checked.problems);
                    if let Some(like) = checked.like {
                        match known.get(&like) {
                            None => {
                                known.insert(like, entry.id.clone());
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
                    | DbError::NotStored(_)),
                ) => {
                    report.unchecked += 1;
                    missing.get_or_insert(error);
                }
                Err(error) => return Err(error.into()),
            }
            report.wrong += usize::from(!problems.is_empty());
            report
                .problems
                .extend(problems.into_iter().map(|problem| Problem {
                    puzzle: entry.id.clone(),
                    problem,
                }));
        }
        report.missing = missing.as_ref().map(advice::sentence);
        report.write(options)?;
        match missing {
            _ if report.wrong > 0 || !report.pack_problems.is_empty() => Ok(Status::No),
            None => Ok(Status::Done),
            Some(missing) => {
                let unchecked = report.unchecked;
                let error = Error::new(missing);
                let error = error.context(format!("{unchecked} puzzles cannot be checked"));
                Ok(status::after_answer(&error))
            }
        }
    }

    /// Reads the puzzles of the file, and the faults of the pack itself.
    fn read(&self, rules: &Rules) -> Result<(Vec<Entry>, Vec<String>)> {
        let name = self.file.display();
        let text = input::read_file(&self.file)?;
        let wrong = |error: serde_json::Error| {
            Usage(format!(
                "'{name}' is not a pack of puzzles, neither of 'millbase puzzles make --json' nor of \
                 the exchange format: {error}"
            ))
        };
        let json: serde_json::Value = serde_json::from_str(&text).map_err(wrong)?;
        if json.get("formatVersion").is_none() {
            let pack: JsonPack = serde_json::from_value(json).map_err(wrong)?;
            let entries = pack.puzzles.into_iter().map(own_entry).collect();
            return Ok((entries, Vec::new()));
        }
        let pack: Pack = serde_json::from_value(json).map_err(wrong)?;
        let mut problems = Vec::new();
        let version = &pack.format_version;
        if !version.starts_with("1.") {
            problems.push(format!(
                "the format has version {version}; this program checks version 1.0"
            ));
        }
        let found = pack.puzzles.len();
        if let Some(stated) = pack.puzzle_count.filter(|&stated| stated != found) {
            problems.push(format!("the pack states {stated} puzzles, but has {found}"));
        }
        let entries = pack.puzzles.iter().map(|puzzle| Entry {
            id: puzzle.id.clone(),
            claim: puzzle.claim(),
            problems: puzzle.form_problems(rules),
            own: None,
        });
        Ok((entries.collect(), problems))
    }
}

/// An entry from a puzzle in the form of `--json`.
fn own_entry(puzzle: JsonPuzzle) -> Entry {
    let steps = puzzle.solution.iter();
    let actions = steps.map(|step| (exchange::side(&step.side), step.turn.clone()));
    let goal = Goal::named(&puzzle.goal);
    Entry {
        id: puzzle.id.clone(),
        problems: match goal {
            Some(_) => Vec::new(),
            None => vec![format!("the goal is '{}', not win or draw", puzzle.goal)],
        },
        claim: Claim {
            position: puzzle.position.clone(),
            goal,
            win_in: (goal == Some(Goal::Win)).then_some(puzzle.turns),
            lines: vec![ClaimedLine {
                actions: actions.collect(),
                is_optimal: true,
            }],
        },
        own: Some(puzzle),
    }
}

/// The differences between a puzzle's certificate and the one that 'puzzles make' gives its position. Themes
/// and turns are compared only if the solution has the same turns: others may be as good.
fn certificate_problems(stated: &JsonPuzzle, truth: Truth) -> Result<Vec<String>, DbError> {
    let rules = truth.database().rules();
    let Ok(position) = Position::parse(&stated.position, rules) else {
        return Ok(Vec::new());
    };
    let Some(made) = puzzle::puzzle(truth, &Wanted::any(), &position)? else {
        return Ok(Vec::new());
    };
    let made = JsonPuzzle::new(stated.id.clone(), &made, rules);
    let turns = |puzzle: &JsonPuzzle| -> Vec<String> {
        let steps = puzzle.solution.iter();
        steps.map(|step| step.turn.clone()).collect()
    };
    let has_line = turns(stated) == turns(&made);
    let is_compared = |field: &str| match field {
        // These are checked as claims.
        "id" | "position" | "goal" | "turns" | "solution" => false,
        "themes" => has_line,
        _ => true,
    };
    let mut problems = differences(stated, &made, is_compared);
    if has_line {
        for (number, (stated, made)) in (1..).zip(stated.solution.iter().zip(&made.solution)) {
            let found = differences(stated, made, |_| true);
            problems.extend(found.iter().map(|found| format!("turn {number}: {found}")));
        }
    }
    Ok(problems)
}

/// The fields of two objects that differ, of those that are compared.
fn differences<T: Serialize>(
    stated: &T,
    made: &T,
    is_compared: impl Fn(&str) -> bool,
) -> Vec<String> {
    let [stated, made] = [stated, made].map(|object| json!(object));
    let fields = stated.as_object().into_iter().flatten();
    let fields = fields.filter(|(field, value)| is_compared(field) && made[*field] != **value);
    fields
        .map(|(field, value)| format!("'{field}' is {value}, but must be {}", made[field]))
        .collect()
}

impl CheckReport {
    fn write(&self, options: &Options) -> Result<()> {
        Ok(output::answer(options, self, |out| {
            for problem in &self.pack_problems {
                writeln!(out, "{problem}")?;
            }
            for Problem { puzzle, problem } in &self.problems {
                writeln!(out, "{puzzle}: {problem}")?;
            }
            let right = self.puzzles - self.wrong - self.unchecked.min(self.puzzles - self.wrong);
            writeln!(
                out,
                "{} puzzles: {right} right, {} wrong, {} not checked",
                self.puzzles, self.wrong, self.unchecked
            )
        })?)
    }
}
