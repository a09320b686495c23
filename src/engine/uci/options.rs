//! The options of the engine: one table lists the name, the field and the range of each.

use std::ops::RangeInclusive;

use super::command::CommandError;
use crate::engine::draws::DrawRule;
use crate::engine::game::shown;
use crate::engine::player::DrawnTurns;
use crate::rules::Rules;
use crate::search::Algorithm;

/// The settings of the options.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// The folder of the databases of all rules; empty for those that are part of the program.
    pub path: String,
    /// The rules of the game.
    rules: Rules,
    /// The rules that the engine was started with, if they have no name.
    own_rules: Option<Rules>,
    /// The size of the transposition table, in MiB.
    pub hash: u32,
    /// The number of search threads.
    pub threads: u32,
    /// The number of best lines to report.
    pub lines: u32,
    /// Whether to report the chances of win, draw and loss.
    pub shows_wdl: bool,
    /// The perspective of scores, as an index into [`VIEWS`].
    view: usize,
    /// The playing strength, 0 to 30; 30 is perfect.
    pub level: u32,
    /// The search algorithm, as an index into [`ALGORITHMS`].
    algorithm: usize,
    /// The choice among drawn turns, as an index into [`DrawnTurns::ALL`].
    drawn: usize,
    /// The seed of random choices; 0 for none.
    pub seed: u32,
    /// The rule for draws.
    pub draws: DrawRule,
}

/// The names of the algorithms, in the order of [`Settings::algorithm`].
const ALGORITHMS: &[&str] = &["alphabeta", "pvs", "mtdf"];

/// The perspectives of scores: the side to move, or White.
const VIEWS: &[&str] = &["mover", "white"];

/// The name of rules that have none.
const OWN_RULES: &str = "own";

impl Settings {
    /// The settings of an engine with databases in this folder and this number of threads.
    pub fn new(path: String, threads: u32) -> Settings {
        Settings {
            path,
            rules: Rules::STANDARD,
            own_rules: None,
            hash: 64,
            threads: threads.clamp(1, MOST_THREADS),
            lines: 1,
            shows_wdl: false,
            view: 0,
            level: 30,
            algorithm: 1,
            drawn: DrawnTurns::default() as usize,
            seed: 0,
            draws: DrawRule::USUAL,
        }
    }

    /// The same settings for an engine that begins with these rules.
    #[must_use]
    pub fn with_rules(self, rules: Rules) -> Settings {
        Settings {
            rules,
            own_rules: rules.name().is_none().then_some(rules),
            ..self
        }
    }

    /// The rules of the game.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// The rules that can be chosen, with their names.
    fn all_rules(&self) -> Vec<(&'static str, Rules)> {
        let own = self.own_rules.map(|rules| (OWN_RULES, rules));
        Rules::NAMED.into_iter().chain(own).collect()
    }

    /// The search algorithm.
    pub fn algorithm(&self) -> Algorithm {
        [Algorithm::AlphaBeta, Algorithm::Pvs, Algorithm::Mtdf][self.algorithm]
    }

    /// The choice among drawn turns.
    pub fn drawn(&self) -> DrawnTurns {
        DrawnTurns::ALL[self.drawn]
    }

    /// Whether scores are for White instead of the side to move.
    pub fn is_white_view(&self) -> bool {
        VIEWS[self.view] == "white"
    }

    /// Sets an option.
    ///
    /// # Errors
    ///
    /// A sentence about the name or the value; the settings then stay as they were.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), CommandError> {
        let found = OPTIONS
            .iter()
            .find(|option| option.name.eq_ignore_ascii_case(name));
        let Some(option) = found else {
            return Err(CommandError(format!(
                "there is no option '{}'; 'uci' lists them",
                shown(name)
            )));
        };
        let wrong = |form: &str| {
            let (name, value) = (option.name, shown(value));
            CommandError(format!("option {name} must be {form}, not '{value}'"))
        };
        let place_among = |names: &[&str]| {
            let place = names
                .iter()
                .position(|name| name.eq_ignore_ascii_case(value));
            place.ok_or_else(|| wrong(&format!("one of {}", names.join(", "))))
        };
        match &option.kind {
            Kind::Text(field) => {
                *field(self) = match value {
                    "<empty>" => String::new(),
                    _ => value.to_string(),
                };
            }
            Kind::Rules => {
                let (names, rules): (Vec<&str>, Vec<Rules>) = self.all_rules().into_iter().unzip();
                self.rules = rules[place_among(&names)?];
            }
            Kind::Spin(range, field) => match value.parse() {
                Ok(number) if range.contains(&number) => *field(self) = number,
                _ => {
                    let (least, most) = (range.start(), range.end());
                    return Err(wrong(&format!("a whole number from {least} to {most}")));
                }
            },
            Kind::Check(field) => match value {
                "true" => *field(self) = true,
                "false" => *field(self) = false,
                _ => return Err(wrong("true or false")),
            },
            Kind::Combo(names, field) => *field(self) = place_among(names)?,
        }
        Ok(())
    }

    /// The lines that list the options with their current values.
    pub fn lines(&self) -> Vec<String> {
        OPTIONS.iter().map(|option| option.line(self)).collect()
    }
}

/// The most search threads.
const MOST_THREADS: u32 = 1024;

struct UciOption {
    name: &'static str,
    kind: Kind,
}

