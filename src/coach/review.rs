//! The grade of every turn of a game, the errors that decided it, and the counts by side and phase.

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::coach::truth::Truth;
use crate::engine::count::QuietCount;
use crate::engine::ending::DrawRule;
use crate::engine::game::Game;
use crate::names::names;
use crate::probe::RankedTurn;
use crate::rules::position::{Phase, Position, Side};
use crate::rules::turns::Turn;
use crate::store::DbError;
use crate::value::{Value, Wdl};

/// The grade of a turn in comparison with the alternatives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Grade {
    /// The only turn of the best value, including its depth.
    Best,
    /// One of several turns of the best value, including its depth.
    Equal,
    /// Keeps the result, but wins later or loses sooner than the best turn.
    Slower,
    /// Loses a drawn position.
    GivesUpDraw,
    /// Draws or loses a won position.
    GivesUpWin,
}

names! {
    Grade {
        Best: "best",
        Equal: "equal",
        Slower: "slower",
        GivesUpDraw: "gives-up-draw",
        GivesUpWin: "gives-up-win",
    }
}

impl Grade {
    /// The words of the grade for people.
    pub const fn words(self) -> &'static str {
        match self {
            Grade::Best => "best",
            Grade::Equal => "equally good",
            Grade::Slower => "slower",
            Grade::GivesUpDraw => "gives up a draw",
            Grade::GivesUpWin => "gives up a win",
        }
    }

    /// Whether the turn makes the result worse.
    pub const fn is_error(self) -> bool {
        matches!(self, Grade::GivesUpDraw | Grade::GivesUpWin)
    }
}

/// The verdict on a turn.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Verdict {
    /// The grade.
    pub grade: Grade,
    /// The value of the turn for the side that makes it.
    #[serde(flatten)]
    pub value: Value,
    /// The value of the position before the turn, for its side to move.
    pub before: Value,
    /// The turns of the best value, in the order of their texts.
    pub best: Vec<Turn>,
    /// The number of turns that keep the result of the position.
    pub keeping: usize,
    /// The number of legal turns.
    pub legal: usize,
    /// Whether the position has several turns and only one keeps the result.
    pub only: bool,
}

impl Verdict {
    /// The verdict on a turn among all ranked turns of its position; `None` if it is not among them.
    ///
    /// ```
    /// use millbase::review::{Grade, Verdict};
    /// use millbase::{Database, Position, Rules};
    /// let rules = Rules::STANDARD;
    /// let position = Position::parse("***O**@*/*O@***@*/**@**O** w m s 3 0 4 0 0 0", &rules)?;
    /// # if cfg!(feature = "embedded") {
    /// let turns = Database::embedded(rules).turns(&position)?;
    /// let verdict = Verdict::of("a1-a4".parse()?, &turns).unwrap();
    /// assert_eq!(verdict.before.to_string(), "win in 21");
    /// assert_eq!((verdict.grade, verdict.best[0].to_string()), (Grade::GivesUpWin, "a1-e4".into()));
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of(turn: Turn, ranked: &[RankedTurn]) -> Option<Verdict> {
        let before = ranked.first()?.value;
        let value = ranked.iter().find(|other| other.turn == turn)?.value;
        let best: Vec<Turn> = ranked
            .iter()
            .take_while(|other| other.value == before)
            .map(|other| other.turn)
            .collect();
        let keeping = RankedTurn::keeping(ranked).len();
        let legal = ranked.len();
        let grade = match before.wdl() {
            _ if value == before && best.len() == 1 => Grade::Best,
            _ if value == before => Grade::Equal,
            kept if kept == value.wdl() => Grade::Slower,
            Wdl::Win => Grade::GivesUpWin,
            Wdl::Draw | Wdl::Loss => Grade::GivesUpDraw,
        };
        Some(Verdict {
            grade,
            value,
            before,
            best,
            keeping,
            legal,
            only: keeping == 1 && legal > 1,
        })
    }

    /// Whether some turns keep the result and others do not, so that a turn can be an error.
    pub fn is_decision(&self) -> bool {
        self.keeping < self.legal
    }

    /// The half points that the turn gives up: 1 for a draw given up or a win that becomes a draw,
    /// 2 for a win that becomes a loss.
    pub fn half_points_lost(&self) -> u32 {
        let half_points = |value: Value| match value.wdl() {
            Wdl::Loss => 0,
            Wdl::Draw => 1,
            Wdl::Win => 2,
        };
        half_points(self.before) - half_points(self.value)
    }
}

/// A turn of a game with its verdict.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct ReviewedTurn {
    /// The number of the turn, from 1.
    pub number: usize,
    /// The side that makes the turn.
    pub side: Side,
    /// The phase of the game for that side.
    pub phase: Phase,
    /// The position before the turn.
    #[serde(skip)]
    pub position: Position,
    /// The text of that position.
    #[serde(rename = "position")]
    pub text: String,
    /// The turn, with all its removals.
    pub turn: Turn,
    /// `None` if no database answers.
    #[serde(flatten, serialize_with = "or_nulls")]
    #[schemars(with = "Option<Verdict>")]
    pub verdict: Option<Verdict>,
}

