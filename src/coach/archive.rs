//! An archive of reviewed games: tables by player and by opening.

use std::collections::BTreeMap;

use crate::board::symmetry::Symmetry;
use crate::coach::confidence::{Interval, interval};
use crate::coach::record::{Outcome, Record};
use crate::coach::review::{Review, Tally};
use crate::rules::position::{Phase, Side};
use crate::rules::turns::Turn;

/// The games added so far.
#[derive(Clone, Debug)]
pub struct Archive {
    /// The number of turns that define an opening.
    opening_turns: usize,
    games: u64,
    players: BTreeMap<String, Group>,
    openings: BTreeMap<String, Group>,
    /// By side and phase.
    tallies: [[Tally; 3]; 2],
}

/// The phases of the table.
pub const PHASES: [Phase; 3] = [Phase::Placing, Phase::Moving, Phase::Flying];

/// A group of games, each from the perspective of one side.
#[derive(Clone, Debug, Default)]
struct Group {
    tally: Tally,
    /// For each game: errors and decisions.
    errors: Vec<(f64, f64)>,
    /// For each game with a result: the points, and 1.
    points: Vec<(f64, f64)>,
    /// Wins, draws, losses.
    results: [u32; 3],
    games: u32,
}

/// A row of a table.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// The player's name, or the turns of the opening.
    pub name: String,
    /// The number of games.
    pub games: u32,
    /// Won, drawn and lost games, without games that have no result.
    pub results: [u32; 3],
    /// The mean of the points, from 0 to 1.
    pub score: Option<f64>,
    /// The confidence interval of the score, by the bootstrap over games.
    pub score_interval: Option<Interval>,
    /// The counts of the turns.
    pub tally: Tally,
    /// The confidence interval of the accuracy, by the bootstrap over games.
    pub accuracy_interval: Option<Interval>,
}

impl Group {
    fn add(&mut self, side: Side, result: Option<Outcome>, tallies: &[Tally]) {
        let mut tally = Tally::default();
        tallies.iter().for_each(|part| tally.join(part));
        self.games += 1;
        if tally.decisions > 0 {
            let (errors, decisions) = (tally.errors().into(), tally.decisions.into());
            self.errors.push((errors, decisions));
        }
        self.tally.join(&tally);
        if let Some(result) = result {
            self.points.push((result.points(side), 1.0));
            self.results[result.place(side)] += 1;
        }
    }

    fn row(&self, name: &str) -> Row {
        let points: f64 = self.points.iter().map(|(points, _)| points).sum();
        let score = (!self.points.is_empty()).then(|| points / self.points.len() as f64);
        let kept: Vec<(f64, f64)> = self
            .errors
            .iter()
            .map(|(errors, decisions)| (decisions - errors, *decisions))
            .collect();
        Row {
            name: name.to_owned(),
            games: self.games,
            results: self.results,
            score,
            score_interval: interval(&self.points),
            tally: self.tally,
            accuracy_interval: interval(&kept),
        }
    }
}

impl Archive {
    /// An archive without games; the first `opening_turns` turns of a game define its opening.
    pub fn new(opening_turns: usize) -> Archive {
        Archive {
            opening_turns,
            games: 0,
            players: BTreeMap::new(),
            openings: BTreeMap::new(),
            tallies: Default::default(),
        }
    }

    /// Adds a game. Players without a name are called `White` and `Black`.
    pub fn add(&mut self, record: &Record, review: &Review) {
        self.games += 1;
        let sides = [(Side::White, "White"), (Side::Black, "Black")];
        let mut tallies = [[Tally::default(); 3]; 2];
        for (side, name) in sides {
            let tallies = &mut tallies[side as usize];
            *tallies = PHASES.map(|phase| review.tally(side, Some(phase)));
            let name = record.player(side).unwrap_or(name);
            let group = self.players.entry(name.to_owned()).or_default();
            group.add(side, record.result, tallies);
            for (sum, part) in self.tallies[side as usize].iter_mut().zip(tallies) {
                sum.join(part);
            }
        }
        if let Some(opening) = self.opening(review) {
            let group = self.openings.entry(opening).or_default();
            group.add(Side::White, record.result, tallies.as_flattened());
        }
    }

    /// The opening of a game that begins with the empty board and is long enough.
    fn opening(&self, review: &Review) -> Option<String> {
        let first = review.turns.first()?;
        let is_start = (first.position.mover() | first.position.waiting()).is_empty();
        let turns: Vec<Turn> = review.turns.iter().map(|turn| turn.turn).collect();
        let opening = turns.get(..self.opening_turns)?;
        is_start.then(|| canonical_turns(opening))
    }

    /// The number of games.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// The counts of a side's turns in a phase.
    pub fn tally(&self, side: Side, phase: Phase) -> Tally {
        let place = PHASES.iter().position(|&other| other == phase);
        place.map_or(Tally::default(), |place| self.tallies[side as usize][place])
    }

    /// The players, those with the most games first.
    pub fn players(&self) -> Vec<Row> {
        rows(&self.players)
    }

    /// The openings with results from White's perspective, those with the most games first. Their
    /// accuracy is that of both sides.
    pub fn openings(&self) -> Vec<Row> {
        rows(&self.openings)
    }
}

fn rows(groups: &BTreeMap<String, Group>) -> Vec<Row> {
    let mut rows: Vec<Row> = groups.iter().map(|(name, group)| group.row(name)).collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.games));
    rows
}

/// The alphabetically first text of these turns under the 16 symmetries, the same for rotated and
/// mirrored games.
///
/// ```
/// use millbase::coach::archive::canonical_turns;
/// let text = |turns: &[&str]| {
///     let turns: Result<Vec<_>, _> = turns.iter().map(|turn| turn.parse()).collect();
///     turns.map(|turns| canonical_turns(&turns))
/// };
/// assert_eq!(text(&["d6", "f4"])?, "b4 d2");
/// assert_eq!(text(&["d6", "f4"])?, text(&["f4", "d6"])?);
/// # Ok::<(), millbase::rules::turns::TurnError>(())
/// ```
pub fn canonical_turns(turns: &[Turn]) -> String {
    let text = |symmetry: Symmetry| {
        let turned = turns.iter().map(|turn| turn.turned(symmetry).to_string());
        turned.collect::<Vec<String>>().join(" ")
    };
    Symmetry::all().map(text).min().unwrap_or_default()
}
