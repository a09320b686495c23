//! The fields of a question, and the answer to it.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::explain::ExplainAnswer;
use super::failure::{ErrorAnswer, Failure, FailureAnswer};
use super::game::{GameAnswer, IllegalTurn, PlayAnswer, StepAnswer, TurnsAnswer};
use super::json;
use super::position::{LineAnswer, ProbeAnswer, RankAnswer};
use super::random::RandomAnswer;
use super::record::{MOST_GAMES, ReadAnswer};
use super::settings;
use super::stats::StatsAnswer;
use super::words::Fen;
use crate::engine::ending::DrawRule;
use crate::engine::game::Game;
use crate::engine::player::{Choice, DrawnTurns, Player, SkillLevel};
use crate::index::{Pair, PairError};
use crate::notation::without_mark;
use crate::probe::{Database, stop};
use crate::rules::Rules;
use crate::rules::position::Position;
use crate::search::{Limits, Search};
use crate::store::DbError;
use crate::value::Wdl;

/// The words for the empty board: ours, and that of the engine protocol.
const STARTS: [&str; 2] = ["start", "startpos"];

/// Whether a text is a word for the empty board.
pub fn is_start(text: &str) -> bool {
    STARTS.contains(&text.trim())
}

/// The most bytes of a position's text.
const LONGEST_POSITION: usize = 1024;

/// The most bytes of a game's turns, enough for more than a thousand, and of a list of positions,
/// enough for more than two hundred.
const LONGEST_GAME: usize = 12 << 10;

/// The most bytes of a text with games.
pub const LONGEST_TEXT: usize = 256 << 10;

/// The most positions of the search for a forced removal, which then takes a fraction of a second.
const QUICK_FORCED_POSITIONS: u64 = 20_000;

/// The most turns of a line.
const LONGEST_LINE: usize = 1000;

/// The default number of turns of a step's line.
const STEP_LINE: usize = 12;

/// The default time to search if the databases do not know the position, in milliseconds.
const USUAL_TIME: u64 = 1000;

/// The longest time to search, in milliseconds.
const LONGEST_TIME: u64 = 5000;

/// The fields of a question. docs/FRONTENDS.md lists the fields that each topic uses.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Question {
    /// A position, or the start of a game.
    fen: Option<String>,
    /// Positions with commas between them.
    fens: String,
    /// The turns of a game.
    moves: String,
    /// A text with games, or with a position on each line.
    pub text: String,
    /// The rules; `None` for those of the server.
    rules: Option<String>,
    /// The turn to explain; `None` for all.
    turn: Option<String>,
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

/// Parses a position's text, which may have a count of quiet turns, or the word `start` or `startpos`.
///
/// # Errors
///
/// As for [`Position::parse`].
pub fn position(text: &str, rules: &Rules) -> Result<Fen, Failure> {
    match is_start(text) {
        true => Ok(Fen::new(&Position::start(rules), rules)),
        false => Ok(Fen::parse(text, rules)?),
    }
}

/// The failure of a text of more than `most` bytes, which is too long to be a `what`.
pub fn too_long(most: usize, what: &str) -> Failure {
    let message = format!("a text of more than {most} bytes is not a {what}");
    Failure::refused("too_long", [("most", most.to_string())], message)
}

