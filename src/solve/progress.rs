//! The progress of a build and the time left, from its events.

use std::time::Instant;

use super::events::BuildEvent;
use super::plan::BuildPlan;
use crate::index::Pair;
use crate::rules::Rules;

/// The progress of a build. Its figures are those of the current phase: the pairs first, then the plies.
#[derive(Clone, Debug)]
pub struct BuildProgress {
    /// The current pair.
    pub pair: Option<Pair>,
    /// The number of finished pairs.
    pub pairs_done: usize,
    /// The number of pairs of the build.
    pub pairs: usize,
    /// The current ply; `None` in the phase of the pairs.
    pub ply: Option<u8>,
    rules: Rules,
    forecast: PairForecast,
    /// The entries of the phase of the plies.
    ply_entries: u64,
    /// The entries of the current phase, those whose values were found, and its beginning.
    entries: u64,
    found: u64,
    begun: Instant,
}

impl BuildProgress {
    /// The progress of a build that begins now.
    pub fn new(plan: &BuildPlan, now: Instant) -> BuildProgress {
        BuildProgress {
            pair: None,
            pairs_done: 0,
            pairs: plan.pairs.len(),
            ply: None,
            rules: plan.request.rules,
            forecast: PairForecast::new(plan.entries, now),
            ply_entries: plan.placing_entries(),
            entries: plan.entries,
            found: 0,
            begun: now,
        }
    }

    /// Notes an event.
    pub fn follow(&mut self, event: BuildEvent<'_>, now: Instant) {
        match event {
            BuildEvent::PairStarted(pair) => {
                self.pair = Some(pair);
                self.forecast.start(pair.entries(&self.rules), now);
            }
            BuildEvent::CapturesFound => self.forecast.step(SWEEP, now),
            BuildEvent::Swept { decided, .. } => self.found = self.forecast.finished.0 + decided,
            BuildEvent::Writing => self.forecast.step(WRITE, now),
            BuildEvent::PairFinished(_) => {
                self.forecast.finish(now);
                self.found = self.forecast.finished.0;
                self.pairs_done += 1;
            }
            BuildEvent::PlyStarted(ply) => {
                if self.ply.is_none() {
                    (self.entries, self.found, self.begun) = (self.ply_entries, 0, now);
                }
                (self.pair, self.ply) = (None, Some(ply));
            }
            BuildEvent::StageSolved(stage) => self.found += stage.material().entries(),
            BuildEvent::PlyFinished(_) => {}
        }
    }

    /// The entries of the current phase.
    pub fn entries(&self) -> u64 {
        self.entries
    }

    /// The share of the work that is done, in entries.
    pub fn done(&self, now: Instant) -> u64 {
        match self.ply {
            None => self.forecast.done(now),
            Some(_) => self.found,
        }
    }

    /// The values found per second; all draws of a pair count at its end.
    pub fn speed(&self, now: Instant) -> f64 {
        self.found as f64 / seconds(self.begun, now).max(0.001)
    }

    /// A forecast of the time left for the current pair, in seconds; `None` before any time has
    /// been measured.
    pub fn pair_seconds_left(&self, now: Instant) -> Option<f64> {
        self.pair.and(self.forecast.left(now)).map(|[pair, _]| pair)
    }

    /// A forecast of the time left for the phase, in seconds; `None` before any time has been
    /// measured.
    pub fn seconds_left(&self, now: Instant) -> Option<f64> {
        match self.ply {
            None => self.forecast.left(now).map(|[_, all]| all),
            Some(_) => (self.found > 0).then(|| {
                let left = self.entries.saturating_sub(self.found);
                left as f64 / self.speed(now)
            }),
        }
    }
}

/// A step of building a pair: the smallest and the largest share of the pair's time that is left
/// during it. In a build of all pairs the captures took a fifth of the time, and writing a twelfth;
/// both vary by half from pair to pair.
type PairStep = [f64; 2];
const CAPTURES: PairStep = [0.8, 1.0];
const SWEEP: PairStep = [0.08, CAPTURES[0]];
const WRITE: PairStep = [0.0, SWEEP[0]];

