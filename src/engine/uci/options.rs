//! The options of the engine. One table gives the name of each, its kind and the field with its
//! value; setting an option and the list that `uci` prints follow from it.

use std::ops::RangeInclusive;

use crate::engine::ending::DrawRule;
use crate::engine::game::shown;
use crate::engine::player::{DrawnTurns, SkillLevel};
use crate::rules::Rules;
use crate::search::Algorithm;

/// The most search threads.
const MOST_THREADS: u32 = 1024;

/// The option's name for rules without a name.
const OWN_RULES: &str = "own";

const ALGORITHMS: [(&str, Algorithm); 4] = [
    ("alphabeta", Algorithm::AlphaBeta),
    ("pvs", Algorithm::Pvs),
    ("mtdf", Algorithm::Mtdf),
    ("selective", Algorithm::Selective),
];

/// The values of the options. A combo's field is the index of the chosen name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct EngineOptions {
    /// The folder of the databases of all rules; empty for the embedded ones.
    pub path: String,
    /// The rules that can be chosen: those with a name, and those that the engine was started with.
    all_rules: Vec<(&'static str, Rules)>,
    rules: usize,
    /// The size of the transposition table, in MiB.
    pub hash: u32,
    /// The number of search threads.
    pub threads: u32,
    /// The number of best variations to report.
    pub lines: u32,
    /// Whether to report the chances of win, draw and loss.
    pub shows_wdl: bool,
    /// 0 if scores are for the side to move, 1 if they are for White.
    pub view: usize,
    /// The playing strength, 0 to 30; 30 is perfect.
    pub level: u32,
    algorithm: usize,
    drawn: usize,
    /// The seed of random choices; 0 for none.
    pub seed: u32,
    pub draws: DrawRule,
}

enum OptionKind {
    Text(fn(&mut EngineOptions) -> &mut String),
    Spin(RangeInclusive<u32>, fn(&mut EngineOptions) -> &mut u32),
    Check(fn(&mut EngineOptions) -> &mut bool),
    Combo(
        fn(&EngineOptions) -> Vec<&'static str>,
        fn(&mut EngineOptions) -> &mut usize,
    ),
}

use OptionKind::{Check, Combo, Spin, Text};

#[rustfmt::skip]
const OPTIONS: [(&str, OptionKind); 13] = [
    ("MillbasePath", Text(|options| &mut options.path)),
    ("Rules", Combo(|options| names(&options.all_rules), |options| &mut options.rules)),
    ("Hash", Spin(1..=65_536, |options| &mut options.hash)),
    ("Threads", Spin(1..=MOST_THREADS, |options| &mut options.threads)),
    ("MultiPV", Spin(1..=256, |options| &mut options.lines)),
    ("UCI_ShowWDL", Check(|options| &mut options.shows_wdl)),
    ("ScoreView", Combo(|_| vec!["mover", "white"], |options| &mut options.view)),
    ("SkillLevel", Spin(0..=30, |options| &mut options.level)),
    ("Algorithm", Combo(|_| names(&ALGORITHMS), |options| &mut options.algorithm)),
    ("DrawnTurns", Combo(|_| DrawnTurns::ALL.map(DrawnTurns::name).to_vec(), |options| &mut options.drawn)),
    ("Seed", Spin(0..=u32::MAX, |options| &mut options.seed)),
    ("Repetitions", Spin(0..=100, |options| &mut options.draws.repetitions)),
    ("QuietTurns", Spin(0..=10_000, |options| &mut options.draws.quiet_turns)),
];

