//! The WebAssembly module: conversions around the library, no logic of its own. `js/index.js` is what
//! users import; it fetches what a question still needs and asks again.
//!
//! Answers are JSON texts with the program's names, one of
//!
//! ```text
//! {"error":{"code":"…","message":"…"}}
//! {"pending":[{"file":"9-8.mill","start":0,"length":131072},…]}
//! {…}                                                             the answer
//! ```

mod json;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use millbase::engine::game::Game;
use millbase::engine::player::{Level, Player, Strategy};
use millbase::probe::{BulkError, Masks, Values};
use millbase::search::{Limits, Meaning, Search};
use millbase::store::Pieces;
use millbase::{Database, DbError, LineEnd, Position, Rules, Side, Turn, Value};
use wasm_bindgen::prelude::*;

use json::{Text, list};

/// Bytes of the transposition table of a player.
const HASH_BYTES: usize = 16 << 20;

/// Bytes of decoded blocks and values that are kept.
const CACHE_BYTES: usize = 48 << 20;

/// The rules, the databases and a player.
#[wasm_bindgen]
pub struct Core {
    rules: Rules,
    database: Arc<Database>,
    files: HashMap<String, Arc<Pieces>>,
    search: Arc<Search>,
}

/// Why there is no answer.
enum Failure {
    Wrong(String),
    Database(DbError),
}

impl From<DbError> for Failure {
    fn from(error: DbError) -> Failure {
        Failure::Database(error)
    }
}

impl From<BulkError> for Failure {
    fn from(error: BulkError) -> Failure {
        match error {
            BulkError::Database(error) => Failure::Database(error),
            other => wrong(other),
        }
    }
}

fn wrong(sentence: impl ToString) -> Failure {
    Failure::Wrong(sentence.to_string())
}

