//! Progress of a long task on a terminal: the bar, and forecasts of the time left.

use std::fmt;
use std::io::{self, IsTerminal};
use std::num::NonZero;
use std::thread;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use millbase::solve::pair::PairProgress;

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

/// A number of positions in a number of seconds, as positions per second.
pub fn speed(positions: u64, seconds: f64) -> String {
    format!("{:.1} M pos/s", positions as f64 / seconds.max(0.001) / 1e6)
}

/// The positions per second so far, and the time left at that speed.
pub fn forecast(state: &ProgressState) -> String {
    forecast_with(speed, state)
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

/// The number of cores that compute.
pub fn cores() -> usize {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    cores.min(rayon::current_num_threads())
}

/// The seconds that `entries` entries take on all cores if each takes this number of ns on one
/// core.
pub fn seconds_for(entries: u64, ns_per_entry_and_core: f64) -> f64 {
    entries as f64 * ns_per_entry_and_core / 1e9 / cores() as f64
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

/// The steps of building a pair.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// Looking up the captures.
    Captures,
    /// The sweep by depth.
    Sweep,
    /// Counting and writing.
    Write,
}

impl Step {
    /// The smallest and the largest share of a pair's time that is left during this step. In a
    /// build of all pairs the captures took a fifth of the time, and writing a twelfth; both vary
    /// by half from pair to pair.
    fn share_left(self) -> (f64, f64) {
        const AFTER_CAPTURES: f64 = 0.8;
        const AFTER_SWEEP: f64 = 0.08;
        match self {
            Step::Captures => (AFTER_CAPTURES, 1.0),
            Step::Sweep => (AFTER_SWEEP, AFTER_CAPTURES),
            Step::Write => (0.0, AFTER_SWEEP),
        }
    }
}

/// The seconds that are left.
#[derive(Clone, Copy)]
struct Left {
    /// For the current pair.
    pair: f64,
    /// For this pair and those after it.
    all: f64,
}

/// Forecasts the time that a build still takes.
///
/// All pairs take about the same time for each entry, so the pairs finished in this run give the
/// time of the current one; before any is finished, the time for its captures does. The sweep gives
/// no forecast, because the number of depths and of decided positions is unknown before. Once a
/// pair takes longer than expected, the forecast is the time of the steps after the current one.
#[derive(Clone, Debug)]
pub struct Forecast {
    begun: Instant,
    /// Entries and seconds of the pairs finished in this run.
    finished: (u64, f64),
    /// Entries of the current pair whose value is known.
    decided: u64,
    /// Entries of the pairs after the current one.
    ahead: u64,
    /// Entries of the current pair, and the time when it was begun.
    pair: (u64, Instant),
    step: Step,
    /// The seconds that this pair's captures took.
    captures: Option<f64>,
}

impl Forecast {
    /// For pairs with this number of entries together.
    pub fn new(entries: u64, now: Instant) -> Forecast {
        Forecast {
            begun: now,
            finished: (0, 0.0),
            decided: 0,
            ahead: entries,
            pair: (0, now),
            step: Step::Captures,
            captures: None,
        }
    }

    /// Notes that a pair with this number of entries begins.
    pub fn start(&mut self, entries: u64, now: Instant) {
        self.ahead -= entries;
        self.pair = (entries, now);
        self.decided = 0;
        self.step = Step::Captures;
        self.captures = None;
    }

    /// Notes that the next step of the pair begins.
    pub fn step(&mut self, step: Step, now: Instant) {
        if self.step == Step::Captures {
            self.captures = Some(self.elapsed(now));
        }
        self.step = step;
    }

    /// Notes that this number of entries of the pair is known.
    pub fn decided(&mut self, entries: u64) {
        self.decided = entries;
    }

    /// Notes that the pair is finished.
    pub fn finish(&mut self, now: Instant) {
        self.finished.0 += self.pair.0;
        self.finished.1 += self.elapsed(now);
        self.pair.0 = 0;
        self.decided = 0;
    }

    /// Follows the progress that a build reports.
    pub fn follow(&mut self, progress: &PairProgress, now: Instant) {
        match progress {
            PairProgress::Started { entries, .. } => self.start(*entries, now),
            // The larger side moves in the first table.
            PairProgress::Initialised(material) if material.mover <= material.waiting => {
                self.step(Step::Sweep, now);
            }
            PairProgress::Initialised(_) => {}
            PairProgress::Swept { decided, .. } => self.decided(*decided),
            PairProgress::Writing => self.step(Step::Write, now),
            PairProgress::Finished(_) => self.finish(now),
        }
    }

    /// A forecast of the seconds left for all pairs; `None` before any time has been measured.
    pub fn seconds_left(&self, now: Instant) -> Option<f64> {
        self.left(now).map(|left| left.all)
    }

    /// The share of the work that is done, in entries.
    pub fn done(&self, now: Instant) -> u64 {
        let elapsed = self.elapsed(now);
        let share = |left: Left| elapsed / (elapsed + left.pair).max(0.001);
        let share = self.left(now).map_or(0.0, share);
        self.finished.0 + (share * self.pair.0 as f64) as u64
    }

    /// The values found per second since the beginning (all draws of a pair count at its end), and
    /// the time left.
    pub fn text(&self, now: Instant) -> String {
        let known = self.finished.0 + self.decided;
        let speed = speed(known, seconds(self.begun, now));
        match self.left(now) {
            Some(Left { pair, all }) => {
                let (pair, all) = (duration(pair), duration(all));
                format!("{speed}  {pair} left, {all} for all")
            }
            None => speed,
        }
    }

    /// The time left, if a forecast is possible.
    fn left(&self, now: Instant) -> Option<Left> {
        let (entries, elapsed) = (self.pair.0 as f64, self.elapsed(now));
        let expected = self.expected()?;
        let whole = expected.max(elapsed);
        let (least, most) = self.step.share_left();
        let pair = (expected - elapsed).clamp(least * whole, most * whole);
        let rate = (self.finished.1 + elapsed + pair) / (self.finished.0 as f64 + entries).max(1.0);
        Some(Left {
            pair,
            all: pair + rate * self.ahead as f64,
        })
    }

    /// A forecast of the pair's whole time in seconds that does not use the current time.
    fn expected(&self) -> Option<f64> {
        let (entries, seconds) = self.finished;
        // Pairs that take almost no time give no forecast.
        if seconds > 1.0 {
            return Some(seconds / entries as f64 * self.pair.0 as f64);
        }
        let (after_captures, _) = Step::Captures.share_left();
        Some(self.captures? / (1.0 - after_captures))
    }

    fn elapsed(&self, now: Instant) -> f64 {
        seconds(self.pair.1, now)
    }
}

fn seconds(from: Instant, to: Instant) -> f64 {
    to.saturating_duration_since(from).as_secs_f64()
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

    #[test]
    fn pairs_that_take_as_long_as_others_are_forecast_exactly() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let left = |forecast: &Forecast, seconds| {
            let left = forecast.left(at(seconds));
            left.map(|left| (left.pair.round(), left.all.round()))
        };
        // Ten entries a second.
        let mut forecast = Forecast::new(1000, start);
        forecast.start(100, at(0));
        assert_eq!(left(&forecast, 1), None);
        forecast.step(Step::Sweep, at(2));
        assert_eq!(left(&forecast, 3), Some((7.0, 97.0)));
        forecast.finish(at(10));

        forecast.start(400, at(10));
        assert_eq!(left(&forecast, 11), Some((39.0, 89.0)));
        forecast.step(Step::Sweep, at(18));
        assert_eq!(left(&forecast, 20), Some((30.0, 80.0)));
        assert_eq!(forecast.done(at(20)), 200);
        forecast.step(Step::Write, at(48));
        assert_eq!(left(&forecast, 49), Some((1.0, 51.0)));
        forecast.finish(at(50));

        forecast.start(500, at(50));
        forecast.step(Step::Sweep, at(60));
        assert_eq!(left(&forecast, 90), Some((10.0, 10.0)));
        // Later than expected: at least the time for writing is left.
        assert_eq!(left(&forecast, 150), Some((8.0, 8.0)));
        forecast.step(Step::Write, at(200));
        assert_eq!(left(&forecast, 200), Some((0.0, 0.0)));
    }
}
