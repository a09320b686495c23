//! An archive of reviewed games: tables by player and by opening.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::board::symmetry::Symmetry;
use crate::coach::confidence::{Interval, interval};
use crate::coach::review::{GameReview, Summary, Tally};
use crate::notation::{GameResult, Record, ResultCounts};
use crate::rules::position::Side;
use crate::rules::turns::Turn;

/// The games added so far.
#[derive(Clone, Debug, Default)]
pub struct Archive {
    /// The number of turns that define an opening.
    opening_turns: usize,
    games: u64,
    players: BTreeMap<String, GameGroup>,
    openings: BTreeMap<String, GameGroup>,
    summary: Summary,
}

/// A group of games, each from the perspective of one side.
#[derive(Clone, Debug, Default)]
struct GameGroup {
    /// The counts.
    row: ArchiveRow,
    /// For each game with a result: the points, and 1.
    points: Vec<(f64, f64)>,
    /// For each game with decisions: the decisions that keep the result, and all.
    kept: Vec<(f64, f64)>,
}

/// The tables of an archive.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct ArchiveReport {
    /// The number of games.
    pub games: u64,
    /// The number of games that could not be read.
    pub unread: u64,
    /// The players, those with the most games first.
    pub players: Vec<ArchiveRow>,
    /// The openings with results from White's perspective, those with the most games first. Their
    /// accuracy is that of both sides.
    pub openings: Vec<ArchiveRow>,
    /// The counts of all turns.
    pub summary: Summary,
}

/// A row of a table.
#[derive(Clone, PartialEq, Debug, Default, Serialize, JsonSchema)]
pub struct ArchiveRow {
    /// The player's name, or the turns of the opening.
    pub name: String,
    /// The number of games.
    pub games: u64,
    /// Won, drawn and lost games, without games that have no result.
    #[serde(flatten)]
    pub results: ResultCounts,
    /// The mean of the points, from 0 to 1.
    pub score: Option<f64>,
    /// The confidence interval of the score over games.
    pub score_interval: Option<Interval>,
    /// The counts of the turns.
    #[serde(flatten)]
    pub tally: Tally,
    /// The confidence interval of the accuracy over games.
    pub accuracy_interval: Option<Interval>,
}

impl GameGroup {
    fn add(&mut self, side: Side, result: Option<GameResult>, tally: &Tally) {
        self.row.games += 1;
        self.row.tally.join(tally);
        if tally.decisions > 0 {
            let kept = tally.decisions - tally.errors;
            self.kept.push((kept.into(), tally.decisions.into()));
        }
        if let Some(result) = result {
            self.points.push((result.points(side), 1.0));
            self.row.results.add(result, side);
        }
    }

    fn row(&self, name: &str) -> ArchiveRow {
        ArchiveRow {
            name: name.to_owned(),
            score: self.row.results.score(),
            score_interval: interval(&self.points),
            accuracy_interval: interval(&self.kept),
            ..self.row.clone()
        }
    }
}

impl Archive {
    /// An archive without games; the first `opening_turns` turns of a game define its opening.
    pub fn new(opening_turns: usize) -> Archive {
        Archive {
            opening_turns,
            ..Archive::default()
        }
    }

    /// Adds a game. Players without a name are called `White` and `Black`.
    pub fn add(&mut self, record: &Record, review: &GameReview) {
        self.games += 1;
        self.summary.join(&review.summary);
        let mut both = Tally::default();
        for side in [Side::White, Side::Black] {
            let tally = review.summary.of_side(side);
            both.join(&tally);
            let group = self.players.entry(record.player_or_side(side).to_owned());
            group.or_default().add(side, record.result, &tally);
        }
        if let Some(opening) = self.opening(review) {
            let group = self.openings.entry(opening).or_default();
            group.add(Side::White, record.result, &both);
        }
    }

    /// The opening of a game that begins with the empty board and is long enough.
    fn opening(&self, review: &GameReview) -> Option<String> {
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

    /// The tables, with the number of games that could not be read.
    pub fn report(&self, unread: u64) -> ArchiveReport {
        ArchiveReport {
            games: self.games,
            unread,
            players: rows(&self.players),
            openings: rows(&self.openings),
            summary: self.summary.clone(),
        }
    }
}

fn rows(groups: &BTreeMap<String, GameGroup>) -> Vec<ArchiveRow> {
    let rows = groups.iter().map(|(name, group)| group.row(name));
    let mut rows: Vec<ArchiveRow> = rows.collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.games));
    rows
}

/// The alphabetically first text of these turns under the 16 symmetries, the same for rotated and
/// mirrored games.
///
/// ```
/// use millbase::internals::coach::archive::canonical_turns;
/// let text = |turns: &[&str]| {
///     let turns: Result<Vec<_>, _> = turns.iter().map(|turn| turn.parse()).collect();
///     turns.map(|turns| canonical_turns(&turns))
/// };
/// assert_eq!(text(&["d6", "f4"])?, "b4 d2");
/// assert_eq!(text(&["d6", "f4"])?, text(&["f4", "d6"])?);
/// # Ok::<(), millbase::TurnError>(())
/// ```
pub fn canonical_turns(turns: &[Turn]) -> String {
    let text = |symmetry: Symmetry| {
        let turned = turns.iter().map(|turn| turn.turned(symmetry).to_string());
        turned.collect::<Vec<String>>().join(" ")
    };
    Symmetry::all().map(text).min().unwrap_or_default()
}
