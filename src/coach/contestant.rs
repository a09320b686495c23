//! The players of matches: parsed from a line of settings, then started.
//!
//! | setting | meaning |
//! |---|---|
//! | `level=N` | Millbase's player, 0 to 30; 30 is perfect and the default |
//! | `databases=no` | Millbase's search without databases |
//! | `errs=P` | Millbase's player makes a random legal turn in `P` % of its turns |
//! | `drawn=CHOICE` | how Millbase's player chooses among drawn turns: [`DrawnTurns::NAMES`] |
//! | `playouts=N` | a plain Monte Carlo tree search with `N` playouts a turn, without databases |
//! | `command=PROGRAM ARGS` | an engine process; must be last, because it takes the rest of the line |
//! | `option.NAME=VALUE` | an option of the engine |
//! | `depth=N`, `nodes=N`, `time=MS` | limits of a turn |
//! | `name=TEXT` | the player's name in reports |

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::coach::monte_carlo;
use crate::coach::process::{Engine, EngineError, check_program};
use crate::engine::game::{Game, shown};
use crate::engine::player::{DrawnTurns, Player, SkillLevel};
use crate::probe::Database;
use crate::rules::Rules;
use crate::rules::turns::Turn;
use crate::search::{Limits, NoProber, Search};

/// The settings of a player.
#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
    /// The player's name in reports.
    pub name: Option<String>,
    /// The kind of player.
    pub kind: Kind,
    /// The limits of a turn.
    pub limits: Limits,
}

/// The kinds of players.
#[derive(Clone, PartialEq, Debug)]
pub enum Kind {
    /// Millbase's player.
    Own {
        /// The level, 0 to 30.
        level: u8,
        /// Whether it uses the databases.
        knows_databases: bool,
        /// The percentage of its turns that are random.
        errs: u8,
        /// The choice among turns of the same value.
        drawn: DrawnTurns,
    },
    /// A Monte Carlo tree search without databases.
    MonteCarlo {
        /// The playouts of a turn.
        playouts: u32,
    },
    /// An engine process.
    Engine {
        /// The program and its arguments.
        command: Vec<String>,
        /// The options to set.
        options: Vec<(String, String)>,
    },
}

/// The default limit of positions for a turn's search of Millbase's player.
const DEFAULT_NODES: u64 = 20_000;

/// The default time of an engine's turn.
const DEFAULT_TIME: Duration = Duration::from_millis(100);

/// The transposition table of Millbase's player, in bytes.
const SEARCH_BYTES: usize = 4 << 20;

impl FromStr for Settings {
    type Err = String;

    /// Parses settings with spaces between them.
    ///
    /// ```
    /// use millbase::coach::contestant::Settings;
    /// let weak: Settings = "level=10 depth=3".parse()?;
    /// assert_eq!(weak.to_string(), "level=10 depth=3");
    /// let engine: Settings = "time=50 option.Hash=16 command=other-engine --quiet".parse()?;
    /// assert_eq!(engine.to_string(), "time=50 option.Hash=16 command=other-engine --quiet");
    /// assert!("level=99".parse::<Settings>().is_err());
    /// # Ok::<(), String>(())
    /// ```
    fn from_str(text: &str) -> Result<Settings, String> {
        let mut settings = Draft::default();
        let mut words = text.split_whitespace();
        while let Some(word) = words.next() {
            let Some((name, value)) = word.split_once('=') else {
                return Err(format!(
                    "'{}' is not a setting of a player; write settings like level=10",
                    shown(word)
                ));
            };
            if name == "command" {
                let rest = [value].into_iter().chain(words.by_ref());
                settings.command = rest
                    .filter(|word| !word.is_empty())
                    .map(str::to_owned)
                    .collect();
                if settings.command.is_empty() {
                    return Err("command= needs a program, as in command=millbase uci".to_owned());
                }
            } else {
                settings.set(name, value)?;
            }
        }
        settings.finish()
    }
}

/// Settings while they are parsed.
#[derive(Default)]
struct Draft {
    name: Option<String>,
    level: Option<u8>,
    databases: Option<bool>,
    errs: Option<u8>,
    drawn: Option<DrawnTurns>,
    playouts: Option<u32>,
    command: Vec<String>,
    options: Vec<(String, String)>,
    limits: Limits,
}

