//! The WebAssembly module: conversions around the library, no logic of its own. Users import
//! `js/index.js`, which fetches the bytes that a question still needs and asks again.
//!
//! Answers are JSON texts with the program's names, one of
//!
//! ```text
//! {"error":{"code":"…","message":"…"}}                            with "file" if the code is "corrupt"
//! {"pending":[{"file":"9-8.mill","start":0,"length":131072},…]}    none if only time is missing: ask again
//! {…}                                                             the answer
//! ```

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use millbase::engine::{Choice, DrawRule, DrawnTurns, Game, Player, SkillLevel, Thinking};
use millbase::internals::service;
use millbase::internals::service::failure::{Failure, FailureAnswer};
use millbase::internals::service::game::score_words;
use millbase::internals::service::position::{self, LineAnswer, Situation, ValuedTurn};
use millbase::internals::service::question::{Question, Service, Topic};
use millbase::internals::service::rules::RuleSetsAnswer;
use millbase::internals::service::settings;
use millbase::internals::service::words::Fen;
use millbase::search::{Limits, Search};
use millbase::store::{self, Bundle, NeededRange, Pieces};
use millbase::{BulkError, Masks, Values};
use millbase::{Database, DbError, Pair, Position, Rules, Side, Turn, Value};
use serde::Serialize;
use wasm_bindgen::prelude::*;

/// The rules, the databases and a player.
#[wasm_bindgen]
pub struct Core {
    rules: Rules,
    database: Arc<Database>,
    files: HashMap<String, Arc<Pieces>>,
    search: Arc<Search>,
}

fn wrong(sentence: impl ToString) -> Failure {
    Failure::question(sentence.to_string())
}

/// The rules of a name, of settings in JSON, which begin with a brace, or in TOML, which have an equals sign.
fn read_rules(text: &str) -> Result<Rules, String> {
    if text.starts_with('{') {
        let mapping = serde_json::from_str(text).map_err(|error| error.to_string())?;
        return settings::of_mapping(&mapping).map_err(|sentence| format!("the rules: {sentence}"));
    }
    if text.contains('=') {
        return settings::of_toml(text).map_err(|sentence| format!("the rules, {sentence}"));
    }
    settings::named(text, " and settings")
        .map_err(|why| format!("the rules '{text}' cannot be used: {why}"))
}

/// The JSON text of an answer.
fn json(answer: &impl Serialize) -> String {
    serde_json::to_string(answer).unwrap_or_default()
}

/// The JSON text of an answer, of the ranges that it waits for, or of the failure.
fn json_of<T: Serialize>(answer: Result<T, Failure>) -> String {
    #[derive(Serialize)]
    struct Range<'a> {
        file: Cow<'a, str>,
        start: u64,
        length: u64,
    }
    #[derive(Serialize)]
    struct Pending<'a> {
        pending: Vec<Range<'a>>,
    }
    /// A failure with the damaged file, whose bytes are worth fetching again.
    #[derive(Serialize)]
    struct Problem<'a> {
        #[serde(skip_serializing_if = "Option::is_none")]
        file: Option<Cow<'a, str>>,
        #[serde(flatten)]
        failure: FailureAnswer,
    }
    #[derive(Serialize)]
    struct Error<'a> {
        error: Problem<'a>,
    }
    match answer {
        Ok(answer) => json(&answer),
        Err(Failure::Database(DbError::Pending(ranges))) => {
            let ranges = ranges.iter().map(|range: &NeededRange| Range {
                file: range.file.to_string_lossy(),
                start: range.start,
                length: range.length,
            });
            json(&Pending {
                pending: ranges.collect(),
            })
        }
        Err(failure) => {
            let file = match &failure {
                Failure::Database(DbError::Corrupt { file, .. }) => Some(file.to_string_lossy()),
                _ => None,
            };
            let failure = FailureAnswer::new(&failure, sentence);
            let error = Problem { file, failure };
            json(&Error { error })
        }
    }
}

