//! Playing badly in a believable way.
//!
//! A weaker player searches less deeply, does not use the databases, and does not always choose the
//! turn that it finds best: the lower a turn's score, the less likely the choice. With temperature
//! T, a turn whose score is `d` hundredths of a stone below the best is `exp(-d / T)` times as
//! likely as the best.
//!
//! | level | search depth | uses databases | T |
//! |---|---|---|---|
//! | 0 | 1 turn | no | 120 |
//! | 10 | 3 turns | no | 53 |
//! | 20 | 5 turns | when the search reaches them | 13 |
//! | 29 | 6 turns | when the search reaches them | 0.1 |
//! | 30 | perfect: none of this | always | |

use crate::random::Random;
use crate::search::{Meaning, Score};

/// The playing strength, from 0 to [`Level::PERFECT`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Level(u8);

impl Level {
    /// The highest level, which plays as well as possible.
    pub const PERFECT: Level = Level(30);

    /// From this level on, the search probes the databases when it reaches them.
    const KNOWS_DATABASES: Level = Level(20);

    /// The most positions that the search visits: unlike a time limit, this gives the same turns on
    /// every machine.
    pub(crate) const NODES: u64 = 400_000;

    /// The level with this number; numbers above the highest level mean the highest.
    pub fn new(number: u8) -> Level {
        Level(number.min(Level::PERFECT.0))
    }

    /// The search depth, in turns.
    pub(crate) fn depth(self) -> u32 {
        1 + u32::from(self.0) / 5
    }

    /// Whether the search probes the databases.
    pub(crate) fn knows_databases(self) -> bool {
        self >= Level::KNOWS_DATABASES
    }

    /// The temperature in hundredths of a stone, above 0.
    fn temperature(self) -> f64 {
        let missing = f64::from(Level::PERFECT.0 - self.0) / f64::from(Level::PERFECT.0);
        120.0 * missing * missing
    }

    /// The place of the turn to play among turns with these scores.
    pub(crate) fn pick(self, scores: &[Score], random: &mut Random) -> usize {
        let worths: Vec<f64> = scores.iter().map(|&score| worth(score)).collect();
        let best = worths.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let temperature = self.temperature().max(f64::MIN_POSITIVE);
        let weight = |worth: &f64| ((worth - best) / temperature).exp();
        let weights: Vec<f64> = worths.iter().map(weight).collect();
        let mut rest = random.unit() * weights.iter().sum::<f64>();
        for (place, weight) in weights.iter().enumerate() {
            if rest < *weight {
                return place;
            }
            rest -= weight;
        }
        // Only rounding errors lead here.
        worths.iter().position(|&worth| worth == best).unwrap_or(0)
    }
}

/// A score on the scale of evaluations, in hundredths of a stone: an end counts as about ten
/// stones, a near one more than a far one.
fn worth(score: Score) -> f64 {
    const END: f64 = 1000.0;
    const MOST: f64 = 800.0;
    match score.meaning() {
        Meaning::Win(turns) => END - f64::from(turns).min(END - MOST),
        Meaning::KnownWin => MOST,
        Meaning::Evaluation(number) => f64::from(number).clamp(-MOST, MOST),
        Meaning::KnownLoss => -MOST,
        Meaning::Loss(turns) => f64::from(turns).min(END - MOST) - END,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share_of_best(level: u8, scores: &[Score]) -> f64 {
        let mut random = Random::new(3);
        let picks = (0..2000).map(|_| Level::new(level).pick(scores, &mut random));
        picks.filter(|&place| place == 0).count() as f64 / 2000.0
    }

    #[test]
    fn better_players_err_less() {
        let scores = [60, 40, 40, 0, -100].map(Score::evaluation);
        let shares: Vec<f64> = [0, 10, 20, 29]
            .into_iter()
            .map(|level| share_of_best(level, &scores))
            .collect();
        assert!(shares.is_sorted_by(|a, b| a < b), "{shares:?}");
        assert!(shares[0] < 0.4 && shares[3] > 0.99, "{shares:?}");
    }

    #[test]
    fn even_beginners_see_the_end() {
        let scores = [Score::win_in(1), Score::DRAW, Score::loss_in(2)];
        assert!(share_of_best(0, &scores) > 0.98);
    }

    #[test]
    fn every_list_has_a_pick() {
        let mut random = Random::new(1);
        for scores in [
            vec![Score::LEAST; 3],
            vec![Score::MOST],
            vec![Score::LOST, Score::LEAST],
        ] {
            for level in 0..=30 {
                assert!(Level::new(level).pick(&scores, &mut random) < scores.len());
            }
        }
    }
}
