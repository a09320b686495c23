//! Confidence intervals by the bootstrap: the range of a ratio over other samples of the same kind.

use crate::random::Random;

/// The two ends of a 95 % confidence interval: the 2.5th and the 97.5th percentile.
pub type Interval = [f64; 2];

/// The number of resamples.
const RESAMPLES: usize = 1000;

/// The interval of `Σ part / Σ whole` over pairs of part and whole. The samples must be
/// independent; the observations within a sample need not be, such as games of one start or turns
/// of one game.
///
/// Each resample draws the same number of samples, with replacement. The same samples always give
/// the same interval. `None` if there are fewer than two samples.
///
/// ```
/// use millbase::coach::confidence::interval;
/// let coin: Vec<(f64, f64)> = (0..400).map(|toss| (f64::from(toss % 2), 1.0)).collect();
/// let [low, high] = interval(&coin).unwrap();
/// assert!(low > 0.44 && low < 0.47);
/// assert!(high > 0.53 && high < 0.56);
/// ```
pub fn interval(samples: &[(f64, f64)]) -> Option<Interval> {
    if samples.len() < 2 {
        return None;
    }
    let mut random = Random::new(samples.len() as u64);
    let mut resample = || {
        let drawn = (0..samples.len()).map(|_| samples[random.below(samples.len())]);
        drawn.fold((0.0, 0.0), |sum, sample| {
            (sum.0 + sample.0, sum.1 + sample.1)
        })
    };
    let mut ratios: Vec<f64> = (0..RESAMPLES)
        .map(|_| resample())
        .filter(|(_, whole)| *whole > 0.0)
        .map(|(part, whole)| part / whole)
        .collect();
    ratios.sort_by(f64::total_cmp);
    let at = |share: f64| ratios.get((share * ratios.len() as f64) as usize).copied();
    Some([at(0.025)?, at(0.975)?])
}

/// `Σ part / Σ whole`; `None` if there is nothing to divide by.
pub(crate) fn ratio(samples: &[(f64, f64)]) -> Option<f64> {
    let part: f64 = samples.iter().map(|(part, _)| part).sum();
    let whole: f64 = samples.iter().map(|(_, whole)| whole).sum();
    (whole > 0.0).then(|| part / whole)
}
