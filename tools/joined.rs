//! Prints the script of a module and of all that it imports: `cargo run -p millbase-page --example joined FOLDER MODULE [AFTER]`,
//! with the path of the module in the folder, and that of another one whose script is there already.

use std::env;
use std::fs;
use std::path::Path;

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [folder, module, after @ ..] = &arguments[..] else {
        panic!("expected a folder and the path of a module in it");
    };
    let after = after.first().map(String::as_str);
    let source = |name: &str| {
        let path = Path::new(folder).join(name);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    print!("{}", millbase_page::join(module, after, &source));
}
