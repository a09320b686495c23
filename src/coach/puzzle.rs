//! Puzzles with proved solutions, made from random positions, each with a certificate.

use std::ops::RangeInclusive;
use std::sync::atomic::AtomicBool;

use crate::board::PointSet;
use crate::coach::review::Verdict;
use crate::coach::sample::{Family, seed_of};
use crate::coach::truth::Truth;
use crate::probe::RankedTurn;
use crate::random::Random;
use crate::rules::position::{Position, Side};
use crate::rules::turns::Turn;
use crate::rules::{FEWEST_STONES, Rules};
use crate::search::{Limits, NoProber, PrincipalVariation, Score, Search};
use crate::store::DbError;
use crate::value::Value;

/// The goal of the solver.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Goal {
    /// Win in as few turns as possible.
    Win,
    /// Hold the draw.
    Draw,
}

impl Goal {
    /// `win` or `draw`.
    pub const fn name(self) -> &'static str {
        match self {
            Goal::Win => "win",
            Goal::Draw => "draw",
        }
    }

    /// The goal with this name.
    pub fn named(name: &str) -> Option<Goal> {
        let goals = [Goal::Win, Goal::Draw];
        goals.into_iter().find(|goal| goal.name() == name)
    }
}

/// A theme of a puzzle. docs/COACH.md defines the themes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Theme {
    /// One turn of the solver closes two mills.
    DoubleMill,
    /// A turn of the solver slides a stone out of a mill into another one.
    Zwickmuehle,
    /// The solver's first turn lets the other side remove a stone, and wins.
    Sacrifice,
    /// The game ends because the loser cannot move.
    Blockade,
    /// The defending side flies from the first turn on.
    FlyingDefence,
    /// Only the solution keeps the result.
    OnlyMove,
}

impl Theme {
    /// All themes.
    pub const ALL: [Theme; 6] = [
        Theme::DoubleMill,
        Theme::Zwickmuehle,
        Theme::Sacrifice,
        Theme::Blockade,
        Theme::FlyingDefence,
        Theme::OnlyMove,
    ];

    /// The name of the theme, as the programs write it.
    pub const fn name(self) -> &'static str {
        match self {
            Theme::DoubleMill => "double-mill",
            Theme::Zwickmuehle => "zwickmuehle",
            Theme::Sacrifice => "sacrifice",
            Theme::Blockade => "blockade",
            Theme::FlyingDefence => "flying-defence",
            Theme::OnlyMove => "only-move",
        }
    }

    /// The theme with this name.
    pub fn named(name: &str) -> Option<Theme> {
        Theme::ALL.into_iter().find(|theme| theme.name() == name)
    }
}

/// A step of the solution: the best turn of one side.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// The side that makes the turn.
    pub side: Side,
    /// The turn, its value for that side, and the position after it.
    pub ranked: RankedTurn,
    /// The turns of the best value, and the numbers of turns that keep the result and that are
    /// legal.
    pub verdict: Verdict,
}

/// The difficulty of a puzzle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Difficulty {
    /// The depth from which a search without databases chooses the solution; one more than
    /// [`DEEPEST`] if it never does.
    pub depth: u32,
    /// The number of other turns that a search of depth [`GLANCE`] rates at least as high as the
    /// solution.
    pub temptations: usize,
    /// A rating on the scale of players' ratings: 900 for the easiest.
    pub rating: u32,
}

/// The names of the levels, each with its exclusive upper rating.
pub const LEVELS: [(&str, u32); 6] = [
    ("beginner", 1050),
    ("easy", 1250),
    ("medium", 1500),
    ("hard", 1750),
    ("expert", 2000),
    ("master", u32::MAX),
];

impl Difficulty {
    /// The name of the level, from `beginner` to `master`.
    pub fn level(&self) -> &'static str {
        let level = LEVELS.iter().find(|(_, end)| self.rating < *end);
        level.map_or("master", |(name, _)| name)
    }
}