/// The error of a database with advice: the files are those that the caller of `open` names.
fn sentence(error: &DbError) -> String {
    match error {
        DbError::Missing { pair, .. } => format!("{error}; name the file {pair}.mill in `files`"),
        DbError::MissingPlies { .. } => {
            format!("{error}; name files of the placing phase, placing-NN.mill, in `files`")
        }
        _ => error.to_string(),
    }
}

/// A position with its legal turns.
#[derive(Serialize)]
struct PositionInfo {
    #[serde(flatten)]
    situation: Situation,
    white: u32,
    black: u32,
    white_in_hand: u8,
    black_in_hand: u8,
    turns: Vec<Turn>,
}

/// The text of a position after a turn.
#[derive(Serialize)]
struct After {
    position: String,
}

/// A best line.
#[derive(Serialize)]
struct BestLineAnswer {
    turns: Vec<ValuedTurn>,
    end: &'static str,
}

/// A player's turn; `None` if the game is over.
#[derive(Serialize)]
struct Chosen {
    turn: Option<Turn>,
    #[serde(flatten)]
    thought: Option<Thought>,
}

#[derive(Serialize)]
struct Thought {
    /// The search's score of the line, for the side to move, under its word.
    score: HashMap<&'static str, Option<i32>>,
    known: Option<Value>,
    depth: u32,
    nodes: u64,
    line: Vec<Turn>,
}

/// An answer without fields.
#[derive(Serialize)]
struct Done {}

/// The progress of a question that takes a player's choice.
#[wasm_bindgen]
pub struct Progress {
    slice: Duration,
    thinking: Option<Thinking>,
}

#[wasm_bindgen]
impl Progress {
    /// The progress of a question that is asked again after about `slice` milliseconds of a search;
    /// without `slice`, the first call answers it.
    #[wasm_bindgen(constructor)]
    pub fn new(slice: Option<u32>) -> Progress {
        Progress {
            slice: slice.map_or(Duration::MAX, |slice| Duration::from_millis(slice.into())),
            thinking: None,
        }
    }
}

impl Progress {
    /// The choice, or the error that says that the question needs more time, but no bytes.
    fn choose(
        &mut self,
        player: Player,
        game: Game,
        limits: Limits,
    ) -> Result<Option<Choice>, Failure> {
        let thinking = match &mut self.thinking {
            Some(thinking) => thinking,
            none => {
                player.check_arrived(game.position())?;
                none.insert(Thinking::new(player, game, limits))
            }
        };
        match thinking.go_on(self.slice) {
            Poll::Ready(choice) => Ok(choice),
            Poll::Pending => Err(DbError::Pending(Vec::new()).into()),
        }
    }
}

#[wasm_bindgen]
impl Core {
    /// The databases that are part of the module, if it has any, under these rules: a name, the text of a
    /// file with settings, or an object with settings in JSON. The caches of decoded blocks and of values take at
    /// most this many bytes.
    #[wasm_bindgen(constructor)]
    pub fn new(rules: &str, decoded_bytes: f64) -> Result<Core, JsError> {
        let rules = read_rules(rules).map_err(|sentence| JsError::new(&sentence))?;
        let database = Database::embedded(rules).with_cache_bytes(decoded_bytes as usize);
        Ok(Core {
            rules,
            database: Arc::new(database),
            files: HashMap::new(),
            search: Arc::new(Search::new(rules, Search::DEFAULT_HASH_BYTES, 1)),
        })
    }

    /// Whether a file of these rules can have this name; files with other names are never read.
    pub fn is_file_name(&self, name: &str) -> bool {
        self.database.is_file_name(name)
    }

    /// The files of these rules in a bundle of this size that begins with these bytes, at least its table of
    /// contents: of each its name, where it begins, its size and the length of its head.
    pub fn members(&self, size: f64, contents: Vec<u8>) -> String {
        let pieces = Pieces::new(size as u64);
        pieces.supply(0, contents);
        let read = || -> Result<Vec<_>, Failure> {
            let bundle = Bundle::read("the bundle".as_ref(), Box::new(pieces))?;
            let members = bundle.members_of(&self.rules);
            let members = members.map(|(name, member)| {
                serde_json::json!({
                    "name": name,
                    "start": member.start,
                    "size": member.bytes,
                    "head": member.head_bytes,
                })
            });
            Ok(members.collect())
        };
        json_of(read())
    }

