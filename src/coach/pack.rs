//! Checks the puzzles of packs.

use crate::coach::puzzle::{Goal, turns_to_win};
use crate::coach::truth::Truth;
use crate::engine::count::QuietCount;
use crate::engine::ending::DrawRule;
use crate::engine::game::Game;
use crate::probe::RankedTurn;
use crate::rules::position::{Position, Side};
use crate::rules::turns::Turn;
use crate::sample::canonical;
use crate::store::DbError;
use crate::value::{Value, Wdl};

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

/// The result of checking a puzzle.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Checked {
    /// All faults, one sentence each.
    pub problems: Vec<String>,
    /// The canonical form of the position up to symmetry and colour; `None` if the text is not a
    /// position.
    pub like: Option<Position>,
}

/// Checks a puzzle against the databases: the position, the goal, the number of turns, that every
/// best first turn has a solution, and every solution turn by turn.
///
/// # Errors
///
/// As for [`Database::answer`](crate::Database::answer): the puzzle then cannot be checked.
pub fn check(truth: Truth, claim: &Claim) -> Result<Checked, DbError> {
    let rules = truth.database().rules();
    let (problems, like) = match Position::parse_counted(&claim.position, rules) {
        Ok((position, quiet_turns)) => {
            let count = QuietCount::under(rules, DrawRule::USUAL, quiet_turns);
            let problems = problems(truth, claim, &position, count)?;
            (problems, Some(canonical(&position)))
        }
        Err(error) => (vec![format!("the position is not legal: {error}")], None),
    };
    Ok(Checked { problems, like })
}

/// The faults of a puzzle with a legal position.
fn problems(
    truth: Truth,
    claim: &Claim,
    position: &Position,
    count: QuietCount,
) -> Result<Vec<String>, DbError> {
    if position.is_over(truth.database().rules()) {
        return Ok(vec!["the game is over in the position".to_owned()]);
    }
    let answer = truth.answer(position, 0)?;
    let goal = claim.goal.unwrap_or(match answer.value {
        Value::Draw => Goal::Draw,
        _ => Goal::Win,
    });
    let expected = match goal {
        Goal::Win => Wdl::Win,
        Goal::Draw => Wdl::Draw,
    };
    if answer.value.wdl() != expected {
        let value = answer.value;
        return Ok(vec![format!(
            "the goal is a {goal}, but the position is a {value}"
        )]);
    }
    let mut problems = Vec::new();
    if count.cuts(truth.database(), position, answer.value) {
        let limit = count.limit();
        problems.push(format!(
            "{limit} quiet turns draw the game before it is won"
        ));
    }
    if goal == Goal::Win {
        let needed = turns_to_win(truth, position, answer.value)?;
        if let Some(stated) = claim.win_in.filter(|&stated| stated != needed) {
            problems.push(format!(
                "it is said to be won in {stated}, but it is won in {needed}"
            ));
        }
    }
    let turns = &answer.turns;
    problems.extend(first_turn_problems(truth, claim, goal, position, turns));
    for (number, line) in (1..).zip(&claim.lines) {
        if let Err(problem) = check_line(truth, goal, position, line)? {
            problems.push(format!("solution {number}: {problem}"));
        }
    }
    Ok(problems)
}

/// The faults if a best first turn has no solution, or if several turns hold a draw.
fn first_turn_problems(
    truth: Truth,
    claim: &Claim,
    goal: Goal,
    position: &Position,
    turns: &[RankedTurn],
) -> Vec<String> {
    if claim.lines.is_empty() {
        return vec!["it has no solution".to_owned()];
    }
    let best = turns.first().map(|best| best.value);
    let equal = turns.iter().take_while(|turn| Some(turn.value) == best);
    if goal == Goal::Draw {
        let holding: Vec<String> = equal.map(|turn| turn.turn.to_string()).collect();
        if holding.len() < 2 {
            return Vec::new();
        }
        let holding = holding.join(", ");
        return vec![format!(
            "several turns hold the draw ({holding}), but only one may"
        )];
    }
    let rules = truth.database().rules();
    let optimal = claim.lines.iter().filter(|line| line.is_optimal);
    let given = optimal.filter_map(|line| {
        let first: Option<Turn> = line.actions.first()?.1.parse().ok();
        if first.is_some_and(|turn| position.is_played_through_pass(turn, rules)) {
            return Some(position.after(Turn::PASS));
        }
        let mut game = Game::new(*rules, *position);
        for (_, action) in &line.actions {
            game.play(action).ok()?;
            if !game.position().removal_owed() {
                break;
            }
        }
        Some(*game.position())
    });
    let given: Vec<Position> = given.collect();
    let missing = equal.filter(|turn| !given.contains(&turn.after));
    let problem = |RankedTurn { turn, .. }: &RankedTurn| {
        format!("{turn} wins as fast as any turn, but no optimal solution begins with it")
    };
    missing.map(problem).collect()
}

/// Checks that a solution is legal, that each turn is best, and that it reaches the end.
fn check_line(
    truth: Truth,
    goal: Goal,
    start: &Position,
    line: &ClaimedLine,
) -> Result<Result<(), String>, DbError> {
    let rules = truth.database().rules();
    let solver = start.side_to_move();
    let mut game = Game::new(*rules, *start);
    // The position before the turn whose actions are being made, and their text so far.
    let (mut before, mut text) = (*start, String::new());
    for (named, action) in &line.actions {
        // A line need not write the pass before the first move.
        let turn: Option<Turn> = action.parse().ok();
        if turn.is_some_and(|turn| before.is_played_through_pass(turn, rules))
            && game.make(Turn::PASS).is_ok()
        {
            before = *game.position();
        }
        let side = before.side_to_move();
        if named.is_some_and(|named| named != side) {
            return Ok(Err(format!(
                "{action} is said to be a turn of {}, but {side} is to move",
                side.other()
            )));
        }
        if let Err(error) = game.play(action) {
            return Ok(Err(error.to_string()));
        }
        text += action;
        if game.position().removal_owed() {
            continue;
        }
        let turns = truth.answer(&before, 0)?.turns;
        let played = turns.iter().find(|turn| turn.after == *game.position());
        let (Some(best), Some(played)) = (turns.first(), played) else {
            return Ok(Err(format!("{text} is not a legal turn")));
        };
        let keeps = played.value.wdl() == best.value.wdl();
        let (value, most) = (played.value, best.value);
        if side == solver && !keeps {
            return Ok(Err(format!(
                "{text} is a {value}, {} is a {most}",
                best.turn
            )));
        }
        if line.is_optimal && value != most {
            let player = match side == solver {
                true => "the solver",
                false => "the defence",
            };
            return Ok(Err(format!(
                "{player} plays {text}, a {value}, but {} is a {most}",
                best.turn
            )));
        }
        (before, text) = (*game.position(), String::new());
    }
    let is_over = game.position().is_over(rules);
    Ok(if !text.is_empty() {
        Err(format!("after {text} a stone has to be removed"))
    } else if line.actions.is_empty() {
        Err("it has no turn".to_owned())
    } else if goal == Goal::Win && !is_over {
        Err("it stops before the end of the game".to_owned())
    } else {
        Ok(())
    })
}
