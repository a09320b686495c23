//! `millbase puzzles make`.

use std::collections::HashSet;
use std::io::{self, Write};
use std::ops::RangeInclusive;

use anyhow::Result;
use clap::{Args, ValueEnum};
use millbase::internals::coach::puzzle::{Goal, LEVELS, Puzzle, Theme, WantedPuzzles, candidate};
use millbase::internals::diagram::draw;
use millbase::review::Truth;
use millbase::sample::{Family, canonical};
use millbase::store::DbError;
use millbase::{Database, Rules};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;

use super::exchange;
use crate::databases;
use crate::input;
use crate::options::Options;
use crate::output;
use crate::progress;
use crate::status::{self, Failure, Status, refuse};

/// Make puzzles: positions in which one first turn is best, or alone holds the draw
///
/// No two puzzles are equal up to symmetry and colour. The same seed, options and databases give
/// the same puzzles, whatever the number of threads.
#[derive(Args)]
#[command(after_help = "\
Examples:
  millbase puzzles make --count 20 --from 4-4,5-4 --turns 2-4
  millbase puzzles make --theme zwickmuehle --from 8-5,9-6 --json > puzzles.json
  millbase puzzles make --count 100 --format exchange > pack.sanmill_puzzles")]
pub struct MakePuzzles {
    /// Number of puzzles
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = input::number::<u32>(1..=1_000_000))]
    count: u32,

    /// Seed of the random positions
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = input::seed())]
    seed: u64,

    /// Where to draw positions from: a pair like 5-4, or placed-12 for the positions after 12 random
    /// placements; several, separated by commas, take turns; without it all pairs whose databases
    /// are present
    #[arg(long, value_name = "FAMILY", value_delimiter = ',')]
    from: Vec<Family>,

    /// Goal of the solver: win or draw; without it both
    #[arg(long, value_name = "GOAL", value_parser = goal)]
    goal: Option<Goal>,

    /// Number of own turns that the solver needs to win; without it 1-8
    #[arg(long, value_name = "LEAST-MOST", value_parser = range)]
    turns: Option<RangeInclusive<u32>>,

    /// Theme: double-mill, zwickmuehle, sacrifice, blockade, flying-defence or only-move;
    /// of several, separated by commas, all must occur
    #[arg(long, value_name = "THEME", value_delimiter = ',', value_parser = theme)]
    theme: Vec<Theme>,

    /// Difficulty: beginner, easy, medium, hard, expert or master
    #[arg(long, value_name = "LEVEL", value_parser = level)]
    level: Option<&'static str>,

    /// Form of the output; --json writes the documented form with the certificates
    #[arg(
        long,
        value_name = "FORMAT",
        default_value = "plain",
        conflicts_with = "json"
    )]
    format: PackFormat,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PackFormat {
    /// Diagrams with solutions, for people
    Plain,
    /// The JSON format of puzzle packs that mill programs exchange
    Exchange,
}

fn goal(text: &str) -> Result<Goal, String> {
    Goal::named(text).ok_or_else(|| format!("a goal is win or draw, not '{text}'"))
}

fn theme(text: &str) -> Result<Theme, String> {
    Theme::named(text).ok_or_else(|| {
        let names = Theme::ALL.map(Theme::name).join(", ");
        format!("a theme is one of {names}, not '{text}'")
    })
}

fn level(text: &str) -> Result<&'static str, String> {
    let names = LEVELS.map(|(name, _)| name);
    let named = names.into_iter().find(|name| *name == text);
    named.ok_or_else(|| format!("a level is one of {}, not '{text}'", names.join(", ")))
}

fn range(text: &str) -> Result<RangeInclusive<u32>, String> {
    let (least, most) = text.split_once('-').unwrap_or((text, text));
    match (least.parse(), most.parse()) {
        (Ok(least), Ok(most)) if 1 <= least && least <= most => Ok(least..=most),
        _ => Err(format!(
            "a range is written like 2-5 or 3, the smaller number first and at least 1, not '{text}'"
        )),
    }
}

/// The puzzles of a run.
#[derive(Serialize, JsonSchema)]
pub struct PuzzlePack {
    seed: u64,
    puzzles: Vec<NamedPuzzle>,
}

/// A puzzle with its name, which has the seed and the number of its candidate.
#[derive(Serialize, JsonSchema)]
pub struct NamedPuzzle {
    pub id: String,
    #[serde(flatten)]
    pub puzzle: Puzzle,
}

/// The number of candidates that are examined in parallel.
const BATCH: u64 = 512;

/// The number of candidates without a new puzzle after which the search ends.
const MOST_IN_VAIN: u64 = 1 << 18;

/// Under the standard rules, a search for a theme of two mills is refused with up to this number of
/// stones, as it would be in vain: docs/COACH.md has the reason and the figures.
const FEW: u8 = 9;

