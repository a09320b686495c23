//! The page of Millbase as the program serves it: `files/index.html` and the files that it loads.
//! `tools/site` takes the same folder for static hosts, with the files that only these need.
//!
//! The address of a file contains the common hash of all files, so a browser never mixes cached files
//! of two versions.

use std::sync::LazyLock;

use sha2::{Digest, Sha256};

/// A file that the page loads.
pub struct File {
    /// The name, with which the address ends.
    pub name: &'static str,
    /// The media type.
    pub kind: &'static str,
    /// The contents.
    pub text: &'static str,
}

const HTML: &str = include_str!("files/index.html");

/// The placeholder for the folder of the files in the HTML.
const FOLDER: &str = "{{folder}}";

macro_rules! files {
    ($($name:literal: $kind:expr,)*) => {
        &[$(File { name: $name, kind: $kind, text: include_str!(concat!("files/", $name)) },)*]
    };
}

const SCRIPT: &str = "text/javascript; charset=utf-8";

/// The files that the page loads from its server.
pub static FILES: &[File] = files! {
    "style.css": "text/css; charset=utf-8",
    "app.js": SCRIPT,
    "backend.js": SCRIPT,
    "board.js": SCRIPT,
    "builder.js": SCRIPT,
    "coach.js": SCRIPT,
    "dom.js": SCRIPT,
    "editor.js": SCRIPT,
    "explorer.js": SCRIPT,
    "game.js": SCRIPT,
    "grade.js": SCRIPT,
    "graph.js": SCRIPT,
    "hint.js": SCRIPT,
    "languages/af.json": "application/json",
    "languages/cs.json": "application/json",
    "languages/de.json": "application/json",
    "languages/en.json": "application/json",
    "languages/es.json": "application/json",
    "languages/fr.json": "application/json",
    "languages/hu.json": "application/json",
    "languages/it.json": "application/json",
    "languages/nl.json": "application/json",
    "languages/pl.json": "application/json",
    "languages/pt.json": "application/json",
    "languages/ru.json": "application/json",
    "languages/tr.json": "application/json",
    "languages/zh.json": "application/json",
    "lessons.json": "application/json",
    "lines.js": SCRIPT,
    "notation.js": SCRIPT,
    "puzzles.js": SCRIPT,
    "puzzles.json": "application/json",
    "rating.js": SCRIPT,
    "reasons.js": SCRIPT,
    "server.js": SCRIPT,
    "store.js": SCRIPT,
    "strings.js": SCRIPT,
    "teacher.js": SCRIPT,
    "trainer.js": SCRIPT,
    "tree.js": SCRIPT,
};

/// The first sixteen digits of the common hash of the files.
pub fn hash() -> &'static str {
    static HASH: LazyLock<String> = LazyLock::new(|| {
        let mut hash = Sha256::new();
        for file in FILES {
            hash.update(file.name);
            hash.update(file.text);
        }
        let bytes = hash.finalize();
        bytes[..8]
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect()
    });
    &HASH
}

/// The HTML, which loads the files from `page/<hash>/`.
pub fn html() -> &'static str {
    static TEXT: LazyLock<String> =
        LazyLock::new(|| HTML.replace(FOLDER, &format!("page/{}", hash())));
    &TEXT
}