impl Draft {
    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let number = |least: u64, most: u64| {
            let number = value
                .parse()
                .ok()
                .filter(|number| (least..=most).contains(number));
            number.ok_or_else(|| {
                let value = shown(value);
                format!("{name} must be a whole number from {least} to {most}, not '{value}'")
            })
        };
        match name {
            "level" => self.level = Some(number(0, 30)? as u8),
            "errs" => self.errs = Some(number(0, 100)? as u8),
            "drawn" => self.drawn = Some(value.parse()?),
            "playouts" => self.playouts = Some(number(1, 1_000_000)? as u32),
            "depth" => self.limits.depth = Some(number(1, Limits::MOST_DEPTH.into())? as u32),
            "nodes" => self.limits.nodes = Some(number(1, u64::MAX)?),
            "time" => self.limits.time = Some(Duration::from_millis(number(0, 3_600_000)?)),
            "name" => self.name = Some(value.to_owned()),
            "databases" => {
                self.databases = Some(match value {
                    "yes" => true,
                    "no" => false,
                    _ => {
                        let value = shown(value);
                        return Err(format!("databases must be yes or no, not '{value}'"));
                    }
                });
            }
            _ => match name.strip_prefix("option.") {
                Some(option) => self.options.push((option.to_owned(), value.to_owned())),
                None => {
                    return Err(format!(
                        "'{}' is not a setting of a player; there are level, databases, errs, drawn, \
                         playouts, depth, nodes, time, name, option.NAME and command",
                        shown(name)
                    ));
                }
            },
        }
        Ok(())
    }

    fn finish(self) -> Result<Settings, String> {
        let is_own = self.level.is_some()
            || self.databases.is_some()
            || self.errs.is_some()
            || self.drawn.is_some();
        if !self.command.is_empty() && is_own {
            let sentence = "level, databases, errs and drawn are settings of Millbase's player; an \
                engine with command= takes option.NAME=VALUE";
            return Err(sentence.to_owned());
        }
        if self.command.is_empty() && !self.options.is_empty() {
            let sentence = "option.NAME=VALUE needs command= with the engine that has the option";
            return Err(sentence.to_owned());
        }
        if self.databases == Some(false)
            && self.level.is_some_and(|level| (23..30).contains(&level))
        {
            let sentence = "databases=no needs level=30; levels 23 to 29 always use the \
                databases, lower levels never";
            return Err(sentence.to_owned());
        }
        if self.playouts.is_some() && (is_own || !self.command.is_empty()) {
            let sentence =
                "playouts= is the only setting of a Monte Carlo tree search, besides name=";
            return Err(sentence.to_owned());
        }
        let kind = match (self.playouts, self.command.is_empty()) {
            (Some(playouts), _) => Kind::MonteCarlo { playouts },
            (None, true) => Kind::Own {
                level: self.level.unwrap_or(30),
                knows_databases: self.databases.unwrap_or(true),
                errs: self.errs.unwrap_or(0),
                drawn: self.drawn.unwrap_or_default(),
            },
            (None, false) => Kind::Engine {
                command: self.command,
                options: self.options,
            },
        };
        Ok(Settings {
            name: self.name,
            kind,
            limits: self.limits,
        })
    }
}

/// The settings in a fixed order, in the form that can be parsed again.
impl fmt::Display for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut words = Vec::new();
        let mut word = |name: &str, value: &dyn fmt::Display| words.push(format!("{name}={value}"));
        if let Some(name) = &self.name {
            word("name", name);
        }
        if let Kind::Own {
            level,
            knows_databases,
            errs,
            drawn,
        } = &self.kind
        {
            word("level", level);
            if !knows_databases {
                word("databases", &"no");
            }
            if *errs > 0 {
                word("errs", errs);
            }
            if *drawn != DrawnTurns::default() {
                word("drawn", drawn);
            }
        }
        if let Kind::MonteCarlo { playouts } = &self.kind {
            word("playouts", playouts);
        }
        if let Some(depth) = self.limits.depth {
            word("depth", &depth);
        }
        if let Some(nodes) = self.limits.nodes {
            word("nodes", &nodes);
        }
        if let Some(time) = self.limits.time {
            word("time", &time.as_millis());
        }
        if let Kind::Engine { command, options } = &self.kind {
            for (name, value) in options {
                word(&format!("option.{name}"), value);
            }
            word("command", &command.join(" "));
        }
        f.write_str(&words.join(" "))
    }
}

impl Settings {
    /// The player's title in reports: its name, or its settings.
    pub fn title(&self) -> String {
        self.name.clone().unwrap_or_else(|| self.to_string())
    }

    /// Checks that an engine's program can be started; other players need none.
    ///
    /// # Errors
    ///
    /// If the system cannot start it.
    pub fn check(&self) -> Result<(), EngineError> {
        match &self.kind {
            Kind::Engine { command, .. } => check_program(command),
            _ => Ok(()),
        }
    }

