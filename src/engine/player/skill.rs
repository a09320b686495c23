//! Playing badly in a believable way.
//!
//! A weak player errs where a shallow search without databases errs. The fraction in a level's
//! depth is the probability that a turn is searched one turn deeper. The choice among turns of
//! nearly the same score is random, so that games differ: with temperature T, a turn whose score is
//! `d` hundredths of a stone below the best is `exp(-d / T)` times as likely as the best. Even the
//! deepest of these searches is far from perfect, so the levels above 22 play a share of their
//! turns perfectly. Nor do these searches make progress in a won ending, where a good player knows
//! what to do: from level 21 on, the turns that are not perfect are ten times rarer where the
//! databases know that a position of the moving phase is won.
//!
//! | level | perfect turns | in won endings | search depth | T |
//! |---|---|---|---|---|
//! | 0 | none | none | 1 turn | 15 |
//! | 6 | none | none | 1.86 turns | 12 |
//! | 12 | none | none | 2.5 turns | 9 |
//! | 18 | none | none | 3.7 turns | 6 |
//! | 21 | none | 90 % | 4.9 turns | 4.5 |
//! | 24 | 25 % | 92.5 % | 6.4 turns | 3 |
//! | 28 | 75 % | 97.5 % | 7.5 turns | 1 |
//! | 30 | all | all | | |

use crate::random::Random;
use crate::search::{Score, ScoreMeaning};

/// The playing strength, from 0 to [`SkillLevel::PERFECT`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct SkillLevel(u8);

impl SkillLevel {
    /// The highest level, which plays as well as possible.
    pub const PERFECT: SkillLevel = SkillLevel(30);

    /// The search depths of the levels 0, 3, 6, …, 30, chosen by matches so that the levels of the
    /// page's list are about equally far apart.
    const DEPTHS: [f64; 11] = [1.0, 1.52, 1.86, 2.1, 2.5, 3.0, 3.7, 4.9, 6.4, 7.2, 8.0];

    /// The highest level that plays no turn perfectly, except in won endings.
    const SEARCHES: SkillLevel = SkillLevel(22);

    /// The lowest level that knows won endings.
    const CONVERTS: SkillLevel = SkillLevel(21);

    /// The turns that are not perfect in won endings, as a share of those elsewhere.
    const SLIPS: f64 = 0.1;

    /// The most positions that the search visits: unlike a time limit, this gives the same turns on
    /// every machine.
    pub(crate) const NODES: u64 = 400_000;

    /// The level with this number; `None` above the highest level.
    pub fn numbered(number: u8) -> Option<SkillLevel> {
        (number <= SkillLevel::PERFECT.0).then_some(SkillLevel(number))
    }

    /// The level with this number; numbers above the highest level mean the highest.
    pub fn new(number: u8) -> SkillLevel {
        SkillLevel(number.min(SkillLevel::PERFECT.0))
    }

    /// Whether the player may use the databases.
    pub(crate) fn knows_databases(self) -> bool {
        self >= SkillLevel::CONVERTS
    }

    /// Whether the next turn is played perfectly; `is_won` if the databases know a won ending.
    pub(crate) fn is_perfect(self, is_won: bool, random: &mut Random) -> bool {
        let [level, none, all] =
            [self, SkillLevel::SEARCHES, SkillLevel::PERFECT].map(|l| f64::from(l.0));
        let share = ((level - none) / (all - none)).max(0.0);
        let share = match is_won && self.knows_databases() {
            true => 1.0 - SkillLevel::SLIPS * (1.0 - share),
            false => share,
        };
        random.unit() < share
    }

    /// The search depth of the next turn, in turns.
    pub(crate) fn depth(self, random: &mut Random) -> u32 {
        let place = usize::from(self.0 / 3);
        let low = SkillLevel::DEPTHS[place];
        let high = SkillLevel::DEPTHS.get(place + 1).unwrap_or(&low);
        let depth = low + (high - low) * f64::from(self.0 % 3) / 3.0;
        depth as u32 + u32::from(random.unit() < depth.fract())
    }

    /// The temperature in hundredths of a stone.
    fn temperature(self) -> f64 {
        f64::from(SkillLevel::PERFECT.0 - self.0) / 2.0
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
        ScoreMeaning::Win(turns) => END - f64::from(turns).min(END - MOST),
        ScoreMeaning::KnownWin => MOST,
        ScoreMeaning::Evaluation(number) => f64::from(number).clamp(-MOST, MOST),
        ScoreMeaning::KnownLoss => -MOST,
        ScoreMeaning::Loss(turns) => f64::from(turns).min(END - MOST) - END,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share_of_best(level: u8, scores: &[Score]) -> f64 {
        let mut random = Random::new(3);
        let picks = (0..2000).map(|_| SkillLevel::new(level).pick(scores, &mut random));
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
        assert!(shares[0] < 0.7 && shares[3] > 0.99, "{shares:?}");
    }

    #[test]
    fn better_players_look_further() {
        let mut random = Random::new(5);
        let mut mean = |level| {
            let depths = (0..4000).map(|_| SkillLevel::new(level).depth(&mut random));
            f64::from(depths.sum::<u32>()) / 4000.0
        };
        let means: Vec<f64> = (0..30).map(&mut mean).collect();
        assert!(means.is_sorted_by(|a, b| a < b), "{means:?}");
        for (level, depth) in [(0, 1.0), (3, 1.52), (22, 5.4), (27, 7.2)] {
            assert!((means[level] - depth).abs() < 0.05, "{means:?}");
        }
    }

    #[test]
    fn high_levels_play_a_share_of_their_turns_perfectly() {
        let mut random = Random::new(7);
        for (level, share, won) in [
            (0, 0.0, 0.0),
            (20, 0.0, 0.0),
            (21, 0.0, 0.9),
            (24, 0.25, 0.925),
            (28, 0.75, 0.975),
            (30, 1.0, 1.0),
        ] {
            let level = SkillLevel::new(level);
            for (is_won, share) in [(false, share), (true, won)] {
                let perfect = (0..4000).filter(|_| level.is_perfect(is_won, &mut random));
                assert!((perfect.count() as f64 / 4000.0 - share).abs() < 0.04);
            }
            assert_eq!(won > 0.0, level.knows_databases());
        }
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
                assert!(SkillLevel::new(level).pick(&scores, &mut random) < scores.len());
            }
        }
    }
}
