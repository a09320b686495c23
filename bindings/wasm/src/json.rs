//! The few parts of JSON that answers need.

use std::fmt;

/// A text in quotation marks.
pub struct Text<'a>(pub &'a str);

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        for letter in self.0.chars() {
            match letter {
                '"' | '\\' => write!(f, "\\{letter}")?,
                '\0'..' ' => write!(f, "\\u{:04x}", u32::from(letter))?,
                _ => write!(f, "{letter}")?,
            }
        }
        f.write_str("\"")
    }
}

/// A list of items that are JSON already.
pub fn list(items: impl Iterator<Item = String>) -> String {
    let items: Vec<String> = items.collect();
    format!("[{}]", items.join(","))
}
