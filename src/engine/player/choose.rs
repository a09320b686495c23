//! Chooses a turn when the values of all turns are known.
//!
//! Many turns have the same value against a perfect opponent, but not against one that errs. The
//! turns are ranked by these criteria, of which the first difference decides:
//!
//! 1. The value: the quickest win, then draws, then the longest resistance.
//! 2. In drawn positions, how rarely the position after the turn has occurred in the game, to avoid
//!    repetitions.
//! 3. In drawn and lost positions, the gain that `chances` computes, by default from the replies
//!    that lose and the evaluation. The replies are looked up only for the turns that are best by
//!    value.
//! 4. With a seed other than 0, a random number; otherwise the order of the turns' texts.

use std::cmp::Reverse;

use super::chances::{Gains, LostTurns, Strategy};
use super::known;
use super::random::Random;
use crate::engine::game::Game;
use crate::probe::{Database, RankedTurn};
use crate::rules::position::Position;
use crate::store::DbError;
use crate::value::Wdl;

/// The turns of a position in the order of preference.
#[derive(Clone, Debug)]
pub(crate) struct Ranking {
    /// The turns, the one to play first.
    pub turns: Vec<RankedTurn>,
    /// The number of values looked up.
    pub lookups: u64,
}

/// Ranks the turns of a game's position. Once `enough` returns true, no more replies are looked up;
/// turns whose replies are unknown come after the others.
///
/// # Errors
///
/// As for [`Database::answer`].
pub(crate) fn rank(
    database: &Database,
    game: &Game,
    seed: u64,
    strategy: Strategy,
    enough: &dyn Fn() -> bool,
) -> Result<Ranking, DbError> {
    let mut turns = known(database, game.position())?.turns;
    let mut lookups = turns.len() as u64;
    let Some(best) = turns.first().map(|best| best.value) else {
        return Ok(Ranking { turns, lookups });
    };
    // Among lost turns, depths count only if the longest resistance is wanted.
    let is_equal = |turn: &&RankedTurn| match (best.wdl(), strategy.lost) {
        (Wdl::Loss, LostTurns::Chances) => true,
        _ => turn.value == best,
    };
    let equal = turns.iter().take_while(is_equal).count();
    let mut judge = Gains::new(database, strategy.drawn, enough);
    // After a winning turn all replies lose, and a single turn needs no comparison.
    let gains = match equal == 1 || best.wdl() == Wdl::Win {
        true => vec![0.0; equal],
        false => {
            let after: Vec<Position> = turns[..equal].iter().map(|turn| turn.after).collect();
            judge.of(&after)
        }
    };
    lookups += judge.lookups;
    let mut random = Random::of(seed, game.position(), game.actions().len());
    let mut candidates: Vec<_> = turns[..equal]
        .iter()
        .zip(gains)
        .map(|(&turn, gain)| {
            let repeats = match best.wdl() {
                Wdl::Draw => occurrences(game, &turn.after),
                _ => 0,
            };
            let chance = if seed == 0 { 0 } else { random.next() };
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
    Ok(Ranking { turns, lookups })
}

/// The number of occurrences of a position in the game.
fn occurrences(game: &Game, position: &Position) -> usize {
    let stood = game.earlier().iter().chain([game.position()]);
    stood.filter(|earlier| *earlier == position).count()
}

#[cfg(all(test, feature = "embedded"))]
mod tests {
    use super::*;
    use crate::{Rules, Turn, Value};

    const RULES: Rules = Rules::STANDARD;

    fn game(text: &str) -> Game {
        Game::new(RULES, Position::parse(text, &RULES).unwrap())
    }

    fn ranking(game: &Game, seed: u64) -> Ranking {
        rank(
            &Database::embedded(RULES),
            game,
            seed,
            Strategy::default(),
            &|| false,
        )
        .unwrap()
    }

    /// Drawn positions of the small pairs.
    fn drawn() -> impl Iterator<Item = Game> {
        let database = Database::embedded(RULES);
        let mut random = Random::new(1);
        std::iter::repeat_with(move || {
            let mut points: Vec<_> = crate::Point::all().collect();
            for place in 0..8 {
                let other = place + random.next() as usize % (points.len() - place);
                points.swap(place, other);
            }
            let set = |points: &[crate::Point]| points.iter().copied().collect();
            Position::moving(set(&points[..4]), set(&points[4..8]))
        })
        .filter(move |position| database.probe(position).unwrap() == Value::Draw)
        .map(|position| Game::new(RULES, position))
        .take(60)
    }

    /// The share of losing replies, counted by the values of the positions after them.
    fn losing_replies(turn: &RankedTurn) -> f64 {
        let database = Database::embedded(RULES);
        let replies = turn.after.turns(&RULES);
        let loses = |reply: &&Turn| {
            let value = database.probe(&turn.after.after(**reply)).unwrap();
            value.wdl() == Wdl::Win
        };
        replies.iter().filter(loses).count() as f64 / replies.len().max(1) as f64
    }

    #[test]
    fn drawn_turns_are_ranked_by_the_share_of_losing_replies() {
        let mut differ = 0;
        for game in drawn() {
            let ranking = ranking(&game, 0);
            let draws = ranking
                .turns
                .iter()
                .filter(|turn| turn.value == Value::Draw);
            let shares: Vec<f64> = draws.map(losing_replies).collect();
            assert!(shares.is_sorted_by(|a, b| a >= b), "{shares:?}");
            differ += usize::from(shares.first() > shares.last());
        }
        assert!(differ > 2, "{differ}");
    }

    #[test]
    fn values_come_first_and_no_turn_is_lost() {
        let database = Database::embedded(RULES);
        for text in [
            "***O**@*/*O@***@*/**@**O** w m s 3 0 4 0 0 0",
            "********/********/O@O*O@*@ w m s 3 0 3 0 0 0",
            "********/********/O@O*O@*@ b m s 3 0 3 0 0 0",
            "*******O/*@O*OO**/*@@***** w m s 4 0 3 0 0 0",
        ] {
            let game = game(text);
            let mut ranked = ranking(&game, 7).turns;
            assert!(ranked.is_sorted_by(|a, b| a.value >= b.value));
            ranked.sort_by(RankedTurn::order);
            assert_eq!(ranked, database.turns(game.position()).unwrap());
        }
    }

    #[test]
    fn seeds_bring_variety_only_among_equals() {
        let mut varied = 0;
        for game in drawn() {
            let first = |seed| ranking(&game, seed).turns[0];
            assert_eq!(first(0), first(0));
            assert_eq!(first(5), first(5));
            varied += usize::from((1..8).any(|seed| first(seed) != first(0)));
            for seed in 1..8 {
                assert_eq!(losing_replies(&first(seed)), losing_replies(&first(0)));
            }
        }
        assert!(varied > 5, "{varied}");
    }

    /// The player does not repeat a position of a drawn game as long as it can avoid that.
    #[test]
    fn repetitions_are_put_off() {
        let mut game = drawn().next().unwrap();
        let mut seen = vec![*game.position()];
        for _ in 0..20 {
            let best = ranking(&game, 0).turns[0];
            let others = game.position().turns(&RULES);
            let fresh = others.iter().any(|&turn| {
                let after = game.position().after(turn);
                let value = Database::embedded(RULES).probe(&after).unwrap();
                value == Value::Draw && !seen.contains(&after)
            });
            assert!(!fresh || !seen.contains(&best.after));
            game.make(best.turn).unwrap();
            seen.push(best.after);
        }
    }

    #[test]
    fn little_time_still_gives_a_turn() {
        for game in drawn().take(5) {
            let database = Database::embedded(RULES);
            let hurried = rank(&database, &game, 0, Strategy::default(), &|| true).unwrap();
            assert_eq!(hurried.turns, database.turns(game.position()).unwrap());
            assert_eq!(hurried.lookups, hurried.turns.len() as u64);
        }
    }
}
