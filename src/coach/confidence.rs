//! Confidence intervals by the bootstrap: the range of a ratio over other samples of the same kind.

use crate::random::Random;

/// The 95 % confidence interval of a ratio.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Interval {
    /// The 2.5th percentile.
    pub low: f64,
    /// The 97.5th percentile.
    pub high: f64,
}

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
/// let interval = interval(&coin).unwrap();
/// assert!(interval.low > 0.44 && interval.low < 0.47);
/// assert!(interval.high > 0.53 && interval.high < 0.56);
/// ```
pub fn interval(samples: &[(f64, f64)]) -> Option<Interval> {
    let mut random = Random::new(samples.len() as u64);
    let mut found: Vec<f64> = Vec::with_capacity(RESAMPLES);
    if samples.len() < 2 {
        return None;
    }
    for _ in 0..RESAMPLES {
        let (mut part, mut whole) = (0.0, 0.0);
        for _ in 0..samples.len() {
            let sample = samples[random.below(samples.len())];
            part += sample.0;
            whole += sample.1;
        }
        if whole > 0.0 {
            found.push(part / whole);
        }
    }
    found.sort_by(f64::total_cmp);
    let at = |share: f64| {
        let place = (share * found.len() as f64) as usize;
        found.get(place.min(found.len().saturating_sub(1))).copied()
    };
    Some(Interval {
        low: at(0.025)?,
        high: at(0.975)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependent_samples_give_wider_intervals() {
        let width = |samples: &[(f64, f64)]| {
            let interval = interval(samples).unwrap();
            interval.high - interval.low
        };
        let alone: Vec<(f64, f64)> = (0..400).map(|n| (f64::from(n % 2), 1.0)).collect();
        let grouped: Vec<(f64, f64)> = (0..40).map(|n| (10.0 * f64::from(n % 2), 10.0)).collect();
        assert!(width(&grouped) > 2.5 * width(&alone));
    }

    #[test]
    fn nothing_has_no_interval() {
        assert_eq!(interval(&[]), None);
        assert_eq!(interval(&[(0.0, 0.0); 2]), None);
        let sure = Interval {
            low: 1.0,
            high: 1.0,
        };
        assert_eq!(interval(&[(2.0, 2.0); 2]), Some(sure));
    }

    #[test]
    fn one_sample_says_nothing_about_others() {
        assert_eq!(interval(&[(7.0, 10.0)]), None);
    }
}
