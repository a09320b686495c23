//! Rules as people give them: the name of a set, a file with settings, or a mapping with the same keys.
//! Errors are sentences for the user.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value};
use toml::de::{DeTable, DeValue};

use crate::rules::position::Side;
use crate::rules::{
    Blocked, FEWEST_STONES, FullBoard, MOST_QUIET_TURNS, MOST_STONES, RemovalWhilePlacing, Rules,
};

/// The largest file of settings, in bytes.
const LARGEST_FILE: u64 = 1 << 16;

/// The allowed values of `flying`, the number of stones with which a side may fly; 0 means never.
const FLYING: [u8; 3] = [0, 3, 4];

/// Settings as they are written. Missing settings are those of the set that `base` names.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    base: Option<String>,
    stones: Option<i64>,
    diagonals: Option<bool>,
    flying: Option<i64>,
    removal_from_mills: Option<bool>,
    removal_per_mill: Option<bool>,
    removal_while_placing: Option<RemovalWhilePlacing>,
    blocked: Option<Blocked>,
    full_board: Option<FullBoard>,
    moves_while_placing: Option<bool>,
    first_to_move: Option<Side>,
    quiet_turns: Option<i64>,
    quiet_turns_flying: Option<i64>,
}

/// A wrong setting, with the sentence about it.
struct Mistake {
    key: String,
    sentence: String,
}

impl Settings {
    /// The rules with these settings.
    fn rules(&self) -> Result<Rules, Mistake> {
        let mut rules = match &self.base {
            None => Rules::STANDARD,
            Some(base) => named(base, "").map_err(|sentence| Mistake {
                key: "base".to_owned(),
                sentence,
            })?,
        };
        if let Some(stones) = self.stones {
            let sentence = format!("stones must be from {FEWEST_STONES} to {MOST_STONES}");
            rules.stones = number("stones", stones, FEWEST_STONES..=MOST_STONES, sentence)?;
        }
        if let Some(flying) = self.flying {
            let sentence = "flying must be 0 for never, 3 or 4".to_owned();
            rules.flying = number("flying", flying, FLYING.into_iter(), sentence)?;
        }
        if let Some(turns) = self.quiet_turns {
            let most = MOST_QUIET_TURNS;
            let sentence = format!("quiet_turns must be from 1 to {most}, or 0 for no limit");
            rules.quiet_turns = number("quiet_turns", turns, 0..=most, sentence)?;
            rules.quiet_turns_flying = rules.quiet_turns_flying.min(rules.quiet_turns);
        }
        if let Some(turns) = self.quiet_turns_flying {
            let most = rules.quiet_turns;
            let must = match most {
                0 => format!("must be 0 while quiet_turns is 0, not {turns}; set quiet_turns, too"),
                _ => format!("must be from 1 to {most}, or 0 for the same limit, not {turns}"),
            };
            let sentence = format!("quiet_turns_flying, which cannot exceed quiet_turns, {must}");
            rules.quiet_turns_flying = number("quiet_turns_flying", turns, 0..=most, sentence)?;
        }
        for (setting, wanted) in [
            (&mut rules.diagonals, self.diagonals),
            (&mut rules.removal_from_mills, self.removal_from_mills),
            (&mut rules.removal_per_mill, self.removal_per_mill),
            (&mut rules.moves_while_placing, self.moves_while_placing),
        ] {
            *setting = wanted.unwrap_or(*setting);
        }
        rules.removal_while_placing =
            (self.removal_while_placing).unwrap_or(rules.removal_while_placing);
        rules.blocked = self.blocked.unwrap_or(rules.blocked);
        rules.full_board = self.full_board.unwrap_or(rules.full_board);
        rules.first_to_move = self.first_to_move.unwrap_or(rules.first_to_move);
        let takes_from_hand = rules.removal_while_placing == RemovalWhilePlacing::Hand;
        let black_begins = rules.first_to_move == Side::Black;
        for (is_wrong, given, key, sentence) in [
            (
                rules.moves_while_placing && black_begins,
                self.first_to_move.is_some(),
                ["first_to_move", "moves_while_placing"],
                "first_to_move must be white where sides move while placing",
            ),
            (
                takes_from_hand && black_begins,
                self.first_to_move.is_some(),
                ["first_to_move", "removal_while_placing"],
                "first_to_move must be white where mills take stones from the hand",
            ),
            (
                takes_from_hand && rules.removal_per_mill,
                self.removal_per_mill.is_some(),
                ["removal_per_mill", "removal_while_placing"],
                "removal_per_mill must be false where mills take stones from the hand",
            ),
        ] {
            if is_wrong {
                return Err(Mistake {
                    key: key[usize::from(!given)].to_owned(),
                    sentence: sentence.to_owned(),
                });
            }
        }
        Ok(rules)
    }
}

