//! Puzzles with proved solutions, made from random positions, each with a certificate.

use std::ops::RangeInclusive;
use std::sync::atomic::AtomicBool;

use schemars::JsonSchema;
use serde::Serialize;

use crate::coach::review::Verdict;
use crate::coach::truth::Truth;
use crate::engine::count::QuietCount;
use crate::names::names;
use crate::probe::RankedTurn;
use crate::random::Random;
use crate::rules::position::{Position, Side};
use crate::rules::turns::Turn;
use crate::rules::{FEWEST_STONES, Rules};
use crate::sample::{Family, seed_of};
use crate::search::{Evaluation, Limits, NoProber, PrincipalVariation, Score, Search};
use crate::store::DbError;
use crate::value::{Dtw, Value};

/// The goal of the solver.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Goal {
    /// Win in as few turns as possible.
    Win,
    /// Hold the draw.
    Draw,
}

names! { Goal by name { Win: "win", Draw: "draw" } }

/// A theme of a puzzle. docs/COACH.md defines the themes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
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

names! {
    Theme all by name {
        DoubleMill: "double-mill",
        Zwickmuehle: "zwickmuehle",
        Sacrifice: "sacrifice",
        Blockade: "blockade",
        FlyingDefence: "flying-defence",
        OnlyMove: "only-move",
    }
}

/// A puzzle: a position with one best first turn, and the certificate of its solution.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct Puzzle {
    /// The position; the solver is to move.
    #[serde(skip)]
    pub position: Position,
    /// The text of the position.
    #[serde(rename = "position")]
    pub text: String,
    /// The goal of the solver.
    pub goal: Goal,
    /// The number of own turns that the solver needs; 1 for a draw.
    pub turns: u32,
    /// The depth of the win.
    pub dtw: Option<Dtw>,
    /// The difficulty.
    #[serde(flatten)]
    pub difficulty: Difficulty,
    /// The themes, in the order of the type `Theme`.
    pub themes: Vec<Theme>,
    /// The number of legal first turns.
    pub legal: usize,
    /// The number of first turns that keep the result.
    pub keeping: usize,
    /// The turns of both sides in best play, one or more: up to the end of a win, or only one turn
    /// of a draw.
    pub solution: Vec<SolutionStep>,
}

/// A step of the solution: the best turn of one side.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct SolutionStep {
    /// The side that makes the turn.
    pub side: Side,
    /// The turn.
    pub turn: Turn,
    /// Its value for that side.
    #[serde(flatten)]
    pub value: Value,
    /// The number of legal turns.
    pub legal: usize,
    /// The number of turns that keep the result.
    pub keeping: usize,
    /// The turns of the best value.
    pub best: Vec<Turn>,
    /// The position after the turn.
    #[serde(skip)]
    pub after: Position,
}

/// The difficulty of a puzzle.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct Difficulty {
    /// A rating on the scale of players' ratings: 900 for the easiest.
    pub rating: u32,
    /// The name of the rating's level, from `beginner` to `master`.
    pub level: &'static str,
    /// The depth from which a search without databases chooses the solution; 8 if no depth up to 7
    /// does.
    pub search_depth: u32,
    /// The number of other turns that a search of depth 2 rates at least as high as the
    /// solution.
    pub temptations: usize,
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

/// The puzzles that are wanted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WantedPuzzles {
    /// The families of positions, used in turn.
    pub families: Vec<Family>,
    /// The goal, or any.
    pub goal: Option<Goal>,
    /// The range of own turns that the solver of a win needs.
    pub turns: RangeInclusive<u32>,
    /// Themes that must all occur.
    pub themes: Vec<Theme>,
    /// The name of a level, or any.
    pub level: Option<&'static str>,
}