/// The fields of a verdict, all null if there is none.
fn or_nulls<S: Serializer>(verdict: &Option<Verdict>, serializer: S) -> Result<S::Ok, S::Error> {
    const FIELDS: [&str; 8] = [
        "grade", "wdl", "dtw", "before", "best", "keeping", "legal", "only",
    ];
    match verdict {
        Some(verdict) => verdict.serialize(serializer),
        None => serializer.collect_map(FIELDS.map(|field| (field, ()))),
    }
}

impl ReviewedTurn {
    /// The grade, if the turn has one.
    pub fn grade(&self) -> Option<Grade> {
        self.verdict.as_ref().map(|verdict| verdict.grade)
    }
}

/// A game with the grade of every turn. Numbers of turns count from 1.
#[derive(Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct GameReview {
    /// The turns in their order, without a last turn that lacks its removal.
    pub turns: Vec<ReviewedTurn>,
    /// The position after the last of these turns.
    pub last: LastPosition,
    /// The number of the first turn that makes the result worse. `None` if there is none, or if an
    /// earlier turn has no verdict and could be it.
    pub first_error: Option<usize>,
    /// The same among White's turns.
    pub first_error_white: Option<usize>,
    /// The same among Black's turns.
    pub first_error_black: Option<usize>,
    /// The number of the last turn that makes the result worse; after it the result does not change.
    /// `None` if there is none, or if a later turn has no verdict and could be it.
    pub decisive_error: Option<usize>,
    /// The counts of the turns.
    pub summary: Summary,
    /// The reason why the first turn without a verdict has none.
    #[serde(skip)]
    pub missing: Option<DbError>,
}

/// The position at the end of a game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct LastPosition {
    /// The position.
    #[serde(skip)]
    pub position: Position,
    /// Its text.
    #[serde(rename = "position")]
    pub text: String,
    /// Its value for its side to move; `None` if no database answers.
    pub value: Option<Value>,
}

impl GameReview {
    /// Grades the turns of a game.
    ///
    /// # Errors
    ///
    /// Errors of existing files that cannot be used. Without a database, turns have no verdict.
    pub fn of(truth: Truth, game: &Game) -> Result<GameReview, DbError> {
        let rules = truth.database().rules();
        let mut missing = None;
        let ranked = |position: &Position, quiet_turns: u32| {
            let answer = truth.answer_or_reason(position, quiet_turns)?;
            Ok::<_, DbError>(answer.map(|answer| answer.turns))
        };
        let has_count = rules.states_count(game.quiet_before);
        let text = |position: &Position, count: QuietCount| {
            let turns = if has_count { count.turns() } else { 0 };
            position.letters_counted(rules, turns).as_str().to_owned()
        };
        let mut played = game.turns();
        played.pop_if(|_| game.position().removal_owed());
        let mut turns = Vec::with_capacity(played.len());
        let start = Game::new(*game.rules(), *game.start());
        let mut so_far = start
            .with_draws(game.draws())
            .with_quiet_turns(game.quiet_before);
        for (number, turn) in (1..).zip(played) {
            // A game that went on after a draw was not played by the rule.
            if so_far.is_repeated() {
                let draws = DrawRule {
                    repetitions: 0,
                    ..so_far.draws()
                };
                so_far = so_far.with_draws(draws);
            }
            let (position, count) = (*so_far.position(), QuietCount::of(&so_far));
            let text = text(&position, count);
            let is_past = count.left() == 0 || rules.is_at_quiet_limit(&position, count.turns());
            let quiet_turns = if is_past { 0 } else { count.turns() };
            let verdict = match ranked(&position, quiet_turns)? {
                Ok(turns) if is_past => Verdict::of(turn, &turns),
                Ok(turns) => Verdict::of(
                    turn,
                    &so_far.under_draw_rule(truth.database(), turns, &|| false),
                ),
                Err(reason) => {
                    missing.get_or_insert(reason);
                    None
                }
            };
            turns.push(ReviewedTurn {
                number,
                side: position.side_to_move(),
                phase: position.phase(rules),
                position,
                text,
                turn,
                verdict,
            });
            so_far.make(turn).expect("a turn of the game");
        }
        let (position, count) = (*so_far.position(), QuietCount::of(&so_far));
        let value = match position.result(rules) {
            Some(value) => Some(value),
            None => match ranked(&position, count.turns())? {
                Ok(turns) => {
                    let turns = so_far.under_draw_rule(truth.database(), turns, &|| false);
                    turns.first().map(|best| best.value)
                }
                // Its own value may be stored where those after its turns are not.
                Err(_) => {
                    let value = truth.stored(&position, count.turns())?;
                    value.filter(|&value| !count.may_cut(value))
                }
            },
        };
        let of_side = |side| turns.iter().filter(move |turn| turn.side == side);
        Ok(GameReview {
            first_error: known_error(turns.iter()),
            first_error_white: known_error(of_side(Side::White)),
            first_error_black: known_error(of_side(Side::Black)),
            decisive_error: known_error(turns.iter().rev()),
            summary: Summary::of(&turns),
            turns,
            last: LastPosition {
                position,
                text: text(&position, count),
                value,
            },
            missing,
        })
    }

