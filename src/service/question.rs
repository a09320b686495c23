//! The fields of a question, and the answer to it.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::failure::{Failure, Refusal};
use super::game::{AskedGame, ChoiceAnswer, GameAnswer, IllegalTurn};
use super::line::LineAnswer;
use super::probe::ProbeAnswer;
use super::study::{RandomPosition, Ranking};
use super::value::{JsonLegal, JsonPosition};
use crate::engine::ending::DrawRule;
use crate::engine::game::Game;
use crate::engine::player::{DrawnTurns, Player, SkillLevel};
use crate::index::{Pair, PairError};
use crate::probe::Database;
use crate::rules::Rules;
use crate::rules::position::{Position, PositionError};
use crate::search::{Limits, Search};
use crate::store::DbError;
use crate::value::Wdl;

/// The word for the empty board.
pub const START: &str = "start";

/// The most bytes of a position's text.
const LONGEST_POSITION: usize = 1024;

/// The most bytes of a game's turns: more than a thousand turns.
const LONGEST_GAME: usize = 12 << 10;

/// The most turns of a line.
const LONGEST_LINE: usize = 1000;

/// The default time to search if the databases do not know the position, in milliseconds.
const USUAL_TIME: u64 = 1000;

/// The longest time to search, in milliseconds.
const LONGEST_TIME: u64 = 5000;

/// The fields of a question; each kind of question uses those that docs/FRONTENDS.md lists for it.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Question {
    /// A position, or the start of a game.
    fen: Option<String>,
    /// The turns of a game.
    moves: String,
    /// The rules; without it those of the server.
    rules: Option<String>,
    /// The most turns of a line.
    limit: Option<usize>,
    /// The level of the player.
    level: Option<u8>,
    /// The seed of random choices.
    seed: u64,
    /// The time to search, in milliseconds.
    movetime: Option<u64>,
    /// The pair of a random position.
    pair: Option<String>,
    /// The value of a random position.
    wdl: Option<String>,
    /// The most stones of a pair to build.
    pub stones: Option<u8>,
    /// Whether to build the placing phase too.
    pub placing: bool,
}

/// Parses a position's text or the word `start`.
///
/// # Errors
///
/// As for [`Position::parse`].
pub fn position(text: &str, rules: &Rules) -> Result<Position, PositionError> {
    match text.trim() {
        START => Ok(Position::start(rules)),
        _ => Position::parse(text, rules),
    }
}

/// The legal turns of a position, which need no database.
#[derive(Serialize)]
pub struct Turns {
    #[serde(flatten)]
    position: JsonPosition,
    turns: Vec<JsonLegal>,
}

impl Question {
    /// The question, if its texts are not too long.
    ///
    /// # Errors
    ///
    /// [`Failure::Question`] if they are.
    pub fn checked(self) -> Result<Question, Failure> {
        let position = self.fen.as_deref().unwrap_or_default();
        for (text, most, what) in [
            (position, LONGEST_POSITION, "position"),
            (&self.moves, LONGEST_GAME, "game"),
        ] {
            if text.len() > most {
                return Err(Failure::Question {
                    reason: Some(Refusal::new("too_long", [("most", most.to_string())])),
                    message: format!("a text of more than {most} bytes is not a {what}"),
                });
            }
        }
        Ok(self)
    }

    /// The level of the question, the perfect one if it names none.
    fn level(&self) -> Result<SkillLevel, Failure> {
        match self.level {
            None => Ok(SkillLevel::PERFECT),
            Some(number) => SkillLevel::numbered(number).ok_or_else(|| {
                Failure::question(format!("the level is a number from 0 to 30, not {number}"))
            }),
        }
    }

    /// The rules of the question; `own` are those of questions that name none.
    ///
    /// # Errors
    ///
    /// [`Failure::Question`] if no rules have the name.
    pub fn rules(&self, own: &Rules) -> Result<Rules, Failure> {
        let Some(name) = &self.rules else {
            return Ok(*own);
        };
        Rules::named(name).ok_or_else(|| {
            let names = Rules::NAMED.map(|(name, _)| name).join(", ");
            let message = format!("there are no rules '{name}'; the server knows {names}");
            let fields = [("name", name.clone()), ("names", names)];
            Failure::Question {
                reason: Some(Refusal::new("rules", fields)),
                message,
            }
        })
    }

    /// The position of the question.
    ///
    /// # Errors
    ///
    /// [`Failure::Question`] if there is none, [`Failure::Position`] if it is wrong.
    pub fn position(&self, rules: &Rules) -> Result<Position, Failure> {
        let text = self.fen.as_deref().ok_or_else(|| {
            Failure::question("the question has no position; ask like /probe?fen=start")
        })?;
        Ok(position(text, rules)?)
    }

    /// The game of the question, up to its first turn that is not legal.
    ///
    /// # Errors
    ///
    /// As for [`Question::position`].
    pub fn played(&self, rules: &Rules, draws: DrawRule) -> Result<AskedGame, Failure> {
        let mut game = Game::new(*rules, self.position(rules)?).with_draws(draws);
        for (number, text) in (1..).zip(self.moves.split_whitespace()) {
            if let Err(why) = game.play(text) {
                let text = text.to_owned();
                let illegal = Some(IllegalTurn { number, text, why });
                return Ok(AskedGame { game, illegal });
            }
        }
        Ok(AskedGame {
            game,
            illegal: None,
        })
    }