impl Question {
    /// A question about a position.
    pub fn about(fen: Option<String>) -> Question {
        Question {
            fen,
            ..Question::default()
        }
    }

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
            (&self.fens, LONGEST_GAME, "list of positions"),
            (&self.text, LONGEST_TEXT, "text of games or positions"),
        ] {
            if text.len() > most {
                return Err(too_long(most, what));
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
        settings::named(name, "").map_err(|why| {
            let message = format!("the rules '{name}' cannot be used: {why}");
            let fields = [("name", name.clone()), ("names", settings::names())];
            Failure::refused("rules", fields, message)
        })
    }

    /// The position of the question. Underscores are spaces, which addresses cannot have.
    ///
    /// # Errors
    ///
    /// [`Failure::Question`] if there is none or if it is wrong.
    pub fn position(&self, rules: &Rules) -> Result<Fen, Failure> {
        let text = self.fen.as_deref().ok_or_else(|| {
            Failure::question("the question has no position; expected one like fen=start")
        })?;
        position(&text.replace('_', " "), rules)
    }

    /// The positions of the question, or the reasons why they are wrong: those of the text, or of the list if there is
    /// no text; none if there is neither.
    fn positions(&self, rules: &Rules) -> impl Iterator<Item = Result<Fen, Failure>> {
        let has_list = self.text.is_empty() && !self.fens.is_empty();
        let listed = self.fens.split(',').filter(move |_| has_list);
        let texts = without_mark(&self.text)
            .lines()
            .filter(|line| !line.trim().is_empty());
        (listed.chain(texts)).map(|text| position(&text.replace('_', " "), rules))
    }

    /// The game of the question up to its first turn that is not legal, and this turn.
    fn game(&self, rules: &Rules, draws: DrawRule) -> Result<(Game, Option<IllegalTurn>), Failure> {
        let mut game = self.position(rules)?.game().with_draws(draws);
        for (number, text) in (1..).zip(self.moves.split_whitespace()) {
            if let Err(error) = game.play(text) {
                return Ok((game, Some(IllegalTurn::new(number, text, &error))));
            }
        }
        Ok((game, None))
    }

    /// The game of the question, all of whose turns must be legal.
    fn legal_game(&self, rules: &Rules, draws: DrawRule) -> Result<Game, Failure> {
        match self.game(rules, draws)? {
            (game, None) => Ok(game),
            (_, Some(illegal)) => Err(Failure::question(format!(
                "turn {} of the game: {}",
                illegal.number, illegal.message
            ))),
        }
    }

    /// The position after the turns of the question.
    fn last_position(&self, rules: &Rules) -> Result<Fen, Failure> {
        Ok(Fen::of(&self.legal_game(rules, DrawRule::USUAL)?))
    }

    /// The facts about the position and the turn of the question, or all its turns.
    fn explain(&self, database: &Database) -> Result<ExplainAnswer, Failure> {
        let position = self.last_position(database.rules())?;
        let legal = position.turns(database.rules());
        let read = |text: &String| {
            let turn = text.parse().ok().filter(|turn| legal.contains(turn));
            let message = || format!("'{text}' is not a legal turn of this position");
            turn.ok_or_else(|| Failure::question(message()))
        };
        let turn = self.turn.as_ref().map(read).transpose()?;
        let found = ExplainAnswer::find(database, &position, turn, QUICK_FORCED_POSITIONS);
        Ok(found?)
    }

    /// The pair of the question, if it names one.
    fn pair(&self, rules: &Rules) -> Result<Option<Pair>, Failure> {
        let Some(text) = &self.pair else {
            return Ok(None);
        };
        // In addresses a plus stands for a space.
        let pair: Result<Pair, PairError> = text.replace(' ', "+").parse();
        let pair = pair.map_err(|error| Failure::question(error.to_string()))?;
        pair.check(rules).map_err(Failure::question)?;
        Ok(Some(pair))
    }

    /// The result of the question.
    fn wdl(&self) -> Result<Wdl, Failure> {
        let text = self.wdl.as_deref().unwrap_or_default();
        Wdl::named(text)
            .ok_or_else(|| Failure::question("the value must be wdl=win, wdl=draw or wdl=loss"))
    }
}

/// The subject of a question about a position or a game; the server answers it at a path of this name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Topic {
    /// A [`ProbeAnswer`] with all turns.
    Probe,
    /// For each of several positions, on a line of its own, a [`ProbeAnswer`] without turns or an [`ErrorAnswer`].
    Probes,
    /// A [`RankAnswer`].
    Rank,
    /// An [`ExplainAnswer`].
    Explain,
    /// A [`LineAnswer`].
    Line,
    /// A [`StepAnswer`].
    Step,
    /// A [`TurnsAnswer`].
    Turns,
    /// A [`GameAnswer`].
    Game,
    /// A [`PlayAnswer`].
    Play,
    /// A [`RandomAnswer`].
    Random,
    /// A [`ReadAnswer`].
    Read,
    /// A [`StatsAnswer`].
    Stats,
}

impl Topic {
    /// All topics with their names.
    pub const NAMED: [(&'static str, Topic); 12] = [
        ("probe", Topic::Probe),
        ("probes", Topic::Probes),
        ("rank", Topic::Rank),
        ("explain", Topic::Explain),
        ("line", Topic::Line),
        ("step", Topic::Step),
        ("turns", Topic::Turns),
        ("game", Topic::Game),
        ("play", Topic::Play),
        ("random", Topic::Random),
        ("read", Topic::Read),
        ("stats", Topic::Stats),
    ];

    /// Whether the answer to the question may take a search, which keeps a core busy for up to some seconds.
    ///
    /// # Errors
    ///
    /// As for [`Question::position`].
    pub fn may_search(self, question: &Question, rules: &Rules) -> Result<bool, Failure> {
        match self {
            Topic::Probe | Topic::Rank | Topic::Explain | Topic::Line => {
                Ok(question.last_position(rules)?.is_in_placing_phase(rules))
            }
            Topic::Probes => Ok((question.positions(rules).flatten())
                .any(|position| position.is_in_placing_phase(rules))),
            Topic::Step | Topic::Turns | Topic::Game | Topic::Read | Topic::Stats => Ok(false),
            Topic::Play | Topic::Random => Ok(true),
        }
    }
}

/// The databases and the search of one set of rules, which answer questions.
#[derive(Clone)]
pub struct Service {
    /// The databases.
    pub database: Arc<Database>,
    /// The search with its transposition table.
    pub search: Arc<Search>,
    /// The rules about draws.
    pub draws: DrawRule,
    /// Puts an error of the databases into words, with the program's advice.
    pub sentence: fn(&DbError) -> String,
}

impl Service {
    /// The answer to a question as JSON, which is one object for most topics. When another thread sets `stop`, because
    /// nobody waits for the answer any more, searches end early, and the answer may be an error.
    ///
    /// # Errors
    ///
    /// A [`Failure`] if the question cannot be read, or the databases have no answer.
    pub fn answer(
        &self,
        topic: Topic,
        question: &Question,
        stop: &Arc<AtomicBool>,
    ) -> Result<Vec<u8>, Failure> {
        stop::until(stop, || self.find(topic, question, stop))
    }

