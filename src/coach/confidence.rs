//! Confidence intervals of ratios over samples.

/// The two ends of a 95 % confidence interval.
pub type Interval = [f64; 2];

/// The normal quantile of a 95 % interval.
const Z: f64 = 1.96;

/// The interval of `Σ part / Σ whole`, a share from 0 to 1, over pairs of part and whole. The samples
/// must be independent; the observations within a sample need not be, such as games of one start or
/// turns of one game.
///
/// This is the interval of Agresti and Coull (1998), which simplifies Wilson's: it adds two samples that are
/// all success and two that are none, of mean size, and takes the normal approximation for the ratio of
/// sums. So equal samples give an interval with a width, and no end lies outside 0 to 1. `None` if
/// there are fewer than two samples.
///
/// ```
/// use millbase::internals::coach::confidence::interval;
/// let coin: Vec<(f64, f64)> = (0..400).map(|toss| (f64::from(toss % 2), 1.0)).collect();
/// let [low, high] = interval(&coin).unwrap();
/// assert!(low > 0.44 && low < 0.46);
/// assert!(high > 0.54 && high < 0.56);
/// let [low, high] = interval(&[(1.0, 1.0); 5]).unwrap();
/// assert!(low > 0.5 && low < 0.6);
/// assert_eq!(high, 1.0);
/// ```
pub fn interval(samples: &[(f64, f64)]) -> Option<Interval> {
    if samples.len() < 2 {
        return None;
    }
    let mean = samples.iter().map(|(_, whole)| whole).sum::<f64>() / samples.len() as f64;
    let added = [(mean, mean), (mean, mean), (0.0, mean), (0.0, mean)];
    let all: Vec<(f64, f64)> = samples.iter().copied().chain(added).collect();
    let share = ratio(&all)?;
    // The variance of a ratio of sums: that of part - share × whole, over the square of the sum.
    let squares = all
        .iter()
        .map(|(part, whole)| (part - share * whole).powi(2));
    let deviation = squares.sum::<f64>().sqrt() / (mean * all.len() as f64);
    let end = |end: f64| (share + end * Z * deviation).clamp(0.0, 1.0);
    Some([end(-1.0), end(1.0)])
}

/// `Σ part / Σ whole`; `None` if there is nothing to divide by.
pub(crate) fn ratio(samples: &[(f64, f64)]) -> Option<f64> {
    let part: f64 = samples.iter().map(|(part, _)| part).sum();
    let whole: f64 = samples.iter().map(|(_, whole)| whole).sum();
    (whole > 0.0).then(|| part / whole)
}
