//! The rules that `--rules` names: a named set, or a file with the user's own settings.

use std::fmt::Display;
use std::fs::File;
use std::io::Read;
use std::ops::Range;

use clap::Args;
use millbase::engine::DrawRule;
use millbase::internals::{FEWEST_STONES, MOST_QUIET_TURNS, MOST_STONES};
use millbase::{Blocked, FullBoard, Rules};
use serde::Deserialize;
use toml::Spanned;

use crate::input;

/// The largest file of settings, in bytes.
const LARGEST_FILE: u64 = 1 << 16;

/// The allowed values of `flying`, the number of stones with which a side may fly; 0 means never.
const FLYING: [i64; 3] = [0, 3, 4];

/// The settings of a file. Missing settings are those of the set that `base` names.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RulesFile {
    base: Option<Spanned<String>>,
    stones: Option<Spanned<i64>>,
    diagonals: Option<bool>,
    flying: Option<Spanned<i64>>,
    removal_from_mills: Option<bool>,
    removal_per_mill: Option<bool>,
    blocked: Option<Blocked>,
    full_board: Option<FullBoard>,
    quiet_turns: Option<Spanned<i64>>,
    quiet_turns_flying: Option<Spanned<i64>>,
}

/// The options of `play` and `serve` for the rules about draws.
#[derive(Args, Clone, Copy)]
pub struct DrawOptions {
    /// Number of times that a position must stand for a draw; 0 for no such draws
    #[arg(long, value_name = "N", default_value_t = DrawRule::USUAL.repetitions, value_parser = input::number::<u32>(0..=100))]
    repetitions: u32,

    /// Number of turns without a stone placed or removed after which the game is drawn; 0 for no
    /// such draws. Rules with a limit of their own keep it
    #[arg(long, value_name = "N", default_value_t = DrawRule::USUAL.quiet_turns, value_parser = input::number::<u32>(0..=10_000))]
    quiet_turns: u32,
}

impl From<DrawOptions> for DrawRule {
    fn from(draws: DrawOptions) -> DrawRule {
        DrawRule {
            repetitions: draws.repetitions,
            quiet_turns: draws.quiet_turns,
        }
    }
}

/// Parses an argument: a name, or the path of a file, which contains a dot or a slash.
pub fn parse(text: &str) -> Result<Rules, String> {
    if !text.contains(['.', '/', '\\']) {
        let others = " and files with a name like own.toml";
        return named(text, others);
    }
    let mut settings = String::new();
    let opened = File::open(text);
    let read = opened.and_then(|file| file.take(LARGEST_FILE + 1).read_to_string(&mut settings));
    read.map_err(|error| format!("cannot read the file: {}", input::reason(&error)))?;
    if settings.len() as u64 > LARGEST_FILE {
        return Err(format!(
            "the file is longer than {LARGEST_FILE} bytes, so it is not a file of settings"
        ));
    }
    of_settings(&settings)
}

/// The names of the sets.
pub fn names() -> String {
    Rules::NAMED.map(|(name, _)| name).join(", ")
}

/// The set of this name; the error says that there are only the sets and these others.
fn named(name: &str, others: &str) -> Result<Rules, String> {
    let unknown = || {
        let names = names();
        format!("there are no such rules, only {names}{others}")
    };
    Rules::named(name).ok_or_else(unknown)
}