    /// The game of the question, whose turns must all be legal.
    fn game(&self, rules: &Rules, draws: DrawRule) -> Result<Game, Failure> {
        match self.played(rules, draws)? {
            AskedGame {
                game,
                illegal: None,
            } => Ok(game),
            AskedGame {
                illegal: Some(IllegalTurn { number, why, .. }),
                ..
            } => Err(Failure::question(format!(
                "turn {number} of the game: {why}"
            ))),
        }
    }

    /// The legal turns of the question's position.
    ///
    /// # Errors
    ///
    /// As for [`Question::position`].
    pub fn turns(&self, rules: &Rules) -> Result<Turns, Failure> {
        let position = self.position(rules)?;
        Ok(Turns {
            position: JsonPosition::new(&position, rules),
            turns: JsonLegal::all(&position, rules),
        })
    }

    /// The game of the question with its ending.
    ///
    /// # Errors
    ///
    /// As for [`Question::position`].
    pub fn record(&self, rules: &Rules, draws: DrawRule) -> Result<GameAnswer, Failure> {
        Ok(GameAnswer::from(&self.played(rules, draws)?))
    }

    /// The pair of the question.
    fn pair(&self, rules: &Rules) -> Result<Pair, Failure> {
        let text = self.pair.as_deref().unwrap_or_default();
        let pair: Result<Pair, PairError> = text.parse();
        let pair = pair.map_err(|error| Failure::question(error.to_string()))?;
        pair.check(rules).map_err(Failure::question)?;
        Ok(pair)
    }

    /// The result of the question.
    fn wdl(&self) -> Result<Wdl, Failure> {
        let text = self.wdl.as_deref().unwrap_or_default();
        [Wdl::Win, Wdl::Draw, Wdl::Loss]
            .into_iter()
            .find(|wdl| wdl.name() == text)
            .ok_or_else(|| Failure::question("the value must be wdl=win, wdl=draw or wdl=loss"))
    }
}

/// The databases and the search of one set of rules.
#[derive(Clone)]
pub struct Service {
    /// The databases.
    pub database: Arc<Database>,
    /// The search with its transposition table.
    pub search: Arc<Search>,
    /// The rules about draws.
    pub draws: DrawRule,
    /// Words an error of the databases, with the program's advice.
    pub sentence: fn(&DbError) -> String,
}

impl Service {
    /// The value of the question's position and its turns.
    ///
    /// # Errors
    ///
    /// Those of [`Question::position`] and [`Database::answer`].
    pub fn probe(&self, question: &Question) -> Result<ProbeAnswer, Failure> {
        let rules = self.database.rules();
        let position = question.position(rules)?;
        let answer = self.database.answer(&position)?;
        Ok(ProbeAnswer::new(
            &position,
            &answer,
            Some(usize::MAX),
            rules,
        ))
    }

    /// The turns of the question's position with the number of replies that hold.
    ///
    /// # Errors
    ///
    /// As for [`Service::probe`].
    pub fn rank(&self, question: &Question) -> Result<Ranking, Failure> {
        Ranking::find(&self.database, &question.position(self.database.rules())?)
    }

    /// A best line from the question's position.
    ///
    /// # Errors
    ///
    /// As for [`Service::probe`].
    pub fn line(&self, question: &Question) -> Result<LineAnswer, Failure> {
        let rules = self.database.rules();
        let position = question.position(rules)?;
        let limit = question.limit.unwrap_or(LONGEST_LINE).min(LONGEST_LINE);
        let answer = self.database.answer(&position)?;
        let line = self.database.line(&position, limit)?;
        Ok(LineAnswer::new(&position, &answer, &line, rules))
    }

    /// The player's turn after the question's game.
    ///
    /// # Errors
    ///
    /// As for [`Question::position`]; [`DbError::Pending`] if the perfect player waits for bytes.
    pub fn play(&self, question: &Question) -> Result<ChoiceAnswer, Failure> {
        let game = question.game(self.database.rules(), self.draws)?;
        if game.ending().is_some() {
            return Ok(ChoiceAnswer::new(&game, None, self.sentence));
        }
        let player = Player {
            database: Arc::clone(&self.database),
            search: Arc::clone(&self.search),
            level: question.level()?,
            seed: question.seed,
            drawn: DrawnTurns::default(),
        };
        player.check_arrived(game.position())?;
        let time = question.movetime.unwrap_or(USUAL_TIME).min(LONGEST_TIME);
        let limits = Limits {
            time: Some(Duration::from_millis(time)),
            ..Limits::default()
        };
        let choice = player.choose(&game, &limits, &AtomicBool::new(false), &mut |_| ());
        Ok(ChoiceAnswer::new(&game, choice, self.sentence))
    }

    /// A random position of the question's pair with the question's result.
    ///
    /// # Errors
    ///
    /// As for [`RandomPosition::find`].
    pub fn random(&self, question: &Question) -> Result<RandomPosition, Failure> {
        let pair = question.pair(self.database.rules())?;
        let wdl = question.wdl()?;
        RandomPosition::find(&self.database, pair, wdl, question.seed)
    }
}