fn names<T>(choices: &[(&'static str, T)]) -> Vec<&'static str> {
    choices.iter().map(|(name, _)| *name).collect()
}

impl EngineOptions {
    /// The options of an engine with databases in this folder, this number of threads and these
    /// rules.
    pub fn new(path: String, threads: usize, rules: Rules) -> EngineOptions {
        let own = rules.name().is_none().then_some((OWN_RULES, rules));
        let all_rules: Vec<_> = Rules::NAMED.into_iter().chain(own).collect();
        let place = all_rules.iter().position(|named| named.1 == rules);
        EngineOptions {
            path,
            rules: place.unwrap_or(0),
            all_rules,
            hash: 64,
            threads: threads.clamp(1, MOST_THREADS as usize) as u32,
            lines: 1,
            shows_wdl: false,
            view: 0,
            level: 30,
            algorithm: ALGORITHMS.len() - 1,
            drawn: DrawnTurns::default() as usize,
            seed: 0,
            draws: DrawRule::USUAL,
        }
    }

    /// The rules of the game.
    pub fn rules(&self) -> Rules {
        self.all_rules[self.rules].1
    }

    /// The search algorithm.
    pub fn algorithm(&self) -> Algorithm {
        ALGORITHMS[self.algorithm].1
    }

    /// The choice among turns of the same value that do not win.
    pub fn drawn(&self) -> DrawnTurns {
        DrawnTurns::ALL[self.drawn]
    }

    /// The playing strength.
    pub fn skill(&self) -> SkillLevel {
        SkillLevel::new(self.level as u8)
    }

    /// Sets an option.
    ///
    /// # Errors
    ///
    /// A sentence about the name or the value; the options then stay as they were.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let mut all = OPTIONS.iter();
        let found = all.find(|(known, _)| known.eq_ignore_ascii_case(name));
        let Some((name, kind)) = found else {
            let name = shown(name);
            return Err(format!("there is no option '{name}'; 'uci' lists them"));
        };
        let refuse = |form: String| {
            let value = shown(value);
            Err(format!("option {name} must be {form}, not '{value}'"))
        };
        match kind {
            Text(field) => {
                let text = if value == "<empty>" { "" } else { value };
                *field(self) = text.to_owned();
            }
            Spin(range, field) => match value.parse() {
                Ok(number) if range.contains(&number) => *field(self) = number,
                _ => {
                    let (least, most) = (range.start(), range.end());
                    return refuse(format!("a whole number from {least} to {most}"));
                }
            },
            Check(field) => match value.to_ascii_lowercase().parse() {
                Ok(is_on) => *field(self) = is_on,
                Err(_) => return refuse("true or false".to_owned()),
            },
            Combo(names, field) => {
                let names = names(self);
                // A saved game states rules without a name by their settings.
                let is_own =
                    |(own, rules): &&(&str, Rules)| *own == OWN_RULES && rules.to_string() == value;
                let own = self.all_rules.iter().find(is_own);
                let value = own.map_or(value, |&(own, _)| own);
                let is_value = |name: &&str| name.eq_ignore_ascii_case(value);
                match names.iter().position(is_value) {
                    Some(place) => *field(self) = place,
                    None => return refuse(format!("one of {}", names.join(", "))),
                }
            }
        }
        Ok(())
    }

    /// The lines that list the options with their current values.
    pub fn list(mut self) -> Vec<String> {
        let line = |(name, kind): &(&str, OptionKind)| {
            let kind = match kind {
                Text(field) => match field(&mut self).as_str() {
                    "" => "string default <empty>".to_owned(),
                    text => format!("string default {text}"),
                },
                Spin(range, field) => {
                    let (least, most) = (range.start(), range.end());
                    format!("spin default {} min {least} max {most}", field(&mut self))
                }
                Check(field) => format!("check default {}", field(&mut self)),
                Combo(names, field) => {
                    let names = names(&self);
                    let value = names[*field(&mut self)];
                    format!("combo default {value} var {}", names.join(" var "))
                }
            };
            format!("option name {name} type {kind}")
        };
        OPTIONS.iter().map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_can_be_set_to_what_it_says() {
        let own = Rules {
            stones: 5,
            ..Rules::STANDARD
        };
        let options = EngineOptions::new("/a folder".to_owned(), 3, own);
        let mut by_settings = options.clone();
        by_settings.set("Rules", "lasker").unwrap();
        by_settings.set("Rules", &own.to_string()).unwrap();
        assert_eq!(by_settings, options);
        let mut accepted = 0;
        for line in options.clone().list() {
            let words: Vec<&str> = line.split(' ').collect();
            let ["option", "name", name, "type", kind, "default", default, ..] = words[..] else {
                panic!("{line}");
            };
            let (default, values) = match kind {
                "string" => ("/a folder", vec!["", "/another"]),
                "check" => (default, vec!["true", "false"]),
                "spin" => (default, vec![words[8], words[10]]),
                _ => (default, words[8..].iter().step_by(2).copied().collect()),
            };
            let mut same = options.clone();
            same.set(name, default).unwrap();
            assert_eq!(same, options, "{line}");
            for value in values {
                let mut other = options.clone();
                other.set(&name.to_uppercase(), value).unwrap();
                let wrong = other.set(name, "-1").is_err();
                assert_eq!(wrong, kind != "string", "{line}");
                accepted += 1;
            }
        }
        assert_eq!(accepted, 36);
        assert_eq!(options.rules(), own);
        let mut other = options.clone();
        other.set("Rules", "twelve").unwrap();
        assert_eq!(other.rules(), Rules::TWELVE);
        other.set("MillbasePath", "<empty>").unwrap();
        assert!(other.path.is_empty());
        assert!(other.clone().list()[0].ends_with("default <empty>"));
        assert!(other.set("Rubbish", "1").is_err());
    }
}
