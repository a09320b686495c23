//! Drivers over the core, which choose the windows to search for a value.

use super::core::Window;
use super::limits::Algorithm;
use super::score::Score;

/// The distance from the last value to the borders of a depth's first window, in hundredths of a
/// stone.
const ASPIRATION: i16 = 40;

/// Finds the value with the algorithm, beginning near `guess`. `search` returns the score of a
/// window; outside the window it is a bound. `None` if `search` was stopped.
pub(crate) fn find(
    algorithm: Algorithm,
    guess: Option<Score>,
    mut search: impl FnMut(Window) -> Option<Score>,
) -> Option<Score> {
    match (algorithm, guess) {
        (Algorithm::Mtdf, guess) => mtdf(guess.unwrap_or_default(), &mut search),
        (_, None) => search(Window::ALL),
        (_, Some(guess)) => aspire(guess, &mut search),
    }
}

/// Searches a narrow window around the guess, and opens the side on which the value lies outside.
fn aspire(guess: Score, search: &mut impl FnMut(Window) -> Option<Score>) -> Option<Score> {
    let near = |by: i16| Score::from_number(guess.number().saturating_add(by));
    let mut window = Window {
        alpha: near(-ASPIRATION),
        beta: near(ASPIRATION),
    };
    loop {
        let score = search(window)?;
        if score <= window.alpha && window.alpha > Score::LEAST {
            window.alpha = Score::LEAST;
        } else if score >= window.beta && window.beta < Score::MOST {
            window.beta = Score::MOST;
        } else {
            return Some(score);
        }
    }
}

/// MTD(f): each null-window search decides whether the value is at least the guess; the resulting
/// bound is the next guess.
pub(crate) fn mtdf(
    guess: Score,
    search: &mut impl FnMut(Window) -> Option<Score>,
) -> Option<Score> {
    let (mut least, mut most) = (Score::LEAST, Score::MOST);
    let mut score = guess;
    while least < most {
        let beta = if score == least { score.next() } else { score };
        score = search(Window::null(beta))?;
        if score < beta {
            most = score;
        } else {
            least = score;
        }
    }
    Some(score)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drivers_close_in_on_the_value() {
        for value in [-32_000, -20_000, -300, 0, 7, 20_000, 31_990].map(Score::from_number) {
            for guess in [-20_000, -20, 0, 8, 31_990].map(Score::from_number) {
                for algorithm in [Algorithm::AlphaBeta, Algorithm::Pvs, Algorithm::Mtdf] {
                    let found = find(algorithm, Some(guess), |window| {
                        Some(value.clamp(window.alpha, window.beta))
                    });
                    assert_eq!(found, Some(value), "{algorithm:?} from {guess:?}");
                }
            }
        }
        assert_eq!(find(Algorithm::Mtdf, None, |_| None), None);
    }
}
