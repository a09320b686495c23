//! Answers about a game: its turns and its ending, what the page shows of its last position, and a player's
//! turn.

use schemars::JsonSchema;
use serde::Serialize;

use super::failure::FailureAnswer;
use super::position::{ComparedTurn, Situation, ValuedTurn, answer_in_game, line_in_game};
use super::words::Fen;
use crate::engine::ending::Ending;
use crate::engine::game::{Game, GameError};
use crate::engine::player::Choice;
use crate::probe::{Database, Source};
use crate::rules::position::Side;
use crate::rules::turns::Turn;
use crate::search::ScoreMeaning;
use crate::store::DbError;
use crate::value::{Dtw, Value, Wdl};

/// The longest search for the value of a step, in positions: a few milliseconds.
const STEP_NODES: u64 = 20_000;

/// The first turn of a question that is not legal.
#[derive(Clone, Serialize, JsonSchema)]
pub struct IllegalTurn {
    /// Its number, counted from 1.
    pub number: usize,
    /// Its text.
    pub turn: String,
    /// The reason as a word.
    pub reason: &'static str,
    /// The reason as a sentence.
    pub message: String,
}

impl IllegalTurn {
    /// The turn with this number and text.
    pub fn new(number: usize, turn: &str, error: &GameError) -> IllegalTurn {
        let reason = match error {
            GameError::Text { .. } => "text",
            GameError::Illegal { reason, .. } => reason.name,
            GameError::Over { .. } => "over",
        };
        IllegalTurn {
            number,
            turn: turn.to_owned(),
            reason,
            message: error.to_string(),
        }
    }
}

/// A legal turn with the position after it.
#[derive(Serialize, JsonSchema)]
pub struct LegalTurn {
    turn: Turn,
    position: Fen,
}

impl LegalTurn {
    fn new(before: &Fen, turn: Turn) -> LegalTurn {
        let position = before.after(turn);
        LegalTurn { turn, position }
    }
}

/// The legal turns of a position, which need no database.
#[derive(Serialize, JsonSchema)]
pub struct TurnsAnswer {
    #[serde(flatten)]
    situation: Situation,
    turns: Vec<LegalTurn>,
}

impl TurnsAnswer {
    /// The legal turns.
    pub fn new(position: &Fen) -> TurnsAnswer {
        let turns = position.turns(&position.rules).into_iter();
        TurnsAnswer {
            situation: Situation::new(position),
            turns: turns.map(|turn| LegalTurn::new(position, turn)).collect(),
        }
    }
}

/// How a game stands by the rules about draws.
#[derive(Serialize, JsonSchema)]
struct GameState {
    /// The number of times that the position has occurred, this time included.
    occurrences: usize,
    /// The number of last turns that neither placed nor removed a stone.
    quiet_turns: u32,
    ending: Option<EndingAnswer>,
    illegal: Option<IllegalTurn>,
}

impl GameState {
    fn new(game: &Game, illegal: Option<IllegalTurn>) -> GameState {
        GameState {
            occurrences: game.occurrences(),
            quiet_turns: game.quiet_turns(),
            ending: game.ending().map(EndingAnswer::from),
            illegal,
        }
    }
}

/// A game with its turns and the legal turns after them.
#[derive(Serialize, JsonSchema)]
pub struct GameAnswer {
    start: Fen,
    game: Vec<LegalTurn>,
    #[serde(flatten)]
    end: TurnsAnswer,
    #[serde(flatten)]
    state: GameState,
}

impl GameAnswer {
    /// A game up to the first turn of the question that is not legal.
    pub fn new(game: &Game, illegal: Option<IllegalTurn>) -> GameAnswer {
        let start = Fen::start_of(game);
        let mut before = start;
        let turns = game.turns().into_iter().map(|turn| {
            let turn = LegalTurn::new(&before, turn);
            before = turn.position;
            turn
        });
        let (mut turns, last) = (turns.collect::<Vec<_>>(), Fen::of(game));
        // The last turn may lack its removal.
        if let Some(turn) = turns.last_mut() {
            turn.position = last;
        }
        GameAnswer {
            start,
            game: turns,
            end: TurnsAnswer::new(&last),
            state: GameState::new(game, illegal),
        }
    }
}

/// All that the page shows of a game's last position, found without waiting: by a short search at most, and
/// from the bytes that are here.
#[derive(Serialize, JsonSchema)]
pub struct StepAnswer {
    #[serde(flatten)]
    situation: Situation,
    #[serde(flatten)]
    state: GameState,
    /// `None` if the value is not known. If `problem` is `None`, too, the answer `rank` may
    /// find it.
    wdl: Option<Wdl>,
    dtw: Option<Dtw>,
    source: Option<Source>,
    /// The number of turns of a best line after which the usual 100 quiet turns draw the game, as in the answer `line`.
    #[serde(skip_serializing_if = "Option::is_none")]
    drawn_after: Option<usize>,
    /// The legal turns: best first, or without values in the order of their texts.
    turns: Vec<ComparedTurn>,
    /// The turns of a best line; `None` if they would take a search.
    line: Option<Vec<ValuedTurn>>,
    /// The reason why the value cannot be known.
    problem: Option<FailureAnswer>,
}

