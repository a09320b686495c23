//! Joins modules in one script, so that a browser loads them by one request.
//!
//! A module becomes a function that returns what it exports, and `$modules` holds the objects that these return, for the modules
//! and the scripts that come later. A module exports no variables that change. Lines of comments and the indentation stay out:
//! they are a quarter of the bytes.

use std::collections::BTreeSet;

/// The script of a module and of all that it imports, each after what it imports itself, except those in the script of the
/// module `after`, which imports it while it runs. `source` is the text of a module, which is named by its path.
pub fn join(name: &str, after: Option<&str>, source: &dyn Fn(&str) -> String) -> String {
    let mut script = Script {
        source,
        text: String::new(),
        added: BTreeSet::new(),
    };
    if let Some(after) = after {
        script.add(after);
    }
    script.text = "const $modules = globalThis.$modules ??= {};\n".to_owned();
    let exported = script.add(name).join(", ");
    if !exported.is_empty() {
        let object = object(name);
        script.text += &format!("export const {{ {exported} }} = {object};\n");
    }
    script.text
}

struct Script<'a> {
    source: &'a dyn Fn(&str) -> String,
    text: String,
    added: BTreeSet<String>,
}

impl Script<'_> {
    /// Adds a module, unless it is there, after those that it imports; returns the names that it exports.
    fn add(&mut self, name: &str) -> Vec<String> {
        let (mut exported, mut fields) = (Vec::new(), Vec::new());
        if !self.added.insert(name.to_owned()) {
            return exported;
        }
        let mut body = String::new();
        let text = (self.source)(name);
        let mut rest = text.as_str();
        while !rest.is_empty() {
            let part;
            (part, rest) = part_of(rest);
            let words = part.trim_start();
            if words.starts_with("//") || words.starts_with("/*") {
                continue;
            } else if part.starts_with("import ") {
                body += &self.import(part, name);
            } else if part.starts_with("export {") {
                let from = self.module_in(part, name).map(|object| object + ".");
                let from = from.unwrap_or_default();
                for (own, other) in names_in(part) {
                    fields.push(format!("{other}: {from}{own}"));
                    exported.push(other.to_owned());
                }
            } else if let Some(declaration) = part.strip_prefix("export ") {
                let words = declaration.trim_start_matches("async ");
                let (_, name) = words.split_once(' ').expect("a keyword and a name");
                fields.push(first_word(name).to_owned());
                exported.push(first_word(name).to_owned());
                body += declaration;
            } else {
                body += words;
            }
        }
        let (object, fields) = (object(name), fields.join(", "));
        self.text +=
            &format!("{object} = await (async () => {{\n{body}return {{ {fields} }};\n}})();\n");
        exported
    }

    /// Adds the module of an import; returns the declaration of the imported names.
    fn import(&mut self, statement: &str, importer: &str) -> String {
        let module = self.module_in(statement, importer).expect("a module");
        let whole = statement["import ".len()..].split(['{', '"']).next();
        let whole = whole.filter(|name| name.contains(',')).map(first_word);
        let whole = whole.map(|name| ("default", name));
        let names = whole.into_iter().chain(names_in(statement));
        let names = names.map(|(name, own)| match name == own {
            true => name.to_owned(),
            false => format!("{name}: {own}"),
        });
        let names: Vec<_> = names.collect();
        format!("const {{ {} }} = {module};\n", names.join(", "))
    }

    /// Adds the module that a statement names, if it names one; returns its object.
    fn module_in(&mut self, statement: &str, importer: &str) -> Option<String> {
        let path = statement.split("\"./").nth(1)?.split('"').next()?;
        let folder = importer.rfind('/').map_or("", |end| &importer[..=end]);
        let name = format!("{folder}{path}");
        self.add(&name);
        Some(object(&name))
    }
}

/// The names in the braces of a statement, each with the one that it gets.
fn names_in(statement: &str) -> impl Iterator<Item = (&str, &str)> {
    let names = statement.split(['{', '}']).nth(1).unwrap_or_default();
    let names = names.split(',').map(str::trim);
    let names = names.filter(|name| !name.is_empty());
    names.map(|name| name.split_once(" as ").unwrap_or((name, name)))
}

/// The first line of a text, or the lines of the comment, the import or the list of exports that begins with it; and the rest.
fn part_of(text: &str) -> (&str, &str) {
    let end = match text.trim_start_matches(' ') {
        words if words.starts_with("/*") => "*/\n",
        words if words.starts_with("import ") || words.starts_with("export {") => ";\n",
        _ => "\n",
    };
    match text.find(end) {
        Some(place) => text.split_at(place + end.len()),
        None => (text, ""),
    }
}

/// The expression for the object with all that a module exports.
fn object(name: &str) -> String {
    let name = name.trim_end_matches(".js").replace(['/', '-'], "_");
    format!("$modules.{name}")
}

/// The name with which a text begins.
fn first_word(text: &str) -> &str {
    let end = text.find(|letter: char| !letter.is_alphanumeric() && !"$_".contains(letter));
    &text[..end.unwrap_or(text.len())]
}
