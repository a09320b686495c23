//! The grade of every turn of a game, the errors that decided it, and the summary.

use crate::coach::truth::Truth;
use crate::engine::game::Game;
use crate::probe::RankedTurn;
use crate::rules::position::{Phase, Position, Side};
use crate::rules::turns::Turn;
use crate::store::DbError;
use crate::value::{Value, Wdl};

/// The grade of a turn in comparison with the alternatives.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
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

impl Grade {
    /// All grades, the best first.
    pub const ALL: [Grade; 5] = [
        Grade::Best,
        Grade::Equal,
        Grade::Slower,
        Grade::GivesUpDraw,
        Grade::GivesUpWin,
    ];

    /// The name of the grade, as the programs write it.
    pub const fn name(self) -> &'static str {
        match self {
            Grade::Best => "best",
            Grade::Equal => "equal",
            Grade::Slower => "slower",
            Grade::GivesUpDraw => "gives-up-draw",
            Grade::GivesUpWin => "gives-up-win",
        }
    }

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
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Verdict {
    /// The value of the position before the turn, for its side to move.
    pub before: Value,
    /// The value of the turn for the side that makes it.
    pub value: Value,
    /// The grade.
    pub grade: Grade,
    /// The turns of the best value, in the order of their texts.
    pub best: Vec<Turn>,
    /// The number of turns that keep the result of the position.
    pub keeping: usize,
    /// The number of legal turns.
    pub legal: usize,
}

impl Verdict {
    /// The verdict on a turn among all ranked turns of its position; `None` if it is not among them.
    ///
    /// ```
    /// use millbase::coach::review::{Grade, Verdict};
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
        let keeps = |other: &&RankedTurn| other.value.wdl() == before.wdl();
        let keeping = ranked.iter().take_while(keeps).count();
        let grade = match before.wdl() {
            _ if value == before && best.len() == 1 => Grade::Best,
            _ if value == before => Grade::Equal,
            kept if kept == value.wdl() => Grade::Slower,
            Wdl::Win => Grade::GivesUpWin,
            Wdl::Draw | Wdl::Loss => Grade::GivesUpDraw,
        };
        Some(Verdict {
            before,
            value,
            grade,
            best,
            keeping,
            legal: ranked.len(),
        })
    }

    /// Whether some turns keep the result and others do not, so that a turn can be an error.
    pub fn is_decision(&self) -> bool {
        self.keeping < self.legal
    }

    /// Whether only one of several turns keeps the result.
    pub fn is_only(&self) -> bool {
        self.keeping == 1 && self.legal > 1
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
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reviewed {
    /// The position before the turn.
    pub position: Position,
    /// The phase of the game for the side that makes the turn.
    pub phase: Phase,
    /// The turn, with all its removals.
    pub turn: Turn,
    /// `None` if no database answers.
    pub verdict: Option<Verdict>,
}

impl Reviewed {
    /// The side that makes the turn.
    pub fn side(&self) -> Side {
        self.position.side_to_move()
    }

    /// The grade, if it is known.
    pub fn grade(&self) -> Option<Grade> {
        self.verdict.as_ref().map(|verdict| verdict.grade)
    }
}

/// The place of the first of these turns that makes the result worse; `None` if a turn before it has
/// no verdict.
fn known_error<'a>(mut turns: impl Iterator<Item = (usize, &'a Reviewed)>) -> Option<usize> {
    let is_candidate = |turn: &Reviewed| turn.grade().is_none_or(Grade::is_error);
    let (place, turn) = turns.find(|(_, turn)| is_candidate(turn))?;
    turn.grade().map(|_| place)
}

/// A game with the grade of every turn.
#[derive(Debug)]
pub struct Review {
    /// The turns in their order, without a last turn that lacks its removal.
    pub turns: Vec<Reviewed>,
    /// The position after the last of these turns.
    pub last: Position,
    /// The value of that position for its side to move, if it is known.
    pub last_value: Option<Value>,
    /// The reason why the first turn without a verdict has none.
    pub missing: Option<DbError>,
}

impl Review {
    /// Grades the turns of a game.
    ///
    /// # Errors
    ///
    /// Errors of existing files that cannot be used. Without a database, turns have no verdict.
    pub fn of(truth: Truth, game: &Game) -> Result<Review, DbError> {
        let rules = truth.database().rules();
        let mut turns = game.turns();
        if game.position().removal_owed() {
            turns.pop();
        }
        let mut review = Review {
            turns: Vec::with_capacity(turns.len()),
            last: *game.start(),
            last_value: None,
            missing: None,
        };
        for turn in turns {
            let position = review.last;
            let answer = review.known(truth, &position)?;
            let verdict = answer.and_then(|turns| Verdict::of(turn, &turns));
            review.turns.push(Reviewed {
                position,
                phase: position.phase(rules),
                turn,
                verdict,
            });
            review.last = position.after(turn);
        }
        let last = review.last;
        review.last_value = match last.result(rules) {
            Some(value) => Some(value),
            None => {
                let turns = review.known(truth, &last)?;
                turns.and_then(|turns| Some(turns.first()?.value))
            }
        };
        Ok(review)
    }