    /// Adds a file of this size, none of whose bytes are here yet, and the length of its head, 0 if
    /// that is unknown. Add all files before the first question.
    pub fn add_file(&mut self, name: &str, size: f64, head: u32) {
        let pieces = match head {
            0 => Pieces::new(size as u64),
            head => Pieces::new(size as u64).with_head(head),
        };
        let pieces = Arc::new(pieces);
        self.files.insert(name.to_string(), pieces.clone());
        let rest = Arc::new(Database::embedded(self.rules).with_cache_bytes(0));
        let database = std::mem::replace(&mut self.database, rest);
        // Only a question holds another handle, and none is asked now.
        if let Some(database) = Arc::into_inner(database) {
            self.database = Arc::new(database.with_file(name, Box::new(pieces)));
        }
    }

    /// Adds bytes of a file.
    pub fn supply(&self, name: &str, start: f64, bytes: Vec<u8>) {
        if let Some(pieces) = self.files.get(name) {
            pieces.supply(start as u64, bytes);
        }
    }

    /// Forgets all bytes of a file.
    pub fn forget(&self, name: &str) {
        if let Some(pieces) = self.files.get(name) {
            pieces.trim(0);
        }
    }

    /// Forgets bytes of the files, those used longest ago first, until each has at most this many.
    pub fn trim(&self, bytes: usize) {
        self.files.values().for_each(|pieces| pieces.trim(bytes));
    }

    /// The text of the start position.
    pub fn start(&self) -> String {
        Position::start(&self.rules).text(&self.rules)
    }

    /// The names of the pairs that have a file, which may still have to be read, or are part of the module.
    pub fn pairs(&self) -> String {
        let built_in = Database::embedded(self.rules);
        let built_in: Vec<Pair> = built_in.pairs().map(|file| file.pair()).collect();
        let has_file = |pair: Pair| self.files.contains_key(&store::file_name(pair));
        let pairs = Pair::all(&self.rules).into_iter();
        let pairs = pairs.filter(|pair| has_file(*pair) || built_in.contains(pair));
        json(&pairs.map(|pair| pair.to_string()).collect::<Vec<_>>())
    }

    /// Answers a question of the page, `kind` being the path that the server has for it, with the
    /// server's JSON.
    pub fn ask(&self, progress: &mut Progress, kind: &str, question: &str) -> String {
        let service = Service {
            database: Arc::clone(&self.database),
            search: Arc::clone(&self.search),
            draws: DrawRule::USUAL,
            sentence,
        };
        let mut answer = || {
            let question: Question = serde_json::from_str(question).map_err(wrong)?;
            let question = question.checked()?;
            if kind == "rulesets" {
                return Ok(service::json(&RuleSetsAnswer::new(
                    &self.rules,
                    service.draws,
                )));
            }
            let mut topics = Topic::NAMED.into_iter();
            // Answers of several lines are for HTTP.
            let topic = topics.find(|(name, topic)| *name == kind && *topic != Topic::Probes);
            let (_, topic) =
                topic.ok_or_else(|| wrong(format!("there is no question '{kind}'")))?;
            if topic == Topic::Play {
                let choose = |player, game, limits| progress.choose(player, game, limits);
                return Ok(service::json(&service.play(&question, choose)?));
            }
            service.answer(topic, &question, &Arc::default())
        };
        match answer() {
            Ok(text) => String::from_utf8(text).unwrap_or_default(),
            Err(failure) => json_of::<Done>(Err(failure)),
        }
    }

    /// A position's fields and its legal turns.
    pub fn position(&self, fen: &str) -> String {
        json_of(self.parse(fen).map(|position| PositionInfo {
            situation: Situation::new(&position),
            white: position.stones(Side::White).bits(),
            black: position.stones(Side::Black).bits(),
            white_in_hand: position.in_hand(Side::White),
            black_in_hand: position.in_hand(Side::Black),
            turns: position.turns(&self.rules),
        }))
    }

