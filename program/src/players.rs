//! The players of `match` and `judge`: read from a line of settings, which `millbase match --help` describes, then made
//! for each thread.

use std::fmt::{self, Display};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use millbase::Database;
use millbase::engine::{DrawnTurns, Player, SkillLevel};
use millbase::internals::coach::contestant::{Contestant, OwnPlayer};
use millbase::internals::shown;
use millbase::search::{Limits, Search};

use crate::external_engine::ExternalEngine;

/// A player as the user describes it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct PlayerSettings {
    pub name: Option<String>,
    pub level: Option<u8>,
    pub databases: Option<bool>,
    pub errs: Option<u8>,
    pub drawn: Option<DrawnTurns>,
    /// The program of another engine and its arguments; empty for Millbase's player.
    pub command: Vec<String>,
    /// The options of the other engine.
    pub options: Vec<(String, String)>,
    /// The limits of a turn.
    pub limits: Limits,
}

/// The default limit of a perfect player's search for a turn, in positions.
const DEFAULT_NODES: u64 = 20_000;

/// The default time of another engine's turn.
const DEFAULT_TIME: Duration = Duration::from_millis(100);

/// The transposition table of a player that has not begun a game, in bytes.
const LEAST_SEARCH_BYTES: usize = 1 << 10;

impl FromStr for PlayerSettings {
    type Err = String;

    fn from_str(text: &str) -> Result<PlayerSettings, String> {
        let mut settings = PlayerSettings::default();
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
                let rest = rest.filter(|word| !word.is_empty());
                settings.command = rest.map(str::to_owned).collect();
                if settings.command.is_empty() {
                    return Err("command= needs a program, as in command=millbase uci".to_owned());
                }
            } else {
                settings.set(name, value)?;
            }
        }
        settings.check()?;
        Ok(settings)
    }
}

impl PlayerSettings {
    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let wrong = |expected: &dyn Display| {
            let value = shown(value);
            format!("{name} must be {expected}, not '{value}'")
        };
        let number = |least: u64, most: u64| match value.parse() {
            Ok(number) if (least..=most).contains(&number) => Ok(number),
            _ => Err(wrong(&format_args!(
                "a whole number from {least} to {most}"
            ))),
        };
        match name {
            "level" => self.level = Some(number(0, 30)? as u8),
            "errs" => self.errs = Some(number(0, 100)? as u8),
            "drawn" => self.drawn = Some(value.parse()?),
            "depth" => self.limits.depth = Some(number(1, Limits::MOST_DEPTH.into())? as u32),
            "nodes" => self.limits.nodes = Some(number(1, u64::MAX)?),
            "time" => self.limits.time = Some(Duration::from_millis(number(0, 3_600_000)?)),
            "name" => self.name = Some(value.to_owned()),
            "databases" => match value {
                "yes" => self.databases = Some(true),
                "no" => self.databases = Some(false),
                _ => return Err(wrong(&"yes or no")),
            },
            _ => match name.strip_prefix("option.") {
                Some(option) => self.options.push((option.to_owned(), value.to_owned())),
                None => {
                    return Err(format!(
                        "'{}' is not a setting of a player; there are level, databases, errs, drawn, \
                         depth, nodes, time, name, option.NAME and command",
                        shown(name)
                    ));
                }
            },
        }
        Ok(())
    }

    /// Refuses settings that exclude each other.
    fn check(&self) -> Result<(), String> {
        let is_own = self.level.is_some()
            || self.databases.is_some()
            || self.errs.is_some()
            || self.drawn.is_some();
        let is_weaker = self.level.is_some_and(|level| (21..30).contains(&level));
        let sentence = if !self.command.is_empty() && is_own {
            "level, databases, errs and drawn are settings of Millbase's player; an engine with \
             command= takes option.NAME=VALUE"
        } else if self.command.is_empty() && !self.options.is_empty() {
            "option.NAME=VALUE needs command= with the engine that has the option"
        } else if self.databases == Some(false) && is_weaker {
            "databases=no needs level=30; levels 21 to 29 always use the databases, lower levels never"
        } else {
            return Ok(());
        };
        Err(sentence.to_owned())
    }

    /// The player's title in reports: its name, or its settings.
    pub fn title(&self) -> String {
        self.name.clone().unwrap_or_else(|| self.to_string())
    }

    /// Checks that the other engine starts, speaks the protocol and has the options; Millbase's own
    /// player needs no check.
    pub fn try_out(&self, database: &Arc<Database>, patience: Duration) -> Result<(), String> {
        match self.command.is_empty() {
            true => Ok(()),
            false => self.player(database, patience).new_game(1),
        }
    }

    /// The player itself. Another engine may answer `patience` after its time limit.
    pub fn player(&self, database: &Arc<Database>, patience: Duration) -> Box<dyn Contestant> {
        let mut limits = self.limits;
        let is_unlimited = (limits.depth, limits.nodes, limits.time) == (None, None, None);
        if !self.command.is_empty() {
            if is_unlimited {
                limits.time = Some(DEFAULT_TIME);
            }
            return Box::new(ExternalEngine {
                command: self.command.clone(),
                options: self.options.clone(),
                limits,
                patience,
                process: None,
            });
        }
        let level = SkillLevel::new(self.level.unwrap_or(30));
        if is_unlimited && level == SkillLevel::PERFECT {
            limits.nodes = Some(DEFAULT_NODES);
        }
        Box::new(OwnPlayer {
            player: Player {
                database: Arc::clone(database),
                search: Arc::new(Search::new(*database.rules(), LEAST_SEARCH_BYTES, 1)),
                level,
                seed: 0,
                drawn: self.drawn.unwrap_or_default(),
            },
            knows_databases: self.databases.unwrap_or(true),
            errs: self.errs.unwrap_or(0),
            limits,
        })
    }
}