/// Forecasts the time that the pairs still take.
///
/// All pairs take about the same time for each entry, so the pairs finished in this run give the
/// time of the current one; before any is finished, the time for its captures does. The sweep gives
/// no forecast, because the number of depths and of decided positions is unknown in advance. Once a
/// pair takes longer than expected, the forecast is the time of the steps after the current one.
#[derive(Clone, Debug)]
struct PairForecast {
    /// Entries and seconds of the pairs finished in this run.
    finished: (u64, f64),
    /// Entries of the pairs after the current one.
    ahead: u64,
    /// Entries of the current pair, and the time when it was begun.
    pair: (u64, Instant),
    step: PairStep,
    /// The seconds that this pair's captures took.
    captures: Option<f64>,
}

impl PairForecast {
    /// For pairs with this number of entries together.
    fn new(entries: u64, now: Instant) -> PairForecast {
        PairForecast {
            finished: (0, 0.0),
            ahead: entries,
            pair: (0, now),
            step: CAPTURES,
            captures: None,
        }
    }

    /// Notes that a pair with this number of entries begins.
    fn start(&mut self, entries: u64, now: Instant) {
        self.ahead = self.ahead.saturating_sub(entries);
        self.pair = (entries, now);
        self.step = CAPTURES;
        self.captures = None;
    }

    /// Notes that the next step of the pair begins.
    fn step(&mut self, step: PairStep, now: Instant) {
        self.captures = self.captures.or(Some(self.elapsed(now)));
        self.step = step;
    }

    /// Notes that the pair is finished.
    fn finish(&mut self, now: Instant) {
        self.finished.0 += self.pair.0;
        self.finished.1 += self.elapsed(now);
        self.pair.0 = 0;
    }

    /// The share of the work that is done, in entries.
    fn done(&self, now: Instant) -> u64 {
        let elapsed = self.elapsed(now);
        let share = |[pair, _]: [f64; 2]| elapsed / (elapsed + pair).max(0.001);
        let share = self.left(now).map_or(0.0, share);
        self.finished.0 + (share * self.pair.0 as f64) as u64
    }

    /// The seconds left for the current pair, and for it and those after it, if a forecast is
    /// possible.
    fn left(&self, now: Instant) -> Option<[f64; 2]> {
        let (entries, elapsed) = (self.pair.0 as f64, self.elapsed(now));
        let expected = self.expected()?;
        let whole = expected.max(elapsed);
        let [least, most] = self.step;
        let pair = (expected - elapsed).clamp(least * whole, most * whole);
        let rate = (self.finished.1 + elapsed + pair) / (self.finished.0 as f64 + entries).max(1.0);
        Some([pair, pair + rate * self.ahead as f64])
    }

    /// A forecast of the pair's whole time in seconds that does not use the current time.
    fn expected(&self) -> Option<f64> {
        let (entries, seconds) = self.finished;
        // Pairs that take almost no time give no forecast.
        if seconds > 1.0 {
            return Some(seconds / entries as f64 * self.pair.0 as f64);
        }
        Some(self.captures? / (1.0 - CAPTURES[0]))
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
    use std::time::Duration;

    use super::*;

    #[test]
    fn pairs_that_take_as_long_as_others_are_forecast_exactly() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let left = |forecast: &PairForecast, seconds| {
            let left = forecast.left(at(seconds));
            left.map(|[pair, all]| (pair.round(), all.round()))
        };
        // Ten entries a second.
        let mut forecast = PairForecast::new(1000, start);
        forecast.start(100, at(0));
        assert_eq!(left(&forecast, 1), None);
        forecast.step(SWEEP, at(2));
        assert_eq!(left(&forecast, 3), Some((7.0, 97.0)));
        forecast.finish(at(10));

        forecast.start(400, at(10));
        assert_eq!(left(&forecast, 11), Some((39.0, 89.0)));
        forecast.step(SWEEP, at(18));
        assert_eq!(left(&forecast, 20), Some((30.0, 80.0)));
        assert_eq!(forecast.done(at(20)), 200);
        forecast.step(WRITE, at(48));
        assert_eq!(left(&forecast, 49), Some((1.0, 51.0)));
        forecast.finish(at(50));

        forecast.start(500, at(50));
        forecast.step(SWEEP, at(60));
        assert_eq!(left(&forecast, 90), Some((10.0, 10.0)));
        // Later than expected: at least the time for writing is left.
        assert_eq!(left(&forecast, 150), Some((8.0, 8.0)));
        forecast.step(WRITE, at(200));
        assert_eq!(left(&forecast, 200), Some((0.0, 0.0)));
    }
}
