//! An exam for players: positions in which some turns keep the result and others do not.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::Serialize;

use crate::coach::confidence::{Interval, interval, ratio};
use crate::coach::contest::share_out;
use crate::coach::contestant::{Contestant, NewContestant};
use crate::coach::review::Verdict;
use crate::coach::truth::Truth;
use crate::engine::game::Game;
use crate::probe::RankedTurn;
use crate::rules::Rules;
use crate::rules::position::Position;
use crate::rules::turns::Turn;
use crate::sample::{Family, seed_of};
use crate::store::DbError;
use crate::value::Wdl;

/// A position of an exam.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExamPosition {
    /// The position.
    pub position: Position,
    /// Its result: a win or a draw.
    pub wdl: Wdl,
    /// Its turns, best first.
    pub turns: Vec<RankedTurn>,
    /// The number of turns that keep the result: at least one, and not all.
    pub keeping: usize,
}

/// The most random positions to try for one of the exam: in some families few are decisions.
const MOST_TRIES: u64 = 200;

/// Random positions from the families in turn, alternately drawn and won for the side to move. The
/// same seed and databases give the same exam. It is shorter if such positions are not found.
///
/// # Errors
///
/// As for [`Database::answer`](crate::Database::answer).
pub fn exam(
    truth: Truth,
    families: &[Family],
    count: usize,
    seed: u64,
) -> Result<Vec<ExamPosition>, DbError> {
    let mut exam = Vec::with_capacity(count);
    let mut is_exhausted = vec![false; 2 * families.len()];
    let mut number = 0;
    while exam.len() < count && !is_exhausted.iter().all(|&done| done) {
        let place = number % is_exhausted.len();
        let wanted = [Wdl::Draw, Wdl::Win][place % 2];
        if !is_exhausted[place] {
            let seed = seed_of(seed, number as u64);
            match exam_position(truth, families[place / 2], wanted, seed)? {
                Some(found) => exam.push(found),
                None => is_exhausted[place] = true,
            }
        }
        number += 1;
    }
    Ok(exam)
}

fn exam_position(
    truth: Truth,
    family: Family,
    wdl: Wdl,
    seed: u64,
) -> Result<Option<ExamPosition>, DbError> {
    for attempt in 0..MOST_TRIES {
        let found = truth.sample(family, Some(wdl), seed_of(seed, attempt))?;
        let Some((position, answer)) = found else {
            return Ok(None);
        };
        let turns = answer.turns;
        let keeping = RankedTurn::keeping(&turns).len();
        if keeping < turns.len() {
            return Ok(Some(ExamPosition {
                position,
                wdl,
                turns,
                keeping,
            }));
        }
    }
    Ok(None)
}

/// A player's reply to a position of an exam.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reply {
    /// The turn, or the reason why there is none.
    pub turn: Result<Turn, String>,
    /// Whether the turn keeps the result; a missing or an illegal turn does not.
    pub is_kept: bool,
    /// The time that the reply took.
    pub time: Duration,
}

/// The replies of a player to all positions of an exam, in their order. Each of `threads` threads
/// has a player of its own; `progress` is called after each reply.
pub fn replies(
    exam: &[ExamPosition],
    player: &NewContestant,
    rules: &Rules,
    threads: usize,
    progress: &mut dyn FnMut(),
) -> Vec<Reply> {
    let mut replies = vec![None; exam.len()];
    let work = |player: &mut Box<dyn Contestant>, number: u64| {
        let place = number as usize;
        Some((place, reply(place, &exam[place], player.as_mut(), rules)))
    };
    let found = |(place, reply): (usize, Reply)| {
        replies[place] = Some(reply);
        progress();
        ControlFlow::<()>::Continue(())
    };
    share_out(exam.len() as u64, threads, player, &work, found);
    replies.into_iter().flatten().collect()
}

fn reply(place: usize, asked: &ExamPosition, player: &mut dyn Contestant, rules: &Rules) -> Reply {
    let game = Game::new(*rules, asked.position);
    let begun = player.new_game(place as u64 + 1);
    let start = Instant::now();
    let turn = begun.and_then(|()| player.turn(&game));
    let time = start.elapsed();
    let verdict = (turn.as_ref().ok()).and_then(|&turn| Verdict::of(turn, &asked.turns));
    Reply {
        is_kept: verdict.is_some_and(|verdict| !verdict.grade.is_error()),
        turn,
        time,
    }
}