/// A position with one best first turn, and its certificate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Puzzle {
    /// The position; the solver is to move.
    pub position: Position,
    /// The goal of the solver.
    pub goal: Goal,
    /// The turns of both sides in best play: up to the end of a win, or only one turn of a draw.
    pub solution: Vec<Step>,
    /// The themes, in the order of [`Theme::ALL`].
    pub themes: Vec<Theme>,
    /// The difficulty.
    pub difficulty: Difficulty,
}

impl Puzzle {
    /// The number of own turns that the solver needs; 1 for a draw.
    pub fn turns(&self) -> u32 {
        self.solution.len().div_ceil(2) as u32
    }

    /// The turn that solves the puzzle.
    pub fn first(&self) -> &Step {
        // Every puzzle has a first step.
        &self.solution[0]
    }
}

/// The wanted kind of puzzles.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wanted {
    /// The families of positions, used in turn.
    pub families: Vec<Family>,
    /// The goal, or any.
    pub goal: Option<Goal>,
    /// The range of own turns that the solver of a win needs.
    pub turns: RangeInclusive<u32>,
    /// Themes that must all occur.
    pub themes: Vec<Theme>,
    /// The name of a level, or any.
    pub level: Option<String>,
}

impl Wanted {
    /// Puzzles of every kind, of no family.
    pub fn any() -> Wanted {
        Wanted {
            families: Vec::new(),
            goal: None,
            turns: 1..=u32::MAX,
            themes: Vec::new(),
            level: None,
        }
    }
}

/// The deepest search to rate a puzzle, in turns.
pub const DEEPEST: u32 = 7;

/// The depth of the search that models a player's first impression, in turns.
pub const GLANCE: u32 = 2;

/// The most positions that such a search visits.
const MOST_NODES: u64 = 60_000;

/// The transposition table of such a search, in bytes.
const SEARCH_BYTES: usize = 1 << 18;

/// The candidate with this number in the sequence of the seed; `None` for most numbers.
///
/// # Errors
///
/// As for [`Database::answer`](crate::Database::answer).
pub fn candidate(
    truth: Truth,
    wanted: &Wanted,
    seed: u64,
    number: u64,
) -> Result<Option<Puzzle>, DbError> {
    let rules = truth.database().rules();
    let mut random = Random::new(seed_of(seed, number));
    let Some(&family) = wanted
        .families
        .get(number as usize % wanted.families.len().max(1))
    else {
        return Ok(None);
    };
    match family.draw(rules, &mut random) {
        Some(position) => puzzle(truth, wanted, &position),
        None => Ok(None),
    }
}

/// The puzzle of a position, if it is of the wanted kind.
///
/// # Errors
///
/// As for [`Database::answer`](crate::Database::answer).
pub fn puzzle(
    truth: Truth,
    wanted: &Wanted,
    position: &Position,
) -> Result<Option<Puzzle>, DbError> {
    let rules = truth.database().rules();
    let turns = truth.answer(position)?.turns;
    let Some(first) = step(position, turns) else {
        return Ok(None);
    };
    let verdict = &first.verdict;
    let goal = match verdict.before {
        Value::Win(_) if verdict.best.len() == 1 => Goal::Win,
        Value::Draw if verdict.keeping == 1 => Goal::Draw,
        _ => return Ok(None),
    };
    let needed = match (goal, verdict.before.dtw()) {
        (Goal::Win, Some(dtw)) => u32::from(dtw.0).div_ceil(2),
        (Goal::Win, None) => return Ok(None),
        (Goal::Draw, _) => *wanted.turns.start(),
    };
    let is_wanted = wanted.goal.is_none_or(|wanted| wanted == goal)
        && wanted.turns.contains(&needed)
        && verdict.legal > 1;
    if !is_wanted {
        return Ok(None);
    }
    let mut solution = vec![first];
    while let (Goal::Win, Some(last)) = (goal, solution.last()) {
        let position = last.ranked.after;
        let Some(next) = step(&position, truth.answer(&position)?.turns) else {
            break;
        };
        solution.push(next);
    }
    let themes = themes(position, goal, &solution, rules);
    if !wanted.themes.iter().all(|theme| themes.contains(theme)) {
        return Ok(None);
    }
    let difficulty = difficulty(position, &solution, rules);
    let is_wanted = (wanted.level.as_deref()).is_none_or(|level| level == difficulty.level());
    Ok(is_wanted.then_some(Puzzle {
        position: *position,
        goal,
        solution,
        themes,
        difficulty,
    }))
}