impl MakePuzzles {
    /// Makes and writes the puzzles.
    pub fn run(&self, options: &Options) -> Result<Status> {
        let db = databases::open(options)?;
        let wanted = self.wanted(&db)?;
        let pack = PuzzlePack {
            seed: self.seed,
            puzzles: self.find(&db, &wanted, options)?,
        };
        let puzzles = &pack.puzzles;
        output::answer(options, &pack, |out| match self.format {
            PackFormat::Exchange => exchange::write(out, puzzles, db.rules()),
            PackFormat::Plain => (1..)
                .zip(puzzles)
                .try_for_each(|(number, named)| write(out, number, &named.puzzle)),
        })?;
        if puzzles.len() < self.count as usize {
            let (found, count) = (puzzles.len(), self.count);
            let sentence = format!(
                "only {found} of {count} such puzzles were found; ask for fewer, or choose \
                another --from"
            );
            return Ok(status::after_answer(&Failure::question(sentence).into()));
        }
        Ok(Status::Done)
    }

    fn wanted(&self, db: &Database) -> Result<WantedPuzzles> {
        if self.goal == Some(Goal::Draw) && self.turns.is_some() {
            return refuse(
                "--turns is the number of turns to a win; leave it out with --goal draw",
            );
        }
        let wins = |theme: &&Theme| matches!(theme, Theme::Sacrifice | Theme::Blockade);
        if let Some(theme) = self.theme.iter().find(wins)
            && self.goal == Some(Goal::Draw)
        {
            return refuse(format!(
                "only wins have the theme {}; leave out --goal draw",
                theme.name()
            ));
        }
        let families = databases::families(db, &self.from)?;
        let has_few = |family: &Family| match family {
            Family::Pair(pair) => pair.total() <= FEW,
            Family::Placed(_) => false,
        };
        let takes_two_mills =
            |theme: &&Theme| matches!(theme, Theme::DoubleMill | Theme::Zwickmuehle);
        let is_standard = *db.rules() == Rules::STANDARD;
        let hopeless = self.theme.iter().find(takes_two_mills);
        if let Some(theme) = hopeless.filter(|_| is_standard && families.iter().all(has_few)) {
            return refuse(format!(
                "with at most {FEW} stones there are hardly any puzzles with the theme {}; name larger pairs \
                 with --from, such as 8-5, which 'millbase build' makes",
                theme.name()
            ));
        }
        Ok(WantedPuzzles {
            families,
            goal: self.goal,
            turns: self.turns.clone().unwrap_or(1..=8),
            themes: self.theme.clone(),
            level: self.level,
        })
    }

    /// The puzzles in the order of their candidates.
    fn find(
        &self,
        db: &Database,
        wanted: &WantedPuzzles,
        options: &Options,
    ) -> Result<Vec<NamedPuzzle>> {
        let truth = Truth::brief(db);
        let count = self.count as usize;
        let mut found = Vec::with_capacity(count);
        let mut positions = HashSet::new();
        let bar = progress::counter(options, count as u64, "puzzles");
        let (mut next, mut last) = (0, 0);
        while found.len() < count && next - last < MOST_IN_VAIN {
            let batch = (next..next + BATCH).into_par_iter();
            let batch: Vec<_> = batch
                .map(|number| Ok((number, candidate(truth, wanted, self.seed, number)?)))
                .collect::<Result<_, DbError>>()?;
            for (number, puzzle) in batch {
                let Some(puzzle) = puzzle else {
                    continue;
                };
                if found.len() < count && positions.insert(canonical(&puzzle.position)) {
                    let id = format!("millbase-{}-{number}", self.seed);
                    found.push(NamedPuzzle { id, puzzle });
                    last = number;
                }
            }
            next += BATCH;
            bar.set_position(found.len() as u64);
        }
        bar.finish_and_clear();
        Ok(found)
    }
}

fn write(out: &mut impl Write, number: usize, puzzle: &Puzzle) -> io::Result<()> {
    let (task, difficulty) = (exchange::task(puzzle), &puzzle.difficulty);
    let (level, rating) = (difficulty.level, difficulty.rating);
    writeln!(out, "{number}. {task} ({level}, {rating})\n")?;
    let picture = draw(&puzzle.position, |_, _, letter| letter.to_string());
    writeln!(out, "{picture}\n{}", puzzle.text)?;
    let solution = puzzle.solution.iter().map(|step| step.turn);
    writeln!(out, "solution: {}", output::line(solution))?;
    let (keeping, legal) = (puzzle.keeping, output::counted(puzzle.legal, "turn"));
    writeln!(out, "keeping the result: {keeping} of {legal}")?;
    if !puzzle.themes.is_empty() {
        let themes: Vec<&str> = puzzle.themes.iter().map(|theme| theme.name()).collect();
        writeln!(out, "themes: {}", themes.join(", "))?;
    }
    writeln!(out)
}