/// The number if it is allowed, otherwise a mistake with this sentence.
fn number(
    key: &str,
    number: i64,
    mut allowed: impl Iterator<Item = u8>,
    sentence: String,
) -> Result<u8, Mistake> {
    let found = allowed.find(|&allowed| i64::from(allowed) == number);
    found.ok_or(Mistake {
        key: key.to_owned(),
        sentence,
    })
}

/// The names of the sets, with commas between them.
pub fn names() -> String {
    Rules::NAMED.map(|(name, _)| name).join(", ")
}

/// The set of this name, in letters of either case.
///
/// # Errors
///
/// A sentence that lists the sets and `others`.
pub fn named(name: &str, others: &str) -> Result<Rules, String> {
    let unknown = || format!("there are no such rules, only {}{others}", names());
    Rules::named(name).ok_or_else(unknown)
}

/// The rules of a name, or of the file at a path, which contains a dot or a slash.
///
/// # Errors
///
/// A sentence if there is no such set, or as for [`of_file`].
pub fn of_name_or_file(text: &str) -> Result<Rules, String> {
    match text.contains(['.', '/', '\\']) {
        true => of_file(Path::new(text)),
        false => named(text, " and files with a name like own.toml"),
    }
}

/// The rules of a file with settings.
///
/// # Errors
///
/// A sentence if the file cannot be read or is too long, or as for [`of_toml`].
pub fn of_file(path: &Path) -> Result<Rules, String> {
    let mut settings = String::new();
    let opened = File::open(path);
    let read = opened.and_then(|file| file.take(LARGEST_FILE + 1).read_to_string(&mut settings));
    read.map_err(|error| match error.kind() {
        ErrorKind::InvalidData => "cannot read the file: it is not a text in UTF-8".to_owned(),
        _ => format!("cannot read the file: {error}"),
    })?;
    of_toml(&settings)
}

/// The rules of the text of a file with settings, in TOML.
///
/// # Errors
///
/// A sentence that begins with the line of the mistake, as `line 2: stones must be from 3 to 12`.
pub fn of_toml(text: &str) -> Result<Rules, String> {
    if text.len() as u64 > LARGEST_FILE {
        return Err(format!(
            "the file is longer than {LARGEST_FILE} bytes, so it is not a file of settings"
        ));
    }
    let wrong = |place: usize, what: &str| {
        let before = text.get(..place).unwrap_or(text);
        format!("line {}: {what}", before.matches('\n').count() + 1)
    };
    let table = DeTable::parse(text).map_err(|error| {
        let place = error.span().map_or(0, |place| place.start);
        wrong(place, error.message())
    })?;
    let entries = table.get_ref().iter();
    let mapping = entries.map(|(key, value)| (key.get_ref().to_string(), json(value.get_ref())));
    rules(&mapping.collect()).map_err(|Mistake { key, sentence }| {
        let value = table.get_ref().get(key.as_str());
        wrong(value.map_or(0, |value| value.span().start), &sentence)
    })
}

/// A value of TOML as one of JSON. Arrays and tables, which no setting has, become empty ones.
fn json(value: &DeValue<'_>) -> Value {
    match value {
        DeValue::String(text) => Value::from(&**text),
        DeValue::Integer(number) => {
            let number = i64::from_str_radix(number.as_str(), number.radix());
            // A larger number is wrong, too.
            Value::from(number.unwrap_or(i64::MAX))
        }
        DeValue::Float(number) => {
            // JSON has neither infinities nor `nan`.
            let number = number.as_str().parse().ok();
            let finite = number.filter(|number: &f64| number.is_finite());
            Value::from(finite.unwrap_or(f64::MAX))
        }
        DeValue::Boolean(is_set) => Value::from(*is_set),
        DeValue::Datetime(time) => Value::from(time.to_string()),
        DeValue::Array(_) => Value::Array(Vec::new()),
        DeValue::Table(_) => Value::Object(Map::new()),
    }
}

