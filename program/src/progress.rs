//! Progress of a long task on a terminal: the bar, and the texts of speed and time left.

use std::fmt;
use std::io::{self, IsTerminal};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressState, ProgressStyle};
pub use millbase::internals::solve::cores;

use crate::options::Options;

/// How often the bar is drawn.
const TICK: Duration = Duration::from_millis(250);

/// A bar on stderr for a number of positions. Its prefix is the pair, its message the step, and
/// `tail` makes the text at its end each time it is drawn. It shows nothing if stderr is not a
/// terminal or the user turned progress off.
pub fn bar<F>(options: &Options, positions: u64, tail: F) -> ProgressBar
where
    F: Fn(&ProgressState) -> String + Clone + Send + Sync + 'static,
{
    if options.quiet || !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let tail = move |state: &ProgressState, f: &mut dyn fmt::Write| {
        let _ = f.write_str(&tail(state));
    };
    let style = ProgressStyle::with_template("{prefix} {msg:9} {wide_bar} {percent:>3} %  {tail}");
    let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
    let bar = ProgressBar::new(positions).with_style(style.with_key("tail", tail));
    bar.enable_steady_tick(TICK);
    bar
}

/// A bar on stderr that counts finished things, such as games, under the same conditions.
pub fn counter(options: &Options, things: u64, name: &'static str) -> ProgressBar {
    let bar = bar(options, things, |state| {
        format!("{} of {}", state.pos(), state.len().unwrap_or(0))
    });
    bar.set_prefix(name);
    bar
}

/// A number of positions per second.
pub fn speed(positions: f64) -> String {
    format!("{:.1} M pos/s", positions / 1e6)
}

/// The positions per second so far, and the time left at that speed.
pub fn forecast(state: &ProgressState) -> String {
    forecast_with(
        |done, seconds| speed(done as f64 / seconds.max(0.001)),
        state,
    )
}

/// The speed so far as this function writes it, and the time left at that speed.
pub fn forecast_with(speed: impl Fn(u64, f64) -> String, state: &ProgressState) -> String {
    let (done, all) = (state.pos(), state.len().unwrap_or(0));
    let seconds = state.elapsed().as_secs_f64();
    let speed = speed(done, seconds);
    let left = seconds / done as f64 * all.saturating_sub(done) as f64;
    match done {
        0 => String::new(),
        _ => format!("{speed}  {} left", duration(left)),
    }
}

/// Seconds as a text for people.
pub fn duration(seconds: f64) -> String {
    let seconds = seconds.round() as u64;
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_short() {
        let texts = [0.0, 59.4, 59.5, 3599.0, 3600.0, 93_784.0].map(duration);
        let expected = [
            "0 s",
            "59 s",
            "1 min 0 s",
            "59 min 59 s",
            "1 h 0 min",
            "26 h 3 min",
        ];
        assert_eq!(texts, expected);
    }
}