/// The settings in a fixed order, in the form that can be parsed again; without those that have
/// their default, except the level.
impl Display for PlayerSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_own = self.command.is_empty();
        let level = is_own.then(|| self.level.unwrap_or(30));
        let databases = self.databases.filter(|&databases| is_own && !databases);
        let errs = self.errs.filter(|&errs| is_own && errs > 0);
        let drawn = self
            .drawn
            .filter(|&drawn| is_own && drawn != DrawnTurns::default());
        let limits = &self.limits;
        let words = [
            self.name.as_ref().map(|name| format!("name={name}")),
            level.map(|level| format!("level={level}")),
            databases.map(|_| "databases=no".to_owned()),
            errs.map(|errs| format!("errs={errs}")),
            drawn.map(|drawn| format!("drawn={drawn}")),
            limits.depth.map(|depth| format!("depth={depth}")),
            limits.nodes.map(|nodes| format!("nodes={nodes}")),
            limits.time.map(|time| format!("time={}", time.as_millis())),
        ];
        let options = self.options.iter();
        let options = options.map(|(name, value)| format!("option.{name}={value}"));
        let command = (!is_own).then(|| format!("command={}", self.command.join(" ")));
        let words = words.into_iter().flatten().chain(options).chain(command);
        let words: Vec<String> = words.collect();
        f.write_str(&words.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_written_as_they_are_read() {
        for text in [
            "level=10 depth=3",
            "name=a level=30 drawn=random nodes=5",
            "level=30 errs=5 drawn=pressure",
            "level=30 databases=no time=7",
            "time=50 option.Hash=16 command=other-engine --quiet",
        ] {
            let settings: PlayerSettings = text.parse().unwrap();
            assert_eq!(settings.to_string(), text);
        }
    }

    #[test]
    fn wrong_settings_are_a_sentence() {
        for (text, words) in [
            ("level", "write settings like"),
            ("level=31", "from 0 to 30"),
            ("speed=3", "is not a setting of a player"),
            ("databases=maybe", "yes or no"),
            ("command=", "needs a program"),
            ("level=3 command=x", "of Millbase's player"),
            ("option.Hash=1", "needs command="),
            ("level=25 databases=no", "needs level=30"),
            ("drawn=best", "must be one of random, losing-replies"),
            ("drawn=random command=x", "of Millbase's player"),
        ] {
            let error = text.parse::<PlayerSettings>().unwrap_err();
            assert!(error.contains(words), "{text}: {error}");
        }
    }
}