    fn known(
        &mut self,
        truth: Truth,
        position: &Position,
    ) -> Result<Option<Vec<RankedTurn>>, DbError> {
        match truth.known(position)? {
            Ok(answer) => Ok(Some(answer.turns)),
            Err(reason) => {
                self.missing.get_or_insert(reason);
                Ok(None)
            }
        }
    }

    /// The place of the first turn, of one side or of both, that makes the result worse, from 0.
    /// `None` if there is none, or if an earlier of these turns has no verdict and could be it.
    pub fn first_error(&self, side: Option<Side>) -> Option<usize> {
        let turns = self.turns.iter().enumerate();
        known_error(turns.filter(|(_, turn)| side.is_none_or(|side| turn.side() == side)))
    }

    /// The place of the last turn that makes the result worse, from 0; after it the result does not
    /// change. `None` if there is none, or if a later turn has no verdict and could be it.
    pub fn decisive_error(&self) -> Option<usize> {
        known_error(self.turns.iter().enumerate().rev())
    }

    /// Whether all turns have a verdict.
    pub fn is_complete(&self) -> bool {
        self.turns.iter().all(|turn| turn.verdict.is_some())
    }

    /// The values for White of the positions from the first to the last.
    pub fn values_for_white(&self) -> Vec<Option<Value>> {
        let before = self.turns.iter().map(|turn| {
            let verdict = turn.verdict.as_ref()?;
            Some(for_white(verdict.before, turn.side()))
        });
        let last = self.last_value;
        let last = last.map(|value| for_white(value, self.last.side_to_move()));
        before.chain([last]).collect()
    }

    /// The counts of the turns of a side, in one phase or in all.
    pub fn tally(&self, side: Side, phase: Option<Phase>) -> Tally {
        let mut tally = Tally::default();
        for turn in &self.turns {
            if turn.side() == side && phase.is_none_or(|phase| phase == turn.phase) {
                tally.add(turn);
            }
        }
        tally
    }
}

/// The value for White from a value for `side`.
pub fn for_white(value: Value, side: Side) -> Value {
    match (side, value) {
        (Side::White, _) | (_, Value::Draw) => value,
        (Side::Black, Value::Win(dtw)) => Value::Loss(dtw),
        (Side::Black, Value::Loss(dtw)) => Value::Win(dtw),
    }
}

/// Counts of turns by their grades.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// All turns.
    pub turns: u32,
    /// The number of turns with each grade, in the order of [`Grade::ALL`]; the other turns have no
    /// verdict.
    pub grades: [u32; 5],
    /// The number of turns that were decisions: some legal turns were errors and others not.
    pub decisions: u32,
    /// The number of turns in positions where only one turn keeps the result.
    pub only: u32,
    /// The number of these turns that keep the result.
    pub only_found: u32,
    /// The half points that the errors gave up.
    pub half_points_lost: u32,
}

impl Tally {
    /// Counts a turn.
    pub fn add(&mut self, turn: &Reviewed) {
        self.turns += 1;
        let Some(verdict) = &turn.verdict else {
            return;
        };
        self.grades[verdict.grade as usize] += 1;
        self.decisions += u32::from(verdict.is_decision());
        self.only += u32::from(verdict.is_only());
        self.only_found += u32::from(verdict.is_only() && !verdict.grade.is_error());
        self.half_points_lost += verdict.half_points_lost();
    }

    /// Adds the counts of other turns.
    pub fn join(&mut self, other: &Tally) {
        self.turns += other.turns;
        for (count, more) in self.grades.iter_mut().zip(other.grades) {
            *count += more;
        }
        self.decisions += other.decisions;
        self.only += other.only;
        self.only_found += other.only_found;
        self.half_points_lost += other.half_points_lost;
    }

    /// The number of turns of a grade.
    pub fn of(&self, grade: Grade) -> u32 {
        self.grades[grade as usize]
    }

    /// The turns that have a verdict.
    pub fn graded(&self) -> u32 {
        self.grades.iter().sum()
    }

    /// The turns that make the result worse.
    pub fn errors(&self) -> u32 {
        self.of(Grade::GivesUpDraw) + self.of(Grade::GivesUpWin)
    }

    /// The share of the decisions that keep the result, from 0 to 1; `None` without decisions.
    pub fn accuracy(&self) -> Option<f64> {
        let kept = f64::from(self.decisions - self.errors());
        (self.decisions > 0).then(|| kept / f64::from(self.decisions))
    }
}
