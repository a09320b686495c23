//! The words of the page: every language has all of them, and no others.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde_json::{Map, Value as Json, json};

use crate::common::root;
use crate::process::{items, shows, text};
use crate::visit::{Screen, visit};

/// The files of the page with this ending, with their names.
fn files(folder: &str, ending: &str) -> BTreeMap<String, String> {
    let folder = root().join("page/files").join(folder);
    let entries = fs::read_dir(folder).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let paths = paths.filter(|path| path.extension().is_some_and(|found| found == ending));
    let named = paths.map(|path| {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        (name, fs::read_to_string(path).unwrap())
    });
    named.collect()
}

fn languages() -> BTreeMap<String, Map<String, Json>> {
    let files = files("languages", "json").into_iter();
    let files = files.map(|(code, text)| (code, serde_json::from_str(&text).unwrap()));
    files.collect()
}

/// The texts between two marks.
fn between<'a>(text: &'a str, open: &str, close: &str) -> BTreeSet<&'a str> {
    let pieces = text.split(open).skip(1);
    let pieces = pieces.filter_map(|piece| piece.split_once(close));
    pieces.map(|(found, _)| found).collect()
}

/// The forms of an entry by their plurals; one without plurals has only the form `other`.
fn forms(entry: &Json) -> BTreeMap<&str, &str> {
    match entry {
        Json::Object(forms) => {
            let forms = forms.iter();
            let forms = forms.map(|(plural, form)| (plural.as_str(), text(form)));
            forms.collect()
        }
        _ => BTreeMap::from([("other", text(entry))]),
    }
}

#[test]
fn every_language_has_the_same_words_and_holes() {
    let languages = languages();
    let english = &languages["en"];
    let scripts = files("", "js");
    assert!(english.len() > 300 && languages.len() >= 2);
    for (code, words) in &languages {
        shows(&scripts["strings"], &format!("{code}: \""));
        let keys: BTreeSet<&String> = words.keys().chain(english.keys()).collect();
        for key in keys {
            let (Some(here), Some(there)) = (words.get(key), english.get(key)) else {
                panic!("{key} is only in one of en and {code}");
            };
            assert_eq!(here.is_object(), there.is_object(), "{code}: {key}");
            let holes = between(forms(there)["other"], "{", "}");
            for (plural, form) in forms(here) {
                let mut found = between(form, "{", "}");
                // One of something may be said without its number.
                if plural != "other" && holes.contains("count") {
                    found.insert("count");
                }
                assert_eq!(found, holes, "{code}: {key}, {plural}");
                assert!(!form.is_empty() && !form.contains("  "), "{code}: {key}");
            }
        }
    }
}

/// Spaces at which no line breaks: of a word's width, and narrow.
const NO_BREAK: [char; 2] = ['\u{a0}', '\u{202f}'];

/// The marks of the end of a sentence or label, in Latin and in Chinese writing.
const ENDS: [(char, char); 5] = [
    ('.', '。'),
    ('?', '？'),
    (':', '：'),
    ('!', '！'),
    ('…', '…'),
];

#[test]
fn sentences_end_as_in_english_and_have_the_quotes_and_spaces_of_the_language() {
    let languages = languages();
    let end = |text: &str| {
        let last = text.chars().last();
        let mut ends = ENDS.into_iter();
        let found = ends.find(|&(mark, wide)| last == Some(mark) || last == Some(wide));
        found.map(|(mark, _)| mark)
    };
    for (code, words) in &languages {
        for (key, entry) in words {
            for form in forms(entry).into_values() {
                let english = forms(&languages["en"][key])["other"];
                assert_eq!(end(form), end(english), "{code}: {key}: {form}");
                assert!(!form.contains(['\'', '"']), "{code}: {key}: {form}");
                let breaks = |mark: char| form.contains(&format!(" {mark}"));
                assert!(!";:!?»".chars().any(breaks), "{code}: {key}: {form}");
                // French sets these marks apart by spaces that do not break.
                let apart = |mark: char| {
                    let mut before = form.split(mark).rev().skip(1);
                    before.all(|text| text.ends_with(NO_BREAK))
                };
                assert!(code != "fr" || ";:!?»".chars().all(apart), "{key}: {form}");
            }
        }
    }
}