impl WantedPuzzles {
    /// Every puzzle, whatever family its position comes from.
    pub fn any() -> WantedPuzzles {
        WantedPuzzles {
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
const GLANCE: u32 = 2;

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
    wanted: &WantedPuzzles,
    seed: u64,
    number: u64,
) -> Result<Option<Puzzle>, DbError> {
    let rules = truth.database().rules();
    let mut random = Random::new(seed_of(seed, number));
    let place = number as usize % wanted.families.len().max(1);
    let family = wanted.families.get(place);
    match family.and_then(|family| family.draw(rules, &mut random)) {
        Some(position) => match puzzle(truth, wanted, &position) {
            Err(DbError::Omitted) => Ok(None),
            found => found,
        },
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
    wanted: &WantedPuzzles,
    position: &Position,
) -> Result<Option<Puzzle>, DbError> {
    let rules = truth.database().rules();
    let turns = truth.answer(position, 0)?.turns;
    let Some(first) = step(position, &turns) else {
        return Ok(None);
    };
    let goal = match first.value {
        Value::Win(_) if first.best.len() == 1 => Goal::Win,
        Value::Draw if first.keeping == 1 => Goal::Draw,
        _ => return Ok(None),
    };
    let (dtw, legal, keeping) = (first.value.dtw(), first.legal, first.keeping);
    if legal == 1 || wanted.goal.is_some_and(|wanted| wanted != goal) {
        return Ok(None);
    }
    let turns = match goal {
        Goal::Win => turns_to_win(truth, position, first.value)?,
        Goal::Draw => 1,
    };
    if goal == Goal::Win && !wanted.turns.contains(&turns) {
        return Ok(None);
    }
    let mut solution = vec![first];
    while let (Goal::Win, Some(last)) = (goal, solution.last()) {
        let position = last.after;
        let Some(next) = step(&position, &truth.answer(&position, 0)?.turns) else {
            break;
        };
        solution.push(next);
    }
    // The count of quiet turns would draw the game before the solution ends.
    let cut = QuietCount::usual(0).cut(position, solution.iter().map(|step| step.turn));
    let themes = themes(position, goal, &solution, rules);
    if cut.is_some() || !wanted.themes.iter().all(|theme| themes.contains(theme)) {
        return Ok(None);
    }
    let difficulty = difficulty(position, &solution, rules);
    let is_wanted = wanted.level.is_none_or(|level| level == difficulty.level);
    Ok(is_wanted.then(|| Puzzle {
        position: *position,
        text: position.text(rules),
        goal,
        turns,
        dtw,
        difficulty,
        themes,
        legal,
        keeping,
        solution,
    }))
}

/// The number of the winner's own turns in a won position, which begins with one of them.
///
/// # Errors
///
/// If the databases hold results without depths.
pub(super) fn turns_to_win(
    truth: Truth,
    position: &Position,
    value: Value,
) -> Result<u32, DbError> {
    let Some(dtw) = value.dtw() else {
        // A line needs the same depths, and its error names a pair that has none.
        truth.database().line(position, 1)?;
        let sentence = "the files of the placing phase hold results without depths";
        return Err(DbError::NotStored(sentence.to_owned()));
    };
    Ok(u32::from(dtw.0).div_ceil(2))
}

/// The best turn of a position with these turns, best first.
fn step(position: &Position, turns: &[RankedTurn]) -> Option<SolutionStep> {
    let first = turns.first()?;
    let verdict = Verdict::of(first.turn, turns)?;
    Some(SolutionStep {
        side: position.side_to_move(),
        turn: first.turn,
        value: first.value,
        legal: verdict.legal,
        keeping: verdict.keeping,
        best: verdict.best,
        after: first.after,
    })
}

fn themes(position: &Position, goal: Goal, solution: &[SolutionStep], rules: &Rules) -> Vec<Theme> {
    let solver = position.side_to_move();
    let board = rules.board();
    let (mut before, mut most_closed, mut swings) = (position, 0, false);
    for step in solution {
        if let (true, Some(to)) = (step.side == solver, step.turn.to()) {
            let closed = board.mills_through(to, step.after.stones(solver));
            most_closed = most_closed.max(closed);
            swings |= step.turn.from().is_some_and(|from| {
                let opens = board.mills_through(from, before.stones(solver)) > 0;
                board.neighbours(from).contains(to) && opens && closed > 0
            });
        }
        before = &step.after;
    }
    let last = solution.last().map(|step| step.after);
    let defender = match goal {
        Goal::Win => solver.other(),
        Goal::Draw => solver,
    };
    let flies = |side: Side| {
        let has_stone = !position.stones(side).is_empty();
        has_stone && position.may_move(side, rules) && rules.flies(position.total(side))
    };
    Theme::ALL
        .into_iter()
        .filter(|theme| match theme {
            Theme::DoubleMill => most_closed > 1,
            Theme::Zwickmuehle => swings,
            Theme::Sacrifice => {
                goal == Goal::Win && solution.get(1).is_some_and(|step| step.turn.removes())
            }
            Theme::Blockade => last.is_some_and(|last| {
                goal == Goal::Win
                    && last.is_over(rules)
                    && last.total(last.side_to_move()) >= u32::from(FEWEST_STONES)
            }),
            Theme::FlyingDefence => flies(defender),
            Theme::OnlyMove => solution[0].keeping == 1,
        })
        .collect()
}

/// `900 + 100 · min(N - 1, 8) + 120 · (d - 1) + 400 · t`, with N turns of the solver's own, the depth
/// d, and the share t of the other turns that tempt.
fn difficulty(position: &Position, solution: &[SolutionStep], rules: &Rules) -> Difficulty {
    let turn = solution[0].turn;
    let legal = solution[0].legal;
    let search = Search::new(*rules, SEARCH_BYTES, 1).evaluating(Evaluation::ByHand);
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
    let rating = 900 + 100 * (needed - 1).min(8) + 120 * (depth - 1) + tempting as u32;
    let level = LEVELS.iter().find(|(_, end)| rating < *end);
    Difficulty {
        rating,
        level: level.map_or("master", |(name, _)| name),
        search_depth: depth,
        temptations,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The themes of a win in which these turns are played.
    fn themes_by(rules: &Rules, text: &str, turns: &str) -> Vec<Theme> {
        let start = Position::parse(text, rules).unwrap();
        let mut position = start;
        let steps = turns.split(' ').map(|turn| {
            let turn: Turn = turn.parse().unwrap();
            assert!(position.turns(rules).contains(&turn), "{turn}");
            let side = position.side_to_move();
            position = position.after(turn);
            SolutionStep {
                side,
                turn,
                value: Value::Win(Dtw(1)),
                legal: 9,
                keeping: 2,
                best: vec![turn],
                after: position,
            }
        });
        let steps: Vec<SolutionStep> = steps.collect();
        themes(&start, Goal::Win, &steps, rules)
    }

    #[test]
    fn themes_are_what_they_are_called() {
        let themes_of = |text, turns| themes_by(&Rules::STANDARD, text, turns);
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

    #[test]
    fn only_stones_on_the_board_fly() {
        let rules = Rules {
            stones: 4,
            ..Rules::LASKER
        };
        let bare = "*******@/**@*@@**/******** b p p 0 3 4 0 0 0";
        assert_eq!(themes_by(&rules, bare, "b2-b4"), []);
        let flying = "O******@/**@***@*/******** b p p 1 2 3 1 0 0";
        let themes = themes_by(&rules, flying, "b4-b2");
        assert_eq!(themes, [Theme::FlyingDefence]);
    }
}
