//! Chooses a turn when the values of all turns are known.
//!
//! Many turns have the same value against a perfect opponent, but not against one that errs. The
//! turns are ranked by these criteria, of which the first difference decides:
//!
//! 1. The value: the quickest win, then draws, then the longest resistance.
//! 2. In drawn positions, how rarely the position after the turn has occurred in the game, to avoid
//!    repetitions.
//! 3. In drawn and lost positions, the gain that `chances` computes, by default the share of
//!    mistakes: of all the opponent's replies, those that lead to a worse result than the best one.
//!    In drawn positions these are the losing replies, in lost ones those that do not win. The
//!    replies are looked up only for the turns that are best by value.
//! 4. With a seed other than 0, a random number; otherwise the order of the turns' texts.

use std::cmp::Reverse;

use super::chances::{Gains, LostTurns, Strategy};
use super::known;
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
    let mut random = game.random(seed);
    let mut candidates: Vec<_> = turns[..equal]
        .iter()
        .zip(gains)
        .map(|(&turn, gain)| {
            let repeats = match best.wdl() {
                Wdl::Draw => occurrences(game, &turn.after),
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
    Ok(Ranking { turns, lookups })
}

/// The number of occurrences of a position in the game.
fn occurrences(game: &Game, position: &Position) -> usize {
    let stood = game.earlier().iter().chain([game.position()]);
    stood.filter(|earlier| *earlier == position).count()
}

#[cfg(all(test, feature = "embedded"))]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::engine::player::DrawnTurns;
    use crate::random::Random;
    use crate::search::{Limits, NoProber, Search};
    use crate::{Rules, Turn, Value};

    const RULES: Rules = Rules::STANDARD;

    fn game(text: &str) -> Game {
        Game::new(RULES, Position::parse(text, &RULES).unwrap())
    }

    fn ranking(game: &Game, seed: u64) -> Ranking {
        ranking_by(Strategy::default(), game, seed)
    }

    fn ranking_by(strategy: Strategy, game: &Game, seed: u64) -> Ranking {
        let database = Database::embedded(RULES);
        rank(&database, game, seed, strategy, &|| false).unwrap()
    }

    fn by(drawn: DrawnTurns) -> Strategy {
        Strategy {
            drawn,
            ..Strategy::default()
        }
    }

    /// Drawn positions of the small pairs.
    fn drawn() -> impl Iterator<Item = Game> {
        positions(4, Wdl::Draw)
    }

    /// Lost positions.
    fn lost() -> impl Iterator<Item = Game> {
        positions(3, Wdl::Loss).filter(|game| !game.position().is_over(&RULES))
    }

    /// Positions of this value with this number of stones on each side.
    fn positions(stones: usize, value: Wdl) -> impl Iterator<Item = Game> {
        let database = Database::embedded(RULES);
        let mut random = Random::new(1);
        std::iter::repeat_with(move || {
            let mut points: Vec<_> = crate::Point::all().collect();
            for place in 0..2 * stones {
                let other = place + random.word() as usize % (points.len() - place);
                points.swap(place, other);
            }
            let set = |points: &[crate::Point]| points.iter().copied().collect();
            Position::moving(set(&points[..stones]), set(&points[stones..2 * stones]))
        })
        .filter(move |position| database.probe_wdl(position).unwrap() == value)
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

    /// The share of replies that do not win, counted likewise.
    fn mistakes(turn: &RankedTurn) -> f64 {
        let database = Database::embedded(RULES);
        let replies = turn.after.turns(&RULES);
        let misses = |reply: &&Turn| {
            let value = database.probe_wdl(&turn.after.after(**reply)).unwrap();
            value != Wdl::Loss
        };
        replies.iter().filter(misses).count() as f64 / replies.len().max(1) as f64
    }

    #[test]
    fn losing_replies_rank_by_their_share() {
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

    /// The scores come from the search that the protocol uses.
    #[test]
    fn pressure_adds_the_evaluation_to_the_share() {
        let gain = |turn: &RankedTurn| {
            let search = Search::new(RULES, 1 << 20, 1);
            let limits = Limits {
                depth: Some(2),
                ..Limits::default()
            };
            let never = AtomicBool::new(false);
            let found = search.run(&turn.after, &[], &NoProber, &limits, &never, &mut |_| ());
            let score = -f64::from(found.lines[0].score.number());
            losing_replies(turn) + 0.5 / (1.0 + (-score / 100.0).exp())
        };
        let (mut others, mut scores) = (0, 0);
        for game in drawn() {
            let turns = ranking_by(by(DrawnTurns::Pressure), &game, 0).turns;
            let draws = turns.iter().filter(|turn| turn.value == Value::Draw);
            let gains: Vec<f64> = draws.map(gain).collect();
            assert!(gains.is_sorted_by(|a, b| *a >= b - 1e-9), "{gains:?}");
            scores += usize::from(gains.first() > gains.last());
            let by_share = ranking(&game, 0);
            others += usize::from(by_share.turns[0] != turns[0]);
        }
        assert!(others > 20 && scores > 40, "{others}, {scores}");
    }

    #[test]
    fn random_turns_are_any_drawn_ones() {
        let game = drawn().next().unwrap();
        let turns = ranking(&game, 0).turns;
        let draws = turns.iter().filter(|turn| turn.value == Value::Draw);
        let chosen = (1..300).map(|seed| {
            let ranking = ranking_by(by(DrawnTurns::Random), &game, seed);
            assert_eq!(ranking.lookups, turns.len() as u64);
            ranking.turns[0].turn
        });
        let chosen: std::collections::BTreeSet<Turn> = chosen.collect();
        assert!(draws.clone().count() > 3);
        assert_eq!(chosen, draws.map(|turn| turn.turn).collect());
    }

    /// Won positions are won as fast as possible, drawn ones are held, whatever the choice.
    #[test]
    fn no_choice_gives_up_value() {
        let mut seen = [0; 3];
        let won = "***O**@*/*O@***@*/**@**O** w m s 3 0 4 0 0 0";
        let others = lost().take(3).chain([game(won)]);
        for game in drawn().take(20).chain(others) {
            let best = ranking(&game, 0).turns[0].value;
            seen[best.wdl() as usize] += 1;
            for drawn in DrawnTurns::ALL {
                for lost in LostTurns::ALL {
                    let turns = ranking_by(Strategy { drawn, lost }, &game, 3).turns;
                    match (best.wdl(), lost) {
                        (Wdl::Loss, LostTurns::Chances) => {}
                        _ => assert_eq!(turns[0].value, best, "{drawn} {lost}"),
                    }
                }
            }
        }
        assert!(seen.iter().all(|&count| count > 0), "{seen:?}");
    }

    #[test]
    fn lost_turns_are_the_longest_or_those_with_most_mistakes() {
        let (mut differ, mut count) = (0, 0);
        for game in lost().take(40) {
            let first = |drawn, lost| ranking_by(Strategy { drawn, lost }, &game, 0).turns[0];
            let longest = first(DrawnTurns::LosingReplies, LostTurns::Longest);
            let chances = first(DrawnTurns::LosingReplies, LostTurns::Chances);
            assert!(longest.value >= chances.value);
            assert!(mistakes(&chances) >= mistakes(&longest));
            differ += usize::from(chances != longest);
            count += 1;
        }
        assert!(count == 40 && differ > 5, "{differ} of {count}");
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
