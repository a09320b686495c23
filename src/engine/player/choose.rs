//! Ranks the turns of a position when the values of all turns are known.
//!
//! Turns of the same value differ only against an opponent that errs. The first difference among
//! these criteria decides:
//!
//! 1. The value: the quickest win, then draws, then the longest resistance. Where the count of
//!    quiet turns may end the game first, [`QuietCount::rank`] alone decides. A turn that lets the game end by
//!    repetition is a draw.
//! 2. In won positions for which the files hold no depths, [`progress`].
//! 3. In drawn positions, how rarely the position after the turn has occurred in the game, to avoid
//!    repetitions.
//! 4. In drawn and lost positions, the gain by [`DrawnTurns`], by default the share of mistakes: of
//!    all the opponent's replies, those that lead to a worse result than the best one. In drawn
//!    positions these are the losing replies, in lost ones those that do not win. The replies are
//!    looked up only for the turns that are best by value.
//! 5. With a seed other than 0, a random number; otherwise the order of the turns' texts.

use std::cmp::Reverse;
use std::str::FromStr;

use super::{Deadline, look_up, progress};
use crate::engine::count::QuietCount;
use crate::engine::game::{Game, shown};
use crate::names::names;
use crate::probe::{Database, RankedTurn};
use crate::search::{Evaluation, Search};
use crate::store::DbError;
use crate::value::Wdl;

/// The choice among turns of the same value that do not win. None of the choices gives up value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum DrawnTurns {
    /// Any of them by chance.
    Random,
    /// The largest share of replies that are mistakes.
    #[default]
    LosingReplies,
    /// That share, and the score of a search without databases: an advantage in
    /// stones, mobility and threats leads to errors later.
    Pressure,
}

names! { DrawnTurns all by name { Random: "random", LosingReplies: "losing-replies", Pressure: "pressure" } }

impl FromStr for DrawnTurns {
    type Err = String;

    fn from_str(text: &str) -> Result<DrawnTurns, String> {
        DrawnTurns::named(text).ok_or_else(|| {
            let (names, text) = (
                DrawnTurns::ALL.map(DrawnTurns::name).join(", "),
                shown(text),
            );
            format!("the choice of turns must be one of {names}, not '{text}'")
        })
    }
}

/// The turns of a game's position, the one to play first, and the number of values looked up. Once the time is
/// over, no more replies are looked up; turns whose replies are unknown come after the others.
///
/// # Errors
///
/// As for [`Database::answer`].
pub(crate) fn rank(
    database: &Database,
    game: &Game,
    seed: u64,
    drawn: DrawnTurns,
    deadline: Deadline<'_>,
) -> Result<(Vec<RankedTurn>, u64), DbError> {
    let (position, quiet) = (game.position(), game.quiet_turns());
    let mut turns = look_up(database, position, quiet, deadline.first_end())?.turns;
    let mut lookups = turns.len() as u64;
    let Some(best) = turns.first().map(|best| best.value) else {
        return Ok((turns, lookups));
    };
    // The win to play may be a longer one than the quickest, which lets the game end by repetition.
    let lasting = turns.iter().find(|turn| !game.is_drawn_by(turn));
    let worth = lasting.map_or(best, |turn| turn.value);
    let count = QuietCount::of(game);
    if count.may_cut(best) || count.may_cut(worth) {
        let turns = game.under_draw_rule(database, turns, &|| deadline.is_over());
        return Ok((turns, lookups));
    }
    let equal = turns.iter().take_while(|turn| turn.value == best).count();
    if equal > 1 && best.wdl() == Wdl::Win && best.dtw().is_none() {
        let chosen = progress::turn(database, game, &turns[equal..], deadline);
        let mut kept = turns[..equal].iter();
        if let Some(place) = kept.position(|turn| Some(turn.turn) == chosen) {
            turns[..=place].rotate_right(1);
        }
        return Ok((game.under_draw_rule(database, turns, &|| true), lookups));
    }
    // After a winning turn all replies lose, and a single turn needs no comparison.
    let (gains, replies) = match equal == 1 || best.wdl() == Wdl::Win {
        true => (vec![0.0; equal], 0),
        false => gains(database, &turns[..equal], drawn, deadline),
    };
    lookups += replies;
    let mut random = game.random(seed);
    let mut candidates: Vec<_> = turns[..equal]
        .iter()
        .zip(gains)
        .map(|(&turn, gain)| {
            let repeats = match best.wdl() {
                Wdl::Draw => game.occurrences_of(&turn.after),
                _ => 0,
            };
            let chance = if seed == 0 { 0 } else { random.word() };
            (turn, repeats, gain, chance)
        })
        .collect();
    candidates.sort_by(|left, right| {
        (left.1.cmp(&right.1))
            .then(right.2.total_cmp(&left.2))
            .then((Reverse(left.3), left.0.turn).cmp(&(Reverse(right.3), right.0.turn)))
    });
    for (place, (turn, ..)) in candidates.into_iter().enumerate() {
        turns[place] = turn;
    }
    // The count may end the game after the other turns; only what needs no search is known of them here.
    Ok((game.under_draw_rule(database, turns, &|| true), lookups))
}

/// The gain of each turn, -1 if it is not known, and the number of values looked up:
///
/// ```text
/// random           0
/// losing-replies   share
/// pressure         share + 1/2 · 1 / (1 + e^-score)     score in stones
/// ```
fn gains(
    database: &Database,
    turns: &[RankedTurn],
    choice: DrawnTurns,
    deadline: Deadline<'_>,
) -> (Vec<f64>, u64) {
    /// The depth of the search for the score, in turns after the player's own.
    const DEPTH: u32 = 2;
    if choice == DrawnTurns::Random {
        return (vec![0.0; turns.len()], 0);
    }
    let search = (choice == DrawnTurns::Pressure)
        .then(|| Search::new(*database.rules(), 1 << 16, 1).evaluating(Evaluation::ByHand));
    let mut lookups = 0;
    let gain = |turn: &RankedTurn| {
        let answer = match deadline.is_over() {
            true => None,
            false => look_up(database, &turn.after, 0, deadline.end()).ok(),
        };
        let Some(replies) = answer.map(|answer| answer.turns) else {
            return -1.0;
        };
        lookups += replies.len() as u64;
        let score = |search: &Search| {
            let score = f64::from(search.score(&turn.after, DEPTH).number());
            0.5 / (1.0 + (score / 100.0).exp())
        };
        let mistakes = replies.len() - RankedTurn::keeping(&replies).len();
        let share = mistakes as f64 / replies.len().max(1) as f64;
        share + search.as_ref().map_or(0.0, score)
    };
    (turns.iter().map(gain).collect(), lookups)
}