/// Keys that the page asks for must exist, and those that exist must be asked for, by their names or by a
/// pattern like `level.${number}`.
#[test]
fn words_are_used_and_used_words_exist() {
    let english = &languages()["en"];
    let mut texts: Vec<String> = files("", "js").into_values().collect();
    let html = files("", "html").remove("index").unwrap();
    let mut asked: BTreeSet<&str> = between(&html, "data-t=\"", "\"");
    asked.extend(between(&html, "data-label=\"", "\""));
    let site = root().join("tools/site-files");
    let others = fs::read_dir(site).unwrap();
    let others = others.map(|entry| entry.unwrap().path());
    let others = others.filter(|path| path.extension().is_some_and(|found| found == "js"));
    texts.extend(others.map(|path| fs::read_to_string(path).unwrap()));
    for text in &texts {
        asked.extend(between(text, " t(\"", "\""));
        asked.extend(between(text, "(t(\"", "\""));
    }
    let missing = asked.iter().filter(|key| !english.contains_key(**key));
    let missing: Vec<_> = missing.collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert!(asked.len() > 150, "{}", asked.len());
    let quoted: BTreeSet<&str> = texts.iter().flat_map(|text| between_quotes(text)).collect();
    let patterns: Vec<(&str, &str)> = (texts.iter())
        .flat_map(|text| text.split('`'))
        .filter_map(|pattern| {
            let (start, rest) = pattern.split_once("${")?;
            Some((start, rest.rsplit_once('}')?.1))
        })
        .filter(|(start, _)| start.ends_with('.') && start.len() > 2)
        .collect();
    let is_used = |key: &str| {
        let by_pattern = |(start, end): &(&str, &str)| key.starts_with(start) && key.ends_with(end);
        asked.contains(key) || quoted.contains(key) || patterns.iter().any(by_pattern)
    };
    let unused: Vec<_> = english.keys().filter(|key| !is_used(key)).collect();
    assert!(unused.is_empty(), "{unused:?}");
}

fn between_quotes(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .flat_map(|line| line.split('"').skip(1).step_by(2))
}

#[test]
fn every_language_has_its_plurals_and_its_tabs_fit_a_small_screen() {
    let languages = languages();
    visit(Screen::Small, |page| {
        for (code, words) in &languages {
            let script = format!(
                "const plurals = new Intl.PluralRules('{code}');
                 return [...new Set([...Array(200).keys()].map(count => plurals.select(count)))].sort()"
            );
            let plurals: Vec<String> = serde_json::from_value(page.script(&script)).unwrap();
            for (key, entry) in words.iter().filter(|(_, entry)| entry.is_object()) {
                let is_used = |plural: &str| plurals.iter().any(|one| one == plural);
                let mut named: Vec<&str> = forms(entry).into_keys().collect();
                named.retain(|plural| *plural != "other" || is_used(plural));
                assert_eq!(named, plurals, "{code}: {key}");
            }
            page.choose("language", code);
            let last = text(&words["tab.options"]);
            let fits = format!(
                "const tabs = document.querySelector('.tabs');
                 return document.documentElement.lang === '{code}'
                   && tabs.lastElementChild.textContent === '{last}' && tabs.scrollWidth <= tabs.clientWidth"
            );
            page.until(&fits);
        }
        page.choose("language", "de");
        page.says("Weiß setzt einen Stein");
        let words = page.script(
            "const { options } = document.getElementById('language');
             return [...options].map(({ value, lang }) => value === lang && value)",
        );
        assert_eq!(items(&words).len(), languages.len());
        assert!(items(&words).contains(&json!("de")));
    });
}