/// Parses the text of a file; the error is a sentence that begins with the line of the mistake.
fn of_settings(text: &str) -> Result<Rules, String> {
    let wrong = |place: Option<Range<usize>>, what: &dyn Display| {
        let before = text.get(..place.map_or(0, |place| place.start));
        let line = before.unwrap_or(text).matches('\n').count() + 1;
        format!("line {line}: {what}")
    };
    let settings: RulesFile =
        toml::from_str(text).map_err(|error| wrong(error.span(), &error.message()))?;
    let mut rules = match &settings.base {
        None => Rules::STANDARD,
        Some(base) => {
            named(base.get_ref(), "").map_err(|sentence| wrong(Some(base.span()), &sentence))?
        }
    };
    if let Some(stones) = &settings.stones {
        let range = FEWEST_STONES..=MOST_STONES;
        let number = u8::try_from(*stones.get_ref()).ok();
        rules.stones = number
            .filter(|number| range.contains(number))
            .ok_or_else(|| {
                let what = format!("stones must be from {FEWEST_STONES} to {MOST_STONES}");
                wrong(Some(stones.span()), &what)
            })?;
    }
    if let Some(flying) = &settings.flying {
        if !FLYING.contains(flying.get_ref()) {
            let what = "flying must be 0 for never, 3 or 4";
            return Err(wrong(Some(flying.span()), &what));
        }
        rules.flying = *flying.get_ref() as u8;
    }
    let limit = |limit: &Spanned<i64>, most: u8, what: &str| {
        let number = u8::try_from(*limit.get_ref())
            .ok()
            .filter(|&number| number <= most);
        number.ok_or_else(|| {
            let sentence = format!("{what} must be from 1 to {most}, or 0 for no limit");
            wrong(Some(limit.span()), &sentence)
        })
    };
    if let Some(turns) = &settings.quiet_turns {
        rules.quiet_turns = limit(turns, MOST_QUIET_TURNS, "quiet_turns")?;
        rules.quiet_turns_flying = rules.quiet_turns_flying.min(rules.quiet_turns);
    }
    if let Some(turns) = &settings.quiet_turns_flying {
        let what = "quiet_turns_flying, which cannot exceed quiet_turns,";
        rules.quiet_turns_flying = limit(turns, rules.quiet_turns, what)?;
    }
    for (setting, wanted) in [
        (&mut rules.diagonals, settings.diagonals),
        (&mut rules.removal_from_mills, settings.removal_from_mills),
        (&mut rules.removal_per_mill, settings.removal_per_mill),
    ] {
        *setting = wanted.unwrap_or(*setting);
    }
    rules.blocked = settings.blocked.unwrap_or(rules.blocked);
    rules.full_board = settings.full_board.unwrap_or(rules.full_board);
    Ok(rules)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_sets() {
        for (name, rules) in Rules::NAMED {
            assert_eq!(parse(name), Ok(rules));
            assert_eq!(of_settings(&format!("base = '{name}'")), Ok(rules));
        }
        for wrong in ["", "Standard", "nine", "no flying"] {
            assert!(parse(wrong).unwrap_err().contains(&names()), "{wrong}");
        }
    }

    #[test]
    fn every_setting_of_a_file_is_read() {
        assert_eq!(of_settings(""), Ok(Rules::STANDARD));
        assert_eq!(of_settings("# nothing\n"), Ok(Rules::STANDARD));
        let all = "\
            base = 'twelve'\nstones = 11\ndiagonals = false\nflying = 4\nremoval_from_mills = true\n\
            removal_per_mill = true\nblocked = 'passes'\nfull_board = 'draws'\nquiet_turns = 100\n\
            quiet_turns_flying = 20\n";
        let expected = Rules {
            stones: 11,
            diagonals: false,
            flying: 4,
            removal_from_mills: true,
            removal_per_mill: true,
            blocked: Blocked::Passes,
            full_board: FullBoard::Draws,
            quiet_turns: 100,
            quiet_turns_flying: 20,
        };
        assert_eq!(of_settings(all), Ok(expected));
        let one = of_settings("base = 'morabaraba'\nfull_board = 'loses'\nblocked = 'loses'");
        assert_eq!(one, Ok(Rules::TWELVE));
    }

    #[test]
    fn wrong_settings_are_refused_with_their_line() {
        for (text, line, words) in [
            ("stones = 2", 1, "from 3 to 12"),
            ("\nstones = 13", 2, "from 3 to 12"),
            ("stones = -1", 1, "from 3 to 12"),
            ("stones = 'nine'", 1, "string"),
            ("flying = 3\nflying = 4", 2, "duplicate"),
            ("# own\n\nflying = 5", 3, "0 for never, 3 or 4"),
            ("quiet_turns = 126", 1, "from 1 to 125"),
            ("quiet_turns_flying = 10", 1, "cannot exceed quiet_turns"),
            ("quiet_turns = 9\nquiet_turns_flying = 10", 2, "from 1 to 9"),
            ("stones = 9\nflyin = 3", 2, "flyin"),
            ("base = 'twelf'", 1, "there are no such rules"),
            ("diagonals = true\nblocked = 'wins'", 2, "wins"),
            ("diagonals = true\ndiagonals", 2, ""),
            ("stones = 9\n[more]\nx = 1", 2, "more"),
        ] {
            let sentence = of_settings(text).unwrap_err();
            assert!(
                sentence.starts_with(&format!("line {line}: ")),
                "{text}: {sentence}"
            );
            assert!(sentence.contains(words), "{text}: {sentence}");
        }
        // A file cannot be based on another one.
        let sentence = of_settings("base = 'other.toml'").unwrap_err();
        assert!(sentence.ends_with(&names()), "{sentence}");
    }
}