/// The result of an exam.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct ExamReport {
    /// A hash of the positions, in hexadecimal: results can be compared only if it is the same.
    pub exam: String,
    /// The score in all positions.
    #[serde(flatten)]
    pub score: ExamScore,
    /// The number of positions for which there was no turn.
    pub failed: u32,
    /// The reason why the first of these turns is missing.
    #[serde(skip)]
    pub failure: Option<String>,
    /// The scores by the result to keep, the phase, the number of good turns, and the time.
    pub groups: Vec<ExamGroup>,
}

/// The score in some positions of an exam.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct ExamGroup {
    /// The property that the positions share.
    pub by: &'static str,
    /// Its value.
    pub name: String,
    /// The score.
    #[serde(flatten)]
    pub score: ExamScore,
}

/// The score in some positions of an exam.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, JsonSchema)]
pub struct ExamScore {
    /// The number of positions.
    pub asked: usize,
    /// The number of replies that keep the result.
    pub kept: usize,
    /// The share of the replies that keep the result, from 0 to 1.
    pub share: Option<f64>,
    /// The confidence interval of the share.
    pub share_interval: Option<Interval>,
    /// The share of kept results above chance: 0 for random turns, 1 for perfect play. With `k` of
    /// `n` results kept and the chance `c` of each position it is `(k - Σc) / (n - Σc)`.
    pub skill: Option<f64>,
    /// The confidence interval of the skill.
    pub skill_interval: Option<Interval>,
}

/// The properties by which positions are grouped.
const PROPERTIES: [&str; 4] = ["value", "phase", "good turns", "time"];

impl ExamReport {
    /// The result of these replies.
    pub fn new(exam: &[ExamPosition], replies: &[Reply], rules: &Rules) -> ExamReport {
        let all: Vec<_> = exam.iter().zip(replies).collect();
        let mut groups: BTreeMap<(usize, String), Vec<_>> = BTreeMap::new();
        for &pair in &all {
            for group in group_names(pair, rules).into_iter().enumerate() {
                groups.entry(group).or_default().push(pair);
            }
        }
        let failures = || replies.iter().filter_map(|reply| reply.turn.as_ref().err());
        let texts: Vec<String> = (exam.iter().map(|asked| asked.position.text(rules))).collect();
        let hash = xxhash_rust::xxh3::xxh3_64(texts.join("\n").as_bytes());
        ExamReport {
            exam: format!("{hash:016x}"),
            score: ExamScore::of(&all),
            failed: failures().count() as u32,
            failure: failures().next().cloned(),
            groups: (groups.into_iter())
                .map(|((property, name), pairs)| ExamGroup {
                    by: PROPERTIES[property],
                    name,
                    score: ExamScore::of(&pairs),
                })
                .collect(),
        }
    }
}

/// The groups of a position and its reply, in the order of [`PROPERTIES`].
fn group_names((asked, reply): (&ExamPosition, &Reply), rules: &Rules) -> [String; 4] {
    let keeping = match asked.keeping {
        1 => "1",
        2..=3 => "2 to 3",
        4..=7 => "4 to 7",
        _ => "8 and more",
    };
    let time = match reply.time.as_millis() {
        0..10 => "below 10 ms",
        10..100 => "below 100 ms",
        100..1000 => "below 1000 ms",
        _ => "1000 ms and more",
    };
    let phase = asked.position.phase(rules).name();
    [asked.wdl.name(), phase, keeping, time].map(str::to_owned)
}

impl ExamScore {
    fn of(replies: &[(&ExamPosition, &Reply)]) -> ExamScore {
        let shares = replies.iter().map(|(_, reply)| (reply.is_kept.into(), 1.0));
        let shares: Vec<(f64, f64)> = shares.collect();
        let chances = replies
            .iter()
            .map(|(asked, _)| (asked.keeping as f64 / asked.turns.len() as f64, 1.0));
        let chance = ratio(&chances.collect::<Vec<_>>());
        // The skill grows evenly with the share.
        let skill_of = |share: f64| chance.map(|chance| (share - chance) / (1.0 - chance));
        let (share, share_interval) = (ratio(&shares), interval(&shares));
        let skill = share.and_then(skill_of);
        // The interval does not reach below chance, or below the skill itself if that is worse than
        // chance.
        let least = skill.map_or(0.0, |skill| skill.min(0.0));
        let skill_interval = share_interval
            .and_then(|[low, high]| Some([skill_of(low)?.max(least), skill_of(high)?]));
        ExamScore {
            asked: replies.len(),
            kept: replies.iter().filter(|(_, reply)| reply.is_kept).count(),
            share,
            share_interval,
            skill,
            skill_interval,
        }
    }
}