/// The answer's text, or that of the failure.
fn json_of(answer: Result<String, Failure>) -> String {
    let error = |code: &str, sentence: String| {
        let (code, sentence) = (Text(code), Text(&sentence));
        format!(r#"{{"error":{{"code":{code},"message":{sentence}}}}}"#)
    };
    match answer {
        Ok(answer) => answer,
        Err(Failure::Wrong(sentence)) => error("position", sentence),
        Err(Failure::Database(DbError::Pending(ranges))) => {
            let ranges = list(ranges.iter().map(|range| {
                let (file, start, length) =
                    (range.file.to_string_lossy(), range.start, range.length);
                format!(
                    r#"{{"file":{},"start":{start},"length":{length}}}"#,
                    Text(&file)
                )
            }));
            format!(r#"{{"pending":{ranges}}}"#)
        }
        Err(Failure::Database(failure)) => {
            let code = match failure {
                DbError::Missing { .. } => "missing",
                DbError::Corrupt { .. } => "corrupt",
                _ => "database",
            };
            error(code, failure.to_string())
        }
    }
}

/// The fields of a value.
fn value(value: Value) -> String {
    let dtw = value.dtw().map(|dtw| dtw.0.to_string());
    let dtw = dtw.unwrap_or_else(|| "null".to_string());
    format!(r#""wdl":"{}","dtw":{dtw}"#, value.wdl())
}

/// What was found of a line, for the side to move.
fn score(meaning: Meaning) -> String {
    match meaning {
        Meaning::Win(turns) => format!(r#"{{"win":{turns}}}"#),
        Meaning::Loss(turns) => format!(r#"{{"loss":{turns}}}"#),
        Meaning::KnownWin => r#"{"win":null}"#.to_string(),
        Meaning::KnownLoss => r#"{"loss":null}"#.to_string(),
        Meaning::Evaluation(centistones) => format!(r#"{{"centistones":{centistones}}}"#),
    }
}

#[wasm_bindgen]
impl Core {
    /// The databases that are part of the module, if it has any, under rules with this name.
    #[wasm_bindgen(constructor)]
    pub fn new(rules: &str) -> Result<Core, JsError> {
        let names = || Rules::NAMED.map(|(name, _)| name).join(", ");
        let rules = Rules::named(rules).ok_or_else(|| {
            JsError::new(&format!(
                "the rules are '{rules}', but must be one of {}",
                names()
            ))
        })?;
        let database = Database::embedded(rules).with_cache_bytes(CACHE_BYTES);
        Ok(Core {
            rules,
            database: Arc::new(database),
            files: HashMap::new(),
            search: Arc::new(Search::new(rules, HASH_BYTES, 1)),
        })
    }

    /// Adds a file of this size, of which nothing is here yet. Add all files before the first
    /// question.
    pub fn add_file(&mut self, name: &str, size: f64) {
        let pieces = Arc::new(Pieces::new(size as u64));
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

    /// Forgets bytes of the files, those used longest ago first, until each has at most this many.
    pub fn trim(&self, bytes: usize) {
        self.files.values().for_each(|pieces| pieces.trim(bytes));
    }

    /// The text of the start position.
    pub fn start(&self) -> String {
        Position::start(&self.rules).text(&self.rules)
    }

    /// The names of the pairs whose files can be used now.
    pub fn pairs(&self) -> String {
        let pairs = self.database.pairs();
        list(pairs.map(|file| format!(r#""{}""#, file.pair())))
    }

    /// A position's fields and its legal turns.
    pub fn position(&self, fen: &str) -> String {
        json_of(self.parse(fen).map(|position| {
            let turns = list(self.legal(&position).iter().map(|turn| format!(r#""{turn}""#)));
            format!(
                r#"{{{},"white":{},"black":{},"white_in_hand":{},"black_in_hand":{},"turns":{turns}}}"#,
                self.fields(&position),
                position.stones(Side::White).bits(),
                position.stones(Side::Black).bits(),
                position.in_hand(Side::White),
                position.in_hand(Side::Black),
            )
        }))
    }

    /// The text of the position after a legal turn.
    pub fn after(&self, fen: &str, turn: &str) -> String {
        json_of(self.parse(fen).and_then(|position| {
            let turn: Turn = turn.parse().map_err(wrong)?;
            if !self.legal(&position).contains(&turn) {
                let side = position.side_to_move();
                return Err(wrong(format!("{turn} is not a legal turn of {side} here")));
            }
            let after = position.after(turn).text(&self.rules);
            Ok(format!(r#"{{"position":"{after}"}}"#))
        }))
    }

    /// What a position is worth.
    pub fn probe(&self, fen: &str) -> String {
        json_of(self.parse(fen).and_then(|position| {
            let found = self.database.probe(&position)?;
            Ok(format!("{{{}}}", value(found)))
        }))
    }

    /// A position's value and its turns, best first, as `millbase --json probe` has them.
    pub fn answer(&self, fen: &str) -> String {
        json_of(self.parse(fen).and_then(|position| {
            let answer = self.database.answer(&position)?;
            let turns = list(answer.turns.iter().map(|ranked| {
                let (turn, after) = (ranked.turn, ranked.after.text(&self.rules));
                let value = value(ranked.value);
                format!(r#"{{"turn":"{turn}",{value},"position":"{after}"}}"#)
            }));
            Ok(format!(
                r#"{{"version":1,{},{},"source":"{}","turns":{turns}}}"#,
                self.fields(&position),
                value(answer.value),
                answer.source.name()
            ))
        }))
    }

    /// The game in which both sides always make their best turn.
    pub fn line(&self, fen: &str, limit: usize) -> String {
        json_of(self.parse(fen).and_then(|position| {
            let line = self.database.line(&position, limit)?;
            let turns = list(line.turns.iter().map(|ranked| {
                let (turn, after) = (ranked.turn, ranked.after.text(&self.rules));
                let value = value(ranked.value);
                format!(r#"{{"turn":"{turn}",{value},"position":"{after}"}}"#)
            }));
            let end = match line.end {
                LineEnd::Over => "over",
                LineEnd::Repetition { .. } => "repetition",
                LineEnd::Limit => "limit",
            };
            Ok(format!(r#"{{"turns":{turns},"end":"{end}"}}"#))
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
        };
        let done = self.database.probe_many(masks, Values { wdl, dtw }, 1);
        json_of(done.map(|()| "{}".to_string()).map_err(Failure::from))
    }

    /// A player's turn after these turns from a position: `level` 0 to 30, `seed` as for the program's
    /// players, limits in milliseconds, positions and turns, 0 for none.
    #[allow(clippy::too_many_arguments, reason = "JavaScript passes them by name")]
    pub fn choose(
        &self,
        fen: &str,
        turns: &str,
        level: u8,
        seed: u32,
        milliseconds: u32,
        nodes: f64,
        depth: u32,
    ) -> String {
        json_of(self.parse(fen).and_then(|position| {
            let mut game = Game::new(self.rules, position);
            for turn in turns.split_ascii_whitespace() {
                game.play(turn).map_err(wrong)?;
            }
            let player = Player {
                database: self.database.clone(),
                search: self.search.clone(),
                level: Level::new(level),
                seed: seed.into(),
                strategy: Strategy::default(),
            };
            if player.level == Level::PERFECT
                && let Err(failure @ DbError::Pending(_)) = player.known(game.position())
            {
                return Err(failure.into());
            }
            let limits = Limits {
                time: (milliseconds > 0).then(|| Duration::from_millis(milliseconds.into())),
                nodes: (nodes >= 1.0).then_some(nodes as u64),
                depth: (depth > 0).then_some(depth),
                ..Limits::default()
            };
            let choice = player.choose(&game, &limits, &AtomicBool::new(false), &mut |_| ());
            let Some(choice) = choice else {
                return Ok(r#"{"turn":null}"#.to_string());
            };
            let report = &choice.thought.report;
            let known = choice
                .thought
                .known
                .map(|known| format!("{{{}}}", value(known)));
            Ok(format!(
                r#"{{"turn":"{}","score":{},"known":{},"depth":{},"nodes":{},"line":{}}}"#,
                choice.turn,
                score(report.score.meaning()),
                known.as_deref().unwrap_or("null"),
                report.depth,
                report.nodes,
                list(report.line.iter().map(|turn| format!(r#""{turn}""#))),
            ))
        }))
    }
}

impl Core {
    fn parse(&self, fen: &str) -> Result<Position, Failure> {
        Position::parse(fen, &self.rules).map_err(wrong)
    }

    fn legal(&self, position: &Position) -> Vec<Turn> {
        match position.is_over(&self.rules) {
            true => Vec::new(),
            false => position.turns(&self.rules),
        }
    }

    /// The fields that say what a position is.
    fn fields(&self, position: &Position) -> String {
        format!(
            r#""position":"{}","side_to_move":"{}","phase":"{}""#,
            position.text(&self.rules),
            position.side_to_move(),
            position.phase(&self.rules).name()
        )
    }
}

/// The version of the package.
#[wasm_bindgen]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_string()
}
