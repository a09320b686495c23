//! The keys of a value: the text `std.secval` gives each sector a number, and the first key of a
//! slot counts from there.

use std::fmt;

use super::sector::Sector;

/// The name of the text.
pub const SECVAL: &str = "std.secval";

/// The numbers of the sectors, and those of wins and losses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scheme {
    win: i16,
    /// In the order of [`Sector::all`].
    values: Vec<i16>,
    text: String,
}

/// The reason why a text is not a `std.secval`; one sentence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SchemeError(String);

impl fmt::Display for SchemeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SchemeError {}

/// The largest key: keys have 12 bits with a sign.
pub(super) const MOST: i16 = 2047;

impl Scheme {
    /// Numbers of our own: 1 for a win, -1 for a loss, 0 for every sector. With files and text of
    /// this scheme the value of every draw is 0, which all readers show as a draw.
    ///
    /// ```
    /// use millbase::malom::Scheme;
    /// let scheme = Scheme::complete();
    /// assert_eq!(Scheme::compatible(scheme.text()), Ok(scheme));
    /// ```
    pub fn complete() -> Scheme {
        let mut text = format!(
            "virt_loss_val: -1\nvirt_win_val: 1\n{}\n",
            Sector::all().len()
        );
        for sector in Sector::all() {
            let [a, b, c, d] = sector.numbers();
            text += &format!("{a} {b} {c} {d}  0\n");
        }
        Scheme {
            win: 1,
            values: vec![0; Sector::all().len()],
            text,
        }
    }

    /// The numbers of an existing `std.secval`, so that our files and others can lie side by side.
    ///
    /// # Errors
    ///
    /// [`SchemeError`] if the text does not give a number to every sector.
    pub fn compatible(text: &str) -> Result<Scheme, SchemeError> {
        let mut words = text.split_ascii_whitespace();
        let mut loss = 0;
        let mut win = 0;
        for (name, place) in [("virt_loss_val:", &mut loss), ("virt_win_val:", &mut win)] {
            let found = words.next();
            if found != Some(name) {
                return Err(SchemeError(format!(
                    "expected '{name}', found '{}'",
                    found.unwrap_or("the end")
                )));
            }
            *place = number(words.next(), name)?;
        }
        if win > MOST {
            return Err(SchemeError(format!(
                "expected a number of at most {MOST} for a win, found {win}"
            )));
        }
        if win <= 0 || loss != -win {
            return Err(SchemeError(format!(
                "expected a win that is worth as much as a loss costs, found {win} and {loss}"
            )));
        }
        let count = number(words.next(), "the number of sectors")?;
        let all = Sector::all();
        if usize::try_from(count) != Ok(all.len()) {
            let expected = all.len();
            return Err(SchemeError(format!(
                "expected {expected} sectors of the standard game, found {count}"
            )));
        }
        let mut values = vec![None; all.len()];
        for _ in all {
            let mut stones = [0; 4];
            for place in &mut stones {
                let found = number(words.next(), "a number of stones")?;
                *place = u8::try_from(found).unwrap_or(u8::MAX);
            }
            let [a, b, c, d] = stones;
            let sector = Sector::new(a, b, c, d);
            let place = sector.and_then(|sector| all.binary_search(&sector).ok());
            let Some(place) = place else {
                return Err(SchemeError(format!("there is no sector {a} {b} {c} {d}")));
            };
            let value = number(words.next(), "the number of a sector")?;
            let most = (win - 1).min(MOST - win);
            if value.abs() > most {
                return Err(SchemeError(format!(
                    "the number of sector {a} {b} {c} {d} is {value}, expected one between -{most} and {most}"
                )));
            }
            if values[place].replace(value).is_some() {
                return Err(SchemeError(format!("sector {a} {b} {c} {d} stands twice")));
            }
        }
        if let Some(word) = words.next() {
            return Err(SchemeError(format!(
                "expected nothing after the last sector, found '{word}'"
            )));
        }
        Ok(Scheme {
            win,
            values: values.into_iter().flatten().collect(),
            text: text.to_owned(),
        })
    }

    /// The text of `std.secval`.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The number of a win; that of a loss is its negative.
    pub fn win(&self) -> i16 {
        self.win
    }

    /// The number of a sector.
    pub fn value(&self, sector: Sector) -> i16 {
        let place = Sector::all().binary_search(&sector);
        place.map_or(0, |place| self.values[place])
    }
}

/// The number of a word; `what` names it in the error.
fn number(word: Option<&str>, what: &str) -> Result<i16, SchemeError> {
    let word = word.unwrap_or("the end");
    let number = word.parse::<i16>().ok();
    // A number that has a counterpart with the other sign.
    number.filter(|&number| number > i16::MIN).ok_or_else(|| {
        SchemeError(format!(
            "expected a whole number for {what}, found '{}'",
            word.escape_default()
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read_or_refused() {
        let own = Scheme::complete();
        let text = own.text();
        let (head, sectors) = text.split_at(text.find("\n0 0").unwrap() + 1);
        // Any order, any white space.
        let mut lines: Vec<&str> = sectors.lines().collect();
        lines.reverse();
        let turned = format!("{head}\t{}\r\n", lines.join(" \n"));
        assert_eq!(Scheme::compatible(&turned).unwrap().values, own.values);
        let graded = text
            .replace("-1\n", "-299\n")
            .replace(": 1\n", ": 299\n")
            .replace("\n9 8 0 0  0", "\n9 8 0 0  59");
        let graded = Scheme::compatible(&graded).unwrap();
        assert_eq!(graded.win(), 299);
        assert_eq!(graded.value(Sector::new(9, 8, 0, 0).unwrap()), 59);
        for (from, to) in [
            ("virt_loss_val", "virt_lost_val"),
            (": -1", ": -2"),
            (": 1", ": 0"),
            ("498", "497"),
            ("498", "3070"),
            ("\n3 3 0 0 ", "\n3 4 0 0 "),
            ("\n3 3 0 0 ", "\n3 2 0 0 "),
            ("\n3 3 0 0 ", "\n3 3 0 "),
            ("\n3 3 0 0  0", "\n3 3 0 0  1"),
            ("\n3 3 0 0  0", "\n3 3 0 0  x"),
            ("\n9 9 0 0  0", "\n9 9 0 0  0 1"),
            ("\n9 9 0 0  0", "\n9 9 0 0"),
        ] {
            assert!(text.contains(from), "{from}");
            let wrong = text.replacen(from, to, 1);
            let error = Scheme::compatible(&wrong).unwrap_err().to_string();
            assert!(!error.is_empty() && !error.contains('\n'), "{error}");
        }
        assert!(Scheme::compatible("").is_err());
    }
}
