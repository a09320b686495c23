//! Checks that each layer of the library uses only those above it in the list of the crate
//! documentation.

use std::fs;
use std::path::{Path, PathBuf};

/// The layers in the order of the list.
fn layers() -> Vec<&'static str> {
    let documentation = include_str!("../../src/lib.rs");
    let picture = documentation
        .split("```")
        .find(|part| part.starts_with("text\n"));
    let lines = picture.expect("a picture").lines().skip(1);
    let names = lines.filter_map(|line| line.trim_start_matches("//! ").split_whitespace().next());
    names.filter(|name| *name != "//!").collect()
}

/// The files of the library, without the program.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() && !path.ends_with("bin") {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn every_layer_uses_only_those_above_it() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let layers = layers();
    assert_eq!(
        (layers.first(), layers.last()),
        (Some(&"board"), Some(&"service"))
    );
    let mut found = Vec::new();
    files(&source, &mut found);
    let mut uses = 0;
    for path in found {
        let below = path.strip_prefix(&source).expect("below src");
        let first = below.iter().next().and_then(|name| name.to_str());
        let layer = first.expect("a name").trim_end_matches(".rs");
        let text = fs::read_to_string(&path).expect("a text");
        // Unit tests may use every layer.
        let is_test = below
            .iter()
            .any(|name| name.to_string_lossy().starts_with("tests"));
        if layer == "lib" || is_test {
            continue;
        }
        let own = layers.iter().position(|other| *other == layer);
        let own = own.unwrap_or_else(|| panic!("{layer} is not in the picture of src/lib.rs"));
        let code = text.split("mod tests {").next().unwrap_or_default();
        let code = code
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"));
        for line in code {
            for used in line.split("crate::").skip(1) {
                let end = used.find(|letter: char| !letter.is_ascii_lowercase());
                let used = &used[..end.unwrap_or(used.len())];
                let place = layers.iter().position(|other| *other == used);
                assert!(
                    place.is_some_and(|place| place <= own),
                    "{}: {line}",
                    path.display()
                );
                uses += 1;
            }
        }
    }
    assert!(uses > 100);
}
