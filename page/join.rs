//! Joins the modules of the page in one script, so that a browser loads them by one request.
//!
//! A module becomes a function that returns what it exports. What it imports comes from the objects that the modules before it
//! returned. A variable that `export let` declares belongs to the whole script, since those who import it see it change. Lines
//! of comments and the indentation stay out: they are a quarter of the bytes.

use std::collections::BTreeSet;

/// The script of a module and of all that it imports, each after what it imports itself. `source` is the text of a module.
pub fn join(name: &str, source: &dyn Fn(&str) -> &'static str) -> String {
    let mut script = Script {
        source,
        text: String::new(),
        added: BTreeSet::new(),
        shared: BTreeSet::new(),
    };
    script.add(name);
    script.text
}

struct Script<'a> {
    source: &'a dyn Fn(&str) -> &'static str,
    text: String,
    added: BTreeSet<String>,
    /// The variables of the whole script.
    shared: BTreeSet<&'static str>,
}

impl Script<'_> {
    /// Adds a module, unless it is there, after those that it imports.
    fn add(&mut self, name: &str) {
        if !self.added.insert(name.to_owned()) {
            return;
        }
        let mut body = String::new();
        let mut exported = Vec::new();
        let mut rest = (self.source)(name);
        while !rest.is_empty() {
            let part;
            (part, rest) = part_of(rest);
            let words = part.trim_start();
            if words.starts_with("//") || words.starts_with("/*") {
                continue;
            } else if part.starts_with("import ") {
                body += &self.import(part);
            } else if let Some(declaration) = part.strip_prefix("export let ") {
                self.shared.insert(first_word(declaration));
                self.text += &format!("let {declaration}");
            } else if let Some(declaration) = part.strip_prefix("export ") {
                let words = declaration.trim_start_matches("async ");
                let (_, name) = words.split_once(' ').expect("a keyword and a name");
                exported.push(first_word(name));
                body += declaration;
            } else {
                body += words;
            }
        }
        let (object, exported) = (object(name), exported.join(", "));
        self.text += &format!(
            "const {object} = await (async () => {{\n{body}return {{ {exported} }};\n}})();\n"
        );
    }

    /// Adds the module of an import; returns the declaration of the imported names.
    fn import(&mut self, statement: &'static str) -> String {
        let names = statement.split(['{', '}']).nth(1);
        let from = statement.split("\"./").nth(1);
        let from = from.and_then(|from| from.split('"').next());
        let (names, from) = names.zip(from).expect("names of a module beside this one");
        self.add(from);
        let names = names.split(',').map(str::trim);
        let own = names.filter(|name| !name.is_empty() && !self.shared.contains(name));
        let own: Vec<_> = own.map(|name| name.replace(" as ", ": ")).collect();
        format!("const {{ {} }} = {};\n", own.join(", "), object(from))
    }
}

/// The first line of a text, or the lines of the comment or the import that begins with it; and the rest.
fn part_of(text: &'static str) -> (&'static str, &'static str) {
    let end = match text.trim_start_matches(' ') {
        words if words.starts_with("/*") => "*/\n",
        words if words.starts_with("import ") => ";\n",
        _ => "\n",
    };
    match text.find(end) {
        Some(place) => text.split_at(place + end.len()),
        None => (text, ""),
    }
}

/// The variable that holds what a module exports.
fn object(name: &str) -> String {
    format!("${}", name.trim_end_matches(".js").replace(['/', '-'], "_"))
}

/// The name with which a text begins.
fn first_word(text: &str) -> &str {
    let end = text.find(|letter: char| !letter.is_alphanumeric() && !"$_".contains(letter));
    &text[..end.unwrap_or(text.len())]
}