/// The best turn of a position among its ranked turns.
fn step(position: &Position, turns: Vec<RankedTurn>) -> Option<Step> {
    let ranked = *turns.first()?;
    Some(Step {
        side: position.side_to_move(),
        ranked,
        verdict: Verdict::of(ranked.turn, &turns)?,
    })
}

fn themes(position: &Position, goal: Goal, solution: &[Step], rules: &Rules) -> Vec<Theme> {
    let solver = position.side_to_move();
    let board = rules.board();
    let before = [*position].into_iter();
    let before = before.chain(solution.iter().map(|step| step.ranked.after));
    let steps: Vec<(Position, &Step)> = before.zip(solution).collect();
    let of_solver = || steps.iter().filter(|(_, step)| step.side == solver);
    let closed = |step: &Step| match step.ranked.turn.to() {
        Some(to) => board.mills_through(to, step.ranked.after.stones(solver)),
        None => 0,
    };
    let swings = |(before, step): &&(Position, &Step)| match (
        step.ranked.turn.from(),
        step.ranked.turn.to(),
    ) {
        (Some(from), Some(to)) => {
            board.neighbours(from).contains(to)
                && board.mills_through(from, before.stones(solver)) > 0
                && closed(step) > 0
        }
        _ => false,
    };
    let last = solution.last().map(|step| step.ranked.after);
    let defender = match goal {
        Goal::Win => solver.other(),
        Goal::Draw => solver,
    };
    let flies =
        |side: Side| position.in_hand(side) == 0 && rules.flies(position.stones(side).len());
    Theme::ALL
        .into_iter()
        .filter(|theme| match theme {
            Theme::DoubleMill => of_solver().any(|(_, step)| closed(step) > 1),
            Theme::Zwickmuehle => of_solver().any(|step| swings(&step)),
            Theme::Sacrifice => {
                let reply = solution.get(1).map(|step| step.ranked.turn.removed());
                goal == Goal::Win && reply.is_some_and(|removed| removed != PointSet::EMPTY)
            }
            Theme::Blockade => last.is_some_and(|last| {
                goal == Goal::Win
                    && last.is_over(rules)
                    && last.total(last.side_to_move()) >= u32::from(FEWEST_STONES)
            }),
            Theme::FlyingDefence => flies(defender),
            Theme::OnlyMove => solution[0].verdict.keeping == 1,
        })
        .collect()
}