    /// Whether all turns have a verdict.
    pub fn is_complete(&self) -> bool {
        self.turns.iter().all(|turn| turn.verdict.is_some())
    }
}

/// The number of the first of these turns that makes the result worse; `None` if a turn before it
/// has no verdict.
fn known_error<'a>(mut turns: impl Iterator<Item = &'a ReviewedTurn>) -> Option<usize> {
    let turn = turns.find(|turn| turn.grade().is_none_or(Grade::is_error))?;
    turn.verdict.as_ref().map(|_| turn.number)
}

/// The counts of turns by side and phase.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Summary(pub [SummaryEntry; 6]);

/// The counts of the turns of a side in a phase.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, JsonSchema)]
pub struct SummaryEntry {
    /// The side.
    pub side: Side,
    /// The phase of the game for that side.
    pub phase: Phase,
    /// The counts.
    #[serde(flatten)]
    pub tally: Tally,
}

impl Default for Summary {
    fn default() -> Summary {
        let entry = |place: usize| SummaryEntry {
            side: [Side::White, Side::Black][place / 3],
            phase: [Phase::Placing, Phase::Moving, Phase::Flying][place % 3],
            tally: Tally::default(),
        };
        Summary(std::array::from_fn(entry))
    }
}

impl Summary {
    fn of(turns: &[ReviewedTurn]) -> Summary {
        let mut summary = Summary::default();
        for turn in turns {
            let own =
                |entry: &&mut SummaryEntry| (entry.side, entry.phase) == (turn.side, turn.phase);
            let entries = summary.0.iter_mut().filter(own);
            entries.for_each(|entry| entry.tally.join(&Tally::of(turn)));
        }
        summary
    }

    /// Adds the counts of other games.
    pub(crate) fn join(&mut self, other: &Summary) {
        for (entry, more) in self.0.iter_mut().zip(&other.0) {
            entry.tally.join(&more.tally);
        }
    }

    /// The counts of a side in all phases.
    pub fn of_side(&self, side: Side) -> Tally {
        let mut tally = Tally::default();
        let entries = self.0.iter().filter(|entry| entry.side == side);
        entries.for_each(|entry| tally.join(&entry.tally));
        tally
    }
}

/// Counts of turns by their grades.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Tally {
    /// All turns.
    pub turns: u32,
    /// The turns that have a verdict.
    pub graded: u32,
    /// The turns of this grade.
    pub best: u32,
    /// The turns of this grade.
    pub equal: u32,
    /// The turns of this grade.
    pub slower: u32,
    /// The turns of this grade.
    pub gives_up_draw: u32,
    /// The turns of this grade.
    pub gives_up_win: u32,
    /// The turns that were decisions: some legal turns were errors and others not.
    pub decisions: u32,
    /// The turns that make the result worse.
    pub errors: u32,
    /// The share of the decisions that keep the result, from 0 to 1; `None` without decisions.
    pub accuracy: Option<f64>,
    /// The turns in positions where only one turn keeps the result.
    pub only: u32,
    /// Of these, the turns that keep it.
    pub only_found: u32,
    /// The half points that the errors gave up.
    pub half_points_lost: u32,
}

impl Tally {
    fn of(turn: &ReviewedTurn) -> Tally {
        let mut tally = Tally {
            turns: 1,
            ..Tally::default()
        };
        if let Some(verdict) = &turn.verdict {
            *match verdict.grade {
                Grade::Best => &mut tally.best,
                Grade::Equal => &mut tally.equal,
                Grade::Slower => &mut tally.slower,
                Grade::GivesUpDraw => &mut tally.gives_up_draw,
                Grade::GivesUpWin => &mut tally.gives_up_win,
            } = 1;
            let is_error = verdict.grade.is_error();
            tally.graded = 1;
            tally.decisions = verdict.is_decision().into();
            tally.errors = is_error.into();
            tally.only = verdict.only.into();
            tally.only_found = (verdict.only && !is_error).into();
            tally.half_points_lost = verdict.half_points_lost();
        }
        tally
    }

    /// Adds the counts of other turns.
    pub(crate) fn join(&mut self, other: &Tally) {
        self.turns += other.turns;
        self.graded += other.graded;
        self.best += other.best;
        self.equal += other.equal;
        self.slower += other.slower;
        self.gives_up_draw += other.gives_up_draw;
        self.gives_up_win += other.gives_up_win;
        self.decisions += other.decisions;
        self.errors += other.errors;
        self.only += other.only;
        self.only_found += other.only_found;
        self.half_points_lost += other.half_points_lost;
        let kept = f64::from(self.decisions - self.errors);
        self.accuracy = (self.decisions > 0).then(|| kept / f64::from(self.decisions));
    }
}
