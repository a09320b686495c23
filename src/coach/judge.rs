//! An exam for players: positions in which some turns keep the value and others do not.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use crate::coach::confidence::{Interval, interval};
use crate::coach::contestant::{Contestant, Settings};
use crate::coach::review::Verdict;
use crate::coach::sample::{Family, sample, seed_of};
use crate::coach::truth::Truth;
use crate::engine::game::Game;
use crate::probe::{Database, RankedTurn};
use crate::rules::Rules;
use crate::rules::position::{Phase, Position};
use crate::rules::turns::Turn;
use crate::store::DbError;
use crate::value::Wdl;

/// A position in which a turn can be an error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Question {
    /// The position.
    pub position: Position,
    /// Its turns, best first.
    pub turns: Vec<RankedTurn>,
    /// The number of turns that keep the result.
    pub keeping: usize,
}

impl Question {
    /// The result of the position: a win or a draw.
    pub fn wdl(&self) -> Wdl {
        self.turns
            .first()
            .map_or(Wdl::Loss, |best| best.value.wdl())
    }

    /// The share of the turns that keep the result: the probability that a random turn does.
    pub fn chance(&self) -> f64 {
        self.keeping as f64 / self.turns.len() as f64
    }

    /// The phase of the game.
    pub fn phase(&self, rules: &Rules) -> Phase {
        self.position.phase(rules)
    }
}

/// The most random positions to try for a question: in some families few positions are decisions.
const MOST_TRIES: u64 = 200;

/// Random questions from the families in turn, the odd ones won and the even ones drawn for the
/// side to move. The same seed and databases give the same questions. Families in which no such
/// position is found give fewer.
///
/// # Errors
///
/// As for [`Database::answer`](crate::Database::answer).
pub fn questions(
    truth: Truth,
    families: &[Family],
    count: usize,
    seed: u64,
) -> Result<Vec<Question>, DbError> {
    let mut questions = Vec::with_capacity(count);
    let mut is_exhausted = vec![false; 2 * families.len()];
    let mut number = 0;
    while questions.len() < count && !is_exhausted.iter().all(|&done| done) {
        let place = number % is_exhausted.len();
        let (family, wanted) = match place % 2 {
            0 => (families[place / 2], Wdl::Draw),
            _ => (families[place / 2], Wdl::Win),
        };
        if !is_exhausted[place] {
            match question(truth, family, wanted, seed_of(seed, number as u64))? {
                Some(question) => questions.push(question),
                None => is_exhausted[place] = true,
            }
        }
        number += 1;
    }
    Ok(questions)
}

fn question(
    truth: Truth,
    family: Family,
    wanted: Wdl,
    seed: u64,
) -> Result<Option<Question>, DbError> {
    for attempt in 0..MOST_TRIES {
        let Some((position, answer)) = sample(truth, family, Some(wanted), seed_of(seed, attempt))?
        else {
            return Ok(None);
        };
        let turns = answer.turns;
        let keeping = turns.iter().take_while(|turn| turn.value.wdl() == wanted);
        let keeping = keeping.count();
        if keeping < turns.len() {
            return Ok(Some(Question {
                position,
                turns,
                keeping,
            }));
        }
    }
    Ok(None)
}

/// A hash of a list of questions: results can be compared only if it is the same.
pub fn fingerprint(questions: &[Question], rules: &Rules) -> u64 {
    let texts: Vec<String> = questions
        .iter()
        .map(|question| question.position.text(rules))
        .collect();
    xxhash_rust::xxh3::xxh3_64(texts.join("\n").as_bytes())
}

/// A player's reply to a question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reply {
    /// The place of the question.
    pub question: usize,
    /// The turn, or the reason why there is none.
    pub turn: Result<Turn, String>,
    /// Whether the turn keeps the result.
    pub is_kept: bool,
    /// The time that the reply took.
    pub time: Duration,
}

/// Asks all questions, on `threads` threads, and calls `found` with each reply, in no particular
/// order. A missing or illegal reply counts as not keeping the result.
pub fn ask(
    questions: &[Question],
    player: &Settings,
    database: &Arc<Database>,
    threads: usize,
    patience: Duration,
    found: &mut dyn FnMut(Reply),
) {
    let next = AtomicUsize::new(0);
    let (sender, replies) = channel();
    thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || {
                let mut player = Contestant::new(player, database, patience);
                loop {
                    let place = next.fetch_add(1, Ordering::Relaxed);
                    let Some(question) = questions.get(place) else {
                        break;
                    };
                    let reply = reply(place, question, &mut player, *database.rules());
                    if sender.send(reply).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        replies.into_iter().for_each(found);
    });
}

fn reply(place: usize, question: &Question, player: &mut Contestant, rules: Rules) -> Reply {
    let game = Game::new(rules, question.position);
    let begun = player.new_game(place as u64 + 1);
    let start = Instant::now();
    let turn = begun.and_then(|()| player.turn(&game));
    let time = start.elapsed();
    let verdict = turn.as_ref().ok();
    let verdict = verdict.and_then(|&turn| Verdict::of(turn, &question.turns));
    Reply {
        question: place,
        is_kept: verdict.is_some_and(|verdict| !verdict.grade.is_error()),
        turn: turn.map_err(|error| error.to_string()),
        time,
    }
}

/// The replies to some of the questions.
#[derive(Clone, Debug, Default)]
pub struct Score {
    /// The number of questions.
    pub asked: u32,
    /// The number of replies that keep the result.
    pub kept: u32,
    /// For each question: the result kept minus the chance, and 1 minus the chance.
    samples: Vec<(f64, f64)>,
    /// For each question: 1 if the result was kept, else 0; and 1.
    shares: Vec<(f64, f64)>,
}

impl Score {
    /// Counts a reply.
    pub fn add(&mut self, question: &Question, is_kept: bool) {
        let (kept, chance) = (f64::from(u8::from(is_kept)), question.chance());
        self.asked += 1;
        self.kept += u32::from(is_kept);
        self.samples.push((kept - chance, 1.0 - chance));
        self.shares.push((kept, 1.0));
    }

    /// The share of the replies that keep the result, from 0 to 1.
    pub fn share(&self) -> Option<f64> {
        ratio(&self.shares)
    }

    /// The confidence interval of the share.
    pub fn share_interval(&self) -> Option<Interval> {
        interval(&self.shares)
    }

    /// The share of kept results above chance: 0 for random turns, 1 for perfect play.
    ///
    /// With `k` of `n` results kept and the chance `c` of each question it is `(k - Σc) / (n -
    /// Σc)`.
    pub fn skill(&self) -> Option<f64> {
        ratio(&self.samples)
    }

    /// The confidence interval of the skill.
    pub fn skill_interval(&self) -> Option<Interval> {
        interval(&self.samples)
    }
}

fn ratio(samples: &[(f64, f64)]) -> Option<f64> {
    let part: f64 = samples.iter().map(|(part, _)| part).sum();
    let whole: f64 = samples.iter().map(|(_, whole)| whole).sum();
    (whole > 0.0).then(|| part / whole)
}