    /// The text of the position after a legal turn.
    pub fn after(&self, fen: &str, turn: &str) -> String {
        json_of(self.parse(fen).and_then(|position| {
            let turn: Turn = turn.parse().map_err(wrong)?;
            let after = position.play(turn).map_err(|why| {
                let side = position.side_to_move();
                wrong(format!("{turn} is not a legal turn of {side} here: {why}"))
            })?;
            Ok(After {
                position: after.to_string(),
            })
        }))
    }

    /// The value of a position.
    pub fn probe(&self, fen: &str) -> String {
        json_of(
            self.parse(fen)
                .and_then(|position| Ok(position::value(&self.database, &position)?)),
        )
    }

    /// Reads ahead the bytes that ranking the turns needs after each of this many best turns.
    /// Returns the pending ranges, or `{}` when all are there.
    pub fn prefetch(&self, fen: &str, turns: usize) -> String {
        json_of(self.parse(fen).and_then(|position| {
            let answer = self.database.answer(&position)?;
            let best = answer.turns.iter().take(turns);
            let after: Vec<Position> = best.map(|ranked| ranked.after).collect();
            self.database.prefetch(&after)?;
            Ok(Done {})
        }))
    }

    /// The game in which both sides always make their best turn.
    pub fn line(&self, fen: &str, limit: usize) -> String {
        json_of(self.parse(fen).and_then(|position| {
            let answer = LineAnswer::find(&self.database, &position, limit)?;
            Ok(BestLineAnswer {
                turns: answer.line,
                end: answer.end.name(),
            })
        }))
    }

    /// Fills the values of many positions of the moving phase.
    pub fn probe_many(
        &self,
        white: &[u32],
        black: &[u32],
        to_move: &[u8],
        wdl: &mut [i8],
        dtw: &mut [i16],
    ) -> String {
        let masks = Masks {
            white,
            black,
            to_move,
            in_hand: None,
        };
        let done = self.database.probe_many(masks, Values { wdl, dtw }, 1);
        json_of(done.map(|()| Done {}).map_err(|error| match error {
            BulkError::Database { error, .. } => Failure::Database(error),
            other => wrong(other),
        }))
    }

    /// A player's turn after these turns from a position: `level` 0 to 30, `seed` as for the program's
    /// players, limits in milliseconds, positions and turns, 0 for none.
    #[allow(clippy::too_many_arguments, reason = "JavaScript passes them by name")]
    pub fn choose(
        &self,
        progress: &mut Progress,
        fen: &str,
        turns: &str,
        level: u8,
        seed: u32,
        milliseconds: u32,
        nodes: f64,
        depth: u32,
    ) -> String {
        json_of(self.parse(fen).and_then(|position| {
            let mut game = position.game();
            for turn in turns.split_ascii_whitespace() {
                game.play(turn).map_err(wrong)?;
            }
            let player = Player {
                database: self.database.clone(),
                search: self.search.clone(),
                level: SkillLevel::new(level),
                seed: seed.into(),
                drawn: DrawnTurns::default(),
            };
            let limits = Limits {
                time: (milliseconds > 0).then(|| Duration::from_millis(milliseconds.into())),
                nodes: (nodes >= 1.0).then_some(nodes as u64),
                depth: (depth > 0).then_some(depth),
                ..Limits::default()
            };
            let choice = progress.choose(player, game, limits)?;
            let thought = choice.as_ref().map(|choice| {
                let variation = &choice.variation;
                Thought {
                    score: HashMap::from([score_words(variation.score.meaning())]),
                    known: variation.value,
                    depth: variation.depth,
                    nodes: variation.nodes,
                    line: variation.turns.clone(),
                }
            });
            Ok(Chosen {
                turn: choice.map(|choice| choice.turn),
                thought,
            })
        }))
    }
}

impl Core {
    fn parse(&self, fen: &str) -> Result<Fen, Failure> {
        Ok(Fen::parse(fen, &self.rules)?)
    }
}

/// The version of the package.
#[wasm_bindgen]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_string()
}