/// The kind of an option, and the place of its value.
enum Kind {
    Text(fn(&mut Settings) -> &mut String),
    /// A combo of the sets of rules.
    Rules,
    Spin(RangeInclusive<u32>, fn(&mut Settings) -> &mut u32),
    Check(fn(&mut Settings) -> &mut bool),
    Combo(&'static [&'static str], fn(&mut Settings) -> &mut usize),
}

#[rustfmt::skip]
const OPTIONS: &[UciOption] = &[
    UciOption { name: "MillbasePath", kind: Kind::Text(|settings| &mut settings.path) },
    UciOption { name: "Rules", kind: Kind::Rules },
    UciOption { name: "Hash", kind: Kind::Spin(1..=65_536, |settings| &mut settings.hash) },
    UciOption { name: "Threads", kind: Kind::Spin(1..=MOST_THREADS, |settings| &mut settings.threads) },
    UciOption { name: "MultiPV", kind: Kind::Spin(1..=256, |settings| &mut settings.lines) },
    UciOption { name: "UCI_ShowWDL", kind: Kind::Check(|settings| &mut settings.shows_wdl) },
    UciOption { name: "ScoreView", kind: Kind::Combo(VIEWS, |settings| &mut settings.view) },
    UciOption { name: "SkillLevel", kind: Kind::Spin(0..=30, |settings| &mut settings.level) },
    UciOption { name: "Algorithm", kind: Kind::Combo(ALGORITHMS, |settings| &mut settings.algorithm) },
    UciOption { name: "DrawnTurns", kind: Kind::Combo(DrawnTurns::NAMES, |settings| &mut settings.drawn) },
    UciOption { name: "Seed", kind: Kind::Spin(0..=u32::MAX, |settings| &mut settings.seed) },
    UciOption { name: "Repetitions", kind: Kind::Spin(0..=100, |settings| &mut settings.draws.repetitions) },
    UciOption { name: "QuietTurns", kind: Kind::Spin(0..=10_000, |settings| &mut settings.draws.quiet_turns) },
];

impl UciOption {
    fn line(&self, settings: &Settings) -> String {
        let mut settings = settings.clone();
        let name = self.name;
        let kind = match &self.kind {
            Kind::Text(field) => match field(&mut settings).as_str() {
                "" => "string default <empty>".to_string(),
                text => format!("string default {text}"),
            },
            Kind::Rules => {
                let names: Vec<&str> = settings.all_rules().iter().map(|&(name, _)| name).collect();
                let value = settings.rules.name().unwrap_or(OWN_RULES);
                format!("combo default {value} var {}", names.join(" var "))
            }
            Kind::Spin(range, field) => {
                let (least, most) = (range.start(), range.end());
                let value = field(&mut settings);
                format!("spin default {value} min {least} max {most}")
            }
            Kind::Check(field) => format!("check default {}", field(&mut settings)),
            Kind::Combo(names, field) => {
                let names = *names;
                let value = names[*field(&mut settings)];
                format!("combo default {value} var {}", names.join(" var "))
            }
        };
        format!("option name {name} type {kind}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_can_be_set_to_what_it_says() {
        let settings = Settings::new("/a folder".to_string(), 3);
        for line in settings.lines() {
            let words: Vec<&str> = line.split(' ').collect();
            let ["option", "name", name, "type", kind, "default", ..] = words[..] else {
                panic!("{line}");
            };
            let default = match kind {
                "string" => "/a folder",
                _ => words[6],
            };
            let mut same = settings.clone();
            same.set(name, default).unwrap();
            assert_eq!(same, settings, "{line}");
            let values: Vec<&str> = match kind {
                "string" => vec!["", "/another"],
                "check" => vec!["true", "false"],
                "spin" => vec![words[8], words[10]],
                _ => words[8..].iter().step_by(2).copied().collect(),
            };
            for value in values {
                let mut other = settings.clone();
                other.set(&name.to_uppercase(), value).unwrap();
                let wrong = if kind == "string" { continue } else { "-1" };
                assert!(other.set(name, wrong).is_err(), "{line}");
            }
        }
    }

    #[test]
    fn empty_paths_have_a_word() {
        let mut settings = Settings::new("/a folder".to_string(), 1);
        settings.set("MillbasePath", "<empty>").unwrap();
        assert_eq!(settings.path, "");
        assert!(settings.lines()[0].ends_with("default <empty>"));
        assert!(settings.set("Rubbish", "1").is_err());
    }

    #[test]
    fn rules_have_their_names() {
        let mut settings = Settings::new(String::new(), 1);
        for (name, rules) in Rules::NAMED {
            settings.set("rules", name).unwrap();
            assert_eq!(*settings.rules(), rules);
        }
        assert!(settings.set("Rules", "own").is_err());
        let own = Rules {
            stones: 5,
            ..Rules::STANDARD
        };
        let mut settings = Settings::new(String::new(), 1).with_rules(own);
        assert!(settings.lines()[1].contains(" default own var standard "));
        settings.set("Rules", "twelve").unwrap();
        settings.set("Rules", "own").unwrap();
        assert_eq!(*settings.rules(), own);
    }

    #[test]
    fn algorithms_have_their_names() {
        let mut settings = Settings::new(String::new(), 1);
        for (name, algorithm) in [
            ("alphabeta", Algorithm::AlphaBeta),
            ("pvs", Algorithm::Pvs),
            ("mtdf", Algorithm::Mtdf),
        ] {
            settings.set("Algorithm", name).unwrap();
            assert_eq!(settings.algorithm(), algorithm);
        }
    }
}