    /// The limits of a turn, or the default if none is set. A level below the highest has limits of
    /// its own.
    pub fn limits(&self) -> Limits {
        let limits = self.limits;
        match (&self.kind, limits.depth, limits.nodes, limits.time) {
            (&Kind::Own { level, .. }, None, None, None)
                if SkillLevel::new(level) == SkillLevel::PERFECT =>
            {
                Limits {
                    nodes: Some(DEFAULT_NODES),
                    ..limits
                }
            }
            (Kind::Engine { .. }, None, None, None) => Limits {
                time: Some(DEFAULT_TIME),
                ..limits
            },
            _ => limits,
        }
    }
}

/// A running player.
#[derive(Debug)]
pub struct Contestant {
    settings: Settings,
    limits: Limits,
    database: Arc<Database>,
    patience: Duration,
    seed: u64,
    /// Millbase's player for this game, or the process.
    at_work: AtWork,
}

#[derive(Debug)]
enum AtWork {
    /// Not running: the player starts with the next game.
    Nobody,
    Player(Player),
    MonteCarlo {
        playouts: u32,
    },
    Engine(Engine),
}

impl Contestant {
    /// A player that starts with its first game.
    pub fn new(settings: &Settings, database: &Arc<Database>, patience: Duration) -> Contestant {
        Contestant {
            settings: settings.clone(),
            limits: settings.limits(),
            database: Arc::clone(database),
            patience,
            seed: 0,
            at_work: AtWork::Nobody,
        }
    }

    /// Begins a new game with this seed.
    ///
    /// # Errors
    ///
    /// If an engine does not start or answer.
    pub fn new_game(&mut self, seed: u64) -> Result<(), EngineError> {
        let rules: Rules = *self.database.rules();
        // With the seed 0 the perfect player would always choose the same turns.
        self.seed = seed.max(1);
        match &self.settings.kind {
            Kind::Own { level, drawn, .. } => {
                self.at_work = AtWork::Player(Player {
                    database: Arc::clone(&self.database),
                    search: Arc::new(Search::new(rules, SEARCH_BYTES, 1)),
                    level: SkillLevel::new(*level),
                    seed: self.seed,
                    drawn: *drawn,
                });
            }
            &Kind::MonteCarlo { playouts } => self.at_work = AtWork::MonteCarlo { playouts },
            Kind::Engine { command, options } => {
                if !matches!(self.at_work, AtWork::Engine(_)) {
                    let engine = Engine::start(command, options, self.patience)?;
                    self.at_work = AtWork::Engine(engine);
                }
                if let AtWork::Engine(engine) = &mut self.at_work {
                    engine.new_game(seed)?;
                }
            }
        }
        Ok(())
    }

    /// The player's turn in a game that is not over.
    ///
    /// # Errors
    ///
    /// If an engine does not answer with a legal turn; it is then restarted for the next game.
    pub fn turn(&mut self, game: &Game) -> Result<Turn, EngineError> {
        let chosen = match &mut self.at_work {
            AtWork::Nobody => Err(EngineError(
                "the player was asked for a turn before the game began".to_owned(),
            )),
            AtWork::Engine(engine) => engine.turn(game, &self.limits),
            &mut AtWork::MonteCarlo { playouts } => {
                let seed = game.random(self.seed).word();
                let turn = monte_carlo::choose(game.position(), game.rules(), playouts, seed);
                turn.ok_or_else(no_turn)
            }
            AtWork::Player(player) => {
                let limits = &self.limits;
                let chosen = by_chance(&self.settings.kind, game, self.seed)
                    .or_else(|| own_turn(player, &self.settings.kind, game, limits));
                chosen.ok_or_else(no_turn)
            }
        };
        if chosen.is_err() {
            self.at_work = AtWork::Nobody;
        }
        chosen
    }
}

fn no_turn() -> EngineError {
    EngineError("the player has no turn".to_owned())
}

/// A random turn with the probability of `errs`.
fn by_chance(kind: &Kind, game: &Game, seed: u64) -> Option<Turn> {
    let errs = match kind {
        Kind::Own { errs, .. } if *errs > 0 => f64::from(*errs) / 100.0,
        _ => return None,
    };
    let mut random = game.random(!seed);
    let turns = game.position().turns(game.rules());
    let is_wanted = random.unit() < errs && !turns.is_empty();
    is_wanted.then(|| turns[random.below(turns.len())])
}

fn own_turn(player: &Player, kind: &Kind, game: &Game, limits: &Limits) -> Option<Turn> {
    let stop = AtomicBool::new(false);
    match kind {
        Kind::Own {
            knows_databases: false,
            level,
            ..
        } if SkillLevel::new(*level) == SkillLevel::PERFECT => {
            let (position, earlier) = (game.position(), game.earlier());
            let search = &player.search;
            let found = search.run(position, earlier, &NoProber, limits, &stop, &mut |_| ());
            Some(found.first()?.turns[0])
        }
        _ => Some(player.choose(game, limits, &stop, &mut |_| ())?.turn),
    }
}
