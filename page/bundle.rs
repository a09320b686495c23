//! Joins the modules of the page in one script, so that a browser loads them by one request.
//!
//! A module becomes a function that returns what it exports. What it imports comes from the objects that the modules before it
//! returned. A variable that `export let` declares belongs to the whole script, since those who import it see it change. Lines
//! of comments stay out: they are a fifth of the bytes.

use std::collections::BTreeSet;

/// The script of a module and of all that it imports, each after what it imports itself. `source` is the text of a module.
pub fn bundle(name: &str, source: &dyn Fn(&str) -> &'static str) -> String {
    let mut script = Script::default();
    script.add(name, source);
    script.text
}

#[derive(Default)]
struct Script {
    text: String,
    added: BTreeSet<String>,
    /// The variables of the whole script.
    shared: BTreeSet<&'static str>,
}

impl Script {
    fn add(&mut self, name: &str, source: &dyn Fn(&str) -> &'static str) {
        if !self.added.insert(name.to_owned()) {
            return;
        }
        let mut body = String::new();
        let mut exported = Vec::new();
        let mut rest = source(name);
        while let Some((line, after)) = rest.split_once('\n') {
            rest = after;
            let words = line.trim_start();
            if words.starts_with("//") {
                continue;
            }
            if words.starts_with("/*") {
                if !words.contains("*/") {
                    let (_, after) = rest.split_once("*/\n").expect("the end of a comment");
                    rest = after;
                }
                continue;
            }
            if line.starts_with("import ") {
                let (more, after) = match line.ends_with(';') {
                    true => ("", after),
                    false => after.split_once(";\n").expect("the end of an import"),
                };
                rest = after;
                let statement = format!("{line}{more}");
                let names = statement.split(['{', '}']).nth(1).expect("imported names");
                let from = statement
                    .split("\"./")
                    .nth(1)
                    .expect("a module beside this one");
                let from = from.split('"').next().expect("a name");
                self.add(from, source);
                let names = names.split(',').map(str::trim);
                let names: Vec<_> = names
                    .filter(|name| !name.is_empty() && !self.shared.contains(name))
                    .map(|name| name.replace(" as ", ": "))
                    .collect();
                body += &format!("const {{ {} }} = {};\n", names.join(", "), object(from));
            } else if let Some(declaration) = line.strip_prefix("export ") {
                let name = declared(declaration);
                if declaration.starts_with("let ") {
                    self.shared.insert(name);
                    self.text += &format!("{declaration}\n");
                } else {
                    exported.push(name);
                    body += &format!("{declaration}\n");
                }
            } else {
                body += &format!("{line}\n");
            }
        }
        let exported = exported.join(", ");
        let object = object(name);
        self.text += &format!(
            "const {object} = await (async () => {{\n{body}return {{ {exported} }};\n}})();\n"
        );
    }
}

/// The variable that holds what a module exports.
fn object(name: &str) -> String {
    format!("${}", name.trim_end_matches(".js").replace(['/', '-'], "_"))
}

/// The name that a declaration gives.
fn declared(declaration: &str) -> &str {
    let words = declaration.trim_start_matches("async ");
    let (_, name) = words.split_once(' ').expect("a keyword and a name");
    let end = name.find(|letter: char| !letter.is_alphanumeric() && !"$_".contains(letter));
    &name[..end.unwrap_or(name.len())]
}