impl StepAnswer {
    /// The last position of a game, with a best line of at most this many turns.
    pub fn find(
        database: &Database,
        game: &Game,
        illegal: Option<IllegalTurn>,
        limit: usize,
        sentence: fn(&DbError) -> String,
    ) -> StepAnswer {
        let position = &Fen::of(game);
        let mut step = StepAnswer {
            situation: Situation::new(position),
            state: GameState::new(game, illegal),
            wdl: None,
            dtw: None,
            source: None,
            drawn_after: None,
            turns: ComparedTurn::legal(position, position.turns(&position.rules)),
            line: None,
            problem: None,
        };
        let (answer, repeating) = match answer_in_game(database, game, Some(STEP_NODES)) {
            Ok(answer) => answer,
            Err(
                DbError::NotStored(_)
                | DbError::Omitted
                | DbError::MissingPlies { .. }
                | DbError::Pending(_),
            ) => return step,
            Err(error) => {
                step.problem = Some(FailureAnswer::new(&error.into(), sentence));
                return step;
            }
        };
        step.wdl = Some(answer.value.wdl());
        step.dtw = answer.value.dtw();
        step.source = Some(answer.source);
        let count = position.count();
        let line = match answer.source {
            // A line would take a search for each turn.
            Source::Search => None,
            _ => line_in_game(database, position, (&answer, &repeating), limit).ok(),
        };
        step.drawn_after = match &line {
            Some((_, drawn_after)) => *drawn_after,
            // Without a line, only a full count is known to end the game.
            None => (count.left() == 0 && count.may_cut(answer.value)).then_some(0),
        };
        step.turns = ComparedTurn::ranked(database, position, &answer, &repeating);
        step.line = line.map(|(line, _)| line);
        step
    }
}

/// The end of a game.
#[derive(Serialize, JsonSchema)]
pub struct EndingAnswer {
    winner: Option<Side>,
    #[schemars(extend("enum" = ["stones", "blocked", "full_board", "repetition", "quiet"]))]
    reason: &'static str,
    message: String,
}

impl From<Ending> for EndingAnswer {
    fn from(ending: Ending) -> EndingAnswer {
        EndingAnswer {
            winner: ending.winner(),
            reason: ending.name(),
            message: ending.to_string(),
        }
    }
}

/// The choice of a player.
#[derive(Serialize, JsonSchema)]
pub struct PlayAnswer {
    #[serde(flatten)]
    situation: Situation,
    /// `None` if the game is over.
    turn: Option<Turn>,
    /// The value of the turn for the side that makes it, where it is known.
    wdl: Option<Wdl>,
    dtw: Option<Dtw>,
    /// The search's estimate of the turn, where the value is not known: hundredths of the logarithm of the odds by the network, of a stone by hand.
    #[schemars(range(min = -1000, max = 1000))]
    score: Option<i32>,
    /// The depth of the search.
    depth: Option<u32>,
    /// The turn and the line that the player expects after it.
    line: Vec<Turn>,
    ending: Option<EndingAnswer>,
    /// The reason why a database could not be read; the turn was found without it.
    problem: Option<FailureAnswer>,
}

impl PlayAnswer {
    /// The answer for the last position of a game; `None` if the game is over.
    pub fn new(
        game: &Game,
        choice: Option<Choice>,
        sentence: fn(&DbError) -> String,
    ) -> PlayAnswer {
        let variation = choice.as_ref().map(|choice| &choice.variation);
        let known = variation.and_then(|variation| variation.value);
        let searched = variation.filter(|_| known.is_none());
        PlayAnswer {
            situation: Situation::new(&Fen::of(game)),
            turn: choice.as_ref().map(|choice| choice.turn),
            wdl: known.map(Value::wdl),
            dtw: known.and_then(Value::dtw),
            score: searched.map(|variation| estimate(variation.score.meaning())),
            depth: searched.map(|variation| variation.depth),
            line: variation.map_or_else(Vec::new, |variation| variation.turns.clone()),
            ending: game.ending().map(EndingAnswer::from),
            problem: choice
                .and_then(|choice| choice.failure)
                .map(|failure| FailureAnswer::new(&failure.into(), sentence)),
        }
    }
}

/// A search's score in a word, with the turns to a win or a loss where they are known, or with the estimate.
pub fn score_words(score: ScoreMeaning) -> (&'static str, Option<i32>) {
    match score {
        ScoreMeaning::Win(turns) => ("win", Some(turns.into())),
        ScoreMeaning::KnownWin => ("win", None),
        ScoreMeaning::Evaluation(estimate) => ("estimate", Some(estimate.into())),
        ScoreMeaning::KnownLoss => ("loss", None),
        ScoreMeaning::Loss(turns) => ("loss", Some(turns.into())),
    }
}

/// A search's score as an estimate; an end that it sees counts as 1000.
fn estimate(meaning: ScoreMeaning) -> i32 {
    const END: i32 = 1000;
    match meaning {
        ScoreMeaning::Win(_) | ScoreMeaning::KnownWin => END,
        ScoreMeaning::Evaluation(number) => i32::from(number).clamp(1 - END, END - 1),
        ScoreMeaning::Loss(_) | ScoreMeaning::KnownLoss => -END,
    }
}

#[cfg(all(test, feature = "embedded"))]
mod tests {
    use super::*;
    use crate::rules::Rules;
    use crate::rules::position::Position;

    /// The turns of a win that a search has found may remove a stone in time.
    #[test]
    fn a_step_without_a_line_foresees_no_draw() {
        let rules = Rules {
            stones: 3,
            ..Rules::STANDARD
        };
        let text = "**@**@**/****O***/****O**O b p p 3 0 2 1 0 0";
        let start = Position::parse(text, &rules).unwrap();
        let database = Database::embedded(rules);
        for (quiet, drawn_after) in [(99, None), (100, Some(0))] {
            let game = Game::new(rules, start).with_quiet_turns(quiet);
            let step = StepAnswer::find(&database, &game, None, 12, ToString::to_string);
            assert_eq!(
                (step.dtw, step.source),
                (Some(Dtw(21)), Some(Source::Search))
            );
            assert_eq!((step.line.is_none(), step.drawn_after), (true, drawn_after));
        }
    }
}