/// The rules of a mapping with the keys of files; null stands for a setting that is not given.
///
/// # Errors
///
/// A sentence that begins with the key of the mistake, as `stones must be from 3 to 12`.
pub fn of_mapping(mapping: &Map<String, Value>) -> Result<Rules, String> {
    rules(mapping).map_err(
        |Mistake { key, sentence }| match sentence.starts_with(&key) {
            true => sentence,
            false => format!("{key}: {sentence}"),
        },
    )
}

/// The rules of a mapping, or its first mistake.
fn rules(mapping: &Map<String, Value>) -> Result<Rules, Mistake> {
    let read = |mapping: Map<String, Value>| Settings::deserialize(Value::Object(mapping));
    // Each entry alone, as serde's errors do not name the key.
    for (key, value) in mapping {
        let alone = Map::from_iter([(key.clone(), value.clone())]);
        read(alone).map_err(|error| Mistake {
            key: key.clone(),
            sentence: error
                .to_string()
                .replace("expected i64", "expected a whole number"),
        })?;
    }
    let settings = read(mapping.clone()).map_err(|error| Mistake {
        key: String::new(),
        sentence: error.to_string(),
    })?;
    settings.rules()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_sets() {
        for (name, rules) in Rules::NAMED {
            assert_eq!(of_name_or_file(name), Ok(rules));
            assert_eq!(of_name_or_file(&name.to_uppercase()), Ok(rules));
            assert_eq!(of_toml(&format!("base = '{name}'")), Ok(rules));
        }
        for wrong in ["", "nine", "no flying"] {
            assert!(
                of_name_or_file(wrong).unwrap_err().contains(&names()),
                "{wrong}"
            );
        }
    }

    #[test]
    fn every_setting_of_a_file_is_read() {
        assert_eq!(of_toml(""), Ok(Rules::STANDARD));
        assert_eq!(of_toml("# nothing\n"), Ok(Rules::STANDARD));
        assert_eq!(of_toml("stones = 0xa"), of_toml("stones = 1_0"));
        let all = "\
            base = 'twelve'\nstones = 11\ndiagonals = false\nflying = 4\nremoval_from_mills = true\n\
            removal_per_mill = true\nblocked = 'passes'\nfull_board = 'draws'\nfirst_to_move = 'black'\n\
            quiet_turns = 100\nquiet_turns_flying = 20\n";
        let expected = Rules {
            stones: 11,
            diagonals: false,
            flying: 4,
            removal_from_mills: true,
            removal_per_mill: true,
            blocked: Blocked::Passes,
            removal_while_placing: RemovalWhilePlacing::Board,
            full_board: FullBoard::Draws,
            moves_while_placing: false,
            first_to_move: Side::Black,
            quiet_turns: 100,
            quiet_turns_flying: 20,
        };
        assert_eq!(of_toml(all), Ok(expected));
        let lasker = of_toml("stones = 10\nmoves_while_placing = true");
        assert_eq!(lasker, Ok(Rules::LASKER));
        let dooz = "diagonals = true\nstones = 12\nremoval_from_mills = true\n\
            removal_while_placing = 'hand'\nfull_board = 'removes'";
        assert_eq!(of_toml(dooz), Ok(Rules::DOOZ));
        let one = of_toml("base = 'morabaraba'\nfull_board = 'loses'\nblocked = 'loses'");
        assert_eq!(one, Ok(Rules::TWELVE));
    }

    #[test]
    fn wrong_settings_are_refused_with_their_line() {
        for (text, line, words) in [
            ("stones = 2", 1, "from 3 to 12"),
            ("\nstones = 13", 2, "from 3 to 12"),
            ("stones = -1", 1, "from 3 to 12"),
            ("stones = 'nine'", 1, "string"),
            ("stones = '9'", 1, "string \"9\", expected a whole number"),
            ("stones = 9.5", 1, "floating point `9.5`"),
            ("stones = nan", 1, "floating point"),
            ("stones = -inf", 1, "floating point"),
            ("stones = 99999999999999999999", 1, "from 3 to 12"),
            ("stones = -99999999999999999999", 1, "from 3 to 12"),
            ("\nstones = [9]", 2, "sequence"),
            ("\nflying = { never = true }", 2, "map"),
            ("flying = 2026-11-26", 1, "string"),
            ("flying = 3\nflying = 4", 2, "duplicate"),
            ("# own\n\nflying = 5", 3, "0 for never, 3 or 4"),
            ("quiet_turns = 126", 1, "from 1 to 125"),
            ("quiet_turns_flying = 10", 1, "cannot exceed quiet_turns"),
            (
                "quiet_turns_flying = 5",
                1,
                "must be 0 while quiet_turns is 0, not 5",
            ),
            (
                "quiet_turns = 9\nquiet_turns_flying = 10",
                2,
                "or 0 for the same limit, not 10",
            ),
            ("quiet_turns = 9\nquiet_turns_flying = 10", 2, "from 1 to 9"),
            ("stones = 9\nflyin = 3", 2, "flyin"),
            ("base = 'twelf'", 1, "there are no such rules"),
            ("diagonals = true\nblocked = 'wins'", 2, "wins"),
            (
                "first_to_move = 'first'",
                1,
                "'first' is not white or black",
            ),
            (
                "base = 'lasker'\nfirst_to_move = 'black'",
                2,
                "must be white where sides move",
            ),
            (
                "moves_while_placing = true\nfirst_to_move = 'black'",
                2,
                "must be white where sides move",
            ),
            (
                "removal_while_placing = 'hand'\nfirst_to_move = 'black'",
                2,
                "must be white where mills take stones",
            ),
            (
                "removal_per_mill = true\nbase = 'dooz'",
                1,
                "removal_per_mill must be false",
            ),
            ("diagonals = true\ndiagonals", 2, ""),
            ("stones = 9\n[more]\nx = 1", 2, "more"),
        ] {
            let sentence = of_toml(text).unwrap_err();
            assert!(
                sentence.starts_with(&format!("line {line}: ")),
                "{text}: {sentence}"
            );
            assert!(sentence.contains(words), "{text}: {sentence}");
        }
        let long = of_toml(&"#".repeat(1 << 17)).unwrap_err();
        assert!(long.contains("longer than 65536 bytes"), "{long}");
        // A file cannot be based on another one.
        let sentence = of_toml("base = 'other.toml'").unwrap_err();
        assert!(sentence.ends_with(&names()), "{sentence}");
    }

    /// Reads a mapping of this JSON text.
    fn of_json(text: &str) -> Result<Rules, String> {
        of_mapping(&serde_json::from_str(text).unwrap())
    }

    #[test]
    fn mappings_are_read_as_files_are() {
        assert_eq!(of_json("{}"), Ok(Rules::STANDARD));
        for (_, rules) in Rules::NAMED {
            // Rules as answers write them can be read back.
            let mapping = serde_json::to_string(&rules).unwrap();
            assert_eq!(of_json(&mapping), Ok(rules));
        }
        let none = r#"{"base": "twelve", "stones": null, "blocked": "passes"}"#;
        let expected = Rules {
            blocked: Blocked::Passes,
            ..Rules::TWELVE
        };
        assert_eq!(of_json(none), Ok(expected));
        for (text, words) in [
            (r#"{"stones": 2}"#, "stones must be from 3 to 12"),
            (
                r#"{"diagonals": true, "stones": "nine"}"#,
                "stones: invalid type: string",
            ),
            (r#"{"stones": 9.0}"#, "stones: invalid type: floating point"),
            (r#"{"stones": 9, "flyin": 3}"#, "flyin: unknown field"),
            (r#"{"blocked": "wins"}"#, "blocked: unknown variant `wins`"),
            (r#"{"base": "twelf"}"#, "base: there are no such rules"),
            (
                r#"{"quiet_turns_flying": 1}"#,
                "quiet_turns_flying, which cannot exceed",
            ),
        ] {
            let sentence = of_json(text).unwrap_err();
            assert!(sentence.starts_with(words), "{text}: {sentence}");
        }
    }
}
