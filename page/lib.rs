//! The page of Millbase as the program serves it: `files/index.html` and the files that it loads.
//! `tools/site` takes the same folder for static hosts, with the files that only these need.
//!
//! `join` makes scripts of the modules, for both. The address of a file contains the common hash of all files, so a
//! browser never mixes cached files of two versions.

mod join;

pub use join::join;

use std::borrow::Cow;
use std::sync::LazyLock;

use sha2::{Digest, Sha256};

/// A file of the page.
pub struct File {
    /// The name, with which the address ends.
    pub name: &'static str,
    /// The media type.
    pub kind: &'static str,
    /// The contents.
    pub text: Cow<'static, str>,
}

impl File {
    fn new(name: &'static str, text: impl Into<Cow<'static, str>>) -> File {
        let kind = match name.rsplit('.').next() {
            Some("js") => "text/javascript; charset=utf-8",
            Some("css") => "text/css; charset=utf-8",
            Some("html") => "text/html; charset=utf-8",
            Some("svg") => "image/svg+xml",
            Some("webmanifest") => "application/manifest+json",
            _ => "application/json",
        };
        let text = text.into();
        File { name, kind, text }
    }
}

macro_rules! files {
    ($($name:literal,)*) => {
        &[$(($name, include_str!(concat!("files/", $name))),)*]
    };
}

/// The modules; the worker of static hosts is not among them.
const MODULES: &[(&str, &str)] = files! {
    "app.js",
    "backend.js",
    "board.js",
    "builder.js",
    "choice.js",
    "clock.js",
    "coach.js",
    "controls.js",
    "device.js",
    "dom.js",
    "editor.js",
    "explorer.js",
    "gallery.js",
    "game.js",
    "grade.js",
    "graph.js",
    "hands.js",
    "hint.js",
    "home.js",
    "json.js",
    "keeper.js",
    "keys.js",
    "lines.js",
    "match.js",
    "moves.js",
    "notation.js",
    "opponents.js",
    "options.js",
    "pairs.js",
    "picture.js",
    "puzzles.js",
    "rating.js",
    "reasons.js",
    "rooms.js",
    "ruleset.js",
    "server.js",
    "setup.js",
    "sound.js",
    "state.js",
    "stats.js",
    "store.js",
    "strings.js",
    "tabs.js",
    "teacher.js",
    "threats.js",
    "trainer.js",
    "tree.js",
    "view.js",
    "wait.js",
};

/// The other files that the page loads.
const OTHERS: &[(&str, &str)] = files! {
    "style.css",
    "languages/af.json",
    "languages/cs.json",
    "languages/de.json",
    "languages/en.json",
    "languages/es.json",
    "languages/fr.json",
    "languages/hu.json",
    "languages/it.json",
    "languages/nl.json",
    "languages/pl.json",
    "languages/pt.json",
    "languages/ru.json",
    "languages/tr.json",
    "languages/zh.json",
    "lessons.json",
    "puzzles.json",
    "records.json",
};

/// The files whose addresses stay the same in all versions: the page itself, its service worker, and what an installed page
/// needs.
const SHELL: &[(&str, &str)] = files! {
    "index.html",
    "sw.js",
    "app.webmanifest",
    "icon.svg",
};

/// The records of the rules `standard`, as `millbase records --json` writes them.
pub const RECORDS: &str = include_str!("files/records.json");

/// The picture for previews of links to the page, a JPEG of 1200 by 630 points.
pub const PREVIEW: &[u8] = include_bytes!("files/preview.jpg");

/// The module that the page loads, and the one that it loads after the first position; each has a script with all that it
/// imports.
const MAIN: &str = "app.js";
const ROOMS: &str = "rooms.js";

/// The files that the page loads from `page/<hash>/`.
pub fn files() -> &'static [File] {
    static FILES: LazyLock<Vec<File>> = LazyLock::new(|| {
        let source = |name: &str| {
            let module = MODULES.iter().find(|(known, _)| *known == name);
            module
                .unwrap_or_else(|| panic!("{name} is not among the modules"))
                .1
                .to_owned()
        };
        let scripts = [(MAIN, None), (ROOMS, Some(MAIN))];
        let scripts = scripts.map(|(name, after)| File::new(name, join(name, after, &source)));
        let others = OTHERS.iter().map(|&(name, text)| File::new(name, text));
        scripts.into_iter().chain(others).collect()
    });
    &FILES
}

/// The names of the files at the root.
pub fn shell_names() -> impl Iterator<Item = &'static str> {
    SHELL.iter().map(|&(name, _)| name)
}

/// The files at the root.
pub fn shell() -> &'static [File] {
    static SHELL_FILES: LazyLock<Vec<File>> = LazyLock::new(|| {
        let address = |file: &File| format!("\"page/{}/{}\"", hash(), file.name);
        let loaded: Vec<String> = files().iter().map(address).collect();
        let kept = format!(
            "[\"./\", \"app.webmanifest\", \"icon.svg\", {}]",
            loaded.join(", ")
        );
        let fill = |text: &str| {
            text.replace("{{folder}}", &format!("page/{}", hash()))
                .replace("{{version}}", hash())
                .replace("[\"{{files}}\"]", &kept)
        };
        let all = SHELL.iter();
        all.map(|&(name, text)| File::new(name, fill(text)))
            .collect()
    });
    &SHELL_FILES
}

/// The first sixteen digits of the common hash of all files.
pub fn hash() -> &'static str {
    static HASH: LazyLock<String> = LazyLock::new(|| {
        let mut hash = Sha256::new();
        // How the modules are joined decides the scripts, too.
        let joining: &[_] = &[("join.rs", include_str!("join.rs"))];
        for (name, text) in [MODULES, OTHERS, SHELL, joining].concat() {
            hash.update(name);
            hash.update(text);
        }
        let bytes = hash.finalize();
        bytes[..8]
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect()
    });
    &HASH
}