/// `900 + 100 · min(N - 1, 8) + 120 · (d - 1) + 400 · t`, with N turns of the solver's own, the depth
/// d, and the share t of the other turns that tempt.
fn difficulty(position: &Position, solution: &[Step], rules: &Rules) -> Difficulty {
    let turn = solution[0].ranked.turn;
    let legal = solution[0].verdict.legal;
    let search = Search::new(*rules, SEARCH_BYTES, 1);
    let run = |limits: Limits, report: &mut dyn FnMut(&PrincipalVariation)| {
        let stop = AtomicBool::new(false);
        search.run(position, &[], &NoProber, &limits, &stop, report)
    };
    let glance = Limits {
        depth: Some(GLANCE),
        lines: legal,
        ..Limits::default()
    };
    let scores: Vec<(Turn, Score)> = run(glance, &mut |_| ())
        .iter()
        .map(|variation| (variation.turns[0], variation.score))
        .collect();
    let own = scores.iter().find(|(other, _)| *other == turn);
    let own = own.map_or(Score::MOST, |(_, score)| *score);
    let tempts = |(other, score): &&(Turn, Score)| *other != turn && *score >= own;
    let temptations = scores.iter().filter(tempts).count();

    let deep = Limits {
        depth: Some(DEEPEST),
        nodes: Some(MOST_NODES),
        ..Limits::default()
    };
    // The depth after the last one at which another turn is chosen. A search ends early if it
    // reaches the end of the game or becomes too large.
    let (mut depth, mut reached) = (1, 0);
    run(deep, &mut |report| {
        reached = report.depth;
        if report.turns.first() != Some(&turn) {
            depth = report.depth + 1;
        }
    });
    if depth > reached {
        depth = DEEPEST + 1;
    }
    let needed = (solution.len() as u32).div_ceil(2);
    let tempting = 400.0 * temptations as f64 / (legal - 1).max(1) as f64;
    Difficulty {
        depth,
        temptations,
        rating: 900 + 100 * (needed - 1).min(8) + 120 * (depth - 1) + tempting as u32,
    }
}

/// The claim of a pack about a puzzle.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Claim {
    /// The position's text.
    pub position: String,
    /// The stated goal, if any.
    pub goal: Option<Goal>,
    /// The stated number of turns to the win.
    pub win_in: Option<u32>,
    /// The solutions.
    pub lines: Vec<ClaimedLine>,
}

/// The claim of a pack about a solution.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ClaimedLine {
    /// Turns or actions, each with its side if the pack names it.
    pub actions: Vec<(Option<Side>, String)>,
    /// Whether the pack calls the solution optimal.
    pub is_optimal: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coach::review::Grade;
    use crate::value::Dtw;

    const RULES: Rules = Rules::STANDARD;

    /// The themes of a win in which these turns are played.
    fn themes_of(text: &str, turns: &str) -> Vec<Theme> {
        let start = Position::parse(text, &RULES).unwrap();
        let mut position = start;
        let steps = turns.split(' ').map(|turn| {
            let turn: Turn = turn.parse().unwrap();
            assert!(position.turns(&RULES).contains(&turn), "{turn}");
            let side = position.side_to_move();
            position = position.after(turn);
            let value = Value::Win(Dtw(1));
            Step {
                side,
                ranked: RankedTurn {
                    turn,
                    value,
                    after: position,
                },
                verdict: Verdict {
                    before: value,
                    value,
                    grade: Grade::Best,
                    best: vec![turn],
                    keeping: 2,
                    legal: 9,
                },
            }
        });
        let steps: Vec<Step> = steps.collect();
        themes(&start, Goal::Win, &steps, &RULES)
    }

    #[test]
    fn themes_are_what_they_are_called() {
        let swinging = "***@**@*/*O*****O/OO**@@*O w m s 5 0 4 0 0 0";
        assert_eq!(themes_of(swinging, "d7-d6xa1"), [Theme::Zwickmuehle]);
        assert_eq!(themes_of(swinging, "b6-b4"), []);
        let crossing = "O**@**@*/O*******/*O**@@*O w p p 4 1 4 1 0 0";
        assert_eq!(themes_of(crossing, "d7xa1"), [Theme::DoubleMill]);
        assert_eq!(themes_of(crossing, "g4"), []);
        let race = "***O**@*/********/O**@@**O w m s 3 0 3 0 0 0";
        let sacrifice = [Theme::Sacrifice, Theme::FlyingDefence];
        assert_eq!(themes_of(race, "e3-e4 c4-a1xa7"), sacrifice);
        assert_eq!(themes_of(race, "e3-g7xc4"), [Theme::FlyingDefence]);
    }
}