    /// For each position of the question, on a line of its own, the answer that `find` returns, or
    /// an [`ErrorAnswer`].
    pub fn each<A: Serialize>(
        &self,
        question: &Question,
        find: impl Fn(&Fen) -> Result<A, DbError>,
    ) -> Vec<u8> {
        let answers = question.positions(self.database.rules()).map(|position| {
            match position.and_then(|position| Ok(find(&position)?)) {
                Ok(answer) => json(&answer),
                Err(failure) => {
                    let error = FailureAnswer::new(&failure, self.sentence);
                    json(&ErrorAnswer { error })
                }
            }
        });
        answers.flatten().collect()
    }

    fn find(
        &self,
        topic: Topic,
        question: &Question,
        stop: &AtomicBool,
    ) -> Result<Vec<u8>, Failure> {
        let (database, draws) = (&self.database, self.draws);
        let rules = database.rules();
        let position = || question.last_position(rules);
        let limit = |usual| question.limit.unwrap_or(usual).min(LONGEST_LINE);
        Ok(match topic {
            Topic::Probe => {
                let most = Some(usize::MAX);
                json(&ProbeAnswer::find(database, &position()?, most)?)
            }
            Topic::Probes => self.each(question, |position| {
                ProbeAnswer::find(database, position, None)
            }),
            Topic::Rank => json(&RankAnswer::find(
                database,
                &question.legal_game(rules, draws)?,
            )?),
            Topic::Explain => json(&question.explain(database)?),
            Topic::Line => {
                let limit = limit(LONGEST_LINE);
                json(&LineAnswer::find(database, &position()?, limit)?)
            }
            Topic::Step => {
                let (game, illegal) = question.game(rules, draws)?;
                let (limit, sentence) = (limit(STEP_LINE), self.sentence);
                json(&StepAnswer::find(database, &game, illegal, limit, sentence))
            }
            Topic::Turns => json(&TurnsAnswer::new(&position()?)),
            Topic::Game => {
                let (game, illegal) = question.game(rules, draws)?;
                json(&GameAnswer::new(&game, illegal))
            }
            Topic::Read => json(&ReadAnswer::read(&question.text, rules, MOST_GAMES)),
            Topic::Play => json(&self.play(question, |player, game, limits| {
                player.check_arrived(game.position())?;
                Ok(player.choose(&game, &limits, stop, &mut |_| ()))
            })?),
            Topic::Stats => {
                let pair = question.pair(rules)?;
                json(&StatsAnswer::without_paths(database, pair)?)
            }
            Topic::Random => {
                let missing = "the pair is missing; name one, like pair=6-4";
                let pair = (question.pair(rules)?).ok_or_else(|| Failure::question(missing))?;
                let (wdl, seed) = (question.wdl()?, question.seed);
                json(&RandomAnswer::find(database, pair, wdl, seed)?)
            }
        })
    }

    /// The answer to a question of [`Topic::Play`], where `choose` makes the player's choice.
    ///
    /// # Errors
    ///
    /// A [`Failure`] if the question cannot be read or has a turn that is not legal; those of `choose`.
    pub fn play(
        &self,
        question: &Question,
        choose: impl FnOnce(Player, Game, Limits) -> Result<Option<Choice>, Failure>,
    ) -> Result<PlayAnswer, Failure> {
        let game = question.legal_game(self.database.rules(), self.draws)?;
        if game.ending().is_some() {
            return Ok(PlayAnswer::new(&game, None, self.sentence));
        }
        let player = Player {
            database: Arc::clone(&self.database),
            search: Arc::clone(&self.search),
            level: question.level()?,
            seed: question.seed,
            drawn: DrawnTurns::default(),
        };
        let time = question.movetime.unwrap_or(USUAL_TIME).min(LONGEST_TIME);
        let limits = Limits {
            time: Some(Duration::from_millis(time)),
            ..Limits::default()
        };
        let choice = choose(player, game.clone(), limits)?;
        Ok(PlayAnswer::new(&game, choice, self.sentence))
    }
}
